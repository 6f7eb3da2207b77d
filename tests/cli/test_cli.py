"""The command line as a user runs it: a process of its own, its output and its exit codes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.referee.harness import Mesa


def referee(
    *args: str, cwd: Path, stdin: str = "", lang: str = "es"
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "referee", *args],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "REFEREE_LANG": lang, "NO_COLOR": "1"},
    )


@pytest.fixture
def mesa(tmp_path: Path) -> Mesa:
    return Mesa(tmp_path)


def test_init_writes_a_config_that_checks_and_refuses_to_overwrite(tmp_path: Path) -> None:
    assert referee("init", "mesa", cwd=tmp_path).returncode == 0
    folder = tmp_path / "mesa"
    assert referee("check", cwd=folder).returncode == 0
    again = referee("init", "mesa", cwd=tmp_path)
    assert again.returncode == 1
    assert "--force" in again.stderr


def test_check_tells_all_that_is_wrong_with_place_and_cure(mesa: Mesa) -> None:
    mesa.write_config({"strength: 13": "strenght: 13", "gender: f": "gender: x"})
    result = referee("check", cwd=mesa.path)
    assert result.returncode == 1
    assert "config.yaml:" in result.stderr
    assert "strength" in result.stderr
    assert "gender" in result.stderr
    problems = json.loads(referee("check", "--json", cwd=mesa.path).stdout)["problems"]
    assert {problem["line"] > 0 for problem in problems} == {True}


def test_a_missing_config_says_what_to_do(tmp_path: Path) -> None:
    result = referee("status", cwd=tmp_path)
    assert result.returncode == 3
    assert "referee init" in result.stderr


def test_check_online_reads_each_thread(mesa: Mesa) -> None:
    result = referee("check", "--online", "--json", cwd=mesa.path)
    assert result.returncode == 0
    (row,) = json.loads(result.stdout)["online"]
    assert row["good"]
    assert row["posts"] == 1


def test_once_status_show_log_audit_and_verify_follow_a_round(mesa: Mesa) -> None:
    mesa.begin()
    mesa.declare_all()
    assert referee("once", cwd=mesa.path).returncode == 0
    (status,) = json.loads(referee("status", "--json", cwd=mesa.path).stdout)
    assert status["round"] == 2
    assert status["missing"] == ["Lope", "Ximena", "Bandido 1", "Bandido 2"]
    assert "molino" in referee("status", cwd=mesa.path).stdout
    shown = json.loads(referee("show", "molino", "1", "--json", cwd=mesa.path).stdout)
    assert [claim["actor"] for claim in shown["claims"]]
    assert "Lope.attack" in referee("show", "molino", "1", cwd=mesa.path).stdout
    rows = json.loads(referee("log", "molino", "--kind", "locked", "--json", cwd=mesa.path).stdout)
    assert [row["kind"] for row in rows] == ["locked"]
    assert referee("log", "molino", "--csv", cwd=mesa.path).stdout.startswith("number,at,kind,by")
    assert referee("audit", cwd=mesa.path).returncode == 0
    assert referee("verify", str(mesa.thread), cwd=mesa.path).returncode == 0


def test_a_changed_die_in_the_thread_fails_verification(mesa: Mesa) -> None:
    mesa.begin()
    mesa.declare_all()
    mesa.serve(2)
    report = sorted(mesa.thread.glob("*-arbitro.md"))[2]
    text = report.read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith("Lope.attack 1d100 = "))
    face = int(line.rpartition(" ")[2])
    forged = f"Lope.attack 1d100 = {face % 100 + 1}"
    report.write_text(text.replace(f"\n{line}\n", f"\n{forged}\n"), encoding="utf-8")
    result = referee("verify", str(mesa.thread), cwd=mesa.path)
    assert result.returncode != 0
    assert "Lope.attack" in result.stdout
    assert referee("audit", cwd=mesa.path).returncode == 0  # the log itself is untouched


def test_pasted_text_can_be_verified(mesa: Mesa) -> None:
    mesa.begin()
    mesa.declare_all()
    mesa.serve(2)
    text = "\n".join(mesa.own_posts())
    result = referee("verify", "-", "--json", cwd=mesa.path, stdin=text)
    report = json.loads(result.stdout)
    assert report["blocks"] >= 3
    assert {roll["state"] for roll in report["rolls"]} == {"holds"}


def test_parse_says_what_the_referee_sees(mesa: Mesa) -> None:
    text = "Voy. [acción: ataque recio | Bandido 1 | niveles: 2] [acción: atake | Bandido 1]"
    result = referee("parse", "molino", "--author", "lucia", "--json", cwd=mesa.path, stdin=text)
    assert result.returncode == 1
    good, bad = json.loads(result.stdout)
    assert good["good"]
    assert not bad["good"]
    assert "ataque" in bad["meaning"]


def test_a_game_masters_command_goes_through_the_inbox(mesa: Mesa) -> None:
    mesa.begin()
    given = referee("gm", "molino", "plazo", "72h", "--wait", "0", cwd=mesa.path)
    assert given.returncode == 0
    before = mesa.rounds()[0].deadline
    referee("once", cwd=mesa.path)
    assert mesa.rounds()[0].deadline != before
    wrong = referee("gm", "molino", "cerar", "--wait", "0", cwd=mesa.path)
    assert wrong.returncode == 1
    assert "cerrar" in wrong.stderr


def test_a_preview_posts_nothing_and_hides_the_real_dice(mesa: Mesa) -> None:
    mesa.begin()
    mesa.declare_all()
    mesa.read(lambda records: records)  # the posts are not read yet: read them, act on nothing
    posts = mesa.own_posts()
    result = referee("preview", "molino", "--json", cwd=mesa.path)
    assert result.returncode == 0
    assert mesa.own_posts() == posts


def test_rules_check_runs_scenarios_and_shows_a_difference(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    scenarios = root / "tests" / "scenarios" / "aquelarre.yaml"
    assert referee("rules", "check", str(scenarios), cwd=tmp_path).returncode == 0
    text = scenarios.read_text(encoding="utf-8").replace("hp: 11", "hp: 10", 1)
    broken = tmp_path / "aquelarre.yaml"
    broken.write_text(text, encoding="utf-8")
    result = referee("rules", "check", str(broken), cwd=tmp_path)
    assert result.returncode == 1
    assert "AQ-S-001" in result.stdout


def test_rules_list_and_help_speak_the_players_language(tmp_path: Path) -> None:
    assert "aquelarre" in referee("rules", "list", cwd=tmp_path).stdout
    sheet = referee("rules", "help", "aquelarre", "recio", cwd=tmp_path).stdout
    assert "ataque recio" in sheet


def test_help_is_there_in_both_languages(tmp_path: Path) -> None:
    assert "Comprueba los dados" in referee("--help", cwd=tmp_path).stdout
    assert "Check a thread's dice" in referee("--help", cwd=tmp_path, lang="en").stdout


def test_the_demo_resolves_a_round_and_says_how_to_go_on(tmp_path: Path) -> None:
    result = referee("demo", "--keep", "duelo", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert " verify " in result.stdout
    thread = tmp_path / "duelo" / "examples" / "molino"
    assert referee("verify", str(thread), cwd=tmp_path).returncode == 0


def test_an_unknown_thread_is_told_with_the_known_ones(mesa: Mesa) -> None:
    result = referee("show", "molinos", cwd=mesa.path)
    assert result.returncode == 2
    assert "molino" in result.stderr


def test_a_broken_template_is_told_with_its_line_and_ours_is_used(mesa: Mesa) -> None:
    own = mesa.path / "plantillas" / "es"
    own.mkdir(parents=True)
    (own / "status.j2").write_text("Asalto {{ round }}\n{% if %}\n", encoding="utf-8")
    text = mesa.config.read_text(encoding="utf-8")
    mesa.config.write_text(f"templates: plantillas\n{text}", encoding="utf-8")
    result = referee("check", cwd=mesa.path)
    assert result.returncode == 1
    assert "status.j2:2" in result.stderr
    mesa.begin()
    assert "Lope" in mesa.own_posts()[-1]
