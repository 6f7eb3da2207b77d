"""Standing orders that are a little language of their own (catalogue section 5).

    [reacción: heridas | leve si daño >= 5 | grave si cae con leve aunque muera]
    [reacción: derrota | capturar | Bandido 1: matar]

Words are data (``tables/clauses.yaml``); here they are ids. What cannot be read is told by the
clause itself, for the message that quotes it.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import lru_cache
from typing import Final

from rulesets.core.declarations import fold
from rulesets.core.records import dataclass
from rulesets.hielo_y_fuego.rows import Tables

MOST_CLAUSES: Final = 20
MOST_CONDITIONS: Final = 6
MOST_INJURIES: Final = 99

_COMPARISON: Final = re.compile(r"(.+?)\s*(>=|<=|≥|≤|>|<|=)\s*(\d{1,4})")
_TIMES: Final = re.compile(r"(.+?)\s*[x×]\s*(\d{1,2})")
_OPERATORS: Final[Mapping[str, Callable[[int, int], bool]]] = {
    ">=": lambda one, other: one >= other,
    "<=": lambda one, other: one <= other,
    "≥": lambda one, other: one >= other,
    "≤": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    "<": lambda one, other: one < other,
    "=": lambda one, other: one == other,
}


@dataclass(frozen=True, slots=True)
class Blow:
    """What the conditions of a clause look at.

    Attributes:
        damage: After armour.
        health: Before the damage.
        endurance: Rank, which an injury takes off the damage.
    """

    damage: int
    health: int
    endurance: int
    injuries: int
    wounds: int

    @property
    def falls(self) -> bool:
        """Whether accepting all of it brings health to 0."""
        return self.health - self.damage <= 0

    @property
    def falls_with_injury(self) -> bool:
        """Whether health comes to 0 even with an injury."""
        return self.health - max(0, self.damage - self.endurance) <= 0

    def figure(self, quantity: str) -> int:
        """A quantity by its id."""
        match quantity:
            case "left":
                return self.health - self.damage
            case "injuries":
                return self.injuries
            case "wounds":
                return self.wounds
            case "health":
                return self.health
        return self.damage


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of a clause: a state by name, or a comparison."""

    name: str
    operator: str = ""
    number: int = 0

    def holds(self, blow: Blow) -> bool:
        """Whether it holds for a blow."""
        if self.operator:
            return _OPERATORS[self.operator](blow.figure(self.name), self.number)
        match self.name:
            case "falls":
                return blow.falls
            case "stands":
                return not blow.falls
            case "falls_with_injury":
                return blow.falls_with_injury
            case "stands_with_injury":
                return not blow.falls_with_injury
        return True


@dataclass(frozen=True, slots=True)
class Clause:
    """A choice with the conditions that call for it.

    Attributes:
        choice: ``accept``, ``injury`` or ``wound``.
        times: Injuries at most.
        deadly: Whether it is chosen even if it kills.
    """

    choice: str
    times: int = 1
    conditions: tuple[Condition, ...] = ()
    deadly: bool = False

    def calls(self, blow: Blow) -> bool:
        """Whether all its conditions hold."""
        return all(condition.holds(blow) for condition in self.conditions)


class ClauseError(Exception):
    """A clause that cannot be read; it never leaves this module."""


def read_clauses(texts: tuple[str, ...], tables: Tables) -> tuple[Clause, ...] | str:
    """The clauses of ``heridas``, or the text of the first that cannot be read."""
    texts = tuple(text for text in texts if text.strip())
    if len(texts) > MOST_CLAUSES:
        return texts[MOST_CLAUSES]
    words = tuple((group, tuple(found.items())) for group, found in tables.clauses.items())
    found = []
    for text in texts:
        clause = _clause(text, words)
        if clause is None:
            return text
        found.append(clause)
    return tuple(found)


Words = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


@lru_cache(maxsize=512)
def _clause(text: str, words: Words) -> Clause | None:
    try:
        return _Reader({group: dict(pairs) for group, pairs in words}).clause(text)
    except ClauseError:
        return None


class _Reader:
    def __init__(self, words: Mapping[str, Mapping[str, str]]) -> None:
        self.words = words

    def clause(self, text: str) -> Clause:
        folded = fold(text).strip(" .")
        folded, deadly = self._deadly(folded)
        choice, conditions = self._split(folded)
        times = 1
        match = _TIMES.fullmatch(choice)
        if match:
            choice, times = match[1], int(match[2])
        name = self.words["choice"].get(choice)
        if name is None or not 1 <= times <= MOST_INJURIES or (times > 1 and name != "injury"):
            raise ClauseError(text)
        return Clause(name, times, tuple(map(self._condition, conditions)), deadly)

    def _joint(self, name: str) -> list[str]:
        return [word for word, id_ in self.words["joint"].items() if id_ == name]

    def _deadly(self, text: str) -> tuple[str, bool]:
        for word in self._joint("deadly"):
            if text.endswith(f" {word}"):
                return text.removesuffix(word).strip(), True
        return text, False

    def _split(self, text: str) -> tuple[str, list[str]]:
        """The choice, and the texts of its conditions."""
        for word in self._joint("when"):
            choice, found, rest = text.partition(f" {word} ")
            if not found:
                continue
            ands = "|".join(re.escape(each) for each in self._joint("also"))
            conditions = re.split(rf"\s+(?:{ands})\s+", rest)
            if len(conditions) > MOST_CONDITIONS:
                raise ClauseError(text)
            return choice.strip(), conditions
        return text, []

    def _condition(self, text: str) -> Condition:
        match = _COMPARISON.fullmatch(text.strip())
        if match:
            quantity = self.words["quantity"].get(match[1].strip())
            if quantity is None:
                raise ClauseError(text)
            return Condition(quantity, match[2], int(match[3]))
        name = self.words["condition"].get(text.strip())
        if name is None:
            raise ClauseError(text)
        return Condition(name)


@dataclass(frozen=True, slots=True)
class Fates:
    """What a victor does with those he defeats (HF-DMG-09): for all, and for some by name."""

    usual: str = ""
    by_name: Mapping[str, str] = field(default_factory=dict)

    def of(self, name: str) -> str:
        """The fate of somebody, or an empty string where it was not said."""
        return self.by_name.get(name, self.usual)


def read_fates(
    texts: tuple[str, ...], tables: Tables, find: Callable[[str], str]
) -> Fates | tuple[str, str]:
    """The clauses of ``derrota``, or a code with the text that cannot be read."""
    usual, by_name = "", {}
    for text in texts[:MOST_CLAUSES]:
        name, _, word = text.replace("=", ":").rpartition(":")
        fate = tables.clauses["fate"].get(fold(word))
        if fate is None:
            return "bad_clause", text
        if not name.strip():
            usual = fate
            continue
        found = find(name)
        if not found:
            return "unknown_target", name.strip()
        by_name[found] = fate
    return Fates(usual, by_name)


def spends_destiny(texts: tuple[str, ...], tables: Tables) -> bool | str:
    """Whether ``pifia`` or ``noqueo`` spends a point, or the text that cannot be read."""
    for text in texts:
        if fold(text) not in tables.clauses["destiny"]:
            return text
    return bool(texts)
