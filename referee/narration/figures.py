"""Dice as readers see them: a roll beside what it was made against, and taken apart."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from rulesets.core.dice import Roll

MINUS: Final = "\u2212"


@dataclass(frozen=True, slots=True)
class RollFigure:
    """A roll under a limit: ``31 ≤ 40``."""

    face: int
    limit: int

    @property
    def within(self) -> bool:
        """Whether the dice show the limit or less."""
        return self.face <= self.limit

    def __html__(self) -> str:
        """Figures and one sign; a character reference would be shown as it is on BBCode boards."""
        limit = f"{MINUS}{-self.limit}" if self.limit < 0 else str(self.limit)
        return f"{self.face} {'≤' if self.within else '>'} {limit}"

    def __str__(self) -> str:
        """As ``__html__``."""
        return self.__html__()


def roll_figure(facts: Mapping[str, Any], prefix: str = "") -> RollFigure | None:
    """The roll that an event carries in ``face`` and ``limit``, where it was rolled for."""
    face, limit = facts.get(f"{prefix}face"), facts.get(f"{prefix}limit")
    if isinstance(face, int) and isinstance(limit, int) and face > 0:
        return RollFigure(face, limit)
    return None


def dice_of(roll: Roll) -> str:
    """The dice of a roll, such as ``1d100`` or ``1d8+1d4``."""
    counts: list[list[int]] = []
    for sides in roll.sides:
        if counts and counts[-1][1] == sides:
            counts[-1][0] += 1
        else:
            counts.append([1, sides])
    return "+".join(f"{count}d{sides}" for count, sides in counts)


def purpose_of(label: str) -> tuple[str, str, int]:
    """Who rolled, what for, and for which time in the round: ``Lope.attack#2``."""
    name, _, purpose = label.rpartition(".")
    word, _, number = purpose.partition("#")
    return name, word, int(number) if number.isdecimal() else 1
