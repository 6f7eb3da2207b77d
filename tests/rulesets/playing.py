"""How the tests of the games play: dice without a list, fights in a line, rounds in a call."""

import hashlib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from referee.scenarios import Bench, ScenarioFile, builtin_bench, read_scenarios
from rulesets.core.declarations import Declaration, Kind, Timing
from rulesets.core.questions import Answers, Question
from rulesets.core.ruleset import CharacterSetup, Outcome, Setup

SCENARIOS = Path(__file__).parents[1] / "scenarios"


class HashDice:
    """Dice whose faces depend on seed and label alone, the same in every process."""

    def __init__(self, seed: str) -> None:
        self.seed = seed

    def face(self, label: str, index: int, sides: int) -> int:
        text = f"{self.seed}|{label}|{index}".encode()
        return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest()) % sides + 1


class FixedDice:
    """Faces by label; every other die shows the middle of its faces (a plain success mostly)."""

    def __init__(self, faces: Mapping[str, int | list[int]] | None = None, other: int = 0) -> None:
        self.faces = faces or {}
        self.other = other
        self.rolled: list[str] = []

    def face(self, label: str, index: int, sides: int) -> int:
        self.rolled.append(label)
        faces = self.faces.get(label)
        if faces is None:
            return min(self.other or (sides + 1) // 2, sides)
        return faces[index] if isinstance(faces, list) else faces


@lru_cache(maxsize=8)
def scenario_file(name: str) -> ScenarioFile:
    """A game's own scenarios."""
    path = SCENARIOS / f"{name}.yaml"
    read = read_scenarios(path.read_text(encoding="utf-8"), path.name)
    assert isinstance(read, ScenarioFile), read.diff
    return read


AQUELARRE = "aquelarre"
STRONG: Mapping[str, Any] = {
    "strength": 14,
    "agility": 12,
    "dexterity": 12,
    "endurance": 15,
    "perception": 12,
}


def aquelarre() -> Bench:
    """Aquelarre as it comes."""
    return builtin_bench(AQUELARRE)


def who(side: str = "a", *, npc: bool = False, state: Any = None, **sheet: Any) -> dict[str, Any]:
    """A character, strong enough for every weapon of one hand."""
    return {"side": side, "npc": npc, "sheet": {**STRONG, **sheet}, "state": state or {}}


def fight_of(
    cast: Mapping[str, dict[str, Any]],
    scene: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Any:
    """A fight of Aquelarre before its first round."""
    bench = aquelarre()
    characters = tuple(CharacterSetup(name, **fields) for name, fields in cast.items())
    return bench.game.new_fight(Setup(characters, scene or {}, options or {}), bench.tables)


def act(
    actor: str,
    verb: str,
    target: str = "",
    *,
    flags: Iterable[str] = (),
    timing: Timing | None = None,
    fallback: Declaration | None = None,
    **fields: str,
) -> Declaration:
    """An action declared."""
    given = {"target": target, **fields} if target else fields
    return Declaration(
        actor, Kind.ACTION, verb, given, tuple(flags), timing=timing, fallback=fallback
    )


def order(actor: str, verb: str, **fields: str) -> Declaration:
    """A standing order."""
    return Declaration(actor, Kind.STANDING, verb, fields)


def opened(fight: Any, dice: Any = None) -> Any:
    """The fight with its next round open."""
    return aquelarre().game.open_round(fight, dice or FixedDice()).fight


def play(
    fight: Any,
    *declarations: Declaration,
    dice: Any = None,
    answers: Answers | None = None,
    initiative: Mapping[str, int] | None = None,
) -> Outcome:
    """Open a round and play it; who acts when can be fixed by initiative dice."""
    faces = {f"{name}.initiative": face for name, face in (initiative or {}).items()}
    opening = FixedDice(faces) if dice is None or faces else dice
    found = aquelarre().game.resolve(
        opened(fight, opening), declarations, dice or FixedDice(), answers or Answers()
    )
    assert not isinstance(found, Question), found
    return found


def asked(fight: Any, *declarations: Declaration, given: Mapping[str, str] | None = None) -> Any:
    """What a round of a table that asks comes to: an outcome or a question."""
    answers = Answers(given or {}, ask=True)
    return aquelarre().game.resolve(opened(fight), declarations, FixedDice(), answers)


def told(outcome: Outcome, kind: str) -> list[Any]:
    """The events of one type."""
    return [event for event in outcome.events if event.type == kind]


def codes(outcome: Outcome) -> list[str]:
    """Codes of the refusals."""
    return [rejection.code for rejection in outcome.rejections]
