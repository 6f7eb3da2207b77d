"""The player's reference: every verb, with a tag that works when it is copied."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from referee.data import Data
from referee.narration.reference import reference, tag_in
from referee.narration.stories import Answer
from referee.tags import Speakers, TagProblem, find_tags, read_tag
from rulesets.core.declarations import Declaration
from rulesets.core.ruleset import Verb
from rulesets.registry import ruleset
from tests.narration.telling import DIALECTS, GAME, LANGUAGES, MARK, narrator, vocabulary

AQUELARRE = ruleset("aquelarre")
SPEAKERS = Speakers(own=("Lope",), cast=("Lope", "Bandido 1", "Bandido 2"), is_gm=True)


def sheet(lang: str, topic: str = "") -> str:
    return reference(AQUELARRE, vocabulary(lang), narrator(lang).words, topic)


def readings(text: str, lang: str) -> list[Any]:
    words = vocabulary(lang)
    tags = [tag_in(line)[1] for line in text.split("\n")]
    return [read_tag(find_tags(tag, words)[0], words, SPEAKERS) for tag in tags if tag]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_tag_of_the_reference_can_be_copied(lang: str):
    for reading in readings(sheet(lang), lang):
        assert not isinstance(reading, TagProblem), reading


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_verb_of_the_game_is_there(lang: str):
    declared = {r.verb for r in readings(sheet(lang), lang) if isinstance(r, Declaration)}
    assert declared == {*AQUELARRE.actions, *AQUELARRE.orders}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_verb_says_what_it_does_and_costs(lang: str):
    lines = Data().phrases(lang, "aquelarre")["reference"]
    assert set(lines["action"]) == set(AQUELARRE.actions)
    assert set(lines["order"]) == set(AQUELARRE.orders)
    grouped = [verb for group in lines["groups"] for verb in group["verbs"]]
    assert sorted(grouped) == sorted(AQUELARRE.actions)
    costs = "|".join(narrator(lang).term("cost", cost) for cost in ("normal", "extended", "free"))
    for verb in AQUELARRE.actions:
        (line,) = [
            text for text in sheet(lang, verb).split("\n") if re.search(rf"\(({costs})\)", text)
        ]
        assert lines["action"][verb]["say"] in line


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_reference_reads_as_it_was_approved(lang: str, snapshot: SnapshotAssertion):
    assert sheet(lang) == snapshot


def test_a_part_of_a_verbs_name_finds_it():
    assert "ataque recio" in sheet("es", "recio")
    assert sheet("es", "recio").count("[acción") == 1


def test_one_verb_tells_what_else_it_takes():
    text = sheet("es", "strong_attack")
    assert "También admite: zona (cabeza, cuello" in text


def test_a_keyword_finds_what_can_stand_behind_it():
    assert "[tirada: 1d100+35" in sheet("es", "roll")
    assert "[árbitro: cerrar]" in sheet("es", "command")
    assert "[reacción: esquiva" in sheet("es", "standing")


def test_what_nobody_knows_brings_the_whole_sheet():
    text = sheet("es", "bailar")
    assert text.startswith("No conozco «bailar».")
    assert text.endswith(sheet("es"))


def test_a_verb_without_a_line_of_its_own_still_has_a_tag():
    game = SimpleNamespace(actions={"walk": Verb("walk", (), "X-1")}, orders={})
    words = narrator("es").words
    bare = type(words)("es", [Data().messages("es")], [Data().terms("es", "common")])
    text = reference(game, vocabulary("es"), bare)
    assert "- andar. [acción: andar]" in text


@pytest.mark.parametrize("dialect", DIALECTS)
def test_help_in_a_thread_has_the_tags_in_every_dialect(dialect: str):
    text = narrator("es", dialect).answer(Answer(GAME, help=sheet("es", "dodge")), MARK)
    assert re.search(r"\[\u200b?acción: esquiva \| contra: Bandido 1\]", text)
    assert "(normal)" in text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_whole_reference_fits_into_a_post(lang: str):
    text = narrator(lang, "bbcode", 20_000).answer(Answer(GAME, help=sheet(lang)), MARK)
    assert len(text) < 20_000
    assert text.count("\u2022") > len(AQUELARRE.actions)
