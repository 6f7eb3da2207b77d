"""Movements, gear, wounds and the other actions where the scenarios do not go."""

import pytest

from tests.rulesets.playing import FixedDice, act, codes, fight_of, play, told, who


def lost(outcome):
    return [(event.actor, event.action, event.reason) for event in told(outcome, "lost_action")]


def pair(scene=None, moro=None, **lope):
    return fight_of(
        {"Lope": who(agility=18, hp_max=60, **lope), "Moro": who("b", hp_max=60, **(moro or {}))},
        scene=scene,
    )


# ------------------------------------------------------------------ things that change hands


def test_what_nobody_caught_lies_on_the_ground_for_anyone():
    fight = fight_of(
        {
            "Lope": who(agility=18, skills={"throwing": 60}, weapons=["espada"]),
            "Gil": who(agility=12),
            "Moro": who("b", agility=10),
        }
    )
    thrown = play(
        fight,
        act("Lope", "throw_item", item="espada", to="Gil"),
        dice=FixedDice({"Lope.throw": 30, "Gil.agility": 90}),
    )
    assert [event.result for event in told(thrown, "give_item")] == ["failure"]
    assert [weapon.name for weapon in thrown.fight.ground] == ["espada"]
    assert thrown.fight.cast["Lope"].weapons == ()
    taken = play(
        thrown.fight,
        act("Moro", "draw", weapon="espada de mano"),
        act("Moro", "attack", "Lope", weapon="espada"),
        dice=FixedDice({"Moro.attack": 96}),
    )
    assert not taken.rejections
    assert [weapon.name for weapon in taken.fight.cast["Moro"].weapons] == ["espada"]
    assert [event.weapon for event in told(taken, "attack")] == ["espada"]
    assert taken.fight.ground == ()


def test_of_two_who_reach_for_the_same_sword_the_faster_one_has_it():
    fight = pair(weapons=["espada"], skills={"throwing": 60})
    dropped = play(
        fight,
        act("Lope", "throw_item", item="espada", to="Moro"),
        dice=FixedDice({"Lope.throw": 90}),
    )
    outcome = play(
        dropped.fight,
        act("Lope", "draw", weapon="espada"),
        act("Moro", "draw", weapon="espada"),
    )
    assert [weapon.name for weapon in outcome.fight.cast["Lope"].weapons] == ["espada"]
    assert outcome.fight.cast["Moro"].weapons == ()


def test_a_shield_may_be_handed_over_with_its_wear():
    fight = pair(shield="rodela", state={"shield_resistance": 12})
    outcome = play(fight, act("Lope", "give_item", item="shield", to="Moro"))
    assert outcome.fight.cast["Lope"].shield is None
    assert outcome.fight.cast["Moro"].shield_resistance == 12
    both = pair(shield="rodela", moro={"shield": "adarga"})
    outcome = play(both, act("Lope", "give_item", item="rodela", to="Moro"))
    assert lost(outcome) == [("Lope", "give_item", "weapon_not_ready")]


def test_a_shield_that_nobody_caught_is_picked_up_again():
    fight = pair(shield="rodela", skills={"throwing": 60})
    outcome = play(
        fight,
        act("Lope", "throw_item", item="rodela", to="Moro"),
        dice=FixedDice({"Lope.throw": 90}),
    )
    assert outcome.fight.cast["Lope"].dropped == ("rodela",)
    again = play(outcome.fight, act("Lope", "draw", weapon="shield"))
    assert again.fight.cast["Lope"].shield_ready


def test_what_is_given_keeps_what_was_left_to_reload():
    fight = pair(weapons=["ballesta"], state={"reload_left": {"ballesta": 2}})
    outcome = play(fight, act("Lope", "give_item", item="ballesta", to="Moro"))
    assert dict(outcome.fight.cast["Moro"].reload_left) == {"ballesta": 2}
    assert dict(outcome.fight.cast["Lope"].reload_left) == {}


def test_nothing_is_handed_to_who_is_down_or_far():
    far = pair({"positions": {"Lope": 0, "Moro": 9}}, weapons=["daga"])
    assert codes(play(far, act("Lope", "give_item", item="daga", to="Moro"))) == ["out_of_reach"]
    down = pair(weapons=["daga"], moro={"state": {"hp": -1}})
    for verb in ("give_item", "throw_item"):
        outcome = play(down, act("Lope", verb, item="daga", to="Moro"))
        assert lost(outcome) == [("Lope", verb, "target_down")]


def test_the_target_walks_away_before_the_hand_reaches_it():
    cast = {"Gil": who(agility=20), "Lope": who(agility=10, weapons=["daga"])}
    fight = fight_of(cast, scene={"positions": {"Gil": 1, "Lope": 0}})
    outcome = play(fight, act("Gil", "run"), act("Lope", "give_item", item="daga", to="Gil"))
    assert lost(outcome) == [("Lope", "give_item", "out_of_reach")]


def test_a_broken_weapon_is_not_drawn():
    fight = pair(weapons=["daga"], state={"broken": ["daga"]})
    assert codes(play(fight, act("Lope", "draw", weapon="daga"))) == ["weapon_not_ready"]


def test_reloading_wants_the_weapon_in_hand_still():
    fight = fight_of(
        {
            "Lope": who(agility=8, weapons=["ballesta"], state={"reload_left": {"ballesta": 3}}),
            "Moro": who(
                "b", agility=18, skills={"axes": 90}, weapons=["hacha de armas"], strength=18
            ),
        }
    )
    dice = FixedDice({"Moro.attack": 30, "Moro.strength": 60, "Lope.strength": 96})
    outcome = play(fight, act("Moro", "disarm", "Lope"), act("Lope", "reload"), dice=dice)
    assert lost(outcome) == [("Lope", "reload", "weapon_not_ready")]


def test_a_repair_never_goes_above_the_new_piece():
    fight = pair(
        {"downtime": True},
        skills={"craft_armoury": 60},
        armour=["yelmo"],
        state={"armour_resistance": {"yelmo": 99}},
    )
    dice = FixedDice({"Lope.craft": 30, "Lope.repair": [4, 4]})
    (mended,) = told(play(fight, act("Lope", "repair", item="yelmo"), dice=dice), "repair")
    assert (mended.amount, mended.left) == (1, 100)


# ------------------------------------------------------------------ movements


def test_toward_somebody_near_one_does_not_move():
    fight = pair({"positions": {"Lope": 0, "Moro": 1}})
    outcome = play(
        fight,
        act("Lope", "walk", toward="Moro"),
        act("Lope", "attack", "Moro"),
        dice=FixedDice({"Lope.attack": 96}),
    )
    assert [event.varas for event in told(outcome, "movement")] == [0]
    assert [event.limit for event in told(outcome, "attack")] == [18]  # not on the move


def test_away_from_somebody_leads_the_other_way():
    for here, there, to in ((5, 0, 17), (0, 5, -12), (3, 3, 15)):
        fight = pair({"positions": {"Lope": here, "Moro": there}})
        outcome = play(fight, act("Lope", "run", away="Moro"), dice=FixedDice({"Moro.attack": 96}))
        assert outcome.fight.cast["Lope"].position == to


def test_without_positions_one_moves_and_comes_nowhere():
    outcome = play(pair(), act("Lope", "run"))
    assert [(event.varas, event.to) for event in told(outcome, "movement")] == [(12, None)]


def test_a_horse_that_does_not_stand_keeps_its_rider():
    fight = pair(
        {"mount_roll": True},
        skills={"riding": 40},
        mount={"name": "Bayo", "hp_max": 20},
        state={"conditions": ["mounted"]},
    )
    stays = play(fight, act("Lope", "dismount"), dice=FixedDice({"Lope.riding": 90}))
    assert [event.topic for event in told(stays, "ruling_needed")] == ["mount"]
    assert "mounted" in stays.fight.cast["Lope"].conditions
    leaves = play(fight, act("Lope", "dismount"), dice=FixedDice({"Lope.riding": 30}))
    assert "mounted" not in leaves.fight.cast["Lope"].conditions


def test_riding_caps_what_one_can_do_in_the_saddle_and_armour_caps_riding():
    fight = pair(
        skills={"swords": 90, "riding": 60},
        weapons=["espada"],
        armour=["peto de cuero"],
        mount={"name": "Bayo", "hp_max": 20},
        state={"conditions": ["mounted"]},
    )
    outcome = play(fight, act("Lope", "attack", "Moro"), dice=FixedDice({"Lope.attack": 96}))
    assert [event.limit for event in told(outcome, "attack")] == [60 - 5 + 25]


# ------------------------------------------------------------------ wounds


def test_a_blow_on_a_mans_living_shield_finds_the_like_place_of_a_beast():
    fight = fight_of(
        {
            "Lope": who(agility=18, skills={"bows": 60}, weapons=["arco corto"]),
            "Moro": who("b"),
            "Mula": who("c", body="quadruped", hp_max=60),
        },
        scene={"concealed": {"Moro": {"object": "Mula", "protects": ["right_leg", "abdomen"]}}},
    )
    for face, place in ((9, "right_hind_leg"), (7, "hindquarters")):
        dice = FixedDice({"Lope.attack": 30, "Lope.location": face, "Lope.damage": 4})
        outcome = play(fight, act("Lope", "attack", "Moro"), dice=dice)
        assert [(e.target, e.location) for e in told(outcome, "damage")] == [("Mula", place)]


def test_the_dead_take_no_more_blows_for_anybody():
    fight = fight_of(
        {
            "Lope": who(agility=18, skills={"bows": 60}, weapons=["arco corto"]),
            "Moro": who("b"),
            "Rehén": who("c", state={"conditions": ["dead"]}),
        },
        scene={"concealed": {"Moro": {"object": "Rehén", "protects": ["chest"]}}},
    )
    dice = FixedDice({"Lope.attack": 30, "Lope.location": 5})
    outcome = play(fight, act("Lope", "attack", "Moro"), dice=dice)
    assert told(outcome, "object_hit")
    assert not told(outcome, "damage")


def sequela(part_face, roll, **moro):
    """A great blow on a place, and what it leaves."""
    fight = fight_of(
        {
            "Lope": who(agility=18, skills={"greatswords": 60}, weapons=["espadón"]),
            "Moro": who("b", endurance=16, skills={"swords": 60}, weapons=["espada"], **moro),
        }
    )
    dice = FixedDice(
        {
            "Lope.attack": 30,
            "Lope.damage": 7,
            "Lope.location": part_face,
            "Moro.sequela": roll,
            "Moro.attack": 96,
            "Moro.endurance": 30,
        }
    )
    return play(fight, act("Lope", "attack", "Moro"), act("Moro", "attack", "Lope"), dice=dice)


def test_a_concussion_ends_the_fight_for_an_hour():
    outcome = sequela(2, 9)
    assert told(outcome, "sequela")[0].effect == "cut_tendons"
    outcome = sequela(1, 9, hp_max=40, state={"hp": 40})
    assert not told(outcome, "sequela")  # 9 PD are less than half of 40
    outcome = sequela(1, 9, hp_max=18)
    assert told(outcome, "sequela")[0].effect == "concussion"
    moro = outcome.fight.cast["Moro"]
    assert (moro.able, moro.minutes_out) == (False, 60)
    assert lost(outcome) == [("Moro", "attack", "incapacitated")]


def test_a_leg_broken_throws_one_down_and_an_arm_lost_stays_lost():
    leg = sequela(9, 6)
    assert leg.fight.cast["Moro"].conditions == {"prone"}
    arm = sequela(3, 10)
    assert arm.fight.cast["Moro"].conditions == {"lost_arm"}
    assert arm.fight.cast["Moro"].sequelae == ("lost_arm",)


def test_bleeding_inside_takes_a_point_a_round_until_somebody_stops_it():
    outcome = sequela(7, 8)
    assert [event.hp for event in told(outcome, "bleed")] == [16 - 9 - 1]
    assert told(outcome, "condition")[0].condition == "bleeding"
    level = [event.level for event in told(outcome, "wound")]
    assert level == ["wounded"]
    aided = play(outcome.fight, act("Lope", "first_aid", "Moro"), dice=FixedDice({"Lope.heal": 5}))
    assert not told(aided, "bleed")


def test_bleeding_may_knock_one_out_and_kill():
    cast = {
        "Lope": who(state={"hp": 1, "conditions": ["badly_wounded", "bleeding"]}),
        "Moro": who("b"),
    }
    outcome = play(fight_of(cast))
    assert [event.level for event in told(outcome, "wound")] == ["unconscious"]
    assert not told(outcome, "check")  # no Resistance roll for bleeding
    dying = {"Lope": who(endurance=4, state={"hp": -3}), "Moro": who("b")}
    outcome = play(fight_of(dying))
    assert told(outcome, "death")
    assert outcome.fight.cast["Lope"].dead


def test_who_falls_lets_go_of_whom_he_held():
    fight = fight_of(
        {
            "Lope": who(agility=18, skills={"swords": 90}, weapons=["espada"]),
            "Moro": who("b", state={"hp": 2, "holding": "Gil", "melee_with": ["Gil"]}),
            "Gil": who(state={"held_by": "Moro", "melee_with": ["Moro"]}),
        }
    )
    dice = FixedDice({"Lope.attack": 30, "Lope.damage": 8, "Lope.location": 5})
    outcome = play(fight, act("Lope", "attack", "Moro"), dice=dice)
    ended = [(e.actor, e.condition) for e in told(outcome, "condition") if e.change == "lost"]
    assert ended == [("Gil", "immobilised"), ("Moro", "in_melee")]
    assert outcome.fight.cast["Gil"].held_by == ""
    assert outcome.fight.cast["Gil"].melee_with == ()


def test_a_knocked_out_man_is_not_knocked_out_again_nor_roused_by_a_slap():
    fight = pair(moro={"state": {"conditions": ["knocked_out"]}})
    outcome = play(fight, act("Lope", "rouse", "Moro"))
    assert lost(outcome) == [("Lope", "rouse", "invalid_target")]
    outcome = play(fight, act("Lope", "attack", "Moro"))
    assert lost(outcome) == [("Lope", "attack", "target_down")]


@pytest.mark.parametrize(
    ("verb", "state", "reason"),
    [
        ("first_aid", {}, "invalid_target"),
        ("rouse", {}, "invalid_target"),
    ],
)
def test_care_is_lost_on_who_needs_none(verb, state, reason):
    del state
    outcome = play(pair(), act("Lope", verb, "Moro"))
    assert lost(outcome) == [("Lope", verb, reason)]


def test_a_trick_on_who_is_down_is_lost():
    outcome = play(pair(moro={"state": {"hp": -1}}), act("Lope", "trick", "Moro"))
    assert lost(outcome) == [("Lope", "trick", "target_down")]


def test_preparation_is_lost_by_who_is_knocked_down_before_his_turn():
    fight = fight_of(
        {
            "Lope": who(agility=18, skills={"staves": 90}, weapons=["palo"]),
            "Moro": who("b", state={"prep_bonus": 20}),
        }
    )
    dice = FixedDice({"Lope.attack": 30, "Moro.agility": 90})
    outcome = play(fight, act("Lope", "trip", "Moro"), act("Moro", "prepare"), dice=dice)
    assert lost(outcome) == [("Moro", "prepare", "tripped")]
    assert [event.bonus for event in told(outcome, "prepare")] == [0]


# ------------------------------------------------------------------ holds


def wrestlers(**moro):
    return fight_of(
        {
            "Lope": who(agility=18, hp_max=60, state={"melee_with": ["Moro"]}),
            "Moro": who("b", hp_max=60, state={"melee_with": ["Lope"], **moro}),
        }
    )


def test_a_hold_that_fails_leaves_the_melee():
    dice = FixedDice({"Lope.strength": 96, "Moro.strength": 30})
    outcome = play(wrestlers(), act("Lope", "grapple", "Moro"), dice=dice)
    assert [event.result for event in told(outcome, "opposed")] == ["failure"]
    assert outcome.fight.cast["Lope"].melee_with == ("Moro",)
    assert outcome.fight.cast["Moro"].held_by == ""


def test_who_has_slipped_out_is_not_held_any_more():
    outcome = play(
        wrestlers(),
        act("Lope", "grapple", "Moro"),
        act("Moro", "disengage"),
        dice=FixedDice({"Moro.disengage": 5}),
        initiative={"Lope": 1, "Moro": 10},
    )
    assert lost(outcome) == [("Lope", "grapple", "not_in_melee")]
    ended = [(e.condition, e.other) for e in told(outcome, "condition")]
    assert ended == [("in_melee", "Lope")]


def test_a_fumbled_slip_is_a_fumbled_defence():
    dice = FixedDice({"Moro.disengage": 100})
    outcome = play(wrestlers(), act("Moro", "disengage"), dice=dice)
    assert [event.actor for event in told(outcome, "fumble")] == ["Moro"]


def test_a_full_defence_helps_to_slip_out():
    declared = act("Moro", "full_defence", **{"with": "disengage"})
    outcome = play(wrestlers(), declared, dice=FixedDice({"Moro.disengage": 60}))
    (slip,) = told(outcome, "defence")
    assert (slip.kind, slip.limit) == ("disengage", 12 + 50)


def test_a_full_defence_may_be_a_guard_or_a_shield_placed():
    fight = pair(shield="rodela")
    guard = play(fight, act("Lope", "full_defence", **{"with": "full_guard"}))
    assert "full_guard" in guard.fight.cast["Lope"].conditions
    placed = fight_of(
        {
            "Lope": who(shield="rodela", hp_max=60),
            "Moro": who("b", skills={"bows": 60}, weapons=["arco corto"]),
        }
    )
    outcome = play(
        placed,
        act("Lope", "full_defence", **{"with": "shield_cover"}),
        act("Moro", "attack", "Lope"),
        dice=FixedDice({"Moro.attack": 30, "Moro.location": 5}),
    )
    assert [event.kind for event in told(outcome, "defence")] == ["shield_cover"]
    assert told(outcome, "object_hit")


def test_a_guard_taken_with_a_shield_that_has_just_broken_is_lost():
    fight = fight_of(
        {
            "Lope": who(agility=6, shield="rodela", state={"shield_resistance": 1}),
            "Moro": who("b", agility=18, skills={"axes": 90}, weapons=["hacha de combate"]),
        }
    )
    outcome = play(
        fight,
        act("Moro", "shield_breaker", "Lope"),
        act("Lope", "full_guard"),
        dice=FixedDice({"Moro.attack": 30}),
    )
    assert lost(outcome) == [("Lope", "full_guard", "weapon_not_ready")]


def test_a_hold_that_has_ended_needs_no_breaking():
    fight = fight_of(
        {
            "Lope": who(agility=18, state={"holding": "Moro", "melee_with": ["Moro"]}),
            "Moro": who("b", state={"held_by": "Lope", "melee_with": ["Lope"]}),
        }
    )
    outcome = play(fight, act("Lope", "release"), act("Moro", "break_free"))
    assert lost(outcome) == [("Moro", "break_free", "not_immobilised")]
