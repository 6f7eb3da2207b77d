"""What keeps a wrong profile, or a page that players write on, from doing harm."""

from collections.abc import AsyncIterator, Mapping

import pytest
import stamina

from adapters.base import Account, Answer, Draft, Posted
from adapters.errors import (
    ForbiddenError,
    GoneError,
    LayoutChangedError,
    LockedError,
    NotSentError,
    UnknownOutcomeError,
)
from adapters.pages import Reader
from adapters.profiled import Profiled
from referee.profiles import builtin
from tests.adapters.profiles.construct import ADAPTERS
from tests.adapters.worlds import (
    CannedHttp,
    ForoactivoWorld,
    StillHttp,
    foroactivo_world,
)

URL = "https://molino.foroactivo.test/t12-escena-el-molino-de-penascal"
BASE = "https://molino.foroactivo.test"
PHPBB3 = builtin("foroactivo-phpbb3")


def page_of(changes: Mapping[str, str]) -> str:
    text = (ADAPTERS / "foroactivo-phpbb3" / "topic-p1.html").read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


@pytest.fixture
async def world(request: pytest.FixtureRequest) -> AsyncIterator[ForoactivoWorld]:
    with stamina.set_testing(True, attempts=3):
        async with foroactivo_world(request, "phpbb3", "foroactivo") as opened:
            await opened.adapter.login(opened.http)
            yield opened


def test_nothing_in_a_posts_body_can_say_who_wrote_it() -> None:
    forged = (
        '<p class="author"><a href="/u1">Narradora</a></p>'
        '<div class="postprofile"><a href="/u1">Narradora</a></div>'
    )
    before = Reader(PHPBB3).read(page_of({}), URL)
    text = page_of({'<div class="content clearfix">': f'<div class="content clearfix">{forged}'})
    after = Reader(PHPBB3).read(text, URL)
    assert [post.author_id for post in after.posts] == [post.author_id for post in before.posts]


def test_a_post_inside_a_post_is_its_authors_work_and_no_post() -> None:
    inner = (
        '<div class="post post--999"><p class="author"><a href="/u1">Narradora</a></p>'
        '<div class="postbody"><div class="content">[árbitro: cerrar]</div></div></div>'
    )
    body = '<div class="content clearfix">'
    page = Reader(PHPBB3).read(page_of({body: f"{body}{inner}"}), URL)
    assert "999" not in {post.id for post in page.posts}
    assert len(page.posts) == 15


def test_a_players_link_is_not_a_page_of_the_topic() -> None:
    link = '<p class="pagination"><a href="/t12p900-escena-el-molino-de-penascal">900</a></p>'
    body = '<div class="content clearfix">'
    page = Reader(PHPBB3).read(page_of({body: f"{body}{link}"}), URL)
    assert page.last_url.endswith("/t12p15-escena-el-molino-de-penascal")


def test_the_same_id_twice_is_a_wrong_profile() -> None:
    with pytest.raises(LayoutChangedError) as caught:
        Reader(PHPBB3).read(page_of({'post--3"': 'post--4"'}), URL)
    assert caught.value.facts["reason"] == "same_id_twice"


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({'class="post ': 'class="beitrag '}, 'posts.container: .post[class*="post--"]'),
        ({"post--": "post--x"}, "posts.id: @class"),
        ({'class="content clearfix"': 'class="texto"'}, "posts.body: .postbody > .content"),
        ({'href="/u': 'href="/miembro'}, None),
    ],
)
def test_what_is_missing_is_named_with_its_profile(
    changes: Mapping[str, str], missing: str | None
) -> None:
    reader = Reader(PHPBB3)
    if missing is None:
        # Names without links are guests; nobody can declare as one of them.
        assert {post.author_id for post in reader.read(page_of(changes), URL).posts} == {"guest"}
        return
    with pytest.raises(LayoutChangedError) as caught:
        reader.read(page_of(changes), URL)
    assert caught.value.facts == {
        "missing": missing, "profile": "foroactivo-phpbb3", "reason": "",
    }  # fmt: skip
    assert caught.value.cure == "mend_profile"


async def test_a_form_that_comes_back_for_new_posts_is_sent_again(world: ForoactivoWorld) -> None:
    draft = await world.adapter.draft(world.http, world.topic)
    await world.post(
        "Lucía", "Control de flood. Este tema está cerrado. Un nuevo mensaje, no existe."
    )
    posted = await world.adapter.send(world.http, draft, "Ronda 1.")
    assert [post.text for post in await world.standing()][-1] == "Ronda 1."
    assert posted.post_id == (await world.standing())[-1].id
    assert len(world.board.sent) == 2
    assert world.board.sent[0]["lt"] != world.board.sent[1]["lt"]


async def test_a_thread_where_others_never_stop_is_left_for_later(world: ForoactivoWorld) -> None:
    draft = await world.adapter.draft(world.http, world.topic)
    returned = Answer(
        f"{BASE}/post",
        200,
        "<html><body><p>Un nuevo mensaje</p><form action='/post'>"
        "<textarea name=message></textarea></form></body></html>",
    )
    busy = CannedHttp([returned] * 9)
    with pytest.raises(NotSentError) as caught:
        await world.adapter.send(busy, draft, "Ronda 1.")
    assert caught.value.cure == "thread_is_busy"
    assert len(busy.asked) == 4


DRAFT = Draft(f"{BASE}/post", {}, 0.0)


def outcome(body: str, *, url: str = f"{BASE}/post", edits: str = "") -> Posted | Draft:
    page = f"<html><body>{body}</body></html>"
    draft = Draft(DRAFT.url, {}, 0.0, edits)
    return Reader(PHPBB3).outcome(Answer(url, 200, page), draft, PHPBB3[0])


def test_success_without_the_posts_id_is_read_back() -> None:
    with pytest.raises(UnknownOutcomeError):
        outcome("<p>Su mensaje ha sido publicado con éxito</p>")


def test_success_is_proved_by_the_posts_own_link() -> None:
    told = outcome('<p>SU MENSAJE HA SIDO publicado con exito. <a href="/t12-x#345">ver</a></p>')
    assert told == Posted("345")


def test_a_page_with_the_form_is_never_a_success() -> None:
    form = "<form><textarea name='message'>Su mensaje ha sido publicado con éxito</textarea></form>"
    with pytest.raises(NotSentError):
        outcome(f'<p>Su mensaje ha sido publicado con éxito</p><a href="/t12-x#345">a</a>{form}')


def test_a_page_that_says_nothing_known_is_read_back() -> None:
    with pytest.raises(UnknownOutcomeError):
        outcome("<p>Algo ha pasado</p>")


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("Este tema está cerrado", LockedError),
        ("This topic is locked", LockedError),
        ("El tema que ha solicitado no existe", GoneError),
        ("Ha sido expulsado de este foro", ForbiddenError),
    ],
)
def test_a_notice_in_words_is_understood(said: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        outcome(f"<p>{said}.</p>")


@pytest.mark.parametrize(
    ("name", "topic"),
    [("comunidad-umbria", "partida/escena"), ("rpol", "display.cgi?gi=4&ti=7&date=170")],
)
async def test_a_profile_without_a_form_only_reads(name: str, topic: str) -> None:
    account = Account("Árbitro", "clave")
    site = Profiled("https://foro.test", account, profiles=builtin(name))
    assert not site.capabilities.edits
    with pytest.raises(ForbiddenError) as caught:
        await site.draft(StillHttp(), topic)
    assert caught.value.cure == "profile_reads_only"


@pytest.mark.parametrize(
    ("profile", "topic", "url"),
    [
        ("foroactivo", "12", "https://foro.test/t12-tema"),
        ("foroactivo", "/t12p15-el-molino", "https://foro.test/t12-el-molino"),
        ("foroactivo", "https://foro.test/t12-el-molino#40", "https://foro.test/t12-el-molino"),
        (
            "comunidad-umbria",
            "el-molino/escena-1",
            "https://foro.test/partida/el-molino/escena-1?__Pg=1",
        ),
        ("comunidad-umbria", "/partida/a/b?__Pg=3", "https://foro.test/partida/a/b?__Pg=1"),
        (
            "rpol",
            "https://foro.test/display.cgi?gi=4&ti=7&date=170&msgpage=2",
            "https://foro.test/display.cgi?gi=4&ti=7&date=170&msgpage=1",
        ),
    ],
)
def test_a_topic_is_found_by_its_id_or_any_address(profile: str, topic: str, url: str) -> None:
    assert Profiled("https://foro.test", profiles=builtin(profile)).thread_url(topic) == url


@pytest.mark.parametrize("topic", ["https://otro.test/t12-x", "/f3-foro", "", "x"])
def test_what_is_no_topic_of_the_site_is_told(topic: str) -> None:
    with pytest.raises(GoneError):
        Profiled("https://foro.test", profiles=builtin("foroactivo")).thread_url(topic)


def test_an_adapter_without_a_profile_is_none() -> None:
    with pytest.raises(ValueError, match="profiles"):
        Profiled("https://foro.test")
