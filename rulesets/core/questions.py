"""What a ruleset says when it cannot or must not go on by itself.

A refusal is a value with a code and a cure, a choice is a ``Question``, and what the rules leave
to the game master is a ``ruling_needed`` event. None of them holds a sentence.
"""

from collections.abc import Mapping
from dataclasses import field

from rulesets.core.declarations import Declaration
from rulesets.core.records import dataclass


@dataclass(frozen=True, slots=True)
class Rejection:
    """A declaration that the rules do not allow now.

    Attributes:
        code: Reject code of the catalogue, such as ``attack_before_movement``.
        declaration: What was refused.
        rule: Catalogue id that says so.
        facts: Figures and names that the message needs (``given``, ``candidates``, ``limit`` ...).
        cure: A declaration that would have been accepted, where there is an obvious one.
    """

    code: str
    declaration: Declaration
    rule: str
    facts: Mapping[str, object] = field(default_factory=dict)
    cure: Declaration | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A choice among options that the rules give, which nobody has made yet.

    Attributes:
        label: Unique in the round and stable when it is run again, such as ``Lope.defence#2``.
        who: The character whose player is asked.
        options: Ids to choose from, never empty.
        default: The option taken when nobody answers.
        rule: Catalogue id.
        facts: What the one who chooses must know.
    """

    label: str
    who: str
    options: tuple[str, ...]
    default: str
    rule: str
    facts: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answers:
    """Choices already made, by question label.

    ``ask`` says what happens to a question without an answer: True stops the round with it,
    False takes its default. With ``only``, none but these characters' questions are asked.
    """

    given: Mapping[str, str] = field(default_factory=dict)
    ask: bool = False
    only: frozenset[str] | None = None

    def asks(self, who: str) -> bool:
        """Whether a question to this character stops the round."""
        return self.ask and (self.only is None or who in self.only)


@dataclass(frozen=True, slots=True)
class Correction:
    """A game master's change to a character's state: it adds an event, it erases nothing.

    Attributes:
        actor: Whose state.
        field: State id of the catalogue, such as ``hp`` or ``conditions``.
        value: As written: ``12`` and ``=-3`` set a number, ``+2`` and ``-3`` add and take away,
            ``+prone`` and ``-prone`` change a list by one.
        reason: The game master's words.
    """

    actor: str
    field: str
    value: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SetupProblem:
    """Something wrong with a sheet, a scene, an option or a table row.

    Attributes:
        path: Keys that lead to the value, such as ``("Lope", "sheet", "skills", "sword")``.
        code: ``unknown_key``, ``wrong_type``, ``out_of_range``, ``unknown_name``, ``missing``.
        given: The value as found.
        expected: What would be right: ids, a type name or a range.
        candidates: Valid spellings to choose the nearest from.
    """

    path: tuple[str | int, ...]
    code: str
    given: object = None
    expected: str = ""
    candidates: tuple[str, ...] = ()


class SetupError(Exception):
    """Sheets, scene, options or tables cannot be used; holds all that is wrong, not the first."""

    def __init__(self, problems: tuple[SetupProblem, ...]) -> None:
        """Keep the problems."""
        super().__init__(problems)
        self.problems = problems
