"""Each shipped profile reads the made-up thread in its own forum's skeleton (constructed pages)."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from adapters import phpbb
from adapters.base import Post
from adapters.html import Words
from adapters.pages import Reader
from referee.profiles import builtin, builtin_names
from tests.adapters.captures.test_same_tags import declared, found_in
from tests.adapters.profiles.construct import ADAPTERS, MAKERS, files

CASES = [
    path for profile in MAKERS for path in sorted((ADAPTERS / profile).glob("*.yaml"))
]  # fmt: skip
# Whoever chooses "foroactivo" leaves the version to the referee.
READERS = [
    *((profile, profile) for profile in MAKERS),
    *((profile, "foroactivo") for profile in MAKERS if profile.startswith("foroactivo-")),
]


def page_of(path: Path, profile: str) -> tuple[Any, dict[str, Any]]:
    case = YAML(typ="safe").load(path)
    html = path.with_suffix(".html").read_text(encoding="utf-8")
    return Reader(builtin(profile)).read(html, case["url"]), case


def posts_of(folder: str, profile: str) -> list[Post]:
    return [
        post
        for path in sorted((ADAPTERS / folder).glob("*.yaml"))
        for post in page_of(path, profile)[0].posts
    ]


def test_the_pages_are_those_that_the_script_constructs() -> None:
    for path, content in files():
        assert path.read_text(encoding="utf-8") == content, path


def test_every_profile_that_ships_has_pages() -> None:
    assert {*MAKERS, "foroactivo"} == set(builtin_names())


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_constructed_page_is_read_as_declared(path: Path) -> None:
    page, case = page_of(path, path.parent.name)
    wanted = case["thread"]
    assert "constructed" in case["about"]
    read = asdict(page)
    assert {key: read[key] for key in wanted if key != "posts"} == {
        key: value for key, value in wanted.items() if key != "posts"
    }
    assert [
        {key: post[key] for key in expected}
        for post, expected in zip(read["posts"], wanted["posts"], strict=True)
    ] == wanted["posts"]


@pytest.mark.parametrize(("folder", "profile"), READERS)
def test_the_same_tags_come_out_as_of_phpbb(folder: str, profile: str) -> None:
    posts = posts_of(folder, profile)
    found = {
        number: found_in(Words(post.own_words, post.set_aside))
        for number, post in enumerate(posts, 1)
    }
    expected = {number: declared("phpbb", number) for number in range(1, 31)}
    if folder == "comunidad-umbria":
        # Notes stand apart: an order in them is none, but it is not lost either.
        for number, post in enumerate(posts, 1):
            if post.author_id in {"tomas77", "wren"}:
                asides = expected[number].get("aside", [])
                note = "[acción: ataque | objetivo: Notas]"
                expected[number] = {**expected[number], "aside": [*asides, note]}
    assert found == expected


@pytest.mark.parametrize(("folder", "profile"), READERS)
def test_the_words_are_those_that_phpbb_shows(folder: str, profile: str) -> None:
    shown = [
        post.own_words
        for page in sorted((ADAPTERS / "captures" / "phpbb").glob("topic-p*.html"))
        for post in phpbb.parse_thread(
            page.read_text(encoding="utf-8"), "http://127.0.0.1:8101/viewtopic.php?t=2"
        ).posts
    ]
    assert [post.own_words for post in posts_of(folder, profile)] == shown


@pytest.mark.parametrize(("folder", "profile"), READERS)
def test_nothing_around_the_words_is_anybodys(folder: str, profile: str) -> None:
    everything = "\n".join(
        f"{post.own_words}\n{post.set_aside}" for post in posts_of(folder, profile)
    )
    for foreign in (
        "Firma", "Bio", "escribió", "Código", "Spoiler:", "Última edición", "Mensajes", "Citar",
        "Notas de juego" if folder != "comunidad-umbria" else "wrote",
    ):  # fmt: skip
        assert foreign not in everything
