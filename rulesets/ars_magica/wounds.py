"""What blows and accidents do to a body: damage, soak, wounds, criticals (AM-DMG, AM-WND)."""

from typing import Final

from rulesets.ars_magica.conditions import drop, drops_out, gain, release
from rulesets.ars_magica.events import Critical, Damage, Death, Wound
from rulesets.ars_magica.fight import Character
from rulesets.ars_magica.modifiers import Blow
from rulesets.ars_magica.rolls import TEN
from rulesets.ars_magica.rows import ZONES, Armour, Effect
from rulesets.ars_magica.turn import Round
from rulesets.core.questions import Question
from rulesets.core.records import dataclass

EDGED: Final = ("slash", "pierce")
STANDING_LIMIT: Final = 100  # per cent of movement; above it he falls (D27)


@dataclass(frozen=True, slots=True)
class Hit:
    """What a hit came to: the Damage Total before soak, the level of the wound and its kind."""

    total: int = 0
    level: str = ""
    kind: str = ""
    victim: str = ""

    @property
    def hurt(self) -> bool:
        """Whether there is a wound or a bruise."""
        return bool(self.level)


# ------------------------------------------------------------------ soak


def soak_parts(rnd: Round, who: Character, worn: Armour | None, named: str) -> dict[str, int]:
    """Stamina, armour and what else takes damage away (AM-DMG-02)."""
    sheet = who.sheet
    parts = {
        "stamina": sheet.characteristics["stamina"],
        named: 0 if worn is None else worn.protection,
        "natural_armor": sheet.natural_armor,
        "soak_bonus": sheet.soak_bonus,
        "tough": rnd.tables.figure("tough") if sheet.tough else 0,
    }
    return {name: value for name, value in parts.items() if value or name == "stamina"}


def worn_on(who: Character, zone: str) -> Armour | None:
    """What covers a zone: the helmet on the head, else the armour where it reaches (14.4)."""
    if zone == "head":
        return who.sheet.helmet
    armor = who.armor
    return armor if armor is not None and zone in armor.covers else None


def least_protected(who: Character) -> str:
    """Where a critical finds least in its way (AM-DMG-05, D30)."""

    def protection(zone: str) -> int:
        worn = worn_on(who, zone)
        return 0 if worn is None else worn.protection

    return min(ZONES, key=protection)  # of equals the first: head, torso, abdomen …


# ------------------------------------------------------------------ blows


def damage_parts(blow: Blow, advantage: int) -> dict[str, int]:
    """Strength, weapon and advantage (AM-DMG-01, AM-MIS-09, AM-SPC-09, AM-ELE-07)."""
    weapon, actor, options = blow.weapon, blow.actor, blow.rnd.options
    parts: dict[str, int] = {}
    if weapon.kind not in ("crossbow", "element"):
        parts["strength"] = actor.sheet.characteristics["strength"]
    parts["weapon"] = weapon.damage
    if weapon.kind != "crossbow" or options.crossbow_advantage:
        parts["advantage"] = advantage
    if blow.kind == "charge" and weapon.polearm and not blow.missile:
        parts["polearm_charge"] = blow.rnd.tables.figure("polearm_charge") + actor.sheet.size
    return parts


def strike(rnd: Round, blow: Blow, advantage: int, *, critical: bool, bruises: bool) -> Hit:
    """A hit: its damage, where it lands, the wound and what a critical adds."""
    victim = rnd.who(blow.target.name)
    zone = _zone(rnd, blow, victim) if critical else ""
    if critical:
        rnd.emit(
            Critical(
                actor=blow.actor.name,
                target=victim.name,
                zone=zone,
                epic=advantage >= rnd.options.epic_at,
                rule="AM-DMG-05",
            )
        )
        worn = worn_on(victim, zone)
        taken = soak_parts(rnd, victim, worn, "helmet" if zone == "head" else "armor")
    else:
        taken = soak_parts(rnd, victim, victim.armor, "armor")
    dealt = damage_parts(blow, advantage)
    rolled, soak = sum(dealt.values()), sum(taken.values())
    net = rolled - soak
    type_ = blow.type or (blow.weapon.types[0] if blow.weapon.types else "")
    rnd.emit(
        Damage(
            actor=blow.actor.name,
            target=victim.name,
            total=rolled,
            soak=soak,
            net=net,
            damage_type=type_,
            parts=dealt,
            soak_parts=taken,
            rule="AM-DMG-01",
        )
    )
    level = rnd.tables.level_of(net, victim.sheet.size)
    if not level:
        return Hit(rolled, victim=victim.name)
    if bruises:
        suffer(rnd, victim.name, level, "bruise", rule="AM-NLC-04")
        return Hit(rolled, level, "bruise", victim.name)
    location = zone or _location(rnd, victim)
    effect = rnd.tables.criticals[zone].get(level) if critical else None
    if level == "light" and victim.sheet.tough:
        effect = None  # AM-DMG-18
    suffer(rnd, victim.name, level, "wound", location, effect, edged=type_ in EDGED)
    return Hit(rolled, level, "wound", victim.name)


def _zone(rnd: Round, blow: Blow, victim: Character) -> str:
    """The zone of a critical: the action's, the standing order's, or the least protected."""
    said = blow.intent.zone if blow.intent is not None else ""
    if said:
        return said
    order = rnd.order(blow.actor.name, "critical")
    if order is not None and order.get("zone") in ZONES:
        return order.get("zone")
    return rnd.ask(
        Question(
            label=rnd.label(f"{blow.actor.name}.critical"),
            who=blow.actor.name,
            options=ZONES,
            default=least_protected(victim),
            rule="AM-DMG-05",
            facts={"target": victim.name},
        )
    )


def _location(rnd: Round, victim: Character) -> str:
    if rnd.options.hit_locations != "all":
        return ""
    roll = rnd.roll(victim.name, "location", (TEN,))
    return rnd.tables.faces[roll.faces[0] - 1]


def suffer(  # noqa: PLR0913 -- a wound is told with all of it
    rnd: Round,
    name: str,
    level: str,
    kind: str,
    location: str = "",
    effect: Effect | None = None,
    *,
    edged: bool = False,
    cause: str = "",
    rule: str = "AM-DMG-03",
) -> None:
    """A wound or a bruise of some level, with all that follows from it."""
    if kind == "bruise" and level == "dead":
        level = "fatal"
    effect = effect or Effect()
    rnd.emit(
        Wound(
            target=name,
            level=level,
            kind=kind,
            location=location,
            cause=cause,
            limit=effect.limit,
            bleeding=effect.bleeding if edged else "",
            rule=rule,
        )
    )
    if level == "dead":
        rnd.emit(Death(target=name, rule="AM-WND-03"))
        drops_out(rnd, name)
    elif level == "incapacitated" and kind == "wound":
        gain(rnd, name, "incapacitated", "AM-WND-02")
    elif level in ("incapacitated", "fatal"):
        gain(rnd, name, "unconscious", "AM-NLC-05")
    _effects(rnd, name, location, effect)
    release(rnd, name, ("grappled",))  # AM-NLC-23


def _effects(rnd: Round, name: str, zone: str, effect: Effect) -> None:
    """What a critical does besides the wound: coma among it (AM-DMG-12, AM-DMG-13, AM-DMG-17)."""
    if effect.drops:
        _drop(rnd, name, zone)
    for condition, turns in (("blocked", effect.blocked), ("stunned", effect.stunned)):
        if turns:
            gain(rnd, name, condition, "AM-DMG-17", turns=turns)
    for condition in effect.conditions:
        gain(rnd, name, condition, "AM-DMG-17")
    if effect.limit and rnd.who(name).movement_limit > STANDING_LIMIT:
        gain(rnd, name, "prone", "AM-DMG-09")


def _drop(rnd: Round, name: str, arm: str) -> None:
    """A hurt arm drops what it holds: the right one the weapon, the left one the shield."""
    who = rnd.who(name)
    weapon = who.owned(who.wielded) if who.wielded else None
    two_handed = weapon is not None and weapon.hands > 1
    if weapon is not None and (arm == "right_arm" or two_handed):
        drop(rnd, name, weapon.id, "AM-DMG-17")
    if who.shield is not None and arm == "left_arm":
        drop(rnd, name, who.shield.id, "AM-DMG-17")
