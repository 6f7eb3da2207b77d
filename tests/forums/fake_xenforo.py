"""A XenForo board with one forum, served on loopback through its REST API.

Stateful: members with keys, threads, posts. It does what the vendor's document says (forms in, JSON
out, the user of each answer in a header, errors with codes) and what a public client found on a
real board (a page past the end and a missing key are a 400). What neither tells, it makes up: the
codes of flood control, of closed threads and of missing permissions.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bs4 import BeautifulSoup, Tag

from tests.forums.bbcode import render
from tests.forums.json_site import Asked, JsonSite, RefusedError, Reply


@dataclass(slots=True)
class User:
    """A member; ``key`` is what the API takes for them."""

    id: int
    name: str
    key: str
    last_at: float = -1e9
    moderated: bool = False
    # Whether the key has the scope that reads conversations.
    converses: bool = True


@dataclass(slots=True)
class Kept:
    """A post as the board keeps it."""

    id: int
    position: int
    user: User | None
    message: str
    at: float
    state: str = "visible"
    edited: float = 0.0
    # What a guest has called himself, or what the member was called whose account is gone.
    guest_name: str = "Antiguo"


@dataclass(slots=True)
class Thread:
    """A thread and its state."""

    id: int
    title: str
    posts: list[Kept] = field(default_factory=list)
    open: bool = True
    state: str = "visible"
    gone: bool = False
    readable: bool = True
    repliable: bool = True


@dataclass(slots=True)
class Talk:
    """A conversation; a message is kept like a post."""

    id: int
    title: str
    starter: User
    invited: tuple[User, ...]
    messages: list[Kept] = field(default_factory=list)


class FakeXenForo(JsonSite):
    """The board. Its methods change the state as people and moderators would."""

    routes = (
        ("GET", r"/api/me/", "_me"),
        ("GET", r"/api/threads/([0-9]+)/", "_thread"),
        ("POST", r"/api/posts/", "_reply"),
        ("GET", r"/api/posts/([0-9]+)/", "_one_post"),
        ("POST", r"/api/posts/([0-9]+)/", "_edit"),
        ("GET", r"/api/conversations/", "_talks"),
        ("GET", r"/api/conversations/([0-9]+)/messages", "_messages"),
    )
    faulty = r"/api/threads/|/api/posts/|/api/conversations/"

    def __init__(self, clock: Callable[[], float], per_page: int = 20) -> None:
        super().__init__(clock)
        self.users: list[User] = []
        self.threads: dict[int, Thread] = {}
        self.talks: list[Talk] = []
        self.super_key = ""
        self.flood_s = 15.0
        self._per_page = per_page
        self._next_post = 100

    def add_user(self, name: str, key: str = "") -> User:
        user = User(len(self.users) + 1, name, key or f"key-of-{name}")
        self.users.append(user)
        return user

    def add_thread(self, title: str, by: str, message: str) -> Thread:
        thread = Thread(len(self.threads) + 7, title)
        self.threads[thread.id] = thread
        self.post(thread, by, message)
        return thread

    def post(self, thread: Thread, by: str, message: str, state: str = "visible") -> Kept:
        with self.lock:
            user = next((user for user in self.users if user.name == by), None)
            self._next_post += 1
            place = sum(post.state == "visible" for post in thread.posts)
            post = Kept(self._next_post, place, user, message, self.clock(), state, guest_name=by)
            thread.posts.append(post)
            return post

    def add_talk(self, title: str, by: str, *to: str) -> Talk:
        starter = next(user for user in self.users if user.name == by)
        invited = tuple(user for user in self.users if user.name in to)
        self.talks.append(Talk(len(self.talks) + 1, title, starter, invited))
        return self.talks[-1]

    def write_letter(self, talk: Talk, by: str, message: str) -> Kept:
        """Say something in a conversation."""
        with self.lock:
            user = next(user for user in self.users if user.name == by)
            number = sum(len(one.messages) for one in self.talks) + 1
            talk.messages.append(Kept(number, len(talk.messages), user, message, self.clock()))
            return talk.messages[-1]

    def find(self, post_id: int) -> Kept | None:
        posts = (post for thread in self.threads.values() for post in thread.posts)
        return next((post for post in posts if post.id == post_id), None)

    def not_found(self) -> RefusedError:
        return _refused(404, "requested_page_not_found", "The page could not be found.")

    def too_many(self) -> Reply:
        reply = _refused(429, "too_many_requests", "Slow down.").reply
        return Reply(reply.body, 429, {"Retry-After": "7"})

    def emptied(self, answer: Any) -> Any:
        return answer | {"posts": []}

    def admit(self, asked: Asked) -> None:
        if "xf-api-key" not in asked.headers:
            raise _refused(400, "no_api_key_in_request", "No API key was included.")
        known = {user.key for user in self.users} | {self.super_key}
        if asked.headers["xf-api-key"] not in known:
            raise _refused(401, "api_key_not_found", "API key provided in request was not found.")

    def _viewer(self, asked: Asked) -> User | None:
        key, user_id = asked.headers["xf-api-key"], asked.headers.get("xf-api-user", "0")
        if key == self.super_key:
            return next((user for user in self.users if str(user.id) == user_id), None)
        return next((user for user in self.users if user.key == key), None)

    def _for(self, asked: Asked, body: Any) -> Reply:
        viewer = self._viewer(asked)
        return Reply(body, headers={"XF-Request-User": str(viewer.id if viewer else 0)})

    def _me(self, asked: Asked) -> Reply:
        viewer = self._viewer(asked)
        if viewer is None:
            raise _refused(403, "permission_denied", "You must be logged in.")
        return self._for(asked, {"me": {"user_id": viewer.id, "username": viewer.name}})

    def _known(self, number: object) -> Thread:
        thread = self.threads.get(int(str(number)))
        if thread is None or thread.gone:
            raise _refused(404, "requested_thread_not_found", "The thread could not be found.")
        if not thread.readable:
            raise _refused(403, "permission_denied", "You do not have permission to view this.")
        return thread

    def _thread(self, asked: Asked, number: str) -> Reply:
        thread, viewer = self._known(number), self._viewer(asked)
        answer: dict[str, Any] = {
            "thread": {
                "thread_id": thread.id,
                "title": thread.title,
                "discussion_open": thread.open,
                "discussion_state": thread.state,
                "discussion_type": "discussion",
                "can_reply": viewer is not None and thread.open and thread.repliable,
            }
        }
        if "with_posts" in asked.query:
            page = int(asked.query.get("page", ["1"])[0])
            posts = [post for post in thread.posts if _is_shown(post, viewer)]
            count = max(1, -(-len(posts) // self._per_page))
            if page > count:
                raise _refused(400, "invalid_page", "The requested page does not exist.")
            begin = (page - 1) * self._per_page
            shown = posts[begin : begin + self._per_page]
            answer["posts"] = [_shown(self, post, viewer, thread) for post in shown]
            answer["pagination"] = {
                "current_page": page,
                "last_page": count,
                "per_page": self._per_page,
                "shown": len(shown),
                "total": len(posts),
            }
        return self._for(asked, answer)

    def _converser(self, asked: Asked) -> User:
        viewer = self._viewer(asked)
        if viewer is None or not viewer.converses:
            raise _refused(403, "permission_denied", "You do not have permission to view this.")
        return viewer

    def _talks(self, asked: Asked) -> Reply:
        """The conversations of whoever asks, in no order that the document names."""
        viewer = self._converser(asked)
        shown = [
            {
                "conversation_id": talk.id,
                "title": talk.title,
                "user_id": talk.starter.id,
                "recipients": {str(user.id): user.name for user in talk.invited} or [],
                "reply_count": len(talk.messages) - 1,
                "last_message_id": talk.messages[-1].id,
                "last_message_date": int(talk.messages[-1].at),
                "last_message_user_id": talk.messages[-1].user.id if talk.messages[-1].user else 0,
            }
            for talk in self.talks
            if viewer in (talk.starter, *talk.invited)
        ]
        return self._for(asked, {"conversations": shown, "pagination": self._paging(1, len(shown))})

    def _messages(self, asked: Asked, number: str) -> Reply:
        viewer = self._converser(asked)
        talk = next((talk for talk in self.talks if str(talk.id) == number), None)
        if talk is None or viewer not in (talk.starter, *talk.invited):
            raise _refused(404, "requested_conversation_not_found", "It could not be found.")
        page = int(asked.query.get("page", ["1"])[0])
        begin = (page - 1) * self._per_page
        shown = [
            {
                "message_id": message.id,
                "user_id": message.user.id if message.user else 0,
                "username": message.user.name if message.user else "Antiguo",
                "message_date": int(message.at),
                "message": message.message,
                "message_parsed": xenforo_html(message.message),
                "view_url": f"http://forum.test/conversations/messages/{message.id}/",
            }
            for message in talk.messages[begin : begin + self._per_page]
        ]
        paging = self._paging(page, len(talk.messages))
        return self._for(asked, {"messages": shown, "pagination": paging})

    def _paging(self, page: int, total: int) -> dict[str, int]:
        return {"current_page": page, "last_page": max(1, -(-total // self._per_page))}

    def _home_of(self, post: Kept) -> Thread:
        return next(thread for thread in self.threads.values() if post in thread.posts)

    def _one_post(self, asked: Asked, number: str) -> Reply:
        post, viewer = self.find(int(number)), self._viewer(asked)
        if post is None or not _is_shown(post, viewer):
            raise _refused(404, "requested_post_not_found", "The post could not be found.")
        return self._for(asked, {"post": _shown(self, post, viewer, self._home_of(post))})

    def _reply(self, asked: Asked) -> Reply:
        thread, viewer = self._known(asked.body["thread_id"]), self._viewer(asked)
        if viewer is None or not thread.open or not thread.repliable:
            raise _refused(403, "permission_denied", "You do not have permission to do this.")
        message = _checked(asked)
        left = self.flood_s - (self.clock() - viewer.last_at)
        if left > 0:
            raise _refused(
                400,
                "must_wait_x_seconds_before_performing_this_action",
                f"You must wait at least {left:.0f} seconds before performing this action.",
                count=round(left),
            )
        viewer.last_at = self.clock()
        state = "moderated" if viewer.moderated else "visible"
        post = self.post(thread, viewer.name, message, state)
        return self._for(asked, {"success": True, "post": _shown(self, post, viewer, thread)})

    def _edit(self, asked: Asked, number: str) -> Reply:
        post, viewer = self.find(int(number)), self._viewer(asked)
        if post is None or not _is_shown(post, viewer):
            raise _refused(404, "requested_post_not_found", "The post could not be found.")
        if post.user is not viewer:
            raise _refused(403, "permission_denied", "You do not have permission to do this.")
        post.message, post.edited = _checked(asked), self.clock()
        shown = _shown(self, post, viewer, self._home_of(post))
        return self._for(asked, {"success": True, "post": shown})


def xenforo_html(typed: str) -> str:
    """A post's HTML: BBCode in XenForo's dress."""
    soup = BeautifulSoup(f"<html><body>{render(typed)}</body></html>", "lxml")
    for tag in soup.select("blockquote > div > cite, div.codebox > p, div.spoiler-title"):
        tag.name, tag.attrs = "div", {"class": "bbCodeBlock-title"}
        tag.string = "Wren said: Click to expand..."
    for tag in soup.select("blockquote"):
        tag.attrs = {"class": "bbCodeBlock bbCodeBlock--expandable bbCodeBlock--quote"}
        title = tag.select_one("div > div.bbCodeBlock-title")
        if title is not None:
            tag.insert(0, title.extract())
        link = soup.new_tag("div", attrs={"class": "bbCodeBlock-expandLink js-expandLink"})
        link.append(soup.new_tag("a", attrs={"role": "button"}))
        if isinstance(link.a, Tag):
            link.a.string = "Click to expand..."
        tag.append(link)
    for tag in soup.select("div.codebox"):
        tag.attrs = {"class": "bbCodeBlock bbCodeBlock--screenLimited bbCodeBlock--code"}
    for tag in soup.select("div.spoiler"):
        tag.attrs = {"class": "bbCodeSpoiler"}
    for tag in soup.select("img.smilies"):
        tag.attrs = {
            "class": "smilie smilie--emoji" if "emoji" in tag.get("class", []) else "smilie",
            "alt": str(tag["alt"]),
            "src": "data:,",
            "data-shortname": str(tag["alt"]),
        }
    for tag in soup.select("a.postlink"):
        tag["class"] = "link link--external"
    body = soup.body.decode_contents() if soup.body else ""
    return f'<div class="bbWrapper">{body}</div>'


def _is_shown(post: Kept, viewer: User | None) -> bool:
    own = post.user is viewer and viewer is not None
    return post.state == "visible" or (post.state == "moderated" and own)


def _shown(site: FakeXenForo, post: Kept, viewer: User | None, thread: Thread) -> dict[str, Any]:
    own = post.user is viewer and viewer is not None
    return {
        "post_id": post.id,
        "thread_id": thread.id,
        "user_id": post.user.id if post.user else 0,
        "username": post.user.name if post.user else post.guest_name,
        "post_date": int(post.at),
        "message": post.message,
        "message_parsed": site.filtered(xenforo_html(post.message), "*"),
        "message_state": post.state,
        "position": post.position,
        "last_edit_date": int(post.edited),
        "can_edit": own and thread.open,
        "User": {"signature": "Firma [acción: ataque | objetivo: Firma]"},
    }


def _checked(asked: Asked) -> str:
    message = str(asked.body.get("message", "")).strip()
    if not re.search(r"\S", message):
        raise _refused(400, "please_enter_valid_message", "Please enter a valid message.")
    return message


def _refused(status: int, code: str, message: str, **params: object) -> RefusedError:
    return RefusedError(
        status, {"errors": [{"code": code, "message": message, "params": params or []}]}
    )
