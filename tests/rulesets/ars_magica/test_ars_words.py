"""Ars Magica's words: every id has some in every language, and none stands there for nothing."""

import ast
import re
from functools import lru_cache
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from referee.narration.bank import Bank
from referee.tags import Speakers, find_tags, read_tag, spell
from rulesets.ars_magica import words
from rulesets.ars_magica.actions import ORDERS
from rulesets.ars_magica.events import EVENTS
from rulesets.core.declarations import Declaration, fold
from tests.rulesets.ars_magica.field import ars
from tests.rulesets.playing import scenario_file

ROOT = Path(__file__).parents[3]
LANGUAGES = ("es", "en")
COMMON = ("character", "difficulty")  # fields whose words all games share
PACKAGE = ROOT / "rulesets" / "ars_magica"


@lru_cache(maxsize=8)
def read(lang, folder):
    path = ROOT / "templates" / lang / folder / "ars_magica.yaml"
    return YAML(typ="safe").load(path)


def section(lang, category):
    table = read(lang, "terms")
    return table[category] if category in table else table["value"][category]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("category", [c for c in words.WORDS if c != "code"])
def test_every_id_has_words_and_no_words_are_orphans(lang, category):
    assert set(section(lang, category)) == set(words.WORDS[category]) - set(COMMON)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_section_is_an_orphan(lang):
    table = dict(read(lang, "terms"))
    values = set(table.pop("value"))
    assert set(table) <= set(words.WORDS)
    assert values <= {
        name for of in ("field", "state", "sheet", "scene") for name in words.WORDS[of]
    } | {*words.WORDS}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_values_that_are_typed_are_rows_of_the_tables(lang):
    tables, values = ars().tables, read(lang, "terms")["value"]
    assert set(words.WEAPONS) == set(tables.weapons)
    assert set(words.SHIELDS) == set(tables.shields)
    assert set(values["source"]) == set(tables.elements)
    assert set(values["part"]) == set(tables.parts)
    assert set(values["surface"]) == {
        *tables.surfaces,
        "normal",
        "hard",
        "soft",
    }  # of falls, fights
    assert set(words.ARMOR) == {*tables.armour, *tables.helmets}


def test_spanish_verbs_are_those_of_the_catalogue():
    page = (ROOT / "docs/rules/ars_magica.md").read_text(encoding="utf-8")
    listed = page.split("## 5 Declarations")[1].split("## 6 Standing")[0]
    spoken = section("es", "action")
    for line in listed.splitlines():
        if not line.startswith("| `"):
            continue
        cells = line.split("|")
        ids = re.findall(r"`(\w+)`", cells[1])
        plain = re.sub(r"\(\w+\)", "", cells[2])
        verbs = [verb.strip() for verb in re.split(r"[,;]", plain) if verb.strip()]
        found = set()
        for name in ids:
            accepted = spoken[name].get("accept", ())
            found.add(fold(spoken[name]["say"]))
            found |= {fold(a["word"] if isinstance(a, dict) else a) for a in accepted}
        assert {fold(verb) for verb in verbs} <= found, ids


def test_every_tag_of_the_scenarios_can_be_said_again_in_both_languages():
    vocabulary = ars().vocabulary
    said = 0
    for scenario in scenario_file("ars_magica").scenarios:
        cast = tuple(scenario.characters)
        for round_ in scenario.rounds:
            for name, tags in round_.declarations.items():
                speakers = Speakers(own=(name,), cast=cast, is_gm=name not in cast)
                for text in tags:
                    for raw in find_tags(text, vocabulary):
                        meant = read_tag(raw, vocabulary, speakers)
                        if not isinstance(meant, Declaration):
                            continue
                        for lang in LANGUAGES:
                            tag = spell(meant, vocabulary, lang)
                            (again,) = find_tags(tag, vocabulary)
                            heard = read_tag(again, vocabulary, speakers)
                            assert isinstance(heard, Declaration), tag
                            assert (heard.verb, heard.fields, heard.flags, heard.timing) == (
                                meant.verb,
                                meant.fields,
                                meant.flags,
                                meant.timing,
                            ), tag
                            said += 1
    assert said > 400


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_event_can_be_told(lang):
    bank = Bank.of(read(lang, "phrases"))
    assert bank.problems == ()
    told = set(bank.clauses) | set(bank.quiet)
    assert set(EVENTS) <= told
    assert set(bank.quiet) <= set(EVENTS)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_players_page_has_a_line_for_every_verb_once(lang):
    page = read(lang, "phrases")["reference"]
    grouped = [verb for group in page["groups"] for verb in group["verbs"]]
    assert sorted(grouped) == sorted(page["action"]) == sorted(words.WORDS["action"])
    assert set(page["order"]) == set(ORDERS)


# ------------------------------------------------------------------ what the code says


def strings():
    """Every string constant of the package, but the list of words itself."""
    found = set()
    for path in PACKAGE.glob("*.py"):
        if path.stem == "words":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return found


SAID = strings()


def given(function, place):
    """String constants given at a place of every call of a function or method."""
    found = set()
    for path in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                if name == function:
                    found |= {
                        inner.value
                        for arg in node.args[place : place + 1]
                        for inner in ast.walk(arg)
                        if isinstance(inner, ast.Constant) and isinstance(inner.value, str)
                    }
    return found


def test_every_code_that_the_checks_give_has_its_place_and_every_code_is_given():
    codes = given("refuse", 0) | given("Rejection", 0) | given("Refusal", 0)
    assert codes - {""} <= set(words.CODES)
    assert set(words.CODES) <= codes | SAID


@pytest.mark.parametrize("category", ["reason", "topic", "check", "modifier", "part"])
def test_every_word_of_the_game_is_said_somewhere(category):
    made = ("characteristic.", "ability.", "cover.", "concealment.", "soak.", "saddle_")
    for name in words.WORDS[category]:
        assert name.startswith(made) or name in SAID or f"characteristic.{name}" in SAID, name


def test_every_reason_of_a_lost_action_has_its_place():
    assert given("lose", 2) - {""} <= set(words.REASONS)
