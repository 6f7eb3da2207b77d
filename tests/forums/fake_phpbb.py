"""A phpBB board that forgets nothing and forgives nothing, served on loopback.

Stateful: users, sessions, topics, posts. It enforces what a real board does (tokens bound to a
session and of a certain age, the flood interval, a CAPTCHA after wrong passwords, "at least one new
post has been made", approval, locks) and goes wrong on demand or by a seeded plan. ``history`` says
what happened to every request.

In a test's own process::

    board = FakePhpBB()
    with board.serving() as url: ...

As a process of its own, driven from outside through ``RemoteBoard``::

    python -m tests.forums.fake_phpbb --port-file PATH [--settings JSON] [--faults JSON]

It writes its address to the file, then to standard output, and serves until killed.
"""

import argparse
import hashlib
import json
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request as UrlRequest
from urllib.request import urlopen

from tests.forums import phpbb_pages as pages
from tests.forums.bbcode import render
from tests.forums.faults import Fault, FaultPlan, Kind

GUEST: Final = 1
COOKIE: Final = "phpbb3_fake"
_LONGEST_TEXT: Final = 60_000
_LATEST_S: Final = 60.0  # no server works on a late post for longer
_ERROR_PAGE: Final = "<html><body>Internal Server Error</body></html>"
_NOT_FOUND_PAGE: Final = "<html><body>Not Found</body></html>"
_CONTROLS: Final = frozenset(
    {"add_user", "add_topic", "post", "edit", "delete", "approve", "set_topic", "set_user",
     "posts", "history_since", "fault", "plan", "end_sessions", "spoil_forms", "disable",
     "land_all"}
)  # fmt: skip


@dataclass(slots=True)
class Settings:
    """What an administrator chooses."""

    per_page: int = 10
    min_form_age_s: int = 1
    form_lifetime_s: int = 7200
    flood_interval_s: float = 15.0
    post_review: bool = True
    login_attempts: int = 3
    guests_read: bool = True
    quick_reply: bool = False


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
    failed: int = 0
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
        return "write" if self.path == "/posting.php" and "post" in self.form else "read"


@dataclass(slots=True)
class Reply:
    """What goes back; ``drop`` closes the connection instead, ``cut`` in the middle of the body."""

    status: int = 200
    body: str = ""
    headers: list[tuple[str, str]] = field(default_factory=list)
    drop: bool = False
    cut: bool = False


class _Stop(Exception):  # noqa: N818 - not an error: the page that ends a request
    """A page that ends the handling of a request, like phpBB's ``trigger_error``."""

    def __init__(self, reply: Reply) -> None:
        super().__init__()
        self.reply = reply


@dataclass(slots=True)
class _Visit:
    """One request with whom it comes from."""

    request: Request
    session: Session
    user: User | None
    viewer: pages.Viewer
    at: pages.At


class FakePhpBB:
    """The board. Every public method may be called while it is being served."""

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.time,
        settings: Settings | None = None,
        faults: FaultPlan | None = None,
    ) -> None:
        self.clock = clock
        self.settings = settings or Settings()
        self.faults = faults or FaultPlan()
        self.history: list[dict[str, Any]] = []
        self.disabled = False
        self.url = ""
        self._lock = threading.RLock()
        self._salt = secrets.token_hex(8)
        self._users: dict[int, User] = {}
        self._topics: dict[int, Topic] = {}
        self._posts: dict[int, Post] = {}
        self._sessions: dict[str, Session] = {}
        self._keys: dict[str, int] = {}
        self._late: list[tuple[int, float, Request]] = []
        self._requests = 0

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

    def post(self, author: str, topic: int, text: str, *, approved: bool = True) -> int:
        """Post as a player (or as a guest, without a name), past all checks; returns the id."""
        with self._lock:
            author_id = self._named(author).id if author else GUEST
            return self._insert(topic, author_id, text, approved=approved)

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
                {**asdict(post), "author": self._name(post.author_id)}
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
            fault = None if request.path == "/ucp.php" else self.faults.of(number, request.kind)
            event["fault"] = fault.value if fault else None
            reply = self._faulty(request, fault, number) if fault else None
            if reply is None:
                reply = self._route(request, event)
                if fault is Fault.REPLY_LOST:
                    reply = Reply(drop=True)
                elif fault is Fault.ERROR_AFTER:
                    reply = Reply(500, _ERROR_PAGE)
                elif fault is Fault.CUT:
                    reply.cut = True
            event["status"] = 0 if reply.drop else reply.status
            return reply

    def _faulty(self, request: Request, fault: Fault, number: int) -> Reply | None:
        """What a fault answers in the board's stead; None when the board acts all the same."""
        visit = self._visit(request)
        if fault is Fault.LATE:
            latest = self.clock() + _LATEST_S
            self._late.append((number + self.faults.delay(number), latest, request))
        pages_of: dict[Fault, Callable[[], Reply]] = {
            Fault.LATE: lambda: Reply(drop=True),
            Fault.SILENT: lambda: Reply(drop=True),
            Fault.ERROR: lambda: Reply(500, _ERROR_PAGE),
            Fault.TOO_MANY: lambda: Reply(429, "slow down", [("Retry-After", "7")]),
            Fault.MAINTENANCE: lambda: Reply(
                200, pages.message(visit.viewer, visit.at, "disabled")
            ),
            Fault.NO_POSTS: lambda: Reply(
                200, pages.page(visit.viewer, visit.at, "Index", "<h2>Foro</h2>", where="index")
            ),
            Fault.LOGIN_PAGE: lambda: self._login_page(_as_guest(visit)),
            Fault.FLOOD: lambda: self._posting_page(visit, error="flood"),
        }
        answer = pages_of.get(fault)
        return answer() if answer is not None else None

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
            event["status"] = self._route(request, event).status
            self.history.append(event)

    def _route(self, request: Request, event: dict[str, Any]) -> Reply:
        visit = self._visit(request)
        is_new = request.cookies.get(f"{COOKIE}_sid") != visit.session.id
        try:
            reply = self._page(visit, event)
        except _Stop as stop:
            reply = stop.reply
        if is_new and not any(name == "Set-Cookie" for name, _ in reply.headers):
            reply.headers.append(_cookie("sid", visit.session.id))
        return reply

    def _page(self, visit: _Visit, event: dict[str, Any]) -> Reply:
        path = visit.request.path
        if path == "/ucp.php":
            return self._ucp(visit)
        if self.disabled and not (visit.user and visit.user.moderator):
            return Reply(200, pages.message(visit.viewer, visit.at, "disabled"))
        if path == "/viewtopic.php":
            return self._viewtopic(visit)
        if path == "/posting.php":
            return self._posting(visit, event)
        if path in {"/", "/index.php"}:
            return Reply(
                200, pages.page(visit.viewer, visit.at, "Index", "<h2>Foro</h2>", where="index")
            )
        return Reply(404, _NOT_FOUND_PAGE)

    def _visit(self, request: Request) -> _Visit:
        """Who is there, by the address's session id or the cookies."""
        known = request.query.get("sid") or request.cookies.get(f"{COOKIE}_sid", "")
        session = self._sessions.get(known)
        if session is None or session.agent != request.agent:
            remembered = self._keys.get(request.cookies.get(f"{COOKIE}_k", ""), GUEST)
            session = self._new_session(remembered, request.agent)
        user = self._users.get(session.user_id)
        viewer = pages.Viewer(
            session.user_id, user.name if user else "Guest", user.lang if user else "en", session.id
        )
        sends_cookies = request.cookies.get(f"{COOKIE}_sid") == session.id
        return _Visit(
            request, session, user, viewer, _address(session.id, with_sid=not sends_cookies)
        )

    def _new_session(self, user_id: int, agent: str) -> Session:
        session = Session(secrets.token_hex(16), user_id, agent)
        self._sessions[session.id] = session
        return session

    # Logging in.

    def _ucp(self, visit: _Visit) -> Reply:
        request = visit.request
        mode = request.query.get("mode", "")
        home = Reply(302, "", [("Location", f"{self.url}/index.php")])
        if mode == "logout":
            if request.query.get("sid") == visit.session.id:
                del self._sessions[visit.session.id]
            return home
        if mode != "login":
            return Reply(404, _NOT_FOUND_PAGE)
        if "login" in request.form:
            return self._login(visit)
        return home if visit.user is not None else self._login_page(visit)

    def _login(self, visit: _Visit) -> Reply:
        """Check a login form, and remember the browser that asks for it."""
        form = visit.request.form
        user = next((u for u in self._users.values() if u.name == form.get("username")), None)
        if not self._token_is_good(visit, "login"):
            return self._login_page(visit, error=visit.viewer.says("token"))
        if user is not None and user.failed >= self.settings.login_attempts:
            return self._login_page(visit, error=visit.viewer.says("captcha"), captcha=True)
        if user is None or user.password != form.get("password"):
            if user is not None:
                user.failed += 1
            return self._login_page(visit, error=visit.viewer.says("password"))
        user.failed = 0
        session = self._new_session(user.id, visit.request.agent)
        cookies = [_cookie("u", str(user.id)), _cookie("sid", session.id)]
        if form.get("autologin"):
            key = secrets.token_hex(8)
            self._keys[key] = user.id
            cookies.append(_cookie("k", key))
        return Reply(302, "", [("Location", f"{self.url}/index.php?sid={session.id}"), *cookies])

    def _login_page(
        self, visit: _Visit, *, title: str = "Login", error: str = "", captcha: bool = False
    ) -> Reply:
        hidden = {"redirect": "./index.php", **self._token(visit, "login"), "sid": visit.session.id}
        puzzle = secrets.token_hex(16) if captcha else ""
        return Reply(
            200,
            pages.login(visit.viewer, visit.at, hidden, title=title, error=error, captcha=puzzle),
        )

    # Reading.

    def _viewtopic(self, visit: _Visit) -> Reply:
        query = visit.request.query
        topic = self._topic(visit, query.get("t", ""), query.get("p", ""))
        if visit.user is None and not self.settings.guests_read:
            raise _Stop(self._login_page(visit, title=visit.viewer.says("login_to_read")))
        if not topic.readable:
            raise _Stop(Reply(403, pages.message(visit.viewer, visit.at, "no_read")))
        shown = self._shown(visit, topic)
        start = _number(query.get("start", ""))
        if query.get("p"):
            ids = [post.id for post in shown]
            start = ids.index(int(query["p"])) if int(query["p"]) in ids else 0
        last = max(0, (len(shown) - 1) // self.settings.per_page * self.settings.per_page)
        start = min(start // self.settings.per_page * self.settings.per_page, last)
        quick = ""
        if self.settings.quick_reply and visit.user is not None and not topic.locked:
            hidden = {
                "topic_cur_post_id": str(self._last_id(topic)),
                **self._token(visit, "posting"),
            }
            quick = pages.quick_reply_form(visit.at, topic.id, hidden)
        return Reply(
            200,
            pages.topic(
                visit.viewer,
                visit.at,
                topic_id=topic.id,
                title=topic.title,
                locked=topic.locked,
                posts=[
                    self._dressed(visit, topic, post)
                    for post in shown[start : start + self.settings.per_page]
                ],
                start=start,
                per_page=self.settings.per_page,
                total=len(shown),
                base=self.url,
                quick_reply=quick,
            ),
        )

    def _topic(self, visit: _Visit, topic: str, post: str = "") -> Topic:
        kept = self._posts.get(_number(post))
        found = self._topics.get(kept.topic if kept else _number(topic))
        if found is None or found.gone:
            key = "no_post" if post else "no_topic"
            raise _Stop(Reply(404, pages.message(visit.viewer, visit.at, key)))
        return found

    def _shown(self, visit: _Visit, topic: Topic) -> list[Post]:
        """The posts of a topic that this visitor gets to see."""
        moderates = visit.user is not None and visit.user.moderator
        return [
            post
            for post in self._posts.values()
            if post.topic == topic.id
            and (moderates or not post.deleted)
            and (moderates or post.approved or post.author_id == visit.viewer.id)
        ]

    def _dressed(self, visit: _Visit, topic: Topic, post: Post) -> pages.ShownPost:
        author = self._users.get(post.author_id)
        first = next(p.id for p in self._posts.values() if p.topic == topic.id)
        return pages.ShownPost(
            id=post.id,
            author_id=post.author_id,
            author=self._name(post.author_id),
            at=post.at,
            body=render(post.text),
            subject=topic.title if post.id == first else f"Re: {topic.title}",
            signature=render(author.signature) if author else "",
            edits=post.edits,
            edited_at=post.edited_at,
            approved=post.approved,
            deleted=post.deleted,
            editable=post.author_id == visit.viewer.id and not topic.locked,
        )

    # Posting.

    def _posting(self, visit: _Visit, event: dict[str, Any]) -> Reply:
        request = visit.request
        editing = request.query.get("mode") == "edit"
        topic = self._topic(visit, request.query.get("t", ""), request.query.get("p", ""))
        if visit.user is None:
            raise _Stop(self._login_page(visit, title=visit.viewer.says("login_to_reply")))
        self._check_leave(visit, topic)
        if "post" not in request.form:
            return self._posting_page(visit)
        # A real board shows both at once: new posts, and what is wrong with ours.
        error = self._error_of(visit, editing=editing)
        if error or (not editing and self._is_stale(topic, request)):
            return self._posting_page(visit, error=error)
        text = _received(request.form["message"])
        if editing:
            post = int(request.query["p"])
            self.edit(post, text)
            event["edited"] = post
        else:
            approved = not visit.user.moderated
            post = self._insert(topic.id, visit.user.id, text, approved=approved)
            visit.user.last_post_at = self.clock()
            event["landed"] = post
            if not approved:
                return Reply(
                    200,
                    pages.message(
                        visit.viewer,
                        visit.at,
                        "approval",
                        refresh=f"{self.url}/viewtopic.php?t={topic.id}",
                    ),
                )
        return Reply(302, "", [("Location", f"{self.url}/viewtopic.php?p={post}#p{post}")])

    def _check_leave(self, visit: _Visit, topic: Topic) -> None:
        """End the request with a page when the visitor may not post there."""
        moderates = visit.user is not None and visit.user.moderator
        if not topic.readable:
            raise _Stop(Reply(403, pages.message(visit.viewer, visit.at, "no_read")))
        if topic.locked and not moderates:
            raise _Stop(Reply(200, pages.message(visit.viewer, visit.at, "locked")))
        if not topic.writable:
            raise _Stop(Reply(200, pages.message(visit.viewer, visit.at, "no_reply")))
        if visit.request.query.get("mode") == "edit":
            post = self._posts.get(_number(visit.request.query.get("p", "")))
            if post is None or post.deleted:
                raise _Stop(Reply(404, pages.message(visit.viewer, visit.at, "no_post")))
            if post.author_id != visit.viewer.id and not moderates:
                raise _Stop(Reply(403, pages.message(visit.viewer, visit.at, "no_edit")))

    def _error_of(self, visit: _Visit, *, editing: bool) -> str:
        """What the form gets wrong, in the order in which phpBB looks."""
        text = visit.request.form.get("message", "")
        user = visit.user
        if not self._token_is_good(visit, "posting"):
            return "token"
        if not text.strip():
            return "empty"
        if len(text) > _LONGEST_TEXT:
            return "long"
        if (
            not editing
            and user is not None
            and self.clock() - user.last_post_at < self.settings.flood_interval_s
        ):
            return "flood"
        return ""

    def _is_stale(self, topic: Topic, request: Request) -> bool:
        """Whether somebody has posted since the form was loaded."""
        known = _number(request.form.get("topic_cur_post_id", ""))
        return self.settings.post_review and known < self._last_id(topic)

    def _posting_page(self, visit: _Visit, *, error: str = "") -> Reply:
        request = visit.request
        editing = request.query.get("mode") == "edit"
        topic = self._topic(visit, request.query.get("t", ""), request.query.get("p", ""))
        hidden = {"show_panel": "options-panel", **self._token(visit, "posting")}
        message = _received(request.form.get("message", ""))
        action = f"./posting.php?mode=reply&t={topic.id}"
        newer: list[Post] = []
        if editing:
            action = f"./posting.php?mode=edit&p={request.query['p']}"
            hidden["edit_post_message_checksum"] = "0" * 32
            if "message" not in request.form:
                message = self._posts[int(request.query["p"])].text
        else:
            hidden["topic_cur_post_id"] = str(self._last_id(topic))
        shown = self._shown(visit, topic)
        if request.query.get("mode") == "quote" and "message" not in request.form:
            post = self._posts[int(request.query["p"])]
            message = (
                f"[quote={self._name(post.author_id)} post_id={post.id} time={int(post.at)} "
                f"user_id={post.author_id}]{post.text}[/quote]\n"
            )
        if not editing and "post" in request.form and self._is_stale(topic, request):
            known = _number(request.form.get("topic_cur_post_id", ""))
            newer = [post for post in shown if post.id > known]
        form = pages.Form(
            action=action,
            title=topic.title,
            topic=topic.id,
            subject=request.form.get("subject", f"Re: {topic.title}"),
            message=message,
            hidden=hidden,
            error=visit.viewer.says(error) if error else "",
            review=[self._dressed(visit, topic, post) for post in newer],
            older=[
                self._dressed(visit, topic, post)
                for post in shown[: -self.settings.per_page - 1 : -1]
            ],
        )
        return Reply(200, pages.posting(visit.viewer, visit.at, form))

    # Small things.

    def _insert(self, topic: int, author_id: int, text: str, *, approved: bool) -> int:
        post_id = 2 + len(self._posts)
        self._posts[post_id] = Post(
            post_id, topic, author_id, text, self.clock(), approved=approved
        )
        return post_id

    def _last_id(self, topic: Topic) -> int:
        """The newest approved post, as phpBB keeps it with the topic."""
        return max(
            post.id
            for post in self._posts.values()
            if post.topic == topic.id and post.approved and not post.deleted
        )

    def _named(self, name: str) -> User:
        return next(user for user in self._users.values() if user.name == name)

    def _name(self, user_id: int) -> str:
        user = self._users.get(user_id)
        return user.name if user else "Guest"

    def _token(self, visit: _Visit, form: str) -> dict[str, str]:
        created = str(int(self.clock()))
        return {"creation_time": created, "form_token": self._hash(created, form, visit.session)}

    def _hash(self, created: str, form: str, session: Session) -> str:
        return hashlib.sha256(f"{created}{self._salt}{form}{session.id}".encode()).hexdigest()[:40]

    def _token_is_good(self, visit: _Visit, form: str) -> bool:
        """Of this session, at least the least age old, and not too old."""
        created = visit.request.form.get("creation_time", "")
        given = visit.request.form.get("form_token", "")
        age = int(self.clock()) - _number(created)
        return (
            self.settings.min_form_age_s <= age <= self.settings.form_lifetime_s
            and given == self._hash(created, form, visit.session)
        )


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
                query=_flat(parts.query),
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


def _as_guest(visit: _Visit) -> _Visit:
    """The same visit as a guest's."""
    guest = pages.Viewer(GUEST, "Guest", visit.viewer.lang, visit.session.id)
    return _Visit(visit.request, visit.session, None, guest, visit.at)


def _address(session_id: str, *, with_sid: bool) -> pages.At:
    def at(url: str) -> str:
        if with_sid:
            path, mark, fragment = url.partition("#")
            url = f"{path}{'&' if '?' in path else '?'}sid={session_id}{mark}{fragment}"
        return url.replace("&", "&amp;")

    return at


def _cookie(name: str, value: str) -> tuple[str, str]:
    return ("Set-Cookie", f"{COOKIE}_{name}={value}; path=/; HttpOnly")


def _flat(query: str) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(query, keep_blank_values=True).items()}


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0


def _received(text: str) -> str:
    """A message as phpBB keeps it."""
    return text.replace("\r\n", "\n").strip()


def main() -> None:
    """Serve a board until killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--port-file", type=Path, required=True)
    parser.add_argument("--settings", type=json.loads, default={})
    parser.add_argument("--faults", type=json.loads, default={})
    given = parser.parse_args()
    board = FakePhpBB(settings=Settings(**given.settings), faults=FaultPlan.of_json(given.faults))
    with board.serving(given.port) as url:
        # Renamed into place, so that whoever waits for it never reads half an address.
        half = given.port_file.with_suffix(".half")
        half.write_text(url, encoding="ascii")
        half.replace(given.port_file)
        print(url, flush=True)  # noqa: T201 - for whoever holds the other end of the pipe
        threading.Event().wait()


if __name__ == "__main__":
    main()
