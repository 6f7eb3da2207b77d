"""The published test vectors: current, and true to the specification in other words than ours."""

import hashlib
import hmac
import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import pytest

from referee.evidence import (
    CODES,
    FAULTS,
    ThreadPost,
    find_blocks,
    signature_checker,
    verify,
)
from referee.evidence.block import records
from tests.evidence.vectors import FILE, as_text

SPECIFICATION = FILE.with_name("evidence.md")


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return data


def test_the_published_file_is_current() -> None:
    current = FILE.read_text(encoding="utf-8") == as_text()

    assert current, "run: python -m tests.evidence.vectors"


# What follows uses no code of ours: only what docs/evidence.md says.


def compact(value: Any) -> bytes:
    """Canonical JSON, enough for the protocol: ASCII keys, integers, strings."""
    return json.dumps(
        value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    ).encode()


def digest(value: bytes) -> str:
    return hashlib.sha256(value).hexdigest()


def nfc(value: str) -> str:
    return unicodedata.normalize("NFC", value)


def words_hash(words: dict[str, str]) -> str:
    return digest(compact([nfc(words[k]) for k in ("post_id", "author_id", "words")]))


def test_commitments_and_words_follow_the_specification(published: dict[str, Any]) -> None:
    for case in published["commitments"]:
        assert digest(bytes.fromhex(case["secret"])) == case["commitment"]
    for case in published["words"]:
        assert words_hash(case) == case["hash"]


def test_public_inputs_follow_the_specification(published: dict[str, Any]) -> None:
    for case in published["public_inputs"]:
        facts = {
            "previous": case["previous"],
            "seed": case["seed"],
            "thread": case["thread"],
            "words": sorted(map(words_hash, case["words"])),
        }
        if "beacon" in case:
            facts["beacon"] = case["beacon"]
        assert digest(compact(facts)) == case["public_input"]


def test_dice_follow_the_specification(published: dict[str, Any]) -> None:
    assert max(case["attempts"] for case in published["dice"]) > 1
    for case in published["dice"]:
        key, sides = bytes.fromhex(case["secret"]), case["sides"]
        for attempt in range(case["attempts"]):
            message = compact([case["public_input"], nfc(case["label"]), case["index"], attempt])
            made = hmac.new(key, message, hashlib.sha256).digest()
            face = (made[0] * 256 + made[1]) // (65_536 // sides) + 1
            assert (face > sides) is (attempt + 1 < case["attempts"])
        assert face == case["face"]


def test_checks_and_sums_follow_the_specification(published: dict[str, Any]) -> None:
    for case in published["blocks"]:
        assert [digest(compact(record))[:4] for record in case["records"]] == case["checks"]
        assert digest(compact(case["records"]))[:16] == case["sum"]
        grouped = f"sum {case['sum'][:8]} {case['sum'][8:]}"
        assert case["text"].endswith(grouped)


def test_beacons_follow_the_specification(published: dict[str, Any]) -> None:
    for case in published["beacons"]:
        assert digest(bytes.fromhex(case["signature"])) == case["randomness"]
        assert case["published_at"] == 1_692_803_367 + 3 * (case["round"] - 1)


def test_quoted_words_are_percent_encoded(published: dict[str, Any]) -> None:
    for case in published["blocks"]:
        quoted = re.findall(r'"([^"]*)"', re.sub(r"%\s+", "", case["text"]))
        read = {unquote(" ".join(one.split())) for one in quoted}
        long = {record[3] for record in case["records"] if record[0] in ("words", "amended")}
        assert long <= read


def test_bent_blocks_read_as_the_straight_one(published: dict[str, Any]) -> None:
    for case in published["blocks"]:
        (block,) = find_blocks(case["text"])
        assert json.loads(compact(records(block))) == case["records"]
        for bent in case["also_read_from"]:
            assert find_blocks(bent) == (block,)


def test_the_chain_follows_the_specification(published: dict[str, Any]) -> None:
    for case in published["chain"]:
        assert digest(case["previous"].encode() + compact(case["entry"])) == case["hash"]


def test_canonical_json_is_as_published(published: dict[str, Any]) -> None:
    for case in published["canonical"]:
        assert json.loads(case["json"]) == case["value"]


def threads_of(cases: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], list[ThreadPost]]]:
    """Each altered thread of some vectors, whose first one is the honest one."""
    honest, *altered = cases
    posts = [ThreadPost(**post) for post in honest["posts"]]
    for case in altered:
        changed = {post["id"]: ThreadPost(**post) for post in case["changes"]["posts"]}
        thread = [
            changed.pop(post.id, post) for post in posts if post.id not in case["changes"]["gone"]
        ]
        yield case, [*thread, *changed.values()]


@pytest.mark.parametrize("name", ["threads", "beacon_threads"])
def test_threads_are_judged_as_published(published: dict[str, Any], name: str) -> None:
    honest = published[name][0]
    posts = [ThreadPost(**post) for post in honest["posts"]]
    assert verify(posts, honest["referee_ids"]).as_json() == honest["report"]
    for case, thread in threads_of(published[name]):
        report = verify(thread, case["referee_ids"])
        assert report.verdict == case["verdict"], case["about"]
        assert report.as_json()["findings"] == case["findings"], case["about"]


def test_an_honest_thread_holds_once_all_of_it_can_be_checked(published: dict[str, Any]) -> None:
    assert published["threads"][0]["report"]["verdict"] == "holds"
    lit = published["beacon_threads"][0]
    # A value that nobody has checked could have been chosen.
    assert lit["report"]["verdict"] == "incomplete"
    assert lit["report_with_signatures_checked"]["verdict"] == "holds"


def test_beacon_threads_are_judged_as_published_where_signatures_can_be_checked(
    published: dict[str, Any],
) -> None:
    check = signature_checker()
    if check is None:
        pytest.skip("the extra `beacon` is not installed")
    for case in published["beacons"]:
        assert check(case["round"], case["signature"])
        assert not check(case["round"] + 1, case["signature"])
    honest = published["beacon_threads"][0]
    posts = [ThreadPost(**post) for post in honest["posts"]]
    report = verify(posts, honest["referee_ids"], check)
    assert report.as_json() == honest["report_with_signatures_checked"]
    for case, thread in threads_of(published["beacon_threads"]):
        report = verify(thread, case["referee_ids"], check)
        assert report.verdict == case["verdict_with_signatures_checked"], case["about"]
        assert report.as_json()["findings"] == case["findings_with_signatures_checked"]


# The specification names all that a reader may meet.


@pytest.mark.parametrize("code", CODES + FAULTS)
def test_the_specification_explains_every_code(code: str) -> None:
    assert f"| `{code}` |" in SPECIFICATION.read_text(encoding="utf-8")


def test_the_block_in_the_specification_is_the_one_of_the_vectors(
    published: dict[str, Any],
) -> None:
    shown = find_blocks(SPECIFICATION.read_text(encoding="utf-8"))
    posts = published["threads"][0]["posts"]

    assert shown == find_blocks(next(p["set_aside"] for p in posts if p["id"] == "108"))
