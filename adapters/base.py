"""The contract of a platform adapter, small enough to write one in an evening.

An adapter is a class that asks and pure functions that read. It gets a polite HTTP client and
holds only what is peculiar to its platform. To post is two steps, so that the shell can store the
form with its token before the socket opens and send the very same form again after a crash.
"""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Final, Literal, Protocol, runtime_checkable

from adapters.errors import LayoutChangedError

GUEST: Final = "guest"
"""Author id of whoever posts without an account, and viewer id of a page that is made for them."""

MARK: Final = re.compile(r"ref-[bcdfghjkmnpqrstvwxz2-9]{8}")
"""One in every post of the referee, in plain text; no two posts have the same, edits keep it."""

Dialect = Literal["bbcode", "markdown", "html", "text"]
Form = Mapping[str, str | list[str]]
"""Fields of a form by name; several values where several fields have one name."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a platform can do; the shell asks before use.

    Attributes:
        dialect: Markup that its posting form takes.
        edits: Whether the referee can edit its own posts.
        max_post_chars: Longest post, in characters.
        spoilers: Whether the dialect folds text, and how: ``spoiler`` tag, ``details`` or nothing.
        tables: False where the platform shows tables so that columns run into one another.
        fences: False where a block of Markdown code is told by its indentation only.
        remote: False for a thread that needs no network (the folder).
        min_form_age_s: How old a form must be before the platform takes it.
        token_lifetime_s: How long a form can be sent again so that a twin is refused; 0 where the
            platform does not guard against twins.
        settle_s: Longer than the server works on a post after its client has gone.
        merges: What the platform sets between two posts of one account that it makes one of,
            because nobody has posted between them; empty where each stays by itself.
        merge_window_s: For how long after the first of them it does so.
        letters: Whether private messages to the referee can be read (``Mailbox``).
    """

    dialect: Dialect
    edits: bool
    max_post_chars: int
    spoilers: Literal["spoiler", "details", ""] = ""
    tables: bool = True
    fences: bool = True
    remote: bool = True
    min_form_age_s: float = 0.0
    token_lifetime_s: float = 0.0
    settle_s: float = 90.0
    merges: str = ""
    merge_window_s: float = 0.0
    letters: bool = False


@dataclass(frozen=True, slots=True)
class Post:
    """One post as a reader sees it, taken apart.

    ``id``, ``author_id`` and ``own_words`` are mandatory; an adapter that cannot find them raises
    ``LayoutChangedError``. The rest is optional and degrades.

    Attributes:
        id: The platform's id of the post, never its number on the page.
        author_id: The platform's id of its author, never the display name. Guests: ``guest``.
        author_name: The display name.
        own_words: Text of the author: no quotes, code, signature, edit notice. Spoilers count.
            Lines as shown; forum markup (smilies, links, mentions) is back to what was typed.
        set_aside: Text of quotes and code blocks, for finding a tag lost inside them and for the
            evidence of the referee's own posts.
        posted_at: UTC, where the platform tells it for certain.
        edited: True or False where the platform tells it.
        url: Permanent address of the post, without secrets.
        awaits_approval: True for a post of the account's own that only it and moderators see yet.
    """

    id: str
    author_id: str
    author_name: str
    own_words: str
    set_aside: str = ""
    posted_at: datetime | None = None
    edited: bool | None = None
    url: str = ""
    awaits_approval: bool = False


@dataclass(frozen=True, slots=True)
class Letter:
    """A private message to the referee's account; ``title`` is its subject, where it has one."""

    title: str
    post: Post


@dataclass(frozen=True, slots=True)
class ThreadPage:
    """One page of a thread, complete: an adapter never hands out half a page.

    Attributes:
        url: Address that reads this page again, without secrets.
        posts: In the order of the thread; never empty (an empty page is an error).
        next_url: Address of the next page, or empty on the last one.
        previous_url: Address of the page before, or empty on the first one.
        last_url: Address of the last page, where this page tells it.
        title: Title of the thread.
        locked: Whether nobody can reply, where the page tells it.
        viewer_id: User id of the account that the page was made for, where it tells it;
            ``guest`` when it shows a guest's page.
        digest: Hash of the post area, for noticing edits without parsing.
    """

    url: str
    posts: tuple[Post, ...]
    next_url: str = ""
    previous_url: str = ""
    last_url: str = ""
    title: str = ""
    locked: bool | None = None
    viewer_id: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Account:
    """Who the referee is on a site.

    Attributes:
        username: The account's name there.
        secret: A password or a key; the repr hides it.
        is_key: Whether it is a key, for platforms that take either.
    """

    username: str
    secret: str = field(repr=False)
    is_key: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """A reply or an edit that is ready to be sent: the form with its tokens, but not the text.

    Plain data, so that the shell can store it before it is sent and send it again.

    Attributes:
        url: Where it goes.
        fields: Form fields or JSON body, tokens included; never logged.
        made_at: Unix time at which the form was loaded, for its age.
        edits: Id of the post that it edits, or empty for a reply.
    """

    url: str
    fields: Mapping[str, Any] = field(repr=False)
    made_at: float
    edits: str = ""


@dataclass(frozen=True, slots=True)
class Posted:
    """Proof that a post has landed: its id as the platform tells it.

    ``awaits_approval`` is True where a moderator must let it through first.
    """

    post_id: str
    url: str = ""
    awaits_approval: bool = False


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError(pairs)
    return members


# Where two objects have run together, one post's author would stand over the other's words.
STRICT_JSON: Final = json.JSONDecoder(object_pairs_hook=_members)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered, whole and decoded.

    Attributes:
        url: Final address, after redirects, without secrets.
        status: HTTP status.
        text: The body; empty when ``unchanged``.
        unchanged: True for 304: nothing new since the validators that were sent.
        headers: Lower-case names.
    """

    url: str
    status: int
    text: str
    unchanged: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)

    def json(self) -> Any:
        """The body as JSON.

        Raises:
            LayoutChangedError: it is none, or an object names a member twice.
        """
        try:
            return STRICT_JSON.decode(self.text)
        except (ValueError, RecursionError):
            raise LayoutChangedError(
                self.url, cure="send_page_to_maintainers", missing="json"
            ) from None


class Http(Protocol):
    """The polite client that the shell lends to adapters.

    Rate, retries of reads, time-outs, cookies, size limits, completeness and error statuses are
    its work, once for all platforms.

    ``get`` raises ``BusyError`` for 429 and 5xx, with ``wait_s`` from Retry-After. ``send`` raises
    ``NotSentError`` for 429, and ``UnknownOutcomeError`` when the request may have been acted on.
    Both raise ``UnreachableError`` when nothing was sent. Other statuses come back as answers.
    """

    async def get(
        self, url: str, *, headers: Mapping[str, str] | None = None, conditional: bool = False
    ) -> Answer:
        """Read a page; ``conditional`` sends the validators kept for that address."""
        ...

    async def send(
        self,
        url: str,
        *,
        form: Form | None = None,
        json: Any = None,
        method: str = "POST",
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send a form or JSON once, never twice; redirects are followed with GET."""
        ...

    async def settle(self, seconds: float) -> None:
        """Wait, on the client's own clock."""
        ...

    def now(self) -> float:
        """Unix time on the client's own clock."""
        ...


@runtime_checkable
class Adapter(Protocol):
    """A platform. One object per site; it holds the base address and the account, no state."""

    platform: ClassVar[str]
    capabilities: Capabilities

    async def login(self, http: Http) -> str:
        """Log in and return the account's own user id.

        Raises:
            ForbiddenError: wrong password, CAPTCHA, banned: stop and tell the owner.
            LayoutChangedError: no login form where it should be.
        """
        ...

    async def fetch(self, http: Http, url: str, *, conditional: bool = False) -> ThreadPage | None:
        """Read one page of a thread; None only when ``conditional`` and nothing has changed.

        Raises:
            LoggedOutError: the page shows a login form or a guest's view though we had logged in.
            BusyError: maintenance, or a page cut short.
            GoneError, ForbiddenError, LayoutChangedError.
        """
        ...

    def thread_url(self, topic: str) -> str:
        """Address of the first page of a topic given as the config gives it: an id or a URL."""
        ...

    async def draft(self, http: Http, topic: str, *, edits: str = "") -> Draft:
        """Load the reply form (or the form that edits a post) with all its fields.

        Raises:
            LockedError, ForbiddenError, LoggedOutError, LayoutChangedError.
        """
        ...

    async def send(self, http: Http, draft: Draft, text: str) -> Posted:
        """Send a draft with its text; success is proved by the id of the new post.

        Raises:
            NotSentError: refused for now (flood, token too young), with ``wait_s``.
            UnknownOutcomeError: it may have landed; the shell reads back.
            LockedError, ForbiddenError, RefusedTextError, LoggedOutError.
        """
        ...


@runtime_checkable
class Mailbox(Protocol):
    """What an adapter has besides, where its capabilities say ``letters``."""

    async def letters(self, http: Http, writers: Collection[str]) -> tuple[Letter, ...]:
        """The newest private messages that others have written to the account, oldest first.

        Args:
            http: Where to ask.
            writers: User ids of those who are awaited. The others' may be among what is found, but
                nothing need be asked for them.

        Raises:
            LoggedOutError, BusyError, ForbiddenError, LayoutChangedError.
        """
        ...


@runtime_checkable
class Interfaced(Protocol):
    """What an adapter has besides that reads by a site's interface for programs.

    A robots.txt speaks of pages, and to those who gather them: Misago's own closes ``/api/`` and
    ``/p/`` and leaves the threads open. So a thread is judged by the page that people see.
    """

    def page_for_people(self, topic: str) -> str:
        """Where a browser finds a topic, given as the config gives it.

        The front page for one that only its members find: no crawler's visit could be meant.
        """
        ...


def page_of(adapter: Adapter, topic: str) -> str:
    """The page of a topic that a site's robots.txt is asked about.

    Raises:
        GoneError: no topic's address, or another site's.
    """
    if isinstance(adapter, Interfaced):
        return adapter.page_for_people(topic)
    return adapter.thread_url(topic)
