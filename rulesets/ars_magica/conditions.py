"""How conditions begin and end, and what falls with those who fall."""

from rulesets.ars_magica.events import Condition, Extended, Fatigue, WeaponEvent
from rulesets.ars_magica.turn import Round


def gain(rnd: Round, name: str, condition: str, rule: str, turns: int = 0, by: str = "") -> None:
    """A condition begins, unless it is there already; a stun only gives way to a longer one."""
    who = rnd.who(name)
    if who.dead:
        return
    if condition in who.conditions and (not turns or turns <= who.durations.get(condition, 0)):
        return
    rnd.emit(
        Condition(target=name, condition=condition, gained=True, turns=turns, by=by, rule=rule)
    )
    if condition in ("incapacitated", "unconscious", "coma"):
        drops_out(rnd, name)


def shed(rnd: Round, name: str, condition: str, rule: str) -> None:
    """A condition ends, if it is there."""
    if condition in rnd.who(name).conditions:
        rnd.emit(Condition(target=name, condition=condition, gained=False, rule=rule))


def drops_out(rnd: Round, name: str) -> None:
    """Somebody out of the fight holds nobody any more and goes on with nothing."""
    release(rnd, name)
    break_off(rnd, name)


def release(rnd: Round, holder: str, kinds: tuple[str, ...] = ("grappled", "pinned")) -> None:
    """The holds that somebody keeps end."""
    for other in rnd.fight.cast.values():
        if other.grappled_by == holder and "grappled" in kinds:
            shed(rnd, other.name, "grappled", "AM-NLC-21")
        if other.pinned_by == holder and "pinned" in kinds:
            shed(rnd, other.name, "pinned", "AM-NLC-16")


def break_off(rnd: Round, name: str, rule: str = "AM-RND-11") -> None:
    """An extended action under way comes to nothing."""
    going = rnd.who(name).extended
    if going is not None:
        rnd.emit(
            Extended(
                actor=name,
                action=going.action,
                phase="broken",
                done=going.done,
                of=going.of,
                rule=rule,
            )
        )


def tire(rnd: Round, name: str, levels: int, rule: str) -> None:
    """Fatigue levels lost; the last one is unconsciousness (AM-FAT-01)."""
    level = min(len(rnd.tables.fatigue) - 1, rnd.who(name).fatigue + levels)
    lost = level - rnd.who(name).fatigue
    if lost > 0:
        rnd.emit(Fatigue(actor=name, lost=lost, level=level, rule=rule))
    if level == len(rnd.tables.fatigue) - 1:
        gain(rnd, name, "unconscious", "AM-FAT-01")


def drop(rnd: Round, name: str, item: str, rule: str) -> None:
    """A weapon or a shield falls to the ground."""
    rnd.emit(WeaponEvent(actor=name, weapon=item, kind="dropped", rule=rule))
