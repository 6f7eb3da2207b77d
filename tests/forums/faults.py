"""What goes wrong between a referee and a forum, by a seed so that a run can be repeated."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Literal

Kind = Literal["read", "write"]


class Fault(StrEnum):
    """One thing that goes wrong with one request."""

    REPLY_LOST = "reply_lost"  # the post lands, then the connection closes
    ERROR_AFTER = "error_after"  # the post lands, then 500
    LATE = "late"  # the connection closes, the post lands some requests later, or a minute
    SILENT = "silent"  # the connection closes and nothing was done
    ERROR = "error"  # 500 and nothing was done
    CUT = "cut"  # half a page with status 200
    LOGIN_PAGE = "login_page"  # the login form with status 200, the session being alive
    FLOOD = "flood"  # "You cannot make another post so soon"
    MAINTENANCE = "maintenance"  # "this board is currently unavailable" with status 200
    NO_POSTS = "no_posts"  # a whole page of the board, but another one
    TOO_MANY = "too_many"  # 429 with Retry-After


WRITE_FAULTS: Final = (
    Fault.REPLY_LOST,
    Fault.ERROR_AFTER,
    Fault.LATE,
    Fault.SILENT,
    Fault.ERROR,
    Fault.CUT,
    Fault.LOGIN_PAGE,
    Fault.FLOOD,
    Fault.MAINTENANCE,
    Fault.TOO_MANY,
)
READ_FAULTS: Final = (
    Fault.SILENT,
    Fault.ERROR,
    Fault.CUT,
    Fault.LOGIN_PAGE,
    Fault.MAINTENANCE,
    Fault.TOO_MANY,
)


@dataclass
class FaultPlan:
    """Which request meets which fault.

    Faults asked for by name come first; then the seed decides, by the request's number and kind
    alone, so that the same requests meet the same faults however the threads run.

    Attributes:
        seed: Of the plan.
        read_rate: Share of reads that go wrong.
        write_rate: Share of posts that go wrong.
        until: Number of the request from which on nothing goes wrong by the seed; 0 for never.
        named: Faults to come, by kind of request, in order.
    """

    seed: int = 0
    read_rate: float = 0.0
    write_rate: float = 0.0
    until: int = 0
    named: dict[Kind, list[Fault]] = field(default_factory=lambda: {"read": [], "write": []})

    def next(self, fault: Fault, kind: Kind, times: int = 1) -> None:
        """Let the next requests of a kind meet a fault."""
        self.named[kind].extend([fault] * times)

    def of(self, number: int, kind: Kind) -> Fault | None:
        """The fault of a request, if any."""
        if self.named[kind]:
            return self.named[kind].pop(0)
        if self.until and number >= self.until:
            return None
        dice = random.Random(f"{self.seed}:{number}:{kind}")  # noqa: S311 - repeatable on purpose
        rate = self.write_rate if kind == "write" else self.read_rate
        if dice.random() >= rate:
            return None
        return dice.choice(WRITE_FAULTS if kind == "write" else READ_FAULTS)

    def delay(self, number: int) -> int:
        """How many requests later a late post lands."""
        return random.Random(f"{self.seed}:{number}:late").randint(1, 4)  # noqa: S311 - seeded on purpose

    @classmethod
    def of_json(cls, plan: Mapping[str, float]) -> "FaultPlan":
        """A plan from plain data: seed, read_rate, write_rate, until."""
        return cls(
            seed=int(plan.get("seed", 0)),
            read_rate=float(plan.get("read_rate", 0.0)),
            write_rate=float(plan.get("write_rate", 0.0)),
            until=int(plan.get("until", 0)),
        )
