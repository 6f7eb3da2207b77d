"""What the documentation says is so: pages are current, links lead somewhere, tags can be read."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from referee.app import vocabulary_of_game
from referee.cli import app
from referee.data import Data
from referee.tags import Speakers, TagProblem, find_tags, read_tag
from rulesets.registry import ruleset

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("name", ["platform_reference.py", "profile_reference.py"])
def test_a_generated_page_is_current(name: str) -> None:
    script = ROOT / "scripts" / name
    result = subprocess.run(
        [sys.executable, str(script)], cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, check=False
    )
    assert result.returncode == 0, f"run: python scripts/{name} --write"


@pytest.mark.parametrize("name", ["adding-a-platform.md", "adding-a-ruleset.md"])
def test_a_page_for_newcomers_names_files_that_are_there(name: str) -> None:
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    named = re.findall(r"`([\w./-]+/[\w.-]+\.\w+)`", text)
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


# What every platform must be looked at for, as the first column words it.
EDGES = (
    "login", "redirects", "remember-me", "sessions", "tokens", "minimum age", "flood",
    "renamed or moved", "split", "merged", "locked", "topics deleted", "posts deleted", "edited",
    "approval", "merged with the one before", "shift", "Spanish", "time zones", "relative dates",
    "smilies", "word filters", "nested quotes", "spoilers", "ignored", "guests",
    "deleted accounts", "too long", "private messages",
)  # fmt: skip


def test_every_edge_has_a_row_whose_tests_are_there() -> None:
    text = (ROOT / "docs" / "edges.md").read_text(encoding="utf-8")
    rows = [row.split("|")[1:5] for row in text.splitlines() if row.startswith("| ")][1:]
    named = " ".join(row[0] for row in rows)
    assert [edge for edge in EDGES if edge not in named] == []
    known = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"def (test_\w+)\(", path.read_text(encoding="utf-8"))
    }
    asked = {row[0]: set(re.findall(r"`(test_\w+)`", row[2])) for row in rows}
    assert {edge: tests - known for edge, tests in asked.items() if tests - known} == {}
    assert [edge for edge, tests in asked.items() if not tests] == []


def test_every_test_said_to_run_on_all_platforms_is_one_of_the_contract() -> None:
    text = (ROOT / "docs" / "edges.md").read_text(encoding="utf-8")
    contract = (ROOT / "tests" / "adapters" / "test_contract.py").read_text(encoding="utf-8")
    said = re.findall(r"all: ([^;|]*)", text)
    named = [name for stretch in said for name in re.findall(r"`(test_\w+)`", stretch)]
    assert len(named) > 15
    assert [name for name in named if f"def {name}(" not in contract] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_our_pages_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text)
    missing = [link for link in links if not (page.parent / link).exists()]
    assert missing == []


def test_every_command_of_the_game_masters_guide_is_one() -> None:
    guide = (ROOT / "docs" / "director.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`referee ([a-z]+)", guide))
    known = set(get_command(app).commands)
    assert named <= known


def test_every_tag_in_the_players_guide_can_be_read() -> None:
    words = vocabulary_of_game(Data(), ruleset("aquelarre"), "es")
    cast = ("Lope", "Ana", "Bandido 1", "Bandido 2")
    guides = [ROOT / "docs" / "jugadores.md", ROOT / "docs" / "director.md"]
    text = "\n".join(page.read_text(encoding="utf-8") for page in guides).replace("\\|", "|")
    tags = [
        raw for raw in find_tags(text, words) if "..." not in raw.words and "…" not in raw.words
    ]
    read = {
        raw.words: read_tag(
            raw, words, Speakers(own=("Lope",), cast=cast, is_gm=True, default="Lope")
        )
        for raw in tags
    }
    assert len(read) > 20
    wrong = {words: value.code for words, value in read.items() if isinstance(value, TagProblem)}
    assert wrong == {}
