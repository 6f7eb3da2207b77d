"""One way to write a value as bytes, so that every hash has one meaning.

Canonical JSON is RFC 8785. ``rfc8785`` is the authority; it is pure Python, which matters for the
log: every round is hashed into the chain. For values that hold only strings, booleans, None,
integers that a double holds exactly, lists, and objects with keys of no rare script, ``orjson``
with sorted keys gives the very same bytes in a fiftieth of the time
(``tests/evidence/test_canonical.py`` proves it on random values), so those take that road.
"""

import contextlib
import unicodedata
from json.encoder import encode_basestring
from typing import Any, Final

import orjson
import rfc8785

FIRST_SURROGATE: Final = "\ud800"
_SCALARS: Final = frozenset({str, int, bool, type(None)})
_CONTAINERS: Final = frozenset({dict, list, tuple})
_OPTIONS: Final = orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER


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
            # It refuses what the library refuses, and nesting that the library can follow.
            with contextlib.suppress(orjson.JSONEncodeError):
                written = orjson.dumps(value, option=_OPTIONS)
                if written.isascii() or _has_plain_keys(value):
                    return written
        return rfc8785.dumps(value)
    except RecursionError as error:
        raise ValueError("nesting") from error


def quoted(value: str) -> str:
    """A string as canonical JSON writes it, without the walk that a whole value needs."""
    return encode_basestring(value)


def _is_plain(holder: Any) -> bool:
    """Whether a container holds only values of kinds that orjson writes as RFC 8785 does."""
    for item in holder.values() if type(holder) is dict else holder:
        kind = type(item)
        if kind in _SCALARS:
            continue
        # Exact types: a subclass may write itself otherwise, and a float certainly does.
        if kind not in _CONTAINERS or not _is_plain(item):
            return False
    return True


def _has_plain_keys(value: Any) -> bool:
    # RFC 8785 sorts keys by UTF-16 units, orjson by bytes: below the first surrogate the two are
    # the same.
    if type(value) is dict:
        return max("".join(value), default="") < FIRST_SURROGATE and all(
            map(_has_plain_keys, value.values())
        )
    return type(value) not in _CONTAINERS or all(map(_has_plain_keys, value))
