"""Every id of the game that somebody reads, by category: its words are in ``templates``.

The suite holds this against the code (nothing said without an id here) and against the terms of
every language (no id without words, no words without an id).
"""

from collections.abc import Mapping
from typing import Final

from rulesets.hielo_y_fuego.actions import ACTIONS, ORDERS

WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "action": tuple(ACTIONS),
    "order": tuple(ORDERS),
}
