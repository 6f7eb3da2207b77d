"""The referee finds its own post again by its mark, on every platform.

The answer to a post is lost; the post itself has landed. Meanwhile players fill further pages, or
the forum shows it only after a while.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
import stamina

from adapters.base import Adapter, Draft, Http, Posted, ThreadPage
from tests.adapters.worlds import WORLDS, Trouble, World
from tests.referee.harness import HandClock
from tests.referee.scripted import Office

MARK = "ref-bcdfghjk"
# More than two pages on every platform, so that the mark is not on the last two of them.
CROWD = 70


@dataclass
class Lagging:
    """An adapter for a forum whose topics show what is new only after a while."""

    inner: Adapter
    clock: HandClock
    lag: int = 0

    platform: ClassVar[str] = "lagging"

    @property
    def capabilities(self) -> Any:
        return self.inner.capabilities

    async def login(self, http: Http) -> str:
        return await self.inner.login(http)

    def thread_url(self, topic: str) -> str:
        return self.inner.thread_url(topic)

    async def fetch(self, http: Http, url: str, *, conditional: bool = False) -> ThreadPage | None:
        page = await self.inner.fetch(http, url, conditional=conditional)
        if page is None or self.lag == 0:
            return page
        self.lag -= 1
        shown = tuple(post for post in page.posts if MARK not in post.own_words)
        return replace(page, posts=shown, digest=f"{page.digest} {len(shown)}")

    async def draft(self, http: Http, topic: str, *, edits: str = "") -> Draft:
        return await self.inner.draft(http, topic, edits=edits)

    async def send(self, http: Http, draft: Draft, text: str) -> Posted:
        return await self.inner.send(http, draft, text)


@dataclass
class Desk:
    """A world, and the shell's own posting and reading between it and a store."""

    world: World
    office: Office
    forum: Lagging

    async def come_by(self, after_s: float = 20) -> str:
        """Look after what waits, a while later; tells the state of the one post."""
        self.office.clock.forward(seconds=after_s)
        await self.world.http.settle(after_s)
        await self.office.deliver()
        return self.office.row().state

    async def standing(self) -> list[str]:
        """Ids of all posts that bear the mark, as the platform itself has them."""
        return [post.id for post in await self.world.standing() if MARK in post.text]


@pytest.fixture(
    params=[pytest.param(opening, id=name, marks=marks) for name, opening, marks in WORLDS]
)
async def desk(
    request: pytest.FixtureRequest, empty_database: Path, tmp_path: Path
) -> AsyncIterator[Desk]:
    with stamina.set_testing(True, attempts=3):
        async with request.param(request) as world:
            if Trouble.REPLY_LOST not in world.troubles:
                pytest.skip(f"no answer of {world.adapter.platform} can be lost")
            forum = Lagging(world.adapter, HandClock())
            me = await world.adapter.login(world.http)
            office = Office(
                empty_database,
                tmp_path / "office.db",
                forum,  # type: ignore[arg-type] # an adapter with a clock is all that is asked of it
                world.topic,
                me,
            )
            office.http = world.http
            yield Desk(world, office, forum)
            office.store.close()


async def lose_the_answer(desk: Desk) -> str:
    """Post, and never hear of it; returns the id of the post, which has landed."""
    await desk.office.visit()
    desk.office.put_out(MARK)
    await desk.world.trouble(Trouble.REPLY_LOST)
    await desk.office.deliver()
    assert desk.office.row().state == "unknown"
    (post_id,) = await desk.standing()
    return post_id


async def test_a_post_is_found_by_its_mark_although_it_is_pages_back(desk: Desk) -> None:
    post_id = await lose_the_answer(desk)
    for number in range(CROWD):
        await desk.world.post("Lucía", f"Mensaje {number} de la tarde")
    assert await desk.come_by() == "posted"
    assert desk.office.row().post_id == post_id
    assert await desk.standing() == [post_id]


async def test_a_post_that_the_forum_shows_late_is_not_sent_again(desk: Desk) -> None:
    post_id = await lose_the_answer(desk)
    desk.forum.lag = 1_000
    # A form sent again may be answered with the post that it made before.
    assert await desk.come_by() in {"unknown", "posted"}
    assert await desk.standing() == [post_id]
    desk.forum.lag = 0
    for _visit in range(5):
        await desk.come_by()
    assert (desk.office.row().state, desk.office.row().post_id) == ("posted", post_id)
    assert await desk.standing() == [post_id]
