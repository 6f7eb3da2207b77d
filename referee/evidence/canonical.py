"""One way to write a value as bytes, so that every hash has one meaning.

Canonical JSON is RFC 8785. ``rfc8785`` is the authority; it is pure Python and takes several
times as long as the standard library, which matters for the log: every round is hashed into the
chain. For values that hold only strings, booleans, None, integers that a double holds exactly,
lists, and objects with keys of no rare script, ``json`` with sorted keys gives the very same bytes
(``tests/evidence/test_canonical.py`` proves it on random values), so those take that road.
"""

import json
import unicodedata
from json.encoder import encode_basestring
from typing import Any, Final

import rfc8785

LARGEST_INTEGER: Final = 2**53 - 1
FIRST_SURROGATE: Final = "\ud800"
_ENCODER: Final = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, check_circular=False
)


def text(value: str) -> str:
    """The text in the form that is hashed: NFC, with U+FFFD for half of a surrogate pair."""
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        value = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in value)
    return unicodedata.normalize("NFC", value)


def canonical(value: Any) -> bytes:
    """The value as canonical JSON (RFC 8785), UTF-8.

    Strings are written as they are; whoever hashes words brings them to ``text`` form first.

    Raises:
        ValueError: an integer beyond 2**53 - 1, a float that is no number, a key that is no
            string, half of a surrogate pair, a type that JSON does not have, or nesting beyond
            what the interpreter can follow.
    """
    try:
        if _is_plain((value,)):
            return _ENCODER.encode(value).encode()
        return rfc8785.dumps(value)
    except RecursionError as error:
        raise ValueError("nesting") from error


def quoted(value: str) -> str:
    """A string as canonical JSON writes it, without the walk that a whole value needs."""
    return encode_basestring(value)


def _is_plain(holder: Any) -> bool:
    """Whether the standard library writes what a container holds as RFC 8785 does."""
    if type(holder) is dict:
        if not _has_plain_keys(holder):
            return False
        holder = holder.values()
    for item in holder:
        kind = type(item)
        if kind is str:
            continue
        if kind is int:
            if not -LARGEST_INTEGER <= item <= LARGEST_INTEGER:
                return False
        elif kind is dict or kind is list or kind is tuple:
            if not _is_plain(item):
                return False
        # Exact types: a subclass may write itself otherwise, and a float certainly does.
        elif item is not None and kind is not bool:
            return False
    return True


def _has_plain_keys(holder: dict[Any, Any]) -> bool:
    # RFC 8785 sorts keys by UTF-16 units, the standard library by code points: below the first
    # surrogate the two are the same.
    try:
        every = "".join(holder)
    except TypeError:
        return False
    return every.isascii() or max(every) < FIRST_SURROGATE
