"""Playing a log again: the first thing that is not what it should be."""

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.evidence import (
    AUDIT_CODES,
    GENESIS,
    AuditReport,
    LockedWords,
    SeedDice,
    audit,
    commitment,
    first_commits,
    link,
    next_commits,
    public_input,
)
from referee.evidence.audit import first_difference

Entry = dict[str, Any]

THREAD = "duelo"
CLAIMS = (
    {"post_id": "345", "author_id": "57", "words": ["[acción: ataque | objetivo: Ana]"]},
    {"post_id": "346", "author_id": "58", "words": ["[acción: parada]"]},
)


def secret(seed: str) -> bytes:
    return sha256(f"audited {seed}".encode()).digest()


SECRETS = {
    f"{s}.{n}": secret(f"{s}.{n}") for s in ("open", "lock", "roll", "secret") for n in range(1, 6)
}


def commits(kind: str, number: int) -> dict[str, str]:
    return {seed: commitment(SECRETS[seed]) for seed in next_commits(kind, number)}


def words_of(locked: Mapping[str, Any]) -> list[LockedWords]:
    return [
        LockedWords(claim["post_id"], claim["author_id"], words)
        for claim in locked["claims"]
        for words in claim["words"]
    ]


def rolls(dice: SeedDice, asked: Mapping[str, Sequence[int]]) -> list[Entry]:
    return [
        {
            "label": label,
            "sides": list(sides),
            "faces": [dice.face(label, index, size) for index, size in enumerate(sides)],
        }
        for label, sides in asked.items()
    ]


def played(dice: SeedDice, asked: Mapping[str, Sequence[int]], bonus: int = 0) -> Entry:
    """A game of two lines: the sum of all dice hurts."""
    made = rolls(dice, asked)
    hurt = sum(sum(roll["faces"]) for roll in made) + bonus
    return {"rolls": made, "events": [{"type": "damage", "points": hurt}]}


OPENING = {"Lope.initiative": (10,), "Ana.initiative": (10,)}
BLOWS = {"Lope.attack": (100,), "Lope.damage": (8, 4)}


def honest() -> list[Entry]:
    """Two rounds, the first told again with a ruling, and a free roll."""
    entries: list[Entry] = [
        {"kind": "introduced", "commits": {s: commitment(SECRETS[s]) for s in first_commits()}}
    ]
    previous = ""
    for serial in (1, 2):
        opening, lock = f"open.{serial}", f"lock.{serial}"
        public = public_input(opening, THREAD, previous=previous)
        outcome = played(SeedDice(SECRETS[opening], public), OPENING)
        entries.append(
            {"kind": "round_opened", "serial": serial, "input": public, "outcome": outcome}
        )
        locked = {"claims": copy.deepcopy(list(CLAIMS))}
        previous = public_input(lock, THREAD, words_of(locked))
        entries.append({"kind": "locked", "serial": serial, "input": previous, "locked": locked})
        entries.append({"kind": "asked", "serial": serial, "question": "Ana.defence"})
        dice = SeedDice(SECRETS[lock], previous)
        outcome = played(dice, BLOWS)
        state = {"hp": 100 - outcome["events"][0]["points"]}
        entries.append(
            {
                "kind": "resolved",
                "serial": serial,
                "outcome": outcome,
                "state": state,
                "commits": commits("round", serial),
            }
        )
        if serial == 1:
            entries.append({"kind": "modified", "serial": 1, "value": 20})
            again = played(dice, {**BLOWS, "Ana.hit_location": (10,)}, bonus=20)
            state = {"hp": 100 - again["events"][0]["points"]}
            entries.append({"kind": "resolved", "serial": 1, "outcome": again, "state": state})
    asked = [LockedWords("350", "57", "[tirada: 4d6]")]
    dice = SeedDice(SECRETS["roll.1"], public_input("roll.1", THREAD, asked))
    entries.append(
        {
            "kind": "rolled",
            "seed": "roll.1",
            "by": "57",
            "post": "350",
            "words": ["[tirada: 4d6]"],
            "rolls": rolls(dice, {"Lope.roll": (6, 6, 6, 6)}),
            "commits": commits("rolls", 1),
        }
    )
    return entries


class Game:
    """Plays entries again; carries along what a master has changed."""

    def __init__(self) -> None:
        self.bonus = 0

    def __call__(self, entry: Mapping[str, Any], dice: SeedDice | None) -> Mapping[str, Any]:
        match entry["kind"]:
            case "modified":
                self.bonus = entry["value"]
            case "round_opened":
                assert dice is not None
                return {"outcome": played(dice, OPENING)}
            case "resolved":
                assert dice is not None
                more = {"Ana.hit_location": (10,)} if self.bonus else {}
                outcome = played(dice, {**BLOWS, **more}, self.bonus)
                self.bonus = 0
                state = {"hp": 100 - outcome["events"][0]["points"]}
                return {"outcome": outcome, "state": state}
        return {}


def chained(entries: Sequence[Entry]) -> list[tuple[Entry, str]]:
    linked, head = [], GENESIS
    for entry in entries:
        head = link(head, entry)
        linked.append((entry, head))
    return linked


def audited(entries: Sequence[Entry], secrets: Mapping[str, bytes] = SECRETS) -> AuditReport:
    return audit(THREAD, chained(entries), secrets, words_of, Game())


def test_an_honest_log_holds() -> None:
    report = audited(honest())

    assert report.first is None
    assert (report.entries, report.rounds) == (len(honest()), 2)
    # Two initiatives a round, three dice a telling and a location in the second one, 4d6.
    assert report.dice == 2 * 2 + 3 + 4 + 3 + 4
    assert report.as_json()["holds"] is True


# Each of these is a log whose chain was linked anew after the change: only what it says tells.


def other_face(entries: list[Entry]) -> None:
    entry = next(e for e in entries if e["kind"] == "resolved" and e["serial"] == 2)
    roll = entry["outcome"]["rolls"][1]
    roll["faces"][1] = roll["faces"][1] % 4 + 1


def other_declaration(entries: list[Entry]) -> None:
    entries[2]["locked"]["claims"][1]["words"] = ["[acción: huida]"]


def other_declaration_with_its_input(entries: list[Entry]) -> None:
    other_declaration(entries)
    entries[2]["input"] = public_input("lock.1", THREAD, words_of(entries[2]["locked"]))


def other_opening_input(entries: list[Entry]) -> None:
    next(e for e in entries if e["kind"] == "round_opened" and e["serial"] == 2)["input"] = (
        "ab" * 32
    )


def other_commitment(entries: list[Entry]) -> None:
    entries[0]["commits"]["lock.2"] = "ab" * 32


def other_event(entries: list[Entry]) -> None:
    entries[4]["outcome"]["events"][0]["points"] += 1


def other_state(entries: list[Entry]) -> None:
    entries[4]["state"]["hp"] += 1


def other_free_roll(entries: list[Entry]) -> None:
    faces = entries[-1]["rolls"][0]["faces"]
    faces[0] = faces[0] % 6 + 1


def other_tag(entries: list[Entry]) -> None:
    entries[-1]["words"] = ["[tirada: 5d6]"]


def no_lock(entries: list[Entry]) -> None:
    del entries[2:4]


CHANGES: dict[str, tuple[Callable[[list[Entry]], None], str, str, str]] = {
    "a face": (other_face, "resolved", "die_differs", "Lope.damage"),
    "a declaration": (other_declaration, "locked", "input_differs", "lock.1"),
    "its input too": (other_declaration_with_its_input, "resolved", "die_differs", "Lope.attack"),
    "an input": (other_opening_input, "round_opened", "input_differs", "open.2"),
    "a commitment": (other_commitment, "introduced", "commitment_differs", "lock.2"),
    "an event": (other_event, "resolved", "replay_differs", "outcome.events.0.points"),
    "a state": (other_state, "resolved", "replay_differs", "state.hp"),
    "a free roll": (other_free_roll, "rolled", "die_differs", "Lope.roll"),
    "a roll's tag": (other_tag, "rolled", "die_differs", "Lope.roll"),
    "a lock taken out": (no_lock, "resolved", "lock_missing", "lock.1"),
}


@pytest.mark.parametrize(("change", "kind", "code", "where"), CHANGES.values(), ids=CHANGES)
def test_the_first_difference_is_named(
    change: Callable[[list[Entry]], None], kind: str, code: str, where: str
) -> None:
    entries = honest()
    change(entries)
    first = audited(entries).first

    assert first is not None
    assert (first.kind, first.code, first.where) == (kind, code, where)
    assert first.stored != first.derived or code == "lock_missing"


@pytest.mark.parametrize("at", range(len(honest())))
def test_a_changed_row_breaks_the_chain_at_its_place(at: int) -> None:
    rows = chained(honest())
    rows[at] = ({**rows[at][0], "by": "somebody else"}, rows[at][1])
    report = audit(THREAD, rows, SECRETS, words_of, Game())

    assert report.first is not None
    assert (report.first.number, report.first.code) == (at + 1, "entry_changed")


def test_a_row_that_is_no_json_is_named() -> None:
    rows = [*chained(honest()), ({"kind": "odd", "value": float("nan")}, GENESIS)]
    report = audit(THREAD, rows, SECRETS, words_of, Game())

    assert report.first is not None
    assert (report.first.number, report.first.code) == (len(rows), "not_canonical")


def test_a_secret_that_is_gone_is_named() -> None:
    first = audited(honest(), {k: v for k, v in SECRETS.items() if k != "open.2"}).first

    assert first is not None
    assert (first.kind, first.code, first.where) == ("round_opened", "secret_missing", "open.2")


def test_another_secret_is_named() -> None:
    first = audited(honest(), {**SECRETS, "lock.1": bytes(32)}).first

    assert first is not None
    assert (first.code, first.where) == ("commitment_differs", "lock.1")


def test_a_ruleset_that_fails_is_not_hushed_up_and_its_entry_is_named() -> None:
    def broken(entry: Mapping[str, Any], dice: SeedDice | None) -> Mapping[str, Any]:
        del entry, dice
        raise KeyError("weapon")

    with pytest.raises(KeyError) as caught:
        audit(THREAD, chained(honest()), SECRETS, words_of, broken)

    assert caught.value.__notes__ == ["log entry 1 (introduced) of duelo"]


def test_a_report_with_a_difference_is_plain_json() -> None:
    entries = honest()
    other_face(entries)
    data = audited(entries).as_json()

    assert json.loads(json.dumps(data)) == data
    assert data["first"]["code"] in AUDIT_CODES


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=8,
)


@given(plain, plain)
def test_values_differ_exactly_where_their_json_does(one: object, other: object) -> None:
    found = first_difference(one, other)
    missing_is_none = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)

    assert (found is None) or not missing_is_none
    if found is None and not missing_is_none:
        # A key that is missing and a key without a value are the same fact.
        assert "null" in json.dumps([one, other])


@pytest.mark.parametrize(
    ("one", "other", "path"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, "a.1.b"),
        ([1, 2], [1], "length"),
        ([1], (1,), None),
        (True, 1, ""),
        ({"a": None}, {}, None),
        ({"a": 1}, [1], ""),
    ],
)
def test_paths_lead_to_the_first_difference(one: object, other: object, path: str | None) -> None:
    found = first_difference(one, other)

    assert (None if found is None else found[0]) == path
