"""What each event changes in the fight: the one way in which state moves.

An event without a handler tells something and changes nothing. Handlers read the event and the
fight only, so the fight after a round is the fold of its events, whoever folds them.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from rulesets.core.events import Event
from rulesets.core.play import applier
from rulesets.core.state import changed
from rulesets.hielo_y_fuego import events as told
from rulesets.hielo_y_fuego.corrected import correct_field
from rulesets.hielo_y_fuego.fight import Character, Fight, Help, put, riders_of
from rulesets.hielo_y_fuego.scene import ADJACENT, pair_of

# What lasts until the start of one's own next turn (catalogue 3.2).
UNTIL_TURN: Final = frozenset(
    {
        "cautious",
        "reckless",
        "dodging",
        "sprinted",
        "drew_moving",
        "counterattacking",
        "exposed",
    }
)
# What the defeated keep, and the dead (catalogue section 9).
DEFEATED_KEEP: Final = frozenset({"prone", "yielded", "dishonoured"})
DEAD_KEEP: Final = frozenset({"maimed"})
NOTHING_LEFT: Final[Mapping[str, object]] = {
    "dodged": 0,
    "stunned_until": 0,
    "unconscious_until": 0,
    "harassers": (),
    "helps": (),
    "may_interrupt": False,
    "counter_weapon": "",
    "counter_target": "",
}


def _round_opened(fight: Fight, event: told.RoundOpened) -> Fight:
    return changed(fight, round=event.number, rulings={})


def _initiative(fight: Fight, event: told.Initiative) -> Fight:
    if event.again:
        return fight
    return changed(fight, initiative={**fight.initiative, event.actor: event.total})


def _turn_order(fight: Fight, event: told.TurnOrder) -> Fight:
    return changed(fight, order=event.order)


def _turn_started(fight: Fight, event: told.TurnStarted) -> Fight:
    """What lasts until this turn is over, for him and for those he has harassed or helped."""
    name = event.actor
    who = fight.cast[name]
    fight = put(
        fight,
        name,
        conditions=who.conditions - UNTIL_TURN,
        lowered=(),
        dodged=0,
        may_interrupt=False,
        counter_weapon="",
        counter_target="",
    )
    for other in fight.cast.values():
        if name in other.harassers:
            left = tuple(each for each in other.harassers if each != name)
            still = other.conditions if left else other.conditions - {"harassed"}
            fight = put(fight, other.name, harassers=left, conditions=still)
        if any(help_.helper == name for help_ in other.helps):
            helps = tuple(help_ for help_ in other.helps if help_.helper != name)
            fight = put(fight, other.name, helps=helps)
    return fight


def _wound(fight: Fight, event: told.Wound) -> Fight:
    who = fight.cast[event.target]
    if event.kind == "injury":
        return put(fight, event.target, injuries=who.injuries + event.count)
    return put(fight, event.target, wounds=who.wounds + event.count)


def _loss(fight: Fight, event: told.Loss) -> Fight:
    return put(fight, event.target, health=event.left)


def _defeat(fight: Fight, event: told.Defeat) -> Fight:
    kept = fight.cast[event.target].conditions & DEFEATED_KEEP
    return put(_unheld(fight, event.target), event.target, conditions=kept | {"defeated"})


def _death(fight: Fight, event: told.Death) -> Fight:
    kept = fight.cast[event.target].conditions & DEAD_KEEP
    return put(_unheld(fight, event.target), event.target, conditions=kept | {"dead"})


def _unheld(fight: Fight, name: str) -> Fight:
    """He holds nobody any more, nobody holds him, and nothing waits for him."""
    who = fight.cast[name]
    if who.grabbing:
        fight = put(fight, who.grabbing, held_by="", pinned=False)
    if who.held_by:
        fight = put(fight, who.held_by, grabbing="")
    return put(fight, name, grabbing="", held_by="", pinned=False, **NOTHING_LEFT)


def _condition(fight: Fight, event: told.Condition) -> Fight:
    match event.condition:
        case "grabbed":
            return _grabbed(fight, event)
        case "pinned":
            return _pinned(fight, event)
    who = fight.cast[event.target]
    if event.gained:
        return put(fight, event.target, **_gained(who, event))
    fields: dict[str, object] = {"conditions": who.conditions - {event.condition}}
    if event.condition == "harassed":
        fields["harassers"] = ()
    elif event.condition == "dodging":
        fields["dodged"] = 0
    elif event.condition == "counterattacking":
        fields |= {"counter_weapon": "", "counter_target": ""}
    return put(fight, event.target, **fields)


def _gained(who: Character, event: told.Condition) -> dict[str, object]:
    fields: dict[str, object] = {}
    now = who.conditions | {event.condition}
    match event.condition:
        case "harassed":
            others = tuple(each for each in who.harassers if each != event.actor)
            fields["harassers"] = (*others, event.actor)
        case "passed":
            fields["may_interrupt"] = True
        case "stunned":
            fields["stunned_until"] = event.until
        case "unconscious" | "helpless":
            # A dodge ends when he becomes helpless (catalogue section 9).
            now -= {"dodging"}
            if event.condition == "unconscious":
                fields["unconscious_until"] = event.until
    return {**fields, "conditions": now}


def _grabbed(fight: Fight, event: told.Condition) -> Fight:
    holder = event.actor if event.gained else ""
    if event.actor:
        fight = put(fight, event.actor, grabbing=event.target if event.gained else "")
    fields: dict[str, object] = {"held_by": holder}
    if not event.gained:
        fields["pinned"] = False
    return put(fight, event.target, **fields)


def _pinned(fight: Fight, event: told.Condition) -> Fight:
    fields: dict[str, object] = {"pinned": event.gained}
    if event.gained:
        fields["conditions"] = fight.cast[event.target].conditions - {"dodging"}
    return put(fight, event.target, **fields)


def _movement(fight: Fight, event: told.Movement) -> Fight:
    other = event.toward or event.from_
    if not other:
        return fight
    one, other = fight.riders.get(event.actor, event.actor), fight.riders.get(other, other)
    if one == other:
        return fight  # a rider and the mount under him are in one place
    distances = dict(fight.distances)
    if event.distance == ADJACENT:
        distances.pop(pair_of(one, other), None)
    else:
        distances[pair_of(one, other)] = event.distance
    return changed(fight, distances=distances)


def _interrupt(fight: Fight, event: told.Interrupt) -> Fight:
    """The right is used up, whether it was won or lost (HF-ADV-01)."""
    return put(fight, event.actor, may_interrupt=False)


def _ready(fight: Fight, event: told.Ready) -> Fight:
    return put(fight, event.actor, counter_weapon=event.weapon, counter_target=event.target)


def _assist(fight: Fight, event: told.Assist) -> Fight:
    who = fight.cast[event.target]
    help_ = Help(event.actor, event.test, event.bonus)
    return put(fight, event.target, helps=(*who.helps, help_))


def _assist_over(fight: Fight, event: told.AssistOver) -> Fight:
    who = fight.cast[event.target]
    left = tuple(h for h in who.helps if (h.helper, h.test) != (event.actor, event.test))
    return put(fight, event.target, helps=left)


def _recover(fight: Fight, event: told.Recover) -> Fight:
    who = fight.cast[event.actor]
    if event.kind == "health":
        return put(fight, event.actor, health=who.health + event.amount)
    fields: dict[str, object] = {"conditions": who.conditions - {event.kind}}
    fields[f"{event.kind}_until"] = 0
    return put(fight, event.actor, **fields)


def without(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    """The names less one of that name."""
    if name not in names:
        return names
    index = names.index(name)
    return names[:index] + names[index + 1 :]


def _weapon(fight: Fight, event: told.WeaponChange) -> Fight:
    """A weapon is drawn, falls, breaks, changes hands, is shot off or loaded."""
    who = fight.cast[event.actor]
    if event.kind == "caught":
        return _caught(fight, event)
    if event.kind in ("fired", "reloaded"):
        left = without(who.unloaded, event.weapon)
        empty = (*left, event.weapon) if event.kind == "fired" else left
        return put(fight, event.actor, unloaded=empty)
    if event.kind == "drawn":
        lying = {each: far for each, far in who.dropped.items() if each != event.weapon}
        in_hand = (*who.in_hand, event.weapon)
        return put(fight, event.actor, in_hand=in_hand, dropped=lying)
    fields: dict[str, object] = {"in_hand": without(who.in_hand, event.weapon)}
    if event.kind == "broken":
        fields["broken"] = (*who.broken, event.weapon)
    else:
        fields["dropped"] = {**who.dropped, event.weapon: event.metres}
    return put(fight, event.actor, **fields)


def _caught(fight: Fight, event: told.WeaponChange) -> Fight:
    """A weapon changes hands."""
    loser, taker = fight.cast[event.actor], fight.cast[event.by]
    weapon = loser.owned(event.weapon)
    index = loser.weapons.index(weapon)
    fight = put(
        fight,
        event.actor,
        weapons=loser.weapons[:index] + loser.weapons[index + 1 :],
        in_hand=without(loser.in_hand, event.weapon),
        unloaded=without(loser.unloaded, event.weapon),
    )
    return put(
        fight,
        event.by,
        weapons=(*taker.weapons, weapon),
        in_hand=(*taker.in_hand, event.weapon),
    )


def _wear(fight: Fight, event: told.Wear) -> Fight:
    if event.item == "armor":
        return put(fight, event.target, armor_rating=event.left)
    who = fight.cast[event.target]
    gone = who.worn.get(event.item, 0) + event.amount
    return put(fight, event.target, worn={**who.worn, event.item: gone})


def _lowered(fight: Fight, event: told.Lowered) -> Fight:
    who = fight.cast[event.actor]
    return put(fight, event.actor, lowered=(*who.lowered, event.weapon))


def _dodge(fight: Fight, event: told.Dodge) -> Fight:
    return put(fight, event.actor, dodged=event.total)


def _dismounted(fight: Fight, event: told.Dismounted) -> Fight:
    who = fight.cast[event.target]
    on_foot = who.conditions - {"mount_uncontrolled"}
    fight = put(fight, event.target, mounted=False, conditions=on_foot)
    return changed(fight, riders=riders_of(fight.cast))


def _destiny(fight: Fight, event: told.Destiny) -> Fight:
    return put(fight, event.actor, destiny_points=event.left)


def _modifier(fight: Fight, event: told.RulingModifier) -> Fight:
    before = fight.rulings.get(event.roll, 0)
    return changed(fight, rulings={**fight.rulings, event.roll: before + event.value})


Handler = Callable[[Fight, Any], Fight]

HANDLERS: Final[Mapping[type[Event], Handler]] = {
    told.RoundOpened: _round_opened,
    told.Initiative: _initiative,
    told.TurnOrder: _turn_order,
    told.TurnStarted: _turn_started,
    told.Wound: _wound,
    told.Loss: _loss,
    told.Defeat: _defeat,
    told.Death: _death,
    told.Condition: _condition,
    told.Movement: _movement,
    told.Interrupt: _interrupt,
    told.Ready: _ready,
    told.Assist: _assist,
    told.AssistOver: _assist_over,
    told.Recover: _recover,
    told.WeaponChange: _weapon,
    told.Wear: _wear,
    told.Lowered: _lowered,
    told.Dodge: _dodge,
    told.Dismounted: _dismounted,
    told.Destiny: _destiny,
    told.RulingModifier: _modifier,
    told.Corrected: correct_field,
}

apply: Final = applier(HANDLERS)
