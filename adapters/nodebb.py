"""NodeBB 3 and 4: its read API, its write API v3, a user's token or a session.

What is peculiar to it: a dead token is no error, it reads as a guest; flood control is a 400 with
seconds in its sentence; a page past the end is empty, or a 404 where the account reads in pages; a
deleted post stays where it was, without its words; whoever may not see a deleted topic is told 403.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from html import unescape
from typing import Any, ClassVar, Final
from urllib.parse import quote, urlsplit

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
    UnreachableError,
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
    said_in,
    string,
    topic_in,
    wait_said,
    with_page,
)
from adapters.letters import by_others, worth_reading
from adapters.markup import NODEBB

# Besides numbers, NodeBB 4 has ids that are addresses, of posts that other servers sent.
_TOPIC: Final = re.compile(r"/topic/([0-9]{1,18}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b")
# Sentences come in the language asked for, and as their bare keys where that one is not installed.
_ENGLISH: Final = "lang=en-GB"
# The first that matches tells; newcomers wait "until you have earned 3 reputation".
_REFUSALS: Final[tuple[tuple[re.Pattern[str], type[AdapterError], str], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE), error, cure)
    for pattern, error, cure in (
        (
            r"too-many-posts|user-too-new|post once every|required to wait",
            NotSentError,
            "flood",
        ),
        (r"topic[- ]locked", LockedError, "thread_is_locked"),
        (
            r"(?:topic|post)[- ](?:has been )?deleted|no-topic|does not exist",
            GoneError,
            "check_topic",
        ),
        (
            r"muted|banned|reputation|privileg|blacklist|edit-duration|allowed to edit",
            ForbiddenError,
            "check_permissions",
        ),
    )
)


class NodeBB:
    """A NodeBB forum, through a token that its administrator has made for the account."""

    platform: ClassVar[str] = "nodebb"

    def __init__(
        self, base_url: str, account: Account | None = None, *, max_post_chars: int = 32_767
    ) -> None:
        """Remember the site.

        Args:
            base_url: Address of the forum's front page.
            account: Whose posts these will be, with a token (a key) or a password; without one it
                reads what guests may read.
            max_post_chars: The forum's longest post, where it is not NodeBB's default.
        """
        self._base = base_url.rstrip("/")
        self._account = account
        self.capabilities = Capabilities(
            dialect="markdown", edits=True, max_post_chars=max_post_chars, letters=True
        )

    def thread_url(self, topic: str) -> str:
        """The topic's first page, from its id or any address of it."""
        # The account's own settings may turn the order of posts round.
        return f"{self._base}/api/topic/{self._topic(topic)}?sort=oldest_to_newest"

    def page_for_people(self, topic: str) -> str:
        """The topic as a browser shows it."""
        return f"{self._base}/topic/{self._topic(topic)}"

    async def login(self, http: Http) -> str:
        """Ask who the token belongs to, or open a session with the password."""
        url = f"{self._base}/api/self"
        if self._account is None:
            raise ForbiddenError(url, cure="no_account")
        answer = await http.get(url, headers=self._headers())
        if answer.status == 401 and not self._account.is_key:
            await self._open_session(http, self._account)
            answer = await http.get(url, headers=self._headers())
        if answer.status in {401, 403}:
            cure = "check_key" if self._account.is_key else "check_password"
            raise ForbiddenError(url, cure=cure, said=_said(answer), status=answer.status)
        _raise_for(answer)
        return str(integer(answer.json(), "uid", answer.url))

    async def fetch(self, http: Http, url: str, *, conditional: bool = False) -> ThreadPage | None:
        """Read one page of a topic."""
        answer = await http.get(url, headers=self._headers(), conditional=conditional)
        if answer.unchanged:
            return None
        if answer.status == 401 and self._account is None:
            raise ForbiddenError(url, cure="no_account")
        _raise_for(answer)
        page = parse_thread(answer.text, url)
        if self._account is not None and page.viewer_id == GUEST:
            raise LoggedOutError(url, cure="log_in_again")
        return page

    async def draft(self, http: Http, topic: str, *, edits: str = "") -> Draft:
        """See that the topic takes replies, or that the post is there and ours."""
        if self._account is None:
            raise ForbiddenError(self.thread_url(topic), cure="no_account")
        if edits:
            url = f"{self._base}/api/v3/posts/{edits}"
            answer = await http.get(url, headers=self._headers())
            if answer.status == 404:
                raise GoneError(url, cure="post_is_gone")
            _raise_for(answer)
            post = member(answer.json(), "response", answer.url)
            if post.get("deleted"):
                raise GoneError(url, cure="post_is_gone")
        else:
            url = f"{self._base}/api/v3/topics/{self._topic(topic)}"
            await self._assure_replies(http, self.thread_url(topic))
        return Draft(
            url=f"{url}?{_ENGLISH}",
            fields=await self._form(http),
            made_at=http.now(),
            edits=edits,
        )

    async def send(self, http: Http, draft: Draft, text: str) -> Posted:
        """Post or edit; the answer is the post itself, or says that it waits for approval."""
        answer = await http.send(
            draft.url,
            json={"content": text},
            method="PUT" if draft.edits else "POST",
            headers={**self._headers(), **draft.fields},
        )
        return read_outcome(answer, draft)

    async def letters(self, http: Http, writers: Collection[str]) -> tuple[Letter, ...]:
        """The newest messages in chats with those who are awaited; public chat rooms aside."""
        url = f"{self._base}/api/v3/chats"
        if self._account is None:
            raise ForbiddenError(url, cure="no_account")
        found: list[ThreadPage] = []
        rooms = await self._list(http, url, "rooms")
        listed = [(room, _people(room)) for room in rooms if not room.get("public")]
        for room in worth_reading(listed, writers):
            number = room.get("roomId")
            if not isinstance(number, (int, str)):
                raise changed(url, "roomId")
            messages = f"{url}/{quote(str(number), safe='')}/messages"
            read = tuple(
                _letter(message, messages)
                for message in await self._list(http, messages, "messages")
                if not message.get("deleted")
                and not message.get("system")
                # Some that other servers sent have addresses for ids.
                and not message.get("self")
                and isinstance(message.get("messageId"), int)
            )
            found.append(
                ThreadPage(messages, read, title=unescape(str(room.get("roomName") or "")))
            )
        return by_others(found)

    async def _list(self, http: Http, url: str, name: str) -> list[dict[str, Any]]:
        """A list in an answer of the write API."""
        answer = await http.get(url, headers=self._headers())
        _raise_for(answer)
        return objects(member(answer.json(), "response", url), name, url)

    async def _open_session(self, http: Http, account: Account) -> None:
        """Log in as the forum's own page does; whether it worked is for the caller to see."""
        form = {"username": account.username, "password": account.secret, "remember": "on"}
        try:
            answer = await http.send(
                f"{self._base}/login", json=form, headers=await self._form(http)
            )
        except UnknownOutcomeError as error:
            # Logging in twice harms nobody.
            raise UnreachableError(
                f"{self._base}/login", cure="unreachable", wait_s=error.wait_s
            ) from None
        if answer.status != 200:
            raise ForbiddenError(
                answer.url, cure="check_password", said=_said(answer), status=answer.status
            )

    async def _form(self, http: Http) -> Mapping[str, str]:
        """What a session must send along to be believed; nothing with a token."""
        if self._account is not None and self._account.is_key:
            return {}
        answer = await http.get(f"{self._base}/api/config", headers=self._headers())
        _raise_for(answer)
        return {"x-csrf-token": string(answer.json(), "csrf_token", answer.url)}

    async def _assure_replies(self, http: Http, url: str) -> None:
        answer = await http.get(url, headers=self._headers())
        _raise_for(answer)
        data = _topic_of(answer.json(), url)
        rights = member(data, "privileges", url)
        if not rights.get("uid"):
            raise LoggedOutError(url, cure="log_in_again")
        if not rights.get("topics:reply"):
            if data.get("locked"):
                raise LockedError(url, cure="thread_is_locked")
            raise ForbiddenError(url, cure="check_permissions")

    def _headers(self) -> Mapping[str, str]:
        if self._account is None or not self._account.is_key:
            return {"accept": "application/json"}
        return {"accept": "application/json", "authorization": f"Bearer {self._account.secret}"}

    def _topic(self, topic: str) -> str:
        return topic_in(topic, _TOPIC, self._base)


def parse_thread(text: str, url: str) -> ThreadPage:
    """Read what ``/api/topic/ID`` answered; pure.

    Args:
        text: The answer.
        url: Its address.

    Raises:
        LayoutChangedError: no topic, no posts, or one without id, author or words.
        GoneError: a page past the end of the topic, or a topic that was deleted.
    """
    data = _topic_of(Answer(url, 200, text).json(), url)
    paging = member(data, "pagination", url)
    page, last = integer(paging, "currentPage", url), integer(paging, "pageCount", url)
    posts = data.get("posts")
    if not isinstance(posts, list) or not all(isinstance(post, dict) for post in posts):
        raise changed(url, "posts")
    if page > last and not posts:
        raise GoneError(url, cure="check_topic", page=page)
    if not posts:
        raise changed(url, "posts[0]")
    counted = [post for post in posts if not post.get("deleted")]
    # A page of deleted posts alone must not look empty.
    read = tuple(_post(post, url, gone=not counted) for post in (counted or posts))
    privileges = data.get("privileges")
    viewer = privileges.get("uid") if isinstance(privileges, dict) else None
    return ThreadPage(
        url=with_page(url, page),
        posts=read,
        next_url=with_page(url, page + 1) if page < last else "",
        previous_url=with_page(url, page - 1) if page > 1 else "",
        last_url=with_page(url, last),
        title=str(data.get("titleRaw") or unescape(str(data.get("title") or ""))),
        locked=bool(data.get("locked")),
        viewer_id="" if viewer is None else _user_id(viewer),
        digest=posts_digest(read),
    )


def read_outcome(answer: Answer, draft: Draft) -> Posted:
    """What became of a post, from the answer to it; pure.

    Raises:
        UnknownOutcomeError: an answer that proves nothing.
        NotSentError, LockedError, GoneError, ForbiddenError, RefusedTextError, LoggedOutError.
    """
    if answer.status != 200:
        raise _refusal(answer, draft)
    data = body_of(answer)
    post = data.get("response") if isinstance(data, dict) else None
    if not isinstance(post, dict):
        raise UnknownOutcomeError(answer.url, cure="read_back", reason="no_json")
    if post.get("queued"):
        return Posted(draft.edits, awaits_approval=True)
    post_id = post.get("pid")
    if not isinstance(post_id, (int, str)) or not post_id or draft.edits not in {"", str(post_id)}:
        raise UnknownOutcomeError(answer.url, cure="read_back", reason="no_post")
    return Posted(str(post_id), url=_permalink(answer.url, str(post_id)))


def _refusal(answer: Answer, draft: Draft) -> AdapterError:
    """Why a post was not taken: mostly it is a 400, and only its sentence tells."""
    said = _said(answer)
    if answer.status == 403 and not isinstance(body_of(answer), dict):
        # The word alone, without the API's envelope, means the session's token.
        return NotSentError(draft.url, cure="load_form_again", status=answer.status)
    for pattern, error, cure in _REFUSALS:
        if pattern.search(said):
            wait_s = wait_said(said) if error is NotSentError else None
            if wait_s and "-minutes," in said:
                wait_s *= 60  # a bare key: "too-many-posts-newbie-minutes, 2, 3"
            return error(draft.url, cure, wait_s=wait_s, said=said)
    if answer.status in {400, 413}:
        return RefusedTextError(draft.url, cure="mend_text", said=said)
    return error_for(answer, said, logged_out=answer.status == 401)


def _topic_of(data: Any, url: str) -> dict[str, Any]:
    """The topic of an answer that is one."""
    if isinstance(data, str):
        # "Look elsewhere": a banned account is sent to the front page.
        if "banned" in data:
            raise ForbiddenError(url, cure="check_permissions", said="banned")
        raise GoneError(url, cure="check_topic")
    if not isinstance(data, dict):
        raise changed(url, "object")
    if data.get("deleted") and "posts" in data:
        # Moderators see it still; nobody plays there.
        raise GoneError(url, cure="check_topic")
    return data


def _people(room: Mapping[str, Any]) -> set[str]:
    """Who else is in a chat, as far as the list of chats tells it."""
    users = room.get("users")
    named = users if isinstance(users, list) else []
    return {str(user.get("uid")) for user in named if isinstance(user, dict)}


def _letter(message: Mapping[str, Any], url: str) -> Post:
    """A message of a chat, which is written and shown like a post."""
    names = {
        "pid": message["messageId"],
        "uid": message.get("fromuid"),
        "user": message.get("fromUser"),
    }
    return replace(_post({**message, **names}, url, gone=False), url="")


def _post(post: Mapping[str, Any], url: str, *, gone: bool) -> Post:
    post_id, author = post.get("pid"), post.get("uid")
    if not isinstance(post_id, (int, str)) or not post_id:
        raise changed(url, "pid")
    if not isinstance(author, (int, str)):
        raise changed(url, "uid")
    words = Words("", "") if gone else words_of(string(post, "content", url), url)
    user = post.get("user")
    name = user.get("displayname") or user.get("username") if isinstance(user, dict) else ""
    stamp = post.get("timestamp")
    return Post(
        id=str(post_id),
        author_id=_user_id(author),
        author_name=unescape(str(name or "")),
        own_words=words.own,
        set_aside=words.set_aside,
        posted_at=moment(stamp / 1000) if isinstance(stamp, int) else None,
        edited=bool(post.get("edited")) if "edited" in post else None,
        url=_permalink(url, str(post_id)),
    )


@remembered(512)
def words_of(html: str, url: str) -> Words:
    """The author's words; most polls bring posts that were there before."""
    return own_words(soup_of(html, url, whole=False), NODEBB)


def _user_id(user: object) -> str:
    return str(user) if user and str(user) != "0" else GUEST


def _permalink(url: str, post_id: str) -> str:
    if not post_id.isdecimal():
        return post_id if urlsplit(post_id).scheme in {"http", "https"} else ""
    return f"{url.partition('/api/')[0]}/post/{post_id}"


def _raise_for(answer: Answer) -> None:
    if answer.status != 200:
        raise error_for(answer, _said(answer), logged_out=answer.status == 401)


def _said(answer: Answer) -> str:
    """What the forum says is wrong: in the write API's envelope, a bare word, or an error page."""
    data = body_of(answer)
    if not isinstance(data, dict):
        return said_in([data if isinstance(data, str) else answer.text])
    status = data.get("status")
    return said_in([status.get("message") if isinstance(status, dict) else data.get("error")])
