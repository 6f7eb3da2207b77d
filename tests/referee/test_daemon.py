"""The daemon: what goes wrong in one thread, what is edited meanwhile, and how it ends."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import structlog
from apscheduler.jobstores.memory import MemoryJobStore
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from adapters.base import Http, ThreadPage
from adapters.errors import AdapterError, BusyError, ForbiddenError, LayoutChangedError
from referee import app as wiring
from referee import daemon as running
from referee.app import App, World
from referee.config import load
from referee.daemon import BROKEN_WAIT, LONGEST_WAIT, Daemon, once
from referee.orders import give
from referee.reload import Reloader
from referee.reports import status
from tests.referee.harness import Mesa
from tests.referee.scripted import Forum, Mill, Standing

ERROR = BusyError("mem:venta", cure="server_error", status=503)


@dataclass
class Village(Mill):
    """Two sites with a thread each: the mill, and the inn, where things go wrong."""

    inn: Forum = field(default_factory=Forum)

    def __post_init__(self) -> None:
        self.inn.clock = self.forum.clock
        super().__post_init__()
        self.inn.post("narradora", "La venta, a mediodía.")
        (self.path / "ventas").mkdir()
        text = self.config.read_text(encoding="utf-8")
        sites, threads = text.split("threads:\n")
        mill = threads.replace("site: mesa", "site: meson").replace("molino", "venta")
        self.config.write_text(
            f"{sites}  meson: {{adapter: folder, base_url: ventas, username: Árbitro}}\n"
            f"polling: {{interval: 60s, jitter: 0}}\nthreads:\n{threads}{mill}",
            encoding="utf-8",
        )

    def edit(self, old: str, new: str) -> None:
        """Edit the config as somebody with an editor does."""
        text = self.config.read_text(encoding="utf-8")
        assert old in text
        self.config.write_text(text.replace(old, new), encoding="utf-8")

    def platform(self, base_url: str, *_: Any, **__: Any) -> Forum:
        return self.inn if base_url.endswith("ventas") else self.forum


@pytest.fixture
def village(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Village:
    it = Village(tmp_path)
    monkeypatch.setitem(wiring.BY_NAME, "folder", it.platform)
    return it


def with_daemon(village: Village, work: Callable[[Daemon], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        app = village.app()
        try:
            return await work(Daemon(app, Reloader(app.config)))
        finally:
            await app.close()

    return asyncio.run(run())


async def tick(daemon: Daemon) -> None:
    """One tick and the visits that it begins."""
    await daemon.tick()
    await asyncio.gather(*daemon.visits.values())


async def status_of(app: App, key: str) -> dict[str, Any]:
    """What ``referee status`` tells of a thread."""
    now = app.world.clock.now()
    told: dict[str, Any] = await app.read(status, key, app.config.threads[key].site, None, now)
    return told


def moment(at: datetime) -> str:
    return at.isoformat(timespec="seconds")


@pytest.mark.parametrize(
    "error",
    [ERROR, LayoutChangedError("mem:venta", cure="send_page_to_maintainers", missing="div.post")],
    ids=lambda error: type(error).__name__,
)
def test_a_thread_whose_forum_fails_stops_no_other(village: Village, error: AdapterError) -> None:
    village.inn.read_errors = [error]

    async def work(daemon: Daemon) -> dict[str, Any]:
        await tick(daemon)
        told = await status_of(daemon.app, "venta")
        assert told["retry"] == moment(daemon.due["venta"])
        assert (await status_of(daemon.app, "molino"))["error"] == {}
        return told

    with structlog.testing.capture_logs() as logs:
        told = with_daemon(village, work)
    assert len(village.forum.texts()) == 1
    assert told["error"]["code"] == type(error).__name__
    assert told["error"]["cure"] == error.cure
    (warning,) = [entry for entry in logs if entry["event"] == "visit_failed"]
    assert warning["thread"] == "venta"


def test_a_fault_of_ours_stops_its_own_thread_and_no_other(village: Village) -> None:
    village.inn.read_errors = [ZeroDivisionError("división")]

    async def work(daemon: Daemon) -> None:
        began = village.clock.now()
        await tick(daemon)
        told = await status_of(daemon.app, "venta")
        assert told["error"]["code"] == "ZeroDivisionError"
        assert told["error"]["cure"] == "see_the_log"
        assert told["retry"] == moment(began + BROKEN_WAIT) == moment(daemon.due["venta"])
        for _ in range(3):
            village.clock.forward(minutes=2)
            await tick(daemon)
        assert daemon.due["venta"] == began + BROKEN_WAIT
        village.clock.forward(minutes=15)
        await tick(daemon)
        assert (await status_of(daemon.app, "venta"))["error"] == {}

    with structlog.testing.capture_logs() as logs:
        with_daemon(village, work)
    (error,) = [entry for entry in logs if entry["event"] == "thread_broken"]
    assert error["thread"] == "venta"
    assert error["exc_info"]
    assert len(village.forum.texts()) == len(village.inn.texts()) == 1


def test_a_forum_that_names_its_wait_is_left_alone_for_so_long(village: Village) -> None:
    village.inn.read_errors = [BusyError("mem:venta", cure="too_many_requests", wait_s=400)]

    async def work(daemon: Daemon) -> None:
        began = village.clock.now()
        await tick(daemon)
        assert (await status_of(daemon.app, "venta"))["retry"] == moment(
            began + timedelta(seconds=400)
        )
        asked = len(village.inn.asked)
        village.clock.forward(seconds=399)
        await tick(daemon)
        assert len(village.inn.asked) == asked
        village.clock.forward(seconds=1)
        await tick(daemon)
        assert len(village.inn.asked) > asked

    with_daemon(village, work)


def test_waits_grow_to_an_hour_and_end_with_the_first_success(village: Village) -> None:
    async def work(daemon: Daemon) -> list[float]:
        waits = []
        for _ in range(10):
            village.inn.read_errors = [ERROR]
            await daemon.serve("venta")
            waits.append((daemon.due["venta"] - village.clock.now()).total_seconds())
            village.clock.moment = daemon.due["venta"]
        await daemon.serve("venta")
        assert daemon.due["venta"] == village.clock.now() + timedelta(seconds=60)
        told = await status_of(daemon.app, "venta")
        assert (told["error"], told["retry"]) == ({}, None)
        village.inn.read_errors = [ERROR]
        await daemon.serve("venta")
        assert daemon.due["venta"] == village.clock.now() + timedelta(seconds=30)
        return waits

    waits = with_daemon(village, work)
    assert waits[:4] == [30, 60, 120, 240]
    assert waits == sorted(waits)
    assert waits[-1] == LONGEST_WAIT.total_seconds()


def test_a_wait_that_a_forum_names_is_for_all_its_threads(village: Village) -> None:
    village.edit("site: meson", "site: mesa")
    village.forum.read_errors = [BusyError("mem:", cure="too_many_requests", wait_s=400)]

    async def work(daemon: Daemon) -> None:
        await daemon.serve("molino")
        give(daemon.app, "venta", "pausa", wait_s=0)
        asked = len(village.forum.asked)
        village.clock.forward(seconds=399)
        await tick(daemon)
        assert len(village.forum.asked) == asked
        village.clock.forward(seconds=1)
        await tick(daemon)
        assert (await status_of(daemon.app, "venta"))["state"] == "paused"

    with_daemon(village, work)


def test_a_wait_survives_a_restart(village: Village) -> None:
    village.inn.read_errors = [BusyError("mem:venta", cure="too_many_requests", wait_s=400)]
    with_daemon(village, tick)
    asked = len(village.inn.asked)
    village.clock.forward(seconds=60)
    with_daemon(village, tick)
    assert len(village.inn.asked) == asked
    village.clock.forward(seconds=340)
    with_daemon(village, tick)
    assert len(village.inn.asked) > asked


def test_other_troubles_are_tried_again_at_once_after_a_restart(village: Village) -> None:
    """Whoever restarts has mended something: only what the forum itself asked for is kept."""
    village.inn.read_errors = [ForbiddenError("mem:venta", cure="check_password")]
    with_daemon(village, tick)
    with_daemon(village, tick)
    assert len(village.inn.texts()) == 1


def test_one_visit_to_every_thread_tells_what_went_wrong(village: Village) -> None:
    village.inn.read_errors = [ForbiddenError("mem:venta", cure="check_permissions")]

    async def work(daemon: Daemon) -> dict[str, Any]:
        return await once(daemon.app)

    report = with_daemon(village, work)
    assert report["molino"] == {}
    assert report["venta"]["code"] == "ForbiddenError"


def test_an_edit_of_the_config_takes_effect_without_a_restart(village: Village) -> None:
    async def work(daemon: Daemon) -> None:
        await tick(daemon)
        assert daemon.due["molino"] == village.clock.now() + timedelta(seconds=60)
        village.edit("interval: 60s", "interval: 5m")
        village.edit("deadline: 48h", "deadline: 24h")
        await tick(daemon)
        assert daemon.due["molino"] == village.clock.now() + timedelta(minutes=5)
        village.post("narradora", "Empieza. [árbitro: iniciar]")
        village.clock.forward(minutes=5)
        await tick(daemon)
        told = await status_of(daemon.app, "molino")
        assert told["deadline"] == moment(village.clock.now() + timedelta(hours=24))

    with structlog.testing.capture_logs() as logs:
        with_daemon(village, work)
    assert [entry["event"] for entry in logs if "config" in entry["event"]] == ["config_reloaded"]


def test_a_site_that_was_edited_gets_a_new_client_and_the_old_one_is_closed_in_the_end(
    village: Village,
) -> None:
    async def work(daemon: Daemon) -> None:
        await tick(daemon)
        village.edit("username: Árbitro}\npolling", "username: Juez}\npolling")
        await tick(daemon)
        assert village.http.closed == 0

    with_daemon(village, work)
    assert village.http.closed == 3


def test_a_thread_that_the_config_no_longer_has_is_left_alone(village: Village) -> None:
    async def work(daemon: Daemon) -> None:
        await tick(daemon)
        asked = len(village.inn.asked)
        text = village.config.read_text(encoding="utf-8")
        village.config.write_text(text.partition("  venta:")[0], encoding="utf-8")
        village.clock.forward(minutes=5)
        await tick(daemon)
        assert len(village.inn.asked) == asked
        assert set(daemon.due) == {"molino"}

    with_daemon(village, work)


def test_a_thread_may_leave_the_config_while_it_is_being_visited(village: Village) -> None:
    async def work(daemon: Daemon) -> None:
        await tick(daemon)
        village.clock.forward(minutes=5)
        with held_up(village.inn, ERROR) as held:
            visit = asyncio.create_task(daemon.serve("venta"))
            await held.arrived.wait()
            text = village.config.read_text(encoding="utf-8")
            village.config.write_text(text.partition("  venta:")[0], encoding="utf-8")
            await tick(daemon)
            held.go_on.set()
            await visit

    with_daemon(village, work)


def test_a_broken_edit_keeps_the_last_good_config_and_says_where(village: Village) -> None:
    async def work(daemon: Daemon) -> None:
        await tick(daemon)
        village.edit("interval: 60s", "interval: deprisa")
        village.edit("deadline: 48h", "deadline: 24h")
        village.clock.forward(minutes=1)
        await tick(daemon)
        assert daemon.due["molino"] == village.clock.now() + timedelta(seconds=60)
        await tick(daemon)
        village.edit("interval: deprisa", "interval: 5m")
        await tick(daemon)
        assert daemon.due["molino"] == village.clock.now() + timedelta(minutes=5)

    with structlog.testing.capture_logs() as logs:
        with_daemon(village, work)
    kept, taken = [entry for entry in logs if "config" in entry["event"]]
    assert (kept["event"], taken["event"]) == ("config_kept", "config_reloaded")
    text = village.config.read_text(encoding="utf-8").splitlines()
    line = 1 + next(number for number, words in enumerate(text) if "interval: 5m" in words)
    (problem,) = kept["problems"]
    assert problem.startswith(f"{village.config}:{line}: ")
    assert "polling.interval" in problem


def test_threads_are_read_less_often_at_night(village: Village) -> None:
    village.edit("jitter: 0}", 'jitter: 0, night: {hours: "01:00-07:00", interval: 15m}}')

    async def interval(daemon: Daemon) -> timedelta:
        await tick(daemon)
        return daemon.due["molino"] - village.clock.now()

    # By the clock of Madrid, which in November is an hour before that of UTC.
    for hour, minutes in ((23, 1), (0, 15), (5, 15), (6, 1)):
        village.clock.moment = datetime(2026, 12, 1, hour, 30, tzinfo=UTC)
        assert with_daemon(village, interval) == timedelta(minutes=minutes)


def test_visits_are_spread_by_the_jitter(village: Village) -> None:
    village.edit("jitter: 0}", "jitter: 0.5}")

    async def work(daemon: Daemon) -> set[timedelta]:
        lengths = set()
        for _ in range(20):
            await daemon.serve("molino")
            lengths.add(daemon.due["molino"] - village.clock.now())
        return lengths

    lengths = with_daemon(village, work)
    assert len(lengths) > 10
    assert all(timedelta(seconds=30) <= length <= timedelta(seconds=90) for length in lengths)


@dataclass
class Held:
    """A forum that lets a reader wait at its door."""

    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)


@contextmanager
def held_up(forum: Forum, error: AdapterError | None = None) -> Iterator[Held]:
    """Hold the next reader up; let it go on to an error where one is given."""
    held, fetch = Held(), forum.fetch

    async def wait(http: Http, url: str, *, conditional: bool = False) -> ThreadPage | None:
        held.arrived.set()
        await held.go_on.wait()
        if error is not None:
            raise error
        return await fetch(http, url, conditional=conditional)

    forum.fetch = wait
    try:
        yield held
    finally:
        forum.fetch = fetch


def test_a_daemon_that_is_told_to_stop_finishes_the_visit_under_way(village: Village) -> None:
    stopped: list[Standing] = []

    async def work(daemon: Daemon) -> None:
        with held_up(village.forum) as held:
            run = asyncio.create_task(daemon.run())
            await held.arrived.wait()
            daemon.stop()
            # Whoever is told to stop has not stopped: the visit still stands at the door.
            await asyncio.wait([run], timeout=0)
            assert not run.done()
            stopped.extend(village.forum.posts)
            held.go_on.set()
            await run
        assert daemon.visits == {}

    with_daemon(village, work)
    assert len(stopped) == 1
    assert len(village.forum.texts()) == 1
    assert [row.state for row in village.read(lambda records: records.outbox("molino"))] == [
        "posted"
    ]


def test_the_schedule_is_in_memory_alone(village: Village, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two schedulers on one job store fire twice: what is due stands in our own tables."""
    made: list[AsyncIOScheduler] = []

    class Seen(AsyncIOScheduler):
        """Keeps itself, to be looked at."""

        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            made.append(self)

    monkeypatch.setattr(running, "AsyncIOScheduler", Seen)

    async def work(daemon: Daemon) -> None:
        ready = asyncio.Event()
        run = asyncio.create_task(daemon.run(ready=ready.set))
        await ready.wait()
        (scheduler,) = made
        (job,) = scheduler.get_jobs()
        assert (job.id, job.max_instances, job.coalesce) == ("tick", 1, True)
        assert isinstance(scheduler._lookup_jobstore("default"), MemoryJobStore)  # noqa: SLF001 - nothing public tells it
        daemon.stop()
        await run
        names = sa.inspect(daemon.app.store.engine).get_table_names()
        assert not [name for name in names if "job" in name]

    with_daemon(village, work)


def at_the_inn(village: Village, more: str) -> None:
    """Say something more of the inn's site."""
    village.edit("base_url: ventas,", f"base_url: ventas, {more},")


def test_a_site_is_left_in_peace_in_its_quiet_hours(village: Village) -> None:
    at_the_inn(village, 'quiet: "01:00-08:00"')

    async def asked(daemon: Daemon) -> tuple[int, int]:
        before = len(village.forum.asked), len(village.inn.asked)
        daemon.due.clear()
        await tick(daemon)
        after = len(village.forum.asked), len(village.inn.asked)
        return after[0] - before[0], after[1] - before[1]

    # By the clock of Madrid, which in November is an hour before that of UTC.
    for hour, inn_is_read in ((23, True), (0, False), (3, False), (6, False), (7, True)):
        village.clock.moment = datetime(2026, 12, 1, hour, 1, tzinfo=UTC)
        mill, inn = with_daemon(village, asked)
        assert mill > 0
        assert (inn > 0) is inn_is_read


def test_quiet_hours_are_by_the_clock_of_the_thread(village: Village) -> None:
    at_the_inn(village, 'quiet: "01:00-08:00"')
    text = village.config.read_text(encoding="utf-8")
    head, inn = text.rsplit("site: meson", 1)
    inn = f"site: meson\n    timezone: America/Mexico_City{inn}"
    village.config.write_text(head + inn, encoding="utf-8")
    village.clock.moment = datetime(2026, 12, 1, 3, tzinfo=UTC)  # nine in the evening there

    async def asked(daemon: Daemon) -> int:
        await tick(daemon)
        return len(village.inn.asked)

    assert with_daemon(village, asked) > 0


def test_a_command_is_carried_out_in_quiet_hours_too(village: Village) -> None:
    at_the_inn(village, 'quiet: "01:00-08:00"')

    async def asked(daemon: Daemon) -> int:
        await tick(daemon)
        village.clock.moment = datetime(2026, 12, 1, 3, tzinfo=UTC)
        await tick(daemon)
        before = len(village.inn.asked)
        give(daemon.app, "venta", "pausa", wait_s=0)
        await tick(daemon)
        return len(village.inn.asked) - before

    assert with_daemon(village, asked) > 0


@pytest.mark.parametrize("cure", sorted(running.STOPS))
def test_what_only_a_person_can_mend_is_not_tried_again_soon(village: Village, cure: str) -> None:
    village.inn.read_errors = [ForbiddenError("mem:venta", cure=cure)]

    async def wait(daemon: Daemon) -> timedelta:
        await tick(daemon)
        assert (await status_of(daemon.app, "venta"))["error"]["cure"] == cure
        return daemon.due["venta"] - village.clock.now()

    assert with_daemon(village, wait) == LONGEST_WAIT


def test_a_site_that_wants_no_programs_is_asked_for_nothing(village: Village) -> None:
    village.http.closed_to_programs = True
    village.inn.capabilities = replace(village.inn.capabilities, remote=True)
    village.forum.capabilities = replace(village.forum.capabilities, remote=False)

    async def told(daemon: Daemon) -> str:
        await tick(daemon)
        cure: str = (await status_of(daemon.app, "venta"))["error"]["cure"]
        return cure

    assert with_daemon(village, told) == "robots_disallow"
    assert village.inn.asked == []
    assert village.forum.asked != []


def test_two_sites_on_one_host_share_its_pace(tmp_path: Path) -> None:
    mesa = Mesa(tmp_path)
    mesa.write_config(
        {
            "sites:\n": "sites:\n"
            "  uno: {adapter: phpbb, base_url: 'http://foro.test/a', username: A,"
            " password_env: CLAVE, rate: 0.5, allow_private: true}\n"
            "  otro: {adapter: phpbb, base_url: 'http://foro.test/b', username: A,"
            " password_env: CLAVE, rate: 0.1, allow_private: true,"
            " ignore_robots_because: permiso de la casa}\n"
        }
    )
    config = load(mesa.config)

    async def paces() -> set[tuple[float, bool]]:
        app = App(config, World(environ={"CLAVE": "x"}))
        try:
            desks = [app.site_desk(name) for name in ("uno", "otro")]
            assert desks[0].http._pace is desks[1].http._pace  # noqa: SLF001 - nobody else tells
            return {
                (desk.http._pace.of("foro.test").time_period, desk.http._manners.robots)  # noqa: SLF001 - likewise
                for desk in desks
            }
        finally:
            await app.close()

    assert asyncio.run(paces()) == {(10, True), (10, False)}
