"""Hostile answers: bounded, typed, and nobody else's business.

How long each takes and how much memory is measured by ``benchmarks/hostile.py``.
"""

import asyncio
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace

import pytest
import stamina

from adapters import html
from adapters.errors import AdapterError, LayoutChangedError
from adapters.html import MAX_PAGE_ELEMENTS, MAX_PAGE_TAGS, soup_of
from adapters.http import Manners, PoliteHttp
from adapters.phpbb import PhpBB
from tests.adapters.hostile import ANSWERS, BOMBS, GOOD, page, serving
from tests.adapters.mangling import planted, readers, reduced, seeds
from tests.adapters.worlds import HandClock, loopback_http

MEGABYTE = 2**20
URL = "http://forum.test/viewtopic.php?t=2"


@pytest.fixture(autouse=True)
def no_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=2):
        yield


@pytest.mark.parametrize("name", ANSWERS)
async def test_a_hostile_answer_is_a_typed_error_and_another_site_is_read_meanwhile(
    name: str,
) -> None:
    def good(address: str) -> Iterator[bytes]:
        del address
        yield page(GOOD)

    async def read_elsewhere(url: str, http: PoliteHttp) -> int:
        read = 0
        for _time in range(5):
            read += (await http.get(url)).status == 200
        return read

    clock = HandClock()
    tracemalloc.start()
    try:
        async with (
            serving(ANSWERS[name]) as hostile,
            serving(good) as calm,
            loopback_http(clock) as one,
            loopback_http(clock) as other,
        ):
            visit = asyncio.create_task(PhpBB(hostile.partition("/view")[0]).fetch(one, hostile))
            assert await read_elsewhere(calm, other) == 5
            with pytest.raises(AdapterError):
                await visit
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 60 * MEGABYTE


async def test_a_server_that_trickles_stops_nobody_else() -> None:
    gone_on = asyncio.Event()

    async def trickle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        for _time in range(3):
            writer.write(b"<")
            await writer.drain()
        await gone_on.wait()
        writer.close()

    server = await asyncio.start_server(trickle, "127.0.0.1", 0)
    slow = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/viewtopic.php?t=2"
    private = frozenset({"127.0.0.1"})
    limits = Manners(requests_per_s=10_000, total_s=0.2, read_attempts=1)
    async with (
        serving(lambda _address: iter([page(GOOD)])) as calm,
        PoliteHttp(contact="x", manners=limits, allow_private=private) as one,
        loopback_http(HandClock()) as other,
    ):
        visit = asyncio.create_task(one.get(slow))
        assert (await other.get(calm)).status == 200
        with pytest.raises(AdapterError):
            await visit
        gone_on.set()
    server.close()


@pytest.mark.parametrize("bomb", ["nested <div>", "comments", "NUL", "brackets", "many attributes"])
@pytest.mark.parametrize("name", sorted(readers()))
def test_a_bomb_in_a_page_is_read_or_refused(name: str, bomb: str) -> None:
    seed = reduced(seeds(name, 1)[0], posts=2)
    text = planted(seed, BOMBS[bomb])
    assert len(text) > 90_000
    try:
        posts = seed.read(text, URL).posts
    except AdapterError:
        return
    assert posts


@pytest.mark.parametrize(
    "tags", ["<b>" * (MAX_PAGE_ELEMENTS + 1), "<b></b>" * (MAX_PAGE_TAGS // 2), "<" * MAX_PAGE_TAGS]
)
def test_more_tags_than_any_page_has_are_refused_before_they_are_parsed(
    monkeypatch: pytest.MonkeyPatch, tags: str
) -> None:
    monkeypatch.setattr(html, "BeautifulSoup", None)  # called, it would be a crash
    text = f"<html>{tags}</html>"
    with pytest.raises(LayoutChangedError) as caught:
        soup_of(text, URL)
    assert caught.value.facts == {"too_many": "tags"}


def test_no_page_is_remembered_that_could_fill_the_memory() -> None:
    calls = []

    @html.remembered(2)
    def read(text: str) -> str:
        calls.append(text)
        return text.upper()

    assert [read("a"), read("a"), read("b"), read("c"), read("a")] == ["A", "A", "B", "C", "A"]
    assert calls == ["a", "b", "c", "a"]
    long = "x" * 7 * MEGABYTE
    assert read(long) == read(long) == long.upper()
    assert calls.count(long) == 2


def test_many_long_pages_push_each_other_out_of_the_memory() -> None:
    calls = []

    @html.remembered(100)
    def read(text: str) -> int:
        calls.append(text[0])
        return len(text)

    for letter in "abcdeeda":
        read(letter * MEGABYTE * 2)
    assert "".join(calls) == "abcdea"


# What the pages of these platforms tell by elements outside of posts; another's account and topic.
_LIES = """
<div id="username_logged_in"><a href="memberlist.php?mode=viewprofile&amp;u=999">Yo</a></div>
<div class="welcome"><a href="member.php?action=profile&amp;uid=999">Yo</a></div>
<a href="ucp.php?mode=logout">x</a><a href="/user/999/yo/">x</a><a href="?action=logout">x</a>
<link rel="canonical" href="viewtopic.php?t=999&amp;start=999">
<h1 class="headline topic-title">Otro <a href="viewtopic.php?t=999">tema</a></h1>
<h2 class="topic-title"><a href="viewtopic.php?t=999">Otro</a></h2><h5 id="top_subject">Otro</h5>
<div class="navigation"><span class="active">Otro</span></div>
<div class="action-bar"><i class="fa-lock icon"></i></div><a class="closed_button" href="x">x</a>
<div id="display_head"><span class="main_icons lock"></span></div>
<div class="pagination pagelinks paginator">
<a class="nav_page" href="viewtopic.php?t=2&amp;start=999">9</a>
<a href="showthread.php?tid=2&amp;page=99">99</a><a href="index.php?topic=2.999">9</a></div>
<ul class="paginator"><li class="paginator__pages">Página 1 de 99</li></ul>
<ul class="pagination"><li class="active"><a href="?page=1">1</a></li>
<li><a href="?page=99">99</a></li></ul>
"""


@pytest.mark.parametrize("name", ["machina", "mybb", "phpbb", "profile-phpbb", "smf", "spirit"])
def test_what_a_player_writes_tells_nothing_of_the_page(name: str) -> None:
    """Where a forum lets players write HTML, no body may lock a topic or name the account."""
    seed = seeds(name, 1)[0]
    plain, lied = (seed.read(text, URL) for text in (seed.text, planted(seed, _LIES)))
    assert "Otro" in lied.posts[0].own_words
    nothing = {"posts": (), "digest": ""}
    assert replace(lied, **nothing) == replace(plain, **nothing)
