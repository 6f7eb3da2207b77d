"""Attack, defence and the other totals: each reason is a function, their order a list.

A source is one named reason why a figure is what it is; the lists at the end of each section are
the order in which a sum is written out for readers.
"""

from collections.abc import Callable
from typing import Final

from rulesets.ars_magica.declared import Intent
from rulesets.ars_magica.fight import HELPLESS, OUT, Character
from rulesets.ars_magica.line import concealment, gait_of, in_hand
from rulesets.ars_magica.rows import CONCEALMENT, PACES, Weapon
from rulesets.ars_magica.turn import Round
from rulesets.core.modifiers import Modifier, Total
from rulesets.core.records import dataclass

DESPERATE: Final = "desperate_defence"


@dataclass(frozen=True, slots=True)
class Blow:
    """One attack and the defence against it, as the situation stands.

    Attributes:
        actor, target: As they stand now.
        weapon: The row that counts.
        kind: ``melee``, ``charge``, a manoeuvre's id …
        missile: Whether it flies.
        bonus: Combat ability added by a great blow or a charge; 0 for none.
        part: Which of several attacks, from 0; -1 for a single one.
        type: Damage type used.
        non_lethal: Struck without killing at a price (AM-NLC-02).
        reaction: A free attack or the one against a disengaging: no First Strike, no joint attack.
        ability: What it is made with.
        unarmed: A manoeuvre with bare hands: the weapon adds nothing.
        uncovered: The target's cover does not help (AM-MIS-05).
        relief: The penalty of the level just paid, where it does not touch this roll (D12).
        intent: The action it is part of, if any.
    """

    rnd: Round
    actor: Character
    target: Character
    weapon: Weapon
    kind: str
    missile: bool = False
    bonus: int = 0
    part: int = -1
    type: str = ""
    non_lethal: bool = False
    reaction: bool = False
    ability: str = ""
    unarmed: bool = False
    uncovered: bool = False
    relief: int = 0
    intent: Intent | None = None

    @property
    def distance(self) -> int:
        """Paces between the two."""
        return self.rnd.fight.distance(self.actor, self.target)


Source = Callable[[Blow], Modifier | None]


def _trait(who: Character, name: str, rule: str) -> Modifier:
    return Modifier(who.sheet.characteristics[name], f"characteristic.{name}", rule)


def _ability(who: Character, ability: str, weapon: str, rule: str) -> Modifier:
    return Modifier(who.score(ability, weapon), f"ability.{ability}", rule)


def _figure(blow: Blow, name: str) -> Modifier:
    row = blow.rnd.tables.figures[name]
    return Modifier(row.value, name, row.rule)


def _penalty(who: Character) -> Modifier | None:
    return Modifier(who.penalty, "penalty", "AM-ATK-12") if who.penalty else None


# ------------------------------------------------------------------ attack


def _dexterity(blow: Blow) -> Modifier:
    return _trait(blow.actor, "dexterity", "AM-MIS-01" if blow.missile else "AM-ATK-01")


def _skill(blow: Blow) -> Modifier:
    """The ability; from the second of several attacks on it counts nothing (AM-SPC-02)."""
    score = 0 if blow.part > 0 else blow.actor.score(blow.ability, blow.weapon.id)
    return Modifier(score, f"ability.{blow.ability}", "AM-ATK-01")


def _weapon(blow: Blow) -> Modifier | None:
    if blow.unarmed or not blow.weapon.attack or blow.weapon.kind == "element":
        return None
    return Modifier(blow.weapon.attack, "weapon", "AM-ATK-01")


def _several(blow: Blow) -> Modifier | None:
    """-3; nothing; -3; -6 … (AM-SPC-02, D11)."""
    step = blow.rnd.tables.figures["several_attacks"]
    if blow.part < 0:
        return None
    times = 1 if blow.part == 0 else blow.part - 1
    if blow.part == 1 and blow.rnd.options.multiple_second == "zero_ability_and_3":
        times = 1
    return Modifier(step.value * times, "several_attacks", step.rule) if times else None


def _bonus(blow: Blow) -> Modifier | None:
    if not blow.bonus:
        return None
    if blow.kind == "great_blow":
        return Modifier(blow.bonus, "great_blow", "AM-SPC-11")
    rule = "AM-MNT-08" if blow.kind == "mounted_charge" else "AM-SPC-07"
    return Modifier(blow.bonus, "charge", rule)


def _ride(blow: Blow) -> Modifier | None:
    return None if blow.missile else ride_bonus(blow.rnd, blow.actor)


def ride_bonus(rnd: Round, who: Character) -> Modifier | None:
    """Ride, at most +3, in the saddle of a horse trained for war (AM-MNT-01, AM-MNT-06)."""
    if not who.mounted_on or not rnd.who(who.mounted_on).sheet.trained:
        return None
    value = min(who.score("ride"), rnd.tables.figure("ride_cap"))
    return Modifier(value, "ride", "AM-MNT-01") if value > 0 else None


def _first_strike(blow: Blow) -> Modifier | None:
    if blow.reaction or not blow.actor.first_strike:
        return None
    return _figure(blow, "first_strike")


def _flank(blow: Blow) -> Modifier | None:
    side = blow.rnd.fight.scene.flank.get((blow.actor.name, blow.target.name), "")
    return _figure(blow, side) if side and not blow.missile else None


def _joint(blow: Blow) -> Modifier | None:
    """+1 for every other of his side who strikes at the same one in this round (AM-ATK-06)."""
    if blow.missile or blow.reaction:
        return None
    cast, actor = blow.rnd.fight.cast, blow.actor
    others = 0
    for name in blow.rnd.places.get(blow.target.name, ()):
        who = cast[name]
        if name != actor.name and who.side == actor.side and can_strike_still(who):
            others += 1
    if not others:
        return None
    row = blow.rnd.tables.figures["joint_attack"]
    return Modifier(row.value * others, "joint_attack", row.rule)


def can_strike_still(who: Character) -> bool:
    """Whether somebody could still strike, from the ground too (D39)."""
    conditions = who.conditions
    return not conditions or (
        "stunned" not in conditions
        and conditions.isdisjoint(OUT)
        and conditions.isdisjoint(HELPLESS)
    )


def _high_ground(blow: Blow) -> Modifier | None:
    return _figure(blow, "high_ground") if is_higher(blow.rnd, blow.actor, blow.target) else None


def is_higher(rnd: Round, one: Character, other: Character) -> bool:
    """Whether the one stands higher; a rider and his mount go together (AM-SIT-01, AM-SIT-02)."""
    high = rnd.fight.scene.high_ground
    if not high:
        return False
    names = {one.name, one.mounted_on, one.ridden_by}
    others = {other.name, other.mounted_on, other.ridden_by}
    return not high.isdisjoint(names) and high.isdisjoint(others)


def _concealed_attacker(blow: Blow) -> Modifier | None:
    """Striking out of the dark in melee (AM-SIT-06)."""
    if blow.missile:
        return None
    level = concealment(blow.rnd.fight, blow.target, blow.actor)
    if not level:
        return None
    row = blow.rnd.tables.concealment[CONCEALMENT[level - 1]]
    return Modifier(row.attack, "concealed_attacker", "AM-SIT-06")


def _type(blow: Blow) -> Modifier | None:
    if not blow.type or not blow.weapon.types or blow.type == blow.weapon.types[0]:
        return None
    return _figure(blow, "secondary_type")


def _non_lethal(blow: Blow) -> Modifier | None:
    return _figure(blow, "non_lethal") if blow.non_lethal else None


def _outside(blow: Blow) -> Modifier | None:
    """+5 to keep somebody at bay who is still outside (AM-SPC-13)."""
    if blow.kind != "keep_at_bay" or blow.target.name in blow.actor.overcome_by:
        return None
    return _figure(blow, "outside")


def _counter(blow: Blow) -> Modifier | None:
    bonus = 0 if blow.reaction else blow.actor.counter_bonus.get(blow.target.name, 0)
    return Modifier(bonus, "counter", "AM-SPC-10") if bonus else None


def _prone_target(blow: Blow) -> Modifier | None:
    bonus = blow.rnd.options.prone_target_bonus
    if not bonus or blow.missile or "prone" not in blow.target.conditions:
        return None
    return Modifier(bonus, "prone_target", "AM-ATK-01")


def _range(blow: Blow) -> Modifier | None:
    """-3 for each increment after the first (AM-MIS-07, D9)."""
    increment = blow.weapon.range
    if not blow.missile or not increment:
        return None
    if blow.rnd.options.range_increments == "started":
        count = -(-blow.distance // increment) - 1
    else:
        count = blow.distance // increment - 1
    row = blow.rnd.tables.figures["range_increment"]
    return Modifier(row.value * count, "range_increment", row.rule) if count > 0 else None


def _moving_horse(blow: Blow) -> Modifier | None:
    """Shooting from a horse that moves, before or after the shot (AM-MNT-16)."""
    if not blow.missile or not blow.actor.mounted_on:
        return None
    gaits = blow.rnd.tables.gaits
    names = [gait_of(blow.rnd.fight, blow.actor)]
    role = blow.rnd.roles.get(blow.actor.mounted_on)
    names += [intent.pace for intent in (role.queue if role else ()) if intent.pace in gaits]
    value = min(gaits[name].shooting for name in names)
    return Modifier(value, "moving_horse", "AM-MNT-16") if value else None


def _held(blow: Blow) -> Modifier | None:
    return _figure(blow, "held") if "grappled" in blow.actor.conditions else None


def _attack_penalty(blow: Blow) -> Modifier | None:
    return _relieved(blow.actor, blow.relief)


def _relieved(who: Character, relief: int) -> Modifier | None:
    value = who.penalty + relief
    return Modifier(value, "penalty", "AM-ATK-12") if value else None


ATTACK: Final[tuple[Source, ...]] = (
    _dexterity,
    _skill,
    _weapon,
    _bonus,
    _ride,
    _first_strike,
    _flank,
    _joint,
    _high_ground,
    _concealed_attacker,
    _outside,
    _counter,
    _prone_target,
    _several,
    _type,
    _non_lethal,
    _range,
    _moving_horse,
    _held,
    _attack_penalty,
)


# ------------------------------------------------------------------ defence


@dataclass(frozen=True, slots=True)
class Guard:
    """What somebody defends himself with (AM-ATK-10, AM-MIS-11, AM-MIS-12)."""

    ability: str
    weapon: str
    defence: int
    shield: int


def guard_of(rnd: Round, who: Character) -> Guard:
    """The weapon in hand, a shield alone, or bare hands."""
    weapon = in_hand(rnd.fight, who)
    shield = who.shield
    cover = 0
    if shield is not None and not (shield.on_foot_only and who.mounted_on):
        cover = shield.defence
    if weapon is None:
        natural = who.sheet.natural_weapons
        if natural:
            return Guard(natural[0].ability, natural[0].id, natural[0].defence, cover)
        if cover:
            return Guard("single_weapon", "", 0, cover)
        return Guard("brawl", "", 0, 0)
    if weapon.shoots:
        return Guard("brawl", "", 0, 0)
    if weapon.hands > 1:
        cover = 0
    return Guard(weapon.ability, weapon.id, weapon.defence, cover)


@dataclass(frozen=True, slots=True)
class Ward:
    """A defence against one attacker.

    Attributes:
        who: Who defends himself.
        desperate: Whether a desperate defence is paid for.
        extra: Bonus of earlier tries to disengage.
    """

    rnd: Round
    who: Character
    attacker: Character
    guard: Guard
    missile: bool = False
    uncovered: bool = False
    desperate: bool = False
    extra: int = 0
    relief: int = 0


Guarded = Callable[[Ward], Modifier | None]


def _quickness(ward: Ward) -> Modifier:
    quick = not ward.missile or ward.rnd.options.missile_defence == "quickness"
    rule = "AM-MIS-13" if ward.missile else "AM-ATK-02"
    return _trait(ward.who, "quickness" if quick else "dexterity", rule)


def _guard_skill(ward: Ward) -> Modifier:
    return _ability(ward.who, ward.guard.ability, ward.guard.weapon, "AM-ATK-10")


def _guard_weapon(ward: Ward) -> Modifier | None:
    """The weapon's defence; against missiles none (AM-MIS-16)."""
    if ward.missile or not ward.guard.defence:
        return None
    return Modifier(ward.guard.defence, "weapon", "AM-ATK-02")


def _shield(ward: Ward) -> Modifier | None:
    value = ward.guard.shield
    return Modifier(value, "shield", "AM-ATK-02") if value else None


def _guard_ride(ward: Ward) -> Modifier | None:
    """Ride helps in defence, against shots too (AM-MNT-01, AM-MNT-17)."""
    return ride_bonus(ward.rnd, ward.who)


def _guard_high(ward: Ward) -> Modifier | None:
    if not is_higher(ward.rnd, ward.who, ward.attacker):
        return None
    row = ward.rnd.tables.figures["high_ground"]
    return Modifier(row.value, "high_ground", row.rule)


def _hidden(ward: Ward) -> Modifier | None:
    """Cover or concealment, the better one (AM-SIT-03, AM-SIT-04, AM-SIT-05)."""
    tables, who = ward.rnd.tables, ward.who
    behind = "" if ward.uncovered else who.cover
    cover = tables.cover[behind] if behind else 0
    level = concealment(ward.rnd.fight, ward.attacker, who)
    hidden = tables.concealment[CONCEALMENT[level - 1]].defence if level else 0
    if cover and cover >= hidden:
        return Modifier(cover, f"cover.{behind}", "AM-SIT-03")
    if hidden:
        return Modifier(hidden, f"concealment.{CONCEALMENT[level - 1]}", "AM-SIT-05")
    return None


def _desperate(ward: Ward) -> Modifier | None:
    if not ward.desperate:
        return None
    value = ward.who.score(ward.guard.ability, ward.guard.weapon)
    return Modifier(value, DESPERATE, "AM-SPC-15") if value else None


def _tries(ward: Ward) -> Modifier | None:
    return Modifier(ward.extra, "disengage_try", "AM-DIS-05") if ward.extra else None


def _guard_held(ward: Ward) -> Modifier | None:
    if "grappled" not in ward.who.conditions:
        return None
    row = ward.rnd.tables.figures["held"]
    return Modifier(row.value, "held", row.rule)


def _guard_penalty(ward: Ward) -> Modifier | None:
    return _relieved(ward.who, ward.relief)


def _ease(ward: Ward) -> Modifier:
    row = ward.rnd.tables.figures["missile_ease"]
    return Modifier(row.value, "missile_ease", row.rule)


def _distance(ward: Ward) -> Modifier | None:
    """By distance, or -3 for one who is stood over (14.6)."""
    rnd = ward.rnd
    if (ward.attacker.name, ward.who.name) in rnd.fight.scene.overhead:
        row = rnd.tables.figures["overhead"]
        return Modifier(row.value, "overhead", row.rule)
    value = rnd.tables.distance_ease(rnd.fight.distance(ward.who, ward.attacker))
    return Modifier(value, "distance", "AM-MIS-15") if value else None


def _target_moves(ward: Ward) -> Modifier | None:
    """His pace in his last turn, or the gait of his horse (14.6, 14.7, D40)."""
    fight, who, tables = ward.rnd.fight, ward.who, ward.rnd.tables
    if who.mounted_on or who.pace not in PACES:
        value = tables.gaits[gait_of(fight, who)].shot_at
        return Modifier(value, "moving_horse_target", "AM-MNT-31") if value else None
    return Modifier(tables.paces[who.pace].shot_at, "moving_target", "AM-MIS-15")


def _size(ward: Ward) -> Modifier | None:
    size = ward.who.sheet.size
    return Modifier(-size, "size", "AM-MIS-18") if size else None


MELEE_DEFENCE: Final[tuple[Guarded, ...]] = (
    _quickness,
    _guard_skill,
    _guard_weapon,
    _shield,
    _guard_ride,
    _guard_high,
    _hidden,
    _desperate,
    _tries,
    _guard_held,
    _guard_penalty,
)
ACTIVE_DEFENCE: Final[tuple[Guarded, ...]] = (
    _quickness,
    _guard_skill,
    _shield,
    _ease,
    _distance,
    _target_moves,
    _hidden,
    _size,
    _guard_ride,
    _guard_high,
    _desperate,
    _tries,
    _guard_held,
    _guard_penalty,
)
PASSIVE_DEFENCE: Final[tuple[Guarded, ...]] = (_ease, _distance, _target_moves, _hidden, _size)


# ------------------------------------------------------------------ other totals


def sum_of(*parts: Modifier | None) -> Total:
    """A total of the parts that there are."""
    return Total(tuple(part for part in parts if part is not None))


def trait(who: Character, name: str, rule: str) -> Modifier:
    """A characteristic as part of a total."""
    return _trait(who, name, rule)


def ability(who: Character, name: str, rule: str, weapon: str = "") -> Modifier:
    """An ability as part of a total."""
    return _ability(who, name, weapon, rule)


def penalty(who: Character) -> Modifier | None:
    """Wounds, bruises and fatigue as part of a total."""
    return _penalty(who)


def encumbrance(who: Character) -> Modifier | None:
    """Encumbrance as part of a total: it is taken away."""
    load = who.sheet.encumbrance
    return Modifier(-load, "encumbrance", "AM-ENC-01") if load else None


def initiative_total(rnd: Round, who: Character) -> Total:
    """Quickness, the weapon's initiative, encumbrance and penalties (AM-INI-01).

    Bare hands and spells add nothing (AM-INI-03, AM-MAG-01).
    """
    weapon = in_hand(rnd.fight, who)
    if weapon is None and who.sheet.natural_weapons:
        weapon = who.sheet.natural_weapons[0]
    return sum_of(
        _trait(who, "quickness", "AM-INI-01"),
        Modifier(weapon.initiative, "weapon", "AM-INI-01") if weapon else None,
        encumbrance(who),
        _penalty(who),
    )


def priority_total(who: Character, skill: str, weapon: str) -> Total:
    """Action Priority: Quickness, ability, encumbrance and penalties (AM-OPP-08)."""
    return sum_of(
        _trait(who, "quickness", "AM-OPP-08"),
        _ability(who, skill, weapon, "AM-OPP-11"),
        encumbrance(who),
        _penalty(who),
    )
