"""Discourse: JSON, an API key, Markdown with some BBCode.

What is peculiar to it: a topic answers with the ids of all its posts and the text of some twenty,
so only its beginning is read so, and what comes later as "the posts after number N", which costs
the same however long the topic; what it shows has gone through typography, so the source is read
where it says the same; a text too short or like the last one, a slow topic and a closed one are all
a 422, told apart by the topic's page; for two minutes the same request gets the same answer again.
From the vendor's documentation and source; no capture.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from secrets import token_hex
from typing import Any, ClassVar, Final
from urllib.parse import parse_qs, quote, urlencode, urlsplit

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
    topic_in,
    with_page,
)
from adapters.letters import by_others, worth_reading
from adapters.markdown import read_source, same_words
from adapters.markup import DISCOURSE

_CHUNK: Final = 20
# One less than Discourse gives after a post, so that the last one tells whether there are more.
_SLICE: Final = 19
_LATER: Final = re.compile(r"/posts\.json$")
_REGULAR: Final = 1  # post_type: not a note of moderation, not a whisper among the staff
# Slugs hold at least one sign that is no digit.
_TOPIC: Final = re.compile(r"/t/(?:[^/?#]*[^/?#0-9][^/?#]*/)?([0-9]{1,18})(?=[./?#]|$)")
_TURN: Final = re.compile(r"\bconsecutive repl|\brespuestas consecutivas\b", re.IGNORECASE)
# In a slow topic any other refusal is for its slowness.
_TEXT: Final = re.compile(r"character|caracter|similar|parecid", re.IGNORECASE)


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
            dialect="markdown",
            edits=True,
            max_post_chars=max_post_chars,
            spoilers="details",
            letters=True,
        )

    def thread_url(self, topic: str) -> str:
        """The topic's first page, from its id or any address of it."""
        return self._page_url(self._topic(topic), 1)

    def page_for_people(self, topic: str) -> str:
        """The topic as a browser shows it."""
        return f"{self._base}/t/{self._topic(topic)}"

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
        """Read the beginning of a topic, or the posts after or before one of them."""
        answer = await http.get(url, headers=self._headers(), conditional=conditional)
        if answer.unchanged:
            return None
        _raise_for(answer)
        if _LATER.search(urlsplit(url).path):
            return _slice_of(answer.json(), url, viewer=self._own_id)
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
        page = _thread_of(data, self._page_url(topic, asked), viewer=self._own_id)
        if page.next_url and not page.last_url:
            page = replace(page, last_url=await self._last_url(http, data, page))
        return page

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
        if not _takes_replies(data, answer.url):
            raise _no_reply(data, answer.url)
        fields: dict[str, Any] = {"topic_id": int(number)}
        if not self._user_key:
            # For two minutes a key's same request gets the same answer, be it a refusal: a new
            # draft must be another request. It is no guard against twins: while the first is still
            # being worked on, a second waits for two seconds only.
            fields["draft_key"] = f"referee-{token_hex(5)}"
        return Draft(url=f"{self._base}/posts.json", fields=fields, made_at=http.now())

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

    async def letters(self, http: Http, writers: Collection[str]) -> tuple[Letter, ...]:
        """What others have written of late in private topics with those who are awaited."""
        if self._account is None:
            raise ForbiddenError(self._base, cure="no_account")
        if not self._own_id:
            await self.login(http)
        url = f"{self._base}/topics/private-messages/{quote(self._account.username)}.json"
        answer = await http.get(url, headers=self._headers())
        _raise_for(answer)
        topics = objects(member(answer.json(), "topic_list", url), "topics", url)
        found: list[ThreadPage] = []
        for topic in worth_reading([(one, self._people(one)) for one in topics], writers):
            first = await self.fetch(http, self._page_url(str(integer(topic, "id", url)), 1))
            if first is None:
                continue
            page: ThreadPage | None = first
            if first.last_url not in {"", first.url}:
                page = await self.fetch(http, first.last_url)
            found += [replace(page, title=first.title)] if page is not None else []
        return by_others(found)

    def _people(self, topic: Mapping[str, Any]) -> set[str]:
        """Whom a list of private topics names with one of them, besides the account."""
        named = [
            str(person["user_id"])
            for key in ("posters", "participants")
            for person in topic.get(key) or ()
            if isinstance(person, dict) and isinstance(person.get("user_id"), int)
        ]
        return {*named} - {self._own_id}

    async def _last_url(self, http: Http, data: Any, page: ThreadPage) -> str:
        """Where the last posts begin: behind the one that precedes them, whose number is asked."""
        ids = _stream(data, page.url).get("stream")
        if not isinstance(ids, list):
            # A huge topic tells its highest number only, which may be one that nobody sees.
            highest = data.get("highest_post_number")
            found = isinstance(highest, int) and highest > _SLICE
            return _later_url(page.url, highest - _SLICE) if found else ""
        url = f"{page.url.partition('.json')[0]}/posts.json?post_ids[]={ids[-_SLICE - 1]}"
        answer = await http.get(url, headers=self._headers())
        _raise_for(answer)
        posts = _stream(answer.json(), answer.url)["posts"]
        return _later_url(page.url, integer(posts[0], "post_number", answer.url)) if posts else ""

    async def _why_not(self, http: Http, topic: str, refused: Answer) -> AdapterError:
        """Why a reply is not allowed: the topic's own page knows whether it is closed."""
        url = self._page_url(topic, 1)
        answer = await http.get(url, headers=self._headers())
        _raise_for(answer)
        return _no_reply(answer.json(), url, _said(refused))

    async def _refusal(self, http: Http, refused: Answer, draft: Draft) -> AdapterError:
        """Why a text was not taken; the topic's own page knows more than the sentence."""
        said = _said(refused)
        if _TURN.search(said):
            return NotSentError(refused.url, cure="let_others_post", said=said)
        if draft.edits:
            return RefusedTextError(refused.url, cure="mend_text", said=said)
        url = self._page_url(str(draft.fields["topic_id"]), 1)
        answer = await http.get(url, headers=self._headers())
        _raise_for(answer)
        data = answer.json()
        if not _takes_replies(data, url):
            # "Perhaps this topic was closed or deleted" is said of any that takes none.
            return _no_reply(data, url, said)
        slow = data.get("slow_mode_seconds")
        if isinstance(slow, int) and slow > 0 and not _TEXT.search(said):
            return NotSentError(refused.url, cure="slow_mode", wait_s=float(slow), said=said)
        return RefusedTextError(refused.url, cure="mend_text", said=said)

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
    """Read what ``/t/ID.json`` or ``/t/ID/posts.json`` answered; pure.

    Args:
        text: The answer.
        url: Its final address.

    Raises:
        LayoutChangedError: no topic, no posts, or one without id, author or words.
        GoneError: a page past the end of the topic.
    """
    data = Answer(url, 200, text).json()
    if _LATER.search(urlsplit(url).path):
        return _slice_of(data, url, viewer="")
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
    here = {integer(post, "id", url) for post in stream["posts"]}
    return tuple(post for post in wanted if post not in here)


def read_outcome(answer: Answer, draft: Draft) -> Posted:
    """What became of a post, from the answer to it; pure.

    Raises:
        UnknownOutcomeError: an answer that proves nothing.
    """
    data = body_of(answer)
    if not isinstance(data, dict):
        raise UnknownOutcomeError(answer.url, cure="read_back", reason="no_json")
    if data.get("action") == "enqueued":
        return Posted(draft.edits, awaits_approval=True)
    post = data.get("post", data)
    post_id = post.get("id") if isinstance(post, dict) else None
    if not isinstance(post_id, int) or draft.edits not in {"", str(post_id)}:
        raise UnknownOutcomeError(answer.url, cure="read_back", reason="no_post")
    return Posted(str(post_id), url=answer.url.rpartition("/posts")[0] + f"/p/{post_id}")


@remembered(512)
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
    """The beginning of a topic, or any page of it that somebody has saved."""
    number = page_number(url)
    by_id = {integer(post, "id", url): post for post in _stream(data, url)["posts"]}
    wanted = [by_id[post] for post in _slice(data, number, url) if post in by_id]
    if not wanted:
        raise changed(url, "post_stream.posts")
    here = with_page(url, number)
    left = _count(data, url) - number * _chunk(data)
    later = ""
    if left > 0:
        later = _later_url(url, integer(wanted[-1], "post_number", url), second=number == 1)
    return ThreadPage(
        url=here,
        posts=(posts := _read(wanted, url)),
        next_url=later,
        previous_url=with_page(url, number - 1) if number > 1 else "",
        last_url=here if not later else later if left <= _SLICE else "",
        title=str(data.get("title") or ""),
        locked=_is_locked(data),
        viewer_id=viewer,
        digest=_digest(posts),
    )


def _slice_of(data: Any, url: str, *, viewer: str) -> ThreadPage:
    """Posts after or before a number, as ``/t/ID/posts.json`` gives them."""
    query = parse_qs(urlsplit(url).query)
    forward = query.get("asc") == ["true"]
    found = _stream(data, url)["posts"]
    if not found:
        # They were deleted, and what comes now would be another page.
        raise GoneError(url, cure="check_topic")
    numbers = [integer(post, "post_number", url) for post in found]
    if numbers[0] > numbers[-1]:
        found, numbers = found[::-1], numbers[::-1]
    wanted = found[:_SLICE] if forward else found
    last = integer(wanted[-1], "post_number", url)
    before = "" if numbers[0] == 1 else _earlier_url(url, numbers[0])
    return ThreadPage(
        url=url,
        posts=(posts := _read(wanted, url)),
        next_url=_later_url(url, last) if len(found) > len(wanted) or not forward else "",
        previous_url=_first_url(url) if page_number(url) == 2 else before,
        last_url="" if len(found) > len(wanted) or not forward else url,
        viewer_id=viewer,
        digest=_digest(posts),
    )


def _later_url(url: str, after: int, *, second: bool = False) -> str:
    """Where the posts after a number are; the number must be that of a post.

    Discourse knows no page there: the word only tells us where the way back leads.
    """
    query = f"asc=true&include_raw=1&post_number={after}"
    return f"{_topic_url(url)}/posts.json?{query}{'&page=2' if second else ''}"


def _earlier_url(url: str, before: int) -> str:
    return f"{_topic_url(url)}/posts.json?include_raw=1&post_number={before}"


def _first_url(url: str) -> str:
    return f"{_topic_url(url)}.json?include_raw=1"


def _topic_url(url: str) -> str:
    """The topic's address without what follows its number."""
    return url.partition("?")[0].removesuffix(".json").removesuffix("/posts")


def _read(wanted: Sequence[Mapping[str, Any]], url: str) -> tuple[Post, ...]:
    """Those that count; a page of notes alone must not look empty."""
    counted = [post for post in wanted if _counts(post)]
    return tuple(_post(post, url, hidden=not counted) for post in (counted or wanted))


def _digest(posts: Sequence[Post]) -> str:
    return posts_digest(posts)


def _post(post: Mapping[str, Any], url: str, *, hidden: bool) -> Post:
    post_id = integer(post, "id", url)
    # Nobody, said outright, is the author whose account is gone; without the word it is no post.
    is_nobodys = "user_id" in post and post["user_id"] is None
    author = GUEST if is_nobodys else str(integer(post, "user_id", url))
    cooked, source = post.get("cooked"), post.get("raw")
    if not isinstance(cooked, str):
        raise changed(url, "cooked")
    words = Words("", "")
    if not hidden:
        words = words_of(source if isinstance(source, str) else "", cooked, url)
    version = post.get("version")
    return Post(
        id=str(post_id),
        author_id=author,
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
        return [integer(post, "id", url) for post in stream["posts"]]
    wanted = ids[(page - 1) * chunk : page * chunk]
    if not all(isinstance(post, int) for post in wanted):
        raise changed(url, "post_stream.stream")
    return wanted


def _count(data: Any, url: str) -> int:
    """How many posts the topic has."""
    ids = _stream(data, url).get("stream")
    count = len(ids) if isinstance(ids, list) else data.get("posts_count")
    return count if isinstance(count, int) else 1


def _chunk(data: Any) -> int:
    chunk = data.get("chunk_size")
    return chunk if isinstance(chunk, int) and 0 < chunk <= 100 else _CHUNK


def _takes_replies(data: Any, url: str) -> bool:
    return bool(member(data, "details", url).get("can_create_post"))


def _no_reply(data: Any, url: str, said: str = "") -> AdapterError:
    if _is_locked(data):
        return LockedError(url, cure="thread_is_locked", said=said)
    return ForbiddenError(url, cure="check_permissions", said=said)


def _is_locked(data: Any) -> bool:
    return bool(data.get("closed") or data.get("archived"))


def _stream(data: Any, url: str) -> dict[str, Any]:
    stream = member(data, "post_stream", url)
    for post in objects(stream, "posts", url):
        integer(post, "id", url)
    ids = stream.get("stream")
    if isinstance(ids, list) and not all(isinstance(post_id, int) for post_id in ids):
        raise changed(url, "post_stream.stream")
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
