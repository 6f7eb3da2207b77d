"""What riders do: charge, mount, leap, hold a frightened horse (AM-MNT)."""

from rulesets.ars_magica import horses, movement
from rulesets.ars_magica.attack import armed, assault, can_pay
from rulesets.ars_magica.blow import can_strike
from rulesets.ars_magica.conditions import gain, shed
from rulesets.ars_magica.declared import Intent
from rulesets.ars_magica.defence import exert
from rulesets.ars_magica.events import Dismounted, Mounted, Quick
from rulesets.ars_magica.modifiers import ability, guard_of, penalty, sum_of, trait
from rulesets.ars_magica.rolls import check, passed
from rulesets.ars_magica.turn import Round, began, lose
from rulesets.ars_magica.wounds import Hit
from rulesets.core.modifiers import Modifier


def mounted_charge(rnd: Round, intent: Intent) -> None:
    """The horse runs, the rider strikes, the shock may throw down (AM-MNT-08 to AM-MNT-15)."""
    path = _course(rnd, intent)
    if path is None:
        return
    departure = movement.depart(rnd, intent, keeping=(intent.target,))
    if not departure.free:
        return
    began(rnd, intent)
    mount = rnd.who(intent.actor).mounted_on
    by_rider = intent.item == "rider"
    payer, rule = (intent.actor, "AM-MNT-11") if by_rider else (mount, "AM-MNT-10")
    relief = exert(rnd, payer, "charge", rule)
    rnd.roles[mount].charged = True
    movement.go(rnd, intent, path, departure.leaving, mover=mount, charges=True)
    if rnd.who(intent.actor).out or not rnd.who(intent.actor).mounted_on:
        return
    if (intent.actor, intent.target) in rnd.evaded:
        lose(rnd, intent, "target_evaded", "AM-SPC-16")
        return
    _strike_home(rnd, intent, mount, relief if by_rider else 0, by_rider=by_rider)
    movement.close(rnd, mount)


def _course(rnd: Round, intent: Intent) -> movement.Way | None:
    """The way of a charge that can be made and paid for; without one it is lost."""
    mount = rnd.who(intent.actor).mounted_on
    reason, rule = _cannot_charge(rnd, intent, mount)
    if reason:
        lose(rnd, intent, reason, rule)
        return None
    weapon = intent.weapon or rnd.tables.weapons["fist"]
    if not can_strike(rnd, intent, intent.target, weapon):
        return None
    path = movement.charge_path(rnd, rnd.who(mount), intent.target, intent.pace)
    if path is None:
        lose(rnd, intent, "out_of_reach", "AM-MNT-08")
        return None
    payer = intent.actor if intent.item == "rider" else mount
    return path if can_pay(rnd, intent, payer) else None


def _cannot_charge(rnd: Round, intent: Intent, mount: str) -> tuple[str, str]:
    """What keeps a horse from charging, with the rule (AM-MNT-25)."""
    if not mount:
        return "not_mounted", "AM-MNT-08"
    horse = rnd.who(mount)
    if horse.max_gait or movement.gait_limited(horse, intent.pace):
        return "charge_aborted", "AM-MNT-25"
    return movement.cannot_move(rnd, mount)


def _strike_home(rnd: Round, intent: Intent, mount: str, relief: int, *, by_rider: bool) -> None:
    """The blow at the end of a mounted charge, and its shock (AM-MNT-09, AM-MNT-11)."""
    weapon = armed(rnd, intent)
    who = rnd.who(intent.actor)
    hindered = rnd.fight.is_terrain(rnd.who(mount), "difficult") and not by_rider
    bonus = 0 if hindered else who.score(weapon.ability, weapon.id)
    done = assault(rnd, intent, intent.target, weapon, "mounted_charge", bonus=bonus, relief=relief)
    if done.victim and not by_rider:
        _shock(rnd, done, mount)


def _shock(rnd: Round, done: Hit, mount: str) -> None:
    """Whoever is smaller than the horse may be thrown down (AM-MNT-12 to AM-MNT-15)."""
    victim, horse = rnd.who(done.victim), rnd.who(mount)
    if victim.sheet.size >= horse.sheet.size or victim.dead:
        return
    if not victim.out and _withstands(rnd, done, horse.sheet.size):
        return
    if victim.mounted_on:
        horses.fall(rnd, victim.name)
    else:
        gain(rnd, victim.name, "prone", "AM-MNT-15")


def _withstands(rnd: Round, done: Hit, size: int) -> bool:
    who = rnd.who(done.victim)
    if who.mounted_on:
        skill = "ride"
        saddle = rnd.tables.figures.get(f"saddle_{who.sheet.saddle}")
        against = sum_of(
            trait(who, "dexterity", "AM-MNT-13"),
            ability(who, "ride", "AM-MNT-13"),
            Modifier(saddle.value, f"saddle_{who.sheet.saddle}", saddle.rule) if saddle else None,
            penalty(who),
        )
    else:
        guard = guard_of(rnd, who)
        skill = guard.ability
        own = who.sheet.size
        against = sum_of(
            trait(who, "strength", "AM-MNT-13"),
            Modifier(own, "own_size", "AM-MNT-13") if own else None,
            ability(who, guard.ability, "AM-MNT-13", guard.weapon),
            penalty(who),
        )
    ease = done.total + size
    rolled = check(rnd, who.name, "resist_charge", against, ease, "AM-MNT-13", skill)
    return passed(rolled, ease)


def mount(rnd: Round, intent: Intent) -> None:
    """Up into the saddle (AM-MNT-36)."""
    who, horse = rnd.who(intent.actor), rnd.who(intent.target)
    far = rnd.fight.distance(who, horse) > rnd.tables.figure("reach")
    reason, rule = movement.cannot_move(rnd, intent.actor)
    if not reason and (far or horse.ridden_by or horse.out or who.mounted_on):
        reason, rule = "out_of_reach", "AM-MNT-36"
    if reason:
        lose(rnd, intent, reason, rule)
        return
    began(rnd, intent)
    rnd.emit(Mounted(actor=intent.actor, mount=intent.target, rule="AM-MNT-36"))


def dismount(rnd: Round, intent: Intent) -> None:
    """Down from the saddle (AM-MNT-36)."""
    horse = rnd.who(intent.actor).mounted_on
    if not horse:
        lose(rnd, intent, "not_mounted", "AM-MNT-36")
        return
    began(rnd, intent)
    rnd.emit(Dismounted(actor=intent.actor, mount=horse, rule="AM-MNT-36"))


def leap(rnd: Round, intent: Intent) -> None:
    """Out of the saddle of his own accord; failing is falling (AM-MNT-37)."""
    if not rnd.who(intent.actor).mounted_on:
        lose(rnd, intent, "not_mounted", "AM-MNT-37")
        return
    began(rnd, intent)
    rnd.emit(Quick(actor=intent.actor, action="leap", rule="AM-MNT-37"))
    if not horses.leaps(rnd, intent.actor):
        horses.fall(rnd, intent.actor)


def fall_off(rnd: Round, intent: Intent) -> None:
    """Letting oneself fall, with the damage (AM-MNT-30)."""
    if not rnd.who(intent.actor).mounted_on:
        lose(rnd, intent, "not_mounted", "AM-MNT-30")
        return
    began(rnd, intent)
    horses.fall(rnd, intent.actor)


def control_mount(rnd: Round, intent: Intent) -> None:
    """Another try to hold a horse in panic (AM-MNT-28)."""
    name = rnd.who(intent.actor).mounted_on
    if not name:
        lose(rnd, intent, "not_mounted", "AM-MNT-28")
        return
    began(rnd, intent)
    horse = rnd.who(name)
    if "panicked" in horse.conditions and horses.controls(rnd, intent.actor, horse):
        shed(rnd, name, "panicked", "AM-MNT-28")
