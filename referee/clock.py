"""The one door to the wall clock; tests hand in their own."""

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time in UTC."""

    def now(self) -> datetime:
        """An aware moment in UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The machine's time."""
        return datetime.now(UTC)
