"""Every rule of the catalogue has its place in the code and a scenario that proves it."""

import re
from pathlib import Path

import pytest

from tests.rulesets.playing import scenario_file

ROOT = Path(__file__).parents[2]
RULE = re.compile(r"AQ-[A-Z]+-\d+")

# Rules left wholly to people: there is nothing that the referee could do about them.
NOT_IN_CODE = {
    "AQ-OTH-06": "an object hard to get at is told in prose; the game master corrects the state",
    "AQ-ARM-14": "what people think of a man in armour is no matter of combat",
    "AQ-ARM-15": "cost and place of repairs are no matter of combat",
    "AQ-LOC-11": "a game master who wants another place corrects the state",
}


def catalogue():
    """Rule id to its handling."""
    rules = {}
    text = (ROOT / "docs" / "rules" / "aquelarre.md").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("| AQ-"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            rules[cells[0]] = cells[3]
    return rules


RULES = catalogue()


def named_in(*paths):
    return {rule for path in paths for rule in RULE.findall(path.read_text(encoding="utf-8"))}


def test_the_catalogue_is_read_whole():
    assert len(RULES) == 189
    assert set(RULES.values()) == {"auto", "standing", "ruling"}


def test_every_rule_is_named_where_it_is_carried_out():
    package = ROOT / "rulesets" / "aquelarre"
    named = named_in(*package.glob("*.py"), *package.glob("tables/*.yaml"))
    assert named <= set(RULES)
    assert set(RULES) - named == set(NOT_IN_CODE)


def test_nothing_that_the_referee_decides_is_left_out_of_the_code():
    assert {RULES[rule] for rule in NOT_IN_CODE} == {"ruling"}


@pytest.mark.parametrize("rule", [r for r, handling in RULES.items() if handling != "ruling"])
def test_every_rule_has_a_scenario(rule):
    listed = scenario_file("aquelarre").scenarios
    assert any(rule in scenario.rules for scenario in listed)


def test_scenarios_name_rules_that_exist():
    listed = scenario_file("aquelarre").scenarios
    assert {rule for scenario in listed for rule in scenario.rules} <= set(RULES)
