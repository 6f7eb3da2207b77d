"""Canonical JSON and the log's hash chain."""

import hashlib
import json
from typing import Any

import orjson
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from referee.evidence import GENESIS, Break, canonical, check, link
from referee.evidence.canonical import quoted, text

LARGEST_INTEGER = 2**53 - 1
characters = st.characters(exclude_categories=("Cs",))
integers = st.integers(-LARGEST_INTEGER, LARGEST_INTEGER)
scalars = st.none() | st.booleans() | integers | st.text(characters)


def trees(leaves: st.SearchStrategy[Any], keys: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(keys, inner),
        max_leaves=25,
    )


entries = st.dictionaries(st.text(characters), trees(scalars, st.text(characters)))


@given(trees(scalars, st.text(st.characters(max_codepoint=0xD7FF))))
def test_the_fast_road_writes_the_same_bytes_as_the_library(value: Any) -> None:
    assert orjson.dumps(value, option=orjson.OPT_SORT_KEYS) == rfc8785.dumps(value)


def test_what_is_nested_too_deep_for_the_fast_road_is_written_all_the_same() -> None:
    value: list[Any] = []
    for _ in range(300):
        value = [value]

    assert canonical(value) == b"[" * 301 + b"]" * 301


@given(trees(scalars | st.floats(allow_nan=False, allow_infinity=False), st.text(characters)))
def test_every_json_value_is_written_as_the_library_writes_it(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@given(st.text(characters))
def test_a_string_by_itself_is_written_as_the_library_writes_it(value: str) -> None:
    assert quoted(value).encode() == rfc8785.dumps(value)


@given(trees(scalars, st.text(characters)))
def test_what_is_written_reads_back_as_the_same_value(value: Any) -> None:
    assert json.loads(canonical(value)) == json.loads(json.dumps(value))


def test_keys_are_sorted_by_utf_16_units_not_by_code_points() -> None:
    assert canonical({"\ue000": 1, "\U0001f600": 2}) == '{"\U0001f600":2,"\ue000":1}'.encode()


@pytest.mark.parametrize(
    "value",
    [
        2**53,
        -(2**53),
        {"a": [2**60]},
        float("nan"),
        [float("inf")],
        {1: "a"},
        {"a": {2: "b"}},
        {1: "a", "b": 2},
        "\ud800",
        {"\udfff": 1},
        {"a": object()},
        b"bytes",
    ],
)
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the kind of refusal is the library's
        canonical(value)


def test_nesting_without_end_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)

    with pytest.raises(ValueError, match="nesting"):
        canonical(endless)


def test_text_is_composed_and_free_of_broken_surrogates() -> None:
    assert text("o\u0301rdago") == "órdago"
    assert text("a\ud800b") == "a\ufffdb"


def chain(all_entries: list[dict[str, Any]]) -> list[tuple[dict[str, Any], str]]:
    linked, head = [], GENESIS
    for entry in all_entries:
        head = link(head, entry)
        linked.append((entry, head))
    return linked


def test_a_link_is_the_hash_of_the_head_before_and_the_entry() -> None:
    entry = {"kind": "lock", "round": 3, "words": "acción"}
    written = GENESIS + '{"kind":"lock","round":3,"words":"acción"}'

    assert link(GENESIS, entry) == hashlib.sha256(written.encode()).hexdigest()


@given(st.lists(entries, max_size=6))
def test_an_untouched_chain_holds(all_entries: list[dict[str, Any]]) -> None:
    assert check(chain(all_entries)) is None


@given(st.lists(st.integers(), min_size=2, max_size=8, unique=True), st.data())
def test_the_first_entry_that_is_not_the_logged_one_is_named(
    numbers: list[int], data: st.DataObject
) -> None:
    linked = chain([{"n": str(number)} for number in numbers])
    at = data.draw(st.integers(0, len(linked) - 1))
    how = data.draw(st.sampled_from(["changed", "taken out", "put in"]))
    stored = linked[at][1]
    if how == "changed":
        linked[at] = ({"n": "other"}, stored)
    elif how == "taken out":
        del linked[at]
    else:
        linked.insert(at, ({"n": "other"}, stored))
    found = check(linked)

    # A tail that is cut off leaves a chain that holds: only a head noted elsewhere tells.
    if how == "taken out" and at == len(linked):
        assert found is None
        assert linked[-1][1] != stored
    else:
        assert found is not None
        assert (found.index, found.code) == (at, "entry_changed")


def test_a_changed_hash_is_a_break_at_its_entry() -> None:
    linked = chain([{"n": 1}, {"n": 2}, {"n": 3}])
    linked[1] = (linked[1][0], "f" * 64)

    assert check(linked) == Break(1, "entry_changed", "f" * 64, link(linked[0][1], {"n": 2}))


def test_a_chain_can_be_checked_from_a_head_in_its_middle() -> None:
    linked = chain([{"n": 1}, {"n": 2}, {"n": 3}])

    assert check(linked[1:], previous=linked[0][1]) is None


def test_an_entry_that_is_no_json_breaks_the_chain_there() -> None:
    linked = [*chain([{"n": 1}]), ({"n": float("nan")}, GENESIS)]

    assert check(linked) == Break(1, "not_canonical", GENESIS, "")


@pytest.mark.parametrize("head", ["", "0" * 63, "G" * 64, "A" * 64, "0" * 64 + "\n"])
def test_a_head_that_is_no_hash_is_refused(head: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the message is the head
        link(head, {})
