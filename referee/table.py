"""A thread's table: everything that its rounds need, as values, and small steps that all share."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from referee.declaring import Seats
from referee.evidence import commitment
from referee.posting import MARK_LETTERS
from referee.storage.records import FightRow, Records, RoundRow
from referee.tags import Vocabulary, find_tags
from rulesets.core.ruleset import Ruleset, Setup

if TYPE_CHECKING:
    from referee.telling import Telling

CONSOLE = "gm:console"
"""Author id of what the game master says at the command line; no forum issues such an id."""


@dataclass(frozen=True, slots=True)
class House:
    """How a thread is run: the config's policies, with its calendar already worked in.

    Attributes:
        strict: Declarations in the ruleset's order.
        asked: Characters whose choices in mid-round are put to their players.
        rulings: Whether the next round waits for the game master's rulings.
        hold_back: How long after the last declaration a round still waits, unless all are final.
        review: Whether posts wait for the game master's leave.
        missing: What a character does for whom nobody has declared, by name: ``wait``,
            ``standing``, ``defend``, ``gm`` or ``nothing``.
        deadline: From the moment a round opens to its deadline; None for no deadline.
        question_deadline: The same for a question.
        locks_at: From a deadline to the moment at which the round locks (its grace).
        read_deadline: What ``plazo`` says, read from now and the deadline in force; None when it
            cannot be read.
    """

    strict: bool
    asked: frozenset[str]
    rulings: bool
    hold_back: timedelta
    review: bool
    missing: Mapping[str, str]
    deadline: Callable[[datetime], datetime | None]
    question_deadline: Callable[[datetime], datetime | None]
    locks_at: Callable[[datetime | None], datetime | None]
    read_deadline: Callable[[str, datetime, datetime | None], datetime | None]

    def missing_for(self, name: str) -> str:
        """The policy of a character."""
        return self.missing.get(name, "standing")


@dataclass(frozen=True, slots=True)
class Table:
    """All that a thread's rounds need; built by ``app.py`` from the config.

    Attributes:
        key: The thread.
        ruleset: The game; ``tables`` are its data with the game master's overrides.
        setup: The cast as the config has it now; a running fight keeps its own.
        seats: Who may say what.
        vocabulary: Words to ids.
        house: How the thread is run.
        referee_id: The referee's own user id on the site.
        edits: Whether the site lets it edit its posts.
        secret: Source of secrets: ``secret(n)`` gives n random bytes.
        telling: Turns what happened into posts.
    """

    key: str
    ruleset: Ruleset
    tables: Any
    setup: Setup
    seats: Seats
    vocabulary: Vocabulary
    house: House
    referee_id: str
    edits: bool
    secret: Callable[[int], bytes]
    telling: "Telling"

    def load(self, state: Mapping[str, Any]) -> Any:
        """A stored fight as the ruleset's own value."""
        return self.ruleset.load(state, self.tables)


@dataclass(frozen=True, slots=True)
class Note:
    """Something that the thread must be told: a code of ``messages.yaml`` and its facts."""

    code: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"code": self.code, "facts": dict(self.facts)}


def mark_of(secret: Callable[[int], bytes]) -> str:
    """A mark that no other post carries."""
    return "ref-" + "".join(MARK_LETTERS[byte % len(MARK_LETTERS)] for byte in secret(8))


def new_mark(table: Table) -> str:
    """A mark for one more post of the table."""
    return mark_of(table.secret)


def new_seed(records: Records, table: Table, name: str, mark: str, now: datetime) -> str:
    """Make the secret of a seed, to be committed to by the post with this mark."""
    secret = table.secret(32)
    records.add_seed(
        thread=table.key,
        name=name,
        secret=secret,
        commitment=commitment(secret),
        made_at=now,
        committed_by=mark,
        revealed_by="",
    )
    return commitment(secret)


def put_out(
    records: Records, table: Table, kind: str, mark: str, text: str, now: datetime, edits: str = ""
) -> None:
    """Write a post, or an edit of the post that carries the same mark, into the outbox."""
    records.add_outbox(
        thread=table.key,
        kind=kind,
        mark=mark,
        text=text,
        digest="",
        edits=edits,
        state="review" if table.house.review and not edits else "pending",
        made_at=now,
    )


def note(records: Records, round_: RoundRow, *notes: Note) -> None:
    """Add notes to a round's status post."""
    fresh = [item.as_json() for item in notes if item.as_json() not in round_.notes]
    if fresh:
        records.set_round(round_.id, notes=[*round_.notes, *fresh])


def log(
    records: Records, table: Table, now: datetime, kind: str, by: str = "", **data: Any
) -> None:
    """Add an entry to the thread's hash chain: what, when, by whom."""
    records.append_log(table.key, {"kind": kind, "at": now.isoformat(), "by": by, **data})


# Posts whose tags are no mistake when somebody quotes them; who quotes older ones knows.
_QUOTABLE: Final = 500


def tags_elsewhere(records: Records, table: Table) -> Callable[[], Collection[str]]:
    """Words of the tags that the thread's newest posts hold; looked up only when asked for."""

    def words() -> Collection[str]:
        thread = records.thread(table.key)
        after = 0 if thread is None else max(0, thread.sequence - _QUOTABLE)
        return [
            raw.words
            for version in records.versions(table.key, after)
            for raw in find_tags(version.words, table.vocabulary)
        ]

    return words


@dataclass(frozen=True, slots=True)
class Situation:
    """Where a thread stands: its fight and its newest round, if any."""

    fight: FightRow | None
    round: RoundRow | None

    @property
    def declaring(self) -> RoundRow | None:
        """The round that takes declarations."""
        if self.round is not None and self.round.status == "declaring":
            return self.round
        return None


def situation(records: Records, thread: str) -> Situation:
    """Look up where a thread stands.

    Rounds of an ended fight don't count, nor does one that waits for the round before it to be
    played again.
    """
    fight = records.current_fight(thread)
    if fight is None:
        return Situation(None, None)
    newest = records.last_round(thread, undone=False)
    return Situation(fight, newest if newest is not None and newest.fight == fight.id else None)
