"""What the fake boards share: people, threads, faults, a history, and a server on loopback.

A board is stateful, forgets nothing and forgives nothing. A platform's fake adds its addresses, its
pages, its forms with their tokens, and what it refuses. ``history`` says what happened to every
request.

In a test's own process::

    board = FakePhpBB()
    with board.serving() as url: ...

As a process of its own, driven from outside through ``RemoteBoard``::

    python -m tests.forums.fake_phpbb --port-file PATH [--settings JSON] [--faults JSON]

It writes its address to the file, then to standard output, and serves until killed.
"""

import argparse
import json
import re
import secrets
import socket
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from html import escape
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request as UrlRequest
from urllib.request import urlopen

from tests.forums.faults import Fault, FaultPlan, Kind

_LATEST_S: Final = 60.0  # no server works on a late post for longer
_ERROR_PAGE: Final = "<html><body>Internal Server Error</body></html>"
NOT_FOUND: Final = "<html><body>Not Found</body></html>"
_CONTROLS: Final = frozenset(
    {"add_user", "add_topic", "post", "edit", "delete", "approve", "set_topic", "set_user",
     "posts", "history_since", "fault", "plan", "end_sessions", "spoil_forms", "disable",
     "land_all", "write_letter"}
)  # fmt: skip


@dataclass(slots=True)
class Settings:
    """What an administrator chooses on any board."""

    per_page: int = 10
    flood_interval_s: float = 15.0
    guests_read: bool = True


@dataclass(slots=True)
class User:
    """A member."""

    id: int
    name: str
    password: str
    signature: str = ""
    lang: str = "en"
    moderator: bool = False
    moderated: bool = False
    reads_letters: bool = True
    # How SMF shows them: all at once, one at a time, or by conversation.
    letter_view: int = 0
    failed: int = 0
    # Whether a code must follow the password.
    two_steps: bool = False
    last_post_at: float = float("-inf")


@dataclass(slots=True)
class Topic:
    """A thread and what may be done in it."""

    id: int
    title: str
    locked: bool = False
    readable: bool = True
    writable: bool = True
    gone: bool = False


@dataclass(slots=True)
class Post:
    """A post as the database has it."""

    id: int
    topic: int
    author_id: int
    text: str
    at: float
    edits: int = 0
    edited_at: float = 0.0
    approved: bool = True
    deleted: bool = False
    # What a guest has called himself, or what the member was called whose account is gone.
    guest_name: str = ""


@dataclass(slots=True)
class Letter:
    """A private message."""

    id: int
    author_id: int
    to_id: int
    title: str
    text: str
    at: float
    deleted: bool = False


@dataclass(slots=True)
class Session:
    """A visitor; bound to the browser, as phpBB does by default."""

    id: str
    user_id: int
    agent: str


@dataclass(frozen=True, slots=True)
class Request:
    """What came over the wire."""

    method: str
    path: str
    query: Mapping[str, str]
    form: Mapping[str, str]
    cookies: Mapping[str, str]
    agent: str
    every: Mapping[str, list[str]] = field(default_factory=dict)  # of a form whose names repeat

    @property
    def kind(self) -> Kind:
        """Whether it tries to post."""
        return "write" if "message" in self.form else "read"


@dataclass(slots=True)
class Reply:
    """What goes back; ``drop`` closes the connection instead, ``cut`` in the middle of the body."""

    status: int = 200
    body: str = ""
    headers: list[tuple[str, str]] = field(default_factory=list)
    drop: bool = False
    cut: bool = False


class Stop(Exception):  # noqa: N818 - not an error: the page that ends a request
    """A page that ends the handling of a request, however deep in it."""

    def __init__(self, reply: Reply) -> None:
        super().__init__()
        self.reply = reply


class FakeBoard(ABC):
    """A board. Every public method may be called while it is being served."""

    guest: ClassVar[int] = 0
    login_paths: ClassVar[frozenset[str]] = frozenset()
    # Whether the filter of words leaves those alone in which a filtered one is but a part.
    filters_whole_words: ClassVar[bool] = True
    settings: Settings

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Callable[[], float] = time.time,
        faults: FaultPlan | None = None,
    ) -> None:
        self.clock = clock
        self.settings = settings
        self.faults = faults or FaultPlan()
        self.history: list[dict[str, Any]] = []
        self.disabled = False
        self.url = ""
        self._lock = threading.RLock()
        self._salt = secrets.token_hex(8)
        self._users: dict[int, User] = {}
        self._topics: dict[int, Topic] = {}
        self._posts: dict[int, Post] = {}
        self._letters: dict[int, Letter] = {}
        self._sessions: dict[str, Session] = {}
        self._keys: dict[str, int] = {}
        self._ignored: set[int] = set()
        self._filter: dict[str, str] = {}
        # Whether every login must solve a puzzle.
        self.puzzles = False
        self._late: list[tuple[int, float, Request]] = []
        self._requests = 0

    # What a platform adds.

    @abstractmethod
    def route(self, request: Request, event: dict[str, Any]) -> Reply:
        """Answer a request; ``event`` hears what it made land or edited."""

    @abstractmethod
    def closed(self, request: Request) -> Reply:
        """ "This board is closed for the moment"."""

    @abstractmethod
    def index(self, request: Request) -> Reply:
        """A whole page without posts."""

    @abstractmethod
    def asked_to_log_in(self, request: Request) -> Reply:
        """What a guest sees who may not read."""

    @abstractmethod
    def flooded(self, request: Request) -> Reply:
        """ "Not so soon"."""

    def is_login(self, request: Request) -> bool:
        """Whether it is about logging in: nothing goes wrong there by plan."""
        return request.path in self.login_paths

    # What a test arranges and looks at.

    def add_user(
        self,
        name: str,
        password: str = "clave-1234",  # noqa: S107 - made up
        *,
        signature: str = "",
        lang: str = "en",
        moderator: bool = False,
        moderated: bool = False,
    ) -> int:
        """Register somebody; returns the user id."""
        with self._lock:
            user_id = 50 + len(self._users)
            self._users[user_id] = User(
                user_id, name, password, signature, lang, moderator, moderated
            )
            return user_id

    def add_topic(self, title: str, author: str, text: str) -> int:
        """Open a thread with its first post; returns the topic id."""
        with self._lock:
            topic_id = 2 + len(self._topics)
            self._topics[topic_id] = Topic(topic_id, title)
            self.post(author, topic_id, text)
            return topic_id

    def post(
        self, author: str, topic: int, text: str, *, approved: bool = True, guest: str = "Guest"
    ) -> int:
        """Post as a player (or as a guest, without an author), past all checks; returns the id."""
        with self._lock:
            author_id = self._named(author).id if author else self.guest
            post_id = self._insert(topic, author_id, text, approved=approved)
            self._posts[post_id].guest_name = "" if author else guest
            return post_id

    def write_letter(self, author: str, to: str, title: str, text: str) -> int:
        """Send a private message; returns its id."""
        with self._lock:
            letter_id = 3 + len(self._letters)
            sender, receiver = self._named(author).id, self._named(to).id
            self._letters[letter_id] = Letter(
                letter_id, sender, receiver, title, text, self.clock()
            )
            return letter_id

    def take_back(self, letter: int) -> None:
        """Delete a private message that nobody has read yet, as its author."""
        with self._lock:
            self._letters[letter].deleted = True

    def edit(self, post: int, text: str) -> None:
        """Edit a post, which leaves a mark."""
        with self._lock:
            kept = self._posts[post]
            kept.text, kept.edits, kept.edited_at = text, kept.edits + 1, self.clock()

    def delete(self, post: int) -> None:
        """Delete a post softly: moderators go on seeing it."""
        with self._lock:
            self._posts[post].deleted = True

    def approve(self, post: int) -> None:
        """Let a post through that waited for approval."""
        with self._lock:
            self._posts[post].approved = True

    def wait(self, post: int) -> None:
        """Let a post wait for approval again."""
        with self._lock:
            self._posts[post].approved = False

    def move(self, post: int, topic: int) -> None:
        """Move a post to another topic, as splitting and merging do."""
        with self._lock:
            self._posts[post].topic = topic

    def close_account(self, post: int) -> None:
        """Delete the account that wrote a post, whose posts stay as a guest's of that name."""
        with self._lock:
            gone = self._users.pop(self._posts[post].author_id)
            for kept in self._posts.values():
                if kept.author_id == gone.id:
                    kept.author_id, kept.guest_name = self.guest, gone.name

    def erase_account(self, post: int) -> None:
        """Delete the account that wrote a post, with all its posts."""
        with self._lock:
            gone = self._posts[post].author_id
            for kept in self._posts.values():
                kept.deleted = kept.deleted or kept.author_id == gone
        self.close_account(post)

    def ignore(self, post: int) -> None:
        """Let everybody ignore whoever wrote a post."""
        with self._lock:
            self._ignored.add(self._posts[post].author_id)

    def filter_word(self, word: str, shown: str) -> None:
        """Show something else in a word's place from now on, in all posts."""
        with self._lock:
            self._filter[word] = shown

    def lift_filter(self) -> None:
        """Show all words as they were typed again."""
        with self._lock:
            self._filter.clear()

    def set_topic(self, topic: int, **changes: Any) -> None:
        """Change ``title``, ``locked``, ``readable``, ``writable`` or ``gone``."""
        with self._lock:
            self._topics[topic] = replace(self._topics[topic], **changes)

    def set_user(self, name: str, **changes: Any) -> None:
        """Change anything of a user: ``moderated``, ``lang``, ``password``..."""
        with self._lock:
            user = self._named(name)
            self._users[user.id] = replace(user, **changes)

    def posts(self, topic: int) -> list[dict[str, Any]]:
        """All posts of a topic that are not deleted, waiting ones included, in order."""
        with self._lock:
            return [
                {**asdict(post), "author": self._name_of(post)}
                for post in self._posts.values()
                if post.topic == topic and not post.deleted
            ]

    def history_since(self, number: int) -> list[dict[str, Any]]:
        """What happened to the requests after one; each knows its own number."""
        with self._lock:
            return [dict(event) for event in self.history if event["number"] > number]

    def fault(self, name: str, kind: Kind = "read", times: int = 1) -> None:
        """Let the next requests of a kind go wrong."""
        with self._lock:
            self.faults.next(Fault(name), kind, times)

    def plan(self, **plan: float) -> None:
        """Let requests go wrong by a seed from now on."""
        with self._lock:
            self.faults = FaultPlan.of_json(plan)

    def end_sessions(self, *, keys: bool = True) -> None:
        """Log everybody out, and forget the browsers that asked to be remembered."""
        with self._lock:
            self._sessions.clear()
            if keys:
                self._keys.clear()

    def spoil_forms(self) -> None:
        """Make every form that was handed out worthless, without logging anybody out."""
        with self._lock:
            self._salt = secrets.token_hex(8)

    def disable(self, *, disabled: bool) -> None:
        """Close the whole board, or open it again."""
        with self._lock:
            self.disabled = disabled

    def land_all(self) -> None:
        """Let every late post land, or fail, now."""
        with self._lock:
            self._land(until=None)

    # Serving.

    @contextmanager
    def serving(self, port: int = 0) -> Iterator[str]:
        """Serve on loopback; gives the base address."""
        with serving(self, port) as self.url:
            yield self.url

    def answer(self, request: Request) -> Reply:
        """Handle one request, faults included."""
        with self._lock:
            self._requests += 1
            number = self._requests
            self._land(until=number)
            event: dict[str, Any] = {
                "number": number,
                "at": self.clock(),
                "method": request.method,
                "path": request.path,
                "kind": request.kind,
                "fault": None,
                "landed": None,
                "edited": None,
            }
            self.history.append(event)
            fault = None if self.is_login(request) else self.faults.of(number, request.kind)
            event["fault"] = fault.value if fault else None
            reply = self._faulty(request, fault, number) if fault else None
            if reply is None:
                reply = self.route(request, event)
                if fault is Fault.REPLY_LOST:
                    reply = Reply(drop=True)
                elif fault is Fault.ERROR_AFTER:
                    reply = Reply(500, _ERROR_PAGE)
                elif fault is Fault.CUT:
                    reply.cut = True
            event["status"] = 0 if reply.drop else reply.status
            event["size"] = len(reply.body.encode())
            return reply

    def _faulty(self, request: Request, fault: Fault, number: int) -> Reply | None:
        """What a fault answers in the board's stead; None when the board acts all the same."""
        if fault is Fault.LATE:
            latest = self.clock() + _LATEST_S
            self._late.append((number + self.faults.delay(number), latest, request))
        answers: dict[Fault, Callable[[Request], Reply]] = {
            Fault.LATE: lambda _: Reply(drop=True),
            Fault.SILENT: lambda _: Reply(drop=True),
            Fault.ERROR: lambda _: Reply(500, _ERROR_PAGE),
            Fault.TOO_MANY: lambda _: Reply(429, "slow down", [("Retry-After", "7")]),
            Fault.MAINTENANCE: self.closed,
            Fault.NO_POSTS: self.index,
            Fault.LOGIN_PAGE: self.asked_to_log_in,
            Fault.FLOOD: self.flooded,
        }
        answer = answers.get(fault)
        return answer(request) if answer is not None else None

    def _land(self, until: int | None) -> None:
        """Carry out late requests whose time has come; nobody hears their answers."""
        now = self.clock()
        due = [late for late in self._late if until is None or late[0] <= until or late[1] <= now]
        self._late = [late for late in self._late if late not in due]
        for _number, _latest, request in due:
            event: dict[str, Any] = {
                "number": self._requests,
                "at": self.clock(),
                "method": request.method,
                "path": request.path,
                "kind": "late",
                "fault": None,
                "landed": None,
                "edited": None,
            }
            event["status"] = self.route(request, event).status
            self.history.append(event)

    # Small things that every platform needs.

    def _new_session(self, user_id: int, agent: str) -> Session:
        session = Session(secrets.token_hex(16), user_id, agent)
        self._sessions[session.id] = session
        return session

    def _page_of(self, shown: list[Post], post: int, default: int) -> int:
        """Offset of the page on which a post stands, else of the one asked for."""
        ids = [kept.id for kept in shown]
        start = ids.index(post) if post in ids else default
        return start // self.settings.per_page * self.settings.per_page

    def _insert(self, topic: int, author_id: int, text: str, *, approved: bool) -> int:
        post_id = 2 + len(self._posts)
        self._posts[post_id] = Post(
            post_id, topic, author_id, text, self.clock(), approved=approved
        )
        return post_id

    def _last_id(self, topic: Topic) -> int:
        """The newest approved post, as boards keep it with the topic."""
        return max(
            post.id
            for post in self._posts.values()
            if post.topic == topic.id and post.approved and not post.deleted
        )

    def _filtered(self, html: str) -> str:
        """A text as readers see it. What stands in tags is no word."""
        edge = r"\b" if self.filters_whole_words else ""
        for word, shown in self._filter.items():
            put = escape(shown, quote=False)
            html = re.sub(
                rf"<[^>]*>|{edge}{re.escape(word)}{edge}",
                lambda found, put=put: found[0] if found[0].startswith("<") else put,
                html,
                flags=re.IGNORECASE,
            )
        return html

    def _first_id(self, topic: Topic) -> int:
        return next(post.id for post in self._posts.values() if post.topic == topic.id)

    def _inbox(self, user: User) -> list[Letter]:
        """What somebody has received, the newest first."""
        return [one for one in reversed(self._letters.values()) if one.to_id == user.id]

    def _named(self, name: str) -> User:
        return next(user for user in self._users.values() if user.name == name)

    def _who(self, name: str) -> User | None:
        return next((user for user in self._users.values() if user.name == name), None)

    def _name_of(self, post: Post) -> str:
        user = self._users.get(post.author_id)
        return user.name if user else post.guest_name


class RemoteBoard:
    """The same board in another process: the same calls, over HTTP."""

    def __init__(self, url: str) -> None:
        self.url = url

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in _CONTROLS:
            raise AttributeError(name)

        def call(*args: Any, **kwargs: Any) -> Any:
            body = json.dumps({"call": name, "args": args, "kwargs": kwargs}).encode()
            asked = UrlRequest(f"{self.url}/_control", data=body, method="POST")  # noqa: S310 - loopback, ours
            with urlopen(asked, timeout=10) as answer:  # noqa: S310 - loopback
                return json.loads(answer.read())["result"]

        return call


class Board(Protocol):
    """What answers requests."""

    def answer(self, request: Request) -> Reply:
        """Handle one request."""
        ...


class BoardServer(ThreadingHTTPServer):
    """Serves a board; remembers its connections, so that none outlives it."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, board: Board, port: int) -> None:
        self.board = board
        self._open: set[socket.socket] = set()
        super().__init__(("127.0.0.1", port), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """Close what clients keep open."""
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away (we kill some) is no news."""


@contextmanager
def serving(board: Board, port: int = 0) -> Iterator[str]:
    """Serve a board on loopback; gives the base address."""
    server = BoardServer(board, port)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.hang_up()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: BoardServer
    # Head and body in one packet: apart, each answer waits 40 ms for an acknowledgement.
    wbufsize = 2**16

    def do_GET(self) -> None:
        self._handle(b"")

    def do_POST(self) -> None:
        self._handle(self.rfile.read(int(self.headers.get("Content-Length", "0"))))

    def log_message(self, *args: Any) -> None:
        """Say nothing."""

    def _handle(self, body: bytes) -> None:
        parts = urlsplit(self.path)
        if parts.path == "/_control":
            self._control(body)
            return
        cookies = SimpleCookie(self.headers.get("Cookie", ""))
        reply = self.server.board.answer(
            Request(
                method=self.command,
                path=parts.path,
                query=_flat(parts.query.replace(";", "&")),
                form=_flat(body.decode()),
                cookies={name: morsel.value for name, morsel in cookies.items()},
                agent=self.headers.get("User-Agent", ""),
                every=parse_qs(body.decode(), keep_blank_values=True),
            )
        )
        content = reply.body.encode()
        if reply.drop:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response(reply.status)
        self.send_header("Content-Type", "text/html; charset=UTF-8")
        for name, value in reply.headers:
            self.send_header(name, value)
        if reply.cut:
            # No length: only the missing end of the page tells that it was cut.
            self.close_connection = True
            self.send_header("Connection", "close")
            content = content[: len(content) // 2]
        else:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _control(self, body: bytes) -> None:
        asked = json.loads(body)
        if asked["call"] not in _CONTROLS:
            self.send_error(404)
            return
        result = getattr(self.server.board, asked["call"])(*asked["args"], **asked["kwargs"])
        content = json.dumps({"result": result}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _flat(query: str) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(query, keep_blank_values=True).items()}


def number_in(text: str) -> int:
    """A number as PHP would take it from an address: 0 for anything else."""
    found = re.match(r"[0-9]{1,18}", text)
    return int(found[0]) if found else 0


def received(text: str) -> str:
    """A message as boards keep it."""
    return text.replace("\r\n", "\n").strip()


def serve(make: Callable[..., FakeBoard], settings: type[Settings], about: str | None) -> None:
    """Serve a board, as told by the command line, until killed."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--port-file", type=Path, required=True)
    parser.add_argument("--settings", type=json.loads, default={})
    parser.add_argument("--faults", type=json.loads, default={})
    given = parser.parse_args()
    board = make(settings=settings(**given.settings), faults=FaultPlan.of_json(given.faults))
    with board.serving(given.port) as url:
        # Renamed into place, so that whoever waits for it never reads half an address.
        half = given.port_file.with_suffix(".half")
        half.write_text(url, encoding="ascii")
        half.replace(given.port_file)
        print(url, flush=True)  # noqa: T201 - for whoever holds the other end of the pipe
        threading.Event().wait()
