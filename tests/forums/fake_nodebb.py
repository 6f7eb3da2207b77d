"""A NodeBB forum with one category, served on loopback as JSON.

Stateful: members with tokens and passwords, sessions, topics, posts. It enforces what a real one
does, as its captured answers and its own source tell: flood control and locked topics as 400, the
queue of new posts, deleted posts as stubs, a guest's view for a dead token, sessions and their CSRF
tokens.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from http.cookies import SimpleCookie
from typing import Any, Final

from tests.forums.json_site import Asked, JsonSite, RefusedError, Reply
from tests.forums.rendered import link, markdown_html

SHORTEST: Final = 8
_SMILIES: Final = {"8)": "sunglasses", ":D": "smile", ";)": "wink", ":)": "slightly_smiling"}
_STUB: Final = "[[topic:post-is-deleted]]"


@dataclass(slots=True)
class User:
    """A member; ``token`` is what the API takes for them."""

    uid: int
    name: str
    token: str
    password: str
    last_at: float = -1e9
    queued: bool = False
    chats: bool = True


@dataclass(slots=True)
class Kept:
    """A post as the forum keeps it."""

    pid: int
    index: int
    user: User
    content: str
    at: float
    edited: float = 0.0
    deleted: bool = False


@dataclass(slots=True)
class Room:
    """A chat of some members; a message is kept like a post."""

    id: int
    users: tuple[User, ...]
    name: str = ""
    public: bool = False
    messages: list[Kept] = field(default_factory=list)


@dataclass(slots=True)
class Topic:
    """A topic and its state."""

    tid: int
    title: str
    posts: list[Kept] = field(default_factory=list)
    locked: bool = False
    deleted: bool = False
    gone: bool = False
    readable: bool = True


class FakeNodeBB(JsonSite):
    """The forum. Its methods change the state as people and moderators would."""

    routes = (
        ("GET", r"/api/self", "_self"),
        ("GET", r"/api/config", "_config"),
        ("POST", r"/login", "_login"),
        ("GET", r"/api/topic/([0-9]+)", "_topic"),
        ("POST", r"/api/v3/topics/([0-9]+)", "_reply"),
        ("GET", r"/api/v3/posts/([0-9]+)", "_post"),
        ("PUT", r"/api/v3/posts/([0-9]+)", "_edit"),
        ("GET", r"/api/v3/chats", "_chats"),
        ("GET", r"/api/v3/chats/([0-9]+)/messages", "_messages"),
    )
    faulty = r"/api/topic/|/api/v3/"

    def __init__(self, clock: Callable[[], float], per_page: int = 20) -> None:
        super().__init__(clock)
        self.users: list[User] = []
        self.topics: dict[int, Topic] = {}
        self.rooms: list[Room] = []
        self.sessions: dict[str, User] = {}
        self.post_delay_s = 10.0
        self.installed = {"en-GB", "es"}
        self._per_page = per_page
        self._next_post = 100
        self._csrf_round = 0

    def add_user(self, name: str, token: str = "", password: str = "") -> User:
        user = User(len(self.users) + 1, name, token or f"token-of-{name}", password)
        self.users.append(user)
        return user

    def add_topic(self, title: str, by: str, content: str) -> Topic:
        topic = Topic(len(self.topics) + 2, title)
        self.topics[topic.tid] = topic
        self.post(topic, by, content)
        return topic

    def post(self, topic: Topic, by: str, content: str) -> Kept:
        with self.lock:
            # Nobody's name is a guest's, where the category lets guests post.
            user = next((user for user in self.users if user.name == by), None)
            user = user or User(0, by, "", "")
            self._next_post += 1
            post = Kept(self._next_post, len(topic.posts), user, content, self.clock())
            topic.posts.append(post)
            return post

    def add_room(self, *names: str, name: str = "", public: bool = False) -> Room:
        users = tuple(user for user in self.users if user.name in names)
        room = Room(len(self.rooms) + 1, users, name, public)
        self.rooms.append(room)
        return room

    def write_letter(self, room: Room, by: str, content: str) -> Kept:
        """Say something in a chat."""
        with self.lock:
            user = next(user for user in self.users if user.name == by)
            mid = sum(len(one.messages) for one in self.rooms) + 1
            message = Kept(mid, len(room.messages), user, content, self.clock())
            room.messages.append(message)
            return message

    def find(self, pid: int) -> Kept | None:
        posts = (post for topic in self.topics.values() for post in topic.posts)
        return next((post for post in posts if post.pid == pid), None)

    def end_sessions(self) -> None:
        """Let everybody's session die, and the tokens of the forms with them."""
        self.sessions.clear()
        self.spoil_forms()

    def spoil_forms(self) -> None:
        """Let the tokens of all forms die that were loaded so far."""
        self._csrf_round += 1

    def not_found(self) -> RefusedError:
        return RefusedError(404, {"path": "&#x2F;", "title": "[[global:404.title]]"})

    def too_many(self) -> Reply:
        body = {"status": {"code": "too-many-requests", "message": "Slow down"}, "response": {}}
        return Reply(body, 429, {"Retry-After": "7"})

    def emptied(self, answer: Any) -> Any:
        return answer | {"posts": []}

    def _viewer(self, asked: Asked) -> User | None:
        """Who asks; a token that nobody has reads as a guest."""
        scheme, _, token = asked.headers.get("authorization", "").partition(" ")
        if scheme == "Bearer":
            return next((user for user in self.users if user.token == token), None)
        return self.sessions.get(self._session_id(asked))

    def _session_id(self, asked: Asked) -> str:
        cookie = SimpleCookie(asked.headers.get("cookie", "")).get("express.sid")
        return cookie.value if cookie else ""

    def _csrf(self, asked: Asked) -> str:
        return f"csrf-of-{self._session_id(asked) or 'nobody'}-{self._csrf_round}"

    def _writer(self, asked: Asked) -> User:
        if "authorization" not in asked.headers and self._csrf(asked) != asked.headers.get(
            "x-csrf-token"
        ):
            raise RefusedError(403, b"Forbidden")
        user = self._viewer(asked)
        if user is None:
            raise _refused(401, "not-authorised", "A valid login session was not found.")
        return user

    def _self(self, asked: Asked) -> dict[str, Any]:
        user = self._viewer(asked)
        if user is None:
            raise RefusedError(401, "not-authorized")
        return {"uid": user.uid, "username": user.name}

    def _config(self, asked: Asked) -> Reply:
        # A guest gets a session too: its token is bound to it.
        sid = self._session_id(asked) or f"s{len(self.requests)}"
        token = (
            self._csrf(asked) if self._session_id(asked) else f"csrf-of-{sid}-{self._csrf_round}"
        )
        return Reply({"csrf_token": token}, headers={"Set-Cookie": f"express.sid={sid}; Path=/"})

    def _login(self, asked: Asked) -> Reply:
        if self._csrf(asked) != asked.headers.get("x-csrf-token"):
            raise RefusedError(403, b"Forbidden")
        given = (asked.body.get("username"), asked.body.get("password"))
        user = next((user for user in self.users if (user.name, user.password) == given), None)
        if user is None or not user.password:
            raise RefusedError(403, "[[error:invalid-login-credentials]]")
        sid = f"user-{user.uid}-{len(self.requests)}"
        self.sessions[sid] = user
        return Reply({"next": "/"}, headers={"Set-Cookie": f"express.sid={sid}; Path=/"})

    def _readable(self, number: str, asked: Asked) -> Topic:
        topic = self.topics.get(int(number))
        if topic is None or topic.gone:
            raise self.not_found()
        if not topic.readable or topic.deleted:
            guest = self._viewer(asked) is None
            raise RefusedError(401 if guest else 403, {"title": "[[global:403.title]]"})
        return topic

    def _topic(self, asked: Asked, number: str) -> dict[str, Any]:
        topic, viewer = self._readable(number, asked), self._viewer(asked)
        page = int(asked.query.get("page", ["1"])[0])
        assert asked.query.get("sort") == ["oldest_to_newest"]
        count = max(1, -(-len(topic.posts) // self._per_page))
        begin = (page - 1) * self._per_page
        shown = topic.posts[begin : begin + self._per_page]
        return {
            "tid": topic.tid,
            "title": escape(topic.title),
            "titleRaw": topic.title,
            "postcount": len(topic.posts),
            "locked": int(topic.locked),
            "deleted": 0,
            "posts": [self._shown(post, viewer) for post in shown],
            "privileges": {
                "topics:reply": viewer is not None and not topic.locked,
                "uid": viewer.uid if viewer else 0,
            },
            "loggedIn": viewer is not None,
            "rssFeedUrl": f"/topic/{topic.tid}.rss?uid=5&token=canario-rss",
            "pagination": {"currentPage": page, "pageCount": count},
        }

    def _shown(self, post: Kept, viewer: User | None) -> dict[str, Any]:
        hidden = post.deleted and post.user is not viewer
        return {
            "pid": post.pid,
            "uid": post.user.uid,
            "index": post.index,
            "content": _STUB if hidden else nodebb_html(post.content),
            "timestamp": int(post.at * 1000),
            "edited": int(post.edited * 1000),
            "deleted": int(post.deleted),
            "user": {
                "uid": post.user.uid,
                "username": post.user.name,
                "displayname": post.user.name,
                "signature": '<p dir="auto">Firma [acción: ataque | objetivo: Firma]</p>\n',
            },
        }

    def _reply(self, asked: Asked, number: str) -> dict[str, Any]:
        user = self._writer(asked)
        topic = self.topics.get(int(number))
        if topic is None or topic.gone:
            raise _refused(404, "not-found", "Topic does not exist")
        if not topic.readable:
            raise _refused(403, "forbidden", "You do not have enough privileges for this action.")
        content = self._checked(asked)
        if user.queued:
            return _ok({"id": "reply-1", "type": "reply", "queued": True, "message": "Queued"})
        if topic.locked:
            raise self._bad(asked, "topic-locked", "Topic locked")
        if topic.deleted:
            raise self._bad(asked, "topic-deleted", "This topic has been deleted.")
        if self.clock() - user.last_at < self.post_delay_s:
            raise self._bad(
                asked,
                f"too-many-posts, {self.post_delay_s:.0f}",
                f"You can only post once every {self.post_delay_s:.0f} second(s) - please wait "
                "before posting again",
            )
        user.last_at = self.clock()
        post = self.post(topic, user.name, content)
        return _ok(self._shown(post, user) | {"tid": topic.tid})

    def _post(self, asked: Asked, number: str) -> dict[str, Any]:
        del asked
        post = self.find(int(number))
        if post is None:
            raise _refused(404, "not-found", "Post does not exist")
        return _ok({"pid": post.pid, "uid": post.user.uid, "deleted": int(post.deleted)})

    def _edit(self, asked: Asked, number: str) -> dict[str, Any]:
        user, post = self._writer(asked), self.find(int(number))
        if post is None:
            raise self._bad(asked, "no-post", "Post does not exist")
        if post.user is not user:
            raise _refused(403, "forbidden", "You do not have enough privileges for this action.")
        if post.deleted:
            raise self._bad(asked, "post-deleted", "Post deleted")
        post.content, post.edited = self._checked(asked), self.clock()
        return _ok(self._shown(post, user))

    def _chatter(self, asked: Asked) -> User:
        """Who asks about chats: a member who may chat."""
        user = self._viewer(asked)
        if user is None:
            raise _refused(401, "not-authorised", "A valid login session was not found.")
        if not user.chats:
            raise _refused(403, "forbidden", "You do not have enough privileges for this action.")
        return user

    def _chats(self, asked: Asked) -> dict[str, Any]:
        """The viewer's chats, the one with the newest message first."""
        viewer = self._chatter(asked)
        rooms = [room for room in self.rooms if viewer in room.users and room.messages]
        rooms.sort(key=lambda room: room.messages[-1].pid, reverse=True)
        shown = [
            {
                "roomId": room.id,
                "roomName": escape(room.name),
                "public": room.public,
                "users": [_user(user) for user in room.users if user is not viewer],
                "teaser": {"fromuid": room.messages[-1].user.uid},
            }
            for room in rooms
        ]
        return _ok({"rooms": shown, "nextStart": 20})

    def _messages(self, asked: Asked, number: str) -> dict[str, Any]:
        """The newest fifty messages of a chat, the oldest of them first."""
        viewer = self._chatter(asked)
        room = next((room for room in self.rooms if str(room.id) == number), None)
        if room is None or viewer not in room.users:
            raise _refused(404, "not-found", "Chat room does not exist")
        return _ok({"messages": [_said(one, viewer) for one in room.messages[-50:]]})

    def _checked(self, asked: Asked) -> str:
        content = str(asked.body.get("content", "")).rstrip()
        if not content:
            raise self._bad(asked, "invalid-data", "Invalid Data")
        if len(re.sub(r"<[^>]*>", "", content).strip()) < SHORTEST:
            raise self._bad(
                asked,
                f"content-too-short, {SHORTEST}",
                "Please enter a longer post. Posts should contain at least "
                f"{SHORTEST} character(s).",
            )
        return content

    def _bad(self, asked: Asked, key: str, sentence: str) -> RefusedError:
        """A 400: a sentence in the language asked for, or the bare key where it is not there."""
        known = asked.query.get("lang", [""])[0] in self.installed
        return _refused(400, "bad-request", sentence if known else f"error:{key}")


def nodebb_html(typed: str) -> str:
    """A post's HTML: Markdown, and pictures whose titles tell what was typed."""
    return markdown_html(typed, _dress).replace("<p>", '<p dir="auto">')


def _dress(found: re.Match[str]) -> str:
    if found["url"]:
        return link(found["url"])
    if found["mail"]:
        return link(found["mail"], prefix="mailto:")
    if found["mention"]:
        name = found["mention"][1:]
        return (
            f'<a class="plugin-mentions-user plugin-mentions-a" href="/user/{name.lower()}" '
            f'aria-label="Profile: {name}">@<bdi>{name}</bdi></a>'
        )
    # The picture is of the emoji alone; a variation selector after it stays text.
    typed, rest = (found[0][:-1], found[0][-1]) if found[0].endswith("\ufe0f") else (found[0], "")
    if found["smiley"] and typed not in _SMILIES:
        return ""
    return (
        '<img src="/assets/plugins/nodebb-plugin-emoji/emoji/android/1f60e.png?v=9d4d" '
        'class="not-responsive emoji emoji-android emoji--any" '
        f'style="height:23px;width:auto;vertical-align:middle" title="{typed}" alt="😎" />{rest}'
    )


def _user(user: User) -> dict[str, Any]:
    return {"uid": user.uid, "username": user.name, "displayname": user.name}


def _said(message: Kept, viewer: User) -> dict[str, Any]:
    own = message.user is viewer
    hidden = message.deleted and not own
    return {
        "messageId": message.pid,
        "mid": message.pid,
        "fromuid": message.user.uid,
        "fromUser": _user(message.user),
        "content": "[[modules:chat.message-deleted]]" if hidden else nodebb_html(message.content),
        "timestamp": int(message.at * 1000),
        "edited": int(message.edited * 1000),
        "deleted": int(message.deleted),
        "system": 0,
        "self": int(own),
        "isOwner": own,
    }


def _ok(response: dict[str, Any]) -> dict[str, Any]:
    return {"status": {"code": "ok", "message": "OK"}, "response": response}


def _refused(status: int, code: str, message: str) -> RefusedError:
    return RefusedError(status, {"status": {"code": code, "message": message}, "response": {}})
