"""Edits of the config while the daemon runs: a broken one leaves the last good one in force."""

from collections.abc import Callable, Iterable
from pathlib import Path

from referee.config import load
from referee.data import Data
from referee.documents import digest_of
from referee.errors import ConfigError, ConfigProblem
from referee.settings import Config


class Reloader:
    """Keeps the last good config while somebody edits the file.

    It looks when asked, and compares contents: a modification time can stay the same over an edit,
    and change without one. Sheets, tables and the game master's folder count like the file itself.

    Attributes:
        config: The last good one.
        problems: What is wrong with the file as it stands now; empty when ``config`` is it.
    """

    def __init__(self, config: Config, read: Callable[[Path], Config] = load) -> None:
        """Start from a config that was just read."""
        self.config = config
        self.problems: tuple[ConfigProblem, ...] = ()
        self._read = read
        self._seen = self._now(config.files)

    def poll(self) -> bool:
        """Look at the files again.

        Returns:
            True when they have changed since the last look: ``config`` is then a new one, or
            ``problems`` says why it still is the old one.
        """
        now = self._now(self._seen)
        if now == self._seen:
            return False
        try:
            self.config = self._read(self.config.path)
        except ConfigError as error:
            self.problems = error.problems
            self._seen = self._now({**self.config.files, **error.files})
        else:
            self.problems = ()
            self._seen = self._now(self.config.files)
        return True

    def _now(self, files: Iterable[Path]) -> dict[Path, str]:
        own = Data(self.config.templates).own_files()
        return {path: digest_of(path) for path in sorted({*files, *own})}
