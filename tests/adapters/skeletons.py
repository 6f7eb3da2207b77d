"""Captured pages as skeletons: a post's words as its platform renders them, put into a real page.

The captures all show one thread, in which one post says nothing but ``Respuesta corta.``; its words
give way. Of platforms that nobody here could run the pages are those that ``profiles.construct``
makes of the same thread. How a platform renders what is typed is learnt from its captures and kept
beside its fake; a platform whose own software runs in the tests is rendered by that in
``test_nasty_posts``.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.adapters.profiles.construct import ENGINES, as_rich_text
from tests.forums import bbcode
from tests.forums.fake_nodebb import nodebb_html
from tests.forums.foroactivo_pages import as_foroactivo
from tests.forums.mybb_bbcode import MYBB
from tests.forums.rendered import link, markdown_html
from tests.forums.smf_bbcode import SMF, kept

CONSTRUCTED: Final = Path(__file__).parent
CAPTURES: Final = CONSTRUCTED / "captures"
PLACE: Final = "Respuesta corta."


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A captured page with a place for somebody's words.

    Attributes:
        platform: Whose page it is, as its folder is called.
        dialect: What people type there.
        render: Makes of what was typed what the platform shows.
    """

    platform: str
    dialect: str
    render: Callable[[str], str]

    @property
    def page(self) -> Path:
        """The captured page that holds the place."""
        captured = CAPTURES / self.platform
        folder = captured if captured.exists() else CONSTRUCTED / self.platform
        return min(path for path in folder.iterdir() if PLACE in _read(path))

    def empty(self) -> str:
        """The page as it was captured."""
        return _read(self.page)

    def says(self, typed: str) -> str:
        """The page with other words in that one post."""
        return self.shows(self.render(typed))

    def shows(self, html: str) -> str:
        """The page with other HTML in that one post."""
        page = self.empty()
        if self.page.suffix == ".json":
            return json.dumps(_put(json.loads(page), html), ensure_ascii=False)
        assert page.count(PLACE) == 1
        # A function, because what is put in may hold backslashes.
        return re.sub(re.escape(PLACE), lambda _found: html, page)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _put(data: Any, html: str) -> Any:
    """The same data with the place filled wherever it stands: some tell a post's words twice."""
    if isinstance(data, dict):
        return {key: _put(value, html) for key, value in data.items()}
    if isinstance(data, list):
        return [_put(value, html) for value in data]
    return data.replace(PLACE, html) if isinstance(data, str) else data


def _plain(found: re.Match[str]) -> str:
    """Addresses become links; all else stays what it is."""
    return link(found["url"]) if found["url"] else ""


def _markdown(typed: str) -> str:
    return markdown_html(typed, _plain)


def _mybb(typed: str) -> str:
    return bbcode.render(typed, MYBB)


def _smf(typed: str) -> str:
    return bbcode.render(kept(typed), SMF)


def _machina(typed: str) -> str:
    """As django-machina does: what looks like an element is taken out, with a notice."""
    return _markdown(re.sub(r"</?\w[^<>\n]*>", "[HTML_REMOVED]", typed))


def _without_scheme(typed: str) -> str:
    """As Misago does: the words of a link lack their ``https://``."""

    def shortened(found: re.Match[str]) -> str:
        url = found["url"]
        return link(url).replace(f">{url}", f">{url.partition('//')[2]}") if url else ""

    return markdown_html(typed, shortened)


_MISAGO_QUOTE: Final = re.compile(r'\[quote="([^"\n]*)"\]\n(.*?)\n\[/quote\]', re.DOTALL)


def _misago(typed: str) -> str:
    """Markdown with quotations in BBCode."""
    before, *quotations = _MISAGO_QUOTE.split(typed)
    html = _without_scheme(before)
    for who, quoted, after in zip(*[iter(quotations)] * 3, strict=True):
        html += (
            f'<aside class="quote-block"><div class="quote-heading" data-noquote="1">{who}</div>'
            f'<blockquote class="quote-body" data-block="quote">{_without_scheme(quoted)}'
            f"</blockquote></aside>{_without_scheme(after)}"
        )
    return html


def _foroactivo(typed: str) -> str:
    return as_foroactivo(bbcode.render(typed))


def _rich_text(typed: str) -> str:
    """What somebody does with an editor's buttons who would type BBCode elsewhere."""
    return as_rich_text(bbcode.render(typed))


SKELETONS: Final[Mapping[str, Skeleton]] = {
    skeleton.platform: skeleton
    for skeleton in (
        Skeleton("phpbb", "bbcode", bbcode.render),
        Skeleton("mybb", "bbcode", _mybb),
        Skeleton("smf", "bbcode", _smf),
        Skeleton("spirit", "markdown", _markdown),
        Skeleton("machina", "markdown", _machina),
        Skeleton("flaskbb", "markdown", _markdown),
        Skeleton("misago", "markdown", _misago),
        Skeleton("nodebb", "markdown", nodebb_html),
        *(Skeleton(f"foroactivo-{engine}", "bbcode", _foroactivo) for engine in ENGINES),
        Skeleton("comunidad-umbria", "bbcode", _rich_text),
        Skeleton("rpol", "bbcode", _rich_text),
    )
}
