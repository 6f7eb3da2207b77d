"""What the typed questions and answers promise beyond the tables themselves."""

from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from referee.evidence import GENESIS, link
from referee.storage.store import Store
from referee.storage.tables import metadata

NOW = datetime(2026, 11, 30, 18, 0, tzinfo=UTC)


def test_the_log_is_a_chain_of_its_own_for_each_thread(store: Store) -> None:
    entries = [{"kind": "posted", "number": number, "words": "¡Ñu! 🗡️"} for number in range(3)]
    with store.transaction("log") as records:
        for entry in entries:
            records.append_log("molino", entry)
            records.append_log("venta", {"kind": "other"})
    with store.reading() as records:
        rows, others = records.log("molino"), records.log("venta")
    assert [row.number for row in others] == [1, 2, 3]
    previous = GENESIS
    for number, (row, entry) in enumerate(zip(rows, entries, strict=True), start=1):
        assert (row.number, row.entry, row.previous) == (number, entry, previous)
        assert row.hash == link(previous, entry)
        previous = row.hash


def test_an_error_does_not_show_what_stood_in_its_row(store: Store) -> None:
    """The daemon logs it, and ``referee status`` shows it."""
    seed = {
        "thread": "molino",
        "name": "lock.1",
        "secret": b"canario-9f3a",
        "commitment": "canario-9f3a",
        "made_at": NOW,
    }
    with store.transaction("seed") as records:
        records.add_thread("molino", "foro", "12")
        records.add_seed(**seed)
    with pytest.raises(sa.exc.IntegrityError) as caught, store.transaction("twice") as records:
        records.add_seed(**seed)
    assert "seed" in str(caught.value).casefold()
    assert "canario" not in str(caught.value)


def test_every_rule_of_the_tables_stands_in_the_database_under_its_name(store: Store) -> None:
    """Alembic compares no check constraints, and names only where it must."""
    inspector = sa.inspect(store.engine)
    for table in metadata.sorted_tables:
        there = {
            *(found["name"] for found in inspector.get_check_constraints(table.name)),
            *(found["name"] for found in inspector.get_foreign_keys(table.name)),
            *(found["name"] for found in inspector.get_unique_constraints(table.name)),
            inspector.get_pk_constraint(table.name)["name"],
        }
        assert there == {constraint.name for constraint in table.constraints}, table.name
