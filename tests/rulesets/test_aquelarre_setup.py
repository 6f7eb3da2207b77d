"""Sheets, states, scenes and options: what is read, and all that is wrong with them at once."""

import json
from pathlib import Path

import pytest

from rulesets.aquelarre.options import CHOICES, Options
from rulesets.core.questions import SetupError
from rulesets.core.ruleset import CharacterSetup, Setup
from tests.rulesets.playing import FixedDice, act, aquelarre, fight_of, play, told, who

BENCH = aquelarre()
PACKAGE = Path(__file__).parents[2] / "rulesets" / "aquelarre"


def problems(cast=None, scene=None, options=None):
    """Path, code and given of every problem of a fight."""
    cast = cast or {"Lope": who()}
    characters = tuple(CharacterSetup(name, **fields) for name, fields in cast.items())
    with pytest.raises(SetupError) as caught:
        BENCH.game.new_fight(Setup(characters, scene or {}, options or {}), BENCH.tables)
    return [(p.path, p.code) for p in caught.value.problems]


SHEETS = [
    ({"strengh": 12}, ("sheet", "strengh"), "unknown_key"),
    ({"strength": "strong"}, ("sheet", "strength"), "wrong_type"),
    ({"strength": True}, ("sheet", "strength"), "wrong_type"),
    ({"strength": 9999}, ("sheet", "strength"), "out_of_range"),
    ({"skills": {"fencing": 40}}, ("sheet", "skills", "fencing"), "unknown_key"),
    ({"skills": {"swords": 4000}}, ("sheet", "skills", "swords"), "out_of_range"),
    ({"skills": [40]}, ("sheet", "skills"), "wrong_type"),
    ({"weapons": "espada"}, ("sheet", "weapons"), "wrong_type"),
    ({"weapons": ["tizona"]}, ("sheet", "weapons", 0), "unknown_name"),
    ({"weapons": [{"damage": "1D6"}]}, ("sheet", "weapons", 0, "name"), "missing"),
    ({"weapons": [{"name": "hoz"}]}, ("sheet", "weapons", 0, "damage"), "missing"),
    (
        {"weapons": [{"name": "hoz", "skill": "swords", "damage": "sharp"}]},
        ("sheet", "weapons", 0, "damage"),
        "wrong_type",
    ),
    (
        {"weapons": ["espada", {"name": "espada", "min_strength": 3}]},
        ("sheet", "weapons", 1),
        "out_of_range",
    ),
    ({"shield": "puerta"}, ("sheet", "shield"), "unknown_name"),
    ({"shield": {"name": "puerta"}}, ("sheet", "shield", "resistance"), "missing"),
    ({"armour": ["bikini"]}, ("sheet", "armour", 0), "unknown_name"),
    ({"armour": [{"name": "jubón"}]}, ("sheet", "armour", 0, "protection"), "missing"),
    ({"armour": ["yelmo", "yelmo"]}, ("sheet", "armour", 1), "out_of_range"),
    ({"mount": {"name": "Bayo"}}, ("sheet", "mount", "hp_max"), "missing"),
    (
        {"mount": {"name": "Bayo", "hp_max": 20, "wings": 2}},
        ("sheet", "mount", "wings"),
        "unknown_key",
    ),
    ({"size": "tiny"}, ("sheet", "size"), "unknown_name"),
    ({"body": "octopus"}, ("sheet", "body"), "unknown_name"),
    ({"handedness": "both"}, ("sheet", "handedness"), "unknown_name"),
]


@pytest.mark.parametrize(("sheet", "path", "code"), SHEETS, ids=[str(s[0]) for s in SHEETS])
def test_what_is_wrong_with_a_sheet_is_named_with_its_place(sheet, path, code):
    assert (("Lope", *path), code) in problems({"Lope": who(**sheet)})


STATES = [
    ({"hp": 900}, ("hp",), "out_of_range"),
    ({"mood": 1}, ("mood",), "unknown_key"),
    ({"conditions": ["sad"]}, ("conditions", 0), "unknown_name"),
    ({"conditions": ["wounded"]}, ("conditions",), "out_of_range"),
    ({"conditions": ["in_melee"]}, ("conditions",), "out_of_range"),
    ({"sheathed": ["espada"]}, ("sheathed", 0), "unknown_name"),
    ({"melee_with": ["Moro"]}, ("melee_with",), "out_of_range"),
    ({"melee_with": ["Ana"]}, ("melee_with",), "unknown_name"),
    ({"holding": "Moro"}, ("holding",), "out_of_range"),
    ({"held_by": "Lope"}, ("held_by",), "out_of_range"),
    ({"armour_resistance": {"yelmo": 3}}, ("armour_resistance", "yelmo"), "unknown_key"),
    ({"reload_left": {"honda": 1}}, ("reload_left", "honda"), "unknown_key"),
    ({"sequelae": ["warts"]}, ("sequelae", 0), "unknown_name"),
    ({"strength": 0}, ("strength",), "out_of_range"),
    ({"guard_extra": "tail"}, ("guard_extra",), "unknown_name"),
]


@pytest.mark.parametrize(("state", "path", "code"), STATES, ids=[str(s[0]) for s in STATES])
def test_what_is_wrong_with_a_state_is_named_with_its_place(state, path, code):
    cast = {"Lope": who(state=state), "Moro": who("b")}
    assert (("Lope", "state", *path), code) in problems(cast)


SCENES = [
    ({"weather": "rain"}, ("weather",), "unknown_key"),
    ({"light": "neon"}, ("light",), "unknown_name"),
    ({"positions": {"Ana": 3}}, ("positions", "Ana"), "unknown_key"),
    ({"positions": {"Lope": "near"}}, ("positions", "Lope"), "wrong_type"),
    ({"higher": ["Ana"]}, ("higher", 0), "unknown_name"),
    ({"behind": {"Lope": ["Ana"]}}, ("behind", "Lope", 0), "unknown_name"),
    ({"surprised": ["Ana"]}, ("surprised", 0), "unknown_name"),
    ({"ambush": {"by": "Ana"}}, ("ambush", "by"), "unknown_name"),
    ({"ambush": {"by": "Lope", "with": 3}}, ("ambush", "with"), "unknown_key"),
    ({"cover": {"Lope": {"protects": ["head"]}}}, ("cover", "Lope", "object"), "missing"),
    (
        {"concealed": {"Lope": {"object": "x", "protects": ["ear"]}}},
        ("concealed", "Lope", "protects", 0),
        "unknown_name",
    ),
    ({"side_of": {"Lope": "front"}}, ("side_of", "Lope"), "unknown_name"),
    ({"modifiers": {"Lope.prayer": 5}}, ("modifiers", "Lope.prayer"), "unknown_name"),
    ({"modifiers": {"Lope.attack": 50_000}}, ("modifiers", "Lope.attack"), "out_of_range"),
    ({"mount_roll": "yes"}, ("mount_roll",), "wrong_type"),
    ({"stop": "teatime"}, ("stop",), "unknown_name"),
]


@pytest.mark.parametrize(("scene", "path", "code"), SCENES, ids=[str(s[1]) for s in SCENES])
def test_what_is_wrong_with_a_scene_is_named_with_its_place(scene, path, code):
    assert (("scene", *path), code) in problems(scene=scene)


def test_options_are_checked_like_everything_else():
    assert problems(options={"dice": "loaded"}) == [(("options", "dice"), "unknown_key")]
    assert problems(options={"min_strength": "no"}) == [(("options", "min_strength"), "wrong_type")]
    assert problems(options={"min_damage": 3}) == [(("options", "min_damage"), "out_of_range")]
    for name in CHOICES:
        assert problems(options={name: "whatever"}) == [(("options", name), "unknown_name")]


def test_two_names_that_only_accents_keep_apart_are_no_cast():
    assert problems({"Iñigo": who(), "Íñigo": who("b")}) == [(("cast", "Íñigo"), "out_of_range")]


def test_all_that_is_wrong_with_a_fight_is_said_at_once():
    found = problems(
        {"Lope": who(strength="x", weapons=["tizona"]), "Moro": who("b", state={"hp": 99})},
        scene={"light": "neon"},
        options={"min_strength": 1},
    )
    assert len(found) == 5


def test_a_weapon_map_takes_from_the_table_what_it_does_not_say():
    fight = fight_of({"Lope": who(weapons=[{"name": "Espada", "damage": "2D6"}]), "Moro": who("b")})
    (weapon,) = fight.cast["Lope"].weapons
    assert (weapon.name, weapon.damage.text, weapon.skill, weapon.min_strength) == (
        "Espada",
        "2D6",
        "swords",
        12,
    )


@pytest.mark.parametrize("written", ["Hacha", {"name": "hacha", "damage": "1D10"}])
def test_a_word_for_several_weapons_is_asked_back(written):
    with pytest.raises(SetupError) as caught:
        fight_of({"Lope": who(weapons=[written]), "Moro": who("b")})
    told = {problem.candidates for problem in caught.value.problems}
    assert ("hacha de mano", "hacha de combate", "hacha de armas") in told


def test_a_weapon_of_ones_own_needs_a_skill_and_dice_only():
    fight = fight_of({"Lope": who(weapons=[{"name": "hoz", "skill": "knives", "damage": "1d6"}])})
    (weapon,) = fight.cast["Lope"].weapons
    assert (weapon.base, weapon.hands, weapon.size.name) == ("dexterity", 1, "MEDIUM")


def test_a_fight_with_everything_in_it_is_written_and_read_back():
    fight = fight_of(
        {
            "Lope": who(
                weapons=["espada", {"name": "hoz", "skill": "knives", "damage": "1D6-1"}],
                shield={"name": "tapa", "resistance": 9},
                armour=["yelmo"],
                stowed_armour=["gambesón"],
                mount={"name": "Bayo", "hp_max": 12},
                state={
                    "hp": 3,
                    "sequelae": ["limp"],
                    "agility": 9,
                    "sheathed": ["hoz", "tapa"],
                    "conditions": ["prone", "surprised"],
                    "donning": {"gambesón": 1},
                    "melee_with": ["Moro"],
                    "holding": "Moro",
                },
            ),
            "Moro": who("b", state={"melee_with": ["Lope"], "held_by": "Lope"}),
        },
        scene={
            "light": "dim",
            "higher": ["Moro"],
            "behind": {"Lope": ["Moro"]},
            "ambush": {"by": "Moro", "against": ["Lope"]},
            "stop": "first_blood",
            "cover": {"Lope": {"object": "muro", "protects": ["head"]}},
            "concealed": {"Moro": {"object": "lope", "protects": ["chest"]}},
            "side_of": {"Lope": "left"},
            "modifiers": {"Lope.attack": -5},
            "downtime": True,
        },
        options={"half_rounding": "down"},
    )
    assert fight.scene.concealed["Moro"].object == "Lope"
    written = json.loads(json.dumps(BENCH.game.dump(fight)))
    assert BENCH.game.load(written, BENCH.tables) == fight


# ------------------------------------------------------------------ every option does something


def attack_limit(fight, **dice):
    (blow,) = told(play(fight, act("Lope", "attack", "Moro"), dice=FixedDice(dice)), "attack")
    return blow.limit


def duel(options, scene=None, **lope):
    sheet = {"skills": {"swords": 61}, "weapons": ["espada"], "agility": 20, **lope}
    return fight_of(
        {"Lope": who(**sheet), "Moro": who("b", hp_max=60, skills={"dodge": 50})},
        options=options,
        scene=scene,
    )


def test_weakness_may_be_of_no_account():
    assert attack_limit(duel({}, strength=10)) == 51
    assert attack_limit(duel({"min_strength": False}, strength=10)) == 61


def test_weakness_may_weigh_on_parries_too():
    for option, limit in ((False, 60), (True, 50)):
        fight = fight_of(
            {
                "Lope": who(strength=10, agility=5, skills={"swords": 60}, weapons=["espada"]),
                "Moro": who("b", skills={"swords": 60}, weapons=["espada"]),
            },
            options={"min_strength_affects_parry": option},
        )
        outcome = play(fight, act("Moro", "attack", "Lope"), act("Lope", "parry"))
        assert [event.limit for event in told(outcome, "defence")] == [limit]


def test_manoeuvres_may_be_halved_downwards():
    for rounding, limit in (("up", 31), ("down", 30)):
        outcome = play(duel({"half_rounding": rounding}), act("Lope", "feint", "Moro"))
        assert [event.limit for event in told(outcome, "attack")] == [limit]


def test_a_dodge_against_a_critical_is_halved_upwards_in_any_case():
    fight = duel({"half_rounding": "down"})
    fight = fight_of(
        {
            "Lope": who(skills={"swords": 61}, weapons=["espada"], agility=20),
            "Moro": who("b", skills={"dodge": 51}),
        },
        options={"half_rounding": "down"},
    )
    dice = FixedDice({"Lope.attack": 2})
    outcome = play(fight, act("Lope", "attack", "Moro"), act("Moro", "dodge"), dice=dice)
    assert [event.limit for event in told(outcome, "defence")] == [26]


def test_point_blank_may_count_as_short():
    archer = {"skills": {"bows": 50}, "weapons": ["arco corto"]}
    assert attack_limit(duel({}, **archer)) == 50
    assert attack_limit(duel({"point_blank": "short"}, **archer)) == 70


def test_quick_attacks_may_each_count():
    for option, value in (("once", 30), ("per_action", 35)):
        quick = act("Lope", "quick_attack", "Moro")
        outcome = play(
            duel({"quick_initiative": option}),
            quick,
            quick,
            initiative={"Lope": 5},
            dice=FixedDice({"Lope.attack": 96}),
        )
        assert [event.value for event in told(outcome, "initiative")] == [value]
        assert outcome.fight.initiative["Lope"] == value


def test_nobody_strikes_at_who_leaves_where_the_table_plays_it_so():
    for option, blows in (("free", 1), ("none", 0)):
        fight = fight_of(
            {"Lope": who(agility=20), "Moro": who("b")},
            options={"flight_attack": option},
            scene={"positions": {"Lope": 0, "Moro": 1}},
        )
        outcome = play(fight, act("Lope", "run", away="Moro"))
        assert len(told(outcome, "attack")) == blows


@pytest.mark.parametrize(("cost", "accepted"), [("extended", 1), ("normal", 2), ("free", 3)])
def test_a_squeeze_costs_what_the_table_says(cost, accepted):
    fight = fight_of(
        {
            "Lope": who(agility=20, state={"holding": "Moro", "melee_with": ["Moro"]}),
            "Moro": who("b", hp_max=60, state={"held_by": "Lope", "melee_with": ["Lope"]}),
        },
        options={"squeeze_cost": cost},
    )
    declared = [act("Lope", "squeeze"), act("Lope", "dodge"), act("Lope", "dodge")]
    outcome = play(fight, *declared)
    assert len(outcome.rejections) == 3 - accepted
    assert len(told(outcome, "damage")) == 1


def test_a_hit_may_do_at_least_one():
    for option, rolled in ((0, 0), (1, 1)):
        fight = fight_of(
            {
                "Lope": who(strength=4, agility=20, skills={"brawl": 60}),
                "Moro": who("b", hp_max=60),
            },
            options={"min_damage": option},
        )
        dice = FixedDice({"Lope.attack": 30, "Lope.damage": [1, 6], "Lope.location": 5})
        outcome = play(fight, act("Lope", "attack", "Moro"), dice=dice)
        assert [event.rolled for event in told(outcome, "damage")] == [rolled]


def test_shields_may_never_wear():
    for option, worn in (("damage", True), ("none", False)):
        fight = fight_of(
            {
                "Lope": who(agility=20, skills={"swords": 60}, weapons=["espada"]),
                "Moro": who("b", skills={"shields": 60}, shield="rodela"),
            },
            options={"shield_wear": option},
        )
        dice = FixedDice({"Lope.attack": 30, "Moro.shield_parry": 30})
        outcome = play(fight, act("Lope", "attack", "Moro"), act("Moro", "shield_parry"), dice=dice)
        assert bool(told(outcome, "shield_wear")) is worn
        assert ("Lope.damage" in dice.rolled) is worn


def test_a_sequela_may_be_counted_before_armour():
    for option, found in (("after_armour", 0), ("before_armour", 1)):
        fight = fight_of(
            {
                "Lope": who(agility=20, skills={"swords": 60}, weapons=["espada"]),
                "Moro": who("b", endurance=16, armour=["arnés"]),
            },
            options={"sequela_base": option},
        )
        dice = FixedDice(
            {"Lope.attack": 30, "Lope.damage": 8, "Lope.location": 5, "Moro.sequela": 1}
        )
        outcome = play(fight, act("Lope", "attack", "Moro"), dice=dice)
        assert len(told(outcome, "sequela")) == found


def test_every_option_is_read_somewhere():
    code = [path for path in PACKAGE.glob("*.py") if path.stem != "options"]
    sources = [path.read_text(encoding="utf-8") for path in code]
    for name in Options.__dataclass_fields__:
        assert any(f"options.{name}" in source for source in sources), name
