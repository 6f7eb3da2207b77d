"""Where a round's time goes: rooms of the code and their functions, by time of their own.

usage: python benchmarks/where.py [GAME...] [COMBATANTS...]     all where none are named
"""

import cProfile
import pstats
import sys
from collections import Counter

from fighters import FIGHTERS, Arena
from rounds import COMBATANTS, Stopwatch, rounds_per_second

SECONDS = 2.0
SHOWN = 12
ROOMS = (*(f"rulesets/{game}" for game in (*FIGHTERS, "core")), "referee/evidence", "referee")


def room_of(file: str) -> str:
    """The room that a function stands in; the interpreter and its library are one."""
    return next((room for room in ROOMS if f"/{room}/" in file), "python")


class ProfilingStopwatch(Stopwatch):
    """Looks at what the benchmark counts, and not at what the players choose in between."""

    def __init__(self) -> None:
        """Nothing seen yet."""
        super().__init__()
        self.profile = cProfile.Profile()

    def __enter__(self) -> None:
        """Go on, and look."""
        super().__enter__()
        self.profile.enable()

    def __exit__(self, *error: object) -> None:
        """Look away, and halt."""
        self.profile.disable()
        super().__exit__(*error)


def measure(game: str, number: int) -> pstats.Stats:
    """Profile rounds of so many combatants."""
    arena = Arena.of(game)
    rounds_per_second(arena, number, SECONDS / 4)  # warm
    watch = ProfilingStopwatch()
    rounds_per_second(arena, number, SECONDS, watch=watch)
    return pstats.Stats(watch.profile)


def show(title: str, stats: pstats.Stats) -> None:
    """Print the rooms and the functions that cost most."""
    rows = stats.stats.items()  # type: ignore[attr-defined] # pstats has no types for it
    whole = sum(row[2] for _, row in rows) or 1.0
    rooms: Counter[str] = Counter()
    for (file, _, _), row in rows:
        rooms[room_of(file)] += row[2]
    print(f"\n{title}")
    for room, own in rooms.most_common():
        print(f"  {own / whole:5.0%}  {room}")
    for (file, line, name), row in sorted(rows, key=lambda item: -item[1][2])[:SHOWN]:
        place = "/".join(file.split("/")[-2:])
        print(f"    {row[2] / whole:5.1%}  {name}  {place}:{line}")


def main(named: list[str]) -> int:
    """Profile each number of combatants of each game."""
    games = [name for name in named if name in FIGHTERS] or list(FIGHTERS)
    numbers = [int(name) for name in named if name not in FIGHTERS] or list(COMBATANTS)
    for game in games:
        for number in numbers:
            show(f"{game}, {number} combatants", measure(game, number))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
