"""What players declare, after the tag's words have become ids.

``referee.tags`` builds these from posts; rulesets only read them. Values of fields are ids where
the game's vocabulary knows the word (a zone, a weapon's size), else the player's own words
(a character's name, a weapon's name), trimmed.
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from functools import lru_cache

from rulesets.core.records import dataclass


class Kind(StrEnum):
    """What a tag asks for."""

    ACTION = "action"  # acción: spends the character's actions, in the order written
    STANDING = "standing"  # reacción: tells the referee what to choose; spends nothing
    COMMAND = "command"  # árbitro: a game master's verb that belongs to the ruleset


@dataclass(frozen=True, slots=True)
class Timing:
    """When an action goes off, if not at its owner's turn.

    Attributes:
        kind: ``after`` (tras), ``before`` (antes) or ``when`` (si).
        name: Whom it waits for, as written; empty where the trigger is about oneself.
        count: Which of that character's actions (``tras: NAME#2``), from 1.
        event: For ``when``: id of the trigger, such as ``falls`` or ``attacked``.
    """

    kind: str
    name: str = ""
    count: int = 1
    event: str = ""


@dataclass(frozen=True, slots=True)
class Declaration:
    """One tag of one character.

    Attributes:
        actor: Name of the character as the cast spells it.
        kind: Action, standing order or command.
        verb: Id of the action, order or command, such as ``strong_attack``.
        fields: Field id to its value: an id or the words as written.
        flags: Ids of bare fields, in the order written.
        clauses: All fields as written, for verbs whose fields are a little language of their own.
        timing: Where the action is held back.
        fallback: What to do instead (``si no``), where given.
        words: The exact tag text, for answers and evidence.
    """

    actor: str
    kind: Kind
    verb: str
    fields: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()
    timing: Timing | None = None
    fallback: "Declaration | None" = None
    words: str = ""

    def get(self, name: str) -> str:
        """The value of a field, or an empty string."""
        return self.fields.get(name, "")

    def names(self, name: str) -> tuple[str, ...]:
        """A field that lists names: separated by commas."""
        words = self.fields.get(name)
        if not words:
            return ()
        return tuple([part for each in words.split(",") if (part := each.strip())])


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """A name without case, accents and extra spaces, for comparing: ``Íñigo`` is ``inigo``.

    Letters of another script stay themselves: a look-alike is not the name.
    """
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(c for c in decomposed if not unicodedata.combining(c))
    return " ".join(bare.split())
