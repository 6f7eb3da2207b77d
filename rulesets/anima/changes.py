"""What each event changes in the fight: the one way in which state moves.

An event without a handler tells something and changes nothing. Handlers read the event and the
fight only, so the fight after an assault is the fold of its events, whoever folds them. What an
attack came to (``Attack.result``) is said afterwards and must not be read here.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from rulesets.anima import events as told
from rulesets.anima.corrected import correct_field
from rulesets.anima.fight import PENALTIES, Fight, Running, put
from rulesets.anima.scene import pair
from rulesets.core.events import Event
from rulesets.core.play import applier
from rulesets.core.state import changed

PAIN_FADES: Final = 5  # AN-CRI-14


def _assault(fight: Fight, event: told.Assault) -> Fight:
    """Counts of the former assault are over: rulings, initiative, runs, being taken unawares."""
    fight = changed(fight, round=event.number, initiative={}, rulings={})
    for name, who in fight.cast.items():
        if who.running_towards and who.running_round < event.number - 1:
            fight = put(fight, name, running_towards="", running_round=0)
    situations = fight.scene.situations
    if event.number > 1 and any(id_ == "surprise" for row in situations.values() for id_, _ in row):
        left = {
            name: tuple(placed for placed in row if placed[0] != "surprise")
            for name, row in situations.items()
        }
        fight = changed(fight, scene=changed(fight.scene, situations=left))
    return fight


def _recover(fight: Fight, event: told.Recover) -> Fight:
    if event.what != "pain":
        return put(fight, event.actor, **{PENALTIES[event.what]: event.value})
    if fight.options.choices.pain_recovery == "pooled":
        return put(fight, event.actor, pains=(event.value,) if event.value else ())
    left = (pain - PAIN_FADES for pain in fight.cast[event.actor].pains)
    return put(fight, event.actor, pains=tuple(pain for pain in left if pain > 0))


def _penalty(fight: Fight, event: told.Penalty) -> Fight:
    if event.what == "pain":
        who = fight.cast[event.target]
        return put(fight, event.target, pains=(*who.pains, event.amount))
    return put(fight, event.target, **{PENALTIES[event.what]: event.value})


def _initiative(fight: Fight, event: told.Initiative) -> Fight:
    return changed(fight, initiative={**fight.initiative, event.actor: event.total})


def _stance(fight: Fight, event: told.Stance) -> Fight:
    return put(fight, event.actor, stance=event.stance if event.change == "entered" else "")


def _movement(fight: Fight, event: told.Movement) -> Fight:
    if not event.toward:
        return fight
    distances = {**fight.scene.distances, pair(event.actor, event.toward): event.gap_cm}
    fight = changed(fight, scene=changed(fight.scene, distances=distances))
    if event.active and not event.charge:
        fields = {"running_towards": event.toward, "running_round": fight.round}
        return put(fight, event.actor, **fields)
    return fight


def _weapon(fight: Fight, event: told.WeaponChange) -> Fight:
    if event.change == "ready":
        return put(fight, event.actor, ready=True)
    fields: dict[str, object] = {"in_hand": event.weapon}
    who = fight.cast[event.actor]
    if who.dropped == event.weapon:
        fields["dropped"] = ""
    if who.ready:
        fields["ready"] = False
    return put(fight, event.actor, **fields)


def _aim(fight: Fight, event: told.Aim) -> Fight:
    return put(fight, event.actor, aim_target=event.target, aim_rounds=event.rounds)


def _accumulate(fight: Fight, event: told.Accumulate) -> Fight:
    return put(fight, event.actor, zeon_accumulated=event.value)


def _cast(fight: Fight, event: told.Cast) -> Fight:
    return put(fight, event.actor, zeon_accumulated=event.left) if event.cost else fight


def _fatigue(fight: Fight, event: told.FatigueSpent) -> Fight:
    return put(fight, event.actor, fatigue=event.left)


def _attack(fight: Fight, event: told.Attack) -> Fight:
    """Shooting ends readiness and aim (AN-RNG-08, AN-RNG-10)."""
    who = fight.cast[event.actor]
    if event.kind not in ("shot", "thrown") or not (who.ready or who.aim_target):
        return fight
    ready = who.ready and event.kind != "shot"
    return put(fight, event.actor, ready=ready, aim_target="", aim_rounds=0)


def _shield(fight: Fight, event: told.ShieldChange) -> Fight:
    who = fight.cast[event.actor]
    key = next(key for key, ward in who.sheet.shields.items() if ward.name == event.shield)
    if event.result == "placed":
        return put(fight, event.actor, shield_placed_on=event.target, placed=event.shield)
    fields: dict[str, object] = {"shields": {**who.shields, key: event.points}}
    if event.result == "broken" and who.shield_placed_on and who.placed in ("", event.shield):
        fields.update(shield_placed_on="", placed="")
    return put(fight, event.actor, **fields)


def _condition(fight: Fight, event: told.Condition) -> Fight:
    if event.condition == "on_defensive":
        return fight  # of this assault only
    who = fight.cast[event.target]
    gained = event.change == "gained"
    kept = who.conditions | {event.condition} if gained else who.conditions - {event.condition}
    fields: dict[str, object] = {"conditions": kept}
    if event.condition == "threatened":
        fields["threatened_by"] = event.by if gained else ""
    elif event.condition == "disarmed" and gained:
        fields.update(in_hand="", dropped=who.in_hand, ready=False)
    elif event.condition == "disarmed":
        fields["dropped"] = ""
    return put(fight, event.target, **fields)


def _grip(fight: Fight, event: told.Grip) -> Fight:
    gained = event.change == "gained"
    fight = put(fight, event.actor, holding=event.target if gained else "")
    return put(fight, event.target, held_by=event.actor if gained else "")


def _effect(fight: Fight, event: told.Effect) -> Fight:
    running = Running(event.condition, event.resistance, event.difficulty)
    kept = tuple(e for e in fight.cast[event.target].effects if e != running)
    effects = (*kept, running) if event.change == "gained" else kept
    return put(fight, event.target, effects=effects)


def _damage(fight: Fight, event: told.Damage) -> Fight:
    return put(fight, event.target, hp=fight.cast[event.target].hp - event.amount)


def _death(fight: Fight, event: told.Death) -> Fight:
    """Whoever is dead is nothing else any more."""
    return put(fight, event.target, conditions=frozenset({"dead"}), effects=())


def _modifier(fight: Fight, event: told.RulingModifier) -> Fight:
    before = fight.rulings.get(event.roll, 0)
    return changed(fight, rulings={**fight.rulings, event.roll: before + event.value})


Handler = Callable[[Fight, Any], Fight]

HANDLERS: Final[Mapping[type[Event], Handler]] = {
    told.Assault: _assault,
    told.Recover: _recover,
    told.Penalty: _penalty,
    told.Initiative: _initiative,
    told.Stance: _stance,
    told.Movement: _movement,
    told.WeaponChange: _weapon,
    told.Aim: _aim,
    told.Accumulate: _accumulate,
    told.Cast: _cast,
    told.FatigueSpent: _fatigue,
    told.Attack: _attack,
    told.ShieldChange: _shield,
    told.Condition: _condition,
    told.Grip: _grip,
    told.Effect: _effect,
    told.Damage: _damage,
    told.Death: _death,
    told.RulingModifier: _modifier,
    told.Corrected: correct_field,
}
apply: Final[Callable[[Fight, Event], Fight]] = applier(HANDLERS)
