"""``referee check --online`` as a user runs it, against servers on loopback."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from adapters import phpbb
from adapters.pages import Reader
from adapters.registry import BY_NAME
from tests.adapters.profiles.reading import read_profile
from tests.cli.test_cli import referee
from tests.forums.board import Reply, Request, serving
from tests.forums.fake_foroactivo import FakeForoactivo
from tests.forums.fake_phpbb import FakePhpBB

CAPTURES = Path(__file__).parents[1] / "adapters" / "captures"
SECRET = "canario-9f3a"
CONFIG = """\
language: {language}
sites:
  foro:
    adapter: {adapter}
    base_url: {url}
    username: Árbitro
    password_file: clave.txt
    allow_private: true
    rate: 20
threads:
  molino:
    site: foro
    topic: "{topic}"
    ruleset: aquelarre
    gm: {gm}
    cast:
      Lope: {{player: {player}, sheet: {{strength: 13, skills: {{swords: 65}}, weapons: [espada]}}}}
"""


class Saved:
    """A server that knows a few saved pages."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self.pages = pages
        self.posted = 0

    def answer(self, request: Request) -> Reply:
        self.posted += request.method == "POST"
        text = self.pages.get(request.path)
        return Reply(404, "<html><body>404</body></html>") if text is None else Reply(body=text)


def check(
    folder: Path, *, url: str, topic: str, adapter: str, gm: str = "2", player: str = "3",
    lang: str = "es", options: tuple[str, ...] = ("--online",),
) -> Any:  # fmt: skip
    (folder / "clave.txt").write_text(SECRET)
    (folder / "config.yaml").write_text(
        CONFIG.format(language=lang, adapter=adapter, url=url, topic=topic, gm=gm, player=player),
        encoding="utf-8",
    )
    result = referee("check", *options, cwd=folder, lang=lang)
    assert SECRET not in result.stdout + result.stderr
    return result


def test_a_robots_txt_that_closes_the_thread_is_told_before_anything_is_read(
    tmp_path: Path,
) -> None:
    server = Saved({"/robots.txt": "User-agent: *\nDisallow: /"})
    with serving(server) as url:
        result = check(tmp_path, url=url, topic="2", adapter="phpbb")
    assert result.returncode != 0
    assert "robots.txt" in result.stdout + result.stderr


def profile(name: str) -> str:
    """The adapter's line of a config, with the profile below it."""
    return f"profile\n    profile: {name}"


@pytest.mark.parametrize("lang", ["es", "en"])
def test_a_forum_that_works_is_explained_and_nothing_is_posted(tmp_path: Path, lang: str) -> None:
    board = FakeForoactivo("punbb")
    for name in ("Narradora", "Lucía"):
        board.add_user(name)
    board.add_user("Árbitro", SECRET)
    scene = board.add_topic("Escena", "Narradora", "Empieza.")
    board.post("Lucía", scene, "[acción: ataque | objetivo: Lope]")
    board.post("Lucía", scene, "[acción: aatque | objetivo: Lope]")
    with board.serving() as url:
        topic = f"{url}/t12-escena"
        result = check(tmp_path, url=url, topic=topic, adapter=profile("foroactivo"), lang=lang)
    assert result.returncode == 0, result.stdout + result.stderr
    said = result.stdout
    assert "Lucía = 3" in said
    assert "Narradora = 2" in said
    assert {"es": "entra como 4", "en": "logs in as 4"}[lang] in said
    assert {"es": "el formulario está", "en": "the form is there"}[lang] in said
    assert "aatque" in said
    assert board.sent == []
    assert len(scene.shown) == 3


# Where a saved page of each platform stands, and what is to be said of it.
LOOKS = {
    "phpbb": "/viewtopic.php?t=2",
    "mybb": "/showthread.php?tid=1",
    "smf": "/index.php?topic=1.0",
    "flaskbb": "/topic/1",
    "machina": "/forum/forum/1-partida/topic/1-escena/",
    "spirit": "/topic/1/escena/",
}


@pytest.mark.parametrize("platform", LOOKS)
def test_a_page_of_another_platform_is_known_for_what_it_is(tmp_path: Path, platform: str) -> None:
    page = next(iter(sorted((CAPTURES / platform).glob("topic-p1-en.html"))))
    address = LOOKS[platform]
    text = page.read_text(encoding="utf-8")
    saved = Saved({address.partition("?")[0]: text})
    with serving(saved) as url:
        text = re.sub(r"http://127\.0\.0\.1:[0-9]+", url, text)
        saved.pages = {address.partition("?")[0]: text}
        result = check(
            tmp_path, url=url, topic=url + address, adapter=profile("comunidad-umbria"),
            options=("--online", "--json"),
        )  # fmt: skip
        (row,) = json.loads(result.stdout)["online"]
        assert result.returncode == 3
        assert row["platform"] == platform
    assert saved.posted == 0
    if platform not in BY_NAME:
        # No adapter of its own: then a profile that reads the page is worked out.
        suggested = tmp_path / "propuesto.yaml"
        suggested.write_text(row["suggestion"], encoding="utf-8")
        profiles, problems = read_profile(suggested)
        assert problems == []
        posts = Reader(profiles).read(text, url + address).posts
        assert len(posts) == 10
        assert len({post.author_id for post in posts}) == 4
        assert "[acción: ataque | objetivo: Bandido" in posts[1].own_words


def test_the_adapter_that_a_page_looks_made_for_is_told(tmp_path: Path) -> None:
    page = CAPTURES / "phpbb" / "topic-p1-en.html"
    with serving(Saved({"/viewtopic.php": page.read_text(encoding="utf-8")})) as url:
        told = check(tmp_path, url=url, topic=f"{url}/viewtopic.php?t=2", adapter=profile("rpol"))
    assert told.returncode == 3
    assert "parece phpbb: prueba con «adapter: phpbb»" in told.stdout


def test_what_of_a_profile_matches_nothing_is_named(tmp_path: Path) -> None:
    board = FakeForoactivo("phpbb3")
    for name, secret in (("Narradora", "x"), ("Árbitro", SECRET)):
        board.add_user(name, secret)
    board.add_topic("Escena", "Narradora", "Empieza.")
    own = "like: foroactivo-phpbb3\npage: {title: h5.titulo}\n"
    (tmp_path / "mio.yaml").write_text(own, encoding="utf-8")
    with board.serving() as url:
        result = check(tmp_path, url=url, topic="12", adapter=profile("mio.yaml"), player="2")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "«page.title» no aparece en la página (h5.titulo)" in result.stdout


def test_a_wrong_password_is_told_and_the_page_is_still_looked_at(tmp_path: Path) -> None:
    board = FakeForoactivo("phpbb3")
    for name in ("Narradora", "Árbitro"):
        board.add_user(name, "otra")
    board.add_topic("Escena", "Narradora", "Empieza.")
    with board.serving() as url:
        result = check(tmp_path, url=url, topic="12", adapter=profile("foroactivo"), player="2")
    assert result.returncode == 3
    assert "contraseña" in result.stdout
    assert "el perfil «foroactivo» lee 1 mensajes" in result.stdout


# A skin that leaves nothing of prosilver, on a board whose addresses are its own, too.
MANGLED = (
    ("viewtopic.php", "tema.php"), ("memberlist.php", "gente.php"), ("posting.php", "pluma.php"),
    ("ucp.php", "puerta.php"), ('id="phpbb"', 'id="taberna"'), ("phpBB", "Taberna"),
    ("www.phpbb.com", "taberna.test"), ('class="post ', 'class="pliego '),
    ('class="content"', 'class="letra"'), ("postbody", "hoja"), ("postprofile", "retrato"),
    ('class="author"', 'class="mano"'), ('class="username"', 'class="nombre"'),
    ("username-coloured", "nombre-color"), ("pagination", "folios"), ("topic-title", "rotulo"),
    ("username_logged_in", "huesped"), ('class="signature"', 'class="lema"'),
)  # fmt: skip


class Mangled:
    """A phpBB behind a skin of its own."""

    def __init__(self, board: FakePhpBB) -> None:
        self.board = board

    def answer(self, request: Request) -> Reply:
        path = request.path
        for ours, theirs in MANGLED[:4]:
            path = path.replace(theirs, ours)
        reply = self.board.answer(
            Request(request.method, path, request.query, request.form, request.cookies,
                    request.agent, request.every)
        )  # fmt: skip
        reply.body = skinned(reply.body)
        reply.headers = [(name, skinned(value)) for name, value in reply.headers]
        return reply


def skinned(text: str) -> str:
    for ours, theirs in MANGLED:
        text = text.replace(ours, theirs)
    return text


@contextmanager
def tavern() -> Iterator[tuple[FakePhpBB, str, int]]:
    board = FakePhpBB()
    for name in ("Narradora", "Lucía", "Tomás"):
        board.add_user(name, signature="Firma [acción: ataque | objetivo: Firma]")
    board.add_user("Árbitro", SECRET)
    topic = board.add_topic("Escena: el molino", "Narradora", "Escena: el molino.")
    for number in range(12):
        quoted = "[quote=Wren][acción: esquiva][/quote]" if number % 3 == 0 else ""
        board.post(
            ("Lucía", "Tomás")[number % 2],
            topic,
            f"{quoted}Voy yo, y son {number} veces.\n[acción: ataque | objetivo: Lope]",
        )
    with serving(Mangled(board)) as url:
        board.url = url
        yield board, url, topic


def test_an_unknown_skin_gets_a_profile_that_then_reads_and_can_reply(tmp_path: Path) -> None:
    with tavern() as (board, url, topic):
        address = f"{url}/tema.php?t={topic}"
        first = check(
            tmp_path, url=url, topic=address, adapter=profile("foroactivo"), gm="50", player="51",
            options=("--suggest", "perfiles"),
        )  # fmt: skip
        assert first.returncode == 3
        suggested = tmp_path / "perfiles" / "foro.yaml"
        assert str(suggested.relative_to(tmp_path)) in first.stdout
        head = suggested.read_text(encoding="utf-8")
        assert head.startswith("# Perfil propuesto")
        assert "reply.landed" in head

        again = check(
            tmp_path, url=url, topic=address, adapter=profile("perfiles/foro.yaml"), gm="50",
            player="51", options=("--online", "--json"),
        )  # fmt: skip
        (row,) = json.loads(again.stdout)["online"]
        assert again.returncode == 0, row
        assert row["user"] == "53"
        assert row["reply"] == {"good": True}
        assert row["missed"] == []
        assert sum(tag["good"] for tag in row["tags"]) > 0
        assert len(board.posts(topic)) == 13

        # The same posts as phpBB's own adapter reads from the same board without the skin.
        profiles, _problems = read_profile(suggested)
        request = Request("GET", "/viewtopic.php", {"t": str(topic)}, {}, {}, "")
        plain = board.answer(request).body
        theirs = phpbb.parse_thread(plain, f"{url}/viewtopic.php?t={topic}")
        ours = Reader(profiles).read(skinned(plain), address)
        for our, their in zip(ours.posts, theirs.posts, strict=True):
            assert (our.id, our.author_id, our.author_name) == (
                their.id, their.author_id, their.author_name,
            )  # fmt: skip
            assert our.own_words == their.own_words
            assert our.set_aside == their.set_aside
        assert ours.next_url.endswith(f"t={topic}&start=10")


def test_a_suggestion_is_yaml_that_a_person_can_mend(tmp_path: Path) -> None:
    with tavern() as (_board, url, topic):
        result = check(
            tmp_path, url=url, topic=f"{url}/tema.php?t={topic}", adapter=profile("foroactivo"),
            gm="50", player="51", lang="en",
        )  # fmt: skip
    assert "Profile suggested" in result.stdout
    text = result.stdout[result.stdout.index("# Profile suggested") :]
    given = YAML(typ="safe").load(text)
    assert set(given) >= {"topic", "posts", "words", "page", "login", "reply"}


def test_a_round_is_opened_on_a_foroactivo_and_its_thread_can_be_verified(tmp_path: Path) -> None:
    board = FakeForoactivo("modernbb", flood_s=0)
    for name in ("Narradora", "Lucía"):
        board.add_user(name)
    board.add_user("Árbitro", SECRET)
    scene = board.add_topic("Escena", "Narradora", "El molino arde.\n[árbitro: empezar]")
    with board.serving() as url:
        config = {"url": url, "topic": "12", "adapter": profile("foroactivo")}
        assert check(tmp_path, **config, options=()).returncode == 0
        done = referee("once", cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        own = [post for post in scene.shown if post.author.name == "Árbitro"]
        assert own
        again = referee("once", cwd=tmp_path)
        assert again.returncode == 0, again.stdout + again.stderr
        assert [post for post in scene.shown if post.author.name == "Árbitro"] == own
        verified = referee("verify", f"{url}/t12-escena", cwd=tmp_path)
    assert verified.returncode == 0, verified.stdout + verified.stderr
