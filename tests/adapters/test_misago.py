"""What no captured page of Misago shows; ``test_real_misago.py`` talks to a living one."""

import json
import re
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adapters.base import Account, Answer, Draft
from adapters.errors import (
    BusyError,
    ForbiddenError,
    GoneError,
    LayoutChangedError,
    LoggedOutError,
    NotSentError,
    UnknownOutcomeError,
    UnreachableError,
)
from adapters.misago import Misago, parse_thread, read_outcome, words_of
from tests.adapters.worlds import CannedHttp

HERE = Path(__file__).parent
BASE = "http://forum.test"
POSTS = f"{BASE}/api/threads/2/posts/"
WREN = Misago(BASE, Account("Wren", "clave1234"))
DRAFT = Draft(POSTS, {"csrfmiddlewaretoken": "x" * 32}, 1000.0)
PAGE_FOR_PEOPLE = (HERE / "misago" / "topic-p1-en.html").read_text(encoding="utf-8")
CAPTURED: dict[str, Any] = json.loads(
    (HERE / "captures" / "misago" / "api-thread-posts-p1.json").read_text(encoding="utf-8")
)


def changed(change: Callable[[Any], object]) -> str:
    """The captured page after a change."""
    data = json.loads(json.dumps(CAPTURED))
    change(data)
    return json.dumps(data)


def post_changed(**values: object) -> str:
    """The same with another second post."""
    return changed(lambda data: data["post_set"]["results"][1].update(values))


def test_a_hidden_post_is_nobodys_word_and_takes_none_of_its_neighbours_with_it() -> None:
    ids = [post.id for post in parse_thread(post_changed(is_hidden=True), POSTS).posts]
    assert ids == ["13", *map(str, range(15, 31))]


def test_a_page_of_hidden_posts_alone_is_not_empty_and_says_nothing() -> None:
    def hide(data: Any) -> None:
        for post in data["post_set"]["results"]:
            post.update(is_hidden=True, content=None)

    posts = parse_thread(changed(hide), POSTS).posts
    assert len(posts) == 18
    assert not any(post.own_words for post in posts)


async def test_a_post_that_waits_for_approval_counts_for_nobody_but_its_author() -> None:
    text = post_changed(is_unapproved=True)
    assert "14" not in {post.id for post in parse_thread(text, POSTS).posts}
    for viewer, sees in ((3, True), (5, False)):
        http = CannedHttp([Answer(POSTS, 200, text), Answer(BASE, 200, json.dumps({"id": viewer}))])
        page = await Misago(BASE, Account("x", "y")).fetch(http, POSTS)
        assert page is not None
        assert page.viewer_id == str(viewer)
        assert ("14" in {post.id for post in page.posts}) is sees


def test_who_has_deleted_the_account_is_a_guest_with_a_name() -> None:
    post = parse_thread(post_changed(poster=None, poster_name="Fantasma"), POSTS).posts[1]
    assert (post.author_id, post.author_name) == ("guest", "Fantasma")
    assert post.own_words.startswith("Desenvaino")


def test_an_event_is_no_post() -> None:
    def close(data: Any) -> None:
        results = data["post_set"]["results"]
        event = {**results[0], "id": 99, "is_event": True, "event_type": "closed", "content": None}
        results.insert(1, event)

    assert parse_thread(changed(close), POSTS).posts == parse_thread(changed(id), POSTS).posts


def test_a_post_whose_stored_text_was_tampered_with_says_nothing() -> None:
    assert parse_thread(post_changed(content=None), POSTS).posts[1].own_words == ""


@pytest.mark.parametrize("closed", [{"is_closed": True}, {"category": {"is_closed": True}}])
def test_a_closed_thread_or_category_is_locked(closed: dict[str, Any]) -> None:
    assert parse_thread(changed(id), POSTS).locked is False
    assert parse_thread(changed(lambda data: data.update(closed)), POSTS).locked is True


def test_a_page_with_nothing_but_the_last_post_of_the_one_before_shows_it_again() -> None:
    def shorten(data: Any) -> None:
        data["post_set"].update(page=2, results=data["post_set"]["results"][:1])

    assert [post.id for post in parse_thread(changed(shorten), POSTS).posts] == ["13"]


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{",
        "{}",
        "[" * 100_000,
        '{"a":' * 100_000,
        changed(lambda data: data.pop("post_set")),
        changed(lambda data: data.pop("api")),
        changed(lambda data: data["post_set"].update(results=[])),
        changed(lambda data: data["post_set"].update(results=["x"])),
        changed(lambda data: data["post_set"].update(page="1")),
        post_changed(id=None),
        post_changed(id=True),
        post_changed(poster={"id": "tres"}),
        changed(lambda data: data["post_set"]["results"][1].pop("poster")),
        changed(lambda data: data["post_set"]["results"][1].pop("content")),
        PAGE_FOR_PEOPLE.replace("misago.init(", "misago.start("),
        PAGE_FOR_PEOPLE.replace('"POSTS": {', '"POSTS": ['),
        PAGE_FOR_PEOPLE.replace('"POSTS"', '"OTHERS"'),
    ],
)
def test_what_is_no_page_of_a_thread_is_never_read_as_one(text: str) -> None:
    with pytest.raises(LayoutChangedError):
        parse_thread(text, POSTS)


def test_half_a_page_for_people_is_busy() -> None:
    with pytest.raises(BusyError):
        parse_thread(PAGE_FOR_PEOPLE[: len(PAGE_FOR_PEOPLE) // 2], POSTS)


def test_a_forum_below_a_path_keeps_its_path() -> None:
    def below(data: Any) -> None:
        data["api"]["posts"]["index"] = "/foro/api/threads/2/posts/"
        data["post_set"]["results"][0]["url"]["index"] = "/foro/t/escena/2/post/13/"

    page = parse_thread(changed(below), f"{BASE}/foro/api/threads/2/posts/")
    assert page.next_url == f"{BASE}/foro/api/threads/2/posts/?page=2"
    assert page.posts[0].url == f"{BASE}/foro/t/escena/2/post/13/"
    assert Misago(f"{BASE}/foro/").thread_url("2") == f"{BASE}/foro/api/threads/2/posts/"


def test_only_what_a_post_says_changes_the_digest() -> None:
    digest = parse_thread(changed(id), POSTS).digest
    noise = post_changed(is_read=True, likes=7, poster={"id": 3, "posts": 9})
    assert parse_thread(noise, POSTS).digest == digest
    assert parse_thread(post_changed(content="<p>Envaino.</p>"), POSTS).digest != digest


@pytest.mark.parametrize(
    ("topic", "url"),
    [
        ("7", f"{BASE}/api/threads/7/posts/"),
        ("/t/el-molino/7/", f"{BASE}/api/threads/7/posts/"),
        (f"{BASE}/t/el-molino/7/3/#post-41", f"{BASE}/api/threads/7/posts/"),
        (f"{BASE}/t/el-molino-2/7/post/41/", f"{BASE}/api/threads/7/posts/"),
        (f"{BASE}/t/el-molino/7?x=1", f"{BASE}/api/threads/7/posts/"),
        (f"{BASE}/p/secreto/8/", f"{BASE}/api/private-threads/8/posts/"),
        (f"{BASE}/api/private-threads/8/posts/?page=2", f"{BASE}/api/private-threads/8/posts/"),
        (f"{BASE}/api/threads/7/posts/", f"{BASE}/api/threads/7/posts/"),
    ],
)
def test_a_thread_is_known_by_id_or_address(topic: str, url: str) -> None:
    assert WREN.thread_url(topic) == url


@pytest.mark.parametrize(
    "topic", ["", "molino", "/c/partidas/3/", "٣", f"/t/x/{'9' * 30}/", "http://otro.test/t/x/7/"]
)
def test_what_is_no_thread_is_said_to_be_none(topic: str) -> None:
    with pytest.raises(GoneError):
        WREN.thread_url(topic)


async def test_whose_view_it_is_costs_a_request_only_where_the_thread_does_not_tell() -> None:
    forum = Misago(BASE, Account("Wren", "clave1234"))
    page = Answer(POSTS, 200, changed(id))
    http = CannedHttp([page, Answer(BASE, 200, '{"id": 5}'), page])
    for _time in range(2):
        read = await forum.fetch(http, POSTS)
        assert read is not None
        assert read.viewer_id == "5"
    assert [url for _method, url, _form in http.asked] == [POSTS, f"{BASE}/api/auth/", POSTS]


async def test_a_member_who_may_do_nothing_is_still_told_from_a_guest() -> None:
    powerless = changed(lambda data: data.update(acl=dict.fromkeys(data["acl"], False)))
    http = CannedHttp([Answer(POSTS, 200, powerless), Answer(BASE, 200, '{"id": 5}')])
    read = await WREN.fetch(http, POSTS)
    assert read is not None
    assert read.viewer_id == "5"
    http = CannedHttp([Answer(POSTS, 200, powerless), Answer(BASE, 200, '{"id": null}')])
    with pytest.raises(LoggedOutError):
        await WREN.fetch(http, POSTS)


@pytest.mark.parametrize("status", [403, 404])
async def test_a_thread_that_members_alone_see_is_a_dead_session_for_a_guest(status: int) -> None:
    refused = Answer(POSTS, status, '{"detail": "No."}')
    with pytest.raises(LoggedOutError):
        await WREN.fetch(CannedHttp([refused, Answer(BASE, 200, '{"id": null}')]), POSTS)
    with pytest.raises(ForbiddenError if status == 403 else GoneError):
        await WREN.fetch(CannedHttp([refused, Answer(BASE, 200, '{"id": 5}')]), POSTS)
    with pytest.raises(ForbiddenError if status == 403 else GoneError):
        await Misago(BASE).fetch(CannedHttp([refused]), POSTS)


async def test_the_page_for_people_is_read_as_well_and_leads_on_to_the_interface() -> None:
    http = CannedHttp([Answer(f"{BASE}/t/escena/2/", 200, PAGE_FOR_PEOPLE)])
    read = await WREN.fetch(http, f"{BASE}/t/escena/2/")
    assert read is not None
    assert (read.viewer_id, read.next_url) == ("5", f"{POSTS}?page=2")


async def test_a_guest_reads_and_writes_nothing() -> None:
    guest = Misago(BASE)
    read = await guest.fetch(CannedHttp([Answer(POSTS, 200, changed(id))]), POSTS)
    assert read is not None
    assert read.viewer_id == "guest"
    with pytest.raises(ForbiddenError):
        await guest.login(CannedHttp([]))
    with pytest.raises(ForbiddenError):
        await guest.draft(CannedHttp([]), "2")


async def test_a_login_whose_token_has_died_is_tried_again_and_a_strange_page_is_not() -> None:
    index = Answer(BASE, 403, (HERE / "misago" / "index-guest-en.html").read_text(encoding="utf-8"))
    died = Answer(BASE, 403, '{"detail": "CSRF Failed: CSRF token missing."}')
    with pytest.raises(UnreachableError):
        await WREN.login(CannedHttp([index, died]))
    with pytest.raises(UnreachableError):
        await WREN.login(CannedHttp([index, UnknownOutcomeError(BASE, cure="read_back")]))
    banned = Answer(BASE, 403, '{"detail": "You are banned.", "ban": {}}')
    with pytest.raises(ForbiddenError):
        await WREN.login(CannedHttp([index, banned]))
    with pytest.raises(LayoutChangedError):
        await WREN.login(CannedHttp([Answer(BASE, 200, "<html></html>")]))


@pytest.mark.parametrize(
    ("said", "wait_s"),
    [
        ("You can't post message so quickly after previous one.", 3),
        ("Your account has exceed an hourly post limit.", 900),
        ("Your account has exceed a daily post limit.", 7200),
        ("Nie możesz dodać kolejnej wiadomości tak szybko po poprzedniej.", None),
    ],
)
async def test_a_refusal_in_a_thread_that_takes_replies_is_a_limit(
    said: str, wait_s: float | None
) -> None:
    thread = Answer(BASE, 200, (HERE / "misago" / "api-thread.json").read_text(encoding="utf-8"))
    http = CannedHttp(
        [
            Answer(POSTS, 403, json.dumps({"detail": said})),
            Answer(BASE, 200, '{"id": 5}'),
            thread,
        ]
    )
    with pytest.raises(NotSentError) as refused:
        await WREN.send(http, DRAFT, "mensaje")
    assert refused.value.wait_s == wait_s
    assert refused.value.facts["said"] == said


@pytest.mark.parametrize("text", ["", "[]", '{"id": "44"}', "<html></html>", '{"ok": true}'])
def test_an_answer_that_proves_nothing_is_an_unknown_outcome(text: str) -> None:
    with pytest.raises(UnknownOutcomeError):
        read_outcome(Answer(POSTS, 200, text), DRAFT)


async def test_a_session_that_is_gone_is_never_taken_for_an_answer_about_who_we_are() -> None:
    refused, nobody = Answer(POSTS, 403, '{"detail": "No."}'), Answer(BASE, 200, '{"name": "Wren"}')
    with pytest.raises(LayoutChangedError):
        await WREN.send(CannedHttp([refused, nobody]), DRAFT, "mensaje")


# --- the words that Misago writes twice

NAMES = re.compile(r"@[0-9a-z_]+", re.IGNORECASE)


def as_misago_shows(line: str, known: frozenset[str]) -> str:
    """A line of text as Misago 0.39 renders its mentions, with the repetition and all."""
    if not any(name in line for name in known):
        return escape(line)
    shown, rest = "", line
    while found := NAMES.search(rest):
        before, name = rest[: found.start()], found[0]
        shown += escape(before)
        if name in known:
            shown += f'<a href="/u/x/3/" data-quote="{name}" target="_blank">{name}</a>'
        else:
            shown += escape(before + name)
        rest = rest[found.end() :]
    return shown + escape(rest)


WORDS = st.lists(
    st.sampled_from(["@Nadie", "@Tomas", "[acción: parada]", "voy", "y", "voy y voy y ", " ", "<"]),
    max_size=12,
).map(" ".join)


@given(WORDS.filter(lambda line: "@Nadie" in line or "@Tomas" not in line))
@example("voy voy @Nadie y @Tomas")
def test_words_written_twice_before_a_mention_of_nobody_are_taken_once(line: str) -> None:
    html = f"<p>{as_misago_shows(line, frozenset({'@Tomas'}))}</p>"
    assert words_of(html, POSTS).own == " ".join(line.split())


def test_a_board_that_repeats_nothing_keeps_what_was_typed_twice() -> None:
    mention = '<a href="/u/x/3/" data-quote="@Tomas">@Tomas</a>'
    html = f"<p>voy voy @Nadie, luego @Nadie y {mention}</p>"
    assert words_of(html, POSTS).own == "voy voy @Nadie, luego @Nadie y @Tomas"


def test_headings_code_and_links_are_not_looked_at() -> None:
    mention = '<a href="/u/x/3/" data-quote="@Tomas">@Tomas</a>'
    heading = '<div class="quote-heading" data-noquote="1">De @Nadie:</div>'
    html = (
        f"<aside>{heading}<blockquote><p>voy voy @Nadie</p></blockquote></aside>"
        f"<pre><code>ya @Nadie</code></pre><p>ya ya @Nadie <code>ya @Nadie</code> {mention}</p>"
    )
    words = words_of(html, POSTS)
    assert words.own == "ya @Nadie ya @Nadie @Tomas"
    assert words.set_aside == "voy @Nadie\n\nya @Nadie"
