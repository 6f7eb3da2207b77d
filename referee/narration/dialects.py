r"""How words become markup: escaping, and the frames that a dialect's template draws.

A name is a name on every board: whatever a person outside wrote must not become bold, a link, a
mention, a picture or a tag. Markdown boards differ in which backslashes they take back (one of
them reads ``\[`` as mathematics), but all of them show ``&#91;`` as a bracket and nothing else.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, Final, Literal

from markupsafe import Markup

from referee.narration.blocks import NO_CUT, Block, Box, Flow, is_list
from referee.narration.sandbox import Escape, Sandbox, Text, seen

ZERO_WIDTH: Final = "\u200b"
# A paragraph that shows nothing.
_PAUSE: Final = Flow("&#8203;")

_MARKDOWN: Final = {ord(c): f"&#{ord(c)};" for c in "\\`*_[]{}<>#|~&$^"}
_LINE_START: Final = re.compile(r"^(?:([-+=])|(\d{1,9})([.)]))")
# What opens and closes blocks on boards whose Markdown has some BBCode: Misago, Discourse.
_BLOCK_TAG: Final = re.compile(r"\[(?=/?(?:quote|spoiler|code)[\]=])", re.IGNORECASE)
# Links, mentions and emoji names that boards make out of plain words.
_LIVE: Final = re.compile(r"(?<!\d):(?=[^\s\u200b])|:(?=[^\s\d\u200b])|@|(?i:\bwww)(?=\.)")
# Faces that boards make out of a figure and a bracket, such as "(40 > 8)". A post's mark may begin
# with one ("ref-8p…") and has to be read back letter for letter.
_FACES: Final = re.compile(r"(?<![0-9A-Za-z])(?<!ref-)([8:;=]'?-?)(?=[)(DPpOoXx|/\\?!*$3\[\]>@])")


def escape_bbcode(text: str) -> str:
    """A bracket followed by a character of no width opens nothing on any board."""
    return _still(text).replace("[", f"[{ZERO_WIDTH}")


def escape_markdown(text: str) -> str:
    """Character references for all that Markdown reads; they survive in every flavour of it."""
    escaped = _still(text).translate(_MARKDOWN)
    return _LINE_START.sub(
        lambda found: f"&#{ord(found[1])};" if found[1] else f"{found[2]}&#{ord(found[3])};",
        escaped,
    )


def escape_html(text: str) -> str:
    """The five characters that HTML reads."""
    return html.escape(text, quote=True)


def escape_text(text: str) -> str:
    """Plain text needs nothing."""
    return text


def _still(text: str) -> str:
    return _LIVE.sub(lambda found: f"{found[0]}{ZERO_WIDTH}", text)


ESCAPES: Final[Mapping[str, Escape]] = {
    "bbcode": escape_bbcode,
    "markdown": escape_markdown,
    "html": escape_html,
    "text": escape_text,
}


def _code_bbcode(text: str) -> str:
    return re.sub(r"\[(?=\s*/?\s*code)", f"[{ZERO_WIDTH}", text, flags=re.IGNORECASE)


def _code_markdown(text: str) -> str:
    """Code hides nothing from a board that looks for its blocks before it reads Markdown."""
    return _BLOCK_TAG.sub(f"[{ZERO_WIDTH}", text)


_CODE: Final[Mapping[str, Callable[[str], str]]] = {
    "bbcode": _code_bbcode,
    "markdown": _code_markdown,
    "html": escape_html,
    "text": escape_text,
}

_TOKEN: Final = re.compile(r"\x1d(\d+)\x1d")


class Page:
    """One post while its template is printed: the functions that a template calls.

    Inline functions return markup; block functions keep their block and return a token that stands
    for it until ``blocks`` puts it back.
    """

    def __init__(
        self, sandbox: Sandbox, dialect: str, spoilers: str, *, tables: bool, fences: bool
    ) -> None:
        """Draw with the macros of the dialect's template in that sandbox."""
        self._tables = tables
        self._fences = fences
        self._sandbox = sandbox
        self._dialect = dialect
        self._spoilers = spoilers
        self._kept: list[Block] = []
        self._macros: Any = sandbox.macros(dialect)

    def functions(self) -> dict[str, Callable[..., Markup]]:
        """What templates may call, by name."""
        return {
            "bold": self.bold,
            "italic": self.italic,
            "code": self.code,
            "heading": self.heading,
            "rule": self.rule,
            "pre": self.pre,
            "quote": self.quote,
            "items": self.items,
            "table": self.table,
            "fold": self.fold,
        }

    def bold(self, words: object) -> Markup:
        """Heavy words, never cut in two."""
        return self._inline("bold", words)

    def italic(self, words: object) -> Markup:
        """Slanted words, never cut in two."""
        return self._inline("italic", words)

    def code(self, words: object) -> Markup:
        """Words in a line exactly as they are written, where the dialect can."""
        raw = " ".join(seen(_raw(words)).split())
        if self._dialect == "markdown":
            return self._inline("code", Markup(_ticked(_code_markdown(raw))))
        if self._dialect == "html":
            return self._inline("code", Markup(escape_html(raw)))
        return self._inline("code", words)

    def heading(self, words: object) -> Markup:
        """A line that names what follows."""
        return self._keep(self._flow(self._inline("heading", words)))

    def rule(self) -> Markup:
        """A line across."""
        return self._keep(Flow(self._frame("rule")))

    def pre(self, words: object) -> Markup:
        """Lines exactly as they are written, to be copied; a list of words has one in each line."""
        several = words if isinstance(words, (list, tuple)) else [words]
        text = "\n".join(seen(_raw(one)).strip("\n") for one in several)
        return self._keep(self._pre(text.split("\n"))) if text else Markup("")

    def quote(self, words: object) -> Markup:
        """Somebody's words, set apart."""
        body = (self._flow(self._markup(words)),)
        return self._keep(Box(self._frame("quote_open"), body, self._frame("quote_close")))

    def items(
        self, lines: Sequence[object], caller: Callable[[object], Markup] | None = None
    ) -> Markup:
        """A list of lines, each with its dot; in a call block each line is what the block says."""
        said = [self._markup(line if caller is None else caller(line)) for line in lines]
        return self._listed(said, "list")

    def _listed(self, said: Sequence[Markup], kind: Literal["list", "table"]) -> Markup:
        body = tuple(
            self._flow(self._frame("item", Markup(" ".join(words.split()))))
            for words in map(str, said)
        )
        if not body:
            return Markup("")
        opening, closing = self._frame("items_open"), self._frame("items_close")
        return self._keep(Box(opening, body, closing, glue="\n", kind=kind))

    def table(
        self, head: Sequence[object], rows: Sequence[Sequence[object]], title: object = ""
    ) -> Markup:
        """Rows of cells under a head, without columns that are empty throughout.

        Where the platform has no tables a forum gets a list, which a phone can wrap; aligned lines
        are for terminals. The title stands above the list, and parts it from one before it.
        """
        if not rows:
            return Markup("")
        full = [place for place in range(len(head)) if any(str(row[place]) for row in rows)]
        head, rows = _picked(head, full), [_picked(row, full) for row in rows]
        has_tables = self._tables and hasattr(self._macros, "table_row")
        if not has_tables and self._dialect != "text":
            listed = self._listed([self._markup(self._told(head, row)) for row in rows], "table")
            return Markup("{}\n\n{}").format(self.bold(title), listed) if title else listed
        if not has_tables:
            first, *lines = aligned([[_plain(cell) for cell in row] for row in (head, *rows)])
            box = self._pre(lines)
            indent = self._frame("pre_indent", self._fences)
            opening = f"{box.opening}{indent}{self._code(first)}\n"
            return self._keep(replace(box, opening=opening))
        body = tuple(Flow(self._row("table_row", row)) for row in rows)
        opening, closing = self._row("table_open", head), self._frame("table_close")
        return self._keep(Box(opening, body, closing, glue="\n"))

    def fold(self, title: object, caller: Callable[[], Markup]) -> Markup:
        """What only the curious read, folded where the platform can."""
        body = self.blocks(caller())
        if not body:
            return Markup("")
        opening = self._frame("fold_open", self._markup(title), self._spoilers)
        return self._keep(Box(opening, body, self._frame("fold_close", self._spoilers)))

    def blocks(self, printed: str) -> tuple[Block, ...]:
        """The blocks of a printed template: kept ones in their places, paragraphs between them."""
        found: list[Block] = []
        for place, piece in enumerate(_TOKEN.split(printed)):
            if place % 2 == 0:
                found.extend(self._paragraphs(piece))
            elif int(piece) < len(self._kept):
                block = self._kept[int(piece)]
                if self._is_swallowed(block, found):
                    found.append(_PAUSE)
                found.append(block)
        return tuple(found)

    def _is_swallowed(self, block: Block, before: Sequence[Block]) -> bool:
        """Whether a block would become part of the list before it; two lists of notes may."""
        if not before or not isinstance(block, Box) or not is_list(before[-1]):
            return False
        if block.kind == "code":
            return not self._fences
        kinds = {block.kind, getattr(before[-1], "kind", "")}
        return self._dialect == "markdown" and "table" in kinds and is_list(block)

    def _paragraphs(self, text: str) -> list[Flow]:
        opening, closing = self._frame("paragraph_open"), self._frame("paragraph_close")
        line_break = self._frame("line_break")
        paragraphs = []
        for chunk in re.split(r"\n\s*\n", text):
            lines = (re.sub(" {2,}", " ", line.strip(" ")) for line in chunk.split("\n"))
            words = line_break.join(line for line in lines if line)
            if words:
                paragraphs.append(self._flow(words, opening, closing))
        return paragraphs

    def _pre(self, lines: Sequence[str]) -> Box:
        runs = (len(run) for line in lines for run in re.findall("`+", line))
        fence = Markup("`" * max(3, 1 + max(runs, default=0)))
        if not self._fences:
            fence = Markup("")
        indent = self._frame("pre_indent", self._fences)
        body = tuple(Flow(self._code(line), opening=indent) for line in lines)
        opening, closing = self._frame("pre_open", fence), self._frame("pre_close", fence)
        return Box(opening, body, closing, glue="\n", kind="code")

    def _code(self, line: str) -> Markup:
        return Markup(_CODE[self._dialect](line))

    def _row(self, macro: str, cells: Sequence[object]) -> str:
        marked = [Markup(guarded(self._markup(cell), self._dialect)) for cell in cells]
        return self._frame(macro, marked).replace(" ", NO_CUT)

    def _told(self, head: Sequence[object], row: Sequence[object]) -> Markup:
        """A row of a table as a line: ``Lope: PV 11/15; estado herido`` with the name in bold."""
        pairs = zip(head[1:], row[1:], strict=True)
        cells = [
            self._markup(_inside(str(name))) + " " + self._markup(cell)
            for name, cell in pairs
            if str(cell)
        ]
        said = self.bold(row[0])
        return said + ": " + Markup("; ").join(cells) if cells else said

    def _inline(self, macro: str, words: object) -> Markup:
        drawn = self._frame(macro, self._markup(words))
        return Markup(drawn.replace(" ", NO_CUT))

    def _flow(self, words: str, opening: str = "", closing: str = "") -> Flow:
        return Flow(guarded(words, self._dialect), opening, closing)

    def _frame(self, macro: str, *arguments: object) -> str:
        # A plain string: joined with markup it would be escaped a second time.
        return self._sandbox.called(self._dialect, getattr(self._macros, macro, None), *arguments)

    def _markup(self, words: object) -> Markup:
        return self._sandbox.markup(words)

    def _keep(self, block: Block) -> Markup:
        self._kept.append(block)
        return Markup(f"\x1d{len(self._kept) - 1}\x1d")


def _picked(cells: Sequence[object], places: Sequence[int]) -> list[object]:
    return [cells[place] for place in places]


def guarded(markup: str, dialect: str) -> str:
    """Markup in which no figure and bracket make a face."""
    if dialect in ("bbcode", "markdown"):
        return _FACES.sub(lambda found: f"{found[1]}{ZERO_WIDTH}", str(markup))
    return str(markup)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines whose columns stand under each other in a fixed-width font."""
    widths = [max(_width(cell) for cell in column) for column in zip_longest(*rows, fillvalue="")]
    return [
        "  ".join(
            cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=False)
        ).rstrip()
        for row in rows
    ]


def _width(text: str) -> int:
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def _inside(head: str) -> str:
    """A heading as it stands inside a sentence; initials such as ``PV`` stay as they are."""
    return head[:1].lower() + head[1:] if head[1:2].islower() else head


def _raw(words: object) -> str:
    return words.raw_words() if isinstance(words, Text) else str(words)


def _plain(cell: object) -> str:
    return " ".join(seen(_raw(cell)).split())


def _ticked(raw: str) -> str:
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", raw)), default=0))
    pad = " " if raw.startswith("`") or raw.endswith("`") else ""
    return f"{ticks}{pad}{raw}{pad}{ticks}"
