"""Typed questions and answers over one open transaction.

A ``Records`` lives as long as its transaction. Rows come out as frozen dataclasses; JSON columns
come out parsed. No method decides anything: ``rounds.py`` does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeVar

import sqlalchemy as sa

from referee.evidence import GENESIS, link
from referee.storage import tables as t

R = TypeVar("R")

# States of a post that is not yet in its thread.
UNSENT: Final = ("review", "pending", "sending", "unknown", "refused")


@dataclass(frozen=True, slots=True)
class ThreadRow:
    """Where the referee is in a thread. ``heard``: tags up to this sequence have been acted on."""

    key: str
    site: str
    topic: str
    referee_id: str
    cursor_url: str
    page_digest: str
    sequence: int
    paused_at: datetime | None
    read_at: datetime | None
    looked_back_at: datetime | None
    error: Mapping[str, Any]
    retry_at: datetime | None
    failures: int
    heard: int


@dataclass(frozen=True, slots=True)
class PostRow:
    """A post with one of its versions (the newest unless asked otherwise)."""

    post_id: str
    sequence: int
    first_sequence: int
    author_id: str
    author_name: str
    page_url: str
    url: str
    words: str
    set_aside: str
    digest: str
    posted_at: datetime | None
    seen_at: datetime
    gone_at: datetime | None


@dataclass(frozen=True, slots=True)
class FightRow:
    """A fight of a thread; ``state`` is the ruleset's own dump."""

    id: int
    thread: str
    ruleset: str
    ruleset_version: str
    setup: Mapping[str, Any]
    state: Mapping[str, Any]
    standing: Sequence[Any]
    began_at: datetime
    began_after: int
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class RoundRow:
    """A round. ``serial`` counts through the thread, ``number`` within the fight."""

    id: int
    fight: int
    thread: str
    serial: int
    number: int
    status: str
    opened_at: datetime
    opens_after: int | None
    deadline: datetime | None
    locks_at: datetime | None
    settles_at: datetime | None
    locked_at: datetime | None
    lock_sequence: int | None
    resolved_at: datetime | None
    state_before: Mapping[str, Any]
    state_opened: Mapping[str, Any]
    opening: Mapping[str, Any]
    open_input: str
    lock_input: str
    locked: Mapping[str, Any]
    amendments: Sequence[Any]
    outcome: Mapping[str, Any]
    state_after: Mapping[str, Any]
    resolutions: int
    notes: Sequence[Any]
    status_mark: str


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A choice or a ruling that somebody was asked for."""

    id: int
    thread: str
    round: int
    code: str
    kind: str
    label: str
    data: Mapping[str, Any]
    asked_at: datetime
    deadline: datetime | None
    answer: str | None
    answered_by: str | None
    answered_at: datetime | None


@dataclass(frozen=True, slots=True)
class SeedRow:
    """A secret and where it was committed and revealed (marks of posts)."""

    thread: str
    name: str
    secret: bytes
    commitment: str
    made_at: datetime
    committed_by: str
    revealed_by: str


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """A post or an edit that must reach the thread."""

    id: int
    thread: str
    kind: str
    mark: str
    text: str
    edits: str
    state: str
    draft: Mapping[str, Any]
    attempts: int
    attempted_at: datetime | None
    not_before: datetime | None
    post_id: str
    error: Mapping[str, Any]
    made_at: datetime
    posted_at: datetime | None


@dataclass(frozen=True, slots=True)
class LogRow:
    """An entry of a thread's hash chain."""

    thread: str
    number: int
    entry: Mapping[str, Any]
    previous: str
    hash: str


@dataclass(frozen=True, slots=True)
class InboxRow:
    """A command given at the command line, waiting for the daemon."""

    id: int
    thread: str
    words: str
    by: str
    made_at: datetime
    done_at: datetime | None
    answer: str


@dataclass(frozen=True, slots=True)
class SiteRow:
    """What is kept of a site between runs."""

    name: str
    referee_id: str
    session: Mapping[str, Any]
    error: Mapping[str, Any]
    retry_at: datetime | None
    failures: int


@dataclass(frozen=True, slots=True)
class Glance:
    """A thread and what of it waits, for the poll that usually brings no news.

    Attributes:
        thread: Its row.
        ordered: Whether commands given at the command line wait to be served.
        waits: Whether words, posts or commands wait, or its secrets to be made.
        status: Of the newest round of the fight that goes on; None where there is none.
        opens_after: Of that round, as are the next two.
        locks_at: With its grace.
        settles_at: End of the hold-back time.
        lock_input: Empty before the lock, and while a locked round waits for its beacon.
    """

    thread: ThreadRow
    ordered: bool
    waits: bool
    status: str | None
    opens_after: int | None
    locks_at: datetime | None
    settles_at: datetime | None
    lock_input: str | None


_OF_ROUND: Final = ("status", "opens_after", "locks_at", "settles_at", "lock_input")


def _glance_query() -> sa.Select[Any]:
    here = t.thread.c.key
    newest_round = (
        sa.select(sa.func.max(t.round_.c.id))
        .where(t.round_.c.thread == here, t.round_.c.status != "undone")
        .correlate(t.thread)
        .scalar_subquery()
    )
    current_fight = (
        sa.select(sa.func.max(t.fight.c.id))
        .where(t.fight.c.thread == here, t.fight.c.ended_at.is_(None))
        .correlate(t.thread)
        .scalar_subquery()
    )
    ordered = sa.exists().where(t.inbox.c.thread == here, t.inbox.c.done_at.is_(None))
    waits = sa.or_(
        t.thread.c.heard < t.thread.c.sequence,
        ~sa.exists().where(t.seed.c.thread == here, t.seed.c.name == "lock.1"),
        sa.exists().where(t.outbox.c.thread == here, t.outbox.c.state.in_(UNSENT)),
        ordered,
    )
    same = sa.and_(t.round_.c.id == newest_round, t.round_.c.fight == current_fight)
    return sa.select(
        t.thread,
        ordered.label("ordered"),
        waits.label("waits"),
        *(t.round_.c[name] for name in _OF_ROUND),
    ).select_from(t.thread.outerjoin(t.round_, same))


# Built once: most polls bring no news, and building a query costs more than running it.
_GLANCES: Final = _glance_query()
_GLANCE: Final = _GLANCES.where(t.thread.c.key == sa.bindparam("key"))


def _glance_of(row: sa.Row[Any]) -> Glance:
    values = dict(row._mapping)  # noqa: SLF001 # sqlalchemy's documented door
    seen = {name: values.pop(name) for name in ("ordered", "waits", *_OF_ROUND)}
    return Glance(thread=ThreadRow(**values), **seen)


def _read(cls: type[R], row: sa.Row[Any]) -> R:
    return cls(**row._mapping)  # noqa: SLF001 # sqlalchemy's documented door


class Records:
    """Reads and writes within one transaction."""

    def __init__(self, connection: sa.Connection) -> None:
        """Keep the connection of the open transaction."""
        self._c = connection

    # -- small tools -------------------------------------------------------------------------

    def _one(self, cls: type[R], query: sa.Select[Any]) -> R | None:
        row = self._c.execute(query.limit(1)).first()
        return None if row is None else _read(cls, row)

    def _all(self, cls: type[R], query: sa.Select[Any]) -> list[R]:
        return [_read(cls, row) for row in self._c.execute(query)]

    def _update(
        self, table: sa.Table, where: sa.ColumnElement[bool], values: Mapping[str, Any]
    ) -> None:
        self._c.execute(sa.update(table).where(where).values(**values))

    def _insert(self, table: sa.Table, values: Mapping[str, Any]) -> int:
        result = self._c.execute(sa.insert(table).values(**values))
        key = result.inserted_primary_key
        return int(key[0]) if key and isinstance(key[0], int) else 0

    # -- threads and sites -------------------------------------------------------------------

    def glance(self, key: str) -> Glance | None:
        """What a visit must know before it asks the forum, in one statement."""
        row = self._c.execute(_GLANCE, {"key": key}).first()
        return None if row is None else _glance_of(row)

    def glances(self) -> list[Glance]:
        """The same of every thread ever served, in one statement for all of them."""
        return [_glance_of(row) for row in self._c.execute(_GLANCES)]

    def thread(self, key: str) -> ThreadRow | None:
        """A thread, or None before it was first served."""
        return self._one(ThreadRow, sa.select(t.thread).where(t.thread.c.key == key))

    def threads(self) -> list[ThreadRow]:
        """Every thread ever served."""
        return self._all(ThreadRow, sa.select(t.thread).order_by(t.thread.c.key))

    def add_thread(self, key: str, site: str, topic: str) -> None:
        """Begin to serve a thread."""
        self._insert(t.thread, {"key": key, "site": site, "topic": topic})

    def set_thread(self, key: str, **values: Any) -> None:
        """Change columns of a thread."""
        self._update(t.thread, t.thread.c.key == key, values)

    def site(self, name: str) -> SiteRow | None:
        """What is kept of a site."""
        return self._one(SiteRow, sa.select(t.site).where(t.site.c.name == name))

    def sites(self) -> list[SiteRow]:
        """Every site of which something is kept."""
        return self._all(SiteRow, sa.select(t.site).order_by(t.site.c.name))

    def set_site(self, name: str, **values: Any) -> None:
        """Change columns of a site, making its row when there is none."""
        if self.site(name) is None:
            self._insert(t.site, {"name": name})
        self._update(t.site, t.site.c.name == name, values)

    # -- posts -------------------------------------------------------------------------------

    def next_sequence(self, thread: str) -> int:
        """Count one more post or version of the thread."""
        number = self._c.execute(
            sa.update(t.thread)
            .where(t.thread.c.key == thread)
            .values(sequence=t.thread.c.sequence + 1)
            .returning(t.thread.c.sequence)
        ).scalar_one()
        return int(number)

    def add_post(self, thread: str, **values: Any) -> None:
        """A post seen for the first time."""
        self._insert(t.post, {"thread": thread, **values})

    def is_elsewhere(self, thread: str, post_id: str) -> bool:
        """Whether another thread of the same site has kept a post of this id."""
        site = sa.select(t.thread.c.site).where(t.thread.c.key == thread).scalar_subquery()
        query = (
            sa.select(sa.true())
            .join_from(t.post, t.thread)
            .where(t.post.c.post_id == post_id, t.thread.c.key != thread, t.thread.c.site == site)
        )
        return self._c.execute(query.limit(1)).first() is not None

    def set_post(self, thread: str, post_id: str, **values: Any) -> None:
        """Change columns of a post."""
        self._update(t.post, (t.post.c.thread == thread) & (t.post.c.post_id == post_id), values)

    def add_version(self, thread: str, **values: Any) -> None:
        """What a post says now."""
        self._insert(t.version, {"thread": thread, **values})

    def author_names(self, thread: str) -> dict[str, str]:
        """Display names by user id, as the newest post of each author shows them."""
        query = (
            sa.select(t.post.c.author_id, t.post.c.author_name)
            .where(t.post.c.thread == thread)
            .order_by(t.post.c.sequence)
        )
        return {row.author_id: row.author_name for row in self._c.execute(query)}

    def _posts_query(self) -> sa.Select[Any]:
        return sa.select(
            t.post.c.post_id,
            t.version.c.sequence,
            t.post.c.sequence.label("first_sequence"),
            t.post.c.author_id,
            t.post.c.author_name,
            t.post.c.page_url,
            t.post.c.url,
            t.version.c.words,
            t.version.c.set_aside,
            t.version.c.digest,
            t.post.c.posted_at,
            t.version.c.seen_at,
            t.post.c.gone_at,
        ).join_from(
            t.post,
            t.version,
            (t.post.c.thread == t.version.c.thread) & (t.post.c.post_id == t.version.c.post_id),
        )

    def versions(self, thread: str, after: int = 0, up_to: int | None = None) -> list[PostRow]:
        """Every version seen after a sequence, in the order in which they were seen."""
        query = self._posts_query().where(
            t.version.c.thread == thread, t.version.c.sequence > after
        )
        if up_to is not None:
            query = query.where(t.version.c.sequence <= up_to)
        return self._all(PostRow, query.order_by(t.version.c.sequence))

    def known(self, thread: str, post_ids: Sequence[str]) -> dict[str, PostRow]:
        """The newest version of each of these posts, by post id."""
        newest = (
            sa.select(sa.func.max(t.version.c.sequence))
            .where(t.version.c.thread == t.post.c.thread, t.version.c.post_id == t.post.c.post_id)
            .correlate(t.post)
            .scalar_subquery()
        )
        query = self._posts_query().where(
            t.post.c.thread == thread,
            t.post.c.post_id.in_(post_ids),
            t.version.c.sequence == newest,
        )
        return {row.post_id: row for row in self._all(PostRow, query)}

    def last_post(self, thread: str) -> str:
        """Id of the newest post of the thread that is not known to be gone; empty where none is."""
        query = sa.select(t.post.c.post_id).where(
            t.post.c.thread == thread, t.post.c.gone_at.is_(None), t.post.c.page_url != ""
        )
        return str(self._c.execute(query.order_by(t.post.c.sequence.desc())).scalar() or "")

    def posts_between(self, thread: str, first: int, last: int | None) -> list[str]:
        """Ids of posts first seen within these sequences and not known to be gone."""
        query = sa.select(t.post.c.post_id).where(
            t.post.c.thread == thread,
            t.post.c.sequence >= first,
            t.post.c.gone_at.is_(None),
            t.post.c.page_url != "",  # commands from the command line stand on no page
        )
        if last is not None:
            query = query.where(t.post.c.sequence <= last)
        return [str(value) for value in self._c.execute(query).scalars()]

    def pages_before(self, thread: str, sequence: int) -> set[str]:
        """Addresses of the pages that hold posts first seen before a sequence."""
        query = sa.select(t.post.c.page_url).where(
            t.post.c.thread == thread, t.post.c.sequence < sequence, t.post.c.gone_at.is_(None)
        )
        return set(self._c.execute(query.distinct()).scalars())

    def pages_since(self, thread: str, sequence: int) -> list[str]:
        """Addresses of the pages that hold posts first seen after a sequence, in thread order.

        A page's first post tells its place: one that was let through late stands on an earlier
        page than its sequence says.
        """
        query = (
            sa.select(t.post.c.page_url)
            .where(t.post.c.thread == thread, t.post.c.page_url != "")
            .group_by(t.post.c.page_url)
            .having(sa.func.max(t.post.c.sequence) > sequence)
            .order_by(sa.func.min(t.post.c.sequence))
        )
        return [str(value) for value in self._c.execute(query).scalars()]

    def is_heard(self, thread: str, post_id: str, tag: str) -> bool:
        """Whether a tag of a post has been acted on."""
        query = sa.select(t.heard.c.kind).where(
            t.heard.c.thread == thread, t.heard.c.post_id == post_id, t.heard.c.tag == tag
        )
        return self._c.execute(query).first() is not None

    def hear(self, thread: str, post_id: str, tag: str, kind: str, at: datetime) -> None:
        """Remember that a tag of a post has been acted on."""
        self._insert(
            t.heard, {"thread": thread, "post_id": post_id, "tag": tag, "kind": kind, "at": at}
        )

    # -- fights, rounds, questions -----------------------------------------------------------

    def add_fight(self, **values: Any) -> int:
        """A fight begins."""
        return self._insert(t.fight, values)

    def set_fight(self, fight: int, **values: Any) -> None:
        """Change columns of a fight."""
        self._update(t.fight, t.fight.c.id == fight, values)

    def fight(self, fight: int) -> FightRow:
        """A fight by its id."""
        found = self._one(FightRow, sa.select(t.fight).where(t.fight.c.id == fight))
        if found is None:
            raise KeyError(fight)
        return found

    def current_fight(self, thread: str) -> FightRow | None:
        """The fight that goes on in a thread."""
        query = sa.select(t.fight).where(t.fight.c.thread == thread, t.fight.c.ended_at.is_(None))
        return self._one(FightRow, query.order_by(t.fight.c.id.desc()))

    def fights(self, thread: str) -> list[FightRow]:
        """All fights of a thread, oldest first."""
        query = sa.select(t.fight).where(t.fight.c.thread == thread)
        return self._all(FightRow, query.order_by(t.fight.c.id))

    def add_round(self, **values: Any) -> int:
        """A round opens."""
        return self._insert(t.round_, values)

    def set_round(self, round_id: int, **values: Any) -> None:
        """Change columns of a round."""
        self._update(t.round_, t.round_.c.id == round_id, values)

    def round(self, round_id: int) -> RoundRow:
        """A round by its id."""
        found = self._one(RoundRow, sa.select(t.round_).where(t.round_.c.id == round_id))
        if found is None:
            raise KeyError(round_id)
        return found

    def rounds(self, thread: str) -> list[RoundRow]:
        """All rounds of a thread, oldest first."""
        query = sa.select(t.round_).where(t.round_.c.thread == thread)
        return self._all(RoundRow, query.order_by(t.round_.c.id))

    def last_round(self, thread: str, *, undone: bool = True) -> RoundRow | None:
        """The newest round of a thread; without ``undone`` the newest that was not taken back."""
        query = sa.select(t.round_).where(t.round_.c.thread == thread)
        if not undone:
            query = query.where(t.round_.c.status != "undone")
        return self._one(RoundRow, query.order_by(t.round_.c.id.desc()))

    def add_question(self, **values: Any) -> int:
        """Somebody is asked."""
        return self._insert(t.question, values)

    def question(self, question: int) -> QuestionRow:
        """A question by its id."""
        found = self._one(QuestionRow, sa.select(t.question).where(t.question.c.id == question))
        if found is None:
            raise KeyError(question)
        return found

    def set_question(self, question: int, **values: Any) -> None:
        """Change columns of a question."""
        self._update(t.question, t.question.c.id == question, values)

    def questions(self, round_id: int) -> list[QuestionRow]:
        """All questions of a round, oldest first."""
        query = sa.select(t.question).where(t.question.c.round == round_id)
        return self._all(QuestionRow, query.order_by(t.question.c.id))

    def count_questions(self, thread: str, kind: str) -> int:
        """How many of a kind a thread has had, for the next code."""
        query = sa.select(sa.func.count()).where(
            t.question.c.thread == thread, t.question.c.kind == kind
        )
        return int(self._c.execute(query).scalar_one())

    def question_by_code(self, thread: str, code: str) -> QuestionRow | None:
        """The question that an answer names."""
        query = sa.select(t.question).where(
            t.question.c.thread == thread, t.question.c.code == code
        )
        return self._one(QuestionRow, query)

    # -- seeds -------------------------------------------------------------------------------

    def add_seed(self, **values: Any) -> None:
        """A new secret with its commitment."""
        self._insert(t.seed, values)

    def seed(self, thread: str, name: str) -> SeedRow | None:
        """A seed by its name."""
        return self._one(
            SeedRow, sa.select(t.seed).where(t.seed.c.thread == thread, t.seed.c.name == name)
        )

    def seeds(self, thread: str) -> list[SeedRow]:
        """All seeds of a thread."""
        query = sa.select(t.seed).where(t.seed.c.thread == thread)
        return self._all(SeedRow, query.order_by(t.seed.c.made_at, t.seed.c.name))

    def seeds_by(self, thread: str, mark: str) -> list[SeedRow]:
        """Seeds that the post with a mark commits to."""
        query = sa.select(t.seed).where(t.seed.c.thread == thread, t.seed.c.committed_by == mark)
        return self._all(SeedRow, query.order_by(t.seed.c.name.desc()))

    def set_seed(self, thread: str, name: str, **values: Any) -> None:
        """Change columns of a seed."""
        self._update(t.seed, (t.seed.c.thread == thread) & (t.seed.c.name == name), values)

    # -- outbox and inbox --------------------------------------------------------------------

    def add_outbox(self, **values: Any) -> int:
        """Something must be posted."""
        return self._insert(t.outbox, values)

    def set_outbox(self, row: int, **values: Any) -> None:
        """Change columns of an outbox row."""
        self._update(t.outbox, t.outbox.c.id == row, values)

    def claim_outbox(self, seen: OutboxRow, **values: Any) -> bool:
        """Change an outbox row if it still is what was seen; False when somebody has changed it."""
        same = (
            (t.outbox.c.id == seen.id)
            & (t.outbox.c.state == seen.state)
            & (t.outbox.c.attempts == seen.attempts)
            & (t.outbox.c.text == seen.text)
        )
        found = self._c.execute(
            sa.update(t.outbox).where(same).values(**values).returning(t.outbox.c.id)
        )
        return found.first() is not None

    def outbox(self, thread: str) -> list[OutboxRow]:
        """All that was or will be posted in a thread, in order."""
        query = sa.select(t.outbox).where(t.outbox.c.thread == thread)
        return self._all(OutboxRow, query.order_by(t.outbox.c.id))

    def unsent(self, thread: str) -> list[OutboxRow]:
        """What is not yet in the thread, in order; what waits for review does not block."""
        query = sa.select(t.outbox).where(
            t.outbox.c.thread == thread,
            t.outbox.c.state.in_(UNSENT),
        )
        return self._all(OutboxRow, query.order_by(t.outbox.c.id))

    def outbox_by_mark(self, thread: str, mark: str) -> list[OutboxRow]:
        """The post with this mark and the edits of it, in order."""
        query = sa.select(t.outbox).where(t.outbox.c.thread == thread, t.outbox.c.mark == mark)
        return self._all(OutboxRow, query.order_by(t.outbox.c.id))

    def posted(self, thread: str, post_ids: Sequence[str]) -> list[OutboxRow]:
        """What of the outbox stands in the thread as one of these posts; no edits of them."""
        query = sa.select(t.outbox).where(
            t.outbox.c.thread == thread,
            t.outbox.c.edits == "",
            t.outbox.c.state == "posted",
            t.outbox.c.post_id.in_(post_ids),
        )
        return self._all(OutboxRow, query.order_by(t.outbox.c.id))

    def moderated(self, thread: str) -> list[OutboxRow]:
        """Posts that a moderator has still to let through, or has not let through."""
        query = sa.select(t.outbox).where(
            t.outbox.c.thread == thread, t.outbox.c.edits == "", t.outbox.c.state == "posted"
        )
        return [row for row in self._all(OutboxRow, query.order_by(t.outbox.c.id)) if row.error]

    def outbox_of_post(self, thread: str, post_id: str) -> list[OutboxRow]:
        """What has become part of a post of the thread, edits included, in that order."""
        query = sa.select(t.outbox).where(
            t.outbox.c.thread == thread, t.outbox.c.post_id == post_id, t.outbox.c.state == "posted"
        )
        return self._all(OutboxRow, query.order_by(t.outbox.c.posted_at, t.outbox.c.id))

    def last_landed(self, thread: str) -> OutboxRow | None:
        """The row that has become part of the thread last, edits aside."""
        query = sa.select(t.outbox).where(
            t.outbox.c.thread == thread,
            t.outbox.c.state == "posted",
            t.outbox.c.edits == "",
            t.outbox.c.post_id != "",
        )
        return self._one(
            OutboxRow, query.order_by(t.outbox.c.posted_at.desc(), t.outbox.c.id.desc())
        )

    def last_outbox(self, thread: str, kind: str) -> OutboxRow | None:
        """The newest new post (no edit) of a kind."""
        query = sa.select(t.outbox).where(
            t.outbox.c.thread == thread, t.outbox.c.kind == kind, t.outbox.c.edits == ""
        )
        return self._one(OutboxRow, query.order_by(t.outbox.c.id.desc()))

    def add_inbox(self, thread: str, words: str, by: str, at: datetime) -> int:
        """A command from the command line."""
        return self._insert(t.inbox, {"thread": thread, "words": words, "by": by, "made_at": at})

    def inbox(self, thread: str) -> list[InboxRow]:
        """Commands not yet carried out."""
        query = sa.select(t.inbox).where(t.inbox.c.thread == thread, t.inbox.c.done_at.is_(None))
        return self._all(InboxRow, query.order_by(t.inbox.c.id))

    def inbox_row(self, row: int) -> InboxRow | None:
        """A command by its id, for waiting on its answer."""
        return self._one(InboxRow, sa.select(t.inbox).where(t.inbox.c.id == row))

    def set_inbox(self, row: int, **values: Any) -> None:
        """Change columns of a command."""
        self._update(t.inbox, t.inbox.c.id == row, values)

    # -- log ---------------------------------------------------------------------------------

    def append_log(self, thread: str, entry: Mapping[str, Any]) -> LogRow:
        """Add an entry to the thread's chain, in the transaction of what it records."""
        last = self._one(
            LogRow,
            sa.select(t.log).where(t.log.c.thread == thread).order_by(t.log.c.number.desc()),
        )
        number = 1 if last is None else last.number + 1
        previous = GENESIS if last is None else last.hash
        digest = link(previous, entry)
        self._insert(
            t.log,
            {
                "thread": thread,
                "number": number,
                "entry": entry,
                "previous": previous,
                "hash": digest,
            },
        )
        return LogRow(thread, number, entry, previous, digest)

    def log(self, thread: str, after: int = 0) -> list[LogRow]:
        """Entries of a thread in order."""
        query = sa.select(t.log).where(t.log.c.thread == thread, t.log.c.number > after)
        return self._all(LogRow, query.order_by(t.log.c.number))
