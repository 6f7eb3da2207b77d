"""A tag while it is being read: its parts, its author, and the fault that may stop the reading."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, NoReturn

from referee.tags import names
from referee.tags.names import Speakers
from referee.tags.text import key, unwrapped
from referee.tags.vocabulary import Vocabulary, Words

_SMILEY: Final = re.compile(
    r"[:;]['-]?[)(DPpOo3]+|[=8]['-]?[)(]+|[xX]D+|[\u2600-\u27bf\U0001f000-\U0001faff][\ufe0f\u200d]*"
)


@dataclass(frozen=True, slots=True)
class Parts:
    """A tag cut into its parts, so that a cure can change one of them."""

    keyword: str
    name: str
    fields: tuple[str, ...]

    def with_field(self, index: int, *new: str) -> "Parts":
        """The same with one field replaced by others, or by none."""
        return replace(self, fields=(*self.fields[:index], *new, *self.fields[index + 1 :]))


class FaultError(Exception):
    """What is wrong with a tag, and the tag as it was probably meant.

    It never leaves this package: ``read_tag`` turns it into a ``TagProblem``.
    """

    def __init__(self, code: str, meant: Parts | None = None, **facts: object) -> None:
        """Keep the facts; ``meant`` is None where the guess would be wild."""
        super().__init__(code)
        self.code = code
        self.meant = meant
        self.facts = facts


@dataclass(frozen=True, slots=True)
class Context:
    """The words of the thread and whom the author may act for."""

    vocabulary: Vocabulary
    speakers: Speakers

    @property
    def language(self) -> str:
        """The thread's own language, which messages and cures are written in."""
        return self.vocabulary.language

    def actor(self, parts: Parts) -> str:
        """The character that a tag is for."""
        speakers = self.speakers
        if not parts.name:
            if not speakers.unnamed:
                self._refuse_unnamed(parts)
            return speakers.unnamed
        try:
            name = self.character(parts.name, lambda name: replace(parts, name=name))
        except FaultError as fault:
            if fault.meant is None and self.vocabulary.begins_with_verb(parts.keyword, parts.name):
                # ``[acción ataque: Moro 1]``: the verb stands where a name may stand.
                fault.meant = replace(parts, name="", fields=(parts.name, *parts.fields))
            raise
        if not speakers.may_act_for(name):
            raise FaultError("not_your_character", given=name, candidates=speakers.own)
        return name

    def _refuse_unnamed(self, parts: Parts) -> NoReturn:
        """Nobody is named and the author has not just one character."""
        own, cast = self.speakers.own, self.speakers.cast
        if own:
            raise FaultError("which_character", replace(parts, name=own[0]), candidates=own)
        if self.speakers.is_gm and cast:
            raise FaultError("which_character", candidates=cast)
        raise FaultError("no_character")

    def character(self, written: str, mended: Callable[[str], Parts]) -> str:
        """The character of the cast that is written there, by its exact name.

        Args:
            written: The name as written.
            mended: The tag with another name in that place, for the cure.
        """
        name = self.named(written)
        if name:
            return name
        match = names.match(unadorned(written), self.speakers.cast)
        if match.names:
            raise FaultError("ambiguous_name", given=written, candidates=match.names)
        code = "look_alike_name" if match.look_alikes else "unknown_name"
        meant = mended(match.guess) if match.guess else None
        raise FaultError(code, meant, given=written, candidates=match.candidates)

    def named(self, written: str) -> str:
        """The character that is written there, with or without a small word before; or nothing."""
        cast = self.speakers.cast
        name = names.exact(written, cast)
        if name:
            return name
        short = unadorned(written).removeprefix("@")
        for _ in range(3):
            name = names.exact(short, cast)
            if name:
                return name
            short = next((rest for _, rest in self.vocabulary.particles.beginnings(short)), "")
            if not short:
                break
        return ""

    def listed(self, text: str, words: Words | None = None) -> str:
        """Characters or known values parted by commas, each by name or id; or nothing.

        It is all or nothing: a list with one part that is neither is the player's own words.
        """
        parts = [part for part in map(str.strip, text.split(",")) if part]
        if len(parts) < 2:
            parts = self._joined(text)
        known = [self.known(part, words) for part in parts]
        return ", ".join(known) if len(known) > 1 and all(known) else ""

    def _joined(self, text: str) -> list[str]:
        """Two texts with an *and* between them, or the one text."""
        ands = self.vocabulary.conjunctions.meanings
        words = text.split()
        for index, word in enumerate(words[1:-1], start=1):
            if word.casefold() in ands:
                return [" ".join(words[:index]), " ".join(words[index + 1 :])]
        return [text]

    def known(self, text: str, words: Words | None) -> str:
        """The id of a value or the name of a character; or nothing."""
        value = words.one(key(text)) if words is not None else ""
        return value or self.named(text)

    def value(self, field: str, written: str, actor: str = "") -> str:
        """What a character's words for a field stand for: an id, a name of the cast, themselves."""
        words = self.vocabulary.values_of(field, actor)
        text = unwrapped(written)
        known = self.known(text, words) or self.listed(text, words)
        if known or words is None or "," not in text:
            return known or text
        parts = map(str.strip, text.split(","))
        return ", ".join(self.known(part, words) or part for part in parts if part)


def unadorned(text: str) -> str:
    """The text without smileys, emoji and full stops that stand by themselves at its end."""
    while True:
        text = text.strip().rstrip(".!¡,")
        before, _, last = text.rpartition(" ")
        if not before or not _SMILEY.fullmatch(last):
            return text
        text = before
