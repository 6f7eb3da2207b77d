"""Secrets, public inputs and the dice made of them."""

import hashlib
import hmac
import json
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.evidence import (
    LockedWords,
    SeedDice,
    commitment,
    first_commits,
    next_commits,
    public_input,
    seed_name,
)
from referee.evidence.seeds import MOST_SIDES, face_of, read_seed_name

SECRET = bytes(range(32))
PUBLIC = "ab" * 32
IN_USE = (2, 3, 4, 5, 6, 7, 8, 10, 12, 20, 30, 100, 1000, 1999, MOST_SIDES)

labels = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=30)
sides = st.integers(2, MOST_SIDES)
lists_of_words = st.lists(
    st.builds(LockedWords, st.text(max_size=5), st.text(max_size=5), st.text(max_size=20)),
    max_size=6,
)


@pytest.mark.parametrize("size", IN_USE)
def test_every_face_gets_exactly_as_many_draws_as_every_other(size: int) -> None:
    # All 65,536 draws, each equally likely: a census, not a sample.
    counts = Counter(face_of(draw, size) for draw in range(1 << 16))
    thrown_away = counts.pop(0, 0)

    assert sorted(counts) == list(range(1, size + 1))
    assert len(set(counts.values())) == 1
    assert thrown_away < len(counts)


def test_a_d100_throws_away_36_draws_and_a_d8_none() -> None:
    # 65,536 = 655 * 100 + 36 = 8,192 * 8.
    assert sum(face_of(draw, 100) == 0 for draw in range(1 << 16)) == 36
    assert sum(face_of(draw, 8) == 0 for draw in range(1 << 16)) == 0


def test_a_die_is_what_the_specification_says_in_other_words() -> None:
    message = json.dumps([PUBLIC, "Íñigo.attack#2", 1, 0], ensure_ascii=False)
    digest = hmac.new(SECRET, message.replace(", ", ",").encode(), hashlib.sha256).digest()
    draw = int.from_bytes(digest[:2], "big")

    assert draw < 65_500  # not one of the draws thrown away, or the next attempt counts
    assert SeedDice(SECRET, PUBLIC).face("Íñigo.attack#2", 1, 100) == draw // 655 + 1


def test_a_draw_thrown_away_is_followed_by_the_next_attempt() -> None:
    size = 2100  # 31 draws a face, 436 thrown away: 1 in 150
    dice = SeedDice(SECRET, PUBLIC)
    attempts = Counter[int]()
    for index in range(3000):
        attempt = 0
        while True:
            message = f'["{PUBLIC}","x",{index},{attempt}]'.encode()
            draw = int.from_bytes(hmac.digest(SECRET, message, "sha256")[:2], "big")
            if draw < 31 * size:
                break
            attempt += 1
        attempts[attempt] += 1
        assert dice.face("x", index, size) == draw // 31 + 1
    assert attempts[1] > 0


@given(labels, st.integers(0, 500), sides, st.lists(st.tuples(labels, st.integers(0, 9), sides)))
def test_what_is_rolled_beside_a_die_does_not_move_it(
    label: str, index: int, size: int, others: list[tuple[str, int, int]]
) -> None:
    alone = SeedDice(SECRET, PUBLIC).face(label, index, size)
    among = SeedDice(SECRET, PUBLIC)
    for other in others:
        among.face(*other)

    assert among.face(label, index, size) == alone
    assert 1 <= alone <= size


@given(labels, st.integers(1, 8))
def test_one_die_more_under_a_label_leaves_the_others_as_they_were(label: str, count: int) -> None:
    dice = SeedDice(SECRET, PUBLIC)
    few = [dice.face(label, index, 100) for index in range(count)]
    more = [dice.face(label, index, 100) for index in range(count + 1)]

    assert more[:count] == few


def faces(secret: bytes, public: str, label: str) -> list[int]:
    dice = SeedDice(secret, public)
    return [dice.face(label, index, 1000) for index in range(12)]


def test_secret_public_input_and_label_each_change_all_dice() -> None:
    original = faces(SECRET, PUBLIC, "Lope.attack")

    for other in (
        faces(SECRET[:-1] + b"x", PUBLIC, "Lope.attack"),
        faces(SECRET, "ac" + PUBLIC[2:], "Lope.attack"),
        faces(SECRET, PUBLIC, "Lope.attack#2"),
    ):
        assert sum(a == b for a, b in zip(original, other, strict=True)) <= 2


def test_a_label_in_another_unicode_form_is_the_same_label() -> None:
    dice = SeedDice(SECRET, PUBLIC)

    assert dice.face("I\u0301n\u0303igo.attack", 0, 1000) == dice.face("Íñigo.attack", 0, 1000)


def test_separators_in_a_label_cannot_make_it_another_labels_die() -> None:
    dice = SeedDice(SECRET, PUBLIC)
    tricky = [dice.face(f'a",{index},0]', 0, 1000) for index in range(20)]
    honest = [dice.face("a", index, 1000) for index in range(20)]

    assert sum(a == b for a, b in zip(tricky, honest, strict=True)) <= 2


@pytest.mark.parametrize(("index", "size"), [(0, 1), (0, 0), (0, -6), (0, MOST_SIDES + 1), (-1, 6)])
def test_dice_that_nobody_can_roll_are_refused(index: int, size: int) -> None:
    with pytest.raises(ValueError, match="die"):
        SeedDice(SECRET, PUBLIC).face("Lope.attack", index, size)


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_a_secret_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match=str(length)):
        SeedDice(bytes(length), PUBLIC)


def test_a_commitment_is_the_sha_256_of_the_secret() -> None:
    # First vector of the SHA-256 standard.
    assert commitment(b"abc").startswith("ba7816bf8f01cfea414140de5dae2223")


@given(lists_of_words, st.randoms(use_true_random=False))
def test_the_order_of_declarations_makes_no_difference(
    words: list[LockedWords], random: Random
) -> None:
    shuffled = list(words)
    random.shuffle(shuffled)

    assert public_input("lock.3", "t", shuffled) == public_input("lock.3", "t", words)


@given(lists_of_words, lists_of_words)
def test_other_declarations_give_another_public_input(
    one: list[LockedWords], other: list[LockedWords]
) -> None:
    same = sorted(word.hash for word in one) == sorted(word.hash for word in other)

    assert (public_input("lock.3", "t", one) == public_input("lock.3", "t", other)) is same


def test_everything_that_the_public_input_covers_changes_it() -> None:
    words = [LockedWords("345", "57", "[acción: ataque]")]
    variants = {
        public_input("lock.3", "t", words),
        public_input("lock.4", "t", words),
        public_input("roll.3", "t", words),
        public_input("lock.3", "u", words),
        public_input("lock.3", "t", [*words, *words]),
        public_input("lock.3", "t", [LockedWords("346", "57", "[acción: ataque]")]),
        public_input("lock.3", "t", [LockedWords("345", "58", "[acción: ataque]")]),
        public_input("lock.3", "t", [LockedWords("345", "57", "[acción: ataque ]")]),
        public_input("lock.3", "t", words, previous="ab" * 32),
    }

    assert len(variants) == 9


def test_words_in_another_unicode_form_are_the_same_words() -> None:
    composed = LockedWords("1", "2", "[acción: ataque]")
    decomposed = LockedWords("1", "2", "[accio\u0301n: ataque]")

    assert composed.hash == decomposed.hash


@pytest.mark.parametrize(
    "name", ["", "lock", "lock.0", "lock.01", "lock.-1", "lick.1", "lock.1 ", "lock.1\n", "LOCK.1"]
)
def test_a_word_that_names_no_seed_is_refused(name: str) -> None:
    assert read_seed_name(name) is None
    with pytest.raises(ValueError):  # noqa: PT011 - the message is the name
        public_input(name, "t")


def test_a_seeds_name_reads_back() -> None:
    assert read_seed_name(seed_name("lock", 12)) == ("lock", 12)


def test_every_seed_is_committed_to_once_and_before_the_one_in_front_of_it_is_used() -> None:
    promised = list(first_commits())
    for number in range(1, 30):
        # While round N is declared, everything about the opening of N+1 but the declarations
        # must be fixed, or its secret could be chosen with knowledge of all that goes into it.
        assert {f"open.{number}", f"lock.{number}", f"open.{number + 1}"} <= set(promised)
        assert {f"roll.{number}", f"roll.{number + 1}"} <= set(promised)
        for kind in ("opening", "question", "round", "rolls"):
            promised += next_commits(kind, number)

    assert len(promised) == len(set(promised))
    assert next_commits("start", 0) == first_commits()
