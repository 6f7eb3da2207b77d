"""Edits of the config while the daemon runs: a broken one leaves the last good one in force."""

from collections.abc import Callable
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
        crash: What a fault of ours raised over the file as it stands now, for the log.
    """

    def __init__(self, config: Config, read: Callable[[Path], Config] = load) -> None:
        """Start from a config that was just read."""
        self.config = config
        self.problems: tuple[ConfigProblem, ...] = ()
        self.crash: Exception | None = None
        self._read = read
        # Digests of what was read, not of what stands there now: an edit in between is news.
        self._seen = dict(config.files)

    def poll(self) -> bool:
        """Look at the files again.

        Returns:
            True when they have changed since the last look: ``config`` is then a new one, or
            ``problems`` says why it still is the old one.
        """
        now = self._now()
        if now == self._seen:
            return False
        self.problems, self.crash = (), None
        try:
            self.config = self._read(self.config.path)
            self._seen = dict(self.config.files)
        except ConfigError as error:
            self.problems = error.problems
            self._seen = {**now, **error.files}
        except Exception as error:  # noqa: BLE001 - an edit must not end what runs already
            shown = str(self.config.path)
            self.problems = (ConfigProblem(file=shown, code="crash", given=type(error).__name__),)
            self.crash = error
            self._seen = now
        return True

    def _now(self) -> dict[Path, str]:
        own = Data(self.config.templates).own_files()
        return {path: digest_of(path) for path in sorted({*self._seen, *own})}
