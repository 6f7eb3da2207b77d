"""Databases are brought up to date from any released version, with what they hold."""

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import event

from referee.storage import migrate
from referee.storage import tables as t
from referee.storage.store import Store, create_engine
from tests.storage.filled import rows

SCRIPTS = ScriptDirectory.from_config(migrate.alembic_config())
RELEASED = [script.revision for script in SCRIPTS.walk_revisions()][::-1]


@pytest.fixture
def engine(url: str, tmp_path: Path) -> Iterator[sa.Engine]:
    (tmp_path / "var").mkdir()
    it = create_engine(url)
    yield it
    it.dispose()


@contextmanager
def looked_at(url: str) -> Iterator[sa.Inspector]:
    engine = sa.create_engine(url)
    try:
        with engine.connect() as connection:
            yield sa.inspect(connection)
    finally:
        engine.dispose()


def test_an_empty_database_comes_up_to_the_tables_that_the_code_knows(store: Store) -> None:
    with store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        assert compare_metadata(context, t.metadata) == []
        assert context.get_current_revision() == t.REVISION


def test_the_code_knows_its_newest_migration() -> None:
    assert t.REVISION == SCRIPTS.get_current_head() == RELEASED[-1]


@pytest.mark.parametrize("released", RELEASED)
def test_rows_of_every_released_version_come_up_whole(engine: sa.Engine, released: str) -> None:
    migrate.upgrade(engine, released)
    old = sa.MetaData()
    old.reflect(engine)
    kept: dict[str, dict[str, Any]] = {
        name: {column: value for column, value in row.items() if column in old.tables[name].c}
        for name, row in rows().items()
        if name in old.tables
    }
    with engine.begin() as connection:
        for name, row in kept.items():
            # Through today's types: what a column holds is a text, a number or a moment.
            connection.execute(sa.insert(t.metadata.tables[name]).values(**row))
    migrate.upgrade(engine)
    with engine.connect() as connection:
        for name, row in kept.items():
            columns = [t.metadata.tables[name].c[column] for column in row]
            assert dict(connection.execute(sa.select(*columns)).mappings().one()) == row


def test_a_database_that_is_up_to_date_does_not_wake_the_migrations(
    url: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.close()

    def never(engine: sa.Engine) -> None:
        raise AssertionError(engine)

    monkeypatch.setattr(migrate, "upgrade", never)
    Store.open(url).close()


def test_a_migration_that_dies_before_its_commit_leaves_nothing_behind(url: str) -> None:
    class DeadError(Exception):
        pass

    def die(connection: sa.Connection) -> None:
        del connection
        raise DeadError

    event.listen(sa.Engine, "commit", die)
    try:
        with pytest.raises(DeadError):
            Store.open(url)
    finally:
        event.remove(sa.Engine, "commit", die)
    with looked_at(url) as inspector:
        assert inspector.get_table_names() == []
    Store.open(url).close()
    with looked_at(url) as inspector:
        assert set(inspector.get_table_names()) == {*t.metadata.tables, "alembic_version"}


def test_the_schema_is_committed_between_two_checkpoints(url: str) -> None:
    heard: list[str] = []
    Store.open(url, heard.append).close()
    assert heard == ["commit schema: before", "commit schema: after"]
    Store.open(url, heard.append).close()
    assert len(heard) == 2


def test_a_database_of_ones_own_is_not_for_others_eyes(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "referee.db"
    store = Store.open(f"sqlite:///{path}")
    # Its journal and its shared memory, which stand beside it while it is open, hold the same.
    files = sorted(path.parent.iterdir())
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in files}
    store.close()
    assert modes == {"referee.db": 0o600, "referee.db-shm": 0o600, "referee.db-wal": 0o600}


def test_the_owner_may_open_a_database_to_others(tmp_path: Path) -> None:
    path = tmp_path / "referee.db"
    path.touch(0o640)
    path.chmod(0o640)
    Store.open(f"sqlite:///{path}").close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
