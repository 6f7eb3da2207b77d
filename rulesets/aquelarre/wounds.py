"""What PD do to a body: armour, life points, health levels, crippled limbs, sequelae."""

from rulesets.aquelarre.events import (
    ArmourWear,
    Bleed,
    CombatEnd,
    Condition,
    Damage,
    Death,
    Sequela,
    ShieldBroken,
    ShieldWear,
    Wound,
)
from rulesets.aquelarre.fight import LEVELS, Character, bleeds, level_at
from rulesets.aquelarre.rolls import D10, characteristic, check
from rulesets.aquelarre.rows import Armour, Location, SequelaRow
from rulesets.aquelarre.turn import Dealt, Harm, Round, lose_rest
from rulesets.core.modifiers import Modifier

FAINT_MINUTES = 30  # less the Resistance (AQ-HP-07)

_FACTORS = {
    "doubled": Modifier(2, "location", "AQ-LOC-02", "times"),
    "halved_up": Modifier(0, "location", "AQ-LOC-03", "halved_up"),
}


def after_factor(net: int, location: Location) -> int:
    """PD after the location's factor: head x2, limbs half rounded up (AQ-LOC-02 to -04)."""
    factor = _FACTORS.get(location.factor)
    return net if factor is None else factor.applied_to(net)


def covering(who: Character, location: str) -> Armour | None:
    """The piece that protects a location: the first with Resistance left (AQ-ARM-01, AQ-ARM-04)."""
    for piece in who.armour:
        if location in piece.covers and who.armour_resistance.get(piece.name, 0) > 0:
            return piece
    return None


def absorbed_by_armour(rnd: Round, victim: str, location: str, blow: Dealt) -> int:
    """PD that armour takes, and its wear (AQ-ARM-01 to -04).

    A critical blow passes armour by and takes all its PD off the armour's Resistance.
    """
    who = rnd.who(victim)
    piece = covering(who, location)
    if piece is None:
        return 0
    absorbed = 0 if blow.critical else min(piece.protection, blow.dealt)
    before = who.armour_resistance[piece.name]
    wear = min(before, blow.dealt if blow.critical else absorbed)
    if wear:
        rnd.emit(
            ArmourWear(
                actor=victim,
                armour=piece.name,
                amount=wear,
                left=before - wear,
                rule="AQ-ARM-03" if blow.critical else "AQ-ARM-02",
            )
        )
    return absorbed


def strike_body(rnd: Round, attacker: str, victim: str, location: Location, blow: Dealt) -> None:
    """PD on a location: armour, factor, PV, and what follows (AQ-DMG-07)."""
    dealt = blow.dealt
    absorbed = absorbed_by_armour(rnd, victim, location.id, blow)
    net = dealt - absorbed
    amount = after_factor(net, location)
    rnd.emit(
        Damage(
            actor=attacker,
            target=victim,
            location=location.id,
            rolled=blow.rolled,
            dealt=dealt,
            absorbed=absorbed,
            amount=amount,
            critical=blow.critical,
            parts=blow.parts,
            label=blow.label,
            rule="AQ-DMG-08" if blow.critical else "AQ-DMG-01",
        )
    )
    base = dealt if rnd.options.sequela_base == "before_armour" else net
    who = rnd.who(victim)
    limb = {"arm": who.damage_arms, "leg": who.damage_legs}.get(location.part, 0)
    harmed(rnd, Harm(victim, who.hp, amount, base, location.id, limb))


def harmed(rnd: Round, harm: Harm) -> None:
    """Bring about what PD lead to, now or when everybody of this moment has acted (AQ-INI-06)."""
    if rnd.deferred is None:
        settle(rnd, harm)
    else:
        rnd.deferred.append(harm)


def settle(rnd: Round, harm: Harm) -> None:
    """The consequences of PD, in the order of catalogue section 6."""
    name = harm.victim
    before = rnd.who(name)
    was_able = before.able
    if not before.dead:
        _new_level(rnd, name, harm.hp)
        _crippled(rnd, name, harm)
        now = rnd.who(name)
        if now.level == "dead":
            rnd.emit(Death(actor=name, rule="AQ-HP-12"))
        elif harm.amount and was_able and now.level == "badly_wounded":
            _may_faint(rnd, name)
        if was_able and not rnd.who(name).able:
            fallen_out(rnd, name)
    if harm.amount and rnd.fight.scene.stop == "first_blood":
        end_of_combat(rnd, "first_blood")
    if harm.location and not rnd.who(name).dead:
        _may_leave_sequela(rnd, name, harm)


def _new_level(rnd: Round, name: str, hp: int) -> None:
    """Tell a worse level of health (AQ-HP-02 to -12)."""
    who = rnd.who(name)
    level = level_at(hp, who.sheet.hp_max)
    if LEVELS.index(level) > LEVELS.index(who.level):
        rule = {
            "wounded": "AQ-HP-03",
            "badly_wounded": "AQ-HP-06",
            "unconscious": "AQ-HP-09",
        }.get(level, "AQ-HP-12")
        rnd.emit(Wound(actor=name, level=level, rule=rule))


def _crippled(rnd: Round, name: str, harm: Harm) -> None:
    """Tell when wounded limbs cripple (AQ-LOC-05, -06): their PD exceed half the full PV."""
    who = rnd.who(name)
    location = who.sheet.body.locations.get(harm.location)
    if location is None or not harm.limb:
        return
    if harm.limb * 2 > who.sheet.hp_max >= (harm.limb - harm.amount) * 2:
        arms = location.part == "arm"
        condition = "arms_crippled" if arms else "legs_crippled"
        gain(rnd, name, condition, "AQ-LOC-05" if arms else "AQ-LOC-06")


def _may_faint(rnd: Round, name: str) -> None:
    """Resistance x 4, or a faint of 30 minutes less the Resistance (AQ-HP-06, AQ-HP-07)."""
    against = characteristic(rnd, name, "endurance", 4, "endurance")
    if check(rnd, name, "endurance", against, "AQ-HP-06").succeeded:
        return
    endurance = rnd.who(name).figures.characteristics["endurance"]
    minutes = max(0, FAINT_MINUTES - endurance)
    gain(rnd, name, "fainted", "AQ-HP-07", minutes=minutes)


def gain(rnd: Round, name: str, condition: str, rule: str, minutes: int = 0) -> None:
    """A condition begins."""
    rnd.emit(
        Condition(actor=name, condition=condition, change="gained", rule=rule, minutes=minutes)
    )


def join(rnd: Round, name: str, condition: str, rule: str, other: str) -> None:
    """A condition of two begins: a melé, a hold."""
    rnd.emit(Condition(actor=name, condition=condition, change="gained", rule=rule, other=other))


def shed(rnd: Round, name: str, condition: str, rule: str, other: str = "") -> None:
    """A condition ends."""
    rnd.emit(Condition(actor=name, condition=condition, change="lost", rule=rule, other=other))


def fallen_out(rnd: Round, name: str) -> None:
    """Out of the fight: actions to come are lost (AQ-RND-13), melés and holds end (AQ-MOV-06)."""
    role = rnd.roles[name]
    role.fell = True
    lose_rest(rnd, name, "incapacitated", "AQ-RND-13")
    role.wards.clear()
    role.spear = None
    role.shield_to_place = None
    leave_melees(rnd, name, "AQ-MOV-06")


def leave_melees(rnd: Round, name: str, rule: str) -> None:
    """Every melé of a character ends, and holds with them."""
    who = rnd.who(name)
    if who.held_by:
        shed(rnd, name, "immobilised", rule, other=who.held_by)
    if who.holding:
        shed(rnd, who.holding, "immobilised", rule, other=name)
    for other in who.melee_with:
        shed(rnd, name, "in_melee", rule, other=other)


def end_of_combat(rnd: Round, reason: str) -> None:
    """The fight ends by its own terms: every action not yet taken is lost (AQ-RND-15)."""
    if rnd.stopped:
        return
    rnd.stopped = True
    rnd.emit(CombatEnd(reason=reason, rule="AQ-RND-15"))
    for name in (name for group in rnd.order for name in group):
        lose_rest(rnd, name, "combat_ended", "AQ-RND-15")


# ------------------------------------------------------------------ sequelae


def _may_leave_sequela(rnd: Round, name: str, harm: Harm) -> None:
    """A single blow of half the full PV (rounded down) leaves a sequela (AQ-SEQ-01)."""
    who = rnd.who(name)
    if harm.net < max(1, who.sheet.hp_max // 2):
        return
    roll = rnd.roll(name, "sequela", D10)
    face = roll.faces[0]
    part = who.sheet.body.locations[harm.location].part
    row = next(row for row in rnd.tables.sequelae[part] if row.first <= face <= row.last)
    rnd.emit(
        Sequela(
            actor=name,
            location=harm.location,
            roll=face,
            effect=row.id,
            label=roll.label,
            characteristic=row.characteristic,
            loss=row.loss,
            rule="AQ-SEQ-02",
        )
    )
    _bring(rnd, name, row)


def _bring(rnd: Round, name: str, row: SequelaRow) -> None:
    """What a sequela brings besides its loss."""
    was_able = rnd.who(name).able
    rule = "AQ-SEQ-02"
    match row.brings:
        case "death":
            rnd.emit(Death(actor=name, rule=rule))
        case "prone":
            knock_down(rnd, name, rule)
        case "bleeding":
            if not rnd.who(name).bleeding:
                gain(rnd, name, "bleeding", rule)
        case "":
            return
        case condition:
            if condition not in rnd.who(name).conditions:
                gain(rnd, name, condition, rule, minutes=row.minutes)
    if was_able and not rnd.who(name).able:
        fallen_out(rnd, name)


# ------------------------------------------------------------------ falling, shields, bleeding


def knock_down(rnd: Round, name: str, rule: str) -> None:
    """Somebody falls to the ground; a rider leaves the saddle."""
    who = rnd.who(name)
    if "mounted" in who.conditions:
        shed(rnd, name, "mounted", rule)
    if "prone" not in who.conditions:
        gain(rnd, name, "prone", rule)
        rnd.roles[name].fell = True


def wear_shield(rnd: Round, name: str, amount: int, rule: str) -> None:
    """A shield loses Resistance; at 0 it breaks (AQ-ARM-10, AQ-ARM-11)."""
    who = rnd.who(name)
    worn = min(amount, who.shield_resistance)
    left = who.shield_resistance - worn
    if worn:
        rnd.emit(ShieldWear(actor=name, amount=worn, left=left, rule=rule))
    if worn and not left:
        rnd.emit(ShieldBroken(actor=name, rule="AQ-ARM-11"))
        if "full_guard" in rnd.who(name).conditions:
            shed(rnd, name, "full_guard", "AQ-ARM-11")


def bleed(rnd: Round, name: str) -> None:
    """1 PV less in the conclusion phase, which may be the last (AQ-HP-10, AQ-HP-12)."""
    who = rnd.who(name)
    if not bleeds(who, rnd.options):
        return
    was_able = who.able
    rnd.emit(Bleed(actor=name, hp=who.hp - 1, rule="AQ-HP-10"))
    _new_level(rnd, name, who.hp - 1)
    if rnd.who(name).dead:
        rnd.emit(Death(actor=name, rule="AQ-HP-12"))
    if was_able and not rnd.who(name).able:
        fallen_out(rnd, name)
