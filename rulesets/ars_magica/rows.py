"""The tables of catalogue section 14 as typed rows.

``read_tables`` gets parsed YAML (with the game master's rows laid over it) and says all that is
wrong with it at once.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from rulesets.core.reading import Path, Reading
from rulesets.core.records import dataclass

CHARACTERISTICS: Final = (
    "intelligence",
    "perception",
    "strength",
    "stamina",
    "presence",
    "communication",
    "dexterity",
    "quickness",
)
ABILITIES: Final = (
    "single_weapon",
    "great_weapon",
    "brawl",
    "bows",
    "crossbows",
    "thrown_weapon",
    "athletics",
    "ride",
    "concentration",
    "finesse",
    "chirurgy",
    "medicine",
)
ZONES: Final = ("head", "torso", "abdomen", "right_arm", "left_arm", "right_leg", "left_leg")
LEVELS: Final = ("light", "medium", "heavy", "incapacitated", "dead")
BRUISES: Final = ("light", "medium", "heavy", "incapacitated", "fatal")
COVERS: Final = ("quarter", "half", "three_quarters", "near_total")
CONCEALMENT: Final = ("light", "dim", "night", "abyssal")
PACES: Final = ("walk", "hurry", "run")
GAITS: Final = ("stationary", "amble", "trot", "canter", "gallop")
DAMAGE_TYPES: Final = ("slash", "pierce", "crush", "heat", "cold", "impact")
WEAPON_KINDS: Final = (
    "body",
    "melee",
    "practice",
    "element",
    "natural",
    "thrown",
    "sling",
    "bow",
    "crossbow",
)
SHOOTING: Final = ("sling", "bow", "crossbow")
BLEEDING: Final = ("minor", "medium", "severe")
RESISTING: Final = ("", "dexterity", "strength", "ride", "weapon")
MATERIALS: Final = ("organic", "metal")
POLEARM_CM: Final = 100  # AM-SPC-14
GREAT_HORSES: Final = 6  # columns of the table of gaits


@dataclass(frozen=True, slots=True)
class Weapon:
    """A row of tables 14.12 to 14.14, or what a sheet makes of one.

    Attributes:
        id: Its key; sheets, states and events name it so.
        kind: One of ``WEAPON_KINDS``.
        types: Damage types, its own first.
        hands: 1 or 2; 0 for what needs none.
        length_cm: Of a polearm; 0 for any other weapon.
        range: Paces of one increment; 0 for what is not sent.
        as_melee: The row that it counts as in melee, or on foot (the lance).
        span, span_strength, span_strong, pulleys: Rounds to load it (AM-MIS-10).
    """

    id: str
    kind: str
    ability: str
    initiative: int = 0
    attack: int = 0
    defence: int = 0
    damage: int = 0
    min_strength: int = -9
    load: int = 0
    types: tuple[str, ...] = ()
    hands: int = 1
    length_cm: int = 0
    range: int = 0
    as_melee: str = ""
    span: int = 0
    span_strength: int = 99
    span_strong: int = 0
    pulleys: int = 0

    @property
    def polearm(self) -> bool:
        """Whether it keeps people at bay (AM-SPC-14)."""
        return self.length_cm >= POLEARM_CM

    @property
    def missile(self) -> bool:
        """Whether it is shot or thrown."""
        return self.range > 0

    @property
    def shoots(self) -> bool:
        """A bow, a sling or a crossbow: of no use in melee (AM-MIS-11)."""
        return self.kind in SHOOTING

    @property
    def bare(self) -> bool:
        """Part of the body: always at hand, never lost."""
        return self.kind in ("body", "natural")

    @property
    def bruises(self) -> bool:
        """Whether its blows leave bruises unless they are meant to kill (AM-NLC-01, AM-NLC-03)."""
        return self.kind in ("body", "practice")


@dataclass(frozen=True, slots=True)
class Shield:
    """A row of the table of shields."""

    id: str
    defence: int
    min_strength: int
    load: int
    on_foot_only: bool


@dataclass(frozen=True, slots=True)
class Armour:
    """A suit of armour; a helmet covers the head alone and has no load."""

    id: str
    protection: int
    load: int
    material: str
    covers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Level:
    """A level of wounds and bruises."""

    id: str
    penalty: int
    rest_minutes: int
    ease: int
    residual: str


@dataclass(frozen=True, slots=True)
class Effect:
    """What a critical does besides the wound (14.5)."""

    stunned: int = 0
    blocked: int = 0
    bleeding: str = ""
    limit: int = 0
    drops: bool = False
    conditions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Gait:
    """A row of the table of gaits (14.7)."""

    id: str
    paces: tuple[int, ...]
    shooting: int
    fall: int
    ease: int
    shot_at: int


@dataclass(frozen=True, slots=True)
class Pace:
    """A way of moving on foot."""

    id: str
    times: int
    shot_at: int


@dataclass(frozen=True, slots=True)
class Concealed:
    """A level of concealment."""

    id: str
    defence: int
    attack: int
    botch: int


@dataclass(frozen=True, slots=True)
class Manoeuvre:
    """A row of the table of manoeuvres (14.10)."""

    id: str
    advantage: int
    resist: str
    weapons: tuple[str, ...]
    rule: str


@dataclass(frozen=True, slots=True)
class Element:
    """Something that burns, freezes or strikes by accident (14.11)."""

    id: str
    bonus: int
    kind: str
    rule: str


@dataclass(frozen=True, slots=True)
class BodyPart:
    """A part of the body as accidents know them (AM-ELE-05)."""

    id: str
    times: int
    worn: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure that a rule adds or asks for."""

    value: int
    rule: str


@dataclass(frozen=True)
class Tables:
    """All tables, read once.

    Attributes:
        lights: Longest distance of no concealment and of each level, by light source.
        distances: Last pace and ease factor, nearest first.
        faces: Zone of each face of the simple die, 1 to 10.
        fatigue: Penalty by levels lost.
        burden: Load and burden, least first.
        surfaces: Halves of a fall's metres that are its damage.
        figures: Further figures by id.
    """

    weapons: Mapping[str, Weapon]
    shields: Mapping[str, Shield]
    armour: Mapping[str, Armour]
    helmets: Mapping[str, Armour]
    levels: Mapping[str, Level]
    criticals: Mapping[str, Mapping[str, Effect]]
    gaits: Mapping[str, Gait]
    paces: Mapping[str, Pace]
    cover: Mapping[str, int]
    concealment: Mapping[str, Concealed]
    lights: Mapping[str, tuple[int, ...]]
    distances: tuple[tuple[int, int], ...]
    manoeuvres: Mapping[str, Manoeuvre]
    elements: Mapping[str, Element]
    parts: Mapping[str, BodyPart]
    surfaces: Mapping[str, int]
    faces: tuple[str, ...]
    fatigue: tuple[int, ...]
    burden: tuple[tuple[int, int], ...]
    figures: Mapping[str, Figure]

    def figure(self, name: str) -> int:
        """A figure by its id."""
        return self.figures[name].value

    def burden_of(self, load: int) -> int:
        """Burden of a total load (14.9)."""
        return max((burden for least, burden in self.burden if load >= least), default=0)

    def distance_ease(self, paces: int) -> int:
        """What distance adds to the ease factor of a missile defence (14.6)."""
        return next((ease for last, ease in self.distances if paces <= last), 0)

    def concealed_at(self, source: str, paces: int) -> str:
        """Level of concealment at a distance from a source of light; empty where there is none."""
        none, *longest = self.lights[source]
        if paces <= none:
            return ""
        for level, last in zip(CONCEALMENT, longest, strict=True):
            if paces <= last:
                return level
        return CONCEALMENT[-1]

    def level_of(self, net: int, size: int) -> str:
        """Level of a wound of some net damage; empty where there is none (AM-DMG-03)."""
        if net <= 0:
            return ""
        width = max(1, 5 + size)
        return LEVELS[min(-(-net // width), len(LEVELS)) - 1]


R = TypeVar("R")
Rows = Mapping[str, object]
_SOURCED: Final = ("rule", "source")


class _Reader:
    """Reads one table after the other."""

    def __init__(self, reading: Reading, raw: Rows) -> None:
        self.reading = reading
        self.raw = raw

    def table(
        self, stem: str, columns: Sequence[str], read: Callable[[str, Rows, Path], R]
    ) -> dict[str, R]:
        """The rows of a table by id."""
        found: dict[str, R] = {}
        rows = self.reading.mapping(self.raw.get(stem), (stem,))
        if not rows:
            self.reading.problem((stem,), "missing", None, "table")
        for key in rows:
            path: Path = (stem, key)
            row = self.reading.mapping(rows[key], path)
            self.reading.known(row, (*columns, *_SOURCED), path)
            found[key] = read(key, row, path)
        return found

    def number(self, row: Rows, key: str, path: Path, default: int | None = None) -> int:
        return self.reading.integer(row, key, path, default)

    def complete(self, stem: str, rows: Rows, wanted: Sequence[str]) -> None:
        """Rows without which the rules cannot be played."""
        for key in wanted:
            if key not in rows:
                self.reading.problem((stem, key), "missing", None, "row")


def read_tables(raw: Rows) -> Tables:
    """Typed tables from parsed YAML, by file stem.

    Raises:
        SetupError: all that is wrong with them.
    """
    reading = Reading()
    reader = _Reader(reading, raw)
    number = reader.number

    def pairs(stem: str, first: str, second: str) -> dict[str, tuple[int, int]]:
        def read(_: str, row: Rows, path: Path) -> tuple[int, int]:
            return number(row, first, path), number(row, second, path)

        return reader.table(stem, (first, second), read)

    def singles(stem: str, column: str) -> dict[str, int]:
        return reader.table(stem, (column,), lambda _, row, path: number(row, column, path))

    tables = Tables(
        weapons=reader.table(
            "weapons", WEAPON_COLUMNS, lambda key, row, path: read_weapon(reading, key, row, path)
        ),
        shields=reader.table(
            "shields",
            ("defence", "min_strength", "load", "on_foot_only"),
            lambda key, row, path: Shield(
                key,
                number(row, "defence", path),
                number(row, "min_strength", path, -9),
                number(row, "load", path),
                reading.flag(row, "on_foot_only", path, default=False),
            ),
        ),
        armour=reader.table(
            "armour",
            ("protection", "load", "material", "covers"),
            lambda key, row, path: Armour(
                key,
                number(row, "protection", path),
                number(row, "load", path),
                reading.choice(row, "material", path, MATERIALS),
                reading.names(row, "covers", path, ZONES),
            ),
        ),
        helmets=reader.table(
            "helmets",
            ("protection", "material"),
            lambda key, row, path: Armour(
                key,
                number(row, "protection", path),
                0,
                reading.choice(row, "material", path, MATERIALS),
                ("head",),
            ),
        ),
        levels=reader.table(
            "levels",
            ("penalty", "rest_minutes", "ease", "residual"),
            lambda key, row, path: Level(
                key,
                number(row, "penalty", path),
                number(row, "rest_minutes", path),
                number(row, "ease", path),
                reading.choice(row, "residual", path, ("", *LEVELS), ""),
            ),
        ),
        criticals=_criticals(reading, raw),
        gaits=reader.table(
            "gaits",
            ("paces", "shooting", "fall", "ease", "shot_at"),
            lambda key, row, path: _gait(reader, key, row, path),
        ),
        paces=reader.table(
            "movement",
            ("times", "shot_at"),
            lambda key, row, path: Pace(
                key, number(row, "times", path), number(row, "shot_at", path)
            ),
        ),
        cover=singles("cover", "defence"),
        concealment=reader.table(
            "concealment",
            ("defence", "attack", "botch"),
            lambda key, row, path: Concealed(
                key,
                number(row, "defence", path),
                number(row, "attack", path),
                number(row, "botch", path),
            ),
        ),
        lights=reader.table(
            "lights",
            ("none", *CONCEALMENT),
            lambda _, row, path: tuple(
                number(row, column, path) for column in ("none", *CONCEALMENT)
            ),
        ),
        distances=tuple(sorted(pairs("distances", "last", "ease").values())),
        manoeuvres=reader.table(
            "manoeuvres",
            ("advantage", "resist", "weapons"),
            lambda key, row, path: Manoeuvre(
                key,
                number(row, "advantage", path),
                reading.choice(row, "resist", path, RESISTING, ""),
                reading.names(row, "weapons", path),
                reading.text(row, "rule", path),
            ),
        ),
        elements=reader.table(
            "elements",
            ("bonus", "kind"),
            lambda key, row, path: Element(
                key,
                number(row, "bonus", path),
                reading.choice(row, "kind", path, ("heat", "cold", "impact")),
                reading.text(row, "rule", path),
            ),
        ),
        parts=reader.table(
            "parts",
            ("times", "worn"),
            lambda key, row, path: BodyPart(
                key,
                number(row, "times", path),
                reading.choice(row, "worn", path, ("any", "full", "helmet")),
            ),
        ),
        surfaces=singles("surfaces", "halves"),
        faces=_faces(reading, pairs("locations", "first", "last"), raw),
        fatigue=tuple(
            penalty for _, penalty in sorted(pairs("fatigue", "lost", "penalty").values())
        ),
        burden=tuple(sorted(pairs("burden", "load", "burden").values())),
        figures=reader.table(
            "modifiers",
            ("value",),
            lambda _, row, path: Figure(
                number(row, "value", path), reading.text(row, "rule", path)
            ),
        ),
    )
    for stem, rows, wanted in (
        ("levels", tables.levels, LEVELS),
        ("gaits", tables.gaits, GAITS),
        ("movement", tables.paces, PACES),
        ("cover", tables.cover, COVERS),
        ("concealment", tables.concealment, CONCEALMENT),
        ("weapons", tables.weapons, ("fist",)),
        ("modifiers", tables.figures, FIGURES),
    ):
        reader.complete(stem, rows, wanted)
    for weapon in tables.weapons.values():
        if weapon.as_melee and weapon.as_melee not in tables.weapons:
            path = ("weapons", weapon.id, "as_melee")
            reading.problem(path, "unknown_name", weapon.as_melee, "", tables.weapons)
    reading.finish()
    return tables


WEAPON_COLUMNS: Final = (
    "kind",
    "ability",
    "initiative",
    "attack",
    "defence",
    "damage",
    "min_strength",
    "load",
    "types",
    "hands",
    "length_cm",
    "range",
    "as_melee",
    "span",
    "span_strength",
    "span_strong",
    "pulleys",
)
FIGURES: Final = (
    "first_strike",
    "flank",
    "back",
    "joint_attack",
    "secondary_type",
    "non_lethal",
    "held",
    "high_ground",
    "outside",
    "counter",
    "polearm_charge",
    "several_attacks",
    "range_increment",
    "overhead",
    "missile_ease",
    "disengage_try",
    "ride_cap",
    "saddle_cantled",
    "saddle_no_stirrups",
    "helpless",
    "tough",
    "fast_cast_again",
    "distracted",
    "hurt",
    "casting",
    "fatigue_ease",
    "scan_ease",
    "stay_mounted_ease",
    "leap_ease",
    "pinned_ease",
    "pinned_bonus",
    "panic_ease",
    "places",
    "places_wall",
    "places_corridor",
    "reach",
    "reach_polearm",
    "bleeding_medium",
    "bleeding_severe",
    "metal_spoiled",
)


def read_weapon(reading: Reading, name: str, row: Rows, path: Path) -> Weapon:
    """A weapon from its row, in a table or on a sheet."""

    def number(key: str, default: int) -> int:
        return reading.integer(row, key, path, default, (-100, 1_000))

    return Weapon(
        id=name,
        kind=reading.choice(row, "kind", path, WEAPON_KINDS, "melee"),
        ability=reading.choice(row, "ability", path, ABILITIES),
        initiative=number("initiative", 0),
        attack=number("attack", 0),
        defence=number("defence", 0),
        damage=number("damage", 0),
        min_strength=number("min_strength", -9),
        load=number("load", 0),
        types=reading.names(row, "types", path, DAMAGE_TYPES),
        hands=reading.integer(row, "hands", path, 1, (0, 2)),
        length_cm=number("length_cm", 0),
        range=number("range", 0),
        as_melee=reading.text(row, "as_melee", path, ""),
        span=number("span", 0),
        span_strength=number("span_strength", 99),
        span_strong=number("span_strong", 0),
        pulleys=number("pulleys", 0),
    )


def weapon_row(weapon: Weapon) -> dict[str, object]:
    """A weapon as plain data, as ``read_weapon`` reads it."""
    row = {column: getattr(weapon, column) for column in WEAPON_COLUMNS}
    return {**row, "types": list(weapon.types)}


def _criticals(reading: Reading, raw: Rows) -> dict[str, dict[str, Effect]]:
    found: dict[str, dict[str, Effect]] = {}
    zones = reading.mapping(raw.get("criticals"), ("criticals",))
    reading.known(zones, ZONES, ("criticals",))
    columns = ("stunned", "blocked", "bleeding", "limit", "drops", "conditions", *_SOURCED)
    for zone in ZONES:
        levels = reading.mapping(zones.get(zone), ("criticals", zone))
        reading.known(levels, LEVELS[:4], ("criticals", zone))
        found[zone] = {}
        for level in LEVELS[:4]:
            path: Path = ("criticals", zone, level)
            row = reading.mapping(levels.get(level), path)
            reading.known(row, columns, path)
            found[zone][level] = Effect(
                stunned=reading.integer(row, "stunned", path, 0, (0, 100)),
                blocked=reading.integer(row, "blocked", path, 0, (0, 100)),
                bleeding=reading.choice(row, "bleeding", path, ("", *BLEEDING), ""),
                limit=reading.integer(row, "limit", path, 0, (0, 100)),
                drops=reading.flag(row, "drops", path, default=False),
                conditions=reading.names(
                    row, "conditions", path, ("unconscious", "coma", "prone", "paralysed")
                ),
            )
    return found


def _gait(reader: _Reader, key: str, row: Rows, path: Path) -> Gait:
    paces = reader.reading.sequence(row.get("paces"), (*path, "paces"))
    if len(paces) != GREAT_HORSES or not all(type(pace) is int for pace in paces):
        reader.reading.problem((*path, "paces"), "wrong_type", row.get("paces"), "6 integers")
        paces = (0,) * GREAT_HORSES
    return Gait(
        key,
        tuple(pace for pace in paces if isinstance(pace, int)),
        reader.number(row, "shooting", path),
        reader.number(row, "fall", path),
        reader.number(row, "ease", path),
        reader.number(row, "shot_at", path),
    )


def _faces(reading: Reading, spans: Mapping[str, tuple[int, int]], raw: Rows) -> tuple[str, ...]:
    """The zone of each face, which every face has exactly once."""
    rows = reading.mapping(raw.get("locations"), ("locations",))
    reading.known(rows, ZONES, ("locations",))
    found = [
        [zone for zone, (first, last) in spans.items() if first <= face <= last]
        for face in range(1, 11)
    ]
    for face, zones in enumerate(found, start=1):
        if len(zones) != 1:
            reading.problem(("locations",), "out_of_range", face, "1..10")
    return tuple(zones[0] if zones else ZONES[1] for zones in found)
