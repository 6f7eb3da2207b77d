"""Ten million derived dice of each size in use: is any face favoured?

Not a race but a proof by weight of numbers: Pearson's chi-square over all faces, beside the value
that a fair die exceeds once in ten thousand times. It takes some minutes; a share of the dice is
given with ``--dice N``.
"""

import argparse
import math
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256

from bars import Bar, main
from referee.evidence import SeedDice
from referee.luck import chi_square, chi_square_tail

SIZES = (2, 3, 4, 6, 8, 10, 12, 20, 100)
DICE = 10_000_000
A_SEED = 1000
"""Dice of one seed, as if so many were rolled in a round; labels and places vary as in play."""
RARE = 1e-4


def share(job: tuple[int, int, int]) -> Counter[int]:
    """Faces of the seeds ``first`` to ``last`` of a size."""
    sides, first, last = job
    counts: Counter[int] = Counter()
    for number in range(first, last):
        dice = SeedDice(sha256(f"fairness {sides} {number}".encode()).digest(), f"{number:064x}")
        for label in range(A_SEED // 10):
            name = f"Lope.attack#{label}"
            counts.update([dice.face(name, index, sides) for index in range(10)])
    return counts


def limit(degrees: int) -> float:
    """What a fair die's chi-square exceeds once in ten thousand times, by halving the interval."""
    low, high = 0.0, degrees + 20 * math.sqrt(2 * degrees) + 40
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if chi_square_tail(middle, degrees) > RARE else (low, middle)
    return high


def measure(dice: int = DICE) -> Sequence[Bar]:
    """Chi-square of each size, beside the limit for a fair die."""
    bars: list[Bar] = []
    seeds = max(1, dice // A_SEED)
    step = max(1, seeds // 64)
    with ProcessPoolExecutor() as pool:
        for sides in SIZES:
            jobs = [(sides, at, min(at + step, seeds)) for at in range(0, seeds, step)]
            counts: Counter[int] = sum(pool.map(share, jobs), Counter())
            tally = [counts[face] for face in range(1, sides + 1)]
            name = f"d{sides}, {sum(tally):,} dice"
            against = "a fair die, once in 10,000"
            found, most = chi_square(tally), limit(sides - 1)
            bars.append(Bar(name, found, most, against, "chi-square", 1.0, "at_most"))
    return bars


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dice", type=int, default=DICE)
    given = parser.parse_args()
    sys.exit(main(lambda: measure(given.dice)))
