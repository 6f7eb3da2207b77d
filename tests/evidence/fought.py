"""Random fights of every game, as the referee logs them and as a thread shows them.

The casts and what people may declare come from the games' own worked examples, shuffled: who
declares what, in which round, with which secrets, is chance that a seed repeats.
"""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from referee.data import Data
from referee.declaring import declaration_json
from referee.evidence import (
    GENESIS,
    Block,
    BlockRoll,
    Commit,
    LockedWords,
    Reveal,
    SeedDice,
    audit,
    commitment,
    link,
    next_commits,
    public_input,
)
from referee.evidence.audit import AuditReport
from referee.replays import Replayed, Rules
from referee.rounds import outcome_json
from referee.scenarios import (
    Bench,
    Scenario,
    ScenarioFile,
    builtin_bench,
    read_scenarios,
    read_tags,
    setup_of,
)
from referee.telling import locked_words
from rulesets.core.declarations import Declaration
from rulesets.core.questions import Answers, SetupError
from rulesets.core.ruleset import Outcome, Setup
from rulesets.registry import RULESETS
from tests.evidence.played import Table

SCENARIOS = Path(__file__).parents[1] / "scenarios"
LONG = bool(os.environ.get("REFEREE_LONG"))
"""Whether the bars are tried in full; the suite tries a part of them each time."""


def games() -> list[str]:
    """Every game that has worked examples."""
    return [game.id for game in RULESETS if (SCENARIOS / f"{game.id}.yaml").exists()]


@lru_cache(maxsize=8)
def examples(game: str) -> tuple[tuple[Setup, tuple[Declaration, ...]], ...]:
    """Casts of a game with all that was declared for them in their example."""
    file = SCENARIOS / f"{game}.yaml"
    read = read_scenarios(file.read_text(encoding="utf-8"), file.name)
    assert isinstance(read, ScenarioFile)
    bench = builtin_bench(game)
    found = []
    for scenario in read.scenarios:
        declared = _declared(scenario, bench)
        if declared and len(scenario.characters) > 1:
            found.append((setup_of(scenario), declared))
    return tuple(found)


def _declared(scenario: Scenario, bench: Bench) -> tuple[Declaration, ...]:
    cast = tuple(scenario.characters)
    return tuple(
        declaration
        for round_ in scenario.rounds
        for declaration in read_tags(round_, cast, bench.vocabulary).declarations
    )


@lru_cache(maxsize=8)
def rules_of(game: str) -> Rules:
    """The rules of a game with their tables as they come."""
    return Rules.of(builtin_bench(game).game, Data().tables(game))


@dataclass
class Fought:
    """A fight that was fought: its log and its thread."""

    game: str
    setup: Setup
    table: Table
    secrets: dict[str, bytes] = field(default_factory=dict)
    entries: list[dict[str, Any]] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    declared: list[tuple[Declaration, ...]] = field(default_factory=list)
    opened: list[Any] = field(default_factory=list)

    def log(self) -> list[tuple[Mapping[str, Any], str]]:
        """The entries with their chain."""
        head, chained = GENESIS, []
        for entry in self.entries:
            head = link(head, entry)
            chained.append((entry, head))
        return chained

    def secret(self, name: str) -> bytes:
        """The secret of a seed, made when it is first promised."""
        return self.secrets.setdefault(name, self.table.secret(name))

    def promises(self, kind: str, number: int) -> dict[str, str]:
        return {name: commitment(self.secret(name)) for name in next_commits(kind, number)}


def fought(game: str, random: Random, rounds: int = 2) -> Fought:
    """A random fight of a game; a round that its rules refuse to open ends it."""
    while True:
        setup, declared = random.choice(examples(game))
        try:
            fight = rules_of(game).ruleset.new_fight(setup, rules_of(game).tables)
        except SetupError:
            continue
        break
    it = Fought(game, setup, Table(thread=f"{game}/{random.randrange(10**6)}"))
    edition = {
        "version": rules_of(game).ruleset.version,
        "tables": rules_of(game).tables_hash,
    }
    cast = [
        {"name": c.name, "side": c.side, "npc": c.npc, "sheet": c.sheet, "state": c.state}
        for c in setup.cast
    ]
    it.entries.append({"kind": "introduced", "commits": it.promises("start", 0)})
    logged = {"cast": cast, "scene": setup.scene, "options": setup.options}
    it.entries.append({"kind": "fight_began", "ruleset": game, "setup": logged, **edition})
    it.table.start()
    previous = ""
    for serial in range(1, rounds + 1):
        fight, previous = _round(it, random, fight, serial, previous, declared, edition)
    return it


def _round(
    it: Fought,
    random: Random,
    fight: Any,
    serial: int,
    previous: str,
    declared: tuple[Declaration, ...],
    edition: Mapping[str, str],
) -> tuple[Any, str]:
    ruleset = rules_of(it.game).ruleset
    names = (f"open.{serial}", f"lock.{serial}")
    public = public_input(names[0], it.table.thread, previous=previous)
    opening = ruleset.open_round(fight, SeedDice(it.secret(names[0]), public))
    it.opened.append(opening.fight)
    it.entries.append(
        {
            "kind": "round_opened",
            "serial": serial,
            "input": public,
            "outcome": outcome_json(opening),
            **edition,
        }
    )
    thread, reveals = it.table.thread, [Reveal(name, it.secret(name).hex()) for name in names]
    shown = tuple(BlockRoll.of(names[0], roll) for roll in opening.rolls)
    it.table.show(Block(thread, "opening", serial, reveals=(reveals[0],), rolls=shown))
    chosen = random.sample(declared, random.randint(1, len(declared)))
    claims, words = [], []
    for place, one in enumerate(chosen):
        locked = it.table.declare(str(50 + place), one.words)
        words.append(locked)
        claims.append(
            {
                "actor": one.actor,
                "post_id": locked.post_id,
                "author_id": locked.author_id,
                "words": [one.words],
                "declarations": [declaration_json(one)],
            }
        )
    locked_entry = {"claims": claims, "standing": [], "commands": [], "missing": []}
    lock = public_input(names[1], thread, words)
    it.entries.append({"kind": "locked", "serial": serial, "input": lock, "locked": locked_entry})
    outcome = ruleset.resolve(
        opening.fight, tuple(chosen), SeedDice(it.secret(names[1]), lock), Answers(ask=False)
    )
    assert isinstance(outcome, Outcome)
    it.outcomes.append(outcome)
    it.declared.append(tuple(chosen))
    commits = it.promises("round", serial)
    it.entries.append(
        {
            "kind": "resolved",
            "serial": serial,
            "asks": [],
            "outcome": outcome_json(outcome),
            "state": ruleset.dump(outcome.fight),
            "commits": commits,
            "set": {},
            **edition,
        }
    )
    it.table.show(
        Block(
            thread,
            "round",
            serial,
            reveals=tuple(reveals),
            commits=tuple(Commit(name, digest) for name, digest in commits.items()),
            words=tuple(words),
            rolls=(*shown, *(BlockRoll.of(names[1], roll) for roll in outcome.rolls)),
        )
    )
    return outcome.fight, lock


def audited(
    it: Fought,
    log: list[tuple[Mapping[str, Any], str]] | None = None,
    secrets: Mapping[str, bytes] | None = None,
) -> tuple[AuditReport, Replayed]:
    """Play a fight's log again."""
    replay = Replayed(rules_of(it.game))
    report = audit(
        it.table.thread,
        it.log() if log is None else log,
        it.secrets if secrets is None else secrets,
        locked_words,
        replay,
    )
    return report, replay


def digest(it: Fought) -> str:
    """All that was logged of a fight, as one hash."""
    return hashlib.sha256(it.log()[-1][1].encode()).hexdigest()


def words_of(it: Fought, serial: int) -> list[LockedWords]:
    """What was locked in a round."""
    entry = next(e for e in it.entries if e["kind"] == "locked" and e["serial"] == serial)
    return list(locked_words(entry["locked"]))


if __name__ == "__main__":
    for name in games():
        print(name, *(digest(fought(name, Random(seed))) for seed in range(3)))  # noqa: S311, T201 - prints for a test
