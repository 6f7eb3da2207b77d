"""What a poll of a JSON platform costs: one request, and as much for 5,000 posts as for a page."""

import pytest

from tests.adapters.worlds import (
    JsonWorld,
    Opening,
    discourse_world,
    flarum_world,
    nodebb_world,
    xenforo_world,
)

OPENINGS = [discourse_world, flarum_world, nodebb_world, xenforo_world]


async def poll(world: JsonWorld) -> tuple[int, int]:
    """Requests and bytes of a poll of the last page without news."""
    first = await world.adapter.fetch(world.http, world.adapter.thread_url(world.topic))
    assert first is not None
    last = first.last_url
    page = await world.adapter.fetch(world.http, last)
    world.site.requests.clear()
    world.site.sizes.clear()
    again = await world.adapter.fetch(world.http, last)
    assert page is not None
    assert again is not None
    assert again.next_url == ""
    assert again.digest == page.digest
    return len(world.site.requests), sum(world.site.sizes)


@pytest.mark.parametrize("opening", OPENINGS, ids=lambda opening: opening.__name__)
async def test_a_poll_without_news_is_one_request_however_long_the_thread(
    request: pytest.FixtureRequest, opening: Opening
) -> None:
    async with opening(request) as world:
        await world.adapter.login(world.http)
        page = await world.adapter.fetch(world.http, world.adapter.thread_url(world.topic))
        assert page is not None
        size = 20
        for number in range(1, size):
            await world.post("Lucía", f"Mensaje {number:04} de la tarde")
        short = await poll(world)
        for number in range(size, 5_000):
            await world.post("Lucía", f"Mensaje {number:04} de la tarde")
        long = await poll(world)
    assert short[0] == long[0] == 1
    assert long[1] < 1.1 * short[1]
