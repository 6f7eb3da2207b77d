"""Manoeuvres: an Attack Total against a reaction, and no damage (AM-NLC-10 to AM-NLC-26)."""

from collections.abc import Callable, Mapping
from typing import Final

from rulesets.ars_magica import guarding, horses
from rulesets.ars_magica.attack import armed
from rulesets.ars_magica.blow import (
    Met,
    after,
    can_strike,
    exchange,
    linked,
    make_blow,
    reaches,
)
from rulesets.ars_magica.conditions import drop, gain, release, shed
from rulesets.ars_magica.declared import Intent
from rulesets.ars_magica.events import WeaponEvent
from rulesets.ars_magica.magic import fast_casts
from rulesets.ars_magica.rows import Manoeuvre
from rulesets.ars_magica.turn import Round, began, lose
from rulesets.ars_magica.wounds import suffer


def manoeuvre(rnd: Round, intent: Intent) -> None:
    """Try it: with bare hands, or with the weapon that it allows (AM-NLC-10, AM-NLC-11)."""
    row = rnd.tables.manoeuvres[intent.action.id]
    fist = rnd.tables.weapons["fist"]
    raw = intent.weapon or fist
    if not can_strike(rnd, intent, intent.target, raw) or not _suits(rnd, intent):
        return
    if not reaches(rnd, intent, intent.target):
        return
    fast_casts(rnd, intent.target, intent.actor)
    target = guarding.in_the_way(rnd, intent, intent.target, missile=False)
    if not target or rnd.who(intent.actor).out:
        return
    began(rnd, intent)
    if row.id == "pin" and not intent.item and "prone" in rnd.who(target).conditions:
        gain(rnd, intent.actor, "prone", "AM-NLC-17")
    was_engaged = linked(rnd, intent.actor, target)
    weapon = fist if raw is fist else armed(rnd, intent)
    blow = make_blow(rnd, intent, target, weapon, row.id, unarmed=weapon is fist)
    met = exchange(rnd, blow, row.advantage, _resistance(rnd, target, row))
    if not met.stopped:
        _RESULTS[row.id](rnd, intent, target, met)
    after(rnd, blow, was_engaged=was_engaged, hurt=False)


def _suits(rnd: Round, intent: Intent) -> bool:
    """What some manoeuvres ask of their target."""
    target = rnd.who(intent.target)
    if intent.action.id == "pin" and not intent.item and "prone" not in target.conditions:
        lose(rnd, intent, "target_not_prone", "AM-NLC-17")
        return False
    if intent.action.id == "unseat" and not target.mounted_on:
        lose(rnd, intent, "target_not_mounted", "AM-NLC-20")
        return False
    return True


def _resistance(rnd: Round, target: str, row: Manoeuvre) -> str:
    """What the target puts against it, if a standing order says so and the table allows it."""
    order = rnd.order(target, "resist")
    how = "" if order is None else order.get("with")
    return how if how == row.resist else ""


def _succeeds(rnd: Round, intent: Intent, met: Met) -> bool:
    return met.advantage >= rnd.tables.manoeuvres[intent.action.id].advantage


def _trip(rnd: Round, intent: Intent, target: str, met: Met) -> None:
    """He falls; whoever botches the defence is hurt as well (AM-NLC-12, AM-NLC-13)."""
    if _succeeds(rnd, intent, met):
        gain(rnd, target, "prone", "AM-NLC-13")
    if met.defence_botched:
        suffer(rnd, target, rnd.options.trip_botch_wound, "wound", rule="AM-NLC-12")


def _grapple(rnd: Round, intent: Intent, target: str, met: Met) -> None:
    """A hold to the holder's next turn; his own grapple frees who is held (AM-NLC-21, -23)."""
    if not _succeeds(rnd, intent, met):
        return
    if rnd.who(intent.actor).grappled_by == target:
        shed(rnd, intent.actor, "grappled", "AM-NLC-23")
    else:
        gain(rnd, target, "grappled", "AM-NLC-21", by=intent.actor)


def _pin(rnd: Round, intent: Intent, target: str, met: Met) -> None:
    """Helpless to the holder's next turn (AM-NLC-15, AM-NLC-16)."""
    if _succeeds(rnd, intent, met):
        gain(rnd, target, "pinned", "AM-NLC-15", by=intent.actor)
        release(rnd, target)


def _tackle(rnd: Round, intent: Intent, target: str, met: Met) -> None:
    """Both fall; a botch brings the attacker down alone (AM-NLC-18)."""
    if _succeeds(rnd, intent, met):
        gain(rnd, intent.actor, "prone", "AM-NLC-18")
        gain(rnd, target, "prone", "AM-NLC-18")
    elif met.attack_botched:
        gain(rnd, intent.actor, "prone", "AM-NLC-18")


def _disarm(rnd: Round, intent: Intent, target: str, met: Met) -> None:
    """The weapon falls (AM-NLC-19)."""
    held = rnd.who(target).wielded
    if _succeeds(rnd, intent, met) and held:
        drop(rnd, target, held, "AM-NLC-19")


def _unseat(rnd: Round, intent: Intent, target: str, met: Met) -> None:
    """Out of the saddle (AM-NLC-20)."""
    if _succeeds(rnd, intent, met) and rnd.who(target).mounted_on:
        horses.fall(rnd, target)


def _wrest(rnd: Round, intent: Intent, target: str, met: Met) -> None:
    """The weapon changes hands (AM-NLC-25)."""
    held = rnd.who(target).wielded
    if _succeeds(rnd, intent, met) and held:
        _take(rnd, intent.actor, target, held, "AM-NLC-25")


def _grab_item(rnd: Round, intent: Intent, target: str, met: Met) -> None:
    """Something worn is torn away (AM-NLC-26)."""
    if _succeeds(rnd, intent, met):
        _take(rnd, intent.actor, target, intent.item, "AM-NLC-26")


def _take(rnd: Round, taker: str, owner: str, item: str, rule: str) -> None:
    rnd.emit(WeaponEvent(actor=owner, weapon=item, kind="taken", by=taker, rule=rule))


_RESULTS: Final[Mapping[str, Callable[[Round, Intent, str, Met], None]]] = {
    "trip": _trip,
    "grapple": _grapple,
    "pin": _pin,
    "tackle": _tackle,
    "disarm": _disarm,
    "unseat": _unseat,
    "wrest": _wrest,
    "grab_item": _grab_item,
}
