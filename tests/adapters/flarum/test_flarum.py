"""What is peculiar to Flarum; the contract tests cover what all platforms share."""

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from adapters.base import Account, Answer, Draft
from adapters.errors import (
    ForbiddenError,
    GoneError,
    LayoutChangedError,
    LockedError,
    LoggedOutError,
    NotSentError,
    RefusedTextError,
    UnknownOutcomeError,
)
from adapters.flarum import Flarum, parse_thread, read_outcome
from tests.adapters.worlds import SECRET, CannedHttp, FlarumWorld, Trouble, flarum_world
from tests.forums.fake_flarum import LONGEST

BASE = "https://foro.example"
SITE = Flarum(BASE, Account("arbitro", SECRET, is_key=True))
PAGE = SITE.thread_url("7")
REPORT = "Ronda 1. Lope ataca con saña."
FIRST = json.loads(Path(__file__).with_name("posts-first-page.json").read_text(encoding="utf-8"))


@pytest.fixture
async def world(request: pytest.FixtureRequest) -> AsyncIterator[FlarumWorld]:
    async with flarum_world(request) as opened:
        await opened.adapter.login(opened.http)
        yield opened


@pytest.fixture
async def members(request: pytest.FixtureRequest) -> AsyncIterator[FlarumWorld]:
    """A forum where the referee has a password and no token."""
    async with flarum_world(request, is_key=False) as opened:
        await opened.adapter.login(opened.http)
        yield opened


async def reply(world: FlarumWorld, text: str = REPORT) -> str:
    draft = await world.adapter.draft(world.http, world.topic)
    return (await world.adapter.send(world.http, draft, text)).post_id


def copy() -> Any:
    return json.loads(json.dumps(FIRST))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.pop("data"),
        lambda data: data.update(data=[]),
        lambda data: data.update(data=[3]),
        lambda data: data["data"][0].pop("id"),
        lambda data: data["data"][0].pop("attributes"),
        lambda data: data["data"][0]["attributes"].pop("contentType"),
        lambda data: data["data"][0]["attributes"].pop("contentHtml"),
        lambda data: data["data"][0].pop("relationships"),
        lambda data: data["data"][0].update(relationships={}),
        lambda data: data["data"][0]["relationships"].update(user={"data": {"type": "users"}}),
    ],
    ids=[
        "posts", "no posts", "numbers", "id", "attributes", "kind", "words", "relations",
        "no relations", "author",
    ],
)  # fmt: skip
def test_a_page_that_lacks_what_is_mandatory_has_changed(spoil: Callable[[Any], Any]) -> None:
    data = copy()
    spoil(data)
    with pytest.raises(LayoutChangedError):
        parse_thread(json.dumps(data), PAGE)


def test_a_page_of_events_alone_does_not_look_empty() -> None:
    data = copy()
    data["data"] = [post for post in data["data"] if post["id"] in {"105", "106"}]
    read = parse_thread(json.dumps(data), PAGE)
    assert [(post.id, post.own_words) for post in read.posts] == [("105", ""), ("106", "")]


def test_a_discussion_that_tells_its_lock_is_believed() -> None:
    data = copy()
    data["included"][-1]["attributes"]["isLocked"] = True
    assert parse_thread(json.dumps(data), PAGE).locked is True


async def test_events_hidden_and_unapproved_posts_do_not_count(world: FlarumWorld) -> None:
    site, topic = world.site, world.forum_topic
    site.post(topic, "Narradora", "", kind="discussionLocked")
    mine = site.post(topic, "Árbitro", "[acción: x]", approved=False)
    hidden = site.post(topic, "Árbitro", "[acción: y]", hidden=True)
    site.post(topic, "Lucía", "Aquí sigo.")
    page = await world.adapter.fetch(world.http, world.adapter.thread_url(world.topic))
    assert page is not None
    assert [post.own_words for post in page.posts] == ["Escena: el molino.", "Aquí sigo."]
    assert not {str(mine.id), str(hidden.id)} & {post.id for post in page.posts}


@pytest.mark.parametrize("count", [20, 21, 29, 30, 31, 39, 40, 41, 59, 60, 61, 199, 200])
async def test_the_last_page_is_found_from_the_first(world: FlarumWorld, count: int) -> None:
    for number in range(1, count):
        await world.post("Lucía", f"Mensaje {number} de la tarde")
    first = await world.adapter.fetch(world.http, world.adapter.thread_url(world.topic))
    assert first is not None
    last = await world.adapter.fetch(world.http, first.last_url or first.next_url)
    assert last is not None
    assert last.next_url == ""
    assert last.posts[-1].own_words == f"Mensaje {count - 1} de la tarde"


async def test_too_soon_is_a_wait_though_the_forum_does_not_say_how_long(
    world: FlarumWorld,
) -> None:
    await reply(world)
    with pytest.raises(NotSentError) as refused:
        await reply(world)
    assert (refused.value.cure, refused.value.wait_s) == ("flood", 10)
    await world.http.settle(10)
    await reply(world)


async def test_a_new_members_post_waits_for_approval(world: FlarumWorld) -> None:
    world.site.users[-1].needs_approval = True
    draft = await world.adapter.draft(world.http, world.topic)
    posted = await world.adapter.send(world.http, draft, REPORT)
    assert posted.post_id
    assert posted.awaits_approval


async def test_a_text_beyond_all_limits_is_refused_and_the_default_stays_below(
    world: FlarumWorld,
) -> None:
    draft = await world.adapter.draft(world.http, world.topic)
    with pytest.raises(RefusedTextError) as refused:
        await world.adapter.send(world.http, draft, "a" * (LONGEST + 1))
    assert "65535" in str(refused.value.facts["said"])
    assert world.adapter.capabilities.max_post_chars < LONGEST


async def test_only_own_posts_that_are_there_can_be_edited(world: FlarumWorld) -> None:
    foreign = str(world.forum_topic.posts[0].id)
    own = await reply(world)
    for post, error in (("99999", GoneError), (foreign, ForbiddenError)):
        with pytest.raises(error):
            await world.adapter.draft(world.http, world.topic, edits=post)
    draft = await world.adapter.draft(world.http, world.topic, edits=own)
    # Many forums let nobody edit once somebody has answered.
    world.site.users[-1].may_edit = False
    with pytest.raises(ForbiddenError):
        await world.adapter.send(world.http, draft, REPORT)
    with pytest.raises(ForbiddenError):
        await world.adapter.draft(world.http, world.topic, edits=own)
    await world.delete(own)
    with pytest.raises(GoneError):
        await world.adapter.draft(world.http, world.topic, edits=own)


async def test_a_token_that_nobody_has_is_noticed_before_it_posts(world: FlarumWorld) -> None:
    await world.trouble(Trouble.BAD_PASSWORD)
    with pytest.raises(LoggedOutError):
        await world.adapter.draft(world.http, world.topic)
    with pytest.raises(ForbiddenError) as refused:
        await world.adapter.login(world.http)
    assert refused.value.cure == "check_key"


async def test_what_only_members_may_see_needs_a_login_and_is_not_gone(world: FlarumWorld) -> None:
    world.forum_topic.members_only = True
    url = world.adapter.thread_url(world.topic)
    assert await world.adapter.fetch(world.http, url) is not None
    await world.trouble(Trouble.BAD_PASSWORD)
    with pytest.raises(LoggedOutError):
        await world.adapter.fetch(world.http, url)
    guest = Flarum(url.partition("/api")[0])
    with pytest.raises(GoneError):
        await guest.fetch(world.http, url)


async def test_without_an_account_it_reads_what_guests_may_read(world: FlarumWorld) -> None:
    guest = Flarum(world.adapter.thread_url("1").partition("/api")[0])
    page = await guest.fetch(world.http, guest.thread_url(world.topic))
    assert page is not None
    assert page.viewer_id == "guest"
    with pytest.raises(ForbiddenError):
        await guest.login(world.http)
    with pytest.raises(ForbiddenError):
        await guest.draft(world.http, world.topic)


async def test_a_password_opens_a_session_that_lasts(members: FlarumWorld) -> None:
    members.site.requests.clear()
    referee = await members.adapter.login(members.http)
    assert members.site.requests == ["GET /api"]
    own = await reply(members)
    draft = await members.adapter.draft(members.http, members.topic, edits=own)
    assert (await members.adapter.send(members.http, draft, REPORT)).post_id == own
    page = await members.adapter.fetch(members.http, members.adapter.thread_url(members.topic))
    assert page is not None
    assert (page.viewer_id, page.posts[-1].author_id) == (referee, referee)


async def test_a_session_that_dies_in_the_middle_is_noticed_and_a_login_mends_it(
    members: FlarumWorld,
) -> None:
    draft = await members.adapter.draft(members.http, members.topic)
    members.site.end_sessions()
    with pytest.raises(LoggedOutError):
        await members.adapter.send(members.http, draft, REPORT)
    with pytest.raises(LoggedOutError):
        await members.adapter.draft(members.http, members.topic)
    await members.adapter.login(members.http)
    await reply(members)
    assert len(await members.standing()) == 2


async def test_a_wrong_password_opens_nothing(members: FlarumWorld) -> None:
    members.site.end_sessions()
    members.site.users[-1].password = "otra"
    with pytest.raises(ForbiddenError) as refused:
        await members.adapter.login(members.http)
    assert refused.value.cure == "check_password"
    assert SECRET not in repr(refused.value)


async def test_a_key_of_the_whole_site_names_the_account() -> None:
    site = Flarum(BASE, Account("arbitro", SECRET, is_key=True), user_id="5")
    forum = {"data": {"relationships": {"actor": {"data": {"type": "users", "id": "5"}}}}}
    http = KeepingHttp([Answer(f"{BASE}/api", 200, json.dumps(forum))])
    assert await site.login(http) == "5"
    assert http.headers[0]["authorization"] == f"Token {SECRET}; userId=5"


class KeepingHttp(CannedHttp):
    """Keeps the headers of what was asked."""

    def __init__(self, answers: list[Answer]) -> None:
        super().__init__(answers)
        self.headers: list[Any] = []

    async def get(self, url: str, *, headers: Any = None, conditional: bool = False) -> Answer:
        self.headers.append(headers)
        return await super().get(url, headers=headers, conditional=conditional)


async def test_a_locked_discussion_is_told_from_a_missing_permission(world: FlarumWorld) -> None:
    draft = await world.adapter.draft(world.http, world.topic)
    world.forum_topic.locked = True
    with pytest.raises(LockedError):
        await world.adapter.send(world.http, draft, REPORT)
    with pytest.raises(LockedError):
        await world.adapter.draft(world.http, world.topic)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"data": {}}', '{"data": {"id": "13", "attributes": {}}}', "<html>"]
)
def test_an_answer_that_proves_nothing_is_an_unknown_outcome(text: str) -> None:
    with pytest.raises(UnknownOutcomeError):
        read_outcome(Answer(PAGE, 200, text), Draft("", {}, 0.0, "12"))


@pytest.mark.parametrize(
    "topic",
    ["7", "/d/7", "/d/7-escena-2/12", f"{BASE}/d/7-escena?sort=x", PAGE, "/api/discussions/7"],
)
def test_a_topic_is_known_by_id_or_address(topic: str) -> None:
    assert SITE.thread_url(topic) == PAGE


@pytest.mark.parametrize("topic", ["", "escena", "/t/partidas", "https://otro.example/d/7-x"])
def test_what_is_no_topic_is_said_to_be_none(topic: str) -> None:
    with pytest.raises(GoneError):
        SITE.thread_url(topic)
