"""The state of a fight: immutable values, changed by events alone (``changes``)."""

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, Final

from rulesets.anima.options import Options, read_options
from rulesets.anima.rows import Tables, Weapon
from rulesets.anima.scene import Scene, as_plain, pair, read_scene
from rulesets.anima.sheet import CENTIMETRES, RESISTANCES, Sheet, read_sheet
from rulesets.core.declarations import fold
from rulesets.core.reading import Path, Reading
from rulesets.core.records import dataclass
from rulesets.core.ruleset import CharacterSetup, Setup
from rulesets.core.state import changed

STANCES: Final = ("all_out_attack", "offensive", "total_defence", "defensive")
PARALYSES: Final = ("minor_paralysis", "partial_paralysis", "full_paralysis")
CONDITIONS: Final = (
    "prone",
    *PARALYSES,
    "threatened",
    "disarmed",
    "partial_blindness",
    "total_blindness",
    "levitating",
    "flying_7",
    "flying_15",
    "on_fire",
    "limb_lost",
    "unconscious",
    "mortal_wound",
    "dying",
    "dead",
)
DOWN: Final = frozenset({"unconscious", "dying", "dead"})
# Penalties to all action: state id by what an event calls it.
PENALTIES: Final[Mapping[str, str]] = {
    "pain": "pain",
    "lasting": "lasting_penalty",
    "cold": "cold_penalty",
    "shock": "shock_penalty",
}
STATE: Final = (
    "hp",
    "fatigue",
    "pain",
    "lasting_penalty",
    "cold_penalty",
    "shock_penalty",
    "conditions",
    "stance",
    "weapon_in_hand",
    "ready",
    "aim",
    "engaged",
    "running_towards",
    "threatened_by",
    "held_by",
    "holding",
    "shield_placed_on",
    "shields",
    "zeon_accumulated",
    "effects",
)
NONE: Final = "none"  # how a state says that no weapon is in hand


@dataclass(frozen=True, slots=True)
class Running:
    """An effect whose resistance check is repeated each assault."""

    condition: str
    resistance: str
    difficulty: int


@dataclass(frozen=True)  # no slots: ``changed`` copies its dict
class Character:
    """One character as it stands.

    Attributes:
        index: Place in the cast, from 0.
        pains: Pain of each critical; they add up, and pass together or one by one (D25).
        in_hand: Name of the weapon in hand; empty where there is none.
        dropped: Name of the weapon that lies where its owner was disarmed.
        running_round: Assault in which the run at ``running_towards`` was.
        placed: Name of the shield placed on ``shield_placed_on``; empty where the state came
            without saying which.
    """

    name: str
    side: str
    npc: bool
    index: int
    sheet: Sheet
    hp: int
    fatigue: int
    pains: tuple[int, ...] = ()
    lasting_penalty: int = 0
    cold_penalty: int = 0
    shock_penalty: int = 0
    conditions: frozenset[str] = frozenset()
    stance: str = ""
    in_hand: str = ""
    dropped: str = ""
    ready: bool = False
    aim_target: str = ""
    aim_rounds: int = 0
    engaged: bool = False
    running_towards: str = ""
    running_round: int = 0
    threatened_by: str = ""
    held_by: str = ""
    holding: str = ""
    shield_placed_on: str = ""
    placed: str = ""
    shields: Mapping[str, int] = field(default_factory=dict)
    zeon_accumulated: int = 0
    effects: tuple[Running, ...] = ()

    @property
    def down(self) -> bool:
        """Out of the fight: unconscious, dying or dead."""
        return bool(self.conditions) and not DOWN.isdisjoint(self.conditions)

    @property
    def pain(self) -> int:
        """All pain together."""
        return sum(self.pains)

    @property
    def weapon(self) -> Weapon | None:
        """The weapon in hand."""
        return self.sheet.weapon(self.in_hand) if self.in_hand else None

    def lies(self, weapon: Weapon) -> bool:
        """Whether a weapon lies on the ground, out of reach until it is picked up (AN-MAN-25)."""
        return bool(self.dropped) and weapon.name == self.dropped


@dataclass(frozen=True)  # no slots: ``changed`` copies its dict
class Fight:
    """A fight before, in or after an assault.

    Attributes:
        cast: Characters by name, in the order of the cast.
        names: Folded names to names.
        initiative: Of this assault, by name; empty until it has been rolled.
        rulings: ``NAME.purpose`` or ``NAME.purpose#n`` to a game master's modifier of this round.
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

    def find(self, word: str) -> str:
        """The character that a written name means, or an empty string."""
        if word in self.cast:
            return word
        return self.names.get(fold(word), "")

    def distance(self, one: str, other: str) -> int:
        """Centimetres between two characters; 0, in contact, where the scene says nothing."""
        distances = self.scene.distances
        return distances.get(pair(one, other), 0) if distances else 0

    def situations(self, name: str, versus: str) -> tuple[str, ...]:
        """Situations of the scene that a character is in against another one, each once."""
        placed = self.scene.situations.get(name)
        if not placed:
            return ()
        return tuple(dict.fromkeys(id_ for id_, who in placed if not who or who == versus))


def put(fight: Fight, name: str, **fields: object) -> Fight:
    """The fight with one character changed."""
    cast = dict(fight.cast)
    cast[name] = changed(cast[name], **fields)
    return changed(fight, cast=cast)


def state_of(fight: Fight, name: str) -> dict[str, Any]:
    """Every state id of the catalogue with its value, as plain data."""
    who = fight.cast[name]
    aim = {"target": who.aim_target, "rounds": who.aim_rounds} if who.aim_target else None
    return {
        "hp": who.hp,
        "fatigue": who.fatigue,
        "pain": who.pain,
        "lasting_penalty": who.lasting_penalty,
        "cold_penalty": who.cold_penalty,
        "shock_penalty": who.shock_penalty,
        "conditions": sorted(who.conditions),
        "stance": who.stance or None,
        "weapon_in_hand": who.in_hand or NONE,
        "ready": who.ready,
        "aim": aim,
        "engaged": who.engaged,
        "running_towards": who.running_towards or None,
        "threatened_by": who.threatened_by or None,
        "held_by": who.held_by or None,
        "holding": who.holding or None,
        "shield_placed_on": who.shield_placed_on or None,
        "shields": {who.sheet.shields[name].name: left for name, left in who.shields.items()},
        "zeon_accumulated": who.zeon_accumulated,
        "effects": [
            {"condition": e.condition, "resistance": e.resistance, "difficulty": e.difficulty}
            for e in who.effects
        ],
    }


# ------------------------------------------------------------------ setting up


def new_fight(setup: Setup, tables: Tables) -> Fight:
    """A fight before its first assault.

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
    scene = read_scene(reading, setup.scene, names)
    sheets = {c.name: read_sheet(reading, c.sheet, (c.name, "sheet"), tables) for c in setup.cast}
    own = {
        ability.condition
        for sheet in sheets.values()
        for ability in (*sheet.spells.values(), *sheet.powers.values())
        if ability.condition
    }
    conditions = tuple(dict.fromkeys((*CONDITIONS, *sorted(own))))
    cast = {
        c.name: _State(reading, c, sheets[c.name], names, conditions).character(index)
        for index, c in enumerate(setup.cast)
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
    reading.finish()
    return fight


@dataclass(slots=True)
class _State:
    """Reads the state of one character at the start."""

    reading: Reading
    setup: CharacterSetup
    sheet: Sheet
    names: tuple[str, ...]
    conditions: tuple[str, ...]

    def character(self, index: int) -> Character:
        reading, sheet, setup = self.reading, self.sheet, self.setup
        path: Path = (setup.name, "state")
        row = reading.mapping(setup.state, path)
        reading.known(row, STATE, path)

        def number(key: str, default: int = 0, span: tuple[int, int] = (0, 100_000)) -> int:
            return reading.integer(row, key, path, default, span)

        def name(key: str) -> str:
            return reading.choice(row, key, path, self.names, "")

        conditions = frozenset(reading.names(row, "conditions", path, self.conditions))
        in_hand = self.in_hand(row, path)
        aim = reading.mapping(row.get("aim"), (*path, "aim"))
        reading.known(aim, ("target", "rounds"), (*path, "aim"))
        aim_target = reading.choice(aim, "target", (*path, "aim"), self.names) if aim else ""
        pain = number("pain")
        return Character(
            name=setup.name,
            side=setup.side,
            npc=setup.npc,
            index=index,
            sheet=sheet,
            hp=number("hp", sheet.hp, (-100_000, 100_000)),
            fatigue=number("fatigue", sheet.max_fatigue, (0, 1_000)),
            pains=(pain,) if pain else (),
            lasting_penalty=number("lasting_penalty"),
            cold_penalty=number("cold_penalty"),
            shock_penalty=number("shock_penalty"),
            conditions=conditions,
            stance=reading.choice(row, "stance", path, STANCES, ""),
            in_hand=in_hand,
            dropped=sheet.usual.name if "disarmed" in conditions and not in_hand else "",
            ready=reading.flag(row, "ready", path, default=False),
            aim_target=aim_target,
            aim_rounds=reading.integer(aim, "rounds", (*path, "aim"), 1, (1, 3)) if aim else 0,
            engaged=reading.flag(row, "engaged", path, default=False),
            running_towards=name("running_towards"),
            threatened_by=name("threatened_by"),
            held_by=name("held_by"),
            holding=name("holding"),
            shield_placed_on=name("shield_placed_on"),
            shields=self.shields(row, path),
            zeon_accumulated=number("zeon_accumulated"),
            effects=self.effects(row, path),
        )

    def in_hand(self, row: Mapping[str, object], path: Path) -> str:
        """The weapon in hand: the usual one where nothing is said."""
        word = self.reading.text(row, "weapon_in_hand", path, self.sheet.usual.name)
        if fold(word) == NONE:
            return ""
        weapon = self.sheet.weapon(word)
        if weapon is None:
            known = tuple(each.name for each in self.sheet.weapons.values())
            here = (*path, "weapon_in_hand")
            self.reading.problem(here, "unknown_name", word, "", (NONE, *known))
            return self.sheet.usual.name
        return weapon.name

    def shields(self, row: Mapping[str, object], path: Path) -> dict[str, int]:
        own = self.sheet.shields
        here = (*path, "shields")
        table = self.reading.mapping(row.get("shields"), here)
        self.reading.known(table, [ward.name for ward in own.values()], here)
        return {
            key: self.reading.integer(table, ward.name, here, ward.points, (0, 100_000))
            for key, ward in own.items()
        }

    def effects(self, row: Mapping[str, object], path: Path) -> tuple[Running, ...]:
        found = []
        here = (*path, "effects")
        for index, item in enumerate(self.reading.sequence(row.get("effects"), here)):
            place = (*here, index)
            entry = self.reading.mapping(item, place)
            self.reading.known(entry, ("condition", "resistance", "difficulty"), place)
            found.append(
                Running(
                    self.reading.choice(entry, "condition", place, self.conditions),
                    self.reading.choice(entry, "resistance", place, RESISTANCES),
                    self.reading.integer(entry, "difficulty", place, None, (0, 10_000)),
                )
            )
        return tuple(found)


def _check_pairs(reading: Reading, fight: Fight) -> None:
    """A hold is of two, who say the same of each other; nobody holds or threatens itself."""
    for name, who in fight.cast.items():
        for key, other, back in (
            ("held_by", who.held_by, "holding"),
            ("holding", who.holding, "held_by"),
        ):
            if other and (other == name or getattr(fight.cast[other], back) != name):
                reading.problem((name, "state", key), "out_of_range", other)
        if who.threatened_by == name:
            reading.problem((name, "state", "threatened_by"), "out_of_range", name)


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
    "fatigue",
    "lasting_penalty",
    "cold_penalty",
    "shock_penalty",
    "stance",
    "in_hand",
    "dropped",
    "ready",
    "aim_target",
    "aim_rounds",
    "engaged",
    "running_towards",
    "running_round",
    "threatened_by",
    "held_by",
    "holding",
    "shield_placed_on",
    "placed",
    "zeon_accumulated",
)


def dump(fight: Fight) -> dict[str, Any]:
    """The fight as plain JSON data; tables are not in it. Distances are whole centimetres."""
    scene = as_plain(fight.scene)
    scene["distances"] = [[*two, far] for two, far in fight.scene.distances.items()]
    scene["area_exit"] = dict(fight.scene.area_exit)
    return {
        "setup": fight.setup,
        "scene": scene,
        "round": fight.round,
        "initiative": dict(fight.initiative),
        "rulings": dict(fight.rulings),
        "states": {name: _dump_character(who) for name, who in fight.cast.items()},
    }


def _dump_character(who: Character) -> dict[str, Any]:
    data: dict[str, Any] = {name: getattr(who, name) for name in _PLAIN_FIELDS}
    data["pains"] = list(who.pains)
    data["conditions"] = sorted(who.conditions)
    data["shields"] = dict(who.shields)
    data["effects"] = [[e.condition, e.resistance, e.difficulty] for e in who.effects]
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
    plain = {k: v for k, v in data["scene"].items() if k not in ("distances", "area_exit")}
    scene = replace(
        read_scene(reading, plain, tuple(blank.cast)),
        distances={pair(one, other): far for one, other, far in data["scene"]["distances"]},
        area_exit=dict(data["scene"]["area_exit"]),
    )
    reading.finish()
    return changed(
        blank,
        scene=scene,
        cast={name: _load(who, data["states"][name]) for name, who in blank.cast.items()},
        round=data["round"],
        initiative=dict(data["initiative"]),
        rulings=dict(data["rulings"]),
    )


def _load(who: Character, data: Mapping[str, Any]) -> Character:
    values: dict[str, Any] = {name: data[name] for name in _PLAIN_FIELDS}
    return replace(
        who,
        pains=tuple(data["pains"]),
        conditions=frozenset(data["conditions"]),
        shields=dict(data["shields"]),
        effects=tuple(Running(*effect) for effect in data["effects"]),
        **values,
    )


def reach_cm(options: Options) -> int:
    """How far a hand-to-hand blow reaches."""
    return options.choices.melee_reach * CENTIMETRES
