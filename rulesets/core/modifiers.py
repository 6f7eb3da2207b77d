"""Numbers that keep their parts.

Every figure that a die is compared with is a ``Total``: the list of reasons in the order in
which the rules apply them. The sum is derived, so narration, evidence, scenarios and the audit
cannot disagree with it.
"""

from collections.abc import Callable, Iterable
from typing import Literal, TypeVar

from rulesets.core.records import dataclass

Situation = TypeVar("Situation")

Step = Literal["add", "halved_up", "halved_down", "capped", "raised", "times"]


@dataclass(frozen=True, slots=True)
class Modifier:
    """One named reason why a number is what it is.

    Attributes:
        value: Signed, in the game's own unit. For a step that is no addition it is the step's
            operand (the cap, the factor), or 0 where the step has none.
        source: Key of its words, such as ``range.short``.
        rule: Catalogue id, such as ``AQ-RNG-01``.
        step: How it changes the running figure; its rounding is part of the name.
    """

    value: int
    source: str
    rule: str
    step: Step = "add"

    def applied_to(self, figure: int) -> int:
        """The running figure after this part."""
        match self.step:
            case "add":
                return figure + self.value
            case "halved_up":
                return -(-figure // 2)
            case "halved_down":
                return figure // 2
            case "capped":
                return min(figure, self.value)
            case "raised":
                return max(figure, self.value)
            case "times":
                return figure * self.value


@dataclass(frozen=True, slots=True)
class Total:
    """A figure that keeps its parts, in the order in which the rules apply them."""

    parts: tuple[Modifier, ...]

    @property
    def value(self) -> int:
        """The figure that the dice are compared with."""
        figure = 0
        for part in self.parts:
            figure = figure + part.value if part.step == "add" else part.applied_to(figure)
        return figure


def total(sources: Iterable[Callable[[Situation], Modifier | None]], situation: Situation) -> Total:
    """Ask each source in order what it has to say about the situation."""
    return Total(tuple([part for source in sources if (part := source(situation)) is not None]))
