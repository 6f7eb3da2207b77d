"""The log as a hash chain: each entry's hash covers the entry and all entries before it.

A chain cannot be changed in the middle without changing its head, so whoever wrote down one head
(the thread carries them) can tell later whether the log is still the one he saw.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from referee.evidence.canonical import canonical

GENESIS: Final = "0" * 64
"""What the first entry of a log is linked to."""

_HASH: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Break:
    """The first place where a log is not the chain that it claims to be.

    Attributes:
        index: Which entry, from 0.
        code: ``entry_changed``, or ``not_canonical`` where the entry cannot be written as JSON.
        stored: The hash that stands beside the entry.
        computed: The hash that the entry has after what stands before it; empty for
            ``not_canonical``.
    """

    index: int
    code: str
    stored: str
    computed: str


def link(previous: str, entry: Mapping[str, Any]) -> str:
    """The hash of an entry that follows the entry with hash ``previous``.

    Args:
        previous: 64 lower-case hex digits; ``GENESIS`` for the first entry.
        entry: Plain JSON data.

    Returns:
        SHA-256 over the 64 ASCII digits of ``previous`` and the entry's canonical JSON, as 64
        lower-case hex digits. The fixed length of the first part keeps the two apart.

    Raises:
        ValueError: ``previous`` is no hash, or the entry is not plain JSON data.
    """
    if not _HASH.fullmatch(previous):
        raise ValueError(previous)
    return hashlib.sha256(previous.encode() + canonical(entry)).hexdigest()


def check(
    entries: Iterable[tuple[Mapping[str, Any], str]], previous: str = GENESIS
) -> Break | None:
    """The first break of a chain, or None where it holds.

    An entry that was taken out, put in or moved shows as a change at its place. A tail that was
    cut off shows only against a head noted elsewhere.

    Args:
        entries: Each entry with the hash stored beside it, in order.
        previous: The hash before the first of them.
    """
    for index, (entry, stored) in enumerate(entries):
        try:
            computed = link(previous, entry)
        except (ValueError, TypeError):
            return Break(index, "not_canonical", stored, "")
        if computed != stored:
            return Break(index, "entry_changed", stored, computed)
        previous = stored
    return None
