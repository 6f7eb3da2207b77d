"""Playing a log again: every hash, secret, input, die and outcome, up to the first difference.

A log's entries are mappings with a ``kind``. What is read of them here:

- ``commits``, in any entry: names of seeds and the commitments that were published;
- ``round_opened``: ``serial``, ``input`` and ``outcome``, with its ``rolls``;
- ``locked``: ``serial``, ``input`` and ``locked``, out of which the caller reads the words; where
  it has a ``beacon`` with a ``round``, the input is empty until one of the next two comes;
- ``beacon``: ``serial``, ``round``, ``signature`` and ``input``;
- ``beacon_skipped``: ``serial`` and ``input``;
- ``asked``: ``serial``;
- ``die_set``: ``serial``, ``label`` and ``faces``, by the game master;
- ``resolved``: ``serial`` and ``outcome``, with its ``rolls``, and ``set``, which of them were set;
  a round played again has several;
- ``rolled``: ``seed``, ``post``, ``by``, ``words`` and ``rolls``;
- ``opened``, a secret roll: the same, with ``asked_by`` for who made it.

What an outcome is belongs to the games: the caller hands in how an entry is played again.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from referee.evidence.beacon import Checker, is_signature, randomness
from referee.evidence.chain import GENESIS, check
from referee.evidence.seeds import (
    LockedWords,
    SeedDice,
    SetDice,
    commitment,
    public_input,
    seed_name,
)

AUDIT_CODES: Final = (
    "entry_changed",       # the chain breaks here: changed, taken out, put in or moved
    "not_canonical",       # the entry is no plain JSON data
    "secret_missing",      # dice were rolled and their secret is not there
    "commitment_differs",  # a secret does not fit what was published of it
    "lock_missing",        # a round was resolved, or the next one opened, and never locked
    "input_differs",       # the public input is not that of the declarations
    "beacon_differs",      # another round of the beacon than the lock waited for
    "beacon_false",        # a value that does not bear the beacon's signature
    "die_differs",         # a die is not what its seed gives
    "replay_differs",      # played again, something else comes out
)  # fmt: skip
"""Codes of the first difference."""

Logged = tuple[Mapping[str, Any], str]
"""An entry and the hash that is stored beside it."""

WordsOf = Callable[[Mapping[str, Any]], Iterable[LockedWords]]
"""The words that went into a round, out of the ``locked`` of its entry."""


NamedDice = SeedDice | SetDice
"""Dice of one seed, some of which may have been set."""

Cause = tuple[str, str, object, object]
"""Code, place, stored and derived value of a difference."""


class Replay(Protocol):
    """Plays one entry again; called for each entry in order, so it may carry a fight along."""

    def __call__(self, entry: Mapping[str, Any], dice: NamedDice | None) -> Mapping[str, Any]:
        """What should stand in the entry.

        Args:
            entry: As logged.
            dice: The round's dice for ``round_opened``, ``asked`` and ``resolved``, else None.

        Returns:
            Keys of the entry with the values that come out when it is played again; none where
            there is nothing to compare.
        """
        ...


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where a log is not what it should be.

    Attributes:
        number: Which entry, from 1.
        kind: The entry's kind.
        code: One of ``AUDIT_CODES``.
        where: Seed, roll or path within the entry: ``lock.3``, ``Lope.attack``,
            ``outcome.events.4.damage``.
        stored: What stands there.
        derived: What should.
    """

    number: int
    kind: str
    code: str
    where: str = ""
    stored: object = None
    derived: object = None


@dataclass(slots=True)
class _Audit:
    """Where an audit is: what the entries so far have locked and rolled."""

    thread: str
    secrets: Mapping[str, bytes]
    words_of: WordsOf
    replay: Replay
    check_beacon: Checker | None
    locks: dict[int, str] = field(default_factory=dict)  # public inputs by serial; empty: not yet
    set_dice: dict[int, dict[str, list[int]]] = field(default_factory=dict)  # by serial and label
    rounds: set[int] = field(default_factory=set)
    waiting: dict[int, Mapping[str, Any]] = field(default_factory=dict)  # locks without a beacon
    beacons: int = 0
    rolled: int = 0

    def differences(self, kind: str, entry: Mapping[str, Any]) -> Iterator[Cause]:
        """All that is wrong with one entry, the deepest cause first."""
        yield from self.promises(entry.get("commits", {}))
        dice: NamedDice | None = None
        if kind == "locked":
            yield from self.lock(entry)
        elif kind in ("beacon", "beacon_skipped"):
            yield from self.light(kind, entry)
        elif kind == "die_set":
            self.set_dice.setdefault(entry["serial"], {})[entry["label"]] = entry["faces"]
        elif kind in ("round_opened", "asked", "resolved", "rolled", "opened"):
            seed, public = self.input(kind, entry)
            yield from self.seed(seed, public, entry)
            dice = self.dice_of(kind, entry, SeedDice(self.secrets[seed], public))
            yield from self.rolls(dice, entry)
        if kind == "resolved":
            self.rounds.add(entry["serial"])
        for key, derived in self.replay(entry, dice).items():
            found = first_difference(entry.get(key), derived, key)
            if found is not None:
                yield ("replay_differs", *found)

    def promises(self, commits: Mapping[str, str]) -> Iterator[Cause]:
        """Secrets that do not fit what was published of them."""
        for seed, digest in commits.items():
            if seed in self.secrets and commitment(self.secrets[seed]) != digest:
                yield "commitment_differs", seed, digest, commitment(self.secrets[seed])

    def lock(self, entry: Mapping[str, Any]) -> Iterator[Cause]:
        """Freeze a round's public input, and see whether it is the one that was logged."""
        serial = entry["serial"]
        seed = seed_name("lock", serial)
        if entry["locked"].get("beacon"):
            self.waiting[serial] = entry["locked"]
            derived = ""
        else:
            derived = public_input(seed, self.thread, self.words_of(entry["locked"]))
        self.locks[serial] = derived
        if entry["input"] != derived:
            yield "input_differs", seed, entry["input"], derived

    def light(self, kind: str, entry: Mapping[str, Any]) -> Iterator[Cause]:
        """Complete a lock that has waited for its beacon, with its value or without."""
        serial = entry["serial"]
        seed = seed_name("lock", serial)
        locked = self.waiting.get(serial)
        if locked is None:
            yield "lock_missing", seed, None, None
            return
        value = ""
        if kind == "beacon":
            number, signature = entry["round"], entry["signature"]
            if number != locked["beacon"]["round"]:
                yield "beacon_differs", seed, number, locked["beacon"]["round"]
            if not is_signature(signature) or (
                self.check_beacon is not None and not self.check_beacon(number, signature)
            ):
                yield "beacon_false", seed, signature, None
                return
            value = randomness(signature)
            self.beacons += 1
        derived = public_input(seed, self.thread, self.words_of(locked), beacon=value)
        self.locks[serial] = derived
        if entry["input"] != derived:
            yield "input_differs", seed, entry["input"], derived

    def seed(self, seed: str, public: str, entry: Mapping[str, Any]) -> Iterator[Cause]:
        """What is wrong with the seed of an entry's dice; without it nothing can be rolled."""
        if not public:
            yield "lock_missing", seed, None, None
        elif seed not in self.secrets:
            yield "secret_missing", seed, None, None
        elif entry.get("input", public) != public:
            yield "input_differs", seed, entry["input"], public

    def input(self, kind: str, entry: Mapping[str, Any]) -> tuple[str, str]:
        """Name and public input of the seed that an entry's dice come from; no input, no lock."""
        if kind in ("rolled", "opened"):
            by = entry.get("asked_by", entry["by"])
            words = [LockedWords(entry["post"], by, words) for words in entry["words"]]
            return entry["seed"], public_input(entry["seed"], self.thread, words)
        serial = entry["serial"]
        if kind != "round_opened":
            return seed_name("lock", serial), self.locks.get(serial, "")
        seed = seed_name("open", serial)
        self.locks.setdefault(serial, "")
        if serial == 1:
            return seed, public_input(seed, self.thread)
        # A round that was opened and never locked, since its fight was ended, leaves nothing.
        previous = self.locks.get(serial - 1)
        return seed, "" if previous is None else public_input(seed, self.thread, previous=previous)

    def dice_of(self, kind: str, entry: Mapping[str, Any], dice: SeedDice) -> NamedDice:
        """The dice of an entry, with those that the game master has set for its round."""
        if kind not in ("asked", "resolved"):
            return dice
        return SetDice(dice, self.set_dice.get(entry["serial"], {}))

    def rolls(self, dice: NamedDice, entry: Mapping[str, Any]) -> Iterator[Cause]:
        """Dice of an entry that are not what their seed gives."""
        rolls = entry["rolls"] if "rolls" in entry else entry.get("outcome", {}).get("rolls", ())
        for roll in rolls:
            label, sides = roll["label"], roll["sides"]
            derived = [dice.face(label, index, size) for index, size in enumerate(sides)]
            self.rolled += len(derived)
            if list(roll["faces"]) != derived:
                yield "die_differs", label, list(roll["faces"]), derived
        used = dice.used if isinstance(dice, SetDice) else {}
        if entry["kind"] == "resolved" and entry.get("set", {}) != used:
            yield "die_differs", "set", entry.get("set", {}), used


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What an audit saw.

    Attributes:
        entries: How many were looked at, the one with the difference included.
        rounds: How many different rounds were resolved in them.
        dice: How many dice were worked out again, all tellings counted.
        beacons: How many values of a public beacon went into them.
        unchecked: How many of those bear a signature that could not be checked here.
        first: The first difference, or None where the whole log holds.
    """

    entries: int
    rounds: int
    dice: int
    beacons: int
    unchecked: int
    first: Difference | None

    def as_json(self) -> dict[str, Any]:
        """The report as plain data."""
        first = self.first
        shown = None if first is None else {name: getattr(first, name) for name in first.__slots__}
        return {
            "holds": first is None,
            "entries": self.entries,
            "rounds": self.rounds,
            "dice": self.dice,
            "beacons": self.beacons,
            "beacons_unchecked": self.unchecked,
            "first": shown,
        }


@dataclass(frozen=True, slots=True)
class Before:
    """What a log that does not begin at its beginning takes over from what came before.

    Attributes:
        hash: Of the entry before the first.
        inputs: Public inputs of locks before, by serial; empty for a round that never locked.
        commits: What was published before, by seed name.
    """

    hash: str = GENESIS
    inputs: Mapping[int, str] = field(default_factory=dict)
    commits: Mapping[str, str] = field(default_factory=dict)


_BEGINNING: Final = Before()


def audit(
    thread: str,
    entries: Sequence[Logged],
    secrets: Mapping[str, bytes],
    words_of: WordsOf,
    replay: Replay,
    before: Before = _BEGINNING,
    check_beacon: Checker | None = None,
) -> AuditReport:
    """Go through a thread's log from its beginning to the first difference.

    Args:
        thread: Id of the fight, as in its evidence blocks.
        entries: The whole log in order.
        secrets: By seed name, those that have been used.
        words_of: Reads the words out of what was locked.
        replay: Plays an entry again. What it raises comes out with the entry's number as a note.
        before: What came before the first entry, where that is not the log's beginning.
        check_beacon: Checks signatures of a public beacon, where the means are at hand.
    """
    broken = check(entries, before.hash)
    run = _Audit(thread, secrets, words_of, replay, check_beacon, dict(before.inputs))

    def report(number: int, first: Difference | None) -> AuditReport:
        unchecked = 0 if check_beacon is not None else run.beacons
        return AuditReport(number, len(run.rounds), run.rolled, run.beacons, unchecked, first)

    early = next(run.promises(before.commits), None)
    if early is not None:
        return report(0, Difference(0, "before", *early))
    for index, (entry, _) in enumerate(entries):
        number, kind = index + 1, str(entry.get("kind", ""))
        if broken is not None and broken.index == index:
            first = Difference(number, kind, broken.code, "", broken.stored, broken.computed)
            return report(number, first)
        try:
            found = next(run.differences(kind, entry), None)
        except Exception as error:
            error.add_note(f"log entry {number} ({kind}) of {thread}")
            raise
        if found is not None:
            return report(number, Difference(number, kind, *found))
    return report(len(entries), None)


def first_difference(
    stored: object, derived: object, path: str = ""
) -> tuple[str, object, object] | None:
    """Where two plain values part: path, what is stored, what is derived; None where they agree.

    Tuples count as lists, and keys are compared in their sorted order, so that the answer does
    not depend on how the values came about.
    """
    pairs: Iterable[tuple[object, object, object]] = ()
    if isinstance(stored, Mapping) and isinstance(derived, Mapping):
        pairs = ((key, stored.get(key), derived.get(key)) for key in sorted({*stored, *derived}))
    elif isinstance(stored, (list, tuple)) and isinstance(derived, (list, tuple)):
        both = enumerate(zip(stored, derived, strict=False))
        length = ("length", len(stored), len(derived))
        pairs = (*((index, left, right) for index, (left, right) in both), length)
    # True is 1 to Python, but not in a log.
    elif stored != derived or type(stored) is not type(derived):
        return path, stored, derived
    found = (
        first_difference(left, right, f"{path}.{step}" if path else str(step))
        for step, left, right in pairs
    )
    return next((one for one in found if one is not None), None)
