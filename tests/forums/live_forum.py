"""A real forum on loopback, for tests and for people who want to try the referee.

The server is ``live/forum_server.py``, in a process of its own and under whatever Python its forum
is installed in. This is the other end of its pipe, the same for every forum.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, ClassVar, Self

_SERVER = Path(__file__).parent / "live" / "forum_server.py"
PASSWORD = "clave1234"


class LiveForum:
    """A forum in a child process; ids are strings, as its adapter gives them.

    Attributes:
        platform: Name of its adapter, and of its modules in ``live/``.
        base_url: Where it answers, once started.
    """

    platform: ClassVar[str]

    def __init__(
        self,
        home: Path,
        templates: Path | None = None,
        *,
        python: str = sys.executable,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Choose where it lives.

        Args:
            home: Its folder; one that holds a forum already is served on.
            templates: Where migrated empty forums are kept, to be copied: making one takes
                seconds, so tests keep them.
            python: The interpreter that the forum is installed for.
            environment: Further variables for the server, such as where its database is.
        """
        self._home = home
        self._templates = templates or home.with_name(f"{home.name}.templates")
        self._python = python
        self._environment = environment or {}
        self._process: subprocess.Popen[str] | None = None
        self._lock = Lock()
        self.base_url = ""

    def start(self) -> Self:
        """Start the server and wait until it answers."""
        self._home.mkdir(parents=True, exist_ok=True)
        # Nothing of ours may come before what the forum's own Python has installed.
        inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        self._process = subprocess.Popen(
            [self._python, "-X", "utf8", _SERVER, self.platform, self._templates, self._home],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            # Ctrl-C is for whoever started us; the child ends with its pipe.
            start_new_session=True,
            env={**inherited, **self._environment},
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

    @property
    def board_url(self) -> str:
        """The forum's front page, as a config names it."""
        return self.base_url

    def topic_url(self, topic: str) -> str:
        """Where a browser finds a topic."""
        raise NotImplementedError

    def page_url(self, first: str, number: int) -> str:
        """Where a browser finds a page of a topic, from the address of its first page."""
        return f"{first}?page={number}"

    @property
    def login_url(self) -> str:
        """Where a browser logs in."""
        raise NotImplementedError

    def create_user(self, name: str, password: str = PASSWORD, *, moderator: bool = False) -> str:
        """A member who may log in at once; returns the user id."""
        made: str = self.ask("create_user", name=name, password=password, moderator=moderator)
        return made

    def create_topic(self, title: str, by: str, *texts: str) -> str:
        """A topic with these first posts; returns its id, as a config would name it."""
        made: str = self.ask("create_topic", title=title, by=by, texts=list(texts))
        return made

    def post_as(self, user: str, topic: str, text: str) -> str:
        """Post through the forum's own form and renderer; returns the post's id."""
        return self.post_all(user, topic, [text])[0]

    def post_all(self, user: str, topic: str, texts: Sequence[str]) -> list[str]:
        """Post many texts at one go; returns their ids."""
        made: list[str] = self.ask("post_all", by=user, topic=topic, texts=list(texts))
        return made

    def edit_as(self, post: str, text: str) -> None:
        """Edit a post as its author."""
        self.ask("edit", post=post, text=text)

    def remove(self, post: str) -> None:
        """Delete a post as a moderator does."""
        self.ask("remove", post=post)

    def write_letter(self, by: str, to: str, title: str, text: str) -> str:
        """A private message, where the forum has them; returns its id."""
        made: str = self.ask("write_letter", by=by, to=to, title=title, text=text)
        return made

    def close_topic(self, topic: str) -> None:
        """Close a topic to replies."""
        self.ask("close", topic=topic, closed=True)

    def open_topic(self, topic: str) -> None:
        """Open it again."""
        self.ask("close", topic=topic, closed=False)

    def delete_topic(self, topic: str) -> None:
        """Delete a whole topic."""
        self.ask("delete_topic", topic=topic)

    def posts(self, topic: str) -> list[dict[str, Any]]:
        """What the database holds: id, author_id, author, text, html, edits, removed."""
        found: list[dict[str, Any]] = self.ask("posts", topic=topic)
        return found

    def shut_out(self, user: str) -> None:
        """Take from a user the leave to read topics."""
        self.ask("shut_out", user=user)

    def set_password(self, user: str, password: str) -> None:
        """Change a password, which ends the user's sessions."""
        self.ask("set_password", user=user, password=password)

    def fault(self, name: str, kind: str = "read", times: int = 1) -> None:
        """Let the next requests (``read`` a topic, or ``write`` a post) meet a fault.

        Its name is that of a function in ``live/forum_faults.py``, or one of the forum's own.
        """
        self.ask("fault", name=name, kind=kind, times=times)

    def no_faults(self) -> None:
        """End all faults that are still to come."""
        self.ask("no_faults")

    def end_sessions(self) -> None:
        """Log everybody out."""
        self.ask("end_sessions")

    def ask(self, command: str, **arguments: object) -> Any:
        """Let the server run one of its commands. Raises ``RuntimeError`` with what it says."""
        process = self._running()
        with self._lock:
            assert process.stdin is not None
            process.stdin.write(json.dumps({"do": command, "with": arguments}) + "\n")
            process.stdin.flush()
            answer = self._answer()
        if "error" in answer:
            raise RuntimeError(f"{command}: {answer['error']}")
        return answer["result"]

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            raise RuntimeError("the forum is not running")
        return self._process

    def _answer(self) -> dict[str, Any]:
        process = self._running()
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"the forum has ended with {process.wait(timeout=10)}")
        answer: dict[str, Any] = json.loads(line)
        return answer
