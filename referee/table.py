"""A thread's table: everything that its rounds need, as values, and small steps that all share."""

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from referee.declaring import Seats
from referee.evidence import commitment
from referee.storage.records import FightRow, Records, RoundRow
from referee.tags import Vocabulary, find_tags
from rulesets.core.ruleset import Ruleset, Setup

if TYPE_CHECKING:
    from referee.telling import Telling

# What could be taken for another sign is left out.
_CONSONANTS: Final = "bcdfghjkmnpqrstvwxz"
_DIGITS: Final = "23456789"

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
        beacon: Whether a lock waits for a public beacon.
        missing: What a character does for whom nobody has declared, by name: ``wait``,
            ``standing``, ``defend``, ``gm`` or ``nothing``.
        deadline: From the moment a round opens to its deadline; None for no deadline.
        question_deadline: The same for a question.
        locks_at: From a deadline to the moment at which the round locks (its grace).
        read_deadline: What ``plazo`` says, read from now and the deadline in force; or the code of
            what is wrong with it.
    """

    strict: bool
    asked: frozenset[str]
    rulings: bool
    hold_back: timedelta
    review: bool
    beacon: bool
    missing: Mapping[str, str]
    deadline: Callable[[datetime], datetime | None]
    question_deadline: Callable[[datetime], datetime | None]
    locks_at: Callable[[datetime | None], datetime | None]
    read_deadline: Callable[[str, datetime, datetime | None], datetime | str]

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
        tables_hash: Of the tables as they came from their files: which rules a round was played by.
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
    tables_hash: str

    @property
    def edition(self) -> dict[str, str]:
        """Which rules these are, for the log."""
        return {"version": self.ruleset.version, "tables": self.tables_hash}

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


def tables_text(raw: Mapping[str, Any]) -> str:
    """Parsed tables, by file stem, as JSON in the order of their rows: it means something."""
    return json.dumps(raw, ensure_ascii=False, separators=(",", ":"))


def tables_hash(raw: Mapping[str, Any]) -> str:
    """SHA-256 over ``tables_text``."""
    return hashlib.sha256(tables_text(raw).encode()).hexdigest()


def mark_of(secret: Callable[[int], bytes]) -> str:
    """A mark that no other post carries, and that no forum's filter of words knows.

    It has no vowels, and never three letters in a row: a board that looks for unwanted words within
    words would find "hdp" or "wtf" in one of some thousand marks, and a post that has lost its mark
    looks as if it had never landed.
    """
    mark = ""
    for byte in secret(8):
        signs = _DIGITS if mark[-2:].isalpha() and len(mark) > 1 else _CONSONANTS + _DIGITS
        mark += signs[byte % len(signs)]
    return f"ref-{mark}"


@dataclass(frozen=True, slots=True)
class Sitting:
    """One transition at a table: an open transaction, the table, and the moment.

    Attributes:
        records: Reads and writes of this transaction.
        table: The thread's table.
        now: The moment at which all of it happens.
    """

    records: Records
    table: Table
    now: datetime

    @property
    def key(self) -> str:
        """The thread."""
        return self.table.key

    def new_mark(self) -> str:
        """A mark for one more post."""
        return mark_of(self.table.secret)

    def new_seed(self, name: str, mark: str) -> str:
        """Make the secret of a seed; returns what the post with this mark commits to."""
        secret = self.table.secret(32)
        digest = commitment(secret)
        self.records.add_seed(
            thread=self.key,
            name=name,
            secret=secret,
            commitment=digest,
            made_at=self.now,
            committed_by=mark,
            revealed_by="",
        )
        return digest

    def put_out(
        self, kind: str, mark: str, text: str, *, edits: str = "", at_once: bool = False
    ) -> None:
        """Write a post, or an edit of the post that carries the same mark, into the outbox.

        ``at_once`` is for what must stand in the thread before something else is known: it waits
        for nobody's leave.
        """
        review = self.table.house.review and not edits and not at_once
        self.records.add_outbox(
            thread=self.key,
            kind=kind,
            mark=mark,
            text=text,
            edits=edits,
            state="review" if review else "pending",
            made_at=self.now,
        )

    def note(self, round_: RoundRow, *notes: Note) -> None:
        """Add notes to a round's status post."""
        kept = self.records.round(round_.id).notes
        fresh = [item.as_json() for item in notes if item.as_json() not in kept]
        if fresh:
            self.records.set_round(round_.id, notes=[*kept, *fresh])

    def log(self, kind: str, by: str = "", **data: Any) -> None:
        """Add an entry to the thread's hash chain: what, when, by whom."""
        self.records.append_log(
            self.key, {"kind": kind, "at": self.now.isoformat(), "by": by, **data}
        )

    def situation(self) -> "Situation":
        """Where the thread stands."""
        return situation(self.records, self.key)


# Posts whose tags are no mistake when somebody quotes them; who quotes older ones knows.
_QUOTABLE: Final = 500


def tags_elsewhere(at: Sitting) -> Callable[[], Collection[str]]:
    """Words of the tags that the thread's newest posts hold; looked up only when asked for."""

    def words() -> Collection[str]:
        thread = at.records.thread(at.key)
        after = 0 if thread is None else max(0, thread.sequence - _QUOTABLE)
        return [
            raw.words
            for version in at.records.versions(at.key, after)
            for raw in find_tags(version.words, at.table.vocabulary)
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
