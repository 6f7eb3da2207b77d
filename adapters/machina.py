"""django-machina 1.3: Django, Markdown, signatures, no login page of its own.

What is peculiar to it: a topic is found by its number whatever the rest of its address says, but
forms judge permissions by the forum that the address names, so the true address is taken from the
topic's own page; a locked topic and a forum where one may not reply look alike (no button, 403);
``?post=N`` leads to the page of a post, and to the one after it where posts await approval; nothing
guards against floods or twins, and no date is written for machines.
"""

import re
from typing import ClassVar, Final, NoReturn
from urllib.parse import parse_qs, urljoin, urlsplit, urlunsplit

from bs4 import Tag

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
from adapters.markup import MACHINA

_POST: Final = "div.post[id]"
_BODY: Final = ".post-content"
# A guest's name is followed by a muted one that says so.
_AUTHOR: Final = ".post-sidebar .username:not(.text-muted)"
# Only a body that has lost its end holds one of these.
_NEVER: Final = f"{_BODY}, {_AUTHOR}, div.post-signature"
_PERMALINK: Final = '.subject a[href*="?post="]'
_ACTIONS: Final = "topic-actions-block"  # on the pages of a topic, not over its forms
_REPLY: Final = 'a[href$="/post/create/"]'
_OWN: Final = '.controls-link-wrapper a[href*="/member/profile/"]'
_LOGIN_FORM: Final = "form:has(input[type=password])"
_NAME: Final = "input[type=text], input[type=email], input:not([type])"
_WORD: Final = "input[type=password]"
_POST_FORM: Final = "form:has(textarea[name=content])"
_REFUSAL: Final = ".error, .errorlist"
_REFUSALS: Final = f"{_POST_FORM} :is({_REFUSAL})"
_MEMBERS_ONLY: Final = "/member/subscriptions/"

_PK: Final = re.compile(r"[0-9]{1,18}")
_TOPIC: Final = re.compile(r"/forum/[^/]+-[0-9]{1,18}/topic/[^/]+-[0-9]{1,18}/")
_USER: Final = re.compile(r"/member/profile/([\w-]{1,64})/")
_TOKEN: Final = re.compile(r'<input type="hidden" name="csrfmiddlewaretoken"[^>]*>')


class Machina:
    """A site built on django-machina that keeps its templates' classes."""

    platform: ClassVar[str] = "machina"

    def __init__(
        self, base_url: str, account: Account | None = None, *, max_post_chars: int = 60_000
    ) -> None:
        """Remember the site.

        Args:
            base_url: Address of the forum's front page, with the path that the site gave it.
            account: Whose posts these will be; without one it reads what guests may read.
            max_post_chars: The site's ``MACHINA_POST_CONTENT_MAX_LENGTH``; none by default, so
                this keeps posts within what people read.
        """
        self._base = base_url.rstrip("/")
        self._account = account
        self.capabilities = Capabilities(
            dialect="markdown",
            edits=True,
            max_post_chars=max_post_chars,
            # Its renderer knows neither: pipes would stay, and fenced lines run together.
            tables=False,
            fences=False,
        )

    def thread_url(self, topic: str) -> str:
        """The topic's first page; machina looks at the last number only."""
        if topic.isascii() and topic.isdigit() and len(topic) <= 18:
            return f"{self._base}/forum/f-1/topic/t-{topic}/"
        parts = urlsplit(topic)
        path = _TOPIC.search(parts.path)
        if path is None or parts.netloc not in {"", urlsplit(self._base).netloc}:
            raise GoneError(topic, cure="mend_address")
        return f"{self._base}{path[0]}"

    async def login(self, http: Http) -> str:
        """Log in; a session that still holds is used as it is.

        Where the login page is, only the site knows: a page for members leads there, and back.
        """
        url = f"{self._base}{_MEMBERS_ONLY}"
        if self._account is None:
            raise ForbiddenError(url, cure="no_account")
        answer = await http.get(url)
        if answer.status == 404:
            raise GoneError(url, cure="mend_address", status=answer.status)
        # The login page is the site's own, so nothing is asked of it but its form.
        soup = soup_of(answer.text, answer.url, whole=False)
        viewer = _viewer(soup)
        if viewer:
            return viewer
        form = need(soup, _LOGIN_FORM, answer.url)
        filled = fields_of(form) | {
            attribute(need(form, _NAME, answer.url), "name"): self._account.username,
            attribute(need(form, _WORD, answer.url), "name"): self._account.secret,
        }
        target = urljoin(answer.url, attribute(form, "action"))
        try:
            answer = await http.send(target, form=filled, headers={"referer": answer.url})
        except UnknownOutcomeError as error:
            # Logging in twice harms nobody.
            raise UnreachableError(url, cure="unreachable", wait_s=error.wait_s) from None
        if answer.status == 403:
            # The token is bound to a cookie that we don't have (yet).
            raise UnreachableError(url, cure="load_form_again", status=answer.status)
        soup = soup_of(answer.text, answer.url, whole=False)
        viewer = _viewer(soup)
        if viewer:
            return viewer
        if soup.select_one(_LOGIN_FORM):
            said = " ".join(line_of(node) for node in soup.select(_REFUSAL))
            raise ForbiddenError(answer.url, cure="check_password", said=said[:200])
        # The login page leads to a page of its own choice instead of the one that was asked for.
        answer = await http.get(url)
        viewer = _viewer(soup_of(answer.text, answer.url, whole=False))
        if not viewer:
            raise LayoutChangedError(url, cure="send_page_to_maintainers", missing=_OWN)
        return viewer

    async def fetch(self, http: Http, url: str, *, conditional: bool = False) -> ThreadPage | None:
        """Read one page of a topic."""
        answer = await http.get(url, conditional=conditional)
        return None if answer.unchanged else self._read(answer, url)

    async def draft(self, http: Http, topic: str, *, edits: str = "") -> Draft:
        """Load the reply form, or the form that edits a post."""
        url = self.thread_url(topic)
        if self._account is None:
            raise ForbiddenError(url, cure="no_account")
        page = self._read(await http.get(url), url)
        if page.locked:
            raise LockedError(url, cure="locked_or_no_leave")
        form_path = f"{edits}/post/update/" if edits else "post/create/"
        address = urljoin(page.url, form_path)
        answer = await http.get(address)
        if answer.status == 404 and edits:
            raise GoneError(address, cure="post_is_gone", status=answer.status)
        _raise_for(answer)
        if not urlsplit(answer.url).path.endswith(f"/{form_path}"):
            raise LoggedOutError(answer.url, cure="log_in_again")
        form = need(soup_of(answer.text, answer.url), _POST_FORM, answer.url)
        fields = fields_of(form)
        del fields["content"]
        target = urljoin(answer.url, attribute(form, "action"))
        return Draft(url=target, fields=fields, made_at=http.now(), edits=edits)

    async def send(self, http: Http, draft: Draft, text: str) -> Posted:
        """Post or edit; the proof is the address that machina leads to, which names the post."""
        try:
            answer = await http.send(
                draft.url, form={**draft.fields, "content": text}, headers={"referer": draft.url}
            )
        except UnknownOutcomeError as error:
            # The page was lost, but its address is the proof.
            named = _named_post(error.url)
            if not named:
                raise
            return Posted(named, url=_permalink(error.url, named))
        named = _named_post(answer.url)
        if not named:
            _raise_refusal(answer, draft)
        return Posted(
            named,
            url=_permalink(answer.url, named),
            awaits_approval=_is_waiting(answer.text, named),
        )

    def _read(self, answer: Answer, url: str) -> ThreadPage:
        """The page of a topic that was asked for."""
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


def parse_thread(text: str, url: str) -> ThreadPage:
    """Read a page of a topic; pure.

    Args:
        text: What machina answered.
        url: Its final address.

    Raises:
        LoggedOutError: a login form instead of a thread.
        LayoutChangedError: no thread, or posts without id, author or words.
        BusyError: cut short.
    """
    if _ACTIONS not in text and soup_of(text, url, whole=False).select_one(_LOGIN_FORM):
        raise LoggedOutError(url, cure="log_in_again")
    assure_whole(text, url)
    # The head holds the time of day, and a poll a token: both differ on every reading.
    _, end_of_head, body = text.partition("</head>")
    return _thread_of(_TOKEN.sub("", body if end_of_head else text), url)


@remembered(64)
def _thread_of(body: str, url: str) -> ThreadPage:
    """Read the body of a page.

    Most polls bring no news, and machina has no validators to ask for less: a page read before is
    not read again.
    """
    soup = soup_of(body, url, whole=False)
    actions = need(soup, f".{_ACTIONS}", url)
    nodes = apart(soup.select(_POST), _POST, url)
    if not nodes:
        raise LayoutChangedError(url, cure="send_page_to_maintainers", missing=_POST)
    topic_url = _page_url(urljoin(url, attribute(need(nodes[0], _PERMALINK, url), "href")), 1)
    posts = tuple(_post(node, topic_url) for node in nodes)
    number, last = _paging(soup, url)
    viewer = _viewer(soup) or GUEST
    may_reply = actions.select_one(_REPLY) is not None
    return ThreadPage(
        url=_page_url(topic_url, number),
        posts=posts,
        next_url=_page_url(topic_url, number + 1) if number < last else "",
        previous_url=_page_url(topic_url, number - 1) if number > 1 else "",
        last_url=_page_url(topic_url, last),
        title=line_of(need(soup, "h1", url)),
        # A guest who may not reply learns nothing of the members.
        locked=None if viewer == GUEST and not may_reply else not may_reply,
        viewer_id=viewer,
        digest=posts_digest(posts),
    )


def _post(node: Tag, topic_url: str) -> Post:
    body = body_of(node, _BODY, topic_url, never=_NEVER)
    pk, author = attribute(node, "id"), sole(node, _AUTHOR, topic_url)
    link = author.select_one("a")
    profile = _USER.search(attribute(link, "href")) if link is not None else None
    if not _PK.fullmatch(pk) or (link is not None and profile is None):
        raise LayoutChangedError(topic_url, cure="send_page_to_maintainers", missing=_AUTHOR)
    links = [urljoin(topic_url, attribute(one, "href")) for one in node.select(_PERMALINK)]
    assure_own(pk, map(_named_post, links), topic_url)
    words = own_words(body, MACHINA)
    return Post(
        id=pk,
        author_id=profile[1] if profile is not None else GUEST,
        author_name=line_of(author),
        own_words=words.own,
        set_aside=words.set_aside,
        # The date is written in the site's own zone and language: nothing for certain.
        posted_at=None,
        edited=node.select_one(".edit-info") is not None,
        url=_permalink(topic_url, pk),
    )


def _paging(soup: Tag, url: str) -> tuple[int, int]:
    """Number of this page and of the last; a topic of one page has no list of pages."""
    pages = soup.select_one("ul.pagination")
    if pages is None:
        number, last = 1, 1
    else:
        number = _page_number(attribute(need(pages, "li.active a", url), "href"))
        last = max(_page_number(attribute(link, "href")) for link in pages.select("a"))
    if "page=" in urlsplit(url).query and number != _page_number(url):
        raise LayoutChangedError(url, cure="send_page_to_maintainers", missing="ul.pagination")
    return number, last


def _viewer(soup: Tag) -> str:
    """User id of the account that a page was made for; empty for guests."""
    link = soup.select_one(_OWN)
    found = _USER.search(attribute(link, "href")) if link is not None else None
    return found[1] if found else ""


def _raise_for(answer: Answer) -> None:
    """Raise what an answer means that is no page of the forum."""
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


def _raise_refusal(answer: Answer, draft: Draft) -> NoReturn:
    """Raise why a form has led to no post."""
    if answer.status == 403:
        if "CSRF" in answer.text:
            raise NotSentError(draft.url, cure="load_form_again", status=answer.status)
        raise LockedError(draft.url, cure="locked_or_no_leave", status=answer.status)
    if answer.status == 404 and draft.edits:
        raise GoneError(draft.url, cure="post_is_gone", status=answer.status)
    _raise_for(answer)
    soup = soup_of(answer.text, answer.url, whole=False)
    refusals = [line_of(node) for node in soup.select(_REFUSALS)]
    if refusals:
        raise RefusedTextError(answer.url, cure="mend_text", said=" ".join(refusals)[:200])
    if soup.select_one(_LOGIN_FORM):
        raise LoggedOutError(answer.url, cure="log_in_again")
    raise UnknownOutcomeError(answer.url, cure="read_back", reason="form_came_back")


def _is_waiting(text: str, pk: str) -> bool:
    """Whether the page after a post warns of something and does not show the post."""
    above, _, below = text.partition("<h1")
    return "alert-warning" in above and f'id="{pk}"' not in below


def _named_post(url: str) -> str:
    """The post that an address of a topic leads to; empty for any other address."""
    parts = urlsplit(url)
    pk = parse_qs(parts.query).get("post", [""])[0]
    return pk if _TOPIC.search(parts.path) and _PK.fullmatch(pk) else ""


def _permalink(url: str, pk: str) -> str:
    return urlunsplit((*urlsplit(url)[:3], f"post={pk}", pk))


def _page_number(url: str) -> int:
    value = parse_qs(urlsplit(url).query).get("page", ["1"])[0]
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 1


def _page_url(url: str, number: int) -> str:
    return urlunsplit((*urlsplit(url)[:3], f"page={number}" if number > 1 else "", ""))
