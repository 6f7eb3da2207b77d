"""Whom a tag is for: exact names only, with a warning where another name looks the same."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import disarm

from referee.tags.near import near, nearest
from referee.tags.text import key


@dataclass(frozen=True, slots=True)
class Speakers:
    """Whom an author may act for. Identity is the forum's user id; the shell has checked it.

    Attributes:
        own: Characters that the author plays.
        cast: Everybody in the fight, as the cast spells them.
        is_gm: A game master may act for all.
        default: Who is meant when the tag names nobody, for an author with several characters
            (a rider and his horse); empty where they must say.
    """

    own: tuple[str, ...] = ()
    cast: tuple[str, ...] = ()
    is_gm: bool = False
    default: str = ""

    @property
    def unnamed(self) -> str:
        """Who is meant when the tag names nobody, or an empty string where that is not sure."""
        return self.default or (self.own[0] if len(self.own) == 1 else "")

    def may_act_for(self, name: str) -> bool:
        """Whether the author may declare for a character of the cast."""
        return self.is_gm or name in self.own or name == self.default


@dataclass(frozen=True, slots=True)
class Match:
    """What a written name is.

    Attributes:
        names: Characters whose name it is: one, or several that only accents or case keep apart.
        look_alikes: Characters whose name looks like it but is made of other letters.
        near: Characters whose name it may be a misspelling of, nearest first.
        guess: The one of them that was most likely meant, or an empty string.
    """

    names: tuple[str, ...] = ()
    look_alikes: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    guess: str = ""

    @property
    def candidates(self) -> tuple[str, ...]:
        """All that it might have meant."""
        return self.look_alikes or self.near

    @property
    def is_slip(self) -> bool:
        """Whether it is nobody's name but looks like somebody's."""
        return bool(self.look_alikes or self.near)


@lru_cache(maxsize=256)
def _by_key(cast: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for name in dict.fromkeys(cast):
        folded = key(name) or name  # a name of invisible letters is met only letter by letter
        table[folded] = (*table.get(folded, ()), name)
    return table


@lru_cache(maxsize=1024)
def _skeleton(folded: str) -> str:
    return disarm.skeleton_key(folded)


def exact(written: str, cast: tuple[str, ...]) -> str:
    """The character that a written name means, or an empty string; case and accents forgiven."""
    if written in cast:
        return written
    names = _by_key(cast).get(key(written), ())
    return names[0] if len(names) == 1 else ""


def match(written: str, cast: tuple[str, ...]) -> Match:
    """What a written name is among the cast.

    ``Ana`` is not ``Anabel``, ``Bandido 1`` is not ``Bandido 10``; a name written with look-alike
    letters of another script is nobody's.
    """
    table = _by_key(cast)
    folded = key(written)
    names = table.get(folded, ())
    if names:
        return Match(names=names)
    skeleton = _skeleton(folded[:200])
    alike = tuple(name for k, some in table.items() if _skeleton(k) == skeleton for name in some)
    if alike:
        return Match(look_alikes=alike, guess=alike[0] if len(alike) == 1 else "")
    close = [name for k in near(folded, table) for name in table[k]]
    # ``Bandido`` alone: all the numbered ones are meant as well as any of them.
    close += [n for k, some in table.items() if folded and k.startswith(f"{folded} ") for n in some]
    candidates = tuple(dict.fromkeys(close))
    return Match(near=candidates, guess=_guess(folded, candidates))


def _guess(folded: str, candidates: tuple[str, ...]) -> str:
    """The likeliest of some names: a wrong number is no slip, it is another bandit."""
    number = _digits(folded)
    if len(candidates) == 1 and number in ("", _digits(candidates[0])):
        return candidates[0]
    likely = {key(name): name for name in candidates if _digits(name) == number}
    return nearest(folded, likely)


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdigit())
