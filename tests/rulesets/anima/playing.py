"""How Ánima's tests play: fighters in a line, assaults in a call, fights that nobody thought of."""

import itertools
import random
from collections.abc import Mapping
from typing import Any

from referee.scenarios import Bench, builtin_bench
from rulesets.anima.actions import ACTIONS, ORDERS
from rulesets.anima.fight import Fight
from rulesets.core.declarations import Declaration, Kind, Timing
from rulesets.core.questions import Answers, Question
from rulesets.core.ruleset import CharacterSetup, Outcome, Setup
from tests.rulesets.playing import FixedDice

NAMES = ("Kyra", "Bruno", "Lena", "Orco", "Mago", "Ogro")
WEAPONS = ("espada larga", "daga", "mandoble", "arco largo", "hacha de mano", "maza ligera")


def anima() -> Bench:
    """Ánima as it comes."""
    return builtin_bench("anima")


def who(side: str = "a", *, npc: bool = False, state: Any = None, **sheet: Any) -> dict[str, Any]:
    """A fighter who can take something."""
    usual = {"final_turn": 60, "attack": 100, "parry": 90, "dodge": 60, "hp": 200}
    return {"side": side, "npc": npc, "sheet": {**usual, **sheet}, "state": state or {}}


def fight_of(
    cast: Mapping[str, dict[str, Any]],
    scene: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Fight:
    """A fight before its first assault."""
    characters = tuple(CharacterSetup(name, **fields) for name, fields in cast.items())
    made: Fight = anima().game.new_fight(
        Setup(characters, scene or {}, options or {}), anima().tables
    )
    return made


def act(actor: str, verb: str, target: str = "", **fields: str) -> Declaration:
    """An action declared."""
    given = {"target": target, **fields} if target else fields
    return Declaration(actor, Kind.ACTION, verb, given)


def order(actor: str, verb: str, **fields: str) -> Declaration:
    """A standing order."""
    return Declaration(actor, Kind.STANDING, verb, fields)


def play(
    fight: Fight,
    *declarations: Declaration,
    dice: Any = None,
    answers: Answers | None = None,
) -> Outcome:
    """Open an assault and play it to its end."""
    rolled = dice or FixedDice()
    opened = anima().game.open_round(fight, rolled)
    found = anima().game.resolve(opened.fight, declarations, rolled, answers or Answers())
    assert not isinstance(found, Question), found
    return found


def told(outcome: Outcome, kind: str) -> list[Any]:
    """The events of one type."""
    return [event for event in outcome.events if event.type == kind]


# ------------------------------------------------------------------ anything whatever


def lot_of(seed: int) -> random.Random:
    """Choices that a seed repeats."""
    return random.Random(seed)  # noqa: S311 -- fights, not secrets


def wild_fight(lot: random.Random) -> Fight:
    """A fight of two to six with whatever the sheets may say."""
    names = NAMES[: lot.randint(2, 6)]
    cast = {name: _wild_fighter(lot, place, names) for place, name in enumerate(names)}
    holder, held = lot.sample(names, 2)
    if lot.random() < 0.3:
        cast[holder]["state"].update(holding=held)
        cast[holder]["state"]["conditions"].append("minor_paralysis")
        cast[held]["state"].update(held_by=holder)
        cast[held]["state"]["conditions"].append("partial_paralysis")
    if lot.random() < 0.3:
        cast[held]["state"].update(threatened_by=holder)
        cast[held]["state"]["conditions"].append("threatened")
    return fight_of(cast, _wild_scene(lot, names), _wild_options(lot))


def _wild_fighter(lot: random.Random, place: int, names: tuple[str, ...]) -> dict[str, Any]:
    def figure(most: int) -> int:
        return lot.randint(0, most)

    sheet: dict[str, Any] = {
        "final_turn": figure(120) - 20,
        "attack": figure(280),
        "parry": figure(250),
        "dodge": figure(250),
        "hp": lot.randint(20, 300),
        "max_actions": lot.randint(1, 4),
        "constitution": lot.randint(2, 12),
        "physical_resistance": figure(90),
        "magic_resistance": figure(90),
        "magic_projection": figure(200),
        "psychic_projection": figure(200),
        "psychic_potential": figure(160),
        "act": figure(60),
        "armour": figure(5),
        "weapons": {name: {} for name in lot.sample(WEAPONS, lot.randint(0, 3))},
        "spells": {
            "descarga": {"damage": 60, "energy": True},
            "escarcha": {"damage": 50, "type": "cold", "area": True},
            "rayo": {"damage": 80, "type": "electricity", "cost": 20},
            "fuego": {"damage": 70, "type": "heat"},
            "parálisis": {
                "essence_only": True,
                "difficulty": 100,
                "condition": "full_paralysis",
                "repeat": True,
            },
        },
        "powers": {"impacto": {"damage": 50, "min_potential": 80}},
        "shields": {"escudo arcano": {"points": figure(200)}} if lot.random() < 0.4 else {},
        "secondary": {"saltar": {"value": 60, "physical": True, "characteristic": "agility"}},
        "intangible": lot.random() < 0.05,
        "ambidextrous": lot.random() < 0.2,
    }
    conditions = [c for c in ("prone", "disarmed", "levitating") if lot.random() < 0.15]
    state: dict[str, Any] = {"conditions": conditions, "pain": lot.choice([0, 0, 12, 40])}
    if "disarmed" in conditions:
        state["weapon_in_hand"] = "none"
    state["stance"] = lot.choice([None, None, None, "offensive", "total_defence", "defensive"])
    state["ready"] = lot.random() < 0.2
    state["engaged"] = lot.random() < 0.2
    state["running_towards"] = lot.choice([None, *(name for name in names if name != names[place])])
    if lot.random() < 0.2:
        state["cold_penalty"], state["shock_penalty"] = figure(20), figure(30)
    return {"side": "ab"[place % 2], "npc": place > 2, "sheet": sheet, "state": state}


def _wild_scene(lot: random.Random, names: tuple[str, ...]) -> dict[str, Any]:
    scene: dict[str, Any] = {"distances": {}, "situations": {}}
    for one, other in itertools.pairwise(names):
        if lot.random() < 0.6:
            scene["distances"][f"{one}-{other}"] = lot.choice([0, 0.5, 1.5, 4, 12, 30, 200])
    for name in names:
        if lot.random() < 0.3:
            id_ = lot.choice(["flank", "surprise", "narrow", "superior_position", "small_enemy"])
            scene["situations"][name] = [{"id": id_}]
    scene["ranged"] = {names[0]: ["cover"]} if lot.random() < 0.3 else {}
    scene["modifiers"] = {names[-1]: {"attack": 10, "all": -5}} if lot.random() < 0.2 else {}
    return scene


def _wild_options(lot: random.Random) -> dict[str, Any]:
    if lot.random() < 0.6:
        return {}
    return {
        "tie_puts_on_defensive": lot.random() < 0.5,
        "counter_bonus": lot.choice(["formula", "table"]),
        "counter_default": lot.choice(["always", "declared_target", "never"]),
        "absorption": lot.choice(["linear", "classic_table"]),
        "npc_dies_at_zero": lot.random() < 0.5,
        "retarget": lot.choice(["random", "drop"]),
        "retarget_on": lot.choice(["down", "dead"]),
        "pain_affects_initiative": lot.choice(["none", "half", "full"]),
        "pain_recovery": lot.choice(["pooled", "per_critical"]),
        "surprise_scope": lot.choice(["first_opposed", "first_action"]),
        "surprise_blocks_attack": lot.choice(["situation", "both", "none"]),
        "stance_leave": lot.choice(["next_round", "at_once"]),
        "shield_breach": lot.choice(["no_defence", "flat"]),
        "resist_blow_floor": lot.choice(["base", "total"]),
        "near_metres": lot.choice(["quarter", 3]),
    }


def wild_round(lot: random.Random, fight: Fight) -> list[Declaration]:
    """What everybody declares: mostly sensible, sometimes nonsense."""
    declared: list[Declaration] = []
    for name in fight.cast:
        verbs = [lot.choice(sorted(ACTIONS)) for _ in range(lot.randint(0, 3))]
        declared += [wild_action(lot, fight, name, verb) for verb in verbs]
        if lot.random() < 0.7:
            declared.append(wild_action(lot, fight, name, "attack"))
        for _ in range(lot.randint(0, 2)):
            verb = lot.choice(sorted(ORDERS))
            row = ORDERS[verb]
            timing = Timing("when", str(lot.randint(20, 90)), event="roll_at_least")
            declared.append(
                Declaration(
                    name,
                    Kind.STANDING,
                    verb,
                    _fields(lot, fight, name, row.fields),
                    tuple(flag for flag in row.flags if lot.random() < 0.3),
                    timing=timing if verb == "hold" else None,
                )
            )
    return declared


def wild_action(lot: random.Random, fight: Fight, actor: str, verb: str) -> Declaration:
    """One action of somebody, with fields that fit more often than not."""
    row = ACTIONS[verb].verb
    others = [name for name in fight.cast if name != actor]
    timing = None
    if lot.random() < 0.25:
        events = ["falls", "attacks", "acts", "attacked"]
        kind = lot.choice(["after", "before", "when"])
        timing = Timing(kind, lot.choice(others), event=lot.choice(events))
    fallback = None
    if lot.random() < 0.1:
        fallback = lot.choice(
            [act(actor, "nothing"), act(actor, "attack", target=lot.choice(others))]
        )
    return Declaration(
        actor,
        Kind.ACTION,
        verb,
        _fields(lot, fight, actor, row.fields),
        tuple(flag for flag in row.flags if lot.random() < 0.2),
        timing=timing,
        fallback=fallback,
    )


def _fields(lot: random.Random, fight: Fight, actor: str, names: tuple[str, ...]) -> dict[str, str]:
    often = {"target": 0.97, "name": 0.97, "to": 0.95, "weapon": 0.4}
    return {
        name: _value(lot, fight, actor, name)
        for name in names
        if lot.random() < often.get(name, 0.25)
    }


def _value(lot: random.Random, fight: Fight, actor: str, field: str) -> str:
    sheet = fight.cast[actor].sheet
    others = [name for name in fight.cast if name != actor]
    several = ", ".join(lot.sample(others, min(2, len(others))))
    own = [weapon.name for weapon in sheet.weapons.values()] or ["desarmado"]
    known = [*sheet.spells, *sheet.powers, *sheet.secondary, "nada"]
    choices: dict[str, list[str]] = {
        "target": [*others, *others, *others, several, "Fantasma"],
        "to": others,
        "toward": others,
        "until": others,
        "against": [*others, several],
        "weapon": [*own, *own, "desarmado", "cuchara"],
        "second_weapon": own,
        "attacks": ["1", "2", "3", "x"],
        "manoeuvre": ["knock_down", "disarm", "grapple", "hold", "disable", "knockout", "area"],
        "zone": ["head", "leg", "arm", "heart", "torso", "cola"],
        "fatigue": ["1", "2", "3"],
        "mode": ["shot", "thrown"],
        "scope": ["area"],
        "distance": ["2", "5", "20", "99", "2,5 m"],
        "name": known,
        "difficulty": ["80", "easy", "x"],
        "shield": [*sheet.shields, "escudo"],
        "moment": ["after_initiative"],
        "text": ["cortar la cuerda"],
        "characteristic": ["strength", "agility", "suerte"],
    }
    return lot.choice(choices[field])
