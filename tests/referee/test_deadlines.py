"""When rounds close, over nights that change the clock, and the words for it."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from referee.data import Data
from referee.deadlines import (
    MAX_AHEAD,
    MAX_TEXT,
    Calendar,
    DeadlinePolicy,
    DeadlineProblem,
    Hours,
    Length,
    TimeWords,
    after_pause,
    is_never,
    locks_at,
    next_deadline,
    read_clock,
    read_deadline,
    read_hours,
    read_length,
    wall,
)

MADRID = ZoneInfo("Europe/Madrid")
# Where the players of the seed forums live, and the oddest clocks there are.
ZONES = [
    MADRID,
    ZoneInfo("Atlantic/Canary"),
    ZoneInfo("America/Mexico_City"),
    ZoneInfo("America/Argentina/Buenos_Aires"),
    ZoneInfo("America/Santiago"),
    ZoneInfo("America/Havana"),
    ZoneInfo("Australia/Lord_Howe"),
    ZoneInfo("Pacific/Chatham"),
    ZoneInfo("UTC"),
]
NIGHT = Hours(time(23), time(8))
WORDS = Data().time_words()
TUESDAY = datetime(2026, 12, 1, 18, 0, tzinfo=UTC)  # 19:00 in Madrid

zones = st.sampled_from(ZONES)
moments = st.integers(0, 7 * 366 * 86400).map(
    lambda seconds: datetime(2021, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
)
clocks = st.times().map(lambda t: t.replace(second=0, microsecond=0))
lengths = st.builds(
    Length, days=st.integers(0, 9), seconds=st.integers(0, 9 * 86400).map(lambda s: s // 60 * 60)
)
weekday_sets = st.frozensets(st.integers(0, 6))
hours = st.builds(Hours, clocks, clocks).filter(lambda h: h.start != h.end)


def madrid(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=MADRID).astimezone(UTC)


def shown(moment: datetime, zone: ZoneInfo = MADRID) -> str:
    return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M")


# ---------------------------------------------------------------------- nights that change clocks


def test_hours_are_elapsed_time_and_days_are_calendar_days_in_spring() -> None:
    saturday_evening = madrid("2027-03-27T21:00")

    assert shown(Length(seconds=24 * 3600).after(saturday_evening, MADRID)) == "2027-03-28 22:00"
    assert shown(Length(days=1).after(saturday_evening, MADRID)) == "2027-03-28 21:00"


def test_hours_are_elapsed_time_and_days_are_calendar_days_in_autumn() -> None:
    saturday_evening = madrid("2026-10-24T21:00")

    assert shown(Length(seconds=24 * 3600).after(saturday_evening, MADRID)) == "2026-10-25 20:00"
    assert shown(Length(days=1).after(saturday_evening, MADRID)) == "2026-10-25 21:00"


def test_a_clock_time_that_the_spring_night_skips_moves_forward() -> None:
    assert wall(date(2027, 3, 28), time(2, 30), MADRID) == datetime(2027, 3, 28, 1, 30, tzinfo=UTC)
    assert shown(wall(date(2027, 3, 28), time(2, 30), MADRID)) == "2027-03-28 03:30"


def test_a_clock_time_that_the_autumn_night_shows_twice_is_the_second() -> None:
    first = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)

    assert wall(date(2026, 10, 25), time(2, 30), MADRID) == first + timedelta(hours=1)


def test_mexico_and_argentina_have_no_such_nights_today() -> None:
    for name in ("America/Mexico_City", "America/Argentina/Buenos_Aires"):
        zone = ZoneInfo(name)
        opened = wall(date(2026, 10, 24), time(21), zone)
        for days in range(366):
            by_hours = Length(seconds=days * 86400).after(opened, zone)
            assert by_hours == Length(days=days).after(opened, zone)


# ---------------------------------------------------------------------- policies


def test_a_plain_length_counts_from_the_opening() -> None:
    policy = DeadlinePolicy(length=Length(seconds=48 * 3600))

    assert next_deadline(TUESDAY, policy, MADRID) == TUESDAY + timedelta(hours=48)


def test_a_clock_time_is_the_next_one_after_the_length() -> None:
    policy = DeadlinePolicy(length=Length(seconds=48 * 3600), at=time(21))

    assert shown(next_deadline(TUESDAY, policy, MADRID)) == "2026-12-03 21:00"


def test_a_clock_time_waits_for_an_allowed_day() -> None:
    policy = DeadlinePolicy(length=Length(days=1), at=time(21), weekdays=frozenset({0, 3}))

    assert shown(next_deadline(TUESDAY, policy, MADRID)) == "2026-12-03 21:00"
    assert shown(next_deadline(madrid("2026-12-03T20:30"), policy, MADRID)) == "2026-12-07 21:00"


def test_days_without_a_clock_time_keep_that_of_the_length() -> None:
    policy = DeadlinePolicy(length=Length(days=4), weekdays=frozenset({0, 1, 2, 3, 4}))

    assert shown(next_deadline(TUESDAY, policy, MADRID)) == "2026-12-07 19:00"  # saturday -> monday


def test_no_round_closes_in_quiet_hours() -> None:
    policy = DeadlinePolicy(length=Length(seconds=6 * 3600), quiet=NIGHT)

    assert shown(next_deadline(TUESDAY, policy, MADRID)) == "2026-12-02 08:00"


def test_the_ends_of_the_quiet_hours_are_not_quiet() -> None:
    at_start = DeadlinePolicy(length=Length(seconds=4 * 3600), quiet=NIGHT)
    at_end = DeadlinePolicy(length=Length(seconds=13 * 3600), quiet=NIGHT)

    assert shown(next_deadline(TUESDAY, at_start, MADRID)) == "2026-12-01 23:00"
    assert shown(next_deadline(TUESDAY, at_end, MADRID)) == "2026-12-02 08:00"


def test_quiet_hours_before_a_closed_day_wait_for_the_next_open_one() -> None:
    weekdays = frozenset({0, 1, 2, 3, 4})
    policy = DeadlinePolicy(length=Length(seconds=6 * 3600), weekdays=weekdays, quiet=NIGHT)

    assert shown(next_deadline(madrid("2026-12-04T18:00"), policy, MADRID)) == "2026-12-07 08:00"


def test_quiet_hours_over_the_spring_night_end_by_the_clock() -> None:
    policy = DeadlinePolicy(length=Length(seconds=3 * 3600), quiet=NIGHT)

    assert shown(next_deadline(madrid("2027-03-27T22:00"), policy, MADRID)) == "2027-03-28 08:00"


def test_the_shortest_round_wins_over_the_clock() -> None:
    policy = DeadlinePolicy(at=time(21), shortest=Length(seconds=12 * 3600))

    assert shown(next_deadline(TUESDAY, policy, MADRID)) == "2026-12-02 21:00"


def test_the_longest_round_wins_over_days_and_clock() -> None:
    policy = DeadlinePolicy(
        length=Length(days=1), at=time(21), weekdays=frozenset({6}), longest=Length(days=3)
    )

    assert shown(next_deadline(TUESDAY, policy, MADRID)) == "2026-12-04 19:00"


def test_the_longest_round_ends_before_the_quiet_hours_where_it_can() -> None:
    policy = DeadlinePolicy(length=Length(days=5), longest=Length(seconds=32 * 3600), quiet=NIGHT)

    assert shown(next_deadline(TUESDAY, policy, MADRID)) == "2026-12-02 23:00"


def test_grace_comes_between_the_deadline_and_the_lock() -> None:
    policy = DeadlinePolicy(grace=Length(seconds=3600))

    assert locks_at(TUESDAY, policy, MADRID) == TUESDAY + timedelta(hours=1)


def test_a_pause_leaves_what_was_left() -> None:
    deadline = TUESDAY + timedelta(hours=10)
    paused, resumed = TUESDAY + timedelta(hours=4), TUESDAY + timedelta(days=30)

    assert after_pause(deadline, paused, resumed) - resumed == timedelta(hours=6)


def test_many_pauses_do_not_drift() -> None:
    deadline, now = TUESDAY + timedelta(hours=10), TUESDAY
    for seconds in range(1, 200):
        deadline = after_pause(deadline, now, now + timedelta(seconds=seconds))
        now += timedelta(seconds=seconds)

    assert deadline - now == timedelta(hours=10)


def test_a_clock_that_ran_backwards_during_a_pause_takes_nothing_away() -> None:
    assert after_pause(TUESDAY, TUESDAY, TUESDAY - timedelta(hours=1)) == TUESDAY


policies = st.builds(
    DeadlinePolicy,
    length=lengths,
    at=st.none() | clocks,
    weekdays=weekday_sets,
    quiet=st.none() | hours,
    shortest=lengths,
    longest=st.none() | lengths,
)


@given(opened=moments, policy=policies, zone=zones)
def test_every_deadline_lies_between_the_shortest_and_the_longest(
    opened: datetime, policy: DeadlinePolicy, zone: ZoneInfo
) -> None:
    deadline = next_deadline(opened, policy, zone)

    assert deadline.tzinfo is UTC
    assert deadline >= policy.shortest.after(opened, zone)
    if policy.longest and policy.longest.after(opened, zone) >= policy.shortest.after(opened, zone):
        assert deadline <= policy.longest.after(opened, zone)


@given(opened=moments, policy=policies, zone=zones)
@example(
    opened=madrid("2027-03-27T20:00"),
    policy=DeadlinePolicy(length=Length(seconds=60), at=time(2, 30)),
    zone=MADRID,
)
def test_a_deadline_without_a_longest_round_keeps_all_its_rules(
    opened: datetime, policy: DeadlinePolicy, zone: ZoneInfo
) -> None:
    assume(policy.longest is None)
    # A clock time inside the quiet hours contradicts itself; the config refuses it.
    assume(not (policy.at and policy.quiet and policy.quiet.holds(policy.at)))
    deadline = next_deadline(opened, policy, zone)
    local = deadline.astimezone(zone)

    assert deadline >= policy.length.after(opened, zone)
    if policy.weekdays:
        assert local.weekday() in policy.weekdays
    if policy.at is not None:
        assert deadline == wall(local.date(), policy.at, zone)
    if policy.quiet is not None:
        # Over a clock that jumps into the quiet hours, their end may be skipped with it.
        assert (
            not policy.quiet.holds(local.time())
            or local.utcoffset() != (local - timedelta(hours=2)).utcoffset()
        )


@given(opened=moments, days=st.integers(0, 60), zone=zones)
def test_days_keep_the_clock_time_unless_the_night_took_it(
    opened: datetime, days: int, zone: ZoneInfo
) -> None:
    before = opened.astimezone(zone)
    after = Length(days=days).after(opened, zone).astimezone(zone)
    gap = after.replace(tzinfo=None) - datetime.combine(
        before.date() + timedelta(days=days), before.time()
    )

    assert gap in {timedelta(), timedelta(minutes=30), timedelta(hours=1)}


@given(opened=moments, first=lengths, second=lengths, zone=zones)
def test_a_longer_length_never_closes_sooner(
    opened: datetime, first: Length, second: Length, zone: ZoneInfo
) -> None:
    longer = Length(first.days + second.days, first.seconds + second.seconds)

    assert longer.after(opened, zone) >= first.after(opened, zone)


# ---------------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("48h", "2026-12-03 19:00"),
        ("48 horas", "2026-12-03 19:00"),
        ("2 días", "2026-12-03 19:00"),
        ("2 DIAS", "2026-12-03 19:00"),
        ("dentro de tres días", "2026-12-04 19:00"),
        ("una semana", "2026-12-08 19:00"),
        ("1h 30min", "2026-12-01 20:30"),
        ("1 hora y 30 minutos", "2026-12-01 20:30"),
        ("mañana 21:00", "2026-12-02 21:00"),
        ("mañana a las 21", "2026-12-02 21:00"),
        ("mañana a las 9 de la mañana", "2026-12-02 09:00"),
        ("pasado mañana 10:00", "2026-12-03 10:00"),
        ("hoy a las 22:00", "2026-12-01 22:00"),
        ("22:00", "2026-12-01 22:00"),
        ("18:00", "2026-12-02 18:00"),
        ("viernes 20:00", "2026-12-04 20:00"),
        ("el próximo viernes a las 20.30 h", "2026-12-04 20:30"),
        ("viernes 20h", "2026-12-04 20:00"),
        ("viernes", "2026-12-04 23:59"),
        ("martes 19:00", "2026-12-08 19:00"),
        ("martes 19:01", "2026-12-01 19:01"),
        ("2026-12-04 21:00", "2026-12-04 21:00"),
        ("2026-12-04T21:00", "2026-12-04 21:00"),
        ("4 de diciembre a las 20:00", "2026-12-04 20:00"),
        ("6 de enero", "2027-01-06 23:59"),
        ("friday 20:00", "2026-12-04 20:00"),
        ("Fri. at 8 pm", "2026-12-04 20:00"),
        ("tomorrow at 9pm", "2026-12-02 21:00"),
        ("12 am", "2026-12-02 00:00"),
        ("December 4 at 20:00", "2026-12-04 20:00"),
        ("in 3 days", "2026-12-04 19:00"),
        ("+12h", "2026-12-05 07:00"),
    ],
)
def test_a_deadline_is_understood_in_spanish_and_english(text: str, expected: str) -> None:
    current = madrid("2026-12-04T19:00")

    found = read_deadline(text, Calendar(MADRID, WORDS), TUESDAY, current)

    assert isinstance(found, datetime)
    assert shown(found) == expected


def test_a_plus_without_a_deadline_in_force_counts_from_now() -> None:
    found = read_deadline("+12h", Calendar(MADRID, WORDS), TUESDAY)

    assert found == TUESDAY + timedelta(hours=12)


def test_a_day_without_a_clock_time_takes_the_threads_own() -> None:
    found = read_deadline("viernes", Calendar(MADRID, WORDS, time(21)), TUESDAY)

    assert isinstance(found, datetime)
    assert shown(found) == "2026-12-04 21:00"


def test_a_clock_time_is_that_of_the_threads_zone() -> None:
    zone = ZoneInfo("America/Mexico_City")

    found = read_deadline("mañana 21:00", Calendar(zone, WORDS), TUESDAY)

    assert isinstance(found, datetime)
    assert shown(found, zone) == "2026-12-02 21:00"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "bad_deadline"),
        ("pronto", "bad_deadline"),
        ("48", "bad_deadline"),
        ("viernes 20", "bad_deadline"),
        ("el viernes que viene si puedo", "bad_deadline"),
        ("3 días y medio", "bad_deadline"),
        ("mañana viernes 20:00", "bad_deadline"),
        ("+viernes", "bad_deadline"),
        ("13 pm", "bad_deadline"),
        ("0h", "in_the_past"),
        ("hoy a las 3:00", "in_the_past"),
        ("2026-11-30 21:00", "in_the_past"),
        ("0001-01-01", "in_the_past"),
        ("500 días", "too_far_ahead"),
        ("2028-12-04 21:00", "too_far_ahead"),
        ("9999-12-31", "too_far_ahead"),
        ("25:00", "no_such_date"),
        ("2026-02-30 10:00", "no_such_date"),
        ("48h " * 30, "bad_deadline"),
    ],
)
def test_a_deadline_that_cannot_be_is_refused_with_a_reason(text: str, code: str) -> None:
    found = read_deadline(text, Calendar(MADRID, WORDS), TUESDAY)

    assert isinstance(found, DeadlineProblem)
    assert found.code == code
    assert len(found.given) <= MAX_TEXT + 1


@given(text=st.text(max_size=200), now=moments, zone=zones)
@example(text="²h", now=TUESDAY, zone=MADRID)
@example(text="9" * 80, now=TUESDAY, zone=MADRID)
@example(text="9999 semanas 9999 semanas", now=TUESDAY, zone=MADRID)
def test_any_text_is_a_deadline_ahead_or_a_problem(
    text: str, now: datetime, zone: ZoneInfo
) -> None:
    found = read_deadline(text, Calendar(zone, WORDS), now)

    assert isinstance(found, DeadlineProblem) or now < found <= now + MAX_AHEAD


@given(st.lists(st.sampled_from(sorted(WORDS.phrases)), max_size=4), st.integers(0, 99))
def test_any_row_of_known_words_is_a_deadline_ahead_or_a_problem(
    phrases: list[str], number: int
) -> None:
    text = f"{number} {' '.join(phrases)}"
    found = read_deadline(text, Calendar(MADRID, WORDS), TUESDAY)

    assert isinstance(found, DeadlineProblem) or TUESDAY < found <= TUESDAY + MAX_AHEAD


def test_lengths_clock_times_and_hours_are_read_from_the_config() -> None:
    assert read_length("90 s", WORDS) == Length(seconds=90)
    assert read_length("3 días", WORDS) == Length(days=3)
    assert read_length("2 semanas", WORDS) == Length(days=14)
    assert read_length("viernes", WORDS) is None
    assert read_clock("21:00", WORDS) == time(21)
    assert read_clock("9", WORDS) == time(9)
    assert read_clock("21:00 22:00", WORDS) is None
    assert read_clock("viernes", WORDS) is None
    assert read_hours("23:00-08:00", WORDS) == NIGHT
    assert read_hours("23\N{EN DASH}8", WORDS) == NIGHT
    assert read_hours("8:00-8:00", WORDS) is None
    assert read_hours("8:00", WORDS) is None


def test_no_deadline_has_a_word() -> None:
    assert is_never("nunca", WORDS)
    assert is_never("Sin plazo", WORDS)
    assert is_never("never", WORDS)
    assert not is_never("48h", WORDS)
    assert not is_never("", WORDS)


def test_words_with_two_meanings_are_found_out() -> None:
    terms = {"unit": {"hour": {"say": "hora"}}, "day": {"today": {"say": "Hora"}}}

    with pytest.raises(ValueError, match="Hora"):
        TimeWords.of([terms])


def test_every_language_has_the_same_words_for_time() -> None:
    data = Data()
    shapes = {
        lang: {(sort, word) for sort, words in data.terms(lang, "time").items() for word in words}
        for lang in data.languages()
    }

    assert shapes["es"] == shapes["en"]
