"""Find tags in a post and cut them into their parts. One pass, whatever the post holds.

What looks like a tag but is none that can be read comes out as a tag with a problem; nothing that
began with a keyword is dropped in silence.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from referee.tags.near import nearest
from referee.tags.text import Normalised, key, normalise, unwrapped
from referee.tags.vocabulary import Vocabulary

MAX_TAG: Final = 2000  # characters of one tag, as normalised
MAX_TAGS: Final = 100  # tags of one post
MAX_FIELDS: Final = 40  # fields of one tag
MAX_NAME: Final = 120  # characters of a name after the keyword
QUOTED: Final = 200  # characters that are quoted of a tag with a problem

_BRACKET: Final = re.compile(r"[\[\]]")
_HEAD: Final = re.compile(r"\[[\s*_~\"'`]{0,20}([^\W\d_]{2,20})(?![^\W_])")
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
    if "[" not in normal.text:
        return ()
    return tuple(_Finder(normal, vocabulary).tags())


class _Finder:
    """One pass over one post."""

    def __init__(self, normal: Normalised, vocabulary: Vocabulary) -> None:
        self.normal = normal
        self.text = normal.text
        self.vocabulary = vocabulary
        self._closings: dict[int, int] | None = None
        self._guesses: dict[str, str] = {}

    def tags(self) -> Iterator[RawTag]:
        """Tags in order, no more than ``MAX_TAGS`` and a last one that says so."""
        position = count = 0
        while head := _HEAD.search(self.text, position):
            found = self._tag(head)
            if found is None:
                position = head.end()
                continue
            tag, position = found
            if count == MAX_TAGS:
                yield replace(tag, problem="too_many_tags", facts={"limit": MAX_TAGS})
                return
            count += 1
            yield tag

    def _tag(self, head: re.Match[str]) -> tuple[RawTag, int] | None:
        """The tag that may begin at a bracket, and where to look on; None for ordinary words."""
        word = key(head[1])
        keyword = self.vocabulary.keywords.one(word)
        if not keyword:
            return self._misspelt(head, word)
        closing = self._closing(head.start())
        if closing < 0:
            return self._unclosed(head, keyword)
        if closing - head.start() > MAX_TAG:
            return self._too_long(head, keyword)
        return self._closed(head, keyword, closing)

    def _closed(self, head: re.Match[str], keyword: str, closing: int) -> tuple[RawTag, int] | None:
        """A tag with both its brackets."""
        inner = self.text[head.end() : closing]
        tag = self._raw(head.start(), closing + 1, keyword)
        parted = part_head(inner)
        if parted is not None:
            name, body = parted
            return replace(tag, name=name, body=body), closing + 1
        if not self._says_something(keyword, inner):
            return None
        tag = replace(tag, body=inner.strip(), facts={"keyword": keyword})
        return replace(tag, problem="missing_colon"), closing + 1

    def _too_long(self, head: re.Match[str], keyword: str) -> tuple[RawTag, int] | None:
        """A tag that no person writes; most likely one that was not closed where it should be."""
        if not _COLON_SOON.match(self.text, head.end()):
            return None
        tag = self._raw(head.start(), head.start() + QUOTED, keyword)
        return replace(tag, problem="tag_too_long", facts={"limit": MAX_TAG}), head.end()

    def _unclosed(self, head: re.Match[str], keyword: str) -> tuple[RawTag, int] | None:
        """A tag that is never closed: its line is quoted, the tags after it still count."""
        if not _COLON_SOON.match(self.text, head.end()):
            return None
        stop = _LINE_END.search(self.text, head.end(), head.end() + QUOTED)
        end = stop.start() if stop else min(len(self.text), head.end() + QUOTED)
        name, body = part_head(self.text[head.end() : end]) or ("", "")
        tag = self._raw(head.start(), end, keyword)
        facts = {"keyword": keyword}
        return replace(tag, name=name, body=body, problem="unclosed_tag", facts=facts), head.end()

    def _misspelt(self, head: re.Match[str], word: str) -> tuple[RawTag, int] | None:
        """A tag whose keyword holds a slip, where the rest shows that a tag was meant.

        Many brackets in prose begin with a word and a colon, and some of those words are near a
        keyword (*mirada*, *relación*); so the rest must speak for it.
        """
        guess = self._guesses.get(word)
        if guess is None:
            known = (w for w in self.vocabulary.keywords.meanings if len(w) > _SHORTEST_GUESS)
            guess = self._guesses[word] = nearest(word, known)
        if not guess:
            return None
        closing = self._closing(head.start())
        if closing < 0 or closing - head.start() > MAX_TAG:
            return None
        parted = part_head(self.text[head.end() : closing])
        keyword = self.vocabulary.keywords.one(guess)
        if parted is None or not self._says_something(keyword, parted[1]):
            return None
        name, body = parted
        candidates = (self.vocabulary.keywords.say(keyword, self.vocabulary.language),)
        facts = {"given": head[1], "candidates": candidates}
        tag = self._raw(head.start(), closing + 1, keyword)
        tag = replace(tag, name=name, body=body, problem="unknown_keyword", facts=facts)
        return tag, closing + 1

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
        return any(self.vocabulary.fields.ids(key(name)) for name, _ in pairs if name)

    def _raw(self, start: int, end: int, keyword: str) -> RawTag:
        begin, stop = self.normal.span(start, end)
        words = self.normal.source[begin:stop]
        return RawTag(words, begin, stop, keyword)

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
            return field[: mark.start()].strip(), field[mark.end() :].strip()
    return "", field
