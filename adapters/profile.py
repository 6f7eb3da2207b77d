"""What a selector profile may say: the markup of a kind of forum, as data.

A profile is a YAML file that a game master can write. ``referee.data`` reads it, the models below
check its form (unknown keys refused, every selector and pattern compiled), and
``adapters.profiled`` reads pages by it. The docstring under each field is its entry in
docs/profile-reference.md, which a test compares with this file.

Nothing here can compute: a selector finds, a pattern cuts out, a list of phrases recognises.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal
from zoneinfo import ZoneInfo

from bs4 import BeautifulSoup
from bs4.css import CSS
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

MAX_TEXT: Final = 500

_CSS: Final = CSS(BeautifulSoup("", "lxml"))
_PICK: Final = re.compile(r"(?P<at>.*?)\s*@(?P<attribute>[A-Za-z][\w:-]*)\s*", re.DOTALL)
_SLOT: Final = re.compile(r"\{([a-z]+)\}")


def _problem(code: str, **facts: str) -> PydanticCustomError:
    """An error that becomes a problem of that code; the sentences stand elsewhere."""
    return PydanticCustomError(code, code, dict(facts))


def _selector(value: str) -> str:
    if value:
        try:
            _CSS.compile(value)
        except Exception as error:  # noqa: BLE001 - whatever the library finds wrong with it
            found = re.search(r"position ([0-9]+)", str(error))
            raise _problem("bad_selector", expected=found[1] if found else "") from None
    return value


def _pattern(value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise _problem("bad_pattern", expected=str(error.pos or 0)) from None
    return value


def _grouped(value: str) -> str:
    if value and not re.compile(_pattern(value)).groups:
        raise _problem("pattern_without_group", expected="p([0-9]+)")
    return value


def _topical(value: str) -> str:
    if "topic" not in re.compile(_pattern(value)).groupindex:
        raise _problem("pattern_without_group", expected="t=(?P<topic>[0-9]+)")
    return value


def _zone(value: str) -> str:
    try:
        ZoneInfo(value)
    except (KeyError, ValueError, OSError):
        raise _problem("unknown_zone") from None
    return value


def _pick(value: object) -> object:
    """``a.user @href`` is short for ``{at: a.user, attribute: href}``; without @ it is the text."""
    if not isinstance(value, str):
        return value
    found = _PICK.fullmatch(value)
    return {"at": value} if found is None else found.groupdict()


def _phrases(value: object) -> object:
    return [value] if isinstance(value, str) else value


Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
Selector = Annotated[str, Field(max_length=MAX_TEXT), AfterValidator(_selector)]
NeededSelector = Annotated[str, Field(min_length=1, max_length=MAX_TEXT), AfterValidator(_selector)]
Pattern = Annotated[str, Field(max_length=MAX_TEXT), AfterValidator(_grouped)]
AddressPattern = Annotated[str, Field(max_length=MAX_TEXT), AfterValidator(_topical)]
Address = Annotated[str, Field(max_length=MAX_TEXT)]
Phrases = Annotated[tuple[Text, ...], BeforeValidator(_phrases), Field(max_length=30)]
ProfileName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,59}$")]


class Part(BaseModel):
    """A mapping whose keys are all known."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, str_strip_whitespace=True, coerce_numbers_to_str=True
    )


class Pick(Part):
    """Where a short text stands. ``a.user @href`` does as well as the long form."""

    at: Selector = ""
    """Selector of the element; the post itself where left out."""
    attribute: Annotated[str, Field(max_length=60)] = ""
    """The attribute that holds it; the element's text where left out."""
    pattern: Pattern = ""
    """Regular expression with one group that cuts out what counts; the whole where left out. Of
    several elements the first that matches counts."""


PickText = Annotated[Pick, BeforeValidator(_pick)]


class Smiley(Part):
    """Pictures that the forum makes of typed text."""

    at: NeededSelector
    """Selector of the pictures."""
    attribute: Annotated[str, Field(min_length=1, max_length=60)]
    """The attribute that tells what was typed."""


class Saying(Part):
    """How the forum says something: by a mark in the page, or in words, by language."""

    mark: Selector = ""
    """A selector that matches only then; surer than words."""
    es: Phrases = ()
    """Phrases of whole words in Spanish, any of which suffices. Case, accents and punctuation
    don't count."""
    en: Phrases = ()
    """Phrases in English."""
    other: Phrases = ()
    """Phrases in other languages."""

    @property
    def phrases(self) -> tuple[str, ...]:
        """In whatever language."""
        return (*self.es, *self.en, *self.other)


class About(Part):
    """What the profile is for and how sure its parts are."""

    text: Annotated[str, Field(max_length=2000)] = ""
    """For whom it is and what it was made from."""
    seen: tuple[Text, ...] = ()
    """Fields seen on a page or in public sources: ``posts.body``, or ``posts`` for all in it."""
    assumed: tuple[Text, ...] = ()
    """Fields that nobody has checked on a live page."""


class Topic(Part):
    """The addresses of a topic and its pages, after the site's ``base_url``."""

    pattern: AddressPattern
    """Regular expression that finds a topic in an address (path and query). Groups: ``topic``
    (needed), ``place`` (page number or offset), and any others that the addresses below use."""
    first: Address
    """Address of the first page: ``viewtopic.php?t={topic}``."""
    page: Address = ""
    """Address of a further page: ``viewtopic.php?t={topic}&start={place}``; left out where a topic
    has one page only."""
    post: Address = ""
    """Permanent address of a post, with ``{post}``."""
    defaults: dict[str, Annotated[str, Field(max_length=100)]] = {}
    """What stands for a group that an address lacks, such as ``{slug: x}``."""
    counts: Literal["page", "offset"] = "page"
    """Whether ``place`` is a page number or the number of posts before the page."""
    first_place: Annotated[int, Field(ge=0, le=1)] = 1
    """``place`` of the first page: 1, or 0 for offsets."""
    past_end: Literal["last_page", "first_page", "empty", "gone"] = "gone"
    """What an address past the end gives. Where it is another page, ``page.place`` is needed."""

    @model_validator(mode="after")
    def _slots_are_known(self) -> "Topic":
        known = {*re.compile(self.pattern).groupindex, *self.defaults, "topic", "place", "post"}
        for address in (self.first, self.page, self.post):
            for slot in _SLOT.findall(address):
                if slot not in known:
                    raise _problem("unknown_slot", given=f"{{{slot}}}", expected=_listed(known))
        return self


class Author(Part):
    """Who wrote a post."""

    id: PickText
    """The user id (needed): what the config calls ``player``. Not the display name, unless the
    forum has nothing else. Never looked for inside the body, which players write."""
    name: PickText | None = None
    """The display name; the id where left out."""
    guest: Selector = ""
    """Matches in a post whose author has no account (any more), so that the id may be missing."""


class Date(Part):
    """When a post was made, where the page tells it for certain."""

    at: PickText
    """The element, and the attribute that holds it."""
    format: Annotated[str, Field(min_length=1, max_length=60)] = "iso"
    """``iso``, ``unix``, ``unix_ms``, or as for strptime: ``%d/%m/%Y, %H:%M``."""
    zone: Annotated[str, AfterValidator(_zone)] = ""
    """Zone of a date that names none, such as ``Europe/Madrid``. Without it such a date is left
    out."""


class Posts(Part):
    """The posts of a page."""

    container: NeededSelector
    """Each post (needed). Containers inside another one are players' work and are left out."""
    id: PickText
    """The post's id (needed): unique and lasting, never its number on the page."""
    again: PickText | None = None
    """Where the same id stands again in every post, outside the body: a permalink, a button that
    quotes. All that match must say the same, else posts have run together on a damaged page."""
    author: Author
    """Who wrote it (needed)."""
    body: NeededSelector
    """The element with the author's words (needed)."""
    aside: Selector = ""
    """Words in the post that are not part of the tale: kept for the evidence, tags don't count."""
    date: Date | None = None
    """When it was made."""
    edited: Selector = ""
    """Matches in posts that were edited."""
    waiting: Selector = ""
    """Matches in posts that wait for a moderator; of those only the account's own count."""
    skip: Selector = ""
    """Containers that are no posts for everybody: deleted, hidden, adverts."""


class Words(Part):
    """How the forum dresses the words of a post. Selectors joined by > are the fast ones."""

    quotes: Selector = "blockquote"
    """Quoted posts: tags in them are not their quoter's."""
    code: Selector = "pre"
    """Code blocks: tags in them are examples."""
    furniture: Selector = ""
    """What the forum writes around the words: headings of quotes, signatures, edit notices."""
    smilies: Annotated[tuple[Smiley, ...], Field(max_length=10)] = ()
    """Pictures made of typed text; the first entry that matches a picture counts."""
    smiley_codes: dict[str, Annotated[str, Field(max_length=20)]] = {}
    """What was typed for an attribute that holds a name: ``{Wink: ";)"}``."""
    drops_scheme: bool = False
    """``true`` where the board cuts ``https://`` off the words of a link."""


class Page(Part):
    """What else a topic's page tells."""

    links: Selector = ""
    """Links to the topic's other pages; where they lead is found by ``topic.pattern``."""
    next: PickText | None = None
    """Address of the next page, where ``links`` cannot tell it."""
    previous: PickText | None = None
    """Address of the page before."""
    last: PickText | None = None
    """Address of the last page."""
    place: PickText | None = None
    """This page's own place, or an address that holds it; the address asked for where left out."""
    title: PickText | None = None
    """Title of the topic."""
    locked: Selector = ""
    """Matches when nobody can reply."""
    viewer: PickText | None = None
    """User id of the account that the page was made for."""
    logged_in: Selector = ""
    """Matches only on pages for somebody who has logged in."""
    guest: Selector = ""
    """Matches only on pages for guests."""


class Login(Part):
    """How to log in."""

    address: Address
    """Where the form is, after ``base_url``."""
    form: NeededSelector
    """The form; it is sent back whole."""
    user: Text = "username"
    """Its field for the user name."""
    password: Text = "password"  # noqa: S105 - the name of a field
    """Its field for the password."""
    also: dict[str, Annotated[str, Field(max_length=100)]] = {}
    """Further fields to send, such as the button: ``{login: Log in, autologin: "on"}``."""
    captcha: Selector = ""
    """Matches when the form wants to see a human being. The widgets of reCAPTCHA, hCaptcha and
    Turnstile are known without it."""
    min_age_s: Annotated[float, Field(ge=0, le=120)] = 0.0
    """How old the form must be before the forum takes it."""
    id_is_name: bool = False
    """``true`` where user ids are user names and a page does not tell whose it is."""


class Form(Part):
    """A form that takes a text. It is sent back whole, with its hidden fields."""

    address: Address
    """Where it is: ``{topic}`` and the other groups of ``topic.pattern``; ``{post}`` for edits."""
    form: NeededSelector
    """The form."""
    message: Text = "message"
    """Its field for the text."""
    also: dict[str, Annotated[str, Field(max_length=100)]] = {}
    """Further fields to send, such as the button that posts."""
    landed: Pattern = ""
    """Cuts the new post's id out of the address to which a success leads."""
    link: PickText | None = None
    """Where the page that tells of success holds the new post's id."""
    min_age_s: Annotated[float, Field(ge=0, le=120)] = 0.0
    """How old the form must be before the forum takes it."""


class Says(Part):
    """What the forum's notices mean.

    Looked for only where no player's words stand: the posts, the forms and ``ignore`` are left out.
    """

    notice: Selector = "body"
    """Where notices stand."""
    ignore: Selector = ""
    """What holds players' words or standing furniture beside the posts: reviews of a topic."""
    success: Saying = Saying()
    """The post has been taken."""
    queued: Saying = Saying()
    """The post has been taken and waits for a moderator."""
    again: Saying = Saying()
    """Somebody posted meanwhile: the form that came back is sent again."""
    flood: Saying = Saying()
    """Too soon after the last post."""
    token: Saying = Saying()
    """The form has expired."""
    refused: Saying = Saying()
    """The text is not taken: empty, too long."""
    locked: Saying = Saying()
    """Nobody can reply any more."""
    banned: Saying = Saying()
    """The account is banned."""
    forbidden: Saying = Saying()
    """The account may not read or write there."""
    gone: Saying = Saying()
    """There is no such topic."""
    closed: Saying = Saying()
    """The whole forum is closed for a while."""
    flood_wait_s: Annotated[float, Field(ge=1, le=3600)] = 30.0
    """How long to wait after ``flood`` where it does not say."""
    wait: Pattern = ""
    """Cuts the seconds to wait out of the notice: ``([0-9]+) seconds``."""


class Profile(Part):
    """A kind of forum."""

    name: ProfileName = "profile"
    """What messages call it; the file's own name where left out."""
    like: Annotated[str, Field(max_length=60)] = ""
    """A built-in profile that this one starts from: only what differs need be given."""
    engines: tuple[ProfileName, ...] = ()
    """Built-in profiles that are tried on each page; the first that knows its posts reads it."""
    about: About = About()
    """What it is for, and what in it is certain."""
    marks: Selector = ""
    """Matches on every page of such a forum and on no other: for finding the profile of a page."""
    dialect: Literal["bbcode", "markdown", "html", "text"] = "bbcode"
    """Markup that the posting form takes."""
    spoilers: Literal["spoiler", "details", ""] = ""
    """How the dialect folds text, where it does."""
    tables: bool = True
    """``false`` where columns of tables run into one another."""
    max_post_chars: Annotated[int, Field(ge=1000, le=1_000_000)] = 10_000
    """Longest post."""
    settle_s: Annotated[float, Field(ge=10, le=3600)] = 120.0
    """Longer than the server works on a post whose sender has gone."""
    topic: Topic
    """The addresses of a topic (needed)."""
    posts: Posts
    """The posts of a page (needed)."""
    words: Words = Words()
    """How words are dressed."""
    page: Page = Page()
    """What else a page tells."""
    login: Login | None = None
    """How to log in; left out, the forum is read as a guest."""
    reply: Form | None = None
    """The form for replies; left out, the forum is only read."""
    edit: Form | None = None
    """The form that edits a post; left out, the referee writes a new one instead."""
    says: Says = Says()
    """What notices mean."""


def given_fields(raw: Mapping[str, Any], above: str = "") -> tuple[str, ...]:
    """Dotted names of the fields that a profile's file gives, for comparing with ``about``."""
    models: Mapping[str, type[Part]] = {
        "topic": Topic, "posts": Posts, "words": Words, "page": Page, "login": Login,
        "reply": Form, "edit": Form, "says": Says, "posts.author": Author,
    }  # fmt: skip
    fields: list[str] = []
    for key, value in raw.items():
        name = f"{above}.{key}" if above else key
        if name in models and isinstance(value, Mapping):
            fields.extend(given_fields(value, name))
        else:
            fields.append(name)
    return tuple(fields)


def _listed(names: set[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names))
