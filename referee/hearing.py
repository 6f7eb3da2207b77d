"""What the referee does about tags as they are read: commands, free rolls, questions for help.

Versions are heard in the order in which they were seen, each once. What a round declares is not
kept here: ``declaring`` works it out from the same versions whenever it is asked.
"""

from collections.abc import Sequence

from referee import commands, hidden
from referee.declaring import LETTER, Said, said_in
from referee.freerolls import answer_rolls
from referee.storage.records import PostRow, RoundRow, ThreadRow
from referee.table import CONSOLE, Note, Sitting, Situation, tags_elsewhere
from referee.tags import Command, FreeRoll, HelpRequest, TagProblem
from rulesets.core.declarations import Declaration, Kind

BATCH = 200  # versions looked through in one transaction when none of them asks for anything


def take_inbox(at: Sitting) -> bool:
    """Give commands from the command line their place among the posts; True when there were any.

    A command line's words are a post of the game master's that stands on no page.
    """
    rows = at.records.inbox(at.key)
    for row in rows:
        post_id = console_post(row.id)
        sequence = at.records.next_sequence(at.key)
        at.records.add_post(
            at.key,
            post_id=post_id,
            sequence=sequence,
            author_id=CONSOLE,
            author_name=row.by,
            page_url="",
            url="",
            posted_at=row.made_at,
        )
        at.records.add_version(
            at.key,
            sequence=sequence,
            post_id=post_id,
            words=row.words,
            set_aside="",
            digest="",
            seen_at=at.now,
        )
        at.records.set_inbox(row.id, done_at=at.now)
    return bool(rows)


def console_post(row_id: int) -> str:
    """Post id of a command line's command."""
    return f"gm:{row_id}"


def hear_next(at: Sitting, thread: ThreadRow) -> bool:
    """Act on the next version that asks for something; True when one was acted on."""
    for version in at.records.versions(at.key, thread.heard)[:BATCH]:
        acted = version.author_id != at.table.referee_id and _hear(at, version)
        at.records.set_thread(at.key, heard=version.sequence)
        if acted:
            return True
    return False


def _hear(at: Sitting, version: PostRow) -> bool:
    here = at.situation()
    acted = _edited_after_lock(at, version, here)
    said = said_in(version, at.table.seats, at.table.vocabulary, tags_elsewhere(at))
    if version.post_id.startswith(LETTER):
        return acted  # a private message declares and does nothing else
    fresh = [s for s in said if not at.records.is_heard(at.key, s.post_id, s.key)]
    rolls = [s for s in fresh if isinstance(s.value, FreeRoll)]
    if rolls:
        answer_rolls(at, version, rolls)
        acted = True
    acted = _redeclared(at, version, fresh, here) or acted
    for item in fresh:
        if isinstance(item.value, FreeRoll):
            kind = "roll"
        elif isinstance(item.value, Command):
            hides = item.value.verb in hidden.COMMANDS
            notes = (hidden if hides else commands).carry_out(at, version, item.value)
            _answer(at, version, notes)
            kind, acted = "command", True
        elif isinstance(item.value, HelpRequest):
            _help(at, version, item.value)
            kind, acted = "help", True
        elif _needs_answer(at, version, item):
            kind, acted = "answered", True
        else:
            continue
        at.records.hear(at.key, item.post_id, item.key, kind, at.now)
    return acted


def _answer(at: Sitting, version: PostRow, notes: Sequence[Note]) -> None:
    """Tell what a command did: at the command line, in the status post, or in a post."""
    if not notes:
        return
    if version.author_id == CONSOLE:
        row = int(version.post_id.removeprefix("gm:"))
        at.records.set_inbox(row, answer=at.table.telling.plain(notes))
    here = at.situation()
    if here.round is not None and at.table.edits:
        at.note(here.round, *notes)
    elif version.author_id != CONSOLE:
        mark = at.new_mark()
        at.put_out("answer", mark, at.table.telling.answer(mark, notes=notes))


def _needs_answer(at: Sitting, version: PostRow, item: Said) -> bool:
    """Whether a tag that does nothing was answered with a post of its own.

    While a round takes declarations its status post says what is wrong, and keeps it up to date.
    Strangers' mistakes are nobody's business here, unless they act for somebody's character.
    """
    here = at.situation()
    if here.declaring is not None and at.table.edits:
        return _late(at, version, item, here.declaring)
    if isinstance(item.value, TagProblem):
        if not at.table.seats.knows(version.author_id):
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
    mark = at.new_mark()
    text = at.table.telling.answer(mark, notes=notes, problems=problems, author=version.author_name)
    at.put_out("answer", mark, text)
    return True


def _late(at: Sitting, version: PostRow, item: Said, declaring: RoundRow) -> bool:
    """A declaration before its round's status post came too late for the round before."""
    if not isinstance(item.value, Declaration) or item.value.kind is not Kind.ACTION:
        return False
    begins = declaring.opens_after
    if begins is None or version.first_sequence > begins:
        return False
    fight = at.records.fight(declaring.fight)
    if version.first_sequence <= fight.began_after:
        return False
    at.note(declaring, Note("after_lock", {"words": item.words, "actor": item.value.actor}))
    return True


def _edited_after_lock(at: Sitting, version: PostRow, here: Situation) -> bool:
    """Report once that a post that counted in a locked round says something else at.now."""
    if version.sequence == version.first_sequence or here.round is None:
        return False
    for round_ in reversed(at.records.rounds(at.key)):
        if round_.lock_sequence is None or version.sequence <= round_.lock_sequence:
            continue
        claims = [c for c in round_.locked["claims"] if c["post_id"] == version.post_id]
        if not claims:
            continue
        words = {s.words for s in said_in(version, at.table.seats, at.table.vocabulary)}
        changed = [c for c in claims if not set(c["words"]) <= words]
        if not changed:
            return False
        code = "deleted_after_lock" if version.gone_at is not None else "edited_after_lock"
        at.log(
            code,
            version.author_id,
            post=version.post_id,
            serial=round_.serial,
            digest=version.digest,
        )
        at.note(
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
    at: Sitting,
    version: PostRow,
    fresh: Sequence[Said],
    here: Situation,
) -> bool:
    """In a round that is played again, what the game master declares replaces what was declared."""
    if here.round is None or here.round.status != "reopened":
        return False
    if version.author_id not in at.table.seats.masters:
        return False
    actions = [
        item.value
        for item in fresh
        if isinstance(item.value, Declaration) and item.value.kind is Kind.ACTION
    ]
    if not actions:
        return False
    notes = commands.amend_claims(at, version, here.round, actions)
    _answer(at, version, notes)
    return True


def _help(at: Sitting, version: PostRow, request: HelpRequest) -> None:
    if version.author_id == CONSOLE:
        row = int(version.post_id.removeprefix("gm:"))
        at.records.set_inbox(row, answer=at.table.telling.help(request.topic))
        return
    mark = at.new_mark()
    at.put_out("answer", mark, at.table.telling.answer(mark, topic=request.topic))
