"""Telling made-up stories once, so that a game master hears of a broken template beforehand."""

from datetime import UTC, datetime
from typing import Final

from referee.narration.narrator import Narrator
from referee.narration.sandbox import TemplateFailedError, TemplateProblem
from referee.narration.stories import (
    Answer,
    Applied,
    Asked,
    Choice,
    Closing,
    Die,
    Fact,
    FreeRoll,
    FreeRolls,
    Game,
    Introduction,
    Missed,
    Receipt,
    RoundReport,
    Ruling,
    Seat,
    Status,
    Trouble,
)
from rulesets.core.dice import Roll
from rulesets.core.events import Event
from rulesets.core.modifiers import Modifier, Total
from rulesets.core.questions import Question
from rulesets.core.ruleset import Combatant

_NOW: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)
_GAME: Final = Game("rehearsal", "", {"A": "m", "B": "f"})
_SEATS: Final = (Seat("A", "a", ("ana",)), Seat("B", "b", npc=True))
_ROSTER: Final = (
    Combatant("A", "a", npc=False, declares=True, out=False, gauges=(("hp", 5, 9),), position=1),
    Combatant("B", "b", npc=True, declares=True, out=True, conditions=("prone",)),
)
_ROLLS: Final = (
    Roll("A.attack", (100,), (7,), against=Total((Modifier(40, "skill", ""),))),
    Roll("A.damage#2", (6, 6), (1, 2), kept=(True, False)),
)
_TROUBLES: Final = (Trouble("empty_tag", "[x:]", {"keyword": "x"}, "[x: y]", "ana", url="u"),)
_ASKED: Final = (
    Asked(Question("A.choice", "A", ("x", "y"), "x", ""), (Choice("x", "[x]"),), ("ana",), _NOW),
)
_RULINGS: Final = (Ruling("R1", Event(actor="A"), {}, "[x]"),)
_RECEIPTS: Final = (Receipt("A", ("[x]",), final=True, by="ana"),)
_NOTES: Final = (Fact("not_paused"),)


def rehearsed(narrator: Narrator) -> tuple[TemplateProblem, ...]:
    """Everything that is wrong with a narrator's templates, messages and phrases, each once."""
    problems = list(narrator.unreadable())
    narrator.problems()
    acts = (
        lambda: narrator.introduction(
            Introduction(_GAME, ("ana",), _SEATS, ("[x]",), (Fact("order_free"),), "x"), ""
        ),
        lambda: narrator.status(
            Status(_GAME, 1, "declaring", (), _ROLLS, _ROSTER, ("A", "B"), _RECEIPTS, _SEATS,
                   _NOW, _TROUBLES, _ASKED, _RULINGS, _NOTES, "x"),
            "",
        ),
        lambda: narrator.round_report(
            RoundReport(_GAME, 1, (), _ROLLS, _ROSTER, _ROSTER, _RECEIPTS, _TROUBLES,
                        (_ASKED[0].question,), (Missed("A", "defend"),), _RULINGS, _NOTES, "x"),
            "",
        ),
        lambda: narrator.applied(
            Applied(_GAME, 1, _NOTES, (), _ROLLS, _ROSTER, _ROSTER, _RULINGS, "x"), ""
        ),
        lambda: narrator.rolls(
            FreeRolls(_GAME, (FreeRoll("A", "1d6", (Die(6, 3),), 3, "x"),), _TROUBLES, "x"), ""
        ),
        lambda: narrator.answer(
            Answer(_GAME, _TROUBLES, _NOTES, _ASKED, _RULINGS, "x\n- y [z]", "x"), ""
        ),
        lambda: narrator.closing(Closing(_GAME, "over", 1, _ROSTER, _NOTES, "x"), ""),
    )  # fmt: skip
    for act in acts:
        try:
            act()
        except TemplateFailedError as error:
            problems.extend(error.problems)
    return tuple(dict.fromkeys((*problems, *narrator.problems())))
