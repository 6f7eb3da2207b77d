"""Attacks in melee: what each kind makes of a blow (AM-ATK, AM-SPC)."""

from rulesets.ars_magica import guarding, horses, movement
from rulesets.ars_magica.blow import (
    after,
    can_strike,
    exchange,
    hit,
    linked,
    make_blow,
    reaches,
    roll_attack,
)
from rulesets.ars_magica.declared import Intent
from rulesets.ars_magica.defence import cannot_exert, exert
from rulesets.ars_magica.events import BarrierSet, Counter
from rulesets.ars_magica.line import as_used
from rulesets.ars_magica.magic import fast_casts
from rulesets.ars_magica.missiles import fly
from rulesets.ars_magica.rows import Weapon
from rulesets.ars_magica.turn import Round, began, lose
from rulesets.ars_magica.wounds import Hit


def assault(
    rnd: Round, intent: Intent, target: str, weapon: Weapon, kind: str, **more: object
) -> Hit:
    """One melee attack from beginning to end (catalogue 4, *A melee attack*)."""
    fast_casts(rnd, target, intent.actor)
    target = guarding.in_the_way(rnd, intent, target, missile=False)
    if not target or rnd.who(intent.actor).out:
        return Hit()
    began(rnd, intent)
    was_engaged = linked(rnd, intent.actor, target)
    blow = make_blow(rnd, intent, target, weapon, kind, **more)
    met = exchange(rnd, blow)
    done = hit(rnd, blow, met)
    if kind == "charge" and weapon.polearm and met.advantage <= 0:
        bonus = rnd.tables.figure("counter")
        rnd.emit(Counter(actor=target, target=intent.actor, bonus=bonus, rule="AM-SPC-10"))
    after(rnd, blow, was_engaged=was_engaged, hurt=done.hurt)
    return done


def armed(rnd: Round, intent: Intent) -> Weapon:
    """The weapon of an action as it serves in melee."""
    weapon = intent.weapon or rnd.tables.weapons["fist"]
    return as_used(rnd.fight, rnd.who(intent.actor), weapon)


def _ready(rnd: Round, intent: Intent) -> bool:
    raw = intent.weapon or rnd.tables.weapons["fist"]
    return can_strike(rnd, intent, intent.target, raw) and reaches(rnd, intent, intent.target)


def attack(rnd: Round, intent: Intent) -> None:
    """A plain attack (AM-ATK-01)."""
    if _ready(rnd, intent):
        assault(rnd, intent, intent.target, armed(rnd, intent), "melee")


def can_pay(rnd: Round, intent: Intent, payer: str) -> bool:
    """Whether an exertion can be paid for; if not, the action is lost (AM-FAT-02)."""
    reason = cannot_exert(rnd.who(payer))
    if reason:
        lose(rnd, intent, reason, "AM-FAT-02")
    return not reason


def great_blow(rnd: Round, intent: Intent) -> None:
    """A fatigue level for the combat ability once more (AM-SPC-11)."""
    if not _ready(rnd, intent) or not can_pay(rnd, intent, intent.actor):
        return
    began(rnd, intent)
    weapon = armed(rnd, intent)
    relief = exert(rnd, intent.actor, "great_blow", "AM-SPC-11")
    bonus = rnd.who(intent.actor).score(weapon.ability, weapon.id)
    assault(rnd, intent, intent.target, weapon, "great_blow", bonus=bonus, relief=relief)


def keep_at_bay(rnd: Round, intent: Intent) -> None:
    """An Attack Total that is a barrier until his next turn, and no damage (AM-SPC-12)."""
    if not _ready(rnd, intent):
        return
    began(rnd, intent)
    was_engaged = linked(rnd, intent.actor, intent.target)
    blow = make_blow(rnd, intent, intent.target, armed(rnd, intent), "keep_at_bay")
    rolled = roll_attack(rnd, blow)
    against = rnd.fight.unit(intent.target)
    rnd.emit(BarrierSet(actor=intent.actor, target=against, total=rolled.total, rule="AM-SPC-12"))
    if not was_engaged:
        horses.engaged(rnd, intent.target)


def multiple(rnd: Round, intent: Intent) -> None:
    """Several attacks in one action (AM-SPC-01 to AM-SPC-03)."""
    raw = intent.weapon or rnd.tables.weapons["fist"]
    weapon = armed(rnd, intent)
    for part, target in enumerate(intent.targets):
        if rnd.who(intent.actor).out:
            return
        if can_strike(rnd, intent, target, raw) and reaches(rnd, intent, target):
            assault(rnd, intent, target, weapon, "multiple", part=part)


def charge(rnd: Round, intent: Intent) -> None:
    """Up to a run, then a blow with the ability once more (AM-SPC-04 to AM-SPC-10)."""
    path = _course(rnd, intent)
    if path is None:
        return
    departure = movement.depart(rnd, intent, keeping=(intent.target,))
    if not departure.free:
        return
    began(rnd, intent)
    relief = exert(rnd, intent.actor, "charge", "AM-SPC-06")
    movement.go(rnd, intent, path, departure.leaving, charges=True)
    if rnd.who(intent.actor).out:
        return
    if (intent.actor, intent.target) in rnd.evaded:
        lose(rnd, intent, "target_evaded", "AM-SPC-16")
        return
    _run_home(rnd, intent, relief)
    movement.close(rnd, intent.actor)


def _course(rnd: Round, intent: Intent) -> movement.Way | None:
    """The way of a charge that can be made and paid for; without one it is lost."""
    raw = intent.weapon or rnd.tables.weapons["fist"]
    if not can_strike(rnd, intent, intent.target, raw):
        return None
    path = movement.charge_path(rnd, rnd.who(intent.actor), intent.target)
    if path is None:
        lose(rnd, intent, "out_of_reach", "AM-SPC-04")
        return None
    reason, rule = movement.cannot_move(rnd, intent.actor)
    if reason:
        lose(rnd, intent, reason, rule)
        return None
    return path if can_pay(rnd, intent, intent.actor) else None


def _run_home(rnd: Round, intent: Intent, relief: int) -> None:
    """The blow or the throw at the end of the run; hindered by the ground (AM-SPC-08)."""
    raw = intent.weapon or rnd.tables.weapons["fist"]
    weapon = raw if raw.kind == "thrown" else armed(rnd, intent)
    who = rnd.who(intent.actor)
    bonus = 0 if rnd.fight.is_terrain(who, "difficult") else who.score(weapon.ability, weapon.id)
    if weapon.kind == "thrown":
        # Thrown as he gets there; then they are at it (AM-SPC-05, D49).
        fly(rnd, intent, intent.target, weapon, "charge", bonus=bonus, relief=relief)
    else:
        assault(rnd, intent, intent.target, weapon, "charge", bonus=bonus, relief=relief)
