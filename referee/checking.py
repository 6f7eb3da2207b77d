"""Check one section of a config at a time; what is wrong becomes a problem with place and cure.

``pydantic`` finds what is wrong with a section's form, a ruleset what is wrong with its figures;
here both become ``ConfigProblem`` values that name file, line, column and the nearest valid
spelling, and never show what may be a secret.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from referee import schema
from referee.data import Data
from referee.deadlines import TimeWords
from referee.documents import (
    Place,
    Steps,
    dotted,
    item,
    listed,
    nearest,
    place_of,
    read_yaml,
    shortened,
)
from referee.errors import ConfigProblem
from rulesets.core.declarations import fold
from rulesets.core.questions import SetupProblem

MAX_PROBLEMS: Final = 100

Meant = Callable[[str, Sequence[str]], str]
"""Picks the candidate that a word probably stands for, or nothing."""


S = TypeVar("S", bound=schema.Section)

# Below these keys a value that was left empty is the ruleset's business.
_OPAQUE: Final = frozenset({"sheet", "state", "scene", "options", "tables"})
_SECRET_KEY: Final = re.compile(
    r"passw|secret|token|(?:^|_)(?:pass|pwd|clave|contrasen)|api[ _-]?key", re.IGNORECASE
)
_BEFORE_AT: Final = re.compile(r"\S*@")  # name and password of an address

# Problems of a key and not of its value.
BY_KEY: Final = frozenset(
    {
        "unknown_key",
        "unknown_ruleset_key",
        "missing",
        "secret_in_file",
        "bad_key",
        "bad_name",
        "same_name",
        "no_player",
        "no_contact",
        "two_secrets",
    }
)
_CODES: Final[Mapping[str, str]] = {
    "extra_forbidden": "unknown_key",
    "missing": "missing",
    "int_parsing": "not_integer",
    "int_type": "not_integer",
    "int_from_float": "not_integer",
    "bool_parsing": "not_boolean",
    "bool_type": "not_boolean",
    "float_parsing": "not_number",
    "float_type": "not_number",
    "finite_number": "not_number",
    "string_type": "not_text",
    "string_too_short": "missing",
    "string_too_long": "text_too_long",
    "dict_type": "not_mapping",
    "model_type": "not_mapping",
    "model_attributes_type": "not_mapping",
    "tuple_type": "not_list",
    "list_type": "not_list",
    "literal_error": "unknown_value",
    "greater_than_equal": "out_of_range",
    "less_than_equal": "out_of_range",
    "too_short": "missing",
    "too_long": "too_many",
    "string_pattern_mismatch": "bad_key",
}
_SETUP_TYPES: Final[Mapping[str, str]] = {
    "integer": "not_integer",
    "int": "not_integer",
    "boolean": "not_boolean",
    "bool": "not_boolean",
    "number": "not_number",
    "text": "not_text",
    "string": "not_text",
    "str": "not_text",
    "mapping": "not_mapping",
    "map": "not_mapping",
    "list": "not_list",
}


class Checker:
    """Problems of one config pile up here.

    Attributes:
        root: The config as parsed; it knows where everything stands.
        problems: In the order found.
        files: Every file that was read, with its digest.
        words: The words for deadlines.
    """

    def __init__(self, shown: str, builtin: Data) -> None:
        """Start with nothing wrong.

        Args:
            shown: What problems call the config.
            builtin: Where the words are.
        """
        self.shown = shown
        self.root: Any = None
        self.problems: list[ConfigProblem] = []
        self.files: dict[Path, str] = {}
        self.words: TimeWords = builtin.time_words()
        self.synonyms = {
            fold(str(word)): str(key)
            for lang in builtin.languages()
            for word, key in builtin.messages(lang).get("config_synonyms", {}).items()
        }

    def add(self, code: str, path: Steps, **facts: str) -> None:
        """Add a problem of the value at a path, or of its key where the code says so."""
        place = place_of(self.root, path, key=code in BY_KEY)
        self.problems.append(problem_at(code, place, path, **facts))

    def unknown(self, code: str, path: Steps, given: str, candidates: Iterable[str]) -> None:
        """Add a problem for a name that is none of the candidates."""
        names = sorted(candidates)
        self.add(
            code, path, given=given, expected=listed(names), suggestion=self.meant(given, names)
        )

    def meant(self, word: str, candidates: Sequence[str]) -> str:
        """The candidate that a word probably stands for: the nearest, or one that it translates."""
        translations = {w: key for w, key in self.synonyms.items() if key in candidates}
        if fold(word) in translations:
            return translations[fold(word)]
        found = nearest(word, candidates) or nearest(word, list(translations))
        return translations.get(found, found)

    def sorted_problems(self) -> tuple[ConfigProblem, ...]:
        """Each problem once, by file and line; the config before the files that it names."""
        main = self.shown
        order = sorted(
            dict.fromkeys(self.problems),
            key=lambda p: (p.file != main, p.file, p.line, p.column, p.field),
        )
        if len(order) > MAX_PROBLEMS:
            rest = ConfigProblem(
                file=main, code="more_problems", given=str(len(order) - MAX_PROBLEMS)
            )
            return (*order[:MAX_PROBLEMS], rest)
        return tuple(order)

    def read(self, path: Path, shown: str) -> Any:
        """The root of a YAML file; what is wrong with its form becomes problems."""
        document = read_yaml(path, shown)
        self.files[path] = document.digest
        self.problems.extend(document.problems)
        return document.root

    def section(self, model: type[S], raw: object, path: Steps) -> S:
        """One section; what is wrong with it is added, and left out of what comes back."""
        given = without_empty(raw)
        context = {"words": self.words}
        try:
            section = model.model_validate(given, context=context)
        except ValidationError as error:
            wrong = error.errors(include_url=False)
            for found in wrong:
                self.add_invalid(model, path, dict(found))
            broken = {found["loc"][0] for found in wrong if found["loc"]}
            whole = given if isinstance(given, dict) else {}
            rest = {key: value for key, value in whole.items() if key not in broken}
            section = model.model_validate(rest, context=context)
        else:
            broken = set()
        for name, info in model.model_fields.items():
            is_needed = schema.REQUIRED in info.metadata and name not in broken
            if is_needed and not getattr(section, name):
                self.add("missing", (*path, name))
        return section

    def add_invalid(self, model: type[BaseModel], above: Steps, found: Any) -> None:
        """Turn what the library found into a problem."""
        loc: tuple[str | int, ...] = found["loc"]
        code = _CODES.get(found["type"], found["type"])
        path = _as_written(self.root, (*above, *loc), whole=code in {"missing", "unknown_key"})
        facts = {key: str(value) for key, value in found.get("ctx", {}).items()}
        given = facts.get("given") or safe(found["input"], path)
        if code == "unknown_key":
            self.unknown_key(path, list(_section_at(model, loc[:-1]).model_fields))
        elif code == "unknown_value":
            self.unknown(code, path, given, re.findall(r"'([^']*)'", facts["expected"]))
        elif facts.get("sort"):
            self.unknown(code, path, given, self.words.of_sort(facts["sort"]))
        elif code == "out_of_range":
            bound = f"≥ {facts['ge']}" if "ge" in facts else f"≤ {facts['le']}"
            self.add(code, path, given=given, expected=bound)
        elif code == "missing":
            self.add(code, path)
        else:
            expected, suggestion = facts.get("expected", ""), facts.get("suggestion", "")
            self.add(code, path, given=given, expected=expected, suggestion=suggestion)

    def unknown_key(self, path: Steps, names: Sequence[str]) -> None:
        """Add a problem for a key of ours; one that looks like a secret gets its own."""
        key = str(path[-1])
        hint = next((name for name in names if name.endswith("_env")), "")
        if hint and sounds_secret(key) and not key.endswith(("_env", "_file", "_credential")):
            self.add("secret_in_file", path, suggestion=hint)
        else:
            self.unknown("unknown_key", path, key, names)


def without_empty(raw: object) -> Any:
    """The section without the keys whose value was left empty: they count as left out."""
    if not isinstance(raw, dict):
        return raw
    return {
        key: value if key in _OPAQUE else without_empty(value)
        for key, value in raw.items()
        if value is not None
    }


def _section_at(model: type[BaseModel], loc: Steps) -> type[BaseModel]:
    """The model of the section that a path inside another leads to."""
    for step in loc:
        if isinstance(step, str) and step in model.model_fields:
            found = _models_in(model.model_fields[step].annotation)
            model = next(found, model)
    return model


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in getattr(annotation, "__args__", ()):
        yield from _models_in(argument)


def _as_written(root: object, path: Steps, *, whole: bool) -> Steps:
    """The path in the file of a value whose short form was taken apart before it was checked.

    Args:
        root: The config as parsed.
        path: Where the checked value stands: ``player[0].id`` or ``deadline.length``.
        whole: Whether the last step is a key that is not there, or should not be.
    """
    here, written = root, []
    for depth, step in enumerate(path):
        found = item(here, step)
        if found is not None:
            here = found.value
        elif isinstance(step, int) and not isinstance(here, list):
            continue  # one person stands for a list of one
        elif not whole or depth < len(path) - 1:
            break
        written.append(step)
    return tuple(written)


def sounds_secret(key: str) -> bool:
    """Whether what stands under a key may be a password or an API key."""
    return _SECRET_KEY.search(fold(key)) is not None


def safe(value: object, path: Steps) -> str:
    """What was found, for showing; nothing where it may be, or may hold, a secret."""
    if value is None or isinstance(value, (dict, list)):
        return ""
    if any(sounds_secret(str(step)) for step in path):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return shortened(_BEFORE_AT.sub("…@", str(value)))


def problem_at(code: str, place: Place, path: Steps, **facts: str) -> ConfigProblem:
    """A problem with its place; ``facts`` are ``given``, ``expected`` and ``suggestion``."""
    return ConfigProblem(
        file=place.file,
        line=place.line,
        column=place.column,
        field=dotted(path),
        code=code,
        **facts,
    )


def setup_problem(problem: SetupProblem, place: Place, path: Steps, meant: Meant) -> ConfigProblem:
    """A ruleset's problem with its place and the nearest spelling."""
    code = problem.code
    if code == "wrong_type":
        code = _SETUP_TYPES.get(problem.expected, code)
    given = safe(problem.given, path)
    if not given and code == "unknown_key":
        given = str(path[-1])
    return problem_at(
        code,
        place,
        path,
        given=given,
        expected=listed(problem.candidates) or problem.expected,
        suggestion=meant(given, problem.candidates) if given and problem.candidates else "",
    )
