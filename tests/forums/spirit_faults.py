"""What goes wrong on the way to a real Spirit: a layer in front of it, inside its own server.

``read`` faults meet pages of topics and ``write`` faults meet posts; logging in is left alone.
"""

import re
import socket
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final
from unittest import mock

from django.conf import settings
from spirit.core.utils.ratelimit import ratelimit

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]

# Pages of topics, not the redirects that lead to them.
MET: Final = {"read": re.compile(r"/topic/[0-9]+/."), "write": re.compile(r"/comment/")}
CONNECTION: Final = "forum.connection"
_PAGE: Final = (("Content-Type", "text/html; charset=utf-8"),)
_MAINTENANCE: Final = b"<html><head><title>Down for maintenance</title></head><body></body></html>"


class Faults:
    """Faults to come, by kind of request, in order; an application like the one it stands for."""

    def __init__(self, forum: Application) -> None:
        self._forum = forum
        self._named: dict[str, list[str]] = {"read": [], "write": []}

    def next(self, name: str, kind: str, times: int) -> None:
        """Let the next requests of a kind meet a fault."""
        if name not in WAYS:
            raise ValueError(name)
        self._named[kind].extend([name] * times)

    def clear(self) -> None:
        """Let everything go well from now on."""
        for names in self._named.values():
            names.clear()

    def __call__(self, environ: Environ, start: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        kind = "write" if environ["REQUEST_METHOD"] == "POST" else "read"
        names = self._named[kind]
        way = WAYS[names.pop(0)] if names and MET[kind].match(environ["PATH_INFO"]) else None
        if way is None:
            return self._forum(environ, start)
        return way(self._forum, environ, start)


def too_many(_forum: Application, _environ: Environ, start: StartResponse) -> Iterable[bytes]:
    """429, and nothing was done."""
    start("429 Too Many Requests", [*_PAGE, ("Retry-After", "7")])
    return [b"<html></html>"]


def error(_forum: Application, _environ: Environ, start: StartResponse) -> Iterable[bytes]:
    """500, and nothing was done."""
    start("500 Internal Server Error", [*_PAGE])
    return [b"<html></html>"]


def error_after(forum: Application, environ: Environ, start: StartResponse) -> Iterable[bytes]:
    """The post lands, then 500."""
    _swallowed(forum, environ)
    return error(forum, environ, start)


def reply_lost(forum: Application, environ: Environ, start: StartResponse) -> Iterable[bytes]:
    """The post lands, then the connection closes."""
    _swallowed(forum, environ)
    return silent(forum, environ, start)


def silent(_forum: Application, environ: Environ, start: StartResponse) -> Iterable[bytes]:
    """The connection closes, and nothing was done."""
    environ[CONNECTION].shutdown(socket.SHUT_RDWR)
    start("200 OK", [*_PAGE])
    return [b""]


def cut(forum: Application, environ: Environ, start: StartResponse) -> Iterable[bytes]:
    """Half a page, with no length that would tell."""
    page = _swallowed(forum, environ)
    start("200 OK", [*_PAGE])
    return [page[: len(page) // 2]]


def no_posts(forum: Application, environ: Environ, start: StartResponse) -> Iterable[bytes]:
    """A whole page whose posts nobody recognises, as after an upgrade."""
    page = _swallowed(forum, environ).replace(b"comments_list__", b"list-of-comments__")
    start("200 OK", [*_PAGE])
    return [page]


def maintenance(_forum: Application, _environ: Environ, start: StartResponse) -> Iterable[bytes]:
    """A page of somebody in front of the forum, with status 200."""
    start("200 OK", [*_PAGE])
    return [_MAINTENANCE]


def login_page(forum: Application, environ: Environ, start: StartResponse) -> Iterable[bytes]:
    """The login form with status 200, under the address that was asked for."""
    return forum({**environ, "PATH_INFO": "/user/login/", "HTTP_COOKIE": ""}, start)


def bad_token(forum: Application, environ: Environ, start: StartResponse) -> Iterable[bytes]:
    """Django's own refusal of a form whose cookie has changed since."""
    cookies = environ.get("HTTP_COOKIE", "").split("; ")
    kept = "; ".join(cookie for cookie in cookies if not cookie.startswith("csrftoken="))
    return forum({**environ, "HTTP_COOKIE": kept}, start)


def flood(forum: Application, environ: Environ, start: StartResponse) -> Iterable[bytes]:
    """Spirit's own refusal of a post that comes too soon."""
    with (
        mock.patch.object(settings, "ST_RATELIMIT_ENABLE", new=True),
        mock.patch.object(ratelimit, "split_rate", return_value=(0, 10)),
    ):
        return list(forum(environ, start))


WAYS: Final[Mapping[str, Callable[[Application, Environ, StartResponse], Iterable[bytes]]]] = {
    way.__name__: way
    for way in (
        too_many,
        error,
        error_after,
        reply_lost,
        silent,
        cut,
        no_posts,
        maintenance,
        login_page,
        bad_token,
        flood,
    )
}


def _swallowed(forum: Application, environ: Environ) -> bytes:
    """Let the forum answer, and keep the answer to ourselves."""
    answer = forum(environ, lambda *_status_and_headers: None)
    try:
        return b"".join(answer)
    finally:
        if hasattr(answer, "close"):
            answer.close()
