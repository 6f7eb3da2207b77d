"""Luck: each die counted once, for the right people, and judged by a test that is right."""

import re
from collections import Counter
from itertools import product
from math import isclose
from pathlib import Path
from random import Random
from xml.etree import ElementTree as ET

import pytest

from referee.luck import (
    Luck,
    as_svg,
    chi_square,
    chi_square_tail,
    fairness,
    luck,
    shown_dice,
    suspicious,
    thread_luck,
)
from tests.referee.harness import Mesa

PLAYERS = {"Lope": "Lucía", "Iria": "Lucía", "Bandido 1": ""}


def roll(label: str, *dice: tuple[int, int]) -> dict[str, object]:
    return {"label": label, "sides": [s for s, _ in dice], "faces": [f for _, f in dice]}


def resolved(serial: int, *rolls: dict[str, object]) -> dict[str, object]:
    return {"kind": "resolved", "serial": serial, "outcome": {"rolls": list(rolls)}}


def test_a_die_counts_once_however_often_its_round_is_told() -> None:
    entries = [
        resolved(1, roll("Lope.attack", (100, 7))),
        {"kind": "undone", "serial": 1},
        resolved(1, roll("Lope.attack", (100, 7)), roll("Lope.damage", (8, 3), (4, 1))),
        resolved(2, roll("Lope.attack", (100, 9))),
    ]
    assert sorted(shown_dice(entries)) == [
        ("Lope.attack", "", 100, 7),
        ("Lope.attack", "", 100, 9),
        ("Lope.damage", "", 4, 1),
        ("Lope.damage", "", 8, 3),
    ]


def test_a_die_that_the_game_master_set_is_nobodys_luck() -> None:
    entry = resolved(1, roll("Lope.attack", (100, 1)), roll("Lope.parry", (100, 2)))
    entry["set"] = {"Lope.attack": [1]}
    assert [die[0] for die in shown_dice([entry])] == ["Lope.parry"]


def test_dice_go_to_their_character_its_player_and_the_table() -> None:
    dice = [
        ("Lope.attack", "", 100, 50),
        ("Iria.attack#2", "", 100, 60),
        ("Bandido 1.parry", "", 100, 1),
        ("Tomás.roll", "9", 100, 2),
    ]
    rows = {(row.player, row.character): row.rolled for row in luck(dice, PLAYERS, {"9": "Tomás"})}
    assert rows == {
        ("", ""): 4,
        ("Lucía", ""): 2,
        ("Lucía", "Lope"): 1,
        ("Lucía", "Iria"): 1,
        ("", "Bandido 1"): 1,
        ("Tomás", ""): 1,
    }


def test_a_player_of_one_character_is_not_told_twice() -> None:
    rows = list(luck([("Lope.attack", "", 6, 3)], PLAYERS, {}))
    assert [(row.player, row.character) for row in rows] == [("", ""), ("Lucía", "Lope")]


@pytest.mark.parametrize(
    ("statistic", "degrees", "expected"),
    [  # critical values of the usual printed tables
        (3.841, 1, 0.05),
        (6.635, 1, 0.01),
        (5.991, 2, 0.05),
        (11.070, 5, 0.05),
        (15.086, 5, 0.01),
        (16.919, 9, 0.05),
        (30.144, 19, 0.05),
        (123.225, 99, 0.05),
        (134.642, 99, 0.01),
    ],
)
def test_the_tail_of_the_curve_is_the_printed_one(
    statistic: float, degrees: int, expected: float
) -> None:
    assert chi_square_tail(statistic, degrees) == pytest.approx(expected, rel=0.002)


def test_the_tail_goes_from_one_to_nothing_even_for_a_die_of_ten_thousand() -> None:
    assert chi_square_tail(0, 9999) == 1
    assert 0.4 < chi_square_tail(9999, 9999) < 0.6
    assert chi_square_tail(20_000, 9999) < 1e-12


def test_a_simulated_p_is_the_counted_one() -> None:
    # All 4**6 ways in which six d4 can fall, counted: the exact p of each unevenness.
    falls = Counter(
        sum(n * n for n in Counter(fall).values()) for fall in product(range(4), repeat=6)
    )
    for counts in ((6, 0, 0, 0), (4, 2, 0, 0), (3, 2, 1, 0), (2, 2, 1, 1)):
        uneven = sum(n * n for n in counts)
        exact = sum(n for squares, n in falls.items() if squares >= uneven) / 4**6
        found = fairness(counts)
        assert found.simulated
        assert isclose(found.p, exact, abs_tol=0.03)
    assert fairness((6, 0, 0, 0)) == fairness((6, 0, 0, 0))


def test_fair_dice_pass_and_loaded_ones_do_not() -> None:
    random = Random(7)  # noqa: S311 # to be repeated
    fair = Counter(random.choices(range(100), k=3000))
    counts = tuple(fair[face] for face in range(100))
    rows = [Luck("Lucía", "", 100, counts, fairness(counts))]
    assert suspicious(rows) == []
    loaded = tuple(30 + 120 * (face == 99) for face in range(100))
    rows.append(Luck("Tomás", "", 100, loaded, fairness(loaded)))
    assert [row.player for row in suspicious(rows)] == ["Tomás"]


def test_the_statistic_is_pearsons() -> None:
    counts = (5, 8, 9, 8, 10, 20)
    expected = sum(counts) / 6
    assert chi_square(counts) == pytest.approx(sum((c - expected) ** 2 / expected for c in counts))


def test_the_heaps_hold_every_die_once() -> None:
    for sides in (2, 6, 20, 24, 100, 1000):
        counts = tuple(range(sides))
        row = Luck("", "", sides, counts, fairness(counts))
        assert sum(count for _, _, count, _ in row.bins) == sum(counts)
        assert len(row.bins) <= 20
        assert len(row.sparkline) == len(row.bins)
        assert sum(expected for *_, expected in row.bins) == pytest.approx(sum(counts))


def test_the_plot_is_whole_xml_and_keeps_names_as_names() -> None:
    rows = list(luck([("Lope.attack", "", 6, 3)], {"Lope": "<b>&"}, {}))
    svg = as_svg(rows, "«Molino» <i>", ["a", "<b>&"], "nota")
    root = ET.fromstring(svg)  # noqa: S314 # our own
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "<b>&" in texts
    assert not re.findall(r"href|script", svg)


def test_a_thread_has_its_rows(tmp_path: Path) -> None:
    mesa = Mesa(tmp_path)
    mesa.begin()
    mesa.post("lucia", "[tirada: 3d6]")
    mesa.declare_all()
    mesa.serve(2)
    app = mesa.app()
    rows = {(row.player, row.character, row.sides): row for row in thread_luck(app, "molino")}
    app.store.close()
    assert rows["Lucía", "Lope", 6].rolled == 3
    assert rows["Lucía", "Lope", 100].rolled >= 1
    assert rows["", "", 100].rolled >= rows["Lucía", "Lope", 100].rolled
