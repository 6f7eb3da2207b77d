"""Rounds of Aquelarre a second against turns of the pokemon-showdown simulator a second.

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
from pathlib import Path
from typing import Any, Self

from bars import Bar, main
from referee.data import Data
from referee.evidence import GENESIS, SeedDice, link
from referee.rounds import outcome_json
from rulesets.core.declarations import Declaration, Kind
from rulesets.core.events import as_json
from rulesets.core.questions import Answers, Question
from rulesets.core.ruleset import CharacterSetup, Outcome, Ruleset, Setup
from rulesets.registry import RULESETS

SHOWDOWN = Path(__file__).resolve().parent / "showdown"
WARM_UP_S = 4.0
SECONDS = 1.5
REPEATS = 5
LONGEST_FIGHT = 50
COMBATANTS = {2: 4.0, 8: 1.0, 30: 0.3}  # how many fight, and the bar against the singles
SINGLES = "gen9randombattle"
OTHER_FORMATS = {"gen9randomdoublesbattle": "doubles (4)", "gen9triples": "triples (6)"}
SHEET: Mapping[str, Any] = {
    "strength": 15,
    "agility": 15,
    "dexterity": 15,
    "endurance": 15,
    "perception": 12,
    "skills": {"swords": 55, "shields": 40},
    "weapons": ["espada"],
    "shield": "escudo de metal",
}
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


def cast(number: int) -> tuple[CharacterSetup, ...]:
    """Two sides of equal fighters, who hit about every other time."""
    sides = ("a", "b")
    return tuple(
        CharacterSetup(name=f"Hombre {i + 1}", side=sides[i % 2], npc=i > 1, sheet=SHEET)
        for i in range(number)
    )


def declared(ruleset: Ruleset, fight: Any, turn: int) -> list[Declaration]:
    """A blow at some enemy who still stands, and a defence: the two actions of everybody's round.

    Who has lost his sword fights with what is left to him, so that nothing is refused.
    """
    standing = [combatant for combatant in ruleset.roster(fight) if not combatant.out]
    chosen: list[Declaration] = []
    for place, one in enumerate(standing):
        foes = [other.name for other in standing if other.side != one.side]
        if not (one.declares and foes):
            continue
        target, weapon = foes[(turn + place) % len(foes)], dict(one.notes)["weapon"]
        blow = {"target": target, "weapon": weapon}
        chosen.append(Declaration(one.name, Kind.ACTION, "attack", blow))
        chosen.append(
            Declaration(one.name, Kind.ACTION, "parry" if weapon == "espada" else "dodge")
        )
    refused = [rejection.declaration for rejection in ruleset.check(fight, chosen)]
    return [declaration for declaration in chosen if declaration not in refused]


def secrets_in_order() -> Iterator[bytes]:
    """Secrets of seeds, the same in every run so that every run plays the same fights."""
    return (number.to_bytes(32) for number in itertools.count(1))


def entry_of(opened: Outcome, outcome: Outcome) -> dict[str, Any]:
    """What happened and every die, as one log entry."""
    return {
        "kind": "round",
        "round": outcome.fight.round,
        "opening": [as_json(event) for event in opened.events],
        "events": [as_json(event) for event in outcome.events],
        "dice": {roll.label: list(roll.faces) for roll in (*opened.rolls, *outcome.rolls)},
    }


def rounds_per_second(
    ruleset: Ruleset,
    tables: Any,
    number: int,
    seconds: float,
    entry: Callable[[Outcome, Outcome], Mapping[str, Any]] = entry_of,
) -> float:
    """How many rounds of ``number`` combatants are played and logged in a second."""
    setup = Setup(cast=cast(number))
    public_input = "ab" * 32
    secrets = secrets_in_order()
    head = GENESIS
    rounds = 0
    elapsed = 0.0
    while elapsed < seconds:
        fight = ruleset.new_fight(setup, tables)
        for turn in range(LONGEST_FIGHT):
            started = time.perf_counter()
            opened = ruleset.open_round(fight, SeedDice(next(secrets), public_input))
            elapsed += time.perf_counter() - started

            declarations = declared(ruleset, opened.fight, turn)

            started = time.perf_counter()
            dice = SeedDice(next(secrets), public_input)
            outcome = ruleset.resolve(opened.fight, declarations, dice, ANSWERS)
            if isinstance(outcome, Question):
                raise TypeError(outcome.label)
            head = link(head, entry(opened, outcome))
            elapsed += time.perf_counter() - started

            rounds += 1
            fight = outcome.fight
            if ruleset.over(fight):
                break
    return rounds / elapsed


def measure() -> Sequence[Bar]:
    """Two, eight and thirty combatants, against the simulator's singles, doubles and triples.

    All take turns for some seconds each, several times, and the best of each counts: what else
    runs on the machine only ever slows one down.
    """
    ruleset = next(ruleset for ruleset in RULESETS if ruleset.id == "aquelarre")
    tables = ruleset.read_tables(Data(None).tables(ruleset.id))

    def as_the_daemon(opened: Outcome, outcome: Outcome) -> Mapping[str, Any]:
        state = ruleset.dump(outcome.fight)
        return {"opening": outcome_json(opened), "outcome": outcome_json(outcome), "state": state}

    ours: dict[int, list[float]] = {number: [] for number in COMBATANTS}
    logged: list[float] = []
    theirs: dict[str, list[float]] = {format_: [] for format_ in (SINGLES, *OTHER_FORMATS)}
    with Showdown() as simulator:
        for format_ in theirs:
            simulator.turns_per_second(format_, WARM_UP_S)
        for _ in range(REPEATS):
            for number, figures in ours.items():
                figures.append(rounds_per_second(ruleset, tables, number, SECONDS))
            logged.append(rounds_per_second(ruleset, tables, 2, SECONDS, as_the_daemon))
            for format_, figures in theirs.items():
                figures.append(simulator.turns_per_second(format_, SECONDS))
    turns = "pokemon-showdown turns"
    bars = [
        Bar(f"rounds of {number} combatants", max(ours[number]), max(theirs[SINGLES]),
            f"{turns}, singles (2)", "1/s", limit, "at_least")
        for number, limit in COMBATANTS.items()
    ]  # fmt: skip
    bars.append(
        Bar("rounds of 2 combatants, the daemon's entry", max(logged), max(theirs[SINGLES]),
            f"{turns}, singles (2)", "1/s", None, "at_least")
    )  # fmt: skip
    for format_, words in OTHER_FORMATS.items():
        bars.append(
            Bar("rounds of 8 combatants", max(ours[8]), max(theirs[format_]),
                f"{turns}, {words}", "1/s", None, "at_least")
        )  # fmt: skip
    return bars


if __name__ == "__main__":
    sys.exit(main(measure))
