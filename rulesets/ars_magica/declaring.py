"""Checking declarations before anything is rolled (catalogue sections 4.3 and 12).

Characters are taken in initiative order, a rider together with his mount, and their tags as
written. Each is checked against its own state as the accepted ones before it will have left it
(its ``Desk``); a refused tag spends nothing, and its fallback stands in for it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from rulesets.ars_magica.declared import Action, Class, Cost, Intent, Refusal
from rulesets.ars_magica.fight import Character, Fight
from rulesets.ars_magica.turn import Role
from rulesets.core.declarations import Declaration, Kind
from rulesets.core.questions import Rejection
from rulesets.core.state import changed

MOST_QUICK: Final = 4  # AM-RND-04
# What the rider of a horse in panic may do (AM-MNT-30).
IN_PANIC: Final = frozenset({"control_mount", "leap", "fall_off", "cease"})
# A spell may be cast while an extended action goes on (AM-RND-12).
MEANWHILE: Final = frozenset({"cease", "cast", "fall_off"})
ON_HORSE: Final = {"charge": "mounted_charge"}
MOVES: Final = frozenset({"move", "retreat", "flee"})


@dataclass(slots=True)
class Desk:
    """What has been accepted of one character so far in this round.

    Attributes:
        who: The character as its accepted actions will have left it.
        spent: The regular action is used up; ``extending`` by an extended one.
        quick: Quick actions accepted.
        attacked, moved: What stands before.
        charged: A mount that carries a charge.
        half_rate: An archer has shot from cover (AM-MIS-06).
        ready_before: An arrow was on the string when the round began.
        carried: What is left of the action carried over: ``regular``, ``quick``.
    """

    fight: Fight
    who: Character
    ready_before: bool
    spent: bool = False
    extending: bool = False
    quick: int = 0
    attacked: bool = False
    moved: bool = False
    charged: bool = False
    half_rate: bool = False
    carried: set[str] = field(default_factory=set)
    mount: "Desk | None" = None

    def refuse(self, code: str, rule: str, **facts: object) -> Refusal:
        """A refusal with what its message needs."""
        return Refusal(code, rule, facts)

    def becomes(self, **fields: object) -> None:
        """His state after an accepted action."""
        self.who = changed(self.who, **fields)


def desk_of(fight: Fight, name: str) -> Desk:
    """A desk for somebody at the start of the round.

    An extended action that his turn will complete counts as done, and a crossbow as loaded.
    """
    who = fight.cast[name]
    going = who.extended
    if going is not None and going.ends_next:
        loaded = who.loaded or going.action == "span"
        who = changed(who, extended=None, loaded=loaded)
    carried = {"regular", "quick"} if who.delayed == "both" else {who.delayed} - {""}
    return Desk(fight, who, who.ready, carried=carried)


# ------------------------------------------------------------------ all tags of a round


def weigh(
    fight: Fight, declarations: Sequence[Declaration], actions: Mapping[str, Action]
) -> tuple[dict[str, Role], list[Intent], list[Rejection]]:
    """Roles of everybody with what was accepted, all accepted actions, and the refusals."""
    roles = {name: Role(name) for name in fight.cast}
    rejections: list[Rejection] = []
    by_unit: dict[str, list[tuple[int, Declaration]]] = {}
    for place, declaration in enumerate(declarations):
        name = declaration.actor
        if declaration.kind is Kind.COMMAND:
            continue
        if name not in roles:
            facts = {"given": name, "candidates": tuple(fight.cast)}
            rejections.append(Rejection("unknown_target", declaration, "AM-RND-01", facts))
        elif declaration.kind is Kind.STANDING:
            _stand(roles[name], declaration)
        else:
            by_unit.setdefault(fight.unit(name), []).append((place, declaration))
    clerk = _Clerk(fight, actions, roles, rejections)
    for unit in sorted(by_unit, key=lambda name: (fight.rank(name), name)):
        for place, declaration in by_unit[unit]:
            clerk.take(place, declaration)
    return roles, clerk.accepted, rejections


def _stand(role: Role, declaration: Declaration) -> None:
    """A standing order: the newest of its kind stays; ``ninguna`` drops them all."""
    if declaration.verb == "none":
        role.orders.clear()
    else:
        role.orders[declaration.verb] = declaration


class _Clerk:
    """Takes the tags of everybody, each with a desk of its own."""

    def __init__(
        self,
        fight: Fight,
        actions: Mapping[str, Action],
        roles: dict[str, Role],
        rejections: list[Rejection],
    ) -> None:
        self.fight = fight
        self.actions = actions
        self.roles = roles
        self.accepted: list[Intent] = []
        self.rejections = rejections
        self.desks: dict[str, Desk] = {}

    def desk(self, name: str) -> Desk:
        """The desk of somebody; a rider's knows his mount's, which acts besides.

        Carrying a charge is a mount's action (AM-MNT-18); else it may do anything (AM-MNT-20).
        """
        desk = self.desks.get(name)
        if desk is None:
            desk = self.desks[name] = desk_of(self.fight, name)
            mount = desk.who.mounted_on
            if mount:
                desk.mount = self.desk(mount)
        return desk

    def take(self, place: int, declaration: Declaration) -> None:
        """Check one declaration; where it is refused, its fallback as if it had been written."""
        if self._accepts(place, declaration) or declaration.fallback is None:
            return
        self._accepts(place, declaration.fallback)

    def _accepts(self, place: int, declaration: Declaration) -> bool:
        desk = self.desk(declaration.actor)
        found = draft(self.actions, declaration, desk.who)
        if found is None:
            facts = {"given": declaration.verb}
            self.rejections.append(Rejection("unknown_verb", declaration, "AM-RND-02", facts))
            return False
        action, actor = found
        desk = self.desk(actor)
        intent = Intent(
            declaration, action, actor, action.cost, place, fallback=declaration.fallback
        )
        refusal = look(desk, intent)
        if refusal is not None:
            self.rejections.append(
                Rejection(refusal.code, declaration, refusal.rule, refusal.facts)
            )
            return False
        enter(desk, intent)
        self.accepted.append(intent)
        self.roles[actor].queue.append(intent)
        return True


def draft(
    actions: Mapping[str, Action], declaration: Declaration, who: Character
) -> tuple[Action, str] | None:
    """The row that a verb means for somebody, and who does it: in the saddle the mount moves."""
    verb, actor = declaration.verb, declaration.actor
    if who.mounted_on:
        verb = ON_HORSE.get(verb, verb)
        if verb in MOVES:
            actor = who.mounted_on
    action = actions.get(verb)
    return None if action is None else (action, actor)


# ------------------------------------------------------------------ one tag


def look(desk: Desk, intent: Intent, *, budget: bool = True) -> Refusal | None:
    """The first thing that is wrong with a declaration: state, timing, its own checks, budget."""
    if intent.action.cost is Cost.REGULAR and intent.has("quick"):
        intent.cost = Cost.QUICK
    refusal = _state(desk, intent)
    if refusal is None and budget:
        refusal = _busy(desk, intent)
    if refusal is None:
        refusal = _timing(desk, intent)
    for check in intent.action.checks:
        if refusal is None:
            refusal = check(desk, intent)
    if refusal is None and budget and not intent.held:
        refusal = _budget(desk, intent)
    return refusal


def _state(desk: Desk, intent: Intent) -> Refusal | None:
    """Pain, stun and a horse in panic, as they are at the start (catalogue 12)."""
    who, action = desk.who, intent.action
    fight = desk.fight
    if fight.unit(who.name) not in fight.initiative:
        return desk.refuse("not_arrived", "AM-INI-04")
    if "blocked" in who.conditions and action.id != "drop_prone":
        return desk.refuse("blocked", "AM-DMG-11")
    if "stunned" in who.conditions and action.klass is Class.ATTACK:
        return desk.refuse("stunned", "AM-DMG-10")
    horse = desk.mount.who if desk.mount is not None and who.mounted_on else who
    if "panicked" in horse.conditions and (horse is who or action.id not in IN_PANIC):
        return desk.refuse("mount_panicked", "AM-MNT-30", name=horse.name)
    return None


def _busy(desk: Desk, intent: Intent) -> Refusal | None:
    """An extended action leaves room for nothing else (AM-RND-06, AM-RND-10)."""
    going = desk.who.extended
    if (going is None and not desk.extending) or intent.action.id in MEANWHILE:
        return None
    if intent.cost is Cost.FREE:
        return None
    if intent.cost is Cost.QUICK:
        return desk.refuse("quick_during_extended", "AM-RND-06")
    return desk.refuse("extended_in_progress", "AM-RND-10")


def _timing(desk: Desk, intent: Intent) -> Refusal | None:
    """Delays and interruptions (AM-RND-08, AM-OPP-04, AM-OPP-07, AM-OPP-15)."""
    timing = intent.declaration.timing
    fight = desk.fight
    if intent.has("delayed"):
        kind = "quick" if intent.cost is Cost.QUICK else "regular"
        if timing is None or kind not in desk.carried or intent.cost is Cost.EXTENDED:
            return desk.refuse("no_delayed_action", "AM-OPP-04")
        intent.held = True
    if timing is None:
        return None
    if intent.cost is Cost.EXTENDED:
        return desk.refuse("extended_cannot_delay", "AM-RND-08")
    name = fight.find(timing.name)
    if timing.name and not name:
        facts = {"given": timing.name, "candidates": tuple(fight.cast)}
        return Refusal("unknown_target", "AM-OPP-01", facts)
    if timing.kind != "before":
        return None
    return _interrupting(desk, intent, fight.unit(name) if name else "")


def _interrupting(desk: Desk, intent: Intent, other: str) -> Refusal | None:
    fight = desk.fight
    me = fight.unit(desk.who.name)
    if not other or other == me:
        return desk.refuse("interrupt_without_delay", "AM-OPP-07", target=other)
    going = fight.cast[other].extended
    if going is not None and not going.ends_next:
        return desk.refuse("extended_already_started", "AM-OPP-15", target=other)
    if not intent.held and fight.rank(me) > fight.rank(other):
        return desk.refuse("interrupt_without_delay", "AM-OPP-07", target=other)
    return None


def _budget(desk: Desk, intent: Intent) -> Refusal | None:
    """What fits in a round (AM-RND-02 to AM-RND-05, AM-MOV-02, AM-MIS-06)."""
    klass = intent.action.klass
    meanwhile = intent.action.id == "cast" and desk.who.extended is not None
    if intent.cost is Cost.FREE or meanwhile:
        return None
    crossed = (klass is Class.ATTACK and desk.moved) or (klass is Class.MOVE and desk.attacked)
    if crossed and not desk.charged:
        return desk.refuse("move_and_attack", "AM-MOV-02")
    if intent.cost is Cost.QUICK:
        return _quick_budget(desk)
    if desk.half_rate:
        return desk.refuse("cover_half_rate", "AM-MIS-06")
    charges = intent.action.id == "mounted_charge" and desk.mount is not None
    if desk.spent or desk.quick > 1 or (charges and desk.mount is not None and desk.mount.spent):
        return desk.refuse("regular_action_spent", "AM-MNT-08" if charges else "AM-RND-02")
    return None


def _quick_budget(desk: Desk) -> Refusal | None:
    """One beside a regular action, four without (AM-RND-03, AM-RND-04)."""
    limit = 1 if desk.spent else MOST_QUICK
    if desk.quick < limit:
        return None
    return desk.refuse("too_many_quick_actions", "AM-RND-03", limit=limit)


def enter(desk: Desk, intent: Intent) -> None:
    """Put an accepted action on the desk."""
    if intent.held:
        desk.carried.discard("quick" if intent.quick else "regular")
        return
    action = intent.action
    if intent.quick:
        desk.quick += 1
    elif intent.cost is not Cost.FREE:
        desk.spent = True
        desk.extending = desk.extending or intent.cost is Cost.EXTENDED
    if action.klass is Class.ATTACK:
        desk.attacked = True
    elif action.klass is Class.MOVE:
        desk.moved = True
    if action.id == "mounted_charge" and desk.mount is not None:
        desk.mount.spent = desk.mount.charged = True
    if intent.declaration.timing is None:
        _foresee(desk, intent)


def _foresee(desk: Desk, intent: Intent) -> None:
    """What his state will be after the action, for those written after it."""
    fields = _LEAVES.get(intent.action.id)
    if fields is not None:
        desk.becomes(**fields(desk, intent))
    if intent.action.id == "shoot":
        desk.half_rate = desk.half_rate or _is_half_rate(intent)
    if not desk.who.mounted_on:
        desk.mount = None


def _drawn(desk: Desk, intent: Intent) -> dict[str, object]:
    shield = desk.fight.tables.shields.get(intent.item)
    return {"shield": shield} if shield else {"wielded": intent.item, "ready": False}


def _dropped(desk: Desk, intent: Intent) -> dict[str, object]:
    return {"wielded": ""} if intent.item == desk.who.wielded else {"shield": None}


def _lies(desk: Desk, _: Intent) -> dict[str, object]:
    return {"conditions": desk.who.conditions | {"prone"}}


def _stands(desk: Desk, _: Intent) -> dict[str, object]:
    return {"conditions": desk.who.conditions - {"prone"}}


def _on_foot(_: Desk, __: Intent) -> dict[str, object]:
    return {"mounted_on": ""}


_LEAVES: Final[Mapping[str, Callable[[Desk, Intent], dict[str, object]]]] = {
    "draw": _drawn,
    "pick_up": _drawn,
    "drop": _dropped,
    "stand_up": _stands,
    "drop_prone": _lies,
    "ready": lambda _, __: {"ready": True},
    "shoot": lambda _, __: {"ready": False, "loaded": False},
    "cease": lambda _, __: {"extended": None},
    "mount": lambda _, intent: {"mounted_on": intent.target},
    "dismount": _on_foot,
    "leap": _on_foot,
    "fall_off": _on_foot,
}


def _is_half_rate(intent: Intent) -> bool:
    """Whether an archer has shot from cover and has no regular action left (AM-MIS-06)."""
    weapon = intent.weapon
    return intent.has("from_cover") and weapon is not None and weapon.kind != "crossbow"
