"""What a game master may correct, how it is written, and what it does."""

import pytest

from rulesets.core.questions import Correction, Rejection
from rulesets.core.ruleset import Outcome
from tests.rulesets.anima.playing import anima, fight_of, who

GAME = anima().game


def fight():
    return fight_of(
        {
            "Kyra": who(
                "a",
                weapons={"espada larga": {}, "daga": {}},
                shields={"Escudo Arcano": {"points": 100}},
                spells={"sueño": {"condition": "adormecida"}},
            ),
            "Orco": who("b"),
        },
        {"distances": {"Kyra-Orco": 12.5}},
    )


def corrected(field, value, actor="Kyra"):
    found = GAME.correct(fight(), Correction(actor, field, value, "porque sí"))
    assert isinstance(found, Outcome), found
    return found


@pytest.mark.parametrize(
    ("field", "value", "after"),
    [
        ("hp", "120", 120),
        ("hp", "-30", 170),
        ("hp", "=-5", -5),
        ("pain", "+25", 25),
        ("conditions", "+prone", ["prone"]),
        ("conditions", "prone, levitating", ["levitating", "prone"]),
        ("conditions", "adormecida", ["adormecida"]),
        ("stance", "offensive", "offensive"),
        ("stance", "-", None),
        ("weapon_in_hand", "Daga", "daga"),
        ("weapon_in_hand", "none", "none"),
        ("ready", "sí", True),
        ("engaged", "no", False),
        ("aim", "orco", {"target": "Orco", "rounds": 1}),
        ("running_towards", "Orco", "Orco"),
        ("held_by", "Orco", "Orco"),
        ("holding", "Orco", "Orco"),
        ("shields", "escudo arcano: 40", {"Escudo Arcano": 40}),
        ("zeon_accumulated", "30", 30),
    ],
)
def test_every_state_can_be_set(field, value, after):
    assert GAME.state(corrected(field, value).fight, "Kyra")[field] == after


def test_both_sides_of_a_hold_and_of_a_threat_change_together():
    held = corrected("held_by", "Orco").fight
    assert GAME.state(held, "Orco")["holding"] == "Kyra"
    threatened = corrected("threatened_by", "Orco").fight
    assert GAME.state(threatened, "Kyra")["conditions"] == ["threatened"]


def test_the_scene_can_be_set():
    assert corrected("distances", "Orco: 5").fight.distance("Orco", "Kyra") == 500
    flanked = corrected("situations", "flank: Orco, narrow").fight
    assert flanked.situations("Kyra", "Orco") == ("flank", "narrow")
    assert flanked.situations("Kyra", "") == ("narrow",)
    assert corrected("ranged", "+cover").fight.scene.ranged["Kyra"] == ("cover",)
    assert corrected("area_exit", "20").fight.scene.area_exit["Kyra"] == 2_000


def test_disarming_by_correction_leaves_the_weapon_on_the_ground():
    disarmed = corrected("conditions", "+disarmed").fight
    who_ = disarmed.cast["Kyra"]
    assert (who_.in_hand, who_.dropped) == ("", "espada larga")
    again = GAME.correct(disarmed, Correction("Kyra", "weapon_in_hand", "daga"))
    assert isinstance(again, Outcome)
    assert again.fight.cast["Kyra"].conditions == frozenset()


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("hp", "mucho", "bad_value"),
        ("hp", "99999999999", "bad_value"),
        ("conditions", "aburrida", "bad_value"),
        ("stance", "grulla", "bad_value"),
        ("weapon_in_hand", "cuchara", "bad_value"),
        ("engaged", "quizá", "bad_value"),
        ("holding", "Kyra", "bad_value"),
        ("shields", "broquel: 3", "bad_value"),
        ("distances", "Nadie: 5", "bad_value"),
        ("situations", "flank: Nadie", "bad_value"),
        ("ranged", "+nube", "bad_value"),
        ("effects", "+parálisis", "bad_value"),
        ("suerte", "3", "unknown_field"),
    ],
)
def test_what_cannot_be_is_refused_with_what_could(field, value, code):
    found = GAME.correct(fight(), Correction("Kyra", field, value))
    assert isinstance(found, Rejection)
    assert found.code == code
    assert found.rule


def test_nobody_can_be_corrected_who_is_not_there():
    found = GAME.correct(fight(), Correction("Nadie", "hp", "3"))
    assert isinstance(found, Rejection)
    assert found.code == "unknown_target"
