"""YAML files as plain values that remember where they stand.

Every text file that a person writes for the referee (config, sheets, table rows, terms) is read
here, so that a problem can name file, line and column. YAML 1.2: ``no`` and ``21:00`` stay text.
Size, depth and number of values are bounded, aliases included; an alias bomb is a problem, not a
hang. The library parses; only the values are built here, because its own loader stops at the
first double key and recurses as deep as the file wants.
"""

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from rapidfuzz import process
from rapidfuzz.distance import OSA
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.nodes import ScalarNode
from ruamel.yaml.reader import ReaderError

from referee.errors import ConfigProblem
from rulesets.core.declarations import fold

MAX_BYTES: Final = 1_000_000
MAX_VALUES: Final = 50_000
MAX_DEPTH: Final = 30
MAX_SHOWN: Final = 60
MAX_LISTED: Final = 12
ROW_NAMES: Final = ("id", "name")
"""Keys that name a row of a list."""
CLOSE_ENOUGH: Final = 0.6
"""Share of letters that must agree before a spelling is offered."""


@dataclass(frozen=True, slots=True)
class Place:
    """A spot in a file; line and column count from 1, 0 means the file as a whole."""

    file: str
    line: int = 0
    column: int = 0


class YamlMap(dict[str, Any]):
    """A mapping that remembers where each key and value stands. Keys are always text."""

    def __init__(self, place: Place) -> None:
        """Start empty."""
        super().__init__()
        self.place = place
        self.keys_at: dict[str, Place] = {}
        self.values_at: dict[str, Place] = {}

    def put(self, key: str, value: object, key_at: Place, value_at: Place) -> None:
        """Set a value with its places."""
        self[key] = value
        self.keys_at[key] = key_at
        self.values_at[key] = value_at


class YamlList(list[Any]):
    """A list that remembers where each item stands."""

    def __init__(self, place: Place) -> None:
        """Start empty."""
        super().__init__()
        self.place = place
        self.items_at: list[Place] = []


@dataclass(frozen=True, slots=True)
class Document:
    """What a file holds.

    Attributes:
        root: Plain values; None where the file is empty or could not be read.
        problems: All that is wrong with its form. Double keys keep their first value.
        digest: SHA-256 of the bytes, empty where the file could not be read.
    """

    root: Any
    problems: tuple[ConfigProblem, ...] = ()
    digest: str = ""


Steps = Sequence[str | int]


@dataclass(frozen=True, slots=True)
class Item:
    """A value inside a mapping or list, with where it and its key stand."""

    value: Any
    key_at: Place
    value_at: Place


def item(parent: object, step: str | int) -> Item | None:
    """What a key, an index or the name of a row leads to; None where it leads nowhere.

    A plain mapping or list gives its values without a place.
    """
    nowhere = Place("")
    if isinstance(parent, dict) and str(step) in parent:
        key = str(step)
        if isinstance(parent, YamlMap):
            return Item(parent[key], parent.keys_at[key], parent.values_at[key])
        return Item(parent[key], nowhere, nowhere)
    if isinstance(parent, list):
        for index, value in enumerate(parent):
            named = isinstance(value, dict) and step in [value.get(key) for key in ROW_NAMES]
            if named or index == step:
                at = parent.items_at[index] if isinstance(parent, YamlList) else nowhere
                return Item(value, at, at)
    return None


def place_of(root: object, path: Steps, *, key: bool = False) -> Place:
    """Where a value stands, or the nearest thing above it that stands somewhere.

    Args:
        root: A ``YamlMap`` or ``YamlList``; parts of it may come from other files.
        path: Keys, indexes and names of rows that lead to the value.
        key: Point at the last key instead of its value.
    """
    place = getattr(root, "place", Place(""))
    here = root
    for depth, step in enumerate(path):
        found = item(here, step)
        if found is None:
            break
        here = found.value
        if key and depth == len(path) - 1:
            place = found.key_at
        elif here is None:
            place = found.key_at  # an empty value stands wherever the next line begins
        elif not isinstance(here, (YamlMap, YamlList)):
            place = found.value_at
        elif here.place.file != found.value_at.file:
            place = here.place  # the root of another file; its key stands in the first one
        else:
            place = found.key_at  # a block begins at its key for a reader
    return place


def dotted(path: Steps) -> str:
    """A path as people write it: ``threads.molino.gm[1]``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f"{'.' if text else ''}{step}"
    return text


def shortened(value: object) -> str:
    """A value in one short line."""
    text = " ".join(str(value).split())
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def listed(names: Sequence[str]) -> str:
    """Some names in one line."""
    return ", ".join(names[:MAX_LISTED]) + (", …" if len(names) > MAX_LISTED else "")


def nearest(word: str, candidates: Sequence[str]) -> str:
    """The candidate that was probably meant; nothing where none is close or two equally so."""
    folded = [fold(candidate) for candidate in candidates]
    found = process.extract(
        fold(word),
        folded,
        scorer=OSA.normalized_similarity,
        score_cutoff=CLOSE_ENOUGH,
        limit=2,
    )
    if not found or (len(found) > 1 and found[0][1] == found[1][1] and found[0][0] != found[1][0]):
        return ""
    return candidates[found[0][2]]


def read_yaml(path: Path, shown: str) -> Document:
    """Read a YAML file.

    Args:
        path: The file.
        shown: What problems call it.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return _broken(shown, "no_such_file")
    except OSError as error:
        return _broken(shown, "cannot_read_file", given=type(error).__name__)
    digest = hashlib.sha256(raw).hexdigest()
    if len(raw) > MAX_BYTES:
        return _broken(shown, "file_too_large", expected=f"≤ {MAX_BYTES}", digest=digest)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - raw.rfind(b"\n", 0, error.start)
        place = Place(shown, line, column)
        return Document(None, (_problem(place, "not_utf8"),), digest)
    document = parse_yaml(text, shown)
    return Document(document.root, document.problems, digest)


def digest_of(path: Path) -> str:
    """SHA-256 of a file as far as it would be read; empty where it cannot be."""
    try:
        with path.open("rb") as file:
            return hashlib.sha256(file.read(MAX_BYTES + 1)).hexdigest()
    except OSError:
        return ""


def parse_yaml(text: str, shown: str) -> Document:
    """Read YAML text; problems call it ``shown``."""
    builder = _Builder(shown)
    try:
        for event in YAML(typ="safe", pure=True).parse(text):
            if not builder.take(event):
                break
    except ReaderError as error:
        before = text[: error.position]
        place = Place(shown, before.count("\n") + 1, len(before) - before.rfind("\n"))
        builder.problems.append(_problem(place, "control_character"))
    except MarkedYAMLError as error:
        builder.problems.append(_syntax_problem(error, shown))
    except YAMLError:
        builder.problems.append(_problem(Place(shown), "bad_yaml"))
    else:
        return Document(builder.root, tuple(builder.problems))
    return Document(None, tuple(builder.problems))


def plain(value: Any) -> Any:
    """A copy in ordinary dicts and lists, for handing out."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def _broken(
    shown: str, code: str, *, given: str = "", expected: str = "", digest: str = ""
) -> Document:
    problem = ConfigProblem(file=shown, code=code, given=given, expected=expected)
    return Document(None, (problem,), digest)


def _problem(place: Place, code: str, *, given: str = "", expected: str = "") -> ConfigProblem:
    return ConfigProblem(
        file=place.file,
        line=place.line,
        column=place.column,
        code=code,
        given=given,
        expected=expected,
    )


# The library's words -> our code, and whether the place is where the trouble began. Its own text
# is never passed on: it is English, and it quotes the file, which may hold a secret.
_SYNTAX: Final = (
    ("found character '\\t'", "tab", False),
    ("found character", "reserved_character", False),
    ("mapping values are not allowed", "stray_colon", False),
    ("found unexpected end of stream", "unclosed_quote", True),
    ("expected ',' or", "unclosed_bracket", True),
    ("expected the node content", "unclosed_bracket", False),
    ("expected <block end>", "bad_indent", False),
    ("could not find expected ':'", "missing_colon", True),
    ("found unknown escape", "bad_escape", False),
)


def _syntax_problem(error: MarkedYAMLError, shown: str) -> ConfigProblem:
    words = error.problem or ""
    code, at_start = next(
        ((code, at_start) for beginning, code, at_start in _SYNTAX if words.startswith(beginning)),
        ("bad_yaml", False),
    )
    mark = error.context_mark if at_start and error.context_mark else error.problem_mark
    place = Place(shown, mark.line + 1, mark.column + 1) if mark else Place(shown)
    return _problem(place, code)


@dataclass(slots=True)
class _Frame:
    """A mapping or list that is still open."""

    value: YamlMap | YamlList
    place: Place
    anchor: str | None
    counted: int
    key: str | None = None
    key_at: Place | None = None
    skip: bool = False
    merges: list[YamlMap] = field(default_factory=list)


# Always YAML 1.2, whatever a %YAML line in the file says: 1.1 would turn "no" into False.
_RESOLVER: Final = YAML(typ="safe", pure=True).resolver
_TAG: Final = "tag:yaml.org,2002:"
_MERGE: Final = "<<"


class _Builder:
    """Turns the library's events into values, one by one, without recursion."""

    def __init__(self, shown: str) -> None:
        self.shown = shown
        self.root: Any = None
        self.problems: list[ConfigProblem] = []
        self.frames: list[_Frame] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.count = 0
        self.documents = 0

    def take(self, event: Event) -> bool:
        """Take the next event; False stops the reading."""
        place = Place(self.shown, event.start_mark.line + 1, event.start_mark.column + 1)
        if isinstance(event, DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                return self._stop(place, "several_documents")
        elif isinstance(event, (MappingStartEvent, SequenceStartEvent)):
            return self._open(event, place)
        elif isinstance(event, (MappingEndEvent, SequenceEndEvent)):
            self._close()
        elif isinstance(event, ScalarEvent):
            return self._scalar(event, place)
        elif isinstance(event, AliasEvent):
            return self._alias(event, place)
        return True

    def _stop(self, place: Place, code: str, expected: str = "") -> bool:
        self.problems.append(_problem(place, code, expected=expected))
        self.root = None
        return False

    def _counts(self, place: Place, size: int = 1) -> bool:
        self.count += size
        if self.count > MAX_VALUES:
            return self._stop(place, "too_many_values", f"≤ {MAX_VALUES}")
        return True

    def _wants_key(self) -> bool:
        frame = self.frames[-1] if self.frames else None
        return frame is not None and isinstance(frame.value, YamlMap) and frame.key is None

    def _open(self, event: MappingStartEvent | SequenceStartEvent, place: Place) -> bool:
        if len(self.frames) >= MAX_DEPTH:
            return self._stop(place, "too_deep", f"≤ {MAX_DEPTH}")
        if self._wants_key():
            return self._stop(place, "key_not_text")
        value = YamlMap(place) if isinstance(event, MappingStartEvent) else YamlList(place)
        self.frames.append(_Frame(value, place, event.anchor, self.count))
        return self._counts(place)

    def _close(self) -> None:
        frame = self.frames.pop()
        if isinstance(frame.value, YamlMap):
            for merged in frame.merges:
                for key in merged.keys() - frame.value.keys():
                    frame.value.put(key, merged[key], merged.keys_at[key], merged.values_at[key])
        if frame.anchor:
            self.anchors[frame.anchor] = (frame.value, self.count - frame.counted)
        self._add(frame.value, frame.place)

    def _scalar(self, event: ScalarEvent, place: Place) -> bool:
        if self._wants_key():
            self._begin_key(_text(event.value), place)
            return self._counts(place)
        value = _scalar(event)
        if event.anchor:
            self.anchors[event.anchor] = (value, 1)
        self._add(value, place)
        return self._counts(place)

    def _alias(self, event: AliasEvent, place: Place) -> bool:
        if self._wants_key():
            return self._stop(place, "key_not_text")
        if event.anchor not in self.anchors:
            return self._stop(place, "unknown_alias")
        value, size = self.anchors[event.anchor]
        self._add(value, place)
        return self._counts(place, size)

    def _begin_key(self, key: str, place: Place) -> None:
        frame = self.frames[-1]
        frame.key, frame.key_at = key, place
        frame.skip = key in frame.value
        if frame.skip:
            self.problems.append(_problem(place, "double_key", given=shortened(key)))

    def _add(self, value: object, place: Place) -> None:
        if not self.frames:
            self.root = value
            return
        frame = self.frames[-1]
        if isinstance(frame.value, YamlList):
            frame.value.append(value)
            frame.value.items_at.append(place)
            return
        key, key_at = frame.key, frame.key_at
        frame.key = None
        if key is None or key_at is None or frame.skip:
            return
        if key == _MERGE:
            self._merge(frame, value, key_at)
        else:
            frame.value.put(key, value, key_at, place)

    def _merge(self, frame: _Frame, value: object, place: Place) -> None:
        sources = value if isinstance(value, YamlList) else [value]
        for source in sources:
            if isinstance(source, YamlMap):
                frame.merges.append(source)
            else:
                self.problems.append(_problem(place, "bad_merge"))


def _scalar(event: ScalarEvent) -> str | int | float | bool | None:
    """The value of a scalar. Only numbers written the plain way are numbers: ``007`` is text."""
    text = _text(event.value)
    tag: Hashable = event.tag or _RESOLVER.resolve(ScalarNode, text, event.implicit)
    if tag == f"{_TAG}null":
        return None
    if tag == f"{_TAG}bool":
        return text.lower() == "true"
    if tag == f"{_TAG}int":
        number = text.removeprefix("+")
        return int(number) if len(number) <= 18 and str(_int(number)) == number else text
    if tag == f"{_TAG}float":
        return float(text) if len(text) <= 32 and text.strip("+-0123456789.") == "" else text
    return text


def _text(text: str) -> str:
    """Text as it can be stored: escapes for halves of a character are joined, or replaced."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _int(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None
