"""A post's own words from its Markdown source, for platforms that hand it out.

No renderer: it knows what sets words aside (quotes, code) and what markup hides, and leaves the
rest as typed. Whoever uses it holds the result against what the platform itself shows
(``same_words``), so that nothing counts that readers cannot see.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from typing import Final
from unicodedata import category, normalize

from adapters.html import Words

MAX_SOURCE_CHARS: Final = 200_000

_FENCE: Final = re.compile(r"(`{3,}|~{3,})[^`]*")
_QUOTE: Final = re.compile(r"\[(/?)quote(?:=[^\]\n]{0,300})?\]", re.IGNORECASE)
_CODE: Final = re.compile(r"\[(/?)code(?:=[^\]\n]{0,50})?\]", re.IGNORECASE)
_MARKERS: Final = re.compile(r"(?:(?:[-*+]|[0-9]{1,9}[.)]|#{1,6})[ \t]+)+")
_RULE: Final = re.compile(r"(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}")
_DETAILS: Final = re.compile(
    r"\[(/?)details(?:=[\"“]?(?P<title>[^\]\n\"”]{0,300})[\"”]?)?\]", re.IGNORECASE
)

# Elements that Discourse lets through. It drops others, so what looks like one was meant as words.
_KNOWN: Final = (
    "a|abbr|b|big|blockquote|br|center|cite|code|dd|del|details|dfn|div|dl|dt|em|h[1-6]|hr|i|img"
    "|ins|kbd|li|mark|ol|p|pre|q|s|samp|small|span|strike|strong|sub|summary|sup|table|tbody|td|th"
    "|thead|tr|u|ul"
)
_INLINE: Final = re.compile(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|(?P<ticks>`+)"
    r"|(?P<comment><!--)"
    r"|<(?P<address>(?:https?://|mailto:)[^<>\s]{1,2000})>"
    rf"|(?P<element></?(?:{_KNOWN})(?=[\s/>])[^<>]{{0,2000}}>)"
    r"|(?P<url>https?://[^\s<>\[\]]{1,2000})"
    r"|(?P<entity>&(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)"
    r"|(?P<bbcode>\[/?(?:b|i|u|s|color|size|spoiler)(?:=[^\]\n]{0,300})?\])"
    r"|(?P<run>\*+|_+|~~)",
    re.IGNORECASE,
)
_BLOCKS: Final = re.compile(r"</?(?:br|p|div|li|tr|h[1-6]|summary|details)\b", re.IGNORECASE)
_BRACKET: Final = re.compile(r"[\[\]]")

# What typography and emoji make other letters and digits of, and plain words in angles, which a
# platform drops as unknown elements. No brackets there: what is dropped must not hold a tag.
_CHANGEABLE: Final = re.compile(
    r":[a-z0-9_+-]{1,60}:|</?[\w -]{1,60}>|\((?:c|r|p|tm)\)|(?<!\w)[:;=8x]'?-?[)(dpo|/\\*$](?!\w)"
)


def read_source(source: str) -> Words:
    """Take a Markdown source apart into its author's words and what is set aside.

    Args:
        source: As typed; what goes beyond ``MAX_SOURCE_CHARS`` is not read.

    Returns:
        Both texts, in the form in which ``html.own_words`` gives them.
    """
    lines = source[:MAX_SOURCE_CHARS].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    own, asides = _Blocks(lines).read()
    return Words(normalize("NFC", own), normalize("NFC", "\n\n".join(filter(None, asides))))


def same_words(source: Words, shown: Words) -> bool:
    """Whether two readings of one post agree on the letters and digits of its author's words.

    Quotes, dashes, dots and smilies may differ: typography changes those.
    """
    return _skeleton(source.own) == _skeleton(shown.own)


def _skeleton(text: str) -> str:
    return "".join(filter(str.isalnum, _CHANGEABLE.sub(" ", text.casefold())))


class _Blocks:
    """Reads a source line by line; each block ends before the next one begins."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0
        self._own: list[str] = []
        self._asides: list[str] = []

    def read(self) -> tuple[str, list[str]]:
        """The author's words, and what is set aside."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            self._block(line, line.strip())
        paragraphs = re.split(r"\n{2,}", "\n".join(self._own))
        written = [_tidy(_inline(paragraph, self._asides)) for paragraph in paragraphs]
        return "\n\n".join(filter(None, written)), self._asides

    def _block(self, line: str, bare: str) -> None:
        """Read one line, and those after it that belong to it."""
        after_gap = not self._own or not self._own[-1]
        if not bare or _RULE.fullmatch(bare):
            self._own.append("")
        elif after_gap and _is_indented(line):
            self._aside([line, *self._while(_is_indented)])
        elif fence := _FENCE.fullmatch(bare):
            closing = re.compile(rf"{fence[1][0]}{{{len(fence[1])},}}")
            self._aside(self._while(lambda later: not closing.fullmatch(later.strip())))
            self._at += 1
        elif _begins(_QUOTE, bare) or _begins(_CODE, bare):
            self._bbcode_block(_QUOTE if _begins(_QUOTE, bare) else _CODE, bare)
        elif bare.startswith(">"):
            # The lines after a quotation belong to it up to the next empty one.
            quoted = [bare, *self._while(lambda later: bool(later.strip()))]
            self._aside([later.strip().lstrip("> ") for later in quoted])
        elif markers := _MARKERS.match(bare):
            # What stands in a list may be a quotation or code as well.
            self._back(bare[markers.end() :])
        else:
            self._own.append(_DETAILS.sub(lambda found: f"\n{found['title'] or ''}\n", bare))

    def _bbcode_block(self, tag: re.Pattern[str], line: str) -> None:
        """Set aside what stands between a BBCode tag and its end, nested ones included."""
        depth, inside = 0, list[str]()
        while True:
            position = 0
            for found in tag.finditer(line):
                depth += -1 if found[1] else 1
                inside.append(line[position : found.start()])
                position = found.end()
                if depth == 0:
                    self._aside(inside)
                    self._back(line[position:])
                    return
            inside.append(line[position:])
            if self._at == len(self._lines):
                # It has no end, so it was none.
                self._own.extend(inside)
                return
            line = self._lines[self._at]
            self._at += 1

    def _back(self, rest: str) -> None:
        """Let the rest of the line be read as a line of its own."""
        if rest.strip():
            self._at -= 1
            self._lines[self._at] = rest.strip()

    def _while(self, goes_on: Callable[[str], bool]) -> list[str]:
        begin = self._at
        while self._at < len(self._lines) and goes_on(self._lines[self._at]):
            self._at += 1
        return self._lines[begin : self._at]

    def _aside(self, lines: list[str]) -> None:
        self._asides.append("\n".join(lines).replace("\xa0", " ").strip("\n"))
        self._own.append("")


def _is_indented(line: str) -> bool:
    return line.startswith(("    ", "\t")) and bool(line.strip())


def _begins(tag: re.Pattern[str], bare: str) -> bool:
    found = tag.match(bare)
    return found is not None and not found[1]


def _tidy(paragraph: str) -> str:
    lines = (" ".join(line.split()) for line in paragraph.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


@dataclass(slots=True)
class _Run:
    """Signs that may open or close emphasis; ``left`` is how many of them are still words."""

    sign: str
    left: int
    opens: bool
    closes: bool


def _inline(text: str, asides: list[str]) -> str:
    """One paragraph without its markup."""
    pieces: list[str | _Run] = []
    position = 0
    while found := _INLINE.search(text, position):
        pieces.append(text[position : found.start()])
        position = found.end()
        if found["ticks"]:
            position = _code_span(text, found, pieces, asides)
        elif found["comment"]:
            end = text.find("-->", position)
            position = end + 3 if end >= 0 else len(text)
        elif found["run"]:
            pieces.append(_run(text, found))
        elif found["element"]:
            pieces.append("\n" if _BLOCKS.match(found["element"]) else "")
        elif found["entity"]:
            pieces.append(unescape(found["entity"]))
        elif not found["bbcode"]:
            pieces.append(found["escaped"] or found["address"] or found["url"])
    pieces.append(text[position:])
    _match_emphasis([piece for piece in pieces if isinstance(piece, _Run)])
    return "".join(piece if isinstance(piece, str) else piece.sign * piece.left for piece in pieces)


def _code_span(text: str, found: re.Match[str], pieces: list[str | _Run], asides: list[str]) -> int:
    """Read code within a line; with a bracket in it, it is an example. Returns where it ends."""
    ticks = found["ticks"]
    closing = re.compile(rf"(?<!`){ticks}(?!`)").search(text, found.end())
    if closing is None:
        pieces.append(ticks)
        return found.end()
    inside = text[found.end() : closing.start()].strip()
    if _BRACKET.search(inside):
        asides.append(inside)
        pieces.append(" ")
    else:
        pieces.append(inside)
    return closing.end()


def _run(text: str, found: re.Match[str]) -> _Run:
    """Whether a run of signs can open or close emphasis, by what stands on its sides.

    As in CommonMark, but within a word or number no lone ``*`` opens: ``2*1d6*3`` is a product.
    """
    sign, run = found[0][0], found[0]
    before = text[found.start() - 1] if found.start() else " "
    after = text[found.end()] if found.end() < len(text) else " "
    opens = not after.isspace() and (not _is_mark(after) or before.isspace() or _is_mark(before))
    closes = not before.isspace() and (not _is_mark(before) or after.isspace() or _is_mark(after))
    in_word = before.isalnum() or before == ")"
    opens = opens and not (in_word and (sign == "_" or run == "*"))
    closes = closes and not (sign == "_" and after.isalnum())
    return _Run(sign, len(run), opens=opens, closes=closes)


def _is_mark(letter: str) -> bool:
    return category(letter)[0] in "PS"


def _match_emphasis(runs: list[_Run]) -> None:
    """Take the signs that set off words out of their runs; each pair of runs is looked at once."""
    waiting: dict[str, list[_Run]] = {"*": [], "_": [], "~": []}
    for run in runs:
        openers = waiting[run.sign]
        while run.closes and run.left and openers:
            taken = 2 if run.sign == "~" or min(openers[-1].left, run.left) >= 2 else 1
            openers[-1].left -= taken
            run.left -= taken
            if not openers[-1].left:
                openers.pop()
        if run.opens and run.left:
            openers.append(run)
