"""Weapons in hands: drawing, dropping, picking up, spanning (AM-MIS-04, AM-MIS-10, AM-NLC-19)."""

from rulesets.ars_magica import movement
from rulesets.ars_magica.blow import in_hand_still
from rulesets.ars_magica.conditions import drop
from rulesets.ars_magica.declared import Intent
from rulesets.ars_magica.events import Quick, WeaponEvent
from rulesets.ars_magica.others import begin
from rulesets.ars_magica.turn import Round, began, lose


def draw(rnd: Round, intent: Intent) -> None:
    """Take a weapon or a shield in hand (AM-RND-03)."""
    if intent.item in rnd.who(intent.actor).dropped:
        lose(rnd, intent, "weapon_not_in_hand", "AM-NLC-19")
        return
    began(rnd, intent)
    rnd.emit(Quick(actor=intent.actor, action="draw", weapon=intent.item, rule="AM-RND-03"))


def let_drop(rnd: Round, intent: Intent) -> None:
    """Let go of what is in hand (AM-RND-03)."""
    who = rnd.who(intent.actor)
    shield = "" if who.shield is None else who.shield.id
    if intent.item not in (who.wielded, shield) or not intent.item:
        lose(rnd, intent, "weapon_not_in_hand", "AM-RND-03")
        return
    began(rnd, intent)
    rnd.emit(Quick(actor=intent.actor, action="drop", weapon=intent.item, rule="AM-RND-03"))
    drop(rnd, intent.actor, intent.item, "AM-RND-03")


def pick_up(rnd: Round, intent: Intent) -> None:
    """Up from the ground, once one has got away from those who press (AM-NLC-19)."""
    if intent.item not in rnd.who(intent.actor).dropped:
        lose(rnd, intent, "weapon_not_in_hand", "AM-NLC-19")
        return
    if not movement.depart(rnd, intent).free:
        return
    began(rnd, intent)
    rnd.emit(
        WeaponEvent(actor=intent.actor, weapon=intent.item, kind="picked_up", rule="AM-NLC-19")
    )


def span(rnd: Round, intent: Intent) -> None:
    """Load a crossbow over some rounds (AM-MIS-04, AM-MIS-10)."""
    weapon = intent.weapon
    if weapon is None or not in_hand_still(rnd.who(intent.actor), weapon):
        lose(rnd, intent, "weapon_not_in_hand", "AM-MIS-04")
        return
    begin(rnd, intent, "span", "AM-MIS-10", weapon=weapon.id)
