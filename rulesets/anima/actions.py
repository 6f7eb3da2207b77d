"""The table of actions and of standing orders (catalogue, Action vocabulary).

A new action is a row here and one function that reads like its rule. A manoeuvre, a shot and a
throw are the same verb, ``attack``: their words set a field of it (``templates/*/terms``).
"""

from collections.abc import Iterable, Mapping
from typing import Final

from rulesets.anima import checks, gear, movement, others, supernatural
from rulesets.anima.attack import attack
from rulesets.anima.declared import Action
from rulesets.core.ruleset import Verb

ACTIVE: Final = "active"
PASSIVE: Final = "passive"
STANCE: Final = "stance"
_ATTACK_FIELDS: Final = (
    "target",
    "weapon",
    "attacks",
    "second_weapon",
    "manoeuvre",
    "zone",
    "fatigue",
    "mode",
    "scope",
)


def _by_id(rows: Iterable[Action]) -> dict[str, Action]:
    table: dict[str, Action] = {}
    for row in rows:
        if row.id in table:
            raise ValueError(row.id)
        table[row.id] = row
    return table


def _verb(
    id_: str, rule: str, cost: str, fields: tuple[str, ...] = (), flags: tuple[str, ...] = ()
) -> Verb:
    return Verb(id_, fields, rule, (*flags, "after_dice"), cost)


def _stance(id_: str, rule: str) -> Action:
    return Action(_verb(id_, rule, STANCE, ("moment",)), (checks.stance,), physical=False)


ACTIONS: Final[Mapping[str, Action]] = _by_id(
    (
        Action(
            _verb("attack", "AN-ATK-02", ACTIVE, _ATTACK_FIELDS, ("with_damage", "secondary")),
            (
                checks.not_surprised,
                checks.targets,
                checks.weapon,
                checks.second_weapon,
                checks.as_attack,
                checks.zones,
                checks.manoeuvres,
                checks.secondary,
                checks.area_targets,
                checks.blows,
                checks.budget,
                checks.fatigue,
            ),
            attack,
        ),
        Action(
            _verb("charge", "AN-SIT-16", ACTIVE, ("target", "weapon", "fatigue")),
            (
                checks.not_surprised,
                checks.targets,
                checks.charge_ready,
                checks.weapon,
                checks.as_charge,
                checks.budget,
                checks.fatigue,
            ),
            movement.charge,
        ),
        Action(
            _verb("move", "AN-MOV-01", PASSIVE, ("toward", "distance")),
            (checks.distance, checks.budget),
            movement.move,
        ),
        Action(
            _verb("skill", "AN-ACT-02", ACTIVE, ("name", "difficulty", "fatigue")),
            (checks.skill, checks.budget, checks.fatigue),
            others.skill,
            physical=False,
        ),
        Action(
            _verb("cast", "AN-SUP-01", ACTIVE, ("name", "target", "zone", "fatigue")),
            (
                checks.ability,
                checks.targets,
                checks.ability_targets,
                checks.zones,
                checks.as_supernatural,
                checks.budget,
                checks.fatigue,
            ),
            supernatural.cast,
            physical=False,
        ),
        Action(
            _verb("power", "AN-SUP-08", ACTIVE, ("name", "target", "zone", "fatigue")),
            (
                checks.ability,
                checks.targets,
                checks.ability_targets,
                checks.zones,
                checks.as_supernatural,
                checks.budget,
                checks.fatigue,
            ),
            supernatural.power,
            physical=False,
        ),
        Action(
            _verb("accumulate", "AN-SUP-07", PASSIVE, ("fatigue",)),
            (checks.fatigue,),
            supernatural.accumulate,
            physical=False,
        ),
        Action(_verb("draw", "AN-DRW-01", PASSIVE, ("weapon",)), (checks.own_weapon,), gear.draw),
        Action(
            _verb("pick_up", "AN-MAN-25", ACTIVE, ("weapon",)),
            (checks.as_kind, checks.budget),
            gear.pick_up,
        ),
        Action(
            _verb("place_shield", "AN-SHD-11", ACTIVE, ("to", "shield")),
            (checks.to_somebody, checks.shield, checks.as_kind, checks.budget),
            supernatural.place_shield,
            physical=False,
        ),
        Action(
            _verb("aim", "AN-RNG-10", ACTIVE, ("target",)),
            (checks.targets, checks.as_kind, checks.budget),
            gear.aim,
        ),
        Action(
            _verb("ready", "AN-RNG-08", ACTIVE, ("weapon",)),
            (checks.shooting_weapon, checks.as_kind, checks.budget),
            gear.ready,
        ),
        Action(
            _verb("stand_up", "AN-SIT-08", ACTIVE),
            (checks.as_kind, checks.budget),
            movement.stand_up,
        ),
        Action(_verb("break_free", "AN-MAN-11", PASSIVE)),
        Action(
            _verb("release", "AN-MAN-13", PASSIVE, ("target",)),
            (checks.any_target,),
            others.release,
            physical=False,
        ),
        Action(
            _verb("reserve", "AN-INI-03", PASSIVE, ("until",)),
            (checks.until,),
            others.talk,
            physical=False,
        ),
        _stance("all_out_attack", "AN-STA-02"),
        _stance("offensive", "AN-STA-01"),
        _stance("total_defence", "AN-STA-03"),
        _stance("defensive", "AN-STA-04"),
        Action(_verb("leave_stance", "AN-STA-06", PASSIVE), (checks.in_stance,), physical=False),
        Action(_verb("talk", "AN-ACT-05", PASSIVE, ("text",)), (), others.talk, physical=False),
        Action(_verb("other", "AN-SIT-21", PASSIVE, ("text",)), (), others.other, physical=False),
        Action(_verb("nothing", "AN-WEB-04", PASSIVE), physical=False),
    )
)

ORDERS: Final[Mapping[str, Verb]] = {
    verb.id: verb
    for verb in (
        Verb("parry", ("against", "fatigue"), "AN-DEF-02"),
        Verb("dodge", ("against", "fatigue"), "AN-DEF-02"),
        Verb("shield", ("against", "shield"), "AN-SHD-01"),
        Verb("best_defence", ("against",), "AN-DEF-02"),
        Verb(
            "counterattack",
            ("weapon", "manoeuvre", "zone", "fatigue"),
            "AN-CTR-01",
            ("yes", "no"),
        ),
        Verb("no_counterattack", (), "AN-CTR-07"),
        Verb("resist_blow", (), "AN-SPD-02"),
        Verb("push_aside", ("to",), "AN-SPD-01"),
        Verb("cover", ("to", "shield"), "AN-SHD-07"),
        Verb("control", ("characteristic", "fatigue"), "AN-MAN-03"),
        Verb("escape", (), "AN-MAN-11"),
        Verb("no_escape", (), "AN-MAN-11"),
        Verb("hold", (), "AN-MAN-22"),
        Verb("passive_attack", ("target",), "AN-MAN-21"),
        Verb("fire", ("target",), "AN-RNG-06"),
        Verb("no_fire", (), "AN-RNG-06"),
    )
}
