"""Politeness in one place: the client that the shell lends to adapters.

The only module that imports httpx. Nothing of a request but its method and its address without
secrets may reach an exception or a log line here: neither form fields, nor headers, nor cookies.
What httpx itself has to say about a request never leaves this module either, because its messages
quote addresses and header lines.
"""

import asyncio
import codecs
import json as jsonlib
import logging
import re
import ssl
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import lru_cache
from http.cookiejar import Cookie, CookieJar
from types import TracebackType
from typing import Any, Final, NoReturn, Protocol, Self
from urllib.parse import urljoin, urlsplit

import httpx
import stamina
import structlog
from aiolimiter import AsyncLimiter
from httpx_secure import SSRFProtectionError, httpx_ssrf_protection

from adapters.base import Answer, Form
from adapters.errors import (
    AdapterError,
    BusyError,
    ForbiddenError,
    GoneError,
    LayoutChangedError,
    NotSentError,
    UnknownOutcomeError,
    UnreachableError,
    without_secrets,
)
from adapters.robots import AGENT, Robots

log = structlog.get_logger(__name__)

# Nothing was sent when one of these is raised; whatever else is raised, something may have been.
_BEFORE_SENDING: Final = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.LocalProtocolError,
    httpx.UnsupportedProtocol,
)
# With these, Retry-After is meant for all that we might ask.
_RESTING: Final = frozenset({httpx.codes.TOO_MANY_REQUESTS, httpx.codes.SERVICE_UNAVAILABLE})
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_SAME_METHOD: Final = frozenset({307, 308})
# A label that the web treats as another one. Codecs outside this table are never looked up by a
# name that a server gave: punycode, for one, takes quadratic time.
_CHARSETS: Final = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "us-ascii": "cp1252",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "windows-1252": "cp1252",
    "iso-8859-15": "iso-8859-15",
    "windows-1251": "cp1251",
    "windows-1250": "cp1250",
    "iso-8859-2": "iso-8859-2",
}
_META_CHARSET: Final = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE
)
_MAINTENANCE: Final = re.compile(
    r"<(title|h1)\b[^>]{0,200}>[^<]{0,200}"
    r"\b(maintenance|mantenimiento|unavailable|no disponible)\b",
    re.IGNORECASE,
)
# Pages that want to see a browser at work; these words stand in their scripts and nowhere else.
_CHALLENGE: Final = re.compile(
    r"cf-chl|challenge-platform|_incapsula_resource|sucuri_cloudproxy_js|anubis_challenge"
    r"|/\.well-known/ddos-guard/",
    re.IGNORECASE,
)
_JUST_A_MOMENT: Final = re.compile(r"<title>\s*(just a moment|un momento)", re.IGNORECASE)
_HEADING: Final = r"<(?:title|h1|h2)\b[^>]{0,200}>[^<]{0,200}"
_AGE: Final = re.compile(
    _HEADING + r"(\bage (?:verification|check|gate|restrict)|\bverify your age\b"
    r"|\bverificaci[oó]n de edad\b|\bmayor(?:es)? de (?:edad|18)\b|\bover 18\b"
    r"|\b18 or older\b|\badults? only\b|\bsolo (?:para )?adultos\b)",
    re.IGNORECASE,
)
_CONSENT: Final = re.compile(
    _HEADING + r"(\bconsent\b|\bconsentimiento\b|\bcookies?\b|\bbefore you continue\b"
    r"|\bantes de continuar\b|\bprivacy (?:choices|settings)\b|\bwe value your privacy\b"
    r"|\bvaloramos (?:tu|su) privacidad\b|\b(?:tu|su) privacidad\b)",
    re.IGNORECASE,
)
_VALIDATORS_KEPT: Final = 2_000
# A server that wants more than a day's rest is out of order, or its clock is.
_LONGEST_WAIT_S: Final = 86_400.0


class Clock(Protocol):
    """Time as the client sees it; tests hand in their own."""

    def now(self) -> float:
        """Unix time in seconds."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class SystemClock:
    """The machine's clock and the loop's own sleep."""

    def now(self) -> float:
        """The machine's Unix time."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Let other tasks run for so long."""
        await asyncio.sleep(seconds)


@dataclass(frozen=True, slots=True)
class Manners:
    """How much to ask, and how long to wait for it.

    Attributes:
        requests_per_s: Pace towards one host, without bursts.
        connect_s: Longest wait for a connection.
        read_s: Longest silence in the middle of an answer.
        total_s: Longest time for one request, however slowly it trickles.
        max_bytes: Largest page, after unpacking.
        redirects: Most hops from one address to the next.
        read_attempts: How often to try a read before the site's own back-off takes over.
        robots: Whether ``permit`` asks for the site's robots.txt and goes by it.
    """

    requests_per_s: float = 1.0
    connect_s: float = 10.0
    read_s: float = 30.0
    total_s: float = 60.0
    max_bytes: int = 3 * 2**20
    redirects: int = 5
    read_attempts: int = 3
    robots: bool = False


class Pace:
    """One pace a host, shared by all sites that live on it: the slowest that any of them asks."""

    def __init__(self, requests_per_s: float = 1.0, connections: int = 4) -> None:
        """Set the pace of hosts of which nothing else is said, and how much may go on at once."""
        self._usual_s = 1 / requests_per_s
        self._connections = connections
        self._intervals: dict[str, float] = {}
        self._limiters: dict[str, AsyncLimiter] = {}
        self._doors: dict[str, asyncio.Semaphore] = {}
        self._rests: dict[str, float] = {}

    def door(self, host: str) -> asyncio.Semaphore:
        """What lets so many requests to a host at once, and no more, whosever they are."""
        return self._doors.setdefault(host, asyncio.Semaphore(self._connections))

    def rest(self, host: str, until: float) -> None:
        """Ask a host for nothing before a moment: it has said so to one of its readers."""
        self._rests[host] = max(until, self._rests.get(host, 0.0))

    def rest_of(self, host: str, now: float) -> float:
        """Seconds for which a host is still to be left in peace; 0 where it need not be."""
        left = min(self._rests.get(host, 0.0) - now, _LONGEST_WAIT_S)
        if left <= 0:
            self._rests.pop(host, None)
        return max(0.0, left)

    def of(self, host: str) -> AsyncLimiter:
        """The limiter of a host; a first number above 1 would allow a burst."""
        limiter = self._limiters.get(host)
        if limiter is None:
            interval_s = self._intervals.get(host, self._usual_s)
            limiter = self._limiters[host] = AsyncLimiter(1, interval_s)
        return limiter

    def keep(self, host: str, interval_s: float) -> None:
        """Take a site's own pace for its host, unless another site there has a slower one."""
        self._set(host, max(interval_s, self._intervals.get(host, 0.0)))

    def slow(self, host: str, interval_s: float) -> None:
        """Leave at least so long between two requests to a host."""
        self._set(host, max(interval_s, self._intervals.get(host, self._usual_s)))

    def forget(self) -> None:
        """Begin anew, with another config."""
        self._intervals.clear()
        self._limiters.clear()

    def _set(self, host: str, interval_s: float) -> None:
        if self._intervals.get(host) != interval_s:
            self._intervals[host] = interval_s
            self._limiters.pop(host, None)


@dataclass(frozen=True, slots=True)
class _Raw:
    """One hop's answer, unpacked but not yet judged."""

    url: str
    status: int
    headers: httpx.Headers
    body: bytes
    complete: bool


@dataclass(frozen=True, slots=True)
class _Request:
    """What is asked for; its repr shows neither fields nor headers."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    form: Form | None = field(default=None, repr=False)
    json: Any = field(default=None, repr=False)

    @property
    def writes(self) -> bool:
        """Whether the server may change something because of it."""
        return self.method not in {"GET", "HEAD"}


class PoliteHttp:
    """The client of one site: its cookies, its validators, its pace (implements ``base.Http``).

    Validators (the server's own ``ETag`` and ``Last-Modified``) of a page read conditionally are
    not used before ``confirm`` says that what the page told is safe: else a crash between reading
    and storing would lose posts behind a 304.
    """

    def __init__(
        self,
        *,
        contact: str,
        manners: Manners | None = None,
        pace: Pace | None = None,
        allow_private: frozenset[str] = frozenset(),
        clock: Clock | None = None,
        saved: Mapping[str, Any] | None = None,
        tls: ssl.SSLContext | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Set up without opening anything.

        Args:
            contact: Address or mail of whoever runs the referee, for the User-Agent: forums bind
                sessions to it and their owners must be able to ask us to stop.
            manners: Limits; the defaults suit a small forum.
            pace: Shared between sites on one host; of its own when left out.
            allow_private: Host names that may lie on an inner network.
            clock: Time and sleep.
            saved: What ``export`` gave.
            tls: Certificates to trust instead of the usual ones.
            transport: Stands in for the network in tests; inner addresses are then not refused.
        """
        self._manners = manners or Manners()
        self._pace = pace or Pace(self._manners.requests_per_s)
        self._allow_private = frozenset(host.casefold() for host in allow_private)
        self._clock = clock or SystemClock()
        self._tls: ssl.SSLContext | bool = tls if tls is not None else True
        self._transport = transport
        self._user_agent = _user_agent(contact)
        self._clients: dict[str, httpx.AsyncClient] = {}
        self._jar = CookieJar()
        self._robots: dict[str, Robots] = {}
        self._fresh: dict[str, dict[str, str]] = {}
        self._validators: dict[str, dict[str, str]] = {}
        self._restore(saved or {})
        for chatty in ("httpx", "httpcore"):
            # They log whole addresses at INFO and cookies at DEBUG.
            logging.getLogger(chatty).setLevel(logging.WARNING)

    async def __aenter__(self) -> Self:
        """Itself; connections open with the first request."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close all connections."""
        await self.aclose()

    async def aclose(self) -> None:
        """Close all connections; cookies and validators stay exportable."""
        clients, self._clients = self._clients, {}
        for client in clients.values():
            await client.aclose()

    def now(self) -> float:
        """Unix time on the client's own clock."""
        return self._clock.now()

    async def settle(self, seconds: float) -> None:
        """Wait, on the client's own clock."""
        if seconds > 0:
            await self._clock.sleep(seconds)

    async def get(
        self, url: str, *, headers: Mapping[str, str] | None = None, conditional: bool = False
    ) -> Answer:
        """Read a page, following redirects and trying again after short failures.

        Args:
            url: Its address.
            headers: Further ones; they go to that host only, never along a redirect elsewhere.
            conditional: Whether an answer "unchanged since the last confirmed reading" will do.

        Returns:
            The whole page, or an answer that is ``unchanged``.

        Raises:
            BusyError: 429, 5xx, maintenance, a page cut short.
            UnreachableError: no answer.
            ForbiddenError: an inner address, or a browser check.
            GoneError: no valid address, or an endless redirect.
            LayoutChangedError: larger than any page should be.
        """
        first: AdapterError | None = None
        try:
            return await self._read(url, headers or {}, conditional=conditional)
        except AdapterError as error:
            if not _is_brief(error):
                raise
            first = error
        # Only now, because setting it up costs more than all else that we add to a request. The
        # context form of stamina sees no arguments, so it can log none.
        async for attempt in stamina.retry_context(
            on=_is_brief, attempts=self._manners.read_attempts, wait_initial=0.3, wait_jitter=0.3
        ):
            with attempt:
                if first is not None:
                    failed, first = first, None
                    raise failed
                return await self._read(url, headers or {}, conditional=conditional)
        raise AssertionError("unreachable")  # pragma: no cover - stamina returns or raises

    async def send(
        self,
        url: str,
        *,
        form: Form | None = None,
        json: Any = None,
        method: str = "POST",
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send a form or JSON once, never twice, and read the page that it leads to.

        Args:
            url: Where to.
            form: Fields, or
            json: a body.
            method: POST, PUT, PATCH or DELETE.
            headers: Further ones.

        Returns:
            The answer, or the page that a redirect led to.

        Raises:
            UnreachableError: nothing was sent.
            NotSentError: 429: the server refused to look at it.
            ForbiddenError: an inner address, or a browser check.
            GoneError: the address has moved, so that it would have to be sent again elsewhere.
            UnknownOutcomeError: anything else. Its ``url`` is where the way ended: after a
                redirect that is the page that the redirect named.
        """
        request = _Request(method, url, headers or {}, form, json)
        raw = await self._exchange(request)
        target = _redirect(raw)
        if not target:
            return self._answer(raw, request)
        if raw.status in _SAME_METHOD:
            raise GoneError(target, cure="address_moved", status=raw.status)
        try:
            return await self.get(target, headers=_headers_for(target, url, headers or {}))
        except AdapterError as error:
            # It was taken, only the page after it did not come.
            raise UnknownOutcomeError(
                target, cure="read_back", wait_s=error.wait_s, reason=error.cure
            ) from None

    async def permit(self, url: str) -> None:
        """Make sure that the site lets programs read an address, and keep the pace that it asks.

        Its robots.txt is asked for once a day at most, whatever comes; where none can be read,
        what it said before counts, or nothing.

        Raises:
            ForbiddenError: robots.txt names the address as one to leave alone.
            GoneError: no valid address.
        """
        if not self._manners.robots:
            return
        host, (scheme, place) = _host(url), _origin(url)
        origin = f"{scheme}://{place}"
        rules = self._robots.get(origin)
        if rules is None or not rules.is_fresh(self._clock.now()):
            rules = self._robots[origin] = await self._ask_robots(origin, rules)
        self._pace.slow(host, rules.delay_s)
        if not rules.allows(url):
            raise ForbiddenError(url, cure="robots_disallow", agent=AGENT)

    async def _ask_robots(self, origin: str, before: Robots | None) -> Robots:
        now = self._clock.now()
        try:
            answer = await self._read(f"{origin}/robots.txt", {}, conditional=False)
        except AdapterError as error:
            if error.facts.get("size") == 0:  # an empty page is cut short, an empty file is not
                return Robots(now)
            log.info("robots_unread", site=origin, cure=error.cure)
            return Robots(now, before.text if before is not None else "")
        return Robots.of(now, answer.text if answer.status == httpx.codes.OK else "")

    def confirm(self, url: str) -> None:
        """Say that what the last reading of an address told is safe in the database.

        From then on a conditional reading of it may be answered with "unchanged".
        """
        key = without_secrets(url)
        found = self._fresh.pop(key, None)
        if found is None:
            return
        self._validators.pop(key, None)
        if found:
            self._validators[key] = found
        while len(self._validators) > _VALIDATORS_KEPT:
            del self._validators[next(iter(self._validators))]

    def forget(self, url: str) -> None:
        """Make the next reading of an address a full one."""
        key = without_secrets(url)
        self._fresh.pop(key, None)
        self._validators.pop(key, None)

    def forget_session(self) -> None:
        """Drop all cookies: the session was refused, and the next login starts clean."""
        self._jar.clear()

    def export(self) -> dict[str, Any]:
        """Cookies and confirmed validators as plain data; the cookies are as secret as a password.

        Returns:
            What the constructor takes as ``saved``: JSON types only.
        """
        return {
            "cookies": [
                {
                    "name": cookie.name,
                    "value": cookie.value,
                    "domain": cookie.domain,
                    "path": cookie.path,
                    "expires": cookie.expires,
                    "secure": cookie.secure,
                }
                for cookie in self._jar
            ],
            "validators": {url: dict(kept) for url, kept in self._validators.items()},
            "robots": {
                origin: {"asked_at": rules.asked_at, "text": rules.text}
                for origin, rules in self._robots.items()
            },
        }

    def _restore(self, saved: Mapping[str, Any]) -> None:
        for kept in saved.get("cookies", ()):
            self._jar.set_cookie(_cookie(kept))
        for url, kept in saved.get("validators", {}).items():
            self._validators[str(url)] = {str(name): str(value) for name, value in kept.items()}
        for origin, kept in saved.get("robots", {}).items():
            self._robots[str(origin)] = Robots(float(kept["asked_at"]), str(kept["text"]))

    async def _read(self, url: str, headers: Mapping[str, str], *, conditional: bool) -> Answer:
        """Follow an address to its page."""
        _host(url)
        key = without_secrets(url)
        kept = self._validators.get(key, {}) if conditional else {}
        target = url
        for _hop in range(self._manners.redirects + 1):
            request = _Request("GET", target, {**_headers_for(target, url, headers), **kept})
            raw = await self._exchange(request)
            following = _redirect(raw)
            if not following:
                answer = self._answer(raw, request, unchanged_allowed=bool(kept))
                if conditional and raw.status == httpx.codes.OK:
                    self._fresh.pop(key, None)
                    self._fresh[key] = _validators(raw.headers)
                    while len(self._fresh) > _VALIDATORS_KEPT:
                        del self._fresh[next(iter(self._fresh))]
                return answer
            target = following
        raise GoneError(url, cure="redirect_loop", hops=self._manners.redirects)

    async def _exchange(self, request: _Request) -> _Raw:
        """One request and its whole answer, at the host's pace.

        Raises:
            UnreachableError, UnknownOutcomeError: by whether the request may have been acted on.
            ForbiddenError, GoneError, LayoutChangedError.
        """
        host = _host(request.url)
        client = self._client(host)
        async with self._pace.door(host), self._pace.of(host):
            self._let_rest(host, request)
            began = time.perf_counter()
            try:
                async with asyncio.timeout(self._manners.total_s):
                    raw = await self._ask(client, request)
            except SSRFProtectionError:
                raise ForbiddenError(request.url, cure="inner_address", host=host) from None
            except httpx.InvalidURL:
                raise GoneError(request.url, cure="mend_address") from None
            except _BEFORE_SENDING as error:
                cure = "check_certificate" if "CERTIFICATE" in str(error) else "unreachable"
                raise UnreachableError(
                    request.url, cure=cure, reason=type(error).__name__
                ) from None
            except (httpx.HTTPError, TimeoutError) as error:
                _lost(request, reason=type(error).__name__)
        log.debug(
            "http",
            method=request.method,
            url=without_secrets(request.url),
            status=raw.status,
            size=len(raw.body),
            seconds=round(time.perf_counter() - began, 3),
        )
        return raw

    def _let_rest(self, host: str, request: _Request) -> None:
        """Ask for nothing where the host has just asked somebody, on any of its sites, to wait.

        Raises:
            BusyError, NotSentError: with what is left of the wait.
        """
        left_s = self._pace.rest_of(host, self._clock.now())
        if left_s > 0:
            refused = NotSentError if request.writes else BusyError
            raise refused(request.url, cure="too_many_requests", wait_s=left_s)

    async def _ask(self, client: httpx.AsyncClient, request: _Request) -> _Raw:
        response = await client.send(
            client.build_request(
                request.method,
                _parsed(request.url),
                headers=dict(request.headers),
                data=dict(request.form) if request.form is not None else None,
                json=request.json,
            ),
            stream=True,
        )
        try:
            body, complete = await self._body(response, request)
        except (httpx.NetworkError, httpx.ReadTimeout, httpx.RemoteProtocolError) as error:
            _cut_short(request, reason=type(error).__name__)
        finally:
            await response.aclose()
        return _Raw(str(response.url), response.status_code, response.headers, body, complete)

    async def _body(self, response: httpx.Response, request: _Request) -> tuple[bytes, bool]:
        """The unpacked body and whether it came whole.

        ``aiter_bytes`` would unpack a bomb in one go; here no more than the limit is ever unpacked.
        """
        limit = self._manners.max_bytes
        coding = response.headers.get("content-encoding", "identity").strip().lower()
        if coding not in {"", "identity", "gzip", "x-gzip"}:
            _refuse(request, missing="content-encoding", coding=coding)
        packed = "gzip" in coding
        unpacker = zlib.decompressobj(wbits=31) if packed else None
        body = bytearray()
        async for chunk in response.aiter_raw():
            piece = chunk
            while unpacker is not None and piece:
                try:
                    body += unpacker.decompress(piece, limit + 1 - len(body))
                except zlib.error:
                    _refuse(request, missing="gzip", coding=coding)
                if len(body) > limit:
                    break
                piece = unpacker.unconsumed_tail
                if unpacker.eof and unpacker.unused_data.startswith(b"\x1f\x8b"):
                    piece = unpacker.unused_data
                    unpacker = zlib.decompressobj(wbits=31)
            if unpacker is None:
                body += chunk
            if len(body) > limit:
                _refuse(request, missing="page_of_bearable_size", limit=limit)
        return bytes(body), unpacker is None or unpacker.eof or not body

    def _answer(self, raw: _Raw, request: _Request, *, unchanged_allowed: bool = False) -> Answer:
        """Judge what came: a page, "unchanged", or the reason why it is neither."""
        wait_s = _retry_after(raw.headers, self._clock.now())
        if wait_s and raw.status in _RESTING and not request.writes:
            # Not after a refused post: "two posts a day" is no reason to stop reading.
            self._pace.rest(_host(request.url), self._clock.now() + wait_s)
        text = _decoded(raw)
        _raise_for_wall(raw, text, request.url)
        if raw.status == httpx.codes.TOO_MANY_REQUESTS:
            refused = NotSentError if request.writes else BusyError
            raise refused(request.url, cure="too_many_requests", wait_s=wait_s, status=raw.status)
        if raw.status >= httpx.codes.INTERNAL_SERVER_ERROR or raw.status in {
            httpx.codes.REQUEST_TIMEOUT,
            httpx.codes.TOO_EARLY,
        }:
            if request.writes:
                _lost(request, wait_s=wait_s, status=raw.status)
            raise BusyError(request.url, cure="server_error", wait_s=wait_s, status=raw.status)
        if raw.status == httpx.codes.NOT_MODIFIED and unchanged_allowed:
            return Answer(without_secrets(raw.url), raw.status, "", unchanged=True)
        if raw.status == httpx.codes.NOT_MODIFIED:
            raise BusyError(request.url, cure="server_error", status=raw.status)
        if not _is_whole(raw, text):
            _cut_short(request, size=len(raw.body))
        if _is_maintenance(text):
            if request.writes:
                _lost(request, reason="maintenance")
            raise BusyError(request.url, cure="maintenance", wait_s=wait_s)
        headers = {name: value for name, value in raw.headers.items() if name != "set-cookie"}
        return Answer(without_secrets(raw.url), raw.status, text, headers=headers)

    def _client(self, host: str) -> httpx.AsyncClient:
        """The one client of a host; all of them share the site's cookies."""
        client = self._clients.get(host)
        if client is not None:
            return client
        manners = self._manners
        client = httpx.AsyncClient(
            transport=self._transport,
            cookies=self._jar,
            verify=self._tls,
            # Proxies and .netrc of the environment would go round the check of addresses.
            trust_env=False,
            follow_redirects=False,
            headers={
                "user-agent": self._user_agent,
                "accept": "text/html,application/xhtml+xml,application/json;q=0.9,*/*;q=0.5",
                "accept-encoding": "gzip",
                "accept-language": "en,es;q=0.8",
            },
            # How many are open is the pace's business, which all sites of a host share.
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=1),
            timeout=httpx.Timeout(manners.read_s, connect=manners.connect_s),
        )
        if self._transport is None and host not in self._allow_private:
            httpx_ssrf_protection(client)
        self._clients[host] = client
        return client


@lru_cache(maxsize=1024)
def _parsed(url: str) -> httpx.URL:
    """An address taken apart once; the same few are asked for at every poll."""
    return httpx.URL(url)


def _user_agent(contact: str) -> str:
    """Who asks, with a way to reach whoever runs it.

    Without a version: forums bind sessions to it, and an upgrade should not log everybody out.
    """
    cleaned = re.sub(r"[^\x21-\x7e]+", " ", contact).strip()[:200]
    return f"pbw-referee (+{cleaned})" if cleaned else "pbw-referee"


def _host(url: str) -> str:
    """The host of an address that may be asked at all.

    Raises:
        GoneError: not http(s), no host, or a name and password before the host.
    """
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").casefold()
    except ValueError:
        host = ""
    if not host or parts.scheme not in {"http", "https"} or "@" in parts.netloc:
        raise GoneError(url if host else "", cure="mend_address")
    return host


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.casefold()


def _headers_for(target: str, first: str, headers: Mapping[str, str]) -> Mapping[str, str]:
    """The caller's own headers, but not for a stranger: they may hold an API key."""
    return headers if _origin(target) == _origin(first) else {}


def _redirect(raw: _Raw) -> str:
    """Where an answer sends us, or an empty string."""
    if raw.status not in _REDIRECTS:
        return ""
    location = str(raw.headers.get("location", ""))
    try:
        return urljoin(raw.url, location) if location else ""
    except ValueError:
        raise GoneError(raw.url, cure="mend_address", status=raw.status) from None


def _lost(request: _Request, *, wait_s: float | None = None, **facts: Any) -> NoReturn:
    """Raise what an answer that did not come, or tells nothing, means for such a request."""
    if request.writes:
        raise UnknownOutcomeError(request.url, cure="read_back", wait_s=wait_s, **facts) from None
    raise UnreachableError(request.url, cure="unreachable", wait_s=wait_s, **facts) from None


def _cut_short(request: _Request, **facts: Any) -> NoReturn:
    """Raise that the answer began but did not come to its end."""
    if request.writes:
        _lost(request, **{"reason": "page_cut_short", **facts})
    raise BusyError(request.url, cure="page_cut_short", **facts) from None


def _refuse(request: _Request, *, missing: str, **facts: Any) -> NoReturn:
    """Raise that we will not read such an answer."""
    if request.writes:
        raise UnknownOutcomeError(request.url, cure="read_back", reason=missing, **facts) from None
    raise LayoutChangedError(
        request.url, cure="send_page_to_maintainers", missing=missing, **facts
    ) from None


def _is_brief(error: Exception) -> bool:
    """Whether a failed read may be tried again at once.

    Not when the server has asked for patience, and not in maintenance: there the site's back-off
    takes over.
    """
    if isinstance(error, UnreachableError):
        return error.cure == "unreachable"
    return (
        isinstance(error, BusyError)
        and error.wait_s is None
        and error.cure in {"server_error", "page_cut_short"}
    )


def _retry_after(headers: httpx.Headers, now: float) -> float | None:
    """Seconds that the server asks us to wait, at most a day; None when it does not say.

    Its own ``Date`` is the reference for a date, because our clock may differ from its.
    """
    value = str(headers.get("retry-after", "")).strip()
    if not value:
        return None
    if value.isascii() and value.isdigit():
        return min(float(value[:9]), _LONGEST_WAIT_S)
    until = _http_date(value)
    if until is None:
        return None
    reference = _http_date(str(headers.get("date", "")))
    return min(max(0.0, until - (now if reference is None else reference)), _LONGEST_WAIT_S)


def _http_date(value: str) -> float | None:
    if not value:
        return None
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _validators(headers: httpx.Headers) -> dict[str, str]:
    """What to send back, verbatim, to ask whether this page has changed.

    A ``Last-Modified`` as young as the answer itself proves nothing: a second post in the same
    second would bear the same stamp and stay unseen for good (RFC 9110, 8.8.2.2).
    """
    kept: dict[str, str] = {}
    if headers.get("etag"):
        kept["if-none-match"] = headers["etag"]
    modified = _http_date(headers.get("last-modified", ""))
    answered = _http_date(headers.get("date", "")) if modified is not None else None
    if modified is not None and answered is not None and answered - modified > 1:
        kept["if-modified-since"] = headers["last-modified"]
    return kept


def _decoded(raw: _Raw) -> str:
    """The text: by the header's charset, else the page's, else UTF-8, else what browsers assume."""
    content_type = str(raw.headers.get("content-type", ""))
    label = re.search(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", content_type, re.IGNORECASE)
    named = label.group(1) if label else ""
    if not named:
        meta = _META_CHARSET.search(raw.body[:2048])
        named = meta.group(1).decode("ascii") if meta else ""
    codec = _CHARSETS.get(named.lower(), "utf-8")
    body = raw.body.removeprefix(codecs.BOM_UTF8)
    try:
        return body.decode(codec)
    except UnicodeDecodeError:
        # One broken byte (a name cut in the middle) must not hide a page.
        return body.decode(codec if named else "cp1252", "replace")


def _is_whole(raw: _Raw, text: str) -> bool:
    """Whether a page came to its end; a page cut off without a length is a 200 all the same."""
    if not raw.complete:
        return False
    if not httpx.codes.is_success(raw.status) or raw.status == httpx.codes.NO_CONTENT:
        return True
    start = text[:200].lstrip().lower()
    if start.startswith(("<!doctype html", "<html")):
        # From the end, where it is: a search from the front meets every tag of the page first.
        return text.rfind("</html") >= 0 or "</html" in text[-100_000:].lower()
    if "json" in str(raw.headers.get("content-type", "")):
        return _is_framed(raw) or _is_json(text)
    return bool(text.strip())


def _is_framed(raw: _Raw) -> bool:
    """Whether the protocol itself told where the body ends, so that a cut would have shown."""
    return "content-length" in raw.headers or "transfer-encoding" in raw.headers


def _is_json(text: str) -> bool:
    try:
        jsonlib.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _is_maintenance(text: str) -> bool:
    """Whether this is somebody's "back soon" page: its heading says so and nothing can be done.

    A thread whose title holds such a word still has its forms and links.
    """
    head = text[:20_000]
    return (
        len(text) < 20_000
        and _MAINTENANCE.search(head) is not None
        and "<form" not in head.lower()
        and head.lower().count("<a ") < 4
    )


def _raise_for_wall(raw: _Raw, text: str, url: str) -> None:
    """Raise for what stands before the forum and wants a person: a stop, not a puzzle.

    Raises:
        ForbiddenError: a browser check, or a question for the reader's age or consent.
    """
    head = text[:20_000]
    if _is_browser_check(raw, head):
        raise ForbiddenError(url, cure="browser_check", status=raw.status)
    if raw.status != httpx.codes.OK or not _is_bare(text):
        return
    if _CHALLENGE.search(head):
        raise ForbiddenError(url, cure="browser_check", status=raw.status)
    if not re.search(r"<(form|button)\b", text, re.IGNORECASE):
        return
    if _AGE.search(head):
        raise ForbiddenError(url, cure="age_wall", status=raw.status)
    if _CONSENT.search(head):
        raise ForbiddenError(url, cure="consent_wall", status=raw.status)


def _is_bare(text: str) -> bool:
    """Whether a page is too poor in links for a forum's, so that its words are all there is."""
    # Nearly all pages end here: what is asked first must be cheap.
    return len(text) < 60_000 and text.count("<a ") + text.count("<A ") <= 8


def _is_browser_check(raw: _Raw, head: str) -> bool:
    """Whether a content network refuses us until it has seen a browser."""
    if raw.headers.get("cf-mitigated", "") == "challenge":
        return True
    if raw.status not in {
        httpx.codes.FORBIDDEN,
        httpx.codes.TOO_MANY_REQUESTS,
        httpx.codes.SERVICE_UNAVAILABLE,
    }:
        return False
    behind_cloudflare = "cf-ray" in raw.headers or raw.headers.get("server") == "cloudflare"
    return _CHALLENGE.search(head) is not None or (
        behind_cloudflare and _JUST_A_MOMENT.search(head) is not None
    )


def _cookie(kept: Mapping[str, Any]) -> Cookie:
    """A cookie from plain data."""
    domain = str(kept["domain"])
    expires = kept.get("expires")
    return Cookie(
        version=0,
        name=str(kept["name"]),
        value=str(kept["value"]),
        port=None,
        port_specified=False,
        domain=domain,
        domain_specified=bool(domain),
        domain_initial_dot=domain.startswith("."),
        path=str(kept["path"]),
        path_specified=True,
        secure=bool(kept["secure"]),
        expires=int(expires) if expires is not None else None,
        discard=expires is None,
        comment=None,
        comment_url=None,
        rest={},
    )
