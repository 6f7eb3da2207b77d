"""Captured pages mangled in every way that a line, a proxy or a broken plugin might think of.

A case is a page, one to three manglings of it drawn from a seed, and what the reader makes of the
result: a typed error, or posts. ``wrongs`` tells what is wrong with those posts: words of one post
under the id of another, or an author who has not written them. A mangling never rewrites what a
page says (a digit in an id, whole posts put together), so a careful reader can always be right.

Most cases use pages reduced to what their reader needs of them: more manglings hit the mark then.
``python -m tests.adapters.mangling 1000000`` runs a million and prints what came of them
(docs/fuzzing.md); ``test_mangled_pages.py`` runs a sample.
"""

import json
import random
import re
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from adapters.base import STRICT_JSON, ThreadPage
from adapters.errors import AdapterError
from adapters.pages import Reader
from adapters.registry import PAGE_READERS
from tests.adapters.profiles.reading import good_profile

HERE: Final = Path(__file__).parent
Read = Callable[[str, str], ThreadPage]

_WORD: Final = re.compile(r"\w{4,}")
_TAG: Final = re.compile(r"<(/?)([a-zA-Z][\w-]*)((?:\"[^\"]*\"|'[^']*'|[^'\">])*)>")
_ATTRIBUTE: Final = re.compile(r"([\w-]+)=\"([^\"]*)\"")
_ENTITY: Final = re.compile(r"&#?\w{1,10};")
_HTML_IN_JSON: Final = re.compile(r'": ?"(?:<|\\u003c)p(?:>|\\u003e)', re.IGNORECASE)
_WITHIN_TAGS: Final = re.compile(r"(?:<|\\u003c)[^<>]*?(?:>|\\u003e)", re.IGNORECASE)
_VOID: Final = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link",
                          "meta", "param", "source", "track", "wbr"})  # fmt: skip
HANG_S: Final = 10
_GUEST: Final = "guest"
_PROBE: Final = "xyzzy"
_URL: Final = "http://forum.test/viewtopic.php?t=2"


@dataclass(frozen=True, slots=True)
class Truth:
    """A post as it is: its author, and the words that stand in no other post of the page."""

    author: str
    words: frozenset[str]


@dataclass(frozen=True)
class Seed:
    """A page that a reader reads rightly, to be mangled.

    Attributes:
        name: Platform and page.
        read: The reader.
        text: The page.
        truth: Its posts by id.
    """

    name: str
    read: Read
    text: str
    truth: Mapping[str, Truth]

    @cached_property
    def within_tags(self) -> frozenset[str]:
        """What may come to be read when a tag breaks, and is nobody's words."""
        return _words(" ".join(_WITHIN_TAGS.findall(self.text)))

    @classmethod
    def of(cls, name: str, read: Read, text: str) -> "Seed":
        """A seed that knows what its page says."""
        posts = read(text, _URL).posts
        said = {post.id: _words(f"{post.own_words}\n{post.set_aside}") for post in posts}
        return cls(
            name,
            read,
            text,
            {
                post.id: Truth(
                    post.author_id,
                    frozenset(
                        word
                        for word in said[post.id]
                        if not any(
                            _may_be_left_of(word, other)
                            for other_id, others in said.items()
                            if other_id != post.id
                            for other in others
                        )
                    ),
                )
                for post in posts
            },
        )


def _may_be_left_of(word: str, other: str) -> bool:
    """Whether a damaged word can look like another one: “prueba” of “pruebas”."""
    return word in other or any(
        other.startswith(word[:cut]) and other.endswith(word[cut:]) for cut in range(len(word))
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def readers() -> Mapping[str, Read]:
    """What reads pages of threads, by the platform's name."""
    found = {read.__module__.rpartition(".")[2]: read for read in PAGE_READERS}
    return found | {f"profile-{name}": Reader(good_profile(name)).read for name in ("phpbb",)}


def seeds(name: str, most: int = 1000) -> list[Seed]:
    """Captured pages of threads that a reader reads, at most so many."""
    read, found = readers()[name], []
    folder = name.rpartition("-")[2]
    for path in sorted(HERE.rglob("*")):
        if path.parent.name != folder or path.suffix not in {".html", ".json"}:
            continue
        with suppress(AdapterError):
            seed = Seed.of(f"{name}: {path.name}", read, path.read_text(encoding="utf-8"))
            if sum(bool(truth.words) for truth in seed.truth.values()) > 1:
                found.append(seed)
        if len(found) == most:
            break
    return found


def reduced(seed: Seed, *, posts: int = 3) -> Seed:
    """The same page without what its reader does not need to read its first few posts."""
    kept = list(seed.truth)[:posts]
    if seed.text.lstrip().startswith("{"):
        return _reduced_json(seed, kept)
    text = seed.text
    # The largest elements first: most go at once, and what is left is soon small.
    for share in (2, 4, 8, 16, 32, 64, 10**9):
        done = -1
        while True:
            least = len(text) // share
            span = next((s for s in _spans(text) if s[0] > done and s[1] - s[0] > least), None)
            if span is None:
                break
            shorter = text[: span[0]] + text[span[1] :]
            if _reads_enough(seed, shorter, kept):
                text, done = shorter, span[0] - 1
            else:
                done = span[0]
    return Seed.of(f"{seed.name} (reduced)", seed.read, text)


def _reads_enough(seed: Seed, text: str, kept: Sequence[str]) -> bool:
    """Whether a page still says what it said of the posts to keep, whatever became of others."""
    try:
        posts = {post.id: post for post in seed.read(text, _URL).posts}
    except AdapterError:
        return False
    return list(posts)[: len(kept)] == list(kept) and all(
        posts[post_id].author_id == seed.truth[post_id].author
        and seed.truth[post_id].words
        <= _words(f"{posts[post_id].own_words}\n{posts[post_id].set_aside}")
        for post_id in kept
    )


def _reduced_json(seed: Seed, kept: Sequence[str]) -> Seed:
    """Lists of posts cut to the first few."""
    data = json.loads(seed.text)

    def cut(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: cut(inside) for key, inside in value.items()}
        if isinstance(value, list):
            return [cut(inside) for inside in value[: len(kept)]]
        return value

    text = json.dumps(cut(data), ensure_ascii=False)
    try:
        return Seed.of(f"{seed.name} (reduced)", seed.read, text)
    except AdapterError:  # it counts its posts
        return seed


# Manglings: each takes a page and chance, and gives another page.

Mangling = Callable[[str, random.Random], str]


def _spans(text: str) -> list[tuple[int, int]]:
    """Where elements begin and end, in the order of their beginnings."""
    stack: list[tuple[str, int]] = []
    spans = []
    for found in _TAG.finditer(text):
        end, name = found[1], found[2].lower()
        if not end and (name in _VOID or found[3].endswith("/")):
            spans.append(found.span())
        elif not end:
            stack.append((name, found.start()))
        elif any(open_ == name for open_, _start in stack):
            while True:
                open_, start = stack.pop()
                if open_ == name:
                    spans.append((start, found.end()))
                    break
    return sorted(spans)


def _element(text: str, chance: random.Random) -> tuple[int, int]:
    """Some element near some place; an empty span where there is none."""
    place = chance.randrange(len(text) + 1)
    opened = [found for found in _TAG.finditer(text, place) if not found[1]][:1]
    if not opened:
        return place, place
    start, name = opened[0].start(), opened[0][2].lower()
    depth = 0
    for found in _TAG.finditer(text, start):
        if found[2].lower() == name:
            if name in _VOID or found[3].endswith("/"):
                return start, found.end()
            depth += -1 if found[1] else 1
            if depth == 0:
                return start, found.end()
    return start, opened[0].end()


def cut(text: str, chance: random.Random) -> str:
    """The line died; perhaps somebody closed the page all the same."""
    short = text[: chance.randrange(len(text) + 1)]
    return short + chance.choice(["", "</body></html>", "</html>", "}", "]}", '"}]}'])


def hole(text: str, chance: random.Random) -> str:
    """A few bytes are missing."""
    start = chance.randrange(len(text) + 1)
    return text[:start] + text[start + chance.randrange(1, 40) :]


def removed(text: str, chance: random.Random) -> str:
    """An element is missing, with all that is in it."""
    start, end = _element(text, chance)
    return text[:start] + text[end:]


def unwrapped(text: str, chance: random.Random) -> str:
    """A tag is missing: its element's beginning, or its end."""
    tags = list(_TAG.finditer(text))
    if not tags:
        return text
    start, end = chance.choice(tags).span()
    return text[:start] + text[end:]


def duplicated(text: str, chance: random.Random) -> str:
    """An element stands there twice, or holds itself."""
    start, end = _element(text, chance)
    element = text[start:end]
    inside = element.find(">") + 1
    if chance.random() < 0.5:
        return text[:end] + element * chance.choice([1, 1, 2, 30]) + text[end:]
    return text[:start] + element[:inside] + element + element[inside:] + text[end:]


def nested(text: str, chance: random.Random) -> str:
    """An element lies in others that were not there."""
    start, end = _element(text, chance)
    name = chance.choice(["div", "b", "blockquote", "span", "table", "li", "p", "form", "template"])
    depth = chance.choice([1, 1, 2, 5, 300])
    closed = f"</{name}>" * (depth if chance.random() < 0.8 else 0)
    return text[:start] + f"<{name}>" * depth + text[start:end] + closed + text[end:]


def swallowed(text: str, chance: random.Random) -> str:
    """An element has come to lie in the one before it: its end tag stands behind the next."""
    ends = [found for found in _TAG.finditer(text) if found[1]]
    if not ends:
        return text
    start, end = chance.choice(ends).span()
    tag = text[start:end]
    _, later = _element(text[end:], chance) if chance.random() < 0.3 else (0, len(text) - end)
    rest = text[end:]
    return text[:start] + rest[:later] + tag + rest[later:]


def swapped(text: str, chance: random.Random) -> str:
    """The values of a tag's attributes have changed places, or one has lost its name."""
    tags = [found for found in _TAG.finditer(text) if found[3].count('="') > 1]
    if not tags:
        return text
    found = chance.choice(tags)
    pairs = _ATTRIBUTE.findall(found[3])
    values = [value for _name, value in pairs]
    values = values[1:] + values[:1]
    if chance.random() < 0.3:
        pairs = [(f"x{name}", value) for name, value in pairs]
        values = [value for _name, value in pairs]
    attributes = "".join(
        f' {name}="{value}"' for (name, _), value in zip(pairs, values, strict=True)
    )
    return f"{text[: found.start()]}<{found[2]}{attributes}>{text[found.end() :]}"


def broken_entities(text: str, chance: random.Random) -> str:
    """Entities without their end, without a meaning, or out of all bounds; a tag as text."""
    kind = chance.randrange(6)
    if kind == 0:
        return _ENTITY.sub(lambda found: found[0][:-1], text)
    if kind == 1:
        return text.replace("&", "&amp;")
    place = chance.randrange(len(text) + 1)
    odd = chance.choice(["&#0;", "&#x110000;", "&#xD800;", "&#;", "&;", "&bogus;", "&#" + "9" * 300,
                         "&lt", "\0", "\x1a", "<![CDATA[", "<!--", "<?php ", "]]>", "--!>",
                         "<script>", "<textarea>", "<title>", "<plaintext>", "<svg><style>",
                         "\u202e", "\ud800", "\ufeff"])  # fmt: skip
    if kind == 2:
        tags = list(_TAG.finditer(text))
        if tags:
            start, _end = chance.choice(tags).span()
            return f"{text[:start]}&lt;{text[start + 1 :]}"
    return text[:place] + odd + text[place:]


def recoded(text: str, chance: random.Random) -> str:
    """Read by another alphabet than it was written in."""
    kept = text.encode("utf-8", "surrogatepass")
    codec = chance.choice(["latin-1", "cp1252", "utf-16-le", "ascii", "cp1251", "utf-7", "cp037"])
    if chance.random() < 0.3:
        return text.encode(codec, "replace").decode("utf-8", "replace")
    return kept.decode(codec, "replace")


MANGLINGS: Final[tuple[Mangling, ...]] = (
    cut, hole, removed, unwrapped, duplicated, nested, swallowed, swapped, broken_entities, recoded,
)  # fmt: skip


def mangled_json(text: str, chance: random.Random) -> str:
    """Somewhere in the data something is missing, twice there, or of another kind."""
    try:
        # Of members of one name all but the last would be lost: no page is damaged like that.
        data = STRICT_JSON.decode(text)
    except (ValueError, RecursionError):
        return text
    for _time in range(chance.choice([1, 1, 2, 4])):
        _touch(data, chance)
    return json.dumps(data, ensure_ascii=False)


def _touch(data: Any, chance: random.Random) -> None:
    while isinstance(data, (dict, list)) and data:
        key = chance.choice(list(data) if isinstance(data, dict) else range(len(data)))
        if isinstance(data[key], (dict, list)) and data[key] and chance.random() < 0.85:
            data = data[key]
            continue
        kind = chance.randrange(4)
        if kind == 0:
            del data[key]
        elif kind == 1 and isinstance(data, list):
            data.insert(key, data[key])
        else:
            data[key] = chance.choice(
                [None, True, -1, 0, 1.5, 10**30, "", "x", "\0", [], {}, [[]], {"": None}, "NaN"]
            )
        return


def case(seed: Seed, number: int) -> str:
    """A page mangled as the case of that number is, always the same."""
    chance = random.Random(number)  # noqa: S311 # repeatable on purpose
    text = seed.text
    is_json = text.lstrip().startswith("{")
    holds_json = _HTML_IN_JSON.search(text) is not None
    for _time in range(chance.choice([1, 1, 1, 2, 2, 3])):
        mangling = chance.choice(MANGLINGS)
        if is_json or holds_json:
            # An element that began in one post's text and ends in another's would join the two.
            bytewise = chance.choice([cut, hole, recoded, broken_entities])
            mangling = mangled_json if is_json and chance.random() < 0.8 else bytewise
        text = mangling(text, chance)
    return text


def planted(seed: Seed, html: str) -> str:
    """The page with a piece of HTML at the beginning of its first post's words."""
    words = next(truth.words for truth in seed.truth.values() if truth.words)
    if not seed.text.lstrip().startswith("{"):
        return next(
            seed.text[:place] + html + seed.text[place:]
            for word in sorted(words)
            for place in _places(word, seed.text)
            # Titles and links hold such words as well.
            if _is_read(seed, f"{seed.text[:place]} {_PROBE} {seed.text[place:]}")
        )

    def put(data: Any) -> Any:
        if isinstance(data, dict):
            return {key: put(value) for key, value in data.items()}
        if isinstance(data, list):
            return [put(value) for value in data]
        return html + data if isinstance(data, str) and words & _words(data) else data

    return json.dumps(put(json.loads(seed.text)), ensure_ascii=False)


def _places(word: str, text: str) -> list[int]:
    found = re.finditer(rf"(?<!\w){re.escape(word)}", text, re.IGNORECASE)
    return [place.start() for place in found]


def _is_read(seed: Seed, text: str) -> bool:
    with suppress(AdapterError):
        return any(_PROBE in post.own_words for post in seed.read(text, _URL).posts)
    return False


def wrongs(seed: Seed, page: ThreadPage) -> list[str]:
    """What is wrong with what came of a mangled page; nothing where all is well or left out."""
    found = []
    authors = {truth.author for truth in seed.truth.values()} - {_GUEST}
    for post in page.posts:
        words = _words(post.own_words) - seed.within_tags
        owners = {post_id for post_id, truth in seed.truth.items() if truth.words & words}
        if post.id in seed.truth:
            owners.add(post.id)
        if len(owners) > 1:
            found.append(f"{post.id} has words of {sorted(owners)}")
        if post.author_id in authors and any(
            seed.truth[owner].author != post.author_id for owner in owners
        ):
            found.append(f"{post.id} is by {post.author_id}")
    return found


@dataclass
class Tally:
    """What has become of cases.

    Attributes:
        ends: How many ended as what: ``posts`` or the name of an error.
        faults: Crashes, hangs and wrong posts, each with the case that makes it again.
        slowest_s: The longest that one case took.
    """

    ends: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    slowest_s: float = 0.0

    def run(self, seed: Seed, number: int) -> None:
        """Read one mangled page."""
        text = case(seed, number)
        began = time.perf_counter()
        try:
            page = seed.read(text, _URL)
        except AdapterError as error:
            self.ends[type(error).__name__] += 1
        except Exception as error:  # noqa: BLE001 # whatever it is, it is what we look for
            self.ends["crash"] += 1
            self.faults.append(f"{seed.name} {number}: {type(error).__name__} {error}"[:300])
        else:
            self.ends["posts"] += 1
            self.faults += [f"{seed.name} {number}: {wrong}" for wrong in wrongs(seed, page)]
        self.slowest_s = max(self.slowest_s, time.perf_counter() - began)


def main() -> None:
    """Run as many cases as the command line asks for, and print what came of them as JSON.

    A second figure says with which case to begin, a third one how many parts to tell them in.
    """
    given = [int(word) for word in sys.argv[1:]]
    count, first, parts = given + [0, 1][len(given) - 1 :]
    signal.signal(signal.SIGALRM, _hang)
    full = {name: seeds(name) for name in readers()}
    small = {name: [reduced(seed, posts=2) for seed in found] for name, found in full.items()}
    names = [name for name, found in full.items() if found]
    for part in range(parts):
        began = time.process_time()
        tallies = {name: Tally() for name in names}
        start = first + part * count // parts
        end = first + (part + 1) * count // parts
        for number in range(start, end):
            name = names[number % len(names)]
            # A whole page costs twenty times as much.
            pages = full[name] if number // len(names) % 40 == 0 else small[name]
            signal.alarm(HANG_S)
            tallies[name].run(pages[number // len(names) % len(pages)], number)
            signal.alarm(0)
        _tell(range(start, end), tallies, full, time.process_time() - began)


def _tell(
    cases: range,
    tallies: Mapping[str, Tally],
    full: Mapping[str, Sequence[Seed]],
    seconds: float,
) -> None:
    told = {
        "cases": [cases.start, cases.stop],
        "cpu_seconds": round(seconds),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "platforms": {
            name: {
                "pages": len(full[name]),
                "ends": dict(tally.ends.most_common()),
                "slowest_s": round(tally.slowest_s, 2),
                "faults": tally.faults[:50],
            }
            for name, tally in tallies.items()
        },
    }
    sys.stdout.write(json.dumps(told, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def _hang(number: int, frame: object) -> None:
    raise TimeoutError(number, frame)


if __name__ == "__main__":
    main()
