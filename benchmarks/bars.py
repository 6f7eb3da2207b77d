"""What a benchmark hands back, and how it is timed, shown and kept.

Every figure stands beside a yardstick measured in the same run on the same machine, so that it is
the ratio that is judged and a slower machine changes nothing.
"""

import json
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "var" / "benchmarks.json"


@dataclass(frozen=True, slots=True)
class Bar:
    """One comparison.

    Attributes:
        name: What is measured.
        ours: Our figure.
        yardstick: The figure it stands beside.
        against: What the yardstick is.
        unit: Of both figures.
        limit: The ratio ours / yardstick that must be kept; None where it is only for the record.
        kind: ``at_least`` for speeds, ``at_most`` for costs.
    """

    name: str
    ours: float
    yardstick: float
    against: str
    unit: str
    limit: float | None
    kind: Literal["at_least", "at_most"]

    @property
    def ratio(self) -> float:
        """Ours over the yardstick's."""
        return self.ours / self.yardstick

    @property
    def holds(self) -> bool:
        """Whether the limit is kept."""
        if self.limit is None:
            return True
        return self.ratio >= self.limit if self.kind == "at_least" else self.ratio <= self.limit


def alternately(
    ours: Callable[[], float], yardstick: Callable[[], float], repeats: int
) -> tuple[float, float]:
    """Medians of two figures measured in turns, so that a busy moment strikes both."""
    pairs = [(ours(), yardstick()) for _ in range(repeats)]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def per_second(work: Callable[[], object], seconds: float, batch: int) -> float:
    """How often ``work`` runs in a second, timed in batches until ``seconds`` have passed."""
    done = 0
    started = time.perf_counter()
    while True:
        for _ in range(batch):
            work()
        done += batch
        elapsed = time.perf_counter() - started
        if elapsed >= seconds:
            return done / elapsed


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def show(bars: Iterable[Bar]) -> None:
    """Print the table that a reader compares."""
    table = Table(title=f"Python {platform.python_version()}, {platform.machine()}")
    for heading in ("what", "ours", "yardstick", "unit", "ratio", "bar", ""):
        table.add_column(heading, justify="left" if heading in {"what", "unit"} else "right")
    for bar in bars:
        sign = "≥" if bar.kind == "at_least" else "≤"
        table.add_row(
            f"{bar.name}\n  [dim]{bar.against}[/dim]",
            _figure(bar.ours),
            _figure(bar.yardstick),
            bar.unit,
            f"{bar.ratio:.2f}",
            "" if bar.limit is None else f"{sign} {bar.limit:g}",
            ""
            if bar.limit is None
            else "[green]holds[/green]"
            if bar.holds
            else "[red]MISSES[/red]",
        )
    Console(width=120 if not sys.stdout.isatty() else None).print(table)


def keep(bars: Sequence[Bar], path: Path = RESULTS) -> None:
    """Write the figures where a program can compare them with an earlier run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [{**asdict(bar), "ratio": round(bar.ratio, 4), "holds": bar.holds} for bar in bars]
    document = {"python": platform.python_version(), "machine": platform.machine(), "bars": rows}
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def main(measure: Callable[[], Sequence[Bar]]) -> int:
    """Run one benchmark by itself; 1 where a bar is missed."""
    bars = measure()
    show(bars)
    return 0 if all(bar.holds for bar in bars) else 1
