"""The evidence block of a post: what a reader needs to check its dice, as text.

A block is a list of records. Each has a canonical form (a JSON list), which is hashed, and a
written form, which people read. The written form is a stream of words: line breaks, indentation
and the kind of space mean nothing, and no character stands in it raw that a forum is known to
replace (typographic quotes and dashes, smilies, markup). What is not safe is percent-encoded
UTF-8. ``docs/evidence.md`` is the specification.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import Final, Protocol, TypeVar

from referee.evidence.beacon import CHAIN, MOST_ROUND, is_signature
from referee.evidence.canonical import canonical, text
from referee.evidence.seeds import MOST_SIDES, LockedWords, read_seed_name

MARKER: Final = "PBW-EVIDENCE"
VERSION: Final = 1
KINDS: Final = ("start", "opening", "question", "round", "rolls", "secret", "opened")
KEYWORDS: Final = frozenset(
    {
        "thread",
        "mark",
        "reveal",
        "commit",
        "words",
        "amended",
        "beacon",
        "set",
        "dice",
        "check",
        "sum",
    }
)
WIDTH: Final = 72
MOST_DICE: Final = 2000
"""Most dice of one roll."""

Record = tuple[object, ...]
T = TypeVar("T")

_HEX: Final = re.compile(r"[0-9a-f]{64}")
_EXPRESSION: Final = re.compile(
    r"[1-9][0-9]{0,3}d[1-9][0-9]{0,4}(\+[1-9][0-9]{0,3}d[1-9][0-9]{0,4})*"
)


class Rolled(Protocol):
    """What a block takes from a roll of the game: ``rulesets.core.dice.Roll`` is one."""

    @property
    def label(self) -> str:
        """Who rolled and what for."""
        ...

    @property
    def sides(self) -> tuple[int, ...]:
        """Of each die."""
        ...

    @property
    def faces(self) -> tuple[int, ...]:
        """What each die shows."""
        ...

    @property
    def kept(self) -> tuple[bool, ...]:
        """Which dice count; empty means all."""
        ...


@dataclass(frozen=True, slots=True)
class Reveal:
    """A secret that is secret no more: the seed's name and 64 hex digits."""

    seed: str
    secret: str


@dataclass(frozen=True, slots=True)
class Commit:
    """What is promised: the seed's name and the SHA-256 of its secret, 64 hex digits."""

    seed: str
    hash: str


@dataclass(frozen=True, slots=True)
class BlockRoll:
    """The dice of one label, as shown.

    Attributes:
        seed: Name of the seed that they come from.
        label: Who rolled and what for.
        sides: Of each die.
        faces: What each shows.
        kept: Which count; empty means all.
    """

    seed: str
    label: str
    sides: tuple[int, ...]
    faces: tuple[int, ...]
    kept: tuple[bool, ...] = ()

    @classmethod
    def of(cls, seed: str, roll: Rolled) -> "BlockRoll":
        """The roll of a game, with the seed that it was made with."""
        kept = () if all(roll.kept) else roll.kept
        return cls(seed, roll.label, roll.sides, roll.faces, kept)


@dataclass(frozen=True, slots=True)
class Beacon:
    """A round of a public beacon that the dice after a lock depend on.

    Attributes:
        chain: ``quicknet``.
        round: Which of its rounds.
        signature: 96 hex digits; empty where it is announced, or gone on without.
    """

    chain: str
    round: int
    signature: str = ""


@dataclass(frozen=True, slots=True)
class SetRoll:
    """Dice that the game master has set.

    Attributes:
        label: Of the roll.
        faces: Of its first dice; the others are the seed's.
    """

    label: str
    faces: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """The evidence of one post.

    Attributes:
        thread: Id of the fight; the same in all its blocks, another for another fight.
        kind: ``start`` (first post), ``opening`` (round opens), ``question`` (round has stopped:
            dice may be shown, their seed is not), ``round`` (resolved), ``rolls`` (free rolls),
            ``secret`` (a secret roll is made) or ``opened`` (its dice are shown).
        number: Of the round, the answer to free rolls or the secret roll; 0 for ``start``.
        mark: The post's own mark, as the outbox writes it.
        reveals: Secrets of the seeds whose dice stand here.
        commits: Promises for later.
        words: The frozen declarations of the round, or the roll tags that are answered.
        amended: Exact words of the master's rulings and corrections that this post takes into
            account. They change what happens, never a die.
        beacons: The public beacon that the lock waits for, or has waited for; one at most.
        sets: Which of the dice are the game master's and not their seed's.
        rolls: All dice, in the order rolled.
        part: Which part of how many, where a post was too long.
    """

    thread: str
    kind: str
    number: int = 0
    mark: str = ""
    reveals: tuple[Reveal, ...] = ()
    commits: tuple[Commit, ...] = ()
    words: tuple[LockedWords, ...] = ()
    amended: tuple[LockedWords, ...] = ()
    beacons: tuple[Beacon, ...] = ()
    sets: tuple[SetRoll, ...] = ()
    rolls: tuple[BlockRoll, ...] = ()
    part: tuple[int, int] = field(default=(1, 1))

    @property
    def words_seed(self) -> str:
        """Name of the seed whose public input the words make; empty where they make none."""
        if self.kind in ("round", "question"):
            return f"lock.{self.number}"
        if self.kind in ("secret", "opened"):
            return f"secret.{self.number}"
        return f"roll.{self.number}" if self.kind == "rolls" else ""


def records(block: Block) -> tuple[Record, ...]:
    """The canonical form of a block: lists of strings, integers and lists, texts in NFC.

    Raises:
        ValueError: the block says something that a block cannot say (an unknown kind, a secret
            that is no 64 hex digits, a face beyond its die); it names what.
    """
    return tuple(_records(block))


def record_check(record: Record) -> str:
    """Four hex digits that tell which record was damaged."""
    return hashlib.sha256(canonical(record)).hexdigest()[:4]


def records_sum(all_records: Sequence[Record]) -> str:
    """Sixteen hex digits over all records of a block, in order."""
    return hashlib.sha256(canonical(all_records)).hexdigest()[:16]


def _records(block: Block) -> Iterator[Record]:
    part, parts = block.part
    numbered = block.kind != "start"
    if block.kind not in KINDS or (block.number > 0) != numbered or not 1 <= part <= parts:
        raise ValueError(f"{block.kind} {block.number} {part}/{parts}")
    yield ("block", VERSION, block.kind, block.number, part, parts)
    yield ("thread", text(block.thread))
    if block.mark:
        yield ("mark", text(block.mark))
    for reveal in block.reveals:
        yield ("reveal", _seed(reveal.seed), _hex(reveal.secret))
    for commit in block.commits:
        yield ("commit", _seed(commit.seed), _hex(commit.hash))
    for keyword, many in (("words", block.words), ("amended", block.amended)):
        for one in many:
            yield (keyword, text(one.post_id), text(one.author_id), text(one.words))
    if len(block.beacons) > 1:
        raise ValueError(block.beacons)
    yield from map(_beacon, block.beacons)
    yield from map(_set, block.sets)
    for seed, rolls in groupby(block.rolls, key=lambda roll: roll.seed):
        yield ("dice", _seed(seed))
        yield from map(_roll, rolls)


def _seed(name: str) -> str:
    if read_seed_name(name) is None:
        raise ValueError(name)
    return name


def _hex(digits: str) -> str:
    if not _HEX.fullmatch(digits):
        raise ValueError(digits)
    return digits


def _beacon(one: Beacon) -> Record:
    signed = not one.signature or is_signature(one.signature)
    if one.chain != CHAIN or not 1 <= one.round <= MOST_ROUND or not signed:
        raise ValueError(one)
    return ("beacon", one.chain, one.round, one.signature)


def _set(one: SetRoll) -> Record:
    if not 1 <= len(one.faces) <= MOST_DICE or not all(1 <= f <= MOST_SIDES for f in one.faces):
        raise ValueError(f"{one.label} {one.faces}")
    return ("set", text(one.label), list(one.faces))


def _roll(roll: BlockRoll) -> Record:
    kept = () if all(roll.kept) else roll.kept
    if (
        not 1 <= len(roll.sides) <= MOST_DICE
        or len(roll.faces) != len(roll.sides)
        or len(kept) not in (0, len(roll.sides))
        or not all(
            1 <= face <= sides <= MOST_SIDES
            for face, sides in zip(roll.faces, roll.sides, strict=True)
        )
    ):
        raise ValueError(f"{roll.label} {roll.sides} {roll.faces} {roll.kept}")
    return ("roll", text(roll.label), list(roll.sides), list(roll.faces), list(map(bool, kept)))


# --- the written form -------------------------------------------------------------------------


def block_text(block: Block) -> str:
    """The block as lines of at most 72 characters, to be put into a code block.

    Raises:
        ValueError: as ``records``.
    """
    all_records = records(block)
    checks = [record_check(record) for record in all_records]
    total = records_sum(all_records)
    lines = [line for record in all_records for line in _lines(record)]
    lines += ["check", *_hex_lines("".join(checks), group=4, groups=7)]
    lines += [f"sum {total[:8]} {total[8:]}"]
    return "\n".join(lines)


def _lines(record: Record) -> list[str]:
    match record:
        case ("block", version, kind, number, part, parts):
            line = f"{MARKER} {version} {kind}" + (f" {number}" if number else "")
            return [line + (f" part {part}/{parts}" if parts != 1 else "")]
        case ("thread" | "mark" as keyword, str(name)):
            return _wrapped([keyword, *_name(name)])
        case ("reveal" | "commit" as keyword, seed, str(digits)):
            return [f"{keyword} {seed}", *_hex_lines(digits, group=8, groups=4)]
        case ("words" | "amended" as keyword, str(post_id), str(author_id), str(words)):
            head = _wrapped([keyword, *_name(post_id), "by", *_name(author_id)])
            return [*head, *_wrapped(_quoted(words), first=" ")]
        case ("beacon", chain, number, str(signature)):
            return [f"beacon {chain} {number}", *_hex_lines(signature, group=8, groups=4)]
    return _wrapped(_shown(record))


def _shown(record: Record) -> list[str]:
    """A record that shows dice, in pieces that may wrap."""
    match record:
        case ("dice", str(seed)):
            return ["dice", seed]
        case ("set", str(label), list(faces)):
            return ["set", *_name(label, spaces=True), "=", *_listed(faces)]
        case ("roll", str(label), list(sides), list(faces), list(kept)):
            shown = [
                f"{face}{'' if counts else 'x'}"
                for face, counts in zip(faces, kept or [True] * len(faces), strict=True)
            ]
            return [*_name(label, spaces=True), _expression(sides), "=", *_listed(shown)]
    raise ValueError(record)


def _listed(items: Sequence[object]) -> list[str]:
    """``4, 2x, 8`` in pieces that may wrap, no comma at the beginning of a line."""
    return [f"{one}," for one in items[:-1]] + [str(one) for one in items[-1:]]


def _hex_lines(digits: str, *, group: int, groups: int) -> list[str]:
    """Hex digits in groups, short enough for a phone held upright."""
    parts = [digits[i : i + group] for i in range(0, len(digits), group)]
    return [" " + " ".join(parts[i : i + groups]) for i in range(0, len(parts), groups)]


def _expression(sides: Sequence[int]) -> str:
    """``2d6+1d8`` for dice of 6, 6 and 8 sides."""
    return "+".join(f"{len(list(same))}d{size}" for size, same in groupby(sides))


def _wrapped(pieces: Iterable[str], first: str = "") -> list[str]:
    """Pieces joined by spaces into lines; what follows the first line is indented."""
    lines = [first]
    for piece in pieces:
        glue = "" if not lines[-1].strip() else " "
        if glue and len(lines[-1]) + 1 + len(piece) > WIDTH:
            lines.append(" ")
            glue = ""
        lines[-1] += glue + piece
    return lines


_BARE: Final = re.compile(r"[^\W_](?:[^\W_]|[._#](?=[^\W_]))*")


def _name(name: str, *, spaces: bool = False) -> list[str]:
    """A name bare where nothing can go wrong with it, else in quotes; in pieces that may wrap."""
    words = name.split(" ") if spaces else [name]
    bare = all(
        len(word) < WIDTH // 2
        and _BARE.fullmatch(word)
        and word not in KEYWORDS
        and not _EXPRESSION.fullmatch(word)
        for word in words
    )
    return words if bare else _quoted(name)


_UNIT: Final = re.compile(r"%[0-9A-F]{2}|.")
_LONGEST_PIECE: Final = WIDTH - 4


def _quoted(words: str) -> list[str]:
    """Words in quotes, every risky character as ``%XX``, in pieces that may wrap at spaces.

    A piece too long for a line is cut by a soft break: ``%`` and then white space, which the
    reader takes out together.
    """
    pieces: list[str] = []
    for piece in f'"{_escaped(words)}"'.split(" "):
        line = ""
        for unit in _UNIT.findall(piece):
            if len(line) + len(unit) > _LONGEST_PIECE:
                pieces.append(f"{line}%")
                line = ""
            line += unit
        pieces.append(line)
    return pieces


# Kept as they are by every forum that was tried, as long as they stand alone.
_SAFE_ALONE: Final = frozenset("[]|,.!?¿¡+-'")
# The start of a smiley, unless a space follows.
_SAFE_BEFORE_SPACE: Final = frozenset(":;=")


def _escaped(words: str) -> str:
    before, out = "", []
    for at, char in enumerate(words):
        after = words[at + 1 : at + 2]
        safe = _is_safe(before, char, after)
        out.append(char if safe else "".join(f"%{byte:02X}" for byte in char.encode()))
        before = char
    return "".join(out)


def _is_safe(before: str, char: str, after: str) -> bool:
    """Whether a character may stand raw between its neighbours (empty at the ends)."""
    if char == " ":
        safe = before not in ("", " ") and after != ""
    elif char in _SAFE_ALONE:
        # Doubled ones become dashes and ellipses, "+-" becomes a sign of its own, and "W-" could
        # make a player's words look like the beginning of a block.
        safe = before != char and before + char not in ("+-", "W-")
    elif char in _SAFE_BEFORE_SPACE:
        safe = after in ("", " ")
    elif char == "(":
        safe = before != "]"  # "](" makes a link
    elif char in "_#":
        safe = before.isalnum() and after.isalnum()
    else:
        safe = char.isalnum()
    return safe


# --- long blocks ------------------------------------------------------------------------------

_CUT_FROM: Final = (999, 999)


def split_block(block: Block, most_chars: int) -> tuple[Block, ...]:
    """The block in parts whose texts have at most ``most_chars`` characters each.

    Records are never cut: where one alone is longer than that, its part is longer too. All parts
    carry the block's mark; a shell that marks each post replaces it.
    """
    if len(block_text(block)) <= most_chars:
        return (block,)
    bare = Block(block.thread, block.kind, block.number, block.mark, part=_CUT_FROM)
    room = most_chars - len(block_text(bare))
    cuts, left, seed = [0], room, ""
    body = records(block)[len(records(bare)) :]
    heading = ("dice", "lock.1")
    items = [record for record in body if record[0] != "dice"]
    rolls_from = len(items) - len(block.rolls)
    for at, record in enumerate(items):
        cost, fresh = _cost(record), ""
        if at >= rolls_from:
            fresh = block.rolls[at - rolls_from].seed
        needed = cost + (_cost(heading) if fresh != seed else 0)
        if needed > left and at > cuts[-1]:
            cuts.append(at)
            # A part that begins among rolls says again which seed they come from.
            needed, left = cost + (_cost(heading) if fresh else 0), room
        left, seed = left - needed, fresh
    cuts.append(len(items))
    return tuple(
        _share(block, start, end, (number, len(cuts) - 1))
        for number, (start, end) in enumerate(pairwise(cuts), 1)
    )


def _share(block: Block, start: int, end: int, part: tuple[int, int]) -> Block:
    """The items ``start`` to ``end`` of all that a block lists, in the order of its records."""
    commits_at = len(block.reveals)
    words_at = commits_at + len(block.commits)
    amended_at = words_at + len(block.words)
    beacons_at = amended_at + len(block.amended)
    sets_at = beacons_at + len(block.beacons)
    rolls_at = sets_at + len(block.sets)

    def between(items: tuple[T, ...], offset: int) -> tuple[T, ...]:
        return items[max(start - offset, 0) : max(end - offset, 0)]

    return replace(
        block,
        reveals=between(block.reveals, 0),
        commits=between(block.commits, commits_at),
        words=between(block.words, words_at),
        amended=between(block.amended, amended_at),
        beacons=between(block.beacons, beacons_at),
        sets=between(block.sets, sets_at),
        rolls=between(block.rolls, rolls_at),
        part=part,
    )


def _cost(record: Record) -> int:
    """At most how many characters a record adds to its block's text, its check included."""
    return sum(len(line) + 1 for line in _lines(record)) + 7
