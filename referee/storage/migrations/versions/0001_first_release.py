"""First release."""

import sqlalchemy as sa
from alembic import op

import referee.storage.tables

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what this version needs."""
    op.create_table(
        "inbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("thread", sa.String(length=100), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("made_at", referee.storage.tables.Utc(timezone=True), nullable=False),
        sa.Column("done_at", referee.storage.tables.Utc(timezone=True), nullable=True),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbox")),
    )
    op.create_table(
        "log",
        sa.Column("thread", sa.String(length=100), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("entry", referee.storage.tables.Json(), nullable=False),
        sa.Column("previous", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("thread", "number", name=op.f("pk_log")),
    )
    op.create_table(
        "site",
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("referee_id", sa.Text(), nullable=False),
        sa.Column("session", referee.storage.tables.Json(), nullable=False),
        sa.Column("error", referee.storage.tables.Json(), nullable=False),
        sa.Column("retry_at", referee.storage.tables.Utc(timezone=True), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_site")),
    )
    op.create_table(
        "thread",
        sa.Column("key", sa.String(length=100), nullable=False),
        sa.Column("site", sa.String(length=100), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("referee_id", sa.Text(), nullable=False),
        sa.Column("cursor_url", sa.Text(), nullable=False),
        sa.Column("page_digest", sa.String(length=64), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("paused_at", referee.storage.tables.Utc(timezone=True), nullable=True),
        sa.Column("read_at", referee.storage.tables.Utc(timezone=True), nullable=True),
        sa.Column("looked_back_at", referee.storage.tables.Utc(timezone=True), nullable=True),
        sa.Column("error", referee.storage.tables.Json(), nullable=False),
        sa.Column("retry_at", referee.storage.tables.Utc(timezone=True), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("heard", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_thread")),
    )
    op.create_table(
        "fight",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("thread", sa.String(length=100), nullable=False),
        sa.Column("ruleset", sa.String(length=50), nullable=False),
        sa.Column("ruleset_version", sa.String(length=50), nullable=False),
        sa.Column("setup", referee.storage.tables.Json(), nullable=False),
        sa.Column("state", referee.storage.tables.Json(), nullable=False),
        sa.Column("standing", referee.storage.tables.Json(), nullable=False),
        sa.Column("began_at", referee.storage.tables.Utc(timezone=True), nullable=False),
        sa.Column("began_after", sa.Integer(), nullable=False),
        sa.Column("ended_at", referee.storage.tables.Utc(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["thread"], ["thread.key"], name=op.f("fk_fight_thread_thread")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_fight")),
    )
    with op.batch_alter_table("fight", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_fight_thread"), ["thread"], unique=False)

    op.create_table(
        "heard",
        sa.Column("thread", sa.String(length=100), nullable=False),
        sa.Column("post_id", sa.Text(), nullable=False),
        sa.Column("tag", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("at", referee.storage.tables.Utc(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["thread"], ["thread.key"], name=op.f("fk_heard_thread_thread")),
        sa.PrimaryKeyConstraint("thread", "post_id", "tag", name=op.f("pk_heard")),
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("thread", sa.String(length=100), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("mark", sa.String(length=32), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("edits", sa.String(length=32), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("draft", referee.storage.tables.Json(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("attempted_at", referee.storage.tables.Utc(timezone=True), nullable=True),
        sa.Column("not_before", referee.storage.tables.Utc(timezone=True), nullable=True),
        sa.Column("post_id", sa.Text(), nullable=False),
        sa.Column("error", referee.storage.tables.Json(), nullable=False),
        sa.Column("made_at", referee.storage.tables.Utc(timezone=True), nullable=False),
        sa.Column("posted_at", referee.storage.tables.Utc(timezone=True), nullable=True),
        sa.CheckConstraint(
            "state in ('review', 'pending', 'sending', 'unknown', 'refused', 'posted',"
            " 'superseded')",
            name=op.f("ck_outbox_state"),
        ),
        sa.ForeignKeyConstraint(["thread"], ["thread.key"], name=op.f("fk_outbox_thread_thread")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
    )
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_outbox_mark"), ["mark"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_outbox_thread_state"), ["thread", "state"], unique=False
        )

    op.create_table(
        "post",
        sa.Column("thread", sa.String(length=100), nullable=False),
        sa.Column("post_id", sa.Text(), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("author_id", sa.Text(), nullable=False),
        sa.Column("author_name", sa.Text(), nullable=False),
        sa.Column("page_url", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("posted_at", referee.storage.tables.Utc(timezone=True), nullable=True),
        sa.Column("gone_at", referee.storage.tables.Utc(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["thread"], ["thread.key"], name=op.f("fk_post_thread_thread")),
        sa.PrimaryKeyConstraint("thread", "post_id", name=op.f("pk_post")),
    )
    with op.batch_alter_table("post", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_post_thread_sequence"), ["thread", "sequence"], unique=False
        )

    op.create_table(
        "seed",
        sa.Column("thread", sa.String(length=100), nullable=False),
        sa.Column("name", sa.String(length=50), nullable=False),
        sa.Column("secret", sa.LargeBinary(length=32), nullable=False),
        sa.Column("commitment", sa.String(length=64), nullable=False),
        sa.Column("made_at", referee.storage.tables.Utc(timezone=True), nullable=False),
        sa.Column("committed_by", sa.String(length=32), nullable=False),
        sa.Column("revealed_by", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(["thread"], ["thread.key"], name=op.f("fk_seed_thread_thread")),
        sa.PrimaryKeyConstraint("thread", "name", name=op.f("pk_seed")),
    )
    op.create_table(
        "round",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("fight", sa.Integer(), nullable=False),
        sa.Column("thread", sa.String(length=100), nullable=False),
        sa.Column("serial", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("opened_at", referee.storage.tables.Utc(timezone=True), nullable=False),
        sa.Column("opens_after", sa.Integer(), nullable=True),
        sa.Column("deadline", referee.storage.tables.Utc(timezone=True), nullable=True),
        sa.Column("locks_at", referee.storage.tables.Utc(timezone=True), nullable=True),
        sa.Column("settles_at", referee.storage.tables.Utc(timezone=True), nullable=True),
        sa.Column("locked_at", referee.storage.tables.Utc(timezone=True), nullable=True),
        sa.Column("lock_sequence", sa.Integer(), nullable=True),
        sa.Column("resolved_at", referee.storage.tables.Utc(timezone=True), nullable=True),
        sa.Column("state_before", referee.storage.tables.Json(), nullable=False),
        sa.Column("state_opened", referee.storage.tables.Json(), nullable=False),
        sa.Column("opening", referee.storage.tables.Json(), nullable=False),
        sa.Column("open_input", sa.String(length=64), nullable=False),
        sa.Column("lock_input", sa.String(length=64), nullable=False),
        sa.Column("locked", referee.storage.tables.Json(), nullable=False),
        sa.Column("amendments", referee.storage.tables.Json(), nullable=False),
        sa.Column("outcome", referee.storage.tables.Json(), nullable=False),
        sa.Column("state_after", referee.storage.tables.Json(), nullable=False),
        sa.Column("resolutions", sa.Integer(), nullable=False),
        sa.Column("notes", referee.storage.tables.Json(), nullable=False),
        sa.Column("status_mark", sa.String(length=32), nullable=False),
        sa.CheckConstraint(
            "status in ('declaring', 'locked', 'asking', 'ruling', 'resolved', 'reopened',"
            " 'undone')",
            name=op.f("ck_round_status"),
        ),
        sa.ForeignKeyConstraint(["fight"], ["fight.id"], name=op.f("fk_round_fight_fight")),
        sa.ForeignKeyConstraint(["thread"], ["thread.key"], name=op.f("fk_round_thread_thread")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_round")),
        sa.UniqueConstraint("thread", "serial", name=op.f("uq_round_thread_serial")),
    )
    op.create_table(
        "version",
        sa.Column("thread", sa.String(length=100), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("post_id", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("set_aside", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("seen_at", referee.storage.tables.Utc(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["thread", "post_id"],
            ["post.thread", "post.post_id"],
            name=op.f("fk_version_thread_post"),
        ),
        sa.ForeignKeyConstraint(["thread"], ["thread.key"], name=op.f("fk_version_thread_thread")),
        sa.PrimaryKeyConstraint("thread", "sequence", name=op.f("pk_version")),
    )
    with op.batch_alter_table("version", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_version_thread_post_id_sequence"),
            ["thread", "post_id", "sequence"],
            unique=False,
        )

    op.create_table(
        "question",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("thread", sa.String(length=100), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(length=20), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("data", referee.storage.tables.Json(), nullable=False),
        sa.Column("asked_at", referee.storage.tables.Utc(timezone=True), nullable=False),
        sa.Column("deadline", referee.storage.tables.Utc(timezone=True), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("answered_by", sa.Text(), nullable=True),
        sa.Column("answered_at", referee.storage.tables.Utc(timezone=True), nullable=True),
        sa.CheckConstraint("kind in ('choice', 'ruling')", name=op.f("ck_question_kind")),
        sa.ForeignKeyConstraint(["round"], ["round.id"], name=op.f("fk_question_round_round")),
        sa.ForeignKeyConstraint(["thread"], ["thread.key"], name=op.f("fk_question_thread_thread")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_question")),
        sa.UniqueConstraint("thread", "code", name=op.f("uq_question_thread_code")),
    )
