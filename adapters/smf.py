"""SMF 2.1 (Simple Machines Forum), the themes derived from its own.

What is peculiar to it: parameters are parted by semicolons; every form has fields whose names are
drawn by chance, so it is sent back as it came; a form has a number and is taken only once, whatever
became of it; a page that only says something tells by an id what it means, in every language; after
posting it leads to the newest post, whoever wrote it; a form that comes back because somebody has
posted since wants to be sent again. Dates are in the account's own zone, so none is read.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Literal
from urllib.parse import urljoin, urlsplit, urlunsplit

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
    LoginForm,
    action_of,
    assure_oldest_first,
    counted,
    error_for,
    is_number,
    is_same_post,
    log_in,
    meant,
    read_page,
    reader,
    refused_by,
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
from adapters.letters import by_others, worth_reading
from adapters.markup import SMF as MARKUP

_POSTS: Final = "#forumposts"
_POST: Final = "#forumposts div[id^=msg]"
_AUTHOR: Final = ".poster h4"
# Only a body that has lost its end holds one of these.
_NEVER: Final = f"{_AUTHOR}, div.signature"
_FOLDER: Final = "form#pmFolder"
_LETTER: Final = "div[id^=msg]"
_LISTED: Final = re.compile(r"#msg([0-9]{1,18})$")
_BOX: Final = "#display_head, #top_subject"
_LOGIN_FORM: Final = "form#frmLogin"
_POST_FORM: Final = "form#postmodify:has(textarea[name=message])"
_FATAL: Final = "#fatal_error .windowbg > div"
_CLOSED: Final = "#maintenance_mode"
_SECOND_CODE: Final = "form#frmTfa"
_CAPTCHA: Final = '[name^="post_vv"], .g-recaptcha, .h-captcha'

# The board's default, where it does not say how long to wait.
_FLOOD_WAIT_S: Final = 10.0
# It remembers the numbers of forms for as long as the session, by default 48 minutes.
_TWIN_GUARD_S: Final = 2700.0
# Its default limit is 20,000; what it writes as entities counts as that.
_LONGEST_POST: Final = 18_000

_TOPIC: Final = re.compile(
    r"[?;&/]topic[=,](?P<topic>[0-9]{1,18})(?:\.(?:(?P<start>[0-9]{1,9})|msg(?P<msg>[0-9]{1,18}))?)?"
)
_USER: Final = re.compile(r"[;?&,/]u[=,]([0-9]{1,18})(?![0-9])")
_MEMBER: Final = re.compile(r"\bsmf_member_id\s*=\s*([0-9]{1,18})\b")

# Changes on every reading though no post does. All anchored in tags, which no player can write.
_VOLATILE: Final = (
    re.compile(r'(<a href="[^"<>]{0,300}" rel="nofollow" title="[^"]{0,300}" class="smalltext">)'
               r"(?:[^<]|</?strong>){0,100}"),
    re.compile(r'()<span class="(?:on|off)" title="[^"<>]{0,100}">'),
    re.compile(r'()<li class="postcount">[^<]{0,60}'),
    re.compile(r'(<span class="lastedit">)[^<]{0,60}</span>[^<]{0,200}'),
    re.compile(r"()\b[0-9a-f]{7,12}=[0-9a-f]{32}\b"),
    re.compile(r"(\bmodifySave\()'[0-9a-f]{32}', '[0-9a-f]{7,12}'"),
)  # fmt: skip
_CANONICAL: Final = re.compile(r'<link rel="canonical" href="[^"<>]{1,500}">')
_GREETING: Final = re.compile(r'<a href="[^"<>]{1,500}[?;]action=log(?:in|out)\b[^"<>]{0,200}"')
_BEGIN: Final = '<div id="display_head"'
# What follows the posts: the quick reply with its number, and buttons that name the session.
_ENDS: Final = ('<div id="moderationbuttons"', '<div id="footer"')

# What a page that only says something means, by the id that it carries.
_CODES: Final = {
    "topic_locked": "locked",
    "topic_gone": "gone",
    "topic_doesnt_exist": "gone",
    "not_a_topic": "gone",
    "no_board": "gone",
    "cant_find_messages": "gone",
    "no_access": "forbidden",
    "modify_post_time_passed": "forbidden",
}
_TWIN: Final = "error_form_already_submitted"
_WAITS: Final = re.compile(r"_WaitTime_broken$|^login_threshold_fail$")
_SECONDS: Final = re.compile(r"([0-9]{1,6})\s+(?:second|segundo)", re.IGNORECASE)
# The few that carry none, in English and Spanish.
_MEANINGS: Final = (
    ("banned", re.compile(r"\bbanned\b|\b(banead|expulsad|vetad)[oa]\b", re.IGNORECASE)),
    ("closed", re.compile(r"\bmaintenance\b|\bmantenimiento\b|\bhigh load\b", re.IGNORECASE)),
)
# The same for what stands over a form that has come back.
_BAD_TOKEN: Final = re.compile(
    r"\bsession timed out\b|\bsesi[oó]n\b.{0,60}\b(expir|caduc|agot|termin)", re.IGNORECASE
)
_BAD_TEXT: Final = re.compile(
    r"\b(message|body) .{0,30}\b(empty|exceeds|too long)\b|\bmaximum (allowed )?length\b"
    r"|\bmensaje\b.{0,60}\b(vac[ií]o|excede|largo)\b|\blongitud m[aá]xima\b",
    re.IGNORECASE,
)


class SMF:
    """One board."""

    platform: ClassVar[str] = "smf"

    def __init__(
        self,
        base_url: str,
        account: Account | None = None,
        *,
        spoilers: Literal["spoiler", ""] = "",
        max_post_chars: int = _LONGEST_POST,
    ) -> None:
        """Remember the site.

        Args:
            base_url: Address of the board's front page, with or without ``index.php``.
            account: Whose posts these will be; without one it reads what guests may read.
            spoilers: ``spoiler`` where the board has added that tag, which SMF lacks.
            max_post_chars: More or less where the board has changed its limit.
        """
        self._base = base_url.partition("?")[0].removesuffix("index.php").rstrip("/")
        self._account = account
        self.capabilities = Capabilities(
            dialect="bbcode",
            edits=True,
            max_post_chars=max_post_chars,
            spoilers=spoilers,
            token_lifetime_s=_TWIN_GUARD_S,
            letters=True,
        )

    def thread_url(self, topic: str) -> str:
        """The topic's first page, from its number or any address of it that holds it.

        Raises:
            GoneError: no topic's address, or another site's.
        """
        return f"{self._base}/index.php?topic={self._topic(topic)}.0"

    async def login(self, http: Http) -> str:
        """Log in; a session that still holds is used as it is."""
        how = LoginForm(
            form=_LOGIN_FORM, fields=("user", "passwrd"), viewer=_viewer, refusal=_login_refusal
        )
        # The page and not the form in the header of others, which a session must precede.
        return await log_in(http, f"{self._base}/index.php?action=login", self._account, how)

    async def fetch(self, http: Http, url: str, *, conditional: bool = False) -> ThreadPage | None:
        """Read one page of a topic; past the end that is the last one."""
        try:
            return await read_page(http, url, self._account, parse_thread, conditional=conditional)
        except GoneError as error:
            last = str(error.facts.get("last_url", ""))
            if not last or last == url:
                raise
            return await read_page(http, last, self._account, parse_thread, conditional=False)

    async def draft(self, http: Http, topic: str, *, edits: str = "") -> Draft:
        """Load the reply form, or the form that edits a post."""
        if self._account is None:
            raise ForbiddenError(self.thread_url(topic), cure="no_account")
        place = f"msg={edits};topic" if edits else "topic"
        url = f"{self._base}/index.php?action=post;{place}={self._topic(topic)}.0"
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
        if form.select_one(_CAPTCHA) is not None:
            raise ForbiddenError(url, cure="solve_captcha")
        return Draft(
            url=action_of(form, answer.url),
            fields=_submission(form),
            made_at=http.now(),
            edits=edits,
        )

    async def send(self, http: Http, draft: Draft, text: str) -> Posted:
        """Post or edit; the proof is our text in a post of ours where the board leads us.

        It leads to the newest post. Where others have filled a page since, ours is on the one
        before.
        """
        try:
            return await submit(
                http, draft, text, read_outcome, min_age_s=0.0, busy_wait_s=_FLOOD_WAIT_S
            )
        except UnknownOutcomeError as error:
            before = str(error.facts.get("before", ""))
            if not before:
                raise
            unknown = error
        try:
            outcome = read_outcome(await http.get(before), draft, text)
        except AdapterError:
            raise unknown from None
        if isinstance(outcome, Posted):
            return outcome
        raise unknown

    async def letters(self, http: Http, writers: Collection[str]) -> tuple[Letter, ...]:
        """The newest messages in the inbox by those who are awaited.

        The list shows all of its messages as well, or one of them, or one conversation, as the
        account has chosen; what it does not show is asked for.
        """
        folder = f"{self._base}/index.php?action=pm;f=inbox"
        if self._account is None:
            raise ForbiddenError(folder, cure="no_account")
        found = parse_folder(await http.get(f"{folder};sort=date;desc;start=0"))
        if found.viewer_id == GUEST:
            raise LoggedOutError(folder, cure="log_in_again")
        shown = dict(found.shown)
        for number in worth_reading(found.listed, writers):
            if number not in shown:
                shown |= parse_folder(await http.get(f"{folder};pmid={number}")).shown
        return by_others(shown.values())

    def _topic(self, topic: str) -> str:
        """A topic's number."""
        if is_number(topic):
            return topic
        try:
            url = urljoin(f"{self._base}/", topic)
            parts, found = urlsplit(url), _TOPIC.search(url)
        except ValueError:
            raise GoneError(self._base, cure="mend_address") from None
        same_site = parts.netloc.casefold() == urlsplit(self._base).netloc.casefold()
        if found is None or not same_site:
            raise GoneError(url, cure="mend_address")
        return found["topic"]


@dataclass(frozen=True, slots=True)
class Folder:
    """A page of private messages.

    Attributes:
        viewer_id: Whose they are.
        listed: Numbers of the messages of which it has at least the subject, in its own order, with
            their authors' user ids; of a conversation the newest.
        shown: Those that it shows in full, by number, as pages of one post.
    """

    viewer_id: str
    listed: tuple[tuple[str, Collection[str]], ...]
    shown: Mapping[str, ThreadPage]


def parse_folder(answer: Answer) -> Folder:
    """Read a page of private messages; pure.

    Raises:
        LoggedOutError: a login form.
        ForbiddenError, BusyError: what a page without messages says.
        LayoutChangedError: no such page, or a message without author or words.
    """
    assure_whole(answer.text, answer.url)
    soup = soup_of(answer.text, answer.url)
    form = soup.select_one(_FOLDER)
    if form is None:
        raise _meant_by(soup, answer, missing=_FOLDER)
    listed: list[tuple[str, Collection[str]]] = []
    for row in form.select("tr:has(> .pm_subject)"):
        number = _LISTED.search(attribute(need(row, ".pm_subject a[href]", answer.url), "href"))
        link = row.select_one(".pm_from_to a[href]")
        author = _USER.search(attribute(link, "href")) if link is not None else None
        if number is not None:
            listed.append((number[1], {author[1] if author is not None else GUEST}))
    nodes = [node for node in form.select(_LETTER) if is_number(_post_id(node))]
    viewer = _viewer(soup)
    shown: dict[str, ThreadPage] = {}
    for node in apart(nodes, _LETTER, answer.url):
        post = replace(_post(node, answer.url), url="")
        subject = node.select_one(f"#subject_{post.id}")
        title = line_of(subject) if subject is not None else ""
        shown[post.id] = ThreadPage(answer.url, (post,), title=title, viewer_id=viewer)
    return Folder(viewer, tuple(listed), shown)


def parse_thread(text: str, url: str, *, status: int = 200) -> ThreadPage:
    """Read a page of a topic; pure.

    Args:
        text: The page.
        url: Its final address.
        status: Its HTTP status.

    Raises:
        LoggedOutError: a login form instead of posts.
        GoneError: no such topic; or a page past its end, which names the last one.
        ForbiddenError, BusyError: what a page without posts says; and an account that sees the
            newest post first.
        LayoutChangedError: no posts, or one without id, author or words.
    """
    assure_whole(text, url)
    return _READ(text, url, status)


def _without_volatile(text: str) -> str:
    """A whole page without what changes on every reading."""
    begin = text.find(_BEGIN)
    if begin > 0:
        head = text[:begin]
        kept = [found[0] for found in (_CANONICAL.search(head),) if found]
        member, greeting = _MEMBER.search(head), _GREETING.search(head)
        if member is not None:
            kept.append(f"<script>{member[0]};</script>")
        if greeting is not None:
            kept.append(f"{greeting[0]}></a>")
        for mark in _ENDS:
            end = text.rfind(mark)
            text = text[:end] if end > begin else text
        text = "".join(kept) + text[begin:]
    for pattern in _VOLATILE:
        text = pattern.sub(r"\1", text)
    return text


def _thread_of(area: str, url: str, status: int) -> ThreadPage:
    """Read a page without its volatile parts."""
    soup = soup_of(area, url, whole=False)
    # What is inside a post has an id of that kind too: ``msg_22`` in ``msg22``.
    nodes = [node for node in soup.select(_POST) if is_number(_post_id(node))]
    apart(nodes, _POST, url)
    if not nodes:
        raise _why_no_posts(soup, url, status)
    shown = [_post(node, url) for node in nodes]
    viewer = _viewer(soup)
    posts = counted(shown, viewer)
    assure_oldest_first(posts, url)
    topic, start = _place(soup, url)
    starts = _starts(soup)
    following = [other for other in starts if other > start]
    before = [other for other in starts if other < start]
    title = soup.select_one("#top_subject")
    return ThreadPage(
        url=_page_url(url, topic, start),
        posts=posts,
        next_url=_page_url(url, topic, min(following)) if following else "",
        previous_url=_page_url(url, topic, max(before)) if before else "",
        last_url=_page_url(url, topic, max([start, *following])),
        title=line_of(title) if title is not None else "",
        locked=_is_locked(soup),
        viewer_id=viewer,
        digest=posts_digest(posts),
    )


_READ: Final = reader(_without_volatile, _thread_of)


def _starts(soup: Tag) -> list[int]:
    """Where the topic's other pages start."""
    return [_start(attribute(link, "href")) for link in soup.select(".pagelinks a.nav_page")]


def _why_no_posts(soup: Tag, url: str, status: int) -> AdapterError:
    """Why a page holds no posts: it may lie past the end of its topic."""
    box, starts = soup.select_one(_BOX), _starts(soup)
    if box is None or soup.select_one(_POSTS) is None or not starts:
        return _meant_by(soup, Answer(url, status, ""), missing=_POST)
    last = _page_url(url, _place(soup, url)[0], max(starts))
    return GoneError(url, cure="check_topic", last_url=last)


def read_outcome(answer: Answer, draft: Draft, text: str) -> Posted | Draft:
    """What became of a post, from the page that SMF answered; pure.

    Args:
        answer: The final page.
        draft: What was sent, and
        text: with which message.

    Returns:
        The proof, or the form that wants to be sent again because of new posts.

    Raises:
        NotSentError, RefusedTextError, LockedError, ForbiddenError, GoneError, LoggedOutError:
            definite refusals.
        UnknownOutcomeError: a page that tells nothing for certain; ``before`` names the page
            before it where our post may be on that.
    """
    try:
        soup = soup_of(answer.text, answer.url)
    except (BusyError, LayoutChangedError) as error:
        raise UnknownOutcomeError(answer.url, cure="read_back", reason=error.cure) from None
    place = _TOPIC.search(answer.url)
    if draft.edits and place is not None and place["msg"] == draft.edits:
        return _proof(draft.edits, answer.url)
    form = soup.select_one(_POST_FORM)
    if form is not None:
        return _returned_form(form, answer, draft)
    if soup.select_one(_POST) is not None:
        return _landed(soup, answer, draft, text)
    code, said = _said(soup)
    if code == _TWIN:
        # The number of the form is used up, whatever became of it.
        raise UnknownOutcomeError(answer.url, cure="read_back", reason="posted_before")
    if _WAITS.search(code):
        seconds = _SECONDS.search(said)
        wait_s = float(seconds[1]) + 1 if seconds else _FLOOD_WAIT_S
        raise NotSentError(answer.url, cure="flood", wait_s=wait_s, said=said)
    raise refused_by(_meant_by(soup, answer, missing=_POST_FORM))


def _landed(soup: Tag, answer: Answer, draft: Draft, text: str) -> Posted:
    """The proof on a page of the topic: the newest post of ours that says what we sent."""
    viewer = _viewer(soup)
    for node in reversed(soup.select(_POST)):
        post_id = _post_id(node)
        if not is_number(post_id) or viewer in {"", GUEST} or _author(node)[0] != viewer:
            continue
        if draft.edits not in {"", post_id}:
            continue
        words = own_words(need(node, f"#msg_{post_id}", answer.url), MARKUP)
        if is_same_post(text, words, edits=bool(draft.edits)):
            return _proof(post_id, answer.url, awaits_approval=_waits(node))
    topic, start = _place(soup, answer.url)
    before = [other for other in _starts(soup) if other < start]
    raise UnknownOutcomeError(
        answer.url,
        cure="read_back",
        reason="own_post_not_found",
        before=_page_url(answer.url, topic, max(before)) if before else "",
    )


def _returned_form(form: Tag, answer: Answer, draft: Draft) -> Draft:
    """Why the form has come back."""
    box = form.select_one("#errors")
    listed = form.select_one("#error_list")
    said = line_of(listed)[:300] if listed is not None else ""
    is_serious = box is not None and "errorbox" in box.get_attribute_list("class")
    if form.select_one(_CAPTCHA) is not None:
        raise ForbiddenError(answer.url, cure="solve_captcha")
    if not is_serious:
        # "While you were typing a new reply has been posted", and other mere warnings.
        return Draft(action_of(form, answer.url), _submission(form), draft.made_at, draft.edits)
    typed = need(form, "textarea[name=message]", answer.url)
    # A box with a red edge is the one that is filled in wrongly, in every language.
    if _BAD_TEXT.search(said) or "red" in attribute(typed, "style"):
        raise RefusedTextError(answer.url, cure="mend_text", said=said)
    cure = "load_form_again" if _BAD_TOKEN.search(said) else "read_forum_message"
    raise NotSentError(answer.url, cure=cure, said=said)


def _meant_by(soup: Tag, answer: Answer, *, missing: str) -> AdapterError:
    """What a page means that is not the one asked for."""
    if soup.select_one(_CLOSED) is not None:
        return error_for("closed", answer, "")
    code, said = _said(soup)
    if not code and not said:
        # The page that wants a second code comes instead of any; the login tells its owner.
        if soup.select_one(f"{_LOGIN_FORM}, {_SECOND_CODE}") is not None:
            return LoggedOutError(answer.url, cure="log_in_again")
        if answer.status == 200:
            return LayoutChangedError(answer.url, cure="send_page_to_maintainers", missing=missing)
    if code.startswith("cannot_"):
        return error_for("forbidden", answer, said)
    if code in _CODES:
        return error_for(_CODES[code], answer, said)
    # All that it says bears the status 403, so that status tells nothing.
    return meant(said, _MEANINGS, Answer(answer.url, 200 if said else answer.status, ""))


def _said(soup: Tag) -> tuple[str, str]:
    """The id and the words of a page that only says something; empty where it is none."""
    box = soup.select_one(_FATAL)
    return (attribute(box, "id"), line_of(box)[:300]) if box is not None else ("", "")


def _login_refusal(soup: Tag, answer: Answer) -> AdapterError:
    """Why nobody is let in."""
    code, said = _said(soup)
    if _WAITS.search(code):
        seconds = _SECONDS.search(said)
        wait_s = float(seconds[1]) + 1 if seconds else 60.0
        return BusyError(answer.url, cure="too_many_requests", wait_s=wait_s, said=said)
    form = soup.select_one(_LOGIN_FORM)
    if form is None or soup.select_one(_CLOSED) is not None:
        return _meant_by(soup, answer, missing=_LOGIN_FORM)
    trouble = form.select_one(".errorbox")
    said = line_of(trouble)[:300] if trouble is not None else ""
    if _BAD_TOKEN.search(said) or not said:
        return BusyError(answer.url, cure="load_form_again")
    return ForbiddenError(answer.url, cure="check_password", said=said)


def _viewer(soup: Tag) -> str:
    """Id of the user that a page was made for, or ``guest``; empty where it tells neither."""
    for script in soup.select("script"):
        member = _MEMBER.search(script.get_text())
        if member is not None and member[1] != "0":
            return member[1]
    if soup.select_one('a[href*="action=logout"]') is not None:
        return ""
    is_guest = soup.select_one(f'a[href*="action=login"], {_LOGIN_FORM}') is not None
    return GUEST if is_guest else ""


def _waits(node: Tag) -> bool:
    """Whether a moderator must let a post through first."""
    return "approvebg" in node.get_attribute_list("class")


def _post_id(node: Tag) -> str:
    return attribute(node, "id").removeprefix("msg")


def _post(node: Tag, url: str) -> Post:
    post_id = _post_id(node)
    # The body's id is the post's, so that another post's is never taken for it.
    words = own_words(body_of(node, f"#msg_{post_id}", url, never=_NEVER), MARKUP)
    sole(node, _AUTHOR, url)
    author_id, author_name = _author(node)
    return Post(
        id=post_id,
        author_id=author_id,
        author_name=author_name,
        own_words=words.own,
        set_aside=words.set_aside,
        # Boards can keep quiet about edits, and do so for some minutes after a post.
        edited=True if node.select_one(".modified.mvisible") is not None else None,
        url=urljoin(url, f"index.php?msg={post_id}"),
        awaits_approval=_waits(node),
    )


def _author(node: Tag) -> tuple[str, str]:
    """User id and name of a post's author; a deleted user's name is no link, like a guest's."""
    name = node.select_one(_AUTHOR)
    if name is None:
        return "", ""
    # The picture that tells who is online may be a link to the same person's messages.
    link = name.select_one('a[href*="action=profile"], a[href*="/profile/"]')
    user = _USER.search(attribute(link, "href")) if link is not None else None
    return (user[1] if user else GUEST), line_of(link if link is not None else name)


def _is_locked(soup: Tag) -> bool | None:
    if soup.select_one("#display_head .main_icons.lock") is not None:
        return True
    return False if soup.select_one(".button_strip_reply") is not None else None


def _place(soup: Tag, url: str) -> tuple[str, int]:
    """Topic and offset of a page: by itself, because the address asked for may be ``.new``."""
    canonical = soup.select_one('link[rel="canonical"]')
    for address in (attribute(canonical, "href") if canonical is not None else "", url):
        found = _TOPIC.search(address)
        if found is not None:
            return found["topic"], int(found["start"] or 0)
    raise LayoutChangedError(url, cure="send_page_to_maintainers", missing="link[rel=canonical]")


def _start(href: str) -> int:
    found = _TOPIC.search(href)
    return int(found["start"] or 0) if found is not None else 0


def _page_url(url: str, topic: str, start: int) -> str:
    """The plain address of a page, which boards with other ones take too."""
    parts = urlsplit(url)
    path = f"{parts.path.partition('index.php')[0].rpartition('/')[0]}/index.php"
    return urlunsplit((parts.scheme, parts.netloc, path, f"topic={topic}.{start}", ""))


def _proof(post_id: str, url: str, *, awaits_approval: bool = False) -> Posted:
    address = urljoin(url, f"index.php?msg={post_id}")
    return Posted(post_id, url=address, awaits_approval=awaits_approval)


def _submission(form: Tag) -> dict[str, str]:
    """All fields of a posting form but the message, and the button that posts."""
    fields = fields_of(form)
    fields.pop("message", None)
    # Back to the topic afterwards, or nothing would prove that the post has landed.
    fields["goback"] = "1"
    button = form.select_one("input[type=submit][name=post]")
    fields["post"] = attribute(button, "value") if button is not None else "Post"
    return fields
