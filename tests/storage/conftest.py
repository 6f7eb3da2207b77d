"""Databases to keep things in: SQLite, and PostgreSQL where the machine has one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.storage.store import Store


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """Address of a database in a file that is not there yet, nor is its folder."""
    return f"sqlite:///{tmp_path}/var/referee.db"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, sqlite_url: str) -> str:
    """Address of an empty database of each kind in turn."""
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_url"))
    return sqlite_url


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """The same with its tables."""
    it = Store.open(url)
    yield it
    it.close()
