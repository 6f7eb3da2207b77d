"""A Discourse site with one category, served on loopback as JSON.

Stateful: users with API keys, topics, posts. It enforces what a real site does (keys, texts too
short or too like the last one, closed topics, slow mode, the queue of moderators) and goes wrong on
demand.
"""

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from tests.forums.cooked import cook

CHUNK: Final = 20
SHORTEST: Final = 20
SIMILAR_S: Final = 300.0
_MAINTENANCE: Final = "<html><head><title>Down for maintenance</title></head><body></body></html>"


@dataclass(slots=True)
class User:
    """A member; ``key`` is what the API takes for them."""

    id: int
    name: str
    key: str
    last_raw: str = ""
    last_at: float = -1e9


@dataclass(slots=True)
class Kept:
    """A post as the site keeps it."""

    id: int
    number: int
    user: User
    raw: str
    at: float
    version: int = 1
    type: int = 1
    deleted: bool = False
    hidden: bool = False


@dataclass(slots=True)
class Topic:
    """A topic and its state."""

    id: int
    title: str
    posts: list[Kept] = field(default_factory=list)
    closed: bool = False
    archived: bool = False
    gone: bool = False
    readable: bool = True
    slow_s: int = 0
    queued: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """One request."""

    method: str
    path: str
    query: Mapping[str, list[str]]
    body: Mapping[str, Any]
    user: User | None
    key_given: bool


class RefusedError(Exception):
    """An error as Discourse answers it."""

    def __init__(self, status: int, said: str, kind: str = "", **headers: str) -> None:
        self.status = status
        self.headers = headers
        self.body: dict[str, Any] = {"errors": [said]}
        if kind:
            self.body["error_type"] = kind


class FakeDiscourse:
    """The site. Its methods change the state as people and moderators would."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.users: list[User] = []
        self.topics: dict[int, Topic] = {}
        self.requests: list[str] = []
        self._clock = clock
        self._lock = threading.RLock()
        self._named: dict[str, list[str]] = {"read": [], "write": []}
        self._next_post = 100

    def add_user(self, name: str, key: str = "") -> User:
        user = User(len(self.users) + 1, name, key or f"key-of-{name}")
        self.users.append(user)
        return user

    def add_topic(self, title: str, by: str, raw: str) -> Topic:
        topic = Topic(len(self.topics) + 7, title)
        self.topics[topic.id] = topic
        self.post(topic, by, raw)
        return topic

    def post(self, topic: Topic, by: str, raw: str, **state: Any) -> Kept:
        with self._lock:
            user = next(user for user in self.users if user.name == by)
            self._next_post += 1
            post = Kept(self._next_post, len(topic.posts) + 1, user, raw, self._clock(), **state)
            topic.posts.append(post)
            return post

    def find(self, post_id: int) -> Kept | None:
        posts = (post for topic in self.topics.values() for post in topic.posts)
        return next((post for post in posts if post.id == post_id), None)

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

    def next_fault(self, asked: Asked) -> str:
        names = self._named["read" if asked.method == "GET" else "write"]
        is_met = asked.path.startswith(("/t/", "/posts"))
        return names.pop(0) if names and is_met else ""

    def answer(self, asked: Asked) -> dict[str, Any]:
        """What the site answers. Raises ``RefusedError``."""
        with self._lock:
            self.requests.append(f"{asked.method} {asked.path}")
            if asked.key_given and asked.user is None:
                raise RefusedError(403, "The API username or key is invalid.", "invalid_access")
            for method, pattern, way in (
                ("GET", r"/u/(.+)\.json", self._user),
                ("GET", r"/t/([0-9]+)\.json", self._topic),
                ("GET", r"/t/([0-9]+)/posts\.json", self._some_posts),
                ("GET", r"/posts/([0-9]+)\.json", self._one_post),
                ("POST", r"/posts\.json", self._create),
                ("PUT", r"/posts/([0-9]+)\.json", self._update),
            ):
                found = re.fullmatch(pattern, asked.path)
                if found and method == asked.method:
                    return way(asked, *found.groups())
        raise _not_found()

    def _user(self, asked: Asked, name: str) -> dict[str, Any]:
        del asked
        user = next((user for user in self.users if user.name == unquote(name)), None)
        if user is None:
            raise _not_found()
        return {"user": {"id": user.id, "username": user.name}}

    def _topic(self, asked: Asked, number: str) -> dict[str, Any]:
        topic = self._readable(number)
        page = int(asked.query.get("page", ["1"])[0])
        ids = [post.id for post in topic.posts if not post.deleted]
        wanted = ids[(page - 1) * CHUNK : page * CHUNK]
        details = {"can_flag_topic": True}
        if not topic.closed and not topic.archived and asked.user is not None:
            details["can_create_post"] = True
        return {
            "post_stream": {
                "posts": [self._shown(post, asked) for post in topic.posts if post.id in wanted],
                "stream": ids,
            },
            "id": topic.id,
            "title": topic.title,
            "posts_count": len(ids),
            "chunk_size": CHUNK,
            "closed": topic.closed,
            "archived": topic.archived,
            "slow_mode_seconds": topic.slow_s,
            "details": details,
        }

    def _some_posts(self, asked: Asked, number: str) -> dict[str, Any]:
        topic = self._readable(number)
        wanted = set(map(int, asked.query.get("post_ids[]", [])))
        posts = [self._shown(post, asked) for post in topic.posts if post.id in wanted]
        return {"post_stream": {"posts": posts}, "id": topic.id}

    def _one_post(self, asked: Asked, number: str) -> dict[str, Any]:
        post = self.find(int(number))
        if post is None or post.deleted:
            raise _not_found()
        return self._shown(post, asked) | {"raw": post.raw, "can_edit": post.user is asked.user}

    def _create(self, asked: Asked) -> dict[str, Any]:
        topic, user = self._readable(asked.body["topic_id"]), _known(asked)
        if topic.closed or topic.archived:
            raise RefusedError(
                403, "You are not permitted to view the requested resource.", "invalid_access"
            )
        raw = self._checked(asked.body["raw"])
        now = self._clock()
        mine = [post.at for post in topic.posts if post.user is user]
        if mine and now - mine[-1] < topic.slow_s:
            raise RefusedError(422, "This topic is in slow mode. Please wait before posting again.")
        if user.last_raw == raw and now - user.last_at < SIMILAR_S:
            raise RefusedError(422, "Body is too similar to what you recently posted")
        user.last_raw, user.last_at = raw, now
        if topic.queued:
            return {"success": True, "action": "enqueued", "pending_post": {"id": 1}}
        return self._shown(self.post(topic, user.name, raw), asked)

    def _update(self, asked: Asked, number: str) -> dict[str, Any]:
        post, user = self.find(int(number)), _known(asked)
        if post is None or post.deleted:
            raise _not_found()
        if post.user is not user:
            raise RefusedError(403, "You are not permitted to edit that post.", "invalid_access")
        post.raw = self._checked(asked.body["post"]["raw"])
        post.version += 1
        return {"post": self._shown(post, asked)}

    def _checked(self, raw: str) -> str:
        if len(raw.strip()) < SHORTEST:
            raise RefusedError(422, f"Body is too short (minimum is {SHORTEST} characters)")
        return raw.strip()

    def _readable(self, number: Any) -> Topic:
        topic = self.topics.get(int(number))
        if topic is None or topic.gone:
            raise _not_found()
        if not topic.readable:
            raise RefusedError(
                403, "You are not permitted to view the requested resource.", "invalid_access"
            )
        return topic

    def _shown(self, post: Kept, asked: Asked) -> dict[str, Any]:
        shown = {
            "id": post.id,
            "post_number": post.number,
            "user_id": post.user.id,
            "username": post.user.name,
            "created_at": datetime.fromtimestamp(post.at, UTC).isoformat().replace("+00:00", "Z"),
            "cooked": cook(post.raw),
            "version": post.version,
            "post_type": post.type,
            "hidden": post.hidden,
            "deleted_at": None,
            "yours": post.user is asked.user,
        }
        return shown | {"raw": post.raw} if "include_raw" in asked.query else shown


def _not_found() -> RefusedError:
    return RefusedError(404, "The requested URL or resource could not be found.", "not_found")


def _known(asked: Asked) -> User:
    if asked.user is None:
        raise RefusedError(403, "You need to be logged in to do that.", "not_logged_in")
    return asked.user


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, site: FakeDiscourse) -> None:
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
        self._handle({})

    def do_POST(self) -> None:
        self._handle(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def do_PUT(self) -> None:
        self.do_POST()

    def _handle(self, body: Mapping[str, Any]) -> None:
        site, parts = self.server.site, urlsplit(self.path)
        key, name = self.headers.get("Api-Key"), unquote(self.headers.get("Api-Username", ""))
        user = next((user for user in site.users if (user.key, user.name) == (key, name)), None)
        asked = Asked(
            self.command, parts.path, parse_qs(parts.query), body, user, key_given=key is not None
        )
        fault = site.next_fault(asked)
        status, headers, answer = 200, {}, {}
        if fault not in {"too_many", "error", "silent", "maintenance"}:
            try:
                answer = site.answer(asked)
            except RefusedError as refused:
                status, headers, answer = refused.status, refused.headers, refused.body
        if fault == "empty":
            answer["post_stream"]["posts"] = []
        self._send(fault, status, headers, json.dumps(answer))

    def _send(self, fault: str, status: int, headers: Mapping[str, str], text: str) -> None:
        kind = "application/json"
        if fault in {"silent", "reply_lost"}:
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        if fault == "too_many":
            status, headers = 429, {"Retry-After": "7"}
            text = json.dumps({"errors": ["Please wait 7 seconds"], "error_type": "rate_limit"})
        elif fault in {"error", "error_after"}:
            status = 500
        elif fault == "maintenance":
            text, kind = _MAINTENANCE, "text/html"
        elif fault == "cut":
            text = text[: len(text) // 2]
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())
