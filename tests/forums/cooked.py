"""How the fake Discourse shows what was typed: enough of its cooking to break a careless reader.

Typography changes quotes, dashes and dots, emoji and smilies become pictures with other names,
unknown elements vanish, mentions become links, and some BBCode is understood beside Markdown.
"""

import re
import unicodedata
from html import escape
from typing import Final

import mistune
from bs4 import BeautifulSoup, Comment
from bs4.element import NavigableString, Tag

_QUOTE: Final = re.compile(
    r'^\[quote(?:="(?P<name>[^,"\n]*)[^\]\n]*")?\]\n?(?P<inside>.*?)\n?\[/quote\]$',
    re.DOTALL | re.MULTILINE,
)
_DETAILS: Final = re.compile(
    r'^\[details="(?P<title>[^"\n]*)"\]\n(?P<inside>.*?)\n\[/details\]$', re.DOTALL | re.MULTILINE
)
_SPOILER: Final = re.compile(r"\[spoiler\](?P<inside>.*?)\[/spoiler\]", re.DOTALL)
_STYLE: Final = re.compile(r"\[(?P<name>b|i|u|s)\](?P<inside>[^\[\]]*)\[/(?P=name)\]")
_FENCED: Final = re.compile(r"^(`{3,})[^\n]*\n.*?^\1$|`[^`\n]+`", re.DOTALL | re.MULTILINE)
_HELD: Final = re.compile("\x02([0-9]+)\x03")
_ALONE: Final = re.compile("<p>\x02([0-9]+)\x03</p>")
_ALLOWED: Final = frozenset(
    {"html", "body", "a", "aside", "b", "blockquote", "br", "code", "del", "details", "div", "em",
     "h1", "h2", "h3", "hr", "i", "img", "li", "ol", "p", "pre", "s", "span", "strong", "summary",
     "u", "ul"}
)  # fmt: skip
_SHOWN: Final = re.compile(
    r"(?P<emoji>[\U0001F300-\U0001FAFF\u2600-\u27BF][\ufe0f\U0001F3FB-\U0001F3FF]?"
    r"(?:\u200d[\U0001F300-\U0001FAFF\u2600-\u27BF]\ufe0f?)*)"
    r"|:(?P<name>[a-z0-9_+]+):"
    r"|(?<!\S)(?P<smiley>:\)|:D|;\)|:P|8-\))(?!\w)"
    r"|(?P<mention>@[\w-]+)"
)
_SMILIES: Final = {":)": "slight_smile", ":D": "smiley", ";)": "wink", ":P": "stuck_out_tongue"}


def cook(raw: str) -> str:
    """A post's HTML."""
    held: list[str] = []

    def hold(html: str) -> str:
        held.append(html)
        return f"\x02{len(held) - 1}\x03"

    text = _FENCED.sub(lambda found: hold(_code(found[0])), raw)
    text = _QUOTE.sub(lambda found: f"\n{hold(_quote(found, held))}\n", text)
    text = _DETAILS.sub(lambda found: f"\n{hold(_details(found, held))}\n", text)
    text = _SPOILER.sub(r'<span class="spoiler">\g<inside></span>', text)
    text = _STYLE.sub(r'<span class="bbcode-\g<name>">\g<inside></span>', text)
    html = mistune.markdown(text, escape=False, hard_wrap=True)
    soup = BeautifulSoup(f"<html><body>{html}</body></html>", "lxml")
    _sanitise(soup)
    _dress(soup)
    body = soup.body.decode_contents() if soup.body else ""
    for pattern in (_ALONE, _HELD):
        body = pattern.sub(lambda found: held[int(found[1])], body)
    return body.strip()


def _code(source: str) -> str:
    html: str = mistune.markdown(source, hard_wrap=True).strip()
    return html.removeprefix("<p>").removesuffix("</p>")


def _quote(found: re.Match[str], held: list[str]) -> str:
    inside = _HELD.sub(lambda inner: held[int(inner[1])], cook(found["inside"]))
    name = escape(found["name"] or "")
    return (
        f'<aside class="quote no-group" data-username="{name}" data-post="1" data-topic="1">'
        f'<div class="title"><div class="quote-controls"></div>{name}:</div>'
        f"<blockquote>{inside}</blockquote></aside>"
    )


def _details(found: re.Match[str], held: list[str]) -> str:
    inside = _HELD.sub(lambda inner: held[int(inner[1])], cook(found["inside"]))
    return f"<details><summary>{escape(found['title'])}</summary>{inside}</details>"


def _sanitise(soup: BeautifulSoup) -> None:
    for comment in soup.find_all(string=lambda text: isinstance(text, Comment)):
        comment.extract()
    for tag in soup.find_all():
        if tag.name in {"script", "style"}:
            tag.decompose()
        elif tag.name not in _ALLOWED:
            tag.unwrap()


def _dress(soup: BeautifulSoup) -> None:
    for text in list(soup.find_all(string=True)):
        if isinstance(text.parent, Tag) and text.parent.name not in {"code", "pre"}:
            in_link = text.find_parent("a") is not None
            dressed = _SHOWN.sub(
                lambda found, in_link=in_link: _picture(found, in_link=in_link),
                escape(_typography(text), quote=False),
            )
            fragment = BeautifulSoup(f"<html><body>{dressed}</body></html>", "lxml").body
            text.replace_with(*(list(fragment.contents) if fragment else [NavigableString("")]))


def _picture(found: re.Match[str], *, in_link: bool) -> str:
    if found["mention"]:
        name = found["mention"]
        return name if in_link else f'<a class="mention" href="/u/{name[1:].lower()}">{name}</a>'
    if found["emoji"]:
        name = unicodedata.name(found["emoji"][0], "emoji").lower().replace(" ", "_")
    else:
        name = found["name"] or _SMILIES.get(found["smiley"], "")
    if not name:
        return found[0]
    return (
        f'<img src="/images/emoji/twitter/{name}.png?v=12" title=":{name}:" class="emoji" '
        f'alt=":{name}:" loading="lazy" width="20" height="20">'
    )


def _typography(text: str) -> str:
    text = re.sub(r"\((c|r|tm)\)", lambda found: {"c": "©", "r": "®", "tm": "™"}[found[1]], text)
    text = text.replace("...", "…").replace("+-", "±")
    text = re.sub(r"(?<!-)---(?!-)", "—", text)
    text = re.sub(r"(?<!-)--(?!-)", "–", text)
    text = re.sub(r'(?:(?<=[\s(\[:])|^)"(?=\S)', "“", text)
    text = text.replace('"', "”")
    text = re.sub(r"(?:(?<=[\s(\[:])|^)'(?=\S)", "‘", text)
    return text.replace("'", "’")
