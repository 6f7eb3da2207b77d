"""House rules: where the seed leaves a question open, the reading is a field here.

Defaults are the catalogue's (section 13); another value is a table's own choice.
"""

from collections.abc import Mapping
from typing import Final

from rulesets.core.records import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """One field for each row of catalogue 13; the rule that it bends stands behind it."""

    critical_at: int = 10  # AM-DMG-04
    epic_at: int = 20  # AM-DMG-06
    hit_locations: str = "all"  # AM-DMG-16
    range_increments: str = "complete"  # AM-MIS-07
    max_range_increments: int = 6  # AM-DIS-11
    missile_defence: str = "dexterity"  # AM-MIS-13
    crossbow_advantage: bool = True  # AM-MIS-09
    multiple_second: str = "zero_ability"  # AM-SPC-02
    exertion_penalty: str = "before"  # AM-FAT-02
    failed_intercept_ends_defence: bool = False  # AM-DEF-04
    hazard_check: str = "separate"  # AM-MOV-09
    run_fatigue_roll: str = "always"  # AM-MOV-06
    blocked_defence: int = -10  # AM-ATK-11
    panic_ease: str = "formula"  # AM-MNT-27
    rider_exertion_charge: bool = True  # AM-MNT-11
    trip_botch_wound: str = "medium"  # AM-NLC-12
    prone_target_bonus: int = 0
    barrier_tie: str = "holds"  # AM-SPC-12
    initiative_ties: str = "reroll"  # AM-INI-05
    missile_engagement: bool = True  # AM-ENG-05


CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "hit_locations": ("all", "criticals"),
    "range_increments": ("complete", "started"),
    "missile_defence": ("dexterity", "quickness"),
    "multiple_second": ("zero_ability", "zero_ability_and_3"),
    "exertion_penalty": ("before", "after"),
    "hazard_check": ("separate", "added"),
    "run_fatigue_roll": ("always", "ruling"),
    "panic_ease": ("formula", "fixed"),
    "trip_botch_wound": ("medium", "light"),
    "barrier_tie": ("holds", "overcome"),
    "initiative_ties": ("reroll", "quickness"),
}
SPANS: Final[Mapping[str, tuple[int, int]]] = {
    "critical_at": (1, 100),
    "epic_at": (1, 100),
    "max_range_increments": (1, 100),
    "blocked_defence": (-10, 0),
    "prone_target_bonus": (-20, 20),
}
