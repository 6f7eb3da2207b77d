"""Weapons in hand: drawing, picking up, readying, aiming (AN-DRW, AN-RNG-08, AN-RNG-10)."""

from typing import Final

from rulesets.anima.declared import Intent
from rulesets.anima.defence import draw as take
from rulesets.anima.events import Aim, WeaponChange
from rulesets.anima.turn import Round, lose, shed

MOST_AIMED: Final = 3  # assaults


def draw(rnd: Round, intent: Intent) -> None:
    """Draw a weapon, or change it for the one in hand (AN-DRW-01, AN-DRW-02)."""
    who = rnd.who(intent.actor)
    weapon = intent.weapon or who.sheet.usual
    if who.in_hand != weapon.name and not who.lies(weapon):
        take(rnd, intent.actor, weapon, "AN-DRW-02" if who.in_hand else "AN-DRW-01")


def pick_up(rnd: Round, intent: Intent) -> None:
    """Take up the weapon that one was disarmed of: an active, without -25 (AN-MAN-25)."""
    who = rnd.who(intent.actor)
    rnd.roles[intent.actor].open("pick_up")
    if not who.dropped:
        return
    rnd.emit(
        WeaponChange(actor=intent.actor, weapon=who.dropped, change="picked_up", rule="AN-MAN-25")
    )
    shed(rnd, intent.actor, "disarmed", "AN-MAN-25")


def ready(rnd: Round, intent: Intent) -> None:
    """Get a weapon ready to shoot: it counts +20 as its turn from now on (AN-RNG-08)."""
    who = rnd.who(intent.actor)
    weapon = intent.weapon or who.sheet.usual
    rnd.roles[intent.actor].open("ready")
    if who.in_hand != weapon.name:
        take(rnd, intent.actor, weapon, "AN-DRW-02" if who.in_hand else "AN-DRW-01")
    rnd.emit(WeaponChange(actor=intent.actor, weapon=weapon.name, change="ready", rule="AN-RNG-08"))


def aim(rnd: Round, intent: Intent) -> None:
    """An assault more of aiming at a target, three at most (AN-RNG-10)."""
    target = intent.targets[0]
    if rnd.who(target).down:
        lose(rnd, intent, "target_down", "AN-RNG-10")
        return
    who = rnd.who(intent.actor)
    rnd.roles[intent.actor].open("aim")
    before = who.aim_rounds if who.aim_target == target else 0
    rounds = min(before + 1, MOST_AIMED)
    bonus = rnd.tables.ranged[f"aiming_{rounds}"].value
    rnd.emit(Aim(actor=intent.actor, target=target, rounds=rounds, bonus=bonus, rule="AN-RNG-10"))
