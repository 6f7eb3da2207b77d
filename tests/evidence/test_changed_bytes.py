"""One byte changed in a seed, a commitment, a declaration, a die, a label or a row of the log.

Each change is found and its place is named: for what stands in the thread by ``verify``, which
says post, line and record; for the log by ``audit``, which says the row. ``REFEREE_LONG=1`` tries
10,000 changes, the suite some hundreds.
"""

import string
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Final

import pytest

from referee.evidence import Block, find_blocks, verify
from referee.evidence.block import Record, _lines, block_text, records
from referee.evidence.reader import record_name
from tests.evidence.fought import LONG, Fought, audited, fought, games
from tests.evidence.played import REFEREE, Table, full_duel, random_fight
from tests.evidence.test_fights import changed_entry

KINDS: Final = ("seed", "commitment", "declaration", "die", "label", "row")
PARTS: Final = 10
CHANGES: Final = 10_000 if LONG else 480
BYTES: Final = string.digits + string.ascii_letters + string.punctuation


def lot(seed: int) -> Random:
    return Random(seed)  # noqa: S311 # changes, not secrets


@dataclass(frozen=True)
class Place:
    """Where a byte may be changed.

    Attributes:
        at: Which post of the thread.
        name: Of the record.
        lines: Of the block that the record takes up, from 1.
        start: Of what may be changed, in the block's text.
        end: Likewise.
    """

    at: int
    name: str
    lines: range
    start: int
    end: int


def span(kind: str, record: Record, written: str) -> tuple[int, int] | None:
    """Which part of a written record is of a kind; None where none of it is."""
    if kind in ("seed", "commitment"):
        keyword = "reveal" if kind == "seed" else "commit"
        return (written.index("\n"), len(written)) if record[0] == keyword else None
    if kind == "declaration" and record[0] == "words":
        # The quotation marks themselves count: one that is gone must not pass either.
        return written.index('"', written.index(" by ")), len(written)
    if kind in ("die", "label") and record[0] == "roll":
        dice = written.rindex("=")
        before = written[:dice].rstrip().rindex(" ")
        return (dice + 1, len(written)) if kind == "die" else (0, before)
    return None


def places(table: Table, kind: str) -> Iterator[Place]:
    """Everywhere in a thread where something of a kind stands."""
    for at, post in enumerate(table.posts):
        if post.author_id != REFEREE:
            continue
        (block,) = find_blocks(post.set_aside)
        assert isinstance(block, Block)
        assert post.set_aside == block_text(block)
        start, line = 0, 1
        for record in records(block):
            lines = _lines(record)
            written = "\n".join(lines)
            assert post.set_aside.startswith(written, start)
            found = span(kind, record, written)
            if found is not None:
                taken = range(line, line + len(lines))
                name = record_name(record)
                yield Place(at, name, taken, start + found[0], start + found[1])
            start, line = start + len(written) + 1, line + len(lines)


def changed(random: Random, text: str, place: Place) -> str:
    """The text with one byte of a place made another."""
    spots = [spot for spot in range(place.start, place.end) if text[spot] in BYTES]
    spot = random.choice(spots)
    return text[:spot] + random.choice(BYTES.replace(text[spot], "")) + text[spot + 1 :]


def missed_in_thread(random: Random, table: Table, place: Place) -> str:
    """What a change in a thread has not led to; nothing where it was found at its place."""
    post = table.posts[place.at]
    text = changed(random, post.set_aside, place)
    posts = list(table.posts)
    posts[place.at] = replace(post, set_aside=text)
    report = verify(posts, [REFEREE])
    told = [
        finding
        for finding in report.findings
        if finding.code == "block_damaged" and finding.post_id == post.id
    ]
    named = any(
        finding.facts["record"] == place.name or finding.facts["line"] in place.lines
        for finding in told
    )
    if report.verdict != "holds" and named:
        return ""
    return f"{place} {text[place.start : place.end]!r}: {report.findings}"


def missed_in_log(random: Random, it: Fought) -> str:
    """Likewise for a row of the log."""
    log = it.log()
    at = random.randrange(len(log))
    log[at] = (changed_entry(random, log[at][0]), log[at][1])
    first = audited(it, log)[0].first
    if first is not None and (first.number, first.code) == (at + 1, "entry_changed"):
        return ""
    return f"row {at + 1}: {first}"


@pytest.mark.parametrize("part", range(PARTS))
def test_a_changed_byte_of_any_kind_is_found_and_its_place_is_named(part: int) -> None:
    random = lot(part)
    fights = [fought(game, random) for game in games()]
    tables = [*(it.table for it in fights), random_fight(random), full_duel()]
    held = {
        kind: [(table, place) for table in tables for place in places(table, kind)]
        for kind in KINDS
    }
    missed = []
    for number in range(CHANGES // PARTS):
        kind = KINDS[number % len(KINDS)]
        if kind == "row":
            missed.append(missed_in_log(random, random.choice(fights)))
            continue
        missed.append(missed_in_thread(random, *random.choice(held[kind])))
    assert len(missed) == CHANGES // PARTS
    assert [one for one in missed if one] == []
