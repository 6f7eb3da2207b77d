"""Secret declarations: said in the thread to come by private message, told at the lock."""

from pathlib import Path

import pytest

from tests.referee.harness import Mesa


@pytest.fixture
def mesa(tmp_path: Path) -> Mesa:
    table = Mesa(tmp_path)
    table.begin()
    return table


def letter(mesa: Mesa, author: str, words: str) -> Path:
    folder = mesa.path / "hilos" / "privado"
    folder.mkdir(exist_ok=True)
    path = folder / f"{len(list(folder.iterdir())) + 1:04d}-{author}.md"
    path.write_text(words, encoding="utf-8")
    return path


SECRET = "[acción: ataque | Bandido 2]"


def test_a_secret_declaration_is_waited_for_hidden_and_told_at_the_lock(mesa: Mesa) -> None:
    mesa.post("lucia", "Lope calla. [acción: en secreto]")
    mesa.declare_all(skip=("Lope",))
    mesa.serve(2)
    assert mesa.rounds()[0].status == "declaring"
    assert "Lope (Lucía): falta su mensaje privado" in mesa.own_posts()[-1]

    letter(mesa, "lucia", f"Por la espalda. {SECRET}")
    mesa.serve(2)
    first = mesa.rounds()[0]
    assert first.locked["cause"] == "all_declared"
    attacks = [e for e in mesa.events() if e["type"] == "attack" and e["actor"] == "Lope"]
    assert [e["target"] for e in attacks] == ["Bandido 2"]
    told = "\n".join(mesa.own_posts())
    assert f'words "pm%3A0001-lucia" by lucia\n "{SECRET}"' in told
    assert "(por mensaje privado)" in told
    assert mesa.audit()["good"], mesa.audit()
    report = mesa.verify()
    assert report.verdict == "holds"
    assert "words_unposted" in {finding.code for finding in report.findings}


def test_nobody_reads_a_secret_before_the_lock(mesa: Mesa) -> None:
    mesa.post("lucia", "[acción: en secreto]")
    letter(mesa, "lucia", SECRET)
    mesa.serve(2)
    told = "\n".join(mesa.own_posts())
    assert "Bandido 2]" not in told
    assert "(en secreto)" in told
    assert "Lope (Lucía)" not in told.partition("Faltan")[2]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("[acción: ataqe | Bandidooo]", "no se entiende"),
        ("[acción: ataque | arma: arco]", "no se puede"),
    ],
)
def test_a_mistake_in_a_secret_is_told_without_giving_it_away(
    mesa: Mesa, words: str, sentence: str
) -> None:
    mesa.post("lucia", "[acción: en secreto]")
    letter(mesa, "lucia", words)
    mesa.serve(2)
    status = mesa.own_posts()[-1]
    assert sentence in status
    for part in ("ataq", "arco", "Bandidooo"):
        assert part not in status.partition("No cuenta todavía")[2]


def test_a_letter_that_nobody_announced_does_nothing(mesa: Mesa) -> None:
    letter(mesa, "lucia", SECRET)
    mesa.serve(2)
    assert "Lope (Lucía)" in mesa.own_posts()[-1].partition("Faltan")[2]


def test_the_newest_letter_counts_and_a_letter_of_an_earlier_round_does_not(mesa: Mesa) -> None:
    mesa.post("lucia", "[acción: en secreto]")
    letter(mesa, "lucia", "[acción: ataque | Bandido 1]")
    mesa.serve()
    letter(mesa, "lucia", SECRET)
    mesa.declare_all(skip=("Lope",))
    mesa.serve(2)
    attacks = [e for e in mesa.events() if e["type"] == "attack" and e["actor"] == "Lope"]
    assert [e["target"] for e in attacks] == ["Bandido 2"]
    mesa.post("lucia", "[acción: en secreto]")
    mesa.serve(2)
    assert "falta su mensaje privado" in mesa.own_posts()[-1]


def test_what_is_said_openly_afterwards_takes_its_place(mesa: Mesa) -> None:
    mesa.post("lucia", "[acción: en secreto]")
    letter(mesa, "lucia", SECRET)
    mesa.serve()
    mesa.post("lucia", "Mejor a la vista. [acción: ataque | Bandido 1]")
    mesa.declare_all(skip=("Lope",))
    mesa.serve(2)
    attacks = [e for e in mesa.events() if e["type"] == "attack" and e["actor"] == "Lope"]
    assert [e["target"] for e in attacks] == ["Bandido 1"]


def test_a_game_masters_commands_and_rolls_are_not_taken_from_letters(mesa: Mesa) -> None:
    mesa.post("lucia", "[acción: en secreto]")
    letter(mesa, "lucia", f"{SECRET} [tirada: 1d100]")
    before = len(mesa.own_posts())
    mesa.serve(2)
    assert len(mesa.own_posts()) == before
    assert mesa.log("rolled") == []
