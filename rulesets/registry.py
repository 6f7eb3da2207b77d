"""The games that the referee knows, in an explicit tuple."""

from typing import Final

from rulesets.aquelarre.ruleset import Aquelarre
from rulesets.core.ruleset import Ruleset

RULESETS: Final[tuple[Ruleset, ...]] = (Aquelarre(),)


def ruleset(name: str) -> Ruleset:
    """The ruleset of an id.

    Raises:
        LookupError: there is no such game here; the message holds the id.
    """
    for game in RULESETS:
        if game.id == name:
            return game
    raise LookupError(name)
