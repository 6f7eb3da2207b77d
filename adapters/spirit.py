"""Spirit 0.14 (django-spirit): Django, Markdown, no signatures.

What is peculiar to it: a topic's address with any other slug leads to the right one but loses its
page; the anchor ``#cN`` is a position while ``data-pk`` is the id; a post with the hash of the
account's last one is swallowed without a word, and the answer is then the last post of the topic,
whoever wrote it; a closed topic answers 404 to whoever wants to reply.
"""

import re
from collections.abc import Collection
from dataclasses import replace
from hashlib import sha256
from typing import ClassVar, Final
from urllib.parse import parse_qs, urljoin, urlsplit, urlunsplit

from bs4 import Tag

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
    BusyError,
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
from adapters.html import (
    apart,
    assure_own,
    assure_whole,
    attribute,
    body_of,
    fields_of,
    line_of,
    need,
    own_words,
    posts_digest,
    remembered,
    sole,
    soup_of,
)
from adapters.letters import by_others, worth_reading
from adapters.markup import SPIRIT

_COMMENT: Final = "div.comments_list__comment[data-pk]"
_NOTE: Final = "div.comments_list__item[data-pk]"  # "X closed this", "X's comment was removed"
_BODY: Final = "div.comment__text"
_HEAD: Final = "div.comment__info"
_USERNAME: Final = "a.comment__info__username__link"
_SHARED: Final = "input.comment__footer__share__url"
# Only a body that has lost its end holds one of these.
_NEVER: Final = f"{_BODY}, {_USERNAME}, div.comment__footer"
_LOGIN_FORM: Final = "form:has(input[name=password])"
_REPLY_FORM: Final = "form:has(textarea[name=comment])"
_LOGIN_PATH: Final = "/user/login/"

_TOPIC: Final = re.compile(r"/topic/(private/)?([0-9]{1,18})/([\w-]+/)?")
_USER: Final = re.compile(r"/user/([0-9]{1,18})/")
_COMMENT_PAGE: Final = re.compile(r"/comment/([0-9]{1,18})/find/")
_PROFILE: Final = re.compile(r'class="menu_list__link"\s+href="[^"]*/user/([0-9]{1,18})/')
# The words of posts can hold quotation marks but no "<", so these can only be the template's own.
_AREA_BEGINS: Final = '<h1 class="headline">'
_AREA_ENDS: Final = '<div class="comments__footer_menu__notify">'
# Changes on every reading: "47s", the number of likes, tokens of scripts and of a poll's form.
_VOLATILE: Final = re.compile(
    r'(<li title="[^"<]*">)[^<]*'
    r'|<ul class="comment__actions">.*?</ul>'
    r"|<script>.*?</script>"
    r'|<input type="hidden" name="csrfmiddlewaretoken"[^>]*>',
    re.DOTALL,
)
# Half an hour by default, and a little less because the clocks differ. Spirit compares with the
# account's latest post only: a post to another topic in between ends the guard.
_TWIN_GUARD_S: Final = 28 * 60.0
_WAIT: Final = re.compile(r"\b([0-9]{1,4})\s?([sm])\b")


class Spirit:
    """A Spirit forum, or any that keeps its templates' classes."""

    platform: ClassVar[str] = "spirit"

    def __init__(
        self, base_url: str, account: Account | None = None, *, max_post_chars: int = 3000
    ) -> None:
        """Remember the site.

        Args:
            base_url: Address of the forum's front page.
            account: Whose posts these will be; without one it reads what guests may read.
            max_post_chars: The site's ``ST_COMMENT_MAX_LEN``, where it is not Spirit's default.
        """
        self._base = base_url.rstrip("/")
        self._account = account
        self.capabilities = Capabilities(
            dialect="markdown",
            edits=True,
            max_post_chars=max_post_chars,
            # Spirit's own style gives cells no space: "Bandido 1" and "12/12" read as one figure.
            tables=False,
            token_lifetime_s=_TWIN_GUARD_S,
            letters=True,
        )

    def thread_url(self, topic: str) -> str:
        """The topic's first page; Spirit itself leads from there to the right slug."""
        private, number, slug = self._topic(topic)
        return f"{self._base}/topic/{private}{number}/{slug if private else ''}"

    async def login(self, http: Http) -> str:
        """Log in; a session that still holds is used as it is."""
        url = f"{self._base}{_LOGIN_PATH}"
        if self._account is None:
            raise ForbiddenError(url, cure="no_account")
        answer = await http.get(url)
        viewer = _viewer(answer.text)
        if viewer:
            return viewer
        form = need(soup_of(answer.text, answer.url), _LOGIN_FORM, answer.url)
        filled = fields_of(form) | {
            "username": self._account.username,
            "password": self._account.secret,
        }
        try:
            answer = await http.send(url, form=filled, headers={"referer": url})
        except UnknownOutcomeError as error:
            # Logging in twice harms nobody.
            raise UnreachableError(url, cure="unreachable", wait_s=error.wait_s) from None
        viewer = _viewer(answer.text)
        if viewer:
            return viewer
        if answer.status == 403:
            # The token is bound to a cookie that we don't have (yet).
            raise UnreachableError(url, cure="load_form_again", status=answer.status)
        soup = soup_of(answer.text, answer.url)
        refusal = _refusal(soup)
        if refusal:
            raise ForbiddenError(url, cure="check_password", said=refusal)
        wait_s = _wait_asked(soup)
        if wait_s is not None:
            raise BusyError(url, cure="too_many_requests", wait_s=wait_s)
        raise LayoutChangedError(url, cure="send_page_to_maintainers", missing=".menu_list__link")

    async def fetch(self, http: Http, url: str, *, conditional: bool = False) -> ThreadPage | None:
        """Read one page of a topic."""
        answer = await http.get(url, conditional=conditional)
        if answer.unchanged:
            return None
        asked, given = _page_number(url), _page_number(answer.url)
        if answer.status == 200 and asked != given and _TOPIC.search(urlsplit(answer.url).path):
            # The topic has another slug now, and the redirect has dropped the page.
            answer = await http.get(_page_url(answer.url, asked))
        try:
            _raise_for(answer)
            page = parse_thread(answer.text, answer.url)
        except LoggedOutError:
            if self._account is None:
                raise ForbiddenError(url, cure="no_account") from None
            raise
        if self._account is not None and page.viewer_id == GUEST:
            raise LoggedOutError(url, cure="log_in_again")
        return page

    async def draft(self, http: Http, topic: str, *, edits: str = "") -> Draft:
        """Load the reply form, or the form that edits a comment."""
        url = self._edit_url(edits) if edits else self._reply_url(topic)
        if self._account is None:
            raise ForbiddenError(url, cure="no_account")
        answer = await http.get(url)
        if answer.status == 404:
            raise await self._why_not(http, topic, edits)
        _raise_for(answer)
        form = need(soup_of(answer.text, answer.url), _REPLY_FORM, answer.url)
        fields = fields_of(form)
        del fields["comment"]
        if not edits:
            # Spirit refuses a second post with the hash of the account's last one. Django draws
            # the token anew for each form, so its hash is ours alone.
            token = f"{fields.get('csrfmiddlewaretoken', '')}{url}"
            fields["comment_hash"] = sha256(token.encode()).hexdigest()[:32]
        return Draft(url=url, fields=fields, made_at=http.now(), edits=edits)

    async def send(self, http: Http, draft: Draft, text: str) -> Posted:
        """Post or edit; the proof is the comment itself, read back by its id."""
        try:
            answer = await http.send(
                draft.url, form={**draft.fields, "comment": text}, headers={"referer": draft.url}
            )
        except UnknownOutcomeError as error:
            # The redirect names a comment; its page was lost, but it can be asked for.
            named = _COMMENT_PAGE.search(urlsplit(error.url).path)
            posted = await self._proved(http, (named[1],) if named else (), draft, text)
            if posted is None:
                raise
            return posted
        if answer.status == 404:
            topic = urlsplit(draft.url).path.rstrip("/").split("/")[-2]
            raise await self._why_not(http, topic, draft.edits)
        if answer.status == 403 and "CSRF" in answer.text:
            raise NotSentError(draft.url, cure="load_form_again")
        _raise_for(answer)
        if urlsplit(answer.url).path == urlsplit(draft.url).path:
            _raise_refusal(answer)
        posted = await self._proved(http, _landed(answer), draft, text)
        if posted is None:
            raise UnknownOutcomeError(answer.url, cure="read_back", reason="own_post_not_found")
        return posted

    async def _proved(
        self, http: Http, candidates: tuple[str, ...], draft: Draft, text: str
    ) -> Posted | None:
        """The candidate that is what was sent; None when none of them is."""
        for pk in candidates:
            is_it = pk == draft.edits if draft.edits else await self._says(http, pk, text)
            if is_it:
                return Posted(pk, url=f"{self._base}/comment/{pk}/find/")
        return None

    async def _says(self, http: Http, comment: str, text: str) -> bool:
        """Whether the comment is ours and its source is this text.

        The page that Spirit leads to shows the topic's last comment if it has swallowed the post,
        and the twin that it swallowed this one for may not have been saved yet.
        """
        url = self._edit_url(comment)
        try:
            answer = await http.get(url)
        except AdapterError as error:
            raise UnknownOutcomeError(url, cure="read_back", reason=error.cure) from None
        if answer.status != 200:
            return False
        form = soup_of(answer.text, url).select_one(_REPLY_FORM)
        source = fields_of(form).get("comment", "") if form is not None else ""
        return source.split() == text.split()

    async def _why_not(self, http: Http, topic: str, edits: str) -> AdapterError:
        """Why a form is not there: Spirit says 404 for closed, removed and forbidden alike."""
        if edits:
            return GoneError(self._edit_url(edits), cure="post_is_gone")
        url = self.thread_url(topic)
        answer = await http.get(url)
        if answer.status == 404:
            return GoneError(url, cure="check_topic")
        _raise_for(answer)
        return LockedError(answer.url, cure="thread_is_locked")

    async def letters(self, http: Http, writers: Collection[str]) -> tuple[Letter, ...]:
        """What others have written of late in private topics that the account takes part in."""
        url = f"{self._base}/topic/private/"
        answer = await http.get(url)
        _raise_for(answer)
        found: list[ThreadPage] = []
        # The list does not say whose they are.
        links = [
            (urljoin(url, attribute(link, "href")), ())
            for link in soup_of(answer.text, url).select("a.topic__link")
        ]
        for address in worth_reading(links, writers):
            page = await self.fetch(http, address)
            if page is not None and page.last_url not in {"", page.url}:
                page = await self.fetch(http, page.last_url)
            found += [page] if page is not None else []
        return by_others(found)

    def _reply_url(self, topic: str) -> str:
        return f"{self._base}/comment/{self._topic(topic)[1]}/publish/"

    def _edit_url(self, comment: str) -> str:
        return f"{self._base}/comment/{comment}/update/"

    def _topic(self, topic: str) -> tuple[str, str, str]:
        """A topic's ``private/`` prefix, number and slug, from an id or any address of it."""
        found = _TOPIC.search(f"/topic/{topic}/" if topic.isascii() and topic.isdigit() else topic)
        same_site = urlsplit(topic).netloc in {"", urlsplit(self._base).netloc}
        if found is None or not same_site:
            raise GoneError(topic, cure="mend_address")
        return found[1] or "", found[2], found[3] or ""


def parse_thread(text: str, url: str) -> ThreadPage:
    """Read a page of a topic; pure.

    Args:
        text: What Spirit answered.
        url: Its final address.

    Raises:
        LoggedOutError: a login form instead of a thread.
        LayoutChangedError: no thread, or comments without id, author or words.
        BusyError: cut short.
    """
    assure_whole(text, url)
    begin, end = text.find(_AREA_BEGINS), text.rfind(_AREA_ENDS)
    if not 0 <= begin < end:
        if soup_of(text, url).select_one(_LOGIN_FORM):
            raise LoggedOutError(url, cure="log_in_again")
        raise LayoutChangedError(url, cure="send_page_to_maintainers", missing=_AREA_BEGINS)
    viewer = _viewer(text[:begin]) or GUEST
    return _thread_of(_VOLATILE.sub(r"\1", text[begin:end]), _page_url(url, 1), viewer)


@remembered(64)
def _thread_of(area: str, topic_url: str, viewer: str) -> ThreadPage:
    """Read the post area of a page.

    Most polls bring no news, and Spirit has no validators to ask for less: an area read before is
    not read again.
    """
    soup = soup_of(area, topic_url, whole=False)
    headline = need(soup, "h1.headline", topic_url)
    locked = headline.select_one("i.fa-lock") is not None
    for tool in headline.select("a"):
        tool.decompose()
    posts = tuple(
        _post(node, topic_url) for node in apart(soup.select(_COMMENT), _COMMENT, topic_url)
    )
    if not posts:
        # The last page of a closed topic may hold nothing but the note that it was closed.
        posts = tuple(_note(node, topic_url) for node in soup.select(_NOTE))
    if not posts:
        raise LayoutChangedError(topic_url, cure="send_page_to_maintainers", missing=_COMMENT)
    number, last = _paging(soup, topic_url)
    return ThreadPage(
        url=_page_url(topic_url, number),
        posts=posts,
        next_url=_page_url(topic_url, number + 1) if number < last else "",
        previous_url=_page_url(topic_url, number - 1) if number > 1 else "",
        last_url=_page_url(topic_url, last),
        title=line_of(headline),
        locked=locked,
        viewer_id=viewer,
        digest=posts_digest(posts),
    )


def _post(node: Tag, url: str) -> Post:
    body = body_of(node, _BODY, url, never=_NEVER)
    sole(node, _HEAD, url)
    words = own_words(body, SPIRIT)
    stub = _stub(node, sole(node, _USERNAME, url), url)
    shared = _COMMENT_PAGE.search(attribute(sole(node, _SHARED, url), "value"))
    assure_own(stub.id, [shared[1]] if shared is not None else [], url)
    return replace(
        stub,
        own_words=words.own,
        set_aside=words.set_aside,
        edited=node.select_one('.comment__info a[href*="/comment/history/"]') is not None,
    )


def _note(node: Tag, url: str) -> Post:
    """A note of moderation as a post without words, by whoever it names."""
    return _stub(node, need(node, 'a[href*="/user/"]', url), url)


def _stub(node: Tag, link: Tag, url: str) -> Post:
    """What comments and notes have in common: the id, who, and where."""
    pk, author = attribute(node, "data-pk"), _USER.search(attribute(link, "href"))
    if author is None or not pk.isdigit():
        raise LayoutChangedError(url, cure="send_page_to_maintainers", missing=_USERNAME)
    return Post(
        id=pk,
        author_id=author[1],
        author_name=line_of(link),
        own_words="",
        # The date is written in the account's own zone and language: nothing for certain.
        posted_at=None,
        url=urljoin(url, f"{_prefix(url)}/comment/{pk}/find/"),
    )


def _paging(soup: Tag, url: str) -> tuple[int, int]:
    """Number of this page and of the last, from "Page 1 of 2" in whatever language."""
    selector = "ul.paginator li.paginator__pages"
    numbers = re.findall(r"[0-9]{1,9}", line_of(need(soup, selector, url)))
    if len(numbers) != 2:
        raise LayoutChangedError(url, cure="send_page_to_maintainers", missing=selector)
    return int(numbers[0]), int(numbers[1])


def _landed(answer: Answer) -> tuple[str, ...]:
    """Ids of own comments on the page that a post led to, the likeliest first."""
    soup = soup_of(answer.text, answer.url)
    viewer = _viewer(answer.text)
    anchor = urlsplit(answer.url).fragment
    own = [
        (attribute(node, "id") == anchor, int(attribute(node, "data-pk")))
        for node in soup.select(_COMMENT)
        if viewer and _author_id(node) == viewer
    ]
    # The anchor is a position, so it may name a neighbour by now; after it the newest come first.
    return tuple(str(pk) for _anchored, pk in sorted(own, reverse=True)[:3])


def _author_id(node: Tag) -> str:
    link = node.select_one(_USERNAME)
    found = _USER.search(attribute(link, "href")) if link is not None else None
    return found[1] if found else ""


def _viewer(text: str) -> str:
    """User id of the account that a page was made for; empty for guests."""
    # Only the template writes "<", so no player's words can end the header.
    found = _PROFILE.search(text.partition("</header>")[0])
    return found[1] if found else ""


def _raise_for(answer: Answer) -> None:
    """Raise what an answer means that is no page of a topic."""
    if urlsplit(answer.url).path.endswith(_LOGIN_PATH):
        raise LoggedOutError(answer.url, cure="log_in_again")
    match answer.status:
        case 200:
            return
        case 404 | 410:
            raise GoneError(answer.url, cure="check_topic", status=answer.status)
        case 401 | 403:
            raise ForbiddenError(answer.url, cure="check_permissions", status=answer.status)
    raise LayoutChangedError(
        answer.url, cure="send_page_to_maintainers", missing="200", status=answer.status
    )


def _raise_refusal(answer: Answer) -> None:
    """Raise why Spirit has given the form back instead of posting it."""
    soup = soup_of(answer.text, answer.url)
    refusal = _refusal(soup)
    if refusal:
        raise RefusedTextError(answer.url, cure="mend_text", said=refusal)
    wait_s = _wait_asked(soup)
    if wait_s is not None:
        raise NotSentError(answer.url, cure="flood", wait_s=wait_s)
    raise UnknownOutcomeError(answer.url, cure="read_back", reason="form_came_back")


def _refusal(soup: Tag) -> str:
    """What Django says is wrong with a form; empty when nothing is."""
    errors = soup.select_one("ul.errorlist")
    return line_of(errors)[:200] if errors is not None else ""


def _wait_asked(soup: Tag) -> float | None:
    """Seconds to wait where a message over the page asks for patience ("wait 10s")."""
    for message in soup.select(".messages_error .message_text"):
        found = _WAIT.search(line_of(message))
        if found:
            return float(found[1]) * (60 if found[2] == "m" else 1)
    return None


def _page_number(url: str) -> int:
    value = parse_qs(urlsplit(url).query).get("page", ["1"])[0]
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 1


def _page_url(url: str, number: int) -> str:
    parts = urlsplit(url)
    return urlunsplit((*parts[:3], f"page={number}" if number > 1 else "", ""))


def _prefix(url: str) -> str:
    """Path under which the forum lies, from the address of one of its topics."""
    return urlsplit(url).path.partition("/topic/")[0]
