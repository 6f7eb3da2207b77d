"""Find tags in a post and cut them into their parts. One pass, whatever the post holds.

What looks like a tag but is none that can be read comes out as a tag with a problem; nothing that
began with a keyword is dropped in silence.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from referee.tags.near import nearest
from referee.tags.text import Normalised, key, normalise, unwrapped
from referee.tags.vocabulary import Vocabulary
from rulesets.core.declarations import Kind

MAX_TAG: Final = 2000  # characters of one tag, as normalised
MAX_TAGS: Final = 100  # tags of one post
MAX_ATTEMPTS: Final = 500  # brackets of one post that begin with a keyword, tags or not
MAX_FIELDS: Final = 40  # fields of one tag
MAX_NAME: Final = 120  # characters of a name after the keyword
QUOTED: Final = 200  # characters that are quoted of a tag with a problem

_BRACKET: Final = re.compile(r"[\[\]]")
_HEAD: Final = re.compile(r"[\[({<][\s*_~\"'`]{0,20}([^\W\d_]{2,20})(?![^\W_])")
_CLOSING: Final = {"(": ")", "{": "}", "<": ">"}
_DECORATION: Final = " *_~\"'`\n"
_KEYWORD: Final = re.compile(r"[\s*_~\"'`]{0,20}([^\W\d_]{2,20})(?![^\W_])")
_COLON_SOON: Final = re.compile(r"[*_~\"'`]{0,3}[^\[\]|;\n:=]{0,120}[:=]")
_SEPARATOR: Final = re.compile(r"[|\n]|;(?!['-]?[)(DPp](?!\w))")
_STRUCTURE: Final = re.compile(r"[\[\]\"|\n]|;(?!['-]?[)(DPp](?!\w))")
_ENDS_FIELD: Final = re.compile(r" *(?:[|;\n]|\Z)")
_HEAD_MARK: Final = re.compile(r"[\[\]\":=|;]")
_PAIR_MARK: Final = re.compile(r"[\[\]]|(?<![<>!])[:=](?!//)(?!(?<=\d.)\d)")
_LINE_END: Final = re.compile(r"[\[\n]")
_DICE: Final = re.compile(r"\d*[dD](?:\d|%)|\d[dD](?!\w)")
_SHORTEST_GUESS: Final = 3  # gm, dj, acc: one slip makes any word of them
# A name that Markdown makes a link of, to a sheet or a map. Elsewhere a link's words are all that
# is left of it, and the same tag should come out everywhere.
_LINK: Final = re.compile(
    r"\[([^\[\]\n|]{1,120})\]"
    r"\((?:https?://|mailto:|[/#?])[^\s()]{0,300}(?:\([^\s()]{0,100}\)[^\s()]{0,100}){0,3}"
    r"(?: \"[^\"\n]{0,100}\")?\)"
)
_HANGING_KEY: Final = re.compile(r"([:=])[ ]*\n\s*")


@dataclass(frozen=True, slots=True)
class RawTag:
    """A tag as it stands in a post, cut into keyword, name and the rest.

    Attributes:
        words: Exactly as posted, with its brackets; of one with a problem only the beginning.
        start: Where it begins in the post's own words.
        end: Where it ends in the post's own words.
        keyword: ``action``, ``standing``, ``roll`` or ``command``; the guess where it is misspelt.
        name: Who is named after the keyword, normalised; empty where nobody is.
        body: What follows the colon, normalised.
        problem: Code of what keeps it from being read, or empty.
        facts: Facts of the problem.
    """

    words: str
    start: int
    end: int
    keyword: str
    name: str = ""
    body: str = ""
    problem: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)


def find_tags(own_words: str, vocabulary: Vocabulary) -> tuple[RawTag, ...]:
    """The tags of a post, in the order written.

    Args:
        own_words: What the author wrote, without quotes, code and signature.
        vocabulary: The words of the thread; its keywords decide what is a tag.

    Returns:
        Tags to be read by ``read_tag``, those with a problem among them. At most ``MAX_TAGS``;
        where there are more, the last one says so.
    """
    normal = normalise(own_words)
    return tuple(_Finder(normal, vocabulary).tags())


@dataclass(slots=True)
class _Found:
    """A tag as it stands in the normalised text; ``resume`` is where to look for the next one."""

    keyword: str
    start: int
    stop: int
    name: str = ""
    body: str = ""
    problem: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)
    resume: int = -1


class _Finder:
    """One pass over one post."""

    def __init__(self, normal: Normalised, vocabulary: Vocabulary) -> None:
        self.normal = normal
        self.text = normal.text
        self.vocabulary = vocabulary
        self._closings: dict[int, int] | None = None
        self._guesses: dict[str, str] = {}
        self._guessable = {
            word: name
            for word, name in vocabulary.keywords.sole.items()
            if len(word) > _SHORTEST_GUESS
        }

    def tags(self) -> Iterator[RawTag]:
        """Tags in order, no more than ``MAX_TAGS`` and a last one that says so."""
        position = tags = attempts = 0
        while head := _HEAD.search(self.text, position):
            position = head.end()
            keyword, is_sure = self._keyword(head)
            if not keyword:
                continue
            attempts += 1
            if attempts > MAX_ATTEMPTS or tags == MAX_TAGS:
                facts = {"limit": MAX_TAGS}
                stop = min(len(self.text), head.start() + QUOTED)
                yield self._raw(
                    _Found(keyword, head.start(), stop, problem="too_many_tags", facts=facts)
                )
                return
            found = self._tag(head, keyword) if is_sure else self._misspelt(head, keyword)
            if found is not None:
                tags += 1
                position = found.resume if found.resume >= 0 else found.stop
                yield self._raw(found)

    def _keyword(self, head: re.Match[str]) -> tuple[str, bool]:
        """Id of the keyword that a bracket begins with or may begin with, and whether it does."""
        word = key(head[1])
        keyword = self.vocabulary.keywords.one(word)
        if keyword or head[0][0] != "[":
            return keyword, True
        guess = self._guesses.get(word)
        if guess is None:
            guess = self._guesses[word] = nearest(word, self._guessable)
        return guess, False

    def _tag(self, head: re.Match[str], keyword: str) -> _Found | None:
        """The tag that may begin with a keyword; None for ordinary words."""
        if head[0][0] != "[":
            return self._otherwise_bracketed(head, keyword)
        closing = self._closing(head.start())
        if closing < 0:
            return self._unclosed(head, keyword)
        if closing - head.start() > MAX_TAG:
            return self._too_long(head, keyword)
        return self._closed(head, keyword, closing)

    def _closed(self, head: re.Match[str], keyword: str, closing: int) -> _Found | None:
        """A keyword with both its brackets."""
        inner = _LINK.sub(r"\1", self.text[head.end() : closing])
        parted = part_head(inner)
        if parted is not None:
            return _Found(keyword, head.start(), closing + 1, *parted)
        if not inner.strip(_DECORATION):
            return self._beside(head, keyword, closing)
        if not self._says_something(keyword, inner):
            return None
        return self._problem(
            "missing_colon", keyword, (head.start(), closing + 1), ("", inner.strip())
        )

    def _beside(self, head: re.Match[str], keyword: str, closing: int) -> _Found | None:
        """``[acción]: parada``: a keyword in brackets with the tag's body beside it."""
        end = self._line_end(closing + 1)
        body = self.text[closing + 1 : end].strip(": ")
        if not self._says_something(keyword, body):
            return None
        return self._problem("wrong_brackets", keyword, (head.start(), end), ("", body))

    def _otherwise_bracketed(self, head: re.Match[str], keyword: str) -> _Found | None:
        """``(acción: parada)``: a tag in other brackets, where its words leave no doubt."""
        closing = self.text.find(_CLOSING[head[0][0]], head.end(), head.end() + QUOTED)
        parted = part_head(self.text[head.end() : closing]) if closing > 0 else None
        if parted is None or not self._says_something(keyword, parted[1]):
            return None
        return self._problem("wrong_brackets", keyword, (head.start(), closing + 1), parted)

    def _too_long(self, head: re.Match[str], keyword: str) -> _Found | None:
        """A tag that no person writes; most likely one that was not closed where it should be."""
        if not _COLON_SOON.match(self.text, head.end()):
            return None
        stop = head.start() + QUOTED
        facts = {"limit": MAX_TAG}
        return _Found(
            keyword, head.start(), stop, problem="tag_too_long", facts=facts, resume=head.end()
        )

    def _unclosed(self, head: re.Match[str], keyword: str) -> _Found | None:
        """A tag that is never closed: its line is quoted, the tags after it still count."""
        end = self._line_end(head.end())
        parted = part_head(self.text[head.end() : end])
        if parted is None:
            return None
        name, body = parted
        body = body.rstrip(")}> ") if body.count(")") > body.count("(") else body
        if name and not self._says_something(keyword, body):
            return None
        found = self._problem("unclosed_tag", keyword, (head.start(), end), (name, body))
        found.resume = head.end()
        return found

    def _misspelt(self, head: re.Match[str], keyword: str) -> _Found | None:
        """A tag whose keyword holds a slip, where the rest shows that a tag was meant.

        Many brackets in prose begin with a word and a colon, and some of those words are near a
        keyword (*mirada*, *relación*); so the rest must speak for it.
        """
        closing = self._closing(head.start())
        if closing < 0 or closing - head.start() > MAX_TAG:
            return None
        parted = part_head(self.text[head.end() : closing])
        if parted is None or not self._says_something(keyword, parted[1]):
            return None
        found = self._problem("unknown_keyword", keyword, (head.start(), closing + 1), parted)
        found.facts = {"given": head[1], "candidates": (found.facts["keyword"],)}
        return found

    def _problem(
        self, code: str, keyword: str, span: tuple[int, int], parts: tuple[str, str]
    ) -> _Found:
        said = self.vocabulary.keywords.say(keyword, self.vocabulary.language)
        return _Found(keyword, *span, *parts, problem=code, facts={"keyword": said})

    def _line_end(self, start: int) -> int:
        """Where a line, or what may be quoted of it, ends, or the next bracket opens."""
        limit = min(len(self.text), start + QUOTED)
        stop = _LINE_END.search(self.text, start, limit)
        return stop.start() if stop else limit

    def _says_something(self, keyword: str, text: str) -> bool:
        """Whether words that may be a tag's body begin with a verb, or hold a field or dice."""
        fields = split_fields(text[:MAX_TAG])
        if not fields:
            return False
        if keyword == "roll":
            return _DICE.search(fields[0]) is not None
        if self.vocabulary.begins_with_verb(keyword, fields[0]):
            return True
        pairs = (pair(field) for field in fields[1:])
        if any(self.vocabulary.fields.ids(key(name)) for name, _ in pairs if name):
            return True
        verbs = self.vocabulary.verbs[Kind(keyword)].sole
        return len(fields) > 1 and nearest(key(fields[0]), verbs) != ""

    def _raw(self, found: _Found) -> RawTag:
        start, stop = self.normal.span(found.start, found.stop)
        return RawTag(
            self.normal.source[start:stop],
            start,
            stop,
            found.keyword,
            found.name,
            found.body,
            found.problem,
            found.facts,
        )

    def _closing(self, opening: int) -> int:
        """Where the bracket opened there is closed, or -1."""
        if self._closings is None:
            self._closings = {}
            open_: list[int] = []
            for bracket in _BRACKET.finditer(self.text):
                if bracket[0] == "[":
                    open_.append(bracket.start())
                elif open_:
                    self._closings[open_.pop()] = bracket.start()
        return self._closings.get(opening, -1)


def part_head(inner: str) -> tuple[str, str] | None:
    """Name and body of what follows a keyword; None where no colon parts them.

    A name in quotes may hold a colon, a name with brackets keeps them.
    """
    depth = 0
    position = 0
    while mark := _HEAD_MARK.search(inner, position):
        position = mark.end()
        if mark[0] == "[":
            depth += 1
        elif mark[0] == "]":
            depth -= 1
        elif mark[0] == '"':
            closing = inner.find('"', position)
            if not inner[: mark.start()].strip() and closing >= 0:
                position = closing + 1
        elif depth == 0:
            if mark[0] not in ":=" or mark.start() > MAX_NAME:
                return None
            name = " ".join(inner[: mark.start()].strip(" *_~`\n").split())
            return unwrapped(name), inner[mark.end() :].strip()
    return None


def part_keyword(inner: str, vocabulary: Vocabulary) -> tuple[str, str, str] | None:
    """Keyword, name and body of what stands in brackets; None where it begins with no keyword."""
    word = _KEYWORD.match(inner)
    keyword = vocabulary.keywords.one(key(word[1])) if word else ""
    parted = part_head(inner[word.end() :]) if word and keyword else None
    return None if parted is None else (keyword, *parted)


def holds_tag(text: str, vocabulary: Vocabulary) -> bool:
    """Whether a tag begins somewhere in a text."""
    return any(
        vocabulary.keywords.one(key(head[1])) and _COLON_SOON.match(text, head.end())
        for head in _HEAD.finditer(text)
        if head[0][0] == "["
    )


def split_fields(body: str) -> tuple[str, ...]:
    """Fields of a tag's body: parted by ``|``, ``;`` or a line break, without empty ones.

    What stands in brackets or wholly in quotes stays together, and the eyes of a ``;)`` are no
    separator.
    """
    body = _HANGING_KEY.sub(r"\1 ", body)
    pieces = _pieces(body) if "[" in body or '"' in body else _SEPARATOR.split(body)
    return tuple(piece for piece in map(str.strip, pieces) if piece)


def _pieces(body: str) -> list[str]:
    """``split_fields`` for a body with brackets or quotes."""
    pieces = []
    begin = position = depth = 0
    while mark := _STRUCTURE.search(body, position):
        position = mark.end()
        if mark[0] == "[":
            depth += 1
        elif mark[0] == "]":
            depth = max(0, depth - 1)
        elif mark[0] == '"':
            before = body[begin : mark.start()].rstrip()
            closing = body.find('"', position) if not before or before[-1] in ":=," else -1
            if closing >= 0 and _ENDS_FIELD.match(body, closing + 1):
                position = closing + 1
        elif depth == 0:
            pieces.append(body[begin : mark.start()])
            begin = position
    pieces.append(body[begin:])
    return pieces


def pair(field: str) -> tuple[str, str]:
    """Key and value of a field; the key is empty for a bare one.

    Colons of clock times and addresses and the signs of comparisons part nothing.
    """
    depth = 0
    for mark in _PAIR_MARK.finditer(field):
        if mark[0] == "[":
            depth += 1
        elif mark[0] == "]":
            depth -= 1
        elif depth == 0 and mark.start() > 0:
            name = field[: mark.start()].strip()
            return ("", field) if "//" in name else (name, field[mark.end() :].strip())
    return "", field
