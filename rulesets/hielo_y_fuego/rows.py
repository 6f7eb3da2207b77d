"""The tables of catalogue section 12 as typed rows.

``read_tables`` gets parsed YAML (with the game master's rows laid over it) and says all that is
wrong with it at once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from typing import Final

from rulesets.core.declarations import fold
from rulesets.core.reading import Path, Reading
from rulesets.core.records import dataclass

ABILITIES: Final = (
    "agility",
    "animal_handling",
    "athletics",
    "awareness",
    "cunning",
    "deception",
    "endurance",
    "fighting",
    "healing",
    "knowledge",
    "language",
    "marksmanship",
    "persuasion",
    "status",
    "stealth",
    "survival",
    "thievery",
    "warfare",
    "will",
)
DAMAGE_ABILITIES: Final = ("athletics", "agility", "animal_handling")
# Qualities of weapons (HF-QUA). The figure of those that have none is 1.
QUALITIES: Final = (
    "adaptable",
    "bulk",
    "close_range",
    "defensive",
    "entangling",
    "fast",
    "fragile",
    "grab",
    "impale",
    "long",
    "long_range",
    "mounted",
    "off_hand",
    "piercing",
    "powerful",
    "set_for_charge",
    "shattering",
    "slow",
    "staggering",
    "two_handed",
    "unwieldy",
    "vicious",
)
RELOADS: Final = ("none", "minor", "major")
CRAFTS: Final = ("poor", "common", "superior", "extraordinary")
RANGES: Final = ("none", "short", "long")
IMPOSED: Final = ("none", "injury", "wound")
FUMBLED: Final = ("hit_self", "break", "drop", "expose", "nothing")
# Words of the clauses of standing orders, by group.
CLAUSE_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "choice": ("accept", "injury", "wound"),
    "joint": ("when", "also", "deadly"),
    "condition": ("falls", "stands", "falls_with_injury", "stands_with_injury", "always"),
    "quantity": ("damage", "health", "left", "injuries", "wounds"),
    "fate": ("spare", "capture", "unconscious", "maim", "kill"),
    "destiny": ("spend",),
}
FIST: Final = "fist"
GAUNTLET: Final = "gauntlet"

WEAPON_COLUMNS: Final = ("specialty", "training", "ability", "number", "qualities", "reload")
_PROVENANCE: Final = ("rule", "source")


@dataclass(frozen=True)  # no slots: what follows from the row is kept beside it
class Weapon:
    """A row of table 12.1, or what a sheet makes of one.

    Attributes:
        id: Of the table's row that it comes from, or empty.
        name: As the sheet says it; events and states name it so.
        names: Folded words that mean it.
        training: Bonus dice of the specialty that it takes (HF-QUA-15).
        ability: Of its base damage, to which ``number`` is added (HF-DER-04).
        qualities: Quality to its figure.
        reload: What loading costs: ``minor``, ``major`` or ``none`` (HF-QUA-11).
        skill: ``fighting`` or ``marksmanship``, as its specialty says.
        missile: Whether it shoots or is thrown.
        shield: Whether it is a shield.
        bare: Whether it is the hand itself, which is never lost and takes no hand.
    """

    id: str
    name: str
    names: tuple[str, ...]
    specialty: str
    training: int
    ability: str
    number: int
    qualities: Mapping[str, int]
    reload: str = "none"
    craft: str = "common"
    skill: str = "fighting"

    def __post_init__(self) -> None:
        """Take over what is asked for all the time."""
        put = self.__dict__
        put["missile"] = self.skill == "marksmanship"
        put["shield"] = self.specialty == "shields"
        put["bare"] = self.id in (FIST, GAUNTLET)
        put["reach"] = 3 if self.has("long") else 1
        put["span"] = 100 if self.has("long_range") else 10

    missile: bool = field(init=False, default=False, compare=False)
    shield: bool = field(init=False, default=False, compare=False)
    bare: bool = field(init=False, default=False, compare=False)
    reach: int = field(init=False, default=1, compare=False)
    span: int = field(init=False, default=10, compare=False)

    def has(self, quality: str) -> bool:
        """Whether it has a quality."""
        return self.qualities.get(quality, 0) > 0

    def figure(self, quality: str) -> int:
        """The figure of a quality; 0 where it has not got it."""
        return self.qualities.get(quality, 0)


@dataclass(frozen=True, slots=True)
class Armour:
    """A row of table 12.3; the penalty is a number to take away."""

    id: str
    names: tuple[str, ...]
    rating: int
    penalty: int
    bulk: int


@dataclass(frozen=True, slots=True)
class CriticalRow:
    """What a number of sixes does to a critical hit (table 12.4)."""

    id: str
    sixes: int
    base: int
    imposes: str
    kills: bool
    asks: bool


@dataclass(frozen=True, slots=True)
class FumbleRow:
    """What a number of ones does (table 12.5)."""

    id: str
    ones: int
    what: str


@dataclass(frozen=True, slots=True)
class MountRow:
    """A kind of mount (table 12.7): what its sheet starts from."""

    id: str
    figures: Mapping[str, int]
    war_trained: bool


@dataclass(frozen=True, slots=True)
class Tables:
    """All tables.

    Attributes:
        weapon_names, armour_names: Folded words to ids.
        weapon_words: What a sheet may call a weapon, as the table writes it.
        specialties: Specialty to its ability.
        degrees: Least margin and degrees, the highest margin first.
        criticals, fumbles: By their number, the least first.
        difficulties: Folded names to figures.
        clauses: Group to folded words to ids, the longest word first.
    """

    weapons: Mapping[str, Weapon]
    weapon_names: Mapping[str, str]
    weapon_words: tuple[str, ...]
    armour: Mapping[str, Armour]
    armour_names: Mapping[str, str]
    specialties: Mapping[str, str]
    degrees: tuple[tuple[int, int], ...]
    criticals: tuple[CriticalRow, ...]
    fumbles: tuple[FumbleRow, ...]
    difficulties: Mapping[str, int]
    mounts: Mapping[str, MountRow]
    clauses: Mapping[str, Mapping[str, str]]

    @property
    def fist(self) -> Weapon:
        """The weapon that everybody always has."""
        return self.weapons[FIST]

    def degrees_at(self, margin: int) -> int:
        """Degrees of success for a margin of 0 or more (HF-TST-06)."""
        return next(degrees for least, degrees in self.degrees if margin >= least)

    def critical_at(self, sixes: int) -> CriticalRow:
        """The row of table 12.4 for a number of sixes."""
        return next(row for row in reversed(self.criticals) if sixes >= row.sixes)

    def fumble_at(self, ones: int, milder: int = 0) -> FumbleRow:
        """The row of table 12.5 for a number of ones, or ``milder`` rows below it."""
        index = max(i for i, row in enumerate(self.fumbles) if ones >= row.ones)
        return self.fumbles[min(index + milder, len(self.fumbles) - 1)]

    def difficulty(self, word: str) -> int | None:
        """The figure of a difficulty, given by name or as a number; None for neither."""
        text = word.strip()
        if text.isascii() and text.isdigit() and len(text) < 4:
            return int(text)
        return self.difficulties.get(fold(text))


def read_tables(raw: Mapping[str, object]) -> Tables:
    """Typed tables from parsed YAML, by file stem.

    Raises:
        SetupError: all that is wrong with them.
    """
    reading = Reading()
    reader = _Reader(reading, raw)
    specialties = reader.specialties()
    weapons, weapon_names = reader.weapons(specialties)
    armour, armour_names = reader.armour()
    tables = Tables(
        weapons=weapons,
        weapon_names=weapon_names,
        weapon_words=reader.weapon_words,
        armour=armour,
        armour_names=armour_names,
        specialties=specialties,
        degrees=reader.degrees(),
        criticals=reader.criticals(),
        fumbles=reader.fumbles(),
        difficulties=reader.difficulties(),
        mounts=reader.mounts(),
        clauses=reader.clauses(),
    )
    reading.finish()
    return tables


def read_weapon(
    reading: Reading,
    row: Mapping[str, object],
    path: Path,
    specialties: Mapping[str, str],
    named: tuple[str, str, tuple[str, ...]],
) -> Weapon:
    """A weapon from a table row or from a sheet's map; ``named`` is its id, name and words."""
    specialty = reading.choice(row, "specialty", path, tuple(specialties))
    qualities = reading.mapping(row.get("qualities"), (*path, "qualities"))
    reading.known(qualities, QUALITIES, (*path, "qualities"))
    figures = {
        quality: 1
        if qualities[quality] is True
        else reading.integer(qualities, quality, (*path, "qualities"), 1, (0, 20))
        for quality in qualities
    }
    return Weapon(
        id=named[0],
        name=named[1],
        names=named[2],
        specialty=specialty,
        training=reading.integer(row, "training", path, 0, (0, 10)),
        ability=reading.choice(row, "ability", path, DAMAGE_ABILITIES),
        number=reading.integer(row, "number", path, 0, (-20, 20)),
        qualities=figures,
        reload=reading.choice(row, "reload", path, RELOADS, "none"),
        craft=reading.choice(row, "craft", path, CRAFTS, "common"),
        skill="marksmanship" if specialties.get(specialty) == "marksmanship" else "fighting",
    )


@dataclass(slots=True)
class _Reader:
    """Goes through the parsed files."""

    reading: Reading
    raw: Mapping[str, object]
    weapon_words: tuple[str, ...] = ()

    def rows(self, stem: str, columns: Sequence[str]) -> list[tuple[str, Mapping[str, object]]]:
        """The rows of a table, with known columns only."""
        table = self.raw.get(stem)
        if not table:
            self.reading.problem((stem,), "missing")
        found = []
        for name, value in self.reading.mapping(table, (stem,)).items():
            row = self.reading.mapping(value, (stem, name))
            self.reading.known(row, (*columns, *_PROVENANCE), (stem, name))
            found.append((name, row))
        return found

    def words(self, name: str, row: Mapping[str, object], stem: str) -> tuple[str, ...]:
        """Names of a row, as written."""
        return self.reading.names(row, "names", (stem, name))

    def specialties(self) -> dict[str, str]:
        """Ability of each specialty."""
        return {
            name: self.reading.choice(row, "ability", ("specialties", name), ABILITIES)
            for name, row in self.rows("specialties", ("ability",))
        }

    def weapons(self, specialties: Mapping[str, str]) -> tuple[dict[str, Weapon], dict[str, str]]:
        """Table 12.1 by id, and the words that mean each."""
        found: dict[str, Weapon] = {}
        named: dict[str, str] = {}
        for name, row in self.rows("weapons", ("names", *WEAPON_COLUMNS)):
            words = self.words(name, row, "weapons")
            folded = tuple(dict.fromkeys(map(fold, (*words, name))))
            known = (name, words[0] if words else name, folded)
            self.weapon_words += words or (name,)
            found[name] = read_weapon(self.reading, row, ("weapons", name), specialties, known)
            for word in folded:
                if named.setdefault(word, name) != name:
                    self.reading.problem(("weapons", name, "names"), "out_of_range", word)
        if FIST not in found:
            self.reading.problem(("weapons", FIST), "missing")
        return found, named

    def armour(self) -> tuple[dict[str, Armour], dict[str, str]]:
        """Table 12.3 by id, and the words that mean each."""
        found, named = {}, {}
        for name, row in self.rows("armour", ("names", "rating", "penalty", "bulk")):
            path = ("armour", name)
            words = self.words(name, row, "armour")
            found[name] = Armour(
                id=name,
                names=words,
                rating=self.reading.integer(row, "rating", path, None, (0, 100)),
                penalty=self.reading.integer(row, "penalty", path, None, (0, 100)),
                bulk=self.reading.integer(row, "bulk", path, None, (0, 100)),
            )
            for word in map(fold, (*words, name)):
                named[word] = name
        return found, named

    def degrees(self) -> tuple[tuple[int, int], ...]:
        """Table 12.6, the highest margin first."""
        steps = []
        for name, row in self.rows("degrees", ("margin", "degrees")):
            path = ("degrees", name)
            margin = self.reading.integer(row, "margin", path, None, (0, 100))
            steps.append((margin, self.reading.integer(row, "degrees", path, None, (1, 100))))
        self.begins(sorted(margin for margin, _ in steps), ("degrees",), 0)
        return tuple(sorted(steps, reverse=True)) or ((0, 1),)

    def begins(self, figures: Sequence[int], path: Path, first: int) -> None:
        """A table by steps begins with its first figure, and no step stands twice."""
        if figures and figures[0] != first:
            self.reading.problem(path, "out_of_range", figures[0], str(first))
        for one, other in pairwise(figures):
            if one == other:
                self.reading.problem(path, "out_of_range", one)

    def criticals(self) -> tuple[CriticalRow, ...]:
        """Table 12.4, the fewest sixes first."""
        rows = []
        for name, row in self.rows("criticals", ("sixes", "base", "imposes", "kills", "asks")):
            path = ("criticals", name)
            rows.append(
                CriticalRow(
                    id=name,
                    sixes=self.reading.integer(row, "sixes", path, None, (0, 100)),
                    base=self.reading.integer(row, "base", path, 0, (0, 100)),
                    imposes=self.reading.choice(row, "imposes", path, IMPOSED, "none"),
                    kills=self.reading.flag(row, "kills", path, default=False),
                    asks=self.reading.flag(row, "asks", path, default=False),
                )
            )
        rows.sort(key=lambda row: row.sixes)
        self.begins([row.sixes for row in rows], ("criticals",), 0)
        return tuple(rows)

    def fumbles(self) -> tuple[FumbleRow, ...]:
        """Table 12.5, the fewest ones (the worst) first."""
        rows = []
        for name, row in self.rows("fumbles", ("ones", "what")):
            path = ("fumbles", name)
            ones = self.reading.integer(row, "ones", path, None, (1, 100))
            rows.append(FumbleRow(name, ones, self.reading.choice(row, "what", path, FUMBLED)))
        rows.sort(key=lambda row: row.ones)
        self.begins([row.ones for row in rows], ("fumbles",), 1)
        return tuple(rows)

    def difficulties(self) -> dict[str, int]:
        """Figures of the named difficulties (HF-TST-10), by folded word."""
        found = {}
        for name, row in self.rows("difficulties", ("value", "names")):
            value = self.reading.integer(row, "value", ("difficulties", name), None, (0, 999))
            for word in (name, name.replace("_", " "), *self.words(name, row, "difficulties")):
                found[fold(word)] = value
        return found

    def mounts(self) -> dict[str, MountRow]:
        """Table 12.7 by folded word."""
        columns = ("athletics", "agility", "endurance", "awareness", "movement")
        found = {}
        for name, row in self.rows("mounts", ("names", *columns, "war_trained")):
            path = ("mounts", name)
            figures = {
                column: self.reading.integer(row, column, path, None, (1, 100))
                for column in columns
            }
            trained = self.reading.flag(row, "war_trained", path, default=False)
            for word in (name, *self.words(name, row, "mounts")):
                found[fold(word)] = MountRow(name, figures, trained)
        return found

    def clauses(self) -> dict[str, dict[str, str]]:
        """Words of the clauses of standing orders, by group, the longest first."""
        table = self.reading.mapping(self.raw.get("clauses"), ("clauses",))
        self.reading.known(table, CLAUSE_WORDS, ("clauses",))
        found = {}
        for group, ids in CLAUSE_WORDS.items():
            path = ("clauses", group)
            row = self.reading.mapping(table.get(group), path)
            self.reading.known(row, ids, path)
            words: dict[str, str] = {}
            for name in ids:
                for word in self.reading.names(row, name, path):
                    if words.setdefault(fold(word), name) != name:
                        self.reading.problem((*path, name), "out_of_range", word)
                if name not in words.values():
                    self.reading.problem((*path, name), "missing")
            found[group] = dict(sorted(words.items(), key=lambda pair: -len(pair[0])))
        return found
