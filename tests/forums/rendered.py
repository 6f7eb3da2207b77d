"""How fake sites with Markdown show what was typed: CommonMark, and each platform's own dressing.

What a platform makes of plain words (pictures of emoji, links, mentions) is a function from a
match of ``SHOWN`` to HTML; nothing is dressed in code, and no link within a link.
"""

import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Any, Final
from urllib.parse import quote

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

_EMOJI: Final = r"[\U0001F300-\U0001FAFF\u2600-\u27BF\u2B50]"
SHOWN: Final = re.compile(
    r"(?P<url>https?://[^\s<>\[\]\"]*[^\s<>\[\]\"'.,;:!?)])"
    r"|(?P<mail>[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{1,60}){1,4})"
    r"|(?P<mention>(?<!\w)@[\w-]{2,40})"
    rf"|(?P<emoji>{_EMOJI}[\ufe0f\U0001F3FB-\U0001F3FF]?(?:\u200d{_EMOJI}\ufe0f?)*)"
    r"|(?P<name>:[a-z][a-z0-9_+]{1,30}:)"
    r"|(?P<smiley>>:\(|:'\(|8-\)|:-?[)DPO|(]|;-?\)|8\))"
)

Dress = Callable[[re.Match[str]], str]


def markdown_html(typed: str, dress: Dress) -> str:
    """A post's HTML.

    Args:
        typed: The source.
        dress: Turns a match of ``SHOWN`` into HTML; an empty string leaves it as it is.
    """
    md = MarkdownIt("js-default", {"breaks": True, "html": False, "typographer": False})

    def text(
        self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any
    ) -> str:
        del self, options, env
        in_link = sum(token.nesting for token in tokens[:index] if token.type.startswith("link_"))
        return dressed(tokens[index].content, dress, in_link=bool(in_link))

    md.add_render_rule("text", text)
    html: str = md.render(typed)
    return html


def dressed(words: str, dress: Dress, *, in_link: bool = False) -> str:
    """Plain words as HTML."""
    parts: list[str] = []
    position = 0
    for found in SHOWN.finditer(words):
        parts.append(escape(words[position : found.start()], quote=False))
        is_link = in_link and (found["url"] or found["mail"] or found["mention"])
        html = "" if is_link else dress(found)
        parts.append(html or escape(found[0], quote=False))
        position = found.end()
    parts.append(escape(words[position:], quote=False))
    return "".join(parts)


def link(address: str, *, rel: str = "nofollow ugc", prefix: str = "") -> str:
    """An address as a link to itself."""
    href = escape(quote(address, safe="/:?#@!$&'()*+,;=%~"))
    return f'<a href="{prefix}{href}" rel="{rel}">{escape(address, quote=False)}</a>'
