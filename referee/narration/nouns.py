"""Persons and things as a sentence needs them: with article, pronoun and agreement.

The forms are data of the phrase bank (``grammar``), so a language brings its own. A phrase writes
``{{ actor }}`` for the name, ``{{ actor.o }}`` for the ending that agrees with it, and
``{{ weapon.the }}`` for the thing with its article.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from referee.narration.sandbox import Escape, Text

Forms = Mapping[str, Mapping[str, str]]

MAX_NAME_CHARS = 80


class Noun:
    """Words with a grammatical class; its forms are what ``grammar`` lists for that class.

    A form that holds ``{}`` has the words in it; any other replaces them, as a pronoun does.
    """

    __slots__ = ("_class", "_forms", "_words")

    def __init__(self, words: Text, class_: str, forms: Forms) -> None:
        """Keep the words, their class and the forms of all classes."""
        self._words = words
        self._class = class_
        self._forms = forms

    def __html__(self) -> str:
        """The words, escaped."""
        return self._words.__html__()

    def __str__(self) -> str:
        """The words, escaped."""
        return self.__html__()

    def __bool__(self) -> bool:
        """Whether there are words."""
        return bool(self._words)

    def __getattr__(self, form: str) -> Markup:
        """A form by its name. Raises ``AttributeError`` for one that the grammar lacks."""
        by_class = self._forms.get(form)
        if form.startswith("_") or by_class is None:
            raise AttributeError(form)
        plain, _, owner = self._class.partition("_")
        pattern = next(
            (
                by_class[class_]
                for class_ in (self._class, plain, f"_{owner}", "other")
                if class_ in by_class
            ),
            "{}",
        )
        # Forms are words of ours, or of the game master's like the rest of the bank.
        before, hole, after = pattern.partition("{}")
        words = self.__html__() if hole else ""
        return Markup(f"{before}{words}{after}")

    def raw_words(self) -> str:
        """The words unescaped, for the sound of a list. Out of reach for templates."""
        return self._words.raw_words()


@dataclass(frozen=True, slots=True)
class Grammar:
    """The forms of a language and the classes of its nouns.

    Attributes:
        person: Forms of persons, by form and then by gender: ``m``, ``f``, ``n``, ``p`` (several).
        thing: Forms of things, by form and then by class, by class and owner (``c_m``), or by the
            owner alone (``_m``).
        nouns: By category and folded id: class, and the words where they are not the id itself.
        endings: Endings of words and the class that a common noun with one has; first come.
        unknown: Class of a thing that nobody has listed; its forms say ``su {}`` or ``their {}``.
    """

    person: Forms
    thing: Forms
    nouns: Mapping[str, Mapping[str, tuple[str, str]]]
    endings: Mapping[str, str]
    unknown: str = "unknown"

    def of_person(self, name: str, gender: str, escape: Escape) -> Noun:
        """A character."""
        words = name if len(name) <= MAX_NAME_CHARS else name[: MAX_NAME_CHARS - 1] + "…"
        return Noun(Text(words, escape), gender, self.person)

    def of_people(self, names: Sequence[str], listed: Markup) -> Noun:
        """Several characters, whose names are listed already."""
        return Noun(Listed(", ".join(names), listed), "p", self.person)

    def of_thing(self, category: str, id_: str, words: str, owner: str, escape: Escape) -> Noun:
        """A weapon, a place of the body, an object.

        Args:
            category: Where to look it up.
            id_: What the event calls it.
            words: What the terms call it; the id itself where they do not know it.
            owner: Gender of the one it belongs to, for ``his`` and ``her``.
            escape: Of the dialect.
        """
        known = self._known(category, id_.casefold())
        # "espada de Toledo" is a sword: the head noun comes first in the words' own language.
        head = known or self._known(category, id_.casefold().split(" ", 1)[0])
        is_known = head is not None and (known is not None or not head[1])
        class_ = head[0] if head is not None and is_known else self._guessed(words)
        if known is not None:
            words = known[1] or words
        return Noun(Text(words, escape), f"{class_}_{owner}", self.thing)

    def _guessed(self, words: str) -> str:
        """The class of a common noun by its ending; a name of its own has none."""
        head = words.split(" ", 1)[0]
        if not head[:1].islower():
            return self.unknown
        found = (class_ for ending, class_ in self.endings.items() if head.endswith(ending))
        return next(found, self.unknown)

    def _known(self, category: str, id_: str) -> tuple[str, str] | None:
        """A noun of the category, or else of any other: a shield can be struck with, too."""
        first = self.nouns.get(category, {}).get(id_)
        if first is not None:
            return first
        return next((nouns[id_] for nouns in self.nouns.values() if id_ in nouns), None)


class Listed(Text):
    """Names that have been escaped and listed already."""

    __slots__ = ("_listed",)

    def __init__(self, raw: str, listed: Markup) -> None:
        """Keep both."""
        super().__init__(raw, str)
        self._listed = listed

    def __html__(self) -> str:
        """The list."""
        return self._listed
