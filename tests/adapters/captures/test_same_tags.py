"""The same made-up thread on eight real forums: the same tags must come out of each."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from adapters import machina, markup, misago, mybb, nodebb, phpbb, smf, spirit
from adapters.base import ThreadPage
from adapters.html import Markup, Words, own_words, soup_of
from tests.adapters.tag_texts import tag_texts

HERE = Path(__file__).parent
THREAD: Mapping[str, Any] = YAML(typ="safe").load(HERE / "thread.yaml")


@dataclass(frozen=True)
class Pages:
    """How to find the posts of a platform whose adapter is yet to come."""

    posts: str
    body: str
    row: Markup

    def __call__(self, text: str, url: str) -> Iterator[tuple[str, Words]]:
        for post in soup_of(text, url).select(self.posts):
            body = post.select_one(self.body)
            if body is not None:
                yield str(post.get("id")), own_words(body, self.row)


@dataclass(frozen=True)
class Built:
    """A platform whose adapter is there."""

    parse_thread: Callable[..., ThreadPage]

    def __call__(self, text: str, url: str) -> Iterator[tuple[str, Words]]:
        for post in self.parse_thread(text, url).posts:
            yield post.id, Words(post.own_words, post.set_aside)


READERS: Mapping[str, Callable[[str, str], Iterator[tuple[str, Words]]]] = {
    "phpbb": Built(phpbb.parse_thread),
    "mybb": Built(mybb.parse_thread),
    "smf": Built(smf.parse_thread),
    "spirit": Built(spirit.parse_thread),
    "machina": Built(machina.parse_thread),
    "flaskbb": Pages("div.post-row", "div.post-content", markup.FLASKBB),
    "misago": Built(misago.parse_thread),
    "nodebb": Built(nodebb.parse_thread),
}


def thread_on(platform: str) -> list[Words]:
    """The thread's posts in order; pages may overlap, as Misago's do."""
    posts: dict[str, Words] = {}
    for page in sorted((HERE / platform).glob("*topic-p*")) or sorted(
        (HERE / platform).glob("*posts-p*")
    ):
        for name, words in READERS[platform](
            page.read_text(encoding="utf-8"), f"http://forum.test/{page.name}"
        ):
            posts.setdefault(name, words)
    return list(posts.values())


def found_in(words: Words) -> dict[str, list[str]]:
    found = {"own": tag_texts(words.own), "aside": tag_texts(words.set_aside)}
    return {key: tags for key, tags in found.items() if tags}


def declared(platform: str, number: int) -> dict[str, list[str]]:
    for loss in THREAD["losses"]:
        if platform in loss["platforms"] and number == loss["post"]:
            return {key: loss[key] for key in ("own", "aside") if key in loss}
    expected: dict[str, list[str]] = THREAD["posts"][number]
    return expected


@pytest.mark.parametrize("platform", READERS)
def test_the_same_tags_come_out_of_every_platform(platform):
    thread = thread_on(platform)
    assert len(thread) == 30
    found = {number: found_in(words) for number, words in enumerate(thread, 1)}
    assert found == {number: declared(platform, number) for number in range(1, 31)}


@pytest.mark.parametrize("loss", THREAD["losses"], ids=lambda loss: f"{loss['post']}")
def test_a_declared_loss_is_one_and_says_why(loss):
    said = {key: loss[key] for key in ("own", "aside") if key in loss}
    assert said != THREAD["posts"][loss["post"]]
    assert loss["because"]


@pytest.mark.parametrize("platform", READERS)
def test_signatures_headings_and_buttons_are_nobodys_words(platform):
    everything = "\n".join(f"{words.own}\n{words.set_aside}" for words in thread_on(platform))
    for foreign in (
        "Firma", "signature", "Zurdo", "wrote:", "Wrote:", "has written", "Quote from",
        "Select all", "\nCode", "Expand", "Reveal", "Last edited",
    ):  # fmt: skip
        assert foreign not in everything


@pytest.mark.parametrize("platform", READERS)
def test_smilies_and_emoji_are_back_to_what_was_typed(platform):
    thread = thread_on(platform)
    assert thread[7].own.startswith("Smilies: 8) :d :D ;) :) (1d8)")
    assert thread[7].own.splitlines()[0].endswith("1d20+8) :p xD")
    assert "🗡️ 🎲 👩‍🚀 日本語" in thread[9].own
    assert "8) second" in thread[23].own


@pytest.mark.parametrize("platform", READERS)
def test_lines_are_those_that_a_reader_sees(platform):
    thread = thread_on(platform)
    assert thread[10].own.splitlines()[-3:] == [
        "En varias líneas: [acción: ataque",
        "| objetivo: Bandido 2",
        "| arma: hacha]",
    ]
    assert thread[21].own.splitlines()[-3:] == [
        "líneas en blanco y espacios seguidos.",
        "",
        "[acción: esperar | turnos: 2]",
    ]
    assert not any("\n\n\n" in words.own or "\xa0" in words.own for words in thread)
