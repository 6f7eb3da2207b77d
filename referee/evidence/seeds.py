"""Secrets, what is published of them, and the dice that come out of them.

A seed has a name: ``open.N`` for the dice that are rolled when round N opens, ``lock.N`` for
those after its lock, ``roll.K`` for the K-th answer to free rolls, ``secret.S`` for the game
master's S-th secret roll. Its 32-byte secret is
committed to in public before anything that its dice depend on is known, and revealed with them.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from referee.evidence.canonical import canonical, quoted, text

SECRET_BYTES: Final = 32
MOST_SIDES: Final = 10_000
STREAMS: Final = ("open", "lock", "roll", "secret")
UNPOSTED: Final = ("gm:", "pm:")
"""Post ids that begin so stand for words given at the referee's own command line (``gm:``) or by
private message (``pm:``): no page of the thread holds them."""

# Two bytes a draw: every implementation meets a rejection sooner or later (1 in 1,820 for a
# d100), so the path is exercised, and all draws can be enumerated in a test.
_DRAWS: Final = 1 << 16

_SEED: Final = re.compile(r"(open|lock|roll|secret)\.([1-9][0-9]{0,8})")


def commitment(secret: bytes) -> str:
    """What is published of a secret beforehand: its SHA-256, 64 lower-case hex digits."""
    return hashlib.sha256(secret).hexdigest()


def seed_name(stream: str, number: int) -> str:
    """The name of a seed, such as ``lock.3``."""
    name = f"{stream}.{number}"
    if not _SEED.fullmatch(name):
        raise ValueError(name)
    return name


def read_seed_name(name: str) -> tuple[str, int] | None:
    """Stream and number of a seed's name, or None where it is no such name."""
    match = _SEED.fullmatch(name)
    return None if match is None else (match[1], int(match[2]))


def first_commits() -> tuple[str, ...]:
    """Seeds that the referee's first post in a thread commits to.

    Two of each: a seed is committed to before the seed in front of it is used. With one alone,
    whoever makes the secrets would know all that goes into the dice of the next opening while
    choosing its secret, and could try secrets until the initiative suits.
    """
    return tuple(seed_name(stream, number) for stream in STREAMS for number in (1, 2))


def next_commits(kind: str, number: int) -> tuple[str, ...]:
    """Seeds that a post commits to anew: two ahead of those that it uses up.

    Args:
        kind: Of the post's block, such as ``start``, ``round``, ``rolls`` or ``secret``.
        number: Of the round, of the answer to free rolls, of the secret roll.
    """
    if kind == "start":
        return first_commits()
    if kind == "round":
        return (seed_name("open", number + 2), seed_name("lock", number + 2))
    if kind == "rolls":
        return (seed_name("roll", number + 2),)
    if kind == "secret":
        return (seed_name("secret", number + 2),)
    return ()


def secret_label(number: int) -> str:
    """The one label of a secret roll's dice: whoever opens it cannot pick another."""
    return f"S{number}"


@dataclass(frozen=True, slots=True)
class LockedWords:
    """Exact words of a post as they stood at the lock.

    Attributes:
        post_id: The platform's id of the post.
        author_id: The platform's id of its author.
        words: The tag as its author wrote it.
    """

    post_id: str
    author_id: str
    words: str

    @property
    def hash(self) -> str:
        """SHA-256 over the canonical JSON list of the three, in NFC."""
        parts = [text(self.post_id), text(self.author_id), text(self.words)]
        return hashlib.sha256(canonical(parts)).hexdigest()


def public_input(
    seed: str,
    thread: str,
    words: Iterable[LockedWords] = (),
    previous: str = "",
    beacon: str = "",
) -> str:
    """What everybody knows and nobody could choose alone: it goes into each die beside the secret.

    Args:
        seed: Name of the seed. The game's round and the moment are in it.
        thread: Id of the fight: no other fight of this referee has it.
        words: For ``lock.N`` the locked declarations of round N; for ``roll.K`` the roll tags
            answered. Their order makes no difference.
        previous: For ``open.N`` the public input of ``lock.N-1``; empty for ``open.1`` and for
            the other streams.
        beacon: For a ``lock.N`` that waited for a public beacon its randomness, 64 hex digits.

    Returns:
        64 lower-case hex digits.

    Raises:
        ValueError: ``seed`` is no name of a seed.
    """
    if read_seed_name(seed) is None:
        raise ValueError(seed)
    # Hashes are sorted, not words: their order is the same in every language.
    hashes = sorted(locked.hash for locked in words)
    facts = {"previous": previous, "seed": seed, "thread": text(thread), "words": hashes}
    if beacon:
        facts["beacon"] = beacon
    return hashlib.sha256(canonical(facts)).hexdigest()


_BLOCK: Final = 64  # bytes that SHA-256 takes in at a time
_INNER: Final = bytes(byte ^ 0x36 for byte in range(256))
_OUTER: Final = bytes(byte ^ 0x5C for byte in range(256))


class SeedDice:
    """Dice of one seed: ``rulesets.core.dice.Dice``.

    A face depends on the secret, the public input, the label and the die's place under that label,
    and on nothing else: what was rolled before or beside it makes no difference.
    """

    __slots__ = ("_inner", "_labels", "_outer")

    def __init__(self, secret: bytes, public_input: str) -> None:
        """Hold a secret and the public input that goes with it.

        Raises:
            ValueError: the secret has not 32 bytes.
        """
        if len(secret) != SECRET_BYTES:
            raise ValueError(len(secret))
        # HMAC-SHA256 as RFC 2104 writes it, with what all messages begin with taken in once:
        # ``hmac.digest`` begins anew for every die, and dice were a sixth of a round.
        key = secret.ljust(_BLOCK, b"\0")
        self._inner = hashlib.sha256(key.translate(_INNER) + f"[{quoted(public_input)}".encode())
        self._outer = hashlib.sha256(key.translate(_OUTER))
        self._labels: dict[str, bytes] = {}

    def face(self, label: str, index: int, sides: int) -> int:
        """The face of one die.

        Args:
            label: Who rolls and what for, such as ``Lope.attack#2``.
            index: Which die of that label, from 0.
            sides: 2 to 10,000.

        Returns:
            1 to ``sides``, every face equally likely.

        Raises:
            ValueError: sides or index are out of range.
        """
        if not 2 <= sides <= MOST_SIDES or index < 0:
            raise ValueError(f"{label} die {index} of {sides}")
        quoted_label = self._labels.get(label)
        if quoted_label is None:
            quoted_label = self._labels[label] = quoted(text(label)).encode()
        attempt = 0
        while True:
            # ["public","label",index,attempt] as canonical JSON, less what is taken in already.
            inner, outer = self._inner.copy(), self._outer.copy()
            inner.update(b",%b,%d,%d]" % (quoted_label, index, attempt))
            outer.update(inner.digest())
            digest = outer.digest()
            face = face_of(digest[0] << 8 | digest[1], sides)
            if face:
                return face
            attempt += 1


class SetDice:
    """Dice of a seed of which the game master has set some: ``rulesets.core.dice.Dice``.

    Only whole rolls from their first die on can be set, and no die beyond its sides. ``used`` tells
    what was asked for and so must be shown as set.
    """

    __slots__ = ("_dice", "_faces", "_used")

    def __init__(self, dice: SeedDice, faces: Mapping[str, Sequence[int]]) -> None:
        """Hold the seed's dice and the faces of the first dice of some labels."""
        self._dice = dice
        self._faces = faces
        self._used: dict[str, dict[int, int]] = {}

    @property
    def used(self) -> dict[str, list[int]]:
        """The faces that were given out, by label, from its first die on."""
        return {
            label: [faces[index] for index in range(len(faces))]
            for label, faces in sorted(self._used.items())
        }

    def face(self, label: str, index: int, sides: int) -> int:
        """The face as set, or else the seed's; see ``SeedDice.face``."""
        faces = self._faces.get(label, ())
        before = self._used.get(label, {})
        if index < len(faces) and 1 <= faces[index] <= sides and index <= len(before):
            self._used.setdefault(label, {})[index] = faces[index]
            return faces[index]
        return self._dice.face(label, index, sides)


def face_of(draw: int, sides: int) -> int:
    """The face that a draw stands for, or 0 where the draw must be thrown away.

    The draws are dealt out in equal heaps, one a face; the few left over belong to none. A
    remainder (``draw % sides``) over all draws would favour the low faces.

    Args:
        draw: 0 to 65,535, each equally likely.
        sides: 2 to 10,000.
    """
    face = draw // (_DRAWS // sides)
    return face + 1 if face < sides else 0
