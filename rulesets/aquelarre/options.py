"""House rules: where the seed leaves a question open, the reading is a field here.

Defaults are the catalogue's (section 8); another value is a table's own choice.
"""

from collections.abc import Mapping
from typing import Final

from rulesets.core import options
from rulesets.core.reading import Reading
from rulesets.core.records import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """One field for each open question; the decision's number stands behind it."""

    opposed_ties: str = "higher_roll"  # D-01
    half_rounding: str = "up"  # D-02
    min_strength: bool = True  # D-03
    min_strength_affects_parry: bool = False  # D-04
    defence_spent_on_miss: bool = True  # D-05
    double_attack_dodge: str = "one"  # D-07
    point_blank: str = "none"  # D-08
    surprise_and_back: str = "highest"  # D-09
    quick_initiative: str = "once"  # D-10
    melee_move_then_attack: bool = True  # D-11
    flight_attack: str = "free"  # D-13
    squeeze_cost: str = "extended"  # D-14
    min_damage: int = 0  # D-15
    shield_wear: str = "damage"  # D-18
    bleed_at_zero: bool = True  # D-20
    sequela_base: str = "after_armour"  # D-21
    fumble_resolution: str = "ruling"  # D-22
    allow_fallback: bool = False  # D-33


CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "opposed_ties": ("higher_roll", "margin", "defender"),
    "half_rounding": ("up", "down"),
    "double_attack_dodge": ("one", "both"),
    "point_blank": ("none", "short"),
    "surprise_and_back": ("highest", "sum"),
    "quick_initiative": ("once", "per_action"),
    "flight_attack": ("free", "none"),
    "squeeze_cost": ("extended", "normal", "free"),
    "shield_wear": ("damage", "none"),
    "sequela_base": ("after_armour", "before_armour"),
    "fumble_resolution": ("ruling", "ignore"),
}


def read_options(reading: Reading, raw: Mapping[str, object]) -> Options:
    """Options from the config or a scenario; what is left out keeps its default."""
    return options.read_options(reading, raw, Options, CHOICES)
