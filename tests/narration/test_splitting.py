"""Long posts are cut where it does no harm."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.narration.blocks import (
    NO_CUT,
    SMALLEST_LIMIT,
    Block,
    Box,
    Flow,
    joined,
    shortened,
    split,
)

words = st.lists(st.sampled_from(["uno", "dos.", "tres", "cuatro,", "cinco"]), max_size=120).map(
    " ".join
)
flows = st.builds(Flow, words)
code = st.lists(words, min_size=1, max_size=12).map(
    lambda lines: Box("[code]\n", tuple(Flow(line) for line in lines), "\n[/code]", glue="\n")
)
folds = st.lists(st.one_of(flows, code), min_size=1, max_size=6).map(
    lambda body: Box("[b]Pliegue[/b]\n[spoiler]", tuple(body), "[/spoiler]")
)
posts = st.lists(st.one_of(flows, code, folds), min_size=1, max_size=14)
limits = st.integers(SMALLEST_LIMIT, 4_000)


def bare(text: str) -> list[str]:
    """The words of a post without markup and numbers of parts."""
    return re.sub(r"\[/?\w+\]|^\(\d+/\d+\)|Pliegue", " ", text, flags=re.MULTILINE).split()


@given(blocks=posts, limit=limits)
def test_nothing_is_lost_and_the_order_stays(blocks: list[Block], limit: int):
    parts = split(blocks, limit)
    assert [word for part in parts for word in bare(part)] == bare(joined(blocks))


@given(blocks=posts, limit=limits)
def test_no_part_is_too_long(blocks: list[Block], limit: int):
    assert all(len(part) <= limit for part in split(blocks, limit))


@given(blocks=posts, limit=limits)
def test_what_is_open_at_a_cut_is_closed_and_opened_again(blocks: list[Block], limit: int):
    for part in split(blocks, limit):
        open_tags: list[str] = []
        for closing, tag in re.findall(r"\[(/?)(code|spoiler|b)\]", part):
            if closing:
                assert open_tags.pop() == tag
            else:
                open_tags.append(tag)
        assert open_tags == []


@given(blocks=posts, limit=limits)
def test_parts_are_numbered_in_order(blocks: list[Block], limit: int):
    parts = split(blocks, limit)
    if len(parts) > 1:
        assert [part.split("\n")[0] for part in parts] == [
            f"({number}/{len(parts)})" for number in range(1, len(parts) + 1)
        ]


@given(blocks=posts, limit=limits)
def test_a_shortened_post_fits(blocks: list[Block], limit: int):
    text = shortened(blocks, limit)
    assert len(text) <= limit
    assert bare(text)[:5] == bare(joined(blocks))[:5] or len(joined(blocks[:1])) > limit // 2


def test_bold_words_are_not_cut():
    name = NO_CUT.join(["Don"] * 60)
    text = Flow(" ".join([f"[b]{name}[/b] ataca."] * 20))
    for part in split([text], SMALLEST_LIMIT):
        assert part.count("[b]") == part.count("[/b]")
        assert NO_CUT not in part


def test_a_block_that_fits_into_the_next_part_is_kept_whole():
    evidence = Box("[code]\n", tuple(Flow("x" * 60) for _ in range(10)), "\n[/code]", glue="\n")
    parts = split([Flow("palabra " * 100), evidence], SMALLEST_LIMIT)
    assert [part.count("[code]") for part in parts] == [0, 1]


def test_one_word_longer_than_a_part_is_cut_but_not_inside_a_reference():
    parts = split([Flow("&#91;" * 400)], SMALLEST_LIMIT)
    assert "".join(part.split("\n\n")[1] for part in parts) == "&#91;" * 400
    assert all(part.endswith("&#91;") for part in parts)


def test_a_limit_that_no_post_could_keep_is_refused():
    with pytest.raises(ValueError, match="limit 10"):
        split([Flow("x")], 10)
