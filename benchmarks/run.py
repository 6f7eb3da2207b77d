"""Run every benchmark beside its yardstick: a table for people, a JSON file for programs.

usage: python benchmarks/run.py [NAME...]     names: rounds poll startup dice
"""

import importlib
import sys

from bars import RESULTS, ROOT, Bar, keep, show

NAMES = ("rounds", "poll", "startup", "dice")


def main(names: list[str]) -> int:
    """Measure what is named, or everything; 1 where a bar is missed."""
    unknown = set(names) - set(NAMES)
    if unknown:
        print(f"no such benchmark: {', '.join(sorted(unknown))}; there are: {' '.join(NAMES)}")
        return 2
    bars: list[Bar] = []
    for name in names or NAMES:
        print(f"measuring {name} ...", file=sys.stderr)
        bars += importlib.import_module(name).measure()
    show(bars)
    if not names:
        keep(bars)
        print(f"kept in {RESULTS.relative_to(ROOT)}")
    return 0 if all(bar.holds for bar in bars) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
