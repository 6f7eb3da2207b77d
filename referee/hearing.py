"""What the referee does about tags as they are read: commands, free rolls, questions for help.

Versions are heard in the order in which they were seen, each once. What a round declares is not
kept here: ``declaring`` works it out from the same versions whenever it is asked.
"""

from collections.abc import Sequence
from datetime import datetime

from referee import commands
from referee.declaring import Said, said_in
from referee.freerolls import answer_rolls
from referee.storage.records import PostRow, Records, RoundRow, ThreadRow
from referee.table import (
    CONSOLE,
    Note,
    Situation,
    Table,
    log,
    new_mark,
    note,
    put_out,
    situation,
    tags_elsewhere,
)
from referee.tags import Command, FreeRoll, HelpRequest, TagProblem
from rulesets.core.declarations import Declaration, Kind

BATCH = 200  # versions looked through in one transaction when none of them asks for anything


def take_inbox(records: Records, table: Table, now: datetime) -> bool:
    """Give commands from the command line their place among the posts; True when there were any.

    A command line's words are a post of the game master's that stands on no page.
    """
    rows = records.inbox(table.key)
    for row in rows:
        post_id = console_post(row.id)
        sequence = records.next_sequence(table.key)
        records.add_post(
            table.key,
            post_id=post_id,
            sequence=sequence,
            author_id=CONSOLE,
            author_name=row.by,
            page_url="",
            url="",
            posted_at=row.made_at,
        )
        records.add_version(
            table.key,
            sequence=sequence,
            post_id=post_id,
            words=row.words,
            set_aside="",
            digest="",
            seen_at=now,
        )
        records.set_inbox(row.id, done_at=now)
    return bool(rows)


def console_post(row_id: int) -> str:
    """Post id of a command line's command."""
    return f"gm:{row_id}"


def hear_next(records: Records, table: Table, thread: ThreadRow, now: datetime) -> bool:
    """Act on the next version that asks for something; True when one was acted on."""
    for version in records.versions(table.key, thread.heard)[:BATCH]:
        acted = version.author_id != table.referee_id and _hear(records, table, version, now)
        records.set_thread(table.key, heard=version.sequence)
        if acted:
            return True
    return False


def _hear(records: Records, table: Table, version: PostRow, now: datetime) -> bool:
    here = situation(records, table.key)
    acted = _edited_after_lock(records, table, version, here, now)
    said = said_in(version, table.seats, table.vocabulary, tags_elsewhere(records, table))
    fresh = [s for s in said if not records.is_heard(table.key, s.post_id, s.key)]
    rolls = [s for s in fresh if isinstance(s.value, FreeRoll)]
    if rolls:
        answer_rolls(records, table, version, rolls, now)
        acted = True
    acted = _redeclared(records, table, version, fresh, here, now) or acted
    for item in fresh:
        if isinstance(item.value, FreeRoll):
            kind = "roll"
        elif isinstance(item.value, Command):
            notes = commands.carry_out(records, table, version, item.value, now)
            _answer(records, table, version, notes, now)
            kind, acted = "command", True
        elif isinstance(item.value, HelpRequest):
            _help(records, table, version, item.value, now)
            kind, acted = "help", True
        elif _needs_answer(records, table, version, item, now):
            kind, acted = "answered", True
        else:
            continue
        records.hear(table.key, item.post_id, item.key, kind, now)
    return acted


def _answer(
    records: Records, table: Table, version: PostRow, notes: Sequence[Note], now: datetime
) -> None:
    """Tell what a command did: at the command line, in the status post, or in a post."""
    if not notes:
        return
    if version.author_id == CONSOLE:
        row = int(version.post_id.removeprefix("gm:"))
        records.set_inbox(row, answer=table.telling.plain(notes))
    here = situation(records, table.key)
    if here.round is not None and table.edits:
        note(records, here.round, *notes)
    elif version.author_id != CONSOLE:
        mark = new_mark(table)
        put_out(records, table, "answer", mark, table.telling.answer(mark, notes=notes), now)


def _needs_answer(
    records: Records, table: Table, version: PostRow, item: Said, now: datetime
) -> bool:
    """Whether a tag that does nothing was answered with a post of its own.

    While a round takes declarations its status post says what is wrong, and keeps it up to date.
    Strangers' mistakes are nobody's business here, unless they act for somebody's character.
    """
    here = situation(records, table.key)
    if here.declaring is not None and table.edits:
        return _late(records, table, version, item, here.declaring)
    if isinstance(item.value, TagProblem):
        if not table.seats.knows(version.author_id):
            return False
        problems: tuple[Said, ...] = (item,)
        notes: tuple[Note, ...] = ()
    elif isinstance(item.value, Declaration) and item.value.kind is Kind.ACTION:
        code = "no_fight" if here.fight is None else "after_lock"
        if here.declaring is not None:
            return False
        problems = ()
        notes = (Note(code, {"words": item.words, "actor": item.value.actor}),)
    else:
        return False
    mark = new_mark(table)
    text = table.telling.answer(mark, notes=notes, problems=problems, author=version.author_name)
    put_out(records, table, "answer", mark, text, now)
    return True


def _late(
    records: Records, table: Table, version: PostRow, item: Said, declaring: RoundRow
) -> bool:
    """A declaration that stands before its round's status post came too late for the round before."""
    if not isinstance(item.value, Declaration) or item.value.kind is not Kind.ACTION:
        return False
    begins = declaring.opens_after
    if begins is None or version.first_sequence > begins:
        return False
    fight = records.fight(declaring.fight)
    if version.first_sequence <= fight.began_after:
        return False
    note(records, declaring, Note("after_lock", {"words": item.words, "actor": item.value.actor}))
    return True


def _edited_after_lock(
    records: Records, table: Table, version: PostRow, here: Situation, now: datetime
) -> bool:
    """Report once that a post that counted in a locked round says something else now."""
    if version.sequence == version.first_sequence or here.round is None:
        return False
    for round_ in reversed(records.rounds(table.key)):
        if round_.lock_sequence is None or version.sequence <= round_.lock_sequence:
            continue
        claims = [c for c in round_.locked["claims"] if c["post_id"] == version.post_id]
        if not claims:
            continue
        words = {s.words for s in said_in(version, table.seats, table.vocabulary)}
        changed = [c for c in claims if not set(c["words"]) <= words]
        if not changed:
            return False
        code = "deleted_after_lock" if version.gone_at is not None else "edited_after_lock"
        log(
            records,
            table,
            now,
            code,
            version.author_id,
            post=version.post_id,
            serial=round_.serial,
            digest=version.digest,
        )
        note(
            records,
            here.round,
            Note(
                code,
                {
                    "actor": ", ".join(c["actor"] for c in changed),
                    "round": round_.number,
                    "author": version.author_name,
                    "words": " ".join(w for c in changed for w in c["words"]),
                },
            ),
        )
        return True
    return False


def _redeclared(
    records: Records,
    table: Table,
    version: PostRow,
    fresh: Sequence[Said],
    here: Situation,
    now: datetime,
) -> bool:
    """In a round that is played again, what the game master declares replaces what was declared."""
    if here.round is None or here.round.status != "reopened":
        return False
    if version.author_id not in table.seats.masters:
        return False
    actions = [
        item.value
        for item in fresh
        if isinstance(item.value, Declaration) and item.value.kind is Kind.ACTION
    ]
    if not actions:
        return False
    notes = commands.amend_claims(records, table, version, here.round, actions, now)
    _answer(records, table, version, notes, now)
    return True


def _help(
    records: Records, table: Table, version: PostRow, request: HelpRequest, now: datetime
) -> None:
    if version.author_id == CONSOLE:
        row = int(version.post_id.removeprefix("gm:"))
        records.set_inbox(row, answer=table.telling.help(request.topic))
        return
    mark = new_mark(table)
    put_out(records, table, "answer", mark, table.telling.answer(mark, topic=request.topic), now)
