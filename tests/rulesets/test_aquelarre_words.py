"""Aquelarre's words: every id has some in every language, and none stands there for nothing."""

import ast
import re
from functools import lru_cache
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from referee.scenarios import setup_of
from referee.tags import Speakers, Vocabulary, find_tags, read_tag, spell
from rulesets.aquelarre import words
from rulesets.core.declarations import Declaration, Kind, fold
from rulesets.core.kinds import THINGS
from tests.rulesets.playing import aquelarre, scenario_file
from tests.rulesets.test_contract import played, rolls_of

ROOT = Path(__file__).parents[2]
LANGUAGES = ("es", "en")
GAME = aquelarre().game
# Ids whose words are sentences, in messages.yaml.
SENTENCES = ("code",)


@lru_cache(maxsize=8)
def read(lang, name):
    return YAML(typ="safe").load(ROOT / "templates" / lang / "terms" / f"{name}.yaml")


def terms(lang, name="aquelarre"):
    return dict(read(lang, name))


def section(lang, category):
    table = terms(lang)
    return table[category] if category in table else table["value"][category]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("category", [c for c in words.WORDS if c not in SENTENCES])
def test_every_id_has_words_and_no_words_are_orphans(lang, category):
    assert set(section(lang, category)) == set(words.WORDS[category])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_section_is_an_orphan(lang):
    table = terms(lang)
    values = set(table.pop("value"))
    known = {*words.WORDS, *THINGS}
    assert set(table) <= known
    assert values - known <= {
        *words.FIELDS,
        *words.WORDS["state"],
        *words.WORDS["sheet"],
        "type",  # a column of one's own weapons
    }


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_word_means_two_things(lang):
    files = [terms(lang, "common"), terms(lang)]
    vocabulary = Vocabulary.of(GAME.actions, GAME.orders, GAME.commands, {lang: files})
    assert vocabulary.clashes == ()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_values_that_are_typed_are_ids_of_the_game(lang):
    values = terms(lang)["value"]
    zones = set(aquelarre().tables.zones) | {
        place for body in aquelarre().tables.bodies.values() for place in body.locations
    }
    assert set(values["zone"]) == zones
    assert set(values["with"]) <= set(GAME.actions)
    assert set(values["defences"]) <= set(values["with"])


def test_spanish_verbs_are_those_of_the_catalogue():
    page = (ROOT / "docs/rules/aquelarre.md").read_text(encoding="utf-8")
    listed = page.split("# 3. Action vocabulary")[1].split("# 4. Sheet")[0]
    spoken = section("es", "action")
    for line in listed.splitlines():
        if not line.startswith("| `"):
            continue
        cells = line.split("|")
        ids = re.findall(r"`(\w+)`", cells[1])
        verbs = [verb.strip() for verb in cells[2].split(",")]
        found = [spoken[name]["say"] for name in ids]
        for name in ids:
            accepted = spoken[name].get("accept", ())
            found += [a["word"] if isinstance(a, dict) else a for a in accepted]
        assert sorted(map(fold, found)) == sorted(map(fold, verbs)), ids


def test_every_tag_of_the_scenarios_can_be_said_again_in_both_languages():
    vocabulary = aquelarre().vocabulary
    said = 0
    for scenario in scenario_file("aquelarre").scenarios:
        cast = tuple(scenario.characters)
        for round_ in scenario.rounds:
            for name, tags in round_.declarations.items():
                speakers = Speakers(own=(name,), cast=cast)
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
    assert said > 300


def test_a_knife_thrown_by_its_own_verb_is_thrown():
    vocabulary = aquelarre().vocabulary
    speakers = Speakers(own=("Lope",), cast=("Lope", "Moro"))
    (raw,) = find_tags("[acción: arrojar arma | Moro | arma: cuchillo]", vocabulary)
    meant = read_tag(raw, vocabulary, speakers)
    assert isinstance(meant, Declaration)
    assert meant.verb == "attack"
    assert dict(meant.fields) == {"manner": "throw", "target": "Moro", "weapon": "cuchillo"}


def test_the_two_meanings_of_contra_are_told_apart_by_the_verb():
    vocabulary = aquelarre().vocabulary
    speakers = Speakers(own=("Lope",), cast=("Lope", "Segunda"))
    for tag, fields in (
        ("[reacción: ataque doble | contra: segunda]", {"blow": "second"}),
        ("[reacción: parada | contra: segunda]", {"against": "Segunda"}),
    ):
        (raw,) = find_tags(tag, vocabulary)
        meant = read_tag(raw, vocabulary, speakers)
        assert isinstance(meant, Declaration)
        assert meant.kind is Kind.STANDING
        assert dict(meant.fields) == fields


# ------------------------------------------------------------------ what the code says


def strings(*names):
    """Every string constant of some modules, with the module it stands in."""
    folder = ROOT / "rulesets" / "aquelarre"
    paths = [folder / f"{name}.py" for name in names] or sorted(folder.glob("*.py"))
    found = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return found


def calls(function, place, *modules):
    """String constants given at a place of every call of a function or method."""
    folder = ROOT / "rulesets" / "aquelarre"
    paths = [folder / f"{name}.py" for name in modules] or sorted(folder.glob("*.py"))
    found = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name != function:
                continue
            for arg in [*node.args[place : place + 1]]:
                for inner in ast.walk(arg):
                    if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                        found.add(inner.value)
    return found


def test_every_code_that_the_checks_give_has_its_place_and_every_code_is_given():
    given = calls("refuse", 0) | calls("Rejection", 0) | calls("Wrong", 0)
    given |= {"unknown_action", "unknown_target", "fallback_not_allowed"}
    assert given - {""} == set(words.CODES)


def test_every_reason_of_a_lost_action_has_its_place():
    modules = (
        "attack",
        "blow",
        "gear",
        "manoeuvres",
        "movement",
        "others",
        "phases",
        "stances",
        "wounds",
    )
    given = calls("lose", 2) | calls("lose_rest", 2)
    in_returns = strings(*modules) & set(words.REASONS)
    assert given <= set(words.REASONS) | {""}
    assert set(words.REASONS) <= given | in_returns


def test_every_source_of_a_modifier_has_its_place_and_every_place_a_source():
    used = {
        part.source
        for scenario in scenario_file("aquelarre").scenarios
        for part in sources_of(scenario)
    }
    assert used <= set(words.MODIFIERS)
    named = strings() | {f"action.{name}" for name in GAME.actions}
    for source in words.MODIFIERS:
        group, dot, rest = source.partition(".")
        if dot and group in ("skill", "aim", "characteristic"):
            continue  # made of an id that the tables hold
        assert source in named or rest in GAME.actions, source


def sources_of(scenario):
    """The parts of every total of a scenario."""
    rounds = played(aquelarre(), scenario, setup_of(scenario))
    return [part for roll in rolls_of(rounds) if roll.against for part in roll.against.parts]
