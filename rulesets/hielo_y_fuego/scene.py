"""The scene of a fight (catalogue 6.3): what stands around it and is nobody's own state.

There is no map: the distance of each pair is kept, 1 metre where nothing is said (catalogue 3.3).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from rulesets.core.reading import Path, Reading
from rulesets.hielo_y_fuego.rows import Tables

FIELDS: Final = (
    "initiative",
    "distances",
    "elevation",
    "surprised",
    "hazards",
    "difficulties",
    "modifiers",
)
ADJACENT: Final = 1
MOST_METRES: Final = 100_000

# Catalogue 7: what a roll may be for, and so what a ruling may modify.
PURPOSES: Final = (
    "initiative",
    "attack",
    "unhorse",
    "disarm",
    "harass",
    "knock_out",
    "knock_down",
    "distract",
    "trample",
    "pin",
    "escape",
    "interrupt",
    "oppose",
    "dodge",
    "breath",
    "recover",
    "notice_hazard",
    "test",
)

Pair = tuple[str, str]


@dataclass(frozen=True)  # no slots: ``changed`` copies its dict
class Scene:
    """The scene as it stands; a game master may change it between rounds.

    Attributes:
        initiative: Settled already: nobody rolls (not with ``initiative_each_round``).
        elevation: Higher is higher ground (HF-ADV-02).
        surprised: In the first round (HF-RND-03).
        hazards: Words that ``hacia`` may name (HF-ADV-16).
        difficulties: Difficulty that the game master has set for somebody's test.
        modifiers: ``NAME.purpose`` to what a ruling adds to the total of every such roll.
    """

    initiative: Mapping[str, int] = field(default_factory=dict)
    elevation: Mapping[str, int] = field(default_factory=dict)
    surprised: tuple[str, ...] = ()
    hazards: tuple[str, ...] = ()
    difficulties: Mapping[str, int] = field(default_factory=dict)
    modifiers: Mapping[str, int] = field(default_factory=dict)


def pair_of(one: str, other: str) -> Pair:
    """The key of two characters' distance, whoever is named first."""
    return (one, other) if one <= other else (other, one)


def read_scene(
    reading: Reading, raw: Mapping[str, object], names: tuple[str, ...], tables: Tables
) -> tuple[Scene, dict[Pair, int]]:
    """The scene, and the distances that differ from adjacent."""
    path: Path = ("scene",)
    row = reading.mapping(raw, path)
    reading.known(row, FIELDS, path)
    initiative = _figures(reading, row, "initiative", names, (-1_000, 1_000))
    totals = list(initiative.values())
    for name, total in initiative.items():
        if totals.count(total) > 1:
            reading.problem((*path, "initiative", name), "out_of_range", total)
    return (
        Scene(
            initiative=initiative,
            elevation=_figures(reading, row, "elevation", names, (-1_000, 1_000)),
            surprised=reading.names(row, "surprised", path, names),
            hazards=reading.names(row, "hazards", path),
            difficulties=_difficulties(reading, row, names, tables),
            modifiers=_modifiers(reading, row, names),
        ),
        _distances(reading, row, names),
    )


def _figures(
    reading: Reading,
    row: Mapping[str, object],
    key: str,
    names: tuple[str, ...],
    span: tuple[int, int],
) -> dict[str, int]:
    path: Path = ("scene", key)
    table = reading.mapping(row.get(key), path)
    reading.known(table, names, path)
    return {name: reading.integer(table, name, path, 0, span) for name in table if name in names}


def _distances(
    reading: Reading, row: Mapping[str, object], names: tuple[str, ...]
) -> dict[Pair, int]:
    path: Path = ("scene", "distances")
    table = reading.mapping(row.get("distances"), path)
    reading.known(table, names, path)
    found: dict[Pair, int] = {}
    for one in table:
        here = (*path, one)
        others = reading.mapping(table[one], here)
        reading.known(others, names, here)
        for other in others:
            metres = reading.integer(others, other, here, ADJACENT, (ADJACENT, MOST_METRES))
            pair = pair_of(one, other)
            if one == other or found.setdefault(pair, metres) != metres:
                reading.problem((*here, other), "out_of_range", metres)
    return found


def _difficulties(
    reading: Reading, row: Mapping[str, object], names: tuple[str, ...], tables: Tables
) -> dict[str, int]:
    path: Path = ("scene", "difficulties")
    table = reading.mapping(row.get("difficulties"), path)
    found = {}
    for label, value in table.items():
        name, _, purpose = label.rpartition(".")
        figure = tables.difficulty(str(value))
        if purpose != "test" or name not in names:
            reading.problem((*path, label), "unknown_name", label, "NAME.test", names)
        elif figure is None:
            reading.problem((*path, label), "unknown_name", value, "", tables.difficulties)
        else:
            found[name] = figure
    return found


def _modifiers(
    reading: Reading, row: Mapping[str, object], names: tuple[str, ...]
) -> dict[str, int]:
    path: Path = ("scene", "modifiers")
    table = reading.mapping(row.get("modifiers"), path)
    found = {}
    for label in table:
        if not is_label(label, names):
            reading.problem((*path, label), "unknown_name", label, "NAME.purpose", PURPOSES)
            continue
        found[label] = reading.integer(table, label, path, 0, (-100, 100))
    return found


def is_label(label: str, names: Iterable[str]) -> bool:
    """Whether it is ``NAME.purpose`` of the cast, with or without ``#n``."""
    name, dot, purpose = label.rpartition(".")
    purpose, hash_, count = purpose.partition("#")
    if hash_ and not (count.isascii() and count.isdigit() and int(count) >= 1):
        return False
    return bool(dot) and name in names and purpose in PURPOSES


def as_plain(scene: Scene, distances: Mapping[Pair, int]) -> dict[str, object]:
    """The scene as plain data, as ``read_scene`` reads it."""
    pairs: dict[str, dict[str, int]] = {}
    for (one, other), metres in sorted(distances.items()):
        pairs.setdefault(one, {})[other] = metres
    return {
        "initiative": dict(scene.initiative),
        "distances": pairs,
        "elevation": dict(scene.elevation),
        "surprised": list(scene.surprised),
        "hazards": list(scene.hazards),
        "difficulties": {f"{name}.test": figure for name, figure in scene.difficulties.items()},
        "modifiers": dict(scene.modifiers),
    }
