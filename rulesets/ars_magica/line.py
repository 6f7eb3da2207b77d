"""The line on which positions stand: reach, who sees whom how well, how far a pace carries."""

from typing import Final

from rulesets.ars_magica.fight import Character, Fight
from rulesets.ars_magica.rows import CONCEALMENT, GAITS, PACES, Weapon

# The columns of the table of gaits, by the horse's Quickness less encumbrance (14.7).
_COLUMNS: Final = (-3, -1, 0, 2, 4)
# What a walking man's words mean in the saddle.
AS_GAIT: Final = {"walk": "amble", "hurry": "trot", "run": "gallop"}


def in_hand(fight: Fight, who: Character) -> Weapon | None:
    """The weapon in hand as it serves here: a lance on foot is a long spear (AM-MNT-04)."""
    if not who.wielded:
        return None
    weapon = who.owned(who.wielded) or fight.tables.weapons.get(who.wielded)
    return None if weapon is None else as_used(fight, who, weapon)


def as_used(fight: Fight, who: Character, weapon: Weapon) -> Weapon:
    """A weapon in melee: thrown ones and the lance of a man on foot count as another row."""
    if weapon.as_melee and (weapon.missile or not who.mounted_on):
        return fight.tables.weapons[weapon.as_melee]
    return weapon


def in_melee(fight: Fight, who: Character) -> Weapon:
    """What somebody strikes with without having said: in hand, of his own body, or the fist."""
    weapon = in_hand(fight, who)
    if weapon is not None and not weapon.shoots:
        return weapon
    if weapon is None and who.sheet.natural_weapons:
        return who.sheet.natural_weapons[0]
    return fight.tables.weapons["fist"]


def reach(fight: Fight, who: Character) -> int:
    """Two paces, three with a polearm in hand (AM-ENG-02)."""
    weapon = in_hand(fight, who)
    long = weapon is not None and weapon.polearm
    return fight.tables.figure("reach_polearm" if long else "reach")


def within_reach(fight: Fight, one: Character, other: Character) -> bool:
    """Whether the one reaches the other."""
    return fight.distance(one, other) <= reach(fight, one)


def extreme_range(fight: Fight, weapon: Weapon) -> int:
    """Paces beyond which a shot is of no use (AM-DIS-11)."""
    return weapon.range * fight.options.max_range_increments


def missile_of(who: Character) -> Weapon | None:
    """The weapon in hand if it is shot or thrown, as such."""
    weapon = who.owned(who.wielded) if who.wielded else None
    return weapon if weapon is not None and weapon.missile else None


def held_up(fight: Fight, who: Character) -> bool:
    """Whether somebody who is up holds him in melee, so that he cannot shoot (AM-ENG-07)."""
    return any(not fight.cast[name].down for name in fight.cast[fight.unit(who.name)].engaged)


def concealment(fight: Fight, seen_by: Character, who: Character) -> int:
    """How well somebody is hidden from another: 0, or 1 for light to 4 for abyssal.

    Light is as poor as the scene says, or as the distance to who is seen makes it; whoever has
    peered at him sees one step better (AM-SIT-07 to AM-SIT-09). A hiding place stays one.
    """
    scene = fight.scene
    if scene.light == "clear" and not scene.light_source and not scene.concealment:
        return 0
    dark = 0 if scene.light == "clear" else CONCEALMENT.index(scene.light) + 1
    if scene.light_source:
        level = fight.tables.concealed_at(scene.light_source, fight.distance(seen_by, who))
        dark = max(dark, CONCEALMENT.index(level) + 1 if level else 0)
    if who.name in seen_by.seen:
        dark = max(0, dark - 1)
    own = scene.concealment.get(who.name, "")
    return max(dark, CONCEALMENT.index(own) + 1 if own else 0)


def column(mount: Character) -> int:
    """Column of the table of gaits for a horse."""
    figure = mount.sheet.characteristics["quickness"] - mount.sheet.encumbrance
    for index, last in enumerate(_COLUMNS):
        if figure <= last:
            return index
    return len(_COLUMNS)


def allowance(fight: Fight, who: Character, pace: str) -> int:
    """Paces a round (AM-MOV-04, AM-MOV-07, AM-MOV-11, AM-DMG-09).

    Lope (10 + 1 - 1) hurries 20; over difficult ground 10; with a leg that takes 25 % of it, 15.
    """
    if pace in GAITS:
        paces = fight.tables.gaits[pace].paces[column(who)]
    else:
        sheet = who.sheet
        base = 10 + sheet.characteristics["quickness"] - sheet.encumbrance
        paces = max(0, base) * fight.tables.paces[pace].times
    if fight.is_terrain(who, "difficult"):
        paces = -(-paces // 2)
    return paces * max(0, 100 - who.movement_limit) // 100


def gait_of(fight: Fight, who: Character) -> str:
    """How the horse under somebody, or the horse that he is, has moved."""
    mount = fight.cast[who.mounted_on] if who.mounted_on else who
    return mount.pace if mount.pace in GAITS else "stationary"


def slowest(fight: Fight, who: Character, paces: int) -> str:
    """The pace of a charge: a hurry if that carries far enough, else a run (AM-SPC-06)."""
    return next((p for p in PACES[1:] if paces <= allowance(fight, who, p)), "")
