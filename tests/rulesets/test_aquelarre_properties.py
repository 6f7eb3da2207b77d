"""What holds in any fight whatever, tried on fights and rounds that nobody thought of."""

import json
from functools import reduce

from hypothesis import given, settings
from hypothesis import strategies as st

from rulesets.aquelarre.actions import ACTIONS
from rulesets.aquelarre.changes import apply
from rulesets.aquelarre.fight import CONDITIONS, Fight, conditions_of, level_at
from rulesets.core.events import as_json, from_json
from rulesets.core.questions import Answers, Question
from rulesets.core.ruleset import Outcome
from tests.rulesets.playing import HashDice, act, aquelarre
from tests.rulesets.wild import lot_of, wild_action, wild_fight, wild_round

BENCH = aquelarre()
GAME = BENCH.game
ROUNDS = 4


def whole(fight: Fight) -> None:
    """A state that can be: pairs agree, figures agree, nothing is owned that is not there."""
    for name, who in fight.cast.items():
        assert who.name == name
        assert set(conditions_of(who, fight.options)) <= set(CONDITIONS)
        assert who.level == "dead" or who.level == level_at(who.hp, who.sheet.hp_max)
        assert all(name in fight.cast[other].melee_with for other in who.melee_with)
        assert not who.holding or fight.cast[who.holding].held_by == name
        assert not who.held_by or fight.cast[who.held_by].holding == name
        assert not who.held_by or who.held_by in who.melee_with
        if not who.able:
            assert not who.melee_with
        owned = [weapon.name for weapon in who.weapons]
        gear = [*owned, *([who.shield.name] if who.shield else [])]
        away = [*who.sheathed, *who.dropped, *who.broken]
        assert set(away) <= set(gear) | {"pelea"}
        assert all(who.ready_count(item) >= 0 for item in owned)
        assert 0 <= who.shield_resistance <= (who.shield.resistance if who.shield else 0)
        for piece in who.armour:
            assert 0 <= who.armour_resistance[piece.name] <= piece.resistance
        assert all(value >= 1 for value in who.figures.characteristics.values())
        assert 0 <= who.prep_bonus <= BENCH.tables.preparation[1]


def explained(outcome: Outcome) -> None:
    """Every figure told is the sum of its reasons."""
    against = {roll.label: roll.against for roll in outcome.rolls}
    for event in outcome.events:
        data = as_json(event)
        if data["type"] == "damage":
            assert data.get("rolled", 0) == max(sum(data.get("parts", {}).values()), 0)
        if data["type"] == "initiative":
            assert data["value"] == sum(data["parts"].values())
        if data["type"] in ("attack", "check", "opposed", "trick"):
            total = against[data["label"]]
            assert total is not None
            assert data.get("limit", 0) == total.value


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
        given_answers[found.label] = lot.choice(found.options)


@settings(max_examples=120)
@given(st.integers(0, 2**32))
def test_any_round_can_be_played_told_and_written(seed):
    lot = lot_of(seed)
    fight = wild_fight(lot)
    whole(fight)
    for number in range(ROUNDS):
        dice = HashDice(f"{seed} {number}")
        opened = GAME.open_round(fight, dice)
        declared = wild_round(lot, opened.fight)
        outcome = (
            answered(opened.fight, declared, dice, seed)
            if lot.random() < 0.5
            else GAME.resolve(opened.fight, declared, dice, Answers())
        )
        assert isinstance(outcome, Outcome)
        assert reduce(apply, opened.events, fight) == opened.fight
        assert reduce(apply, outcome.events, opened.fight) == outcome.fight
        assert {r.declaration.actor for r in outcome.rejections} <= set(fight.cast)
        for event in (*opened.events, *outcome.events):
            data = json.loads(json.dumps(as_json(event)))
            assert from_json(GAME.events, data) == event
        explained(outcome)
        whole(outcome.fight)
        written = json.loads(json.dumps(GAME.dump(outcome.fight)))
        assert GAME.load(written, BENCH.tables) == outcome.fight
        fight = outcome.fight


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_everything_declared_is_done_lost_or_refused(seed):
    lot = lot_of(seed)
    opened = GAME.open_round(wild_fight(lot), HashDice(str(seed)))
    declared = [d for d in wild_round(lot, opened.fight) if d.kind.value == "action"]
    outcome = GAME.resolve(opened.fight, declared, HashDice(str(seed)), Answers())
    assert isinstance(outcome, Outcome)
    refused = [r for r in outcome.rejections if r.code != "fallback_not_allowed"]
    done = [
        declaration
        for declaration in declared
        if not any(r.declaration is declaration for r in refused)
    ]
    again = GAME.resolve(opened.fight, done, HashDice(str(seed)), Answers())
    assert isinstance(again, Outcome)
    # What is refused leaves no trace: without it the round is the same.
    seen_by_others = {
        "defence_vs_ranged",
        "cannot_parry",
        "out_of_reach",
        "not_in_melee",
        "out_of_range",
        "too_far_to_charge",
    }
    if not {r.code for r in refused} & seen_by_others and not again.rejections:
        assert again.events == outcome.events


def performed(outcome: Outcome, declared) -> set[str]:
    """Verbs of the actions that were accepted and did not come to nothing."""
    refused = {id(r.declaration) for r in outcome.rejections if r.code != "fallback_not_allowed"}
    verbs = {d.verb for d in declared if id(d) not in refused}
    lost = {event.action for event in outcome.events if event.type == "lost_action"}
    return (verbs & set(ACTIONS)) - lost


def test_every_action_is_used_by_somebody_in_the_end():
    lot = lot_of(4)
    used: set[str] = set()
    for number in range(4_000):
        missing = sorted(set(ACTIONS) - used)
        if not missing:
            break
        fight = wild_fight(lot)
        dice = HashDice(str(number))
        opened = GAME.open_round(fight, dice)
        # Mostly what nobody has managed yet, and what that waits for.
        declared = [
            wild_action(lot, opened.fight, name, lot.choice(missing)) for name in fight.cast
        ]
        if "set_spear" in missing:
            holder, rider = lot.sample(sorted(fight.cast), 2)
            declared = [act(holder, "set_spear"), act(rider, "mounted_charge", holder)]
        declared += wild_round(lot, opened.fight)
        outcome = GAME.resolve(opened.fight, declared, dice, Answers())
        assert isinstance(outcome, Outcome)
        used |= performed(outcome, declared)
        whole(outcome.fight)
    assert used == set(ACTIONS)
