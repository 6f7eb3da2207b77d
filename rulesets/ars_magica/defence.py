"""Defence rolls, and what is paid for them (AM-ATK-02, AM-ATK-11, AM-MIS-13, AM-SPC-15).

Defences are reactions: no limit, at any time, even before his first turn (AM-RND-13).
"""

from typing import Final

from rulesets.ars_magica.events import Defence, Fatigue
from rulesets.ars_magica.fight import HELPLESS, Character, penalty_of
from rulesets.ars_magica.line import in_melee
from rulesets.ars_magica.modifiers import (
    ACTIVE_DEFENCE,
    ATTACK,
    DESPERATE,
    MELEE_DEFENCE,
    PASSIVE_DEFENCE,
    Blow,
    Ward,
    ability,
    guard_of,
    penalty,
    sum_of,
    trait,
)
from rulesets.ars_magica.rolls import Stress, botched, hazard, stress
from rulesets.ars_magica.turn import Round
from rulesets.core.modifiers import Modifier, Total, total
from rulesets.core.records import dataclass

LAST_LEVEL: Final = 5  # unconscious (AM-FAT-01)


@dataclass(frozen=True, slots=True)
class Guarded:
    """A defence as it came out."""

    total: int
    botched: bool = False


# ------------------------------------------------------------------ exertion


def cannot_exert(who: Character) -> str:
    """Why somebody may not exert himself now, or an empty string (AM-FAT-02)."""
    if who.exertion:
        return "exertion_already_used"
    return "no_fatigue_left" if who.fatigue + 1 >= LAST_LEVEL else ""


def exert(rnd: Round, name: str, cause: str, rule: str) -> int:
    """Pay a fatigue level for an exertion.

    Returns:
        What the new penalty must be relieved by on this very roll, where a table plays it so (D12).
    """
    who = rnd.who(name)
    level = who.fatigue + 1
    before = who.penalty
    rnd.emit(Fatigue(actor=name, lost=1, level=level, cause=cause, rule=rule))
    if rnd.options.exertion_penalty == "before":
        return 0
    return before - penalty_of(who.wounds, who.bruises, level, rnd.tables)


def desperate(rnd: Round, name: str) -> tuple[bool, int]:
    """Whether a desperate defence counts on this roll, paid now or before, and its relief.

    Defenders of others may exert themselves like anybody (AM-DEF-07).
    """
    who = rnd.who(name)
    if who.exertion == DESPERATE:
        return True, 0
    if rnd.order(name, DESPERATE) is None:
        return False, 0
    reason = cannot_exert(who)
    if reason:
        rnd.refuse_order(name, DESPERATE, reason, "AM-FAT-02")
        return False, 0
    return True, exert(rnd, name, DESPERATE, "AM-SPC-15")


# ------------------------------------------------------------------ rolls


def in_melee_against(rnd: Round, blow: Blow) -> Guarded:
    """The defence against a blow from near."""
    who = blow.target
    if not who.conditions.isdisjoint(HELPLESS):
        return _helpless(rnd, blow)
    counts, relief = desperate(rnd, who.name)
    ward = Ward(
        rnd,
        rnd.who(who.name),
        rnd.who(blow.actor.name),
        guard_of(rnd, who),
        desperate=counts,
        relief=relief,
    )
    return _rolled(rnd, blow, "melee", total(MELEE_DEFENCE, ward), ward.guard.ability)


def _helpless(rnd: Round, blow: Blow) -> Guarded:
    """-10 without a roll (AM-ATK-11)."""
    value = rnd.tables.figure("helpless")
    if blow.target.conditions & HELPLESS == {"blocked"}:
        value = rnd.options.blocked_defence
    return _unrolled(rnd, blow, "helpless", value, "AM-ATK-11")


def reckless(rnd: Round, blow: Blow) -> Guarded:
    """Nothing at all: he turns his back on them (AM-DIS-12)."""
    return _unrolled(rnd, blow, "reckless", 0, "AM-DIS-12")


def against_missile(rnd: Round, blow: Blow) -> Guarded:
    """Active if he is aware of it, else passive (AM-MIS-13, AM-MIS-14)."""
    who, attacker = blow.target, rnd.who(blow.actor.name)
    guard = guard_of(rnd, who)
    if "unaware" in who.conditions or not who.conditions.isdisjoint(HELPLESS):
        ward = Ward(rnd, who, attacker, guard, missile=True, uncovered=blow.uncovered)
        value = total(PASSIVE_DEFENCE, ward).value
        return _unrolled(rnd, blow, "passive", value, "AM-MIS-14")
    counts, relief = desperate(rnd, who.name)
    ward = Ward(
        rnd,
        rnd.who(who.name),
        attacker,
        guard,
        missile=True,
        uncovered=blow.uncovered,
        desperate=counts,
        relief=relief,
    )
    return _rolled(rnd, blow, "active", total(ACTIVE_DEFENCE, ward), guard.ability)


def resisting(rnd: Round, blow: Blow, how: str) -> Guarded:
    """What a standing order puts in place of the Defence Total (AM-NLC-24)."""
    who = blow.target
    if not who.conditions.isdisjoint(HELPLESS):
        return _helpless(rnd, blow)
    if how == "weapon":
        weapon = in_melee(rnd.fight, who)
        back = Blow(
            rnd,
            who,
            blow.actor,
            weapon,
            "resist",
            ability=weapon.ability,
            reaction=True,
        )
        return _rolled(rnd, blow, "resist", total(ATTACK, back), weapon.ability)
    skill = "ride" if how == "ride" else "brawl"
    name = "strength" if how == "strength" else "dexterity"
    size = who.sheet.size
    held = rnd.tables.figures["held"]
    against = sum_of(
        trait(who, name, "AM-NLC-24"),
        ability(who, skill, "AM-NLC-24"),
        Modifier(size, "size", "AM-NLC-24") if size and how != "ride" else None,
        Modifier(held.value, "held", held.rule) if "grappled" in who.conditions else None,
        penalty(who),
    )
    return _rolled(rnd, blow, "resist", against, skill)


def _rolled(rnd: Round, blow: Blow, kind: str, against: Total, skill: str) -> Guarded:
    name = blow.target.name
    rolled = stress(rnd, name, "defence", against, skill)
    _tell(rnd, blow, kind, rolled)
    botched(rnd, name, "defence", rolled)
    hazard(rnd, name, rolled)
    return Guarded(rolled.total, bool(rolled.zeros))


def _tell(rnd: Round, blow: Blow, kind: str, rolled: Stress) -> None:
    rnd.emit(
        Defence(
            actor=blow.target.name,
            against=blow.actor.name,
            kind=kind,
            total=rolled.total,
            result=rolled.result,
            label=rolled.label,
            die=rolled.die,
            limit=rolled.limit,
            rule=_RULES[kind],
        )
    )


_RULES: Final = {"melee": "AM-ATK-02", "active": "AM-MIS-13", "resist": "AM-NLC-24"}


def _unrolled(rnd: Round, blow: Blow, kind: str, value: int, rule: str) -> Guarded:
    rnd.emit(
        Defence(actor=blow.target.name, against=blow.actor.name, kind=kind, total=value, rule=rule)
    )
    return Guarded(value)
