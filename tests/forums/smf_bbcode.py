"""How SMF shows what was typed, as its captured pages do.

It makes a smiley of ``8)``, keeps runs of spaces with no-break ones, and has already rewritten
typographic quotes when it kept the post.
"""

import re
from html import escape
from typing import Final

from tests.forums.bbcode import LINK, MAIL, Dress, linked, smileys, target_of, wrapped

_SMILIES: Final = {
    ":)": ("smiley", "Smiley"),
    ";)": ("wink", "Wink"),
    ":D": ("cheesy", "Cheesy"),
    "8)": ("cool", "Cool"),
    ":(": ("sad", "Sad"),
    ":P": ("tongue", "Tongue"),
}
_TYPOGRAPHY: Final = {
    **dict.fromkeys(map(ord, "“”„‟"), '"'),
    **dict.fromkeys(map(ord, "‘’‚‛"), "'"),
    ord("…"): "...",
}
_QUOTED: Final = re.compile(
    r"=(?P<name>.*?)(?: link=(?:topic=\d+\.)?msg=?(?P<post>\d+)(?:#msg\d+)?)?"
    r"(?: date=(?P<time>\d+))?|"
    r" author=(?P<author>.*?) link=msg=(?P<msg>\d+) date=(?P<date>\d+)"
)
BASE: Final = "http://127.0.0.1:8103"


def kept(text: str) -> str:
    """What SMF keeps of a text: typography as a typewriter has it."""
    return text.translate(_TYPOGRAPHY)


def _plain(text: str) -> str:
    html = escape(text, quote=False).replace('"', "&quot;").replace("'", "&#39;")
    html = html.replace("\xa0", "&nbsp;").replace("\t", "&nbsp;&nbsp;&nbsp;")
    html = re.sub(r"(?<!&nbsp;) {2}", "&nbsp; ", html.replace("   ", "&nbsp; &nbsp;"))
    return html.replace("\r", "").replace("\n", "<br>")


def _smiley(found: str) -> str:
    file, title = _SMILIES[found]
    alt = found.replace(":", "&#58;").replace(")", "&#41;").replace("(", "&#40;")
    return f'<img src="{BASE}/Smileys/fugue/{file}.png" alt="{alt}" title="{title}" class="smiley">'


def _opening(target: str) -> str:
    return f'<a href="{target}" class="bbc_link" target="_blank" rel="noopener">'


def _link(found: str) -> str:
    return f"{_opening(target_of(found))}{escape(found, quote=False)}</a>"


def _mail(found: str) -> str:
    return f'<a href="mailto:{escape(found)}" class="bbc_email">{escape(found)}</a>'


def _code(text: str) -> str:
    return (
        '<div class="codeheader"><span class="code floatleft">Code</span> '
        '<a class="codeoperation smf_select_text">Select</a> '
        '<a class="codeoperation smf_expand_code hidden" data-shrink-txt="Shrink" '
        f'data-expand-txt="Expand">Expand</a></div><code class="bbc_code">{_plain(text)}</code>'
    )


def _quote(argument: str, inside: str) -> str:
    found = _QUOTED.fullmatch(argument) if argument else None
    if found is None:
        return f'<blockquote class="bbc_standard_quote"><cite>Quote</cite>{inside}</blockquote>'
    name = escape((found["name"] or found["author"] or "").strip('"'))
    cite = f"Quote from: {name}"
    post = found["post"] or found["msg"]
    if post:
        cite = f'<a href="{BASE}/index.php?msg={post}">{cite} on 14-11-2023, 23:13</a>'
    return f'<blockquote class="bbc_standard_quote"><cite>{cite}</cite>{inside}</blockquote>'


SMF: Final = Dress(
    tags={
        "b": wrapped("<b>", "</b>"),
        "i": wrapped("<i>", "</i>"),
        "u": wrapped('<span class="bbc_u">', "</span>"),
        "s": wrapped("<s>", "</s>"),
        "color": wrapped('<span style="color: red;" class="bbc_color">', "</span>"),
        "size": wrapped('<span style="font-size: 14pt;" class="bbc_size">', "</span>"),
        "list": wrapped('<ul class="bbc_list"><li>', "</li></ul>"),
        "url": linked(_opening),
        "quote": _quote,
    },
    code=_code,
    plain=_plain,
    finds=(
        (LINK, _link),
        (MAIL, _mail),
        (re.compile(r"\[hr\]"), lambda _: "<hr>"),
        (smileys(list(_SMILIES), r"(?<![^\s>:?.\[\]()*\\;])", r"(?![A-Za-z0-9])"), _smiley),
    ),
    joins=((re.compile(r"(</blockquote>|</code>|<hr>)<br>"), r"\1"),),
)
