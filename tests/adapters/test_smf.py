"""SMF against the fake board: what the contract does not ask of every platform."""

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
from adapters.smf import SMF, parse_thread, read_outcome
from tests.adapters.worlds import SECRET, CannedHttp, HandClock, loopback_http
from tests.forums.fake_smf import FakeSMF, Settings

HERE = Path(__file__).parent
REPORT = "[b]Ronda 1[/b]\nLope ataca: 37 contra 45. «Ay», dice… ref-bcdfghjk"
URL = "http://forum.test/index.php?topic=7.0"


class Board:
    """The fake board, the adapter and its client, logged in."""

    def __init__(self, fake: FakeSMF, url: str, http: PoliteHttp, clock: HandClock) -> None:
        self.fake, self.url, self.http, self.clock = fake, url, http, clock
        self.adapter = SMF(f"{url}/index.php", Account("Árbitro", SECRET))
        self.topic = fake.add_topic("Escena", "Lucía", "Escena primera.")

    async def page(self, query: str = "") -> ThreadPage:
        url = f"{self.url}/index.php?{query or f'topic={self.topic}.0'}"
        page = await self.adapter.fetch(self.http, url)
        assert page is not None
        return page

    async def draft(self, *, edits: str = "") -> Draft:
        return await self.adapter.draft(self.http, str(self.topic), edits=edits)

    async def send(self, text: str = REPORT, draft: Draft | None = None) -> Posted:
        return await self.adapter.send(self.http, draft or await self.draft(), text)

    def texts(self) -> list[str]:
        return [post["text"] for post in self.fake.posts(self.topic)]

    def crowd(self, posts: int) -> None:
        for number in range(posts):
            self.fake.post("Lucía", self.topic, f"más {number}")


@pytest.fixture
async def board() -> AsyncIterator[Board]:
    clock = HandClock()
    fake = FakeSMF(clock=clock.now, settings=Settings(per_page=3))
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
        "index.php?topic=7.20",
        "http://forum.test/foro/index.php?topic=7.msg31#msg31",
        "http://forum.test/foro/index.php?topic=7.new;topicseen#new",
        "http://forum.test/foro/index.php/topic,7.20.html",
        "http://forum.test/foro/index.php?PHPSESSID=0123456789abcdef&topic=7.0",
    ],
)
def test_a_topic_is_its_number_or_any_address_of_it(topic: str) -> None:
    board = SMF("http://forum.test/foro/")
    assert board.thread_url(topic) == "http://forum.test/foro/index.php?topic=7.0"


@pytest.mark.parametrize(
    "topic",
    ["", "siete", "index.php?msg=31", "http://other.test/index.php?topic=7.0", "٧", "http://[::1"],
)
def test_what_names_no_topic_of_this_board_is_said_to_be_wrong(topic: str) -> None:
    with pytest.raises(GoneError):
        SMF("http://forum.test").thread_url(topic)


async def test_a_login_uses_the_session_that_still_holds(board: Board) -> None:
    board.fake.history.clear()
    assert await board.adapter.login(board.http) == "51"
    assert [event["method"] for event in board.fake.history] == ["GET"]


async def test_a_remembered_browser_comes_back_without_a_password(board: Board) -> None:
    saved = board.http.export()
    async with loopback_http(board.clock, saved=saved) as other:
        board.fake.end_sessions(keys=False)
        page = await board.adapter.fetch(other, board.adapter.thread_url(str(board.topic)))
    assert page is not None
    assert page.viewer_id == "51"


async def test_a_wrong_password_is_tried_once_and_too_many_are_a_rest(board: Board) -> None:
    board.fake.end_sessions()
    board.fake.set_user("Árbitro", password="otra")
    for _attempt in range(3):
        before = len(board.fake.history)
        with pytest.raises(ForbiddenError) as caught:
            await board.adapter.login(board.http)
        assert caught.value.cure == "check_password"
        methods = [event["method"] for event in board.fake.history[before:]]
        assert methods.count("POST") == 1
    with pytest.raises(BusyError) as busy:
        await board.adapter.login(board.http)
    assert busy.value.wait_s


async def test_a_second_code_that_is_wanted_in_the_middle_sends_to_the_login(board: Board) -> None:
    board.fake.set_user("Árbitro", two_steps=True)
    with pytest.raises(LoggedOutError):
        await board.page()
    with pytest.raises(LoggedOutError):
        await board.draft()
    with pytest.raises(ForbiddenError) as caught:
        await board.adapter.login(board.http)
    assert caught.value.cure == "second_factor"


async def test_no_address_holds_a_session(board: Board) -> None:
    board.crowd(7)
    async with loopback_http(board.clock) as guest:
        reader = SMF(board.url)
        first = await reader.fetch(guest, f"{board.url}/index.php?topic={board.topic}.3")
    assert first is not None
    assert first.viewer_id == GUEST
    told = [first.url, first.next_url, first.previous_url, first.last_url]
    told += [post.url for post in first.posts]
    posted = await board.send()
    edit = await board.draft(edits=posted.post_id)
    session = next(value for value in edit.fields.values() if len(value) == 32)
    assert not any("PHPSESSID" in url or session in url for url in [*told, edit.url])
    assert edit.url.startswith(f"{board.url}/index.php?action=post2;start=0;msg={posted.post_id}")


async def test_an_address_past_the_end_gives_the_last_page(board: Board) -> None:
    board.crowd(7)
    last = await board.page(f"topic={board.topic}.990")
    assert last.url == f"{board.url}/index.php?topic={board.topic}.6"
    assert (last.next_url, last.last_url) == ("", last.url)
    assert last.posts[-1].own_words == "más 6"


async def test_an_address_just_past_a_full_last_page_gives_it(board: Board) -> None:
    board.crowd(5)
    last = await board.page(f"topic={board.topic}.6")
    assert last.url == f"{board.url}/index.php?topic={board.topic}.3"


async def test_the_last_page_of_hundreds_is_told_by_the_first(board: Board) -> None:
    board.crowd(99)
    first = await board.page()
    assert first.last_url.endswith(f"topic={board.topic}.99")
    assert first.next_url.endswith(f"topic={board.topic}.3")
    middle = await board.page(f"topic={board.topic}.48")
    assert middle.last_url == first.last_url
    assert middle.previous_url.endswith(f"topic={board.topic}.45")


async def test_a_posts_own_address_leads_to_its_page(board: Board) -> None:
    board.crowd(7)
    ids = [post["id"] for post in board.fake.posts(board.topic)]
    page = await board.page(f"msg={ids[4]}")
    assert page.url == f"{board.url}/index.php?topic={board.topic}.3"


async def test_a_post_is_proved_by_its_words_though_quotes_are_rewritten(board: Board) -> None:
    posted = await board.send("Dice: “¡A mí!”… 8) ref-bcdfghjk")
    last = (await board.page()).posts[-1]
    assert (last.id, last.own_words) == (posted.post_id, 'Dice: "¡A mí!"... 8) ref-bcdfghjk')


async def test_posts_made_meanwhile_do_not_stop_ours(board: Board) -> None:
    draft = await board.draft()
    board.crowd(1)
    posted = await board.send(draft=draft)
    assert board.texts() == ["Escena primera.", "más 0", REPORT]
    assert posted.post_id == str(board.fake.posts(board.topic)[-1]["id"])


async def test_a_thread_that_never_rests_is_left_for_later(board: Board) -> None:
    draft = await board.draft()
    answer = board.fake.answer

    def interrupted(request):
        if request.kind == "write":
            board.crowd(1)
        return answer(request)

    board.fake.answer = interrupted
    with pytest.raises(NotSentError) as caught:
        await board.send(draft=draft)
    assert caught.value.cure == "thread_is_busy"
    assert REPORT not in board.texts()


async def test_our_post_is_proved_on_the_page_before_when_others_have_filled_the_last(
    board: Board,
) -> None:
    board.crowd(2)
    draft = await board.draft()
    board.fake.settings.reply_warning = False
    answer = board.fake.answer

    def overtaken(request):
        reply = answer(request)
        if request.kind == "write":
            board.crowd(3)
        return reply

    board.fake.answer = overtaken
    posted = await board.send(draft=draft)
    ids = {post["text"]: str(post["id"]) for post in board.fake.posts(board.topic)}
    assert posted.post_id == ids[REPORT]


async def test_a_form_is_taken_only_once(board: Board) -> None:
    draft = await board.draft()
    board.fake.fault("reply_lost", "write")
    with pytest.raises(UnknownOutcomeError):
        await board.send(draft=draft)
    board.clock.turn(60)
    with pytest.raises(UnknownOutcomeError) as caught:
        await board.send(draft=draft)
    assert caught.value.facts["reason"] == "posted_before"
    assert board.texts().count(REPORT) == 1


async def test_a_twin_that_lands_late_is_refused_by_the_board_itself(board: Board) -> None:
    draft = await board.draft()
    board.fake.fault("late", "write")
    with pytest.raises(UnknownOutcomeError):
        await board.send(draft=draft)
    await board.send(draft=draft)
    board.fake.land_all()
    assert board.texts().count(REPORT) == 1


@pytest.mark.parametrize("lang", ["en", "es"])
async def test_the_flood_limit_is_known_with_its_seconds(board: Board, lang: str) -> None:
    board.fake.set_user("Árbitro", lang=lang)
    await board.send("uno")
    with pytest.raises(NotSentError) as caught:
        await board.send("dos")
    assert (caught.value.cure, caught.value.wait_s) == ("flood", 6)
    board.clock.turn(6)
    await board.send("dos")
    assert board.texts() == ["Escena primera.", "uno", "dos"]


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize("text", ["", "x" * 21_000])
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
        ({"gone": True}, GoneError),
    ],
)
async def test_why_there_is_no_form_is_known_in_every_language(
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


@pytest.mark.parametrize("lang", ["en", "es"])
async def test_a_form_of_another_session_is_loaded_again(board: Board, lang: str) -> None:
    board.fake.set_user("Árbitro", lang=lang)
    draft = await board.draft()
    board.fake.spoil_forms()
    with pytest.raises(NotSentError) as caught:
        await board.send(draft=draft)
    assert caught.value.cure == "load_form_again"
    await board.send()


async def test_a_closed_board_is_busy(board: Board) -> None:
    board.fake.disable(disabled=True)
    with pytest.raises(BusyError):
        await board.page()
    board.fake.disable(disabled=False)
    await board.send()


async def test_a_moderated_account_knows_that_its_post_waits(board: Board) -> None:
    board.fake.set_user("Árbitro", moderated=True)
    posted = await board.send()
    assert posted.awaits_approval
    waiting = (await board.page()).posts[-1]
    assert (waiting.id, waiting.awaits_approval) == (posted.post_id, True)
    board.fake.approve(int(posted.post_id))
    assert not (await board.page()).posts[-1].awaits_approval


async def test_others_posts_that_wait_for_approval_do_not_count(board: Board) -> None:
    board.fake.post("Lucía", board.topic, "[acción: ataque]", approved=False)
    board.fake.set_user("Árbitro", moderator=True)
    assert [post.own_words for post in (await board.page()).posts] == ["Escena primera."]


async def test_a_post_of_somebody_unknown_is_a_guests(board: Board) -> None:
    board.fake.post("", board.topic, "Paso por aquí.")
    assert (await board.page()).posts[-1].author_id == GUEST


async def test_guests_read_without_an_account(board: Board) -> None:
    async with loopback_http(board.clock) as guest:
        reader = SMF(board.url)
        page = await reader.fetch(guest, reader.thread_url(str(board.topic)))
        assert page is not None
        assert page.viewer_id == GUEST
        board.fake.settings.guests_read = False
        with pytest.raises(ForbiddenError) as caught:
            await reader.fetch(guest, reader.thread_url(str(board.topic)))
    assert caught.value.cure == "no_account"


# Pages that were never captured.


def captured(name: str) -> str:
    for folder in (HERE / "smf", HERE / "captures" / "smf"):
        if (folder / f"{name}.html").exists():
            return (folder / f"{name}.html").read_text(encoding="utf-8")
    raise AssertionError(name)


def topic_page(posts: str) -> str:
    return (
        '<!DOCTYPE html><html lang="es"><head></head><body><div id="display_head"><span '
        f'id="top_subject">Escena</span></div><div id="forumposts">{posts}</div></body></html>'
    )


def post_node(number: int, words: str = "Voy.", kind: str = "windowbg") -> str:
    return (
        f'<div class="{kind}" id="msg{number}"><div class="poster"><h4><a '
        'href="http://forum.test/index.php?action=pm;sa=send;u=9"><span class="on"></span></a> <a '
        'href="http://forum.test/index.php?action=profile;u=9">Lucía</a></h4></div>'
        f'<div class="inner" id="msg_{number}">{words}</div></div>'
    )


def test_what_changes_on_every_reading_changes_neither_page_nor_digest() -> None:
    text = captured("topic-p3-last-en")
    page = parse_thread(text, URL)
    later = text.replace("29-11-2026, 01:28", "<strong>Yesterday</strong> at 01:28")
    later = later.replace("Posts: 10", "Posts: 11").replace("01:01</time>", "01:09</time>")
    later = later.replace("e282d8bd452", "abcdef01234").replace('value="9110069"', 'value="17"')
    assert later != text
    # The very same object: a poll without news costs no parsing.
    assert parse_thread(later, URL) is page
    assert parse_thread(later.replace("Última orden", "Otra orden"), URL).digest != page.digest


def test_a_name_beside_the_mark_of_who_is_online_is_found() -> None:
    (post,) = parse_thread(topic_page(post_node(3)), URL).posts
    assert (post.author_id, post.author_name) == ("9", "Lucía")


def test_a_player_whom_the_account_ignores_still_declares() -> None:
    node = post_node(3).replace('class="inner"', 'class="inner" style="display:none;"')
    (post,) = parse_thread(topic_page(node), URL).posts
    assert post.own_words == "Voy."


def test_an_account_that_sees_the_newest_post_first_is_told_to_change_that() -> None:
    with pytest.raises(ForbiddenError) as caught:
        parse_thread(topic_page(post_node(9) + post_node(5) + post_node(2)), URL)
    assert caught.value.cure == "show_oldest_first"


@pytest.mark.parametrize(
    ("broken", "missing"),
    [
        (post_node(2).replace("poster", "author"), ".poster h4"),
        (post_node(2).replace("msg_2", "body_2"), "#msg_2"),
        ("<p>nada</p>", "#forumposts div[id^=msg]"),
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
    ["<!--" * 500_000, "<b>" * 600_000, "<div " * 400_000, 'class="smalltext">' * 100_000],
    ids=["comments", "nested", "open", "dates"],
)
@pytest.mark.timeout(20)
def test_two_hostile_megabytes_are_refused_at_once(hostile: str) -> None:
    with pytest.raises((LayoutChangedError, BusyError)):
        parse_thread(topic_page(hostile), URL)


@given(st.text(max_size=300))
@settings(max_examples=100)
def test_any_answer_to_a_post_is_an_outcome_or_a_typed_error(text: str) -> None:
    draft = Draft("http://forum.test/index.php?action=post2;start=0;board=1", {}, 0.0)
    page = f"<html><body>{text}</body></html>"
    with pytest.raises(UnknownOutcomeError):
        read_outcome(Answer(draft.url, 200, page), draft, "Ronda 1")


def test_a_banned_account_is_told_so_though_nothing_but_words_says_it() -> None:
    page = captured("error-topic-locked-en").replace('id="topic_locked" ', "")
    page = page.replace("This topic is locked", "Sorry Wren, you are banned from using this forum")
    with pytest.raises(ForbiddenError) as caught:
        parse_thread(page, URL, status=403)
    assert caught.value.cure == "banned"


async def test_a_form_that_wants_a_picture_read_is_a_stop() -> None:
    page = captured("reply-form-en").replace(
        '<input type="hidden" name="topic"', '<input name="post_vv[code]"><input name="topic"'
    )
    http = CannedHttp([Answer("http://forum.test/index.php?action=post;topic=2.0", 200, page)])
    with pytest.raises(ForbiddenError) as caught:
        await SMF("http://forum.test", Account("Wren", "x")).draft(http, "2")
    assert caught.value.cure == "solve_captcha"


@pytest.mark.parametrize(("view", "requests"), [(0, 1), (1, 2), (2, 2)])
async def test_letters_are_read_however_the_account_has_them_shown(
    board: Board, view: int, requests: int
) -> None:
    board.fake.set_user("Árbitro", letter_view=view)
    board.fake.add_user("Tomás")
    board.fake.write_letter("Tomás", "Árbitro", "Antiguo", "¿Cuándo empezamos?")
    board.fake.write_letter("Lucía", "Árbitro", "Un secreto", "Espero.")
    board.fake.write_letter("Árbitro", "Lucía", "Un secreto", "Entendido.")
    sent = board.fake.write_letter(
        "Lucía", "Árbitro", "Un secreto", "[quote]Voy.[/quote]\nPor la espalda."
    )
    board.fake.write_letter("Tomás", "Árbitro", "Otro", "Hola.")
    author = (await board.page()).posts[0].author_id
    before = len(board.fake.history)
    letters = await board.adapter.letters(board.http, {author})
    assert len(board.fake.history) - before == requests
    by_lucia = [one for one in letters if one.post.author_id == author]
    assert by_lucia[-1].title == "Un secreto"
    assert (by_lucia[-1].post.id, by_lucia[-1].post.own_words) == (str(sent), "Por la espalda.")
    assert "Entendido." not in {one.post.own_words for one in letters}


async def test_an_account_that_may_not_read_messages_is_told_so(board: Board) -> None:
    board.fake.set_user("Árbitro", reads_letters=False)
    with pytest.raises(ForbiddenError):
        await board.adapter.letters(board.http, {"50"})
