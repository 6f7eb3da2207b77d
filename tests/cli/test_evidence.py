"""The commands about dice as a user runs them."""

import json
from pathlib import Path

import pytest

from tests.cli.test_cli import referee
from tests.referee.harness import Mesa


@pytest.fixture
def mesa(tmp_path: Path) -> Mesa:
    return Mesa(tmp_path)


def played(mesa: Mesa) -> Mesa:
    mesa.begin()
    mesa.declare_all()
    mesa.serve(2)
    return mesa


def test_the_page_is_written_out_whole_and_never_over_another_file(tmp_path: Path) -> None:
    assert referee("page", cwd=tmp_path).returncode == 0
    text = (tmp_path / "verify.html").read_text(encoding="utf-8")
    assert text == (Path(__file__).parents[2] / "templates" / "verify.html").read_text("utf-8")
    again = referee("page", "verify.html", cwd=tmp_path)
    assert again.returncode == 1
    assert "--force" in again.stderr


def test_verify_shows_every_die_and_names_the_damaged_record(mesa: Mesa) -> None:
    played(mesa)
    good = referee("verify", "--dice", str(mesa.thread), cwd=mesa.path)
    assert good.returncode == 0
    assert "Lope.attack" in good.stdout
    assert "[acción: parada]" in good.stdout
    text = "\n".join(mesa.own_posts()).replace("\nLope.attack 1d100", "\nLope.atack 1d100", 1)
    bad = referee("verify", "-", cwd=mesa.path, stdin=text)
    assert bad.returncode == 1
    assert "roll Lope.atack" in bad.stdout


def test_a_dash_that_the_forum_made_of_a_hyphen_does_no_harm(mesa: Mesa) -> None:
    text = "\n".join(played(mesa).own_posts()).replace("PBW-EVIDENCE", "PBW–EVIDENCE")
    result = referee("verify", "-", cwd=mesa.path, stdin=text)
    assert result.returncode == 3  # pasted text never tells who declared
    assert "Nada contradice" in result.stdout


def test_luck_is_told_as_a_table_and_drawn(mesa: Mesa) -> None:
    played(mesa)
    shown = referee("luck", "molino", "--plot", "suerte.svg", cwd=mesa.path)
    assert shown.returncode == 0, shown.stderr
    assert "Lucía" in shown.stdout
    assert "referee verify" in shown.stdout
    assert "Lope" in (mesa.path / "suerte.svg").read_text(encoding="utf-8")
    rows = json.loads(referee("luck", "molino", "--die", "100", "--json", cwd=mesa.path).stdout)
    assert {row["sides"] for row in rows} == {100}
    assert all(sum(row["counts"]) == row["rolled"] for row in rows)
    assert referee("luck", "molino", "--plot", "suerte.png", cwd=mesa.path).returncode == 0
    assert (mesa.path / "suerte.png").read_bytes().startswith(b"\x89PNG")


def test_a_fight_is_exported_and_played_again_without_a_database(
    mesa: Mesa, tmp_path_factory: pytest.TempPathFactory
) -> None:
    played(mesa)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    file = elsewhere / "duelo.json"
    assert referee("export", "molino", "-o", str(file), cwd=mesa.path).returncode == 0
    piped = referee("export", "molino", "1", cwd=mesa.path)
    assert piped.stdout == file.read_text(encoding="utf-8")
    retold = referee("replay", "duelo.json", cwd=elsewhere)
    assert retold.returncode == 0, retold.stderr
    assert "Asalto 1" in retold.stdout
    assert "todo concuerda" in retold.stdout
    file.write_text(file.read_text(encoding="utf-8").replace("Lope", "Pepe"), encoding="utf-8")
    forged = referee("replay", "duelo.json", cwd=elsewhere)
    assert forged.returncode == 1
    assert "no está como se escribió" in forged.stderr
    missing = referee("export", "molino", "7", cwd=mesa.path)
    assert missing.returncode == 3
