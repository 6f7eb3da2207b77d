"""The table of actions (catalogue section 5): what may be declared and what it does.

A row says what it costs, what may be wrong with it and which function performs it. Standing orders
(section 6) and the game's own commands (section 7) are listed behind it.
"""

from collections.abc import Callable, Mapping
from typing import Final

from rulesets.ars_magica import (
    attack,
    checks,
    gear,
    guarding,
    magic,
    manoeuvres,
    missiles,
    movement,
    others,
    riding,
)
from rulesets.ars_magica.declared import Action, Class, Cost, Intent, Look
from rulesets.ars_magica.turn import Round
from rulesets.core.ruleset import Verb

Perform = Callable[[Round, Intent], None]
_KILLING: Final = ("non_lethal", "to_the_death")


def _row(  # noqa: PLR0913 -- the columns of a row
    verb: str,
    rule: str,
    perform: Perform,
    *asks: Look,
    cost: Cost = Cost.REGULAR,
    klass: Class = Class.OTHER,
    fields: tuple[str, ...] = (),
    flags: tuple[str, ...] = (),
    priority: str = "athletics",
    melee: bool = False,
) -> Action:
    every = flags if cost is Cost.EXTENDED else (*flags, "delayed")
    return Action(
        verb=Verb(verb, fields, rule, every, cost.value),
        cost=cost,
        klass=klass,
        perform=perform,
        checks=asks,
        priority=priority,
        melee=melee,
    )


def _attack(
    verb: str,
    rule: str,
    perform: Perform,
    *asks: Look,
    fields: tuple[str, ...] = ("target", "weapon", "zone", "type"),
    flags: tuple[str, ...] = (),
    priority: str = "",
    melee: bool = True,
) -> Action:
    """An attack: what a stunned man may not do, with the priority of its weapon."""
    return _row(
        verb,
        rule,
        perform,
        *asks,
        klass=Class.ATTACK,
        fields=fields,
        flags=flags,
        priority=priority,
        melee=melee,
    )


def _manoeuvre(verb: str, rule: str, *asks: Look, fields: tuple[str, ...] = ("target",)) -> Action:
    """Bare hands, unless the checks say otherwise."""
    looks = asks or (checks.bare_hands,)
    return _attack(
        verb, rule, manoeuvres.manoeuvre, checks.target, *looks, fields=fields, priority=""
    )


_ATTACKS: Final = (
    _attack("attack", "AM-ATK-01", attack.attack, *checks.ARMED, flags=_KILLING),
    _attack(
        "multiple",
        "AM-SPC-01",
        attack.multiple,
        checks.targets,
        checks.melee_weapon,
        checks.zone,
        fields=("targets", "weapon", "zone"),
        flags=_KILLING,
    ),
    _attack(
        "great_blow",
        "AM-SPC-11",
        attack.great_blow,
        *checks.ARMED,
        checks.exertion,
        flags=_KILLING,
    ),
    _attack(
        "keep_at_bay",
        "AM-SPC-12",
        attack.keep_at_bay,
        checks.target,
        checks.melee_weapon,
        checks.polearm,
        fields=("target", "weapon"),
    ),
    _attack(
        "charge",
        "AM-SPC-04",
        attack.charge,
        checks.target,
        checks.charging_weapon,
        checks.zone,
        checks.on_his_feet,
        checks.exertion,
        fields=("target", "weapon", "zone", "pace", "exertion"),
        flags=_KILLING,
    ),
    _attack(
        "mounted_charge",
        "AM-MNT-08",
        riding.mounted_charge,
        checks.mounted,
        checks.target,
        checks.charging_weapon,
        checks.zone,
        checks.charging_gait,
        checks.mounted_exertion,
        fields=("target", "weapon", "pace", "exertion", "zone"),
        flags=_KILLING,
    ),
    _attack(
        "shoot",
        "AM-MIS-01",
        missiles.shoot,
        checks.target,
        checks.missile,
        checks.zone,
        fields=("target", "weapon", "zone"),
        flags=("quick", "from_cover", "non_lethal"),
        melee=False,
    ),
    _manoeuvre("trip", "AM-NLC-13"),
    _manoeuvre("grapple", "AM-NLC-21"),
    _manoeuvre("pin", "AM-NLC-15", checks.bare_hands, checks.wall, fields=("target", "wall")),
    _manoeuvre("tackle", "AM-NLC-18"),
    _manoeuvre("disarm", "AM-NLC-19", checks.melee_weapon, fields=("target", "weapon")),
    _manoeuvre("unseat", "AM-NLC-20", checks.unseating, fields=("target", "weapon")),
    _manoeuvre("wrest", "AM-NLC-25"),
    _manoeuvre("grab_item", "AM-NLC-26", checks.bare_hands, checks.item, fields=("target", "item")),
)

_WAY: Final = ("toward", "to", "away", "distance", "pace")


def _move(verb: str, rule: str) -> Action:
    return _row(
        verb,
        rule,
        movement.move,
        checks.on_his_feet,
        checks.pace,
        checks.way,
        klass=Class.MOVE,
        fields=_WAY,
    )


_MOVES: Final = (
    _move("move", "AM-MOV-01"),
    _move("retreat", "AM-DIS-14"),
    _move("flee", "AM-DIS-12"),
    _row(
        "dodge_charge",
        "AM-SPC-16",
        movement.dodge,
        checks.before_charger,
        checks.on_his_feet,
        klass=Class.MOVE,
    ),
)

_OTHERS: Final = (
    _row("ready", "AM-MIS-03", missiles.ready, checks.bow, fields=("weapon",), priority=""),
    _row("stand_up", "AM-NLC-14", others.stand_up),
    _row("mount", "AM-MNT-36", riding.mount, checks.target, fields=("target",), priority="ride"),
    _row("dismount", "AM-MNT-36", riding.dismount, checks.mounted, priority="ride"),
    _row("pick_up", "AM-NLC-19", gear.pick_up, checks.own_gear, fields=("weapon",)),
    _row("control_mount", "AM-MNT-28", riding.control_mount, checks.mounted, priority="ride"),
    _row(
        "cast",
        "AM-MAG-02",
        magic.cast,
        checks.spell,
        checks.perhaps_target,
        fields=("spell", "target"),
        priority="finesse",
    ),
    _row("treat", "AM-DMG-20", others.treat, checks.perhaps_target, fields=("target",)),
    _row(
        "obstacle",
        "AM-MOV-10",
        others.obstacle,
        checks.obstacle,
        checks.rounds,
        fields=("rounds",),
    ),
    _row(
        "defend",
        "AM-DEF-01",
        guarding.defend,
        checks.ward,
        cost=Cost.EXTENDED,
        fields=("ward",),
        priority="",
    ),
    _row(
        "span",
        "AM-MIS-10",
        gear.span,
        checks.crossbow,
        cost=Cost.EXTENDED,
        fields=("weapon", "mechanism"),
        priority="crossbows",
    ),
    _row(
        "extended",
        "AM-RND-07",
        others.extended,
        checks.rounds,
        cost=Cost.EXTENDED,
        fields=("name", "rounds", "difficulty"),
    ),
    _row("draw", "AM-RND-03", gear.draw, checks.own_gear, cost=Cost.QUICK, fields=("weapon",)),
    _row("drop", "AM-RND-03", gear.let_drop, checks.own_gear, cost=Cost.QUICK, fields=("weapon",)),
    _row("shout", "AM-RND-03", others.shout, checks.text, cost=Cost.QUICK, fields=("text",)),
    _row("scan", "AM-SIT-09", others.scan, checks.target, cost=Cost.QUICK, fields=("target",)),
    _row("drop_prone", "AM-DMG-11", others.drop_prone, cost=Cost.QUICK),
    _row("leap", "AM-MNT-37", riding.leap, checks.mounted, cost=Cost.QUICK),
    _row("cease", "AM-RND-10", others.cease, cost=Cost.FREE),
    _row("fall_off", "AM-MNT-30", riding.fall_off, checks.mounted, cost=Cost.FREE),
    _row("delay", "AM-OPP-06", others.delay, flags=("quick",)),
)


def by_id(*rows: Action) -> Mapping[str, Action]:
    """Rows by verb; a double one fails at import."""
    table: dict[str, Action] = {}
    for row in rows:
        if row.id in table:
            raise ValueError(f"two rows for {row.id}")
        table[row.id] = row
    return table


ACTIONS: Final = by_id(*_ATTACKS, *_MOVES, *_OTHERS)

# Verbs of ``reacción`` (catalogue section 6).
ORDERS: Final[Mapping[str, Verb]] = {
    row.id: row
    for row in (
        Verb("desperate_defence", (), "AM-SPC-15"),
        Verb("critical", ("zone",), "AM-DMG-05"),
        Verb("reckless", (), "AM-DIS-12"),
        Verb("intercepted", (), "AM-DEF-03", ("renounce",)),
        Verb("late", (), "AM-OPP-12", ("renounce",)),
        Verb("resist", ("with",), "AM-NLC-24"),
        Verb("fast_cast", ("spell", "against"), "AM-MAG-03"),
        Verb("leap", (), "AM-MNT-35"),
        Verb("none", (), "AM-RND-15"),
    )
}
