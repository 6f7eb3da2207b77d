"""Where a round's time goes: rooms of the code and their functions, by time of their own.

usage: python benchmarks/where.py [COMBATANTS...]     2, 8 and 30 where none are named
"""

import cProfile
import pstats
import sys
from collections import Counter

from referee.data import Data
from rounds import COMBATANTS, rounds_per_second
from rulesets.registry import RULESETS

SECONDS = 2.0
SHOWN = 12
ROOMS = ("rulesets/aquelarre", "rulesets/core", "referee/evidence", "referee")


def room_of(file: str) -> str:
    """The room that a function stands in; the interpreter and its library are one."""
    return next((room for room in ROOMS if f"/{room}/" in file), "python")


def measure(number: int) -> pstats.Stats:
    """Profile rounds of so many combatants."""
    ruleset = next(game for game in RULESETS if game.id == "aquelarre")
    tables = ruleset.read_tables(Data(None).tables(ruleset.id))
    rounds_per_second(ruleset, tables, number, SECONDS / 4)  # warm
    profile = cProfile.Profile()
    profile.runcall(rounds_per_second, ruleset, tables, number, SECONDS)
    return pstats.Stats(profile)


def show(number: int, stats: pstats.Stats) -> None:
    """Print the rooms and the functions that cost most."""
    rows = stats.stats.items()  # type: ignore[attr-defined] # pstats has no types for it
    whole = sum(row[2] for _, row in rows) or 1.0
    rooms: Counter[str] = Counter()
    for (file, _, _), row in rows:
        rooms[room_of(file)] += row[2]
    print(f"\n{number} combatants")
    for room, own in rooms.most_common():
        print(f"  {own / whole:5.0%}  {room}")
    for (file, line, name), row in sorted(rows, key=lambda item: -item[1][2])[:SHOWN]:
        place = "/".join(file.split("/")[-2:])
        print(f"    {row[2] / whole:5.1%}  {name}  {place}:{line}")


def main(named: list[str]) -> int:
    """Profile each number of combatants."""
    for number in [int(one) for one in named] or list(COMBATANTS):
        show(number, measure(number))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
