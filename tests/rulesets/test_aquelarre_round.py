"""The course of a round where the scenarios do not go: held actions, lost ones, many at once."""

import pytest

from rulesets.core.declarations import Timing
from tests.rulesets.playing import FixedDice, act, codes, fight_of, order, play, told, who

MISS = {"Lope.attack": 90, "Moro.attack": 90, "Gil.attack": 90}


def lost(outcome):
    return [(event.actor, event.action, event.reason) for event in told(outcome, "lost_action")]


def acted(outcome):
    return [event.actor for event in told(outcome, "attack")]


def duel(**more):
    """Lope is faster than Moro."""
    return fight_of(
        {
            "Lope": who(agility=18, skills={"swords": 60}, weapons=["espada"]),
            "Moro": who("b", skills={"swords": 60}, weapons=["espada"], hp_max=60),
        },
        **more,
    )


# ------------------------------------------------------------------ held actions


def test_two_who_close_in_on_each_other_do_not_wait_forever():
    outcome = play(duel(), act("Lope", "close_in", "Moro"), act("Moro", "close_in", "Lope"))
    assert [event.actor for event in told(outcome, "movement")] == ["Lope"]
    assert lost(outcome) == [("Moro", "close_in", "in_melee")]


def test_what_is_written_after_a_closing_in_waits_for_it():
    fight = fight_of(
        {
            "Lope": who(agility=18, skills={"knives": 60}, weapons=["cuchillo"]),
            "Moro": who("b", skills={"swords": 60}, weapons=["espada"], hp_max=60),
        }
    )
    outcome = play(
        fight,
        act("Lope", "close_in", "Moro"),
        act("Lope", "attack", "Moro"),
        act("Moro", "attack", "Lope"),
        dice=FixedDice(MISS),
    )
    assert acted(outcome) == ["Moro", "Lope"]
    (blow,) = [event for event in told(outcome, "attack") if event.actor == "Lope"]
    assert blow.limit == 60 - 10 + 50


def test_an_action_held_for_somebody_without_a_turn_is_done_at_ones_own():
    for kind in ("after", "before"):
        fight = fight_of(
            {
                "Lope": who(agility=18, skills={"swords": 60}, weapons=["espada"]),
                "Moro": who("b", hp_max=60),
                "Caído": who("b", state={"hp": -3}),
            }
        )
        held = act("Lope", "attack", "Moro", timing=Timing(kind, "Caído"))
        outcome = play(fight, held, dice=FixedDice(MISS))
        assert acted(outcome) == ["Lope"]
        assert not told(outcome, "interrupt")


def test_a_slower_character_can_not_act_before_a_faster_one():
    outcome = play(
        duel(),
        act("Lope", "attack", "Moro"),
        act("Moro", "attack", "Lope", timing=Timing("before", "Lope")),
        dice=FixedDice(MISS),
    )
    assert acted(outcome) == ["Lope", "Moro"]
    assert not told(outcome, "interrupt")


def test_after_somebody_who_does_nothing_means_after_the_turn():
    outcome = play(
        duel(),
        act("Lope", "attack", "Moro", timing=Timing("after", "Moro")),
        act("Moro", "free_action"),
        dice=FixedDice(MISS),
    )
    assert acted(outcome) == ["Lope"]
    assert [event.type for event in outcome.events].index("free_action") < [
        event.type for event in outcome.events
    ].index("attack")


def test_a_held_action_waits_for_a_fall_that_comes():
    fight = fight_of(
        {
            "Lope": who(agility=18, skills={"swords": 60}, weapons=["espada"]),
            "Gil": who(agility=14, skills={"brawl": 80}),
            "Moro": who("b", hp_max=60),
        }
    )
    outcome = play(
        fight,
        act("Lope", "attack", "Moro", timing=Timing("when", "Moro", event="falls")),
        act("Gil", "shove", "Moro"),
        dice=FixedDice(
            {
                "Gil.attack": 20,
                "Gil.strength": 60,
                "Moro.strength": 96,
                "Moro.agility": 90,
                "Lope.attack": 90,
            }
        ),
    )
    assert [(e.actor, e.target) for e in told(outcome, "interrupt")] == [("Lope", "Gil")]
    (blow,) = [event for event in told(outcome, "attack") if event.actor == "Lope"]
    assert blow.limit == 60 + 50


def test_a_fallback_is_done_where_the_table_allows_it():
    cast = {
        "Lope": who(agility=18, skills={"swords": 60}, weapons=["espada"]),
        "Gil": who(agility=20, skills={"swords": 90}, weapons=["espada"]),
        "Moro 1": who("b", state={"hp": 1}),
        "Moro 2": who("b", hp_max=60),
    }
    declared = [
        act("Gil", "attack", "Moro 1"),
        act("Lope", "attack", "Moro 1", fallback=act("Lope", "attack", "Moro 2")),
    ]
    dice = FixedDice({"Gil.attack": 30, "Gil.damage": 5, "Gil.location": 5, "Lope.attack": 90})
    outcome = play(fight_of(cast, options={"allow_fallback": True}), *declared, dice=dice)
    assert lost(outcome) == [("Lope", "attack", "target_down")]
    assert [event.target for event in told(outcome, "attack")] == ["Moro 1", "Moro 2"]
    assert not outcome.rejections
    strict = play(fight_of(cast), *declared, dice=dice)
    assert codes(strict) == ["fallback_not_allowed"]
    assert [event.target for event in told(strict, "attack")] == ["Moro 1"]


def test_all_of_one_moment_act_before_anybody_falls():
    twins = {
        name: who(
            side, npc=True, skills={"swords": 60}, weapons=["espada"], endurance=14, state={"hp": 3}
        )
        for name, side in (("Moro 1", "a"), ("Moro 2", "b"), ("Moro 3", "b"))
    }
    outcome = play(
        fight_of(twins),
        act("Moro 1", "attack", "Moro 2"),
        act("Moro 2", "attack", "Moro 1"),
        act("Moro 3", "attack", "Moro 1"),
        dice=FixedDice({f"{name}.attack": 30 for name in twins}),
    )
    assert acted(outcome) == ["Moro 1", "Moro 2", "Moro 3"]
    out = [event.actor for event in told(outcome, "wound") if event.level == "unconscious"]
    assert out == ["Moro 2", "Moro 1"]


# ------------------------------------------------------------------ actions that come to nothing


@pytest.mark.parametrize(
    ("verb", "fields", "state", "reason"),
    [
        ("walk", {}, {"conditions": ["prone"]}, "prone"),
        ("jump", {}, {"conditions": ["prone"]}, "prone"),
        ("climb", {}, {"conditions": ["prone"]}, "prone"),
    ],
)
def test_a_movement_is_lost_when_its_owner_has_been_thrown_down(verb, fields, state, reason):
    del state
    fight = fight_of({"Lope": who(agility=10), "Moro": who("b", agility=18, skills={"brawl": 80})})
    dice = FixedDice(
        {"Moro.attack": 20, "Moro.strength": 60, "Lope.strength": 96, "Lope.agility": 90}
    )
    outcome = play(fight, act("Lope", verb, **fields), act("Moro", "shove", "Lope"), dice=dice)
    assert lost(outcome) == [("Lope", verb, reason)]


def test_a_rider_who_is_thrown_can_not_charge_any_more():
    fight = fight_of(
        {
            "Rodrigo": who(
                skills={"swords": 60, "riding": 40},
                weapons=["espada"],
                mount={"name": "Bayo", "hp_max": 30},
                state={"conditions": ["mounted"]},
            ),
            "Moro": who("b", agility=20, skills={"spears": 80}, weapons=["lanza larga"]),
        }
    )
    dice = FixedDice(
        {"Moro.attack": 20, "Moro.strength": 40, "Rodrigo.riding": 96, "Rodrigo.fall": 2}
    )
    outcome = play(
        fight,
        act("Rodrigo", "mounted_charge", "Moro"),
        act("Moro", "unhorse", "Rodrigo"),
        dice=dice,
    )
    assert lost(outcome) == [("Rodrigo", "mounted_charge", "prone")]
    (fallen,) = [c for c in told(outcome, "damage") if c.target == "Rodrigo"]
    assert (fallen.amount, fallen.location) == (2, "")


def test_disarming_breaking_and_unhorsing_want_what_they_are_aimed_at():
    cast = {
        "Lope": who(agility=18, skills={"swords": 90}, weapons=["espada"]),
        "Gil": who(agility=14, skills={"swords": 60}, weapons=["espada"]),
        "Moro": who("b", agility=8, skills={"swords": 60}, weapons=["espada"]),
    }
    dice = FixedDice({"Lope.attack": 20, "Lope.strength": 40, "Moro.strength": 96})
    outcome = play(
        fight_of(cast), act("Lope", "disarm", "Moro"), act("Gil", "disarm", "Moro"), dice=dice
    )
    assert [event.weapon for event in told(outcome, "weapon_dropped")] == ["espada"]
    assert lost(outcome) == [("Gil", "disarm", "invalid_target")]


def test_who_runs_from_a_flight_prepared_loses_no_blood_on_the_way():
    fight = fight_of(
        {
            "Lope": who(agility=18, skills={"swords": 60}, weapons=["espada"]),
            "Moro": who("b", state={"conditions": ["flight_ready"]}),
        },
        scene={"positions": {"Lope": 0, "Moro": 1}},
    )
    outcome = play(
        fight,
        act("Lope", "charge", "Moro"),
        act("Moro", "walk", away="Lope"),
    )
    assert lost(outcome) == [("Lope", "charge", "out_of_reach")]
    assert outcome.fight.cast["Moro"].position == 7


def test_a_fleeing_man_struck_down_goes_nowhere():
    fight = fight_of(
        {
            "Lope": who(agility=10, state={"hp": 4}),
            "Moro": who("b", skills={"swords": 90}, weapons=["espada"]),
        },
        scene={"positions": {"Lope": 0, "Moro": 1}},
    )
    dice = FixedDice({"Moro.attack": 40, "Moro.damage": 8, "Moro.location": 5})
    outcome = play(fight, act("Lope", "run", away="Moro"), dice=dice)
    assert lost(outcome) == [("Lope", "run", "incapacitated")]
    assert not told(outcome, "movement")


def test_each_enemy_left_behind_strikes_once_a_round():
    fight = fight_of(
        {
            "Lope": who(agility=18, hp_max=60),
            "Moro": who("b", skills={"swords": 60}, weapons=["espada"]),
        },
        scene={"positions": {"Lope": 0, "Moro": 1}},
    )
    outcome = play(
        fight,
        act("Lope", "run", away="Moro"),
        act("Lope", "run", toward="Moro"),
        dice=FixedDice(MISS),
    )
    assert acted(outcome) == ["Moro"]


def test_who_shoots_has_only_his_hands_for_somebody_who_leaves():
    fight = fight_of(
        {
            "Lope": who(agility=18, hp_max=60),
            "Moro": who("b", skills={"bows": 60, "brawl": 30}, weapons=["arco corto"]),
        },
        scene={"positions": {"Lope": 0, "Moro": 1}},
    )
    outcome = play(fight, act("Lope", "run", away="Moro"), dice=FixedDice(MISS))
    (blow,) = told(outcome, "attack")
    assert (blow.kind, blow.weapon, blow.limit) == ("flight_attack", "pelea", 30 + 25)


# ------------------------------------------------------------------ charges and spears


def charge_on_spear(**state):
    return fight_of(
        {
            "Rodrigo": who(
                skills={"spears": 60, "riding": 60},
                weapons=["lanza de caballería"],
                mount={"name": "Bayo", "hp_max": 12},
                state={"conditions": ["mounted"]},
            ),
            "Piquero": who(
                "b", agility=10, skills={"spears": 60}, weapons=["lanza larga"], **state
            ),
        },
        scene={"positions": {"Rodrigo": 15, "Piquero": 0}},
    )


CHARGE = (act("Rodrigo", "mounted_charge", "Piquero"), act("Piquero", "set_spear"))


def test_a_spear_strikes_even_when_the_charge_kills_its_holder():
    dice = FixedDice(
        {
            "Rodrigo.attack": 30,
            "Rodrigo.damage": 10,
            "Rodrigo.location": 1,
            "Piquero.attack": 30,
            "Piquero.damage": 9,
        }
    )
    outcome = play(charge_on_spear(state={"hp": 4}), *CHARGE, dice=dice)
    assert outcome.fight.cast["Piquero"].level == "dead"
    (hurt,) = told(outcome, "mount_damage")
    assert (hurt.amount, hurt.left) == (2 * 10, 12 - 20)
    assert [event.topic for event in told(outcome, "ruling_needed")] == ["mount_down"]
    kinds = [event.type for event in outcome.events]
    assert kinds.index("mount_damage") < kinds.index("death")


def test_a_fumbled_spear_asks_for_a_ruling_and_spares_the_mount():
    dice = FixedDice({"Rodrigo.attack": 90, "Piquero.attack": 100, "Piquero.fumble": 3})
    outcome = play(charge_on_spear(), *CHARGE, dice=dice)
    assert not told(outcome, "mount_damage")
    assert [event.severity for event in told(outcome, "fumble")] == [3]


def test_who_has_set_a_spear_does_not_dodge_the_charge():
    dice = FixedDice({"Rodrigo.attack": 30, "Piquero.attack": 90})
    outcome = play(charge_on_spear(), *CHARGE, order("Piquero", "dodge"), dice=dice)
    assert not told(outcome, "defence")
    assert [event.target for event in told(outcome, "damage")] == ["Piquero"]


# ------------------------------------------------------------------ sweeps and two blows


def surrounded(**options):
    return fight_of(
        {
            "Lope": who(agility=18, skills={"swords": 90}, weapons=["espada"]),
            "Moro 1": who("b", agility=9, skills={"dodge": 50}, hp_max=60),
            "Moro 2": who("b", agility=8, skills={"dodge": 50}, hp_max=60),
        },
        options=options,
    )


SWEEP = act("Lope", "sweep", "Moro 1, Moro 2")


def test_a_sweep_that_misses_uses_up_the_defences_committed():
    outcome = play(surrounded(), SWEEP, act("Moro 1", "parry"), dice=FixedDice({"Lope.attack": 95}))
    assert [event.result for event in told(outcome, "attack")] == ["failure"]
    assert not told(outcome, "defence")


def test_a_fumbled_sweep_asks_once():
    dice = FixedDice({"Lope.attack": 100})
    outcome = play(surrounded(fumble_resolution="ignore"), SWEEP, dice=dice)
    assert "Lope.fumble" not in dice.rolled
    outcome = play(surrounded(), SWEEP, dice=FixedDice({"Lope.attack": 100}))
    assert len(told(outcome, "fumble")) == 1


def test_a_sweep_rolls_against_the_hardest_of_its_targets():
    fight = fight_of(
        {
            "Lope": who(agility=18, skills={"swords": 90}, weapons=["espada"]),
            "Moro": who("b", agility=9, size="large"),
            "Lutín": who("b", agility=8, size="small"),
        }
    )
    outcome = play(fight, act("Lope", "sweep", "Moro, Lutín"), dice=FixedDice({"Lope.attack": 99}))
    assert told(outcome, "attack")[0].limit == 90 - 20 - 20


def test_a_sweep_passes_over_those_who_are_down():
    fight = fight_of(
        {
            "Lope": who(agility=18, skills={"swords": 90}, weapons=["espada"]),
            "Moro": who("b", agility=9, hp_max=60),
            "Caído": who("b", state={"hp": -2}),
        }
    )
    outcome = play(fight, act("Lope", "sweep", "Caído, Moro"), dice=FixedDice({"Lope.attack": 30}))
    assert [event.target for event in told(outcome, "damage")] == ["Moro"]


def two_blows(**options):
    return fight_of(
        {
            "Lope": who(
                agility=18, skills={"swords": 60, "knives": 70}, weapons=["espada", "daga"]
            ),
            "Moro": who(
                "b", agility=9, skills={"dodge": 60, "swords": 60}, weapons=["espada"], hp_max=60
            ),
        },
        options=options,
    )


DOUBLE = act("Lope", "double_attack", "Moro")


@pytest.mark.parametrize(("option", "hits"), [("one", 1), ("both", 0)])
def test_a_dodge_stops_one_of_two_blows_unless_the_table_plays_it_otherwise(option, hits):
    dice = FixedDice({"Lope.attack": 30, "Moro.dodge": 30})
    outcome = play(two_blows(double_attack_dodge=option), DOUBLE, act("Moro", "dodge"), dice=dice)
    assert len(told(outcome, "damage")) == hits


def test_a_fumbled_double_attack_is_told_before_anything_else():
    outcome = play(two_blows(), DOUBLE, dice=FixedDice({"Lope.attack": 100}))
    kinds = [event.type for event in outcome.events]
    assert kinds[kinds.index("attack") + 1] == "fumble"
    assert not told(outcome, "damage")


def test_a_double_attack_is_lost_when_one_of_the_weapons_is():
    fight = fight_of(
        {
            "Lope": who(skills={"swords": 60}, weapons=["espada", "daga"]),
            "Moro": who("b", agility=20, skills={"swords": 90}, weapons=["espada"]),
        }
    )
    dice = FixedDice({"Moro.attack": 20, "Moro.strength": 40, "Lope.strength": 96})
    outcome = play(fight, DOUBLE, act("Moro", "disarm", "Lope", target_weapon="daga"), dice=dice)
    assert lost(outcome) == [("Lope", "double_attack", "weapon_not_ready")]


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        (act("Moro", "disarm", "Lope", target_weapon="espada"), "weapon_not_ready"),
        (act("Moro", "shove", "Lope"), "prone"),
    ],
)
def test_a_charge_is_lost_with_the_weapon_or_the_footing(first, reason):
    fight = fight_of(
        {
            "Lope": who(skills={"swords": 60}, weapons=["espada"], state={"position": 0}),
            "Moro": who(
                "b", agility=20, skills={"swords": 90, "brawl": 90}, weapons=["espada"],
                state={"position": 1},
            ),
            "Gil": who("b", state={"position": 12}),
        }
    )  # fmt: skip
    faces = {"Moro.attack": 20, "Moro.strength": 30, "Lope.strength": 96, "Lope.agility": 90}
    outcome = play(fight, first, act("Lope", "charge", "Gil"), dice=FixedDice(faces))
    assert lost(outcome) == [("Lope", "charge", reason)]


def test_nobody_strikes_with_the_shield_at_who_has_fallen():
    fight = fight_of(
        {
            "Ana": who(agility=20, skills={"swords": 90}, weapons=["espada"]),
            "Lope": who(skills={"shields": 60}, shield="rodela"),
            "Moro": who("b", hp_max=1),
        }
    )
    declared = (act("Ana", "attack", "Moro"), act("Lope", "shield_bash", "Moro"))
    outcome = play(fight, *declared, dice=FixedDice({"Ana.attack": 50}))
    assert lost(outcome) == [("Lope", "shield_bash", "target_down")]


# ------------------------------------------------------------------ the end


def test_first_blood_ends_what_is_left_for_everybody():
    outcome = play(
        duel(scene={"stop": "first_blood"}),
        act("Lope", "attack", "Moro"),
        act("Lope", "attack", "Moro"),
        act("Moro", "attack", "Lope"),
        dice=FixedDice({"Lope.attack": 30}),
    )
    assert acted(outcome) == ["Lope"]
    assert {reason for _, _, reason in lost(outcome)} == {"combat_ended"}
    assert len(lost(outcome)) == 2
    assert outcome.fight.ended == "first_blood"
