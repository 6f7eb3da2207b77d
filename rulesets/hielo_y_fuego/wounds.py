"""What damage does: the defender's choice, wounds, defeat and its fate, death (HF-DMG)."""

from collections.abc import Sequence
from typing import Final

from rulesets.core.modifiers import Modifier
from rulesets.core.questions import Question
from rulesets.hielo_y_fuego.clauses import Blow as Suffered
from rulesets.hielo_y_fuego.clauses import Clause, read_clauses
from rulesets.hielo_y_fuego.events import (
    Condition,
    Damage,
    Death,
    Defeat,
    Dismounted,
    Loss,
    Wound,
)
from rulesets.hielo_y_fuego.fight import Character
from rulesets.hielo_y_fuego.turn import Round, gain, rule_on

ACCEPT: Final = Clause("accept")
NO_MINIMUM: Final = "none"
# What each fate brings (HF-DMG-09); ``kill`` is a death.
FATES: Final = {
    "spare": "spared",
    "capture": "captured",
    "unconscious": "unconscious",
    "maim": "maimed",
}


def figure(parts: Sequence[Modifier]) -> int:
    """Base damage: the sum of its parts, never under 1 (HF-DER-04)."""
    return max(1, sum([one.value for one in parts]))


def hurt(
    rnd: Round,
    actor: str,
    target: str,
    parts: tuple[Sequence[Modifier], Sequence[Modifier]],
    degrees: int,
    piercing: int = 0,
    *,
    vicious: bool = False,
) -> None:
    """Damage of a hit, and what the defender makes of it (HF-DMG-01 to -06).

    Base 4 with two degrees against armour 2: 4 × 2 − 2 = 6.

    Args:
        rnd: The round.
        actor: Whose hit it is; the target himself in a fumble.
        target: Who is hit.
        parts: Of the base damage, and of what is added after the degrees.
        degrees: Of success.
        piercing: Points of the armour rating that do not count (HF-DER-02, HF-QUA-04).
        vicious: Whether the weapon is Letal (HF-DMG-10).
    """
    base, added = parts
    each = figure(base)
    extra = sum([one.value for one in added])
    armor = max(0, rnd.who(target).armor_rating - piercing)
    amount = max(0, each * degrees + extra - armor)
    told = {one.source: one.value for one in (*base, *added)}
    rnd.emit(
        Damage(
            actor=actor,
            target=target,
            base=each,
            degrees=degrees,
            extra=extra,
            armor=armor,
            amount=amount,
            parts=told,
            rule="HF-DMG-01",
        )
    )
    if not amount:
        return
    suffer(rnd, actor, target, amount, vicious=vicious)
    if rnd.options.mount_hurt_by == "damage":
        frighten(rnd, target)


def suffer(rnd: Round, actor: str, target: str, amount: int, *, vicious: bool) -> None:
    """The defender's choice, and what it leaves of him."""
    choice = _choice(rnd, target, amount)
    who = rnd.who(target)
    match choice.choice:
        case "injury":
            count = _injuries(rnd, who, choice, amount)
            left = max(0, amount - count * who.sheet.ranks["endurance"])
            wound(rnd, target, "injury", count=count, taken=left, rule="HF-DMG-04")
            _lose(rnd, actor, target, left, vicious=vicious)
        case "wound":
            forced = choice.times == 0
            rule = "HF-DMG-05" if forced else "HF-DMG-06"
            wound(rnd, target, "wound", forced=forced, rule=rule)
        case _:
            _lose(rnd, actor, target, amount, vicious=vicious)


# ------------------------------------------------------------------ the choice


def _choice(rnd: Round, target: str, amount: int) -> Clause:
    """What the standing order says, the answer, or the table's own order (HF-DMG-02)."""
    who = rnd.who(target)
    suffered = Suffered(
        damage=amount,
        health=who.health,
        endurance=who.sheet.ranks["endurance"],
        injuries=who.injuries,
        wounds=who.wounds,
    )
    clauses = rnd.roles[target].clauses
    if clauses:
        return _carried_out(rnd, who, clauses, suffered)
    default = ACCEPT
    usual = rnd.options.default_damage_order
    if usual:
        read = read_clauses(tuple(usual.split("|")), rnd.tables)
        default = ACCEPT if isinstance(read, str) else _carried_out(rnd, who, read, suffered)
    answers = rnd.answers
    if not answers.given and not answers.asks(target):
        return default  # the table has settled it, and nobody is waiting to be asked
    return _asked(rnd, who, suffered, default)


def _carried_out(
    rnd: Round, who: Character, clauses: Sequence[Clause], suffered: Suffered
) -> Clause:
    """The first clause that calls and is available; else the damage is accepted."""
    for clause in clauses:
        if clause.calls(suffered):
            taken = _available(rnd, who, clause)
            if taken is not None:
                return taken
    return ACCEPT


def _available(rnd: Round, who: Character, clause: Clause) -> Clause | None:
    """The clause as it can be carried out, or None; a forced wound has ``times`` 0 (HF-DMG-05)."""
    endurance = who.sheet.ranks["endurance"]
    times = 1
    if clause.choice == "accept":
        return clause
    if clause.choice == "injury":
        if who.injuries < endurance:
            return clause
        if rnd.options.injury_overflow == "refuse":
            return None
        times = 0
    if who.wounds + 1 >= endurance and not clause.deadly:
        return None
    return Clause("wound", times, (), clause.deadly)


def _injuries(rnd: Round, who: Character, clause: Clause, amount: int) -> int:
    """How many injuries are taken: one, or as many as were said, fit and are of use (D11)."""
    if rnd.options.injuries_per_hit == "1":
        return 1
    endurance = who.sheet.ranks["endurance"]
    useful = -(-amount // endurance)
    return max(1, min(clause.times, endurance - who.injuries, useful))


def _asked(rnd: Round, who: Character, suffered: Suffered, default: Clause) -> Clause:
    """Ask the one who is hit, where nobody has said it ahead."""
    options = {"accept": ACCEPT}
    for name in ("injury", "wound"):
        taken = _available(rnd, who, Clause(name))
        if taken is not None and taken not in options.values():
            options[name] = taken
    chosen = next((name for name, one in options.items() if one == default), None)
    if chosen is None:  # the table's own order may say more than a bare choice
        options[default.choice] = default
        chosen = default.choice
    if len(options) < 2:
        return default
    question = Question(
        label=rnd.label(f"{who.name}.wounds"),
        who=who.name,
        options=tuple(options),
        default=chosen,
        rule="HF-DMG-02",
        facts={
            "amount": suffered.damage,
            "health": suffered.health,
            "endurance": suffered.endurance,
            "injuries": suffered.injuries,
            "wounds": suffered.wounds,
        },
    )
    return options[rnd.ask(question)]


# ------------------------------------------------------------------ what comes of it


def wound(
    rnd: Round,
    target: str,
    kind: str,
    *,
    rule: str,
    count: int = 1,
    taken: int = 0,
    forced: bool = False,
    actor: str = "",
) -> None:
    """Injuries or a wound; as many wounds as the endurance rank kill (HF-DMG-07)."""
    rnd.emit(
        Wound(
            actor=actor,
            target=target,
            kind=kind,
            count=count,
            taken=taken,
            forced=forced,
            rule=rule,
        )
    )
    who = rnd.who(target)
    if kind == "wound" and who.wounds >= who.sheet.ranks["endurance"]:
        die(rnd, target, "wounds", "HF-DMG-07")
    elif rnd.options.mount_hurt_by == "wound":
        frighten(rnd, target)


def impose(rnd: Round, target: str, kind: str, rule: str) -> None:
    """An injury or a wound that nobody chose and that reduces nothing (HF-CRT-02, HF-FUM-02)."""
    who = rnd.who(target)
    if who.out:
        return
    if kind == "injury" and who.injuries >= who.sheet.ranks["endurance"]:
        kind = "wound"
    wound(rnd, target, kind, forced=True, rule=rule)


def _lose(rnd: Round, actor: str, target: str, amount: int, *, vicious: bool) -> None:
    """Health that goes; at 0 he is defeated (HF-DMG-03)."""
    if not amount:
        return
    who = rnd.who(target)
    left = max(0, who.health - amount)
    rnd.emit(Loss(target=target, amount=who.health - left, left=left, rule="HF-DMG-03"))
    if left == 0:
        defeat(rnd, actor, target, vicious=vicious)


def defeat(rnd: Round, actor: str, target: str, *, vicious: bool) -> None:
    """Out of the fight, with the fate that the victor has in mind (HF-DMG-09).

    A Letal weapon maims at the least (HF-DMG-10); bare hands are no exception (HF-DMG-12).
    """
    rnd.emit(Defeat(actor=actor, target=target, rule="HF-DMG-09"))
    _unseat(rnd, target)
    fate = rnd.roles[actor].fates.of(target) if actor != target else ""
    if not fate:
        minimum = "maimed" if vicious else NO_MINIMUM
        rule_on(rnd, "defeat_fate", "HF-DMG-09", actor, target, minimum=minimum)
        return
    if fate == "kill":
        die(rnd, target, "fate", "HF-DMG-09", actor)
        return
    if vicious and fate != "maim":
        _befall(rnd, actor, target, "maimed", "HF-DMG-10")
    _befall(rnd, actor, target, FATES[fate], "HF-DMG-09")


def _befall(rnd: Round, actor: str, target: str, condition: str, rule: str) -> None:
    rnd.emit(Condition(actor=actor, target=target, condition=condition, gained=True, rule=rule))


def die(rnd: Round, target: str, cause: str, rule: str, actor: str = "") -> None:
    """Somebody dies."""
    rnd.emit(Death(actor=actor, target=target, cause=cause, rule=rule))
    _unseat(rnd, target)


# ------------------------------------------------------------------ mounts


def frighten(rnd: Round, beast: str) -> None:
    """A mount that is hurt must be controlled before anything else (HF-OTH-10)."""
    rider = rnd.fight.riders.get(beast)
    if rider and not rnd.who(beast).out:
        gain(rnd, rider, "mount_uncontrolled", "HF-OTH-10")


def _unseat(rnd: Round, beast: str) -> None:
    """A mount that dies or is defeated leaves its rider on foot (catalogue 3.3)."""
    rider = rnd.fight.riders.get(beast)
    if rider:
        rnd.emit(Dismounted(actor=beast, target=rider, rule="HF-OTH-10"))
        rule_on(rnd, "mount_down", "HF-OTH-10", rider, beast)
