"""The state of a fight (catalogue 6.2): immutable values, changed by events alone (``changes``)."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from rulesets.core.declarations import fold
from rulesets.core.reading import Path, Reading
from rulesets.core.records import dataclass
from rulesets.core.ruleset import CharacterSetup, Setup
from rulesets.core.state import changed
from rulesets.hielo_y_fuego import scene as scenes
from rulesets.hielo_y_fuego.clauses import read_clauses
from rulesets.hielo_y_fuego.options import ORDER, Options, read_options
from rulesets.hielo_y_fuego.rows import Tables, Weapon
from rulesets.hielo_y_fuego.scene import ADJACENT, Pair, Scene, pair_of, read_scene
from rulesets.hielo_y_fuego.sheet import Arsenal, Sheet, as_listed, read_sheet

# Conditions that are kept as such; ``grabbed`` and ``pinned`` follow from who holds whom.
FATES: Final = ("spared", "captured", "maimed")
KEPT: Final = (
    "prone",
    "helpless",
    "stunned",
    "unconscious",
    "unaware",
    "surprised",
    "distracted",
    "harassed",
    "aiming",
    "passed",
    "cautious",
    "reckless",
    "dodging",
    "sprinted",
    "drew_moving",
    "counterattacking",
    "staggered",
    "exposed",
    "mount_uncontrolled",
    "yielded",
    "dishonoured",
    "defeated",
    *FATES,
    "dead",
)
DERIVED: Final = ("grabbed", "pinned")
CONDITIONS: Final = (*KEPT, *DERIVED)
OUT: Final = frozenset({"dead", "defeated", "captured"})
STATE: Final = (
    "health",
    "injuries",
    "wounds",
    "destiny_points",
    "conditions",
    "in_hand",
    "mounted",
    "grabbing",
    "pinning",
    "unloaded",
    "armor_rating",
)
# Of 6.1 and 6.2: what may be compared, but not set.
READ_ONLY: Final = ("combat_defense", "movement", "bulk", "health_max")


def _is_named(weapon: Weapon, name: str) -> bool:
    return weapon.name == name


@dataclass(frozen=True, slots=True)
class Help:
    """Help that waits for its test (HF-OTH-01)."""

    helper: str
    test: str
    bonus: int


@dataclass(frozen=True)  # no slots: ``changed`` copies its dict
class Character:
    """One character as it stands.

    Attributes:
        index: Place in the cast, from 0.
        conditions: Those of ``KEPT`` only; ``conditions_of`` gives all.
        weapons: Owned, in the order of the sheet.
        in_hand: Names of weapons, in the order that decides which comes first.
        dropped: Names of weapons on the ground and how many metres away.
        lowered: Weapons that defend no more until the next turn (HF-ATK-07).
        worn: What is gone for good of a weapon's Defensive rating (HF-QUA-06).
        armor_rating: As worn down.
        held_by: Who holds him; ``pinned`` where he is pinned as well.
        dodged: Total of the dodge that stands for the defence, while ``dodging``.
        stunned_until, unconscious_until: Round in which it passes by itself; 0 for never.
        harassers: Who has him harassed.
        helps: Help waiting for his tests.
        may_interrupt: His last turn was a Pass (HF-ADV-01).
        counter_weapon, counter_target: The counterattack held in reserve.
    """

    name: str
    side: str
    npc: bool
    index: int
    sheet: Sheet
    health: int
    injuries: int = 0
    wounds: int = 0
    destiny_points: int = 0
    conditions: frozenset[str] = frozenset()
    weapons: tuple[Weapon, ...] = ()
    in_hand: tuple[str, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    broken: tuple[str, ...] = ()
    lowered: tuple[str, ...] = ()
    worn: Mapping[str, int] = field(default_factory=dict)
    unloaded: tuple[str, ...] = ()
    armor_rating: int = 0
    mounted: bool = False
    grabbing: str = ""
    held_by: str = ""
    pinned: bool = False
    dodged: int = 0
    stunned_until: int = 0
    unconscious_until: int = 0
    harassers: tuple[str, ...] = ()
    helps: tuple[Help, ...] = ()
    may_interrupt: bool = False
    counter_weapon: str = ""
    counter_target: str = ""

    @property
    def out(self) -> bool:
        """Whether it is out of the fight: dead, defeated or captured (HF-ACT-06)."""
        return not OUT.isdisjoint(self.conditions)

    @property
    def senseless(self) -> bool:
        """Whether it cannot act now."""
        return "unconscious" in self.conditions or not OUT.isdisjoint(self.conditions)

    @property
    def helpless(self) -> bool:
        """Pinned, unconscious, or so ruled (HF-DMG-11)."""
        return self.pinned or bool(self.conditions & {"unconscious", "helpless"})

    @property
    def held_weapons(self) -> tuple[Weapon, ...]:
        """Weapons in hand, in order."""
        names, weapons = self.in_hand, self.weapons
        if len(names) == len(weapons) and all(map(_is_named, weapons, names)):
            return weapons  # as most of the time: everything in hand, in the sheet's order
        by_name = {weapon.name: weapon for weapon in weapons}
        return tuple([by_name[name] for name in names])

    def owned(self, name: str) -> Weapon:
        """A weapon by its name."""
        return next(weapon for weapon in self.weapons if weapon.name == name)


@dataclass(frozen=True)  # no slots: ``changed`` copies its dict
class Fight:
    """A fight before, in or after a round.

    Attributes:
        cast: Characters by name, in the order of the cast.
        names: Folded names to names.
        riders: Mounts that are ridden, to who sits on them.
        initiative: Total of each who has one.
        order: Who acts before whom, ties settled; mounts are not in it.
        distances: Metres of the pairs that are not adjacent.
        rulings: ``NAME.purpose`` or ``NAME.purpose#n`` to a game master's modifier of this round.
        setup: What it was set up from, as plain data; ``dump`` writes it out again.
    """

    tables: Tables
    options: Options
    scene: Scene
    cast: Mapping[str, Character]
    names: Mapping[str, str]
    setup: Mapping[str, Any]
    riders: Mapping[str, str] = field(default_factory=dict)
    round: int = 0
    initiative: Mapping[str, int] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    distances: Mapping[Pair, int] = field(default_factory=dict)
    rulings: Mapping[str, int] = field(default_factory=dict)

    def find(self, word: str) -> str:
        """The character that a written name means, or an empty string."""
        if word in self.cast:
            return word
        return self.names.get(fold(word), "")

    def distance(self, one: str, other: str) -> int:
        """Metres between two characters; a mount that is ridden is where its rider is."""
        if not self.distances:
            return ADJACENT
        one, other = self.riders.get(one, one), self.riders.get(other, other)
        return self.distances.get(pair_of(one, other), ADJACENT)

    def mount_of(self, who: Character) -> Character | None:
        """The mount that carries him, or None."""
        return self.cast.get(who.sheet.mount) if who.mounted else None


def put(fight: Fight, name: str, **fields: object) -> Fight:
    """The fight with one character changed."""
    cast = dict(fight.cast)
    cast[name] = changed(cast[name], **fields)
    return changed(fight, cast=cast)


def riders_of(cast: Mapping[str, Character]) -> dict[str, str]:
    """Mounts that are ridden, to who sits on them."""
    return {
        who.sheet.mount: who.name
        for who in cast.values()
        if who.mounted and who.sheet.mount in cast
    }


def conditions_of(who: Character) -> tuple[str, ...]:
    """All conditions of catalogue section 9 that hold, sorted."""
    found = set(who.conditions)
    if who.held_by:
        found.add("grabbed")
    if who.pinned:
        found.add("pinned")
    return tuple(sorted(found))


# ------------------------------------------------------------------ setting up


def new_fight(setup: Setup, tables: Tables) -> Fight:
    """A fight before its first round.

    Raises:
        SetupError: all that is wrong with options, scene, sheets and states.
    """
    reading = Reading()
    options = read_options(reading, setup.options)
    if options.default_damage_order:
        clauses = tuple(options.default_damage_order.split("|"))
        wrong = read_clauses(clauses, tables)
        if isinstance(wrong, str):
            reading.problem(("options", ORDER), "unknown_name", wrong)
    names = tuple(character.name for character in setup.cast)
    folded: dict[str, str] = {}
    for name in names:
        if folded.setdefault(fold(name), name) != name or names.count(name) > 1 or not fold(name):
            reading.problem(("cast", name), "out_of_range", name)
    scene, distances = read_scene(reading, setup.scene, names, tables)
    cast = {
        character.name: _character(reading, character, index, tables)
        for index, character in enumerate(setup.cast)
    }
    _hold(reading, cast, setup)
    _check_mounts(reading, cast)
    reading.finish()
    return Fight(
        tables=tables,
        options=options,
        scene=scene,
        cast=cast,
        names=folded,
        setup=_plain_setup(setup),
        riders=riders_of(cast),
        distances=distances,
    )


def _character(reading: Reading, setup: CharacterSetup, index: int, tables: Tables) -> Character:
    sheet = read_sheet(reading, setup.sheet, (setup.name, "sheet"), tables)
    path: Path = (setup.name, "state")
    row = reading.mapping(setup.state, path)
    reading.known(row, STATE, path)
    owned = [weapon.name for weapon in sheet.weapons]
    in_hand = owned if row.get("in_hand") is None else _owned(reading, row, "in_hand", path, sheet)
    conditions = frozenset(reading.names(row, "conditions", path, CONDITIONS))
    endurance = sheet.ranks["endurance"]
    points = sheet.destiny_points
    return Character(
        name=setup.name,
        side=setup.side,
        npc=setup.npc,
        index=index,
        sheet=sheet,
        health=reading.integer(row, "health", path, sheet.health_max, (0, sheet.health_max)),
        injuries=reading.integer(row, "injuries", path, 0, (0, endurance)),
        wounds=reading.integer(row, "wounds", path, 0, (0, endurance)),
        destiny_points=reading.integer(row, "destiny_points", path, points, (0, 100)),
        conditions=conditions & frozenset(KEPT),
        weapons=sheet.weapons,
        in_hand=tuple(in_hand),
        unloaded=tuple(_owned(reading, row, "unloaded", path, sheet)),
        armor_rating=reading.integer(row, "armor_rating", path, sheet.armor_rating, (0, 100)),
        mounted=reading.flag(row, "mounted", path, default=False),
        may_interrupt="passed" in conditions,
    )


def _owned(
    reading: Reading, row: Mapping[str, object], key: str, path: Path, sheet: Sheet
) -> list[str]:
    """Names of weapons on the sheet, as it says them."""
    found = []
    for index, word in enumerate(reading.names(row, key, path)):
        name = next((w.name for w in sheet.weapons if fold(word) in w.names), None)
        if name is None:
            known = [weapon.name for weapon in sheet.weapons]
            reading.problem((*path, key, index), "unknown_name", word, "", known)
        else:
            found.append(name)
    return found


def _hold(reading: Reading, cast: dict[str, Character], setup: Setup) -> None:
    """Holds are of two: ``grabbing`` and ``pinning`` say who is held (catalogue 6.2)."""
    for character in setup.cast:
        state = character.state if isinstance(character.state, Mapping) else {}
        for key in ("grabbing", "pinning"):
            other = state.get(key)
            if not other:
                continue
            name = str(other)
            if name not in cast or name == character.name or cast[name].held_by:
                path = (character.name, "state", key)
                reading.problem(path, "unknown_name", name, "", cast)
                continue
            holder = cast[character.name]
            cast[character.name] = changed(holder, grabbing=name)
            held = cast[name]
            cast[name] = changed(held, held_by=character.name, pinned=key == "pinning")


def _check_mounts(reading: Reading, cast: Mapping[str, Character]) -> None:
    ridden: set[str] = set()
    for name, who in cast.items():
        mount = who.sheet.mount
        known = cast.get(mount)
        if mount and (known is None or not known.sheet.is_mount or mount == name):
            mounts = [other for other, beast in cast.items() if beast.sheet.is_mount]
            reading.problem((name, "sheet", "mount"), "unknown_name", mount, "", mounts)
        if who.mounted and (not mount or mount in ridden):
            reading.problem((name, "state", "mounted"), "out_of_range", mount or None)
        if who.mounted:
            ridden.add(mount)


# ------------------------------------------------------------------ writing and reading back


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _plain_setup(setup: Setup) -> dict[str, Any]:
    return {
        "cast": [
            {"name": c.name, "side": c.side, "npc": c.npc, "sheet": _plain(c.sheet)}
            for c in setup.cast
        ],
        "options": _plain(setup.options),
    }


_PLAIN_FIELDS: Final = (
    "health",
    "injuries",
    "wounds",
    "destiny_points",
    "armor_rating",
    "mounted",
    "grabbing",
    "held_by",
    "pinned",
    "dodged",
    "stunned_until",
    "unconscious_until",
    "may_interrupt",
    "counter_weapon",
    "counter_target",
)
_TUPLE_FIELDS: Final = ("in_hand", "broken", "lowered", "unloaded", "harassers")
_MAP_FIELDS: Final = ("dropped", "worn")


def dump(fight: Fight) -> dict[str, Any]:
    """The fight as plain JSON data; tables are not in it."""
    return {
        "setup": fight.setup,
        "scene": scenes.as_plain(fight.scene, fight.distances),
        "round": fight.round,
        "initiative": dict(fight.initiative),
        "order": list(fight.order),
        "rulings": dict(fight.rulings),
        "states": {name: _dump_character(who) for name, who in fight.cast.items()},
    }


def _dump_character(who: Character) -> dict[str, Any]:
    data: dict[str, Any] = {name: getattr(who, name) for name in _PLAIN_FIELDS}
    data.update({name: list(getattr(who, name)) for name in _TUPLE_FIELDS})
    data.update({name: dict(getattr(who, name)) for name in _MAP_FIELDS})
    data["conditions"] = sorted(who.conditions)
    data["helps"] = [[h.helper, h.test, h.bonus] for h in who.helps]
    if who.weapons != who.sheet.weapons:
        data["weapons"] = [as_listed(weapon) for weapon in who.weapons]
    return data


def load(data: Mapping[str, Any], tables: Tables) -> Fight:
    """The fight that ``dump`` wrote.

    Raises:
        SetupError: the tables have changed so that it cannot be read any more.
    """
    reading = Reading()
    setup = Setup(
        cast=tuple(
            CharacterSetup(c["name"], c["side"], npc=c["npc"], sheet=c["sheet"])
            for c in data["setup"]["cast"]
        ),
        options=data["setup"]["options"],
    )
    blank = new_fight(setup, tables)
    scene, distances = read_scene(reading, data["scene"], tuple(blank.cast), tables)
    arsenal = Arsenal(reading, tables)
    cast = {
        name: _load_character(who, data["states"][name], arsenal)
        for name, who in blank.cast.items()
    }
    reading.finish()
    return changed(
        blank,
        scene=scene,
        cast=cast,
        riders=riders_of(cast),
        round=data["round"],
        initiative=dict(data["initiative"]),
        order=tuple(data["order"]),
        distances=distances,
        rulings=dict(data["rulings"]),
    )


def _load_character(who: Character, data: Mapping[str, Any], arsenal: Arsenal) -> Character:
    values: dict[str, Any] = {name: data[name] for name in _PLAIN_FIELDS}
    values.update({name: tuple(data[name]) for name in _TUPLE_FIELDS})
    values.update({name: dict(data[name]) for name in _MAP_FIELDS})
    if "weapons" in data:
        values["weapons"] = arsenal.weapons(data["weapons"], (who.name, "weapons"))
    return changed(
        who,
        conditions=frozenset(data["conditions"]),
        helps=tuple(Help(*each) for each in data["helps"]),
        **values,
    )
