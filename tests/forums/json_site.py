"""What the fake sites with a JSON interface share: a server on loopback, routes, faults.

A platform's fake is a subclass with its state, its routes and the form of its errors; it goes wrong
on demand.
"""

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Final
from urllib.parse import parse_qs, parse_qsl, urlsplit

_MAINTENANCE: Final = "<html><head><title>Down for maintenance</title></head><body></body></html>"
# These come instead of an answer; what was asked for does not happen.
_INSTEAD: Final = frozenset({"too_many", "error", "silent", "maintenance"})


@dataclass(frozen=True, slots=True)
class Asked:
    """One request."""

    method: str
    path: str
    query: Mapping[str, list[str]]
    body: Mapping[str, Any]
    headers: Mapping[str, str]


@dataclass(slots=True)
class Reply:
    """An answer that is more than a body with status 200."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


class RefusedError(Exception):
    """An error as the platform answers it."""

    def __init__(self, status: int, body: Any, **headers: str) -> None:
        self.reply = Reply(body, status, headers)


class JsonSite:
    """A site. Its methods change the state as people and moderators would.

    Attributes:
        requests: What was asked so far.
        sizes: How many bytes each answer had.
    """

    # Method, path, name of the way that answers it.
    routes: ClassVar[tuple[tuple[str, str, str], ...]] = ()
    # Where faults happen: on what is asked about threads, not about accounts.
    faulty: ClassVar[str] = "/"

    def __init__(self, clock: Callable[[], float]) -> None:
        self.requests: list[str] = []
        self.sizes: list[int] = []
        self.clock = clock
        self.lock = threading.RLock()
        self._named: dict[str, list[str]] = {"read": [], "write": []}
        # Words that readers do not get to see.
        self.censored: set[str] = set()

    def not_found(self) -> RefusedError:
        """The platform's 404."""
        raise NotImplementedError

    def too_many(self) -> Reply:
        """The platform's 429, which asks for 7 seconds."""
        raise NotImplementedError

    def emptied(self, answer: Any) -> Any:
        """A thread's page without its posts."""
        raise NotImplementedError

    def filtered(self, html: str, sign: str) -> str:
        """A text as readers see it: signs in place of words. What stands in tags is no word."""
        for word in self.censored:
            html = re.sub(
                rf"<[^>]*>|\b{re.escape(word)}\b",
                lambda found: found[0] if found[0].startswith("<") else sign * len(found[0]),
                html,
                flags=re.IGNORECASE,
            )
        return html

    def admit(self, asked: Asked) -> None:
        """Refuse whoever may not even ask."""

    def fault(self, name: str, kind: str, times: int = 1) -> None:
        """Let the next requests of a kind go wrong: too_many, error, cut, empty, ..."""
        self._named[kind].extend([name] * times)

    def no_faults(self) -> None:
        for names in self._named.values():
            names.clear()

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Serve in the background; gives the site's address."""
        server = _Server(self)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def answered(self, asked: Asked) -> tuple[str, Reply]:
        """The fault that a request suffers, and what is answered to it."""
        with self.lock:
            self.requests.append(f"{asked.method} {asked.path}")
            fault = self._next_fault(asked)
            if fault == "too_many":
                return fault, self.too_many()
            if fault in _INSTEAD:
                return fault, Reply({})
            try:
                self.admit(asked)
                reply = self._routed(asked)
            except RefusedError as refused:
                return fault, refused.reply
            if fault == "empty":
                reply.body = self.emptied(reply.body)
            return fault, reply

    def _next_fault(self, asked: Asked) -> str:
        names = self._named["read" if asked.method == "GET" else "write"]
        return names.pop(0) if names and re.match(self.faulty, asked.path) else ""

    def _routed(self, asked: Asked) -> Reply:
        for method, pattern, name in self.routes:
            found = re.fullmatch(pattern, asked.path)
            if found and method == asked.method:
                answer = getattr(self, name)(asked, *found.groups())
                return answer if isinstance(answer, Reply) else Reply(answer)
        raise self.not_found()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, site: JsonSite) -> None:
        self.site = site
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    wbufsize = 2**16

    def log_message(self, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(self.command, parts.path, parse_qs(parts.query), self._body(), headers)
        fault, reply = self.server.site.answered(asked)
        if fault in {"silent", "reply_lost"}:
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self._send(fault, reply)

    def do_POST(self) -> None:
        self.do_GET()

    def do_PUT(self) -> None:
        self.do_GET()

    def do_PATCH(self) -> None:
        self.do_GET()

    def _body(self) -> Mapping[str, Any]:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        if "json" in self.headers.get("Content-Type", ""):
            body: dict[str, Any] = json.loads(raw)
            return body
        return dict(parse_qsl(raw, keep_blank_values=True))

    def _send(self, fault: str, reply: Reply) -> None:
        status, kind = reply.status, "text/plain"
        if isinstance(reply.body, bytes):
            text = reply.body.decode()
        else:
            text, kind = json.dumps(reply.body), "application/json"
        if fault in {"error", "error_after"}:
            status = 500
        elif fault == "maintenance":
            text, kind = _MAINTENANCE, "text/html"
        elif fault == "cut":
            text = text[: len(text) // 2]
        self.server.site.sizes.append(len(text.encode()))
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())
