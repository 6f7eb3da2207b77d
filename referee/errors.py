"""What can go wrong in the shell, sorted by who can mend it.

What a player can mend is a value (``TagProblem``, ``Rejection``) and has no type here; what a
forum does is ``adapters.errors``. Everything here carries keys and figures; the sentences stand in
``templates/*/config_messages.yaml`` and ``templates/*/messages.yaml``. Nothing here ever holds a
secret: who builds one of these leaves the value out.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigProblem:
    """One thing that the game master can mend in a text file.

    Attributes:
        file: The file as the game master knows it: as given, or relative to the config.
        line: From 1; 0 where the problem has no place in the file.
        column: From 1; 0 likewise.
        field: Keys that lead to the value, with dots: ``threads.molino.cast.Lope.side``.
        code: Key of its sentence in section ``config`` of the messages.
        given: What was found, shortened; empty where it may be a secret.
        expected: What would be right, as facts: ids, a range, an example.
        suggestion: The nearest valid spelling, or empty.
    """

    file: str
    code: str
    line: int = 0
    column: int = 0
    field: str = ""
    given: str = ""
    expected: str = ""
    suggestion: str = ""

    @property
    def facts(self) -> Mapping[str, object]:
        """All that its sentence may name."""
        return asdict(self)


class RefereeError(Exception):
    """Base of what the shell raises on purpose."""


class ConfigError(RefereeError):
    """The game master must mend the config; holds every problem found, never only the first."""

    def __init__(
        self, problems: tuple[ConfigProblem, ...], files: Mapping[Path, str] | None = None
    ) -> None:
        """Keep the problems, in the order of file and line, and the files read on the way."""
        super().__init__(
            "; ".join(f"{p.file}:{p.line}:{p.column}: {p.code} {p.field}" for p in problems[:5])
        )
        self.problems = problems
        self.files = files or {}


class TemporaryError(RefereeError):
    """Time mends it: try again later."""

    retry = True


class OperatorError(RefereeError):
    """Whoever runs the daemon must act.

    Attributes:
        code: Key of the sentence that says what is wrong.
        cure: Key of the sentence that says what to do.
        facts: Names and figures for both, never a secret.
    """

    def __init__(self, code: str, cure: str, **facts: object) -> None:
        """Keep the facts."""
        self.code = code
        self.cure = cure
        self.facts = facts
        details = "".join(f" {key}={value!r}" for key, value in facts.items())
        super().__init__(f"{code} cure={cure}{details}")


class SecretMissingError(OperatorError):
    """A password or key is not where the config says that it is."""
