"""One step of a thread at a time: the next transition that is due.

``step`` is called again and again, each time in a transaction of its own, until nothing is left to
do; killed between two calls, it goes on where it stopped.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from enum import Enum
from typing import Final

from referee import hearing, rounds
from referee.storage.records import FightRow, Glance, Records, RoundRow
from referee.table import Sitting, Situation, situation


class Progress(Enum):
    """What a step did."""

    NOTHING = "nothing"
    DONE = "done"
    REREAD = "reread"  # a round can lock as soon as its posts have been read once more


def step(at: Sitting, *, fresh: bool) -> Progress:
    """Make the next transition.

    Args:
        at: The sitting, in an open transaction of its own.
        fresh: Whether every post of the open round has been read again in this visit: a round
            locks only then, so that an edit just before the lock is never missed.
    """
    thread = at.records.thread(at.key)
    if thread is None:
        raise LookupError(at.key)
    if at.records.seed(at.key, "lock.1") is None:
        rounds.introduce(at)
        return Progress.DONE
    # The last of the three: a batch of posts without tags was looked through.
    if (
        hearing.take_inbox(at)
        or hearing.hear_next(at, thread)
        or at.records.thread(at.key) != thread
    ):
        return Progress.DONE
    here = at.situation()
    if thread.paused_at is None:
        progress = _advance(at, here, fresh=fresh)
        if progress is not Progress.NOTHING:
            return progress
    if here.round is not None and rounds.refresh_status(at, here.round):
        return Progress.DONE
    return Progress.NOTHING


def _advance(at: Sitting, here: Situation, *, fresh: bool) -> Progress:
    """What the newest round's state lets happen next."""
    fight, round_ = here.fight, here.round
    if fight is None or round_ is None:
        return Progress.NOTHING
    if round_.status == "declaring":
        return _declaring(at, round_, fresh=fresh)
    advance = _ADVANCE.get(round_.status)
    return Progress.NOTHING if advance is None else advance(at, fight, round_)


def _declaring(at: Sitting, round_: RoundRow, *, fresh: bool) -> Progress:
    if round_.opens_after is None:
        return Progress.DONE if rounds.find_beginning(at, round_) else Progress.NOTHING
    cause, settles_at = rounds.cause_to_lock(at, round_)
    if cause and not fresh:
        return Progress.REREAD
    if cause:
        rounds.lock(at, round_, cause)
    elif settles_at != round_.settles_at:
        at.records.set_round(round_.id, settles_at=settles_at)
    elif not rounds.tell_waiting(at, round_):
        return Progress.NOTHING
    return Progress.DONE


def _locked(at: Sitting, fight: FightRow, round_: RoundRow) -> Progress:
    del fight
    if rounds.awaits_beacon(round_):
        return Progress.NOTHING
    rounds.resolve(at, round_)
    return Progress.DONE


def _asking(at: Sitting, fight: FightRow, round_: RoundRow) -> Progress:
    if rounds.waits_for_answer(at, round_, "choice"):
        return Progress.NOTHING
    return _locked(at, fight, round_)


def _ruling(at: Sitting, fight: FightRow, round_: RoundRow) -> Progress:
    del fight
    if rounds.waits_for_answer(at, round_, "ruling"):
        return Progress.NOTHING
    at.records.set_round(round_.id, status="resolved")
    at.log("rulings_closed", serial=round_.serial)
    return Progress.DONE


def _resolved(at: Sitting, fight: FightRow, round_: RoundRow) -> Progress:
    if rounds.refresh_status(at, round_):
        return Progress.DONE
    if at.table.ruleset.over(at.table.load(fight.state)):
        rounds.end_fight(at, fight, reason="one_side_left")
    else:
        rounds.open_round(at, fight)
    return Progress.DONE


_ADVANCE: Final[Mapping[str, Callable[[Sitting, FightRow, RoundRow], Progress]]] = {
    "locked": _locked,
    "asking": _asking,
    "ruling": _ruling,
    "resolved": _resolved,
}


def something_due(records: Records, glance: Glance, now: datetime) -> bool:
    """Whether a transition could be due although no post has come: a cheap look before a visit."""
    if glance.status is None:
        return False
    if glance.status == "declaring":
        moments = (glance.locks_at, glance.settles_at)
        return glance.opens_after is None or any(
            moment is not None and moment <= now for moment in moments
        )
    if glance.status in {"asking", "ruling"}:
        round_ = situation(records, glance.thread.key).round
        return round_ is not None and not any(
            question.answer is None and (question.deadline is None or question.deadline > now)
            for question in records.questions(round_.id)
        )
    if glance.status == "locked":
        return glance.lock_input != ""  # else it waits for its beacon
    return glance.status == "resolved"
