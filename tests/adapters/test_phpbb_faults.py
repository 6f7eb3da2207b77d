"""phpBB under a seeded plan of faults: what an outbox can rely on.

A short-sighted poster that keeps to the protocol of the outbox: what was refused is sent anew, what
is unknown is looked for on whole pages and then sent again with the same form. Its posts must all
land once, whatever the forum loses, delays or denies.
"""

from collections import Counter
from collections.abc import AsyncIterator

import pytest
import stamina

from adapters.base import Account, Draft, Post
from adapters.errors import (
    AdapterError,
    BusyError,
    LoggedOutError,
    NotSentError,
    UnknownOutcomeError,
    UnreachableError,
)
from adapters.http import PoliteHttp
from adapters.phpbb import PhpBB
from tests.adapters.worlds import SECRET, HandClock, loopback_http
from tests.forums.fake_phpbb import FakePhpBB, Settings
from tests.forums.faults import FaultPlan

POSTS = 25
MOST_STEPS = 200
WAITING = (BusyError, UnreachableError, LoggedOutError, NotSentError)


class Poster:
    """Posts one text after another, each until it is known to stand."""

    def __init__(self, board: FakePhpBB, adapter: PhpBB, http: PoliteHttp, topic: int) -> None:
        self.board, self.adapter, self.http, self.topic = board, adapter, http, topic
        self.met: Counter[str] = Counter()
        self.is_out = False

    async def post(self, text: str, mark: str) -> None:
        draft: Draft | None = None
        unknown_since = 0.0
        for _step in range(MOST_STEPS):
            try:
                if self.is_out:
                    await self.adapter.login(self.http)
                    self.is_out = False
                if unknown_since:
                    if any(mark in post.own_words for post in await self.read_back()):
                        return
                    if self.http.now() - unknown_since > self.adapter.capabilities.settle_s:
                        draft, unknown_since = None, 0.0
                draft = draft or await self.adapter.draft(self.http, str(self.topic))
                await self.adapter.send(self.http, draft, text)
            except UnknownOutcomeError:
                self.met["unknown"] += 1
                unknown_since = unknown_since or self.http.now()
            except WAITING as error:
                await self.wait(error)
                draft = None if isinstance(error, NotSentError) and not unknown_since else draft
            else:
                return
        raise AssertionError(f"{mark} never landed")

    async def read_back(self) -> list[Post]:
        """The last two pages, whole."""
        last = await self.page(f"{self.adapter.thread_url(str(self.topic))}&start=99999")
        before = await self.page(last.previous_url) if last.previous_url else None
        return [*(before.posts if before else ()), *last.posts]

    async def page(self, url: str):
        page = await self.adapter.fetch(self.http, url)
        assert page is not None
        return page

    async def wait(self, error: AdapterError) -> None:
        self.met[type(error).__name__] += 1
        await self.http.settle(error.wait_s or 10)
        self.is_out = self.is_out or isinstance(error, LoggedOutError)


@pytest.fixture
async def poster() -> AsyncIterator[Poster]:
    clock = HandClock()
    board = FakePhpBB(clock=clock.now, settings=Settings(per_page=4))
    board.add_user("Lucía")
    board.add_user("Árbitro", SECRET)
    topic = board.add_topic("Escena", "Lucía", "Escena primera.")
    with stamina.set_testing(True, attempts=3), board.serving() as url:
        async with loopback_http(clock) as http:
            adapter = PhpBB(url, Account("Árbitro", SECRET))
            await adapter.login(http)
            yield Poster(board, adapter, http, topic)


@pytest.mark.parametrize("seed", range(4))
async def test_every_post_lands_once_whatever_goes_wrong(poster: Poster, seed: int) -> None:
    poster.board.faults = FaultPlan(seed, read_rate=0.25, write_rate=0.6)
    for number in range(POSTS):
        mark = f"ref-{seed}{number:03d}zxw"
        await poster.post(f"Ronda {number}. {mark}", mark)
        poster.board.post("Lucía", poster.topic, f"Respuesta {number}.")
        await poster.http.settle(20)
    poster.board.faults = FaultPlan()
    poster.board.land_all()
    own = [post["text"] for post in poster.board.posts(poster.topic) if post["author"] == "Árbitro"]
    assert own == [f"Ronda {number}. ref-{seed}{number:03d}zxw" for number in range(POSTS)]
    assert poster.met["unknown"]
    assert poster.met["NotSentError"]


async def test_without_the_settle_window_the_same_forum_makes_twins(poster: Poster) -> None:
    # The counter-proof: a plan with late landings that a hasty poster fails.
    poster.board.settings.post_review = False
    poster.board.settings.flood_interval_s = 0
    poster.board.faults.delay = lambda number: 40 + number
    poster.board.fault("late", "write")
    draft = await poster.adapter.draft(poster.http, str(poster.topic))
    with pytest.raises(UnknownOutcomeError):
        await poster.adapter.send(poster.http, draft, "Ronda 1. ref-0001zxw")
    assert not any("ref-0001zxw" in post.own_words for post in await poster.read_back())
    await poster.adapter.send(poster.http, draft, "Ronda 1. ref-0001zxw")
    poster.board.land_all()
    twins = [post for post in poster.board.posts(poster.topic) if "ref-0001zxw" in post["text"]]
    assert len(twins) == 2
