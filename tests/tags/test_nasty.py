"""The same tag from every way of writing it."""

import pytest

from referee.tags import FreeRoll, TagProblem, find_tags, spell
from rulesets.core.declarations import Declaration
from tests.tags.speaking import GM, HERE, LOPE, load

NASTY = load(HERE / "nasty.yaml")


def canonical(value, vocabulary):
    if isinstance(value, TagProblem):
        return f"!{value.code}"
    if isinstance(value, FreeRoll):
        return f"[tirada: {value.expression}]"
    assert isinstance(value, Declaration)
    return spell(value, vocabulary, "es", named=False)


@pytest.mark.parametrize("case", NASTY, ids=[case["about"] for case in NASTY])
def test_a_nasty_spelling_gives_the_canonical_tag(case, heard, vocabulary):
    values = heard.all(case["post"], GM if case.get("gm") else LOPE)
    assert [canonical(value, vocabulary) for value in values] == case["tags"]


@pytest.mark.parametrize("case", NASTY, ids=[case["about"] for case in NASTY])
def test_a_nasty_spelling_is_quoted_as_it_was_posted(case, vocabulary):
    for raw in find_tags(case["post"], vocabulary):
        assert raw.words in case["post"]


# What filters of words put in a word's place: their own signs, or whatever an administrator likes.
SIGNS = ("*", "**", "***", "****", "*****", "■■■■■", "[censurado]", "(censurado)", "-", "...", "_",
         "???", "@#$%", "<censurado>", "x", "~~~~", "«»", "[flor] bendita")  # fmt: skip


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("word", ["ataque", "objetivo", "Moro", "arma", "espada", "cabeza"])
def test_no_sign_in_a_words_place_makes_another_tag(sign, word, heard, vocabulary):
    tag = "[acción: ataque | objetivo: Moro 1 | arma: espada | zona: cabeza]"
    (value,) = heard.all(tag.replace(word, sign))
    if isinstance(value, TagProblem):
        return
    # Read as it stands, so that the game finds nothing of that name: no field is left out or empty.
    told = canonical(value, vocabulary)
    assert told != tag
    parts = [part.partition(":") for part in told.strip("[]").split("|")]
    assert len(parts) == 4
    assert all(value.strip() for _name, _colon, value in parts)
    # Nor is it taken for another name that is there: "Moro 1" is not "1", "espada" not nothing.
    assert {part[2].strip() for part in parts} - {"ataque", "Moro 1", "espada", "cabeza", "1"}


def test_there_are_enough_nasty_spellings_and_each_is_another_one():
    assert len({case["post"] for case in NASTY}) == len(NASTY) >= 60
