"""Percentages of attacks, defences and other rolls, as lists of named sources (AQ-MOD-01).

A source is a small function that looks at one ``Effort`` and says what it adds, or nothing. The
lists at the end are read from top to bottom: (1) skill, (2) crippled limbs, (3) armour, strength
shortfall and shield, (4) cap at Riding, (5) halvings of actions and stances, (6) plus and minus of
the action, (7) table 2.4, range, preparation and rulings.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from rulesets.aquelarre.declared import Action, Intent
from rulesets.aquelarre.fight import Character, Fight
from rulesets.aquelarre.rolls import ruling as ruling_on
from rulesets.aquelarre.rows import Shield, Weapon, Zone
from rulesets.aquelarre.turn import Round
from rulesets.core.modifiers import Modifier, Total, total

SHORTFALL: Final = 5  # percent for each point of Strength that is missing
STEP_UP: Final = 25  # percent for each step of a hard attack
SWEEP_EACH: Final = 20
PARRY_EACH: Final = 25
POINT_BLANK: Final = 2  # varas: nearer than this a shot has no distance (D-08)


@dataclass(slots=True)
class Effort:
    """One roll about to be made, with all that its figure may depend on.

    Attributes:
        purpose: Dice purpose of the catalogue, for rulings.
        other: The enemy attacked, or defended against.
        shield: The shield that is used, for a shield parry or a shield blow.
        halved: A further halving that the moment brings: a weaving target, a feint, a critical
            attack dodged; with its own source and rule.
        enemies: Named in a sweep or a multiple parry.
        bonus: +50 of a full defence.
        again: Label of a roll that is compared once more.
    """

    rnd: Round
    actor: Character
    skill: str
    purpose: str
    other: Character | None = None
    action: Action | None = None
    intent: Intent | None = None
    weapon: Weapon | None = None
    shield: Shield | None = None
    zone: Zone | None = None
    distance: int = 1
    ranged: bool = False
    off_hand: bool = False
    leaving: bool = False
    halved: tuple[tuple[str, str], ...] = ()
    enemies: int = 1
    bonus: int = 0
    again: str = ""


Source = Callable[[Effort], Modifier | None]


# ------------------------------------------------------------------ (1) to (4): the skill


def skill(effort: Effort) -> Modifier | None:
    """The skill as it stands on the sheet."""
    return effort.actor.figures.skill(effort.skill)


def crippled_limbs(effort: Effort) -> Modifier | None:
    """Halved when arms or legs have taken too much (AQ-LOC-05, AQ-LOC-06)."""
    who = effort.actor
    if not who.damage_arms and not who.damage_legs:
        return None
    base = effort.rnd.tables.skills[effort.skill]
    if not who.is_crippled(base):
        return None
    # Seed 233 rounds this halving itself, whatever option D-02 says of manoeuvres.
    rule = "AQ-LOC-05" if base == "dexterity" else "AQ-LOC-06"
    return Modifier(0, "crippled_limbs", rule, "halved_up")


def armour(effort: Effort) -> Modifier | None:
    """What armour takes off skills based on Agility (AQ-ARM-09)."""
    penalty = effort.actor.figures.armour_skills
    if penalty is None or effort.rnd.tables.skills[effort.skill] != "agility":
        return None
    return penalty


def missing_strength(character: Character, least: int) -> int:
    """Points of Strength short of a minimum."""
    return max(0, least - character.figures.characteristics["strength"])


def weapon_shortfall(effort: Effort) -> Modifier | None:
    """-5% for each point of Strength below the weapon's minimum (AQ-DMG-05)."""
    weapon = effort.weapon
    if weapon is None or not effort.rnd.options.min_strength:
        return None
    short = weapon.min_strength - effort.actor.figures.characteristics["strength"]
    if short <= 0:
        return None
    return Modifier(-SHORTFALL * short, "strength_shortfall", "AQ-DMG-05")


def parry_shortfall(effort: Effort) -> Modifier | None:
    """The same for a parry, where the table plays it so (D-04)."""
    if not effort.rnd.options.min_strength_affects_parry:
        return None
    return weapon_shortfall(effort)


def shield_shortfall(effort: Effort) -> Modifier | None:
    """-5% for each point of Strength below the shield's minimum (AQ-ARM-12)."""
    if effort.shield is None:
        return None
    short = missing_strength(effort.actor, effort.shield.min_strength)
    return Modifier(-SHORTFALL * short, "shield_shortfall", "AQ-ARM-12") if short else None


def shield_size(effort: Effort) -> Modifier | None:
    """What a large shield adds to its own skill (AQ-ARM-13)."""
    shield = effort.shield
    if shield is None or not shield.skill:
        return None
    return Modifier(shield.skill, "shield_size", "AQ-ARM-13")


def riding_cap(effort: Effort) -> Modifier | None:
    """On horseback no percentage is above Riding; what comes later is added after (AQ-MNT-01)."""
    if "mounted" not in effort.actor.conditions:
        return None
    riding = skill_total(effort.rnd, effort.actor, "riding").value
    return Modifier(riding, "riding_cap", "AQ-MNT-01", "capped")


# ------------------------------------------------------------------ (5) halvings


def _half(effort: Effort, source: str, rule: str) -> Modifier:
    """A halving, rounded up unless the table plays it otherwise (AQ-ROL-07, D-02).

    For a dodge against a critical the seed itself says up (AQ-DEF-12).
    """
    up = effort.rnd.options.half_rounding == "up" or rule == "AQ-DEF-12"
    return Modifier(0, source, rule, "halved_up" if up else "halved_down")


def manoeuvre(effort: Effort) -> Modifier | None:
    """Manoeuvres that are made at half (a feint, disarming, tripping ...)."""
    action = effort.action
    if action is None or not action.halved:
        return None
    return _half(effort, f"action.{action.id}", action.rule)


def full_guard(effort: Effort) -> Modifier | None:
    """Attacks and shield parries are halved behind a shield in full guard (AQ-DEF-17)."""
    if "full_guard" not in effort.actor.conditions:
        return None
    return _half(effort, "full_guard", "AQ-DEF-17")


def moment(effort: Effort) -> Modifier | None:
    """A halving that the moment brings: a feint met, a target that weaves."""
    if not effort.halved:
        return None
    source, rule = effort.halved[0]
    return _half(effort, source, rule)


def second_moment(effort: Effort) -> Modifier | None:
    """A second one: a dodge halved by a feint and by its being a critical attack."""
    if len(effort.halved) < 2:
        return None
    source, rule = effort.halved[1]
    return _half(effort, source, rule)


# ------------------------------------------------------------------ (6) the action


def action_plus(effort: Effort) -> Modifier | None:
    """What the action itself adds: precise +25, quick -50, stunning -25 ..."""
    action = effort.action
    if action is None or not action.to_hit:
        return None
    return Modifier(action.to_hit, f"action.{action.id}", action.rule)


def hard_attack(effort: Effort) -> Modifier | None:
    """-25% for each step up the damage bonus table (AQ-ATK-11)."""
    if effort.action is None or effort.action.id != "strong_attack" or effort.intent is None:
        return None
    return Modifier(-STEP_UP * effort.intent.levels, "action.strong_attack", "AQ-ATK-11")


def sweep(effort: Effort) -> Modifier | None:
    """-20% for each enemy named after the first (AQ-ATK-15)."""
    if effort.enemies < 2:
        return None
    return Modifier(-SWEEP_EACH * (effort.enemies - 1), "action.sweep", "AQ-ATK-15")


def leaving(effort: Effort) -> Modifier | None:
    """+25% against somebody who turns to leave (AQ-DEF-22)."""
    if not effort.leaving:
        return None
    return effort.rnd.tables.modifiers["leaving"].attack


def multiple_parry(effort: Effort) -> Modifier | None:
    """-25% for each enemy named after the first (AQ-DEF-05)."""
    if effort.enemies < 2:
        return None
    return Modifier(-PARRY_EACH * (effort.enemies - 1), "multiple_parry", "AQ-DEF-05")


def full_defence(effort: Effort) -> Modifier | None:
    """+50% of a full defence (AQ-DEF-16)."""
    return Modifier(effort.bonus, "action.full_defence", "AQ-DEF-16") if effort.bonus else None


# ------------------------------------------------------------------ (7) attacks


def is_behind_of(fight: Fight, name: str, enemy: str) -> bool:
    """Whether somebody stands behind an enemy."""
    behind = fight.scene.behind
    return bool(behind) and name in behind.get(enemy, ())


def is_behind(rnd: Round, who: Character, enemy: Character) -> bool:
    """Whether somebody stands behind an enemy."""
    return is_behind_of(rnd.fight, who.name, enemy.name)


def is_higher(rnd: Round, who: Character) -> bool:
    """Whether somebody stands on higher ground or sits on a mount."""
    return "mounted" in who.conditions or who.name in rnd.fight.scene.higher


def from_behind(effort: Effort) -> Modifier | None:
    """+50% from behind (AQ-MOD-02)."""
    other = effort.other
    if other is None or not is_behind(effort.rnd, effort.actor, other):
        return None
    return effort.rnd.tables.modifiers["behind"].attack


def by_surprise(effort: Effort) -> Modifier | None:
    """+25% against the surprised (AQ-AMB-03), unless the back counts already (AQ-MOD-10)."""
    other = effort.other
    if other is None or "surprised" not in other.conditions:
        return None
    rnd = effort.rnd
    if rnd.options.surprise_and_back == "highest" and is_behind(rnd, effort.actor, other):
        return None
    return rnd.tables.modifiers["surprise"].attack


def at_enemy_behind(effort: Effort) -> Modifier | None:
    """-50% against an enemy who is behind oneself (AQ-MOD-02)."""
    other = effort.other
    if other is None or not is_behind(effort.rnd, other, effort.actor):
        return None
    return effort.rnd.tables.modifiers["enemy_behind"].attack


def in_melee(effort: Effort) -> Modifier | None:
    """+50% against an enemy in melé with oneself (AQ-MOV-05)."""
    other = effort.other
    if other is None or other.name not in effort.actor.melee_with:
        return None
    return effort.rnd.tables.modifiers["in_melee"].attack


def target_on_ground(effort: Effort) -> Modifier | None:
    """+50% against somebody on the ground (AQ-MOD-03)."""
    if effort.other is None or "prone" not in effort.other.conditions:
        return None
    return effort.rnd.tables.modifiers["target_on_ground"].attack


def while_on_ground(effort: Effort) -> Modifier | None:
    """-25% while on the ground oneself (AQ-MOD-03)."""
    if "prone" not in effort.actor.conditions:
        return None
    return effort.rnd.tables.modifiers["on_ground"].attack


def from_above(effort: Effort) -> Modifier | None:
    """+25% from a higher position; none between two on the same height (AQ-MOD-04, AQ-MNT-02)."""
    other, rnd = effort.other, effort.rnd
    if other is None or not is_higher(rnd, effort.actor) or is_higher(rnd, other):
        return None
    return rnd.tables.modifiers["height"].attack


def on_the_move(effort: Effort) -> Modifier | None:
    """-10% after a movement, and in a charge (AQ-MOD-05)."""
    action = effort.action
    if not effort.rnd.roles[effort.actor.name].moved and (action is None or not action.moves):
        return None
    return effort.rnd.tables.modifiers["on_the_move"].attack


def off_hand(effort: Effort) -> Modifier | None:
    """-25% with the off hand (AQ-MOD-06)."""
    return effort.rnd.tables.modifiers["off_hand"].attack if effort.off_hand else None


def target_size(effort: Effort) -> Modifier | None:
    """+20% against a large target, -20% against a small one (AQ-MOD-07)."""
    if effort.other is None or effort.other.sheet.size == "normal":
        return None
    return effort.rnd.tables.modifiers[f"{effort.other.sheet.size}_target"].attack


def aim(effort: Effort) -> Modifier | None:
    """Aiming at a zone (AQ-MOD-08)."""
    return None if effort.zone is None else effort.zone.modifier


def light(effort: Effort) -> Modifier | None:
    """Fog, moonlight, darkness (AQ-MOD-09)."""
    dim = effort.rnd.fight.scene.light
    return None if dim == "day" else effort.rnd.tables.modifiers[f"light_{dim}"].attack


def distance(effort: Effort) -> Modifier | None:
    """Short, medium and long distance of a shot or a throw (AQ-RNG-01)."""
    if not effort.ranged or effort.weapon is None:
        return None
    if effort.distance < POINT_BLANK and effort.rnd.options.point_blank == "none":
        return None
    band = band_of(effort.actor, effort.weapon, effort.distance)
    return effort.rnd.tables.modifiers[f"range_{band}"].attack if band else None


def preparation(effort: Effort) -> Modifier | None:
    """+10% for each whole round of preparation (AQ-OTH-08)."""
    bonus = effort.actor.prep_bonus
    return Modifier(bonus, "preparation", "AQ-OTH-08") if bonus else None


def by_ruling(effort: Effort) -> Modifier | None:
    """What the game master has ruled (AQ-MOD-11)."""
    return ruling_on(effort.rnd, effort.actor.name, effort.purpose, effort.again)


def bands_of(character: Character, weapon: Weapon) -> tuple[int, ...]:
    """Varas of short, medium and long distance (AQ-RNG-01, AQ-RNG-03).

    With Strength 12 a thrown knife reaches 6, 12 and 24.
    """
    if weapon.missile:
        return weapon.bands
    strength = character.figures.characteristics["strength"]
    return (-(-strength // 2), strength, strength * 2)


def band_of(character: Character, weapon: Weapon, varas: int) -> str:
    """``short``, ``medium``, ``long``, or empty beyond them (AQ-RNG-02)."""
    bands = bands_of(character, weapon)
    for name, limit in zip(("short", "medium", "long"), bands, strict=True):
        if varas <= limit:
            return name
    return ""


# ------------------------------------------------------------------ (7) defences


def enemy_behind(effort: Effort) -> Modifier | None:
    """-50% against an enemy who is behind (AQ-MOD-02)."""
    other = effort.other
    if other is None or not is_behind(effort.rnd, other, effort.actor):
        return None
    return effort.rnd.tables.modifiers["behind"].defence


def surprised(effort: Effort) -> Modifier | None:
    """-25% in the round of surprise, unless the back counts already (AQ-AMB-03, AQ-MOD-10)."""
    if "surprised" not in effort.actor.conditions:
        return None
    rnd, other = effort.rnd, effort.other
    highest = rnd.options.surprise_and_back == "highest"
    if highest and other is not None and is_behind(rnd, other, effort.actor):
        return None
    return rnd.tables.modifiers["surprise"].defence


def from_below(effort: Effort) -> Modifier | None:
    """-25% from a lower position or on the ground, once (AQ-MOD-04)."""
    rnd, who, other = effort.rnd, effort.actor, effort.other
    if "prone" in who.conditions:
        return rnd.tables.modifiers["on_ground"].defence
    if other is None or not is_higher(rnd, other) or is_higher(rnd, who):
        return None
    return rnd.tables.modifiers["height"].defence


def defending_on_the_move(effort: Effort) -> Modifier | None:
    """-10% after a movement (AQ-MOD-05)."""
    if not effort.rnd.roles[effort.actor.name].moved:
        return None
    return effort.rnd.tables.modifiers["on_the_move"].defence


def defending_in_the_dark(effort: Effort) -> Modifier | None:
    """Fog, moonlight, darkness (AQ-MOD-09)."""
    dim = effort.rnd.fight.scene.light
    return None if dim == "day" else effort.rnd.tables.modifiers[f"light_{dim}"].defence


# ------------------------------------------------------------------ the lists


SKILL: Final[tuple[Source, ...]] = (skill, crippled_limbs, armour)

# Read top to bottom: the order in which the sum is written out for readers.
TO_HIT: Final[tuple[Source, ...]] = (
    skill,
    crippled_limbs,
    armour,
    weapon_shortfall,
    shield_shortfall,
    shield_size,
    riding_cap,
    manoeuvre,
    full_guard,
    moment,
    action_plus,
    hard_attack,
    sweep,
    leaving,
    from_behind,
    by_surprise,
    at_enemy_behind,
    in_melee,
    target_on_ground,
    while_on_ground,
    from_above,
    on_the_move,
    off_hand,
    target_size,
    aim,
    light,
    distance,
    preparation,
    by_ruling,
)
DEFENCE: Final[tuple[Source, ...]] = (
    skill,
    crippled_limbs,
    armour,
    parry_shortfall,
    riding_cap,
    moment,
    second_moment,
    multiple_parry,
    full_defence,
    enemy_behind,
    surprised,
    from_below,
    defending_on_the_move,
    defending_in_the_dark,
    by_ruling,
)
SHIELD_DEFENCE: Final[tuple[Source, ...]] = (
    skill,
    crippled_limbs,
    armour,
    shield_shortfall,
    shield_size,
    riding_cap,
    full_guard,
    moment,
    multiple_parry,
    full_defence,
    enemy_behind,
    surprised,
    from_below,
    defending_on_the_move,
    defending_in_the_dark,
    by_ruling,
)
# Slipping out of a melé takes no modifiers of table 2.4 (AQ-DEF-24).
DISENGAGE: Final[tuple[Source, ...]] = (
    skill,
    crippled_limbs,
    armour,
    riding_cap,
    full_defence,
    by_ruling,
)
# Rolls that are neither attack nor defence: the skill, and what the game master rules.
CHECK: Final[tuple[Source, ...]] = (skill, crippled_limbs, armour, by_ruling)


def skill_total(rnd: Round, who: Character, name: str) -> Total:
    """A skill as far as step (3) of AQ-MOD-01."""
    return total(SKILL, Effort(rnd, who, name, ""))


def check_total(rnd: Round, who: Character, name: str, purpose: str) -> Total:
    """A skill for a roll that is neither attack nor defence."""
    return total(CHECK, Effort(rnd, who, name, purpose))
