"""The course of an assault (catalogue, How an assault runs).

``open_round`` is what happens before anybody declares; ``PHASES`` is all that comes after the lock,
read from top to bottom.
"""

from collections.abc import Callable
from typing import Final

from rulesets.anima.attack import aimed_at, at_hand, is_passive, passive_attacks
from rulesets.anima.declared import ATTACK, SUPERNATURAL, Intent
from rulesets.anima.events import (
    ActionOrder,
    Assault,
    Effect,
    Fumble,
    Initiative,
    Interrupt,
    Recover,
    Reserve,
    Surprise,
)
from rulesets.anima.fight import Character
from rulesets.anima.manoeuvres import escape
from rulesets.anima.modifiers import INITIATIVE, Doing, gather
from rulesets.anima.others import enter, leave
from rulesets.anima.rolls import resist, throw
from rulesets.anima.rows import Weapon
from rulesets.anima.turn import Role, Round, Wait, exhausted, hindered, lose, shed
from rulesets.core.declarations import Timing
from rulesets.core.questions import Rejection

SECONDS: Final = 3  # AN-TIM-01
SURPRISE: Final = 150  # AN-SUR-01
PAIN: Final = 5  # AN-CRI-14
COLD: Final = 5  # AN-ELE-02
SHOCK: Final = 10  # AN-ELE-03
BEFORE_DICE: Final = False  # when an interruption comes
RESERVED: Final = "reserved"  # surprise is not for one who reserves (AN-SUR-04)


# ------------------------------------------------------------------ before declarations


def open_round(rnd: Round) -> None:
    """A new assault; pain, cold and shock pass a little, before anything else (AN-TIM-02)."""
    number = rnd.fight.round + 1
    elapsed = SECONDS * (number - 1)
    rnd.emit(Assault(number=number, elapsed_s=elapsed, rule="AN-TIM-01"))
    for who in list(rnd.fight.cast.values()):
        if "dead" not in who.conditions:
            _recover(rnd, who)


def _recover(rnd: Round, who: Character) -> None:
    if who.pains:
        pooled = rnd.options.pain_recovery == "pooled"
        fades = min(PAIN, who.pain) if pooled else sum(min(PAIN, pain) for pain in who.pains)
        _fades(rnd, who.name, "pain", fades, who.pain)
    if who.cold_penalty:
        _fades(rnd, who.name, "cold", min(COLD, who.cold_penalty), who.cold_penalty)
    if who.shock_penalty:
        _fades(rnd, who.name, "shock", min(SHOCK, who.shock_penalty), who.shock_penalty)


def _fades(rnd: Round, name: str, what: str, amount: int, before: int) -> None:
    rules = {"pain": "AN-CRI-14", "cold": "AN-ELE-02", "shock": "AN-ELE-03"}
    value = before - amount
    rnd.emit(Recover(actor=name, what=what, amount=amount, value=value, rule=rules[what]))


# ------------------------------------------------------------------ before the turns


def repeated_checks(rnd: Round) -> None:
    """Effects that are resisted again each assault, before anybody acts (AN-SUP-17)."""
    for who in list(rnd.fight.cast.values()):
        if "dead" in who.conditions:
            continue
        for effect in who.effects:
            against = ("effect", effect.difficulty, "AN-SUP-17")
            if resist(rnd, who.name, "resist_effect", effect.resistance, against):
                continue
            rnd.emit(
                Effect(
                    target=who.name,
                    condition=effect.condition,
                    resistance=effect.resistance,
                    difficulty=effect.difficulty,
                    change="lost",
                    rule="AN-SUP-17",
                )
            )
            shed(rnd, who.name, effect.condition, "AN-SUP-17")


def stances(rnd: Round) -> None:
    """Stances declared before the dice take effect (AN-STA-05)."""
    for role in rnd.roles.values():
        if role.leaves and rnd.options.stance_leave == "at_once":
            leave(rnd, role.name)
        for intent in role.stances:
            if not intent.late and not rnd.who(role.name).down:
                enter(rnd, intent)


def initiative(rnd: Round) -> None:
    """Everybody who can act rolls, whether or not anything was declared (AN-INI-01)."""
    for who in list(rnd.fight.cast.values()):
        if not who.down:
            _roll_initiative(rnd, who)


def _roll_initiative(rnd: Round, who: Character) -> None:
    """An open d100 and the final turn; a fumble acts last (AN-FUM-08, AN-FUM-09)."""
    against = gather(INITIATIVE, Doing(rnd, who, weapons=_weapons(rnd, who)))
    thrown = throw(rnd, who.name, "initiative", against)
    total = thrown.total
    if thrown.fumble:
        rows = rnd.tables.initiative_fumbles
        penalty = next((p for face, p in rows if face == thrown.dice), rows[-1][1])
        total = thrown.ability + penalty
        rnd.emit(Fumble(actor=who.name, roll="initiative", penalty=penalty, rule="AN-FUM-09"))
    rnd.ranks[who.name] = (thrown.fumble, -total, -thrown.ability, who.index)
    rnd.emit(
        Initiative(
            actor=who.name,
            total=total,
            label=thrown.label,
            limit=thrown.ability,
            rule="AN-INI-01",
        )
    )


def _weapons(rnd: Round, who: Character) -> tuple[Weapon, ...]:
    """The weapons that decide one's turn (AN-INI-06, AN-TWO-04)."""
    plan = rnd.roles[who.name].plan if who.name in rnd.roles else None
    if plan is None or plan.weapon is None:
        return (at_hand(who),)
    return (plan.weapon,) if plan.second is None else (plan.weapon, plan.second)


def surprises(rnd: Round) -> None:
    """Who is so much faster than an enemy that it is surprised (AN-SUR-01)."""
    totals = rnd.fight.initiative
    if not totals or max(totals.values()) - min(totals.values()) < SURPRISE:
        return
    order = rnd.in_order()
    for fast in order:
        side, slow_enough = rnd.who(fast).side, totals[fast] - SURPRISE
        for slow in order:
            if totals[slow] <= slow_enough and rnd.who(slow).side != side:
                rnd.surprises.add((fast, slow))
                rnd.emit(Surprise(actor=fast, target=slow, rule="AN-SUR-01"))


def late_stances(rnd: Round) -> None:
    """After the dice only whoever acts first may take a stance (AN-STA-05, D40)."""
    order = rnd.in_order()
    for role in rnd.roles.values():
        for intent in role.stances:
            if not intent.late:
                continue
            if order and order[0] == role.name:
                enter(rnd, intent)
            else:
                rnd.rejections.append(Rejection("stance_late", intent.declaration, "AN-STA-05"))


# ------------------------------------------------------------------ turns


def turns(rnd: Round) -> None:
    """From the highest initiative to the lowest; then those who still wait (AN-INI-02 to -04)."""
    rnd.interrupts = cut_in
    order = rnd.in_order()
    for name in order:
        _turn(rnd, name)
    while waiting := [rnd.roles[name] for name in order if name in rnd.waiting]:
        _last_chance(rnd, waiting[-1])  # the lower initiative must act first


def _turn(rnd: Round, name: str) -> None:
    role = rnd.roles[name]
    if role.over or role.begun:
        return
    role.begun = True
    if rnd.who(name).held_by and not hindered(rnd, name)[0] and not role.struggled:
        escape(rnd, name)
    _act(rnd, role)


def _last_chance(rnd: Round, role: Role) -> None:
    """The end of waiting: what hung on an event that never came is lost (AN-INI-03)."""
    wait = rnd.waiting.pop(role.name)
    if role.queue:
        intent = role.queue[0]
        intent.timed = True
        if wait.kind == "when":
            role.queue.pop(0)
            lose(rnd, intent, "condition_not_met", "AN-INI-03", _strikes(rnd, intent))
    _act(rnd, role)


def _act(rnd: Round, role: Role) -> None:
    """The actions of one turn, in the order written, until one has to wait."""
    while role.queue:
        intent = role.queue[0]
        wait = _wait(rnd, role, intent)
        if wait is not None:
            rnd.waiting[role.name] = wait
            role.first = role.first or RESERVED
            rnd.emit(Reserve(actor=role.name, rule="AN-INI-03"))
            release_waiting(rnd)
            return
        role.queue.pop(0)
        if intent.action.id == "reserve":
            continue
        perform(rnd, intent)
        release_waiting(rnd)
    _finish(rnd, role)


def _finish(rnd: Round, role: Role) -> None:
    role.over = True
    if role.name not in rnd.order:
        rnd.order.append(role.name)
    release_waiting(rnd)


def _wait(rnd: Round, role: Role, intent: Intent) -> Wait | None:
    """What an action waits for, if it does; nobody who is down waits for anything."""
    if rnd.who(role.name).down:
        return None
    if intent.action.id == "reserve":
        if intent.timed:
            return None
        intent.timed = True
        wait = Wait("after", intent.until) if intent.until else Wait("end")
    else:
        timing = intent.timing
        if timing is None:
            return None
        wait = _wait_for(rnd, intent, timing)
    return None if _has_come(rnd, role, wait) else wait


def _wait_for(rnd: Round, intent: Intent, timing: Timing) -> Wait:
    name = rnd.fight.find(timing.name)
    if timing.kind != "before":
        return Wait(timing.kind, name, timing.event)
    intent.timed = True
    if (intent.actor, name) in rnd.surprises:
        return Wait("before", name, after_dice="after_dice" in intent.declaration.flags)
    rnd.emit(
        Interrupt(
            actor=intent.actor,
            target=name,
            result="failure",
            reason="no_surprise",
            rule="AN-SUR-04",
        )
    )
    return Wait("now")


def _has_come(rnd: Round, role: Role, wait: Wait) -> bool:
    """Whether what somebody waits for has come about."""
    if wait.kind in ("end", "before"):
        return False
    other = rnd.roles.get(wait.name)
    if wait.kind == "after":
        return other is None or other.over or wait.name not in rnd.ranks
    if wait.kind == "when":
        return _has_happened(rnd, role, other, wait.event)
    return True


def _has_happened(rnd: Round, role: Role, other: Role | None, event: str) -> bool:
    """Whether the event of a ``si`` has come about; about oneself where nobody is named."""
    about = other or role
    match event:
        case "falls":
            return about.fell or rnd.who(about.name).down
        case "attacks":
            return about.attacked
        case "acts":
            return about.acted
    return about.was_attacked


def release_waiting(rnd: Round) -> None:
    """Let those act whose moment has come, the lower initiative first (AN-INI-04)."""
    while True:
        ready = [
            name for name, wait in rnd.waiting.items() if _has_come(rnd, rnd.roles[name], wait)
        ]
        if not ready:
            return
        _resume(rnd, rnd.roles[max(ready, key=rnd.ranks.__getitem__)])


def _resume(rnd: Round, role: Role) -> None:
    del rnd.waiting[role.name]
    if role.queue:
        role.queue[0].timed = True
    _act(rnd, role)


def cut_in(rnd: Round, name: str, after_dice: bool) -> bool:  # noqa: FBT001 -- a hook's shape
    """Let those act who have surprise over somebody and wait to interrupt it (AN-SUR-04)."""
    found = False
    while True:
        ready = [
            other
            for other, wait in rnd.waiting.items()
            if wait.kind == "before" and wait.name == name and wait.after_dice == after_dice
        ]
        if not ready:
            return found
        found = True
        role = rnd.roles[max(ready, key=rnd.ranks.__getitem__)]
        # The turn of the one who is interrupted had begun: it stands before (catalogue, Events).
        if name not in rnd.order:
            rnd.order.append(name)
        rnd.emit(Interrupt(actor=role.name, target=name, result="success", rule="AN-SUR-04"))
        _resume(rnd, role)


# ------------------------------------------------------------------ one action


def perform(rnd: Round, intent: Intent) -> None:
    """Do one action, unless it has become impossible."""
    action = intent.action
    if action.perform is None:
        return
    reason, rule = _lost(rnd, intent)
    if not reason and intent.kinds:
        passive_attacks(rnd, intent.actor)
        rnd.interrupts(rnd, intent.actor, BEFORE_DICE)
        reason, rule = _lost(rnd, intent)
    if reason:
        lose(rnd, intent, reason, rule, _strikes(rnd, intent))
        return
    role = rnd.roles[intent.actor]
    # D7: by one reading the very first active of any kind uses surprise up.
    first = rnd.options.surprise_scope == "first_action" and role.first is None
    if first and intent.kinds and not {ATTACK, SUPERNATURAL} & set(intent.kinds):
        role.first = intent
    action.perform(rnd, intent)


def _strikes(rnd: Round, intent: Intent) -> int:
    """Blows lost with an action."""
    if ATTACK not in intent.kinds:
        return 0
    role = rnd.roles[intent.actor]
    return max(0, role.blows - role.used)


def _lost(rnd: Round, intent: Intent) -> tuple[str, str]:
    """Why an action cannot be done: the first reason that holds (catalogue, Events).

    Nothing holds for whoever was not attacked or won every defence (AN-RES-06).
    """
    name, physical = intent.actor, intent.action.physical
    role, who = rnd.roles[name], rnd.who(name)
    if who.down:
        return "down", "AN-WEB-02"
    if not intent.kinds:
        stuck = physical and "full_paralysis" in who.conditions
        return ("paralysed", "AN-SIT-11") if stuck else ("", "")
    attacks = ATTACK in intent.kinds
    if attacks and role.used >= role.blows:
        return "attacks_spent", "AN-CTR-06"
    reason, rule = hindered(rnd, name, physical=physical)
    if attacks and _strikes_captive(rnd, intent):
        if reason != "paralysed":
            reason, rule = "", ""
    elif not reason and attacks and _taken_unawares(rnd, name):
        reason, rule = "surprised", "AN-SUR-05"
    elif not reason and exhausted(rnd, name, intent.kinds):
        reason, rule = "max_actions", "AN-ACT-04"
    return reason, rule


def _strikes_captive(rnd: Round, intent: Intent) -> bool:
    """Whether an attack is at somebody held at weapon's point, and so no active (AN-MAN-21)."""
    if intent.kinds != (ATTACK,) or intent.area:
        return False
    return is_passive(rnd, intent.actor, aimed_at(intent))


def _taken_unawares(rnd: Round, name: str) -> bool:
    """Whether surprise by initiative forbids starting an attack at this table (D8)."""
    if rnd.options.surprise_blocks_attack != "both":
        return False
    return any(slow == name for _, slow in rnd.surprises)


# ------------------------------------------------------------------ the end


def conclusion(rnd: Round) -> None:
    """Last escapes (AN-MAN-12), stances left, and the order in which all acted (step 7)."""
    for name in rnd.in_order():
        if rnd.who(name).held_by:
            escape(rnd, name)
    for role in rnd.roles.values():
        if role.leaves:
            leave(rnd, role.name)
    rnd.emit(ActionOrder(order=tuple(rnd.order), rule="AN-INI-02"))


PHASES: Final[tuple[Callable[[Round], None], ...]] = (
    repeated_checks,
    stances,
    initiative,
    surprises,
    late_stances,
    turns,
    conclusion,
)
