"""A headless Chromium for tests: started without a network, driven over a pipe.

The DevTools protocol goes through two file descriptors, so no port is opened and no client library
is needed. Everything that a page asks for is noted.
"""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",  # root in a container has no user namespace to lend
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-pipe",
)
ANSWER_S = 120


def program() -> str | None:
    """Where the browser is, or None."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


class PageError(Exception):
    """What a script in the page threw."""


class Browser:
    """One page in one browser."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._out, self._in = to_browser, from_browser
        self._rest = b""
        self._count = 0
        self._session = ""
        self.requests: list[str] = []
        self.errors: list[str] = []

    def open(self, page: Path, *, width: int = 390, height: int = 844) -> None:
        """Show a file as on a phone."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Accessibility"):
            self.call(f"{domain}.enable")
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2,
            mobile=True,
        )
        self.requests.clear()
        self.call("Page.navigate", url=page.as_uri())
        self.run(
            "new Promise(r => document.readyState === 'complete' ? r() : (onload = () => r()))"
        )

    def run(self, script: str) -> Any:
        """Evaluate an expression in the page; promises are waited for."""
        answer = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise PageError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def ask(self, function: str, *arguments: Any) -> Any:
        """Call a function of the page with plain values."""
        given = ", ".join(json.dumps(argument) for argument in arguments)
        return self.run(f"(async () => await ({function})({given}))()")

    def picture(self) -> bytes:
        """The whole page as PNG."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        return base64.b64decode(shot["data"])

    def call(self, method: str, **parameters: Any) -> Any:
        """One command of the DevTools protocol and its answer."""
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._write(json.dumps(message).encode() + b"\0")
        while True:
            heard = self._next()
            if heard.get("id") == self._count:
                if "error" in heard:
                    raise PageError(heard["error"]["message"])
                return heard["result"]
            self._note(heard)

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._out, view) :]

    def _next(self) -> dict[str, Any]:
        until = time.monotonic() + ANSWER_S
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], max(0, until - time.monotonic()))
            piece = os.read(self._in, 1 << 16) if ready else b""
            if not piece:
                raise PageError("the browser does not answer")
            self._rest += piece
        message, _, self._rest = self._rest.partition(b"\0")
        heard: dict[str, Any] = json.loads(message)
        return heard

    def _note(self, heard: dict[str, Any]) -> None:
        if heard.get("method") == "Network.requestWillBeSent":
            self.requests.append(heard["params"]["request"]["url"])
        elif heard.get("method") == "Runtime.exceptionThrown":
            self.errors.append(str(heard["params"]["exceptionDetails"]))
        elif heard.get("method") == "Runtime.consoleAPICalled":
            self.errors.append(str(heard["params"]["args"]))


def _pipe() -> tuple[int, int]:
    """Both ends of a pipe, away from the numbers that the browser wants for itself."""
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return moved[0], moved[1]


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser that ends with the block."""
    found = program()
    if found is None:
        raise LookupError("chromium")
    theirs_in, ours_out = _pipe()
    ours_in, theirs_out = _pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        # The browser listens on descriptor 3 and answers on 4.
        through_bash = ("bash", "-c", f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}', "bash")
        process = subprocess.Popen(
            [*through_bash, found, *FLAGS, f"--user-data-dir={profile}"],
            pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "LANG": "es_ES.UTF-8", "LANGUAGE": "es"},
        )
        os.close(theirs_in)
        os.close(theirs_out)
        try:
            yield Browser(ours_out, ours_in)
        finally:
            os.close(ours_out)
            os.close(ours_in)
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
