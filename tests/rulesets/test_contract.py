"""What any game must hold to, tried on its own scenarios with dice that nobody chose."""

import copy
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from referee.scenarios import Bench, Scenario, builtin_bench, read_tags, setup_of
from rulesets.core.dice import Roll
from rulesets.core.events import Event, as_json, from_json
from rulesets.core.modifiers import Total
from rulesets.core.questions import Answers, Question
from rulesets.core.ruleset import CharacterSetup, Outcome, Setup
from rulesets.registry import RULESETS, ruleset
from tests.rulesets.playing import HashDice, scenario_file

GAMES = [game.id for game in RULESETS]
NOBODY = "Mirón"
# What a bystander needs to be one, where an empty sheet is none or would take part.
BYSTANDERS: dict[str, dict[str, Any]] = {
    "anima": {"sheet": {"hp": 100}, "state": {"conditions": ["unconscious"]}},
}
# Refusals that hang on dice, so that nobody can know them beforehand.
LATE = ("stance_late", "exertion_already_used")
# Events that list everybody; a bystander stands in them and changes nothing else.
LISTS = ("declaration_order", "action_order", "turn_order")

# Where everybody near rolls initiative, and the highest strikes first, a bystander stands afar.
AFAR: dict[str, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = {
    "ars_magica": lambda scene: {
        **scene,
        "arrivals": {**scene.get("arrivals", {}), NOBODY: 9_999},
    }
}


def scenarios() -> Iterator[Any]:
    for game in GAMES:
        for scenario in scenario_file(game).scenarios:
            yield pytest.param(game, scenario, id=scenario.id)


every_scenario = pytest.mark.parametrize(("game", "scenario"), tuple(scenarios()))


def played(
    bench: Bench, scenario: Scenario, setup: Setup, *, reload: bool = False
) -> list[tuple[Outcome, Outcome]]:
    """Every round of a scenario, opening and resolution, with dice by hash."""
    fight = bench.game.new_fight(setup, bench.tables)
    cast = tuple(scenario.characters)
    rounds = []
    for number, round_ in enumerate(scenario.rounds):
        dice = HashDice(f"{scenario.id} {number}")
        opened = bench.game.open_round(fight, dice)
        declarations = read_tags(round_, cast, bench.vocabulary).declarations
        fight = opened.fight
        if reload:
            fight = bench.game.load(json.loads(json.dumps(bench.game.dump(fight))), bench.tables)
        outcome = bench.game.resolve(fight, declarations, dice, Answers())
        assert not isinstance(outcome, Question), "nothing is asked where everybody takes defaults"
        rounds.append((opened, outcome))
        fight = outcome.fight
    return rounds


def events_of(rounds: list[tuple[Outcome, Outcome]]) -> list[Event]:
    return [event for pair in rounds for outcome in pair for event in outcome.events]


def rolls_of(rounds: list[tuple[Outcome, Outcome]]) -> list[Roll]:
    return [roll for pair in rounds for outcome in pair for roll in outcome.rolls]


@every_scenario
def test_the_same_input_twice_gives_the_same_outcome(game, scenario):
    bench = builtin_bench(game)
    assert played(bench, scenario, setup_of(scenario)) == played(
        bench, scenario, setup_of(scenario)
    )


@every_scenario
def test_inputs_are_never_changed(game, scenario):
    bench = builtin_bench(game)
    fight = bench.game.new_fight(setup_of(scenario), bench.tables)
    cast = tuple(scenario.characters)
    dice = HashDice(scenario.id)
    before = copy.deepcopy(bench.game.dump(fight))
    opened = bench.game.open_round(fight, dice)
    assert bench.game.dump(fight) == before
    before = copy.deepcopy(bench.game.dump(opened.fight))
    declarations = read_tags(scenario.rounds[0], cast, bench.vocabulary).declarations
    kept = copy.deepcopy(declarations)
    bench.game.check(opened.fight, declarations)
    bench.game.resolve(opened.fight, declarations, dice, Answers())
    assert bench.game.dump(opened.fight) == before
    assert declarations == kept


@every_scenario
def test_what_is_checked_beforehand_is_what_is_refused(game, scenario):
    bench = builtin_bench(game)
    fight = bench.game.new_fight(setup_of(scenario), bench.tables)
    dice = HashDice(scenario.id)
    opened = bench.game.open_round(fight, dice)
    cast = tuple(scenario.characters)
    declarations = read_tags(scenario.rounds[0], cast, bench.vocabulary).declarations
    outcome = bench.game.resolve(opened.fight, declarations, dice, Answers())
    known = tuple(refusal for refusal in outcome.rejections if refusal.code not in LATE)
    assert bench.game.check(opened.fight, declarations) == known


def by_hand(total: Total) -> int:
    """A total added up as a reader would, part by part."""
    figure = 0
    for part in total.parts:
        if part.step == "add":
            figure += part.value
        elif part.step == "times":
            figure *= part.value
        elif part.step == "capped":
            figure = min(figure, part.value)
        elif part.step == "raised":
            figure = max(figure, part.value)
        else:
            half, rest = divmod(figure, 2)
            figure = half + rest if part.step == "halved_up" else half
    return figure


@every_scenario
def test_every_total_equals_its_parts_and_every_part_has_a_source(game, scenario):
    bench = builtin_bench(game)
    known = set(bench.game.words["modifier"])
    for pair in played(bench, scenario, setup_of(scenario)):
        rolls = rolls_of([pair])
        against = {roll.label: roll.total for roll in rolls if roll.total is not None}
        for total in against.values():
            assert total.value == by_hand(total)
            for part in total.parts:
                assert part.source in known
                assert part.rule
        for event in events_of([pair]):
            data = as_json(event)
            if data["type"] in ("attack", "opposed", "check") and "label" in data:
                limit = data.get("limit", data.get("against", 0))
                assert limit == against[data["label"]].value


@every_scenario
def test_a_bystander_shifts_no_die_and_no_event(game, scenario):
    bench = builtin_bench(game)
    setup = setup_of(scenario)
    bystander = CharacterSetup(NOBODY, "nobody's", npc=True, **BYSTANDERS.get(game, {}))
    scene = AFAR[game](setup.scene) if game in AFAR else setup.scene
    crowd = Setup((*setup.cast, bystander), scene, setup.options)
    alone = played(bench, scenario, setup)
    watched = played(bench, scenario, crowd)
    if any(roll.label.startswith(f"{NOBODY}.initiative#") for roll in rolls_of(watched)):
        pytest.skip("the bystander ties in initiative, and by rule those who tie roll again")
    others = [roll for roll in rolls_of(watched) if not roll.label.startswith(f"{NOBODY}.")]
    assert others == rolls_of(alone)
    told = [e for e in events_of(watched) if e.actor != NOBODY and e.type not in LISTS]
    assert told == [e for e in events_of(alone) if e.type not in LISTS]


@every_scenario
def test_a_fight_is_written_and_read_back_unchanged_after_each_round(game, scenario):
    bench = builtin_bench(game)
    for opened, outcome in played(bench, scenario, setup_of(scenario)):
        for fight in (opened.fight, outcome.fight):
            data = bench.game.dump(fight)
            written = json.loads(json.dumps(data, ensure_ascii=False, allow_nan=False))
            again = bench.game.load(written, bench.tables)
            assert again == fight
            assert bench.game.dump(again) == data
            assert bench.game.roster(again) == bench.game.roster(fight)


@every_scenario
def test_a_fight_read_back_plays_on_the_same(game, scenario):
    bench = builtin_bench(game)
    setup = setup_of(scenario)
    assert played(bench, scenario, setup, reload=True) == played(bench, scenario, setup)


@every_scenario
def test_events_are_written_and_read_back_unchanged(game, scenario):
    bench = builtin_bench(game)
    for event in events_of(played(bench, scenario, setup_of(scenario))):
        data = json.loads(json.dumps(as_json(event), ensure_ascii=False, allow_nan=False))
        assert from_json(bench.game.events, data) == event


@every_scenario
def test_every_event_and_refusal_names_its_rule(game, scenario):
    bench = builtin_bench(game)
    rounds = played(bench, scenario, setup_of(scenario))
    rules = [event.rule for event in events_of(rounds)]
    rules += [refusal.rule for _, outcome in rounds for refusal in outcome.rejections]
    assert all(rules)


@every_scenario
def test_labels_are_unique_in_a_round(game, scenario):
    bench = builtin_bench(game)
    for opened, outcome in played(bench, scenario, setup_of(scenario)):
        labels = [roll.label for roll in (*opened.rolls, *outcome.rolls)]
        assert len(set(labels)) == len(labels)


@every_scenario
def test_the_order_of_the_cast_decides_nothing_but_who_is_listed_first(game, scenario):
    bench = builtin_bench(game)
    setup = setup_of(scenario)
    backwards = Setup(tuple(reversed(setup.cast)), setup.scene, setup.options)
    one, other = played(bench, scenario, setup), played(bench, scenario, backwards)
    orders = [event for event in events_of(one) if event.type == "action_order"]
    if any(
        isinstance(group, list) for event in orders for group in as_json(event).get("order", ())
    ):
        pytest.skip("some act at the same time, and the catalogue lists them as the cast does")
    if any(".retarget" in roll.label for roll in rolls_of(one)):
        pytest.skip("a die reads its candidates in the order of the cast")
    for (_, first), (_, second) in zip(one, other, strict=True):
        named = {c.name: c for c in bench.game.roster(second.fight)}
        assert all(named[c.name] == c for c in bench.game.roster(first.fight))

        def unordered(outcome: Outcome) -> list[str]:
            return sorted(json.dumps(as_json(event), sort_keys=True) for event in outcome.events)

        assert unordered(first) == unordered(second)


DIGEST = """
import hashlib, json, locale, random, sys, time
from contextlib import suppress
from dataclasses import replace
from referee.scenarios import builtin_bench, setup_of
from rulesets.core.events import as_json
from rulesets.core.ruleset import in_order
from tests.rulesets.playing import scenario_file
from tests.rulesets.test_contract import events_of, played, rolls_of
with suppress(locale.Error):  # not every machine has every locale
    locale.setlocale(locale.LC_ALL, "")
time.tzset()
shuffle = random.Random(int(sys.argv[1]))
for game in sys.argv[2:]:
    bench = builtin_bench(game)
    digest = hashlib.sha256()
    for scenario in scenario_file(game).scenarios:
        setup = setup_of(scenario)
        cast = tuple(shuffle.sample(setup.cast, len(setup.cast)))
        rounds = played(bench, scenario, in_order(replace(setup, cast=cast)))
        for event in events_of(rounds):
            digest.update(json.dumps(as_json(event)).encode())
        for roll in rolls_of(rounds):
            digest.update(repr(roll).encode())
        digest.update(json.dumps(bench.game.dump(rounds[-1][1].fight)).encode())
    print(game, digest.hexdigest())
"""


def test_nothing_depends_on_hash_values_locale_time_zone_or_the_order_of_the_cast():
    printed = set()
    for seed, locale, zone in (
        ("1", "C", "UTC"),
        ("2", "C.UTF-8", "America/Bogota"),
        ("4242", "tr_TR.UTF-8", "Pacific/Kiritimati"),
    ):
        run = subprocess.run(
            [sys.executable, "-c", DIGEST, seed, *GAMES],
            check=True,
            capture_output=True,
            text=True,
            timeout=120,
            env={
                **os.environ,
                "PYTHONHASHSEED": seed,
                "LC_ALL": locale,
                "TZ": zone,
                "PYTHONPATH": os.pathsep.join(sys.path),
            },
        )
        printed.add(run.stdout)
    (same,) = printed
    assert [line.split()[0] for line in same.splitlines()] == GAMES


def test_a_game_is_found_by_its_id():
    for game in RULESETS:
        assert ruleset(game.id) is game
    with pytest.raises(LookupError):
        ruleset("ajedrez")


def test_ids_of_games_are_not_doubled():
    assert len(set(GAMES)) == len(GAMES)
