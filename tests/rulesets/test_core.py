"""What the games share, each piece by itself."""

from dataclasses import field, fields, replace
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulesets.core import corrections
from rulesets.core.declarations import Declaration, Kind, fold
from rulesets.core.dice import DiceExpression, NoDice, Roll, best, dice_expression, faces
from rulesets.core.events import Event, as_json, by_type, from_json, of_type
from rulesets.core.modifiers import Modifier, Total, total
from rulesets.core.play import MOST_IN_A_CHAIN, Play, applier, played
from rulesets.core.questions import Answers, Question, SetupError
from rulesets.core.reading import MAX_ITEMS, Reading
from rulesets.core.records import dataclass
from rulesets.core.ruleset import Outcome
from rulesets.core.state import changed
from tests.rulesets.playing import FixedDice

# ------------------------------------------------------------------ totals


def test_a_total_takes_its_steps_in_order():
    parts = (
        Modifier(61, "skill", "R"),
        Modifier(0, "feint", "R", "halved_up"),
        Modifier(3, "thrice", "R", "times"),
        Modifier(90, "cap", "R", "capped"),
        Modifier(-100, "dark", "R"),
        Modifier(5, "floor", "R", "raised"),
        Modifier(0, "half", "R", "halved_down"),
    )
    figures = [Total(parts[: n + 1]).value for n in range(len(parts))]
    assert figures == [61, 31, 93, 90, -10, 5, 2]


@pytest.mark.parametrize(("figure", "up", "down"), [(7, 4, 3), (8, 4, 4), (-7, -3, -4), (0, 0, 0)])
def test_halves_are_rounded_toward_the_side_they_name(figure, up, down):
    assert Modifier(0, "x", "R", "halved_up").applied_to(figure) == up
    assert Modifier(0, "x", "R", "halved_down").applied_to(figure) == down


def test_sources_are_asked_in_order_and_may_have_nothing_to_say():
    def one(figure: int) -> Modifier | None:
        return Modifier(figure, "one", "R")

    def none(_: int) -> Modifier | None:
        return None

    assert [part.source for part in total((one, none, one), 3).parts] == ["one", "one"]


# ------------------------------------------------------------------ dice


@given(st.integers(1, 99), st.integers(2, 999), st.integers(-999, 999), st.sampled_from(["", "-"]))
def test_dice_are_written_as_they_are_read(count, sides, fixed, sign):
    text = f"{sign}{count}D{sides}" + (f"{fixed:+d}" if fixed else "")
    found = dice_expression(text)
    assert found == DiceExpression(count, sides, fixed, -1 if sign else 1)
    assert found.text == text
    assert dice_expression(text.lower()) == found


@pytest.mark.parametrize("text", ["", "D6", "1D", "1D6+", "1 D 6", "1D6+1D6", "٣D6", "1D6\n2"])
def test_what_is_no_dice_is_refused(text):
    with pytest.raises(ValueError, match=r".*"):
        dice_expression(text)


def test_the_most_that_dice_give():
    highest = [dice_expression(text).highest for text in ("1D8+1", "2D6", "-1D4")]
    assert highest == [9, 12, -1]


def test_a_roll_counts_the_dice_that_are_kept():
    assert Roll("a", (6, 6, 6), (5, 2, 4)).value == 11
    assert Roll("a", (6, 6, 6), (5, 2, 4), (True, False, True)).value == 9


@given(st.lists(st.integers(1, 6), max_size=12), st.integers(0, 12))
def test_the_best_dice_of_a_pool_are_the_highest(shown, keep):
    kept = best(shown, keep)
    counted = [
        face for face, counts in zip(shown, kept or [True] * len(shown), strict=True) if counts
    ]
    assert sorted(counted, reverse=True) == sorted(shown, reverse=True)[:keep]


def test_dice_of_one_label_are_told_apart_by_place():
    assert faces(FixedDice({"a": [3, 1]}), "a", (6, 6)) == (3, 1)
    with pytest.raises(LookupError):
        NoDice().face("a", 0, 6)


# ------------------------------------------------------------------ names


@pytest.mark.parametrize(
    ("one", "other"), [("Íñigo", "INIGO"), ("  Bandido   1 ", "bandido 1"), ("Straße", "STRASSE")]
)
def test_names_are_alike_but_for_case_accents_and_spaces(one, other):
    assert fold(one) == fold(other)


def test_letters_of_another_script_stay_themselves():
    assert fold("Lоpe") != fold("Lope")  # the first has a Cyrillic o


def test_a_declaration_lists_names_by_commas():
    declared = Declaration("Lope", Kind.ACTION, "sweep", {"target": " Moro 1 ,, Moro 2"})
    assert declared.names("target") == ("Moro 1", "Moro 2")
    assert declared.names("against") == ()
    assert declared.get("zone") == ""


# ------------------------------------------------------------------ events and state


@dataclass(frozen=True, slots=True, kw_only=True)
class Bang(Event):
    """A made-up event with a field of every kind."""

    type: ClassVar[str] = "bang"
    text: str = ""
    number: int = 0
    yes: bool = False
    names: tuple[str, ...] = ()
    nested: tuple[str | tuple[str, ...], ...] = ()
    parts: dict[str, int] = field(default_factory=dict)
    place: int | None = None


EVENTS = by_type(Bang)


@given(
    st.builds(
        Bang,
        actor=st.text(max_size=5),
        rule=st.just("R-1"),
        text=st.text(max_size=5),
        number=st.integers(-9, 9),
        yes=st.booleans(),
        names=st.lists(st.text(max_size=3), max_size=3).map(tuple),
        nested=st.just(("a", ("b", "c"))),
        parts=st.dictionaries(st.text(max_size=3), st.integers(-9, 9), max_size=3),
        place=st.none() | st.integers(-9, 9),
    )
)
def test_an_event_is_written_and_read_back(event):
    assert from_json(EVENTS, as_json(event)) == event


def test_records_are_compared_hashed_and_copied_like_frozen_dataclasses():
    part = Modifier(3, "ability", "R-1")
    assert part == Modifier(3, "ability", "R-1") != replace(part, value=4)
    assert len({part, Modifier(3, "ability", "R-1"), replace(part, step="times")}) == 2
    assert [each.name for each in fields(part)] == ["value", "source", "rule", "step"]
    with pytest.raises(AttributeError):
        part.other = 1  # type: ignore[attr-defined] # it has slots


def test_fields_that_hold_their_default_are_not_written():
    assert as_json(Bang(actor="Lope")) == {"type": "bang", "actor": "Lope"}


def test_two_events_of_one_type_or_of_none_are_found_at_import():
    with pytest.raises(ValueError, match="bang"):
        by_type(Bang, Bang)
    with pytest.raises(ValueError, match="Event"):
        by_type(Event)


def test_an_unknown_type_is_no_event():
    with pytest.raises(KeyError):
        from_json(EVENTS, {"type": "whimper"})


@dataclass(frozen=True)
class Count:
    """A made-up fight."""

    number: int = 0
    other: tuple[int, ...] = (1,)

    @property
    def round(self) -> int:
        return 1


def test_a_record_is_replaced_and_never_changed():
    before = Count()
    after = changed(before, number=3)
    assert (before.number, after.number) == (0, 3)
    assert after.other is before.other
    assert after == Count(3)


# ------------------------------------------------------------------ a round in play


def counting(event_count: int = 0) -> Play[Count]:
    apply = applier({Bang: lambda fight, event: changed(fight, number=fight.number + event.number)})
    return Play(Count(event_count), FixedDice(), Answers(), apply)


def test_events_are_the_only_way_that_a_fight_changes():
    play = counting()
    play.emit(Bang(number=2))
    play.emit(Event())
    play.emit(Bang(number=3))
    outcome = play.outcome()
    assert outcome.fight == Count(5)
    assert len(outcome.events) == 3
    assert of_type(outcome.events, Bang) == (Bang(number=2), Bang(number=3))


def test_the_second_roll_of_a_name_has_a_label_of_its_own():
    play = counting()
    assert play.next_label("Lope.attack") == "Lope.attack"
    labels = [play.roll("Lope", "attack", (100,)).label for _ in range(3)]
    assert labels == ["Lope.attack", "Lope.attack#2", "Lope.attack#3"]
    assert play.next_label("Lope.attack") == "Lope.attack#4"
    assert play.roll_pool("Lope", "test", (6, 6), 1).label == "Lope.test"
    assert play.label("Lope.defence") == "Lope.defence"
    assert play.label("Lope.defence") == "Lope.defence#2"


def test_a_chain_ends_even_when_its_dice_do_not():
    roll = counting().chain("Lope", "open", 10, lambda _: True)
    assert len(roll.faces) == MOST_IN_A_CHAIN
    short = counting().chain("Lope", "open", 10, lambda shown: len(shown) < 3)
    assert len(short.faces) == 3


QUESTION = Question("Lope.defence", "Lope", ("parry", "dodge"), "parry", "R-1")


def ask(answers: Answers) -> Outcome | Question:
    play = Play(Count(), FixedDice(), answers, applier({}))

    def run(here: Play[Count]) -> None:
        here.emit(Bang(actor=here.ask(QUESTION)))

    return played(play, (run,))


def test_a_question_stops_the_round_where_it_is_asked():
    assert ask(Answers(ask=True)) == QUESTION
    given_an_answer = ask(Answers({"Lope.defence": "dodge"}, ask=True))
    assert isinstance(given_an_answer, Outcome)
    assert given_an_answer.events[0].actor == "dodge"
    assert given_an_answer.defaulted == ()


def test_a_question_nobody_is_asked_takes_its_default_and_says_so():
    for answers in (Answers(), Answers({"Lope.defence": "prayer"})):
        outcome = ask(answers)
        assert isinstance(outcome, Outcome)
        assert outcome.events[0].actor == "parry"
        assert outcome.defaulted == (QUESTION,)


# ------------------------------------------------------------------ reading what people wrote


def read(row, how):
    reading = Reading()
    value = how(reading, row)
    return value, [(problem.path, problem.code) for problem in reading.problems]


@pytest.mark.parametrize(
    ("row", "value", "code"),
    [
        ({"n": 5}, 5, None),
        ({}, 7, None),
        ({"n": None}, 7, None),
        ({"n": "5"}, 7, "wrong_type"),
        ({"n": True}, 7, "wrong_type"),
        ({"n": 5.0}, 7, "wrong_type"),
        ({"n": 11}, 7, "out_of_range"),
    ],
)
def test_a_number_is_read_or_stands_in(row, value, code):
    found, problems = read(row, lambda reading, row: reading.integer(row, "n", (), 7, (0, 10)))
    assert found == value
    assert [problem[1] for problem in problems] == ([code] if code else [])


def test_what_must_be_there_is_missed():
    for how in (
        lambda reading, row: reading.integer(row, "x", ()),
        lambda reading, row: reading.text(row, "x", ()),
        lambda reading, row: reading.choice(row, "x", (), ("a",)),
        lambda reading, row: reading.dice(row, "x", ()),
    ):
        assert read({}, how)[1] == [(("x",), "missing")]


def test_lists_and_mappings_are_bounded():
    long = {"x": ["a"] * (MAX_ITEMS + 1)}
    assert read(long, lambda reading, row: reading.names(row, "x", ()))[1] == [
        (("x",), "wrong_type")
    ]
    wide = {str(n): n for n in range(MAX_ITEMS + 1)}
    assert read(wide, lambda reading, row: reading.mapping(row, ("w",)))[1] == [
        (("w",), "wrong_type")
    ]


def test_keys_that_are_no_text_are_named():
    value, problems = read({1: 2, "a": 3}, lambda reading, row: reading.mapping(row, ("m",)))
    assert value == {"a": 3}
    assert problems == [(("m",), "wrong_type")]


def test_names_are_of_a_list_where_there_is_one():
    value, problems = read(
        {"x": ["a", 3, "c"]}, lambda reading, row: reading.names(row, "x", (), ("a", "b"))
    )
    assert value == ("a",)
    assert problems == [(("x", 1), "wrong_type"), (("x", 2), "unknown_name")]


@pytest.mark.parametrize("text", ["1D1", "0D6", "D6", "six"])
def test_dice_that_cannot_be_rolled_are_a_problem(text):
    found, problems = read({"d": text}, lambda reading, row: reading.dice(row, "d", ()))
    assert found == DiceExpression()
    assert problems == [(("d",), "wrong_type")]


def test_all_problems_are_raised_together_and_none_raises_nothing():
    reading = Reading()
    reading.finish()
    reading.problem(("a",), "missing")
    reading.problem(("b",), "missing")
    with pytest.raises(SetupError) as caught:
        reading.finish()
    assert len(caught.value.problems) == 2


# ------------------------------------------------------------------ corrections as written


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [("12", 5, 12), ("+2", 5, 7), ("-3", 5, 2), ("=-3", 5, -3), ("= 4", 5, 4), ("+ 2", 5, 7)],
)
def test_a_number_sets_adds_or_takes_away(text, before, after):
    assert corrections.integer(text, before, -10, 20) == after


@pytest.mark.parametrize("text", ["", "x", "1.5", "--3", "٣", "1" * 12, "99"])
def test_what_is_no_number_says_what_would_be(text):
    wrong = corrections.integer(text, 0, -10, 20)
    assert isinstance(wrong, corrections.Wrong)
    assert wrong.facts == {"expected": "-10..20"}
