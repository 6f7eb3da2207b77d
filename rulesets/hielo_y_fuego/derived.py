"""Derived statistics that change in a fight: combat defence, movement, hands (HF-DER)."""

from typing import Final

from rulesets.core.modifiers import Modifier, Total
from rulesets.hielo_y_fuego.fight import Character, Fight, conditions_of
from rulesets.hielo_y_fuego.pools import part
from rulesets.hielo_y_fuego.rows import Weapon

GRABBED: Final = part(-5, "grabbed", "HF-ATK-13")
STUNNED: Final = part(-5, "stunned", "HF-ADV-17")
CAUTIOUS: Final = part(3, "cautious", "HF-ADV-05")
RECKLESS: Final = part(-5, "reckless", "HF-ADV-06")
EXPOSED: Final = part(-5, "exposed", "HF-FUM-02")
AT_LEAST: Final = part(1, "at_least", "HF-DER-01", "raised")

HEAVY_ARMOUR: Final = 6  # from this rating on standing up is a major action (HF-OTH-18)


def defence(who: Character) -> Total:
    """The combat defence as it stands: what an enemy has to reach (HF-DER-01)."""
    conditions = who.conditions
    helpless = who.helpless
    dodging = "dodging" in conditions and not helpless
    parts = _dodged(who) if dodging else _standing(who)
    if conditions or who.held_by:
        if "distracted" in conditions and not dodging:
            parts.append(part(-who.sheet.ranks["awareness"], "distracted", "HF-ADV-13"))
        if helpless:
            parts.append(part(-who.sheet.ranks["agility"], "helpless", "HF-DMG-11"))
        if who.held_by and not who.pinned:
            parts.append(GRABBED)
        for condition, shift in _SHIFTS:
            if condition in conditions:
                parts.append(shift)
    if sum([one.value for one in parts]) < 1:
        parts.append(AT_LEAST)
    return Total(tuple(parts))


_SHIFTS: Final = (
    ("stunned", STUNNED),
    ("cautious", CAUTIOUS),
    ("reckless", RECKLESS),
    ("exposed", EXPOSED),
)


def _standing(who: Character) -> list[Modifier]:
    """The sum of the sheet and of what is in hand, or the figure that the sheet gives."""
    sheet = who.sheet
    if sheet.defence is not None:
        return [part(sheet.defence, "sheet", "HF-DER-01")]
    ranks = sheet.ranks
    parts = [
        part(ranks["awareness"], "rank.awareness", "HF-DER-01"),
        part(ranks["athletics"], "rank.athletics", "HF-DER-01"),
        part(ranks["agility"], "rank.agility", "HF-DER-01"),
    ]
    guard = guarding(who)
    if guard:
        parts.append(part(guard, "defensive", "HF-DER-01"))
    if sheet.armor_penalty:
        parts.append(part(-sheet.armor_penalty, "armor_penalty", "HF-DER-01"))
    return parts


def _dodged(who: Character) -> list[Modifier]:
    return [part(who.dodged, "dodge", "HF-OTH-11")]


def guarding(who: Character) -> int:
    """Defensive ratings of what is in hand, less what is lost of them (HF-ATK-07, HF-QUA-06)."""
    total = 0
    for weapon in who.held_weapons:
        rating = weapon.qualities.get("defensive", 0)
        if rating and weapon.name not in who.lowered:
            total += max(0, rating - who.worn.get(weapon.name, 0))
    return total


def movement_of(fight: Fight, who: Character) -> int:
    """Metres of a move; a rider's are his mount's (HF-DER-05, HF-ATK-11)."""
    mount = fight.mount_of(who)
    return who.sheet.movement if mount is None else mount.sheet.movement


def sprint_of(fight: Fight, who: Character) -> int:
    """Metres of a sprint: 4 × movement less the bulk (HF-OTH-04); at least 1.

    Movement 3 with bulk 2: 10 metres.
    """
    runner = fight.mount_of(who) or who
    return max(1, 4 * runner.sheet.movement - runner.sheet.bulk)


def in_the_way(who: Character, weapon: Weapon) -> bool:
    """Whether anything else than this weapon is in hand; fist and gauntlet do not count."""
    held = [other for other in who.held_weapons if not other.bare]
    if weapon in held:
        held.remove(weapon)
    return bool(held)


def has_free_hand(who: Character) -> bool:
    """At most one thing in hand, and that not for two hands (HF-ADV-12)."""
    held = [weapon for weapon in who.held_weapons if not weapon.bare]
    return not held or (len(held) == 1 and not held[0].has("two_handed"))


def stands_up_slowly(who: Character) -> bool:
    """Whether the armour makes standing up a major action (HF-OTH-18)."""
    return who.armor_rating >= HEAVY_ARMOUR


def _pins(fight: Fight, who: Character) -> bool:
    return bool(who.grabbing) and fight.cast[who.grabbing].pinned


def state_of(fight: Fight, name: str) -> dict[str, object]:
    """Every state id of catalogue 6.2, and the derived ones of 6.1, as plain data."""
    who = fight.cast[name]
    return {
        "health": who.health,
        "injuries": who.injuries,
        "wounds": who.wounds,
        "destiny_points": who.destiny_points,
        "conditions": list(conditions_of(who)),
        "in_hand": list(who.in_hand),
        "mounted": who.mounted,
        "grabbing": who.grabbing or None,
        "pinning": who.grabbing if _pins(fight, who) else None,
        "unloaded": list(who.unloaded),
        "armor_rating": who.armor_rating,
        "combat_defense": defence(who).value,
        "movement": movement_of(fight, who),
        "bulk": who.sheet.bulk,
        "health_max": who.sheet.health_max,
    }
