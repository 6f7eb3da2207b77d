"""Misago 0.39: JSON behind a session and Django's token, Markdown with some BBCode.

What is peculiar to it: a page of posts repeats the last post of the page before; the page for
people holds the same JSON as the interface for programs, and it alone tells the form's token and
whose view it is; every refusal of a post is a 403 with a sentence in the board's language, so the
thread itself is asked for the reason; and a mention of somebody who is not there, in a post that
also mentions somebody who is, makes Misago repeat the words before it.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any, ClassVar, Final
from urllib.parse import urljoin, urlsplit, urlunsplit

from adapters.base import (
    GUEST,
    STRICT_JSON,
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
    LayoutChangedError,
    LockedError,
    LoggedOutError,
    NotSentError,
    RefusedTextError,
    UnknownOutcomeError,
    UnreachableError,
)
from adapters.html import Words, assure_whole, own_words, posts_digest, remembered, soup_of
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
    with_page,
)
from adapters.letters import by_others, worth_reading
from adapters.markup import MISAGO

_TOKEN: Final = "csrfmiddlewaretoken"  # noqa: S105 # the name of a field

# Addresses for people and for programs; those of private threads have a letter of their own.
_TOPIC: Final = re.compile(
    r"/(?:(?P<letter>[tp])/[\w-]+|api/(?P<kind>private-threads|threads))/(?P<id>[0-9]{1,18})"
    r"(?=[/?#]|$)"
)
_KINDS: Final = {"t": "threads", "p": "private-threads"}
# In posts and in the JSON itself Misago escapes "<", so no player's words can look like these.
_CONTEXT: Final = re.compile(r"<script[^>]{0,100}>\s*misago\.init\(")
_FIELD: Final = re.compile(rf'name="{_TOKEN}" value="([A-Za-z0-9]{{20,100}})"')
# The token stands on every page; this one is small and shows nobody's posts.
_SMALL_PAGE: Final = "/options/"

_NO_TOKEN: Final = "CSRF Failed"  # noqa: S105 # what Django says, in no language but this
# The Spanish boards say it in English too.
_WAITS: Final = (
    (re.compile(r"\bso quickly\b", re.IGNORECASE), 3.0),
    (re.compile(r"\bhourly post limit\b", re.IGNORECASE), 15 * 60.0),
    (re.compile(r"\bdaily post limit\b", re.IGNORECASE), 2 * 60 * 60.0),
)
_MENTION: Final = re.compile(r"@[0-9a-z_]+", re.IGNORECASE)
_MENTIONED: Final = 'data-quote="@'  # of a link to somebody who is there
_ELEMENT: Final = re.compile(r"(<[^>]*>)")
# Where Misago looks for no mentions, and a quotation's heading, where other words may stand before
# the name.
_UNSEARCHED: Final = re.compile(r"<(?:(a|code|pre)\b|(div)\b[^>]*\bdata-noquote\b)")


class Misago:
    """A Misago forum."""

    platform: ClassVar[str] = "misago"

    def __init__(
        self, base_url: str, account: Account | None = None, *, max_post_chars: int = 60_000
    ) -> None:
        """Remember the site.

        Args:
            base_url: Address of the forum's front page.
            account: Whose posts these will be; without one it reads what guests may read.
            max_post_chars: The site's longest post, where it is not Misago's default.
        """
        self._base = base_url.rstrip("/")
        self._account = account
        # The account's id never changes; the JSON of a thread does not tell it.
        self._own_id = "" if account is not None else GUEST
        self.capabilities = Capabilities(
            dialect="markdown",
            edits=True,
            max_post_chars=max_post_chars,
            spoilers="spoiler",
            # Its Markdown knows no tables.
            tables=False,
            letters=True,
        )

    def thread_url(self, topic: str) -> str:
        """The thread's first page as JSON, from its id or any address of it."""
        kind, number = self._topic(topic)
        return f"{self._base}/api/{kind}/{number}/posts/"

    def page_for_people(self, topic: str) -> str:
        """The thread as a browser shows it; its slug may be any."""
        kind, number = self._topic(topic)
        return f"{self._base}/t/x/{number}/" if kind == _KINDS["t"] else f"{self._base}/"

    async def login(self, http: Http) -> str:
        """Log in; a session that still holds is used as it is."""
        if self._account is None:
            raise ForbiddenError(self._base, cure="no_account")
        token, viewer = await self._look(http)
        if viewer == GUEST:
            viewer = await self._sign_in(http, self._account, token)
        self._own_id = viewer
        return viewer

    async def fetch(self, http: Http, url: str, *, conditional: bool = False) -> ThreadPage | None:
        """Read one page of a thread: its JSON, or the page for people."""
        answer = await http.get(url, headers=_json_wanted(url), conditional=conditional)
        if answer.unchanged:
            return None
        if answer.status in {403, 404} and await self._is_out(http):
            raise LoggedOutError(url, cure="log_in_again")
        _raise_for(answer)
        data, viewer = _read(answer.text, answer.url)
        if not viewer and self._own_id and (self._account is None or _is_members(data)):
            viewer = self._own_id
        if viewer == GUEST or not viewer:
            if await self._is_out(http):
                raise LoggedOutError(url, cure="log_in_again")
            viewer = self._own_id
        return _thread_of(data, answer.url, viewer)

    async def draft(self, http: Http, topic: str, *, edits: str = "") -> Draft:
        """See that the thread takes replies, or that the post can be edited, and get a token."""
        posts = self.thread_url(topic)
        if self._account is None:
            raise ForbiddenError(posts, cure="no_account")
        token, viewer = await self._look(http)
        if viewer == GUEST:
            raise LoggedOutError(posts, cure="log_in_again")
        url = f"{posts}{edits}/" if edits else posts
        editor = f"{url}post_editor/" if edits else f"{url}reply_editor/"
        answer = await http.get(editor, headers=_json_wanted(editor))
        if answer.status in {403, 404, 410}:
            raise await self._why_not(http, answer, url, edits)
        _raise_for(answer)
        return Draft(url=url, fields={_TOKEN: token}, made_at=http.now(), edits=edits)

    async def send(self, http: Http, draft: Draft, text: str) -> Posted:
        """Post or edit; the answer is the post itself."""
        headers = {**_json_wanted(draft.url), "x-csrftoken": str(draft.fields[_TOKEN])}
        answer = await http.send(
            draft.url,
            json={"post": text},
            method="PUT" if draft.edits else "POST",
            # Over TLS, Django wants to know where a form came from.
            headers={**headers, "referer": draft.url},
        )
        if answer.status in {400, 413}:
            raise RefusedTextError(draft.url, cure="mend_text", said=_said(answer))
        if answer.status in {403, 404, 410}:
            raise await self._why_not(http, answer, draft.url, draft.edits)
        _raise_for(answer)
        return read_outcome(answer, draft)

    async def letters(self, http: Http, writers: Collection[str]) -> tuple[Letter, ...]:
        """What others have written of late in private threads that the account takes part in."""
        url = f"{self._base}/api/private-threads/"
        answer = await http.get(url, headers=_json_wanted(url))
        if answer.status in {403, 404} and await self._is_out(http):
            raise LoggedOutError(url, cure="log_in_again")
        _raise_for(answer)
        found: list[ThreadPage] = []
        threads = objects(_object(answer), "results", url)
        for thread in worth_reading([(one, _people(one)) for one in threads], writers):
            first = self.thread_url(f"/api/private-threads/{integer(thread, 'id', url)}/")
            page = await self.fetch(http, with_page(first, integer(thread, "pages", url)))
            found += [page] if page is not None else []
        return by_others(found)

    async def _look(self, http: Http) -> tuple[str, str]:
        """A form's token, and whom the forum takes us for."""
        answer = await http.get(f"{self._base}{_SMALL_PAGE}")
        context = _context_of(answer.text, answer.url)
        token = _FIELD.search(answer.text)
        if token is None:
            raise changed(answer.url, _TOKEN)
        return token[1], _viewer(context, answer.url)

    async def _sign_in(self, http: Http, account: Account, token: str) -> str:
        url = f"{self._base}/api/auth/"
        try:
            answer = await http.send(
                url,
                json={"username": account.username, "password": account.secret},
                headers={**_json_wanted(url), "x-csrftoken": token, "referer": url},
            )
        except UnknownOutcomeError as error:
            # Logging in twice harms nobody.
            raise UnreachableError(url, cure="unreachable", wait_s=error.wait_s) from None
        said = _said(answer)
        if answer.status == 400:
            raise ForbiddenError(url, cure="check_password", said=said)
        if answer.status == 403 and said.startswith(_NO_TOKEN):
            raise UnreachableError(url, cure="load_form_again", status=answer.status)
        _raise_for(answer)
        return str(integer(_object(answer), "id", answer.url))

    async def _is_out(self, http: Http) -> bool:
        """Whether the forum takes us for a guest though we have an account."""
        if self._account is None:
            return False
        url = f"{self._base}/api/auth/"
        answer = await http.get(url, headers=_json_wanted(url))
        _raise_for(answer)
        user = _object(answer)
        if "id" in user and user["id"] is None:
            return True
        self._own_id = str(integer(user, "id", answer.url))
        return False

    async def _why_not(self, http: Http, refused: Answer, url: str, edits: str) -> AdapterError:
        """Why a post or an edit was refused; the thread knows it in no language."""
        said = _said(refused)
        if said.startswith(_NO_TOKEN):
            return NotSentError(refused.url, cure="load_form_again", said=said)
        if await self._is_out(http):
            return LoggedOutError(refused.url, cure="log_in_again")
        thread = url.partition("/posts/")[0] + "/"
        answer = await http.get(thread, headers=_json_wanted(thread))
        _raise_for(answer)
        if refused.status != 403:
            return GoneError(refused.url, cure="post_is_gone" if edits else "check_topic")
        data = _object(answer)
        may_reply = member(data, "acl", answer.url).get("can_reply")
        if _is_locked(data) and not may_reply:
            return LockedError(thread, cure="thread_is_locked", said=said)
        if may_reply and not edits:
            wait_s = next((wait for sentence, wait in _WAITS if sentence.search(said)), None)
            return NotSentError(refused.url, cure="flood", wait_s=wait_s, said=said)
        return ForbiddenError(refused.url, cure="check_permissions", said=said)

    def _topic(self, topic: str) -> tuple[str, str]:
        """Whether a thread is a private one, and its number."""
        if topic.isascii() and topic.isdecimal():
            return _KINDS["t"], topic
        found = _TOPIC.search(topic)
        same_site = urlsplit(topic).netloc in {"", urlsplit(self._base).netloc}
        if found is None or not same_site:
            raise GoneError(topic, cure="mend_address")
        return found["kind"] or _KINDS[found["letter"]], found["id"]


def parse_thread(text: str, url: str) -> ThreadPage:
    """Read a page of a thread, be it the interface's JSON or the page for people; pure.

    Args:
        text: What Misago answered.
        url: Its final address.

    Raises:
        LayoutChangedError: no thread, no posts, or one without id, author or words.
        BusyError: cut short.
    """
    data, viewer = _read(text, url)
    return _thread_of(data, url, viewer)


def read_outcome(answer: Answer, draft: Draft) -> Posted:
    """What became of a post, from the answer to it; pure.

    Raises:
        UnknownOutcomeError: an answer that proves nothing.
    """
    try:
        post = _object(answer)
        post_id = str(integer(post, "id", answer.url))
    except LayoutChangedError as error:
        reason = str(error.facts["missing"])
        raise UnknownOutcomeError(answer.url, cure="read_back", reason=reason) from None
    if draft.edits not in {"", post_id}:
        raise UnknownOutcomeError(answer.url, cure="read_back", reason="another_post")
    return Posted(
        post_id, url=_address(post, answer.url), awaits_approval=post.get("is_unapproved") is True
    )


@remembered(512)
def words_of(content: str, url: str) -> Words:
    """The author's words in the HTML of a post.

    Most polls bring posts that were there before, so those are not read again.
    """
    return own_words(soup_of(_once(content), url, whole=False), MISAGO)


def _once(content: str) -> str:
    """The HTML of a post without the words that Misago has written twice.

    In a post that mentions somebody who is there, ``words @nobody`` becomes ``words words
    @nobody``, always and letter by letter. Where any such words stand once, the board is one
    without that fault, and all stay as they are.
    """
    if _MENTIONED not in content:
        return content
    pieces = _ELEMENT.split(content)
    outer = ""
    for place, piece in enumerate(pieces):
        if place % 2:
            # Misago writes every element whole, and none of these within another of its kind.
            name = _UNSEARCHED.match(piece)
            if name is not None and not outer:
                outer = name[1] or name[2]
            elif outer and piece == f"</{outer}>":
                outer = ""
        elif not outer and "@" in piece:
            mended = _halved(piece)
            if mended is None:
                return content
            pieces[place] = mended
    return "".join(pieces)


def _halved(text: str) -> str | None:
    """Text with half of what stands before each mention; None where that is no repetition."""
    pieces, position = [], 0
    for found in _MENTION.finditer(text):
        before = text[position : found.start()]
        half = len(before) // 2
        if before != before[:half] * 2:
            return None
        pieces += [before[:half], found[0]]
        position = found.end()
    return "".join(pieces) + text[position:]


def _read(text: str, url: str) -> tuple[Mapping[str, Any], str]:
    """Thread and posts, and who the page was made for where it tells it."""
    if text.lstrip()[:1] == "{":
        return _object(Answer(url, 200, text)), ""
    context = _context_of(text, url)
    # Pages that hold no thread have a context as well.
    thread, posts = member(context, "THREAD", url), member(context, "POSTS", url)
    return {**thread, "post_set": posts}, _viewer(context, url)


def _context_of(text: str, url: str) -> Mapping[str, Any]:
    """What Misago hands to its own scripts in a page."""
    assure_whole(text, url)
    found = _CONTEXT.search(text)
    try:
        context, _end = STRICT_JSON.raw_decode(text, found.end() if found else len(text))
    except (ValueError, RecursionError):
        raise changed(url, "misago.init") from None
    if not isinstance(context, dict):
        raise changed(url, "misago.init")
    return context


def _viewer(context: Mapping[str, Any], url: str) -> str:
    if context.get("isAuthenticated") is not True:
        return GUEST
    return str(integer(member(context, "user", url), "id", url))


def _thread_of(data: Mapping[str, Any], url: str, viewer: str) -> ThreadPage:
    api = member(member(data, "api", url), "posts", url)
    first = urljoin(url, string(api, "index", url))
    page = member(data, "post_set", url)
    number, last = integer(page, "page", url), integer(page, "pages", url)
    posts = [post for post in objects(page, "results", url) if post.get("is_event") is not True]
    if number > 1 and len(posts) > 1:
        # The page before ends with it.
        del posts[0]
    if not posts:
        raise changed(url, "results")
    counted = [post for post in posts if _counts(post, viewer)]
    # A page of hidden posts alone must not look empty.
    read = tuple(_post(post, url, hidden=not counted) for post in (counted or posts))
    return ThreadPage(
        url=with_page(first, number),
        posts=read,
        next_url=with_page(first, number + 1) if number < last else "",
        previous_url=with_page(first, number - 1) if number > 1 else "",
        last_url=with_page(first, last),
        title=str(data.get("title") or ""),
        locked=_is_locked(data),
        viewer_id=viewer,
        digest=posts_digest(read),
    )


def _post(post: Mapping[str, Any], url: str, *, hidden: bool) -> Post:
    post_id, edits = integer(post, "id", url), post.get("edits")
    for needed in ("poster", "content"):
        if needed not in post:
            raise changed(url, needed)
    content = post["content"]
    words = Words("", "")
    # Misago shows no content of a post whose stored text was tampered with.
    if isinstance(content, str) and not hidden:
        words = words_of(content, urlunsplit((*urlsplit(url)[:3], "", "")))
    return Post(
        id=str(post_id),
        # Whoever has deleted the account is nobody any more.
        author_id=GUEST if post["poster"] is None else _poster_id(post, url),
        author_name=str(post.get("poster_name") or ""),
        own_words=words.own,
        set_aside=words.set_aside,
        posted_at=moment(post.get("posted_on")),
        edited=edits > 0 if isinstance(edits, int) else None,
        url=_address(post, url),
    )


def _poster_id(post: Mapping[str, Any], url: str) -> str:
    return str(integer(member(post, "poster", url), "id", url))


def _counts(post: Mapping[str, Any], viewer: str) -> bool:
    """Whether a post stands for everybody, or at least waits for approval and is the viewer's."""
    if post.get("is_hidden") is True:
        return False
    poster = post.get("poster")
    own = isinstance(poster, dict) and str(poster.get("id")) == viewer
    return post.get("is_unapproved") is not True or own


def _is_members(data: Mapping[str, Any]) -> bool:
    """Whether a thread was shown to a member: these are things that no guest may do.

    A member may be allowed none of them; only "yes" is certain.
    """
    acl = data.get("acl")
    rights = ("can_reply", "can_unhide", "can_unmark_best_answer")
    return isinstance(acl, dict) and any(acl.get(right) is True for right in rights)


def _people(thread: Mapping[str, Any]) -> set[str]:
    """Whom a list of threads names with one of them."""
    named = (thread.get("starter"), thread.get("last_poster"))
    return {str(user.get("id")) for user in named if isinstance(user, dict)}


def _is_locked(data: Mapping[str, Any]) -> bool:
    category = data.get("category")
    closed = isinstance(category, dict) and category.get("is_closed") is True
    return closed or data.get("is_closed") is True


def _address(post: Mapping[str, Any], url: str) -> str:
    """Where people find a post."""
    addresses = post.get("url")
    index = addresses.get("index") if isinstance(addresses, dict) else None
    return urljoin(url, index) if isinstance(index, str) else ""


def _object(answer: Answer) -> Mapping[str, Any]:
    data = answer.json()
    if not isinstance(data, dict):
        raise changed(answer.url, "json")
    return data


def _raise_for(answer: Answer) -> None:
    """Raise what a status means, once the ways that only posts go are ruled out."""
    if answer.status != 200:
        raise error_for(answer, _said(answer))


def _said(answer: Answer) -> str:
    """What the forum says is wrong, in its own language."""
    data = body_of(answer)
    if not isinstance(data, dict):
        return ""
    said = data.get("detail", data.get("post", ""))
    return said_in(said if isinstance(said, list) else [said])


def _json_wanted(url: str) -> Mapping[str, str]:
    """Headers of the interface for programs; a page for people is asked for as browsers do."""
    return {"accept": "application/json"} if "/api/" in urlsplit(url).path else {}
