"""Which known words a misspelt one may have meant: few slips only, and never a mere part of it."""

from collections.abc import Iterable, Mapping
from typing import Final

from rapidfuzz.distance import OSA

MOST: Final = 5
_MOST_SLIPS: Final = 3
_LONGEST: Final = 80  # no word of a vocabulary is longer; what is longer is no slip of one


def slips_allowed(given: str, known: str) -> int:
    """How many slips may lie between a word and a known one.

    Two letters make another word of a short one (*bailar*, *hablar*), unless it begins alike
    (*ataco*, *atacar*).
    """
    length = min(len(given), len(known))
    if length < 3:
        return 0
    if length < 7:
        return 2 if length > 4 and given[:3] == known[:3] else 1
    return 2 if length < 12 else 3


def near(given: str, known: Iterable[str]) -> tuple[str, ...]:
    """The known words (folded like the given one) that a few slips make of it, nearest first.

    A slip is a letter left out, added, changed, or two neighbours swapped.
    """
    return tuple(word for _, word in _ranked(given, known)[:MOST])


def nearest(given: str, known: Mapping[str, str]) -> str:
    """What the nearest known word stands for; an empty string where the nearest differ in that."""
    ranked = _ranked(given, known)
    if not ranked:
        return ""
    least = ranked[0][0]
    meant = {known[word] for distance, word in ranked if distance == least}
    return meant.pop() if len(meant) == 1 else ""


def _ranked(given: str, known: Iterable[str]) -> list[tuple[int, str]]:
    if not 3 <= len(given) <= _LONGEST:
        return []
    found: list[tuple[int, str]] = []
    for word in known:
        if abs(len(word) - len(given)) <= _MOST_SLIPS:
            allowed = slips_allowed(given, word)
            distance = OSA.distance(given, word, score_cutoff=allowed)
            if distance <= allowed:
                found.append((distance, word))
    found.sort(key=lambda pair: pair[0])
    return found
