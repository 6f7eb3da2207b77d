"""Which defence answers, at what price, and what is asked of whom where a table asks."""

import pytest

from rulesets.core.questions import Question
from rulesets.core.ruleset import Outcome
from tests.rulesets.playing import (
    FixedDice,
    act,
    asked,
    codes,
    fight_of,
    order,
    play,
    told,
    who,
)


def target_of(*enemies, **sheet):
    """Lope, slow and well armed, among enemies who are faster."""
    me = {
        "skills": {"swords": 60, "dodge": 50, "shields": 50, "brawl": 60},
        "agility": 6,
        "weapons": ["espada", "daga"],
        "shield": "rodela",
        "hp_max": 60,
        **sheet,
    }
    cast = {"Lope": who(**me)}
    for place, name in enumerate(enemies or ("Moro",)):
        cast[name] = who("b", agility=18 - place, skills={"swords": 60}, weapons=["espada"])
    return cast


def kinds(outcome):
    return [(event.against, event.kind) for event in told(outcome, "defence")]


HIT = {"Moro.attack": 30, "Moro 1.attack": 30, "Moro 2.attack": 30}


# ------------------------------------------------------------------ which one


def test_a_defence_is_given_back_after_a_miss_where_the_table_plays_it_so():
    declared = [act("Moro", "attack", "Lope"), act("Moro", "attack", "Lope"), act("Lope", "parry")]
    dice = FixedDice({"Moro.attack": 90, "Moro.attack#2": 30, "Lope.parry": 30})
    spent = play(fight_of(target_of()), *declared, dice=dice)
    assert kinds(spent) == []
    kept = play(
        fight_of(target_of(), options={"defence_spent_on_miss": False}), *declared, dice=dice
    )
    assert kinds(kept) == [("Moro", "parry")]


def test_a_dodge_committed_to_a_miss_still_answers_the_next_blow():
    declared = [act("Moro", "attack", "Lope"), act("Moro", "attack", "Lope"), act("Lope", "dodge")]
    dice = FixedDice({"Moro.attack": 90, "Moro.attack#2": 30, "Lope.dodge": 30})
    assert kinds(play(fight_of(target_of()), *declared, dice=dice)) == [("Moro", "dodge")]


def test_a_dodge_in_force_does_not_answer_a_knife_thrown():
    cast = target_of()
    cast["Moro"] = who(
        "b", agility=18, skills={"swords": 60, "throwing": 60}, weapons=["espada", "cuchillo"]
    )
    dice = FixedDice({"Moro.attack": 30, "Moro.attack#2": 30, "Lope.dodge": 30})
    outcome = play(
        fight_of(cast),
        act("Moro", "attack", "Lope"),
        act("Moro", "attack", "Lope", weapon="cuchillo", flags=["throw"]),
        act("Lope", "dodge"),
        dice=dice,
    )
    assert kinds(outcome) == [("Moro", "dodge")]
    assert [event.ranged for event in told(outcome, "attack")] == [False, True]
    assert len(told(outcome, "damage")) == 1
    assert outcome.fight.cast["Moro"].dropped == ("cuchillo",)


def test_standing_orders_put_a_kind_first_for_one_enemy():
    declared = [
        act("Moro 1", "attack", "Lope"),
        act("Moro 2", "attack", "Lope"),
        act("Lope", "parry"),
        act("Lope", "dodge"),
    ]
    dice = FixedDice(HIT)
    cast = fight_of(target_of("Moro 1", "Moro 2"))
    assert kinds(play(cast, *declared, dice=dice)) == [("Moro 1", "parry"), ("Moro 2", "dodge")]
    prefers = order("Lope", "dodge", against="Moro 1")
    assert kinds(play(cast, *declared, prefers, dice=dice)) == [
        ("Moro 1", "dodge"),
        ("Moro 2", "parry"),
    ]
    spares = order("Lope", "no_defence")
    assert kinds(play(cast, *declared, spares, dice=dice)) == []


def test_an_order_about_somebody_unknown_is_refused():
    outcome = play(fight_of(target_of()), order("Lope", "no_defence", against="Fantasma"))
    assert codes(outcome) == ["unknown_target"]
    assert outcome.rejections[0].facts["given"] == "Fantasma"


def test_who_is_surprised_may_defend_from_its_own_turn_on_only():
    cast = target_of()
    cast["Moro"] = who("b", agility=1, skills={"swords": 60}, weapons=["espada"])
    cast["Lope"]["sheet"]["agility"] = 12
    declared = [act("Moro", "attack", "Lope"), act("Lope", "parry")]
    outcome = play(fight_of(cast, scene={"surprised": ["Lope"]}), *declared, dice=FixedDice(HIT))
    assert kinds(outcome) == [("Moro", "parry")]
    assert told(outcome, "defence")[0].limit == 60 - 25


def test_held_hands_parry_nothing():
    cast = target_of("Moro", "Gil")
    for name, key, other in (("Lope", "held_by", "Gil"), ("Gil", "holding", "Lope")):
        mate = "Gil" if name == "Lope" else "Lope"
        cast[name]["state"] = {key: other, "melee_with": [mate]}
    outcome = play(
        fight_of(cast), act("Moro", "attack", "Lope"), act("Lope", "parry"), dice=FixedDice(HIT)
    )
    assert codes(outcome) == ["immobilised"]
    assert kinds(outcome) == []


def test_in_melee_a_sword_parries_nothing_and_a_dagger_does():
    cast = target_of()
    cast["Lope"]["state"] = {"melee_with": ["Moro"]}
    cast["Moro"]["state"] = {"melee_with": ["Lope"]}
    cast["Moro"]["sheet"]["weapons"] = ["cuchillo"]
    cast["Moro"]["sheet"]["skills"] = {"knives": 60}
    blow = act("Moro", "attack", "Lope")
    dice = FixedDice(HIT)
    sword = play(fight_of(cast), blow, act("Lope", "parry"), dice=dice)
    assert kinds(sword) == []
    assert not sword.rejections
    dagger = play(fight_of(cast), blow, act("Lope", "parry", weapon="daga"), dice=dice)
    assert kinds(dagger) == [("Moro", "parry")]
    shield = play(fight_of(cast), blow, act("Lope", "shield_parry"), dice=dice)
    assert kinds(shield) == [("Moro", "shield_parry")]


# ------------------------------------------------------------------ at what price


def test_a_shove_is_answered_by_a_dodge_and_never_by_a_shield():
    cast = target_of()
    cast["Moro"]["sheet"]["skills"] = {"brawl": 60}
    declared = [act("Moro", "shove", "Lope"), act("Lope", "shield_parry"), act("Lope", "dodge")]
    assert kinds(play(fight_of(cast), *declared, dice=FixedDice(HIT))) == [("Moro", "dodge")]


@pytest.mark.parametrize(
    ("attack", "parry", "events"),
    [
        (30, 30, ["defence"]),
        (5, 30, ["defence", "weapon_dropped"]),  # a plain parry loses the sword to a critical
        (5, 5, ["defence"]),  # a critical one does not
        (30, 100, ["defence", "fumble", "ruling_needed", "damage"]),
    ],
)
def test_what_a_parry_costs(attack, parry, events):
    dice = FixedDice({"Moro.attack": attack, "Lope.parry": parry, "Moro.location": 5})
    outcome = play(
        fight_of(target_of()), act("Moro", "attack", "Lope"), act("Lope", "parry"), dice=dice
    )
    kinds_told = [event.type for event in outcome.events]
    after = kinds_told[kinds_told.index("attack") + 1 :]
    assert after == events


def test_bare_hands_stop_a_disarming_without_a_scratch():
    cast = target_of()
    declared = [
        act("Moro", "disarm", "Lope"),
        act("Lope", "parry", weapon="pelea"),
    ]
    outcome = play(fight_of(cast), *declared, dice=FixedDice({"Moro.attack": 20, "Lope.parry": 30}))
    assert kinds(outcome) == [("Moro", "parry")]
    assert not told(outcome, "damage")
    assert not told(outcome, "opposed")


def test_a_beast_without_arms_takes_nothing_on_them():
    cast = target_of(body="serpent", weapons=[], shield=None)
    outcome = play(
        fight_of(cast),
        act("Moro", "attack", "Lope"),
        act("Lope", "parry", weapon="pelea"),
        dice=FixedDice({"Moro.attack": 30, "Lope.parry": 30}),
    )
    assert not told(outcome, "damage")


def test_a_feint_and_a_critical_halve_a_dodge_twice():
    declared = [act("Moro", "feint", "Lope"), act("Lope", "dodge")]
    dice = FixedDice({"Moro.attack": 3, "Lope.dodge": 13})
    outcome = play(fight_of(target_of()), *declared, dice=dice)
    (dodge,) = told(outcome, "defence")
    assert dodge.limit == 13  # 50 / 2 = 25, / 2 = 13
    assert dodge.result == "success"


def test_a_seat_behind_cover_is_reached_once_and_serves_against_that_enemy_only():
    cast = {
        "Lope": who(agility=20, skills={"jumping": 60}, hp_max=60),
        **{
            name: who(
                "b",
                agility=9,
                skills={"bows": 60, "throwing": 60},
                weapons=["arco corto", "piedra"],
            )
            for name in ("Moro 1", "Moro 2")
        },
    }
    places = {
        "positions": {"Lope": 0, "Moro 1": 10, "Moro 2": 10},
        "cover": {"Lope": {"object": "muro", "protects": ["chest"]}},
    }
    dice = FixedDice({**HIT, "Moro 1.location": 5, "Moro 1.location#2": 5, "Moro 2.location": 5})
    outcome = play(
        fight_of(cast, scene=places),
        act("Moro 1", "attack", "Lope"),
        act("Moro 1", "attack", "Lope", weapon="piedra"),
        act("Moro 2", "attack", "Lope"),
        act("Lope", "seek_cover"),
        dice=dice,
        initiative={"Moro 1": 5, "Moro 2": 4},
    )
    assert kinds(outcome) == [("Moro 1", "seek_cover")]
    assert dice.rolled.count("Lope.jump") == 1
    assert len(told(outcome, "object_hit")) == 2
    assert [event.actor for event in told(outcome, "damage")] == ["Moro 2"]


def test_a_fumbled_leap_for_cover_is_a_fumbled_defence():
    cast = {
        "Lope": who(agility=20, skills={"jumping": 60}, hp_max=60),
        "Moro": who("b", skills={"bows": 60}, weapons=["arco corto"]),
    }
    places = {
        "positions": {"Lope": 0, "Moro": 10},
        "cover": {"Lope": {"object": "muro", "protects": ["chest"]}},
    }
    outcome = play(
        fight_of(cast, scene=places),
        act("Moro", "attack", "Lope"),
        act("Lope", "seek_cover", against="Moro"),
        dice=FixedDice({"Lope.jump": 100, "Moro.attack": 30, "Moro.location": 5}),
    )
    assert [event.actor for event in told(outcome, "fumble")] == ["Lope"]
    assert not told(outcome, "object_hit")


def test_a_shield_that_breaks_ends_the_guard():
    cast = target_of(weapons=["espada"])
    cast["Lope"]["state"] = {"conditions": ["full_guard"], "shield_resistance": 1}
    dice = FixedDice({"Moro.attack": 30, "Moro.location": 5, "Moro.damage": 8})
    outcome = play(fight_of(cast), act("Moro", "attack", "Lope"), dice=dice)
    assert [event.left for event in told(outcome, "shield_wear")] == [0]
    assert told(outcome, "shield_broken")
    assert outcome.fight.cast["Lope"].conditions == frozenset()


def test_a_left_handed_mans_shield_covers_the_right_arm():
    cast = target_of(weapons=["espada"], handedness="left")
    cast["Lope"]["state"] = {"conditions": ["full_guard"]}
    dice = FixedDice({"Moro.attack": 30, "Moro.location": 2})
    outcome = play(fight_of(cast), act("Moro", "attack", "Lope"), dice=dice)
    assert [event.location for event in told(outcome, "object_hit")] == ["right_arm"]


# ------------------------------------------------------------------ what is asked


def test_a_defender_with_two_ways_open_is_asked_before_the_dice():
    declared = [act("Moro", "attack", "Lope"), act("Lope", "parry"), act("Lope", "dodge")]
    fight = fight_of(target_of())
    question = asked(fight, *declared)
    assert isinstance(question, Question)
    assert (question.label, question.who) == ("Lope.defence", "Lope")
    assert question.options == ("parry", "dodge", "none")
    assert question.default == "parry"
    assert question.facts == {"against": "Moro", "action": "attack", "weapons": {"parry": "espada"}}
    dodged = asked(fight, *declared, given={"Lope.defence": "dodge"})
    assert kinds(dodged) == [("Moro", "dodge")]
    open_ = asked(fight, *declared, given={"Lope.defence": "none"})
    assert kinds(open_) == []
    assert told(open_, "damage")


def test_an_answer_that_is_no_option_is_asked_again():
    declared = [act("Moro", "attack", "Lope"), act("Lope", "parry"), act("Lope", "dodge")]
    found = asked(fight_of(target_of()), *declared, given={"Lope.defence": "prayer"})
    assert isinstance(found, Question)


def test_nobody_is_asked_what_an_order_or_a_name_decides():
    fight = fight_of(target_of())
    blow = act("Moro", "attack", "Lope")
    for declared in (
        [act("Lope", "parry", against="Moro"), act("Lope", "dodge")],
        [act("Lope", "parry"), act("Lope", "dodge"), order("Lope", "dodge")],
        [act("Lope", "parry"), act("Lope", "parry")],
        [act("Lope", "parry")],
    ):
        assert isinstance(asked(fight, blow, *declared), Outcome)


def test_two_parries_with_different_weapons_are_two_options():
    declared = [
        act("Moro", "attack", "Lope"),
        act("Lope", "parry"),
        act("Lope", "parry", weapon="daga"),
    ]
    question = asked(fight_of(target_of()), *declared)
    assert question.options == ("parry", "parry#2", "none")
    assert question.facts["weapons"] == {"parry": "espada", "parry#2": "daga"}
    chosen = asked(fight_of(target_of()), *declared, given={question.label: "parry#2"})
    assert [event.weapon for event in told(chosen, "defence")] == ["daga"]


def test_the_second_question_of_a_round_has_a_label_of_its_own():
    declared = [
        act("Moro 1", "attack", "Lope"),
        act("Moro 1", "attack", "Lope"),
        act("Lope", "parry"),
        act("Lope", "dodge"),
    ]
    fight = fight_of(target_of("Moro 1"))
    assert asked(fight, *declared).label == "Lope.defence"
    second = asked(fight, *declared, given={"Lope.defence": "none"})
    assert isinstance(second, Question)
    assert second.label == "Lope.defence#2"


def test_which_of_two_blows_is_answered_is_asked_unless_ordered():
    cast = target_of()
    cast["Moro"] = who(
        "b", agility=18, skills={"swords": 60, "knives": 90}, weapons=["espada", "daga"]
    )
    declared = [act("Moro", "double_attack", "Lope"), act("Lope", "parry")]
    question = asked(fight_of(cast), *declared)
    assert isinstance(question, Question)
    assert question.options == ("first", "second")
    second = asked(fight_of(cast), *declared, given={question.label: "second"})
    kinds_told = [event.type for event in second.events]
    assert kinds_told.index("damage") < kinds_told.index("defence")
    ordered = asked(fight_of(cast), *declared, order("Lope", "double_attack", blow="first"))
    assert isinstance(ordered, Outcome)


def test_who_may_strike_at_a_leaver_is_asked_unless_ordered():
    cast = {
        "Lope": who(agility=18, hp_max=60),
        "Moro": who("b", skills={"swords": 60}, weapons=["espada"]),
    }
    fight = fight_of(cast, scene={"positions": {"Lope": 0, "Moro": 1}})
    leaving = act("Lope", "run", away="Moro")
    question = asked(fight, leaving)
    assert isinstance(question, Question)
    assert (question.who, question.options) == ("Moro", ("strike", "let_go"))
    assert not told(asked(fight, leaving, given={question.label: "let_go"}), "attack")
    assert told(asked(fight, leaving, given={question.label: "strike"}), "attack")
    assert not told(asked(fight, leaving, order("Moro", "let_flee")), "attack")


def test_what_is_left_to_its_default_is_told_in_the_outcome():
    declared = [act("Moro", "attack", "Lope"), act("Lope", "parry"), act("Lope", "dodge")]
    outcome = play(fight_of(target_of()), *declared, dice=FixedDice(HIT))
    assert [(q.label, q.default) for q in outcome.defaulted] == [("Lope.defence", "parry")]
    assert kinds(outcome) == [("Moro", "parry")]
