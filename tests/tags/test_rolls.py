"""Dice notation: what it means, what it may cost, and that its distributions are exact."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import prod

import icepool
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.tags import FreeRollResult, TagProblem, parse, roll
from referee.tags.rolls import MAX_AGAIN, MAX_DEPTH, MAX_DICE, MAX_LENGTH, MAX_SIDES, Part
from rulesets.core.dice import Roll


class Listed:
    """Dice that show what they are told to, in order; they know what was asked."""

    def __init__(self, *faces: int) -> None:
        self.faces = faces
        self.asked: list[tuple[str, int, int]] = []

    def face(self, label: str, index: int, sides: int) -> int:
        self.asked.append((label, index, sides))
        return self.faces[index]


class Highest:
    """Dice that always show their highest face."""

    def face(self, label: str, index: int, sides: int) -> int:
        del label, index
        return sides


def sheet(name: str) -> int | None:
    return {"AGI": 3, "Arma corta": 55, "miedo": -4}.get(name)


def rolled(expression: str, *faces: int) -> FreeRollResult:
    dice = Listed(*faces)
    result = roll(expression, dice, "Lope.roll", sheet)
    assert isinstance(result, FreeRollResult), result
    assert len(dice.asked) == len(faces)
    assert dice.asked == [("Lope.roll", i, side) for i, side in enumerate(result.roll.sides)]
    assert result.total == sum(part.value for part in result.parts)
    return result


@pytest.mark.parametrize(
    ("expression", "faces", "total"),
    [
        ("1d100+35", (40,), 75),
        ("1D100 - 5", (3,), -2),
        ("d100", (7,), 7),
        ("d%", (7,), 7),
        ("2d6", (3, 4), 7),
        ("-1d4", (3,), -3),
        ("1d6+1d8-2", (6, 8), 12),
        ("4d6k3", (1, 6, 3, 4), 13),
        ("4d6kh3", (1, 6, 3, 4), 13),
        ("2d20k", (5, 19), 19),
        ("2d20kl", (5, 19), 5),
        ("2d20KL1", (19, 5), 5),
        ("4d6dl", (1, 6, 3, 4), 13),
        ("4d6dh2", (1, 6, 3, 4), 4),
        ("2d6!", (6, 6, 2, 3), 17),
        ("2d6!k1", (6, 2, 5), 8),
        ("2d6kl1!", (6, 2, 5), 5),
        ("2*(1d6+3)", (4,), 14),
        ("(1d6+3)*2+1", (4,), 15),
        ("1d6*1d6", (4, 5), 20),
        ("1d10/2", (5,), 2),
        ("-1d10/2", (5,), -2),
        ("(0-1d10)/2", (5,), -3),
        ("1d10+AGI", (5,), 8),
        ("1d100+Arma corta+miedo", (5,), 56),
        ("AGI*1d4", (2,), 6),
        ("1d6--2", (1,), 3),
        ("4D+2B-1", (1, 6, 3, 4, 2, 5), 17),
        ("2D", (3, 4), 7),
        ("1D+1B", (3, 4), 4),
        ("1d20−3", (10,), 7),
        ("2×1d6", (4,), 8),
        ("１ｄ６", (4,), 4),
    ],
)
def test_an_expression_comes_to_its_total(expression, faces, total):
    assert rolled(expression, *faces).total == total


def test_dice_that_do_not_count_are_marked():
    result = rolled("4d6k3+1d4", 1, 6, 3, 4, 2)
    assert result.roll == Roll(
        "Lope.roll", (6, 6, 6, 6, 4), (1, 6, 3, 4, 2), (False, True, True, True, True)
    )
    assert [(t.first, t.count, t.value) for t in result.throws] == [(0, 4, 13), (4, 1, 2)]


def test_of_equal_dice_the_first_is_kept():
    assert rolled("2d6k1", 4, 4).roll.kept == (True, False)


def test_all_dice_count_where_none_is_dropped():
    assert rolled("2d6", 3, 4).roll.kept == ()


def test_a_die_that_is_rolled_again_stays_with_its_chain():
    result = rolled("2d6!k1", 6, 6, 1, 5)
    assert result.roll.kept == (True, True, True, False)


def test_the_total_is_taken_apart_term_by_term():
    result = rolled("1d100 + AGI - 2*(1d4+1)", 50, 3)
    assert result.parts == (Part("1d100", 50), Part("AGI", 3), Part("-2*(1d4+1)", -8))
    assert result.figures == (("AGI", 3),)


def test_a_read_expression_can_be_rolled_again():
    expression = parse("1d6+1d8")
    assert roll(expression, Listed(1, 2), "a").total == 3
    assert roll(expression, Listed(6, 8), "a").total == 14


def test_figures_of_the_sheet_are_known_before_rolling():
    assert parse("1d10+AGI+2*(-Arma corta-AGI)").figures == ("AGI", "Arma corta")


def test_no_die_explodes_for_ever():
    result = roll("2d6!", Highest(), "a")
    assert len(result.roll.faces) == 2 * (1 + MAX_AGAIN)


@pytest.mark.parametrize(
    ("expression", "code", "facts"),
    [
        ("", "bad_dice", {"given": "", "rest": ""}),
        ("1d6+", "bad_dice", {"given": "1d6+", "rest": ""}),
        ("1d6)", "bad_dice", {"given": "1d6)", "rest": ")"}),
        ("(1d6", "bad_dice", {"given": "(1d6", "rest": ""}),
        ("1d6 por favor", "bad_dice", {"given": "1d6 por favor", "rest": "por favor"}),
        ("1d6!!", "bad_dice", {"given": "1d6!!", "rest": ""}),
        ("4d6k3k2", "bad_dice", None),
        ("1d6^2", "bad_dice", {"given": "1d6^2", "rest": "^2"}),
        ("__import__('os')", "bad_dice", None),
        ("2d6x", "bad_dice", None),
        ("Trepar", "no_dice", {"given": "Trepar"}),
        ("2+2", "no_dice", {"given": "2+2"}),
        ("1d" + "6" * 300, "dice_too_long", {"limit": MAX_LENGTH}),
        ("(" * 9 + "1d6" + ")" * 9, "dice_too_deep", {"limit": MAX_DEPTH}),
        ("101d6", "too_many_dice", {"given": "101d6", "limit": MAX_DICE}),
        ("60d6+60d6", "too_many_dice", {"given": "60d6", "limit": MAX_DICE}),
        ("0d6", "too_many_dice", {"given": "0d6", "limit": MAX_DICE}),
        ("1d1", "sides_out_of_range", {"given": "1d1", "least": 2, "limit": MAX_SIDES}),
        ("1d0", "sides_out_of_range", None),
        ("1d10001", "sides_out_of_range", None),
        ("4d6k5", "keep_out_of_range", {"given": "k5", "limit": 4}),
        ("4d6k0", "keep_out_of_range", {"given": "k0", "limit": 4}),
        ("4d6dl4", "keep_out_of_range", {"given": "dl4", "limit": 4}),
        ("2D+3B", "keep_out_of_range", {"given": "2D+3B", "limit": 2}),
        ("1d6+9999999999", "number_too_big", None),
        ("1d6*999999999*999999999", "number_too_big", None),
        ("1d6/0", "division_by_zero", {}),
        ("1d6/(AGI-3)", "division_by_zero", {}),
        ("1d6+FUE", "unknown_figure", {"given": "FUE"}),
    ],
)
def test_what_cannot_be_rolled_is_told_with_facts(expression, code, facts):
    problem = roll(expression, Highest(), "a", sheet)
    assert isinstance(problem, TagProblem)
    assert problem.code == code
    if facts is not None:
        assert problem.facts == facts


def test_the_deepest_brackets_are_read():
    assert roll("(" * MAX_DEPTH + "1d6" + ")" * MAX_DEPTH, Listed(4), "a").total == 4


def test_a_figure_that_is_out_of_all_bounds_is_refused():
    assert roll("1d6+x", Highest(), "a", lambda _: 10**12).code == "number_too_big"


# Every expression here rolls few dice, so that all their faces can be gone through.
DISTRIBUTIONS = {
    "2d6": 2 @ icepool.d6,
    "1d100+35": icepool.d100 + 35,
    "d%-1": icepool.d100 - 1,
    "4d6k3": icepool.d6.highest(4, 3),
    "4d6dl1": icepool.d6.highest(4, 3),
    "3d6dh1": icepool.d6.lowest(3, 2),
    "2d20kl": icepool.lowest(icepool.d20, icepool.d20),
    "3d4*2-1d6": 2 * (3 @ icepool.d4) - icepool.d6,
    "2*(1d6+3)": 2 * (icepool.d6 + 3),
    "1d10/3": icepool.d10 // 3,
    "(1d6-4)/2": (icepool.d6 - 4) // 2,
    "1d6*1d6": icepool.d6 * icepool.d6,
    "2D+1B": icepool.d6.highest(3, 2),
    "3D+1B-2": icepool.d6.highest(4, 3) - 2,
    "1d8+1d6+AGI": icepool.d8 + icepool.d6 + 3,
}


def shares(die: icepool.Die) -> dict[int, Fraction]:
    return {outcome: Fraction(n, die.denominator()) for outcome, n in die.items()}


@pytest.mark.parametrize("expression", DISTRIBUTIONS)
def test_the_distribution_is_exact(expression):
    sides = roll(expression, Highest(), "a", sheet).roll.sides
    counts = Counter(
        roll(expression, Listed(*faces), "a", sheet).total
        for faces in product(*(range(1, n + 1) for n in sides))
    )
    every = prod(sides)
    assert {total: Fraction(n, every) for total, n in counts.items()} == shares(
        DISTRIBUTIONS[expression]
    )


class NeedMoreError(Exception):
    """An expression asked for one die more than was prepared."""


class Prepared:
    """Dice with the first faces given; the next one stops the roll."""

    def __init__(self, faces: tuple[int, ...]) -> None:
        self.faces = faces
        self.sides = 0

    def face(self, label: str, index: int, sides: int) -> int:
        del label
        if index == len(self.faces):
            self.sides = sides
            raise NeedMoreError
        return self.faces[index]


def grown(expression: str) -> dict[int, Fraction]:
    """Distribution of an expression that rolls again: the tree of all its faces."""
    totals: dict[int, Fraction] = {}
    waiting = [((), Fraction(1))]
    while waiting:
        faces, share = waiting.pop()
        dice = Prepared(faces)
        try:
            total = roll(expression, dice, "a").total
        except NeedMoreError:
            part = share / dice.sides
            waiting += [((*faces, face), part) for face in range(1, dice.sides + 1)]
            continue
        totals[total] = totals.get(total, Fraction(0)) + share
    return totals


@pytest.mark.parametrize(
    ("expression", "die"),
    [
        ("1d6!", icepool.d6.explode(depth=MAX_AGAIN)),
        ("1d2!", icepool.d2.explode(depth=MAX_AGAIN)),
        ("1d100!+5", icepool.d100.explode(depth=MAX_AGAIN) + 5),
        ("2d4!k1", icepool.d4.explode(depth=MAX_AGAIN).highest(2, 1)),
        ("2d3!", 2 @ icepool.d3.explode(depth=MAX_AGAIN)),
    ],
)
def test_the_distribution_of_dice_rolled_again_is_exact(expression, die):
    assert grown(expression) == shares(die)


@given(st.text(alphabet="0123456789dDkhlbB!+-*/()% AGIñ.", max_size=40) | st.text(max_size=60))
def test_no_expression_makes_the_rolling_fail_or_run_away(text):
    result = roll(text, Highest(), "a", lambda _: 1)
    if isinstance(result, FreeRollResult):
        assert len(result.roll.faces) <= MAX_DICE * (1 + MAX_AGAIN)
        assert len(result.roll.faces) == len(result.roll.sides)
        assert sum(throw.count for throw in result.throws) == len(result.roll.faces)
