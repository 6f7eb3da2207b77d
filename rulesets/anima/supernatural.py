"""Spells, powers, zeon and supernatural shields (AN-SUP, AN-SHD)."""

from typing import Final

from rulesets.anima.attack import deliver, has_fallen, retarget
from rulesets.anima.blow import POINT_BLANK_CM, Blow
from rulesets.anima.declared import ATTACK, SUPERNATURAL, Intent
from rulesets.anima.events import Accumulate, Cast, Potential, ShieldChange
from rulesets.anima.modifiers import POTENTIAL, Doing, gather
from rulesets.anima.rolls import fumbled, throw
from rulesets.anima.sheet import Ability
from rulesets.anima.turn import Round, lose
from rulesets.anima.wounds import affordable, spend_fatigue

ZEON_EACH: Final = 15  # AN-FAT-07


def accumulate(rnd: Round, intent: Intent) -> None:
    """Gather ACT: half of it, fatigue included, in an assault with an attack (AN-SUP-07)."""
    who, role = rnd.who(intent.actor), rnd.roles[intent.actor]
    points = affordable(rnd, intent.actor, intent.fatigue)
    amount = who.sheet.act + ZEON_EACH * points
    if who.sheet.needs_gestures and (role.plan is not None or ATTACK in role.opened):
        amount //= 2
    spend_fatigue(rnd, intent.actor, points)
    value = who.zeon_accumulated + amount
    rnd.emit(Accumulate(actor=intent.actor, amount=amount, value=value, rule="AN-SUP-07"))


def cast(rnd: Round, intent: Intent) -> None:
    """A spell: its zeon, then its roll of projection; an active (AN-SUP-01, AN-SUP-06, -07)."""
    ability = _ability(intent)
    targets = _targets(rnd, intent, ability)
    if not targets:
        lose(rnd, intent, "target_down", "AN-WEB-03")
        return
    left = rnd.who(intent.actor).zeon_accumulated - ability.cost
    if left < 0:
        lose(rnd, intent, "insufficient_zeon", "AN-SUP-07")
        return
    rnd.roles[intent.actor].open(SUPERNATURAL)
    rnd.emit(
        Cast(
            actor=intent.actor,
            ability=ability.name,
            cost=ability.cost,
            left=left,
            rule="AN-SUP-02",
        )
    )
    _project(rnd, intent, ability, targets)


def power(rnd: Round, intent: Intent) -> None:
    """A power: its roll of potential, then its roll of projection (AN-SUP-08)."""
    ability = _ability(intent)
    targets = _targets(rnd, intent, ability)
    if not targets:
        lose(rnd, intent, "target_down", "AN-WEB-03")
        return
    name = intent.actor
    against = gather(POTENTIAL, Doing(rnd, rnd.who(name)))
    thrown = throw(rnd, name, "potential", against)
    rnd.roles[name].open(SUPERNATURAL)
    enough = not thrown.fumble and thrown.total >= ability.least
    result = "success" if enough else "failure"
    rnd.emit(
        Potential(
            actor=name,
            ability=ability.name,
            total=0 if thrown.fumble else thrown.total,
            level="" if thrown.fumble else rnd.tables.level_of(thrown.total),
            result="fumble" if thrown.fumble else result,
            label=thrown.label,
            limit=thrown.ability,
            rule="AN-SUP-08",
        )
    )
    if thrown.fumble:
        fumbled(rnd, name, "potential", "AN-FUM-01")
    if not enough:
        return
    left = rnd.who(name).zeon_accumulated
    rnd.emit(Cast(actor=name, ability=ability.name, left=left, rule="AN-SUP-08"))
    _project(rnd, intent, ability, targets)


def _ability(intent: Intent) -> Ability:
    if intent.ability is None:
        raise ValueError(intent.action.id)
    return intent.ability


def _targets(rnd: Round, intent: Intent, ability: Ability) -> tuple[str, ...]:
    """Whom it is for now: those still up, of an area; another enemy, where one has fallen (D44)."""
    standing = tuple(name for name in intent.targets if not has_fallen(rnd, name))
    if standing or (ability.area and len(intent.targets) > 1):
        return standing
    found = retarget(rnd, intent, intent.targets[0], 0, anywhere=True)
    return (found,) if found else ()


def _project(rnd: Round, intent: Intent, ability: Ability, targets: tuple[str, ...]) -> None:
    """One roll of projection, and what it meets; never by somebody who answers (AN-SUP-03)."""
    far = rnd.fight.distance(intent.actor, targets[0])
    blow = Blow(
        actor=intent.actor,
        target=targets[0],
        kind="supernatural",
        ability=ability,
        intent=intent,
        zone=intent.zones[0],
        token=intent,
        distance_cm=far,
        point_blank=far < POINT_BLANK_CM,
    )
    deliver(rnd, blow, targets)


def place_shield(rnd: Round, intent: Intent) -> None:
    """A shield is placed on somebody else, where it stays (AN-SHD-11)."""
    who = rnd.who(intent.actor)
    target = intent.targets[0]
    if rnd.who(target).down:
        lose(rnd, intent, "target_down", "AN-SHD-11")
        return
    rnd.emit(
        ShieldChange(
            actor=intent.actor,
            shield=who.sheet.shields[intent.shield].name,
            points=who.shields[intent.shield],
            target=target,
            result="placed",
            rule="AN-SHD-11",
        )
    )
    rnd.roles[intent.actor].open("place_shield")
