"""What a poll costs on boards that send no validators, counted in requests and bytes."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import stamina

from adapters.base import ThreadPage
from tests.adapters.worlds import BoardWorld, Opening, mybb_world, phpbb_world, smf_world

SHORT, LONG = 5, 5_000


@pytest.fixture(params=[phpbb_world, mybb_world, smf_world], ids=["phpbb", "mybb", "smf"])
async def world(request: pytest.FixtureRequest) -> AsyncIterator[BoardWorld]:
    opening: Opening = request.param
    with stamina.set_testing(True, attempts=3):
        async with opening(request) as opened:
            assert isinstance(opened, BoardWorld)
            await opened.adapter.login(opened.http)
            yield opened


async def read(world: BoardWorld, url: str) -> ThreadPage:
    page = await world.adapter.fetch(world.http, url, conditional=True)
    assert page is not None
    return page


async def first_visit(world: BoardWorld) -> ThreadPage:
    """Find the last page, as somebody who has never been here does."""
    first = await read(world, world.adapter.thread_url(world.topic))
    return await read(world, first.last_url) if first.last_url != first.url else first


def asked(world: BoardWorld, before: int) -> list[dict[str, Any]]:
    return world.board.history[before:]


def grow(world: BoardWorld, posts: int) -> None:
    """Let players write until the thread holds so many; its last page is full."""
    topic = int(world.topic)
    for _post in range(posts - len(world.board.posts(topic))):
        world.board.post("Lucía", topic, "Voy. [acción: ataque | objetivo: Bandido 1]")


@pytest.mark.parametrize("posts", [SHORT, LONG])
async def test_a_poll_without_news_is_one_request_and_no_parsing(
    world: BoardWorld, posts: int
) -> None:
    grow(world, posts)
    last = await first_visit(world)
    before = len(world.board.history)
    again = await read(world, last.url)
    assert len(asked(world, before)) == 1
    # The very same object: the page was known by its hash.
    assert again is last


async def test_a_long_topic_costs_what_a_short_one_costs(world: BoardWorld) -> None:
    sizes = []
    for posts in (SHORT, LONG):
        grow(world, posts)
        last = await first_visit(world)
        before = len(world.board.history)
        await read(world, last.url)
        (poll,) = asked(world, before)
        sizes.append(poll["size"])
    short, long = sizes
    assert long < short * 1.25


async def test_a_first_visit_to_a_long_topic_is_two_requests(world: BoardWorld) -> None:
    grow(world, LONG)
    before = len(world.board.history)
    last = await first_visit(world)
    assert len(asked(world, before)) == 2
    assert last.next_url == ""
    assert last.posts[-1].id == str(world.board.posts(int(world.topic))[-1]["id"])
