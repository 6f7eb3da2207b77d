"""How one game is spoken of: sentences, names that agree, lists, moments, prose from events."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Any, Final

from markupsafe import Markup

from referee.narration.bank import Bank
from referee.narration.figures import MINUS
from referee.narration.nouns import Noun
from referee.narration.press import Press
from referee.narration.prose import Teller, told
from referee.narration.sandbox import Text
from referee.narration.stories import Fact, Game
from referee.narration.words import ListStyle, Words
from rulesets.core.events import Event
from rulesets.core.ruleset import Combatant

Values = dict[str, Any]

NO_GAME: Final = Game("", "")

_NOTHING: Final[Mapping[str, Any]] = {}
# What a sentence may ask about though nobody has said: "is there a reason?"
_BLANK: Final[Mapping[str, Any]] = dict.fromkeys(
    ("actor", "after", "against", "amount", "before", "bonus", "candidates", "count", "cure",
     "detail", "distance", "endurance", "expected", "field", "given", "health", "injuries",
     "label", "left", "limit", "minimum", "reason", "record", "seed", "severity", "tag", "target",
     "unit", "wounds"),
    "",
)  # fmt: skip
# Facts of sentences that hold a character's name.
_PERSONS: Final = frozenset({"actor", "against", "holder", "leaver", "name", "target", "who"})


class Voice:
    """Words, phrases and a press, for one game."""

    def __init__(self, words: Words, bank: Bank, press: Press, game: Game) -> None:
        """Keep them."""
        self.words = words
        self.bank = bank
        self.press = press
        self.game = game

    def functions(self) -> dict[str, Callable[..., Any]]:
        """What templates, sentences and phrases may call, beside the dialect's own functions."""
        return {
            "say": self._said,
            "term": self._term,
            "moment": self._moment,
            "listed": self.listed,
            "columns": _columns,
            "terms": self._terms,
            "shown": self._shown,
            "signed": signed,
            "unsigned": unsigned,
        }

    # ------------------------------------------------------------------ sentences

    def say(
        self, sections: str | Sequence[str], code: str, facts: Mapping[str, Any] = _NOTHING
    ) -> Markup:
        """The sentence of a code, in the first of these sections that has it."""
        sections = [sections] if isinstance(sections, str) else sections
        count = facts.get("count")
        number = count if isinstance(count, int) else None
        values = {**_BLANK, **facts, **self.functions()}
        for section in sections:
            sources = self.words.sources(section, code, number)
            said = self.press.sentence(f"messages.{section}.{code}", sources, values)
            if said is not None:
                return said
        # Never silent: an unknown code is still a hint, and a test keeps all codes known.
        return self.press.markup(code)

    def facts(self, sections: str | Sequence[str], facts: Iterable[Fact]) -> list[Markup]:
        """Sentences, one for each fact."""
        return [self.say(sections, fact.code, self.dressed(fact.facts)) for fact in facts]

    def dressed(self, facts: Mapping[str, object]) -> Values:
        """Facts as sentences need them: names agree, words are escaped."""
        return {
            name: self.person(value)
            if name in _PERSONS and isinstance(value, str)
            else self.value(value)
            for name, value in facts.items()
        }

    def value(self, value: object) -> Any:
        """Any fact: words from outside are escaped, whatever they are wrapped in."""
        if value is None:
            return ""
        if isinstance(value, (bool, int)) or hasattr(value, "__html__"):
            return value
        if isinstance(value, datetime):
            return self.text(value.isoformat())
        if isinstance(value, Mapping):
            return {str(key): self.value(item) for key, item in value.items()}
        if isinstance(value, Iterable) and not isinstance(value, str):
            return [self.value(item) for item in value]
        return self.text(value)

    def _said(self, section: str, code: object, **facts: object) -> Markup:
        return self.say(section, raw(code), self.dressed(facts))

    # ------------------------------------------------------------------ words

    def text(self, words: object) -> Text:
        """Words from outside."""
        return self.press.text(words)

    def texts(self, words: Iterable[str]) -> list[Text]:
        """Several."""
        return [self.text(one) for one in words]

    def gender(self, name: str) -> str:
        """``m``, ``f`` or ``n`` of a character."""
        return self.game.genders.get(name, "n")

    def person(self, name: str) -> Noun:
        """A character, for agreement."""
        return self.bank.grammar.of_person(name, self.gender(name), self.press.escape)

    def term(self, category: str, name: str, gender: str = "m") -> Text:
        """What an id is called; the id where nobody has said."""
        return self.text(self.words.term(category, name, gender) or name)

    def _term(self, category: str, name: object, person: object = None) -> Text:
        gender = self.gender(person.raw_words()) if isinstance(person, Noun) else "m"
        return self.term(category, raw(name), gender)

    def _terms(self, category: str, names: Iterable[object]) -> list[Text]:
        return [self.term(category, raw(name)) for name in names]

    def _shown(self, value: object, field: object = "", person: object = None) -> Any:
        """What a field of somebody's state holds, in words."""
        if isinstance(value, bool):
            return self.say("part", "yes" if value else "no")
        name = raw(field)
        if isinstance(value, Mapping):
            pairs = [
                Markup("{}: {}").format(self._term(name, key, person), self._shown(item, field))
                for key, item in value.items()
            ]
            return self.listed(pairs) if pairs else self.say("part", "nothing")
        if isinstance(value, (list, tuple)):
            words = [self._item(name, raw(item), person) for item in value]
            return self.listed(words) if words else self.say("part", "nothing")
        if isinstance(value, int):
            return value
        if not raw(value):
            return self.say("part", "nothing")
        return self._term(name, value, person) if name else value

    def _item(self, field: str, item: str, person: object) -> Text:
        """One of the things that a field of somebody's state lists, such as ``flank: Moro``."""
        head, mark, rest = item.partition(": ")
        if mark and self.words.term(field, item) is None:
            return self.text(f"{raw(self._term(field, head, person))}{mark}{rest}")
        return self._term(field, item, person)

    def listed(self, items: Sequence[object], style: ListStyle = "standard") -> Markup:
        """``a, b y c``, escaped."""
        between = self.words.separators([raw(item) for item in items], style)
        pieces: list[Markup] = []
        for item, mark in zip_longest(items, between, fillvalue=""):
            pieces += [self.press.markup(item), self.press.markup(mark)]
        return Markup("").join(pieces)

    def moment(self, at: datetime | None) -> Markup | None:
        """On the game's clock and in UTC."""
        if at is None:
            return None
        local, utc = self.words.moment(at, self.game.zone)
        return self.say("format", "both" if utc else "one", {"local": local, "utc": utc})

    def _moment(self, at: object) -> Markup:
        when = datetime.fromisoformat(raw(at))
        return self.moment(when if when.tzinfo else when.replace(tzinfo=UTC)) or Markup("")

    # ------------------------------------------------------------------ prose

    def prose(
        self, events: Sequence[Event], roster: Sequence[Combatant], round_: int
    ) -> tuple[Markup, ...]:
        """Paragraphs from events; ``roster`` is everybody before them."""
        functions = self.functions()

        def printed(entry: str, phrase: str, values: Mapping[str, Any]) -> Markup | None:
            said = self.press.sentence(f"phrases.{entry}", [phrase], {**values, **functions})
            # Names are escaped by now, and the conjunction is no part of any escape.
            return said and Markup(self.words.euphonic(said))

        return told(Teller(self.bank, printed, self._noun), events, roster, self.game.id, round_)

    def _noun(self, kind: str, value: Any, facts: Mapping[str, Any]) -> Any:
        """A field of an event as phrases speak of it; ``kind`` is what the bank calls it."""
        family, _, category = kind.partition(".")
        match family:
            case "person":
                return self._people(value)
            case "thing":
                return self._thing(category, str(value), str(facts.get("actor", "")))
            case "term":
                gender = self.gender(str(facts.get("actor", "")))
                return self.term(category, str(value), gender)
            case "shown":
                who = self.person(str(facts.get("actor", "")))
                return self._shown(self.value(value), str(facts.get(category, "")), who)
            case _:
                return self.value(value)

    def _people(self, value: Any) -> Noun:
        if isinstance(value, str):
            return self.person(value)
        names = [str(name) for name in value]
        return self.bank.grammar.of_people(names, self.listed([self.person(n) for n in names]))

    def _thing(self, category: str, name: str, owner: str) -> Noun:
        if name in self.game.genders:
            return self.person(name)  # somebody in the way of a blow
        words = self.words.term(category, name) or name
        escape = self.press.escape
        return self.bank.grammar.of_thing(category, name, words, self.gender(owner), escape)


def raw(words: object) -> str:
    """Words unescaped: for looking them up, and for the sound of a list."""
    return words.raw_words() if isinstance(words, (Text, Noun)) else str(words)


def signed(value: int) -> Markup:
    """A figure with its sign, with a true minus; nothing in it needs escaping."""
    return Markup(f"{MINUS if value < 0 else '+'}{abs(value)}")


def unsigned(value: int) -> Markup:
    """A figure that shows its sign only below zero, with a true minus."""
    return Markup(f"{MINUS}{-value}" if value < 0 else str(value))


def _columns(rows: Sequence[Mapping[str, Any]], *names: str) -> list[list[Any]]:
    """Rows of cells for a table, out of views."""
    return [[row[name] for name in names] for row in rows]
