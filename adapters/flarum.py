"""Flarum 1: JSON:API, a developer token or a session.

What is peculiar to it: posts come by offset, and only the next page is told, so the way to the last
one is a question "near the end"; what a guest may not see is not there at all; a token that nobody
has reads as a guest; nine smilies become emoji wherever they stand, even in the middle of a word;
too soon is a 429 without a time. From its source (1.8.7); never seen alive.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final
from urllib.parse import parse_qs, urlencode, urlsplit

from adapters.base import (
    GUEST,
    Account,
    Answer,
    Capabilities,
    Draft,
    Http,
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
    member,
    moment,
    objects,
    page_number,
    said_in,
    string,
    topic_in,
    with_page,
)
from adapters.markup import FLARUM

_PAGE: Final = 20
_OFFSET: Final = "page[offset]"
# ``PostCreationThrottler``: so long between two posts, unless a group is exempt.
_THROTTLE_S: Final = 10.0
_TOPIC: Final = re.compile(
    r"(?:/d/|/api/discussions/|filter(?:%5B|\[)discussion(?:%5D|\])=)([0-9]{1,18})(?![0-9])",
    re.IGNORECASE,
)
# Its emoji extension replaces these wherever they stand, so ``ACCIÓN:PARADA`` is shown with a face.
# Whoever types the face itself is read as if they had typed the code.
_TYPED: Final = str.maketrans(
    {
        "🙂": ":)",
        "😃": ":D",
        "😛": ":P",
        "🙁": ":(",
        "😐": ":|",
        "😉": ";)",
        "😢": ":'(",
        "😮": ":O",
        "😡": ">:(",
    }
)


class Flarum:
    """A Flarum forum, through a developer token of the account's own, or as a browser does."""

    platform: ClassVar[str] = "flarum"

    def __init__(
        self,
        base_url: str,
        account: Account | None = None,
        *,
        user_id: str = "",
        max_post_chars: int = 40_000,
    ) -> None:
        """Remember the site.

        Args:
            base_url: Address of the forum's front page.
            account: Whose posts these will be, with a token (a key) or a password; without one it
                reads what guests may read.
            user_id: The account's number, where the key is the site's and not the account's.
            max_post_chars: The longest post. Flarum takes 65,535 letters of what it makes of the
                text, which is longer than the text.
        """
        self._base = base_url.rstrip("/")
        self._account = account
        self._user_id = user_id
        # Pages of posts don't tell whom they were made for, though each is made for the account.
        self._own_id = "" if account is not None else GUEST
        self.capabilities = Capabilities(
            dialect="markdown", edits=True, max_post_chars=max_post_chars, tables=False
        )

    def thread_url(self, topic: str) -> str:
        """The discussion's first page of posts, from its id or any address of it."""
        query = {
            "filter[discussion]": self._topic(topic),
            "include": "user,discussion",
            "page[limit]": str(_PAGE),
            "sort": "number",
        }
        return f"{self._base}/api/posts?{urlencode(query)}"

    def page_for_people(self, topic: str) -> str:
        """The discussion as a browser shows it."""
        return f"{self._base}/d/{self._topic(topic)}"

    async def login(self, http: Http) -> str:
        """Ask who the token belongs to, or open a session with the password."""
        url = f"{self._base}/api"
        if self._account is None:
            raise ForbiddenError(url, cure="no_account")
        answer = await http.get(url, headers=self._headers())
        _raise_for(answer)
        who = _actor(answer)
        if who == GUEST and not self._account.is_key:
            await self._open_session(http, self._account, answer)
            who = await self._whose(http)
        if who == GUEST:
            raise ForbiddenError(
                url, cure="check_key" if self._account.is_key else "check_password"
            )
        self._own_id = who
        return who

    async def fetch(self, http: Http, url: str, *, conditional: bool = False) -> ThreadPage | None:
        """Read one page of a discussion; from the first of several, find the last one too."""
        answer = await http.get(url, headers=self._headers(), conditional=conditional)
        if answer.unchanged:
            return None
        _raise_for(answer)
        data = answer.json()
        if not objects(data, "data", url) and not page_number(url, _OFFSET, first=0):
            raise await self._why_empty(http, self._topic(url))
        page = _thread_of(data, url, viewer=self._own_id)
        if page.next_url and not page.previous_url:
            page = replace(page, last_url=await self._last_page(http, page.url))
        return page

    async def draft(self, http: Http, topic: str, *, edits: str = "") -> Draft:
        """See that the discussion takes replies, or that the post may be edited."""
        if self._account is None:
            raise ForbiddenError(self.thread_url(topic), cure="no_account")
        # A guest's token would do for a guest's post.
        if await self._whose(http) == GUEST:
            raise LoggedOutError(self.thread_url(topic), cure="log_in_again")
        if edits:
            url = f"{self._base}/api/posts/{edits}"
            answer = await http.get(url, headers=self._headers())
            if answer.status == 404:
                raise GoneError(url, cure="post_is_gone")
            _raise_for(answer)
            post = _attributes(member(answer.json(), "data", url), url)
            if post.get("isHidden"):
                raise GoneError(url, cure="post_is_gone")
            if not post.get("canEdit"):
                raise ForbiddenError(url, cure="check_permissions")
            fields: dict[str, Any] = {"type": "posts", "id": edits}
        else:
            number = self._topic(topic)
            answer = await self._discussion(http, number)
            discussion = _attributes(member(answer.json(), "data", answer.url), answer.url)
            if not discussion.get("canReply"):
                raise _no_reply(discussion, answer.url)
            url = f"{self._base}/api/posts"
            related = {"discussion": {"data": {"type": "discussions", "id": number}}}
            fields = {"type": "posts", "relationships": related}
        token = {} if self._account.is_key else _csrf(answer)
        return Draft(
            url=url, fields={"data": fields, "headers": token}, made_at=http.now(), edits=edits
        )

    async def send(self, http: Http, draft: Draft, text: str) -> Posted:
        """Post or edit; the answer is the post itself."""
        data = {**draft.fields["data"], "attributes": {"content": text}}
        try:
            answer = await http.send(
                draft.url,
                json={"data": data},
                method="PATCH" if draft.edits else "POST",
                headers={**self._headers(), **draft.fields["headers"]},
            )
        except NotSentError as error:
            wait_s = error.wait_s or _THROTTLE_S
            raise NotSentError(error.url, cure="flood", wait_s=wait_s) from None
        if answer.status == 403 and not draft.edits:
            number = str(data["relationships"]["discussion"]["data"]["id"])
            page = await self._discussion(http, number)
            raise _no_reply(_attributes(member(page.json(), "data", page.url), page.url), page.url)
        return read_outcome(answer, draft)

    async def _open_session(self, http: Http, account: Account, page: Answer) -> None:
        """Log in as the forum's own page does."""
        form = {"identification": account.username, "password": account.secret, "remember": True}
        url = f"{self._base}/login"
        try:
            answer = await http.send(url, json=form, headers=_csrf(page))
        except UnknownOutcomeError as error:
            # Logging in twice harms nobody.
            raise UnreachableError(url, cure="unreachable", wait_s=error.wait_s) from None
        if answer.status == 401:
            raise ForbiddenError(url, cure="check_password", said=_said(answer))
        _raise_for(answer)

    async def _whose(self, http: Http) -> str:
        """Who the forum takes us for."""
        answer = await http.get(f"{self._base}/api", headers=self._headers())
        _raise_for(answer)
        return _actor(answer)

    async def _discussion(self, http: Http, number: str) -> Answer:
        """The discussion without its posts. Raises ``GoneError``, ``LoggedOutError``."""
        url = f"{self._base}/api/discussions/{number}?include=user"
        answer = await http.get(url, headers=self._headers())
        is_hidden = answer.status in {403, 404} and self._account is not None
        # It says the same to guests about what only members may see.
        if is_hidden and await self._whose(http) == GUEST:
            raise LoggedOutError(url, cure="log_in_again")
        _raise_for(answer)
        return answer

    async def _why_empty(self, http: Http, number: str) -> AdapterError:
        answer = await self._discussion(http, number)
        return changed(answer.url, "data[0]")

    async def _last_page(self, http: Http, first_url: str) -> str:
        """Where the last page begins: the posts around a number that no post has tell it."""
        near = with_page(first_url, 10**9, "page[near]")
        # With an order of its own it refuses to look for what is near.
        near = with_page(near, 0, "sort")
        answer = await http.get(near, headers=self._headers())
        _raise_for(answer)
        data = answer.json()
        links = data.get("links") if isinstance(data, dict) else None
        before = str(links.get("prev") or "") if isinstance(links, dict) else ""
        if not before:
            return ""
        count = page_number(before, _OFFSET, first=0) + _PAGE + len(objects(data, "data", near))
        return with_page(first_url, (count - 1) // _PAGE * _PAGE, _OFFSET, first=0)

    def _headers(self) -> Mapping[str, str]:
        headers = {"accept": "application/vnd.api+json"}
        if self._account is None or not self._account.is_key:
            return headers
        who = f"; userId={self._user_id}" if self._user_id else ""
        return {**headers, "authorization": f"Token {self._account.secret}{who}"}

    def _topic(self, topic: str) -> str:
        return topic_in(topic, _TOPIC, self._base)


def parse_thread(text: str, url: str) -> ThreadPage:
    """Read what ``/api/posts`` answered for one discussion; pure.

    Args:
        text: The answer.
        url: Its address.

    Raises:
        LayoutChangedError: no posts, or one without id, author or words.
        GoneError: a page past the end.
    """
    return _thread_of(Answer(url, 200, text).json(), url, viewer="")


def read_outcome(answer: Answer, draft: Draft) -> Posted:
    """What became of a post, from the answer to it; pure.

    Raises:
        UnknownOutcomeError: an answer that proves nothing.
        LoggedOutError, ForbiddenError, GoneError, RefusedTextError.
    """
    if answer.status not in {200, 201}:
        raise _refusal(answer, draft)
    data = body_of(answer)
    post = data.get("data") if isinstance(data, dict) else None
    post_id = post.get("id") if isinstance(post, dict) else None
    if not isinstance(post_id, str) or not post_id or draft.edits not in {"", post_id}:
        raise UnknownOutcomeError(answer.url, cure="read_back", reason="no_post")
    waits = _attributes(post, answer.url).get("isApproved") is False
    return Posted(post_id, awaits_approval=waits)


@remembered(512)
def words_of(html: str, url: str) -> Words:
    """The author's words, with their smilies as they were typed."""
    words = own_words(soup_of(html, url, whole=False), FLARUM)
    return Words(words.own.translate(_TYPED), words.set_aside)


def _thread_of(data: Any, url: str, *, viewer: str) -> ThreadPage:
    posts = objects(data, "data", url)
    offset = page_number(url, _OFFSET, first=0)
    if not posts:
        raise (
            GoneError(url, cure="check_topic", offset=offset) if offset else changed(url, "data[0]")
        )
    included = data.get("included")
    known = {
        (str(item.get("type")), str(item.get("id"))): item
        for item in (included if isinstance(included, list) else ())
        if isinstance(item, dict)
    }
    counted = [post for post in posts if _counts(post, url)]
    # A page of events alone must not look empty.
    read = tuple(_post(post, known, url, gone=not counted) for post in (counted or posts))
    discussions = [item for (kind, _id), item in known.items() if kind == "discussions"]
    about = _attributes(discussions[0], url) if discussions else {}
    links = data.get("links")
    has_more = isinstance(links, dict) and bool(links.get("next"))
    here = with_page(url, offset, _OFFSET, first=0)
    return ThreadPage(
        url=here,
        posts=read,
        next_url=with_page(url, offset + _PAGE, _OFFSET, first=0) if has_more else "",
        previous_url=with_page(url, max(0, offset - _PAGE), _OFFSET, first=0) if offset else "",
        last_url="" if has_more else here,
        title=str(about.get("title") or ""),
        locked=bool(about["isLocked"]) if "isLocked" in about else None,
        viewer_id=viewer,
        digest=posts_digest(read),
    )


def _post(
    post: Mapping[str, Any], known: Mapping[tuple[str, str], Any], url: str, *, gone: bool
) -> Post:
    post_id, about = string(post, "id", url), _attributes(post, url)
    author = _author(post, url)
    words = Words("", "")
    # What it could not make a page of, it shows to nobody.
    if not gone and not about.get("renderFailed"):
        words = words_of(string(about, "contentHtml", url), url)
    user = known.get(("users", author))
    named = _attributes(user, url) if user is not None else {}
    return Post(
        id=post_id,
        author_id=author,
        author_name=str(named.get("displayName") or named.get("username") or ""),
        own_words=words.own,
        set_aside=words.set_aside,
        posted_at=moment(about.get("createdAt")),
        edited=bool(about.get("editedAt")),
        url=_permalink(url, about.get("number")),
    )


def _author(post: Mapping[str, Any], url: str) -> str:
    """The author's id; an account that was deleted has left none behind."""
    related = member(post, "relationships", url)
    if "user" not in related and "discussion" not in related:
        raise changed(url, "relationships.user")
    user = related.get("user") or {}
    data = user.get("data") if isinstance(user, dict) else None
    if data is None:
        return GUEST
    return string(data if isinstance(data, dict) else {}, "id", url)


def _counts(post: Mapping[str, Any], url: str) -> bool:
    """Whether a post is words, and everybody may read them."""
    about = _attributes(post, url)
    is_words = string(about, "contentType", url) == "comment"
    return is_words and not about.get("isHidden") and about.get("isApproved") is not False


def _attributes(item: object, url: str) -> dict[str, Any]:
    return member(item, "attributes", url)


def _permalink(url: str, number: object) -> str:
    topic = parse_qs(urlsplit(url).query).get("filter[discussion]", [""])[0]
    if not topic or not isinstance(number, int):
        return ""
    return f"{url.partition('/api/')[0]}/d/{topic}/{number}"


def _actor(answer: Answer) -> str:
    """Whom the forum's own page was made for."""
    related = member(answer.json(), "data", answer.url).get("relationships") or {}
    actor = related.get("actor") if isinstance(related, dict) else None
    data = actor.get("data") if isinstance(actor, dict) else None
    found = str(data.get("id") or "") if isinstance(data, dict) else ""
    return found if found not in {"", "0"} else GUEST


def _csrf(answer: Answer) -> dict[str, str]:
    """What a session must send along to be believed."""
    token = answer.headers.get("x-csrf-token", "")
    if not token:
        raise changed(answer.url, "x-csrf-token")
    return {"x-csrf-token": token}


def _no_reply(discussion: Mapping[str, Any], url: str) -> AdapterError:
    if discussion.get("isLocked"):
        return LockedError(url, cure="thread_is_locked")
    return ForbiddenError(url, cure="check_permissions")


def _refusal(answer: Answer, draft: Draft) -> AdapterError:
    said = _said(answer)
    if answer.status == 401 or "csrf_token_mismatch" in said:
        return LoggedOutError(draft.url, cure="log_in_again", said=said)
    if answer.status == 404:
        return GoneError(draft.url, cure="post_is_gone" if draft.edits else "check_topic")
    if answer.status in {400, 413, 422}:
        return RefusedTextError(draft.url, cure="mend_text", said=said)
    return error_for(answer, said)


def _raise_for(answer: Answer) -> None:
    if answer.status != 200:
        raise error_for(answer, _said(answer), logged_out=answer.status == 401)


def _said(answer: Answer) -> str:
    """The codes of what is wrong, and what the forum says about them."""
    data = body_of(answer)
    errors = data.get("errors") if isinstance(data, dict) else None
    rows = [row for row in errors if isinstance(row, dict)] if isinstance(errors, list) else []
    return said_in([row.get(key) for row in rows for key in ("code", "detail")])
