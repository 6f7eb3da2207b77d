"""An SMF board: what a real one enforces of sessions, form numbers, warnings and floods.

Names of hidden fields are drawn by chance for each session. A form's number is used up by the first
sending, whatever becomes of it. "While you were typing a new reply has been posted" gives the form
back. ``board.py`` tells how to drive it.
"""

import hashlib
import re
import secrets
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from tests.forums import board
from tests.forums import smf_pages as pages
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
from tests.forums.smf_bbcode import SMF, kept

__all__ = ["FakeSMF", "RemoteBoard", "Request", "Settings"]

_LONGEST_TEXT: Final = 20_000
_START: Final = re.compile(
    r"(?P<topic>[0-9]+)(?:\.(?:(?P<new>new)|msg(?P<msg>[0-9]+)|(?P<start>[0-9]+)))?"
)


@dataclass(slots=True)
class Settings(board.Settings):
    """What an administrator of SMF chooses."""

    flood_interval_s: float = 5.0
    reply_warning: bool = True
    login_attempts: int = 3


@dataclass(slots=True)
class _Visit:
    """One request with whom it comes from."""

    request: Request
    session: Session
    user: User | None
    viewer: pages.Viewer
    at: pages.At


class FakeSMF(FakeBoard):
    """The board."""

    # What an administrator has to ask for.
    filters_whole_words: ClassVar[bool] = False
    settings: Settings

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.time,
        settings: Settings | None = None,
        faults: FaultPlan | None = None,
    ) -> None:
        super().__init__(settings or Settings(), clock=clock, faults=faults)
        # Numbers of forms that were sent, by session.
        self._sent: defaultdict[str, set[str]] = defaultdict(set)

    def is_login(self, request: Request) -> bool:
        return request.query.get("action", "") in {"login", "login2"}

    def closed(self, request: Request) -> Reply:
        visit = self._visit(request)
        return Reply(503, pages.closed(visit.viewer, visit.at))

    def index(self, request: Request) -> Reply:
        visit = self._visit(request)
        return Reply(200, pages.index(visit.viewer, visit.at))

    def asked_to_log_in(self, request: Request) -> Reply:
        visit = self._visit(request)
        guest = pages.Viewer(self.guest, "Guest", "en", self.url, visit.viewer.token)
        return self._login_page(visit, guest, notice=guest.says("only_members"))

    def flooded(self, request: Request) -> Reply:
        return self._says(self._visit(request), "post_WaitTime_broken", seconds=29).reply

    def route(self, request: Request, event: dict[str, Any]) -> Reply:
        visit = self._visit(request)
        try:
            reply = self._page(visit, event)
        except Stop as stop:
            reply = stop.reply
        is_new = request.cookies.get("PHPSESSID") != visit.session.id
        if is_new and not any(value.startswith("PHPSESSID") for _name, value in reply.headers):
            reply.headers.append(_cookie("PHPSESSID", visit.session.id))
        return reply

    def _page(self, visit: _Visit, event: dict[str, Any]) -> Reply:
        query = visit.request.query
        action = query.get("action", "")
        if visit.request.path not in {"/", "/index.php"}:
            return Reply(404, NOT_FOUND)
        self._check_second_step(visit, action)
        if self.is_login(visit.request):
            is_sent = action == "login2"
            return self._login2(visit) if is_sent else self._login_page(visit, visit.viewer)
        if self.disabled and not (visit.user and visit.user.moderator):
            return self.closed(visit.request)
        if action == "pm":
            return self._mailbox(visit)
        if action in {"post", "post2"}:
            return self._posting(visit, event, is_sent=action == "post2")
        if "msg" in query:
            raise self._to_post(visit, number_in(query["msg"]))
        return self._display(visit) if "topic" in query else self.index(visit.request)

    # Private messages: after PersonalMessage.php and its template of 2.1.4, never seen live.

    def _mailbox(self, visit: _Visit) -> Reply:
        user, query = visit.user, visit.request.query
        if user is None:
            return self._login_page(visit, visit.viewer, notice=visit.viewer.says("only_members"))
        if not user.reads_letters:
            raise self._says(visit, "cannot_pm_read")
        inbox = self._inbox(user)
        if "pmid" in query and number_in(query["pmid"]) not in {one.id for one in inbox}:
            raise self._says(visit, "no_access")
        if user.letter_view == 2:
            # A reply keeps the title, so that this makes a conversation here.
            inbox = list({one.title: one for one in reversed(inbox)}.values())[::-1]
        if "desc" not in query:
            inbox.reverse()
        place = next((n for n, one in enumerate(inbox) if str(one.id) == query.get("pmid")), 0)
        start = place // self.settings.per_page * self.settings.per_page
        listed = inbox[start : start + self.settings.per_page]
        shown = listed
        if user.letter_view:
            # Where no message is asked for, it is the last on the page, whatever the order.
            chosen = number_in(query.get("pmid", "")) or (listed[-1].id if listed else 0)
            shown = [one for one in listed if one.id == chosen]
        if user.letter_view == 2 and shown:
            shown = [one for one in self._letters.values() if one.title == shown[0].title]
        return Reply(
            200,
            pages.folder(
                visit.viewer,
                visit.at,
                [self._dressed_letter(one) for one in listed],
                [self._dressed_letter(one) for one in shown],
            ),
        )

    def _dressed_letter(self, letter: Letter) -> pages.ShownPost:
        author = self._users[letter.author_id]
        return pages.ShownPost(
            id=letter.id,
            number=0,
            author_id=author.id,
            author=author.name,
            at=letter.at,
            body=render(letter.text, SMF),
            subject=letter.title,
            signature=render(author.signature, SMF),
        )

    def _to_post(self, visit: _Visit, post_id: int) -> Stop:
        """Lead from a post's own address to its place in the topic."""
        post = self._posts.get(post_id)
        if post is None:
            return self._says(visit, "topic_gone")
        where = f"{self.url}/index.php?topic={post.topic}.msg{post.id}#msg{post.id}"
        return Stop(Reply(302, "", [("Location", where)]))

    def _visit(self, request: Request) -> _Visit:
        """Who is there, by the cookies; a session id in the address will do for a guest."""
        known = request.cookies.get("PHPSESSID") or request.query.get("PHPSESSID", "")
        session = self._sessions.get(known)
        if session is None:
            session = self._new_session(self.guest, request.agent)
        user = self._users.get(self._keys.get(request.cookies.get("SMFCookie", ""), self.guest))
        seed = hashlib.sha256(f"{self._salt}{session.id}".encode()).hexdigest()
        viewer = pages.Viewer(
            user.id if user else self.guest,
            user.name if user else "Guest",
            user.lang if user else "en",
            self.url,
            (f"e{seed[:10]}", seed[32:]),
        )
        sends_cookies = "PHPSESSID" in request.cookies

        def at(query: str) -> str:
            mark = "" if sends_cookies else f"PHPSESSID={session.id}&amp;"
            return f"{self.url}/index.php?{mark}{query.removeprefix('?')}"

        return _Visit(request, session, user, viewer, at)

    def _says(self, visit: _Visit, code: str, **facts: object) -> Stop:
        said = visit.viewer.says(code, **facts)
        return Stop(Reply(403, pages.fatal(visit.viewer, visit.at, code, said)))

    # Logging in.

    def _login_page(
        self, visit: _Visit, viewer: pages.Viewer, *, error: str = "", notice: str = ""
    ) -> Reply:
        name, value = viewer.token
        token = hashlib.sha256(f"{self._salt}login{visit.session.id}".encode()).hexdigest()
        hidden = {name: value, f"b{token[:7]}": token[:32]}
        return Reply(200, pages.login(viewer, visit.at, hidden, error=error, notice=notice))

    def _login2(self, visit: _Visit) -> Reply:
        """Check a login form, and remember the browser."""
        form, viewer = visit.request.form, visit.viewer
        if visit.request.query.get("sa") == "check":
            return Reply(302, "", [("Location", f"{self.url}/index.php")])
        name, value = viewer.token
        if form.get(name) != value:
            return self._login_page(visit, viewer, error=viewer.says("session_timeout"))
        user = self._who(form.get("user", ""))
        if user is not None and user.failed >= self.settings.login_attempts:
            raise self._says(visit, "login_threshold_fail")
        if user is None or user.password != form.get("passwrd"):
            if user is not None:
                user.failed += 1
            return self._login_page(visit, viewer, error=viewer.says("password"))
        user.failed = 0
        key = secrets.token_hex(16)
        self._keys[key] = user.id
        session = self._new_session(user.id, visit.request.agent)
        check = f"{self.url}/index.php?action=login2;sa=check;member={user.id}"
        cookies = [_cookie("SMFCookie", key), _cookie("PHPSESSID", session.id)]
        return Reply(302, "", [("Location", check), *cookies])

    def _check_second_step(self, visit: _Visit, action: str) -> None:
        """End the request with a guest's page that wants the code, wherever somebody would go."""
        if action == "logintfa":
            guest = pages.Viewer(self.guest, "Guest", "en", self.url, visit.viewer.token)
            raise Stop(Reply(200, pages.code(guest, visit.at)))
        if visit.user is not None and visit.user.two_steps:
            where = f"{self.url}/index.php?action=logintfa"
            raise Stop(Reply(302, "", [("Location", where)]))

    # Reading.

    def _display(self, visit: _Visit) -> Reply:
        place = _START.fullmatch(visit.request.query["topic"])
        topic = self._topic(visit, number_in(place["topic"]) if place else 0)
        if visit.user is None and not self.settings.guests_read:
            raise Stop(self.asked_to_log_in(visit.request))
        shown = self._shown(visit, topic)
        per_page = self.settings.per_page
        last = max(0, (len(shown) - 1) // per_page * per_page)
        start = number_in(place["start"] or "") if place else 0
        if place and place["new"]:
            start = last
        elif place and place["msg"]:
            start = self._page_of(shown, int(place["msg"]), last)
        start = min(start, len(shown)) // per_page * per_page
        return Reply(
            200,
            pages.topic(
                visit.viewer,
                visit.at,
                topic_id=topic.id,
                title=topic.title,
                locked=topic.locked,
                posts=[
                    self._dressed(topic, post, start + number)
                    for number, post in enumerate(shown[start : start + per_page])
                ],
                start=start,
                per_page=per_page,
                total=len(shown),
                last_id=self._last_id(topic),
                number=self._number(),
            ),
        )

    def _topic(self, visit: _Visit, topic: int) -> Topic:
        found = self._topics.get(topic)
        if found is None or found.gone or not found.readable:
            raise self._says(visit, "topic_gone")
        return found

    def _shown(self, visit: _Visit, topic: Topic) -> list[Post]:
        """The posts of a topic that this visitor gets to see."""
        moderates = visit.user is not None and visit.user.moderator
        return [
            post
            for post in self._posts.values()
            if post.topic == topic.id
            and not post.deleted
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
            body=self._filtered(render(kept(post.text), SMF)),
            subject=topic.title if post.id == self._first_id(topic) else f"Re: {topic.title}",
            signature=render(kept(author.signature), SMF) if author else "",
            edited_at=post.edited_at,
            ignored=post.author_id in self._ignored,
            approved=post.approved,
        )

    # Posting.

    def _posting(self, visit: _Visit, event: dict[str, Any], *, is_sent: bool) -> Reply:
        request = visit.request
        if is_sent:
            # Before all else, and for good.
            used = self._sent[visit.session.id]
            if request.form.get("seqnum", "") in used:
                raise self._says(visit, "error_form_already_submitted")
            used.add(request.form.get("seqnum", ""))
        topic, edited = self._place(visit)
        self._check_leave(visit, topic, edited)
        if not is_sent:
            return self._form_page(visit, topic, edited)
        known = number_in(request.form.get("last_msg", ""))
        if edited is None and self.settings.reply_warning and known < self._last_id(topic):
            return self._form_page(visit, topic, edited, error="new_reply")
        error = self._error_of(visit)
        if error:
            return self._form_page(visit, topic, edited, error=error)
        assert visit.user is not None
        since = self.clock() - visit.user.last_post_at
        if edited is None and since < self.settings.flood_interval_s:
            seconds = int(self.settings.flood_interval_s)
            raise self._says(visit, "post_WaitTime_broken", seconds=seconds)
        text = received(request.form["message"])
        if edited is not None:
            self.edit(edited.id, text)
            event["edited"] = edited.id
            where = f"topic={topic.id}.msg{edited.id}#msg{edited.id}"
        else:
            approved = not visit.user.moderated
            event["landed"] = self._insert(topic.id, visit.user.id, text, approved=approved)
            visit.user.last_post_at = self.clock()
            where = f"topic={topic.id}.new#new"
        if not request.form.get("goback"):
            where = "board=1.0"
        return Reply(302, "", [("Location", f"{self.url}/index.php?{where}")])

    def _place(self, visit: _Visit) -> tuple[Topic, Post | None]:
        """The topic to post in, and the post to edit."""
        query, form = visit.request.query, visit.request.form
        topic = self._topic(visit, number_in(form.get("topic", query.get("topic", ""))))
        if "msg" not in query:
            return topic, None
        post = self._posts.get(number_in(query["msg"]))
        if post is None or post.deleted or post.topic != topic.id:
            raise self._says(visit, "cant_find_messages")
        return topic, post

    def _check_leave(self, visit: _Visit, topic: Topic, edited: Post | None) -> None:
        """End the request with a page when the visitor may not post there."""
        moderates = visit.user is not None and visit.user.moderator
        if visit.user is None:
            raise Stop(self.asked_to_log_in(visit.request))
        if topic.locked and not moderates:
            raise self._says(visit, "topic_locked")
        if not topic.writable:
            raise self._says(visit, "cannot_post_reply_any")
        if edited is not None and edited.author_id != visit.viewer.id and not moderates:
            raise self._says(visit, "cannot_modify_any")

    def _error_of(self, visit: _Visit) -> str:
        """What the form gets wrong."""
        form = visit.request.form
        name, value = visit.viewer.token
        if form.get(name) != value:
            return "session_timeout"
        text = received(form.get("message", ""))
        if not text:
            return "no_message"
        return "long_message" if len(text) > _LONGEST_TEXT else ""

    def _form_page(
        self, visit: _Visit, topic: Topic, edited: Post | None, *, error: str = ""
    ) -> Reply:
        request = visit.request
        message = received(request.form.get("message", edited.text if edited else ""))
        quoted = self._posts.get(number_in(request.query.get("quote", "")))
        if quoted is not None and "message" not in request.form:
            name = self._name_of(quoted)
            message = (
                f"[quote author={name} link=msg={quoted.id} date={int(quoted.at)}]\n"
                f"{quoted.text}\n[/quote]\n"
            )
        session, value = visit.viewer.token
        edits = f";msg={edited.id};{session}={value}" if edited else ""
        form = pages.Form(
            action=f"?action=post2;start=0{edits};board=1",
            topic=topic.id,
            subject=request.form.get("subject", f"Re: {topic.title}"),
            message=message,
            last_msg=self._last_id(topic),
            number=self._number(),
            error=visit.viewer.says(error) if error else "",
            serious=error not in {"", "new_reply"},
            marked=error in {"no_message", "long_message"},
            older=[
                self._dressed(topic, post, 0)
                for post in self._shown(visit, topic)[: -self.settings.per_page - 1 : -1]
            ],
        )
        return Reply(200, pages.posting(visit.viewer, visit.at, form))

    def _number(self) -> int:
        """The number of a form, drawn by chance."""
        return secrets.randbelow(16_000_000) + 1


def _cookie(name: str, value: str) -> tuple[str, str]:
    return ("Set-Cookie", f"{name}={value}; path=/; HttpOnly")


if __name__ == "__main__":
    serve(FakeSMF, Settings, __doc__)
