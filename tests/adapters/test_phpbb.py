"""phpBB against the fake board: what the contract does not ask of every platform."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import stamina
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.base import GUEST, Account, Answer, Draft
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
    UnreachableError,
)
from adapters.html import MAX_PAGE_ELEMENTS
from adapters.http import PoliteHttp
from adapters.phpbb import PhpBB, parse_thread, read_outcome
from tests.adapters.worlds import SECRET, CannedHttp, HandClock, loopback_http
from tests.forums.fake_phpbb import FakePhpBB, Settings
from tests.forums.phpbb_pages import WORDS

REPORT = "[b]Ronda 1[/b]\nLope ataca: 37 contra 45. ref-bcdfghjk"
LOGIN_URL = "http://forum.test/ucp.php?mode=login"


class Board:
    """The fake board, the adapter and its client, logged in."""

    def __init__(self, fake: FakePhpBB, url: str, http: PoliteHttp, clock: HandClock) -> None:
        self.fake, self.url, self.http, self.clock = fake, url, http, clock
        self.adapter = PhpBB(f"{url}/index.php", Account("Árbitro", SECRET))
        self.topic = fake.add_topic("Escena", "Lucía", "Escena primera.")

    async def page(self, query: str = ""):
        return await self.adapter.fetch(
            self.http, f"{self.url}/viewtopic.php?{query or f't={self.topic}'}"
        )

    async def draft(self, *, edits: str = "") -> Draft:
        return await self.adapter.draft(self.http, str(self.topic), edits=edits)

    async def send(self, text: str = REPORT, draft: Draft | None = None):
        return await self.adapter.send(self.http, draft or await self.draft(), text)

    def texts(self) -> list[str]:
        return [post["text"] for post in self.fake.posts(self.topic)]

    def requests(self) -> list[tuple[str, str]]:
        return [(event["method"], event["path"]) for event in self.fake.history]


@pytest.fixture
async def board() -> AsyncIterator[Board]:
    clock = HandClock()
    fake = FakePhpBB(clock=clock.now, settings=Settings(per_page=3))
    fake.add_user("Lucía", signature="[acción: ataque | objetivo: Firma]")
    fake.add_user("Árbitro", SECRET)
    with stamina.set_testing(True, attempts=3), fake.serving() as url:
        async with loopback_http(clock) as http:
            opened = Board(fake, url, http, clock)
            await opened.adapter.login(http)
            yield opened


@pytest.mark.parametrize(
    "topic",
    ["7", "viewtopic.php?t=7", "http://forum.test/foro/viewtopic.php?t=7&start=20&sid=ab#p9"],
)
def test_a_topic_is_its_number_or_any_address_of_it(topic: str) -> None:
    board = PhpBB("http://forum.test/foro/")
    assert board.thread_url(topic) == "http://forum.test/foro/viewtopic.php?t=7"


def test_the_forum_of_an_older_boards_address_is_kept() -> None:
    url = PhpBB("http://forum.test").thread_url("http://forum.test/viewtopic.php?f=4&t=7&start=9")
    assert url == "http://forum.test/viewtopic.php?f=4&t=7"


@pytest.mark.parametrize(
    "topic",
    ["", "siete", "viewtopic.php?p=31", "http://other.test/viewtopic.php?t=7", "٧", "http://[::1"],
)
def test_what_names_no_topic_of_this_board_is_said_to_be_wrong(topic: str) -> None:
    with pytest.raises(GoneError):
        PhpBB("http://forum.test").thread_url(topic)


async def test_no_more_is_asked_than_for_the_letters_of_those_who_are_awaited(board: Board) -> None:
    lucia = str(board.fake.add_user("Lucía segunda"))
    for number in range(4):
        board.fake.write_letter("Lucía", "Árbitro", "Para ti", f"Voy {number}.")
    old = board.fake.write_letter("Lucía segunda", "Árbitro", "Secreto", "[quote]Voy.[/quote]No.")
    taken_back = board.fake.write_letter("Lucía segunda", "Árbitro", "Secreto", "Me arrepiento.")
    board.fake.take_back(taken_back)
    before = len(board.requests())
    (letter,) = await board.adapter.letters(board.http, {lucia})
    assert (letter.title, letter.post.id, letter.post.own_words) == ("Secreto", str(old), "No.")
    assert letter.post.author_id == lucia
    assert len(board.requests()) - before == 2


async def test_an_account_that_may_not_read_messages_is_told_so(board: Board) -> None:
    board.fake.set_user("Árbitro", reads_letters=False)
    with pytest.raises(ForbiddenError):
        await board.adapter.letters(board.http, {"50"})


async def test_a_login_waits_for_the_forms_age_and_not_in_real_time(board: Board) -> None:
    board.fake.end_sessions()
    before = board.clock.now()
    assert await board.adapter.login(board.http) == "51"
    assert 1 < board.clock.now() - before < 2


async def test_a_login_uses_the_session_that_still_holds(board: Board) -> None:
    board.fake.history.clear()
    assert await board.adapter.login(board.http) == "51"
    assert [method for method, _path in board.requests()] == ["GET", "GET"]


async def test_a_remembered_browser_comes_back_without_a_password(board: Board) -> None:
    board.fake.end_sessions(keys=False)
    page = await board.page()
    assert page is not None
    assert page.viewer_id == "51"


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
        assert board.requests().count(("POST", "/ucp.php")) == 1
    with pytest.raises(ForbiddenError) as caught:
        await board.adapter.login(board.http)
    assert caught.value.cure == "solve_captcha"


async def test_a_login_form_that_has_gone_stale_is_for_another_try(board: Board) -> None:
    board.fake.end_sessions()
    board.fake.settings.min_form_age_s = 5
    with pytest.raises(BusyError) as caught:
        await board.adapter.login(board.http)
    assert caught.value.cure == "load_form_again"
    patient = PhpBB(board.url, Account("Árbitro", SECRET), min_form_age_s=5.1)
    assert await patient.login(board.http) == "51"


async def test_a_login_that_got_no_answer_is_no_unknown_post() -> None:
    form = Answer(LOGIN_URL, 200, captured("login-en"))
    http = CannedHttp([form, UnknownOutcomeError(LOGIN_URL, cure="read_back")])
    with pytest.raises(UnreachableError):
        await PhpBB("http://forum.test", Account("Wren", "x")).login(http)


async def test_no_address_holds_a_session_id(board: Board) -> None:
    for _post in range(7):
        board.fake.post("Lucía", board.topic, "más")
    async with loopback_http(board.clock) as guest:
        reader = PhpBB(board.url)
        first = await reader.fetch(guest, f"{board.url}/viewtopic.php?t={board.topic}&start=3")
    assert first is not None
    assert first.viewer_id == GUEST
    told = [first.url, first.next_url, first.previous_url, first.last_url]
    told += [post.url for post in first.posts]
    draft = await board.draft()
    assert not any("sid=" in url for url in [*told, draft.url])


async def test_a_form_whose_address_holds_a_session_id_goes_without(board: Board) -> None:
    form = captured("reply-form-en").replace(
        "./posting.php?mode=reply&amp;t=2", "./posting.php?mode=reply&amp;t=2&amp;sid=" + "0" * 32
    )
    http = CannedHttp([Answer(f"{board.url}/posting.php?mode=reply&t=2", 200, form)])
    draft = await board.adapter.draft(http, "2")
    assert draft.url == f"{board.url}/posting.php?mode=reply&t=2"


async def test_an_address_past_the_end_gives_the_last_page_under_its_own_address(
    board: Board,
) -> None:
    for _post in range(7):
        board.fake.post("Lucía", board.topic, "más")
    last = await board.page(f"t={board.topic}&start=990")
    assert last is not None
    assert last.url == f"{board.url}/viewtopic.php?t={board.topic}&start=6"
    assert (last.next_url, last.last_url) == ("", last.url)
    assert last.previous_url == f"{board.url}/viewtopic.php?t={board.topic}&start=3"


async def test_a_posts_own_address_leads_to_its_page(board: Board) -> None:
    ids = [board.fake.post("Lucía", board.topic, "más") for _post in range(7)]
    page = await board.page(f"p={ids[3]}")
    assert page is not None
    assert page.url == f"{board.url}/viewtopic.php?t={board.topic}&start=3"


async def test_the_last_page_of_hundreds_is_told_by_the_first(board: Board) -> None:
    for _post in range(99):
        board.fake.post("Lucía", board.topic, "más")
    first = await board.page()
    assert first is not None
    assert first.last_url.endswith("start=99")
    assert first.next_url.endswith("start=3")


async def test_a_post_of_somebody_unknown_is_a_guests(board: Board) -> None:
    board.fake.post("", board.topic, "Paso por aquí.")
    page = await board.page()
    assert page is not None
    assert page.posts[-1].author_id == GUEST


async def test_a_deleted_post_counts_for_nobody(board: Board) -> None:
    gone = board.fake.post("Lucía", board.topic, "[acción: ataque]")
    board.fake.delete(gone)
    board.fake.set_user("Árbitro", moderator=True)
    page = await board.page()
    assert page is not None
    assert [post.own_words for post in page.posts] == ["Escena primera."]


async def test_a_page_of_deleted_posts_alone_is_there_but_silent(board: Board) -> None:
    for _post in range(3):
        board.fake.delete(board.fake.post("Lucía", board.topic, "[acción: ataque]"))
    board.fake.set_user("Árbitro", moderator=True)
    page = await board.page(f"t={board.topic}&start=3")
    assert page is not None
    assert [post.own_words for post in page.posts] == [""]


async def test_a_post_that_waits_for_approval_counts_only_for_its_author(board: Board) -> None:
    board.fake.post("Lucía", board.topic, "[acción: ataque]", approved=False)
    board.fake.post("Árbitro", board.topic, REPORT, approved=False)
    board.fake.set_user("Árbitro", moderator=True)
    page = await board.page()
    assert page is not None
    assert [post.author_name for post in page.posts] == ["Lucía", "Árbitro"]
    assert "ref-bcdfghjk" in page.posts[1].own_words


async def test_a_moderated_account_knows_that_its_post_waits(board: Board) -> None:
    board.fake.set_user("Árbitro", moderated=True)
    posted = await board.send()
    assert (posted.post_id, posted.awaits_approval) == ("", True)
    page = await board.page()
    assert page is not None
    assert "ref-bcdfghjk" in page.posts[-1].own_words


@pytest.mark.parametrize("lang", ["en", "es"])
async def test_the_flood_limit_is_known_in_the_accounts_language(board: Board, lang: str) -> None:
    board.fake.set_user("Árbitro", lang=lang)
    await board.send("uno")
    with pytest.raises(NotSentError) as caught:
        await board.send("dos")
    assert (caught.value.cure, caught.value.wait_s) == ("flood", 20)
    board.clock.turn(20)
    await board.send("dos")
    assert board.texts() == ["Escena primera.", "uno", "dos"]


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


async def test_in_an_unknown_language_the_topics_lock_tells(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    finnish = dict(WORDS["en"]) | dict.fromkeys(("locked", "no_reply"), "Ei onnistu.")
    monkeypatch.setitem(WORDS, "fi", finnish)
    board.fake.set_user("Árbitro", lang="fi")
    board.fake.set_topic(board.topic, writable=False)
    with pytest.raises(ForbiddenError):
        await board.draft()
    board.fake.set_topic(board.topic, locked=True)
    with pytest.raises(LockedError):
        await board.draft()


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


async def test_a_form_is_not_sent_before_its_time(board: Board) -> None:
    await board.send()
    assert board.texts()[-1] == REPORT


async def test_a_form_of_another_session_is_loaded_again(board: Board) -> None:
    draft = await board.draft()
    board.fake.end_sessions()
    await board.adapter.login(board.http)
    with pytest.raises(NotSentError) as caught:
        await board.send(draft=draft)
    assert caught.value.cure == "load_form_again"
    assert board.texts() == ["Escena primera."]


async def test_a_form_that_grew_too_old_is_loaded_again(board: Board) -> None:
    draft = await board.draft()
    board.clock.turn(7300)
    with pytest.raises(NotSentError):
        await board.send(draft=draft)


async def test_posts_made_meanwhile_do_not_stop_ours(board: Board) -> None:
    draft = await board.draft()
    board.fake.post("Lucía", board.topic, "Me adelanto.")
    posted = await board.send(draft=draft)
    assert board.texts() == ["Escena primera.", "Me adelanto.", REPORT]
    assert posted.post_id == str(board.fake.posts(board.topic)[-1]["id"])


async def test_a_thread_that_never_rests_is_left_for_later(board: Board) -> None:
    draft = await board.draft()
    answer = board.fake.answer

    def interrupted(request):
        if request.kind == "write":
            board.fake.post("Lucía", board.topic, "Me adelanto.")
        return answer(request)

    board.fake.answer = interrupted
    with pytest.raises(NotSentError) as caught:
        await board.send(draft=draft)
    assert caught.value.cure == "thread_is_busy"
    assert REPORT not in board.texts()


async def test_our_own_post_among_the_new_ones_is_the_proof(board: Board) -> None:
    draft = await board.draft()
    board.fake.fault("reply_lost", "write")
    with pytest.raises(UnknownOutcomeError):
        await board.send(draft=draft)
    board.clock.turn(60)
    posted = await board.send(draft=draft)
    assert board.texts() == ["Escena primera.", REPORT]
    assert posted.post_id == str(board.fake.posts(board.topic)[-1]["id"])


async def test_another_post_of_ours_among_the_new_ones_is_no_proof(board: Board) -> None:
    draft = await board.draft()
    await board.send(REPORT.replace("bcdfghjk", "zxwvtsrq"))
    board.clock.turn(60)
    await board.send(draft=draft)
    assert len(board.texts()) == 3


async def test_a_first_sending_that_lands_late_is_found_and_not_doubled(board: Board) -> None:
    draft = await board.draft()
    board.fake.fault("late", "write")
    with pytest.raises(UnknownOutcomeError):
        await board.send(draft=draft)
    board.fake.land_all()
    # Within the flood interval: the complaint must not hide that our own post stands there.
    posted = await board.send(draft=draft)
    assert board.texts() == ["Escena primera.", REPORT]
    assert posted.post_id == str(board.fake.posts(board.topic)[-1]["id"])


async def test_a_twin_that_lands_late_is_refused_by_the_board_itself(board: Board) -> None:
    draft = await board.draft()
    board.fake.faults.delay = lambda number: 99 + number
    board.fake.fault("late", "write")
    with pytest.raises(UnknownOutcomeError):
        await board.send(draft=draft)
    await board.send(draft=draft)
    board.clock.turn(60)
    board.fake.land_all()
    assert board.texts() == ["Escena primera.", REPORT]


async def test_a_redirect_that_names_the_post_proves_it_though_its_page_is_lost(
    board: Board,
) -> None:
    draft = await board.draft()
    board.fake.fault("silent", "read", times=3)
    posted = await board.send(draft=draft)
    assert posted.post_id == str(board.fake.posts(board.topic)[-1]["id"])


async def test_an_edit_goes_to_its_own_post(board: Board) -> None:
    posted = await board.send("estado")
    board.fake.post("Lucía", board.topic, "y yo")
    draft = await board.draft(edits=posted.post_id)
    assert "message" not in draft.fields
    assert await board.send("estado 2", draft=draft) == posted
    assert board.texts() == ["Escena primera.", "estado 2", "y yo"]
    page = await board.page()
    assert page is not None
    assert [post.edited for post in page.posts] == [None, True, None]


async def test_nobody_elses_post_can_be_edited(board: Board) -> None:
    first = str(board.fake.posts(board.topic)[0]["id"])
    with pytest.raises(ForbiddenError):
        await board.draft(edits=first)
    with pytest.raises(GoneError):
        await board.draft(edits="999")


async def test_an_edit_ignores_the_flood_limit(board: Board) -> None:
    posted = await board.send("estado")
    draft = await board.draft(edits=posted.post_id)
    await board.send("estado 2", draft=draft)
    assert board.texts()[-1] == "estado 2"


async def test_a_text_too_long_is_refused_for_good(board: Board) -> None:
    with pytest.raises(RefusedTextError):
        await board.send("x" * 60_001)


async def test_the_quick_reply_form_is_not_taken_for_the_real_one(board: Board) -> None:
    board.fake.settings.quick_reply = True
    page = await board.page()
    assert page is not None
    assert len(page.posts) == 1
    assert "addbbcode20" in (await board.draft()).fields


async def test_a_board_that_lets_guests_post_does_not_get_a_nameless_post(board: Board) -> None:
    form = captured("reply-form-en")
    guests = form.replace('id="username_logged_in"', "").replace("mode=logout", "mode=login")
    http = CannedHttp([Answer(f"{board.url}/posting.php?mode=reply&t=2", 200, guests)])
    with pytest.raises(LoggedOutError):
        await board.adapter.draft(http, "2")


async def test_without_an_account_nothing_is_posted(board: Board) -> None:
    reader = PhpBB(board.url)
    with pytest.raises(ForbiddenError):
        await reader.draft(board.http, str(board.topic))
    with pytest.raises(ForbiddenError):
        await reader.login(board.http)


async def test_a_guest_is_told_when_reading_needs_an_account(board: Board) -> None:
    board.fake.settings.guests_read = False
    async with loopback_http(board.clock) as guest:
        with pytest.raises(ForbiddenError) as caught:
            await PhpBB(board.url).fetch(guest, f"{board.url}/viewtopic.php?t={board.topic}")
    assert caught.value.cure == "no_account"


# Pages that were never captured.


def captured(name: str) -> str:
    page = Path(__file__).parent / "phpbb" / f"{name}.html"
    return page.read_text(encoding="utf-8")


def topic_page(posts: str, *, head: str = "") -> str:
    return (
        f'<!DOCTYPE html><html lang="es"><head>{head}</head><body>'
        f'<h2 class="topic-title"><a href="./viewtopic.php?t=7">Escena</a></h2>{posts}'
        "</body></html>"
    )


def post_node(number: int, words: str = "Voy.", *, classes: str = "post has-profile bg2") -> str:
    return (
        f'<div id="p{number}" class="{classes}"><p class="author"><a class="username" '
        f'href="./memberlist.php?mode=viewprofile&amp;u=9">Lucía</a></p>'
        f'<div class="content">{words}</div></div>'
    )


URL = "http://forum.test/viewtopic.php?t=7"


def test_a_post_with_more_classes_than_one_is_found() -> None:
    # SoupStrainer("div", class_="post") would find none of them, in silence.
    page = parse_thread(topic_page(post_node(2) + post_node(3, classes="panel post unread")), URL)
    assert [post.id for post in page.posts] == ["2", "3"]


def test_a_profile_link_closed_to_the_viewer_leaves_the_count_of_posts() -> None:
    node = (
        '<div id="p5" class="post"><dl class="postprofile"><dt><span class="username">Lucía</span>'
        '</dt><dd><a href="./search.php?author_id=59&amp;sr=posts">8</a></dd></dl>'
        '<p class="author"><span class="username">Lucía</span></p>'
        '<div class="content">Voy.</div></div>'
    )
    (post,) = parse_thread(topic_page(node), URL).posts
    assert (post.author_id, post.author_name) == ("59", "Lucía")


@pytest.mark.parametrize(
    ("broken", "missing"),
    [
        (post_node(2).replace("username", "name"), "a.username"),
        (post_node(2).replace("content", "body"), "div.content"),
        ("<p>nada</p>", "div.post[id^=p]"),
    ],
)
def test_a_changed_layout_names_what_is_missing(broken: str, missing: str) -> None:
    with pytest.raises(LayoutChangedError) as caught:
        parse_thread(topic_page(broken), URL)
    assert caught.value.facts["missing"] == missing


def test_what_changes_on_every_reading_changes_neither_page_nor_digest() -> None:
    before = captured("topic-p1-es-relative-dates")
    after = re.sub("sid=[0-9a-f]{32}", "sid=" + "0" * 32, before)
    after = after.replace("25 Nov 2026, 01:25", "hace 5 minutos").replace(' online">', '">')
    assert before != after
    page = parse_thread(before, URL)
    # The very same object: a poll without news costs no parsing.
    assert parse_thread(after, URL) is page
    assert parse_thread(after.replace("Desenvaino", "Envaino"), URL).digest != page.digest


def test_a_pasted_session_id_in_a_players_words_stays() -> None:
    words = "mira: viewtopic.php?t=7&amp;sid=0123456789abcdef0123456789abcdef"
    (post,) = parse_thread(topic_page(post_node(2, words)), URL).posts
    assert post.own_words.endswith("sid=0123456789abcdef0123456789abcdef")


@pytest.mark.parametrize("end", ["", "<div>", "</body>"])
def test_half_a_page_is_no_page(end: str) -> None:
    page = topic_page(post_node(2)).removesuffix("</body></html>") + end
    with pytest.raises(BusyError):
        parse_thread(page, URL)


@pytest.mark.parametrize(
    "hostile",
    ["<!--" * 500_000, "<b>" * 600_000, "<div " * 400_000, "&" * 2_000_001, "<a href='" * 200_000],
    ids=["comments", "nested", "open", "large", "quotes"],
)
@pytest.mark.timeout(20)
def test_two_hostile_megabytes_are_refused_at_once(hostile: str) -> None:
    with pytest.raises((LayoutChangedError, BusyError)):
        parse_thread(topic_page(hostile), URL)


@pytest.mark.timeout(30)
def test_a_page_as_full_of_tags_as_allowed_is_read_in_bounded_time() -> None:
    quotes = "<blockquote>" * (MAX_PAGE_ELEMENTS - 500)
    (post,) = parse_thread(topic_page(post_node(2, f"Voy. {quotes}x")), URL).posts
    assert post.own_words == "Voy."


@given(st.text(max_size=300))
@settings(max_examples=150)
def test_any_answer_to_a_post_is_an_outcome_or_a_typed_error(text: str) -> None:
    draft = Draft("http://forum.test/posting.php?mode=reply&t=7", {}, 0.0)
    page = f"<html><body>{text}</body></html>"
    with pytest.raises(UnknownOutcomeError):
        read_outcome(Answer(draft.url, 200, page), draft, "Ronda 1")


@pytest.mark.parametrize("said", ["Jotain muuta.", ""])
def test_an_unknown_page_after_posting_is_no_proof_and_no_refusal(said: str) -> None:
    draft = Draft("http://forum.test/posting.php?mode=reply&t=7", {}, 0.0)
    page = topic_page(f'<div id="message"><p>{said}</p></div>')
    with pytest.raises(UnknownOutcomeError):
        read_outcome(Answer(draft.url, 200, page), draft, "Ronda 1")


def test_an_unknown_complaint_over_the_form_is_a_refusal_for_now() -> None:
    draft = Draft("http://forum.test/posting.php?mode=reply&t=7", {}, 0.0)
    page = topic_page('<form id="postform"><p class="error">Liian pian.</p></form>')
    with pytest.raises(NotSentError) as caught:
        read_outcome(Answer(draft.url, 200, page), draft, "Ronda 1")
    assert caught.value.facts["said"] == "Liian pian."


def test_the_proof_of_an_edit_is_its_own_post() -> None:
    draft = Draft("http://forum.test/posting.php?mode=edit&p=5", {}, 0.0, edits="5")
    other = Answer("http://forum.test/viewtopic.php?p=6#p6", 200, topic_page(post_node(6)))
    with pytest.raises(UnknownOutcomeError):
        read_outcome(other, draft, "estado")
    own = Answer("http://forum.test/viewtopic.php?p=5#p5", 200, "")
    assert read_outcome(own, draft, "estado").post_id == "5"


# What an account's profile, a moderator or another language can do to a page.


def sorted_by(name: str, value: str) -> str:
    """The captured form under a topic with something else chosen."""
    page = (Path(__file__).parent / "captures" / "phpbb" / "topic-p1-en.html").read_text("utf-8")
    form = page[page.index(f'<select name="{name}"') :]
    form = form[: form.index("</select>")]
    chosen = form.replace(' selected="selected"', "").replace(
        f'<option value="{value}">', f'<option value="{value}" selected="selected">'
    )
    assert chosen != form
    return page.replace(form, chosen)


@pytest.mark.parametrize(("name", "value"), [("sd", "d"), ("sk", "a"), ("st", "7")])
def test_an_account_that_sees_posts_in_another_order_or_not_all_is_told(
    name: str, value: str
) -> None:
    with pytest.raises(ForbiddenError) as caught:
        parse_thread(sorted_by(name, value), URL)
    assert caught.value.cure == "show_oldest_first"
    assert caught.value.facts["sorting"] == name


def test_newest_first_is_noticed_without_the_form_too() -> None:
    with pytest.raises(ForbiddenError):
        parse_thread(topic_page(post_node(9) + post_node(5) + post_node(2)), URL)
    # Topics that were merged have numbers out of order, but never all of them.
    assert parse_thread(topic_page(post_node(5) + post_node(9) + post_node(2)), URL).posts


def test_a_player_whom_the_account_ignores_still_declares() -> None:
    ignored = post_node(3, "[acción: parada]").replace(
        "<p class",
        '<div class="ignore" id="post_hidden3">This post was made by <a class="username" '
        'href="./memberlist.php?mode=viewprofile&amp;u=8">Otra</a> who is on your ignore list.'
        '</div><div id="post_content3" style="display: none;"><p class',
    )
    (post,) = parse_thread(topic_page(f"{ignored}</div>"), URL).posts
    assert (post.author_id, post.own_words) == ("9", "[acción: parada]")


def test_a_bumped_topic_is_no_edited_post() -> None:
    notice = '<div class="notice"><br /><br />Last bumped by Lucía on Tue Nov 14, 2023.</div>'
    bumped = post_node(3).removesuffix("</div>") + f"{notice}</div>"
    (post,) = parse_thread(topic_page(bumped), URL).posts
    assert post.edited is None
    edited = bumped.replace("<br /><br />Last bumped", "Last edited")
    (post,) = parse_thread(topic_page(edited), URL).posts
    assert post.edited is True


def test_a_deleted_accounts_post_is_a_guests_and_keeps_its_name() -> None:
    node = post_node(3).replace(
        '<a class="username" href="./memberlist.php?mode=viewprofile&amp;u=9">Lucía</a>',
        '<span class="username">Lucía</span>',
    )
    (post,) = parse_thread(topic_page(node), URL).posts
    assert (post.author_id, post.author_name) == (GUEST, "Lucía")


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("Este tema está cerrado, no puedes editar mensajes o enviar nuevas respuestas.", "locked"),
        ("Este foro está cerrado, no puede publicar, responder ni editar temas.", "locked"),
        ("Foro cerrado por obras hasta el lunes.", "maintenance"),
        ("El foro está deshabilitado.", "maintenance"),
        ("We are down for maintenance.", "maintenance"),
        ("No estás autorizado para leer este foro.", "permissions"),
        ("No tienes permisos para ver este tema.", "permissions"),
        ("Ya no puede editar o borrar ese mensaje.", "permissions"),
        ("El tema solicitado no existe.", "topic"),
    ],
)
def test_what_boards_in_spanish_say_is_understood_in_both_forms_of_address(
    said: str, error: str
) -> None:
    page = topic_page(f'<div id="message"><p>{said}</p></div>')
    with pytest.raises((LockedError, BusyError, ForbiddenError, GoneError)) as caught:
        parse_thread(page, URL)
    assert error in caught.value.cure
