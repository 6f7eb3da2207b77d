"""What every adapter must do, whatever the platform: run over the worlds of ``worlds.py``."""

import json
import logging
import traceback
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict

import pytest
import stamina

from adapters.base import GUEST, Draft, Mailbox, Post, ThreadPage
from adapters.errors import (
    AdapterError,
    BusyError,
    ForbiddenError,
    GoneError,
    LayoutChangedError,
    LockedError,
    LoggedOutError,
    NotSentError,
    RefusedTextError,
    UnknownOutcomeError,
    UnreachableError,
)
from adapters.http import PoliteHttp
from adapters.registry import ADAPTERS
from tests.adapters.worlds import (
    NOBODY,
    SECRET,
    UNWANTED,
    WORLDS,
    Edge,
    Trouble,
    WithLetters,
    World,
)

ORDER = "[acción: ataque | objetivo: Bandido 1 | arma: espada]"
REPORT = "Ronda 1. Lope ataca. ref-bcdfghjk"


@pytest.fixture(
    params=[pytest.param(opening, id=name, marks=marks) for name, opening, marks in WORLDS]
)
async def world(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    with stamina.set_testing(True, attempts=3):
        async with request.param(request) as opened:
            yield opened


@pytest.fixture
async def referee(world: World) -> str:
    """The referee's own user id, logged in."""
    return await world.adapter.login(world.http)


async def suffer(world: World, kind: Trouble) -> None:
    if kind not in world.troubles:
        pytest.skip(f"{world.adapter.platform} cannot make {kind} happen")
    await world.trouble(kind)


async def meet(world: World, kind: Edge, post_id: str) -> None:
    skip_without(world, kind)
    await world.edge(kind, post_id)


def skip_without(world: World, kind: Edge) -> None:
    if kind not in world.edges:
        pytest.skip(f"{world.adapter.platform} cannot make {kind} happen (docs/edges.md says why)")


async def read_all(world: World) -> list[Post]:
    """The whole thread, page by page."""
    posts: list[Post] = []
    url = world.adapter.thread_url(world.topic)
    while url:
        page = await read(world, url)
        posts.extend(page.posts)
        url = page.next_url
    return posts


async def read(world: World, url: str = "") -> ThreadPage:
    page = await world.adapter.fetch(
        world.http, url or world.adapter.thread_url(world.topic), conditional=False
    )
    assert page is not None
    return page


async def reply(world: World, text: str = REPORT) -> str:
    draft = await world.adapter.draft(world.http, world.topic)
    return (await world.adapter.send(world.http, draft, text)).post_id


async def read_letters(world: World) -> None:
    """Ask for the messages of whoever it may be."""
    if isinstance(world.adapter, Mailbox):
        await world.adapter.letters(world.http, {"1", "2", "50", "51", "52"})


async def standing(world: World) -> list[str]:
    return [post.text for post in await world.standing()]


def test_every_adapter_has_its_world() -> None:
    worlds = dict.fromkeys(name.partition(":")[0] for name, _opening, _marks in WORLDS)
    assert list(worlds) == [known.platform for known in ADAPTERS]


async def test_login_tells_whose_pages_we_see(world: World, referee: str) -> None:
    assert referee
    assert (await read(world)).viewer_id == referee


async def test_players_posts_come_in_order_with_ids_and_words(world: World, referee: str) -> None:
    first = await world.post("Lucía", f"Desenvaino.\n\n{ORDER}")
    second = await world.post("Tomás", "Espero. 3 < 5 & «nada»")
    opening, lucia, tomas = await read_all(world)
    assert (lucia.id, tomas.id) == (first, second)
    assert lucia.own_words == f"Desenvaino.\n\n{ORDER}"
    assert tomas.own_words == "Espero. 3 < 5 & «nada»"
    assert len({opening.author_id, lucia.author_id, tomas.author_id, referee}) == 4


async def test_quotes_and_code_are_set_aside(world: World, referee: str) -> None:
    del referee
    quoted = world.quotes.format(text="[acción: parada]")
    code = world.code.format(text="[acción: esquiva]")
    await world.post("Lucía", f"{quoted}Voy yo.\n{code}{ORDER}")
    post = (await read_all(world))[-1]
    assert ORDER in post.own_words
    assert "parada" not in post.own_words
    assert "esquiva" not in post.own_words
    assert "[acción: parada]" in post.set_aside
    assert "[acción: esquiva]" in post.set_aside


async def test_a_long_thread_is_read_page_by_page_without_gap_or_double(
    world: World, referee: str
) -> None:
    del referee
    ids = [await world.post("Lucía", f"Mensaje {number} de la tarde") for number in range(52)]
    posts = await read_all(world)
    assert [post.id for post in posts][1:] == ids
    first = await read(world)
    assert first.previous_url == ""
    second = await read(world, first.next_url)
    assert second.previous_url == first.url
    last = await read(world, first.last_url or second.last_url)
    assert last.next_url == ""
    assert last.posts[-1].id == ids[-1]


async def test_a_page_has_an_address_that_reads_it_again(world: World, referee: str) -> None:
    del referee
    for number in range(52):
        await world.post("Lucía", f"Mensaje {number} de la tarde")
    second = await read(world, (await read(world)).next_url)
    again = await read(world, second.url)
    assert (again.url, again.posts, again.digest) == (second.url, second.posts, second.digest)


async def test_the_same_page_has_the_same_digest_until_a_post_changes(
    world: World, referee: str
) -> None:
    del referee
    post = await world.post("Lucía", "Me quedo aquí.")
    before = await read(world)
    assert (await read(world)).digest == before.digest != ""
    await world.edit(post, f"Me voy. {ORDER}")
    assert (await read(world)).digest != before.digest


async def test_a_reply_lands_once_and_proves_its_id(world: World, referee: str) -> None:
    post_id = await reply(world)
    last = (await read_all(world))[-1]
    assert (last.id, last.author_id) == (post_id, referee)
    assert "ref-bcdfghjk" in last.own_words
    assert len(await standing(world)) == 2


async def test_a_draft_survives_being_stored(world: World, referee: str) -> None:
    del referee
    draft = await world.adapter.draft(world.http, world.topic)
    stored = Draft(**json.loads(json.dumps(asdict(draft))))
    posted = await world.adapter.send(world.http, stored, REPORT)
    assert (await read_all(world))[-1].id == posted.post_id


async def test_an_edit_changes_the_words_and_not_the_id(world: World, referee: str) -> None:
    del referee
    assert world.adapter.capabilities.edits
    post_id = await reply(world, "Estado de la ronda: faltan dos.")
    await world.post("Lucía", "Entretanto, yo.")
    draft = await world.adapter.draft(world.http, world.topic, edits=post_id)
    posted = await world.adapter.send(world.http, draft, "Estado de la ronda: falta uno.")
    assert posted.post_id == post_id
    own = next(post for post in await read_all(world) if post.id == post_id)
    assert own.own_words == "Estado de la ronda: falta uno."
    assert len(await standing(world)) == 3


async def test_players_edit_and_delete_their_posts(world: World, referee: str) -> None:
    del referee
    edited = await world.post("Lucía", "Ataco.")
    deleted = await world.post("Tomás", "Yo también ataco.")
    await world.post("Lucía", "Y otra cosa.")
    await world.edit(edited, "Mejor no ataco.")
    await world.delete(deleted)
    words = {post.id: post.own_words for post in await read_all(world)}
    assert words[edited] == "Mejor no ataco."
    assert deleted not in words


async def test_a_renamed_topic_is_read_by_its_old_address(world: World, referee: str) -> None:
    del referee
    post = await world.post("Lucía", ORDER)
    old = await read(world)
    await meet(world, Edge.RENAMED, post)
    # The page of the config, and the page that was read last.
    for url in (world.adapter.thread_url(world.topic), old.url):
        page = await read(world, url)
        assert [found.id for found in page.posts] == [found.id for found in old.posts]
    await reply(world)
    assert len(await standing(world)) == 3


async def test_a_post_moved_to_another_topic_is_gone_and_no_other(
    world: World, referee: str
) -> None:
    del referee
    ids = [await world.post("Lucía", f"Mensaje {number} de la tarde") for number in range(12)]
    before = await read(world)
    await meet(world, Edge.TAKEN_AWAY, ids[1])
    after = [post.id for post in await read_all(world)]
    assert after[1:] == [ids[0], *ids[2:]]
    assert (await read(world)).digest != before.digest


async def test_a_post_brought_in_from_another_topic_stands_among_the_others(
    world: World, referee: str
) -> None:
    del referee
    ids = [await world.post("Lucía", f"Mensaje {number} de la tarde") for number in range(8)]
    await meet(world, Edge.TAKEN_AWAY, ids[3])
    assert ids[3] not in {post.id for post in await read_all(world)}
    newer = await world.post("Tomás", "Llego después.")
    await meet(world, Edge.BROUGHT_IN, ids[3])
    found = [post.id for post in await read_all(world)]
    assert found[1:] == [*ids, newer]


async def test_a_page_that_shifts_while_it_is_read_loses_no_post_in_the_end(
    world: World, referee: str
) -> None:
    del referee
    ids = [await world.post("Lucía", f"Mensaje {number} de la tarde") for number in range(52)]
    first = await read(world)
    await world.delete(ids[0])
    seen = {post.id for post in first.posts}
    url = first.next_url
    while url:
        page = await read(world, url)
        numbers = [post.id for post in page.posts]
        assert len(set(numbers)) == len(numbers)
        seen.update(numbers)
        url = page.next_url
    again = await read(world, first.url)
    # That tells whoever remembers the page to look again.
    assert again.digest != first.digest
    assert set(ids) <= seen | {post.id for post in again.posts}
    assert [post.id for post in await read_all(world)][1:] == ids[1:]


async def test_a_post_of_a_closed_account_stays_and_is_no_members(
    world: World, referee: str
) -> None:
    post = await world.post("Lucía", ORDER)
    await world.post("Tomás", "Espero.")
    members = {found.author_id for found in await read_all(world)} | {referee}
    await meet(world, Edge.ACCOUNT_CLOSED, post)
    found = next(found for found in await read_all(world) if found.id == post)
    assert found.own_words == ORDER
    assert found.author_id not in members


async def test_an_account_that_went_with_all_its_posts_takes_no_other_along(
    world: World, referee: str
) -> None:
    del referee
    gone = await world.post("Lucía", ORDER)
    kept = await world.post("Tomás", "Espero.")
    await meet(world, Edge.ACCOUNT_ERASED, gone)
    opening, tomas = await read_all(world)
    assert (opening.own_words, tomas.id, tomas.own_words) == ("Escena: el molino.", kept, "Espero.")


async def test_a_post_of_somebody_whom_the_account_ignores_counts(
    world: World, referee: str
) -> None:
    del referee
    post = await world.post("Lucía", ORDER)
    before = await read_all(world)
    await meet(world, Edge.IGNORED, post)
    assert [(found.id, found.author_id, found.own_words) for found in await read_all(world)] == [
        (found.id, found.author_id, found.own_words) for found in before
    ]


async def test_a_post_that_waits_counts_once_it_is_approved(world: World, referee: str) -> None:
    del referee
    post = await world.post("Lucía", ORDER)
    later = await world.post("Tomás", "Espero.")
    await meet(world, Edge.WAITING, post)
    assert [found.id for found in await read_all(world)][1:] == [later]
    await meet(world, Edge.APPROVED, post)
    assert [found.id for found in await read_all(world)][1:] == [post, later]


async def test_a_guests_post_is_read_and_is_no_members(world: World, referee: str) -> None:
    skip_without(world, Edge.GUEST_POST)
    await world.post("Lucía", "Espero.")
    members = {found.author_id for found in await read_all(world)} | {referee}
    post = await world.post(NOBODY, ORDER)
    found = (await read_all(world))[-1]
    assert (found.id, found.own_words) == (post, ORDER)
    # A profile may know no place for a guest's name.
    assert found.author_name in {NOBODY, GUEST}
    assert found.author_id == GUEST
    assert found.author_id not in members


async def test_a_filtered_word_is_read_as_everybody_sees_it(world: World, referee: str) -> None:
    del referee
    spoilt = f"[acción: ataque | objetivo: {UNWANTED} 1]"
    before = await world.post("Lucía", f"Voy, {UNWANTED}. {ORDER}")
    await meet(world, Edge.FILTERED, before)
    after = await world.post("Tomás", f"Y yo. {ORDER} {spoilt}")
    words = {post.id: post.own_words for post in await read_all(world)}
    for post in (before, after):
        assert ORDER in words[post]
        assert UNWANTED not in words[post]
    # What stands in the word's place is told to whoever wrote the tag.
    left, right = spoilt.split(UNWANTED)
    assert left in words[after]
    assert words[after].endswith(right)


async def test_a_reply_is_proved_though_the_forum_shows_other_words(
    world: World, referee: str
) -> None:
    await meet(world, Edge.FILTERED, await world.post("Lucía", "Empieza."))
    text = f"El {UNWANTED} golpea. {REPORT}"
    post_id = await reply(world, text)
    last = (await read_all(world))[-1]
    assert (last.id, last.author_id) == (post_id, referee)
    assert UNWANTED not in last.own_words
    assert "ref-bcdfghjk" in last.own_words
    assert len(await standing(world)) == 3


async def test_a_reply_that_shows_other_words_gets_no_twin(world: World, referee: str) -> None:
    await meet(world, Edge.FILTERED, await world.post("Lucía", "Empieza."))
    text = f"El {UNWANTED} golpea. {REPORT}"
    draft = await world.adapter.draft(world.http, world.topic)
    await suffer(world, Trouble.REPLY_LOST)
    with pytest.raises(UnknownOutcomeError):
        await world.adapter.send(world.http, draft, text)
    found = [post for post in await read_all(world) if "ref-bcdfghjk" in post.own_words]
    assert [post.author_id for post in found] == [referee]
    if world.adapter.capabilities.token_lifetime_s:
        # As when nobody has come to read it yet: the same form once more.
        await world.http.settle(60)
        with suppress(NotSentError, UnknownOutcomeError, RefusedTextError):
            posted = await world.adapter.send(world.http, draft, text)
            assert posted.post_id == found[0].id
    assert len(await standing(world)) == 3


async def test_an_edit_is_proved_though_the_forum_shows_other_words(
    world: World, referee: str
) -> None:
    del referee
    post_id = await reply(world, f"Faltan dos. {REPORT}")
    await meet(world, Edge.FILTERED, await world.post("Lucía", "Entretanto, yo."))
    draft = await world.adapter.draft(world.http, world.topic, edits=post_id)
    posted = await world.adapter.send(world.http, draft, f"Falta el {UNWANTED}. {REPORT}")
    assert posted.post_id == post_id
    own = next(post for post in await read_all(world) if post.id == post_id)
    assert own.own_words.startswith("Falta el ")
    assert UNWANTED not in own.own_words
    assert len(await standing(world)) == 3


async def test_a_remembered_browser_needs_no_password(world: World, referee: str) -> None:
    await meet(world, Edge.FORGOTTEN, await world.post("Lucía", ORDER))
    await suffer(world, Trouble.BAD_PASSWORD)
    assert (await read(world)).viewer_id == referee
    await reply(world)
    assert len(await standing(world)) == 3


async def test_a_text_of_nothing_is_refused(world: World, referee: str) -> None:
    del referee
    draft = await world.adapter.draft(world.http, world.topic)
    with pytest.raises(RefusedTextError):
        await world.adapter.send(world.http, draft, " \n ")
    assert len(await standing(world)) == 1


async def test_markup_in_a_text_harms_nobody(world: World, referee: str) -> None:
    del referee
    await reply(world, 'Lope dice: <script>alert(1)</script> & "adiós" ref-bcdfghjk')
    assert "ref-bcdfghjk" in (await read_all(world))[-1].own_words


async def test_a_dead_session_is_noticed_and_a_login_mends_it(world: World, referee: str) -> None:
    await suffer(world, Trouble.DEAD_SESSION)
    with pytest.raises(LoggedOutError):
        await read(world)
    with pytest.raises(LoggedOutError):
        await world.adapter.draft(world.http, world.topic)
    assert await world.adapter.login(world.http) == referee
    await reply(world)
    assert len(await standing(world)) == 2


async def test_a_session_that_dies_before_sending_posts_nothing(world: World, referee: str) -> None:
    del referee
    draft = await world.adapter.draft(world.http, world.topic)
    await suffer(world, Trouble.DEAD_SESSION)
    with pytest.raises((LoggedOutError, NotSentError)):
        await world.adapter.send(world.http, draft, REPORT)
    assert len(await standing(world)) == 1


@pytest.mark.parametrize(
    ("kind", "errors"),
    [
        (Trouble.LOGIN_PAGE, (LoggedOutError,)),
        (Trouble.TOO_MANY_READS, (BusyError,)),
        (Trouble.READ_ERROR, (BusyError,)),
        (Trouble.CUT_PAGE, (BusyError,)),
        (Trouble.MAINTENANCE, (BusyError,)),
        (Trouble.NO_POSTS, (LayoutChangedError, BusyError, GoneError)),
        (Trouble.GONE, (GoneError,)),
        (Trouble.FORBIDDEN, (ForbiddenError,)),
    ],
)
async def test_a_page_that_is_none_is_never_no_news(
    world: World, referee: str, kind: Trouble, errors: tuple[type[AdapterError], ...]
) -> None:
    del referee
    await suffer(world, kind)
    with pytest.raises(errors):
        await read(world)


@pytest.mark.parametrize("kind", [Trouble.READ_ERROR, Trouble.CUT_PAGE, Trouble.MAINTENANCE])
async def test_what_is_over_is_over(world: World, referee: str, kind: Trouble) -> None:
    del referee
    await suffer(world, kind)
    with pytest.raises(BusyError):
        await read(world)
    await world.quiet()
    assert len((await read(world)).posts) == 1


async def test_a_forum_that_asks_for_patience_says_for_how_long(world: World, referee: str) -> None:
    del referee
    await suffer(world, Trouble.TOO_MANY_READS)
    with pytest.raises(BusyError) as caught:
        await read(world)
    assert caught.value.wait_s == 7


async def test_a_forum_that_asks_for_patience_is_asked_for_nothing_meanwhile(
    world: World, referee: str, asked: list[int]
) -> None:
    del referee
    await suffer(world, Trouble.TOO_MANY_READS)
    with pytest.raises(BusyError):
        await read(world)
    asked.clear()
    with pytest.raises(BusyError):
        await read(world)
    assert asked == []
    await world.http.settle(7)
    assert len((await read(world)).posts) == 1


async def test_private_messages_are_read_with_their_writers(world: World, referee: str) -> None:
    adapter = world.adapter
    if not adapter.capabilities.letters:
        pytest.skip(f"{adapter.platform} has no private messages that could be read")
    assert isinstance(adapter, Mailbox)
    assert isinstance(world, WithLetters)
    await world.post("Lucía", ORDER)
    await world.post("Tomás", "Espero.")
    lucia, tomas = (post.author_id for post in (await read_all(world))[-2:])
    assert await adapter.letters(world.http, {lucia, tomas}) == ()
    quoted = world.quotes.format(text="[acción: parada]")
    told = {
        await world.letter("Lucía", f"{quoted}{ORDER}"): (lucia, ORDER),
        await world.letter("Tomás", "No digo nada."): (tomas, "No digo nada."),
    }
    letters = await adapter.letters(world.http, {lucia, tomas})
    found = {one.post.id: (one.post.author_id, one.post.own_words.strip()) for one in letters}
    assert found == told
    newer = await world.letter("Lucía", "Lo he pensado mejor.")
    letters = await adapter.letters(world.http, {lucia})
    assert [one.post.id for one in letters if one.post.author_id == lucia][-1] == newer
    assert referee not in {one.post.author_id for one in letters}
    if Trouble.DEAD_SESSION in world.troubles:
        await suffer(world, Trouble.DEAD_SESSION)
        with pytest.raises(LoggedOutError):
            await adapter.letters(world.http, {lucia})


@pytest.mark.parametrize(
    ("kind", "errors"),
    [
        (Trouble.LOGIN_PAGE, (LoggedOutError,)),
        (Trouble.TOO_MANY_READS, (BusyError,)),
        (Trouble.READ_ERROR, (BusyError,)),
        (Trouble.CUT_PAGE, (BusyError,)),
        (Trouble.MAINTENANCE, (BusyError,)),
    ],
)
async def test_a_mailbox_that_cannot_be_read_is_never_an_empty_one(
    world: World, referee: str, kind: Trouble, errors: tuple[type[AdapterError], ...]
) -> None:
    del referee
    if not isinstance(world.adapter, Mailbox) or not isinstance(world, WithLetters):
        pytest.skip(f"{world.adapter.platform} has no private messages that could be read")
    await world.post("Lucía", "Aquí estoy.")
    lucia = (await read_all(world))[-1].author_id
    await world.letter("Lucía", ORDER)
    await suffer(world, kind)
    with pytest.raises(errors):
        await world.adapter.letters(world.http, {lucia})
    await world.quiet()
    await world.http.settle(7)
    assert len(await world.adapter.letters(world.http, {lucia})) == 1


async def test_a_locked_thread_takes_no_reply(world: World, referee: str) -> None:
    del referee
    draft = await world.adapter.draft(world.http, world.topic)
    await suffer(world, Trouble.LOCKED)
    assert (await read(world)).locked in {True, None}
    with pytest.raises(LockedError):
        await world.adapter.send(world.http, draft, REPORT)
    with pytest.raises(LockedError):
        await world.adapter.draft(world.http, world.topic)
    assert len(await standing(world)) == 1


@pytest.mark.parametrize("kind", [Trouble.FLOOD, Trouble.TOO_MANY_POSTS, Trouble.BAD_TOKEN])
async def test_a_definite_refusal_posts_nothing_and_can_be_tried_again(
    world: World, referee: str, kind: Trouble
) -> None:
    del referee
    draft = await world.adapter.draft(world.http, world.topic)
    await suffer(world, kind)
    with pytest.raises(NotSentError) as caught:
        await world.adapter.send(world.http, draft, REPORT)
    if kind is not Trouble.BAD_TOKEN:
        assert caught.value.wait_s
    assert len(await standing(world)) == 1
    await world.http.settle(60)
    await reply(world)
    assert len(await standing(world)) == 2


@pytest.mark.parametrize("kind", [Trouble.REPLY_LOST, Trouble.ERROR_AFTER])
async def test_an_answer_that_never_came_is_found_by_reading_back(
    world: World, referee: str, kind: Trouble
) -> None:
    draft = await world.adapter.draft(world.http, world.topic)
    await suffer(world, kind)
    with pytest.raises(UnknownOutcomeError):
        await world.adapter.send(world.http, draft, REPORT)
    found = [post for post in await read_all(world) if "ref-bcdfghjk" in post.own_words]
    assert [post.author_id for post in found] == [referee]
    assert len(await standing(world)) == 2


async def test_a_post_is_never_sent_twice_by_itself(world: World, referee: str) -> None:
    del referee
    draft = await world.adapter.draft(world.http, world.topic)
    await suffer(world, Trouble.DROPPED)
    with pytest.raises((UnknownOutcomeError, UnreachableError)):
        await world.adapter.send(world.http, draft, REPORT)
    assert len(await standing(world)) == 1


async def test_the_same_draft_again_makes_no_twin(world: World, referee: str) -> None:
    del referee
    if not world.adapter.capabilities.token_lifetime_s:
        pytest.skip(f"{world.adapter.platform} does not guard against twins")
    draft = await world.adapter.draft(world.http, world.topic)
    posted = await world.adapter.send(world.http, draft, REPORT)
    await world.http.settle(60)
    with suppress(NotSentError, UnknownOutcomeError, RefusedTextError):
        assert (await world.adapter.send(world.http, draft, REPORT)).post_id == posted.post_id
    assert len(await standing(world)) == 2


async def test_a_wrong_password_is_the_owners_business(world: World) -> None:
    await suffer(world, Trouble.BAD_PASSWORD)
    with pytest.raises(ForbiddenError):
        await world.adapter.login(world.http)


@pytest.mark.parametrize(
    ("kind", "cure"), [(Trouble.PUZZLE, "solve_captcha"), (Trouble.TWO_STEPS, "second_factor")]
)
async def test_a_login_that_wants_a_person_stops_and_says_what_it_wants(
    world: World, kind: Trouble, cure: str
) -> None:
    await suffer(world, kind)
    for _time in range(2):
        with pytest.raises(ForbiddenError) as caught:
            await world.adapter.login(world.http)
        assert caught.value.cure == cure


async def test_unchanged_is_said_only_of_a_page_that_was_safe(world: World, referee: str) -> None:
    del referee
    url = world.adapter.thread_url(world.topic)
    for _time in range(2):
        assert await world.adapter.fetch(world.http, url, conditional=True) is not None
    if isinstance(world.http, PoliteHttp):
        world.http.confirm(url)
    again = await world.adapter.fetch(world.http, url, conditional=True)
    assert again is None or len(again.posts) == 1
    await world.post("Lucía", ORDER)
    news = await world.adapter.fetch(world.http, url, conditional=True)
    assert news is not None
    assert news.posts[-1].own_words == ORDER


@pytest.mark.parametrize("kind", Trouble)
async def test_no_trouble_tells_a_secret(
    world: World,
    kind: Trouble,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    told: list[str] = []
    await world.adapter.login(world.http)
    draft = await world.adapter.draft(world.http, world.topic)
    if isinstance(world.adapter, Mailbox) and isinstance(world, WithLetters):
        await world.letter("Lucía", "carta-del-canario")
    await suffer(world, kind)
    for attempt in (
        lambda: read_letters(world),
        lambda: read(world),
        lambda: world.adapter.send(world.http, draft, "texto-del-canario"),
        lambda: world.adapter.draft(world.http, world.topic),
        lambda: world.adapter.login(world.http),
    ):
        try:
            await attempt()
        except AdapterError as error:
            told.extend(traceback.format_exception(error))
            told.extend([repr(error), str(error.facts), error.url])
        await world.http.settle(7)
    told.extend([caplog.text, *capfd.readouterr(), repr(draft)])
    secrets = [SECRET, "texto-del-canario", "carta-del-canario", *_tokens(draft)]
    for secret in secrets:
        assert not any(secret in text for text in told), secret


def _tokens(draft: Draft) -> list[str]:
    """What in a form is long enough to be a token."""
    return [str(value) for value in draft.fields.values() if len(str(value)) >= 20]


async def test_a_poll_without_news_is_one_request_however_long_the_topic(
    world: World, referee: str, asked: list[int]
) -> None:
    del referee
    remote = world.adapter.capabilities.remote

    async def poll() -> float:
        """Bytes for each post of the last page."""
        page = await read(world)
        page = await read(world, page.last_url or page.url)
        while page.next_url:
            page = await read(world, page.next_url)
        asked.clear()
        again = await world.adapter.fetch(world.http, page.url, conditional=True)
        assert len(asked) == (1 if remote else 0)
        assert again is None or again.digest == page.digest
        return sum(asked) / len(page.posts)

    for number in range(4):
        await world.post("Lucía", f"Mensaje {number} de la tarde")
    short = await poll()
    for number in range(4, 60):
        await world.post("Lucía", f"Mensaje {number} de la tarde")
    # What a page says besides its posts weighs more where it holds fewer.
    assert await poll() <= 5 * short
