"""What is peculiar to Discourse; the contract tests cover what all platforms share."""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from typing import Any

import httpx
import pytest
import respx

from adapters.base import Account, Answer, Draft, ThreadPage
from adapters.discourse import Discourse, parse_thread, read_outcome
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
from tests.adapters.worlds import SECRET, DiscourseWorld, HandClock, discourse_world, loopback_http

BASE = "https://foro.example"
SITE = Discourse(BASE, Account("arbitro", SECRET))
PAGE = f"{BASE}/t/7.json?include_raw=1"


@pytest.fixture
async def http() -> AsyncIterator[PoliteHttp]:
    # A transport of its own switches the check of addresses off: there is no network here.
    async with loopback_http(HandClock(), transport=httpx.AsyncHTTPTransport()) as client:
        yield client


@pytest.fixture
async def world(request: pytest.FixtureRequest) -> AsyncIterator[DiscourseWorld]:
    async with discourse_world(request) as opened:
        await opened.adapter.login(opened.http)
        yield opened


def a_post(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "post_number": number,
        "user_id": 3,
        "username": "Lucía",
        "cooked": f"<p>Mensaje {number}</p>",
        "created_at": "2026-11-30T18:05:00.000Z",
        "post_type": 1,
        "version": 1,
    } | more


def a_topic(
    posts: list[dict[str, Any]], stream: list[int] | None = None, **more: Any
) -> dict[str, Any]:
    ids = [post["id"] for post in posts] if stream is None else stream
    return {
        "id": 7,
        "title": "Escena",
        "chunk_size": 20,
        "posts_count": len(ids),
        "closed": False,
        "archived": False,
        "post_stream": {"posts": posts, "stream": ids},
        "details": {},
    } | more


def later(after: int) -> str:
    return f"{BASE}/t/7/posts.json?asc=true&include_raw=1&post_number={after}"


def read(data: Any, url: str = PAGE) -> Any:
    return parse_thread(json.dumps(data), url)


@respx.mock
async def test_each_request_carries_the_key_and_asks_for_json(http: PoliteHttp) -> None:
    route = respx.get(PAGE).respond(json=a_topic([a_post(1)]))
    await SITE.fetch(http, PAGE)
    sent = route.calls.last.request.headers
    assert (sent["api-key"], sent["api-username"]) == (SECRET, "arbitro")
    assert "json" in sent["accept"]


@respx.mock
async def test_a_key_of_the_accounts_own_goes_by_another_name(http: PoliteHttp) -> None:
    route = respx.get(PAGE).respond(json=a_topic([a_post(1)]))
    await Discourse(BASE, Account("Árbitro", SECRET), user_key=True).fetch(http, PAGE)
    sent = route.calls.last.request.headers
    assert sent["user-api-key"] == SECRET
    assert "api-key" not in sent


@respx.mock
async def test_a_name_that_is_not_ascii_goes_encoded(http: PoliteHttp) -> None:
    site = Discourse(BASE, Account("Árbitro", SECRET))
    route = respx.get(f"{BASE}/u/%C3%81rbitro.json").respond(json={"user": {"id": 9}})
    assert await site.login(http) == "9"
    assert route.calls.last.request.headers["api-username"] == "%C3%81rbitro"


@respx.mock
async def test_the_key_follows_no_redirect_to_another_host(http: PoliteHttp) -> None:
    respx.get(PAGE).respond(302, headers={"location": "https://ladron.example/t/7.json"})
    elsewhere = respx.get("https://ladron.example/t/7.json").respond(json=a_topic([a_post(1)]))
    await SITE.fetch(http, PAGE)
    assert "api-key" not in elsewhere.calls.last.request.headers


@respx.mock
async def test_the_last_page_of_a_long_thread_is_one_request(http: PoliteHttp) -> None:
    stream = list(range(1, 5001))
    last = [a_post(number) for number in stream[-20:]]
    route = respx.get(f"{PAGE}&page=250").respond(json=a_topic(last, stream))
    page = await SITE.fetch(http, f"{PAGE}&page=250")
    assert page is not None
    assert [post.id for post in page.posts] == [str(number) for number in stream[-20:]]
    assert (page.next_url, page.previous_url) == ("", f"{PAGE}&page=249")
    assert route.call_count == len(respx.calls) == 1


@respx.mock
async def test_posts_that_a_page_lacks_are_asked_for_by_their_ids(http: PoliteHttp) -> None:
    stream = list(range(1, 46))
    # A site that knows no pages gives the first twenty posts whatever is asked.
    first = [a_post(number) for number in stream[:20]]
    respx.get(f"{PAGE}&page=3").respond(json=a_topic(first, stream))
    more = respx.get(url__startswith=f"{BASE}/t/7/posts.json").respond(
        json={"post_stream": {"posts": [a_post(number) for number in stream[40:]]}}
    )
    page = await SITE.fetch(http, f"{PAGE}&page=3")
    assert page is not None
    assert [post.id for post in page.posts] == ["41", "42", "43", "44", "45"]
    assert more.calls.last.request.url.params.get_list("post_ids[]") == [
        str(number) for number in stream[40:]
    ]


@respx.mock
async def test_too_many_requests_are_a_wait_for_readers_and_writers(http: PoliteHttp) -> None:
    limited = {"errors": ["Please wait 39 seconds"], "error_type": "rate_limit"}
    respx.get(PAGE).respond(429, headers={"retry-after": "39"}, json=limited)
    respx.post(f"{BASE}/posts.json").respond(429, headers={"retry-after": "39"}, json=limited)
    with pytest.raises(BusyError) as reading:
        await SITE.fetch(http, PAGE)
    with pytest.raises(NotSentError) as writing:
        await SITE.send(http, Draft(f"{BASE}/posts.json", {"topic_id": 7}, 0.0), "Ronda 1.")
    assert reading.value.wait_s == writing.value.wait_s == 39


@respx.mock
async def test_a_site_for_members_alone_is_a_dead_session(http: PoliteHttp) -> None:
    body = {"errors": ["You need to be logged in"], "error_type": "not_logged_in"}
    respx.get(PAGE).respond(403, json=body)
    with pytest.raises(LoggedOutError):
        await SITE.fetch(http, PAGE)


@respx.mock
async def test_a_key_that_is_refused_is_the_owners_business(http: PoliteHttp) -> None:
    respx.get(f"{BASE}/u/arbitro.json").respond(403, json={"errors": ["The key is invalid."]})
    with pytest.raises(ForbiddenError) as refused:
        await SITE.login(http)
    assert refused.value.facts["said"] == "The key is invalid."
    with pytest.raises(ForbiddenError):
        await Discourse(BASE).login(http)


def test_a_post_is_read_from_its_source_where_that_says_what_readers_see() -> None:
    typed, shown = (
        '[acción: x | "y"] 🗡️ :)',
        "<p>[acción: x | “y”] <img class=emoji title=':d:'></p>",
    )
    page = read(a_topic([a_post(1, raw=typed, cooked=shown)]))
    assert page.posts[0].own_words == typed


@pytest.mark.parametrize(
    ("raw", "cooked", "words"),
    [
        ("a [acción: x]", "<p>a</p>", "a"),  # whatever hid it, readers don't see it
        ("[acción: x]", "<aside class=quote><p>[acción: x]</p></aside>", ""),
        (None, "<p>«[acción: x]»</p><pre><code>[acción: y]</code></pre>", "«[acción: x]»"),
        (None, "<p>a <img class=emoji title=':smile:'> <a href=/u/w>@w</a></p>", "a :smile: @w"),
        (
            None,
            "<p><a href='https://x.test/a' class='inline-onebox'>Un título</a></p>",
            "https://x.test/a",
        ),
        (
            None,
            "<aside class=onebox data-onebox-src='https://x.test/a'>[acción: x]</aside>",
            "https://x.test/a",
        ),
        (None, "<details><summary>Más</summary><p>[acción: x]</p></details>", "Más\n\n[acción: x]"),
        (None, "<p><span class=spoiler>[acción: x]</span></p>", "[acción: x]"),
    ],
)
def test_what_readers_see_decides(raw: str | None, cooked: str, words: str) -> None:
    assert read(a_topic([a_post(1, raw=raw, cooked=cooked)])).posts[0].own_words == words


def test_a_post_tells_its_moment_its_place_and_its_later_edits() -> None:
    first, second = read(a_topic([a_post(1), a_post(2, version=3)])).posts
    assert first.posted_at is not None
    assert first.posted_at.isoformat() == "2026-11-30T18:05:00+00:00"
    assert first.url == f"{BASE}/p/1"
    assert (first.edited, second.edited) == (None, True)


def test_notes_hidden_and_deleted_posts_do_not_count() -> None:
    posts = [
        a_post(1),
        a_post(2, post_type=3),
        a_post(3, post_type=4),
        a_post(4, hidden=True),
        a_post(5, deleted_at="2026-11-30T19:00:00Z"),
        a_post(6, user_deleted=True),
    ]
    assert [post.id for post in read(a_topic(posts)).posts] == ["1"]
    (note,) = read(a_topic([a_post(2, post_type=3, cooked="<p>[acción: x]</p>")])).posts
    assert (note.own_words, note.set_aside) == ("", "")


@pytest.mark.parametrize("state", ["closed", "archived"])
def test_a_closed_or_archived_topic_is_locked(state: str) -> None:
    assert read(a_topic([a_post(1)], **{state: True})).locked is True
    assert read(a_topic([a_post(1)])).locked is False


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.pop("post_stream"),
        lambda data: data["post_stream"].update(posts={}),
        lambda data: data["post_stream"].update(posts=[]),
        lambda data: data["post_stream"]["posts"][0].pop("user_id"),
        lambda data: data["post_stream"]["posts"][0].pop("cooked"),
        lambda data: data["post_stream"]["posts"][0].update(id="1"),
    ],
    ids=["stream", "posts", "no posts", "author", "words", "id"],
)
def test_a_topic_that_lacks_what_is_mandatory_has_changed(spoil: Callable[[Any], Any]) -> None:
    data = a_topic([a_post(1)])
    spoil(data)
    with pytest.raises(LayoutChangedError):
        read(data)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "null", "3", "<html></html>", '{"post_stream": null}', "[" * 99_999],
    ids=["nothing", "list", "null", "number", "html", "no stream", "a nest"],
)
def test_what_is_no_topic_has_changed(text: str) -> None:
    with pytest.raises(LayoutChangedError):
        parse_thread(text, PAGE)


def test_a_page_past_the_end_is_gone() -> None:
    with pytest.raises(GoneError):
        read(a_topic([a_post(1)]), f"{PAGE}&page=2")


def test_a_topic_too_large_to_tell_its_ids_is_read_by_its_count() -> None:
    data = a_topic([a_post(number) for number in range(1, 21)], posts_count=12_001)
    del data["post_stream"]["stream"]
    page = read(data, f"{PAGE}&page=600")
    assert page.last_url == later(20)
    assert page.next_url == later(20)


@respx.mock
async def test_the_end_of_a_huge_topic_is_guessed_from_its_highest_number(http: PoliteHttp) -> None:
    data = a_topic([a_post(number) for number in range(1, 21)], posts_count=12_001)
    del data["post_stream"]["stream"]
    respx.get(PAGE).respond(json=data | {"highest_post_number": 12_400})
    page = await SITE.fetch(http, PAGE)
    assert page is not None
    assert page.last_url == later(12_381)


@pytest.mark.parametrize(
    ("body", "edits", "proved"),
    [
        ({"id": 12, "topic_id": 7}, "", ("12", False)),
        ({"post": {"id": 12}}, "12", ("12", False)),
        ({"success": True, "action": "enqueued", "pending_post": {"id": 3}}, "", ("", True)),
    ],
)
def test_an_answer_to_a_post_proves_it(
    body: Mapping[str, Any], edits: str, proved: tuple[str, bool]
) -> None:
    answer = Answer(f"{BASE}/posts.json", 200, json.dumps(body))
    posted = read_outcome(answer, Draft(answer.url, {}, 0.0, edits))
    assert (posted.post_id, posted.awaits_approval) == proved


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"post": {"id": 13}}', '{"id": "12"}', "<html>"])
def test_an_answer_that_proves_nothing_is_an_unknown_outcome(text: str) -> None:
    with pytest.raises(UnknownOutcomeError):
        read_outcome(Answer(f"{BASE}/posts/12.json", 200, text), Draft("", {}, 0.0, "12"))


async def test_a_text_too_short_or_too_like_the_last_one_is_refused(world: DiscourseWorld) -> None:
    draft = await world.adapter.draft(world.http, world.topic)
    with pytest.raises(RefusedTextError) as refused:
        await world.adapter.send(world.http, draft, "Corto.")
    assert "too short" in str(refused.value.facts["said"])
    await world.adapter.send(world.http, draft, "Ronda 1. Lope ataca con saña.")
    draft = await world.adapter.draft(world.http, world.topic)
    with pytest.raises(RefusedTextError):
        await world.adapter.send(world.http, draft, "Ronda 1. Lope ataca con saña.")


async def test_slow_mode_is_a_wait_as_long_as_the_topic_says(world: DiscourseWorld) -> None:
    draft = await world.adapter.draft(world.http, world.topic)
    await world.adapter.send(world.http, draft, "Ronda 1. Lope ataca con saña.")
    world.forum_topic.slow_s = 120
    with pytest.raises(NotSentError) as refused:
        await world.adapter.send(world.http, draft, "Ronda 2. Lope descansa un rato.")
    assert refused.value.wait_s == 120


async def test_what_is_wrong_with_a_text_is_not_taken_for_slowness(world: DiscourseWorld) -> None:
    draft = await world.adapter.draft(world.http, world.topic)
    world.forum_topic.slow_s = 120
    with pytest.raises(RefusedTextError):
        await world.adapter.send(world.http, draft, "Corto.")


async def test_a_topic_deleted_in_the_meantime_is_gone(world: DiscourseWorld) -> None:
    draft = await world.adapter.draft(world.http, world.topic)
    world.forum_topic.gone = True
    with pytest.raises(GoneError):
        await world.adapter.send(world.http, draft, "Ronda 1. Lope ataca con saña.")


@respx.mock
async def test_whoever_may_not_reply_to_an_open_topic_is_told_so(http: PoliteHttp) -> None:
    respx.post(f"{BASE}/posts.json").respond(422, json={"errors": ["Something has gone wrong."]})
    respx.get(PAGE).respond(json=a_topic([a_post(1)]))
    with pytest.raises(ForbiddenError) as refused:
        await SITE.send(http, Draft(f"{BASE}/posts.json", {"topic_id": 7}, 0.0), "Ronda 1.")
    assert refused.value.facts["said"] == "Something has gone wrong."


async def test_an_old_refusal_is_not_given_again_to_a_new_draft(world: DiscourseWorld) -> None:
    world.forum_topic.slow_s = 30
    world.site.post(world.forum_topic, "arbitro", "El árbitro acaba de hablar.", deleted=True)
    draft = await world.adapter.draft(world.http, world.topic)
    with pytest.raises(NotSentError):
        await world.adapter.send(world.http, draft, "Ronda 1. Lope ataca con saña.")
    await world.http.settle(31)
    # With a key, Discourse answers the same request for two minutes with what it answered before.
    with pytest.raises(NotSentError):
        await world.adapter.send(world.http, draft, "Ronda 1. Lope ataca con saña.")
    draft = await world.adapter.draft(world.http, world.topic)
    assert (await world.adapter.send(world.http, draft, "Ronda 1. Lope ataca con saña.")).post_id


async def test_a_moderated_post_waits_for_approval(world: DiscourseWorld) -> None:
    world.forum_topic.queued = True
    draft = await world.adapter.draft(world.http, world.topic)
    posted = await world.adapter.send(world.http, draft, "Ronda 1. Lope ataca con saña.")
    assert posted.awaits_approval


async def test_a_closed_topic_takes_no_draft_and_no_post(world: DiscourseWorld) -> None:
    draft = await world.adapter.draft(world.http, world.topic)
    world.forum_topic.archived = True
    with pytest.raises(LockedError):
        await world.adapter.draft(world.http, world.topic)
    with pytest.raises(LockedError):
        await world.adapter.send(world.http, draft, "Ronda 1. Lope ataca con saña.")


async def test_only_own_posts_that_are_there_can_be_edited(world: DiscourseWorld) -> None:
    with pytest.raises(GoneError):
        await world.adapter.draft(world.http, world.topic, edits="99999")
    foreign = str(world.forum_topic.posts[0].id)
    with pytest.raises(ForbiddenError):
        await world.adapter.draft(world.http, world.topic, edits=foreign)


async def test_a_poll_without_news_is_one_request(world: DiscourseWorld) -> None:
    for number in range(60):
        await world.post("Lucía", f"Mensaje {number} de la tarde")
    first = await world.adapter.fetch(world.http, world.adapter.thread_url(world.topic))
    assert first is not None
    world.site.requests.clear()
    last = await world.adapter.fetch(world.http, first.last_url)
    assert last is not None
    assert last.next_url == ""
    assert len(world.site.requests) == 1


async def chat(world: DiscourseWorld, count: int) -> list[str]:
    """Let the topic have so many posts; gives their ids."""
    for number in range(1, count):
        await world.post("Lucía", f"Mensaje {number} de la tarde")
    return [str(post.id) for post in world.forum_topic.posts]


async def fetched(world: DiscourseWorld, url: str) -> ThreadPage:
    page = await world.adapter.fetch(world.http, url)
    assert page is not None
    return page


@pytest.mark.parametrize("count", [1, 19, 20, 21, 38, 39, 40, 41, 58, 59, 77, 120])
async def test_the_way_on_and_the_way_back_meet_every_post(
    world: DiscourseWorld, count: int
) -> None:
    ids = await chat(world, count)
    page = first = await fetched(world, world.adapter.thread_url(world.topic))
    onward = [post.id for post in page.posts]
    while page.next_url:
        page = await fetched(world, page.next_url)
        onward += [post.id for post in page.posts]
    assert onward == ids
    page = await fetched(world, first.last_url)
    assert page.next_url == ""
    back = [post.id for post in page.posts]
    while page.previous_url:
        page = await fetched(world, page.previous_url)
        back = [post.id for post in page.posts if post.id not in back] + back
    assert back == ids


async def test_what_was_deleted_shifts_no_page(world: DiscourseWorld) -> None:
    ids = await chat(world, 70)
    first = await fetched(world, world.adapter.thread_url(world.topic))
    third = await fetched(world, (await fetched(world, first.next_url)).next_url)
    for gone in [*ids[3:9], ids[25], ids[38]]:  # the last one is that which the page follows
        await world.delete(gone)
    again = await fetched(world, third.url)
    assert (again.posts, again.digest) == (third.posts, third.digest)


async def test_a_last_page_whose_posts_are_all_deleted_is_gone_not_empty(
    world: DiscourseWorld,
) -> None:
    ids = await chat(world, 45)
    first = await fetched(world, world.adapter.thread_url(world.topic))
    last = await fetched(world, first.last_url)
    for gone in ids[-19:]:
        await world.delete(gone)
    with pytest.raises(GoneError):
        await fetched(world, last.url)
    first = await fetched(world, world.adapter.thread_url(world.topic))
    last = await fetched(world, first.last_url)
    assert last.posts[-1].id == ids[-20]


async def test_a_saved_page_of_later_posts_is_read_like_a_fetched_one(
    world: DiscourseWorld,
) -> None:
    await chat(world, 30)
    first = await fetched(world, world.adapter.thread_url(world.topic))
    page = await fetched(world, first.next_url)
    answer = await world.http.get(page.url)
    assert parse_thread(answer.text, page.url) == replace(page, viewer_id="")


@pytest.mark.parametrize(
    "topic",
    ["7", "/t/7", "/t/7.json", "/t/escena-2/7", "/t/escena/7/12", f"{BASE}/t/escena/7?u=wren#x"],
)
def test_a_topic_is_known_by_id_or_address(topic: str) -> None:
    assert SITE.thread_url(topic) == PAGE


@pytest.mark.parametrize("topic", ["", "escena", "/c/partidas/5", "https://otro.example/t/x/7"])
def test_what_is_no_topic_is_said_to_be_none(topic: str) -> None:
    with pytest.raises(GoneError):
        SITE.thread_url(topic)
