"""From what is stored of a round to the stories that ``narration`` tells, with their evidence.

Reads rows, decides nothing: what a story says was settled by the transition that calls it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from typing import Any, Final, Literal

from referee.declaring import LETTER, Claim, Declared, Said, Seats, declaration_of
from referee.evidence import (
    Beacon,
    Block,
    BlockRoll,
    Commit,
    LockedWords,
    Reveal,
    SetRoll,
    block_text,
    published_at,
    split_block,
)
from referee.narration.narrator import Narrator
from referee.narration.reference import reference
from referee.narration.stories import (
    Answer,
    Asked,
    Choice,
    Closing,
    Fact,
    FreeRolls,
    Game,
    Introduction,
    Missed,
    Receipt,
    RoundReport,
    Ruling,
    Seat,
    Status,
    Trouble,
    not_allowed,
    not_understood,
)
from referee.narration.stories import FreeRoll as ToldRoll
from referee.settings import Person
from referee.storage.records import FightRow, QuestionRow, Records, RoundRow, SeedRow
from referee.table import Note
from referee.tags import TagProblem, Vocabulary, spell
from rulesets.core.declarations import Declaration, Kind
from rulesets.core.dice import Roll
from rulesets.core.events import Event, from_json
from rulesets.core.modifiers import Modifier, Total
from rulesets.core.questions import Question, Rejection
from rulesets.core.ruleset import Combatant, Outcome, Ruleset, Setup

Told = tuple[tuple[str, str], ...]
"""Posts as (mark, text), in order."""

_UNHEARD: Final = {"read": "awaited", "none": "unreadable", "failing": "unopened"}
"""What is said of a character whose private message has not come, by ``Telling.letters``."""


@dataclass(slots=True)
class Rolled:
    """Free rolls of one post: as told, with their dice, and those that could not be rolled."""

    told: list[ToldRoll] = field(default_factory=list)
    dice: list[Roll] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Telling:
    """Tells what happened at one table.

    Attributes:
        key: The thread: every evidence block names it.
        narrator: Words and markup of the thread's language and the site's dialect.
        ruleset: The game; ``tables`` are its data, for loading fights.
        vocabulary: For tags that a reader can copy.
        language: Of the thread.
        cast: Seats with their players, as the forum shows them.
        genders: By name.
        masters: Game masters.
        seats: Who may act for whom, by user id.
        zone: Of deadlines.
        policies: The thread's policies as sentences.
        strict: Whether declarations come in the ruleset's order.
        limit: Longest post, in characters.
        letters: Whether the referee reads private messages on the site, has none to read there, or
            could not open its mailbox the last time.
        new_mark: Makes a mark for a further part of a long post.
        setup: The cast as the config has it, for examples.
    """

    key: str
    narrator: Narrator
    ruleset: Ruleset
    tables: Any
    vocabulary: Vocabulary
    language: str
    cast: tuple[Seat, ...]
    genders: Mapping[str, str]
    masters: tuple[Person, ...]
    seats: Seats
    zone: tzinfo
    policies: tuple[Fact, ...]
    strict: bool
    limit: int
    letters: Literal["read", "none", "failing"]
    new_mark: Callable[[], str]
    setup: Setup

    # -- posts -------------------------------------------------------------------------------

    def introduction(self, records: Records, mark: str, commits: Mapping[str, str]) -> str:
        """The first post in a thread."""
        names = records.author_names(self.key)
        block = Block(self.key, "start", mark=mark, commits=_commits(commits))
        story = Introduction(
            game=self._game(),
            masters=tuple(m.name or names.get(m.id, m.id) for m in self.masters),
            cast=self.cast,
            examples=self._examples(),
            policies=self.policies,
            evidence=block_text(block),
        )
        return self.narrator.introduction(story, mark)

    def status(
        self,
        records: Records,
        round_: RoundRow,
        stands: Declared,
        refused: Sequence[Rejection],
        waiting: Sequence[Combatant],
    ) -> str:
        """The post of the open round as it should read now."""
        fight = self.ruleset.load(round_.state_opened, self.tables)
        rolls = tuple(roll_of(data) for data in round_.opening["rolls"])
        questions = [q for q in records.questions(round_.id) if q.answer is None]
        is_open = round_.status == "declaring"
        # Whoever has been refused all that he declared is missing, and told why further down.
        absent = {c.name for c in waiting} if is_open else set()
        claims = [claim for claim in stands.claims.values() if claim.actor not in absent]
        story = Status(
            game=self._game(round_.fight),
            round=round_.number,
            state=self._state(records, round_),
            events=self._events(round_.opening),
            rolls=rolls,
            roster=self.ruleset.roster(fight),
            order=self.ruleset.declaration_order(fight) if self.strict else (),
            receipts=self._receipts(records, claims, hidden=is_open),
            missing=self._missing(waiting, stands) if is_open else (),
            deadline=round_.deadline,
            troubles=self._troubles(records, stands, refused, hidden=is_open),
            asked=tuple(self._asked(q) for q in questions if q.kind == "choice"),
            rulings=tuple(self._ruling(q) for q in questions if q.kind == "ruling"),
            notes=tuple(Fact(note["code"], note["facts"]) for note in round_.notes),
            evidence=block_text(self._opening_block(records, round_, rolls)),
        )
        return self.narrator.status(story, round_.status_mark)

    def report(
        self,
        records: Records,
        round_: RoundRow,
        outcome: Outcome,
        mark: str,
        commits: Mapping[str, str],
        used: Mapping[str, Sequence[int]],
    ) -> Told:
        """What a round brought, in as many posts as the site needs.

        ``used`` are the dice of it that the game master set, by label.
        """
        opened = self.ruleset.load(round_.state_opened, self.tables)
        opening = tuple(roll_of(data) for data in round_.opening["rolls"])
        locked = round_.locked
        claims = [
            Claim(
                c["actor"],
                c["post_id"],
                c["author_id"],
                c["sequence"],
                tuple(declaration_of(d) for d in c["declarations"]),
            )
            for c in locked["claims"]
        ]
        rulings = [q for q in records.questions(round_.id) if q.kind == "ruling"]
        notes = [Fact(f"amended_{a['kind']}", a) for a in round_.amendments]
        notes += [
            Fact("die_unused", a)
            for a in round_.amendments
            if a["kind"] == "die_set" and a["label"] not in used
        ]
        if round_.resolutions > 1:
            notes.insert(0, Fact("resolved_again", {"round": round_.number}))
        block = self._round_block(records, round_, opening, outcome.rolls, mark, commits)
        block = replace(block, sets=tuple(SetRoll(k, tuple(faces)) for k, faces in used.items()))
        story = RoundReport(
            game=self._game(round_.fight),
            round=round_.number,
            events=outcome.events,
            rolls=outcome.rolls,
            before=self.ruleset.roster(opened),
            after=self.ruleset.roster(outcome.fight),
            receipts=self._receipts(records, claims),
            troubles=tuple(self._refused(records, r, claims) for r in outcome.rejections),
            defaulted=outcome.defaulted,
            missed=tuple(
                Missed(m["actor"], m["policy"], tuple(declaration_of(d) for d in m["declarations"]))
                for m in locked["missing"]
            ),
            rulings=tuple(self._ruling(q) for q in rulings if q.answer is None),
            notes=tuple(notes),
            evidence=block_text(block),
        )
        told = self.narrator.round_report(story, mark, self.limit, self.new_mark)
        if len(told) == 1:
            return told
        # A block that was cut between two posts could not be read: it gets posts of its own.
        bare = replace(story, evidence="")
        told = self.narrator.round_report(bare, self.new_mark(), self.limit, self.new_mark)
        return (*told, *self._in_parts(Answer(game=story.game), block, mark))

    def _in_parts(self, story: Answer, block: Block, mark: str) -> Told:
        """A story with a block, in as many posts as the block needs; the first has the story."""
        told: Told = ()
        for piece in split_block(block, self.limit // 2):
            own = mark if piece.part[0] == 1 else self.new_mark()
            answer = replace(story, evidence=block_text(replace(piece, mark=own)))
            told = (*told, (own, self.narrator.answer(answer, own)))
            story = Answer(game=story.game)
        return told

    def beacon(self, round_: RoundRow, mark: str) -> Told:
        """The posts at a lock that name the beacon it waits for, with what was declared."""
        beacon = _beacon_of(round_.locked)
        block = Block(
            self.key,
            "question",
            round_.serial,
            mark,
            words=locked_words(round_.locked),
            beacons=(beacon,),
        )
        due = datetime.fromtimestamp(published_at(beacon.round), UTC)
        facts = {
            "round": round_.number,
            "chain": beacon.chain,
            "beacon": beacon.round,
            "at": due.isoformat(),
        }
        notes = (Fact("beacon_awaited", facts),)
        return self._in_parts(Answer(game=self._game(round_.fight), notes=notes), block, mark)

    def question(self, mark: str, row: QuestionRow, fight: int) -> str:
        """A post that puts a choice to its owner."""
        story = Answer(game=self._game(fight), asked=(self._asked(row),))
        return self.narrator.answer(story, mark)

    def rolls(
        self,
        mark: str,
        seed: SeedRow,
        words: Sequence[LockedWords],
        commits: Mapping[str, str],
        answers: Rolled,
    ) -> str:
        """The answer to free rolls."""
        number = int(seed.name.rpartition(".")[2])
        block = Block(
            self.key,
            "rolls",
            number,
            mark,
            reveals=(Reveal(seed.name, seed.secret.hex()),),
            commits=_commits(commits),
            words=tuple(words),
            rolls=tuple(BlockRoll.of(seed.name, roll) for roll in answers.dice),
        )
        story = FreeRolls(
            game=self._game(),
            rolls=tuple(answers.told),
            troubles=tuple(answers.troubles),
            evidence=block_text(block),
        )
        return self.narrator.rolls(story, mark)

    def secret_roll(
        self,
        mark: str,
        number: int,
        words: LockedWords,
        commits: Mapping[str, str],
        note: Note,
    ) -> str:
        """The post in which a secret roll is made."""
        block = Block(self.key, "secret", number, mark, commits=_commits(commits), words=(words,))
        notes = (Fact(note.code, note.facts),)
        return self.narrator.answer(
            Answer(game=self._game(), notes=notes, evidence=block_text(block)), mark
        )

    def opened(self, mark: str, seed: SeedRow, words: LockedWords, answers: Rolled) -> str:
        """The post in which a secret roll is opened."""
        number = int(seed.name.rpartition(".")[2])
        block = Block(
            self.key,
            "opened",
            number,
            mark,
            reveals=(Reveal(seed.name, seed.secret.hex()),),
            words=(words,),
            rolls=tuple(BlockRoll.of(seed.name, roll) for roll in answers.dice),
        )
        story = FreeRolls(game=self._game(), rolls=tuple(answers.told), evidence=block_text(block))
        return self.narrator.rolls(story, mark)

    def answer(
        self,
        mark: str,
        notes: Sequence[Note] = (),
        problems: Sequence[Said] = (),
        author: str = "",
        topic: str | None = None,
    ) -> str:
        """A post that answers tags outside of a round."""
        story = Answer(
            game=self._game(),
            troubles=tuple(
                not_understood(said.value, author)
                for said in problems
                if isinstance(said.value, TagProblem)
            ),
            notes=tuple(Fact(note.code, note.facts) for note in notes),
            help="" if topic is None else self.help(topic),
        )
        return self.narrator.answer(story, mark)

    def closing(self, mark: str, fight: FightRow, reason: str, rounds: int) -> str:
        """The last post of a fight."""
        state = self.ruleset.load(fight.state, self.tables)
        story = Closing(
            game=self._game(fight.id),
            reason=reason,
            rounds=rounds,
            roster=self.ruleset.roster(state),
        )
        return self.narrator.closing(story, mark)

    def plain(self, notes: Sequence[Note]) -> str:
        """Notes as lines without markup, for the command line."""
        facts = [Fact(note.code, note.facts) for note in notes]
        return "\n".join(self.narrator.sentences(facts, self._game()))

    def help(self, topic: str) -> str:
        """The player's reference, whole or of one verb."""
        return reference(self.ruleset, self.vocabulary, self.narrator.words, topic)

    def option(self, option: str) -> str:
        """An option of a question in words that a player can write back."""
        return self.narrator.option(option)

    def figure(self, word: str) -> str:
        """Id of a figure of the sheet by the word that a player wrote, or an empty string."""
        return self.narrator.figure(word)

    # -- pieces ------------------------------------------------------------------------------

    def _game(self, fight_id: int = 0) -> Game:
        return Game(f"{self.key}.{fight_id}", self.ruleset.id, self.genders, self.zone)

    def _state(self, records: Records, round_: RoundRow) -> str:
        thread = records.thread(self.key)
        if thread is not None and thread.paused_at is not None:
            return "paused"
        if any(row.state == "review" for row in records.unsent(self.key)):
            return "review"
        if round_.status == "locked" and not round_.lock_input and "beacon" in round_.locked:
            return "beacon"
        states = {"ruling": "resolved", "undone": "resolved", "reopened": "locked"}
        return states.get(round_.status, round_.status)

    def _events(self, outcome: Mapping[str, Any]) -> tuple[Event, ...]:
        return tuple(from_json(self.ruleset.events, data) for data in outcome["events"])

    def _seats(self, names: Iterable[str]) -> tuple[Seat, ...]:
        wanted = set(names)
        return tuple(seat for seat in self.cast if seat.name in wanted)

    def _missing(self, waiting: Sequence[Combatant], stands: Declared) -> tuple[Seat, ...]:
        """Who must still declare, and for whom a private message is to come or cannot be read."""
        secret = _UNHEARD[self.letters]
        return tuple(
            replace(seat, secret=secret if seat.name in stands.secret else "")
            for seat in self._seats([c.name for c in waiting])
        )

    def _receipts(
        self, records: Records, claims: Iterable[Claim], *, hidden: bool = False
    ) -> tuple[Receipt, ...]:
        names = records.author_names(self.key)
        npcs = {seat.name for seat in self.cast if seat.npc}

        def deputy(claim: Claim) -> str:
            """Who declared, where it is not one of the character's own players."""
            own = claim.actor in self.seats.players.get(claim.author_id, ())
            return "" if own or claim.actor in npcs else names.get(claim.author_id, "")

        return tuple(
            Receipt(
                claim.actor,
                () if hidden and claim.is_private else claim.words,
                claim.final,
                deputy(claim),
                secret=claim.is_private,
            )
            for claim in claims
        )

    def _troubles(
        self,
        records: Records,
        stands: Declared,
        refused: Sequence[Rejection],
        *,
        hidden: bool,
    ) -> tuple[Trouble, ...]:
        """What does not count; of a private message nothing is told while it is ``hidden``."""
        posts = records.known(
            self.key,
            [s.post_id for s in stands.problems] + [c.post_id for c in stands.passed],
        )

        def author(post_id: str) -> str:
            return posts[post_id].author_name if post_id in posts else ""

        shown = [s for s in stands.problems if not (hidden and s.post_id.startswith(LETTER))]
        troubles = [
            not_understood(said.value, author(said.post_id), posts[said.post_id].url)
            for said in shown
            if isinstance(said.value, TagProblem) and said.post_id in posts
        ]
        claims = list(stands.claims.values())
        private = {c.actor for c in claims if hidden and c.is_private}
        troubles += [
            self._refused(records, rejection, claims)
            for rejection in refused
            if rejection.declaration.actor not in private
        ]
        unread = {author(s.post_id) for s in stands.problems if s not in shown}
        troubles += [
            Trouble("letter_unread", "", author=name, refused=True) for name in sorted(unread)
        ]
        hindered = {r.declaration.actor for r in refused if r.declaration.actor in private}
        troubles += [
            Trouble("letter_refused", "", {"actor": name}, refused=True)
            for name in sorted(hindered)
        ]
        troubles += [
            Trouble(
                "order_passed",
                " ".join(claim.words),
                {"actor": claim.actor},
                author=author(claim.post_id),
                refused=True,
            )
            for claim in stands.passed
        ]
        return tuple(troubles)

    def _refused(self, records: Records, rejection: Rejection, claims: Iterable[Claim]) -> Trouble:
        post_id = next((c.post_id for c in claims if c.actor == rejection.declaration.actor), "")
        post = records.known(self.key, [post_id]).get(post_id) if post_id else None
        cure = "" if rejection.cure is None else self._spell(rejection.cure)
        return not_allowed(
            rejection,
            cure,
            "" if post is None else post.author_name,
            "" if post is None else post.url,
        )

    def _spell(self, declaration: Declaration) -> str:
        return spell(declaration, self.vocabulary, self.language)

    def _examples(self) -> tuple[str, ...]:
        """An attack on somebody of another side, and a defence: tags that work at this table."""
        own = next((seat for seat in self.cast if not seat.npc), None)
        foe = next((s for s in self.cast if own is not None and s.side != own.side), None)
        if own is None or foe is None:
            return ()
        # A blow with a weapon, not just anything that is done to somebody.
        strike = next(
            (v for v in self.ruleset.actions.values() if v.fields[:2] == ("target", "weapon")), None
        )
        examples = []
        if strike is not None:
            examples.append(Declaration("", Kind.ACTION, strike.id, {"target": foe.name}))
        fight = self.ruleset.new_fight(self.setup, self.tables)
        examples += [replace(d, actor="") for d in self.ruleset.defend(fight, own.name)[:1]]
        return tuple(self._spell(example) for example in examples)

    def _asked(self, row: QuestionRow) -> Asked:
        question = question_of(row.data)
        choices = tuple(
            Choice(option, self.narrator.answer_tag(row.code, self.option(option)))
            for option in question.options
        )
        players = next((s.players for s in self.cast if s.name == question.who), ())
        return Asked(question, choices, players, row.deadline)

    def _ruling(self, row: QuestionRow) -> Ruling:
        event = from_json(self.ruleset.events, row.data)
        return Ruling(row.code, event, {}, self.narrator.answer_tag(row.code, "…"))

    def _opening_block(self, records: Records, round_: RoundRow, rolls: Sequence[Roll]) -> Block:
        name = f"open.{round_.serial}"
        return Block(
            self.key,
            "opening",
            round_.serial,
            round_.status_mark,
            reveals=(self._reveal(records, name),),
            commits=tuple(
                Commit(seed.name, seed.commitment)
                for seed in records.seeds_by(self.key, round_.status_mark)
            ),
            rolls=tuple(BlockRoll.of(name, roll) for roll in rolls),
        )

    def _round_block(
        self,
        records: Records,
        round_: RoundRow,
        opening: Sequence[Roll],
        rolls: Sequence[Roll],
        mark: str,
        commits: Mapping[str, str],
    ) -> Block:
        open_name, lock_name = f"open.{round_.serial}", f"lock.{round_.serial}"
        return Block(
            self.key,
            "round",
            round_.serial,
            mark,
            reveals=(self._reveal(records, open_name), self._reveal(records, lock_name)),
            commits=_commits(commits),
            words=locked_words(round_.locked),
            amended=tuple(
                LockedWords(a["post_id"], a["by"], tag)
                for a in round_.amendments
                for tag in a["tags"]
            ),
            beacons=(_beacon_of(round_.locked),) if "beacon" in round_.locked else (),
            rolls=(
                *(BlockRoll.of(open_name, roll) for roll in opening),
                *(BlockRoll.of(lock_name, roll) for roll in rolls),
            ),
        )

    def _reveal(self, records: Records, name: str) -> Reveal:
        seed = records.seed(self.key, name)
        if seed is None:
            raise LookupError(f"{self.key}: no seed {name}")
        return Reveal(name, seed.secret.hex())


def _beacon_of(locked: Mapping[str, Any]) -> Beacon:
    beacon = locked["beacon"]
    return Beacon(beacon["chain"], beacon["round"], beacon.get("signature", ""))


def _commits(commits: Mapping[str, str]) -> tuple[Commit, ...]:
    return tuple(Commit(name, digest) for name, digest in commits.items())


def locked_words(locked: Mapping[str, Any]) -> tuple[LockedWords, ...]:
    """Every tag that goes into a round, for its public input and its evidence."""
    words = [
        LockedWords(claim["post_id"], claim["author_id"], text)
        for claim in locked["claims"]
        for text in claim["words"]
    ]
    words.extend(
        LockedWords(order["post_id"], order["author_id"], order["declaration"]["words"])
        for order in (*locked["standing"], *locked["commands"])
    )
    return tuple(words)


def roll_of(data: Mapping[str, Any]) -> Roll:
    """The roll that was stored."""
    return Roll(
        data["label"],
        tuple(data["sides"]),
        tuple(data["faces"]),
        tuple(data.get("kept", ())),
        _total_of(data.get("against")),
        _total_of(data.get("plus")),
        _total_of(data.get("pool")),
        data.get("kind", ""),
        data.get("worth"),
    )


def _total_of(data: Mapping[str, Any] | None) -> Total | None:
    return None if data is None else Total(tuple(Modifier(**part) for part in data["parts"]))


def question_of(data: Mapping[str, Any]) -> Question:
    """The question that was stored."""
    return Question(
        data["label"],
        data["who"],
        tuple(data["options"]),
        data["default"],
        data["rule"],
        data["facts"],
    )
