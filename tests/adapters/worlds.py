"""Small worlds for the contract tests: a platform with one thread, players and things gone wrong.

To plug a platform in: write a class with the methods of ``World``, say in ``troubles`` which things
it can make go wrong, and add a row to ``WORLDS``. ``test_contract.py`` then runs over it; a test
asks ``troubles`` first and skips what a platform cannot suffer.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final, Literal, NoReturn, Protocol, runtime_checkable
from unicodedata import normalize

import pytest

from adapters.base import Account, Adapter, Answer, Http
from adapters.discourse import Discourse
from adapters.flarum import Flarum
from adapters.folder import Folder, author_id
from adapters.http import Manners, PoliteHttp
from adapters.machina import Machina
from adapters.misago import Misago
from adapters.mybb import MyBB
from adapters.nodebb import NodeBB
from adapters.phpbb import PhpBB
from adapters.profiled import Profiled
from adapters.registry import Platform
from adapters.smf import SMF
from adapters.spirit import Spirit
from adapters.xenforo import XenForo
from referee.profiles import builtin
from tests.adapters.profiles.reading import good_profile
from tests.forums import fake_discourse as discourse
from tests.forums import fake_flarum as flarum
from tests.forums import fake_mybb, fake_phpbb, fake_smf
from tests.forums import fake_nodebb as nodebb
from tests.forums import fake_xenforo as xenforo
from tests.forums.board import FakeBoard
from tests.forums.fake_discourse import FakeDiscourse
from tests.forums.fake_flarum import FakeFlarum
from tests.forums.fake_foroactivo import FakeForoactivo
from tests.forums.fake_foroactivo import Topic as Scene
from tests.forums.fake_mybb import FakeMyBB
from tests.forums.fake_nodebb import FakeNodeBB
from tests.forums.fake_phpbb import FakePhpBB
from tests.forums.fake_smf import FakeSMF
from tests.forums.fake_xenforo import FakeXenForo
from tests.forums.faults import Fault
from tests.forums.json_site import JsonSite
from tests.forums.live_forum import PASSWORD, LiveForum

SECRET: Final = "canario-9f3a"  # must never show in an error or a log line
PLAYERS: Final = ("Lucía", "Tomás")
NOBODY: Final = "Forastero"
"""Who posts without an account, where that can be."""
UNWANTED: Final = "maldito"
"""The word that a forum's filter takes out."""
ENGINES: Final = ("phpbb3", "phpbb2", "punbb", "invision", "modernbb")
"""The versions of Foroactivo's templates."""


class Trouble(StrEnum):
    """Something that goes wrong, once, with the next request that it can happen to."""

    # With reading.
    DEAD_SESSION = "dead_session"  # the session is gone, until the next login
    LOGIN_PAGE = "login_page"  # a login form instead of the page
    TOO_MANY_READS = "too_many_reads"  # 429, wait 7 s
    READ_ERROR = "read_error"  # 5xx, until quiet
    CUT_PAGE = "cut_page"  # half a page, until quiet
    NO_POSTS = "no_posts"  # a whole page without posts
    MAINTENANCE = "maintenance"  # "closed for the moment" with status 200, until quiet
    GONE = "gone"  # the thread is not there
    FORBIDDEN = "forbidden"  # the account may not read it
    # With posting.
    LOCKED = "locked"  # nobody may reply
    FLOOD = "flood"  # "not so soon"
    TOO_MANY_POSTS = "too_many_posts"  # 429, wait 7 s
    REPLY_LOST = "reply_lost"  # it lands, and the answer never comes
    ERROR_AFTER = "error_after"  # it lands, and the answer is 500
    DROPPED = "dropped"  # it does not land, and no answer comes
    BAD_TOKEN = "bad_token"  # the form's token has died since it was loaded
    BAD_PASSWORD = "bad_password"  # it was changed
    PUZZLE = "puzzle"  # the login form wants a human being
    TWO_STEPS = "two_steps"  # a code must follow the password


class Edge(StrEnum):
    """Something that people do to a thread, and that is no trouble (docs/edges.md)."""

    RENAMED = "renamed"  # the topic has another title
    TAKEN_AWAY = "taken_away"  # a post was moved to another topic
    BROUGHT_IN = "brought_in"  # that post was moved back, as when topics are merged
    ACCOUNT_CLOSED = "account_closed"  # the account of a post's author was deleted
    ACCOUNT_ERASED = "account_erased"  # and all that its owner had posted
    IGNORED = "ignored"  # the referee's account ignores a post's author
    WAITING = "waiting"  # a post waits for approval
    APPROVED = "approved"  # that post no longer waits
    GUEST_POST = "guest_post"  # somebody without an account may post
    FILTERED = "filtered"  # other characters stand in the place of ``UNWANTED`` from now on
    FORGOTTEN = "forgotten"  # the session is gone, but the browser is remembered


WATCHED: Final = frozenset({Trouble.PUZZLE, Trouble.TWO_STEPS})
"""What only a login with a password on a page meets."""
MOVING: Final = frozenset({Edge.RENAMED, Edge.TAKEN_AWAY, Edge.BROUGHT_IN})
QUEUEING: Final = frozenset({Edge.WAITING, Edge.APPROVED})
# Met on fakes only.
FAKED: Final = frozenset({Edge.GUEST_POST, Edge.FILTERED, Edge.FORGOTTEN})


@dataclass(frozen=True, slots=True)
class Standing:
    """A post as the platform itself has it, not as an adapter reads it."""

    id: str
    author: str
    text: str


class World(Protocol):
    """One platform with one thread in it, opened by a game master.

    Attributes:
        adapter: The referee's, with the account "Árbitro" and ``SECRET`` as its password.
        http: A client that waits for nothing.
        topic: The thread, as a config would name it.
        troubles: What ``trouble`` can do.
        edges: What ``edge`` can do.
        quotes, code: How somebody types them here; ``{text}`` is what stands inside.
    """

    adapter: Adapter
    http: Http
    topic: str
    troubles: frozenset[Trouble]
    edges: frozenset[Edge]
    quotes: str
    code: str

    async def post(self, author: str, text: str) -> str:
        """Post as one of ``PLAYERS``, or of ``NOBODY`` where guests may; returns the post's id."""
        ...

    async def edit(self, post_id: str, text: str) -> None:
        """Edit a player's post."""
        ...

    async def delete(self, post_id: str) -> None:
        """Delete a player's post."""
        ...

    async def standing(self) -> list[Standing]:
        """All posts that stand in the thread, the opening one included, in order."""
        ...

    async def trouble(self, kind: Trouble) -> None:
        """Let something go wrong from now on."""
        ...

    async def quiet(self) -> None:
        """End whatever goes on until ended."""
        ...

    async def edge(self, kind: Edge, post_id: str) -> None:
        """Let people do something to the thread, or to one of its posts."""
        ...


@runtime_checkable
class WithLetters(Protocol):
    """A world of a platform whose private messages the referee reads."""

    async def letter(self, author: str, text: str) -> str:
        """Write a private message to the referee; returns its id."""
        ...


class HandClock:
    """Time that only moves when somebody sleeps or turns it."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self._now = now

    def now(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        self._now += seconds

    def turn(self, seconds: float) -> None:
        self._now += seconds


class StillHttp:
    """A client for platforms that need no network: any request is a mistake."""

    def __init__(self, clock: HandClock | None = None) -> None:
        self.clock = clock or HandClock()

    async def get(
        self, url: str, *, headers: Mapping[str, str] | None = None, conditional: bool = False
    ) -> Answer:
        self._refuse(url, headers, conditional)

    async def send(
        self,
        url: str,
        *,
        form: Mapping[str, str] | None = None,
        json: Any = None,
        method: str = "POST",
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        self._refuse(url, form, json, method, headers)

    async def settle(self, seconds: float) -> None:
        await self.clock.sleep(seconds)

    def now(self) -> float:
        return self.clock.now()

    def _refuse(self, *asked: object) -> NoReturn:
        raise AssertionError(f"a request without a network: {asked[0]}")


class CannedHttp(StillHttp):
    """Gives prepared answers in turn, and keeps what was asked."""

    def __init__(self, answers: Iterable[Answer | Exception]) -> None:
        super().__init__()
        self.asked: list[tuple[str, str, Mapping[str, str]]] = []
        self._answers = iter(answers)

    async def get(
        self, url: str, *, headers: Mapping[str, str] | None = None, conditional: bool = False
    ) -> Answer:
        del headers, conditional
        return self._next("GET", url, {})

    async def send(
        self,
        url: str,
        *,
        form: Mapping[str, str] | None = None,
        json: Any = None,
        method: str = "POST",
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        del json, headers
        return self._next(method, url, form or {})

    def _next(self, method: str, url: str, form: Mapping[str, str]) -> Answer:
        self.asked.append((method, url, form))
        answer = next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        return answer


def loopback_http(clock: HandClock, **options: Any) -> PoliteHttp:
    """The real client for a server on loopback, at full speed and on a clock moved by hand."""
    return PoliteHttp(
        contact="referee@example.org",
        manners=Manners(requests_per_s=10_000),
        allow_private=frozenset({"127.0.0.1"}),
        clock=clock,
        **options,
    )


@dataclass(slots=True)
class FolderWorld:
    """A folder in a temporary directory."""

    base: Path
    adapter: Adapter
    http: Http = field(default_factory=StillHttp)
    topic: str = "duelo"
    troubles: frozenset[Trouble] = frozenset({Trouble.NO_POSTS, Trouble.GONE, Trouble.LOCKED})
    # A folder has no titles, no accounts and no moderators.
    edges: frozenset[Edge] = frozenset({Edge.TAKEN_AWAY, Edge.BROUGHT_IN})
    quotes: str = "> {text}\n\n"
    code: str = "```\n{text}\n```\n"

    async def post(self, author: str, text: str) -> str:
        numbers = [int(path.name[:4]) for path in (self.base / self.topic).iterdir()]
        name = f"{max(numbers, default=0) + 1:04d}-{author_id(author)}"
        self._path(name).write_text(text, encoding="utf-8")
        return name

    async def edit(self, post_id: str, text: str) -> None:
        self._path(post_id).write_text(text, encoding="utf-8")

    async def delete(self, post_id: str) -> None:
        self._path(post_id).unlink()

    async def letter(self, author: str, text: str) -> str:
        folder = self.base / "privado"
        folder.mkdir(exist_ok=True)
        name = f"{len(list(folder.iterdir())) + 1:04d}-{author_id(author)}"
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
        return name

    async def standing(self) -> list[Standing]:
        return [
            Standing(path.stem, path.stem.partition("-")[2], path.read_text(encoding="utf-8"))
            for path in sorted((self.base / self.topic).glob("*.md"))
        ]

    async def trouble(self, kind: Trouble) -> None:
        folder = self.base / self.topic
        if kind is Trouble.LOCKED:
            (folder / "CERRADO").touch()
            return
        for path in folder.iterdir():
            path.unlink()
        if kind is Trouble.GONE:
            folder.rmdir()

    async def quiet(self) -> None:
        """Nothing goes on here."""

    async def edge(self, kind: Edge, post_id: str) -> None:
        here, there = self._path(post_id), self.base / "otra" / f"{post_id}.md"
        there.parent.mkdir(exist_ok=True)
        if kind is Edge.TAKEN_AWAY:
            here.rename(there)
        else:
            there.rename(here)

    def _path(self, post_id: str) -> Path:
        return self.base / self.topic / f"{post_id}.md"


@asynccontextmanager
async def folder_world(request: pytest.FixtureRequest) -> AsyncIterator[FolderWorld]:
    """A folder with its opening post."""
    tmp_path: Path = request.getfixturevalue("tmp_path")
    world = FolderWorld(tmp_path, Folder(str(tmp_path), Account("Árbitro", SECRET)))
    (tmp_path / world.topic).mkdir()
    await world.post("Narradora", "Escena: el molino.")
    yield world


@dataclass(slots=True)
class BoardWorld:
    """A fake board on loopback."""

    board: FakeBoard
    adapter: Adapter
    http: Http
    topic: str
    troubles: frozenset[Trouble] = frozenset(Trouble)
    edges: frozenset[Edge] = frozenset(Edge)
    quotes: str = "[quote=Wren]{text}[/quote]\n"
    code: str = "[code]{text}[/code]\n"
    # What an administrator has put into the filter; MyBB's own signs where there is nothing.
    shown_instead: str = "*****"

    async def post(self, author: str, text: str) -> str:
        if author == NOBODY:
            return str(self.board.post("", int(self.topic), text, guest=author))
        return str(self.board.post(author, int(self.topic), text))

    async def edit(self, post_id: str, text: str) -> None:
        self.board.edit(int(post_id), text)

    async def delete(self, post_id: str) -> None:
        self.board.delete(int(post_id))

    async def letter(self, author: str, text: str) -> str:
        return str(self.board.write_letter(author, "Árbitro", "Para el árbitro", text))

    async def standing(self) -> list[Standing]:
        return [
            Standing(str(post["id"]), post["author"], post["text"])
            for post in self.board.posts(int(self.topic))
        ]

    async def trouble(self, kind: Trouble) -> None:
        board, topic = self.board, int(self.topic)
        # A short failure is met by several attempts to read, so that it must last for a while.
        lasting: dict[Trouble, Fault] = {
            Trouble.READ_ERROR: Fault.ERROR,
            Trouble.CUT_PAGE: Fault.CUT,
            Trouble.MAINTENANCE: Fault.MAINTENANCE,
        }
        once: dict[Trouble, Fault] = {
            Trouble.FLOOD: Fault.FLOOD,
            Trouble.TOO_MANY_POSTS: Fault.TOO_MANY,
            Trouble.REPLY_LOST: Fault.REPLY_LOST,
            Trouble.ERROR_AFTER: Fault.ERROR_AFTER,
            Trouble.DROPPED: Fault.SILENT,
        }
        ways: dict[Trouble, Callable[[], None]] = {
            Trouble.DEAD_SESSION: board.end_sessions,
            Trouble.BAD_TOKEN: board.spoil_forms,
            Trouble.LOGIN_PAGE: lambda: board.fault("login_page"),
            Trouble.TOO_MANY_READS: lambda: board.fault("too_many"),
            Trouble.NO_POSTS: lambda: board.fault("no_posts"),
            Trouble.GONE: lambda: board.set_topic(topic, gone=True),
            Trouble.FORBIDDEN: lambda: board.set_topic(topic, readable=False),
            Trouble.LOCKED: lambda: board.set_topic(topic, locked=True),
            Trouble.BAD_PASSWORD: lambda: board.set_user("Árbitro", password="otra"),
            Trouble.PUZZLE: lambda: setattr(board, "puzzles", True),
            Trouble.TWO_STEPS: lambda: board.set_user("Árbitro", two_steps=True),
        }
        if kind in lasting:
            board.fault(lasting[kind], "read", times=20)
        elif kind in once:
            board.fault(once[kind], "write")
        else:
            ways[kind]()

    async def quiet(self) -> None:
        self.board.faults.named["read"].clear()
        self.board.faults.named["write"].clear()

    async def edge(self, kind: Edge, post_id: str) -> None:
        board, topic, post = self.board, int(self.topic), int(post_id)
        ways: dict[Edge, Callable[[], None]] = {
            Edge.RENAMED: lambda: board.set_topic(topic, title="Otro nombre"),
            Edge.TAKEN_AWAY: lambda: board.move(
                post, board.add_topic("Aparte", "Narradora", "Aparte.")
            ),
            Edge.BROUGHT_IN: lambda: board.move(post, topic),
            Edge.ACCOUNT_CLOSED: lambda: board.close_account(post),
            Edge.ACCOUNT_ERASED: lambda: board.erase_account(post),
            Edge.IGNORED: lambda: board.ignore(post),
            Edge.WAITING: lambda: board.wait(post),
            Edge.APPROVED: lambda: board.approve(post),
            Edge.FILTERED: lambda: board.filter_word(UNWANTED, self.shown_instead),
            Edge.FORGOTTEN: lambda: board.end_sessions(keys=False),
        }
        ways[kind]()


def built_in(url: str) -> Adapter:
    """phpBB by its own adapter."""
    return PhpBB(url, Account("Árbitro", SECRET))


def by_profile(url: str) -> Adapter:
    """phpBB by the profile of the tests."""
    return Profiled(url, Account("Árbitro", SECRET), profiles=good_profile("phpbb"))


@asynccontextmanager
async def board_world(
    board: FakeBoard,
    adapter_for: Callable[[str], Adapter],
    clock: HandClock,
    troubles: frozenset[Trouble] = frozenset(Trouble),
    shown_instead: str = "*****",
) -> AsyncIterator[World]:
    """A fake board with its opening post, the referee not yet logged in."""
    for name in ("Narradora", *PLAYERS):
        board.add_user(name, signature="Firma [acción: ataque | objetivo: Firma]")
    board.add_user("Árbitro", SECRET)
    topic = board.add_topic("Escena: el molino", "Narradora", "Escena: el molino.")
    with board.serving() as url:
        async with loopback_http(clock) as http:
            world = BoardWorld(board, adapter_for(url), http, str(topic), troubles)
            world.shown_instead = shown_instead
            yield world


def phpbb_world(
    request: pytest.FixtureRequest, adapter_for: Callable[[str], Adapter] = built_in
) -> AbstractAsyncContextManager[World]:
    """phpBB."""
    del request
    clock = HandClock()
    board = FakePhpBB(clock=clock.now, settings=fake_phpbb.Settings(per_page=5))
    return board_world(board, adapter_for, clock, shown_instead="[flor] bendita")


def mybb_world(request: pytest.FixtureRequest) -> AbstractAsyncContextManager[World]:
    """MyBB."""
    del request
    clock = HandClock()
    board = FakeMyBB(clock=clock.now, settings=fake_mybb.Settings(per_page=5))
    return board_world(board, lambda url: MyBB(url, Account("Árbitro", SECRET)), clock)


def smf_world(request: pytest.FixtureRequest) -> AbstractAsyncContextManager[World]:
    """SMF."""
    del request
    clock = HandClock()
    board = FakeSMF(clock=clock.now, settings=fake_smf.Settings(per_page=5))
    # "Missing or off limits to you", it says: it does not tell which. Its login has no puzzle.
    troubles = frozenset(Trouble) - {Trouble.FORBIDDEN, Trouble.PUZZLE}
    return board_world(
        board, lambda url: SMF(url, Account("Árbitro", SECRET)), clock, troubles, "dichoso"
    )


@dataclass(slots=True)
class LiveWorld:
    """A topic of its own in one of the session's real forums, with a layer of faults before it."""

    forum: LiveForum
    adapter: Adapter
    http: Http
    topic: str
    # Older than the topic: Misago never moves what would become a topic's first post.
    apart: str
    users: Mapping[str, str]
    troubles: frozenset[Trouble]
    edges: frozenset[Edge]
    quotes: str = "> {text}\n\n"
    code: str = "```\n{text}\n```\n"

    async def post(self, author: str, text: str) -> str:
        if author == NOBODY:
            made: str = self.forum.ask("post_as_guest", name=author, topic=self.topic, text=text)
            return made
        return self.forum.post_as(self.users[author], self.topic, text)

    async def edit(self, post_id: str, text: str) -> None:
        self.forum.edit_as(post_id, text)

    async def delete(self, post_id: str) -> None:
        self.forum.remove(post_id)

    async def letter(self, author: str, text: str) -> str:
        return self.forum.write_letter(
            self.users[author], self.users["Árbitro"], "Para el árbitro", text
        )

    async def standing(self) -> list[Standing]:
        return [
            Standing(post["id"], post["author"], post["text"])
            for post in self.forum.posts(self.topic)
            if not post["removed"]
        ]

    async def trouble(self, kind: Trouble) -> None:
        # A short failure is met by several attempts to read, so that it must last for a while.
        lasting = {
            Trouble.READ_ERROR: "error",
            Trouble.CUT_PAGE: "cut",
            Trouble.MAINTENANCE: "maintenance",
        }
        once = {
            Trouble.LOGIN_PAGE: ("login_page", "read"),
            Trouble.TOO_MANY_READS: ("too_many", "read"),
            Trouble.NO_POSTS: ("no_posts", "read"),
            Trouble.FLOOD: ("flood", "write"),
            Trouble.TOO_MANY_POSTS: ("too_many", "write"),
            Trouble.REPLY_LOST: ("reply_lost", "write"),
            Trouble.ERROR_AFTER: ("error_after", "write"),
            Trouble.DROPPED: ("silent", "write"),
            Trouble.BAD_TOKEN: ("bad_token", "write"),
        }
        ways: dict[Trouble, Callable[[], None]] = {
            Trouble.DEAD_SESSION: self.forum.end_sessions,
            Trouble.GONE: lambda: self.forum.delete_topic(self.topic),
            Trouble.FORBIDDEN: lambda: self.forum.shut_out(self.users["Árbitro"]),
            Trouble.LOCKED: lambda: self.forum.close_topic(self.topic),
            Trouble.BAD_PASSWORD: lambda: self.forum.set_password(self.users["Árbitro"], "otra"),
        }
        if kind in lasting:
            self.forum.fault(lasting[kind], "read", times=20)
        elif kind in once:
            self.forum.fault(*once[kind])
        else:
            ways[kind]()

    async def quiet(self) -> None:
        self.forum.no_faults()

    async def edge(self, kind: Edge, post_id: str) -> None:
        forum = self.forum
        match kind:
            case Edge.RENAMED:
                forum.ask("rename", topic=self.topic, title="Otro nombre")
            case Edge.TAKEN_AWAY:
                forum.ask("move_post", post=post_id, topic=self.apart)
            case Edge.BROUGHT_IN:
                forum.ask("move_post", post=post_id, topic=self.topic)
            case Edge.ACCOUNT_CLOSED:
                forum.ask("close_account", post=post_id)
            case Edge.ACCOUNT_ERASED:
                forum.ask("erase_account", post=post_id)
            case Edge.IGNORED:
                forum.ask("ignore", post=post_id, user=self.users["Árbitro"])
            case Edge.WAITING:
                forum.ask("wait", post=post_id)
            case Edge.APPROVED:
                forum.ask("approve", post=post_id)


@asynccontextmanager
async def live_world(
    forum: LiveForum,
    adapter: Platform,
    never: frozenset[Trouble],
    *,
    edges: frozenset[Edge],
    ascii_names: bool = False,
) -> AsyncIterator[LiveWorld]:
    """A new topic with its opening post, by people of its own; the referee not yet logged in."""
    names = {name: f"{name}-{next(_scenes)}" for name in ("Narradora", *PLAYERS, "Árbitro")}
    if ascii_names:
        names = {name: _letters_and_digits(unique) for name, unique in names.items()}
    users = {
        name: forum.create_user(unique, SECRET if name == "Árbitro" else PASSWORD)
        for name, unique in names.items()
    }
    apart, topic = (
        forum.create_topic(title, users["Narradora"], f"{title}.")
        for title in ("Aparte", "Escena: el molino")
    )
    everything = frozenset(Trouble) - WATCHED
    async with loopback_http(HandClock()) as http:
        referee = adapter(forum.board_url, Account(names["Árbitro"], SECRET))
        try:
            yield LiveWorld(forum, referee, http, topic, apart, users, everything - never, edges)
        finally:
            forum.no_faults()


def spirit_world(request: pytest.FixtureRequest) -> AbstractAsyncContextManager[LiveWorld]:
    """Spirit says 404 to whoever may not read a topic, so nothing is ever forbidden."""
    never = frozenset({Trouble.FORBIDDEN})
    # It knows no approval and nobody is ignored.
    edges = MOVING | {Edge.ACCOUNT_ERASED}
    return live_world(request.getfixturevalue("spirit_forum"), Spirit, never, edges=edges)


def machina_world(request: pytest.FixtureRequest) -> AbstractAsyncContextManager[LiveWorld]:
    """django-machina lets everybody post as fast as they can."""
    never = frozenset({Trouble.FLOOD})
    edges = MOVING | QUEUEING | {Edge.ACCOUNT_ERASED, Edge.GUEST_POST}
    return live_world(request.getfixturevalue("machina_forum"), Machina, never, edges=edges)


def misago_world(request: pytest.FixtureRequest) -> AbstractAsyncContextManager[LiveWorld]:
    """Misago says 404 to whoever may not read a thread; programs never meet its login window."""
    never = frozenset({Trouble.FORBIDDEN, Trouble.LOGIN_PAGE})
    forum = request.getfixturevalue("misago_forum")
    edges = frozenset(Edge) - {Edge.ACCOUNT_ERASED} - FAKED
    return live_world(forum, Misago, never, edges=edges, ascii_names=True)


def _letters_and_digits(name: str) -> str:
    """``Lucia03`` for ``Lucía-3``: other tests have a Lucia3."""
    return normalize("NFD", name.replace("-", "0")).encode("ascii", "ignore").decode("ascii")


_scenes = count(1)


@dataclass(slots=True)
class ForoactivoWorld:
    """The fake Foroactivo on loopback, in one of its versions."""

    board: FakeForoactivo
    scene: Scene
    adapter: Adapter
    http: Http
    # What such a board says of a form that has expired is not known.
    troubles: frozenset[Trouble] = frozenset(Trouble) - {Trouble.BAD_TOKEN}
    # How such boards show posts that wait is not known.
    edges: frozenset[Edge] = frozenset(Edge) - QUEUEING - {Edge.ACCOUNT_ERASED}
    quotes: str = '[quote="Wren"]{text}[/quote]\n'
    code: str = "[code]{text}[/code]\n"

    @property
    def topic(self) -> str:
        return str(self.scene.id)

    async def post(self, author: str, text: str) -> str:
        return str(self.board.post(author, self.scene, text).id)

    async def edit(self, post_id: str, text: str) -> None:
        post = self.board.find(int(post_id))
        post.text, post.edits = text, post.edits + 1

    async def delete(self, post_id: str) -> None:
        self.board.find(int(post_id)).deleted = True

    async def standing(self) -> list[Standing]:
        return [Standing(str(p.id), p.author.name, p.text) for p in self.scene.shown]

    async def trouble(self, kind: Trouble) -> None:
        # A short failure is met by several attempts to read, so that it must last for a while.
        lasting: dict[Trouble, Fault] = {
            Trouble.READ_ERROR: Fault.ERROR,
            Trouble.CUT_PAGE: Fault.CUT,
            Trouble.MAINTENANCE: Fault.MAINTENANCE,
        }
        once: dict[Trouble, tuple[Fault, Literal["read", "write"]]] = {
            Trouble.LOGIN_PAGE: (Fault.LOGIN_PAGE, "read"),
            Trouble.TOO_MANY_READS: (Fault.TOO_MANY, "read"),
            Trouble.NO_POSTS: (Fault.NO_POSTS, "read"),
            Trouble.FLOOD: (Fault.FLOOD, "write"),
            Trouble.TOO_MANY_POSTS: (Fault.TOO_MANY, "write"),
            Trouble.REPLY_LOST: (Fault.REPLY_LOST, "write"),
            Trouble.ERROR_AFTER: (Fault.ERROR_AFTER, "write"),
            Trouble.DROPPED: (Fault.SILENT, "write"),
        }
        if kind in lasting:
            self.board.fault(lasting[kind], "read", times=20)
        elif kind in once:
            self.board.fault(*once[kind])
        elif kind is Trouble.DEAD_SESSION:
            self.board.end_sessions()
        elif kind is Trouble.BAD_PASSWORD:
            self.board.user("Árbitro").password = "otra"
        elif kind is Trouble.PUZZLE:
            self.board.puzzles = True
        elif kind is Trouble.TWO_STEPS:
            self.board.user("Árbitro").two_steps = True
        else:
            self.scene.gone = kind is Trouble.GONE
            self.scene.readable = kind is not Trouble.FORBIDDEN
            self.scene.locked = kind is Trouble.LOCKED

    async def quiet(self) -> None:
        self.board.faults.named["read"].clear()
        self.board.faults.named["write"].clear()

    async def edge(self, kind: Edge, post_id: str) -> None:
        if kind is Edge.RENAMED:
            self.scene.title, self.scene.slug = "Otro nombre", "otro-nombre"
        elif kind is Edge.TAKEN_AWAY:
            apart = self.board.add_topic("Aparte", "Narradora", "Aparte.")
            moved(self.board.find(int(post_id)), self.scene.posts, apart.posts, "id")
        elif kind is Edge.FILTERED:
            self.board.filter_word(UNWANTED, "#@!")
        elif kind is Edge.FORGOTTEN:
            self.board.end_sessions(keys=False)
        elif kind is Edge.IGNORED:
            self.board.ignore(self.board.find(int(post_id)))
        elif kind is Edge.ACCOUNT_CLOSED:
            self.board.close_account(self.board.find(int(post_id)))
        else:
            post = self.board.find(int(post_id))
            home = self.board.topic_of(post)
            moved(post, home.posts, self.scene.posts, "id")


@asynccontextmanager
async def foroactivo_world(
    request: pytest.FixtureRequest, engine: str, profile: str
) -> AsyncIterator[ForoactivoWorld]:
    """The fake board with its opening post, read by a profile that ships."""
    del request
    clock = HandClock()
    board = FakeForoactivo(engine, clock=clock.now)
    for name in ("Narradora", *PLAYERS):
        board.add_user(name, signature="Firma [acción: ataque | objetivo: Firma]")
    board.add_user("Árbitro", SECRET)
    scene = board.add_topic("Escena: el molino", "Narradora", "Escena: el molino.")
    with board.serving() as url:
        async with loopback_http(clock) as http:
            adapter = Profiled(url, Account("Árbitro", SECRET), profiles=builtin(profile))
            yield ForoactivoWorld(board, scene, adapter, http)


# There are no sessions and no forms behind a key: neither can die, and it needs no login.
KEYED: Final = frozenset(Trouble) - {
    Trouble.DEAD_SESSION,
    Trouble.LOGIN_PAGE,
    Trouble.BAD_TOKEN,
    *WATCHED,
}


def moved(post: Any, source: list[Any], target: list[Any], key: str) -> None:
    """Move a post from one topic to another, where it stands by its age."""
    source.remove(post)
    target.append(post)
    target.sort(key=lambda one: getattr(one, key))


class JsonWorld:
    """A fake site with a JSON interface; a subclass says what its state is called."""

    troubles: frozenset[Trouble] = KEYED
    edges: frozenset[Edge] = MOVING
    age: str = "id"
    quotes: str = "> {text}\n\n"
    code: str = "```\n{text}\n```\n"

    def __init__(self, site: JsonSite, adapter: Adapter, http: Http) -> None:
        self.site = site
        self.adapter = adapter
        self.http = http
        self._apart: list[Any] = []

    async def trouble(self, kind: Trouble) -> None:
        # A short failure is met by several attempts to read, so that it must last for a while.
        lasting = {
            Trouble.READ_ERROR: "error",
            Trouble.CUT_PAGE: "cut",
            Trouble.MAINTENANCE: "maintenance",
            # What a page lacks may be asked for in another way.
            Trouble.NO_POSTS: "empty",
        }
        once = {
            Trouble.TOO_MANY_READS: ("too_many", "read"),
            Trouble.TOO_MANY_POSTS: ("too_many", "write"),
            Trouble.REPLY_LOST: ("reply_lost", "write"),
            Trouble.ERROR_AFTER: ("error_after", "write"),
            Trouble.DROPPED: ("silent", "write"),
        }
        if kind in lasting:
            self.site.fault(lasting[kind], "read", times=20)
        elif kind in once:
            self.site.fault(*once[kind])
        else:
            self.change(kind)

    def change(self, kind: Trouble) -> None:
        """Bring about what is a change of the site's state."""
        raise NotImplementedError

    async def quiet(self) -> None:
        self.site.no_faults()

    async def edge(self, kind: Edge, post_id: str) -> None:
        # Every fake calls these alike.
        site, topic = self.site, self.forum_topic  # type: ignore[attr-defined]  # a subclass's
        post = site.find(int(post_id))  # type: ignore[attr-defined]  # a subclass's
        with site.lock:
            if kind is Edge.RENAMED:
                topic.title = "Otro nombre"
            elif kind is Edge.TAKEN_AWAY:
                self._apart = [post]
                topic.posts.remove(post)
            elif kind is Edge.BROUGHT_IN:
                moved(self._apart[0], self._apart, topic.posts, self.age)
            elif kind is Edge.FILTERED:
                site.censored.add(UNWANTED)
            else:
                self.change_post(kind, post)

    def change_post(self, kind: Edge, post: Any) -> None:
        """Bring about what is a change of a post's state."""
        raise NotImplementedError


class DiscourseWorld(JsonWorld):
    """The fake site on loopback."""

    site: FakeDiscourse
    edges = MOVING | {Edge.ACCOUNT_CLOSED, Edge.ACCOUNT_ERASED, Edge.FILTERED}
    quotes = '[quote="Wren, post:1, topic:7"]\n{text}\n[/quote]\n\n'

    def __init__(
        self, site: FakeDiscourse, forum_topic: discourse.Topic, adapter: Adapter, http: Http
    ) -> None:
        super().__init__(site, adapter, http)
        self.forum_topic = forum_topic
        self.topic = str(forum_topic.id)

    async def post(self, author: str, text: str) -> str:
        return str(self.site.post(self.forum_topic, author, text).id)

    async def letter(self, author: str, text: str) -> str:
        return str(self.site.write_letter(author, "arbitro", "Para el árbitro", text).id)

    async def edit(self, post_id: str, text: str) -> None:
        post = self.site.find(int(post_id))
        assert post is not None
        post.raw, post.version = text, post.version + 1

    async def delete(self, post_id: str) -> None:
        post = self.site.find(int(post_id))
        assert post is not None
        post.deleted = True

    async def standing(self) -> list[Standing]:
        return [
            Standing(str(post.id), post.user.name if post.user else "", post.raw)
            for post in self.forum_topic.posts
            if not post.deleted
        ]

    def change(self, kind: Trouble) -> None:
        topic = self.forum_topic
        if kind is Trouble.FLOOD:
            topic.slow_s = 30
            self.site.post(topic, "arbitro", "El árbitro acaba de hablar.", deleted=True)
        elif kind is Trouble.BAD_PASSWORD:
            next(user for user in self.site.users if user.name == "arbitro").key = "otra"
        else:
            topic.gone = kind is Trouble.GONE
            topic.readable = kind is not Trouble.FORBIDDEN
            topic.closed = kind is Trouble.LOCKED

    def change_post(self, kind: Edge, post: discourse.Kept) -> None:
        # All posts go with an account; what a moderator brings back is nobody's.
        gone = post.user
        for kept in (kept for kept in self.forum_topic.posts if kept.user is gone):
            kept.user, kept.deleted = None, kind is Edge.ACCOUNT_ERASED


@asynccontextmanager
async def discourse_world(request: pytest.FixtureRequest) -> AsyncIterator[DiscourseWorld]:
    """The fake site with its opening post."""
    del request
    clock = HandClock()
    site = FakeDiscourse(clock.now)
    for name in ("Narradora", *PLAYERS):
        site.add_user(name)
    site.add_user("arbitro", SECRET)
    topic = site.add_topic("Escena: el molino", "Narradora", "Escena: el molino.")
    with site.serving() as url:
        async with loopback_http(clock) as http:
            yield DiscourseWorld(site, topic, Discourse(url, Account("arbitro", SECRET)), http)


class NodeBBWorld(JsonWorld):
    """The fake forum on loopback."""

    site: FakeNodeBB
    # What waits stands in a queue, and in no topic.
    edges = MOVING | {Edge.ACCOUNT_CLOSED, Edge.GUEST_POST}
    age = "pid"

    def __init__(
        self, site: FakeNodeBB, forum_topic: nodebb.Topic, adapter: Adapter, http: Http
    ) -> None:
        super().__init__(site, adapter, http)
        self.forum_topic = forum_topic
        self.topic = str(forum_topic.tid)

    async def post(self, author: str, text: str) -> str:
        return str(self.site.post(self.forum_topic, author, text).pid)

    async def letter(self, author: str, text: str) -> str:
        rooms = (room for room in self.site.rooms if author in {user.name for user in room.users})
        room = next(rooms, None) or self.site.add_room(author, "Árbitro")
        return str(self.site.write_letter(room, author, text).pid)

    async def edit(self, post_id: str, text: str) -> None:
        post = self.site.find(int(post_id))
        assert post is not None
        post.content, post.edited = text, self.site.clock()

    async def delete(self, post_id: str) -> None:
        post = self.site.find(int(post_id))
        assert post is not None
        post.deleted = True

    async def standing(self) -> list[Standing]:
        return [
            Standing(str(post.pid), post.user.name, post.content)
            for post in self.forum_topic.posts
            if not post.deleted
        ]

    def change(self, kind: Trouble) -> None:
        topic = self.forum_topic
        referee = next(user for user in self.site.users if user.name == "Árbitro")
        if kind is Trouble.FLOOD:
            referee.last_at = self.site.clock()
        elif kind is Trouble.DEAD_SESSION:
            self.site.end_sessions()
        elif kind is Trouble.BAD_TOKEN:
            self.site.spoil_forms()
        elif kind is Trouble.BAD_PASSWORD:
            referee.token, referee.password = "otra", "otra"
            self.site.end_sessions()
        else:
            topic.gone = kind is Trouble.GONE
            topic.readable = kind is not Trouble.FORBIDDEN
            topic.locked = kind is Trouble.LOCKED

    def change_post(self, kind: Edge, post: nodebb.Kept) -> None:
        assert kind is Edge.ACCOUNT_CLOSED
        post.user = nodebb.User(0, "[[global:former-user]]", "", "")


@asynccontextmanager
async def nodebb_world(
    request: pytest.FixtureRequest, *, is_key: bool = True
) -> AsyncIterator[NodeBBWorld]:
    """The fake forum with its opening post; the referee has a token, or a password."""
    del request
    clock = HandClock()
    site = FakeNodeBB(clock.now)
    for name in ("Narradora", *PLAYERS):
        site.add_user(name)
    site.add_user("Árbitro", *([SECRET] if is_key else ["", SECRET]))
    topic = site.add_topic("Escena: el molino", "Narradora", "Escena: el molino.")
    with site.serving() as url:
        async with loopback_http(clock) as http:
            adapter = NodeBB(url, Account("Árbitro", SECRET, is_key=is_key))
            world = NodeBBWorld(site, topic, adapter, http)
            if not is_key:
                world.troubles = KEYED | {Trouble.DEAD_SESSION, Trouble.BAD_TOKEN}
            yield world


class FlarumWorld(JsonWorld):
    """The fake forum on loopback."""

    site: FakeFlarum
    # It says 404 to whoever may not read a discussion, so nothing is ever forbidden; and it goes on
    # showing what guests may see when a session has died.
    troubles = KEYED - {Trouble.FORBIDDEN}
    edges = MOVING | QUEUEING | {Edge.ACCOUNT_CLOSED}

    def __init__(
        self, site: FakeFlarum, forum_topic: flarum.Discussion, adapter: Adapter, http: Http
    ) -> None:
        super().__init__(site, adapter, http)
        self.forum_topic = forum_topic
        self.topic = str(forum_topic.id)

    async def post(self, author: str, text: str) -> str:
        return str(self.site.post(self.forum_topic, author, text).id)

    async def edit(self, post_id: str, text: str) -> None:
        post = self.site.find(int(post_id))
        assert post is not None
        post.content, post.edited = text, self.site.clock()

    async def delete(self, post_id: str) -> None:
        post = self.site.find(int(post_id))
        assert post is not None
        post.hidden = True

    async def standing(self) -> list[Standing]:
        return [
            Standing(str(post.id), post.user.name if post.user else "", post.content)
            for post in self.forum_topic.posts
            if not post.hidden and post.kind == "comment"
        ]

    def change(self, kind: Trouble) -> None:
        referee = next(user for user in self.site.users if user.name == "Árbitro")
        if kind is Trouble.FLOOD:
            referee.last_at = self.site.clock()
        elif kind is Trouble.BAD_PASSWORD:
            referee.token, referee.password = "otra", "otra"
            self.site.end_sessions()
        else:
            self.forum_topic.gone = kind is Trouble.GONE
            self.forum_topic.locked = kind is Trouble.LOCKED

    def change_post(self, kind: Edge, post: flarum.Kept) -> None:
        if kind is Edge.ACCOUNT_CLOSED:
            post.user = None
        else:
            post.approved = kind is Edge.APPROVED


@asynccontextmanager
async def flarum_world(
    request: pytest.FixtureRequest, *, is_key: bool = True
) -> AsyncIterator[FlarumWorld]:
    """The fake forum with its opening post; the referee has a token, or a password."""
    del request
    clock = HandClock()
    site = FakeFlarum(clock.now)
    for name in ("Narradora", *PLAYERS):
        site.add_user(name)
    site.add_user("Árbitro", *([SECRET] if is_key else ["", SECRET]))
    topic = site.add_discussion("Escena: el molino", "Narradora", "Escena: el molino.")
    with site.serving() as url:
        async with loopback_http(clock) as http:
            adapter = Flarum(url, Account("Árbitro", SECRET, is_key=is_key))
            yield FlarumWorld(site, topic, adapter, http)


class XenForoWorld(JsonWorld):
    """The fake board on loopback."""

    site: FakeXenForo
    edges = MOVING | QUEUEING | {Edge.ACCOUNT_CLOSED, Edge.GUEST_POST, Edge.FILTERED}
    quotes = '[quote="Wren"]{text}[/quote]\n'
    code = "[code]{text}[/code]\n"

    def __init__(
        self, site: FakeXenForo, forum_topic: xenforo.Thread, adapter: Adapter, http: Http
    ) -> None:
        super().__init__(site, adapter, http)
        self.forum_topic = forum_topic
        self.topic = str(forum_topic.id)

    async def post(self, author: str, text: str) -> str:
        return str(self.site.post(self.forum_topic, author, text).id)

    async def letter(self, author: str, text: str) -> str:
        talk = self.site.add_talk("Para el árbitro", author, "Árbitro")
        return str(self.site.write_letter(talk, author, text).id)

    async def edit(self, post_id: str, text: str) -> None:
        post = self.site.find(int(post_id))
        assert post is not None
        post.message, post.edited = text, self.site.clock()

    async def delete(self, post_id: str) -> None:
        post = self.site.find(int(post_id))
        assert post is not None
        post.state = "deleted"

    async def standing(self) -> list[Standing]:
        return [
            Standing(str(post.id), post.user.name if post.user else "", post.message)
            for post in self.forum_topic.posts
            if post.state == "visible"
        ]

    def change(self, kind: Trouble) -> None:
        topic = self.forum_topic
        referee = next(user for user in self.site.users if user.name == "Árbitro")
        if kind is Trouble.FLOOD:
            referee.last_at = self.site.clock()
        elif kind is Trouble.BAD_PASSWORD:
            referee.key = "otra"
        else:
            topic.gone = kind is Trouble.GONE
            topic.readable = kind is not Trouble.FORBIDDEN
            topic.open = kind is not Trouble.LOCKED

    def change_post(self, kind: Edge, post: xenforo.Kept) -> None:
        if kind is Edge.ACCOUNT_CLOSED:
            post.user = None
        else:
            post.state = "visible" if kind is Edge.APPROVED else "moderated"


@asynccontextmanager
async def xenforo_world(request: pytest.FixtureRequest) -> AsyncIterator[XenForoWorld]:
    """The fake board with its opening post."""
    del request
    clock = HandClock()
    site = FakeXenForo(clock.now)
    for name in ("Narradora", *PLAYERS):
        site.add_user(name)
    site.add_user("Árbitro", SECRET)
    topic = site.add_thread("Escena: el molino", "Narradora", "Escena: el molino.")
    with site.serving() as url:
        async with loopback_http(clock) as http:
            adapter = XenForo(url, Account("Árbitro", SECRET, is_key=True))
            yield XenForoWorld(site, topic, adapter, http)


Opening = Callable[[pytest.FixtureRequest], AbstractAsyncContextManager[World]]

# Platform (and after a colon which of its worlds), how it opens, and the markers that its tests
# carry.
WORLDS: Final[tuple[tuple[str, Opening, tuple[pytest.MarkDecorator, ...]], ...]] = (
    ("folder", folder_world, ()),
    ("phpbb", phpbb_world, ()),
    ("mybb", mybb_world, ()),
    ("smf", smf_world, ()),
    ("spirit", spirit_world, (pytest.mark.forum,)),
    ("machina", machina_world, (pytest.mark.forum,)),
    ("misago", misago_world, (pytest.mark.forum, pytest.mark.postgres)),
    ("discourse", discourse_world, ()),
    ("nodebb", nodebb_world, ()),
    ("nodebb:session", partial(nodebb_world, is_key=False), ()),
    ("flarum", flarum_world, ()),
    ("flarum:session", partial(flarum_world, is_key=False), ()),
    ("xenforo", xenforo_world, ()),
    ("profile:phpbb", partial(phpbb_world, adapter_for=by_profile), ()),
    *(
        (
            f"profile:foroactivo-{engine}",
            partial(foroactivo_world, engine=engine, profile=f"foroactivo-{engine}"),
            (),
        )
        for engine in ENGINES
    ),
    ("profile:foroactivo", partial(foroactivo_world, engine="punbb", profile="foroactivo"), ()),
)
