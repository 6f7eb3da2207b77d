"""A real Misago forum; ``live_forum`` tells what it can do."""

import secrets
from pathlib import Path
from typing import ClassVar, Final

from tests.forums.live_forum import LiveForum
from tests.plugins.postgres import Server, binaries

# Misago's pins are at odds with ours, so that it lives in a virtual environment of its own.
PYTHON: Final = Path(__file__).parents[2] / ".venv-misago" / "bin" / "python"


class MisagoForum(LiveForum):
    """Misago, with what only Misago has. User names are ASCII letters and digits."""

    platform: ClassVar[str] = "misago"

    def __init__(self, home: Path, templates: Path, server: Server) -> None:
        """Choose where it lives, and in which PostgreSQL."""
        programs = binaries()
        assert programs is not None  # a server is running
        super().__init__(
            home,
            templates,
            python=str(PYTHON),
            environment={
                "POSTGRES_HOST": server.host,
                "POSTGRES_PORT": str(server.port),
                "POSTGRES_USER": server.user,
                "POSTGRES_PASSWORD": server.password,
                "POSTGRES_BIN": str(programs),
                "FORUM_DATABASE": f"misago_{secrets.token_hex(6)}",
            },
        )

    def topic_url(self, topic: str) -> str:
        """Where a browser finds a topic: any slug leads to the right one."""
        return f"{self.base_url}/t/hilo/{topic}/"

    def page_url(self, first: str, number: int) -> str:
        """Where a browser finds a page of a topic."""
        return f"{first}{number}/"

    @property
    def login_url(self) -> str:
        """Where a browser logs in: a window over any page."""
        return f"{self.base_url}/"

    def create_private(self, title: str, by: str, to: list[str], text: str) -> str:
        """A thread that only these people see; returns its path."""
        path: str = self.ask("create_private", title=title, by=by, to=to, text=text)
        return path

    def hide(self, post: str) -> None:
        """Hide a post as a moderator does; its place stays."""
        self.ask("hide", post=post)

    def approve(self, post: str) -> None:
        """Let a post through."""
        self.ask("approve", post=post)

    def rename_topic(self, topic: str, title: str) -> None:
        """Give a topic another title, and so another slug."""
        self.ask("rename", topic=topic, title=title)

    def move_topic(self, topic: str) -> None:
        """Move a topic to another category."""
        self.ask("move", topic=topic)

    def merge_topic(self, topic: str, into: str) -> None:
        """Make a topic part of another one; it is gone then."""
        self.ask("merge", topic=topic, into=into)

    def close_account(self, post: str) -> None:
        """Delete the account that wrote a post; the posts stay."""
        self.ask("close_account", post=post)

    def ask_approval(self, *, on: bool) -> None:
        """Whether replies of members wait for a moderator."""
        self.ask("ask_approval", on=on)

    def forbid_private(self, *, on: bool) -> None:
        """Whether private threads are closed to members."""
        self.ask("forbid_private", on=on)

    def limit_rates(self, *, on: bool) -> None:
        """Misago's own limit between two posts, which never ends while on."""
        self.ask("limit_rates", on=on)
