"""What a hostile or broken server may answer: one catalogue for the suite and the benchmark.

``ANSWERS`` are whole exchanges, byte for byte, for the client; ``BOMBS`` are what somebody may have
got into a page, for the readers. Each says what it attacks.
"""

import asyncio
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from typing import Final

GOOD: Final = b"<!DOCTYPE html><html><body>Escena</body></html>"
_PAGE: Final = b"<!DOCTYPE html><html><body>"
_END: Final = b"</body></html>"

Answer = Callable[[str], Iterator[bytes]]


def page(body: bytes, headers: str = "Content-Type: text/html; charset=utf-8\r\n") -> bytes:
    return f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n{headers}\r\n".encode() + body


@cache
def _packed() -> bytes:
    """Sixty megabytes in sixty kilobytes."""
    packer = zlib.compressobj(9, wbits=31)
    return b"".join([*(packer.compress(b"<b>" * 2**20) for _ in range(20)), packer.flush()])


def gzip_bomb(address: str) -> Iterator[bytes]:
    """Six gigabytes in six megabytes."""
    del address
    yield b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n"
    for _time in range(100):
        yield _packed()


def endless_body(address: str) -> Iterator[bytes]:
    """A hundred megabytes, announced as such."""
    del address
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\nContent-Type: text/html\r\n\r\n" + _PAGE
    for _time in range(1600):
        yield b"<p>basura</p>" * 5000


def endless_chunks(address: str) -> Iterator[bytes]:
    """The same without saying how much it will be."""
    del address
    yield b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = b"<p>basura</p>" * 5000
    for _time in range(1600):
        yield b"%x\r\n%s\r\n" % (len(chunk), chunk)


def many_headers(address: str) -> Iterator[bytes]:
    """Headers without end."""
    del address
    yield b"HTTP/1.1 200 OK\r\n"
    for number in range(200_000):
        yield b"X-%d: %s\r\n" % (number, b"x" * 200)


def long_header(address: str) -> Iterator[bytes]:
    """One header of twenty megabytes."""
    del address
    yield b"HTTP/1.1 200 OK\r\nX-Long: "
    for _time in range(320):
        yield b"x" * 65_536


def redirects(address: str) -> Iterator[bytes]:
    """Always on to the next address."""
    yield f"HTTP/1.1 302 Found\r\nLocation: {address}&a\r\nContent-Length: 0\r\n\r\n".encode()


def _fixed(body: bytes, headers: str = "Content-Type: text/html; charset=utf-8\r\n") -> Answer:
    def answer(address: str) -> Iterator[bytes]:
        del address
        yield page(body, headers)

    return answer


ANSWERS: Final[Mapping[str, Answer]] = {
    "gzip bomb": gzip_bomb,
    "100 MB": endless_body,
    "100 MB in chunks": endless_chunks,
    "headers without end": many_headers,
    "a header of 20 MB": long_header,
    "redirects without end": redirects,
    "no HTTP": lambda _address: iter([b"\x16\x03\x01\x02\x00" * 1000]),
    "wrong charset": _fixed(
        "<!DOCTYPE html><html><body>acción</body></html>".encode("utf-16"),
        "Content-Type: text/html; charset=utf-8\r\n",
    ),
    "a charset that takes quadratic time": _fixed(
        GOOD + b"x" * 500_000, "Content-Type: text/html; charset=punycode\r\n"
    ),
    "NUL": _fixed(_PAGE + b"\0" * 2_000_000 + _END),
    "2 MB of <!--": _fixed(_PAGE + b"<!--" * 500_000 + _END),
    "nested 20,000 deep": _fixed(_PAGE + b"<div>" * 20_000 + b"</div>" * 20_000 + _END),
    "an attribute of 1.9 MB": _fixed(_PAGE + b'<a title="' + b"x" * 1_900_000 + b'">' + _END),
    "50,000 attributes": _fixed(
        _PAGE + b"<a " + b" ".join(b"a%d=1" % number for number in range(50_000)) + b">" + _END
    ),
    "entities without end": _fixed(_PAGE + b"&#x" * 600_000 + _END),
    "JSON nested 100,000 deep": _fixed(b"[" * 100_000, "Content-Type: application/json\r\n"),
}

# What stands in a post, a signature or an advertisement of a page that is otherwise right.
BOMBS: Final[Mapping[str, str]] = {
    "nested <div>": "<div>" * 19_500,
    "nested <b>": "<b>" * 19_500,
    "nested quotes": "<blockquote>" * 14_000 + "x" + "</blockquote>" * 14_000,
    "nested tables": "<table><tr><td>" * 6_600,
    "flat elements": "<b>x</b>" * 13_000,
    "links in links": "<a href='/x'>" * 19_500,
    "paragraphs": "<p>" * 19_500,
    "lists": "<ul><li>" * 9_700,
    "spans of code": "<code>[</code>" * 13_000,
    "comments": "<!--" * 450_000,
    "an attribute": f'<a title="{"x" * 1_500_000}">',
    "many attributes": "<a " + " ".join(f'a{number}="1"' for number in range(50_000)) + ">",
    "entities": "&lt;" * 450_000,
    "broken entities": "&#x" * 450_000,
    "NUL": "\0" * 1_500_000,
    "brackets": "[" * 1_500_000,
    "tags without end": "[acción: " * 150_000,
}


@asynccontextmanager
async def serving(answer: Answer) -> AsyncIterator[str]:
    """A server that gives the same answer to everybody; gives its address."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            for piece in answer(url):
                writer.write(piece)
                await writer.drain()
        except (ConnectionError, asyncio.CancelledError, asyncio.IncompleteReadError):
            pass  # who is hostile must bear that nobody listens to the end
        finally:
            writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/viewtopic.php?t=2"
    try:
        yield url
    finally:
        server.close()
        await server.wait_closed()
