"""What a character sheet says: abilities, weapons, spells, shields, armour (catalogue, Sheet).

A sheet is plain data from the config or a scenario; what is wrong with it is said all at once.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from rulesets.anima.rows import (
    BARE_HANDS,
    CHARACTERISTICS,
    DAMAGE_TYPES,
    GROUPS,
    WEAPON_COLUMNS,
    Tables,
    Weapon,
    read_weapon,
)
from rulesets.core.declarations import fold
from rulesets.core.reading import Path, Reading
from rulesets.core.records import dataclass

RESISTANCES: Final = (
    "physical_resistance",
    "disease_resistance",
    "poison_resistance",
    "magic_resistance",
    "psychic_resistance",
)
ABILITIES: Final = (
    "attack",
    "parry",
    "dodge",
    "magic_projection",
    "psychic_projection",
    "psychic_potential",
)
FLAGS: Final = (
    "ambidextrous",
    "quadruped",
    "intangible",
    "can_parry_energy",
    "sees_magic",
    "sees_matrices",
)
_WEAPON: Final = (*WEAPON_COLUMNS, "attack", "parry")
_SPELL_FLAGS: Final = ("energy", "area", "essence", "essence_only", "repeat")
_SPELL_FIGURES: Final = ("damage", "difficulty", "cost", "min_potential")
_SPELL: Final = ("type", "resistance", "condition", *_SPELL_FLAGS, *_SPELL_FIGURES)
_WARD: Final = ("points", "kind", "stops_energy")
_SKILL: Final = ("value", "active", "physical", "characteristic")
GEAR_FIELDS: Final = tuple(dict.fromkeys((*_WEAPON, *_SPELL, *_WARD, *_SKILL)))
"""What a sheet may say of weapons, spells, shields and skills that it describes itself."""
FIELDS: Final = (
    *CHARACTERISTICS,
    *RESISTANCES,
    *ABILITIES,
    *FLAGS,
    "hp",
    "max_fatigue",
    "fatigue_penalties",
    "final_turn",
    "turn",
    "max_actions",
    "max_move",
    "unarmed_parry",
    "parry_mastery",
    "dodge_mastery",
    "fumble_max",
    "armour",
    "armour_by_location",
    "weapons",
    "act",
    "needs_gestures",
    "spells",
    "powers",
    "shields",
    "secondary",
    "vulnerable_points",
    "flammability",
    "fire_reduction",
)
MASTERY: Final = 200  # D26
UNARMED: Final = 60  # house: what parrying with bare hands takes off
SHIELD_KINDS: Final = ("magic", "psychic")
CENTIMETRES: Final = 100

Armour = Mapping[str, int]  # type of armour by kind of damage


@dataclass(frozen=True, slots=True)
class Ability:
    """A spell or a power.

    Attributes:
        psychic: Whether it is a power: another projection, and a roll of potential.
        type: The kind of damage, which says what armour it meets.
        energy: Whether it is of intangible energy.
        essence: Harms and is resisted besides; ``essence_only`` is resisted instead of harming.
        resistance: The sheet's figure that resists it, against ``difficulty``.
        condition: What comes upon one who does not resist.
        repeat: Whether the check is made again each assault.
        cost: Zeon.
        least: Potential that it needs.
    """

    name: str
    psychic: bool
    damage: int = 0
    type: str = "energy"
    energy: bool = False
    area: bool = False
    essence: bool = False
    essence_only: bool = False
    resistance: str = "magic_resistance"
    difficulty: int = 0
    condition: str = ""
    repeat: bool = False
    cost: int = 0
    least: int = 0


@dataclass(frozen=True, slots=True)
class Ward:
    """A supernatural shield."""

    name: str
    points: int
    psychic: bool = False
    stops_energy: bool = True


@dataclass(frozen=True, slots=True)
class Skill:
    """A secondary ability."""

    name: str
    value: int
    active: bool = True
    physical: bool = False
    characteristic: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is written on the sheet.

    Attributes:
        characteristics: By id.
        abilities: Attack, parry, dodge, projections, potential: final, with every bonus.
        final_turn: With the usual weapon, or None where ``turn`` is given.
        max_move_cm: Distance per assault in centimetres.
        weapons: By folded name; the first is the usual one.
        armour: By group of places, then by kind of damage; ``""`` is a blow that is not aimed.
        spells, powers, shields, secondary: By folded name.
    """

    characteristics: Mapping[str, int]
    resistances: Mapping[str, int]
    abilities: Mapping[str, int]
    flags: frozenset[str]
    hp: int
    max_fatigue: int
    fatigue_penalties: Mapping[int, int]
    final_turn: int | None
    turn: int
    max_actions: int
    max_move_cm: int
    unarmed_parry: int
    parry_mastery: bool
    dodge_mastery: bool
    fumble_max: int
    armour: Mapping[str, Armour]
    weapons: Mapping[str, Weapon]
    bare_hands: Weapon
    act: int
    needs_gestures: bool
    spells: Mapping[str, Ability]
    powers: Mapping[str, Ability]
    shields: Mapping[str, Ward]
    secondary: Mapping[str, Skill]
    vulnerable_points: tuple[str, ...]
    flammability: int
    fire_reduction: int
    usual: Weapon = field(init=False)

    def __post_init__(self) -> None:
        """Take over what is asked for all the time."""
        usual = next(iter(self.weapons.values()), self.bare_hands)
        object.__setattr__(self, "usual", usual)

    def weapon(self, word: str) -> Weapon | None:
        """The weapon that a written name means; bare hands need not be listed."""
        found = self.weapons.get(fold(word))
        if found is None and fold(word) == fold(self.bare_hands.name):
            return self.bare_hands
        return found

    def best(self, *names: str) -> str:
        """The highest of some characteristics; of equal ones the first."""
        return max(names, key=lambda name: self.characteristics[name])


def read_sheet(reading: Reading, raw: Mapping[str, object], path: Path, tables: Tables) -> Sheet:
    """A sheet from plain data; problems go to ``reading``."""
    return _Reader(reading, reading.mapping(raw, path), path, tables).sheet()


@dataclass(slots=True)
class _Reader:
    reading: Reading
    row: Mapping[str, object]
    path: Path
    tables: Tables

    def number(
        self, key: str, default: int | None = 0, span: tuple[int, int] = (-1_000, 10_000)
    ) -> int:
        return self.reading.integer(self.row, key, self.path, default, span)

    def yes(self, key: str, *, default: bool = False) -> bool:
        return self.reading.flag(self.row, key, self.path, default=default)

    def sheet(self) -> Sheet:
        reading, row, path = self.reading, self.row, self.path
        reading.known(row, FIELDS, path)
        characteristics = {name: self.number(name, 5, (0, 50)) for name in CHARACTERISTICS}
        abilities = {name: self.number(name) for name in ABILITIES}
        parry, dodge = abilities["parry"], abilities["dodge"]
        bonus = self.tables.strength_bonus(characteristics["strength"])
        hands = self.tables.weapons[BARE_HANDS]
        weapons = self.weapons(bonus)
        own = weapons.get(fold(BARE_HANDS))
        vulnerable: tuple[str, ...] = ("head", "heart")
        if row.get("vulnerable_points") is not None:
            vulnerable = reading.names(row, "vulnerable_points", path, GROUPS)
        return Sheet(
            characteristics=characteristics,
            resistances={name: self.number(name) for name in RESISTANCES},
            abilities=abilities,
            flags=frozenset(name for name in FLAGS if self.yes(name)),
            hp=self.number("hp", None, (1, 100_000)),
            # AN-FAT-01: as many points as Constitution.
            max_fatigue=self.number("max_fatigue", characteristics["constitution"], (0, 100)),
            fatigue_penalties=self.fatigue(),
            final_turn=None if row.get("final_turn") is None else self.number("final_turn"),
            turn=self.number("turn"),
            max_actions=self.number("max_actions", 1, (0, 50)),
            max_move_cm=centimetres(reading, row, "max_move", path, 20),
            unarmed_parry=self.number("unarmed_parry", max(0, parry - UNARMED)),
            parry_mastery=self.yes("parry_mastery", default=parry >= MASTERY),
            dodge_mastery=self.yes("dodge_mastery", default=dodge >= MASTERY),
            fumble_max=self.number("fumble_max", 3, (0, 50)),
            armour=self.armour(),
            weapons=weapons,
            bare_hands=own or read_weapon(reading, hands.name, {}, path, hands, bonus),
            act=self.number("act"),
            needs_gestures=self.yes("needs_gestures", default=True),
            spells=self.spells("spells", psychic=False),
            powers=self.spells("powers", psychic=True),
            shields=self.shields(),
            secondary=self.secondary(),
            vulnerable_points=vulnerable,
            flammability=self.number("flammability", 0, (-60, 40)),
            fire_reduction=self.number("fire_reduction", 0, (0, 100)),
        )

    def fatigue(self) -> dict[int, int]:
        path = (*self.path, "fatigue_penalties")
        found = dict(self.tables.fatigue)
        # YAML writes the points as numbers; a mapping of a sheet has text keys.
        given = self.row.get("fatigue_penalties")
        table = {str(k): v for k, v in given.items()} if isinstance(given, Mapping) else given
        row = self.reading.mapping(table, path)
        for key in row:
            if not (key.isascii() and key.isdigit() and len(key) < 3):
                self.reading.problem((*path, key), "wrong_type", key, "integer")
                continue
            found[int(key)] = self.reading.integer(row, key, path, 0, (-1_000, 0))
        return found

    def weapons(self, bonus: int) -> dict[str, Weapon]:
        found: dict[str, Weapon] = {}
        here = (*self.path, "weapons")
        for name, value in self.reading.mapping(self.row.get("weapons"), here).items():
            row = self.reading.mapping(value, (*here, name))
            self.reading.known(row, _WEAPON, (*here, name))
            base = self.tables.weapons.get(self.tables.weapon_names.get(fold(name), ""))
            before = len(self.reading.problems)
            found[fold(name)] = read_weapon(self.reading, name, row, (*here, name), base, bonus)
            if base is None:
                words = self.tables.weapons
                self.reading.unlisted(before, (*here, name), "unknown_key", name, words)
        return found

    def armour(self) -> dict[str, Armour]:
        """Armour by group: the head is bare unless it is named, the rest is as the whole."""
        whole = self.covering(self.row.get("armour"), (*self.path, "armour"))
        bare = dict.fromkeys(DAMAGE_TYPES, 0)
        found: dict[str, Armour] = {"": whole, **dict.fromkeys(GROUPS, whole), "head": bare}
        here = (*self.path, "armour_by_location")
        places = self.reading.mapping(self.row.get("armour_by_location"), here)
        self.reading.known(places, GROUPS, here)
        for name in places:
            found[name] = self.covering(places[name], (*here, name))
        return found

    def covering(self, value: object, path: Path) -> Armour:
        """A figure for every kind, a map by kind, or the name of a row of T11."""
        if value is None:
            return dict.fromkeys(DAMAGE_TYPES, 0)
        if isinstance(value, str):
            name = self.tables.armour_names.get(fold(value))
            if name is None:
                self.reading.problem(path, "unknown_name", value, "", tuple(self.tables.armour))
                return dict.fromkeys(DAMAGE_TYPES, 0)
            return self.tables.armour[name]
        if isinstance(value, int) and not isinstance(value, bool):
            figure = self.reading.integer({"armour": value}, "armour", path[:-1], 0, (0, 50))
            return dict.fromkeys(DAMAGE_TYPES, figure)
        row = self.reading.mapping(value, path)
        self.reading.known(row, DAMAGE_TYPES, path)
        return {kind: self.reading.integer(row, kind, path, 0, (0, 50)) for kind in DAMAGE_TYPES}

    def rows(
        self, key: str, columns: tuple[str, ...]
    ) -> list[tuple[str, Mapping[str, object], Path]]:
        here = (*self.path, key)
        found = []
        for name, value in self.reading.mapping(self.row.get(key), here).items():
            row = self.reading.mapping(value, (*here, name))
            self.reading.known(row, columns, (*here, name))
            found.append((name, row, (*here, name)))
        return found

    def spells(self, key: str, *, psychic: bool) -> dict[str, Ability]:
        reading = self.reading
        usual = "psychic_resistance" if psychic else "magic_resistance"
        found = {}
        for name, row, path in self.rows(key, _SPELL):
            figures = {n: reading.integer(row, n, path, 0, (0, 10_000)) for n in _SPELL_FIGURES}
            given = {flag: reading.flag(row, flag, path, default=False) for flag in _SPELL_FLAGS}
            found[fold(name)] = Ability(
                name=name,
                psychic=psychic,
                damage=figures["damage"],
                type=reading.choice(row, "type", path, DAMAGE_TYPES, "energy"),
                energy=given["energy"],
                area=given["area"],
                essence=given["essence"],
                essence_only=given["essence_only"],
                resistance=reading.choice(row, "resistance", path, RESISTANCES, usual),
                difficulty=figures["difficulty"],
                condition=reading.text(row, "condition", path, ""),
                repeat=given["repeat"],
                cost=figures["cost"],
                least=figures["min_potential"],
            )
        return found

    def shields(self) -> dict[str, Ward]:
        found = {}
        for name, row, path in self.rows("shields", _WARD):
            found[fold(name)] = Ward(
                name=name,
                points=self.reading.integer(row, "points", path, None, (0, 100_000)),
                psychic=self.reading.choice(row, "kind", path, SHIELD_KINDS, "magic") == "psychic",
                stops_energy=self.reading.flag(row, "stops_energy", path, default=True),
            )
        return found

    def secondary(self) -> dict[str, Skill]:
        found = {}
        here = (*self.path, "secondary")
        table = self.reading.mapping(self.row.get("secondary"), here)
        for name, value in table.items():
            path = (*here, name)
            plain = isinstance(value, int) and not isinstance(value, bool)
            row = {"value": value} if plain else self.reading.mapping(value, path)
            self.reading.known(row, _SKILL, path)
            found[fold(name)] = Skill(
                name=name,
                value=self.reading.integer(row, "value", path, None),
                active=self.reading.flag(row, "active", path, default=True),
                physical=self.reading.flag(row, "physical", path, default=False),
                characteristic=self.reading.choice(
                    row, "characteristic", path, CHARACTERISTICS, ""
                ),
            )
        return found


def centimetres(
    reading: Reading, row: Mapping[str, object], key: str, path: Path, default: int
) -> int:
    """Metres, whole or not, as centimetres: distances are compared, so they must be exact."""
    value = row.get(key)
    if value is None:
        return default * CENTIMETRES
    if isinstance(value, bool) or not isinstance(value, int | float):
        reading.problem((*path, key), "wrong_type", value, "number")
        return default * CENTIMETRES
    if not 0 <= value <= 100_000:
        reading.problem((*path, key), "out_of_range", value, "0..100000")
        return default * CENTIMETRES
    return round(value * CENTIMETRES)
