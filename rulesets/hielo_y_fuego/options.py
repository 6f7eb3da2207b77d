"""House rules: where the seed leaves a question open, the reading is a field here.

Defaults are the catalogue's (section 11); another value is a table's own choice.
"""

from collections.abc import Mapping
from typing import Final

from rulesets.core.options import read_options as read
from rulesets.core.reading import Reading
from rulesets.core.records import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """One field for each open question; the rule or the decision's number stands behind it."""

    penalty_dice: str = "roll_and_keep"  # HF-TST-02, D2
    bonus_cap: str = "rolled"  # HF-TST-03, D3
    conflict_tests: str = "rolled"  # HF-TST-09, D5
    passive_specialty: bool = False  # HF-TST-08, D4
    armor_penalty_on_agility: bool = True  # HF-TST-11, D20
    initiative_each_round: bool = False  # HF-RND-02
    surprise_bonus: int = 1  # HF-RND-03
    maneuvers_count_as_attack: bool = False  # HF-ACT-04, D6
    knock_out_kind: str = "minor"  # HF-ADV-17, D6
    range_penalty: int = 1  # HF-ATK-03
    divided_penalty: str = "pool"  # HF-ATK-05, D7
    defensive_lost_on_attack: str = "any"  # HF-ATK-07, D8
    damage_bonus: str = "base"  # HF-DMG-01, D10
    default_damage_order: str = ""  # HF-DMG-02; empty: the damage is accepted
    injuries_per_hit: str = "1"  # HF-DMG-04, D11
    injury_overflow: str = "wound"  # HF-DMG-05, D12
    critical_sixes: str = "kept"  # HF-CRT-02, D30
    fumble_scope: str = "combat"  # HF-FUM-02
    interrupt_allotment: str = "turn"  # HF-ADV-01, D13
    aim_carry: bool = True  # HF-ADV-04, D14
    stunned_can_act: bool = True  # HF-ADV-17
    trample_rolls: str = "one"  # HF-ADV-20, D17
    reach_penalty_adjacent: int = 0  # HF-ATK-02
    training_mode: str = "consume"  # HF-QUA-15
    mount_hurt_by: str = "wound"  # HF-OTH-10, D9


CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "penalty_dice": ("roll_and_keep", "keep_only"),
    "bonus_cap": ("rolled", "rank"),
    "conflict_tests": ("rolled", "passive"),
    "knock_out_kind": ("minor", "major"),
    "divided_penalty": ("pool", "each"),
    "defensive_lost_on_attack": ("any", "off_hand_only"),
    "damage_bonus": ("base", "total"),
    "injuries_per_hit": ("1", "any"),
    "injury_overflow": ("wound", "refuse"),
    "critical_sixes": ("kept", "rolled"),
    "fumble_scope": ("combat", "all"),
    "interrupt_allotment": ("turn", "minor"),
    "trample_rolls": ("one", "each"),
    "training_mode": ("consume", "prerequisite"),
    "mount_hurt_by": ("wound", "damage"),
}
SPANS: Final = {
    "surprise_bonus": (0, 10),
    "range_penalty": (0, 10),
    "reach_penalty_adjacent": (0, 10),
}
# A text of the clause language, which the tables give the words of; checked by ``new_fight``.
ORDER: Final = "default_damage_order"


def read_options(reading: Reading, raw: Mapping[str, object]) -> Options:
    """Options from the config or a scenario; what is left out keeps its default."""
    row = dict(reading.mapping(raw, ("options",)))
    order = reading.text(row, ORDER, ("options",), "")
    row.pop(ORDER, None)
    if row.get("injuries_per_hit") == 1:
        row["injuries_per_hit"] = "1"
    options = read(reading, row, Options, CHOICES, SPANS)
    return options if not order else _with_order(options, order)


def _with_order(options: Options, order: str) -> Options:
    values = {name: getattr(options, name) for name in Options.__dataclass_fields__}
    return Options(**{**values, ORDER: order})
