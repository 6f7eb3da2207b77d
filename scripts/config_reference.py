#!/usr/bin/env python3
"""Write docs/config.md from referee/schema.py, whose docstrings are the explanations.

Without arguments the page is printed; with ``--write`` it replaces docs/config.md. A test compares
the two, so a field cannot be added without its entry.
"""

import ast
import sys
import types
import typing
from collections.abc import Iterator
from datetime import time, timedelta
from pathlib import Path
from typing import Any

from pydantic_core import PydanticUndefined

from referee import schema
from referee.deadlines import DeadlinePolicy, Hours, Length
from referee.settings import Policies

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "config.md"

# In the order in which a reader meets them: heading, model, where its defaults are when None.
SECTIONS: tuple[tuple[str, type[schema.Section], object], ...] = (
    ("The file", schema.FileSection, None),
    ("`database`", schema.DatabaseSection, None),
    ("`polling`", schema.PollingSection, None),
    ("`polling.night`", schema.NightSection, None),
    ("`log`", schema.LogSection, None),
    ("`beacon`", schema.BeaconSection, None),
    ("`sites.NAME`", schema.SiteSection, None),
    ("`threads.NAME`", schema.ThreadSection, None),
    ("`threads.NAME.cast.NAME`", schema.CharacterSection, None),
    ("`threads.NAME.cast.NAME.policies`", schema.CharacterPoliciesSection, None),
    ("A person: `gm`, `player`, `players`", schema.PersonSection, None),
    ("`policies`, `threads.NAME.policies`", schema.PoliciesSection, Policies()),
    ("A deadline: `deadline`, `question_deadline`", schema.DeadlineSection, DeadlinePolicy()),
)

INTRODUCTION = """\
# config.yaml

Generated from `referee/schema.py` by `scripts/config_reference.py`; do not edit by hand.

One YAML file says everything; [config.yaml](../config.yaml) is an example that runs. `referee
check` reads the whole of it and tells everything that is wrong at once, with file, line and the
nearest valid spelling. While the daemon runs, an edit takes effect at the next look; one that
cannot be used leaves the last good config in force and is reported.

- Paths are relative to the file. Words and numbers need no quotes, a clock time such as `21:00`
  included; a text with `: ` or ` #` in it does.
- A key that is left empty counts as left out. Keys are English; if you write a Spanish one, the
  answer names the right one.
- A length is `90 s`, `15 min`, `48h`, `3 días` or `2 weeks`. Hours are elapsed time, days keep the
  clock time over a daylight-saving night.
- Sheets, states and scenes may be written in the game's words as well as in ids: `Fuerza: 13`,
  `armas: [espada larga]`, `weapons: [long sword]`, in any language. What is not known is told with
  the nearest word. A weapon written out whole is one of its own and keeps its name; of one that
  changes a row of the tables (`{name: sword, damage: 1D10}`) the name may be any word for it.
- YAML's anchors work: `sheet: &bandit {...}` once, `sheet: {<<: *bandit, strength: 14}` afterwards.
- Passwords never stand in the file. One that is not where the file says stops nothing but its
  site; `referee check` tells beforehand.
"""


def docstrings() -> dict[str, dict[str, str]]:
    """Explanation of every field, by class: the string under it."""
    tree = ast.parse(Path(schema.__file__).read_text(encoding="utf-8"))
    found: dict[str, dict[str, str]] = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            fields = found.setdefault(node.name, {})
            for field, after in zip(node.body, node.body[1:], strict=False):
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                    text = after.value if isinstance(after, ast.Expr) else None
                    if isinstance(text, ast.Constant):
                        fields[field.target.id] = plain(str(text.value))
    return found


def plain(text: str) -> str:
    """A docstring as Markdown in one line."""
    return " ".join(text.split()).replace("``", "`").replace("|", "\\|")


def page() -> str:
    """The whole page."""
    words = docstrings()
    parts = [INTRODUCTION]
    for heading, model, defaults in SECTIONS:
        parts.append(f"## {heading}\n\n{about(model)}\n\n{table(model, words, defaults)}")
    return "\n".join(parts)


def about(model: type[schema.Section]) -> str:
    """The model's docstring, its paragraphs kept."""
    paragraphs = (model.__doc__ or "").split("\n\n")
    return "\n\n".join(plain(paragraph) for paragraph in paragraphs if paragraph.strip())


def table(model: type[schema.Section], words: dict[str, dict[str, str]], defaults: object) -> str:
    """The model's fields, one a row."""
    rows = ["| key | value | default | |", "|---|---|---|---|"]
    for name, info in model.model_fields.items():
        meta = list(info.metadata)
        default = shown_default(model, name, defaults)
        if schema.REQUIRED in meta or info.is_required():
            default = "**needed**"
        kind = value_of(model, name)
        rows.append(f"| `{name}` | {kind} | {default} | {words[model.__name__][name]} |")
    return "\n".join(rows) + "\n"


NAMES = {
    schema.PersonSection: "person, or several",
    schema.DeadlineSection: "deadline",
    Length: "length",
    time: "clock time",
    Hours: "two clock times",
    frozenset: "days",
    bool: "`true` or `false`",
    int: "whole number",
    float: "number",
    str: "text",
    dict: "mapping",
}


def value_of(model: type[schema.Section], name: str) -> str:
    """What a field takes, in a few words."""
    info = model.model_fields[name]
    if (model, name) in schema.INSIDE:
        return "sections by name" if name != "policies" else "section"
    kind = kind_of(info.annotation)
    bounds = [
        f"{sign} {getattr(entry, bound)}"
        for entry in info.metadata + list(inner_metadata(info.annotation))
        for bound, sign in (("ge", "≥"), ("le", "≤"))
        if getattr(entry, bound, None) is not None
    ]
    return ", ".join([kind, *bounds])


def inner_metadata(annotation: Any) -> Iterator[Any]:
    """Bounds that stand inside a type, as in ``Annotated[int, Field(ge=1)] | None``."""
    for argument in typing.get_args(annotation):
        for entry in getattr(argument, "__metadata__", ()):
            yield from getattr(entry, "metadata", ())


def kind_of(annotation: Any) -> str:
    """A type in a few words."""
    origin = typing.get_origin(annotation)
    arguments = typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return kind_of(next(a for a in arguments if a is not type(None)))
    if origin is typing.Annotated:
        return kind_of(arguments[0])
    if origin is typing.Literal:
        return ", ".join(f"`{choice}`" for choice in arguments)
    if origin is tuple:
        kind = kind_of(arguments[0])
        return kind if "several" in kind else f"{kind}, or several"
    found = NAMES.get(origin or annotation)
    return found or "section"


def shown_default(model: type[schema.Section], name: str, defaults: object) -> str:
    """What counts where a field is left out."""
    default = model.model_fields[name].get_default(call_default_factory=True)
    if default is None and defaults is not None:
        attribute = {"days": "weekdays"}.get(name, name)
        default = getattr(defaults, attribute, None)
    if default is PydanticUndefined:
        return ""
    return spelled(default)


def spelled(value: object) -> str:
    """A default as one would write it."""
    if isinstance(value, DeadlinePolicy):
        return spelled(value.length)
    if isinstance(value, (Length, timedelta)):
        span = value.roughly if isinstance(value, Length) else value
        return f"`{lengthy(span)}`" if span else ""
    if isinstance(value, schema.Section) or value in (None, "", (), {}, frozenset()):
        return ""
    if isinstance(value, tuple):
        return ", ".join(map(spelled, value))
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value}`"


def lengthy(span: timedelta) -> str:
    """A length in the unit that divides it."""
    seconds = int(span.total_seconds())
    for size, unit in ((3600, "h"), (60, " min")):
        if seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds} s"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        sys.stdout.write(page())
