"""Typed, immutable facts. Events are the only way that a fight changes and the only thing told.

Each ruleset lists its event classes; ``as_json`` and ``from_json`` are the one door to the log,
to scenarios and to templates. Field values are strings, integers, booleans, tuples of those, or
mappings of strings to those.
"""

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, TypeVar

E = TypeVar("E", bound="Event")


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A fact about the fight. ``rule`` names the catalogue row that brought it about."""

    type: ClassVar[str] = ""
    actor: str = ""
    rule: str = ""


_LAYOUTS: dict[type[Event], tuple[tuple[str, Any], ...]] = {}


def _layout(cls: type[Event]) -> tuple[tuple[str, Any], ...]:
    layout = _LAYOUTS.get(cls)
    if layout is None:
        layout = _LAYOUTS[cls] = tuple(
            (f.name, f.default if f.default_factory is MISSING else f.default_factory())
            for f in fields(cls)
        )
    return layout


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return value


def as_json(event: Event) -> dict[str, Any]:
    """Type and fields; fields that hold their default are left out."""
    data: dict[str, Any] = {"type": event.type}
    for name, default in _layout(type(event)):
        value = getattr(event, name)
        if value is default or value == default:
            continue
        data[name] = _plain(value) if isinstance(value, (tuple, Mapping)) else value
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
    values: dict[str, Any] = {k: _frozen(value) for k, value in data.items() if k != "type"}
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
