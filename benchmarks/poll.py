"""What a poll that brings no news costs, beside a bare request of the same page.

A phpBB stands on loopback, in a process of its own, with a thread in which a round is open. The
poll is the daemon's own visit to that thread: the request, and whatever is done to see that nothing
is new. The bare request is httpx with the same session and headers, which gets the same page and
reads its text. phpBB sends no validators, so the page comes whole each time.

Whether deadlines, commands or unsent posts wait, the daemon sees in one look at all its threads,
once a second; a poll does not look again. That look has a line of its own, for the record.

What is compared is the processor time of our process: the wall time holds the board's own work on
both sides, which would make any ratio look good. It is printed for the record.
"""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx
import structlog

from adapters.http import Manners, PoliteHttp
from bars import ROOT, Bar, main
from referee.app import App, World
from referee.config import load
from referee.daemon import TICK_S
from referee.visiting import Look, look_round, visit
from tests.forums.fake_phpbb import RemoteBoard

SHORT, LONG = 25, 5000
PER_PAGE = 25
POLLS = 20
REPEATS = 30
PASSWORD = "clave-1234"  # noqa: S105 # of a made-up account
WORDS = "Texto de una partida, con sus comas y sus tildes, ni corto ni largo.\n" * 8
CONFIG = """\
database: sqlite:///{home}/referee.db
sites:
  board:
    adapter: phpbb
    base_url: {url}
    username: Arbitro
    password_env: BOARD_PASSWORD
    allow_private: true
threads:
  duel:
    site: board
    topic: {topic}
    ruleset: aquelarre
    gm: {master}
    policies: {{deadline: never, missing: wait}}
    cast:
      Lope: {{player: {player}, side: a, sheet: {{skills: {{swords: 60}}, weapons: [espada]}}}}
      Bandido: {{npc: true, side: b, sheet: {{skills: {{maces: 40}}, weapons: [clava]}}}}
"""


@contextlib.contextmanager
def board(home: Path) -> Iterator[str]:
    """A fake phpBB in a process of its own; gives its address."""
    port_file = home / "address"
    settings = json.dumps({"per_page": PER_PAGE, "flood_interval_s": 0, "min_form_age_s": 0})
    command = ["-m", "tests.forums.fake_phpbb", "--port-file", str(port_file)]
    process = subprocess.Popen([sys.executable, *command, "--settings", settings], cwd=ROOT)
    try:
        while not port_file.exists():
            if process.poll() is not None:
                raise RuntimeError("the board did not start")
            time.sleep(0.02)
        yield port_file.read_text(encoding="ascii")
    finally:
        process.terminate()
        process.wait()


class Thread:
    """A thread with an open round, and the two ways of asking whether there is news."""

    def __init__(self, home: Path, url: str, posts: int) -> None:
        """Fill a topic and wire an app for it."""
        self.control = RemoteBoard(url)
        tag = f"{posts}"
        referee, master = f"Arbitro{tag}", f"Narradora{tag}"
        self.control.add_user(referee, PASSWORD)
        master_id = self.control.add_user(master, PASSWORD)
        player_id = self.control.add_user(f"Lucia{tag}", PASSWORD)
        self.topic = self.control.add_topic("Duelo", master, WORDS)
        # The start and the referee's two posts make the number full, on the last page.
        for _ in range(posts - 4):
            self.control.post(master, self.topic, WORDS)
        self.control.post(master, self.topic, "[árbitro: iniciar]")
        home.mkdir()
        config = home / "config.yaml"
        config.write_text(
            CONFIG.format(
                home=home, url=url, topic=self.topic, master=master_id, player=player_id
            ).replace("username: Arbitro", f"username: {referee}"),
            encoding="utf-8",
        )
        environ = {**os.environ, "BOARD_PASSWORD": PASSWORD}
        self.app = App(load(config), World(environ=environ, http=self._client))
        self._bare = httpx.AsyncClient()
        self._page_url = ""
        self._look: Look

    @staticmethod
    def _client(site: Any, saved: Any) -> PoliteHttp:
        # The pace is the only thing of a visit that is left out: it waits, it costs nothing.
        del site
        return PoliteHttp(
            contact="",
            manners=Manners(requests_per_s=1e6),
            allow_private=frozenset({"127.0.0.1"}),
            saved=saved,
        )

    async def __aenter__(self) -> Self:
        """Let the referee open the round, and visit until there is nothing left to do."""
        desk = self.app.thread_desk("duel")
        while await visit(desk):
            pass
        with self.app.store.reading() as records:
            row = records.thread("duel")
        if row is None:
            raise RuntimeError("the thread was not read")
        self._page_url = row.cursor_url
        await self.look()
        for cookie in desk.site.http.export()["cookies"]:
            self._bare.cookies.set(cookie["name"], cookie["value"], domain="127.0.0.1")
        # The board binds a session to the browser, so the bare request calls itself the same.
        self._bare.headers["user-agent"] = "pbw-referee/0.1"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close everything."""
        await self._bare.aclose()
        await self.app.close()

    async def look(self) -> None:
        """The daemon's look at all threads."""
        self._look = await self.app.read(look_round, self.app.world.clock.now())

    async def poll(self) -> None:
        """The daemon's own visit; it must find nothing."""
        age = self.app.world.clock.now() - self._look.at
        if age.total_seconds() >= TICK_S:
            await self.look()
        if await visit(self.app.thread_desk("duel"), self._look):
            raise RuntimeError("there was news")

    async def bare(self) -> None:
        """The same page, read to its end and decoded."""
        answer = await self._bare.get(self._page_url)
        if answer.status_code != 200 or not answer.text:
            raise RuntimeError(f"not the page: {answer.status_code}")

    def requests(self) -> int:
        """How many requests the board has answered so far."""
        events = self.control.history_since(0)
        return int(events[-1]["number"]) if events else 0


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds for one call."""

    processor: float
    wall: float


async def cost(call: Callable[[], Awaitable[None]]) -> Cost:
    """The mean of some calls in a row."""
    wall, processor = time.perf_counter(), time.process_time()
    for _ in range(POLLS):
        await call()
    return Cost((time.process_time() - processor) / POLLS, (time.perf_counter() - wall) / POLLS)


async def costs(*calls: Callable[[], Awaitable[None]]) -> list[Cost]:
    """The least cost of each, measured in turns: what others do to the machine only adds."""
    rounds = [[await cost(call) for call in calls] for _ in range(REPEATS)]
    return [
        Cost(min(c.processor for c in column), min(c.wall for c in column))
        for column in zip(*rounds, strict=True)
    ]


@contextlib.asynccontextmanager
async def threads() -> AsyncIterator[tuple[Thread, Thread]]:
    """A short thread and a long one on one board."""
    with tempfile.TemporaryDirectory(prefix="referee-poll-") as folder:
        home = Path(folder)
        with board(home) as url:
            short, long = (Thread(home / str(n), url, n) for n in (SHORT, LONG))
            async with short, long:
                yield short, long


async def _measure() -> list[Bar]:
    async with threads() as (short, long):
        before = long.requests()
        for _ in range(POLLS):
            await long.poll()
        requests = (long.requests() - before) / POLLS
        poll, bare, long_poll, look = await costs(short.poll, short.bare, long.poll, short.look)
    ms = 1000
    bare_page = "httpx GET of the same page"
    return [
        Bar("poll without news, processor", poll.processor * ms, bare.processor * ms,
            bare_page, "ms", 1.4, "at_most"),
        Bar("poll without news, wall", poll.wall * ms, bare.wall * ms,
            bare_page, "ms", None, "at_most"),
        Bar("look at all threads, once a second", look.processor * ms, bare.processor * ms,
            bare_page, "ms", None, "at_most"),
        Bar(f"poll of {LONG} posts, requests", requests, 1,
            "one request", "", 1.0, "at_most"),
        Bar(f"poll of {LONG} posts, processor", long_poll.processor * ms, poll.processor * ms,
            f"poll of {SHORT} posts", "ms", 1.1, "at_most"),
    ]  # fmt: skip


def measure() -> Sequence[Bar]:
    """The bars of a poll."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    return asyncio.run(_measure())


if __name__ == "__main__":
    sys.exit(main(measure))
