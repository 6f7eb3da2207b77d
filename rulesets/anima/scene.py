"""The scene of a fight: distances, situations and modifiers that are nobody's own state."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from rulesets.anima.sheet import CENTIMETRES, centimetres
from rulesets.core.reading import Path, Reading

FIELDS: Final = ("distances", "situations", "ranged", "area_exit", "modifiers")
# T1 rows that the scene may put somebody in; the others are conditions, stances or deeds.
OF_SCENE: Final = (
    "flank",
    "back",
    "surprise",
    "partial_blindness",
    "total_blindness",
    "superior_position",
    "levitating",
    "flying_7",
    "flying_15",
    "narrow",
    "small_enemy",
    "tiny_enemy",
)
TARGETS: Final = ("low_visibility", "cover", "large", "speed_8", "speed_10", "speed_11")
MODIFIED: Final = ("attack", "parry", "dodge", "initiative", "all")
# Dice purposes that a ruling may add to: those that an ability is added to.
PURPOSES: Final = ("initiative", "attack", "defence", "skill", "potential", "control")

Placed = tuple[str, str]  # a situation and against whom; against all where that is empty
Pair = tuple[str, str]


@dataclass(frozen=True)  # no slots: ``changed`` copies its dict
class Scene:
    """The scene as it stands; a game master may change it between assaults.

    Attributes:
        distances: Centimetres between two, the names in the order of ``pair``; a pair that is not
            there is in contact.
        situations: By name of whoever is in them.
        ranged: By name of the target of a shot.
        area_exit: Centimetres to the edge of an area.
        modifiers: By name, then by ``MODIFIED``.
    """

    distances: Mapping[Pair, int] = field(default_factory=dict)
    situations: Mapping[str, tuple[Placed, ...]] = field(default_factory=dict)
    ranged: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    area_exit: Mapping[str, int] = field(default_factory=dict)
    modifiers: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def pair(one: str, other: str) -> Pair:
    """Two names in the one order in which their distance is kept."""
    return (one, other) if one <= other else (other, one)


def read_scene(reading: Reading, raw: Mapping[str, object], names: tuple[str, ...]) -> Scene:
    """The scene from plain data; problems go to ``reading``."""
    row = reading.mapping(raw, ("scene",))
    reading.known(row, FIELDS, ("scene",))
    reader = _Reader(reading, row, names)
    return Scene(
        distances=reader.distances(),
        situations=reader.situations(),
        ranged=reader.ranged(),
        area_exit=reader.area_exit(),
        modifiers=reader.modifiers(),
    )


@dataclass(slots=True)
class _Reader:
    reading: Reading
    row: Mapping[str, object]
    names: tuple[str, ...]

    def by_name(self, key: str) -> tuple[Mapping[str, object], Path]:
        path = ("scene", key)
        table = self.reading.mapping(self.row.get(key), path)
        self.reading.known(table, self.names, path)
        return {name: table[name] for name in table if name in self.names}, path

    def distances(self) -> dict[Pair, int]:
        path = ("scene", "distances")
        table = self.reading.mapping(self.row.get("distances"), path)
        found = {}
        for key in table:
            two = self.two(key)
            if two is None:
                expected = "NAME-NAME"
                self.reading.problem((*path, key), "unknown_name", key, expected, self.names)
            else:
                found[two] = centimetres(self.reading, table, key, path, 0)
        return found

    def two(self, key: str) -> Pair | None:
        """``NAME-NAME``; a name may hold hyphens itself."""
        for at, letter in enumerate(key):
            one, other = key[:at].strip(), key[at + 1 :].strip()
            if letter == "-" and one in self.names and other in self.names and one != other:
                return pair(one, other)
        return None

    def situations(self) -> dict[str, tuple[Placed, ...]]:
        table, path = self.by_name("situations")
        found = {}
        for name, value in table.items():
            placed = []
            for index, item in enumerate(self.reading.sequence(value, (*path, name))):
                here = (*path, name, index)
                row = self.reading.mapping(item, here)
                self.reading.known(row, ("id", "versus"), here)
                id_ = self.reading.choice(row, "id", here, OF_SCENE)
                placed.append((id_, self.reading.choice(row, "versus", here, self.names, "")))
            found[name] = tuple(placed)
        return found

    def ranged(self) -> dict[str, tuple[str, ...]]:
        table, path = self.by_name("ranged")
        return {name: self.reading.names(table, name, path, TARGETS) for name in table}

    def area_exit(self) -> dict[str, int]:
        table, path = self.by_name("area_exit")
        return {name: centimetres(self.reading, table, name, path, 0) for name in table}

    def modifiers(self) -> dict[str, dict[str, int]]:
        table, path = self.by_name("modifiers")
        found = {}
        for name in table:
            here = (*path, name)
            row = self.reading.mapping(table[name], here)
            self.reading.known(row, MODIFIED, here)
            found[name] = {
                key: self.reading.integer(row, key, here, 0, (-1_000, 1_000))
                for key in row
                if key in MODIFIED
            }
        return found


def metres(centimetres_: int) -> int | float:
    """Centimetres as metres, whole where they are: for plain data that people read."""
    whole, rest = divmod(centimetres_, CENTIMETRES)
    return centimetres_ / CENTIMETRES if rest else whole


def as_plain(scene: Scene) -> dict[str, object]:
    """The scene as plain data, as ``read_scene`` reads it."""
    return {
        "distances": {
            f"{one}-{other}": metres(far) for (one, other), far in scene.distances.items()
        },
        "situations": {
            name: [_placed(id_, versus) for id_, versus in placed]
            for name, placed in scene.situations.items()
        },
        "ranged": {name: list(ids) for name, ids in scene.ranged.items()},
        "area_exit": {name: metres(far) for name, far in scene.area_exit.items()},
        "modifiers": {name: dict(row) for name, row in scene.modifiers.items()},
    }


def _placed(id_: str, versus: str) -> dict[str, str]:
    return {"id": id_, "versus": versus} if versus else {"id": id_}


def is_label(label: str, names: Iterable[str], purposes: Iterable[str] = PURPOSES) -> bool:
    """Whether it is ``NAME.purpose`` of the cast, with or without ``#n``."""
    name, dot, purpose = label.rpartition(".")
    purpose, hash_, count = purpose.partition("#")
    if hash_ and not (count.isascii() and count.isdigit() and int(count) >= 1):
        return False
    return bool(dot) and name in names and purpose in purposes
