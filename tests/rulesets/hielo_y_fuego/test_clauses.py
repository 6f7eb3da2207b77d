"""The little language of the order «heridas», and the fates of «derrota»."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulesets.core.questions import Answers, Question, SetupError
from rulesets.hielo_y_fuego.clauses import Blow, Clause, Fates, read_clauses, read_fates
from tests.rulesets.hielo_y_fuego.table import (
    FixedDice,
    act,
    codes,
    fight_of,
    hf,
    order,
    play,
    told,
    who,
)

TABLES = hf().tables
HIT = FixedDice({"Mero.attack": [4, 4, 2]})  # 10 against 10: one degree of 5


def clauses(*texts: str) -> tuple[Clause, ...]:
    found = read_clauses(texts, TABLES)
    assert not isinstance(found, str), found
    return found


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("salud", "accept"),
        ("Aceptar", "accept"),
        ("leve", "injury"),
        ("LEVE x2", "injury"),
        ("grave", "wound"),
        ("grave aunque muera", "wound"),
        ("leve si daño >= 5 y graves < 1", "injury"),
        ("grave si cae con leve", "wound"),
        ("leve si no cae", "injury"),
        ("injury if damage >= 5", "injury"),
        ("wound if falls even if it kills", "wound"),
    ],
)
def test_clauses_are_read_in_both_languages(text, choice):
    (clause,) = clauses(text)
    assert clause.choice == choice


@pytest.mark.parametrize(
    "text", ["leve cuando puedas", "grave x2", "leve x0", "leve si suerte > 3", "si cae", "huir"]
)
def test_what_is_no_clause_is_told_by_its_own_text(text):
    assert read_clauses(("leve", text), TABLES) == text


@pytest.mark.parametrize(
    ("condition", "blow", "holds"),
    [
        ("daño >= 5", (5, 9, 3, 0, 0), True),
        ("daño > 5", (5, 9, 3, 0, 0), False),
        ("daño ≤ 5", (5, 9, 3, 0, 0), True),
        ("salud = 9", (5, 9, 3, 0, 0), True),
        ("restante < 5", (5, 9, 3, 0, 0), True),
        ("leves < 1", (5, 9, 3, 1, 0), False),
        ("graves = 2", (5, 9, 3, 0, 2), True),
        ("cae", (9, 9, 3, 0, 0), True),
        ("cae", (8, 9, 3, 0, 0), False),
        ("no cae", (8, 9, 3, 0, 0), True),
        ("cae con leve", (11, 9, 3, 0, 0), False),  # 9 − (11 − 3) is 1
        ("cae con leve", (12, 9, 3, 0, 0), True),
        ("no cae con leve", (11, 9, 3, 0, 0), True),
        ("siempre", (1, 9, 3, 0, 0), True),
    ],
)
def test_conditions_look_at_what_the_catalogue_says(condition, blow, holds):
    (clause,) = clauses(f"leve si {condition}")
    assert clause.calls(Blow(*blow)) is holds


def test_every_condition_of_a_clause_must_hold():
    (clause,) = clauses("leve si daño > 3 y leves < 2 y no cae")
    assert clause.calls(Blow(4, 9, 3, 1, 0))
    assert not clause.calls(Blow(4, 9, 3, 2, 0))
    assert not clause.calls(Blow(4, 4, 3, 1, 0))


@given(st.lists(st.text(max_size=60), max_size=5))
def test_no_text_whatever_breaks_the_reader(texts):
    found = read_clauses(tuple(texts), TABLES)
    assert isinstance(found, str | tuple)


def test_fates_are_read_with_their_exceptions():
    names = {"bandido 1": "Bandido 1"}
    found = read_fates(
        ("capturar", "Bandido 1: matar"), TABLES, lambda word: names.get(word.strip().lower(), "")
    )
    assert found == Fates("capture", {"Bandido 1": "kill"})
    assert isinstance(found, Fates)
    assert (found.of("Bandido 1"), found.of("Otro")) == ("kill", "capture")
    assert read_fates(("bailar",), TABLES, str) == ("bad_clause", "bailar")
    assert read_fates(("Nadie: matar",), TABLES, lambda _: "") == ("unknown_target", "Nadie")


# ------------------------------------------------------------------ in a round


def duel(**options):
    cast = {
        "Edric": who(endurance=3, combat_defense=10),
        "Mero": who("b", athletics=5, fighting=3, combat_defense=9, weapons=["maza"]),
    }
    return fight_of(cast, {"initiative": {"Mero": 12, "Edric": 5}}, options)


def test_an_order_that_nobody_understands_is_refused_and_changes_nothing():
    outcome = play(duel(), order("Edric", "wounds", "leve si truena"), act("Mero", "aim"))
    assert codes(outcome) == ["bad_clause"]
    assert outcome.rejections[0].facts == {"given": "leve si truena"}


def test_a_new_order_replaces_the_former_one_and_an_empty_one_takes_it_back():
    blow = act("Mero", "attack", "Edric")
    first, second = order("Edric", "wounds", "leve"), order("Edric", "wounds", "grave")
    assert told(play(duel(), first, second, blow, dice=HIT), "wound")[0].kind == "wound"
    assert told(play(duel(), first, order("Edric", "wounds"), blow, dice=HIT), "wound") == []


def test_the_defender_is_asked_only_without_an_order_of_his_own():
    bench = hf()
    fight = bench.game.open_round(duel(), HIT).fight
    blow = act("Mero", "attack", "Edric")
    asked = bench.game.resolve(fight, [blow], HIT, Answers(ask=True))
    assert isinstance(asked, Question)
    assert (asked.label, asked.who, asked.default) == ("Edric.wounds", "Edric", "accept")
    assert asked.options == ("accept", "injury", "wound")
    assert asked.facts["amount"] == 5
    for answer, kind in (("injury", "injury"), ("wound", "wound")):
        answers = Answers({asked.label: answer}, ask=True)
        outcome = bench.game.resolve(fight, [blow], HIT, answers)
        assert [event.kind for event in told(outcome, "wound")] == [kind]
    ordered = [order("Edric", "wounds", "salud"), blow]
    assert not isinstance(bench.game.resolve(fight, ordered, HIT, Answers(ask=True)), Question)


def test_a_wound_that_would_kill_is_not_offered():
    cast = {
        "Edric": who(endurance=2, combat_defense=10, state={"wounds": 1}),
        "Mero": who("b", athletics=5, fighting=3, weapons=["maza"]),
    }
    fight = fight_of(cast, {"initiative": {"Mero": 12, "Edric": 5}})
    opened = hf().game.open_round(fight, HIT).fight
    asked = hf().game.resolve(opened, [act("Mero", "attack", "Edric")], HIT, Answers(ask=True))
    assert isinstance(asked, Question)
    assert asked.options == ("accept", "injury")


def test_the_option_that_orders_for_everyone_must_be_readable():
    with pytest.raises(SetupError) as caught:
        duel(default_damage_order="leve si truena")
    assert caught.value.problems[0].path == ("options", "default_damage_order")
