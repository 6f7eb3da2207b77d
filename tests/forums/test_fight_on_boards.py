"""A fight on classic boards: the real app and daemon, and players who fill in the board's forms.

The boards are the fakes, which enforce what real ones do: tokens, sessions, waits between posts,
forms that come back. On MyBB whoever posts twice in a row gets one post of both, and so does the
referee.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from adapters.base import Account, Adapter, Post
from adapters.http import Manners, Pace, PoliteHttp
from adapters.registry import BY_NAME
from referee.app import App, World
from referee.audits import audit_thread
from referee.config import load
from referee.daemon import Daemon
from referee.evidence import verify
from tests.forums.board import FakeBoard
from tests.forums.fake_mybb import FakeMyBB
from tests.forums.fake_phpbb import FakePhpBB
from tests.forums.fake_smf import FakeSMF
from tests.forums.test_fight import CONFIG
from tests.referee.harness import HandClock
from tests.referee.scripted import ClientClock

PASSWORD: Final = "clave-1234"  # made up
PEOPLE: Final = ("narradora", "lucia", "tomas", "arbitro")
# Longer than any of the boards wants between two posts of one account.
PATIENCE_S: Final = 61
BETWEEN: Final = "\n[hr]\n"
BOARDS: Final[Mapping[str, Callable[..., FakeBoard]]] = {
    "phpbb": FakePhpBB,
    "mybb": FakeMyBB,
    "smf": FakeSMF,
}


@dataclass
class Fight:
    """A thread on a fake board, its people with their browsers, and a daemon."""

    board: FakeBoard
    topic: int
    people: Mapping[str, tuple[Adapter, PoliteHttp]]
    app: App
    daemon: Daemon
    clock: HandClock
    me: str

    async def post(self, who: str, text: str, edits: str = "") -> str:
        """Post, or edit a post, through the board's own forms."""
        self.clock.forward(seconds=PATIENCE_S)
        adapter, http = self.people[who]
        await adapter.login(http)
        draft = await adapter.draft(http, str(self.topic), edits=edits)
        return (await adapter.send(http, draft, text)).post_id

    async def come_by(self, times: int = 4) -> None:
        for _ in range(times):
            self.clock.forward(seconds=PATIENCE_S)
            await self.daemon.tick()
            await asyncio.gather(*self.daemon.visits.values())

    def rounds(self) -> list[Any]:
        with self.app.store.reading() as records:
            return records.rounds("molino")

    def own_posts(self) -> list[str]:
        posts = self.board.posts(self.topic)
        return [post["text"] for post in posts if post["author"] == "arbitro"]

    async def posts(self) -> list[Post]:
        """The thread as the adapter reads it."""
        desk = self.app.site_desk("foro")
        posts: list[Post] = []
        url = desk.adapter.thread_url(str(self.topic))
        while url:
            page = await desk.adapter.fetch(desk.http, url)
            assert page is not None
            posts.extend(page.posts)
            url = page.next_url
        return posts


@asynccontextmanager
async def fighting(platform: str, folder: Path) -> AsyncIterator[Fight]:
    clock = HandClock()
    board = BOARDS[platform](clock=lambda: clock.now().timestamp())
    users = {who: board.add_user(who, PASSWORD) for who in PEOPLE}
    topic = board.add_topic("El molino", "narradora", "El molino cruje. [árbitro: iniciar]")

    def client(site: object = None, saved: Any = None) -> PoliteHttp:
        del site
        return PoliteHttp(
            contact="tests@example.org",
            pace=Pace(1000.0),
            # As the program itself has it.
            manners=Manners(robots=True),
            saved=saved,
            clock=ClientClock(clock),
            allow_private=frozenset({"127.0.0.1"}),
        )

    async with AsyncExitStack() as stack:
        url = stack.enter_context(board.serving())
        config = folder / "config.yaml"
        config.write_text(
            CONFIG.format(
                adapter=platform,
                url=url,
                referee="arbitro",
                topic=topic,
                gm=users["narradora"],
                lucia=users["lucia"],
                tomas=users["tomas"],
            )
        )
        people = {
            who: (
                BY_NAME[platform](url, Account(who, PASSWORD)),
                await stack.enter_async_context(client()),
            )
            for who in ("narradora", "lucia", "tomas")
        }
        world = World(clock=clock, http=client, environ={"FORO_PASSWORD": PASSWORD})
        app = App(load(config), world)
        stack.push_async_callback(app.close)
        yield Fight(board, topic, people, app, Daemon(app), clock, str(users["arbitro"]))


@pytest.mark.parametrize("platform", BOARDS)
async def test_two_rounds_are_fought_through_the_boards_own_forms(
    platform: str, tmp_path: Path
) -> None:
    async with fighting(platform, tmp_path) as fight:
        await fight.come_by()
        assert fight.rounds()[0].status == "declaring"
        for number in (1, 2):
            mended = await fight.post("lucia", "Voy. [acción: ataque | Bandido 2] [acción: parada]")
            await fight.post("tomas", "Y yo. [acción: atake | Bandido 2] [acción: esquiva]")
            await fight.come_by()
            assert any("atake" in text for text in fight.own_posts())
            await fight.post("tomas", "Mejor: [acción: ataque | Bandido 2] [acción: esquiva]")
            await fight.post(
                "lucia", "Voy. [acción: ataque | Bandido 1] [acción: parada]", edits=mended
            )
            await fight.post(
                "narradora", "[acción Bandido 1: ataque | Lope] [acción Bandido 2: ataque | Ximena]"
            )
            fight.clock.forward(minutes=11)
            await fight.come_by(6)
            assert [r.number for r in fight.rounds() if r.resolutions][-1] == number
        attacks = [
            event
            for played in fight.rounds()
            for event in (played.outcome or {}).get("events", ())
            if event["type"] == "attack" and event["actor"] == "Lope"
        ]
        assert {attack["target"] for attack in attacks} == {"Bandido 1"}
        posts = await fight.posts()
        with fight.app.store.reading() as records:
            sent = [row.mark for row in records.outbox("molino") if not row.edits]
            assert not records.unsent("molino")
        assert audit_thread(fight.app, "molino")["good"]
        parts = [part for text in fight.own_posts() for part in text.split(BETWEEN)]

    # Each post stands there once, none is missing, and the dice are what was promised.
    assert [re.findall(r"ref-[a-z0-9]{8}", part)[-1] for part in parts] == sent
    by_tomas = [post for post in posts if post.author_name == "tomas"]
    # Tomás mends his tag in a second post; on MyBB it becomes part of the first where nobody posts
    # between them.
    assert (len(by_tomas) < 4) == (platform == "mybb")
    report = verify(posts, [fight.me])
    assert report.verdict == "holds", report.findings
    assert len(report.rolls) > 10


@pytest.mark.parametrize("platform", BOARDS)
async def test_a_tag_that_the_forum_has_filtered_is_told_and_no_post_comes_twice(
    platform: str, tmp_path: Path
) -> None:
    async with fighting(platform, tmp_path) as fight:
        await fight.come_by()
        fight.board.filter_word("bandido", "amigo")
        tag = "Voy. [acción: ataque | Bandido 2] [acción: parada]"
        fight.board.post("lucia", fight.topic, tag)
        # The answer lands, and nobody hears of it: it is found by its mark among other words.
        fight.board.fault("reply_lost", "write")
        await fight.come_by()
        told = [text for text in fight.own_posts() if "amigo 2" in text]
        assert len(told) == 1
        with fight.app.store.reading() as records:
            assert not records.unsent("molino")
            marks = [row.mark for row in records.outbox("molino") if not row.edits]
        parts = [part for text in fight.own_posts() for part in text.split(BETWEEN)]
        assert [re.findall(r"ref-[a-z0-9]{8}", part)[-1] for part in parts] == marks
        assert not fight.rounds()[0].resolutions

        # What everybody sees now is what counts, and so it is told no more.
        fight.board.lift_filter()
        await fight.post("tomas", "Y yo. [acción: ataque | Bandido 2] [acción: esquiva]")
        await fight.post(
            "narradora", "[acción Bandido 1: ataque | Lope] [acción Bandido 2: ataque | Ximena]"
        )
        fight.clock.forward(minutes=11)
        await fight.come_by(6)
        (event, *_) = (
            event
            for event in (fight.rounds()[0].outcome or {}).get("events", ())
            if event["type"] == "attack" and event["actor"] == "Lope"
        )
        assert event["target"] == "Bandido 2"
        report = verify(await fight.posts(), [fight.me])
    assert report.verdict == "holds", report.findings
