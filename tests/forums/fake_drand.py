"""A drand relay on loopback: it gives what the chain has recorded, as soon as it is published."""

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from referee.evidence import CHAIN_HASH, published_at, randomness
from tests.evidence.played import SIGNATURES

_PATH = re.compile(rf"/{CHAIN_HASH}/public/(\d+)")


@dataclass
class FakeDrand:
    """One relay.

    Attributes:
        now: Unix time; what is published later is not there yet.
        signatures: By round.
        body: What every request is answered with instead, where it is not None.
        status: With which status.
        asked: Rounds that were asked for.
    """

    now: Callable[[], float]
    signatures: Mapping[int, str] = field(default_factory=lambda: dict(SIGNATURES))
    body: str | None = None
    status: int = 200
    asked: list[int] = field(default_factory=list)

    def answer(self, path: str) -> tuple[int, str]:
        found = _PATH.fullmatch(path)
        if found is None:
            return 404, "{}"
        number = int(found[1])
        self.asked.append(number)
        if self.body is not None:
            return self.status, self.body
        if number not in self.signatures or published_at(number) > self.now():
            return 425, "{}"
        signature = self.signatures[number]
        data = {"round": number, "randomness": randomness(signature), "signature": signature}
        return 200, json.dumps(data)

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Serve on loopback; gives the address."""
        relay = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, body = relay.answer(self.path)
                content = body.encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
                del format, args

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
