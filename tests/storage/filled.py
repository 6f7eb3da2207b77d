"""A row for every table, with a value in every column that is easily spoilt on its way."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Final

import sqlalchemy as sa

from referee.storage import tables as t

# Not in UTC, and finer than a second: both must come back as the same moment.
MOMENT: Final = datetime(2026, 11, 30, 19, 5, 59, 123456, tzinfo=timezone(timedelta(hours=1)))
AS_UTC: Final = datetime(2026, 11, 30, 18, 5, 59, 123456, tzinfo=UTC)
WORDS: Final = "«Ñu» 🗡 \u202eOIRÁTNOC\u202c\n\ttab, 'quote', \"quote\", \\n, %s, :name"
PLAIN: Final = {"z": [1, 2.5, None, True, {"ñ": WORDS}], "a": {}, "10": "orden", "2": []}
SECRET: Final = bytes(range(256))[-32:]


def rows() -> dict[str, dict[str, Any]]:
    """By table, in the order in which foreign keys let them in."""
    return {table.name: _ROWS[table.name] for table in t.metadata.sorted_tables}


def fill(connection: sa.Connection) -> None:
    """Put them into an empty database."""
    for table in t.metadata.sorted_tables:
        connection.execute(sa.insert(table).values(**_ROWS[table.name]))


_ROWS: Final[dict[str, dict[str, Any]]] = {
    "thread": {
        "key": "molino", "site": "foro", "topic": "https://foro.example.org/viewtopic.php?t=12",
        "referee_id": "57", "cursor_url": "u" * 3000, "page_digest": "d" * 64,
        "sequence": 2**31 - 1, "paused_at": MOMENT, "read_at": MOMENT, "looked_back_at": MOMENT,
        "error": PLAIN, "retry_at": MOMENT, "failures": 3, "heard": 2,
    },
    "post": {
        "thread": "molino", "post_id": "p-1", "sequence": 1, "author_id": "58",
        "author_name": WORDS, "page_url": "", "url": WORDS, "posted_at": MOMENT, "gone_at": MOMENT,
    },
    "version": {
        "thread": "molino", "sequence": 1, "post_id": "p-1", "words": WORDS * 2000,
        "set_aside": "", "digest": "d" * 64, "seen_at": MOMENT,
    },
    "fight": {
        "id": 1, "thread": "molino", "ruleset": "aquelarre", "ruleset_version": "1",
        "setup": PLAIN, "state": PLAIN, "standing": [PLAIN], "began_at": MOMENT, "began_after": 4,
        "ended_at": MOMENT,
    },
    "round": {
        "id": 1, "fight": 1, "thread": "molino", "serial": 1, "number": 1, "status": "declaring",
        "opened_at": MOMENT, "opens_after": 4, "deadline": MOMENT, "locks_at": MOMENT,
        "settles_at": MOMENT, "locked_at": MOMENT, "lock_sequence": 5, "resolved_at": MOMENT,
        "state_before": PLAIN, "state_opened": PLAIN, "opening": PLAIN, "open_input": "a" * 64,
        "lock_input": "b" * 64, "locked": PLAIN, "amendments": [PLAIN], "outcome": PLAIN,
        "state_after": PLAIN, "resolutions": 1, "notes": [PLAIN], "status_mark": "ref-bcdfghjk",
    },
    "question": {
        "id": 1, "thread": "molino", "round": 1, "code": "P1", "kind": "choice",
        "label": "Lope.defence", "data": PLAIN, "asked_at": MOMENT, "deadline": MOMENT,
        "answer": WORDS, "answered_by": "58", "answered_at": MOMENT,
    },
    "seed": {
        "thread": "molino", "name": "lock.1", "secret": SECRET, "commitment": "c" * 64,
        "made_at": MOMENT, "committed_by": "ref-bcdfghjk", "revealed_by": "ref-xxxxxxxx",
    },
    "outbox": {
        "id": 1, "thread": "molino", "kind": "report", "mark": "ref-bcdfghjk", "text": WORDS,
        "edits": "ref-bcdfghjk", "state": "sending", "draft": PLAIN, "attempts": 1,
        "attempted_at": MOMENT, "not_before": MOMENT, "post_id": "p-2", "error": PLAIN,
        "made_at": MOMENT, "posted_at": MOMENT,
    },
    "log": {
        "thread": "molino", "number": 1, "entry": PLAIN, "previous": "0" * 64, "hash": "f" * 64,
    },
    "heard": {
        "thread": "molino", "post_id": "p-1", "tag": "e" * 64, "kind": "roll", "at": MOMENT,
    },
    "inbox": {
        "id": 1, "thread": "molino", "words": WORDS, "by": "narradora", "made_at": MOMENT,
        "done_at": MOMENT, "answer": WORDS,
    },
    "site": {
        "name": "foro", "referee_id": "57", "session": PLAIN, "error": PLAIN, "retry_at": MOMENT,
        "failures": 3,
    },
}  # fmt: skip
