"""Captured pages of a real Spirit 0.14.3; ``test_real_spirit.py`` talks to a living one."""

from dataclasses import replace
from pathlib import Path

import pytest

from adapters.base import Account, Answer, Draft
from adapters.errors import (
    BusyError,
    ForbiddenError,
    GoneError,
    LayoutChangedError,
    LoggedOutError,
    NotSentError,
    RefusedTextError,
    UnknownOutcomeError,
)
from adapters.spirit import Spirit, parse_thread
from tests.adapters.worlds import CannedHttp

PAGES = Path(__file__).parents[1] / "captures" / "spirit"
BASE = "http://forum.test"
TOPIC = f"{BASE}/topic/1/escena-el-molino-de-pe%C3%B1ascal/"
PUBLISH = f"{BASE}/comment/1/publish/"
WREN = Spirit(BASE, Account("Wren", "clave1234"))


def page(name: str) -> str:
    return (PAGES / f"{name}.html").read_text(encoding="utf-8")


def answer(name: str, url: str = TOPIC, status: int = 200) -> Answer:
    return Answer(url, status, page(name))


def test_a_first_page_tells_all_that_the_referee_asks() -> None:
    read = parse_thread(page("topic-p1-en"), TOPIC)
    assert read.url == TOPIC
    assert (read.previous_url, read.next_url, read.last_url) == (
        "",
        f"{TOPIC}?page=2",
        f"{TOPIC}?page=2",
    )
    assert (read.title, read.locked, read.viewer_id) == (
        "Escena: El molino de Peñascal",
        False,
        "4",
    )
    assert [post.id for post in read.posts] == [str(number) for number in range(1, 21)]
    second = read.posts[1]
    assert (second.author_id, second.author_name) == ("2", "Lucía")
    assert second.own_words == (
        "Desenvaino sin pensarlo.\n\n[acción: ataque | objetivo: Bandido 1 | arma: espada]"
    )
    assert second.url == f"{BASE}/comment/2/find/"
    assert (second.edited, read.posts[8].edited) == (False, True)


def test_a_last_page_leads_back_but_not_on() -> None:
    read = parse_thread(page("topic-p2-last-en"), f"{TOPIC}?page=2")
    assert (read.url, read.next_url, read.previous_url) == (f"{TOPIC}?page=2", "", TOPIC)
    assert len(read.posts) == 10


def test_a_closed_topic_is_locked() -> None:
    assert parse_thread(page("topic-closed-en"), TOPIC).locked is True


def test_a_forum_below_a_path_keeps_its_path() -> None:
    read = parse_thread(page("topic-p1-en"), f"{BASE}/foro/topic/1/escena/")
    assert read.posts[0].url == f"{BASE}/foro/comment/1/find/"


def test_only_what_changes_in_a_post_changes_the_digest() -> None:
    text = page("topic-p1-en")
    digest = parse_thread(text, TOPIC).digest
    for noise in (
        text.replace(">46s<", ">5m<"),
        text.replace("like (0)", "like (3)").replace('data-count="0"', 'data-count="3"'),
        text.replace("eYSm9dYjiQWdsbBt8X9RsyNPGXYKXthppDw98esPKC1wQOU6lhvCBi5Mvj5sNGTc", "x" * 64),
    ):
        assert noise != text
        assert parse_thread(noise, TOPIC).digest == digest
    assert parse_thread(text.replace("Desenvaino", "Envaino"), TOPIC).digest != digest


def test_half_a_page_is_busy_and_a_strange_one_has_changed() -> None:
    text = page("topic-p1-en")
    with pytest.raises(BusyError):
        parse_thread(text[: len(text) // 2], TOPIC)
    for needed in ("comments_list__comment", "comment__text", "comment__info__username__link",
                   "paginator__pages", 'class="headline"', "/user/2/"):  # fmt: skip
        with pytest.raises(LayoutChangedError):
            parse_thread(text.replace(needed, "otra-cosa"), TOPIC)
    with pytest.raises(LoggedOutError):
        parse_thread(page("login-en"), TOPIC)
    with pytest.raises(LayoutChangedError):
        parse_thread(page("error-csrf-bad-en"), TOPIC)


async def test_a_guests_view_is_a_dead_session_for_members_and_enough_for_guests() -> None:
    guests = answer("topic-p1-en").text.replace('class="menu_list__link"', 'class="x"')
    canned = Answer(TOPIC, 200, guests)
    with pytest.raises(LoggedOutError):
        await WREN.fetch(CannedHttp([canned]), TOPIC)
    forged = guests.replace("Desenvaino", 'class="menu_list__link" href="/user/4/wren/"')
    with pytest.raises(LoggedOutError):
        await WREN.fetch(CannedHttp([Answer(TOPIC, 200, forged)]), TOPIC)
    seen = await Spirit(BASE).fetch(CannedHttp([canned]), TOPIC)
    assert seen is not None
    assert seen.viewer_id == "guest"
    with pytest.raises(ForbiddenError):
        await Spirit(BASE).login(CannedHttp([]))
    with pytest.raises(ForbiddenError):
        await Spirit(BASE).draft(CannedHttp([]), "1")
    with pytest.raises(ForbiddenError):
        await Spirit(BASE).fetch(CannedHttp([answer("login-en")]), TOPIC)


async def test_a_redirect_to_the_login_is_a_dead_session() -> None:
    login = answer("error-guest-reply-login-redirect-en", f"{BASE}/user/login/?next=/comment/1/")
    with pytest.raises(LoggedOutError):
        await WREN.draft(CannedHttp([login]), "1")
    with pytest.raises(LoggedOutError):
        await WREN.fetch(CannedHttp([login]), TOPIC)


async def test_a_wrong_password_is_told_from_a_page_without_an_error() -> None:
    login = answer("login-en", f"{BASE}/user/login/")
    refused = answer("login-error-bad-password-en", f"{BASE}/user/login/")
    with pytest.raises(ForbiddenError):
        await WREN.login(CannedHttp([login, refused]))
    with pytest.raises(LayoutChangedError):
        await WREN.login(CannedHttp([login, login]))


DRAFT = Draft(PUBLISH, {"csrfmiddlewaretoken": "t" * 64, "comment_hash": "h" * 32}, 0.0)


@pytest.mark.parametrize(
    ("name", "status", "error"),
    [
        ("error-empty-message-en", 200, RefusedTextError),
        ("error-csrf-bad-en", 403, NotSentError),
    ],
)
async def test_a_refused_post_says_why(name, status, error) -> None:
    with pytest.raises(error):
        await WREN.send(CannedHttp([answer(name, PUBLISH, status)]), DRAFT, "¡A mí!")


async def test_a_topics_form_is_missing_because_it_is_gone_or_closed() -> None:
    missing = Answer(PUBLISH, 404, "<html></html>")
    with pytest.raises(GoneError):
        await WREN.draft(CannedHttp([missing, Answer(TOPIC, 404, "<html></html>")]), "1")


async def test_somebody_elses_post_at_the_anchor_proves_nothing() -> None:
    landed = answer("topic-p1-en", f"{TOPIC}#c1")
    others = [Answer(f"{BASE}/comment/{pk}/update/", 404, "<html></html>") for pk in (20, 17, 16)]
    http = CannedHttp([landed, *others])
    with pytest.raises(UnknownOutcomeError):
        await WREN.send(http, DRAFT, "¡A mí!")
    assert all(f"{BASE}/comment/1/" not in url for _method, url, _form in http.asked[1:])


async def test_a_post_is_proved_by_its_own_source_even_if_its_page_was_lost() -> None:
    source = '<html><form><textarea name="comment">\r\n¡A mí!\n</textarea></form></html>'
    lost = UnknownOutcomeError(f"{BASE}/comment/31/find/", cure="read_back")
    http = CannedHttp([lost, Answer(f"{BASE}/comment/31/update/", 200, source)])
    posted = await WREN.send(http, DRAFT, "¡A mí!")
    assert posted.post_id == "31"
    other = CannedHttp([lost, Answer(f"{BASE}/comment/31/update/", 200, source)])
    with pytest.raises(UnknownOutcomeError):
        await WREN.send(other, DRAFT, "¡A ti!")
    edits = CannedHttp([UnknownOutcomeError(f"{BASE}/comment/31/find/", cure="read_back")])
    assert (await WREN.send(edits, replace(DRAFT, edits="31"), "¡A mí!")).post_id == "31"


async def test_a_renamed_topic_is_asked_again_for_the_page_that_its_redirect_dropped() -> None:
    http = CannedHttp([answer("topic-p1-en"), answer("topic-p2-last-en", f"{TOPIC}?page=2")])
    read = await WREN.fetch(http, f"{BASE}/topic/1/otro-nombre/?page=2")
    assert [url for _method, url, _form in http.asked] == [
        f"{BASE}/topic/1/otro-nombre/?page=2",
        f"{TOPIC}?page=2",
    ]
    assert read is not None
    assert len(read.posts) == 10


@pytest.mark.parametrize(
    ("topic", "url"),
    [
        ("7", f"{BASE}/topic/7/"),
        ("/topic/7/el-molino/?page=3#c41", f"{BASE}/topic/7/"),
        ("http://forum.test/topic/7/el-molino/", f"{BASE}/topic/7/"),
        ("http://forum.test/topic/private/7/cosas/", f"{BASE}/topic/private/7/cosas/"),
    ],
)
def test_a_topic_is_known_by_id_or_address(topic, url) -> None:
    assert WREN.thread_url(topic) == url


@pytest.mark.parametrize(
    "topic", ["", "molino", "/category/3/", "٣", f"/topic/{'9' * 30}/", "http://otro.test/topic/7/"]
)
def test_what_is_no_topic_is_said_to_be_none(topic) -> None:
    with pytest.raises(GoneError):
        WREN.thread_url(topic)
