"""Every rule of the catalogue has its place in the code and a scenario that proves it."""

import re
from pathlib import Path

import pytest

from tests.rulesets.playing import scenario_file

ROOT = Path(__file__).parents[3]
RULE = re.compile(r"HF-[A-Z]+-\d+")


def catalogue() -> dict[str, str]:
    """Rule id to its handling."""
    rules = {}
    text = (ROOT / "docs" / "rules" / "hielo_y_fuego.md").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("| HF-"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            rules[cells[0]] = cells[3]
    return rules


RULES = catalogue()


def test_the_catalogue_is_read_whole():
    assert len(RULES) == 129
    assert set(RULES.values()) == {"auto", "standing", "ruling"}


def test_every_rule_is_named_where_it_is_carried_out():
    package = ROOT / "rulesets" / "hielo_y_fuego"
    paths = [*package.glob("*.py"), *package.glob("tables/*.yaml")]
    named = {rule for path in paths for rule in RULE.findall(path.read_text(encoding="utf-8"))}
    assert named == set(RULES)


@pytest.mark.parametrize("rule", [r for r, handling in RULES.items() if handling != "ruling"])
def test_every_rule_has_a_scenario(rule: str):
    listed = scenario_file("hielo_y_fuego").scenarios
    assert any(rule in scenario.rules for scenario in listed)


def test_scenarios_name_rules_that_exist():
    listed = scenario_file("hielo_y_fuego").scenarios
    assert {rule for scenario in listed for rule in scenario.rules} <= set(RULES)
