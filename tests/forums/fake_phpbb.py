"""A phpBB board: what a real one enforces of forms, tokens, sessions and floods.

Tokens are bound to a session and of a certain age, wrong passwords bring a CAPTCHA, "at least one
new post has been made" gives the form back. ``board.py`` tells how to drive it.
"""

import hashlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from tests.forums import board
from tests.forums import phpbb_pages as pages
from tests.forums.bbcode import render
from tests.forums.board import (
    NOT_FOUND,
    FakeBoard,
    Letter,
    Post,
    RemoteBoard,
    Reply,
    Request,
    Session,
    Stop,
    Topic,
    User,
    number_in,
    received,
    serve,
)
from tests.forums.faults import FaultPlan

__all__ = ["FakePhpBB", "RemoteBoard", "Request", "Settings"]

COOKIE: Final = "phpbb3_fake"
_LONGEST_TEXT: Final = 60_000


@dataclass(slots=True)
class Settings(board.Settings):
    """What an administrator of phpBB chooses."""

    min_form_age_s: int = 1
    form_lifetime_s: int = 7200
    post_review: bool = True
    login_attempts: int = 3
    quick_reply: bool = False


@dataclass(slots=True)
class _Visit:
    """One request with whom it comes from."""

    request: Request
    session: Session
    user: User | None
    viewer: pages.Viewer
    at: pages.At


class FakePhpBB(FakeBoard):
    """The board."""

    guest: ClassVar[int] = 1
    settings: Settings

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.time,
        settings: Settings | None = None,
        faults: FaultPlan | None = None,
    ) -> None:
        super().__init__(settings or Settings(), clock=clock, faults=faults)

    def is_login(self, request: Request) -> bool:
        return request.path == "/ucp.php" and request.query.get("i") != "pm"

    def closed(self, request: Request) -> Reply:
        visit = self._visit(request)
        return Reply(200, pages.message(visit.viewer, visit.at, "disabled"))

    def index(self, request: Request) -> Reply:
        visit = self._visit(request)
        page = pages.page(visit.viewer, visit.at, "Index", "<h2>Foro</h2>", where="index")
        return Reply(200, page)

    def asked_to_log_in(self, request: Request) -> Reply:
        return self._login_page(_as_guest(self._visit(request)))

    def flooded(self, request: Request) -> Reply:
        return self._posting_page(self._visit(request), error="flood")

    def route(self, request: Request, event: dict[str, Any]) -> Reply:
        visit = self._visit(request)
        is_new = request.cookies.get(f"{COOKIE}_sid") != visit.session.id
        try:
            reply = self._page(visit, event)
        except Stop as stop:
            reply = stop.reply
        if is_new and not any(name == "Set-Cookie" for name, _ in reply.headers):
            reply.headers.append(_cookie("sid", visit.session.id))
        return reply

    def _page(self, visit: _Visit, event: dict[str, Any]) -> Reply:
        path = visit.request.path
        if path == "/ucp.php":
            return self._ucp(visit)
        if self.disabled and not (visit.user and visit.user.moderator):
            return self.closed(visit.request)
        if path == "/viewtopic.php":
            return self._viewtopic(visit)
        if path == "/posting.php":
            return self._posting(visit, event)
        if path in {"/", "/index.php"}:
            return self.index(visit.request)
        return Reply(404, NOT_FOUND)

    def _visit(self, request: Request) -> _Visit:
        """Who is there, by the address's session id or the cookies."""
        known = request.query.get("sid") or request.cookies.get(f"{COOKIE}_sid", "")
        session = self._sessions.get(known)
        if session is None or session.agent != request.agent:
            remembered = self._keys.get(request.cookies.get(f"{COOKIE}_k", ""), self.guest)
            session = self._new_session(remembered, request.agent)
        user = self._users.get(session.user_id)
        viewer = pages.Viewer(
            session.user_id, user.name if user else "Guest", user.lang if user else "en", session.id
        )
        sends_cookies = request.cookies.get(f"{COOKIE}_sid") == session.id
        return _Visit(
            request, session, user, viewer, _address(session.id, with_sid=not sends_cookies)
        )

    # Logging in.

    def _ucp(self, visit: _Visit) -> Reply:
        request = visit.request
        mode = request.query.get("mode", "")
        home = Reply(302, "", [("Location", f"{self.url}/index.php")])
        if mode == "logout":
            if request.query.get("sid") == visit.session.id:
                del self._sessions[visit.session.id]
            return home
        if request.query.get("i") == "pm":
            return self._mailbox(visit)
        if mode != "login":
            return Reply(404, NOT_FOUND)
        if "login" in request.form:
            return self._login(visit)
        return home if visit.user is not None else self._login_page(visit)

    def _login(self, visit: _Visit) -> Reply:
        """Check a login form, and remember the browser that asks for it."""
        form = visit.request.form
        user = self._who(form.get("username", ""))
        if not self._token_is_good(visit, "login"):
            return self._login_page(visit, error=visit.viewer.says("token"))
        if self.puzzles or (user is not None and user.failed >= self.settings.login_attempts):
            return self._login_page(visit, error=visit.viewer.says("captcha"), captcha=True)
        if user is None or user.password != form.get("password"):
            if user is not None:
                user.failed += 1
            return self._login_page(visit, error=visit.viewer.says("password"))
        user.failed = 0
        if user.two_steps:
            return Reply(200, pages.code(visit.viewer, visit.at))
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
        puzzle = secrets.token_hex(16) if captcha or self.puzzles else ""
        return Reply(
            200,
            pages.login(visit.viewer, visit.at, hidden, title=title, error=error, captcha=puzzle),
        )

    # Private messages: after prosilver's templates and ucp_pm.php of 3.3, never seen live.

    def _mailbox(self, visit: _Visit) -> Reply:
        if visit.user is None:
            return self._login_page(visit)
        if not visit.user.reads_letters:
            return Reply(403, pages.message(visit.viewer, visit.at, "no_letters"))
        inbox = self._inbox(visit.user)
        query = visit.request.query
        if "p" not in query:
            shown = [self._dressed_letter(one) for one in inbox[: self.settings.per_page]]
            return Reply(200, pages.inbox(visit.viewer, visit.at, shown))
        letter = next((one for one in inbox if one.id == number_in(query["p"])), None)
        if letter is None or letter.deleted:
            return Reply(200, pages.message(visit.viewer, visit.at, "no_letter"))
        earlier = [one for one in inbox if one.title == letter.title and not one.deleted]
        return Reply(
            200,
            pages.letter(
                visit.viewer,
                visit.at,
                self._dressed_letter(letter),
                history=[self._dressed_letter(one) for one in earlier],
            ),
        )

    def _dressed_letter(self, letter: Letter) -> pages.ShownPost:
        author = self._users[letter.author_id]
        return pages.ShownPost(
            id=letter.id,
            author_id=author.id,
            author=author.name,
            at=letter.at,
            body=render(letter.text),
            subject=letter.title,
            signature=render(author.signature),
            deleted=letter.deleted,
        )

    # Reading.

    def _viewtopic(self, visit: _Visit) -> Reply:
        query = visit.request.query
        topic = self._topic(visit, query.get("t", ""), query.get("p", ""))
        if visit.user is None and not self.settings.guests_read:
            raise Stop(self._login_page(visit, title=visit.viewer.says("login_to_read")))
        if not topic.readable:
            raise Stop(Reply(403, pages.message(visit.viewer, visit.at, "no_read")))
        shown = self._shown(visit, topic)
        start = number_in(query.get("start", ""))
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
        kept = self._posts.get(number_in(post))
        found = self._topics.get(kept.topic if kept else number_in(topic))
        if found is None or found.gone:
            key = "no_post" if post else "no_topic"
            raise Stop(Reply(404, pages.message(visit.viewer, visit.at, key)))
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
        first = self._first_id(topic)
        return pages.ShownPost(
            id=post.id,
            author_id=post.author_id,
            author=self._name_of(post),
            at=post.at,
            body=self._filtered(render(post.text)),
            subject=topic.title if post.id == first else f"Re: {topic.title}",
            signature=render(author.signature) if author else "",
            edits=post.edits,
            edited_at=post.edited_at,
            approved=post.approved,
            deleted=post.deleted,
            ignored=post.author_id in self._ignored,
            editable=post.author_id == visit.viewer.id and not topic.locked,
        )

    # Posting.

    def _posting(self, visit: _Visit, event: dict[str, Any]) -> Reply:
        request = visit.request
        editing = request.query.get("mode") == "edit"
        topic = self._topic(visit, request.query.get("t", ""), request.query.get("p", ""))
        if visit.user is None:
            raise Stop(self._login_page(visit, title=visit.viewer.says("login_to_reply")))
        self._check_leave(visit, topic)
        if "post" not in request.form:
            return self._posting_page(visit)
        # A real board shows both at once: new posts, and what is wrong with ours.
        error = self._error_of(visit, editing=editing)
        if error or (not editing and self._is_stale(topic, request)):
            return self._posting_page(visit, error=error)
        text = received(request.form["message"])
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
            raise Stop(Reply(403, pages.message(visit.viewer, visit.at, "no_read")))
        if topic.locked and not moderates:
            raise Stop(Reply(200, pages.message(visit.viewer, visit.at, "locked")))
        if not topic.writable:
            raise Stop(Reply(200, pages.message(visit.viewer, visit.at, "no_reply")))
        if visit.request.query.get("mode") == "edit":
            post = self._posts.get(number_in(visit.request.query.get("p", "")))
            if post is None or post.deleted:
                raise Stop(Reply(404, pages.message(visit.viewer, visit.at, "no_post")))
            if post.author_id != visit.viewer.id and not moderates:
                raise Stop(Reply(403, pages.message(visit.viewer, visit.at, "no_edit")))

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
        known = number_in(request.form.get("topic_cur_post_id", ""))
        return self.settings.post_review and known < self._last_id(topic)

    def _posting_page(self, visit: _Visit, *, error: str = "") -> Reply:
        request = visit.request
        editing = request.query.get("mode") == "edit"
        topic = self._topic(visit, request.query.get("t", ""), request.query.get("p", ""))
        hidden = {"show_panel": "options-panel", **self._token(visit, "posting")}
        message = received(request.form.get("message", ""))
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
                f"[quote={self._name_of(post)} post_id={post.id} time={int(post.at)} "
                f"user_id={post.author_id}]{post.text}[/quote]\n"
            )
        if not editing and "post" in request.form and self._is_stale(topic, request):
            known = number_in(request.form.get("topic_cur_post_id", ""))
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

    def _token(self, visit: _Visit, form: str) -> dict[str, str]:
        created = str(int(self.clock()))
        return {"creation_time": created, "form_token": self._hash(created, form, visit.session)}

    def _hash(self, created: str, form: str, session: Session) -> str:
        return hashlib.sha256(f"{created}{self._salt}{form}{session.id}".encode()).hexdigest()[:40]

    def _token_is_good(self, visit: _Visit, form: str) -> bool:
        """Of this session, at least the least age old, and not too old."""
        created = visit.request.form.get("creation_time", "")
        given = visit.request.form.get("form_token", "")
        age = int(self.clock()) - number_in(created)
        return (
            self.settings.min_form_age_s <= age <= self.settings.form_lifetime_s
            and given == self._hash(created, form, visit.session)
        )


def _as_guest(visit: _Visit) -> _Visit:
    """The same visit as a guest's."""
    guest = pages.Viewer(FakePhpBB.guest, "Guest", visit.viewer.lang, visit.session.id)
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


if __name__ == "__main__":
    serve(FakePhpBB, Settings, __doc__)
