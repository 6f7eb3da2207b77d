"""A topic of 5,000 posts costs a poll what one of five costs, in requests and bytes: everywhere."""

from collections.abc import AsyncIterator

import pytest
import stamina

from adapters.base import ThreadPage
from tests.adapters.worlds import WORLDS, LiveWorld, World

SHORT, LONG = 5, 5_000
# A real forum takes minutes for 5,000 posts, and Misago lets nobody write a hundred in an hour.
LONG_LIVE = 36
# What a page may say of the other pages, however many there are: machina says most, with 334 pages
# as with 34.
PAGING = 10_000
WORDS = "Voy. [acción: ataque | objetivo: Bandido 1]"


@pytest.fixture(
    params=[pytest.param(opening, id=name, marks=marks) for name, opening, marks in WORLDS]
)
async def world(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    with stamina.set_testing(True, attempts=3):
        async with request.param(request) as opened:
            await opened.adapter.login(opened.http)
            yield opened


async def post_all(world: World, count: int) -> None:
    for _post in range(count):
        await world.post("Lucía", WORDS)


async def last_page(world: World) -> ThreadPage:
    """The end of the topic, as somebody who has never been there finds it."""
    page = await world.adapter.fetch(world.http, world.adapter.thread_url(world.topic))
    assert page is not None
    while page.next_url:
        page = await world.adapter.fetch(world.http, page.last_url or page.next_url)
        assert page is not None
    return page


async def poll(world: World, page: ThreadPage, asked: list[int]) -> tuple[int, int]:
    """Requests and bytes of a poll without news."""
    asked.clear()
    again = await world.adapter.fetch(world.http, page.url, conditional=True)
    assert again is None or again.digest == page.digest
    return len(asked), sum(asked)


async def test_a_topic_of_5000_posts_costs_a_poll_what_one_of_five_costs(
    world: World, asked: list[int]
) -> None:
    await post_all(world, SHORT - 1)
    page = await last_page(world)
    assert len(page.posts) == SHORT
    short = await poll(world, page, asked)

    length = LONG_LIVE if isinstance(world, LiveWorld) else LONG
    await post_all(world, length - SHORT)
    asked.clear()
    page = await last_page(world)
    remote = world.adapter.capabilities.remote
    # The first page, the last one, and a redirect or what tells the numbers of all posts.
    assert len(asked) <= (3 if remote else 0)
    # Until the last page holds as many posts as the whole of the short topic did.
    for _post in range(60):
        if not remote or len(page.posts) == SHORT:
            break
        await world.post("Lucía", WORDS)
        page = await last_page(world)
    long = await poll(world, page, asked)

    assert long[0] == short[0] == (1 if remote else 0)
    # Discourse always shows the last twenty.
    assert long[1] <= short[1] * max(1, len(page.posts) / SHORT) + PAGING
