"""A Flarum forum with one tag, served on loopback as JSON:API.

Stateful: members with developer tokens and passwords, sessions, discussions, posts and events. It
enforces what the real one's source (1.8.7) does: posts by offset, 404 for what a guest may not see,
a throttle without a time, CSRF tokens of sessions, approval, locks, who may edit.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from http.cookies import SimpleCookie
from typing import Any, Final
from urllib.parse import urlencode

from tests.forums.json_site import Asked, JsonSite, RefusedError, Reply
from tests.forums.rendered import link, markdown_html

THROTTLE_S: Final = 10.0
LONGEST: Final = 65_535
_FACES: Final = {
    ":)": "🙂", ":D": "😃", ":P": "😛", ":(": "🙁", ":|": "😐", ";)": "😉", ":'(": "😢",
    ":O": "😮", ">:(": "😡",
}  # fmt: skip


@dataclass(slots=True)
class User:
    """A member; ``token`` is a developer token of their own."""

    id: int
    name: str
    token: str
    password: str
    last_at: float = -1e9
    needs_approval: bool = False
    may_edit: bool = True


@dataclass(slots=True)
class Kept:
    """A post as the forum keeps it; ``kind`` is another than ``comment`` for an event."""

    id: int
    number: int
    user: User | None
    content: str
    at: float
    kind: str = "comment"
    edited: float = 0.0
    hidden: bool = False
    approved: bool = True


@dataclass(slots=True)
class Discussion:
    """A discussion and its state."""

    id: int
    title: str
    posts: list[Kept] = field(default_factory=list)
    locked: bool = False
    gone: bool = False
    members_only: bool = False


class FakeFlarum(JsonSite):
    """The forum. Its methods change the state as people and moderators would."""

    routes = (
        ("GET", r"/api", "_forum"),
        ("POST", r"/login", "_login"),
        ("GET", r"/api/posts", "_posts"),
        ("GET", r"/api/posts/([0-9]+)", "_one_post"),
        ("GET", r"/api/discussions/([0-9]+)", "_discussion"),
        ("POST", r"/api/posts", "_reply"),
        ("PATCH", r"/api/posts/([0-9]+)", "_edit"),
    )
    faulty = r"/api/posts|/api/discussions"

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(clock)
        self.users: list[User] = []
        self.discussions: dict[int, Discussion] = {}
        self.sessions: dict[str, User] = {}
        self._next_post = 100

    def add_user(self, name: str, token: str = "", password: str = "") -> User:
        user = User(len(self.users) + 1, name, token or f"token-of-{name}", password)
        self.users.append(user)
        return user

    def add_discussion(self, title: str, by: str, content: str) -> Discussion:
        discussion = Discussion(len(self.discussions) + 7, title)
        self.discussions[discussion.id] = discussion
        self.post(discussion, by, content)
        return discussion

    def post(self, discussion: Discussion, by: str, content: str, **state: Any) -> Kept:
        with self.lock:
            user = next((user for user in self.users if user.name == by), None)
            self._next_post += 1
            number = len(discussion.posts) + 1
            post = Kept(self._next_post, number, user, content, self.clock(), **state)
            discussion.posts.append(post)
            return post

    def find(self, post_id: int) -> Kept | None:
        posts = (post for found in self.discussions.values() for post in found.posts)
        return next((post for post in posts if post.id == post_id), None)

    def end_sessions(self) -> None:
        self.sessions.clear()

    def not_found(self) -> RefusedError:
        return _refused(404, "not_found")

    def too_many(self) -> Reply:
        reply = _refused(429, "too_many_requests").reply
        return Reply(reply.body, 429, {"Retry-After": "7"})

    def emptied(self, answer: Any) -> Any:
        return answer | {"data": []} if isinstance(answer["data"], list) else answer

    def _session_id(self, asked: Asked) -> str:
        cookie = SimpleCookie(asked.headers.get("cookie", "")).get("flarum_session")
        return cookie.value if cookie else ""

    def _actor(self, asked: Asked) -> User | None:
        """Who asks; a token that nobody has reads as a guest."""
        scheme, _, token = asked.headers.get("authorization", "").partition(" ")
        if scheme == "Token":
            key = token.partition(";")[0]
            return next((user for user in self.users if user.token == key), None)
        return self.sessions.get(self._session_id(asked))

    def _csrf(self, session: str) -> str:
        who = self.sessions.get(session)
        return f"csrf-of-{session}-{who.id if who else 0}"

    def _with_session(self, asked: Asked, body: Any, session: str = "") -> Reply:
        sid = session or self._session_id(asked) or f"s{len(self.requests)}"
        headers = {"X-CSRF-Token": self._csrf(sid), "Set-Cookie": f"flarum_session={sid}; Path=/"}
        return Reply(body, headers=headers)

    def _check_csrf(self, asked: Asked) -> None:
        by_token = "authorization" in asked.headers and self._actor(asked) is not None
        given = asked.headers.get("x-csrf-token")
        if not by_token and given != self._csrf(self._session_id(asked)):
            raise _refused(400, "csrf_token_mismatch")

    def _forum(self, asked: Asked) -> Reply:
        actor = self._actor(asked)
        data: dict[str, Any] = {"type": "forums", "id": "1", "attributes": {"title": "Foro"}}
        if actor is not None:
            who = {"data": {"type": "users", "id": str(actor.id)}}
            data["relationships"] = {"groups": {"data": []}, "actor": who}
        return self._with_session(asked, {"data": data})

    def _login(self, asked: Asked) -> Reply:
        self._check_csrf(asked)
        given = (asked.body.get("identification"), asked.body.get("password"))
        user = next((user for user in self.users if (user.name, user.password) == given), None)
        if user is None or not user.password:
            raise _refused(401, "not_authenticated")
        sid = f"user-{user.id}-{len(self.requests)}"
        self.sessions[sid] = user
        return self._with_session(asked, {"token": "canario-token", "userId": user.id}, sid)

    def _visible(self, number: object, asked: Asked) -> Discussion | None:
        discussion = self.discussions.get(int(str(number)))
        if discussion is None or discussion.gone:
            return None
        return None if discussion.members_only and self._actor(asked) is None else discussion

    def _posts(self, asked: Asked) -> Reply:
        discussion = self._visible(asked.query["filter[discussion]"][0], asked)
        actor, posts = self._actor(asked), list[Kept]()
        if discussion is not None:
            posts = [post for post in discussion.posts if _is_shown(post, actor)]
        limit = min(50, int(asked.query.get("page[limit]", ["20"])[0]))
        offset = int(asked.query.get("page[offset]", ["0"])[0])
        near = int(asked.query.get("page[near]", ["0"])[0])
        if near > 1:
            if "sort" in asked.query:
                raise _refused(400, "invalid_parameter")
            closest = min(posts, key=lambda post: abs(post.number - near))
            offset = max(0, posts.index(closest) - limit // 2)
        shown = posts[offset : offset + limit]
        links = {"first": self._page(asked, 0)}
        if offset:
            links["prev"] = self._page(asked, max(0, offset - limit))
        if len(posts) > offset + limit:
            links["next"] = self._page(asked, offset + limit)
        users = {post.user.id: post.user for post in shown if post.user}
        included: list[dict[str, Any]] = [_user(user) for user in users.values()]
        if discussion is not None and shown:
            title = {"title": discussion.title, "slug": f"{discussion.id}-x"}
            included.append({"type": "discussions", "id": str(discussion.id), "attributes": title})
        data = [self._shown(post, actor, discussion) for post in shown]
        return self._with_session(asked, {"links": links, "data": data, "included": included})

    def _page(self, asked: Asked, offset: int) -> str:
        query = {name: values[0] for name, values in asked.query.items() if name != "page[offset]"}
        return f"http://foro.test/api/posts?{urlencode(query | {'page[offset]': offset})}"

    def _shown(
        self, post: Kept, actor: User | None, discussion: Discussion | None
    ) -> dict[str, Any]:
        about: dict[str, Any] = {
            "number": post.number,
            "createdAt": _moment(post.at),
            "contentType": post.kind,
            "canEdit": _may_edit(post, actor, discussion),
            "isApproved": post.approved,
        }
        if post.kind == "comment":
            about |= {"contentHtml": flarum_html(post.content), "renderFailed": False}
        else:
            about["content"] = {"locked": True}
        if post.edited:
            about["editedAt"] = _moment(post.edited)
        if post.hidden:
            about |= {"isHidden": True, "hiddenAt": _moment(post.at)}
        related: dict[str, Any] = {}
        if discussion is not None:
            related["discussion"] = {"data": {"type": "discussions", "id": str(discussion.id)}}
        if post.user is not None:
            related["user"] = {"data": {"type": "users", "id": str(post.user.id)}}
        return {
            "type": "posts",
            "id": str(post.id),
            "attributes": about,
            "relationships": related,
        }

    def _one_post(self, asked: Asked, number: str) -> Reply:
        post, actor = self.find(int(number)), self._actor(asked)
        if post is None or not _is_shown(post, actor):
            raise self.not_found()
        data = self._shown(post, actor, self._home_of(post))
        return self._with_session(asked, {"data": data})

    def _home_of(self, post: Kept) -> Discussion:
        return next(found for found in self.discussions.values() if post in found.posts)

    def _discussion(self, asked: Asked, number: str) -> Reply:
        discussion, actor = self._visible(number, asked), self._actor(asked)
        if discussion is None:
            raise self.not_found()
        about = {
            "title": discussion.title,
            "canReply": actor is not None and not discussion.locked,
            "isLocked": discussion.locked,
        }
        data = {"type": "discussions", "id": number, "attributes": about}
        return self._with_session(asked, {"data": data})

    def _reply(self, asked: Asked) -> Reply:
        self._check_csrf(asked)
        data, actor = asked.body["data"], self._actor(asked)
        if actor is None:
            raise _refused(401, "not_authenticated")
        if self.clock() - actor.last_at < THROTTLE_S:
            raise _refused(429, "too_many_requests")
        discussion = self._visible(data["relationships"]["discussion"]["data"]["id"], asked)
        if discussion is None:
            raise self.not_found()
        if discussion.locked:
            raise _refused(403, "permission_denied")
        content = _checked(data)
        actor.last_at = self.clock()
        approved = not actor.needs_approval
        post = self.post(discussion, actor.name, content, approved=approved)
        return Reply({"data": self._shown(post, actor, discussion)}, 201)

    def _edit(self, asked: Asked, number: str) -> Reply:
        self._check_csrf(asked)
        post, actor = self.find(int(number)), self._actor(asked)
        if post is None or not _is_shown(post, actor):
            raise self.not_found()
        home = self._home_of(post)
        if not _may_edit(post, actor, home):
            raise _refused(403, "permission_denied")
        post.content, post.edited = _checked(asked.body["data"]), self.clock()
        return Reply({"data": self._shown(post, actor, home)})


def flarum_html(typed: str) -> str:
    """A post's HTML: Markdown, and nine smilies as faces wherever they stand outside code."""
    return markdown_html(typed, _dress)


def _dress(found: re.Match[str]) -> str:
    if found["url"]:
        return link(found["url"], rel="ugc noopener nofollow")
    if found["mail"]:
        return link(found["mail"], prefix="mailto:")
    if found["mention"]:
        name = found["mention"][1:]
        return f'<a href="http://foro.test/u/{escape(name)}" class="UserMention">@{name}</a>'
    return _FACES.get(found[0], "")


def _is_shown(post: Kept, actor: User | None) -> bool:
    return (not post.hidden and post.approved) or (post.user is actor and actor is not None)


def _may_edit(post: Kept, actor: User | None, home: Discussion | None) -> bool:
    is_own = post.user is actor and actor is not None and actor.may_edit
    return is_own and post.kind == "comment" and home is not None and not home.locked


def _checked(data: Any) -> str:
    content = str(data["attributes"].get("content") or "")
    if not content.strip():
        raise _refused(422, "validation_error", "The content field is required.")
    if len(content) > LONGEST:
        raise _refused(
            422, "validation_error", "The content may not be greater than 65535 letters."
        )
    return content


def _user(user: User) -> dict[str, Any]:
    about = {"username": user.name.lower(), "displayName": user.name}
    return {"type": "users", "id": str(user.id), "attributes": about}


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()


def _refused(status: int, code: str, detail: str = "") -> RefusedError:
    row = {"status": str(status), "code": code}
    if detail:
        row |= {"detail": detail, "source": {"pointer": "/data/attributes/content"}}
    return RefusedError(status, {"errors": [row]})
