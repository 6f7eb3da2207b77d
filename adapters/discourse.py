"""Discourse: JSON, an API key, Markdown with some BBCode.

What is peculiar to it: a topic answers with the ids of all its posts and the text of some twenty,
so one request tells whatever is new; what it shows has gone through typography, so the source is
read where it says the same; a closed topic answers 403 like any other thing that is not allowed; a
text too short, or like the last one, is a 422. From the vendor's own documentation; no capture.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Final
from urllib.parse import quote, urlencode

from adapters.base import Account, Answer, Capabilities, Draft, Http, Post, Posted, ThreadPage
from adapters.errors import (
    AdapterError,
    ForbiddenError,
    GoneError,
    LayoutChangedError,
    LockedError,
    NotSentError,
    RefusedTextError,
    UnknownOutcomeError,
)
from adapters.html import Words, digest_of, own_words, soup_of
from adapters.json_api import (
    body_of,
    error_for,
    integer,
    member,
    moment,
    objects,
    page_number,
    said_in,
    topic_in,
    with_page,
)
from adapters.markdown import read_source, same_words
from adapters.markup import DISCOURSE

GUEST: Final = "guest"
_CHUNK: Final = 20
_REGULAR: Final = 1  # post_type: not a note of moderation, not a whisper among the staff
# Slugs hold at least one sign that is no digit.
_TOPIC: Final = re.compile(r"/t/(?:[^/?#]*[^/?#0-9][^/?#]*/)?([0-9]{1,18})(?=[./?#]|$)")
_TURN: Final = re.compile(r"\bconsecutive repl|\brespuestas consecutivas\b", re.IGNORECASE)
_SLOW: Final = re.compile(r"\bslow mode\b|\bmodo lento\b", re.IGNORECASE)


class Discourse:
    """A Discourse site, through a key that an administrator or the account itself has made."""

    platform: ClassVar[str] = "discourse"

    def __init__(
        self,
        base_url: str,
        account: Account | None = None,
        *,
        user_key: bool = False,
        max_post_chars: int = 32_000,
    ) -> None:
        """Remember the site.

        Args:
            base_url: Address of the site's front page.
            account: User name and API key; without one it reads what guests may read.
            user_key: True where the key is a *User-Api-Key*, which the account made for itself.
            max_post_chars: The site's ``max_post_length``, where it is not the default.
        """
        self._base = base_url.rstrip("/")
        self._account = account
        self._user_key = user_key
        # The account's id never changes; pages don't tell it, though each is made for the key.
        self._own_id = "" if account is not None else GUEST
        self.capabilities = Capabilities(
            dialect="markdown", edits=True, max_post_chars=max_post_chars, spoilers="details"
        )

    def thread_url(self, topic: str) -> str:
        """The topic's first page, from its id or any address of it."""
        return self._page_url(self._topic(topic), 1)

    async def login(self, http: Http) -> str:
        """Ask who the key belongs to: there is no session."""
        if self._account is None:
            raise ForbiddenError(self._base, cure="no_account")
        url = f"{self._base}/u/{quote(self._account.username)}.json"
        answer = await http.get(url, headers=self._headers())
        if answer.status != 200:
            raise ForbiddenError(url, cure="check_key", said=_said(answer), status=answer.status)
        user = member(answer.json(), "user", answer.url)
        self._own_id = str(integer(user, "id", answer.url))
        return self._own_id

    async def fetch(self, http: Http, url: str, *, conditional: bool = False) -> ThreadPage | None:
        """Read one page of a topic: the posts of one slice of the ids that it tells."""
        answer = await http.get(url, headers=self._headers(), conditional=conditional)
        if answer.unchanged:
            return None
        _raise_for(answer)
        topic, asked = self._topic(url), page_number(url)
        data = answer.json()
        missing = missing_posts(data, asked, answer.url)
        if missing:
            # The documentation promises posts by id, but no pages.
            query = urlencode([("post_ids[]", str(post)) for post in missing])
            more = await http.get(
                f"{self._base}/t/{topic}/posts.json?{query}&include_raw=1", headers=self._headers()
            )
            _raise_for(more)
            _stream(data, answer.url)["posts"] += _stream(more.json(), more.url)["posts"]
        return _thread_of(data, self._page_url(topic, asked), viewer=self._own_id)

    async def draft(self, http: Http, topic: str, *, edits: str = "") -> Draft:
        """See that the topic takes replies, or that the post is there and ours."""
        if self._account is None:
            raise ForbiddenError(self.thread_url(topic), cure="no_account")
        if edits:
            url = f"{self._base}/posts/{edits}.json"
            answer = await http.get(url, headers=self._headers())
            if answer.status in {404, 410}:
                raise GoneError(url, cure="post_is_gone")
            _raise_for(answer)
            if answer.json().get("can_edit") is False:
                raise ForbiddenError(url, cure="not_our_post")
            return Draft(url=url, fields={"post": {}}, made_at=http.now(), edits=edits)
        number = self._topic(topic)
        answer = await http.get(self._page_url(number, 1), headers=self._headers())
        _raise_for(answer)
        data = answer.json()
        if _is_locked(data) and not member(data, "details", answer.url).get("can_create_post"):
            raise LockedError(answer.url, cure="thread_is_locked")
        return Draft(
            url=f"{self._base}/posts.json", fields={"topic_id": int(number)}, made_at=http.now()
        )

    async def send(self, http: Http, draft: Draft, text: str) -> Posted:
        """Post or edit; the answer is the post itself."""
        body = {"post": {"raw": text}} if draft.edits else {**draft.fields, "raw": text}
        method = "PUT" if draft.edits else "POST"
        answer = await http.send(draft.url, json=body, method=method, headers=self._headers())
        if answer.status in {403, 404, 410} and not draft.edits:
            raise await self._why_not(http, str(draft.fields["topic_id"]), answer)
        if answer.status in {404, 410}:
            raise GoneError(draft.url, cure="post_is_gone")
        if answer.status in {400, 422}:
            raise await self._refusal(http, answer, draft)
        _raise_for(answer)
        return read_outcome(answer, draft)

    async def _why_not(self, http: Http, topic: str, refused: Answer) -> AdapterError:
        """Why a reply is not allowed: the topic's own page knows whether it is closed."""
        url = self._page_url(topic, 1)
        answer = await http.get(url, headers=self._headers())
        _raise_for(answer)
        if _is_locked(answer.json()):
            return LockedError(url, cure="thread_is_locked")
        return ForbiddenError(url, cure="check_permissions", said=_said(refused))

    async def _refusal(self, http: Http, refused: Answer, draft: Draft) -> AdapterError:
        """Why a text was not taken; how slow a slow topic is stands on its page."""
        said = _said(refused)
        if _TURN.search(said):
            return NotSentError(refused.url, cure="let_others_post", said=said)
        if draft.edits or not _SLOW.search(said):
            return RefusedTextError(refused.url, cure="mend_text", said=said)
        answer = await http.get(
            self._page_url(str(draft.fields["topic_id"]), 1), headers=self._headers()
        )
        _raise_for(answer)
        slow = answer.json().get("slow_mode_seconds")
        wait_s = float(slow) if isinstance(slow, int) and slow > 0 else None
        return NotSentError(refused.url, cure="slow_mode", wait_s=wait_s, said=said)

    def _headers(self) -> Mapping[str, str]:
        headers = {"accept": "application/json"}
        if self._account is None:
            return headers
        if self._user_key:
            return {**headers, "user-api-key": self._account.secret}
        return {
            **headers,
            "api-key": self._account.secret,
            # Headers are ASCII; user names need not be.
            "api-username": quote(self._account.username),
        }

    def _page_url(self, topic: str, number: int) -> str:
        return with_page(f"{self._base}/t/{topic}.json?include_raw=1", number)

    def _topic(self, topic: str) -> str:
        return topic_in(topic, _TOPIC, self._base)


def parse_thread(text: str, url: str) -> ThreadPage:
    """Read what ``/t/ID.json`` answered; pure.

    Args:
        text: The answer.
        url: Its final address.

    Raises:
        LayoutChangedError: no topic, no posts, or one without id, author or words.
        GoneError: a page past the end of the topic.
    """
    data = Answer(url, 200, text).json()
    missing_posts(data, page_number(url), url)
    return _thread_of(data, url, viewer="")


def missing_posts(data: Any, page: int, url: str) -> tuple[int, ...]:
    """Ids that belong on a page of a topic and did not come with it.

    Raises:
        LayoutChangedError: no topic.
        GoneError: the topic has fewer pages.
    """
    stream = _stream(data, url)
    wanted = _slice(data, page, url)
    if not wanted:
        raise GoneError(url, cure="check_topic", page=page)
    here = {post.get("id") for post in stream["posts"]}
    return tuple(post for post in wanted if post not in here)


def read_outcome(answer: Answer, draft: Draft) -> Posted:
    """What became of a post, from the answer to it; pure.

    Raises:
        UnknownOutcomeError: an answer that proves nothing.
    """
    try:
        data = answer.json()
    except LayoutChangedError:
        data = None
    if not isinstance(data, dict):
        raise UnknownOutcomeError(answer.url, cure="read_back", reason="no_json")
    if data.get("action") == "enqueued":
        return Posted(draft.edits, awaits_approval=True)
    post = data.get("post", data)
    post_id = post.get("id") if isinstance(post, dict) else None
    if not isinstance(post_id, int) or draft.edits not in {"", str(post_id)}:
        raise UnknownOutcomeError(answer.url, cure="read_back", reason="no_post")
    return Posted(str(post_id), url=answer.url.rpartition("/posts")[0] + f"/p/{post_id}")


@lru_cache(maxsize=512)
def words_of(source: str, cooked: str, url: str) -> Words:
    """The author's words: the source's, where they are the ones that readers see.

    Most polls bring posts that were there before, so those are not read again.
    """
    shown = own_words(soup_of(cooked, url, whole=False), DISCOURSE)
    if not source:
        return shown
    typed = read_source(source)
    return typed if same_words(typed, shown) else shown


def _thread_of(data: Any, url: str, *, viewer: str) -> ThreadPage:
    number = page_number(url)
    by_id = {post.get("id"): post for post in _stream(data, url)["posts"]}
    wanted = [by_id[post] for post in _slice(data, number, url) if post in by_id]
    if not wanted:
        raise LayoutChangedError(url, cure="send_page_to_maintainers", missing="post_stream.posts")
    counted = [post for post in wanted if _counts(post)]
    # A page of notes alone must not look empty.
    posts = tuple(_post(post, url, hidden=not counted) for post in (counted or wanted))
    last = _pages(data, url)
    return ThreadPage(
        url=with_page(url, number),
        posts=posts,
        next_url=with_page(url, number + 1) if number < last else "",
        previous_url=with_page(url, number - 1) if number > 1 else "",
        last_url=with_page(url, last),
        title=str(data.get("title") or ""),
        locked=_is_locked(data),
        viewer_id=viewer,
        digest=digest_of(
            part
            for post in posts
            for part in (post.id, post.author_id, post.own_words, post.set_aside)
        ),
    )


def _post(post: Mapping[str, Any], url: str, *, hidden: bool) -> Post:
    post_id, author = integer(post, "id", url), integer(post, "user_id", url)
    cooked, source = post.get("cooked"), post.get("raw")
    if not isinstance(cooked, str):
        raise LayoutChangedError(url, cure="send_page_to_maintainers", missing="cooked")
    words = Words("", "")
    if not hidden:
        words = words_of(source if isinstance(source, str) else "", cooked, url)
    version = post.get("version")
    return Post(
        id=str(post_id),
        author_id=str(author),
        author_name=str(post.get("username") or ""),
        own_words=words.own,
        set_aside=words.set_aside,
        posted_at=moment(post.get("created_at")),
        # An edit within the first minutes leaves no trace.
        edited=True if isinstance(version, int) and version > 1 else None,
        url=f"{url.partition('/t/')[0]}/p/{post_id}",
    )


def _counts(post: Mapping[str, Any]) -> bool:
    """Whether a post is an ordinary one that stands."""
    gone = post.get("hidden") or post.get("deleted_at") or post.get("user_deleted")
    return post.get("post_type", _REGULAR) == _REGULAR and not gone


def _slice(data: Any, page: int, url: str) -> Sequence[int]:
    """Ids of the posts of a page, in order; where a huge topic does not tell them, those given."""
    stream, chunk = _stream(data, url), _chunk(data)
    ids = stream.get("stream")
    if not isinstance(ids, list):
        return [post.get("id", 0) for post in stream["posts"]]
    return ids[(page - 1) * chunk : page * chunk]


def _pages(data: Any, url: str) -> int:
    ids = _stream(data, url).get("stream")
    count = len(ids) if isinstance(ids, list) else data.get("posts_count")
    return max(1, -(-(count if isinstance(count, int) else 1) // _chunk(data)))


def _chunk(data: Any) -> int:
    chunk = data.get("chunk_size")
    return chunk if isinstance(chunk, int) and 0 < chunk <= 100 else _CHUNK


def _is_locked(data: Any) -> bool:
    return bool(data.get("closed") or data.get("archived"))


def _stream(data: Any, url: str) -> dict[str, Any]:
    stream = member(data, "post_stream", url)
    objects(stream, "posts", url)
    return stream


def _raise_for(answer: Answer) -> None:
    """Raise what a status means, once the ways that only posts go are ruled out."""
    if answer.status != 200:
        data = body_of(answer)
        kind = data.get("error_type") if isinstance(data, dict) else ""
        raise error_for(answer, _said(answer), logged_out=kind == "not_logged_in")


def _said(answer: Answer) -> str:
    """What the site says is wrong, in its own language."""
    data = body_of(answer)
    errors = data.get("errors") if isinstance(data, dict) else None
    return said_in(errors) if isinstance(errors, list) else ""
