"""What each event changes in the fight: the one way in which state moves.

An event without a handler tells something and changes nothing. Handlers read the event and the
fight only, so the fight after a round is the fold of its events, whoever folds them.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from rulesets.ars_magica import events as told
from rulesets.ars_magica.corrected import correct_field
from rulesets.ars_magica.fight import Bleeding, Character, Extended, Fight, penalty_of, put
from rulesets.core.events import Event
from rulesets.core.play import applier
from rulesets.core.state import changed

BOTH: Final = "both"


def with_name(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    """A sorted set of names with one more."""
    return names if name in names else tuple(sorted((*names, name)))


def _joined(who: Character, name: str, *keys: str) -> Character:
    """Somebody with a name in more of his sets; himself where it stands in all of them."""
    fields: dict[str, object] = {}
    for key in keys:
        names: tuple[str, ...] = getattr(who, key)
        if name not in names:
            fields[key] = with_name(names, name)
    return changed(who, **fields) if fields else who


def without(names: tuple[str, ...], gone: Iterable[str]) -> tuple[str, ...]:
    """A sorted set of names less some."""
    away = frozenset(gone)
    return tuple(name for name in names if name not in away)


def _round_opened(fight: Fight, event: told.RoundOpened) -> Fight:
    return changed(fight, round=event.number, rulings={})


def _initiative(fight: Fight, event: told.Initiative) -> Fight:
    return changed(fight, initiative={**fight.initiative, event.actor: event.total})


def _turn_order(fight: Fight, event: told.TurnOrder) -> Fight:
    kept = {name: fight.initiative[name] for name in event.order}
    return changed(fight, order=event.order, initiative=kept)


def _first_strike(fight: Fight, event: told.FirstStrike) -> Fight:
    for name in event.lost:
        fight = put(fight, name, first_strike=False)
    return put(fight, event.actor, first_strike=True)


def _attack(fight: Fight, event: told.Attack) -> Fight:
    """An attack engages the two and uses up what it needs (AM-ENG-01, AM-ENG-05).

    It ends a chain of tries to disengage (AM-DIS-06).
    """
    attacker, target = fight.unit(event.actor), fight.unit(event.target)
    cast = dict(fight.cast)
    spent = _spent(cast[event.actor], event)
    if spent:
        cast[event.actor] = changed(cast[event.actor], **spent)
    mine, theirs = cast[attacker], cast[target]
    own: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    if event.missile and fight.options.missile_engagement:
        own = other = ("missile_engaged",)
    elif not event.missile and event.kind != "free":
        own, other = ("engaged", "pressed"), ("engaged",)
    cast[attacker] = _joined(mine, target, *own)
    cast[target] = _joined(theirs, attacker, "attacked_by", *other)
    return changed(fight, cast=cast)


def _spent(who: Character, event: told.Attack) -> dict[str, object]:
    """What an attack uses up of the attacker's own."""
    fields: dict[str, object] = {}
    if event.missile:
        if who.ammo:
            fields["ammo"] = who.ammo - 1
        if who.loaded:
            fields["loaded"] = False
        if who.ready:
            fields["ready"] = False
    if not event.reaction:
        if event.target in who.counter_bonus:
            left = {name: n for name, n in who.counter_bonus.items() if name != event.target}
            fields["counter_bonus"] = left
        if who.disengage_bonus:
            fields["disengage_bonus"] = 0
    return fields


def _linked(fight: Fight, key: str, one: str, other: str) -> Fight:
    if key == "missile_engaged" and not fight.options.missile_engagement:
        return fight
    for name, partner in ((one, other), (other, one)):
        now: tuple[str, ...] = getattr(fight.cast[name], key)
        if partner not in now:
            fight = put(fight, name, **{key: with_name(now, partner)})
    return fight


def leave(fight: Fight, name: str, others: Iterable[str]) -> Fight:
    """The fight with somebody no longer engaged with some, in melee or by missiles."""
    for other in others:
        for one, partner in ((name, other), (other, name)):
            who = fight.cast[one]
            fight = put(
                fight,
                one,
                engaged=without(who.engaged, (partner,)),
                missile_engaged=without(who.missile_engaged, (partner,)),
                pressed=without(who.pressed, (partner,)),
                overcome_by=without(who.overcome_by, (partner,)),
            )
    return fight


def _engage(fight: Fight, event: told.Engage) -> Fight:
    return _linked(fight, "engaged", fight.unit(event.actor), fight.unit(event.target))


def _disengage(fight: Fight, event: told.Disengage) -> Fight:
    who = fight.cast[event.actor]
    if event.result == "failure":
        step = fight.tables.figure("disengage_try")
        return put(fight, event.actor, disengage_bonus=who.disengage_bonus + step, tried=True)
    fight = leave(fight, event.actor, event.left)
    return put(fight, event.actor, disengage_bonus=0)


def _movement(fight: Fight, event: told.Movement) -> Fight:
    who = fight.cast[event.actor]
    for name in filter(None, (event.actor, who.ridden_by)):
        fields: dict[str, object] = {"cover": event.cover}
        if event.to is not None:
            fields["position"] = event.to
        if name == event.actor:
            fields["pace"] = event.pace
        fight = put(fight, name, **fields)
    return leave(fight, fight.unit(event.actor), event.left) if event.left else fight


def _barrier_set(fight: Fight, event: told.BarrierSet) -> Fight:
    return put(fight, event.actor, barrier=(event.target, event.total))


def _barrier(fight: Fight, event: told.Barrier) -> Fight:
    keeper, attacker = event.target, fight.unit(event.actor)
    who = fight.cast[keeper]
    if event.result == "held":
        return put(fight, keeper, overcome_by=without(who.overcome_by, (attacker,)))
    return put(fight, keeper, overcome_by=with_name(who.overcome_by, attacker), barrier=None)


def _hurt(fight: Fight, name: str, key: str, levels: Mapping[str, int]) -> dict[str, object]:
    """Fields of somebody whose wounds or bruises have changed, the penalty with them."""
    who = fight.cast[name]
    wounds = levels if key == "wounds" else who.wounds
    bruises = levels if key == "bruises" else who.bruises
    penalty = penalty_of(wounds, bruises, who.fatigue, fight.tables)
    return {key: levels, "penalty": penalty}


def _wound(fight: Fight, event: told.Wound) -> Fight:
    who = fight.cast[event.target]
    key = "bruises" if event.kind == "bruise" else "wounds"
    now: Mapping[str, int] = getattr(who, key)
    fields = _hurt(fight, event.target, key, {**now, event.level: now.get(event.level, 0) + 1})
    if event.limit:
        fields["movement_limit"] = who.movement_limit + event.limit
    if event.bleeding:
        fields["bleeding"] = (*who.bleeding, Bleeding(event.bleeding, 0, fresh=True))
    if who.ridden_by and key == "wounds" and event.level == "heavy":
        fields["max_gait"] = "trot"
    return put(fight, event.target, **fields)


def _recover(fight: Fight, event: told.Recover) -> Fight:
    if event.result != "success":
        return fight
    bruises = dict(fight.cast[event.actor].bruises)
    bruises[event.level] -= 1
    left = {level: count for level, count in bruises.items() if count}
    return put(fight, event.actor, **_hurt(fight, event.actor, "bruises", left))


def _death(fight: Fight, event: told.Death) -> Fight:
    return put(
        fight,
        event.target,
        conditions=frozenset({"dead"}),
        durations={},
        grappled_by="",
        pinned_by="",
        barrier=None,
    )


def _condition(fight: Fight, event: told.Condition) -> Fight:
    who = fight.cast[event.target]
    if event.gained:
        kept = who.conditions | {event.condition}
    else:
        kept = who.conditions - {event.condition}
    fields: dict[str, object] = {"conditions": kept}
    if event.turns and event.gained:
        fields["durations"] = {**who.durations, event.condition: event.turns}
    elif not event.gained and event.condition in who.durations:
        fields["durations"] = {n: t for n, t in who.durations.items() if n != event.condition}
    if event.condition == "grappled":
        fields["grappled_by"] = event.by if event.gained else ""
    elif event.condition == "pinned":
        fields["pinned_by"] = event.by if event.gained else ""
    return put(fight, event.target, **fields)


def _fatigue(fight: Fight, event: told.Fatigue) -> Fight:
    who = fight.cast[event.actor]
    penalty = penalty_of(who.wounds, who.bruises, event.level, fight.tables)
    fields: dict[str, object] = {"fatigue": event.level, "penalty": penalty}
    if event.cause:
        fields["exertion"] = event.cause
    return put(fight, event.actor, **fields)


def _check(fight: Fight, event: told.Check) -> Fight:
    if event.purpose != "perception" or event.result != "success" or not event.target:
        return fight
    who = fight.cast[event.actor]
    return put(fight, event.actor, seen=with_name(who.seen, event.target))


def _quick(fight: Fight, event: told.Quick) -> Fight:
    if event.action != "draw":
        return fight
    return _in_hand(fight, event.actor, event.weapon)


def _in_hand(fight: Fight, name: str, item: str) -> Fight:
    """A weapon or a shield of one's own comes into the hand."""
    who = fight.cast[name]
    dropped = without(who.dropped, (item,))
    shield = fight.tables.shields.get(item)
    if shield is not None:
        return put(fight, name, shield=shield, dropped=dropped)
    return put(fight, name, wielded=item, dropped=dropped, ready=False)


def _ready(fight: Fight, event: told.Ready) -> Fight:
    return put(fight, event.actor, ready=True)


def _extended(fight: Fight, event: told.Extended) -> Fight:
    who = fight.cast[event.actor]
    match event.phase:
        case "started":
            begun = Extended(event.action, 0, event.of, event.ease, event.ward, event.weapon)
            return put(fight, event.actor, extended=begun)
        case "continued":
            going = who.extended
            if going is None:
                return fight
            further = Extended(
                going.action, event.done, going.of, going.ease, going.ward, going.weapon
            )
            return put(fight, event.actor, extended=further)
    fields: dict[str, object] = {"extended": None}
    if event.phase == "done" and event.action == "span":
        fields["loaded"] = True
    return put(fight, event.actor, **fields)


def _delay(fight: Fight, event: told.Delay) -> Fight:
    now = fight.cast[event.actor].delayed
    return put(fight, event.actor, delayed=event.kind if now in ("", event.kind) else BOTH)


def _carried(fight: Fight, event: told.Carried) -> Fight:
    return put(fight, event.actor, delayed=event.kind)


def _weapon(fight: Fight, event: told.WeaponEvent) -> Fight:
    who = fight.cast[event.actor]
    if event.kind == "picked_up":
        return _in_hand(fight, event.actor, event.weapon)
    fields: dict[str, object] = {}
    if who.shield is not None and who.shield.id == event.weapon:
        fields["shield"] = None
    elif who.wielded == event.weapon:
        fields.update(wielded="", ready=False)
    elif event.kind == "taken":
        return fight  # an object of no use in a fight
    if event.kind == "dropped":
        fields["dropped"] = with_name(who.dropped, event.weapon)
        return put(fight, event.actor, **fields)
    weapon = who.owned(event.weapon)
    if weapon is not None:
        fields["weapons"] = _less(who, event.weapon)
        taker = fight.cast[event.by]
        fight = put(
            fight, event.by, weapons=(*taker.weapons, weapon), wielded=weapon.id, ready=False
        )
    return put(fight, event.actor, **fields)


def _less(who: Character, name: str) -> tuple[object, ...]:
    """His weapons less one of that id."""
    found = list(who.weapons)
    found.remove(next(weapon for weapon in found if weapon.id == name))
    return tuple(found)


def _armor_destroyed(fight: Fight, event: told.ArmorDestroyed) -> Fight:
    return put(fight, event.target, armor=None)


def _off(fight: Fight, event: told.Fall | told.Dismounted) -> Fight:
    mount = fight.cast[event.actor].mounted_on
    if not mount:
        return fight
    return put(put(fight, event.actor, mounted_on=""), mount, ridden_by="", pace="")


def _mounted(fight: Fight, event: told.Mounted) -> Fight:
    position = fight.cast[event.mount].position
    fight = put(fight, event.mount, ridden_by=event.actor)
    fields: dict[str, object] = {"mounted_on": event.mount}
    if position is not None:
        fields["position"] = position
    # What held the horse holds the two of them now.
    for other in fight.cast[event.mount].engaged:
        fight = _linked(fight, "engaged", event.actor, other)
    return put(fight, event.actor, **fields)


def _counter(fight: Fight, event: told.Counter) -> Fight:
    who = fight.cast[event.actor]
    return put(fight, event.actor, counter_bonus={**who.counter_bonus, event.target: event.bonus})


def _turn(fight: Fight, event: told.Turn) -> Fight:
    who = fight.cast[event.actor]
    if event.phase == "begun":
        return put(fight, event.actor, exertion="", barrier=None, tried=False)
    fields: dict[str, object] = {"attacked_by": ()}
    if who.disengage_bonus and not who.tried:
        fields["disengage_bonus"] = 0
    if event.durations is not None:
        fields["durations"] = dict(event.durations)
    fight = put(fight, event.actor, **fields)
    for name in event.still:
        fight = put(fight, name, pace="")
    return fight


def _bleed(fight: Fight, event: told.Bleed) -> Fight:
    who = fight.cast[event.actor]
    bleeding = tuple(
        Bleeding(one.level, rounds) for one, rounds in zip(who.bleeding, event.rounds, strict=True)
    )
    return put(fight, event.actor, bleeding=bleeding)


def _exposure(fight: Fight, event: told.Exposure) -> Fight:
    now = dict(fight.cast[event.actor].exposure)
    if event.rounds:
        now[event.kind] = event.rounds
    else:
        now.pop(event.kind, None)
    return put(fight, event.actor, exposure=now)


def _lost(fight: Fight, event: told.LostAction) -> Fight:
    if event.reason != "delayed_expired":
        return fight
    return put(fight, event.actor, delayed="")


def _scene_ended(fight: Fight, _: told.SceneEnded) -> Fight:
    return changed(fight, ended=True)


def _modifier(fight: Fight, event: told.RulingModifier) -> Fight:
    before = fight.rulings.get(event.roll, 0)
    return changed(fight, rulings={**fight.rulings, event.roll: before + event.value})


Handler = Callable[[Fight, Any], Fight]

HANDLERS: Final[Mapping[type[Event], Handler]] = {
    told.RoundOpened: _round_opened,
    told.Initiative: _initiative,
    told.TurnOrder: _turn_order,
    told.FirstStrike: _first_strike,
    told.Attack: _attack,
    told.Engage: _engage,
    told.Disengage: _disengage,
    told.Movement: _movement,
    told.BarrierSet: _barrier_set,
    told.Barrier: _barrier,
    told.Wound: _wound,
    told.Recover: _recover,
    told.Death: _death,
    told.Condition: _condition,
    told.Fatigue: _fatigue,
    told.Check: _check,
    told.Quick: _quick,
    told.Ready: _ready,
    told.Extended: _extended,
    told.Delay: _delay,
    told.Carried: _carried,
    told.WeaponEvent: _weapon,
    told.ArmorDestroyed: _armor_destroyed,
    told.Fall: _off,
    told.Mounted: _mounted,
    told.Dismounted: _off,
    told.Counter: _counter,
    told.Turn: _turn,
    told.Bleed: _bleed,
    told.Exposure: _exposure,
    told.LostAction: _lost,
    told.SceneEnded: _scene_ended,
    told.RulingModifier: _modifier,
    told.Corrected: correct_field,
}

apply: Final = applier(HANDLERS)
