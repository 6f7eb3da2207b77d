"""A server on loopback in a process of its own: it hands out fixed pages and counts requests.

A process of its own, so that what the client's side costs can be told from what the server does.
"""

import asyncio
import multiprocessing
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection


@dataclass(frozen=True, slots=True)
class Page:
    """What is answered to one path.

    Attributes:
        body: The bytes of the page.
        content_type: As in the header.
        etag: Where given, the same tag in a question is answered with 304.
    """

    body: bytes
    content_type: str = "text/html; charset=utf-8"
    etag: str = ""


@dataclass(frozen=True, slots=True)
class Site:
    """A running server."""

    base_url: str
    control: Connection

    def requests(self) -> int:
        """Requests answered since this was last asked."""
        self.control.send("count")
        count: int = self.control.recv()
        return count


def _answer(pages: Mapping[str, Page], head: bytes) -> bytes:
    lines = head.decode("latin-1").split("\r\n")
    page = pages.get(lines[0].split(" ")[1])
    if page is None:
        return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
    etag = f"ETag: {page.etag}\r\n" if page.etag else ""
    if page.etag and f"if-none-match: {page.etag}" in (line.lower() for line in lines):
        return f"HTTP/1.1 304 Not Modified\r\n{etag}\r\n".encode()
    length = len(page.body)
    return (
        f"HTTP/1.1 200 OK\r\nContent-Type: {page.content_type}\r\n{etag}"
        f"Content-Length: {length}\r\n\r\n"
    ).encode() + page.body


def _serve(pages: Mapping[str, Page], control: Connection) -> None:
    answered = 0

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal answered
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                answered += 1
                writer.write(_answer(pages, head))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def told() -> None:
        nonlocal answered
        try:
            control.recv()
        except EOFError:
            asyncio.get_running_loop().stop()
            return
        control.send(answered)
        answered = 0

    async def run() -> None:
        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        control.send(server.sockets[0].getsockname()[1])
        asyncio.get_running_loop().add_reader(control.fileno(), told)
        async with server:
            await server.serve_forever()

    asyncio.run(run())


@contextmanager
def site(pages: Mapping[str, Page]) -> Iterator[Site]:
    """Serve the pages, by path with query, for as long as the block runs."""
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe()
    process = spawn.Process(target=_serve, args=(dict(pages), there), daemon=True)
    process.start()
    there.close()
    try:
        yield Site(f"http://127.0.0.1:{here.recv()}", here)
    finally:
        process.terminate()
        process.join()
        here.close()
