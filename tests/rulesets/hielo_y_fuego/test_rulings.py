"""What a game master does: corrections, modifiers, and what the rules leave to be decided."""

import pytest

from rulesets.core.questions import Answers, Correction, Rejection, SetupError
from rulesets.core.ruleset import Outcome
from rulesets.hielo_y_fuego.corrected import FIELDS
from tests.rulesets.hielo_y_fuego.table import FixedDice, act, fight_of, hf, order, play, told, who

GAME = hf().game


def duel(**mero):
    cast = {
        "Edric": who(fighting=4, athletics=4, weapons=["maza", "escudo"], mount="Sombra"),
        "Sombra": who(mount_type="destrero"),
        "Mero": who("b", npc=True, **{"weapons": ["garrote"], "combat_defense": 9, **mero}),
    }
    return fight_of(cast, {"initiative": {"Edric": 9, "Mero": 5}})


def corrected(fight, actor, field, value):
    found = GAME.correct(fight, Correction(actor, field, value))
    assert isinstance(found, Outcome), found
    return found.fight


@pytest.mark.parametrize(
    ("field", "written", "left"),
    [
        ("health", "2", 2),
        ("health", "-4", 2),
        ("injuries", "+1", 1),
        ("wounds", "1", 1),
        ("destiny_points", "3", 3),
        ("armor_rating", "4", 4),
        ("in_hand", "escudo", ["escudo"]),
        ("in_hand", "-maza", ["escudo"]),
        ("mounted", "true", True),
        ("grabbing", "mero", "Mero"),
        ("pinning", "Mero", "Mero"),
        ("conditions", "+prone", ["prone"]),
    ],
)
def test_a_correction_changes_what_it_names(field, written, left):
    assert GAME.state(corrected(duel(), "Edric", field, written), "Edric")[field] == left


@pytest.mark.parametrize(
    ("field", "written", "code"),
    [
        ("health", "7", "bad_value"),
        ("wounds", "3", "bad_value"),
        ("suerte", "1", "unknown_field"),
        ("conditions", "+bailando", "bad_value"),
        ("conditions", "+grabbed", "derived_condition"),
        ("in_hand", "alabarda", "bad_value"),
        ("grabbing", "Nadie", "bad_value"),
        ("mounted", "quizá", "bad_value"),
        ("distance", "Nadie: 4", "bad_value"),
    ],
)
def test_a_correction_that_cannot_be_is_refused_with_its_reason(field, written, code):
    found = GAME.correct(duel(), Correction("Edric", field, written))
    assert isinstance(found, Rejection)
    assert found.code == code


def test_every_field_that_can_be_corrected_is_read_back():
    fight = duel()
    samples = {
        "elevation": "2",
        "difficulty": "Rutina",
        "unloaded": "maza",
        "hazards": "precipicio, foso",
        "distance": "Mero: 8",
    }
    for field, written in samples.items():
        fight = corrected(fight, "Edric", field, written)
    assert set(samples) <= set(FIELDS)
    assert fight.scene.elevation == {"Edric": 2}
    assert fight.scene.difficulties == {"Edric": 6}
    assert fight.scene.hazards == ("precipicio", "foso")
    assert fight.distance("Mero", "Edric") == 8
    assert corrected(fight, "Edric", "distance", "Mero: 1").distances == {}
    assert GAME.load(GAME.dump(fight), hf().tables) == fight


def test_a_hold_by_correction_is_one_hold_for_both():
    fight = corrected(duel(), "Edric", "pinning", "Mero")
    assert GAME.state(fight, "Mero")["conditions"] == ["grabbed", "pinned"]
    fight = corrected(fight, "Edric", "grabbing", "")
    assert GAME.state(fight, "Mero")["conditions"] == []


def test_a_modifier_by_ruling_is_added_to_the_total_of_that_roll():
    fight = GAME.open_round(duel(), FixedDice()).fight
    ruled = GAME.modify(fight, "Edric.attack", 3)
    assert isinstance(ruled, Outcome)
    dice = FixedDice({"Edric.attack": [2, 2, 2, 2]})
    outcome = GAME.resolve(ruled.fight, [act("Edric", "attack", "Mero")], dice, Answers())
    (blow,) = told(outcome, "attack")
    assert blow.total == 11
    assert [part.source for part in outcome.rolls[0].plus.parts] == ["ruling"]


@pytest.mark.parametrize(
    ("label", "value", "code"),
    [
        ("Nadie.attack", 1, "unknown_target"),
        ("Edric.luck", 1, "unknown_roll"),
        ("Edric.attack", 1000, "bad_value"),
    ],
)
def test_a_modifier_that_cannot_be_is_refused(label, value, code):
    found = GAME.modify(duel(), label, value)
    assert isinstance(found, Rejection)
    assert found.code == code


def test_a_mount_that_falls_leaves_its_rider_on_foot_and_asks_how():
    fight = corrected(duel(athletics=8, fighting=8, weapons=["maza"]), "Edric", "mounted", "true")
    fight = corrected(fight, "Sombra", "health", "1")
    dice = FixedDice({"Mero.attack": [6] * 8})
    outcome = play(
        fight, act("Mero", "attack", "Sombra"), order("Mero", "defeat", "matar"), dice=dice
    )
    assert [event.target for event in told(outcome, "dismounted")] == ["Edric"]
    assert "mount_down" in [event.kind for event in told(outcome, "ruling_needed")]
    assert GAME.state(outcome.fight, "Edric")["mounted"] is False


def test_a_sheet_with_faults_says_all_of_them():
    with pytest.raises(SetupError) as caught:
        fight_of(
            {
                "Edric": who(fighting=9, weapons=["sable láser"], mount="Nadie", suerte=3),
                "Jeyne": who(armor="sedas", specialties={"bailar": 1}, state={"mounted": True}),
            }
        )
    paths = {problem.path for problem in caught.value.problems}
    assert paths == {
        ("Edric", "sheet", "fighting"),
        ("Edric", "sheet", "weapons", 0),
        ("Edric", "sheet", "mount"),
        ("Edric", "sheet", "suerte"),
        ("Jeyne", "sheet", "armor"),
        ("Jeyne", "sheet", "specialties", "bailar"),
        ("Jeyne", "state", "mounted"),
    }
