"""Abilities with all their modifiers, as lists of named sources.

A source looks at one effort and says what it adds, in parts; most say nothing. The lists at the end
are read from top to bottom: the order in which a sum is written out for its readers.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeVar

from rulesets.anima.blow import Blow
from rulesets.anima.declared import ATTACK, SUPERNATURAL
from rulesets.anima.fight import Character, Fight
from rulesets.anima.rows import SITUATIONS, Weapon
from rulesets.anima.sheet import Skill
from rulesets.anima.turn import Round
from rulesets.core.modifiers import Modifier, Total

ACTIVE_EACH: Final = 25  # AN-ACT-03
FATIGUE_EACH: Final = 15  # AN-FAT-02
ADDITIONAL: Final = {"small": 20, "medium": 30, "large": 40}  # AN-XAT-02
SECOND_HAND: Final = 40  # AN-TWO-01
AMBIDEXTROUS: Final = 10  # AN-TWO-02
SECONDARY: Final = 10  # AN-MAN-16
FURTHER: Final = (0, 30, 50, 70, 90)  # AN-DEF-03
RESIST_BLOW: Final = 80  # AN-SPD-02
PUSH: Final = 30  # AN-SPD-01
COVERING: Final = 40  # AN-SHD-07
ELEMENT: Final = 120  # AN-SUP-10
AREA_PARRY: Final = 120  # AN-SUP-12
AREA_DODGE: Final = 80  # AN-SUP-13
READY_TURN: Final = 20  # AN-RNG-08
# Stances: attack, defence, and whether the +10 is for hand to hand only (AN-STA-01 to -04).
STANCE_ATTACK: Final = {"offensive": 10, "all_out_attack": 30, "defensive": -30}
STANCE_DEFENCE: Final = {"offensive": -30, "total_defence": 30, "defensive": 10}
STANCE_RULES: Final = {
    "offensive": "AN-STA-01",
    "all_out_attack": "AN-STA-02",
    "total_defence": "AN-STA-03",
    "defensive": "AN-STA-04",
}
ELEMENTS: Final = ("cold", "electricity", "heat")

Parts = Sequence[Modifier]
NOTHING: Final[Parts] = ()
Column = Literal["attack", "parry", "dodge", "initiative", "physical"]
_BLIND: Final = ("partial_blindness", "total_blindness")


@dataclass(slots=True)
class Effort:
    """An attack about to be rolled."""

    rnd: Round
    who: Character
    blow: Blow


@dataclass(slots=True)
class Defending:
    """A defence that might be made.

    Attributes:
        kind: ``parry``, ``dodge`` or ``shield``.
        weapon: What it parries with; bare hands where there is nothing else.
        draws: Whether that weapon has to be drawn first (AN-DRW-01).
        psychic: Which projection a shield has.
        resists: Takes the blow standing (AN-SPD-02).
        pushes: Pushes somebody aside (AN-SPD-01); ``covers``: with its shield (AN-SHD-07).
    """

    rnd: Round
    who: Character
    blow: Blow
    kind: str
    weapon: Weapon | None = None
    draws: bool = False
    psychic: bool = False
    resists: bool = False
    pushes: bool = False
    covers: bool = False
    fatigue: int = 0


@dataclass(slots=True)
class Doing:
    """Initiative, a secondary ability or a roll of potential."""

    rnd: Round
    who: Character
    weapons: tuple[Weapon, ...] = ()
    skill: Skill | None = None
    fatigue: int = 0


@dataclass(slots=True)
class Check:
    """One side of a check of characteristics (D20)."""

    rnd: Round
    who: Character
    characteristic: str
    modifiers: list[Modifier] = field(default_factory=list)
    fatigue: int = 0


S = TypeVar("S", Effort, Defending, Doing, Check)
Source = Callable[[S], Parts]


def gather(sources: Iterable[Source[S]], effort: S) -> Total:
    """Ask each source in order what it has to say."""
    parts: list[Modifier] = []
    for source in sources:
        parts += source(effort)
    return Total(tuple(parts))


def control_total(sources: Iterable[Source[Check]], check: Check) -> Total:
    """The figure of one side of a check of characteristics."""
    return gather(sources, check)


# ------------------------------------------------------------------ of everybody and everything


def hindrances(who: Character) -> Parts:
    """Penalties to all action: pain, what lasts, cold, shock, fatigue (AN-CRI-14, AN-FAT-08)."""
    short = who.fatigue < who.sheet.max_fatigue and who.fatigue in who.sheet.fatigue_penalties
    if not (who.pains or who.lasting_penalty or who.cold_penalty or who.shock_penalty or short):
        return NOTHING
    found = []
    if who.pain:
        found.append(Modifier(-who.pain, "penalty.pain", "AN-CRI-14"))
    if who.lasting_penalty:
        found.append(Modifier(-who.lasting_penalty, "penalty.lasting", "AN-CRI-06"))
    if who.cold_penalty:
        found.append(Modifier(-who.cold_penalty, "penalty.cold", "AN-ELE-02"))
    if who.shock_penalty:
        found.append(Modifier(-who.shock_penalty, "penalty.shock", "AN-ELE-03"))
    if short:
        rule = "AN-FAT-09" if who.sheet.max_fatigue < 5 else "AN-FAT-08"
        penalty = who.sheet.fatigue_penalties[who.fatigue]
        found.append(Modifier(penalty, "penalty.fatigue", rule))
    return found


def by_ruling(fight: Fight, name: str, keys: tuple[str, ...]) -> Parts:
    """What the game master's scene adds (AN-SIT-21)."""
    row = fight.scene.modifiers.get(name)
    if not row:
        return NOTHING
    return [Modifier(row[key], "scene", "AN-SIT-21") for key in keys if row.get(key)]


def by_round(rnd: Round, name: str, purpose: str) -> Parts:
    """What the game master's rulings of this round add to a roll (AN-SIT-21).

    ``NAME.purpose`` is for every such roll of the round, ``NAME.purpose#2`` for the second one.
    """
    rulings = rnd.fight.rulings
    if not rulings:
        return NOTHING
    every = f"{name}.{purpose}"
    this = rnd.next_label(every)
    labels = (every, f"{every}#1" if this == every else this)
    value = sum(rulings.get(label, 0) for label in labels)
    return (Modifier(value, "ruling", "AN-SIT-21"),) if value else NOTHING


def situations_of(rnd: Round, who: Character, versus: str) -> list[str]:
    """Rows of T1 that a character is in against somebody, each once (AN-SIT-01).

    ``versus`` is empty for what is against nobody in particular: then only what counts against all.
    """
    found: list[str] = []
    if who.conditions:
        found += [name for name in SITUATIONS if name in who.conditions and name != "threatened"]
    if "threatened" in who.conditions and versus and who.threatened_by == versus:
        found.append("threatened")
    if rnd.fight.scene.situations:
        found += [id_ for id_ in rnd.fight.situations(who.name, versus) if id_ not in found]
    role = rnd.roles.get(who.name)
    if role is not None and role.charging:
        found.append("charging")
    if role is not None and role.drew:
        found.append("drawing")
    return found


def column(rnd: Round, ids: Iterable[str], side: Column) -> list[Modifier]:
    """A column of T1 for some situations."""
    table = rnd.tables.situations
    return [part for id_ in ids if (part := getattr(table[id_], side)) is not None]


def is_surprised(rnd: Round, blow: Blow, name: str) -> bool:
    """Whether somebody is surprised by a blow because its giver is so fast (AN-SUR-02, -03)."""
    if (blow.actor, name) not in rnd.surprises:
        return False
    first = rnd.roles[blow.actor].first
    return first is not None and first is blow.token


def unexpected(rnd: Round, blow: Blow, name: str) -> bool:
    """Surprised in either way by a blow."""
    if is_surprised(rnd, blow, name):
        return True
    situations = rnd.fight.scene.situations
    return bool(situations) and "surprise" in rnd.fight.situations(name, blow.actor)


# ------------------------------------------------------------------ attack


def attack_ability(effort: Effort) -> Parts:
    """Attack as it stands on the sheet, or with this weapon (AN-ATK-03)."""
    weapon = effort.blow.weapon
    value = None if weapon is None else weapon.attack
    if value is None:
        value = effort.who.sheet.abilities["attack"]
    return (Modifier(value, "ability.attack", "AN-ATK-03"),)


def earlier_actives(effort: Effort) -> Parts:
    """-25 for each active carried out before; a charge forgives its own run (AN-SIT-16)."""
    if effort.blow.passive:
        return NOTHING
    role = effort.rnd.roles[effort.who.name]
    before = role.index(ATTACK) - (1 if role.charging else 0)
    return (Modifier(-ACTIVE_EACH * before, "earlier_actives", "AN-ACT-03"),) if before else NOTHING


def additional_blows(effort: Effort) -> Parts:
    """-20, -30 or -40 for each blow more, by the larger weapon (AN-XAT-02, AN-TWO-04)."""
    plan = effort.rnd.roles[effort.who.name].plan
    if plan is None:
        return NOTHING
    more = plan.blows - (2 if plan.second is not None else 1)
    if more < 1:
        return NOTHING
    sizes = [weapon.size for weapon in (effort.blow.weapon, plan.second) if weapon is not None]
    if plan.second is not None and plan.weapon is not None:
        sizes.append(plan.weapon.size)
    each = max(ADDITIONAL[size] for size in sizes)
    return (Modifier(-each * more, "additional_blows", "AN-XAT-02"),)


def second_hand(effort: Effort) -> Parts:
    """-40 for the other hand, -10 where both are alike (AN-TWO-01, AN-TWO-02)."""
    if not effort.blow.second_hand:
        return NOTHING
    if "ambidextrous" in effort.who.sheet.flags:
        return (Modifier(-AMBIDEXTROUS, "second_hand", "AN-TWO-02"),)
    return (Modifier(-SECOND_HAND, "second_hand", "AN-TWO-01"),)


def manoeuvre(effort: Effort) -> Parts:
    """Penalties of specific attacks add up (AN-MAN-01)."""
    blow = effort.blow
    if not blow.manoeuvre and not blow.area:
        return NOTHING
    found = []
    table = effort.rnd.tables.manoeuvres
    for id_ in (("area",) if blow.area else ()) + ((blow.manoeuvre,) if blow.manoeuvre else ()):
        row = table[id_]
        penalty = row.penalty
        weapon = blow.weapon
        if id_ == "knock_down" and weapon is not None and weapon.short and not weapon.unarmed:
            penalty = row.worse
        if penalty:
            found.append(Modifier(penalty, f"manoeuvre.{id_}", row.rule))
        if id_ == "knockout" and (weapon is None or not weapon.deals("blunt")):
            found.append(Modifier(row.worse, "not_blunt", "AN-MAN-15"))
    return found


def aimed(effort: Effort) -> Parts:
    """The penalty of the place aimed at (AN-MAN-23)."""
    zone = effort.blow.zone
    return NOTHING if zone is None else (zone.modifier,)


def secondary(effort: Effort) -> Parts:
    """-10 for the secondary critical (AN-MAN-16)."""
    if not effort.blow.uses_crit2:
        return NOTHING
    return (Modifier(-SECONDARY, "secondary", "AN-MAN-16"),)


def stance_attack(effort: Effort) -> Parts:
    """What the stance gives an attack; the +10 of the offensive is for hand to hand (AN-STA)."""
    stance = effort.who.stance
    value = STANCE_ATTACK.get(stance, 0)
    if not value or (stance == "offensive" and effort.blow.kind != "melee"):
        return NOTHING
    return (Modifier(value, f"stance.{stance}", STANCE_RULES[stance]),)


def situation_attack(effort: Effort) -> Parts:
    """Combat situations (T1); of an area attack only those against all (D33)."""
    rnd, who, blow = effort.rnd, effort.who, effort.blow
    ids = situations_of(rnd, who, "" if blow.area else blow.target)
    if not ids:
        return NOTHING
    if "narrow" in ids and (blow.weapon is None or blow.weapon.size != "large"):
        ids.remove("narrow")
    if blow.area:
        ids = [id_ for id_ in ids if id_ not in ("small_enemy", "tiny_enemy")]
    return column(rnd, ids, "attack")


def ranged(effort: Effort) -> Parts:
    """Ranged modifiers: movement, the target, aim, distance (AN-RNG-04, -09 to -11, -13)."""
    blow = effort.blow
    if not blow.ranged:
        return NOTHING
    role, who = effort.rnd.roles[effort.who.name], effort.who
    ids = [role.moved] if role.moved else []
    ids += effort.rnd.fight.scene.ranged.get(blow.target, ())
    if role.received:
        ids.append("defended")
    if blow.beyond:
        ids.append("beyond_range")
    mark = role.shot_at or who.aim_target
    if mark and mark != blow.target:
        ids.append("change_of_target")
    if who.aim_target == blow.target:
        ids.append(f"aiming_{who.aim_rounds}")
    if blow.point_blank:
        ids.append("point_blank")
    table = effort.rnd.tables.ranged
    return [table[id_] for id_ in ids]


def counter_bonus(effort: Effort) -> Parts:
    """What a won defence, or an enemy's fumble, gives a counterattack (AN-CTR-03, AN-FUM-05)."""
    if not effort.blow.bonus:
        return NOTHING
    return (Modifier(effort.blow.bonus, "counter_bonus", "AN-CTR-03"),)


def fatigue_attack(effort: Effort) -> Parts:
    """+15 for each point of fatigue (AN-FAT-02)."""
    return _tired(effort.blow.fatigue)


def _tired(points: int) -> Parts:
    if not points:
        return NOTHING
    return (Modifier(FATIGUE_EACH * points, "fatigue", "AN-FAT-02"),)


def hindered_attack(effort: Effort) -> Parts:
    """Penalties to all action; they lower a projection too (AN-CRI-14, AN-SUP-05)."""
    return hindrances(effort.who)


def scene_attack(effort: Effort) -> Parts:
    """The scene's modifiers of attack and of everything."""
    return by_ruling(effort.rnd.fight, effort.who.name, ("attack", "all"))


def ruled_attack(effort: Effort) -> Parts:
    """Rulings of this round."""
    return by_round(effort.rnd, effort.who.name, "attack")


def projection(effort: Effort) -> Parts:
    """Magic or psychic projection (AN-SUP-01)."""
    ability = effort.blow.ability
    psychic = ability is not None and ability.psychic
    key = "psychic_projection" if psychic else "magic_projection"
    return (Modifier(effort.who.sheet.abilities[key], f"ability.{key}", "AN-SUP-01"),)


def blind_projection(effort: Effort) -> Parts:
    """Of the situations only blindness counts (AN-SUP-01)."""
    ids = situations_of(effort.rnd, effort.who, effort.blow.target)
    return column(effort.rnd, [id_ for id_ in ids if id_ in _BLIND], "attack") if ids else NOTHING


def scene_projection(effort: Effort) -> Parts:
    """The scene's modifiers of everything."""
    return by_ruling(effort.rnd.fight, effort.who.name, ("all",))


# ------------------------------------------------------------------ defence


def defence_figure(defending: Defending) -> Parts:
    """Parry or dodge as it stands on the sheet; nothing in an all-out attack (AN-STA-02).

    What stays 0 of a figure still takes modifiers and the die (D17).
    """
    who, blow = defending.who, defending.blow
    if who.stance == "all_out_attack":
        return (Modifier(0, "stance.all_out_attack", "AN-STA-02"),)
    if defending.kind == "dodge":
        return (Modifier(who.sheet.abilities["dodge"], "ability.dodge", "AN-DEF-01"),)
    ability = blow.ability
    if ability is not None and ability.energy and not parries_energy(defending):
        return (Modifier(0, "intangible_energy", "AN-SUP-09"),)
    weapon = defending.weapon
    if weapon is None:
        return (Modifier(who.sheet.unarmed_parry, "ability.unarmed_parry", "AN-DRW-03"),)
    value = who.sheet.abilities["parry"] if weapon.parry is None else weapon.parry
    return (Modifier(value, "ability.parry", "AN-DEF-01"),)


def parries_energy(defending: Defending) -> bool:
    """Whether what is not solid can be parried (AN-SUP-11)."""
    weapon = defending.weapon
    return "can_parry_energy" in defending.who.sheet.flags or (
        weapon is not None and weapon.harms_energy
    )


def resist_blow(defending: Defending) -> Parts:
    """-80, not below 0, before the other penalties (AN-SPD-02)."""
    if not defending.resists:
        return NOTHING
    taken = Modifier(-RESIST_BLOW, "resist_blow", "AN-SPD-02")
    if defending.rnd.options.resist_blow_floor == "total":
        return (taken,)
    return (taken, Modifier(0, "resist_blow_floor", "AN-SPD-02", "raised"))


def resist_floor(defending: Defending) -> Parts:
    """The floor of 0 on the whole ability, where a table plays it so (D18)."""
    if not defending.resists or defending.rnd.options.resist_blow_floor != "total":
        return NOTHING
    return (Modifier(0, "resist_blow_floor", "AN-SPD-02", "raised"),)


def push(defending: Defending) -> Parts:
    """-30 for pushing somebody aside, and -25 for each active before (AN-SPD-01)."""
    if not defending.pushes:
        return NOTHING
    found = [Modifier(-PUSH, "push_aside", "AN-SPD-01")]
    before = len(defending.rnd.roles[defending.who.name].opened)
    if before:
        found.append(Modifier(-ACTIVE_EACH * before, "earlier_actives", "AN-ACT-03"))
    return found


def stance_defence(defending: Defending) -> Parts:
    """What the stance gives parry and dodge; the defensive's +10 is for hand to hand (AN-STA)."""
    stance = defending.who.stance
    value = STANCE_DEFENCE.get(stance, 0)
    if not value or (stance == "defensive" and defending.blow.kind != "melee"):
        return NOTHING
    return (Modifier(value, f"stance.{stance}", STANCE_RULES[stance]),)


def situation_defence(defending: Defending) -> Parts:
    """Combat situations (T1), surprise by initiative and blindness to essence among them."""
    rnd, who, blow = defending.rnd, defending.who, defending.blow
    ids = situations_of(rnd, who, blow.actor)
    side: Column = "dodge" if defending.kind == "dodge" else "parry"
    if "narrow" in ids and side == "parry":
        weapon = defending.weapon
        if weapon is None or weapon.size != "large":
            ids.remove("narrow")
    if defending.draws and "drawing" not in ids:
        ids.append("drawing")
    _unawares(defending, ids)
    return column(rnd, ids, side) if ids else NOTHING


def _unawares(defending: Defending, ids: list[str]) -> None:
    rnd, blow = defending.rnd, defending.blow
    if "surprise" not in ids and rnd.surprises and is_surprised(rnd, blow, defending.who.name):
        ids.append("surprise")
    ability = blow.ability
    if ability is None or not ability.essence_only or "total_blindness" in ids:
        return
    sight = "sees_matrices" if ability.psychic else "sees_magic"
    if sight not in defending.who.sheet.flags:
        ids.append("total_blindness")  # AN-SUP-15; with surprise besides, AN-SUP-16


def further_defences(defending: Defending) -> Parts:
    """-30, -50, -70, -90 for the second, third ... attack received (AN-DEF-03)."""
    received = defending.rnd.roles[defending.who.name].received
    if not received:
        return NOTHING
    taken = FURTHER[min(received, len(FURTHER) - 1)]
    return (Modifier(-taken, "further_defence", "AN-DEF-03"),)


def against_ranged(defending: Defending) -> Parts:
    """What shots, throws and projections take from a defence (AN-RNG-12, AN-RNG-14, AN-SUP-04)."""
    blow = defending.blow
    if blow.kind == "melee" or blow.point_blank:
        return NOTHING
    sheet = defending.who.sheet
    if defending.kind == "dodge":
        key = "dodge_mastery" if sheet.dodge_mastery else "dodge"
    else:
        carries = any(weapon.shield for weapon in sheet.weapons.values())
        key = "parry" + ("_shield" if carries else "") + ("_mastery" if sheet.parry_mastery else "")
    row = defending.rnd.tables.ranged_defence[key]
    part = row.thrown if blow.kind == "thrown" else row.shot
    return NOTHING if part is None else (part,)


def against_elements(defending: Defending) -> Parts:
    """Fire, cold, electricity and areas are hard to parry; areas to dodge (AN-SUP-10 to -13).

    All of them count together (AN-SUP-18).
    """
    ability = defending.blow.ability
    if ability is None:
        return NOTHING
    if defending.kind == "dodge":
        if not ability.area or _gets_out(defending):
            return NOTHING
        return (Modifier(-AREA_DODGE, "area", "AN-SUP-13"),)
    if parries_energy(defending):
        return NOTHING
    found = []
    if ability.type in ELEMENTS:
        found.append(Modifier(-ELEMENT, "element", "AN-SUP-10"))
    if ability.area and (not found or defending.rnd.options.stack_energy_parry):
        found.append(Modifier(-AREA_PARRY, "area", "AN-SUP-12"))
    return found


def _gets_out(defending: Defending) -> bool:
    far = defending.rnd.fight.scene.area_exit.get(defending.who.name)
    return far is not None and far <= defending.who.sheet.max_move_cm


def fatigue_defence(defending: Defending) -> Parts:
    """+15 for each point of fatigue (AN-FAT-02)."""
    return _tired(defending.fatigue)


def hindered_defence(defending: Defending) -> Parts:
    """Penalties to all action."""
    return hindrances(defending.who)


def scene_defence(defending: Defending) -> Parts:
    """The scene's modifiers of this defence and of everything."""
    return by_ruling(defending.rnd.fight, defending.who.name, (defending.kind, "all"))


def ruled_defence(defending: Defending) -> Parts:
    """Rulings of this round."""
    return by_round(defending.rnd, defending.who.name, "defence")


def shield_figure(defending: Defending) -> Parts:
    """The projection of the shield's maker (AN-SHD-01)."""
    key = "psychic_projection" if defending.psychic else "magic_projection"
    return (Modifier(defending.who.sheet.abilities[key], f"ability.{key}", "AN-SHD-01"),)


def covering(defending: Defending) -> Parts:
    """-40 for covering somebody else (AN-SHD-07)."""
    if not defending.covers:
        return NOTHING
    return (Modifier(-COVERING, "covering", "AN-SHD-07"),)


def situation_shield(defending: Defending) -> Parts:
    """A shield suffers from surprise, weapon's point and blindness only (AN-SHD-02, AN-SUP-14)."""
    rnd = defending.rnd
    ids = situations_of(rnd, defending.who, defending.blow.actor)
    _unawares(defending, ids)
    kept = [id_ for id_ in ids if id_ in (*_BLIND, "surprise", "threatened")]
    return column(rnd, kept, "parry") if kept else NOTHING


# ------------------------------------------------------------------ the rest


def turn_figure(doing: Doing) -> Parts:
    """Final turn with the weapon used, the slower one of two (AN-INI-06, AN-TWO-04)."""
    sheet = doing.who.sheet
    parts = []
    if sheet.final_turn is None:
        parts.append(Modifier(sheet.turn, "turn", "AN-INI-06"))
    else:
        parts.append(Modifier(sheet.final_turn, "final_turn", "AN-INI-06"))
    slowest = min(doing.weapons, key=lambda weapon: weapon.turn)
    shoots = doing.who.ready and slowest.kind == "shot"
    if sheet.final_turn is not None:
        if (slowest is sheet.usual or slowest == sheet.usual) and not shoots:
            return parts  # the sheet's figure is with that weapon already
        if sheet.usual.turn:
            parts.append(Modifier(-sheet.usual.turn, "usual_weapon_turn", "AN-INI-06"))
    if shoots:
        parts.append(Modifier(READY_TURN, "ready", "AN-RNG-08"))
    elif slowest.turn:
        parts.append(Modifier(slowest.turn, "weapon_turn", "AN-INI-06"))
    return parts


def situation_turn(doing: Doing) -> Parts:
    """The initiative column of T1; being threatened always counts (D35)."""
    ids = situations_of(doing.rnd, doing.who, "")
    if "threatened" in doing.who.conditions:
        ids.append("threatened")
    return column(doing.rnd, ids, "initiative") if ids else NOTHING


def hindered_turn(doing: Doing) -> Parts:
    """Penalties to all action slow the turn only where a table plays it so (D6)."""
    how = doing.rnd.options.pain_affects_initiative
    if how == "none":
        return NOTHING
    whole = hindrances(doing.who)
    if how == "full" or not whole:
        return whole
    taken = -(-sum(part.value for part in whole) // 2)
    return (Modifier(-taken, "penalty.half", "AN-INI-06"),) if taken else NOTHING


def scene_turn(doing: Doing) -> Parts:
    """The scene's modifiers of initiative."""
    return by_ruling(doing.rnd.fight, doing.who.name, ("initiative",))


def ruled_turn(doing: Doing) -> Parts:
    """Rulings of this round."""
    return by_round(doing.rnd, doing.who.name, "initiative")


def skill_figure(doing: Doing) -> Parts:
    """A secondary ability as it stands on the sheet."""
    value = 0 if doing.skill is None else doing.skill.value
    return (Modifier(value, "ability.skill", "AN-ACT-03"),)


def skill_actives(doing: Doing) -> Parts:
    """-25 for each active before, unless it is passive itself (AN-ACT-03, AN-ACT-06)."""
    skill = doing.skill
    if skill is None or not skill.active:
        return NOTHING
    before = doing.rnd.roles[doing.who.name].index(skill_kind(skill))
    return (Modifier(-ACTIVE_EACH * before, "earlier_actives", "AN-ACT-03"),) if before else NOTHING


def skill_kind(skill: Skill) -> str:
    """Each secondary ability is a kind of active of its own (AN-ACT-02)."""
    return f"skill {skill.name}"


def situation_skill(doing: Doing) -> Parts:
    """The column of physical actions of T1."""
    if doing.skill is None or not doing.skill.physical:
        return NOTHING
    ids = situations_of(doing.rnd, doing.who, "")
    return column(doing.rnd, ids, "physical") if ids else NOTHING


def fatigue_skill(doing: Doing) -> Parts:
    """+15 for each point of fatigue (AN-FAT-02)."""
    return _tired(doing.fatigue)


def hindered(doing: Doing) -> Parts:
    """Penalties to all action."""
    return hindrances(doing.who)


def scene_doing(doing: Doing) -> Parts:
    """The scene's modifiers of everything."""
    return by_ruling(doing.rnd.fight, doing.who.name, ("all",))


def ruled_skill(doing: Doing) -> Parts:
    """Rulings of this round."""
    return by_round(doing.rnd, doing.who.name, "skill")


def potential_figure(doing: Doing) -> Parts:
    """Psychic potential (AN-SUP-08)."""
    value = doing.who.sheet.abilities["psychic_potential"]
    return (Modifier(value, "ability.psychic_potential", "AN-SUP-08"),)


def potential_actives(doing: Doing) -> Parts:
    """-25 for each active before, earlier powers aside (AN-SUP-08)."""
    opened = doing.rnd.roles[doing.who.name].opened
    before = sum(1 for kind in opened if kind != SUPERNATURAL)
    return (Modifier(-ACTIVE_EACH * before, "earlier_actives", "AN-SUP-08"),) if before else NOTHING


def ruled_potential(doing: Doing) -> Parts:
    """Rulings of this round."""
    return by_round(doing.rnd, doing.who.name, "potential")


def characteristic(check: Check) -> Parts:
    """A characteristic as it stands on the sheet (D20)."""
    value = check.who.sheet.characteristics[check.characteristic]
    return (Modifier(value, f"characteristic.{check.characteristic}", "AN-MAN-03"),)


def of_manoeuvre(check: Check) -> Parts:
    """What the manoeuvre adds: percentage, four legs, the hold."""
    return check.modifiers


def fatigue_check(check: Check) -> Parts:
    """+1 for each point of fatigue (AN-FAT-06)."""
    if not check.fatigue:
        return NOTHING
    return (Modifier(check.fatigue, "fatigue", "AN-FAT-06"),)


def ruled_check(check: Check) -> Parts:
    """Rulings of this round."""
    return by_round(check.rnd, check.who.name, "control")


# Read top to bottom: the order in which each sum is written out for readers.
TO_HIT: Final[tuple[Source[Effort], ...]] = (
    attack_ability,
    earlier_actives,
    additional_blows,
    second_hand,
    manoeuvre,
    aimed,
    secondary,
    stance_attack,
    situation_attack,
    ranged,
    counter_bonus,
    fatigue_attack,
    hindered_attack,
    scene_attack,
    ruled_attack,
)
TO_PROJECT: Final[tuple[Source[Effort], ...]] = (
    projection,
    aimed,
    blind_projection,
    hindered_attack,
    scene_projection,
    ruled_attack,
)
DEFENCE: Final[tuple[Source[Defending], ...]] = (
    defence_figure,
    resist_blow,
    push,
    stance_defence,
    situation_defence,
    further_defences,
    against_ranged,
    against_elements,
    fatigue_defence,
    hindered_defence,
    scene_defence,
    ruled_defence,
    resist_floor,
)
SHIELD: Final[tuple[Source[Defending], ...]] = (
    shield_figure,
    covering,
    situation_shield,
    hindered_defence,
    scene_defence,
    ruled_defence,
)
INITIATIVE: Final[tuple[Source[Doing], ...]] = (
    turn_figure,
    situation_turn,
    hindered_turn,
    scene_turn,
    ruled_turn,
)
SKILL: Final[tuple[Source[Doing], ...]] = (
    skill_figure,
    skill_actives,
    situation_skill,
    fatigue_skill,
    hindered,
    scene_doing,
    ruled_skill,
)
POTENTIAL: Final[tuple[Source[Doing], ...]] = (
    potential_figure,
    potential_actives,
    hindered,
    scene_doing,
    ruled_potential,
)
CONTROL: Final[tuple[Source[Check], ...]] = (
    characteristic,
    of_manoeuvre,
    fatigue_check,
    ruled_check,
)
