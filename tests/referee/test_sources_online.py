"""``referee verify`` on the address in a browser, of forums with other ones for programs."""

import io
from functools import partial

import pytest

from adapters.http import Manners, PoliteHttp
from referee import sources
from referee.sources import SourceError, read_posts
from tests.adapters.worlds import Opening, discourse_world, flarum_world, nodebb_world


@pytest.fixture(autouse=True)
def _at_full_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = partial(PoliteHttp, manners=Manners(requests_per_s=1000.0))
    monkeypatch.setattr(sources, "PoliteHttp", quick)


@pytest.mark.parametrize(
    ("opening", "path"),
    [
        (discourse_world, "/t/escena-el-molino/{topic}"),
        (nodebb_world, "/topic/{topic}/escena-el-molino"),
        (flarum_world, "/d/{topic}-escena-el-molino"),
    ],
    ids=["discourse", "nodebb", "flarum"],
)
async def test_the_address_in_a_browser_is_enough(
    request: pytest.FixtureRequest, opening: Opening, path: str
) -> None:
    async with opening(request) as world:
        for number in range(30):
            await world.post("Lucía", f"Mensaje {number} de la tarde")
        base = world.adapter.thread_url("1").partition("/api")[0].partition("/t/")[0]
        posts = await read_posts([base + path.format(topic=world.topic)], io.StringIO())
        assert [post.own_words for post in posts][1:] == [
            f"Mensaje {number} de la tarde" for number in range(30)
        ]
        with pytest.raises(SourceError):
            await read_posts([base + path.format(topic=999)], io.StringIO())
