"""Rounds of Aquelarre a second against turns of the pokemon-showdown simulator a second.

Timed on our side is all that makes a round what it is, from committed secrets to the hash of its
log entry: initiative, checks, resolution with named dice, events as JSON, the chain. Timed on the
simulator's side is playing the turn and writing its log. On both sides the players' choices are
made outside the clock, fights are played to their end and then begun anew, and the engine is warm.

The simulator has no field for eight. The bar for eight is therefore held against its singles, as
the bar for two is; its doubles (four) and triples (six, its largest) stand there for the record.
"""

import itertools
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bars import Bar, main
from referee.data import Data
from referee.evidence import GENESIS, SeedDice, link
from rulesets.core.declarations import Declaration, Kind
from rulesets.core.events import as_json
from rulesets.core.questions import Answers, Question
from rulesets.core.ruleset import CharacterSetup, Ruleset, Setup
from rulesets.registry import RULESETS

SHOWDOWN = Path(__file__).resolve().parent / "showdown"
SECONDS = 5.0
LONGEST_FIGHT = 50
COMBATANTS = {2: 4.0, 8: 1.0, 30: None}  # how many fight, and the bar against the singles
FORMATS = {
    "gen9randombattle": "singles",
    "gen9randomdoublesbattle": "doubles",
    "gen9triples": "triples",
}
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


def showdown() -> dict[str, dict[str, Any]]:
    """What the simulator does on this machine, by format; installs it on the first run."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise SystemExit(
                f"{program} is missing: the yardstick of this benchmark runs on node 20"
            )
    if not (SHOWDOWN / "node_modules" / "pokemon-showdown").is_dir():
        subprocess.run(
            ["npm", "ci", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund"],
            cwd=SHOWDOWN,
            check=True,
            stdout=subprocess.DEVNULL,
        )
    printed = subprocess.run(
        ["node", "turns.mjs", str(SECONDS), *FORMATS],
        cwd=SHOWDOWN,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    rows = [json.loads(line) for line in printed.splitlines()]
    return {row["format"]: row for row in rows}


def cast(number: int) -> tuple[CharacterSetup, ...]:
    """Two sides of equal fighters, who hit about every other time."""
    sides = ("a", "b")
    return tuple(
        CharacterSetup(name=f"Hombre {i + 1}", side=sides[i % 2], npc=i > 1, sheet=SHEET)
        for i in range(number)
    )


def declared(ruleset: Ruleset, fight: Any, turn: int) -> list[Declaration]:
    """A blow at some enemy who still stands, and a parry: the two actions of everybody's round."""
    standing = [combatant for combatant in ruleset.roster(fight) if not combatant.out]
    chosen: list[Declaration] = []
    for place, one in enumerate(standing):
        if not one.declares:
            continue
        foes = [other.name for other in standing if other.side != one.side]
        if not foes:
            continue
        target = foes[(turn + place) % len(foes)]
        chosen += [
            Declaration(one.name, Kind.ACTION, "attack", {"target": target, "weapon": "espada"}),
            Declaration(one.name, Kind.ACTION, "parry", {"weapon": "espada"}),
        ]
    return chosen


def secrets_in_order() -> Iterator[bytes]:
    """Secrets of seeds, the same in every run so that every run plays the same fights."""
    return (number.to_bytes(32) for number in itertools.count(1))


def rounds_per_second(ruleset: Ruleset, tables: Any, number: int, seconds: float) -> float:
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
            refused = ruleset.check(opened.fight, declarations)
            dice = SeedDice(next(secrets), public_input)
            outcome = ruleset.resolve(opened.fight, declarations, dice, ANSWERS)
            if isinstance(outcome, Question) or refused or outcome.rejections:
                raise RuntimeError(f"the round did not go through: {outcome or refused}")
            entry = {
                "kind": "round",
                "round": outcome.fight.round,
                "opening": [as_json(event) for event in opened.events],
                "events": [as_json(event) for event in outcome.events],
                "dice": {roll.label: list(roll.faces) for roll in (*opened.rolls, *outcome.rolls)},
            }
            head = link(head, entry)
            elapsed += time.perf_counter() - started

            rounds += 1
            fight = outcome.fight
            if ruleset.over(fight):
                break
    return rounds / elapsed


def measure() -> Sequence[Bar]:
    """Two, eight and thirty combatants, against the simulator's singles, doubles and triples."""
    yardstick = showdown()
    ruleset = next(ruleset for ruleset in RULESETS if ruleset.id == "aquelarre")
    tables = ruleset.read_tables(Data(None).tables(ruleset.id))
    bars: list[Bar] = []
    singles = yardstick["gen9randombattle"]
    ours: dict[int, float] = {}
    for number, limit in COMBATANTS.items():
        rounds_per_second(ruleset, tables, number, SECONDS / 5)
        ours[number] = rounds_per_second(ruleset, tables, number, SECONDS)
        bars.append(
            Bar(
                f"rounds of {number} combatants",
                ours[number],
                singles["turns_per_second"],
                "pokemon-showdown turns, singles (2)",
                "1/s",
                limit,
                "at_least",
            )
        )
    for format_, words in FORMATS.items():
        row = yardstick[format_]
        if row is singles:
            continue
        bars.append(
            Bar(
                "rounds of 8 combatants",
                ours[8],
                row["turns_per_second"],
                f"pokemon-showdown turns, {words} ({row['combatants']})",
                "1/s",
                None,
                "at_least",
            )
        )
    return bars


if __name__ == "__main__":
    sys.exit(main(measure))
