"""Private messages on sites with a JSON interface: what the contract does not ask of every one."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from adapters.base import Account
from adapters.discourse import Discourse
from adapters.errors import ForbiddenError, LoggedOutError
from adapters.http import PoliteHttp
from adapters.nodebb import NodeBB
from adapters.xenforo import XenForo
from tests.adapters.worlds import SECRET, HandClock, loopback_http
from tests.forums.fake_discourse import FakeDiscourse
from tests.forums.fake_nodebb import FakeNodeBB
from tests.forums.fake_xenforo import FakeXenForo
from tests.forums.json_site import JsonSite


@asynccontextmanager
async def served(
    make: Callable[[Callable[[], float]], JsonSite],
) -> AsyncIterator[tuple[JsonSite, str, PoliteHttp]]:
    clock = HandClock()
    site = make(clock.now)
    with site.serving() as url:
        async with loopback_http(clock) as http:
            yield site, url, http


@asynccontextmanager
async def discourse() -> AsyncIterator[tuple[FakeDiscourse, Discourse, PoliteHttp]]:
    async with served(FakeDiscourse) as (site, url, http):
        assert isinstance(site, FakeDiscourse)
        for name in ("Lucía", "Tomás"):
            site.add_user(name)
        site.add_user("arbitro", SECRET)
        yield site, Discourse(url, Account("arbitro", SECRET)), http


@asynccontextmanager
async def nodebb() -> AsyncIterator[tuple[FakeNodeBB, NodeBB, PoliteHttp]]:
    async with served(FakeNodeBB) as (site, url, http):
        assert isinstance(site, FakeNodeBB)
        for name in ("Lucía", "Tomás"):
            site.add_user(name)
        site.add_user("Árbitro", SECRET)
        yield site, NodeBB(url, Account("Árbitro", SECRET, is_key=True)), http


async def test_the_end_of_a_long_private_topic_is_read_and_its_title_kept() -> None:
    async with discourse() as (site, adapter, http):
        opening = site.write_letter("Lucía", "arbitro", "Un secreto", "Empiezo yo.")
        topic = next(topic for topic in site.topics.values() if opening in topic.posts)
        for number in range(45):
            site.post(topic, "arbitro", f"Respuesta {number} del árbitro.")
        newest = site.post(topic, "Lucía", "Por la espalda.")
        letters = await adapter.letters(http, {"1"})
    assert [(one.title, one.post.id) for one in letters] == [("Un secreto", str(newest.id))]
    assert letters[0].post.posted_at is not None


async def test_nothing_is_asked_of_private_topics_with_others() -> None:
    async with discourse() as (site, adapter, http):
        await adapter.login(http)
        site.write_letter("Tomás", "arbitro", "Otra cosa", "Hola.")
        site.requests.clear()
        assert await adapter.letters(http, {"1"}) == ()
        assert site.requests == ["GET /topics/private-messages/arbitro.json"]


async def test_a_key_that_is_nobodys_any_more_is_told() -> None:
    async with discourse() as (site, adapter, http):
        site.users[-1].key = "otra"
        with pytest.raises(ForbiddenError):
            await adapter.letters(http, {"1"})


async def test_of_chats_only_what_others_say_in_private_and_let_stand_counts() -> None:
    async with nodebb() as (site, adapter, http):
        public = site.add_room("Lucía", "Árbitro", name="Plaza", public=True)
        site.write_letter(public, "Lucía", "A la vista de todos.")
        room = site.add_room("Lucía", "Tomás", "Árbitro", name="La mesa & más")
        site.write_letter(room, "Tomás", "Espero.")
        stands = site.write_letter(room, "Lucía", "Por la espalda.")
        taken_back = site.write_letter(room, "Lucía", "Mejor no.")
        taken_back.deleted = True
        site.write_letter(room, "Árbitro", "Entendido.")
        letters = await adapter.letters(http, {"1"})
        assert site.requests == ["GET /api/v3/chats", "GET /api/v3/chats/2/messages"]
    by_lucia = [one for one in letters if one.post.author_id == "1"]
    assert [(one.title, one.post.id) for one in by_lucia] == [("La mesa & más", str(stands.pid))]
    assert {one.post.author_id for one in letters} == {"1", "2"}
    assert all(one.post.posted_at is not None for one in letters)


async def test_an_account_that_may_not_chat_and_a_dead_token_are_told_apart() -> None:
    async with nodebb() as (site, adapter, http):
        site.users[-1].chats = False
        with pytest.raises(ForbiddenError):
            await adapter.letters(http, {"1"})
        site.users[-1].token = "otro"
        with pytest.raises(LoggedOutError):
            await adapter.letters(http, {"1"})


@asynccontextmanager
async def xenforo() -> AsyncIterator[tuple[FakeXenForo, XenForo, PoliteHttp]]:
    async with served(FakeXenForo) as (site, url, http):
        assert isinstance(site, FakeXenForo)
        for name in ("Lucía", "Tomás"):
            site.add_user(name)
        site.add_user("Árbitro", SECRET)
        yield site, XenForo(url, Account("Árbitro", SECRET, is_key=True)), http


async def test_the_newest_conversations_come_first_in_whatever_order_they_are_listed() -> None:
    async with xenforo() as (site, adapter, http):
        talks = [site.add_talk(f"Asunto {number}", "Lucía", "Árbitro") for number in range(3)]
        other = site.add_talk("Otro", "Tomás", "Árbitro")
        for talk in (*talks, other):
            site.write_letter(talk, talk.starter.name, f"Sobre el {talk.title}.")
        for number in range(25):
            site.write_letter(talks[0], "Árbitro", f"Respuesta {number}.")
        newest = site.write_letter(talks[0], "Lucía", "Por la espalda.")
        letters = await adapter.letters(http, {"1"})
        assert site.requests == [
            "GET /api/conversations/",
            "GET /api/conversations/1/messages",
            "GET /api/conversations/1/messages",
            "GET /api/conversations/3/messages",
        ]
    assert [one.title for one in letters] == ["Asunto 2", "Asunto 0"]
    assert letters[-1].post.id == str(newest.id)
    assert letters[-1].post.posted_at is not None


async def test_a_key_without_the_scope_of_conversations_is_told() -> None:
    async with xenforo() as (site, adapter, http):
        site.users[-1].converses = False
        with pytest.raises(ForbiddenError):
            await adapter.letters(http, {"1"})
