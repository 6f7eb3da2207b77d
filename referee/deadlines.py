"""When a round closes: pure arithmetic in the game's time zone, and the words for it.

Days are days of the calendar (the same clock time, whatever the night did to the clock); hours and
minutes are elapsed time. A clock time that a spring night skips moves forward by the gap, and one
that an autumn night shows twice means the second: nobody loses time to the clock.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any, Final

from rulesets.core.declarations import fold

MAX_AHEAD: Final = timedelta(days=366)
MAX_TEXT: Final = 80
WEEKDAYS: Final = (
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
)
END_OF_DAY: Final = time(23, 59)

_DAYS_AHEAD: Final = {"today": 0, "tomorrow": 1, "day_after_tomorrow": 2}
_SECONDS: Final = {"second": 1, "minute": 60, "hour": 3600}
_CALENDAR_DAYS: Final = {"day": 1, "week": 7}


@dataclass(frozen=True, slots=True)
class Length:
    """A stretch of time: whole days of the calendar, then elapsed seconds.

    Attributes:
        days: The clock time stays the same over a daylight-saving night.
        seconds: Elapsed.
    """

    days: int = 0
    seconds: int = 0

    def after(self, moment_utc: datetime, zone: tzinfo) -> datetime:
        """The moment that lies this far ahead, in UTC."""
        if self.days:
            local = moment_utc.astimezone(zone)
            moment_utc = wall(local.date() + timedelta(days=self.days), local.time(), zone)
        return moment_utc.astimezone(UTC) + timedelta(seconds=self.seconds)

    @property
    def roughly(self) -> timedelta:
        """Its span where every day has 24 hours."""
        return timedelta(days=self.days, seconds=self.seconds)


@dataclass(frozen=True, slots=True)
class Hours:
    """A stretch of the day, over midnight where it ends before it begins; open at both ends."""

    start: time
    end: time

    def holds(self, clock: time) -> bool:
        """Whether a clock time lies inside."""
        if self.start < self.end:
            return self.start < clock < self.end
        return clock > self.start or clock < self.end


@dataclass(frozen=True, slots=True)
class DeadlinePolicy:
    """When a round that opens now must close.

    Attributes:
        length: At least this long after it opened.
        at: Then on to the next time that the clock shows this.
        weekdays: Days on which it may close, 0 is Monday; empty means all.
        quiet: Hours in which it never closes: it moves to their end.
        shortest: It never closes earlier than this after it opened.
        longest: It never closes later, whatever the rest says.
        grace: Silent wait between the deadline that is shown and the lock.
    """

    length: Length = Length()
    at: time | None = None
    weekdays: frozenset[int] = frozenset()
    quiet: Hours | None = None
    shortest: Length = Length()
    longest: Length | None = None
    grace: Length = Length()


@dataclass(frozen=True, slots=True)
class DeadlineProblem:
    """A deadline that was not understood, or that cannot be.

    Attributes:
        code: ``bad_deadline``, ``in_the_past``, ``too_far_ahead`` or ``no_such_date``.
        given: The words as written, shortened.
    """

    code: str
    given: str


def wall(day: date, clock: time, zone: tzinfo) -> datetime:
    """The moment at which the clocks of a zone show a time on a day, in UTC."""
    local = datetime.combine(day, clock.replace(fold=0), tzinfo=zone)
    # In a gap fold=0 lies behind it, in a repeated hour fold=1 is the second: always the later.
    return max(local.astimezone(UTC), local.replace(fold=1).astimezone(UTC))


def quiet_until(now_utc: datetime, hours: Hours, zone: tzinfo) -> datetime | None:
    """When the quiet hours end that a moment lies in, in UTC; None outside of them."""
    local = now_utc.astimezone(zone)
    if not hours.holds(local.time()):
        return None
    days = (local.date() + timedelta(days=ahead) for ahead in (0, 1))
    return next(end for day in days if (end := wall(day, hours.end, zone)) > now_utc)


def next_deadline(opened_at_utc: datetime, policy: DeadlinePolicy, zone: tzinfo) -> datetime:
    """When a round that opened at a moment closes.

    Returns:
        A moment in UTC, never before ``shortest`` nor after ``longest``. Where ``longest`` would
        fall into the quiet hours, their beginning is taken if ``shortest`` allows.
    """
    earliest = policy.shortest.after(opened_at_utc, zone)
    moment = _settled(max(policy.length.after(opened_at_utc, zone), earliest), policy, zone)
    if policy.longest is None:
        return moment
    latest = max(policy.longest.after(opened_at_utc, zone), earliest)
    return moment if moment <= latest else _eased(earliest, latest, policy, zone)


def locks_at(deadline_utc: datetime, policy: DeadlinePolicy, zone: tzinfo) -> datetime:
    """When the round locks: the deadline and its grace, in UTC."""
    return policy.grace.after(deadline_utc, zone)


def after_pause(
    deadline_utc: datetime, paused_at_utc: datetime, resumed_at_utc: datetime
) -> datetime:
    """The deadline after a pause (or an outage): whatever was left when it began is left again."""
    return deadline_utc + max(resumed_at_utc - paused_at_utc, timedelta())


def _settled(moment: datetime, policy: DeadlinePolicy, zone: tzinfo) -> datetime:
    """The first moment from this one on that the policy allows."""
    # Each step only moves forward, and a week shows every combination of day and hour.
    for _ in range(16):
        before = moment
        if policy.at is not None:
            moment = _next_clock(moment, policy.at, policy.weekdays, zone)
        elif policy.weekdays:
            moment = _next_clock(
                moment, moment.astimezone(zone).time(), policy.weekdays, zone, from_here=moment
            )
        local = moment.astimezone(zone)
        if policy.quiet and policy.quiet.holds(local.time()):
            moment = _next_clock(moment, policy.quiet.end, frozenset(), zone)
        if moment == before:
            break
    return moment


def _next_clock(
    moment: datetime,
    clock: time,
    weekdays: frozenset[int],
    zone: tzinfo,
    *,
    from_here: datetime | None = None,
) -> datetime:
    """The first moment not before this one at which the clock shows a time on an allowed day.

    ``from_here`` stands for today's: a moment of a repeated hour is itself, not the second one.
    """
    today = moment.astimezone(zone).date()
    for ahead in range(9):
        day = today + timedelta(days=ahead)
        if weekdays and day.weekday() not in weekdays:
            continue
        found = from_here if from_here and not ahead else wall(day, clock, zone)
        if found >= moment:
            return found
    return moment


def _eased(earliest: datetime, latest: datetime, policy: DeadlinePolicy, zone: tzinfo) -> datetime:
    local = latest.astimezone(zone)
    if policy.quiet is None or not policy.quiet.holds(local.time()):
        return latest
    day = local.date()
    if policy.quiet.start > local.time():
        day -= timedelta(days=1)
    start = wall(day, policy.quiet.start, zone)
    return start if earliest <= start <= latest else latest


# ------------------------------------------------------------------------------- words

_TOKEN: Final = re.compile(
    r"(?P<date>\d{4}-\d{1,2}-\d{1,2})t?"
    r"|(?P<clock>\d{1,2}[:.]\d{2})(?:[ ]?h(?:rs?)?(?![a-z]))?"
    r"|(?P<number>\d{1,4})"
    r"|(?P<word>[^\W\d_])"
    r"|(?P<plus>\+)"
    r"|(?P<skip>[\s,]+)"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word or figure of a deadline: what sort it is, and its value."""

    sort: str
    value: Any


class TimeWords:
    """The words that deadlines are written with, of all the languages that it was built from."""

    def __init__(self, phrases: Mapping[str, tuple[str, str]]) -> None:
        """Keep the phrases: folded words to the sort and id that they mean."""
        self.phrases = dict(phrases)
        self._longest = max((phrase.count(" ") + 1 for phrase in phrases), default=1)

    @classmethod
    def of(cls, terms: Iterable[Mapping[str, Any]]) -> "TimeWords":
        """Build from parsed ``terms/time.yaml`` files.

        Raises:
            ValueError: the same words mean two things; names them.
        """
        phrases: dict[str, tuple[str, str]] = {}
        for language in terms:
            for sort, entries in language.items():
                for word_id, entry in entries.items():
                    for words in _spellings(entry):
                        meaning = (sort, str(word_id))
                        if phrases.setdefault(fold(words), meaning) != meaning:
                            raise ValueError(words)
        return cls(phrases)

    def weekday(self, word: str) -> int | None:
        """Number of a day of the week, 0 for Monday; None where it is none."""
        sort, word_id = self.phrases.get(fold(word), ("", ""))
        return WEEKDAYS.index(word_id) if sort == "weekday" else None

    def of_sort(self, sort: str) -> tuple[str, ...]:
        """All folded phrases of a sort, for suggestions."""
        return tuple(phrase for phrase, (found, _) in self.phrases.items() if found == sort)

    def tokens(self, text: str) -> tuple[Token, ...] | None:
        """Take a text apart; None where something in it means nothing here."""
        if len(text) > MAX_TEXT:
            return None
        bare = fold(text)
        found: list[Token] = []
        position = 0
        while position < len(bare):
            match = _TOKEN.match(bare, position)
            if match is None:
                return None
            if match.lastgroup == "word":
                token, position = self._phrase(bare, position)
            else:
                token, position = _figure(match), match.end()
            if token is None:
                return None
            if token.sort not in {"skip", "and"}:
                found.append(token)
        return tuple(found)

    def _phrase(self, text: str, start: int) -> tuple[Token | None, int]:
        words = list(re.finditer(r"[^\s,\d]+", text[start:]))[: self._longest]
        for count in range(len(words), 0, -1):
            end = start + words[count - 1].end()
            meaning = self.phrases.get(text[start:end]) or self.phrases.get(
                text[start:end].rstrip(".")
            )
            if meaning is not None:
                sort, word_id = meaning
                if sort == "filler":
                    sort = word_id if word_id in {"at", "and"} else "skip"
                return Token(sort, word_id), end
        return None, start


def _spellings(entry: Mapping[str, Any]) -> Iterable[str]:
    yield str(entry["say"])
    if "plural" in entry:
        yield str(entry["plural"])
    yield from (str(word) for word in entry.get("accept", ()))


def _figure(match: re.Match[str]) -> Token | None:
    sort = str(match.lastgroup)
    text = match.group(sort)
    try:
        if sort == "clock":
            hour, minute = re.split("[:.]", text)
            return Token(sort, time(int(hour), int(minute)))
        if sort == "date":
            year, month, day = text.split("-")
            return Token(sort, date(int(year), int(month), int(day)))
    except ValueError:
        return Token("impossible", text)
    return Token(sort, text)


def read_length(text: str, words: TimeWords) -> Length | None:
    """A length such as ``48h``, ``3 días`` or ``1h 30min``; None where it is none."""
    tokens = words.tokens(text)
    return _length(tokens) if tokens else None


def _length(tokens: Sequence[Token]) -> Length | None:
    days = seconds = 0
    if not tokens or len(tokens) % 2:
        return None
    for number, unit in zip(tokens[::2], tokens[1::2], strict=True):
        if number.sort != "number" or unit.sort != "unit":
            return None
        count = int(number.value)
        days += count * _CALENDAR_DAYS.get(unit.value, 0)
        seconds += count * _SECONDS.get(unit.value, 0)
    return Length(days, seconds)


def read_clock(text: str, words: TimeWords) -> time | None:
    """A clock time such as ``21:00`` or ``9 pm``; None where it is none."""
    tokens = words.tokens(text)
    if not tokens:
        return None
    moment = _Reading()
    rest = moment.take_clock([Token("at", "at"), *(t for t in tokens if t.sort != "at")])
    return None if rest else moment.clock


def read_hours(text: str, words: TimeWords) -> Hours | None:
    """A stretch of the day such as ``23:00-08:00``; None where it is none."""
    start, dash, end = text.translate({0x2013: "-", 0x2014: "-"}).partition("-")
    clocks = (read_clock(start, words), read_clock(end, words)) if dash else (None, None)
    if clocks[0] is None or clocks[1] is None or clocks[0] == clocks[1]:
        return None
    return Hours(clocks[0], clocks[1])


def is_never(text: str, words: TimeWords) -> bool:
    """Whether the text says that there is no deadline."""
    return [token.sort for token in words.tokens(text) or ()] == ["never"]


@dataclass(frozen=True, slots=True)
class Calendar:
    """How a thread reads the time.

    Attributes:
        zone: The game's time zone.
        words: The words known.
        clock: Clock time of a day that is named without one.
    """

    zone: tzinfo
    words: TimeWords
    clock: time = END_OF_DAY


def read_deadline(
    text: str, calendar: Calendar, now_utc: datetime, current_utc: datetime | None = None
) -> datetime | DeadlineProblem:
    """The deadline that somebody wrote: ``48h``, ``mañana 21:00``, ``viernes``.

    Args:
        text: The words.
        calendar: The thread's zone and words.
        now_utc: A length counts from here, and the result lies after it.
        current_utc: The deadline now in force; ``+12h`` counts from there.

    Returns:
        A moment in UTC, at most a year ahead, or what is wrong.
    """
    given = " ".join(text[: MAX_TEXT + 1].split())
    tokens = list(calendar.words.tokens(text) or ())
    if any(token.sort == "impossible" for token in tokens):
        return DeadlineProblem("no_such_date", given)
    from_current = bool(tokens) and tokens[0].sort == "plus"
    length = _length(tokens[from_current:])
    if length is not None and length.roughly > MAX_AHEAD:
        return DeadlineProblem("too_far_ahead", given)
    if length is not None:
        moment: datetime | None = length.after(
            current_utc if from_current and current_utc else now_utc, calendar.zone
        )
    else:
        moment = _moment(tokens, now_utc, calendar)
    if moment is None:
        return DeadlineProblem("bad_deadline", given)
    return _ahead(moment, now_utc, given)


def _ahead(moment: datetime, now_utc: datetime, given: str) -> datetime | DeadlineProblem:
    if moment <= now_utc:
        return DeadlineProblem("in_the_past", given)
    if moment - now_utc > MAX_AHEAD:
        return DeadlineProblem("too_far_ahead", given)
    return moment


@dataclass(slots=True)
class _Reading:
    """Parts of a moment while its tokens are taken one after the other."""

    clock: time | None = None
    day: date | None = None
    ahead: int | None = None
    weekday: int | None = None

    def take_clock(self, tokens: list[Token]) -> list[Token]:
        """Take the clock time, wherever it stands; the rest comes back."""
        for index, token in enumerate(tokens):
            at = index > 0 and tokens[index - 1].sort == "at"
            following = tokens[index + 1] if index + 1 < len(tokens) else Token("", "")
            half = following.value if following.sort == "half" else ""
            # "viernes 20h" and "a las 20h": a clock time, for a length stands alone.
            hours = following == Token("unit", "hour") and len(tokens) > 2
            if token.sort == "clock":
                clock = token.value
            elif token.sort == "number" and (half or at or hours) and int(token.value) < 24:
                clock = time(int(token.value))
            else:
                continue
            self.clock = _in_half(clock, half)
            if self.clock is None:
                return tokens
            return tokens[: index - at] + tokens[index + 1 + bool(half or hours) :]
        return tokens

    def take_day(self, tokens: list[Token], today: date) -> list[Token]:
        """Take the day, where there is one; the rest comes back."""
        sorts = [token.sort for token in tokens]
        match sorts, [token.value for token in tokens]:
            case ["date"], [day]:
                self.day = day
            case ["day"], [word]:
                self.ahead = _DAYS_AHEAD[word]
            case ["weekday"], [word]:
                self.weekday = WEEKDAYS.index(word)
            case (["number", "month"], [number, month]) | (["month", "number"], [month, number]):
                self.day = _next_date(int(number), int(month), today)
                return [] if self.day else tokens
            case _:
                return tokens
        return []


def _in_half(clock: time, half: str) -> time | None:
    if not half:
        return clock
    if not 1 <= clock.hour <= 12:
        return None
    return clock.replace(hour=clock.hour % 12 + (12 if half == "pm" else 0))


def _next_date(day: int, month: int, today: date) -> date | None:
    for year in (today.year, today.year + 1):
        try:
            found = date(year, month, day)
        except ValueError:
            continue
        if found >= today:
            return found
    return None


def _moment(tokens: list[Token], now_utc: datetime, calendar: Calendar) -> datetime | None:
    zone = calendar.zone
    today = now_utc.astimezone(zone).date()
    reading = _Reading()
    rest = reading.take_clock(tokens)
    if rest:
        rest = reading.take_day(rest, today)
    if rest or not tokens:
        return None
    clock = reading.clock or calendar.clock
    if reading.day is not None:
        # Beyond two years either way it is refused anyhow, and no zone can shift year 1 or 9999.
        nearby = timedelta(days=730)
        return wall(min(max(reading.day, today - nearby), today + nearby), clock, zone)
    if reading.ahead is not None:
        return wall(today + timedelta(days=reading.ahead), clock, zone)
    weekdays = frozenset[int]() if reading.weekday is None else frozenset({reading.weekday})
    # Strictly ahead: "friday 20:00" written on a friday at 20:00 is the next one.
    return _next_clock(now_utc + timedelta(seconds=1), clock, weekdays, zone)
