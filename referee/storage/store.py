"""The database: one engine, one transaction at a time, migrated before use.

All calls are synchronous and are made on one worker thread (``app.py`` sees to that): async
drivers cost several times as much a transaction and bring nothing to one daemon.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import event

from referee.errors import OperatorError
from referee.storage.records import Records
from referee.storage.tables import REVISION

Reached = Callable[[str], None]


def _silent(name: str) -> None:
    del name


def create_engine(url: str) -> sa.Engine:
    """An engine whose SQLite connections are durable and serialise their writers.

    ``synchronous=FULL``: a commit that was told must survive a power cut, since a seed or an
    outbox row that is forgotten after its post was sent breaks the evidence.
    ``BEGIN IMMEDIATE``: without it two readers that turn writers lose an update in silence.
    """
    # An error is logged and shown: the row that it is about may hold a seed or a cookie.
    engine = sa.create_engine(url, hide_parameters=True)
    if engine.dialect.name != "sqlite":
        return engine

    @event.listens_for(engine, "connect")
    def _connect(connection: object, record: object) -> None:
        del record
        connection.isolation_level = None  # type: ignore[attr-defined] # sqlite3's own; we begin
        cursor = connection.cursor()  # type: ignore[attr-defined] # DBAPI connection, untyped
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
            "busy_timeout=10000",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        only_looks = connection.get_execution_options().get("only_looks", False)
        connection.exec_driver_sql("BEGIN" if only_looks else "BEGIN IMMEDIATE")

    return engine


_REVISION = sa.text("select version_num from alembic_version")


def _make_private(path: Path) -> None:
    """Make an SQLite file that only its owner can read: it will hold seeds and cookies.

    SQLite gives its journal and shared memory the same permissions.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


class Store:
    """Opens transactions. ``reached`` hears a named checkpoint before and after each commit."""

    def __init__(self, engine: sa.Engine, reached: Reached = _silent) -> None:
        """Keep the engine; nothing is opened yet."""
        self.engine = engine
        self._reached = reached

    @classmethod
    def open(cls, url: str, reached: Reached = _silent) -> "Store":
        """Connect, making an SQLite file and its folder, and bring the schema up to date.

        Raises:
            OperatorError: no such database, no leave to use it, or one of a newer version.
        """
        location = sa.make_url(url)
        shown = location.render_as_string(hide_password=True)
        store = cls(create_engine(url), reached)
        try:
            if location.get_backend_name() == "sqlite" and location.database:
                _make_private(Path(location.database))
            store._bring_up(shown)
        except (sa.exc.DBAPIError, OSError) as error:
            # What a driver says may quote the password.
            reason = type(getattr(error, "orig", error)).__name__
            store.close()
            raise OperatorError(
                "database_unreachable", "check_database", database=shown, reason=reason
            ) from None
        except BaseException:
            store.close()
            raise
        return store

    def _bring_up(self, shown: str) -> None:
        with self._looking() as connection:
            there = sa.inspect(connection).has_table("alembic_version")
            revision = connection.scalar(_REVISION) if there else None
        if revision == REVISION:
            return
        from referee.storage.migrate import is_known, upgrade  # noqa: PLC0415 # alembic costs 0.3 s

        if revision is not None and not is_known(revision):
            raise OperatorError("database_newer", "update_the_referee", database=shown)
        self._reached("commit schema: before")
        upgrade(self.engine)
        self._reached("commit schema: after")

    @contextmanager
    def transaction(self, name: str) -> Iterator[Records]:
        """Everything or nothing; ``name`` says which transition it is."""
        with self.engine.connect() as connection:
            with connection.begin() as transaction:
                yield Records(connection)
                self._reached(f"commit {name}: before")
                transaction.commit()
            self._reached(f"commit {name}: after")

    @contextmanager
    def reading(self) -> Iterator[Records]:
        """A look that changes nothing, and waits for nobody who does."""
        with self._looking() as connection:
            yield Records(connection)

    @contextmanager
    def _looking(self) -> Iterator[sa.Connection]:
        with (
            self.engine.connect().execution_options(only_looks=True) as connection,
            connection.begin() as transaction,
        ):
            yield connection
            transaction.rollback()

    @contextmanager
    def trial(self) -> Iterator[Records]:
        """Changes that are thrown away at the end."""
        with self.engine.connect() as connection, connection.begin() as transaction:
            yield Records(connection)
            transaction.rollback()

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()
