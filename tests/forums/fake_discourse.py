"""A Discourse site with one category, served on loopback as JSON.

Stateful: users with API keys, topics, posts. It enforces what a real site does (keys, texts too
short or too like the last one, closed topics, slow mode, the queue of moderators) and goes wrong on
demand.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import unquote

from tests.forums.cooked import cook
from tests.forums.json_site import Asked, JsonSite, RefusedError, Reply

CHUNK: Final = 20
SHORTEST: Final = 20
SIMILAR_S: Final = 300.0
MEMO_S: Final = 120.0


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
    user: User | None  # None where the account is gone
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
    # Who takes part in a private one.
    between: frozenset[str] = frozenset()


class FakeDiscourse(JsonSite):
    """The site. Its methods change the state as people and moderators would."""

    routes = (
        ("GET", r"/u/(.+)\.json", "_user"),
        ("GET", r"/topics/private-messages/(.+)\.json", "_private"),
        ("GET", r"/t/([0-9]+)\.json", "_topic"),
        ("GET", r"/t/([0-9]+)/posts\.json", "_some_posts"),
        ("GET", r"/posts/([0-9]+)\.json", "_one_post"),
        ("POST", r"/posts\.json", "_create"),
        ("PUT", r"/posts/([0-9]+)\.json", "_update"),
    )
    faulty = r"/t/|/posts|/topics/private-messages/"

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(clock)
        self.users: list[User] = []
        self.topics: dict[int, Topic] = {}
        self._next_post = 100
        self._memo: dict[str, tuple[float, Any]] = {}

    def add_user(self, name: str, key: str = "") -> User:
        user = User(len(self.users) + 1, name, key or f"key-of-{name}")
        self.users.append(user)
        return user

    def add_topic(self, title: str, by: str, raw: str) -> Topic:
        topic = Topic(len(self.topics) + 7, title)
        self.topics[topic.id] = topic
        self.post(topic, by, raw)
        return topic

    def write_letter(self, by: str, to: str, title: str, raw: str) -> Kept:
        """Open a private topic; returns its first post."""
        topic = self.add_topic(title, by, raw)
        topic.between = frozenset({by, to})
        return topic.posts[0]

    def post(self, topic: Topic, by: str, raw: str, **state: Any) -> Kept:
        with self.lock:
            user = next(user for user in self.users if user.name == by)
            self._next_post += 1
            post = Kept(self._next_post, len(topic.posts) + 1, user, raw, self.clock(), **state)
            topic.posts.append(post)
            return post

    def find(self, post_id: int) -> Kept | None:
        posts = (post for topic in self.topics.values() for post in topic.posts)
        return next((post for post in posts if post.id == post_id), None)

    def admit(self, asked: Asked) -> None:
        if "api-key" in asked.headers and self._user_of(asked) is None:
            raise _refused(403, "The API username or key is invalid.", "invalid_access")

    def not_found(self) -> RefusedError:
        return _not_found()

    def too_many(self) -> Reply:
        body = {"errors": ["Please wait 7 seconds"], "error_type": "rate_limit"}
        return Reply(body, 429, {"Retry-After": "7"})

    def emptied(self, answer: Any) -> Any:
        answer["post_stream"]["posts"] = []
        return answer

    def _user_of(self, asked: Asked) -> User | None:
        given = (asked.headers.get("api-key"), unquote(asked.headers.get("api-username", "")))
        return next((user for user in self.users if (user.key, user.name) == given), None)

    def _user(self, asked: Asked, name: str) -> dict[str, Any]:
        del asked
        user = next((user for user in self.users if user.name == unquote(name)), None)
        if user is None:
            raise _not_found()
        return {"user": {"id": user.id, "username": user.name}}

    def _private(self, asked: Asked, name: str) -> dict[str, Any]:
        """Somebody's private topics, the one with the newest post first."""
        viewer = self._known(asked)
        if viewer.name != unquote(name):
            raise _forbidden()
        topics = [topic for topic in self.topics.values() if viewer.name in topic.between]
        topics.sort(key=lambda topic: topic.posts[-1].id, reverse=True)
        return {
            "users": [],
            "topic_list": {"topics": [self._listed(one, viewer) for one in topics]},
        }

    def _listed(self, topic: Topic, viewer: User) -> dict[str, Any]:
        ids = [user.id for user in self.users if user.name in topic.between]
        wrote = {post.user.id for post in topic.posts if post.user}
        return {
            "id": topic.id,
            "title": topic.title,
            "highest_post_number": topic.posts[-1].number,
            "archetype": "private_message",
            "last_poster_username": topic.posts[-1].user.name if topic.posts[-1].user else "",
            "posters": [_participant(user_id) for user_id in sorted(wrote)],
            "participants": [_participant(user_id) for user_id in ids if user_id != viewer.id],
        }

    def _topic(self, asked: Asked, number: str) -> dict[str, Any]:
        topic = self._readable(number, asked)
        page = int(asked.query.get("page", ["1"])[0])
        ids = [post.id for post in topic.posts if not post.deleted]
        wanted = ids[(page - 1) * CHUNK : page * CHUNK]
        details = {"can_flag_topic": True}
        if not topic.closed and not topic.archived and self._user_of(asked) is not None:
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
        """Posts by their ids, or up to a page of them after or before the post with a number."""
        topic = self._readable(number, asked)
        posts = [post for post in topic.posts if not post.deleted]
        if "post_ids[]" in asked.query:
            wanted = set(map(int, asked.query["post_ids[]"]))
            posts = [post for post in posts if post.id in wanted]
        else:
            # A number that no post has any more stands for the nearest one.
            given = int(asked.query["post_number"][0])
            pivot = min((post.number for post in topic.posts), key=lambda has: abs(has - given))
            if asked.query.get("asc") == ["true"]:
                posts = [post for post in posts if post.number > pivot][:CHUNK]
            else:
                posts = [post for post in posts if post.number < pivot][::-1][:CHUNK]
        shown = [self._shown(post, asked) for post in posts]
        return {"post_stream": {"posts": shown}, "id": topic.id}

    def _one_post(self, asked: Asked, number: str) -> dict[str, Any]:
        post = self.find(int(number))
        if post is None or post.deleted:
            raise _not_found()
        return self._shown(post, asked) | {
            "raw": post.raw,
            "can_edit": post.user is self._user_of(asked),
        }

    def _create(self, asked: Asked) -> Any:
        """Post; with a key the same request gets the same answer for a while."""
        signature = json.dumps([self._known(asked).id, *sorted(asked.body.items())])
        at, answer = self._memo.get(signature, (-1e9, None))
        if self.clock() - at < MEMO_S:
            return answer
        try:
            answer = Reply(self._posted(asked))
        except RefusedError as refused:
            if refused.reply.status != 422:
                raise
            answer = refused.reply
        self._memo[signature] = (self.clock(), answer)
        return answer

    def _posted(self, asked: Asked) -> dict[str, Any]:
        topic, user = self._readable(asked.body["topic_id"], asked), self._known(asked)
        if topic.closed or topic.archived:
            raise _refused(
                422,
                "Something has gone wrong. Perhaps this topic was closed or deleted while you were "
                "looking at it?",
            )
        raw = self._checked(asked.body["raw"])
        now = self.clock()
        mine = [post.at for post in topic.posts if post.user is user]
        if mine and now - mine[-1] < topic.slow_s:
            raise _refused(422, "This topic is in slow mode. Please wait before posting again.")
        if user.last_raw == raw and now - user.last_at < SIMILAR_S:
            raise _refused(422, "Body is too similar to what you recently posted")
        user.last_raw, user.last_at = raw, now
        if topic.queued:
            return {"success": True, "action": "enqueued", "pending_post": {"id": 1}}
        return self._shown(self.post(topic, user.name, raw), asked)

    def _update(self, asked: Asked, number: str) -> dict[str, Any]:
        post, user = self.find(int(number)), self._known(asked)
        if post is None or post.deleted:
            raise _not_found()
        if post.user is not user:
            raise _refused(403, "You are not permitted to edit that post.", "invalid_access")
        post.raw = self._checked(asked.body["post"]["raw"])
        post.version += 1
        return {"post": self._shown(post, asked)}

    def _known(self, asked: Asked) -> User:
        user = self._user_of(asked)
        if user is None:
            raise _refused(403, "You need to be logged in to do that.", "not_logged_in")
        return user

    def _checked(self, raw: str) -> str:
        if len(raw.strip()) < SHORTEST:
            raise _refused(422, f"Body is too short (minimum is {SHORTEST} characters)")
        return raw.strip()

    def _readable(self, number: Any, asked: Asked) -> Topic:
        topic, user = self.topics.get(int(number)), self._user_of(asked)
        if topic is None or topic.gone:
            raise _not_found()
        takes_part = not topic.between or (user is not None and user.name in topic.between)
        if not topic.readable or not takes_part:
            raise _forbidden()
        return topic

    def _shown(self, post: Kept, asked: Asked) -> dict[str, Any]:
        shown = {
            "id": post.id,
            "post_number": post.number,
            "user_id": post.user.id if post.user else None,
            "username": post.user.name if post.user else None,
            "created_at": datetime.fromtimestamp(post.at, UTC).isoformat().replace("+00:00", "Z"),
            "cooked": self.filtered(cook(post.raw), "■"),
            "version": post.version,
            "post_type": post.type,
            "hidden": post.hidden,
            "deleted_at": None,
            "yours": post.user is self._user_of(asked),
        }
        return shown | {"raw": post.raw} if "include_raw" in asked.query else shown


def _refused(status: int, said: str, kind: str = "") -> RefusedError:
    body: dict[str, Any] = {"errors": [said]}
    return RefusedError(status, body | {"error_type": kind} if kind else body)


def _participant(user_id: int) -> dict[str, Any]:
    return {"extras": None, "description": "", "user_id": user_id, "primary_group_id": None}


def _forbidden() -> RefusedError:
    return _refused(403, "You are not permitted to view the requested resource.", "invalid_access")


def _not_found() -> RefusedError:
    return _refused(404, "The requested URL or resource could not be found.", "not_found")
