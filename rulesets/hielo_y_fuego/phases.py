"""The course of a round (catalogue 3.1): initiative, then turns with delays and interruptions.

``open_round`` is what happens before anybody declares; ``PHASES`` is all that comes after the lock,
read from top to bottom.
"""

from collections.abc import Callable
from typing import Final

from rulesets.core.declarations import Timing
from rulesets.hielo_y_fuego.actions import ACTIONS
from rulesets.hielo_y_fuego.changes import UNTIL_TURN
from rulesets.hielo_y_fuego.declared import Intent, Size
from rulesets.hielo_y_fuego.declaring import Desk, intended, look, look_again
from rulesets.hielo_y_fuego.events import (
    ActionOrder,
    Destiny,
    Initiative,
    Interrupt,
    RoundOpened,
    TurnOrder,
    TurnStarted,
)
from rulesets.hielo_y_fuego.fight import Character
from rulesets.hielo_y_fuego.holds import conflict, unkept
from rulesets.hielo_y_fuego.others import recovered
from rulesets.hielo_y_fuego.pools import ability_pool, tried
from rulesets.hielo_y_fuego.turn import Round, gain, lose, shed, tell_lost

# What lasts until the end of one's own next turn (catalogue 3.2).
UNTIL_END: Final = frozenset({"aiming", "distracted", "staggered"})
BONDING: Final = frozenset({"harass", "assist"})
SENSELESS: Final = frozenset({"stunned", "unconscious"})
MOST_TIES: Final = 100  # rolls of one tie; beyond that the cast's order settles it
FALLEN: Final = frozenset({"prone", "unconscious", "defeated", "dead"})


# ------------------------------------------------------------------ before declarations


def open_round(rnd: Round) -> None:
    """A new round: who is surprised, and initiative where it is rolled (HF-RND-02, HF-RND-03)."""
    fight = rnd.fight
    rnd.emit(RoundOpened(number=fight.round + 1, rule="HF-RND-02"))
    if fight.round == 0:
        for name in fight.scene.surprised:
            if not rnd.who(name).out:
                gain(rnd, name, "surprised", "HF-RND-03")
    if fight.round == 0 or rnd.options.initiative_each_round:
        _initiative(rnd)


def _initiative(rnd: Round) -> None:
    """Everybody's Agility, the highest first (HF-INI-01 to -03)."""
    fight = rnd.fight
    settled = {} if rnd.options.initiative_each_round else fight.scene.initiative
    totals: dict[str, int] = {}
    for who in list(fight.cast.values()):
        if who.sheet.is_mount or who.out:
            continue
        if settled:
            # Whom the scene forgets comes last: nobody rolls where it has settled who goes first.
            total = settled.get(who.name, min(settled.values()) - 1)
            totals[who.name] = total
            rnd.emit(Initiative(actor=who.name, total=total, rule="HF-INI-01"))
        else:
            totals[who.name] = _rolled(rnd, who)
    order = _ranked(rnd, totals, rolls=not settled)
    rnd.emit(TurnOrder(order=tuple(order), rule="HF-INI-01"))


def _rolled(rnd: Round, who: Character, *, again: bool = False) -> int:
    """An Agility test with the quickness dice (HF-INI-01)."""
    pool = ability_pool(rnd, who, "agility", "initiative", ("quickness",))
    attempt = tried(rnd, who, "initiative", pool)
    parts = {"dice": 0 if attempt.roll is None else attempt.roll.value}
    if attempt.roll is not None:
        for one in pool.flat:
            parts[one.source] = parts.get(one.source, 0) + one.value
    rnd.emit(
        Initiative(
            actor=who.name,
            total=attempt.total,
            parts=parts,
            label=attempt.label,
            again=again,
            rule="HF-INI-03" if again else "HF-INI-01",
        )
    )
    return attempt.total


def _ranked(rnd: Round, totals: dict[str, int], *, rolls: bool) -> list[str]:
    """From the highest to the lowest; ties by quickness (HF-INI-02), then by new rolls."""
    cast = rnd.fight.cast

    def key(name: str) -> tuple[int, int]:
        return -totals[name], -cast[name].sheet.bonus("quickness")

    order: list[str] = []
    for tied in _groups(list(totals), key):
        order.extend(_tie_broken(rnd, tied, MOST_TIES if rolls else 0))
    return order


def _groups(names: list[str], key: Callable[[str], tuple[int, int]]) -> list[list[str]]:
    """Names in the order of their key, those of one key together, in the order of the cast."""
    found: dict[tuple[int, int], list[str]] = {}
    for name in names:
        found.setdefault(key(name), []).append(name)
    return [found[each] for each in sorted(found)]


def _tie_broken(rnd: Round, tied: list[str], most: int) -> list[str]:
    """Those still tied roll again among themselves (HF-INI-03)."""
    if len(tied) == 1 or not most:
        return tied
    again = {name: _rolled(rnd, rnd.who(name), again=True) for name in tied}
    order: list[str] = []
    for group in _groups(tied, lambda name: (-again[name], 0)):
        order.extend(_tie_broken(rnd, group, most - 1))
    return order


# ------------------------------------------------------------------ turns


def turns(rnd: Round) -> None:
    """Everybody's turn, from the highest initiative to the lowest, delays applied (HF-INI-04)."""
    Turns(rnd).run()


class Turns:
    """The turns of a round: whose place has come, and who waits for what."""

    def __init__(self, rnd: Round) -> None:
        """Begin before the first turn."""
        self.rnd = rnd
        self.waiting: list[str] = []
        _look_ahead(rnd)

    def run(self) -> None:
        """Each at his place, or right after what he waits for."""
        for name in self.rnd.fight.order:
            if self._waits(name):
                self.waiting.append(name)
                self._break_circle(name)
            else:
                self._take(name)
        while self.waiting:
            self._take(self._last(), forced=True)

    # --- delays

    def _timings(self, name: str) -> list[Timing]:
        queue = self.rnd.roles[name].queue
        found = [intent.declaration.timing for intent in queue]
        return [timing for timing in found if timing is not None and timing.kind != "before"]

    def _waits(self, name: str) -> bool:
        """Whether somebody's turn is held back now."""
        return self.rnd.delays and any(
            not self._met(name, timing) for timing in self._timings(name)
        )

    def _met(self, name: str, timing: Timing) -> bool:
        other = self.rnd.fight.find(timing.name)
        if timing.kind == "after":
            return other == name or other not in self.rnd.fight.order or self._done(other)
        if timing.event == "falls":
            return bool(other) and not FALLEN.isdisjoint(self.rnd.who(other).conditions)
        return self.rnd.roles[other or name].attacked

    def _done(self, name: str) -> bool:
        return self.rnd.roles[name].acted

    def _break_circle(self, name: str) -> None:
        """Of those who wait for each other in a circle, the first in initiative goes."""
        circle = [name]
        while True:
            awaited = self._awaited(circle[-1])
            if not awaited:
                return
            if awaited in circle:
                circle = circle[circle.index(awaited) :]
                break
            circle.append(awaited)
        order = self.rnd.fight.order
        self._take(min(circle, key=order.index))

    def _awaited(self, name: str) -> str:
        """Whom somebody waits for who is waiting too, or an empty string."""
        for timing in self._timings(name):
            if timing.kind == "after" and not self._met(name, timing):
                other = self.rnd.fight.find(timing.name)
                return other if other in self.waiting else ""
        return ""

    def _last(self) -> str:
        """Who goes when all the others have acted: those who wait for an event first."""
        for name in self.waiting:
            if not any(t.kind == "after" and not self._met(name, t) for t in self._timings(name)):
                return name
        return self.waiting[0]

    # --- a turn

    def _take(self, name: str, *, forced: bool = False) -> None:
        """A turn, and then the turns of those who waited for it."""
        if name in self.waiting:
            self.waiting.remove(name)
        unmet: set[int] = set()
        if forced:
            unmet = {
                id(intent)
                for intent in self.rnd.roles[name].queue
                if (timing := intent.declaration.timing) is not None
                and timing.kind == "when"
                and not self._met(name, timing)
            }
        take_turn(self.rnd, name, unmet)
        self._release()

    def _release(self) -> None:
        """Turns whose wait is over come right now, in initiative order."""
        while True:
            ready = next((name for name in self.waiting if not self._waits(name)), None)
            if ready is None:
                return
            self._take(ready)


def _look_ahead(rnd: Round) -> None:
    """What nobody has declared needs not be looked for in every turn."""
    roles = rnd.roles.values()
    queued = [intent for role in roles for intent in role.queue]
    early = [intent for role in roles for some in role.before.values() for intent in some]
    rnd.delays = any(intent.declaration.timing is not None for intent in queued)
    rnd.interrupts = bool(early)
    fallbacks = [one.declaration.fallback for one in (*queued, *early)]
    verbs = {intent.action.id for intent in (*queued, *early)}
    verbs |= {one.verb for one in fallbacks if one is not None}
    rnd.bonds = not verbs.isdisjoint(BONDING) or any(
        who.harassers or who.helps for who in rnd.fight.cast.values()
    )


def take_turn(rnd: Round, name: str, unmet: set[int]) -> None:
    """One turn (catalogue 3.1, step 5); ``unmet`` are actions whose event did not come."""
    role = rnd.roles[name]
    if rnd.interrupts and not rnd.who(name).out:
        _interruptions(rnd, name)
    if rnd.who(name).out:
        _all_lost(rnd, role.queue)
        role.acted = True
        return
    _begin(rnd, name)
    who = rnd.who(name)
    if not SENSELESS.isdisjoint(who.conditions):
        recovered(rnd, name)
    if _stopped(rnd, name):
        _all_lost(rnd, role.queue)
    else:
        if role.queue:
            rnd.order.append(name)
        while role.queue:
            intent = role.queue.pop(0)
            if id(intent) in unmet:
                lose(rnd, intent, "condition_not_met", "HF-INI-06")
                _instead(rnd, intent)
            else:
                perform(rnd, intent)
    role.acted = True
    _end(rnd, name)
    rnd.turn_of = ""


def _stopped(rnd: Round, name: str) -> bool:
    who = rnd.who(name)
    stunned = "stunned" in who.conditions and not rnd.options.stunned_can_act
    return who.senseless or stunned


def _all_lost(rnd: Round, queue: list[Intent]) -> None:
    while queue:
        lose(rnd, queue.pop(0), "cannot_act", "HF-ACT-06")


def _begin(rnd: Round, name: str) -> None:
    """What lasted until this turn is over (step 5b)."""
    who = rnd.who(name)
    role = rnd.roles[name]
    rnd.turn_of, role.moved, role.attacks, role.kept_pin = name, False, 0, False
    if (
        not UNTIL_TURN.isdisjoint(who.conditions)
        or who.lowered
        or who.may_interrupt
        or (rnd.bonds and _binds(rnd, name))
    ):
        rnd.emit(TurnStarted(actor=name, rule="HF-RND-02"))
        who = rnd.who(name)
    role.ending = who.conditions & UNTIL_END


def _binds(rnd: Round, name: str) -> bool:
    """Whether somebody is harassed by him, or has help of his to spend."""
    return any(
        name in other.harassers or any(help_.helper == name for help_ in other.helps)
        for other in rnd.fight.cast.values()
    )


def _end(rnd: Round, name: str) -> None:
    """What lasts until the end of his turn ends; a pin is kept or is a grab again (step 5e)."""
    role = rnd.roles[name]
    for condition in sorted(role.ending):
        shed(rnd, name, condition, "HF-RND-02")
    role.ending = frozenset()
    if not rnd.options.aim_carry:
        shed(rnd, name, "aiming", "HF-ADV-04")
    unkept(rnd, name)


# ------------------------------------------------------------------ actions


def perform(rnd: Round, intent: Intent) -> None:
    """Do one action; one that has become impossible is lost, or gives way to its fallback."""
    who = rnd.who(intent.actor)
    if who.senseless:
        lose(rnd, intent, "cannot_act", "HF-ACT-06")
        return
    # Nothing has changed about him since it was checked: it can still be done. A pin is the one
    # thing that hangs on somebody else.
    unchanged = who is intent.seen and intent.action.id != "keep_pin"
    refusal = None if unchanged else look_again(Desk.of(rnd.fight, who), intent)
    if refusal is not None:
        lose(rnd, intent, refusal.code, refusal.rule)
    elif intent.extra and not who.destiny_points:
        lose(rnd, intent, "no_destiny_points", "HF-OTH-19")
    else:
        _do(rnd, intent)
    _instead(rnd, intent)


def _do(rnd: Round, intent: Intent) -> None:
    if intent.extra:
        left = rnd.who(intent.actor).destiny_points - 1
        rnd.emit(Destiny(actor=intent.actor, use="extra_minor", left=left, rule="HF-OTH-20"))
    if intent.action.attack:
        rnd.roles[intent.actor].attacks += 1
    intent.action.perform(rnd, intent)


def _instead(rnd: Round, intent: Intent) -> None:
    """The fallback of a lost action, if its kind is not larger and it can be done (HF-ACT-05)."""
    if intent.why is None:
        return
    fallback = _fallback(rnd, intent)
    if fallback is None:
        tell_lost(rnd, intent, *intent.why)
    else:
        intent.why = None
        perform(rnd, fallback)


def _fallback(rnd: Round, intent: Intent) -> Intent | None:
    declaration = intent.declaration.fallback
    if declaration is None or declaration.verb not in ACTIONS:
        return None
    fields = ACTIONS[declaration.verb].verb.fields
    kept = {
        name: value
        for name, value in intent.declaration.fields.items()
        if name in fields and name != "destiny"
    }
    own = type(declaration)(
        actor=intent.actor,
        kind=declaration.kind,
        verb=declaration.verb,
        fields={**kept, **declaration.fields},
        flags=declaration.flags,
        words=intent.declaration.words,
    )
    desk = Desk.of(rnd.fight, rnd.who(intent.actor))
    desk.passing = True
    role = rnd.roles[intent.actor]
    # The lost action was counted as an attack itself, where it was one and had begun.
    others = sum(desk.is_attack(other) for other in role.queue)
    found = intended(desk, own, ACTIONS)
    if found.size > intent.size or (others and desk.is_attack(found)):
        return None
    if intent.size is Size.NONE and found.size is not Size.NONE:
        return None
    return None if look(desk, found) is not None else found


# ------------------------------------------------------------------ interruptions


def _interruptions(rnd: Round, name: str) -> None:
    """Attempts to act before somebody, the highest initiative first (HF-ADV-01)."""
    for other in rnd.fight.order:
        intents = rnd.roles[other].before.pop(name, [])
        if intents and _may(rnd, other) and not rnd.who(name).out:
            _interrupt(rnd, other, name, intents)


def _may(rnd: Round, name: str) -> bool:
    who = rnd.who(name)
    return who.may_interrupt and not who.senseless and not who.pinned


def _interrupt(rnd: Round, name: str, target: str, intents: list[Intent]) -> None:
    won = conflict(rnd, (name, target), "interrupt", "agility", "quickness", "HF-ADV-01")
    result = "success" if won else "failure"
    rnd.emit(Interrupt(actor=name, target=target, result=result, rule="HF-ADV-01"))
    if not won:
        return
    role = rnd.roles[name]
    rnd.turn_of, role.moved = name, False
    for intent in intents:
        perform(rnd, intent)
    rnd.turn_of = ""


# ------------------------------------------------------------------ the end


def conclusion(rnd: Round) -> None:
    """Surprise is over with the first round; who has acted is told (catalogue 3.1)."""
    if rnd.fight.round == 1:
        for name in list(rnd.fight.cast):
            shed(rnd, name, "surprised", "HF-RND-03")
    rnd.emit(ActionOrder(order=tuple(rnd.order), rule="HF-RND-02"))


PHASES: Final[tuple[Callable[[Round], None], ...]] = (turns, conclusion)
