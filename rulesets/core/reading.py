"""Read plain data (sheets, scenes, options, table rows) into typed values, all problems at once.

A ``Reading`` goes through mappings that somebody wrote by hand. What is wrong becomes a
``SetupProblem`` with its path, and a harmless value stands in so that reading goes on.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rulesets.core.dice import DiceExpression, dice_expression
from rulesets.core.questions import SetupError, SetupProblem

Path = tuple[str | int, ...]

MAX_ITEMS = 200  # of any list or mapping on a sheet


@dataclass(slots=True)
class Reading:
    """Problems found so far."""

    problems: list[SetupProblem] = field(default_factory=list)

    def problem(
        self,
        path: Path,
        code: str,
        given: object = None,
        expected: str = "",
        candidates: Iterable[str] = (),
    ) -> None:
        """Keep a problem."""
        self.problems.append(SetupProblem(path, code, given, expected, tuple(candidates)))

    def finish(self) -> None:
        """Raise ``SetupError`` with all that is wrong, if anything is."""
        if self.problems:
            raise SetupError(tuple(self.problems))

    def unlisted(
        self, since: int, path: Path, code: str, given: str, candidates: Iterable[str]
    ) -> None:
        """Say that a name is none of the table's, where its row lacks what the table would give.

        Args:
            since: How many problems there were before the row was read.
            path: Of the name.
            code: ``unknown_name``, or ``unknown_key`` where the name is a key.
            given: The name.
            candidates: Names of the table.
        """
        if any(problem.code == "missing" for problem in self.problems[since:]):
            self.problem(path, code, given, "", candidates)

    # ------------------------------------------------------------------ whole values

    def mapping(self, value: object, path: Path) -> Mapping[str, object]:
        """A mapping with text keys, empty where the value is none."""
        if value is None:
            return {}
        if not isinstance(value, Mapping) or len(value) > MAX_ITEMS:
            self.problem(path, "wrong_type", value, "mapping")
            return {}
        odd = [key for key in value if not isinstance(key, str)]
        for key in odd:
            self.problem(path, "wrong_type", key, "text")
        return {key: item for key, item in value.items() if isinstance(key, str)}

    def sequence(self, value: object, path: Path) -> Sequence[object]:
        """A list, empty where the value is none."""
        if value is None:
            return ()
        if not isinstance(value, Sequence) or isinstance(value, str) or len(value) > MAX_ITEMS:
            self.problem(path, "wrong_type", value, "list")
            return ()
        return value

    def known(self, value: Mapping[str, object], allowed: Iterable[str], path: Path) -> None:
        """Every key of a mapping is one of these."""
        names = tuple(allowed)
        for key in value:
            if key not in names:
                self.problem((*path, key), "unknown_key", key, "", names)

    # ------------------------------------------------------------------ fields of a mapping

    def integer(
        self,
        row: Mapping[str, object],
        key: str,
        path: Path,
        default: int | None = None,
        span: tuple[int, int] = (-1_000, 10_000),
    ) -> int:
        """A whole number within a span, both ends included; without a default it must be there."""
        least, most = span
        if row.get(key) is None:
            if default is None:
                self.problem((*path, key), "missing", None, "integer")
                return least
            return default
        value = row[key]
        if isinstance(value, bool) or not isinstance(value, int):
            self.problem((*path, key), "wrong_type", value, "integer")
        elif not least <= value <= most:
            self.problem((*path, key), "out_of_range", value, f"{least}..{most}")
        else:
            return value
        return least if default is None else default

    def flag(self, row: Mapping[str, object], key: str, path: Path, *, default: bool) -> bool:
        """True or false."""
        value = row.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            self.problem((*path, key), "wrong_type", value, "boolean")
            return default
        return value

    def text(
        self, row: Mapping[str, object], key: str, path: Path, default: str | None = None
    ) -> str:
        """Text; without a default it must be there."""
        value = row.get(key)
        if value is None:
            if default is None:
                self.problem((*path, key), "missing", None, "text")
            return default or ""
        if not isinstance(value, str) or len(value) > MAX_ITEMS:
            self.problem((*path, key), "wrong_type", value, "text")
            return default or ""
        return value.strip()

    def choice(
        self,
        row: Mapping[str, object],
        key: str,
        path: Path,
        among: Sequence[str],
        default: str | None = None,
    ) -> str:
        """One of some ids; without a default it must be there."""
        value = row.get(key)
        if isinstance(value, str) and value in among:
            return value
        if value is not None:
            expected = " | ".join(among)
            self.problem((*path, key), "unknown_name", value, expected, tuple(among))
        elif default is None:
            self.problem((*path, key), "missing", None, " | ".join(among), tuple(among))
        return among[0] if default is None else default

    def names(
        self, row: Mapping[str, object], key: str, path: Path, among: Iterable[str] | None = None
    ) -> tuple[str, ...]:
        """A list of texts, each one of some ids where they are given."""
        here = (*path, key)
        allowed = None if among is None else tuple(among)
        found = []
        for index, item in enumerate(self.sequence(row.get(key), here)):
            if not isinstance(item, str):
                self.problem((*here, index), "wrong_type", item, "text")
            elif allowed is not None and item not in allowed:
                self.problem((*here, index), "unknown_name", item, "", allowed)
            else:
                found.append(item)
        return tuple(found)

    def dice(
        self, row: Mapping[str, object], key: str, path: Path, default: str | None = None
    ) -> DiceExpression:
        """Dice such as ``1D8+1``; empty text is no dice."""
        text = self.text(row, key, path, default)
        if not text and (default is not None or row.get(key) is None):
            return DiceExpression()
        try:
            found = dice_expression(text)
        except ValueError:
            found = DiceExpression()
        if found.count < 1 or found.sides < 2:
            self.problem((*path, key), "wrong_type", text, "NdS+K")
            return DiceExpression()
        return found
