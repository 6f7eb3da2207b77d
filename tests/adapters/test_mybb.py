"""MyBB against the fake board: what the contract does not ask of every platform."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import stamina
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.base import GUEST, Account, Answer, Draft, Posted, ThreadPage
from adapters.errors import (
    BusyError,
    ForbiddenError,
    GoneError,
    LayoutChangedError,
    LockedError,
    LoggedOutError,
    NotSentError,
    RefusedTextError,
    UnknownOutcomeError,
)
from adapters.http import PoliteHttp
from adapters.mybb import MyBB, parse_letter, parse_thread, read_outcome
from tests.adapters.worlds import SECRET, CannedHttp, HandClock, loopback_http
from tests.forums import mybb_pages
from tests.forums.fake_mybb import FakeMyBB, Settings
from tests.forums.mybb_pages import WORDS

HERE = Path(__file__).parent
REPORT = "[b]Ronda 1[/b]\nLope ataca: 37 contra 45. ref-bcdfghjk"
URL = "http://forum.test/showthread.php?tid=7"


class Board:
    """The fake board, the adapter and its client, logged in."""

    def __init__(self, fake: FakeMyBB, url: str, http: PoliteHttp, clock: HandClock) -> None:
        self.fake, self.url, self.http, self.clock = fake, url, http, clock
        self.adapter = MyBB(f"{url}/index.php", Account("Árbitro", SECRET))
        self.topic = fake.add_topic("Escena", "Lucía", "Escena primera.")

    async def page(self, address: str = "") -> ThreadPage:
        url = f"{self.url}/{address or f'showthread.php?tid={self.topic}'}"
        page = await self.adapter.fetch(self.http, url)
        assert page is not None
        return page

    async def draft(self, *, edits: str = "") -> Draft:
        return await self.adapter.draft(self.http, str(self.topic), edits=edits)

    async def send(self, text: str = REPORT, draft: Draft | None = None) -> Posted:
        return await self.adapter.send(self.http, draft or await self.draft(), text)

    def texts(self) -> list[str]:
        return [post["text"] for post in self.fake.posts(self.topic)]

    def requests(self) -> list[tuple[str, str]]:
        return [(event["method"], event["path"]) for event in self.fake.history]


@pytest.fixture
async def board() -> AsyncIterator[Board]:
    clock = HandClock()
    fake = FakeMyBB(clock=clock.now, settings=Settings(per_page=3))
    fake.add_user("Lucía", signature="[acción: ataque | objetivo: Firma]")
    fake.add_user("Árbitro", SECRET)
    with stamina.set_testing(True, attempts=3), fake.serving() as url:
        async with loopback_http(clock) as http:
            opened = Board(fake, url, http, clock)
            await opened.adapter.login(http)
            yield opened


@pytest.mark.parametrize(
    "topic",
    [
        "7",
        "showthread.php?tid=7",
        "http://forum.test/foro/showthread.php?tid=7&page=3&pid=31#pid31",
        "http://forum.test/foro/thread-7.html",
        "http://forum.test/foro/thread-7-page-3.html",
        "http://forum.test/foro/thread-7-post-31.html#pid31",
    ],
)
def test_a_topic_is_its_number_or_any_address_of_it(topic: str) -> None:
    board = MyBB("http://forum.test/foro/")
    assert board.thread_url(topic) == "http://forum.test/foro/showthread.php?tid=7"


@pytest.mark.parametrize(
    "topic",
    ["", "siete", "showthread.php?pid=31", "http://other.test/thread-7.html", "٧", "http://[::1"],
)
def test_what_names_no_topic_of_this_board_is_said_to_be_wrong(topic: str) -> None:
    with pytest.raises(GoneError):
        MyBB("http://forum.test").thread_url(topic)


async def test_a_login_uses_the_session_that_still_holds(board: Board) -> None:
    board.fake.history.clear()
    assert await board.adapter.login(board.http) == "51"
    assert board.requests() == [("GET", "/member.php")]


@pytest.mark.parametrize("login_page", [True, False])
async def test_a_login_lands_with_and_without_a_page_between(
    board: Board, *, login_page: bool
) -> None:
    board.fake.end_sessions()
    board.fake.settings.login_page = login_page
    board.fake.history.clear()
    assert await board.adapter.login(board.http) == "51"
    # The form, the password, where it leads: nothing is asked for twice.
    assert board.requests() == [
        ("GET", "/member.php"),
        ("POST", "/member.php"),
        ("GET", "/index.php"),
    ]


async def test_the_session_goes_on_in_another_process(board: Board) -> None:
    saved = board.http.export()
    async with loopback_http(board.clock, saved=saved) as other:
        page = await board.adapter.fetch(other, board.adapter.thread_url(str(board.topic)))
    assert page is not None
    assert page.viewer_id == "51"


async def test_a_wrong_password_is_tried_once_and_a_captcha_is_a_stop(board: Board) -> None:
    board.fake.end_sessions()
    board.fake.set_user("Árbitro", password="otra")
    for _attempt in range(3):
        board.fake.history.clear()
        with pytest.raises(ForbiddenError) as caught:
            await board.adapter.login(board.http)
        assert caught.value.cure == "check_password"
        assert board.requests().count(("POST", "/member.php")) == 1
    with pytest.raises(ForbiddenError) as caught:
        await board.adapter.login(board.http)
    assert caught.value.cure == "solve_captcha"


async def test_an_address_past_the_end_gives_the_last_page(board: Board) -> None:
    for number in range(7):
        board.fake.post("Lucía", board.topic, f"más {number}")
    last = await board.page(f"showthread.php?tid={board.topic}&page=99")
    assert last.url == f"{board.url}/showthread.php?tid={board.topic}&page=3"
    assert (last.next_url, last.last_url) == ("", last.url)
    assert last.posts[-1].own_words == "más 6"


async def test_the_only_page_of_a_topic_is_read_once(board: Board) -> None:
    board.fake.history.clear()
    await board.page(f"showthread.php?tid={board.topic}&page=99")
    assert len(board.requests()) == 1


async def test_the_last_page_of_hundreds_is_told_by_the_first(board: Board) -> None:
    for number in range(99):
        board.fake.post("Lucía", board.topic, f"más {number}")
    first = await board.page()
    assert first.last_url.endswith("page=34")
    assert first.next_url.endswith("page=2")
    middle = await board.page(f"showthread.php?tid={board.topic}&page=17")
    assert middle.last_url == first.last_url


async def test_a_board_with_friendly_addresses_is_read_by_the_plain_ones(board: Board) -> None:
    board.fake.settings.friendly = True
    for number in range(7):
        board.fake.post("Lucía", board.topic, f"más {number}")
    page = await board.page(f"thread-{board.topic}-page-2.html")
    assert page.viewer_id == "51"
    assert page.posts[0].author_id == "50"
    assert page.url == f"{board.url}/showthread.php?tid={board.topic}&page=2"
    assert page.last_url == f"{board.url}/showthread.php?tid={board.topic}&page=3"
    assert (await board.page(page.last_url.removeprefix(f"{board.url}/"))).next_url == ""
    assert (await board.send()).post_id == str(board.fake.posts(board.topic)[-1]["id"])


async def test_a_posts_own_address_leads_to_its_page(board: Board) -> None:
    ids = [board.fake.post("Lucía", board.topic, "más") for _post in range(7)]
    page = await board.page(f"showthread.php?pid={ids[3]}")
    assert page.url == f"{board.url}/showthread.php?tid={board.topic}&page=2"


@pytest.mark.parametrize("way", ["at once", "by a page that says so"])
async def test_a_post_is_proved_by_its_words_where_the_board_leads_us(
    board: Board, way: str
) -> None:
    board.fake.settings.redirects = way != "at once"
    posted = await board.send()
    assert board.texts() == ["Escena primera.", REPORT]
    assert posted.post_id == str(board.fake.posts(board.topic)[-1]["id"])


async def test_a_post_that_became_part_of_the_one_before_is_proved_too(board: Board) -> None:
    first = await board.send()
    second = await board.send(REPORT.replace("bcdfghjk", "zxwvtsrq"))
    assert second.post_id == first.post_id
    (_opening, own) = (await board.page()).posts
    assert own.own_words.count("Lope ataca") == 2
    assert "ref-zxwvtsrq" in own.own_words


async def test_our_post_is_proved_though_the_page_has_turned(board: Board) -> None:
    draft = await board.draft()
    for number in range(7):
        board.fake.post("Lucía", board.topic, f"más {number}")
    posted = await board.send(draft=draft)
    for number in range(7):
        board.fake.post("Lucía", board.topic, f"después {number}")
    page = await board.page(f"showthread.php?pid={posted.post_id}")
    assert any(REPORT.rpartition(" ")[2] in post.own_words for post in page.posts)
    assert page.url != page.last_url


async def test_the_same_words_again_are_no_proof(board: Board) -> None:
    await board.send()
    board.fake.post("Lucía", board.topic, "Entretanto, yo.")
    board.clock.turn(61)
    with pytest.raises(UnknownOutcomeError) as caught:
        await board.send()
    assert caught.value.facts["reason"] == "posted_before"
    assert board.texts().count(REPORT) == 1


async def test_a_moderated_account_knows_that_its_post_waits(board: Board) -> None:
    board.fake.set_user("Árbitro", moderated=True)
    posted = await board.send()
    assert (posted.post_id, posted.awaits_approval) == ("", True)
    waiting = (await board.page()).posts[-1]
    assert "ref-bcdfghjk" in waiting.own_words
    assert waiting.awaits_approval
    board.fake.approve(board.fake.posts(board.topic)[-1]["id"])
    assert not (await board.page()).posts[-1].awaits_approval


async def test_others_posts_that_wait_for_approval_do_not_count(board: Board) -> None:
    board.fake.post("Lucía", board.topic, "[acción: ataque]", approved=False)
    board.fake.set_user("Árbitro", moderator=True)
    assert [post.own_words for post in (await board.page()).posts] == ["Escena primera."]


async def test_a_deleted_post_counts_for_nobody(board: Board) -> None:
    board.fake.delete(board.fake.post("Lucía", board.topic, "[acción: ataque]"))
    assert [post.own_words for post in (await board.page()).posts] == ["Escena primera."]


async def test_a_page_of_deleted_posts_alone_is_there_but_silent(board: Board) -> None:
    board.fake.post("Lucía", board.topic, "dos")
    board.fake.post("Lucía", board.topic, "tres")
    board.fake.delete(board.fake.post("Lucía", board.topic, "[acción: ataque]"))
    page = await board.page(f"showthread.php?tid={board.topic}&page=2")
    assert [post.own_words for post in page.posts] == [""]


async def test_a_post_of_somebody_unknown_is_a_guests(board: Board) -> None:
    board.fake.post("", board.topic, "Paso por aquí.")
    assert (await board.page()).posts[-1].author_id == GUEST


@pytest.mark.parametrize("lang", ["en", "es"])
async def test_the_flood_limit_is_known_with_its_seconds(board: Board, lang: str) -> None:
    board.fake.set_user("Árbitro", lang=lang)
    await board.send("uno de los dos")
    board.fake.post("Lucía", board.topic, "Entretanto, yo.")
    board.clock.turn(20)
    with pytest.raises(NotSentError) as caught:
        await board.send("otro de los dos")
    assert caught.value.cure == "flood"
    assert caught.value.wait_s is not None
    board.clock.turn(caught.value.wait_s)
    await board.send("otro de los dos")
    assert len(board.texts()) == 4


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize("text", ["", "Voy", "x" * 70_000])
async def test_a_text_that_the_board_does_not_take_is_known(
    board: Board, lang: str, text: str
) -> None:
    board.fake.set_user("Árbitro", lang=lang)
    with pytest.raises(RefusedTextError):
        await board.send(text)
    assert board.texts() == ["Escena primera."]


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"locked": True}, LockedError),
        ({"writable": False}, ForbiddenError),
        ({"readable": False}, ForbiddenError),
        ({"gone": True}, GoneError),
    ],
)
async def test_why_there_is_no_form_is_known_in_both_languages(
    board: Board, lang: str, change: dict[str, bool], error: type[Exception]
) -> None:
    draft = await board.draft()
    board.fake.set_user("Árbitro", lang=lang)
    board.fake.set_topic(board.topic, **change)
    with pytest.raises(error):
        await board.draft()
    with pytest.raises(error):
        await board.send(draft=draft)
    assert board.texts() == ["Escena primera."]


async def test_in_an_unknown_language_the_topics_own_page_tells(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    finnish = dict(WORDS["en"]) | dict.fromkeys(("closed", "closed_edit"), "Ei onnistu.")
    monkeypatch.setitem(WORDS, "fi", finnish)
    board.fake.set_user("Árbitro", lang="fi")
    draft = await board.draft()
    board.fake.set_topic(board.topic, locked=True)
    with pytest.raises(LockedError):
        await board.draft()
    with pytest.raises(UnknownOutcomeError):
        await board.send(draft=draft)


async def test_a_locked_post_is_not_edited(board: Board) -> None:
    posted = await board.send()
    board.fake.set_topic(board.topic, locked=True)
    with pytest.raises(LockedError):
        await board.draft(edits=posted.post_id)


async def test_an_edit_never_takes_the_form_that_deletes(board: Board) -> None:
    posted = await board.send()
    draft = await board.draft(edits=posted.post_id)
    assert draft.fields["action"] == "do_editpost"
    assert "delete" not in draft.fields
    assert (await board.send("Otra cosa ref-bcdfghjk", draft)).post_id == posted.post_id
    assert board.texts()[-1] == "Otra cosa ref-bcdfghjk"


async def test_a_closed_board_is_busy_and_takes_no_post(board: Board) -> None:
    draft = await board.draft()
    board.fake.disable(disabled=True)
    with pytest.raises(BusyError) as caught:
        await board.page()
    assert caught.value.cure == "maintenance"
    with pytest.raises(NotSentError):
        await board.send(draft=draft)
    board.fake.disable(disabled=False)
    await board.send(draft=draft)


async def test_a_key_that_has_changed_is_loaded_again(board: Board) -> None:
    draft = await board.draft()
    board.fake.spoil_forms()
    with pytest.raises(NotSentError) as caught:
        await board.send(draft=draft)
    assert caught.value.cure == "load_form_again"
    await board.send()


async def test_a_landing_page_that_is_lost_leaves_it_unknown(board: Board) -> None:
    board.fake.settings.redirects = True
    draft = await board.draft()
    board.fake.fault("error", "read", times=9)
    with pytest.raises(UnknownOutcomeError):
        await board.send(draft=draft)
    assert board.texts()[-1] == REPORT


async def test_guests_read_without_an_account(board: Board) -> None:
    async with loopback_http(board.clock) as guest:
        reader = MyBB(board.url)
        page = await reader.fetch(guest, reader.thread_url(str(board.topic)))
        assert page is not None
        assert page.viewer_id == GUEST
        board.fake.settings.guests_read = False
        with pytest.raises(ForbiddenError) as caught:
            await reader.fetch(guest, reader.thread_url(str(board.topic)))
    assert caught.value.cure == "no_account"


# Pages that were never captured.


def captured(name: str) -> str:
    for folder in (HERE / "mybb", HERE / "captures" / "mybb"):
        if (folder / f"{name}.html").exists():
            return (folder / f"{name}.html").read_text(encoding="utf-8")
    raise AssertionError(name)


def topic_page(posts: str, *, head: str = "", greeting: str = "") -> str:
    return (
        f'<!DOCTYPE html><html lang="en"><head>{head}</head><body>{greeting}'
        f'<div id="content"><div id="posts">{posts}</div></div></body></html>'
    )


def post_node(number: int, words: str = "Voy.", *, classes: str = "post ") -> str:
    return (
        f'<div class="{classes}" id="post_{number}"><strong><span class="largetext">'
        '<a href="member.php?action=profile&amp;uid=9">Lucía</a></span></strong>'
        f'<div class="post_body" id="pid_{number}">{words}</div></div>'
    )


def test_what_changes_on_every_reading_changes_neither_page_nor_digest() -> None:
    page = parse_thread(captured("topic-p3-last-en"), URL)
    later = captured("topic-p3-last-en-relative-dates")
    later = later.replace("5 minutes ago", "3 hours ago").replace("buddy_online", "buddy_offline")
    # The very same object: a poll without news costs no parsing.
    assert parse_thread(later, URL) is page
    assert parse_thread(later.replace("Última orden", "Otra orden"), URL).digest != page.digest


def test_a_player_whom_the_account_ignores_still_declares() -> None:
    node = (
        '<div class="ignored_post" id="ignored_post_3"><span class="largetext">'
        '<a href="member.php?action=profile&amp;uid=9">Lucía</a></span></div>'
        + post_node(3).replace('id="post_3"', 'style="display: none;" id="post_3"')
    )
    (post,) = parse_thread(topic_page(node), URL).posts
    assert (post.id, post.author_id, post.own_words) == ("3", "9", "Voy.")


def test_posts_in_the_old_table_layout_are_found() -> None:
    node = post_node(3).replace("<div class", "<table class", 1).removesuffix("</div>") + "</table>"
    assert [post.id for post in parse_thread(topic_page(node), URL).posts] == ["3"]


def test_an_account_that_sees_posts_as_a_tree_is_told_to_change_that() -> None:
    bar = '<td class="thead"><a href="showthread.php?mode=linear&amp;tid=7">Linear Mode</a></td>'
    page = topic_page(f"<table><tr>{bar}</tr></table>{post_node(2)}")
    with pytest.raises(ForbiddenError) as caught:
        parse_thread(page, URL)
    assert caught.value.cure == "show_oldest_first"


def test_an_account_that_sees_the_newest_post_first_is_told_to_change_that() -> None:
    with pytest.raises(ForbiddenError) as caught:
        parse_thread(topic_page(post_node(9) + post_node(5) + post_node(2)), URL)
    assert caught.value.cure == "show_oldest_first"
    # Topics that were merged have numbers out of order, but never all of them.
    assert parse_thread(topic_page(post_node(5) + post_node(9) + post_node(2)), URL).posts


@pytest.mark.parametrize(
    ("broken", "missing"),
    [
        (post_node(2).replace("largetext", "smalltext"), ".largetext"),
        (post_node(2).replace("pid_2", "body_2"), "#pid_2"),
        ("<p>nada</p>", "div.post[id^=post_], table[id^=post_]"),
    ],
)
def test_a_changed_layout_names_what_is_missing(broken: str, missing: str) -> None:
    with pytest.raises(LayoutChangedError) as caught:
        parse_thread(topic_page(broken), URL)
    assert caught.value.facts["missing"] == missing


@pytest.mark.parametrize("end", ["", "<div>", "</body>"])
def test_half_a_page_is_no_page(end: str) -> None:
    page = topic_page(post_node(2)).removesuffix("</body></html>") + end
    with pytest.raises(BusyError):
        parse_thread(page, URL)


@pytest.mark.parametrize(
    "hostile",
    ["<!--" * 500_000, "<b>" * 600_000, "<div " * 400_000, '<span class="post_date">' * 80_000],
    ids=["comments", "nested", "open", "dates"],
)
@pytest.mark.timeout(20)
def test_two_hostile_megabytes_are_refused_at_once(hostile: str) -> None:
    with pytest.raises((LayoutChangedError, BusyError)):
        parse_thread(topic_page(hostile), URL)


@given(st.text(max_size=300))
@settings(max_examples=100)
def test_any_answer_to_a_post_is_an_outcome_or_a_typed_error(text: str) -> None:
    draft = Draft("http://forum.test/newreply.php?tid=7&processed=1", {}, 0.0)
    page = f"<html><body>{text}</body></html>"
    with pytest.raises((UnknownOutcomeError, NotSentError)):
        read_outcome(Answer(draft.url, 200, page), draft, "Ronda 1")


def test_an_unknown_complaint_over_the_form_is_a_refusal_for_now() -> None:
    draft = Draft("http://forum.test/newreply.php?tid=7&processed=1", {}, 0.0)
    page = captured("error-flood-en").replace("You are trying to post a message too quickly", "X")
    page = page.replace("Please wait 29 more seconds", "Odota")
    with pytest.raises(NotSentError) as caught:
        read_outcome(Answer(draft.url, 200, page), draft, "Ronda 1")
    assert caught.value.cure == "read_forum_message"


async def test_a_guests_form_is_not_ours() -> None:
    page = captured("reply-form-en").replace('<span class="welcome">', '<span class="other">', 1)
    page = page.replace("<body>", '<body><span class="welcome"><a href="member.php">x</a></span>')
    http = CannedHttp([Answer("http://forum.test/newreply.php?tid=1", 200, page)])
    with pytest.raises(LoggedOutError):
        await MyBB("http://forum.test", Account("Wren", "x")).draft(http, "1")


async def test_no_more_is_asked_than_for_the_letters_of_those_who_are_awaited(board: Board) -> None:
    board.fake.add_user("Tomás")
    for number in range(2):
        board.fake.write_letter("Tomás", "Árbitro", "Para ti", f"Voy {number}.")
    sent = board.fake.write_letter(
        "Lucía", "Árbitro", "Un secreto", "[quote]Voy.[/quote]\nPor la espalda."
    )
    posts = (await board.page()).posts
    before = len(board.requests())
    (letter,) = await board.adapter.letters(board.http, {posts[0].author_id})
    # The list and the message; the message bears a number nowhere but in its address.
    assert [path for _method, path in board.requests()[before:]] == ["/private.php"] * 2
    assert (letter.title, letter.post.id) == ("Un secreto", str(sent))
    assert letter.post.own_words == "Por la espalda."
    assert letter.post.author_id == posts[0].author_id


async def test_an_account_that_may_not_use_messages_is_told_so(board: Board) -> None:
    board.fake.set_user("Árbitro", reads_letters=False)
    with pytest.raises(ForbiddenError):
        await board.adapter.letters(board.http, {"50"})


def test_a_message_is_known_by_its_address_alone() -> None:
    shown = mybb_pages.ShownPost(9, 0, 50, "Lucía", 0.0, "Voy.", "Secreto")
    viewer = mybb_pages.Viewer(51, "Árbitro", "en", "k", "http://forum.test", lambda u: f"?uid={u}")
    page = mybb_pages.letter(viewer, shown)
    url = "http://forum.test/private.php?action=read&pmid=9"
    # Where the board shows reputations, it numbers every message 0.
    for text in (page, page.replace('id="post_"', 'id="post_0"').replace('"pid_"', '"pid_0"')):
        (post,) = parse_letter(Answer(url, 200, text)).posts
        assert (post.id, post.author_id, post.own_words) == ("9", "50", "Voy.")
    with pytest.raises(LayoutChangedError):
        parse_letter(Answer("http://forum.test/private.php", 200, page))
