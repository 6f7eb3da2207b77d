"""A character's sheet (catalogue 6.1): what does not change in a fight, and what follows."""

from collections.abc import Mapping
from typing import Final

from rulesets.core.declarations import fold
from rulesets.core.reading import Path, Reading
from rulesets.core.records import dataclass
from rulesets.hielo_y_fuego.rows import (
    ABILITIES,
    RANGES,
    WEAPON_COLUMNS,
    Armour,
    MountRow,
    Tables,
    Weapon,
    read_weapon,
)

_WEAPON: Final = ("name", "base", "damage", "ranged", "craft", *WEAPON_COLUMNS)
_ARMOUR: Final = ("rating", "penalty", "bulk")
GEAR_FIELDS: Final = (*_WEAPON, *_ARMOUR)
"""What a sheet may say of gear that it describes itself."""
FIELDS: Final = (
    *ABILITIES,
    "specialties",
    "armor",
    "weapons",
    "combat_defense",
    "armor_rating",
    "armor_penalty",
    "bulk",
    "health_max",
    "movement",
    "destiny_points",
    "mount",
    "is_mount",
    "mount_type",
    "war_trained",
)
MOST_RANK: Final = 8
DEFAULT_RANK: Final = 2
UNARMOURED: Final = "clothes"
_QUALITIES_OF_RANGE: Final = {"none": {}, "short": {"close_range": 1}, "long": {"long_range": 1}}


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is written on the sheet, with the derived statistics (HF-DER).

    Attributes:
        ranks: Rank of each ability.
        specialties: Bonus dice of each specialty that the sheet has.
        defence: Combat defence where the sheet gives it, else None.
        armor_rating: Points that armour takes off each hit, when whole.
        armor_penalty: What armour takes off defence and Agility, as a number to take away.
        mount: Name of the character that is ridden.
        is_mount: Rolls no initiative and has no turn.
    """

    ranks: Mapping[str, int]
    specialties: Mapping[str, int]
    weapons: tuple[Weapon, ...]
    defence: int | None
    armor_rating: int
    armor_penalty: int
    bulk: int
    health_max: int
    movement: int
    destiny_points: int
    mount: str
    is_mount: bool
    war_trained: bool

    def bonus(self, specialty: str) -> int:
        """Bonus dice of a specialty; 0 where the sheet has none."""
        return self.specialties.get(specialty, 0)


def read_sheet(reading: Reading, raw: Mapping[str, object], path: Path, tables: Tables) -> Sheet:
    """A sheet from plain data, with what is derived from it (HF-DER-02, HF-DER-03).

    Problems go to ``reading``. The bulk is that of the armour and of every weapon on the sheet, in
    hand or not (HF-DER-06); movement loses half of it, rounded down (HF-DER-05): 4 + 3 // 2 for the
    run dice − 3 // 2 for the bulk is 4 metres.
    """
    row = reading.mapping(raw, path)
    reading.known(row, FIELDS, path)
    kind = _mount_type(reading, row, path, tables)
    start: Mapping[str, int] = {} if kind is None else kind.figures
    ranks = {
        name: reading.integer(row, name, path, start.get(name, DEFAULT_RANK), (1, MOST_RANK))
        for name in ABILITIES
    }
    specialties = _specialties(reading, row, path, tables)
    armour = _armour(reading, row.get("armor"), (*path, "armor"), tables)
    weapons = Arsenal(reading, tables).weapons(row.get("weapons"), (*path, "weapons"))
    carried = armour.bulk + sum(weapon.figure("bulk") for weapon in weapons)
    bulk = reading.integer(row, "bulk", path, carried, (0, 100))
    pace = start.get("movement", 4 + specialties.get("run", 0) // 2 - bulk // 2)
    defence = None
    if row.get("combat_defense") is not None:
        defence = reading.integer(row, "combat_defense", path, 1, (1, 200))
    trained = kind is not None and kind.war_trained
    return Sheet(
        ranks=ranks,
        specialties=specialties,
        weapons=weapons,
        defence=defence,
        armor_rating=reading.integer(row, "armor_rating", path, armour.rating, (0, 100)),
        armor_penalty=reading.integer(row, "armor_penalty", path, armour.penalty, (0, 100)),
        bulk=bulk,
        health_max=reading.integer(row, "health_max", path, ranks["endurance"] * 3, (1, 1_000)),
        movement=reading.integer(row, "movement", path, max(1, pace), (1, 1_000)),
        destiny_points=reading.integer(row, "destiny_points", path, 0, (0, 100)),
        mount=reading.text(row, "mount", path, ""),
        is_mount=reading.flag(row, "is_mount", path, default=kind is not None),
        war_trained=reading.flag(row, "war_trained", path, default=trained),
    )


def _mount_type(
    reading: Reading, row: Mapping[str, object], path: Path, tables: Tables
) -> MountRow | None:
    word = reading.text(row, "mount_type", path, "")
    kind = tables.mounts.get(fold(word))
    if word and kind is None:
        here = (*path, "mount_type")
        reading.problem(here, "unknown_name", word, "", [r.id for r in tables.mounts.values()])
    return kind


def _specialties(
    reading: Reading, row: Mapping[str, object], path: Path, tables: Tables
) -> dict[str, int]:
    here = (*path, "specialties")
    table = reading.mapping(row.get("specialties"), here)
    reading.known(table, tables.specialties, here)
    return {
        name: reading.integer(table, name, here, 0, (0, MOST_RANK))
        for name in table
        if name in tables.specialties
    }


def _armour(reading: Reading, value: object, path: Path, tables: Tables) -> Armour:
    if value is None:
        value = UNARMOURED
    if isinstance(value, str):
        name = tables.armour_names.get(fold(value))
        if name is None:
            reading.problem(path, "unknown_name", value, "", tables.armour)
            return Armour(UNARMOURED, (), 0, 0, 0)
        return tables.armour[name]
    row = reading.mapping(value, path)
    reading.known(row, _ARMOUR, path)
    return Armour(
        id="",
        names=(),
        rating=reading.integer(row, "rating", path, 0, (0, 100)),
        penalty=reading.integer(row, "penalty", path, 0, (0, 100)),
        bulk=reading.integer(row, "bulk", path, 0, (0, 100)),
    )


@dataclass(slots=True)
class Arsenal:
    """Reads weapons as a sheet names them: by name, renamed, or written out."""

    reading: Reading
    tables: Tables

    def weapons(self, value: object, path: Path) -> tuple[Weapon, ...]:
        """A list of weapons; several of one name must be alike. The fist needs no place there."""
        found: list[Weapon] = []
        for index, item in enumerate(self.reading.sequence(value, path)):
            weapon = self.weapon(item, (*path, index))
            if weapon is None or weapon.id == self.tables.fist.id:
                continue
            if any(other.name == weapon.name and other != weapon for other in found):
                self.reading.problem((*path, index), "out_of_range", weapon.name)
                continue
            found.append(weapon)
        return tuple(found)

    def weapon(self, value: object, path: Path) -> Weapon | None:
        """A name of table 12.1, or a map with a name and what it says otherwise."""
        if isinstance(value, str):
            return self._listed(value, value, path)
        row = self.reading.mapping(value, path)
        self.reading.known(row, _WEAPON, path)
        name = self.reading.text(row, "name", path)
        if not name:
            return None
        whole = dict(row)
        self._damage(whole, path)
        base = row.get("base")
        words: tuple[str, ...] = (fold(name),)
        listed = None
        if base is not None:
            listed = self._listed(str(base), name, (*path, "base"))
            if listed is None:
                return None
            whole = {**weapon_row(listed), **whole}
            words = (fold(name), *listed.names)
        ranged = self.reading.choice(row, "ranged", path, RANGES, "none")
        own = self.reading.mapping(whole.get("qualities"), (*path, "qualities"))
        whole["qualities"] = {**own, **_QUALITIES_OF_RANGE[ranged]}
        named = ("" if listed is None else listed.id, name, tuple(dict.fromkeys(words)))
        return read_weapon(self.reading, whole, path, self.tables.specialties, named)

    def _damage(self, row: dict[str, object], path: Path) -> None:
        """``damage: [ability, number]`` as the two columns of the table."""
        pair = row.pop("damage", None)
        if pair is None:
            return
        parts = self.reading.sequence(pair, (*path, "damage"))
        if len(parts) != 2:
            self.reading.problem((*path, "damage"), "wrong_type", pair, "[ability, number]")
            return
        row["ability"], row["number"] = parts

    def _listed(self, word: str, name: str, path: Path) -> Weapon | None:
        """The table's weapon of a word, by the name that the sheet gives it."""
        known = self.tables.weapon_names.get(fold(word))
        if known is None:
            self.reading.problem(path, "unknown_name", word, "", self.tables.weapon_words)
            return None
        row = self.tables.weapons[known]
        said = row.name if name == known else name.strip()
        if said == row.name:
            return row
        return Weapon(
            id=row.id,
            name=said,
            names=tuple(dict.fromkeys((fold(said), *row.names))),
            specialty=row.specialty,
            training=row.training,
            ability=row.ability,
            number=row.number,
            qualities=row.qualities,
            reload=row.reload,
            craft=row.craft,
            skill=row.skill,
        )


def weapon_row(weapon: Weapon) -> dict[str, object]:
    """A weapon as plain data, as ``read_weapon`` reads it."""
    return {
        "specialty": weapon.specialty,
        "training": weapon.training,
        "ability": weapon.ability,
        "number": weapon.number,
        "qualities": dict(weapon.qualities),
        "reload": weapon.reload,
        "craft": weapon.craft,
    }


def as_listed(weapon: Weapon) -> dict[str, object]:
    """A weapon as plain data, as ``Arsenal.weapon`` reads it."""
    base = {"base": weapon.id} if weapon.id else {}
    return {"name": weapon.name, **base, **weapon_row(weapon)}
