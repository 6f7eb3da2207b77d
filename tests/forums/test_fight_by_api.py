"""A fight on forums with a JSON interface: the real app and daemon, a fake that enforces its rules.

Players post as their forum would have it; the referee has a key and waits when it is told to.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from adapters.http import Manners, Pace, PoliteHttp
from referee.app import App, World
from referee.config import load
from referee.daemon import Daemon
from referee.evidence import verify
from tests.forums.fake_discourse import FakeDiscourse
from tests.forums.fake_flarum import FakeFlarum
from tests.forums.fake_nodebb import FakeNodeBB
from tests.forums.fake_xenforo import FakeXenForo
from tests.forums.json_site import JsonSite
from tests.forums.test_fight import CONFIG
from tests.referee.harness import HandClock

KEY = "clave-del-arbitro"
PEOPLE = ("narradora", "lucia", "tomas", "arbitro")
OPENING = "El molino cruje. [árbitro: iniciar]"

# How each fake makes its thread.
SITES: dict[str, tuple[Callable[[Callable[[], float]], Any], str]] = {
    "discourse": (FakeDiscourse, "add_topic"),
    "nodebb": (FakeNodeBB, "add_topic"),
    "flarum": (FakeFlarum, "add_discussion"),
    "xenforo": (FakeXenForo, "add_thread"),
}


@dataclass
class Fight:
    """A thread on a fake forum, and a daemon whose clock is moved by hand."""

    site: Any
    thread: Any
    app: App
    daemon: Daemon
    clock: HandClock
    me: str

    def post(self, who: str, text: str) -> None:
        self.site.post(self.thread, who, text)

    async def come_by(self, times: int = 4) -> None:
        for _ in range(times):
            self.clock.forward(seconds=20)  # longer than any of them wants between two posts
            await self.daemon.tick()
            await asyncio.gather(*self.daemon.visits.values())

    def rounds(self) -> list[Any]:
        with self.app.store.reading() as records:
            return records.rounds("molino")

    async def posts(self) -> list[Any]:
        """The thread as the adapter reads it."""
        desk = self.app.site_desk("foro")
        posts: list[Any] = []
        url = desk.adapter.thread_url(number_of(self.thread))
        while url:
            page = await desk.adapter.fetch(desk.http, url)
            assert page is not None
            posts.extend(page.posts)
            url = page.next_url
        return posts


def number_of(thing: Any) -> str:
    return str(next(getattr(thing, name) for name in ("tid", "uid", "id") if hasattr(thing, name)))


@asynccontextmanager
async def fighting(platform: str, folder: Path) -> AsyncIterator[Fight]:
    clock = HandClock()
    make, add_thread = SITES[platform]
    site: JsonSite = make(lambda: clock.now().timestamp())
    users = {
        who: site.add_user(who, *([KEY] if who == "arbitro" else []))  # type: ignore[attr-defined] # each fake's own
        for who in PEOPLE
    }
    thread = getattr(site, add_thread)("El molino", "narradora", OPENING)
    with site.serving() as url:
        text = CONFIG.format(
            adapter=platform,
            url=url,
            referee="arbitro",
            topic=number_of(thread),
            gm=number_of(users["narradora"]),
            lucia=number_of(users["lucia"]),
            tomas=number_of(users["tomas"]),
        )
        config = folder / "config.yaml"
        config.write_text(text.replace("password_env: FORO_PASSWORD", "api_key_env: FORO_KEY"))

        def client(site: object, saved: Any) -> PoliteHttp:
            del site
            return PoliteHttp(
                contact="tests@example.org",
                pace=Pace(1000.0),
                # As the program itself has it.
                manners=Manners(robots=True),
                saved=saved,
                allow_private=frozenset({"127.0.0.1"}),
            )

        world = World(clock=clock, http=client, environ={"FORO_KEY": KEY})
        app = App(load(config), world)
        try:
            me = number_of(users["arbitro"])
            yield Fight(site, thread, app, Daemon(app), clock, me)
        finally:
            await app.close()


@pytest.mark.parametrize("platform", SITES)
async def test_two_rounds_are_fought_and_can_be_checked(platform: str, tmp_path: Path) -> None:
    async with fighting(platform, tmp_path) as fight:
        await fight.come_by()
        assert fight.rounds()[0].status == "declaring"
        for number in (1, 2):
            fight.post("lucia", "Voy. [acción: ataque | Bandido 1] [acción: parada con escudo]")
            fight.post("tomas", "Y yo. [acción: atake | Bandido 2] [acción: esquiva]")
            await fight.come_by()
            own = [post.own_words for post in await fight.posts() if post.author_id == fight.me]
            assert any("atake" in words for words in own)
            fight.post("tomas", "Mejor: [acción: ataque | Bandido 2] [acción: esquiva]")
            fight.post(
                "narradora", "[acción Bandido 1: ataque | Lope] [acción Bandido 2: ataque | Ximena]"
            )
            fight.clock.forward(minutes=11)
            await fight.come_by(6)
            assert [r.number for r in fight.rounds() if r.resolutions][-1] == number
        posts = await fight.posts()
        with fight.app.store.reading() as records:
            sent = [row.mark for row in records.outbox("molino") if not row.edits]
            assert not records.unsent("molino")

    # Each post stands there once, none is missing, and the dice are what was promised.
    own = [post for post in posts if post.author_id == fight.me]
    marks = [re.findall(r"ref-[a-z0-9]{8}", post.own_words)[-1] for post in own]
    assert marks == sent
    report = verify(posts, [fight.me])
    assert report.verdict == "holds", report.findings
    assert len(report.rolls) > 10
