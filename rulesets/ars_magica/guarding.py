"""Action priority, and defending another (AM-OPP-08 to AM-OPP-12, AM-DEF)."""

from collections.abc import Sequence

from rulesets.ars_magica.conditions import break_off
from rulesets.ars_magica.declared import Intent
from rulesets.ars_magica.events import Engage, Extended, Intercept, Priority, Retarget
from rulesets.ars_magica.fight import HELPLESS, Character
from rulesets.ars_magica.line import in_melee
from rulesets.ars_magica.modifiers import guard_of, priority_total
from rulesets.ars_magica.rolls import TEN, stress
from rulesets.ars_magica.turn import Round, began, lose
from rulesets.core.questions import Question
from rulesets.core.records import dataclass


@dataclass(frozen=True, slots=True)
class Contender:
    """One side of a contest of priority: who rolls, with which ability and weapon."""

    name: str
    ability: str
    weapon: str = ""


# ------------------------------------------------------------------ priority


def contender(rnd: Round, intent: Intent) -> Contender:
    """Who rolls for an action and with what (AM-OPP-11, AM-OPP-14)."""
    rider = rnd.who(intent.actor).ridden_by
    if rider:
        return Contender(rider, "ride")
    skill = intent.action.priority
    if skill:
        return Contender(intent.actor, skill)
    weapon = intent.weapon or in_melee(rnd.fight, rnd.who(intent.actor))
    return Contender(intent.actor, weapon.ability, weapon.id)


def contest(rnd: Round, contenders: Sequence[Contender]) -> list[str]:
    """Roll priority, in the order given; the highest first, ties by Quickness, then by chance."""
    totals: dict[str, int] = {}
    for one in contenders:
        against = priority_total(rnd.who(one.name), one.ability, one.weapon)
        rolled = stress(rnd, one.name, "priority", against)
        totals[one.name] = rolled.total
        rnd.emit(
            Priority(
                actor=one.name,
                total=rolled.total,
                label=rolled.label,
                die=rolled.die,
                limit=rolled.limit,
                rule="AM-OPP-08",
            )
        )

    def key(name: str) -> tuple[int, int]:
        return totals[name], rnd.who(name).sheet.characteristics["quickness"]

    found: list[str] = []
    for figure in sorted({key(name) for name in totals}, reverse=True):
        found += _drawn(rnd, [name for name in totals if key(name) == figure])
    return found


def _drawn(rnd: Round, names: list[str]) -> list[str]:
    """Equal in all: a simple die each, the highest first (AM-OPP-10, AM-DIE-01)."""
    if len(names) < 2:
        return names
    faces = {name: rnd.roll(name, "random", (TEN,)).faces[0] for name in names}
    found: list[str] = []
    for face in sorted(set(faces.values()), reverse=True):
        alike = [name for name in names if faces[name] == face]
        # All alike again: another throw, unless the dice will never part them.
        found += _drawn(rnd, alike) if len(alike) < len(names) else sorted(alike)
    return found


# ------------------------------------------------------------------ defending another


def defend(rnd: Round, intent: Intent) -> None:
    """An extended action of one round: he puts himself before another (AM-DEF-01)."""
    who, ward = rnd.who(intent.actor), rnd.who(intent.target)
    if rnd.fight.distance(who, ward) > rnd.tables.figure("reach"):
        lose(rnd, intent, "ward_out_of_reach", "AM-DEF-09")
        return
    began(rnd, intent)
    rnd.emit(
        Extended(
            actor=intent.actor,
            action="defend",
            phase="started",
            of=1,
            ward=intent.target,
            rule="AM-DEF-01",
        )
    )


def is_defending(who: Character) -> bool:
    """Whether somebody defends another and can."""
    going = who.extended
    if going is None or going.action != "defend" or who.dead:
        return False
    return who.conditions.isdisjoint(HELPLESS)


def in_the_way(rnd: Round, intent: Intent, target: str, *, missile: bool) -> str:
    """Whom an attack meets after the defenders of its target have tried (AM-DEF-02 to -06).

    Returns:
        The target, the defender who got between, or an empty string where the action is lost.
    """
    attacker = rnd.who(intent.actor)
    defenders = [one for one in rnd.fight.cast.values() if one.extended is not None]
    for who in sorted(defenders, key=lambda one: rnd.fight.rank(one.name)):
        if not _covers(rnd, who, attacker, target, missile=missile):
            continue
        if not intercepts(rnd, who, attacker.name, target, contender(rnd, intent)):
            continue
        if _gives_up(rnd, intent, who.name):
            lose(rnd, intent, "intercepted", "AM-DEF-03")
            _engage(rnd, attacker.name, who.name)
            return ""
        rnd.emit(Retarget(actor=attacker.name, from_=target, to=who.name, rule="AM-DEF-03"))
        return who.name
    return target


def _covers(rnd: Round, who: Character, attacker: Character, target: str, *, missile: bool) -> bool:
    """Whether somebody defends this target against this attacker here.

    Shots too, but not from behind the ward (AM-DEF-05, AM-DEF-06); and no longer against an enemy
    whom the ward has attacked (AM-DEF-08).
    """
    going = who.extended
    if going is None or not is_defending(who) or going.ward != target:
        return False
    if who.side == attacker.side:
        return False
    fight, ward = rnd.fight, rnd.who(target)
    if fight.distance(who, ward) > rnd.tables.figure("reach"):
        return False
    if missile:
        return fight.scene.flank.get((attacker.name, target)) != "back"
    enemy = fight.unit(attacker.name)
    return not (enemy in ward.pressed and enemy in ward.engaged)


def intercepts(rnd: Round, who: Character, enemy: str, ward: str, against: Contender) -> bool:
    """A defender's try: both roll priority (AM-DEF-02)."""
    guard = guard_of(rnd, who)
    order = contest(rnd, (Contender(who.name, guard.ability, guard.weapon), against))
    won = order[0] == who.name
    rnd.emit(
        Intercept(
            actor=who.name,
            target=enemy,
            ward=ward,
            result="success" if won else "failure",
            rule="AM-DEF-02",
        )
    )
    if not won and rnd.options.failed_intercept_ends_defence:
        break_off(rnd, who.name, "AM-DEF-04")
    return won


def _gives_up(rnd: Round, intent: Intent, defender: str) -> bool:
    """Whether the intercepted one loses his action rather than attack the defender."""
    order = rnd.order(intent.actor, "intercepted")
    if order is not None:
        return "renounce" in order.flags
    answer = rnd.ask(
        Question(
            label=rnd.label(f"{intent.actor}.intercepted"),
            who=intent.actor,
            options=("attack", "renounce"),
            default="attack",
            rule="AM-DEF-03",
            facts={"target": defender},
        )
    )
    return answer == "renounce"


def _engage(rnd: Round, one: str, other: str) -> None:
    fight = rnd.fight
    if fight.unit(other) not in fight.cast[fight.unit(one)].engaged:
        rnd.emit(Engage(actor=one, target=other, kind="melee", rule="AM-DEF-03"))
