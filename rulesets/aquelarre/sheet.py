"""A character's sheet (catalogue 4.1): what does not change in a fight, and figures made from it.

``Figures`` are worked out once and again only when a characteristic or the armour worn changes,
so that a round looks figures up instead of adding them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Final

from rulesets.aquelarre.rows import (
    ARMOUR_COLUMNS,
    CHARACTERISTICS,
    SHIELD_COLUMNS,
    SIDES,
    WEAPON_COLUMNS,
    Armour,
    Body,
    Shield,
    Tables,
    Weapon,
    read_armour,
    read_shield,
    read_weapon,
)
from rulesets.core.declarations import fold
from rulesets.core.modifiers import Modifier
from rulesets.core.reading import Path, Reading
from rulesets.core.records import dataclass

SIZES: Final = ("normal", "small", "large")
_MOUNT: Final = ("name", "hp_max", "protection")
GEAR_FIELDS: Final = tuple(
    dict.fromkeys((*_MOUNT, "aliases", *WEAPON_COLUMNS, *ARMOUR_COLUMNS, *SHIELD_COLUMNS))
)
"""What a sheet may say of gear and mounts that it describes itself."""
FIELDS: Final = (
    *CHARACTERISTICS,
    "hp_max",
    "skills",
    "weapons",
    "shield",
    "armour",
    "stowed_armour",
    "mount",
    "size",
    "body",
    "handedness",
    "initiative_bonus",
)


@dataclass(frozen=True, slots=True)
class Mount:
    """A mount: its own PV and Protection."""

    name: str
    hp_max: int
    protection: int = 0


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is written on the sheet. Equipment is what the fight begins with."""

    characteristics: Mapping[str, int]
    hp_max: int
    skills: Mapping[str, int]
    weapons: tuple[Weapon, ...]
    shield: Shield | None
    armour: tuple[Armour, ...]
    stowed_armour: tuple[Armour, ...]
    mount: Mount | None
    size: str
    body: Body
    handedness: str
    initiative_bonus: int

    @property
    def shield_arm(self) -> str:
        """The arm that carries the shield: the other one than the skilled hand's."""
        return "right_arm" if self.handedness == "left" else "left_arm"


@dataclass(slots=True)
class Figures:
    """Figures of a sheet as it stands now.

    Attributes:
        characteristics: Current characteristics.
        armour_initiative: Initiative of the armour worn, penalties doubled where Strength is
            short (AQ-ARM-07); 0 where there is none.
        armour_skills: What the armour takes off skills based on Agility, or None.
    """

    characteristics: Mapping[str, int]
    sheet: Sheet
    base_of: Mapping[str, str]
    armour_initiative: int = 0
    armour_skills: Modifier | None = None
    _skills: dict[str, Modifier] = field(default_factory=dict, compare=False)

    def skill(self, name: str) -> Modifier:
        """A skill's percentage, that of its characteristic where it is not listed."""
        found = self._skills.get(name)
        if found is None:
            value = self.sheet.skills.get(name)
            if value is None:
                value = self.characteristics[self.base_of[name]]
            found = self._skills[name] = Modifier(value, f"skill.{name}", "AQ-MOD-01")
        return found


def figures(
    sheet: Sheet,
    characteristics: Mapping[str, int],
    armour: Sequence[Armour],
    base_of: Mapping[str, str],
) -> Figures:
    """Figures from current characteristics and the armour worn (AQ-ARM-07, AQ-ARM-09)."""
    initiative = skills = 0
    for piece in armour:
        times = 2 if characteristics["strength"] < piece.min_strength else 1
        initiative += piece.initiative * (times if piece.initiative < 0 else 1)
        skills += piece.agility_skills * (times if piece.agility_skills < 0 else 1)
    penalty = Modifier(skills, "armour", "AQ-ARM-09") if skills else None
    return Figures(characteristics, sheet, base_of, initiative, penalty)


# ------------------------------------------------------------------ reading


def read_sheet(reading: Reading, raw: Mapping[str, object], path: Path, tables: Tables) -> Sheet:
    """A sheet from plain data; problems go to ``reading``."""
    row = reading.mapping(raw, path)
    reading.known(row, FIELDS, path)
    characteristics = {
        name: reading.integer(row, name, path, 10, (0, 500)) for name in CHARACTERISTICS
    }
    skills = reading.mapping(row.get("skills"), (*path, "skills"))
    reading.known(skills, tables.skills, (*path, "skills"))
    equipment = Equipment(reading, tables)
    shield = row.get("shield")
    return Sheet(
        characteristics=characteristics,
        hp_max=reading.integer(
            row, "hp_max", path, max(1, characteristics["endurance"]), (1, 5_000)
        ),
        skills={
            name: reading.integer(skills, name, (*path, "skills"), 0, (-200, 1_000))
            for name in skills
            if name in tables.skills
        },
        weapons=equipment.weapons(row.get("weapons"), (*path, "weapons")),
        shield=None if shield is None else equipment.shield(shield, (*path, "shield")),
        armour=equipment.armour(row.get("armour"), (*path, "armour")),
        stowed_armour=equipment.armour(row.get("stowed_armour"), (*path, "stowed_armour")),
        mount=_mount(reading, row.get("mount"), (*path, "mount")),
        size=reading.choice(row, "size", path, SIZES, "normal"),
        body=tables.bodies[
            reading.choice(row, "body", path, tuple(tables.bodies), next(iter(tables.bodies)))
        ],
        handedness=reading.choice(row, "handedness", path, SIDES, "right"),
        initiative_bonus=reading.integer(row, "initiative_bonus", path, 0, (-100, 100)),
    )


def _mount(reading: Reading, value: object, path: Path) -> Mount | None:
    if value is None:
        return None
    row = reading.mapping(value, path)
    reading.known(row, _MOUNT, path)
    return Mount(
        name=reading.text(row, "name", path, ""),
        hp_max=reading.integer(row, "hp_max", path, None, (1, 5_000)),
        protection=reading.integer(row, "protection", path, 0, (0, 100)),
    )


@dataclass(slots=True)
class Equipment:
    """Reads weapons, shields and armour as a sheet names them: by name, or by a map."""

    reading: Reading
    tables: Tables

    def weapons(self, value: object, path: Path) -> tuple[Weapon, ...]:
        """A list of weapons; several of one name must be alike."""
        found: list[Weapon] = []
        for index, item in enumerate(self.reading.sequence(value, path)):
            weapon = self.weapon(item, (*path, index))
            if weapon is None or weapon.natural:
                continue
            if any(other.name == weapon.name and other != weapon for other in found):
                self.reading.problem((*path, index), "out_of_range", weapon.name)
                continue
            found.append(weapon)
        return tuple(found)

    def weapon(self, value: object, path: Path) -> Weapon | None:
        """A name of table 2.5, or a map with a name and what it overrides."""
        tables = self.tables
        if isinstance(value, str):
            called = tables.weapons_called(value)
            if len(called) != 1:
                self.reading.problem(path, "unknown_name", value, "", called or tables.weapon_words)
                return None
            return tables.weapons[called[0]]
        row = self.reading.mapping(value, path)
        self.reading.known(row, ("name", "aliases", *WEAPON_COLUMNS), path)
        name = self.reading.text(row, "name", path)
        if not name:
            return None
        called = tables.weapons_called(name)
        listed = tables.weapons[called[0]] if len(called) == 1 else None
        base = {} if listed is None else weapon_row(listed)
        before = len(self.reading.problems)
        weapon = read_weapon(self.reading, name, {**base, **row}, path, tables.skills)
        if listed is None:
            words = called or tables.weapon_words
            self.reading.unlisted(before, (*path, "name"), "unknown_name", name, words)
        return weapon

    def shield(self, value: object, path: Path) -> Shield | None:
        """A name of table 2.7, or a map with a name and what it overrides."""
        if isinstance(value, str):
            shield = self.tables.shields.get(self._named(value, self.tables.shields))
            if shield is None:
                self.reading.problem(path, "unknown_name", value, "", self.tables.shields)
            return shield
        row = self.reading.mapping(value, path)
        self.reading.known(row, ("name", *SHIELD_COLUMNS), path)
        name = self.reading.text(row, "name", path)
        listed = self.tables.shields.get(self._named(name, self.tables.shields))
        base = {} if listed is None else shield_row(listed)
        before = len(self.reading.problems)
        shield = read_shield(self.reading, name, {**base, **row}, path, self.locations)
        if listed is None:
            words = self.tables.shields
            self.reading.unlisted(before, (*path, "name"), "unknown_name", name, words)
        return shield

    def armour(self, value: object, path: Path) -> tuple[Armour, ...]:
        """Pieces of armour; a bare name takes its row, a map stands for itself."""
        found: list[Armour] = []
        for index, item in enumerate(self.reading.sequence(value, path)):
            here = (*path, index)
            if isinstance(item, str):
                piece = self.tables.armour.get(self._named(item, self.tables.armour))
                if piece is None:
                    self.reading.problem(here, "unknown_name", item, "", self.tables.armour)
                    continue
            else:
                row = self.reading.mapping(item, here)
                self.reading.known(row, ("name", *ARMOUR_COLUMNS), here)
                name = self.reading.text(row, "name", here)
                piece = read_armour(self.reading, name, row, here, self.locations)
            if any(other.name == piece.name for other in found):
                # What is left of a piece is kept by its name.
                self.reading.problem(here, "out_of_range", piece.name)
                continue
            found.append(piece)
        return tuple(found)

    @property
    def locations(self) -> tuple[str, ...]:
        """Location ids of all bodies."""
        bodies = self.tables.bodies.values()
        return tuple({name: None for body in bodies for name in body.locations})

    def _named(self, word: str, rows: Mapping[str, object]) -> str:
        if word in rows:
            return word
        folded = fold(word)
        return next((name for name in rows if fold(name) == folded), "")


def weapon_row(weapon: Weapon) -> dict[str, object]:
    """A weapon as plain data, as ``read_weapon`` reads it."""
    reach = "FUE" if weapon.thrown else "/".join(map(str, weapon.bands))
    return {
        "aliases": list(weapon.names[1:]),
        "skill": weapon.skill,
        "base": weapon.base,
        "size": weapon.size.name.lower(),
        "min_strength": weapon.min_strength,
        "damage": weapon.damage.text,
        "type": weapon.type,
        "hands": weapon.hands,
        "range": reach,
        "reload": weapon.reload,
        "initiative": weapon.initiative,
        "hook": weapon.hook,
    }


def shield_row(shield: Shield) -> dict[str, object]:
    """A shield as plain data, as ``read_shield`` reads it."""
    return {
        "size": shield.size,
        "resistance": shield.resistance,
        "min_strength": shield.min_strength,
        "covers": list(shield.covers),
        "free": shield.free,
        "skill": shield.skill,
        "initiative": shield.initiative,
    }


def armour_row(piece: Armour) -> dict[str, object]:
    """A piece of armour as plain data, as ``read_armour`` reads it."""
    return {
        "protection": piece.protection,
        "resistance": piece.resistance,
        "covers": list(piece.covers),
        "initiative": piece.initiative,
        "agility_skills": piece.agility_skills,
        "min_strength": piece.min_strength,
        "metal": piece.metal,
    }
