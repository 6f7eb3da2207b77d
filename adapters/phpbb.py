"""phpBB 3.2 and later, prosilver and the styles derived from it.

What is peculiar to it: nearly every error is a page with status 200; a form must be a full second
old and comes from the same session; an address with a ``sid`` is a logged-in session by itself;
``start`` past the end repeats the last page; if somebody has posted since the form was loaded, the
form comes back without any error and wants to be sent again. Words are looked at only where two
answers have the same classes.
"""

import re
from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime
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
    silent,
    submit,
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
    sole,
    soup_of,
)
from adapters.markup import PHPBB

# How the form under a topic says that all its posts are shown, by time, oldest first.
_SORTING: Final = {"st": "0", "sk": "t", "sd": "a"}
_BODY: Final = "div.content"
_EDITED: Final = "div.notice:not(.post_deleted_msg, :has(> br:first-child))"
# What is within a post carries its number as well.
_NUMBERED: Final = "[id^=post_content], [id^=profile], [id^=sig]"
_NUMBER: Final = re.compile(r"(?:post_content|profile|sig)([0-9]+)")
_AUTHORS: Final = ("p.author", ".postprofile")
_POST: Final = "div.post[id^=p]"
_INBOX: Final = "form#viewfolder"
_LETTER: Final = "div.post.pm[id^=post-]"
_NAME: Final = ".username, .username-coloured"
_PROFILE: Final = '#username_logged_in a[href*="mode=viewprofile"]'
_LOGIN_FORM: Final = 'form#login, form[action*="mode=login"]:has(input[name=password])'
# Letters in a picture, or a question.
_PUZZLE: Final = "[name=confirm_id], [name=confirm_code], [name=qa_answer], .captcha"
_POST_FORM: Final = "form#postform"
_MESSAGE: Final = "div#message"  # the textarea of a form has the same id

# phpBB wants one whole second between loading and sending.
_MIN_FORM_AGE_S: Final = 1.1
# Its tokens live two hours; a few minutes less, because the clocks differ.
_TOKEN_LIFETIME_S: Final = 7000.0
# The board does not say how long to wait. Its default interval is 15 s.
_FLOOD_WAIT_S: Final = 20.0

# Changes on every reading though no post does: form tokens, "5 minutes ago", who is online. All
# anchored in tags, which no player can write, and one by one: together they take ten times longer.
_VOLATILE: Final = (
    re.compile(r'(<time datetime="[^"<>]{0,60}">)[^<]*'),
    re.compile(r'(<input type="hidden" name="(?:creation_time|form_token|sid)" value=)"[^"<>]*"'),
    re.compile(r'(<div id="p[0-9]+" class="post[^"<>]*?) online(?=[ "])'),
)
_SESSION: Final = re.compile(r"[?;&]sid=([0-9a-f]{32})")
_ONLINE_LIST: Final = '<div class="stat-block online-list">'
_FOOTER: Final = '<div id="page-footer"'

# What a page that only says something means; the first that matches counts. English and Spanish:
# for other languages the status and the topic's own page must do.
_MEANINGS: Final = (
    (
        "locked",
        re.compile(
            r"\b(topic|forum) (is|has been) locked|\b(tema|hilo)\b.{0,80}\b(cerrado|bloqueado)\b"
            r"|\bforo\b.{0,60}\b(cerrado|bloqueado)\b.{0,60}\b(publicar|responder|editar)\b",
            re.IGNORECASE,
        ),
    ),
    ("banned", re.compile(r"\bbanned\b|\b(banead|expulsad|vetad)[oa]\b", re.IGNORECASE)),
    (
        "closed",
        # Administrators write this themselves.
        re.compile(
            r"\bunavailable\b|\bmaintenance\b|\bno est[aá] disponible\b|\bmantenimiento\b"
            r"|\b(foro|sitio|web)\b.{0,60}\b(cerrad|desactivad|deshabilitad)[oa]\b",
            re.IGNORECASE,
        ),
    ),
    ("gone", re.compile(r"\bnot exist\b|\bno existe\b", re.IGNORECASE)),
    (
        "forbidden",
        re.compile(r"\bcannot\b|\bcan no longer\b|\bnot (authori|permit|allow)", re.IGNORECASE),
    ),
    (
        "forbidden",
        re.compile(r"\bno (puedes?\b|est[aá]s? autorizad|tienes? permi|se permite)", re.IGNORECASE),
    ),
)
# The same for what stands over a form that has come back.
_FLOOD: Final = re.compile(r"\bso soon\b|\b(tan|demasiado) pronto\b|\bflood", re.IGNORECASE)
_BAD_TOKEN: Final = re.compile(
    r"\bform was invalid\b|\bformulario\b.{0,30}\b(no es v[aá]lido|inv[aá]lido)\b", re.IGNORECASE
)
_BAD_TEXT: Final = re.compile(
    r"\btoo (few|many|short|long)\b|\bmaximum\b|\bm[aá]ximo\b"
    r"|\b(muy|demasiad[oa]s?) (pocos|cort[oa]|larg[oa]|caracteres)\b",
    re.IGNORECASE,
)


class PhpBB:
    """One board."""

    platform: ClassVar[str] = "phpbb"

    def __init__(
        self,
        base_url: str,
        account: Account | None = None,
        *,
        spoilers: Literal["spoiler", ""] = "",
        min_form_age_s: float = _MIN_FORM_AGE_S,
        post_review: bool = True,
    ) -> None:
        """Remember the site.

        Args:
            base_url: Address of the board's front page, with or without ``index.php``.
            account: Whose posts these will be; without one it reads what guests may read.
            spoilers: ``spoiler`` where the board has added that BBCode, which phpBB lacks.
            min_form_age_s: More where the board has raised ``form_token_mintime``.
            post_review: False where the forum does not show new posts before it takes a reply:
                such a forum would take the same form twice.
        """
        self._base = base_url.partition("?")[0].removesuffix("index.php").rstrip("/")
        self._account = account
        self.capabilities = Capabilities(
            dialect="bbcode",
            edits=True,
            max_post_chars=60_000,
            spoilers=spoilers,
            min_form_age_s=min_form_age_s,
            token_lifetime_s=_TOKEN_LIFETIME_S if post_review else 0.0,
            letters=True,
        )

    def thread_url(self, topic: str) -> str:
        """The topic's first page, from its number or any address of it that holds ``t=``.

        Raises:
            GoneError: no topic's address, or another site's.
        """
        return f"{self._base}/viewtopic.php?{urlencode(self._topic(topic))}"

    async def login(self, http: Http) -> str:
        """Log in; a session that still holds is used as it is."""
        how = LoginForm(
            form=_LOGIN_FORM,
            fields=("username", "password"),
            more={"autologin": "on", "login": "Login"},
            viewer=_viewer,
            refusal=_login_refusal,
            puzzle=_PUZZLE,
            min_age_s=self.capabilities.min_form_age_s,
        )
        return await log_in(http, f"{self._base}/ucp.php?mode=login", self._account, how)

    async def fetch(self, http: Http, url: str, *, conditional: bool = False) -> ThreadPage | None:
        """Read one page of a topic."""
        return await read_page(http, url, self._account, parse_thread, conditional=conditional)

    async def draft(self, http: Http, topic: str, *, edits: str = "") -> Draft:
        """Load the reply form, or the form that edits a post."""
        place = self._topic(topic)
        if self._account is None:
            raise ForbiddenError(self.thread_url(topic), cure="no_account")
        if edits:
            place = {name: value for name, value in place.items() if name == "f"}
        query = {"mode": "edit", **place, "p": edits} if edits else {"mode": "reply", **place}
        url = f"{self._base}/posting.php?{urlencode(query)}"
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
        """Post or edit; the proof is the redirect to the post's own address.

        A form that comes back because somebody has posted since is sent again, unless that
        somebody was us: then an earlier sending of this draft has landed.
        """
        return await submit(
            http,
            draft,
            text,
            read_outcome,
            min_age_s=self.capabilities.min_form_age_s,
            busy_wait_s=_FLOOD_WAIT_S,
            # A redirect that names the post has proved it, even if its page was lost.
            proof=_posted,
        )

    async def letters(self, http: Http, writers: Collection[str]) -> tuple[Letter, ...]:
        """The newest messages in the inbox by those who are awaited.

        To be read marks a message as read; what a rule of the account's has moved to a folder of
        its own is not found.
        """
        url = f"{self._base}/ucp.php?i=pm&folder=inbox"
        return await read_letters(http, url, self._account, writers, parse_inbox, parse_letter)

    def _topic(self, topic: str) -> dict[str, str]:
        """A topic's ``f`` and ``t``; boards of 3.2 want the forum too where they gave it."""
        if is_number(topic):
            return {"t": topic}
        try:
            url = urljoin(f"{self._base}/", topic)
            parts, query = urlsplit(url), query_of(url)
        except ValueError:
            raise GoneError(self._base, cure="mend_address") from None
        place = {name: query[name] for name in ("f", "t") if is_number(query.get(name, ""))}
        same_site = parts.netloc.casefold() == urlsplit(self._base).netloc.casefold()
        if "t" not in place or not same_site:
            raise GoneError(url, cure="mend_address")
        return place


def parse_thread(text: str, url: str, *, status: int = 200) -> ThreadPage:
    """Read what ``viewtopic.php`` answered; pure.

    Args:
        text: The page.
        url: Its final address.
        status: Its HTTP status.

    Raises:
        LoggedOutError: a login form instead of posts.
        ForbiddenError, GoneError, BusyError: what a page without posts says.
        LayoutChangedError: no posts, or one without id, author or words.
    """
    assure_whole(text, url)
    return _READ(text, url, status)


def parse_inbox(answer: Answer) -> Inbox:
    """Read the first page of the inbox; pure.

    Raises:
        LoggedOutError: a login form.
        ForbiddenError, BusyError: what a page without an inbox says.
        LayoutChangedError: no inbox, or a message without an address.
    """
    assure_whole(answer.text, answer.url)
    soup = soup_of(answer.text, answer.url)
    if soup.select_one(_INBOX) is None:
        raise _meant_by(soup, answer, missing=_INBOX)
    letters: list[tuple[str, Collection[str]]] = []
    for row in soup.select("ul.pmlist li.row"):
        query = query_of(attribute(need(row, "a.topictitle", answer.url), "href"))
        # One that its author has taken back can only be removed.
        if query.get("mode") != "view" or not is_number(query.get("p", "")):
            continue
        name = row.select_one(_NAME)
        author = _user_in(attribute(name, "href")) if name is not None else ""
        place = urlencode({"i": "pm", "mode": "view", "f": "0", "p": query["p"]})
        letters.append((urljoin(answer.url, f"ucp.php?{place}"), {author} if author else ()))
    return Inbox(_viewer(soup), tuple(letters))


def parse_letter(answer: Answer) -> ThreadPage:
    """Read the page of a private message; pure. Its date is in the account's own zone and words.

    Raises:
        LoggedOutError: a login form.
        ForbiddenError, GoneError, BusyError: what a page without a message says.
        LayoutChangedError: no message, or one without id, author or words.
    """
    assure_whole(answer.text, answer.url)
    soup = soup_of(answer.text, answer.url)
    node = soup.select_one(_LETTER)
    if node is None or not is_number(_post_id(node)):
        raise _meant_by(soup, answer, missing=_LETTER)
    subject = node.select_one(".postbody h3")
    return ThreadPage(
        url=answer.url,
        posts=(replace(_post(node, answer.url), url=answer.url),),
        title=line_of(subject) if subject is not None else "",
        viewer_id=_viewer(soup),
    )


def _without_volatile(text: str) -> str:
    """A whole page without what changes on every reading."""
    # The footer tells the hour and the like. Who is online stands just before it.
    for mark in (_FOOTER, _ONLINE_LIST):
        end = text.rfind(mark)
        text = text[:end] if end > 0 else text
    # In the head: what looks like a session id in a player's words is not ours to touch.
    session = _SESSION.search(text, 0, text.find(' class="post '))
    if session is not None:
        text = text.replace(session[1], "")
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
    viewer = _viewer(soup)
    # Nobody but a moderator ever sees a page of deleted posts alone; it must not look empty.
    posts = counted(shown, viewer) or silent(_post(node, url) for node in nodes)
    _assure_all_in_order(soup, posts, url)
    topic, start = _place(soup, url)
    starts = [
        _start(attribute(link, "href")) for link in soup.select("div.pagination a[href*=viewtopic]")
    ]
    title = soup.select_one(".topic-title")
    following = [other for other in starts if other > start]
    before = [other for other in starts if other < start]
    return ThreadPage(
        url=_page_url(url, topic, start),
        posts=posts,
        next_url=_page_url(url, topic, min(following)) if following else "",
        previous_url=_page_url(url, topic, max(before)) if before else "",
        last_url=_page_url(url, topic, max([start, *following])),
        title=line_of(title) if title is not None else "",
        locked=soup.select_one(".action-bar .fa-lock") is not None,
        viewer_id=viewer,
        digest=posts_digest(posts),
    )


def _assure_all_in_order(soup: Tag, posts: tuple[Post, ...], url: str) -> None:
    """Check that the account sees all posts, oldest first: its profile can have it otherwise.

    Raises:
        ForbiddenError: it does not.
    """
    for name, plain in _SORTING.items():
        chosen = soup.select_one(f"select[name={name}] > option[selected]")
        if chosen is not None and attribute(chosen, "value") != plain:
            raise ForbiddenError(url, cure="show_oldest_first", sorting=name)
    assure_oldest_first(posts, url)


_READ: Final = reader(_without_volatile, _thread_of)


def read_outcome(answer: Answer, draft: Draft, text: str) -> Posted | Draft:
    """What became of a post, from the page that phpBB answered; pure.

    Args:
        answer: The final page.
        draft: What was sent, and
        text: with which message.

    Returns:
        The proof, or the form that wants to be sent again because of new posts.

    Raises:
        NotSentError, RefusedTextError, LockedError, ForbiddenError, GoneError, LoggedOutError:
            definite refusals.
        UnknownOutcomeError: a page that tells nothing for certain.
    """
    posted = _posted(answer.url, draft)
    if posted is not None:
        return posted
    try:
        soup = soup_of(answer.text, answer.url)
    except (BusyError, LayoutChangedError) as error:
        raise UnknownOutcomeError(answer.url, cure="read_back", reason=error.cure) from None
    form = soup.select_one(_POST_FORM)
    if form is not None:
        return _returned_form(soup, form, answer, draft, text)
    if soup.select_one(_MESSAGE) is not None and answer.status == 200:
        queued = _queued(soup, answer.url, draft)
        if queued is not None:
            return queued
    raise refused_by(_meant_by(soup, answer, missing=_POST_FORM))


def _returned_form(soup: Tag, form: Tag, answer: Answer, draft: Draft, text: str) -> Posted | Draft:
    """Why the form has come back.

    First whether an earlier sending of ours is among the new posts: it may be the very reason why
    the board finds that we post too often.
    """
    viewer = _viewer(soup)
    for newer in form.select("div.postbody[id^=ppr]"):
        if viewer and _author(newer)[0] == viewer and _says(newer, text, answer.url):
            return _proof(attribute(newer, "id").removeprefix("ppr"), answer.url)
    trouble = form.select_one(".error")
    if trouble is None:
        return Draft(action_of(form, answer.url), _submission(form), draft.made_at, draft.edits)
    said = line_of(trouble)[:300]
    if _FLOOD.search(said):
        raise NotSentError(answer.url, cure="flood", wait_s=_FLOOD_WAIT_S, said=said)
    if _BAD_TOKEN.search(said):
        raise NotSentError(answer.url, cure="load_form_again", said=said)
    if _BAD_TEXT.search(said):
        raise RefusedTextError(answer.url, cure="mend_text", said=said)
    # Refused for sure, in a language that we don't know: it may be the flood limit.
    raise NotSentError(answer.url, cure="read_forum_message", said=said)


def _says(node: Tag, text: str, url: str) -> bool:
    return is_same_post(text, own_words(need(node, "div.content", url), PHPBB))


def _queued(soup: Tag, url: str, draft: Draft) -> Posted | None:
    """The proof on a page that says "submitted, but it must be approved".

    Of the pages that only say something, those that lead on to the topic by themselves are the
    ones that tell of success.
    """
    target = refresh_of(soup, url)
    if not target:
        return None
    posted = _posted(target, draft)
    if posted is not None:
        return posted
    if urlsplit(target).path.endswith(("/viewtopic.php", "/viewforum.php")):
        return Posted(draft.edits, awaits_approval=True)
    return None


def _posted(url: str, draft: Draft) -> Posted | None:
    """The proof in an address such as ``viewtopic.php?p=31#p31``."""
    parts = urlsplit(url)
    post_id = query_of(url).get("p", "")
    if not parts.path.endswith("/viewtopic.php") or not is_number(post_id):
        return None
    return _proof(post_id, url) if draft.edits in {"", post_id} else None


def _proof(post_id: str, url: str) -> Posted:
    return Posted(post_id, url=urljoin(url, f"viewtopic.php?p={post_id}#p{post_id}"))


def _meant_by(soup: Tag, answer: Answer, *, missing: str) -> AdapterError:
    """What a page means that is not the one asked for: status and classes first, then words."""
    if soup.select_one(_LOGIN_FORM) is not None:
        return LoggedOutError(answer.url, cure="log_in_again")
    message = soup.select_one(_MESSAGE)
    if message is None and answer.status == 200:
        return LayoutChangedError(answer.url, cure="send_page_to_maintainers", missing=missing)
    said = line_of(message.select_one("p") or message)[:300] if message is not None else ""
    return meant(said, _MEANINGS, answer)


def _login_refusal(soup: Tag, answer: Answer) -> AdapterError:
    """Why the login form has come back."""
    form = soup.select_one(_LOGIN_FORM)
    if form is None:
        return _meant_by(soup, answer, missing=_PROFILE)
    trouble = form.select_one(".error")
    said = line_of(trouble)[:300] if trouble is not None else ""
    if _BAD_TOKEN.search(said) or not said:
        return BusyError(answer.url, cure="load_form_again")
    return ForbiddenError(answer.url, cure="check_password", said=said)


def _viewer(soup: Tag) -> str:
    """Id of the user that a page was made for, or ``guest``; empty where it tells neither."""
    link = soup.select_one(_PROFILE)
    user = _user_in(attribute(link, "href")) if link is not None else ""
    if user:
        return user
    if soup.select_one('#username_logged_in, a[href*="mode=logout"]') is not None:
        return ""
    is_guest = soup.select_one(f'a[href*="mode=login"], {_LOGIN_FORM}') is not None
    return GUEST if is_guest else ""


def _is_deleted(node: Tag) -> bool:
    # The class alone: a restored post keeps the notice with the reason of its deletion.
    return "deleted" in node.get_attribute_list("class")


def _post_id(node: Tag) -> str:
    """The number in ``p22``, or in a private message's ``post-7``."""
    return attribute(node, "id").removeprefix("post-").removeprefix("p")


def _post(node: Tag, url: str) -> Post:
    post_id = _post_id(node)
    words = own_words(body_of(node, _BODY, url, never=", ".join(_AUTHORS)), PHPBB)
    parts = [_NUMBER.fullmatch(attribute(part, "id")) for part in node.select(_NUMBERED)]
    assure_own(post_id, (part[1] for part in parts if part is not None), url)
    author_id, author_name = _author(node)
    if not author_id:
        raise LayoutChangedError(url, cure="send_page_to_maintainers", missing="a.username")
    for place in _AUTHORS:
        if node.select_one(place) is not None:
            sole(node, place, url)
    return Post(
        id=post_id,
        author_id=author_id,
        author_name=author_name,
        own_words=words.own,
        set_aside=words.set_aside,
        posted_at=_moment(node),
        # phpBB marks no edit of a post that nobody has answered yet. That a topic was bumped stands
        # in a notice too, below two empty lines.
        edited=True if node.select_one(_EDITED) is not None else None,
        url=urljoin(url, f"viewtopic.php?p={post_id}#p{post_id}"),
        awaits_approval=node.select_one(".post-notice.unapproved") is not None,
    )


def _author(node: Tag) -> tuple[str, str]:
    """User id and name of a post's author; a deleted user is a guest.

    Where profiles are closed to the viewer the name is no link, but the count of posts is one.
    """
    for selector in _AUTHORS:
        place = node.select_one(selector)
        link = place.select_one(_NAME) if place is not None else None
        if place is None or link is None:
            continue
        counted = node.select_one('.postprofile a[href*="author_id="]')
        user = _user_in(attribute(link, "href")) or (
            query_of(attribute(counted, "href")).get("author_id", "") if counted is not None else ""
        )
        return user or GUEST, line_of(link)
    return "", ""


def _moment(node: Tag) -> datetime | None:
    """When a post was made, in UTC; None in styles without the element."""
    time = node.select_one("p.author time[datetime]")
    try:
        moment = datetime.fromisoformat(attribute(time, "datetime") if time is not None else "")
    except ValueError:
        return None
    return moment.astimezone(UTC) if moment.tzinfo is not None else None


def _place(soup: Tag, url: str) -> tuple[str, int]:
    """Topic and offset of a page: by itself, because the address asked for may lie past the end."""
    canonical = soup.select_one('link[rel="canonical"]')
    query = query_of(attribute(canonical, "href")) if canonical is not None else {}
    if is_number(query.get("t", "")):
        return query["t"], _start(f"?{urlencode(query)}")
    title = soup.select_one(".topic-title a")
    topic = query_of(attribute(title, "href")).get("t", "") if title is not None else ""
    topic = topic or query_of(url).get("t", "")
    if not is_number(topic):
        raise LayoutChangedError(
            url, cure="send_page_to_maintainers", missing="link[rel=canonical]"
        )
    return topic, _start(url)


def _page_url(url: str, topic: str, start: int) -> str:
    """The address of a page, with the forum's number where the board gave it."""
    parts, forum = urlsplit(url), query_of(url).get("f", "")
    query = {"f": forum} if is_number(forum) else {}
    query["t"] = topic
    if start:
        query["start"] = str(start)
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(query), ""))


def _submission(form: Tag) -> dict[str, str]:
    """All fields of a posting form but the message, and the button that posts."""
    fields = fields_of(form)
    fields.pop("message", None)
    button = form.select_one("input[type=submit][name=post]")
    fields["post"] = attribute(button, "value") if button is not None else "Submit"
    return fields


def _user_in(href: str) -> str:
    user = query_of(href).get("u", "")
    return user if is_number(user) else ""


def _start(href: str) -> int:
    value = query_of(href).get("start", "0")
    return int(value) if is_number(value) else 0
