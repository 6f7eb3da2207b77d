"""Named dice against the random source that they replace."""

import random
import secrets
import sys
from collections.abc import Sequence

from bars import Bar, alternately, main, per_second
from referee.evidence import SeedDice

SECONDS = 0.5
REPEATS = 5


def measure() -> Sequence[Bar]:
    """Dice a second: fresh labels as a round asks for them, and one label's further dice."""
    public_input = "ab" * 32
    labels = [
        f"{name}.{what}" for name in ("Lope", "Íñigo") for what in ("attack", "damage", "hit")
    ]
    generator = random.Random(7)  # noqa: S311 # the yardstick

    def a_rounds_dice() -> None:
        dice = SeedDice(secrets.token_bytes(32), public_input)
        for label in labels:
            dice.face(label, 0, 100)

    def the_same_from_random() -> None:
        for _ in labels:
            generator.randint(1, 100)

    def the_same_from_the_system() -> None:
        for _ in labels:
            secrets.randbelow(100)

    bars: list[Bar] = []
    for against, work in (
        ("random.randint: cannot be verified", the_same_from_random),
        ("secrets.randbelow: cannot be repeated", the_same_from_the_system),
    ):
        ours, yardstick = alternately(
            lambda: len(labels) * per_second(a_rounds_dice, SECONDS, 100),
            lambda work=work: len(labels) * per_second(work, SECONDS, 100),  # type: ignore[misc] # mypy types no default of a lambda
            REPEATS,
        )
        bars.append(Bar("named dice", ours, yardstick, against, "dice/s", None, "at_least"))
    return bars


if __name__ == "__main__":
    sys.exit(main(measure))
