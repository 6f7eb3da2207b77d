"""A forum that makes one post of what its referee posts twice in a row."""

import asyncio
from dataclasses import replace

import pytest

from adapters.base import Post
from referee.evidence import Block, Commit, Reveal, block_text, verify
from referee.orders import give
from tests.referee.scripted import PLAIN, Mill, Office

BETWEEN = "\n[hr]\n"
WINDOW_S = 3600.0
MERGING = replace(PLAIN, merges=BETWEEN, merge_window_s=WINDOW_S)
MARK, OTHER = "ref-bcdfghjk", "ref-mnpqrstv"
SEED = ("lock.2", "0" * 64)


@pytest.fixture
def merging(office: Office) -> Office:
    office.forum.capabilities = MERGING
    return office


def promise(mark: str) -> str:
    return block_text(Block("f1", "round", 1, mark, commits=(Commit(*SEED),)))


def telling(mark: str) -> str:
    return block_text(Block("f1", "round", 2, mark, reveals=(Reveal(*SEED),)))


async def test_a_post_with_two_marks_is_the_post_of_both(merging: Office) -> None:
    merging.put_out(MARK)
    merging.put_out(OTHER)
    assert await merging.deliver() == 2
    assert [row.post_id for row in merging.rows()] == ["p1", "p1"]
    await merging.visit()
    assert merging.twins == []


async def test_a_lost_answer_is_found_by_the_second_mark_of_a_post(merging: Office) -> None:
    merging.put_out(MARK)
    await merging.deliver()
    merging.put_out(OTHER)
    merging.forum.answers = [merging.forum.lands_unheard]
    await merging.deliver()
    await merging.deliver()
    assert [row.post_id for row in merging.rows()] == ["p1", "p1"]
    assert len(merging.forum.sent) == 2
    assert merging.forum.texts() == [f"Asalto. {MARK}{BETWEEN}Asalto. {OTHER}"]


async def test_an_edit_of_one_part_sends_the_others_along(merging: Office) -> None:
    merging.put_out(MARK, "Estado.")
    merging.put_out(OTHER, "Crónica.")
    await merging.deliver()
    merging.put_out(MARK, "Estado nuevo.", edits=MARK)
    await merging.deliver()
    assert merging.forum.texts() == [f"Estado nuevo. {MARK}{BETWEEN}Crónica. {OTHER}"]
    merging.put_out(OTHER, "Crónica corregida.", edits=OTHER)
    await merging.deliver()
    assert merging.forum.texts() == [f"Estado nuevo. {MARK}{BETWEEN}Crónica corregida. {OTHER}"]


async def test_an_edit_of_a_post_that_stands_alone_is_its_own_text(merging: Office) -> None:
    merging.put_out(MARK, "Estado.")
    await merging.deliver()
    merging.forum.post("lucia", "Entretanto, yo.")
    merging.put_out(OTHER, "Crónica.")
    await merging.deliver()
    merging.put_out(MARK, "Estado nuevo.", edits=MARK)
    await merging.deliver()
    assert merging.forum.texts() == [f"Estado nuevo. {MARK}", f"Crónica. {OTHER}"]


async def test_a_lost_edit_is_not_overtaken_by_the_next_post(merging: Office) -> None:
    # It may land late, and would wipe out what has become part of its post by then.
    merging.put_out(MARK, "Estado.")
    await merging.deliver()
    merging.put_out(MARK, "Estado nuevo.", edits=MARK)
    merging.put_out(OTHER, "Crónica.")
    merging.forum.answers = [merging.forum.lands_late]
    await merging.deliver()
    await merging.deliver()
    assert len(merging.forum.sent) == 2
    merging.forum.land_late()
    merging.clock.forward(seconds=PLAIN.settle_s + 1)
    await merging.deliver()
    assert merging.forum.texts() == [f"Estado nuevo. {MARK}{BETWEEN}Crónica. {OTHER}"]


async def test_no_post_tells_the_secret_that_it_promised(merging: Office) -> None:
    merging.put_out(MARK, promise(MARK))
    await merging.deliver()
    merging.put_out(OTHER, telling(OTHER))
    assert await merging.deliver() == 0
    held = merging.row(1)
    assert (held.state, held.error["cure"]) == ("pending", "let_others_post")
    merging.forum.post("lucia", "Entretanto, yo.")
    await merging.visit()
    assert await merging.deliver() == 1
    assert len(merging.forum.texts()) == 2


async def test_a_secret_is_told_when_posts_stay_apart_again(merging: Office) -> None:
    merging.put_out(MARK, promise(MARK))
    await merging.deliver()
    merging.put_out(OTHER, telling(OTHER))
    merging.clock.forward(seconds=WINDOW_S + 61)
    assert await merging.deliver() == 1


async def test_no_post_grows_longer_than_the_forum_takes(merging: Office) -> None:
    merging.forum.capabilities = replace(MERGING, max_post_chars=100)
    merging.put_out(MARK, "a" * 60)
    merging.put_out(OTHER, "b" * 60)
    assert await merging.deliver() == 1
    assert merging.row(1).error["cure"] == "let_others_post"
    merging.forum.post("lucia", "Entretanto, yo.")
    await merging.visit()
    assert await merging.deliver() == 1
    assert [len(text) for text in merging.forum.texts()] == [73, 73]


async def test_where_posts_stay_apart_nothing_is_held_back(office: Office) -> None:
    office.put_out(MARK, promise(MARK))
    office.put_out(OTHER, telling(OTHER))
    assert await office.deliver() == 2
    assert len(office.forum.texts()) == 2


# Whole visits.


@pytest.fixture
def mill_that_merges(mill: Mill) -> Mill:
    mill.forum.capabilities = MERGING
    return mill


def order(mill: Mill, words: str) -> None:
    """A command from the command line, which leaves no post in the thread."""

    app = mill.app()
    try:
        give(app, "molino", words, wait_s=0)
    finally:
        asyncio.run(app.close())


def checked(mill: Mill) -> str:
    posts = [Post(p.id, p.author, p.author, p.text) for p in mill.forum.posts]
    return verify(posts).verdict


def test_rounds_on_a_forum_that_merges_hold_and_can_be_audited(mill_that_merges: Mill) -> None:
    mill = mill_that_merges
    mill.begin()
    for _round in range(3):
        mill.declare_all()
        mill.serve(3)
    assert [row.number for row in mill.rounds()] == [1, 2, 3, 4]
    assert any(BETWEEN in text for text in mill.own_posts())
    assert checked(mill) == "holds"
    assert mill.audit()["good"], mill.audit()


def test_a_status_that_shares_its_post_with_a_report_goes_on_being_edited(
    mill_that_merges: Mill,
) -> None:
    mill = mill_that_merges
    mill.begin()
    mill.declare_all()
    mill.serve(3)
    (report,) = [text for text in mill.own_posts() if BETWEEN in text]
    before, status = report.split(BETWEEN)
    mill.post("lucia", "[acción: ataque | Bandido 1] [acción: parada]")
    mill.serve(2)
    (edited,) = [text for text in mill.own_posts() if BETWEEN in text]
    assert edited.split(BETWEEN)[0] == before
    assert edited.split(BETWEEN)[1] != status
    assert len(edited.split(BETWEEN)) == 2
    assert mill.audit()["good"], mill.audit()


def test_a_round_that_nobody_posted_in_waits_with_its_secret(mill_that_merges: Mill) -> None:
    mill = mill_that_merges
    mill.begin()
    mill.declare_all()
    mill.serve(3)
    order(mill, "[árbitro: cerrar]")
    mill.serve(3)
    told = len("".join(mill.own_posts()))
    mill.serve(2)
    assert len("".join(mill.own_posts())) == told
    mill.post("lucia", "¿Y bien?")
    mill.serve(3)
    assert [row.number for row in mill.rounds() if row.resolutions] == [1, 2]
    assert checked(mill) == "holds"
    assert mill.audit()["good"], mill.audit()
