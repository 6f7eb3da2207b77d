"""How fake boards show what was typed: enough of BBCode to break a careless reader.

One reader of BBCode, and a ``Dress`` for each board: how it shows smilies, emoji, addresses, quotes
and code, as the captured pages of a real one do. What only looks like BBCode stays text.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Final
from urllib.parse import quote

_TAG: Final = re.compile(
    r"\[(?P<end>/)?(?P<name>b|i|u|s|quote|code|spoiler|url|list|size|color)"
    r"(?P<argument>=[^\]\n]{0,300})?\]",
    re.IGNORECASE,
)
LINK: Final = re.compile(r"https?://[^\s\[\]<>\"']*[^\s\[\]<>\"'.,;:!?)]")
MAIL: Final = re.compile(r"[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}")
_EMOJI_BASE: Final = r"[\U0001F300-\U0001FAFF\u2600-\u27BF\u2B50]"
_EMOJI: Final = re.compile(
    rf"{_EMOJI_BASE}[\ufe0f\U0001F3FB-\U0001F3FF]?(?:\u200d{_EMOJI_BASE}\ufe0f?)*"
)
Show = Callable[[str], str]
Tag = Callable[[str, str], str]


@dataclass(frozen=True, slots=True)
class Dress:
    """How one board shows things.

    Attributes:
        tags: What to make of a tag, from its argument and the HTML inside; a tag that is not
            here stays text.
        code: Shows the text of a block of code.
        plain: Shows text that is nothing else.
        finds: What to look for in text, in this order, and how to show it.
        joins: Patterns of line breaks that blocks swallow, and what stays of them.
    """

    tags: Mapping[str, Tag]
    code: Show
    plain: Show
    finds: Sequence[tuple[re.Pattern[str], Show]]
    joins: Sequence[tuple[re.Pattern[str], str]]


@dataclass(slots=True)
class _Open:
    """A tag whose end has not come yet."""

    raw: str
    name: str = ""
    argument: str = ""
    parts: list[str] = field(default_factory=list)


def render(text: str, dress: "Dress | None" = None) -> str:
    """A post's body as HTML; without a dress as phpBB shows it."""
    return _Renderer(dress or PHPBB).render(text)


class _Renderer:
    """Reads BBCode once from left to right."""

    def __init__(self, dress: Dress) -> None:
        self._dress = dress
        self._stack = [_Open("")]

    def render(self, text: str) -> str:
        position = 0
        while match := _TAG.search(text, position):
            self._write(self._words(text[position : match.start()]))
            position = match.end()
            name = match["name"].lower()
            if name != "code" and name not in self._dress.tags:
                self._write(self._dress.plain(match[0]))
            elif match["end"]:
                self._close(name, match[0])
            elif name == "code":
                position = self._code(text, match)
            else:
                self._stack.append(_Open(match[0], name, match["argument"] or ""))
        self._write(self._words(text[position:]))
        while len(self._stack) > 1:
            self._unopen()
        html = "".join(self._stack[0].parts)
        for pattern, kept in self._dress.joins:
            html = pattern.sub(kept, html)
        return html

    def _write(self, html: str) -> None:
        self._stack[-1].parts.append(html)

    def _code(self, text: str, match: re.Match[str]) -> int:
        """Show a block of code; returns where to go on."""
        end = text.lower().find("[/code]", match.end())
        if end < 0:
            self._write(self._dress.plain(match[0]))
            return match.end()
        self._write(self._dress.code(text[match.end() : end]))
        return end + len("[/code]")

    def _close(self, name: str, raw: str) -> None:
        """End the innermost tag of that name; those inside it were text."""
        if all(opened.name != name for opened in self._stack):
            self._write(self._dress.plain(raw))
            return
        while self._stack[-1].name != name:
            self._unopen()
        opened = self._stack.pop()
        self._write(self._dress.tags[name](opened.argument, "".join(opened.parts)))

    def _unopen(self) -> None:
        opened = self._stack.pop()
        self._stack[-1].parts.extend([self._dress.plain(opened.raw), *opened.parts])

    def _words(self, text: str) -> str:
        """Plain text, with what the board finds in it."""
        dressed: list[str] = []
        position = 0
        every = "|".join(f"({pattern.pattern})" for pattern, _show in self._dress.finds)
        for match in re.finditer(every, text):
            dressed.append(self._dress.plain(text[position : match.start()]))
            assert match.lastindex is not None
            dressed.append(self._dress.finds[match.lastindex - 1][1](match[0]))
            position = match.end()
        dressed.append(self._dress.plain(text[position:]))
        return "".join(dressed)


# What boards have in common.


def smileys(codes: Sequence[str], before: str, after: str) -> re.Pattern[str]:
    """Finds smilies that stand between the given surroundings."""
    longest_first = sorted(codes, key=len, reverse=True)
    return re.compile(f"{before}(?:{'|'.join(map(re.escape, longest_first))}){after}")


def wrapped(opening: str, closing: str) -> Tag:
    """A tag that only wraps what stands inside."""

    def dress(argument: str, inside: str) -> str:
        del argument
        return f"{opening}{inside}{closing}"

    return dress


def linked(opening: Callable[[str], str]) -> Tag:
    """The tag of an address; its inside must not become a link of its own."""

    def dress(argument: str, inside: str) -> str:
        target = argument[1:] or re.sub(r"<[^>]*>", "", inside)
        return f"{opening(escape(target))}{re.sub(r'</?a[^>]*>', '', inside)}</a>"

    return dress


def shortened(address: str, longest: int, mark: str) -> str:
    """An address as it is shown when it is too long."""
    return f"{address[:39]}{mark}{address[-10:]}" if len(address) > longest else address


def target_of(address: str, keep: str = "") -> str:
    """An address as it stands in an attribute."""
    return escape(quote(address, safe=f"/:?#@!$&'()*+,;=%~{keep}"))


# phpBB's.

_LONGEST_LINK: Final = 55
_SMILIES: Final = {
    ":D": "biggrin",
    ";)": "wink",
    ":)": "smile",
    ":(": "sad",
    "8-)": "cool",
    ":P": "razz",
}
_QUOTED: Final = re.compile(
    r'=(?:"(?P<plain>[^"]*)"|(?P<name>.*?))'
    r"(?: post_id=(?P<post>\d+))?(?: time=(?P<time>\d+))?(?: user_id=(?P<user>\d+))?"
)
_LONGESTLINK: Final = 55


def _plain(text: str) -> str:
    return escape(text, quote=False).replace("\n", "<br>\n")


def _smiley(found: str) -> str:
    return (
        f'<img class="smilies" src="./images/smilies/icon_e_{_SMILIES[found]}.gif" width="15" '
        f'height="17" alt="{found}" title="{_SMILIES[found]}">'
    )


def _link(found: str) -> str:
    shown = escape(shortened(found, _LONGEST_LINK, " … "), quote=False)
    return f'<a href="{target_of(found)}" class="postlink">{shown}</a>'


def _mail(found: str) -> str:
    return f'<a href="mailto:{escape(found)}">{escape(found)}</a>'


def _emoji(found: str) -> str:
    code = "-".join(f"{ord(letter):x}" for letter in found if letter != "\ufe0f")
    return (
        f'<img alt="{found}" class="emoji smilies" draggable="false" '
        f'src="//cdn.example.org/svg/{code}.svg">'
    )


def _code(text: str) -> str:
    return (
        '<div class="codebox"><p>Code: <a href="#" onclick="selectCode(this); return false;">'
        f"Select all</a></p><pre><code>{escape(text, quote=False)}</code></pre></div>"
    )


def _quote(argument: str, inside: str) -> str:
    if not argument:
        return f'<blockquote class="uncited"><div>{inside}</div></blockquote>'
    found = _QUOTED.fullmatch(argument)
    name = escape((found["plain"] or found["name"] or "") if found else argument[1:])
    if not found or not found["post"]:
        return f"<blockquote><div><cite>{name} wrote:</cite>{inside}</div></blockquote>"
    post = f"./viewtopic.php?p={found['post']}#p{found['post']}"
    author = name
    if found["user"]:
        profile = f"./memberlist.php?mode=viewprofile&amp;u={found['user']}"
        author = f'<a href="{profile}">{name}</a>'
    return (
        f'<blockquote cite="{post}"><div><cite>{author} wrote: <a href="{post}" '
        f'aria-label="View quoted post" data-post-id="{found["post"]}"><i class="icon fa-fw"></i>'
        f'</a><span class="responsive-hide">Tue Nov 14, 2023 11:13 pm</span></cite>{inside}</div>'
        "</blockquote>"
    )


PHPBB: Final = Dress(
    tags={
        "b": wrapped('<strong class="text-strong">', "</strong>"),
        "i": wrapped('<em class="text-italics">', "</em>"),
        "u": wrapped('<span style="text-decoration:underline">', "</span>"),
        "s": wrapped("<del>", "</del>"),
        "list": wrapped("<ul><li>", "</li></ul>"),
        "size": wrapped('<span style="font-size: 150%; line-height: normal">', "</span>"),
        "color": wrapped('<span style="color:red">', "</span>"),
        "quote": _quote,
        "spoiler": wrapped(
            '<div class="spoiler"><div class="spoiler-title">Spoiler</div>'
            '<div class="spoiler-content">',
            "</div></div>",
        ),
        "url": linked(lambda target: f'<a href="{target}" class="postlink">'),
    },
    code=_code,
    plain=_plain,
    finds=(
        (LINK, _link),
        (MAIL, _mail),
        (_EMOJI, _emoji),
        (smileys(list(_SMILIES), r"(?<![^\s.])", r"(?!\w)"), _smiley),
    ),
    joins=(
        (re.compile(r'<br>\n(?=<blockquote|<div class="(?:codebox|spoiler)")'), "\n"),
        (re.compile(r"(</blockquote>|</pre></div>|</div></div>)<br>\n"), r"\1\n"),
    ),
)
