"""House rules: a frozen dataclass with one field for each question that a source leaves open.

Every game reads its options the same way; what the fields mean is its own business.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

from rulesets.core.reading import Path, Reading

Chosen = TypeVar("Chosen")


def read_options(
    reading: Reading,
    raw: Mapping[str, object],
    cls: type[Chosen],
    choices: Mapping[str, Sequence[str]],
    spans: Mapping[str, tuple[int, int]] | None = None,
    path: Path = ("options",),
) -> Chosen:
    """Options from the config or a scenario; what is left out keeps its default.

    Args:
        reading: Keeps the problems.
        raw: As written.
        cls: The dataclass; every field has a default, which is text, a number or a flag.
        choices: The values of each field that is text.
        spans: Least and most of each field that is a number; 0 and 1 where it is not named.
        path: Where they stand.
    """
    defaults = {field.name: field.default for field in fields(cls)}  # type: ignore[arg-type] # a dataclass
    row = reading.mapping(raw, path)
    reading.known(row, defaults, path)
    values: dict[str, Any] = {}
    for name, default in defaults.items():
        if row.get(name) is None:
            continue
        if name in choices:
            values[name] = reading.choice(row, name, path, choices[name], str(default))
        elif isinstance(default, bool):
            values[name] = reading.flag(row, name, path, default=default)
        else:
            number = default if isinstance(default, int) else 0
            span = (spans or {}).get(name, (0, 1))
            values[name] = reading.integer(row, name, path, number, span)
    return cls(**values)
