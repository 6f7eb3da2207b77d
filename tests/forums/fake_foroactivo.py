"""A Foroactivo board that forgets nothing, served on loopback in any of its five versions.

Constructed after public templates, scrapers and userscripts; no live board was asked. Stateful:
users, sessions, topics, posts. It enforces what is known of such boards (the login, hidden fields
bound to the session, flood control, "a new message has been posted", locks) and goes wrong on
demand.
"""

import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from tests.forums import foroactivo_pages as pages
from tests.forums.board import Reply, Request, serving
from tests.forums.faults import Fault, FaultPlan, Kind

COOKIE: Final = "fa_fake_sid"
KEY: Final = "fa_fake_data"
NOBODY: Final = pages.Viewer(-1, "Anónimo")
_ERROR_PAGE: Final = "<html><body>Internal Server Error</body></html>"


@dataclass(slots=True)
class User:
    """A member."""

    id: int
    name: str
    password: str
    signature: str = ""
    # Whether a code must follow the password.
    two_steps: bool = False
    last_post_at: float = float("-inf")


@dataclass(slots=True)
class Kept:
    """A post as the board keeps it."""

    id: int
    author: User
    text: str
    at: float
    edits: int = 0
    deleted: bool = False


@dataclass(slots=True)
class Topic:
    """A topic and what may be done in it."""

    id: int
    title: str
    slug: str = "escena-el-molino"
    posts: list[Kept] = field(default_factory=list)
    locked: bool = False
    readable: bool = True
    gone: bool = False

    @property
    def shown(self) -> list[Kept]:
        """What readers see."""
        return [post for post in self.posts if not post.deleted]


class _Stop(Exception):  # noqa: N818 - not an error: the page that ends a request
    def __init__(self, body: str) -> None:
        super().__init__()
        self.reply = Reply(body=body)


class FakeForoactivo:
    """The board. Every public method may be called while it is being served."""

    def __init__(
        self,
        engine: str = "phpbb3",
        *,
        clock: Callable[[], float] = time.time,
        per_page: int = 5,
        flood_s: float = 10.0,
    ) -> None:
        self.engine = engine
        self.clock = clock
        self.per_page = per_page
        self.flood_s = flood_s
        self.faults = FaultPlan()
        self.sent: list[dict[str, str]] = []
        self._lock = threading.RLock()
        self._users: list[User] = []
        self._topics: dict[int, Topic] = {}
        self._sessions: dict[str, User] = {}
        self._keys: dict[str, User] = {}
        self._tokens: dict[str, str] = {}
        self._ignored: set[int] = set()
        self._filter: dict[str, str] = {}
        # Whether every login must solve a puzzle.
        self.puzzles = False
        self._count = 1

    # What a test arranges and looks at.

    def add_user(self, name: str, password: str = "clave-1234", signature: str = "") -> User:  # noqa: S107 - made up
        """Register somebody."""
        with self._lock:
            user = User(2 + len(self._users), name, password, signature)
            self._users.append(user)
            return user

    def add_topic(self, title: str, author: str, text: str) -> Topic:
        """Open a topic with its first post."""
        with self._lock:
            topic = Topic(12 + len(self._topics), title)
            self._topics[topic.id] = topic
            self.post(author, topic, text)
            return topic

    def user(self, name: str) -> User:
        """A member by name."""
        return next(user for user in self._users if user.name == name)

    def post(self, author: str, topic: Topic, text: str) -> Kept:
        """Post as a player, or as a guest of a name that no member has, past all checks."""
        with self._lock:
            self._count += 1
            member = next((user for user in self._users if user.name == author), None)
            by = member or User(NOBODY.id, author, "")
            kept = Kept(self._count, by, text, self.clock())
            topic.posts.append(kept)
            return kept

    def close_account(self, post: Kept) -> None:
        """Delete the account that wrote a post, whose posts stay as a guest's of that name."""
        with self._lock:
            gone = post.author
            self._users.remove(gone)
            for kept in (kept for topic in self._topics.values() for kept in topic.posts):
                if kept.author is gone:
                    kept.author = User(NOBODY.id, gone.name, "")

    def ignore(self, post: Kept) -> None:
        """Let everybody ignore whoever wrote a post."""
        with self._lock:
            self._ignored.add(post.author.id)

    def filter_word(self, word: str, shown: str) -> None:
        """Show something else in a word's place from now on, in all posts."""
        with self._lock:
            self._filter[word] = shown

    def find(self, post: int) -> Kept:
        """A post by id."""
        return next(p for topic in self._topics.values() for p in topic.posts if p.id == post)

    def topic_of(self, post: Kept) -> Topic:
        """The topic that holds a post."""
        return next(topic for topic in self._topics.values() if post in topic.posts)

    def fault(self, name: str, kind: Kind = "read", times: int = 1) -> None:
        """Let the next requests of a kind go wrong."""
        with self._lock:
            self.faults.next(Fault(name), kind, times)

    def end_sessions(self, *, keys: bool = True) -> None:
        """Log everybody out, and forget the browsers that asked to be remembered."""
        with self._lock:
            self._sessions.clear()
            if keys:
                self._keys.clear()

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Serve on loopback; gives the base address."""
        with serving(self) as url:
            yield url

    # Answering.

    def answer(self, request: Request) -> Reply:
        """Handle one request, faults included."""
        with self._lock:
            kind: Kind = "write" if request.path == "/post" and "post" in request.form else "read"
            fault = None if request.path == "/login" else self.faults.of(0, kind)
            reply = self._faulty(request, fault) if fault else None
            if reply is not None:
                return reply
            try:
                reply = self._page(request)
            except _Stop as stop:
                reply = stop.reply
            match fault:
                case Fault.REPLY_LOST:
                    return Reply(drop=True)
                case Fault.ERROR_AFTER:
                    return Reply(500, _ERROR_PAGE)
                case Fault.CUT:
                    reply.cut = True
            return reply

    def _faulty(self, request: Request, fault: Fault) -> Reply | None:
        viewer = self._viewer(request)
        answers = {
            Fault.SILENT: Reply(drop=True),
            Fault.ERROR: Reply(500, _ERROR_PAGE),
            Fault.TOO_MANY: Reply(429, "despacio", [("Retry-After", "7")]),
            Fault.MAINTENANCE: Reply(body=pages.notice(viewer, pages.NOTICES["closed"])),
            Fault.NO_POSTS: Reply(body=pages.page(viewer, "Índice", "<h2>Categorías</h2>")),
            Fault.LOGIN_PAGE: Reply(body=pages.login(NOBODY)),
            Fault.FLOOD: Reply(body=pages.notice(viewer, pages.NOTICES["flood"])),
        }
        return answers.get(fault)

    def _page(self, request: Request) -> Reply:
        viewer = self._viewer(request)
        if request.path == "/login":
            return self._login(request)
        if request.path == "/post":
            return self._post(request)
        if request.path.startswith("/t"):
            return self._topic(request, viewer)
        return Reply(body=pages.page(viewer, "Índice", "<h2>Categorías</h2>"))

    def _viewer(self, request: Request) -> pages.Viewer:
        user = self._user(request)
        return NOBODY if user is None else pages.Viewer(user.id, user.name)

    def _user(self, request: Request) -> User | None:
        remembered = self._keys.get(request.cookies.get(KEY, ""))
        return self._sessions.get(request.cookies.get(COOKIE, "")) or remembered

    def _login(self, request: Request) -> Reply:
        if "login" not in request.form or self.puzzles:
            return Reply(body=pages.login(self._viewer(request), puzzle=self.puzzles))
        name, password = request.form.get("username"), request.form.get("password")
        user = next((u for u in self._users if (u.name, u.password) == (name, password)), None)
        if user is None:
            return Reply(body=pages.notice(NOBODY, pages.NOTICES["password"]))
        if user.two_steps:
            return Reply(body=pages.code(NOBODY))
        session = secrets.token_hex(16)
        self._sessions[session] = user
        cookies = [("Set-Cookie", f"{COOKIE}={session}; path=/; HttpOnly")]
        if request.form.get("autologin"):
            key = secrets.token_hex(8)
            self._keys[key] = user
            cookies.append(("Set-Cookie", f"{KEY}={key}; path=/; HttpOnly"))
        return Reply(302, "", [("Location", "/"), *cookies])

    def _topic(self, request: Request, viewer: pages.Viewer) -> Reply:
        number, _, slug = request.path.removeprefix("/t").partition("-")
        number, _, offset = number.partition("p")
        topic = self._readable(_number(number), viewer)
        if slug != topic.slug:
            place = f"p{offset}" if offset else ""
            return Reply(301, "", [("Location", f"/t{topic.id}{place}-{topic.slug}")])
        start, shown = _number(offset) // self.per_page * self.per_page, topic.shown
        starts = range(0, max(1, len(shown)), self.per_page)
        places = ["" if one == start else self._address(topic, one) for one in starts]
        posts = [self._dressed(topic, post) for post in shown[start : start + self.per_page]]
        return Reply(body=pages.topic(viewer, self.engine, topic.title, posts, places))

    def _address(self, topic: Topic, start: int = 0) -> str:
        return f"/t{topic.id}{f'p{start}' if start else ''}-{topic.slug}"

    def _readable(self, number: int, viewer: pages.Viewer) -> Topic:
        topic = self._topics.get(number)
        if topic is None or topic.gone:
            raise _Stop(pages.notice(viewer, pages.NOTICES["gone"]))
        if not topic.readable:
            raise _Stop(pages.notice(viewer, pages.NOTICES["forbidden"]))
        return topic

    def _dressed(self, topic: Topic, post: Kept) -> pages.Shown:
        return pages.Shown(
            id=post.id,
            topic=f"t{topic.id}-{topic.slug}",
            author_id=post.author.id,
            author=post.author.name,
            body=self._filtered(pages.dressed(post.text)),
            at=post.at,
            edits=post.edits,
            signature=pages.dressed(post.author.signature),
            folded=post.author.id in self._ignored,
        )

    def _filtered(self, html: str) -> str:
        """A text as readers see it. What stands in tags is no word."""
        for word, shown in self._filter.items():
            html = re.sub(
                rf"<[^>]*>|{re.escape(word)}",
                lambda found, put=shown: found[0] if found[0].startswith("<") else put,
                html,
                flags=re.IGNORECASE,
            )
        return html

    # Posting.

    def _post(self, request: Request) -> Reply:
        asked = {**request.query, **request.form}
        user, viewer = self._user(request), self._viewer(request)
        if user is None:
            return Reply(body=pages.login(NOBODY))
        edited = self._own(_number(asked.get("p", "")), user, viewer) if "p" in asked else None
        number = _number(asked.get("t", "")) or self._topic_of(edited)
        topic = self._readable(number, viewer)
        if topic.locked:
            raise _Stop(pages.notice(viewer, pages.NOTICES["locked"]))
        if "post" not in request.form:
            return Reply(body=self._form(request, topic, edited))
        self.sent.append(dict(request.form))
        said = self._refusal(request, user, topic, edited)
        if said == "flood":
            raise _Stop(pages.notice(viewer, pages.NOTICES["flood"]))
        if said:
            return Reply(body=self._form(request, topic, edited, pages.NOTICES[said]))
        text = request.form["message"].replace("\r\n", "\n").strip()
        if edited is not None:
            edited.text, edited.edits = text, edited.edits + 1
        else:
            edited = self.post(user.name, topic, text)
            user.last_post_at = self.clock()
        link = f"{self._address(topic)}#{edited.id}"
        return Reply(body=pages.notice(viewer, pages.NOTICES["success"], link))

    def _own(self, number: int, user: User, viewer: pages.Viewer) -> Kept:
        try:
            post = self.find(number)
        except StopIteration:
            raise _Stop(pages.notice(viewer, pages.NOTICES["gone"])) from None
        if post.author is not user:
            raise _Stop(pages.notice(viewer, pages.NOTICES["forbidden"]))
        return post

    def _topic_of(self, post: Kept | None) -> int:
        return next((t.id for t in self._topics.values() if post in t.posts), 0)

    def _refusal(self, request: Request, user: User, topic: Topic, edited: Kept | None) -> str:
        """The notice that meets a form, or nothing."""
        form = request.form
        token = form.get("tid", "")
        is_whole = request.every.get("auth[]") == [f"{token}a", f"{token}b"]
        if not is_whole or self._tokens.get(token) != request.cookies.get(COOKIE):
            return "expired"
        if not form.get("message", "").strip():
            return "empty"
        if edited is None and self.clock() - user.last_post_at < self.flood_s:
            return "flood"
        if edited is None and _number(form.get("lt", "")) < topic.posts[-1].id:
            return "again"
        return ""

    def _form(self, request: Request, topic: Topic, edited: Kept | None, said: str = "") -> str:
        token = secrets.token_hex(12)
        self._tokens[token] = request.cookies.get(COOKIE, "")
        # Two fields of one name, both of which must come back.
        hidden = [("tid", token), *(("auth[]", f"{token}{half}") for half in "ab")]
        if edited is not None:
            hidden += [("mode", "editpost"), ("p", str(edited.id))]
        else:
            hidden += [("mode", "reply"), ("t", str(topic.id)), ("lt", str(topic.posts[-1].id))]
        message = request.form.get("message", edited.text if edited is not None else "")
        review = [self._dressed(topic, post) for post in topic.shown[-5:]]
        return pages.posting(self._viewer(request), hidden, message, review, said)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0
