"""The phrase bank of a game: which words tell which events. Data, checked once when it is read.

An entry has ``on``, a list of events that must follow each other, and ``say``, the phrasings. A
phrase that begins with a comma or a lower-case joint (``, pero``) continues the sentence; any other
begins a new one. ``openers`` begin the sentence of an action, before it is said how it went;
``clauses`` say how it went, the longest match first; ``figures`` are the numbers in brackets at the
end of the sentence. An entry can ask for values of fields but works nothing out.

A game master's ``say`` joins ours (the data room sees to that); ``instead`` takes its place.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from referee.narration.nouns import Grammar

MAX_ENTRIES: Final = 5_000
MAX_PHRASES: Final = 200

Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BankProblem:
    """An entry of a phrase bank that cannot be used; it is left out.

    Attributes:
        entry: Section and id, such as ``clauses.parried``.
        code: ``no_mapping``, ``no_phrases``, ``bad_condition``, ``too_many``.
        detail: What stands there.
    """

    entry: str
    code: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an event must be to match.

    Attributes:
        type: Its type.
        values: Fields and the values that will do, as text.
        least: Fields and the least they may hold.
        most: Fields and the most they may hold.
        same: Fields that must hold what they hold in the first event of the pattern.
        optional: Whether the pattern matches without it.
    """

    type: str
    values: tuple[tuple[str, frozenset[str]], ...] = ()
    least: tuple[tuple[str, int], ...] = ()
    most: tuple[tuple[str, int], ...] = ()
    same: tuple[str, ...] = ()
    optional: bool = False

    def fits(self, facts: Facts, first: Facts | None = None) -> bool:
        """Whether an event with these facts matches, in a pattern that began with ``first``."""
        if facts["type"] != self.type:
            return False
        if first is not None and any(facts.get(name) != first.get(name) for name in self.same):
            return False
        if any(_text(facts.get(name)) not in values for name, values in self.values):
            return False
        if any(_number(facts.get(name)) < bound for name, bound in self.least):
            return False
        return all(_number(facts.get(name)) <= bound for name, bound in self.most)

    @property
    def weight(self) -> int:
        """How much it asks for."""
        return 1 + len(self.values) + len(self.least) + len(self.most)


@dataclass(frozen=True, slots=True)
class Entry:
    """A way to tell one event or several in a row.

    Attributes:
        id: Section and key; the phrases are counted by it.
        on: The events.
        say: The phrasings, in the order of the file.
        joins: Whether the next action stays in the same paragraph.
        priority: Goes before the number of events.
    """

    id: str
    on: tuple[Wanted, ...]
    say: tuple[str, ...]
    joins: bool = False
    priority: int = 0

    @property
    def rank(self) -> tuple[int, int, int]:
        """By priority, then by how many events it needs, then by how much it asks of them."""
        needed = [wanted for wanted in self.on if not wanted.optional]
        return self.priority, len(needed), sum(wanted.weight for wanted in needed)


@dataclass(frozen=True, slots=True)
class Bank:
    """What a game's events are told with in one language.

    Attributes:
        grammar: Forms of persons and things.
        fields: What an event's field holds: ``person``, ``thing.weapon``, ``term.action``.
        heads: Events that begin something new: a paragraph, when somebody else acts; those of one
            group stay together whoever acts.
        quiet: Events that only show in the figures, where no entry tells them.
        openers, clauses, figures: By type of the first event, the best match first.
        weights: Names for the share of a victim's health that a blow takes, the heaviest first.
        problems: Entries that were left out.
    """

    grammar: Grammar
    fields: Mapping[str, str]
    heads: tuple[tuple[Wanted, str], ...]
    quiet: frozenset[str]
    openers: Mapping[str, tuple[Entry, ...]]
    clauses: Mapping[str, tuple[Entry, ...]]
    figures: Mapping[str, tuple[Entry, ...]]
    weights: tuple[tuple[str, int], ...]
    problems: tuple[BankProblem, ...] = field(default=(), compare=False)

    @classmethod
    def of(cls, raw: Mapping[str, Any], terms: Sequence[Mapping[str, Any]] = ()) -> "Bank":
        """Read a parsed ``phrases/<ruleset>.yaml``; what is wrong in it is left out and listed.

        Args:
            raw: The bank.
            terms: Parsed terms: an entry with a ``noun`` is a thing that can be spoken of.
        """
        problems: list[BankProblem] = []
        reader = _Reader(raw, problems, terms)
        return cls(
            grammar=reader.grammar(),
            fields=reader.texts("fields"),
            heads=tuple(reader.heads()),
            quiet=frozenset(str(item) for item in raw.get("quiet", [])),
            openers=_by_type(reader.entries("openers")),
            clauses=_by_type(reader.entries("clauses")),
            figures=_by_type(reader.entries("figures")),
            weights=tuple(
                sorted(
                    ((str(k), _number(v)) for k, v in reader.mapping("weights").items()),
                    key=lambda pair: -pair[1],
                )
            ),
            problems=tuple(problems),
        )

    def phrases(self) -> Iterator[tuple[str, str]]:
        """Every phrase with the id of its entry."""
        for section in (self.openers, self.clauses, self.figures):
            for entries in section.values():
                for entry in entries:
                    for phrase in entry.say:
                        yield entry.id, phrase


def _by_type(entries: Iterable[Entry]) -> dict[str, tuple[Entry, ...]]:
    by_type: dict[str, list[Entry]] = {}
    for entry in entries:
        for type_ in _first_types(entry):
            by_type.setdefault(type_, []).append(entry)
    # Stable: of two that ask for as much, the one that stands first in the file wins.
    return {
        type_: tuple(sorted(found, key=lambda entry: entry.rank, reverse=True))
        for type_, found in by_type.items()
    }


def _first_types(entry: Entry) -> list[str]:
    """Types that the first event can have: an optional one may be missing."""
    types: list[str] = []
    for wanted in entry.on:
        types.append(wanted.type)
        if not wanted.optional:
            break
    return types


class _Reader:
    """Takes a parsed bank apart, noting what is wrong."""

    def __init__(
        self,
        raw: Mapping[str, Any],
        problems: list[BankProblem],
        terms: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self.raw = raw
        self.problems = problems
        self.terms = terms

    def mapping(self, section: str) -> Mapping[str, Any]:
        found = self.raw.get(section, {})
        if isinstance(found, Mapping):
            return found
        self.problems.append(BankProblem(section, "no_mapping", str(found)[:80]))
        return {}

    def texts(self, section: str) -> dict[str, str]:
        return _texts(self.mapping(section))

    def grammar(self) -> Grammar:
        grammar = self.mapping("grammar")
        return Grammar(
            person=_forms(grammar.get("person", {})),
            thing=_forms(grammar.get("thing", {})),
            endings=_texts(grammar.get("endings")),
            nouns=self.nouns(),
        )

    def nouns(self) -> dict[str, dict[str, tuple[str, str]]]:
        """Nouns of the terms, and those of the bank, which come first."""
        found: dict[str, dict[str, tuple[str, str]]] = {}
        for file in reversed(self.terms):
            for category, entries in file.items():
                if not isinstance(entries, Mapping):
                    continue
                for id_, entry in entries.items():
                    if isinstance(entry, Mapping) and "noun" in entry:
                        named = found.setdefault(str(category), {})
                        named[str(id_).casefold()] = _noun_of_term(str(id_), entry)
        for category, nouns in self.mapping("nouns").items():
            if isinstance(nouns, Mapping):
                own = {str(id_).casefold(): _noun(noun) for id_, noun in nouns.items()}
                found[str(category)] = {**found.get(str(category), {}), **own}
        return found

    def heads(self) -> Iterator[tuple[Wanted, str]]:
        for item in _listed(self.raw.get("heads", [])):
            group = str(item.get("group", "")) if isinstance(item, Mapping) else ""
            for wanted in self.wanted("heads", [item]):
                yield wanted, group

    def entries(self, section: str) -> Iterator[Entry]:
        for number, (key, raw) in enumerate(self.mapping(section).items()):
            id_ = f"{section}.{key}"
            if number >= MAX_ENTRIES:
                self.problems.append(BankProblem(id_, "too_many", str(MAX_ENTRIES)))
                return
            if not isinstance(raw, Mapping):
                self.problems.append(BankProblem(id_, "no_mapping", str(raw)[:80]))
                continue
            on = tuple(self.wanted(id_, raw.get("on", key)))
            said = raw.get("instead", raw.get("say", []))
            say = tuple(str(phrase) for phrase in _listed(said))[:MAX_PHRASES]
            if not on or not any(not wanted.optional for wanted in on):
                continue
            if not say:
                self.problems.append(BankProblem(id_, "no_phrases"))
                continue
            yield Entry(id_, on, say, bool(raw.get("joins")), _number(raw.get("priority")))

    def wanted(self, id_: str, raw: Any) -> Iterator[Wanted]:
        for item in _listed(raw):
            if isinstance(item, str):
                yield Wanted(item)
            elif isinstance(item, Mapping) and "type" in item:
                yield self._conditions(id_, item)
            else:
                self.problems.append(BankProblem(id_, "bad_condition", str(item)[:80]))
                return

    def _conditions(self, id_: str, item: Mapping[str, Any]) -> Wanted:
        values, least, most = [], [], []
        for name, value in item.items():
            if name in ("type", "optional", "same", "group"):
                continue
            if isinstance(value, Mapping):
                least += [(name, _number(value["min"]))] if "min" in value else []
                most += [(name, _number(value["max"]))] if "max" in value else []
                if not {"min", "max"} & set(value):
                    self.problems.append(BankProblem(id_, "bad_condition", str(value)[:80]))
            else:
                values.append((str(name), frozenset(_text(one) for one in _listed(value))))
        same = tuple(str(name) for name in _listed(item["same"])) if "same" in item else ()
        return Wanted(
            type=str(item["type"]),
            values=tuple(values),
            least=tuple(least),
            most=tuple(most),
            same=same,
            optional=bool(item.get("optional")),
        )


def _texts(raw: Any) -> dict[str, str]:
    return {str(k): str(v) for k, v in raw.items()} if isinstance(raw, Mapping) else {}


def _forms(raw: Any) -> dict[str, dict[str, str]]:
    if not isinstance(raw, Mapping):
        return {}
    return {
        str(form): {str(class_): str(words) for class_, words in classes.items()}
        for form, classes in raw.items()
        if isinstance(classes, Mapping)
    }


def _noun(raw: Any) -> tuple[str, str]:
    """Class and words: ``f``, or ``[c, sword]`` where the words are not the id."""
    if isinstance(raw, Sequence) and not isinstance(raw, str):
        class_, *words = (str(item) for item in raw)
        return class_, words[0] if words else ""
    return str(raw), ""


def _noun_of_term(id_: str, entry: Mapping[str, Any]) -> tuple[str, str]:
    """Class and words of a thing: those that it is called by, unless a sentence wants others."""
    class_, words = _noun(entry["noun"])
    words = words or str(entry.get("say", ""))
    return class_, "" if words == id_ else words


def _listed(raw: Any) -> list[Any]:
    if isinstance(raw, Sequence) and not isinstance(raw, str):
        return list(raw)
    return [raw]


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
