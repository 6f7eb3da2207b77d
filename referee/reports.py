"""What a game master asks of the store: plain data for tables and JSON. Reads, never writes."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

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


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which entries of a log are asked for; what is empty leaves none out.

    Attributes:
        kinds: Of the entries.
        by: User id of who caused them.
        round: Number of the round that they belong to.
        about: A name that they hold.
    """

    kinds: Sequence[str] = ()
    by: str = ""
    round: int | None = None
    about: str = ""

    def takes(self, entry: Mapping[str, Any], number: int | None) -> bool:
        """Whether an entry of a round with this number is asked for."""
        return (
            (not self.kinds or entry["kind"] in self.kinds)
            and (not self.by or entry.get("by") == self.by)
            and (self.round is None or self.round == number)
            and self.about.casefold() in json.dumps(entry, ensure_ascii=False).casefold()
        )


def log_rows(records: Records, key: str, wanted: Wanted) -> list[dict[str, Any]]:
    """Entries of a thread's log, filtered, each with the number of its round."""
    numbers = {row.serial: row.number for row in records.rounds(key)}
    found = []
    for row in records.log(key):
        number = numbers.get(row.entry.get("serial", 0))
        if wanted.takes(row.entry, number):
            # An entry may have a ``number`` of its own: that of its round.
            place = {"number": row.number, "hash": row.hash, "round_number": number}
            found.append({**row.entry, **place})
    return found


def roll_rows(records: Records, key: str, wanted: Wanted) -> list[dict[str, Any]]:
    """Every roll that the log holds: when, in which round, whose, what it was made against.

    ``about`` is looked for in the roll's label, and a round that was played again has its rolls
    once for each telling.
    """
    whole = Wanted(wanted.kinds, wanted.by, wanted.round)
    rows = []
    for row in log_rows(records, key, whole):
        for roll in row.get("rolls") or row.get("outcome", {}).get("rolls", ()):
            if wanted.about.casefold() not in roll["label"].casefold():
                continue
            against = roll.get("against") or roll.get("plus") or {}
            rows.append(
                {
                    "number": row["number"],
                    "at": row["at"],
                    "kind": row["kind"],
                    "round_number": row["round_number"],
                    "label": roll["label"],
                    "sides": roll["sides"],
                    "faces": roll["faces"],
                    "against": against.get("value"),
                    "parts": parts_text(against),
                    "set": roll["label"] in row.get("set", {}),
                }
            )
    return rows


def parts_text(total: Mapping[str, Any]) -> str:
    """The parts of a figure in one line: ``+65 skill.swords -20 range.long``."""
    return " ".join(
        f"{part['value']:+d} {part['source']}"
        if part["step"] == "add"
        else f"{part['step']} {part['source']}"
        for part in total.get("parts", ())
    )


_UNTOLD: Final = frozenset(
    {"number", "hash", "round_number", "kind", "at", "by", "setup", "state", "commits", "tables"}
)


def summary(entry: Mapping[str, Any]) -> str:
    """What an entry says, in one line of facts."""
    facts = []
    for key, value in entry.items():
        if key in _UNTOLD:
            continue
        if key == "locked":
            facts.append(f"declared={_listed(one['actor'] for one in value['claims'])}")
            silent = [f"{one['actor']} ({one['policy']})" for one in value["missing"]]
            facts.append(f"missing={_listed(silent)}")
        elif key == "outcome":
            facts.append(f"rolls={len(value['rolls'])} events={len(value['events'])}")
        else:
            facts.append(f"{key}={_short(value)}")
    return " ".join(facts)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "—"


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


def round_report(records: Records, round_: RoundRow) -> dict[str, Any]:
    """A round as plain data: what was declared, what was rolled against what, what happened."""
    late = {"edited_after_lock", "deleted_after_lock"}
    entries = [row.entry for row in records.log(round_.thread)]
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
        "questions": [
            {"code": q.code, "kind": q.kind, "answer": q.answer, "by": q.answered_by, **q.data}
            for q in records.questions(round_.id)
        ],
        "changed_after_lock": [
            {"kind": one["kind"], "at": one["at"], "by": one["by"], "post_id": one["post"]}
            for one in entries
            if one["kind"] in late and one.get("serial") == round_.serial
        ],
        "rolls": [*round_.opening["rolls"], *outcome["rolls"]],
        "events": [*round_.opening["events"], *outcome["events"]],
        "rejections": outcome["rejections"],
        "defaulted": outcome["defaulted"],
    }
