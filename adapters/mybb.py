"""MyBB 1.8, the themes derived from its own.

What is peculiar to it: an address past the end shows page 1; what an account posts twice in a row
becomes one post, with the number of the first; the redirect after posting may be a page of its
own; every error is a page with status 200 under the board's name; a form is bound to the account
and not to its hour, and nothing in it tells two sendings apart. Dates are in the account's own
zone, format and language, or relative, so none is certain and none is read.
"""

import re
from collections.abc import Collection
from dataclasses import replace
from typing import ClassVar, Final, Literal
from urllib.parse import urlencode, urljoin, urlsplit, urlunsplit

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
from adapters.boards import (
    Inbox,
    LoginForm,
    action_of,
    assure_oldest_first,
    counted,
    error_for,
    is_number,
    is_same_post,
    log_in,
    meant,
    query_of,
    read_letters,
    read_page,
    reader,
    refresh_of,
    refused_by,
    why_no_form,
)
from adapters.errors import (
    AdapterError,
    BusyError,
    ForbiddenError,
    GoneError,
    LayoutChangedError,
    LoggedOutError,
    NotSentError,
    RefusedTextError,
    UnknownOutcomeError,
    without_secrets,
)
from adapters.html import (
    apart,
    assure_whole,
    attribute,
    body_of,
    fields_of,
    line_of,
    need,
    own_words,
    posts_digest,
    sole,
    soup_of,
)
from adapters.markup import MYBB

_POST: Final = "div.post[id^=post_], table[id^=post_]"
_AUTHOR: Final = ".largetext"
# Only a body that has lost its end holds one of these.
_NEVER: Final = f"{_AUTHOR}, div.signature"
_STUB: Final = "deleted_post_hidden"
_WELCOME: Final = ".welcome"
# Not the short one that every guest's page has in its header: its fields are called otherwise.
_LOGIN_FORM: Final = "form:has(input[name=username]):has(input[name=password])"
_POST_FORM: Final = "form:has(textarea[name=message])"
_MESSAGE: Final = "td.trow1"
_INBOX: Final = "form[name=pmForm]"
_CHECK: Final = re.compile(r"check\[([0-9]{1,18})\]")
_LETTER_BODY: Final = ".post_body[id^=pid_]"

# The board's default, where it does not say how long to wait.
_FLOOD_WAIT_S: Final = 60.0
# What the board sets between two posts that it makes one of, and how long after the first it does.
# Both are its defaults, which administrators can change.
_MERGES: Final = "\n[hr]\n"
_MERGE_WINDOW_S: Final = 3600.0

# Friendly addresses: thread-7.html, thread-7-page-2.html, thread-7-post-31.html, user-5.html.
_FRIENDLY: Final = re.compile(
    r"(?:^|/)thread-(?P<tid>[0-9]{1,18})(?:-(?:page-(?P<page>[0-9]{1,9})|post-(?P<pid>[0-9]{1,18})))?"
    r"(?:-[a-z]+)?\.html$"
)
_FRIENDLY_POST: Final = re.compile(r"(?:^|/)post-(?P<pid>[0-9]{1,18})\.html$")
_FRIENDLY_USER: Final = re.compile(r"(?:^|/)user-([0-9]{1,18})\.html$")

# Changes on every reading though no post does: dates such as "5 minutes ago" and who is online.
# All anchored in tags, which no player can write.
_VOLATILE: Final = (
    re.compile(r'(<span class="post_date">).{0,300}?(?=<span class="post_edit")', re.DOTALL),
    re.compile(
        r'(<span class="edited_post">)[^<]{0,200}(?:<span title="[^"<>]{0,60}">[^<]{0,60}</span>)?'
    ),
    re.compile(r'()<img src="[^"<>]{0,200}/buddy_(?:online|away|offline)[^<>]{0,200}>'),
)
_GREETING: Final = re.compile(r'<span class="welcome">.{0,1000}?</a>', re.DOTALL)
_CONTENT: Final = '<div id="content"'
# What follows the posts: the quick reply with its tokens, who reads along, the hour.
_ENDS: Final = ('id="quick_reply_form"', '<ul class="thread_tools">', '<div id="footer"')

# What a page that only says something means; the first that matches counts. English and Spanish:
# for other languages the topic's own page must do.
_MEANINGS: Final = (
    (
        "locked",
        re.compile(
            r"\bhas been closed by\b|\bit (either )?is closed\b|\b(tema|hilo)\b.{0,80}\bcerrado\b",
            re.IGNORECASE,
        ),
    ),
    ("banned", re.compile(r"\bbanned\b|\b(banead|expulsad|vetad)[oa]\b", re.IGNORECASE)),
    (
        "closed",
        re.compile(
            r"\bboard is (currently )?closed\b|\bmaintenance\b|\bserver load\b|\bmantenimiento\b"
            r"|\b(foros?|tablón)\b.{0,60}\bcerrados?\b",
            re.IGNORECASE,
        ),
    ),
    (
        "gone",
        re.compile(r"\bnot exist\b|\binvalid\b|\bno existe\b|\binv[aá]lid[oa]\b", re.IGNORECASE),
    ),
    (
        "forbidden",
        re.compile(
            r"\bpermission\b|\bsuspended\b|\bcannot edit\b|\bpermisos?\b|\bsuspendid[oa]s?\b"
            r"|\bno puedes editar\b",
            re.IGNORECASE,
        ),
    ),
)
_TWIN: Final = re.compile(r"\balready posted this\b|\bya has (enviado|publicado)\b", re.IGNORECASE)
_BAD_TOKEN: Final = re.compile(
    r"\bauthori[sz]ation code\b|\bc[oó]digo de autorizaci[oó]n\b", re.IGNORECASE
)
# The same for what stands over a form that has come back.
_FLOOD: Final = re.compile(
    r"\btoo quickly\b|\bmore seconds?\b|\b(demasiado|muy) (rápido|pronto)\b"
    r"|\bdespués de enviar un mensaje previo\b|\bsegundos? más\b",
    re.IGNORECASE,
)
_SECONDS: Final = re.compile(r"([0-9]{1,6})\s+(?:more\s+)?(?:second|segundo)", re.IGNORECASE)
_BAD_TEXT: Final = re.compile(
    r"\btoo (short|long)\b|\bmessage is missing\b|\bimages per message\b"
    r"|\b(muy|demasiado) (cort|larg)[oa]\b|\bmensaje (falta|est[aá] vac[ií]o)\b"
    r"|\bfalta el mensaje\b|\bno has (escrito|introducido)\b",
    re.IGNORECASE,
)


class MyBB:
    """One board."""

    platform: ClassVar[str] = "mybb"

    def __init__(
        self,
        base_url: str,
        account: Account | None = None,
        *,
        spoilers: Literal["spoiler", ""] = "",
        merges: str = _MERGES,
        merge_window_s: float = _MERGE_WINDOW_S,
    ) -> None:
        """Remember the site.

        Args:
            base_url: Address of the board's front page, with or without ``index.php``.
            account: Whose posts these will be; without one it reads what guests may read.
            spoilers: ``spoiler`` where the board has added that tag, which MyBB lacks.
            merges: What the board sets between posts that it makes one of; empty where the
                account's group is excepted from it.
            merge_window_s: For how long after a post the board does so.
        """
        self._base = base_url.partition("?")[0].removesuffix("index.php").rstrip("/")
        self._account = account
        self.capabilities = Capabilities(
            dialect="bbcode",
            edits=True,
            max_post_chars=60_000,
            spoilers=spoilers,
            # It refuses the same text twice, but not once it has made one post of it and another.
            token_lifetime_s=0.0,
            merges=merges,
            merge_window_s=merge_window_s,
            letters=True,
        )

    def thread_url(self, topic: str) -> str:
        """The topic's first page, from its number or any address of it that holds it.

        Raises:
            GoneError: no topic's address, or another site's.
        """
        return f"{self._base}/showthread.php?tid={self._topic(topic)}"

    async def login(self, http: Http) -> str:
        """Log in; a session that still holds is used as it is."""
        how = LoginForm(
            form=_LOGIN_FORM,
            fields=("username", "password"),
            more={"remember": "yes", "submit": "Login"},
            viewer=_viewer,
            refusal=_login_refusal,
            puzzle="[name=imagehash], [name=imagestring]",
        )
        return await log_in(http, f"{self._base}/member.php?action=login", self._account, how)

    async def fetch(self, http: Http, url: str, *, conditional: bool = False) -> ThreadPage | None:
        """Read one page of a topic; past the end that is the last one."""
        page = await read_page(http, url, self._account, parse_thread, conditional=conditional)
        if page is None:
            return None
        past_the_end = _page_number(url) > _page_number(page.url)
        if past_the_end and page.last_url and page.last_url != page.url:
            return await read_page(
                http, page.last_url, self._account, parse_thread, conditional=False
            )
        return page

    async def draft(self, http: Http, topic: str, *, edits: str = "") -> Draft:
        """Load the reply form, or the form that edits a post."""
        if self._account is None:
            raise ForbiddenError(self.thread_url(topic), cure="no_account")
        url = f"{self._base}/newreply.php?tid={self._topic(topic)}"
        if edits:
            url = f"{self._base}/editpost.php?{urlencode({'pid': edits})}"
        answer = await http.get(url)
        soup = soup_of(answer.text, answer.url)
        form = soup.select_one(_POST_FORM)
        if form is None:
            raise await why_no_form(
                _meant_by(soup, answer, missing=_POST_FORM),
                lambda: self.fetch(http, self.thread_url(topic)),
                answer.url,
            )
        if _viewer(soup) == GUEST:
            # Some boards let guests post: what we send then would be nobody's.
            raise LoggedOutError(url, cure="log_in_again")
        return Draft(
            url=action_of(form, answer.url),
            fields=_submission(form),
            made_at=http.now(),
            edits=edits,
        )

    async def send(self, http: Http, draft: Draft, text: str) -> Posted:
        """Post or edit; the proof is our text in the post that the board leads us to.

        The number of the post proves nothing: where the board has made one post of ours and the
        one before it, it is the number of that one.
        """
        answer = await http.send(draft.url, form={**draft.fields, "message": text})
        onward = _onward(answer)
        if not onward:
            return read_outcome(answer, draft, text)
        if not _post_in(onward) and _is_topic(onward):
            # Only what waits for a moderator is led to no post.
            return Posted(draft.edits, awaits_approval=True)
        try:
            answer = await http.get(onward)
        except AdapterError as error:
            raise UnknownOutcomeError(onward, cure="read_back", reason=error.cure) from None
        return read_outcome(answer, draft, text)

    async def letters(self, http: Http, writers: Collection[str]) -> tuple[Letter, ...]:
        """The newest messages in the inbox by those who are awaited; to be read marks them so."""
        url = f"{self._base}/private.php"
        return await read_letters(http, url, self._account, writers, parse_inbox, parse_letter)

    def _topic(self, topic: str) -> str:
        """A topic's number."""
        if is_number(topic):
            return topic
        try:
            url = urljoin(f"{self._base}/", topic)
            parts, found = urlsplit(url), _topic_in(url)
        except ValueError:
            raise GoneError(self._base, cure="mend_address") from None
        if not found or parts.netloc.casefold() != urlsplit(self._base).netloc.casefold():
            raise GoneError(url, cure="mend_address")
        return found


def parse_thread(text: str, url: str, *, status: int = 200) -> ThreadPage:
    """Read what ``showthread.php`` answered; pure.

    Args:
        text: The page.
        url: Its final address.
        status: Its HTTP status.

    Raises:
        LoggedOutError: a guest is told to log in.
        ForbiddenError, GoneError, BusyError: what a page without posts says; and an account that
            sees posts in another order than they were made in.
        LayoutChangedError: no posts, or one without id, author or words.
    """
    assure_whole(text, url)
    return _READ(text, url, status)


def parse_inbox(answer: Answer) -> Inbox:
    """Read the first page of the inbox; pure.

    Raises:
        LoggedOutError: a guest is told to log in.
        ForbiddenError, BusyError: what a page without an inbox says.
        LayoutChangedError: no inbox.
    """
    assure_whole(answer.text, answer.url)
    soup = soup_of(answer.text, answer.url)
    form = soup.select_one(_INBOX)
    if form is None:
        raise _meant_by(soup, answer, missing=_INBOX)
    letters: list[tuple[str, Collection[str]]] = []
    for box in form.select("input[name^=check]"):
        number, row = _CHECK.fullmatch(attribute(box, "name")), box.find_parent("tr")
        if number is None or row is None:
            continue
        users = (_user_in(attribute(link, "href")) for link in row.select("a[href]"))
        author = next((user for user in users if user), GUEST)
        letters.append((urljoin(answer.url, f"private.php?action=read&pmid={number[1]}"), {author}))
    return Inbox(_viewer(soup), tuple(letters))


def parse_letter(answer: Answer) -> ThreadPage:
    """Read the page of a private message; pure. It is shown as a post whose number is left out.

    Raises:
        LoggedOutError: a guest is told to log in.
        ForbiddenError, GoneError, BusyError: what a page without a message says.
        LayoutChangedError: no message, or one without author or words, or several.
    """
    assure_whole(answer.text, answer.url)
    soup = soup_of(answer.text, answer.url)
    number = query_of(answer.url).get("pmid", "")
    if soup.select_one(_POST) is None or not is_number(number):
        raise _meant_by(soup, answer, missing=_POST)
    node = sole(soup, _POST, answer.url)
    words = own_words(body_of(node, _LETTER_BODY, answer.url, never=_NEVER), MYBB)
    author_id, author_name = _author(node)
    if not author_id:
        raise LayoutChangedError(answer.url, cure="send_page_to_maintainers", missing=_AUTHOR)
    place = soup.select_one("#posts_container")
    table = place.find_parent("table") if place is not None else None
    subject = table.select_one(".thead strong") if table is not None else None
    return ThreadPage(
        url=answer.url,
        posts=(Post(number, author_id, author_name, words.own, words.set_aside),),
        title=line_of(subject) if subject is not None else "",
        viewer_id=_viewer(soup),
    )


def _without_volatile(text: str) -> str:
    """A whole page without what changes on every reading."""
    for mark in _ENDS:
        end = text.rfind(mark)
        text = text[:end] if end > 0 else text
    begin, greeting = text.find(_CONTENT), _GREETING.search(text)
    if begin > 0 and greeting is not None and greeting.start() < begin:
        # The header counts messages and tells the hour of the last visit.
        text = f"{greeting[0]}</span>{text[begin:]}"
    for pattern in _VOLATILE:
        text = pattern.sub(r"\1", text)
    return text


def _thread_of(area: str, url: str, status: int) -> ThreadPage:
    """Read a page without its volatile parts."""
    soup = soup_of(area, url, whole=False)
    nodes = [node for node in apart(soup.select(_POST), _POST, url) if is_number(_post_id(node))]
    if not nodes:
        raise _meant_by(soup, Answer(url, status, ""), missing=_POST)
    shown = [_post(node, url) for node in nodes if not _is_deleted(node)]
    if soup.select_one('.thead a[href*="mode=linear"]') is not None:
        # This account sees one post a page, with the others as a tree of titles.
        raise ForbiddenError(url, cure="show_oldest_first")
    viewer = _viewer(soup)
    # A page of deleted posts alone is rare, but it must not look empty.
    posts = counted(shown, viewer) or tuple(_stub(node, url) for node in nodes)
    assure_oldest_first(posts, url)
    topic = _topic_of(soup, url)
    number, last = _paging(soup)
    title = soup.select_one(".navigation .active")
    return ThreadPage(
        url=_page_url(url, topic, number),
        posts=posts,
        next_url=_page_url(url, topic, number + 1) if number < last else "",
        previous_url=_page_url(url, topic, number - 1) if number > 1 else "",
        last_url=_page_url(url, topic, last),
        title=line_of(title) if title is not None else "",
        locked=_is_locked(soup),
        viewer_id=viewer,
        digest=posts_digest(posts),
    )


_READ: Final = reader(_without_volatile, _thread_of)


def read_outcome(answer: Answer, draft: Draft, text: str) -> Posted:
    """What became of a post, from the page that MyBB answered; pure.

    Args:
        answer: The final page.
        draft: What was sent, and
        text: with which message.

    Raises:
        NotSentError, RefusedTextError, LockedError, ForbiddenError, GoneError, LoggedOutError:
            definite refusals.
        UnknownOutcomeError: a page that tells nothing for certain.
    """
    post_id = _post_in(answer.url)
    if draft.edits and post_id == draft.edits:
        return _proof(post_id, answer.url)
    try:
        soup = soup_of(answer.text, answer.url)
    except (BusyError, LayoutChangedError) as error:
        raise UnknownOutcomeError(answer.url, cure="read_back", reason=error.cure) from None
    if _is_topic(answer.url):
        return _landed(soup, answer.url, post_id, draft, text)
    form, trouble = soup.select_one(_POST_FORM), soup.select_one("div.error")
    if form is not None:
        raise _complaint(line_of(trouble)[:300] if trouble is not None else "", answer)
    said = _said(soup)
    if _BAD_TOKEN.search(said):
        raise NotSentError(answer.url, cure="load_form_again", said=said)
    if _TWIN.search(said):
        # It says that the same words stand there, not that they are these.
        raise UnknownOutcomeError(answer.url, cure="read_back", reason="posted_before")
    raise refused_by(_meant_by(soup, answer, missing=_POST_FORM))


def _landed(soup: Tag, url: str, post_id: str, draft: Draft, text: str) -> Posted:
    """The proof on a page of the topic."""
    if draft.edits and not post_id:
        # An edit that waits for a moderator is led to the topic, a plain one to its post.
        return Posted(draft.edits, awaits_approval=True)
    node = soup.select_one(f"#post_{post_id}") if post_id else None
    viewer = _viewer(soup)
    if (
        node is not None
        and viewer not in {"", GUEST}
        and _author(node)[0] == viewer
        and _says(node, post_id, text, draft, url)
    ):
        return _proof(post_id, url)
    raise UnknownOutcomeError(url, cure="read_back", reason="own_post_not_found")


def _says(node: Tag, post_id: str, text: str, draft: Draft, url: str) -> bool:
    words = own_words(need(node, f"#pid_{post_id}", url), MYBB)
    return is_same_post(text, words, edits=bool(draft.edits))


def _complaint(said: str, answer: Answer) -> AdapterError:
    """Why the form has come back."""
    seconds = _SECONDS.search(said)
    if _FLOOD.search(said):
        # A second more, because the board counts whole ones.
        wait_s = float(seconds[1]) + 1 if seconds else _FLOOD_WAIT_S
        return NotSentError(answer.url, cure="flood", wait_s=wait_s, said=said)
    if _BAD_TEXT.search(said):
        return RefusedTextError(answer.url, cure="mend_text", said=said)
    # Refused for sure, in a language that we don't know: it may be the flood limit.
    return NotSentError(answer.url, cure="read_forum_message", said=said)


def _onward(answer: Answer) -> str:
    """Where "thank you, you will now be taken to..." leads, or an empty string."""
    try:
        soup = soup_of(answer.text, answer.url)
    except (BusyError, LayoutChangedError):
        return ""
    return without_secrets(refresh_of(soup, answer.url))


def _meant_by(soup: Tag, answer: Answer, *, missing: str) -> AdapterError:
    """What a page means that is not the one asked for."""
    said = _said(soup)
    if _viewer(soup) == GUEST and (not said or soup.select_one(f"{_MESSAGE} ol") is not None):
        # "You are either not logged in or do not have permission", in whatever language.
        return LoggedOutError(answer.url, cure="log_in_again")
    if soup.select_one(f"{_MESSAGE} ol") is not None:
        return error_for("forbidden", answer, said)
    if not said and answer.status == 200:
        return LayoutChangedError(answer.url, cure="send_page_to_maintainers", missing=missing)
    return meant(said, _MEANINGS, answer)


def _said(soup: Tag) -> str:
    """What a page says that only says something: one table of two rows, a heading and a text."""
    cells = soup.select(_MESSAGE)
    if len(cells) != 1 or soup.select_one("td.trow2, td.tcat, td.tfoot, textarea") is not None:
        return ""
    return line_of(cells[0])[:300]


def _login_refusal(soup: Tag, answer: Answer) -> AdapterError:
    """Why nobody is let in."""
    form = soup.select_one(_LOGIN_FORM)
    if form is None:
        return _meant_by(soup, answer, missing=_LOGIN_FORM)
    trouble = soup.select_one("div.error")
    said = line_of(trouble)[:300] if trouble is not None else ""
    if _BAD_TOKEN.search(said) or not said:
        return BusyError(answer.url, cure="load_form_again")
    return ForbiddenError(answer.url, cure="check_password", said=said)


def _viewer(soup: Tag) -> str:
    """Id of the user that a page was made for, or ``guest``; empty where it tells neither."""
    welcome = soup.select_one(_WELCOME)
    if welcome is None:
        return ""
    link = welcome.select_one("a[href]")
    user = _user_in(attribute(link, "href")) if link is not None else ""
    if user:
        return user
    return "" if welcome.select_one('a[href*="action=logout"]') is not None else GUEST


def _is_deleted(node: Tag) -> bool:
    return not {_STUB, "deleted_post"}.isdisjoint(node.get_attribute_list("class"))


def _post_id(node: Tag) -> str:
    return attribute(node, "id").removeprefix("post_")


def _post(node: Tag, url: str) -> Post:
    # The body's id is the post's, so that another post's is never taken for it.
    body = body_of(node, f"#pid_{_post_id(node)}", url, never=_NEVER)
    sole(node, _AUTHOR, url)
    words = own_words(body, MYBB)
    return replace(
        _stub(node, url),
        own_words=words.own,
        set_aside=words.set_aside,
        # MyBB marks no edit by those whom it allows to edit in silence.
        edited=True if node.select_one(".edited_post") is not None else None,
        awaits_approval="unapproved_post" in node.get_attribute_list("class"),
    )


def _stub(node: Tag, url: str) -> Post:
    """A post without its words: all that is left of a deleted one."""
    post_id = _post_id(node)
    author_id, author_name = _author(node)
    if not author_id:
        raise LayoutChangedError(url, cure="send_page_to_maintainers", missing=_AUTHOR)
    address = urljoin(url, f"showthread.php?pid={post_id}#pid{post_id}")
    return Post(post_id, author_id, author_name, own_words="", url=address)


def _author(node: Tag) -> tuple[str, str]:
    """User id and name of a post's author; a deleted user's name is no link, like a guest's."""
    name = node.select_one(_AUTHOR)
    if name is None:
        return "", ""
    link = name.select_one("a[href]")
    return (_user_in(attribute(link, "href")) if link is not None else "") or GUEST, line_of(name)


def _is_locked(soup: Tag) -> bool | None:
    if soup.select_one(".closed_button") is not None:
        return True
    return False if soup.select_one(".new_reply_button") is not None else None


def _topic_of(soup: Tag, url: str) -> str:
    """The topic of a page, from its address or, where that names a post only, from its links."""
    found = _topic_in(url)
    if found:
        return found
    for link in soup.select('.post_head a[href*="tid="], a[href*="newreply.php?tid="]'):
        found = query_of(attribute(link, "href")).get("tid", "")
        if is_number(found):
            return found
    for link in soup.select(".post_head a[href], .pagination a[href]"):
        friendly = _FRIENDLY.search(urlsplit(attribute(link, "href")).path)
        if friendly is not None:
            return friendly["tid"]
    raise LayoutChangedError(url, cure="send_page_to_maintainers", missing='a[href*="tid="]')


def _paging(soup: Tag) -> tuple[int, int]:
    """Number of this page and of the last: by the page itself, for its address may lie."""
    bar = soup.select_one(".pagination")
    if bar is None:
        return 1, 1
    current = bar.select_one(".pagination_current")
    number = int(line_of(current)) if current is not None and is_number(line_of(current)) else 1
    others = [_page_number(attribute(link, "href")) for link in bar.select("a[href]")]
    return number, max([number, *others])


def _page_url(url: str, topic: str, number: int) -> str:
    """The plain address of a page, which boards with friendly ones take too."""
    parts = urlsplit(urljoin(url, "showthread.php"))
    query = f"tid={topic}" + (f"&page={number}" if number > 1 else "")
    return urlunsplit((parts.scheme, parts.netloc, parts.path, query, ""))


def _page_number(url: str) -> int:
    friendly = _FRIENDLY.search(urlsplit(url).path)
    value = (friendly["page"] or "1") if friendly else query_of(url).get("page", "1")
    return int(value) if is_number(value) else 1


def _topic_in(url: str) -> str:
    """The topic that an address names, or an empty string."""
    parts = urlsplit(url)
    friendly = _FRIENDLY.search(parts.path)
    if friendly is not None:
        return friendly["tid"]
    topic = query_of(url).get("tid", "") if parts.path.endswith(".php") else ""
    return topic if is_number(topic) else ""


def _post_in(url: str) -> str:
    """The post that a topic's address leads to, or an empty string."""
    parts = urlsplit(url)
    friendly = _FRIENDLY.search(parts.path) or _FRIENDLY_POST.search(parts.path)
    if friendly is not None:
        return friendly["pid"] or ""
    post = query_of(url).get("pid", "") if parts.path.endswith("/showthread.php") else ""
    return post if is_number(post) else ""


def _is_topic(url: str) -> bool:
    path = urlsplit(url).path
    friendly = _FRIENDLY.search(path) or _FRIENDLY_POST.search(path)
    return friendly is not None or path.endswith("/showthread.php")


def _user_in(href: str) -> str:
    parts = urlsplit(href)
    friendly = _FRIENDLY_USER.search(parts.path)
    user = friendly[1] if friendly is not None else query_of(href).get("uid", "")
    return user if is_number(user) else ""


def _proof(post_id: str, url: str) -> Posted:
    return Posted(post_id, url=urljoin(url, f"showthread.php?pid={post_id}#pid{post_id}"))


def _submission(form: Tag) -> dict[str, str]:
    """All fields of a posting form but the message, and the button that posts."""
    fields = fields_of(form)
    fields.pop("message", None)
    button = form.select_one(
        "input[type=submit][name=submit], input[type=submit][name=submitbutton]"
    )
    name = attribute(button, "name") if button is not None else "submit"
    fields[name] = attribute(button, "value") if button is not None else "Post Reply"
    return fields
