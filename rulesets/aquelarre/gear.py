"""Weapons, shields and armour in hands: drawing, giving, loading, putting on, mending (AQ-OTH)."""

from typing import Final

from rulesets.aquelarre.blow import REACH
from rulesets.aquelarre.declared import Intent
from rulesets.aquelarre.events import DonArmour, Draw, GiveItem, Reload, Repair
from rulesets.aquelarre.modifiers import check_total
from rulesets.aquelarre.rolls import characteristic, check
from rulesets.aquelarre.turn import Round, lose

MENDED: Final = (4, 4)  # 2D4 (AQ-ARM-05)


def draw(rnd: Round, intent: Intent) -> None:
    """Take weapons or a shield in hand; ready from the character's own turn on (AQ-OTH-05)."""
    intent.begun = True
    for name in intent.items:
        rnd.emit(Draw(actor=intent.actor, weapon=name, rule="AQ-OTH-03"))


def _holds(rnd: Round, intent: Intent) -> bool:
    """Whether the object to be handed over is in hand."""
    who = rnd.who(intent.actor)
    if who.shield is not None and who.shield.name == intent.item:
        return who.shield_ready and rnd.who(intent.target).shield is None
    return who.ready_count(intent.item) > 0


def give_item(rnd: Round, intent: Intent) -> None:
    """Hand an object over, in reach (AQ-OTH-01)."""
    who, other = rnd.who(intent.actor), rnd.who(intent.target)
    if not other.able:
        lose(rnd, intent, "target_down")
    elif not _holds(rnd, intent):
        lose(rnd, intent, "weapon_not_ready")
    elif rnd.fight.distance(who, other) > REACH:
        lose(rnd, intent, "out_of_reach")
    else:
        intent.begun = True
        _given(rnd, intent, "AQ-OTH-01", caught=True)


def throw_item(rnd: Round, intent: Intent) -> None:
    """Throw it: Throwing, then the receiver's Agility x 5 (AQ-OTH-02)."""
    if not rnd.who(intent.target).able:
        lose(rnd, intent, "target_down")
        return
    if not _holds(rnd, intent):
        lose(rnd, intent, "weapon_not_ready")
        return
    intent.begun = True
    who = rnd.who(intent.actor)
    against = check_total(rnd, who, "throwing", "throw")
    caught = check(rnd, who.name, "throwing", against, "AQ-OTH-02").succeeded
    if caught:
        against = characteristic(rnd, intent.target, "agility", 5, "agility")
        caught = check(rnd, intent.target, "agility", against, "AQ-OTH-02").succeeded
    _given(rnd, intent, "AQ-OTH-02", caught=caught)


def _given(rnd: Round, intent: Intent, rule: str, *, caught: bool) -> None:
    rnd.emit(
        GiveItem(
            actor=intent.actor,
            target=intent.target,
            item=intent.item,
            rule=rule,
            result="success" if caught else "failure",
        )
    )


def reload(rnd: Round, intent: Intent) -> None:
    """One action of reloading (AQ-RNG-04)."""
    who = rnd.who(intent.actor)
    if not who.is_ready(intent.arms):
        lose(rnd, intent, "weapon_not_ready")
        return
    intent.begun = True
    name = intent.arms.name
    left = max(0, who.reload_left.get(name, 0) - 1)
    rnd.emit(Reload(actor=who.name, weapon=name, left=left, rule="AQ-RNG-04"))


def don_armour(rnd: Round, intent: Intent) -> None:
    """One round of putting armour on: as many as its Protection (AQ-ARM-08)."""
    who = rnd.who(intent.actor)
    piece = next((piece for piece in who.stowed if piece.name == intent.item), None)
    if piece is None:
        lose(rnd, intent, "invalid_target")
        return
    intent.begun = True
    left = max(0, who.donning.get(piece.name, piece.protection) - 1)
    rnd.emit(DonArmour(actor=who.name, armour=piece.name, left=left, rule="AQ-ARM-08"))


def repair(rnd: Round, intent: Intent) -> None:
    """A Craft (Armoury) roll gives 2D4 Resistance back, up to the initial value (AQ-ARM-05)."""
    intent.begun = True
    who = rnd.who(intent.actor)
    against = check_total(rnd, who, "craft_armoury", "craft")
    attempt = check(rnd, who.name, "craft_armoury", against, "AQ-ARM-05")
    if not attempt.succeeded:
        return
    most, left = resistance_of(rnd, who.name, intent.item)
    roll = rnd.roll(who.name, "repair", MENDED)
    amount = min(roll.value, most - left)
    rnd.emit(
        Repair(
            actor=who.name,
            object=intent.item,
            amount=amount,
            left=left + amount,
            label=roll.label,
            rule="AQ-ARM-05",
        )
    )


def resistance_of(rnd: Round, name: str, item: str) -> tuple[int, int]:
    """Initial and present Resistance of a shield or a piece of armour."""
    who = rnd.who(name)
    if who.shield is not None and who.shield.name == item:
        return who.shield.resistance, who.shield_resistance
    piece = next(piece for piece in who.armour if piece.name == item)
    return piece.resistance, who.armour_resistance[item]
