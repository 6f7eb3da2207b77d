"""What is peculiar to XenForo; the contract tests cover what all platforms share."""

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
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
from adapters.xenforo import XenForo, parse_thread, read_outcome
from tests.adapters.worlds import SECRET, Trouble, XenForoWorld, xenforo_world

BASE = "https://foro.example/comunidad"
SITE = XenForo(BASE, Account("arbitro", SECRET, is_key=True))
PAGE = f"{BASE}/api/threads/7/?with_posts=1"
REPORT = "Ronda 1. Lope ataca con saña."
FIRST = Path(__file__).with_name("thread-first-page.json").read_text(encoding="utf-8")


@pytest.fixture
async def world(request: pytest.FixtureRequest) -> AsyncIterator[XenForoWorld]:
    async with xenforo_world(request) as opened:
        await opened.adapter.login(opened.http)
        yield opened


async def reply(world: XenForoWorld, text: str = REPORT) -> str:
    draft = await world.adapter.draft(world.http, world.topic)
    return (await world.adapter.send(world.http, draft, text)).post_id


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.pop("thread"),
        lambda data: data.pop("posts"),
        lambda data: data.update(posts=[]),
        lambda data: data.update(posts=[None]),
        lambda data: data.pop("pagination"),
        lambda data: data["pagination"].update(current_page=2),
        lambda data: data["posts"][0].pop("post_id"),
        lambda data: data["posts"][0].pop("user_id"),
        lambda data: data["posts"][0].pop("message_parsed"),
        lambda data: data["posts"][0].pop("message_state"),
        lambda data: data["posts"].reverse(),
    ],
    ids=[
        "thread", "posts", "no posts", "null", "paging", "another page", "id", "author", "words",
        "state", "sorted by votes",
    ],
)  # fmt: skip
def test_a_page_that_is_not_what_was_asked_for_has_changed(spoil: Callable[[Any], Any]) -> None:
    data = json.loads(FIRST)
    spoil(data)
    with pytest.raises(LayoutChangedError):
        parse_thread(json.dumps(data), PAGE)


@pytest.mark.parametrize(
    "state", [{"discussion_state": "deleted"}, {"discussion_type": "redirect"}]
)
def test_a_thread_that_was_deleted_or_moved_away_is_gone(state: dict[str, str]) -> None:
    data = json.loads(FIRST)
    data["thread"] |= state
    with pytest.raises(GoneError):
        parse_thread(json.dumps(data), PAGE)


def test_a_page_of_deleted_posts_alone_does_not_look_empty() -> None:
    data = json.loads(FIRST)
    data["posts"] = [post for post in data["posts"] if post["message_state"] != "visible"]
    read = parse_thread(json.dumps(data), PAGE)
    assert [(post.id, post.own_words) for post in read.posts] == [("106", ""), ("107", "")]


async def test_posts_that_wait_or_were_deleted_do_not_count(world: XenForoWorld) -> None:
    world.site.post(world.forum_topic, "Árbitro", "[acción: x]", "moderated")
    await world.post("Lucía", "Aquí sigo.")
    page = await world.adapter.fetch(world.http, world.adapter.thread_url(world.topic))
    assert page is not None
    assert [post.own_words for post in page.posts] == ["Escena: el molino.", "Aquí sigo."]


async def test_flood_control_is_a_wait_as_long_as_it_says(world: XenForoWorld) -> None:
    await reply(world)
    await world.http.settle(5)
    with pytest.raises(NotSentError) as refused:
        await reply(world)
    assert refused.value.wait_s == 10


async def test_a_moderated_post_waits_for_approval(world: XenForoWorld) -> None:
    world.site.users[-1].moderated = True
    draft = await world.adapter.draft(world.http, world.topic)
    assert (await world.adapter.send(world.http, draft, REPORT)).awaits_approval


async def test_who_is_banned_from_replying_is_told_so_and_not_that_it_is_closed(
    world: XenForoWorld,
) -> None:
    draft = await world.adapter.draft(world.http, world.topic)
    world.forum_topic.repliable = False
    for attempt in (
        lambda: world.adapter.send(world.http, draft, REPORT),
        lambda: world.adapter.draft(world.http, world.topic),
    ):
        with pytest.raises(ForbiddenError):
            await attempt()
    world.forum_topic.open = False
    with pytest.raises(LockedError):
        await world.adapter.send(world.http, draft, REPORT)


async def test_only_own_posts_that_are_there_can_be_edited(world: XenForoWorld) -> None:
    foreign = str(world.forum_topic.posts[0].id)
    own = await reply(world)
    for post, error in (("99999", GoneError), (foreign, ForbiddenError)):
        with pytest.raises(error):
            await world.adapter.draft(world.http, world.topic, edits=post)
    draft = await world.adapter.draft(world.http, world.topic, edits=own)
    await world.delete(own)
    with pytest.raises(GoneError):
        await world.adapter.send(world.http, draft, REPORT)


async def test_a_key_that_was_withdrawn_is_noticed(world: XenForoWorld) -> None:
    await world.trouble(Trouble.BAD_PASSWORD)
    with pytest.raises(LoggedOutError):
        await world.adapter.fetch(world.http, world.adapter.thread_url(world.topic))
    with pytest.raises(LoggedOutError):
        await world.adapter.draft(world.http, world.topic)
    with pytest.raises(ForbiddenError) as refused:
        await world.adapter.login(world.http)
    assert refused.value.cure == "check_key"


async def test_a_super_users_key_stands_for_the_account_that_the_config_names(
    world: XenForoWorld,
) -> None:
    world.site.super_key = "super"
    base = world.adapter.thread_url("7").partition("/api")[0]
    key = Account("Árbitro", "super", is_key=True)
    url = world.adapter.thread_url(world.topic)
    assert await XenForo(base, key, user_id="4").login(world.http) == "4"
    # Without a user it reads as a guest, and nobody would know it from the page.
    with pytest.raises(ForbiddenError):
        await XenForo(base, key).login(world.http)
    with pytest.raises(LoggedOutError):
        await XenForo(base, key).fetch(world.http, url)
    with pytest.raises(LoggedOutError):
        await XenForo(base, key).draft(world.http, world.topic)


async def test_without_a_key_nothing_can_be_read(world: XenForoWorld) -> None:
    guest = XenForo(BASE)
    for attempt in (
        lambda: guest.fetch(world.http, PAGE),
        lambda: guest.login(world.http),
        lambda: guest.draft(world.http, "7"),
    ):
        with pytest.raises(ForbiddenError) as refused:
            await attempt()
        assert refused.value.cure == "no_account"


@pytest.mark.parametrize(
    ("status", "code", "message", "error", "wait_s"),
    [
        (400, "must_wait_x_seconds", "Espera 2 min", NotSentError, 120),
        (400, "flood", "Sin cifra", NotSentError, None),
        (404, "requested_thread_not_found", "No está", GoneError, None),
        (403, "permission_denied", "No", ForbiddenError, None),
        (413, "too_long", "Largo", RefusedTextError, None),
        (402, "pay", "Paga", LayoutChangedError, None),
    ],
)
def test_a_refusal_is_known_by_its_code(
    status: int, code: str, message: str, error: type[AdapterError], wait_s: float | None
) -> None:
    body = json.dumps({"errors": [{"code": code, "message": message, "params": []}]})
    with pytest.raises(error) as refused:
        read_outcome(Answer(PAGE, status, body), Draft(PAGE, {}, 0.0))
    assert refused.value.wait_s == wait_s


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"post": {}}', '{"post": {"post_id": 13}}', "<"])
def test_an_answer_that_proves_nothing_is_an_unknown_outcome(text: str) -> None:
    with pytest.raises(UnknownOutcomeError):
        read_outcome(Answer(PAGE, 200, text), Draft("", {}, 0.0, "12"))


@pytest.mark.parametrize(
    "topic",
    [
        "7",
        "/threads/7/",
        "/threads/escena-2.7/",
        f"{BASE}/threads/escena.7/page-3#post-12",
        f"{BASE}/index.php?threads/escena.7/",
        PAGE,
    ],
)
def test_a_topic_is_known_by_id_or_address(topic: str) -> None:
    assert SITE.thread_url(topic) == PAGE


@pytest.mark.parametrize("topic", ["", "escena", "/forums/x.7/", "https://otro.example/threads/7/"])
def test_what_is_no_topic_is_said_to_be_none(topic: str) -> None:
    with pytest.raises(GoneError):
        SITE.thread_url(topic)
