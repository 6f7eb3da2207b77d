"""``referee audit``: play a thread again from its log, and name the first difference.

``evidence.audit`` checks the chain, the secrets, the public inputs and every die; what it cannot
know is what a round is. That is played again here, entry by entry, and at the end the evidence in
the thread's own posts is compared with what was meant to stand there.
"""

from collections.abc import Iterator
from typing import Any

from referee.app import App
from referee.evidence import AuditReport, audit, find_blocks, signature_checker
from referee.replays import Replayed, Rules
from referee.storage.records import Records
from referee.table import Table
from referee.telling import locked_words


def audit_thread(app: App, key: str) -> dict[str, Any]:
    """Audit one thread.

    Returns:
        ``good``, counts of ``entries``, ``rounds``, ``dice``, ``beacons`` and of those whose
        signature could not be checked (``beacons_unchecked``), the first difference as
        ``number``, ``kind`` and ``what``, and as ``unplayed`` what was played by other rules than
        those at hand: its dice are checked, its outcome is not.
    """
    with app.store.reading() as records:
        site = records.site(app.config.threads[key].site)
        table = app.table(key, "" if site is None else site.referee_id)
        replay = Replayed(Rules(table.ruleset, table.tables, table.tables_hash))
        report = audit(
            key,
            [(row.entry, row.hash) for row in records.log(key)],
            {seed.name: seed.secret for seed in records.seeds(key)},
            locked_words,
            replay,
            check_beacon=signature_checker(),
        )
        kind, what = "", ""
        if report.first is None:
            found = (
                ("store", next(_stored(records, key), "")),
                ("post", next(_posts(records, table), "")),
            )
            kind, what = next((one for one in found if one[1]), ("", ""))
    return told(key, report, replay, kind, what)


def told(
    key: str, report: AuditReport, replay: Replayed, kind: str = "", what: str = ""
) -> dict[str, Any]:
    """An audit as plain data; ``kind`` and ``what`` are a difference outside of the log."""
    first = report.first
    if first is not None:
        kind, what = first.kind, f"{first.code} {first.where}".strip()
    data: dict[str, Any] = {
        "thread": key,
        "good": not what,
        "entries": report.entries,
        "rounds": report.rounds,
        "dice": report.dice,
        "beacons": report.beacons,
        "beacons_unchecked": report.unchecked,
        "unplayed": [one.as_json() for one in replay.unplayed],
    }
    if what:
        data.update(number=0 if first is None else first.number, kind=kind, what=what)
    return data


def _stored(records: Records, key: str) -> Iterator[str]:
    """Rounds that are stored otherwise than the log has them; the log's last word counts."""
    logged: dict[int, dict[str, Any]] = {}
    for row in records.log(key):
        entry = row.entry
        kept = logged.setdefault(entry.get("serial", 0), {})
        match entry["kind"]:
            case "round_opened":
                kept.update(opening=entry["outcome"], open_input=entry["input"])
            case "locked":
                kept.update(locked=entry["locked"], lock_input=entry["input"])
            case "beacon":
                lit = {**kept["locked"]["beacon"], "signature": entry["signature"]}
                locked = {**kept["locked"], "beacon": lit}
                kept.update(locked=locked, lock_input=entry["input"])
            case "beacon_skipped":
                kept.update(lock_input=entry["input"])
            case "resolved":
                kept.update(outcome=entry["outcome"], resolutions=entry["resolution"])
    for round_ in records.rounds(key):
        for name, value in logged.get(round_.serial, {"log": None}).items():
            if getattr(round_, name, None) != value:
                yield f"round {round_.serial} {name}"


def _posts(records: Records, table: Table) -> Iterator[str]:
    """The evidence that stands in the thread against the evidence that was to stand there."""
    meant: dict[str, str] = {}
    marks: dict[str, list[str]] = {}
    posted = [row for row in records.outbox(table.key) if row.state == "posted"]
    for row in sorted(posted, key=lambda row: (row.posted_at or row.made_at, row.id)):
        meant[row.mark] = row.text
        if row.post_id and not row.edits:
            # More than one where the forum has made one post of several.
            marks.setdefault(row.post_id, []).append(row.mark)
    posts = records.known(table.key, list(marks))
    for post_id, parts in marks.items():
        post = posts.get(post_id)
        if post is None:
            continue  # not read back yet
        if post.gone_at is not None:
            yield f"{post_id} gone"
            continue
        shown = find_blocks(f"{post.words}\n{post.set_aside}")
        if list(shown) != [block for mark in parts for block in find_blocks(meant[mark])]:
            yield f"{post_id} evidence"
