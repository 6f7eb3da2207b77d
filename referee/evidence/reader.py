"""Finding evidence blocks in a post's text, however the forum has bent it, and telling damage.

Reading goes on after a record that cannot be read, so that the one place that was changed can be
named and all the rest still be checked. Each record has a check of its own and the whole has a
sum: a block whose sum holds is as its writer wrote it, whoever that was.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Final
from urllib.parse import unquote_to_bytes

from referee.evidence.beacon import CHAIN, SIGNATURE_DIGITS
from referee.evidence.block import (
    KEYWORDS,
    KINDS,
    MARKER,
    MOST_DICE,
    VERSION,
    Beacon,
    Block,
    BlockRoll,
    Commit,
    Record,
    Reveal,
    SetRoll,
    record_check,
    records_sum,
)
from referee.evidence.canonical import text
from referee.evidence.seeds import LockedWords, read_seed_name

FAULTS: Final = (
    "unknown_version",  # written by a later referee
    "no_header",        # a block's end without its beginning
    "unreadable",       # a record that follows no rule of the format
    "changed",          # a record that its check does not fit
    "lost",             # a record whose check is there and which is not
    "added",            # a record without a check
    "repeated",         # a second thread, mark or beacon
    "no_thread",        # the block does not say which fight it belongs to
    "cut_short",        # the end is missing, or the block is longer than any block may be
)  # fmt: skip
"""What can be wrong with a block, as codes for messages."""

MOST_BLOCKS: Final = 64
MOST_BLOCK_CHARS: Final = 200_000
MOST_RECORDS: Final = 4_000
MOST_LABEL_WORDS: Final = 64
MOST_FAULTS: Final = 100


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a block.

    Attributes:
        code: One of ``FAULTS``.
        line: Line of the block as found, from 1.
        record: Which record, as a reader would call it: ``reveal lock.3``, ``roll Lope.attack``,
            ``check``, ``sum``; or the words that could not be read.
    """

    code: str
    line: int = 1
    record: str = ""


@dataclass(frozen=True, slots=True)
class BlockProblem:
    """A block that is not as it was written.

    Attributes:
        place: Which block of the text, from 1.
        faults: All that is wrong, at least one.
        block: What could be read of it, or None. What could not be is empty, its kind and thread
            too.
    """

    place: int
    faults: tuple[Fault, ...]
    block: Block | None = None

    @property
    def code(self) -> str:
        """The first fault's code."""
        return self.faults[0].code


def find_blocks(words: str) -> tuple[Block | BlockProblem, ...]:
    """All evidence blocks of a text, in order; those that are not whole as problems.

    Args:
        words: Text of a post with its code blocks. Wraps, spaces of any kind, typographic quotes
            and dashes, zero-width characters and lost indentation do no harm.
    """
    plain = plain_words(words)
    starts = [match.start() for match in _START.finditer(plain)][:MOST_BLOCKS]
    found: list[Block | BlockProblem] = []
    ends = [0]
    for at, limit in pairwise([*starts, len(plain)]):
        found += _headless(plain, ends[-1], at, len(found) + 1)
        end, block = _read(plain[at : min(limit, at + MOST_BLOCK_CHARS)], len(found) + 1)
        ends.append(at + end)
        found.append(block)
    return (*found, *_headless(plain, ends[-1], len(plain), len(found) + 1))


def defuse(words: str) -> str:
    """Words of a player that cannot be taken for the beginning of a block.

    Whoever quotes a player in a post of the referee's own passes the words through here: in such
    a post every block counts.
    """
    plain = plain_words(words)
    return plain.replace(MARKER, MARKER.replace("-", " ")) if MARKER in plain else words


# --- what forums do to characters --------------------------------------------------------------

_LEVEL: Final = {
    **dict.fromkeys(map(ord, "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"), " "),
    **dict.fromkeys(map(ord, "\u2008\u2009\u200a\u202f\u205f\u3000\t"), " "),
    **dict.fromkeys(map(ord, "\r\u0085\u2028\u2029\v\f"), "\n"),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"), "-"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\uff02"), '"'),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u2035\uff07"), "'"),
    ord("\u2026"): "...",
    # Nothing to see: soft hyphens, joiners, marks of direction, variation selectors.
    **dict.fromkeys((0xAD, 0x34F, 0x61C, 0x180E, 0xFEFF)),
    **dict.fromkeys(range(0x200B, 0x2010)),
    **dict.fromkeys(range(0x202A, 0x202F)),
    **dict.fromkeys(range(0x2060, 0x2070)),
    **dict.fromkeys(range(0xFE00, 0xFE10)),
    **dict.fromkeys(range(0xE0000, 0xE0200)),
}


def plain_words(words: str) -> str:
    """The text with one kind of space, quote and dash. The writer escapes all that this merges."""
    return text(words.replace("\r\n", "\n").translate(_LEVEL))


# --- words of a block ---------------------------------------------------------------------------

# Version and something as long as a kind: prose that only mentions the marker begins no block.
_START: Final = re.compile(rf"{MARKER}(?=\s+[0-9]+\s+[^\s\"=,]{{5,8}}\s)")
_END: Final = re.compile(r"\bsum\s+[0-9a-f]{8}\s+[0-9a-f]{8}")
_HEX: Final = re.compile(r"[0-9a-f]+")
_EXPRESSION: Final = re.compile(
    r"[1-9][0-9]{0,3}d[1-9][0-9]{0,4}(?:\+[1-9][0-9]{0,3}d[1-9][0-9]{0,4})*"
)
_FACE: Final = re.compile(r"([1-9][0-9]{0,4})(x?)")
_HALF: Final = re.compile(r"([0-9a-f]{8})")
_LAST_HALF: Final = re.compile(r"([0-9a-f]{8}).*")
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,8}")
_PART: Final = re.compile(r"([1-9][0-9]{0,2})/([1-9][0-9]{0,2})")
_SOFT_BREAK: Final = re.compile(r"%\s+")
_BAD_ESCAPE: Final = re.compile(r"%(?![0-9A-F]{2})")
_VERSION: Final = re.compile(rf"{MARKER}\s+([0-9]+)(?=\s)")
_PUNCTUATION: Final = frozenset('=,"')

_TOKEN: Final = re.compile(r'"(?P<quoted>[^"]*)"|(?P<word>[^\s"=,]+|[=,"])')
# For damaged text whose lines are still the writer's: a quotation goes on only over lines that are
# indented, so that a lost quotation mark spoils its own record alone.
_CAREFUL: Final = re.compile(r'"(?P<quoted>(?:[^"\n]|\n )*)"|(?P<word>[^\s"=,]+|[=,"])')


@dataclass(frozen=True, slots=True)
class _Token:
    value: str
    line: int
    first: bool  # of its line; in careful reading, of a line that is not indented
    quoted: bool
    end: int  # where it ends in the text


def _tokens(plain: str, *, careful: bool) -> Iterator[_Token]:
    line, seen, first_at = 1, 0, 0
    for match in (_CAREFUL if careful else _TOKEN).finditer(plain):
        start = match.start()
        breaks = plain.count("\n", seen, start)
        if breaks:
            line += breaks
            first_at = start
        seen = start
        first = first_at == start and not (careful and plain[start - 1 : start] == " ")
        quoted = match["quoted"]
        value = match["word"] if quoted is None else quoted
        yield _Token(value, line, first, quoted is not None, match.end())


class _UnreadableError(Exception):
    """The record at hand follows no rule; only ``_Reading.record`` catches it."""


@dataclass(slots=True)
class _Reading:
    """One pass over the words of a block."""

    tokens: list[_Token]
    careful: bool
    at: int = 0
    faulty_until: int = -1
    kind: str = ""
    number: int = 0
    part: tuple[int, int] = (1, 1)
    thread: str | None = None
    mark: str = ""
    seed: str = ""
    reveals: list[Reveal] = field(default_factory=list)
    commits: list[Commit] = field(default_factory=list)
    words: list[LockedWords] = field(default_factory=list)
    amended: list[LockedWords] = field(default_factory=list)
    beacons: list[Beacon] = field(default_factory=list)
    sets: list[SetRoll] = field(default_factory=list)
    rolls: list[BlockRoll] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)  # where each record begins
    ends: list[int] = field(default_factory=list)  # and the place of the word after it
    checks: list[str] = field(default_factory=list)
    sum: str = ""
    faults: list[Fault] = field(default_factory=list)
    skipped: dict[int, Fault] = field(default_factory=dict)  # by the place of their first word

    # Words one by one.

    def next(self, *, quoted: bool | None = False) -> str:
        """The next word; ``quoted`` None takes either kind."""
        if self.at >= len(self.tokens):
            raise _UnreadableError
        token = self.tokens[self.at]
        if quoted is not None and token.quoted is not quoted:
            raise _UnreadableError
        self.at += 1
        return _unescaped(token.value) if token.quoted else token.value

    def peek(self) -> str:
        """The next bare word, or nothing."""
        if self.at < len(self.tokens) and not self.tokens[self.at].quoted:
            return self.tokens[self.at].value
        return ""

    def expect(self, pattern: re.Pattern[str]) -> re.Match[str]:
        """The next word, which must have a form."""
        match = pattern.fullmatch(self.next())
        if match is None:
            raise _UnreadableError
        return match

    def hex(self, length: int) -> str:
        """So many hex digits, in groups of any size."""
        digits = ""
        while len(digits) < length:
            digits += self.expect(_HEX)[0]
        if len(digits) > length:
            raise _UnreadableError
        return digits

    def seed_name(self) -> str:
        """The next word, which must name a seed."""
        name = self.next()
        if read_seed_name(name) is None:
            raise _UnreadableError
        return name

    # Records.

    def run(self) -> None:
        """Read up to the sum, or to the end of the words."""
        readers: dict[str, Callable[[], Record | None]] = {
            "thread": self.read_thread,
            "mark": self.read_mark,
            "reveal": self.read_hex,
            "commit": self.read_hex,
            "words": self.read_words,
            "amended": self.read_words,
            "beacon": self.read_beacon,
            "set": self.read_set,
            "dice": self.read_dice,
            "check": self.read_check,
            "sum": self.read_sum,
        }
        self.record(self.read_head)
        while not self.sum and self.at < len(self.tokens) and len(self.records) < MOST_RECORDS:
            self.record(readers.get(self.peek(), self.read_roll))

    def record(self, read: Callable[[], Record | None]) -> None:
        """Read one record; if it cannot be read, skip to where the next may begin."""
        began = self.at
        token = self.tokens[began]
        try:
            record = read()
        except _UnreadableError:
            self.skip(began)
        else:
            if record is not None:
                self.records.append(record)
                self.lines.append(token.line)
                self.ends.append(self.at)

    def skip(self, began: int) -> None:
        """Go on where the next record may begin; what lies between counts as one fault."""
        self.at = began + 1
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token.first or (token.value in KEYWORDS and not token.quoted):
                break
            self.at += 1
        skipped = [token.value for token in self.tokens[began : self.at]]
        if skipped[0] == "dice":
            self.seed = ""
        elif read_seed_name(skipped[-1]) is not None:
            # A heading of dice whose keyword was hit: the dice below it are still its own.
            self.seed = skipped[-1]
        if self.faulty_until != began:
            words = " ".join(skipped)[:80]
            fault = Fault("unreadable", self.tokens[began].line, words)
            self.faults.append(fault)
            self.skipped[began] = fault
        self.faulty_until = self.at

    def read_head(self) -> Record:
        """``PBW-EVIDENCE 1 round 3 part 1/2``; the caller has looked at marker and version."""
        self.at += 2
        kind = self.next()
        if kind not in KINDS:
            raise _UnreadableError
        number, part = 0, (1, 1)
        if kind != "start":
            number = int(self.expect(_NUMBER)[0])
        if self.peek() == "part":
            self.at += 1
            match = self.expect(_PART)
            part = (int(match[1]), int(match[2]))
            if part[0] > part[1]:
                raise _UnreadableError
        self.kind, self.number, self.part = kind, number, part
        return ("block", VERSION, kind, number, *part)

    def read_thread(self) -> Record:
        """``thread ID``."""
        self.once("thread", repeated=self.thread is not None)
        self.thread = self.next(quoted=None)
        return ("thread", self.thread)

    def read_mark(self) -> Record:
        """``mark MARK``."""
        self.once("mark", repeated=bool(self.mark))
        self.mark = self.next(quoted=None)
        return ("mark", self.mark)

    def once(self, keyword: str, *, repeated: bool) -> None:
        """Step over a keyword that may stand only once."""
        if repeated:
            self.faults.append(Fault("repeated", self.tokens[self.at].line, keyword))
        self.at += 1

    def read_hex(self) -> Record:
        """``reveal SEED HEX`` or ``commit SEED HEX``."""
        keyword, seed = self.next(), self.seed_name()
        digits = self.hex(64)
        if keyword == "reveal":
            self.reveals.append(Reveal(seed, digits))
        else:
            self.commits.append(Commit(seed, digits))
        return (keyword, seed, digits)

    def read_words(self) -> Record:
        """``words POST by AUTHOR "..."`` or ``amended ...``."""
        keyword, post_id = self.next(), self.next(quoted=None)
        if self.next() != "by":
            raise _UnreadableError
        author_id, words = self.next(quoted=None), self.next(quoted=True)
        locked = LockedWords(post_id, author_id, words)
        (self.words if keyword == "words" else self.amended).append(locked)
        return (keyword, post_id, author_id, words)

    def read_beacon(self) -> Record:
        """``beacon quicknet ROUND HEX``, or without digits where there are none yet."""
        self.once("beacon", repeated=bool(self.beacons))
        if self.next() != CHAIN:
            raise _UnreadableError
        number = int(self.expect(_NUMBER)[0])
        # No keyword of the records that may follow is made of hex digits alone.
        signature = self.hex(SIGNATURE_DIGITS) if _HEX.fullmatch(self.peek()) else ""
        self.beacons.append(Beacon(CHAIN, number, signature))
        return ("beacon", CHAIN, number, signature)

    def read_set(self) -> Record:
        """``set LABEL = 35, 2``: the first dice of a roll are the game master's."""
        self.at += 1
        if self.at < len(self.tokens) and self.tokens[self.at].quoted:
            words = [self.next(quoted=True)]
        else:
            words = [self.next()]
            while self.peek() not in _PUNCTUATION and len(words) < MOST_LABEL_WORDS:
                words.append(self.next())
            if KEYWORDS.intersection(words):
                raise _UnreadableError
        shown = self.read_faces() if self.next() == "=" else []
        if not shown or any(match[2] for match in shown):
            raise _UnreadableError
        label, faces = " ".join(words), [int(match[1]) for match in shown]
        self.sets.append(SetRoll(label, tuple(faces)))
        return ("set", label, faces)

    def read_faces(self) -> list[re.Match[str]]:
        """``4, 2x, 7``: faces, and ``x`` behind those that do not count."""
        shown = [self.expect(_FACE)]
        # No comma begins a line: the writer leaves no space before it, so nobody wraps there.
        while self.peek() == "," and not self.tokens[self.at].first:
            self.at += 1
            shown.append(self.expect(_FACE))
        return shown

    def read_dice(self) -> Record:
        """``dice SEED``: which seed the following rolls come from."""
        self.at += 1
        self.seed = self.seed_name()
        return ("dice", self.seed)

    def read_roll(self) -> Record:
        """``LABEL 2d6+1d8 = 4, 2x, 7``; ``x`` marks a die that does not count."""
        label, expression = self.read_label()
        groups = [tuple(map(int, group.split("d"))) for group in expression.split("+")]
        if self.next() != "=" or sum(count for count, _ in groups) > MOST_DICE:
            raise _UnreadableError
        sides = [size for count, size in groups for _ in range(count)]
        shown = self.read_faces()
        if len(shown) != len(sides):
            raise _UnreadableError
        faces = [int(match[1]) for match in shown]
        kept = [not match[2] for match in shown]
        if all(kept):
            kept = []
        self.rolls.append(BlockRoll(self.seed, label, tuple(sides), tuple(faces), tuple(kept)))
        return ("roll", label, sides, faces, kept)

    def read_label(self) -> tuple[str, str]:
        """A roll's label, in quotes or bare, and the dice after it."""
        if self.tokens[self.at].quoted:
            return self.next(quoted=True), self.expect(_EXPRESSION)[0]
        words: list[str] = []
        while len(words) < MOST_LABEL_WORDS:
            broken = self.careful and words and self.at < len(self.tokens)
            if broken and self.tokens[self.at].first:
                break
            word = self.next()
            if words and _EXPRESSION.fullmatch(word) and self.peek() == "=":
                return " ".join(words), word
            if word in KEYWORDS or word in _PUNCTUATION:
                break
            words.append(word)
        raise _UnreadableError

    def read_check(self) -> None:
        """``check`` and four hex digits a record."""
        self.at += 1
        while len(self.peek()) == 4 and self.peek() not in KEYWORDS:
            self.checks.append(self.next())

    def read_sum(self) -> None:
        """``sum`` and sixteen hex digits: the end of the block, what follows may stick to it."""
        self.at += 1
        self.sum = self.expect(_HALF)[1] + self.expect(_LAST_HALF)[1]

    def judge(self) -> None:
        """Compare what was read with its checks and its sum, and note what does not fit."""
        unreadable = bool(self.faults)
        if self.thread is None and not unreadable:
            self.faults.append(Fault("no_thread"))
        if not self.sum and not unreadable:
            self.faults.append(Fault("cut_short", self.tokens[-1].line))
        found = [record_check(record) for record in self.records]
        if self.sum == records_sum(self.records):
            if found != self.checks and not unreadable:
                self.faults.append(Fault("changed", self.tokens[-1].line, "check"))
            return
        same = _common(found, self.checks)
        tail = _common(found[same:][::-1], self.checks[same:][::-1])
        expected = len(self.checks) - tail
        rests: set[int] = set()
        for index in range(same, len(found) - tail):
            if index < expected and found[index] == self.checks[index]:
                continue
            name = record_name(self.records[index])
            self.faults.append(
                Fault("changed" if index < expected else "added", self.lines[index], name)
            )
            # What could not be read right behind a changed record is the rest of that record.
            rests.add(id(self.skipped.get(self.ends[index])))
        self.faults = [fault for fault in self.faults if id(fault) not in rests]
        if self.faults:
            return
        if len(found) < len(self.checks):
            line, name = (
                (self.lines[same - 1], record_name(self.records[same - 1])) if same else (1, "")
            )
            self.faults.append(Fault("lost", line, name))
        else:
            self.faults.append(Fault("changed", self.tokens[-1].line, "sum"))

    def end(self) -> int:
        """Where the block ends in the text."""
        return self.tokens[self.at - 1].end

    def block(self) -> Block:
        """What was read; a kind or a thread that could not be read is empty."""
        return Block(
            thread=self.thread or "",
            kind=self.kind,
            number=self.number,
            mark=self.mark,
            reveals=tuple(self.reveals),
            commits=tuple(self.commits),
            words=tuple(self.words),
            amended=tuple(self.amended),
            beacons=tuple(self.beacons),
            sets=tuple(self.sets),
            rolls=tuple(self.rolls),
            part=self.part,
        )


def record_name(record: Record) -> str:
    """A record as a reader would call it: ``reveal lock.3``, ``roll Lope.attack``."""
    match record:
        case ("block", *_):
            return "header"
        case ("thread" | "mark" as keyword, *_):
            return keyword
        case (str(keyword), str(name), *_):
            return f"{keyword} {name}"
    raise ValueError(record)


def _common(one: list[str], other: list[str]) -> int:
    """How many elements two lists share at their beginning."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _unescaped(quoted: str) -> str:
    """The words between quotation marks, as their author wrote them."""
    joined = " ".join(_SOFT_BREAK.sub("", quoted).split())
    if _BAD_ESCAPE.search(joined):
        raise _UnreadableError
    try:
        return unicodedata.normalize("NFC", unquote_to_bytes(joined).decode())
    except UnicodeDecodeError:
        raise _UnreadableError from None


def _read(plain: str, place: int) -> tuple[int, Block | BlockProblem]:
    """The block that begins a text, and where it ends."""
    version = _VERSION.match(plain)
    if version is None or version[1] != str(VERSION):
        tail = _END.search(plain)
        end = tail.end() if tail else len(MARKER)
        return end, BlockProblem(place, (Fault("unknown_version"),))
    readings = [_reading(plain, careful=False)]
    if readings[0].faults:
        readings.insert(0, _reading(plain, careful=True))
    best = min(readings, key=lambda reading: len(reading.faults))
    block = best.block()
    if not best.faults:
        return best.end(), block
    return best.end(), BlockProblem(place, tuple(best.faults[:MOST_FAULTS]), block)


def _reading(plain: str, *, careful: bool) -> _Reading:
    reading = _Reading(list(_tokens(plain, careful=careful)), careful)
    reading.run()
    reading.judge()
    return reading


def _headless(plain: str, start: int, end: int, place: int) -> Iterator[BlockProblem]:
    """Ends of blocks that stand where no block began."""
    for match in islice(_END.finditer(plain, start, end), MOST_BLOCKS):
        yield BlockProblem(place, (Fault("no_header", record=match[0]),))
