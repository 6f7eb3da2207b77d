"""What holds in any fight whatever, tried on fights and rounds that nobody thought of."""

import json
from functools import reduce

from hypothesis import given, settings
from hypothesis import strategies as st

from rulesets.core.events import as_json, from_json
from rulesets.core.questions import Answers, Question
from rulesets.core.ruleset import Outcome
from rulesets.hielo_y_fuego.actions import ACTIONS
from rulesets.hielo_y_fuego.changes import apply
from rulesets.hielo_y_fuego.derived import defence
from rulesets.hielo_y_fuego.fight import CONDITIONS, Fight, conditions_of, riders_of
from rulesets.hielo_y_fuego.words import WORDS
from tests.rulesets.hielo_y_fuego.table import hf
from tests.rulesets.hielo_y_fuego.wild_table import lot_of, wild_action, wild_fight, wild_round
from tests.rulesets.playing import HashDice

BENCH = hf()
GAME = BENCH.game
ROUNDS = 4


def whole(fight: Fight) -> None:
    """A state that can be: pairs agree, figures stay in their bounds, nothing is held unowned."""
    for name, who in fight.cast.items():
        endurance = who.sheet.ranks["endurance"]
        assert who.name == name
        assert set(conditions_of(who)) <= set(CONDITIONS)
        assert 0 <= who.health <= who.sheet.health_max
        assert 0 <= who.injuries <= endurance
        assert 0 <= who.wounds <= endurance
        assert who.destiny_points >= 0
        assert who.wounds < endurance or "dead" in who.conditions
        assert who.health > 0 or who.out
        assert not who.grabbing or fight.cast[who.grabbing].held_by == name
        assert not who.held_by or fight.cast[who.held_by].grabbing == name
        assert not who.pinned or who.held_by
        if who.out:
            assert not who.grabbing
            assert not who.held_by
        owned = [weapon.name for weapon in who.weapons]
        for weapon in set(owned):
            out = who.in_hand.count(weapon) + who.broken.count(weapon)
            assert out + (weapon in who.dropped) <= owned.count(weapon)
        assert set(who.in_hand) <= set(owned)
        assert defence(who).value >= 1
        assert ("harassed" in who.conditions) == bool(who.harassers)
        assert who.armor_rating >= 0
    assert dict(fight.riders) == riders_of(fight.cast)
    assert all(metres >= 1 for metres in fight.distances.values())


def explained(outcome: Outcome) -> None:
    """Every figure told is the sum of its reasons, and every word of it is known."""
    rolls = {roll.label: roll for roll in outcome.rolls}
    for roll in outcome.rolls:
        assert roll.pool is None or roll.pool.value == len(roll.faces)
    for event in outcome.events:
        data = as_json(event)
        if data["type"] == "damage":
            parts = data.get("parts", {})
            assert data["base"] == max(1, sum(parts.values()) - data.get("extra", 0))
            amount = data["base"] * data["degrees"] + data.get("extra", 0) - data.get("armor", 0)
            assert data.get("amount", 0) == max(0, amount)
        if data["type"] in ("attack", "opposed", "test") and data.get("label"):
            roll = rolls[data["label"]]
            plus = 0 if roll.plus is None else roll.plus.value
            assert data.get("total", 0) == roll.value + plus
            if roll.against is not None and data.get("test") != "trample":
                assert data.get("against", 0) == roll.against.value
        if data["type"] == "lost_action":
            assert data["reason"] in WORDS["reason"]
        if data["type"] == "ruling_needed":
            assert data["kind"] in WORDS["topic"]


def answered(fight: Fight, declared, dice, seed: int) -> Outcome:
    """Play a round of a table that asks, answering whatever is asked by lot."""
    lot = lot_of(seed)
    given_answers: dict[str, str] = {}
    while True:
        found = GAME.resolve(fight, declared, dice, Answers(given_answers, ask=True))
        if isinstance(found, Outcome):
            return found
        assert isinstance(found, Question)
        assert found.label not in given_answers
        assert found.default in found.options
        assert set(found.options) <= set(WORDS["option"])
        given_answers[found.label] = lot.choice(found.options)


def codes_known(outcome: Outcome) -> None:
    assert {rejection.code for rejection in outcome.rejections} <= set(WORDS["code"])


@settings(max_examples=150)
@given(st.integers(0, 2**32))
def test_any_round_can_be_played_told_and_written(seed):
    lot = lot_of(seed)
    fight = wild_fight(lot)
    whole(fight)
    for number in range(ROUNDS):
        dice = HashDice(f"{seed} {number}")
        opened = GAME.open_round(fight, dice)
        declared = wild_round(lot, opened.fight)
        outcome = GAME.resolve(opened.fight, declared, dice, Answers())
        assert isinstance(outcome, Outcome)
        whole(outcome.fight)
        explained(outcome)
        codes_known(outcome)
        assert reduce(apply, opened.events, fight) == opened.fight
        assert reduce(apply, outcome.events, opened.fight) == outcome.fight
        written = [json.loads(json.dumps(as_json(event))) for event in outcome.events]
        assert [from_json(GAME.events, data) for data in written] == list(outcome.events)
        again = GAME.load(json.loads(json.dumps(GAME.dump(outcome.fight))), BENCH.tables)
        assert again == outcome.fight
        labels = [roll.label for roll in (*opened.rolls, *outcome.rolls)]
        assert len(set(labels)) == len(labels)
        fight = outcome.fight


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_a_table_that_asks_gets_to_the_end_of_any_round(seed):
    lot = lot_of(seed)
    fight = wild_fight(lot)
    dice = HashDice(str(seed))
    opened = GAME.open_round(fight, dice).fight
    declared = wild_round(lot, opened)
    outcome = answered(opened, declared, dice, seed)
    whole(outcome.fight)
    explained(outcome)


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_what_is_refused_costs_nothing(seed):
    lot = lot_of(seed)
    dice = HashDice(str(seed))
    fight = GAME.open_round(wild_fight(lot), dice).fight
    declared = wild_round(lot, fight)
    outcome = GAME.resolve(fight, declared, dice, Answers())
    refused = {id(rejection.declaration) for rejection in outcome.rejections}
    accepted = [declaration for declaration in declared if id(declaration) not in refused]
    again = GAME.resolve(fight, accepted, dice, Answers())
    assert again.rejections == ()
    assert again.events == outcome.events


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_the_defence_of_a_missing_player_is_never_refused(seed):
    lot = lot_of(seed)
    fight = GAME.open_round(wild_fight(lot), HashDice(str(seed))).fight
    for name in fight.cast:
        declarations = GAME.defend(fight, name)
        assert GAME.check(fight, declarations) == (), name


def test_every_action_is_done_some_time():
    done: set[str] = set()
    for seed in range(400):
        lot = lot_of(seed)
        dice = HashDice(str(seed))
        fight = GAME.open_round(wild_fight(lot), dice).fight
        actor = next(iter(fight.cast))
        verb = sorted(ACTIONS)[seed % len(ACTIONS)]
        for _ in range(40):
            declared = [wild_action(lot, fight, actor, verb)]
            outcome = GAME.resolve(fight, declared, dice, Answers())
            if not outcome.rejections and not [
                event for event in outcome.events if event.type == "lost_action"
            ]:
                done.add(verb)
                break
    assert done == set(ACTIONS)
