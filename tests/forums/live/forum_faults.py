"""What goes wrong on the way to a real forum: a layer in front of it, inside its own server.

``read`` faults meet pages of topics and ``write`` faults meet posts; logging in is left alone.
"""

import re
import socket
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]
Way = Callable[["Site", Application, Environ, StartResponse], Iterable[bytes]]

CONNECTION: Final = "forum.connection"
_PAGE: Final = (("Content-Type", "text/html; charset=utf-8"),)
_MAINTENANCE: Final = b"<html><head><title>Down for maintenance</title></head><body></body></html>"


@dataclass(frozen=True)
class Site:
    """What the layer must know of the forum behind it.

    Attributes:
        read: Path of a page of a topic, not of the redirects that lead to one.
        write: Path that a reply or an edit is sent to.
        login_path: Where its login form is.
        posts_marked: What on a page marks posts, for making them unrecognisable.
        ways: Ways to go wrong that are its own; they win over ``WAYS``.
    """

    read: re.Pattern[str]
    write: re.Pattern[str]
    login_path: str
    posts_marked: bytes
    ways: Mapping[str, Way] = field(default_factory=dict)


class Faults:
    """Faults to come, by kind of request, in order; an application like the one it stands for."""

    def __init__(self, forum: Application, site: Site) -> None:
        self._forum = forum
        self._site = site
        self._met = {"read": site.read, "write": site.write}
        self._ways = {**WAYS, **site.ways}
        self._named: dict[str, list[str]] = {"read": [], "write": []}

    def next(self, name: str, kind: str, times: int) -> None:
        """Let the next requests of a kind meet a fault."""
        if name not in self._ways:
            raise ValueError(name)
        self._named[kind].extend([name] * times)

    def clear(self) -> None:
        """Let everything go well from now on."""
        for names in self._named.values():
            names.clear()

    def __call__(self, environ: Environ, start: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        kind = "read" if environ["REQUEST_METHOD"] in {"GET", "HEAD"} else "write"
        names = self._named[kind]
        if not names or not self._met[kind].match(environ["PATH_INFO"]):
            return self._forum(environ, start)
        return self._ways[names.pop(0)](self._site, self._forum, environ, start)


def too_many(
    _site: Site, _forum: Application, _environ: Environ, start: StartResponse
) -> Iterable[bytes]:
    """429, and nothing was done."""
    start("429 Too Many Requests", [*_PAGE, ("Retry-After", "7")])
    return [b"<html></html>"]


def error(
    _site: Site, _forum: Application, _environ: Environ, start: StartResponse
) -> Iterable[bytes]:
    """500, and nothing was done."""
    start("500 Internal Server Error", [*_PAGE])
    return [b"<html></html>"]


def error_after(
    site: Site, forum: Application, environ: Environ, start: StartResponse
) -> Iterable[bytes]:
    """The post lands, then 500."""
    _swallowed(forum, environ)
    return error(site, forum, environ, start)


def reply_lost(
    site: Site, forum: Application, environ: Environ, start: StartResponse
) -> Iterable[bytes]:
    """The post lands, then the connection closes."""
    _swallowed(forum, environ)
    return silent(site, forum, environ, start)


def silent(
    _site: Site, _forum: Application, environ: Environ, start: StartResponse
) -> Iterable[bytes]:
    """The connection closes, and nothing was done."""
    environ[CONNECTION].shutdown(socket.SHUT_RDWR)
    start("200 OK", [*_PAGE])
    return [b""]


def cut(_site: Site, forum: Application, environ: Environ, start: StartResponse) -> Iterable[bytes]:
    """Half a page, with no length that would tell."""
    page, kind = _swallowed(forum, environ)
    start("200 OK", [kind])
    # The length of a list of one would be told.
    return iter([page[: len(page) // 2]])


def no_posts(
    site: Site, forum: Application, environ: Environ, start: StartResponse
) -> Iterable[bytes]:
    """A whole page whose posts nobody recognises, as after an upgrade."""
    page, kind = _swallowed(forum, environ)
    start("200 OK", [kind])
    return [page.replace(site.posts_marked, b"otherwise-marked")]


def maintenance(
    _site: Site, _forum: Application, _environ: Environ, start: StartResponse
) -> Iterable[bytes]:
    """A page of somebody in front of the forum, with status 200."""
    start("200 OK", [*_PAGE])
    return [_MAINTENANCE]


def login_page(
    site: Site, forum: Application, environ: Environ, start: StartResponse
) -> Iterable[bytes]:
    """The login form with status 200, under the address that was asked for."""
    return forum({**environ, "PATH_INFO": site.login_path, "HTTP_COOKIE": ""}, start)


def bad_token(
    _site: Site, forum: Application, environ: Environ, start: StartResponse
) -> Iterable[bytes]:
    """Django's own refusal of a form whose cookie has changed since."""
    cookies = environ.get("HTTP_COOKIE", "").split("; ")
    kept = "; ".join(cookie for cookie in cookies if not cookie.startswith("csrftoken="))
    return forum({**environ, "HTTP_COOKIE": kept}, start)


WAYS: Final[Mapping[str, Way]] = {
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
    )
}


def _swallowed(forum: Application, environ: Environ) -> tuple[bytes, tuple[str, str]]:
    """Let the forum answer, and keep the answer and the header with its kind to ourselves."""
    headers: dict[str, str] = {}
    answer = forum(environ, lambda _status, given, *_error: headers.update(given))
    try:
        return b"".join(answer), ("Content-Type", headers.get("Content-Type", "text/html"))
    finally:
        if hasattr(answer, "close"):
            answer.close()
