"""House rules are told in the thread's first post: nobody learns them from a lost blow."""

import pytest

from referee.app import house_rules
from referee.narration.stories import Fact
from rulesets.anima.options import CHOICES, read_options
from rulesets.core.reading import Reading
from rulesets.registry import ruleset

TOLD = ("retarget.random", "retarget.drop")


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        ({}, [Fact("house_rule", {"rule": "retarget.random"})]),
        ({"retarget": "drop"}, [Fact("house_rule", {"rule": "retarget.drop"})]),
        (
            {"melee_reach": 3, "min_strength": False},
            [
                Fact("house_rule", {"rule": "retarget.random"}),
                Fact("house_set", {"name": "melee reach", "value": "3"}),
                Fact("house_set", {"name": "min strength", "value": "false"}),
            ],
        ),
    ],
)
def test_the_value_in_force_is_told_and_whatever_else_the_config_sets(options, facts):
    assert list(house_rules(options, TOLD)) == facts


def test_what_is_told_of_anima_first_is_its_default():
    choices = read_options(Reading(), {}).choices
    seen = set()
    for rule in ruleset("anima").words["house"]:
        option, _, value = rule.partition(".")
        if option not in seen:
            assert getattr(choices, option) == value
        assert value in CHOICES[option]
        seen.add(option)
    assert seen
