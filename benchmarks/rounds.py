"""Rounds of each game a second against turns of the pokemon-showdown simulator a second.

Timed on our side is all that makes a round what it is, from committed secrets to the hash of its
log entry: initiative, resolution with named dice, events and faces as JSON, the chain. Timed on the
simulator's side is playing the turn and writing its log. On both sides the players' choices are
made outside the clock, fights are played to their end and then begun anew, and the engine is warm.
For the record there is also the entry that the daemon writes, which keeps more: every total with
its parts, and the whole state after the round.

The simulator has no field for eight. The bar for eight is therefore held against its singles, as
the bar for two is; its doubles (four) and triples (six, its largest) stand there for the record.
"""

import itertools
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from bars import Bar, main
from fighters import FIGHTERS, Arena
from referee.evidence import GENESIS, SeedDice, link
from referee.rounds import outcome_json
from rulesets.core.events import as_json
from rulesets.core.questions import Answers, Question
from rulesets.core.ruleset import Outcome, Ruleset

SHOWDOWN = Path(__file__).resolve().parent / "showdown"
WARM_UP_S = 4.0
SECONDS = 1.0
REPEATS = 5
LONGEST_FIGHT = 50
COMBATANTS = {2: 4.0, 8: 1.0, 30: 0.3}  # how many fight, and the bar against the singles
SINGLES = "gen9randombattle"
OTHER_FORMATS = {"gen9randomdoublesbattle": "doubles (4)", "gen9triples": "triples (6)"}
# A round is resolved once its questions are answered; here everybody takes the default.
ANSWERS = Answers(ask=False)


class Showdown:
    """The simulator, warm and waiting to be asked."""

    def __init__(self) -> None:
        """Start it; installs it on the first run."""
        for program in ("node", "npm"):
            if shutil.which(program) is None:
                raise SystemExit(f"{program} is missing: the yardstick of rounds runs on node 20")
        if not (SHOWDOWN / "node_modules" / "pokemon-showdown").is_dir():
            subprocess.run(
                ["npm", "ci", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund"],
                cwd=SHOWDOWN,
                check=True,
                stdout=subprocess.DEVNULL,
            )
        self._process = subprocess.Popen(
            ["node", "turns.mjs"],
            cwd=SHOWDOWN,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        """Itself, running."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close its input, which ends it."""
        self._process.communicate()

    def turns_per_second(self, format_: str, seconds: float) -> float:
        """Play battles of a format for so long."""
        pipe_in, pipe_out = self._process.stdin, self._process.stdout
        if pipe_in is None or pipe_out is None:
            raise RuntimeError("the simulator is not running")
        print(format_, seconds, file=pipe_in, flush=True)
        return float(json.loads(pipe_out.readline())["turns_per_second"])


def secrets_in_order() -> Iterator[bytes]:
    """Secrets of seeds, the same in every run so that every run plays the same fights."""
    return (number.to_bytes(32) for number in itertools.count(1))


def entry_of(_: Ruleset, opened: Outcome, outcome: Outcome) -> dict[str, Any]:
    """What happened and every die, as one log entry."""
    return {
        "kind": "round",
        "round": outcome.fight.round,
        "opening": [as_json(event) for event in opened.events],
        "events": [as_json(event) for event in outcome.events],
        "dice": {roll.label: list(roll.faces) for roll in (*opened.rolls, *outcome.rolls)},
    }


def entry_of_the_daemon(ruleset: Ruleset, opened: Outcome, outcome: Outcome) -> dict[str, Any]:
    """The same with every total's parts and the state after the round, as the daemon logs it."""
    state = ruleset.dump(outcome.fight)
    return {"opening": outcome_json(opened), "outcome": outcome_json(outcome), "state": state}


class Stopwatch:
    """Runs while it is entered, and adds up."""

    def __init__(self) -> None:
        """At zero."""
        self.elapsed = 0.0
        self._started = 0.0

    def __enter__(self) -> None:
        """Go on."""
        self._started = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        """Halt."""
        self.elapsed += time.perf_counter() - self._started


def rounds_per_second(
    arena: Arena,
    number: int,
    seconds: float,
    entry: Callable[[Ruleset, Outcome, Outcome], Mapping[str, Any]] = entry_of,
    watch: Stopwatch | None = None,
) -> float:
    """How many rounds of ``number`` combatants are played and logged in a second."""
    timed = watch or Stopwatch()
    ruleset = arena.ruleset
    public_input = "ab" * 32
    secrets = secrets_in_order()
    head = GENESIS
    rounds = 0
    while timed.elapsed < seconds:
        fight = arena.fight(number)
        for turn in range(LONGEST_FIGHT):
            with timed:
                opened = ruleset.open_round(fight, SeedDice(next(secrets), public_input))
            declarations = arena.declared(opened.fight, turn)
            with timed:
                dice = SeedDice(next(secrets), public_input)
                outcome = ruleset.resolve(opened.fight, declarations, dice, ANSWERS)
                if isinstance(outcome, Question):
                    raise TypeError(outcome.label)
                head = link(head, entry(ruleset, opened, outcome))
            rounds += 1
            fight = outcome.fight
            if ruleset.over(fight):
                break
    return rounds / timed.elapsed


@dataclass(slots=True)
class Runs:
    """Figures of one game: by number of combatants, and of two with the daemon's entry."""

    arena: Arena
    played: dict[int, list[float]] = field(default_factory=lambda: {n: [] for n in COMBATANTS})
    logged: list[float] = field(default_factory=list)

    def once_more(self) -> None:
        """Measure each of them."""
        for number, figures in self.played.items():
            figures.append(rounds_per_second(self.arena, number, SECONDS))
        self.logged.append(rounds_per_second(self.arena, 2, SECONDS, entry_of_the_daemon))

    def bars(self, theirs: Mapping[str, float]) -> Iterator[Bar]:
        """The best of each against the simulator's best."""
        game, turns = self.arena.ruleset.id, "pokemon-showdown turns"
        singles = f"{turns}, singles (2)"
        for number, limit in COMBATANTS.items():
            name, ours = f"{game}, rounds of {number}", max(self.played[number])
            yield Bar(name, ours, theirs[SINGLES], singles, "1/s", limit, "at_least")
        name, ours = f"{game}, rounds of 2 with the daemon's entry", max(self.logged)
        yield Bar(name, ours, theirs[SINGLES], singles, "1/s", None, "at_least")
        for format_, words in OTHER_FORMATS.items():
            name, ours = f"{game}, rounds of 8", max(self.played[8])
            yield Bar(name, ours, theirs[format_], f"{turns}, {words}", "1/s", None, "at_least")


def measure() -> Sequence[Bar]:
    """Two, eight and thirty combatants of each game, against singles, doubles and triples.

    All take turns for a second each, several times, and the best of each counts: what else runs
    on the machine only ever slows one down.
    """
    games = [Runs(Arena.of(game)) for game in FIGHTERS]
    theirs: dict[str, list[float]] = {format_: [] for format_ in (SINGLES, *OTHER_FORMATS)}
    with Showdown() as simulator:
        for format_ in theirs:
            simulator.turns_per_second(format_, WARM_UP_S)
        for _ in range(REPEATS):
            for game in games:
                game.once_more()
            for format_, figures in theirs.items():
                figures.append(simulator.turns_per_second(format_, SECONDS))
    best = {format_: max(figures) for format_, figures in theirs.items()}
    return [bar for game in games for bar in game.bars(best)]


if __name__ == "__main__":
    sys.exit(main(measure))
