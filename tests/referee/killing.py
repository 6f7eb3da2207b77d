"""A referee that is killed and started again.

It runs in a forked child, so that a life costs milliseconds: all is imported and all tables are
read by then. Parent and child share what a machine keeps when a process dies, and nothing else:
the config, the database, the thread and the clock. The clock lies in a file as well.
"""

import asyncio
import hashlib
import mmap
import os
import re
import signal
import struct
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
import stamina

from adapters.http import Manners, PoliteHttp
from referee.app import App, World
from referee.audits import audit_thread
from referee.config import load
from referee.daemon import Daemon
from referee.previews import preview
from referee.settings import Config, Site
from referee.storage import tables as t
from referee.visiting import look_round
from tests.referee.harness import CONFIG, START

THREAD: Final = "molino"
PASSWORD: Final = "canario-9f3a"
MOST_TICKS: Final = 400
LONGEST_LIFE_S: Final = 60


def config_for(
    sites: str, topic: str = THREAD, people: Mapping[str, str] | None = None, **policies: str
) -> str:
    """The harness's table on another site: the fight, the cast and the rules stay the same.

    Args:
        sites: What stands under ``sites``: a site called ``mesa``.
        topic: The thread there.
        people: User ids by the names that they have in a folder.
        policies: Which to change.
    """
    text = CONFIG.format(language="es", questions="default", more="")
    before, _, after = text.partition("sites:\n")
    text = (
        f"polling: {{interval: 20s, jitter: 0}}\n{before}sites:\n  mesa: {sites}\n"
        + (after[after.index("threads:") :])
    )
    text = text.replace("topic: molino", f'topic: "{topic}"')
    for name, user in (people or {}).items():
        text = text.replace(f"id: {name},", f'id: "{user}",').replace(
            f"gm: {name}", f'gm: "{user}"'
        )
    for name, value in policies.items():
        text = re.sub(rf"\b{name}: [^,}}]+", f"{name}: {value}", text, count=1)
    return text


class SharedClock:
    """A clock moved by hand that every process on the same file sees; the HTTP client's clock."""

    def __init__(self, file: Path, start: datetime = START) -> None:
        if not file.exists():
            file.write_bytes(struct.pack("d", start.timestamp()))
        with file.open("r+b") as opened:
            self._cell = mmap.mmap(opened.fileno(), 8)

    def now(self) -> float:
        return float(struct.unpack("d", self._cell[:])[0])

    def turn(self, seconds: float) -> None:
        self._cell[:] = struct.pack("d", self.now() + seconds)

    async def sleep(self, seconds: float) -> None:
        self.turn(seconds)


@dataclass(frozen=True)
class Calendar:
    """A stage's clock as the referee reads it; looked up each time: it may be another one now."""

    stage: "Stage"

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.stage.clock.now(), UTC)


class Checkpoints:
    """Hears the names of checkpoints, and kills its own process at one of them."""

    def __init__(self, deadly: int = 0) -> None:
        self.names: list[str] = []
        self._deadly = deadly

    def __call__(self, name: str) -> None:
        self.names.append(name)
        if len(self.names) == self._deadly:
            os.kill(os.getpid(), signal.SIGKILL)


def repeatable_secrets(url: str, seed: str) -> Callable[[int], bytes]:
    """Secrets that a referee draws again after it has died.

    The n-th secret since a commit that kept any is a function of the seed, of n, and of how many
    seeds and posts are committed. Every transaction that draws secrets keeps a seed or a post, so
    a transaction that was lost with its process draws the same ones again, and no two transactions
    that were kept have drawn the same.
    """
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    posts = sa.select(sa.func.count()).where(t.outbox.c.edits == "").scalar_subquery()
    seeds = sa.select(sa.func.count()).select_from(t.seed).scalar_subquery()
    drawn: Counter[tuple[int, int]] = Counter()

    def secret(size: int) -> bytes:
        with engine.connect() as connection:
            kept: tuple[int, int] = tuple(connection.execute(sa.select(posts, seeds)).one())
        drawn[kept] += 1
        return hashlib.sha512(f"{seed} {kept} {drawn[kept]}".encode()).digest()[:size]

    return secret


@dataclass
class Stage:
    """A folder with all that outlives a process: config, database, clock.

    Attributes:
        path: The folder.
        secrets: Seed of the secrets.
        environ: Where the referee looks up its password.
        relay: Makes the client that is asked for a public beacon.
    """

    path: Path
    secrets: str = "mesa"
    environ: Mapping[str, str] = field(default_factory=lambda: {"CLAVE": PASSWORD})
    clock: SharedClock = field(init=False)
    config: Config = field(init=False)
    relay: Callable[[], Any] | None = None
    _reached: Callable[[str], None] = field(init=False, default=lambda _: None)
    _secret: Callable[[int], bytes] = field(init=False, default=lambda _: b"")
    _warm: App | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        # Read once: it never changes here, and no life of a referee need wait for it.
        self.config = load(self.path / "config.yaml")
        self.open_clock()
        self.begin()

    def open_clock(self) -> None:
        """Look at the clock's file, which may be another one now."""
        self.clock = SharedClock(self.path / "clock")

    @property
    def failure(self) -> Path:
        """Where a child tells why it has failed."""
        return self.path.with_suffix(".failure")

    def app(self) -> App:
        """A referee, heard by whoever hears the newest life."""
        return App(
            self.config,
            World(
                clock=Calendar(self),
                # Looked up at every call: each life has its own.
                secret=lambda size: self._secret(size),  # noqa: PLW0108 - looked up at each call
                reached=lambda name: self._reached(name),  # noqa: PLW0108 - looked up at each call
                environ=self.environ,
                http=self._http,
                relay=self.relay,
            ),
        )

    def begin(self, reached: Callable[[str], None] = lambda _: None) -> None:
        """Begin a life: nothing is remembered from the last one."""
        self._reached = reached
        self._secret = repeatable_secrets(self.config.database.url(self.environ), self.secrets)

    @property
    def is_warm(self) -> bool:
        return self._warm is not None

    def warm_up(self) -> None:
        """Read tables and compile templates and statements here, so that no child need do it."""
        self._warm = self.app()
        preview(self._warm, THREAD)
        # No connection may pass into a child.
        self._warm.store.engine.dispose()

    def _http(self, site: Site, saved: Mapping[str, Any]) -> PoliteHttp:
        del site
        return PoliteHttp(
            contact="referee@example.org",
            manners=Manners(requests_per_s=10_000),
            allow_private=frozenset({"127.0.0.1"}),
            clock=self.clock,
            saved=saved,
        )

    def serve(self, reached: Callable[[str], None] = lambda _: None) -> None:
        """Run the daemon in this process until nothing is left to do."""
        self.begin(reached)
        asyncio.run(self._serve(self.app()))

    def serve_in_child(self, deadly: int = 0) -> bool:
        """The same in a child that is killed at a checkpoint; False if it was.

        Raises:
            AssertionError: it ended by itself, but badly.
        """

        def life() -> None:
            self.begin(Checkpoints(deadly))
            with stamina.set_testing(True, attempts=3):  # tries again at once
                asyncio.run(self._serve(self._warm or self.app()))

        return join(fork(life, self.failure), self.failure)

    async def _serve(self, app: App) -> None:
        daemon = Daemon(app)
        try:
            for _ in range(MOST_TICKS):
                await daemon.tick()
                lighting = [daemon.lighting] if daemon.lighting is not None else []
                await asyncio.gather(*daemon.visits.values(), *lighting)
                # Nothing happens before the next visit is due, or before the site has rested.
                ahead = [*(daemon.rests or {}).values(), *daemon.light_due.values()]
                ahead += [daemon.due[THREAD]] if THREAD in daemon.due else []
                self.clock.turn(
                    max(0.0, *(moment.timestamp() - self.clock.now() for moment in ahead))
                )
                look = await app.read(look_round, app.world.clock.now())
                # A site that asked for rest before a kill is not visited at the first tick.
                waits = daemon.failing or look.unlit
                if THREAD in daemon.due and THREAD in look.calm and not waits:
                    return
            raise AssertionError("never quiet")
        finally:
            await app.close()

    def rows(self, table: str) -> list[dict[str, Any]]:
        """All rows of a table, in its own order."""
        engine = sa.create_engine(self.config.database.url(self.environ), poolclass=sa.NullPool)
        with engine.connect() as connection:
            known = t.metadata.tables[table]
            found = connection.execute(sa.select(known).order_by(*known.primary_key))
            return [dict(row) for row in found.mappings()]

    def end(self) -> dict[str, Any]:
        """All that is stored and does not tell of time: two runs must agree on it."""
        engine = sa.create_engine(self.config.database.url(self.environ), poolclass=sa.NullPool)
        with engine.connect() as connection:
            return _end(connection)

    def audit(self) -> dict[str, Any]:
        app = self.app()
        try:
            return audit_thread(app, THREAD)
        finally:
            asyncio.run(app.close())


# Columns that tell how something came about, not what.
_OF_THE_WAY: Final = frozenset(
    {"attempts", "previous", "hash", "number", "sequence", "heard", "opens_after", "lock_sequence"}
)


def _end(connection: sa.Connection) -> dict[str, Any]:
    """Every table, but for what tells how something came about and not what."""
    found = {
        table.name: [
            {
                column.name: value
                for column, value in zip(table.columns, row, strict=True)
                if not isinstance(column.type, t.Utc) and column.name not in _OF_THE_WAY
            }
            for row in connection.execute(sa.select(table).order_by(*table.primary_key))
        ]
        for table in t.metadata.sorted_tables
    }
    entries = [row["entry"] for row in found.pop("log")]
    for entry in entries:
        del entry["at"]
    # Of two things that happen side by side the first one may be the second after a kill: that a
    # post has landed, and that the round goes on.
    posted = [entry for entry in entries if entry["kind"] == "posted"]
    versions: dict[str, list[str]] = {}
    for row in found.pop("version"):
        versions.setdefault(row["post_id"], []).append(row["words"])
    return {
        **found,
        "log": [entry for entry in entries if entry["kind"] != "posted"],
        "posted": sorted((entry["outbox"], entry["post"]) for entry in posted),
        "versions": versions,
    }


def fork(call: Callable[[], None], report: Path, longest_s: int = LONGEST_LIFE_S) -> int:
    """Run a call in a forked child that tells in a file why it failed; returns its process id."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(longest_s)
            call()
            code = 0
        except BaseException:  # noqa: BLE001 # a child must never return into the test runner
            report.write_text(traceback.format_exc(), encoding="utf-8")
        finally:
            os._exit(code)
    return pid


def join(pid: int, report: Path) -> bool:
    """Wait for a child: True when it has done its work, False when it was killed with SIGKILL.

    Raises:
        AssertionError: it has failed or was too slow; says why.
    """
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code == 1:
        raise AssertionError(report.read_text(encoding="utf-8"))
    assert code in {0, -signal.SIGKILL}, f"ended by signal {-code}"
    return code == 0


@contextmanager
def quick_folder(otherwise: Path) -> Iterator[Path]:
    """A folder in memory where the machine has one: a kill is no power cut, no disk is needed."""
    memory = Path("/dev/shm")  # noqa: S108 # a folder of its own is made there
    if not os.access(memory, os.W_OK):
        yield otherwise
        return
    with tempfile.TemporaryDirectory(prefix="referee-test-", dir=memory) as folder:
        yield Path(folder)
