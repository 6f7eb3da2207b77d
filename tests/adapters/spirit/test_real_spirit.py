"""The adapter against a real Spirit on loopback; ``test_spirit.py`` reads captured pages."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from itertools import count

import pytest

from adapters.base import Account, ThreadPage
from adapters.errors import (
    BusyError,
    ForbiddenError,
    GoneError,
    LockedError,
    LoggedOutError,
    NotSentError,
    RefusedTextError,
    UnknownOutcomeError,
)
from adapters.http import Pace, PoliteHttp
from adapters.spirit import Spirit
from tests.forums.live_forum import PASSWORD
from tests.forums.spirit_forum import SpiritForum

_names = count(1)


@dataclass
class Scene:
    """A topic of its own in the shared forum, with its people."""

    forum: SpiritForum
    adapter: Spirit
    http: PoliteHttp
    topic: str
    referee: str
    player: str

    async def read(self, url: str = "") -> ThreadPage:
        page = await self.adapter.fetch(self.http, url or self.adapter.thread_url(self.topic))
        assert page is not None
        return page

    async def post(self, text: str) -> str:
        draft = await self.adapter.draft(self.http, self.topic)
        return (await self.adapter.send(self.http, draft, text)).post_id


def politely() -> PoliteHttp:
    return PoliteHttp(
        contact="tests@example.org", pace=Pace(1000.0), allow_private=frozenset({"127.0.0.1"})
    )


@pytest.fixture
async def scene(spirit_forum: SpiritForum) -> AsyncIterator[Scene]:
    number = next(_names)
    referee = spirit_forum.create_user(f"Árbitro{number}")
    player = spirit_forum.create_user(f"Lucía{number}")
    topic = spirit_forum.create_topic(f"Escena {number}: El molino", player, "La niebla.")
    adapter = Spirit(spirit_forum.base_url, Account(f"Árbitro{number}", PASSWORD))
    async with politely() as http:
        assert await adapter.login(http) == referee
        yield Scene(spirit_forum, adapter, http, topic, referee, player)


async def test_a_login_gives_the_own_user_id_and_a_second_one_uses_the_session(scene):
    assert await scene.adapter.login(scene.http) == scene.referee


async def test_a_wrong_password_is_forbidden_and_shows_nowhere(spirit_forum):
    spirit_forum.create_user("Olvidadizo")
    adapter = Spirit(spirit_forum.base_url, Account("Olvidadizo", "canario secreto"))
    async with politely() as http:
        with pytest.raises(ForbiddenError) as refused:
            await adapter.login(http)
    assert refused.value.cure == "check_password"
    assert "canario" not in f"{refused.value!r}{refused.value}{adapter!r}"


async def test_too_many_logins_are_a_wait_that_spirit_names(spirit_forum):
    spirit_forum.create_user("Insistente")
    adapter = Spirit(spirit_forum.base_url, Account("Insistente", "no es esta"))
    spirit_forum.limit_rates(on=True)
    try:
        async with politely() as http:
            for _attempt in range(5):
                with pytest.raises(ForbiddenError):
                    await adapter.login(http)
            with pytest.raises(BusyError) as refused:
                await adapter.login(http)
    finally:
        spirit_forum.limit_rates(on=False)
    assert refused.value.wait_s == 300


async def test_a_post_is_read_with_its_ids_and_words(scene):
    scene.forum.post_as(scene.player, scene.topic, "> cita\n\n[acción: **ataque**]\n\n    `[x: y]`")
    page = await scene.read()
    assert [post.author_id for post in page.posts] == [scene.player, scene.player]
    last = page.posts[-1]
    assert last.id == scene.forum.posts(scene.topic)[-1]["id"]
    assert last.own_words == "[acción: ataque]"
    assert last.set_aside == "cita\n\n`[x: y]`"
    assert last.edited is False
    assert page.viewer_id == scene.referee
    assert page.locked is False
    assert page.title.startswith("Escena")
    assert (await scene.read(last.url)).posts[-1].id == last.id


async def test_a_post_lands_with_the_id_that_the_forum_gave_it(scene):
    posted = await scene.post("Ronda 1. **Iniciativa**: «Lucía» 12 & <Bandido> 8) \\o/")
    kept = scene.forum.posts(scene.topic)[-1]
    assert posted == kept["id"]
    assert kept["author_id"] == scene.referee
    assert kept["text"] == "Ronda 1. **Iniciativa**: «Lucía» 12 & <Bandido> 8) \\o/"


async def test_a_post_on_the_second_page_is_found_there(scene):
    scene.forum.post_all(scene.player, scene.topic, [f"Relleno {n}." for n in range(20)])
    posted = await scene.post("En la segunda página.")
    page = await scene.read()
    assert page.next_url == page.last_url != page.url
    last = await scene.read(page.next_url)
    assert [post.id for post in last.posts][-1] == posted
    assert last.next_url == ""
    assert last.previous_url == page.url
    assert len(page.posts) + len(last.posts) == 22


async def test_a_draft_sent_again_gives_the_post_that_is_there(scene):
    draft = await scene.adapter.draft(scene.http, scene.topic)
    first = await scene.adapter.send(scene.http, draft, "Una sola vez.")
    scene.forum.post_as(scene.player, scene.topic, "Otro habla entretanto.")
    again = await scene.adapter.send(scene.http, draft, "Una sola vez.")
    assert again.post_id == first.post_id
    texts = [post["text"] for post in scene.forum.posts(scene.topic)]
    assert texts.count("Una sola vez.") == 1


async def test_the_same_text_from_a_new_draft_is_a_new_post(scene):
    assert await scene.post("Pasan los minutos.") != await scene.post("Pasan los minutos.")


async def test_a_swallowed_post_that_is_nowhere_to_be_seen_is_an_unknown_outcome(scene):
    draft = await scene.adapter.draft(scene.http, scene.topic)
    twin = await scene.adapter.send(scene.http, draft, "Desaparecerá.")
    scene.forum.remove(twin.post_id)
    with pytest.raises(UnknownOutcomeError):
        await scene.adapter.send(scene.http, draft, "Desaparecerá.")


async def test_an_own_post_is_edited_in_place(scene):
    posted = await scene.post("Faltan: Lucía, Tomás.")
    draft = await scene.adapter.draft(scene.http, scene.topic, edits=posted)
    assert (await scene.adapter.send(scene.http, draft, "Falta: Tomás.")).post_id == posted
    assert (await scene.adapter.send(scene.http, draft, "Falta: Tomás.")).post_id == posted
    last = (await scene.read()).posts[-1]
    assert (last.id, last.own_words, last.edited) == (posted, "Falta: Tomás.", True)


async def test_a_closed_topic_is_locked_for_drafts_and_for_drafts_made_before(scene):
    draft = await scene.adapter.draft(scene.http, scene.topic)
    scene.forum.close_topic(scene.topic)
    assert (await scene.read()).locked is True
    with pytest.raises(LockedError):
        await scene.adapter.draft(scene.http, scene.topic)
    with pytest.raises(LockedError):
        await scene.adapter.send(scene.http, draft, "Demasiado tarde.")
    scene.forum.open_topic(scene.topic)
    assert await scene.post("A tiempo otra vez.")


async def test_a_page_with_nothing_but_a_note_of_closing_holds_that_note_without_words(scene):
    scene.forum.post_all(scene.player, scene.topic, [f"Relleno {n}." for n in range(19)])
    scene.forum.close_topic(scene.topic)
    page = await scene.read()
    (note,) = (await scene.read(page.next_url)).posts
    assert (note.author_id, note.own_words, note.set_aside) == (scene.player, "", "")


async def test_a_removed_post_is_gone_and_its_neighbours_keep_their_ids(scene):
    kept = [post["id"] for post in scene.forum.posts(scene.topic)]
    gone = scene.forum.post_as(scene.player, scene.topic, "[acción: ataque]")
    kept.append(scene.forum.post_as(scene.player, scene.topic, "[acción: huida]"))
    scene.forum.remove(gone)
    assert [post.id for post in (await scene.read()).posts] == kept


async def test_a_removed_post_that_a_moderator_can_see_does_not_count(scene):
    moderator = scene.forum.create_user(f"Moderadora{scene.topic}", moderator=True)
    gone = scene.forum.post_as(scene.player, scene.topic, "[acción: ataque]")
    scene.forum.remove(gone)
    adapter = Spirit(scene.forum.base_url, Account(f"Moderadora{scene.topic}", PASSWORD))
    async with politely() as http:
        assert await adapter.login(http) == moderator
        page = await adapter.fetch(http, adapter.thread_url(scene.topic))
    assert page is not None
    assert gone not in {post.id for post in page.posts}


async def test_a_topic_that_was_renamed_keeps_the_page_that_was_asked_for(scene):
    scene.forum.post_all(scene.player, scene.topic, [f"Relleno {n}." for n in range(25)])
    second = await scene.read((await scene.read()).next_url)
    old_slug = second.url.replace("escena", "escenario")
    assert await scene.read(old_slug) == second


async def test_a_topic_is_found_by_its_id_and_by_any_address_of_it(scene):
    page = await scene.read()
    for topic in (scene.topic, page.url, f"{page.url}?page=2#c21"):
        assert await scene.read(scene.adapter.thread_url(topic)) == page
    with pytest.raises(GoneError):
        scene.adapter.thread_url("una dirección cualquiera")


async def test_a_topic_or_page_that_is_not_there_is_gone(scene):
    with pytest.raises(GoneError):
        await scene.read(scene.adapter.thread_url("999999"))
    with pytest.raises(GoneError):
        await scene.adapter.draft(scene.http, "999999")
    with pytest.raises(GoneError):
        await scene.read(f"{(await scene.read()).url}?page=9")
    with pytest.raises(GoneError):
        await scene.adapter.draft(scene.http, scene.topic, edits="999999")
    foreign = scene.forum.posts(scene.topic)[0]["id"]
    with pytest.raises(GoneError):
        await scene.adapter.draft(scene.http, scene.topic, edits=foreign)
    scene.forum.delete_topic(scene.topic)
    with pytest.raises(GoneError):
        await scene.read()


async def test_a_dead_session_is_noticed_on_reading_drafting_and_sending(scene):
    draft = await scene.adapter.draft(scene.http, scene.topic)
    scene.forum.end_sessions()
    with pytest.raises(LoggedOutError):
        await scene.read()
    with pytest.raises(LoggedOutError):
        await scene.adapter.draft(scene.http, scene.topic)
    with pytest.raises(LoggedOutError):
        await scene.adapter.send(scene.http, draft, "¿Hay alguien?")
    assert await scene.adapter.login(scene.http) == scene.referee
    # Logging in draws new tokens, so a form from before is refused for certain.
    with pytest.raises(NotSentError):
        await scene.adapter.send(scene.http, draft, "¿Hay alguien?")
    assert await scene.post("Hay alguien.")
    assert len(scene.forum.posts(scene.topic)) == 2


async def test_a_broken_token_is_a_definite_refusal(scene):
    draft = await scene.adapter.draft(scene.http, scene.topic)
    broken = replace(draft, fields={**draft.fields, "csrfmiddlewaretoken": "x" * 64})
    with pytest.raises(NotSentError):
        await scene.adapter.send(scene.http, broken, "Con sello falso.")
    assert len(scene.forum.posts(scene.topic)) == 1


@pytest.mark.parametrize("text", ["", "   \n ", "a" * 3001])
async def test_a_text_that_the_forum_does_not_take_is_refused_with_its_reason(scene, text):
    draft = await scene.adapter.draft(scene.http, scene.topic)
    with pytest.raises(RefusedTextError) as refused:
        await scene.adapter.send(scene.http, draft, text)
    assert re.search("required|3000", str(refused.value.facts["said"]))
    assert len(scene.forum.posts(scene.topic)) == 1


async def test_the_longest_post_is_as_long_as_the_adapter_says(scene):
    assert await scene.post("ñ" * scene.adapter.capabilities.max_post_chars)


async def test_a_flood_limit_is_a_definite_refusal_with_its_wait(scene):
    scene.forum.limit_rates(on=True)
    try:
        assert await scene.post("La primera pasa.")
        draft = await scene.adapter.draft(scene.http, scene.topic)
        with pytest.raises(NotSentError) as refused:
            await scene.adapter.send(scene.http, draft, "La segunda no.")
    finally:
        scene.forum.limit_rates(on=False)
    assert refused.value.wait_s == 10
    assert len(scene.forum.posts(scene.topic)) == 2


async def test_a_page_without_news_is_not_read_twice(scene):
    first = await scene.read()
    assert await scene.read() is first
    scene.forum.edit_as(first.posts[0].id, "La niebla se levanta.")
    later = await scene.read()
    assert later.digest != first.digest
    assert later.posts[0].own_words == "La niebla se levanta."


async def test_an_edit_cannot_be_hidden_in_what_looks_like_the_forums_own_tokens(scene):
    disguise = 'name="csrfmiddlewaretoken" value="{0}" csrfToken: "{0}" <li title="x">{0}</li>'
    post = scene.forum.post_as(scene.player, scene.topic, disguise.format("[acción: huida]"))
    first = await scene.read()
    scene.forum.edit_as(post, disguise.format("[acción: ataque]"))
    later = await scene.read()
    assert later.digest != first.digest
    assert later.posts[-1].own_words == disguise.format("[acción: ataque]")


async def test_tokens_do_not_show_in_what_is_logged(scene):
    draft = await scene.adapter.draft(scene.http, scene.topic)
    assert draft.fields["csrfmiddlewaretoken"] not in repr(draft)
    assert draft.fields["comment_hash"] not in repr(draft)
