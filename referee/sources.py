"""Posts for ``referee verify``: from saved pages, a thread's folder, pasted text or an address.

Needs no config and no database; forums are read as a guest.
"""

import asyncio
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, TextIO
from urllib.parse import urlsplit

from adapters.base import Adapter, Post, ThreadPage
from adapters.errors import AdapterError
from adapters.folder import Folder
from adapters.http import PoliteHttp
from adapters.pages import Reader
from adapters.profiled import Profiled
from adapters.registry import ADAPTERS, PAGE_READERS
from referee.evidence.block import MARKER
from referee.evidence.reader import plain_words
from referee.profiles import builtin, builtin_names

MOST_PAGES: Final = 500
PASTED: Final = "pasted"
_BLOCK: Final = re.compile(rf"(?=\b{re.escape(MARKER)}\b)")


class SourceError(Exception):
    """A source that is not there or holds no thread."""

    def __init__(self, source: str) -> None:
        """Keep which."""
        super().__init__(source)
        self.source = source


async def read_posts(sources: Sequence[str], stdin: TextIO) -> tuple[Post, ...]:
    """All posts of all sources, in order, each once.

    Raises:
        SourceError: a file is missing, or no adapter can read an address.
    """
    posts: dict[str, Post] = {}
    for source in sources:
        for post in await _posts(source, stdin):
            posts.setdefault(post.id, post)
    return tuple(posts.values())


async def _posts(source: str, stdin: TextIO) -> Sequence[Post]:
    if source == "-":
        return pasted(stdin.read())
    if "://" in source:
        return await _online(source)
    path = Path(source)
    if await asyncio.to_thread(path.is_dir):
        return await _folder(path)
    return saved(await asyncio.to_thread(_text, path), source)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        raise SourceError(str(path)) from None


def pasted(text: str) -> tuple[Post, ...]:
    """Text that somebody copied out of a thread: each block as a post of the referee's.

    Who wrote what is lost in copying, so a block that somebody else forged cannot be told apart
    by its author; its dice can.
    """
    pieces = [piece for piece in _BLOCK.split(plain_words(text)) if MARKER in piece]
    return tuple(
        Post(f"{PASTED}-{number}", PASTED, "", piece) for number, piece in enumerate(pieces, 1)
    )


def saved(text: str, name: str) -> tuple[Post, ...]:
    """A saved page of any platform that we can read, else pasted text."""
    for read_page in (*PAGE_READERS, *(Reader(builtin(name)).read for name in builtin_names())):
        try:
            page: ThreadPage = read_page(text, name)
        except (AdapterError, ValueError):
            continue
        return page.posts
    return pasted(text)


async def _folder(path: Path) -> Sequence[Post]:
    adapter = Folder(str(path.parent))
    posts: list[Post] = []
    url = adapter.thread_url(path.name)
    async with PoliteHttp(contact="") as http:
        while url and len(posts) < MOST_PAGES * 100:
            page = await adapter.fetch(http, url)
            posts.extend(page.posts)
            url = page.next_url
    return posts


def _adapters(base_url: str) -> Iterator[Adapter]:
    """Every way to read a forum as a guest: platforms first, then profiles."""
    for make in ADAPTERS:
        if make.platform not in {Folder.platform, Profiled.platform}:
            yield make(base_url)
    for name in builtin_names():
        yield Profiled(base_url, profiles=builtin(name))


async def _online(address: str) -> Sequence[Post]:
    parts = urlsplit(address)
    host = parts.hostname or ""
    local = frozenset({host}) if host in {"127.0.0.1", "localhost", "::1"} else frozenset[str]()
    async with PoliteHttp(contact="", allow_private=local) as http:
        for adapter in _adapters(f"{parts.scheme}://{parts.netloc}"):
            for url in _addresses(adapter, address):
                posts = await _thread(adapter, http, url)
                if posts:
                    return posts
    raise SourceError(address)


def _addresses(adapter: Adapter, address: str) -> Iterator[str]:
    """The address itself, and where a platform has the thread for programs rather than people."""
    yield address
    with suppress(AdapterError):
        thread = adapter.thread_url(address)
        if urlsplit(thread).path != urlsplit(address).path:
            yield thread


async def _thread(adapter: Adapter, http: PoliteHttp, url: str) -> list[Post]:
    """All posts from a page on; none where it is not a thread of the adapter's platform."""
    posts: list[Post] = []
    try:
        while url and len(posts) < MOST_PAGES * 100:
            page = await adapter.fetch(http, url)
            if page is None:
                break
            posts.extend(page.posts)
            url = page.next_url
    except AdapterError:
        return []
    return posts
