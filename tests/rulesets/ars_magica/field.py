"""Fights of Ars Magica for the tests: people, horses, and rounds that anybody might declare."""

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from referee.scenarios import Bench, builtin_bench
from rulesets.ars_magica.actions import ACTIONS, ORDERS
from rulesets.ars_magica.commands import COMMANDS
from rulesets.ars_magica.fight import Fight
from rulesets.ars_magica.rows import ABILITIES, CHARACTERISTICS, COVERS, GAITS, PACES, ZONES
from rulesets.core.declarations import Declaration, Kind, Timing
from rulesets.core.questions import Answers, Question
from rulesets.core.ruleset import CharacterSetup, Outcome, Setup
from tests.rulesets.playing import HashDice

ARS = "ars_magica"
SWORDSMAN: Mapping[str, Any] = {
    "dexterity": 1,
    "quickness": 1,
    "stamina": 1,
    "abilities": {"single_weapon": 4, "brawl": 2, "athletics": 2},
    "weapons": ["long_sword"],
    "helmet": "iron_cap",
    "encumbrance": 0,
}
HORSE: Mapping[str, Any] = {
    "size": 3,
    "strength": 6,
    "stamina": 3,
    "dexterity": 1,
    "abilities": {"brawl": 3, "athletics": 5},
    "natural_weapons": ["hooves"],
    "creature": True,
    "trained": True,
    "encumbrance": 0,
}


def ars() -> Bench:
    """Ars Magica as it comes."""
    return builtin_bench(ARS)


def man(side: str = "a", state: Mapping[str, Any] | None = None, **sheet: Any) -> dict[str, Any]:
    """A man with a sword."""
    return {"side": side, "sheet": {**SWORDSMAN, **sheet}, "state": dict(state or {})}


def horse(side: str, rider: str, **sheet: Any) -> dict[str, Any]:
    """A warhorse under its rider."""
    return {
        "side": side,
        "npc": True,
        "sheet": {**HORSE, **sheet},
        "state": {"ridden_by": rider} if rider else {},
    }


def fight_of(
    cast: Mapping[str, dict[str, Any]],
    scene: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Fight:
    """A fight before its first round."""
    characters = tuple(CharacterSetup(name, **fields) for name, fields in cast.items())
    fight: Fight = ars().game.new_fight(Setup(characters, scene or {}, options or {}), ars().tables)
    return fight


def act(
    actor: str, verb: str, flags: Iterable[str] = (), timing: Timing | None = None, **fields: str
) -> Declaration:
    """An action declared."""
    return Declaration(actor, Kind.ACTION, verb, fields, tuple(flags), timing=timing)


def order(actor: str, verb: str, flags: Iterable[str] = (), **fields: str) -> Declaration:
    """A standing order."""
    return Declaration(actor, Kind.STANDING, verb, fields, tuple(flags))


def play(
    fight: Fight, *declarations: Declaration, dice: Any = None, answers: Answers | None = None
) -> Outcome:
    """Open a round and play it."""
    dice = dice or HashDice("field")
    opened = ars().game.open_round(fight, dice)
    found = ars().game.resolve(opened.fight, declarations, dice, answers or Answers())
    assert not isinstance(found, Question), found
    return found


def told(outcome: Outcome, kind: str) -> list[Any]:
    """The events of one type."""
    return [event for event in outcome.events if event.type == kind]


# ------------------------------------------------------------------ fights that nobody thought of

WEAPONS = [name for name, row in ars().tables.weapons.items() if row.kind != "natural"]
NAMES = ("Lope", "Gil", "Ana", "Moro", "Corvus")


def lot_of(seed: int) -> random.Random:
    """Choices that a seed repeats."""
    return random.Random(seed)  # noqa: S311 -- fights, not secrets


def wild_fight(lot: random.Random) -> Fight:
    """Two to five people, some on horses, with whatever fell out of the cart."""
    tables = ars().tables
    names = NAMES[: lot.randint(2, 5)]
    on_line = lot.random() < 0.6
    cast: dict[str, Any] = {}
    for place, name in enumerate(names):
        side = "ab"[place % 2]
        sheet: dict[str, Any] = {key: lot.randint(-3, 5) for key in CHARACTERISTICS}
        sheet["abilities"] = {key: lot.randint(0, 8) for key in lot.sample(ABILITIES, 7)}
        sheet["weapons"] = lot.sample(WEAPONS, lot.randint(0, 3))
        sheet["size"] = lot.choice([0, 0, 0, 1, 2, -2])
        for field, rows in (
            ("shield", tables.shields),
            ("armor", tables.armour),
            ("helmet", tables.helmets),
        ):
            if lot.random() < 0.5:
                sheet[field] = lot.choice(sorted(rows))
        state: dict[str, Any] = {"fatigue": lot.choice([0, 0, 1, 3, 4])}
        state["wounds"] = {lot.choice(["light", "medium", "heavy"]): lot.randint(0, 2)}
        odd = ("prone", "stunned", "unaware", "berserk", "blocked", "bound")
        state["conditions"] = [one for one in odd if lot.random() < 0.08]
        state["loaded"], state["ready"] = lot.random() < 0.4, lot.random() < 0.4
        state["delayed"] = lot.choice([None, None, None, "regular", "both"])
        if on_line:
            state["position"] = lot.randint(-30, 60)
        cast[name] = {"side": side, "sheet": sheet, "state": state}
        if lot.random() < 0.4:
            mount = {"size": lot.choice([1, 2, 3]), "trained": lot.random() < 0.7}
            cast[f"{name}'s horse"] = horse(side, name, **mount)
    return fight_of(cast, _scene(lot, names))


def _scene(lot: random.Random, names: Sequence[str]) -> dict[str, Any]:
    scene: dict[str, Any] = {
        "light": lot.choice(["clear", "clear", "dim", "abyssal"]),
        "terrain": {lot.choice(["all", names[0]]): lot.sample(["difficult", "hazard"], 1)},
        "cover": {names[0]: lot.choice(COVERS)},
        "high_ground": [names[-1]],
        "place": {names[1]: lot.choice(["wall", "corridor"])},
        "spots": {"tapia": {"position": 10, "cover": "half"}},
        "surface": lot.choice(["normal", "hard", "soft"]),
    }
    if lot.random() < 0.3:
        scene["light_source"] = "torchlight"
    return scene


def wild_round(lot: random.Random, fight: Fight) -> list[Declaration]:
    """What everybody declares: mostly sensible, sometimes nonsense."""
    declared: list[Declaration] = []
    for name in fight.cast:
        verbs = [lot.choice(sorted(ACTIONS)) for _ in range(lot.randint(0, 3))]
        declared += [wild_action(lot, fight, name, verb) for verb in verbs]
        if lot.random() < 0.3:
            verb = lot.choice(sorted(ORDERS))
            fields = _fields(lot, fight, name, ORDERS[verb].fields)
            declared.append(Declaration(name, Kind.STANDING, verb, fields, ORDERS[verb].flags))
    if lot.random() < 0.4:
        verb = lot.choice(sorted(set(COMMANDS) - {"scene_end"}))
        fields = _fields(lot, fight, "", COMMANDS[verb].fields)
        declared.append(Declaration("", Kind.COMMAND, verb, fields))
    return declared


def wild_action(lot: random.Random, fight: Fight, actor: str, verb: str) -> Declaration:
    """One action of somebody, with fields that fit more often than not."""
    row = ACTIONS[verb].verb
    others = [name for name in fight.cast if name != actor]
    timing = None
    if lot.random() < 0.2:
        timing = Timing(
            lot.choice(["after", "before", "when"]),
            lot.choice(others),
            event=lot.choice(["falls", "attacked", "enters_reach", "in_range"]),
        )
    fallback = None
    if lot.random() < 0.1:
        fallback = Declaration(actor, Kind.ACTION, "attack", {"target": lot.choice(others)})
    return Declaration(
        actor,
        Kind.ACTION,
        verb,
        _fields(lot, fight, actor, row.fields),
        tuple(flag for flag in row.flags if lot.random() < 0.25),
        timing=timing,
        fallback=fallback,
    )


def _fields(lot: random.Random, fight: Fight, actor: str, names: Sequence[str]) -> dict[str, str]:
    needed = ("target", "targets", "ward", "character", "source", "metres", "difficulty")
    return {
        name: _value(lot, fight, actor, name)
        for name in names
        if name in needed or lot.random() < 0.4
    }


def _value(lot: random.Random, fight: Fight, actor: str, field: str) -> str:
    others = [name for name in fight.cast if name != actor] + ["Fantasma"]
    tables = ars().tables
    choices: dict[str, Sequence[str]] = {
        "targets": [", ".join(lot.sample(others, 2)), others[0]],
        "weapon": WEAPONS,
        "zone": ZONES,
        "type": ["slash", "pierce", "crush"],
        "pace": [*PACES, *GAITS[1:]],
        "exertion": ["rider"],
        "wall": ["pared"],
        "item": ["amuleto"],
        "to": ["-40", "0", "25", "tapia", "nowhere"],
        "distance": ["1", "5", "x"],
        "spell": ["Pilum"],
        "mechanism": ["pulleys"],
        "name": ["atar"],
        "rounds": ["1", "2", "x"],
        "difficulty": ["6", "9"],
        "text": ["¡a mí!"],
        "with": ["dexterity", "strength", "ride", "weapon"],
        "source": sorted(tables.elements),
        "part": sorted(tables.parts),
        "moment": ["start", ""],
        "metres": ["2", "9"],
        "surface": sorted(tables.surfaces),
        "bruise": ["light", "fatal"],
        "magic": ["3"],
    }
    return lot.choice(choices.get(field, others))
