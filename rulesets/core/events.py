"""Typed, immutable facts. Events are the only way that a fight changes and the only thing told.

Each ruleset lists its event classes; ``as_json`` and ``from_json`` are the one door to the log,
to scenarios and to templates. Field values are strings, integers, booleans, tuples of those, or
mappings of strings to those. A field whose id is a word of Python's has an underscore behind it in
the class (``from_``) and none outside (``from``).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields
from keyword import iskeyword
from operator import attrgetter
from typing import Any, ClassVar, TypeVar

from rulesets.core.records import dataclass

E = TypeVar("E", bound="Event")


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A fact about the fight. ``rule`` names the catalogue row that brought it about."""

    type: ClassVar[str] = ""
    actor: str = ""
    rule: str = ""


# How to take an event apart: all its values at once, their names, their defaults.
Layout = tuple[Callable[[Event], tuple[Any, ...]], tuple[str, ...], tuple[Any, ...]]
_LAYOUTS: dict[type[Event], Layout] = {}


def _layout(cls: type[Event]) -> Layout:
    every = fields(cls)
    return (
        attrgetter(*(f.name for f in every)),
        tuple(f.name.rstrip("_") for f in every),
        tuple(f.default if f.default_factory is MISSING else f.default_factory() for f in every),
    )


_SIMPLE = frozenset({str, int, bool})


def _plain(value: Any) -> object:
    kind = type(value)
    if kind in _SIMPLE:
        return value
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    # To ask whether a dictionary is a mapping takes as long as all the rest.
    if kind is dict or isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return value


def as_json(event: Event) -> dict[str, Any]:
    """Type and fields; fields that hold their default are left out."""
    cls = type(event)
    layout = _LAYOUTS.get(cls)
    if layout is None:
        layout = _LAYOUTS[cls] = _layout(cls)
    take, names, defaults = layout
    data: dict[str, Any] = {"type": event.type}
    # All three are of one length; to check that takes a fifth of the time.
    for name, value, default in zip(names, take(event), defaults):  # noqa: B905 - hot; same class
        if value is not default and value != default:
            data[name] = value if type(value) in _SIMPLE else _plain(value)
    return data


def _frozen(value: object) -> object:
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    return value


def from_json(classes: Mapping[str, type[E]], data: Mapping[str, Any]) -> E:
    """The event that ``as_json`` wrote.

    Raises:
        KeyError: no event of that type is known to the ruleset.
    """
    cls = classes[data["type"]]
    values: dict[str, Any] = {
        f"{k}_" if iskeyword(k) else k: _frozen(value) for k, value in data.items() if k != "type"
    }
    return cls(**values)


def by_type(*classes: type[E]) -> dict[str, type[E]]:
    """Event classes by their type; a double type fails at import."""
    table: dict[str, type[E]] = {}
    for cls in classes:
        if not cls.type or cls.type in table:
            raise ValueError(f"event type {cls.type!r} of {cls.__name__} is empty or taken")
        table[cls.type] = cls
    return table


def of_type(events: Iterable[Event], cls: type[E]) -> tuple[E, ...]:
    """The events of one class, in order."""
    return tuple(event for event in events if isinstance(event, cls))
