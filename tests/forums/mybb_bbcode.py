"""How MyBB shows what was typed, as its captured pages do.

A smiley keeps only its name, emoji stay letters, ``(c)`` becomes a sign, mail addresses stay text.
"""

import re
from html import escape
from typing import Final

from tests.forums.bbcode import LINK, Dress, linked, shortened, smileys, target_of, wrapped

_SMILIES: Final = {
    ":)": ("Smile", 1),
    ";)": ("Wink", 2),
    ":cool:": ("Cool", 3),
    ":D": ("Big Grin", 4),
    ":P": ("Tongue", 5),
    ":rolleyes:": ("Rolleyes", 6),
    ":shy:": ("Shy", 7),
    ":(": ("Sad", 8),
}
_SIGNS: Final = {"(c)": "&copy;", "(tm)": "&#153;", "(r)": "&reg;"}
_QUOTED: Final = re.compile(
    r"=(?P<mark>['\"]?)(?P<name>.*?)(?P=mark)"
    r"(?: pid='(?P<post>\d+)')?(?: dateline='(?P<time>\d+)')?"
)
_LONGEST_LINK: Final = 55
IMAGES: Final = "http://127.0.0.1:8102"


def _plain(text: str) -> str:
    return escape(text, quote=False).replace("\n", "<br />\n")


def _smiley(found: str) -> str:
    name, number = _SMILIES[found]
    file = name.lower().replace(" ", "")
    return (
        f'<img src="{IMAGES}/images/smilies/{file}.png" alt="{name}" title="{name}" '
        f'class="smilie smilie_{number}" />'
    )


def _opening(target: str) -> str:
    return f'<a href="{target}" target="_blank" rel="noopener" class="mycode_url">'


def _link(found: str) -> str:
    shown = escape(shortened(found, _LONGEST_LINK, "..."), quote=False)
    return f"{_opening(target_of(found, keep='|'))}{shown}</a>"


def _code(text: str) -> str:
    return (
        '<div class="codeblock"><div class="title">Code:</div><div class="body" dir="ltr"><code>'
        f"{_plain(text)}</code></div></div>"
    )


def _quote(argument: str, inside: str) -> str:
    found = _QUOTED.fullmatch(argument)
    if found is None:
        return f'<blockquote class="mycode_quote"><cite>Quote:</cite>{inside}</blockquote>'
    date = "<span> (14-11-2023, 23:13)</span>" if found["time"] else ""
    jump = ""
    if found["post"]:
        address = f"{IMAGES}/showthread.php?pid={found['post']}#pid{found['post']}"
        jump = f' <a href="{address}" class="quick_jump"></a>'
    cite = f"<cite>{date}{escape(found['name'])} Wrote: {jump}</cite>"
    return f'<blockquote class="mycode_quote">{cite}{inside}</blockquote>'


def _styled(style: str, letter: str) -> tuple[str, str]:
    return f'<span style="{style};" class="mycode_{letter}">', "</span>"


MYBB: Final = Dress(
    tags={
        "b": wrapped(*_styled("font-weight: bold", "b")),
        "i": wrapped(*_styled("font-style: italic", "i")),
        "u": wrapped(*_styled("text-decoration: underline", "u")),
        "s": wrapped(*_styled("text-decoration: line-through", "s")),
        "color": wrapped(*_styled("color: red", "color")),
        "size": wrapped(*_styled("font-size: large", "size")),
        "list": wrapped('<ul class="mycode_list"><li>', "</li></ul>"),
        "url": linked(_opening),
        "quote": _quote,
    },
    code=_code,
    plain=_plain,
    finds=(
        (LINK, _link),
        (re.compile(r"\[hr\]"), lambda _: '<hr class="mycode_hr" />'),
        (re.compile(r"\((?:c|tm|r)\)"), lambda found: _SIGNS[found]),
        (smileys(list(_SMILIES), r"(?<!\S)", r"(?!\S)"), _smiley),
    ),
    joins=(
        (re.compile(r"(</blockquote>|</code></div></div>)<br />\n"), r"\1"),
        (re.compile(r"(<hr [^>]*>)<br />"), r"\1"),
    ),
)
