"""Random fights of Aquelarre: any cast, any scene, and rounds that people might declare."""

import random
from collections.abc import Sequence
from typing import Any

from rulesets.aquelarre.actions import ACTIONS, ORDERS
from rulesets.aquelarre.fight import Fight
from rulesets.aquelarre.rows import CHARACTERISTICS
from rulesets.core.declarations import Declaration, Kind, Timing
from tests.rulesets.playing import aquelarre, fight_of

TABLES = aquelarre().tables
WEAPONS = [name for name, row in TABLES.weapons.items() if not row.natural]
NAMES = ("Lope", "Gil", "Ana", "Moro", "Oso")
DEFENCES = ("parry", "shield_parry", "dodge", "disengage", "shield_cover", "full_guard")


def lot_of(seed: int) -> random.Random:
    """Choices that a seed repeats."""
    return random.Random(seed)  # noqa: S311 -- fights, not secrets


def wild_fight(dice: random.Random) -> Fight:
    """A fight of two to five who have whatever fell out of the cart."""
    names = NAMES[: dice.randint(2, 5)]
    cast: dict[str, Any] = {}
    for place, name in enumerate(names):
        sheet: dict[str, Any] = {key: dice.randint(3, 22) for key in CHARACTERISTICS}
        sheet["skills"] = {
            key: dice.randint(5, 120) for key in dice.sample(sorted(TABLES.skills), 12)
        }
        sheet["weapons"] = dice.sample(WEAPONS, dice.randint(0, 5))
        sheet["hp_max"] = dice.randint(4, 40)
        sheet["body"] = dice.choice(["humanoid"] * 6 + sorted(TABLES.bodies))
        sheet["size"] = dice.choice(["normal", "normal", "large", "small"])
        sheet["handedness"] = dice.choice(["right", "left"])
        if dice.random() < 0.6:
            sheet["shield"] = dice.choice(sorted(TABLES.shields))
        sheet["armour"] = dice.sample(sorted(TABLES.armour), dice.randint(0, 2))
        sheet["stowed_armour"] = [
            piece for piece in dice.sample(sorted(TABLES.armour), 1) if piece not in sheet["armour"]
        ]
        if dice.random() < 0.5:
            sheet["mount"] = {"name": "Bayo", "hp_max": dice.randint(5, 30), "protection": 1}
        kept = ["prone", "mounted", "full_guard", "flight_ready", "fainted"]
        conditions = [condition for condition in kept if dice.random() < 0.15]
        state: dict[str, Any] = {"conditions": conditions}
        gear = [*sheet["weapons"], *([sheet["shield"]] if "shield" in sheet else [])]
        state["sheathed"] = [item for item in gear if dice.random() < 0.15]
        state["hp"] = dice.choice([sheet["hp_max"]] * 3 + list(range(-2, sheet["hp_max"])))
        state["prep_bonus"] = dice.choice([0, 0, 20])
        cast[name] = {"side": "ab"[place % 2], "npc": place > 2, "sheet": sheet, "state": state}
    _pair(dice, cast)
    return fight_of(cast, _scene(dice, names), _options(dice))


def _pair(dice: random.Random, cast: dict[str, Any]) -> None:
    """Two of them may already be at each other's throats."""
    one, other = dice.sample(sorted(cast), 2)
    if dice.random() < 0.35 and all(
        who["state"]["hp"] > 0 and "fainted" not in who["state"]["conditions"]
        for who in (cast[one], cast[other])
    ):
        cast[one]["state"]["melee_with"] = [other]
        cast[other]["state"]["melee_with"] = [one]
        if dice.random() < 0.5:
            cast[one]["state"]["holding"] = other
            cast[other]["state"]["held_by"] = one


def _scene(dice: random.Random, names: Sequence[str]) -> dict[str, Any]:
    scene: dict[str, Any] = {}
    if dice.random() < 0.6:
        scene["positions"] = {name: dice.randint(0, 12) for name in names}
    screen = {"object": dice.choice(["muro", names[-1]]), "protects": ["chest", "abdomen"]}
    if dice.random() < 0.4:
        scene["cover"] = dict.fromkeys(names, screen)
    if dice.random() < 0.2:
        scene["concealed"] = {names[0]: screen}
    scene["light"] = dice.choice(["day", "day", "reduced", "dark"])
    scene["higher"] = [name for name in names if dice.random() < 0.2]
    scene["behind"] = {names[0]: [names[1]]} if dice.random() < 0.3 else {}
    scene["surprised"] = [name for name in names if dice.random() < 0.2]
    scene["mount_roll"] = dice.random() < 0.3
    scene["downtime"] = dice.random() < 0.3
    if dice.random() < 0.2:
        scene["ambush"] = {"by": names[0], "against": [names[1]]}
    if dice.random() < 0.1:
        scene["stop"] = "first_blood"
    return scene


def _options(dice: random.Random) -> dict[str, Any]:
    if dice.random() < 0.7:
        return {}
    return {
        "allow_fallback": dice.random() < 0.5,
        "defence_spent_on_miss": dice.random() < 0.5,
        "double_attack_dodge": dice.choice(["one", "both"]),
        "opposed_ties": dice.choice(["higher_roll", "margin", "defender"]),
        "surprise_and_back": dice.choice(["highest", "sum"]),
        "half_rounding": dice.choice(["up", "down"]),
        "squeeze_cost": dice.choice(["extended", "normal", "free"]),
    }


def wild_round(dice: random.Random, fight: Fight) -> list[Declaration]:
    """What everybody declares: mostly sensible, sometimes nonsense."""
    declared: list[Declaration] = []
    for name in fight.cast:
        for _ in range(dice.randint(0, 3)):
            verb = dice.choice(sorted(ACTIONS))
            declared.append(wild_action(dice, fight, name, verb))
        if dice.random() < 0.2:
            verb = dice.choice(sorted(ORDERS))
            fields = _fields(dice, fight, name, ORDERS[verb].fields, 0.5)
            declared.append(Declaration(name, Kind.STANDING, verb, fields))
    return declared


def wild_action(dice: random.Random, fight: Fight, actor: str, verb: str) -> Declaration:
    """One action of somebody, with fields that fit more often than not."""
    row = ACTIONS[verb].verb
    others = [name for name in fight.cast if name != actor]
    timing = None
    if dice.random() < 0.15:
        timing = Timing(
            dice.choice(["after", "before", "when"]),
            dice.choice(others),
            dice.randint(1, 2),
            dice.choice(["falls", "attacked"]),
        )
    fallback = None
    if dice.random() < 0.05:
        fallback = Declaration(actor, Kind.ACTION, "attack", {"target": dice.choice(others)})
    return Declaration(
        actor,
        Kind.ACTION,
        verb,
        _fields(dice, fight, actor, row.fields, 0.55),
        tuple(flag for flag in row.flags if dice.random() < 0.3),
        timing=timing,
        fallback=fallback,
    )


def _fields(
    dice: random.Random, fight: Fight, actor: str, names: Sequence[str], often: float
) -> dict[str, str]:
    fields = {}
    for name in names:
        if name in ("target", "item", "to") or dice.random() < often:
            fields[name] = _value(dice, fight, actor, name)
    return fields


def _value(dice: random.Random, fight: Fight, actor: str, field: str) -> str:
    who = fight.cast[actor]
    others = [name for name in fight.cast if name != actor]
    gear = [weapon.name for weapon in who.weapons] or ["pelea"]
    shields = [] if who.shield is None else [who.shield.name]
    worn = [piece.name for piece in who.armour]
    somebody = [*others, "Fantasma"] if dice.random() < 0.1 else others
    weapons = [*gear, *shields, "pelea", "shield", ", ".join(gear[:2])]
    choices: dict[str, list[str]] = {
        "target": somebody if dice.random() < 0.8 else [", ".join(others[:2])],
        "to": somebody,
        "toward": somebody,
        "away": somebody,
        "against": [", ".join(dice.sample(others, dice.randint(1, len(others))))],
        "weapon": weapons,
        "weapon_2": weapons,
        "target_weapon": weapons,
        "zone": [*TABLES.zones, "tail"],
        "hand": ["off"],
        "manner": ["throw"],
        "levels": ["1", "2", "x"],
        "varas": [str(varas) for varas in range(15)],
        "arm": ["left_arm", "right_arm"],
        "with": [*DEFENCES, "flee"],
        "defences": ["parry", "shield_parry, dodge", "parry, parry", "dodge, dodge, parry"],
        "item": [*gear, *shields, *worn, "llave"],
        "armour": [piece.name for piece in who.stowed] or ["arnés"],
        "blow": ["first", "second"],
    }
    return dice.choice(choices[field])
