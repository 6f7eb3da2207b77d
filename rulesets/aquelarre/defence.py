"""Defences: which one answers an attack, whether it stops it, and at what price (AQ-DEF)."""

from typing import Final

from rulesets.aquelarre.blow import Blow, hit_shield, roll_damage
from rulesets.aquelarre.declared import Ward
from rulesets.aquelarre.events import Defence, Movement, WeaponBroken, WeaponDropped
from rulesets.aquelarre.line import destination
from rulesets.aquelarre.modifiers import (
    DEFENCE,
    SHIELD_DEFENCE,
    Effort,
    band_of,
)
from rulesets.aquelarre.rolls import (
    Attempt,
    characteristic,
    confront,
    fumbled,
    grade,
    percent,
)
from rulesets.aquelarre.rows import Size
from rulesets.aquelarre.turn import Round
from rulesets.aquelarre.wounds import strike_body
from rulesets.core.modifiers import total
from rulesets.core.questions import Question

# Seed 87 and 95: these can be dodged, never parried.
NEVER_PARRIED: Final = ("mounted_charge", "shove")
WOVEN: Final = ("bows", "crossbows", "slings")  # AQ-DEF-25
NONE: Final = "none"


# ------------------------------------------------------------------ which defence


def may_defend(rnd: Round, blow: Blow) -> bool:
    """Whether the target can defend itself at all now."""
    role, who = rnd.roles[blow.target], rnd.who(blow.target)
    if not who.able or who.held_by or role.spares_all or blow.actor in role.spares:
        return False
    if role.spear is not None and blow.action.id == "mounted_charge":
        return False  # AQ-ATK-03: who holds the spear stands fast
    # The surprised cannot defend before their own turn (AQ-AMB-04).
    return role.begun or "surprised" not in who.conditions


def fits(rnd: Round, ward: Ward, blow: Blow) -> bool:
    """Whether a declared defence can lawfully answer an attack."""
    if ward.spent or blow.actor in ward.answered:
        return False
    if ward.against and blow.actor not in ward.against:
        return False
    if ward.enemy and ward.enemy != blow.actor:
        return False
    return _LAWFUL[ward.kind](rnd, ward, blow)


def _parry_fits(rnd: Round, ward: Ward, blow: Blow) -> bool:
    """A weapon in hand; in melé a light one (AQ-DEF-01, -08, -20, D-28)."""
    who, weapon = rnd.who(blow.target), ward.weapon
    if blow.ranged or blow.action.id in NEVER_PARRIED or weapon is None:
        return False
    if who.melee_with and weapon.size is not Size.LIGHT:
        return False
    return who.is_ready(weapon)


def _shield_fits(rnd: Round, ward: Ward, blow: Blow) -> bool:
    """A whole shield on the arm; no use against an axe that breaks it (AQ-DEF-09, AQ-ATK-22)."""
    del ward
    if blow.ranged or blow.action.id in (*NEVER_PARRIED, "shield_breaker"):
        return False
    return rnd.who(blow.target).shield_ready


def _dodge_fits(rnd: Round, ward: Ward, blow: Blow) -> bool:
    """Anything but shots and throws (AQ-DEF-13)."""
    del rnd, ward
    return not blow.ranged


def _cover_fits(rnd: Round, ward: Ward, blow: Blow) -> bool:
    """Shots of a slower enemy (AQ-DEF-14)."""
    del ward
    return (
        blow.ranged
        and blow.target in rnd.fight.scene.cover
        and blow.target in rnd.fight.initiative
        and rnd.rank(blow.target) < rnd.rank(blow.actor)
    )


def _weave_fits(rnd: Round, ward: Ward, blow: Blow) -> bool:
    """Bows, crossbows and slings from medium or long distance (AQ-DEF-25)."""
    del ward
    weapon = blow.weapon
    if not blow.ranged or weapon is None or weapon.skill not in WOVEN:
        return False
    return band_of(rnd.who(blow.actor), weapon, blow.distance) in ("medium", "long")


_LAWFUL: Final = {
    "parry": _parry_fits,
    "shield_parry": _shield_fits,
    "dodge": _dodge_fits,
    "seek_cover": _cover_fits,
    "weave": _weave_fits,
}


def in_order(rnd: Round, blow: Blow) -> list[Ward]:
    """The defences that fit, first the one that answers (AQ-RND-08, AQ-DEF-11, D-06).

    A dodge already in force goes first, unless its roll fails even against a plain blow and a
    defence of another kind is left. Then those kept for this enemy, then the kind that a standing
    order prefers, then the order written. Who has none left cannot defend (AQ-RND-10).
    """
    role = rnd.roles[blow.target]
    if not role.wards or not may_defend(rnd, blow):
        return []
    found = [ward for ward in role.wards if fits(rnd, ward, blow)]
    if len(found) < 2:
        return found
    found.sort(
        key=lambda ward: (
            blow.actor not in ward.against,
            _preference(role.prefers, ward, blow),
            ward.order,
        )
    )
    in_force = [ward for ward in found if ward.enemy]
    if not in_force:
        return found
    dodge = in_force[0]
    others = [ward for ward in found if ward is not dodge]
    if _is_hopeless(rnd, dodge, blow) and any(ward.kind != dodge.kind for ward in others):
        return [ward for ward in others if ward.kind != dodge.kind]
    return [dodge, *others]


def _preference(prefers: tuple[tuple[str, tuple[str, ...]], ...], ward: Ward, blow: Blow) -> int:
    for place, (kind, against) in enumerate(prefers):
        if kind == ward.kind and (not against or blow.actor in against):
            return place
    return len(prefers)


def _is_hopeless(rnd: Round, ward: Ward, blow: Blow) -> bool:
    """Whether a roll already made fails even against a plain blow of that enemy."""
    if not ward.face or ward.kind != "dodge":
        return False
    plain = total(DEFENCE, _effort(rnd, ward, blow, ()))
    return grade(ward.face, plain.value) in ("failure", "fumble")


def commit(rnd: Round, blow: Blow) -> Ward | None:
    """The defence that answers an attack, committed before its dice (AQ-RND-07, AQ-RND-09)."""
    order = in_order(rnd, blow)
    if not order:
        return None
    ward = order[0]
    if len(order) > 1 and _is_open(rnd, order, blow):
        chosen = _asked(rnd, order, blow)
        if chosen is None:
            return None
        ward = chosen
    use(rnd, ward, blow)
    return ward


def _is_open(rnd: Round, order: list[Ward], blow: Blow) -> bool:
    """Whether nothing but the order written decides between the first two (AQ-RND-08)."""
    first, second = order[0], order[1]
    if first.enemy or (first.kind, first.weapon) == (second.kind, second.weapon):
        return False
    if (blow.actor in first.against) != (blow.actor in second.against):
        return False
    prefers = rnd.roles[blow.target].prefers
    return _preference(prefers, first, blow) == _preference(prefers, second, blow)


def _asked(rnd: Round, order: list[Ward], blow: Blow) -> Ward | None:
    """Ask the defender which declared defence answers."""
    options: dict[str, Ward] = {}
    weapons: dict[str, str] = {}
    for ward in order:
        count = sum(1 for name in options if name.partition("#")[0] == ward.kind)
        option = ward.kind if not count else f"{ward.kind}#{count + 1}"
        options[option] = ward
        if ward.weapon is not None:
            weapons[option] = ward.weapon.name
    answer = rnd.ask(
        Question(
            label=rnd.label(f"{blow.target}.defence"),
            who=blow.target,
            options=(*options, NONE),
            default=next(iter(options)),
            rule="AQ-RND-08",
            facts={"against": blow.actor, "action": blow.action.id, "weapons": weapons},
        )
    )
    return options.get(answer)


def use(rnd: Round, ward: Ward, blow: Blow) -> None:
    """Note that a defence is committed to an attack: it is used up whether that hits or not."""
    del rnd
    if ward.kind in ("dodge", "seek_cover"):
        ward.enemy = blow.actor  # answers this enemy's attacks until the round ends
        return
    if ward.kind in ("parry", "shield_parry") and ward.against:
        ward.answered.append(blow.actor)
        ward.spent = len(ward.answered) >= len(ward.against)
        return
    ward.spent = True


def unuse(rnd: Round, ward: Ward, blow: Blow) -> None:
    """Give a defence back when the attack has missed, where the table plays it so (D-05)."""
    if rnd.options.defence_spent_on_miss or ward.face or ward.kind in ("seek_cover", "weave"):
        return
    ward.spent = False
    ward.enemy = ""
    if blow.actor in ward.answered:
        ward.answered.remove(blow.actor)


# ------------------------------------------------------------------ before the attack roll


def before_shot(rnd: Round, blow: Blow, ward: Ward | None) -> None:
    """Defences that roll, or stand, before a shot is made: cover, shield, weaving."""
    if not blow.ranged:
        return
    if ward is not None and ward.kind == "seek_cover":
        _seek_cover(rnd, ward, blow)
    _place_shield(rnd, blow)
    if ward is not None and ward.kind == "weave":
        _weave(rnd, ward, blow)


def _seek_cover(rnd: Round, ward: Ward, blow: Blow) -> None:
    """A Jump roll; the cover then serves against all shots of that enemy (AQ-DEF-14)."""
    if ward.face:
        return
    attempt = _roll(rnd, ward, blow, "jumping", "jump")
    _tell(rnd, ward, blow, attempt, "AQ-DEF-14")


def cover_holds(rnd: Round, ward: Ward, blow: Blow) -> None:
    """Put the cover in the way, once the shot is known: a critical wants a critical (AQ-DEF-15)."""
    screen = rnd.fight.scene.cover.get(blow.target)
    if ward.kind != "seek_cover" or screen is None:
        return
    reached = ward.result in ("success", "critical")
    if reached and (not blow.critical or ward.result == "critical"):
        blow.screens.append(screen)


def _place_shield(rnd: Round, blow: Blow) -> None:
    """A shield placed counts from the first shot until the round ends (AQ-DEF-10, D-40)."""
    role = rnd.roles[blow.target]
    if role.shield_to_place is None or role.shield_placed or not may_defend(rnd, blow):
        return
    if not rnd.who(blow.target).shield_ready:
        return
    role.shield_placed = True
    rnd.emit(
        Defence(
            actor=blow.target,
            against=blow.actor,
            kind="shield_cover",
            result="success",
            rule="AQ-DEF-10",
        )
    )


def _weave(rnd: Round, ward: Ward, blow: Blow) -> None:
    """A Running roll at half: on a success the shot is at half; 6 varas anyhow (AQ-DEF-25)."""
    attempt = _roll(rnd, ward, blow, "running", "run")
    _tell(rnd, ward, blow, attempt, "AQ-DEF-25")
    who = rnd.who(blow.target)
    varas = rnd.tables.movement["weave"].varas
    to = destination(rnd, who, ward.intent.toward, ward.intent.away, varas)
    rnd.emit(Movement(actor=who.name, kind="weave", varas=varas, to=to, rule="AQ-DEF-25"))
    if attempt.succeeded:
        blow.halved = (*blow.halved, ("woven", "AQ-DEF-25"))


# ------------------------------------------------------------------ after a hit


def _effort(rnd: Round, ward: Ward, blow: Blow, halved: tuple[tuple[str, str], ...]) -> Effort:
    who = rnd.who(blow.target)
    weapon = ward.weapon
    enemies = len(ward.against) if ward.kind in ("parry", "shield_parry") else 1
    shield = who.shield if ward.kind == "shield_parry" else None
    if ward.kind == "dodge":
        name = "dodge"
    elif shield is not None:
        name = "shields"
    else:
        # A bow or a crossbow parries with Brawl (AQ-DEF-07).
        name = "brawl" if weapon is None or weapon.missile else weapon.skill
    return Effort(
        rnd,
        who,
        name,
        ward.kind,
        rnd.who(blow.actor),
        weapon=weapon,
        shield=shield,
        halved=halved,
        enemies=enemies,
        bonus=ward.bonus,
        again=ward.label,
    )


def _roll(rnd: Round, ward: Ward, blow: Blow, skill: str, purpose: str) -> Attempt:
    """The roll of a defence that is made before the attack."""
    halved = (("action.weave", "AQ-DEF-25"),) if ward.kind == "weave" else ()
    effort = Effort(rnd, rnd.who(blow.target), skill, purpose, rnd.who(blow.actor), halved=halved)
    attempt = percent(rnd, blow.target, purpose, total(DEFENCE, effort))
    ward.face, ward.label, ward.result = attempt.face, attempt.label, attempt.result
    return attempt


def _tell(rnd: Round, ward: Ward, blow: Blow, attempt: Attempt, rule: str) -> None:
    rnd.emit(
        Defence(
            actor=blow.target,
            against=blow.actor,
            kind=ward.kind,
            result=attempt.result,
            weapon="" if ward.weapon is None else ward.weapon.name,
            label=attempt.label,
            face=attempt.face,
            limit=attempt.limit,
            rule=rule,
        )
    )
    if attempt.result == "fumble" and not ward.fumble_told:
        ward.fumble_told = True
        fumbled(rnd, blow.target, ward.kind, blow.actor)


_RULES: Final = {"parry": "AQ-DEF-01", "shield_parry": "AQ-DEF-09", "dodge": "AQ-DEF-11"}


def stops(rnd: Round, ward: Ward, blow: Blow) -> bool:
    """Roll the defence committed to an attack that has hit; True when the attack is stopped.

    A dodge already rolled against this enemy is compared again (AQ-DEF-11), at half if this attack
    is a critical (AQ-DEF-12).
    """
    if ward.kind not in _RULES:
        return False
    halved: tuple[tuple[str, str], ...] = ()
    if blow.action.id == "feint":
        halved = (("action.feint", "AQ-ATK-04"),)
    if ward.kind == "dodge" and blow.critical:
        halved = (*halved, ("dodge_critical", "AQ-DEF-12"))
    sources = SHIELD_DEFENCE if ward.kind == "shield_parry" else DEFENCE
    against = total(sources, _effort(rnd, ward, blow, halved))
    if ward.face and ward.kind == "dodge":
        limit = against.value
        attempt = Attempt(ward.face, limit, grade(ward.face, limit), ward.label)
    else:
        attempt = percent(rnd, blow.target, ward.kind, against)
        if ward.kind == "dodge":
            ward.face, ward.label = attempt.face, attempt.label
    _tell(rnd, ward, blow, attempt, _RULES[ward.kind])
    if ward.kind == "parry":
        return _parried(rnd, ward, blow, attempt)
    if attempt.succeeded and ward.kind == "shield_parry":
        hit_shield(rnd, blow)
    return attempt.succeeded


def _parried(rnd: Round, ward: Ward, blow: Blow, attempt: Attempt) -> bool:
    """What a parry costs the one who makes it (AQ-DEF-02 to -07)."""
    weapon = ward.weapon
    if weapon is None:
        return attempt.succeeded
    name = blow.target
    if weapon.missile:
        rnd.emit(WeaponBroken(actor=name, weapon=weapon.name, rule="AQ-DEF-07"))
        return attempt.succeeded
    if not attempt.succeeded:
        return False
    if weapon.natural:
        return _bare_hands(rnd, ward, blow, attempt)
    clean = attempt.result == "critical"
    light_on_heavy = weapon.size is Size.LIGHT and blow.size is Size.HEAVY
    if blow.critical:
        if clean:
            return True
        if light_on_heavy:
            rnd.emit(WeaponBroken(actor=name, weapon=weapon.name, rule="AQ-DEF-04"))
        else:
            rnd.emit(WeaponDropped(actor=name, weapon=weapon.name, rule="AQ-DEF-04"))
    elif light_on_heavy:
        held = confront(
            rnd,
            "hold_weapon",
            "AQ-DEF-03",
            (name, "strength", characteristic(rnd, name, "strength", 3, "strength")),
            (blow.actor, "strength", characteristic(rnd, blow.actor, "strength", 5, "strength")),
        )
        if not held.won:
            rnd.emit(WeaponDropped(actor=name, weapon=weapon.name, rule="AQ-DEF-03"))
    return True


def _bare_hands(rnd: Round, ward: Ward, blow: Blow, attempt: Attempt) -> bool:
    """Hands stop hands, and anything on a critical; else an arm takes the blow (AQ-DEF-06)."""
    if blow.brawls or attempt.result == "critical" or not blow.action.harms:
        return True
    who = rnd.who(blow.target)
    body = who.sheet.body
    arm = body.locations.get(ward.intent.arm or "left_arm") or body.at("arm", "left")
    if arm is None:
        return True
    strike_body(rnd, blow.actor, blow.target, arm, roll_damage(rnd, blow))
    return True
