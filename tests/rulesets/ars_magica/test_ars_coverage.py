"""Every rule of the catalogue has its place in the code and a scenario that proves it."""

import re
from pathlib import Path

import pytest

from tests.rulesets.playing import scenario_file

ROOT = Path(__file__).parents[3]
RULE = re.compile(r"AM-[A-Z]+-\d+")
# Rules left wholly to people: there is nothing that the referee could do about them.
NOT_IN_CODE = {
    "AM-DEF-10": "advice for those who defend, without a rule",
    "AM-DMG-19": "a maiming averted is told in prose; the game master corrects the state",
    "AM-DMG-21": "organs hurt and what they cost later are no matter of rounds",
    "AM-DMG-22": "what a wound looks like is told in prose",
    "AM-MNT-21": "a mount cleverer than its rider is the game master's to play",
    "AM-MNT-22": "what knights think of it is no matter of combat",
    "AM-NLC-06": "a death by accident is the game master's correction",
    "AM-NLC-09": "ritual healing is no matter of combat",
    "AM-ELE-06": "what shields from fire is a modifier by ruling",
    "AM-ELE-08": "what passes armour is a modifier by ruling",
}


def catalogue():
    """Rule id to its handling."""
    rules = {}
    text = (ROOT / "docs" / "rules" / "ars_magica.md").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("| AM-"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            rules[cells[0]] = cells[3]
    return rules


RULES = catalogue()


def test_the_catalogue_is_read_whole():
    assert len(RULES) == 257
    assert set(RULES.values()) == {"auto", "standing", "ruling"}


def test_every_rule_is_named_where_it_is_carried_out():
    package = ROOT / "rulesets" / "ars_magica"
    paths = (*package.glob("*.py"), *package.glob("tables/*.yaml"))
    named = {rule for path in paths for rule in RULE.findall(path.read_text(encoding="utf-8"))}
    assert named <= set(RULES)
    assert set(RULES) - named == set(NOT_IN_CODE)


def test_nothing_that_the_referee_decides_is_left_out_of_the_code():
    assert {RULES[rule] for rule in NOT_IN_CODE} == {"ruling"}


@pytest.mark.parametrize("rule", [r for r, handling in RULES.items() if handling != "ruling"])
def test_every_rule_has_a_scenario(rule):
    listed = scenario_file("ars_magica").scenarios
    assert any(rule in scenario.rules for scenario in listed)


def test_scenarios_name_rules_that_exist():
    listed = scenario_file("ars_magica").scenarios
    assert {rule for scenario in listed for rule in scenario.rules} <= set(RULES)
