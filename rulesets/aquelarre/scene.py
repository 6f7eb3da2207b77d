"""The scene of a fight (catalogue 4.3): what stands around it and is nobody's own state."""

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from rulesets.aquelarre.rows import LIGHTS, SIDES
from rulesets.core.declarations import fold
from rulesets.core.reading import Path, Reading
from rulesets.core.records import dataclass

FIELDS: Final = (
    "positions",
    "light",
    "higher",
    "behind",
    "surprised",
    "ambush",
    "cover",
    "concealed",
    "side_of",
    "modifiers",
    "mount_roll",
    "stop",
    "downtime",
)
STOPS: Final = ("first_blood",)

# Catalogue 5, and the die of each purpose: what rolls can be given a modifier by ruling.
PURPOSES: Final = (
    "attack",
    "parry",
    "shield_parry",
    "dodge",
    "disengage",
    "jump",
    "run",
    "climb",
    "riding",
    "throw",
    "trick",
    "heal",
    "craft",
    "stealth",
    "spotting",
    "strength",
    "agility",
    "endurance",
)


@dataclass(frozen=True, slots=True)
class Screen:
    """An object, or a character by name, that takes the blows on some locations."""

    object: str
    protects: tuple[str, ...]


@dataclass(frozen=True)  # no slots: ``changed`` copies its dict
class Scene:
    """The scene as it stands; a game master may change it between rounds.

    Attributes:
        modifiers: ``NAME.purpose`` to what a ruling adds to every such roll.
    """

    light: str = "day"
    higher: frozenset[str] = frozenset()
    behind: Mapping[str, frozenset[str]] = field(default_factory=dict)
    surprised: tuple[str, ...] = ()
    ambusher: str = ""
    ambushed: tuple[str, ...] = ()
    cover: Mapping[str, Screen] = field(default_factory=dict)
    concealed: Mapping[str, Screen] = field(default_factory=dict)
    side_of: Mapping[str, str] = field(default_factory=dict)
    modifiers: Mapping[str, int] = field(default_factory=dict)
    mount_roll: bool = False
    stop: str = ""
    downtime: bool = False


def read_scene(
    reading: Reading, raw: Mapping[str, object], names: tuple[str, ...], locations: tuple[str, ...]
) -> tuple[Scene, Mapping[str, int]]:
    """The scene, and where each character stands on the line."""
    path: Path = ("scene",)
    row = reading.mapping(raw, path)
    reading.known(row, FIELDS, path)
    reader = _Reader(reading, names, locations)
    ambush = reading.mapping(row.get("ambush"), (*path, "ambush"))
    reading.known(ambush, ("by", "against"), (*path, "ambush"))
    ambusher = reading.choice(ambush, "by", (*path, "ambush"), names) if ambush else ""
    positions = reading.mapping(row.get("positions"), (*path, "positions"))
    reading.known(positions, names, (*path, "positions"))
    behind = reading.mapping(row.get("behind"), (*path, "behind"))
    reading.known(behind, names, (*path, "behind"))
    scene = Scene(
        light=reading.choice(row, "light", path, LIGHTS, "day"),
        higher=frozenset(reading.names(row, "higher", path, names)),
        behind={
            name: frozenset(reading.names(behind, name, (*path, "behind"), names))
            for name in behind
        },
        surprised=reading.names(row, "surprised", path, names),
        ambusher=ambusher,
        ambushed=reading.names(ambush, "against", (*path, "ambush"), names),
        cover=reader.screens(row.get("cover"), (*path, "cover")),
        concealed=reader.screens(row.get("concealed"), (*path, "concealed")),
        side_of=reader.sides(row.get("side_of"), (*path, "side_of")),
        modifiers=reader.modifiers(row.get("modifiers"), (*path, "modifiers")),
        mount_roll=reading.flag(row, "mount_roll", path, default=False),
        stop=reading.choice(row, "stop", path, STOPS, ""),
        downtime=reading.flag(row, "downtime", path, default=False),
    )
    places = {
        name: reading.integer(positions, name, (*path, "positions"), 0, (-100_000, 100_000))
        for name in positions
        if name in names
    }
    return scene, places


@dataclass(slots=True)
class _Reader:
    reading: Reading
    names: tuple[str, ...]
    locations: tuple[str, ...]

    def screens(self, value: object, path: Path) -> dict[str, Screen]:
        found = {}
        table = self.reading.mapping(value, path)
        self.reading.known(table, self.names, path)
        folded = {fold(name): name for name in self.names}
        for name in table:
            here = (*path, name)
            row = self.reading.mapping(table[name], here)
            self.reading.known(row, ("object", "protects"), here)
            what = self.reading.text(row, "object", here)
            protects = self.reading.names(row, "protects", here, self.locations)
            found[name] = Screen(folded.get(fold(what), what), protects)
        return found

    def sides(self, value: object, path: Path) -> dict[str, str]:
        table = self.reading.mapping(value, path)
        self.reading.known(table, self.names, path)
        return {name: self.reading.choice(table, name, path, SIDES, "right") for name in table}

    def modifiers(self, value: object, path: Path) -> dict[str, int]:
        table = self.reading.mapping(value, path)
        found = {}
        for label in table:
            if not is_label(label, self.names):
                self.reading.problem(
                    (*path, label), "unknown_name", label, "NAME.purpose", PURPOSES
                )
                continue
            found[label] = self.reading.integer(table, label, path, 0, (-1_000, 1_000))
        return found


def is_label(label: str, names: tuple[str, ...] | Mapping[str, object]) -> bool:
    """Whether it is ``NAME.purpose`` of the cast, with or without ``#n``."""
    name, dot, purpose = label.rpartition(".")
    purpose, hash_, count = purpose.partition("#")
    if hash_ and not (count.isascii() and count.isdigit() and int(count) >= 1):
        return False
    return bool(dot) and name in names and purpose in PURPOSES


def as_plain(scene: Scene) -> dict[str, object]:
    """The scene as plain data, as ``read_scene`` reads it; positions are the characters' own."""
    plain: dict[str, object] = {
        "light": scene.light,
        "higher": sorted(scene.higher),
        "behind": {name: sorted(some) for name, some in sorted(scene.behind.items())},
        "surprised": list(scene.surprised),
        "cover": _plain_screens(scene.cover),
        "concealed": _plain_screens(scene.concealed),
        "side_of": dict(scene.side_of),
        "modifiers": dict(scene.modifiers),
        "mount_roll": scene.mount_roll,
        "downtime": scene.downtime,
    }
    if scene.ambusher:
        plain["ambush"] = {"by": scene.ambusher, "against": list(scene.ambushed)}
    if scene.stop:
        plain["stop"] = scene.stop
    return plain


def _plain_screens(screens: Mapping[str, Screen]) -> dict[str, object]:
    return {
        name: {"object": screen.object, "protects": list(screen.protects)}
        for name, screen in screens.items()
    }
