"""What a game master may change between rounds, and what is said of what cannot be changed."""

import pytest

from rulesets.aquelarre.corrected import FIELDS
from rulesets.aquelarre.fight import STATE
from rulesets.core.events import as_json, from_json
from rulesets.core.questions import Answers, Correction, Rejection
from rulesets.core.ruleset import Outcome
from tests.rulesets.playing import FixedDice, act, aquelarre, fight_of, opened, play, told, who

GAME = aquelarre().game


def fight(**lope):
    return fight_of(
        {
            "Lope": who(
                skills={"swords": 60, "riding": 60},
                weapons=["espada", "daga"],
                shield="rodela",
                armour=["cota de malla"],
                stowed_armour=["gambesón"],
                mount={"name": "Bayo", "hp_max": 30},
                **lope,
            ),
            "Moro": who("b", skills={"bows": 60}, weapons=["arco corto"], hp_max=60),
            "Gil": who(),
        },
        scene={"positions": {"Lope": 0, "Moro": 1, "Gil": 5}},
    )


def corrected(state, actor, field, value, reason=""):
    found = GAME.correct(state, Correction(actor, field, value, reason))
    assert isinstance(found, Outcome), found
    return found


def refused(state, actor, field, value):
    found = GAME.correct(state, Correction(actor, field, value))
    assert isinstance(found, Rejection), found
    return found


GOOD = [
    ("hp", "9", 9),
    ("hp", "-3", 12),
    ("hp", "+0", 15),
    ("hp", "=-4", -4),
    ("hp", "= 7", 7),
    ("sheathed", "daga", ["daga"]),
    ("dropped", "+espada", ["espada"]),
    ("broken", "daga, espada", ["daga", "espada"]),
    ("weapons", "espada", ["espada"]),
    ("weapons", "+alfanje", ["espada", "daga", "alfanje"]),
    ("weapons", "-daga", ["espada"]),
    ("damage_arms", "8", 8),
    ("damage_legs", "+3", 3),
    ("shield_resistance", "10", 10),
    ("armour_resistance", "cota de malla: 40", {"cota de malla": 40}),
    ("armour_resistance", "Cota de Malla = -5", {"cota de malla": 120}),
    ("donning", "gambesón: 1", {"gambesón": 1}),
    ("prep_bonus", "20", 20),
    ("position", "-4", -4),
    ("mount_hp", "12", 12),
    ("melee_with", "Moro", ["Moro"]),
    ("minutes_out", "5", 5),
    ("stabilised", "true", True),
    ("guard_extra", "head", "head"),
    ("sequelae", "+scar", ["scar"]),
    ("strength", "-2", 12),
    ("agility", "1", 1),
    ("conditions", "+prone", ["prone"]),
    ("conditions", "prone, mounted", ["mounted", "prone"]),
    ("conditions", "+fainted", ["fainted"]),
]


@pytest.mark.parametrize(("field", "value", "after"), GOOD)
def test_a_correction_is_one_event_that_everybody_sees(field, value, after):
    before = fight()
    outcome = corrected(before, "lope", field, value, "error al sumar")
    (event,) = outcome.events
    assert event.type == "correction"
    assert (event.actor, event.field, event.reason) == ("Lope", field, "error al sumar")
    data = as_json(event)
    assert data["after"] == after
    assert data.get("before", "") == GAME.state(before, "Lope")[field] or data["before"] is None
    assert GAME.state(outcome.fight, "Lope")[field] == after
    assert from_json(GAME.events, data) == event
    assert before == fight()


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_says_what_is_wrong_with_a_value_that_means_nothing(field):
    shooter = "Moro"  # only what shoots is reloaded
    rejection = refused(fight(), shooter if field == "reload_left" else "Lope", field, "¿qué?")
    assert rejection.code == "bad_value"
    assert rejection.facts["field"] == field
    assert rejection.facts["given"] == "¿qué?"
    assert rejection.facts.get("candidates") or rejection.facts.get("expected")


def test_every_state_of_the_catalogue_can_be_corrected():
    assert set(STATE) <= set(FIELDS)


@pytest.mark.parametrize(
    ("actor", "field", "value", "code"),
    [
        ("Lope", "mood", "grim", "unknown_field"),
        ("Fantasma", "hp", "3", "unknown_target"),
        ("", "hp", "3", "unknown_target"),
        ("Lope", "hp", "99999", "bad_value"),
        ("Lope", "hp", "9" * 40, "bad_value"),
        ("Lope", "hp", "1.5", "bad_value"),
        ("Lope", "conditions", "+wounded", "derived_condition"),
        ("Lope", "conditions", "-in_melee", "derived_condition"),
        ("Lope", "conditions", "+happy", "bad_value"),
        ("Lope", "melee_with", "Lope", "bad_value"),
        ("Lope", "holding", "Lope", "bad_value"),
        ("Lope", "weapons", "+mosquete", "bad_value"),
        ("Lope", "armour_resistance", "yelmo: 3", "bad_value"),
        ("Lope", "armour_resistance", "cota de malla: 500", "bad_value"),
        ("Lope", "cover", "muro", "bad_value"),
        ("Lope", "cover", "muro: alas", "bad_value"),
    ],
)
def test_what_cannot_be_corrected_is_refused_with_a_code(actor, field, value, code):
    assert refused(fight(), actor, field, value).code == code


def test_health_follows_the_points_of_life():
    hurt = corrected(fight(), "Lope", "hp", "3").fight
    assert GAME.state(hurt, "Lope")["conditions"] == ["badly_wounded"]
    down = corrected(hurt, "Lope", "hp", "=-2").fight
    assert GAME.state(down, "Lope")["conditions"] == ["bleeding", "unconscious"]
    up = corrected(down, "Lope", "hp", "14").fight
    assert GAME.state(up, "Lope")["conditions"] == []
    dead = corrected(fight(), "Lope", "hp", "=-15").fight
    assert GAME.state(dead, "Lope")["conditions"] == ["dead"]


def test_the_dead_can_be_called_back_and_the_living_declared_dead():
    dead = corrected(fight(), "Lope", "conditions", "+dead").fight
    assert GAME.state(dead, "Lope")["conditions"] == ["dead"]
    assert not dead.cast["Lope"].able
    alive = corrected(dead, "Lope", "conditions", "-dead").fight
    assert GAME.state(alive, "Lope")["conditions"] == []


def test_bleeding_can_be_stopped_and_begun():
    down = corrected(fight(), "Lope", "hp", "=-2").fight
    dry = corrected(down, "Lope", "conditions", "-bleeding").fight
    assert GAME.state(dry, "Lope")["conditions"] == ["unconscious"]
    again = corrected(dry, "Lope", "conditions", "+bleeding").fight
    assert GAME.state(again, "Lope")["conditions"] == ["bleeding", "unconscious"]
    inside = corrected(fight(), "Lope", "conditions", "+bleeding").fight
    assert GAME.state(inside, "Lope")["conditions"] == ["bleeding"]
    outcome = play(inside)
    assert [event.hp for event in told(outcome, "bleed")] == [14]


def test_pairs_always_agree():
    held = corrected(fight(), "Lope", "holding", "Moro").fight
    assert GAME.state(held, "Moro")["held_by"] == "Lope"
    other = corrected(held, "Gil", "holding", "Moro").fight
    assert GAME.state(other, "Lope")["holding"] == ""
    assert GAME.state(other, "Moro")["held_by"] == "Gil"
    free = corrected(other, "Moro", "held_by", "-").fight
    assert GAME.state(free, "Gil")["holding"] == ""
    taken = corrected(free, "Moro", "held_by", "Lope").fight
    assert GAME.state(taken, "Lope")["holding"] == "Moro"
    melee = corrected(fight(), "Lope", "melee_with", "Moro, Gil").fight
    assert GAME.state(melee, "Gil")["melee_with"] == ["Lope"]
    apart = corrected(melee, "Gil", "melee_with", "").fight
    assert GAME.state(apart, "Lope")["melee_with"] == ["Moro"]


def test_a_lower_strength_weighs_on_the_sword_at_once():
    weak = corrected(fight(), "Lope", "strength", "10").fight
    dice = FixedDice({"Lope.attack": 90})
    (blow,) = told(play(weak, act("Lope", "attack", "Moro"), dice=dice), "attack")
    assert blow.limit == 60 - 5 * 2


def test_initiative_can_be_corrected_while_the_round_is_open():
    state = opened(fight(), FixedDice({"Lope.initiative": 1, "Moro.initiative": 9}))
    assert GAME.declaration_order(state)[0] == "Lope"
    first = corrected(state, "Lope", "initiative", "40").fight
    assert GAME.declaration_order(first)[-1] == "Lope"


@pytest.mark.parametrize(
    ("actor", "field", "value", "limit"),
    [
        ("", "light", "dim", 20),
        ("Lope", "higher", "yes", 85),
        ("Moro", "behind", "+Lope", 110),
        ("Moro", "higher", "yes", 60),
    ],
)
def test_the_scene_may_change_while_one_fights(actor, field, value, limit):
    changed = corrected(fight(), actor, field, value).fight
    dice = FixedDice({"Lope.attack": 95})
    (blow,) = told(play(changed, act("Lope", "attack", "Moro"), dice=dice), "attack")
    assert blow.limit == limit
    assert GAME.load(GAME.dump(changed), aquelarre().tables) == changed


def test_cover_sides_and_ends_belong_to_the_scene_too():
    walled = corrected(fight(), "Gil", "concealed", "muro bajo: abdomen, right_leg").fight
    assert walled.scene.concealed["Gil"].protects == ("abdomen", "right_leg")
    bare = corrected(walled, "Gil", "concealed", "-").fight
    assert bare.scene.concealed == {}
    behind = corrected(fight(), "Gil", "cover", "moro: chest").fight
    assert behind.scene.cover["Gil"].object == "Moro"
    assert corrected(fight(), "Moro", "side_of", "left").fight.scene.side_of == {"Moro": "left"}
    assert corrected(fight(), "", "stop", "first_blood").fight.scene.stop == "first_blood"
    assert corrected(fight(), "", "mount_roll", "true").fight.scene.mount_roll
    assert corrected(fight(), "", "downtime", "1").fight.scene.downtime


# ------------------------------------------------------------------ modifiers by ruling


def modified(state, label, value):
    found = GAME.modify(state, label, value)
    assert isinstance(found, Outcome), found
    return found


def test_a_modifier_is_for_every_such_roll_of_the_round_or_for_one():
    blows = [act("Lope", "attack", "Moro"), act("Lope", "attack", "Moro")]
    for label, limits in (
        ("lope.attack", [80, 80]),
        ("Lope.attack#1", [80, 60]),
        ("Lope.attack#2", [60, 80]),
    ):
        outcome = modified(opened(fight()), label, 20)
        (event,) = outcome.events
        assert (event.type, event.value) == ("modifier", 20)
        done = GAME.resolve(outcome.fight, blows, FixedDice({"Lope.attack": 96}), Answers())
        assert [event.limit for event in told(done, "attack")] == limits


def test_modifiers_of_one_roll_add_up_and_end_with_the_round():
    state = modified(modified(opened(fight()), "Lope.attack", 20).fight, "Lope.attack", -5).fight
    done = GAME.resolve(state, [act("Lope", "attack", "Moro")], FixedDice(), Answers())
    (blow,) = told(done, "attack")
    assert blow.limit == 75
    (roll,) = [roll for roll in done.rolls if roll.label == "Lope.attack"]
    assert ("ruling", 15) in [(part.source, part.value) for part in roll.against.parts]
    assert opened(done.fight).rulings == {}


@pytest.mark.parametrize(
    ("label", "value", "code"),
    [
        ("Fantasma.attack", 5, "unknown_target"),
        ("Lope.prayer", 5, "unknown_roll"),
        ("Lope.attack#0", 5, "unknown_roll"),
        ("Lope.damage", 5, "unknown_roll"),
        ("attack", 5, "unknown_target"),
        ("Lope.attack", 100_000, "bad_value"),
    ],
)
def test_a_modifier_of_no_roll_is_refused(label, value, code):
    found = GAME.modify(opened(fight()), label, value)
    assert isinstance(found, Rejection)
    assert found.code == code


# ------------------------------------------------------------------ the rest of the door


def test_figures_of_the_sheet_for_free_rolls():
    state = fight()
    assert GAME.roll_value(state, "Lope", "agility") == 12
    assert GAME.roll_value(state, "Lope", "swords") == 60
    assert GAME.roll_value(state, "Lope", "brawl") == 12 - 25  # the mail
    assert GAME.roll_value(state, "Lope", "hp") == 15
    assert GAME.roll_value(state, "Lope", "beauty") is None
    assert GAME.roll_value(state, "Fantasma", "agility") is None


def test_who_is_missing_defends_with_what_serves_best():
    state = opened(
        fight_of(
            {
                "Espada": who(skills={"swords": 70, "dodge": 40}, weapons=["espada"]),
                "Ligero": who(skills={"swords": 30, "dodge": 60}, weapons=["espada"]),
                "Escudo": who(skills={"shields": 80}, weapons=["espada"], shield="rodela"),
                "Arquero": who(skills={"bows": 80, "dodge": 30}, weapons=["arco corto"]),
                "Caído": who(state={"hp": -1}),
            }
        )
    )
    ways = {}
    for name in state.cast:
        declared = GAME.defend(state, name)
        assert GAME.check(state, declared) == ()
        ways[name] = [declaration.get("with") for declaration in declared]
    assert ways == {
        "Espada": ["parry"],
        "Ligero": ["dodge"],
        "Escudo": ["shield_parry"],
        "Arquero": ["dodge"],
        "Caído": [],
    }


def test_a_fight_is_over_when_one_side_is_left_or_its_end_has_come():
    assert not GAME.over(fight())
    down = corrected(fight(), "Moro", "hp", "=-1").fight
    assert GAME.over(down)


def test_the_table_of_state_shows_what_one_must_know():
    lope, moro, gil = GAME.roster(opened(fight()))
    assert [(g[0], g[1], g[2]) for g in lope.gauges] == [
        ("hp", 15, 15),
        ("shield", 40, 40),
        ("mount", 30, 30),
    ]
    assert dict(lope.notes)["weapon"] == "espada"
    assert dict(gil.notes)["weapon"] == "pelea"
    assert lope.initiative is not None
    assert (moro.position, moro.side, moro.declares, moro.out) == (1, "b", True, False)
    out = corrected(fight(), "Moro", "conditions", "+knocked_out").fight
    moro = GAME.roster(opened(out))[1]
    assert (moro.declares, moro.out, moro.initiative) == (False, True, None)
    assert moro.conditions == ("knocked_out",)
