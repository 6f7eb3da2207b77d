"""How the fake phpBB shows what was typed: enough of BBCode to break a careless reader.

Emoji and smilies become pictures, long addresses are shortened, quotes name their author, and what
only looks like BBCode stays text, as in the captured pages of a real board.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from typing import Final
from urllib.parse import quote

_TAG: Final = re.compile(
    r"\[(?P<end>/)?(?P<name>b|i|u|s|quote|code|spoiler|url|list|size|color)"
    r"(?P<argument>=[^\]\n]{0,300})?\]",
    re.IGNORECASE,
)
_LINK: Final = re.compile(r"https?://[^\s\[\]<>\"']*[^\s\[\]<>\"'.,;:!?)]")
_MAIL: Final = re.compile(r"[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}")
_SMILIES: Final = {
    ":D": "biggrin",
    ";)": "wink",
    ":)": "smile",
    ":(": "sad",
    "8-)": "cool",
    ":P": "razz",
}
_SMILEY: Final = re.compile(
    r"(?<![^\s.])(?:"
    + "|".join(map(re.escape, sorted(_SMILIES, key=len, reverse=True)))
    + r")(?!\w)"
)
_EMOJI_BASE: Final = r"[\U0001F300-\U0001FAFF\u2600-\u27BF\u2B50]"
_EMOJI: Final = re.compile(
    rf"{_EMOJI_BASE}[\ufe0f\U0001F3FB-\U0001F3FF]?(?:\u200d{_EMOJI_BASE}\ufe0f?)*"
)
_QUOTED: Final = re.compile(
    r'=(?:"(?P<plain>[^"]*)"|(?P<name>.*?))'
    r"(?: post_id=(?P<post>\d+))?(?: time=(?P<time>\d+))?(?: user_id=(?P<user>\d+))?"
)
_LONGEST_LINK: Final = 55


@dataclass(slots=True)
class _Open:
    """A tag whose end has not come yet."""

    raw: str
    name: str = ""
    argument: str = ""
    parts: list[str] = field(default_factory=list)


def render(text: str) -> str:
    """A post's body as HTML."""
    stack = [_Open("")]
    position = 0
    while match := _TAG.search(text, position):
        stack[-1].parts.append(_words(text[position : match.start()]))
        position = match.end()
        name = match["name"].lower()
        if match["end"]:
            _close(stack, name, match[0])
        elif name == "code":
            end = text.lower().find("[/code]", position)
            if end < 0:
                stack[-1].parts.append(escape(match[0], quote=False))
            else:
                stack[-1].parts.append(_code(text[position:end]))
                position = end + len("[/code]")
        else:
            stack.append(_Open(match[0], name, match["argument"] or ""))
    stack[-1].parts.append(_words(text[position:]))
    while len(stack) > 1:
        _unopen(stack)
    return _without_breaks_at_blocks("".join(stack[0].parts))


def _close(stack: list[_Open], name: str, raw: str) -> None:
    """End the innermost tag of that name; those inside it were text."""
    if all(opened.name != name for opened in stack):
        stack[-1].parts.append(escape(raw, quote=False))
        return
    while stack[-1].name != name:
        _unopen(stack)
    opened = stack.pop()
    stack[-1].parts.append(_RENDERED[name](opened.argument, "".join(opened.parts)))


def _unopen(stack: list[_Open]) -> None:
    opened = stack.pop()
    stack[-1].parts.extend([escape(opened.raw, quote=False), *opened.parts])


def _words(text: str) -> str:
    """Plain text: addresses, mails, emoji and smilies dressed, the rest escaped."""
    dressed: list[str] = []
    position = 0
    for match in re.finditer(
        "|".join(f"(?:{pattern.pattern})" for pattern in (_LINK, _MAIL, _EMOJI, _SMILEY)), text
    ):
        dressed.append(_plain(text[position : match.start()]))
        dressed.append(_dressed(match[0]))
        position = match.end()
    dressed.append(_plain(text[position:]))
    return "".join(dressed)


def _plain(text: str) -> str:
    return escape(text, quote=False).replace("\n", "<br>\n")


def _dressed(found: str) -> str:
    if found in _SMILIES:
        return (
            f'<img class="smilies" src="./images/smilies/icon_e_{_SMILIES[found]}.gif" width="15" '
            f'height="17" alt="{found}" title="{_SMILIES[found]}">'
        )
    if found.startswith("http"):
        shown = f"{found[:39]} … {found[-10:]}" if len(found) > _LONGEST_LINK else found
        address = escape(quote(found, safe="/:?#@!$&'()*+,;=%~"))
        return f'<a href="{address}" class="postlink">{escape(shown, quote=False)}</a>'
    if "@" in found:
        return f'<a href="mailto:{escape(found)}">{escape(found)}</a>'
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


def _spoiler(argument: str, inside: str) -> str:
    del argument
    return (
        '<div class="spoiler"><div class="spoiler-title">Spoiler</div>'
        f'<div class="spoiler-content">{inside}</div></div>'
    )


def _url(argument: str, inside: str) -> str:
    target = argument[1:] or re.sub(r"<[^>]*>", "", inside)
    return f'<a href="{escape(target)}" class="postlink">{re.sub(r"</?a[^>]*>", "", inside)}</a>'


def _as(opening: str, closing: str) -> Callable[[str, str], str]:
    def dress(argument: str, inside: str) -> str:
        del argument
        return f"{opening}{inside}{closing}"

    return dress


_RENDERED: Final = {
    "b": _as('<strong class="text-strong">', "</strong>"),
    "i": _as('<em class="text-italics">', "</em>"),
    "u": _as('<span style="text-decoration:underline">', "</span>"),
    "s": _as("<del>", "</del>"),
    "list": _as("<ul><li>", "</li></ul>"),
    "size": _as('<span style="font-size: 150%; line-height: normal">', "</span>"),
    "color": _as('<span style="color:red">', "</span>"),
    "quote": _quote,
    "spoiler": _spoiler,
    "url": _url,
}


def _without_breaks_at_blocks(html: str) -> str:
    """Blocks swallow the line break before and after them."""
    html = re.sub(r'<br>\n(?=<blockquote|<div class="(?:codebox|spoiler)")', "\n", html)
    return re.sub(r"(</blockquote>|</pre></div>|</div></div>)<br>\n", r"\1\n", html)
