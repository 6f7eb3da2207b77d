"""The life of a round: decide, then do.

    opened -> declaring -> locked -> (asking <-> answered)* -> resolved -> (ruling)? -> next opened

A round that waits for a public beacon is locked and has no public input yet.

Each function here is one transition within the caller's transaction: it reads what it needs, calls
pure code, and writes the result together with what must be posted. None waits, posts or asks the
clock.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from importlib.metadata import version
from typing import Any, Final

from referee.declaring import (
    Claim,
    Declared,
    declaration_json,
    declaration_of,
    declared,
)
from referee.evidence import (
    CHAIN,
    SeedDice,
    SetDice,
    next_commits,
    public_input,
    randomness,
    round_after,
    seed_name,
)
from referee.storage.records import FightRow, QuestionRow, RoundRow
from referee.table import Note, Sitting, tags_elsewhere
from referee.telling import locked_words
from rulesets.core.declarations import Declaration
from rulesets.core.dice import Roll
from rulesets.core.events import as_json
from rulesets.core.modifiers import Total
from rulesets.core.questions import Answers, Question, Rejection
from rulesets.core.ruleset import Combatant, Outcome, in_order

ENGINE: Final = version("pbw-referee")
"""Kept with each fight, beside the version of its rules."""


def introduce(at: Sitting) -> None:
    """The referee's first post in a thread: who it is, how to declare, its first commitments."""
    mark = at.new_mark()
    commits = {name: at.new_seed(name, mark) for name in next_commits("start", 0)}
    at.put_out("start", mark, at.table.telling.introduction(at.records, mark, commits))
    at.log("introduced", mark=mark, commits=commits)


def begin_fight(at: Sitting, after: int, by: str) -> FightRow:
    """Set up the cast and open the first round; declarations after ``after`` count for it.

    Raises:
        SetupError: a sheet or the scene cannot be used (the config check tells this earlier).
    """
    ordered = in_order(at.table.setup)
    fight = at.table.ruleset.new_fight(ordered, at.table.tables)
    setup = {
        "cast": [
            {"name": c.name, "side": c.side, "npc": c.npc, "sheet": c.sheet, "state": c.state}
            for c in ordered.cast
        ],
        "scene": at.table.setup.scene,
        "options": at.table.setup.options,
    }
    state = at.table.ruleset.dump(fight)
    fight_id = at.records.add_fight(
        thread=at.key,
        ruleset=at.table.ruleset.id,
        ruleset_version=at.table.ruleset.version,
        setup=setup,
        state=state,
        standing=[],
        began_at=at.now,
        began_after=after,
    )
    at.log(
        "fight_began",
        by,
        fight=fight_id,
        ruleset=at.table.ruleset.id,
        **at.table.edition,
        engine=ENGINE,
        setup=setup,
    )
    row = at.records.fight(fight_id)
    open_round(at, row, opens_after=after)
    return row


def open_round(at: Sitting, fight: FightRow, opens_after: int | None = None) -> None:
    """Roll what is rolled before declarations, with the opening seed, and put out the status post.

    Declarations count from ``opens_after`` on, or, where that is None, from the status post on.
    """
    previous = at.records.last_round(at.key)
    if previous is not None and previous.status == "undone":
        # The round before it has been played again; this one opens again on its old seed.
        reopened, before = previous, _round_before(at, previous)
    else:
        reopened, before = None, previous
    serial = 1 if before is None else before.serial + 1
    seed = _seed(at, f"open.{serial}")
    open_input = public_input(
        f"open.{serial}", at.key, previous="" if before is None else before.lock_input
    )
    deadline = at.table.house.deadline(at.now)
    outcome = at.table.ruleset.open_round(at.table.load(fight.state), SeedDice(seed, open_input))
    values: dict[str, Any] = {
        "number": outcome.fight.round,
        "status": "declaring",
        "opened_at": at.now,
        "deadline": deadline,
        "locks_at": at.table.house.locks_at(deadline),
        "state_before": fight.state,
        "state_opened": at.table.ruleset.dump(outcome.fight),
        "opening": outcome_json(outcome),
        "open_input": open_input,
    }
    if reopened is None:
        mark = at.new_mark()
        round_id = at.records.add_round(
            fight=fight.id,
            thread=at.key,
            serial=serial,
            opens_after=opens_after,
            status_mark=mark,
            **values,
        )
    else:
        mark, round_id = reopened.status_mark, reopened.id
        at.records.set_round(round_id, **values, notes=[])
    at.records.set_seed(at.key, f"open.{serial}", revealed_by=mark)
    commits = _overdue_commits(at, serial, mark)
    at.log(
        "round_opened",
        fight=fight.id,
        serial=serial,
        number=outcome.fight.round,
        input=open_input,
        outcome=values["opening"],
        commits=commits,
        **at.table.edition,
    )
    if reopened is None:
        at.put_out("status", mark, status_text(at, round_id))


def _overdue_commits(at: Sitting, serial: int, mark: str) -> dict[str, str]:
    """Promises for the next round that the round before this one should have made.

    A fight that was ended in mid-round has left them out.
    """
    names = [seed_name(stream, serial + 1) for stream in ("open", "lock")]
    return {
        name: at.new_seed(name, mark) for name in names if at.records.seed(at.key, name) is None
    }


def _round_before(at: Sitting, round_: RoundRow) -> RoundRow | None:
    earlier = [row for row in at.records.rounds(round_.thread) if row.serial < round_.serial]
    return earlier[-1] if earlier else None


def _seed(at: Sitting, name: str) -> bytes:
    seed = at.records.seed(at.key, name)
    if seed is None:
        raise LookupError(f"{at.key}: no seed {name}")
    return seed.secret


def outcome_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome as plain data, for the log, the audit and the evidence."""
    return {
        "events": [as_json(event) for event in outcome.events],
        "rolls": [roll_json(roll) for roll in outcome.rolls],
        "rejections": [rejection_json(rejection) for rejection in outcome.rejections],
        "defaulted": [question_json(question) for question in outcome.defaulted],
    }


def roll_json(roll: Roll) -> dict[str, Any]:
    """A roll with the parts of what it was made against."""
    data: dict[str, Any] = {
        "label": roll.label,
        "sides": list(roll.sides),
        "faces": list(roll.faces),
    }
    if roll.kept:
        data["kept"] = list(roll.kept)
    if roll.worth is not None:
        data |= {"kind": roll.kind, "worth": roll.worth}
    if roll.against is not None:
        data["against"] = total_json(roll.against)
    if roll.plus is not None:
        data["plus"] = total_json(roll.plus)
    if roll.pool is not None:
        data["pool"] = total_json(roll.pool)
    return data


def total_json(total: Total) -> dict[str, Any]:
    """A figure with its parts."""
    return {
        "value": total.value,
        "parts": [
            {"value": part.value, "source": part.source, "rule": part.rule, "step": part.step}
            for part in total.parts
        ],
    }


def rejection_json(rejection: Rejection) -> dict[str, Any]:
    """A refusal as plain data."""
    return {
        "code": rejection.code,
        "rule": rejection.rule,
        "actor": rejection.declaration.actor,
        "words": rejection.declaration.words,
        "facts": _plain(rejection.facts),
    }


def question_json(question: Question) -> dict[str, Any]:
    """A question as plain data."""
    return {
        "label": question.label,
        "who": question.who,
        "options": list(question.options),
        "default": question.default,
        "rule": question.rule,
        "facts": _plain(question.facts),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, (str, int, bool)) or value is None:
        return value
    if hasattr(value, "items"):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Iterable):
        return [_plain(item) for item in value]
    return str(value)


# ---------------------------------------------------------------------------- declarations


def heard_so_far(at: Sitting, round_: RoundRow, up_to: int | None = None) -> Declared:
    """What stands in the open round, up to a sequence (a closing command's own post)."""
    if round_.opens_after is None:
        return Declared()
    versions = [
        version
        for version in at.records.versions(at.key, round_.opens_after, up_to)
        if version.author_id != at.table.referee_id and version.first_sequence > round_.opens_after
    ]
    order: Sequence[str] = ()
    if at.table.house.strict:
        order = at.table.ruleset.declaration_order(at.table.load(round_.state_opened))
    return declared(versions, at.table.seats, at.table.vocabulary, order, tags_elsewhere(at))


def find_beginning(at: Sitting, round_: RoundRow) -> bool:
    """Declarations count from the status post on: find its place once it stands in the thread."""
    rows = at.records.outbox_by_mark(at.key, round_.status_mark)
    post_id = next((row.post_id for row in rows if row.post_id), "")
    post = at.records.known(at.key, [post_id]).get(post_id) if post_id else None
    if post is None:
        return False
    at.records.set_round(round_.id, opens_after=post.first_sequence)
    return True


def awaited(at: Sitting, round_: RoundRow, stands: Declared) -> tuple[Combatant, ...]:
    """Who must still declare: everyone with something to choose and nothing claimed that counts."""
    fight = at.table.load(round_.state_opened)
    return _unheard(at, fight, stands, refused_now(at, fight, stands))


def _unheard(
    at: Sitting, fight: object, stands: Declared, refused: Sequence[Rejection]
) -> tuple[Combatant, ...]:
    """Whoever has been refused all that he declared has time to mend it: no slip costs a turn."""
    bad = [one.declaration for one in refused]
    heard = {
        name
        for name, claim in stands.claims.items()
        if not claim.declarations or any(d not in bad for d in claim.declarations)
    }
    roster = at.table.ruleset.roster(fight)
    return tuple(c for c in roster if c.declares and c.name not in heard)


def refused_now(at: Sitting, fight: object, stands: Declared) -> tuple[Rejection, ...]:
    """What the rules would refuse of what stands, if the round were closed now."""
    claims = [d for claim in stands.claims.values() for d in claim.declarations]
    orders = [declaration for _, declaration in stands.standing]
    return at.table.ruleset.check(fight, [*claims, *orders]) if claims or orders else ()


def cause_to_lock(at: Sitting, round_: RoundRow) -> tuple[str, datetime | None]:
    """Why the round can lock at.now, and when it could because all have declared.

    Returns:
        ``all_declared``, ``deadline`` or an empty string; and the end of the hold-back time, or
        None while somebody is missing.
    """
    stands = heard_so_far(at, round_)
    missing = awaited(at, round_, stands)
    settles_at = None
    if not missing and stands.claims:
        newest = at.records.versions(at.key, stands.newest - 1, stands.newest)
        settles_at = (newest[-1].seen_at if newest else round_.opened_at) + _hold_back(at, stands)
        if settles_at <= at.now:
            return "all_declared", settles_at
    passed = round_.locks_at is not None and at.now >= round_.locks_at
    if passed and not waited_for(at, missing):
        return "deadline", settles_at
    return "", settles_at


def waited_for(at: Sitting, missing: Iterable[Combatant]) -> list[str]:
    """Whom the round waits for even past its deadline: their policy is to wait, or to be led."""
    return [c.name for c in missing if at.table.house.missing_for(c.name) in {"wait", "gm"}]


def tell_waiting(at: Sitting, round_: RoundRow) -> bool:
    """Say once that the deadline has passed and for whom the round still waits."""
    if round_.locks_at is None or at.now < round_.locks_at:
        return False
    names = waited_for(at, awaited(at, round_, heard_so_far(at, round_)))
    note = Note("deadline_waits", {"names": names})
    if not names or note.as_json() in round_.notes:
        return False
    at.note(round_, note)
    return True


def _hold_back(at: Sitting, stands: Declared) -> timedelta:
    """Nobody waits for changes where everybody has called the declaration final."""
    if all(claim.final for claim in stands.claims.values()):
        return timedelta(0)
    return at.table.house.hold_back


def lock(
    at: Sitting,
    round_: RoundRow,
    cause: str,
    up_to: int | None = None,
    by: str = "",
    beacon: int = 0,
) -> None:
    """Freeze what counts: exact words with their posts and authors, and what the missing do.

    ``beacon`` is the round of a public beacon to wait for, where it was announced long ago;
    otherwise the house says whether there is one, and the moment which.
    """
    stands = heard_so_far(at, round_, up_to)
    thread = at.records.thread(at.key)
    sequence = up_to if up_to is not None else (thread.sequence if thread else 0)
    fight = at.records.fight(round_.fight)
    standing = _standing(fight.standing, stands)
    missing = [
        {
            "actor": c.name,
            "policy": at.table.house.missing_for(c.name),
            "declarations": [declaration_json(d) for d in _instead(at, round_, c.name)],
        }
        for c in awaited(at, round_, stands)
    ]
    # Whose policy is to do nothing does not follow standing orders either.
    idle = {one["actor"] for one in missing if one["policy"] == "nothing"}
    claims = sorted(stands.claims.values(), key=lambda claim: claim.sequence)
    locked: dict[str, Any] = {
        "cause": cause,
        "by": by,
        "claims": [_claim_json(claim) for claim in claims],
        "standing": [order for order in standing if order["declaration"]["actor"] not in idle],
        "commands": [_order_json(claim, d) for claim, d in stands.commands],
        "missing": missing,
    }
    if at.table.house.beacon or beacon:
        locked["beacon"] = {"chain": CHAIN, "round": beacon or round_after(at.now.timestamp())}
    lock_input = "" if "beacon" in locked else _lock_input(at, round_, locked)
    at.records.set_fight(fight.id, standing=standing)
    at.records.set_round(
        round_.id,
        status="locked",
        locked_at=at.now,
        lock_sequence=sequence,
        locked=locked,
        lock_input=lock_input,
    )
    at.log("locked", by, serial=round_.serial, locked=locked, input=lock_input)
    if "beacon" in locked:
        mark = at.new_mark()
        for part_mark, text in at.table.telling.beacon(at.records.round(round_.id), mark):
            at.put_out("beacon", part_mark, text, at_once=True)


def _lock_input(at: Sitting, round_: RoundRow, locked: Mapping[str, Any], beacon: str = "") -> str:
    return public_input(f"lock.{round_.serial}", at.key, locked_words(locked), beacon=beacon)


def awaits_beacon(round_: RoundRow) -> bool:
    """Whether a round is locked and waits for the beacon that its lock has named."""
    return round_.status == "locked" and not round_.lock_input and "beacon" in round_.locked


def has_announced(round_: RoundRow) -> bool:
    """Whether what was declared for a round has been published before it is resolved."""
    return round_.status in {"locked", "asking"} and "beacon" in round_.locked


def take_beacon(at: Sitting, round_: RoundRow, signature: str) -> None:
    """Give a waiting round the value of its beacon: from now on its dice are fixed."""
    locked = {**round_.locked, "beacon": {**round_.locked["beacon"], "signature": signature}}
    lock_input = _lock_input(at, round_, locked, randomness(signature))
    at.records.set_round(round_.id, locked=locked, lock_input=lock_input)
    at.log(
        "beacon",
        serial=round_.serial,
        chain=locked["beacon"]["chain"],
        round=locked["beacon"]["round"],
        signature=signature,
        input=lock_input,
    )


def go_without_beacon(at: Sitting, round_: RoundRow, by: str = "") -> None:
    """Let a waiting round go on without its beacon."""
    lock_input = _lock_input(at, round_, round_.locked)
    at.records.set_round(round_.id, lock_input=lock_input)
    at.log("beacon_skipped", by, serial=round_.serial, input=lock_input)


def _claim_json(claim: Claim) -> dict[str, Any]:
    return {
        "actor": claim.actor,
        "post_id": claim.post_id,
        "author_id": claim.author_id,
        "sequence": claim.sequence,
        "words": list(claim.words),
        "declarations": [declaration_json(d) for d in claim.declarations],
    }


def _order_json(claim: Claim, declaration: Declaration) -> dict[str, Any]:
    return {
        "post_id": claim.post_id,
        "author_id": claim.author_id,
        "declaration": declaration_json(declaration),
    }


def _standing(kept: Sequence[Any], stands: Declared) -> list[dict[str, Any]]:
    """Orders kept from earlier rounds and the new ones; of the same kind the newest stays."""
    orders = [o for o in kept if o["declaration"]["actor"] not in stands.dropped]
    orders.extend(_order_json(claim, declaration) for claim, declaration in stands.standing)
    newest: dict[tuple[str, str, str], dict[str, Any]] = {}
    for order in orders:
        declaration = order["declaration"]
        kind = (declaration["actor"], declaration["verb"], declaration["fields"].get("against", ""))
        newest.pop(kind, None)
        newest[kind] = order
    return list(newest.values())


def _instead(at: Sitting, round_: RoundRow, name: str) -> tuple[Declaration, ...]:
    """What a missing player's character does beyond its standing orders."""
    if at.table.house.missing_for(name) != "defend":
        return ()
    return at.table.ruleset.defend(at.table.load(round_.state_opened), name)


# ---------------------------------------------------------------------------- resolution


def declarations_of(round_: RoundRow) -> tuple[Declaration, ...]:
    """What the ruleset is given; see ``locked_declarations``."""
    redeclared = {
        item["actor"]: item["declarations"]
        for item in round_.amendments
        if item["kind"] == "redeclared"
    }
    data = locked_declarations(round_.locked, redeclared)
    return tuple(declaration_of(item) for item in data)


def locked_declarations(
    locked: Mapping[str, Any], redeclared: Mapping[str, Sequence[Any]]
) -> list[Any]:
    """Claims in the order posted, the missing, standing orders, the game master's own.

    What the game master declared anew replaces a character's claim in the same place.
    """
    anew = dict(redeclared)
    data: list[Any] = []
    for claim in [*locked["claims"], *locked["missing"]]:
        data.extend(anew.pop(claim["actor"], claim["declarations"]))
    for declarations in anew.values():
        data.extend(declarations)
    data.extend(order["declaration"] for order in (*locked["standing"], *locked["commands"]))
    return data


def answers_of(questions: Iterable[QuestionRow], *, asked: frozenset[str]) -> Answers:
    """Choices made so far."""
    given = {q.label: q.answer for q in questions if q.kind == "choice" and q.answer is not None}
    return Answers(given, ask=bool(asked), only=asked)


def expire_choices(at: Sitting, round_: RoundRow) -> None:
    """A choice whose time is over takes its default, as if that had been answered."""
    for question in at.records.questions(round_.id):
        over = question.deadline is not None and question.deadline <= at.now
        if question.kind == "choice" and question.answer is None and over:
            default = str(question.data["default"])
            at.records.set_question(question.id, answer=default, answered_by="", answered_at=at.now)
            at.log(
                "answered",
                serial=round_.serial,
                code=question.code,
                answer=default,
                label=question.label,
                question="choice",
            )


def waits_for_answer(at: Sitting, round_: RoundRow, kind: str) -> bool:
    """Whether a question of this kind is open and its time is not over."""
    return any(
        question.kind == kind
        and question.answer is None
        and (question.deadline is None or question.deadline > at.now)
        for question in at.records.questions(round_.id)
    )


def resolve(at: Sitting, round_: RoundRow) -> None:
    """Play a locked round: to its end, or to the next choice that must be asked."""
    expire_choices(at, round_)
    seed = SeedDice(_seed(at, f"lock.{round_.serial}"), round_.lock_input)
    dice = SetDice(seed, set_faces(round_.amendments))
    result = at.table.ruleset.resolve(
        at.table.load(round_.state_opened),
        declarations_of(round_),
        dice,
        answers_of(at.records.questions(round_.id), asked=at.table.house.asked),
    )
    if isinstance(result, Question):
        _ask(at, round_, result)
    else:
        _finish(at, round_, result, dice.used)


def set_faces(amendments: Iterable[Mapping[str, Any]]) -> dict[str, list[int]]:
    """Dice that the game master has set, by label; the newest order counts."""
    return {item["label"]: item["faces"] for item in amendments if item["kind"] == "die_set"}


def _ask(at: Sitting, round_: RoundRow, question: Question) -> None:
    code = f"P{at.records.count_questions(at.key, 'choice') + 1}"
    deadline = at.table.house.question_deadline(at.now)
    question_id = at.records.add_question(
        thread=at.key,
        round=round_.id,
        code=code,
        kind="choice",
        label=question.label,
        data=question_json(question),
        asked_at=at.now,
        deadline=deadline,
    )
    at.records.set_round(round_.id, status="asking")
    mark = at.new_mark()
    at.put_out(
        "question",
        mark,
        at.table.telling.question(mark, at.records.question(question_id), round_.fight),
    )
    at.log(
        "asked",
        serial=round_.serial,
        code=code,
        question=question_json(question),
        asks=sorted(at.table.house.asked),
    )


def _finish(
    at: Sitting, round_: RoundRow, outcome: Outcome, used: Mapping[str, Sequence[int]]
) -> None:
    """Keep a round's outcome, reveal its seeds, commit to the next, put out the report."""
    mark = at.new_mark()
    serial = round_.serial
    commits = {}
    for name in next_commits("round", serial):
        known = at.records.seed(at.key, name)
        commits[name] = at.new_seed(name, mark) if known is None else known.commitment
    at.records.set_seed(at.key, f"lock.{serial}", revealed_by=mark)
    rulings = _ask_rulings(at, round_, outcome)
    state = at.table.ruleset.dump(outcome.fight)
    data = outcome_json(outcome)
    at.records.set_fight(
        round_.fight, state=state, standing=_still_standing(at, round_, outcome.rejections)
    )
    at.records.set_round(
        round_.id,
        status="ruling" if rulings else "resolved",
        resolved_at=at.now,
        outcome=data,
        state_after=state,
        resolutions=round_.resolutions + 1,
    )
    at.log(
        "resolved",
        serial=serial,
        resolution=round_.resolutions + 1,
        asks=sorted(at.table.house.asked),
        outcome=data,
        state=state,
        mark=mark,
        commits=commits,
        set=dict(used),
        **at.table.edition,
    )
    for part_mark, text in at.table.telling.report(
        at.records, at.records.round(round_.id), outcome, mark, commits, used
    ):
        at.put_out("report", part_mark, text)


def _still_standing(at: Sitting, round_: RoundRow, rejections: Sequence[Rejection]) -> list[Any]:
    """Standing orders without those that the rules have refused: they would be refused for ever."""
    refused = {(r.declaration.actor, r.declaration.words) for r in rejections}
    return [
        order
        for order in at.records.fight(round_.fight).standing
        if (order["declaration"]["actor"], order["declaration"]["words"]) not in refused
    ]


def _ask_rulings(at: Sitting, round_: RoundRow, outcome: Outcome) -> bool:
    """Note what is left to the game master; True when the next round waits for it."""
    deadline = at.table.house.question_deadline(at.now)
    asked = {q.label for q in at.records.questions(round_.id) if q.kind == "ruling"}
    waiting = False
    for number, event in enumerate(outcome.events):
        if event.type != "ruling_needed":
            continue
        label = f"{number}"
        if label not in asked:
            code = f"R{at.records.count_questions(at.key, 'ruling') + 1}"
            at.records.add_question(
                thread=at.key,
                round=round_.id,
                code=code,
                kind="ruling",
                label=label,
                data=as_json(event),
                asked_at=at.now,
                deadline=deadline if at.table.house.rulings else at.now,
            )
        waiting = waiting or at.table.house.rulings
    return waiting


def undo(at: Sitting, by: str) -> RoundRow | None:
    """Take back the last resolved round: it adds, it erases nothing, and its dice stay.

    Returns:
        The round that waits to be played again, or None when there is nothing to take back.
    """
    here = at.situation()
    if here.fight is None:
        return None
    played = [r for r in at.records.rounds(at.key) if r.fight == here.fight.id and r.resolutions]
    if not played or played[-1].status == "declaring":
        return None
    target = played[-1]
    if here.round is not None and here.round.serial > target.serial:
        at.records.set_round(here.round.id, status="undone")
    at.records.set_round(target.id, status="reopened")
    at.records.set_fight(here.fight.id, state=target.state_before)
    at.log("undone", by, serial=target.serial)
    return target


def end_fight(at: Sitting, fight: FightRow, reason: str, by: str = "") -> None:
    """Close a fight; the thread stays served, for free rolls and the next fight."""
    at.records.set_fight(fight.id, ended_at=at.now)
    at.log("fight_ended", by, fight=fight.id, reason=reason, state=fight.state)
    played = sum(1 for r in at.records.rounds(at.key) if r.fight == fight.id and r.resolutions)
    mark = at.new_mark()
    at.put_out(
        "closing",
        mark,
        at.table.telling.closing(mark, at.records.fight(fight.id), reason, played),
    )


# ---------------------------------------------------------------------------- status post


def status_text(at: Sitting, round_id: int) -> str:
    """What the round's status post should say at.now."""
    round_ = at.records.round(round_id)
    stands = heard_so_far(at, round_)
    fight = at.table.load(round_.state_opened)
    refused = refused_now(at, fight, stands)
    waiting = _unheard(at, fight, stands, refused)
    return at.table.telling.status(at.records, round_, stands, refused, waiting)


def refresh_status(at: Sitting, round_: RoundRow) -> bool:
    """Edit the status post where what it says is out of date; True when there was news."""
    rows = at.records.outbox_by_mark(at.key, round_.status_mark)
    if not rows:
        return False
    text = status_text(at, round_.id)
    newest = rows[-1]
    if newest.text == text:
        return False
    if newest.state in {"pending", "review"}:
        at.records.set_outbox(newest.id, text=text)
        return True
    if not at.table.edits:
        return False
    at.put_out("status", round_.status_mark, text, edits=round_.status_mark)
    return True
