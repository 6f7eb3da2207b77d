"""A real Spirit forum on loopback, for tests and for people who want to try the referee.

``python -m tests.forums.spirit_forum`` starts one with a made-up scene, says how to get in, and
keeps running until its input ends or Ctrl-C.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Self

_SERVER = Path(__file__).with_name("spirit_server.py")
_ROOT = Path(__file__).parents[2]
PASSWORD = "clave1234"


class SpiritForum:
    """A Spirit forum in a child process; ids are strings, as the adapter gives them."""

    def __init__(self, home: Path, template: Path | None = None) -> None:
        """Choose where it lives.

        Args:
            home: Its folder; one that holds a forum already is served on.
            template: A migrated empty forum to copy, made when it is not there: that takes
                seconds, so tests keep it.
        """
        self._home = home
        self._template = template or home.with_name(f"{home.name}.template")
        self._process: subprocess.Popen[str] | None = None
        self._lock = Lock()
        self.base_url = ""

    def start(self) -> Self:
        """Start the server and wait until it answers."""
        self._home.mkdir(parents=True, exist_ok=True)
        # -P keeps this folder, with its own modules, off the child's path.
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_SERVER), str(self._template), str(self._home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            # Ctrl-C is for whoever started us; the child ends with its pipe.
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(_ROOT)},
        )
        try:
            self.base_url = f"http://127.0.0.1:{self._answer()['port']}"
        except RuntimeError:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """End the server by closing its pipe, by force if it does not listen."""
        process, self._process = self._process, None
        if process is None:
            return
        with process:
            if process.stdin is not None:
                process.stdin.close()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()

    def __enter__(self) -> Self:
        """Start."""
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop."""
        self.stop()

    @property
    def pid(self) -> int:
        """Process id of the server."""
        return self._running().pid

    def create_user(self, name: str, password: str = PASSWORD, *, moderator: bool = False) -> str:
        """A member who may log in at once; returns the user id."""
        return str(self._do("create_user", name=name, password=password, moderator=moderator))

    def create_topic(self, title: str, by: str, *texts: str) -> str:
        """A topic with these first posts; returns its id."""
        return str(self._do("create_topic", title=title, by=int(by), texts=list(texts)))

    def post_as(self, user: str, topic: str, text: str) -> str:
        """Post through Spirit's own form and renderer; returns the post's id."""
        return self.post_all(user, topic, [text])[0]

    def post_all(self, user: str, topic: str, texts: Sequence[str]) -> list[str]:
        """Post many texts at one go; returns their ids."""
        ids = self._do("post", topic=int(topic), by=int(user), texts=list(texts))
        return [str(pk) for pk in ids]

    def edit_as(self, post: str, text: str) -> None:
        """Edit a post as its author."""
        self._do("edit", comment=int(post), text=text)

    def remove(self, post: str, *, removed: bool = True) -> None:
        """Delete a post as a moderator does, or bring it back."""
        self._do("remove", comment=int(post), removed=removed)

    def move(self, post: str, topic: str) -> None:
        """Move a post to another topic."""
        self._do("move", comment=int(post), topic=int(topic))

    def close_topic(self, topic: str) -> None:
        """Close a topic to replies, with the note that Spirit leaves."""
        self._do("close", topic=int(topic), closed=True)

    def open_topic(self, topic: str) -> None:
        """Open it again."""
        self._do("close", topic=int(topic), closed=False)

    def rename_topic(self, topic: str, title: str) -> None:
        """Give a topic another title, and so another slug."""
        self._do("rename", topic=int(topic), title=title)

    def delete_topic(self, topic: str) -> None:
        """Delete a whole topic."""
        self._do("delete_topic", topic=int(topic))

    def posts(self, topic: str) -> list[dict[str, Any]]:
        """What the database holds: id, author_id, author, text, html, edits, removed."""
        found: list[dict[str, Any]] = self._do("posts", topic=int(topic))
        return found

    def limit_rates(self, *, on: bool) -> None:
        """Spirit's own limits: one post in ten seconds, five logins in five minutes.

        While on, a window never ends, so a test can rely on the refusal.
        """
        self._do("limit_rates", on=on)

    def set_password(self, user: str, password: str) -> None:
        """Change a password, which ends the user's sessions."""
        self._do("set_password", user=int(user), password=password)

    def fault(self, name: str, kind: str = "read", times: int = 1) -> None:
        """Let the next requests (``read`` a topic, or ``write`` a post) meet a fault.

        Its name is that of a function in ``spirit_faults``.
        """
        self._do("fault", name=name, kind=kind, times=times)

    def no_faults(self) -> None:
        """End all faults that are still to come."""
        self._do("no_faults")

    def end_sessions(self) -> None:
        """Log everybody out."""
        self._do("end_sessions")

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            raise RuntimeError("the forum is not running")
        return self._process

    def _do(self, command: str, **arguments: object) -> Any:
        process = self._running()
        with self._lock:
            assert process.stdin is not None
            process.stdin.write(json.dumps({"do": command, "with": arguments}) + "\n")
            process.stdin.flush()
            answer = self._answer()
        if "error" in answer:
            raise RuntimeError(f"{command}: {answer['error']}")
        return answer["result"]

    def _answer(self) -> dict[str, Any]:
        process = self._running()
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"the forum has ended with {process.wait(timeout=10)}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def template_in(cache: Path) -> Path:
    """Where to keep the migrated forum of the Spirit that is installed."""
    return cache / f"spirit-{version('django-spirit')}-django-{version('django')}"


def main(arguments: Sequence[str]) -> None:
    """Serve a made-up scene until Ctrl-C or the end of input."""
    home = Path(arguments[0]) if arguments else Path(tempfile.mkdtemp(prefix="referee-spirit-"))
    try:
        with SpiritForum(home / "forum", home / "template") as forum:
            cast = {name: forum.create_user(name) for name in ("Narradora", "Lucía", "Tomás")}
            topic = forum.create_topic(
                "Escena: El molino de Peñascal",
                cast["Narradora"],
                "La niebla cubre el molino de Peñascal.",
            )
            ways_in = [f"{name} (user {user}): {PASSWORD}" for name, user in cast.items()]
            sys.stdout.write("\n".join([f"{forum.base_url}/topic/{topic}/", *ways_in, ""]))
            sys.stdout.flush()
            for _line in sys.stdin:
                pass
    except KeyboardInterrupt:
        pass
    finally:
        if not arguments:
            shutil.rmtree(home)


if __name__ == "__main__":
    main(sys.argv[1:])
