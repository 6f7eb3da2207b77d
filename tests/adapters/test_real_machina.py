"""The adapter against a real django-machina; ``test_machina_captures.py`` reads captured pages."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import count

import pytest

from adapters.base import Account, Draft, Post, ThreadPage
from adapters.errors import (
    ForbiddenError,
    GoneError,
    LockedError,
    LoggedOutError,
    RefusedTextError,
    UnknownOutcomeError,
)
from adapters.http import Pace, PoliteHttp
from adapters.machina import Machina, parse_thread
from tests.adapters.worlds import CannedHttp
from tests.forums.live_forum import PASSWORD
from tests.forums.machina_forum import MachinaForum

_names = count(1)
PER_PAGE = 15


@dataclass
class Scene:
    """A topic of its own in the shared forum, with its people."""

    forum: MachinaForum
    adapter: Machina
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

    async def edit(self, post: str, text: str) -> str:
        draft = await self.adapter.draft(self.http, self.topic, edits=post)
        return (await self.adapter.send(self.http, draft, text)).post_id

    async def own(self, post: str, url: str) -> Post:
        """The post, on the page that an address leads to."""
        return next(one for one in (await self.read(url)).posts if one.id == post)

    def texts(self) -> list[str]:
        return [post["text"] for post in self.forum.posts(self.topic)]


def politely() -> PoliteHttp:
    return PoliteHttp(
        contact="tests@example.org", pace=Pace(1000.0), allow_private=frozenset({"127.0.0.1"})
    )


@pytest.fixture
async def scene(machina_forum: MachinaForum) -> AsyncIterator[Scene]:
    number = next(_names)
    referee = machina_forum.create_user(f"Árbitro{number}")
    player = machina_forum.create_user(f"Lucía{number}")
    topic = machina_forum.create_topic(f"Escena {number}: El molino", player, "La niebla.")
    adapter = Machina(machina_forum.board_url, Account(f"Árbitro{number}", PASSWORD))
    async with politely() as http:
        assert await adapter.login(http) == referee
        yield Scene(machina_forum, adapter, http, topic, referee, player)


async def test_a_login_is_found_wherever_the_site_has_it_and_used_again(scene: Scene) -> None:
    assert "/cuenta/entrar/" in scene.forum.login_url
    assert await scene.adapter.login(scene.http) == scene.referee


async def test_a_wrong_password_is_forbidden_and_shows_nowhere(machina_forum: MachinaForum) -> None:
    machina_forum.create_user("Olvidadizo")
    adapter = Machina(machina_forum.board_url, Account("Olvidadizo", "canario secreto"))
    async with politely() as http:
        with pytest.raises(ForbiddenError) as refused:
            await adapter.login(http)
    assert refused.value.cure == "check_password"
    assert "canario" not in f"{refused.value!r}{refused.value}{adapter!r}"


async def test_an_address_without_a_forum_is_said_to_be_wrong(machina_forum: MachinaForum) -> None:
    adapter = Machina(machina_forum.base_url, Account("Olvidadizo", PASSWORD))
    async with politely() as http:
        with pytest.raises(GoneError) as refused:
            await adapter.login(http)
    assert refused.value.cure == "mend_address"


async def test_a_signature_is_nobodys_words(scene: Scene) -> None:
    scene.forum.sign(scene.player, "[acción: ataque | objetivo: Firma]")
    scene.forum.post_as(scene.player, scene.topic, "[acción: parada]")
    assert [post.own_words for post in (await scene.read()).posts] == [
        "La niebla.",
        "[acción: parada]",
    ]


async def test_a_post_is_found_by_its_address_on_another_page(scene: Scene) -> None:
    scene.forum.post_all(scene.player, scene.topic, [f"Relleno {n}." for n in range(PER_PAGE + 3)])
    draft = await scene.adapter.draft(scene.http, scene.topic)
    posted = await scene.adapter.send(scene.http, draft, "Ronda 1. ref-bcdfghjk")
    scene.forum.post_all(scene.player, scene.topic, [f"Más {n}." for n in range(PER_PAGE)])
    found = await scene.own(posted.post_id, posted.url)
    assert (found.own_words, found.author_id) == ("Ronda 1. ref-bcdfghjk", scene.referee)
    assert found.url == posted.url
    page = await scene.read(posted.url)
    assert page.url.endswith("?page=2")
    assert page.next_url.endswith("?page=3")
    assert page.last_url == page.next_url


async def test_a_long_topic_says_where_it_ends_whatever_its_list_of_pages_leaves_out(
    scene: Scene,
) -> None:
    scene.forum.post_all(scene.player, scene.topic, [f"Relleno {n}." for n in range(8 * PER_PAGE)])
    seen, url = [], ""
    while url or not seen:
        page = await scene.read(url)
        assert page.last_url.endswith("?page=9")
        seen.extend(post.id for post in page.posts)
        url = page.next_url
    assert seen == [post["id"] for post in scene.forum.posts(scene.topic)]


async def test_an_own_post_on_another_page_is_edited_in_place(scene: Scene) -> None:
    posted = await scene.post("Faltan: Lucía, Tomás.")
    scene.forum.post_all(scene.player, scene.topic, [f"Relleno {n}." for n in range(2 * PER_PAGE)])
    assert await scene.edit(posted, "Falta: Tomás.") == posted
    found = await scene.own(posted, "")
    assert (found.own_words, found.edited) == ("Falta: Tomás.", True)
    assert scene.texts().count("Falta: Tomás.") == 1


async def test_an_opening_post_is_edited_like_any_other(scene: Scene) -> None:
    scene.topic = scene.forum.create_topic("Del árbitro", scene.referee, "Abro yo.")
    head = (await scene.read()).posts[0].id
    assert await scene.edit(head, "Abro yo, y edito.") == head
    assert scene.texts() == ["Abro yo, y edito."]
    assert (await scene.read()).title == "Del árbitro"


async def test_a_post_that_awaits_approval_says_so_and_is_read_once_it_has_it(scene: Scene) -> None:
    scene.forum.forbid(scene.referee, "can_post_without_approval")
    draft = await scene.adapter.draft(scene.http, scene.topic)
    posted = await scene.adapter.send(scene.http, draft, "¿Me dejan?")
    assert posted.awaits_approval
    assert [post.own_words for post in (await scene.read()).posts] == ["La niebla."]
    scene.forum.approve(posted.post_id)
    assert (await scene.read()).posts[-1].id == posted.post_id


async def test_a_topic_is_the_same_by_id_by_old_address_and_after_a_move(scene: Scene) -> None:
    first = await scene.read()
    scene.forum.rename_topic(scene.topic, "Otro nombre")
    scene.forum.move_topic(scene.topic)
    scene.forum.forbid(scene.referee, "can_reply_to_topics")  # where it was, not where it is
    moved = await scene.read()
    assert moved.url != first.url
    assert "otro-nombre" in moved.url
    for topic in (scene.topic, first.url, f"{moved.url}?page=1#7"):
        assert await scene.post(f"Desde {topic}", topic)
    assert len(scene.texts()) == 4


async def test_a_locked_topic_takes_neither_replies_nor_edits(scene: Scene) -> None:
    posted = await scene.post("Estado.")
    reply = await scene.adapter.draft(scene.http, scene.topic)
    change = await scene.adapter.draft(scene.http, scene.topic, edits=posted)
    scene.forum.close_topic(scene.topic)
    assert (await scene.read()).locked is True
    for draft in (reply, change):
        with pytest.raises(LockedError):
            await scene.adapter.send(scene.http, draft, "Demasiado tarde.")
    with pytest.raises(LockedError):
        await scene.adapter.draft(scene.http, scene.topic, edits=posted)
    scene.forum.open_topic(scene.topic)
    assert await scene.post("A tiempo otra vez.")


async def test_an_edit_of_a_post_that_is_gone_says_so(scene: Scene) -> None:
    posted = await scene.post("Estado.")
    draft = await scene.adapter.draft(scene.http, scene.topic, edits=posted)
    scene.forum.remove(posted)
    with pytest.raises(GoneError) as early:
        await scene.adapter.draft(scene.http, scene.topic, edits=posted)
    with pytest.raises(GoneError) as late:
        await scene.adapter.send(scene.http, draft, "Ya no está.")
    assert (early.value.cure, late.value.cure) == ("post_is_gone", "post_is_gone")


async def test_somebody_elses_post_cannot_be_edited(scene: Scene) -> None:
    theirs = scene.forum.post_as(scene.player, scene.topic, "Mío.")
    with pytest.raises(ForbiddenError):
        await scene.adapter.draft(scene.http, scene.topic, edits=theirs)


async def test_guests_read_what_guests_may_and_post_nothing(scene: Scene) -> None:
    guest = Machina(scene.forum.board_url)
    async with politely() as http:
        page = await guest.fetch(http, guest.thread_url(scene.topic))
        assert page is not None
        assert (page.viewer_id, page.locked) == ("guest", None)
        with pytest.raises(ForbiddenError):
            await guest.draft(http, scene.topic)
        with pytest.raises(ForbiddenError):
            await guest.login(http)


async def test_pages_in_spanish_are_read_the_same(scene: Scene) -> None:
    scene.forum.post_all(scene.player, scene.topic, [f"Relleno {n}." for n in range(PER_PAGE)])
    posted = await scene.post("Editado.")
    await scene.edit(posted, "Editado ya.")
    url = f"{scene.forum.topic_url(scene.topic)}?page=2"
    spanish, english = [
        (await scene.http.get(url, headers={"accept-language": language})).text
        for language in ("es", "en")
    ]
    assert '<html lang="es"' in spanish
    assert parse_thread(spanish, url) == parse_thread(english, url)


async def test_what_a_lost_page_was_about_is_known_by_its_address() -> None:
    adapter = Machina("http://forum.test", Account("Wren", "clave"))
    topic = "http://forum.test/forum/f-2/topic/t-1/"
    draft = Draft(f"{topic}post/create/", {"csrfmiddlewaretoken": "t" * 64}, 0.0)
    lost = UnknownOutcomeError(f"{topic}?post=31#31", cure="read_back")
    assert (await adapter.send(CannedHttp([lost]), draft, "¡A mí!")).post_id == "31"
    nowhere = UnknownOutcomeError(f"{topic}post/create/", cure="read_back")
    with pytest.raises(UnknownOutcomeError):
        await adapter.send(CannedHttp([nowhere]), draft, "¡A mí!")


@pytest.mark.parametrize(
    ("topic", "url"),
    [
        ("7", "http://forum.test/foro/forum/f-1/topic/t-7/"),
        ("/forum/x-2/topic/y-7/?page=3#41", "http://forum.test/foro/forum/x-2/topic/y-7/"),
        (
            "http://forum.test/foro/forum/x-2/topic/y-7/",
            "http://forum.test/foro/forum/x-2/topic/y-7/",
        ),
    ],
)
def test_a_topic_is_known_by_id_or_address(topic: str, url: str) -> None:
    assert Machina("http://forum.test/foro/").thread_url(topic) == url


@pytest.mark.parametrize(
    "topic",
    ["", "molino", "/forum/x-2/", "٣", "9" * 30, "http://otro.test/forum/x-2/topic/y-7/"],
)
def test_what_is_no_topic_is_said_to_be_none(topic: str) -> None:
    with pytest.raises(GoneError):
        Machina("http://forum.test").thread_url(topic)


async def test_a_text_of_nothing_is_refused_in_the_forums_own_words(scene: Scene) -> None:
    draft = await scene.adapter.draft(scene.http, scene.topic)
    with pytest.raises(RefusedTextError) as refused:
        await scene.adapter.send(scene.http, draft, " ")
    assert refused.value.facts["said"]


async def test_a_session_that_dies_between_the_page_and_the_form_is_noticed(scene: Scene) -> None:
    page = await scene.http.get(scene.adapter.thread_url(scene.topic))
    async with politely() as stranger:
        login = await stranger.get(f"{scene.forum.board_url}/member/subscriptions/")
    with pytest.raises(LoggedOutError):
        await scene.adapter.draft(CannedHttp([page, login]), scene.topic)
