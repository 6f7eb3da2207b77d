"""The public beacon that a locked round may wait for: asked for politely, beside all visits.

A value is taken only if it bears its chain's signature. While no server gives one the round waits,
the next try comes later each time, and ``referee status`` says why.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from adapters.base import Answer
from adapters.errors import AdapterError
from referee.evidence import CHAIN_HASH, Checker, is_signature, published_at
from referee.rounds import awaits_beacon, take_beacon
from referee.storage.records import Records, RoundRow
from referee.table import Note, Sitting, Table, situation
from referee.visiting import Client

SITE: Final = "drand:quicknet"
"""Where the store keeps what went wrong; no site of a config can have such a name."""

FIRST_WAIT: Final = timedelta(seconds=5)
LONGEST_WAIT: Final = timedelta(minutes=10)
PATIENCE: Final = timedelta(minutes=10)
"""After so long the thread is told why its round has not been resolved."""
SPREAD: Final = timedelta(seconds=2)
"""A value takes a moment to reach the servers."""
MOST_CHARS: Final = 10_000


CURES: Final = ("install_beacon", "beacon_unreachable", "beacon_false")
"""What can be done where no value comes, as codes for messages."""


class NoBeaconError(Exception):
    """No server gave the value.

    Attributes:
        facts: ``code`` and ``cure`` of the last server's trouble, as errors of sites are kept.
    """

    def __init__(self, facts: dict[str, Any]) -> None:
        """Keep what the last server said."""
        super().__init__(facts.get("code", ""))
        self.facts = facts


@dataclass(slots=True)
class BeaconDesk:
    """The beacon's servers.

    Attributes:
        http: The polite client; it has no account anywhere.
        servers: Addresses, the first one first.
        check: Checks signatures; None where the extra ``beacon`` is not installed.
    """

    http: Client
    servers: Sequence[str]
    check: Checker | None

    async def value(self, number: int) -> str:
        """The signature of a round of the chain, checked.

        Raises:
            NoBeaconError: no server has it, or what they have is not the chain's.
        """
        if self.check is None:
            raise NoBeaconError({"code": "NoLibrary", "cure": "install_beacon"})
        facts: dict[str, Any] = {"code": "NoServer", "cure": "beacon_unreachable"}
        for server in self.servers:
            url = f"{server}/{CHAIN_HASH}/public/{number}"
            try:
                answer = await self.http.get(url)
                signature = _signature(answer, number)
            except AdapterError as error:
                facts = {
                    "code": type(error).__name__,
                    "cure": "beacon_unreachable",
                    "url": error.url,
                }
                continue
            if signature and self.check(number, signature):
                return signature
            cure = "beacon_false" if signature else "beacon_unreachable"
            facts = {"code": "BadBeacon", "cure": cure, "url": url}
        raise NoBeaconError(facts)


def _signature(answer: Answer, number: int) -> str:
    """The signature that a server gives for a round, or nothing."""
    if answer.status != 200 or len(answer.text) > MOST_CHARS:
        return ""
    data = answer.json()
    if not isinstance(data, dict) or data.get("round") != number:
        return ""
    signature = data.get("signature")
    return signature if isinstance(signature, str) and is_signature(signature) else ""


def due_at(number: int) -> datetime:
    """When it makes sense to ask for a round's value."""
    return datetime.fromtimestamp(published_at(number), UTC) + SPREAD


@dataclass(frozen=True, slots=True)
class Waiting:
    """A round that waits for its beacon.

    Attributes:
        thread: Its thread.
        serial: Which round, counted through the thread.
        number: Which round of the chain.
    """

    thread: str
    serial: int
    number: int


def waiting(records: Records, thread: str) -> Waiting | None:
    """What a thread waits for."""
    round_ = _waiting(records, thread)
    if round_ is None:
        return None
    return Waiting(thread, round_.serial, int(round_.locked["beacon"]["round"]))


def _waiting(records: Records, thread: str) -> RoundRow | None:
    round_ = situation(records, thread).round
    return round_ if round_ is not None and awaits_beacon(round_) else None


def keep(
    records: Records, thread: str, table: Table, now: datetime, found: Waiting, signature: str
) -> bool:
    """Give a round the value it has waited for; False where it waits no longer."""
    round_ = _waiting(records, thread)
    if round_ is None or waiting(records, thread) != found:
        return False
    take_beacon(Sitting(records, table, now), round_, signature)
    _set_site(records, error={}, failures=0, retry_at=None)
    return True


def missed(records: Records, thread: str, now: datetime, facts: dict[str, Any]) -> datetime:
    """Keep why there is no value; returns when to ask again."""
    del thread
    row = records.site(SITE)
    failures = 1 if row is None else row.failures + 1
    again = now + min(FIRST_WAIT * (1 << min(failures - 1, 12)), LONGEST_WAIT)
    _set_site(records, error=facts, failures=failures, retry_at=again)
    return again


def _set_site(records: Records, **values: Any) -> None:
    row = records.site(SITE)
    if row is not None or values["error"]:
        records.set_site(SITE, **values)


def tell(records: Records, thread: str, table: Table, now: datetime) -> bool:
    """Say in the thread, once, that a round has waited for long; True when it was said."""
    round_ = _waiting(records, thread)
    if round_ is None or round_.locked_at is None or now - round_.locked_at < PATIENCE:
        return False
    note = Note("beacon_waits", {"beacon": round_.locked["beacon"]["round"]})
    if note.as_json() in round_.notes:
        return False
    Sitting(records, table, now).note(round_, note)
    return True
