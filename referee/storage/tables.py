"""The tables. Ids, enums and canonical JSON are stored, never rendered text as the truth.

(The outbox is the one exception by nature: what it holds is the very text that must be sent.)
A change here is a migration in ``migrations/versions``, tested upward with rows in it. What comes
from outside (ids of posts and people, names) has no length here: only some databases would mind.
"""

import json
from datetime import UTC, datetime
from typing import Any, Final

import sqlalchemy as sa

# The newest migration; a database that is there already need not wake Alembic.
REVISION: Final = "0001"

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Utc(sa.TypeDecorator[datetime]):
    """A moment in UTC. SQLite drops time zones, so they are put back on the way out."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Refuse naive moments: they are a bug, not a value."""
        del dialect
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("naive datetime")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Give every moment its zone."""
        del dialect
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Words(sa.TypeDecorator[str]):
    """Text from outside. What some databases refuse (NUL, half a surrogate pair) becomes U+FFFD."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:
        """Make it fit for any database."""
        del dialect
        if value is None:
            return None
        whole = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return whole.replace("\0", "\ufffd")


class Json(sa.TypeDecorator[Any]):
    """Plain JSON data as compact text, keys in the order given."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: sa.Dialect) -> str:
        """Write it."""
        del dialect
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def process_result_value(self, value: str | None, dialect: sa.Dialect) -> Any:
        """Read it."""
        del dialect
        return json.loads(value) if value else {}


thread = sa.Table(
    "thread",
    metadata,
    sa.Column("key", sa.String(100), primary_key=True),
    sa.Column("site", sa.String(100), nullable=False),
    sa.Column("topic", sa.Text, nullable=False),
    sa.Column("referee_id", sa.Text, nullable=False, default=""),
    sa.Column("cursor_url", sa.Text, nullable=False, default=""),
    sa.Column("page_digest", sa.String(64), nullable=False, default=""),
    # Counts every post and every new version of one, so that "before" and "after" have a meaning.
    sa.Column("sequence", sa.Integer, nullable=False, default=0),
    sa.Column("paused_at", Utc, nullable=True),
    sa.Column("read_at", Utc, nullable=True),
    sa.Column("looked_back_at", Utc, nullable=True),
    sa.Column("error", Json, nullable=False, default=dict),
    sa.Column("retry_at", Utc, nullable=True),
    sa.Column("failures", sa.Integer, nullable=False, default=0),
    # Tags up to this sequence have been acted on.
    sa.Column("heard", sa.Integer, nullable=False, default=0),
)

post = sa.Table(
    "post",
    metadata,
    sa.Column("thread", sa.ForeignKey("thread.key"), primary_key=True),
    sa.Column("post_id", sa.Text, primary_key=True),
    sa.Column("sequence", sa.Integer, nullable=False),
    sa.Column("author_id", sa.Text, nullable=False),
    sa.Column("author_name", Words, nullable=False),
    sa.Column("page_url", sa.Text, nullable=False),
    sa.Column("url", Words, nullable=False),
    sa.Column("posted_at", Utc, nullable=True),
    sa.Column("gone_at", Utc, nullable=True),
)
sa.Index(None, post.c.thread, post.c.sequence)

version = sa.Table(
    "version",
    metadata,
    sa.Column("thread", sa.ForeignKey("thread.key"), primary_key=True),
    sa.Column("sequence", sa.Integer, primary_key=True),
    sa.Column("post_id", sa.Text, nullable=False),
    sa.Column("words", Words, nullable=False),
    sa.Column("set_aside", Words, nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("seen_at", Utc, nullable=False),
    sa.ForeignKeyConstraint(["thread", "post_id"], ["post.thread", "post.post_id"]),
)
sa.Index(None, version.c.thread, version.c.post_id, version.c.sequence)

fight = sa.Table(
    "fight",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("thread", sa.ForeignKey("thread.key"), nullable=False),
    sa.Column("ruleset", sa.String(50), nullable=False),
    sa.Column("ruleset_version", sa.String(50), nullable=False),
    sa.Column("setup", Json, nullable=False),
    sa.Column("state", Json, nullable=False),
    sa.Column("standing", Json, nullable=False, default=list),
    sa.Column("began_at", Utc, nullable=False),
    sa.Column("began_after", sa.Integer, nullable=False),
    sa.Column("ended_at", Utc, nullable=True),
)
sa.Index(None, fight.c.thread)

round_ = sa.Table(
    "round",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("fight", sa.ForeignKey("fight.id"), nullable=False),
    sa.Column("thread", sa.ForeignKey("thread.key"), nullable=False),
    # Counted through the thread, so that seeds have one name for ever.
    sa.Column("serial", sa.Integer, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("status", sa.String(20), nullable=False),
    sa.Column("opened_at", Utc, nullable=False),
    sa.Column("opens_after", sa.Integer, nullable=True),
    sa.Column("deadline", Utc, nullable=True),  # as shown
    sa.Column("locks_at", Utc, nullable=True),  # with its grace
    sa.Column("settles_at", Utc, nullable=True),  # all have declared: end of the hold-back time
    sa.Column("locked_at", Utc, nullable=True),
    sa.Column("lock_sequence", sa.Integer, nullable=True),
    sa.Column("resolved_at", Utc, nullable=True),
    sa.Column("state_before", Json, nullable=False),
    sa.Column("state_opened", Json, nullable=False),
    sa.Column("opening", Json, nullable=False),
    sa.Column("open_input", sa.String(64), nullable=False),
    sa.Column("lock_input", sa.String(64), nullable=False, default=""),
    sa.Column("locked", Json, nullable=False, default=dict),
    sa.Column("amendments", Json, nullable=False, default=list),
    sa.Column("outcome", Json, nullable=False, default=dict),
    sa.Column("state_after", Json, nullable=False, default=dict),
    sa.Column("resolutions", sa.Integer, nullable=False, default=0),
    sa.Column("notes", Json, nullable=False, default=list),
    sa.Column("status_mark", sa.String(32), nullable=False, default=""),
    sa.UniqueConstraint("thread", "serial"),
    sa.CheckConstraint(
        "status in ('declaring', 'locked', 'asking', 'ruling', 'resolved', 'reopened', 'undone')",
        name="status",
    ),
)

question = sa.Table(
    "question",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("thread", sa.ForeignKey("thread.key"), nullable=False),
    sa.Column("round", sa.ForeignKey("round.id"), nullable=False),
    # The short name that answers use: P1, P2 ... for choices, R1, R2 ... for rulings.
    sa.Column("code", sa.String(20), nullable=False),
    sa.Column("kind", sa.String(10), nullable=False),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("data", Json, nullable=False),
    sa.Column("asked_at", Utc, nullable=False),
    sa.Column("deadline", Utc, nullable=True),
    sa.Column("answer", Words, nullable=True),
    sa.Column("answered_by", sa.Text, nullable=True),
    sa.Column("answered_at", Utc, nullable=True),
    sa.UniqueConstraint("thread", "code"),
    sa.CheckConstraint("kind in ('choice', 'ruling')", name="kind"),
)

seed = sa.Table(
    "seed",
    metadata,
    sa.Column("thread", sa.ForeignKey("thread.key"), primary_key=True),
    sa.Column("name", sa.String(50), primary_key=True),
    sa.Column("secret", sa.LargeBinary(32), nullable=False),
    sa.Column("commitment", sa.String(64), nullable=False),
    sa.Column("made_at", Utc, nullable=False),
    sa.Column("committed_by", sa.String(32), nullable=False, default=""),  # mark of the post
    sa.Column("revealed_by", sa.String(32), nullable=False, default=""),
)

outbox = sa.Table(
    "outbox",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("thread", sa.ForeignKey("thread.key"), nullable=False),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("mark", sa.String(32), nullable=False),
    sa.Column("text", Words, nullable=False),
    # An edit names the mark of the post that it changes; its own mark is the same one.
    sa.Column("edits", sa.String(32), nullable=False, default=""),
    sa.Column("state", sa.String(20), nullable=False),
    sa.Column("draft", Json, nullable=False, default=dict),
    sa.Column("attempts", sa.Integer, nullable=False, default=0),
    sa.Column("attempted_at", Utc, nullable=True),
    sa.Column("not_before", Utc, nullable=True),
    sa.Column("post_id", sa.Text, nullable=False, default=""),
    sa.Column("error", Json, nullable=False, default=dict),
    sa.Column("made_at", Utc, nullable=False),
    sa.Column("posted_at", Utc, nullable=True),
    sa.CheckConstraint(
        "state in ('review', 'pending', 'sending', 'unknown', 'refused', 'posted', 'superseded')",
        name="state",
    ),
)
sa.Index(None, outbox.c.thread, outbox.c.state)
sa.Index(None, outbox.c.mark)

log = sa.Table(
    "log",
    metadata,
    sa.Column("thread", sa.String(100), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("entry", Json, nullable=False),
    sa.Column("previous", sa.String(64), nullable=False),
    sa.Column("hash", sa.String(64), nullable=False),
)

heard = sa.Table(
    "heard",
    metadata,
    sa.Column("thread", sa.ForeignKey("thread.key"), primary_key=True),
    sa.Column("post_id", sa.Text, primary_key=True),
    sa.Column("tag", sa.String(64), primary_key=True),  # hash of its words and which of its kind
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("at", Utc, nullable=False),
)

inbox = sa.Table(
    "inbox",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("thread", sa.String(100), nullable=False),
    sa.Column("words", Words, nullable=False),
    sa.Column("by", Words, nullable=False),
    sa.Column("made_at", Utc, nullable=False),
    sa.Column("done_at", Utc, nullable=True),
    sa.Column("answer", Words, nullable=False, default=""),
)

site = sa.Table(
    "site",
    metadata,
    sa.Column("name", sa.String(100), primary_key=True),
    sa.Column("referee_id", sa.Text, nullable=False, default=""),
    sa.Column("session", Json, nullable=False, default=dict),  # cookies, validators
    sa.Column("error", Json, nullable=False, default=dict),
    sa.Column("retry_at", Utc, nullable=True),
    sa.Column("failures", sa.Integer, nullable=False, default=0),
)
