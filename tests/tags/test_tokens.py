"""Finding tags in posts: what is one, what is none, what went wrong, and what it costs."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.tags import PROBLEM_CODES, Speakers, TagProblem, find_tags, read_tag
from referee.tags.tokens import (
    MAX_ATTEMPTS,
    MAX_FIELDS,
    MAX_TAG,
    MAX_TAGS,
    QUOTED,
    pair,
    split_fields,
)
from tests.tags.speaking import GM, LOPE


def test_tags_stand_anywhere_in_the_prose_and_keep_their_order(vocabulary):
    post = "Salto.[acción: saltar]Y luego [reacción: parada], ¡[acción: ataque | Moro 1]!"
    found = find_tags(post, vocabulary)
    assert [raw.keyword for raw in found] == ["action", "standing", "action"]
    assert [raw.body for raw in found] == ["saltar", "parada", "ataque | Moro 1"]


def test_a_tag_is_quoted_exactly_as_it_was_posted(vocabulary):
    tag = "[ACCIO\u0301N\u200b :\u00a0ataque…\n| “Moro 1” ]"
    (raw,) = find_tags(f"«Antes» – {tag} — después", vocabulary)
    assert raw.words == tag
    assert raw.body == 'ataque...\n| "Moro 1"'


def test_the_place_of_a_tag_is_its_place_in_the_post(vocabulary):
    post = "“¡Voy!” [acción: parada]"
    (raw,) = find_tags(post, vocabulary)
    assert post[raw.start : raw.end] == raw.words == "[acción: parada]"


@pytest.mark.parametrize(
    "prose",
    [
        "[i: tres] [b: cuatro] [url: x] [quote: y] [size: 3] [code: 9]",
        "[risas: todos]",
        "[mirada: fría]",  # one letter from tirada
        "[relación: hermanos]",  # one letter from reacción
        "[opción: dos] [sección: 3] [canción: la del pirata]",
        "[acción]",
        "[acción trepidante]",
        "[acción " + "trepidante " * 300 + "]",
        "[acicón: parada " + "trepidante " * 300 + "]",
        "[acción trepidante, dijo: hola",
        "(acción trepidante)",
        "[daño: (2d8) | tipo: fuego]",
        "[ronda: 2 | niebla: densa]",
        "acción: ataque",
        "[ ] [] [[]] ][",
    ],
)
def test_ordinary_brackets_are_none_of_the_referees_business(prose, vocabulary):
    assert find_tags(prose, vocabulary) == ()


@pytest.mark.parametrize(
    ("post", "bodies"),
    [
        ("[nota: como dije [acción: parada]]", ["parada"]),
        ("[[acción: parada]]", ["parada"]),
        (r"\[acción: parada\]", ["parada"]),
        ("[sin cerrar [acción: parada]", ["parada"]),
        ("[acción: ataque | [Moro 1](https://x.test/a_(b)?c=d;e#f)]", ["ataque | Moro 1"]),
        ('[acción: [ataque](/pj "Su ficha") | Moro 1]', ["ataque | Moro 1"]),
        ("[acción: hechizo [nivel 3](fuerte)]", ["hechizo [nivel 3](fuerte)"]),
        ("[acción: mirar | texto: [b] (/b)]", ["mirar | texto: [b] (/b)"]),
        ("[acción: hechizo [nivel 3] | Moro 1]", ["hechizo [nivel 3] | Moro 1"]),
        ("[acción: parada](http://x)", ["parada"]),
        ("[acción:\nataque\nobjetivo: Moro 1\n]", ["ataque\nobjetivo: Moro 1"]),
    ],
)
def test_brackets_in_brackets(post, bodies, vocabulary):
    found = find_tags(post, vocabulary)
    assert [raw.body for raw in found] == bodies
    assert not any(raw.problem for raw in found)


@pytest.mark.parametrize(
    ("post", "code", "words", "cure"),
    [
        (
            "[acción: ataque | objetivo: Moro 1\ny más texto",
            "unclosed_tag",
            "[acción: ataque | objetivo: Moro 1",
            "[acción: ataque | objetivo: Moro 1]",
        ),
        ("[acción: parada) y me río", "unclosed_tag", "[acción: parada) y me río", ""),
        ("[acción: parada)", "unclosed_tag", "[acción: parada)", "[acción: parada]"),
        ("[acción ataque | Moro 1]", "missing_colon", None, "[acción: ataque | objetivo: Moro 1]"),
        ("[tirada 1d100]", "missing_colon", None, "[tirada: 1d100]"),
        ("[árbitro respuesta | parada]", "missing_colon", None, "[árbitro: respuesta | parada]"),
        ("(acción: parada)", "wrong_brackets", None, "[acción: parada]"),
        ("{acción Lope: parada}", "wrong_brackets", None, "[acción Lope: parada]"),
        ("[acción]: parada", "wrong_brackets", None, "[acción: parada]"),
        (
            "[acción] ataque al Moro 1",
            "wrong_brackets",
            None,
            "[acción: ataque | objetivo: Moro 1]",
        ),
        ("[acicón: parada]", "unknown_keyword", None, "[acción: parada]"),
        (
            "[accions: atque | Moro 1]",
            "unknown_keyword",
            None,
            "[acción: ataque | objetivo: Moro 1]",
        ),
        ("[аcción: parada]", "unknown_keyword", None, "[acción: parada]"),  # Cyrillic а
        ("[triada: 2d6]", "unknown_keyword", None, "[tirada: 2d6]"),
        (
            "[acicón: bailar | objetivo: Moro 1]",
            "unknown_keyword",
            None,
            "",
        ),
    ],
)
def test_what_was_meant_for_a_tag_is_reported_with_a_spelling_that_works(
    post, code, words, cure, heard
):
    (problem,) = heard.all(post)
    assert problem.code == code
    assert problem.words == (post if words is None else words)
    assert problem.cure == cure


def test_an_unclosed_tag_hides_none_of_the_tags_after_it(heard):
    first, second = heard.all("[acción: ataque | Moro 1\n\n[acción: parada]")
    assert first.code == "unclosed_tag"
    assert second.verb == "parry"


@pytest.mark.parametrize(
    "post",
    ["[acción: gritar | texto: [acción: parada]]", "[tirada: 1d6 | por [acción: parada]]"],
)
def test_a_tag_in_a_tag_is_reported_whole(post, heard):
    (problem,) = heard.all(post)
    assert (problem.code, problem.words) == ("nested_tag", post)


def test_a_very_long_tag_is_quoted_in_part(heard):
    (problem,) = heard.all(f"[acción: gritar | {'a' * MAX_TAG}]")
    assert problem.code == "tag_too_long"
    assert len(problem.words) == QUOTED


def test_the_longest_tag_is_read(heard):
    post = f"[acción: gritar | texto: {'a' * (MAX_TAG - 50)}]"
    assert len(heard.one(post).fields["text"]) == MAX_TAG - 50


def test_many_tags_are_read_and_too_many_are_said_to_be(heard):
    found = heard.all("[acción: parada]" * MAX_TAGS)
    assert {value.verb for value in found} == {"parry"}
    found = heard.all("[acción: parada]" * (MAX_TAGS + 1))
    assert len(found) == MAX_TAGS + 1
    assert (found[-1].code, found[-1].facts) == ("too_many_tags", {"limit": MAX_TAGS})


def test_too_many_fields_are_said_to_be(heard):
    assert heard.one("[acción: parada" + "| a" * MAX_FIELDS + "]").code == "too_many_fields"


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ("a|b;c\nd", ["a", "b", "c", "d"]),
        (" a | | b ;; c\n\n", ["a", "b", "c"]),
        ("a | b: [x | y]; c", ["a", "b: [x | y]", "c"]),
        ('a: "x | y; z" | b', ['a: "x | y; z"', "b"]),
        ('a: "x | b: y"z | c', ['a: "x', 'b: y"z', "c"]),
        ('a: 12" | b: 3"', ['a: 12"', 'b: 3"']),
        ("a: hola ;) | b", ["a: hola ;)", "b"]),
        ("a: hola ;-D| b", ["a: hola ;-D", "b"]),
        ("a;Dado: 3", ["a", "Dado: 3"]),
        ("a:\n  b | c=\nd", ["a: b", "c= d"]),
        ("", []),
    ],
)
def test_fields_are_parted_where_a_reader_would_part_them(body, fields):
    assert list(split_fields(body)) == fields


@pytest.mark.parametrize(
    ("field", "key", "value"),
    [
        ("objetivo: Moro 1", "objetivo", "Moro 1"),
        ("objetivo = Moro 1", "objetivo", "Moro 1"),
        ("texto: a: b = c", "texto", "a: b = c"),
        ("viernes 21:00", "", "viernes 21:00"),
        ("hasta: 21:00", "hasta", "21:00"),
        ("http://example.org/a", "", "http://example.org/a"),
        ("daño >= 5", "", "daño >= 5"),
        ("[a: b]", "", "[a: b]"),
        (": x", "", ": x"),
        ("arma:", "arma", ""),
        ("carrerilla", "", "carrerilla"),
    ],
)
def test_a_field_has_a_key_where_a_reader_would_see_one(field, key, value):
    assert pair(field) == (key, value)


HOSTILE = {
    "opening brackets": "[",
    "closing brackets": "]",
    "keywords without end": "[acc",
    "unclosed tags": "[acc:",
    "tags": "[acción: ataque | objetivo: Moro 1] ",
    "keywords in keywords": "[acc " * 200 + "]" * 200,
    "tags in tags": "[acc:" * 200 + "]" * 200,
    "fallbacks in fallbacks": "[acc: parada | si no: " * 80 + "]" * 80,
    "slips of keywords": "[acicón: atak | objetivo: x]",
    "quotes": '[acc: "" "" ',
    "fields": "[acc: " + "a|" * 900 + "]",
    "full stops": "[acc: ataque" + "." * 1900 + "x]",
    "smileys": "[acc: ataque" + " :)" * 600 + "x]",
    "round brackets": "(acc: parada ",
    "entities": "&#91;acc",
    "wide letters": "［ａｃｃ：",
    "invisible letters": "\u200b",
    "marks": "a\u0301\u0323\u0327",
    "spaces": "[acc" + " " * 1900 + ":",
    "dice": "[tirada: " + "(1+" * 60 + "]",
    "misspelt verbs": "[acc: atqe recoi " + "x " * 200 + "| Moor 1]",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_half_a_megabyte_of_anything_is_read_within_seconds(name, vocabulary):
    size = 500_000
    post = (HOSTILE[name] * (size // len(HOSTILE[name]) + 1))[:size]
    # Measured: under a second on one slow core; quadratic time would be hours.
    begun = time.process_time()
    found = find_tags(post, vocabulary)
    for raw in found:
        read_tag(raw, vocabulary, LOPE)
        read_tag(raw, vocabulary, GM)
    assert time.process_time() - begun < 10
    assert len(found) <= MAX_TAGS + 1
    assert sum(len(raw.words) for raw in found) <= len(post)


def test_brackets_that_come_to_nothing_are_counted_too(vocabulary):
    (raw,) = find_tags("[acc x]" * (MAX_ATTEMPTS + 1), vocabulary)
    assert raw.problem == "too_many_tags"


INGREDIENTS = [
    *("acción", "reacción", "tirada", "árbitro", "Lope", "Moro 1", "ataque", "parada", "heridas"),
    *("ayuda", "retirar", "mod", "corregir", "objetivo", "zona", "cabeza", "si no", "si", "tras"),
    *("cae", "listo", "1d6", "2d6k1", "a", "<br>", "&#91;", "“", "🗡️", "\u200b"),
    *'[]|:;=()# \n"',
]
SOUP = st.lists(st.sampled_from(INGREDIENTS), max_size=40).map("".join)


@given(post=SOUP | st.text(max_size=200))
def test_no_text_makes_the_reading_fail(vocabulary, post):
    for raw in find_tags(post, vocabulary):
        assert raw.words == post[raw.start : raw.end]
        for speakers in (LOPE, GM, Speakers()):
            value = read_tag(raw, vocabulary, speakers)
            assert value.words == raw.words
            if isinstance(value, TagProblem):
                assert value.code in PROBLEM_CODES


@given(post=SOUP)
def test_every_cure_can_be_read(vocabulary, post):
    for raw in find_tags(post, vocabulary):
        value = read_tag(raw, vocabulary, LOPE)
        if isinstance(value, TagProblem) and value.cure:
            (mended,) = find_tags(value.cure, vocabulary)
            assert not isinstance(read_tag(mended, vocabulary, LOPE), TagProblem)
