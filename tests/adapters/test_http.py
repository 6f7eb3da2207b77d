"""The polite client: what it sends, what it takes, and what it never tells."""

import asyncio
import gzip
import json
import logging
import ssl
import traceback
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager

import httpx
import pytest
import respx
import stamina
import trustme
from hypothesis import given
from hypothesis import strategies as st

from adapters import http as client_module
from adapters.errors import (
    AdapterError,
    BusyError,
    ForbiddenError,
    GoneError,
    LayoutChangedError,
    NotSentError,
    UnknownOutcomeError,
    UnreachableError,
)
from adapters.http import Manners, Pace, PoliteHttp
from tests.adapters.worlds import HandClock, loopback_http

URL = "http://forum.test/viewtopic.php?t=2"
PAGE = "<!DOCTYPE html><html><body>Escena</body></html>"
FAST = Manners(requests_per_s=10_000)


@pytest.fixture(autouse=True)
def no_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=3):
        yield


@pytest.fixture
async def http() -> AsyncIterator[PoliteHttp]:
    """A client for mocked hosts; their names lead nowhere, so they must be allowed."""
    async with PoliteHttp(
        contact="referee@example.org",
        manners=FAST,
        clock=HandClock(),
        allow_private=frozenset({"forum.test", "other.test"}),
    ) as opened:
        yield opened


@pytest.fixture
def forum() -> Iterator[respx.MockRouter]:
    with respx.mock(assert_all_called=False) as router:
        yield router


@asynccontextmanager
async def serving(
    *answers: bytes,
    after: Callable[[], Awaitable[None]] | None = None,
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[tuple[str, list[bytes]]]:
    """A server that gives raw answers in turn, one a connection; gives its address and requests."""
    waiting, asked = list(answers), []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            asked.append(head)
            if after is not None:
                await after()
            writer.write(waiting.pop(0))
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=tls)
    port = server.sockets[0].getsockname()[1]
    try:
        yield f"{'https' if tls else 'http'}://127.0.0.1:{port}/viewtopic.php?t=2", asked
    finally:
        server.close()
        await server.wait_closed()


def raw(body: bytes, *, status: str = "200 OK", length: int | None = None, more: str = "") -> bytes:
    size = len(body) if length is None else length
    return f"HTTP/1.1 {status}\r\nContent-Length: {size}\r\n{more}\r\n".encode() + body


def unframed(body: bytes, more: str = "Content-Type: text/html\r\n") -> bytes:
    return f"HTTP/1.1 200 OK\r\nConnection: close\r\n{more}\r\n".encode() + body


@pytest.fixture
async def loopback() -> AsyncIterator[PoliteHttp]:
    async with loopback_http(HandClock()) as opened:
        yield opened


# What it sends.


async def test_it_says_who_asks_and_how_to_reach_them(http, forum) -> None:
    route = forum.get(URL).respond(html=PAGE)
    await http.get(URL)
    assert route.calls.last.request.headers["user-agent"] == "pbw-referee (+referee@example.org)"


async def test_a_contact_cannot_add_a_header(forum) -> None:
    forum.get(URL).respond(html=PAGE)
    async with PoliteHttp(
        contact="a@b\r\nX-Evil: 1", manners=FAST, allow_private=frozenset({"forum.test"})
    ) as odd:
        await odd.get(URL)
    assert "x-evil" not in forum.calls.last.request.headers


async def test_every_request_goes_at_its_hosts_pace(forum) -> None:
    class Counted(Pace):
        asked: list[str] = []  # noqa: RUF012 - lives as long as this test

        def of(self, host: str):
            self.asked.append(host)
            return super().of(host)

    forum.get(URL).respond(html=PAGE)
    pace = Counted(10_000)
    async with PoliteHttp(contact="x", pace=pace, allow_private=frozenset({"forum.test"})) as first:
        await first.get(URL)
        await first.get(URL)
    assert pace.asked == ["forum.test", "forum.test"]
    assert pace.of("forum.test") is pace.of("forum.test") is not pace.of("other.test")


async def test_a_pace_allows_no_burst() -> None:
    limiter = Pace(0.5).of("forum.test")
    assert (limiter.max_rate, limiter.time_period) == (1, 2)


async def test_no_more_than_four_requests_to_a_host_go_on_at_once() -> None:
    now_open = most_open = 0
    gate = asyncio.Event()

    async def hold() -> None:
        nonlocal now_open, most_open
        now_open += 1
        most_open = max(most_open, now_open)
        if now_open == 4:
            gate.set()
        await gate.wait()
        now_open -= 1

    pace = Pace(10_000)
    async with (
        serving(*[raw(PAGE.encode())] * 9, after=hold) as (url, _asked),
        loopback_http(HandClock(), pace=pace) as one,
        loopback_http(HandClock(), pace=pace) as other,
    ):
        await asyncio.gather(*(http.get(url) for http in [one, other, one] * 3))
    assert most_open == 4


@pytest.mark.parametrize("status", [429, 503])
async def test_a_host_that_asks_one_site_to_wait_is_left_in_peace_by_all(
    forum, status: int
) -> None:
    clock, pace = HandClock(), Pace(10_000)
    sites = [
        PoliteHttp(
            contact="x",
            pace=pace,
            clock=clock,
            allow_private=frozenset({"forum.test", "other.test"}),
        )
        for _site in range(2)
    ]
    page = forum.get(URL).respond(status, headers={"retry-after": "60"})
    reply = forum.post(URL).respond(html=PAGE)
    forum.get("http://other.test/").respond(html=PAGE)
    with pytest.raises(BusyError):
        await sites[0].get(URL)
    page.respond(html=PAGE)
    clock.turn(59)
    for site in sites:
        with pytest.raises(BusyError) as read:
            await site.get(URL)
        with pytest.raises(NotSentError) as sent:
            await site.send(URL, form={"a": "b"})
        assert read.value.wait_s == sent.value.wait_s == 1
    assert (page.call_count, reply.called) == (1, False)
    await sites[1].get("http://other.test/")
    clock.turn(1)
    for site in sites:
        await site.get(URL)
        await site.send(URL, form={"a": "b"})
        await site.aclose()


async def test_a_refused_post_does_not_stop_the_reading(http, forum) -> None:
    forum.post(URL).respond(429, headers={"retry-after": "3600"})
    forum.get(URL).respond(html=PAGE)
    with pytest.raises(NotSentError):
        await http.send(URL, form={"a": "b"})
    await http.get(URL)


async def test_a_clock_that_was_set_back_shuts_no_host_for_longer_than_a_day() -> None:
    pace = Pace()
    pace.rest("forum.test", 1_000_000.0)
    assert pace.rest_of("forum.test", 0.0) == 86_400
    assert pace.rest_of("forum.test", 1_000_000.0) == pace.rest_of("forum.test", 0.0) == 0


async def test_a_settle_goes_by_the_clients_own_clock(http) -> None:
    before = http.now()
    await http.settle(90)
    await http.settle(-5)
    assert http.now() == before + 90


# Statuses, and trying again.


@pytest.mark.parametrize(
    ("header", "wait_s"),
    [
        ("7", 7),
        (" 0 ", 0),
        ("999999999999", 86_400),
        ("Mon, 30 Nov 2026 00:01:30 GMT", 90),
        ("Mon, 30 Nov 2026 00:00:00 GMT", 0),
        ("-3", None),
        ("soon", None),
        ("", None),
    ],
)
async def test_patience_is_asked_for_in_seconds_or_until_a_date(
    http, forum, header, wait_s
) -> None:
    forum.get(URL).respond(
        429, headers={"retry-after": header, "date": "Mon, 30 Nov 2026 00:00:00 GMT"}
    )
    with pytest.raises(BusyError) as caught:
        await http.get(URL)
    assert caught.value.wait_s == wait_s
    assert forum.calls.call_count == 1


@given(st.text(max_size=60))
def test_no_header_can_hurt(text: str) -> None:
    headers = httpx.Headers({"retry-after": text.encode("utf-8", "replace")})
    waited = client_module._retry_after(headers, 0.0)  # noqa: SLF001 - any text at all
    assert waited is None or 0 <= waited <= 86_400


async def test_a_short_failure_of_a_read_is_met_by_trying_again(http, forum) -> None:
    forum.get(URL).mock(
        side_effect=[httpx.Response(500), httpx.ConnectError("x"), httpx.Response(200, html=PAGE)]
    )
    assert (await http.get(URL)).text == PAGE


async def test_a_lasting_failure_of_a_read_is_left_to_the_back_off(http, forum) -> None:
    forum.get(URL).respond(502)
    with pytest.raises(BusyError) as caught:
        await http.get(URL)
    assert (caught.value.facts["status"], forum.calls.call_count) == (502, 3)


async def test_who_names_a_time_is_not_asked_before_it(http, forum) -> None:
    forum.get(URL).respond(503, headers={"retry-after": "120"})
    with pytest.raises(BusyError) as caught:
        await http.get(URL)
    assert (caught.value.wait_s, forum.calls.call_count) == (120, 1)


@pytest.mark.parametrize("status", [500, 502, 503, 504, 408])
async def test_a_post_that_may_have_been_acted_on_is_unknown_and_sent_once(
    http, forum, status
) -> None:
    forum.post(URL).respond(status)
    with pytest.raises(UnknownOutcomeError):
        await http.send(URL, form={"message": "x"})
    assert forum.calls.call_count == 1


@pytest.mark.parametrize(
    ("broken", "error"),
    [
        (httpx.ConnectError("x"), UnreachableError),
        (httpx.ConnectTimeout("x"), UnreachableError),
        (httpx.PoolTimeout("x"), UnreachableError),
        (httpx.ReadTimeout("x"), UnknownOutcomeError),
        (httpx.ReadError("x"), UnknownOutcomeError),
        (httpx.WriteError("x"), UnknownOutcomeError),
        (httpx.RemoteProtocolError("x"), UnknownOutcomeError),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_a_post_that_got_no_answer_is_told_by_whether_it_was_sent(
    http, forum, broken, error
) -> None:
    forum.post(URL).mock(side_effect=broken)
    with pytest.raises(error):
        await http.send(URL, form={"message": "x"})
    assert forum.calls.call_count == 1


async def test_a_post_that_was_refused_for_haste_was_not_sent(http, forum) -> None:
    forum.post(URL).respond(429, headers={"retry-after": "7"})
    with pytest.raises(NotSentError) as caught:
        await http.send(URL, json={"raw": "x"})
    assert caught.value.wait_s == 7


@pytest.mark.parametrize("status", [200, 400, 403, 404, 422])
async def test_other_answers_are_the_adapters_to_read(http, forum, status) -> None:
    forum.put(URL).respond(status, json={"errors": ["no"]})
    answer = await http.send(URL, json={"raw": "x"}, method="PUT")
    assert (answer.status, answer.json()) == (status, {"errors": ["no"]})
    assert answer.headers["content-type"] == "application/json"


async def test_a_server_that_trickles_for_ever_is_left() -> None:
    never = asyncio.Event()
    manners = Manners(requests_per_s=10_000, total_s=0.05, read_attempts=1)

    async def hang() -> None:
        await never.wait()

    async with serving(b"", b"", after=hang) as (url, _asked):
        async with PoliteHttp(
            contact="x", manners=manners, allow_private=frozenset({"127.0.0.1"})
        ) as http:
            with pytest.raises(UnreachableError):
                await http.get(url)
            with pytest.raises(UnknownOutcomeError):
                await http.send(url, form={})
        never.set()


async def test_nobody_at_home_is_unreachable(loopback) -> None:
    async with serving() as (url, _asked):
        pass
    with pytest.raises(UnreachableError):
        await loopback.get(url)
    with pytest.raises(UnreachableError):
        await loopback.send(url, form={"message": "x"})


# Whole pages.


@pytest.mark.parametrize(
    "answer",
    [
        raw(PAGE.encode()[:20], length=len(PAGE)),
        unframed(PAGE.encode()[:-9]),
        unframed(b""),
        raw(b""),
        unframed(b'{"posts": [1, 2', "Content-Type: application/json\r\n"),
        unframed(gzip.compress(PAGE.encode())[:-4], "Content-Encoding: gzip\r\n"),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<html\r\n",
    ],
    ids=["length", "end", "nothing", "empty", "json", "gzip", "chunks"],
)
async def test_half_a_page_is_no_page_and_half_an_answer_no_proof(loopback, answer) -> None:
    async with serving(*[answer] * 4) as (url, asked):
        with pytest.raises(BusyError) as caught:
            await loopback.get(url)
        assert caught.value.cure == "page_cut_short"
        assert len(asked) == 3
        with pytest.raises(UnknownOutcomeError):
            await loopback.send(url, form={"message": "x"})
        assert len(asked) == 4


async def test_a_gzip_bomb_is_never_unpacked(loopback) -> None:
    bomb = gzip.compress(b" " * 300_000_000)
    async with serving(raw(bomb, more="Content-Encoding: gzip\r\n")) as (url, _asked):
        tracemalloc.start()
        try:
            with pytest.raises(LayoutChangedError) as caught:
                await loopback.get(url)
            _now, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert caught.value.facts["missing"] == "page_of_bearable_size"
    assert peak < 30_000_000


async def test_a_page_too_large_is_not_taken_in(loopback) -> None:
    async with serving(*[raw(b"x" * (3 * 2**20 + 1))] * 2) as (url, _asked):
        with pytest.raises(LayoutChangedError):
            await loopback.get(url)
        with pytest.raises(UnknownOutcomeError):
            await loopback.send(url, form={})


async def test_packed_pages_are_unpacked_member_by_member(loopback) -> None:
    body = gzip.compress(PAGE.encode()[:20]) + gzip.compress(PAGE.encode()[20:])
    async with serving(raw(body, more="Content-Encoding: gzip\r\n")) as (url, asked):
        assert (await loopback.get(url)).text == PAGE
        assert b"accept-encoding: gzip\r\n" in asked[0].lower()


@pytest.mark.parametrize("coding", ["br", "gzip"])
async def test_a_packing_that_was_not_asked_for_is_said(loopback, coding) -> None:
    answer = raw(b"not packed at all", more=f"Content-Encoding: {coding}\r\n")
    async with serving(answer) as (url, _asked):
        with pytest.raises(LayoutChangedError):
            await loopback.get(url)


@pytest.mark.parametrize(
    ("headers", "body", "text"),
    [
        ({"content-type": "text/html; charset=iso-8859-1"}, "acción".encode("latin-1"), "acción"),
        ({"content-type": "text/html"}, b'<meta charset="windows-1252">acci\xf3n \x93', "acción “"),
        ({"content-type": "text/html"}, "acción".encode(), "acción"),
        ({"content-type": "text/html"}, "acción".encode("latin-1"), "acción"),
        ({"content-type": "text/html; charset=punycode"}, "acción".encode(), "acción"),
        ({"content-type": "text/html; charset=utf-8"}, b"acci\xc3\xb3n \xff", "acción \ufffd"),
        ({}, b"\xef\xbb\xbfacci\xc3\xb3n", "acción"),
    ],
)
async def test_a_pages_letters_are_what_they_were(http, forum, headers, body, text) -> None:
    forum.get(URL).respond(headers=headers, content=body)
    assert (await http.get(URL)).text.endswith(text)


async def test_a_back_soon_page_is_maintenance_whatever_its_status(http, forum) -> None:
    page = "<html><head><title>Estamos en mantenimiento</title></head><body>…</body></html>"
    forum.get(URL).respond(html=page)
    forum.post(URL).respond(html=page)
    with pytest.raises(BusyError) as caught:
        await http.get(URL)
    assert caught.value.cure == "maintenance"
    assert forum.calls.call_count == 1
    with pytest.raises(UnknownOutcomeError):
        await http.send(URL, form={})


async def test_a_thread_about_maintenance_is_a_thread(http, forum) -> None:
    page = f"<html><title>Mantenimiento del molino</title>{'<a href=x>y</a>' * 9}</html>"
    forum.get(URL).respond(html=page)
    assert (await http.get(URL)).text == page


@pytest.mark.parametrize(
    "reply",
    [
        httpx.Response(403, headers={"cf-mitigated": "challenge"}, html="<html></html>"),
        httpx.Response(503, headers={"server": "cloudflare"}, html="<title>Just a moment…</title>"),
    ],
)
async def test_a_browser_check_is_a_stop(http, forum, reply) -> None:
    forum.get(URL).mock(return_value=reply)
    with pytest.raises(ForbiddenError) as caught:
        await http.get(URL)
    assert caught.value.cure == "browser_check"
    assert forum.calls.call_count == 1


# Redirects and addresses.


async def test_a_post_leads_to_the_page_that_it_made(http, forum) -> None:
    forum.post("http://forum.test/posting.php").respond(
        302, headers={"location": "./viewtopic.php?p=7&sid=00c0ffee#p7"}
    )
    forum.get("http://forum.test/viewtopic.php").respond(html=PAGE)
    answer = await http.send("http://forum.test/posting.php", form={"message": "x"})
    assert (answer.url, answer.text) == ("http://forum.test/viewtopic.php?p=7#p7", PAGE)


async def test_a_post_whose_page_is_lost_tells_where_it_led(http, forum) -> None:
    forum.post("http://forum.test/posting.php").respond(
        302, headers={"location": "./viewtopic.php?p=7&sid=00c0ffee#p7"}
    )
    forum.get("http://forum.test/viewtopic.php").respond(500)
    with pytest.raises(UnknownOutcomeError) as caught:
        await http.send("http://forum.test/posting.php", form={"message": "x"})
    assert caught.value.url == "http://forum.test/viewtopic.php?p=7#p7"


@pytest.mark.parametrize("status", [307, 308])
async def test_a_post_is_not_sent_on_to_another_address(http, forum, status) -> None:
    forum.post(URL).respond(status, headers={"location": "http://other.test/"})
    with pytest.raises(GoneError) as caught:
        await http.send(URL, form={"message": "x"})
    assert caught.value.cure == "address_moved"
    assert forum.calls.call_count == 1


async def test_a_redirect_to_nowhere_is_said(http, forum) -> None:
    forum.route().respond(302, headers={"location": "http://[::1/"})
    with pytest.raises(UnreachableError):
        await http.get(URL)
    with pytest.raises(UnknownOutcomeError):
        await http.send(URL, form={"message": "x"})


async def test_an_endless_redirect_ends(http, forum) -> None:
    forum.get(URL).respond(301, headers={"location": URL})
    with pytest.raises(GoneError):
        await http.get(URL)


async def test_an_api_key_is_not_carried_to_a_stranger(http, forum) -> None:
    forum.get(URL).respond(302, headers={"location": "http://other.test/page"})
    stranger = forum.get("http://other.test/page").respond(html=PAGE)
    await http.get(URL, headers={"api-key": "canario-9f3a"})
    assert "api-key" in forum.calls[0].request.headers
    assert "api-key" not in stranger.calls.last.request.headers


async def test_inner_addresses_are_refused_unless_the_config_names_them() -> None:
    async with serving(raw(PAGE.encode())) as (url, asked):
        port = url.split(":")[2].split("/")[0]
        async with PoliteHttp(contact="x", manners=FAST) as http:
            for host in ("127.0.0.1", "localhost", "2130706433", "0.0.0.0"):  # noqa: S104 - refused addresses
                with pytest.raises((ForbiddenError, UnreachableError)):
                    await http.get(f"http://{host}:{port}/")
                with pytest.raises((ForbiddenError, UnreachableError)):
                    await http.send(f"http://{host}:{port}/", form={"x": "y"})
        assert asked == []


async def test_a_redirect_does_not_lead_to_an_inner_address(forum) -> None:
    async with serving(raw(PAGE.encode())) as (inner, asked):
        forum.get(URL).respond(302, headers={"location": inner})
        forum.route(host="127.0.0.1").pass_through()
        async with PoliteHttp(
            contact="x", manners=FAST, allow_private=frozenset({"forum.test"})
        ) as http:
            with pytest.raises(ForbiddenError) as caught:
                await http.get(URL)
        assert caught.value.cure == "inner_address"
        assert asked == []


async def test_no_proxy_of_the_environment_stands_between(loopback, monkeypatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with serving(raw(PAGE.encode())) as (url, _asked):
        assert (await loopback.get(url)).text == PAGE


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://forum.test/",
        "//forum.test/",
        "http:///x",
        "http://[::1/",
        "http://lucia:canario-9f3a@forum.test/",
        "",
    ],
)
async def test_what_is_no_web_address_is_not_asked(http, url) -> None:
    with pytest.raises(GoneError) as caught:
        await http.get(url)
    assert "canario-9f3a" not in str(caught.value)


async def test_a_certificate_that_nobody_vouches_for_is_said() -> None:
    authority = trustme.CA()
    served = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(served)
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    async with serving(raw(PAGE.encode()), tls=served) as (url, _asked):
        async with loopback_http(HandClock()) as http:
            with pytest.raises(UnreachableError) as caught:
                await http.get(url)
        assert caught.value.cure == "check_certificate"
        async with loopback_http(HandClock(), tls=trusting) as http:
            assert (await http.get(url)).text == PAGE


# Unchanged pages.


def stamped(etag: str = 'W/"a1"', **headers: str) -> httpx.Response:
    return httpx.Response(200, headers={"etag": etag, **headers}, html=PAGE)


async def test_the_servers_own_stamps_go_back_verbatim_once_confirmed(http, forum) -> None:
    stamps = {
        "last-modified": "Mon, 30 Nov 2026 00:00:00 GMT",
        "date": "Mon, 30 Nov 2026 00:00:09 GMT",
    }
    route = forum.get(URL).mock(
        side_effect=[stamped(**stamps), stamped(**stamps), httpx.Response(304)]
    )
    await http.get(URL, conditional=True)
    assert not (await http.get(URL, conditional=True)).unchanged
    assert "if-none-match" not in route.calls[1].request.headers
    http.confirm(URL)
    assert (await http.get(URL, conditional=True)).unchanged
    sent = route.calls[2].request.headers
    assert sent["if-none-match"] == 'W/"a1"'
    assert sent["if-modified-since"] == "Mon, 30 Nov 2026 00:00:00 GMT"


async def test_a_stamp_as_young_as_its_answer_is_not_trusted(http, forum) -> None:
    # Two posts in one second bear one stamp: with it the second one would never be seen.
    young = {
        "last-modified": "Mon, 30 Nov 2026 00:00:08 GMT",
        "date": "Mon, 30 Nov 2026 00:00:09 GMT",
    }
    route = forum.get(URL).mock(return_value=httpx.Response(200, headers=young, html=PAGE))
    await http.get(URL, conditional=True)
    http.confirm(URL)
    await http.get(URL, conditional=True)
    assert "if-modified-since" not in route.calls.last.request.headers


async def test_a_full_reading_asks_without_stamps_and_confirms_nothing(http, forum) -> None:
    route = forum.get(URL).mock(return_value=stamped())
    await http.get(URL, conditional=True)
    http.confirm(URL)
    await http.get(URL)
    assert "if-none-match" not in route.calls.last.request.headers
    http.forget(URL)
    await http.get(URL, conditional=True)
    assert "if-none-match" not in route.calls.last.request.headers


async def test_stamps_outlive_the_process_but_only_confirmed_ones(http, forum) -> None:
    other = "http://forum.test/viewtopic.php?t=3"
    forum.get(URL).mock(return_value=stamped())
    forum.get(other).mock(return_value=stamped('"b2"'))
    await http.get(URL, conditional=True)
    await http.get(other, conditional=True)
    http.confirm(URL)
    saved = json.loads(json.dumps(http.export()))
    assert saved["validators"] == {URL: {"if-none-match": 'W/"a1"'}}
    async with PoliteHttp(
        contact="x", manners=FAST, allow_private=frozenset({"forum.test"}), saved=saved
    ) as again:
        await again.get(URL, conditional=True)
    assert forum.calls.last.request.headers["if-none-match"] == 'W/"a1"'


async def test_unchanged_since_never_is_no_answer(http, forum) -> None:
    forum.get(URL).respond(304)
    with pytest.raises(BusyError):
        await http.get(URL, conditional=True)


# Cookies.


async def test_cookies_go_back_to_their_host_alone_and_can_be_kept(http, forum) -> None:
    forum.get(URL).respond(
        html=PAGE, headers=[("set-cookie", "sid=00c0ffee; path=/; HttpOnly"), ("set-cookie", "k=v")]
    )
    forum.get("http://other.test/").respond(html=PAGE)
    answer = await http.get(URL)
    assert "set-cookie" not in answer.headers
    await http.get("http://other.test/")
    assert "cookie" not in forum.calls.last.request.headers
    saved = json.loads(json.dumps(http.export()))
    async with PoliteHttp(
        contact="x", manners=FAST, allow_private=frozenset({"forum.test"}), saved=saved
    ) as again:
        await again.get(URL)
        assert "sid=00c0ffee" in forum.calls.last.request.headers["cookie"]
        again.forget_session()
        await again.get("http://forum.test/viewtopic.php?t=2")
    assert "cookie" not in forum.calls.last.request.headers


async def test_two_sites_on_one_host_share_no_cookies(http, forum) -> None:
    forum.get(URL).respond(html=PAGE, headers={"set-cookie": "sid=00c0ffee; path=/"})
    await http.get(URL)
    async with PoliteHttp(
        contact="x", manners=FAST, allow_private=frozenset({"forum.test"})
    ) as neighbour:
        await neighbour.get(URL)
    assert "cookie" not in forum.calls.last.request.headers


# Secrets.

CANARY = "c0ffee5ecre7"


@pytest.mark.parametrize(
    "broken",
    [
        httpx.Response(200, html=PAGE, headers={"set-cookie": f"sid={CANARY}"}),
        httpx.Response(302, headers={"location": f"http://forum.test/x?sid={CANARY}"}),
        httpx.Response(500, html=CANARY),
        httpx.Response(429, html=CANARY),
        httpx.Response(200, html=f"<html>{CANARY}"),
        httpx.ReadTimeout(CANARY),
        httpx.ConnectError(CANARY),
        httpx.RemoteProtocolError(f"illegal header line: {CANARY}"),
    ],
    ids=["page", "redirect", "error", "patience", "cut", "silence", "nobody", "protocol"],
)
async def test_no_secret_reaches_an_error_or_a_log_line(
    http: PoliteHttp,
    forum: respx.MockRouter,
    broken: httpx.Response | Exception,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    if isinstance(broken, Exception):
        forum.route().mock(side_effect=broken)
    else:
        forum.route().mock(return_value=broken)
    told: list[str] = []
    for attempt in (
        lambda: http.get(f"{URL}&sid={CANARY}", headers={"api-key": CANARY}, conditional=True),
        lambda: http.send(f"{URL}&token={CANARY}", form={"password": CANARY}),
        lambda: http.send(URL, json={"raw": CANARY}, headers={"x-csrf-token": CANARY}),
    ):
        try:
            answer = await attempt()
        except AdapterError as error:
            told.extend(traceback.format_exception(error))
            told.append(repr(error))
        else:
            told.extend([answer.url, str(answer.headers)])
    told.extend([caplog.text, *capfd.readouterr(), repr(http)])
    assert not any(CANARY in text for text in told)
    assert "http" in "".join(told)


async def test_nothing_of_httpx_speaks_even_when_asked_to(loopback, caplog) -> None:
    caplog.set_level(logging.DEBUG)
    async with serving(raw(PAGE.encode(), more=f"Set-Cookie: sid={CANARY}\r\n")) as (url, _asked):
        await loopback.get(f"{url}&sid={CANARY}")
    assert CANARY not in caplog.text
    assert not [record for record in caplog.records if record.name.startswith("http")]


async def test_a_redirect_to_what_is_no_address_is_said(http, forum) -> None:
    forum.get(URL).respond(302, headers={"location": "http://[roto"})
    with pytest.raises(GoneError):
        await http.get(URL)
