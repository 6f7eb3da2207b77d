"""A thread that is a folder of text posts: no server, for trying out and for tests.

A post is a file ``NUMBER-author.md`` (or ``.txt``), such as ``0001-lucia.md``; its name without the
ending is its id, so an id lasts as long as the name. Posts stand in the order of their numbers, at
equal numbers in that of their names. The author is the one in the file's name, unless the text
begins with a header, which an empty line ends::

    autor: Lucía
    fecha: 2026-11-30T18:05:00Z

    Desenvaino. [acción: ataque | objetivo: Bandido 1]

``author:`` and ``date:`` do as well; the date is optional. Lines that begin with ``>`` are quotes,
and blocks between fences (three backticks or tildes) or inline code with a bracket in it are code:
none of them counts as the author's words. All else is taken as it stands. A file called ``CLOSED``
or ``CERRADO`` (in any case, with any ending) closes the thread. To edit a post, write its file
anew; to delete it, delete the file.
"""

import asyncio
import fcntl
import os
import re
import stat
import tempfile
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import ClassVar, Final
from unicodedata import category, normalize
from urllib.parse import parse_qs, quote, unquote, urlsplit

from adapters.base import Account, Capabilities, Draft, Http, Letter, Post, Posted, ThreadPage
from adapters.errors import (
    BusyError,
    ForbiddenError,
    GoneError,
    LayoutChangedError,
    LockedError,
    RefusedTextError,
    UnknownOutcomeError,
)

POSTS_A_PAGE: Final = 25
MAX_POST_BYTES: Final = 2**18
MAX_POSTS: Final = 100_000
_MAX_CHARS: Final = 60_000
_LONGEST_SLUG: Final = 40
_FOR_GOOD_S: Final = 10 * 365 * 86_400.0
_NAME: Final = re.compile(r"(?P<number>[0-9]{1,9})(?:-(?P<author>[^/]{1,100}))?\.(?:md|txt)")
_HEADER: Final = re.compile(
    r"(?P<key>autor|author|fecha|date)\s*:\s*(?P<value>.{1,200})", re.IGNORECASE
)
_FENCE: Final = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})(?P<info>.*)")
_CODE_SPAN: Final = re.compile(r"(?P<ticks>`+)(?P<code>[^`]+)(?P=ticks)(?!`)")
# Begins the name of a post that is being written; a dot keeps it out of listings.
_UNFINISHED: Final = ".referee-"
_LETTERS: Final = "privado"
_CLOSED: Final = frozenset({"closed", "cerrado"})

Checkpoint = Callable[[str], None]


def author_id(name: str) -> str:
    """The id that an author's name stands for: ``Lucía`` and ``lucia`` are the same person.

    Case, accents and punctuation go, because file names are often typed without them. Letters of
    other alphabets stay what they are, so a look-alike is somebody else.
    """
    plain = "".join(
        letter
        for letter in normalize("NFD", name.casefold())
        if not category(letter).startswith("M")
    )
    return "-".join(re.findall(r"\w+", normalize("NFC", plain)))


@dataclass(frozen=True, slots=True)
class _File:
    """One post's file, by its name alone."""

    id: str
    number: int
    name: str
    author: str


class Folder:
    """Threads in one directory, each a folder of posts."""

    platform: ClassVar[str] = "folder"

    def __init__(
        self, base_url: str, account: Account | None = None, *, checkpoint: Checkpoint | None = None
    ) -> None:
        """Set up; nothing need be there yet.

        Args:
            base_url: The directory, as a path or a ``file:`` address.
            account: The referee's name here; its secret is not used.
            checkpoint: Hears the name of each step of a write, so that tests can stop there.
        """
        path = unquote(urlsplit(base_url).path) if base_url.startswith("file:") else base_url
        self._base = Path(path).resolve()
        self._name = account.username if account is not None else "árbitro"
        self._checkpoint = checkpoint or _unheard
        self.capabilities = Capabilities(
            dialect="markdown",
            edits=True,
            max_post_chars=_MAX_CHARS,
            spoilers="details",
            remote=False,
            # The same draft sent again finds its own post, at any age.
            token_lifetime_s=_FOR_GOOD_S,
            settle_s=0.0,
            letters=True,
        )

    async def login(self, http: Http) -> str:
        """The referee's own id; there is no password.

        Raises:
            GoneError: the directory is not there.
            ForbiddenError: it cannot be written to.
        """
        del http
        if not author_id(self._name):
            raise ForbiddenError(self._base.as_uri(), cure="name_the_author")
        if not self._base.is_dir():
            raise GoneError(self._base.as_uri(), cure="make_the_directory")
        if not os.access(self._base, os.R_OK | os.W_OK | os.X_OK):
            raise ForbiddenError(self._base.as_uri(), cure="allow_writing")
        return author_id(self._name)

    def thread_url(self, topic: str) -> str:
        """The address of a thread's first page.

        Args:
            topic: The folder's name under the base directory, or its ``file:`` address.

        Raises:
            GoneError: it lies outside the base directory.
        """
        return self._folder(topic).as_uri()

    async def fetch(self, http: Http, url: str, *, conditional: bool = False) -> ThreadPage:
        """Read one page; a page past the end is the last one.

        A folder is at hand, so a reading is never answered with "unchanged": ``digest`` tells.

        Raises:
            GoneError: no such folder.
            BusyError: a post's file is empty, as it is while somebody writes it.
            LayoutChangedError: no posts, or one that cannot be read as text.
        """
        del http, conditional
        return await asyncio.to_thread(self._page, url)

    async def letters(self, http: Http, writers: Collection[str]) -> tuple[Letter, ...]:
        """Posts in the folder ``privado`` beside the threads, where there is one."""
        del http, writers
        folder = self._base / _LETTERS
        if not await asyncio.to_thread(_holds_posts, folder):
            return ()
        page = await asyncio.to_thread(self._page, folder.as_uri())
        own = author_id(self._name)
        return tuple(Letter("", post) for post in page.posts if post.author_id != own)

    async def draft(self, http: Http, topic: str, *, edits: str = "") -> Draft:
        """Where a reply will go, and from which number on to look whether it is there already.

        Raises:
            LockedError, GoneError; ForbiddenError: somebody else's post.
        """
        folder = self._folder(topic)
        files = await asyncio.to_thread(self._open_thread, folder)
        if edits:
            self._own(folder, files, edits)
            return Draft(folder.as_uri(), {}, http.now(), edits)
        number = files[-1].number + 1 if files else 1
        return Draft(folder.as_uri(), {"number": str(number)}, http.now())

    async def send(self, http: Http, draft: Draft, text: str) -> Posted:
        """Write the post whole or not at all; the same draft and text again find the same post.

        Raises:
            LockedError, GoneError; ForbiddenError: somebody else's post, or a disk that refuses.
            RefusedTextError: empty or too long.
            UnknownOutcomeError: the disk failed in the middle.
        """
        del http
        folder = self._folder(draft.url)
        if not text.strip() or len(text) > _MAX_CHARS:
            raise RefusedTextError(folder.as_uri(), cure="mend_length", length=len(text))
        return await asyncio.to_thread(self._write, folder, draft, text)

    def _folder(self, topic: str) -> Path:
        """The folder of a topic, which may not lie outside the base directory."""
        if topic.startswith("file:"):
            path = Path(unquote(urlsplit(topic).path)).resolve()
        else:
            path = (self._base / topic).resolve()
        if not path.is_relative_to(self._base):
            raise GoneError(self._base.as_uri(), cure="topic_outside_directory", topic=topic[:100])
        return path

    def _open_thread(self, folder: Path) -> list[_File]:
        """All posts' files of a thread that can be written to."""
        names = _names(folder)
        if _is_closed(names):
            raise LockedError(folder.as_uri(), cure="thread_is_locked")
        return _files(folder, names)

    def _page(self, url: str) -> ThreadPage:
        folder = self._folder(url)
        names = _names(folder)
        files = _files(folder, names)
        if not files:
            raise LayoutChangedError(
                folder.as_uri(), cure="write_the_first_post", missing="NUMBER-author.md"
            )
        last = -(-len(files) // POSTS_A_PAGE)
        number = min(_page_number(url), last)
        on_page = files[(number - 1) * POSTS_A_PAGE : number * POSTS_A_PAGE]
        posts = tuple(self._post(folder, file) for file in on_page)
        digest = sha256()
        for post in posts:
            for part in (post.id, post.author_id, post.own_words, post.set_aside):
                digest.update(part.encode() + b"\0")
        return ThreadPage(
            url=_page_url(folder, number),
            posts=posts,
            next_url=_page_url(folder, number + 1) if number < last else "",
            previous_url=_page_url(folder, number - 1) if number > 1 else "",
            last_url=_page_url(folder, last),
            title=folder.name,
            locked=_is_closed(names),
            viewer_id=author_id(self._name),
            digest=digest.hexdigest(),
        )

    def _post(self, folder: Path, file: _File) -> Post:
        path = folder / file.name
        text = _text_of(path)
        header, body = _split(text)
        if not body.strip():
            # Editors truncate before they write: half a post is not a post.
            raise BusyError(path.as_uri(), cure="post_is_empty")
        name = header.get("author", "") or file.author
        identity = author_id(name)
        if not identity:
            raise LayoutChangedError(path.as_uri(), cure="name_the_author", missing="author")
        own, aside = own_words(body)
        return Post(
            id=file.id,
            author_id=identity,
            author_name=name,
            own_words=own,
            set_aside=aside,
            posted_at=_moment(header.get("date", "")),
            url=path.as_uri(),
        )

    def _own(self, folder: Path, files: list[_File], post_id: str) -> _File:
        """The referee's own post of that id."""
        file = next((file for file in files if file.id == post_id), None)
        if file is None:
            raise GoneError(folder.as_uri(), cure="post_is_gone", post=post_id)
        if self._post(folder, file).author_id != author_id(self._name):
            raise ForbiddenError(folder.as_uri(), cure="not_our_post", post=post_id)
        return file

    def _write(self, folder: Path, draft: Draft, text: str) -> Posted:
        files = self._open_thread(folder)
        _sweep(folder)
        content = f"autor: {self._name}\n\n{text}\n".encode("utf-8", "replace")
        try:
            if draft.edits:
                file = self._own(folder, files, draft.edits)
                self._put(folder, file.name, content, replace=True)
                return Posted(file.id, (folder / file.name).as_uri())
            return self._append(folder, files, int(draft.fields["number"]), content)
        except PermissionError:
            raise ForbiddenError(folder.as_uri(), cure="allow_writing") from None
        except OSError as error:
            raise UnknownOutcomeError(
                folder.as_uri(), cure="read_back", reason=type(error).__name__
            ) from None

    def _append(self, folder: Path, files: list[_File], start: int, content: bytes) -> Posted:
        """Add a post, unless this draft has already added it."""
        slug = author_id(self._name)[:_LONGEST_SLUG]
        for file in files:
            if file.number >= start and file.author == slug:
                path = folder / file.name
                if path.read_bytes() == content:
                    return Posted(file.id, path.as_uri())
        number = max(start, files[-1].number + 1 if files else 1)
        while True:
            name = f"{number:04d}-{slug}.md"
            if _NAME.fullmatch(name) is None:
                # Somebody numbered a post so high that nothing can follow it.
                raise ForbiddenError(folder.as_uri(), cure="renumber_posts", number=number)
            if self._put(folder, name, content, replace=False):
                return Posted(name.removesuffix(".md"), (folder / name).as_uri())
            number += 1

    def _put(self, folder: Path, name: str, content: bytes, *, replace: bool) -> bool:
        """Write a file whole; False when the name is taken.

        A link fails where the name exists, a rename does not: so two referees never overwrite
        each other's post, and a reader never sees half of one.
        """
        handle, name_for_now = tempfile.mkstemp(prefix=_UNFINISHED, suffix=".tmp", dir=folder)
        temporary = Path(name_for_now)
        try:
            with os.fdopen(handle, "wb") as file:
                # Held for as long as we live: tells ``_sweep`` that somebody still writes.
                fcntl.flock(file, fcntl.LOCK_EX)
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
                temporary.chmod(0o644)
                self._checkpoint("folder: written")
                if replace:
                    temporary.replace(folder / name)
                else:
                    (folder / name).hardlink_to(temporary)
        except FileExistsError:
            return False
        finally:
            temporary.unlink(missing_ok=True)
        self._checkpoint("folder: in place")
        directory = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
        return True


def own_words(body: str) -> tuple[str, str]:
    """A post's text as its author's words and what is set aside (quotes and code).

    A fence that is never closed sets everything after it aside, as it does on a Markdown forum.
    """
    own: list[str] = []
    aside: list[str] = []
    fence = ""
    for line in body.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            closes = (
                mark is not None and mark["fence"].startswith(fence) and not mark["info"].strip()
            )
            if closes:
                fence = ""
            else:
                aside.append(line)
        elif mark is not None and "`" not in mark["info"]:
            fence = mark["fence"]
        elif line.lstrip().startswith(">"):
            aside.append(re.sub(r"^[\s>]+", "", line))
        else:
            own.append(_without_code(line, aside))
    return "\n".join(own).strip(), "\n".join(aside).strip()


def _without_code(line: str, aside: list[str]) -> str:
    """The line without inline code that holds a bracket: such code shows a tag, it is none."""

    def set_aside(span: re.Match[str]) -> str:
        if "[" not in span["code"] and "]" not in span["code"]:
            return span[0]
        aside.append(span["code"])
        return " "

    return _CODE_SPAN.sub(set_aside, line)


def _unheard(name: str) -> None:
    """Nobody listens to checkpoints outside tests."""


def _sweep(folder: Path) -> None:
    """Remove what a referee that was killed in mid-write has left: nobody holds its lock."""
    for path in folder.glob(f"{_UNFINISHED}*.tmp"):
        with suppress(OSError):  # held, gone meanwhile, or not ours: somebody else's business
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()
            finally:
                os.close(handle)


def _names(folder: Path) -> list[str]:
    """What lies in a thread's folder."""
    try:
        return [path.name for path in folder.iterdir()]
    except OSError as error:
        raise GoneError(
            folder.as_uri(), cure="make_the_directory", reason=type(error).__name__
        ) from None


def _holds_posts(folder: Path) -> bool:
    return folder.is_dir() and any(_NAME.fullmatch(path.name) for path in folder.iterdir())


def _files(folder: Path, names: Iterable[str]) -> list[_File]:
    """All posts' files in the order of the thread, unread."""
    found: dict[str, _File] = {}
    for name in names:
        match = _NAME.fullmatch(name)
        if match is None:
            continue
        post_id = name.rpartition(".")[0]
        if post_id in found:
            raise LayoutChangedError(
                folder.as_uri(), cure="rename_one_post", missing="one_file_a_post", post=post_id
            )
        found[post_id] = _File(post_id, int(match["number"]), name, match["author"] or "")
    if len(found) > MAX_POSTS:
        raise LayoutChangedError(folder.as_uri(), cure="split_thread", too_many="posts")
    return sorted(found.values(), key=lambda file: (file.number, file.id))


def _is_closed(names: Iterable[str]) -> bool:
    return any(name.partition(".")[0].casefold() in _CLOSED for name in names)


def _page_number(url: str) -> int:
    """The number in a page's address; 1 where it has none."""
    value = parse_qs(urlsplit(url).query).get("page", ["1"])[0]
    return max(1, int(value)) if value.isascii() and value.isdigit() and len(value) < 10 else 1


def _page_url(folder: Path, number: int) -> str:
    return folder.as_uri() if number == 1 else f"{folder.as_uri()}?page={quote(str(number))}"


def _text_of(path: Path) -> str:
    """A post's file as text.

    Opened without following links and without waiting, so that neither a pipe nor a link to some
    other file gets the better of us.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        # Deleted between listing and reading: the next reading sees the thread without it.
        raise BusyError(path.as_uri(), cure="read_again") from None
    except OSError as error:
        raise LayoutChangedError(
            path.as_uri(), cure="mend_post_file", missing="text", reason=type(error).__name__
        ) from None
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_POST_BYTES:
            raise LayoutChangedError(
                path.as_uri(), cure="mend_post_file", missing="text", size=status.st_size
            )
        content = file.read(MAX_POST_BYTES)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise LayoutChangedError(path.as_uri(), cure="mend_post_file", missing="utf-8") from None
    return normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))


def _split(text: str) -> tuple[dict[str, str], str]:
    """A post's header, with English keys, and its body."""
    header: dict[str, str] = {}
    lines = text.split("\n")
    for used, line in enumerate(lines):
        match = _HEADER.fullmatch(line.strip())
        if match is None:
            if used and line.strip():
                # Prose goes on at once, so these lines were prose too.
                return {}, text
            return header, "\n".join(lines[used:])
        key = match["key"].casefold()
        header["author" if key in {"autor", "author"} else "date"] = match["value"].strip()
    return header, ""


def _moment(value: str) -> datetime | None:
    """A header's date in UTC; None where there is none that can be read."""
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
