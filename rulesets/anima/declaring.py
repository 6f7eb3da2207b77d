"""Checking declarations before anything is rolled (catalogue, How an assault runs, step 3).

Each tag is checked on its own, in the order written, against what has been accepted of the same
character before it (its ``Desk``); a refused tag costs nothing and the rest stand. Standing orders
are checked after the actions, because some of them need one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from rulesets.anima.declared import Action, Guard, Intent, Orders, Refusal
from rulesets.anima.fight import STANCES, Character, Fight
from rulesets.anima.rows import CHARACTERISTICS, MANOEUVRES, Weapon, Zone
from rulesets.anima.turn import Role
from rulesets.core.declarations import Declaration, Kind, Timing, fold
from rulesets.core.questions import Rejection

MOST_FATIGUE: Final = 2  # AN-FAT-03
LIMBS: Final = ("arm", "leg")
DEFENCES: Final = {"parry": "parry", "dodge": "dodge", "shield": "shield", "best_defence": "best"}


@dataclass(slots=True)
class Desk:
    """What has been accepted of one character so far in this assault.

    Attributes:
        declared: Every action declared by it, accepted or not.
        kinds: Kinds of active accepted.
        stance: The stance that it is in, or enters.
        spent: Points of fatigue accepted.
        picks_up: Picks up its weapon before.
        places: Shields that it places, with whom on.
        reserves: Lets its turn pass.
        refusals: Of something that an accepted declaration asks for besides: fatigue.
    """

    fight: Fight
    actor: Character
    role: Role
    declared: list[Declaration] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    stance: str = ""
    spent: int = 0
    picks_up: bool = False
    places: list[tuple[str, str]] = field(default_factory=list)
    reserves: bool = False
    refusals: list[Refusal] = field(default_factory=list)

    def refuse(self, code: str, rule: str, **facts: object) -> Refusal:
        """A refusal with what its message needs."""
        return Refusal(code, rule, facts)

    def unknown_weapon(self, word: str) -> Refusal:
        """A weapon that is not on the sheet."""
        names = tuple(weapon.name for weapon in self.actor.sheet.weapons.values())
        return self.refuse("unknown_weapon", "AN-INI-06", given=word, candidates=names)

    def too_far(self, far_cm: int) -> Refusal:
        """A movement beyond the distance of the assault (AN-MOV-03)."""
        return self.refuse(
            "too_far",
            "AN-MOV-03",
            given=-(-far_cm // 100),
            limit=self.actor.sheet.max_move_cm // 100,
            unit="metre",
        )

    def zone(self, word: str) -> tuple[Zone | None, Refusal | None]:
        """A place to aim at."""
        zones = self.fight.tables.zones
        found = zones.get(fold(word))
        if found is not None:
            return found, None
        refusal = self.refuse("unknown_zone", "AN-MAN-23", given=word, candidates=tuple(zones))
        return None, refusal

    def shield(self, word: str, rule: str) -> tuple[str, Refusal | None]:
        """Folded name of a shield of one's own; the first where none is named."""
        own = self.actor.sheet.shields
        if not word and own:
            return next(iter(own)), None
        if fold(word) in own:
            return fold(word), None
        names = tuple(ward.name for ward in own.values())
        return "", self.refuse("unknown_shield", rule, given=word, candidates=names)

    def suits(self, manoeuvre: str, weapon: Weapon | None, zone: Zone | None) -> Refusal | None:
        """What a specific attack needs of weapon and place (AN-MAN-06, -08, -14)."""
        group = "" if zone is None else zone.group
        match manoeuvre:
            case "grapple" if weapon is not None and not (weapon.grapple or weapon.unarmed):
                return self.refuse("weapon_cannot_grapple", "AN-MAN-08", given=weapon.name)
            case "disable" if group not in LIMBS:
                return self.refuse("needs_limb", "AN-MAN-06")
            case "knockout" if group != "head":
                return self.refuse("needs_head", "AN-MAN-14")
        return None

    def declares_ranged(self) -> bool:
        """Whether a ranged attack is declared, whatever becomes of it (AN-STA-01)."""
        for declaration in self.declared:
            if declaration.verb not in ("attack", "charge"):
                continue
            word = declaration.get("weapon")
            weapon = self.actor.sheet.weapon(word) if word else self.actor.weapon
            ranged = weapon is not None and weapon.kind != "melee"
            if declaration.get("mode") or ranged:
                return True
        return False

    def fatigue(self, declaration: Declaration, *, allowed: bool) -> int:
        """Points of fatigue asked for, if they can be had (AN-FAT-02 to -05)."""
        word = declaration.get("fatigue")
        if not word:
            return 0
        points = int(word) if word.isascii() and word.isdigit() and len(word) < 4 else -1
        if points < 0:
            refusal = self.refuse("bad_field", "AN-FAT-02", given=word, field="fatigue")
        elif not allowed:
            refusal = self.refuse("fatigue_not_allowed", "AN-FAT-05")
        elif self.spent + points > MOST_FATIGUE:
            refusal = self.refuse("fatigue_over_limit", "AN-FAT-03", limit=MOST_FATIGUE)
        elif self.spent + points > self.actor.fatigue:
            refusal = self.refuse("fatigue_insufficient", "AN-FAT-04", left=self.actor.fatigue)
        else:
            self.spent += points
            return points
        self.refusals.append(refusal)
        return 0


def weigh(
    fight: Fight, declarations: Iterable[Declaration], actions: Mapping[str, Action]
) -> tuple[dict[str, Role], list[Rejection]]:
    """Roles of everybody with what was accepted, and the refusals in the order posted."""
    roles = {name: Role(name) for name in fight.cast}
    desks: dict[str, Desk] = {}
    listed = list(declarations)
    for declaration in listed:
        if declaration.actor in roles:
            desk = desks.get(declaration.actor)
            if desk is None:
                who = fight.cast[declaration.actor]
                desk = Desk(fight, who, roles[who.name], stance=who.stance)
                desks[who.name] = desk
            if declaration.kind is Kind.ACTION:
                desk.declared.append(declaration)
    refused: dict[int, list[Refusal]] = {}
    for kind in (Kind.ACTION, Kind.STANDING):
        for index, declaration in enumerate(listed):
            if declaration.kind is not kind:
                continue
            desk = desks.get(declaration.actor)
            if desk is None:
                facts = {"given": declaration.actor, "candidates": tuple(fight.cast)}
                refused[index] = [Refusal("unknown_target", "AN-WEB-01", facts)]
                continue
            refused[index] = (
                _act(desk, declaration, actions)
                if kind is Kind.ACTION
                else _order(desk, declaration)
            )
    return roles, [
        Rejection(refusal.code, listed[index], refusal.rule, refusal.facts)
        for index in sorted(refused)
        for refusal in refused[index]
    ]


def _act(desk: Desk, declaration: Declaration, actions: Mapping[str, Action]) -> list[Refusal]:
    """Check one action and, if it stands, enter it."""
    action = actions.get(declaration.verb)
    if action is None:
        return [desk.refuse("unknown_verb", "AN-ACT-01", given=declaration.verb)]
    intent = Intent(declaration, action, declaration.actor)
    desk.refusals = []
    for look in action.looks:
        refusal = look(desk, intent)
        if refusal is not None:
            return [refusal]
    _fall_back(desk, intent)
    _enter(desk, intent)
    return desk.refusals


def _fall_back(desk: Desk, intent: Intent) -> None:
    """What to do if the target has fallen (AN-WEB-04)."""
    fallback = intent.declaration.fallback
    if fallback is None:
        return
    if fallback.verb == "nothing":
        intent.drops = True
        return
    names = fallback.names("target")
    intent.instead = desk.fight.find(names[0]) if names else ""


def _enter(desk: Desk, intent: Intent) -> None:
    """Put an accepted action on the desk and in its owner's role."""
    role, id_ = desk.role, intent.action.id
    desk.kinds.extend(kind for kind in intent.kinds if kind not in desk.kinds)
    desk.reserves = desk.reserves or intent.declaration.timing is not None
    match id_:
        case "attack" | "charge":
            role.plan = intent
        case "pick_up":
            desk.picks_up = True
        case "place_shield":
            desk.places.append((intent.targets[0], intent.shield))
        case "reserve":
            desk.reserves = True
        case "break_free":
            role.orders.escape = True
        case "leave_stance":
            role.leaves = True
    if id_ in STANCES:
        role.stances.append(intent)
        desk.stance = id_
        if id_ == "total_defence":
            desk.kinds.append(id_)
    elif intent.action.perform is not None:
        role.queue.append(intent)


# ------------------------------------------------------------------ standing orders


def _order(desk: Desk, declaration: Declaration) -> list[Refusal]:
    """Check one standing order and, if it stands, enter it; a later one replaces an earlier one."""
    desk.refusals = []
    handler = _ORDERS.get(declaration.verb)
    if handler is None:
        if declaration.verb in DEFENCES:
            refusal = _defence(desk, declaration)
        else:
            refusal = desk.refuse("unknown_verb", "AN-ACT-05", given=declaration.verb)
    else:
        refusal = handler(desk, desk.role.orders, declaration)
    return [refusal] if refusal is not None else desk.refusals


def _names(
    desk: Desk, declaration: Declaration, key: str
) -> tuple[tuple[str, ...], Refusal | None]:
    names = declaration.names(key)
    found = tuple(desk.fight.find(name) for name in names)
    if all(found):
        return found, None
    unknown = names[found.index("")]
    candidates = tuple(desk.fight.cast)
    return (), desk.refuse("unknown_target", "AN-DEF-02", given=unknown, candidates=candidates)


def _defence(desk: Desk, declaration: Declaration) -> Refusal | None:
    against, refusal = _names(desk, declaration, "against")
    if refusal is not None:
        return refusal
    kind = DEFENCES[declaration.verb]
    shield = ""
    if kind == "shield" and declaration.get("shield"):
        shield, refusal = desk.shield(declaration.get("shield"), "AN-DEF-02")
        if refusal is not None:
            return refusal
    points = desk.fatigue(declaration, allowed=kind != "shield")
    # The latest order comes first, and those for somebody in particular before all.
    desk.role.orders.guards.insert(0, Guard(kind, against, points, shield))
    desk.role.orders.guards.sort(key=lambda guard: not guard.against)
    return None


def _counter(desk: Desk, orders: Orders, declaration: Declaration) -> Refusal | None:
    """Whether to strike back, and how (AN-CTR-01, AN-CTR-05, AN-CTR-07)."""
    if declaration.verb == "no_counterattack" or "no" in declaration.flags:
        orders.counter = False
        return None
    word = declaration.get("weapon")
    weapon = desk.actor.sheet.weapon(word) if word else None
    if word and weapon is None:
        return desk.unknown_weapon(word)
    zone, refusal = desk.zone(declaration.get("zone")) if declaration.get("zone") else (None, None)
    manoeuvre = fold(declaration.get("manoeuvre"))
    refusal = refusal or _counter_manoeuvre(desk, manoeuvre, weapon, zone)
    if refusal is not None:
        return refusal
    orders.counter = True
    orders.counter_weapon = weapon
    orders.counter_manoeuvre = manoeuvre
    orders.counter_zone = zone
    orders.counter_fatigue = desk.fatigue(declaration, allowed=True)
    return None


def _counter_manoeuvre(
    desk: Desk, manoeuvre: str, weapon: Weapon | None, zone: Zone | None
) -> Refusal | None:
    """What a specific counterattack needs; none may touch anybody else (AN-CTR-05)."""
    if manoeuvre == "area":
        return desk.refuse("counter_single_target", "AN-CTR-05")
    if manoeuvre and manoeuvre not in MANOEUVRES:
        return desk.refuse("unknown_manoeuvre", "AN-MAN-01", given=manoeuvre, candidates=MANOEUVRES)
    plan = desk.role.plan
    used = weapon or (plan.weapon if plan is not None else None) or desk.actor.weapon
    return desk.suits(manoeuvre, used or desk.actor.sheet.usual, zone)


def _resist(desk: Desk, orders: Orders, declaration: Declaration) -> Refusal | None:
    del desk, declaration
    orders.resist_blow = True
    return None


def _push(desk: Desk, orders: Orders, declaration: Declaration) -> Refusal | None:
    """Whom to push out of the way (AN-SPD-01)."""
    names, refusal = _names(desk, declaration, "to")
    if refusal is not None:
        return refusal
    if not names:
        return desk.refuse("missing_target", "AN-SPD-01", field="to")
    orders.pushes = tuple(dict.fromkeys((*orders.pushes, *names)))
    return None


def _cover(desk: Desk, orders: Orders, declaration: Declaration) -> Refusal | None:
    """Whom to cover, with a shield placed beforehand or out of a reserve (AN-SHD-09)."""
    names, refusal = _names(desk, declaration, "to")
    if refusal is not None:
        return refusal
    if not names:
        return desk.refuse("missing_target", "AN-SHD-09", field="to")
    key, refusal = desk.shield(declaration.get("shield"), "AN-SHD-09")
    if refusal is not None:
        return refusal
    name = names[0]
    who = desk.actor
    placed = who.shield_placed_on == name and who.placed in ("", who.sheet.shields[key].name)
    if not (placed or desk.reserves or (name, key) in desk.places):
        return desk.refuse("cover_not_ready", "AN-SHD-09", target=name)
    if (name, key) not in orders.covers:
        orders.covers = (*orders.covers, (name, key))
    return None


def _control(desk: Desk, orders: Orders, declaration: Declaration) -> Refusal | None:
    """Which characteristic to use in checks, and fatigue for them (AN-FAT-06)."""
    word = fold(declaration.get("characteristic"))
    if word and word not in CHARACTERISTICS:
        return desk.refuse(
            "bad_field",
            "AN-MAN-03",
            given=word,
            field="characteristic",
            candidates=CHARACTERISTICS,
        )
    orders.control = word
    orders.control_fatigue = desk.fatigue(declaration, allowed=True)
    return None


def _escape(desk: Desk, orders: Orders, declaration: Declaration) -> Refusal | None:
    del desk
    orders.escape = declaration.verb == "escape"
    return None


def _hold(desk: Desk, orders: Orders, declaration: Declaration) -> Refusal | None:
    """The dice from which a blow becomes a hold (AN-MAN-22)."""
    timing: Timing | None = declaration.timing
    if timing is None or timing.event != "roll_at_least" or not timing.name.isdigit():
        return desk.refuse("missing_threshold", "AN-MAN-22")
    orders.hold_from = int(timing.name)
    return None


def _passive(desk: Desk, orders: Orders, declaration: Declaration) -> Refusal | None:
    """Whom to strike passively as soon as it acts (AN-MAN-21)."""
    names, refusal = _names(desk, declaration, "target")
    if refusal is not None:
        return refusal
    if not names:
        return desk.refuse("missing_target", "AN-MAN-21")
    timing = declaration.timing
    trigger = desk.fight.find(timing.name) if timing is not None and timing.name else ""
    strikes = tuple((name, trigger) for name in names)
    orders.strikes = tuple(dict.fromkeys((*orders.strikes, *strikes)))
    return None


def _fire(desk: Desk, orders: Orders, declaration: Declaration) -> Refusal | None:
    """Whether to shoot at the same time, and at whom (AN-RNG-06)."""
    names, refusal = _names(desk, declaration, "target")
    if refusal is not None:
        return refusal
    orders.fire = declaration.verb == "fire"
    orders.fire_at = names[0] if names else ""
    return None


_ORDERS: Final = {
    "counterattack": _counter,
    "no_counterattack": _counter,
    "resist_blow": _resist,
    "push_aside": _push,
    "cover": _cover,
    "control": _control,
    "escape": _escape,
    "no_escape": _escape,
    "hold": _hold,
    "passive_attack": _passive,
    "fire": _fire,
    "no_fire": _fire,
}
