"""Checking declarations before anything is rolled (catalogue sections 6 and 7.3).

All tags of a round are read before any is checked, because some codes look at what the others
declare. Each tag is checked on its own, in the order written, against what has been accepted of
the same character before it (its ``Desk``); a refused tag costs nothing and the rest stand.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from rulesets.aquelarre.declared import BUDGET, Action, Class, Intent, Refusal, Ward
from rulesets.aquelarre.fight import Character, Fight
from rulesets.aquelarre.turn import Role
from rulesets.core.declarations import Declaration, Kind, fold
from rulesets.core.questions import Rejection

# Standing orders (catalogue section 3): verbs that name a defence.
PREFERRED: Final = ("parry", "shield_parry", "dodge")
# What the vocabulary makes of the word for a shield, whatever shield it is.
SHIELD_WORDS: Final = ("shield",)


@dataclass(slots=True)
class Desk:
    """What has been accepted of one character so far in this round.

    Attributes:
        declared: Every action declared in the round, by character, accepted or not.
        spent: Normal actions used up.
        movements: Movements that stand before.
        moved: A movement that may change its place stands before.
        closed_in: A closing-in stands before.
        attacked: An attack stands before.
        stepped, squeezed: What may be done once a round has been.
        rising: Getting up stands before.
        defences: Kinds of defences that stand before.
        drawn: Weapons and shields that an earlier action draws.
        thrown: Weapons that an earlier attack throws.
        loads: Actions still needed by weapons that earlier actions shoot or reload.
        mounted, in_melee, in_guard: As the actions before will have left it.
    """

    fight: Fight
    actor: Character
    actions: Mapping[str, Action]
    declared: Mapping[str, Sequence[Declaration]]
    spent: int = 0
    movements: int = 0
    moved: bool = False
    closed_in: bool = False
    attacked: bool = False
    rising: bool = False
    stepped: bool = False
    squeezed: bool = False
    defences: list[str] = field(default_factory=list)
    drawn: list[str] = field(default_factory=list)
    thrown: list[str] = field(default_factory=list)
    loads: dict[str, int] = field(default_factory=dict)
    mounted: bool = False
    in_melee: bool = False
    in_guard: bool = False
    wards: int = 0

    def refuse(
        self, code: str, rule: str, cure: Declaration | None = None, **facts: object
    ) -> Refusal:
        """A refusal with what its message needs."""
        return Refusal(code, rule, facts, cure)

    def to_enemy(self, name: str) -> int:
        """Varas to another character as things stand."""
        return self.fight.distance(self.actor, self.fight.cast[name])


def _desk(
    fight: Fight,
    name: str,
    actions: Mapping[str, Action],
    declared: Mapping[str, Sequence[Declaration]],
) -> Desk:
    who = fight.cast[name]
    return Desk(
        fight=fight,
        actor=who,
        actions=actions,
        declared=declared,
        mounted="mounted" in who.conditions,
        in_melee=bool(who.melee_with),
        in_guard="full_guard" in who.conditions,
    )


def parry_kind(desk: Desk, declaration: Declaration, verb: str) -> str:
    """A parry with the shield is a shield parry (catalogue section 3)."""
    if verb != "parry":
        return verb
    word = declaration.get("weapon")
    own = desk.actor.shield
    named = own is not None and bool(word) and fold(word) == fold(own.name)
    return "shield_parry" if named or word in SHIELD_WORDS else verb


def weigh(
    fight: Fight, declarations: Iterable[Declaration], actions: Mapping[str, Action]
) -> tuple[dict[str, Role], list[Rejection]]:
    """Roles of everybody with what was accepted, and the refusals in the order posted."""
    roles = {name: Role(name) for name in fight.cast}
    declared: dict[str, list[Declaration]] = {}
    listed = list(declarations)
    for declaration in listed:
        if declaration.kind is Kind.ACTION:
            declared.setdefault(declaration.actor, []).append(declaration)
    desks: dict[str, Desk] = {}
    rejections: list[Rejection] = []
    for declaration in listed:
        name = declaration.actor
        if name not in roles:
            rejections.append(Rejection("unknown_target", declaration, "AQ-RND-01"))
            continue
        if declaration.kind is Kind.STANDING:
            rejected = _stand(fight, roles[name], declaration)
            if rejected is not None:
                rejections.append(rejected)
            continue
        if declaration.kind is not Kind.ACTION:
            continue
        desk = desks.get(name)
        if desk is None:
            desk = desks[name] = _desk(fight, name, actions, declared)
        _declare(desk, roles[name], declaration, rejections)
    return roles, rejections


def _declare(desk: Desk, role: Role, declaration: Declaration, rejections: list[Rejection]) -> None:
    """Check one action and, if it stands, enter it."""
    action = desk.actions.get(parry_kind(desk, declaration, declaration.verb))
    if action is None:
        facts = {"given": declaration.verb}
        rejections.append(Rejection("unknown_action", declaration, "AQ-OTH-11", facts))
        return
    intent = Intent(declaration, action, declaration.actor, action.cost)
    refusal = look(desk, intent)
    if refusal is not None:
        rejections.append(
            Rejection(refusal.code, declaration, refusal.rule, refusal.facts, refusal.cure)
        )
        return
    if declaration.fallback is not None:
        if desk.fight.options.allow_fallback:
            intent.fallback = _fallback(desk, declaration.fallback)
        else:
            rejections.append(Rejection("fallback_not_allowed", declaration, "AQ-RND-11"))
    enter(desk, role, intent)


def _fallback(desk: Desk, declaration: Declaration) -> Intent | None:
    """The fallback of an action, where the table allows it (D-33) and it could stand itself."""
    action = desk.actions.get(declaration.verb)
    if action is None:
        return None
    intent = Intent(declaration, action, declaration.actor, action.cost)
    return None if look(desk, intent) is not None or intent.reactive else intent


def look(desk: Desk, intent: Intent) -> Refusal | None:
    """The first thing that is wrong with a declaration, in the order of catalogue 7.3.

    The budget comes last (AQ-RND-02, AQ-RND-03): what is refused for another reason costs nothing.
    """
    refusal = _state(desk, intent)
    if refusal is not None:
        return refusal
    for check in intent.action.looks:
        refusal = check(desk, intent)
        if refusal is not None:
            return refusal
    if desk.spent + intent.cost.value > BUDGET:
        return desk.refuse("too_many_actions", "AQ-RND-02", limit=BUDGET, spent=desk.spent)
    return None


def _state(desk: Desk, intent: Intent) -> Refusal | None:
    """Nobody out of the fight acts; who is held can only try to break free, or speak."""
    who = desk.actor
    if not who.able or who.name not in desk.fight.initiative:
        return desk.refuse("incapacitated", "AQ-RND-13")
    if who.held_by and intent.action.id not in ("break_free", "free_action"):
        return desk.refuse("immobilised", "AQ-ATK-27", holder=who.held_by)
    return None


def enter(desk: Desk, role: Role, intent: Intent) -> None:
    """Put an accepted action on the desk and in its owner's role."""
    inner = intent.inner or intent.action
    desk.spent += intent.cost.value
    if inner.klass is Class.MOVEMENT:
        desk.movements += 1
        desk.closed_in = desk.closed_in or inner.id == "close_in"
        desk.moved = desk.moved or intent.action.moves
    elif inner.klass is Class.ATTACK:
        desk.attacked = True
        _shot(desk, intent)
        if inner.id == "quick_attack":
            role.quick += 1
    elif inner.klass is Class.DEFENCE:
        desk.defences.append(intent.action.id)
    leaves = _LEAVES.get(inner.id)
    if leaves is not None:
        name, value = leaves
        setattr(desk, name, value)
    elif inner.id == "draw":
        desk.drawn.extend(intent.items)
    elif inner.id == "reload":
        weapon = intent.arms.name
        left = desk.loads.get(weapon, desk.actor.reload_left.get(weapon, 0))
        desk.loads[weapon] = max(0, left - 1)
    _lay_by(desk, role, intent)


# What an action, once accepted, leaves for the tags after it to reckon with.
_LEAVES: Final[Mapping[str, tuple[str, bool]]] = {
    "stand_up": ("rising", True),
    "mount": ("mounted", True),
    "dismount": ("mounted", False),
    "close_in": ("in_melee", True),
    "squeeze": ("squeezed", True),
    "disengage": ("in_melee", False),
    "break_free": ("in_melee", False),
    "full_guard": ("in_guard", True),
    "leave_guard": ("in_guard", False),
    "step": ("stepped", True),
}


def _shot(desk: Desk, intent: Intent) -> None:
    weapon = intent.weapon
    if weapon is None:
        return
    if weapon.missile:
        desk.loads[weapon.name] = weapon.reload
    elif intent.throws:
        desk.thrown.append(weapon.name)


def _lay_by(desk: Desk, role: Role, intent: Intent) -> None:
    """Defences wait for their attack; the rest waits for its turn."""
    inner = intent.inner or intent.action
    if inner.wards is not None:
        wards: tuple[Ward, ...] = inner.wards(desk, intent)
        for ward in wards:
            ward.order = desk.wards
            desk.wards += 1
            role.wards.append(ward)
    if inner.id == "set_spear":
        role.spear = intent
    elif inner.id == "shield_cover":
        role.shield_to_place = intent
    elif not intent.reactive:
        role.queue.append(intent)


# ------------------------------------------------------------------ standing orders


def _stand(fight: Fight, role: Role, declaration: Declaration) -> Rejection | None:
    """Enter a standing order: it spends nothing and creates no defence (AQ-RND-08)."""
    verb = declaration.verb
    if verb == "double_attack":
        role.second_blow = fold(declaration.get("blow")) == "second"
        return None
    if verb == "let_flee":
        role.lets_go = True
        return None
    names = declaration.names("against")
    found = [fight.find(name) for name in names]
    if not all(found):
        unknown = names[found.index("")]
        return Rejection(
            "unknown_target",
            declaration,
            "AQ-RND-08",
            {"given": unknown, "candidates": tuple(fight.cast)},
        )
    if verb == "no_defence":
        role.spares |= set(found)
        role.spares_all = role.spares_all or not found
    elif verb in PREFERRED:
        role.prefers = (*role.prefers, (verb, tuple(found)))
    else:
        return Rejection("unknown_action", declaration, "AQ-RND-08", {"given": verb})
    return None
