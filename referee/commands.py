"""The game master's commands: the same whether they come as tags or from the command line.

Each returns notes for the thread. A command that cannot be carried out changes nothing and says
why; a command that was carried out is in the log with who and when.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from referee import rounds
from referee.declaring import declaration_json
from referee.evidence import MOST_SIDES
from referee.storage.records import PostRow, QuestionRow, RoundRow
from referee.table import Note, Sitting, Situation
from referee.tags import Command
from rulesets.core.declarations import Declaration, fold
from rulesets.core.events import as_json
from rulesets.core.questions import Correction, Rejection, SetupError

Notes = tuple[Note, ...]

MOST_SET: Final = 20
"""Most dice of one roll that can be set."""


def carry_out(at: Sitting, version: PostRow, command: Command) -> Notes:
    """Do what a command says, or say why not."""
    here = at.situation()
    wrong = _wrong_round(here, command)
    if wrong:
        return wrong
    return _COMMANDS[command.verb](at, version, command)


def _wrong_round(here: Situation, command: Command) -> Notes:
    """A command that names its round does nothing in another one, so it cannot strike twice."""
    named = command.get("round")
    if not named:
        return ()
    number = here.round.number if here.round is not None else 0
    if named.strip().isdecimal() and int(named) == number:
        return ()
    return (Note("wrong_round", {"given": named, "round": number}),)


def _start(at: Sitting, version: PostRow, command: Command) -> Notes:
    del command
    if at.situation().fight is not None:
        return (Note("already_started"),)
    try:
        # Declarations in the same post as the command count too.
        rounds.begin_fight(at, after=version.first_sequence - 1, by=version.author_id)
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


def _close(at: Sitting, version: PostRow, command: Command) -> Notes:
    del command
    here = at.situation()
    round_ = here.round
    if round_ is None:
        return (Note("no_fight"),)
    by = version.author_id
    match round_.status:
        case "declaring" if round_.opens_after is not None:
            rounds.lock(at, round_, "closed", up_to=version.sequence, by=by)
            return ()
        case "reopened":
            at.records.set_round(round_.id, status="locked")
            at.log("closed_again", by, serial=round_.serial)
            return ()
        case "asking" | "ruling":
            for question in _open_questions(at, round_):
                at.records.set_question(question.id, deadline=at.now)
            at.log("questions_closed", by, serial=round_.serial)
            return ()
        case "locked" if rounds.awaits_beacon(round_):
            return (Note("beacon_waits", {"beacon": round_.locked["beacon"]["round"]}),)
        case _:
            return (Note("nothing_to_close"),)


def _open_questions(at: Sitting, round_: RoundRow) -> list[QuestionRow]:
    return [question for question in at.records.questions(round_.id) if question.answer is None]


def _deadline(at: Sitting, version: PostRow, command: Command) -> Notes:
    here = at.situation()
    if here.declaring is None:
        return (Note("nothing_to_close"),)
    until = at.table.house.read_deadline(command.get("until"), at.now, here.declaring.deadline)
    if isinstance(until, str):
        code = "deadline_past" if until == "in_the_past" else "bad_deadline"
        return (Note(code, {"given": command.get("until")}),)
    at.records.set_round(here.declaring.id, deadline=until, locks_at=at.table.house.locks_at(until))
    at.log(
        "deadline_set",
        version.author_id,
        serial=here.declaring.serial,
        until=until.isoformat(),
    )
    return (Note("deadline_set", {"until": until.isoformat()}),)


def _pause(at: Sitting, version: PostRow, command: Command) -> Notes:
    thread = at.records.thread(at.key)
    if thread is None or thread.paused_at is not None:
        return (Note("already_paused"),)
    at.records.set_thread(at.key, paused_at=at.now)
    at.log("paused", version.author_id, reason=command.get("reason"))
    return (Note("paused", {"reason": command.get("reason")}),)


def _resume(at: Sitting, version: PostRow, command: Command) -> Notes:
    del command
    thread = at.records.thread(at.key)
    if thread is None or thread.paused_at is None:
        return (Note("not_paused"),)
    # Everything that was to happen moves by the length of the pause: no drift, no lost hours.
    length = at.now - thread.paused_at
    here = at.situation()
    if here.round is not None:
        if here.round.deadline is not None:
            deadline = here.round.deadline + length
            at.records.set_round(
                here.round.id, deadline=deadline, locks_at=at.table.house.locks_at(deadline)
            )
        for question in _open_questions(at, here.round):
            if question.deadline is not None:
                at.records.set_question(question.id, deadline=question.deadline + length)
    at.records.set_thread(at.key, paused_at=None)
    at.log("resumed", version.author_id)
    return (Note("resumed"),)


def _mod(at: Sitting, version: PostRow, command: Command) -> Notes:
    here = at.situation()
    if here.round is None or here.round.status not in {"declaring", "reopened"}:
        return (Note("nothing_to_modify"),)
    given = command.get("value").replace(" ", "")
    try:
        value = int(given)
    except ValueError:
        return (Note("bad_value", {"given": given, "words": command.words}),)
    name = _cast_name(at, command.get("character"))
    label = f"{name}.{command.get('roll')}"
    result = at.table.ruleset.modify(at.table.load(here.round.state_opened), label, value)
    if isinstance(result, Rejection):
        return (_refusal(result, command),)
    facts = {
        "actor": name,
        "roll": command.get("roll"),
        "value": value,
        "reason": command.get("reason"),
    }
    _amend(at, here.round, version, "modified", facts, [command.words])
    at.records.set_round(here.round.id, state_opened=at.table.ruleset.dump(result.fight))
    return (Note("modified", facts),)


def _set_die(at: Sitting, version: PostRow, command: Command) -> Notes:
    """Say what the first dice of a roll of this round show: visible wherever the roll is shown."""
    here = at.situation()
    if here.round is None or here.round.status not in {"declaring", "reopened"}:
        return (Note("no_die_to_set"),)
    given = command.get("faces")
    faces = [int(face) for face in given.replace(",", " ").split() if face.isdecimal()]
    wrong = len(faces) != len(given.replace(",", " ").split()) or not 1 <= len(faces) <= MOST_SET
    if wrong or not all(1 <= face <= MOST_SIDES for face in faces):
        return (Note("bad_faces", {"given": given}),)
    name = _cast_name(at, command.get("character"))
    facts = {
        "actor": name,
        "roll": command.get("roll"),
        "label": f"{name}.{command.get('roll')}",
        "faces": faces,
        "value": ", ".join(str(face) for face in faces),
        "reason": command.get("reason"),
    }
    _amend(at, here.round, version, "die_set", facts, [command.words])
    return (Note("die_set", facts),)


def _correct(at: Sitting, version: PostRow, command: Command) -> Notes:
    """Change a character's state: visible, with a reason, and all or nothing."""
    here = at.situation()
    if here.fight is None:
        return (Note("no_fight"),)
    name = _cast_name(at, command.get("character"))
    open_ = here.round is not None and here.round.status in {
        "declaring",
        "locked",
        "asking",
        "reopened",
    }
    state = here.round.state_opened if open_ and here.round is not None else here.fight.state
    fight = at.table.load(state)
    if not command.pairs:
        return (Note("nothing_to_correct", {"words": command.words}),)
    events: list[dict[str, Any]] = []
    for field, value in command.pairs:
        result = at.table.ruleset.correct(
            fight, Correction(name, field, value, command.get("reason"))
        )
        if isinstance(result, Rejection):
            return (_refusal(result, command),)
        events.extend(as_json(event) for event in result.events)
        fight = result.fight
    dumped = at.table.ruleset.dump(fight)
    if here.round is not None:
        if open_:
            at.records.set_round(here.round.id, state_opened=dumped)
        else:
            at.records.set_round(here.round.id, state_after=dumped)
        facts = {
            "actor": name,
            "events": events,
            "reason": command.get("reason"),
            "pairs": [list(pair) for pair in command.pairs],
            "open": open_,
        }
        _amend(at, here.round, version, "corrected", facts, [command.words])
    if not open_:
        at.records.set_fight(here.fight.id, state=dumped)
    return tuple(Note("corrected", {**event, "reason": command.get("reason")}) for event in events)


def _skip_beacon(at: Sitting, version: PostRow, command: Command) -> Notes:
    """Go on without the beacon that a lock has named: it stands in the evidence for good."""
    round_ = at.situation().round
    if round_ is None or not rounds.awaits_beacon(round_):
        return (Note("no_beacon_awaited"),)
    facts = {"beacon": round_.locked["beacon"]["round"], "reason": command.get("reason")}
    _amend(at, round_, version, "beacon_refused", facts, [command.words])
    rounds.go_without_beacon(at, at.records.round(round_.id), version.author_id)
    return (Note("beacon_skipped", facts),)


def _undo(at: Sitting, version: PostRow, command: Command) -> Notes:
    open_ = at.situation().round
    if open_ is not None and rounds.has_announced(open_):
        return (Note("undo_after_beacon", {"round": open_.number}),)
    target = rounds.undo(at, version.author_id)
    if target is None:
        return (Note("nothing_to_undo"),)
    at.note(
        at.records.round(target.id),
        Note("undone", {"round": target.number, "reason": command.get("reason")}),
    )
    return ()


def _end(at: Sitting, version: PostRow, command: Command) -> Notes:
    del command
    here = at.situation()
    if here.fight is None:
        return (Note("no_fight"),)
    rounds.end_fight(at, here.fight, reason="by_command", by=version.author_id)
    return ()


def answer(at: Sitting, version: PostRow, code: str, choice: str) -> Notes:
    """Answer a question: a choice by its owner or the game master, a ruling by the game master."""
    question = _question(at, version, code)
    if question is None:
        return (Note("unknown_question", {"given": code}),)
    is_master = version.author_id in at.table.seats.masters
    owner = str(question.data.get("who", ""))
    owns = question.kind == "choice" and owner in at.table.seats.players.get(version.author_id, ())
    if not (is_master or owns):
        return (Note("not_your_question", {"code": question.code}),)
    if question.answer is not None or not _is_open(at, question):
        return (Note("question_closed", {"code": question.code}),)
    chosen = choice
    if question.kind == "choice":
        options = [str(option) for option in question.data["options"]]
        chosen = _option(at, options, choice)
        if not chosen:
            words = [at.table.telling.option(option) for option in options]
            return (
                Note(
                    "unknown_option", {"given": choice, "candidates": words, "code": question.code}
                ),
            )
    at.records.set_question(
        question.id, answer=chosen, answered_by=version.author_id, answered_at=at.now
    )
    at.log(
        "answered",
        version.author_id,
        code=question.code,
        answer=chosen,
        serial=at.records.round(question.round).serial,
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


def _question(at: Sitting, version: PostRow, code: str) -> QuestionRow | None:
    """The question that an answer means; without a code the only one that is open to its author."""
    if code:
        return at.records.question_by_code(at.key, code.strip().upper())
    here = at.situation()
    if here.round is None:
        return None
    own = at.table.seats.players.get(version.author_id, ())
    is_master = version.author_id in at.table.seats.masters
    open_ = [
        question
        for question in _open_questions(at, here.round)
        if is_master or question.data.get("who") in own
    ]
    return open_[0] if len(open_) == 1 else None


def _is_open(at: Sitting, question: QuestionRow) -> bool:
    round_ = at.records.round(question.round)
    if question.kind == "ruling":
        # A ruling may come late: it is kept as a precedent, its effect is a correction.
        return True
    return round_.status == "asking" and (question.deadline is None or question.deadline > at.now)


def _option(at: Sitting, options: Sequence[str], choice: str) -> str:
    wanted = fold(choice)
    for option in options:
        if wanted in {fold(option), fold(at.table.telling.option(option))}:
            return option
    return ""


def _answer(at: Sitting, version: PostRow, command: Command) -> Notes:
    chosen = command.get("choice") or command.get("reason")
    return answer(at, version, command.get("question"), chosen)


def _publish(at: Sitting, version: PostRow, command: Command) -> Notes:
    """Let the posts go that wait for the game master's leave."""
    del command
    waiting = [row for row in at.records.unsent(at.key) if row.state == "review"]
    for row in waiting:
        at.records.set_outbox(row.id, state="pending")
    if not waiting:
        return (Note("nothing_to_publish"),)
    at.log("published", version.author_id, outbox=[row.id for row in waiting])
    return (Note("published", {"count": len(waiting)}),)


def amend_claims(
    at: Sitting,
    version: PostRow,
    round_: RoundRow,
    declarations: Sequence[Declaration],
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
            at,
            at.records.round(round_.id),
            version,
            "redeclared",
            facts,
            facts["words"],
        )
        notes.append(Note("redeclared", {"actor": actor, "words": " ".join(facts["words"])}))
    return tuple(notes)


def _amend(
    at: Sitting,
    round_: RoundRow,
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
    at.records.set_round(round_.id, amendments=[*round_.amendments, amendment])
    at.log(
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


def _cast_name(at: Sitting, given: str) -> str:
    wanted = fold(given)
    return next((name for name in at.table.seats.cast if fold(name) == wanted), given)


Handler = Callable[[Sitting, PostRow, Command], Notes]
_COMMANDS: Final[Mapping[str, Handler]] = {
    "start": _start,
    "close": _close,
    "deadline": _deadline,
    "pause": _pause,
    "resume": _resume,
    "mod": _mod,
    "set_die": _set_die,
    "correct": _correct,
    "skip_beacon": _skip_beacon,
    "undo": _undo,
    "answer": _answer,
    "end": _end,
    "publish": _publish,
}
