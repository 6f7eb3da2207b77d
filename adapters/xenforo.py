"""XenForo 2.1 and later: its REST API, a key that only a super administrator can make.

What is peculiar to it: every answer names the user it was made for in a header; bodies are forms,
answers JSON; most refusals are a 400 whose code tells more than its status; a page past the end is
one of them. From the vendor's OpenAPI document and what public clients found; never seen alive. The
codes of refusals are not documented: those that are not known refuse the text, with their words.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final

from adapters.base import (
    GUEST,
    Account,
    Answer,
    Capabilities,
    Draft,
    Http,
    Letter,
    Post,
    Posted,
    ThreadPage,
)
from adapters.errors import (
    AdapterError,
    ForbiddenError,
    GoneError,
    LockedError,
    LoggedOutError,
    NotSentError,
    RefusedTextError,
    UnknownOutcomeError,
)
from adapters.html import Words, own_words, posts_digest, remembered, soup_of
from adapters.json_api import (
    body_of,
    changed,
    error_for,
    integer,
    member,
    moment,
    objects,
    page_number,
    said_in,
    string,
    topic_in,
    wait_said,
    with_page,
)
from adapters.letters import by_others, worth_reading
from adapters.markup import XENFORO

_VISIBLE: Final = "visible"
_TOPIC: Final = re.compile(r"\bthreads/(?:[^/?#]*\.)?([0-9]{1,18})(?=[/?#&]|$)")
_NO_KEY: Final = re.compile(r"\b(?:no_)?api_key")
# Names of the vendor's phrases, as add-ons use them.
_FLOOD: Final = re.compile(r"must_wait|flood")
_CLOSED: Final = re.compile(r"discussion_is_closed|thread_is_(?:closed|locked)")


class XenForo:
    """A XenForo board, through an API key."""

    platform: ClassVar[str] = "xenforo"

    def __init__(
        self,
        base_url: str,
        account: Account | None = None,
        *,
        user_id: str = "",
        max_post_chars: int = 10_000,
    ) -> None:
        """Remember the site.

        Args:
            base_url: Address of the board's front page; the API lies below it.
            account: User name and API key; without a key nothing can be read.
            user_id: The account's number, where the key is a *super user key*.
            max_post_chars: The board's longest message, where it is not the default.
        """
        self._base = base_url.rstrip("/")
        self._account = account
        self._user_id = user_id
        self.capabilities = Capabilities(
            dialect="bbcode",
            edits=True,
            max_post_chars=max_post_chars,
            spoilers="spoiler",
            letters=True,
        )

    def thread_url(self, topic: str) -> str:
        """The thread's first page, from its id or any address of it."""
        return f"{self._thread(topic)}?with_posts=1"

    def page_for_people(self, topic: str) -> str:
        """The thread as a browser shows it."""
        return f"{self._base}/threads/{topic_in(topic, _TOPIC, self._base)}/"

    async def login(self, http: Http) -> str:
        """Ask whom the key stands for: there is no session."""
        url = f"{self._base}/api/me/"
        answer = await http.get(url, headers=self._headers(url))
        viewer = _viewer(answer)
        if answer.status != 200 or viewer == GUEST:
            raise ForbiddenError(url, cure="check_key", said=_said(answer), status=answer.status)
        return viewer or str(integer(member(answer.json(), "me", url), "user_id", url))

    async def fetch(self, http: Http, url: str, *, conditional: bool = False) -> ThreadPage | None:
        """Read one page of a thread."""
        answer = await http.get(url, headers=self._headers(url), conditional=conditional)
        if answer.unchanged:
            return None
        _raise_for(answer)
        viewer = _viewer(answer)
        if viewer == GUEST:
            raise LoggedOutError(url, cure="log_in_again")
        return _thread_of(answer.json(), url, viewer=viewer)

    async def draft(self, http: Http, topic: str, *, edits: str = "") -> Draft:
        """See that the thread takes replies, or that the post is there and ours."""
        if edits:
            url = f"{self._base}/api/posts/{edits}/"
            answer = await http.get(url, headers=self._headers(url))
            if answer.status == 404:
                raise GoneError(url, cure="post_is_gone")
            _raise_for(answer)
            post = member(answer.json(), "post", url)
            if string(post, "message_state", url) == "deleted":
                raise GoneError(url, cure="post_is_gone")
            if not post.get("can_edit"):
                raise ForbiddenError(url, cure="check_permissions")
            return Draft(url=url, fields={}, made_at=http.now(), edits=edits)
        url = self._thread(topic)
        thread = await self._read_thread(http, url)
        if not thread.get("can_reply"):
            raise _no_reply(thread, url)
        return Draft(
            url=f"{self._base}/api/posts/",
            fields={"thread_id": str(integer(thread, "thread_id", url))},
            made_at=http.now(),
        )

    async def send(self, http: Http, draft: Draft, text: str) -> Posted:
        """Post or edit; the answer is the post itself."""
        form = {**draft.fields, "message": text}
        answer = await http.send(draft.url, form=form, headers=self._headers(draft.url))
        if answer.status == 403 and not draft.edits:
            url = self._thread(str(draft.fields["thread_id"]))
            raise _no_reply(await self._read_thread(http, url), url)
        return read_outcome(answer, draft)

    async def letters(self, http: Http, writers: Collection[str]) -> tuple[Letter, ...]:
        """What others have written of late in conversations with those who are awaited."""
        url = f"{self._base}/api/conversations/"
        listed, viewer = await self._ask(http, url)
        talks = objects(listed, "conversations", url)
        # The document does not say in which order they come.
        talks.sort(key=lambda talk: integer(talk, "last_message_id", url), reverse=True)
        found: list[ThreadPage] = []
        for talk in worth_reading([(talk, _people(talk)) for talk in talks], writers):
            first = f"{url}{integer(talk, 'conversation_id', url)}/messages"
            page, _viewer_again = await self._ask(http, first)
            last = integer(member(page, "pagination", first), "last_page", first)
            if last > 1:
                page, _viewer_again = await self._ask(http, with_page(first, last))
            posts = tuple(_letter(message, first) for message in objects(page, "messages", first))
            title = str(talk.get("title") or "")
            found.append(ThreadPage(first, posts, title=title, viewer_id=viewer))
        return by_others(found)

    async def _ask(self, http: Http, url: str) -> tuple[Any, str]:
        """An answer's body, and whom it was made for."""
        answer = await http.get(url, headers=self._headers(url))
        _raise_for(answer)
        viewer = _viewer(answer)
        if viewer == GUEST:
            raise LoggedOutError(url, cure="log_in_again")
        return answer.json(), viewer

    async def _read_thread(self, http: Http, url: str) -> dict[str, Any]:
        """The thread without its posts."""
        data, _viewer_of_it = await self._ask(http, url)
        return _standing(member(data, "thread", url), url)

    def _headers(self, url: str) -> Mapping[str, str]:
        if self._account is None or not self._account.secret:
            raise ForbiddenError(url, cure="no_account")
        headers = {"accept": "application/json", "xf-api-key": self._account.secret}
        return headers | {"xf-api-user": self._user_id} if self._user_id else headers

    def _thread(self, topic: str) -> str:
        return f"{self._base}/api/threads/{topic_in(topic, _TOPIC, self._base)}/"


def parse_thread(text: str, url: str) -> ThreadPage:
    """Read what ``/api/threads/ID/?with_posts=1`` answered; pure.

    Args:
        text: The answer.
        url: Its address.

    Raises:
        LayoutChangedError: no thread, no posts, one without id, author or words, or an order of
            posts that is not the thread's.
        GoneError: a thread that was deleted.
    """
    return _thread_of(Answer(url, 200, text).json(), url, viewer="")


def read_outcome(answer: Answer, draft: Draft) -> Posted:
    """What became of a post, from the answer to it; pure.

    Raises:
        UnknownOutcomeError: an answer that proves nothing.
        NotSentError, LockedError, GoneError, ForbiddenError, RefusedTextError, LoggedOutError.
    """
    if answer.status != 200:
        raise _refusal(answer, draft)
    data = body_of(answer)
    post = data.get("post") if isinstance(data, dict) else None
    post_id = post.get("post_id") if isinstance(post, dict) else None
    if not isinstance(post_id, int) or draft.edits not in {"", str(post_id)}:
        raise UnknownOutcomeError(answer.url, cure="read_back", reason="no_post")
    waits = isinstance(post, dict) and post.get("message_state") == "moderated"
    return Posted(str(post_id), url=_permalink(answer.url, post_id), awaits_approval=waits)


def _refusal(answer: Answer, draft: Draft) -> AdapterError:
    """Why a post was not taken, by the code where it is a known one."""
    said, url = _said(answer), draft.url
    if answer.status == 401 or _NO_KEY.search(said):
        return LoggedOutError(url, cure="log_in_again", said=said)
    if answer.status == 404:
        return GoneError(url, cure="post_is_gone" if draft.edits else "check_topic", said=said)
    if _FLOOD.search(said):
        return NotSentError(url, cure="flood", wait_s=_wait(answer), said=said)
    if _CLOSED.search(said):
        return LockedError(url, cure="thread_is_locked", said=said)
    if answer.status in {400, 413}:
        return RefusedTextError(url, cure="mend_text", said=said)
    return error_for(answer, said)


def _wait(answer: Answer) -> float | None:
    """How long to wait: a figure among the error's parameters, or in its sentence."""
    for error in _errors(answer):
        params = error.get("params")
        for value in params.values() if isinstance(params, dict) else ():
            if isinstance(value, int) and value > 0:
                return float(value)
        wait_s = wait_said(str(error.get("message") or ""))
        if wait_s:
            return wait_s
    return None


def _thread_of(data: Any, url: str, *, viewer: str) -> ThreadPage:
    thread = _standing(member(data, "thread", url), url)
    paging = member(data, "pagination", url)
    page, last = integer(paging, "current_page", url), integer(paging, "last_page", url)
    posts = objects(data, "posts", url)
    if not posts:
        raise changed(url, "posts[0]")
    if page != page_number(url):
        # Asked for one page and given another: the same posts for ever.
        raise changed(url, "pagination.current_page")
    counted = [post for post in posts if string(post, "message_state", url) == _VISIBLE]
    places = [post["position"] for post in counted if isinstance(post.get("position"), int)]
    if places != sorted(places):
        # A kind of thread that is sorted by votes, for one.
        raise changed(url, "posts in the order of the thread")
    # A page of deleted posts alone must not look empty.
    read = tuple(_post(post, url, gone=not counted) for post in (counted or posts))
    return ThreadPage(
        url=with_page(url, page),
        posts=read,
        next_url=with_page(url, page + 1) if page < last else "",
        previous_url=with_page(url, page - 1) if page > 1 else "",
        last_url=with_page(url, max(1, last)),
        title=str(thread.get("title") or ""),
        locked=not thread["discussion_open"] if "discussion_open" in thread else None,
        viewer_id=viewer,
        digest=posts_digest(read),
    )


def _standing(thread: dict[str, Any], url: str) -> dict[str, Any]:
    """The thread. Raises ``GoneError`` where only moderators see it still, or it is but a sign."""
    is_sign = thread.get("discussion_type") == "redirect"
    if thread.get("discussion_state", _VISIBLE) != _VISIBLE or is_sign:
        raise GoneError(url, cure="check_topic")
    return thread


def _people(talk: Mapping[str, Any]) -> set[str]:
    """Who takes part in a conversation: its starter and those who were invited."""
    invited = talk.get("recipients")  # a list where it is empty
    return {str(talk.get("user_id")), *(invited if isinstance(invited, dict) else ())}


def _letter(message: Mapping[str, Any], url: str) -> Post:
    """A message of a conversation, which is written and shown like a post."""
    names = {"post_id": message.get("message_id"), "post_date": message.get("message_date")}
    return replace(_post({**message, **names}, url, gone=False), url="")


def _post(post: Mapping[str, Any], url: str, *, gone: bool) -> Post:
    post_id, author = integer(post, "post_id", url), integer(post, "user_id", url)
    words = Words("", "") if gone else words_of(string(post, "message_parsed", url), url)
    edited = post.get("last_edit_date")
    return Post(
        id=str(post_id),
        author_id=str(author) if author else GUEST,
        author_name=str(post.get("username") or ""),
        own_words=words.own,
        set_aside=words.set_aside,
        posted_at=moment(post.get("post_date")),
        edited=bool(edited) if isinstance(edited, int) else None,
        url=_permalink(url, post_id),
    )


@remembered(512)
def words_of(html: str, url: str) -> Words:
    """The author's words; most polls bring posts that were there before."""
    return own_words(soup_of(html, url, whole=False), XENFORO)


def _permalink(url: str, post_id: int) -> str:
    return f"{url.partition('/api/')[0]}/posts/{post_id}/"


def _viewer(answer: Answer) -> str:
    """Whom the answer was made for, where it tells."""
    viewer = answer.headers.get("xf-request-user", "")
    return GUEST if viewer == "0" else viewer


def _no_reply(thread: Mapping[str, Any], url: str) -> AdapterError:
    if thread.get("discussion_open") is False:
        return LockedError(url, cure="thread_is_locked")
    return ForbiddenError(url, cure="check_permissions")


def _raise_for(answer: Answer) -> None:
    if answer.status == 200:
        return
    said = _said(answer)
    if _NO_KEY.search(said):
        raise LoggedOutError(answer.url, cure="log_in_again", said=said)
    if "invalid_page" in said:
        raise GoneError(answer.url, cure="check_topic", said=said)
    raise error_for(answer, said, logged_out=answer.status == 401)


def _errors(answer: Answer) -> list[dict[str, Any]]:
    data = body_of(answer)
    errors = data.get("errors") if isinstance(data, dict) else None
    return [row for row in errors if isinstance(row, dict)] if isinstance(errors, list) else []


def _said(answer: Answer) -> str:
    """The codes of what is wrong, and what the board says about them in its own language."""
    return said_in([row.get(key) for row in _errors(answer) for key in ("code", "message")])
