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
