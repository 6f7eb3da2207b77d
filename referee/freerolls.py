"""Free rolls: dice that anybody may ask for at any time, answered with evidence of their own."""

import re
from collections.abc import Sequence
from typing import Any, Final

from referee.declaring import Said
from referee.evidence import LockedWords, SeedDice, next_commits, public_input
from referee.narration.stories import Die, not_understood
from referee.narration.stories import FreeRoll as ToldRoll
from referee.storage.records import PostRow
from referee.table import Sitting
from referee.tags import FreeRoll, FreeRollResult, TagProblem, roll
from referee.telling import Rolled
from rulesets.core.declarations import fold
from rulesets.core.modifiers import Modifier, Total
from rulesets.core.questions import SetupError
from rulesets.core.ruleset import Judgement, JudgesRolls

_DICE: Final = re.compile(r"[dD](?:\d|%)|\d[dD](?!\w)")


def answer_rolls(at: Sitting, version: PostRow, said: Sequence[Said]) -> None:
    """Roll what a post asks for, on the next roll seed, and put out one answer.

    The seed was committed to in an earlier post, and the words asked for go into every die, so
    neither the referee nor the player can choose what comes.
    """
    number = _next_number(at)
    seed = at.records.seed(at.key, f"roll.{number}")
    if seed is None:
        raise LookupError(f"{at.key}: no seed roll.{number}")
    words = [LockedWords(item.post_id, item.author_id, item.words) for item in said]
    dice = SeedDice(seed.secret, public_input(seed.name, at.key, words))
    answers = Rolled()
    for count, item in enumerate(said, start=1):
        if not isinstance(item.value, FreeRoll):
            continue
        label = f"{item.value.actor or version.author_name or version.author_id}.roll"
        if count > 1:
            label = f"{label}#{count}"
        result = _rolled(at, item.value, label, dice)
        if isinstance(result, TagProblem):
            answers.troubles.append(not_understood(result, version.author_name, version.url))
            continue
        answers.told.append(_told(version, item.value, result, _judged(at, item.value, result)))
        answers.dice.append(result.roll)
    mark = at.new_mark()
    commits = {name: at.new_seed(name, mark) for name in next_commits("rolls", number)}
    at.records.set_seed(at.key, seed.name, revealed_by=mark)
    text = at.table.telling.rolls(mark, seed, words, commits, answers)
    at.put_out("rolls", mark, text)
    at.log(
        "rolled",
        version.author_id,
        seed=seed.name,
        mark=mark,
        commits=commits,
        post=version.post_id,
        words=[item.words for item in said],
        rolls=[
            {
                "label": one.label,
                "sides": list(one.sides),
                "faces": list(one.faces),
                "kept": list(one.kept),
            }
            for one in answers.dice
        ],
        totals=[one.value for one in answers.told],
    )


def _next_number(at: Sitting) -> int:
    number = 1
    while True:
        seed = at.records.seed(at.key, f"roll.{number}")
        if seed is None or not seed.revealed_by:
            return number
        number += 1


def _rolled(
    at: Sitting, asked: FreeRoll, label: str, dice: SeedDice
) -> FreeRollResult | TagProblem:
    """One roll, with figures of the character's sheet as it stands at.now."""

    def figure(word: str) -> int | None:
        fight = _fight(at) if asked.actor else None
        if fight is None:
            return None
        name = at.table.telling.figure(word) or fold(word)
        return at.table.ruleset.roll_value(fight, asked.actor, name)

    return roll(asked.expression, dice, label, figure)


def _fight(at: Sitting) -> Any:
    """The fight as it stands, or as it would begin; None where its sheets cannot be read."""
    here = at.situation()
    try:
        if here.round is not None and here.round.status == "declaring":
            return at.table.load(here.round.state_opened)
        if here.fight is not None:
            return at.table.load(here.fight.state)
        return at.table.ruleset.new_fight(at.table.setup, at.table.tables)
    except SetupError:
        return None


def _judged(at: Sitting, asked: FreeRoll, result: FreeRollResult) -> Judgement | None:
    """What a roll came to against its difficulty, in games whose difficulties have names."""
    difficulty, game = asked.fields.get("difficulty", ""), at.table.ruleset
    if not difficulty or not isinstance(game, JudgesRolls):
        return None
    fight = _fight(at)
    return None if fight is None else game.judge(fight, result.total, difficulty)


def _told(
    version: PostRow, asked: FreeRoll, result: FreeRollResult, judged: Judgement | None
) -> ToldRoll:
    kept = result.roll.kept or (True,) * len(result.roll.faces)
    parts = tuple(
        Modifier(part.value, part.text, "") for part in result.parts if not _has_dice(part.text)
    )
    return ToldRoll(
        author=asked.actor or version.author_name,
        expression=asked.expression,
        dice=tuple(
            Die(sides, face, counts)
            for sides, face, counts in zip(result.roll.sides, result.roll.faces, kept, strict=True)
        ),
        value=result.total,
        reason=asked.reason,
        difficulty=asked.fields.get("difficulty", ""),
        result="" if judged is None else judged.result,
        degrees=0 if judged is None else judged.degrees,
        parts=Total(parts),
    )


def _has_dice(text: str) -> bool:
    """Whether a part of an expression is dice: ``4d6k3``, ``d%``, or a pool such as ``4D+2B``."""
    return _DICE.search(text) is not None
