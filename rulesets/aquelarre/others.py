"""Other actions: preparing, tricks, spells, care, and what no list has (AQ-OTH, AQ-HP-11)."""

from rulesets.aquelarre.blow import REACH
from rulesets.aquelarre.declared import Intent
from rulesets.aquelarre.events import FreeAction, Recover, Trick
from rulesets.aquelarre.fight import bleeds
from rulesets.aquelarre.modifiers import check_total
from rulesets.aquelarre.rolls import check, percent, rule_on
from rulesets.aquelarre.turn import Round, lose
from rulesets.aquelarre.wounds import shed


def prepare(rnd: Round, intent: Intent) -> None:
    """A whole round of getting ready; what it adds comes in the conclusion (AQ-OTH-08)."""
    intent.begun = True
    rnd.roles[intent.actor].prepared = True


def cast(rnd: Round, intent: Intent) -> None:
    """A spell: its effects are the game master's (AQ-OTH-07)."""
    intent.begun = True
    rule_on(rnd, intent.actor, "spell", "cast", intent.target)


def trick(rnd: Round, intent: Intent) -> None:
    """A Brawl roll; on a success the game master sets the effect (AQ-OTH-09)."""
    if not rnd.who(intent.target).able:
        lose(rnd, intent, "target_down")
        return
    intent.begun = True
    against = check_total(rnd, rnd.who(intent.actor), "brawl", "trick")
    attempt = percent(rnd, intent.actor, "trick", against)
    rnd.emit(
        Trick(
            actor=intent.actor,
            target=intent.target,
            result=attempt.result,
            rule="AQ-OTH-09",
            label=attempt.label,
            face=attempt.face,
            limit=attempt.limit,
        )
    )
    if attempt.succeeded:
        rule_on(rnd, intent.actor, "trick", "trick", intent.target)


def free_action(rnd: Round, intent: Intent) -> None:
    """A shout, a look, an order: it costs nothing (AQ-OTH-10)."""
    intent.begun = True
    rnd.emit(FreeAction(actor=intent.actor, rule="AQ-OTH-10"))


def improvise(rnd: Round, intent: Intent) -> None:
    """What no list has: the game master is asked (AQ-OTH-13)."""
    intent.begun = True
    rule_on(rnd, intent.actor, "improvised", "improvise", intent.target)


def _too_far(rnd: Round, intent: Intent) -> bool:
    return rnd.fight.distance(rnd.who(intent.actor), rnd.who(intent.target)) > REACH


def rouse(rnd: Round, intent: Intent) -> None:
    """A slap brings a fainted character to (AQ-OTH-12)."""
    if "fainted" not in rnd.who(intent.target).conditions:
        lose(rnd, intent, "invalid_target")
    elif _too_far(rnd, intent):
        lose(rnd, intent, "out_of_reach")
    else:
        intent.begun = True
        rnd.emit(Recover(actor=intent.target, kind="roused", rule="AQ-OTH-12"))


def first_aid(rnd: Round, intent: Intent) -> None:
    """A Healing roll stops the bleeding (AQ-HP-11)."""
    if not bleeds(rnd.who(intent.target), rnd.options):
        lose(rnd, intent, "invalid_target")
        return
    if _too_far(rnd, intent):
        lose(rnd, intent, "out_of_reach")
        return
    intent.begun = True
    who = rnd.who(intent.actor)
    against = check_total(rnd, who, "healing", "heal")
    if check(rnd, who.name, "healing", against, "AQ-HP-11").succeeded:
        shed(rnd, intent.target, "bleeding", "AQ-HP-11")
