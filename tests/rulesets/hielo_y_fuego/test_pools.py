"""Pools: how many dice, which of them count, and how likely each total is."""

from collections import Counter
from collections.abc import Iterator
from itertools import product

import icepool
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulesets.core.dice import best
from rulesets.core.modifiers import Modifier
from rulesets.core.questions import Answers
from rulesets.hielo_y_fuego.attack import shared
from rulesets.hielo_y_fuego.changes import apply
from rulesets.hielo_y_fuego.options import Options
from rulesets.hielo_y_fuego.pools import Attempt, Pool, counted, grade, tried
from rulesets.hielo_y_fuego.turn import Round
from tests.rulesets.hielo_y_fuego.table import FixedDice, fight_of, hf, who

ONE = fight_of({"Edric": who()})
# Rank, ±D, ±B and flat modifier, with the dice rolled and kept that the catalogue gives for them.
POOLS = [
    ((4, 0, 0, 0), 4, 4),
    ((4, 0, 1, 0), 5, 4),
    ((2, 0, 3, 0), 4, 2),  # bonus dice never above the test dice
    ((4, -1, 0, -2), 3, 3),
    ((3, -1, 3, 0), 4, 2),
    ((2, 1, 1, 1), 4, 3),
    ((3, -2, 1, 0), 2, 1),
]


def part(value: int) -> Modifier:
    return Modifier(value, "x", "HF-TST-01")


def pool(rank: int, dice: int = 0, bonus: int = 0, flat: int = 0) -> Pool:
    return Pool(
        part(rank),
        [part(dice)] if dice else [],
        [part(bonus)] if bonus else [],
        [part(flat)] if flat else [],
    )


def rounded(dice: FixedDice, options: Options | None = None) -> Round:
    options = options or ONE.options
    return Round(ONE, dice, Answers(), apply, tables=ONE.tables, options=options, roles={})


def attempts(figures: tuple[int, int, int, int]) -> Iterator[Attempt]:
    """The test made once with every face of every die."""
    rolled = counted(pool(*figures), Options()).rolled
    for faces in product(range(1, 7), repeat=rolled):
        rnd = rounded(FixedDice({"Edric.test": list(faces)}))
        yield tried(rnd, ONE.cast["Edric"], "test", pool(*figures))


@pytest.mark.parametrize(("figures", "rolled", "kept"), POOLS)
def test_a_pool_rolls_and_keeps_what_the_rules_say(figures, rolled, kept):
    found = counted(pool(*figures), Options())
    assert (found.rolled, found.kept) == (rolled, kept)


@pytest.mark.parametrize(("figures", "rolled", "kept"), POOLS)
def test_totals_are_as_likely_as_an_exact_computation_says(figures, rolled, kept):
    exact = icepool.d6.highest(rolled, kept) + figures[3]
    found = Counter(attempt.total for attempt in attempts(figures))
    assert found == Counter({total: exact.quantity(total) for total in exact.outcomes()})


@pytest.mark.parametrize("difficulty", [6, 9, 12, 18])
@pytest.mark.parametrize("figures", [(3, 0, 1, 0), (2, 0, 2, 0), (4, -1, 1, 0)])
def test_degrees_are_as_likely_as_an_exact_computation_says(figures, difficulty):
    rnd = rounded(FixedDice())
    found = Counter(grade(rnd, attempt, difficulty) for attempt in attempts(figures))
    rolled, kept = (counted(pool(*figures), Options()).rolled, figures[0] + figures[1])

    def graded(*faces: int) -> tuple[str, int]:
        if max(faces) == 1:
            return "fumble", 0
        margin = sum(sorted(faces)[-kept:]) - difficulty
        return ("failure", 0) if margin < 0 else ("success", min(margin // 5 + 1, 4))

    exact = icepool.map(graded, *[icepool.d6] * rolled)
    assert found == Counter({result: exact.quantity(result) for result in exact.outcomes()})


def test_one_fumble_in_six_to_the_number_of_dice():
    # 3D+1B: four dice, bonus dice included, so one roll in 1296.
    assert sum(attempt.fumble for attempt in attempts((3, 0, 1, 0))) == 1


figures = st.tuples(st.integers(1, 8), st.integers(-9, 6), st.integers(-3, 9), st.integers(-5, 5))


@given(figures, st.booleans(), st.booleans(), st.integers(0, 1), st.integers(0, 1))
def test_a_pool_explains_every_die_that_it_rolls(given_figures, keeps, ranked, over, turned):
    options = Options(
        penalty_dice="keep_only" if keeps else "roll_and_keep",
        bonus_cap="rank" if ranked else "rolled",
    )
    made = pool(*given_figures)
    made.over, made.turned = over, turned
    found = counted(made, options)
    assert found.parts.value == found.rolled
    assert 0 <= found.kept <= found.rolled
    if found.rolled:
        rank, dice = given_figures[:2]
        limit = rank if ranked or (keeps and dice < 0) else rank + dice
        assert found.bonus <= limit + over


@given(st.lists(st.integers(1, 6), min_size=1, max_size=12), st.integers(1, 12))
def test_the_dice_kept_are_the_highest(faces, keep):
    kept = best(faces, keep)
    if keep >= len(faces):
        assert kept == ()
        return
    counting = [face for face, counts in zip(faces, kept, strict=True) if counts]
    assert sorted(counting) == sorted(faces)[-keep:]


@given(st.integers(-3, 12), st.integers(2, 6), st.none() | st.lists(st.integers(1, 6), max_size=6))
def test_shares_never_give_more_than_there_is(whole, among, said):
    if said is not None and len(said) != among:
        said = None
    shares = shared(whole, among, said)
    assert len(shares) == among
    assert sum(shares) <= max(0, whole)
    assert all(share >= 0 for share in shares)
    if said is None:
        assert sum(shares) == max(0, whole)
        assert shares == sorted(shares, reverse=True)
        assert max(shares) - min(shares) <= 1


def test_difficulties_are_understood_by_name_and_by_number():
    tables = hf().tables
    named = {
        word: tables.difficulty(word) for word in ("Automática", "fácil", "RUTINA", "moderada")
    }
    assert named == {"Automática": 0, "fácil": 3, "RUTINA": 6, "moderada": 9}
    assert (tables.difficulty("Complicada"), tables.difficulty("Muy dificil")) == (12, 18)
    assert (tables.difficulty("7"), tables.difficulty("nada"), tables.difficulty("")) == (
        7,
        None,
        None,
    )
