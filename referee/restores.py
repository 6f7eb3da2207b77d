"""``referee restore``: a lost database built anew from what the thread itself carries.

The thread's posts are lived through again in their order by the same transitions, with the secrets
that the evidence has shown since. What was declared is taken from the evidence where a post has
been edited or deleted. Secrets that were promised and never shown are lost for good: the thread is
left paused, and a successor is made ready to go on in the same topic under another key.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from adapters.base import Post
from referee import hearing, rounds
from referee.app import App
from referee.evidence import Beacon, Block, LockedWords, commitment, find_blocks
from referee.storage.records import Records, RoundRow
from referee.successors import free_key, make_ready, section_of
from referee.table import CONSOLE, Sitting, Table, situation
from referee.telling import locked_words
from referee.visiting import logged_in

MOST_POSTS: Final = 100_000
_KINDS: Final = {
    "start": ("start",),
    "opening": ("status",),
    "round": ("report",),
    "rolls": ("rolls",),
    "opened": ("rolls",),
    "secret": ("secret",),
    "question": ("beacon",),
}
_WITHOUT_EVIDENCE: Final = ("answer", "question", "closing")


class NotEmptyError(Exception):
    """The database knows the thread already."""


class NothingToRestoreError(Exception):
    """The posts hold no evidence."""


@dataclass(frozen=True, slots=True)
class _Living(Sitting):
    """A sitting whose secrets are those that the thread has shown."""

    known: dict[str, bytes] = field(default_factory=dict)

    def new_seed(self, name: str, mark: str) -> str:
        """The secret that was shown later, or, where none was, one that only fills the place."""
        secret = self.known.get(name) or self.table.secret(32)
        digest = commitment(secret)
        self.records.add_seed(
            thread=self.key,
            name=name,
            secret=secret,
            commitment=digest,
            made_at=self.now,
            committed_by=mark,
            revealed_by="",
        )
        return digest


async def read_thread(app: App, key: str) -> tuple[Post, ...]:
    """All posts of a thread from its first page on.

    Raises:
        AdapterError: the forum did not let us.
    """
    desk = app.thread_desk(key)
    adapter, http = desk.site.adapter, desk.site.http

    async def pages() -> tuple[Post, ...]:
        posts: dict[str, Post] = {}
        url = adapter.thread_url(desk.topic)
        while url and len(posts) < MOST_POSTS:
            page = await adapter.fetch(http, url)
            if page is None:
                break
            for post in page.posts:
                posts.setdefault(post.id, post)
            url = page.next_url
        return tuple(posts.values())

    return await logged_in(desk, pages)


def restore(app: App, key: str, posts: Sequence[Post]) -> dict[str, Any]:
    """Live through a thread again and keep what comes out.

    Args:
        app: The referee, with a database that does not know the thread.
        key: The thread.
        posts: All of it, in order.

    Returns:
        ``rounds`` restored, what ``differs`` from the thread (round and what), secrets that are
        ``lost``, the ``state`` of each character at the end; and of the thread that goes on its
        key (``successor``), its ``section`` of the config as YAML, and what of the state that
        cannot say (``dropped``).

    Raises:
        NotEmptyError: nothing is overwritten.
        NothingToRestoreError: no post holds the referee's evidence.
    """
    referee_id = next((p.author_id for p in posts if _blocks(p)), "")
    if not referee_id:
        raise NothingToRestoreError(key)
    config = app.config.threads[key]
    # Nothing is held back for review: all of it has been posted long ago.
    table = app.table(key, referee_id)
    # Nor does a lock wait for a beacon other than the one that its evidence names.
    house = replace(table.house, review=False, beacon=False)
    table = replace(table, house=house, secret=secrets.token_bytes)
    with app.store.transaction("restore") as records:
        if records.thread(key) is not None:
            raise NotEmptyError(key)
        records.add_thread(key, config.site, config.topic)
        now = app.world.clock.now()
        report = _Restoring(records, table, posts, now).run()
        successor = free_key(app.config, key)
        make_ready(records, table, successor, config, posts, now)
    section, dropped = section_of(app.config, config, table, successor, report["state"])
    return {**report, "successor": successor, "section": section, "dropped": list(dropped)}


def _blocks(post: Post) -> list[Block]:
    both = (*find_blocks(post.own_words), *find_blocks(post.set_aside))
    return [found for found in dict.fromkeys(both) if isinstance(found, Block)]


class _Restoring:
    """One restoration; everything happens in ``run``."""

    def __init__(
        self, records: Records, table: Table, posts: Sequence[Post], now: datetime
    ) -> None:
        self.records = records
        self.table = table
        self.posts = posts
        self.now = now
        self.own = [(post, _blocks(post)) for post in posts if post.author_id == table.referee_id]
        self.known = {
            reveal.seed: bytes.fromhex(reveal.secret)
            for _, blocks in self.own
            for block in blocks
            for reveal in block.reveals
        }
        self.differs: list[dict[str, Any]] = []

    def run(self) -> dict[str, Any]:
        at = _Living(self.records, self.table, self.now, self.known)
        blocks = {post.id: found for post, found in self.own}
        for post in self.posts:
            at = replace(at, now=post.posted_at or at.now)
            sequence = self.keep(at, post)
            for block in blocks.get(post.id, ()):
                self.relive(at, block)
            if post.id in blocks:
                self.link(at, post, sequence, blocks[post.id])
            self.hear(at)
        for row in self.records.unsent(at.key):
            self.records.set_outbox(row.id, state="superseded")
        return self.finish(replace(at, now=self.now))

    def keep(self, at: Sitting, post: Post) -> int:
        """Store a post as if it had just been read."""
        sequence = self.records.next_sequence(at.key)
        self.records.add_post(
            at.key,
            post_id=post.id,
            sequence=sequence,
            author_id=post.author_id,
            author_name=post.author_name,
            page_url="" if post.author_id == CONSOLE else at.key,
            url=post.url,
            posted_at=post.posted_at,
        )
        self.version(at, sequence, post.id, post.own_words, post.set_aside)
        return sequence

    def version(self, at: Sitting, sequence: int, post_id: str, words: str, aside: str) -> None:
        self.records.add_version(
            at.key,
            sequence=sequence,
            post_id=post_id,
            words=words,
            set_aside=aside,
            digest="",
            seen_at=at.now,
        )

    def hear(self, at: Sitting) -> None:
        """Do what the posts so far ask for."""
        while (thread := self.records.thread(at.key)) is not None and hearing.hear_next(at, thread):
            continue

    def relive(self, at: Sitting, block: Block) -> None:
        """Make the transition that a block is the proof of."""
        if block.kind == "start":
            if self.records.seed(at.key, "lock.1") is None:
                rounds.introduce(at)
            return
        fight, newest = at.situation().fight, self.records.last_round(at.key)
        if fight is None:
            return
        if block.kind == "opening" and newest is not None and newest.serial < block.number:
            rounds.open_round(at, fight)
        elif block.kind == "question" and block.beacons:
            self.announce(at, block)
        elif block.kind == "round":
            self.resolve(at, block)
            waiting = self.records.last_round(at.key)
            if waiting is not None and waiting.status == "undone":
                # The round after it opens again in its old post.
                rounds.open_round(at, self.records.fight(fight.id))

    def announce(self, at: Sitting, block: Block) -> None:
        """Lock a round with what was declared, to wait for the beacon that its post names."""
        round_ = self.round(at, block.number)
        if round_ is None or round_.status != "declaring":
            return
        self.prove(at, block.words)
        round_ = self.records.round(round_.id)
        rounds.lock(at, round_, "restored", beacon=block.beacons[0].round)

    def light(self, at: Sitting, round_: RoundRow, beacons: Sequence[Beacon]) -> None:
        """Give a round that waits the value that its block shows, or let it go on without."""
        if rounds.awaits_beacon(round_):
            signature = next((one.signature for one in beacons), "")
            if signature:
                rounds.take_beacon(at, round_, signature)
            else:
                rounds.go_without_beacon(at, round_)

    def resolve(self, at: Sitting, block: Block) -> None:
        """Lock and play a round with the words that its block proves."""
        round_ = self.round(at, block.number)
        if round_ is None:
            self.differ(block.number, "no_round")
            return
        if round_.status in ("resolved", "ruling"):
            rounds.undo(at, CONSOLE)
        self.prove(at, (*block.words, *block.amended))
        round_ = self.records.round(round_.id)
        if round_.status == "declaring":
            beacon = next((one.round for one in block.beacons), 0)
            rounds.lock(at, round_, "restored", beacon=beacon)
        self.light(at, self.records.round(round_.id), block.beacons)
        while (round_ := self.records.round(round_.id)).status in ("locked", "asking", "reopened"):
            for question in self.records.questions(round_.id):
                if question.kind == "choice" and question.answer is None:
                    self.records.set_question(question.id, deadline=at.now)
            rounds.resolve(at, round_)
        self.records.set_round(round_.id, status="resolved")
        self.compare(round_, block)

    def round(self, at: Sitting, serial: int) -> RoundRow | None:
        return next((row for row in self.records.rounds(at.key) if row.serial == serial), None)

    def prove(self, at: Sitting, words: Sequence[LockedWords]) -> None:
        """Put words that the evidence has and the posts have not (any more) in their place."""
        by_post: dict[str, list[LockedWords]] = {}
        for one in words:
            by_post.setdefault(one.post_id, []).append(one)
        known = self.records.known(at.key, list(by_post))
        for post_id, proven in by_post.items():
            text = "\n".join(one.words for one in proven)
            if post_id not in known:
                self.keep(at, Post(post_id, proven[0].author_id, "", text))
            elif any(one.words not in known[post_id].words for one in proven):
                self.version(at, self.records.next_sequence(at.key), post_id, text, "")
        self.hear(at)

    def compare(self, round_: RoundRow, block: Block) -> None:
        if {*locked_words(round_.locked)} != {*block.words}:
            self.differ(round_.serial, "words")
        seed = f"lock.{round_.serial}"
        shown = {(roll.label, roll.faces) for roll in block.rolls if roll.seed == seed}
        rolled = {(roll["label"], tuple(roll["faces"])) for roll in round_.outcome["rolls"]}
        if block.part == (1, 1) and shown != rolled:
            self.differ(round_.serial, "dice")

    def differ(self, serial: int, what: str) -> None:
        self.differs.append({"round": serial, "what": what})

    def link(self, at: Sitting, post: Post, sequence: int, blocks: Sequence[Block]) -> None:
        """Tell the outbox which post of the thread one of its rows has become: its text counts."""
        kinds = [kind for block in blocks for kind in _KINDS.get(block.kind, ())]
        wanted = kinds or _WITHOUT_EVIDENCE
        rows = [row for row in self.records.unsent(at.key) if not row.edits and row.kind in wanted]
        text = f"{post.own_words}\n{post.set_aside}"
        # More than one where the forum has made one post of several; the first keeps the text.
        for row in rows[: max(1, len(blocks))]:
            self.records.set_outbox(
                row.id, state="posted", post_id=post.id, posted_at=at.now, text=text
            )
            text = ""
            newest = self.records.last_round(at.key)
            if newest is not None and newest.status_mark == row.mark and newest.opens_after is None:
                self.records.set_round(newest.id, opens_after=sequence)

    def finish(self, at: Sitting) -> dict[str, Any]:
        promised = {c.seed for _, blocks in self.own for b in blocks for c in b.commits}
        lost = sorted(promised - self.known.keys())
        here = situation(self.records, at.key)
        state: dict[str, Any] = {}
        if here.fight is not None:
            fight = self.table.load(here.fight.state)
            for one in self.table.ruleset.roster(fight):
                state[one.name] = dict(self.table.ruleset.state(fight, one.name))
        if here.round is not None:
            # What was noted while posts were lived through again was told long ago.
            self.records.set_round(here.round.id, notes=[])
        self.records.set_thread(
            at.key, referee_id=self.table.referee_id, paused_at=at.now, read_at=at.now
        )
        played = [row.serial for row in self.records.rounds(at.key) if row.resolutions]
        report = {"rounds": len(played), "differs": self.differs, "lost": lost}
        at.log("restored", CONSOLE, **report)
        return {"thread": at.key, **report, "state": state}
