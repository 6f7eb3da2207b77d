"""A real Spirit forum; ``live_forum`` tells what it can do."""

from typing import ClassVar

from tests.forums.live_forum import LiveForum


class SpiritForum(LiveForum):
    """Spirit, with what only Spirit has."""

    platform: ClassVar[str] = "spirit"

    def topic_url(self, topic: str) -> str:
        """Where a browser finds a topic."""
        return f"{self.base_url}/topic/{topic}/"

    @property
    def login_url(self) -> str:
        """Where a browser logs in."""
        return f"{self.base_url}/user/login/"

    def rename_topic(self, topic: str, title: str) -> None:
        """Give a topic another title, and so another slug."""
        self.ask("rename", topic=topic, title=title)

    def limit_rates(self, *, on: bool) -> None:
        """Spirit's own limits: one post in ten seconds, five logins in five minutes.

        While on, a window never ends, so a test can rely on the refusal.
        """
        self.ask("limit_rates", on=on)
