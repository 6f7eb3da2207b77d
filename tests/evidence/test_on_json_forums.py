"""Evidence through forums with a JSON interface: posted, rendered, read back and verified."""

from collections.abc import Callable, Mapping
from textwrap import indent
from typing import Any

import pytest

from adapters.base import Post
from referee.evidence import block_text
from tests.adapters.worlds import (
    JsonWorld,
    Opening,
    discourse_world,
    flarum_world,
    nodebb_world,
    xenforo_world,
)
from tests.evidence.played import REFEREE, play_duel
from tests.evidence.test_on_forums import CAST, NASTY_BLOCK, ForumTable, assert_found, assert_holds

MARKDOWN: Mapping[str, Callable[[str], str]] = {
    "fenced": lambda block: f"```\n{block}\n```",
    "indented": lambda block: indent(block, "    "),
    "bare": lambda block: block,
}
BBCODE: Mapping[str, Callable[[str], str]] = {
    "code": lambda block: f"[code]{block}[/code]",
    "bare": lambda block: block,
}
WAYS = [
    pytest.param(opening, wrap, id=f"{opening.__name__}-{way}")
    for opening, ways in (
        (discourse_world, MARKDOWN),
        (nodebb_world, MARKDOWN),
        (flarum_world, MARKDOWN),
        (xenforo_world, BBCODE),
    )
    for way, wrap in ways.items()
]


def people_of(world: JsonWorld) -> dict[str, str]:
    """The cast as members, by their ids there."""
    site: Any = world.site
    users = {one: site.add_user(f"Persona{one}") for one in CAST}
    return {one: str(getattr(user, "id", 0) or user.uid) for one, user in users.items()}


async def read(world: JsonWorld) -> list[Post]:
    posts: list[Post] = []
    url = world.adapter.thread_url(world.topic)
    while url:
        page = await world.adapter.fetch(world.http, url)
        assert page is not None
        posts.extend(page.posts)
        url = page.next_url
    return posts


@pytest.mark.parametrize(("opening", "wrap"), WAYS)
async def test_nasty_words_in_evidence_come_through(
    request: pytest.FixtureRequest, opening: Opening, wrap: Callable[[str], str]
) -> None:
    async with opening(request) as world:
        await world.post("Lucía", wrap(block_text(NASTY_BLOCK)))
        posts = await read(world)
    assert_found(posts)


@pytest.mark.parametrize(("opening", "wrap"), WAYS)
async def test_a_duel_verifies_through_it(
    request: pytest.FixtureRequest, opening: Opening, wrap: Callable[[str], str]
) -> None:
    async with opening(request) as world:
        ids = people_of(world)
        table = ForumTable(
            people=ids, post=lambda who, text: keep(world, f"Persona{who}", text), wrap=wrap
        )
        play_duel(table)
        posts = await read(world)
    assert_holds(posts, ids[REFEREE])


def keep(world: JsonWorld, author: str, text: str) -> str:
    """What ``World.post`` does, without waiting for it."""
    posting = world.post(author, text)
    try:
        posting.send(None)
    except StopIteration as posted:
        return str(posted.value)
    raise AssertionError("a fake site posts at once")
