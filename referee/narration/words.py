"""Words by id in one language: terms, agreement, lists, plurals, moments. No sentence stands here.

Terms come from ``templates/<lang>/terms``, sentences and forms from ``messages.yaml``. Mappings are
layered: the game master's own first, the built-in last.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any, Final, Literal, TypeAlias

from babel import Locale
from babel.dates import format_datetime
from babel.lists import format_list

from rulesets.core.declarations import fold
from rulesets.core.kinds import KINDS, kinds_of

_AND_BEFORE_I: Final = re.compile(r"\by (?=H?[IiÍí](?![aeo]))")

ListStyle: TypeAlias = Literal["standard", "or"]


class Words:
    """What a language calls things.

    Attributes:
        lang: Language code, such as ``es``.
        lines: What each verb of the game does, for the reference.
    """

    def __init__(
        self,
        lang: str,
        messages: Sequence[Mapping[str, Any]],
        terms: Sequence[Mapping[str, Any]],
        lines: Mapping[str, Any] | None = None,
    ) -> None:
        """Keep the layers.

        Args:
            lang: Language code.
            messages: Parsed ``messages.yaml``, the game master's first.
            terms: Parsed terms, the game's before the common ones.
            lines: ``reference`` of the game's phrase bank: what each verb does.
        """
        self.lang = lang
        self._locale = Locale.parse(lang)
        self._messages = messages
        self._terms = terms
        self.lines: Mapping[str, Any] = lines or {}

    def sources(self, section: str, code: str, count: int | None = None) -> tuple[str, ...]:
        """The sentences of a key, the game master's first; each is a small template.

        Args:
            section: Section of ``messages.yaml``, such as ``tag`` or ``refusal``.
            code: The key in it.
            count: Which plural form, where the sentence has several.
        """
        found = []
        for layer in self._messages:
            entry = _entry(layer, section, code)
            if isinstance(entry, Mapping):
                form = "other" if count is None else self._locale.plural_form(count)
                entry = entry.get(form, entry.get("other"))
            if isinstance(entry, str) and entry not in found:
                found.append(entry)
        return tuple(found)

    def entry(self, *keys: str) -> Any:
        """What stands at a place of the messages, the game master's first; None for nothing."""
        found = (_entry(layer, *keys) for layer in self._messages)
        return next((entry for entry in found if entry is not None), None)

    def sentences(self) -> Iterator[tuple[str, str]]:
        """Every sentence of every layer, by its key with dots between."""
        for layer in self._messages:
            yield from _leaves(layer, ())

    def term(self, category: str, name: str, gender: str = "m") -> str | None:
        """What an id is called, or None where nobody has said.

        Args:
            category: ``condition``, ``action`` ...; the id of a field finds what it may hold.
            name: The id.
            gender: Of the one it is said of: ``f`` takes the feminine form where there is one.
        """
        places: list[tuple[str, ...]] = [(category,), ("value", category)]
        if category in KINDS:  # what is said of one field goes before what is said of its kinds
            places = [("value", category)]
            places += [place for kind in kinds_of(category) for place in ((kind,), ("value", kind))]
        for layer in self._terms:
            found = (_entry(layer, *place, name) for place in places)
            entry = next((entry for entry in found if entry is not None), None)
            if isinstance(entry, str):
                return entry
            if isinstance(entry, Mapping):
                feminine = entry.get("feminine") if gender == "f" else None
                say = feminine or entry.get("say")
                if say is not None:
                    return str(say)
        return None

    def id_of(self, category: str, word: str) -> str:
        """The id that a folded word stands for in a category, or an empty string."""
        for layer in self._terms:
            entries = layer.get(category)
            if isinstance(entries, Mapping):
                for name, entry in entries.items():
                    if word in {fold(form) for form in _said(entry)}:
                        return str(name)
        return ""

    def separators(self, items: Sequence[str], style: ListStyle = "standard") -> tuple[str, ...]:
        """What stands between the items of a list: ``, `` and `` y ``.

        In Spanish ``y`` is ``e`` before the sound of i, and ``o`` is ``u`` before that of o.

        Args:
            items: The words themselves, unescaped, for their sound.
            style: ``standard`` or ``or``.
        """
        if len(items) < 2:
            return ()
        marks = ["\0"] * len(items)
        between = format_list(marks, style=style, locale=self._locale).split("\0")[1:-1]
        sound, plain, changed = ("o", " o ", " u ") if style == "or" else ("i", " y ", " e ")
        if self.lang == "es" and between[-1] == plain and _sounds(items[-1], sound):
            between[-1] = changed
        return tuple(between)

    def euphonic(self, sentence: str) -> str:
        """The sentence with ``e`` for ``y`` before names such as Inés or Hilario, in Spanish."""
        return _AND_BEFORE_I.sub("e ", sentence) if self.lang == "es" else sentence

    def moment(self, at: datetime, zone: tzinfo) -> tuple[str, str]:
        """A moment on the game's clock, and in UTC where that clock shows something else.

        Args:
            at: Aware.
            zone: The game's.

        Returns:
            Both for readers; the second names the day only if it is another, and is empty where
            the game's clock shows UTC.
        """
        here, utc = at.astimezone(zone), at.astimezone(UTC)
        local = self._dated("moment", here, zone)
        if here.replace(tzinfo=None) == utc.replace(tzinfo=None):
            return local, ""
        pattern = "utc" if utc.date() == here.date() else "utc_other_day"
        return local, self._dated(pattern, utc, UTC)

    def _dated(self, pattern: str, at: datetime, zone: tzinfo) -> str:
        format_ = self.sources("format", pattern)[0]
        return format_datetime(at, format_, tzinfo=zone, locale=self._locale)


def _entry(layer: object, *keys: str) -> Any:
    for key in keys:
        if not isinstance(layer, Mapping):
            return None
        layer = layer.get(key)
    return layer


def _leaves(entry: object, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if isinstance(entry, Mapping):
        for key, value in entry.items():
            yield from _leaves(value, (*path, str(key)))
    elif isinstance(entry, str):
        yield ".".join(path), entry


def _said(entry: object) -> tuple[str, ...]:
    """All words of a terms entry."""
    if not isinstance(entry, Mapping):
        return (str(entry),)
    accepted = (word for word in entry.get("accept", ()) if isinstance(word, str))
    return (str(entry.get("say", "")), *accepted)


def _sounds(word: str, vowel: str) -> bool:
    """Whether a word begins with the sound: ``hi`` counts as i, but ``hie`` and ``hia`` do not."""
    bare = word.casefold().lstrip("¿¡«\"'([*_ ")
    bare = bare.replace("í", "i").replace("ó", "o")
    if bare.startswith("h"):
        bare = bare[1:]
        return bare.startswith(vowel) and not bare.startswith(("ia", "ie"))
    return bare.startswith(vowel) and not (vowel == "i" and bare.startswith(("ia", "ie", "io")))
