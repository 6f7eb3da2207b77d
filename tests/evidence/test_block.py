"""The evidence block: written, bent by forums, read again, damaged."""

import re
import string
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.evidence import (
    FAULTS,
    Block,
    BlockProblem,
    BlockRoll,
    Commit,
    Fault,
    LockedWords,
    Reveal,
    block_text,
    defuse,
    find_blocks,
    split_block,
)
from referee.evidence.block import KEYWORDS, KINDS, WIDTH, SetRoll, records
from referee.evidence.canonical import text
from referee.evidence.reader import record_name
from referee.evidence.seeds import STREAMS
from rulesets.core.dice import Roll
from tests.evidence.played import NASTY, random_fight

nasty = st.sampled_from(NASTY)
words = nasty | st.text(max_size=40) | st.tuples(nasty, st.text(max_size=5), nasty).map("".join)
names = st.text(min_size=1, max_size=12) | st.sampled_from(
    ["345", "by", "words", "dice", "mesa/7", "t.12", "1d6", "=", "Bandido 1", "a b", "-", "x_y"]
)
labels = st.text(min_size=1, max_size=20) | st.sampled_from(
    [
        "Lope.attack",
        "Bandido 1.damage#2",
        "seed.x",
        "sum 1",
        "1d6 = 3.x",
        "dice lock.1",
        "35",
        "set",
    ]
)
seeds = st.builds("{}.{}".format, st.sampled_from(STREAMS), st.integers(1, 999))
digits = st.binary(min_size=32, max_size=32).map(bytes.hex)
locked = st.lists(st.builds(LockedWords, names, names, words), max_size=3).map(tuple)


@st.composite
def rolls(draw: st.DrawFn) -> BlockRoll:
    sides = tuple(
        draw(st.lists(st.sampled_from([2, 6, 8, 10, 100, 10_000]), min_size=1, max_size=8))
    )
    faces = tuple(draw(st.integers(1, size)) for size in sides)
    kept = tuple(draw(st.booleans()) for _ in sides)
    return BlockRoll(draw(seeds), draw(labels), sides, faces, () if all(kept) else kept)


sets = st.builds(
    SetRoll, labels, st.lists(st.integers(1, 10_000), min_size=1, max_size=4).map(tuple)
)


@st.composite
def blocks(draw: st.DrawFn) -> Block:
    kind = draw(st.sampled_from(KINDS))
    parts = draw(st.integers(1, 12))
    return Block(
        thread=draw(names),
        kind=kind,
        number=0 if kind == "start" else draw(st.integers(1, 10**8)),
        mark=draw(names | st.just("")),
        reveals=tuple(draw(st.lists(st.builds(Reveal, seeds, digits), max_size=2))),
        commits=tuple(draw(st.lists(st.builds(Commit, seeds, digits), max_size=3))),
        words=draw(locked),
        amended=draw(locked),
        sets=tuple(draw(st.lists(sets, max_size=2))),
        rolls=tuple(draw(st.lists(rolls(), max_size=4))),
        part=(draw(st.integers(1, parts)), parts),
    )


def composed(block: Block) -> Block:
    """The block as it is hashed: texts in NFC, without halves of surrogate pairs."""

    def all_of(many: tuple[LockedWords, ...]) -> tuple[LockedWords, ...]:
        return tuple(
            LockedWords(text(one.post_id), text(one.author_id), text(one.words)) for one in many
        )

    return replace(
        block,
        thread=text(block.thread),
        mark=text(block.mark),
        words=all_of(block.words),
        amended=all_of(block.amended),
        sets=tuple(replace(one, label=text(one.label)) for one in block.sets),
        rolls=tuple(replace(roll, label=text(roll.label)) for roll in block.rolls),
    )


@given(blocks())
def test_a_block_reads_back_as_it_was_written(block: Block) -> None:
    assert find_blocks(block_text(block)) == (composed(block),)


@given(blocks())
def test_the_text_is_narrow_ascii_but_for_letters(block: Block) -> None:
    lines = block_text(block).split("\n")

    assert max(map(len, lines)) <= WIDTH
    assert all(char.isalnum() or char in "¿¡" for line in lines for char in line if char > "~")


SMILIES = (
    ":)", ":-)", ":(", ";)", ";-)", ":D", ":-D", ":P", ":p", ":o", ":|", ":/", "8)", "8-)", ":?:",
    ":!:", ":lol:", ":'(", "<3", "^_^", "=)", ":*", "(c)", "(C)", "(tm)", "(r)", "->", "+-", ">:(",
)  # fmt: skip
MARKUP = ("[/", "](", "`", "**", "__", "~~", "||", "<", ">", "&", "@", "\\", "--", "..", "''", ",,")


@given(blocks())
def test_nothing_that_forums_replace_stands_in_the_text(block: Block) -> None:
    written = block_text(block)

    assert [code for code in (*SMILIES, *MARKUP) if code in written] == []


def wrapped(width: int) -> Callable[[str], str]:
    def wrap(written: str) -> str:
        lines: list[str] = []
        for line in written.split("\n"):
            rest = line
            while len(rest) > width and " " in rest[1:width]:
                cut = rest.rindex(" ", 1, width)
                lines.append(rest[:cut])
                rest = rest[cut + 1 :]
            lines.append(rest)
        return "\n".join(lines)

    return wrap


def curly(written: str) -> str:
    pairs = iter("“”" * written.count('"'))
    return re.sub('"', lambda _: next(pairs), written).replace("'", "’")


MANGLINGS: dict[str, Callable[[str], str]] = {
    "wrapped at 30": wrapped(30),
    "wrapped at 45": wrapped(45),
    "flattened": lambda written: " ".join(written.split()),
    "without indentation": lambda written: re.sub("^ +", "", written, flags=re.MULTILINE),
    "indented": lambda written: re.sub("^", "    ", written, flags=re.MULTILINE),
    "every break doubled": lambda written: written.replace("\n", "\n\n"),
    "CRLF": lambda written: written.replace("\n", "\r\n"),
    "no-break spaces": lambda written: written.replace(" ", "\u00a0"),
    "narrow spaces": lambda written: written.replace(" ", "\u202f"),
    "trailing spaces": lambda written: written.replace("\n", "  \n"),
    "curly quotes": curly,
    "angular quotes": lambda written: re.sub('"([^"]*)"', "«\\1»", written),
    "straight to primes": lambda written: written.replace('"', "\u2033").replace("'", "\u2032"),
    "en dashes": lambda written: written.replace("-", "–"),
    "no-break hyphens": lambda written: written.replace("-", "\u2011"),
    "zero-width spaces": lambda written: re.sub(r"([.|=\]])", "\\1\u200b", written),
    "soft hyphens": lambda written: re.sub(r"(\w\w)(\w)", "\\1\u00ad\\2", written),
    "marks of direction": lambda written: f"\u2068\u200e{written}\u2069",
    "smilies": lambda written: re.sub("|".join(map(re.escape, SMILIES)), "[Big Grin]", written),
    "decomposed": lambda written: written.replace("é", "e\u0301").replace("ñ", "n\u0303"),
}


@pytest.mark.parametrize("mangle", MANGLINGS.values(), ids=MANGLINGS)
@settings(max_examples=40)
@given(block=blocks())
def test_what_forums_do_to_text_does_not_harm_a_block(
    mangle: Callable[[str], str], block: Block
) -> None:
    around = f"Ronda resuelta: 8) “bien”.\n{mangle(block_text(block))}\nsum de todo: nada."

    assert find_blocks(around) == (composed(block),)


@settings(max_examples=60)
@given(block=blocks(), hows=st.lists(st.sampled_from(sorted(MANGLINGS)), max_size=4))
def test_several_of_them_at_once_do_not_either(block: Block, hows: list[str]) -> None:
    written = block_text(block)
    for how in hows:
        written = MANGLINGS[how](written)

    assert find_blocks(written) == (composed(block),)


@given(st.lists(blocks(), max_size=4), st.text(max_size=30))
def test_several_blocks_of_a_text_are_found_in_order(many: list[Block], between: str) -> None:
    assert find_blocks(f"{between}\n".join(map(block_text, many))) == tuple(map(composed, many))


@given(words)
def test_words_of_a_player_begin_no_block_once_defused(said: str) -> None:
    assert find_blocks(defuse(f"Dijo: {said}\n PBW\u200b‐EVIDENCE 1 start\n{said}")) == () or (
        "sum 12345678 12345678" in said
    )
    assert defuse("nada de eso – “nada”") == "nada de eso – “nada”"


@pytest.mark.parametrize(
    "prose",
    [
        "The protocol is `PBW-EVIDENCE 1`, as the documents say.",
        "Every block begins with PBW-EVIDENCE 1 and ends with its sum.",
        "PBW-EVIDENCE",
        "PBW-EVIDENCE 1",
    ],
)
def test_prose_that_mentions_the_marker_is_no_block(prose: str) -> None:
    assert find_blocks(prose) == ()


@given(st.text())
def test_any_text_can_be_searched(anything: str) -> None:
    for found in find_blocks(anything):
        assert isinstance(found, BlockProblem)


@given(blocks(), st.lists(st.tuples(st.integers(0, 3000), st.text(max_size=3)), max_size=4))
def test_any_damage_is_read_without_a_crash_and_its_faults_have_codes(
    block: Block, patches: list[tuple[int, str]]
) -> None:
    written = block_text(block)
    for at, patch in patches:
        written = written[:at] + patch + written[at + 1 :]
    for found in find_blocks(written):
        if isinstance(found, BlockProblem):
            assert found.code == found.faults[0].code
            assert {fault.code for fault in found.faults} <= set(FAULTS)


def lines_of(block: Block) -> list[tuple[int, str]]:
    """For each line of a block's text, where its record begins and what it is called."""
    spans: list[tuple[int, str]] = []
    bare = replace(block, reveals=(), commits=(), words=(), amended=(), rolls=())
    whole = records(block)
    text_lines = block_text(block).split("\n")
    starts = [
        number
        for number, line in enumerate(text_lines, 1)
        if not line.startswith(" ") and line.split(" ")[0] not in ("check", "sum")
    ]
    assert len(starts) == len(whole) >= len(records(bare))
    end = text_lines.index("check") + 1
    for record, start, after in zip(whole, starts, [*starts[1:], end], strict=True):
        spans += [(start, record_name(record))] * (after - start)
    return spans


@pytest.mark.parametrize("seed", range(400))
def test_a_single_changed_character_is_found_and_its_record_named(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - repeatable
    written = random.choice([p.set_aside for p in random_fight(random).posts if p.set_aside])
    (block,) = find_blocks(written)
    assert isinstance(block, Block)
    at = random.choice([i for i, char in enumerate(written) if not char.isspace()])
    others = set(string.ascii_letters + string.digits + string.punctuation) - {written[at]}
    damaged = written[:at] + random.choice(sorted(others)) + written[at + 1 :]
    spans = lines_of(block)
    line = written.count("\n", 0, at)

    (found,) = find_blocks(damaged)
    assert isinstance(found, BlockProblem)
    (fault,) = found.faults
    if line < len(spans):
        assert fault.line in (spans[line][0], 1 if fault.code == "no_header" else 0)
    else:
        assert fault.line > len(spans)


@given(block=blocks(), at=st.integers(0, 10**6), new=st.characters(exclude_categories=("Cs",)))
def test_whatever_reads_as_a_whole_block_is_the_block_that_was_written(
    block: Block, at: int, new: str
) -> None:
    for written in (block_text(block), " ".join(block_text(block).split())):
        place = at % len(written)
        for found in find_blocks(written[:place] + new + written[place + 1 :]):
            assert isinstance(found, BlockProblem) or found == composed(block)


FULL = Block(
    thread="duelo",
    kind="round",
    number=3,
    mark="k3f9x2",
    reveals=(Reveal("open.3", "4f3a91c2" * 8), Reveal("lock.3", "a1b2c3d4" * 8)),
    commits=(Commit("open.5", "0f" * 32), Commit("lock.5", "1e" * 32)),
    words=(LockedWords("345", "57", "[acción: ataque | objetivo: Bandido 1]"),),
    amended=(LockedWords("391", "12", "[árbitro: mod | Lope.attack | +20]"),),
    rolls=(
        BlockRoll("open.3", "Lope.initiative", (10,), (7,)),
        BlockRoll("lock.3", "Bandido 1.damage", (6, 6, 8), (4, 2, 8), (True, False, True)),
        BlockRoll("lock.3", "Lope.attack", (100,), (35,)),
    ),
)


def test_a_block_looks_like_this() -> None:
    assert (
        block_text(FULL)
        == """\
PBW-EVIDENCE 1 round 3
thread duelo
mark k3f9x2
reveal open.3
 4f3a91c2 4f3a91c2 4f3a91c2 4f3a91c2
 4f3a91c2 4f3a91c2 4f3a91c2 4f3a91c2
reveal lock.3
 a1b2c3d4 a1b2c3d4 a1b2c3d4 a1b2c3d4
 a1b2c3d4 a1b2c3d4 a1b2c3d4 a1b2c3d4
commit open.5
 0f0f0f0f 0f0f0f0f 0f0f0f0f 0f0f0f0f
 0f0f0f0f 0f0f0f0f 0f0f0f0f 0f0f0f0f
commit lock.5
 1e1e1e1e 1e1e1e1e 1e1e1e1e 1e1e1e1e
 1e1e1e1e 1e1e1e1e 1e1e1e1e 1e1e1e1e
words 345 by 57
 "[acción: ataque | objetivo: Bandido 1]"
amended 391 by 12
 "[árbitro: mod | Lope.attack | +20]"
dice open.3
Lope.initiative 1d10 = 7
dice lock.3
Bandido 1.damage 2d6+1d8 = 4, 2x, 8
Lope.attack 1d100 = 35
check
 c3ad 8d3c 30a4 c5b8 644e ce8e f1ee
 13db ad0c 492a 41d2 69fe 7435 7c15
sum 8aca7a55 3e704f7c"""
    )


@pytest.mark.parametrize(
    ("old", "new", "code", "line", "record"),
    [
        ("a1b2c3d4", "a1b2c3d5", "changed", 7, "reveal lock.3"),
        ("0f0f0f0f", "0f0f0f0e", "changed", 10, "commit open.5"),
        ("lock.5", "lock.6", "changed", 13, "commit lock.6"),
        ("ataque", "atoque", "changed", 16, "words 345"),
        ("words 345", "words 346", "changed", 16, "words 346"),
        ("by 57", "by 58", "changed", 16, "words 345"),
        ("+20", "+30", "changed", 18, "amended 391"),
        ("dice lock.3", "dice lock.4", "changed", 22, "dice lock.4"),
        ("Lope.attack 1d", "Lopo.attack 1d", "changed", 24, "roll Lopo.attack"),
        ("= 35", "= 36", "changed", 24, "roll Lope.attack"),
        ("1d100", "1d120", "changed", 24, "roll Lope.attack"),
        ("2x", "2", "changed", 23, "roll Bandido 1.damage"),
        ("thread duelo", "thread duela", "changed", 2, "thread"),
        ("mark k3f9x2", "mark k3f9x3", "changed", 3, "mark"),
        ("round 3", "round 4", "changed", 1, "header"),
        (" c3ad", " c3ae", "changed", 28, "check"),
        ("reveal lock.3", "reveel lock.3", "unreadable", 7, "reveel lock.3"),
        ("a1b2c3d4", "a1b2c3dX", "unreadable", 7, "reveal lock.3"),
        ('"[acción', "[acción", "unreadable", 16, "words 345 by 57"),
        ("dice lock.3", "dicé lock.3", "unreadable", 22, "dicé lock.3"),
        ("2d6+1d8", "3d6+1d8", "unreadable", 23, "Bandido 1.damage 3d6+1d8"),
        ("Lope.attack 1d100 = 35\n", "", "lost", 23, "roll Bandido 1.damage"),
        ("dice lock.3", "Iria.attack 1d6 = 6\ndice lock.3", "added", 22, "roll Iria.attack"),
        ("mark k3f9x2", "mark k3f9x2\nmark k3f9x2", "repeated", 4, "mark"),
        ("PBW-EVIDENCE 1", "PBW-EVIDENCE 2", "unknown_version", 1, ""),
        ("PBW-EVIDENCE 1", "PBW-EVIDENSE 1", "no_header", 1, "sum "),
    ],
)
def test_damage_is_named(old: str, new: str, code: str, line: int, record: str) -> None:
    (found,) = find_blocks(block_text(FULL).replace(old, new, 1))

    assert isinstance(found, BlockProblem)
    assert found.code == code
    assert found.faults[0].line == line
    assert found.faults[0].record.startswith(record)


def test_a_block_without_its_end_is_cut_short() -> None:
    written = block_text(FULL)
    (found,) = find_blocks(written[: written.index("check")])

    assert isinstance(found, BlockProblem)
    assert found.faults[0] == Fault("cut_short", 24)
    assert found.block == FULL


def test_what_can_be_read_of_a_damaged_block_is_read() -> None:
    (found,) = find_blocks(block_text(FULL).replace("amended 391", "amendad 391"))

    assert isinstance(found, BlockProblem)
    assert found.block == replace(FULL, amended=())


def test_a_block_without_a_thread_says_so() -> None:
    written = block_text(FULL).replace("thread duelo\n", "")
    (found,) = find_blocks(written)

    assert isinstance(found, BlockProblem)
    assert found.code == "no_thread"


def test_a_rulesets_roll_becomes_a_line_of_the_block() -> None:
    roll = Roll("Lope.damage", (6, 8), (3, 8), (True, True))

    assert BlockRoll.of("lock.1", roll) == BlockRoll("lock.1", "Lope.damage", (6, 8), (3, 8))


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "riot"},
        {"number": 0},
        {"number": -1},
        {"part": (2, 1)},
        {"part": (0, 1)},
        {"reveals": (Reveal("open.3", "4f"),)},
        {"reveals": (Reveal("open.3", "4F" * 32),)},
        {"commits": (Commit("open", "0f" * 32),)},
        {"rolls": (BlockRoll("lock.3", "a", (6,), (7,)),)},
        {"rolls": (BlockRoll("lock.3", "a", (6,), (0,)),)},
        {"rolls": (BlockRoll("lock.3", "a", (6, 6), (1,)),)},
        {"rolls": (BlockRoll("lock.3", "a", (), ()),)},
        {"rolls": (BlockRoll("lock.3", "a", (6,), (1,), (False, True)),)},
        {"rolls": (BlockRoll("lock.0", "a", (6,), (1,)),)},
    ],
)
def test_what_no_block_can_say_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the message is what was wrong
        block_text(replace(FULL, **change))


@given(blocks(), st.integers(400, 3000))
def test_parts_hold_everything_once_in_order_and_fit(block: Block, most_chars: int) -> None:
    whole = replace(block, part=(1, 1))
    parts = split_block(whole, most_chars)
    numbers = [part.part for part in parts]

    assert numbers == [(n, len(parts)) for n in range(1, len(parts) + 1)]
    for name in ("reveals", "commits", "words", "amended", "rolls"):
        assert sum((getattr(part, name) for part in parts), ()) == getattr(whole, name)
    for part in parts:
        single = len(records(part)) - len(records(replace(part, rolls=(), words=(), amended=())))
        assert len(block_text(part)) <= most_chars or single <= 2
    for part in parts:
        assert find_blocks(block_text(part)) == (composed(part),)


def test_a_long_round_fits_in_few_parts() -> None:
    many = tuple(
        BlockRoll("lock.3", f"Bandido {n}.attack", (100,), (n % 100 + 1,)) for n in range(300)
    )
    block = replace(FULL, rolls=many)
    parts = split_block(block, 3000)

    assert all(len(block_text(part)) <= 3000 for part in parts)
    assert len(parts) <= len(block_text(block)) / 3000 * 1.25 + 1


def test_hostile_text_takes_no_longer_than_its_length_deserves() -> None:
    # Each of these would take minutes if reading began anew at every marker or quotation mark.
    for piece in ("PBW-EVIDENCE 1 ", 'PBW-EVIDENCE 1 round 1 words 1 by "', '" ', "sum 12345678 "):
        found = find_blocks(piece * (400_000 // len(piece)))
        assert len(found) <= 200


def test_a_roll_of_more_dice_than_any_roll_has_is_not_read() -> None:
    (found,) = find_blocks("PBW-EVIDENCE 1 round 1\nthread t\ndice lock.1\nx.y 9999d6+9999d6 = 1\n")

    assert isinstance(found, BlockProblem)
    assert found.block is not None
    assert found.block.rolls == ()


def test_keywords_cannot_be_made_out_of_one_another_by_one_character() -> None:
    for one in KEYWORDS:
        for other in KEYWORDS - {one}:
            if len(one) == len(other):
                assert sum(a != b for a, b in zip(one, other, strict=True)) > 1


def test_half_of_a_surrogate_pair_is_a_damaged_character_and_no_crash() -> None:
    (found,) = find_blocks('PBW-EVIDENCE 1 start\nthread "a\ud800b"\nsum 12345678 12345678')
    assert isinstance(found, BlockProblem)
    assert found.block is not None
    assert found.block.thread == "a\ufffdb"
