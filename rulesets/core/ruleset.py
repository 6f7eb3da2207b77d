"""The contract between a game and the shell.

A round has two dice moments. ``open_round`` rolls what the game rolls before anybody declares
(initiative, where it does) with one seed; ``resolve`` rolls all the rest with another. A game
that rolls everything after the lock opens a round without dice.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Protocol, runtime_checkable

from rulesets.core.declarations import Declaration, fold
from rulesets.core.dice import Dice, Roll
from rulesets.core.events import Event
from rulesets.core.modifiers import Total
from rulesets.core.questions import Answers, Correction, Question, Rejection
from rulesets.core.records import dataclass


@dataclass(frozen=True, slots=True)
class Verb:
    """A row of the vocabulary: what players may write, as ids.

    Attributes:
        id: Forever once stored, such as ``strong_attack``.
        fields: Field ids it takes; a bare first field goes to the first of them.
        flags: Flag ids it takes.
        rule: Catalogue id.
        cost: Key of its cost in words: ``normal``, ``extended``, ``free`` ...
        clauses: True where every field is a clause of the verb's own little language.
    """

    id: str
    fields: tuple[str, ...]
    rule: str
    flags: tuple[str, ...] = ()
    cost: str = ""
    clauses: bool = False


@dataclass(frozen=True, slots=True)
class CharacterSetup:
    """A character as the config or a scenario gives it: plain data, not yet checked."""

    name: str
    side: str
    npc: bool = False
    sheet: Mapping[str, Any] = field(default_factory=dict)
    state: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Setup:
    """All that a fight starts from."""

    cast: tuple[CharacterSetup, ...]
    scene: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


def in_order(setup: Setup) -> Setup:
    """The setup with its cast in an order of its own: players first, then by side and by name.

    Games name equals in the order of the cast. So whoever begins a fight that counts puts its cast
    in this order first: how somebody happened to write the config must change no byte.
    """
    cast = sorted(setup.cast, key=lambda one: (one.npc, fold(one.side), _natural(one.name)))
    return replace(setup, cast=tuple(cast))


def _natural(name: str) -> tuple[tuple[str, int], ...]:
    """A key that puts ``Bandido 2`` before ``Bandido 10``; equal ones go by the name itself."""
    parts = re.findall(r"(\D*)(\d{0,9})", fold(name))
    return (*((text, int(digits or 0)) for text, digits in parts), (name, 0))


@dataclass(frozen=True, slots=True)
class Combatant:
    """What the shell and the table of state need to know of a character, in any game.

    Attributes:
        name: As on the cast.
        side: Sides fight one another.
        npc: Whether the game master declares for it.
        declares: False when it has nothing to choose this round (dead, stunned, held ...).
        out: True when it is out of the fight for good or until helped.
        initiative: This round's figure, None before it is known.
        gauges: Health and the like: ``(id, current, maximum)``.
        conditions: Condition ids, sorted.
        position: Place on the line, where the game has one.
        notes: Further state worth a column: ``(id, value)``, such as ``("weapon", "espada")``.
    """

    name: str
    side: str
    npc: bool
    declares: bool
    out: bool
    initiative: int | None = None
    gauges: tuple[tuple[str, int, int], ...] = ()
    conditions: tuple[str, ...] = ()
    position: int | None = None
    notes: tuple[tuple[str, str], ...] = ()


class Fight(Protocol):
    """The state of a fight: immutable. Each game has its own class."""

    @property
    def round(self) -> int:
        """Number of the round that is open or was last played; 0 before the first."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happened, as facts, and the fight after it (the fold of the events)."""

    events: tuple[Event, ...]
    fight: Any
    rolls: tuple[Roll, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    defaulted: tuple[Question, ...] = ()  # questions that took their default unasked


class Ruleset(Protocol):
    """A game. Every method is pure; ``fight`` is the game's own class and is never changed."""

    @property
    def id(self) -> str:
        """Name of its package and of its terms."""
        ...

    @property
    def version(self) -> str:
        """Kept with each fight; raised whenever the same input could give another outcome."""
        ...

    @property
    def actions(self) -> Mapping[str, Verb]:
        """Verbs of ``acción``."""
        ...

    @property
    def orders(self) -> Mapping[str, Verb]:
        """Verbs of ``reacción``."""
        ...

    @property
    def commands(self) -> Mapping[str, Verb]:
        """Verbs of ``árbitro`` that belong to the game."""
        ...

    @property
    def events(self) -> Mapping[str, type[Event]]:
        """Its event classes by type."""
        ...

    @property
    def words(self) -> Mapping[str, tuple[str, ...]]:
        """Every id that needs words, by category: ``condition``, ``code``, ``reason`` ..."""
        ...

    def read_tables(self, raw: Mapping[str, Any]) -> Any:
        """Typed tables from parsed YAML, by file stem. Raises ``SetupError``."""
        ...

    def new_fight(self, setup: Setup, tables: Any) -> Any:
        """A fight before its first round. Raises ``SetupError`` with all that is wrong.

        The order of the cast may decide who of equals is named first, and nothing else; a fight
        that counts is begun with ``in_order(setup)``.
        """
        ...

    def dump(self, fight: Any) -> dict[str, Any]:
        """The fight as plain JSON data; tables are not in it."""
        ...

    def load(self, data: Mapping[str, Any], tables: Any) -> Any:
        """The fight that ``dump`` wrote."""
        ...

    def open_round(self, fight: Any, dice: Dice) -> Outcome:
        """Begin the next round: number, initiative, whatever ends or begins with it."""
        ...

    def declaration_order(self, fight: Any) -> tuple[str, ...]:
        """Who declares when, where the thread asks for the strict order."""
        ...

    def check(self, fight: Any, declarations: Sequence[Declaration]) -> tuple[Rejection, ...]:
        """Refusals of these declarations as they stand now; rolls nothing."""
        ...

    def resolve(
        self, fight: Any, declarations: Sequence[Declaration], dice: Dice, answers: Answers
    ) -> Outcome | Question:
        """Play the open round to its end. Refused declarations stand in the outcome."""
        ...

    def defend(self, fight: Any, actor: str) -> tuple[Declaration, ...]:
        """What a character declares whose player is missing and whose policy is to defend."""
        ...

    def correct(self, fight: Any, correction: Correction) -> Outcome | Rejection:
        """Apply a game master's correction or the effect of a ruling, as events."""
        ...

    def modify(self, fight: Any, label: str, value: int) -> Outcome | Rejection:
        """A modifier by ruling on a roll of this round, such as ``Lope.attack`` +20."""
        ...

    def roster(self, fight: Any) -> tuple[Combatant, ...]:
        """Every character, in the order of the cast."""
        ...

    def state(self, fight: Any, actor: str) -> Mapping[str, Any]:
        """Every state id of the catalogue with its value, as plain data."""
        ...

    def roll_value(self, fight: Any, actor: str, word: str) -> int | None:
        """A figure of the sheet by its id, for free rolls such as ``1d10+AGI``."""
        ...

    def over(self, fight: Any) -> bool:
        """Whether at most one side is left that can fight, or the scene's end has come."""
        ...


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a free roll came to against a difficulty.

    Attributes:
        against: The figure that the total was compared with.
        result: Result id, such as ``success``.
        degrees: How well, in games that count it.
    """

    against: Total
    result: str
    degrees: int = 0


@runtime_checkable
class JudgesRolls(Protocol):
    """A game whose difficulties have names and degrees, so that a free roll can be judged."""

    def judge(self, fight: Any, total: int, difficulty: str) -> Judgement | None:
        """What a total is against a difficulty as written; None where the game knows none such."""
        ...
