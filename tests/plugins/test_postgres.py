"""The tests' own PostgreSQL: what every test that asks for ``postgres_url`` relies on."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import sqlalchemy as sa


@contextmanager
def connected(url: str) -> Iterator[sa.Connection]:
    engine = sa.create_engine(url)
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


@pytest.mark.parametrize("visitor", ["first", "second"])
def test_each_test_finds_an_empty_database(postgres_url: str, visitor: str) -> None:
    with connected(postgres_url) as connection:
        assert sa.inspect(connection).get_table_names() == []
        connection.execute(sa.text(f"create table left_by_the_{visitor} (id integer)"))
        connection.commit()


def test_the_server_listens_on_loopback_alone(postgres_url: str) -> None:
    with connected(postgres_url) as connection:
        assert connection.scalar(sa.text("show listen_addresses")) == "127.0.0.1"
        assert connection.scalar(sa.text("show unix_socket_directories")) == ""


def test_a_wrong_password_opens_nothing(postgres_url: str) -> None:
    wrong = sa.make_url(postgres_url).set(password="guessed")
    with pytest.raises(sa.exc.OperationalError), connected(str(wrong)):
        pass


def test_whoever_asks_for_the_database_carries_its_marker(
    request: pytest.FixtureRequest, postgres_url: str
) -> None:
    assert postgres_url
    assert request.node.get_closest_marker("postgres") is not None
