"""What a visit brings: posts, edits, deletions, and what it costs when nothing is new."""

import asyncio

import pytest

from adapters.errors import BusyError, GoneError
from referee.daemon import Daemon
from referee.reading import MAX_PAGES_A_POLL
from tests.referee.scripted import THREAD, Mill, Office


@pytest.fixture
def book(office: Office) -> Office:
    """A thread of three pages: four posts, four posts, two posts."""
    office.forum.per_page = 4
    for number in range(1, 11):
        office.forum.post("lucia", f"Mensaje {number}.")
    return office


async def read_all(office: Office) -> None:
    """Know every post, as a referee does that was there from the beginning."""
    await office.visit(back_to="mem:molino?page=1")


async def test_new_posts_are_kept_once_in_their_order(office: Office) -> None:
    office.forum.post("lucia", "Uno.")
    office.forum.post("tomas", "Dos.")
    _, merged = await office.visit()
    assert merged.new == ("p1", "p2")
    _, merged = await office.visit()
    assert not merged
    with office.store.reading() as records:
        versions = records.versions(THREAD)
    assert [(row.sequence, row.post_id, row.words) for row in versions] == [
        (1, "p1", "Uno."),
        (2, "p2", "Dos."),
    ]


async def test_a_silent_edit_is_found_by_what_the_post_says(office: Office) -> None:
    post = office.forum.post("lucia", "Voy.")
    await office.visit()
    post.text = "Me quedo."
    office.clock.forward(minutes=1)
    _, merged = await office.visit()
    assert merged.changed == ("p1",)
    with office.store.reading() as records:
        versions = records.versions(THREAD)
    assert [row.words for row in versions] == ["Voy.", "Me quedo."]
    assert versions[-1].seen_at == office.clock.now()


async def test_a_silent_edit_on_the_page_before_the_last_is_found_on_looking_back(
    book: Office,
) -> None:
    await read_all(book)
    book.forum.find("p6").text = "Otra cosa."
    _, merged = await book.visit()
    assert not merged
    _, merged = await book.visit(thorough=True)
    assert merged.changed == ("p6",)


async def test_an_edit_taken_back_is_two_edits(office: Office) -> None:
    post = office.forum.post("lucia", "Voy.")
    await office.visit()
    for text in ("Me quedo.", "Voy."):
        post.text = text
        _, merged = await office.visit()
        assert merged.changed == ("p1",)


async def test_a_deleted_post_is_found_and_its_words_no_longer_stand(office: Office) -> None:
    for text in ("Uno.", "Dos.", "Tres."):
        office.forum.post("lucia", text)
    await office.visit()
    office.forum.find("p2").shown = False
    _, merged = await office.visit()
    assert merged.gone == ("p2",)
    assert (office.post("p2").gone_at, office.post("p2").words) == (office.clock.now(), "")
    _, merged = await office.visit()
    assert not merged


@pytest.mark.parametrize("gone", ["p9", "p10"])
async def test_a_post_deleted_at_the_edge_of_the_last_page_is_found(
    book: Office, gone: str
) -> None:
    await read_all(book)
    book.forum.find(gone).shown = False
    _, merged = await book.visit(thorough=True)
    assert merged.gone == (gone,)


async def test_several_posts_deleted_at_once_are_all_found_within_what_was_read(
    book: Office,
) -> None:
    await read_all(book)
    # p5 stood at the edge: for all that the last two pages tell, it has moved to the first one.
    for gone in ("p5", "p7", "p8"):
        book.forum.find(gone).shown = False
    book.forum.post("tomas", "Mensaje 11.")
    book.forum.post("tomas", "Mensaje 12.")
    _, merged = await book.visit(thorough=True)
    assert merged.gone == ("p7", "p8")
    await read_all(book)
    assert book.post("p5").gone_at is not None


async def test_a_post_that_comes_back_is_news(office: Office) -> None:
    for text in ("Uno.", "Dos."):
        office.forum.post("lucia", text)
    await office.visit()
    office.forum.find("p2").shown = False
    await office.visit()
    office.forum.find("p2").shown = True
    _, merged = await office.visit()
    assert merged.changed == ("p2",)
    assert (office.post("p2").gone_at, office.post("p2").words) == (None, "Dos.")


async def test_a_deletion_that_moves_posts_to_the_page_before_loses_none(book: Office) -> None:
    await read_all(book)
    # p5 now stands on the first page, p9 on the second; only the last two are read.
    book.forum.find("p2").shown = False
    _, merged = await book.visit(thorough=True)
    assert not merged.gone
    assert book.post("p9").page_url == "mem:molino?page=2"


async def test_the_page_of_the_last_visit_may_disappear(book: Office) -> None:
    await read_all(book)
    assert book.thread.cursor_url.endswith("page=3")
    for gone in ("p9", "p10"):
        book.forum.find(gone).shown = False
    found, merged = await book.visit()
    assert [page.url[-1] for page in found.pages] == ["1", "2"]
    assert merged.gone == ("p9", "p10")
    assert book.thread.cursor_url.endswith("page=2")


async def test_a_thread_that_is_gone_is_an_error_and_not_an_empty_thread(book: Office) -> None:
    await read_all(book)
    for post in book.forum.posts:
        post.shown = False
    with pytest.raises(GoneError):
        await book.visit()
    assert book.post("p10").gone_at is None


async def test_pages_may_overlap(office: Office) -> None:
    office.forum.per_page, office.forum.overlap = 3, 1
    for number in range(1, 8):
        office.forum.post("lucia", f"Mensaje {number}.")
    _, merged = await office.visit(back_to="mem:molino?page=1")
    assert merged.new == tuple(f"p{number}" for number in range(1, 8))
    # Whoever goes back to a post goes to the first of its pages.
    assert office.post("p3").page_url == "mem:molino?page=1"
    office.forum.post("lucia", "Mensaje 8.")
    _, merged = await office.visit()
    assert merged.new == ("p8",)
    assert merged.changed == merged.gone == ()


async def test_a_post_that_is_approved_late_is_new_although_later_ones_are_known(
    office: Office,
) -> None:
    office.forum.post("lucia", "Uno.")
    late = office.forum.post("tomas", "Dos.", shown=False)
    office.forum.post("lucia", "Tres.")
    await office.visit()
    late.shown = True
    _, merged = await office.visit()
    assert merged.new == (late.id,)
    with office.store.reading() as records:
        assert [row.post_id for row in records.versions(THREAD)] == ["p1", "p3", "p2"]


async def test_a_post_approved_late_on_an_earlier_page_is_not_missed_on_the_last(
    book: Office,
) -> None:
    book.forum.find("p2").shown = False
    await read_all(book)
    book.forum.find("p2").shown = True
    await read_all(book)
    assert book.post("p2").sequence == 10
    _, merged = await book.visit()
    assert merged.gone == ()
    _, merged = await book.visit(thorough=True)
    assert merged.gone == ()
    assert book.post("p2").gone_at is None


async def test_a_post_approved_late_is_found_again_from_its_own_page_on(book: Office) -> None:
    book.forum.find("p2").shown = False
    await read_all(book)
    opened = book.thread.sequence
    book.forum.post("tomas", "Mensaje 11.")
    await book.visit()
    book.forum.find("p2").shown = True
    await read_all(book)
    with book.store.reading() as records:
        pages = records.pages_since(THREAD, opened)
    assert [url[-1] for url in pages] == ["1", "3"]


async def test_a_page_without_news_costs_one_request_and_no_write(book: Office) -> None:
    book.forum.says_unchanged = True
    await read_all(book)
    before = len(book.forum.asked)
    found, merged = await book.visit()
    assert book.forum.asked[before:] == ["fetch 3"]
    assert (found.pages, found.at_end) == ((), True)
    assert not merged


async def test_a_page_that_was_read_but_not_kept_is_told_again(office: Office) -> None:
    office.forum.says_unchanged = True
    office.forum.post("lucia", "Uno.")
    await office.visit()
    office.forum.post("lucia", "Dos.")
    # Read and lost: killed before the merge.
    await office.forum.fetch(office.http, office.thread.cursor_url, conditional=True)
    _, merged = await office.visit()
    assert merged.new == ("p2",)


async def test_news_on_a_new_page_costs_two_requests(book: Office) -> None:
    await read_all(book)
    for number in range(11, 14):
        book.forum.post("tomas", f"Mensaje {number}.")
    before = len(book.forum.asked)
    _, merged = await book.visit()
    assert book.forum.asked[before:] == ["fetch 3", "fetch 4"]
    assert merged.new == ("p11", "p12", "p13")


async def test_the_first_visit_to_a_long_thread_reads_its_last_two_pages_only(
    office: Office,
) -> None:
    office.forum.per_page = 5
    for number in range(1, 502):
        office.forum.post("lucia", f"Mensaje {number}.")
    _, merged = await office.visit()
    assert office.forum.asked == ["fetch 1", "fetch 101", "fetch 100"]
    assert merged.new == ("p496", "p497", "p498", "p499", "p500", "p501")


async def test_the_first_visit_to_a_short_thread_reads_all_of_it(office: Office) -> None:
    office.forum.per_page = 5
    for number in range(1, 8):
        office.forum.post("lucia", f"Mensaje {number}.")
    _, merged = await office.visit()
    assert office.forum.asked == ["fetch 1", "fetch 2"]
    assert len(merged.new) == 7


async def test_a_thread_that_grew_endlessly_is_read_on_at_the_next_visit(office: Office) -> None:
    office.forum.per_page = 1
    office.forum.post("lucia", "Mensaje 1.")
    await office.visit()
    for number in range(2, MAX_PAGES_A_POLL + 11):
        office.forum.post("lucia", f"Mensaje {number}.")
    found, merged = await office.visit()
    assert (len(found.pages), found.at_end) == (MAX_PAGES_A_POLL, False)
    assert merged.gone == ()
    found, merged = await office.visit()
    assert found.at_end
    assert merged.new[-1] == office.forum.posts[-1].id


async def test_a_reading_that_breaks_off_keeps_nothing(book: Office) -> None:
    book.forum.read_errors = [None, None, BusyError("mem:", cure="read_again")]
    with pytest.raises(BusyError):
        await read_all(book)
    assert book.thread.sequence == 0
    assert book.thread.cursor_url == ""


# Whole visits.


def test_a_visit_without_news_asks_once_and_writes_nothing(mill: Mill) -> None:
    mill.forum.says_unchanged = True
    mill.begin()
    mill.serve()
    assert set(mill.http.known) == {"mem:molino?page=1"}
    mill.checkpoints.clear()
    assert mill.asked_by(mill.poll) == ["fetch 1"]
    assert not [name for name in mill.checkpoints if name.startswith("commit")]


def test_a_forum_that_cannot_say_unchanged_costs_no_more(mill: Mill) -> None:
    mill.begin()
    mill.serve()
    mill.checkpoints.clear()
    assert mill.asked_by(mill.poll) == ["fetch 1"]
    assert not [name for name in mill.checkpoints if name.startswith("commit")]


@pytest.mark.parametrize("minutes", [1, 3, 30])
def test_the_last_two_pages_are_looked_at_now_and_then(mill: Mill, minutes: int) -> None:
    mill.forum.says_unchanged, mill.forum.per_page = True, 2
    mill.begin()
    mill.serve(3)

    async def come_by() -> list[int]:
        app = mill.app()
        daemon = Daemon(app)
        requests = []
        for _visit in range(50):
            before = len(mill.forum.asked)
            await daemon.serve(THREAD)
            requests.append(len(mill.forum.asked) - before)
            mill.clock.forward(minutes=minutes)
        await app.close()
        return requests

    requests = asyncio.run(come_by())
    assert set(requests) == {1, 2}
    # Whatever the interval, a look back is rare: a visit without news is one request.
    assert 4 <= requests.count(2) <= 5


def test_every_post_of_the_open_round_is_read_again_before_its_lock(mill: Mill) -> None:
    mill.forum.per_page = 3
    mill.begin()
    first = mill.post("lucia", "[acción: ataque | Bandido 1]")
    for number in range(8):
        mill.post("tomas", f"Pienso {number}.")
        mill.serve()
    mill.clock.forward(minutes=11)
    mill.serve()
    # Edited in silence on a page that no visit looks at any more, just before the last one speaks.
    first.text = "[acción: ataque | Bandido 2]"
    mill.declare_all(skip=("Lope",))
    mill.serve(2)
    round_ = mill.rounds()[0]
    assert round_.locked["cause"] == "all_declared"
    (claim,) = [c for c in round_.locked["claims"] if c["actor"] == "Lope"]
    assert claim["words"] == ["[acción: ataque | Bandido 2]"]
    assert mill.audit()["good"]


def test_a_declaration_deleted_just_before_the_lock_does_not_count(mill: Mill) -> None:
    mill.forum.per_page = 3
    mill.begin()
    first = mill.post("lucia", "[acción: ataque | Bandido 1]")
    for number in range(8):
        mill.post("tomas", f"Pienso {number}.")
    mill.serve()
    first.shown = False
    mill.declare_all(skip=("Lope",))
    mill.serve(2)
    assert mill.rounds()[0].status == "declaring"
