"""What holds in any fight whatever, tried on fights and rounds that nobody thought of."""

import json
from functools import reduce

from hypothesis import example, given, settings
from hypothesis import strategies as st

from rulesets.ars_magica.actions import ACTIONS
from rulesets.ars_magica.changes import apply
from rulesets.ars_magica.fight import CONDITIONS, penalty_of
from rulesets.core.events import as_json, from_json
from rulesets.core.questions import Answers, Question
from tests.rulesets.ars_magica.field import ars, lot_of, wild_action, wild_fight, wild_round
from tests.rulesets.playing import HashDice

GAME, TABLES = ars().game, ars().tables
seeds = st.integers(0, 10**9)


def whole(fight):
    """A state that can be: pairs agree, figures agree, the dead stay dead."""
    for name, who in fight.cast.items():
        assert who.conditions <= set(CONDITIONS)
        assert who.penalty == penalty_of(who.wounds, who.bruises, who.fatigue, TABLES) <= 0
        assert 0 <= who.fatigue <= 5
        assert set(who.durations) <= who.conditions
        assert not who.dead or who.conditions == {"dead"}
        for key in ("engaged", "missile_engaged"):
            assert all(name in getattr(fight.cast[other], key) for other in getattr(who, key))
        assert not who.mounted_on or fight.cast[who.mounted_on].ridden_by == name
        assert not who.ridden_by or fight.cast[who.ridden_by].mounted_on == name
        assert bool(who.grappled_by) <= ("grappled" in who.conditions)
        assert bool(who.pinned_by) <= ("pinned" in who.conditions)
        assert not who.wielded or who.owned(who.wielded) is not None
    assert set(fight.order) == set(fight.initiative)


@settings(max_examples=60)
@given(seeds)
@example(1098821)
def test_any_rounds_play_to_their_end_and_can_be_audited(seed):
    lot = lot_of(seed)
    fight = wild_fight(lot)
    for number in range(4):
        dice = HashDice(f"{seed} {number}")
        opened = GAME.open_round(fight, dice)
        declared = wild_round(lot, opened.fight)
        outcome = GAME.resolve(opened.fight, declared, dice, Answers())
        assert not isinstance(outcome, Question)
        assert GAME.resolve(opened.fight, declared, dice, Answers()) == outcome
        assert reduce(apply, opened.events, fight) == opened.fight
        assert reduce(apply, outcome.events, opened.fight) == outcome.fight
        for event in (*opened.events, *outcome.events):
            data = json.loads(json.dumps(as_json(event), allow_nan=False))
            assert from_json(GAME.events, data) == event
        added = {roll.label: roll.plus for roll in (*opened.rolls, *outcome.rolls)}
        for event in outcome.events:
            told = as_json(event)
            # A wound has a limit too, but no label: what it takes from movement.
            if told["type"] in ("attack", "check", "priority") or {"limit", "label"} <= told.keys():
                assert told.get("limit", 0) == added[told["label"]].value
            if told["type"] == "damage" and "parts" in told:
                assert told.get("total", 0) == sum(told["parts"].values())
                assert told.get("soak", 0) == sum(told["soak_parts"].values())
        whole(outcome.fight)
        written = json.loads(json.dumps(GAME.dump(outcome.fight), allow_nan=False))
        fight = GAME.load(written, TABLES)
        assert fight == outcome.fight


@settings(max_examples=60)
@given(seeds, st.sampled_from(sorted(ACTIONS)))
def test_any_declaration_is_played_or_refused_and_what_is_checked_is_refused(seed, verb):
    lot = lot_of(seed)
    opened = GAME.open_round(wild_fight(lot), HashDice(str(seed)))
    for name in opened.fight.cast:
        declared = [wild_action(lot, opened.fight, name, verb)]
        outcome = GAME.resolve(opened.fight, declared, HashDice(str(seed)), Answers())
        assert not isinstance(outcome, Question)
        foreseen = GAME.check(opened.fight, declared)
        assert outcome.rejections[: len(foreseen)] == foreseen


@settings(max_examples=40)
@given(seeds)
def test_a_choice_that_is_asked_can_be_answered_with_any_of_its_options(seed):
    lot = lot_of(seed)
    opened = GAME.open_round(wild_fight(lot), HashDice(str(seed)))
    declared = wild_round(lot, opened.fight)
    given_answers: dict[str, str] = {}
    for _ in range(40):
        answers = Answers(given_answers, ask=True)
        found = GAME.resolve(opened.fight, declared, HashDice(str(seed)), answers)
        if not isinstance(found, Question):
            return
        assert found.default in found.options
        assert found.label not in given_answers
        given_answers[found.label] = lot.choice(found.options)
    raise AssertionError(given_answers)
