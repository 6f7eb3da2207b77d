"""What a tag can turn out to be, besides a declaration of the game."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rulesets.core.declarations import Kind


@dataclass(frozen=True, slots=True)
class Command:
    """A game master's order to the referee, the same in every game.

    Attributes:
        verb: Id of the command, one of ``commands.COMMANDS``.
        fields: Field id to the words as written, or to an id where the vocabulary knows them.
        flags: Ids of bare fields.
        pairs: Fields whose key is the game's own, in order, such as ``("hp", "12")`` of
            ``corregir``; ids where the vocabulary knows them.
        words: The exact tag text.
    """

    verb: str
    fields: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    words: str = ""

    def get(self, name: str) -> str:
        """The value of a field, or an empty string."""
        return self.fields.get(name, "")


@dataclass(frozen=True, slots=True)
class FreeRoll:
    """Dice that anybody may ask for at any time.

    Attributes:
        expression: Dice notation as written, without spaces around it; it has been parsed once.
        actor: Whose sheet names in the expression refer to; empty where nobody was named and
            the author has not just one character.
        fields: ``reason``, ``difficulty`` and other words that go with it.
        words: The exact tag text.
    """

    expression: str
    actor: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    words: str = ""

    @property
    def reason(self) -> str:
        """What it is rolled for, in the author's words, or an empty string."""
        return self.fields.get("reason", "")


@dataclass(frozen=True, slots=True)
class HelpRequest:
    """Somebody asks how to write a tag; ``topic`` is a verb id where one is known, else words."""

    topic: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A character's declarations of that kind of the open round are taken back, all of them."""

    actor: str
    kind: Kind = Kind.ACTION
    words: str = ""


@dataclass(frozen=True, slots=True)
class Secrecy:
    """A character's declaration of the open round will come in a private message."""

    actor: str
    words: str = ""
