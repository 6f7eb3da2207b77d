"""The tables of catalogue section 2 as typed rows.

``read_tables`` gets parsed YAML (with the game master's rows laid over it) and says all that is
wrong with it at once.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Final

from rulesets.core.declarations import fold
from rulesets.core.dice import DiceExpression
from rulesets.core.modifiers import Modifier
from rulesets.core.reading import Path, Reading
from rulesets.core.records import dataclass

CHARACTERISTICS: Final = (
    "strength",
    "agility",
    "dexterity",
    "endurance",
    "perception",
    "communication",
    "culture",
    "appearance",
)
PARTS: Final = ("head", "arm", "chest", "abdomen", "leg")
SIDES: Final = ("right", "left")
FACTORS: Final = ("doubled", "halved_up", "whole")
DAMAGE_TYPES: Final = ("edge", "point", "blunt")
LIGHTS: Final = ("day", "reduced", "dim", "dark")
BROUGHT: Final = ("", "broken_arm", "lost_arm", "prone", "knocked_out", "bleeding", "death")
SHIELD_ARM: Final = "shield_arm"
BY_STRENGTH: Final = "FUE"


class Size(IntEnum):
    """How big a weapon is; smaller compares as less."""

    LIGHT = 0
    MEDIUM = 1
    HEAVY = 2


SIZES: Final = {size.name.lower(): size for size in Size}
SHIELD_SIZES: Final = ("small", "medium", "large")


@dataclass(frozen=True, slots=True)
class Weapon:
    """A row of table 2.5, or what a sheet makes of one.

    Attributes:
        names: Folded words that mean it: its name first, then its aliases.
        skill: Skill id that it is used with (``throwing`` when thrown, AQ-ATK-02).
        base: Characteristic of its damage bonus.
        hands: 1 or 2; 0 for the body itself.
        bands: Varas of short, medium and long distance; empty unless it shoots.
        thrown: Whether it may be thrown, by Strength (AQ-RNG-03).
        reload: Normal actions after each shot.
        natural: Always at hand and never lost (pelea).
    """

    name: str
    names: tuple[str, ...]
    skill: str
    base: str
    size: Size
    min_strength: int
    damage: DiceExpression
    type: str
    hands: int
    bands: tuple[int, ...] = ()
    thrown: bool = False
    reload: int = 0
    initiative: int = 0
    hook: bool = False
    natural: bool = False

    @property
    def missile(self) -> bool:
        """Whether it shoots."""
        return bool(self.bands)


@dataclass(frozen=True, slots=True)
class Armour:
    """A piece of armour, new."""

    name: str
    protection: int
    resistance: int
    covers: tuple[str, ...]
    initiative: int = 0
    agility_skills: int = 0
    min_strength: int = 0
    metal: bool = False


@dataclass(frozen=True, slots=True)
class Shield:
    """A shield, new. ``free`` says how many locations more its bearer may choose to cover."""

    name: str
    size: str
    resistance: int
    min_strength: int
    covers: tuple[str, ...]
    free: int = 0
    skill: int = 0
    initiative: int = 0


@dataclass(frozen=True, slots=True)
class Location:
    """A part of a body that a blow may land on: faces ``first`` to ``last`` of 1D10."""

    id: str
    first: int
    last: int
    part: str
    side: str
    factor: str
    rule: str


@dataclass(frozen=True, slots=True)
class Body:
    """A kind of body with its locations; ``faces`` holds one location for each face of 1D10."""

    id: str
    always_d10: bool
    tripped: bool
    locations: Mapping[str, Location]
    faces: tuple[Location, ...]

    def at(self, part: str, side: str) -> Location | None:
        """The location that a zone means on this body, or None where it has no such part."""
        trunk = ("chest", "abdomen")
        for wanted in ((part, side), (part, "")):
            for location in self.locations.values():
                if location.part == wanted[0] and wanted[1] in ("", location.side):
                    return location
        if part in trunk:
            return next((row for row in self.locations.values() if row.part in trunk), None)
        return None


@dataclass(frozen=True, slots=True)
class Zone:
    """What one may aim at, with its penalty."""

    id: str
    part: str
    side: str
    modifier: Modifier


@dataclass(frozen=True, slots=True)
class CombatModifier:
    """A row of table 2.4; None where it does not touch that side."""

    attack: Modifier | None
    defence: Modifier | None


@dataclass(frozen=True, slots=True)
class Pace:
    """How far one action carries, in varas, and whether wounds shorten it."""

    varas: int
    wounds: bool


@dataclass(frozen=True, slots=True)
class BonusStep:
    """A step of the damage bonus table."""

    first: int
    last: int
    dice: DiceExpression


@dataclass(frozen=True, slots=True)
class SequelaRow:
    """A row of table 2.8."""

    id: str
    first: int
    last: int
    characteristic: str
    loss: int
    brings: str
    minutes: int


@dataclass(frozen=True, slots=True)
class Tables:
    """All tables."""

    weapons: Mapping[str, Weapon]
    armour: Mapping[str, Armour]
    shields: Mapping[str, Shield]
    skills: Mapping[str, str]
    bodies: Mapping[str, Body]
    zones: Mapping[str, Zone]
    modifiers: Mapping[str, CombatModifier]
    movement: Mapping[str, Pace]
    bonus: tuple[BonusStep, ...]
    sequelae: Mapping[str, tuple[SequelaRow, ...]]
    preparation: tuple[int, int]

    @property
    def weapon_words(self) -> tuple[str, ...]:
        """What a sheet may try: the names, and the words for several, such as *hacha*."""
        counts = Counter(word for weapon in self.weapons.values() for word in weapon.names)
        return (*self.weapons, *(word for word, count in counts.items() if count > 1))

    def weapons_called(self, word: str) -> tuple[str, ...]:
        """Names of the weapons that a word may mean: there are three that are called *hacha*."""
        folded = fold(word)
        called = {name: row.names for name, row in self.weapons.items() if folded in row.names}
        return tuple(name for name, names in called.items() if names[0] == folded) or tuple(called)

    @property
    def brawl(self) -> Weapon:
        """The weapon that everybody always has: the body."""
        return self.weapons["pelea"]

    def bonus_step(self, characteristic: int) -> int:
        """Index of the step of the damage bonus table for a characteristic (AQ-DMG-02)."""
        for index, step in enumerate(self.bonus):
            if characteristic <= step.last:
                return index
        return len(self.bonus) - 1


STEMS: Final = (
    "armour",
    "bodies",
    "bonus",
    "locations",
    "modifiers",
    "movement",
    "sequelae",
    "shields",
    "skills",
    "weapons",
    "zones",
)
_PROVENANCE: Final = ("rule", "source")
WEAPON_COLUMNS: Final = (
    "skill",
    "base",
    "size",
    "min_strength",
    "damage",
    "type",
    "hands",
    "range",
    "reload",
    "initiative",
    "hook",
)
ARMOUR_COLUMNS: Final = (
    "protection",
    "resistance",
    "covers",
    "initiative",
    "agility_skills",
    "min_strength",
    "metal",
)
SHIELD_COLUMNS: Final = (
    "size",
    "resistance",
    "min_strength",
    "covers",
    "free",
    "skill",
    "initiative",
)
CASES: Final = (
    "behind",
    "enemy_behind",
    "in_melee",
    "target_on_ground",
    "surprise",
    "height",
    "large_target",
    "small_target",
    "on_the_move",
    "off_hand",
    "on_ground",
    "range_short",
    "range_medium",
    "range_long",
    "light_reduced",
    "light_dim",
    "light_dark",
    "leaving",
    "preparation",
)
PACES: Final = (
    "walk",
    "run",
    "crawl",
    "swim",
    "dive",
    "climb",
    "step",
    "weave",
    "charge",
    "mounted_charge",
)


def read_tables(raw: Mapping[str, object]) -> Tables:
    """Typed tables from parsed YAML, by file stem.

    Raises:
        SetupError: what is wrong with any of them, with table, row and column.
    """
    reading = Reading()
    reader = _Reader(reading, raw)
    reading.known(raw, STEMS, ())
    skills = reader.skills()
    locations = reader.locations()
    bodies = reader.bodies(locations)
    known = tuple({name: None for body in locations.values() for name in body})
    weapons = {
        name: read_weapon(reading, name, row, ("weapons", name), skills)
        for name, row in reader.rows("weapons", (*WEAPON_COLUMNS, "aliases", "natural"))
    }
    if "pelea" not in weapons:
        reading.problem(("weapons", "pelea"), "missing")
    tables = Tables(
        weapons=weapons,
        armour={
            name: read_armour(reading, name, row, ("armour", name), known)
            for name, row in reader.rows("armour", (*ARMOUR_COLUMNS, "kind"))
        },
        shields={
            name: read_shield(reading, name, row, ("shields", name), known)
            for name, row in reader.rows("shields", SHIELD_COLUMNS)
        },
        skills=skills,
        bodies=bodies,
        zones=reader.zones(),
        modifiers=reader.modifiers(),
        movement=reader.movement(),
        bonus=reader.bonus(),
        sequelae=reader.sequelae(),
        preparation=reader.preparation(),
    )
    reading.finish()
    return tables


# ------------------------------------------------------------------ rows that sheets share


def read_weapon(
    reading: Reading,
    name: str,
    row: Mapping[str, object],
    path: Path,
    skills: Mapping[str, str],
) -> Weapon:
    """A weapon from a table row or from a sheet's map with all that the table gives it.

    Args:
        reading: Keeps the problems.
        name: As players write it.
        row: Columns of table 2.5.
        path: Where the row stands.
        skills: Characteristic of each skill; that of the weapon's own where it names no base.
    """
    skill = reading.choice(row, "skill", path, tuple(skills))
    default_base = skills.get(skill, "strength")
    reach = reading.text(row, "range", path, "")
    aliases = reading.names(row, "aliases", path)
    return Weapon(
        name=name,
        names=tuple(dict.fromkeys(fold(word) for word in (name, *aliases))),
        skill=skill,
        base=reading.choice(row, "base", path, CHARACTERISTICS, default_base),
        size=SIZES[reading.choice(row, "size", path, tuple(SIZES), "medium")],
        min_strength=reading.integer(row, "min_strength", path, 0, (0, 100)),
        damage=reading.dice(row, "damage", path),
        type=reading.choice(row, "type", path, DAMAGE_TYPES, "blunt"),
        hands=reading.integer(row, "hands", path, 1, (0, 2)),
        bands=_bands(reading, reach, (*path, "range")),
        thrown=reach.upper() == BY_STRENGTH,
        reload=reading.integer(row, "reload", path, 0, (0, 20)),
        initiative=reading.integer(row, "initiative", path, 0, (-20, 20)),
        hook=reading.flag(row, "hook", path, default=False),
        natural=reading.flag(row, "natural", path, default=False),
    )


def _bands(reading: Reading, text: str, path: Path) -> tuple[int, ...]:
    if not text or text.upper() == BY_STRENGTH:
        return ()
    numbers = tuple(int(part) for part in text.split("/") if part.isascii() and part.isdigit())
    if len(numbers) != 3 or text.count("/") != 2 or not 2 <= numbers[0] < numbers[1] < numbers[2]:
        reading.problem(path, "wrong_type", text, f"{BY_STRENGTH} | N/N/N")
        return ()
    return numbers


def read_armour(
    reading: Reading,
    name: str,
    row: Mapping[str, object],
    path: Path,
    locations: Sequence[str],
) -> Armour:
    """A piece of armour from a table row or a sheet's map; penalties left out are 0."""
    return Armour(
        name=name,
        protection=reading.integer(row, "protection", path, None, (0, 100)),
        resistance=reading.integer(row, "resistance", path, None, (0, 10_000)),
        covers=reading.names(row, "covers", path, locations),
        initiative=reading.integer(row, "initiative", path, 0, (-50, 50)),
        agility_skills=reading.integer(row, "agility_skills", path, 0, (-200, 200)),
        min_strength=reading.integer(row, "min_strength", path, 0, (0, 100)),
        metal=reading.flag(row, "metal", path, default=False),
    )


def read_shield(
    reading: Reading, name: str, row: Mapping[str, object], path: Path, locations: Sequence[str]
) -> Shield:
    """A shield from a table row or a sheet's map."""
    return Shield(
        name=name,
        size=reading.choice(row, "size", path, SHIELD_SIZES, "medium"),
        resistance=reading.integer(row, "resistance", path, None, (0, 10_000)),
        min_strength=reading.integer(row, "min_strength", path, 0, (0, 100)),
        covers=reading.names(row, "covers", path, (SHIELD_ARM, *locations)),
        free=reading.integer(row, "free", path, 0, (0, 1)),
        skill=reading.integer(row, "skill", path, 0, (-200, 200)),
        initiative=reading.integer(row, "initiative", path, 0, (-50, 50)),
    )


# ------------------------------------------------------------------ rows of tables only


@dataclass(slots=True)
class _Reader:
    """Goes through the parsed files."""

    reading: Reading
    raw: Mapping[str, object]

    def rows(
        self, stem: str, columns: Sequence[str], within: str = ""
    ) -> list[tuple[str, Mapping[str, object]]]:
        """The rows of a table, or of one group of it, with known columns only."""
        path: Path = (stem, within) if within else (stem,)
        table: object = self.raw.get(stem)
        if within:
            table = self.reading.mapping(table, (stem,)).get(within)
        if not table:
            self.reading.problem(path, "missing")
        found = []
        for name, value in self.reading.mapping(table, path).items():
            row = self.reading.mapping(value, (*path, name))
            self.reading.known(row, (*columns, *_PROVENANCE), (*path, name))
            found.append((name, row))
        return found

    def groups(self, stem: str) -> tuple[str, ...]:
        """Names of the groups of a table in groups."""
        return tuple(self.reading.mapping(self.raw.get(stem), (stem,)))

    def rule(self, row: Mapping[str, object], path: Path) -> str:
        """The catalogue id of a row."""
        return self.reading.text(row, "rule", path)

    def span(self, row: Mapping[str, object], path: Path, most: int) -> tuple[int, int]:
        """First and last figure of a row."""
        first = self.reading.integer(row, "first", path, None, (0, most))
        return first, self.reading.integer(row, "last", path, None, (first, most))

    def covered(self, spans: Sequence[tuple[int, int]], path: Path, first: int, last: int) -> None:
        """Every figure from first to last stands in exactly one row."""
        expected = first
        for low, high in sorted(spans):
            if low != expected:
                self.reading.problem(path, "out_of_range", low, str(expected))
                return
            expected = high + 1
        if expected != last + 1:
            self.reading.problem(path, "out_of_range", expected - 1, str(last))

    def skills(self) -> dict[str, str]:
        """Characteristic of each skill."""
        return {
            name: self.reading.choice(row, "base", ("skills", name), CHARACTERISTICS)
            for name, row in self.rows("skills", ("base",))
        }

    def locations(self) -> dict[str, dict[str, Location]]:
        """Locations by body."""
        columns = ("first", "last", "part", "side", "factor")
        tables = {}
        for body in self.groups("locations"):
            table = {}
            for name, row in self.rows("locations", columns, body):
                path = ("locations", body, name)
                first, last = self.span(row, path, 10)
                side = self.reading.choice(row, "side", path, (*SIDES, "none"), "none")
                table[name] = Location(
                    id=name,
                    first=first,
                    last=last,
                    part=self.reading.choice(row, "part", path, PARTS),
                    side="" if side == "none" else side,
                    factor=self.reading.choice(row, "factor", path, FACTORS),
                    rule=self.rule(row, path),
                )
            spans = [(row.first, row.last) for row in table.values()]
            self.covered(spans, ("locations", body), 1, 10)
            tables[body] = table
        return tables

    def bodies(self, locations: Mapping[str, Mapping[str, Location]]) -> dict[str, Body]:
        """Kinds of bodies, each with its locations."""
        found = {}
        for name, row in self.rows("bodies", ("always_d10", "tripped")):
            path = ("bodies", name)
            table = locations.get(name, {})
            if not table:
                self.reading.problem(("locations", name), "missing")
            faces = [
                next((place for place in table.values() if place.first <= face <= place.last), None)
                for face in range(1, 11)
            ]
            found[name] = Body(
                id=name,
                always_d10=self.reading.flag(row, "always_d10", path, default=False),
                tripped=self.reading.flag(row, "tripped", path, default=True),
                locations=table,
                faces=tuple(place for place in faces if place is not None),
            )
        for name in locations:
            if name not in found:
                self.reading.problem(("bodies", name), "missing")
        return found

    def zones(self) -> dict[str, Zone]:
        """What one may aim at."""
        found = {}
        for name, row in self.rows("zones", ("part", "side", "attack")):
            path = ("zones", name)
            value = self.reading.integer(row, "attack", path, None, (-500, 500))
            side = self.reading.choice(row, "side", path, (*SIDES, "none"), "none")
            found[name] = Zone(
                id=name,
                part=self.reading.choice(row, "part", path, PARTS),
                side="" if side == "none" else side,
                modifier=Modifier(value, f"aim.{name}", self.rule(row, path)),
            )
        return found

    def modifiers(self) -> dict[str, CombatModifier]:
        """Table 2.4, with what each row adds ready made."""
        found = {}
        for name, row in self.rows("modifiers", ("attack", "defence", "most")):
            path = ("modifiers", name)
            if name not in CASES:
                self.reading.problem(path, "unknown_key", name, "", CASES)
            attack = self.reading.integer(row, "attack", path, 0, (-500, 500))
            defence = self.reading.integer(row, "defence", path, 0, (-500, 500))
            rule = self.rule(row, path)
            found[name] = CombatModifier(
                Modifier(attack, name, rule) if attack else None,
                Modifier(defence, name, rule) if defence else None,
            )
        for name in CASES:
            if name not in found:
                self.reading.problem(("modifiers", name), "missing")
        return found

    def preparation(self) -> tuple[int, int]:
        """What a round of preparation adds, and the most that it can come to."""
        table = self.reading.mapping(self.raw.get("modifiers"), ("modifiers",))
        path = ("modifiers", "preparation")
        row = self.reading.mapping(table.get("preparation"), path)
        return (
            self.reading.integer(row, "attack", path, 10, (0, 500)),
            self.reading.integer(row, "most", path, 50, (0, 500)),
        )

    def movement(self) -> dict[str, Pace]:
        """Varas of each movement."""
        found = {}
        for name, row in self.rows("movement", ("varas", "wounds")):
            path = ("movement", name)
            found[name] = Pace(
                self.reading.integer(row, "varas", path, None, (1, 1_000)),
                self.reading.flag(row, "wounds", path, default=True),
            )
        for name in PACES:
            if name not in found:
                self.reading.problem(("movement", name), "missing")
        return found

    def bonus(self) -> tuple[BonusStep, ...]:
        """The steps of the damage bonus, lowest first."""
        steps = []
        for name, row in self.rows("bonus", ("first", "last", "dice")):
            path = ("bonus", name)
            first, last = self.span(row, path, 999)
            steps.append(BonusStep(first, last, self.reading.dice(row, "dice", path, "")))
        steps.sort(key=lambda step: step.first)
        self.covered([(step.first, step.last) for step in steps], ("bonus",), 0, 999)
        return tuple(steps)

    def sequelae(self) -> dict[str, tuple[SequelaRow, ...]]:
        """Table 2.8 by part of the body."""
        columns = ("first", "last", "characteristic", "loss", "brings", "minutes")
        tables = {}
        for part in PARTS:
            rows = []
            for name, row in self.rows("sequelae", columns, part):
                path = ("sequelae", part, name)
                first, last = self.span(row, path, 10)
                rows.append(
                    SequelaRow(
                        id=name,
                        first=first,
                        last=last,
                        characteristic=self.reading.choice(
                            row, "characteristic", path, ("", *CHARACTERISTICS), ""
                        ),
                        loss=self.reading.integer(row, "loss", path, 0, (0, 100)),
                        brings=self.reading.choice(row, "brings", path, BROUGHT, ""),
                        minutes=self.reading.integer(row, "minutes", path, 0, (0, 100_000)),
                    )
                )
            self.covered([(row.first, row.last) for row in rows], ("sequelae", part), 1, 10)
            tables[part] = tuple(rows)
        return tables
