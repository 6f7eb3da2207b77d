"""Collects scenario files: each scenario is a test of its own, named by its id."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.scenarios import Bench, Result, Scenario, builtin_bench, read_scenarios, run
from rulesets.registry import RULESETS


class ScenarioError(Exception):
    """A scenario did not come out as written; the message is the difference."""


class ScenarioItem(pytest.Item):
    """One scenario."""

    def __init__(self, *, scenario: Scenario, bench: Bench, **rest: object) -> None:
        super().__init__(**rest)
        self.scenario = scenario
        self.bench = bench

    def runtest(self) -> None:
        result = run(self.scenario, self.bench)
        if not result.passed:
            raise ScenarioError(result.diff)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> object:
        if isinstance(excinfo.value, ScenarioError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.scenario.id}: {self.scenario.title}"


class ScenarioCollector(pytest.File):
    """A file of scenarios."""

    def collect(self) -> Iterator[ScenarioItem]:
        read = read_scenarios(self.path.read_text(encoding="utf-8"), self.path.name)
        if isinstance(read, Result):
            raise self.CollectError(read.diff)
        if read.ruleset not in {game.id for game in RULESETS}:
            pytest.skip(f"no ruleset {read.ruleset} is registered", allow_module_level=True)
        bench = builtin_bench(read.ruleset)
        for scenario in read.scenarios:
            yield ScenarioItem.from_parent(self, name=scenario.id, scenario=scenario, bench=bench)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Every YAML file of this folder."""
    if file_path.suffix == ".yaml" and file_path.parent == Path(__file__).parent:
        return ScenarioCollector.from_parent(parent, path=file_path)
    return None
