"""Every problem that a tag can have can be brought about, and comes with the facts it promises."""

import pytest

from referee.tags import PROBLEM_CODES, PROBLEMS, Speakers, TagProblem, lost_tags, roll
from tests.tags.speaking import CAST, GM, LOPE

SEVERAL = Speakers(own=("Ana", "Lope"), cast=CAST)
STRANGER = Speakers(cast=CAST)
TWINS = Speakers(cast=("Inigo", "Íñigo"), is_gm=True)

PROVOKED = {
    "unclosed_tag": ("[acción: parada", LOPE),
    "missing_colon": ("[acción parada]", LOPE),
    "wrong_brackets": ("(acción: parada)", LOPE),
    "empty_tag": ("[acción: ]", LOPE),
    "tag_too_long": (f"[acción: {'a' * 3000}]", LOPE),
    "too_many_tags": ("[acción: parada]" * 101, LOPE),
    "too_many_fields": (f"[acción: {'a|' * 50}]", LOPE),
    "nested_tag": ("[acción: gritar | [acción: parada]]", LOPE),
    "unknown_keyword": ("[acicón: parada]", LOPE),
    "unknown_name": ("[acción Zutano: parada]", LOPE),
    "look_alike_name": ("[acción Lоpe: parada]", LOPE),
    "ambiguous_name": ("[acción INIGO: parada]", TWINS),
    "not_your_character": ("[acción Ana: parada]", LOPE),
    "which_character": ("[acción: parada]", SEVERAL),
    "no_character": ("[acción: parada]", STRANGER),
    "not_game_master": ("[árbitro: cerrar]", LOPE),
    "unknown_action": ("[acción: bailar]", LOPE),
    "unknown_order": ("[reacción: bailar]", LOPE),
    "unknown_command": ("[árbitro: bailar]", GM),
    "ambiguous_verb": ("[acción: soltar]", LOPE),
    "unknown_field": ("[acción: parada | color: rojo]", LOPE),
    "unknown_flag": ("[acción: levantarse | rojo]", LOPE),
    "duplicate_field": ("[acción: ataque | arma: a | arma: b]", LOPE),
    "empty_field": ("[acción: ataque | arma:]", LOPE),
    "missing_field": ("[árbitro: plazo]", GM),
    "not_a_number": ("[árbitro: cerrar | ronda: x]", GM),
    "two_timings": ("[acción: parada | tras: Ana | antes: Ana]", LOPE),
    "unknown_event": ("[acción: parada | si: llueve]", LOPE),
    "nested_fallback": ("[acción: parada | si no: [esquiva | si no: parada]]", LOPE),
    "bad_dice": ("[tirada: 1d6 1d6]", LOPE),
    "no_dice": ("[tirada: 7]", LOPE),
    "dice_too_long": (f"[tirada: {'1d6+' * 60}1]", LOPE),
    "dice_too_deep": (f"[tirada: {'(' * 20}1d6]", LOPE),
    "too_many_dice": ("[tirada: 900d6]", LOPE),
    "sides_out_of_range": ("[tirada: 1d1]", LOPE),
    "keep_out_of_range": ("[tirada: 2d6k3]", LOPE),
    "number_too_big": ("[tirada: 1d6+9999999999]", LOPE),
}


class Ones:
    def face(self, label: str, index: int, sides: int) -> int:
        del label, index, sides
        return 1


@pytest.mark.parametrize("code", PROVOKED)
def test_a_problem_comes_with_its_facts(code, heard):
    post, speakers = PROVOKED[code]
    problem = heard.all(post, speakers)[-1]
    assert isinstance(problem, TagProblem)
    assert problem.code == code
    assert tuple(problem.facts) == PROBLEMS[code]


def test_problems_of_rolling_and_of_quoting_come_with_their_facts(vocabulary):
    problems = [
        roll("1d6/0", Ones(), "a"),
        roll("1d6+AGI", Ones(), "a"),
        *lost_tags("[acción: parada]", vocabulary),
    ]
    assert [problem.code for problem in problems] == [
        "division_by_zero",
        "unknown_figure",
        "lost_tag",
    ]
    assert all(tuple(problem.facts) == PROBLEMS[problem.code] for problem in problems)


def test_no_problem_is_left_that_nothing_brings_about():
    others = {"division_by_zero", "unknown_figure", "lost_tag"}
    assert set(PROBLEM_CODES) == set(PROVOKED) | others


def test_facts_are_words_and_figures_that_templates_and_logs_can_hold(heard):
    for post, speakers in PROVOKED.values():
        for value in heard.all(post, speakers)[-1].facts.values():
            assert isinstance(value, (str, int, tuple))
            assert not isinstance(value, tuple) or all(isinstance(word, str) for word in value)
