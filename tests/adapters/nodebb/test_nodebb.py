"""What is peculiar to NodeBB; the contract tests cover what all platforms share."""

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from adapters.base import Account, Answer, Draft
from adapters.errors import (
    AdapterError,
    ForbiddenError,
    GoneError,
    LayoutChangedError,
    LockedError,
    LoggedOutError,
    NotSentError,
    RefusedTextError,
    UnknownOutcomeError,
)
from adapters.nodebb import NodeBB, parse_thread, read_outcome
from tests.adapters.worlds import (
    SECRET,
    CannedHttp,
    NodeBBWorld,
    Trouble,
    nodebb_world,
)

BASE = "https://foro.example"
SITE = NodeBB(BASE, Account("Árbitro", SECRET, is_key=True))
PAGE = f"{BASE}/api/topic/7?sort=oldest_to_newest"
REPORT = "Ronda 1. Lope ataca con saña."


@pytest.fixture
async def world(request: pytest.FixtureRequest) -> AsyncIterator[NodeBBWorld]:
    async with nodebb_world(request) as opened:
        await opened.adapter.login(opened.http)
        yield opened


@pytest.fixture
async def members(request: pytest.FixtureRequest) -> AsyncIterator[NodeBBWorld]:
    """A forum where the referee has a password and no token."""
    async with nodebb_world(request, is_key=False) as opened:
        await opened.adapter.login(opened.http)
        yield opened


def a_post(number: int, **more: Any) -> dict[str, Any]:
    return {
        "pid": number,
        "uid": 3,
        "user": {"uid": 3, "username": "lucia", "displayname": "Luc&iacute;a"},
        "content": f"<p>Mensaje {number}</p>",
        "timestamp": 1_795_998_068_579,
        "edited": 0,
        "deleted": 0,
    } | more


def a_topic(posts: list[Any], **more: Any) -> dict[str, Any]:
    return {
        "tid": 7,
        "title": "Lope &amp; Ximena",
        "locked": 0,
        "posts": posts,
        "privileges": {"uid": 5, "topics:reply": True},
        "pagination": {"currentPage": 1, "pageCount": 1},
    } | more


def read(data: Any, url: str = PAGE) -> Any:
    return parse_thread(json.dumps(data), url)


async def reply(world: NodeBBWorld, text: str = REPORT) -> str:
    draft = await world.adapter.draft(world.http, world.topic)
    return (await world.adapter.send(world.http, draft, text)).post_id


def test_names_and_titles_are_as_people_wrote_them() -> None:
    page = read(a_topic([a_post(1)]))
    assert (page.title, page.posts[0].author_name) == ("Lope & Ximena", "Lucía")
    assert read(a_topic([a_post(1)], titleRaw="3 < 5 &amp; 7")).title == "3 < 5 &amp; 7"


def test_deleted_posts_do_not_count_though_their_stubs_stand() -> None:
    stub = a_post(2, deleted=1, content="[[topic:post-is-deleted]]")
    assert [post.id for post in read(a_topic([a_post(1), stub])).posts] == ["1"]
    (only,) = read(a_topic([a_post(2, deleted=1, content="<p>[acción: x]</p>")])).posts
    assert (only.id, only.own_words, only.set_aside) == ("2", "", "")


def test_guests_and_people_of_other_servers_are_told_apart() -> None:
    far = "https://otro.example/notes/1"
    posts = [a_post(1, uid=0), a_post(2, pid=far, uid="https://otro.example/users/1")]
    first, second = read(a_topic(posts)).posts
    assert first.author_id == "guest"
    assert (second.id, second.author_id, second.url) == (far, "https://otro.example/users/1", far)
    (odd,) = read(a_topic([a_post(1, pid="javascript:alert(1)")])).posts
    assert odd.url == ""


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.pop("posts"),
        lambda data: data.update(posts=[]),
        lambda data: data.update(posts=[None]),
        lambda data: data.pop("pagination"),
        lambda data: data["pagination"].pop("pageCount"),
        lambda data: data["posts"][0].pop("pid"),
        lambda data: data["posts"][0].pop("uid"),
        lambda data: data["posts"][0].pop("content"),
    ],
    ids=["no posts", "none", "null", "no paging", "no count", "id", "author", "words"],
)
def test_a_topic_that_lacks_what_is_mandatory_has_changed(spoil: Callable[[Any], Any]) -> None:
    data = a_topic([a_post(1)])
    spoil(data)
    with pytest.raises(LayoutChangedError):
        read(data)


def test_a_topic_that_only_moderators_still_see_is_gone() -> None:
    with pytest.raises(GoneError):
        read(a_topic([a_post(1)], deleted=1))


def test_an_account_that_is_sent_elsewhere_is_banned_or_the_topic_is_gone() -> None:
    with pytest.raises(ForbiddenError):
        read("/?banned=now")
    with pytest.raises(GoneError):
        read("/topic/7/otro/3")


def test_no_token_of_the_page_gets_into_what_was_read() -> None:
    page = read(a_topic([a_post(1)], rssFeedUrl="/topic/7.rss?uid=5&token=canario"))
    assert "canario" not in repr(page)


async def test_a_token_that_nobody_has_reads_as_a_guest_and_is_noticed(world: NodeBBWorld) -> None:
    await world.trouble(Trouble.BAD_PASSWORD)
    with pytest.raises(LoggedOutError):
        await world.adapter.fetch(world.http, world.adapter.thread_url(world.topic))
    with pytest.raises(LoggedOutError):
        await world.adapter.draft(world.http, world.topic)
    with pytest.raises(ForbiddenError) as refused:
        await world.adapter.login(world.http)
    assert refused.value.cure == "check_key"


async def test_without_an_account_it_reads_what_guests_may_read(world: NodeBBWorld) -> None:
    guest = NodeBB(world.adapter.thread_url("1").partition("/api")[0])
    url = guest.thread_url(world.topic)
    page = await guest.fetch(world.http, url)
    assert page is not None
    assert page.viewer_id == "guest"
    world.forum_topic.readable = False
    with pytest.raises(ForbiddenError):
        await guest.fetch(world.http, url)
    with pytest.raises(ForbiddenError):
        await guest.login(world.http)
    with pytest.raises(ForbiddenError):
        await guest.draft(world.http, world.topic)


async def test_flood_control_is_a_wait_as_long_as_it_says(world: NodeBBWorld) -> None:
    await reply(world)
    with pytest.raises(NotSentError) as sentence:
        await reply(world)
    world.site.installed.clear()
    world.site.post_delay_s = 45.0
    with pytest.raises(NotSentError) as key:
        await reply(world)
    assert (sentence.value.wait_s, key.value.wait_s) == (10, 45)


@pytest.mark.parametrize(
    ("said", "error", "wait_s"),
    [
        ("error:too-many-posts-newbie-minutes, 2, 3", NotSentError, 120),
        (
            "As a new user, you can only post once every 2 minute(s) until you have 3 reputation",
            NotSentError,
            120,
        ),
        ("error:user-too-new, 10", NotSentError, 10),
        ("Sorry, you are required to wait 10 second(s) before", NotSentError, 10),
        ("You have been muted, you will be able to post in 3 hour(s)", ForbiddenError, None),
        ("You are only allowed to edit posts for 5 minute(s) after", ForbiddenError, None),
        ("You need 3 reputation to post links", ForbiddenError, None),
        ("error:post-deleted", GoneError, None),
        ("This topic has been deleted.", GoneError, None),
        ("Topic locked", LockedError, None),
        ("error:content-too-long, 32767", RefusedTextError, None),
        ("Etwas ganz anderes", RefusedTextError, None),
    ],
)
def test_a_refusal_is_known_by_its_sentence_or_its_key(
    said: str, error: type[AdapterError], wait_s: float | None
) -> None:
    body = json.dumps({"status": {"code": "bad-request", "message": said}, "response": {}})
    with pytest.raises(error) as refused:
        read_outcome(Answer(PAGE, 400, body), Draft(PAGE, {}, 0.0))
    assert refused.value.wait_s == wait_s
    assert refused.value.facts["said"] == said


async def test_a_new_members_post_waits_for_approval(world: NodeBBWorld) -> None:
    world.site.users[-1].queued = True
    draft = await world.adapter.draft(world.http, world.topic)
    posted = await world.adapter.send(world.http, draft, REPORT)
    assert (posted.post_id, posted.awaits_approval) == ("", True)


async def test_only_own_posts_that_are_there_can_be_edited(world: NodeBBWorld) -> None:
    with pytest.raises(GoneError):
        await world.adapter.draft(world.http, world.topic, edits="99999")
    foreign = str(world.forum_topic.posts[0].pid)
    draft = await world.adapter.draft(world.http, world.topic, edits=foreign)
    with pytest.raises(ForbiddenError):
        await world.adapter.send(world.http, draft, REPORT)
    own = await reply(world)
    draft = await world.adapter.draft(world.http, world.topic, edits=own)
    await world.delete(own)
    with pytest.raises(GoneError):
        await world.adapter.send(world.http, draft, REPORT)
    with pytest.raises(GoneError):
        await world.adapter.draft(world.http, world.topic, edits=own)


async def test_a_topic_that_was_deleted_takes_no_reply(world: NodeBBWorld) -> None:
    draft = await world.adapter.draft(world.http, world.topic)
    world.forum_topic.deleted = True
    with pytest.raises(GoneError):
        await world.adapter.send(world.http, draft, REPORT)
    with pytest.raises(ForbiddenError):  # it says no more to whoever may not see it
        await world.adapter.draft(world.http, world.topic)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"response": {}}', '{"response": {"pid": 13}}', "<html>"]
)
def test_an_answer_that_proves_nothing_is_an_unknown_outcome(text: str) -> None:
    with pytest.raises(UnknownOutcomeError):
        read_outcome(Answer(PAGE, 200, text), Draft("", {}, 0.0, "12"))


async def test_a_password_opens_a_session_that_lasts(members: NodeBBWorld) -> None:
    members.site.requests.clear()
    referee = await members.adapter.login(members.http)
    assert members.site.requests == ["GET /api/self"]
    assert (await members.adapter.fetch(
        members.http, members.adapter.thread_url(members.topic)
    )).viewer_id == referee  # fmt: skip
    own = await reply(members)
    draft = await members.adapter.draft(members.http, members.topic, edits=own)
    assert (await members.adapter.send(members.http, draft, REPORT)).post_id == own


async def test_a_session_that_dies_in_the_middle_is_noticed_and_a_login_mends_it(
    members: NodeBBWorld,
) -> None:
    draft = await members.adapter.draft(members.http, members.topic)
    members.site.end_sessions()
    with pytest.raises(NotSentError):
        await members.adapter.send(members.http, draft, REPORT)
    with pytest.raises(LoggedOutError):
        await members.adapter.fetch(members.http, members.adapter.thread_url(members.topic))
    with pytest.raises(LoggedOutError):
        await members.adapter.draft(members.http, members.topic)
    await members.adapter.login(members.http)
    await reply(members)
    assert len(await members.standing()) == 2


async def test_a_wrong_password_opens_nothing(members: NodeBBWorld) -> None:
    members.site.end_sessions()
    members.site.users[-1].password = "otra"
    with pytest.raises(ForbiddenError) as refused:
        await members.adapter.login(members.http)
    assert refused.value.cure == "check_password"
    assert SECRET not in repr(refused.value)


@pytest.mark.parametrize(
    "topic",
    ["7", "/topic/7", "/topic/7/escena/12", f"{BASE}/topic/7/escena?page=2", "/api/topic/7"],
)
def test_a_topic_is_known_by_id_or_address(topic: str) -> None:
    assert SITE.thread_url(topic) == PAGE


@pytest.mark.parametrize("topic", ["", "escena", "/category/5", "https://otro.example/topic/7"])
def test_what_is_no_topic_is_said_to_be_none(topic: str) -> None:
    with pytest.raises(GoneError):
        SITE.thread_url(topic)


async def test_no_request_is_made_without_need() -> None:
    http = CannedHttp([Answer(PAGE, 200, json.dumps(a_topic([a_post(1)])))])
    await SITE.fetch(http, PAGE)
    assert http.asked == [("GET", PAGE, {})]
