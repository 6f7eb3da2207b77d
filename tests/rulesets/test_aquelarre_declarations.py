"""What is refused, in which order, and what is said so that it can be mended."""

from pathlib import Path

import pytest

from rulesets.aquelarre.actions import ACTIONS, ORDERS, by_id
from rulesets.aquelarre.declared import Stage
from rulesets.aquelarre.words import CODES
from tests.rulesets.playing import FixedDice, act, codes, fight_of, order, play, told, who


def armed(**more):
    return who(
        skills={"swords": 60, "knives": 60, "bows": 60},
        weapons=["espada", "daga", "arco corto"],
        shield="rodela",
        agility=18,
        **more,
    )


def skirmish(scene=None, options=None, **lope):
    return fight_of(
        {
            "Lope": armed(**lope),
            "Moro": who("b", skills={"swords": 60}, weapons=["espada"], hp_max=60),
            "Lobo": who("b", body="quadruped", hp_max=60),
            "Sierpe": who("b", body="serpent", hp_max=60),
        },
        scene=scene,
        options=options,
    )


def refusal(fight, *declared):
    """The refusals of the last declaration of some that are meant to stand before it."""
    outcome = play(fight, *declared, dice=FixedDice({"Lope.attack": 96, "Moro.attack": 96}))
    mine = [r for r in outcome.rejections if r.declaration is declared[-1]]
    assert len(outcome.rejections) == len(mine), outcome.rejections
    return mine[0] if mine else None


# ------------------------------------------------------------------ the table itself


@pytest.mark.parametrize("action", ACTIONS.values(), ids=list(ACTIONS))
def test_an_action_asks_its_questions_in_the_order_of_the_catalogue(action):
    stages = [check.stage for check in action.checks]
    assert stages == sorted(stages)
    assert all(isinstance(stage, Stage) for stage in stages)


def test_a_verb_with_two_rows_is_found_at_import():
    with pytest.raises(ValueError, match="attack"):
        by_id(ACTIONS["attack"], ACTIONS["attack"])


def test_the_vocabulary_is_that_of_the_catalogue():
    page = (Path(__file__).parents[2] / "docs/rules/aquelarre.md").read_text(encoding="utf-8")
    section = page.split("# 3. Action vocabulary")[1].split("# 4. Sheet")[0]
    rows = [line.split("|") for line in section.splitlines() if line.startswith("| `")]
    listed = {name.strip().strip("`") for row in rows for name in row[1].split(",")}
    assert set(ACTIONS) == listed
    costs = {"n": "normal", "e": "extended", "f": "free", "–": "free"}
    for row in rows:
        for name in row[1].split(","):
            verb = ACTIONS[name.strip().strip("`")].verb
            assert verb.cost == costs[row[4].strip()[0]], verb.id


# ------------------------------------------------------------------ one code for each fault


IN_MELEE = {"melee_with": ["Moro"]}
CASES = [
    ("unknown_action", act("Lope", "dance")),
    ("missing_target", act("Lope", "attack")),
    ("unknown_target", act("Lope", "attack", "Ana")),
    ("unknown_target", act("Lope", "walk", toward="Ana")),
    ("unknown_target", act("Lope", "walk", toward="Lope")),
    ("unknown_target", act("Lope", "run", away="Ana")),
    ("unknown_target", act("Lope", "sweep", "Moro, Ana")),
    ("missing_target", act("Lope", "sweep")),
    ("invalid_target", act("Lope", "attack", "Lope")),
    ("invalid_target", act("Lope", "sweep", "Lope, Moro")),
    ("invalid_target", act("Lope", "attack", "Sierpe", zone="right_arm")),
    ("bad_value", act("Lope", "attack", "Moro", zone="soul")),
    ("bad_value", act("Lope", "strong_attack", "Moro", levels="many")),
    ("bad_value", act("Lope", "strong_attack", "Moro", levels="0")),
    ("bad_value", act("Lope", "strong_attack", "Moro", levels="99")),
    ("bad_value", act("Lope", "walk", varas="-3")),
    ("bad_value", act("Lope", "walk", varas="1" * 30)),
    ("bad_value", act("Lope", "full_guard", zone="tail")),
    ("bad_value", act("Lope", "parry", arm="head")),
    ("unknown_weapon", act("Lope", "attack", "Moro", weapon="alfanje")),
    ("unknown_weapon", act("Lope", "double_attack", "Moro", weapon_2="alfanje")),
    ("unknown_weapon", act("Lope", "disarm", "Moro", target_weapon="daga")),
    ("unknown_weapon", act("Lope", "reload", weapon="ballesta")),
    ("unknown_weapon", act("Lope", "draw", weapon="alfanje")),
    ("unknown_weapon", act("Lope", "draw")),
    ("wrong_weapon", act("Lope", "attack", "Moro", weapon="espada", flags=["throw"])),
    ("wrong_weapon", act("Lope", "feint", "Moro", weapon="arco corto")),
    ("wrong_weapon", act("Lope", "set_spear")),
    ("wrong_weapon", act("Lope", "double_attack", "Moro", weapon="daga", weapon_2="daga")),
    ("wrong_weapon", act("Lope", "charge", "Moro", weapon="daga")),
    ("wrong_weapon", act("Lope", "shield_breaker", "Moro")),
    ("wrong_weapon", act("Lope", "reload", weapon="espada")),
    ("invalid_target", act("Lope", "disarm", "Lobo")),
    ("invalid_target", act("Lope", "unhorse", "Moro", weapon="espada")),
    ("unknown_object", act("Lope", "give_item", item="llave", to="Moro")),
    ("missing_target", act("Lope", "give_item", item="daga")),
    ("unknown_object", act("Lope", "don_armour", armour="arnés")),
    ("needs_downtime", act("Lope", "repair", item="rodela")),
    ("not_in_melee", act("Lope", "disengage")),
    ("not_in_melee", act("Lope", "grapple", "Moro")),
    ("not_mounted", act("Lope", "dismount")),
    ("not_mounted", act("Lope", "mounted_charge", "Moro")),
    ("not_prone", act("Lope", "stand_up")),
    ("not_a_normal_defence", act("Lope", "full_defence", **{"with": "flee"})),
    ("not_a_normal_defence", act("Lope", "flee", defences="weave")),
    ("unknown_target", act("Lope", "flee", defences="parry", against="Ana")),
    ("no_shield", act("Moro", "full_guard")),
    ("no_shield", act("Moro", "parry", weapon="shield")),
    ("no_shield", act("Moro", "full_defence", **{"with": "parry", "weapon": "shield"})),
]


@pytest.mark.parametrize(
    ("code", "declared"), CASES, ids=[f"{n} {code} {d.verb}" for n, (code, d) in enumerate(CASES)]
)
def test_a_declaration_is_refused_with_its_code(code, declared):
    fight = skirmish()
    if declared.verb == "unhorse":
        fight = fight_of({"Lope": who(weapons=["lanza larga"]), "Moro": who("b")})
        declared = act("Lope", "unhorse", "Moro")
    found = refusal(fight, declared)
    assert found is not None
    assert found.code == code
    assert found.code in CODES
    assert found.rule.startswith("AQ-")


def test_the_state_that_forbids_goes_before_names_and_names_before_weapons():
    fight = skirmish(state={"conditions": ["prone"]})
    assert refusal(fight, act("Lope", "charge", "Ana", weapon="daga")).code == "prone"
    assert refusal(skirmish(), act("Lope", "charge", "Ana", weapon="daga")).code == "unknown_target"
    far = skirmish(scene={"positions": {"Lope": 0, "Moro": 90}})
    assert refusal(far, act("Lope", "charge", "Moro", weapon="daga")).code == "wrong_weapon"
    assert refusal(far, act("Lope", "charge", "Moro")).code == "too_far_to_charge"


def test_the_budget_is_the_last_thing_that_is_looked_at():
    spent = [act("Lope", "dodge"), act("Lope", "dodge")]
    assert refusal(skirmish(), *spent, act("Lope", "attack", "Ana")).code == "unknown_target"
    assert refusal(skirmish(), *spent, act("Lope", "attack", "Moro")).code == "too_many_actions"


def test_only_one_step_and_one_squeeze_a_round():
    steps = [act("Lope", "step"), act("Lope", "step")]
    assert refusal(skirmish(), *steps).code == "too_many_actions"
    held = fight_of(
        {
            "Lope": who(state={"holding": "Moro", "melee_with": ["Moro"]}),
            "Moro": who("b", hp_max=60, state={"held_by": "Lope", "melee_with": ["Lope"]}),
        },
        options={"squeeze_cost": "free"},
    )
    squeezes = [act("Lope", "squeeze"), act("Lope", "squeeze")]
    assert refusal(held, *squeezes).code == "too_many_actions"


# ------------------------------------------------------------------ what stands before it


@pytest.mark.parametrize(
    ("before", "then", "code"),
    [
        (act("Lope", "attack", "Moro"), act("Lope", "stand_up"), "attack_before_movement"),
        (act("Lope", "close_in", "Moro"), act("Lope", "walk"), "in_melee"),
        (
            act("Lope", "close_in", "Moro"),
            act("Lope", "attack", "Moro"),
            "weapon_too_large_for_melee",
        ),
        (act("Lope", "mount"), act("Lope", "mount"), "mounted"),
        (act("Lope", "walk"), act("Lope", "close_in", "Moro"), "melee_move_not_allowed"),
        (act("Lope", "full_guard"), act("Lope", "close_in", "Moro"), "melee_move_not_allowed"),
        (
            act("Lope", "attack", "Moro", weapon="arco corto"),
            act("Lope", "attack", "Moro", weapon="arco corto"),
            "weapon_not_loaded",
        ),
        (act("Lope", "walk"), act("Lope", "walk", varas="9"), "too_far"),
    ],
)
def test_a_declaration_is_checked_against_what_stands_before_it(before, then, code):
    assert refusal(skirmish(), before, then).code == code


def test_what_stands_before_may_also_make_it_possible():
    far = skirmish(scene={"positions": {"Lope": 0, "Moro": 8}}, state={"sheathed": ["espada"]})
    assert (
        refusal(
            far, act("Lope", "walk", toward="Moro"), act("Lope", "attack", "Moro", weapon="daga")
        )
        is None
    )
    assert (
        refusal(
            skirmish(state={"sheathed": ["espada"]}),
            act("Lope", "draw"),
            act("Lope", "attack", "Moro"),
        )
        is None
    )
    guard = skirmish(state={"conditions": ["full_guard"]})
    assert refusal(guard, act("Lope", "leave_guard"), act("Lope", "attack", "Moro")) is None
    assert refusal(skirmish(), act("Lope", "full_guard"), act("Lope", "leave_guard")) is None


def test_nobody_is_out_of_reach_who_has_declared_to_come():
    far = skirmish(scene={"positions": {"Lope": 0, "Moro": 8}})
    blow = act("Lope", "attack", "Moro", weapon="espada")
    assert refusal(far, blow).code == "out_of_reach"
    for coming in (
        act("Moro", "walk", toward="Lope"),
        act("Moro", "charge", "Lope"),
    ):
        assert refusal(far, coming, blow) is None


def test_slipping_out_of_a_melee_that_is_only_declared_stands():
    closing = act("Moro", "close_in", "Lope")
    assert refusal(skirmish(), closing, act("Lope", "disengage")) is None


def test_an_attack_after_closing_in_is_refused_where_the_table_plays_it_so():
    fight = skirmish(options={"melee_move_then_attack": False})
    closing = act("Lope", "close_in", "Moro")
    blow = act("Lope", "attack", "Moro", weapon="daga")
    assert refusal(fight, closing, blow).code == "melee_move_not_allowed"
    assert refusal(skirmish(), closing, blow) is None


# ------------------------------------------------------------------ a cure where there is one


@pytest.mark.parametrize(
    ("fight", "declared", "cure"),
    [
        (
            {"state": {"sheathed": ["espada"]}},
            act("Lope", "attack", "Moro", weapon="espada"),
            ("draw", {"weapon": "espada"}),
        ),
        (
            {"state": {"reload_left": {"arco corto": 1}}},
            act("Lope", "attack", "Moro", weapon="arco corto"),
            ("reload", {"weapon": "arco corto"}),
        ),
        ({}, act("Lope", "run", varas="40"), ("run", {"varas": "12"})),
        ({"state": {"conditions": ["prone"]}}, act("Lope", "run"), ("stand_up", {})),
        (
            {"scene": {"positions": {"Lope": 0, "Moro": 9}}},
            act("Lope", "attack", "Moro", weapon="espada"),
            ("walk", {"toward": "Moro"}),
        ),
        (
            {"scene": {"positions": {"Lope": 0, "Moro": 2}}},
            act("Lope", "step", toward="Moro"),
            ("close_in", {"target": "Moro"}),
        ),
    ],
)
def test_a_cure_is_offered_and_stands(fight, declared, cure):
    found = refusal(skirmish(**fight), declared)
    assert found.cure is not None
    assert (found.cure.verb, dict(found.cure.fields)) == cure
    assert refusal(skirmish(**fight), found.cure) is None


def test_candidates_are_what_would_have_been_right():
    found = refusal(skirmish(), act("Lope", "attack", "Mora"))
    assert found.facts["candidates"] == ("Moro", "Lobo", "Sierpe")
    found = refusal(skirmish(), act("Lope", "trip", "Moro", weapon="espada"))
    assert found.facts["candidates"] == ()
    found = refusal(skirmish(), act("Lope", "sweep", "Moro, Lobo", weapon="daga"))
    assert found.facts["candidates"] == ("espada",)


# ------------------------------------------------------------------ words for weapons


def test_an_alias_means_a_weapon_where_only_one_has_it():
    axes = {"skills": {"axes": 60}, "agility": 18}
    one = fight_of({"Lope": who(weapons=["hacha de mano"], **axes), "Moro": who("b", hp_max=60)})
    blow = act("Lope", "attack", "Moro", weapon="HACHA")
    dice = FixedDice({"Lope.attack": 96})
    assert [event.weapon for event in told(play(one, blow, dice=dice), "attack")] == [
        "hacha de mano"
    ]
    two = fight_of(
        {
            "Lope": who(weapons=["hacha de mano", "hacha de combate"], **axes),
            "Moro": who("b", hp_max=60),
        }
    )
    assert codes(play(two, blow, dice=dice)) == ["unknown_weapon"]


def test_of_two_knives_one_may_be_thrown_and_the_other_is_left():
    fight = fight_of(
        {
            "Lope": who(skills={"throwing": 60}, weapons=["cuchillo", "cuchillo"], agility=18),
            "Moro": who("b", hp_max=60),
        },
        scene={"positions": {"Lope": 0, "Moro": 5}},
    )
    throw = [act("Lope", "attack", "Moro") for _ in range(2)]
    outcome = play(fight, *throw, dice=FixedDice({"Lope.attack": 96}))
    assert [event.ranged for event in told(outcome, "attack")] == [True, True]
    assert outcome.fight.cast["Lope"].dropped == ("cuchillo", "cuchillo")
    one = fight_of(
        {
            "Lope": who(skills={"throwing": 60}, weapons=["cuchillo"], agility=18),
            "Moro": who("b", hp_max=60),
        },
        scene={"positions": {"Lope": 0, "Moro": 5}},
    )
    assert codes(play(one, *throw, dice=FixedDice({"Lope.attack": 96}))) == ["weapon_not_ready"]


def test_the_off_hand_uses_the_second_weapon_unasked():
    outcome = play(
        skirmish(), act("Lope", "attack", "Moro", hand="off"), dice=FixedDice({"Lope.attack": 96})
    )
    (blow,) = told(outcome, "attack")
    assert (blow.weapon, blow.limit) == ("daga", 60 - 25)


def test_orders_are_known_by_verb_only():
    assert set(ORDERS) == {
        "parry",
        "shield_parry",
        "dodge",
        "no_defence",
        "double_attack",
        "let_flee",
    }
    assert codes(play(skirmish(), order("Lope", "pray"))) == ["unknown_action"]


def test_a_declaration_for_nobody_of_the_cast_is_refused():
    assert codes(play(skirmish(), act("Fantasma", "attack", "Moro"))) == ["unknown_target"]
