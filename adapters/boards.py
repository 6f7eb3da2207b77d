"""How one goes about classic boards: pages of posts, a form to log in, a form to post.

phpBB, MyBB and SMF differ in addresses, classes and words; what is the same about them stands here
once. Nothing here knows a board by name.
"""

import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import parse_qs, urljoin, urlsplit

from bs4 import Tag

from adapters.base import (
    GUEST,
    MARK,
    Account,
    Answer,
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
    UnknownOutcomeError,
    UnreachableError,
    without_secrets,
)
from adapters.html import Words, attribute, fields_of, remembered, soup_of
from adapters.letters import by_others, worth_reading

# How often in a row others may post while we do.
_MOST_REVIEWS: Final = 4
_MOST_READ: Final = 64

MEANING_OF_STATUS: Final = {401: "forbidden", 403: "forbidden", 404: "gone", 410: "gone"}
_ERRORS: Final[Mapping[str, tuple[type[AdapterError], str]]] = {
    "locked": (LockedError, "thread_is_locked"),
    "banned": (ForbiddenError, "banned"),
    "closed": (BusyError, "maintenance"),
    "gone": (GoneError, "check_topic"),
    "forbidden": (ForbiddenError, "check_permissions"),
    # It may be the board's own words for "closed for today", so time may mend it.
    "": (BusyError, "read_forum_message"),
}
# A code that a telephone tells, asked for on a page of its own once the password was right: SMF's,
# and what extensions and plugins of other boards call such a field.
_SECOND_FACTOR: Final = (
    'form#frmTfa, form input[autocomplete="one-time-code"], form input[name^="tfa" i], '
    'form input[name*="2fa" i], form input[name="otp" i], form input[name*="totp" i]'
)
# What wants to see a human being, whatever the board.
_WIDGETS: Final = ".g-recaptcha, .h-captcha, .cf-turnstile"
_WORD: Final = re.compile(r"\w{3,}")
_BBCODE: Final = re.compile(r"\[/?[a-z*]{1,20}(?:=[^\]\n]{0,300})?\]", re.IGNORECASE)

Meanings = Iterable[tuple[str, re.Pattern[str]]]


def reader(
    calm: Callable[[str], str], read: Callable[[str, str, int], ThreadPage]
) -> Callable[[str, str, int], ThreadPage]:
    """What reads a board's pages, and remembers what they said.

    These boards send no validators: a page that was read before, byte for byte or but for what
    changes on every reading, is not read again.

    Args:
        calm: Takes out of a page what changes on every reading.
        read: Reads what is left, from its address and status.
    """
    read_area = remembered(_MOST_READ)(read)

    @remembered(_MOST_READ)
    def read_whole(text: str, url: str, status: int) -> ThreadPage:
        return read_area(calm(text), without_secrets(url), status)

    return read_whole


def counted(posts: Sequence[Post], viewer: str) -> tuple[Post, ...]:
    """The posts that are there for everybody, and our own that wait for approval.

    Our own must show, or a post that waits for its moderator would be posted again. Nobody but a
    moderator ever sees a page of other waiting posts alone: it must not look empty.

    Args:
        posts: All of a page.
        viewer: Whom the page was made for: an id, ``guest`` or nothing.
    """
    seen = (post for post in posts if not post.awaits_approval or is_own(post.author_id, viewer))
    return tuple(seen) or silent(posts)


def silent(posts: Iterable[Post]) -> tuple[Post, ...]:
    """The same posts without their words."""
    return tuple(replace(post, own_words="", set_aside="") for post in posts)


def is_own(author_id: str, viewer: str) -> bool:
    """Whether an author is the one whom the page was made for; guests are anybody."""
    return author_id == viewer not in {"", GUEST}


@dataclass(frozen=True, slots=True)
class LoginForm:
    """How a board asks who somebody is.

    Attributes:
        form: Selector of the form.
        fields: What its fields for the name and for the password are called.
        more: Fields that a person would tick or click: to be remembered, the button.
        viewer: Tells from a page whom it was made for: an id, ``guest`` or nothing.
        refusal: Tells from a page why it lets nobody in.
        puzzle: Selector of what a form holds that a human being must solve.
        min_age_s: How old the form must be.
    """

    form: str
    fields: tuple[str, str]
    viewer: Callable[[Tag], str]
    refusal: Callable[[Tag, Answer], AdapterError]
    more: Mapping[str, str] = field(default_factory=dict)
    puzzle: str = ""
    min_age_s: float = 0.0


async def log_in(http: Http, url: str, account: Account | None, how: LoginForm) -> str:
    """Log in and return the account's id; a session that still holds is used as it is.

    Raises:
        ForbiddenError: no account, a wrong password, a CAPTCHA, a second code.
        UnreachableError: no answer; logging in twice harms nobody.
    """
    if account is None:
        raise ForbiddenError(url, cure="no_account")
    answer = await http.get(url)
    soup = soup_of(answer.text, answer.url)
    viewer = how.viewer(soup)
    if viewer not in {"", GUEST}:
        return viewer
    form = soup.select_one(how.form)
    if form is None:
        raise wants_a_person(soup, None, "", answer.url) or how.refusal(soup, answer)
    puzzled = wants_a_person(None, form, how.puzzle, answer.url)
    if puzzled is not None:
        # Without its answer the try would fail, and count as one more.
        raise puzzled
    given = zip(how.fields, (account.username, account.secret), strict=True)
    filled = {**fields_of(form), **dict(given), **how.more}
    await http.settle(how.min_age_s)
    try:
        answer = await http.send(action_of(form, answer.url), form=filled)
    except UnknownOutcomeError as error:
        raise UnreachableError(url, cure="unreachable", wait_s=error.wait_s) from None
    answer, landing = await landed_on(http, answer)
    viewer = how.viewer(landing)
    if viewer not in {"", GUEST}:
        return viewer
    form = landing.select_one(how.form)
    raise wants_a_person(landing, form, how.puzzle, answer.url) or how.refusal(landing, answer)


def wants_a_person(
    landing: Tag | None, form: Tag | None, puzzle: str, url: str
) -> ForbiddenError | None:
    """Why only a human being gets in, if so.

    Args:
        landing: The page that came once the password was sent, or one instead of the form.
        form: A login form, and
        puzzle: selector of what it holds to be solved, besides the widgets of the known services.
        url: Where it stands.
    """
    if form is not None and form.select_one(", ".join(filter(None, (puzzle, _WIDGETS)))):
        return ForbiddenError(url, cure="solve_captcha")
    if landing is not None and landing.select_one(_SECOND_FACTOR) is not None:
        return ForbiddenError(url, cure="second_factor")
    return None


async def landed_on(http: Http, answer: Answer) -> tuple[Answer, Tag]:
    """The page that an answer leads on to by itself, where it is one of "you will be taken to"."""
    soup = soup_of(answer.text, answer.url)
    target = refresh_of(soup, answer.url)
    if target:
        answer = await http.get(target)
        soup = soup_of(answer.text, answer.url)
    return answer, soup


def refresh_of(soup: Tag, url: str) -> str:
    """Where a page leads on to by itself after some seconds, or an empty string."""
    meta = soup.select_one('meta[http-equiv="refresh" i]')
    if meta is None:
        return ""
    _wait, _mark, target = attribute(meta, "content").partition("=")
    try:
        return urljoin(url, target.strip("'\" ")) if target else ""
    except ValueError:
        return ""


async def read_page(
    http: Http,
    url: str,
    account: Account | None,
    parse: Callable[..., ThreadPage],
    *,
    conditional: bool,
) -> ThreadPage | None:
    """Read one page of a topic; None only when ``conditional`` and nothing has changed.

    Raises:
        LoggedOutError: a login form or a guest's page, though we have an account.
    """
    answer = await http.get(url, conditional=conditional)
    if answer.unchanged:
        return None
    try:
        page = parse(answer.text, answer.url, status=answer.status)
    except LoggedOutError:
        if account is None:
            raise ForbiddenError(url, cure="no_account") from None
        raise
    if account is not None and page.viewer_id == GUEST:
        raise LoggedOutError(url, cure="log_in_again")
    return page


@dataclass(frozen=True, slots=True)
class Inbox:
    """The first page of the private messages that an account has received.

    Attributes:
        viewer_id: Whose they are; ``guest`` where the page was made for nobody.
        letters: Addresses of the messages with their author's user id (with none where profiles
            are closed to the account), the newest first.
    """

    viewer_id: str
    letters: tuple[tuple[str, Collection[str]], ...]


async def read_letters(
    http: Http,
    url: str,
    account: Account | None,
    writers: Collection[str],
    inbox: Callable[[Answer], Inbox],
    letter: Callable[[Answer], ThreadPage],
) -> tuple[Letter, ...]:
    """Read the newest private messages of those who are awaited, a page each.

    Args:
        http: Where to ask.
        url: Of the inbox.
        account: Whose inbox it is.
        writers: Who is awaited.
        inbox: Reads the list.
        letter: Reads the page of a message: one post, titled with its subject.

    Raises:
        LoggedOutError: a login form or a guest's page.
    """
    if account is None:
        raise ForbiddenError(url, cure="no_account")
    found = inbox(await http.get(url))
    if found.viewer_id == GUEST:
        raise LoggedOutError(url, cure="log_in_again")
    pages = [letter(await http.get(one)) for one in worth_reading(found.letters, writers)]
    return by_others(pages)


async def submit(
    http: Http,
    draft: Draft,
    text: str,
    outcome: Callable[[Answer, Draft, str], Posted | Draft],
    *,
    min_age_s: float,
    busy_wait_s: float,
    proof: Callable[[str, Draft], Posted | None] = lambda _url, _draft: None,
) -> Posted:
    """Send a draft; a form that comes back because somebody has posted since is sent again.

    Args:
        http: The client.
        draft: What to send, and
        text: with which message.
        outcome: Tells what became of it, or hands out the form that wants to be sent again.
        min_age_s: How old a form must be.
        busy_wait_s: How long to leave a thread alone in which others post all the time.
        proof: Reads it from the address of a page that was lost, where that proves anything.
    """
    await http.settle(draft.made_at + min_age_s - http.now())
    url, fields = draft.url, dict(draft.fields)
    for _attempt in range(_MOST_REVIEWS):
        try:
            answer = await http.send(url, form={**fields, "message": text})
        except UnknownOutcomeError as error:
            posted = proof(error.url, draft)
            if posted is None:
                raise
            return posted
        result = outcome(answer, draft, text)
        if isinstance(result, Posted):
            return result
        url, fields = result.url, dict(result.fields)
        await http.settle(min_age_s)
    raise NotSentError(draft.url, cure="thread_is_busy", wait_s=busy_wait_s)


def meant(said: str, meanings: Meanings, answer: Answer) -> AdapterError:
    """What a page means that only says something.

    What locks and bans is told by the words; for the rest the status counts before them.
    """
    meaning = next((name for name, words in meanings if words.search(said)), "")
    if meaning not in {"locked", "banned"}:
        meaning = MEANING_OF_STATUS.get(answer.status, meaning)
    return error_for(meaning, answer, said)


def error_for(meaning: str, answer: Answer, said: str) -> AdapterError:
    """The error for a meaning: ``locked``, ``banned``, ``closed``, ``gone``, ``forbidden``."""
    kind, cure = _ERRORS[meaning]
    return kind(answer.url, cure=cure, said=said, status=answer.status)


def refused_by(meaning: AdapterError) -> AdapterError:
    """The same for a page that came instead of a post: what is not certain may have landed."""
    if meaning.cure == "maintenance":
        # A closed board does not even look at what was sent.
        return NotSentError(meaning.url, cure="maintenance")
    if isinstance(meaning, (BusyError, LayoutChangedError)):
        return UnknownOutcomeError(meaning.url, cure="read_back", reason=meaning.cure)
    return meaning


async def why_no_form(
    error: AdapterError, topic_page: Callable[[], Awaitable[ThreadPage | None]], url: str
) -> AdapterError:
    """Why a form is not there; where the words don't tell, the topic's own page does.

    Args:
        error: What the words tell.
        topic_page: Reads the topic's first page.
        url: Where the form should be.
    """
    if error.cure != "read_forum_message":
        return error
    page = await topic_page()
    if page is not None and page.locked:
        return LockedError(url, cure="thread_is_locked")
    return ForbiddenError(url, cure="check_permissions", said=error.facts["said"])


def is_same_post(text: str, words: Words, *, edits: bool = False) -> bool:
    """Whether a post of ours on a page is what we sent.

    Its mark tells: a board may put whatever it likes in the place of any other word. An edit has
    the mark of the post that it changes, so that there all its words must stand. Where the board
    has put asterisks for words that it does not allow, a few may be missing, but none with a digit
    in it: figures and hashes tell two wordings apart.

    Args:
        text: What was sent.
        words: What the post says.
        edits: Whether it was sent to change that post.
    """
    seen = f"{words.own}\n{words.set_aside}"
    marks = set(MARK.findall(text))
    if marks and not edits:
        return marks.issubset(MARK.findall(seen))
    sent = set(_WORD.findall(_BBCODE.sub(" ", text)))
    missing = sent.difference(_WORD.findall(seen))
    if "**" in seen and not any(map(_has_digit, missing)):
        return bool(sent) and len(missing) * 10 <= len(sent)
    return bool(sent) and not missing


def _has_digit(word: str) -> bool:
    return any(letter.isdecimal() for letter in word)


def assure_oldest_first(posts: Sequence[Post], url: str) -> None:
    """Check that an account sees posts in the order in which they were made.

    Boards let accounts turn it round, and then the newest post is on the first page. Numbers grow
    with time but for topics that were merged, so only a page that goes down throughout counts.

    Raises:
        ForbiddenError: it does not.
    """
    numbers = [int(post.id) for post in posts]
    if len(numbers) > 2 and numbers == sorted(numbers, reverse=True):
        raise ForbiddenError(url, cure="show_oldest_first")


def action_of(form: Tag, url: str) -> str:
    """Where a form goes; its session id is in the cookies, and must not lie about in addresses."""
    return without_secrets(urljoin(url, attribute(form, "action")))


def query_of(url: str) -> dict[str, str]:
    """The first value of each parameter of an address."""
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


def is_number(text: str) -> bool:
    """Whether a text is an id as these boards give them."""
    return text.isascii() and text.isdecimal() and len(text) < 20
