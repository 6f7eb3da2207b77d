"""What a post is made from: frozen values, put together by the shell.

Nothing here is text for readers yet, with three exceptions that are made elsewhere and are handed
through as they are: tags that a reader can copy (``referee.tags`` spells them), words that a player
wrote, and the evidence (``referee.evidence`` makes it). All of them are escaped when they are told.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import Literal, Protocol

from rulesets.core.declarations import Declaration
from rulesets.core.dice import Roll
from rulesets.core.events import Event
from rulesets.core.modifiers import Total
from rulesets.core.questions import Question, Rejection
from rulesets.core.ruleset import Combatant

Gender = Literal["m", "f", "n"]


@dataclass(frozen=True, slots=True)
class Game:
    """The fight that a post belongs to.

    Attributes:
        id: Of the fight; it seeds the choice among phrases, so the same round reads the same again.
        ruleset: Id of the game, such as ``aquelarre``.
        genders: ``m``, ``f`` or ``n`` by name, for agreement; who is missing counts as ``n``.
        zone: Where the game's clock hangs; moments are shown there and in UTC.
    """

    id: str
    ruleset: str
    genders: Mapping[str, str] = field(default_factory=dict)
    zone: tzinfo = UTC


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence by its key in ``messages.yaml``, with what it speaks of."""

    code: str
    facts: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Trouble:
    """A tag that did not count, for the one message that its author gets.

    Attributes:
        code: What is wrong: of ``referee.tags`` or of the game's catalogue.
        words: The tag as it was written.
        facts: Figures, names and candidates that the sentence needs.
        cure: A tag that would do, ready to be copied; empty where there is no obvious one.
        author: Whose tag it is, as the forum shows them.
        refused: True where the tag was understood and the rules do not allow it now; False where
            it was not understood.
        url: Address of the post, where the platform has one.
    """

    code: str
    words: str
    facts: Mapping[str, object] = field(default_factory=dict)
    cure: str = ""
    author: str = ""
    refused: bool = False
    url: str = ""


class TagProblem(Protocol):
    """What ``referee.tags`` says of a tag that it cannot read."""

    @property
    def code(self) -> str:
        """Key of the sentence."""
        ...

    @property
    def words(self) -> str:
        """The tag as written."""
        ...

    @property
    def facts(self) -> Mapping[str, object]:
        """What the sentence speaks of."""
        ...

    @property
    def cure(self) -> str:
        """A tag that would do, or nothing."""
        ...


def not_understood(problem: TagProblem, author: str = "", url: str = "") -> Trouble:
    """The trouble of a tag that could not be read."""
    return Trouble(problem.code, problem.words, problem.facts, problem.cure, author, url=url)


def not_allowed(rejection: Rejection, cure: str = "", author: str = "", url: str = "") -> Trouble:
    """The trouble of a declaration that the rules refuse; ``cure`` is its cure spelled as a tag."""
    return Trouble(
        rejection.code,
        rejection.declaration.words,
        {"actor": rejection.declaration.actor, "action": rejection.declaration.verb}
        | dict(rejection.facts),
        cure,
        author,
        refused=True,
        url=url,
    )


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the referee will act on for one character.

    Attributes:
        actor: Name of the character.
        words: The tags as written, in the order in which they count.
        final: Whether the player has called it final.
        by: Who declared, where it is not the character's own player (the game master, a deputy).
        secret: It came in a private message; ``words`` are empty until the lock.
    """

    actor: str
    words: tuple[str, ...]
    final: bool = False
    by: str = ""
    secret: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to a question: the option's id and the tag that gives it."""

    option: str
    tag: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that waits for its player.

    Attributes:
        question: As the ruleset asked it.
        choices: The options with a tag for each, in the ruleset's order.
        players: Whose answer it is, as the forum shows them.
        deadline: When the default is taken; None where it waits.
    """

    question: Question
    choices: tuple[Choice, ...]
    players: tuple[str, ...] = ()
    deadline: datetime | None = None


@dataclass(frozen=True, slots=True)
class Ruling:
    """Something that the rules leave to the game master.

    Attributes:
        label: Which one, as the answer names it.
        event: The ``ruling_needed`` event.
        facts: What was rolled for it (the severity of a fumble ...).
        tag: A tag that answers it, ready to be copied and filled in.
    """

    label: str
    event: Event
    facts: Mapping[str, object] = field(default_factory=dict)
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Missed:
    """A character whose player did not declare, and the policy that was applied to it."""

    actor: str
    policy: str
    declarations: tuple[Declaration, ...] = ()


@dataclass(frozen=True, slots=True)
class Seat:
    """A character of the cast and the forum users who play it; none for an NPC.

    ``secret`` is ``awaited`` where its declaration is to come by private message, ``unreadable``
    where the site lets the referee read none, ``unopened`` where it could not do so just now.
    """

    name: str
    side: str
    players: tuple[str, ...] = ()
    npc: bool = False
    secret: str = ""


@dataclass(frozen=True, slots=True)
class Introduction:
    """The referee's first post in a thread.

    Attributes:
        masters: The game masters, as the forum shows them.
        examples: Tags that would work here, ready to be copied.
        policies: The thread's policies in sentences: deadline, order, who is missing.
        evidence: The first commitments, as ``referee.evidence`` writes them.
    """

    game: Game
    masters: tuple[str, ...]
    cast: tuple[Seat, ...]
    examples: tuple[str, ...]
    policies: tuple[Fact, ...] = ()
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Status:
    """The post of the open round, edited in place until the round is resolved.

    Attributes:
        state: ``declaring``, ``locked``, ``asking``, ``paused``, ``resolved`` or ``review``.
        events: Of ``open_round``: initiative, ambush, whatever ends or begins.
        rolls: Of ``open_round``.
        roster: Everybody as the round opens.
        order: Who declares when, where the thread asks for the strict order; else empty.
        receipts: What has been declared.
        missing: Who still has to declare: character and players.
        deadline: When the round locks; None without one.
        troubles: Tags that did not count and have not been mended.
        asked: Questions open now.
        rulings: What the game master still has to rule on from the last round.
        notes: Sentences by key: modifiers by the game master, corrections, outages ...
        evidence: Block of this post, or empty.
    """

    game: Game
    round: int
    state: str
    events: tuple[Event, ...]
    rolls: tuple[Roll, ...]
    roster: tuple[Combatant, ...]
    order: tuple[str, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    missing: tuple[Seat, ...] = ()
    deadline: datetime | None = None
    troubles: tuple[Trouble, ...] = ()
    asked: tuple[Asked, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    notes: tuple[Fact, ...] = ()
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class RoundReport:
    """The post that resolves a round.

    Attributes:
        events: Of ``resolve``, in order: the only thing that prose is made from.
        rolls: Of ``resolve``, with what each was made against.
        before: The roster as the round opened, for what was lost and gained.
        after: The roster when it has ended.
        receipts: What counted at the lock.
        troubles: Declarations that the rules refused.
        defaulted: Questions that took their default unanswered.
        missed: Who was missing, and what was done about it.
        rulings: What the game master is asked.
        notes: Sentences by key: edits after the lock, a set die, why it is resolved again ...
        evidence: Block of this post.
    """

    game: Game
    round: int
    events: tuple[Event, ...]
    rolls: tuple[Roll, ...]
    before: tuple[Combatant, ...]
    after: tuple[Combatant, ...]
    receipts: tuple[Receipt, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    defaulted: tuple[Question, ...] = ()
    missed: tuple[Missed, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    notes: tuple[Fact, ...] = ()
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Applied:
    """Events outside a round: a correction, an undo, the effect of a ruling, a reinforcement.

    Attributes:
        notes: What was done, by whom and why, in sentences by key.
        events: What it changed.
        roster: Everybody afterwards; empty where no table is wanted.
    """

    game: Game
    round: int
    notes: tuple[Fact, ...]
    events: tuple[Event, ...] = ()
    rolls: tuple[Roll, ...] = ()
    before: tuple[Combatant, ...] = ()
    roster: tuple[Combatant, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Die:
    """One die of a free roll; an exploded die is followed by the one that it earned."""

    sides: int
    face: int
    kept: bool = True


@dataclass(frozen=True, slots=True)
class FreeRoll:
    """The answer to one ``tirada``.

    Attributes:
        author: Who rolled: the character, or the forum user where there is none.
        expression: As written.
        reason: What for, in the player's words.
        dice: Every die, also those that do not count.
        parts: The fixed part with its sources: plain numbers and figures of the sheet.
        value: The result.
        difficulty: What the player rolled against, as written.
        result, degrees: What it came to, in games that judge such a roll; else it is only shown.
    """

    author: str
    expression: str
    dice: tuple[Die, ...]
    value: int
    reason: str = ""
    parts: Total = field(default_factory=lambda: Total(()))
    difficulty: str = ""
    result: str = ""
    degrees: int = 0


@dataclass(frozen=True, slots=True)
class FreeRolls:
    """A post that answers free rolls, with those that could not be rolled."""

    game: Game
    rolls: tuple[FreeRoll, ...]
    troubles: tuple[Trouble, ...] = ()
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A post that answers tags: what went wrong, what was done, what was asked.

    Attributes:
        troubles: Tags that did not count.
        notes: What the game master's commands did, in sentences by key.
        asked: Questions put to players in mid-round.
        help: Text of the reference, already made by ``Narrator.reference``.
    """

    game: Game
    troubles: tuple[Trouble, ...] = ()
    notes: tuple[Fact, ...] = ()
    asked: tuple[Asked, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    help: str = ""
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Closing:
    """The last post of a fight.

    Attributes:
        reason: Key of why it ended: ``one_side_left``, ``by_command``, ``first_blood`` ...
        rounds: How many were played.
        roster: Everybody at the end.
        evidence: Seeds still to be revealed and the head of the log.
    """

    game: Game
    reason: str
    rounds: int
    roster: tuple[Combatant, ...]
    notes: tuple[Fact, ...] = ()
    evidence: str = ""
