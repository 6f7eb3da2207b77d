"""Secret rolls, made in public and opened later; dice that the game master sets, in sight."""

from pathlib import Path
from typing import Any

import pytest

from referee.exports import export_fight, replay_file
from referee.hidden import secrets_of
from tests.referee.harness import Mesa


@pytest.fixture
def mesa(tmp_path: Path) -> Mesa:
    mesa = Mesa(tmp_path)
    mesa.begin()
    return mesa


def secrets(mesa: Mesa) -> list[dict[str, Any]]:
    return mesa.read(lambda records: secrets_of(records, "molino"))


def checks_out(mesa: Mesa) -> None:
    report = mesa.verify()
    assert report.verdict == "holds", report.findings
    audit = mesa.audit()
    assert audit["good"], audit


def test_a_secret_roll_is_seen_to_be_made_and_not_what_it_shows(mesa: Mesa) -> None:
    mesa.post("narradora", "[árbitro: tirada secreta | 1d100+15 | motivo: Acechar]")
    mesa.serve()
    post = mesa.own_posts()[-1]
    (row,) = secrets(mesa)
    assert "S1" in post
    assert "Acechar" in post
    assert "reveal" not in post
    assert "= " not in post
    assert row["total"] == row["faces"][0] + 15
    assert not row["open"]
    assert [f.code for f in mesa.verify().findings if f.code == "secret_closed"]
    checks_out(mesa)


def test_an_opened_roll_shows_the_die_that_was_made_before(mesa: Mesa) -> None:
    mesa.post("narradora", "[árbitro: tirada secreta | 2d6] [árbitro: tirada secreta | 1d100]")
    mesa.serve()
    before = secrets(mesa)
    mesa.post("lucia", "[tirada: 1d20]")
    mesa.post("narradora", "[árbitro: revelar | S2]")
    mesa.serve()
    assert f"**{before[1]['total']}**" in mesa.own_posts()[-1]
    assert [row["open"] for row in secrets(mesa)] == [False, True]
    states = {(roll.seed, roll.label): roll.state for roll in mesa.verify().rolls}
    assert states["secret.2", "S2"] == "holds"
    checks_out(mesa)
    again = len(mesa.own_posts())
    mesa.post("narradora", "[árbitro: revelar | s2] [árbitro: revelar | S9]")
    mesa.serve()
    notes = {note["code"] for note in mesa.rounds()[-1].notes}
    assert {"secret_open", "unknown_secret"} <= notes
    assert len(mesa.own_posts()) == again


def test_players_cannot_roll_in_secret_nor_open(mesa: Mesa) -> None:
    mesa.post("narradora", "[árbitro: tirada secreta | 1d100]")
    mesa.serve()
    mesa.post("lucia", "[árbitro: revelar | S1] [árbitro: tirada secreta | 1d6]")
    mesa.serve()
    assert [row["open"] for row in secrets(mesa)] == [False]


def test_dice_that_cannot_be_read_use_up_no_seed(mesa: Mesa) -> None:
    mesa.post("narradora", "[árbitro: tirada secreta | 1k6]")
    mesa.serve()
    assert secrets(mesa) == []
    assert [n["code"] for n in mesa.rounds()[-1].notes] == ["bad_secret_roll"]


def test_a_set_die_is_used_and_stands_in_report_block_and_findings(mesa: Mesa) -> None:
    mesa.post("narradora", "[árbitro: dado | Lope.ataque | 7 | motivo: acordado]")
    mesa.serve()
    mesa.declare_all()
    mesa.serve(2)
    (attack,) = [e for e in mesa.events() if e["type"] == "attack" and e["actor"] == "Lope"]
    rolls = {roll["label"]: roll["faces"] for roll in mesa.rounds()[0].outcome["rolls"]}
    assert rolls["Lope.attack"] == [7]
    assert attack["target"] == "Bandido 1"
    report = next(post for post in mesa.own_posts() if "set Lope.attack = 7" in post)
    assert "acordado" in report.partition("PBW-EVIDENCE")[0]
    found = mesa.verify()
    (note,) = [f for f in found.findings if f.code == "die_set"]
    assert note.facts["shown"] == [7]
    (resolved,) = mesa.log("resolved")
    assert resolved["set"] == {"Lope.attack": [7]}
    checks_out(mesa)
    app = mesa.app()
    content = export_fight(app, "molino")
    app.store.close()
    assert replay_file(content).report["good"]


def test_setting_a_die_moves_no_other_die(mesa: Mesa) -> None:
    mesa.declare_all()
    mesa.serve(2)
    before = {roll["label"]: roll["faces"] for roll in mesa.rounds()[0].outcome["rolls"]}
    mesa.post("narradora", "[árbitro: deshacer] [árbitro: dado | Bandido 1.attack | 1]")
    mesa.serve()
    mesa.post("narradora", "[árbitro: cerrar]")
    mesa.serve(2)
    after = {roll["label"]: roll["faces"] for roll in mesa.rounds()[0].outcome["rolls"]}
    assert after["Bandido 1.attack"] == [1]
    shared = before.keys() & after.keys() - {"Bandido 1.attack"}
    assert len(shared) > 3
    assert {label: after[label] for label in shared} == {label: before[label] for label in shared}
    checks_out(mesa)


def test_a_die_that_was_not_rolled_or_has_no_such_face_is_told(mesa: Mesa) -> None:
    mesa.post(
        "narradora", "[árbitro: dado | Lope | esquiva | 3] [árbitro: dado | Lope | ataque | 900]"
    )
    mesa.serve()
    mesa.declare_all()
    mesa.serve(2)
    report = next(post for post in mesa.own_posts() if "kind" in post or "reveal lock.1" in post)
    assert report.count("no se ha usado") == 2
    assert "set " not in report.partition("PBW-EVIDENCE")[2]
    checks_out(mesa)


@pytest.mark.parametrize("faces", ["0", "1d6", "-3", "treinta", "10001"])
def test_what_is_no_face_is_refused(mesa: Mesa, faces: str) -> None:
    mesa.post("narradora", f"[árbitro: dado | Lope | ataque | {faces}]")
    mesa.serve()
    assert [n["code"] for n in mesa.rounds()[-1].notes] == ["bad_faces"]
    assert mesa.log("die_set") == []
