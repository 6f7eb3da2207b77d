"""Percentile rolls against table 2.1 and counted over every face."""

import re
from collections import Counter
from pathlib import Path

import pytest

from rulesets.aquelarre.fight import level_at
from rulesets.aquelarre.rolls import grade
from tests.rulesets.playing import FixedDice, act, fight_of, play, told, who

CATALOGUE = Path(__file__).parents[2] / "docs" / "rules" / "aquelarre.md"


def table_2_1() -> list[tuple[range, range, range]]:
    """Percentages, critical and fumble faces, as the catalogue prints them."""
    rows = []
    section = CATALOGUE.read_text(encoding="utf-8").split("## 2.1")[1].split("## 2.2")[0]
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 3 or not re.match(r"\d|up to", cells[0]):
            continue
        low, high = (["1", *re.findall(r"\d+", cells[0])])[-2:]
        critical, fumble = (list(map(int, re.findall(r"\d+", cell))) for cell in cells[1:])
        rows.append(
            (
                range(int(low), int(high) + 1),
                range(critical[0], critical[-1] + 1),
                range(fumble[0], fumble[-1] + 1),
            )
        )
    return rows


def test_criticals_and_fumbles_are_those_of_the_table():
    rows = table_2_1()
    assert [row[0][-1] for row in rows] == list(range(10, 101, 10))
    for percentages, criticals, fumbles in rows:
        for percentage in percentages:
            for face in range(1, 101):
                found = grade(face, percentage)
                assert (found == "critical") == (face in criticals), (percentage, face)
                assert (found == "fumble") == (face in fumbles), (percentage, face)


@pytest.mark.parametrize("percentage", [-200, -1, 0, 1, 3, 5, 6, 50, 94, 95, 96, 100, 150, 400])
def test_01_to_05_always_succeed_and_96_to_100_always_fail(percentage):
    good = {"critical", "success"}
    assert all(grade(face, percentage) in good for face in range(1, 6))
    assert all(grade(face, percentage) not in good for face in range(96, 101))


def test_successes_are_as_many_as_the_percentage_between_5_and_95():
    for percentage in range(-50, 200):
        hits = sum(grade(face, percentage) in ("critical", "success") for face in range(1, 101))
        assert hits == min(95, max(5, percentage))


def levels(hp_max: int) -> dict[str, int]:
    """The most PV at which each level begins."""
    found: dict[str, int] = {}
    for hp in range(hp_max, -hp_max - 1, -1):
        found.setdefault(level_at(hp, hp_max), hp)
    return found


def test_levels_of_health_begin_where_the_seed_says():
    # Half lost, rounded up; three quarters lost, rounded up; 0; as many negative as positive.
    assert levels(15) == {"": 15, "wounded": 7, "badly_wounded": 3, "unconscious": 0, "dead": -15}
    assert levels(16) == {"": 16, "wounded": 8, "badly_wounded": 4, "unconscious": 0, "dead": -16}
    assert levels(1) == {"": 1, "unconscious": 0, "dead": -1}


def test_a_duel_counted_over_every_face_of_attack_and_parry():
    # Sword 50 against sword 50: of 100 faces 5 are critical, 45 plain successes, 45 failures and
    # 5 fumbles (96 to 100). 10,000 pairs of faces therefore come out as
    #   missed    50 x 100 = 5,000: the parry is not rolled (AQ-RND-09)
    #   stopped   50 x 50 = 2,500: any parry that succeeds stops any blow
    #   of those the sword is lost where a plain parry meets a critical: 5 x 45 = 225 (AQ-DEF-04)
    #   landed    50 x 50 = 2,500, of which 5 x 50 = 250 critical and without damage dice
    fight = fight_of(
        {
            "Lope": who(skills={"swords": 50}, weapons=["espada"], agility=20),
            "Moro": who("b", skills={"swords": 50}, weapons=["espada"], hp_max=60),
        }
    )
    counts: Counter[str] = Counter()
    blow, parry = act("Lope", "attack", "Moro"), act("Moro", "parry")
    for attack in range(1, 101):
        for defence in range(1, 101):
            dice = FixedDice({"Lope.attack": attack, "Moro.parry": defence})
            outcome = play(fight, blow, parry, dice=dice)
            if "Moro.parry" not in dice.rolled:
                counts["missed"] += 1
            elif told(outcome, "damage"):
                counts["landed"] += 1
                counts["without dice"] += "Lope.damage" not in dice.rolled
            else:
                counts["stopped"] += 1
                counts["sword lost"] += bool(told(outcome, "weapon_dropped"))
    assert counts == {
        "missed": 5_000,
        "stopped": 2_500,
        "sword lost": 225,
        "landed": 2_500,
        "without dice": 250,
    }


@pytest.mark.parametrize(
    ("ties", "won"),
    [
        # Strength 12 x 5 = 60 on both sides: 6 critical, 54 plain, 40 failed (96-100 fumbles).
        # The active side wins outright with success against failure: 60 x 40 = 2,400; with a
        # critical against a plain success: 6 x 54 = 324. Ties of rank, two plain successes (54 x
        # 54) or two criticals (6 x 6), go to the higher roll: less those equal, half of them.
        ("higher_roll", 2_400 + 324 + (54 * 53 + 6 * 5) // 2),
        # By margin the lower roll is the better one, and as often lower as higher.
        ("margin", 2_400 + 324 + (54 * 53 + 6 * 5) // 2),
        # To the defender: none of the ties.
        ("defender", 2_400 + 324),
    ],
)
def test_a_confrontation_counted_over_every_face(ties, won):
    fight = fight_of(
        {
            "Lope": who(strength=12, skills={"brawl": 90}, agility=20),
            "Moro": who("b", strength=12),
        },
        options={"opposed_ties": ties},
    )
    wins = 0
    for mine in range(1, 101):
        for theirs in range(1, 101):
            dice = FixedDice({"Lope.attack": 50, "Lope.strength": mine, "Moro.strength": theirs})
            outcome = play(fight, act("Lope", "shove", "Moro"), dice=dice)
            wins += told(outcome, "opposed")[0].result == "success"
    assert wins == won


def test_damage_of_a_sword_counted_over_every_face():
    # 1D8+1+1D4 for a man of Dexterity 15: 32 pairs of faces, from 3 to 13, and 13 on a critical.
    fight = fight_of(
        {
            "Lope": who(dexterity=15, skills={"swords": 50}, weapons=["espada"], agility=20),
            "Moro": who("b", hp_max=90),
        }
    )
    counts: Counter[int] = Counter()
    for die in range(1, 9):
        for bonus in range(1, 5):
            dice = FixedDice({"Lope.attack": 40, "Lope.damage": [die, bonus], "Lope.location": 5})
            (hit,) = told(play(fight, act("Lope", "attack", "Moro"), dice=dice), "damage")
            assert hit.rolled == sum(hit.parts.values()) == die + 1 + bonus
            counts[hit.amount] += 1
    assert sorted(counts) == list(range(3, 14))
    assert counts[3] == counts[13] == 1
    assert counts[6] == counts[10] == 4
    critical = play(fight, act("Lope", "attack", "Moro"), dice=FixedDice({"Lope.attack": 5}))
    (hit,) = told(critical, "damage")
    assert hit.rolled == 13
    assert hit.label == ""
