"""Constructs the pages of forums that nobody here could run: ``python -m ...construct``.

The thirty posts of the made-up thread, as a real phpBB shows them (``captures/phpbb``), are dressed
anew in the skeletons that public templates and programs show. Page and declared result are both
written from what went in, so that the result owes nothing to what is tested; a test compares the
files with this script. Nothing here was captured from a live board.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML

from adapters.html import attribute, soup_of
from tests.forums import foroactivo_pages as foroactivo

HERE: Final = Path(__file__).parent
ADAPTERS: Final = HERE.parent
SIGNED: Final = {"Tomás", "Wren"}
ABOUT: Final = "constructed, not captured: {skeleton}; the posts are those of captures/phpbb"
ENGINES: Final = ("phpbb3", "phpbb2", "punbb", "invision", "modernbb")
VIEWER: Final = foroactivo.Viewer(9, "Árbitro")


@dataclass(frozen=True, slots=True)
class Source:
    """A post of the captured thread."""

    id: int
    author_id: int
    author: str
    body: str
    edits: int


def sources() -> list[Source]:
    """All thirty posts, from the three captured pages."""
    found = []
    for page in sorted((ADAPTERS / "captures" / "phpbb").glob("topic-p*.html")):
        for node in soup_of(page.read_text(encoding="utf-8"), page.name).select("div.post[id^=p]"):
            link, body = node.select_one("p.author .username"), node.select_one("div.content")
            assert link is not None
            assert body is not None
            user = re.search(r"[?&]u=([0-9]+)", attribute(link, "href"))
            assert user is not None
            found.append(
                Source(
                    int(attribute(node, "id")[1:]),
                    int(user[1]),
                    link.get_text(),
                    body.decode_contents(formatter="minimal").replace("<br/>", "<br>"),
                    int(node.select_one("div.notice") is not None),
                )
            )
    return found


# ------------------------------------------------------------------------------- foroactivo


def of_foroactivo(engine: str, posts: Sequence[Source]) -> Iterator[tuple[str, str, Any]]:
    """Pages of fifteen posts in one version, and what is to be read from them."""
    per_page, slug = 15, "t12{}-escena-el-molino-de-penascal"
    base = "https://molino.foroactivo.test"
    addresses = [f"/{slug.format(f'p{n}' if n else '')}" for n in range(0, len(posts), per_page)]
    title = "Escena: El molino de Peñascal"
    for number, address in enumerate(addresses):
        part = posts[number * per_page : (number + 1) * per_page]
        shown = [
            foroactivo.Shown(
                id=post.id,
                topic=slug.format(""),
                author_id=post.author_id,
                author=post.author,
                body=foroactivo.as_foroactivo(post.body),
                at=1_700_000_000.0 + post.id,
                edits=post.edits,
                signature="Firma [acción: ataque | objetivo: Firma]"
                if post.author in SIGNED
                else "",
            )
            for post in part
        ]
        places = ["" if other == address else other for other in addresses]
        html = foroactivo.topic(VIEWER, engine, title, shown, places)
        yield (
            f"topic-p{number + 1}",
            html,
            {
                "about": ABOUT.format(skeleton=f"the {engine} version of public templates"),
                "url": base + address,
                "thread": {
                    "url": base + address,
                    "next_url": base + addresses[number + 1] if number + 1 < len(places) else "",
                    "previous_url": base + addresses[number - 1] if number else "",
                    "last_url": base + addresses[-1],
                    "title": title,
                    "viewer_id": str(VIEWER.id),
                    "posts": [
                        {
                            "id": str(post.id),
                            "author_id": str(post.author_id),
                            "author_name": post.author,
                            "url": f"{base}{addresses[0]}#{post.id}",
                        }
                        for post in part
                    ],
                },
            },
        )


# ------------------------------------------------------------------------------- umbría


CHARACTERS: Final[Mapping[str, str]] = {
    "Narradora": "El destino", "Lucía": "Lope", "Tomás": "Ximena", "Wren": "Iria",
}  # fmt: skip


def account_of(author: str) -> str:
    """An account's name, which is not the character's."""
    return {"Lucía": "lucia_m", "Tomás": "tomas77"}.get(author, author.casefold())


def as_rich_text(html: str) -> str:
    """A body as an editor of rich text leaves it: no smilies, no boxes."""
    html = foroactivo.plain_emoji(html)
    html = re.sub(r'<img[^>]*class="smilies"[^>]*>', foroactivo.typed_of, html)
    html = re.sub(
        r'<div class="codebox"><p>.*?</p><pre><code>(.*?)</code></pre></div>',
        r"<pre>\1</pre>",
        html,
        flags=re.DOTALL,
    )
    html = re.sub(r"<cite>.*?</cite>", "", html, flags=re.DOTALL)
    html = re.sub(r"<blockquote[^>]*><div>", "<blockquote><p>", html)
    html = html.replace("</div></blockquote>", "</p></blockquote>")
    html = re.sub(r'<div class="spoiler-title">.*?</div>', "", html)
    return html.replace("<br>", "<br />")


def of_umbria(posts: Sequence[Source]) -> Iterator[tuple[str, str, Any]]:
    """A scene of Comunidad Umbría, two pages."""
    base, scene = "https://www.comunidadumbria.test", "/partida/el-molino/escena-1"
    halves = [posts[:15], posts[15:]]
    urls = [f"{base}{scene}?__Pg={number}" for number in (1, 2)]
    for number, part in enumerate(halves):
        links = "".join(
            f'<li><a href="{scene}?__Pg={page}">{page}</a></li>'
            for page in (1, 2)
            if page != number + 1
        )
        after = f'<li><a href="{scene}?__Pg=2" title="Página siguiente">»</a></li>'
        paging = f'<ul class="paginador">{links}{after if number == 0 else ""}</ul>'
        shown = "\n".join(_umbria_post(post) for post in part)
        html = f"""\
<!DOCTYPE html>
<html lang="es"><head><title>Umbría</title></head><body>
<div id="cabecera"><a href="/logout">Salir</a></div>
<h2 class="tituloPartida"><a href="/partida/el-molino">El molino</a></h2>
<h3 id="escena"><span>Escena: El molino de Peñascal</span></h3>
{paging}
{shown}
{paging}
</body></html>
"""
        yield (
            f"scene-p{number + 1}",
            html,
            {
                "about": ABOUT.format(skeleton="what public programs read of the site"),
                "url": urls[number],
                "thread": {
                    "url": urls[number],
                    "next_url": urls[1] if number == 0 else "",
                    "previous_url": urls[0] if number else "",
                    "last_url": urls[1],
                    "title": "Escena: El molino de Peñascal",
                    "viewer_id": "",
                    "posts": [
                        {
                            "id": str(post.id),
                            "author_id": account_of(post.author),
                            "author_name": CHARACTERS[post.author],
                            "url": f"{urls[number]}#msj{post.id}",
                        }
                        for post in part
                    ],
                },
            },
        )


def _umbria_post(post: Source) -> str:
    account = account_of(post.author)
    notes = (
        f'<div class="notas" id="notas{post.id}"><h3>Notas de juego</h3>'
        "<p>[acción: ataque | objetivo: Notas]</p></div>"
        if post.author in SIGNED
        else ""
    )
    return f"""\
<div class="wrapMensaje"><div class="mensaje" id="msj{post.id}">
<div class="avatar"><a href="/comunidad/companeros/{post.author_id}" class="linkAvatar"><img
 width="90" height="120" src="/imgs/usuarios/{post.author_id}.png" title="{account}"
 alt="{account}" class="fotoAvatar" /></a></div>
<div class="fecha">23/01/2014, 17:14</div>
<div class="pj">{CHARACTERS[post.author]}</div>
<div class="texto">{as_rich_text(post.body)}</div>
{notes}</div></div>"""


# ------------------------------------------------------------------------------- rpol


def of_rpol(posts: Sequence[Source]) -> Iterator[tuple[str, str, Any]]:
    """A thread of RPoL, two pages."""
    address = "https://rpol.test/display.cgi?gi=4&ti=7&date=1700000000&msgpage={}"
    for number, part in enumerate((posts[:15], posts[15:]), 1):
        first = 15 * (number - 1) + 1
        shown = "\n".join(_rpol_post(post, place) for place, post in enumerate(part, first))
        other = escape(address.format(3 - number).removeprefix("https://rpol.test"))
        html = f"""\
<!DOCTYPE html>
<html><head><title>RPoL</title></head><body>
<div class="topmenu"><a href="/logout.cgi">Logout</a></div>
<h1>Escena: El molino de Peñascal</h1>
<div class="topthreadnav"><ul><li>{number} of 2</li><li><a href="{other}">other</a></li></ul></div>
{shown}
</body></html>
"""
        yield (
            f"thread-p{number}",
            html,
            {
                "about": ABOUT.format(skeleton="what public programs read of the site"),
                "url": address.format(number),
                "thread": {
                    "url": address.format(number),
                    "next_url": address.format(2) if number == 1 else "",
                    "previous_url": address.format(1) if number == 2 else "",
                    "last_url": address.format(2),
                    "title": "Escena: El molino de Peñascal",
                    "viewer_id": "",
                    "posts": [
                        {
                            "id": str(place),
                            "author_id": CHARACTERS[post.author],
                            "author_name": CHARACTERS[post.author],
                            "url": address.format(number),
                        }
                        for place, post in enumerate(part, first)
                    ],
                },
            },
        )


def _rpol_post(post: Source, place: int) -> str:
    return f"""\
<div class="message">
<span class="messageauthor">{CHARACTERS[post.author]}</span>
<div class="characterdetails">player, 12 posts</div>
<div class="charbiolines">Bio [acción: ataque | objetivo: Bio]</div>
<div class="messagedetails">Sun 29 Nov 2026 at 17:14</div>
<div class="messagecontent"><ul><li>msg #{place}</li></ul></div>
<div class="messagebody" id="msg{place}">{as_rich_text(post.body)}</div>
</div>"""


# ------------------------------------------------------------------------------- writing


Maker = Callable[[Sequence[Source]], Iterator[tuple[str, str, Any]]]
MAKERS: Final[Mapping[str, Maker]] = {
    **{
        f"foroactivo-{engine}": lambda posts, engine=engine: of_foroactivo(engine, posts)
        for engine in ENGINES
    },
    "comunidad-umbria": of_umbria,
    "rpol": of_rpol,
}


def files() -> Iterator[tuple[Path, str]]:
    """Every file with its content."""
    posts = sources()
    for profile, make in MAKERS.items():
        for name, html, declared in make(posts):
            folder = ADAPTERS / profile
            out = StringIO()
            writer = YAML()
            writer.width = 200
            writer.dump(declared, out)
            yield folder / f"{name}.html", html
            yield folder / f"{name}.yaml", out.getvalue()


if __name__ == "__main__":
    for path, content in files():
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
