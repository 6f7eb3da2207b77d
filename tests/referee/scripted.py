"""A forum in memory that does what a test tells it to, and counts what it was asked.

It is an adapter of the contract without any network below it: what ``posting``, ``reading`` and
``visiting`` do about each answer can be told apart without a page, a cookie or a socket.
"""

import asyncio
import hashlib
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from adapters.base import Capabilities, Draft, Http, Post, Posted, ThreadPage
from adapters.errors import (
    AdapterError,
    ForbiddenError,
    GoneError,
    LoggedOutError,
    UnknownOutcomeError,
)
from referee import reading
from referee.app import App, World
from referee.config import load
from referee.posting import Channel, deliver, hear_moderators, recognise
from referee.reading import Merged, Reading
from referee.storage.records import OutboxRow, PostRow, Records, ThreadRow
from referee.storage.store import Store, create_engine
from referee.visiting import look_round, visit
from tests.adapters.worlds import StillHttp
from tests.referee.harness import HandClock, Mesa

REFEREE = "arbitro"
THREAD = "molino"
PLAIN = Capabilities(dialect="text", edits=True, max_post_chars=60_000, settle_s=90.0)


class ClientClock:
    """The same time as a client sees it."""

    def __init__(self, clock: HandClock) -> None:
        self._clock = clock

    def now(self) -> float:
        return self._clock.moment.timestamp()

    async def sleep(self, seconds: float) -> None:
        self._clock.forward(seconds=seconds)

    def turn(self, seconds: float) -> None:
        self._clock.forward(seconds=seconds)


class MemoryHttp(StillHttp):
    """A client that is never asked, with the memory that the shell wants of it.

    Attributes:
        fresh: Validators of pages as they were last read.
        known: Of those that the shell has confirmed; only they can be "unchanged".
        forgotten: How often the session was thrown away.
        closed: How often it was closed.
        closed_to_programs: Whether the site's robots.txt lets nobody like us read.
    """

    def __init__(self, clock: HandClock) -> None:
        super().__init__(ClientClock(clock))
        self.fresh: dict[str, str] = {}
        self.known: dict[str, str] = {}
        self.forgotten = 0
        self.closed = 0
        self.closed_to_programs = False

    async def permit(self, url: str) -> None:
        if self.closed_to_programs:
            raise ForbiddenError(url, cure="robots_disallow")

    def confirm(self, url: str) -> None:
        if url in self.fresh:
            self.known[url] = self.fresh[url]

    def forget(self, url: str) -> None:
        self.known.pop(url, None)

    def forget_session(self) -> None:
        self.forgotten += 1

    def export(self) -> dict[str, Any]:
        return {}

    async def aclose(self) -> None:
        self.closed += 1


@dataclass(slots=True)
class Standing:
    """A post that has landed; for its moderator it waits unseen, or as its author alone sees it."""

    id: str
    author: str
    text: str
    shown: bool = True
    waits: bool = False


Sent = Callable[[Draft, str], Posted]


@dataclass
class Forum:
    """One thread, as an adapter of the contract.

    Attributes:
        clock: Moved by hand.
        per_page: Posts on a page.
        overlap: How many posts of a page stand on the next one too.
        says_unchanged: Whether a conditional read of a page seen before is answered "unchanged".
        guards: Whether a draft sent twice is recognised, as the draft of a post that stands.
        posts: In the order of the thread.
        asked: Every request, in order: ``login``, ``fetch 2``, ``draft``, ``send``.
        answers: What happens to the next sendings, in turn; after them everything lands.
        read_errors: What the next reads raise; None for nothing.
        form_errors: What the next loading of a form raises.
        sent: Drafts and texts as they arrived.
    """

    clock: HandClock = field(default_factory=HandClock)
    capabilities: Capabilities = PLAIN
    per_page: int = 10
    overlap: int = 0
    says_unchanged: bool = False
    guards: bool = True
    posts: list[Standing] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    answers: list[Sent] = field(default_factory=list)
    read_errors: list[Exception | None] = field(default_factory=list)
    form_errors: list[AdapterError] = field(default_factory=list)
    sent: list[tuple[Draft, str]] = field(default_factory=list)
    late: list[tuple[Draft, str]] = field(default_factory=list)
    by_token: dict[str, str] = field(default_factory=dict)

    platform: ClassVar[str] = "scripted"

    # What people do.

    def post(self, author: str, text: str, *, shown: bool = True) -> Standing:
        standing = Standing(f"p{len(self.posts) + 1}", author, text, shown)
        self.posts.append(standing)
        return standing

    def texts(self) -> list[str]:
        """What the referee has posted, in order."""
        return [post.text for post in self.posts if post.author == REFEREE]

    # What may become of a sending.

    def lands(self, draft: Draft, text: str) -> Posted:
        token = str(draft.fields["token"])
        if draft.edits:
            self.find(draft.edits).text = text
            return Posted(draft.edits)
        if self.guards and token in self.by_token:
            return Posted(self.by_token[token])
        between, last = self.capabilities.merges, self.posts[-1] if self.posts else None
        if between and last is not None and last.author == REFEREE:
            last.text = f"{last.text}{between}{text}"
            return Posted(last.id)
        standing = self.post(REFEREE, text)
        self.by_token[token] = standing.id
        return Posted(standing.id)

    def lands_unheard(self, draft: Draft, text: str) -> Posted:
        """It lands, and the answer is lost."""
        self.lands(draft, text)
        return self.is_lost(draft, text)

    def is_lost(self, draft: Draft, text: str) -> Posted:
        """Nothing lands, and no answer comes."""
        del draft, text
        raise UnknownOutcomeError("mem:send", cure="read_back")

    def lands_late(self, draft: Draft, text: str) -> Posted:
        """No answer comes; it lands when ``land_late`` is called."""
        self.late.append((draft, text))
        return self.is_lost(draft, text)

    def waits_for_approval(self, draft: Draft, text: str) -> Posted:
        """A moderator must let it through, and its id is not told."""
        posted = self.lands(draft, text)
        self.find(posted.post_id).shown = False
        return Posted("", awaits_approval=True)

    def land_late(self) -> None:
        for draft, text in self.late:
            self.lands(draft, text)
        self.late.clear()

    def find(self, post_id: str) -> Standing:
        return next(post for post in self.posts if post.id == post_id)

    # The contract.

    async def login(self, http: Http) -> str:
        del http
        self.asked.append("login")
        return REFEREE

    def thread_url(self, topic: str) -> str:
        return f"mem:{topic}?page=1"

    async def fetch(self, http: Http, url: str, *, conditional: bool = False) -> ThreadPage | None:
        number = int(url.rpartition("=")[2])
        self.asked.append(f"fetch {number}")
        error = self.read_errors.pop(0) if self.read_errors else None
        if error is not None:
            raise error
        page = self._page(url.partition("?")[0], number)
        if self.says_unchanged and isinstance(http, MemoryHttp):
            # As a server sees it, a page changes with its links to others too.
            validator = f"{page.digest} {page.next_url}"
            if conditional and http.known.get(page.url) == validator:
                return None
            http.fresh[page.url] = validator
        return page

    def _page(self, base: str, number: int) -> ThreadPage:
        shown = [post for post in self.posts if post.shown]
        last = max(1, -(-len(shown) // self.per_page))
        if number > last or not shown:
            raise GoneError(f"{base}?page={number}", cure="mend_address")
        start = (number - 1) * self.per_page
        here = shown[max(0, start - self.overlap) : start + self.per_page]
        digest = hashlib.sha256("\0".join(f"{p.id} {p.text}" for p in here).encode()).hexdigest()
        return ThreadPage(
            url=f"{base}?page={number}",
            posts=tuple(
                Post(
                    id=p.id,
                    author_id=p.author,
                    author_name=p.author.title(),
                    own_words=p.text,
                    awaits_approval=p.waits,
                )
                for p in here
            ),
            next_url=f"{base}?page={number + 1}" if number < last else "",
            previous_url=f"{base}?page={number - 1}" if number > 1 else "",
            last_url=f"{base}?page={last}",
            digest=digest,
        )

    async def draft(self, http: Http, topic: str, *, edits: str = "") -> Draft:
        self.asked.append("draft")
        if self.form_errors:
            raise self.form_errors.pop(0)
        if edits:
            self.find(edits)
        token = f"t{self.asked.count('draft')}"
        return Draft(f"mem:{topic}", {"token": token}, made_at=http.now(), edits=edits)

    async def send(self, http: Http, draft: Draft, text: str) -> Posted:
        del http
        self.asked.append("send")
        self.sent.append((draft, text))
        answer = self.answers.pop(0) if self.answers else self.lands
        return answer(draft, text)


def raising(error: AdapterError) -> Sent:
    """A sending that is answered with an error."""

    def answer(draft: Draft, text: str) -> Posted:
        del draft, text
        raise error

    return answer


def logged_out() -> LoggedOutError:
    return LoggedOutError("mem:molino", cure="log_in_again")


@dataclass
class Office:
    """A thread of the forum with a store, and the shell's own reading and posting between.

    Attributes:
        empty: A migrated database to copy: migrating one costs more than a test.
        file: Where this one's own is.
        forum: The other side.
        topic: The thread there.
        me: The referee's user id there.
    """

    empty: Path
    file: Path
    forum: Forum = field(default_factory=Forum)
    topic: str = THREAD
    me: str = REFEREE
    checkpoints: list[str] = field(default_factory=list)
    twins: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        shutil.copyfile(self.empty, self.file)
        self.store = Store(create_engine(f"sqlite:///{self.file}"))
        self.http = MemoryHttp(self.forum.clock)
        with self.store.transaction("begin") as records:
            records.add_thread(THREAD, "foro", self.topic)

    @property
    def clock(self) -> HandClock:
        return self.forum.clock

    @property
    def channel(self) -> Channel:
        return Channel(
            thread=THREAD,
            topic=self.topic,
            adapter=self.forum,
            http=self.http,
            clock=self.clock,
            read_back=self.read_back,
            write=self.write,
            reached=self.checkpoints.append,
        )

    async def write(self, name: str, function: Callable[..., Any], *args: Any) -> Any:
        self.written.append(name)
        with self.store.transaction(name) as records:
            return function(records, THREAD, *args)

    async def deliver(self) -> int:
        return await deliver(self.channel)

    async def read_back(self) -> Reading:
        """Read the last two pages whole, merge them, look for marks: what a channel promises."""
        found, _ = await self.visit(thorough=True)
        return found

    async def visit(self, *, thorough: bool = False, back_to: str = "") -> tuple[Reading, Merged]:
        found = await reading.read(
            self.forum,
            self.http,
            self.thread,
            self.clock.now(),
            self.checkpoints.append,
            thorough=thorough,
            back_to=back_to,
        )
        with self.store.transaction("merge") as records:
            merged = reading.merge(records, self.thread_in(records), found)
            news = (*merged.new, *merged.changed)
            self.twins += recognise(records, THREAD, self.me, news, self.clock.now())
            seen = {post.id: post.awaits_approval for page in found.pages for post in page.posts}
            hear_moderators(records, THREAD, seen, merged.gone, self.clock.now())
        for page in found.pages:
            self.http.confirm(page.url)
        return found, merged

    def put_out(self, mark: str, text: str = "Asalto.", **values: Any) -> int:
        """Write a post into the outbox; its mark stands at its end, as it always does."""
        row = {
            "thread": THREAD,
            "kind": "report",
            "mark": mark,
            "text": f"{text} {mark}",
            "state": "pending",
            "made_at": self.clock.now(),
            **values,
        }
        with self.store.transaction("put out") as records:
            return records.add_outbox(**row)

    @staticmethod
    def thread_in(records: Records) -> ThreadRow:
        row = records.thread(THREAD)
        assert row is not None
        return row

    @property
    def thread(self) -> ThreadRow:
        with self.store.reading() as records:
            return self.thread_in(records)

    def rows(self) -> list[OutboxRow]:
        with self.store.reading() as records:
            return records.outbox(THREAD)

    def row(self, number: int = 0) -> OutboxRow:
        return self.rows()[number]

    def post(self, post_id: str) -> PostRow:
        with self.store.reading() as records:
            return records.known(THREAD, [post_id])[post_id]

    def log(self, kind: str) -> list[Mapping[str, Any]]:
        with self.store.reading() as records:
            return [row.entry for row in records.log(THREAD) if row.entry["kind"] == kind]


@dataclass
class Mill(Mesa):
    """The harness's table, whose thread is the scripted forum's instead of a folder's."""

    forum: Forum = field(default_factory=Forum)
    checkpoints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.clock = self.forum.clock
        self.http = MemoryHttp(self.clock)
        super().__post_init__()

    def post(self, author: str, text: str) -> Standing:
        return self.forum.post(author, text)

    def own_posts(self) -> list[str]:
        return self.forum.texts()

    def app(self) -> App:
        world = World(
            clock=self.clock,
            secret=self._secret,
            reached=self.checkpoints.append,
            http=lambda *_: self.http,
        )
        return App(load(self.config), world)

    def poll(self) -> None:
        """Let the referee look whether there is news, as the daemon does every now and then."""

        async def come() -> None:
            app = self.app()
            try:
                look = await app.read(look_round, self.clock.now())
                await visit(app.thread_desk(THREAD), look)
            finally:
                await app.close()

        asyncio.run(come())

    def asked_by(self, work: Callable[[], None]) -> list[str]:
        """What the forum was asked meanwhile."""
        before = len(self.forum.asked)
        work()
        return self.forum.asked[before:]
