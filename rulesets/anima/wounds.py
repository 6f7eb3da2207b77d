"""Damage and what it brings: falling, criticals, elements, effects (AN-DMG, AN-CRI, AN-ELE)."""

from typing import Final

from rulesets.anima.blow import Blow
from rulesets.anima.events import (
    Burning,
    Critical,
    Damage,
    Death,
    Effect,
    FatigueSpent,
    Grip,
    LocationFound,
    Penalty,
    RulingNeeded,
)
from rulesets.anima.fight import PARALYSES
from rulesets.anima.rolls import plain, resist
from rulesets.anima.sheet import Ability
from rulesets.anima.turn import Round, gain, put_on_defensive, shed

ABSORBED: Final = 20  # AN-ABS-01
EACH_TYPE: Final = 10
LEAST: Final = 10  # AN-DMG-02: below this there is no damage
CRITICAL_CAP: Final = 200  # AN-CRI-03
LASTING: Final = 50  # AN-CRI-06: above this half of the penalty lasts
MAIMING: Final = 100  # AN-CRI-07
MORTAL: Final = 150  # AN-CRI-08
STUNNING: Final = 60  # AN-ELE-04
KNOCKOUT: Final = 50  # AN-MAN-14
VULNERABLE: Final = 10  # AN-CRI-11: a tenth of the HP is a critical
FIRE_EACH: Final = 20  # AN-ELE-06
DEATH_EACH: Final = 5  # AN-HP-01: dead at -5 x Constitution
LIMBS: Final = ("arm", "leg")
CLASSIC_LEAST: Final = 30  # AN-DMG-04


def spend_fatigue(rnd: Round, name: str, points: int) -> None:
    """Points of fatigue go once the roll that they pay for has been reckoned (AN-FAT-02, D30)."""
    if points:
        left = rnd.who(name).fatigue - points
        rnd.emit(FatigueSpent(actor=name, spent=points, left=left, rule="AN-FAT-02"))


def affordable(rnd: Round, name: str, points: int) -> int:
    """Points of fatigue that are still there to be spent."""
    return min(points, rnd.who(name).fatigue)


# ------------------------------------------------------------------ percentage and damage


def armour_type(rnd: Round, blow: Blow, name: str) -> int:
    """The type of armour that a blow meets: that of the place aimed at alone (AN-MAN-24)."""
    group = "" if blow.zone is None else blow.zone.group
    return rnd.who(name).sheet.armour[group][blow.damage_type]


def reckon(rnd: Round, margin: int, armour: int) -> tuple[int, int]:
    """Absorption and percentage of damage (AN-ABS-01, AN-DMG-01, AN-DMG-02).

    A margin of 47 against armour 0 is 47 - 20 = 27, which is 20 %.
    """
    if rnd.options.absorption == "classic_table":
        return 0, _classic(margin, armour)
    absorption = ABSORBED + EACH_TYPE * armour
    value = margin - absorption
    return absorption, value // 10 * 10 if value >= LEAST else 0


def _classic(margin: int, armour: int) -> int:
    """The older combat table (AN-DMG-04)."""
    if margin < CLASSIC_LEAST:
        return 0
    tens = margin // 10 * 10
    if armour == 0 and tens == CLASSIC_LEAST:
        return 10
    low = (armour == 0 and tens == 40) or (armour == 1 and tens in (30, 40))
    value = tens - EACH_TYPE * armour - (10 if low else 0)
    return value if value >= LEAST else 0


def harm(rnd: Round, blow: Blow, name: str, percent: int, damage: int, *, resisting: bool) -> None:
    """HP lost, and whatever a wound of that kind brings.

    Args:
        rnd: The assault.
        blow: What has hit.
        name: The victim.
        percent: Percentage of damage.
        damage: What it is a percentage of: final damage, halved where a manoeuvre halves it.
        resisting: Whether the victim took the blow standing (AN-SPD-02).
    """
    whole = percent * damage // 100
    halved = blow.manoeuvre in ("disable", "knockout")
    amount = whole // 2 if halved else whole
    lose_hp(rnd, blow, name, amount, percent, whole=whole, resisting=resisting)


def lose_hp(
    rnd: Round,
    blow: Blow,
    name: str,
    amount: int,
    percent: int,
    *,
    whole: int,
    resisting: bool = False,
) -> None:
    """A wound: damage, falling, critical, elements, in that order."""
    before = rnd.who(name).hp
    if amount:
        rnd.emit(
            Damage(actor=blow.actor, target=name, amount=amount, percent=percent, rule="AN-DMG-03")
        )
        _fall(rnd, name)
    dead = "dead" in rnd.who(name).conditions
    # D23: disabling is judged on the HP really lost, knocking unconscious on the whole.
    basis = whole if blow.manoeuvre == "knockout" else amount
    if not dead and basis and is_critical(rnd, blow, name, basis, before):
        _critical(rnd, blow, name, whole, resisting=resisting)
    if "dead" not in rnd.who(name).conditions:
        elements(rnd, blow, name, amount)


def _fall(rnd: Round, name: str) -> None:
    """At 0 HP or less an NPC dies, anybody else lies dying (AN-HP-01)."""
    who = rnd.who(name)
    if who.hp > 0 or "dead" in who.conditions:
        return
    gone = who.hp <= -DEATH_EACH * who.sheet.characteristics["constitution"]
    if gone or (who.npc and rnd.fight.options.choices.npc_dies_at_zero):
        die(rnd, name, "AN-HP-01")
    else:
        drop(rnd, name, "dying", "AN-HP-01")


def die(rnd: Round, name: str, rule: str) -> None:
    """Somebody dies; whoever it held or threatened is free."""
    rnd.emit(Death(target=name, rule=rule))
    rnd.roles[name].fell = True
    _let_go(rnd, name, rule)


def drop(rnd: Round, name: str, condition: str, rule: str) -> None:
    """Somebody is out of the fight, though not dead."""
    gain(rnd, name, condition, rule)
    rnd.roles[name].fell = True
    _let_go(rnd, name, rule)


def _let_go(rnd: Round, name: str, rule: str) -> None:
    who = rnd.who(name)
    if who.holding:
        free(rnd, name, who.holding, "AN-MAN-13")
    for other in list(rnd.fight.cast.values()):
        if other.threatened_by == name:
            shed(rnd, other.name, "threatened", rule, by=name)


def free(rnd: Round, holder: str, held: str, rule: str) -> None:
    """A hold ends for both (AN-MAN-13)."""
    rnd.emit(Grip(actor=holder, target=held, change="lost", rule=rule))
    for condition in PARALYSES:
        shed(rnd, held, condition, rule, by=holder)
    shed(rnd, holder, "minor_paralysis", rule)


# ------------------------------------------------------------------ criticals


def is_critical(rnd: Round, blow: Blow, name: str, wound: int, before: int) -> bool:
    """Half of the HP, or a tenth at a vulnerable point (AN-CRI-01, AN-CRI-11, AN-CRI-12).

    With 180 HP a wound of 90 is one; with the 90 left, 45.
    """
    if wound * 2 >= before:
        return True
    if blow.zone is None:
        return False
    group = blow.zone.group
    vulnerable = group in rnd.who(name).sheet.vulnerable_points or blow.manoeuvre == "disable"
    return vulnerable and wound * VULNERABLE >= before


def _critical(rnd: Round, blow: Blow, name: str, damage: int, *, resisting: bool) -> None:
    """Level, resistance, penalty, place and lasting harm (AN-CRI-02 to -08).

    A level of 260 counts as 200 + 60 / 2 = 230. Failed by 60, it is 30 of pain and 30 that last.
    """
    roll = plain(rnd, blow.actor, "critical")
    level = roll.value + damage
    if level > CRITICAL_CAP:
        level = CRITICAL_CAP + (level - CRITICAL_CAP) // 2
    rnd.emit(
        Critical(actor=blow.actor, target=name, level=level, label=roll.label, rule="AN-CRI-02")
    )
    against = ("critical", level, "AN-CRI-04")
    failure = resist(rnd, name, "resist_critical", "physical_resistance", against)
    if not failure:
        return
    if resisting:
        put_on_defensive(rnd, name, blow.actor, "AN-SPD-03")
    lasting = failure // 2 if failure > LASTING else 0
    penalise(rnd, name, "pain", failure - lasting, "AN-CRI-05")
    penalise(rnd, name, "lasting", lasting, "AN-CRI-06")
    if blow.manoeuvre == "knockout":
        judged = failure if rnd.options.knockout_by == "failure_level" else level
        if judged > KNOCKOUT:
            drop(rnd, name, "unconscious", "AN-MAN-14")
    elif failure > LASTING:
        _maim(rnd, blow, name, failure, _place(rnd, blow, name))


def _place(rnd: Round, blow: Blow, name: str) -> str:
    """The group of places where a critical lands; aimed, it needs no die (AN-CRI-09, -10)."""
    if blow.zone is not None:
        return blow.zone.group
    roll = plain(rnd, blow.actor, "location")
    row = rnd.tables.location(roll.value)
    general = blow.area or (blow.ability is not None and blow.ability.area)
    rnd.emit(
        LocationFound(
            actor=blow.actor,
            target=name,
            location=row.general if general else row.id,
            label=roll.label,
            rule="AN-CRI-10" if general else "AN-CRI-09",
        )
    )
    return "torso" if general and row.group == "heart" else row.group


def _maim(rnd: Round, blow: Blow, name: str, failure: int, group: str) -> None:
    """What a critical failed by more than 50 does to a place (AN-CRI-06 to -08)."""
    who = rnd.who(name)
    if failure > MAIMING:
        if group in who.sheet.vulnerable_points:
            die(rnd, name, "AN-CRI-07")
            return
        if group in LIMBS:
            gain(rnd, name, "limb_lost", "AN-CRI-07", by=blow.actor)
    if failure > MORTAL:
        drop(rnd, name, "unconscious", "AN-CRI-08")
        minutes = who.sheet.characteristics["constitution"]
        gain(rnd, name, "mortal_wound", "AN-CRI-08", minutes=minutes)
    elif group == "head":
        drop(rnd, name, "unconscious", "AN-CRI-06")


def penalise(rnd: Round, name: str, what: str, amount: int, rule: str) -> None:
    """A penalty to all action begins or grows (AN-CRI-05, AN-ELE-01)."""
    if not amount:
        return
    who = rnd.who(name)
    before = {
        "pain": who.pain,
        "lasting": who.lasting_penalty,
        "cold": who.cold_penalty,
        "shock": who.shock_penalty,
    }[what]
    rnd.emit(Penalty(target=name, what=what, amount=amount, value=before + amount, rule=rule))


# ------------------------------------------------------------------ elements and effects


def elements(rnd: Round, blow: Blow, name: str, amount: int) -> None:
    """What cold, electricity and fire do besides, apart from any critical (AN-ELE)."""
    match blow.damage_type:
        case "cold" if amount:
            against = ("cold", amount, "AN-ELE-01")
            failure = resist(rnd, name, "resist_cold", "physical_resistance", against)
            penalise(rnd, name, "cold", failure, "AN-ELE-01")
        case "electricity" if amount:
            against = ("electric", amount, "AN-ELE-03")
            failure = resist(rnd, name, "resist_electric", "physical_resistance", against)
            penalise(rnd, name, "shock", failure, "AN-ELE-03")
            if failure > STUNNING:
                drop(rnd, name, "unconscious", "AN-ELE-04")
        case "heat":
            _burn(rnd, name, amount)


def _burn(rnd: Round, name: str, amount: int) -> None:
    """Whether fire catches; what the flames then do is the game master's (AN-ELE-05, -06)."""
    sheet = rnd.who(name).sheet
    roll = plain(rnd, name, "burn")
    total = max(0, roll.value + amount + sheet.flammability - FIRE_EACH * sheet.fire_reduction)
    level = rnd.tables.fire_level(total)
    rnd.emit(Burning(target=name, total=total, level=level, label=roll.label, rule="AN-ELE-05"))
    if level != "none":
        gain(rnd, name, "on_fire", "AN-ELE-05")
        rnd.emit(RulingNeeded(actor=name, reason="on_fire", rule="AN-ELE-05"))


def essence(rnd: Round, name: str, ability: Ability) -> None:
    """An effect that is resisted, at once and perhaps each assault (AN-SUP-15, AN-SUP-17)."""
    against = ("effect", ability.difficulty, "AN-SUP-15")
    if not resist(rnd, name, "resist_effect", ability.resistance, against):
        return
    if ability.condition:
        begin_effect(rnd, name, ability)


def begin_effect(rnd: Round, name: str, ability: Ability) -> None:
    """The condition that an effect brings, and the checks that may end it."""
    if ability.condition in ("unconscious", "dying"):
        drop(rnd, name, ability.condition, "AN-SUP-15")
    elif ability.condition == "dead":
        die(rnd, name, "AN-SUP-15")
    else:
        gain(rnd, name, ability.condition, "AN-SUP-15")
    if ability.repeat and "dead" not in rnd.who(name).conditions:
        rnd.emit(
            Effect(
                target=name,
                condition=ability.condition,
                resistance=ability.resistance,
                difficulty=ability.difficulty,
                change="gained",
                rule="AN-SUP-17",
            )
        )
