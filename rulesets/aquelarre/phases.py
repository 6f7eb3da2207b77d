"""The course of a round: declaration, action, conclusion (AQ-RND-01).

``open_round`` is what happens before anybody declares; ``PHASES`` is all that comes after the lock,
read from top to bottom.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from rulesets.aquelarre.attack import settle_deferred
from rulesets.aquelarre.declared import Class, Cost, Intent
from rulesets.aquelarre.events import (
    ActionOrder,
    DeclarationOrder,
    Initiative,
    Prepare,
    RoundOpened,
)
from rulesets.aquelarre.fight import Character, Fight
from rulesets.aquelarre.modifiers import check_total, missing_strength
from rulesets.aquelarre.rolls import D5, D10, confront
from rulesets.aquelarre.rows import Weapon
from rulesets.aquelarre.turn import Role, Round, interrupt, lose, rank
from rulesets.aquelarre.wounds import bleed, gain, shed
from rulesets.core.declarations import Timing

QUICK: Final = 5  # AQ-ATK-10


# ------------------------------------------------------------------ before declarations


def open_round(rnd: Round) -> None:
    """A new round: surprise, initiative, and who declares when (phase 1, steps 1 and 2)."""
    fight = rnd.fight
    rnd.emit(RoundOpened(number=fight.round + 1, rule="AQ-RND-01"))
    if fight.round == 0:
        _surprise(rnd)
    for who in list(rnd.fight.cast.values()):
        if who.able:
            _roll_initiative(rnd, who)
    order = [name for group in reversed(groups(rnd.fight)) for name in group]
    rnd.emit(DeclarationOrder(order=tuple(order), rule="AQ-INI-02"))


def _surprise(rnd: Round) -> None:
    """Who is surprised in the first round: by the scene, or by an ambush (AQ-AMB-01)."""
    scene = rnd.fight.scene
    for name in scene.surprised:
        if rnd.who(name).able:
            gain(rnd, name, "surprised", "AQ-AMB-01")
    if not scene.ambusher or not rnd.who(scene.ambusher).able:
        return
    for name in scene.ambushed:
        prey = rnd.who(name)
        if not prey.able or "surprised" in prey.conditions:
            continue
        by = scene.ambusher
        met = confront(
            rnd,
            "ambush",
            "AQ-AMB-01",
            (by, "stealth", check_total(rnd, rnd.who(by), "stealth", "stealth")),
            (name, "spotting", check_total(rnd, prey, "spotting", "spotting")),
        )
        if met.won:
            gain(rnd, name, "surprised", "AQ-AMB-01")


def _roll_initiative(rnd: Round, who: Character) -> None:
    """1D10 + Agility + armour + weapon in hand + shield + spells (AQ-INI-01, AQ-INI-07).

    1D5 for who is surprised (AQ-AMB-02).
    """
    roll = rnd.roll(who.name, "initiative", D5 if "surprised" in who.conditions else D10)
    parts = {"die": roll.faces[0], **initiative_parts(rnd.fight, who)}
    rnd.emit(
        Initiative(
            actor=who.name,
            value=sum(parts.values()),
            parts=parts,
            label=roll.label,
            rule="AQ-INI-01",
        )
    )


def initiative_parts(fight: Fight, who: Character) -> dict[str, int]:
    """What is added to the die of initiative; parts of 0 are left out, except Agility."""
    parts = {"agility": who.figures.characteristics["agility"]}
    if who.figures.armour_initiative:
        parts["armour"] = who.figures.armour_initiative
    in_hand = who.in_hand
    if in_hand:
        weapon: Weapon = in_hand[0]
        if weapon.initiative:
            parts["weapon"] = weapon.initiative
        short = missing_strength(who, weapon.min_strength)
        if short and fight.options.min_strength:
            parts["strength_shortfall"] = -short  # AQ-DMG-06
    if who.shield is not None and who.shield.initiative and who.shield_ready:
        parts["shield"] = who.shield.initiative  # AQ-ARM-13
    if who.sheet.initiative_bonus:
        parts["bonus"] = who.sheet.initiative_bonus
    return parts


def groups(fight: Fight) -> tuple[tuple[str, ...], ...]:
    """Who acts when, highest first; those of one group at the same time (AQ-INI-03 to -06)."""
    cast = fight.cast
    ranked = sorted([(rank(fight, name), cast[name].index, name) for name in fight.initiative])
    found: list[tuple[str, ...]] = []
    last: tuple[int, bool, int] | None = None
    for key, _, name in ranked:
        if key == last:
            found[-1] = (*found[-1], name)
        else:
            found.append((name,))
        last = key
    return tuple(found)


# ------------------------------------------------------------------ phase 1: what was declared


def quick_attacks(rnd: Round) -> None:
    """A quick attack declared raises the initiative of the round by 5 (AQ-ATK-10, D-10)."""
    for name, role in rnd.roles.items():
        if not role.quick:
            continue
        times = role.quick if rnd.options.quick_initiative == "per_action" else 1
        rolled = rnd.fight.initiative[name]
        rnd.emit(
            Initiative(
                actor=name,
                value=rolled + QUICK * times,
                rule="AQ-ATK-10",
                parts={"rolled": rolled, "quick_attack": QUICK * times},
            )
        )


def order_of_action(rnd: Round) -> None:
    """From the highest initiative to the lowest (AQ-INI-03)."""
    cast = rnd.fight.cast
    able = [tuple([name for name in group if cast[name].able]) for group in groups(rnd.fight)]
    rnd.order = tuple([group for group in able if group])
    told = tuple([group[0] if len(group) == 1 else group for group in rnd.order])
    rnd.emit(ActionOrder(order=told, rule="AQ-INI-03"))


# ------------------------------------------------------------------ phase 2: action


def action(rnd: Round) -> None:
    """Everybody acts, highest initiative first, with held actions in between."""
    rnd.holds_back = any(
        intent.declaration.timing is not None or intent.action.id == "close_in"
        for role in rnd.roles.values()
        for intent in role.queue
    )
    for name in (name for group in rnd.order for name in group):
        if "flight_ready" in rnd.who(name).conditions:
            _flight_first(rnd, name)
    for group in rnd.order:
        if rnd.stopped:
            break
        if len(group) == 1:
            _take_turn(rnd, group[0])
        else:
            _act_together(rnd, group)
    _what_is_left(rnd)


def _flight_first(rnd: Round, name: str) -> None:
    """The movements of who has got ready to flee come before everything (AQ-DEF-21)."""
    for intent in list(rnd.roles[name].queue):
        movement = intent.action.klass is Class.MOVEMENT and intent.action.id != "close_in"
        if movement and intent.declaration.timing is None and not rnd.stopped:
            _perform(rnd, intent)


def _act_together(rnd: Round, group: Sequence[str]) -> None:
    """All act, and only then do their PD tell (AQ-INI-06)."""
    rnd.deferred = []
    for name in group:
        _before(rnd, name)
        rnd.roles[name].begun = True
    for name in group:
        _act(rnd, name)
        rnd.roles[name].over = True
    settle_deferred(rnd)
    _held(rnd, group[-1])


def _take_turn(rnd: Round, name: str) -> None:
    _before(rnd, name)
    rnd.roles[name].begun = True
    _act(rnd, name)
    rnd.roles[name].over = True
    _held(rnd, name)


def _act(rnd: Round, name: str) -> None:
    """The actions of one turn, in the order written, without those held back (AQ-RND-04)."""
    role = rnd.roles[name]
    for intent in list(role.queue):
        if intent not in role.queue or rnd.stopped:
            continue
        if _waits(rnd, intent):
            if intent.action.id == "close_in":
                break  # what is written after it waits for it
            continue
        _perform(rnd, intent)
        _held(rnd, name)


def _perform(rnd: Round, intent: Intent) -> None:
    """Do one action; one that has become impossible gives way to its fallback (D-33)."""
    role = rnd.roles[intent.actor]
    action = intent.inner or intent.action
    who = rnd.who(intent.actor)
    if action.perform is None:
        return
    if who.held_by and action.id not in ("break_free", "free_action"):
        lose(rnd, intent, "immobilised", "AQ-ATK-27")
        return
    lost = len(rnd.events)
    action.perform(rnd, intent)
    if intent in role.queue:
        role.queue.remove(intent)
        if action.klass is not Class.DEFENCE and intent.cost is not Cost.FREE:
            role.done += 1
    elif intent.fallback is not None and _only_lost(rnd, lost):
        fallback = intent.fallback
        role.queue.insert(0, fallback)
        _perform(rnd, fallback)


def _only_lost(rnd: Round, since: int) -> bool:
    """Whether an action came to nothing because it was impossible, not because of its owner."""
    events = rnd.events[since:]
    reason = getattr(events[0], "reason", "") if len(events) == 1 else ""
    return bool(reason) and reason not in ("immobilised", "incapacitated", "combat_ended")


# ------------------------------------------------------------------ held actions


def _waits(rnd: Round, intent: Intent) -> bool:
    """Whether an action is held back at its owner's own turn (AQ-RND-05)."""
    if intent.action.id == "close_in" and _still_acts(rnd, intent):
        return True
    timing = intent.declaration.timing
    return timing is not None and not _met(rnd, intent, timing)


def _still_acts(rnd: Round, intent: Intent) -> bool:
    """Whether the one to be closed in on has actions of its own left (AQ-MOV-04)."""
    return bool(rnd.roles[intent.target].queue)


def _met(rnd: Round, intent: Intent, timing: Timing) -> bool:
    """Whether the trigger of a held action has come."""
    fight = rnd.fight
    name = fight.find(timing.name)
    match timing.kind:
        case "after":
            if not name or name not in fight.initiative:
                return True
            other = rnd.roles[name]
            return other.done >= timing.count or other.over
        case "before":
            # Done just before that character's turn; from a slower one it is nothing special.
            return (
                not name
                or name not in fight.initiative
                or rnd.roles[name].begun
                or rank(fight, name) <= rank(fight, intent.actor)
            )
        case "when" if timing.event == "falls":
            return bool(name) and rnd.roles[name].fell
        case "when" if timing.event == "attacked":
            return bool(rnd.roles[name or intent.actor].attacked_by)
    return True


def _pending(rnd: Round) -> list[Intent]:
    """Actions still to come of those whose own turn has gone by, highest initiative first."""
    found: list[Intent] = []
    for group in rnd.order:
        for name in group:
            role = rnd.roles[name]
            if role.queue and role.over:
                found.extend(role.queue)
    return found


def _held(rnd: Round, actor: str) -> None:
    """Let held actions go off whose trigger has come (AQ-RND-06).

    Args:
        rnd: The round.
        actor: Who acted last, and is interrupted.
    """
    while rnd.holds_back and not rnd.stopped:
        ready = next((i for i in _pending(rnd) if _goes_off(rnd, i)), None)
        if ready is None:
            return
        _go_off(rnd, ready, actor)
        actor = ready.actor


def _goes_off(rnd: Round, intent: Intent) -> bool:
    """Whether an action held back goes off now; one behind a closing-in waits for that."""
    if intent.action.id != "close_in" and intent.declaration.timing is None:
        queue = rnd.roles[intent.actor].queue
        return not any(i.action.id == "close_in" for i in queue[: queue.index(intent)])
    return not _waits(rnd, intent)


def _go_off(rnd: Round, intent: Intent, actor: str) -> None:
    if actor != intent.actor and intent.declaration.timing is not None:
        timing = intent.declaration.timing
        told = actor
        if timing.kind == "when" and timing.event == "attacked":
            told = rnd.roles[intent.actor].attacked_by or actor
        interrupt(rnd, intent, told)
    _perform(rnd, intent)


def _before(rnd: Round, name: str) -> None:
    """Held actions that go just before a character's turn (``antes``)."""
    if not rnd.holds_back:
        return
    for intent in _pending(rnd):
        timing = intent.declaration.timing
        if timing is None or timing.kind != "before" or rnd.stopped:
            continue
        if intent in rnd.roles[intent.actor].queue and rnd.fight.find(timing.name) == name:
            interrupt(rnd, intent, name)
            _perform(rnd, intent)
            _held(rnd, intent.actor)


def _what_is_left(rnd: Round) -> None:
    """The end of the action phase: last closings-in, then what is still held is lost."""
    while not rnd.stopped:
        # Two who wait for each other: the one with the higher initiative goes first.
        closing = next((i for i in _pending(rnd) if i.action.id == "close_in"), None)
        if closing is None:
            break
        _perform(rnd, closing)
        _held(rnd, closing.actor)
    for name in (name for group in rnd.order for name in group):
        for intent in list(rnd.roles[name].queue):
            lose(rnd, intent, "condition_not_met", "AQ-RND-05")
        spear = rnd.roles[name].spear
        if spear is not None and not rnd.stopped:
            lose(rnd, spear, "no_charge", "AQ-ATK-03")


# ------------------------------------------------------------------ phase 3: conclusion


def conclusion(rnd: Round) -> None:
    """What is left: surprise, getting up, flight, preparation, bleeding (AQ-RND-14)."""
    cast: Iterable[Character] = list(rnd.fight.cast.values())
    for who in cast:
        if who.conditions:
            _passing_conditions(rnd, who, rnd.roles[who.name])
        _flight_and_preparation(rnd, who.name, rnd.roles[who.name])
    for who in cast:
        bleed(rnd, who.name)


def _passing_conditions(rnd: Round, who: Character, role: Role) -> None:
    if "surprised" in who.conditions:
        shed(rnd, who.name, "surprised", "AQ-AMB-05")
    if role.rising and who.able and "prone" in who.conditions:
        shed(rnd, who.name, "prone", "AQ-MOV-07")
    if "flight_ready" in who.conditions and not role.fleeing:
        shed(rnd, who.name, "flight_ready", "AQ-DEF-21")


def _flight_and_preparation(rnd: Round, name: str, role: Role) -> None:
    who = rnd.who(name)
    if role.fleeing and who.able and "flight_ready" not in who.conditions:
        gain(rnd, name, "flight_ready", "AQ-DEF-20")
    if role.prepared and who.able:
        each, most = rnd.tables.preparation
        bonus = min(most, who.prep_bonus + each)
        rnd.emit(Prepare(actor=name, bonus=bonus, rule="AQ-OTH-08"))
    elif who.prep_bonus:
        rnd.emit(Prepare(actor=name, bonus=0, rule="AQ-OTH-08"))


PHASES: Final[tuple[Callable[[Round], None], ...]] = (
    quick_attacks,
    order_of_action,
    action,
    conclusion,
)
