"""Test vectors of the evidence protocol, for implementations in other languages.

``python -m tests.evidence.vectors`` writes them; a test fails while the file is not current.
"""

import hmac
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from referee.evidence import (
    CHAIN,
    CHAIN_HASH,
    GENESIS,
    Beacon,
    Block,
    BlockProblem,
    BlockRoll,
    Commit,
    LockedWords,
    Reveal,
    SeedDice,
    SetRoll,
    ThreadPost,
    block_text,
    canonical,
    commitment,
    find_blocks,
    link,
    public_input,
    published_at,
    randomness,
    verify,
)
from referee.evidence.beacon import PUBLIC_KEY
from referee.evidence.block import record_check, records, records_sum
from referee.evidence.seeds import face_of
from tests.evidence.played import REFEREE, SIGNATURES, Table, beacon_duel, full_duel, recorded

FILE = Path(__file__).parents[2] / "docs" / "evidence-vectors.json"

SECRET = sha256(b"a secret of the test vectors").digest()

WORDS = (
    LockedWords("345", "57", "[acción: ataque | objetivo: Bandido 1 | arma: espada]"),
    LockedWords("346", "2", "[acción Bandido 1: parada | arma: “clava”]"),
    LockedWords("346", "2", "[acción: huida] 8) :D -- … <b>&amp; 👩\u200d🚀 100% PBW-EVIDENCE 1"),
    LockedWords("gm:4", "console", "[a\u0301rbitro: mod |  Lope.attack\n| +20]"),
)  # fmt: skip

VALUES: tuple[Any, ...] = (
    {"b": [1, True, None], "a": "acción", "": {}},
    ['\u0000\b\t\n\f\r\u001f"\\/\u007f\u2028é😀'],
    {"\ue000": -9007199254740991, "😀": 9007199254740991},
)

LABELS = ("Lope.attack", "Lope.attack#2", "Bandido 1.hit_location", "Íñigo.damage", '"],0,0]')


def draw(secret: bytes, public: str, label: str, index: int, attempt: int) -> int:
    """What an attempt at a die draws, 0 to 65,535."""
    message = canonical([public, label, index, attempt])
    return int.from_bytes(hmac.digest(secret, message, "sha256")[:2], "big")


def vectors() -> dict[str, Any]:
    """All vectors as plain JSON data."""
    return {
        "protocol": "PBW-EVIDENCE 1",
        "canonical": [{"value": value, "json": canonical(value).decode()} for value in VALUES],
        "commitments": [{"secret": SECRET.hex(), "commitment": commitment(SECRET)}],
        "words": [{**asdict(one), "hash": one.hash} for one in WORDS],
        "public_inputs": list(_public_inputs()),
        "dice": list(_dice()),
        "blocks": list(_blocks()),
        "damaged": list(_damaged()),
        "chain": list(_chain()),
        "beacons": list(_beacons()),
        "threads": list(_threads()),
        "beacon_threads": list(_beacon_threads()),
    }


def _public_inputs() -> Iterator[dict[str, Any]]:
    lock = public_input("lock.1", "duelo", WORDS)
    for seed, words, previous in (
        ("open.1", (), ""),
        ("lock.1", (), ""),
        ("lock.1", WORDS, ""),
        ("lock.1", WORDS[::-1], ""),
        ("open.2", (), lock),
        ("roll.12", WORDS[:1], ""),
    ):
        yield {
            "seed": seed,
            "thread": "duelo",
            "previous": previous,
            "words": [asdict(one) for one in words],
            "public_input": public_input(seed, "duelo", words, previous),
        }
    light = randomness(SIGNATURES[1000])
    yield {
        "seed": "lock.1",
        "thread": "duelo",
        "previous": "",
        "words": [asdict(one) for one in WORDS],
        "beacon": light,
        "public_input": public_input("lock.1", "duelo", WORDS, beacon=light),
    }


def _dice() -> Iterator[dict[str, Any]]:
    public = public_input("lock.1", "duelo", WORDS)
    dice = SeedDice(SECRET, public)
    cases = [(label, index, 100) for label in LABELS for index in (0, 1)]
    cases += [("Lope.luck", 0, sides) for sides in (2, 3, 4, 6, 8, 10, 12, 20, 1000, 10_000)]
    # Dice whose first draw is thrown away, so that the second attempt is exercised.
    cases += [
        ("Lope.again", index, 10_000)
        for index in range(100)
        if not face_of(draw(SECRET, public, "Lope.again", index, 0), 10_000)
    ][:4]
    for label, index, sides in cases:
        attempt = 0
        while not face_of(draw(SECRET, public, label, index, attempt), sides):
            attempt += 1
        yield {
            "secret": SECRET.hex(),
            "public_input": public,
            "label": label,
            "index": index,
            "sides": sides,
            "attempts": attempt + 1,
            "face": dice.face(label, index, sides),
        }


FULL = Block(
    thread="mesa/7",
    kind="round",
    number=3,
    mark="ref-k3f9x2",
    reveals=(Reveal("open.3", SECRET.hex()),),
    commits=(Commit("open.5", commitment(SECRET)),),
    words=WORDS[:3],
    amended=WORDS[3:],
    beacons=(Beacon(CHAIN, 1000, SIGNATURES[1000]),),
    sets=(SetRoll("Bandido 1.damage", (4, 2)),),
    rolls=(
        BlockRoll("open.3", "Lope.initiative", (10,), (7,)),
        BlockRoll("lock.3", "Bandido 1.damage", (6, 6, 8), (4, 2, 8), (True, False, True)),
        BlockRoll("lock.3", "“El Zurdo”.attack", (100,), (35,)),
        BlockRoll("lock.3", "dice.attack", (100,), (100,)),
    ),
    part=(1, 2),
)


def _blocks() -> Iterator[dict[str, Any]]:
    for block in (Block("duelo", "start", commits=FULL.commits), FULL):
        written = block_text(block)
        all_records = records(block)
        yield {
            "text": written,
            "records": [list(record) for record in all_records],
            "checks": [record_check(record) for record in all_records],
            "sum": records_sum(all_records),
            "also_read_from": [
                " ".join(written.split()),
                written.replace(" ", "\u00a0").replace('"', "”").replace("-", "–"),
                f"8) Ronda…\n\n{written.replace(chr(10) + ' ', chr(10))}\u200b, y sigue.",
            ],
        }


def _damaged() -> Iterator[dict[str, Any]]:
    written = block_text(FULL)
    for old, new in (
        ("= 7", "= 8"),
        ("reveal open.3", "revael open.3"),
        ("dice lock.3", "dice lock.4"),
        ("Lope.initiative 1d10 = 7\n", ""),
        ("dice lock.3", "Iria.initiative 1d10 = 1\ndice lock.3"),
        ("346 by 2", "346 by 3"),
        ("quicknet 1000", "quicknet 1001"),
        ("b44679b9 a59af2ec", "b44679b9 a59af2ed"),
        ("b44679b9 a59af2ec", "b44679b9 a59af2exc"),
        ("PBW-EVIDENCE 1 ", "PBW-EVIDENCE 9 "),
        ("PBW-EVIDENCE 1 ", "PBW-EVIDENCIA 1 "),
    ):
        damaged = written.replace(old, new, 1)
        (found,) = find_blocks(damaged)
        assert isinstance(found, BlockProblem)
        yield {"old": old, "new": new, "faults": [asdict(fault) for fault in found.faults]}


def _chain() -> Iterator[dict[str, Any]]:
    head = GENESIS
    for entry in (
        {"kind": "introduced", "at": "2026-11-30T18:00:00+00:00", "by": ""},
        {"kind": "locked", "round": 1, "words": ["[acción: ataque]"], "final": True, "none": None},
    ):
        following = link(head, entry)
        yield {"previous": head, "entry": entry, "hash": following}
        head = following


def _beacons() -> Iterator[dict[str, Any]]:
    """What the chain has published; its signatures are good by the public key."""
    for number, signature in SIGNATURES.items():
        yield {
            "chain": CHAIN,
            "chain_hash": CHAIN_HASH,
            "public_key": PUBLIC_KEY,
            "round": number,
            "published_at": published_at(number),
            "signature": signature,
            "randomness": randomness(signature),
        }


def _threads() -> Iterator[dict[str, Any]]:
    honest = full_duel()
    yield {
        "about": "an honest duel: free and secret rolls, a question, a correction, a set die",
        "posts": [_post(post) for post in honest.posts],
        "referee_ids": [REFEREE],
        "report": verify(honest.posts, [REFEREE]).as_json(),
    }
    for about, change in CHANGES:
        table = full_duel()
        changed = _changed(table, change)
        yield {"about": about, **changed, **_judged(table)}


def _beacon_threads() -> Iterator[dict[str, Any]]:
    """Threads with a public beacon: judged without the means to check signatures, and with them."""
    honest = beacon_duel()
    yield {
        "about": "a beacon's value, one gone on without, one more value, and none at all",
        "posts": [_post(post) for post in honest.posts],
        "referee_ids": [REFEREE],
        "report": verify(honest.posts, [REFEREE]).as_json(),
        "report_with_signatures_checked": verify(honest.posts, [REFEREE], recorded).as_json(),
    }
    for about, change in BEACON_CHANGES:
        table = beacon_duel()
        changed = _changed(table, change)
        checked = verify(table.posts, [REFEREE], recorded)
        yield {
            "about": about,
            **changed,
            **_judged(table),
            "verdict_with_signatures_checked": checked.verdict,
            "findings_with_signatures_checked": checked.as_json()["findings"],
        }


def _post(post: ThreadPost) -> dict[str, Any]:
    data = asdict(post)
    del data["posted_at"]  # no vector depends on it
    return data


def _changed(table: Table, change: Callable[[Table], None]) -> dict[str, Any]:
    before = {post.id: post for post in table.posts}
    change(table)
    gone = [post_id for post_id in before if all(p.id != post_id for p in table.posts)]
    posts = [_post(post) for post in table.posts if before.get(post.id) != post]
    return {"changes": {"posts": posts, "gone": gone}, "referee_ids": [REFEREE]}


def _judged(table: Table) -> dict[str, Any]:
    report = verify(table.posts, [REFEREE])
    return {"verdict": report.verdict, "findings": report.as_json()["findings"]}


def _own(kind: str, number: int) -> Callable[[Table], tuple[int, Block]]:
    def find(table: Table) -> tuple[int, Block]:
        for at, post in enumerate(table.posts):
            for block in find_blocks(post.set_aside):
                if isinstance(block, Block) and (block.kind, block.number) == (kind, number):
                    return at, block
        raise LookupError(kind, number)

    return find


def _rewriting(kind: str, number: int, forge: Callable[[Block], Block]) -> Callable[[Table], None]:
    """A referee alters a post of his own, with checks and a sum that fit."""

    def change(table: Table) -> None:
        at, block = _own(kind, number)(table)
        table.posts[at] = replace(table.posts[at], set_aside=block_text(forge(block)))

    return change


def _other_face(block: Block) -> Block:
    *rolls, last = block.rolls
    face = last.faces[0] % last.sides[0] + 1
    return replace(block, rolls=(*rolls, replace(last, faces=(face, *last.faces[1:]))))


def _other_words(block: Block) -> Block:
    first, *rest = block.words
    return replace(block, words=(replace(first, words="[acción: huida]"), *rest))


def _other_secret(block: Block) -> Block:
    return replace(block, reveals=(block.reveals[0], Reveal("lock.1", SECRET.hex())))


def _other_commitment(block: Block) -> Block:
    others = tuple(
        Commit(one.seed, "ab" * 32 if one.seed == "roll.1" else one.hash) for one in block.commits
    )
    return replace(block, commits=others)


def _a_byte_of_the_secret(table: Table) -> None:
    at, block = _own("round", 1)(table)
    text = table.posts[at].set_aside
    digits = block.reveals[1].secret[:8]
    other = digits.translate(str.maketrans("0123456789abcdef", "123456789abcdef0"))
    table.posts[at] = replace(table.posts[at], set_aside=text.replace(digits, other, 1))


def _imitation(table: Table) -> None:
    _, block = _own("round", 1)(table)
    table.posts.append(ThreadPost("900", "57", block_text(_other_face(block))))


def _edited_by_its_author(table: Table) -> None:
    _, block = _own("round", 1)(table)
    at = next(i for i, post in enumerate(table.posts) if post.id == block.words[0].post_id)
    table.posts[at] = replace(table.posts[at], own_words="Mejor no.", edited=True)


def _deleted(table: Table) -> None:
    at, _ = _own("round", 1)(table)
    del table.posts[at]


def _unset(block: Block) -> Block:
    return replace(block, sets=())


def _set_otherwise(block: Block) -> Block:
    return replace(block, sets=tuple(replace(one, faces=(1,)) for one in block.sets))


def _set_unruled(block: Block) -> Block:
    return replace(block, amended=())


def _relabelled(block: Block) -> Block:
    return replace(block, rolls=tuple(replace(one, label="S3") for one in block.rolls))


def _unseen(table: Table) -> None:
    at, _ = _own("secret", 2)(table)
    del table.posts[at]


CHANGES: tuple[tuple[str, Callable[[Table], None]], ...] = (
    ("the referee shows another face", _rewriting("round", 1, _other_face)),
    ("the referee changes a declaration", _rewriting("round", 1, _other_words)),
    ("the referee reveals another secret", _rewriting("round", 1, _other_secret)),
    ("the referee changes a commitment", _rewriting("start", 0, _other_commitment)),
    ("digits of a secret are damaged", _a_byte_of_the_secret),
    ("a player imitates a block", _imitation),
    ("a player edits a declaration after the lock", _edited_by_its_author),
    ("the post of a round is gone", _deleted),
    ("a die is set and nothing says so", _rewriting("round", 3, _unset)),
    ("a die is set otherwise than it is said", _rewriting("round", 3, _set_otherwise)),
    ("a die is set and no ruling does it", _rewriting("round", 3, _set_unruled)),
    ("a secret roll is opened under another label", _rewriting("opened", 2, _relabelled)),
    ("nobody saw a secret roll made", _unseen),
)


def _lit_by(number: int, signature: str) -> Callable[[Block], Block]:
    def change(block: Block) -> Block:
        return replace(block, beacons=(Beacon(CHAIN, number, signature),))

    return change


def _unlit(block: Block) -> Block:
    return replace(block, beacons=())


def _unannounced(table: Table) -> None:
    at, _ = _own("question", 1)(table)
    del table.posts[at]


def _announced_edited(table: Table) -> None:
    at, _ = _own("question", 1)(table)
    table.posts[at] = replace(table.posts[at], edited=True)


def _still_waiting(table: Table) -> None:
    at, _ = _own("question", 3)(table)
    del table.posts[at + 1 :]


def _other_words_announced(table: Table) -> None:
    _rewriting("question", 1, _other_words)(table)


FORGED: str = "ab" * 48

BEACON_CHANGES: tuple[tuple[str, Callable[[Table], None]], ...] = (
    ("a value that the chain never signed", _rewriting("round", 1, _lit_by(123, FORGED))),
    ("another round of the beacon", _rewriting("round", 1, _lit_by(1000, SIGNATURES[1000]))),
    ("a value is left out", _rewriting("round", 1, _lit_by(123, ""))),
    ("a beacon is passed over in silence", _rewriting("round", 1, _unlit)),
    ("the beacon was never announced", _unannounced),
    ("the announcement was edited", _announced_edited),
    ("other declarations were announced", _other_words_announced),
    ("a round still waits for its beacon", _still_waiting),
    ("a beacon is gone on without and no ruling does it", _rewriting("round", 2, _set_unruled)),
)


def as_text() -> str:
    """The file as it should be."""
    return json.dumps(vectors(), ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(as_text(), encoding="utf-8")
