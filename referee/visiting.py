"""One visit to a thread: send what waits, read what is new, act on it, send the answer.

A visit can die at any instruction and be begun again: every step is a transaction of its own, and
``posting`` finds out what became of a post whose answer never came.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Protocol, TypeVar

import structlog

from adapters.base import Adapter, Http, Letter, Mailbox, page_of
from adapters.errors import AdapterError, LoggedOutError
from referee import reading
from referee.clock import Clock
from referee.posting import Channel, deliver, hear_moderators, recognise
from referee.progress import Progress, something_due, step
from referee.rounds import heard_so_far
from referee.storage.records import Records, RoundRow, ThreadRow
from referee.table import Note, Sitting, Table, situation
from rulesets.core.declarations import fold

T = TypeVar("T")
log = structlog.get_logger(__name__)

# A visit that would go on longer is finished at the next one; a thread never starves the others.
MAX_TURNS = 30
# How often the last two pages are read whole although nothing seems new: some forums do not tell
# of an edit in any other way.
LOOK_BACK = timedelta(minutes=10)
# But at most every so many visits: else two pages would be the rule where visits are rare.
LOOK_BACK_VISITS = 10
# A thread that has waited its turn for longer than this looks for itself again.
LOOK_HOLDS = timedelta(seconds=2)


class Client(Http, Protocol):
    """The polite client with its memory of what has been read."""

    async def permit(self, url: str) -> None:
        """Make sure that the site lets programs read an address; raises ``ForbiddenError``."""
        ...

    def confirm(self, url: str) -> None:
        """What the last reading of an address told is safe in the database."""
        ...

    def forget(self, url: str) -> None:
        """Read an address whole next time."""
        ...

    def forget_session(self) -> None:
        """Drop all cookies."""
        ...

    def export(self) -> dict[str, Any]:
        """Cookies and validators as plain data."""
        ...

    async def aclose(self) -> None:
        """Close all connections."""
        ...


@dataclass(slots=True)
class SiteDesk:
    """A site at work: its adapter, its client, and one visit at a time.

    ``secretive`` are the authors who have said in a thread's open round that they declare by
    private message: only while there are any is the mailbox looked into. ``mailbox_fault`` says why
    that was in vain the last time; empty where it was not.
    """

    name: str
    adapter: Adapter
    http: Client
    referee_id: str = ""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    secretive: dict[str, frozenset[str]] = field(default_factory=dict)
    mailbox_fault: str = ""


@dataclass(frozen=True, slots=True)
class ThreadDesk:
    """A thread at work.

    Attributes:
        key: Its key in the config.
        topic: The topic as the config gives it.
        site: Its site.
        table: Everything that its rounds need, for the referee's own id on the site.
        write: Runs a function in a named transaction on the database's thread.
        clock: Tells the time.
        reached: Hears checkpoints.
    """

    key: str
    topic: str
    site: SiteDesk
    table: Callable[[str], Table]
    write: Callable[..., Awaitable[Any]]
    clock: Clock
    reached: Callable[[str], None]


async def logged_in(desk: ThreadDesk, call: Callable[[], Awaitable[T]]) -> T:
    """Run a call; where the session has died, log in once and run it again."""
    site = desk.site
    if not site.referee_id:
        await log_in(desk)
    try:
        return await call()
    except LoggedOutError:
        site.http.forget_session()
        await log_in(desk)
        return await call()


async def log_in(desk: ThreadDesk) -> None:
    """Log in and keep who we are with the new session."""
    site = desk.site
    site.referee_id = await site.adapter.login(site.http)
    desk.reached("logged in")
    await _keep_session(desk)


async def _keep_session(desk: ThreadDesk) -> None:
    site = desk.site
    await desk.write("keep session", _set_session, site.name, site.referee_id, site.http.export())


def _set_session(
    records: Records, thread: str, name: str, referee_id: str, session: dict[str, Any]
) -> None:
    del thread
    row = records.site(name)
    if row is None or row.session != session or row.referee_id != referee_id:
        records.set_site(name, session=session, referee_id=referee_id)


@dataclass(frozen=True, slots=True)
class Look:
    """What the store held at a moment, in one look for all threads.

    Attributes:
        at: The moment.
        calm: Rows of the threads for which nothing waited and nothing was due.
        ordered: Threads for which a command was given at the command line.
        unlit: Threads whose round waits for its beacon.
    """

    at: datetime
    calm: Mapping[str, ThreadRow]
    ordered: frozenset[str]
    unlit: frozenset[str]


def look_round(records: Records, now: datetime) -> Look:
    """Look at all threads at once, which costs hardly more than to look at one."""
    glances = records.glances()
    calm = (g.thread for g in glances if not g.waits and not something_due(records, g, now))
    return Look(
        at=now,
        calm={row.key: row for row in calm},
        ordered=frozenset(g.thread.key for g in glances if g.ordered),
        unlit=frozenset(g.thread.key for g in glances if g.status == "locked" and not g.lock_input),
    )


async def visit(desk: ThreadDesk, look: Look | None = None) -> bool:
    """Serve a thread as far as it goes now; True when anything happened.

    Args:
        desk: The thread.
        look: A look at all threads made just now, by somebody whose last visit to this one ended
            without news: a calm thread on a page without news is then left alone.

    Raises:
        AdapterError: the forum did not let us; the next visit goes on from here.
    """
    async with desk.site.lock:
        await permit(desk.site, desk.topic)
        return await logged_in(desk, lambda: _visit(desk, look))


async def permit(site: SiteDesk, topic: str) -> None:
    """Make sure that a site lets programs read a topic.

    Raises:
        ForbiddenError: its robots.txt does not.
        GoneError: no topic's address.
    """
    if site.adapter.capabilities.remote:
        await site.http.permit(page_of(site.adapter, topic))


def _glance(
    records: Records, thread: str, site: str, topic: str, now: datetime
) -> tuple[ThreadRow, bool]:
    """The thread's row, and whether there is work for it whatever the forum says."""
    found = records.glance(thread)
    if found is None:
        records.add_thread(thread, site, topic)
        return _row(records, thread), True
    return found.thread, found.waits or something_due(records, found, now)


async def _state(desk: ThreadDesk, look: Look | None) -> tuple[ThreadRow, bool]:
    """The thread's row and whether there is work for it, from the look if it is still true.

    A visit that died may have left undone what shows in no row and in no post (a status post that
    is out of date, a round that could lock). So only a look spares a thread.
    """
    now = desk.clock.now()
    row = look.calm.get(desk.key) if look is not None and now - look.at <= LOOK_HOLDS else None
    if row is not None:
        return row, False
    row, work = await desk.write("glance", _glance, desk.site.name, desk.topic, now)
    return row, work or look is None


async def _visit(desk: ThreadDesk, look: Look | None) -> bool:
    row, work = await _state(desk, look)
    happened = False
    if work:
        happened = await deliver(_channel(desk)) > 0
        row = await desk.write("look at the thread", _row)
    for _ in range(MAX_TURNS):
        now = desk.clock.now()
        thorough = _should_look_back(row, now)
        found = await _fetch(desk, row, thorough=thorough)
        known = not found.pages or (not thorough and _is_known(row, found))
        brought = await _letters(desk)
        if known and not work and not happened and not brought:
            break  # nothing is new there, and nothing here has come due
        seen = await _keep(desk, row, found, thorough=thorough)
        if await _secrets_announced(desk):
            brought = await _letters(desk) or brought
        acted = await _act(desk, fresh=bool(seen) and await _all_seen(desk, seen))
        sent = await deliver(_channel(desk)) if acted or work else 0
        happened = happened or bool(seen) or brought or acted or sent > 0
        if not sent:
            break
        row = await desk.write("look at the thread", _row)
    if happened:
        await _keep_session(desk)
    return happened


def _should_look_back(row: ThreadRow, now: datetime) -> bool:
    """Whether the last two pages are to be read whole this time."""
    if row.looked_back_at is None or row.read_at is None:
        return True
    pause = max(LOOK_BACK, LOOK_BACK_VISITS * (now - row.read_at))
    return now - row.looked_back_at >= pause


def _is_known(row: ThreadRow, found: reading.Reading) -> bool:
    """Whether a forum that cannot say "unchanged" has sent the page that is kept already."""
    page = found.pages[0]
    return (
        len(found.pages) == 1
        and page.url == row.cursor_url
        and page.digest != ""
        and page.digest == row.page_digest
    )


def _row(records: Records, thread: str) -> ThreadRow:
    row = records.thread(thread)
    if row is None:
        raise LookupError(thread)
    return row


def _table(desk: ThreadDesk) -> Table:
    """The thread's table, which knows whether the mailbox can be read just now."""
    table = desk.table(desk.site.referee_id)
    if not desk.site.mailbox_fault:
        return table
    return replace(table, telling=replace(table.telling, letters="failing"))


async def _act(desk: ThreadDesk, *, fresh: bool) -> bool:
    """Make every transition that is due."""
    acted = False
    while True:
        progress = await desk.write("step", _step, _table(desk), desk.clock.now(), fresh)
        if progress is Progress.NOTHING:
            await _secrets_announced(desk)
            return acted
        acted = True
        if progress is Progress.REREAD:
            await _reread(desk)
            fresh = True


def _step(records: Records, thread: str, table: Table, now: datetime, fresh: bool) -> Progress:  # noqa: FBT001 # crosses a thread boundary by position
    del thread
    return step(Sitting(records, table, now), fresh=fresh)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a reading brought, and which pages it has seen."""

    merged: reading.Merged
    pages: frozenset[str]
    at_end: bool

    def __bool__(self) -> bool:
        return bool(self.merged)


async def _fetch(
    desk: ThreadDesk, row: ThreadRow, *, thorough: bool = False, back_to: str = ""
) -> reading.Reading:
    return await reading.read(
        desk.site.adapter,
        desk.site.http,
        row,
        desk.clock.now(),
        desk.reached,
        thorough=thorough,
        back_to=back_to,
    )


async def _keep(
    desk: ThreadDesk, row: ThreadRow, found: reading.Reading, *, thorough: bool = False
) -> _Seen:
    """Put a reading into the store, and only then let the forum answer "unchanged" to it."""
    table = desk.table(desk.site.referee_id)
    merged = await desk.write("merge", _merge, table, row, found, thorough)
    for page in found.pages:
        desk.site.http.confirm(page.url)
    return _Seen(merged, frozenset(page.url for page in found.pages), found.at_end)


def _merge(
    records: Records,
    thread: str,
    table: Table,
    row: ThreadRow,
    found: reading.Reading,
    thorough: bool,  # noqa: FBT001 # crosses a thread boundary by position
) -> reading.Merged:
    now = found.began_at
    merged = reading.merge(records, row, found)
    if thorough and found.pages:
        records.set_thread(thread, looked_back_at=now)
    twins = recognise(records, thread, table.referee_id, (*merged.new, *merged.changed), now)
    seen = {post.id: post.awaits_approval for page in found.pages for post in page.posts}
    hear_moderators(records, thread, seen, merged.gone, now)
    at = Sitting(records, table, now)
    for twin in twins:
        at.log("twin", post=twin)
        round_ = at.situation().round
        if round_ is not None:
            at.note(round_, Note("twin_post", {"post": twin}))
    return merged


async def _all_seen(desk: ThreadDesk, seen: _Seen) -> bool:
    """Whether the pages just read hold every post of the open round."""
    pages = await desk.write("look at the round", _pages_of_round)
    return seen.at_end and set(pages) <= seen.pages


def _pages_of_round(records: Records, thread: str) -> list[str]:
    round_ = situation(records, thread).declaring
    if round_ is None or round_.opens_after is None:
        return []
    return records.pages_since(thread, round_.opens_after)


async def _reread(desk: ThreadDesk) -> None:
    """Read every page of the open round once more, from its first to the end."""
    pages = await desk.write("look at the round", _pages_of_round)
    row = await desk.write("look at the thread", _row)
    found = await _fetch(desk, row, back_to=pages[0] if pages else "", thorough=not pages)
    await _keep(desk, row, found, thorough=True)
    await _letters(desk, locking=True)


async def _secrets_announced(desk: ThreadDesk) -> bool:
    """Keep in mind whose private messages the open round takes; True where somebody is new."""
    if not desk.site.adapter.capabilities.letters:
        return False
    known = desk.site.secretive.pop(desk.key, frozenset())
    table, now = desk.table(desk.site.referee_id), desk.clock.now()
    found: frozenset[str] = await desk.write("look for secrets", _writers, table, now)
    if found:
        desk.site.secretive[desk.key] = found
    return not found <= known


def _writers(records: Records, thread: str, table: Table, now: datetime) -> frozenset[str]:
    round_ = situation(records, thread).declaring
    if round_ is None or round_.opens_after is None:
        return frozenset()
    return frozenset(heard_so_far(Sitting(records, table, now), round_).secret.values())


async def _letters(desk: ThreadDesk, *, locking: bool = False) -> bool:
    """Read the mailbox where somebody has said that a message would come; True for news.

    A mailbox that cannot be read does not stop the thread: the status says so, and whoever wanted
    to declare in secret can do it openly.

    Args:
        desk: The thread.
        locking: Whether its round is about to lock.

    Raises:
        LoggedOutError: the session has died.
        AdapterError: the site asks for patience; or the round is about to lock, and it is only for
            now that the mailbox cannot be read: what somebody has sent in time shall count.
    """
    site = desk.site
    writers = site.secretive.get(desk.key)
    if not writers or not isinstance(site.adapter, Mailbox):
        return False
    before = site.mailbox_fault
    try:
        found = await site.adapter.letters(site.http, writers)
    except LoggedOutError:
        raise
    except AdapterError as error:
        if error.wait_s is not None or (error.retry and locking):
            raise
        site.mailbox_fault = str(error)
        if site.mailbox_fault != before:
            log.warning("mailbox_unread", thread=desk.key, error=site.mailbox_fault)
        return not before
    site.mailbox_fault = ""
    desk.reached("receive letters")
    meant = [letter for letter in found if _is_meant(site, desk.key, letter)]
    merged = await desk.write("keep letters", _merge_letters, meant, writers, desk.clock.now())
    return bool(merged or before)


def _is_meant(site: SiteDesk, key: str, letter: Letter) -> bool:
    """Whether a letter is for a thread: one who is awaited in several must name it."""
    others = [other for other, who in site.secretive.items() if letter.post.author_id in who]
    return len(others) < 2 or fold(key) in fold(f"{letter.title} {letter.post.own_words}")


def _merge_letters(
    records: Records,
    thread: str,
    letters: Sequence[Letter],
    writers: frozenset[str],
    now: datetime,
) -> reading.Merged:
    round_ = situation(records, thread).declaring
    if round_ is None:
        return reading.Merged()
    since = _opened_there(records, thread, round_)
    row = _row(records, thread)
    return reading.merge_letters(records, row, letters, sorted(writers), since, now)


def _opened_there(records: Records, thread: str, round_: RoundRow) -> datetime:
    """When a round opened by the forum's clock, which its letters bear, or else by ours."""
    if round_.opens_after is None:
        return round_.opened_at
    began = (
        version.posted_at
        for version in records.versions(thread, round_.opens_after - 1)
        if version.first_sequence >= round_.opens_after and version.posted_at is not None
    )
    return next(began, round_.opened_at)


def _channel(desk: ThreadDesk) -> Channel:
    async def read_back() -> reading.Reading:
        row = await desk.write("look at the thread", _row)
        found = await _fetch(desk, row, thorough=True)
        await _keep(desk, row, found, thorough=True)
        return found

    return Channel(
        thread=desk.key,
        topic=desk.topic,
        adapter=desk.site.adapter,
        http=desk.site.http,
        clock=desk.clock,
        read_back=read_back,
        write=desk.write,
        reached=desk.reached,
    )
