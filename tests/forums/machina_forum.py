"""A real django-machina forum; ``live_forum`` tells what it can do."""

from typing import ClassVar

from tests.forums.live_forum import LiveForum


class MachinaForum(LiveForum):
    """django-machina below ``/foro/``, with what only machina has."""

    platform: ClassVar[str] = "machina"

    @property
    def board_url(self) -> str:
        """The board's front page, as a config names it."""
        return f"{self.base_url}/foro"

    def topic_url(self, topic: str) -> str:
        """Where a browser finds a topic."""
        return f"{self.board_url}/forum/f-1/topic/t-{topic}/"

    @property
    def login_url(self) -> str:
        """Where a browser logs in."""
        return f"{self.base_url}/cuenta/entrar/?next=/foro/"

    def sign(self, user: str, signature: str) -> None:
        """Put a signature below all posts of a user."""
        self.ask("sign", user=user, signature=signature)

    def forbid(self, user: str, permission: str) -> None:
        """Take a permission from a user: ``can_read_forum``, ``can_post_without_approval``..."""
        self.ask("forbid", user=user, permission=permission)

    def approve(self, post: str) -> None:
        """Let a waiting post through."""
        self.ask("approve", post=post)

    def rename_topic(self, topic: str, title: str) -> None:
        """Give a topic another title, and so another slug."""
        self.ask("rename", topic=topic, title=title)

    def move_topic(self, topic: str) -> None:
        """Move a topic to another forum."""
        self.ask("move", topic=topic)
