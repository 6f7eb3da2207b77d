"""The course of a round (catalogue section 4).

``open_round`` is what happens before anybody declares; ``PHASES`` is all that comes after the lock,
read from top to bottom.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from rulesets.ars_magica.commands import carry_out
from rulesets.ars_magica.conditions import release, shed
from rulesets.ars_magica.declared import Class, Cost, Intent
from rulesets.ars_magica.declaring import desk_of, draft, look
from rulesets.ars_magica.events import (
    ActionOrder,
    Arrive,
    Bleed,
    Carried,
    Exposure,
    Extended,
    FirstStrike,
    Initiative,
    InitiativeTie,
    Interrupt,
    LostAction,
    RoundOpened,
    RulingNeeded,
    Turn,
    TurnOrder,
    Wound,
)
from rulesets.ars_magica.fight import Character
from rulesets.ars_magica.guarding import contender, contest
from rulesets.ars_magica.line import extreme_range, missile_of, within_reach
from rulesets.ars_magica.modifiers import initiative_total
from rulesets.ars_magica.rolls import botched, stress
from rulesets.ars_magica.turn import Moment, Round, lose
from rulesets.core.declarations import Timing
from rulesets.core.questions import Question, Rejection

MOST_TIES: Final = 20  # then the names decide: no dice part them
# Why all of somebody's actions are lost, the first that applies (AM-RND-14).
OUT: Final = (
    ("dead", "AM-RND-14"),
    ("incapacitated", "AM-WND-02"),
    ("unconscious", "AM-DMG-12"),
    ("pinned", "AM-NLC-15"),
)
IN_PANIC: Final = frozenset({"control_mount", "leap", "fall_off"})


# ------------------------------------------------------------------ before declarations


def open_round(rnd: Round) -> None:
    """A new round: newcomers roll, and at the very first First Strike goes to the highest."""
    first = rnd.fight.round == 0
    rnd.emit(RoundOpened(number=rnd.fight.round + 1, rule="AM-RND-01"))
    newcomers = [who.name for who in rnd.fight.cast.values() if _joins(rnd, who)]
    for name in sorted(newcomers):
        if rnd.fight.scene.arrivals.get(name, 1) > 1:
            rnd.emit(Arrive(actor=name, rule="AM-INI-04"))
        _roll_initiative(rnd, name, first=first)
    order = _ordered(rnd, frozenset(newcomers))
    if order != rnd.fight.order or newcomers:
        rnd.emit(TurnOrder(order=order, rule="AM-INI-01"))
    if first and order and not rnd.fight.scene.initiative:
        rnd.emit(FirstStrike(actor=order[0], rule="AM-INI-06"))


def _joins(rnd: Round, who: Character) -> bool:
    """Whether somebody comes into the order now (AM-INI-02, AM-INI-04).

    A horse left without its rider does, too (AM-MNT-19).
    """
    fight = rnd.fight
    if who.name in fight.order or who.ridden_by or who.dead:
        return False
    return fight.scene.arrivals.get(who.name, 1) <= fight.round


def _roll_initiative(rnd: Round, name: str, *, first: bool) -> None:
    given = rnd.fight.scene.initiative.get(name)
    if first and given is not None:
        rnd.emit(Initiative(actor=name, total=given, rule="AM-INI-01"))
        return
    against = initiative_total(rnd, rnd.who(name))
    rolled = stress(rnd, name, "initiative", against)
    parts = {part.source.removeprefix("characteristic."): part.value for part in against.parts}
    rnd.emit(
        Initiative(
            actor=name,
            total=rolled.total,
            result=rolled.result,
            parts={"die": rolled.die, **parts},
            label=rolled.label,
            die=rolled.die,
            limit=rolled.limit,
            rule="AM-INI-01",
        )
    )
    botched(rnd, name, "initiative", rolled)


def _ordered(rnd: Round, newcomers: frozenset[str]) -> tuple[str, ...]:
    """Highest total first; the tied roll again, only to order themselves (AM-INI-05)."""
    fight = rnd.fight
    present = [name for name in fight.initiative if not fight.cast[name].ridden_by]
    before = {name: place for place, name in enumerate(fight.order)}
    if not newcomers:
        return tuple(sorted(present, key=lambda name: (-fight.initiative[name], before[name])))
    found: list[str] = []
    for total in sorted({fight.initiative[name] for name in present}, reverse=True):
        alike = sorted(name for name in present if fight.initiative[name] == total)
        if newcomers.isdisjoint(alike):
            found += sorted(alike, key=lambda name: before[name])
        else:
            found += _parted(rnd, alike, MOST_TIES)
    return tuple(found)


def _parted(rnd: Round, names: list[str], tries: int) -> list[str]:
    if len(names) < 2 or not tries:
        return names
    if rnd.options.initiative_ties == "quickness" and tries == MOST_TIES:
        figures = {name: rnd.who(name).sheet.characteristics["quickness"] for name in names}
    else:
        figures = {name: _tie(rnd, name) for name in names}
    found: list[str] = []
    for figure in sorted(set(figures.values()), reverse=True):
        alike = [name for name in names if figures[name] == figure]
        found += _parted(rnd, alike, tries - 1)
    return found


def _tie(rnd: Round, name: str) -> int:
    rolled = stress(rnd, name, "initiative_tie", initiative_total(rnd, rnd.who(name)))
    rnd.emit(
        InitiativeTie(
            actor=name,
            total=rolled.total,
            label=rolled.label,
            die=rolled.die,
            limit=rolled.limit,
            rule="AM-INI-05",
        )
    )
    return rolled.total


# ------------------------------------------------------------------ places and commands


def places(rnd: Round) -> None:
    """Room around each target, given in the order of initiative (AM-ATK-07 to AM-ATK-09)."""
    for intent in rnd.accepted:
        take_places(rnd, intent)


def take_places(rnd: Round, intent: Intent) -> None:
    """A place for each target of a melee attack, where one is left."""
    if not intent.action.melee:
        return
    for target in dict.fromkeys(intent.targets or (intent.target,)):
        placed = rnd.places.setdefault(target, [])
        if intent.actor not in placed and _has_room(rnd, intent.actor, target, placed):
            placed.append(intent.actor)


def _has_room(rnd: Round, name: str, target: str, others: list[str]) -> bool:
    scene, figure = rnd.fight.scene, rnd.tables.figure
    place = scene.place.get(target, "")
    if place == "corridor":
        side = scene.direction.get(name, "front")
        others = [other for other in others if scene.direction.get(other, "front") == side]
        most = figure("places_corridor")
    else:
        most = figure("places_wall" if place == "wall" else "places")
    return sum(_halves(rnd, other) for other in (*others, name)) <= 2 * most


def _halves(rnd: Round, name: str) -> int:
    """Half places that somebody takes; a rider his mount's (AM-ATK-08)."""
    who = rnd.who(name)
    size = (rnd.who(who.mounted_on) if who.mounted_on else who).sheet.size
    if size <= -2:
        return 1
    return 4 if size >= 2 else 2


def opening_commands(rnd: Round) -> None:
    """Commands of the game master that come before the first turn."""
    for command in rnd.commands:
        if command.get("moment") == "start":
            carry_out(rnd, command)


def closing_commands(rnd: Round) -> None:
    """All his other commands."""
    for command in rnd.commands:
        if command.get("moment") != "start":
            carry_out(rnd, command)


# ------------------------------------------------------------------ turns


def turns(rnd: Round) -> None:
    """Everybody acts once, the highest initiative first (AM-RND-01).

    The order of the first round stays, whoever has delayed what (AM-INI-09, AM-OPP-03).
    """
    rnd.perform = perform
    rnd.holds_back = any(intent.declaration.timing is not None for intent in rnd.accepted)
    for name in rnd.fight.order:
        _take_turn(rnd, name)


def _take_turn(rnd: Round, name: str) -> None:
    """One turn, a mount's actions in its rider's, in the order written (AM-MNT-02)."""
    role = rnd.roles[name]
    unit = [name] + ([rnd.who(name).mounted_on] if rnd.who(name).mounted_on else [])
    rnd.moment = Moment(name)
    for one in unit:
        _begin(rnd, one)
    role.begun = True
    for one in unit:
        _lose_all(rnd, one)
    queue = sorted((i for one in unit for i in rnd.roles[one].queue), key=lambda i: i.place)
    for intent in queue:
        if intent in rnd.roles[intent.actor].queue and not _waits(rnd, intent):
            perform(rnd, intent)
            _let_go(rnd)
    for one in unit:
        _end(rnd, one)
    _frightened(rnd, name)
    role.over = True
    _let_go(rnd)


def _begin(rnd: Round, name: str) -> None:
    """Exertion, barrier and holds end; what was carried expires; long work goes on (4.6.a)."""
    who = rnd.who(name)
    if who.exertion or who.barrier is not None or who.tried:
        rnd.emit(Turn(actor=name, phase="begun", rule="AM-RND-01"))
    release(rnd, name)
    role = rnd.roles[name]
    role.queue = [intent for intent in role.queue if not intent.held]
    if who.delayed:
        action = "delay"
        rnd.emit(LostAction(actor=name, action=action, reason="delayed_expired", rule="AM-OPP-04"))
    going = rnd.who(name).extended
    if going is not None:
        done = going.done + 1
        rnd.emit(
            Extended(
                actor=name,
                action=going.action,
                phase="done" if done >= going.of else "continued",
                done=done,
                of=going.of,
                rule="AM-RND-07",
            )
        )


def _lose_all(rnd: Round, name: str) -> None:
    """Nothing can be done by one who is out of it (AM-RND-14)."""
    reason, rule = _why_out(rnd.who(name))
    if reason:
        for intent in list(rnd.roles[name].queue):
            lose(rnd, intent, reason, rule)


def _why_out(who: Character) -> tuple[str, str]:
    conditions = who.conditions
    if conditions:
        for reason, rule in OUT:
            if reason in conditions:
                return reason, rule
    return "", ""


def _end(rnd: Round, name: str) -> None:
    """What lasts by turns gets shorter; who has attacked him is forgotten (4.6.d)."""
    who = rnd.who(name)
    left: dict[str, int] | None = None
    if who.durations and not who.dead:
        left = {}
        for condition in sorted(who.durations):
            if who.durations[condition] > 1:
                left[condition] = who.durations[condition] - 1
            else:
                shed(rnd, name, condition, "AM-DMG-10")
        left = left or None
    still = (name,) if who.pace and not rnd.roles[name].moved else ()
    stale = who.attacked_by or (who.disengage_bonus and not who.tried)
    if stale or still or left is not None:
        rnd.emit(Turn(actor=name, phase="ended", still=still, durations=left, rule="AM-RND-01"))


def _frightened(rnd: Round, name: str) -> None:
    """A horse in panic makes for safety: where that is, the game master says (AM-MNT-29)."""
    who = rnd.who(name)
    horse = rnd.who(who.mounted_on) if who.mounted_on else who
    if "panicked" not in horse.conditions or horse.out or rnd.roles[horse.name].charged:
        return
    rnd.emit(RulingNeeded(actor=horse.name, reason="mount_flees", rule="AM-MNT-29"))


# ------------------------------------------------------------------ one action


def perform(rnd: Round, intent: Intent) -> None:
    """Do one action, after those who interrupt it; a lost one gives way to its fallback."""
    queue = rnd.roles[intent.actor].queue
    if intent in queue:
        queue.remove(intent)
    unit = rnd.fight.unit(intent.actor)
    role = rnd.roles[unit]
    weighty = intent.cost in (Cost.REGULAR, Cost.EXTENDED) and intent.action.id != "delay"
    if rnd.holds_back and weighty and not role.contested and not _impossible(rnd, intent)[0]:
        interrupters = _interrupters(rnd, intent)
        if interrupters:
            role.contested = True
            _contest(rnd, intent, interrupters)
            return
    _do(rnd, intent)


def _do(rnd: Round, intent: Intent) -> None:
    if intent.held:
        _use_carried(rnd, intent)
    since = len(rnd.events)
    reason, rule = _impossible(rnd, intent)
    if reason:
        lose(rnd, intent, reason, rule)
    else:
        intent.action.perform(rnd, intent)
    if intent.fallback is not None and not intent.begun and _was_lost(rnd, intent, since):
        _fall_back(rnd, intent)


def _impossible(rnd: Round, intent: Intent) -> tuple[str, str]:
    """Why an action cannot be done now whatever it is, with the rule (AM-RND-14, AM-DMG-10)."""
    who = rnd.who(intent.actor)
    reason, rule = _why_out(who)
    if reason:
        return reason, rule
    conditions = who.conditions
    if "blocked" in conditions and intent.action.id != "drop_prone":
        return "blocked", "AM-DMG-11"
    if "stunned" in conditions and intent.action.klass is Class.ATTACK:
        return "stunned", "AM-DMG-10"
    horse = rnd.who(who.mounted_on) if who.mounted_on else who
    # A charge that has begun is finished (AM-MNT-34).
    finishes = intent.action.id == "mounted_charge" and intent.begun
    if "panicked" in horse.conditions and not finishes and intent.action.id not in IN_PANIC:
        return "mount_panicked", "AM-MNT-30"
    return "", ""


def _use_carried(rnd: Round, intent: Intent) -> None:
    """An action carried over is used up."""
    left = (
        {"regular": "quick", "quick": "regular"} if rnd.who(intent.actor).delayed == "both" else {}
    )
    kind = left.get("quick" if intent.quick else "regular", "")
    rnd.emit(Carried(actor=intent.actor, kind=kind, rule="AM-OPP-04"))


def _was_lost(rnd: Round, intent: Intent, since: int) -> bool:
    """Whether the action came to nothing, and not because of him who did it."""
    if _why_out(rnd.who(intent.actor))[0]:
        return False
    return any(
        isinstance(event, LostAction)
        and event.actor == intent.actor
        and event.action == intent.action.id
        for event in rnd.events[since:]
    )


def _fall_back(rnd: Round, intent: Intent) -> None:
    """What is done in place of a lost action, at that same moment (AM-RND-15)."""
    declaration = intent.fallback
    if declaration is None:
        return
    found = draft(rnd.actions, declaration, rnd.who(declaration.actor))
    if found is None:
        return
    action, actor = found
    other = Intent(declaration, action, actor, action.cost, intent.place)
    desk = desk_of(rnd.fight, actor)
    if desk.who.mounted_on:
        desk.mount = desk_of(rnd.fight, desk.who.mounted_on)
    refusal = look(desk, other, budget=False)
    if refusal is not None:
        rnd.rejections.append(Rejection(refusal.code, declaration, refusal.rule, refusal.facts))
        return
    if other.cost is not intent.cost and other.cost is not Cost.QUICK:
        facts = {"expected": intent.cost.value}
        rnd.rejections.append(Rejection("regular_action_spent", declaration, "AM-RND-15", facts))
        return
    rnd.accepted.append(other)
    take_places(rnd, other)
    _do(rnd, other)


# ------------------------------------------------------------------ interrupting


def _interrupters(rnd: Round, intent: Intent) -> list[Intent]:
    """Who waits to come before this action, highest initiative first (AM-OPP-07)."""
    names = {intent.actor, rnd.fight.unit(intent.actor)}
    found = [
        other
        for role in rnd.roles.values()
        for other in role.queue
        if (timing := other.declaration.timing) is not None
        and timing.kind == "before"
        and rnd.fight.find(timing.name) in names
        and rnd.waits(other)
        and not _impossible(rnd, other)[0]
    ]
    return sorted(found, key=lambda other: rnd.fight.rank(other.actor))


def _contest(rnd: Round, intent: Intent, interrupters: Sequence[Intent]) -> None:
    """All roll priority and act in that order, each if he still can (AM-OPP-08 to AM-OPP-12)."""
    every = [*interrupters, intent]
    sides = [contender(rnd, one) for one in every]
    rolled = contest(rnd, sides)
    by_name = {side.name: one for side, one in zip(sides, every, strict=True)}
    order = [by_name[name] for name in rolled]
    place = order.index(intent)
    for one in interrupters:
        rnd.emit(
            Interrupt(
                actor=one.actor,
                target=intent.actor,
                result="success" if order.index(one) < place else "failure",
                rule="AM-OPP-10",
            )
        )
    mine = rnd.moment
    rnd.under_way = intent
    for one in order:
        one.begun = True  # the roll has used it up (AM-OPP-09)
        queue = rnd.roles[one.actor].queue
        if one in queue:
            queue.remove(one)
        if one is intent:
            rnd.under_way = None
        rnd.moment = mine if one is intent else Moment(rnd.fight.unit(one.actor))
        beaten = place > 0 if one is intent else order.index(one) > place
        if beaten and _renounces(rnd, one):
            lose(rnd, one, "declined", "AM-OPP-12")
        else:
            _do(rnd, one)
    rnd.under_way = None
    rnd.moment = mine


def _renounces(rnd: Round, intent: Intent) -> bool:
    """Whether one who is beaten gives the action up rather than act late (AM-OPP-12)."""
    if _impossible(rnd, intent)[0]:
        return False
    name = rnd.fight.unit(intent.actor)
    order = rnd.order(name, "late")
    if order is not None:
        return "renounce" in order.flags
    answer = rnd.ask(
        Question(
            label=rnd.label(f"{name}.late"),
            who=name,
            options=("act", "renounce"),
            default="act",
            rule="AM-OPP-12",
            facts={"action": intent.action.id},
        )
    )
    return answer == "renounce"


# ------------------------------------------------------------------ actions held back


def _waits(rnd: Round, intent: Intent) -> bool:
    """Whether an action is still held back (AM-OPP-01, AM-OPP-07, AM-OPP-16)."""
    timing = intent.declaration.timing
    return timing is not None and not _met(rnd, intent, timing)


def _met(rnd: Round, intent: Intent, timing: Timing) -> bool:
    """Whether what a held action waits for has come."""
    fight = rnd.fight
    name = fight.find(timing.name) if timing.name else ""
    if timing.kind == "before":
        return False  # only the one it waits for lets it go
    if timing.kind == "after":
        other = fight.unit(name) if name else ""
        return other not in fight.order or rnd.roles[other].over
    return _EVENTS[timing.event](rnd, intent, name or intent.actor)


def _has_fallen(rnd: Round, _: Intent, name: str) -> bool:
    return rnd.who(name).down


def _is_attacked(rnd: Round, _: Intent, name: str) -> bool:
    return bool(rnd.who(rnd.fight.unit(name)).attacked_by)


def _is_near(rnd: Round, intent: Intent, name: str) -> bool:
    who, other = rnd.who(intent.actor), rnd.who(name)
    known = who.position is not None and other.position is not None
    return not known or within_reach(rnd.fight, who, other)


def _in_range(rnd: Round, intent: Intent, name: str) -> bool:
    """Whether somebody stands within extreme range of the weapon in hand."""
    who, other = rnd.who(intent.actor), rnd.who(name)
    weapon = intent.weapon or missile_of(who)
    if weapon is None or not weapon.missile:
        return True
    return rnd.fight.distance(who, other) <= extreme_range(rnd.fight, weapon)


_EVENTS: Final[Mapping[str, Callable[[Round, Intent, str], bool]]] = {
    "falls": _has_fallen,
    "attacked": _is_attacked,
    "in_range": _in_range,
    "enters_reach": _is_near,
}


def _pending(rnd: Round) -> list[Intent]:
    """Actions held back whose moment may come, highest initiative first."""
    found = [
        intent
        for role in rnd.roles.values()
        for intent in role.queue
        if intent.declaration.timing is not None and rnd.waits(intent)
    ]
    return sorted(found, key=lambda one: (rnd.fight.rank(one.actor), one.place))


def _let_go(rnd: Round) -> None:
    """Held actions whose moment has come go off, the highest initiative first (AM-OPP-05).

    What they waited for has been done before them: a delay interrupts nothing (AM-OPP-02).
    """
    while rnd.holds_back:
        ready = next((one for one in _pending(rnd) if not _waits(rnd, one)), None)
        if ready is None:
            return
        mine = rnd.moment
        rnd.moment = Moment(rnd.fight.unit(ready.actor))
        perform(rnd, ready)
        rnd.moment = mine


# ------------------------------------------------------------------ the end of the round


def bleeding(rnd: Round) -> None:
    """A Light Wound every so many rounds (AM-DMG-15)."""
    for who in list(rnd.fight.cast.values()):
        if not who.bleeding or who.dead:
            continue
        rounds: list[int] = []
        wounds = 0
        for one in who.bleeding:
            count = one.rounds if one.fresh else one.rounds + 1
            due = _due(rnd, one.level)
            if due and count >= due:
                wounds, count = wounds + 1, 0
            rounds.append(count)
        rnd.emit(Bleed(actor=who.name, rounds=tuple(rounds), rule="AM-DMG-15"))
        for _ in range(wounds):
            rnd.emit(
                Wound(
                    target=who.name,
                    level="light",
                    kind="wound",
                    cause="bleeding",
                    rule="AM-DMG-15",
                )
            )


def _due(rnd: Round, level: str) -> int:
    return 0 if level == "minor" else rnd.tables.figure(f"bleeding_{level}")


def exposure(rnd: Round) -> None:
    """How many rounds in a row somebody has been in the fire or the cold (AM-ELE-09)."""
    for who in list(rnd.fight.cast.values()):
        now = rnd.exposed_to.get(who.name, ())
        for kind in ("heat", "cold"):
            before = who.exposure.get(kind, 0)
            after = before + 1 if kind in now else 0
            if after != before:
                rnd.emit(Exposure(actor=who.name, kind=kind, rounds=after, rule="AM-ELE-09"))


def carrying(rnd: Round) -> None:
    """What still waits is carried into the next round (AM-OPP-04)."""
    for name, role in rnd.roles.items():
        who = rnd.who(name)
        kinds = {"quick" if one.quick else "regular" for one in role.queue if rnd.waits(one)}
        role.queue.clear()
        if not kinds or who.out:
            continue
        kinds |= {"regular", "quick"} if who.delayed == "both" else {who.delayed} - {""}
        kind = "both" if len(kinds) > 1 else kinds.pop()
        if kind != who.delayed:
            rnd.emit(Carried(actor=name, kind=kind, rule="AM-OPP-04"))


def first_strike(rnd: Round) -> None:
    """It passes to the highest Attack Total of each sub-combat (AM-INI-08, D4)."""
    for group in _sub_combats(rnd):
        totals = [(t, n) for n, _, t in rnd.totals if n in group and not rnd.who(n).dead]
        if not totals:
            continue
        highest = max(total for total, _ in totals)
        best = {name for total, name in totals if total == highest}
        holders = [name for name in rnd.fight.order if name in group and rnd.who(name).first_strike]
        kept = next((name for name in holders if name in best), "")
        winner = kept or min(best, key=rnd.fight.rank)
        lost = tuple(name for name in holders if name != winner)
        if lost or winner not in holders:
            rnd.emit(FirstStrike(actor=winner, lost=lost, rule="AM-INI-08"))


def _sub_combats(rnd: Round) -> list[list[str]]:
    """Those linked by an attack of the round, or engaged and in condition to act."""
    fight = rnd.fight
    group = {name: name for name in fight.order}

    def root(name: str) -> str:
        while group[name] != name:
            name = group[name]
        return name

    pairs: Iterable[tuple[str, str]] = (
        (name, other)
        for name in fight.order
        for other in fight.cast[name].engaged
        if not fight.cast[name].out and not fight.cast[other].out
    )
    for one, other in (*rnd.links, *pairs):
        if one in group and other in group:
            group[root(one)] = root(other)
    found: dict[str, list[str]] = {}
    for name in fight.order:
        found.setdefault(root(name), []).append(name)
    return list(found.values())


def order_told(rnd: Round) -> None:
    """The moments in which somebody did something."""
    rnd.emit(ActionOrder(order=tuple(rnd.moments), rule="AM-RND-01"))


PHASES: Final[tuple[Callable[[Round], None], ...]] = (
    places,
    opening_commands,
    turns,
    closing_commands,
    bleeding,
    exposure,
    carrying,
    first_strike,
    order_told,
)
