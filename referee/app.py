"""Builds every object from the config, once; nobody else wires.

What a thread needs (ruleset, tables, words, policies) is built when it is first asked for and kept
until the config changes, so an edit of the config takes effect with the next visit and a thread
whose words or tables are broken stops no other.
"""

import asyncio
import os
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from babel.dates import format_timedelta

from adapters.base import Capabilities
from adapters.folder import Folder, author_id
from adapters.http import Manners, Pace, PoliteHttp
from adapters.registry import BY_NAME
from referee.beacons import BeaconDesk
from referee.clock import Clock, SystemClock
from referee.data import Data
from referee.deadlines import Calendar, DeadlineProblem, locks_at, next_deadline, read_deadline
from referee.declaring import Seats
from referee.evidence import signature_checker
from referee.narration.narrator import Narrator
from referee.narration.press import Sources
from referee.narration.sandbox import TemplateProblem
from referee.narration.stories import Fact, Seat
from referee.settings import Config, Site, Thread
from referee.storage.store import Store
from referee.table import CONSOLE, House, Table, mark_of, tables_hash
from referee.tags import Vocabulary
from referee.telling import Telling
from referee.visiting import SiteDesk, ThreadDesk
from rulesets.core.ruleset import Ruleset
from rulesets.registry import ruleset

Reached = Callable[[str], None]


def silent(name: str) -> None:
    """Hear a checkpoint and do nothing."""
    del name


@dataclass(frozen=True, slots=True)
class World:
    """What the app takes from outside; tests hand in their own.

    Attributes:
        clock: Tells the time.
        secret: ``secret(n)`` gives n random bytes that nobody can guess.
        reached: Hears checkpoints.
        environ: Where secrets are looked up.
        http: Makes a site's client, where it is not the usual one.
        relay: Makes the beacon's client, likewise.
    """

    clock: Clock = field(default_factory=SystemClock)
    secret: Callable[[int], bytes] = secrets.token_bytes
    reached: Reached = silent
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    http: Callable[[Site, Mapping[str, Any]], Any] | None = None
    relay: Callable[[], Any] | None = None


class App:
    """The referee, wired: a store, a desk for each site and each thread."""

    def __init__(self, config: Config, world: World | None = None) -> None:
        """Open the database; forums are asked only when a thread is visited."""
        self.world = world or World()
        self.store = Store.open(config.database.url(self.world.environ), self.world.reached)
        # One thread for the database: its calls are short, and one writer needs no locks.
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="database")
        self._retired: list[SiteDesk] = []
        # Shared: two sites on one host are one visitor to it.
        self._pace = Pace()
        self._beacons: BeaconDesk | None = None
        self.use(config)

    def use(self, config: Config) -> None:
        """Take up a new config; what is open stays open where the config still wants it."""
        self.config = config
        self.data: Data = config.data
        kept = getattr(self, "_sites", {})
        before = getattr(self, "_site_configs", {})
        self._sites: dict[str, SiteDesk] = {
            name: desk for name, desk in kept.items() if config.sites.get(name) == before.get(name)
        }
        # A visit under way may still be using them: they are closed with the rest.
        self._retired += [desk for name, desk in kept.items() if name not in self._sites]
        self._site_configs: Mapping[str, Site] = dict(config.sites)
        self._tables: dict[tuple[str, str], Table] = {}
        self._pace.forget()
        for site in config.sites.values():
            self._pace.keep(_host(site.base_url), 1 / site.rate)
        if self._beacons is not None:
            self._beacons.servers = config.beacon.servers

    async def close(self) -> None:
        """Close connections and the database."""
        for desk in (*self._sites.values(), *self._retired):
            await desk.http.aclose()
        if self._beacons is not None:
            await self._beacons.http.aclose()
        self._executor.shutdown(wait=True)
        self.store.close()

    # -- database ----------------------------------------------------------------------------

    async def write(self, key: str, name: str, function: Callable[..., Any], *args: Any) -> Any:
        """Run ``function(records, key, ...)`` in a named transaction on the database's thread."""

        def run() -> Any:
            with self.store.transaction(name) as records:
                return function(records, key, *args)

        return await asyncio.get_running_loop().run_in_executor(self._executor, run)

    async def read(self, function: Callable[..., Any], *args: Any) -> Any:
        """Run ``function(records, ...)``, which changes nothing, on the database's thread."""

        def run() -> Any:
            with self.store.reading() as records:
                return function(records, *args)

        return await asyncio.get_running_loop().run_in_executor(self._executor, run)

    # -- desks -------------------------------------------------------------------------------

    def thread_desk(self, key: str) -> ThreadDesk:
        """A thread at work.

        Raises:
            KeyError: the config has no such thread.
            SecretMissingError: the site's password is not where the config says.
        """
        thread = self.config.threads[key]

        async def write(name: str, function: Callable[..., Any], *args: Any) -> Any:
            return await self.write(key, name, function, *args)

        return ThreadDesk(
            key=key,
            topic=thread.topic,
            site=self.site_desk(thread.site),
            table=lambda referee_id: self.table(key, referee_id),
            write=write,
            clock=self.world.clock,
            reached=self.world.reached,
        )

    def site_desk(self, name: str) -> SiteDesk:
        """A site at work, with the session that was kept of it."""
        if name not in self._sites:
            site = self.config.sites[name]
            with self.store.reading() as records:
                row = records.site(name)
            saved = {} if row is None else row.session
            adapter = BY_NAME[site.adapter](
                site.base_url, site.account(self.world.environ), **self._extras(site)
            )
            make = self.world.http or self._client
            self._sites[name] = SiteDesk(
                name=name,
                adapter=adapter,
                http=make(site, saved),
                referee_id="" if row is None else row.referee_id,
            )
        return self._sites[name]

    def beacon_desk(self) -> BeaconDesk:
        """The public beacon's servers."""
        if self._beacons is None:
            make = self.world.relay or self._relay
            self._beacons = BeaconDesk(make(), self.config.beacon.servers, signature_checker())
        return self._beacons

    def _relay(self) -> PoliteHttp:
        hosts = frozenset(_host(server) for server in self.config.beacon.servers)
        return PoliteHttp(
            contact=self.config.polling.contact,
            # A server that does not answer soon is passed over for the next one.
            manners=Manners(connect_s=5.0, read_s=10.0, total_s=15.0, read_attempts=1),
            pace=self._pace,
            allow_private=hosts if self.config.beacon.allow_private else frozenset(),
        )

    def _extras(self, site: Site) -> dict[str, Any]:
        extras = site.traits
        if site.adapter == Folder.platform:
            extras["checkpoint"] = self.world.reached
        return extras

    def _client(self, site: Site, saved: Mapping[str, Any]) -> PoliteHttp:
        host = _host(site.base_url)
        return PoliteHttp(
            contact=self.config.polling.contact,
            manners=Manners(requests_per_s=site.rate, robots=not site.ignore_robots_because),
            pace=self._pace,
            allow_private=frozenset({host}) if site.allow_private else frozenset(),
            saved=saved,
        )

    def replaced_templates(self, key: str) -> tuple[TemplateProblem, ...]:
        """Templates of the game master's that broke since this was last asked."""
        tables = [table for (name, _), table in self._tables.items() if name == key]
        return tuple(p for table in tables for p in table.telling.narrator.problems())

    # -- tables ------------------------------------------------------------------------------

    def table(self, key: str, referee_id: str) -> Table:
        """Everything that a thread's rounds need."""
        if (key, referee_id) not in self._tables:
            self._tables[key, referee_id] = self._table(self.config.threads[key], referee_id)
        return self._tables[key, referee_id]

    def _table(self, thread: Thread, referee_id: str) -> Table:
        game = ruleset(thread.ruleset)
        raw = self.data.tables(thread.ruleset)
        tables = game.read_tables(raw)
        words = vocabulary_of(self.data, thread)
        site = self.config.sites[thread.site]
        adapter = BY_NAME[site.adapter](site.base_url, **site.traits)
        names = _ids(site)
        seats = Seats(
            players=_players(thread, names),
            masters=frozenset({CONSOLE, *(names(person.id) for person in thread.gm)}),
            cast=tuple(member.name for member in thread.cast),
        )
        capabilities = adapter.capabilities
        limit = min(capabilities.max_post_chars, thread.policies.max_post_chars or 10**9)
        telling = Telling(
            key=thread.key,
            narrator=narrator_of(self.data, thread, replace(capabilities, max_post_chars=limit)),
            ruleset=game,
            tables=tables,
            vocabulary=words,
            language=thread.language,
            cast=tuple(
                Seat(m.name, m.side, tuple(p.name or p.id for p in m.players), m.npc)
                for m in thread.cast
            ),
            genders={member.name: member.gender for member in thread.cast},
            masters=tuple(replace(p, id=names(p.id)) for p in thread.gm),
            seats=seats,
            zone=thread.zone,
            policies=policy_facts(thread, words, game.words.get("house", ())),
            strict=thread.policies.order == "strict",
            limit=limit,
            letters="read" if capabilities.letters else "none",
            new_mark=lambda: mark_of(self.world.secret),
            setup=thread.setup,
        )
        return Table(
            key=thread.key,
            ruleset=game,
            tables=tables,
            setup=thread.setup,
            seats=seats,
            vocabulary=words,
            house=self._house(thread),
            referee_id=referee_id,
            edits=capabilities.edits,
            secret=self.world.secret,
            telling=telling,
            tables_hash=tables_hash(raw),
        )

    def _house(self, thread: Thread) -> House:
        policies, zone = thread.policies, thread.zone
        calendar = Calendar(zone, self.data.time_words())

        def deadline(opened_at: datetime) -> datetime | None:
            if policies.deadline is None:
                return None
            return next_deadline(opened_at, policies.deadline, zone)

        def question_deadline(asked_at: datetime) -> datetime | None:
            policy = policies.question_deadline
            return None if policy is None else next_deadline(asked_at, policy, zone)

        def grace(shown: datetime | None) -> datetime | None:
            if shown is None or policies.deadline is None:
                return shown
            return locks_at(shown, policies.deadline, zone)

        def read(text: str, now: datetime, current: datetime | None) -> datetime | str:
            found = read_deadline(text, calendar, now, current)
            return found.code if isinstance(found, DeadlineProblem) else found

        return House(
            strict=policies.order == "strict",
            asked=frozenset(m.name for m in thread.cast if m.questions == "ask"),
            rulings=policies.questions == "ask",
            hold_back=policies.hold_back,
            review=policies.review,
            beacon=policies.beacon,
            missing={member.name: member.missing for member in thread.cast},
            deadline=deadline,
            question_deadline=question_deadline,
            locks_at=grace,
            read_deadline=read,
        )


def _host(url: str) -> str:
    """The host of an address; empty for a folder."""
    return (urlsplit(url).hostname or "").casefold()


def _ids(site: Site) -> Callable[[str], str]:
    """From a user id as the config writes it to the id that posts carry."""
    return author_id if site.adapter == Folder.platform else str


def _players(thread: Thread, names: Callable[[str], str]) -> dict[str, tuple[str, ...]]:
    players: dict[str, tuple[str, ...]] = {}
    for member in thread.cast:
        for person in member.players:
            key = names(person.id)
            players[key] = (*players.get(key, ()), member.name)
    return players


def vocabulary_of(data: Data, thread: Thread) -> Vocabulary:
    """The words of a thread: its own language first, then the others; and those of its cast."""
    words = vocabulary_of_game(data, ruleset(thread.ruleset), thread.language)
    return words.with_cast(thread.setup.cast)


def vocabulary_of_game(data: Data, game: Ruleset, language: str) -> Vocabulary:
    """The words of a game, one language before the others."""
    languages = [language, *(name for name in data.languages() if name != language)]
    terms = {
        name: [data.terms(name, game.id), data.terms(name, "common")]
        for name in languages
        if data.has_terms(name, game.id)
    }
    return Vocabulary.of(game.actions, game.orders, game.commands, terms)


def narrator_of(data: Data, thread: Thread, surface: Capabilities) -> Narrator:
    """The voice of a thread, with the game master's own words and templates before ours."""
    language = thread.language
    layers = [data, Data()] if data.own_files() else [data]
    sources = Sources(
        templates=[layer.templates(language) for layer in layers],
        dialects=[layer.dialect_templates() for layer in layers],
        messages=[layer.messages(language) for layer in layers],
        terms=[data.terms(language, thread.ruleset), data.terms(language, "common")],
        phrases=data.phrases(language, thread.ruleset),
    )
    return Narrator(sources, language, surface)


def policy_facts(thread: Thread, words: Vocabulary, told: Sequence[str]) -> tuple[Fact, ...]:
    """The thread's policies, for the sentences of the first post."""
    policies = thread.policies

    def length(span: timedelta) -> str:
        return format_timedelta(span, locale=thread.language, threshold=2)

    facts = [Fact("no_deadline")]
    if policies.deadline is not None:
        facts = [Fact("deadline", {"length": length(policies.deadline.length.roughly)})]
    if policies.hold_back:
        final = words.flags.say("final", thread.language)
        facts.append(Fact("hold_back", {"length": length(policies.hold_back), "final": final}))
    facts += [Fact(f"order_{policies.order}"), Fact(f"missing_{policies.missing}")]
    if policies.questions == "ask" and policies.question_deadline is not None:
        span = length(policies.question_deadline.length.roughly)
        facts.append(Fact("questions_ask", {"length": span}))
    elif policies.questions == "default":
        facts.append(Fact("questions_default"))
    if policies.review:
        facts.append(Fact("review"))
    if policies.beacon:
        facts.append(Fact("beacon"))
    return (*facts, *house_rules(thread.options, told))


def house_rules(options: Mapping[str, Any], told: Sequence[str]) -> Iterator[Fact]:
    """The readings of the rules by which this table plays.

    Args:
        options: Those that the config sets.
        told: What the game has a sentence for, such as ``retarget.drop``; of each option the value
            in force is told, and the first that is listed is the default.
    """

    def spaced(name: str) -> str:
        return name.replace("_", " ")

    values = {name: str(value).lower() for name, value in options.items()}
    for rule in told:
        name, _, value = rule.partition(".")
        if values.setdefault(name, value) == value:
            yield Fact("house_rule", {"rule": rule})
    for name, value in values.items():
        if f"{name}.{value}" not in told:
            yield Fact("house_set", {"name": spaced(name), "value": spaced(value)})
