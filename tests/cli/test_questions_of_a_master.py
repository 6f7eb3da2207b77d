"""What a game master asks of a fight: who rolled what, who was silent, what was changed after."""

import csv
import io
import json
from typing import Any

import pytest
from typer.testing import CliRunner

from referee.cli import app
from tests.referee.harness import Mesa


@pytest.fixture(scope="module")
def mesa(tmp_path_factory: pytest.TempPathFactory) -> Mesa:
    """Two rounds: in the first Ximena is silent, a modifier is given, a post is edited after."""
    mesa = Mesa(tmp_path_factory.mktemp("mesa"))
    mesa.begin()
    mesa.post("narradora", "[árbitro: mod | Lope | ataque | +20 | motivo: ventaja]")
    file = mesa.post("lucia", "[acción: ataque | Bandido 1]")
    mesa.declare_all(skip=("Lope", "Ximena"))
    mesa.serve()
    mesa.post("narradora", "[árbitro: cerrar]")
    mesa.serve(2)
    file.write_text("[acción: parada]", encoding="utf-8")
    mesa.clock.forward(minutes=11)
    mesa.serve(2)
    mesa.declare_all()
    mesa.serve(2)
    return mesa


def asked(mesa: Mesa, *words: str) -> str:
    done = CliRunner().invoke(app, [*words, "--config", str(mesa.config)])
    assert done.exit_code == 0, done.output
    return done.output


def rows(mesa: Mesa, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(asked(mesa, "log", "molino", *words, "--json"))
    return found


def test_entries_are_numbered_through_the_log(mesa: Mesa) -> None:
    assert [row["number"] for row in rows(mesa)] == list(range(1, len(rows(mesa)) + 1))
    table = list(csv.DictReader(io.StringIO(asked(mesa, "log", "molino", "--csv"))))
    assert [int(row["number"]) for row in table] == [row["number"] for row in rows(mesa)]


def test_the_log_is_filtered_by_kind_author_round_and_name(mesa: Mesa) -> None:
    assert {row["kind"] for row in rows(mesa, "--kind", "locked")} == {"locked"}
    assert {row["by"] for row in rows(mesa, "--by", "narradora")} == {"narradora"}
    first = rows(mesa, "--round", "1")
    assert {row["round_number"] for row in first} == {1}
    assert {"round_opened", "locked", "resolved", "modified"} <= {row["kind"] for row in first}
    assert all(
        "Ximena" in json.dumps(row, ensure_ascii=False) for row in rows(mesa, "--about", "ximena")
    )
    assert len(rows(mesa, "--about", "ximena")) < len(rows(mesa))


def test_every_roll_is_told_with_its_modifiers(mesa: Mesa) -> None:
    found = rows(mesa, "--rolls", "--round", "1", "--about", "Lope.attack")
    assert [row["label"] for row in found] == ["Lope.attack"]
    assert "+20" in found[0]["parts"]
    assert found[0]["against"] == 65 + 20
    every = rows(mesa, "--rolls")
    table = list(csv.DictReader(io.StringIO(asked(mesa, "log", "molino", "--rolls", "--csv"))))
    assert [row["label"] for row in table] == [row["label"] for row in every]
    assert "Lope.attack" in asked(mesa, "log", "molino", "--rolls")


def test_a_round_says_who_was_silent_what_was_ordered_and_what_was_changed_after(
    mesa: Mesa,
) -> None:
    told = asked(mesa, "show", "molino", "1")
    assert "Ximena (standing)" in told
    assert "mod | Lope | ataque | +20" in told
    assert "después del cierre" in told or "after the lock" in told
    report = json.loads(asked(mesa, "show", "molino", "1", "--json"))
    assert [one["kind"] for one in report["changed_after_lock"]] == ["edited_after_lock"]
    assert [one["actor"] for one in report["missing"]] == ["Ximena"]
    assert "missing=Ximena (standing)" in asked(mesa, "log", "molino", "--kind", "locked", "--csv")
