"""The state of a fight (catalogue 8.2): immutable values, changed by events alone (``changes``)."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from rulesets.ars_magica.options import CHOICES, SPANS, Options
from rulesets.ars_magica.rows import (
    BLEEDING,
    BRUISES,
    COVERS,
    GAITS,
    LEVELS,
    PACES,
    Armour,
    Shield,
    Tables,
    Weapon,
    weapon_row,
)
from rulesets.ars_magica.scene import EVERYBODY, Scene, as_plain, read_scene
from rulesets.ars_magica.sheet import Sheet, read_sheet, weapon_of
from rulesets.core.declarations import fold
from rulesets.core.options import read_options
from rulesets.core.reading import Path, Reading
from rulesets.core.records import dataclass
from rulesets.core.ruleset import CharacterSetup, Setup
from rulesets.core.state import changed

CONDITIONS: Final = (
    "stunned",
    "blocked",
    "prone",
    "grappled",
    "pinned",
    "pinned_under_mount",
    "incapacitated",
    "unconscious",
    "coma",
    "dead",
    "bound",
    "paralysed",
    "unaware",
    "berserk",
    "panicked",
)
OUT: Final = frozenset({"dead", "incapacitated", "unconscious", "coma"})
HELPLESS: Final = frozenset(
    {"incapacitated", "unconscious", "coma", "pinned", "bound", "paralysed", "blocked"}
)
TIMED: Final = ("blocked", "stunned")
DELAYED: Final = ("regular", "quick", "both")
STATE: Final = (
    "wounds",
    "bruises",
    "fatigue",
    "penalty",
    "conditions",
    "durations",
    "position",
    "engaged",
    "missile_engaged",
    "attacked_by",
    "disengage_bonus",
    "first_strike",
    "delayed",
    "extended",
    "loaded",
    "ready",
    "ammo",
    "wielded",
    "shield",
    "armor",
    "mounted_on",
    "ridden_by",
    "pace",
    "max_gait",
    "movement_limit",
    "bleeding",
    "cover",
    "overcome_by",
    "counter_bonus",
    "grappled_by",
    "pinned_by",
    "exposure",
)


@dataclass(frozen=True, slots=True)
class Extended:
    """An extended action under way: rounds completed and to be completed.

    Attributes:
        ease: Ease factor of its own against distractions; 0 for the usual ones.
        ward: Whom a defender defends.
    """

    action: str
    done: int = 0
    of: int = 1
    ease: int = 0
    ward: str = ""
    weapon: str = ""

    @property
    def ends_next(self) -> bool:
        """Whether the start of his next turn completes it, never before (AM-RND-07, AM-RND-09)."""
        return self.done + 1 >= self.of


@dataclass(frozen=True, slots=True)
class Bleeding:
    """A bleeding with the rounds that have counted; ``fresh`` in the round in which it began."""

    level: str
    rounds: int = 0
    fresh: bool = False


@dataclass(frozen=True)  # no slots: ``changed`` copies its dict
class Character:
    """One character as it stands: the catalogue's state ids and a few besides.

    Attributes:
        index: Place in the cast, from 0.
        weapons: Owned, in hand or at the belt.
        dropped: Ids of what he has let fall: weapons and shield.
        weapon: What is in hand, by id; empty for bare hands.
        exertion: What he has exerted himself for since his last turn.
        barrier: Whom he keeps at bay until his next turn, with which total.
        pressed: Enemies that he has attacked and is engaged with (AM-DEF-08).
        seen: Whom he has made out in the dark (AM-SIT-09).
        tried: Has tried to disengage in this turn, so that the bonus stays.
    """

    name: str
    side: str
    npc: bool
    index: int
    sheet: Sheet
    wounds: Mapping[str, int] = field(default_factory=dict)
    bruises: Mapping[str, int] = field(default_factory=dict)
    fatigue: int = 0
    penalty: int = 0
    conditions: frozenset[str] = frozenset()
    durations: Mapping[str, int] = field(default_factory=dict)
    position: int | None = None
    engaged: tuple[str, ...] = ()
    missile_engaged: tuple[str, ...] = ()
    attacked_by: tuple[str, ...] = ()
    disengage_bonus: int = 0
    first_strike: bool = False
    delayed: str = ""
    extended: Extended | None = None
    loaded: bool = False
    ready: bool = False
    ammo: int | None = None
    weapons: tuple[Weapon, ...] = ()
    dropped: tuple[str, ...] = ()
    wielded: str = ""
    shield: Shield | None = None
    armor: Armour | None = None
    mounted_on: str = ""
    ridden_by: str = ""
    pace: str = ""
    max_gait: str = ""
    movement_limit: int = 0
    bleeding: tuple[Bleeding, ...] = ()
    cover: str = ""
    overcome_by: tuple[str, ...] = ()
    counter_bonus: Mapping[str, int] = field(default_factory=dict)
    grappled_by: str = ""
    pinned_by: str = ""
    exposure: Mapping[str, int] = field(default_factory=dict)
    exertion: str = ""
    barrier: tuple[str, int] | None = None
    pressed: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    tried: bool = False

    @property
    def out(self) -> bool:
        """Dead, incapacitated or unconscious: out of the fight until helped."""
        return bool(self.conditions) and not self.conditions.isdisjoint(OUT)

    @property
    def dead(self) -> bool:
        """Whether it is dead."""
        return "dead" in self.conditions

    @property
    def down(self) -> bool:
        """Whether it has fallen: out of the fight or lying (AM-OPP-16)."""
        return "prone" in self.conditions or self.out

    @property
    def can_attack(self) -> bool:
        """Whether it could attack somebody now (AM-DIS-02, AM-DIS-07)."""
        conditions = self.conditions
        return not conditions or (
            "stunned" not in conditions
            and "prone" not in conditions
            and conditions.isdisjoint(OUT)
            and conditions.isdisjoint(HELPLESS)
        )

    def has(self, ability: str) -> bool:
        """Whether he has a score in an ability (AM-DIE-06)."""
        return ability in self.sheet.abilities

    def score(self, ability: str, weapon: str = "") -> int:
        """Score of an ability, with its specialty where that names the weapon (AM-ATK-13)."""
        score = self.sheet.abilities.get(ability, 0)
        if weapon and self.sheet.specialties.get(ability) == weapon:
            return score + 1
        return score

    def owned(self, name: str) -> Weapon | None:
        """A weapon of his, natural ones too, by id."""
        for weapon in (*self.weapons, *self.sheet.natural_weapons):
            if weapon.id == name:
                return weapon
        return None


@dataclass(frozen=True)  # no slots: ``changed`` copies its dict
class Fight:
    """A fight before, in or after a round.

    Attributes:
        cast: Characters by name, in the order of the cast.
        names: Folded names to names.
        initiative: Totals of those who are in the order.
        order: Who acts when, ties broken.
        rulings: ``NAME.purpose`` or ``NAME.purpose#n`` to a game master's modifier of this round.
        ended: Whether the scene has been closed.
        setup: What it was set up from, as plain data; ``dump`` writes it out again.
    """

    tables: Tables
    options: Options
    scene: Scene
    cast: Mapping[str, Character]
    names: Mapping[str, str]
    setup: Mapping[str, Any]
    round: int = 0
    initiative: Mapping[str, int] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    rulings: Mapping[str, int] = field(default_factory=dict)
    ended: bool = False

    def find(self, word: str) -> str:
        """The character that a written name means, or an empty string."""
        if word in self.cast:
            return word
        return self.names.get(fold(word), "")

    def distance(self, one: Character, other: Character) -> int:
        """Paces between two characters; 0 where the scene has no positions."""
        if one.position is None or other.position is None:
            return 0
        return abs(one.position - other.position)

    def is_terrain(self, who: Character, kind: str) -> bool:
        """Whether somebody, or the horse under him, stands on such ground."""
        terrain = self.scene.terrain
        if not terrain:
            return False
        names = (EVERYBODY, who.name, who.mounted_on, who.ridden_by)
        return any(kind in terrain.get(name, ()) for name in names)

    def rank(self, name: str) -> int:
        """Place in the order; a rider's for his mount."""
        who = self.cast[name]
        if who.ridden_by:
            name = who.ridden_by
        return self.order.index(name) if name in self.order else len(self.order)

    def unit(self, name: str) -> str:
        """Under whose name somebody is engaged: a mount under its rider's (AM-MNT-03)."""
        return self.cast[name].ridden_by or name


def put(fight: Fight, name: str, **fields: object) -> Fight:
    """The fight with one character changed."""
    cast = dict(fight.cast)
    cast[name] = changed(cast[name], **fields)
    return changed(fight, cast=cast)


def penalty_of(
    wounds: Mapping[str, int], bruises: Mapping[str, int], fatigue: int, tables: Tables
) -> int:
    """Wounds, bruises and fatigue together: 0 or less (AM-WND-01, AM-FAT-01)."""
    total = tables.fatigue[min(fatigue, len(tables.fatigue) - 1)]
    for level, count in (*wounds.items(), *bruises.items()):
        if level != "fatal":
            total += tables.levels[level].penalty * count
    return total


def state_of(fight: Fight, name: str) -> dict[str, Any]:
    """Every state id of catalogue 8.2 with its value, as plain data."""
    who = fight.cast[name]
    extended = who.extended
    return {
        "wounds": dict(who.wounds),
        "bruises": dict(who.bruises),
        "fatigue": who.fatigue,
        "penalty": who.penalty,
        "conditions": sorted(who.conditions),
        "durations": dict(who.durations),
        "position": who.position,
        "engaged": list(who.engaged),
        "missile_engaged": list(who.missile_engaged),
        "attacked_by": list(who.attacked_by),
        "disengage_bonus": who.disengage_bonus,
        "first_strike": who.first_strike,
        "delayed": who.delayed or None,
        "extended": None
        if extended is None
        else {"action": extended.action, "done": extended.done, "of": extended.of},
        "loaded": who.loaded,
        "ready": who.ready,
        "ammo": who.ammo,
        "wielded": who.wielded or None,
        "shield": None if who.shield is None else who.shield.id,
        "armor": None if who.armor is None else who.armor.id,
        "mounted_on": who.mounted_on or None,
        "ridden_by": who.ridden_by or None,
        "pace": who.pace or None,
        "max_gait": who.max_gait or None,
        "movement_limit": who.movement_limit,
        "bleeding": [{"level": b.level, "rounds": b.rounds} for b in who.bleeding],
        "cover": who.cover or None,
        "overcome_by": list(who.overcome_by),
        "counter_bonus": dict(who.counter_bonus),
        "grappled_by": who.grappled_by or None,
        "pinned_by": who.pinned_by or None,
        "exposure": dict(who.exposure),
    }


# ------------------------------------------------------------------ setting up


def new_fight(setup: Setup, tables: Tables) -> Fight:
    """A fight before its first round.

    Raises:
        SetupError: all that is wrong with options, scene, sheets and states.
    """
    reading = Reading()
    options = read_options(reading, setup.options, Options, CHOICES, SPANS)
    names = tuple(character.name for character in setup.cast)
    folded: dict[str, str] = {}
    for name in names:
        if folded.setdefault(fold(name), name) != name or names.count(name) > 1 or not fold(name):
            reading.problem(("cast", name), "out_of_range", name)
    scene = read_scene(reading, setup.scene, names, tables)
    cast = {
        character.name: _character(reading, character, index, tables, names)
        for index, character in enumerate(setup.cast)
    }
    for name, cover in scene.cover.items():
        if name in cast and not cast[name].cover:
            cast[name] = changed(cast[name], cover=cover)
    fight = Fight(
        tables=tables,
        options=options,
        scene=scene,
        cast=_paired(reading, cast),
        names=folded,
        setup=_plain_setup(setup),
    )
    reading.finish()
    return fight


def _character(
    reading: Reading,
    setup: CharacterSetup,
    index: int,
    tables: Tables,
    names: tuple[str, ...],
) -> Character:
    sheet = read_sheet(reading, setup.sheet, (setup.name, "sheet"), tables)
    path: Path = (setup.name, "state")
    row = reading.mapping(setup.state, path)
    reading.known(row, STATE, path)
    state = _State(reading, row, path, names)
    wounds, bruises = state.levels("wounds", LEVELS), state.levels("bruises", BRUISES)
    fatigue = reading.integer(row, "fatigue", path, 0, (0, 5))
    first = sheet.weapons[0].id if sheet.weapons else ""
    wielded = reading.text(row, "wielded", path, "") if "wielded" in row else first
    if wielded and wielded not in {weapon.id for weapon in sheet.weapons}:
        owned = [weapon.id for weapon in sheet.weapons]
        reading.problem((*path, "wielded"), "unknown_name", wielded, "", owned)
    return Character(
        name=setup.name,
        side=setup.side,
        npc=setup.npc,
        index=index,
        sheet=sheet,
        wounds=wounds,
        bruises=bruises,
        fatigue=fatigue,
        penalty=penalty_of(wounds, bruises, fatigue, tables),
        conditions=frozenset(reading.names(row, "conditions", path, CONDITIONS)),
        durations=state.counts("durations", TIMED, 1_000),
        position=state.number("position"),
        engaged=state.people("engaged"),
        missile_engaged=state.people("missile_engaged"),
        attacked_by=state.people("attacked_by"),
        disengage_bonus=reading.integer(row, "disengage_bonus", path, 0, (0, 1_000)),
        first_strike=reading.flag(row, "first_strike", path, default=False),
        delayed=reading.choice(row, "delayed", path, ("", *DELAYED), ""),
        extended=state.extended(),
        loaded=reading.flag(row, "loaded", path, default=False),
        ready=reading.flag(row, "ready", path, default=False),
        ammo=state.number("ammo"),
        weapons=sheet.weapons,
        wielded=wielded,
        shield=state.kept("shield", sheet.shield),
        armor=state.kept("armor", sheet.armor),
        mounted_on=state.person("mounted_on"),
        ridden_by=state.person("ridden_by"),
        pace=reading.choice(row, "pace", path, ("", *PACES, *GAITS), ""),
        max_gait=reading.choice(row, "max_gait", path, ("", *GAITS), ""),
        movement_limit=reading.integer(row, "movement_limit", path, 0, (0, 1_000)),
        bleeding=state.bleeding(),
        cover=reading.choice(row, "cover", path, ("", *COVERS), ""),
        overcome_by=state.people("overcome_by"),
        counter_bonus=state.counts("counter_bonus", names, 100),
        grappled_by=state.person("grappled_by"),
        pinned_by=state.person("pinned_by"),
        exposure=state.counts("exposure", ("heat", "cold"), 10_000),
    )


G = Any


@dataclass(slots=True)
class _State:
    """Reads the state that a character begins with."""

    reading: Reading
    row: Mapping[str, object]
    path: Path
    names: tuple[str, ...]

    def levels(self, key: str, among: tuple[str, ...]) -> dict[str, int]:
        return {level: n for level, n in self.counts(key, among, 1_000).items() if n}

    def counts(self, key: str, among: tuple[str, ...], most: int) -> dict[str, int]:
        path = (*self.path, key)
        table = self.reading.mapping(self.row.get(key), path)
        self.reading.known(table, among, path)
        kept = [name for name in table if name in among]
        return {name: self.reading.integer(table, name, path, 0, (0, most)) for name in kept}

    def number(self, key: str) -> int | None:
        if self.row.get(key) is None:
            return None
        return self.reading.integer(self.row, key, self.path, 0, (-100_000, 100_000))

    def people(self, key: str) -> tuple[str, ...]:
        return tuple(sorted(set(self.reading.names(self.row, key, self.path, self.names))))

    def person(self, key: str) -> str:
        return self.reading.choice(self.row, key, self.path, ("", *self.names), "")

    def kept(self, key: str, worn: G) -> G:
        """What the sheet has, unless the state says that it is gone."""
        if key not in self.row:
            return worn
        if self.row[key] is None:
            return None
        if worn is None or self.row[key] != worn.id:
            expected = "" if worn is None else worn.id
            self.reading.problem((*self.path, key), "unknown_name", self.row[key], expected)
        return worn

    def extended(self) -> Extended | None:
        path = (*self.path, "extended")
        row = self.reading.mapping(self.row.get("extended"), path)
        if not row:
            return None
        self.reading.known(row, ("action", "done", "of", "ease", "ward", "weapon"), path)
        return Extended(
            action=self.reading.text(row, "action", path),
            done=self.reading.integer(row, "done", path, 0, (0, 10_000)),
            of=self.reading.integer(row, "of", path, 1, (1, 10_000)),
            ease=self.reading.integer(row, "ease", path, 0, (0, 1_000)),
            ward=self.reading.text(row, "ward", path, ""),
            weapon=self.reading.text(row, "weapon", path, ""),
        )

    def bleeding(self) -> tuple[Bleeding, ...]:
        found = []
        items = self.reading.sequence(self.row.get("bleeding"), (*self.path, "bleeding"))
        for index, item in enumerate(items):
            path = (*self.path, "bleeding", index)
            row = self.reading.mapping(item, path)
            self.reading.known(row, ("level", "rounds"), path)
            found.append(
                Bleeding(
                    self.reading.choice(row, "level", path, BLEEDING),
                    self.reading.integer(row, "rounds", path, 0, (0, 1_000)),
                )
            )
        return tuple(found)


def _paired(reading: Reading, cast: dict[str, Character]) -> dict[str, Character]:
    """Riders and mounts name each other; whoever is engaged is so on both sides."""
    for name in list(cast):
        _seated(reading, cast, name)
        for key in ("engaged", "missile_engaged"):
            for other in getattr(cast[name], key):
                theirs: tuple[str, ...] = getattr(cast[other], key)
                both = tuple(sorted({*theirs, name}))
                cast[other] = changed(cast[other], **{key: both})
    for name, who in list(cast.items()):
        mount = cast.get(who.mounted_on)
        if mount is None:
            continue
        place = who.position if mount.position is None else mount.position
        cast[name] = changed(who, position=place)
        cast[who.mounted_on] = changed(mount, position=place)
    return cast


def _seated(reading: Reading, cast: dict[str, Character], name: str) -> None:
    """What one says of its rider or mount, said of the other too."""
    who = cast[name]
    for key, other in (("ridden_by", who.mounted_on), ("mounted_on", who.ridden_by)):
        if not other:
            continue
        said = getattr(cast[other], key)
        if other == name or said not in ("", name):
            reading.problem((name, "state", key), "out_of_range", other)
        elif not said:
            cast[other] = changed(cast[other], **{key: name})


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


_PLAIN: Final = (
    "fatigue",
    "penalty",
    "position",
    "disengage_bonus",
    "first_strike",
    "delayed",
    "loaded",
    "ready",
    "ammo",
    "wielded",
    "mounted_on",
    "ridden_by",
    "pace",
    "max_gait",
    "movement_limit",
    "cover",
    "grappled_by",
    "pinned_by",
    "exertion",
    "tried",
)
_TUPLES: Final = (
    "engaged",
    "missile_engaged",
    "attacked_by",
    "dropped",
    "overcome_by",
    "pressed",
    "seen",
)
_MAPS: Final = ("wounds", "bruises", "durations", "counter_bonus", "exposure")


def dump(fight: Fight) -> dict[str, Any]:
    """The fight as plain JSON data; tables are not in it."""
    return {
        "setup": fight.setup,
        "scene": as_plain(fight.scene),
        "round": fight.round,
        "initiative": dict(fight.initiative),
        "order": list(fight.order),
        "rulings": dict(fight.rulings),
        "ended": fight.ended,
        "states": {name: _dump_character(who) for name, who in fight.cast.items()},
    }


def _dump_character(who: Character) -> dict[str, Any]:
    data: dict[str, Any] = {name: getattr(who, name) for name in _PLAIN}
    data.update({name: list(getattr(who, name)) for name in _TUPLES})
    data.update({name: dict(getattr(who, name)) for name in _MAPS})
    extended = who.extended
    data["conditions"] = sorted(who.conditions)
    data["weapons"] = [{"id": weapon.id, **weapon_row(weapon)} for weapon in who.weapons]
    data["shield"] = None if who.shield is None else who.shield.id
    data["armor"] = None if who.armor is None else who.armor.id
    data["bleeding"] = [[b.level, b.rounds, b.fresh] for b in who.bleeding]
    data["barrier"] = None if who.barrier is None else list(who.barrier)
    data["extended"] = (
        None if extended is None else {name: getattr(extended, name) for name in Extended.__slots__}
    )
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
    fight = Fight(
        tables=tables,
        options=blank.options,
        scene=read_scene(reading, data["scene"], tuple(blank.cast), tables),
        cast={
            name: _load_character(reading, who, data["states"][name], tables)
            for name, who in blank.cast.items()
        },
        names=blank.names,
        setup=blank.setup,
        round=data["round"],
        initiative=dict(data["initiative"]),
        order=tuple(data["order"]),
        rulings=dict(data["rulings"]),
        ended=data["ended"],
    )
    reading.finish()
    return fight


def _load_character(
    reading: Reading, who: Character, data: Mapping[str, Any], tables: Tables
) -> Character:
    values: dict[str, Any] = {name: data[name] for name in _PLAIN}
    values.update({name: tuple(data[name]) for name in _TUPLES})
    values.update({name: dict(data[name]) for name in _MAPS})
    weapons = [
        weapon_of(reading, row, (who.name, "weapons", index), tables)
        for index, row in enumerate(data["weapons"])
    ]
    barrier, extended = data["barrier"], data["extended"]
    return Character(
        name=who.name,
        side=who.side,
        npc=who.npc,
        index=who.index,
        sheet=who.sheet,
        conditions=frozenset(data["conditions"]),
        weapons=tuple(weapon for weapon in weapons if weapon is not None),
        shield=None if data["shield"] is None else tables.shields.get(data["shield"]),
        armor=None if data["armor"] is None else tables.armour.get(data["armor"]),
        bleeding=tuple(Bleeding(*item) for item in data["bleeding"]),
        barrier=None if barrier is None else (barrier[0], barrier[1]),
        extended=None if extended is None else Extended(**extended),
        **values,
    )
