"""One step of a thread at a time: the next transition that is due.

``step`` is called again and again, each time in a transaction of its own, until nothing is left to
do; killed between two calls, it goes on where it stopped.
"""

from datetime import datetime
from enum import Enum

from referee import hearing, rounds
from referee.storage.records import Records, RoundRow
from referee.table import Situation, Table, log, situation


class Progress(Enum):
    """What a step did."""

    NOTHING = "nothing"
    DONE = "done"
    REREAD = "reread"  # a round can lock as soon as its posts have been read once more


def step(records: Records, table: Table, now: datetime, *, fresh: bool) -> Progress:
    """Make the next transition.

    Args:
        records: An open transaction.
        table: The thread.
        now: The moment.
        fresh: Whether every post of the open round has been read again in this visit: a round
            locks only then, so that an edit just before the lock is never missed.
    """
    thread = records.thread(table.key)
    if thread is None:
        raise LookupError(table.key)
    if records.seed(table.key, "lock.1") is None:
        rounds.introduce(records, table, now)
        return Progress.DONE
    if hearing.take_inbox(records, table, now):
        return Progress.DONE
    if hearing.hear_next(records, table, thread, now):
        return Progress.DONE
    if records.thread(table.key) != thread:
        return Progress.DONE  # a batch of posts without tags was looked through
    here = situation(records, table.key)
    if thread.paused_at is None:
        progress = _advance(records, table, here, now, fresh=fresh)
        if progress is not Progress.NOTHING:
            return progress
    if here.round is not None and rounds.refresh_status(records, table, here.round, now):
        return Progress.DONE
    return Progress.NOTHING


def _advance(
    records: Records, table: Table, here: Situation, now: datetime, *, fresh: bool
) -> Progress:
    fight, round_ = here.fight, here.round
    if fight is None or round_ is None:
        return Progress.NOTHING
    match round_.status:
        case "declaring":
            return _advance_declaring(records, table, round_, now, fresh=fresh)
        case "locked":
            rounds.resolve(records, table, round_, now)
            return Progress.DONE
        case "asking":
            if rounds.waits_for_answer(records.questions(round_.id), "choice", now):
                return Progress.NOTHING
            rounds.resolve(records, table, round_, now)
            return Progress.DONE
        case "ruling":
            if rounds.waits_for_answer(records.questions(round_.id), "ruling", now):
                return Progress.NOTHING
            records.set_round(round_.id, status="resolved")
            log(records, table, now, "rulings_closed", serial=round_.serial)
            return Progress.DONE
        case "resolved":
            if rounds.refresh_status(records, table, round_, now):
                return Progress.DONE
            if table.ruleset.over(table.load(fight.state)):
                rounds.end_fight(records, table, fight, now, reason="one_side_left")
            else:
                rounds.open_round(records, table, fight, now)
            return Progress.DONE
        case _:
            return Progress.NOTHING


def _advance_declaring(
    records: Records, table: Table, round_: RoundRow, now: datetime, *, fresh: bool
) -> Progress:
    if round_.opens_after is None:
        return Progress.DONE if rounds.find_beginning(records, table, round_) else Progress.NOTHING
    cause, settles_at = rounds.cause_to_lock(records, table, round_, now)
    if not cause:
        if settles_at == round_.settles_at:
            return Progress.NOTHING
        records.set_round(round_.id, settles_at=settles_at)
        return Progress.DONE
    if not fresh:
        return Progress.REREAD
    rounds.lock(records, table, round_, now, cause)
    return Progress.DONE


def something_due(records: Records, thread: str, now: datetime) -> bool:
    """Whether a transition could be due although no post has come: a cheap look before a visit."""
    here = situation(records, thread)
    round_ = here.round
    if round_ is None:
        return False
    if round_.status == "declaring":
        moments = (round_.locks_at, round_.settles_at)
        return round_.opens_after is None or any(
            moment is not None and moment <= now for moment in moments
        )
    if round_.status in {"asking", "ruling"}:
        return not any(
            question.answer is None and (question.deadline is None or question.deadline > now)
            for question in records.questions(round_.id)
        )
    return round_.status in {"locked", "resolved"}
