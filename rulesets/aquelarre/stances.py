"""Defences that happen at the character's own turn: guard, flight, slipping out, breaking free."""

from rulesets.aquelarre.declared import Intent
from rulesets.aquelarre.events import Condition, Defence
from rulesets.aquelarre.modifiers import DISENGAGE, Effort
from rulesets.aquelarre.rolls import characteristic, confront, fumbled, percent
from rulesets.aquelarre.turn import Round, lose
from rulesets.aquelarre.wounds import leave_melees, shed
from rulesets.core.modifiers import total

FULL_DEFENCE: int = 50  # AQ-DEF-16


def full_guard(rnd: Round, intent: Intent) -> None:
    """The shield close to the body until one leaves the guard (AQ-DEF-17, AQ-DEF-19)."""
    who = rnd.who(intent.actor)
    if not who.shield_ready:
        lose(rnd, intent, "weapon_not_ready")
        return
    intent.begun = True
    rnd.emit(
        Condition(
            actor=intent.actor,
            condition="full_guard",
            change="gained",
            location=intent.cover,
            rule="AQ-DEF-17",
        )
    )


def leave_guard(rnd: Round, intent: Intent) -> None:
    """Out of full guard, for free (AQ-DEF-18)."""
    intent.begun = True
    if "full_guard" in rnd.who(intent.actor).conditions:
        shed(rnd, intent.actor, "full_guard", "AQ-DEF-18")


def flee(rnd: Round, intent: Intent) -> None:
    """Get ready to be gone in the next round (AQ-DEF-20); the effect comes in the conclusion."""
    intent.begun = True
    rnd.roles[intent.actor].fleeing = True


def disengage(rnd: Round, intent: Intent) -> None:
    """A Brawl roll; a success ends every melé of the character (AQ-DEF-24)."""
    who = rnd.who(intent.actor)
    if not who.melee_with:
        lose(rnd, intent, "not_in_melee")
        return
    intent.begun = True
    bonus = 0 if intent.inner is None else FULL_DEFENCE
    effort = Effort(rnd, who, "brawl", "disengage", bonus=bonus)
    attempt = percent(rnd, who.name, "disengage", total(DISENGAGE, effort))
    partners = who.melee_with
    rnd.emit(
        Defence(
            actor=who.name,
            against=partners[0],
            kind="disengage",
            result=attempt.result,
            label=attempt.label,
            face=attempt.face,
            limit=attempt.limit,
            rule="AQ-DEF-24",
        )
    )
    if attempt.succeeded:
        leave_melees(rnd, who.name, "AQ-DEF-24")
    elif attempt.result == "fumble":
        fumbled(rnd, who.name, "disengage", partners[0])


def break_free(rnd: Round, intent: Intent) -> None:
    """Strength x 5 against the holder's; a win ends the hold and the melé (AQ-DEF-23)."""
    who = rnd.who(intent.actor)
    holder = who.held_by
    if not holder:
        lose(rnd, intent, "not_immobilised")
        return
    intent.begun = True
    won = confront(
        rnd,
        "break_free",
        "AQ-DEF-23",
        (who.name, "strength", characteristic(rnd, who.name, "strength", 5, "strength")),
        (holder, "strength", characteristic(rnd, holder, "strength", 5, "strength")),
    ).won
    if won:
        shed(rnd, who.name, "immobilised", "AQ-DEF-23", other=holder)
        shed(rnd, who.name, "in_melee", "AQ-DEF-23", other=holder)
