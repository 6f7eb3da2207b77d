"""Write docs/profile-reference.md from adapters/profile.py, whose docstrings are the explanations.

usage: python scripts/profile_reference.py [--write]

Without ``--write`` the page is only compared; the exit status tells whether it is current.
"""

import ast
import sys
import types
import typing
from pathlib import Path
from typing import Any

from pydantic_core import PydanticUndefined

from adapters import profile

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "profile-reference.md"
HEAD = """\
# Every key of a selector profile

Generated from `adapters/profile.py` by `scripts/profile_reference.py`; a test keeps it true. How to
write a profile is in [profiles.md](profiles.md).

A *selector* is a CSS selector; several are parted by commas. A *pick* says where a short text
stands: `a.user @href` is short for `{at: a.user, attribute: href}`, and a `pattern` with one group
cuts out what counts. A *saying* lists phrases by language: `{es: [...], en: [...], mark:
selector}`. Keys that are not here are refused.
"""
SECTIONS: tuple[tuple[str, type[profile.Part]], ...] = (
    ("The profile", profile.Profile),
    ("`about`", profile.About),
    ("`topic`", profile.Topic),
    ("`posts`", profile.Posts),
    ("`posts.author`", profile.Author),
    ("`posts.date`", profile.Date),
    ("`words`", profile.Words),
    ("`words.smilies`, an entry", profile.Smiley),
    ("`page`", profile.Page),
    ("`login`", profile.Login),
    ("`reply`, `edit`", profile.Form),
    ("`says`", profile.Says),
    ("A saying", profile.Saying),
    ("A pick", profile.Pick),
)
KINDS: dict[object, str] = {
    profile.Pick: "pick",
    profile.Saying: "saying",
    bool: "`true` or `false`",
    int: "whole number",
    float: "number",
    str: "text",
    dict: "mapping",
    tuple: "list",
}


def docstrings() -> dict[str, dict[str, str]]:
    """Explanation of every field, by class: the string under it."""
    tree = ast.parse(Path(profile.__file__).read_text(encoding="utf-8"))
    found: dict[str, dict[str, str]] = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            for field, after in zip(node.body, node.body[1:], strict=False):
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                    text = after.value if isinstance(after, ast.Expr) else None
                    if isinstance(text, ast.Constant):
                        fields = found.setdefault(node.name, {})
                        fields[field.target.id] = plain(str(text.value))
    return found


def plain(text: str) -> str:
    """A docstring as Markdown in one line."""
    return " ".join(text.split()).replace("``", "`").replace("|", "\\|")


def kind_of(annotation: Any) -> str:
    """A type in a few words."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return kind_of(next(one for one in arguments if one is not type(None)))
    if origin is typing.Annotated:
        return kind_of(arguments[0])
    if origin is typing.Literal:
        return ", ".join(f"`{choice}`" for choice in arguments if choice)
    return KINDS.get(origin or annotation, "section")


def value_of(model: type[profile.Part], name: str) -> str:
    """What a field takes, in a few words."""
    written = typing.get_type_hints(model, include_extras=True)[name]
    if written in (profile.Selector, profile.NeededSelector):
        return "selector"
    if written in (profile.Pattern, profile.AddressPattern):
        return "regular expression"
    if written == profile.Phrases:
        return "phrase, or several"
    return kind_of(written)


def page() -> str:
    """The whole page."""
    words = docstrings()
    parts = [HEAD]
    for heading, model in SECTIONS:
        about = "\n\n".join(map(plain, (model.__doc__ or "").strip().split("\n\n")))
        rows = ["| key | value | default | |", "|---|---|---|---|"]
        for name, info in model.model_fields.items():
            default: Any = info.get_default(call_default_factory=True)
            shown = "" if default in (None, "", (), {}) else f"`{default}`"
            if info.is_required():
                shown = "**needed**"
            elif default is PydanticUndefined or isinstance(default, profile.Part):
                shown = ""
            elif isinstance(default, bool):
                shown = f"`{str(default).lower()}`"
            rows.append(
                f"| `{name}` | {value_of(model, name)} | {shown} | {words[model.__name__][name]} |"
            )
        parts.append(f"## {heading}\n\n{about}\n\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def main() -> int:
    """Write the page, or say whether it is current."""
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    return 0 if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == page() else 1


if __name__ == "__main__":
    sys.exit(main())
