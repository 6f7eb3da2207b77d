"""YAML files become plain values that remember where they stand."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from referee.documents import (
    Place,
    dotted,
    nearest,
    parse_yaml,
    place_of,
    plain,
    read_yaml,
    shortened,
)

TEXT = """\
# a comment
sites:
  mesa: {adapter: folder, rate: 2}
cast:
  - name: Lope
    side: a
  - {name: Ana, side: b}
empty:
"""


def at(text: str, *path: str | int, key: bool = False) -> tuple[int, int]:
    place = place_of(parse_yaml(text, "x").root, path, key=key)
    return place.line, place.column


def test_a_value_is_found_where_it_stands() -> None:
    assert at(TEXT, "sites", "mesa", "rate") == (3, 33)
    assert at(TEXT, "sites", "mesa", "rate", key=True) == (3, 27)
    assert at(TEXT, "cast", 1, "side") == (7, 23)
    assert at(TEXT, "cast", "Ana", "side") == (7, 23)


def test_a_block_is_found_at_its_key() -> None:
    assert at(TEXT, "sites") == (2, 1)
    assert at(TEXT, "sites", "mesa") == (3, 3)


def test_an_empty_value_is_found_at_its_key() -> None:
    assert at(TEXT, "empty") == (8, 1)


def test_what_is_not_there_is_found_at_the_nearest_thing_above() -> None:
    assert at(TEXT, "sites", "mesa", "adaptr", "x") == (3, 3)
    assert at(TEXT, "nothing") == (2, 1)
    assert place_of({"plain": 1}, ("plain",)) == Place("")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("21:00", "21:00"),
        ("1:30:00", "1:30:00"),
        ("2026-12-04", "2026-12-04"),
        ("2026-12-04 21:00:00", "2026-12-04 21:00:00"),
        ("007", "007"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("1e3", "1e3"),
        (".inf", ".inf"),
        ("9" * 30, "9" * 30),
        ("12", 12),
        ("-12", -12),
        ("+20", 20),
        ("0", 0),
        ("1.5", 1.5),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("'12'", "12"),
        ("!!str 12", "12"),
        ("!anything 12", "12"),
        ("=", "="),
    ],
)
def test_values_read_as_they_look(text: str, value: object) -> None:
    found = parse_yaml(f"key: {text}\n", "x").root["key"]

    assert found == value
    assert type(found) is type(value)


def test_a_version_line_does_not_bring_the_old_traps_back() -> None:
    assert parse_yaml("%YAML 1.1\n---\nkey: no\n", "x").root == {"key": "no"}


def test_keys_are_text() -> None:
    assert parse_yaml("12: a\ntrue: b\n2026-12-04: c\n", "x").root == {
        "12": "a",
        "true": "b",
        "2026-12-04": "c",
    }


def test_the_first_of_double_keys_stays_and_every_other_is_named() -> None:
    document = parse_yaml("a: 1\na: {b: 2, b: 3}\nc: 4\na: 5\n", "x")

    assert document.root == {"a": 1, "c": 4}
    assert [(p.code, p.line, p.column, p.given) for p in document.problems] == [
        ("double_key", 2, 1, "a"),
        ("double_key", 2, 11, "b"),
        ("double_key", 4, 1, "a"),
    ]


def test_a_merged_mapping_gives_way_and_keeps_its_places() -> None:
    text = "base: &b {x: 1, y: 2}\nmore: &m {z: 9}\nown: {x: 3, <<: [*b, *m]}\n"

    assert parse_yaml(text, "x").root["own"] == {"x": 3, "y": 2, "z": 9}
    assert at(text, "own", "y") == (1, 20)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("own: {<<: 3}", "bad_merge"),
        ("own: {<<: [{a: 1}, 3]}", "bad_merge"),
        ("a: *b", "unknown_alias"),
        ("a: &a [*a]", "unknown_alias"),
        ("[1, 2]: x", "key_not_text"),
        ("? {a: 1}\n: x", "key_not_text"),
        ("k: &k v\n*k : w", "key_not_text"),
        ("a: 1\n...\n---\nb: 2", "several_documents"),
        ("a: {b: 1", "unclosed_bracket"),
        ("a: [1, 2", "unclosed_bracket"),
        ("a: 'x", "unclosed_quote"),
        ('a: "\\q"', "bad_escape"),
        ("a: b: c", "stray_colon"),
        ("a: 1\n b: 2", "stray_colon"),
        ("a:\n\tb: 1", "tab"),
        ("a: `x`", "reserved_character"),
        ("- a\nb: 1", "bad_indent"),
        ("a:\n  b: 1\n c: 2", "bad_indent"),
        ("a: 1\nhola\nb: 2", "missing_colon"),
        ("a: \x07", "control_character"),
        ("!<x: 1", "bad_yaml"),
    ],
)
def test_what_is_not_yaml_is_named(text: str, code: str) -> None:
    assert [problem.code for problem in parse_yaml(text, "x").problems] == [code]


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n")

    assert read_yaml(path, "a.yaml").root == {"a": 1, "b": 2}


yaml_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.text(),
    lambda inside: (
        st.lists(inside, max_size=4) | st.dictionaries(st.text(max_size=20), inside, max_size=4)
    ),
    max_leaves=20,
)


@given(value=yaml_values)
def test_whatever_is_written_as_json_reads_back(value: Any) -> None:
    text = json.dumps({"value": value})

    document = parse_yaml(text, "x")

    assert not document.problems
    assert plain(document.root) == {"value": value}


def test_half_a_character_cannot_get_in() -> None:
    root = parse_yaml('a: "\\ud800"\n"\\udc00": "\\ud83d\\ude00"\n', "x").root

    assert root == {"a": "\ufffd", "\ufffd": "\U0001f600"}


@given(text=st.text(alphabet="ab:-{}[]&*<>|#'\"\\\n\t ,?!%@`~0", max_size=60))
@example(text="\u2028: {")
def test_any_text_is_values_or_problems(text: str) -> None:
    document = parse_yaml(text, "x")

    assert document.problems or document.root is not None or not YAML(typ="safe").load(text)


def test_a_suggestion_is_near_and_only_one() -> None:
    names = ("sites", "threads", "site", "side", "espada", "Íñigo")

    assert nearest("thread", names) == "threads"
    assert nearest("ESPADÁ", names) == "espada"
    assert nearest("inigo", names) == "Íñigo"
    assert nearest("sid", ("side", "site")) == "side"
    assert nearest("si_e", ("side", "site")) == ""
    assert nearest("ballesta", names) == ""
    assert nearest("", names) == ""
    assert nearest("x", ()) == ""


def test_paths_and_values_are_shown_in_one_line() -> None:
    assert dotted(("threads", "molino", "gm", 1, "id")) == "threads.molino.gm[1].id"
    assert shortened("una\n  línea") == "una línea"
    assert len(shortened("x" * 100)) == 60
