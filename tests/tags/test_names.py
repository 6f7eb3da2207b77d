"""Whom a tag is for."""

import pytest

from referee.tags import Speakers, spell
from tests.tags.speaking import CAST, GM, LOPE, Ear

ODD_CAST = ("[b]", "a|b", "Sor: Inés", "{{ 7*7 }}", "acción", "🗡️", "<script>", "O'Hara", "*", "Ñ;=")


@pytest.mark.parametrize(
    ("tag", "speakers", "actor"),
    [
        ("[acción: parada]", LOPE, "Lope"),
        ("[acción lope: parada]", LOPE, "Lope"),
        ("[acción Bandido 1: parada]", GM, "Bandido 1"),
        ("[acción bandido  10: parada]", GM, "Bandido 10"),
        ("[acción inigo: parada]", GM, "Íñigo"),
        ("[acción Ana: parada]", GM, "Ana"),
        ("[acción ANABEL: parada]", GM, "Anabel"),
        ("[acción «Ana»: parada]", GM, "Ana"),
        ("[acción @Ana: parada]", GM, "Ana"),
        ("[acción de Ana: parada]", GM, "Ana"),
        ("[acción: parada]", Speakers(own=("Lope", "Ana"), cast=CAST, default="Lope"), "Lope"),
        ("[acción Ana: parada]", Speakers(own=("Lope", "Ana"), cast=CAST, default="Lope"), "Ana"),
        ("[acción: parada]", Speakers(own=("Ana",), cast=CAST, is_gm=True), "Ana"),
    ],
)
def test_a_name_is_known_whatever_its_case_and_accents(tag, speakers, actor, heard):
    assert heard.one(tag, speakers).actor == actor


@pytest.mark.parametrize(
    ("tag", "speakers", "code", "candidates", "cure"),
    [
        ("[acción Ana: parada]", LOPE, "not_your_character", ("Lope",), ""),
        ("[acción Lop: parada]", LOPE, "unknown_name", ("Lope",), "[acción Lope: parada]"),
        ("[acción An: parada]", GM, "unknown_name", (), ""),
        ("[acción Anab: parada]", GM, "unknown_name", ("Ana",), "[acción Ana: parada]"),
        ("[acción Bandido: parada]", GM, "unknown_name", ("Bandido 1", "Bandido 10"), ""),
        ("[acción Bandido 2: parada]", GM, "unknown_name", ("Bandido 1", "Bandido 10"), ""),
        ("[acción Zutano: parada]", GM, "unknown_name", (), ""),
        (
            "[acción ataque: Moro 1]",
            LOPE,
            "unknown_name",
            (),
            "[acción: ataque | objetivo: Moro 1]",
        ),
        # Cyrillic о, Greek Α, a fullwidth letter is no look-alike but the letter itself.
        ("[acción Lоpe: parada]", LOPE, "look_alike_name", ("Lope",), "[acción Lope: parada]"),
        ("[acción Αna: parada]", GM, "look_alike_name", ("Ana",), "[acción Ana: parada]"),
        ("[acción: parada | contra: x | tras: Аna]", GM, "which_character", CAST, ""),
        ("[acción: parada]", GM, "which_character", CAST, ""),
        (
            "[acción: parada]",
            Speakers(own=("Ana", "Lope"), cast=CAST),
            "which_character",
            ("Ana", "Lope"),
            "[acción Ana: parada]",
        ),
    ],
)
def test_a_name_that_is_nobodys_is_refused_with_candidates(
    tag, speakers, code, *, candidates, cure, heard
):
    problem = heard.one(tag, speakers)
    assert problem.code == code
    assert problem.facts["candidates"] == candidates
    assert problem.cure == cure


def test_a_stranger_has_nobody_to_act_for(heard):
    stranger = Speakers(cast=CAST)
    assert heard.one("[acción: parada]", stranger).code == "no_character"
    assert heard.one("[acción Lope: parada]", stranger).code == "not_your_character"


def test_two_names_that_only_accents_keep_apart_are_told_apart_letter_by_letter(vocabulary):
    twins = Speakers(cast=("Inigo", "Íñigo"), is_gm=True)
    ear = Ear(vocabulary)
    assert ear.one("[acción Inigo: parada]", twins).actor == "Inigo"
    assert ear.one("[acción Íñigo: parada]", twins).actor == "Íñigo"
    problem = ear.one("[acción INIGO: parada]", twins)
    assert (problem.code, problem.facts["candidates"]) == ("ambiguous_name", ("Inigo", "Íñigo"))


@pytest.mark.parametrize("name", ODD_CAST)
def test_names_that_are_markup_code_or_keywords_are_names(name, vocabulary):
    gm = Speakers(cast=(*ODD_CAST, "Lope"), is_gm=True)
    ear = Ear(vocabulary)
    quoted = f'"{name}"'
    for written in (name, quoted) if not set(name) & set(":|;=*") else (quoted,):
        value = ear.one(f"[acción {written}: ataque | Lope]", gm)
        assert value.actor == name
        assert ear.one(spell(value, vocabulary, "es"), gm).actor == name
        value = ear.one(f"[acción Lope: ataque | objetivo: {written}]", gm)
        assert value.fields == {"target": name}
        assert ear.one(spell(value, vocabulary, "es"), gm).fields == {"target": name}


def test_a_name_with_a_colon_can_be_a_bare_target(vocabulary):
    gm = Speakers(cast=ODD_CAST, is_gm=True)
    value = Ear(vocabulary).one("[acción [b]: ataque | Sor: Inés]", gm)
    assert value.fields == {"target": "Sor: Inés"}


def test_a_game_master_who_plays_may_act_for_all(heard):
    both = Speakers(own=("Lope",), cast=CAST, is_gm=True)
    assert heard.one("[acción: parada]", both).actor == "Lope"
    assert heard.one("[acción Moro 1: parada]", both).actor == "Moro 1"
