"""Everything or nothing, for good, and nobody's writing lost: what all else relies on."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.storage import tables as t
from referee.storage.records import Records
from referee.storage.store import Store
from tests.storage.filled import AS_UTC, MOMENT, WORDS, fill, rows

NAIVE = datetime(2026, 11, 30, 18, 0)  # noqa: DTZ001 # that is the point
KEY = "molino"


@pytest.fixture
def thread(store: Store) -> Store:
    """A store with one thread in it."""
    with store.transaction("begin") as records:
        records.add_thread(KEY, "foro", "12")
    return store


@pytest.fixture
def sqlite(sqlite_url: str) -> Iterator[Store]:
    """The same on SQLite alone."""
    it = Store.open(sqlite_url)
    with it.transaction("begin") as records:
        records.add_thread(KEY, "foro", "12")
    yield it
    it.close()


def sequence(records: Records) -> int:
    row = records.thread(KEY)
    assert row is not None
    return row.sequence


# ------------------------------------------------------------------------------ what goes in


def test_every_table_gives_back_what_it_was_given(store: Store) -> None:
    with store.engine.begin() as connection:
        fill(connection)
    with store.engine.connect() as connection:
        for name, row in rows().items():
            found = dict(connection.execute(sa.select(t.metadata.tables[name])).mappings().one())
            assert found == row, name
            # A number or an order that JSON had changed would be equal all the same.
            assert str(found) == str(row).replace(repr(MOMENT), repr(AS_UTC)), name


def test_a_moment_comes_back_in_utc(thread: Store) -> None:
    with thread.transaction("pause") as records:
        records.set_thread(KEY, paused_at=MOMENT)
    with thread.reading() as records:
        row = records.thread(KEY)
    assert row is not None
    assert row.paused_at == AS_UTC
    assert row.paused_at.tzinfo is UTC


def test_a_moment_without_a_zone_is_refused(thread: Store) -> None:
    with (
        pytest.raises(sa.exc.StatementError, match="naive datetime"),
        thread.transaction("pause") as records,
    ):
        records.set_thread(KEY, paused_at=NAIVE)


@pytest.mark.parametrize(
    ("words", "kept"),
    [("a\0b", "a\ufffdb"), ("a\ud83d", "a\ufffd"), ("\udde1a", "\ufffda"), ("\ud83d\udde1", "🗡")],
    ids=["nul", "first half of a pair", "second half of a pair", "a pair in two pieces"],
)
def test_what_a_database_refuses_is_kept_as_a_question_mark(
    thread: Store, words: str, kept: str
) -> None:
    assert as_kept(thread, words) == kept


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_any_other_words_are_kept_as_they_are(thread: Store, words: str) -> None:
    assert as_kept(thread, words) == words


def as_kept(store: Store, words: str) -> str:
    with store.trial() as records:
        found = records.inbox_row(records.add_inbox(KEY, words, "narradora", MOMENT))
    assert found is not None
    return found.words


def test_ids_from_outside_may_be_long(thread: Store) -> None:
    long = "9" * 300
    with thread.transaction("merge") as records:
        records.add_post(
            KEY,
            post_id=long,
            sequence=1,
            author_id=long,
            author_name=WORDS,
            page_url=long,
            url="",
            posted_at=None,
        )
        records.add_version(
            KEY, sequence=1, post_id=long, words="", set_aside="", digest="", seen_at=MOMENT
        )
        assert records.known(KEY, [long])[long].author_id == long


# ------------------------------------------------------------------------------ transactions


def test_what_fails_leaves_nothing(thread: Store) -> None:
    def fail() -> None:
        with thread.transaction("fail") as records:
            records.next_sequence(KEY)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with thread.reading() as records:
        assert sequence(records) == 0


def test_a_trial_leaves_nothing(thread: Store) -> None:
    with thread.trial() as records:
        assert records.next_sequence(KEY) == 1
    with thread.reading() as records:
        assert sequence(records) == 0


def test_a_commit_stands_between_its_checkpoints(store: Store) -> None:
    seen: list[tuple[str, int]] = []

    def reached(name: str) -> None:
        with store.reading() as records:
            seen.append((name, len(records.threads())))

    watched = Store(store.engine, reached)
    with watched.transaction("begin") as records:
        records.add_thread(KEY, "foro", "12")
    with watched.reading():
        pass
    assert seen == [("commit begin: before", 0), ("commit begin: after", 1)]


def test_a_row_without_its_thread_is_refused(store: Store) -> None:
    with pytest.raises(sa.exc.IntegrityError), store.transaction("orphan") as records:
        records.add_seed(
            thread="nowhere",
            name="lock.1",
            secret=b"s" * 32,
            commitment="",
            made_at=MOMENT,
            committed_by="",
            revealed_by="",
        )


@pytest.mark.parametrize(
    ("table", "changed"),
    [(t.outbox, {"state": "lost"}), (t.round_, {"status": "idle"}), (t.question, {"kind": "quiz"})],
    ids=["outbox", "round", "question"],
)
def test_a_state_that_nobody_knows_is_refused(
    store: Store, table: sa.Table, changed: dict[str, Any]
) -> None:
    with store.engine.begin() as connection:
        fill(connection)
    with pytest.raises(sa.exc.IntegrityError), store.engine.begin() as connection:
        connection.execute(sa.update(table).values(**changed))


def test_posts_counted_side_by_side_get_different_numbers(url: str, thread: Store) -> None:
    other = Store.open(url)

    def count(store: Store) -> list[int]:
        numbers = []
        for _ in range(20):
            with store.transaction("count") as records:
                numbers.append(records.next_sequence(KEY))
        return numbers

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(count, [thread, other]))
    other.close()
    assert sorted(found[0] + found[1]) == list(range(1, 41))


# ------------------------------------------------------------------------------ SQLite alone


def test_sqlite_forgets_no_commit_when_the_power_fails(sqlite: Store) -> None:
    # Every connection anew: a pragma holds for its connection alone. 2 is FULL.
    for _ in range(2):
        with sqlite.engine.connect() as connection:
            told = {
                name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                for name in ("synchronous", "foreign_keys", "journal_mode")
            }
        assert told == {"synchronous": 2, "foreign_keys": 1, "journal_mode": "wal"}
        sqlite.engine.dispose()


def test_two_that_read_and_then_write_lose_nothing(sqlite_url: str, sqlite: Store) -> None:
    # With a plain BEGIN both would read the same figure, and one of the two would be lost.
    other = Store.open(sqlite_url)

    def add(store: Store) -> None:
        for _ in range(20):
            with store.transaction("add") as records:
                records.set_thread(KEY, failures=failures(records) + 1)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(add, [sqlite, other]))
    other.close()
    with sqlite.reading() as records:
        assert failures(records) == 40


def failures(records: Records) -> int:
    row = records.thread(KEY)
    assert row is not None
    return row.failures


def test_a_reader_waits_for_no_writer(sqlite_url: str, sqlite: Store) -> None:
    other = Store.open(sqlite_url)
    with sqlite.transaction("write") as records:
        records.next_sequence(KEY)
        with other.reading() as elsewhere:
            assert sequence(elsewhere) == 0
    other.close()
