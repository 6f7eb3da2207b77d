"""Finding a post's own words in a forum's HTML, once for all platforms.

Pure. A platform adds one ``Markup`` row of selectors; nothing here knows a platform by name. What
a reader takes for the author's words comes out as plain lines, with what the forum made of them
(smilies, links, mentions) put back to what was typed, so that the same tag typed on two platforms
comes out the same.
"""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import wraps
from hashlib import sha256
from itertools import takewhile
from typing import Final, ParamSpec, TypeVar
from unicodedata import normalize
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PageElement

from adapters.base import Post
from adapters.errors import BusyError, LayoutChangedError

# A page of 50 posts has some 11,000 tags, both ends of an element counted. At these caps the worst
# page found takes about a second; 2 MB of nested <b> without a cap on tags takes 7, in older
# parsers minutes.
MAX_PAGE_CHARS: Final = 2_000_000
MAX_PAGE_TAGS: Final = 30_000
# Elements that never end count once in those, and every selector looks at each: 27,000 took 2 s.
MAX_PAGE_ELEMENTS: Final = 20_000
# Beautiful Soup climbs from each text that follows a sibling to the top of the page. Real pages
# take some 100,000 steps; 200 KB made for it take 600 million, which are minutes.
MAX_STEPS_UP: Final = 8_000_000
# What lies deeper does not count as words: nobody types a tag into 200 nested quotes.
MAX_NESTING: Final = 200

_SILENT: Final = frozenset(
    {"button", "form", "head", "iframe", "input", "listing", "noembed", "noframes", "noscript",
     "object", "plaintext", "script", "select", "style", "svg", "template", "textarea", "title",
     "xmp"}
)  # fmt: skip
_ADDRESSES: Final = frozenset({"action", "cite", "href", "src"})
_PARAGRAPHS: Final = frozenset({"p"})
_BLOCKS: Final = frozenset(
    {"address", "article", "aside", "blockquote", "center", "dd", "details", "div", "dl", "dt",
     "fieldset", "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li",
     "main", "nav", "ol", "pre", "section", "summary", "table", "tr", "ul"}
)  # fmt: skip
# They hold nothing, or end where the next of their kind begins.
_SHALLOW: Final = frozenset(
    {"area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta",
     "option", "p", "param", "source", "tbody", "td", "th", "thead", "tr", "wbr"}
)  # fmt: skip
_ELEMENT: Final = re.compile(r"<(/?)([a-zA-Z][^\s/<>]{0,20})[^<>]*>")
_BEGINNING: Final = re.compile(r"<[a-zA-Z]")
_CELLS: Final = frozenset({"td", "th"})
_ELLIPSIS: Final = re.compile(r"\s?(?:…|\.\.\.)\s?")
_BRACKET: Final = re.compile(r"[\[\]]")
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*:(?://)?", re.IGNORECASE)


# How much was read for all that one memory keeps: it must not grow with what strangers write.
_MOST_REMEMBERED: Final = 6_000_000

P = ParamSpec("P")
R = TypeVar("R")


def remembered(most: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Remember what a pure function made of texts lately: most polls bring no news.

    Args:
        most: How many results to keep. The texts themselves are not kept, only their hash.
    """

    def remember(read: Callable[P, R]) -> Callable[P, R]:
        kept: OrderedDict[bytes, tuple[R, int]] = OrderedDict()
        total = 0

        @wraps(read)
        def reading(*args: P.args, **kwargs: P.kwargs) -> R:
            nonlocal total
            texts = [str(text) for text in (*args, *kwargs.values())]
            key = sha256("\0".join(texts).encode("utf-8", "replace")).digest()
            if key not in kept:
                length = sum(map(len, texts))
                kept[key] = read(*args, **kwargs), length
                total += length
            kept.move_to_end(key)
            result = kept[key][0]
            while kept and (len(kept) > most or total > _MOST_REMEMBERED):
                total -= kept.popitem(last=False)[1][1]
            return result

        return reading

    return remember


@dataclass(frozen=True, slots=True)
class Markup:
    """How a platform dresses the words of a post: one row a platform.

    Attributes:
        quotes: CSS selector of quoted posts; a spoiler that is a ``blockquote`` is excluded here.
        code: Selector of code blocks. Inline ``code`` elements need no selector.
        furniture: Selector of what the forum writes around the words: headings of quotes, of
            code and of spoilers, signatures, edit notices.
        smilies: Selectors of pictures that the forum made of typed text, and the attribute that
            tells what was typed; the first that matches an element wins.
        smiley_codes: What was typed for an attribute that holds a smiley's name instead.
        markdown: True where Markdown was typed. ``[words](address)`` is put back for a link whose
            words are not its address, or a tag before a parenthesis would be lost; and so are
            signs of multiplication that were taken for emphasis, or ``2*1d6*3`` would be read as
            other dice.
        drops_scheme: True where the board cuts ``https://`` off a link's words.
        underscores: True where underscores within a word are taken for emphasis, as in
            ``lobo_gris_1``; signs of multiplication stand after figures.
    """

    quotes: str = "blockquote"
    code: str = "pre"
    furniture: str = ""
    smilies: tuple[tuple[str, str], ...] = ()
    smiley_codes: Mapping[str, str] = field(default_factory=dict)
    markdown: bool = False
    drops_scheme: bool = False
    underscores: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """A post taken apart.

    Attributes:
        own: The author's words: NFC, runs of spaces as one, at most one empty line in a row.
        set_aside: Quotes and code in the order of the post, an empty line between them; code
            keeps its lines and spaces.
    """

    own: str
    set_aside: str


def soup_of(text: str, url: str, *, whole: bool = True) -> BeautifulSoup:
    """Parse a page that may be hostile.

    Args:
        text: The page, or a piece of one.
        url: Where it came from, for the errors.
        whole: True for a page, which must end as pages do; False for a piece of HTML.

    Raises:
        BusyError: the page was cut short on its way.
        LayoutChangedError: too large, too many tags, or not HTML.
    """
    if len(text) > MAX_PAGE_CHARS:
        raise LayoutChangedError(url, cure="send_page_to_maintainers", too_many="chars")
    if text.count("<") > MAX_PAGE_TAGS or len(_BEGINNING.findall(text)) > MAX_PAGE_ELEMENTS:
        raise LayoutChangedError(url, cure="send_page_to_maintainers", too_many="tags")
    if _steps_up(text) > MAX_STEPS_UP:
        raise LayoutChangedError(url, cure="send_page_to_maintainers", too_many="levels")
    if whole:
        assure_whole(text, url)
    else:
        # Bare text would make Beautiful Soup warn that it looks like a file name.
        text = f"<html><body>{text}</body></html>"
    # NUL ends the page for the parser, and a lone surrogate cannot be handed to it.
    text = text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
    return BeautifulSoup(text, "lxml")


def _steps_up(text: str) -> int:
    """About how many levels a parser has to climb in all, for each text that follows a sibling."""
    steps = depth = 0
    if text.count("<") ** 2 < 4 * MAX_STEPS_UP:
        return steps
    for found in _ELEMENT.finditer(text):
        name = found[2].lower()
        if found[1]:
            depth = max(0, depth - (name not in _SHALLOW))
        elif name not in _SHALLOW:
            depth += 1
            continue
        steps += depth * (not text.startswith("<", found.end()))
    return steps


def assure_whole(text: str, url: str) -> None:
    """Check that a page is one and came to its end.

    Raises:
        LayoutChangedError: no HTML page.
        BusyError: a connection that died without Content-Length leaves half a page, with status
            200.
    """
    if "<html" not in text[:4096].casefold():
        raise LayoutChangedError(url, cure="send_page_to_maintainers", missing="html")
    if "</html" not in text[-4096:].casefold():
        raise BusyError(url, cure="page_cut_short", missing="/html")


def need(node: Tag, selector: str, url: str) -> Tag:
    """The first match of a selector that must match. Raises ``LayoutChangedError`` naming it."""
    found = node.select_one(selector)
    if found is None:
        raise LayoutChangedError(url, cure="send_page_to_maintainers", missing=selector)
    return found


def sole(node: Tag, selector: str, url: str) -> Tag:
    """The only match of a selector that must match once; what lies in a match does not count.

    Two bodies or two authors in one post mean that the page lost the beginning of the next post.

    Args:
        node: Where to look.
        selector: What for.
        url: For the errors.

    Raises:
        LayoutChangedError: none, or several; ``selector`` is told.
    """
    matches = node.select(selector)
    known = set(map(id, matches))
    found = [match for match in matches if not any(id(above) in known for above in match.parents)]
    if len(found) != 1:
        raise LayoutChangedError(
            url, cure="send_page_to_maintainers", missing=selector, found=len(found)
        )
    return found[0]


def body_of(node: Tag, selector: str, url: str, *, never: str = "") -> Tag:
    """Take out of a post the element that holds its author's words, and leave an empty one.

    What is found in the post or on the page from then on, no player has written; and a body of
    20,000 elements is not searched again for everything that a page may tell.

    Args:
        node: The post.
        selector: The body's.
        url: For the errors.
        never: Selector of what no player can write: in a body it is of the next post's.

    Raises:
        LayoutChangedError: none, or several, or what stands before it has lost a quotation mark and
            with it its end: all up to the next quotation mark is then one attribute.
    """
    body = sole(node, selector, url)
    if never and body.select_one(never) is not None:
        raise LayoutChangedError(url, cure="send_page_to_maintainers", missing=f"{selector} /")
    head = takewhile(lambda part: part is not body, node.descendants)
    for tag in (node, *head, body):
        if isinstance(tag, Tag) and any("</" in attribute(tag, name) for name in tag.attrs):
            raise LayoutChangedError(url, cure="send_page_to_maintainers", missing=f'{selector} "')
    body.replace_with(Tag(name=body.name, attrs=dict(body.attrs)))
    return body


def apart(nodes: Sequence[Tag], selector: str, url: str) -> Sequence[Tag]:
    """The same elements, none of which lies in another.

    On a page that lost the end of an element the next post lies in the one before it, whose author
    and words could then be taken from either.

    Raises:
        LayoutChangedError: one lies in another; ``selector`` is told.
    """
    own = {id(node) for node in nodes}
    # Ancestors found to lie in no post; each is climbed once, however deep the page.
    outside: set[int] = set()
    for node in nodes:
        for above in node.parents:
            if id(above) in own:
                raise LayoutChangedError(url, cure="send_page_to_maintainers", missing=selector)
            if id(above) in outside:
                break
            outside.add(id(above))
    return nodes


def assure_own(post_id: str, told: Iterable[str], url: str) -> None:
    """Check that what is within a post tells its number, wherever it tells one.

    A hole from within one post's tag to within the next one's leaves the number of the first over
    the author and the words of the second.

    Args:
        post_id: What the post says.
        told: What its parts say; empty where one says nothing.
        url: For the errors.

    Raises:
        LayoutChangedError: a part is another post's.
    """
    strange = set(told) - {post_id, ""}
    if strange:
        raise LayoutChangedError(
            url, cure="send_page_to_maintainers", missing=f"post {post_id}", found=min(strange)
        )


def attribute(node: Tag, name: str) -> str:
    """The attribute as one string; empty where there is none, or no address where one should be."""
    value = _attribute(node, name)
    if name in _ADDRESSES and (not value.isascii() or "[" in value or "]" in value):
        try:
            urlsplit(value)
        except ValueError:
            # Anybody can post a link to "http://[acción", to "http://a]" or to "http://℀.test".
            return ""
    return value


def _attribute(node: Tag, name: str) -> str:
    value = node.get(name)
    if value is None:
        return ""
    return value if isinstance(value, str) else " ".join(value)


def line_of(node: Tag) -> str:
    """All text of an element as one line."""
    return " ".join(node.get_text().split())


def fields_of(form: Tag) -> dict[str, str]:
    """Every field that a browser would send with a form, submit buttons apart."""
    fields: dict[str, str] = {}
    for node in form.select("input[name], textarea[name], select[name]"):
        name, kind = attribute(node, "name"), attribute(node, "type").casefold()
        if node.has_attr("disabled") or kind in {"submit", "button", "image", "reset", "file"}:
            continue
        if node.name == "textarea":
            # The first line break of a textarea is not part of its text.
            fields[name] = node.get_text().removeprefix("\r").removeprefix("\n")
        elif node.name == "select":
            chosen = node.select_one("option[selected]") or node.select_one("option")
            if chosen is not None:
                fields[name] = attribute(chosen, "value")
        elif kind not in {"checkbox", "radio"}:
            fields[name] = attribute(node, "value")
        elif node.has_attr("checked"):
            # An empty value is one: MyBB's "do not subscribe".
            fields[name] = attribute(node, "value") if node.has_attr("value") else "on"
    return fields


def digest_of(parts: Iterable[str]) -> str:
    """A short hash of what makes up a page's posts, for noticing that one has changed."""
    digest = sha256()
    for part in parts:
        digest.update(part.encode("utf-8", "replace"))
        digest.update(b"\0")
    return digest.hexdigest()[:32]


def posts_digest(posts: Iterable[Post]) -> str:
    """A hash of what posts say and whether they count yet, for noticing that one has changed."""
    return digest_of(
        part
        for post in posts
        for part in (
            post.id,
            post.author_id,
            post.own_words,
            post.set_aside,
            "waits" * post.awaits_approval,
        )
    )


def own_words(node: Tag, markup: Markup) -> Words:
    """Take the body of a post apart into its author's words and what is set aside.

    Args:
        node: The element that holds the body; its own tag does not matter.
        markup: The platform's row.

    Returns:
        Both texts. Inline code without a bracket counts as words (``1d20`` in a sentence, a word
        of a tag); with one it is an example of a tag and is set aside.
    """
    asides: list[str] = []
    own = _Reader(_roles(node, markup), markup, asides).lines(node)
    return Words(normalize("NFC", own), normalize("NFC", "\n\n".join(filter(None, asides))))


class _Role(Enum):
    FURNITURE = auto()
    QUOTE = auto()
    CODE = auto()
    SMILEY = auto()


@dataclass(frozen=True, slots=True)
class _Part:
    """What an element of a post is, and for a smiley what was typed."""

    role: _Role
    typed: str = ""


@dataclass(frozen=True, slots=True)
class _Close:
    """The end of an element: text to write, lines to end, a span of code to leave."""

    text: str = ""
    gap: int = 0
    code: bool = False


class _Pen:
    """Writes lines: runs of spaces become one, runs of line breaks at most two."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._gap = 0
        self._space = False

    def write(self, text: str) -> None:
        """Add text; what is white in it separates words and never ends a line."""
        words = text.split()
        if not words:
            self._space = self._space or bool(text)
            return
        self._space = self._space or text[0].isspace()
        self._flush()
        self._parts.append(" ".join(words))
        self._space = text[-1].isspace()

    def break_line(self) -> None:
        """A ``br``: each one counts, so two of them leave an empty line."""
        self._gap += 1

    def end_block(self, gap: int) -> None:
        """The edge of a block: 1 ends the line, 2 leaves an empty one."""
        self._gap = max(self._gap, gap)

    def verbatim(self, text: str) -> None:
        """Add text whose lines and spaces stay as they are."""
        if text:
            self._flush()
            self._parts.append(text)

    def is_in_word(self) -> bool:
        """Whether what is written next touches a letter, a digit or a closing parenthesis."""
        if self._gap or self._space or not self._parts:
            return False
        return self._parts[-1][-1].isalnum() or self._parts[-1][-1] == ")"

    def is_after_letter(self) -> bool:
        """Whether what is written next touches a letter."""
        return self.is_in_word() and self._parts[-1][-1].isalpha()

    def text(self) -> str:
        """All that was written."""
        return "".join(self._parts)

    def _flush(self) -> None:
        if self._parts:
            self._parts.append("\n" * min(self._gap, 2) if self._gap else " " * self._space)
        self._gap, self._space = 0, False


def _roles(node: Tag, markup: Markup) -> dict[int, _Part]:
    """The elements that are no plain words, by ``id``; the first role found for one stays."""
    roles: dict[int, _Part] = {}
    for selector, role in (
        (markup.furniture, _Role.FURNITURE),
        (markup.quotes, _Role.QUOTE),
        (markup.code, _Role.CODE),
    ):
        for found in node.select(selector) if selector else ():
            roles.setdefault(id(found), _Part(role))
    for selector, name in markup.smilies:
        for found in node.select(selector):
            value = attribute(found, name)
            typed = markup.smiley_codes.get(value, value)
            roles.setdefault(id(found), _Part(_Role.SMILEY, typed))
    return roles


class _Reader:
    """Reads one element; quotes and code go to ``asides``, or stay in place without them."""

    def __init__(
        self, roles: Mapping[int, _Part], markup: Markup, asides: list[str] | None
    ) -> None:
        self._roles = roles
        self._markup = markup
        self._asides = asides
        self._pen = _Pen()
        self._in_code = False

    def lines(self, root: Tag) -> str:
        """All lines of an element.

        A stack instead of recursion: a page may nest deeper than Python calls.
        """
        todo: list[tuple[int, PageElement | _Close]] = [(1, kid) for kid in reversed(root.contents)]
        while todo:
            depth, item = todo.pop()
            if isinstance(item, _Close):
                self._pen.write(item.text)
                self._pen.end_block(item.gap)
                self._in_code = self._in_code and not item.code
            elif type(item) is NavigableString:  # comments and scripts are subclasses of it
                self._pen.write(item)
            elif isinstance(item, Tag) and depth <= MAX_NESTING:
                end = self._open(item)
                if end is not None:
                    todo.append((depth, end))
                    todo.extend((depth + 1, kid) for kid in reversed(item.contents))
        return self._pen.text()

    def _open(self, tag: Tag) -> _Close | None:
        """Write what an element is by itself; returns how it ends, or None to skip its inside."""
        part = self._roles.get(id(tag))
        if part is not None and not (part.role is _Role.QUOTE and self._asides is None):
            self._play(part, tag)
            return None
        match tag.name:
            case "br":
                self._pen.break_line()
            case "img":
                if self._markup.markdown:
                    self._pen.write(f"![{attribute(tag, 'alt')}]({attribute(tag, 'src')})")
            case "a":
                return self._open_link(tag)
            case "code" if not self._in_code:
                return self._open_code(tag)
            case "em" if self._markup.markdown and self._is_product(tag):
                sign = "_" if self._markup.underscores and self._pen.is_after_letter() else "*"
                self._pen.write(sign)
                return _Close(sign)
            case name if name not in _SILENT:
                gap = _gap_of(tag)
                self._pen.end_block(gap)
                return _Close(" " if name in _CELLS else "", gap)
        return None

    def _play(self, part: _Part, tag: Tag) -> None:
        """Write an element that has a role in the platform's row."""
        match part.role:
            case _Role.SMILEY:
                self._pen.write(part.typed)
            case _Role.FURNITURE:
                self._pen.end_block(_gap_of(tag))
            case _Role.CODE:
                self._set_aside(_verbatim(tag, self._roles), gap=2)
            case _Role.QUOTE:
                inside = _Reader(self._roles, self._markup, None)
                self._set_aside(inside.lines(tag), gap=2)

    def _set_aside(self, text: str, *, gap: int) -> None:
        if self._asides is None:
            self._pen.end_block(min(gap, 1))
            self._pen.verbatim(text)
            self._pen.end_block(min(gap, 1))
        else:
            self._asides.append(text)
            self._pen.write(" ")
            self._pen.end_block(gap)

    def _is_product(self, tag: Tag) -> bool:
        """Whether Markdown took two signs of multiplication for emphasis: ``2*1d6*3``.

        People set off whole words, and without a space within the signs.
        """
        first = tag.contents[0] if tag.contents else ""
        inside = first if isinstance(first, str) else ""
        return self._pen.is_in_word() or inside[:1].isspace()

    def _open_code(self, tag: Tag) -> _Close | None:
        """Code within a line.

        What is nested in it is not looked at again, or deep nests would take quadratic time.
        """
        text = _verbatim(tag, self._roles)
        if _BRACKET.search(text):
            self._set_aside(text, gap=0)
            return None
        self._in_code = True
        return _Close(code=True)

    def _open_link(self, tag: Tag) -> _Close | None:
        """A link as it was typed: its words, its address, or both in Markdown's way."""
        href, words = _attribute(tag, "href"), line_of(tag)
        typed = _typed_address(words, href, whole_scheme=self._markup.drops_scheme)
        if typed and typed != words:
            self._pen.write(typed)
            return None
        if typed or not words or words.startswith("@") or not self._markup.markdown:
            return _Close()
        self._pen.write("[")
        return _Close(f"]({href})")


def _gap_of(tag: Tag) -> int:
    """How an element's edges part the lines: 2 an empty line, 1 a new line, 0 not at all."""
    return 2 if tag.name in _PARAGRAPHS else int(tag.name in _BLOCKS)


def _verbatim(tag: Tag, roles: Mapping[int, _Part]) -> str:
    """Code as typed: its own spaces and lines, no-break spaces as plain ones."""
    parts: list[str] = []
    todo: list[PageElement] = list(reversed(tag.contents))
    while todo:
        item = todo.pop()
        if type(item) is NavigableString:
            # Boards write ``<br>`` and a line break for one break.
            broken = bool(parts) and parts[-1] == "\n"
            parts.append(item.removeprefix("\n") if broken else item)
        elif isinstance(item, Tag) and item.name == "br":
            parts.append("\n")
        elif isinstance(item, Tag):
            part = roles.get(id(item))
            if part is not None and part.role is _Role.SMILEY:
                parts.append(part.typed)
            elif part is None or part.role is not _Role.FURNITURE:
                todo.extend(reversed(item.contents))
    return "".join(parts).replace("\xa0", " ").strip("\r\n")


def _typed_address(words: str, href: str, *, whole_scheme: bool) -> str:
    """The address that was typed for a link, or empty where its words are other words.

    ``https://x.test/a-long…`` gives the whole address; so does ``x.test/a`` where the board is
    known to drop the scheme. Elsewhere a bare host is what was typed: boards make links of those.
    """
    for address in (href.removeprefix("mailto:"), _readable(href)):
        bare = _SCHEME.sub("", address, count=1)
        if _same_address(words, address):
            return words
        if _same_address(words, bare):
            return address if whole_scheme and address.startswith("https://") else words
        head, cut, tail = _cut(words)
        begins = address.startswith(head) or bare.startswith(head)
        if cut and head and begins and address.endswith(tail):
            return address
    return ""


def _same_address(words: str, address: str) -> bool:
    return words.rstrip("/").casefold() == address.rstrip("/").casefold()


def _cut(words: str) -> tuple[str, str, str]:
    """A link's words before and after the mark of what was left out, and the mark."""
    mark = _ELLIPSIS.search(words)
    return (words[: mark.start()], mark[0], words[mark.end() :]) if mark else (words, "", "")


def _readable(href: str) -> str:
    """An address with ``%7C`` and the like as letters, unless that would put brackets in it."""
    plain = unquote(href)
    risky = any(mark in plain and mark not in href for mark in "[]<>\"'%")
    return href if risky or any(map(str.isspace, plain)) or not plain.isprintable() else plain
