"""One round while it is being resolved.

``Play`` is mutable, but it is born and dies inside ``resolve``: purity is judged at the door.
``emit`` records an event and applies it, ``roll`` asks for named dice, ``ask`` returns the answer
or stops the round with the question.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from rulesets.core.dice import Dice, Roll, best, faces
from rulesets.core.events import Event
from rulesets.core.modifiers import Total
from rulesets.core.questions import Answers, Question, Rejection
from rulesets.core.ruleset import Outcome

F = TypeVar("F")
MOST_IN_A_CHAIN: Final = 100


class AskedError(Exception):
    """A choice is missing; only ``played`` catches it."""

    def __init__(self, question: Question) -> None:
        """Keep the question."""
        super().__init__(question.label)
        self.question = question


@dataclass(slots=True)
class Play(Generic[F]):
    """A round in progress: the fight as it stands, and what has happened so far.

    Each game's ``Round`` is one, with what it must know besides while the round lasts.
    """

    fight: F
    dice: Dice
    answers: Answers
    apply: Callable[[F, Event], F]
    events: list[Event] = field(default_factory=list)
    rolls: list[Roll] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    defaulted: list[Question] = field(default_factory=list)
    _counts: dict[str, int] = field(default_factory=dict)

    def label(self, name: str) -> str:
        """``NAME.purpose`` made unique in the round: the second one gets ``#2``."""
        count = self._counts.get(name, 0) + 1
        self._counts[name] = count
        return name if count == 1 else f"{name}#{count}"

    def next_label(self, name: str) -> str:
        """The label that the next roll of ``NAME.purpose`` will get."""
        count = self._counts.get(name, 0) + 1
        return name if count == 1 else f"{name}#{count}"

    def roll(
        self,
        actor: str,
        purpose: str,
        sides: Sequence[int],
        against: Total | None = None,
        plus: Total | None = None,
    ) -> Roll:
        """Roll dice by name; the roll keeps what it was made against, and what was added to it."""
        label = f"{actor}.{purpose}"
        count = self._counts[label] = self._counts.get(label, 0) + 1
        if count > 1:
            label = f"{label}#{count}"
        roll = Roll(label, tuple(sides), faces(self.dice, label, sides), (), against, plus)
        self.rolls.append(roll)
        return roll

    def roll_pool(
        self,
        actor: str,
        purpose: str,
        sides: tuple[int, ...],
        keep: int,
        *,
        against: Total | None = None,
        plus: Total | None = None,
        pool: Total | None = None,
    ) -> Roll:
        """Roll a pool by name, of which the ``keep`` highest dice count."""
        label = self.label(f"{actor}.{purpose}")
        shown = faces(self.dice, label, sides)
        roll = Roll(label, sides, shown, best(shown, keep), against, plus, pool)
        self.rolls.append(roll)
        return roll

    def chain(
        self,
        actor: str,
        purpose: str,
        sides: int,
        again: Callable[[Sequence[int]], bool],
        plus: Total | None = None,
        reading: Callable[[Sequence[int]], tuple[str, int]] | None = None,
    ) -> Roll:
        """Roll a die that is thrown again as long as its faces so far say so.

        All faces count; ``reading`` says what sort of roll they make and what they are worth, where
        that is not their sum.

        Such a chain has no end of its own: it is cut off at ``MOST_IN_A_CHAIN`` dice, which no
        table will ever see (ten hundreds in a row are one in a hundred trillion millions).
        """
        label = self.label(f"{actor}.{purpose}")
        shown = [self.dice.face(label, 0, sides)]
        while len(shown) < MOST_IN_A_CHAIN and again(shown):
            shown.append(self.dice.face(label, len(shown), sides))
        kind, worth = ("", None) if reading is None else reading(shown)
        size = (sides,) * len(shown)
        roll = Roll(label, size, tuple(shown), plus=plus, kind=kind, worth=worth)
        self.rolls.append(roll)
        return roll

    def amend(self, place: int, event: Event) -> None:
        """Say more of an event that has been told, once it is known.

        Only for fields that its handler does not read (how an attack came out), so that the fight
        stays the fold of its events.
        """
        self.events[place] = event

    def emit(self, event: Event) -> None:
        """Record an event and apply it: the only way that the fight changes."""
        self.events.append(event)
        self.fight = self.apply(self.fight, event)

    def ask(self, question: Question) -> str:
        """The answer to a choice; stops the round where it must be asked first."""
        answer = self.answers.given.get(question.label)
        if answer is not None and answer in question.options:
            return answer
        if self.answers.asks(question.who):
            raise AskedError(question)
        self.defaulted.append(question)
        return question.default

    def outcome(self) -> Outcome:
        """What has happened so far, for good."""
        return Outcome(
            tuple(self.events),
            self.fight,
            tuple(self.rolls),
            tuple(self.rejections),
            tuple(self.defaulted),
        )


P = TypeVar("P", bound=Play[Any])


def played(play: P, phases: Iterable[Callable[[P], None]]) -> Outcome | Question:
    """Run a round through its phases, or to the first question nobody has answered."""
    try:
        for phase in phases:
            phase(play)
    except AskedError as asked:
        return asked.question
    return play.outcome()


def applier(handlers: Mapping[type[Event], Callable[[F, Event], F]]) -> Callable[[F, Event], F]:
    """One ``apply(fight, event)`` out of a handler for each event class that changes anything."""

    def apply(fight: F, event: Event) -> F:
        handler = handlers.get(type(event))
        return fight if handler is None else handler(fight, event)

    return apply
