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


def test_there_are_enough_nasty_spellings_and_each_is_another_one():
    assert len({case["post"] for case in NASTY}) == len(NASTY) >= 60
