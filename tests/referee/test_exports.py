"""A fight as one file, and rounds that were played by other rules than those at hand."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from referee.audits import audit_thread
from referee.evidence import canonical
from referee.exports import ExportError, Retold, _sum, export_fight, replay_file
from referee.restores import read_thread, restore
from rulesets.aquelarre.ruleset import Aquelarre
from tests.referee.harness import Mesa


@pytest.fixture(scope="module")
def mesa(tmp_path_factory: pytest.TempPathFactory) -> Mesa:
    """A fight of two rounds, the second corrected; then another fight whose round is open."""
    mesa = Mesa(tmp_path_factory.mktemp("mesa"))
    mesa.begin()
    for _ in range(2):
        mesa.declare_all()
        mesa.post("lucia", "[tirada: 1d100 | motivo: otear]")
        mesa.serve(2)
    mesa.post("narradora", "[árbitro: corregir | Lope | PV: 9 | motivo: se me pasó]")
    mesa.serve()
    mesa.post("narradora", "[árbitro: terminar]")
    mesa.serve()
    mesa.post("narradora", "[árbitro: iniciar]")
    mesa.serve()
    return mesa


def exported(mesa: Mesa, number: int | None = None) -> bytes:
    app = mesa.app()
    try:
        return export_fight(app, "molino", number)
    finally:
        app.store.close()


def replayed(content: bytes) -> Retold:
    return replay_file(content, "es")


def test_a_fight_is_told_and_checked_from_its_file_alone(mesa: Mesa) -> None:
    retold = replayed(exported(mesa, 1))
    assert retold.report["good"], retold.report
    assert retold.report["rounds"] == 2
    assert retold.report["unplayed"] == []
    first, second = retold.rounds
    assert "Asalto 1" in first
    assert "Asalto 2" in second
    assert "Lope" in first
    posts = " ".join(" ".join(mesa.own_posts()).replace("\\", "").split())
    paragraphs = [" ".join(part.split()) for part in first.split("\n\n")]
    story = next(part for part in paragraphs if "Lope" in part and part.endswith("."))
    assert story in posts


def test_a_later_fight_stands_on_what_came_before_it(mesa: Mesa) -> None:
    retold = replayed(exported(mesa))
    assert retold.report["good"], retold.report
    assert retold.report["dice"] > 0
    assert json.loads(exported(mesa))["fight"] == 2


def test_a_fight_that_was_ended_in_mid_round_leaves_the_next_one_its_promises(
    tmp_path: Path,
) -> None:
    mesa = Mesa(tmp_path)
    mesa.begin()
    mesa.post("narradora", "[árbitro: terminar] [árbitro: iniciar]")
    mesa.serve(2)
    for _ in range(3):
        mesa.declare_all()
        mesa.serve(2)
    assert [row.resolutions for row in mesa.rounds()][:4] == [0, 1, 1, 1]
    found = [f.code for f in mesa.verify().findings if f.verdict != "holds"]
    assert found == ["reveal_missing"]  # of the round that was given up
    assert mesa.audit()["good"]
    lost = lose_and_restore(mesa)
    assert lost["differs"] == []


def lose_and_restore(mesa: Mesa) -> dict[str, Any]:
    for file in (mesa.path / "var").glob("*"):
        file.unlink()
    app = mesa.app()
    try:
        return restore(app, "molino", asyncio.run(read_thread(app, "molino")))
    finally:
        asyncio.run(app.close())


def test_a_fight_that_was_ended_in_mid_round_leaves_the_next_one_checkable(mesa: Mesa) -> None:
    assert [row.status for row in mesa.rounds()][-2:] == ["declaring", "declaring"]
    assert mesa.audit()["good"], mesa.audit()
    assert mesa.verify().verdict == "holds", mesa.verify().findings


def test_no_secret_is_written_that_is_still_one(mesa: Mesa) -> None:
    seeds = {seed.name: seed for seed in mesa.read(lambda records: records.seeds("molino"))}
    written = exported(mesa).decode()
    assert seeds["lock.4"].revealed_by == ""
    assert seeds["open.4"].secret.hex() in written
    hidden = [seed for seed in seeds.values() if not seed.revealed_by]
    assert hidden
    assert [seed.name for seed in hidden if seed.secret.hex() in written] == []


def test_the_file_is_the_same_each_time_and_canonical(mesa: Mesa) -> None:
    content = exported(mesa, 1)
    assert content == exported(mesa, 1)
    assert content == canonical(json.loads(content)) + b"\n"


@pytest.mark.parametrize("place", range(12))
def test_a_changed_byte_is_found(mesa: Mesa, place: int) -> None:
    content = bytearray(exported(mesa, 1))
    at = (place * 2 + 1) * len(content) // 25
    content[at] = content[at] ^ 1
    with pytest.raises(ExportError):
        replayed(bytes(content))


def test_a_changed_row_is_named_even_when_the_sum_was_made_anew(mesa: Mesa) -> None:
    data = json.loads(exported(mesa, 1))
    del data["sum"]
    place, row = next(
        (n, r) for n, r in enumerate(data["log"], 1) if r["entry"]["kind"] == "locked"
    )
    row["entry"]["locked"]["claims"][0]["words"][0] += " "
    data["sum"] = _sum(data)
    report = replayed(canonical(data)).report
    assert not report["good"]
    assert report["number"] == place
    assert report["kind"] == "locked"
    assert report["what"] == "entry_changed"


def test_files_that_are_none_are_refused() -> None:
    for content in (b"", b"{}", b"[1]", b'{"format":"pbw-fight 1"}', b"[" * 100_000, b"\xff"):
        with pytest.raises(ExportError):
            replayed(content)


def test_a_fight_that_is_not_there_is_told(mesa: Mesa) -> None:
    with pytest.raises(ExportError) as raised:
        exported(mesa, 3)
    assert raised.value.facts["fights"] == 2


# R46: rounds played by other rules.


def test_another_version_of_the_rules_is_no_false_alarm(
    mesa: Mesa, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert mesa.audit()["unplayed"] == []
    monkeypatch.setattr(Aquelarre, "version", "999")
    report = mesa.audit()
    assert report["good"], report
    assert report["dice"] > 0
    first = report["unplayed"][0]
    assert first["code"] == "version_differs"
    assert first["installed"]["version"] == "999"
    assert first["played"]["version"] != "999"
    retold = replayed(exported(mesa, 1))
    assert retold.report["good"]
    assert retold.report["unplayed"]
    assert retold.rounds == ()


def test_another_row_in_a_table_is_no_false_alarm_either(mesa: Mesa) -> None:
    app = mesa.app()
    try:
        table = app.table("molino", "arbitro")
        object.__setattr__(table, "tables_hash", "f" * 64)
        app._tables = {("molino", known): table for known in ("", "arbitro")}  # noqa: SLF001 - nothing public tells it
        report = audit_thread(app, "molino")
    finally:
        app.store.close()
    assert report["good"]
    assert {one["installed"]["tables"] for one in report["unplayed"]} == {"f" * 64}


def test_a_round_that_is_stored_otherwise_than_logged_is_named(tmp_path: Path) -> None:
    mesa = Mesa(tmp_path)
    mesa.begin()
    mesa.declare_all()
    mesa.serve(2)
    app = mesa.app()
    with app.store.transaction("tamper") as records:
        (first, _) = records.rounds("molino")
        records.set_round(first.id, outcome={**first.outcome, "events": []})
    app.store.close()
    report = mesa.audit()
    assert not report["good"]
    assert report["what"] == "round 1 outcome"
