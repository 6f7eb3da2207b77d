"""One attack on one enemy: whether it is possible, how much it does, where it lands."""

from dataclasses import dataclass, field
from typing import Final

from rulesets.aquelarre.declared import Action, Intent
from rulesets.aquelarre.events import MountDamage, ObjectHit
from rulesets.aquelarre.fight import Character
from rulesets.aquelarre.modifiers import band_of, is_higher, missing_strength
from rulesets.aquelarre.rolls import D5, D10, Attempt, rule_on
from rulesets.aquelarre.rows import SHIELD_ARM, Location, Size, Weapon
from rulesets.aquelarre.scene import Screen
from rulesets.aquelarre.turn import Dealt, Round
from rulesets.aquelarre.wounds import strike_body, wear_shield
from rulesets.core.dice import DiceExpression
from rulesets.core.modifiers import Modifier

REACH: Final = 2  # varas (catalogue, words)

# What becomes of the PD of an action (AQ-DMG-07, second step).
TIMES: Final[dict[str, tuple[Modifier, ...]]] = {
    "precise_attack": (Modifier(0, "action.precise_attack", "AQ-ATK-09", "halved_down"),),
    # x 1.5 rounded up is x 3 halved up: 10 PD become 15, 5 PD become 8.
    "charge": (
        Modifier(3, "action.charge", "AQ-ATK-18", "times"),
        Modifier(0, "action.charge", "AQ-ATK-18", "halved_up"),
    ),
    "mounted_charge": (Modifier(2, "action.mounted_charge", "AQ-ATK-19", "times"),),
    "set_spear": (Modifier(2, "action.set_spear", "AQ-ATK-03", "times"),),
}


@dataclass(slots=True)
class Blow:
    """One attack on one enemy.

    Attributes:
        weapon: What it is done with; None for a shield blow, whose dice are in ``dice``.
        size: Size that counts against a parry.
        ranged: A shot or a throw.
        leaving: The free blow at somebody who leaves (AQ-DEF-22).
        feint: Whether it halves the defence (AQ-ATK-04).
        attempt: The attack roll, once made.
        screens: What stands in the way in this attack only: cover reached, with whether it holds.
        place: A face of 1D10 rolled before for all targets of a sweep, or 0.
    """

    intent: Intent
    action: Action
    actor: str
    target: str
    weapon: Weapon | None
    size: Size
    dice: DiceExpression
    base: str
    min_strength: int = 0
    ranged: bool = False
    distance: int = 1
    leaving: bool = False
    halved: tuple[tuple[str, str], ...] = ()
    attempt: Attempt | None = None
    screens: list[Screen] = field(default_factory=list)
    place: int = 0

    @property
    def critical(self) -> bool:
        """Whether the attack roll was a critical success."""
        return self.attempt is not None and self.attempt.result == "critical"

    @property
    def brawls(self) -> bool:
        """Whether it is struck with the bare body."""
        return self.weapon is not None and self.weapon.natural


def blow_with(intent: Intent, weapon: Weapon, target: str, *, ranged: bool, distance: int) -> Blow:
    """A blow with a weapon."""
    # Thrown weapons and Brawl use Strength for the bonus (AQ-DMG-03).
    by_strength = weapon.natural or (ranged and not weapon.missile)
    return Blow(
        intent=intent,
        action=intent.action,
        actor=intent.actor,
        target=target,
        weapon=weapon,
        size=weapon.size,
        dice=weapon.damage,
        base="strength" if by_strength else weapon.base,
        min_strength=weapon.min_strength,
        ranged=ranged,
        distance=distance,
    )


# ------------------------------------------------------------------ possible?


def impossible(rnd: Round, intent: Intent, target: str, weapon: Weapon) -> str:
    """Why an attack cannot be made any more, or an empty string (AQ-RND-11)."""
    fight = rnd.fight
    who, other = fight.cast[intent.actor], fight.cast[target]
    if not other.able:
        return "target_down"
    if intent.actor in rnd.roles[target].left:
        return "out_of_reach"
    if not who.is_ready(weapon) or (weapon.missile and who.reload_left.get(weapon.name, 0)):
        return "weapon_not_ready"
    too_far = _too_far(who, intent, weapon, fight.distance(who, other))
    if too_far:
        return too_far
    if who.melee_with and weapon.size is not Size.LIGHT:
        return "weapon_too_large_for_melee"
    return ""


def _too_far(who: Character, intent: Intent, weapon: Weapon, varas: int) -> str:
    if is_ranged(intent, weapon, varas):
        return "" if band_of(who, weapon, varas) else "out_of_range"
    return "out_of_reach" if varas > REACH else ""


def is_ranged(intent: Intent, weapon: Weapon, varas: int) -> bool:
    """Whether an attack with a weapon is a shot or a throw at that distance."""
    if weapon.missile:
        return True
    if not weapon.thrown or intent.action.melee_only:
        return False
    return intent.throws or varas > REACH


# ------------------------------------------------------------------ how much


def bonus_dice(rnd: Round, who: Character, base: str, steps: int = 0) -> DiceExpression:
    """Dice of the damage bonus, none for the badly wounded (AQ-DMG-02, AQ-HP-08).

    Args:
        rnd: The round.
        who: Who strikes.
        base: Characteristic that the bonus is based on.
        steps: Steps up the table of a hard attack, which ends at its last row (AQ-ATK-11).
    """
    if who.level == "badly_wounded":
        return DiceExpression()
    table = rnd.tables
    step = table.bonus_step(who.figures.characteristics[base]) + steps
    return table.bonus[min(step, len(table.bonus) - 1)].dice


def roll_damage(rnd: Round, blow: Blow) -> Dealt:
    """PD of a blow (AQ-DMG-01 to -08).

    A critical does the most that it could without rolling: 1D8+1+1D4 is 13; a negative bonus die
    counts 1 (AQ-DMG-08). The bonus roll of the wounded is halved, rounded down; a wound never makes
    a penalty smaller (AQ-HP-05, D-16).
    """
    who = rnd.who(blow.actor)
    steps = blow.intent.levels if blow.action.id == "strong_attack" else 0
    dice, bonus = blow.dice, bonus_dice(rnd, who, blow.base, steps)
    label = ""
    if blow.critical:
        base = dice.count * dice.sides
        extra = bonus.count * (bonus.sides if bonus.sign > 0 else 1)
    else:
        roll = rnd.roll(blow.actor, "damage", dice.all_sides + bonus.all_sides)
        label = roll.label
        base, extra = sum(roll.faces[: dice.count]), sum(roll.faces[dice.count :])
    parts = {"dice": base}
    if dice.fixed:
        parts["fixed"] = dice.fixed
    if bonus.count:
        if bonus.sign < 0:
            extra = -extra
        elif who.level == "wounded":
            extra //= 2
        parts["bonus"] = extra
    if rnd.options.min_strength and blow.min_strength:  # AQ-DMG-04
        short = missing_strength(who, blow.min_strength)
        if short:
            parts["shortfall"] = -short
    rolled = max(sum(parts.values()), rnd.options.min_damage)
    return Dealt(rolled, multiplied(blow.action.id, rolled), parts, label, blow.critical)


def multiplied(action: str, rolled: int) -> int:
    """PD after what the action makes of them."""
    dealt = rolled
    for step in TIMES.get(action, ()):
        dealt = step.applied_to(dealt)
    return dealt


# ------------------------------------------------------------------ where


def height(rnd: Round, who: Character) -> int:
    """-1 on the ground, 0 standing, 1 on higher ground or in the saddle."""
    if "prone" in who.conditions:
        return -1
    return 1 if is_higher(rnd, who) else 0


def roll_place(rnd: Round, blow: Blow) -> int:
    """A place on the table of locations, 1 to 10 (AQ-LOC-01, AQ-LOC-08, AQ-LOC-09).

    From above 1D5, from below 1D5+5, else 1D10. A rider's blows always roll 1D5 (AQ-MNT-03, D-26);
    bodies that are always_d10 always roll 1D10 (table 2.3).
    """
    who, other = rnd.who(blow.actor), rnd.who(blow.target)
    if other.sheet.body.always_d10:
        return rnd.roll(blow.actor, "location", D10).faces[0]
    mine, theirs = height(rnd, who), height(rnd, other)
    if mine > theirs or "mounted" in who.conditions:
        return rnd.roll(blow.actor, "location", D5).faces[0]
    if mine < theirs:
        return rnd.roll(blow.actor, "location", D5).faces[0] + 5
    return rnd.roll(blow.actor, "location", D10).faces[0]


def location_of(rnd: Round, blow: Blow) -> Location:
    """Where a blow lands: the zone aimed at, or by the die."""
    body = rnd.who(blow.target).sheet.body
    zone = blow.intent.zone
    if zone is not None:
        aimed = body.at(zone.part, zone.side)
        if aimed is not None:
            return aimed
    place = blow.place or roll_place(rnd, blow)
    return body.faces[place - 1]


# ------------------------------------------------------------------ what is in the way


def land(rnd: Round, blow: Blow) -> None:
    """A blow that no defence stopped: location, what stands in the way, damage."""
    strike_at(rnd, blow, location_of(rnd, blow))


def strike_at(rnd: Round, blow: Blow, location: Location) -> None:
    """A blow on a location, unless a cover, a shield or a mount takes it."""
    if _screened(rnd, blow, location):
        return
    if _shielded(rnd, blow, location):
        return
    who, other = rnd.who(blow.actor), rnd.who(blow.target)
    if (
        "mounted" in other.conditions
        and "mounted" not in who.conditions
        and location.part == "leg"
        and location.side == far_side(rnd, blow.actor)
    ):
        hit_mount(rnd, blow, "AQ-MNT-04")
        return
    strike_body(rnd, blow.actor, blow.target, location, roll_damage(rnd, blow))


def far_side(rnd: Round, attacker: str) -> str:
    """The side of a mount that somebody on foot cannot reach (AQ-MNT-04)."""
    return "left" if rnd.fight.scene.side_of.get(attacker, "right") == "right" else "right"


def _screened(rnd: Round, blow: Blow, location: Location) -> bool:
    """Whether an object or somebody else in front takes the blow (AQ-LOC-07, AQ-DEF-14)."""
    screens = list(blow.screens)
    concealed = rnd.fight.scene.concealed.get(blow.target)
    if concealed is not None:
        screens.append(concealed)
    for screen in screens:
        if location.id not in screen.protects:
            continue
        rnd.emit(
            ObjectHit(
                actor=blow.target, location=location.id, object=screen.object, rule="AQ-LOC-07"
            )
        )
        behind = rnd.fight.cast.get(screen.object)
        if behind is not None and not behind.dead and behind.name != blow.target:
            body = behind.sheet.body
            place = body.locations.get(location.id) or body.at(location.part, location.side)
            trunk = place if place is not None else body.faces[5]
            strike_body(rnd, blow.actor, behind.name, trunk, roll_damage(rnd, blow))
        return True
    return False


def shield_covers(rnd: Round, name: str) -> tuple[str, ...]:
    """Locations that a placed shield or a full guard covers (AQ-DEF-10, -17, -19, table 2.7)."""
    who, role = rnd.who(name), rnd.roles[name]
    shield = who.shield
    if shield is None or not who.shield_ready:
        return ()
    guard = "full_guard" in who.conditions
    if not guard and not role.shield_placed:
        return ()
    covered = [who.sheet.shield_arm if place == SHIELD_ARM else place for place in shield.covers]
    if shield.free:
        if guard:
            covered.append(who.guard_extra)
        if role.shield_placed and role.shield_to_place is not None:
            covered.append(role.shield_to_place.cover)
    return tuple(covered)


def _shielded(rnd: Round, blow: Blow, location: Location) -> bool:
    """Whether the shield is in the way: in full guard always, else of shots only."""
    name = blow.target
    who = rnd.who(name)
    if not blow.ranged and "full_guard" not in who.conditions:
        return False
    if location.id not in shield_covers(rnd, name):
        return False
    rnd.emit(ObjectHit(actor=name, location=location.id, object="shield", rule="AQ-DEF-10"))
    hit_shield(rnd, blow)
    return True


def hit_shield(rnd: Round, blow: Blow) -> None:
    """A shield takes a blow: 1 Resistance for every 2 PD, rounded down (AQ-ARM-10)."""
    if rnd.options.shield_wear == "none" or not blow.action.harms:
        return
    dealt = roll_damage(rnd, blow).dealt
    wear_shield(rnd, blow.target, dealt // 2, "AQ-ARM-10")


def hit_mount(rnd: Round, blow: Blow, rule: str) -> None:
    """The mount takes the blow, less its Protection; what its fall brings is a ruling."""
    rider = rnd.who(blow.target)
    mount = rider.sheet.mount
    dealt = roll_damage(rnd, blow).dealt
    protection = 0 if mount is None or blow.critical else mount.protection
    amount = max(0, dealt - protection)
    left = rider.mount_hp - amount
    rnd.emit(MountDamage(actor=rider.name, amount=amount, left=left, rule=rule))
    if left <= 0 < rider.mount_hp:
        rule_on(rnd, rider.name, "mount_down")
