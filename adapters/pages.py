"""Reading pages by a selector profile: posts, places, notices, outcomes. Pure.

The engine knows no platform: where things stand is ``adapters.profile``'s business, in data that a
game master can mend. What it insists on is what keeps a wrong profile from doing harm: a page
without posts is never empty, a post without id, author or body is a changed layout that names
profile and field, nothing inside a post's body can tell who wrote it, and a notice's words are
looked for only where no player's words stand.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice, takewhile
from typing import Final
from unicodedata import combining, normalize
from urllib.parse import urljoin, urlsplit
from zoneinfo import ZoneInfo

from bs4 import Tag
from bs4.css import CSS
from bs4.element import NavigableString, PageElement

from adapters.base import GUEST, Answer, Draft, Post, Posted, ThreadPage
from adapters.boards import MEANING_OF_STATUS, action_of, counted, error_for, is_number, silent
from adapters.errors import (
    AdapterError,
    BusyError,
    LayoutChangedError,
    LockedError,
    LoggedOutError,
    NotSentError,
    RefusedTextError,
    UnknownOutcomeError,
    without_secrets,
)
from adapters.html import (
    Markup,
    assure_whole,
    attribute,
    body_of,
    fields_of,
    own_words,
    posts_digest,
    remembered,
    soup_of,
)
from adapters.profile import Date, Form, Pick, Profile, Saying

_MOST_READ: Final = 64
# What is longer than this is no id and no address.
_LONGEST_VALUE: Final = 2000
_LONGEST_NOTICE: Final = 20_000
# Of what should stand once in a post; so many nested ones are read in bounded time.
_MOST_PICKED: Final = 30
_LEAST_WAY: Final = 2
_LONGEST_WAY: Final = 12
_UNSAID: Final = frozenset({"form", "head", "noscript", "script", "select", "style", "textarea"})
_WORD: Final = re.compile(r"\w+")
_SLOT: Final = re.compile(r"\{([a-z]+)\}")
# What a notice may mean, and which counts where it could mean several.
_MEANINGS: Final = ("banned", "closed", "locked", "gone", "forbidden")


class Reader:
    """Reads pages by profiles. Pure but for a memory of what pages said that were read lately."""

    def __init__(self, profiles: Sequence[Profile]) -> None:
        """Remember the profiles; of several, all but the first are the engines to try."""
        self._engines = tuple(profiles[1:]) or tuple(profiles)
        self._read = remembered(_MOST_READ)(self._thread_of)

    def read(self, text: str, url: str, *, status: int = 200) -> ThreadPage:
        """Read a page of a topic.

        Args:
            text: The page.
            url: Its final address.
            status: Its HTTP status.

        Raises:
            LoggedOutError: a login form instead of posts.
            ForbiddenError, GoneError, LockedError, BusyError: what a page without posts says.
            LayoutChangedError: something needed is missing; ``profile`` and ``missing`` say what.
        """
        assure_whole(text, url)
        return self._read(text, without_secrets(url), status)

    def _thread_of(self, text: str, url: str, status: int) -> ThreadPage:
        soup = soup_of(text, url)
        profile, nodes = self.engine_of(soup)
        if not nodes:
            raise self.meaning(soup, Answer(url, status, ""), profile, "posts.container")
        skip = profile.posts.skip
        shown = [node for node in nodes if not (skip and CSS(node).match(skip))]
        posts = [_post(node, profile, url) for node in (shown or nodes)]
        if len({post.id for post in posts}) < len(posts):
            raise layout_changed(url, profile, "posts.id", reason="same_id_twice")
        if len({_author_comes_first(node, profile) for node in nodes} - {None}) > 1:
            # Of two posts that ran together one's author and the other's body are left.
            raise layout_changed(url, profile, "posts.author.id", reason="posts_run_together")
        # From here on players' words can no longer be taken for the page's own.
        _take_out(nodes)
        viewer = viewer_of(soup, profile)
        # A page of hidden posts alone must not look empty.
        told = counted(posts, viewer) if shown else silent(posts)
        spot = _place_of(soup, url, profile)
        others = [other for other in _links(soup, url, spot, profile) if other != spot.place]
        following = [place for place in others if place > spot.place]
        before = [place for place in others if place < spot.place]
        own, page = spot.page(profile, spot.place), profile.page
        return ThreadPage(
            url=own,
            posts=tuple(replace(post, url=spot.post(profile, post.id) or own) for post in told),
            next_url=spot.page(profile, min(following))
            if following
            else _linked(soup, page.next, url, own),
            previous_url=spot.page(profile, max(before))
            if before
            else _linked(soup, page.previous, url, own),
            last_url=_linked(soup, page.last, url, "")
            or spot.page(profile, max([spot.place, *others])),
            title=picked(soup, page.title),
            locked=soup.select_one(page.locked) is not None if page.locked else None,
            viewer_id=viewer,
            digest=posts_digest(told),
        )

    def engine_of(self, soup: Tag) -> tuple[Profile, list[Tag]]:
        """The profile that knows the posts of a page, and the posts; the first where none does."""
        found: dict[str, list[Tag]] = {}
        halfway: Profile | None = None
        for profile in self._engines:
            selector = profile.posts.container
            nodes = found.get(selector)
            if nodes is None:
                nodes = found[selector] = containers_of(soup, profile)
            if nodes and (len(self._engines) == 1 or _is_whole(nodes[0], profile)):
                return profile, nodes
            halfway = halfway or (profile if nodes else None)
        profile = halfway or self._engines[0]
        return profile, found[profile.posts.container]

    def meaning(self, soup: Tag, answer: Answer, profile: Profile, missing: str) -> AdapterError:
        """What a page means that is not the one asked for. Its posts are taken out of it."""
        is_known = viewer_of(soup, profile) not in {"", GUEST}
        if profile.login and not is_known and soup.select_one(profile.login.form):
            return LoggedOutError(answer.url, cure="log_in_again")
        notice = _notice(soup, profile)
        said = next((name for name in _MEANINGS if _says(soup, notice, profile, name)), "")
        said = said or MEANING_OF_STATUS.get(answer.status, "")
        if not said:
            return layout_changed(answer.url, profile, missing)
        return error_for(said, answer, notice[:300])

    def outcome(self, answer: Answer, draft: Draft, profile: Profile) -> Posted | Draft:
        """What became of a post, from the page that the forum answered.

        Returns:
            The proof, or the form that wants to be sent again because of new posts.

        Raises:
            NotSentError, RefusedTextError, LockedError, ForbiddenError, GoneError, LoggedOutError:
                definite refusals.
            UnknownOutcomeError: a page that tells nothing for certain.
        """
        form = (profile.edit if draft.edits else profile.reply) or profile.reply
        if form is None:
            raise UnknownOutcomeError(answer.url, cure="read_back", reason="no_form")
        posted = landed(answer.url, form, draft)
        if posted is not None:
            return posted
        try:
            soup = soup_of(answer.text, answer.url)
        except (BusyError, LayoutChangedError) as error:
            raise UnknownOutcomeError(answer.url, cure="read_back", reason=error.cure) from None
        found = soup.select_one(form.form)
        _take_out(containers_of(soup, profile))
        notice = _notice(soup, profile)
        if found is None or form.message not in fields_of(found):
            proved = _told(soup, notice, profile, form, draft, answer.url)
            if proved is not None:
                return proved
            found = None
        self._refuse(soup, notice, profile, answer.url, came_back=found is not None)
        if found is not None and _says(soup, notice, profile, "again"):
            fields = submission(found, form)
            return Draft(action_of(found, answer.url), fields, draft.made_at, draft.edits)
        if found is not None:
            # The form is back, so nothing was taken; why, it says in words that we don't know.
            wait_s = profile.says.flood_wait_s
            raise NotSentError(
                answer.url, cure="read_forum_message", wait_s=wait_s, said=notice[:300]
            )
        meant = self.meaning(soup, answer, profile, "says.success")
        if isinstance(meant, BusyError):
            # A closed board does not even look at what was sent.
            raise NotSentError(answer.url, cure=meant.cure)
        if isinstance(meant, LayoutChangedError):
            raise UnknownOutcomeError(answer.url, cure="read_back", reason=meant.cure)
        raise meant

    def _refuse(
        self, soup: Tag, notice: str, profile: Profile, url: str, *, came_back: bool
    ) -> None:
        """Raise a refusal that the page states; only of pages that are no page of success."""
        says = profile.says
        if _says(soup, notice, profile, "flood"):
            waited = re.search(says.wait, notice) if says.wait else None
            wait_s = float(waited[1]) if waited and waited[1].isdecimal() else says.flood_wait_s
            raise NotSentError(url, cure="flood", wait_s=min(wait_s, 86_400.0), said=notice[:300])
        if _says(soup, notice, profile, "token"):
            raise NotSentError(url, cure="load_form_again", said=notice[:300])
        if _says(soup, notice, profile, "refused"):
            raise RefusedTextError(url, cure="mend_text", said=notice[:300])
        if came_back and _says(soup, notice, profile, "locked"):
            raise LockedError(url, cure="thread_is_locked", said=notice[:300])


def engine_for(text: str, url: str, profiles: Sequence[Profile]) -> Profile:
    """The profile, of several, that knows the posts of a page."""
    return Reader(profiles).engine_of(soup_of(text, url))[0]


# ------------------------------------------------------------------------------- addresses


@dataclass(frozen=True, slots=True)
class Spot:
    """A page of a topic.

    Attributes:
        base: What stands before the topic's own part of the address.
        groups: What the pattern found in it.
        place: Page number or offset.
    """

    base: str
    groups: Mapping[str, str]
    place: int

    def page(self, profile: Profile, place: int) -> str:
        """Address of a page of this topic."""
        topic = profile.topic
        address = topic.first if place <= topic.first_place or not topic.page else topic.page
        return address_at(self.base, filled(address, {**self.groups, "place": str(place)}))

    def post(self, profile: Profile, post: str) -> str:
        """Permanent address of a post of this page; empty where the profile has none."""
        groups = {**self.groups, "post": post, "place": str(self.place)}
        address = filled(profile.topic.post, groups)
        return address_at(self.base, address) if address else ""


def spot_of(url: str, profile: Profile) -> Spot | None:
    """What an address says about a topic and a page of it; None where it is no topic's."""
    parts = urlsplit(url[:_LONGEST_VALUE])
    target = f"{parts.path}?{parts.query}" if parts.query else parts.path
    found = re.search(profile.topic.pattern, target)
    if found is None:
        return None
    groups = {name: value for name, value in found.groupdict().items() if value}
    place = groups.pop("place", "")
    number = int(place) if is_number(place) else profile.topic.first_place
    base = f"{parts.scheme}://{parts.netloc}{target[: found.start()]}"
    return Spot(base, {**profile.topic.defaults, **groups}, number)


def _place_of(soup: Tag, url: str, profile: Profile) -> Spot:
    """Which page this is: by itself, because the address asked for may lie past the end."""
    asked = spot_of(url, profile)
    value = picked(soup, profile.page.place)
    told = spot_of(urljoin(url, value), profile) if value and not is_number(value) else None
    spot = told or asked
    if spot is None:
        raise layout_changed(url, profile, "topic.pattern")
    place = int(value) if is_number(value) else spot.place
    # A board may call itself by another name than the one that the config knows it by.
    return Spot((asked or spot).base, spot.groups, place)


def _links(soup: Tag, url: str, here: Spot, profile: Profile) -> Iterator[int]:
    """Places of the topic's other pages that a page links to."""
    for link in soup.select(profile.page.links) if profile.page.links else ():
        spot = spot_of(urljoin(url, attribute(link, "href")), profile)
        if spot is not None and spot.groups.get("topic") == here.groups.get("topic"):
            yield spot.place


def _linked(soup: Tag, pick: Pick | None, url: str, own: str) -> str:
    """The address that a link holds, without secrets; empty where it leads to this very page."""
    href = picked(soup, pick)
    address = without_secrets(urljoin(url, href)).partition("#")[0] if href else ""
    return "" if address == own else address


def address_at(base: str, address: str) -> str:
    """The whole address of something of a site."""
    if address.startswith("?"):
        return f"{base}{address}"
    return f"{base.rstrip('/')}/{address.lstrip('/')}"


def filled(address: str, groups: Mapping[str, str]) -> str:
    """An address with its ``{slots}`` filled; what is not known is left empty."""
    return _SLOT.sub(lambda slot: groups.get(slot[1], ""), address)


def host_of(url: str) -> str:
    """Host and port. Raises ``ValueError`` for what is no address."""
    return urlsplit(url).netloc.casefold()


# ------------------------------------------------------------------------------- reading


def containers_of(soup: Tag, profile: Profile) -> list[Tag]:
    """The posts of a page; one inside another is none.

    A player wrote it, on a board that lets players write HTML, or the page lost an end on its way.
    """
    found: list[Tag] = []
    inside: set[int] = set()
    for node in soup.select(profile.posts.container):
        if id(node) not in inside:
            found.append(node)
            inside.update(map(id, node.find_all(True)))  # noqa: FBT003 - the library's "any tag"
    return found


def picked(root: Tag, pick: Pick | None) -> str:
    """The text that a pick leads to; empty where it leads nowhere."""
    if pick is None:
        return ""
    return next((value for _node, value in _picks(root, pick)), "")


def _picks(
    root: Tag, pick: Pick, skipped: AbstractSet[int] = frozenset()
) -> Iterator[tuple[Tag, str]]:
    """Every element that a pick leads to and that holds a text, with its text; by ``id`` but some.

    The text of each is read only when it is asked for, lest nests of them take quadratic time.
    """
    for node in root.select(pick.at) if pick.at else (root,):
        if id(node) in skipped:
            continue
        value = attribute(node, pick.attribute) if pick.attribute else _text_of(node)
        value = " ".join(value[: _LONGEST_NOTICE if pick.pattern else _LONGEST_VALUE].split())
        found = re.search(pick.pattern, value) if pick.pattern else None
        if pick.pattern:
            value = found[1] or "" if found is not None else ""
        if value:
            yield node, value


def _text_of(node: Tag) -> str:
    # A script's text is a string of a kind that get_text leaves out elsewhere.
    return node.get_text() if node.name != "script" else str(node.string or "")


def viewer_of(soup: Tag, profile: Profile) -> str:
    """User id of the account that a page was made for, or ``guest``; empty where it tells not.

    The posts are taken out of the page, lest players' words answer for it.
    """
    page = profile.page
    _take_out(containers_of(soup, profile))
    viewer = picked(soup, page.viewer)
    if viewer or (page.logged_in and soup.select_one(page.logged_in)):
        return viewer
    return GUEST if page.guest and soup.select_one(page.guest) else ""


def _take_out(nodes: Sequence[Tag]) -> None:
    for node in nodes:
        node.extract()


@contextmanager
def _without(body: Tag) -> Iterator[None]:
    """A post while the inside of its body is away: what is found then, no player has written.

    A board that lets players write HTML lets them write an author's link, too.
    """
    shell = Tag(name=body.name, attrs=dict(body.attrs))
    body.replace_with(shell)
    try:
        yield
    finally:
        shell.replace_with(body)


def _is_whole(node: Tag, profile: Profile) -> bool:
    """Whether a post has all that is needed."""
    body, author = node.select_one(profile.posts.body), profile.posts.author
    if body is None or body is node:
        return False
    with _without(body):
        return bool(
            picked(node, profile.posts.id)
            and (picked(node, author.id) or (author.guest and node.select_one(author.guest)))
        )


def _post(node: Tag, profile: Profile, url: str) -> Post:
    """A post, but for its address."""
    posts, author = profile.posts, profile.posts.author
    body = node.select_one(posts.body)
    if body is None:
        raise layout_changed(url, profile, "posts.body")
    if _holds_next_author(node, body, profile):
        raise layout_changed(url, profile, "posts.author.id", reason="posts_run_together")
    body = body_of(node, posts.body, url)
    markup = _markup(profile)
    words = own_words(body, markup)
    if node.select_one(posts.container) is not None:
        # The next post has got into this one: its author could be taken for this one's.
        raise layout_changed(url, profile, "posts.container")
    post_id = picked(node, posts.id)
    if not post_id:
        raise layout_changed(url, profile, "posts.id")
    if posts.again and _told_in(node, posts.again) != {post_id}:
        raise layout_changed(url, profile, "posts.again", reason="posts_run_together")
    author_id = picked(node, author.id)
    if not author_id and author.guest and node.select_one(author.guest):
        author_id = GUEST
    if not author_id:
        raise layout_changed(url, profile, "posts.author.id")
    asides = [own_words(found, markup).own for found in _selected(node, posts.aside)]
    return Post(
        id=post_id,
        author_id=author_id,
        author_name=picked(node, author.name) or author_id,
        own_words=words.own,
        set_aside="\n\n".join(filter(None, [words.set_aside, *asides])),
        posted_at=_moment(node, posts.date) if posts.date else None,
        awaits_approval=bool(_selected(node, posts.waiting)),
        edited=True if _selected(body, posts.edited) or _selected(node, posts.edited) else None,
    )


def _told_in(node: Tag, pick: Pick) -> AbstractSet[str]:
    """All that the first few matches of a pick tell."""
    return {value for _node, value in islice(_picks(node, pick), _MOST_PICKED)}


def _author_comes_first(node: Tag, profile: Profile) -> bool | None:
    """Whether a post's author stands before its body; None where it names no user."""
    body = node.select_one(profile.posts.body)
    if body is None:
        return None
    author = next(_picks(node, profile.posts.author.id, set(map(id, body.descendants))), None)
    if author is None or any(above is author[0] for above in body.parents):
        return None
    return any(later is body for later in author[0].next_elements)


def _holds_next_author(node: Tag, body: Tag, profile: Profile) -> bool:
    """Whether a second author stands in a post as only the next post's would.

    That is in elements of the same kinds, one within the other, as the author's own, and none of
    them shared. A mention, a link or an editor's name stands otherwise; and one element alone is
    too little to tell by, for players write such.
    """
    pick, inside = profile.posts.author.id, set(map(id, body.descendants))
    own = next(_picks(node, pick, inside), None)
    way = _way(own[0], node) if own is not None else []
    if own is None or len(way) < _LEAST_WAY:
        return False
    kinds, used = [_kind(step) for step in way], set(map(id, way))
    nested = body.select(f"{profile.posts.container}, {profile.posts.body}")
    aside = set(map(id, nested[:_MOST_PICKED]))
    for at, value in islice(_picks(node, pick), _MOST_PICKED):
        other = _way(at, node)[: len(kinds)]
        if (
            [_kind(step) for step in other] == kinds
            and used.isdisjoint(map(id, other))
            and (value != own[1] or id(at) in inside)
            # What lies there is nobody's words.
            and not any(id(above) in aside for above in at.parents)
        ):
            return True
    return False


def _way(at: Tag, node: Tag) -> list[Tag]:
    """The elements around one, outwards as far as the post, at most so many."""
    return list(takewhile(lambda above: above is not node, islice(at.parents, _LONGEST_WAY)))


def _kind(tag: Tag) -> tuple[str, str]:
    return tag.name, attribute(tag, "class")


def _selected(node: Tag, selector: str) -> Sequence[Tag]:
    return node.select(selector) if selector else ()


def _markup(profile: Profile) -> Markup:
    words, aside = profile.words, profile.posts.aside
    return Markup(
        # What looks like a post within a post is nobody's words for certain; its body alone, too.
        quotes=", ".join(
            filter(None, (words.quotes, aside, profile.posts.container, profile.posts.body))
        ),
        code=words.code,
        furniture=words.furniture,
        smilies=tuple((smiley.at, smiley.attribute) for smiley in words.smilies),
        smiley_codes=words.smiley_codes,
        markdown=profile.dialect == "markdown",
        drops_scheme=words.drops_scheme,
    )


def _moment(node: Tag, date: Date) -> datetime | None:
    """When a post was made, in UTC; None where it is not told for certain."""
    value = picked(node, date.at)
    try:
        match date.format:
            case "iso":
                moment = datetime.fromisoformat(value)
            case "unix":
                moment = datetime.fromtimestamp(int(value), UTC)
            case "unix_ms":
                moment = datetime.fromtimestamp(int(value) / 1000, UTC)
            case how:
                moment = datetime.strptime(value, how)  # noqa: DTZ007 - its zone follows
        if moment.tzinfo is None:
            if not date.zone:
                return None
            moment = moment.replace(tzinfo=ZoneInfo(date.zone))
        return moment.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


# ------------------------------------------------------------------------------- forms and notices


def submission(found: Tag, form: Form) -> dict[str, str | list[str]]:
    """All fields of a form but the text; hidden ones of one name all count (``auth[]``)."""
    fields: dict[str, str | list[str]] = dict(fields_of(found))
    hidden: dict[str, list[str]] = {}
    for node in found.select("input[type=hidden][name]:not([disabled])"):
        hidden.setdefault(attribute(node, "name"), []).append(attribute(node, "value"))
    fields.update({name: values for name, values in hidden.items() if len(values) > 1})
    fields.update(form.also)
    fields.pop(form.message, None)
    return fields


def landed(url: str, form: Form, draft: Draft) -> Posted | None:
    """The proof in an address such as ``viewtopic.php?p=31#p31``."""
    found = re.search(form.landed, url[:_LONGEST_VALUE]) if form.landed else None
    if found is None or not found[1] or draft.edits not in {"", found[1]}:
        return None
    return Posted(found[1], url=without_secrets(url))


def _told(
    soup: Tag, notice: str, profile: Profile, form: Form, draft: Draft, url: str
) -> Posted | None:
    """The proof on a page that tells of success.

    Raises:
        UnknownOutcomeError: it tells of success, but not which post it is.
    """
    queued = _says(soup, notice, profile, "queued")
    if not queued and not _says(soup, notice, profile, "success"):
        return None
    post_id = draft.edits or picked(soup, form.link)
    if not post_id and not queued:
        raise UnknownOutcomeError(url, cure="read_back", reason="no_post_id")
    return Posted(post_id, awaits_approval=queued)


def _notice(soup: Tag, profile: Profile) -> str:
    """What a page says beside posts and forms, as one line."""
    leave = set(map(id, _selected(soup, profile.says.ignore)))
    parts: list[str] = []
    todo: list[PageElement] = list(reversed(soup.select(profile.says.notice)))
    roots = set(map(id, todo))
    while todo and len(parts) < _LONGEST_NOTICE:
        item = todo.pop()
        if type(item) is NavigableString:
            parts.append(item)
        elif isinstance(item, Tag) and id(item) not in leave:
            leave.add(id(item))
            # A notice may be a form, but never the field that still holds what we sent.
            if item.name not in _UNSAID or (item.name == "form" and id(item) in roots):
                parts.append(" ")
                todo.extend(reversed(item.contents))
    return " ".join("".join(parts).split())[:_LONGEST_NOTICE]


def _says(soup: Tag, notice: str, profile: Profile, name: str) -> bool:
    """Whether a page says one of the things that ``says`` lists."""
    saying: Saying = getattr(profile.says, name)
    if saying.mark and soup.select_one(saying.mark):
        return True
    folded = _folded(notice) if saying.phrases else ""
    return any(_folded(phrase) in folded for phrase in saying.phrases)


def _folded(text: str) -> str:
    """Text without what does not distinguish phrases: case, accents, punctuation, spaces."""
    plain = "".join(letter for letter in normalize("NFKD", text) if not combining(letter))
    return f" {' '.join(_WORD.findall(plain.casefold()))} "


def layout_changed(
    url: str, profile: Profile, field: str, *, reason: str = ""
) -> LayoutChangedError:
    """The page is not as the profile says: names the field and what stands in it."""
    value: object = profile
    for step in field.split("."):
        value = getattr(value, step, None)
    if isinstance(value, Pick):
        place = f"@{value.attribute}" if value.attribute else ""
        value = " ".join(filter(None, (value.at, place))) or value.pattern
    shown = value if isinstance(value, str) and value else "—"
    return LayoutChangedError(
        url, cure="mend_profile", missing=f"{field}: {shown}", profile=profile.name, reason=reason
    )
