"""Every rule of the catalogue has its place in the code and a scenario that proves it."""

import re
from pathlib import Path

import pytest

from tests.rulesets.playing import scenario_file

ROOT = Path(__file__).parents[3]
RULE = re.compile(r"AN-[A-Z]+-\d+")

# Rules left wholly to people: there is nothing that the referee could do about them in a fight.
NOT_IN_CODE = {
    "AN-INI-05": "outside combat a free roll settles who moves first",
    "AN-SIT-04": "who stands where is told in prose; the game master sets the situations",
    "AN-CRI-13": "weeks of healing are no matter of combat",
    "AN-ELE-07": "weeks of healing are no matter of combat",
    "AN-ELE-08": "there is no bleeding to be stopped",
    "AN-FAT-10": "hours of work are no matter of combat",
    "AN-FAT-11": "hours of rest are no matter of combat; between assaults nothing comes back",
}


def catalogue() -> dict[str, str]:
    """Rule id to its handling."""
    rules = {}
    text = (ROOT / "docs" / "rules" / "anima.md").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("| AN-"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            rules[cells[0]] = cells[3]
    return rules


RULES = catalogue()


def named_in(*paths: Path) -> set[str]:
    return {rule for path in paths for rule in RULE.findall(path.read_text(encoding="utf-8"))}


def test_the_catalogue_is_read_whole():
    assert len(RULES) == 211
    assert set(RULES.values()) == {"auto", "standing", "ruling"}


def test_every_rule_is_named_where_it_is_carried_out():
    package = ROOT / "rulesets" / "anima"
    named = named_in(*package.glob("*.py"), *package.glob("tables/*.yaml"))
    assert named <= set(RULES)
    assert set(RULES) - named == set(NOT_IN_CODE)


def test_nothing_that_the_referee_decides_is_left_out_of_the_code():
    assert {RULES[rule] for rule in NOT_IN_CODE} == {"ruling"}


@pytest.mark.parametrize("rule", [r for r, handling in RULES.items() if handling != "ruling"])
def test_every_rule_has_a_scenario(rule: str):
    assert any(rule in scenario.rules for scenario in scenario_file("anima").scenarios)


def test_scenarios_name_rules_that_exist():
    listed = scenario_file("anima").scenarios
    assert {rule for scenario in listed for rule in scenario.rules} <= set(RULES)
