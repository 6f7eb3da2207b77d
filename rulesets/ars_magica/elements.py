"""Elements and accidents: no attack and no defence, straight to damage (AM-ELE)."""

from rulesets.ars_magica.events import ArmorDestroyed, Damage, RulingNeeded
from rulesets.ars_magica.fight import Character
from rulesets.ars_magica.rolls import stress
from rulesets.ars_magica.rows import Armour
from rulesets.ars_magica.turn import Round
from rulesets.ars_magica.wounds import soak_parts, suffer
from rulesets.core.modifiers import Modifier, Total
from rulesets.core.records import dataclass

FULL = ("right_leg", "left_leg")  # what only a whole suit covers (14.4)


@dataclass(frozen=True, slots=True)
class Accident:
    """What strikes somebody by accident.

    Attributes:
        against: Bonus and multiplier, before the die.
        kind: ``heat``, ``cold`` or ``impact``.
        part: Id of the part of the body; empty for the whole of it.
        rule: What the damage follows.
    """

    against: Total
    kind: str
    part: str
    rule: str


def befall(rnd: Round, name: str, accident: Accident) -> str:
    """Damage and soak, both with a stress die of the victim's (AM-ELE-02, AM-ELE-03).

    Returns:
        The level of the wound, or an empty string.
    """
    victim = rnd.who(name)
    worn = _worn(rnd, victim, accident.part)
    counts = worn is not None and _counts(victim, accident.kind, worn)
    parts = soak_parts(rnd, victim, worn if counts else None, "armor")
    against = Total(tuple(Modifier(v, f"soak.{key}", "AM-ELE-03") for key, v in parts.items()))
    dealt = stress(rnd, name, "damage", accident.against)
    soaked = stress(rnd, name, "soak", against)
    rolled = 0 if dealt.zeros else dealt.total
    net = rolled - soaked.total
    rnd.emit(
        Damage(
            target=name,
            total=rolled,
            soak=soaked.total,
            net=net,
            damage_type=accident.kind,
            label=dealt.label,
            soak_label=soaked.label,
            rule=accident.rule,
        )
    )
    if accident.kind != "impact":
        rnd.exposed_to.setdefault(name, set()).add(accident.kind)
    level = rnd.tables.level_of(net, victim.sheet.size)
    if level:
        suffer(rnd, name, level, "wound", cause="accident", rule=accident.rule)
    if counts and worn is not None:
        _spoil(rnd, name, worn, net, accident.kind)
    return level


def _worn(rnd: Round, who: Character, part: str) -> Armour | None:
    """The armour over a part of the body (AM-ELE-09)."""
    where = rnd.tables.parts[part].worn if part else "any"
    if where == "helmet":
        return who.sheet.helmet
    armor = who.armor
    if armor is None or where == "any":
        return armor
    return armor if all(zone in armor.covers for zone in FULL) else None


def _counts(who: Character, kind: str, worn: Armour) -> bool:
    """Against heat in the first round only; metal always against cold (AM-ELE-09, AM-ELE-11)."""
    if kind == "impact" or not who.exposure.get(kind, 0):
        return True
    return kind == "cold" and worn.material == "metal"


def _spoil(rnd: Round, name: str, worn: Armour, net: int, kind: str) -> None:
    """Metal is spoiled by too much; what becomes of the rest is ruled (AM-ELE-10, AM-ELE-14)."""
    if kind == "impact":
        return
    if worn.material == "metal":
        who = rnd.who(name)
        if net >= rnd.tables.figure("metal_spoiled") and who.armor is worn:
            rnd.emit(ArmorDestroyed(target=name, armor=worn.id, rule="AM-ELE-10"))
    elif kind == "heat" and not rnd.who(name).exposure.get(kind, 0):
        rnd.emit(RulingNeeded(actor=name, reason="armor", detail=worn.id, rule="AM-ELE-14"))


def fall_total(rnd: Round, metres: int, surface: str) -> Total:
    """+1 a metre, doubled on rock, half on what gives, rounded up (AM-ELE-13)."""
    return scaled(Modifier(metres, "metres", "AM-ELE-13"), rnd.tables.surfaces[surface], "surface")


def scaled(bonus: Modifier, halves: int, source: str) -> Total:
    """A bonus times some halves; one half is rounded up."""
    if halves == 1:
        step = Modifier(0, source, bonus.rule, "halved_up")
    elif halves == 2:
        return Total((bonus,))
    else:
        step = Modifier(halves // 2, source, bonus.rule, "times")
    return Total((bonus, step))
