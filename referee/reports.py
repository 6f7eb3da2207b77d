"""What a game master asks of the store: plain data for tables and JSON. Reads, never writes."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from referee.beacons import SITE as BEACON_SITE
from referee.evidence import published_at
from referee.rounds import awaited, awaits_beacon, heard_so_far
from referee.storage.records import Records, RoundRow
from referee.table import Sitting, Table, situation


def status(
    records: Records,
    key: str,
    site: str,
    table: Table | None,
    now: datetime,
    quiet: datetime | None = None,
) -> dict[str, Any]:
    """Where a thread stands.

    Args:
        records: A look at the store.
        key: The thread.
        site: Its site.
        table: Its table, for who is missing; None where it cannot be built.
        now: The moment.
        quiet: When the site's quiet hours end, if it is night.
    """
    thread = records.thread(key)
    here = situation(records, key)
    round_ = here.round
    state = "none" if round_ is None else round_.status
    if thread is not None and thread.paused_at is not None:
        state = "paused"
    elif round_ is not None and awaits_beacon(round_):
        state = "beacon"
    missing: list[str] = []
    is_open = round_ is not None and round_.status == "declaring"
    if round_ is not None and is_open and table is not None:
        at = Sitting(records, table, now)
        missing = [c.name for c in awaited(at, round_, heard_so_far(at, round_))]
    unsent = records.unsent(key)
    return {
        "thread": key,
        "site": site,
        "state": state,
        "fight": None if here.fight is None else here.fight.id,
        "round": None if round_ is None else round_.number,
        "deadline": _moment(round_.deadline if round_ is not None and is_open else None),
        "missing": missing,
        "beacon": _beacon(records, round_),
        "read": _moment(None if thread is None else thread.read_at),
        "unsent": [
            {"kind": row.kind, "state": row.state, "error": dict(row.error)} for row in unsent
        ],
        "moderation": [
            {"kind": row.kind, "state": row.error["code"], "since": _moment(row.posted_at)}
            for row in records.moderated(key)
        ],
        "error": {} if thread is None else dict(thread.error),
        "quiet_until": _moment(quiet),
        "retry": _moment(None if thread is None else thread.retry_at),
    }


def _beacon(records: Records, round_: RoundRow | None) -> dict[str, Any] | None:
    """What a round waits for that is locked and has no dice yet, and what keeps it."""
    if round_ is None or not awaits_beacon(round_):
        return None
    site = records.site(BEACON_SITE)
    number = round_.locked["beacon"]["round"]
    return {
        **round_.locked["beacon"],
        "due": _moment(datetime.fromtimestamp(published_at(number), UTC)),
        "error": {} if site is None else dict(site.error),
        "retry": _moment(None if site is None else site.retry_at),
    }


def _moment(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat(timespec="seconds")


def log_rows(
    records: Records, key: str, kinds: Sequence[str] = (), by: str = ""
) -> list[dict[str, Any]]:
    """Entries of a thread's log, filtered."""
    return [
        {"number": row.number, "hash": row.hash, **row.entry}
        for row in records.log(key)
        if (not kinds or row.entry["kind"] in kinds) and (not by or row.entry.get("by") == by)
    ]


def summary(entry: Mapping[str, Any]) -> str:
    """What an entry says, in one line of facts."""
    skip = {"number", "hash", "kind", "at", "by", "setup", "state", "outcome", "locked", "commits"}
    facts = [f"{key}={_short(value)}" for key, value in entry.items() if key not in skip]
    return " ".join(facts)


def _short(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 60 else text[:59] + "…"


def find_round(records: Records, key: str, number: int | None) -> RoundRow | None:
    """A round of the newest fight by its number; the last one played or open without one."""
    rows = records.rounds(key)
    if not rows:
        return None
    if number is None:
        played = [row for row in rows if row.resolutions]
        return played[-1] if played else rows[-1]
    newest = rows[-1].fight
    return next((r for r in reversed(rows) if r.number == number and r.fight == newest), None)


def round_report(round_: RoundRow) -> dict[str, Any]:
    """A round as plain data: what was declared, what was rolled against what, what happened."""
    outcome = round_.outcome or {"events": [], "rolls": [], "rejections": [], "defaulted": []}
    return {
        "round": round_.number,
        "serial": round_.serial,
        "state": round_.status,
        "opened": _moment(round_.opened_at),
        "deadline": _moment(round_.deadline),
        "locked": _moment(round_.locked_at),
        "resolved": _moment(round_.resolved_at),
        "resolutions": round_.resolutions,
        "cause": round_.locked.get("cause", ""),
        "beacon": round_.locked.get("beacon"),
        "claims": round_.locked.get("claims", []),
        "standing": round_.locked.get("standing", []),
        "missing": round_.locked.get("missing", []),
        "amendments": list(round_.amendments),
        "rolls": [*round_.opening["rolls"], *outcome["rolls"]],
        "events": [*round_.opening["events"], *outcome["events"]],
        "rejections": outcome["rejections"],
        "defaulted": outcome["defaulted"],
    }
