"""The games that the referee knows, in an explicit tuple."""

from typing import Final

from rulesets.anima.ruleset import Anima
from rulesets.aquelarre.ruleset import Aquelarre
from rulesets.ars_magica.ruleset import ArsMagica
from rulesets.core.ruleset import Ruleset
from rulesets.hielo_y_fuego.ruleset import HieloYFuego

RULESETS: Final[tuple[Ruleset, ...]] = (Aquelarre(), Anima(), ArsMagica(), HieloYFuego())


def ruleset(name: str) -> Ruleset:
    """The ruleset of an id.

    Raises:
        LookupError: there is no such game here; the message holds the id.
    """
    for game in RULESETS:
        if game.id == name:
            return game
    raise LookupError(name)
