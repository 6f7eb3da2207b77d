"""Classic boards under a seeded plan of faults: what an outbox can rely on.

A short-sighted poster that keeps to the protocol of the outbox: what was refused is sent anew, what
is unknown is looked for on whole pages and then sent again with the same form. Its posts must all
land once, whatever the forum loses, delays or denies.
"""

from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final

import pytest
import stamina

from adapters.base import Account, Adapter, Draft, Post, ThreadPage
from adapters.errors import (
    AdapterError,
    BusyError,
    LoggedOutError,
    NotSentError,
    UnknownOutcomeError,
    UnreachableError,
)
from adapters.http import PoliteHttp
from adapters.registry import BY_NAME
from tests.adapters.worlds import SECRET, HandClock, loopback_http
from tests.forums import board, fake_mybb, fake_phpbb, fake_smf
from tests.forums.board import FakeBoard
from tests.forums.faults import FaultPlan

POSTS = 25
MOST_STEPS = 200
WAITING = (BusyError, UnreachableError, LoggedOutError, NotSentError)


class Poster:
    """Posts one text after another, each until it is known to stand."""

    def __init__(self, board: FakeBoard, adapter: Adapter, http: PoliteHttp, topic: int) -> None:
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
        first = await self.page(self.adapter.thread_url(str(self.topic)))
        last = await self.page(first.last_url)
        before = await self.page(last.previous_url) if last.previous_url else None
        return [*(before.posts if before else ()), *last.posts]

    async def page(self, url: str) -> ThreadPage:
        page = await self.adapter.fetch(self.http, url)
        assert page is not None
        return page

    async def wait(self, error: AdapterError) -> None:
        self.met[type(error).__name__] += 1
        await self.http.settle(error.wait_s or 10)
        self.is_out = self.is_out or isinstance(error, LoggedOutError)


BOARDS: Final[dict[str, tuple[Callable[..., FakeBoard], board.Settings]]] = {
    "phpbb": (fake_phpbb.FakePhpBB, fake_phpbb.Settings(per_page=4)),
    # Apart: what becomes of posts that are joined is the outbox's own business.
    "mybb": (fake_mybb.FakeMyBB, fake_mybb.Settings(per_page=4, merge_s=0, flood_interval_s=15)),
    "smf": (fake_smf.FakeSMF, fake_smf.Settings(per_page=4)),
}


@asynccontextmanager
async def poster_at(platform: str, **changes: Any) -> AsyncIterator[Poster]:
    clock = HandClock()
    make, chosen = BOARDS[platform]
    fake = make(clock=clock.now, settings=replace(chosen, **changes))
    fake.add_user("Lucía")
    fake.add_user("Árbitro", SECRET)
    topic = fake.add_topic("Escena", "Lucía", "Escena primera.")
    with stamina.set_testing(True, attempts=3), fake.serving() as url:
        async with loopback_http(clock) as http:
            adapter = BY_NAME[platform](url, Account("Árbitro", SECRET))
            await adapter.login(http)
            yield Poster(fake, adapter, http, topic)


@pytest.mark.parametrize(
    ("platform", "seed"), [*(("phpbb", seed) for seed in range(3)), ("mybb", 0), ("smf", 0)]
)
async def test_every_post_lands_once_whatever_goes_wrong(platform: str, seed: int) -> None:
    async with poster_at(platform) as poster:
        await land_all(poster, seed)


async def land_all(poster: Poster, seed: int) -> None:
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


async def test_without_the_settle_window_the_same_forum_makes_twins() -> None:
    # The counter-proof: a plan with late landings that a hasty poster fails.
    async with poster_at("phpbb", post_review=False, flood_interval_s=0) as poster:
        await make_twins(poster)


async def make_twins(poster: Poster) -> None:
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
