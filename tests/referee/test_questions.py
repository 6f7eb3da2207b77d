"""Choices put to players in mid-round, and what the rules leave to the game master."""

from pathlib import Path

import pytest

from tests.referee.harness import Mesa


@pytest.fixture
def asking(tmp_path: Path) -> Mesa:
    """A table where choices are asked, and Lope has two defences against two enemies."""
    mesa = Mesa(tmp_path, questions="ask")
    mesa.begin()
    mesa.post("lucia", "[acción: parada con escudo] [acción: esquiva]")
    mesa.post("tomas", "[acción: ataque | Bandido 2] [acción: esquiva]")
    mesa.post("narradora", "[acción Bandido 1: ataque | Lope] [acción Bandido 2: ataque | Lope]")
    mesa.serve(2)
    return mesa


def open_choices(mesa: Mesa) -> list[str]:
    first = mesa.rounds()[0]
    rows = mesa.read(lambda records: records.questions(first.id))
    return [row.code for row in rows if row.kind == "choice" and row.answer is None]


def test_a_choice_stops_the_round_and_is_put_to_its_owner(asking: Mesa) -> None:
    assert asking.rounds()[0].status == "asking"
    assert open_choices(asking) == ["P1"]
    assert "Lucía" in asking.own_posts()[-1]
    assert "P1" in asking.own_posts()[-1]


def test_the_owners_answer_lets_the_round_go_on_with_the_same_dice(asking: Mesa) -> None:
    while codes := open_choices(asking):
        asking.post("lucia", f"[acción: respuesta | {codes[0]} | esquiva]")
        asking.serve(2)
    first = asking.rounds()[0]
    assert first.resolutions == 1
    defences = [e for e in asking.events(0) if e["type"] == "defence" and e["actor"] == "Lope"]
    assert all(e["kind"] in {"dodge", "shield_parry"} for e in defences)
    assert asking.audit()["good"], asking.audit()
    assert asking.verify().verdict == "holds", asking.verify().findings


def test_somebody_elses_answer_does_not_count(asking: Mesa) -> None:
    asking.post("tomas", "[acción: respuesta | P1 | esquiva]")
    asking.serve()
    assert open_choices(asking) == ["P1"]


def test_a_choice_whose_time_is_over_takes_its_default(asking: Mesa) -> None:
    for _ in range(4):
        asking.clock.forward(hours=25)
        asking.serve(2)
    assert asking.rounds()[0].resolutions == 1
    assert asking.audit()["good"], asking.audit()


def test_an_option_that_is_none_is_told_with_those_that_are(asking: Mesa) -> None:
    asking.post("lucia", "[acción: respuesta | P1 | cantar]")
    asking.serve()
    assert open_choices(asking) == ["P1"]
    assert any("cantar" in post for post in asking.own_posts())


def test_a_ruling_is_asked_kept_and_never_stops_the_round(tmp_path: Path) -> None:
    mesa = Mesa(tmp_path, questions="ask")
    mesa.begin()
    for name, author in (("Lope", "lucia"), ("Ximena", "tomas")):
        mesa.post(author, f"[acción {name}: improvisar]")
    mesa.post("narradora", "[árbitro: cerrar]")
    mesa.serve(2)
    first = mesa.rounds()[0]
    assert first.status == "ruling"
    assert first.resolutions == 1
    mesa.post("narradora", "[árbitro: respuesta | R1 | el bandido cae de espaldas]")
    mesa.post("narradora", "[árbitro: respuesta | R2 | nada]")
    mesa.serve(2)
    assert mesa.rounds()[-1].number == 2
    answers = [entry["answer"] for entry in mesa.log("answered")]
    assert answers == ["el bandido cae de espaldas", "nada"]
    assert mesa.audit()["good"], mesa.audit()
