"""The tables of the catalogue (T1 to T15) as typed rows.

``read_tables`` gets parsed YAML (with the game master's rows laid over it) and says all that is
wrong with it at once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Final

from rulesets.core.declarations import fold
from rulesets.core.modifiers import Modifier
from rulesets.core.reading import Path, Reading
from rulesets.core.records import dataclass

CHARACTERISTICS: Final = (
    "strength",
    "dexterity",
    "agility",
    "constitution",
    "perception",
    "intelligence",
    "power",
    "willpower",
)
DAMAGE_TYPES: Final = ("cut", "blunt", "pierce", "heat", "electricity", "cold", "energy")
SIZES: Final = ("small", "medium", "large")
KINDS: Final = ("melee", "thrown", "shot")
GROUPS: Final = ("head", "torso", "arm", "leg", "heart")
COVERS: Final = ("complete", "shirt", "breastplate", "head")
SIDES: Final = ("attack", "parry", "dodge", "initiative", "physical")
RANGED: Final = (
    "moved",
    "ran",
    "low_visibility",
    "cover",
    "change_of_target",
    "speed_8",
    "speed_10",
    "speed_11",
    "defended",
    "beyond_range",
    "large",
    "aiming_1",
    "aiming_2",
    "aiming_3",
    "point_blank",
)
SITUATIONS: Final = (
    "flank",
    "back",
    "surprise",
    "partial_blindness",
    "total_blindness",
    "superior_position",
    "prone",
    "minor_paralysis",
    "partial_paralysis",
    "full_paralysis",
    "threatened",
    "levitating",
    "flying_7",
    "flying_15",
    "charging",
    "drawing",
    "narrow",
    "small_enemy",
    "tiny_enemy",
)
MANOEUVRES: Final = (
    "area",
    "knock_down",
    "disable",
    "disarm",
    "grapple",
    "knockout",
    "hold",
)
RANGED_DEFENCES: Final = (
    "parry",
    "dodge",
    "parry_mastery",
    "dodge_mastery",
    "parry_shield",
    "parry_shield_mastery",
)
BARE_HANDS: Final = "desarmado"


@dataclass(frozen=True, slots=True)
class Weapon:
    """A row of T10, or what a sheet makes of one.

    Attributes:
        damage: Final where a sheet gives it; of a table row without the Strength bonus.
        crit2: Secondary kind of damage, or empty.
        range: Effective metres of a weapon that shoots or is made to be thrown.
        throw_range: Metres of a melee weapon that can be thrown.
        strength: The weapon's own, for range; 0 where it takes its bearer's.
        attack: Ability with it, where it is not the sheet's.
        parry: The same for parrying.
    """

    name: str
    damage: int
    turn: int = 0
    size: str = "medium"
    crit: str = "cut"
    crit2: str = ""
    kind: str = "melee"
    range: int = 0
    throw_range: int = 0
    strength: int = 0
    quality: int = 0
    attack: int | None = None
    parry: int | None = None
    short: bool = False
    unarmed: bool = False
    grapple: bool = False
    shield: bool = False
    harms_energy: bool = False
    ki_extended: bool = False

    @property
    def throwable(self) -> bool:
        """Whether it can be thrown at all."""
        return self.kind == "thrown" or self.throw_range > 0

    def deals(self, kind: str) -> bool:
        """Whether one of its criticals is of a kind of damage."""
        return kind in (self.crit, self.crit2)


@dataclass(frozen=True, slots=True)
class Situation:
    """A row of T1: one modifier for each column; None where it does not touch it."""

    attack: Modifier | None
    parry: Modifier | None
    dodge: Modifier | None
    initiative: Modifier | None
    physical: Modifier | None


@dataclass(frozen=True, slots=True)
class Zone:
    """A row of T2: what one may aim at."""

    id: str
    group: str
    modifier: Modifier


@dataclass(frozen=True, slots=True)
class Location:
    """A row of T6: where a critical may land; ``general`` is its place in an area attack."""

    id: str
    first: int
    last: int
    group: str
    general: str


@dataclass(frozen=True, slots=True)
class RangeStep:
    """A row of T4: metres that a Strength adds, and the quality it needs."""

    strength: int
    metres: int
    quality: int


@dataclass(frozen=True, slots=True)
class Manoeuvre:
    """Penalty of a specific attack, and what replaces it or comes on top of it."""

    penalty: int
    worse: int
    rule: str


@dataclass(frozen=True, slots=True)
class RangedDefence:
    """A row of T5."""

    shot: Modifier | None
    thrown: Modifier | None


@dataclass(frozen=True, slots=True)
class Tables:
    """All tables. ``weapon_names`` and ``armour_names`` find a row by its folded name."""

    weapons: Mapping[str, Weapon]
    armour: Mapping[str, Mapping[str, int]]
    situations: Mapping[str, Situation]
    zones: Mapping[str, Zone]
    ranged: Mapping[str, Modifier]
    ranged_defence: Mapping[str, RangedDefence]
    strength_range: tuple[RangeStep, ...]
    locations: tuple[Location, ...]
    initiative_fumbles: tuple[tuple[int, int], ...]
    fire: tuple[tuple[str, int], ...]
    fatigue: Mapping[int, int]
    bonus: tuple[tuple[int, int], ...]
    difficulties: Mapping[str, int]
    manoeuvres: Mapping[str, Manoeuvre]
    weapon_names: Mapping[str, str] = field(default_factory=dict)
    armour_names: Mapping[str, str] = field(default_factory=dict)

    def strength_bonus(self, strength: int) -> int:
        """Bonus of a characteristic (T14); below the first row as the first."""
        found = self.bonus[0][1]
        for first, bonus in self.bonus:
            if strength >= first:
                found = bonus
        return found

    def metres_of_strength(self, strength: int, quality: int, *, own: bool) -> int:
        """What Strength adds to an effective range (AN-RNG-05, T4).

        Above what the weapon's quality allows, the best row that it does allow; a weapon's own
        Strength needs none.
        """
        found = self.strength_range[0].metres
        for step in self.strength_range:
            if strength >= step.strength and (own or quality >= step.quality):
                found = step.metres
        return found

    def level_of(self, total: int) -> str:
        """The highest level of difficulty that a total reaches (T15), or nothing."""
        reached = [(least, name) for name, least in self.difficulties.items() if total >= least]
        return max(reached)[1] if reached else ""

    def fire_level(self, total: int) -> str:
        """How far a fire has got (T8)."""
        return max((least, name) for name, least in self.fire if total >= least)[1]

    def location(self, face: int) -> Location:
        """Where a critical lands: one face of 1d100 (T6)."""
        return next(row for row in self.locations if row.first <= face <= row.last)


WEAPON_COLUMNS: Final = (
    "damage",
    "turn",
    "size",
    "crit",
    "crit2",
    "kind",
    "range",
    "throw_range",
    "strength",
    "quality",
    "short",
    "unarmed",
    "grapple",
    "shield",
    "harms_energy",
    "ki_extended",
)
# Columns that no rule of the seed uses (D43): kept for the reader of the table.
_INFORMATION: Final = (
    "grapple_strength",
    "min_strength",
    "min_strength_2",
    "complex",
    "precise",
    "reload",
)
_PROVENANCE: Final = ("rule", "source")
_HIGHEST: Final = 10_000


def read_tables(raw: Mapping[str, object]) -> Tables:
    """Typed tables from parsed YAML, by file stem.

    Raises:
        SetupError: what is wrong with any of them, with table, row and column.
    """
    reading = Reading()
    reader = _Reader(reading, raw)
    weapons = {
        fold(name): read_weapon(reading, name, row, ("weapons", name))
        for name, row in reader.rows("weapons", (*WEAPON_COLUMNS, *_INFORMATION))
    }
    if BARE_HANDS not in weapons:
        reading.problem(("weapons", BARE_HANDS), "missing")
    armour = {
        name: {
            kind: reading.integer(row, kind, ("armour", name), 0, (0, 50)) for kind in DAMAGE_TYPES
        }
        for name, row in reader.rows("armour", (*DAMAGE_TYPES, "covers"))
    }
    tables = Tables(
        weapons={weapon.name: weapon for weapon in weapons.values()},
        armour=armour,
        situations=reader.situations(),
        zones=reader.zones(),
        ranged=reader.modifiers("ranged", "ranged", RANGED),
        ranged_defence=reader.ranged_defence(),
        strength_range=reader.strength_range(),
        locations=reader.locations(),
        initiative_fumbles=reader.pairs("initiative_fumbles", "face", "penalty"),
        fire=reader.fire(),
        fatigue=dict(reader.pairs("fatigue", "left", "penalty")),
        bonus=reader.pairs("bonus", "first", "bonus"),
        difficulties=reader.difficulties(),
        manoeuvres=reader.manoeuvres(),
        weapon_names={name: weapon.name for name, weapon in weapons.items()},
        armour_names={fold(name): name for name in armour},
    )
    reading.known(raw, reader.stems, ())
    reading.finish()
    return tables


def read_weapon(
    reading: Reading,
    name: str,
    row: Mapping[str, object],
    path: Path,
    base: Weapon | None = None,
    bonus: int = 0,
) -> Weapon:
    """A weapon from a table row, or from a sheet's map laid over a table row.

    Args:
        reading: Keeps the problems.
        name: As players write it.
        row: Its columns; a sheet may give ``attack`` and ``parry`` besides.
        path: Where the row stands.
        base: The table row of that name, for columns left out.
        bonus: Strength bonus, for the damage of a table row (AN-DMG-03).
    """
    # Ammunition brings its own damage: the arm that drew the bow adds nothing (T10).
    added = 0 if base is None or base.kind == "shot" else bonus
    damage = None if base is None else max(0, base.damage + added)
    blank = Weapon(name, 0) if base is None else base

    def number(key: str, default: int, span: tuple[int, int] = (0, _HIGHEST)) -> int:
        return reading.integer(row, key, path, default, span)

    def yes(key: str, default: bool) -> bool:  # noqa: FBT001 -- the column's own default
        return reading.flag(row, key, path, default=default)

    def other(key: str) -> int | None:
        return None if row.get(key) is None else number(key, 0, (-1_000, _HIGHEST))

    crit2 = reading.text(row, "crit2", path, blank.crit2)
    if crit2 and crit2 not in DAMAGE_TYPES:
        reading.problem((*path, "crit2"), "unknown_name", crit2, "", DAMAGE_TYPES)
    return Weapon(
        name=name,
        damage=reading.integer(row, "damage", path, damage, (0, _HIGHEST)),
        turn=number("turn", blank.turn, (-500, 500)),
        size=reading.choice(row, "size", path, SIZES, blank.size),
        crit=reading.choice(row, "crit", path, DAMAGE_TYPES, blank.crit),
        crit2=crit2,
        kind=reading.choice(row, "kind", path, KINDS, blank.kind),
        range=number("range", blank.range, (0, 100_000)),
        throw_range=number("throw_range", blank.throw_range, (0, 100_000)),
        strength=number("strength", blank.strength, (0, 100)),
        quality=number("quality", blank.quality, (-100, 100)),
        attack=other("attack"),
        parry=other("parry"),
        short=yes("short", blank.short),
        unarmed=yes("unarmed", blank.unarmed),
        grapple=yes("grapple", blank.grapple),
        shield=yes("shield", blank.shield),
        harms_energy=yes("harms_energy", blank.harms_energy),
        ki_extended=yes("ki_extended", blank.ki_extended),
    )


def _part(value: int, source: str, rule: str) -> Modifier | None:
    return Modifier(value, source, rule) if value else None


@dataclass(slots=True)
class _Reader:
    """Goes through the parsed files."""

    reading: Reading
    raw: Mapping[str, object]
    stems: list[str] = field(default_factory=list)

    def rows(self, stem: str, columns: Sequence[str]) -> list[tuple[str, Mapping[str, object]]]:
        """The rows of a table, with known columns only."""
        self.stems.append(stem)
        table = self.reading.mapping(self.raw.get(stem), (stem,))
        if not table:
            self.reading.problem((stem,), "missing")
        found = []
        for name, value in table.items():
            row = self.reading.mapping(value, (stem, name))
            self.reading.known(row, (*columns, *_PROVENANCE), (stem, name))
            found.append((name, row))
        return found

    def named(self, stem: str, columns: Sequence[str], ids: Sequence[str]) -> "dict[str, Row]":
        """The rows of a table that holds exactly these ids, with figure readers."""
        rows = {
            name: Row(self.reading, row, (stem, name)) for name, row in self.rows(stem, columns)
        }
        self.reading.known(rows, ids, (stem,))
        for name in ids:
            if name not in rows:
                self.reading.problem((stem, name), "missing")
        return {name: rows.get(name, Row(self.reading, {"rule": ""}, (stem, name))) for name in ids}

    def pairs(self, stem: str, key: str, value: str) -> tuple[tuple[int, int], ...]:
        """Rows of two figures, in the order of the first."""
        rows = [Row(self.reading, row, (stem, n)) for n, row in self.rows(stem, (key, value))]
        return tuple(sorted((row.number(key), row.number(value)) for row in rows)) or ((0, 0),)

    def modifiers(self, stem: str, source: str, ids: Sequence[str]) -> dict[str, Modifier]:
        """Modifiers of an attack by id."""
        return {
            name: Modifier(row.number("attack"), f"{source}.{name}", row.rule)
            for name, row in self.named(stem, ("attack",), ids).items()
        }

    def situations(self) -> dict[str, Situation]:
        """T1."""
        return {
            name: Situation(*(_part(row.number(s), f"situation.{name}", row.rule) for s in SIDES))
            for name, row in self.named("situations", SIDES, SITUATIONS).items()
        }

    def zones(self) -> dict[str, Zone]:
        """T2; a game master may add places of his own."""
        found = {}
        for name, values in self.rows("zones", ("penalty", "group")):
            row = Row(self.reading, values, ("zones", name))
            group = self.reading.choice(values, "group", row.path, GROUPS)
            aim = Modifier(row.number("penalty"), f"aim.{name}", row.rule)
            found[name] = Zone(name, group, aim)
        return found

    def ranged_defence(self) -> dict[str, RangedDefence]:
        """T5."""
        rows = self.named("ranged_defence", ("shot", "thrown"), RANGED_DEFENCES)
        return {
            name: RangedDefence(
                _part(row.number("shot"), "defence.shot", row.rule),
                _part(row.number("thrown"), "defence.thrown", row.rule),
            )
            for name, row in rows.items()
        }

    def strength_range(self) -> tuple[RangeStep, ...]:
        """T4, in ascending order."""
        columns = ("strength", "metres", "quality")
        rows = [
            Row(self.reading, r, ("strength_range", n))
            for n, r in self.rows("strength_range", columns)
        ]
        steps = [RangeStep(*(row.number(column) for column in columns)) for row in rows]
        return tuple(sorted(steps, key=lambda step: step.strength)) or (RangeStep(0, 0, 0),)

    def locations(self) -> tuple[Location, ...]:
        """T6: every face of 1d100 in exactly one row."""
        found = []
        for name, values in self.rows("locations", ("first", "last", "group", "general")):
            row = Row(self.reading, values, ("locations", name))
            group = self.reading.choice(values, "group", row.path, GROUPS)
            general = self.reading.text(values, "general", row.path)
            found.append(Location(name, row.number("first"), row.number("last"), group, general))
        expected = 1
        for place in sorted(found, key=lambda place: place.first):
            if place.first != expected:
                self.reading.problem(
                    ("locations", place.id, "first"), "out_of_range", place.first, str(expected)
                )
            expected = place.last + 1
        if expected != 101:
            self.reading.problem(("locations",), "out_of_range", expected - 1, "100")
        return tuple(found)

    def fire(self) -> tuple[tuple[str, int], ...]:
        """T8."""
        ids = ("none", "lit", "burning", "ablaze", "charred")
        return tuple(
            (name, row.number("from")) for name, row in self.named("fire", ("from",), ids).items()
        )

    def difficulties(self) -> dict[str, int]:
        """T15."""
        rows = self.rows("difficulties", ("total",))
        return {n: Row(self.reading, row, ("difficulties", n)).number("total") for n, row in rows}

    def manoeuvres(self) -> dict[str, Manoeuvre]:
        """Penalties of specific attacks."""
        rows = self.named("manoeuvres", ("penalty", "worse"), MANOEUVRES)
        return {
            name: Manoeuvre(row.number("penalty"), row.number("worse"), row.rule)
            for name, row in rows.items()
        }


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table with its place."""

    reading: Reading
    values: Mapping[str, object]
    path: Path

    @property
    def rule(self) -> str:
        """The catalogue id of the row."""
        return self.reading.text(self.values, "rule", self.path)

    def number(self, key: str) -> int:
        """A figure."""
        return self.reading.integer(self.values, key, self.path, None, (-100_000, 100_000))
