"""What a config says, complete and checked: frozen dataclasses, and where secrets are to be found.

No secret is ever part of a ``Config``: it knows where a password is, and asks there at each login.
So a variable that is not set stops nothing but that login.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, Literal, Self
from urllib.parse import quote, urlsplit, urlunsplit
from zoneinfo import ZoneInfo

from adapters.base import Account
from adapters.profile import Profile
from referee.data import Data
from referee.deadlines import DeadlinePolicy, Hours, Length
from referee.errors import SecretMissingError
from rulesets.core.ruleset import CharacterSetup, Setup

MAX_SECRET_BYTES: Final = 4096

Missing = Literal["wait", "standing", "defend", "gm", "nothing"]
Order = Literal["strict", "free"]
Questions = Literal["ask", "default"]
Gender = Literal["m", "f", "n"]
LogLevel = Literal["debug", "info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class SecretSource:
    """Where a password or key is to be found.

    Attributes:
        kind: An environment variable, a file, or a systemd credential.
        name: The variable's name, the file's absolute path, or the credential's name.
    """

    kind: Literal["env", "file", "credential"]
    name: str

    def read(self, environ: Mapping[str, str]) -> str:
        """The secret itself, for use at once: never keep, log or print it.

        Args:
            environ: The environment; systemd names the credentials' directory there.

        Raises:
            SecretMissingError: it is not there, or empty.
        """
        if self.kind == "env":
            secret = environ.get(self.name, "")
        elif self.kind == "file":
            secret = _held_by(Path(self.name))
        else:
            folder = environ.get("CREDENTIALS_DIRECTORY")
            secret = _held_by(Path(folder) / self.name) if folder else ""
        if not secret:
            raise SecretMissingError("secret_missing", f"set_secret_{self.kind}", name=self.name)
        return secret


def _held_by(path: Path) -> str:
    """What a file holds but for the line's end; empty where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(MAX_SECRET_BYTES).decode().rstrip("\r\n")
    except (OSError, UnicodeDecodeError):
        return ""


@dataclass(frozen=True, slots=True)
class Database:
    """Where rounds and dice are kept.

    Attributes:
        shown: The address without a password, for people.
        password: Where the password is, if it stands apart from the address.
    """

    shown: str
    password: SecretSource | None = None
    _url: str = field(default="", repr=False)

    def url(self, environ: Mapping[str, str]) -> str:
        """The whole address, as SQLAlchemy takes it.

        Raises:
            SecretMissingError: the password is not where the config says.
        """
        if self.password is None:
            return self._url
        parts = urlsplit(self._url)
        user, _, host = parts.netloc.rpartition("@")
        secret = quote(self.password.read(environ), safe="")
        return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}:{secret}@{host}"))


@dataclass(frozen=True, slots=True)
class Night:
    """Hours in which forums are read less often, in the config's zone."""

    hours: Hours
    interval: timedelta


@dataclass(frozen=True, slots=True)
class Polling:
    """How forums are read.

    Attributes:
        interval: How often a thread is read.
        jitter: Share of the interval by which it may come earlier or later, 0 to 1.
        rate: Requests a second at most, for each site.
        night: Fewer reads at night.
        contact: Mail or address for forums' owners; may be empty.
    """

    interval: timedelta
    jitter: float
    rate: float
    night: Night | None
    contact: str


@dataclass(frozen=True, slots=True)
class BeaconServers:
    """Where the public beacon is asked for.

    Attributes:
        servers: Addresses without an ending slash.
        allow_private: Whether one may be of this machine or an inner network.
    """

    servers: tuple[str, ...]
    allow_private: bool


@dataclass(frozen=True, slots=True)
class Log:
    """What the daemon writes down; without a file it goes to the standard error stream."""

    level: LogLevel
    file: Path | None
    json_lines: bool


@dataclass(frozen=True, slots=True)
class Site:
    """A forum and the referee's account there.

    Attributes:
        name: As the threads name it.
        adapter: The platform.
        base_url: Address without an ending slash, or an absolute directory.
        username: The referee's account; may be empty for a directory.
        secret: Where its password or key is.
        secret_is_key: Whether it is an API key and no password.
        allow_private: Whether the address may be of this machine or an inner network.
        rate: Requests a second at most.
        interval: How often its threads are read.
        quiet: Hours in which they are not read at all, by each thread's own clock.
        ignore_robots_because: Why its robots.txt is not asked for; empty where it is.
        options: Settings of the adapter.
        profiles: For the adapter that reads by selector profiles: the profile, and the engines
            that it chooses from.
    """

    name: str
    adapter: str
    base_url: str
    username: str
    secret: SecretSource | None
    secret_is_key: bool
    allow_private: bool
    rate: float
    interval: timedelta
    quiet: Hours | None
    ignore_robots_because: str
    options: Mapping[str, Any]
    profiles: tuple[Profile, ...] = ()

    @property
    def traits(self) -> dict[str, Any]:
        """All that its adapter takes by name."""
        return {**self.options, **({"profiles": self.profiles} if self.profiles else {})}

    def account(self, environ: Mapping[str, str]) -> Account:
        """Who the referee is there, with the secret read anew.

        Raises:
            SecretMissingError: the secret is not where the config says.
        """
        secret = self.secret.read(environ) if self.secret else ""
        return Account(self.username, secret, is_key=self.secret_is_key)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody on a forum: the user id decides, the name is for messages and may be empty."""

    id: str
    name: str = ""


TWO_DAYS: Final = DeadlinePolicy(length=Length(seconds=48 * 3600))
ONE_DAY: Final = DeadlinePolicy(length=Length(seconds=24 * 3600))


@dataclass(frozen=True, slots=True)
class Policies:
    """How a thread's rounds are run; these are the values where the config says nothing.

    Attributes:
        deadline: When a round closes; None for never by itself.
        hold_back: Wait after the last missing declaration.
        order: Whether declarations come in the ruleset's order.
        missing: What a character does whose player has not declared.
        questions: Whether choices in mid-round are asked.
        question_deadline: How long a question waits; None for ever.
        review: Whether the game master lets each round through.
        max_post_chars: Longest post, where it is to be shorter than the site's.
        beacon: Whether a lock waits for a public beacon.
    """

    deadline: DeadlinePolicy | None = TWO_DAYS
    hold_back: timedelta = timedelta(minutes=15)
    order: Order = "free"
    missing: Missing = "standing"
    questions: Questions = "default"
    question_deadline: DeadlinePolicy | None = ONE_DAY
    review: bool = False
    max_post_chars: int | None = None
    beacon: bool = False


@dataclass(frozen=True, slots=True)
class Character:
    """A member of the cast.

    Attributes:
        name: Unique in its thread, even without case and accents.
        side: Sides fight one another.
        npc: Whether the game master declares for it.
        players: Who else declares for it.
        gender: How Spanish adjectives agree with it.
        sheet: Its figures, as the ruleset names them.
        state: How it starts.
        missing: What it does when nobody has declared for it.
        questions: Whether choices in mid-round are asked of its players.
        listed_as: Its name in the config; that of its group for one of a group.
    """

    name: str
    side: str
    npc: bool
    players: tuple[Person, ...]
    gender: Gender
    sheet: Mapping[str, Any]
    state: Mapping[str, Any]
    missing: Missing
    questions: Questions
    listed_as: str


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread in which a fight is played.

    Attributes:
        key: As the config names it.
        site: Name of its site.
        topic: Id or address on the site.
        ruleset: The game.
        language: Language of the posts.
        zone: Time zone of the deadlines.
        title: What lists call it; may be empty.
        gm: Game master and deputies, never empty.
        cast: In the order of the config.
        scene: As the ruleset names it.
        options: House rules, as the ruleset names them.
        policies: How rounds are run.
    """

    key: str
    site: str
    topic: str
    ruleset: str
    language: str
    zone: ZoneInfo
    title: str
    gm: tuple[Person, ...]
    cast: tuple[Character, ...]
    scene: Mapping[str, Any]
    options: Mapping[str, Any]
    policies: Policies

    @property
    def setup(self) -> Setup:
        """What the fight starts from."""
        cast = tuple(
            CharacterSetup(member.name, member.side, member.npc, member.sheet, member.state)
            for member in self.cast
        )
        return Setup(cast, self.scene, self.options)

    def prepared(self, setup: Setup) -> Self:
        """The same thread with what a fight starts from in the ruleset's own ids."""
        cast = tuple(
            replace(member, sheet=one.sheet, state=one.state)
            for member, one in zip(self.cast, setup.cast, strict=True)
        )
        return replace(self, cast=cast, scene=setup.scene, options=setup.options)

    def character(self, name: str) -> Character:
        """A member of the cast by its exact name.

        Raises:
            KeyError: nobody has it.
        """
        for member in self.cast:
            if member.name == name:
                return member
        raise KeyError(name)


@dataclass(frozen=True, slots=True)
class Config:
    """The whole file, complete and checked.

    Attributes:
        path: The file, as it was given.
        database: Where rounds and dice are kept.
        language: Language of messages outside of threads.
        zone: Time zone of the night hours, and of threads that name none.
        polling: How forums are read.
        log: What the daemon writes down.
        beacon: Where the public beacon is asked for.
        templates: The game master's own folder, absolute.
        tables: Rows to change: by ruleset, then by table; for ``Data``.
        sites: By name.
        threads: By key.
        files: Every file that was read, with its digest (empty: it was not there).
        root: The file as parsed, which knows where everything stands.
    """

    path: Path
    database: Database
    language: str
    zone: ZoneInfo
    polling: Polling
    log: Log
    beacon: BeaconServers
    templates: Path | None
    tables: Mapping[str, Any]
    sites: Mapping[str, Site]
    threads: Mapping[str, Thread]
    files: Mapping[Path, str] = field(repr=False, compare=False)
    root: Any = field(repr=False, compare=False)

    @property
    def data(self) -> Data:
        """A new reader of tables, words and templates, with what this config changes in them."""
        return Data(self.templates, self.tables)
