"""From the outbox to the thread: never twice, never lost.

No forum can promise "exactly once", so the protocol is: the outbox row is written with the round;
``sending``, the time and the form with its token are committed before the socket opens; an answer
with a post id ends it; a definite refusal waits its own wait; whatever else happens is ``unknown``,
and then the thread is read back, completely, until the mark is found or until a window longer than
the server works on a post has passed and a complete page read after it still lacks the mark.

One row of a thread is on its way at a time, in the order of the outbox.

Some platforms make one post of two that an account makes in a row. Then an edit of one part must
send the others along, and what tells a secret must not become part of the post that promised it:
nobody could see any more which of them came first.
"""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from adapters.base import MARK, Adapter, Capabilities, Draft, Http, Posted
from adapters.errors import (
    AdapterError,
    ForbiddenError,
    GoneError,
    LockedError,
    LoggedOutError,
    NotSentError,
    RefusedTextError,
    UnreachableError,
)
from referee.clock import Clock
from referee.evidence import Block, find_blocks
from referee.reading import Reading
from referee.storage.records import OutboxRow, Records

Database = Callable[..., Awaitable[Any]]

# Refusals that a moderator or the game master must lift are tried again now and then.
REFUSED_WAIT = timedelta(minutes=15)
LONGEST_WAIT = timedelta(hours=6)
# Kept with a post that a moderator must let through first, and with edits of it.
AWAITS_APPROVAL: Final = "awaits_approval"
# Kept with a post that a moderator has not let through.
NOT_APPROVED: Final = "not_approved"


@dataclass(frozen=True, slots=True)
class Channel:
    """All that is needed to post in one thread.

    Attributes:
        thread: Key of the thread.
        topic: The topic as the config gives it.
        adapter: The site's adapter.
        http: The site's client.
        clock: Tells the time.
        read_back: Reads the last two pages whole and merges them; returns the reading.
        write: Runs a function in a named transaction on the database's thread.
        reached: Hears checkpoints.
    """

    thread: str
    topic: str
    adapter: Adapter
    http: Http
    clock: Clock
    read_back: Callable[[], Awaitable[Reading]]
    write: Database
    reached: Callable[[str], None]


async def deliver(channel: Channel) -> int:
    """Send what waits, in order, as far as it goes now; returns how many rows were settled.

    Raises:
        AdapterError: the site is busy or has logged us out; the row keeps its place.
    """
    settled = 0
    while True:
        row = await channel.write("look in the outbox", next_to_send, channel.clock.now())
        if row is None or (row.not_before is not None and row.not_before > channel.clock.now()):
            return settled
        if row.state in {"sending", "unknown"}:
            done = await _settle(channel, row)
        else:
            done = await _attempt(channel, row)
        if not done:
            return settled
        settled += 1


def next_to_send(records: Records, thread: str, now: datetime) -> OutboxRow | None:
    """The first row that is not yet in the thread.

    What waits for review does not block, nor does an edit that was refused: its place in the
    thread is fixed, and many forums let nobody edit after a while.
    """
    for row in records.unsent(thread):
        waits = row.not_before is not None and row.not_before > now
        if row.state != "review" and not (row.edits and row.state == "refused" and waits):
            return row
    return None


def post_id_of(records: Records, thread: str, mark: str) -> str:
    """The post that carries a mark, or an empty string while it has not landed."""
    for row in records.outbox_by_mark(thread, mark):
        if not row.edits and row.post_id:
            return row.post_id
    return ""


def post_to_edit(records: Records, thread: str, edit: OutboxRow) -> str | None:
    """The post that an edit changes.

    Returns:
        Its id; an empty string where it never landed or a newer edit waits; None while it is with
        the forum's moderators and has no id that we know.
    """
    rows = records.outbox_by_mark(thread, edit.edits)
    if any(row.edits and row.id > edit.id for row in rows):
        return ""
    posts = [row for row in rows if not row.edits]
    if not any(row.post_id for row in posts) and any(_is_with_moderators(row) for row in posts):
        return None
    return post_id_of(records, thread, edit.edits)


def _is_with_moderators(row: OutboxRow) -> bool:
    return row.state == "posted" and row.error.get("code") == AWAITS_APPROVAL


def text_of_post(records: Records, thread: str, edit: OutboxRow, between: str) -> str:
    """What a post is to say that consists of several rows, each in its newest wording.

    Args:
        records: The store.
        thread: Key of the thread.
        edit: The new wording of one of them.
        between: What the platform sets between two of them.
    """
    post_id = post_id_of(records, thread, edit.edits)
    parts = {row.mark: row.text for row in records.outbox_of_post(thread, post_id)}
    parts[edit.mark] = edit.text
    return between.join(filter(None, parts.values()))


def must_stand_apart(
    records: Records, thread: str, row: OutboxRow, can: Capabilities, now: datetime
) -> bool:
    """Whether a row may not become part of our last post, as it would if it were sent now.

    It may not where it tells a secret that this very post has promised, nor where the two together
    are longer than the platform takes.

    Args:
        records: The store.
        thread: Key of the thread.
        row: What is to be posted.
        can: What the platform does with two posts in a row.
        now: The moment.
    """
    # A minute more, because the clocks differ.
    window = timedelta(seconds=can.merge_window_s + 60)
    mine = records.last_landed(thread)
    if mine is None or mine.posted_at is None or now > mine.posted_at + window:
        return False
    is_known = mine.post_id in records.known(thread, [mine.post_id])
    if is_known and records.last_post(thread) != mine.post_id:
        return False
    parts = {part.mark: part.text for part in records.outbox_of_post(thread, mine.post_id)}
    if sum(map(len, parts.values())) + len(row.text) > can.max_post_chars:
        return True
    promised = {seed for text in parts.values() for seed in _seeds(text, "commits")}
    return not promised.isdisjoint(_seeds(row.text, "reveals"))


def _seeds(text: str, which: Literal["commits", "reveals"]) -> set[tuple[str, str]]:
    """The seeds that a text promises or reveals, each with the fight that it belongs to."""
    blocks = [found for found in find_blocks(text) if isinstance(found, Block)]
    return {(block.thread, one.seed) for block in blocks for one in getattr(block, which)}


async def _holds_back(channel: Channel, row: OutboxRow) -> bool:
    """Whether a row must wait until somebody else has posted, or until it stays by itself."""
    capabilities = channel.adapter.capabilities
    if not capabilities.merges or row.edits:
        return False
    if not await channel.write(
        "look at our last post", must_stand_apart, row, capabilities, channel.clock.now()
    ):
        return False
    error = {"code": "NotSentError", "cure": "let_others_post"}
    if row.error != error:
        await _set(channel, row, "hold back", error=error)
    return True


async def _attempt(channel: Channel, row: OutboxRow) -> bool:
    """Load the form, commit ``sending``, send."""
    if await _holds_back(channel, row):
        return False
    edits = ""
    if row.edits:
        found = await channel.write("look for the post", post_to_edit, row)
        if found is None:
            # It is made when the post shows (``recognise``), or it would say nothing for good.
            await _set(
                channel,
                row,
                "edit waits",
                state="refused",
                error={"code": AWAITS_APPROVAL},
                not_before=channel.clock.now() + LONGEST_WAIT,
            )
            return True
        if not found:
            await _set(channel, row, "edit of nothing", state="superseded")
            return True
        edits = found
    try:
        draft = await channel.adapter.draft(channel.http, channel.topic, edits=edits)
    except (LockedError, ForbiddenError, GoneError, RefusedTextError) as error:
        await _refused(channel, row, error)
        return False
    channel.reached("receive form")
    age = channel.http.now() - draft.made_at
    await channel.http.settle(max(0.0, channel.adapter.capabilities.min_form_age_s - age))
    return await _send(channel, row, draft)


async def _send(channel: Channel, row: OutboxRow, draft: Draft) -> bool:
    # Of a second sending even a definite "no" says nothing about the first.
    again = row.state == "unknown"
    values = {
        "state": "sending",
        "attempts": row.attempts + 1,
        "attempted_at": channel.clock.now(),
        "not_before": None,
        "error": {},
        "draft": {
            "url": draft.url,
            "fields": dict(draft.fields),
            "made_at": draft.made_at,
            "edits": draft.edits,
        },
    }
    if not await channel.write("sending", _claim, row, values):
        return False  # a second referee was faster
    channel.reached("send: before")
    text, between = row.text, channel.adapter.capabilities.merges
    if row.edits and between:
        text = await channel.write("put the post together", text_of_post, row, between)
    try:
        posted = await channel.adapter.send(channel.http, draft, text)
    except (LockedError, ForbiddenError, GoneError, RefusedTextError) as error:
        if again:
            await _set(
                channel,
                row,
                "unknown",
                state="unknown",
                draft={},
                error=_facts(error),
                not_before=_later(channel, row, error),
            )
        else:
            await _refused(channel, row, error)
        return False
    except (NotSentError, LoggedOutError, UnreachableError) as error:
        # A definite "no" before anything was kept: the row may be sent anew.
        await _set(
            channel,
            row,
            "not sent",
            state="unknown" if again else "pending",
            draft={},
            error=_facts(error),
            not_before=_later(channel, row, error),
        )
        if isinstance(error, NotSentError):
            return False
        raise
    except AdapterError as error:
        # The server may work on it from now on: the window begins when we have gone.
        gone_at = channel.clock.now()
        await _set(
            channel,
            row,
            "unknown",
            state="unknown",
            error=_facts(error),
            attempted_at=gone_at,
            # The first is looked for at the next visit. A forum that swallows one after the other
            # is asked ever more seldom; what lands late is found by its mark all the same.
            not_before=_later(channel, row, error) if row.attempts else None,
        )
        return False
    channel.reached("send: after")
    await _landed(channel, row, posted)
    return True


async def _settle(channel: Channel, row: OutboxRow) -> bool:
    """Find out what became of a row whose answer never came."""
    if row.state == "sending":
        # Who sent it has died, perhaps only just: the window begins now.
        found_at = channel.clock.now()
        await _set(channel, row, "left behind", state="unknown", attempted_at=found_at)
        row = replace(row, state="unknown", attempted_at=found_at)
    reading = await channel.read_back()
    current = await channel.write("look in the outbox", next_to_send, channel.clock.now())
    if current is None or current.id != row.id:
        return True  # the reading has found its mark
    capabilities = channel.adapter.capabilities
    attempted_at = row.attempted_at or row.made_at
    settled_at = attempted_at + timedelta(seconds=capabilities.settle_s)
    if row.edits and capabilities.merges and channel.clock.now() < settled_at:
        # If it landed after the next post had become part of this one, it would wipe that out.
        await _set(channel, row, "wait", state="unknown", not_before=settled_at)
        return False
    if row.edits:
        # An edit sent twice is the same edit.
        await _set(channel, row, "edit again", state="pending", draft={}, not_before=None)
        return True
    if reading.at_end and reading.began_at >= settled_at:
        await _set(channel, row, "never landed", state="pending", draft={}, not_before=None)
        return True
    draft = _kept_draft(row)
    if draft is not None and capabilities.token_lifetime_s > 0:
        age = channel.http.now() - draft.made_at
        if age < capabilities.token_lifetime_s:
            # The same token again: if the first one landed, the server itself refuses the twin.
            return await _send(channel, row, draft)
    await _set(channel, row, "wait", state="unknown", not_before=settled_at)
    return False


def _kept_draft(row: OutboxRow) -> Draft | None:
    if not row.draft:
        return None
    return Draft(
        url=str(row.draft["url"]),
        fields=row.draft["fields"],
        made_at=float(row.draft["made_at"]),
        edits=str(row.draft["edits"]),
    )


async def _landed(channel: Channel, row: OutboxRow, posted: Posted) -> None:
    await channel.write(
        "posted", landed, row.id, posted.post_id, channel.clock.now(), posted.awaits_approval
    )


def landed(
    records: Records,
    thread: str,
    row_id: int,
    post_id: str,
    at: datetime,
    waits: bool = False,  # noqa: FBT001, FBT002 # crosses a thread boundary by position
) -> None:
    """Record that a row is in the thread."""
    records.set_outbox(
        row_id,
        state="posted",
        post_id=post_id,
        posted_at=at,
        draft={},
        not_before=None,
        error={"code": AWAITS_APPROVAL} if waits else {},
    )
    records.append_log(
        thread,
        {"kind": "posted", "at": at.isoformat(), "by": "", "outbox": row_id, "post": post_id},
    )


async def _refused(channel: Channel, row: OutboxRow, error: AdapterError) -> None:
    wait = max(REFUSED_WAIT, timedelta(seconds=error.wait_s or 0))
    await _set(
        channel,
        row,
        "refused",
        state="refused",
        draft={},
        error=_facts(error),
        attempts=row.attempts + 1,
        not_before=channel.clock.now() + wait,
    )


def _facts(error: AdapterError) -> dict[str, Any]:
    return {
        "code": type(error).__name__,
        "cure": error.cure,
        "url": error.url,
        **{key: str(value) for key, value in error.facts.items()},
    }


def _later(channel: Channel, row: OutboxRow, error: AdapterError) -> datetime | None:
    if isinstance(error, LoggedOutError):
        return None
    backoff = timedelta(seconds=min(15 * 2 ** min(row.attempts, 10), 3600))
    wait = timedelta(seconds=error.wait_s) if error.wait_s else backoff
    return channel.clock.now() + min(wait, LONGEST_WAIT)


async def _set(channel: Channel, row: OutboxRow, name: str, **values: Any) -> None:
    await channel.write(name, _set_outbox, row.id, values)


def _claim(records: Records, thread: str, row: OutboxRow, values: dict[str, Any]) -> bool:
    del thread
    return records.claim_outbox(row, **values)


def _set_outbox(records: Records, thread: str, row_id: int, values: dict[str, Any]) -> None:
    del thread
    records.set_outbox(row_id, **values)


def recognise(
    records: Records, thread: str, referee_id: str, post_ids: Iterable[str], at: datetime
) -> tuple[str, ...]:
    """Settle rows whose mark stands in these posts, where they are the referee's own.

    Called after every merge with what it brought: a post that landed late or whose answer was
    lost is found by its mark. A mark counts only in a post whose author is the referee.

    Returns:
        Ids of twins: posts that carry the mark of a row that has landed as another post.
    """
    twins = []
    for post in records.known(thread, list(post_ids)).values():
        if post.author_id != referee_id or not referee_id:
            continue
        for mark in dict.fromkeys(MARK.findall(f"{post.words}\n{post.set_aside}")):
            rows = [row for row in records.outbox_by_mark(thread, mark) if not row.edits]
            for row in rows:
                if not row.post_id:
                    landed(records, thread, row.id, post.post_id, at)
                    _release_edits(records, thread, mark)
                elif row.post_id != post.post_id:
                    twins.append(post.post_id)
    return tuple(twins)


def _release_edits(records: Records, thread: str, mark: str) -> None:
    """Let edits go out that have waited for a post to show."""
    for row in records.outbox_by_mark(thread, mark):
        if row.edits and row.state == "refused" and row.error.get("code") == AWAITS_APPROVAL:
            records.set_outbox(row.id, state="pending", not_before=None, error={})


def hear_moderators(
    records: Records, thread: str, seen: Mapping[str, bool], gone: Collection[str], at: datetime
) -> None:
    """Notice what became of our posts that awaited approval.

    Args:
        records: The store.
        thread: The thread.
        seen: Posts on the pages just read, and whether each still waits for a moderator.
        gone: Posts that have just been found missing.
        at: When the pages were read.
    """
    for row in records.posted(thread, [*seen, *gone]):
        waited = _is_with_moderators(row)
        if row.post_id in gone:
            if waited:
                records.set_outbox(row.id, error={"code": NOT_APPROVED})
                _log_moderators(records, thread, row, "not_approved", at)
        elif seen[row.post_id] != waited:
            records.set_outbox(row.id, error={} if waited else {"code": AWAITS_APPROVAL})
            if waited:
                _log_moderators(records, thread, row, "approved", at)


def _log_moderators(records: Records, thread: str, row: OutboxRow, kind: str, at: datetime) -> None:
    records.append_log(
        thread,
        {"kind": kind, "at": at.isoformat(), "by": "", "outbox": row.id, "post": row.post_id},
    )
