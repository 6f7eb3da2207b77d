"""Guesses about a page: whose software made it, what of a profile matches, what a profile may be.

Pure, and only ever advice: nothing here reads a post for the referee. A guess at a profile goes by
what all forums have in common: containers that repeat with a number of their own, in each of them a
link to somebody's page and one element that holds most of the text, and links to the same topic
that differ in one number.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final
from urllib.parse import parse_qsl, urljoin, urlsplit

from bs4 import Tag

from adapters.errors import AdapterError, without_secrets
from adapters.html import attribute, fields_of, line_of, soup_of
from adapters.pages import Reader, containers_of, picked
from adapters.profile import Pick, Profile

# What each kind of forum leaves on its pages; more telling marks first. The names of adapters, of
# profiles after a colon, or of software that has neither.
_MARKS: Final[tuple[tuple[str, str], ...]] = (
    ("profile:foroactivo", r'_userdata\["session_logged_in"\]'),
    ("profile:comunidad-umbria", r'class="fotoAvatar"|<h2 class="tituloPartida"'),
    ("profile:rpol", r'class="messageauthor"'),
    ("discourse", r'<meta name="generator" content="Discourse'),
    ("nodebb", r'<meta name="generator" content="NodeBB|/plugins/nodebb-plugin'),
    ("flarum", r'id="flarum-json-payload"|<div id="flarum-loading"'),
    ("xenforo", r'<html id="XF"|data-xf-init='),
    ("misago", r'id="misago-(?:container|navbar)"|class="misago-markup"'),
    ("proboards", r"proboards\.data\("),
    ("smf", r'var smf_scripturl|<body id="smf"'),
    ("mybb", r"my_post_key|<script[^>]+jscripts/thread\.js|Powered By <a href=\"https://mybb\.com"),
    ("spirit", r'class="comments_list__comment'),
    ("machina", r"machina\.(?:board_theme|packages|min)\b|machina\.init\(\)"),
    ("flaskbb", r"flaskbb\.org|class=\"[^\"]*flaskbb"),
    ("vbulletin", r'<meta name="generator" content="vBulletin|vbulletin_'),
    ("invision", r"invisioncommunity\.com|data-ipsapp|ips\.setSetting"),
    ("jcink", r"jcink\.(?:net|com)"),
    ("phpbb", r'<body id="phpbb"|www\.phpbb\.com|viewtopic\.php\?'),
)
_GENERATOR: Final = re.compile(r'<meta name="generator" content="([^"<]{1,60})"', re.IGNORECASE)

_NUMBER: Final = re.compile(r"[0-9]{1,12}")
_CLASS: Final = re.compile(r"-?[A-Za-z_][\w-]*")
# An address of somebody's page, by number or by name.
_USER: Final = re.compile(
    r"([?&;](?:u|uid|user|userid|user_id|mid)=|(?:user|member|profile|perfil|usuario|miembro)s?/(?:profile/|perfil/|view/)?|/u/)"
    r"(?:([0-9]{1,12})|([^/?#&;=]{2,60}))(?=[/?#&;-]|$)|(/u)([0-9]{1,12})(?=[/?#-]|$)"
)
_NOT_USERS: Final = re.compile(
    r"quote|report|edit|delete|search|private|privmsg|/pm|compose|logout|login|new\b|action=profile$",
    re.IGNORECASE,
)
_ANY_NUMBER: Final = re.compile(r"([/?&;=][^/?&;=0-9]{0,20})([0-9]{1,12})(?=[/?#&;-]|$)")
_TOPIC_NAMES: Final = ("t", "tid", "topic", "showtopic", "threadid", "ti", "id")
_PLACE_NAMES: Final = ("start", "st", "offset", "page", "p", "pg", "__Pg", "msgpage", "pagenumber")
_PREVIEW: Final = re.compile(r"preview|previsual|draft|borrador|cancel", re.IGNORECASE)
_REPLIES: Final = re.compile(r"reply|respond|action=post\b|/post\?|/publish/", re.IGNORECASE)
_LOGINS: Final = re.compile(r"login|log-in|signin|acceder|conect|identif", re.IGNORECASE)
_TOPIC_NUMBER: Final = re.compile(r"(?:topic|thread|tema|hilo|discussion|/t|/d)[/.-]?([0-9]{1,12})")
_NO_POSTS: Final = frozenset({"html", "body", "head", "form", "a", "img", "input", "option"})
# Around the words stand a date, a number, buttons: the body is the innermost with this share of it.
_BODY_SHARE: Final = 0.85
_MOST_GROUPS: Final = 12
# Some boards refuse a form that comes back at once.
_PATIENCE_S: Final = 2
_MOST_NODES: Final = 20_000

# Dress that many boards share; harmless where nothing matches.
_WORDS: Final[Mapping[str, Any]] = {
    "quotes": "blockquote",
    "code": "pre, div.codebox, div.codeblock, dl.codebox:not(.spoiler)",
    "furniture": (
        "blockquote > cite, blockquote > div > cite, div.codebox > p, div.codeblock > div.title, "
        "dl.codebox > dt, div.spoiler-title, [class*=signature], [class*=firma], .edited_post"
    ),
    "smilies": [
        {"at": 'img[class*="emoji"]', "attribute": "alt"},
        {"at": 'img[class*="smil"]', "attribute": "alt"},
    ],
}


@dataclass(frozen=True, slots=True)
class Match:
    """How often a field of a profile matches a page.

    Attributes:
        field: Dotted name.
        selector: What stands in it.
        found: Number of matches; for fields of posts, of posts in which it matched.
        of: Number of posts for those, else 0.
    """

    field: str
    selector: str
    found: int
    of: int = 0


@dataclass(frozen=True, slots=True)
class Draught:
    """A profile worked out from a page.

    Attributes:
        profile: As its YAML file would hold it; may lack what could not be found.
        missing: Fields that somebody has to fill in, because the page does not tell.
    """

    profile: dict[str, Any]
    missing: tuple[str, ...]


def platform_of(text: str) -> str:
    """Whose software made a page: an adapter's name, ``profile:NAME``, or software without one.

    Empty where the page bears no known mark.
    """
    for name, mark in _MARKS:
        if re.search(mark, text):
            return name
    found = _GENERATOR.search(text)
    return found[1] if found else ""


def census(text: str, url: str, profile: Profile) -> tuple[Match, ...]:
    """How often each needed or useful field of a profile matches a topic's page."""
    soup = soup_of(text, url)
    nodes = containers_of(soup, profile)
    posts, page = profile.posts, profile.page
    rows = [Match("posts.container", posts.container, len(nodes))]
    for field, pick in (
        ("posts.id", posts.id),
        ("posts.author.id", posts.author.id),
        ("posts.author.name", posts.author.name),
    ):
        if pick is not None:
            found = sum(bool(picked(node, pick)) for node in nodes)
            rows.append(Match(field, _shown(pick), found, len(nodes)))
    bodies = sum(node.select_one(posts.body) is not None for node in nodes)
    rows.append(Match("posts.body", posts.body, bodies, len(nodes)))
    for node in nodes:
        node.extract()
    for field, where in (
        ("page.links", page.links),
        ("page.place", page.place),
        ("page.title", page.title),
        ("page.viewer", page.viewer),
        ("page.logged_in", page.logged_in),
    ):
        if isinstance(where, Pick):
            rows.append(Match(field, _shown(where), int(bool(picked(soup, where)))))
        elif where:
            rows.append(Match(field, where, len(soup.select(where))))
    return tuple(rows)


def _shown(pick: Pick) -> str:
    place = f"@{pick.attribute}" if pick.attribute else ""
    return " ".join(filter(None, (pick.at, place, pick.pattern)))


def reads(text: str, url: str, profiles: Sequence[Profile]) -> int:
    """How many posts a profile reads from a page; 0 where it cannot."""
    try:
        return len(Reader(profiles).read(text, url).posts)
    except AdapterError:
        return 0


def doors_of(text: str, url: str) -> Mapping[str, str]:
    """Addresses that a topic's page links to as its ``login`` and its ``reply``, if any."""
    doors: dict[str, str] = {}
    for link in soup_of(text, url).select("a[href]"):
        address = without_secrets(urljoin(url, attribute(link, "href")))
        if urlsplit(address).netloc != urlsplit(url).netloc:
            continue
        target = address.partition("//")[2].partition("/")[2]
        if _LOGINS.search(target) and "logout" not in target:
            doors.setdefault("login", address)
        elif _REPLIES.search(target) and not re.search(r"quote|#", target):
            doors.setdefault("reply", address)
    return doors


# ------------------------------------------------------------------------------- a draught


def draught(text: str, url: str, doors: Mapping[str, tuple[str, str]]) -> Draught | None:
    """Work out a profile from a topic's page; None where its posts cannot be made out.

    Args:
        text: The page.
        url: Its address, without secrets.
        doors: Text and address of the ``login`` and ``reply`` pages, as far as they could be had.
    """
    soup = soup_of(text, url)
    posts = next(filter(None, map(_posts_of, _groups(soup))), None)
    if posts is None:
        return None
    missing: list[str] = []
    topic, links = _topic_of(soup, url, posts.nodes)
    if not topic.get("page"):
        missing.append("topic.page")
    page: dict[str, Any] = {**({"links": links} if links else {}), **_page_of(soup, posts)}
    missing += [f"page.{name}" for name in ("viewer", "logged_in", "guest") if name not in page]
    profile: dict[str, Any] = {
        "topic": topic,
        "posts": posts.fields,
        "words": dict(_WORDS),
        "page": page,
    }
    base = url[: url.find("/", 8)] if url.find("/", 8) > 0 else url
    login = _login_of(doors.get("login"), base)
    if login:
        profile["login"] = login
    else:
        missing.append("login")
    reply = _reply_of(doors.get("reply"), base, url, topic)
    if reply:
        profile["reply"] = reply
        missing.append("reply.landed")
    else:
        missing.append("reply")
    missing += ["edit", "says"]
    return Draught(profile, tuple(missing))


@dataclass(frozen=True, slots=True)
class _Group:
    """Elements that repeat and bear a number each, in the same place."""

    nodes: tuple[Tag, ...]
    selector: str
    attribute: str
    pattern: str


@dataclass(frozen=True, slots=True)
class _Posts:
    """A group whose members have all that a post needs."""

    nodes: tuple[Tag, ...]
    fields: dict[str, Any]
    author: re.Pattern[str]


def _groups(soup: Tag) -> list[_Group]:
    """Groups that may be the posts, the likeliest first."""
    found: dict[tuple[str, str, str, str], dict[str, Tag]] = {}
    for node in soup.find_all(True, limit=_MOST_NODES):  # noqa: FBT003 - the library's "any tag"
        if node.name not in _NO_POSTS:
            for name, head, number, tail in _numbered(node):
                found.setdefault((node.name, name, head, tail), {}).setdefault(number, node)
    groups: list[_Group] = []
    for (tag, name, head, tail), members in found.items():
        nodes = tuple(members.values())
        if len(nodes) < 2 or len(groups) >= 4 * _MOST_GROUPS:
            continue
        # Nothing else may match, and none of them may stand in another.
        selectors = _selectors(tag, name, head, tail, nodes)
        selector = next((one for one in selectors if _is_same(soup.select(one), nodes)), "")
        if selector:
            ends = ("", "") if name == "class" else ("^", "$")
            pattern = f"{ends[0]}{_literal(head)}([0-9]+){_literal(tail)}{ends[1]}"
            groups.append(_Group(nodes, selector, name, pattern))
    size = {id(group): sum(len(node.get_text()) for node in group.nodes) for group in groups}
    # Of two numbers of one element the one made for programs is the id, the other may be a place.
    groups.sort(key=lambda g: (size[id(g)], g.attribute.startswith("data-")), reverse=True)
    return groups[:_MOST_GROUPS]


def _is_same(found: Sequence[Tag], nodes: Sequence[Tag]) -> bool:
    known = {id(node) for node in nodes}
    return {id(node) for node in found} == known and not any(
        id(above) in known for node in nodes for above in node.parents
    )


def _numbered(node: Tag) -> Iterator[tuple[str, str, str, str]]:
    """Attributes of an element that hold one number, taken apart around it."""
    for name in node.attrs:
        values: Sequence[str] = ()
        if name == "id" or re.fullmatch(r"data-[\w-]*id|data-pk", name):
            values = (attribute(node, name),)
        elif name == "class":
            values = attribute(node, name).split()
        for value in values:
            found = _NUMBER.findall(value)
            if len(found) == 1 and len(value) < 60 and not re.search(r'["\\]', value):
                head, _, tail = value.partition(found[0])
                yield name, head, found[0], tail


def _selectors(tag: str, name: str, head: str, tail: str, nodes: Sequence[Tag]) -> Iterator[str]:
    """What may match such elements: the attribute, with one more class of all of them at a time.

    The fewer classes the better: some tell a state, such as that the author is there.
    """
    ends = "".join(f'[{name}{sign}="{end}"]' for sign, end in (("^", head), ("$", tail)) if end)
    if name == "class":
        ends = f'[class*="{head}"]' if head else ""
    shared = [one for one in _classes(nodes[0]) if all(one in _classes(node) for node in nodes)]
    for count in range(min(len(shared), 3) + 1):
        yield tag + "".join(f".{one}" for one in shared[:count]) + (ends or f"[{name}]")


def _literal(text: str) -> str:
    """Text in a regular expression, without needless backslashes."""
    return re.sub(r"([.^$*+?{}()\[\]|\\])", r"\\\1", text)


def _posts_of(group: _Group) -> _Posts | None:
    """The group as posts: with an author's link and a body in each of them."""
    own = {_number_in(node, group) for node in group.nodes}
    for author in _author_links(group.nodes, own):
        at = _common_place(group.nodes, author)
        body = _body_of(group.nodes, at, author) if at else None
        if not at or body is None:
            continue
        link = {"at": at, "attribute": "href", "pattern": author.pattern}
        named = all(any(map(line_of, _links_at(node, at, author))) for node in group.nodes)
        fields: dict[str, Any] = {
            "container": group.selector,
            "id": {"attribute": group.attribute, "pattern": group.pattern},
            "author": {"id": link, **({"name": {"at": at}} if named else {})},
            "body": body,
        }
        if all(node.select_one("time[datetime]") for node in group.nodes):
            fields["date"] = {"at": "time[datetime] @datetime"}
        return _Posts(group.nodes, fields, author)
    return None


def _number_in(node: Tag, group: _Group) -> str:
    found = re.search(group.pattern, attribute(node, group.attribute))
    return found[1] if found else ""


def _author_links(nodes: Sequence[Tag], own: set[str]) -> list[re.Pattern[str]]:
    """Patterns of links that every post has and that may lead to its author's page."""
    sure: Counter[str] = Counter()
    maybe: Counter[str] = Counter()
    values: dict[str, set[str]] = {}
    for node in nodes:
        here: dict[str, str] = {}
        for link in node.select("a[href]"):
            href = attribute(link, "href")
            if _NOT_USERS.search(href):
                continue
            found = _USER.search(href)
            if found is not None:
                head = found[1] or found[4]
                kind = "[^/?#&;=]+" if found[3] else "[0-9]+"
                here[f"{_literal(head)}({kind})"] = found[2] or found[3] or found[5]
                continue
            *_, other = (None, *_ANY_NUMBER.finditer(href))
            if other is not None and other[2] not in own and line_of(link):
                maybe[f"{_literal(other[1])}([0-9]+)"] += 1
        sure.update(here.keys())
        for pattern, value in here.items():
            values.setdefault(pattern, set()).add(value)
    # A link that is another one for each post leads to the post, not to its author.
    # And one that is the same in a long thread leads to somebody else.
    found_in_all = [
        pattern
        for pattern, count in sure.most_common()
        if count == len(nodes)
        and values[pattern] != own
        and (len(values[pattern]) > 1 or len(nodes) < 4)
    ]
    found_in_all += [pattern for pattern, count in maybe.most_common() if count >= len(nodes)]
    return [re.compile(pattern) for pattern in found_in_all]


def _common_place(nodes: Sequence[Tag], author: re.Pattern[str]) -> str:
    """A selector under which every post has such a link; empty where there is none."""
    depths: dict[str, list[int]] = {}
    for node in nodes:
        here: dict[str, int] = {}
        for link in node.select("a[href]"):
            # A picture leads there, too, but does not tell the name.
            if author.search(attribute(link, "href")) and line_of(link):
                for depth, sign in enumerate(_signs(link, node)):
                    here.setdefault(sign, depth)
        for sign, depth in here.items():
            depths.setdefault(sign, []).append(depth)
    whole = [sign for sign, found in depths.items() if len(found) == len(nodes)]
    return min(whole, key=lambda sign: max(depths[sign]), default="")


def _signs(link: Tag, post: Tag) -> Iterator[str]:
    """Selectors of a link by its own class or by what it stands in, within a post."""
    for name in _classes(link):
        yield f"a.{name}"
    for above in link.parents:
        if above is post:
            break
        for name in _classes(above):
            yield f"{above.name}.{name} a[href]"
    yield "a[href]"


def _links_at(node: Tag, at: str, author: re.Pattern[str]) -> list[Tag]:
    return [link for link in node.select(at) if author.search(attribute(link, "href"))]


def _classes(node: Tag) -> list[str]:
    return [
        name
        for name in attribute(node, "class").split()
        if _CLASS.fullmatch(name) and not _NUMBER.search(name)
    ]


def _body_of(nodes: Sequence[Tag], at: str, author: re.Pattern[str]) -> str | None:
    """The selector of the element with most of the text in each post, without its author."""
    sizes: dict[str, list[tuple[int, int]]] = {}
    for node in nodes:
        above = {
            id(outer)
            for link in (_links_at(node, at, author)[:3] if at != "a[href]" else ())
            for outer in (link, *link.parents)
        }
        here: dict[str, Tag] = {}
        for inner in node.find_all(["div", "td", "article", "section", "p", "dd", "li", "span"]):
            for name in _classes(inner):
                # What the body holds may bear the same class again; it comes after the body.
                here.setdefault(f"{inner.name}.{name}", inner)
        for sign, found in here.items():
            if id(found) not in above:
                depth = sum(1 for _ in found.parents)
                sizes.setdefault(sign, []).append((len(line_of(found)), depth))
    whole = {sign: each for sign, each in sizes.items() if len(each) == len(nodes)}
    if not whole:
        return None
    # In the longest post, where what stands around the words weighs least.
    longest = max(range(len(nodes)), key=lambda number: len(line_of(nodes[number])))
    text = {sign: each[longest][0] for sign, each in whole.items()}
    most = max(text.values())
    close = [sign for sign in whole if text[sign] >= most * _BODY_SHARE]
    return max(close, key=lambda sign: sum(depth for _, depth in whole[sign])) if most else None


# ------------------------------------------------------------------------------- its addresses


def _topic_of(soup: Tag, url: str, nodes: Sequence[Tag]) -> tuple[dict[str, Any], str]:
    """The addresses of the topic, and a selector of the links to its other pages."""
    inside = {id(inner) for node in nodes for inner in chain((node,), node.descendants)}
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    name = next((n for n in _TOPIC_NAMES if query.get(n, "").isdecimal()), "")
    links = [
        urlsplit(without_secrets(urljoin(url, attribute(link, "href"))))
        for link in soup.select("a[href]")
        if id(link) not in inside
    ]
    links = [link for link in links if link.netloc == parts.netloc]
    if name:
        return _by_query(parts.path, name, query[name], links, len(nodes))
    if re.fullmatch(r"[0-9]+\.(?:[0-9]+|new|msg[0-9]+)", query.get("topic", "")):
        first = f"{parts.path.lstrip('/')}?topic={{topic}}."
        return {
            "pattern": rf"/{_literal(parts.path.rpartition('/')[2])}\?(?:[^#]*[;&])?"
            r"topic=(?P<topic>[0-9]+)(?:\.(?P<place>[0-9]+))?",
            "first": f"{first}0",
            "page": f"{first}{{place}}",
            "counts": "offset",
            "first_place": 0,
        }, 'a[href*="topic="]'
    return _by_path(parts.path, links, len(nodes))


def _by_query(
    path: str, name: str, topic: str, links: Sequence[Any], posts: int
) -> tuple[dict[str, Any], str]:
    place, values = "", []
    for candidate in _PLACE_NAMES:
        values = [
            int(query[candidate])
            for link in links
            if link.path == path
            for query in (dict(parse_qsl(link.query)),)
            if query.get(name) == topic and query.get(candidate, "").isdecimal()
        ]
        if values and candidate != name:
            place = candidate
            break
    tail = path.rpartition("/")[2]
    pattern = rf"/{_literal(tail)}\?(?=[^#]*\b{name}=(?P<topic>[0-9]+))"
    fields: dict[str, Any] = {"first": f"{path}?{name}={{topic}}"}
    if place:
        pattern += rf"(?:(?=[^#]*\b{place}=(?P<place>[0-9]+)))?"
        fields["page"] = f"{path}?{name}={{topic}}&{place}={{place}}"
        fields.update(_counting(values, posts))
    fields["first"] = fields["first"].lstrip("/")
    if place:
        fields["page"] = fields["page"].lstrip("/")
    return {"pattern": pattern, **fields}, f'a[href*="{place}="]' if place else ""


def _by_path(path: str, links: Sequence[Any], posts: int) -> tuple[dict[str, Any], str]:
    number = _TOPIC_NUMBER.search(path) or _NUMBER.search(path)
    if number is None:
        slug = path.rstrip("/").rpartition("/")
        return {
            "pattern": rf"{_literal(slug[0])}/(?P<topic>[^/?#]+)",
            "first": f"{slug[0].lstrip('/')}/{{topic}}",
        }, ""
    start, end = number.span(number.lastindex or 0)
    head, tail = path[:start], path[end:]
    fields: dict[str, Any] = {
        "pattern": rf"{_literal(head)}(?P<topic>[0-9]+)(?P<rest>[^?#]*)",
        "first": f"{head.lstrip('/')}{{topic}}{{rest}}",
        "defaults": {"rest": tail if not re.search(r"[\w]", tail) else "/"},
    }
    for candidate in _PLACE_NAMES:
        values = [
            int(query[candidate])
            for link in links
            if link.path == path
            for query in (dict(parse_qsl(link.query)),)
            if query.get(candidate, "").isdecimal()
        ]
        if values:
            fields["pattern"] += rf"(?:\?(?:[^#]*&)?{candidate}=(?P<place>[0-9]+))?"
            fields["page"] = f"{fields['first']}?{candidate}={{place}}"
            fields.update(_counting(values, posts))
            return fields, f'a[href*="{candidate}="]'
    return fields, ""


def _counting(values: Sequence[int], posts: int) -> dict[str, Any]:
    """Whether places are page numbers or offsets: pages come one by one, offsets in steps."""
    is_offset = any(value >= max(posts, 5) and value % max(posts, 1) == 0 for value in values)
    is_offset = is_offset and 2 not in values
    return {"counts": "offset", "first_place": 0} if is_offset else {"counts": "page"}


# ------------------------------------------------------------------------------- the rest


def _page_of(soup: Tag, posts: _Posts) -> dict[str, Any]:
    """What else the page tells: its title, and whose page it is."""
    page: dict[str, Any] = {}
    order = {id(node): place for place, node in enumerate(soup.find_all(True))}  # noqa: FBT003 - any
    first = order[id(posts.nodes[0])]
    if soup.select_one('link[rel="canonical"]'):
        page["place"] = 'link[rel="canonical"] @href'
    for heading in ("h1", "h2"):
        if any(order[id(node)] < first for node in soup.select(heading)):
            page["title"] = heading
            break
    if soup.select_one('a[href*="logout"]'):
        page["logged_in"] = 'a[href*="logout"]'
        for link in soup.select("a[href]"):
            if order[id(link)] < first and posts.author.search(attribute(link, "href")):
                at = _place_above(link)
                if at:
                    page["viewer"] = {
                        "at": at, "attribute": "href", "pattern": posts.author.pattern,
                    }  # fmt: skip
                    break
    page["guest"] = 'a[href*="login"]'
    return page


def _place_above(link: Tag) -> str:
    """A selector by the nearest id above a link."""
    for above in link.parents:
        name = attribute(above, "id")
        if name and _CLASS.fullmatch(name) and not _NUMBER.search(name):
            return f"#{name} a[href]"
    return ""


def _login_of(door: tuple[str, str] | None, base: str) -> dict[str, Any]:
    """The login form of a page."""
    if door is None:
        return {}
    text, url = door
    for form in soup_of(text, url).select("form"):
        password = form.select_one("input[type=password][name]")
        user = form.select_one("input[type=text][name], input[type=email][name], "
                               "input:not([type])[name]")  # fmt: skip
        if password is None or user is None:
            continue
        secret = attribute(password, "name")
        return {
            "address": url.removeprefix(base),
            "form": f'form:has(input[name="{secret}"])',
            "user": attribute(user, "name"),
            "password": secret,
            "min_age_s": _PATIENCE_S,
            **_button_of(form),
        }
    return {}


def _reply_of(
    door: tuple[str, str] | None, base: str, topic_url: str, topic: Mapping[str, Any]
) -> dict[str, Any]:
    """The reply form of a page."""
    if door is None:
        return {}
    text, url = door
    found = re.search(str(topic["pattern"]), topic_url.removeprefix(base))
    number = found["topic"] if found else ""
    for form in soup_of(text, url).select("form:has(textarea[name])"):
        area = form.select_one("textarea[name]")
        name = attribute(area, "name") if area is not None else ""
        address = url.removeprefix(base)
        if not number or name not in fields_of(form) or number not in address:
            continue
        return {
            "address": re.sub(rf"\b{number}\b", "{topic}", address, count=1),
            "form": f'form:has(textarea[name="{name}"])',
            "message": name,
            "min_age_s": _PATIENCE_S,
            **_button_of(form),
        }
    return {}


def _button_of(form: Tag) -> dict[str, Any]:
    """The button that sends a form, as ``also``."""
    for button in form.select("input[type=submit][name], button[type=submit][name]"):
        name, value = attribute(button, "name"), attribute(button, "value")
        if not _PREVIEW.search(f"{name} {value}"):
            return {"also": {name: value or "1"}}
    return {}
