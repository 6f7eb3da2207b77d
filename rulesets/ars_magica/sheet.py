"""A character's sheet (catalogue 8.1): what does not change in a fight."""

from collections.abc import Mapping
from dataclasses import field
from typing import Final, TypeVar

from rulesets.ars_magica.rows import (
    ABILITIES,
    CHARACTERISTICS,
    WEAPON_COLUMNS,
    Armour,
    Shield,
    Tables,
    Weapon,
    read_weapon,
    weapon_row,
)
from rulesets.core.reading import Path, Reading
from rulesets.core.records import dataclass

SADDLES: Final = ("plain", "cantled", "no_stirrups")
VIRTUES: Final = ("tough",)
GEAR_FIELDS: Final = ("id", "polearm", "length", *WEAPON_COLUMNS)
"""What a sheet may say of a weapon that it describes itself."""
FIELDS: Final = (
    *CHARACTERISTICS,
    "size",
    "abilities",
    "specialties",
    "weapons",
    "natural_weapons",
    "shield",
    "armor",
    "helmet",
    "natural_armor",
    "soak_bonus",
    "virtues",
    "encumbrance",
    "creature",
    "trained",
    "saddle",
    "night_vision",
)


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is written on the sheet. Equipment is what the fight begins with.

    Attributes:
        abilities: Those that he has a score in; any other is untrained.
        specialties: Ability to the weapon that its specialty names.
        encumbrance: As given, or worked out from the loads (AM-ENC-01).
    """

    characteristics: Mapping[str, int]
    size: int = 0
    abilities: Mapping[str, int] = field(default_factory=dict)
    specialties: Mapping[str, str] = field(default_factory=dict)
    weapons: tuple[Weapon, ...] = ()
    natural_weapons: tuple[Weapon, ...] = ()
    shield: Shield | None = None
    armor: Armour | None = None
    helmet: Armour | None = None
    natural_armor: int = 0
    soak_bonus: int = 0
    tough: bool = False
    encumbrance: int = 0
    creature: bool = False
    trained: bool = False
    saddle: str = "plain"
    night_vision: bool = False


def read_sheet(reading: Reading, raw: object, path: Path, tables: Tables) -> Sheet:
    """A sheet from the config or a scenario."""
    row = reading.mapping(raw, path)
    reading.known(row, FIELDS, path)
    characteristics = {
        name: reading.integer(row, name, path, 0, (-50, 50)) for name in CHARACTERISTICS
    }
    abilities = reading.mapping(row.get("abilities"), (*path, "abilities"))
    # A misspelt ability would be an untrained one, and nobody would notice before the botch.
    reading.known(abilities, ABILITIES, (*path, "abilities"))
    weapons = _weapons(reading, row, "weapons", path, tables)
    shield = _one(reading, row, "shield", path, tables.shields)
    armor = _one(reading, row, "armor", path, tables.armour)
    virtues = reading.names(row, "virtues", path, VIRTUES)
    sheet = Sheet(
        characteristics=characteristics,
        size=reading.integer(row, "size", path, 0, (-20, 40)),
        # Knacks of the table's own (Legerdemain, Stealth …) serve free rolls.
        abilities={
            name: reading.integer(abilities, name, (*path, "abilities"), 0, (-20, 100))
            for name in abilities
        },
        specialties=_specialties(reading, row, path),
        weapons=weapons,
        natural_weapons=_weapons(reading, row, "natural_weapons", path, tables),
        shield=shield,
        armor=armor,
        helmet=_one(reading, row, "helmet", path, tables.helmets),
        natural_armor=reading.integer(row, "natural_armor", path, 0, (0, 100)),
        soak_bonus=reading.integer(row, "soak_bonus", path, 0, (-100, 100)),
        tough="tough" in virtues,
        encumbrance=_encumbrance(characteristics, weapons, shield, armor, tables),
        creature=reading.flag(row, "creature", path, default=False),
        trained=reading.flag(row, "trained", path, default=False),
        saddle=reading.choice(row, "saddle", path, SADDLES, "plain"),
        night_vision=reading.flag(row, "night_vision", path, default=False),
    )
    if row.get("encumbrance") is None:
        return sheet
    return _with_encumbrance(sheet, reading.integer(row, "encumbrance", path, 0, (0, 100)))


def _with_encumbrance(sheet: Sheet, encumbrance: int) -> Sheet:
    values = {name: getattr(sheet, name) for name in Sheet.__slots__}
    return Sheet(**{**values, "encumbrance": encumbrance})


def _encumbrance(
    characteristics: Mapping[str, int],
    weapons: tuple[Weapon, ...],
    shield: Shield | None,
    armor: Armour | None,
    tables: Tables,
) -> int:
    """Burden of the loads less Strength, not under 0; the burden itself for the weak (AM-ENC-01).

    A long sword (1), a short spear (1), a heater (2) and full mail (6) weigh 10: burden 4; with
    Strength +1 that leaves 3.
    """
    load = sum(weapon.load for weapon in weapons)
    load += 0 if shield is None else shield.load
    load += 0 if armor is None else armor.load
    burden = tables.burden_of(load)
    return max(0, burden - max(0, characteristics["strength"]))


Row = Mapping[str, object]
T = TypeVar("T")


def _one(reading: Reading, row: Row, key: str, path: Path, rows: Mapping[str, T]) -> T | None:
    """A row of a table by its id, or nothing."""
    if row.get(key) is None:
        return None
    name = reading.text(row, key, path)
    if name not in rows:
        reading.problem((*path, key), "unknown_name", name, "", rows)
        return None
    return rows[name]


def _specialties(reading: Reading, row: Row, path: Path) -> dict[str, str]:
    here = (*path, "specialties")
    given = reading.mapping(row.get("specialties"), here)
    reading.known(given, ABILITIES, here)
    return {name: reading.text(given, name, here) for name in given}


def _weapons(
    reading: Reading, row: Row, key: str, path: Path, tables: Tables
) -> tuple[Weapon, ...]:
    """Weapons by id, or maps that say what differs from the row of that id."""
    found: list[Weapon] = []
    for index, item in enumerate(reading.sequence(row.get(key), (*path, key))):
        weapon = weapon_of(reading, item, (*path, key, index), tables)
        if weapon is not None:
            found.append(weapon)
    return tuple(found)


def weapon_of(reading: Reading, item: object, path: Path, tables: Tables) -> Weapon | None:
    """A weapon by its id, or by a map with an id and what is its own."""
    if isinstance(item, str):
        if item not in tables.weapons:
            reading.problem(path, "unknown_name", item, "", tables.weapons)
            return None
        return tables.weapons[item]
    row = reading.mapping(item, path)
    reading.known(row, GEAR_FIELDS, path)
    name = reading.text(row, "id", path)
    if not name:
        return None
    base = weapon_row(tables.weapons[name]) if name in tables.weapons else {}
    own = {column: value for column, value in row.items() if column in WEAPON_COLUMNS}
    if "length" in row or "polearm" in row:
        metres = row.get("length", 1)
        long = metres if isinstance(metres, int | float) and not isinstance(metres, bool) else 1
        # Sheets give the length in metres, and a polearm without one is long enough.
        own["length_cm"] = round(long * 100) if row.get("polearm", True) else 0
    before = len(reading.problems)
    weapon = read_weapon(reading, name, {**base, **own}, path)
    if not base:
        reading.unlisted(before, (*path, "id"), "unknown_name", name, tables.weapons)
    return weapon
