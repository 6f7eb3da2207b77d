"""Random fights: any cast, any scene, and rounds that people might declare."""

import random
from collections.abc import Sequence
from typing import Any

from rulesets.core.declarations import Declaration, Kind, Timing
from rulesets.hielo_y_fuego.actions import ACTIONS, ORDERS
from rulesets.hielo_y_fuego.fight import Fight
from rulesets.hielo_y_fuego.options import CHOICES
from rulesets.hielo_y_fuego.others import HELPED
from rulesets.hielo_y_fuego.reading import DESTINY
from rulesets.hielo_y_fuego.rows import ABILITIES, CRAFTS
from tests.rulesets.hielo_y_fuego.table import fight_of, hf

TABLES = hf().tables
WEAPONS = [row.names[0] for name, row in TABLES.weapons.items() if name != "fist"]
NAMES = ("Edric", "Jeyne", "Mero", "Lyn", "Torrhen")
MOUNTS = ("Sombra", "Bayo")
CLAUSES = (
    "salud",
    "leve",
    "leve x2",
    "grave",
    "grave aunque muera",
    "leve si daño >= 4",
    "grave si cae con leve",
    "leve si no cae y graves < 2",
)
FATES = ("perdonar", "capturar", "inconsciente", "mutilar", "matar")
GIVEN = ("prone", "stunned", "unconscious", "unaware", "passed", "helpless", "yielded", "cautious")


def lot_of(seed: int) -> random.Random:
    """Choices that a seed repeats."""
    return random.Random(seed)  # noqa: S311 -- fights, not secrets


def wild_fight(lot: random.Random) -> Fight:
    """A fight of two to five, some of them in the saddle."""
    names = NAMES[: lot.randint(2, 5)]
    cast: dict[str, Any] = {}
    for place, name in enumerate(names):
        sheet: dict[str, Any] = {key: lot.randint(1, 6) for key in ABILITIES}
        chosen = lot.sample(sorted(TABLES.specialties), 12)
        sheet["specialties"] = {key: lot.randint(1, 3) for key in chosen}
        sheet["weapons"] = [_weapon(lot, n) for n in lot.sample(WEAPONS, lot.randint(0, 4))]
        sheet["armor"] = lot.choice(sorted(TABLES.armour))
        sheet["destiny_points"] = lot.choice([0, 0, 1, 3])
        if lot.random() < 0.3:
            sheet["combat_defense"] = lot.randint(1, 15)
        conditions = [condition for condition in GIVEN if lot.random() < 0.12]
        state: dict[str, Any] = {"conditions": conditions, "wounds": lot.choice([0, 0, 0, 1])}
        state["wounds"] = min(state["wounds"], sheet["endurance"] - 1)
        cast[name] = {"side": "ab"[place % 2], "npc": place > 2, "sheet": sheet, "state": state}
    for mount, rider in zip(MOUNTS, lot.sample(names, 2), strict=False):
        if lot.random() < 0.4:
            cast[rider]["sheet"]["mount"] = mount
            cast[rider]["state"]["mounted"] = lot.random() < 0.8
            kind = lot.choice(["garrón", "corcel", "destrero"])
            cast[mount] = {"side": cast[rider]["side"], "npc": True, "sheet": {"mount_type": kind}}
    one, other = lot.sample(names, 2)
    if lot.random() < 0.3:
        cast[one]["state"][lot.choice(["grabbing", "pinning"])] = other
    return fight_of(cast, _scene(lot, names), _options(lot))


def _weapon(lot: random.Random, name: str) -> Any:
    if lot.random() < 0.8:
        return name
    return {"name": f"Mi {name}", "base": name, "craft": lot.choice(CRAFTS)}


def _scene(lot: random.Random, names: Sequence[str]) -> dict[str, Any]:
    scene: dict[str, Any] = {"hazards": ["precipicio"]}
    if lot.random() < 0.7:
        one, other = names[:2]
        scene["distances"] = {one: {other: lot.choice([1, 2, 3, 4, 8, 11, 30])}}
    scene["surprised"] = [name for name in names if lot.random() < 0.2]
    scene["elevation"] = {name: lot.randint(0, 2) for name in names if lot.random() < 0.3}
    if lot.random() < 0.3:
        scene["difficulties"] = {f"{names[0]}.test": lot.choice([9, "Rutina"])}
    return scene


def _options(lot: random.Random) -> dict[str, Any]:
    if lot.random() < 0.6:
        return {}
    picked = lot.sample(sorted(CHOICES), 5)
    options: dict[str, Any] = {name: lot.choice(CHOICES[name]) for name in picked}
    options["aim_carry"] = lot.random() < 0.5
    options["stunned_can_act"] = lot.random() < 0.5
    options["maneuvers_count_as_attack"] = lot.random() < 0.5
    options["passive_specialty"] = lot.random() < 0.5
    options["reach_penalty_adjacent"] = lot.choice([0, 1])
    options["default_damage_order"] = lot.choice(["salud", "leve si no cae", "grave | leve"])
    return options


def wild_round(lot: random.Random, fight: Fight) -> list[Declaration]:
    """What everybody declares: mostly sensible, sometimes nonsense."""
    declared: list[Declaration] = []
    for name in fight.cast:
        verbs = [lot.choice(sorted(ACTIONS)) for _ in range(lot.randint(0, 3))]
        declared += [wild_action(lot, fight, name, verb) for verb in verbs]
        if lot.random() < 0.4:
            declared.append(wild_order(lot, name))
    return declared


def wild_order(lot: random.Random, actor: str) -> Declaration:
    """A standing order."""
    verb = lot.choice(sorted(ORDERS))
    clauses = {
        "wounds": lot.sample(CLAUSES, lot.randint(0, 3)),
        "defeat": [lot.choice(FATES)],
        "fumble": ["destino"],
        "knocked_out": ["destino"],
    }[verb]
    return Declaration(actor, Kind.STANDING, verb, clauses=tuple(clauses))


def wild_action(lot: random.Random, fight: Fight, actor: str, verb: str) -> Declaration:
    """One action of somebody, with fields that fit more often than not."""
    row = ACTIONS[verb].verb
    others = [name for name in fight.cast if name != actor]
    timing = None
    if lot.random() < 0.15:
        kind = lot.choice(["after", "before", "when"])
        event = lot.choice(["falls", "attacked"]) if kind == "when" else ""
        timing = Timing(kind, lot.choice([*others, ""] if event else others), event=event)
    fallback = None
    if lot.random() < 0.1:
        fallback = Declaration(actor, Kind.ACTION, lot.choice(["aim", "attack", "stand_up"]))
    return Declaration(
        actor,
        Kind.ACTION,
        verb,
        _fields(lot, fight, actor, row.fields),
        tuple(flag for flag in row.flags if lot.random() < 0.5),
        timing=timing,
        fallback=fallback,
    )


def _fields(lot: random.Random, fight: Fight, actor: str, names: Sequence[str]) -> dict[str, str]:
    always = ("target", "targets", "ability", "item")
    return {
        name: _value(lot, fight, actor, name)
        for name in names
        if name in always or lot.random() < (0.15 if name == "destiny" else 0.4)
    }


def _value(lot: random.Random, fight: Fight, actor: str, field: str) -> str:
    who = fight.cast[actor]
    others = [name for name in fight.cast if name != actor]
    gear = [weapon.name for weapon in who.weapons] or ["puño"]
    choices: dict[str, list[str]] = {
        "target": [*others] if lot.random() < 0.95 else ["Fantasma"],
        "targets": [", ".join(lot.sample(others, min(len(others), lot.randint(1, 3))))],
        "weapon": [*gear, "puño"],
        "off_hand": [*gear, "puño"],
        "dice": ["2/1", "1/1", "9/9", "x"],
        "bonus": ["1/0", "0/1"],
        "destiny": [*DESTINY, "que llueva"],
        "helps": [*HELPED],
        "ability": [*ABILITIES],
        "specialty": sorted(TABLES.specialties),
        "kind": ["minor", "major"],
        "push": ["1", "2"],
        "hazard": ["precipicio", "allá"],
        "toward": others,
        "away": others,
        "passing": others,
        "metres": ["0", "1", "3", "9", "lejos"],
        "draw": gear,
        "take": gear,
        "item": [*gear, "llave"],
        "catch": ["yes", "no"],
        "use": ["una antorcha"],
        "difficulty": ["9", "Rutina", "rara"],
    }
    return lot.choice(choices[field])
