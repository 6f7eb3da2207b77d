"""How a game master's correction is written, whatever the game.

A number sets (``12``), adds (``+2``) or takes away (``-3``); ``=-3`` sets a negative one. A list is
given whole (``daga, espada``) or changed by one (``+prone``, ``-prone``). A map takes pairs
(``escudo arcano: 40``). What may be corrected is each game's own table.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Final

from rulesets.core.declarations import fold
from rulesets.core.records import dataclass

_TRUE: Final = ("true", "yes", "sí", "si", "1")
_FALSE: Final = ("false", "no", "0", "")


@dataclass(frozen=True, slots=True)
class Wrong:
    """Why a value cannot be taken: a reject code and what its message needs."""

    code: str = "bad_value"
    facts: Mapping[str, object] = field(default_factory=dict)


def integer(text: str, before: object, least: int, most: int) -> int | Wrong:
    """``12``, ``+2``, ``-3`` or ``=-3``, within a span after it has been applied."""
    sign = text[:1] if text[:1] in ("+", "-") else ""
    digits = text.removeprefix("=").lstrip()
    negative = digits.startswith("-")
    digits = digits[1:].strip() if digits[:1] in ("+", "-") else digits
    wrong = Wrong(facts={"expected": f"{least}..{most}"})
    if not (digits.isascii() and digits.isdigit() and len(digits) < 9):
        return wrong
    number = -int(digits) if negative else int(digits)
    if sign:
        number += before if isinstance(before, int) else 0
    return number if least <= number <= most else wrong


def flag(text: str) -> bool | Wrong:
    """Yes or no."""
    word = fold(text)
    if word in map(fold, _TRUE):
        return True
    return False if word in _FALSE else Wrong(facts={"candidates": ("true", "false")})


def choice(text: str, allowed: Sequence[str]) -> str | Wrong:
    """One of some ids or names; a dash is the empty one, where that is allowed."""
    word = "" if text == "-" else fold(text)
    found = next((each for each in allowed if fold(each) == word), None)
    return Wrong(facts={"candidates": tuple(filter(None, allowed))}) if found is None else found


def items(text: str, before: Iterable[str], allowed: Sequence[str]) -> tuple[str, ...] | Wrong:
    """A set of ids or names, given whole or changed by some; sorted."""
    sign = text[:1] if text[:1] in ("+", "-") else ""
    named: list[str] = []
    for word in text.removeprefix(sign).split(","):
        if not word.strip():
            continue
        bare = word.strip().removeprefix(sign) if sign else word.strip()
        found = choice(bare, allowed)
        if isinstance(found, Wrong):
            return Wrong(facts={"given": word.strip(), "candidates": tuple(allowed)})
        named.append(found)
    now = set() if not sign else set(before)
    now = now - set(named) if sign == "-" else now | set(named)
    return tuple(sorted(now))


def pairs(text: str, before: Mapping[str, int], most: Mapping[str, int]) -> dict[str, int] | Wrong:
    """``name: 40``, several parted by commas; ``most`` lists the names with their highest value."""
    now = dict(before)
    for pair in (part for part in text.split(",") if part.strip()):
        key, found, number = pair.replace("=", ":").rpartition(":")
        name = next((each for each in most if fold(each) == fold(key)), "")
        if not found or not name:
            return Wrong(facts={"given": pair.strip(), "candidates": tuple(most)})
        value = integer(number.strip(), now.get(name, 0), 0, most[name])
        if isinstance(value, Wrong):
            return value
        now[name] = value
    return now
