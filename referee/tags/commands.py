"""What every game shares: the game master's commands and what anyone may ask of the referee."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from rulesets.core.ruleset import Verb


@dataclass(frozen=True, slots=True)
class CommandVerb:
    """A shared command and what it takes.

    Attributes:
        verb: Its row; bare fields fill ``verb.fields`` in their order.
        required: Fields that it makes no sense without.
        numbers: Fields that hold a whole number.
        pairs: Whether further fields with keys of the game's own (``salud: 12``) are taken.
    """

    verb: Verb
    required: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ("round",)
    pairs: bool = False


_GRAMMAR: Final = "FORMAT"  # no game's catalogue lists these

_COMMANDS: Final = (
    CommandVerb(Verb("start", (), _GRAMMAR)),
    CommandVerb(Verb("close", ("round",), _GRAMMAR)),
    CommandVerb(Verb("deadline", ("until", "round"), _GRAMMAR), required=("until",)),
    CommandVerb(Verb("pause", ("reason",), _GRAMMAR)),
    CommandVerb(Verb("resume", (), _GRAMMAR)),
    CommandVerb(
        Verb("mod", ("character", "roll", "value", "reason"), _GRAMMAR),
        required=("character", "roll", "value"),
        numbers=("value",),
    ),
    CommandVerb(Verb("correct", ("character", "reason"), _GRAMMAR), ("character",), pairs=True),
    CommandVerb(
        Verb("set_die", ("character", "roll", "faces", "reason"), _GRAMMAR),
        required=("character", "roll", "faces"),
        numbers=(),
    ),
    CommandVerb(Verb("secret_roll", ("expression", "reason"), _GRAMMAR), ("expression",)),
    CommandVerb(Verb("open_secret", ("secret",), _GRAMMAR), ("secret",)),
    CommandVerb(Verb("skip_beacon", ("reason",), _GRAMMAR)),
    CommandVerb(Verb("undo", ("round", "reason"), _GRAMMAR)),
    CommandVerb(Verb("answer", ("question", "choice", "reason"), _GRAMMAR), ("choice",)),
    CommandVerb(Verb("publish", (), _GRAMMAR)),
    CommandVerb(Verb("end", ("reason",), _GRAMMAR)),
)
COMMANDS: Final[Mapping[str, CommandVerb]] = {row.verb.id: row for row in _COMMANDS}

# Of acción and reacción; ``help`` stands under every keyword.
REQUESTS: Final = ("help", "withdraw", "secret", "answer")

ROLL_FIELDS: Final = ("reason", "difficulty")
FINAL_FLAG: Final = "final"
