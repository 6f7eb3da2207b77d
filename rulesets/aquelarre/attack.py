"""Attacks: one blow, one blow on many, two blows at once (AQ-ATK).

The order is that of catalogue section 6: possible? - defence committed - attack roll - defence
roll - what the blow does. What a manoeuvre does with a hit is its row's ``hit``.
"""

from typing import Final

from rulesets.aquelarre.blow import (
    Blow,
    blow_with,
    hit_mount,
    impossible,
    is_ranged,
    land,
    roll_place,
)
from rulesets.aquelarre.declared import Action, Class, Cost, Intent, Ward
from rulesets.aquelarre.defence import (
    before_shot,
    commit,
    cover_holds,
    in_order,
    stops,
    unuse,
    use,
)
from rulesets.aquelarre.events import Attack, Movement, SweepStopped
from rulesets.aquelarre.line import allowance, destination
from rulesets.aquelarre.modifiers import TO_HIT, Effort
from rulesets.aquelarre.rolls import Attempt, fumbled, percent
from rulesets.aquelarre.rows import Size
from rulesets.aquelarre.turn import Role, Round, lose
from rulesets.aquelarre.wounds import settle
from rulesets.core.declarations import Declaration, Kind
from rulesets.core.dice import DiceExpression
from rulesets.core.modifiers import Total, total
from rulesets.core.questions import Question
from rulesets.core.ruleset import Verb

# AQ-ATK-05: dice of a shield blow, and the size that it counts as against a parry.
SHIELD_BLOWS: Final = {
    "small": (DiceExpression(1, 4), Size.LIGHT),
    "medium": (DiceExpression(1, 4, 1), Size.MEDIUM),
}


# ------------------------------------------------------------------ one blow


def strike(rnd: Round, intent: Intent) -> None:
    """One blow and the defence against it (AQ-ATK-01, AQ-ATK-02)."""
    weapon = intent.arms
    reason = impossible(rnd, intent, intent.target, weapon)
    if reason:
        lose(rnd, intent, reason)
        return
    fight = rnd.fight
    varas = fight.distance(fight.cast[intent.actor], fight.cast[intent.target])
    ranged = is_ranged(intent, weapon, varas)
    resolve(rnd, blow_with(intent, weapon, intent.target, ranged=ranged, distance=varas))


def shield_bash(rnd: Round, intent: Intent) -> None:
    """A blow with the edge of the shield (AQ-ATK-05)."""
    who, other = rnd.who(intent.actor), rnd.who(intent.target)
    if not other.able:
        lose(rnd, intent, "target_down")
    elif not who.shield_ready or who.shield is None:
        lose(rnd, intent, "weapon_not_ready")
    elif rnd.fight.distance(who, other) > 2 or intent.actor in rnd.roles[intent.target].left:
        lose(rnd, intent, "out_of_reach")
    else:
        dice, size = SHIELD_BLOWS.get(who.shield.size, SHIELD_BLOWS["medium"])
        blow = Blow(
            intent=intent,
            action=intent.action,
            actor=intent.actor,
            target=intent.target,
            weapon=None,
            size=size,
            dice=dice,
            base="strength",
        )
        resolve(rnd, blow)


def resolve(rnd: Round, blow: Blow) -> None:
    """One blow from the committed defence to its effect."""
    blow.intent.begun = True
    ward = commit(rnd, blow)
    before_shot(rnd, blow, ward)
    attempt = attack_roll(rnd, blow)
    if not has_hit(rnd, blow, attempt):
        if ward is not None:
            unuse(rnd, ward, blow)
    elif ward is None or not _stopped(rnd, blow, ward):
        if blow.action.hit is None:
            raise ValueError(blow.action.id)
        blow.action.hit(rnd, blow)
    rnd.roles[blow.target].attacked_by = blow.actor


def _stopped(rnd: Round, blow: Blow, ward: Ward) -> bool:
    cover_holds(rnd, ward, blow)
    return stops(rnd, ward, blow)


def has_hit(rnd: Round, blow: Blow, attempt: Attempt) -> bool:
    """Whether the attack roll hits; a fumble is dealt with here.

    A fumbled stunning blow hits the head as an ordinary one (AQ-ATK-14), so it needs no ruling.
    """
    if attempt.result == "fumble":
        if blow.action.id == "stun":
            return True
        fumbled(rnd, blow.actor, blow.action.id, blow.target)
    return attempt.succeeded


def skill_of(blow: Blow) -> str:
    """The skill of an attack roll: Throwing for what is thrown (AQ-ATK-02)."""
    if blow.weapon is None:
        return "shields"
    return "throwing" if blow.ranged and not blow.weapon.missile else blow.weapon.skill


def to_hit(rnd: Round, blow: Blow, *, off_hand: bool, enemies: int = 1) -> Total:
    """The percentage of an attack, as a list of its reasons."""
    who = rnd.who(blow.actor)
    return total(
        TO_HIT,
        Effort(
            rnd,
            who,
            skill_of(blow),
            "attack",
            rnd.who(blow.target),
            action=blow.action,
            intent=blow.intent,
            weapon=blow.weapon,
            shield=who.shield if blow.weapon is None else None,
            zone=blow.intent.zone,
            distance=blow.distance,
            ranged=blow.ranged,
            off_hand=off_hand,
            leaving=blow.leaving,
            halved=blow.halved,
            enemies=enemies,
        ),
    )


def attack_roll(rnd: Round, blow: Blow) -> Attempt:
    """Roll the attack and tell it."""
    against = to_hit(rnd, blow, off_hand=blow.intent.off_hand)
    attempt = blow.attempt = percent(rnd, blow.actor, "attack", against)
    if blow.leaving:
        kind = "flight_attack"
    elif blow.action.id == "attack":
        kind = "ranged_attack" if blow.ranged else "melee_attack"
    else:
        kind = blow.action.id
    weapon = blow.weapon
    rnd.emit(
        Attack(
            actor=blow.actor,
            target=blow.target,
            kind=kind,
            weapon=_shield_name(rnd, blow.actor) if weapon is None else weapon.name,
            result=attempt.result,
            ranged=blow.ranged,
            rule=blow.action.rule,
            label=attempt.label,
            face=attempt.face,
            limit=attempt.limit,
        )
    )
    return attempt


def _shield_name(rnd: Round, name: str) -> str:
    shield = rnd.who(name).shield
    return "" if shield is None else shield.name


# ------------------------------------------------------------------ at somebody who leaves


_NO_TAG: Final = Declaration("", Kind.ACTION, "attack")
FREE_BLOW: Final = Action(
    verb=Verb("attack", (), "AQ-DEF-22"), klass=Class.ATTACK, cost=Cost.FREE, hit=land
)


def blow_at_leaver(rnd: Round, enemy: str, leaver: str) -> None:
    """The free blow at somebody who turns to leave: the weapon in hand, or Brawl (AQ-DEF-22)."""
    who = rnd.who(enemy)
    in_hand = who.in_hand
    weapon = in_hand[0] if in_hand and not in_hand[0].missile else rnd.tables.brawl
    if who.melee_with and weapon.size is not Size.LIGHT:
        weapon = rnd.tables.brawl
    intent = Intent(_NO_TAG, FREE_BLOW, enemy, target=leaver, weapon=weapon)
    varas = rnd.fight.distance(who, rnd.who(leaver))
    blow = blow_with(intent, weapon, leaver, ranged=False, distance=varas)
    blow.leaving = True
    resolve(rnd, blow)


# ------------------------------------------------------------------ charges


def charge(rnd: Round, intent: Intent) -> None:
    """Run up, stop 1 vara short, strike (AQ-ATK-18, AQ-ATK-19)."""
    fight = rnd.fight
    who, other = fight.cast[intent.actor], fight.cast[intent.target]
    pace = rnd.tables.movement[intent.action.id]
    mounted = intent.action.id == "mounted_charge"
    reason = ""
    if not other.able:
        reason = "target_down"
    elif intent.actor in rnd.roles[intent.target].left:
        reason = "out_of_reach"
    elif "prone" in who.conditions:
        reason = "prone"
    elif who.melee_with:
        reason = "in_melee"
    elif mounted and "mounted" not in who.conditions:
        reason = "not_mounted"
    elif not who.is_ready(intent.arms):
        reason = "weapon_not_ready"
    elif fight.distance(who, other) > allowance(who, pace):
        reason = "too_far_to_charge"
    if reason:
        lose(rnd, intent, reason)
        return
    intent.begun = True
    to = destination(rnd, who, intent.target, "", allowance(who, pace))
    varas = 0 if to is None or who.position is None else abs(to - who.position)
    rnd.emit(
        Movement(
            actor=intent.actor,
            kind=intent.action.id,
            varas=varas,
            target=intent.target,
            to=to,
            rule=intent.action.rule,
        )
    )
    rnd.roles[intent.actor].moved = True
    spear = rnd.roles[intent.target].spear if mounted else None
    if spear is None:
        strike(rnd, intent)
    else:
        _charge_on_spear(rnd, intent, spear)


def _charge_on_spear(rnd: Round, intent: Intent, spear: Intent) -> None:
    """Charge and set spear are resolved at the same moment: both strike (AQ-ATK-03, D-37)."""
    outermost = rnd.deferred is None
    if rnd.deferred is None:
        rnd.deferred = []
    strike(rnd, intent)
    rnd.roles[spear.actor].spear = None
    holder = rnd.who(spear.actor)
    if holder.held_by or not holder.is_ready(spear.arms):
        lose(rnd, spear, "immobilised" if holder.held_by else "weapon_not_ready")
    else:
        spear.begun = True
        spear.target = intent.actor
        blow = blow_with(spear, spear.arms, intent.actor, ranged=False, distance=1)
        attempt = attack_roll(rnd, blow)
        if attempt.succeeded:
            hit_mount(rnd, blow, "AQ-ATK-03")
        elif attempt.result == "fumble":
            fumbled(rnd, spear.actor, spear.action.id, intent.actor)
        rnd.roles[intent.actor].attacked_by = spear.actor
    if outermost:
        settle_deferred(rnd)


def settle_deferred(rnd: Round) -> None:
    """Bring about what was kept back until everybody of one moment had acted (AQ-INI-06)."""
    harms, rnd.deferred = rnd.deferred or [], None
    for harm in harms:
        settle(rnd, harm)


# ------------------------------------------------------------------ sweep


def sweep(rnd: Round, intent: Intent) -> None:
    """One roll, many enemies in the order named (AQ-ATK-15 to -17).

    Those down or out of reach are passed over; the roll takes the worst modifiers among the rest
    (D-27). Everybody commits a defence before the dice.
    """
    weapon = intent.arms
    reasons = [impossible(rnd, intent, name, weapon) for name in intent.targets]
    if all(reasons):
        lose(rnd, intent, reasons[0])
        return
    intent.begun = True
    varas = [rnd.fight.distance(rnd.who(intent.actor), rnd.who(name)) for name in intent.targets]
    blows = [
        blow_with(intent, weapon, name, ranged=False, distance=far)
        for name, far, reason in zip(intent.targets, varas, reasons, strict=True)
        if not reason
    ]
    wards = [commit(rnd, blow) for blow in blows]
    totals = [
        to_hit(rnd, blow, off_hand=intent.off_hand, enemies=len(intent.targets)) for blow in blows
    ]
    attempt = percent(rnd, intent.actor, "attack", min(totals, key=lambda each: each.value))
    rnd.emit(
        Attack(
            actor=intent.actor,
            target=intent.targets,
            kind="sweep",
            weapon=weapon.name,
            result=attempt.result,
            rule="AQ-ATK-15",
            label=attempt.label,
            face=attempt.face,
            limit=attempt.limit,
        )
    )
    for blow in blows:
        blow.attempt = attempt
    if attempt.succeeded:
        _sweep_through(rnd, blows, wards)
    else:
        if attempt.result == "fumble":
            fumbled(rnd, intent.actor, "sweep")
        for blow, ward in zip(blows, wards, strict=True):
            if ward is not None:
                unuse(rnd, ward, blow)
    for blow in blows:
        rnd.roles[blow.target].attacked_by = blow.actor


def _sweep_through(rnd: Round, blows: list[Blow], wards: list[Ward | None]) -> None:
    """A parry stops the weapon there; a dodge saves the dodger alone (AQ-ATK-16, D-17)."""
    place = 0
    for blow, ward in zip(blows, wards, strict=True):
        if ward is not None and stops(rnd, ward, blow):
            if ward.kind != "dodge":
                rnd.emit(SweepStopped(actor=blow.actor, target=blow.target, rule="AQ-ATK-16"))
                return
            continue
        if not place:
            place = roll_place(rnd, blow)
        blow.place = place
        land(rnd, blow)


# ------------------------------------------------------------------ double attack


def double_attack(rnd: Round, intent: Intent) -> None:
    """One roll, two weapons, each with its own damage and location (AQ-ATK-06 to -08)."""
    main, second = intent.arms, intent.weapon_2
    if second is None:
        raise ValueError(intent.action.id)
    reason = impossible(rnd, intent, intent.target, main) or impossible(
        rnd, intent, intent.target, second
    )
    if reason:
        lose(rnd, intent, reason)
        return
    intent.begun = True
    varas = rnd.fight.distance(rnd.who(intent.actor), rnd.who(intent.target))
    blows = [
        blow_with(intent, weapon, intent.target, ranged=False, distance=varas)
        for weapon in (main, second)
    ]
    answers = _answers(rnd, blows)
    # One roll at the lower of the two percentages, the off hand's with its -25%.
    against = min(
        to_hit(rnd, blows[0], off_hand=intent.off_hand),
        to_hit(rnd, blows[1], off_hand=True),
        key=lambda each: each.value,
    )
    attempt = percent(rnd, intent.actor, "attack", against)
    rnd.emit(
        Attack(
            actor=intent.actor,
            target=intent.target,
            kind="double_attack",
            weapon=main.name,
            weapon_2=second.name,
            result=attempt.result,
            rule="AQ-ATK-06",
            label=attempt.label,
            face=attempt.face,
            limit=attempt.limit,
        )
    )
    if attempt.result == "fumble":
        fumbled(rnd, intent.actor, "double_attack", intent.target)
    for blow, ward in zip(blows, answers, strict=True):
        blow.attempt = attempt
        if not attempt.succeeded:
            if ward is not None:
                unuse(rnd, ward, blow)
        elif ward is None or not stops(rnd, ward, blow):
            land(rnd, blow)
    rnd.roles[intent.target].attacked_by = intent.actor


def _answers(rnd: Round, blows: list[Blow]) -> list[Ward | None]:
    """Which defence answers which of the two blows.

    One defence stops one blow; two stop both if they are of different kinds or use different
    weapons (AQ-ATK-07). The defender chooses which one to answer first (AQ-ATK-08).
    """
    order = in_order(rnd, blows[0])
    if not order:
        return [None, None]
    first = order[0]
    second = next(
        (
            ward
            for ward in order[1:]
            if ward.kind != first.kind or (ward.weapon is not None and ward.weapon != first.weapon)
        ),
        None,
    )
    if second is None and first.kind == "dodge" and rnd.options.double_attack_dodge == "both":
        second = first
    use(rnd, first, blows[0])
    if second is not None and second is not first:
        use(rnd, second, blows[1])
    role = rnd.roles[blows[0].target]
    if second is not first and _answers_second(rnd, role, blows[0]):
        return [second, first]
    return [first, second]


def _answers_second(rnd: Round, role: Role, blow: Blow) -> bool:
    """Whether the defender answers the second blow first: by standing order, or asked."""
    if role.second_blow is not None:
        return role.second_blow
    answer = rnd.ask(
        Question(
            label=rnd.label(f"{role.name}.double_attack"),
            who=role.name,
            options=("first", "second"),
            default="first",
            rule="AQ-ATK-08",
            facts={"against": blow.actor, "action": "double_attack"},
        )
    )
    return answer == "second"
