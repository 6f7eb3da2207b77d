"""A public beacon: a value that nobody in the world knows when a round locks.

drand's chain ``quicknet`` publishes a signature every three seconds. Which one a lock waits for
follows from its moment; its hash goes into the public input of the lock's dice. The signature can
be checked with the extra ``beacon``; without it nothing here vouches for a value.
"""

import hashlib
import importlib
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

CHAIN: Final = "quicknet"
CHAIN_HASH: Final = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
PUBLIC_KEY: Final = (
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c"
    "8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb"
    "5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
)
GENESIS_S: Final = 1_692_803_367
"""Unix time at which round 1 was published."""
PERIOD_S: Final = 3
MARGIN_S: Final = 30
"""At least so long lies between a lock and its beacon: clocks differ, and a post takes its time."""
SIGNATURE_DIGITS: Final = 96
MOST_ROUND: Final = 999_999_999

_SIGNATURE: Final = re.compile(rf"[0-9a-f]{{{SIGNATURE_DIGITS}}}")

Checker = Callable[[int, str], bool]
"""Whether a signature (hex digits) is the chain's for a round."""


def published_at(number: int) -> int:
    """When a round of the chain is published, as Unix time."""
    return GENESIS_S + PERIOD_S * (number - 1)


def round_after(moment_s: float) -> int:
    """The round that a lock at a moment (Unix time) waits for.

    The first that is published ``MARGIN_S`` or more after it.
    """
    return max(1, -int(-(moment_s + MARGIN_S - GENESIS_S) // PERIOD_S) + 1)


def is_signature(digits: str) -> bool:
    """Whether these may be a signature's digits, whoever wrote them."""
    return _SIGNATURE.fullmatch(digits) is not None


def randomness(signature: str) -> str:
    """What goes into the public input: SHA-256 of the signature's bytes, 64 hex digits.

    Raises:
        ValueError: it has not the digits of a signature.
    """
    if not is_signature(signature):
        raise ValueError(signature)
    return hashlib.sha256(bytes.fromhex(signature)).hexdigest()


@lru_cache(maxsize=1)
def signature_checker() -> Checker | None:
    """Checks signatures with the library of the extra ``beacon``; None where it is not there."""
    try:
        # By name: the library is optional and brings no types.
        verify = importlib.import_module("drand_verify").verify_quicknet
    except (ImportError, AttributeError):
        return None

    def check(number: int, signature: str) -> bool:
        # Anything else than digits makes the library panic, which no ``except`` should swallow.
        if not is_signature(signature) or not 1 <= number <= MOST_ROUND:
            return False
        try:
            return bool(verify(number, signature, PUBLIC_KEY) == randomness(signature))
        except ValueError:
            return False

    return check
