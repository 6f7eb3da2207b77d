"""What may stand in config.yaml: names, types, bounds and defaults, one model a section.

Only the form lives here. What the form leads to (frozen dataclasses, files read, defaults handed
down) is ``referee.config``. The docstring under each field is its entry in docs/config.md, which a
test compares with this file, so nothing here can go undocumented.

A field that is None was left out: whatever stands above it counts (the character's policies, then
the thread's, then the file's, then the default named in ``referee.config``).
"""

import re
from collections.abc import Mapping
from datetime import time
from typing import Annotated, Any, Final

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    StringConstraints,
    ValidationInfo,
)
from pydantic_core import PydanticCustomError

from adapters.base import GUEST
from referee.deadlines import (
    MAX_AHEAD,
    Hours,
    Length,
    TimeWords,
    is_never,
    read_clock,
    read_hours,
    read_length,
)
from referee.settings import Gender, LogLevel, Missing, Order, Questions

LENGTH_EXAMPLE: Final = "48h"
CLOCK_EXAMPLE: Final = "21:00"
HOURS_EXAMPLE: Final = "23:00-08:00"

NOT_IN_NAMES: Final = "|;,#"
"""What tags use between names and fields."""
MAX_NAME: Final = 60


REQUIRED: Final = "required"
"""Marks a field that must be given. It has a default all the same, so that the rest of a section
can be looked at without it."""


def problem(code: str, **facts: str) -> PydanticCustomError:
    """An error that becomes a ``ConfigProblem`` of that code."""
    # The library wants a sentence; ours stand in templates/, so it gets the code.
    return PydanticCustomError(code, code, dict(facts))


def _words(info: ValidationInfo) -> TimeWords:
    context: Mapping[str, TimeWords] = info.context or {}
    return context["words"]


def _length(value: object, info: ValidationInfo) -> Length:
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        length = read_length(str(value), _words(info))
        if length is not None and length.roughly > MAX_AHEAD:
            raise problem("length_too_long")
        if length is not None:
            return length
    unit = "s" if info.field_name == "interval" else "h"
    suggestion = f"{value}{unit}" if str(value).isdigit() else ""
    raise problem("bad_length", expected=LENGTH_EXAMPLE, suggestion=suggestion)


def _clock(value: object, info: ValidationInfo) -> time:
    clock = read_clock(str(value), _words(info)) if isinstance(value, (str, int)) else None
    if clock is None:
        raise problem("bad_clock", expected=CLOCK_EXAMPLE)
    return clock


def _hours(value: object, info: ValidationInfo) -> Hours:
    hours = read_hours(value, _words(info)) if isinstance(value, str) else None
    if hours is None:
        raise problem("bad_hours", expected=HOURS_EXAMPLE)
    return hours


def _weekdays(value: object, info: ValidationInfo) -> frozenset[int]:
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise problem("not_list")
    days: set[int] = set()
    for part in parts:
        days |= _days(part, _words(info))
    return frozenset(days)


def _days(text: str, words: TimeWords) -> set[int]:
    first, dash, last = text.partition("-")
    ends = [words.weekday(first.strip())]
    ends.append(words.weekday(last.strip()) if dash else ends[0])
    for word, day in zip((first, last), ends, strict=True):
        if day is None:
            raise problem("unknown_weekday", given=word.strip(), sort="weekday")
    start, end = (day or 0 for day in ends)
    return {day % 7 for day in range(start, end + 1 if end >= start else end + 8)}


def _deadline(value: object, info: ValidationInfo) -> object:
    if isinstance(value, Mapping):
        return value
    if isinstance(value, str) and is_never(value, _words(info)):
        return {"never": True}
    return {"length": value}


def _database(value: object) -> object:
    return value if isinstance(value, Mapping) else {"url": value}


def _persons(value: object) -> object:
    if value is None:
        return []
    listed = value if isinstance(value, list) else [value]
    return [person if isinstance(person, Mapping) else {"id": person} for person in listed]


def _environment_name(value: str) -> str:
    # Upper case only: a password written here by mistake is found out, and never shown.
    if re.fullmatch(r"[A-Z][A-Z0-9_]{0,99}", value) is None:
        raise problem("bad_environment_name", expected="FORO_PASSWORD")
    return value


Text = Annotated[str, StringConstraints(min_length=1, max_length=300)]
Needed = Annotated[str, StringConstraints(max_length=300), REQUIRED]
LengthText = Annotated[Length, PlainValidator(_length)]
ClockText = Annotated[time, PlainValidator(_clock)]
HoursText = Annotated[Hours, PlainValidator(_hours)]
Weekdays = Annotated[frozenset[int], PlainValidator(_weekdays)]
EnvironmentName = Annotated[Text, AfterValidator(_environment_name)]
Open = dict[str, Any]
"""A mapping whose keys are the ruleset's business, or whose values are sections of their own."""
NeededMap = Annotated[Open, REQUIRED]


class Section(BaseModel):
    """A mapping whose keys are all known; numbers do as text, so ``topic: 12`` is a topic."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, str_strip_whitespace=True, coerce_numbers_to_str=True
    )


def _member(value: str) -> str:
    """Nobody plays as a guest: what anybody wrote would be the player's."""
    if value == GUEST:
        raise problem("guest_as_person", given=value)
    return value


class PersonSection(Section):
    """Somebody on a forum. A bare id does as well: ``player: 57``."""

    id: Annotated[Text, AfterValidator(_member)]
    """The forum's own user id (on a folder: the author's name), never the display name."""
    name: Annotated[str, StringConstraints(max_length=100)] = ""
    """How the referee calls the person in messages; the forum's display name where left out."""


Persons = Annotated[tuple[PersonSection, ...], BeforeValidator(_persons), Field(max_length=50)]


class DeadlineSection(Section):
    """When a round closes. A bare length does as well: ``deadline: 48h``, ``deadline: never``.

    A thread's deadline is laid over the file's part by part. ``longest`` and ``shortest`` win over
    all the rest, ``longest`` even over quiet hours.
    """

    length: LengthText | None = None
    """At least this long after the round opened: ``48h``, or ``3 días`` (the same clock time)."""
    at: ClockText | None = None
    """Then on to the next time that the clock shows this, such as ``21:00``; without a ``length``,
    the next one at least 12 hours ahead."""
    days: Weekdays | None = None
    """Days on which a round may close: a list, or ``lunes-viernes``."""
    quiet: HoursText | None = None
    """Hours in which no round closes, such as ``23:00-08:00``; it waits for their end."""
    shortest: LengthText | None = None
    """No round closes earlier than this after it opened."""
    longest: LengthText | None = None
    """No round closes later than this after it opened."""
    grace: LengthText | None = None
    """Silent wait between the deadline that is shown and the lock."""
    never: bool | None = None
    """``true``: rounds have no deadline; they close when all have declared, or by hand."""


Deadline = Annotated[DeadlineSection, BeforeValidator(_deadline)]


class PoliciesSection(Section):
    """How rounds are run. At the top of the file for all threads, in a thread for that one."""

    deadline: Deadline | None = None
    """When a round closes."""
    hold_back: LengthText | None = None
    """Wait after the last missing declaration, so that it can still be mended."""
    order: Order | None = None
    """``strict``: declarations in the ruleset's order; ``free``: in any."""
    missing: Missing | None = None
    """What a character does whose player has not declared: ``wait`` (the round stays open),
    ``standing`` (standing orders), ``defend``, ``gm`` (the game master decides), ``nothing``."""
    questions: Questions | None = None
    """``ask``: choices in mid-round go to the player; ``default``: the rules' default is taken."""
    question_deadline: Deadline | None = None
    """How long a question waits before its default is taken."""
    review: bool | None = None
    """``true``: a round is posted only after the game master has let it through."""
    max_post_chars: Annotated[int, Field(ge=1000, le=1_000_000)] | None = None
    """Longer posts are split, even where the site would take them."""
    beacon: bool | None = None
    """``true``: the dice after a lock also depend on a public value that nobody knows before it;
    needs the extra ``beacon`` (docs/evidence.md)."""


class CharacterPoliciesSection(Section):
    """A character's own way, where it is not the thread's."""

    missing: Missing | None = None
    """As in the thread's policies."""
    questions: Questions | None = None
    """As in the thread's policies."""


class CharacterSection(Section):
    """A member of the cast, under its name. Names match without regard to case and accents."""

    player: Persons = ()
    """Who declares for it: a user id, or ``{id: 57, name: Lucía}``."""
    players: Persons = ()
    """The same for several persons; whoever declares last before the lock counts."""
    npc: bool = False
    """``true``: the game master declares for it."""
    side: Text | None = None
    """Sides fight one another. Left out: ``players``, for an NPC ``foes``."""
    sheet: Open = Field(default_factory=dict)
    """Its figures, by the ruleset's ids or in the game's words (``strength`` or ``Fuerza``), or the
    name of a YAML file beside the config."""
    state: Open = Field(default_factory=dict)
    """How it starts: wounds, position, what is not at hand."""
    gender: Gender = "n"
    """``m``, ``f`` or ``n``: how Spanish adjectives agree with it."""
    count: Annotated[int, Field(ge=1, le=50)] | None = None
    """A group: ``Bandido`` with ``count: 3`` is Bandido 1, Bandido 2 and Bandido 3."""
    policies: CharacterPoliciesSection = CharacterPoliciesSection()
    """Where it differs from its thread."""


class ThreadSection(Section):
    """A thread in which a fight is played, under a name of your own."""

    site: Needed = ""
    """Name of a site of this file."""
    topic: Needed = ""
    """The topic's id or address on the site; for a folder, its name."""
    ruleset: Needed = ""
    """The game."""
    gm: Annotated[Persons, REQUIRED] = ()
    """Game master and deputies: user ids on the site."""
    title: Annotated[str, StringConstraints(max_length=200)] = ""
    """What lists call it; the thread's own title where left out."""
    language: Text | None = None
    """Language of the referee's posts; the file's where left out."""
    timezone: Text | None = None
    """Zone of its deadlines; the file's where left out."""
    cast: NeededMap = Field(default_factory=dict)
    """The characters by name."""
    scene: Open = Field(default_factory=dict)
    """Where they stand, the light, who is surprised: as the ruleset names it."""
    options: Open = Field(default_factory=dict)
    """House rules of this fight, as the ruleset names them."""
    policies: Open = Field(default_factory=dict)
    """Where it differs from the file's policies."""


class SiteSection(Section):
    """A forum and the referee's account there, under a name of your own.

    The password or key never stands here: it is read from an environment variable, a file, or a
    systemd credential when the daemon logs in. ``referee check`` says which ones are not there.
    """

    adapter: Needed = ""
    """The platform."""
    base_url: Needed = ""
    """Address of the forum's front page; for a folder, the directory that holds its threads."""
    username: Annotated[str, StringConstraints(max_length=100)] = ""
    """The referee's account."""
    password_env: EnvironmentName | None = None
    """Environment variable with its password, in capitals."""
    password_file: Text | None = None
    """File with its password, and nothing else."""
    password_credential: Text | None = None
    """Name of a systemd credential with its password."""
    api_key_env: EnvironmentName | None = None
    """Environment variable with an API key, for platforms that have them."""
    api_key_file: Text | None = None
    """File with an API key."""
    api_key_credential: Text | None = None
    """Name of a systemd credential with an API key."""
    allow_private: bool = False
    """``true``: the address may be of this machine or an inner network."""
    rate: Annotated[float, Field(ge=0.01, le=20)] | None = None
    """Requests a second at most; that of ``polling`` where left out."""
    interval: LengthText | None = None
    """How often its threads are read; that of ``polling`` where left out."""
    quiet: HoursText | None = None
    """Hours in which its threads are not read, such as ``01:00-08:00``, in each thread's time
    zone. What is posted then is read in the morning; your own commands are still carried out."""
    ignore_robots_because: Annotated[str, StringConstraints(min_length=10, max_length=300)] = ""
    """Why the site's robots.txt does not count, such as ``leave by the administrator, 2 May``.
    Left out: threads that it closes to programs are not read, and its Crawl-delay is kept."""
    options: Open = Field(default_factory=dict)
    """Settings of the adapter, as its page names them."""
    profile: Text | Open | None = None
    """For ``adapter: profile``: a built-in selector profile, or a YAML file of your own."""
    owner_consents: Text | None = None
    """Who of the owners gave leave and when, for sites whose terms forbid programs."""


class NightSection(Section):
    """Hours in which forums are read less often."""

    hours: HoursText
    """In the file's time zone, such as ``01:00-07:00``."""
    interval: LengthText
    """How often then."""


class PollingSection(Section):
    """How forums are read."""

    interval: LengthText = Length(seconds=60)
    """How often a thread is read."""
    jitter: Annotated[float, Field(ge=0, le=1)] = 0.1
    """Share of the interval by which it may come earlier or later."""
    rate: Annotated[float, Field(ge=0.01, le=20)] = 0.5
    """Requests a second at most, for each site."""
    night: NightSection | None = None
    """Fewer reads at night."""
    contact: Annotated[str, StringConstraints(max_length=200)] = ""
    """Mail or address that forums' owners find in their logs. Needed as soon as a site is neither a
    folder nor ``allow_private``."""


def _servers(value: object) -> object:
    return [value] if isinstance(value, str) else value


class BeaconSection(Section):
    """Where the public beacon's values are asked for; which rounds wait for one, policies say."""

    servers: Annotated[
        tuple[Text, ...], BeforeValidator(_servers), Field(min_length=1, max_length=20)
    ] = ("https://api.drand.sh", "https://api2.drand.sh", "https://drand.cloudflare.com")
    """Addresses of drand relays, the first one first. A value is taken only with its signature."""
    allow_private: bool = False
    """``true``: an address may be of this machine or an inner network."""


class LogSection(Section):
    """What the daemon writes down."""

    level: LogLevel = "info"
    """The least that is written."""
    file: Text | None = None
    """Where to, beside the config; the standard error stream where left out."""
    json_lines: bool = False
    """``true``: one JSON object a line."""


class DatabaseSection(Section):
    """Where rounds and dice are kept. A bare address does as well."""

    url: Text = "sqlite:///var/referee.db"
    """SQLite (beside the config) or ``postgresql+psycopg://user@host/name``."""
    password_env: EnvironmentName | None = None
    """Environment variable with the password."""
    password_file: Text | None = None
    """File with the password, and nothing else."""
    password_credential: Text | None = None
    """Name of a systemd credential with the password."""


class FileSection(Section):
    """The file as a whole."""

    database: Annotated[DatabaseSection, BeforeValidator(_database)] = DatabaseSection()
    """Where rounds and dice are kept."""
    language: Text = "es"
    """Language of the referee's posts and messages."""
    timezone: Text = "UTC"
    """Zone of deadlines and night hours, such as ``Europe/Madrid``."""
    polling: PollingSection = PollingSection()
    """How forums are read."""
    log: LogSection = LogSection()
    """What the daemon writes down."""
    beacon: BeaconSection = BeaconSection()
    """Where the public beacon's values are asked for."""
    templates: Text | None = None
    """Your own folder of templates, words and table rows, beside the config."""
    tables: Open = Field(default_factory=dict)
    """Rows of a ruleset's tables to change: by ruleset, table, row and column; or file names."""
    policies: Open = Field(default_factory=dict)
    """How rounds are run where a thread says nothing else."""
    sites: NeededMap = Field(default_factory=dict, max_length=100)
    """The forums by name."""
    threads: Open = Field(default_factory=dict, max_length=500)
    """The threads by name."""


INSIDE: Final[Mapping[tuple[type[Section], str], type[Section]]] = {
    (FileSection, "policies"): PoliciesSection,
    (FileSection, "sites"): SiteSection,
    (FileSection, "threads"): ThreadSection,
    (ThreadSection, "cast"): CharacterSection,
    (ThreadSection, "policies"): PoliciesSection,
}
"""Sections that are checked one by one, so that a mistake in one hides none in another."""
