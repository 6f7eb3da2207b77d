"""Checking a fight from its thread alone: no config, no database, no trust in the referee.

``verify`` reads every evidence block, works out every die again and says of each seed, each roll
and each declaration what holds, what does not and what is missing. Findings are codes and facts;
``messages.yaml`` has their sentences.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import prod
from typing import Any, Final, Literal, Protocol

from referee.evidence.beacon import Checker, published_at, randomness
from referee.evidence.block import Beacon, Block, BlockRoll
from referee.evidence.reader import BlockProblem, Fault, find_blocks, plain_words
from referee.evidence.seeds import (
    UNPOSTED,
    LockedWords,
    SeedDice,
    commitment,
    public_input,
    read_seed_name,
    secret_label,
)

Verdict = Literal["holds", "broken", "incomplete"]

BROKEN: Final = (
    "commitment_changed",    # one seed, two commitments
    "commitment_late",       # not in an earlier post than the secret
    "commitment_differs",    # the dice fit the secret, the commitment does not
    "secret_differs",        # the secret does not fit its commitment
    "secret_changed",        # one seed, two secrets
    "die_differs",           # a die shows another face than its seed gives
    "public_input_differs",  # secret and commitment fit, and no die does: the words must be others
    "label_repeated",        # two rolls under one label and seed in one post
    "words_changed",         # one seed, two sets of declarations
    "words_after_reveal",    # declared when the secret was known
    "words_of_another",      # the post belongs to somebody else
    "label_chosen",          # a secret roll was opened under a label that is not its own
    "beacon_changed",        # two rounds of the beacon, or two values, for one lock
    "beacon_false",          # the beacon's value does not bear its chain's signature
)  # fmt: skip
"""Codes of what contradicts the referee."""

INCOMPLETE: Final = (
    "no_evidence",           # no block of the referee's at all
    "block_damaged",         # a block that is not as its writer wrote it
    "part_missing",          # a block in parts, not all of them there
    "commitment_missing",    # a secret without an earlier promise
    "reveal_missing",        # a promise passed over
    "rolls_unproved",        # dice whose seed or public input is not known
    "previous_missing",      # the round before, whose declarations an opening's dice need
    "words_not_found",       # the post no longer holds the words, nor admits to an edit
    "words_post_missing",    # the post is not there
    "dice_without_reason",   # other rolls than before, or dice set, without a ruling
    "secret_post_missing",   # a secret roll was opened, and no post shows that it was made
    "beacon_unchecked",      # a beacon's value whose signature nobody here can check
    "beacon_unannounced",    # a beacon that no earlier post has named
    "beacon_missing",        # a beacon was announced, and its value is not there, nor a ruling
)  # fmt: skip
"""Codes of what could not be checked, or is not explained."""

NOTES: Final = (
    "referee_assumed",       # nobody said who the referee is: the author of the first block
    "block_forged",          # a block in somebody else's post; it counts for nothing
    "words_edited",          # the post was edited and no longer holds the words
    "commitment_edited",     # the post with the commitment was edited
    "words_before_commitment",  # all that the dice depend on stood there before the promise
    "words_unposted",        # given at the referee's own command line: no post has them
    "amended",               # a ruling or correction that the post takes into account
    "die_set",               # dice that the game master set: not those of their seed
    "secret_closed",         # a secret roll that has not been opened
    "beacon_skipped",        # the game master went on without the beacon that was announced
    "beacon_late",           # announced when its value was public already
    "beacon_untimed",        # nothing tells when it was announced
    "beacon_edited",         # the post that announced it was edited
    "beacon_absent",         # other rounds of the fight have a beacon, this one has none
)  # fmt: skip
"""Codes of what a reader should know, though it breaks nothing."""

CODES: Final = BROKEN + INCOMPLETE + NOTES

SEED_STATES: Final = ("holds", "differs", "late", "uncommitted", "unrevealed", "pending")
ROLL_STATES: Final = ("holds", "differs", "unproved", "set")
BEACON_STATES: Final = ("holds", "false", "unchecked", "skipped", "missing", "pending")
WORDS_STATES: Final = ("holds", "edited", "not_found", "post_missing", "of_another", "unposted")

SeedState = Literal["holds", "differs", "late", "uncommitted", "unrevealed", "pending"]
RollState = Literal["holds", "differs", "unproved", "set"]
BeaconState = Literal["holds", "false", "unchecked", "skipped", "missing", "pending"]
WordsState = Literal["holds", "edited", "not_found", "post_missing", "of_another", "unposted"]


class PostLike(Protocol):
    """What is read of a post: ``adapters.base.Post`` is one."""

    @property
    def id(self) -> str:
        """The platform's id of the post."""
        ...

    @property
    def author_id(self) -> str:
        """The platform's id of its author."""
        ...

    @property
    def own_words(self) -> str:
        """Text of the author."""
        ...

    @property
    def set_aside(self) -> str:
        """Text of quotes and code blocks."""
        ...

    @property
    def edited(self) -> bool | None:
        """Whether it was edited, where the platform tells."""
        ...

    @property
    def posted_at(self) -> datetime | None:
        """When it was posted, where the platform tells."""
        ...


@dataclass(frozen=True, slots=True)
class ThreadPost:
    """A post for checking, where no adapter has read it (pasted text, test vectors)."""

    id: str
    author_id: str
    own_words: str
    set_aside: str = ""
    edited: bool | None = None
    posted_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to tell the reader.

    Attributes:
        code: One of ``CODES``.
        post_id: Where it stands.
        facts: Names and figures for its sentence.
    """

    code: str
    post_id: str
    facts: Mapping[str, object] = field(default_factory=dict)

    @property
    def verdict(self) -> Verdict:
        """What this finding alone makes of the thread."""
        if self.code in BROKEN:
            return "broken"
        return "incomplete" if self.code in INCOMPLETE else "holds"


@dataclass(frozen=True, slots=True)
class SeedCheck:
    """What became of one seed.

    Attributes:
        thread: Id of the fight.
        seed: Its name.
        state: ``pending`` means promised and not yet due.
        committed_in: Id of the post with the promise, or empty.
        revealed_in: Id of the first post with the secret, or empty.
    """

    thread: str
    seed: str
    state: SeedState
    committed_in: str = ""
    revealed_in: str = ""


@dataclass(frozen=True, slots=True)
class RollCheck:
    """One roll as shown in one post, beside what its seed gives.

    Attributes:
        thread: Id of the fight.
        post_id: Where it is shown.
        seed: Name of the seed.
        label: Who rolled and what for.
        sides: Of each die.
        faces: As shown.
        derived: As worked out; empty where it cannot be.
        state: Whether the two agree; ``set`` where the game master set dice of it and says so.
    """

    thread: str
    post_id: str
    seed: str
    label: str
    sides: tuple[int, ...]
    faces: tuple[int, ...]
    derived: tuple[int, ...]
    state: RollState


@dataclass(frozen=True, slots=True)
class WordsCheck:
    """One locked declaration, or one roll tag that was answered.

    Attributes:
        thread: Id of the fight.
        seed: Name of the seed whose public input it is part of; empty for a ruling.
        shown_in: Id of the referee's post that has it.
        post_id: Id of the post that it was taken from.
        author_id: Of that post.
        words: As locked.
        state: Whether the post still says so.
    """

    thread: str
    seed: str
    shown_in: str
    post_id: str
    author_id: str
    words: str
    state: WordsState


@dataclass(frozen=True, slots=True)
class BeaconCheck:
    """The public beacon that the dice after a lock depend on.

    Attributes:
        thread: Id of the fight.
        seed: Name of the seed of those dice.
        chain: Of the beacon.
        round: Which of its rounds.
        randomness: What it gives, 64 hex digits; empty where it gives nothing (yet).
        state: ``unchecked`` where the means to check its signature are not at hand.
        announced_in: Id of the post that named it first, or empty.
        shown_in: Id of the first post with its value, or empty.
    """

    thread: str
    seed: str
    chain: str
    round: int
    randomness: str
    state: BeaconState
    announced_in: str = ""
    shown_in: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """All that can be said of a thread's evidence.

    Attributes:
        referee_ids: Whose blocks counted.
        blocks: How many blocks of the referee's were read.
        seeds: In the order of their first appearance.
        rolls: In the order of the thread.
        words: Likewise, each declaration once.
        beacons: Likewise, one a lock that waited for one.
        findings: Likewise, grouped by what they are about.
    """

    referee_ids: tuple[str, ...]
    blocks: int
    seeds: tuple[SeedCheck, ...]
    rolls: tuple[RollCheck, ...]
    words: tuple[WordsCheck, ...]
    beacons: tuple[BeaconCheck, ...]
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Verdict:
        """``broken`` where anything contradicts, else ``incomplete`` where anything is missing."""
        verdicts = {finding.verdict for finding in self.findings}
        if "broken" in verdicts:
            return "broken"
        return "incomplete" if "incomplete" in verdicts else "holds"

    def as_json(self) -> dict[str, Any]:
        """The report as plain JSON data."""
        return {
            "verdict": self.verdict,
            "referee_ids": list(self.referee_ids),
            "blocks": self.blocks,
            "seeds": [_plain(check) for check in self.seeds],
            "rolls": [_plain(check) for check in self.rolls],
            "words": [_plain(check) for check in self.words],
            "beacons": [_plain(check) for check in self.beacons],
            "findings": [
                {"code": one.code, "post_id": one.post_id, "facts": dict(one.facts)}
                for one in self.findings
            ],
        }


def _plain(check: SeedCheck | RollCheck | WordsCheck | BeaconCheck) -> dict[str, Any]:
    values = {name: getattr(check, name) for name in check.__slots__}
    return {k: list(v) if isinstance(v, tuple) else v for k, v in values.items()}


def verify(
    posts: Sequence[PostLike],
    referee_ids: Collection[str] = (),
    check_beacon: Checker | None = None,
) -> Report:
    """Check every die and every declaration of a thread.

    Args:
        posts: In the order of the thread. A post that comes twice counts once.
        referee_ids: User ids of the referee. Where none is given, the author of the first block
            is taken for it, and the report says so.
        check_beacon: Checks signatures of a public beacon; without it the report says that they
            were not checked.
    """
    thread = _Thread(posts)
    findings: list[Finding] = []
    if not referee_ids:
        first = next((post for post in posts if thread.blocks[post.id]), None)
        if first is not None:
            referee_ids = (first.author_id,)
            facts = {"referee": first.author_id}
            findings.append(Finding("referee_assumed", first.id, facts))
    own = thread.placed(referee_ids)
    findings += thread.forged(referee_ids, own)
    findings += _damaged(own)
    if not own:
        findings.append(Finding("no_evidence", posts[0].id if posts else ""))
    seeds: list[SeedCheck] = []
    rolls: list[RollCheck] = []
    words: list[WordsCheck] = []
    beacons: list[BeaconCheck] = []
    for fight_id in dict.fromkeys(placed.thread for placed in own):
        blocks = [one for one in own if one.thread == fight_id]
        fight = _Fight(thread, fight_id, blocks, check_beacon)
        rolls += fight.rolls
        words += fight.words
        seeds += fight.seeds
        beacons += fight.beacons.values()
        findings += fight.findings
    return Report(
        referee_ids=tuple(referee_ids),
        blocks=len(own),
        seeds=tuple(seeds),
        rolls=tuple(rolls),
        words=tuple(words),
        beacons=tuple(beacons),
        findings=tuple(findings),
    )


# --- where blocks stand -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Placed:
    """A block of the referee's and where it stands."""

    at: int
    post: PostLike
    block: Block
    thread: str
    faults: tuple[Fault, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether nothing that the block once said can be missing from it."""
        return not any(fault.code in _LOSSES for fault in self.faults)

    def hit(self, record: str) -> bool:
        """Whether one record is known to be damaged."""
        return any(fault.record == record for fault in self.faults)


_LOSSES: Final = frozenset({"unreadable", "lost", "cut_short", "unknown_version", "no_header"})


class _Thread:
    """The posts by id, each with its place and its blocks."""

    def __init__(self, posts: Sequence[PostLike]) -> None:
        self.posts: dict[str, PostLike] = {}
        self.place: dict[str, int] = {}
        self.blocks: dict[str, tuple[Block | BlockProblem, ...]] = {}
        for at, post in enumerate(posts):
            if post.id in self.posts:
                continue
            self.posts[post.id] = post
            self.place[post.id] = at
            # The same block may be in both, where an adapter shows a spoiler's code twice.
            both = (*find_blocks(post.own_words), *find_blocks(post.set_aside))
            self.blocks[post.id] = tuple(dict.fromkeys(both))

    def placed(self, referee_ids: Collection[str]) -> list[_Placed]:
        """The referee's blocks; one whose fight cannot be read belongs to the fight before it."""
        found = [
            (post, *_apart(one))
            for post in self.posts.values()
            if post.author_id in referee_ids
            for one in self.blocks[post.id]
        ]
        known = [block.thread for _, block, faults in found if _knows_its_thread(block, faults)]
        fight = known[0] if known else ""
        placed: list[_Placed] = []
        for post, block, faults in found:
            if _knows_its_thread(block, faults):
                fight = block.thread
            placed.append(_Placed(self.place[post.id], post, block, fight, faults))
        return placed

    def forged(self, referee_ids: Collection[str], own: Iterable[_Placed]) -> Iterator[Finding]:
        """Blocks in posts of others, but for faithful copies."""
        true = {placed.block for placed in own if not placed.faults}
        for post in self.posts.values():
            if post.author_id in referee_ids:
                continue
            for found in self.blocks[post.id]:
                if found not in true:
                    block = found.block if isinstance(found, BlockProblem) else found
                    facts = {"author": post.author_id, **_about(block)}
                    yield Finding("block_forged", post.id, facts)

    def state_of(self, words: LockedWords) -> WordsState:
        """Whether a post still says what it is said to have said."""
        post = self.posts.get(words.post_id)
        if post is None:
            return "unposted" if words.post_id.startswith(UNPOSTED) else "post_missing"
        if post.author_id != words.author_id:
            return "of_another"
        if _squeezed(words.words) in _squeezed(post.own_words):
            return "holds"
        return "edited" if post.edited else "not_found"


def _apart(found: Block | BlockProblem) -> tuple[Block, tuple[Fault, ...]]:
    """A block and what is wrong with it; what could not be read at all is an empty block."""
    if isinstance(found, Block):
        return found, ()
    return found.block or Block("", ""), found.faults


def _knows_its_thread(block: Block, faults: Iterable[Fault]) -> bool:
    return bool(block.thread) and not any(fault.record == "thread" for fault in faults)


def _squeezed(words: str) -> str:
    """Words without spaces and with one kind of quote and dash, as saved pages vary in those."""
    return "".join(plain_words(words).split())


def _about(block: Block | None) -> dict[str, object]:
    return {} if block is None else {"kind": block.kind, "number": block.number}


def _damaged(own: Iterable[_Placed]) -> Iterator[Finding]:
    for placed in own:
        for fault in placed.faults:
            facts = {"fault": fault.code, "record": fault.record, "line": fault.line}
            yield Finding("block_damaged", placed.post.id, {**facts, **_about(placed.block)})


# --- one fight ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Telling:
    """A block with all its parts: one telling of a round, an opening, an answer to rolls."""

    parts: tuple[_Placed, ...]

    @property
    def post_id(self) -> str:
        """Where it begins."""
        return self.parts[0].post.id

    @property
    def key(self) -> tuple[str, int]:
        """What it tells."""
        return self.parts[0].block.kind, self.parts[0].block.number

    @property
    def missing(self) -> tuple[int, ...]:
        """Numbers of the parts that are not there."""
        there = {placed.block.part[0] for placed in self.parts}
        return tuple(n for n in range(1, self.parts[0].block.part[1] + 1) if n not in there)

    @property
    def whole(self) -> bool:
        """Whether nothing that it once said can be missing."""
        return not self.missing and all(placed.whole for placed in self.parts)

    @property
    def words(self) -> tuple[LockedWords, ...]:
        """Frozen declarations of all parts."""
        return tuple(words for placed in self.parts for words in placed.block.words)

    @property
    def amended(self) -> tuple[LockedWords, ...]:
        """Rulings and corrections of all parts."""
        return tuple(words for placed in self.parts for words in placed.block.amended)

    @property
    def sets(self) -> dict[str, tuple[int, ...]]:
        """Faces that the game master set, by label, of all parts."""
        return {one.label: one.faces for placed in self.parts for one in placed.block.sets}

    @property
    def rolls(self) -> tuple[tuple[_Placed, BlockRoll], ...]:
        """Rolls of all parts."""
        return tuple((placed, roll) for placed in self.parts for roll in placed.block.rolls)


def _tellings(own: Iterable[_Placed]) -> list[_Telling]:
    """Parts put together: each joins the last telling of the same thing that still lacks it."""
    tellings: list[list[_Placed]] = []
    open_ones: dict[tuple[str, int, int], list[_Placed]] = {}
    for placed in own:
        part, parts = placed.block.part
        key = (placed.block.kind, placed.block.number, parts)
        group = open_ones.get(key)
        if group is None or parts == 1 or any(one.block.part[0] == part for one in group):
            group = open_ones[key] = []
            tellings.append(group)
        group.append(placed)
    return [_Telling(tuple(group)) for group in tellings]


@dataclass(frozen=True, slots=True)
class _Input:
    """A public input as worked out; ``whole`` is False where something may be missing from it."""

    value: str
    whole: bool
    words: tuple[LockedWords, ...]


@dataclass(frozen=True, slots=True)
class _Said:
    """What one block promises or reveals of a seed."""

    placed: _Placed
    digits: str


@dataclass(frozen=True, slots=True)
class _Lit:
    """What one block says of a beacon."""

    telling: _Telling
    placed: _Placed
    beacon: Beacon

    @property
    def post_id(self) -> str:
        """Where it says so."""
        return self.placed.post.id


class _Fight:
    """The checks of one fight; all of them are made on construction."""

    def __init__(
        self, thread: _Thread, fight_id: str, own: list[_Placed], check_beacon: Checker | None
    ) -> None:
        self.thread = thread
        self.id = fight_id
        self.check_beacon = check_beacon
        self.findings: list[Finding] = []
        self.seeds: list[SeedCheck] = []
        self.rolls: list[RollCheck] = []
        self.words: list[WordsCheck] = []
        self.tellings = _tellings(own)
        self.commits: dict[str, list[_Said]] = defaultdict(list)
        self.reveals: dict[str, list[_Said]] = defaultdict(list)
        for placed in own:
            for commit in placed.block.commits:
                self.commits[commit.seed].append(_Said(placed, commit.hash))
            for reveal in placed.block.reveals:
                self.reveals[reveal.seed].append(_Said(placed, reveal.secret))
        self.check_parts()
        self.beacons = dict(self.read_beacons())
        self.inputs = dict(self.read_inputs())
        self.after_ended = dict(self.read_after_ended())
        self.by_seed: dict[str, list[RollCheck]] = defaultdict(list)
        for telling in self.tellings:
            sets = telling.sets
            for placed, roll in telling.rolls:
                check = self.roll(placed, roll, sets.get(roll.label, ()))
                self.rolls.append(check)
                self.by_seed[roll.seed].append(check)
        for seed in dict.fromkeys((*self.commits, *self.reveals, *self.by_seed)):
            self.check_seed(seed, self.by_seed.get(seed, []))
        self.check_words()
        self.check_retellings()
        for telling in self.tellings:
            self.check_sets(telling)
        self.check_secret_rolls()

    def find(self, code: str, post_id: str, **facts: object) -> None:
        """Note a finding."""
        self.findings.append(Finding(code, post_id, facts))

    def check_parts(self) -> None:
        """Parts that are not there, and labels that stand twice."""
        for telling in self.tellings:
            kind, number = telling.key
            for part in telling.missing:
                self.find("part_missing", telling.post_id, kind=kind, number=number, part=part)
            seen: set[tuple[str, str]] = set()
            for placed, roll in telling.rolls:
                if (roll.seed, roll.label) in seen:
                    self.find("label_repeated", placed.post.id, seed=roll.seed, label=roll.label)
                seen.add((roll.seed, roll.label))
                if roll.seed.startswith("secret.") and roll.label != own_label(roll.seed):
                    self.find("label_chosen", placed.post.id, seed=roll.seed, label=roll.label)

    def check_secret_rolls(self) -> None:
        """Secret rolls that are still closed, and opened ones that nobody saw made."""
        made = {t.key[1]: t for t in self.tellings if t.key[0] == "secret"}
        opened = {t.key[1]: t for t in self.tellings if t.key[0] == "opened"}
        for number in [one for one in made if one not in opened]:
            seed = f"secret.{number}"
            self.find("secret_closed", made[number].post_id, seed=seed, label=own_label(seed))
        for number, telling in opened.items():
            first = made.get(number)
            if first is None or first.parts[0].at >= telling.parts[0].at:
                seed = f"secret.{number}"
                self.find("secret_post_missing", telling.post_id, seed=seed)

    def check_sets(self, telling: _Telling) -> None:
        """Dice that were set: each is named, and needs a ruling of the game master's."""
        for placed, roll in telling.rolls:
            faces = telling.sets.get(roll.label, ())
            if not faces:
                continue
            public = self.input(roll.seed)
            secret = self.secret(roll.seed)
            derived = self.derive(roll, public.value) if secret and public is not None else ()
            facts = {"seed": roll.seed, "label": roll.label, "shown": list(roll.faces)}
            self.find("die_set", placed.post.id, **facts, derived=list(derived))
        if telling.sets and not telling.amended:
            kind, number = telling.key
            self.find("dice_without_reason", telling.post_id, kind=kind, number=number, before="")

    def read_beacons(self) -> Iterator[tuple[str, BeaconCheck]]:
        """The beacon of each lock that has one, by seed; what is wrong with them is found."""
        told: dict[str, list[_Lit]] = defaultdict(list)
        plain: dict[str, str] = {}  # rounds without one
        for telling in self.tellings:
            kind, number = telling.key
            if kind not in ("question", "round"):
                continue
            seed = f"lock.{number}"
            told[seed] += [
                _Lit(telling, placed, one)
                for placed in telling.parts
                for one in placed.block.beacons
            ]
            if kind == "round" and telling.whole and not told[seed]:
                plain.setdefault(seed, telling.post_id)
        lit = {seed: said for seed, said in told.items() if said}
        for seed, said in lit.items():
            yield seed, self.one_beacon(seed, said)
        if lit:
            for seed, post_id in plain.items():
                if seed not in lit:
                    self.find("beacon_absent", post_id, seed=seed)

    def one_beacon(self, seed: str, said: Sequence[_Lit]) -> BeaconCheck:
        """All that is said of one lock's beacon; the first announcement counts."""
        first = said[0].beacon
        valued = [one for one in said if one.beacon.signature]
        for one in said:
            if one.beacon.round != first.round:
                self.find("beacon_changed", one.post_id, seed=seed, first=said[0].post_id)
        for one in valued[1:]:
            if one.beacon.signature != valued[0].beacon.signature:
                self.find("beacon_changed", one.post_id, seed=seed, first=valued[0].post_id)
        sound = [one for one in valued if self.is_sound(one.beacon)]
        shown = next((one for one in (*sound, *valued)), None)
        announced = next((one for one in said if one.telling.key[0] == "question"), None)
        state = self.beacon_state(seed, said, shown)
        facts = {"seed": seed, "chain": first.chain, "round": first.round}
        if state in ("false", "unchecked") and shown is not None:
            self.find(f"beacon_{state}", shown.post_id, **facts)
        if announced is not None:
            self.check_announcement(announced.placed.post, facts)
        used = [one for one in said if one.telling.key[0] == "round"]
        if used and (announced is None or announced.placed.at >= used[0].placed.at):
            self.find("beacon_unannounced", used[0].post_id, **facts)
        return BeaconCheck(
            thread=self.id,
            seed=seed,
            chain=first.chain,
            round=first.round,
            randomness="" if shown is None else randomness(shown.beacon.signature),
            state=state,
            announced_in="" if announced is None else announced.post_id,
            shown_in="" if shown is None else shown.post_id,
        )

    def beacon_state(self, seed: str, said: Sequence[_Lit], shown: _Lit | None) -> BeaconState:
        """What became of a beacon, and whether its absence is explained."""
        if shown is not None:
            if self.check_beacon is None:
                return "unchecked"
            return "holds" if self.is_sound(shown.beacon) else "false"
        rounds = [t for t in self.tellings if t.key[0] == "round" and f"lock.{t.key[1]}" == seed]
        told = next((telling for telling in rounds if telling.whole), None)
        if told is None:
            return "pending"
        without = [one for one in said if one.telling.key[0] == "round"]
        facts = {"seed": seed, "chain": said[0].beacon.chain, "round": said[0].beacon.round}
        if without and told.amended:
            self.find("beacon_skipped", told.post_id, **facts)
            return "skipped"
        self.find("beacon_missing", told.post_id, **facts)
        return "missing"

    def is_sound(self, beacon: Beacon) -> bool:
        """Whether a value bears its chain's signature; False where nobody can say."""
        check = self.check_beacon
        return check is not None and check(beacon.round, beacon.signature)

    def check_announcement(self, post: PostLike, facts: Mapping[str, Any]) -> None:
        """Whether a beacon was named before it could be known."""
        if post.posted_at is None:
            self.find("beacon_untimed", post.id, **facts)
        elif post.posted_at.timestamp() > published_at(facts["round"]):
            self.find("beacon_late", post.id, **facts)
        if post.edited:
            self.find("beacon_edited", post.id, **facts)

    def read_inputs(self) -> Iterator[tuple[str, _Input]]:
        """Public inputs of ``lock`` and ``roll`` seeds; the first whole telling counts."""
        by_seed: dict[str, list[_Telling]] = defaultdict(list)
        for telling in self.tellings:
            seed = telling.parts[0].block.words_seed
            if seed:
                by_seed[seed].append(telling)
        for seed, tellings in by_seed.items():
            true = next((telling for telling in tellings if telling.whole), tellings[0])
            beacon = self.beacons.get(seed)
            light = "" if beacon is None else beacon.randomness
            value = public_input(seed, self.id, true.words, beacon=light)
            if beacon is None or beacon.state != "pending":
                yield seed, _Input(value, true.whole, true.words)
            hashes = sorted(words.hash for words in true.words)
            for telling in tellings:
                if telling.whole and sorted(words.hash for words in telling.words) != hashes:
                    odd = {words.post_id for words in set(telling.words) ^ set(true.words)}
                    self.find("words_changed", telling.post_id, seed=seed, posts=sorted(odd))

    def read_after_ended(self) -> Iterator[tuple[str, _Input]]:
        """Openings after a round that never locked, since its fight was ended.

        A round whose post is missing looks the same; what tells them apart is that all dice fit.
        """
        for seed in self.reveals:
            name = read_seed_name(seed)
            if name is None or name[0] != "open" or f"lock.{name[1] - 1}" in self.inputs:
                continue
            rolls = [roll for one in self.tellings for _, roll in one.rolls if roll.seed == seed]
            public = public_input(seed, self.id)
            fit = prod(sides for roll in rolls for sides in roll.sides)
            if fit >= _CHANCE and all(self.derive(roll, public) == roll.faces for roll in rolls):
                yield seed, _Input(public, whole=True, words=())

    def input(self, seed: str) -> _Input | None:
        """The public input of a seed, or None where the thread does not tell it."""
        name = read_seed_name(seed)
        if name is None or name[0] != "open":
            return self.inputs.get(seed)
        if name[1] == 1:
            return _Input(public_input(seed, self.id), whole=True, words=())
        before = self.inputs.get(f"lock.{name[1] - 1}")
        if before is None:
            return self.after_ended.get(seed)
        value = public_input(seed, self.id, previous=before.value)
        return _Input(value, before.whole, before.words)

    def secret(self, seed: str) -> str:
        """The secret to work with: the one that keeps the first promise, else the first shown."""
        shown = [said.digits for said in self.reveals.get(seed, ())]
        promised = [said.digits for said in self.commits.get(seed, ())][:1]
        kept = [digits for digits in shown if _commitment(digits) in promised]
        return (kept or shown or [""])[0]

    def roll(self, placed: _Placed, roll: BlockRoll, faces: tuple[int, ...]) -> RollCheck:
        """One roll beside what its seed gives, and beside the faces that were set of it."""
        public = self.input(roll.seed)
        derived: tuple[int, ...] = ()
        state: RollState = "unproved"
        if self.secret(roll.seed) and public is not None:
            derived = self.derive(roll, public.value)
            state = "holds" if derived == roll.faces else "differs"
            if faces and derived:
                as_set = (*faces, *derived[len(faces) :])
                state = "set" if as_set == roll.faces else "differs"
        where = (self.id, placed.post.id, roll.seed, roll.label)
        return RollCheck(*where, roll.sides, roll.faces, derived, state)

    def derive(self, roll: BlockRoll, public: str) -> tuple[int, ...]:
        """What a roll's seed gives with a public input; nothing for a die that no seed can give."""
        try:
            dice = SeedDice(bytes.fromhex(self.secret(roll.seed)), public)
            return tuple(dice.face(roll.label, i, n) for i, n in enumerate(roll.sides))
        except ValueError:
            return ()

    # Seeds.

    def check_seed(self, seed: str, rolls: list[RollCheck]) -> None:
        """Promise, secret and dice of one seed."""
        commits, reveals = self.commits.get(seed, []), self.reveals.get(seed, [])
        for said in commits[1:]:
            if said.digits != commits[0].digits:
                first = commits[0].placed.post.id
                self.find("commitment_changed", said.placed.post.id, seed=seed, first=first)
        state = self.seed_state(seed, commits, reveals, rolls)
        committed_in = commits[0].placed.post.id if commits else ""
        revealed_in = reveals[0].placed.post.id if reveals else ""
        self.seeds.append(SeedCheck(self.id, seed, state, committed_in, revealed_in))
        if commits and reveals:
            self.check_time(seed, commits[0].placed, reveals[0].placed)
        if state != "differs":
            self.check_rolls(seed, rolls)

    def seed_state(
        self, seed: str, commits: list[_Said], reveals: list[_Said], rolls: list[RollCheck]
    ) -> SeedState:
        """Whether the secret keeps the promise, and whose fault it is where it does not."""
        if not reveals:
            return self.unrevealed(seed, commits)
        shown = {said.digits for said in reveals}
        promised = commits[0].digits if commits else ""
        kept = {digits for digits in shown if _commitment(digits) == promised}
        if not commits:
            self.find("commitment_missing", reveals[0].placed.post.id, seed=seed)
        if len(shown) > 1 and not kept:
            self.find("secret_changed", reveals[-1].placed.post.id, seed=seed)
            return "differs"
        if not commits:
            return "uncommitted"
        if not kept:
            self.blame(seed, commits[0].placed, reveals[0].placed, rolls)
            return "differs"
        for said in reveals:
            if said.digits not in kept:
                self.find("secret_differs", said.placed.post.id, seed=seed)
        if commits[0].placed.at >= reveals[0].placed.at:
            commit_id, reveal_id = commits[0].placed.post.id, reveals[0].placed.post.id
            self.find("commitment_late", commit_id, seed=seed, revealed_in=reveal_id)
            return "late"
        return "differs" if shown != kept else "holds"

    def unrevealed(self, seed: str, commits: list[_Said]) -> SeedState:
        """A promise without its secret: due only once a later one of its stream was kept."""
        name = read_seed_name(seed)
        later = [read_seed_name(other) for other in self.reveals]
        # Secret rolls are opened in any order, or never.
        passed = any(o and o[0] == name[0] and o[1] > name[1] for o in later if name)
        if commits and passed and not seed.startswith("secret."):
            self.find("reveal_missing", commits[0].placed.post.id, seed=seed)
            return "unrevealed"
        return "pending" if commits else "uncommitted"

    def blame(self, seed: str, commit: _Placed, reveal: _Placed, rolls: list[RollCheck]) -> None:
        """Name the side that is wrong: dice that fit the secret speak for the secret."""
        fit = prod(sides for roll in rolls for sides in roll.sides)
        speaks = fit >= _CHANCE and all(roll.state in ("holds", "set") for roll in rolls)
        if commit.hit(f"commit {seed}") or (speaks and not reveal.hit(f"reveal {seed}")):
            self.find("commitment_differs", commit.post.id, seed=seed, revealed_in=reveal.post.id)
        else:
            self.find("secret_differs", reveal.post.id, seed=seed, committed_in=commit.post.id)

    def check_time(self, seed: str, commit: _Placed, reveal: _Placed) -> None:
        """Whether the promise came before all that the dice depend on was known."""
        if commit.post.edited:
            self.find("commitment_edited", commit.post.id, seed=seed)
        public = self.input(seed)
        words = public.words if public else ()
        places = [self.thread.place.get(one.post_id) for one in words]
        if places and all(place is not None and place <= commit.at for place in places):
            self.find("words_before_commitment", commit.post.id, seed=seed)
        if seed.startswith("open."):
            return
        for one, place in zip(words, places, strict=True):
            if place is not None and place > reveal.at:
                self.find("words_after_reveal", one.post_id, seed=seed, revealed_in=reveal.post.id)

    def check_rolls(self, seed: str, rolls: list[RollCheck]) -> None:
        """The dice of a seed whose secret is beyond doubt."""
        unproved = [roll for roll in rolls if roll.state == "unproved"]
        public = self.input(seed)
        if unproved:
            has_secret = bool(self.reveals.get(seed))
            code = (
                "previous_missing" if has_secret and seed.startswith("open.") else "rolls_unproved"
            )
            self.find(code, unproved[0].post_id, seed=seed, rolls=len(unproved))
            return
        # An opening's dice move with the declarations of the round before: named there. So does
        # every die with a value that is not the beacon's.
        name = read_seed_name(seed)
        before = f"lock.{name[1] - 1}" if name and name[0] == "open" else ""
        if before and (self.is_moved(before) or self.is_falsely_lit(before)):
            return
        if self.is_falsely_lit(seed):
            return
        if self.is_moved(seed):
            whole = public is not None and public.whole
            code = "public_input_differs" if whole else "rolls_unproved"
            self.find(code, rolls[0].post_id, seed=seed, rolls=len(rolls))
            return
        for roll in rolls:
            for at, sides in enumerate(roll.sides if roll.state != "set" else ()):
                given = roll.derived[at] if roll.derived else 0
                if given != roll.faces[at]:
                    facts = {"seed": seed, "label": roll.label, "die": at + 1, "sides": sides}
                    shown = {"shown": roll.faces[at], "derived": given}
                    self.findings.append(Finding("die_differs", roll.post_id, {**facts, **shown}))

    def is_falsely_lit(self, seed: str) -> bool:
        """Whether the dice of a lock depend on a value that its beacon never had."""
        return seed in self.beacons and self.beacons[seed].state == "false"

    def is_moved(self, seed: str) -> bool:
        """Whether no die of a seed is right: nothing but another input moves every die."""
        rolls = self.by_seed.get(seed, [])
        dice = sum(len(roll.sides) for roll in rolls)
        return dice > 1 and all(_all_differ(roll) for roll in rolls)

    # Words.

    def check_words(self) -> None:
        """Whether the posts say what was locked, and what the master ruled."""
        seen: set[tuple[str, LockedWords]] = set()
        for telling in self.tellings:
            seed = telling.parts[0].block.words_seed
            kind, number = telling.key
            for words in telling.words:
                if (seed, words) not in seen:
                    self.one_declaration(seed, telling.post_id, words)
                seen.add((seed, words))
            for words in telling.amended:
                key = (f"{kind} {number}", words)
                if key in seen:
                    continue
                seen.add(key)
                facts = {"kind": kind, "number": number, "author": words.author_id}
                self.find("amended", telling.post_id, **facts, words=words.words)
                self.one_declaration("", telling.post_id, words)

    def one_declaration(self, seed: str, shown_in: str, words: LockedWords) -> None:
        """Check one declaration against its post."""
        state = self.thread.state_of(words)
        where = (self.id, seed, shown_in, words.post_id, words.author_id, words.words)
        self.words.append(WordsCheck(*where, state))
        code = _WORDS_CODES.get(state)
        if code is not None:
            facts = {"seed": seed, "shown_in": shown_in, "author": words.author_id}
            self.find(code, words.post_id, **facts, words=words.words)

    def check_retellings(self) -> None:
        """Rounds told again: other rolls need a ruling that was not there before."""
        last: dict[tuple[str, int], _Telling] = {}
        for telling in self.tellings:
            before = last.get(telling.key)
            if not telling.whole or telling.key[0] == "question":
                continue  # a question shows as many dice as were rolled before it
            last[telling.key] = telling
            if before is None or _shown(before) == _shown(telling):
                continue
            if not set(telling.amended) - set(before.amended):
                kind, number = telling.key
                facts = {"kind": kind, "number": number, "before": before.post_id}
                self.find("dice_without_reason", telling.post_id, **facts)


_CHANCE: Final = 1000
"""How unlikely a fit of all dice must be by chance before it says anything (1 in so many)."""

_WORDS_CODES: Final[Mapping[WordsState, str]] = {
    "edited": "words_edited",
    "not_found": "words_not_found",
    "post_missing": "words_post_missing",
    "of_another": "words_of_another",
    "unposted": "words_unposted",
}


def own_label(seed: str) -> str:
    """The label that the dice of a secret roll must have."""
    name = read_seed_name(seed)
    return secret_label(name[1]) if name else ""


def _commitment(secret: str) -> str:
    return commitment(bytes.fromhex(secret))


def _all_differ(roll: RollCheck) -> bool:
    derived = roll.derived or (0,) * len(roll.faces)
    return roll.state == "differs" and all(
        one != other for one, other in zip(roll.faces, derived, strict=True)
    )


def _shown(telling: _Telling) -> frozenset[BlockRoll]:
    return frozenset(roll for _, roll in telling.rolls)
