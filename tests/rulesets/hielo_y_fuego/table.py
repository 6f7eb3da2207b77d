"""A table of Canción de Hielo y Fuego: fights in a line, rounds in a call."""

from collections.abc import Mapping
from typing import Any

from referee.scenarios import Bench, builtin_bench
from rulesets.core.declarations import Declaration, Kind
from rulesets.core.questions import Answers, Question
from rulesets.core.ruleset import CharacterSetup, Outcome, Setup
from tests.rulesets.playing import FixedDice, act, codes, told

__all__ = ["FixedDice", "act", "codes", "fight_of", "hf", "order", "play", "told", "who"]

NAME = "hielo_y_fuego"


def hf() -> Bench:
    """The game as it comes."""
    return builtin_bench(NAME)


def who(side: str = "a", *, npc: bool = False, state: Any = None, **sheet: Any) -> dict[str, Any]:
    """A character of the usual ranks, with what is said otherwise."""
    return {"side": side, "npc": npc, "sheet": sheet, "state": state or {}}


def fight_of(
    cast: Mapping[str, dict[str, Any]],
    scene: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Any:
    """A fight before its first round."""
    characters = tuple(CharacterSetup(name, **fields) for name, fields in cast.items())
    return hf().game.new_fight(Setup(characters, scene or {}, options or {}), hf().tables)


def order(actor: str, verb: str, *clauses: str) -> Declaration:
    """A standing order."""
    return Declaration(actor, Kind.STANDING, verb, clauses=clauses)


def play(
    fight: Any,
    *declarations: Declaration,
    dice: Any = None,
    answers: Answers | None = None,
) -> Outcome:
    """Open a round and play it."""
    dice = dice or FixedDice()
    opened = hf().game.open_round(fight, dice).fight
    found = hf().game.resolve(opened, declarations, dice, answers or Answers())
    assert not isinstance(found, Question), found
    return found
