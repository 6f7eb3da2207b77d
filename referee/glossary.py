"""A game's ids in the words that people use for them: ``espada larga`` for ``long_sword``.

Rulesets know ids only. A game master writes a sheet in the words that stand on the character's own
sheet of paper, so whatever a ruleset does not know is looked up among the words that its terms give
to the ids which it would have taken there. A word that the ruleset knows is never touched: in one
game ``daga`` is an id, in the next it is the word for one.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from referee.documents import Steps
from referee.tags.text import key
from referee.tags.vocabulary import words_of_entry
from rulesets.core.questions import SetupProblem
from rulesets.core.ruleset import Setup

_LOOKED_UP: Final = frozenset({"unknown_key", "unknown_name"})
# What stands inside a key can only be looked at once the key itself is known.
_PASSES: Final = 6

T = TypeVar("T")

Refusals = Callable[[Setup], tuple[SetupProblem, ...]]


class Glossary:
    """The words of some terms files, read from the word to the id."""

    def __init__(self, terms: Iterable[Mapping[str, Any]]) -> None:
        """Read terms.

        Args:
            terms: Parsed terms files, the language to answer in first.
        """
        self._says: dict[str, dict[str, str]] = {}  # by category and id
        self._ids: dict[str, dict[str, set[str]]] = {}  # by category and folded word
        for file in terms:
            for category, name, entry in _entries(file):
                self._says.setdefault(category, {}).setdefault(name, str(entry["say"]))
                ids = self._ids.setdefault(category, {})
                for word, meaning in words_of_entry(name, entry):
                    if not meaning.sets:  # one that sets fields besides says more than an id
                        ids.setdefault(word, set()).add(name)

    def meant(self, word: object, candidates: Sequence[str]) -> str:
        """The one candidate that a word stands for; empty where there is none or several."""
        if not isinstance(word, str):
            return ""
        spoken = key(word)
        # An id may be written with spaces, as people do.
        if spoken.replace(" ", "_") in candidates:
            return spoken.replace(" ", "_")
        ids = self._ids.get(self._category(candidates), {}).get(spoken, set())
        hits = ids.intersection(candidates)
        return hits.pop() if len(hits) == 1 else ""

    def say(self, candidates: Sequence[str]) -> tuple[str, ...]:
        """How candidates are called; an id that has no word of its own stays as it is."""
        says = self._says.get(self._category(candidates), {})
        said = {name: says.get(name, name) for name in candidates}
        # Two ids of one word cannot be told apart by it.
        return tuple(
            word if self.meant(word, candidates) == name else name for name, word in said.items()
        )

    def _category(self, candidates: Sequence[str]) -> str:
        """What kind of thing is asked for: the category that has words for most candidates."""
        known = {category: len(says.keys() & set(candidates))
                 for category, says in self._says.items()}  # fmt: skip
        return max(known, key=lambda category: known[category], default="")


@dataclass(frozen=True, slots=True)
class Translation:
    """A setup in ids.

    Attributes:
        setup: What the ruleset is given.
        problems: What it finds wrong with it still.
        written: How a key was written, by the path to it in ids.
    """

    setup: Setup
    problems: tuple[SetupProblem, ...]
    written: Mapping[Steps, str]

    def as_written(self, path: Steps) -> Steps:
        """A path into the setup, by the keys that its author wrote."""
        return tuple(self.written.get(path[: end + 1], step) for end, step in enumerate(path))


def in_ids(setup: Setup, refusals: Refusals, glossary: Glossary) -> Translation:
    """Put ids for the words of a setup, as far as a ruleset asks for them.

    Args:
        setup: As the config has it.
        refusals: What the ruleset finds wrong with a setup.
        glossary: Its words.
    """
    tree = _Tree(setup)
    for _ in range(_PASSES):
        problems = refusals(setup)
        changed = False
        # From the inside out and values before their keys, so that every path still leads to
        # where its problem was found.
        for problem in sorted(
            problems, key=lambda one: (-len(one.path), one.code == "unknown_key")
        ):
            if problem.code in _LOOKED_UP:
                name = glossary.meant(_word(problem), problem.candidates)
                changed |= bool(name) and tree.put(problem, name)
        if not changed:
            break
        setup = tree.setup()
    # What is still wrong with a value is told in the word that was written for it.
    told = tuple(
        replace(one, given=tree.values.get(one.path, one.given))
        if one.code == "unknown_name"
        else one
        for one in problems
    )
    return Translation(setup, told, tree.written)


def _word(problem: SetupProblem) -> object:
    return problem.path[-1] if problem.given is None and problem.path else problem.given


class _Tree:
    """A setup as plain data that can be written in, by the paths that problems name."""

    def __init__(self, setup: Setup) -> None:
        self.written: dict[Steps, str] = {}
        self.values: dict[Steps, object] = {}
        self._setup = setup
        self._root: dict[str, Any] = {
            "scene": deepcopy(setup.scene),
            "options": deepcopy(setup.options),
            **{
                one.name: {"sheet": deepcopy(one.sheet), "state": deepcopy(one.state)}
                for one in setup.cast
            },
        }

    def setup(self) -> Setup:
        """What stands there now."""
        cast = tuple(replace(one, **self._root[one.name]) for one in self._setup.cast)
        return Setup(cast, self._root["scene"], self._root["options"])

    def put(self, problem: SetupProblem, name: str) -> bool:
        """Write an id for the value at a path, or for the key that it ends in; False if it can't.

        A key that stands there under its id as well remains a mistake to be told.
        """
        *above, last = problem.path
        inside: Any = self._root
        for step in above:
            inside = inside[step]
        if problem.code == "unknown_name" and inside[last] == problem.given:
            inside[last] = name
            self.values.setdefault(problem.path, problem.given)
            return True
        if not isinstance(inside, dict) or name in inside:
            return False
        renamed = {name if key == last else key: value for key, value in inside.items()}
        inside.clear()
        inside.update(renamed)
        self.written = _moved(self.written, problem.path, name)
        self.values = _moved(self.values, problem.path, name)
        self.written[*above, name] = str(last)
        return True


def _moved(known: Mapping[Steps, T], renamed: Steps, name: str) -> dict[Steps, T]:
    """The same by path, after the key that a path ends in was renamed."""
    *above, _last = renamed
    return {
        (*above, name, *path[len(renamed) :]) if path[: len(renamed)] == renamed else path: value
        for path, value in known.items()
    }


def _entries(
    terms: Mapping[str, Any], category: str = ""
) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Every id with its category and its words, however deep the category lies."""
    for name, entry in terms.items():
        if isinstance(entry, Mapping):
            if "say" in entry:
                yield category, str(name), entry
            else:
                yield from _entries(entry, f"{category}.{name}")
