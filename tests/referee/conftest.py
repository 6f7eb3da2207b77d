"""What the shell's tests share: a scripted forum's thread with a database of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from referee import app
from referee.storage.store import Store
from tests.referee.scripted import Mill, Office


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database of the newest schema, to copy from."""
    path = tmp_path_factory.mktemp("empty") / "referee.db"
    Store.open(f"sqlite:///{path}").close()
    return path


@pytest.fixture
def office(empty_database: Path, tmp_path: Path) -> Iterator[Office]:
    """A thread of a scripted forum."""
    it = Office(empty_database, tmp_path / "office.db")
    yield it
    it.store.close()


@pytest.fixture
def mill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mill:
    """A table whose thread is a scripted forum's; the referee has not come by yet."""
    table = Mill(tmp_path)
    monkeypatch.setitem(app.BY_NAME, "folder", lambda *_, **__: table.forum)
    return table
