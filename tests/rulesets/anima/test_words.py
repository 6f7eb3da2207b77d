"""Ánima's words: every id has some in every language, and none stands there for nothing."""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from ruamel.yaml import YAML

from referee.data import Data
from referee.narration import Narrator, Sources
from referee.narration.reference import reference, tag_in
from referee.narration.stories import Game
from referee.scenarios import setup_of
from referee.tags import Speakers, TagProblem, Vocabulary, find_tags, read_tag, spell
from rulesets.anima import words
from rulesets.core.declarations import Declaration
from rulesets.core.kinds import THINGS
from tests.narration.telling import MARK, REPORT, surface
from tests.rulesets.anima.playing import anima
from tests.rulesets.playing import scenario_file
from tests.rulesets.test_contract import played, rolls_of

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "rulesets" / "anima"
LANGUAGES = ("es", "en")
GAME = anima().game
# Ids whose words are sentences, in messages.yaml.
SENTENCES = ("code",)


@lru_cache(maxsize=8)
def read(lang: str, name: str) -> Any:
    return YAML(typ="safe").load(ROOT / "templates" / lang / "terms" / f"{name}.yaml")


def section(lang: str, category: str) -> Any:
    table = read(lang, "anima")
    return table[category] if category in table else table["value"][category]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("category", [c for c in words.WORDS if c not in SENTENCES])
def test_every_id_has_words_and_no_words_are_orphans(lang, category):
    assert set(section(lang, category)) == set(words.WORDS[category])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_section_is_an_orphan(lang):
    table = dict(read(lang, "anima"))
    values = set(table.pop("value"))
    known = {*words.WORDS, *THINGS}
    assert set(table) <= known | {"command"}
    assert values - known <= {*words.FIELDS, "size", "kind"}  # and columns of one's own gear


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_word_means_two_things(lang):
    files = [read(lang, "common"), read(lang, "anima")]
    vocabulary = Vocabulary.of(GAME.actions, GAME.orders, GAME.commands, {lang: files})
    assert vocabulary.clashes == ()


def test_ids_of_tables_and_of_words_are_the_same():
    tables = anima().tables
    assert set(tables.zones) == set(words.ZONES)
    assert set(tables.difficulties) == set(words.DIFFICULTIES)
    places = {place.id for place in tables.locations} | {p.general for p in tables.locations}
    assert places == set(words.LOCATIONS)
    assert {name for name, _ in tables.fire} == set(words.FIRE)


def test_spanish_verbs_are_those_of_the_catalogue():
    page = (ROOT / "docs/rules/anima.md").read_text(encoding="utf-8")
    listed = page.split("## Action vocabulary")[1].split("## Standing orders")[0]
    vocabulary = anima().vocabulary
    speakers = Speakers(own=("Kyra",), cast=("Kyra", "Orco"))
    heard = 0
    for line in listed.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 4 or cells[0] in ("id", "---"):
            continue
        for verb in cells[1].split(","):
            if "name" in verb:
                continue  # a secondary ability by its own name: it is on no list
            (raw,) = find_tags(f"[acción: {verb.strip()} | objetivo: Orco]", vocabulary)
            meant = read_tag(raw, vocabulary, speakers)
            if isinstance(meant, TagProblem):
                assert meant.code == "unknown_field", verb  # a verb without a target
            else:
                assert isinstance(meant, Declaration)
                expected = cells[0].split()[0].replace("manoeuvre", "attack")
                assert meant.verb == expected, verb
            heard += 1
    assert heard > 80


def every_tag() -> Iterator[tuple[str, tuple[str, ...], Declaration]]:
    vocabulary = anima().vocabulary
    for scenario in scenario_file("anima").scenarios:
        cast = tuple(scenario.characters)
        for round_ in scenario.rounds:
            for name, tags in round_.declarations.items():
                for text in tags:
                    for raw in find_tags(text, vocabulary):
                        meant = read_tag(raw, vocabulary, Speakers(own=(name,), cast=cast))
                        if isinstance(meant, Declaration):
                            yield name, cast, meant


def test_every_tag_of_the_scenarios_can_be_said_again_in_both_languages():
    vocabulary = anima().vocabulary
    said = 0
    for name, cast, meant in every_tag():
        for lang in LANGUAGES:
            tag = spell(meant, vocabulary, lang)
            (again,) = find_tags(tag, vocabulary)
            heard = read_tag(again, vocabulary, Speakers(own=(name,), cast=cast))
            assert isinstance(heard, Declaration), tag
            assert (heard.verb, dict(heard.fields), heard.flags, heard.timing) == (
                meant.verb,
                dict(meant.fields),
                meant.flags,
                meant.timing,
            ), tag
            said += 1
    assert said > 400


# ------------------------------------------------------------------ what the code says


def constants(*parts: str) -> set[str]:
    """Every string constant of some modules, or of all."""
    paths = [PACKAGE / f"{name}.py" for name in parts] or sorted(PACKAGE.glob("*.py"))
    return {
        node.value
        for path in paths
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def given(*functions: str) -> set[str]:
    """String constants that are the first argument of some calls."""
    found = set()
    for path in sorted(PACKAGE.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            first = node.args[0]
            if name in functions and isinstance(first, ast.Constant):
                found.add(first.value)
    return found


def test_every_code_that_the_checks_give_has_its_place_and_every_code_is_given():
    codes = given("refuse", "Refusal", "Rejection") | {"bad_value"}
    assert codes == set(words.CODES)


def test_every_reason_has_its_place_and_is_given():
    said = constants("turn", "attack", "phases", "supernatural", "gear")
    assert set(words.REASONS) <= said


def test_every_source_of_a_modifier_has_its_place_and_every_place_a_source():
    used = {
        part.source
        for scenario in scenario_file("anima").scenarios
        for roll in rolls_of(played(anima(), scenario, setup_of(scenario)))
        if roll.plus
        for part in roll.plus.parts
    }
    assert used <= set(words.MODIFIERS)
    named = constants()
    for source in words.MODIFIERS:
        group, dot, _ = source.partition(".")
        # Those with a point are made of an id that a table or the sheet holds.
        assert dot or source in named, source
        assert not dot or f"{group}." in {text[: len(group) + 1] for text in named}, source


# ------------------------------------------------------------------ what is told


def narrator(lang: str) -> Narrator:
    data = Data()
    sources = Sources(
        templates=[data.templates(lang)],
        dialects=[data.dialect_templates()],
        messages=[data.messages(lang)],
        terms=[data.terms(lang, name) for name in ("anima", "common")],
        phrases=data.phrases(lang, "anima"),
    )
    return Narrator(sources, lang, surface("text"))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_assault_of_the_scenarios_can_be_told(lang):
    teller = narrator(lang)
    assert teller.bank.problems == ()
    bare = re.compile("|".join(rf"\b{type_}\b" for type_ in GAME.events if "_" in type_))
    for scenario in scenario_file("anima").scenarios:
        genders = {name: "mfn"[i % 3] for i, name in enumerate(scenario.characters)}
        game = Game(scenario.id, "anima", genders, ZoneInfo("UTC"))
        for number, (opened, outcome) in enumerate(
            played(anima(), scenario, setup_of(scenario)), start=1
        ):
            story = replace(
                REPORT, game=game, round=number, events=(*opened.events, *outcome.events),
                rolls=(), before=GAME.roster(opened.fight), after=(), receipts=(), troubles=(),
                defaulted=(), missed=(), rulings=(), notes=(), evidence="",
            )  # fmt: skip
            for _, text in teller.round_report(story, MARK):
                assert teller.problems() == (), scenario.id
                assert not bare.search(text), (scenario.id, text)
                assert not re.search(r" [.,;:]|\(\)|_|\.\.|«»", text), (scenario.id, text)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_verb_stands_on_the_players_sheet_with_a_tag_that_works(lang):
    data = Data()
    terms = {lang: [data.terms(lang, "common"), data.terms(lang, "anima")]}
    vocabulary = Vocabulary.of(GAME.actions, GAME.orders, GAME.commands, terms)
    text = reference(GAME, vocabulary, narrator(lang).words)
    speakers = Speakers(
        own=("Kyra",), cast=("Kyra", "Bruno", "Orco 1", "Lope", "Bandido 1"), is_gm=True
    )
    declared = set()
    # What the page says of all games has examples of its own, and tests of its own.
    shared = str(data.messages(lang)["help"])
    for line in text.split("\n"):
        tag = tag_in(line)[1]
        if not tag or tag in shared:
            continue
        reading = read_tag(find_tags(tag, vocabulary)[0], vocabulary, speakers)
        assert not isinstance(reading, TagProblem), (tag, reading)
        if isinstance(reading, Declaration):
            declared.add(reading.verb)
    assert declared == {*GAME.actions, *GAME.orders}
    lines = data.phrases(lang, "anima")["reference"]
    grouped = [verb for group in lines["groups"] for verb in group["verbs"]]
    assert sorted(grouped) == sorted(GAME.actions)


def test_words_with_a_meaning_of_their_own_set_a_field():
    vocabulary = anima().vocabulary
    speakers = Speakers(own=("Kyra",), cast=("Kyra", "Orco"))
    for tag, fields in (
        ("[acción: disparo | Orco]", {"mode": "shot", "target": "Orco"}),
        ("[acción: derribo | Orco]", {"manoeuvre": "knock_down", "target": "Orco"}),
        ("[acción: barrido | Orco | maniobra: derribo]",
         {"scope": "area", "manoeuvre": "knock_down", "target": "Orco"}),
    ):  # fmt: skip
        (raw,) = find_tags(tag, vocabulary)
        meant = read_tag(raw, vocabulary, speakers)
        assert isinstance(meant, Declaration)
        assert dict(meant.fields) == fields
