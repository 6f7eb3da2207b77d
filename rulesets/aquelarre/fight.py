"""The state of a fight (catalogue 4.2): immutable values, changed by events alone (``changes``)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from rulesets.aquelarre.options import Options, read_options
from rulesets.aquelarre.rows import CHARACTERISTICS, Armour, Shield, Tables, Weapon
from rulesets.aquelarre.scene import Scene, as_plain, read_scene
from rulesets.aquelarre.sheet import (
    Equipment,
    Figures,
    Sheet,
    armour_row,
    figures,
    read_sheet,
    shield_row,
    weapon_row,
)
from rulesets.core.declarations import fold
from rulesets.core.reading import Path, Reading
from rulesets.core.ruleset import CharacterSetup, Setup
from rulesets.core.state import changed

# Levels of health, from well to dead; a character is at the worst one reached.
LEVELS: Final = ("", "wounded", "badly_wounded", "unconscious", "dead")
# Conditions that are kept as such; the other ones follow from figures and pairs.
KEPT: Final = (
    "fainted",
    "knocked_out",
    "prone",
    "surprised",
    "full_guard",
    "flight_ready",
    "mounted",
    "broken_arm",
    "lost_arm",
)
DERIVED: Final = (
    "wounded",
    "badly_wounded",
    "unconscious",
    "dead",
    "bleeding",
    "in_melee",
    "holding",
    "immobilised",
    "arms_crippled",
    "legs_crippled",
)
CONDITIONS: Final = (*DERIVED, *KEPT)
STATE: Final = (
    "hp",
    "conditions",
    "sheathed",
    "dropped",
    "broken",
    "weapons",
    "damage_arms",
    "damage_legs",
    "shield_resistance",
    "armour_resistance",
    "reload_left",
    "prep_bonus",
    "position",
    "mount_hp",
    "melee_with",
    "holding",
    "held_by",
    "minutes_out",
    "stabilised",
    "donning",
    "guard_extra",
    "sequelae",
    *CHARACTERISTICS,
)


@dataclass(frozen=True)  # no slots: ``changed`` copies its dict
class Character:
    """One character as it stands.

    Attributes:
        index: Place in the cast, from 0.
        figures: What follows from characteristics and armour worn; replaced together with them.
        level: One of ``LEVELS``, raised by ``wound`` and ``death`` events only, so that blows of
            one moment all count before anybody falls (AQ-INI-06).
        conditions: Those of ``KEPT`` only; ``conditions_of`` gives all.
        weapons: Owned, in the order that decides which is in the main hand.
        ground: Not kept here: what lies about belongs to the fight.
        bleeding: Bleeds although above 0 PV (a sequela).
    """

    name: str
    side: str
    npc: bool
    index: int
    sheet: Sheet
    figures: Figures
    hp: int
    level: str = ""
    conditions: frozenset[str] = frozenset()
    weapons: tuple[Weapon, ...] = ()
    sheathed: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    shield: Shield | None = None
    shield_resistance: int = 0
    armour: tuple[Armour, ...] = ()
    armour_resistance: Mapping[str, int] = field(default_factory=dict)
    stowed: tuple[Armour, ...] = ()
    donning: Mapping[str, int] = field(default_factory=dict)
    damage_arms: int = 0
    damage_legs: int = 0
    reload_left: Mapping[str, int] = field(default_factory=dict)
    prep_bonus: int = 0
    position: int | None = None
    mount_hp: int = 0
    melee_with: tuple[str, ...] = ()
    holding: str = ""
    held_by: str = ""
    minutes_out: int = 0
    stabilised: bool = False
    bleeding: bool = False
    guard_extra: str = "abdomen"
    sequelae: tuple[str, ...] = ()

    @property
    def able(self) -> bool:
        """Whether it can act at all: neither dead, unconscious, fainted nor knocked out."""
        if self.level in ("unconscious", "dead"):
            return False
        conditions = self.conditions
        return not conditions or not ("fainted" in conditions or "knocked_out" in conditions)

    @property
    def dead(self) -> bool:
        """Whether it is dead."""
        return self.level == "dead"

    def is_crippled(self, characteristic: str) -> bool:
        """Whether skills of a characteristic are halved by wounded limbs (AQ-LOC-05, -06)."""
        if characteristic == "dexterity":
            return self.damage_arms * 2 > self.sheet.hp_max
        if characteristic == "agility":
            return self.damage_legs * 2 > self.sheet.hp_max
        return False

    def is_ready(self, weapon: Weapon) -> bool:
        """Whether one weapon of that name is in hand, or could be at once."""
        return weapon.natural or self.ready_count(weapon.name) > 0

    def ready_count(self, name: str) -> int:
        """How many weapons of a name are neither sheathed, on the ground nor ruined."""
        owned = 0
        for weapon in self.weapons:
            if weapon.name == name:
                owned += 1
        if not (self.sheathed or self.dropped or self.broken):
            return owned
        return (
            owned - self.sheathed.count(name) - self.dropped.count(name) - self.broken.count(name)
        )

    @property
    def in_hand(self) -> tuple[Weapon, ...]:
        """Ready weapons in order: the first is in the main hand, the second in the off hand."""
        if not (self.sheathed or self.dropped or self.broken):
            return self.weapons
        away = [*self.sheathed, *self.dropped, *self.broken]
        ready = []
        for weapon in self.weapons:
            if weapon.name in away:
                away.remove(weapon.name)
            else:
                ready.append(weapon)
        return tuple(ready)

    @property
    def shield_ready(self) -> bool:
        """Whether a whole shield is on the arm."""
        shield = self.shield
        return (
            shield is not None
            and self.shield_resistance > 0
            and shield.name not in self.sheathed
            and shield.name not in self.dropped
        )


@dataclass(frozen=True)  # no slots: ``changed`` copies its dict
class Fight:
    """A fight before, in or after a round.

    Attributes:
        cast: Characters by name, in the order of the cast.
        names: Folded names to names.
        initiative: Of this round, by name; those unable to act have none.
        rulings: ``NAME.purpose`` or ``NAME.purpose#n`` to a game master's modifier of this round.
        ground: Weapons that lie about and belong to nobody.
        ended: Why the fight ended by its own terms, or empty.
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
    rulings: Mapping[str, int] = field(default_factory=dict)
    ground: tuple[Weapon, ...] = ()
    ended: str = ""

    def find(self, word: str) -> str:
        """The character that a written name means, or an empty string."""
        if word in self.cast:
            return word
        return self.names.get(fold(word), "")

    def distance(self, one: Character, other: Character) -> int:
        """Varas between two characters; 1 where the scene has no positions."""
        if one.position is None or other.position is None:
            return 1
        return abs(one.position - other.position)


def put(fight: Fight, name: str, **fields: object) -> Fight:
    """The fight with one character changed."""
    cast = dict(fight.cast)
    cast[name] = changed(cast[name], **fields)
    return changed(fight, cast=cast)


def bleeds(character: Character, options: Options) -> bool:
    """Whether it loses 1 PV in each conclusion phase (AQ-HP-10, AQ-HP-11)."""
    if character.dead or character.stabilised:
        return False
    if character.bleeding:
        return True
    return character.hp < 0 or (character.hp == 0 and options.bleed_at_zero)


def level_at(hp: int, hp_max: int) -> str:
    """The level of health for a number of PV (AQ-HP-02 to AQ-HP-12).

    With 15 PV: wounded at 7 or less (8 lost), badly wounded at 3 or less (12 lost), unconscious
    at 0 or less, dead at -15 or less.
    """
    if hp <= -hp_max:
        return "dead"
    if hp <= 0:
        return "unconscious"
    lost = hp_max - hp
    if lost * 4 >= hp_max * 3:
        return "badly_wounded"
    if lost * 2 >= hp_max:
        return "wounded"
    return ""


def conditions_of(character: Character, options: Options) -> tuple[str, ...]:
    """All conditions of catalogue 7.2 that hold, sorted."""
    found = set(character.conditions)
    if character.level:
        found.add(character.level)
    if character.dead:
        return tuple(sorted(found))
    if bleeds(character, options):
        found.add("bleeding")
    if character.melee_with:
        found.add("in_melee")
    if character.holding:
        found.add("holding")
    if character.held_by:
        found.add("immobilised")
    if character.is_crippled("dexterity"):
        found.add("arms_crippled")
    if character.is_crippled("agility"):
        found.add("legs_crippled")
    return tuple(sorted(found))


def state_of(fight: Fight, name: str) -> dict[str, Any]:
    """Every state id of catalogue 4.2 with its value, as plain data."""
    who = fight.cast[name]
    return {
        "hp": who.hp,
        "conditions": list(conditions_of(who, fight.options)),
        "sheathed": list(who.sheathed),
        "dropped": list(who.dropped),
        "broken": list(who.broken),
        "weapons": [weapon.name for weapon in who.weapons],
        "damage_arms": who.damage_arms,
        "damage_legs": who.damage_legs,
        "shield_resistance": who.shield_resistance,
        "armour_resistance": dict(who.armour_resistance),
        "reload_left": dict(who.reload_left),
        "prep_bonus": who.prep_bonus,
        "position": who.position,
        "mount_hp": who.mount_hp,
        "melee_with": list(who.melee_with),
        "holding": who.holding,
        "held_by": who.held_by,
        "minutes_out": who.minutes_out,
        "stabilised": who.stabilised,
        "donning": dict(who.donning),
        "guard_extra": who.guard_extra,
        "sequelae": list(who.sequelae),
        **who.figures.characteristics,
    }


# ------------------------------------------------------------------ setting up


def new_fight(setup: Setup, tables: Tables) -> Fight:
    """A fight before its first round.

    Raises:
        SetupError: all that is wrong with options, scene, sheets and states.
    """
    reading = Reading()
    options = read_options(reading, setup.options)
    names = tuple(character.name for character in setup.cast)
    folded: dict[str, str] = {}
    for name in names:
        if folded.setdefault(fold(name), name) != name or names.count(name) > 1 or not fold(name):
            reading.problem(("cast", name), "out_of_range", name)
    locations = Equipment(reading, tables).locations
    scene, places = read_scene(reading, setup.scene, names, locations)
    cast = {
        character.name: _character(reading, character, index, tables)
        for index, character in enumerate(setup.cast)
    }
    cast = {
        name: changed(who, position=places.get(name)) if who.position is None else who
        for name, who in cast.items()
    }
    fight = Fight(
        tables=tables,
        options=options,
        scene=scene,
        cast=cast,
        names=folded,
        setup=_plain_setup(setup),
    )
    _check_pairs(reading, fight)
    _check_conditions(reading, fight, setup)
    reading.finish()
    return fight


def _character(reading: Reading, setup: CharacterSetup, index: int, tables: Tables) -> Character:
    sheet = read_sheet(reading, setup.sheet, (setup.name, "sheet"), tables)
    path: Path = (setup.name, "state")
    row = reading.mapping(setup.state, path)
    reading.known(row, STATE, path)
    characteristics = {
        name: reading.integer(row, name, path, value, (1 if name in row else 0, 500))
        for name, value in sheet.characteristics.items()
    }
    hp = reading.integer(row, "hp", path, sheet.hp_max, (-sheet.hp_max, sheet.hp_max))
    owned = _owned(reading, row, path, sheet, tables)
    gear = [weapon.name for weapon in owned]
    if sheet.shield is not None:
        gear.append(sheet.shield.name)
    resistance = 0 if sheet.shield is None else sheet.shield.resistance
    wear = reading.mapping(row.get("armour_resistance"), (*path, "armour_resistance"))
    reading.known(wear, [piece.name for piece in sheet.armour], (*path, "armour_resistance"))
    conditions = reading.names(row, "conditions", path, CONDITIONS)
    level = "dead" if "dead" in conditions else level_at(hp, sheet.hp_max)
    all_locations = tuple(sheet.body.locations)
    return Character(
        name=setup.name,
        side=setup.side,
        npc=setup.npc,
        index=index,
        sheet=sheet,
        figures=figures(sheet, characteristics, sheet.armour, tables.skills),
        hp=hp,
        level=level,
        conditions=frozenset(conditions) & frozenset(KEPT),
        weapons=owned,
        sheathed=reading.names(row, "sheathed", path, gear),
        dropped=reading.names(row, "dropped", path, gear),
        broken=reading.names(row, "broken", path, gear),
        shield=sheet.shield,
        shield_resistance=reading.integer(
            row, "shield_resistance", path, resistance, (0, resistance)
        ),
        armour=sheet.armour,
        armour_resistance={
            piece.name: reading.integer(
                wear,
                piece.name,
                (*path, "armour_resistance"),
                piece.resistance,
                (0, piece.resistance),
            )
            for piece in sheet.armour
        },
        stowed=sheet.stowed_armour,
        donning=_counts(reading, row, "donning", path, [p.name for p in sheet.stowed_armour]),
        damage_arms=reading.integer(row, "damage_arms", path, 0, (0, 10_000)),
        damage_legs=reading.integer(row, "damage_legs", path, 0, (0, 10_000)),
        reload_left=_counts(reading, row, "reload_left", path, gear),
        prep_bonus=reading.integer(row, "prep_bonus", path, 0, (0, 1_000)),
        position=_position(reading, row, path),
        mount_hp=reading.integer(
            row, "mount_hp", path, 0 if sheet.mount is None else sheet.mount.hp_max, (-5_000, 5_000)
        ),
        melee_with=reading.names(row, "melee_with", path),
        holding=reading.text(row, "holding", path, ""),
        held_by=reading.text(row, "held_by", path, ""),
        minutes_out=reading.integer(row, "minutes_out", path, 0, (0, 1_000_000)),
        stabilised=reading.flag(row, "stabilised", path, default=False),
        bleeding="bleeding" in conditions and hp > 0,
        guard_extra=reading.choice(row, "guard_extra", path, all_locations, "abdomen"),
        sequelae=reading.names(
            row, "sequelae", path, [r.id for rows in tables.sequelae.values() for r in rows]
        ),
    )


def _owned(
    reading: Reading, row: Mapping[str, object], path: Path, sheet: Sheet, tables: Tables
) -> tuple[Weapon, ...]:
    if row.get("weapons") is None:
        return sheet.weapons
    own = {weapon.name: weapon for weapon in sheet.weapons}
    listed = [
        own.get(item, item) if isinstance(item, str) else item
        for item in reading.sequence(row.get("weapons"), (*path, "weapons"))
    ]
    equipment = Equipment(reading, tables)
    found = [
        item if isinstance(item, Weapon) else equipment.weapon(item, (*path, "weapons", index))
        for index, item in enumerate(listed)
    ]
    return tuple(weapon for weapon in found if weapon is not None)


def _counts(
    reading: Reading, row: Mapping[str, object], key: str, path: Path, names: list[str]
) -> dict[str, int]:
    table = reading.mapping(row.get(key), (*path, key))
    reading.known(table, names, (*path, key))
    return {name: reading.integer(table, name, (*path, key), 0, (0, 1_000)) for name in table}


def _position(reading: Reading, row: Mapping[str, object], path: Path) -> int | None:
    if row.get("position") is None:
        return None
    return reading.integer(row, "position", path, 0, (-100_000, 100_000))


def _check_pairs(reading: Reading, fight: Fight) -> None:
    """Melés and holds are of two, who say the same of each other."""
    for name, who in fight.cast.items():
        said = [("melee_with", other) for other in who.melee_with]
        said += [("holding", who.holding), ("held_by", who.held_by)]
        for key, other in said:
            partner = fight.cast.get(other)
            if other and partner is None:
                reading.problem((name, "state", key), "unknown_name", other, "", fight.cast)
            elif partner is not None and (other == name or name not in _answers(partner, key)):
                reading.problem((name, "state", key), "out_of_range", other)


def _answers(partner: Character, key: str) -> tuple[str, ...]:
    """Whom the other one of a pair must name."""
    if key == "melee_with":
        return partner.melee_with
    return (partner.held_by,) if key == "holding" else (partner.holding,)


def _check_conditions(reading: Reading, fight: Fight, setup: Setup) -> None:
    """Conditions that follow from figures must agree with the figures given."""
    for character in setup.cast:
        given = character.state.get("conditions") if isinstance(character.state, Mapping) else None
        if not isinstance(given, list | tuple):
            continue
        hold = conditions_of(fight.cast[character.name], fight.options)
        for condition in given:
            if condition in DERIVED and condition not in hold:
                path = (character.name, "state", "conditions")
                reading.problem(path, "out_of_range", condition, ", ".join(hold))


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
    "hp",
    "level",
    "shield_resistance",
    "damage_arms",
    "damage_legs",
    "prep_bonus",
    "position",
    "mount_hp",
    "holding",
    "held_by",
    "minutes_out",
    "stabilised",
    "bleeding",
    "guard_extra",
)
_TUPLE_FIELDS: Final = ("sheathed", "dropped", "broken", "melee_with", "sequelae")
_MAP_FIELDS: Final = ("armour_resistance", "donning", "reload_left")


def dump(fight: Fight) -> dict[str, Any]:
    """The fight as plain JSON data; tables are not in it."""
    return {
        "setup": fight.setup,
        "scene": as_plain(fight.scene),
        "round": fight.round,
        "initiative": dict(fight.initiative),
        "rulings": dict(fight.rulings),
        "ground": [_named(weapon.name, weapon_row(weapon)) for weapon in fight.ground],
        "ended": fight.ended,
        "states": {name: _dump_character(who) for name, who in fight.cast.items()},
    }


def _named(name: str, row: dict[str, object]) -> dict[str, object]:
    return {"name": name, **row}


def _dump_character(who: Character) -> dict[str, Any]:
    data: dict[str, Any] = {name: getattr(who, name) for name in _PLAIN_FIELDS}
    data.update({name: list(getattr(who, name)) for name in _TUPLE_FIELDS})
    data.update({name: dict(getattr(who, name)) for name in _MAP_FIELDS})
    data["conditions"] = sorted(who.conditions)
    data["characteristics"] = dict(who.figures.characteristics)
    data["weapons"] = [_named(weapon.name, weapon_row(weapon)) for weapon in who.weapons]
    data["armour"] = [_named(piece.name, armour_row(piece)) for piece in who.armour]
    data["stowed"] = [_named(piece.name, armour_row(piece)) for piece in who.stowed]
    shield = who.shield
    data["shield"] = None if shield is None else _named(shield.name, shield_row(shield))
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
    equipment = Equipment(reading, tables)
    scene, _ = read_scene(reading, data["scene"], tuple(blank.cast), equipment.locations)
    cast = {
        name: _load_character(who, data["states"][name], equipment, tables)
        for name, who in blank.cast.items()
    }
    fight = Fight(
        tables=tables,
        options=blank.options,
        scene=scene,
        cast=cast,
        names=blank.names,
        setup=blank.setup,
        round=data["round"],
        initiative=dict(data["initiative"]),
        rulings=dict(data["rulings"]),
        ground=tuple(
            weapon
            for index, row in enumerate(data["ground"])
            if (weapon := equipment.weapon(row, ("ground", index))) is not None
        ),
        ended=data["ended"],
    )
    reading.finish()
    return fight


def _load_character(
    who: Character, data: Mapping[str, Any], equipment: Equipment, tables: Tables
) -> Character:
    path: Path = (who.name,)
    values: dict[str, Any] = {name: data[name] for name in _PLAIN_FIELDS}
    values.update({name: tuple(data[name]) for name in _TUPLE_FIELDS})
    values.update({name: dict(data[name]) for name in _MAP_FIELDS})
    armour = equipment.armour(data["armour"], (*path, "armour"))
    weapons = [
        equipment.weapon(row, (*path, "weapons", index))
        for index, row in enumerate(data["weapons"])
    ]
    shield = data["shield"]
    return Character(
        name=who.name,
        side=who.side,
        npc=who.npc,
        index=who.index,
        sheet=who.sheet,
        figures=figures(who.sheet, data["characteristics"], armour, tables.skills),
        conditions=frozenset(data["conditions"]),
        weapons=tuple(weapon for weapon in weapons if weapon is not None),
        armour=armour,
        stowed=equipment.armour(data["stowed"], (*path, "stowed")),
        shield=None if shield is None else equipment.shield(shield, (*path, "shield")),
        **values,
    )
