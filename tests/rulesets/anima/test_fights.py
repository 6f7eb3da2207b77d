"""Whole fights: many at once, each assault closed by one cycle of declarations."""

from functools import lru_cache

import pytest

from referee.tags import Speakers, find_tags, read_tag
from rulesets.core.declarations import Declaration, Timing
from rulesets.core.events import as_json
from rulesets.core.questions import Answers, Question, Rejection
from rulesets.core.ruleset import Outcome
from tests.rulesets.anima.playing import act, anima, fight_of, order, play, told, who
from tests.rulesets.playing import FixedDice, HashDice

BOW = {"arco largo": {"damage": 40}}
HEROES = ("Kyra", "Bruno", "Lena", "Iván", "Mara", "Mira")
ORCS = tuple(f"Orco {number}" for number in range(1, 7))
# What everybody posts, in any order: counterattacks, a reserve, a surprise, a grapple, an archers'
# duel, a caster behind a shield, a cover, a captive.
TAGS = {
    "Kyra": ["[acción: ataque | objetivo: Orco 1 | ataques: 2]"],
    "Bruno": ["[acción: reservar]", "[acción: ataque | objetivo: Orco 1 | si no: ataque Orco 2]"],
    "Lena": [
        "[acción: conjuro | nombre: descarga | objetivo: Orco 3]",
        "[reacción: escudo]",
    ],
    "Iván": ["[acción: presa | objetivo: Orco 2]", "[reacción: no contraatacar]"],
    "Mara": ["[acción: disparo | objetivo: Orco 5]"],
    "Mira": ["[acción: ataque | objetivo: Orco 4 | antes: Orco 4 | tras la tirada]"],
    "Orco 1": ["[acción: ataque | objetivo: Kyra]"],
    "Orco 2": ["[acción: ataque | objetivo: Iván]"],
    "Orco 3": ["[acción: ataque | objetivo: Lena]"],
    "Orco 4": ["[acción: ataque | objetivo: Mira]"],
    "Orco 5": ["[acción: disparo | objetivo: Mara]"],
    "Orco 6": ["[acción: ataque | objetivo: Bruno | tras: Orco 1]"],
}


@lru_cache(maxsize=1)
def declared() -> tuple[Declaration, ...]:
    """The tags as a thread reads them, in the order posted."""
    found = []
    for name, tags in TAGS.items():
        for text in tags:
            (raw,) = find_tags(text, anima().vocabulary)
            reading = read_tag(raw, anima().vocabulary, Speakers(own=(name,), cast=tuple(TAGS)))
            assert isinstance(reading, Declaration), (text, reading)
            found.append(reading)
    return tuple(found)


def battle():
    """Six against six."""
    sword = {"weapons": {"espada larga": {}}}
    cast = {
        "Kyra": who("a", attack=200, final_turn=90, **sword),
        "Bruno": who("a", final_turn=80, **sword),
        "Lena": who(
            "a",
            final_turn=70,
            magic_projection=160,
            spells={"descarga": {"damage": 60, "energy": True}},
            shields={"escudo arcano": {"points": 150}},
        ),
        "Iván": who("a", attack=150, strength=9, weapons={"desarmado": {}}),
        "Mara": who("a", attack=140, final_turn=60, weapons=BOW),
        "Mira": who("a", attack=140, final_turn=180, **sword),
    }
    cast |= {name: who("b", npc=True, attack=110, hp=120) for name in ORCS}
    cast["Orco 5"] = who("b", npc=True, attack=110, weapons=BOW)
    return fight_of(cast, {"distances": {"Mara-Orco 5": 25}})


@pytest.mark.parametrize("seed", range(6))
def test_six_against_six_close_each_assault_in_one_declaration_cycle(seed):
    fight = battle()
    seen = set()
    for number in range(6):
        dice = HashDice(f"{seed} {number}")
        opened = anima().game.open_round(fight, dice)
        standing = {one.name for one in anima().game.roster(opened.fight) if one.declares}
        tags = [one for one in declared() if one.actor in standing]
        outcome = anima().game.resolve(opened.fight, tags, dice, Answers())
        assert isinstance(outcome, Outcome)
        (turns,) = told(outcome, "action_order")
        assert set(turns.order) == standing
        seen |= {event.type for event in outcome.events}
        fight = outcome.fight
        if anima().game.over(fight):
            break
    assert {"counterattack", "reserve", "cast", "attack", "defence", "lost_action"} <= seen


def test_the_battle_shows_all_that_it_was_set_up_for():
    seen = set()
    for seed in range(40):
        fight = battle()
        for number in range(4):
            dice = HashDice(f"{seed} {number}")
            opened = anima().game.open_round(fight, dice)
            outcome = anima().game.resolve(opened.fight, declared(), dice, Answers())
            assert isinstance(outcome, Outcome)
            for event in outcome.events:
                data = as_json(event)
                seen.add(data["type"])
                if data["type"] == "opposed":
                    seen.add(data["manoeuvre"])
            fight = outcome.fight
    wanted = {"surprise", "interrupt", "reserve", "counterattack", "grapple", "escape", "shield"}
    wanted |= {"simultaneous_fire", "retarget", "critical", "death", "fumble", "location"}
    assert wanted <= seen


def test_posting_order_changes_nothing():
    dice = HashDice("order")
    opened = anima().game.open_round(battle(), dice)
    one = anima().game.resolve(opened.fight, declared(), dice, Answers())
    by_name = sorted(declared(), key=lambda declaration: declaration.actor)
    other = anima().game.resolve(opened.fight, by_name, dice, Answers())
    assert isinstance(one, Outcome)
    assert isinstance(other, Outcome)
    assert one.events == other.events


# ------------------------------------------------------------------ choices


def duel(**options):
    return fight_of({"Kyra": who("a"), "Orco": who("b", parry=120)}, options=options)


def asked(fight, *declarations, given=None):
    dice = FixedDice({"Kyra.attack": 20, "Orco.defence": 60, "Orco.attack": 60})
    opened = anima().game.open_round(fight, dice)
    answers = Answers(given or {}, ask=True)
    return anima().game.resolve(opened.fight, declarations, dice, answers)


def test_a_defence_that_nobody_ordered_is_asked_for():
    question = asked(duel(), act("Kyra", "attack", "Orco"))
    assert isinstance(question, Question)
    assert (question.label, question.who) == ("Orco.which_defence", "Orco")
    assert question.options == ("parry", "dodge")
    assert question.default == "parry"


def test_a_counterattack_that_nobody_ordered_is_asked_for_once_it_is_won():
    given = {"Orco.which_defence": "parry"}
    question = asked(duel(), act("Kyra", "attack", "Orco"), given=given)
    assert isinstance(question, Question)
    assert question.label == "Orco.choice_counterattack"
    given["Orco.choice_counterattack"] = "no"
    outcome = asked(duel(), act("Kyra", "attack", "Orco"), given=given)
    assert isinstance(outcome, Outcome)
    (answer,) = told(outcome, "counterattack")
    assert (answer.result, answer.reason) == ("failure", "declined")


def test_standing_orders_leave_nothing_to_ask():
    outcome = asked(
        duel(),
        act("Kyra", "attack", "Orco"),
        order("Orco", "dodge"),
        order("Orco", "no_counterattack"),
    )
    assert isinstance(outcome, Outcome)
    (defence,) = told(outcome, "defence")
    assert defence.kind == "dodge"


def test_the_latest_order_wins_and_one_for_somebody_in_particular_before_all():
    orders = (order("Orco", "dodge", against="Kyra"), order("Orco", "parry"))
    defence, *_ = told(play(duel(), act("Kyra", "attack", "Orco"), *orders), "defence")
    assert (defence.actor, defence.kind) == ("Orco", "dodge")
    orders = (order("Orco", "dodge"), order("Orco", "parry"))
    defence, *_ = told(play(duel(), act("Kyra", "attack", "Orco"), *orders), "defence")
    assert (defence.actor, defence.kind) == ("Orco", "parry")


@pytest.mark.parametrize(
    ("default", "reason"), [("never", "declined"), ("declared_target", "declined")]
)
def test_a_table_may_keep_counterattacks_to_those_who_want_them(default, reason):
    dice = FixedDice({"Kyra.attack": 20, "Orco.defence": 60})
    outcome = play(duel(counter_default=default), act("Kyra", "attack", "Orco"), dice=dice)
    (answer,) = told(outcome, "counterattack")
    assert answer.reason == reason


def test_two_who_wait_for_each_other_both_act_in_the_end():
    fight = fight_of({"Kyra": who("a"), "Bruno": who("a"), "Orco": who("b", hp=2_000)})
    tags = [
        Declaration(
            one, act(one, "attack").kind, "attack", {"target": "Orco"}, timing=Timing("after", two)
        )
        for one, two in (("Kyra", "Bruno"), ("Bruno", "Kyra"))
    ]
    outcome = play(fight, *tags)
    assert {event.actor for event in told(outcome, "attack")} == {"Kyra", "Bruno"}


# ------------------------------------------------------------------ the shell's own doors


def test_a_missing_player_defends_for_this_assault_only():
    fight = anima().game.open_round(duel(), FixedDice()).fight
    declarations = anima().game.defend(fight, "Kyra")
    assert anima().game.check(fight, declarations) == ()
    outcome = anima().game.resolve(fight, declarations, FixedDice(), Answers())
    assert isinstance(outcome, Outcome)
    assert [event.change for event in told(outcome, "stance")] == ["entered", "left"]
    assert outcome.fight.cast["Kyra"].stance == ""


def test_a_modifier_by_ruling_counts_for_one_roll_or_for_all():
    game = anima().game
    fight = game.open_round(duel(), FixedDice()).fight
    for label, value in (("Kyra.attack", 20), ("kyra.attack#1", 5)):
        changed = game.modify(fight, label, value)
        assert isinstance(changed, Outcome)
        fight = changed.fight
    outcome = game.resolve(fight, [act("Kyra", "attack", "Orco")], FixedDice(), Answers())
    against = {roll.label: roll.plus for roll in outcome.rolls}
    assert against["Kyra.attack"].value == 125
    for label in ("Nadie.attack", "Kyra.damage", "Kyra.attack#0"):
        refused = game.modify(fight, label, 5)
        assert isinstance(refused, Rejection)
    assert isinstance(game.modify(fight, "Kyra.attack", 10_000), Rejection)


def test_figures_of_the_sheet_serve_free_rolls():
    game = anima().game
    cast = {"Kyra": who("a", state={"pain": 30}, agility=8, secondary={"trepar": 40})}
    fight = fight_of(cast | {"Orco": who("b")})
    assert game.roll_value(fight, "Kyra", "agility") == 8
    assert game.roll_value(fight, "Kyra", "attack") == 70
    assert game.roll_value(fight, "Kyra", "Trepar") == 10
    assert game.roll_value(fight, "Kyra", "turn") == 60
    assert game.roll_value(fight, "Kyra", "suerte") is None
    assert game.roll_value(fight, "Nadie", "attack") is None
