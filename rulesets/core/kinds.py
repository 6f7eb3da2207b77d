"""What the values of fields are, so that every room finds the same word for the same thing.

A weapon can be typed in a tag, listed on a sheet, told in a sentence and shown in a refusal. Its
word stands once, in the terms under its kind; this table says which kinds a field holds, be it a
field of a verb or of a character's state. An id means the same in every game, so one table serves
them all.
"""

from collections.abc import Mapping
from typing import Final

THINGS: Final = ("weapon", "shield", "armour", "armor", "mount")
"""Categories of terms whose ids are rows of a game's tables, to which a game master may add."""

_HELD: Final = ("weapon", "shield")

KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    # fields of verbs
    **dict.fromkeys(("weapon", "weapon_2", "second_weapon", "off_hand", "target_weapon"), _HELD),
    **dict.fromkeys(("draw", "take"), _HELD),
    "item": (*_HELD, "armour"),
    "armour": ("armour",),
    # fields of states
    **dict.fromkeys(("sheathed", "dropped", "broken", "weapons", "reload_left"), _HELD),
    **dict.fromkeys(("in_hand", "unloaded", "weapon_in_hand", "wielded"), _HELD),
    **dict.fromkeys(("armour_resistance", "donning"), ("armour",)),
    "shield": ("shield",),
    "conditions": ("condition",),
    "sequelae": ("effect",),
    "stance": ("stance",),
    "situations": ("situation",),
    "guard_extra": ("zone",),
    "concealed": ("zone",),
    "stop": ("ending",),
    "delayed": ("delay",),
    "max_gait": ("pace",),
    "concealment": ("light",),
    **dict.fromkeys(("wounds", "bruises"), ("level",)),
}
"""Field id to the categories of terms, or the other fields, whose words name what it may hold."""


def kinds_of(field: str) -> tuple[str, ...]:
    """Categories of terms for the values of a field; by default that of its own name."""
    return KINDS.get(field, (field,))
