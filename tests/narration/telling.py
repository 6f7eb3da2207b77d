"""A narrator for tests, and an invented round that has a little of everything."""

from datetime import UTC, datetime
from functools import cache
from typing import Any, Final
from zoneinfo import ZoneInfo

from adapters.base import Capabilities
from referee.data import Data
from referee.narration import Narrator, Sources
from referee.narration.stories import (
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
from referee.tags import Vocabulary
from rulesets.aquelarre import events as aq
from rulesets.core.dice import Roll
from rulesets.core.modifiers import Modifier, Total
from rulesets.core.questions import Question
from rulesets.core.ruleset import Combatant
from rulesets.registry import ruleset

LANGUAGES: Final = ("es", "en")
DIALECTS: Final = {"bbcode": "spoiler", "markdown": "details", "html": "details", "text": ""}
MARK: Final = "ref-bcdfghjk"
EVIDENCE: Final = "PBW-EVIDENCE 1 round 3\nreveal lock.3 0011 2233\nsum 12345678 12345678"
GENDERS: Final = {"Lope": "m", "Iria": "f", "Ignotus": "m", "Bandido 1": "m", "Bandido 2": "m"}
GAME: Final = Game("burgos.1", "aquelarre", GENDERS, ZoneInfo("Europe/Madrid"))


@cache
def sources(lang: str, game: str = "aquelarre") -> Sources:
    data = Data()
    names = [name for name in (game, "common") if data.has_terms(lang, name)]
    return Sources(
        templates=[data.templates(lang)],
        dialects=[data.dialect_templates()],
        messages=[data.messages(lang)],
        terms=[data.terms(lang, name) for name in names],
        phrases=data.phrases(lang, game),
    )


@cache
def vocabulary(lang: str) -> Vocabulary:
    data, game = Data(), ruleset("aquelarre")
    terms = {lang: [data.terms(lang, "common"), data.terms(lang, game.id)]}
    return Vocabulary.of(game.actions, game.orders, game.commands, terms)


def surface(dialect: str, limit: int = 60_000) -> Capabilities:
    spoilers: Any = DIALECTS[dialect]
    return Capabilities(
        dialect=dialect,
        edits=True,
        max_post_chars=limit,
        spoilers=spoilers,
    )


@cache
def narrator(
    lang: str = "es", dialect: str = "text", limit: int = 60_000, game: str = "aquelarre"
) -> Narrator:
    return Narrator(sources(lang, game), lang, surface(dialect, limit))


def fighter(name: str, hp: int = 15, **more: Any) -> Combatant:
    values: dict[str, Any] = {
        "side": "b" if name.startswith("Bandido") else "a",
        "npc": name.startswith("Bandido"),
        "declares": hp > 0,
        "out": hp <= 0,
        "gauges": (("hp", hp, 15),),
    }
    return Combatant(name, **{**values, **more})


BEFORE: Final = tuple(fighter(name) for name in GENDERS)
AFTER: Final = (
    fighter("Lope", 11, position=0, notes=(("weapon", "espada"),)),
    fighter("Iria", 14, position=3, notes=(("weapon", "hacha de mano"),)),
    fighter(
        "Ignotus",
        6,
        conditions=("wounded",),
        gauges=(("hp", 6, 15), ("shield", 71, 75)),
        notes=(("weapon", "espada"), ("prep_bonus", "20")),
    ),
    fighter("Bandido 1", -3, conditions=("bleeding", "unconscious"), position=9),
    fighter("Bandido 2", 15, conditions=("prone",), position=4),
)


def attack(actor: str, target: Any, kind: str = "melee_attack", **more: Any) -> aq.Attack:
    values = {"weapon": "espada", "result": "success", "face": 31, "limit": 40, **more}
    return aq.Attack(actor=actor, target=target, kind=kind, **values)


def defence(actor: str, against: str, kind: str = "parry", **more: Any) -> aq.Defence:
    values = {"weapon": "espada", "result": "success", "face": 44, "limit": 60, **more}
    return aq.Defence(actor=actor, against=against, kind=kind, **values)


def damage(actor: str, target: str, location: str = "chest", amount: int = 4, **more: Any) -> Any:
    values = {"rolled": amount, "dealt": amount, "label": f"{actor}.damage", **more}
    return aq.Damage(actor=actor, target=target, location=location, amount=amount, **values)


ROUND: Final = (
    attack("Lope", "Ignotus"),
    defence("Ignotus", "Lope", "shield_parry", weapon=""),
    aq.ShieldWear(actor="Ignotus", amount=4, left=71),
    aq.Interrupt(actor="Ignotus", target="Lope"),
    attack("Ignotus", "Lope", face=52, limit=90),
    damage("Ignotus", "Lope"),
    attack("Lope", "Ignotus", face=12),
    damage("Lope", "Ignotus", "abdomen", 9),
    aq.Wound(actor="Ignotus", level="wounded"),
    aq.Sequela(actor="Ignotus", location="abdomen", roll=2, effect="scar"),
    aq.Movement(actor="Iria", kind="run", varas=12),
    aq.Draw(actor="Iria", weapon="hacha de mano"),
    attack(
        "Iria",
        "Bandido 1",
        "ranged_attack",
        weapon="hacha de mano",
        ranged=True,
        result="critical",
        face=3,
        limit=50,
    ),
    damage("Iria", "Bandido 1", "head", 14, rolled=7, dealt=7, critical=True),
    aq.Wound(actor="Bandido 1", level="unconscious"),
    aq.LostAction(actor="Bandido 1", action="attack", reason="incapacitated"),
    attack("Bandido 2", "Iria", weapon="clava", result="fumble", face=99, limit=50),
    aq.Fumble(actor="Bandido 2", severity=7),
    aq.RulingNeeded(actor="Bandido 2", topic="fumble", action="attack", target="Iria"),
    attack("Bandido 2", "Iria", weapon="clava"),
    defence("Iria", "Bandido 2", "dodge", weapon="", result="failure", face=80, limit=45),
    aq.ArmourWear(actor="Iria", armour="cota de malla", amount=5, left=120),
    damage("Bandido 2", "Iria", "right_arm", 1, rolled=6, dealt=6, absorbed=5),
    attack("Iria", ("Bandido 1", "Bandido 2"), "sweep", weapon="Rompehuesos"),
    defence("Bandido 2", "Iria", result="critical", weapon="clava"),
    aq.SweepStopped(actor="Iria", target="Bandido 2"),
    aq.Bleed(actor="Bandido 1", hp=-3),
    aq.Condition(actor="Lope", condition="surprised", change="lost"),
)
ROLLS: Final = (
    Roll(
        "Lope.attack",
        (100,),
        (31,),
        against=Total(
            (
                Modifier(60, "skill.swords", "AQ-ATK-01"),
                Modifier(0, "action.feint", "AQ-ATK-04", "halved_up"),
                Modifier(20, "range_short", "AQ-RNG-01"),
                Modifier(-10, "on_the_move", "AQ-MOD-05"),
            )
        ),
    ),
    Roll("Lope.damage#2", (8, 4), (5, 3), kept=(True, False)),
)

INTRODUCTION: Final = Introduction(
    game=GAME,
    masters=("Narradora", "Wren"),
    cast=(Seat("Lope", "a", ("tomas", "lucia")), Seat("Bandido 1", "b", npc=True)),
    examples=("[acción: ataque | objetivo: Bandido 1]", "[acción: parada]"),
    policies=(
        Fact("deadline", {"length": "48 h"}),
        Fact("order_strict"),
        Fact("missing_defend"),
    ),
    evidence=EVIDENCE,
)
STATUS: Final = Status(
    game=GAME,
    round=3,
    state="declaring",
    events=(
        aq.Opposed(
            actor="Bandido 1",
            target="Iria",
            kind="ambush",
            result="success",
            face=45,
            limit=60,
            target_face=44,
            target_limit=50,
        ),
        aq.Condition(actor="Iria", condition="surprised", change="gained"),
        aq.Initiative(actor="Lope", value=22, parts={"die": 2, "agility": 20}),
        aq.Initiative(actor="Bandido 1", value=15, parts={"die": 5, "agility": 12, "weapon": -2}),
    ),
    rolls=(Roll("Lope.initiative", (10,), (2,)),),
    roster=AFTER,
    order=("Bandido 1", "Lope", "Iria"),
    receipts=(
        Receipt("Lope", ("[acción: ataque | Bandido 1]", "[acción: parada]"), final=True),
        Receipt("Bandido 2", ("[acción Bandido 2: esquiva]",), by="Narradora"),
    ),
    missing=(Seat("Iria", "a", ("wren",)), Seat("Bandido 1", "b", npc=True)),
    deadline=datetime(2026, 5, 12, 22, 30, tzinfo=UTC),
    troubles=(
        Trouble(
            "unknown_action",
            "[acción: atacr | Bandido 1]",
            {"given": "atacr", "candidates": ("ataque", "añagaza")},
            "[acción: ataque | Bandido 1]",
            author="wren",
        ),
        Trouble(
            "out_of_reach",
            "[acción: ataque | Ignotus]",
            {"actor": "Iria", "target": "Ignotus", "distance": 6, "limit": 2},
            author="wren",
            refused=True,
        ),
    ),
    asked=(
        Asked(
            Question("Lope.defence#2", "Lope", ("parry", "dodge"), "parry", "AQ-RND-08",
                     {"against": "Bandido 1"}),
            (
                Choice("parry", "[acción: respuesta | pregunta: K3 | parada]"),
                Choice("dodge", "[acción: respuesta | pregunta: K3 | esquiva]"),
            ),
            ("tomas",),
            datetime(2026, 5, 12, 19, tzinfo=UTC),
        ),
    ),
    rulings=(
        Ruling(
            "R4",
            aq.RulingNeeded(actor="Bandido 2", topic="fumble"),
            {"severity": 7},
            "[árbitro: respuesta | pregunta: R4 | …]",
        ),
    ),
    notes=(Fact("modified", {"actor": "Lope", "roll": "attack", "value": 20, "reason": "cuesta"}),),
    evidence=EVIDENCE,
)  # fmt: skip
REPORT: Final = RoundReport(
    game=GAME,
    round=3,
    events=ROUND,
    rolls=ROLLS,
    before=BEFORE,
    after=AFTER,
    receipts=STATUS.receipts,
    troubles=STATUS.troubles[1:],
    defaulted=(Question("Iria.flight_attack", "Iria", ("strike", "let_go"), "strike", "AQ-DEF-22",
                        {"leaver": "Bandido 2"}),),
    missed=(Missed("Bandido 1", "defend"),),
    rulings=STATUS.rulings,
    notes=(Fact("edited_after_lock", {"author": "wren", "round": 2, "words": "[acción: parada]"}),),
    evidence=EVIDENCE,
)  # fmt: skip
FREE_ROLLS: Final = FreeRolls(
    game=GAME,
    rolls=(
        FreeRoll("Lope", "4d6k3", (Die(6, 4), Die(6, 1, kept=False), Die(6, 6), Die(6, 2)), 12,
                 "carácter"),
        FreeRoll("Iria", "1d10+AGI-2", (Die(10, 7),), 20, difficulty="18",
                 parts=Total((Modifier(15, "AGI", ""), Modifier(-2, "2", "")))),
    ),
    troubles=(Trouble("too_many_dice", "[tirada: 9999d6]", {"given": 9999, "limit": 100}),),
    evidence=EVIDENCE,
)  # fmt: skip
CLOSING: Final = Closing(GAME, "one_side_left", 3, AFTER, evidence=EVIDENCE)


def report(story: RoundReport = REPORT, lang: str = "es", dialect: str = "text") -> str:
    ((_, text),) = narrator(lang, dialect).round_report(story, MARK)
    return text
