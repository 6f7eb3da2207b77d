"""The words of a thread: from what players write to ids, and back.

Built once from the verbs of a ruleset and the parsed terms of every language of the thread. The
thread's own language comes first: where a word means one thing in it and another in the next
language, it means the former. A word that means two things in one language is ambiguous and is
refused with the candidates.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

from referee.tags.commands import COMMANDS, FINAL_FLAG, REQUESTS
from referee.tags.near import MOST, near, nearest
from referee.tags.text import key
from rulesets.core.declarations import Kind
from rulesets.core.kinds import KINDS, kinds_of
from rulesets.core.ruleset import CharacterSetup, Verb

Terms = Mapping[str, Any]  # one parsed terms file: category -> id -> {say, accept}

KEYWORDS: Final = ("action", "standing", "roll", "command")
VERB_KEYWORDS: Final = frozenset(kind.value for kind in Kind)
TIMINGS: Final = ("after", "before", "when", "otherwise")
VERB_CATEGORY: Final[Mapping[Kind, str]] = {
    Kind.ACTION: "action",
    Kind.STANDING: "order",
    Kind.COMMAND: "command",
}


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a word stands for.

    Attributes:
        id: Of a verb, field, flag or value.
        sets: Fields that the word says besides, such as ``andar``: move, at a walk.
    """

    id: str
    sets: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Words:
    """One category of words, in all languages.

    Attributes:
        meanings: Folded word to its meanings; more than one is an ambiguity.
        said: Language to id to the word that we print.
        every: All ids.
        sole: Folded word to its id, where it has but one.
        longest: Number of words of the longest phrase.
    """

    meanings: Mapping[str, tuple[Meaning, ...]]
    said: Mapping[str, Mapping[str, str]]
    every: tuple[str, ...]
    sole: Mapping[str, str]
    longest: int

    @classmethod
    def of(cls, ids: Iterable[str] | None, terms: Mapping[str, Sequence[Terms]]) -> "Words":
        """Words by language, the thread's first; ``ids`` limits them to what the game knows.

        An id is understood as itself where no language uses the same word for something else,
        so that everything can be printed even where a language lacks a word for it.
        """
        meanings: dict[str, tuple[Meaning, ...]] = {}
        said: dict[str, dict[str, str]] = {}
        known = None if ids is None else tuple(ids)
        every: dict[str, None] = dict.fromkeys(known or ())
        for language, files in terms.items():
            here: dict[str, tuple[Meaning, ...]] = {}
            spoken = said.setdefault(language, {})
            for name, entry in (pair for file in files for pair in file.items()):
                if known is not None and name not in every:
                    continue
                every.setdefault(name)
                spoken.setdefault(name, str(entry["say"]))
                for word, meaning in words_of_entry(name, entry):
                    others = here.get(word, ())
                    if word and meaning not in others:
                        here[word] = (*others, meaning)
            meanings = {**here, **meanings}
        for name in every:
            meanings.setdefault(key(name), (Meaning(name),))
        longest = max((word.count(" ") + 1 for word in meanings), default=0)
        sole = {word: found[0].id for word, found in meanings.items() if len(found) == 1}
        return cls(MappingProxyType(meanings), said, tuple(every), sole, longest)

    def ids(self, word: str) -> tuple[str, ...]:
        """What a folded word may stand for."""
        return tuple(meaning.id for meaning in self.meanings.get(word, ()))

    def one(self, word: str, among: Iterable[str] | None = None) -> str:
        """The id that a folded word stands for, or an empty string where that is not sure."""
        if among is None:
            return self.sole.get(word, "")
        found = [m.id for m in self.meanings.get(word, ()) if m.id in among]
        return found[0] if len(found) == 1 else ""

    def without(self, words: frozenset[str]) -> "Words":
        """The same without some folded words, which somebody has a meaning of his own for."""
        meanings = {word: found for word, found in self.meanings.items() if word not in words}
        sole = {word: name for word, name in self.sole.items() if word not in words}
        return replace(self, meanings=MappingProxyType(meanings), sole=sole)

    def beginnings(self, text: str) -> Iterator[tuple[tuple[Meaning, ...], str]]:
        """Known phrases that a text begins with and what follows each; the longest first."""
        count = min(self.longest, text.count(" ") + 1)
        for length in range(count, 0, -1):
            parts = text.split(maxsplit=length)
            found = self.meanings.get(" ".join(map(key, parts[:length])))
            if found and len(parts) >= length:
                yield found, parts[length] if len(parts) > length else ""

    def endings(self, text: str) -> Iterator[tuple[tuple[Meaning, ...], str]]:
        """Known phrases that a text ends with and what stands before each; the longest first."""
        count = min(self.longest, text.count(" ") + 1)
        for length in range(count, 0, -1):
            parts = text.rsplit(maxsplit=length)
            found = self.meanings.get(" ".join(map(key, parts[-length:])))
            if found and len(parts) >= length:
                yield found, parts[0] if len(parts) > length else ""

    def holding(self, words: str) -> tuple[str, ...]:
        """Ids of phrases that hold all these folded words: *recio* of *ataque recio*."""
        wanted = set(words.split())
        found = {
            name: None for word, name in self.sole.items() if wanted and wanted <= {*word.split()}
        }
        return tuple(found)

    def say(self, name: str, language: str, among: Iterable[str] | None = None) -> str:
        """A word for an id that is read back as that id, in that language if it has one."""
        languages = (language, *(other for other in self.said if other != language))
        for spoken in (self.said.get(other, {}).get(name, "") for other in languages):
            if spoken and self.one(key(spoken), among) == name:
                return spoken
        for word, found in self.meanings.items():
            if any(meaning.id == name for meaning in found) and self.one(word, among) == name:
                return word
        return name

    def near(self, given: str, language: str, among: Iterable[str] | None = None) -> list[str]:
        """Printable words of what a misspelt folded word may have meant, nearest first."""
        words = self.meanings
        if among is not None:
            wanted = frozenset(among)
            words = MappingProxyType(
                {w: found for w, found in words.items() if any(m.id in wanted for m in found)}
            )
        close = [*near(given, words), *_same_beginning(given, words)]
        names = dict.fromkeys(meaning.id for word in close for meaning in words[word])
        return [self.say(name, language, among) for name in list(names)[:MOST]]

    def guess(self, given: str, language: str, among: Iterable[str] | None = None) -> str:
        """A word that says the one id that a misspelt folded word is nearest to, or nothing."""
        wanted = self.every if among is None else tuple(among)
        known = {word: name for word, name in self.sole.items() if name in wanted}
        name = nearest(given, known)
        if not name:
            return ""
        word = near(given, known)[0]
        return word if self.meanings[word][0].sets else self.say(name, language, among)


def words_of_entry(name: str, entry: Mapping[str, Any]) -> Iterable[tuple[str, Meaning]]:
    """The folded words of one entry of a terms file."""
    for form in ("say", "feminine", "plural"):
        if form in entry:
            yield key(str(entry[form])), Meaning(name)
    for accepted in entry.get("accept", ()):
        if isinstance(accepted, Mapping):
            sets = {str(k): str(value) for k, value in accepted["sets"].items()}
            yield key(str(accepted["word"])), Meaning(name, MappingProxyType(sets))
        else:
            yield key(str(accepted)), Meaning(name)


def _values(files: Sequence[Terms], name: str) -> Iterator[Terms]:
    """The words for what a field may hold: its own values first, then those of its kinds."""
    for file in files:
        yield (file.get("value") or {}).get(name) or {}
    if name in KINDS:
        for kind in kinds_of(name):
            yield from (
                file.get(kind) or (file.get("value") or {}).get(kind) or {} for file in files
            )


def _texts(value: object) -> Iterator[str]:
    """Every text of plain data, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name)
            yield from _texts(inner)
    elif isinstance(value, Sequence):
        for inner in value:
            yield from _texts(inner)


def _same_beginning(given: str, words: Iterable[str]) -> list[str]:
    """Phrases that begin with the same whole word: ``ataque fuerte`` and ``ataque recio``."""
    first = given.partition(" ")[0]
    if len(first) < 3:
        return []
    return [word for word in words if word == first or word.startswith(f"{first} ")]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All words that tags of a thread are made of.

    Attributes:
        languages: The thread's own first.
        rows: Rows of the game's verbs, by kind and id.
        keywords: ``acción``, ``reacción``, ``tirada``, ``árbitro``.
        timing: ``tras``, ``antes``, ``si``, ``si no``.
        verbs: Verbs of the game, by kind.
        commands: Shared commands of ``árbitro``.
        requests: Shared verbs of anyone.
        fields: Keys of fields.
        flags: Bare fields.
        values: Words that become ids, by field id.
        own: Values as a character has them who calls things of his own by such words, by name.
        triggers: Events of ``si``.
        particles: Small words that may stand before a name (``a``, ``al``, ``contra``).
        conjunctions: Folded words for *and*.
        conditions: States that a correction may add or take away.
    """

    languages: tuple[str, ...]
    rows: Mapping[Kind, Mapping[str, Verb]]
    keywords: Words
    timing: Words
    verbs: Mapping[Kind, Words]
    commands: Words
    requests: Words
    fields: Words
    flags: Words
    values: Mapping[str, Words]
    triggers: Words
    particles: Words
    conjunctions: Words
    conditions: Words
    own: Mapping[str, Mapping[str, Words]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        actions: Mapping[str, Verb],
        orders: Mapping[str, Verb],
        commands: Mapping[str, Verb],
        terms: Mapping[str, Sequence[Terms]],
    ) -> "Vocabulary":
        """The vocabulary of a thread.

        Args:
            actions: Verbs of ``acción``, as the ruleset lists them.
            orders: Verbs of ``reacción``.
            commands: Verbs of ``árbitro`` that belong to the game.
            terms: Language to its parsed terms files (the common one and the game's); the
                thread's own language first. A file is category -> id -> ``say`` and, where
                there are any, ``accept``, ``feminine``, ``plural``; an accepted word may be
                ``{word: andar, sets: {pace: walk}}``, which says fields besides.
        """
        rows = {Kind.ACTION: actions, Kind.STANDING: orders, Kind.COMMAND: commands}

        def words(category: str, ids: Iterable[str] | None = None) -> Words:
            return Words.of(
                ids,
                {
                    lang: [file.get(category) or {} for file in files]
                    for lang, files in terms.items()
                },
            )

        value_fields = dict.fromkeys(
            name for files in terms.values() for file in files for name in file.get("value") or ()
        )
        kinds = {kind for files in terms.values() for file in files for kind in file}
        kinds |= value_fields.keys()
        value_fields |= dict.fromkeys(name for name in KINDS if kinds.intersection(KINDS[name]))
        values = {
            name: Words.of(
                None,
                {lang: list(_values(files, name)) for lang, files in terms.items()},
            )
            for name in value_fields
        }
        every = [verb for table in rows.values() for verb in table.values()]
        every += [row.verb for row in COMMANDS.values()]
        flags = {FINAL_FLAG: None} | {flag: None for verb in every for flag in verb.flags}
        return cls(
            languages=tuple(terms),
            rows=rows,
            keywords=words("keyword", KEYWORDS),
            timing=words("timing", TIMINGS),
            verbs={kind: words(VERB_CATEGORY[kind], table) for kind, table in rows.items()},
            commands=words("command", COMMANDS),
            requests=words("request", REQUESTS),
            fields=words("field"),
            flags=words("flag", flags),
            values=values,
            triggers=words("trigger"),
            particles=words("particle"),
            conjunctions=words("conjunction"),
            conditions=words("condition"),
        )

    def with_cast(self, cast: Iterable[CharacterSetup]) -> "Vocabulary":
        """The vocabulary of a thread whose sheets name things of their own.

        A sheet that defines a weapon called *sword* means that one by it, whatever the rules'
        tables call so. What somebody else calls so counts too, for things change hands, unless
        the own sheet lists the thing of the tables.
        """
        cast = tuple(cast)
        own: dict[str, dict[str, Words]] = {}
        for name in self.values.keys() & KINDS.keys():
            words = self.values[name]
            ids = {key(one) for one in words.every}
            listed = {one.name: set(map(key, _texts(one.sheet))) for one in cast}
            named = {who: words.meanings.keys() & said - ids for who, said in listed.items()}
            for who, said in listed.items():
                others = frozenset().union(*(named[other] for other in named if other != who))
                taken = {word for word in others if said.isdisjoint(map(key, words.ids(word)))}
                if kept := frozenset(named[who] | taken):
                    own.setdefault(who, {})[name] = words.without(kept)
        return replace(self, own=own)

    def values_of(self, name: str, actor: str = "") -> Words | None:
        """The words for a field's values, as a character means them."""
        return self.own.get(actor, {}).get(name) or self.values.get(name)

    @property
    def language(self) -> str:
        """The thread's own language."""
        return self.languages[0]

    def begins_with_verb(self, keyword: str, text: str) -> bool:
        """Whether words under a keyword begin with a verb that may stand there."""
        if keyword not in VERB_KEYWORDS:
            return False
        tables = [self.verbs[Kind(keyword)], self.requests]
        if keyword == "command":
            tables.append(self.commands)
        return any(True for table in tables for _ in table.beginnings(text))

    @property
    def clashes(self) -> tuple[str, ...]:
        """Words that mean two verbs of one kind, two timings or two values of a field.

        A verb of the game must not be a word of what all games share either, which comes first.
        """
        tables = {
            "keyword": self.keywords,
            "timing": self.timing,
            "trigger": self.triggers,
            **{f"verb.{kind.value}": words for kind, words in self.verbs.items()},
            **{f"value.{name}": words for name, words in self.values.items()},
        }
        double = [
            f"{name}: {word}"
            for name, words in tables.items()
            for word, found in words.meanings.items()
            if len({meaning.id for meaning in found}) > 1
        ]
        shared = {Kind.ACTION: self.requests, Kind.STANDING: self.requests}
        for kind, words in ({**shared, Kind.COMMAND: self.commands}).items():
            taken = words.meanings.keys() & self.verbs[kind].meanings.keys()
            double += [f"verb.{kind.value}: {word}" for word in sorted(taken)]
        return tuple(double)
