"""Shooting and throwing, and what makes ready for it (AM-MIS)."""

from rulesets.ars_magica import guarding
from rulesets.ars_magica.blow import after, exchange, hit, in_hand_still, make_blow
from rulesets.ars_magica.conditions import shed
from rulesets.ars_magica.declared import Intent
from rulesets.ars_magica.events import Ready
from rulesets.ars_magica.line import extreme_range, held_up
from rulesets.ars_magica.magic import fast_casts
from rulesets.ars_magica.rows import Weapon
from rulesets.ars_magica.turn import Round, began, lose


def cannot_shoot(rnd: Round, intent: Intent, weapon: Weapon) -> tuple[str, str]:
    """Why a shot is not possible any more, with the rule; empty where it is."""
    who, target = rnd.who(intent.actor), rnd.who(intent.target)
    unstrung = intent.quick and weapon.kind == "bow" and not who.ready
    far = rnd.fight.distance(who, target) > extreme_range(rnd.fight, weapon)
    reasons = (
        (target.dead, "target_dead", "AM-ATK-15"),
        (not in_hand_still(who, weapon), "weapon_not_in_hand", "AM-MIS-03"),
        (held_up(rnd.fight, who), "missile_while_engaged", "AM-ENG-07"),
        (weapon.kind == "crossbow" and not who.loaded, "not_loaded", "AM-MIS-04"),
        (unstrung, "missile_not_ready", "AM-MIS-03"),
        (who.ammo == 0, "no_ammo", "AM-MIS-17"),
        (far, "out_of_reach", "AM-DIS-11"),
    )
    return next(((reason, rule) for holds, reason, rule in reasons if holds), ("", ""))


def shoot(rnd: Round, intent: Intent) -> None:
    """A shot or a throw: a regular action, or a quick one if all is ready (AM-MIS-02, AM-MIS-03).

    From cover he is out and back: only those who waited for that find him without (AM-MIS-05).
    """
    weapon = intent.weapon
    if weapon is None:
        return
    reason, rule = cannot_shoot(rnd, intent, weapon)
    if reason:
        lose(rnd, intent, reason, rule)
        return
    if intent.has("from_cover"):
        rnd.roles[intent.actor].exposed = True
    timing = intent.declaration.timing
    waited = (
        timing is not None
        and timing.kind == "after"
        and rnd.fight.find(timing.name) == intent.target
        and rnd.roles[intent.target].exposed
    )
    fly(rnd, intent, intent.target, weapon, "missile", uncovered=waited)


def ready(rnd: Round, intent: Intent) -> None:
    """Nock and draw (AM-MIS-03)."""
    weapon = intent.weapon
    if weapon is None or not in_hand_still(rnd.who(intent.actor), weapon):
        lose(rnd, intent, "weapon_not_in_hand", "AM-MIS-03")
        return
    began(rnd, intent)
    rnd.emit(Ready(actor=intent.actor, weapon=weapon.id, rule="AM-MIS-03"))


def fly(rnd: Round, intent: Intent, target: str, weapon: Weapon, kind: str, **more: object) -> None:
    """One shot or throw from beginning to end (catalogue 4, *Shots*)."""
    fast_casts(rnd, target, intent.actor)
    target = guarding.in_the_way(rnd, intent, target, missile=True)
    if not target or rnd.who(intent.actor).out:
        return
    began(rnd, intent)
    blow = make_blow(rnd, intent, target, weapon, kind, missile=True, **more)
    met = exchange(rnd, blow)
    done = hit(rnd, blow, met)
    shed(rnd, target, "unaware", "AM-MIS-14")
    after(rnd, blow, was_engaged=True, hurt=done.hurt)
