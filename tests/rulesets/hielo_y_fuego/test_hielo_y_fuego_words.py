"""The game's words: every id has some in every language, and none stands there for nothing."""

import ast
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from referee.data import Data
from referee.narration.reference import reference, tag_in
from referee.narration.stories import Game, RoundReport
from referee.scenarios import Scenario, read_tags, setup_of
from referee.tags import Speakers, TagProblem, Vocabulary, find_tags, read_tag, spell
from rulesets.core.declarations import Declaration, Kind, fold
from rulesets.core.events import Event
from rulesets.core.kinds import THINGS
from rulesets.core.questions import Answers
from rulesets.core.ruleset import Outcome
from rulesets.hielo_y_fuego import words
from tests.narration.telling import narrator
from tests.rulesets.hielo_y_fuego.table import NAME, hf
from tests.rulesets.playing import HashDice, scenario_file
from tests.rulesets.test_contract import played, rolls_of

ROOT = Path(__file__).parents[3]
LANGUAGES = ("es", "en")
GAME = hf().game
SENTENCES = ("code",)  # their words are sentences, in messages.yaml
TOLD = Game("norte.1", NAME, {"Jeyne": "f", "Edric": "m", "Mero": "m"})


@lru_cache(maxsize=8)
def read(lang: str, name: str = NAME) -> Any:
    return YAML(typ="safe").load(ROOT / "templates" / lang / "terms" / f"{name}.yaml")


def section(lang: str, category: str) -> Any:
    table = read(lang)
    return table[category] if category in table else table["value"][category]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("category", [c for c in words.WORDS if c not in SENTENCES])
def test_every_id_has_words_and_no_words_are_orphans(lang, category):
    assert set(section(lang, category)) == set(words.WORDS[category])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_section_is_an_orphan(lang):
    table = dict(read(lang))
    values = set(table.pop("value"))
    known = {*words.WORDS, *THINGS}
    assert set(table) <= known
    assert values - known <= {*words.FIELDS, "craft"}  # and a column of one's own weapons


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_word_means_two_things(lang):
    files = [read(lang, "common"), read(lang)]
    vocabulary = Vocabulary.of(GAME.actions, GAME.orders, GAME.commands, {lang: files})
    assert vocabulary.clashes == ()


def test_spanish_verbs_are_those_of_the_catalogue():
    page = (ROOT / "docs/rules/hielo_y_fuego.md").read_text(encoding="utf-8")
    listed = page.split("## 4 Declarations")[1].split("## 5 Standing orders")[0]
    spoken = section("es", "action")
    found = {}
    for line in listed.splitlines():
        cells = line.split("|")
        ids = re.findall(r"`(\w+)`", cells[1]) if line.startswith("| `") else []
        if len(ids) == 1 and ids[0] in spoken:
            found[ids[0]] = {fold(verb) for verb in cells[2].split(",")}
    assert set(found) == set(GAME.actions)
    for verb, catalogued in found.items():
        entry = spoken[verb]
        ours = {fold(word) for word in (entry["say"], *entry.get("accept", ()))}
        assert catalogued <= ours | {"soltarse"}, verb


def test_every_tag_of_the_scenarios_can_be_said_again_in_both_languages():
    vocabulary = hf().vocabulary
    said = 0
    for scenario in scenario_file(NAME).scenarios:
        cast = tuple(scenario.characters)
        for round_ in scenario.rounds:
            for meant in read_tags(round_, cast, vocabulary).declarations:
                for lang in LANGUAGES:
                    tag = spell(meant, vocabulary, lang)
                    (again,) = find_tags(tag, vocabulary)
                    speakers = Speakers(own=(meant.actor,), cast=cast)
                    heard = read_tag(again, vocabulary, speakers)
                    assert isinstance(heard, Declaration), tag
                    assert (heard.verb, heard.fields, heard.flags, heard.clauses) == (
                        meant.verb,
                        meant.fields,
                        meant.flags,
                        meant.clauses,
                    ), tag
                    said += 1
    assert said > 300


# ------------------------------------------------------------------ what the code says


def calls(function: str, place: int) -> set[str]:
    """String constants given at a place of every call of a function."""
    found = set()
    for path in sorted((ROOT / "rulesets" / NAME).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            if getattr(node.func, "attr", getattr(node.func, "id", "")) != function:
                continue
            for arg in node.args[place : place + 1]:
                found |= {
                    inner.value
                    for inner in ast.walk(arg)
                    if isinstance(inner, ast.Constant) and isinstance(inner.value, str)
                }
    return found


def strings(*modules: str) -> set[str]:
    found = set()
    for name in modules:
        path = ROOT / "rulesets" / NAME / f"{name}.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return found


def test_every_code_that_is_given_has_its_place_and_every_code_is_given():
    given = calls("Refusal", 0) | calls("Rejection", 0)
    assert given <= set(words.CODES)
    named = strings("checks", "declaring", "clauses", "corrected", "ruleset") | {"bad_value"}
    assert set(words.CODES) <= named


def test_every_reason_of_a_lost_action_has_its_place():
    given = calls("lose", 2)
    assert given <= set(words.REASONS)
    again = {
        "pinned_only_escape",
        "mount_uncontrolled",
        "staggered",
        "weapon_broken",
        "weapon_not_in_hand",
        "weapon_in_hand",
        "weapon_unloaded",
        "weapon_unwieldy",
        "no_off_hand_weapon",
        "grabbed",
        "must_stand",
        "not_mounted",
        "not_grabbing",
        "not_pinning",
        "nothing_to_escape",
        "not_prone",
        "already_prone",
    }
    assert set(words.REASONS) == given | again | {"not_mounted", "cannot_act"}
    for check_code in again:
        assert check_code in words.CODES


def sources_of(scenario: Scenario) -> set[str]:
    rolls = rolls_of(played(hf(), scenario, setup_of(scenario)))
    totals = [total for r in rolls for total in (r.against, r.plus, r.pool) if total is not None]
    return {part.source for total in totals for part in total.parts}


def test_every_source_of_a_modifier_has_words():
    used: set[str] = set()
    for scenario in scenario_file(NAME).scenarios:
        used |= sources_of(scenario)
    assert used <= set(words.MODIFIERS)
    assert len(used) > 60


# ------------------------------------------------------------------ telling it


def outcomes() -> list[tuple[Any, Outcome]]:
    """Every round of every scenario with dice that nobody chose, and with those of the file."""
    found = []
    for scenario in scenario_file(NAME).scenarios:
        for seed in ("", "a", "b"):
            fight = GAME.new_fight(setup_of(scenario), hf().tables)
            for number, round_ in enumerate(scenario.rounds):
                dice = HashDice(f"{scenario.id}{seed}{number}")
                opened = GAME.open_round(fight, dice)
                tags = read_tags(round_, tuple(scenario.characters), hf().vocabulary)
                outcome = GAME.resolve(opened.fight, tags.declarations, dice, Answers())
                assert isinstance(outcome, Outcome)
                found.append((opened.fight, outcome))
                fight = outcome.fight
    return found


def prose(events: tuple[Event, ...], before: Any, lang: str) -> str:
    story = RoundReport(TOLD, 1, events, (), GAME.roster(before), ())
    ((_, text),) = narrator(lang, game=NAME).round_report(story, "MARK")
    return text.split("\n\n", 1)[1]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_round_can_be_told(lang):
    teller = narrator(lang, game=NAME)
    assert teller.bank.problems == ()
    for before, outcome in outcomes():
        text = prose(outcome.events, before, lang)
        assert teller.problems() == ()
        assert not re.search(r"\{|  |(?<!\.)\.\.(?!\.)| [,.;:]|\(\)|^\.", text, re.MULTILINE), text
        types = {event.type for event in outcome.events}
        assert not any(re.search(rf"(?<![\w«]){type_}\.", text) for type_ in types if "_" in type_)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_event_falls_back_to_the_name_of_its_type(lang):
    bank = narrator(lang, game=NAME).bank
    for type_ in GAME.events:
        alone = [
            entry
            for entry in bank.clauses.get(type_, ())
            if not any(not wanted.optional for wanted in entry.on[1:])
        ]
        assert alone or type_ in bank.quiet, type_


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_verb_stands_in_the_players_sheet_with_a_tag_that_can_be_copied(lang):
    terms = {lang: [read(lang, "common"), read(lang)]}
    vocabulary = Vocabulary.of(GAME.actions, GAME.orders, GAME.commands, terms)
    sheet = reference(GAME, vocabulary, narrator(lang, game=NAME).words)
    speakers = Speakers(
        ("Edric",), ("Edric", "Jeyne", "Lope", "Bandido 1", "Bandido 2"), is_gm=True
    )
    verbs = set()
    for tag in filter(None, (tag_in(line)[1] for line in sheet.split("\n"))):
        heard = read_tag(find_tags(tag, vocabulary)[0], vocabulary, speakers)
        assert not isinstance(heard, TagProblem), tag
        if isinstance(heard, Declaration):
            verbs.add(heard.verb)
    assert verbs == {*GAME.actions, *GAME.orders}
    lines = Data().phrases(lang, NAME)["reference"]
    grouped = [verb for group in lines["groups"] for verb in group["verbs"]]
    assert sorted(grouped) == sorted(GAME.actions)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_orders_of_the_players_sheet_are_understood_by_the_game(lang):
    lines = Data().phrases(lang, NAME)["reference"]["order"]
    fight = GAME.new_fight(
        setup_of(next(s for s in scenario_file(NAME).scenarios if s.id == "HF-S-001")), hf().tables
    )
    for verb, entry in lines.items():
        declaration = Declaration(
            "Edric",
            Kind.STANDING,
            verb,
            clauses=tuple(str(clause).replace("Bandit", "Bandido") for clause in entry["clauses"]),
        )
        assert GAME.check(fight, [declaration]) == (), verb
