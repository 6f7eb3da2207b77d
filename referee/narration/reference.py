"""The player's reference: every verb with a tag to copy, its cost and its rule in one line.

Plain text without markup: headings, and lines that begin with a dash and end with a tag. It is
made from the vocabulary (what can be written) and from the bank's ``reference`` (what it means).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from referee.narration.words import Words
from rulesets.core.declarations import Kind, fold
from rulesets.core.kinds import KINDS
from rulesets.core.ruleset import Verb

DASH: Final = "- "
_KEYWORDS: Final = {Kind.ACTION: "action", Kind.STANDING: "order"}


class Spoken(Protocol):
    """Words of one category, as the vocabulary of tags has them."""

    def say(self, name: str, language: str, among: Iterable[str] | None = None) -> str:
        """A word for an id that is read back as that id."""
        ...


class Vocabulary(Protocol):
    """What tags can be made of; ``referee.tags.Vocabulary`` is one."""

    @property
    def keywords(self) -> Spoken:
        """``acción``, ``reacción`` ..."""
        ...

    @property
    def verbs(self) -> Mapping[Kind, Spoken]:
        """Verbs by kind."""
        ...

    @property
    def fields(self) -> Spoken:
        """Keys of fields."""
        ...

    @property
    def flags(self) -> Spoken:
        """Bare fields."""
        ...

    @property
    def values(self) -> Mapping[str, Any]:
        """Words that become ids, by field."""
        ...


class Game(Protocol):
    """What the reference must know of a ruleset."""

    @property
    def actions(self) -> Mapping[str, Verb]:
        """Verbs of ``acción``."""
        ...

    @property
    def orders(self) -> Mapping[str, Verb]:
        """Verbs of ``reacción``."""
        ...


def reference(game: Game, vocabulary: Vocabulary, words: Words, topic: str = "") -> str:
    """The reference, whole or of one topic.

    Args:
        game: The ruleset.
        vocabulary: The words of the thread.
        words: The language's words, with the lines of the game.
        topic: Id of a verb, or whatever was asked for; empty for everything.
    """
    sheet = _Sheet(game, vocabulary, words)
    if not topic.strip():
        return "\n".join(sheet.everything())
    lines = list(sheet.about(topic))
    if lines:
        return "\n".join(lines)
    unknown = str(words.entry("help", "unknown")).format(given=topic)
    return "\n".join([unknown, *sheet.everything()])


def tag_in(line: str) -> tuple[str, str]:
    """A line of the reference without its tag, and the tag; empty where there is none."""
    at = line.find("[")
    return (line, "") if at < 0 else (line[:at].rstrip(), line[at:])


class _Sheet:
    """The reference of one game in one language."""

    def __init__(self, game: Game, vocabulary: Vocabulary, words: Words) -> None:
        self.rows: dict[Kind, Mapping[str, Verb]] = {
            Kind.ACTION: game.actions,
            Kind.STANDING: game.orders,
        }
        self.vocabulary = vocabulary
        self.words = words
        self.lines = words.lines

    def everything(self) -> Iterator[str]:
        """All verbs, by group."""
        for heading in ("title", "intro"):
            if heading in self.lines:
                yield str(self.lines[heading])
        told: set[str] = set()
        for group in self.lines.get("groups", ()):
            verbs = [verb for verb in group["verbs"] if verb in self.rows[Kind.ACTION]]
            told.update(verbs)
            yield str(group["title"])
            yield from (self.line(Kind.ACTION, verb) for verb in verbs)
        rest = [verb for verb in self.rows[Kind.ACTION] if verb not in told]
        if rest:
            yield self._part("actions")
            yield from (self.line(Kind.ACTION, verb) for verb in rest)
        yield self._part("orders")
        yield from (self.line(Kind.STANDING, verb) for verb in self.rows[Kind.STANDING])
        yield self._part("requests")
        yield from self._fixed("timing")
        yield from self._fixed("requests")
        yield self._part("commands")
        yield from self._fixed("commands")

    def about(self, topic: str) -> Iterator[str]:
        """Lines about one topic: a verb by its id, or verbs whose words hold what was asked for."""
        wanted = fold(topic)
        if topic in ("action", "standing", "roll", "command"):
            yield from self._of_keyword(topic)
            return
        for kind, rows in self.rows.items():
            said = {verb: fold(self._verb(kind, verb)) for verb in rows}
            exact = [verb for verb in rows if wanted in (verb, said[verb])]
            for verb in exact or [verb for verb in rows if wanted in said[verb].split()]:
                yield self.line(kind, verb)
                yield from self._takes(kind, rows[verb])
        for section in ("requests", "commands"):
            for tag, meaning in self._pairs(section):
                if wanted in fold(tag).replace("|", " ").strip("[]").split():
                    yield f"{DASH}{meaning}: {tag}"

    def line(self, kind: Kind, verb: str) -> str:
        """One verb: what it is called, what it costs, what it does, and a tag."""
        row = self.rows[kind][verb]
        entry = self._entry(kind, verb)
        cost = self.words.term("cost", row.cost) if row.cost else None
        name = f"{self._verb(kind, verb)} ({cost})" if cost else self._verb(kind, verb)
        said = f": {entry['say']}" if "say" in entry else ""
        stop = "" if said.endswith(".") else "."
        return f"{DASH}{name}{said}{stop} {self.tag(kind, verb)}"

    def tag(self, kind: Kind, verb: str) -> str:
        """A tag that can be copied."""
        row, entry = self.rows[kind][verb], self._entry(kind, verb)
        parts = [self._verb(kind, verb)]
        for name, value in entry.get("with", {}).items():
            parts.append(f"{self._field(row, name)}: {self._value(name, str(value))}")
        parts += [
            self.vocabulary.flags.say(flag, self.words.lang) for flag in entry.get("flags", ())
        ]
        parts += map(str, entry.get("clauses", ()))
        keyword = self.vocabulary.keywords.say(kind.value, self.words.lang)
        return f"[{keyword}: {' | '.join(parts)}]"

    def _takes(self, kind: Kind, row: Verb) -> Iterator[str]:
        """Fields and flags that the sample tag does not show."""
        entry = self._entry(kind, row.id)
        shown = {*entry.get("with", {}), *entry.get("flags", ())}
        more = [
            self._field(row, name) + self._choices(name) for name in row.fields if name not in shown
        ]
        more += [
            self.vocabulary.flags.say(flag, self.words.lang)
            for flag in row.flags
            if flag not in shown
        ]
        if more:
            yield DASH + str(self.words.entry("help", "takes")).format(given="; ".join(more))

    def _choices(self, field: str) -> str:
        values = self.vocabulary.values.get(field)
        # What one can strike with or wear is on one's own sheet: the rules' whole list says little.
        if values is None or len(values.every) < 2 or field in KINDS:
            return ""
        return f" ({', '.join(values.say(name, self.words.lang) for name in values.every)})"

    def _of_keyword(self, keyword: str) -> Iterator[str]:
        if keyword == "command":
            yield from self._fixed("commands")
        elif keyword == "roll":
            yield from self._fixed("requests")
        else:
            kind = Kind(keyword)
            yield from (self.line(kind, verb) for verb in self.rows[kind])

    def _fixed(self, section: str) -> Iterator[str]:
        yield from (f"{DASH}{meaning}. {tag}" for tag, meaning in self._pairs(section))

    def _pairs(self, section: str) -> Sequence[tuple[str, str]]:
        found = self.words.entry("help", section)
        return [(str(tag), str(meaning)) for tag, meaning in found] if found else []

    def _part(self, name: str) -> str:
        return str(self.words.entry("help", "parts", name))

    def _entry(self, kind: Kind, verb: str) -> Mapping[str, Any]:
        entry: Mapping[str, Any] = self.lines.get(_KEYWORDS[kind], {}).get(verb, {})
        return entry

    def _verb(self, kind: Kind, verb: str) -> str:
        return self.vocabulary.verbs[kind].say(verb, self.words.lang)

    def _field(self, row: Verb, name: str) -> str:
        return self.vocabulary.fields.say(name, self.words.lang, row.fields)

    def _value(self, field: str, value: str) -> str:
        values = self.vocabulary.values.get(field)
        if values is None:
            return value
        parts = (part.strip() for part in value.split(","))
        return ", ".join(str(values.say(part, self.words.lang)) for part in parts)
