"""Specific attacks: what a blow does besides harming, or instead of it (AN-MAN)."""

from typing import Final

from rulesets.anima.blow import Blow
from rulesets.anima.events import Grip
from rulesets.anima.modifiers import Check
from rulesets.anima.rolls import oppose
from rulesets.anima.turn import Round, gain
from rulesets.anima.wounds import affordable, free, spend_fatigue
from rulesets.core.modifiers import Modifier

# Resolved against armour type 0; they do no damage unless it is wanted.
UNARMOURED: Final = ("knock_down", "disarm", "grapple")
# Those that may harm besides, if wanted (AN-MAN-05, AN-MAN-10).
HARMING: Final = ("knock_down", "grapple")
WORKS_FROM: Final = 10  # per cent: below, there is no check
WHOLE: Final = 100
DOUBLE: Final = 200
BY_PERCENT: Final = 3
QUADRUPED: Final = 3  # AN-MAN-04
ESCAPING: Final = 3  # AN-MAN-11
# Characteristics allowed: attacker's and defender's.
SERVES: Final = {
    "knock_down": (("strength", "dexterity"), ("strength", "agility")),
    "disarm": (("strength", "dexterity"), ("strength", "dexterity")),
    "grapple": (("strength", "dexterity"), ("strength", "agility")),
    "escape": (("strength", "agility"), ("strength", "dexterity")),
}
RULES: Final = {
    "knock_down": "AN-MAN-03",
    "disarm": "AN-MAN-07",
    "grapple": "AN-MAN-08",
    "escape": "AN-MAN-11",
}


def side(rnd: Round, name: str, manoeuvre: str, *, active: bool) -> Check:
    """One side of a check: the best characteristic allowed, or the one ordered (AN-MAN-03)."""
    allowed = SERVES[manoeuvre][0 if active else 1]
    who, orders = rnd.who(name), rnd.roles[name].orders
    chosen = orders.control if orders.control in allowed else who.sheet.best(*allowed)
    points = affordable(rnd, name, orders.control_fatigue)
    orders.control_fatigue = 0
    return Check(rnd, who, chosen, fatigue=points)


def _contest(rnd: Round, manoeuvre: str, one: Check, other: Check) -> int:
    rule = RULES[manoeuvre]
    difference = oppose(rnd, manoeuvre, one, other, rule)
    for check in (one, other):
        spend_fatigue(rnd, check.who.name, check.fatigue)
    return difference


def carry_out(rnd: Round, blow: Blow, name: str, percent: int) -> None:
    """The check of a manoeuvre that has worked, and what winning it does.

    Args:
        rnd: The assault.
        blow: What has hit.
        name: The target.
        percent: Percentage of damage: against armour type 0, for a hold against the real one.
    """
    if percent < WORKS_FROM or rnd.who(name).down:
        return
    if blow.manoeuvre == "hold":
        gain(rnd, name, "threatened", "AN-MAN-20", by=blow.actor)
        return
    active = side(rnd, blow.actor, blow.manoeuvre, active=True)
    passive = side(rnd, name, blow.manoeuvre, active=False)
    rule = RULES[blow.manoeuvre]
    if percent < WHOLE:
        active.modifiers.append(Modifier(-BY_PERCENT, "by_percentage", rule))
    elif percent > DOUBLE:
        active.modifiers.append(Modifier(BY_PERCENT, "by_percentage", rule))
    if blow.manoeuvre == "knock_down" and "quadruped" in passive.who.sheet.flags:
        passive.modifiers.append(Modifier(QUADRUPED, "quadruped", "AN-MAN-04"))
    difference = _contest(rnd, blow.manoeuvre, active, passive)
    if difference <= 0:
        return
    match blow.manoeuvre:
        case "knock_down":
            gain(rnd, name, "prone", "AN-MAN-03", by=blow.actor)
        case "disarm":
            gain(rnd, name, "disarmed", "AN-MAN-25", by=blow.actor)
        case "grapple":
            _seize(rnd, blow.actor, name, difference)


def _seize(rnd: Round, holder: str, held: str, difference: int) -> None:
    """How firm a hold is; the holder is hindered too (AN-MAN-09, AN-MAN-13, D21)."""
    if difference < 3:
        condition = "minor_paralysis"
    elif difference <= 10:
        condition = "partial_paralysis"
    else:
        condition = "full_paralysis"
    rnd.roles[held].struggled = True  # from the next assault on (AN-MAN-11)
    former = rnd.who(held).held_by
    if former:
        free(rnd, former, held, "AN-MAN-13")
    if rnd.who(holder).holding:
        free(rnd, holder, rnd.who(holder).holding, "AN-MAN-13")
    rnd.emit(Grip(actor=holder, target=held, change="gained", rule="AN-MAN-08"))
    gain(rnd, held, condition, "AN-MAN-09", by=holder)
    gain(rnd, holder, "minor_paralysis", "AN-MAN-13")


def escape(rnd: Round, name: str) -> None:
    """Whoever is held tries to get free, unless wholly held (AN-MAN-09, AN-MAN-11)."""
    role = rnd.roles[name]
    who = rnd.who(name)
    if not who.held_by or role.struggled or role.orders.escape is False:
        return
    if "full_paralysis" in who.conditions or who.down:
        return
    role.struggled = True
    holder = who.held_by
    active = side(rnd, name, "escape", active=True)
    active.modifiers.append(Modifier(-ESCAPING, "held", "AN-MAN-11"))
    passive = side(rnd, holder, "escape", active=False)
    if _contest(rnd, "escape", active, passive) > 0:
        free(rnd, holder, name, "AN-MAN-13")
