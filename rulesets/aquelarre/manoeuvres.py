"""What manoeuvres do with a hit, and holds, which need none (AQ-ATK-12 to -30)."""

from typing import Final

from rulesets.aquelarre.attack import strike
from rulesets.aquelarre.blow import Blow, roll_damage
from rulesets.aquelarre.declared import Intent
from rulesets.aquelarre.events import Damage, Stun, WeaponDropped
from rulesets.aquelarre.modifiers import CHECK, Effort
from rulesets.aquelarre.rolls import D6, characteristic, check, confront
from rulesets.aquelarre.rows import Size, Weapon
from rulesets.aquelarre.turn import Dealt, Harm, Round, lose, lose_rest
from rulesets.aquelarre.wounds import (
    absorbed_by_armour,
    fallen_out,
    gain,
    harmed,
    join,
    knock_down,
    shed,
    strike_body,
    wear_shield,
)
from rulesets.core.dice import DiceExpression
from rulesets.core.modifiers import Total, total

# AQ-ATK-23: Strength x 3, x 4 or x 5 by the size of one's own weapon.
DISARM_TIMES: Final = {Size.LIGHT: 3, Size.MEDIUM: 4, Size.HEAVY: 5}
SQUEEZE: Final = DiceExpression(1, 3)  # AQ-ATK-28
STUN_MINUTES: Final = 10  # for each point above the Resistance, and at least (AQ-ATK-13)


def _strength(rnd: Round, name: str, times: int) -> tuple[str, str, Total]:
    """One side of a confrontation of Strength."""
    return name, "strength", characteristic(rnd, name, "strength", times, "strength")


# ------------------------------------------------------------------ still possible?


def try_to_disarm(rnd: Round, intent: Intent) -> None:
    """Disarm, if the enemy has a weapon in hand that is not too large (AQ-ATK-23)."""
    weapon = disarmed(rnd, intent)
    fits = weapon is not None and weapon.size <= intent.arms.size
    if rnd.who(intent.target).able and not fits:
        lose(rnd, intent, "invalid_target")
    else:
        strike(rnd, intent)


def try_to_break_shield(rnd: Round, intent: Intent) -> None:
    """Break a shield, if the enemy still has one on the arm (AQ-ATK-21)."""
    other = rnd.who(intent.target)
    if other.able and not other.shield_ready:
        lose(rnd, intent, "invalid_target")
    else:
        strike(rnd, intent)


def try_to_unhorse(rnd: Round, intent: Intent) -> None:
    """Unhorse, if the enemy is still in the saddle (AQ-ATK-24)."""
    other = rnd.who(intent.target)
    if other.able and "mounted" not in other.conditions:
        lose(rnd, intent, "invalid_target")
    else:
        strike(rnd, intent)


# ------------------------------------------------------------------ hits


def stun(rnd: Round, blow: Blow) -> None:
    """The damage roll x 2 against the Resistance; no PV are lost (AQ-ATK-13).

    Protection of the head that is not metal counts before doubling (D-24). 6 PD through a leather
    hood are 5 x 2 = 10: enough for Resistance 9, and 10 minutes.
    """
    body = rnd.who(blow.target).sheet.body
    head = body.at("head", "") or body.faces[0]
    if blow.attempt is not None and blow.attempt.result == "fumble":
        # AQ-ATK-14: a real blow after all.
        strike_body(rnd, blow.actor, blow.target, head, roll_damage(rnd, blow))
        return
    damage = roll_damage(rnd, blow)
    amount = (damage.dealt - absorbed_by_armour(rnd, blow.target, head.id, damage)) * 2
    endurance = rnd.who(blow.target).figures.characteristics["endurance"]
    out = amount >= endurance
    rnd.emit(
        Stun(
            actor=blow.actor,
            target=blow.target,
            amount=amount,
            limit=endurance,
            label=damage.label,
            result="success" if out else "failure",
            rule="AQ-ATK-13",
        )
    )
    if out and rnd.who(blow.target).able:
        minutes = max(STUN_MINUTES, STUN_MINUTES * (amount - endurance))
        gain(rnd, blow.target, "knocked_out", "AQ-ATK-13", minutes=minutes)
        fallen_out(rnd, blow.target)


def shield_breaker(rnd: Round, blow: Blow) -> None:
    """The shield loses twice the PD rolled; a critical destroys it (AQ-ATK-21)."""
    left = rnd.who(blow.target).shield_resistance
    worn = left if blow.critical else 2 * roll_damage(rnd, blow).rolled
    wear_shield(rnd, blow.target, worn, "AQ-ATK-21")


def disarm(rnd: Round, blow: Blow) -> None:
    """Strength against Strength by the sizes of the weapons; the loser's falls (AQ-ATK-23)."""
    weapon = disarmed(rnd, blow.intent)
    if weapon is None:
        return
    won = confront(
        rnd,
        "disarm",
        "AQ-ATK-23",
        _strength(rnd, blow.actor, DISARM_TIMES[blow.size]),
        _strength(rnd, blow.target, DISARM_TIMES[weapon.size]),
    ).won
    if won:
        rnd.emit(WeaponDropped(actor=blow.target, weapon=weapon.name, rule="AQ-ATK-23"))


def disarmed(rnd: Round, intent: Intent) -> Weapon | None:
    """The weapon that a disarming is aimed at, if it is in the enemy's hand: named, or the main."""
    in_hand = rnd.who(intent.target).in_hand
    if not intent.target_weapon:
        return in_hand[0] if in_hand else None
    return next((weapon for weapon in in_hand if weapon.name == intent.target_weapon), None)


def unhorse(rnd: Round, blow: Blow) -> None:
    """Strength x 5 against Riding; the loser falls for 1D6 PD (AQ-ATK-24, D-35)."""
    rider = rnd.who(blow.target)
    riding = total(CHECK, Effort(rnd, rider, "riding", "riding"))
    won = confront(
        rnd,
        "unhorse",
        "AQ-ATK-24",
        _strength(rnd, blow.actor, 5),
        (rider.name, "riding", riding),
    ).won
    if not won:
        return
    knock_down(rnd, rider.name, "AQ-ATK-24")
    roll = rnd.roll(rider.name, "fall", D6)
    fall = Dealt(roll.value, roll.value, {"dice": roll.value}, roll.label)
    off_the_pv(rnd, blow.actor, rider.name, fall)


def off_the_pv(rnd: Round, actor: str, victim: str, blow: Dealt) -> None:
    """PD straight off the PV: no location, no armour, no sequela."""
    amount = blow.dealt
    rnd.emit(
        Damage(
            actor=actor,
            target=victim,
            rolled=blow.rolled,
            dealt=amount,
            amount=amount,
            parts=blow.parts,
            label=blow.label,
            rule="AQ-HP-01",
        )
    )
    harmed(rnd, Harm(victim, rnd.who(victim).hp, amount, 0, ""))


def shove(rnd: Round, blow: Blow) -> None:
    """Strength x 5 against Strength x 5, then Agility x 2 or a fall (AQ-ATK-25, -26)."""
    met = confront(
        rnd, "shove", "AQ-ATK-25", _strength(rnd, blow.actor, 5), _strength(rnd, blow.target, 5)
    )
    if met.won:
        against = characteristic(rnd, blow.target, "agility", 2, "agility")
        if not check(rnd, blow.target, "agility", against, "AQ-ATK-25").succeeded:
            knock_down(rnd, blow.target, "AQ-ATK-25")
    elif met.passive_won and met.passive.result == "critical":
        knock_down(rnd, blow.actor, "AQ-ATK-26")


def trip(rnd: Round, blow: Blow) -> None:
    """Agility x 3, or a fall that costs every action left (AQ-ATK-29)."""
    name = blow.target
    against = characteristic(rnd, name, "agility", 3, "agility")
    if check(rnd, name, "agility", against, "AQ-ATK-29").succeeded:
        return
    knock_down(rnd, name, "AQ-ATK-29")
    lose_rest(rnd, name, "tripped", "AQ-ATK-29")
    role = rnd.roles[name]
    role.wards.clear()
    role.spear = None
    role.shield_to_place = None


# ------------------------------------------------------------------ holds


def grapple(rnd: Round, intent: Intent) -> None:
    """Strength x 5 against Strength x 5; who loses is held (AQ-ATK-27)."""
    who, other = rnd.who(intent.actor), rnd.who(intent.target)
    if not other.able:
        lose(rnd, intent, "target_down")
    elif intent.target not in who.melee_with:
        lose(rnd, intent, "not_in_melee")
    elif other.held_by or who.holding:
        lose(rnd, intent, "invalid_target")
    else:
        intent.begun = True
        won = confront(
            rnd,
            "grapple",
            "AQ-ATK-27",
            _strength(rnd, intent.actor, 5),
            _strength(rnd, intent.target, 5),
        ).won
        if won:
            join(rnd, intent.target, "immobilised", "AQ-ATK-27", intent.actor)
        rnd.roles[intent.target].attacked_by = intent.actor


def squeeze(rnd: Round, intent: Intent) -> None:
    """1D3 and the strength bonus, straight off the PV of the one held (AQ-ATK-28)."""
    held = rnd.who(intent.actor).holding
    if not held:
        lose(rnd, intent, "not_holding")
        return
    intent.begun = True
    blow = Blow(
        intent=intent,
        action=intent.action,
        actor=intent.actor,
        target=held,
        weapon=None,
        size=Size.LIGHT,
        dice=SQUEEZE,
        base="strength",
    )
    off_the_pv(rnd, intent.actor, held, roll_damage(rnd, blow))


def release(rnd: Round, intent: Intent) -> None:
    """Let go: the hold ends, the melé does not (AQ-ATK-30)."""
    held = rnd.who(intent.actor).holding
    if not held:
        lose(rnd, intent, "not_holding")
        return
    intent.begun = True
    shed(rnd, held, "immobilised", "AQ-ATK-30", other=intent.actor)
