"""The table of actions (catalogue section 3): every verb with its cost, its checks and its effect.

A new action is a row here and one function that reads like its rule.
"""

from collections.abc import Callable, Mapping
from typing import Final

from rulesets.aquelarre import checks, gear, manoeuvres, movement, others, stances
from rulesets.aquelarre.attack import charge, double_attack, shield_bash, strike, sweep
from rulesets.aquelarre.blow import Blow, land
from rulesets.aquelarre.declared import Action, Check, Class, Cost, Intent, Ward
from rulesets.aquelarre.declaring import Desk
from rulesets.aquelarre.rows import Size, Weapon
from rulesets.aquelarre.turn import Round
from rulesets.core.ruleset import Verb

Perform = Callable[[Round, Intent], None]
Hit = Callable[[Round, Blow], None]
LayBy = Callable[[Desk, Intent], tuple[Ward, ...]]

COSTS: Final = {Cost.FREE: "free", Cost.NORMAL: "normal", Cost.EXTENDED: "extended"}
WHERE: Final = ("toward", "away", "varas")
AIMED: Final = ("target", "weapon", "zone", "hand")
BLOW: Final = (*AIMED, "manner")


# ------------------------------------------------------------------ defences laid by


def _bonus(intent: Intent) -> int:
    """+50 inside a full defence (AQ-DEF-16)."""
    return stances.FULL_DEFENCE if intent.inner is not None else 0


def _parry(desk: Desk, intent: Intent) -> tuple[Ward, ...]:
    del desk
    return (Ward("parry", 0, intent, intent.weapon, intent.against, _bonus(intent)),)


def _shield_parry(desk: Desk, intent: Intent) -> tuple[Ward, ...]:
    del desk
    return (Ward("shield_parry", 0, intent, None, intent.against, _bonus(intent)),)


def _dodge(desk: Desk, intent: Intent) -> tuple[Ward, ...]:
    del desk
    return (Ward("dodge", 0, intent, None, intent.against, _bonus(intent)),)


def _seek_cover(desk: Desk, intent: Intent) -> tuple[Ward, ...]:
    del desk
    return (Ward("seek_cover", 0, intent, None, intent.against),)


def _weave(desk: Desk, intent: Intent) -> tuple[Ward, ...]:
    del desk
    return (Ward("weave", 0, intent),)


def _flight(desk: Desk, intent: Intent) -> tuple[Ward, ...]:
    """The defences of one who gets ready to flee (AQ-DEF-20)."""
    found: list[Ward] = []
    for kind in intent.kinds:
        lay_by = desk.actions[kind].wards
        if lay_by is not None:
            found.extend(lay_by(desk, intent))
    return tuple(found)


# ------------------------------------------------------------------ weapons that serve


def _is_spear(weapon: Weapon) -> bool:
    return weapon.skill == "spears"


def _is_axe(weapon: Weapon) -> bool:
    return weapon.skill == "axes"


def _is_hooked(weapon: Weapon) -> bool:
    return weapon.hook


def _stuns(weapon: Weapon) -> bool:
    return weapon.type == "blunt" and not weapon.missile


def _sweeps(weapon: Weapon) -> bool:
    return weapon.type in ("blunt", "edge") and weapon.size > Size.LIGHT and not weapon.missile


def _charges(weapon: Weapon) -> bool:
    return weapon.size > Size.LIGHT and not weapon.missile


def _charges_mounted(weapon: Weapon) -> bool:
    return (weapon.size is Size.MEDIUM and not weapon.missile) or weapon.skill == "spears"


def _trips(weapon: Weapon) -> bool:
    return weapon.skill in ("spears", "staves", "brawl")


# ------------------------------------------------------------------ rows


def _verb(
    verb: str, rule: str, cost: Cost, fields: tuple[str, ...] = (), flags: tuple[str, ...] = ()
) -> Verb:
    return Verb(verb, fields, rule, flags, COSTS[cost])


def _move(
    verb: str,
    rule: str,
    perform: Perform,
    *more: Check,
    fields: tuple[str, ...] = (),
    flags: tuple[str, ...] = (),
    moves: bool = True,
) -> Action:
    """A movement: before attacks, out of melés."""
    return Action(
        verb=_verb(verb, rule, Cost.NORMAL, fields, flags),
        klass=Class.MOVEMENT,
        cost=Cost.NORMAL,
        checks=(checks.moves_first, checks.out_of_melee, *more),
        perform=perform,
        moves=moves,
    )


_ARMED: Final = (checks.target, checks.weapon)


def _attack(  # noqa: PLR0913 -- the columns of a row
    verb: str,
    rule: str,
    *asks: Check,
    cost: Cost = Cost.NORMAL,
    fields: tuple[str, ...] = ("target", "weapon", "hand"),
    flags: tuple[str, ...] = (),
    state: tuple[Check, ...] = (),
    forbids: tuple[Check, ...] = (),
    names: tuple[Check, ...] = _ARMED,
    in_melee: tuple[Check, ...] = (checks.fits_melee,),
    ready: tuple[Check, ...] = (checks.weapon_ready,),
    last: Check = checks.in_reach,
    perform: Perform | None = strike,
    hit: Hit | None = land,
    to_hit: int = 0,
    halved: bool = False,
    melee_only: bool = True,
    harms: bool = True,
    moves: bool = False,
) -> Action:
    """An attack: not while getting up, with a weapon that fits, is ready and reaches."""
    return Action(
        verb=_verb(verb, rule, cost, fields, flags),
        klass=Class.ATTACK,
        cost=cost,
        checks=(
            *state,
            checks.not_while_rising,
            checks.after_closing_in,
            *forbids,
            *names,
            *asks,
            checks.other_than_self,
            *in_melee,
            *ready,
            last,
        ),
        perform=perform,
        hit=hit,
        to_hit=to_hit,
        halved=halved,
        melee_only=melee_only,
        harms=harms,
        moves=moves,
    )


_MOVEMENTS: Final = (
    _move(
        "walk",
        "AQ-MOV-01",
        movement.move,
        checks.on_feet,
        checks.direction,
        checks.far_enough,
        fields=WHERE,
    ),
    _move(
        "run",
        "AQ-MOV-02",
        movement.move,
        checks.on_feet,
        checks.direction,
        checks.far_enough,
        fields=WHERE,
    ),
    _move(
        "crawl",
        "AQ-MOV-03",
        movement.move,
        checks.on_the_ground,
        checks.direction,
        checks.far_enough,
        fields=WHERE,
    ),
    _move(
        "close_in",
        "AQ-MOV-04",
        movement.close_in,
        checks.may_close_in,
        checks.target,
        checks.other_than_self,
        checks.in_reach,
        fields=("target",),
    ),
    _move("stand_up", "AQ-MOV-07", movement.stand_up, checks.on_the_ground, moves=False),
    _move("mount", "AQ-MOV-08", movement.mount, checks.on_feet, checks.on_foot, moves=False),
    _move("dismount", "AQ-MOV-08", movement.mount, checks.in_the_saddle, moves=False),
    _move(
        "swim",
        "AQ-MOV-10",
        movement.move,
        checks.direction,
        checks.far_enough,
        fields=WHERE,
        flags=("under_water",),
    ),
    _move("jump", "AQ-MOV-11", movement.jump, checks.on_feet, checks.run_up, flags=("run_up",)),
    _move("climb", "AQ-MOV-13", movement.climb, checks.on_feet, checks.on_foot),
)

_ATTACKS: Final = (
    _attack(
        "attack",
        "AQ-ATK-01",
        checks.may_be_thrown,
        checks.zone,
        fields=BLOW,
        flags=("throw",),
        last=checks.in_reach_or_range,
        melee_only=False,
    ),
    _attack(
        "set_spear",
        "AQ-ATK-03",
        checks.wants(_is_spear),
        cost=Cost.EXTENDED,
        fields=("weapon",),
        names=(checks.weapon,),
        perform=None,
        hit=None,
        last=checks.nowhere,
    ),
    _attack("feint", "AQ-ATK-04", checks.wants(checks.is_melee), cost=Cost.EXTENDED, halved=True),
    _attack(
        "shield_bash",
        "AQ-ATK-05",
        checks.shield,
        checks.striking_shield,
        fields=("target",),
        names=(checks.target,),
        in_melee=(),
        ready=(checks.shield_on_arm,),
        perform=shield_bash,
        halved=True,
    ),
    _attack(
        "double_attack",
        "AQ-ATK-06",
        checks.weapon_for_each_hand,
        cost=Cost.EXTENDED,
        fields=("target", "weapon", "weapon_2"),
        names=(*_ARMED, checks.second_weapon),
        ready=(checks.weapon_ready, checks.second_ready),
        perform=double_attack,
        in_melee=(checks.fits_melee, checks.second_fits_melee),
    ),
    _attack(
        "precise_attack",
        "AQ-ATK-09",
        checks.may_be_thrown,
        checks.zone,
        fields=BLOW,
        flags=("throw",),
        last=checks.in_reach_or_range,
        melee_only=False,
        to_hit=25,
    ),
    _attack(
        "quick_attack",
        "AQ-ATK-10",
        checks.may_be_thrown,
        checks.zone,
        fields=BLOW,
        flags=("throw",),
        last=checks.in_reach_or_range,
        melee_only=False,
        to_hit=-50,
    ),
    _attack(
        "strong_attack",
        "AQ-ATK-11",
        checks.wants(checks.is_melee),
        checks.levels,
        checks.zone,
        cost=Cost.EXTENDED,
        fields=("target", "weapon", "levels", "zone", "hand"),
    ),
    _attack(
        "stun",
        "AQ-ATK-12",
        checks.wants(_stuns),
        checks.bare_head,
        checks.unawares,
        to_hit=-25,
        hit=manoeuvres.stun,
    ),
    _attack(
        "sweep",
        "AQ-ATK-15",
        checks.wants(_sweeps),
        checks.two_enemies,
        cost=Cost.EXTENDED,
        names=(checks.targets, checks.weapon),
        perform=sweep,
    ),
    _attack(
        "charge",
        "AQ-ATK-18",
        checks.wants(_charges),
        checks.zone,
        cost=Cost.EXTENDED,
        fields=AIMED,
        forbids=(checks.out_of_melee, checks.on_feet, checks.on_foot),
        last=checks.charging_distance,
        perform=charge,
        moves=True,
    ),
    _attack(
        "mounted_charge",
        "AQ-ATK-19",
        checks.wants(_charges_mounted),
        checks.zone,
        cost=Cost.EXTENDED,
        fields=AIMED,
        forbids=(checks.out_of_melee, checks.on_feet, checks.in_the_saddle),
        last=checks.charging_distance,
        perform=charge,
        moves=True,
    ),
    _attack(
        "shield_breaker",
        "AQ-ATK-21",
        checks.wants(_is_axe),
        checks.shielded_target,
        to_hit=-25,
        perform=manoeuvres.try_to_break_shield,
        hit=manoeuvres.shield_breaker,
    ),
    _attack(
        "disarm",
        "AQ-ATK-23",
        checks.wants(checks.is_melee),
        checks.large_enough,
        fields=("target", "weapon", "target_weapon"),
        names=(*_ARMED, checks.target_weapon),
        halved=True,
        harms=False,
        perform=manoeuvres.try_to_disarm,
        hit=manoeuvres.disarm,
    ),
    _attack(
        "unhorse",
        "AQ-ATK-24",
        checks.wants(_is_hooked),
        checks.mounted_target,
        fields=("target", "weapon"),
        halved=True,
        harms=False,
        perform=manoeuvres.try_to_unhorse,
        hit=manoeuvres.unhorse,
    ),
    _attack(
        "shove",
        "AQ-ATK-25",
        fields=("target",),
        names=(checks.target, checks.bare_hands),
        harms=False,
        hit=manoeuvres.shove,
    ),
    _attack(
        "grapple",
        "AQ-ATK-27",
        checks.partner,
        cost=Cost.EXTENDED,
        fields=("target",),
        state=(checks.is_in_melee,),
        names=(checks.target,),
        ready=(),
        in_melee=(),
        perform=manoeuvres.grapple,
        hit=None,
        harms=False,
    ),
    _attack(
        "squeeze",
        "AQ-ATK-28",
        checks.squeeze_cost,
        cost=Cost.EXTENDED,
        fields=(),
        state=(checks.is_holding,),
        names=(),
        ready=(),
        in_melee=(),
        last=checks.one_squeeze,
        perform=manoeuvres.squeeze,
        hit=None,
    ),
    _attack(
        "trip",
        "AQ-ATK-29",
        checks.wants(_trips),
        checks.two_legged,
        fields=("target", "weapon"),
        halved=True,
        harms=False,
        hit=manoeuvres.trip,
    ),
)

_PARRY_CHECKS: Final = (
    checks.against,
    checks.weapon,
    checks.parries,
    checks.parrying_weapon,
    checks.against_hand_to_hand,
    checks.against_what_can_be_parried,
    checks.arm,
    checks.in_hand,
)
_NORMAL_DEFENCES: Final = (
    "parry",
    "shield_parry",
    "dodge",
    "disengage",
    "shield_cover",
    "full_guard",
)


def _defence(
    verb: str,
    rule: str,
    *asks: Check,
    cost: Cost = Cost.NORMAL,
    fields: tuple[str, ...] = (),
    perform: Perform | None = None,
    wards: LayBy | None = None,
) -> Action:
    """A defence: it waits for its attack unless it has something to perform at its own turn."""
    return Action(
        verb=_verb(verb, rule, cost, fields),
        klass=Class.DEFENCE,
        cost=cost,
        checks=asks,
        perform=perform,
        wards=wards,
    )


_DEFENCES: Final = (
    _defence(
        "parry", "AQ-DEF-01", *_PARRY_CHECKS, fields=("against", "weapon", "arm"), wards=_parry
    ),
    _defence(
        "shield_parry",
        "AQ-DEF-09",
        checks.against,
        checks.shield,
        checks.parries,
        checks.against_hand_to_hand,
        checks.against_what_can_be_parried,
        checks.shield_on_arm,
        fields=("against", "weapon"),
        wards=_shield_parry,
    ),
    _defence(
        "shield_cover",
        "AQ-DEF-10",
        checks.shield,
        checks.cover_zone,
        checks.shield_on_arm,
        fields=("zone",),
    ),
    _defence(
        "dodge",
        "AQ-DEF-11",
        checks.against,
        checks.one_enemy,
        checks.against_hand_to_hand,
        fields=("against",),
        wards=_dodge,
    ),
    _defence(
        "seek_cover",
        "AQ-DEF-14",
        checks.has_cover,
        checks.against,
        checks.fast_enough,
        cost=Cost.EXTENDED,
        fields=("against",),
        wards=_seek_cover,
    ),
    _defence(
        "full_defence",
        "AQ-DEF-16",
        checks.inner_defence(_NORMAL_DEFENCES),
        cost=Cost.EXTENDED,
        fields=("with", "weapon", "against", "zone", "arm"),
    ),
    _defence(
        "full_guard",
        "AQ-DEF-17",
        checks.shield,
        checks.cover_zone,
        checks.shield_on_arm,
        fields=("zone",),
        perform=stances.full_guard,
    ),
    _defence(
        "flee",
        "AQ-DEF-20",
        checks.flight_defences(("parry", "shield_parry", "dodge")),
        cost=Cost.EXTENDED,
        fields=("defences", "weapon", "against", "arm"),
        perform=stances.flee,
        wards=_flight,
    ),
    _defence(
        "break_free", "AQ-DEF-23", checks.is_held, cost=Cost.EXTENDED, perform=stances.break_free
    ),
    _defence("disengage", "AQ-DEF-24", checks.may_come_to_melee, perform=stances.disengage),
    _defence(
        "weave",
        "AQ-DEF-25",
        checks.out_of_melee,
        checks.direction,
        cost=Cost.EXTENDED,
        fields=("toward", "away"),
        wards=_weave,
    ),
)


def _other(
    verb: str,
    rule: str,
    perform: Perform,
    *asks: Check,
    cost: Cost = Cost.NORMAL,
    fields: tuple[str, ...] = (),
    flags: tuple[str, ...] = (),
) -> Action:
    return Action(
        verb=_verb(verb, rule, cost, fields, flags),
        klass=Class.FREE if cost is Cost.FREE else Class.OTHER,
        cost=cost,
        checks=asks,
        perform=perform,
    )


_OTHERS: Final = (
    _other(
        "give_item",
        "AQ-OTH-01",
        gear.give_item,
        checks.item,
        checks.receiver,
        checks.other_than_self,
        checks.item_in_hand,
        checks.in_reach,
        fields=("item", "to"),
    ),
    _other(
        "throw_item",
        "AQ-OTH-02",
        gear.throw_item,
        checks.item,
        checks.receiver,
        checks.other_than_self,
        checks.item_in_hand,
        fields=("item", "to"),
    ),
    _other(
        "draw",
        "AQ-OTH-03",
        gear.draw,
        checks.drawn,
        checks.hands_enough,
        checks.not_ruined,
        fields=("weapon",),
    ),
    _other(
        "cast",
        "AQ-OTH-07",
        others.cast,
        checks.perhaps_target,
        cost=Cost.EXTENDED,
        fields=("target", "item"),
    ),
    _other(
        "prepare",
        "AQ-OTH-08",
        others.prepare,
        checks.perhaps_target,
        cost=Cost.EXTENDED,
        fields=("target", "weapon"),
    ),
    _other(
        "trick",
        "AQ-OTH-09",
        others.trick,
        checks.target,
        checks.other_than_self,
        fields=("target",),
    ),
    _other(
        "reload",
        "AQ-RNG-04",
        gear.reload,
        checks.missile,
        checks.wants(lambda weapon: weapon.missile),
        checks.in_hand,
        fields=("weapon",),
    ),
    _other(
        "don_armour",
        "AQ-ARM-08",
        gear.don_armour,
        checks.stowed_armour,
        cost=Cost.EXTENDED,
        fields=("armour",),
    ),
    _other(
        "rouse",
        "AQ-OTH-12",
        others.rouse,
        checks.target,
        checks.other_than_self,
        checks.in_reach,
        fields=("target",),
    ),
    _other(
        "first_aid",
        "AQ-HP-11",
        others.first_aid,
        checks.target,
        checks.in_reach,
        cost=Cost.EXTENDED,
        fields=("target",),
    ),
    _other(
        "improvise",
        "AQ-OTH-13",
        others.improvise,
        checks.perhaps_target,
        checks.extended,
        fields=("target",),
        flags=("extended",),
    ),
    _other(
        "repair",
        "AQ-ARM-05",
        gear.repair,
        checks.is_downtime,
        checks.damaged,
        checks.repairable,
        cost=Cost.FREE,
        fields=("item",),
    ),
    _other(
        "step",
        "AQ-MOV-14",
        movement.step,
        checks.out_of_melee,
        checks.direction,
        checks.no_closing_in,
        checks.one_step,
        cost=Cost.FREE,
        fields=("toward", "away"),
    ),
    _other("free_action", "AQ-OTH-10", others.free_action, cost=Cost.FREE),
    _other("release", "AQ-ATK-30", manoeuvres.release, checks.is_holding, cost=Cost.FREE),
    _other("leave_guard", "AQ-DEF-18", stances.leave_guard, checks.is_in_guard, cost=Cost.FREE),
)


def by_id(*rows: Action) -> Mapping[str, Action]:
    """Rows by verb; a double one fails at import."""
    table: dict[str, Action] = {}
    for row in rows:
        if row.id in table:
            raise ValueError(f"two rows for {row.id}")
        table[row.id] = row
    return table


ACTIONS: Final = by_id(*_MOVEMENTS, *_ATTACKS, *_DEFENCES, *_OTHERS)

# Verbs of ``reacción`` (catalogue section 3, standing orders).
ORDERS: Final[Mapping[str, Verb]] = {
    row.id: row
    for row in (
        Verb("parry", ("against",), "AQ-RND-08"),
        Verb("shield_parry", ("against",), "AQ-RND-08"),
        Verb("dodge", ("against",), "AQ-RND-08"),
        Verb("no_defence", ("against",), "AQ-RND-08"),
        Verb("double_attack", ("blow",), "AQ-ATK-08"),
        Verb("let_flee", (), "AQ-DEF-22"),
    )
}
