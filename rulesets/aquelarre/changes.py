"""What each event changes in the fight: the one way in which state moves.

An event without a handler tells something and changes nothing. Handlers read the event and the
fight only, so the fight after a round is the fold of its events, whoever folds them.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from rulesets.aquelarre import events as told
from rulesets.aquelarre.corrected import correct_field
from rulesets.aquelarre.fight import Fight, put
from rulesets.aquelarre.sheet import figures
from rulesets.core.events import Event
from rulesets.core.play import applier
from rulesets.core.state import changed


def _round_opened(fight: Fight, event: told.RoundOpened) -> Fight:
    return changed(fight, round=event.number, initiative={}, rulings={})


def _initiative(fight: Fight, event: told.Initiative) -> Fight:
    return changed(fight, initiative={**fight.initiative, event.actor: event.value})


def _attack(fight: Fight, event: told.Attack) -> Fight:
    """An attack uses preparation up, unloads what shoots, lets go of what is thrown (AQ-RNG-05)."""
    who = fight.cast[event.actor]
    fields: dict[str, object] = {}
    if who.prep_bonus:
        fields["prep_bonus"] = 0
    if event.ranged:
        weapon = next(weapon for weapon in who.weapons if weapon.name == event.weapon)
        if not weapon.missile:
            fields["dropped"] = (*who.dropped, weapon.name)
        elif weapon.reload:
            fields["reload_left"] = {**who.reload_left, weapon.name: weapon.reload}
    return put(fight, event.actor, **fields) if fields else fight


def _damage(fight: Fight, event: told.Damage) -> Fight:
    if not event.amount:
        return fight
    who = fight.cast[event.target]
    fields: dict[str, object] = {"hp": who.hp - event.amount}
    location = who.sheet.body.locations.get(event.location)
    if location is not None:
        if location.part == "arm":
            fields["damage_arms"] = who.damage_arms + event.amount
        elif location.part == "leg":
            fields["damage_legs"] = who.damage_legs + event.amount
    return put(fight, event.target, **fields)


def _wound(fight: Fight, event: told.Wound) -> Fight:
    return put(fight, event.actor, level=event.level)


def _death(fight: Fight, event: told.Death) -> Fight:
    return put(fight, event.actor, level="dead")


def _condition(fight: Fight, event: told.Condition) -> Fight:
    gained = event.change == "gained"
    who = fight.cast[event.actor]
    match event.condition:
        case "in_melee":
            return _in_melee(fight, event.actor, event.other, gained=gained)
        case "immobilised":
            fight = put(fight, event.actor, held_by=event.other if gained else "")
            return put(fight, event.other, holding=event.actor if gained else "")
        case "bleeding":
            return put(fight, event.actor, bleeding=gained, stabilised=not gained)
        case "arms_crippled" | "legs_crippled":
            return fight  # follows from the totals of the limbs
    kept = who.conditions | {event.condition} if gained else who.conditions - {event.condition}
    fields: dict[str, object] = {"conditions": kept}
    if event.minutes:
        fields["minutes_out"] = event.minutes
    if event.location:
        fields["guard_extra"] = event.location
    return put(fight, event.actor, **fields)


def _in_melee(fight: Fight, one: str, other: str, *, gained: bool) -> Fight:
    for name, partner in ((one, other), (other, one)):
        now = fight.cast[name].melee_with
        without = tuple(each for each in now if each != partner)
        fight = put(fight, name, melee_with=(*without, partner) if gained else without)
    return fight


def _movement(fight: Fight, event: told.Movement) -> Fight:
    return fight if event.to is None else put(fight, event.actor, position=event.to)


def _weapon_dropped(fight: Fight, event: told.WeaponDropped) -> Fight:
    who = fight.cast[event.actor]
    return put(fight, event.actor, dropped=(*who.dropped, event.weapon))


def _weapon_broken(fight: Fight, event: told.WeaponBroken) -> Fight:
    who = fight.cast[event.actor]
    return put(fight, event.actor, broken=(*who.broken, event.weapon))


def _shield_wear(fight: Fight, event: told.ShieldWear) -> Fight:
    return put(fight, event.actor, shield_resistance=event.left)


def _armour_wear(fight: Fight, event: told.ArmourWear) -> Fight:
    left = {**fight.cast[event.actor].armour_resistance, event.armour: event.left}
    return put(fight, event.actor, armour_resistance=left)


def _mount_damage(fight: Fight, event: told.MountDamage) -> Fight:
    return put(fight, event.actor, mount_hp=event.left)


def _sequela(fight: Fight, event: told.Sequela) -> Fight:
    """A characteristic may drop, never below 1 (AQ-SEQ-03)."""
    who = fight.cast[event.actor]
    fields: dict[str, object] = {"sequelae": (*who.sequelae, event.effect)}
    if event.characteristic:
        now = dict(who.figures.characteristics)
        now[event.characteristic] = max(1, now[event.characteristic] - event.loss)
        fields["figures"] = figures(who.sheet, now, who.armour, fight.tables.skills)
    return put(fight, event.actor, **fields)


def _bleed(fight: Fight, event: told.Bleed) -> Fight:
    return put(fight, event.actor, hp=event.hp)


def _prepare(fight: Fight, event: told.Prepare) -> Fight:
    return put(fight, event.actor, prep_bonus=event.bonus)


def _reload(fight: Fight, event: told.Reload) -> Fight:
    left = {**fight.cast[event.actor].reload_left, event.weapon: event.left}
    return put(fight, event.actor, reload_left=left)


def _without(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    """The names less one of that name."""
    if name not in names:
        return names
    index = names.index(name)
    return names[:index] + names[index + 1 :]


def _draw(fight: Fight, event: told.Draw) -> Fight:
    who = fight.cast[event.actor]
    if event.weapon in who.sheathed:
        return put(fight, event.actor, sheathed=_without(who.sheathed, event.weapon))
    if event.weapon in who.dropped:
        return put(fight, event.actor, dropped=_without(who.dropped, event.weapon))
    lying = [weapon for weapon in fight.ground if weapon.name == event.weapon]
    if not lying or event.weapon in (weapon.name for weapon in who.weapons):
        return fight
    ground = list(fight.ground)
    ground.remove(lying[0])
    return changed(put(fight, event.actor, weapons=(*who.weapons, lying[0])), ground=tuple(ground))


def _give_item(fight: Fight, event: told.GiveItem) -> Fight:
    """What was given changes hands; what nobody caught lies on the ground."""
    giver = fight.cast[event.actor]
    caught = event.result == "success"
    if giver.shield is not None and giver.shield.name == event.item:
        shield, resistance = giver.shield, giver.shield_resistance
        if not caught:
            # It stays the giver's, out of reach of the arm, until somebody picks it up.
            return put(fight, event.actor, dropped=(*giver.dropped, event.item))
        fight = put(fight, event.actor, shield=None, shield_resistance=0)
        return put(fight, event.target, shield=shield, shield_resistance=resistance)
    index = next(i for i, weapon in enumerate(giver.weapons) if weapon.name == event.item)
    weapon = giver.weapons[index]
    loaded = dict(giver.reload_left)
    left = loaded.pop(event.item, 0)
    fight = put(
        fight,
        event.actor,
        weapons=giver.weapons[:index] + giver.weapons[index + 1 :],
        reload_left=loaded,
    )
    if not caught:
        return changed(fight, ground=(*fight.ground, weapon))
    taker = fight.cast[event.target]
    fields: dict[str, object] = {"weapons": (*taker.weapons, weapon)}
    if left:
        fields["reload_left"] = {**taker.reload_left, event.item: left}
    return put(fight, event.target, **fields)


def _don_armour(fight: Fight, event: told.DonArmour) -> Fight:
    who = fight.cast[event.actor]
    if event.left:
        return put(fight, event.actor, donning={**who.donning, event.armour: event.left})
    piece = next(piece for piece in who.stowed if piece.name == event.armour)
    worn = (*who.armour, piece)
    return put(
        fight,
        event.actor,
        stowed=tuple(other for other in who.stowed if other is not piece),
        armour=worn,
        armour_resistance={**who.armour_resistance, piece.name: piece.resistance},
        donning={name: left for name, left in who.donning.items() if name != piece.name},
        figures=figures(who.sheet, who.figures.characteristics, worn, fight.tables.skills),
    )


def _repair(fight: Fight, event: told.Repair) -> Fight:
    who = fight.cast[event.actor]
    if who.shield is not None and who.shield.name == event.object:
        return put(fight, event.actor, shield_resistance=event.left)
    left = {**who.armour_resistance, event.object: event.left}
    return put(fight, event.actor, armour_resistance=left)


def _recover(fight: Fight, event: told.Recover) -> Fight:
    who = fight.cast[event.actor]
    awake = who.conditions - {"fainted"}
    return put(fight, event.actor, conditions=awake, minutes_out=0)


def _combat_end(fight: Fight, event: told.CombatEnd) -> Fight:
    return changed(fight, ended=event.reason)


def _modifier(fight: Fight, event: told.RulingModifier) -> Fight:
    before = fight.rulings.get(event.roll, 0)
    return changed(fight, rulings={**fight.rulings, event.roll: before + event.value})


Handler = Callable[[Fight, Any], Fight]

HANDLERS: Final[Mapping[type[Event], Handler]] = {
    told.RoundOpened: _round_opened,
    told.Initiative: _initiative,
    told.Attack: _attack,
    told.Damage: _damage,
    told.Wound: _wound,
    told.Death: _death,
    told.Condition: _condition,
    told.Movement: _movement,
    told.WeaponDropped: _weapon_dropped,
    told.WeaponBroken: _weapon_broken,
    told.ShieldWear: _shield_wear,
    told.ArmourWear: _armour_wear,
    told.MountDamage: _mount_damage,
    told.Sequela: _sequela,
    told.Bleed: _bleed,
    told.Prepare: _prepare,
    told.Reload: _reload,
    told.Draw: _draw,
    told.GiveItem: _give_item,
    told.DonArmour: _don_armour,
    told.Repair: _repair,
    told.Recover: _recover,
    told.CombatEnd: _combat_end,
    told.RulingModifier: _modifier,
    told.Corrected: correct_field,
}

apply: Final = applier(HANDLERS)
