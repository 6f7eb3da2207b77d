"""The daemon: one scheduler, one tick, visits side by side.

``tick`` looks which threads are due and visits them; a site's threads are visited one after the
other, different sites at the same time. What goes wrong with one thread or site is kept with it,
with the moment of the next try, and stops no other.
"""

import asyncio
import logging
import random
import signal
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final

import sdnotify  # type: ignore[import-untyped] # 60 lines without types
import structlog
from apscheduler.schedulers.asyncio import (  # type: ignore[import-untyped] # 3.x has none
    AsyncIOScheduler,
)

from adapters.errors import AdapterError
from referee import beacons
from referee.app import App
from referee.deadlines import quiet_until
from referee.errors import RefereeError
from referee.reload import Reloader
from referee.settings import Log, Site, Thread
from referee.storage.records import Records
from referee.visiting import Look, look_round, visit

log = structlog.get_logger(__name__)

TICK_S: Final = 1.0
FIRST_WAIT: Final = timedelta(seconds=30)
LONGEST_WAIT: Final = timedelta(hours=1)
# An error of our own is no weather: the thread rests until somebody can have seen it.
BROKEN_WAIT: Final = timedelta(minutes=15)
DRAIN_S: Final = 30.0
# What only a person can mend is not tried again soon: each try looks like an attack to the forum.
STOPS: Final = frozenset(
    {"age_wall", "browser_check", "check_key", "check_password", "consent_wall", "robots_disallow",
     "second_factor", "solve_captcha"}
)  # fmt: skip
# ``referee status`` tells when a thread was last read, to the minute.
TELL_EVERY: Final = timedelta(minutes=1)
_LONG_AGO: Final = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class Daemon:
    """Runs an app until it is told to stop.

    Attributes:
        app: The referee.
        reloader: Watches the config; None for one that never changes.
        due: When each thread is next visited.
        visits: Visits under way.
        failing: Threads whose last visit failed.
        rested: Threads whose last visit ended without news.
        told: When the store was last told that a thread has been read.
        rests: Until when sites have asked to be left in peace; None before the store was asked.
        lighting: Asks for beacons that rounds wait for; None while nobody asks.
        light_due: When that is next done for a thread.
    """

    app: App
    reloader: Reloader | None = None
    due: dict[str, datetime] = field(default_factory=dict)
    visits: dict[str, "asyncio.Task[None]"] = field(default_factory=dict)
    failing: set[str] = field(default_factory=set)
    rested: set[str] = field(default_factory=set)
    told: dict[str, datetime] = field(default_factory=dict)
    rests: dict[str, datetime] | None = None
    lighting: "asyncio.Task[None] | None" = None
    light_due: dict[str, datetime] = field(default_factory=dict)
    _stopping: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, ready: Callable[[], None] | None = None) -> None:
        """Serve until SIGTERM, SIGINT or ``stop``; visits under way are finished first."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stop)
        # Memory only: what is due is in the database, and two schedulers on one store fire twice.
        scheduler = AsyncIOScheduler(timezone=UTC)
        scheduler.add_job(
            self.tick,
            "interval",
            seconds=TICK_S,
            id="tick",
            max_instances=1,
            coalesce=True,
            misfire_grace_time=None,
            next_run_time=datetime.now(UTC),
        )
        scheduler.start()
        if ready is not None:
            ready()
        try:
            await self._stopping.wait()
        finally:
            scheduler.pause()
            # The scheduler's own shutdown cancels coroutines in the middle of a post: drain first.
            running = [*self.visits.values(), *([self.lighting] if self.lighting else [])]
            if running:
                await asyncio.wait(running, timeout=DRAIN_S)
            scheduler.shutdown(wait=False)

    def stop(self) -> None:
        """Ask ``run`` to end."""
        self._stopping.set()

    async def tick(self) -> None:
        """Take up a changed config and begin the visits that are due."""
        if self.reloader is not None and self.reloader.poll():
            self._reload(self.reloader)
        now = self.app.world.clock.now()
        if self.rests is None:
            self.rests = await self.app.read(_rests)
        look = await self.app.read(look_round, now)
        self._begin_to_light(look, now)
        for key, thread in self.app.config.threads.items():
            if key in self.visits or self.rests.get(thread.site, now) > now:
                continue
            # Who has given a command waits for its answer; a forum in trouble is left in peace.
            called = key in look.ordered and key not in self.failing
            is_due = self.due.get(key, now) <= now and self._quiet_until(thread, now) is None
            if called or is_due:
                known = look if key in self.rested else None
                task = asyncio.create_task(self.serve(key, known), name=f"visit {key}")
                self.visits[key] = task
                task.add_done_callback(partial(self._visited, key))

    def _quiet_until(self, thread: Thread, now: datetime) -> datetime | None:
        """The end of the site's quiet hours, if it is night there for the thread."""
        quiet = self.app.config.sites[thread.site].quiet
        return None if quiet is None else quiet_until(now, quiet, thread.zone)

    def _visited(self, key: str, task: "asyncio.Task[None]") -> None:
        del task
        self.visits.pop(key, None)

    def _begin_to_light(self, look: Look, now: datetime) -> None:
        """Ask for the beacons that are due, beside all visits."""
        self.light_due = {key: due for key, due in self.light_due.items() if key in look.unlit}
        unlit = [
            key
            for key in self.app.config.threads
            if key in look.unlit and self.light_due.get(key, now) <= now
        ]
        if unlit and self.lighting is None:
            self.lighting = asyncio.create_task(self.light(unlit), name="beacon")
            self.lighting.add_done_callback(self._lit)

    def _lit(self, task: "asyncio.Task[None]") -> None:
        del task
        self.lighting = None

    async def light(self, keys: Iterable[str]) -> None:
        """Ask for the beacons that these threads' rounds wait for, and set when to ask again."""
        for key in keys:
            try:
                await self._light(key)
            except Exception:
                # As with visits: this thread's round waits, all others go on.
                self.light_due[key] = self.app.world.clock.now() + BROKEN_WAIT
                log.exception("beacon_broken", thread=key)

    async def _light(self, key: str) -> None:
        now = self.app.world.clock.now()
        found: beacons.Waiting | None = await self.app.read(beacons.waiting, key)
        if found is None:
            return
        self.light_due[key] = beacons.due_at(found.number)
        if self.light_due[key] > now:
            return
        referee_id = await self.app.read(_referee_id, self.app.config.threads[key].site)
        table = self.app.table(key, referee_id)
        try:
            signature = await self.app.beacon_desk().value(found.number)
        except beacons.NoBeaconError as error:
            again: datetime = await self.app.write(
                key, "beacon missed", beacons.missed, now, error.facts
            )
            self.light_due[key] = again
            log.warning("beacon_missed", thread=key, again_at=str(again), **error.facts)
            if await self.app.write(key, "tell of beacon", beacons.tell, table, now):
                self._call(key, now)
            return
        self.app.world.reached("receive beacon")
        await self.app.write(key, "beacon", beacons.keep, table, now, found, signature)
        self._call(key, now)

    def _call(self, key: str, now: datetime) -> None:
        """Visit a thread at the next tick, and let it look for itself: something has changed."""
        self.due[key] = now
        self.rested.discard(key)

    def _reload(self, reloader: Reloader) -> None:
        if reloader.problems:
            log.error(
                "config_kept",
                problems=[f"{p.file}:{p.line}: {p.field} {p.code}" for p in reloader.problems],
                exc_info=reloader.crash,
            )
            return
        self.app.use(reloader.config)
        self.due.clear()
        self.rested.clear()  # other words or policies may change what a thread should say
        log.info("config_reloaded", threads=len(reloader.config.threads))

    async def serve(self, key: str, look: Look | None = None) -> None:
        """Visit a thread, keep what went wrong, and set its next visit."""
        thread = self.app.config.threads[key]
        site = self.app.config.sites[thread.site]
        now = self.app.world.clock.now()
        self.rested.discard(key)
        try:
            with structlog.contextvars.bound_contextvars(thread=key, site=site.name):
                happened = await visit(self.app.thread_desk(key), look)
                self._tell_replaced(key)
                if key in self.failing or now - self.told.get(key, _LONG_AGO) >= TELL_EVERY:
                    await self.app.write(key, "served", _served, now)
                    self.failing.discard(key)
                    self.told[key] = now
        except AdapterError as error:
            asked = None if error.wait_s is None else timedelta(seconds=error.wait_s)
            stop = LONGEST_WAIT if error.cure in STOPS else None
            wait = await self._failed(thread, facts_of(error), now, wait=stop, asked=asked)
            log.warning("visit_failed", thread=key, error=str(error), again_in=str(wait))
        except RefereeError as error:
            await self._failed(thread, own_facts(error), now, wait=BROKEN_WAIT)
            log.error("visit_failed", thread=key, error=str(error))  # noqa: TRY400 # its text says all
        except Exception as error:
            # The one place where any error ends: this thread stops, the others go on.
            await self._failed(thread, own_facts(error), now, wait=BROKEN_WAIT)
            log.exception("thread_broken", thread=key)
        else:
            log.debug("visited", thread=key, news=happened)
            if not happened:
                self.rested.add(key)
            self.due[key] = now + self._interval(site, now)

    def _tell_replaced(self, key: str) -> None:
        """Log templates of the game master's that broke, once; ours stood in."""
        for problem in self.app.replaced_templates(key):
            log.warning(
                "template_replaced",
                template=problem.name,
                line=problem.line,
                problem=problem.code,
                detail=problem.detail,
            )

    async def _failed(
        self,
        thread: Thread,
        facts: dict[str, Any],
        now: datetime,
        *,
        wait: timedelta | None = None,
        asked: timedelta | None = None,
    ) -> timedelta:
        """Keep what went wrong and when to try again; a wait that a forum asks for is the site's.

        The thread is handed in: the config may have lost it during the visit.
        """
        failure = Failure(thread.site, thread.topic, facts, now, wait, asked)
        found: timedelta = await self.app.write(thread.key, "failed", _failed, failure)
        self.failing.add(thread.key)
        self.due[thread.key] = now + found
        if asked is not None and self.rests is not None:
            self.rests[thread.site] = now + asked
        return found

    def _interval(self, site: Site, now: datetime) -> timedelta:
        polling = self.app.config.polling
        interval = site.interval
        if polling.night is not None and polling.night.hours.holds(
            now.astimezone(self.app.config.zone).time()
        ):
            interval = max(interval, polling.night.interval)
        spread = random.uniform(-polling.jitter, polling.jitter)  # noqa: S311 # manners, not dice
        return interval * (1 + spread)


async def once(app: App) -> dict[str, Any]:
    """Visit every thread one time; returns by thread whether it had news, or what went wrong."""
    daemon = Daemon(app)
    look = await app.read(look_round, app.world.clock.now())
    await daemon.light(key for key in app.config.threads if key in look.unlit)
    await asyncio.gather(*(daemon.serve(key) for key in app.config.threads))
    report = {}
    with app.store.reading() as records:
        for key in app.config.threads:
            row = records.thread(key)
            report[key] = dict(row.error) if row is not None else {"code": "never_read"}
    return report


def facts_of(error: AdapterError) -> dict[str, Any]:
    """An adapter's error as it is kept with a thread: nothing secret, nothing of the page."""
    facts = {name: str(value) for name, value in error.facts.items()}
    return {
        **facts,
        "code": type(error).__name__,
        "cure": error.cure,
        "url": error.url,
        "retry": error.retry,
    }


def own_facts(error: Exception) -> dict[str, Any]:
    """An error of ours: its type and what it says of itself."""
    return {
        "code": type(error).__name__,
        "cure": getattr(error, "cure", "see_the_log"),
        "detail": str(error)[:300],
    }


def _served(records: Records, thread: str, now: datetime) -> None:
    records.set_thread(thread, failures=0, error={}, retry_at=None, read_at=now)


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong with a visit.

    Attributes:
        site: Of the thread.
        topic: Of the thread.
        facts: What is kept and shown.
        at: When the visit began.
        wait: Until the next try; None for one that grows with each failure.
        asked: How long the site asked to be left in peace, where it did.
    """

    site: str
    topic: str
    facts: dict[str, Any]
    at: datetime
    wait: timedelta | None
    asked: timedelta | None


def _failed(records: Records, thread: str, failure: Failure) -> timedelta:
    row = records.thread(thread)
    if row is None:
        records.add_thread(thread, failure.site, failure.topic)
    failures = 1 if row is None else row.failures + 1
    wait = failure.wait or min(FIRST_WAIT * (1 << min(failures - 1, 12)), LONGEST_WAIT)
    if failure.asked is not None:
        wait = max(wait, failure.asked)
        records.set_site(failure.site, retry_at=failure.at + failure.asked)
    records.set_thread(thread, failures=failures, error=failure.facts, retry_at=failure.at + wait)
    return wait


def _referee_id(records: Records, site: str) -> str:
    row = records.site(site)
    return "" if row is None else row.referee_id


def _rests(records: Records) -> dict[str, datetime]:
    """Until when sites have asked to be left in peace, as it was kept over a restart."""
    return {row.name: row.retry_at for row in records.sites() if row.retry_at is not None}


async def serve(app: App) -> None:
    """Run the daemon on a config file that may be edited meanwhile, and tell systemd about it."""
    set_up_logging(app.config.log)
    notifier = sdnotify.SystemdNotifier()
    try:
        await Daemon(app, Reloader(app.config)).run(ready=lambda: notifier.notify("READY=1"))
    finally:
        notifier.notify("STOPPING=1")
        await app.close()


def set_up_logging(settings: Log) -> None:
    """Key=value lines or JSON lines, to the standard error stream or to a file."""
    stream = sys.stderr if settings.file is None else settings.file.open("a", encoding="utf-8")
    render: Any = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if settings.json_lines
        else structlog.dev.ConsoleRenderer(colors=stream.isatty())
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            render,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(
            getattr(logging, settings.level.upper())
        ),
        logger_factory=structlog.PrintLoggerFactory(stream),
    )
