"""The bars that a stranger may hold us to, on random fights of every game.

``REFEREE_LONG=1`` tries them in full: 200 fights and 10,000 changed bytes.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from referee.evidence import SeedDice, canonical, public_input, verify
from referee.evidence.audit import first_difference
from referee.rounds import outcome_json
from rulesets.core.questions import Answers
from rulesets.core.ruleset import CharacterSetup, Outcome, Setup, in_order
from tests.evidence.fought import LONG, audited, examples, fought, games, rules_of, words_of
from tests.evidence.played import REFEREE

ROOT = Path(__file__).parents[2]
FIGHTS = 200 if LONG else 24
CHANGES = 10_000 if LONG else 240
ALL_GAMES = games()


def lot(seed: int) -> Random:
    return Random(seed)  # noqa: S311 # fights, not secrets


@pytest.mark.parametrize("seed", range(FIGHTS))
def test_a_random_fight_verifies_and_audits_clean(seed: int) -> None:
    it = fought(ALL_GAMES[seed % len(ALL_GAMES)], lot(seed))
    report = verify(it.table.posts, [REFEREE])
    assert report.verdict == "holds", report.findings
    assert report.findings == ()
    assert all(roll.state == "holds" for roll in report.rolls)
    found, replay = audited(it)
    assert found.first is None, found.first
    assert replay.unplayed == []
    assert found.rounds == 2


def changed_text(random: Random, text: str) -> str:
    """One ASCII letter or digit of a text made another."""
    places = [at for at, char in enumerate(text) if char.isascii() and char.isalnum()]
    at = random.choice(places)
    others = "0123456789abcdef" if text[at] in "0123456789abcdef" else "xyzXYZ"
    return text[:at] + random.choice(others.replace(text[at], "")) + text[at + 1 :]


def changed_entry(random: Random, entry: Mapping[str, Any]) -> dict[str, Any]:
    """A log row of which one byte is another, and which can still be read."""
    text = json.dumps(entry, ensure_ascii=False)
    while True:
        try:
            changed: dict[str, Any] = json.loads(changed_text(random, text))
        except ValueError:
            continue
        # 1.0 for 1 or a number with another exponent may be the very same value.
        if first_difference(entry, changed) is not None:
            return changed


@pytest.mark.parametrize("part", range(10))
def test_a_changed_byte_of_log_or_secret_is_found_at_its_place(part: int) -> None:
    random = lot(part)
    fights = [fought(game, random) for game in ALL_GAMES]
    for _ in range(CHANGES // 10):
        it = random.choice(fights)
        log = it.log()
        what = random.choice(("row", "row", "hash", "secret"))
        if what == "secret":
            used = [f"{stream}.{n}" for stream in ("open", "lock") for n in (1, 2)]
            name = random.choice(used)
            byte = random.randrange(32)
            secret = bytearray(it.secrets[name])
            secret[byte] ^= 1 << random.randrange(8)
            report, _ = audited(it, secrets={**it.secrets, name: bytes(secret)})
            assert report.first is not None
            assert (report.first.code, report.first.where) == ("commitment_differs", name)
            continue
        at = random.randrange(len(log))
        entry, digest = log[at]
        if what == "row":
            log[at] = (changed_entry(random, entry), digest)
        else:
            log[at] = (entry, changed_text(random, digest))
        report, _ = audited(it, log)
        assert report.first is not None
        assert (report.first.number, report.first.code) == (at + 1, "entry_changed")


@pytest.mark.parametrize("game", ALL_GAMES)
def test_a_forged_outcome_with_a_chain_that_fits_is_found_at_its_place(game: str) -> None:
    """Whoever can write the database can link it anew; playing again finds him all the same."""
    random = lot(7)
    for seed in range(12):
        it = fought(game, lot(seed))
        places = [at for at, e in enumerate(it.entries) if e["kind"] == "resolved"]
        at = random.choice(places)
        state = it.entries[at]["state"]
        it.entries[at] = {**it.entries[at], "state": changed_entry(random, state)}
        report, _ = audited(it)
        assert report.first is not None
        assert (report.first.number, report.first.code) == (at + 1, "replay_differs")
        assert report.first.where.startswith("state")


@pytest.mark.parametrize("game", ALL_GAMES)
def test_correcting_one_declaration_leaves_every_other_die_as_it_was(game: str) -> None:
    """The round is played again without one declaration: what is still rolled shows the same."""
    ruleset, compared = rules_of(game).ruleset, 0
    for seed in range(20):
        it = fought(game, lot(seed), rounds=1)
        chosen = it.declared[0]
        if len(chosen) < 2:
            continue
        public = public_input("lock.1", it.table.thread, words_of(it, 1))
        dice = SeedDice(it.secrets["lock.1"], public)
        before = {roll.label: roll.faces for roll in it.outcomes[0].rolls}
        for gone in range(len(chosen)):
            kept = (*chosen[:gone], *chosen[gone + 1 :])
            again = ruleset.resolve(it.opened[0], kept, dice, Answers(ask=False))
            assert isinstance(again, Outcome)
            after = {roll.label: roll.faces for roll in again.rolls}
            shared = before.keys() & after.keys()
            compared += len(shared)
            for label in shared:
                size = min(len(before[label]), len(after[label]))
                assert before[label][:size] == after[label][:size], (seed, label)
    assert compared > 20


def test_the_same_fight_is_the_same_bytes_on_every_machine() -> None:
    """Hash seed, locale and time zone of the process change no byte of what is logged."""
    outputs = set()
    for hash_seed, locale, zone in (
        ("0", "C", "UTC"),
        ("1", "es_ES.UTF-8", "America/Bogota"),
        ("4242", "tr_TR.UTF-8", "Pacific/Kiritimati"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "tests.evidence.fought"],
            cwd=ROOT,
            env={
                **os.environ,
                "PYTHONHASHSEED": hash_seed,
                "LC_ALL": locale,
                "TZ": zone,
                "PYTHONUTF8": "1",
            },
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.add(done.stdout)
    (output,) = outputs
    assert output.count("\n") == len(ALL_GAMES)


@pytest.mark.parametrize("game", ALL_GAMES)
def test_the_order_of_the_cast_in_the_config_changes_no_event(game: str) -> None:
    """The referee puts every cast in one order before a game sees it."""
    rules, random = rules_of(game), lot(3)
    for setup, declared in examples(game)[:40]:
        events = set()
        for _ in range(3):
            shuffled = replace(setup, cast=tuple(random.sample(setup.cast, len(setup.cast))))
            fight = rules.ruleset.new_fight(in_order(shuffled), rules.tables)
            opening = rules.ruleset.open_round(fight, SeedDice(b"o" * 32, "ab" * 32))
            dice = SeedDice(b"l" * 32, "cd" * 32)
            outcome = rules.ruleset.resolve(opening.fight, declared, dice, Answers(ask=False))
            assert isinstance(outcome, Outcome)
            events.add(canonical([outcome_json(opening), outcome_json(outcome)]))
        assert len(events) == 1


def test_a_cast_stands_in_one_order_players_first_and_numbers_as_numbers() -> None:
    names = ["Bandido 10", "Lope", "Bandido 2", "Ana", "ana"]
    cast = [CharacterSetup(name, "b" if "B" in name else "a", npc="B" in name) for name in names]
    for _ in range(5):
        lot(5).shuffle(cast)
        ordered = [one.name for one in in_order(Setup(tuple(cast))).cast]
        assert ordered == ["Ana", "ana", "Lope", "Bandido 2", "Bandido 10"]
