"""Defences: which one is made, how it comes out, and those of third parties (AN-DEF, AN-SHD)."""

from typing import Final

from rulesets.anima.blow import Blow
from rulesets.anima.declared import COVER, PUSH_ASIDE, Guard
from rulesets.anima.events import Cover, Defence, PushAside, ShieldChange, WeaponChange
from rulesets.anima.fight import Character, reach_cm
from rulesets.anima.modifiers import DEFENCE, SHIELD, Defending, gather, unexpected
from rulesets.anima.rolls import Thrown, fumbled, throw
from rulesets.anima.rows import Weapon
from rulesets.anima.turn import Role, Round, exhausted, hindered, shed
from rulesets.anima.wounds import affordable, spend_fatigue
from rulesets.core.modifiers import Total
from rulesets.core.questions import Question
from rulesets.core.records import dataclass

KINDS: Final = ("parry", "dodge", "shield")


@dataclass(slots=True)
class Option:
    """A defence that could be made, with its ability against this attack."""

    defending: Defending
    against: Total
    shield: str = ""

    @property
    def kind(self) -> str:
        """``parry``, ``dodge`` or ``shield``."""
        return self.defending.kind


@dataclass(frozen=True, slots=True)
class Answer:
    """A defence made: its kind, its total, and the shield it used, if any."""

    kind: str
    total: int
    shield: str = ""


# ------------------------------------------------------------------ which defence


def parry_weapon(rnd: Round, who: Character, blow: Blow) -> tuple[Weapon | None, bool]:
    """What somebody parries with, and whether it must be drawn; None is bare hands.

    Attacked with surprise one cannot draw (AN-DRW-03); one who has been disarmed has bare hands
    (AN-MAN-25). Whose usual weapon is bare hands parries as the sheet says.
    """
    weapon, usual = who.weapon, who.sheet.usual
    if weapon is not None:
        return (None, False) if weapon.unarmed and not usual.unarmed else (weapon, False)
    if usual.unarmed and not who.dropped:
        return usual, False
    if who.dropped or unexpected(rnd, blow, who.name):
        return None, False
    return usual, True


def options(rnd: Round, blow: Blow, name: str, *, resists: bool) -> list[Option]:
    """Every defence open to somebody, in the order in which ties are decided (AN-DEF-02)."""
    who = rnd.who(name)
    weapon, draws = parry_weapon(rnd, who, blow)
    found = []
    for kind in ("parry", "dodge"):
        parries = kind == "parry"
        defending = Defending(
            rnd,
            who,
            blow,
            kind,
            weapon=weapon if parries else None,
            draws=draws and parries,
            resists=resists,
        )
        found.append(Option(defending, gather(DEFENCE, defending)))
    for key in usable_shields(rnd, who, blow):
        ward = who.sheet.shields[key]
        defending = Defending(rnd, who, blow, "shield", psychic=ward.psychic)
        found.append(Option(defending, gather(SHIELD, defending), key))
    return found


def usable_shields(rnd: Round, who: Character, blow: Blow) -> list[str]:
    """Shields with points left that stop this kind of attack (AN-SHD-04, AN-SHD-10)."""
    if not who.shields:
        return []
    energy = blow.ability is not None and blow.ability.energy
    own = who.sheet.shields
    return [
        key
        for key, left in rnd.who(who.name).shields.items()
        if left and (own[key].stops_energy or not energy)
    ]


def choose(rnd: Round, blow: Blow, name: str, *, resists: bool) -> Option:
    """The one defence made: as ordered, as answered, or the best (AN-DEF-02, AN-SHD-05)."""
    role = rnd.roles[name]
    found = options(rnd, blow, name, resists=resists)
    best = max(found, key=lambda option: option.against.value)
    guard = _guard(role, blow.actor)
    if guard is not None:
        ordered = [option for option in found if _serves(option, guard)]
        if not ordered:
            return best
        chosen = max(ordered, key=lambda option: option.against.value)
        return _tired(rnd, chosen, guard)
    if not rnd.answers.ask and not rnd.answers.given:
        return best
    kinds = tuple(dict.fromkeys(option.kind for option in found))
    answer = rnd.ask(
        Question(
            label=rnd.label(f"{name}.which_defence"),
            who=name,
            options=kinds,
            default=best.kind,
            rule="AN-DEF-02",
            facts={
                "against": blow.actor,
                "weapon": blow.weapon_name,
                **{option.kind: option.against.value for option in reversed(found)},
            },
        )
    )
    return max(
        (option for option in found if option.kind == answer),
        key=lambda option: option.against.value,
    )


def _guard(role: Role, attacker: str) -> Guard | None:
    """The standing order that says how to meet this attacker, unless it is the best defence."""
    for guard in role.orders.guards:
        if not guard.against or attacker in guard.against:
            return None if guard.kind == "best" else guard
    return None


def _serves(option: Option, guard: Guard) -> bool:
    return option.kind == guard.kind and (not guard.shield or option.shield == guard.shield)


def _tired(rnd: Round, option: Option, guard: Guard) -> Option:
    """The defence with what fatigue adds, spent on the first one of that order (AN-FAT-04)."""
    points = affordable(rnd, option.defending.who.name, guard.fatigue)
    if not points or option.kind == "shield":
        return option
    guard.fatigue = 0
    option.defending.fatigue = points
    return Option(option.defending, gather(DEFENCE, option.defending))


# ------------------------------------------------------------------ making it


def defend(rnd: Round, blow: Blow, name: str, *, resists: bool) -> Answer:
    """One defence against one attack (AN-DEF-01, AN-FUM-03)."""
    option = choose(rnd, blow, name, resists=resists)
    defending = option.defending
    if defending.draws and defending.weapon is not None:
        draw(rnd, name, defending.weapon)
    spend_fatigue(rnd, name, defending.fatigue)
    thrown = throw(rnd, name, "defence", option.against)
    rnd.roles[name].received += 1
    total = _total(rnd, name, thrown)
    shield = ""
    if option.shield:
        shield = defending.who.sheet.shields[option.shield].name
    result = "success" if total >= blow.total else "failure"
    rnd.emit(
        Defence(
            actor=name,
            against=blow.actor,
            kind=option.kind,
            total=total,
            result="fumble" if thrown.fumble else result,
            shield=shield,
            label=thrown.label,
            limit=thrown.ability,
            rule="AN-SHD-01" if option.shield else "AN-DEF-01",
        )
    )
    return Answer(option.kind, total, option.shield)


def _total(rnd: Round, name: str, thrown: Thrown) -> int:
    """A fumbled defence loses the level, and the die does not add (AN-FUM-03, D12)."""
    if not thrown.fumble:
        return thrown.total
    level = fumbled(rnd, name, "defence", "AN-FUM-03")
    kept = thrown.dice if rnd.options.fumble_defence_keeps_die else 0
    return thrown.ability - level + kept


def draw(rnd: Round, name: str, weapon: Weapon, rule: str = "AN-DRW-01") -> None:
    """A weapon is drawn or changed for another: -25 for the rest of the assault (AN-DRW)."""
    rnd.roles[name].drew = True
    rnd.emit(WeaponChange(actor=name, weapon=weapon.name, change="drawn", rule=rule))
    shed(rnd, name, "disarmed", "AN-MAN-25")


def wear(rnd: Round, blow: Blow, name: str, shield: str, rule: str) -> int:
    """A shield that has stopped a blow loses points; what goes through if it breaks (AN-SHD-03)."""
    who = rnd.who(name)
    points, dealt = who.shields[shield], blow.damage
    through = max(0, dealt - points)
    rnd.emit(
        ShieldChange(
            actor=name,
            shield=who.sheet.shields[shield].name,
            damage=min(points, dealt),
            points=max(0, points - dealt),
            result="broken" if through else "holds",
            through=through,
            rule=rule,
        )
    )
    return through


# ------------------------------------------------------------------ third parties


def cover(rnd: Round, blow: Blow, name: str) -> tuple[bool, str, str]:
    """A shield in the way of a blow at somebody else (AN-SHD-07, AN-SHD-08).

    Returns:
        Whether it stops the blow, whose it is, and which one; nobody's where nobody covers.
    """
    if not rnd.anybody_covers:
        return False, "", ""
    for coverer in map(rnd.roles.__getitem__, rnd.in_order()):
        key = _covering(rnd, coverer, blow, name)
        if not key:
            continue
        who = rnd.who(coverer.name)
        if not _is_placed(who, name, key):
            coverer.open(COVER)
        defending = Defending(
            rnd, who, blow, "shield", psychic=who.sheet.shields[key].psychic, covers=True
        )
        thrown = throw(rnd, who.name, "defence", gather(SHIELD, defending))
        total = _total(rnd, who.name, thrown)
        stops = total >= blow.total
        rnd.emit(
            Cover(
                actor=who.name,
                target=name,
                total=total,
                result="success" if stops else "failure",
                label=thrown.label,
                limit=thrown.ability,
                rule="AN-SHD-07",
            )
        )
        return stops, who.name, key
    return False, "", ""


def _covering(rnd: Round, role: Role, blow: Blow, name: str) -> str:
    """The shield with which somebody covers this target now, or nothing (AN-SHD-09)."""
    if not role.orders.covers or role.name in (name, blow.actor):
        return ""
    who = rnd.who(role.name)
    if who.down or (who.side == rnd.who(blow.actor).side and who.side != rnd.who(name).side):
        return ""
    usable = usable_shields(rnd, who, blow)
    for target, key in role.orders.covers:
        if target != name or key not in usable:
            continue
        if _is_placed(who, name, key) or _reserved(rnd, role):
            return key
    return ""


def _is_placed(who: Character, name: str, key: str) -> bool:
    """Whether a shield is on somebody already: then it costs no active."""
    return who.shield_placed_on == name and who.placed in ("", who.sheet.shields[key].name)


def _reserved(rnd: Round, role: Role) -> bool:
    """Whether somebody waits with an active to spare: a cover out of a reserve is for one blow."""
    if role.name not in rnd.waiting or COVER in role.opened:
        return False
    return not hindered(rnd, role.name, physical=False)[0] and not exhausted(
        rnd, role.name, (COVER,)
    )


def push_aside(rnd: Round, blow: Blow, name: str) -> tuple[str, int]:
    """Somebody pushes the target out of the way (AN-SPD-01): who, and the total; or nobody."""
    if not rnd.anybody_pushes:
        return "", 0
    for role in map(rnd.roles.__getitem__, rnd.in_order()):
        if name not in role.orders.pushes or role.name in (name, blow.actor):
            continue
        if PUSH_ASIDE in role.opened or hindered(rnd, role.name)[0]:
            continue
        who = rnd.who(role.name)
        if who.stance == "total_defence" or exhausted(rnd, role.name, (PUSH_ASIDE,)):
            continue
        if rnd.fight.distance(role.name, name) > reach_cm(rnd.fight.options):
            continue
        defending = Defending(rnd, who, blow, "dodge", pushes=True)
        thrown = throw(rnd, role.name, "defence", gather(DEFENCE, defending))
        role.open(PUSH_ASIDE)
        role.received += 1
        total = _total(rnd, role.name, thrown)
        rnd.emit(
            PushAside(
                actor=role.name,
                target=name,
                total=total,
                result="success" if total >= blow.total else "failure",
                label=thrown.label,
                limit=thrown.ability,
                rule="AN-SPD-01",
            )
        )
        return role.name, total
    return "", 0
