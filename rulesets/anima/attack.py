"""Attacks: one blow from its dice to what comes of it, and the answers to it (AN-ATK, AN-CTR).

The order is that of the catalogue: the roll - a fumble - an interruption - a hold decided late -
simultaneous fire - a third party - the defence - the result - a counterattack.
"""

from dataclasses import replace
from typing import Final

from rulesets.anima.blow import FULL_RANGE, POINT_BLANK_CM, Blow, effective_range_cm
from rulesets.anima.declared import ATTACK, Intent
from rulesets.anima.defence import cover, defend, draw, push_aside, wear
from rulesets.anima.events import (
    AssaultResult,
    Attack,
    Counterattack,
    Intercepted,
    Movement,
    PassiveAttack,
    Retarget,
    SimultaneousFire,
)
from rulesets.anima.fight import Character, reach_cm
from rulesets.anima.manoeuvres import HARMING, UNARMOURED, carry_out
from rulesets.anima.modifiers import TO_HIT, TO_PROJECT, Effort, gather
from rulesets.anima.rolls import fumbled, throw
from rulesets.anima.rows import Weapon
from rulesets.anima.sheet import CENTIMETRES
from rulesets.anima.turn import Role, Round, exhausted, hindered, lose, put_on_defensive
from rulesets.anima.wounds import (
    affordable,
    armour_type,
    essence,
    harm,
    lose_hp,
    reckon,
    spend_fatigue,
)
from rulesets.core.questions import Question

MOST_RANGED: Final = 280  # AN-RNG-02
MOST_BONUS: Final = 150  # AN-CTR-04
FIRES_WITHIN: Final = 25  # AN-RNG-06
HOLD: Final = 100  # AN-MAN-22
QUARTER: Final = 4  # AN-MOV-01, AN-WEB-02
AFTER_DICE: Final = True  # when an interruption comes


# ------------------------------------------------------------------ one's own attack


def attack(rnd: Round, intent: Intent) -> None:
    """All blows left of a declared attack, on one's own turn (AN-ATK-02, AN-XAT-03, AN-XAT-06)."""
    role = rnd.roles[intent.actor]
    if role.used >= role.blows:
        reason, rule = ("down", "AN-WEB-02") if rnd.who(intent.actor).down else ("", "")
        lose(rnd, intent, reason or "attacks_spent", rule or "AN-CTR-06")
        return
    while role.used < role.blows:
        left = role.blows - role.used
        mark = aimed_at(intent)
        passive = is_passive(rnd, intent.actor, mark)
        reason, rule = _prevented(rnd, intent.actor, passive=passive)
        if reason:
            lose(rnd, intent, reason, rule, left)
            return
        if intent.area:
            sweep(rnd, intent)
            continue
        target, weapon, reason = find_target(rnd, intent, mark)
        if reason:
            role.used += 1
            intent.given += 1
            rule = {"target_down": "AN-WEB-03", "out_of_range": "AN-RNG-04"}.get(
                reason, "AN-ATK-01"
            )
            lose(rnd, intent, reason, rule, 1)
            continue
        blow = own_blow(rnd, intent, target, weapon)
        blow.passive = is_passive(rnd, intent.actor, target)
        strike(rnd, blow)


def _prevented(rnd: Round, name: str, *, passive: bool) -> tuple[str, str]:
    reason, rule = hindered(rnd, name)
    if passive and reason in ("on_defensive", "fumbled_attack"):
        return "", ""
    if not reason and not passive and exhausted(rnd, name):
        return "max_actions", "AN-ACT-04"
    return reason, rule


def aimed_at(intent: Intent) -> str:
    """Whom the next blow of one's own turn is for: the last name repeats (AN-XAT-05)."""
    return intent.targets[min(intent.given, len(intent.targets) - 1)]


def is_passive(rnd: Round, name: str, target: str) -> bool:
    """Whether striking somebody is passive: it is held at this one's weapon's point (AN-MAN-21)."""
    if not target or rnd.who(target).threatened_by != name:
        return False
    return not any(surprised == name for _, surprised in rnd.surprises)


def blow_weapon(rnd: Round, name: str) -> tuple[Weapon, bool]:
    """The weapon of somebody's next blow, and whether it is the other hand's.

    The other hand's is the last one, be it a counterattack (AN-TWO-01, AN-TWO-03).
    """
    role, who = rnd.roles[name], rnd.who(name)
    plan = role.plan
    if plan is not None and plan.second is not None and role.used + 1 == plan.blows:
        return plan.second, True
    chosen = None if plan is None else plan.weapon
    return chosen or at_hand(who), False


def at_hand(who: Character) -> Weapon:
    """The weapon in hand, else the usual one; bare hands where that lies on the ground."""
    weapon = who.weapon or who.sheet.usual
    return who.sheet.bare_hands if who.lies(weapon) else weapon


def kind_of(weapon: Weapon, *, thrown: bool) -> str:
    """How a weapon is used: a shot, a throw, or hand to hand."""
    if weapon.kind == "shot":
        return "shot"
    return "thrown" if thrown or weapon.kind == "thrown" else "melee"


def own_blow(rnd: Round, intent: Intent, target: str, weapon: Weapon) -> Blow:
    """The next blow of a declared attack."""
    index = intent.given
    _, second = blow_weapon(rnd, intent.actor)
    points = affordable(rnd, intent.actor, intent.fatigue)
    intent.fatigue = 0
    return _placed(
        rnd,
        Blow(
            actor=intent.actor,
            target=target,
            kind=kind_of(weapon, thrown=intent.thrown),
            weapon=weapon,
            intent=intent,
            manoeuvre=intent.manoeuvres[min(index, len(intent.manoeuvres) - 1)],
            zone=intent.zones[min(index, len(intent.zones) - 1)],
            area=intent.area,
            with_damage=intent.with_damage,
            secondary=intent.secondary,
            second_hand=second,
            fatigue=points,
        ),
    )


def _placed(rnd: Round, blow: Blow) -> Blow:
    """A blow with its distance, and whether that is point blank or beyond the effective range."""
    blow.distance_cm = rnd.fight.distance(blow.actor, blow.target)
    near = blow.distance_cm < POINT_BLANK_CM
    blow.point_blank = blow.kind != "melee" and (
        near or (blow.ranged and rnd.who(blow.actor).engaged)
    )
    if blow.ranged and blow.weapon is not None and not near:
        blow.beyond = blow.distance_cm > effective_range_cm(rnd, blow.actor, blow.weapon)
    return blow


# ------------------------------------------------------------------ targets


def find_target(rnd: Round, intent: Intent, mark: str) -> tuple[str, Weapon, str]:
    """Whom a blow is for now, and with what; or why it is lost (AN-WEB-02 to -04)."""
    weapon, _ = blow_weapon(rnd, intent.actor)
    if rnd.who(intent.actor).lies(weapon):
        weapon = rnd.who(intent.actor).sheet.bare_hands
    kind = kind_of(weapon, thrown=intent.thrown)
    target = mark
    if has_fallen(rnd, mark):
        reach = FULL_RANGE * effective_range_cm(rnd, intent.actor, weapon) if kind != "melee" else 0
        target = retarget(rnd, intent, mark, reach)
        if not target:
            return "", weapon, "target_down"
        if kind == "melee":
            _step_up(rnd, intent.actor, target)
    return target, weapon, _too_far(rnd, intent.actor, target, weapon, kind)


def _too_far(rnd: Round, name: str, target: str, weapon: Weapon, kind: str) -> str:
    far = rnd.fight.distance(name, target)
    if kind == "melee":
        return "out_of_reach" if far > reach_cm(rnd.fight.options) else ""
    most = FULL_RANGE * effective_range_cm(rnd, name, weapon)
    return "out_of_range" if far > most and far >= POINT_BLANK_CM else ""


def has_fallen(rnd: Round, name: str) -> bool:
    """Whether a target has fallen before the blow came (D13)."""
    who = rnd.who(name)
    if rnd.options.retarget_on == "dead":
        return "dead" in who.conditions
    return who.down


def retarget(rnd: Round, intent: Intent, fallen: str, reach: int, *, anywhere: bool = False) -> str:
    """Another target for a blow: one's own fallback, else chance among those near (AN-WEB-02).

    Args:
        rnd: The assault.
        intent: The attack.
        fallen: Who has fallen.
        reach: Centimetres within which a ranged weapon finds one besides.
        anywhere: Any enemy will do: an ability has no range here (D44).
    """
    if intent.drops:
        return ""
    name = intent.actor
    if intent.instead and not has_fallen(rnd, intent.instead):
        to, reason, rule = intent.instead, "fallback", "AN-WEB-04"
    elif rnd.options.retarget == "drop":
        return ""
    else:
        near = rnd.fight.options.near_metres
        metres = rnd.who(name).sheet.max_move_cm // QUARTER if near is None else near * CENTIMETRES
        within = max(metres, reach)
        found = [
            other.name
            for other in rnd.enemies(name)
            if anywhere or rnd.fight.distance(name, other.name) <= within
        ]
        if not found:
            return ""
        face = 1
        if len(found) > 1:
            face = rnd.roll(name, "retarget", (len(found),)).value
        to, reason, rule = found[face - 1], "random", "AN-WEB-02"
    rnd.emit(Retarget(actor=name, from_=fallen, to=to, reason=reason, rule=rule))
    return to


def _step_up(rnd: Round, name: str, target: str) -> None:
    """One who fights hand to hand steps up to a new target (AN-WEB-02)."""
    far = rnd.fight.distance(name, target)
    if far and far <= rnd.who(name).sheet.max_move_cm // QUARTER:
        metres = -(-far // CENTIMETRES)
        rnd.emit(Movement(actor=name, distance=metres, toward=target, rule="AN-WEB-02"))


# ------------------------------------------------------------------ one blow


def strike(rnd: Round, blow: Blow) -> None:
    """One blow against one target, with the answer that it may get."""
    _begin(rnd, blow)
    deliver(rnd, blow, (blow.target,))


def _begin(rnd: Round, blow: Blow) -> None:
    """A blow is given: the weapon comes to hand, the attack is opened (AN-CTR-06)."""
    role = rnd.roles[blow.actor]
    weapon = blow.weapon
    if weapon is not None and not weapon.unarmed and not blow.second_hand:
        who = rnd.who(blow.actor)
        if who.in_hand != weapon.name:
            draw(rnd, blow.actor, weapon, "AN-DRW-02" if who.in_hand else "AN-DRW-01")
    role.used += 1
    blow.strike = role.used
    blow.token = role
    if blow.intent is not None and not blow.counter:
        blow.intent.given += 1


def deliver(rnd: Round, blow: Blow, names: tuple[str, ...]) -> None:
    """The roll of an attack and what comes of it for each target, in order."""
    role = rnd.roles[blow.actor]
    role.attacked = True
    if role.first is None:
        role.first = blow.token
    for name in names:
        rnd.roles[name].was_attacked = True
    blow.targets = names
    _roll(rnd, blow)
    if blow.kind != "supernatural" and not blow.passive:
        role.open(ATTACK)
    if blow.ranged and not role.shot_at:
        role.shot_at = rnd.who(blow.actor).aim_target or blow.target
    _tell(rnd, blow)
    rnd.striking.append(blow.actor)
    if blow.roll is not None and blow.roll.fumble:
        _fumble(rnd, blow, names)
    elif _interrupted(rnd, blow):
        pass
    else:
        _late_hold(rnd, blow)
        for name in names:
            _fire_back(rnd, blow, name)
        _meet_all(rnd, blow, names)
    rnd.striking.pop()


def _roll(rnd: Round, blow: Blow) -> None:
    sources = TO_PROJECT if blow.kind == "supernatural" else TO_HIT
    against = gather(sources, Effort(rnd, rnd.who(blow.actor), blow))
    spend_fatigue(rnd, blow.actor, blow.fatigue)
    blow.roll = throw(rnd, blow.actor, "attack", against)
    blow.total = blow.roll.total
    if _is_capped(rnd, blow):
        blow.total = min(blow.total, MOST_RANGED)


def _is_capped(rnd: Round, blow: Blow) -> bool:
    """Whether the final attack is at most 280 (AN-RNG-02, D27)."""
    if blow.kind == "supernatural":
        return rnd.options.cap_supernatural
    return blow.ranged and blow.weapon is not None and not blow.weapon.ki_extended


def _event(blow: Blow, result: str) -> Attack:
    roll = blow.roll
    fumble = roll is not None and roll.fumble
    return Attack(
        actor=blow.actor,
        target=blow.targets[0] if len(blow.targets) == 1 else blow.targets,
        total=0 if fumble else blow.total,
        kind=blow.kind,
        weapon=blow.weapon_name,
        strike=blow.strike,
        counter=blow.counter,
        manoeuvre="area" if blow.area and not blow.manoeuvre else blow.manoeuvre,
        zone="" if blow.zone is None else blow.zone.id,
        result=result,
        label="" if roll is None else roll.label,
        limit=0 if roll is None else roll.ability,
        rule="AN-SUP-01" if blow.ability is not None else "AN-ATK-01",
    )


def _tell(rnd: Round, blow: Blow) -> None:
    """Tell the attack; how it came out is said once it is known (``_came_out``)."""
    blow.place = len(rnd.events)
    rnd.emit(_event(blow, "fumble" if blow.roll is not None and blow.roll.fumble else ""))


def _came_out(rnd: Round, blow: Blow, result: str) -> None:
    rnd.amend(blow.place, _event(blow, result))


def _fumble(rnd: Round, blow: Blow, names: tuple[str, ...]) -> None:
    """The blow misses, no active is left, and in melee each opponent may strike (AN-FUM)."""
    role = rnd.roles[blow.actor]
    role.fumbled = True
    level = fumbled(rnd, blow.actor, "attack", "AN-FUM-04")
    if blow.kind == "melee" or blow.point_blank:
        for name in names:
            if not rnd.who(name).down:
                answer(rnd, name, blow.actor, level, "AN-FUM-05")


def _interrupted(rnd: Round, blow: Blow) -> bool:
    """Whether somebody who has surprise cuts in after the dice and stops it (AN-SUR-04)."""
    if not rnd.interrupts(rnd, blow.actor, AFTER_DICE):
        return False
    reason, rule = hindered(rnd, blow.actor)
    if not reason or blow.passive:
        return False
    _came_out(rnd, blow, "interrupted")
    if blow.intent is not None:
        role = rnd.roles[blow.actor]
        left = 1 + (role.blows - role.used if blow.ability is None else 0)
        if blow.ability is None:
            role.used = role.blows
        lose(rnd, blow.intent, reason, rule, left)
    return True


def _late_hold(rnd: Round, blow: Blow) -> None:
    """A blow becomes a hold once its die is seen (AN-MAN-22); the -100 comes off the total."""
    least = rnd.roles[blow.actor].orders.hold_from
    if not least or blow.kind != "melee" or blow.manoeuvre or blow.area or blow.roll is None:
        return
    if blow.roll.dice >= least:
        blow.manoeuvre, blow.held = "hold", True
        blow.total -= HOLD


def _fire_back(rnd: Round, blow: Blow, name: str) -> None:
    """One who is shot at may shoot before defending (AN-RNG-06, AN-RNG-07)."""
    role = rnd.roles[name]
    plan = role.plan
    if plan is None or not _may_fire(rnd, blow, name, plan):
        return
    if role.orders.fire is None and not _says_yes(rnd, name, "fire", blow.actor, "AN-RNG-06"):
        return
    mark = role.orders.fire_at or aimed_at(plan)
    target, weapon, reason = find_target(rnd, plan, mark)
    if not reason:
        rnd.emit(SimultaneousFire(actor=name, target=target, rule="AN-RNG-06"))
        strike(rnd, own_blow(rnd, plan, target, weapon))


def _may_fire(rnd: Round, blow: Blow, name: str, plan: Intent) -> bool:
    """Whether somebody shot at has a ranged blow left that can go off at the same time."""
    role = rnd.roles[name]
    if not blow.ranged or blow.point_blank or role.used >= role.blows or plan.area:
        return False
    if name in rnd.striking or role.over or role.orders.fire is False:
        return False
    initiative = rnd.fight.initiative
    if abs(initiative.get(name, 0) - initiative.get(blow.actor, 0)) >= FIRES_WITHIN:
        return False
    if name not in initiative or _prevented(rnd, name, passive=False)[0]:
        return False
    weapon, _ = blow_weapon(rnd, name)
    return kind_of(weapon, thrown=plan.thrown) != "melee"


def _says_yes(rnd: Round, name: str, what: str, against: str, rule: str) -> bool:
    """A choice of yes or no that nobody ordered; yes where nobody is asked."""
    question = Question(
        label=rnd.label(f"{name}.choice_{what}"),
        who=name,
        options=("yes", "no"),
        default="yes",
        rule=rule,
        facts={"against": against},
    )
    return rnd.ask(question) == "yes"


# ------------------------------------------------------------------ meeting it


def _meet_all(rnd: Round, blow: Blow, names: tuple[str, ...]) -> None:
    """Each target meets the attack; those who won answer once it has ended (AN-MAN-18, D34)."""
    hits = False
    answers: list[tuple[str, int]] = []
    for name in names:
        one = blow if len(names) == 1 else _placed(rnd, replace(blow, target=name))
        outcome, margin, kind = _meet(rnd, one, name)
        hits = hits or outcome == "hit"
        if outcome == "counter":
            answers.append((name, margin))
            if blow.area and kind == "parry":
                rnd.emit(Intercepted(actor=name, target=blow.actor, rule="AN-MAN-18"))
                break
    _came_out(rnd, blow, "success" if hits else "failure")
    for name, margin in answers:
        bonus = counter_bonus(rnd, margin)
        answer(rnd, name, blow.actor, bonus, "AN-CTR-01")


def _meet(rnd: Round, blow: Blow, name: str) -> tuple[str, int, str]:
    """One target against the attack: how it came out, by how much, by what defence (AN-RES-01)."""
    if "intangible" in rnd.who(name).sheet.flags and not blow.harms_energy:
        _result(rnd, blow, name, 0, "no_effect", "AN-SUP-19")
        return "no_effect", 0, ""
    outcome = _kept_off(rnd, blow, name)
    if outcome:
        return outcome, 0, ""
    resists = rnd.roles[name].orders.resist_blow
    made = defend(rnd, blow, name, resists=resists)
    margin = blow.total - made.total
    through = wear(rnd, blow, name, made.shield, "AN-SHD-03") if made.shield and margin <= 0 else 0
    if through:
        _breach(rnd, blow, name, margin, through)
        outcome = "hit"
    elif margin > 0:
        _hit(rnd, blow, name, margin, resists=resists)
        outcome = "hit"
    else:
        outcome = "counter" if margin < 0 else "tie"
        _result(rnd, blow, name, margin, outcome, "AN-RES-04" if margin < 0 else "AN-RES-03")
        if margin == 0 and rnd.options.tie_puts_on_defensive and not resists:
            put_on_defensive(rnd, name, blow.actor)
    return outcome, margin, made.kind


def _kept_off(rnd: Round, blow: Blow, name: str) -> str:
    """What a third party makes of the attack: ``stopped``, ``hit``, or nothing (AN-SHD, AN-SPD)."""
    stops, coverer, shield = cover(rnd, blow, name)
    if stops:
        through = wear(rnd, blow, coverer, shield, "AN-SHD-03")
        if through:
            _breach(rnd, blow, name, 0, through)
        return "hit" if through else "stopped"
    pusher, total = push_aside(rnd, blow, name)
    if not pusher:
        return ""
    margin = blow.total - total
    if margin > 0:
        _hit(rnd, blow, name, margin, resists=False)
    return "hit" if margin > 0 else "stopped"


def _result(
    rnd: Round, blow: Blow, name: str, margin: int, outcome: str, rule: str, *figures: int
) -> None:
    absorption, percent = figures or (0, 0)
    rnd.emit(
        AssaultResult(
            actor=blow.actor,
            target=name,
            margin=margin,
            outcome=outcome,
            absorption=absorption,
            percent=percent,
            rule=rule,
        )
    )


def _hit(rnd: Round, blow: Blow, name: str, margin: int, *, resists: bool) -> None:
    """A blow that nothing stopped (AN-RES-02, AN-RES-05)."""
    ability = blow.ability
    if ability is not None and ability.essence_only:
        _result(rnd, blow, name, margin, "hit", "AN-SUP-15")
        _on_defensive(rnd, blow, name, resists=resists)
        essence(rnd, name, ability)
        return
    bare = blow.manoeuvre in UNARMOURED
    real = armour_type(rnd, blow, name)
    absorption, percent = reckon(rnd, margin, 0 if bare else real)
    _result(rnd, blow, name, margin, "hit", "AN-RES-02", absorption, percent)
    _on_defensive(rnd, blow, name, resists=resists)
    if bare:
        if blow.with_damage and blow.manoeuvre in HARMING:
            share = reckon(rnd, margin, real)[1]
            harm(rnd, blow, name, share, blow.damage // 2, resisting=resists)
    elif blow.manoeuvre != "hold":
        harm(rnd, blow, name, percent, blow.damage, resisting=resists)
    if bare or blow.manoeuvre == "hold":
        carry_out(rnd, blow, name, percent)
    if ability is not None and ability.essence and not rnd.who(name).down:
        essence(rnd, name, ability)


def _on_defensive(rnd: Round, blow: Blow, name: str, *, resists: bool) -> None:
    if not resists:
        put_on_defensive(rnd, name, blow.actor)


def _breach(rnd: Round, blow: Blow, name: str, margin: int, through: int) -> None:
    """A shield breaks: the rest reaches the target without defence (AN-SHD-04, D29)."""
    _result(rnd, blow, name, margin, "breach", "AN-SHD-04")
    if rnd.options.shield_breach == "flat":
        _result(rnd, blow, name, blow.total, "hit", "AN-SHD-04")
        put_on_defensive(rnd, name, blow.actor)
        lose_hp(rnd, blow, name, through, 0, whole=through)
        return
    absorption, percent = reckon(rnd, blow.total, armour_type(rnd, blow, name))
    _result(rnd, blow, name, blow.total, "hit", "AN-SHD-04", absorption, percent)
    put_on_defensive(rnd, name, blow.actor)
    harm(rnd, blow, name, percent, through, resisting=False)


# ------------------------------------------------------------------ counterattacks


def counter_bonus(rnd: Round, margin: int) -> int:
    """What winning a defence gives the answer (AN-CTR-03, AN-CTR-04, D2).

    Won by 30 it is +15, by 100 +50, by 29 +10, by 9 nothing; never more than +150.
    """
    won = -margin
    if rnd.options.counter_bonus == "table":
        return min(max(0, won - 1) // 10 * 5, MOST_BONUS)
    return min(won // 2 // 5 * 5, MOST_BONUS)


def answer(rnd: Round, name: str, aggressor: str, bonus: int, rule: str) -> None:
    """Strike back at once at the direct aggressor, if that can be done (AN-CTR-01, AN-CTR-02).

    It is a blow like any other, taken from those of the assault: the aggressor defends, and may
    answer in turn while blows are left (AN-CTR-08, AN-XAT-04). Won with a shield, the bonus goes to
    the weapon all the same (AN-SHD-06).
    """
    role = rnd.roles[name]
    weapon, second = _counter_weapon(rnd, name)
    kind = kind_of(weapon, thrown=False)
    blow = Blow(
        actor=name,
        target=aggressor,
        kind=kind,
        weapon=weapon,
        manoeuvre=role.orders.counter_manoeuvre,
        zone=role.orders.counter_zone,
        second_hand=second,
        counter=True,
    )
    _placed(rnd, blow)
    # AN-RNG-03: a shot gets nothing from the won defence, unless it is at point blank.
    blow.bonus = 0 if blow.ranged and not blow.point_blank else bonus
    reason, why = _no_answer(rnd, role, blow)
    asks = not reason and role.orders.counter is None
    if asks and not _says_yes(rnd, name, "counterattack", aggressor, "AN-CTR-01"):
        reason, why = "declined", "AN-CTR-07"
    rnd.emit(
        Counterattack(
            actor=name,
            target=aggressor,
            bonus=blow.bonus,
            result="failure" if reason else "success",
            reason=reason,
            rule=why or rule,
        )
    )
    if reason:
        return
    blow.fatigue = affordable(rnd, name, role.orders.counter_fatigue)
    role.orders.counter_fatigue = 0
    strike(rnd, blow)


def _counter_weapon(rnd: Round, name: str) -> tuple[Weapon, bool]:
    """The weapon of the standing order, of the attack declared, in hand, or the first one."""
    role, who = rnd.roles[name], rnd.who(name)
    ordered = role.orders.counter_weapon
    weapon, second = (ordered, False) if ordered is not None else blow_weapon(rnd, name)
    return (who.sheet.bare_hands, False) if who.lies(weapon) else (weapon, second)


def _no_answer(rnd: Round, role: Role, blow: Blow) -> tuple[str, str]:
    """Why there is no counterattack: the first reason that holds (AN-CTR-02)."""
    reason, rule = "", ""
    if _declines(rnd, role, blow.target):
        reason, rule = "declined", "AN-CTR-07"
    elif rnd.who(role.name).stance == "total_defence":
        reason, rule = "total_defence", "AN-STA-03"
    elif role.used >= role.blows:
        reason, rule = "attacks_spent", "AN-CTR-06"
    elif (why := hindered(rnd, role.name))[0]:
        reason, rule = why
    elif exhausted(rnd, role.name):
        reason, rule = "max_actions", "AN-ACT-04"
    elif has_fallen(rnd, blow.target):
        reason, rule = "target_down", "AN-WEB-02"
    elif blow.weapon is None or _too_far(rnd, role.name, blow.target, blow.weapon, blow.kind):
        reason, rule = "out_of_reach", "AN-CTR-02"
    return reason, rule


def _declines(rnd: Round, role: Role, target: str) -> bool:
    """Whether somebody lets a counterattack pass: by order, or by the table's default (D10)."""
    if role.orders.counter is not None:
        return not role.orders.counter
    match rnd.options.counter_default:
        case "never":
            return True
        case "declared_target":
            return role.plan is None or target not in role.plan.targets
    return False


# ------------------------------------------------------------------ area, passive


def sweep(rnd: Round, intent: Intent) -> None:
    """One roll against several, in the order in which they stand (AN-MAN-17)."""
    role = rnd.roles[intent.actor]
    weapon, _ = blow_weapon(rnd, intent.actor)
    standing = [name for name in intent.targets if not has_fallen(rnd, name)]
    kind = kind_of(weapon, thrown=intent.thrown)
    near = [name for name in standing if not _too_far(rnd, intent.actor, name, weapon, kind)]
    if not near:
        role.used += 1
        intent.given += 1
        reason = "out_of_reach" if standing else "target_down"
        lose(rnd, intent, reason, "AN-MAN-17", 1)
        return
    blow = own_blow(rnd, intent, near[0], weapon)
    _begin(rnd, blow)
    deliver(rnd, blow, tuple(near))


def passive_attacks(rnd: Round, name: str) -> None:
    """Those who hold somebody at weapon's point strike as it starts an active (AN-MAN-21)."""
    holder = rnd.who(name).threatened_by
    if not holder or "threatened" not in rnd.who(name).conditions:
        return
    role = rnd.roles[holder]
    if not any(target == name and who in ("", name) for target, who in role.orders.strikes):
        return
    if role.used >= role.blows or not is_passive(rnd, holder, name):
        return
    if _prevented(rnd, holder, passive=True)[0]:
        return
    weapon, second = blow_weapon(rnd, holder)
    kind = kind_of(weapon, thrown=False)
    if _too_far(rnd, holder, name, weapon, kind):
        return
    rnd.emit(PassiveAttack(actor=holder, target=name, rule="AN-MAN-21"))
    blow = Blow(
        actor=holder, target=name, kind=kind, weapon=weapon, second_hand=second, passive=True
    )
    strike(rnd, _placed(rnd, blow))
