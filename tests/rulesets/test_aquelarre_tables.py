"""Aquelarre's tables as data, and what is said of a table that does not hold."""

import copy
from typing import Any

import pytest

from referee.data import Data
from rulesets.aquelarre.rows import CASES, PACES, read_tables
from rulesets.aquelarre.words import LOCATIONS, SEQUELAE, SKILLS, ZONES
from rulesets.core.questions import SetupError

RAW = Data().tables("aquelarre")
TABLES = read_tables(RAW)


def broken(**changes: Any) -> list[tuple[tuple[Any, ...], str]]:
    """Path and code of each problem of the tables with some values changed: ``a__b__c=value``."""
    raw: Any = copy.deepcopy(dict(RAW))
    for path, value in changes.items():
        *steps, last = path.split("__")
        here = raw
        for step in steps:
            here = here[step]
        if value is None:
            del here[last]
        else:
            here[last] = value
    with pytest.raises(SetupError) as caught:
        read_tables(raw)
    return [(problem.path, problem.code) for problem in caught.value.problems]


def test_every_face_has_exactly_one_location_on_every_body():
    for body in TABLES.bodies.values():
        assert len(body.faces) == 10
        for face, place in enumerate(body.faces, start=1):
            inside = [row for row in body.locations.values() if row.first <= face <= row.last]
            assert inside == [place]


def test_every_face_has_exactly_one_sequela_for_every_part():
    for part, rows in TABLES.sequelae.items():
        for face in range(1, 11):
            assert sum(row.first <= face <= row.last for row in rows) == 1, (part, face)


def test_every_characteristic_has_exactly_one_step_of_the_damage_bonus():
    for value in range(1000):
        assert sum(step.first <= value <= step.last for step in TABLES.bonus) == 1
    dice = [TABLES.bonus[TABLES.bonus_step(value)].dice.text for value in (4, 9, 10, 15, 20, 45)]
    assert dice == ["-1D6", "-1D4", "", "1D4", "1D6", "6D6"]


def test_every_zone_can_be_aimed_at_on_a_man_and_stands_for_something_on_a_beast():
    humanoid, quadruped = TABLES.bodies["humanoid"], TABLES.bodies["quadruped"]
    struck = {name: humanoid.at(zone.part, zone.side) for name, zone in TABLES.zones.items()}
    assert {name: place.id for name, place in struck.items() if place} == {
        **dict.fromkeys(("head", "neck", "eyes", "nose"), "head"),
        "chest": "chest",
        "abdomen": "abdomen",
        **{
            f"{side}_{part}": f"{side}_arm"
            for side in ("right", "left")
            for part in ("arm", "hand")
        },
        **{
            f"{side}_{part}": f"{side}_leg"
            for side in ("right", "left")
            for part in ("leg", "foot")
        },
    }
    foreleg = quadruped.at("arm", "left")
    assert foreleg is not None
    assert foreleg.id == "left_foreleg"
    tail = TABLES.bodies["serpent"].at("leg", "right")
    assert tail is not None
    assert tail.id == "tail"
    assert TABLES.bodies["serpent"].at("arm", "right") is None


def test_references_between_tables_exist_and_no_key_is_spare():
    every = {place for body in TABLES.bodies.values() for place in body.locations}
    for weapon in TABLES.weapons.values():
        assert weapon.skill in TABLES.skills
        assert weapon.damage.count > 0
        assert weapon.missile == bool(weapon.reload)
    for piece in TABLES.armour.values():
        assert set(piece.covers) <= every
        assert piece.covers
    for shield in TABLES.shields.values():
        assert set(shield.covers) <= every | {"shield_arm"}
    assert set(TABLES.modifiers) == set(CASES)
    assert set(TABLES.movement) == set(PACES)


def test_words_exist_for_exactly_what_the_tables_hold():
    assert set(TABLES.skills) == set(SKILLS)
    assert set(TABLES.zones) == set(ZONES)
    assert {place for body in TABLES.bodies.values() for place in body.locations} == set(LOCATIONS)
    assert {row.id for rows in TABLES.sequelae.values() for row in rows} == set(SEQUELAE)


def test_no_word_means_two_weapons_by_name():
    names = [weapon.names[0] for weapon in TABLES.weapons.values()]
    assert len(set(names)) == len(names)


def rows_of(table: Any) -> list[Any]:
    """Every row of a table, groups included."""
    rows = [row for row in table.values() if isinstance(row, dict)]
    grouped = all(isinstance(v, dict) for row in rows for v in row.values())
    return [inner for row in rows for inner in row.values()] if grouped else rows


@pytest.mark.parametrize("stem", sorted(RAW))
def test_every_row_says_where_it_comes_from(stem):
    rows = rows_of(RAW[stem])
    assert rows
    assert all(row.get("source") or row.get("rule") for row in rows)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"weapons__espada__damage": "1D"}, (("weapons", "espada", "damage"), "wrong_type")),
        ({"weapons__espada__skill": "fencing"}, (("weapons", "espada", "skill"), "unknown_name")),
        ({"weapons__espada__size": "huge"}, (("weapons", "espada", "size"), "unknown_name")),
        ({"weapons__espada__reach": 3}, (("weapons", "espada", "reach"), "unknown_key")),
        ({"weapons__honda__range": "15/40"}, (("weapons", "honda", "range"), "wrong_type")),
        ({"weapons__honda__range": "40/15/80"}, (("weapons", "honda", "range"), "wrong_type")),
        ({"weapons__pelea": None}, (("weapons", "pelea"), "missing")),
        ({"locations__humanoid__head__last": 2}, (("locations", "humanoid"), "out_of_range")),
        ({"locations__humanoid__left_leg": None}, (("locations", "humanoid"), "out_of_range")),
        ({"sequelae__leg__limp__first": 4.5}, (("sequelae", "leg", "limp", "first"), "wrong_type")),
        ({"bonus__step_3__last": 18}, (("bonus",), "out_of_range")),
        ({"modifiers__behind": None}, (("modifiers", "behind"), "missing")),
        ({"modifiers__behind__attack": "much"}, (("modifiers", "behind", "attack"), "wrong_type")),
        (
            {"modifiers__beside": {"attack": 5, "rule": "X"}},
            (("modifiers", "beside"), "unknown_key"),
        ),
        ({"movement__walk__varas": 0}, (("movement", "walk", "varas"), "out_of_range")),
        ({"armour__yelmo__covers": ["ears"]}, (("armour", "yelmo", "covers", 0), "unknown_name")),
        ({"shields__tarja__resistance": None}, (("shields", "tarja", "resistance"), "missing")),
        ({"zones": {}}, (("zones",), "missing")),
        ({"weather": {}}, (("weather",), "unknown_key")),
    ],
)
def test_a_table_that_does_not_hold_is_named_with_row_and_column(changes, problem):
    assert problem in broken(**changes)


def test_all_that_is_wrong_with_the_tables_is_said_at_once():
    problems = broken(
        weapons__espada__damage="", weapons__daga__type="wet", zones__neck__attack=9999
    )
    assert {path for path, _ in problems} >= {
        ("weapons", "espada", "damage"),
        ("weapons", "daga", "type"),
        ("zones", "neck", "attack"),
    }


def test_a_game_masters_figure_counts_in_the_next_fight():
    raw = copy.deepcopy(dict(RAW))
    raw["modifiers"]["height"]["attack"] = 40
    raw["weapons"]["espada"]["damage"] = "2D6"
    tables = read_tables(raw)
    above = tables.modifiers["height"].attack
    assert above is not None
    assert above.value == 40
    assert tables.weapons["espada"].damage.text == "2D6"
