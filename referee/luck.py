"""``referee luck``: what each player's dice have shown, beside what chance leads one to expect.

A die counts once however often its round was told again, and dice that the game master set do
not count. Nothing here proves that dice are fair: ``verify`` does that. It answers the player who
says that the referee hates him.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain
from random import Random
from typing import Any, Final

from referee.app import App

Key = tuple[str, str, int]
"""Player, character and sides; an empty name stands for all of them."""

SMALLEST_EXPECTED: Final = 5
"""Below this many expected of a face the chi-square curve says nothing: p is simulated instead."""
SIMULATIONS: Final = 4_000
SIMULATED_DRAWS: Final = 2_000_000
SUSPICIOUS: Final = 0.01
"""p, multiplied by the number of tests, below which a row is worth a look."""
MOST_BINS: Final = 20
_SPARKS: Final = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class Fairness:
    """How far faces are from equally likely.

    Attributes:
        statistic: Pearson's chi-square over all faces.
        p: How often fair dice come out at least as uneven, 0 to 1.
        simulated: Whether p was found by rolling fair dice rather than from the curve.
    """

    statistic: float
    p: float
    simulated: bool


@dataclass(frozen=True, slots=True)
class Luck:
    """The dice of one size that somebody rolled.

    Attributes:
        player: Whose; empty for the whole table.
        character: Whose; empty for all of the player's.
        sides: Of these dice.
        counts: How often each face came, from face 1 on.
        fairness: Whether that is uneven.
    """

    player: str
    character: str
    sides: int
    counts: tuple[int, ...]
    fairness: Fairness

    @property
    def rolled(self) -> int:
        """How many dice."""
        return sum(self.counts)

    @property
    def mean(self) -> float:
        """Mean of the faces."""
        return sum(face * n for face, n in enumerate(self.counts, 1)) / self.rolled

    @property
    def expected_mean(self) -> float:
        """Mean of a fair die."""
        return (self.sides + 1) / 2

    @property
    def mean_in_deviations(self) -> float:
        """How many standard deviations the mean is off: beyond 3 is rare."""
        deviation = math.sqrt((self.sides**2 - 1) / 12 / self.rolled)
        return (self.mean - self.expected_mean) / deviation

    @property
    def bins(self) -> tuple[tuple[int, int, int, float], ...]:
        """First face, last face, count and expected count, in at most 20 heaps."""
        width = -(-self.sides // (self.sides if self.sides <= MOST_BINS else 10))
        found = []
        for first in range(1, self.sides + 1, width):
            last = min(first + width - 1, self.sides)
            count = sum(self.counts[first - 1 : last])
            found.append((first, last, count, self.rolled * (last - first + 1) / self.sides))
        return tuple(found)

    @property
    def sparkline(self) -> str:
        """The heaps as one line of blocks; a full block is twice what was expected, or more."""
        tops = [min(count / expected / 2, 1) for _, _, count, expected in self.bins]
        return "".join(_SPARKS[round(top * (len(_SPARKS) - 1))] for top in tops)

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "player": self.player,
            "character": self.character,
            "sides": self.sides,
            "rolled": self.rolled,
            "counts": list(self.counts),
            "expected": self.rolled / self.sides,
            "mean": self.mean,
            "expected_mean": self.expected_mean,
            "mean_in_deviations": self.mean_in_deviations,
            "chi_square": self.fairness.statistic,
            "degrees_of_freedom": self.sides - 1,
            "p": self.fairness.p,
            "p_simulated": self.fairness.simulated,
        }


def thread_luck(app: App, key: str) -> list[Luck]:
    """All rows of a thread: the table, each player, each character; largest dice last."""
    with app.store.reading() as records:
        names = records.author_names(key)
        entries = [row.entry for row in records.log(key)]
    cast = app.table(key, "").telling.cast
    players = {seat.name: " / ".join(seat.players) for seat in cast}
    return list(luck(shown_dice(entries), players, names))


def shown_dice(entries: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str, int, int]]:
    """Every die of a log once: label, id of who asked for it (or nothing), sides, face."""
    seen: set[tuple[str, str]] = set()
    for entry in entries:
        match entry["kind"]:
            case "round_opened":
                seed, rolls = f"open.{entry['serial']}", entry["outcome"]["rolls"]
            case "resolved":
                seed, rolls = f"lock.{entry['serial']}", entry["outcome"]["rolls"]
            case "rolled":
                seed, rolls = entry["seed"], entry["rolls"]
            case _:
                continue
        set_by_hand = entry.get("set", {})
        for roll in rolls:
            label = roll["label"]
            if (seed, label) in seen or label in set_by_hand:
                continue
            seen.add((seed, label))
            by = entry["by"] if entry["kind"] == "rolled" else ""
            for sides, face in zip(roll["sides"], roll["faces"], strict=True):
                yield label, by, sides, face


def luck(
    dice: Iterable[tuple[str, str, int, int]],
    players: Mapping[str, str],
    names: Mapping[str, str],
) -> Iterator[Luck]:
    """Rows for the table, each player and each character.

    Args:
        dice: As ``shown_dice`` gives them.
        players: Names of its players by character; an empty name for the game master's own.
        names: Display names by user id, for free rolls of nobody's character.
    """
    counts: dict[Key, Counter[int]] = defaultdict(Counter)
    characters: dict[tuple[str, int], set[str]] = defaultdict(set)
    for label, by, sides, face in dice:
        character = label.rpartition(".")[0]
        player = players.get(character)
        if player is None:
            character, player = "", names.get(by, by)
        counts["", "", sides][face] += 1
        if player:
            counts[player, "", sides][face] += 1
        if character:
            counts[player, character, sides][face] += 1
            characters[player, sides].add(character)
    for (player, character, sides), faces in sorted(counts.items()):
        alone = not character and player and len(characters[player, sides]) == 1
        if alone and faces == counts[player, next(iter(characters[player, sides])), sides]:
            continue  # the character's own row says the same
        tally = tuple(faces[face] for face in range(1, sides + 1))
        yield Luck(player, character, sides, tally, fairness(tally))


def fairness(counts: Sequence[int]) -> Fairness:
    """Pearson's chi-square test that all faces are equally likely."""
    total, sides = sum(counts), len(counts)
    statistic = chi_square(counts)
    if total / sides >= SMALLEST_EXPECTED:
        return Fairness(statistic, chi_square_tail(statistic, sides - 1), simulated=False)
    rounds = max(200, min(SIMULATIONS, SIMULATED_DRAWS // max(1, total)))
    # The same rolls give the same figure: whoever asks again must not get another answer.
    source = Random(f"{sides} {total}")  # noqa: S311 # a yardstick, not a die of anybody's
    faces = range(sides)
    square_sum = sum(count * count for count in counts)
    as_uneven = 0
    for _ in range(rounds):
        drawn = Counter(source.choices(faces, k=total))
        as_uneven += sum(count * count for count in drawn.values()) >= square_sum
    return Fairness(statistic, (as_uneven + 1) / (rounds + 1), simulated=True)


def chi_square(counts: Sequence[int]) -> float:
    """The sum of squared distances from the expected count, over that count."""
    total, sides = sum(counts), len(counts)
    return sum(count * count for count in counts) * sides / total - total


def chi_square_tail(statistic: float, degrees: int) -> float:
    """The chance that a chi-square variable of so many degrees of freedom is at least this large.

    The closed forms for even and for odd degrees; terms are summed as logarithms, since a d10,000
    has terms beyond any float.
    """
    half = statistic / 2
    if half <= 0:
        return 1.0
    step = 0.5 if degrees % 2 else 0.0
    log = math.log(half)
    terms = (
        math.exp((power + step) * log - half - math.lgamma(power + step + 1))
        for power in range(degrees // 2)
    )
    first = math.erfc(math.sqrt(half)) if degrees % 2 else 0.0
    return min(1.0, math.fsum(chain([first], terms)))


def suspicious(rows: Sequence[Luck]) -> list[Luck]:
    """Rows that chance alone hardly explains, given how many there are."""
    return [row for row in rows if row.fairness.p * len(rows) < SUSPICIOUS]


# ------------------------------------------------------------------------------- the plot

_WIDTH, _ROW, _LEFT, _TOP = 720, 132, 16, 56
_PLOT_HEIGHT: Final = 72


def as_svg(rows: Sequence[Luck], title: str, names: Sequence[str], note: str) -> str:
    """One histogram a row, with the expected count as a line and its usual spread as a band.

    Args:
        rows: What to draw.
        title: Of the whole.
        names: A heading for each row.
        note: What the line and the band mean.
    """
    height = _TOP + _ROW * len(rows) + 16
    space = f'viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}"'
    font = 'font-family="sans-serif" font-size="13"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {space} {font}>',
        f"<title>{escape(title)}</title>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="{_LEFT}" y="24" font-size="17" font-weight="bold">{escape(title)}</text>',
        f'<text x="{_LEFT}" y="42" fill="#555">{escape(note)}</text>',
    ]
    for number, (row, name) in enumerate(zip(rows, names, strict=True)):
        parts += _histogram(row, name, _TOP + number * _ROW)
    return "\n".join([*parts, "</svg>", ""])


def _histogram(row: Luck, name: str, top: int) -> Iterator[str]:
    base = top + 26 + _PLOT_HEIGHT
    bins = row.bins
    spread = 2 * math.sqrt(max(expected for *_, expected in bins))
    highest = max(*(count for _, _, count, _ in bins), bins[0][3] + spread, 1)
    step = (_WIDTH - 2 * _LEFT) / len(bins)

    def y(count: float) -> float:
        return round(base - max(count, 0) / highest * _PLOT_HEIGHT, 1)

    yield f'<text x="{_LEFT}" y="{top + 16}" font-weight="bold">{escape(name)}</text>'
    for number, (first, last, count, expected) in enumerate(bins):
        left = round(_LEFT + number * step, 1)
        width, middle = round(step - 2, 1), round(_LEFT + (number + 0.5) * step, 1)
        across = f'x="{left}" width="{width}"'
        off = 2 * math.sqrt(expected)
        low, high, line = y(expected - off), y(expected + off), y(expected)
        yield f'<rect {across} y="{high}" height="{round(low - high, 1)}" fill="#eee4c8"/>'
        bar = f'y="{y(count)}" height="{round(base - y(count), 1)}"'
        yield f'<rect {across} {bar} fill="#2f6690" fill-opacity=".85"/>'
        yield f'<path d="M{left} {line}h{width}" stroke="#a4161a" stroke-width="1.5"/>'
        face = f"{first}" if first == last else f"{first}-{last}"
        below = f'x="{middle}" y="{base + 14}" text-anchor="middle" font-size="11" fill="#555"'
        yield f"<text {below}>{face}</text>"
