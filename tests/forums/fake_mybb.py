"""A MyBB board: what a real one enforces of keys, floods, doubles and merges.

``my_post_key`` belongs to an account and never ages. Whoever posts twice in a row gets one post of
both, flood interval or not; the same words again within ten minutes are refused, unless they have
become part of such a post. ``board.py`` tells how to drive it.
"""

import hashlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from tests.forums import board
from tests.forums import mybb_pages as pages
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
from tests.forums.mybb_bbcode import MYBB

__all__ = ["FakeMyBB", "RemoteBoard", "Request", "Settings"]

_LONGEST_TEXT: Final = 65_535
_SHORTEST_TEXT: Final = 5
_TWIN_WINDOW_S: Final = 600


@dataclass(slots=True)
class Settings(board.Settings):
    """What an administrator of MyBB chooses.

    Attributes:
        merge_s: For how long after a post the next one of the same person becomes part of it.
        friendly: Whether addresses look like ``thread-7-page-2.html``.
        redirects: Whether "thank you, you will now be taken to..." is a page of its own.
        login_page: The same after a login.
    """

    flood_interval_s: float = 60.0
    merge_s: float = 3600.0
    friendly: bool = False
    redirects: bool = False
    login_page: bool = True
    login_attempts: int = 3


@dataclass(slots=True)
class _Visit:
    """One request with whom it comes from."""

    request: Request
    session: Session
    user: User | None
    viewer: pages.Viewer


class FakeMyBB(FakeBoard):
    """The board."""

    login_paths: ClassVar[frozenset[str]] = frozenset({"/member.php"})
    settings: Settings

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.time,
        settings: Settings | None = None,
        faults: FaultPlan | None = None,
    ) -> None:
        super().__init__(settings or Settings(), clock=clock, faults=faults)

    def closed(self, request: Request) -> Reply:
        viewer = self._visit(request).viewer
        return Reply(200, pages.message(viewer, viewer.says("disabled")))

    def index(self, request: Request) -> Reply:
        return Reply(200, pages.index(self._visit(request).viewer))

    def asked_to_log_in(self, request: Request) -> Reply:
        return Reply(200, pages.no_permission(self._viewer(None, request)))

    def flooded(self, request: Request) -> Reply:
        visit = self._visit(request)
        return self._form_page(visit, errors=[visit.viewer.says("flood", seconds=29)])

    def route(self, request: Request, event: dict[str, Any]) -> Reply:
        visit = self._visit(request)
        try:
            reply = self._page(visit, event)
        except Stop as stop:
            reply = stop.reply
        if request.cookies.get("sid") != visit.session.id:
            reply.headers.append(_cookie("sid", visit.session.id))
        return reply

    def _page(self, visit: _Visit, event: dict[str, Any]) -> Reply:
        path = visit.request.path
        if path == "/member.php":
            return self._member(visit)
        if self.disabled and not (visit.user and visit.user.moderator):
            return self.closed(visit.request)
        if path == "/showthread.php" or path.startswith("/thread-"):
            return self._showthread(visit)
        if path in {"/newreply.php", "/editpost.php"}:
            return self._posting(visit, event)
        if path == "/private.php":
            return self._private(visit)
        is_index = path in {"/", "/index.php"}
        return self.index(visit.request) if is_index else Reply(404, NOT_FOUND)

    def _visit(self, request: Request) -> _Visit:
        """Who is there, by the cookies: the account's key, or a guest's session."""
        session = self._sessions.get(request.cookies.get("sid", ""))
        if session is None:
            session = self._new_session(self.guest, request.agent)
        user = self._users.get(self._keys.get(request.cookies.get("mybbuser", ""), self.guest))
        return _Visit(request, session, user, self._viewer(user, request, session.id))

    def _viewer(self, user: User | None, request: Request, session: str = "") -> pages.Viewer:
        lang = user.lang if user else "en"
        # A guest's key goes with the session, a member's with the account.
        owner = f"user {user.id}" if user else f"session {session}"
        key = hashlib.sha256(f"{self._salt}{owner}".encode()).hexdigest()[:32]
        del request
        return pages.Viewer(
            user.id if user else self.guest,
            user.name if user else "Guest",
            lang,
            key,
            self.url,
            self._user_url,
        )

    def _user_url(self, user: int) -> str:
        if self.settings.friendly:
            return f"{self.url}/user-{user}.html"
        return f"{self.url}/member.php?action=profile&amp;uid={user}"

    def _says(self, visit: _Visit, key: str) -> Stop:
        return Stop(Reply(200, pages.message(visit.viewer, visit.viewer.says(key))))

    # Logging in.

    def _member(self, visit: _Visit) -> Reply:
        request, viewer = visit.request, visit.viewer
        if request.form.get("action") == "do_login":
            return self._login(visit)
        if request.query.get("action") == "login":
            return Reply(200, pages.login(viewer, captcha=self.puzzles))
        return Reply(404, NOT_FOUND)

    def _login(self, visit: _Visit) -> Reply:
        """Check a login form, and remember the browser."""
        form, viewer = visit.request.form, visit.viewer
        user = self._who(form.get("username", ""))
        if form.get("my_post_key") != viewer.key:
            raise self._says(visit, "token")
        if self.puzzles or (user is not None and user.failed >= self.settings.login_attempts):
            return Reply(200, pages.login(viewer, error=viewer.says("captcha"), captcha=True))
        if user is None or user.password != form.get("password"):
            if user is not None:
                user.failed += 1
            return Reply(200, pages.login(viewer, error=viewer.says("password")))
        user.failed = 0
        if user.two_steps:
            return Reply(200, pages.code(viewer))
        key = f"{user.id}_{secrets.token_hex(16)}"
        self._keys[key] = user.id
        reply = Reply(302, "", [("Location", f"{self.url}/index.php")])
        if self.settings.login_page:
            reply = Reply(200, pages.redirect(viewer, "index.php", viewer.says("logged_in")))
        reply.headers.append(_cookie("mybbuser", key))
        return reply

    # Private messages: after the templates and private.php of 1.8.37, never seen live.

    def _private(self, visit: _Visit) -> Reply:
        if visit.user is None or not visit.user.reads_letters:
            raise Stop(Reply(200, pages.no_permission(visit.viewer)))
        inbox = self._inbox(visit.user)
        query = visit.request.query
        if query.get("action") != "read":
            shown = [self._dressed_letter(one) for one in inbox[: self.settings.per_page]]
            return Reply(200, pages.inbox(visit.viewer, shown))
        letter = next((one for one in inbox if one.id == number_in(query.get("pmid", ""))), None)
        if letter is None:
            raise self._says(visit, "no_letter")
        return Reply(200, pages.letter(visit.viewer, self._dressed_letter(letter)))

    def _dressed_letter(self, letter: Letter) -> pages.ShownPost:
        author = self._users[letter.author_id]
        return pages.ShownPost(
            id=letter.id,
            number=0,
            author_id=author.id,
            author=author.name,
            at=letter.at,
            body=render(letter.text, MYBB),
            subject=letter.title,
            signature=render(author.signature, MYBB),
        )

    # Reading.

    def _showthread(self, visit: _Visit) -> Reply:
        topic_id, number, post = self._asked(visit.request)
        topic = self._topic(visit, topic_id, post)
        if (visit.user is None and not self.settings.guests_read) or not topic.readable:
            raise Stop(Reply(200, pages.no_permission(visit.viewer)))
        shown = self._shown(visit, topic)
        per_page = self.settings.per_page
        count = max(1, -(-len(shown) // per_page))
        if post:
            number = self._page_of(shown, post, 0) // per_page + 1
        if not 1 <= number <= count:
            number = 1
        begin = (number - 1) * per_page
        return Reply(
            200,
            pages.thread(
                visit.viewer,
                topic=topic.id,
                title=topic.title,
                locked=topic.locked,
                posts=[
                    self._dressed(topic, kept, begin + place)
                    for place, kept in enumerate(shown[begin : begin + per_page], 1)
                ],
                number=number,
                pages=count,
                page_url=lambda other: self._page_url(topic.id, other),
                last_id=self._last_id(topic),
            ),
        )

    def _asked(self, request: Request) -> tuple[int, int, int]:
        """Topic, page and post of an address, friendly or not."""
        query = request.query
        if request.path == "/showthread.php":
            return tuple(number_in(query.get(name, "")) for name in ("tid", "page", "pid"))  # type: ignore[return-value] # three of them
        words = request.path.removeprefix("/thread-").removesuffix(".html").split("-")
        named = dict(zip(words[1::2], words[2::2], strict=True))
        return (
            number_in(words[0]),
            number_in(named.get("page", "")),
            number_in(named.get("post", "")),
        )

    def _page_url(self, topic: int, number: int) -> str:
        if self.settings.friendly:
            return f"thread-{topic}-page-{number}.html" if number > 1 else f"thread-{topic}.html"
        return f"showthread.php?tid={topic}" + (f"&page={number}" if number > 1 else "")

    def _topic(self, visit: _Visit, topic: int, post: int = 0) -> Topic:
        kept = self._posts.get(post)
        found = self._topics.get(topic or (kept.topic if kept else 0))
        if found is None or found.gone:
            raise self._says(visit, "no_thread")
        return found

    def _shown(self, visit: _Visit, topic: Topic) -> list[Post]:
        """The posts of a topic that this visitor gets to see, deleted ones as stubs."""
        moderates = visit.user is not None and visit.user.moderator
        return [
            post
            for post in self._posts.values()
            if post.topic == topic.id
            and (moderates or post.approved or post.author_id == visit.viewer.id)
        ]

    def _dressed(self, topic: Topic, post: Post, number: int) -> pages.ShownPost:
        author = self._users.get(post.author_id)
        return pages.ShownPost(
            id=post.id,
            number=number,
            author_id=post.author_id if author else self.guest,
            author=self._name_of(post),
            at=post.at,
            body=self._filtered(render(post.text, MYBB)),
            subject=topic.title if post.id == self._first_id(topic) else f"RE: {topic.title}",
            signature=render(author.signature, MYBB) if author else "",
            edits=post.edits,
            ignored=post.author_id in self._ignored,
            approved=post.approved,
            deleted=post.deleted,
        )

    # Posting.

    def _posting(self, visit: _Visit, event: dict[str, Any]) -> Reply:
        request = visit.request
        topic, edited = self._place(visit)
        self._check_leave(visit, topic, edited)
        if "message" not in request.form:
            return self._form_page(visit)
        if request.form.get("my_post_key") != visit.viewer.key:
            raise self._says(visit, "token")
        assert visit.user is not None
        text = received(request.form["message"])
        merged = None if edited else self._merges_into(visit.user, topic)
        if edited is None and self._is_twin(visit.user, topic, text):
            raise self._says(visit, "twin")
        errors = self._errors_of(visit, text, may_flood=edited is None and merged is None)
        if errors:
            return self._form_page(visit, errors=errors)
        if edited is not None:
            self.edit(edited.id, text)
            event["edited"] = edited.id
            return self._to_post(visit, topic, edited.id)
        if merged is not None:
            self.edit(merged.id, f"{merged.text}\n[hr]\n{text}")
            event["landed"] = merged.id
            visit.user.last_post_at = self.clock()
            return self._to_post(visit, topic, merged.id)
        approved = not visit.user.moderated
        post = self._insert(topic.id, visit.user.id, text, approved=approved)
        visit.user.last_post_at = self.clock()
        event["landed"] = post
        if not approved:
            said = f"{visit.viewer.says('posted')}<br />{visit.viewer.says('queued')}"
            url = f"{self.url}/{self._page_url(topic.id, 1)}"
            return Reply(200, pages.redirect(visit.viewer, url, said))
        return self._to_post(visit, topic, post)

    def _to_post(self, visit: _Visit, topic: Topic, post: int) -> Reply:
        """Lead on to a post, by a redirect or by a page that says so."""
        path = f"showthread.php?tid={topic.id}&pid={post}"
        if self.settings.friendly:
            path = f"thread-{topic.id}-post-{post}.html"
        url = f"{self.url}/{path}#pid{post}"
        if self.settings.redirects:
            return Reply(200, pages.redirect(visit.viewer, url, visit.viewer.says("posted")))
        return Reply(302, "", [("Location", url)])

    def _place(self, visit: _Visit) -> tuple[Topic, Post | None]:
        """The topic to post in, and the post to edit."""
        query = visit.request.query
        if visit.request.path == "/newreply.php":
            return self._topic(visit, number_in(query.get("tid", ""))), None
        post = self._posts.get(number_in(query.get("pid", "")))
        if post is None or post.deleted:
            raise self._says(visit, "no_post")
        return self._topic(visit, post.topic), post

    def _check_leave(self, visit: _Visit, topic: Topic, edited: Post | None) -> None:
        """End the request with a page when the visitor may not post there."""
        moderates = visit.user is not None and visit.user.moderator
        allowed = visit.user is not None and topic.readable and topic.writable
        if edited is not None and not moderates:
            allowed = allowed and edited.author_id == visit.viewer.id
        if not allowed:
            raise Stop(Reply(200, pages.no_permission(visit.viewer)))
        if topic.locked and not moderates:
            raise self._says(visit, "closed_edit" if edited else "closed")

    def _merges_into(self, user: User, topic: Topic) -> Post | None:
        """The post that the next one of somebody becomes part of."""
        last = self._posts[self._last_id(topic)]
        is_young = self.clock() - last.at <= self.settings.merge_s
        return last if last.author_id == user.id and is_young and self.settings.merge_s else None

    def _is_twin(self, user: User, topic: Topic, text: str) -> bool:
        since = self.clock() - _TWIN_WINDOW_S
        return any(
            post.text == text and post.at > since and not post.deleted
            for post in self._posts.values()
            if post.topic == topic.id and post.author_id == user.id
        )

    def _errors_of(self, visit: _Visit, text: str, *, may_flood: bool) -> list[str]:
        """What the form gets wrong."""
        says = visit.viewer.says
        if not text:
            return [says("missing")]
        if len(text) < _SHORTEST_TEXT:
            return [says("short")]
        if len(text) > _LONGEST_TEXT:
            return [says("long", length=len(text))]
        assert visit.user is not None
        since = self.clock() - visit.user.last_post_at
        if may_flood and since <= self.settings.flood_interval_s:
            seconds = int(self.settings.flood_interval_s - since) + 1
            return [says("flood", seconds=seconds)]
        return []

    def _form_page(self, visit: _Visit, *, errors: list[str] | None = None) -> Reply:
        request = visit.request
        topic, edited = self._place(visit)
        message = received(request.form.get("message", edited.text if edited else ""))
        replies_to = self._posts.get(number_in(request.query.get("replyto", "")))
        if replies_to is not None and "message" not in request.form:
            name = self._name_of(replies_to)
            message = (
                f"[quote=\"{name}\" pid='{replies_to.id}' dateline='{int(replies_to.at)}']"
                f"{replies_to.text}[/quote]\n"
            )
        hidden = {"attachmentaid": "", "attachmentact": ""}
        if edited is not None:
            hidden["action"] = "do_editpost"
        else:
            hidden |= {
                "action": "do_newreply",
                "replyto": request.query.get("replyto", "0"),
                "posthash": secrets.token_hex(16),
                "quoted_ids": "",
                "tid": str(topic.id),
            }
        shown = [post for post in self._shown(visit, topic) if not post.deleted]
        form = pages.Form(
            action=f"editpost.php?pid={edited.id}&processed=1"
            if edited
            else f"newreply.php?tid={topic.id}&processed=1",
            title=topic.title,
            button="submitbutton" if edited else "submit",
            subject=request.form.get("subject", f"RE: {topic.title}"),
            message=message,
            hidden=hidden,
            errors=errors or (),
            moderates=edited is not None,
            older=[
                self._dressed(topic, post, place)
                for place, post in enumerate(shown[: -self.settings.per_page - 1 : -1])
            ],
        )
        return Reply(200, pages.posting(visit.viewer, form))


def _cookie(name: str, value: str) -> tuple[str, str]:
    return ("Set-Cookie", f"{name}={value}; path=/; HttpOnly; SameSite=Lax")


if __name__ == "__main__":
    serve(FakeMyBB, Settings, __doc__)
