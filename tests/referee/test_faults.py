"""A hundred kills in a storm of faults: nothing is lost, nothing is doubled, all dice hold.

The forums are the stateful fakes in a process of their own, with a seeded plan: replies that are
lost after the post has landed, 500 after landing, posts that land late, pages cut short, login
pages and maintenance with status 200, flood limits, 429. The referee plays rounds on it and is
killed at checkpoints drawn by the same seed, until it has died its share of times. What then stands
in the thread must be what a referee writes that lives on in calm weather, to the last letter.
"""

import asyncio
import io
import os
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from adapters.registry import BY_NAME
from referee.evidence import Report, verify
from referee.sources import read_posts
from tests.forums import board, fake_mybb, fake_phpbb, fake_smf
from tests.forums.board import FakeBoard, RemoteBoard
from tests.referee.killing import (
    PASSWORD,
    SharedClock,
    Stage,
    config_for,
    fork,
    join,
    quick_folder,
)

pytestmark = pytest.mark.kill

KILLS: Final = 25  # in each storm
STORMS: Final = (*(("phpbb", seed) for seed in range(4)), ("mybb", 0), ("smf", 0))
MOST_ROUNDS: Final = 12
# What MyBB sets between two posts that it makes one of.
BETWEEN: Final = "\n[hr]\n"
STORM: Final = {"read_rate": 0.12, "write_rate": 0.5}
# A life that is killed ends at one of these checkpoints: in the midst of its first visits.
DEADLY: Final = range(5, 90)
REFEREE: Final = "Árbitro"
MARK: Final = re.compile(r"ref-[a-z0-9]{8}")
BOARDS: Final[dict[str, tuple[Callable[..., FakeBoard], board.Settings]]] = {
    "phpbb": (fake_phpbb.FakePhpBB, fake_phpbb.Settings(per_page=6)),
    "smf": (fake_smf.FakeSMF, fake_smf.Settings(per_page=6)),
    "mybb": (fake_mybb.FakeMyBB, fake_mybb.Settings(per_page=6)),
}


@contextmanager
def board_beside(platform: str, clock: SharedClock, failure: Path) -> Iterator[RemoteBoard]:
    """A board in a child process of its own, on the same clock, that ends with the block."""
    (hears, tells), (waits, ends) = os.pipe(), os.pipe()

    def serve() -> None:
        os.close(ends)
        make, settings = BOARDS[platform]
        with make(clock=clock.now, settings=settings).serving() as url:
            os.write(tells, url.encode())
            os.close(tells)
            os.read(waits, 1)  # nothing comes, and then the end of the pipe

    pid = fork(serve, failure, longest_s=600)
    os.close(tells)
    os.close(waits)
    try:
        with os.fdopen(hears, "rb") as address:
            yield RemoteBoard(address.read().decode())
    finally:
        os.close(ends)
        assert join(pid, failure)


@dataclass
class Forum(Stage):
    """A table on a board.

    Attributes:
        platform: Which software the board is.
        board: The board.
        topic: The thread there.
        kills: How often the referee has died.
    """

    platform: str = ""
    board: Any = None
    topic: int = 0
    kills: int = field(init=False, default=0)

    def say(self, author: str, text: str) -> int:
        post: int = self.board.post(author, self.topic, text)
        return post

    def posts(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.board.posts(self.topic)
        return found

    def come(self, chance: random.Random | None) -> None:
        """Serve the thread until it is quiet, dying on the way as chance will have it."""
        while chance is not None and self.kills < KILLS:
            if self.serve_in_child(chance.choice(DEADLY)):
                return
            self.kills += 1
            # It is started again at once, or after the forum has forgotten about it.
            self.clock.turn(chance.choice([0.0, 5.0, 120.0]))
        assert self.serve_in_child()

    def play(self, chance: random.Random | None, rounds: int) -> int:
        """Play rounds: as many as are asked for, or, with chance, until it has died enough."""
        self.come(chance)
        self.warm_up()
        for number in range(1, rounds + 1):
            if self.is_peace():
                self.say("narradora", "[árbitro: iniciar]")
                self.come(chance)
            self.say("tomas", "Escucho. [tirada: 1d100+AGI | motivo: escuchar]")
            mended = self.say("lucia", "Voy. [acción: ataque | Bandido 1] [acción: huir | nadie]")
            self.come(chance)
            self.board.edit(mended, "Mejor así. [acción: ataque | Bandido 2] [acción: parada]")
            self.come(chance)
            self.say("tomas", "[acción: ataque | Bandido 2] [acción: esquiva]")
            self.say(
                "narradora", "[acción Bandido 1: ataque | Lope] [acción Bandido 2: ataque | Ximena]"
            )
            self.come(chance)
            if chance is not None and self.kills == KILLS:
                return number
        return rounds

    def is_peace(self) -> bool:
        return all(fight["ended_at"] for fight in self.rows("fight"))

    def verify(self) -> Report:
        """What a guest finds out about the dice."""
        address = BY_NAME[self.platform](self.board.url).thread_url(str(self.topic))
        return verify(asyncio.run(read_posts([address], io.StringIO())))


@contextmanager
def forum_in(folder: Path, platform: str) -> Iterator[Forum]:
    """A new table on a new board."""
    folder.mkdir()
    clock = SharedClock(folder / "clock")
    with board_beside(platform, clock, folder / "board.txt") as beside:
        people = {name: str(beside.add_user(name)) for name in ("narradora", "lucia", "tomas")}
        beside.add_user(REFEREE, PASSWORD)
        topic = beside.add_topic("El molino", "narradora", "El molino de Peñascal, de noche.")
        site = (
            f'{{adapter: {platform}, base_url: "{beside.url}", username: {REFEREE}, '
            "password_env: CLAVE, allow_private: true}"
        )
        config = config_for(site, str(topic), people, deadline="never")
        (folder / "config.yaml").write_text(config, encoding="utf-8")
        yield Forum(folder, platform=platform, board=beside, topic=topic)


@pytest.mark.parametrize(("platform", "seed"), STORMS)
def test_a_hundred_kills_in_a_storm_lose_and_double_nothing(
    tmp_path: Path, platform: str, seed: int
) -> None:
    with quick_folder(tmp_path) as folder, forum_in(folder / "storm", platform) as forum:
        forum.board.plan(seed=seed, **STORM)
        chance = random.Random(seed)  # noqa: S311 # repeatable on purpose
        rounds = forum.play(chance, MOST_ROUNDS)
        forum.board.plan()
        forum.board.land_all()
        assert forum.serve_in_child()
        assert forum.kills == KILLS

        own = [post for post in forum.posts() if post["author"] == REFEREE]
        parts = [part for post in own for part in post["text"].split(BETWEEN)]
        marks = [MARK.findall(part)[-1] for part in parts]
        assert (len(parts) > len(own)) == (platform == "mybb")
        assert max(Counter(marks).values()) == 1
        sent = [row for row in forum.rows("outbox") if not row["edits"]]
        assert marks == [row["mark"] for row in sent]
        assert {row["state"] for row in forum.rows("outbox")} <= {"posted", "superseded"}
        assert not forum.rows("thread")[0]["error"]
        assert forum.audit()["good"], forum.audit()
        assert forum.verify().verdict == "holds", forum.verify().findings

        with forum_in(folder / "calm", platform) as calm:
            calm.play(None, rounds)
            assert calm.kills == 0
            assert said(forum) == said(calm)
            assert played(forum) == played(calm)


def played(forum: Forum) -> list[tuple[Any, ...]]:
    """All rounds with their dice."""
    told = ("serial", "status", "open_input", "lock_input", "opening", "outcome", "state_after")
    return [tuple(row[name] for name in told) for row in forum.rows("round")]


def said(forum: Forum) -> list[tuple[str, str]]:
    """The thread, without what differs from board to board."""
    return [(post["author"], post["text"]) for post in forum.posts()]
