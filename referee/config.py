"""config.yaml -> frozen dataclasses, or all its problems at once.

``load`` reads the file and every sheet and table that it names, checks each section by itself so
that a mistake in one hides none in another, and lets each thread's ruleset look at its cast. What
comes out is complete: paths are absolute, policies are handed down, groups are single characters.
What may stand in the file is ``referee.schema``, what comes out of it ``referee.settings``.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from pathlib import Path
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Final, Literal, Protocol, Union, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, available_timezones

from pydantic import create_model

from adapters.profile import Profile
from referee import schema
from referee.checking import BY_KEY, Checker, Meant, problem_at, safe, setup_problem, sounds_secret
from referee.data import Data
from referee.deadlines import DeadlinePolicy, Length
from referee.documents import (
    Place,
    Steps,
    YamlMap,
    digest_of,
    listed,
    nearest,
    place_of,
    plain,
    shortened,
)
from referee.errors import ConfigError, ConfigProblem, SecretMissingError
from referee.evidence import signature_checker
from referee.glossary import Glossary, in_ids
from referee.profiles import builtin, builtin_names, read_profiles
from referee.settings import (
    BeaconServers,
    Character,
    Config,
    Database,
    Log,
    Night,
    Person,
    Policies,
    Polling,
    SecretSource,
    Site,
    Thread,
)
from rulesets.core.declarations import fold
from rulesets.core.questions import SetupError, SetupProblem
from rulesets.core.ruleset import Ruleset, Setup

__all__ = [
    "Character",
    "Config",
    "Database",
    "Log",
    "Night",
    "Person",
    "Policies",
    "Polling",
    "SecretSource",
    "Site",
    "Thread",
    "check_fight",
    "load",
    "missing_secrets",
]

MAX_CAST: Final = 200
PROFILE_FILES: Final = (".yaml", ".yml")
SECRET_KINDS: Final = ("env", "file", "credential")
PROFILED: Final = "profile"
"""The adapter that reads by selector profiles."""
DATABASES: Final = ("sqlite", "postgresql", "postgresql+psycopg")

# A deadline that names a clock time but no length: long enough that a round which opens just
# before that time does not close at once, short enough for one round a day.
BEFORE_CLOCK: Final = Length(seconds=12 * 3600)


class Platform(Protocol):
    """A class of adapters, as the registry lists them."""

    @property
    def platform(self) -> str:
        """Its name in the config."""
        ...


def load(
    path: Path,
    *,
    platforms: Sequence[Platform] | None = None,
    games: Sequence[Ruleset] | None = None,
) -> Config:
    """Read a config with all that it names.

    Args:
        path: The file.
        platforms: The adapters; those of the registry where left out.
        games: The rulesets; those of the registry where left out.

    Raises:
        ConfigError: it cannot be used; holds every problem found.
    """
    if platforms is None:
        from adapters.registry import ADAPTERS  # noqa: PLC0415 - slow to import, not always needed

        platforms = ADAPTERS
    if games is None:
        from rulesets.registry import RULESETS  # noqa: PLC0415 - likewise

        games = RULESETS
    options = {platform.platform: _options(platform) for platform in platforms}
    loader = _Loader(path, options, {game.id: game for game in games})
    config = loader.config()
    if config is None or loader.problems:
        raise ConfigError(loader.sorted_problems(), loader.files)
    return config


def check_fight(
    thread: Thread,
    ruleset: Ruleset,
    tables: object,
    root: object,
    glossary: Glossary,
    meant: Meant = nearest,
) -> tuple[Thread, tuple[ConfigProblem, ...]]:
    """A thread in its ruleset's own ids, and what the ruleset finds wrong with it.

    Args:
        thread: The thread.
        ruleset: Its game.
        tables: The game's tables, from ``read_tables``.
        root: The config as parsed (``Config.root``), for the places.
        glossary: The words that a sheet may use instead of ids.
        meant: Picks the candidate that a wrong word stands for.
    """

    def refusals(setup: Setup) -> tuple[SetupProblem, ...]:
        try:
            ruleset.new_fight(setup, tables)
        except SetupError as error:
            return error.problems
        return ()

    translation = in_ids(thread.setup, refusals, glossary)
    listed_as = {member.name: member.listed_as for member in thread.cast}
    problems = []
    for problem in translation.problems:
        path = _fight_path(("threads", thread.key), translation.as_written(problem.path), listed_as)
        place = place_of(root, path, key=problem.code in BY_KEY)
        called = glossary.say(problem.candidates)
        suggested = partial(_either, meant, problem.candidates)
        problems.append(setup_problem(replace(problem, candidates=called), place, path, suggested))
    return thread.prepared(translation.setup), tuple(dict.fromkeys(problems))


def _either(meant: Meant, ids: Sequence[str], word: str, called: Sequence[str]) -> str:
    """The id or the word for one that a wrong word stands for."""
    return meant(word, called) or meant(word, ids)


def missing_secrets(config: Config, environ: Mapping[str, str]) -> tuple[ConfigProblem, ...]:
    """Passwords and keys that are not where the config says: ``referee check`` shows them.

    They stop no other site, so they are no reason to refuse the config.
    """
    asked: list[tuple[SecretSource, Steps]] = [
        (site.secret, ("sites", site.name)) for site in config.sites.values() if site.secret
    ]
    if config.database.password:
        asked.append((config.database.password, ("database",)))
    found: list[ConfigProblem] = []
    for source, path in asked:
        try:
            source.read(environ)
        except SecretMissingError:
            place = place_of(config.root, path)
            code = f"no_secret_in_{source.kind}"
            found.append(problem_at(code, place, path, expected=source.name))
    return tuple(found)


# ---------------------------------------------------------------------------------- loading


class _Loader(Checker):
    """One reading of a config: problems pile up, and each part is built if it can be."""

    def __init__(
        self,
        path: Path,
        platforms: Mapping[str, type[schema.Section]],
        games: Mapping[str, Ruleset],
    ) -> None:
        super().__init__(str(path), Data())
        self.path = path
        self.folder = path.absolute().parent
        self.platforms = platforms
        self.games = games
        self.languages = Data().languages()
        # Threads with a sheet that could not be read: the ruleset would only repeat it.
        self.unread: set[str] = set()

    # -------------------------------------------------------------- files

    def include(self, parent: object, key: str, path: Steps) -> bool:
        """Put a file's values where its name stands; False where that failed."""
        if not isinstance(parent, YamlMap) or not isinstance(parent.get(key), str):
            return True
        name = str(parent[key])
        target = self.folder / name
        if not target.is_file():
            self.files[target] = ""
            beside = sorted(p.name for p in self.folder.glob("*.yaml"))[:200]
            self.add("no_such_file", path, given=name, suggestion=nearest(name, beside))
            return False
        before = len(self.problems)
        root = self.read(target, (self.path.parent / name).as_posix())
        if not isinstance(root, YamlMap):
            if len(self.problems) == before:
                place = Place((self.path.parent / name).as_posix(), 1, 1)
                code = "empty_file" if root is None else "not_mapping"
                self.problems.append(problem_at(code, place, path))
            return False
        parent.put(key, root, parent.keys_at[key], parent.values_at[key])
        return True

    def includes(self) -> None:
        """Read the sheets and tables that the config names."""
        for key, thread in _maps(self.root, "threads"):
            for name, member in _maps(thread, "cast"):
                path = ("threads", key, "cast", name, "sheet")
                is_read = self.include(member, "sheet", path)
                if not is_read or not isinstance(member.get("sheet"), (dict, type(None))):
                    self.unread.add(key)
                if not is_read:
                    member.put("sheet", YamlMap(member.place), member.place, member.place)
        for name, site in _maps(self.root, "sites"):
            if str(site.get("profile") or "").endswith(PROFILE_FILES):
                self.include(site, "profile", ("sites", name, "profile"))
        tables = self.root.get("tables")
        for game in list(tables) if isinstance(tables, YamlMap) else ():
            self.include(tables, game, ("tables", game))
            inside = tables[game]
            for stem in list(inside) if isinstance(inside, YamlMap) else ():
                self.include(inside, stem, ("tables", game, stem))

    # -------------------------------------------------------------- sections

    def config(self) -> Config | None:
        """The whole config, as far as it can be built; problems tell the rest."""
        root = self.read(self.folder / self.path.name, str(self.path))
        if not isinstance(root, YamlMap):
            if not self.problems:
                code = "empty_file" if root is None else "not_mapping"
                self.problems.append(problem_at(code, Place(str(self.path), 1, 1), ()))
            return None
        self.root = root
        self.includes()
        file = self.section(schema.FileSection, root, ())
        policies = self.policies(Policies(), root, ())
        polling = _polling(file.polling)
        zone = self.zone(file.timezone, ("timezone",))
        language = self.language(file.language, ("language",))
        defaults = _Defaults(language, zone, policies)
        sites = {
            name: self.site(name, raw, polling) for name, raw in self.entries(root, "sites", ())
        }
        self.contact(polling, sites.values())
        threads = {
            key: self.thread(key, raw, defaults) for key, raw in self.entries(root, "threads", ())
        }
        self.topics(threads.values())
        templates = self.directory(file.templates, ("templates",))
        for name in file.tables:
            if name not in self.games:
                self.unknown("unknown_ruleset", ("tables", name), name, self.games)
        threads = self.fights(threads, Data(templates, file.tables))
        database = self.database(file.database)
        self.files.update({own: digest_of(own) for own in Data(templates).own_files()})
        return Config(
            path=self.path,
            database=database,
            language=language,
            zone=zone,
            polling=polling,
            log=Log(
                file.log.level,
                self.folder / file.log.file if file.log.file else None,
                file.log.json_lines,
            ),
            beacon=self.beacon(file.beacon),
            templates=templates,
            tables=MappingProxyType(file.tables),
            sites=MappingProxyType(sites),
            threads=MappingProxyType(threads),
            files=MappingProxyType(self.files),
            root=root,
        )

    def entries(self, parent: object, key: str, above: Steps) -> Iterator[tuple[str, YamlMap]]:
        """Sections of a mapping of sections, by name; one left empty has only its defaults."""
        inside = parent.get(key) if isinstance(parent, dict) else None
        if not isinstance(inside, YamlMap):
            return
        for name, value in list(inside.items()):
            if isinstance(value, YamlMap):
                yield name, value
            elif value is None:
                yield name, YamlMap(inside.keys_at[name])
            else:
                path = (*above, key, name)
                # What stands there instead of a site may be its password.
                shown = "" if key == "sites" else safe(value, path)
                self.add("not_mapping", path, given=shown)

    def zone(self, name: str, path: Steps) -> ZoneInfo:
        """A time zone by its name."""
        try:
            return ZoneInfo(name)
        except (KeyError, ValueError, OSError):
            zones = sorted(available_timezones())
            city = fold(name).replace(" ", "_")
            ends = [zone for zone in zones if fold(zone).rpartition("/")[2] == city]
            suggestion = ends[0] if len(ends) == 1 else nearest(name, zones)
            self.add("unknown_zone", path, given=shortened(name), suggestion=suggestion)
            return ZoneInfo("UTC")

    def language(self, name: str, path: Steps) -> str:
        """A language that has words."""
        if name not in self.languages:
            self.unknown("unknown_language", path, name, self.languages)
        return name

    def directory(self, name: str | None, path: Steps) -> Path | None:
        """A directory beside the config."""
        if name is None:
            return None
        found = self.folder / name
        if not found.is_dir():
            self.add("no_such_directory", path, given=name)
        return found

    def key(self, kind: str, name: str) -> None:
        """Check the name of a site or thread."""
        wanted = "-".join(re.findall(r"[a-z0-9_]+", fold(name)))[:40]
        if wanted != name:
            self.add("bad_key", (kind, name), given=shortened(name), suggestion=wanted)

    def database(self, section: schema.DatabaseSection) -> Database:
        """The database's address, with a file made absolute."""
        url, path = section.url, ("database",)
        scheme, separator, rest = url.partition("://")
        if not separator or scheme not in DATABASES:
            given = scheme if separator else ""
            self.unknown("unknown_database", path, given, DATABASES)
        if scheme == "sqlite" and rest.startswith("/") and rest not in {"/", "/:memory:"}:
            file, mark, query = rest[1:].partition("?")
            url = f"sqlite:///{self.folder / file}{mark}{query}"
        secret, _ = self.secret(section, path)
        if secret is not None and "@" not in rest:
            self.add("no_database_user", path, expected="postgresql://user@host/name")
        shown = url
        if "@" in rest:
            user = rest.partition("@")[0].partition(":")[0]
            shown = f"{scheme}://{user}@{rest.rpartition('@')[2]}"
        return Database(shown, secret, url)

    def secret(
        self, section: schema.SiteSection | schema.DatabaseSection, path: Steps
    ) -> tuple[SecretSource | None, bool]:
        """Where a section's secret is, and whether it is an API key."""
        found: list[tuple[SecretSource, bool]] = []
        named: list[str] = []
        for what in ("password", "api_key"):
            for kind in SECRET_KINDS:
                name = getattr(section, f"{what}_{kind}", None)
                if name is not None:
                    named.append(f"{what}_{kind}")
                    full = str(self.folder / name) if kind == "file" else name
                    found.append((SecretSource(kind, full), what == "api_key"))
        if len(found) > 1:
            self.add("two_secrets", (*path, named[1]), expected=listed(named))
        return found[0] if found else (None, False)

    def site(self, name: str, raw: YamlMap, polling: Polling) -> Site:
        """One site."""
        path = ("sites", name)
        self.key("sites", name)
        section = self.section(schema.SiteSection, raw, path)
        if section.adapter and section.adapter not in self.platforms:
            self.unknown("unknown_adapter", (*path, "adapter"), section.adapter, self.platforms)
        options: Mapping[str, Any] = {}
        if section.adapter in self.platforms:
            model = self.platforms[section.adapter]
            given = self.section(model, section.options, (*path, "options"))
            options = given.model_dump(exclude_unset=True)
        self.leave(section, path)
        profiles = self.profiles(section, raw, path)
        secret, is_key = self.secret(section, path)
        base_url = section.base_url
        if base_url:
            base_url = self.base_url(base_url, (*path, "base_url"))
        # A profile without a login reads as a guest.
        if "://" in base_url and not (profiles and all(one.login is None for one in profiles)):
            if not section.username:
                self.add("missing", (*path, "username"))
            kinds = tuple(f"_{kind}" for kind in SECRET_KINDS)
            names = [f for f in schema.SiteSection.model_fields if f.endswith(kinds)]
            if not any(sounds_secret(key) for key in raw):
                self.add("no_secret_named", path, expected=listed(names))
        return Site(
            name=name,
            adapter=section.adapter,
            base_url=base_url,
            username=section.username,
            secret=secret,
            secret_is_key=is_key,
            allow_private=section.allow_private,
            rate=section.rate or polling.rate,
            interval=section.interval.roughly if section.interval else polling.interval,
            quiet=section.quiet,
            ignore_robots_because=section.ignore_robots_because,
            options=options,
            profiles=profiles,
        )

    def contact(self, polling: Polling, sites: Iterable[Site]) -> None:
        """Check that whoever runs a real forum can learn whose program this is."""
        real = [site.name for site in sites if "://" in site.base_url and not site.allow_private]
        if real and not polling.contact:
            self.add("no_contact", ("polling", "contact"), given=listed(real))

    def leave(self, section: schema.SiteSection, path: Steps) -> None:
        """Check that a site's terms let a program in, or that its owner does."""
        from adapters.registry import FORBIDDEN_HOSTS  # noqa: PLC0415 - slow to import

        try:
            host = (urlsplit(section.base_url).hostname or "").rstrip(".")
        except ValueError:
            return
        forbids = [name for name in FORBIDDEN_HOSTS if f".{host}".endswith(f".{name}")]
        if forbids and not section.owner_consents:
            self.add("site_forbids_programs", (*path, "base_url"), given=forbids[0])

    def profiles(
        self, section: schema.SiteSection, raw: YamlMap, path: Steps
    ) -> tuple[Profile, ...]:
        """The selector profile that a site is read by, with the engines that it chooses from."""
        given, here = section.profile, (*path, "profile")
        if section.adapter != PROFILED:
            if given is not None:
                self.add("profile_without_adapter", here, expected=PROFILED)
            return ()
        if isinstance(given, dict):
            file = raw["profile"].place.file
            stem = path[-1] if file == self.shown else Path(file).stem
            name = "-".join(re.findall(r"[a-z0-9]+", fold(stem)))[:60]
            return read_profiles(raw["profile"], self, here, name or "profile")
        names = builtin_names()
        if given in names:
            return builtin(given)
        if given is None:
            if raw.get("profile") is None:  # one that is there but wrong has been told
                self.add("missing", here)
        elif not given.endswith(PROFILE_FILES):
            self.unknown("unknown_profile", here, given, names)
        return ()

    def beacon(self, section: schema.BeaconSection) -> BeaconServers:
        """The beacon's servers: http or https."""
        path = ("beacon", "servers")
        for number, server in enumerate(section.servers):
            if "://" in server:
                self.base_url(server, (*path, number))
            else:
                self.add("bad_url", path, given=server, expected="https://api.drand.sh")
        servers = tuple(server.rstrip("/") for server in section.servers)
        return BeaconServers(servers, section.allow_private)

    def base_url(self, given: str, path: Steps) -> str:
        """A site's address: http or https, or a directory beside the config."""
        shown = safe(given, path)
        if "://" not in given:
            found = self.folder / given
            if not found.is_dir():
                looks_like_host = re.fullmatch(r"[\w.-]+\.\w+(?::\d+)?(?:/.*)?", given)
                suggestion = f"https://{shown}" if looks_like_host else ""
                self.add("no_such_directory", path, given=shown, suggestion=suggestion)
            return str(found)
        try:
            parts = urlsplit(given)
            is_good = parts.scheme in {"http", "https"} and bool(parts.hostname)
            with_secret = bool(parts.username or parts.password)
            _ = parts.port
        except ValueError:
            is_good = with_secret = False
        if with_secret:
            self.add("secret_in_file", path, suggestion="password_env")
        elif not is_good:
            self.add("bad_url", path, given=shown, expected="https://foro.example.org")
        return given.rstrip("/")

    # -------------------------------------------------------------- threads

    def policies(self, base: Policies, parent: YamlMap, above: Steps) -> Policies:
        """Policies laid over those from above."""
        path = (*above, "policies")
        raw = parent.get("policies")
        section = self.section(schema.PoliciesSection, raw if isinstance(raw, dict) else {}, path)
        changes: dict[str, Any] = {
            name: getattr(section, name)
            for name in ("order", "missing", "questions", "review", "max_post_chars", "beacon")
            if getattr(section, name) is not None
        }
        if section.beacon and signature_checker() is None:
            # An unchecked value would let whoever runs the referee choose the dice.
            self.add("beacon_library_missing", (*path, "beacon"))
        if section.hold_back is not None:
            changes["hold_back"] = section.hold_back.roughly
        for name in ("deadline", "question_deadline"):
            given: schema.DeadlineSection | None = getattr(section, name)
            if given is not None:
                changes[name] = self.deadline(getattr(base, name), given, (*path, name))
        return replace(base, **changes)

    def deadline(
        self, base: DeadlinePolicy | None, given: schema.DeadlineSection, path: Steps
    ) -> DeadlinePolicy | None:
        """A deadline laid over the one from above, part by part."""
        if given.never:
            return None
        changes = {
            "weekdays" if name == "days" else name: getattr(given, name)
            for name in ("length", "at", "days", "quiet", "shortest", "longest", "grace")
            if getattr(given, name) is not None
        }
        if given.at is not None and given.length is None:
            changes["length"] = BEFORE_CLOCK
        if base is None:
            base = DeadlinePolicy() if "length" in changes else Policies().deadline
        policy = replace(base or DeadlinePolicy(), **changes)
        own = changes.keys()
        longest = (
            policy.longest.roughly if own & {"shortest", "longest"} and policy.longest else None
        )
        if longest is not None and longest < policy.shortest.roughly:
            self.add("shortest_over_longest", path)
        if own & {"at", "quiet"} and policy.at and policy.quiet and policy.quiet.holds(policy.at):
            self.add("clock_in_quiet_hours", path, given=f"{policy.at:%H:%M}")
        if "length" in own and not policy.length.roughly:
            self.add("out_of_range", path, expected="≥ 1 min")
        return policy

    def thread(self, key: str, raw: YamlMap, defaults: "_Defaults") -> Thread:
        """One thread."""
        path = ("threads", key)
        self.key("threads", key)
        section = self.section(schema.ThreadSection, raw, path)
        policies = self.policies(defaults.policies, raw, path)
        sites = self.root.get("sites")
        names = list(sites) if isinstance(sites, YamlMap) else []
        if section.site and section.site not in names:
            self.unknown("unknown_site", (*path, "site"), section.site, names)
        if section.ruleset and section.ruleset not in self.games:
            self.unknown("unknown_ruleset", (*path, "ruleset"), section.ruleset, self.games)
        language, zone = defaults.language, defaults.zone
        if section.language is not None:
            language = self.language(section.language, (*path, "language"))
        if section.timezone is not None:
            zone = self.zone(section.timezone, (*path, "timezone"))
        return Thread(
            key=key,
            site=section.site,
            topic=section.topic,
            ruleset=section.ruleset,
            language=language,
            zone=zone,
            title=section.title,
            gm=tuple(Person(person.id, person.name) for person in section.gm),
            cast=self.cast(raw, path, policies),
            scene=plain(section.scene),
            options=plain(section.options),
            policies=policies,
        )

    def cast(self, raw: YamlMap, above: Steps, policies: Policies) -> tuple[Character, ...]:
        """The characters of a thread, groups taken apart."""
        cast: list[Character] = []
        for name, member in self.entries(raw, "cast", above):
            path = (*above, "cast", name)
            self.character_name(name, path)
            section = self.section(schema.CharacterSection, member, path)
            cast.extend(self.characters(name, section, path, policies))
        if len(cast) > MAX_CAST:
            self.add("too_many", (*above, "cast"), expected=f"≤ {MAX_CAST}")
        taken: dict[str, str] = {}
        for character in cast:
            other = taken.setdefault(fold(character.name), character.listed_as)
            if other != character.listed_as:
                path = (*above, "cast", character.listed_as)
                self.add("same_name", path, given=character.name, expected=other)
        return tuple(cast)

    def character_name(self, name: str, path: Steps) -> None:
        """Check that a name can stand in a tag."""
        wrong = sorted({c for c in name if c in schema.NOT_IN_NAMES or not c.isprintable()})
        cleaned = " ".join("".join(" " if c in wrong else c for c in name).split())
        if wrong or not cleaned or len(name) > schema.MAX_NAME:
            self.add(
                "bad_name",
                path,
                given=shortened(name),
                expected=" ".join(schema.NOT_IN_NAMES),
                suggestion=cleaned[: schema.MAX_NAME],
            )

    def keys_at(self, path: Steps) -> set[str]:
        """Keys of a section that were given a value."""
        here = self.root
        for step in path:
            here = here[step]
        return {key for key, value in (here or {}).items() if value is not None}

    def characters(
        self, name: str, section: schema.CharacterSection, path: Steps, policies: Policies
    ) -> Iterable[Character]:
        """A character, or all of its group."""
        players = tuple(
            Person(person.id, person.name) for person in (*section.player, *section.players)
        )
        # Where one of these was given but is wrong, that is the problem.
        told = {"npc", "player", "players"} & self.keys_at(path) - section.model_fields_set
        if not players and not section.npc and not told:
            self.add("no_player", path, given=name)
        own = section.policies
        one = Character(
            name=name,
            side=section.side or ("foes" if section.npc else "players"),
            npc=section.npc,
            players=players,
            gender=section.gender,
            sheet=plain(section.sheet),
            state=plain(section.state),
            missing=own.missing or policies.missing,
            questions=own.questions or policies.questions,
            listed_as=name,
        )
        if section.count is None:
            return (one,)
        return [replace(one, name=f"{name} {number + 1}") for number in range(section.count)]

    def topics(self, threads: Iterable[Thread]) -> None:
        """Two threads of ours in one topic would answer each other."""
        taken: dict[tuple[str, str], str] = {}
        for thread in threads:
            other = taken.setdefault((thread.site, thread.topic), thread.key)
            if other != thread.key and thread.topic:
                path = ("threads", thread.key, "topic")
                self.add("same_topic", path, given=shortened(thread.topic), expected=other)

    # -------------------------------------------------------------- rules

    def fights(self, threads: Mapping[str, Thread], data: Data) -> dict[str, Thread]:
        """Let each ruleset look at its tables, and at the cast and scene of its threads.

        Returns:
            The threads with sheets and scenes in the rulesets' own ids.
        """
        tables = {name: self.tables(game, data) for name, game in self.games.items()}
        checked = dict(threads)
        for key, thread in threads.items():
            found = tables.get(thread.ruleset)
            if found is not None and key not in self.unread:
                game = self.games[thread.ruleset]
                checked[key], problems = check_fight(
                    thread, game, found.all, self.root, self.glossary(thread, data), self.meant
                )
                self.problems.extend(problems)
        return checked

    def glossary(self, thread: Thread, data: Data) -> Glossary:
        """The words of a thread's game, its own language first."""
        languages = sorted(self.languages, key=lambda name: name != thread.language)
        return Glossary(
            data.terms(lang, thread.ruleset)
            for lang in languages
            if data.has_terms(lang, thread.ruleset)
        )

    def tables(self, game: Ruleset, data: Data) -> "_Tables | None":
        """A game's tables, or None with the problems of the rows that were changed."""
        try:
            raw = data.tables(game.id)
        except LookupError:
            raw = {}
        self.problems.extend(p for p in data.problems if p.field.startswith("tables."))
        try:
            return _Tables(game.read_tables(raw))
        except SetupError as error:
            for problem in error.problems:
                place = data.place_of_row(game.id, problem.path)
                path = ("tables", game.id, *problem.path)
                self.problems.append(setup_problem(problem, place, path, self.meant))
        return None


@dataclass(frozen=True, slots=True)
class _Defaults:
    """What threads inherit from the file."""

    language: str
    zone: ZoneInfo
    policies: Policies


@dataclass(frozen=True, slots=True)
class _Tables:
    """Tables that a ruleset has read, of the ruleset's own type."""

    all: object


def _options(platform: Platform) -> type[schema.Section]:
    """What a site's ``options`` may hold: the plain values that its adapter takes by name."""
    hints = get_type_hints(platform.__init__)  # type: ignore[misc] # of the class
    fields: dict[str, Any] = {
        name: (hints[name], None)
        for name, parameter in signature(platform.__init__).parameters.items()  # type: ignore[misc] # a class
        if parameter.kind is parameter.KEYWORD_ONLY and _is_plain(hints[name])
    }
    return create_model("Options", __base__=schema.Section, **fields)


def _is_plain(hint: Any) -> bool:
    if get_origin(hint) in {Union, UnionType}:
        return all(_is_plain(inside) for inside in get_args(hint))
    return hint in {bool, int, float, str, NoneType} or get_origin(hint) is Literal


def _polling(section: schema.PollingSection) -> Polling:
    night = section.night
    return Polling(
        interval=section.interval.roughly,
        jitter=section.jitter,
        rate=section.rate,
        night=Night(night.hours, night.interval.roughly) if night else None,
        contact=section.contact,
    )


def _maps(parent: YamlMap, key: str) -> Iterator[tuple[str, YamlMap]]:
    """Mappings in a mapping inside another."""
    inside = parent.get(key)
    for name, value in inside.items() if isinstance(inside, YamlMap) else ():
        if isinstance(value, YamlMap):
            yield name, value


def _fight_path(above: Steps, path: Steps, listed_as: Mapping[str, str]) -> Steps:
    """Where the config says what a ruleset calls ``("Lope", "sheet", ...)`` or ``("scene",)``."""
    if path and path[0] in listed_as:
        return (*above, "cast", listed_as[str(path[0])], *path[1:])
    return (*above, *path)
