"""What players type comes out the same from every platform's own rendering and captured pages."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from adapters.base import Post
from adapters.html import Words
from adapters.pages import Reader
from referee.profiles import builtin
from referee.tags import Vocabulary, find_tags
from tests.adapters.captures.test_same_tags import READERS
from tests.adapters.profiles.construct import MAKERS
from tests.adapters.skeletons import PLACE, SKELETONS
from tests.adapters.worlds import (
    ENGINES,
    LiveWorld,
    Opening,
    World,
    discourse_world,
    flarum_world,
    foroactivo_world,
    machina_world,
    misago_world,
    mybb_world,
    nodebb_world,
    phpbb_world,
    smf_world,
    spirit_world,
    xenforo_world,
)
from tests.tags.speaking import LANGUAGES, vocabulary_of

CASES: Mapping[str, Any] = YAML(typ="safe").load(Path(__file__).with_name("nasty_posts.yaml"))
POSTS: Sequence[Mapping[str, Any]] = CASES["posts"]
DIALECTS = {
    **{name: skeleton.dialect for name, skeleton in SKELETONS.items()},
    "spirit": "markdown",
    "machina": "markdown",
    "misago": "markdown",
    "phpbb": "bbcode",
    "mybb": "bbcode",
    "smf": "bbcode",
    "foroactivo": "bbcode",
    "discourse": "markdown",
    "nodebb": "markdown",
    "flarum": "markdown",
    "xenforo": "bbcode",
}


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return vocabulary_of(*LANGUAGES)


def typed_on(platform: str, case: Mapping[str, Any]) -> str:
    for key in (platform, DIALECTS[platform], "text"):
        if key in case:
            return str(case[key])
    raise AssertionError(case)


def tags_in(words: str, vocabulary: Vocabulary) -> list[str]:
    """Tags as the referee cuts them, each as one line."""
    shown = []
    for tag in find_tags(words, vocabulary):
        name = f" {tag.name}" if tag.name else ""
        body = re.sub(r"\s*\|\s*", " | ", " ".join(tag.body.split()))
        shown.append(f"[{tag.keyword}{name}: {body}]{tag.problem}")
    return shown


async def shown_by(world: World, texts: Sequence[str]) -> list[Post]:
    """Post the texts, and read them back through the adapter."""
    await world.adapter.login(world.http)
    if isinstance(world, LiveWorld):
        with suppress(RuntimeError):  # she is there already
            world.forum.create_user("Wren")
        ids = world.forum.post_all(world.users["Lucía"], world.topic, texts)
    else:
        ids = [await world.post("Lucía", text) for text in texts]
    posts: list[Post] = []
    url = world.adapter.thread_url(world.topic)
    while url:
        page = await world.adapter.fetch(world.http, url)
        assert page is not None
        posts.extend(page.posts)
        url = page.next_url
    assert [post.id for post in posts][1:] == ids
    return posts[1:]


def declared(platform: str, case: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    for loss in CASES["losses"]:
        if platform in loss["platforms"] and loss["post"] == case["about"]:
            return list(loss.get("tags", ())), list(loss.get("lost", ()))
    return list(case["tags"]), list(case.get("lost", ()))


@pytest.mark.parametrize(
    ("platform", "opening"),
    [
        pytest.param("spirit", spirit_world, marks=pytest.mark.forum),
        pytest.param("machina", machina_world, marks=pytest.mark.forum),
        pytest.param("misago", misago_world, marks=(pytest.mark.forum, pytest.mark.postgres)),
        ("phpbb", phpbb_world),
        ("mybb", mybb_world),
        ("smf", smf_world),
        ("discourse", discourse_world),
        ("nodebb", nodebb_world),
        ("flarum", flarum_world),
        ("xenforo", xenforo_world),
        *(
            (
                "foroactivo",
                partial(foroactivo_world, engine=engine, profile=f"foroactivo-{engine}"),
            )
            for engine in ENGINES
        ),
    ],
)
async def test_nasty_spellings_give_the_same_tags(
    request: pytest.FixtureRequest, platform: str, opening: Opening, vocabulary: Vocabulary
) -> None:
    async with opening(request) as world:
        posts = await shown_by(world, [typed_on(platform, case) for case in POSTS])
    wrong = [
        f"{case['about']}: {found} instead of {declared(platform, case)}"
        for case, post in zip(POSTS, posts, strict=True)
        if (found := (tags_in(post.own_words, vocabulary), tags_in(post.set_aside, vocabulary)))
        != declared(platform, case)
    ]
    assert wrong == []


def test_there_are_enough_of_them_and_each_is_named_once() -> None:
    names = [case["about"] for case in POSTS]
    assert len(set(names)) == len(names) >= 40


@pytest.mark.parametrize("loss", CASES["losses"], ids=lambda loss: str(loss["post"]))
def test_a_declared_loss_names_a_post_and_says_why(loss: Mapping[str, Any]) -> None:
    case = next(case for case in POSTS if case["about"] == loss["post"])
    assert loss["tags"] != case["tags"]
    assert loss["because"]


# The same spellings as each platform's captured page would show them.


def constructed_page(platform: str) -> Callable[[str, str], Iterator[tuple[str, Words]]]:
    reader = Reader(builtin(platform))
    declared_url = YAML(typ="safe").load(SKELETONS[platform].page.with_suffix(".yaml"))["url"]

    def read(text: str, url: str) -> Iterator[tuple[str, Words]]:
        del url  # that of a page counts here: its posts and links are told by it
        for post in reader.read(text, declared_url).posts:
            yield post.id, Words(post.own_words, post.set_aside)

    return read


PAGE_READERS = {**READERS, **{profile: constructed_page(profile) for profile in MAKERS}}


def read_as(platform: str, text: str) -> dict[str, Words]:
    url = f"http://forum.test/{SKELETONS[platform].page.name}"
    return dict(PAGE_READERS[platform](text, url))


@pytest.mark.parametrize("case", POSTS, ids=lambda case: str(case["about"]))
@pytest.mark.parametrize("platform", SKELETONS)
def test_a_nasty_spelling_in_a_captured_page_gives_its_tags_and_no_others(
    platform: str, case: Mapping[str, Any], vocabulary: Vocabulary
) -> None:
    skeleton = SKELETONS[platform]
    before = read_as(platform, skeleton.empty())
    after = read_as(platform, skeleton.says(typed_on(platform, case)))
    (place,) = [name for name, words in before.items() if PLACE in words.own]
    words = after.pop(place)
    found = tags_in(words.own, vocabulary), tags_in(words.set_aside, vocabulary)
    assert found == declared(platform, case)
    # Nothing of it has got into another post, and no signature has become anybody's words.
    assert after == {name: told for name, told in before.items() if name != place}


# What a forum's own script, an extension or an editor may do to the words that it shows.

PLAIN = "[acción: ataque | objetivo: Bandido 1 | arma: espadaancha]"
DRESSINGS: Mapping[str, Callable[[str], str]] = {
    "wbr in long words": lambda html: re.sub(r"(\w{4})(?=\w)", r"\1<wbr>", html),
    "soft hyphens in long words": lambda html: re.sub(r"(\w{4})(?=\w)", r"\1&shy;", html),
    "zero-width spaces": lambda html: re.sub(r"(\w{4})(?=\w)", r"\1&#8203;", html),
    "an element for each word": lambda html: re.sub(r"(\w+)", r"<span>\1</span>", html),
    "an element for each letter": lambda html: re.sub(r"(\S)", r"<font color=red>\1</font>", html),
    "no-break spaces": lambda html: html.replace(" ", "&nbsp;"),
    "references for all letters": lambda html: "".join(f"&#{ord(letter)};" for letter in html),
    "hexadecimal references": lambda html: "".join(f"&#x{ord(letter):X};" for letter in html),
    "comments between": lambda html: html.replace(" ", " <!-- [acción: huir] -->"),
    "scripts between": lambda html: html.replace(" ", " <script>f('[acción: huir]')</script>"),
    "a link for a name": lambda html: html.replace("Bandido 1", '<a href="/pj/7">Bandido 1</a>'),
    "all in a link": lambda html: f'<a href="https://example.org/">{html}</a>',
    "brackets in elements of their own": lambda html: re.sub(r"([\[\]|])", r"<b>\1</b>", html),
    "lines of the source": lambda html: html.replace(" ", "\n   "),
    "a paragraph around": lambda html: f"<p>\n\t{html}\n</p>",
    "a centred table": lambda html: (
        f"<center><table><tbody><tr><td>{html}</td></tr></tbody></table></center>"
    ),
    "a word marked by a search": lambda html: html.replace(
        "ataque", '<span class="posthilit highlight"><mark>ata</mark>que</span>'
    ),
}


@pytest.mark.parametrize("dressing", DRESSINGS)
@pytest.mark.parametrize("platform", SKELETONS)
def test_whatever_a_forum_does_to_the_looks_of_a_tag_it_is_the_same_tag(
    platform: str, dressing: str, vocabulary: Vocabulary
) -> None:
    skeleton = SKELETONS[platform]
    before = read_as(platform, skeleton.empty())
    after = read_as(platform, skeleton.shows(DRESSINGS[dressing](PLAIN)))
    (place,) = [name for name, words in before.items() if PLACE in words.own]
    assert tags_in(after.pop(place).own, vocabulary) == [
        "[action: ataque | objetivo: Bandido 1 | arma: espadaancha]"
    ]
    assert after == {name: told for name, told in before.items() if name != place}


def test_every_captured_platform_is_a_skeleton() -> None:
    assert set(SKELETONS) == set(PAGE_READERS)


def test_there_are_four_hundred_page_cases_and_more() -> None:
    captured = [name for name in SKELETONS if name in READERS]
    assert len(captured) * len(POSTS) >= 500
    assert len(SKELETONS) * len(POSTS) >= 1_000
