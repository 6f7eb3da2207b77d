"""Eight against eight: an ambush, riders, archers, a sweep, a flight and deaths, ten rounds long.

No game master acts: a ruling that is open stands in the events, and the round ends all the same.
"""

from collections import Counter
from typing import Any

import pytest

from rulesets.core.declarations import Declaration
from rulesets.core.questions import Answers, Question
from rulesets.core.ruleset import Outcome
from tests.rulesets.playing import HashDice, act, aquelarre, fight_of, who

ROUNDS = 10
SEEDS = ("molino", "puente", "vado")

SWORD: dict[str, Any] = {
    "strength": 14,
    "dexterity": 14,
    "agility": 13,
    "endurance": 26,
    "skills": {"swords": 60, "shields": 40, "dodge": 35},
    "weapons": ["espada"],
    "shield": "escudo de madera",
    "armour": ["gambesón"],
}
BOW: dict[str, Any] = {
    "strength": 12,
    "perception": 15,
    "agility": 15,
    "endurance": 22,
    "skills": {"bows": 55, "knives": 35},
    "weapons": ["arco corto", "cuchillo"],
}
RIDER: dict[str, Any] = {
    "strength": 15,
    "agility": 14,
    "endurance": 28,
    "skills": {"spears": 65, "riding": 70, "shields": 40},
    "weapons": ["lanza"],
    "shield": "rodela",
    "armour": ["cota de malla"],
    "mount": {"name": "Bayo", "hp_max": 30},
}
AXE: dict[str, Any] = {
    "strength": 18,
    "agility": 11,
    "endurance": 30,
    "skills": {"axes": 60},
    "weapons": ["hacha de armas"],
    "armour": ["peto de cuero"],
}

CAST = {
    **{f"Peón {n}": who("a", **SWORD) for n in (1, 2, 3)},
    "Hachero": who("a", **AXE),
    **{f"Arquero {n}": who("a", **BOW) for n in (1, 2)},
    **{f"Jinete {n}": who("a", state={"conditions": ["mounted"]}, **RIDER) for n in (1, 2)},
    **{f"Bandido {n}": who("b", npc=True, **SWORD) for n in (1, 2, 3, 4, 5)},
    **{f"Montero {n}": who("b", npc=True, **BOW) for n in (1, 2)},
    "Cobarde": who("b", npc=True, **SWORD),
}
PLACES = {
    **{f"Peón {n}": 0 for n in (1, 2, 3)},
    "Hachero": 0,
    **{f"Arquero {n}": -25 for n in (1, 2)},
    **{f"Jinete {n}": -15 for n in (1, 2)},
    **{f"Bandido {n}": 1 for n in (1, 2, 3, 4, 5)},
    "Cobarde": 1,
    **{f"Montero {n}": 30 for n in (1, 2)},
}


def standing(fight: Any) -> dict[str, Any]:
    return {one.name: one for one in aquelarre().game.roster(fight) if not one.out}


def declared(fight: Any, number: int) -> list[Declaration]:
    """What each would do who knows the game and has no mind of his own."""
    up = standing(fight)
    said: list[Declaration] = []
    for name, one in up.items():
        foes = [other for other in up.values() if other.side != one.side]
        if not foes or not one.declares:
            continue
        near = [foe for foe in foes if abs((foe.position or 0) - (one.position or 0)) <= 2]
        foe = (near or foes)[number % len(near or foes)].name
        if name.startswith(("Arquero", "Montero")):
            said += [act(name, "attack", target=foe)] if number % 2 else [act(name, "reload")]
        elif name == "Cobarde" and number >= 3:
            said += [act(name, "flee")] if number == 3 else [act(name, "run", away=foe)]
        elif name.startswith("Jinete") and number == 1:
            said += [act(name, "mounted_charge", target="Bandido 1")]
        elif name == "Hachero" and len(near) > 1:
            said += [act(name, "sweep", target=", ".join(f.name for f in near[:3]))]
        elif near:
            said += [act(name, "attack", target=foe), act(name, "parry")]
        else:
            said += [act(name, "walk", toward=foe), act(name, "attack", target=foe)]
    return said


def fought(seed: str) -> list[Outcome]:
    game = aquelarre().game
    fight = fight_of(
        CAST,
        scene={
            "positions": PLACES,
            "light": "day",
            "ambush": {"by": "Bandido 1", "against": ["Peón 1", "Peón 2", "Hachero"]},
        },
    )
    told: list[Outcome] = []
    for number in range(1, ROUNDS + 1):
        opened = game.open_round(fight, HashDice(f"{seed} open {number}"))
        claims = declared(opened.fight, number)
        result = game.resolve(opened.fight, claims, HashDice(f"{seed} lock {number}"), Answers())
        assert not isinstance(result, Question)
        fight = game.load(game.dump(result.fight), aquelarre().tables)
        assert game.dump(fight) == game.dump(result.fight)
        told += [opened, result]
    return told


@pytest.mark.parametrize("seed", SEEDS)
def test_eight_against_eight_fight_ten_rounds_with_no_game_master(seed: str) -> None:
    told = fought(seed)
    assert len(told) == 2 * ROUNDS
    kinds = Counter(event.type for outcome in told for event in outcome.events)
    assert kinds["attack"] > 40
    assert kinds["damage"] > 10
    assert kinds["wound"] > 3


def test_the_battles_show_all_that_the_source_describes() -> None:
    events = [event for seed in SEEDS for outcome in fought(seed) for event in outcome.events]
    kinds = {getattr(event, "kind", "") for event in events if event.type == "attack"}
    assert {"mounted_charge", "ranged_attack", "melee_attack", "sweep"} <= kinds
    assert any(event.type == "opposed" and event.kind == "ambush" for event in events)
    assert any(event.type == "condition" and event.condition == "flight_ready" for event in events)
    assert any(event.type == "death" for event in events)


def test_the_same_battle_is_the_same_again() -> None:
    first, again = fought("vado"), fought("vado")
    assert [outcome.events for outcome in first] == [outcome.events for outcome in again]
