"""The counterattack held in reserve, and what sets it off (HF-ADV-07)."""

from rulesets.hielo_y_fuego.attack import dishonour, strike
from rulesets.hielo_y_fuego.blow import Blow
from rulesets.hielo_y_fuego.declared import Intent
from rulesets.hielo_y_fuego.events import Condition, Counterattack, Ready
from rulesets.hielo_y_fuego.fight import Character
from rulesets.hielo_y_fuego.rows import Weapon
from rulesets.hielo_y_fuego.turn import Round, gain


def counterattack(rnd: Round, intent: Intent) -> None:
    """He waits for the first rival who comes, perhaps for one only."""
    gain(rnd, intent.actor, "counterattacking", "HF-ADV-07", intent.actor)
    rnd.emit(
        Ready(actor=intent.actor, target=intent.target, weapon=intent.arms.name, rule="HF-ADV-07")
    )


def waiting(rnd: Round, rival: str) -> list[Character]:
    """Who holds a counterattack against somebody, the highest initiative first."""
    fight = rnd.fight
    side = fight.cast[rival].side
    return [
        who
        for who in map(fight.cast.__getitem__, fight.order)
        if "counterattacking" in who.conditions
        and who.side != side
        and who.counter_target in ("", rival)
        and not who.senseless
        and not who.pinned
        and "mount_uncontrolled" not in who.conditions
    ]


def weapon_of(rnd: Round, who: Character) -> Weapon | None:
    """The weapon of the counterattack, where it is still at hand and loaded."""
    name = who.counter_weapon
    if name == rnd.tables.fist.name:
        return rnd.tables.fist
    if name not in who.in_hand or name in who.unloaded:
        return None
    return who.owned(name)


def comes_near(rnd: Round, who: Character, rival: str, weapon: Weapon, before: int) -> bool:
    """Whether a rival's own movement has brought him into contact, or into range."""
    edge = weapon.span if weapon.missile else weapon.reach
    return rnd.fight.distance(who.name, rival) <= edge < before


def set_off(rnd: Round, who: Character, rival: str, weapon: Weapon, *, charging: bool) -> None:
    """The counterattack, in the middle of the rival's action."""
    name = who.name
    rnd.emit(Counterattack(actor=name, target=rival, rule="HF-ADV-07"))
    rnd.emit(
        Condition(
            actor=name, target=name, condition="counterattacking", gained=False, rule="HF-ADV-07"
        )
    )
    dishonour(rnd, name)
    strike(rnd, Blow(rnd, name, rival, weapon, "counterattack", against_charge=charging))


def passed_by(rnd: Round, rival: str, whom: str) -> None:
    """A rival who passes by is in contact at that moment (catalogue 3.3)."""
    for who in waiting(rnd, rival):
        if who.name != whom or rnd.who(rival).senseless:
            continue
        weapon = weapon_of(rnd, who)
        if weapon is not None:
            set_off(rnd, who, rival, weapon, charging=False)


def came(rnd: Round, rival: str, before: dict[str, int], *, charging: bool = False) -> None:
    """A rival has moved: whoever waited for that strikes at once.

    Args:
        rnd: The round.
        rival: Who has moved.
        before: His distance from each who waits, before the movement.
        charging: Whether he charges.
    """
    for name, metres in before.items():
        who = rnd.who(name)
        if rnd.who(rival).senseless or "counterattacking" not in who.conditions:
            continue
        weapon = weapon_of(rnd, who)
        if weapon is not None and comes_near(rnd, who, rival, weapon, metres):
            set_off(rnd, who, rival, weapon, charging=charging)


def distances(rnd: Round, rival: str) -> dict[str, int]:
    """How far a rival is from each who waits with a counterattack."""
    return {who.name: rnd.fight.distance(who.name, rival) for who in waiting(rnd, rival)}
