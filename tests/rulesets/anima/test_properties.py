"""What holds in any fight whatever, tried on fights and assaults that nobody thought of."""

import json
from functools import reduce

from hypothesis import given, settings
from hypothesis import strategies as st

from rulesets.anima.actions import ACTIONS
from rulesets.anima.changes import apply
from rulesets.anima.fight import Fight
from rulesets.core.events import as_json, from_json
from rulesets.core.questions import Answers, Question
from rulesets.core.ruleset import Outcome
from tests.rulesets.anima.playing import anima, lot_of, wild_action, wild_fight, wild_round
from tests.rulesets.playing import HashDice

ROUNDS = 3


def whole(fight: Fight) -> None:
    """A state that can be: pairs agree, the dead are nothing else, points are not below 0."""
    for name, who in fight.cast.items():
        assert who.name == name
        assert "dead" not in who.conditions or who.conditions == {"dead"}
        assert not who.holding or fight.cast[who.holding].held_by == name
        assert not who.held_by or fight.cast[who.held_by].holding == name
        assert bool(who.threatened_by) == ("threatened" in who.conditions) or who.down
        assert not who.in_hand or who.sheet.weapon(who.in_hand) is not None
        assert all(points >= 0 for points in who.shields.values())
        assert 0 <= who.fatigue <= who.sheet.max_fatigue
        assert who.zeon_accumulated >= 0
        assert all(pain > 0 for pain in who.pains)
        assert 0 <= who.aim_rounds <= 3
        assert bool(who.aim_target) == bool(who.aim_rounds)
        assert who.hp > 0 or who.down
        for other in fight.cast:
            assert fight.distance(name, other) == fight.distance(other, name) >= 0


def explained(outcome: Outcome) -> None:
    """Every figure told is the sum of its reasons and its dice."""
    rolls = {roll.label: roll for roll in outcome.rolls}
    for event in outcome.events:
        data = as_json(event)
        roll = rolls.get(data.get("label", ""))
        if roll is None or roll.plus is None:
            continue
        assert data.get("limit", 0) == roll.plus.value, data
        plain = data["type"] in ("skill", "potential", "initiative")
        if plain and data.get("result") != "fumble" and roll.faces[0] > 3:
            assert data.get("total", 0) == roll.plus.value + sum(roll.faces)
        if data["type"] == "attack" and data["kind"] == "melee" and data["result"] != "fumble":
            taken = 100 if data.get("manoeuvre") == "hold" else 0
            whole_total = roll.plus.value + sum(roll.faces)
            assert data.get("total", 0) in (whole_total, whole_total - taken)


def answered(fight: Fight, declared, dice, seed: int) -> Outcome:
    """Play an assault of a table that asks, answering whatever is asked by lot."""
    lot = lot_of(seed)
    given_answers: dict[str, str] = {}
    while True:
        found = anima().game.resolve(fight, declared, dice, Answers(given_answers, ask=True))
        if isinstance(found, Outcome):
            return found
        assert isinstance(found, Question)
        assert found.label not in given_answers
        assert found.default in found.options
        given_answers[found.label] = lot.choice(found.options)


@settings(max_examples=100)
@given(st.integers(0, 2**32))
def test_any_assault_can_be_played_told_and_written(seed):
    bench = anima()
    lot = lot_of(seed)
    fight = wild_fight(lot)
    for number in range(ROUNDS):
        dice = HashDice(f"{seed} {number}")
        opened = bench.game.open_round(fight, dice)
        declared = wild_round(lot, opened.fight)
        outcome = (
            answered(opened.fight, declared, dice, seed)
            if lot.random() < 0.5
            else bench.game.resolve(opened.fight, declared, dice, Answers())
        )
        assert isinstance(outcome, Outcome)
        # What the audit holds a round to: the fight after it is the fold of its events.
        assert reduce(apply, opened.events, fight) == opened.fight
        assert reduce(apply, outcome.events, opened.fight) == outcome.fight
        assert {r.declaration.actor for r in outcome.rejections} <= set(fight.cast)
        for event in (*opened.events, *outcome.events):
            data = json.loads(json.dumps(as_json(event)))
            assert from_json(bench.game.events, data) == event
        explained(outcome)
        whole(outcome.fight)
        written = json.loads(json.dumps(bench.game.dump(outcome.fight)))
        assert bench.game.load(written, bench.tables) == outcome.fight
        fight = outcome.fight


@settings(max_examples=50)
@given(st.integers(0, 2**32))
def test_everybody_who_takes_part_has_exactly_one_turn(seed):
    bench = anima()
    lot = lot_of(seed)
    dice = HashDice(str(seed))
    opened = bench.game.open_round(wild_fight(lot), dice)
    outcome = bench.game.resolve(opened.fight, wild_round(lot, opened.fight), dice, Answers())
    assert isinstance(outcome, Outcome)
    (order,) = [event.order for event in outcome.events if event.type == "action_order"]
    rolled = {event.actor for event in outcome.events if event.type == "initiative"}
    assert sorted(order) == sorted(rolled)


@settings(max_examples=50)
@given(st.integers(0, 2**32))
def test_nobody_gives_more_blows_than_were_declared(seed):
    bench = anima()
    lot = lot_of(seed)
    dice = HashDice(str(seed))
    opened = bench.game.open_round(wild_fight(lot), dice)
    declared = wild_round(lot, opened.fight)
    outcome = bench.game.resolve(opened.fight, declared, dice, Answers())
    assert isinstance(outcome, Outcome)
    refused = {id(r.declaration) for r in outcome.rejections if "fatigue" not in r.code}
    for name in opened.fight.cast:
        most = 1
        for one in declared:
            attacks = one.actor == name and one.verb == "attack" and one.kind.value == "action"
            if attacks and id(one) not in refused:
                most = int(one.get("attacks") or "1") + bool(one.get("second_weapon"))
        strikes = [
            event.strike
            for event in outcome.events
            if event.type == "attack" and event.actor == name and event.kind != "supernatural"
        ]
        assert len(strikes) <= most
        assert strikes == sorted(set(strikes))


def performed(outcome: Outcome, declared) -> set[str]:
    """Verbs of the actions that were accepted and did not come to nothing."""
    refused = {id(r.declaration) for r in outcome.rejections if "fatigue" not in r.code}
    lost = {event.verb for event in outcome.events if event.type == "lost_action"}
    kept = {d.verb for d in declared if d.kind.value == "action" and id(d) not in refused}
    return (kept & set(ACTIONS)) - lost


def test_every_action_is_used_by_somebody_in_the_end():
    lot = lot_of(7)
    used: set[str] = set()
    for number in range(2_000):
        missing = sorted(set(ACTIONS) - used)
        if not missing:
            break
        fight = wild_fight(lot)
        dice = HashDice(str(number))
        opened = anima().game.open_round(fight, dice)
        declared = [
            wild_action(lot, opened.fight, name, lot.choice(missing)) for name in fight.cast
        ]
        outcome = anima().game.resolve(opened.fight, declared, dice, Answers())
        assert isinstance(outcome, Outcome)
        used |= performed(outcome, declared)
        whole(outcome.fight)
    assert used == set(ACTIONS)
