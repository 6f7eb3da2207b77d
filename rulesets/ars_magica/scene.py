"""The scene of a fight (catalogue 8.3): what stands around it and is nobody's own state."""

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Final

from rulesets.ars_magica.rows import CONCEALMENT, COVERS, Tables
from rulesets.core.reading import Path, Reading
from rulesets.core.records import dataclass

FIELDS: Final = (
    "initiative",
    "arrivals",
    "light",
    "light_source",
    "terrain",
    "hazard_dice",
    "cover",
    "concealment",
    "high_ground",
    "flank",
    "place",
    "direction",
    "overhead",
    "spots",
    "surface",
    "modifiers",
)
LIGHTS: Final = ("clear", *CONCEALMENT)
TERRAINS: Final = ("difficult", "hazard")
FLANKS: Final = ("flank", "back")
PLACES: Final = ("wall", "corridor")
DIRECTIONS: Final = ("front", "back")
GROUNDS: Final = ("normal", "hard", "soft")
EVERYBODY: Final = "all"
# Catalogue 9: what rolls can be given a modifier by ruling.
PURPOSES: Final = (
    "initiative",
    "attack",
    "defence",
    "free_attack",
    "disengage",
    "disengage_attack",
    "priority",
    "concentration",
    "fatigue",
    "perception",
    "resist_charge",
    "control_mount",
    "stay_mounted",
    "leap",
    "pinned",
    "mounted_extended",
    "damage",
    "soak",
    "recovery",
    "fast_cast",
    "treat",
)


@dataclass(frozen=True, slots=True)
class Spot:
    """A place with a name."""

    position: int
    cover: str = ""


@dataclass(frozen=True)  # no slots: ``changed`` copies its dict
class Scene:
    """The scene as it stands; a game master may change it between rounds.

    Attributes:
        flank: Attacker and target to ``flank`` or ``back``.
        overhead: Attacker and target, where the one stands over the other.
        modifiers: ``NAME.roll`` to what a ruling adds to every such roll.
    """

    initiative: Mapping[str, int] = field(default_factory=dict)
    arrivals: Mapping[str, int] = field(default_factory=dict)
    light: str = "clear"
    light_source: str = ""
    terrain: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    hazard_dice: Mapping[str, int] = field(default_factory=dict)
    cover: Mapping[str, str] = field(default_factory=dict)
    concealment: Mapping[str, str] = field(default_factory=dict)
    high_ground: frozenset[str] = frozenset()
    flank: Mapping[tuple[str, str], str] = field(default_factory=dict)
    place: Mapping[str, str] = field(default_factory=dict)
    direction: Mapping[str, str] = field(default_factory=dict)
    overhead: frozenset[tuple[str, str]] = frozenset()
    spots: Mapping[str, Spot] = field(default_factory=dict)
    surface: str = "normal"
    modifiers: Mapping[str, int] = field(default_factory=dict)


def read_scene(
    reading: Reading, raw: Mapping[str, object], names: tuple[str, ...], tables: Tables
) -> Scene:
    """The scene from the config or a scenario."""
    path: Path = ("scene",)
    row = reading.mapping(raw, path)
    reading.known(row, FIELDS, path)
    reader = _Reader(reading, row, names)
    return Scene(
        initiative=reader.numbers("initiative", (-1_000, 1_000)),
        arrivals=reader.numbers("arrivals", (1, 10_000)),
        light=reading.choice(row, "light", path, LIGHTS, "clear"),
        light_source=reading.choice(row, "light_source", path, ("", *tables.lights), ""),
        terrain=reader.terrain(),
        hazard_dice=reader.numbers("hazard_dice", (1, 20)),
        cover=reader.choices("cover", COVERS),
        concealment=reader.choices("concealment", CONCEALMENT),
        high_ground=frozenset(reading.names(row, "high_ground", path, names)),
        flank={(a, t): side for a, t, side in reader.pairs("flank", FLANKS)},
        place=reader.choices("place", PLACES),
        direction=reader.choices("direction", DIRECTIONS),
        overhead=frozenset((a, t) for a, t, _ in reader.pairs("overhead", ())),
        spots=reader.spots(),
        surface=reading.choice(row, "surface", path, GROUNDS, "normal"),
        modifiers=reader.modifiers(),
    )


@dataclass(slots=True)
class _Reader:
    reading: Reading
    row: Mapping[str, object]
    names: tuple[str, ...]

    def _table(self, key: str, among: Iterable[str] | None = None) -> Mapping[str, object]:
        path: Path = ("scene", key)
        table = self.reading.mapping(self.row.get(key), path)
        if among is not None:
            self.reading.known(table, among, path)
        return table

    def numbers(self, key: str, span: tuple[int, int]) -> dict[str, int]:
        table = self._table(key, self.names)
        return {name: self.reading.integer(table, name, ("scene", key), 0, span) for name in table}

    def choices(self, key: str, among: tuple[str, ...]) -> dict[str, str]:
        table = self._table(key, self.names)
        return {name: self.reading.choice(table, name, ("scene", key), among) for name in table}

    def terrain(self) -> dict[str, tuple[str, ...]]:
        table = self._table("terrain", (EVERYBODY, *self.names))
        path: Path = ("scene", "terrain")
        return {name: self.reading.names(table, name, path, TERRAINS) for name in table}

    def pairs(self, key: str, sides: tuple[str, ...]) -> list[tuple[str, str, str]]:
        found = []
        items = self.reading.sequence(self.row.get(key), ("scene", key))
        for index, item in enumerate(items):
            path: Path = ("scene", key, index)
            row = self.reading.mapping(item, path)
            columns = ("attacker", "target", "side") if sides else ("attacker", "target")
            self.reading.known(row, columns, path)
            attacker = self.reading.choice(row, "attacker", path, self.names)
            target = self.reading.choice(row, "target", path, self.names)
            side = self.reading.choice(row, "side", path, sides) if sides else ""
            found.append((attacker, target, side))
        return found

    def spots(self) -> dict[str, Spot]:
        found = {}
        table = self._table("spots")
        for name in table:
            path: Path = ("scene", "spots", name)
            row = self.reading.mapping(table[name], path)
            self.reading.known(row, ("position", "cover"), path)
            found[name] = Spot(
                self.reading.integer(row, "position", path, None, (-100_000, 100_000)),
                self.reading.choice(row, "cover", path, ("", *COVERS), ""),
            )
        return found

    def modifiers(self) -> dict[str, int]:
        found: dict[str, int] = {}
        items = self.reading.sequence(self.row.get("modifiers"), ("scene", "modifiers"))
        for index, item in enumerate(items):
            path: Path = ("scene", "modifiers", index)
            row = self.reading.mapping(item, path)
            self.reading.known(row, ("character", "roll", "value"), path)
            name = self.reading.choice(row, "character", path, self.names)
            roll = self.reading.choice(row, "roll", path, PURPOSES)
            value = self.reading.integer(row, "value", path, None, (-1_000, 1_000))
            label = f"{name}.{roll}"
            found[label] = found.get(label, 0) + value
        return found


def is_label(label: str, names: tuple[str, ...] | Mapping[str, object]) -> bool:
    """Whether it is ``NAME.purpose`` of the cast, with or without ``#n``."""
    name, dot, purpose = label.rpartition(".")
    purpose, hash_, count = purpose.partition("#")
    if hash_ and not (count.isascii() and count.isdigit() and int(count) >= 1):
        return False
    return bool(dot) and name in names and purpose in PURPOSES


def as_plain(scene: Scene) -> dict[str, object]:
    """The scene as plain data, as ``read_scene`` reads it."""
    return {
        "initiative": dict(scene.initiative),
        "arrivals": dict(scene.arrivals),
        "light": scene.light,
        "light_source": scene.light_source,
        "terrain": {name: list(some) for name, some in scene.terrain.items()},
        "hazard_dice": dict(scene.hazard_dice),
        "cover": dict(scene.cover),
        "concealment": dict(scene.concealment),
        "high_ground": sorted(scene.high_ground),
        "flank": [
            {"attacker": a, "target": t, "side": side} for (a, t), side in scene.flank.items()
        ],
        "place": dict(scene.place),
        "direction": dict(scene.direction),
        "overhead": [{"attacker": a, "target": t} for a, t in sorted(scene.overhead)],
        "spots": {
            name: {"position": spot.position, "cover": spot.cover}
            for name, spot in scene.spots.items()
        },
        "surface": scene.surface,
        "modifiers": [
            {
                "character": label.rpartition(".")[0],
                "roll": label.rpartition(".")[2],
                "value": value,
            }
            for label, value in scene.modifiers.items()
        ],
    }
