"""Make one text out of the many ways in which forums and keyboards write the same words.

The exact words stay quotable: a normalised text knows which stretch of the post each of its own
stretches came from. Nothing here knows what a tag is.
"""

import html
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from rulesets.core.declarations import fold

# No script that names are written in stacks more marks on a letter; longer runs are "zalgo", and
# canonical ordering of a very long run is quadratic.
MAX_MARKS: Final = 4

_SINGLES: Final[dict[str, str]] = {
    **dict.fromkeys("“”„‟«»〝〞〟❝❞″‶", '"'),
    **dict.fromkeys("‘’‚‛‹›′‵´❛❜ʼ", "'"),
    **dict.fromkeys("‐‑‒–—―−﹘⁃➖", "-"),
    **dict.fromkeys("｜¦│┃∣ǀ❘", "|"),
    **dict.fromkeys("꞉∶", ":"),
    **dict.fromkeys("【〔〚⟦", "["),
    **dict.fromkeys("】〕〛⟧", "]"),
    **dict.fromkeys("×✕✖", "*"),
    **dict.fromkeys("\t", " "),
    **dict.fromkeys("\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029", "\n"),
    "\u2800": " ",  # an empty Braille cell: looks like a space, is none for Unicode
    "\r": "\n",
    "\r\n": "\n",
    "…": "...",
    "≥": ">=",
    "≤": "<=",
    "÷": "/",
}
# Letters that are drawn as nothing; Unicode does not class them with the format characters.
_BLANK_LETTERS: Final = frozenset("\u115f\u1160\u3164\uffa0\u17b4\u17b5\u034f")
_ZWJ: Final = "\u200d"
_EMOJI_STYLE: Final = "\ufe0f"

# Printable ASCII and precomposed Latin letters stand for themselves and are passed over at the
# speed of the regular expression engine; the rest is looked at one by one.
_ODD: Final = re.compile("\r\n?|[^\n -~¡-ɏ]|[¦«»´×÷\xadǀ]")
_WRITTEN: Final = re.compile(
    r"[^\W\d_][\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f]+"
    r"|&(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
    r"|<[bB][rR]\ ?/?>"
    r"|\\(?=[\[\]|])"
)
_INVISIBLE: Final = re.compile("[\u200b-\u200f\ufe00-\ufe0f\u2060-\u2064]")


@dataclass(frozen=True, slots=True)
class _Map:
    """Where each stretch of a rewritten text came from.

    Attributes:
        here: Ascending positions in the rewritten text at which a stretch begins.
        there: Position in the original at which each stretch begins.
        copied: Whether the stretch was copied letter by letter; else it stands for something.
    """

    here: list[int]
    there: list[int]
    copied: list[bool]

    def row(self, here: int, there: int, *, copied: bool) -> None:
        """Begin a stretch."""
        self.here.append(here)
        self.there.append(there)
        self.copied.append(copied)

    def start(self, position: int) -> int:
        """Where the letter at a position begins in the original."""
        row = bisect_right(self.here, position) - 1
        return self.there[row] + (position - self.here[row] if self.copied[row] else 0)

    def end(self, position: int) -> int:
        """Where the letter before a position ends in the original."""
        row = bisect_left(self.here, position)
        if row < len(self.here) and self.here[row] == position:
            return self.there[row]
        row -= 1
        if self.copied[row]:
            return self.there[row] + position - self.here[row]
        return self.there[row + 1]


@dataclass(frozen=True, slots=True)
class Normalised:
    """A text in normal form that can still quote its source.

    Attributes:
        text: NFC, ASCII quotes, dashes, brackets and spaces, line feeds for line breaks,
            nothing invisible, no character references.
        source: The text as it was given.
    """

    text: str
    source: str
    _maps: tuple[_Map, ...] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of ``source`` that the stretch of ``text`` from start to end came from."""
        for step in self._maps:
            start, end = step.start(start), step.end(end)
        return start, max(start, end)


def normalise(text: str) -> Normalised:
    """The same words, however the forum or the keyboard wrote them. Linear in the text."""
    shown, first = _rewritten(_ODD, text, _plain)
    read, second = _rewritten(_WRITTEN, shown, _decoded)
    # Last rewriting first: a position in the result is led back through it to the source.
    return Normalised(read, text, tuple(step for step in (second, first) if step is not None))


def _plain(match: re.Match[str]) -> str:
    """What a character outside printable ASCII and Latin letters stands for."""
    char = match[0]
    known = _SINGLES.get(char)
    if known is None and char in (_ZWJ, _EMOJI_STYLE):
        known = char if _follows_a_picture(match) else ""
    return _other(char) if known is None else known


@lru_cache(maxsize=4096)
def _other(char: str) -> str:
    """What a character that no table lists stands for: by its block or its Unicode category."""
    if "！" <= char <= "～":  # full-width forms of printable ASCII
        return chr(ord(char) - 0xFEE0)
    if char in _BLANK_LETTERS or "\ufe00" <= char <= "\ufe0e" or char >= "\U000e0000":
        return ""
    category = unicodedata.category(char)
    if category == "Zs":
        return " "
    return "" if category in ("Cf", "Cc", "Cs") else char


def _follows_a_picture(match: re.Match[str]) -> bool:
    """Whether a joiner or style mark belongs to an emoji, where it is part of the picture."""
    before = match.string[match.start() - 1 : match.start()]
    return before == _EMOJI_STYLE or (before != "" and unicodedata.category(before) in ("So", "Sk"))


def _decoded(match: re.Match[str]) -> str:
    """What a character reference, a decomposed letter or an escape stands for."""
    written = match[0]
    if written[0] == "&":
        meant = html.unescape(written)
        return written if meant == written else _ODD.sub(_plain, meant)
    if written[0] == "<":
        return "\n"
    if written[0] == "\\":
        return ""
    return unicodedata.normalize("NFC", written[: 1 + MAX_MARKS])


def _rewritten(
    pattern: re.Pattern[str], text: str, meaning: Callable[[re.Match[str]], str]
) -> tuple[str, _Map | None]:
    """The text with every match replaced by its meaning, and the way back."""
    pieces: list[str] = []
    way = _Map([0], [0], [True])
    done = length = 0
    for match in pattern.finditer(text):
        meant = meaning(match)
        if meant == match[0]:
            continue
        start, end = match.span()
        pieces += (text[done:start], meant)
        length += start - done
        way.row(length, start, copied=False)
        length += len(meant)
        way.row(length, end, copied=True)
        done = end
    if not pieces:
        return text, None
    pieces.append(text[done:])
    return "".join(pieces), way


@lru_cache(maxsize=4096)
def key(text: str) -> str:
    """What two spellings of a name, verb or field have in common: no case, accents, quotes.

    Letters of another script stay themselves: a look-alike is not the name.
    """
    shown = text if text.isascii() else _INVISIBLE.sub("", normalise(text).text)
    return fold(unwrapped(shown))


def unwrapped(text: str) -> str:
    """The text without the quotes or the marks of emphasis that stand around the whole of it."""
    text = text.strip()
    while len(text) > 1 and text[0] == text[-1]:
        inner = text[1:-1]
        quoted_inside = text[0] in "\"'" and text[0] in inner
        if text[0] not in "\"'*_~`" or quoted_inside or not inner.strip():
            break
        text = inner.strip()
    return text
