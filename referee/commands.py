"""The game master's commands: the same whether they come as tags or from the command line.

Each returns notes for the thread. A command that cannot be carried out changes nothing and says
why; a command that was carried out is in the log with who and when.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from referee import rounds
from referee.declaring import declaration_json
from referee.storage.records import PostRow, QuestionRow, Records, RoundRow
from referee.table import Note, Situation, Table, log, note, situation
from referee.tags import Command
from rulesets.core.declarations import Declaration, fold
from rulesets.core.events import as_json
from rulesets.core.questions import Correction, Rejection, SetupError

Notes = tuple[Note, ...]


def carry_out(
    records: Records, table: Table, version: PostRow, command: Command, now: datetime
) -> Notes:
    """Do what a command says, or say why not."""
    here = situation(records, table.key)
    wrong = _wrong_round(here, command)
    if wrong:
        return wrong
    return _COMMANDS[command.verb](records, table, version, command, now)


def _wrong_round(here: Situation, command: Command) -> Notes:
    """A command that names its round does nothing in another one, so it cannot strike twice."""
    named = command.get("round")
    if not named:
        return ()
    number = here.round.number if here.round is not None else 0
    if named.strip().isdecimal() and int(named) == number:
        return ()
    return (Note("wrong_round", {"given": named, "round": number}),)


def _start(
    records: Records, table: Table, version: PostRow, command: Command, now: datetime
) -> Notes:
    del command
    if situation(records, table.key).fight is not None:
        return (Note("already_started"),)
    try:
        # Declarations in the same post as the command count too.
        rounds.begin_fight(
            records, table, now, after=version.first_sequence - 1, by=version.author_id
        )
    except SetupError as error:
        facts = [
            {
                "path": ".".join(str(key) for key in problem.path),
                "code": problem.code,
                "given": str(problem.given),
                "expected": problem.expected,
            }
            for problem in error.problems
        ]
        return (Note("setup_broken", {"problems": facts}),)
    return ()


def _close(
    records: Records, table: Table, version: PostRow, command: Command, now: datetime
) -> Notes:
    del command
    here = situation(records, table.key)
    round_ = here.round
    if round_ is None:
        return (Note("no_fight"),)
    by = version.author_id
    match round_.status:
        case "declaring" if round_.opens_after is not None:
            rounds.lock(records, table, round_, now, "closed", up_to=version.sequence, by=by)
            return ()
        case "reopened":
            records.set_round(round_.id, status="locked")
            log(records, table, now, "closed_again", by, serial=round_.serial)
            return ()
        case "asking" | "ruling":
            for question in _open_questions(records, round_):
                records.set_question(question.id, deadline=now)
            log(records, table, now, "questions_closed", by, serial=round_.serial)
            return ()
        case _:
            return (Note("nothing_to_close"),)


def _open_questions(records: Records, round_: RoundRow) -> list[QuestionRow]:
    return [question for question in records.questions(round_.id) if question.answer is None]


def _deadline(
    records: Records, table: Table, version: PostRow, command: Command, now: datetime
) -> Notes:
    here = situation(records, table.key)
    if here.declaring is None:
        return (Note("nothing_to_close"),)
    until = table.house.read_deadline(command.get("until"), now, here.declaring.deadline)
    if until is None:
        return (Note("bad_deadline", {"given": command.get("until")}),)
    if until <= now:
        return (Note("deadline_past", {"given": command.get("until")}),)
    records.set_round(here.declaring.id, deadline=until, locks_at=table.house.locks_at(until))
    log(
        records,
        table,
        now,
        "deadline_set",
        version.author_id,
        serial=here.declaring.serial,
        until=until.isoformat(),
    )
    return (Note("deadline_set", {"until": until.isoformat()}),)


def _pause(
    records: Records, table: Table, version: PostRow, command: Command, now: datetime
) -> Notes:
    thread = records.thread(table.key)
    if thread is None or thread.paused_at is not None:
        return (Note("already_paused"),)
    records.set_thread(table.key, paused_at=now)
    log(records, table, now, "paused", version.author_id, reason=command.get("reason"))
    return (Note("paused", {"reason": command.get("reason")}),)


def _resume(
    records: Records, table: Table, version: PostRow, command: Command, now: datetime
) -> Notes:
    del command
    thread = records.thread(table.key)
    if thread is None or thread.paused_at is None:
        return (Note("not_paused"),)
    # Everything that was to happen moves by the length of the pause: no drift, no lost hours.
    length = now - thread.paused_at
    here = situation(records, table.key)
    if here.round is not None:
        if here.round.deadline is not None:
            deadline = here.round.deadline + length
            records.set_round(
                here.round.id, deadline=deadline, locks_at=table.house.locks_at(deadline)
            )
        for question in _open_questions(records, here.round):
            if question.deadline is not None:
                records.set_question(question.id, deadline=question.deadline + length)
    records.set_thread(table.key, paused_at=None)
    log(records, table, now, "resumed", version.author_id)
    return (Note("resumed"),)


def _mod(
    records: Records, table: Table, version: PostRow, command: Command, now: datetime
) -> Notes:
    here = situation(records, table.key)
    if here.round is None or here.round.status not in {"declaring", "reopened"}:
        return (Note("nothing_to_modify"),)
    given = command.get("value").replace(" ", "")
    try:
        value = int(given)
    except ValueError:
        return (Note("bad_value", {"given": given, "words": command.words}),)
    name = _cast_name(table, command.get("character"))
    label = f"{name}.{command.get('roll')}"
    result = table.ruleset.modify(table.load(here.round.state_opened), label, value)
    if isinstance(result, Rejection):
        return (_refusal(result, command),)
    facts = {
        "actor": name,
        "roll": command.get("roll"),
        "value": value,
        "reason": command.get("reason"),
    }
    _amend(records, table, here.round, now, version, "modified", facts, [command.words])
    records.set_round(here.round.id, state_opened=table.ruleset.dump(result.fight))
    return (Note("modified", facts),)


def _correct(
    records: Records, table: Table, version: PostRow, command: Command, now: datetime
) -> Notes:
    """Change a character's state: visible, with a reason, and all or nothing."""
    here = situation(records, table.key)
    if here.fight is None:
        return (Note("no_fight"),)
    name = _cast_name(table, command.get("character"))
    open_ = here.round is not None and here.round.status in {
        "declaring",
        "locked",
        "asking",
        "reopened",
    }
    state = here.round.state_opened if open_ and here.round is not None else here.fight.state
    fight = table.load(state)
    if not command.pairs:
        return (Note("nothing_to_correct", {"words": command.words}),)
    events: list[dict[str, Any]] = []
    for field, value in command.pairs:
        result = table.ruleset.correct(fight, Correction(name, field, value, command.get("reason")))
        if isinstance(result, Rejection):
            return (_refusal(result, command),)
        events.extend(as_json(event) for event in result.events)
        fight = result.fight
    dumped = table.ruleset.dump(fight)
    if here.round is not None:
        if open_:
            records.set_round(here.round.id, state_opened=dumped)
        else:
            records.set_round(here.round.id, state_after=dumped)
        facts = {
            "actor": name,
            "events": events,
            "reason": command.get("reason"),
            "pairs": [list(pair) for pair in command.pairs],
            "open": open_,
        }
        _amend(records, table, here.round, now, version, "corrected", facts, [command.words])
    if not open_:
        records.set_fight(here.fight.id, state=dumped)
    return tuple(Note("corrected", {**event, "reason": command.get("reason")}) for event in events)


def _undo(
    records: Records, table: Table, version: PostRow, command: Command, now: datetime
) -> Notes:
    target = rounds.undo(records, table, now, version.author_id)
    if target is None:
        return (Note("nothing_to_undo"),)
    note(
        records,
        records.round(target.id),
        Note("undone", {"round": target.number, "reason": command.get("reason")}),
    )
    return ()


def _end(
    records: Records, table: Table, version: PostRow, command: Command, now: datetime
) -> Notes:
    del command
    here = situation(records, table.key)
    if here.fight is None:
        return (Note("no_fight"),)
    rounds.end_fight(records, table, here.fight, now, reason="by_command", by=version.author_id)
    return ()


def answer(
    records: Records, table: Table, version: PostRow, code: str, choice: str, now: datetime
) -> Notes:
    """Answer a question: a choice by its owner or the game master, a ruling by the game master."""
    question = _question(records, table, version, code)
    if question is None:
        return (Note("unknown_question", {"given": code}),)
    is_master = version.author_id in table.seats.masters
    owner = str(question.data.get("who", ""))
    owns = question.kind == "choice" and owner in table.seats.players.get(version.author_id, ())
    if not (is_master or owns):
        return (Note("not_your_question", {"code": question.code}),)
    if question.answer is not None or not _is_open(records, question, now):
        return (Note("question_closed", {"code": question.code}),)
    chosen = choice
    if question.kind == "choice":
        options = [str(option) for option in question.data["options"]]
        chosen = _option(table, options, choice)
        if not chosen:
            words = [table.telling.option(option) for option in options]
            return (
                Note(
                    "unknown_option", {"given": choice, "candidates": words, "code": question.code}
                ),
            )
    records.set_question(question.id, answer=chosen, answered_by=version.author_id, answered_at=now)
    log(
        records,
        table,
        now,
        "answered",
        version.author_id,
        code=question.code,
        answer=chosen,
        serial=records.round(question.round).serial,
        label=question.label,
        question=question.kind,
    )
    kind = "ruled" if question.kind == "ruling" else "answered"
    return (
        Note(
            kind,
            {
                "code": question.code,
                "answer": choice,
                "actor": str(question.data.get("actor", owner)),
            },
        ),
    )


def _question(records: Records, table: Table, version: PostRow, code: str) -> QuestionRow | None:
    """The question that an answer means; without a code the only one that is open to its author."""
    if code:
        return records.question_by_code(table.key, code.strip().upper())
    here = situation(records, table.key)
    if here.round is None:
        return None
    own = table.seats.players.get(version.author_id, ())
    is_master = version.author_id in table.seats.masters
    open_ = [
        question
        for question in _open_questions(records, here.round)
        if is_master or question.data.get("who") in own
    ]
    return open_[0] if len(open_) == 1 else None


def _is_open(records: Records, question: QuestionRow, now: datetime) -> bool:
    round_ = records.round(question.round)
    if question.kind == "ruling":
        # A ruling may come late: it is kept as a precedent, its effect is a correction.
        return True
    return round_.status == "asking" and (question.deadline is None or question.deadline > now)


def _option(table: Table, options: Sequence[str], choice: str) -> str:
    wanted = fold(choice)
    for option in options:
        if wanted in {fold(option), fold(table.telling.option(option))}:
            return option
    return ""


def _answer(
    records: Records, table: Table, version: PostRow, command: Command, now: datetime
) -> Notes:
    chosen = command.get("choice") or command.get("reason")
    return answer(records, table, version, command.get("question"), chosen, now)


def _publish(
    records: Records, table: Table, version: PostRow, command: Command, now: datetime
) -> Notes:
    """Let the posts go that wait for the game master's leave."""
    del command
    waiting = [row for row in records.unsent(table.key) if row.state == "review"]
    for row in waiting:
        records.set_outbox(row.id, state="pending")
    if not waiting:
        return (Note("nothing_to_publish"),)
    log(records, table, now, "published", version.author_id, outbox=[row.id for row in waiting])
    return (Note("published", {"count": len(waiting)}),)


def amend_claims(
    records: Records,
    table: Table,
    version: PostRow,
    round_: RoundRow,
    declarations: Sequence[Declaration],
    now: datetime,
) -> Notes:
    """In a round that is played again the game master may replace what a character declared.

    The public input stays that of the first lock, so no die moves.
    """
    by_actor: dict[str, list[Declaration]] = {}
    for declaration in declarations:
        by_actor.setdefault(declaration.actor, []).append(declaration)
    notes = []
    for actor, replaced in by_actor.items():
        facts: dict[str, Any] = {
            "actor": actor,
            "words": [d.words for d in replaced],
            "declarations": [declaration_json(d) for d in replaced],
        }
        _amend(
            records,
            table,
            records.round(round_.id),
            now,
            version,
            "redeclared",
            facts,
            facts["words"],
        )
        notes.append(Note("redeclared", {"actor": actor, "words": " ".join(facts["words"])}))
    return tuple(notes)


def _amend(
    records: Records,
    table: Table,
    round_: RoundRow,
    now: datetime,
    version: PostRow,
    kind: str,
    facts: Mapping[str, Any],
    tags: Sequence[str],
) -> None:
    """Add to the record of what the game master changed in a round, with the tags that did it."""
    amendment = {
        "kind": kind,
        "by": version.author_id,
        "post_id": version.post_id,
        "tags": list(tags),
        **facts,
    }
    records.set_round(round_.id, amendments=[*round_.amendments, amendment])
    log(
        records,
        table,
        now,
        kind,
        version.author_id,
        serial=round_.serial,
        post=version.post_id,
        **facts,
    )


def _refusal(rejection: Rejection, command: Command) -> Note:
    return Note(
        rejection.code,
        {**rejection.facts, "words": command.words, "actor": rejection.declaration.actor},
    )


def _cast_name(table: Table, given: str) -> str:
    wanted = fold(given)
    return next((name for name in table.seats.cast if fold(name) == wanted), given)


Handler = Callable[[Records, Table, PostRow, Command, datetime], Notes]
_COMMANDS: Final[Mapping[str, Handler]] = {
    "start": _start,
    "close": _close,
    "deadline": _deadline,
    "pause": _pause,
    "resume": _resume,
    "mod": _mod,
    "correct": _correct,
    "undo": _undo,
    "answer": _answer,
    "end": _end,
    "publish": _publish,
}
