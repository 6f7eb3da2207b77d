"""Named dice: a die is asked for by label, and its label alone (with the seed) decides it.

A rule that rolls one die more therefore shifts no other die, a round can be run again with the
same result, and a scenario file can fix dice by name.
"""

import re
from collections.abc import Sequence
from typing import Protocol

from rulesets.core.modifiers import Total
from rulesets.core.records import dataclass


class Dice(Protocol):
    """Where faces come from: a committed seed in a thread, a list in a scenario."""

    def face(self, label: str, index: int, sides: int) -> int:
        """The face of one die.

        Args:
            label: Who rolls and what for, such as ``Lope.attack#2``.
            index: Which die of that label, from 0.
            sides: Number of faces, 2 or more.

        Returns:
            A face from 1 to ``sides``.
        """
        ...


class NoDice:
    """Dice of what rolls none: asking is a fault of the game, not of a player."""

    def face(self, label: str, index: int, sides: int) -> int:
        """No such die."""
        raise LookupError(f"{label} {index} 1d{sides}")


@dataclass(frozen=True, slots=True)
class Roll:
    """The dice that one label rolled.

    Attributes:
        label: ``NAME.purpose``, with ``#2`` for the second of that name in the round.
        sides: Sides of each die, in the order of the expression.
        faces: What each die shows, 1 to its sides.
        kept: Which dice count; empty means all of them.
        against: The total that the roll is compared with, where there is one.
        plus: What is added to the dice, where a game adds to them.
        pool: Why so many dice were rolled, in games that count them together; it adds up to them.
        kind: What sort of dice they are, where the game reads them in a way of its own.
        worth: What they are worth read so; None where that is the sum of the faces.
    """

    label: str
    sides: tuple[int, ...]
    faces: tuple[int, ...]
    kept: tuple[bool, ...] = ()
    against: Total | None = None
    plus: Total | None = None
    pool: Total | None = None
    kind: str = ""
    worth: int | None = None

    @property
    def total(self) -> Total | None:
        """The figure with its parts that the roll is about: compared with, or added to it."""
        return self.plus if self.against is None else self.against

    @property
    def value(self) -> int:
        """What the dice are worth: the sum of those that count, or what the game makes of them."""
        if self.worth is not None:
            return self.worth
        if not self.kept:
            return sum(self.faces)
        return sum(face for face, kept in zip(self.faces, self.kept, strict=True) if kept)


@dataclass(frozen=True, slots=True)
class DiceExpression:
    """Dice and a fixed part, such as ``1D8+1`` or ``-1D4``: what a weapon or a bonus rolls.

    ``sign`` is -1 for a bonus that is taken away; it applies to the dice, not to ``fixed``.
    """

    count: int = 0
    sides: int = 0
    fixed: int = 0
    sign: int = 1

    @property
    def all_sides(self) -> tuple[int, ...]:
        """Sides of each die."""
        return (self.sides,) * self.count

    @property
    def text(self) -> str:
        """The expression as tables write it; empty where there are no dice."""
        if not self.count:
            return ""
        sign = "-" if self.sign < 0 else ""
        fixed = f"{self.fixed:+d}" if self.fixed else ""
        return f"{sign}{self.count}D{self.sides}{fixed}"

    @property
    def highest(self) -> int:
        """The most that it can give."""
        dice = self.count * (self.sides if self.sign > 0 else -1)
        return dice + self.fixed


_EXPRESSION = re.compile(r"([+-]?)([0-9]{1,2})[dD]([0-9]{1,3})(?:([+-])([0-9]{1,3}))?")


def dice_expression(text: str) -> DiceExpression:
    """Read ``NdS``, ``NdS+K`` or ``-NdS`` as the tables write it.

    Raises:
        ValueError: the text is no such expression; the message holds the text.
    """
    match = _EXPRESSION.fullmatch(text.strip())
    if match is None:
        raise ValueError(text)
    sign, count, sides, fixed_sign, fixed = match.groups()
    return DiceExpression(
        count=int(count),
        sides=int(sides),
        fixed=int(f"{fixed_sign}{fixed}") if fixed else 0,
        sign=-1 if sign == "-" else 1,
    )


def best(faces: Sequence[int], keep: int) -> tuple[bool, ...]:
    """Which dice of a pool count when the highest ``keep`` do; empty where all of them do.

    Of equal faces the one rolled first counts: [4, 2, 4, 1] with 2 kept is both fours.
    """
    if keep >= len(faces):
        return ()
    order = sorted(range(len(faces)), key=lambda index: -faces[index])
    counted = frozenset(order[:keep])
    return tuple([index in counted for index in range(len(faces))])


def faces(dice: Dice, label: str, sides: Sequence[int]) -> tuple[int, ...]:
    """The faces of several dice of one label, in order."""
    if len(sides) == 1:
        return (dice.face(label, 0, sides[0]),)
    return tuple([dice.face(label, index, size) for index, size in enumerate(sides)])
