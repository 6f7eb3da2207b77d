"""The adapter against a real Misago; ``test_misago.py`` has what a board rarely does."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from itertools import count

import pytest

from adapters.base import Account, ThreadPage, page_of
from adapters.errors import (
    ForbiddenError,
    GoneError,
    LockedError,
    LoggedOutError,
    NotSentError,
    RefusedTextError,
)
from adapters.http import Manners, PoliteHttp
from adapters.misago import Misago
from referee.narration.dialects import ZERO_WIDTH
from referee.narration.narrator import Narrator
from referee.narration.stories import Receipt, Trouble
from tests.adapters.worlds import HandClock, loopback_http
from tests.forums.live_forum import PASSWORD
from tests.forums.misago_forum import MisagoForum
from tests.narration.telling import MARK, STATUS, sources

_names = count(1)


@dataclass
class Scene:
    """A thread of its own in the shared forum, with its people."""

    forum: MisagoForum
    name: str
    adapter: Misago
    http: PoliteHttp
    topic: str
    referee: str
    player: str

    async def read(self, url: str = "") -> ThreadPage:
        page = await self.adapter.fetch(self.http, url or self.adapter.thread_url(self.topic))
        assert page is not None
        return page

    async def post(self, text: str, topic: str = "") -> str:
        draft = await self.adapter.draft(self.http, topic or self.topic)
        return (await self.adapter.send(self.http, draft, text)).post_id


def politely() -> PoliteHttp:
    return loopback_http(HandClock())


@pytest.fixture
async def scene(misago_forum: MisagoForum) -> AsyncIterator[Scene]:
    number = next(_names)
    referee = misago_forum.create_user(f"Juez{number}")
    player = misago_forum.create_user(f"Jugona{number}")
    topic = misago_forum.create_topic(f"Escena {number}: El molino", player, "La niebla.")
    adapter = Misago(misago_forum.base_url, Account(f"Juez{number}", PASSWORD))
    async with politely() as http:
        assert await adapter.login(http) == referee
        yield Scene(misago_forum, f"Juez{number}", adapter, http, topic, referee, player)


async def test_a_second_login_uses_the_session(scene: Scene) -> None:
    assert await scene.adapter.login(scene.http) == scene.referee


async def test_a_wrong_password_is_forbidden_and_shows_nowhere(misago_forum: MisagoForum) -> None:
    misago_forum.create_user("Olvidadizo")
    adapter = Misago(misago_forum.base_url, Account("Olvidadizo", "canario secreto"))
    async with politely() as http:
        with pytest.raises(ForbiddenError) as refused:
            await adapter.login(http)
    assert refused.value.cure == "check_password"
    assert "canario" not in f"{refused.value!r}{refused.value}{adapter!r}"


async def test_a_post_is_read_with_its_ids_and_words(scene: Scene) -> None:
    scene.forum.post_as(scene.player, scene.topic, "> cita\n\n[acción: **ataque**]\n\n    `[x: y]`")
    page = await scene.read()
    assert [post.author_id for post in page.posts] == [scene.player, scene.player]
    last = page.posts[-1]
    assert last.id == scene.forum.posts(scene.topic)[-1]["id"]
    assert (last.own_words, last.set_aside) == ("[acción: ataque]", "cita\n\n`[x: y]`")
    assert (last.edited, page.locked) == (False, False)
    assert (page.viewer_id, page.title[:6]) == (scene.referee, "Escena")


async def test_an_own_post_is_found_again_on_the_page_that_its_address_leads_to(
    scene: Scene,
) -> None:
    scene.forum.post_all(scene.player, scene.topic, [f"Relleno {n}." for n in range(30)])
    posted = await scene.post("En la segunda página. ref-bcdfghjk")
    first = await scene.read()
    last = await scene.read(first.last_url)
    assert posted == last.posts[-1].id
    by_address = await scene.read(last.posts[-1].url)
    assert (by_address.url, by_address.posts) == (last.url, last.posts)
    assert [post.id for post in (*first.posts, *last.posts)] == [
        post["id"] for post in scene.forum.posts(scene.topic)
    ]


async def test_what_players_type_opens_and_ends_no_block_in_our_posts(scene: Scene) -> None:
    words = "[acción: x | a: [/spoiler] [quote]b[/quote] [code]c[/code] [spoiler]d]"
    trouble = Trouble("unknown_action", words, {"given": "x"}, cure=words)
    story = replace(STATUS, receipts=(Receipt("Lope", (words,)),), troubles=(trouble,))
    narrator = Narrator(sources("es"), "es", scene.adapter.capabilities)
    await scene.post(narrator.status(story, MARK))
    html = scene.forum.posts(scene.topic)[-1]["html"]
    assert (html.count("quote-block"), html.count("spoiler-block")) == (0, 1)
    assert "[/spoiler]</p>" not in html
    last = (await scene.read()).posts[-1]
    assert MARK in last.own_words
    assert f"{last.own_words}\n{last.set_aside}".replace(ZERO_WIDTH, "").count(words) == 3


async def test_a_page_past_the_end_is_gone(scene: Scene) -> None:
    with pytest.raises(GoneError):
        await scene.read(f"{scene.adapter.thread_url(scene.topic)}?page=9")


async def test_a_thread_is_found_by_its_id_and_by_any_address_of_it(scene: Scene) -> None:
    page = await scene.read()
    people = scene.forum.topic_url(scene.topic)
    for topic in (scene.topic, page.url, people, f"{people}2/#post-7", page.posts[0].url):
        assert await scene.read(scene.adapter.thread_url(topic)) == page
    # Whoever verifies a thread pastes what the browser shows.
    seen = await scene.read(people)
    assert (seen.url, seen.posts, seen.viewer_id) == (page.url, page.posts, scene.referee)
    with pytest.raises(GoneError):
        scene.adapter.thread_url("una dirección cualquiera")


async def test_a_guest_reads_the_thread(scene: Scene) -> None:
    async with politely() as http:
        for url in (scene.adapter.thread_url(scene.topic), scene.forum.topic_url(scene.topic)):
            page = await Misago(scene.forum.base_url).fetch(http, url)
            assert page is not None
            assert page.viewer_id == "guest"
            assert page.posts == (await scene.read()).posts


async def test_the_robots_txt_that_misago_brings_closes_no_thread(scene: Scene) -> None:
    """It closes the interface to those who gather pages; the thread's own page stays open."""
    polite = Manners(requests_per_s=10_000, robots=True)
    local = frozenset({"127.0.0.1"})
    async with PoliteHttp(contact="x", manners=polite, allow_private=local) as http:
        await http.permit(page_of(scene.adapter, scene.topic))
        private = f"{scene.forum.base_url}/p/x/1/"
        await http.permit(page_of(scene.adapter, private))
        for closed in (scene.adapter.thread_url(scene.topic), private):
            with pytest.raises(ForbiddenError):
                await http.permit(closed)


async def test_a_poll_without_news_is_one_request(scene: Scene) -> None:
    asked: list[str] = []

    class Counting(PoliteHttp):
        async def get(self, url: str, **options: object) -> object:  # type: ignore[override] # counts only
            asked.append(url)
            return await scene.http.get(url, **options)  # type: ignore[arg-type] # handed on

    url = scene.adapter.thread_url(scene.topic)
    await scene.adapter.fetch(Counting(contact="x"), url)
    assert asked == [url]


async def test_events_are_skipped_and_a_closed_thread_takes_no_reply(scene: Scene) -> None:
    draft = await scene.adapter.draft(scene.http, scene.topic)
    own = await scene.post("Ronda 1 de la noche.")
    scene.forum.close_topic(scene.topic)
    page = await scene.read()
    assert page.locked is True
    assert [post.id for post in page.posts][1:] == [own]
    for attempt in (
        lambda: scene.adapter.draft(scene.http, scene.topic),
        lambda: scene.adapter.draft(scene.http, scene.topic, edits=own),
        lambda: scene.adapter.send(scene.http, draft, "Demasiado tarde."),
    ):
        with pytest.raises(LockedError):
            await attempt()
    scene.forum.open_topic(scene.topic)
    assert await scene.post("A tiempo otra vez.")


async def test_a_thread_that_was_renamed_and_moved_is_the_same_thread(scene: Scene) -> None:
    old = (await scene.read()).posts[0].url
    scene.forum.rename_topic(scene.topic, "Otro molino, otra noche")
    scene.forum.move_topic(scene.topic)
    page = await scene.read(scene.adapter.thread_url(old))
    assert page.title == "Otro molino, otra noche"
    posted = await scene.post("Seguimos aquí.")
    assert [post.id for post in (await scene.read()).posts][-1] == posted


async def test_a_thread_that_became_part_of_another_is_gone(scene: Scene) -> None:
    draft = await scene.adapter.draft(scene.http, scene.topic)
    other = scene.forum.create_topic("La posada del camino", scene.player, "Otra escena.")
    scene.forum.merge_topic(scene.topic, into=other)
    for attempt in (
        scene.read,
        lambda: scene.adapter.draft(scene.http, scene.topic),
        lambda: scene.adapter.send(scene.http, draft, "¿Dónde estoy?"),
    ):
        with pytest.raises(GoneError):
            await attempt()
    assert len((await scene.read(scene.adapter.thread_url(other))).posts) == 2


async def test_hidden_and_deleted_posts_are_gone_and_their_neighbours_keep_their_ids(
    scene: Scene,
) -> None:
    ids = scene.forum.post_all(scene.player, scene.topic, [f"Relleno {n}." for n in range(4)])
    scene.forum.hide(ids[0])
    scene.forum.remove(ids[2])
    assert [post.id for post in (await scene.read()).posts][1:] == [ids[1], ids[3]]


async def test_a_hidden_post_that_a_moderator_can_see_does_not_count(scene: Scene) -> None:
    moderator = scene.forum.create_user(f"Mod{scene.topic}", moderator=True)
    gone = scene.forum.post_as(scene.player, scene.topic, "[acción: ataque]")
    scene.forum.hide(gone)
    adapter = Misago(scene.forum.base_url, Account(f"Mod{scene.topic}", PASSWORD))
    async with politely() as http:
        assert await adapter.login(http) == moderator
        page = await adapter.fetch(http, adapter.thread_url(scene.topic))
    assert page is not None
    assert gone not in {post.id for post in page.posts}


async def test_who_has_deleted_the_account_keeps_the_posts_as_a_guest(scene: Scene) -> None:
    leaver = scene.forum.create_user(f"Fugaz{scene.topic}")
    post = scene.forum.post_as(leaver, scene.topic, "[acción: parada]")
    scene.forum.close_account(post)
    last = (await scene.read()).posts[-1]
    assert (last.id, last.author_id) == (post, "guest")
    assert last.own_words == "[acción: parada]"


async def test_a_reply_that_waits_for_approval_says_so_and_is_seen_by_us_alone(
    scene: Scene,
) -> None:
    scene.forum.ask_approval(on=True)
    try:
        draft = await scene.adapter.draft(scene.http, scene.topic)
        posted = await scene.adapter.send(scene.http, draft, "Ronda 1. ref-bcdfghjk")
        players = scene.forum.post_as(scene.player, scene.topic, "[acción: ataque]")
    finally:
        scene.forum.ask_approval(on=False)
    assert posted.awaits_approval
    assert [post.id for post in (await scene.read()).posts][1:] == [posted.post_id]
    # Who reads with a session from before knows all the same whose post it is.
    restarted = Misago(scene.forum.base_url, Account(scene.name, PASSWORD))
    page = await restarted.fetch(scene.http, restarted.thread_url(scene.topic))
    assert page is not None
    assert page.posts[-1].id == posted.post_id
    scene.forum.approve(players)
    assert [post.id for post in (await scene.read()).posts][1:] == [posted.post_id, players]


async def test_an_own_post_is_edited_in_place_and_anothers_is_not(scene: Scene) -> None:
    posted = await scene.post("Faltan: Lucía, Tomás.")
    draft = await scene.adapter.draft(scene.http, scene.topic, edits=posted)
    for _time in range(2):
        assert (await scene.adapter.send(scene.http, draft, "Falta: Tomás.")).post_id == posted
    last = (await scene.read()).posts[-1]
    assert (last.id, last.own_words, last.edited) == (posted, "Falta: Tomás.", True)
    foreign = scene.forum.posts(scene.topic)[0]["id"]
    with pytest.raises(ForbiddenError):
        await scene.adapter.draft(scene.http, scene.topic, edits=foreign)
    with pytest.raises(GoneError):
        await scene.adapter.draft(scene.http, scene.topic, edits="999999")
    scene.forum.remove(posted)
    with pytest.raises(GoneError):
        await scene.adapter.send(scene.http, draft, "Ya no falta nadie.")


async def test_a_dead_session_is_noticed_on_reading_drafting_and_sending(scene: Scene) -> None:
    draft = await scene.adapter.draft(scene.http, scene.topic)
    scene.forum.end_sessions()
    with pytest.raises(LoggedOutError):
        await scene.read()
    with pytest.raises(LoggedOutError):
        await scene.adapter.draft(scene.http, scene.topic)
    with pytest.raises(LoggedOutError):
        await scene.adapter.send(scene.http, draft, "¿Hay alguien?")
    assert await scene.adapter.login(scene.http) == scene.referee
    # Logging in draws a new token, so a form from before is refused for certain.
    with pytest.raises(NotSentError):
        await scene.adapter.send(scene.http, draft, "¿Hay alguien?")
    assert await scene.post("Hay alguien.")
    assert len(scene.forum.posts(scene.topic)) == 2


async def test_a_broken_token_is_a_definite_refusal(scene: Scene) -> None:
    draft = await scene.adapter.draft(scene.http, scene.topic)
    broken = replace(draft, fields={"csrfmiddlewaretoken": "x" * 64})
    with pytest.raises(NotSentError):
        await scene.adapter.send(scene.http, broken, "Con sello falso.")
    assert len(scene.forum.posts(scene.topic)) == 1


@pytest.mark.parametrize("text", ["", "   \n ", "ñ", "ñandú " * 10_001])
async def test_a_text_that_the_forum_does_not_take_is_refused_with_its_reason(
    scene: Scene, text: str
) -> None:
    draft = await scene.adapter.draft(scene.http, scene.topic)
    with pytest.raises(RefusedTextError) as refused:
        await scene.adapter.send(scene.http, draft, text)
    assert refused.value.facts["said"]
    assert len(scene.forum.posts(scene.topic)) == 1


async def test_the_longest_post_is_as_long_as_the_adapter_says(scene: Scene) -> None:
    assert await scene.post(("ñandú " * 20_000)[: scene.adapter.capabilities.max_post_chars])


async def test_a_flood_limit_is_a_definite_refusal_with_its_wait(scene: Scene) -> None:
    scene.forum.limit_rates(on=True)
    try:
        posted = await scene.post("La primera pasa.")
        draft = await scene.adapter.draft(scene.http, scene.topic)
        with pytest.raises(NotSentError) as refused:
            await scene.adapter.send(scene.http, draft, "La segunda no.")
        # An edit is no post.
        edit = await scene.adapter.draft(scene.http, scene.topic, edits=posted)
        assert await scene.adapter.send(scene.http, edit, "La primera, corregida.")
    finally:
        scene.forum.limit_rates(on=False)
    assert (refused.value.cure, refused.value.wait_s) == ("flood", 3)
    assert len(scene.forum.posts(scene.topic)) == 2


async def test_a_private_thread_is_read_and_answered_like_any_other(scene: Scene) -> None:
    path = scene.forum.create_private("Un secreto", scene.player, [scene.referee], "Traiciono.")
    topic = f"{scene.forum.base_url}{path}"
    posted = await scene.post("Entendido.", topic)
    page = await scene.read(scene.adapter.thread_url(topic))
    assert [post.author_id for post in page.posts] == [scene.player, scene.referee]
    assert page.posts[-1].id == posted
    async with politely() as http:
        with pytest.raises(ForbiddenError):
            await Misago(scene.forum.base_url).fetch(http, page.url)
    scene.forum.end_sessions()
    with pytest.raises(LoggedOutError):
        await scene.read(page.url)


async def test_letters_are_the_last_words_of_others_in_the_newest_private_threads(
    scene: Scene,
) -> None:
    for number in range(4):
        path = scene.forum.create_private(
            f"Secreto {number}", scene.player, [scene.referee], f"Traiciono a {number}."
        )
    topic = f"{scene.forum.base_url}{path}"
    for number in range(25):
        await scene.post(f"Respuesta {number} del árbitro.", topic)
    letters = await scene.adapter.letters(scene.http, {scene.player})
    # The newest of them has grown a second page since, on which nobody else has spoken.
    assert [(one.title, one.post.own_words) for one in letters] == [
        ("Secreto 2", "Traiciono a 2."),
    ]
    assert await scene.adapter.letters(scene.http, {"999999"}) == ()
    assert all(one.post.posted_at is not None for one in letters)


async def test_an_account_without_leave_for_private_threads_is_told_so(scene: Scene) -> None:
    scene.forum.forbid_private(on=True)
    try:
        with pytest.raises(ForbiddenError):
            await scene.adapter.letters(scene.http, {scene.player})
    finally:
        scene.forum.forbid_private(on=False)


async def test_tokens_do_not_show_in_what_is_logged(scene: Scene) -> None:
    draft = await scene.adapter.draft(scene.http, scene.topic)
    assert draft.fields["csrfmiddlewaretoken"] not in repr(draft)
