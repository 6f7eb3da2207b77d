"""House rules: where the seed leaves a question open, the reading is a field here.

Defaults are the catalogue's (section Decisions); another value is a table's own choice.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from rulesets.core.options import read_options as read
from rulesets.core.reading import Reading
from rulesets.core.records import dataclass

SIZES: Final = ("small", "medium", "large")


@dataclass(frozen=True, slots=True)
class Choices:
    """One field for each open question that is a choice; the decision stands behind it."""

    tie_puts_on_defensive: bool = True  # D1
    counter_bonus: str = "formula"  # D2
    counter_default: str = "always"  # D10
    absorption: str = "linear"  # D3
    npc_dies_at_zero: bool = True  # D14
    retarget: str = "random"  # D13
    retarget_on: str = "down"  # D13
    pain_affects_initiative: str = "none"  # D6
    pain_recovery: str = "pooled"  # D25
    surprise_scope: str = "first_opposed"  # D7
    surprise_blocks_attack: str = "situation"  # D8
    stance_leave: str = "next_round"  # D16
    fumble_defence_keeps_die: bool = False  # D12
    resist_blow_floor: str = "base"  # D18
    knockout_by: str = "critical_level"  # D22
    shield_breach: str = "no_defence"  # D29
    stack_energy_parry: bool = True  # D28
    cap_supernatural: bool = False  # D27
    characteristic_ten_rule: str = "none"  # D20
    melee_reach: int = 2  # metres, house


@dataclass(frozen=True, slots=True)
class Options:
    """All house rules of a fight.

    Attributes:
        choices: Fields that are a choice.
        near_metres: How far off a new target may be; None for a quarter of one's movement.
        area_targets: Most targets of an area attack by size of the weapon.
    """

    choices: Choices
    near_metres: int | None = None
    area_targets: Mapping[str, int] = field(default_factory=dict)


CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "counter_bonus": ("formula", "table"),
    "counter_default": ("always", "declared_target", "never"),
    "absorption": ("linear", "classic_table"),
    "retarget": ("random", "drop"),
    "retarget_on": ("down", "dead"),
    "pain_affects_initiative": ("none", "half", "full"),
    "pain_recovery": ("pooled", "per_critical"),
    "surprise_scope": ("first_opposed", "first_action"),
    "surprise_blocks_attack": ("situation", "both", "none"),
    "stance_leave": ("next_round", "at_once"),
    "resist_blow_floor": ("base", "total"),
    "knockout_by": ("critical_level", "failure_level"),
    "shield_breach": ("no_defence", "flat"),
    "characteristic_ten_rule": ("none", "plus_two"),
}
AREA_TARGETS: Final[Mapping[str, int]] = {"small": 3, "medium": 4, "large": 5}
_OWN: Final = ("near_metres", "area_targets")


def read_options(reading: Reading, raw: Mapping[str, object]) -> Options:
    """Options from the config or a scenario; what is left out keeps its default."""
    path = ("options",)
    row = reading.mapping(raw, path)
    plain = {key: value for key, value in row.items() if key not in _OWN}
    choices = read(reading, plain, Choices, CHOICES, {"melee_reach": (0, 100)}, path)
    near = None
    if row.get("near_metres") not in (None, "quarter"):
        near = reading.integer(row, "near_metres", path, 0, (0, 100_000))
    sizes = reading.mapping(row.get("area_targets"), (*path, "area_targets"))
    reading.known(sizes, SIZES, (*path, "area_targets"))
    targets = {
        size: reading.integer(sizes, size, (*path, "area_targets"), most, (1, 100))
        for size, most in AREA_TARGETS.items()
    }
    return Options(choices, near, targets)
