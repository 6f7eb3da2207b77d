"""From the versions of posts to what counts: who declared what, and what is wrong with it.

Pure. Nothing is remembered between calls: what stands is worked out anew from the versions seen
since the round opened, so an edit, a deletion and a new post need no code of their own.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

from referee.tags import (
    Command,
    FreeRoll,
    HelpRequest,
    Secrecy,
    Speakers,
    TagProblem,
    Vocabulary,
    Withdrawal,
    find_tags,
    lost_tags,
    read_tag,
)
from rulesets.core.declarations import Declaration, Kind, Timing

LETTER: Final = "pm:"
"""What the ids of private messages begin with, in the thread's own count of posts."""

Value = Declaration | Command | FreeRoll | HelpRequest | Secrecy | TagProblem | Withdrawal


class Version(Protocol):
    """What a post says at one moment; the store's ``PostRow`` is one."""

    @property
    def post_id(self) -> str:
        """The post."""
        ...

    @property
    def sequence(self) -> int:
        """When this version was seen, in the thread's own count."""
        ...

    @property
    def author_id(self) -> str:
        """The author's forum user id: the only identity that counts."""
        ...

    @property
    def words(self) -> str:
        """The author's own words; empty when the post is gone."""
        ...

    @property
    def set_aside(self) -> str:
        """Quotes and code of the post."""
        ...


@dataclass(frozen=True, slots=True)
class Seats:
    """Who sits at the table.

    Attributes:
        players: Forum user id to the characters that this person may act for.
        masters: Forum user ids of the game master and deputies.
        cast: Names of all characters, as spelt.
    """

    players: Mapping[str, tuple[str, ...]]
    masters: frozenset[str]
    cast: tuple[str, ...]

    def speakers(self, author_id: str) -> Speakers:
        """What this author may act for."""
        is_gm = author_id in self.masters
        own = self.players.get(author_id, ())
        return Speakers(own=own, cast=self.cast, is_gm=is_gm)

    def knows(self, author_id: str) -> bool:
        """Whether this author plays or leads here."""
        return author_id in self.players or author_id in self.masters


@dataclass(frozen=True, slots=True)
class Said:
    """One tag of one version of a post, read.

    ``key`` is the same for the same tag in a later version of the post, so that commands and
    rolls are carried out once.
    """

    post_id: str
    sequence: int
    author_id: str
    key: str
    words: str
    value: Value


Elsewhere = Callable[[], Collection[str]]
"""Words of the tags that other posts hold: quoting those is no mistake."""


def nowhere() -> Collection[str]:
    """No other posts are known."""
    return ()


def said_in(
    version: Version, seats: Seats, vocabulary: Vocabulary, elsewhere: Elsewhere = nowhere
) -> tuple[Said, ...]:
    """Read every tag of a version, in order.

    A stranger's tags are read too (free rolls are for anybody), and a tag that its author lost
    inside a quotation or a code block is told apart as a problem.
    """
    speakers = seats.speakers(version.author_id)
    said = []
    counts: dict[str, int] = {}
    for raw in find_tags(version.words, vocabulary):
        value = read_tag(raw, vocabulary, speakers)
        # A roll is known by its place, not by its words: an edit must never roll again.
        base = "roll" if isinstance(value, FreeRoll) else raw.words
        counts[base] = counts.get(base, 0) + 1
        said.append(
            Said(
                version.post_id,
                version.sequence,
                version.author_id,
                _key(f"{base}#{counts[base]}"),
                raw.words,
                value,
            )
        )
    if not said and "[" in version.set_aside and seats.knows(version.author_id):
        said.extend(
            Said(
                version.post_id,
                version.sequence,
                version.author_id,
                _key(f"lost#{number}"),
                problem.words,
                problem,
            )
            for number, problem in enumerate(lost_tags(version.set_aside, vocabulary, elsewhere()))
        )
    return tuple(said)


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Claim:
    """What one post declares for one character."""

    actor: str
    post_id: str
    author_id: str
    sequence: int
    declarations: tuple[Declaration, ...]
    final: bool = False
    withdrawn: bool = False
    secret: bool = False

    @property
    def is_private(self) -> bool:
        """Whether it came in a private message, which nobody else may read before the lock."""
        return self.post_id.startswith(LETTER)

    @property
    def words(self) -> tuple[str, ...]:
        """The exact tags."""
        return tuple(declaration.words for declaration in self.declarations)


@dataclass(frozen=True, slots=True)
class Declared:
    """What stands in a round at a moment.

    Attributes:
        claims: By character: the claim that counts.
        standing: Standing orders, in the order posted, with where they were posted.
        dropped: Characters whose standing orders of earlier rounds were taken back.
        commands: The game master's tags that belong to the game, likewise.
        problems: Tags that could not be read or are not allowed, of the newest versions.
        passed: Claims refused by the strict order: somebody later in it had declared already.
        secret: Characters whose players have said that they declare by private message, with the
            author who said so.
    """

    claims: Mapping[str, Claim] = field(default_factory=dict)
    standing: tuple[tuple[Claim, Declaration], ...] = ()
    dropped: frozenset[str] = frozenset()
    commands: tuple[tuple[Claim, Declaration], ...] = ()
    problems: tuple[Said, ...] = ()
    passed: tuple[Claim, ...] = ()
    secret: Mapping[str, str] = field(default_factory=dict)

    @property
    def newest(self) -> int:
        """Sequence of the last claim that counts, 0 when there is none."""
        return max((claim.sequence for claim in self.claims.values()), default=0)


@dataclass(slots=True)
class _Post:
    said: tuple[Said, ...] = ()
    claims: dict[str, Claim] = field(default_factory=dict)


def declared(
    versions: Iterable[Version],
    seats: Seats,
    vocabulary: Vocabulary,
    strict_order: Sequence[str] = (),
    elsewhere: Elsewhere = nowhere,
) -> Declared:
    """What counts, given every version seen since the round opened, in order.

    For each character the newest claim counts: a later post replaces an earlier one, and an edit
    counts as new only if it changes the character's tags. With ``strict_order`` (who declares
    first stands first) a character may no longer change once somebody later in the order has
    declared after them.
    """
    posts: dict[str, _Post] = {}
    accepted: dict[str, Claim] = {}
    passed: list[Claim] = []
    place = {name: number for number, name in enumerate(strict_order)}
    for version in versions:
        post = posts.setdefault(version.post_id, _Post())
        post.said = said_in(version, seats, vocabulary, elsewhere)
        claims = _claims(version, post.said)
        for actor, claim in claims.items():
            before = post.claims.get(actor)
            if before is not None and _same(before, claim):
                claims[actor] = before
                continue
            if _order_passed(claim, accepted, place):
                passed.append(claim)
                if before is not None:
                    claims[actor] = before
                continue
            accepted[actor] = claim
        for actor in post.claims.keys() - claims.keys():
            # The tags were edited out or the post is gone: what stood before counts again.
            _fall_back(actor, version.post_id, accepted, posts)
        post.claims = claims
    said = [item for post in posts.values() for item in post.said]
    orders, dropped = _orders(said, Kind.STANDING)
    commands, _ = _orders(said, Kind.COMMAND)
    return Declared(
        claims={
            actor: claim
            for actor, claim in accepted.items()
            if not (claim.withdrawn or claim.secret)
        },
        standing=orders,
        dropped=dropped,
        commands=commands,
        problems=tuple(item for item in said if isinstance(item.value, TagProblem)),
        passed=tuple(passed),
        secret={
            actor: claim.author_id
            for actor, claim in accepted.items()
            if claim.secret or claim.is_private
        },
    )


def _orders(
    said: Iterable[Said], kind: Kind
) -> tuple[tuple[tuple[Claim, Declaration], ...], frozenset[str]]:
    """Declarations beside the actions, and whose older ones were taken back."""
    orders: list[tuple[Claim, Declaration]] = []
    dropped: set[str] = set()
    for item in said:
        value = item.value
        if isinstance(value, Withdrawal) and value.kind is kind:
            dropped.add(value.actor)
            orders = [order for order in orders if order[1].actor != value.actor]
        elif isinstance(value, Declaration) and value.kind is kind:
            orders.append((_claim_of(item, value.actor), value))
    return tuple(orders), frozenset(dropped)


def _claims(version: Version, said: Sequence[Said]) -> dict[str, Claim]:
    actions: dict[str, list[Declaration]] = {}
    withdrawn: set[str] = set()
    final: set[str] = set()
    secret: set[str] = set()
    for item in said:
        value = item.value
        if isinstance(value, Secrecy):
            secret.add(value.actor)
            actions.setdefault(value.actor, [])
        elif isinstance(value, Withdrawal) and value.kind is Kind.ACTION:
            withdrawn.add(value.actor)
            actions.setdefault(value.actor, [])
        elif isinstance(value, Declaration) and value.kind is Kind.ACTION:
            actions.setdefault(value.actor, []).append(value)
            if "final" in value.flags:
                final.add(value.actor)
    return {
        actor: Claim(
            actor,
            version.post_id,
            version.author_id,
            version.sequence,
            tuple(found),
            final=actor in final,
            withdrawn=actor in withdrawn and not found,
            secret=actor in secret and not found,
        )
        for actor, found in actions.items()
    }


def _claim_of(item: Said, actor: str) -> Claim:
    return Claim(actor, item.post_id, item.author_id, item.sequence, ())


def _same(one: Claim, other: Claim) -> bool:
    return (one.declarations, one.withdrawn, one.secret) == (
        other.declarations,
        other.withdrawn,
        other.secret,
    )


def _order_passed(claim: Claim, accepted: Mapping[str, Claim], place: Mapping[str, int]) -> bool:
    mine = accepted.get(claim.actor)
    if mine is None or claim.actor not in place:
        return False
    return any(
        place.get(other.actor, -1) > place[claim.actor] and other.sequence > mine.sequence
        for other in accepted.values()
    )


def _fall_back(
    actor: str, post_id: str, accepted: dict[str, Claim], posts: Mapping[str, _Post]
) -> None:
    if accepted.get(actor) is None or accepted[actor].post_id != post_id:
        return
    others = [
        post.claims[actor]
        for other, post in posts.items()
        if other != post_id and actor in post.claims
    ]
    if others:
        accepted[actor] = max(others, key=lambda claim: claim.sequence)
    else:
        del accepted[actor]


def declaration_json(declaration: Declaration) -> dict[str, Any]:
    """A declaration as plain data, for the record of a lock."""
    data: dict[str, Any] = {
        "actor": declaration.actor,
        "kind": str(declaration.kind),
        "verb": declaration.verb,
        "fields": dict(declaration.fields),
        "flags": list(declaration.flags),
        "clauses": list(declaration.clauses),
        "words": declaration.words,
    }
    if declaration.timing is not None:
        timing = declaration.timing
        data["timing"] = {
            "kind": timing.kind,
            "name": timing.name,
            "count": timing.count,
            "event": timing.event,
        }
    if declaration.fallback is not None:
        data["fallback"] = declaration_json(declaration.fallback)
    return data


def declaration_of(data: Mapping[str, Any]) -> Declaration:
    """The declaration that ``declaration_json`` wrote."""
    timing = data.get("timing")
    fallback = data.get("fallback")
    return Declaration(
        actor=data["actor"],
        kind=Kind(data["kind"]),
        verb=data["verb"],
        fields=dict(data["fields"]),
        flags=tuple(data["flags"]),
        clauses=tuple(data["clauses"]),
        timing=None if timing is None else Timing(**timing),
        fallback=None if fallback is None else declaration_of(fallback),
        words=data["words"],
    )


def without_flag(declaration: Declaration, flag: str) -> Declaration:
    """The declaration as the rules see it: ``listo`` is the shell's business."""
    return replace(declaration, flags=tuple(f for f in declaration.flags if f != flag))
