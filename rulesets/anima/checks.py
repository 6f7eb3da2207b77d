"""What may be wrong with a declaration, one small look each; a look also fills the intent in.

The order in which a row of ``actions`` lists its looks is the order of their codes.
"""

import re
from typing import Final

from rulesets.anima.declared import ATTACK, MOVE, SUPERNATURAL, Intent, Refusal
from rulesets.anima.declaring import Desk
from rulesets.anima.modifiers import skill_kind
from rulesets.anima.movement import is_passive
from rulesets.anima.rows import MANOEUVRES, Weapon, Zone
from rulesets.anima.sheet import CENTIMETRES
from rulesets.core.declarations import fold

HUNDRED: Final = 100
MOST_BLOWS: Final = 20
LIMBS: Final = ("arm", "leg")
# Secondary abilities that fatigue helps (AN-FAT-02).
TIRING: Final = ("strength", "agility")
USUAL_DIFFICULTY: Final = "medium"
_METRES: Final = re.compile(r"(\d{1,6})(?:[.,](\d{1,2}))?(?: ?m(?:etros?)?\.?)?", re.IGNORECASE)


# ------------------------------------------------------------------ names


def targets(desk: Desk, intent: Intent) -> Refusal | None:
    """Whom it is for: at least one of the cast, none oneself."""
    names = intent.declaration.names("target")
    if not names:
        return desk.refuse("missing_target", intent.action.rule)
    found = []
    for name in names:
        known = desk.fight.find(name)
        if not known or known == desk.actor.name:
            others = tuple(other for other in desk.fight.cast if other != desk.actor.name)
            return desk.refuse("unknown_target", intent.action.rule, given=name, candidates=others)
        found.append(known)
    intent.targets = tuple(found)
    return None


def any_target(desk: Desk, intent: Intent) -> Refusal | None:
    """The same where nobody need be named."""
    return targets(desk, intent) if intent.declaration.names("target") else None


def to_somebody(desk: Desk, intent: Intent) -> Refusal | None:
    """Whom a shield is placed on (AN-SHD-11)."""
    name = intent.declaration.get("to")
    if not name:
        return desk.refuse("missing_target", "AN-SHD-11", field="to")
    known = desk.fight.find(name)
    if not known or known == desk.actor.name:
        others = tuple(other for other in desk.fight.cast if other != desk.actor.name)
        return desk.refuse("unknown_target", "AN-SHD-11", given=name, candidates=others)
    intent.targets = (known,)
    return None


def shield(desk: Desk, intent: Intent) -> Refusal | None:
    """Which shield: the first where none is named (AN-SHD-11)."""
    key, refusal = desk.shield(intent.declaration.get("shield"), "AN-SHD-11")
    intent.shield = key
    return refusal


def weapon(desk: Desk, intent: Intent) -> Refusal | None:
    """What it is done with: named, of the kind asked for, in hand, or the usual one (AN-INI-06)."""
    declaration, sheet = intent.declaration, desk.actor.sheet
    mode = declaration.get("mode")
    word = declaration.get("weapon")
    chosen: Weapon | None
    if word:
        chosen = sheet.weapon(word)
        if chosen is None:
            return desk.unknown_weapon(word)
    elif mode:
        chosen = next((w for w in sheet.weapons.values() if _serves(w, mode)), None)
        if chosen is None:
            return desk.refuse("weapon_not_ranged", "AN-RNG-01")
    else:
        chosen = desk.actor.weapon or sheet.usual
    if mode and not _serves(chosen, mode):
        return desk.refuse("weapon_not_ranged", "AN-RNG-01", given=chosen.name)
    if desk.actor.lies(chosen) and not desk.picks_up:
        chosen = sheet.bare_hands
    intent.weapon = chosen
    intent.thrown = mode == "thrown"
    return None


def _serves(weapon_: Weapon, mode: str) -> bool:
    return weapon_.throwable if mode == "thrown" else weapon_.kind == "shot"


def own_weapon(desk: Desk, intent: Intent) -> Refusal | None:
    """A weapon of one's own to draw; the usual one where none is named."""
    word = intent.declaration.get("weapon")
    if not word:
        intent.weapon = desk.actor.sheet.usual
        return None
    intent.weapon = desk.actor.sheet.weapon(word)
    return None if intent.weapon is not None else desk.unknown_weapon(word)


def shooting_weapon(desk: Desk, intent: Intent) -> Refusal | None:
    """A weapon that shoots, to be got ready (AN-RNG-08)."""
    word = intent.declaration.get("weapon")
    sheet = desk.actor.sheet
    if word:
        chosen = sheet.weapon(word)
        if chosen is None:
            return desk.unknown_weapon(word)
    else:
        chosen = next((w for w in sheet.weapons.values() if w.kind == "shot"), None)
    if chosen is None or chosen.kind != "shot":
        return desk.refuse("weapon_not_ranged", "AN-RNG-08", given=word)
    intent.weapon = chosen
    return None


def second_weapon(desk: Desk, intent: Intent) -> Refusal | None:
    """The weapon of the other hand (AN-TWO-01)."""
    word = intent.declaration.get("second_weapon")
    if not word:
        return None
    second = desk.actor.sheet.weapon(word)
    if second is None:
        return desk.unknown_weapon(word)
    intent.second = second
    return None


# ------------------------------------------------------------------ attacks


def not_surprised(desk: Desk, intent: Intent) -> Refusal | None:
    """Whoever does not expect it starts no attack this assault (AN-SUR-05, D8)."""
    del intent
    blocks = desk.fight.options.choices.surprise_blocks_attack
    placed = desk.fight.scene.situations.get(desk.actor.name, ())
    if blocks != "none" and any(id_ == "surprise" for id_, _ in placed):
        return desk.refuse("surprised_no_attack", "AN-SUR-05")
    return None


def blows(desk: Desk, intent: Intent) -> Refusal | None:
    """One blow more for each full 100 of attack; the other hand's is one more (AN-XAT-01)."""
    word = intent.declaration.get("attacks") or "1"
    wanted = int(word) if word.isascii() and word.isdigit() and len(word) < 4 else 0
    if wanted < 1:
        return desk.refuse("bad_field", "AN-XAT-01", given=word, field="attacks")
    used = intent.weapon
    ability = desk.actor.sheet.abilities["attack"]
    if used is not None and used.attack is not None:
        ability = used.attack
    most = min(1 + max(0, ability) // HUNDRED, MOST_BLOWS)
    if wanted > most:
        return desk.refuse("too_many_attacks", "AN-XAT-01", given=wanted, limit=most)
    intent.blows = wanted + (1 if intent.second is not None else 0)
    return None


def zones(desk: Desk, intent: Intent) -> Refusal | None:
    """Where the blows are aimed (AN-MAN-23)."""
    found: list[Zone | None] = []
    for word in intent.declaration.names("zone"):
        zone, refusal = desk.zone(word)
        if refusal is not None:
            return refusal
        found.append(zone)
    intent.zones = tuple(found) or (None,)
    return None


def manoeuvres(desk: Desk, intent: Intent) -> Refusal | None:
    """Which specific attacks, and what each needs (AN-MAN-06, -08, -14)."""
    found = []
    intent.area = intent.declaration.get("scope") == "area"
    for word in intent.declaration.names("manoeuvre"):
        id_ = fold(word)
        if id_ not in MANOEUVRES:
            return desk.refuse("unknown_manoeuvre", "AN-MAN-01", given=word, candidates=MANOEUVRES)
        if id_ == "area":
            intent.area = True
        else:
            found.append(id_)
    intent.manoeuvres = tuple(found) or ("",)
    count = max(len(intent.manoeuvres), len(intent.zones))
    for index in range(count):
        id_ = intent.manoeuvres[min(index, len(intent.manoeuvres) - 1)]
        zone = intent.zones[min(index, len(intent.zones) - 1)]
        refusal = desk.suits(id_, intent.weapon, zone)
        if refusal is not None:
            return refusal
    intent.with_damage = "with_damage" in intent.declaration.flags
    return None


def secondary(desk: Desk, intent: Intent) -> Refusal | None:
    """The secondary critical needs a weapon that has one (AN-MAN-16)."""
    if "secondary" not in intent.declaration.flags:
        return None
    if intent.weapon is None or not intent.weapon.crit2:
        given = "" if intent.weapon is None else intent.weapon.name
        return desk.refuse("no_secondary_critical", "AN-MAN-16", given=given)
    intent.secondary = True
    return None


def area_targets(desk: Desk, intent: Intent) -> Refusal | None:
    """How many an area attack takes in, by the weapon's size (AN-MAN-19)."""
    if not intent.area or intent.weapon is None:
        return None
    most = desk.fight.options.area_targets[intent.weapon.size]
    if len(intent.targets) > most:
        return desk.refuse("too_many_targets", "AN-MAN-19", given=len(intent.targets), limit=most)
    return None


def charge_ready(desk: Desk, intent: Intent) -> Refusal | None:
    """A charge follows a run at that enemy, and is not for one in melee (AN-SIT-17)."""
    who, target = desk.actor, intent.targets[0]
    if who.engaged:
        return desk.refuse("charge_engaged", "AN-SIT-17", target=target)
    if who.running_towards != target:
        return desk.refuse("charge_needs_run", "AN-SIT-17", target=target)
    far = desk.fight.distance(who.name, target)
    if far > who.sheet.max_move_cm:
        return desk.too_far(far)
    return None


# ------------------------------------------------------------------ movement, abilities


def distance(desk: Desk, intent: Intent) -> Refusal | None:
    """How far: as said, else as far as whoever it is towards, else a few steps (AN-MOV-01, -03)."""
    declaration, who = intent.declaration, desk.actor
    most = who.sheet.max_move_cm
    toward = declaration.get("toward")
    if toward:
        intent.toward = desk.fight.find(toward)
        if not intent.toward or intent.toward == who.name:
            others = tuple(other for other in desk.fight.cast if other != who.name)
            return desk.refuse("unknown_target", "AN-MOV-01", given=toward, candidates=others)
    word = declaration.get("distance")
    if word:
        match = _METRES.fullmatch(word.strip())
        if match is None:
            return desk.refuse("bad_field", "AN-MOV-01", given=word, field="distance")
        intent.distance_cm = int(match[1]) * CENTIMETRES + int((match[2] or "0").ljust(2, "0"))
    elif intent.toward:
        intent.distance_cm = min(most, desk.fight.distance(who.name, intent.toward))
    if intent.distance_cm > most:
        return desk.too_far(intent.distance_cm)
    if not is_passive(intent.distance_cm, most):
        intent.kinds = (MOVE,)
    return None


def skill(desk: Desk, intent: Intent) -> Refusal | None:
    """A secondary ability of the sheet, and its difficulty."""
    declaration = intent.declaration
    word = declaration.get("name")
    own = desk.actor.sheet.secondary
    intent.skill = own.get(fold(word))
    if intent.skill is None:
        names = tuple(each.name for each in own.values())
        return desk.refuse("unknown_skill", "AN-ACT-02", given=word, candidates=names)
    level = declaration.get("difficulty") or USUAL_DIFFICULTY
    known = desk.fight.tables.difficulties.get(level)
    if known is None:
        if not (level.isascii() and level.isdigit() and len(level) < 5):
            names = tuple(desk.fight.tables.difficulties)
            return desk.refuse(
                "bad_field", "AN-ACT-03", given=level, field="difficulty", candidates=names
            )
        known = int(level)
    intent.difficulty = known
    intent.kinds = (skill_kind(intent.skill),) if intent.skill.active else ()
    return None


def ability(desk: Desk, intent: Intent) -> Refusal | None:
    """A spell or a power of the sheet."""
    sheet = desk.actor.sheet
    own = sheet.powers if intent.action.id == "power" else sheet.spells
    word = intent.declaration.get("name")
    intent.ability = own.get(fold(word))
    if intent.ability is None and not word and len(own) == 1:
        intent.ability = next(iter(own.values()))
    if intent.ability is None:
        names = tuple(each.name for each in own.values())
        return desk.refuse("unknown_ability", "AN-SUP-01", given=word, candidates=names)
    return None


def ability_targets(desk: Desk, intent: Intent) -> Refusal | None:
    """Several targets only for an area (AN-SUP-12)."""
    if intent.ability is None or intent.ability.area or len(intent.targets) < 2:
        return None
    return desk.refuse("too_many_targets", "AN-SUP-12", given=len(intent.targets), limit=1)


def until(desk: Desk, intent: Intent) -> Refusal | None:
    """Whose turn a reserve waits for, if anybody's (AN-INI-03)."""
    word = intent.declaration.get("until")
    if word:
        intent.until = desk.fight.find(word)
        if not intent.until:
            names = tuple(desk.fight.cast)
            return desk.refuse("unknown_target", "AN-INI-03", given=word, candidates=names)
    return None


# ------------------------------------------------------------------ stances


def stance(desk: Desk, intent: Intent) -> Refusal | None:
    """One stance at a time; late ones wait for the initiative (AN-STA-05, AN-STA-06)."""
    now = desk.stance
    if now:
        return desk.refuse("stance_held", "AN-STA-06", given=now)
    if intent.action.id == "offensive" and desk.declares_ranged():
        return desk.refuse("stance_melee_only", "AN-STA-01")
    if intent.action.id == "total_defence" and desk.kinds:
        return desk.refuse("total_defence_no_actives", "AN-STA-03")
    intent.late = intent.declaration.get("moment") == "after_initiative"
    return None


def in_stance(desk: Desk, intent: Intent) -> Refusal | None:
    """Only whoever is in a stance leaves it (AN-STA-06)."""
    del intent
    return None if desk.stance else desk.refuse("no_stance", "AN-STA-06")


# ------------------------------------------------------------------ actives and fatigue


def as_attack(desk: Desk, intent: Intent) -> Refusal | None:
    """Attacking is an active (AN-ACT-01)."""
    del desk
    intent.kinds = (ATTACK,)
    return None


def as_charge(desk: Desk, intent: Intent) -> Refusal | None:
    """A charge is two (AN-ACT-04)."""
    del desk
    intent.kinds = (MOVE, ATTACK)
    return None


def as_supernatural(desk: Desk, intent: Intent) -> Refusal | None:
    """Spells and powers count as one, however many (AN-ACT-02)."""
    del desk
    intent.kinds = (SUPERNATURAL,)
    return None


def as_kind(desk: Desk, intent: Intent) -> Refusal | None:
    """An active of its own kind."""
    del desk
    intent.kinds = (intent.action.id,)
    return None


def budget(desk: Desk, intent: Intent) -> Refusal | None:
    """One active of each kind, as many as the sheet allows (AN-ACT-02, AN-ACT-04, AN-STA-03)."""
    if not intent.kinds:
        return None
    if desk.stance == "total_defence":
        return desk.refuse("total_defence_no_actives", "AN-STA-03")
    repeated = [kind for kind in intent.kinds if kind in desk.kinds and kind != SUPERNATURAL]
    if repeated:
        return desk.refuse("duplicate_active", "AN-ACT-02")
    fresh = [kind for kind in intent.kinds if kind not in desk.kinds]
    most = desk.actor.sheet.max_actions
    if len(desk.kinds) + len(fresh) > most:
        return desk.refuse("too_many_actives", "AN-ACT-04", limit=most)
    return None


def fatigue(desk: Desk, intent: Intent) -> Refusal | None:
    """Points to be spent; if they cannot be, the action stands without them (AN-FAT)."""
    intent.fatigue = desk.fatigue(intent.declaration, allowed=_may_tire(intent))
    return None


def _may_tire(intent: Intent) -> bool:
    if intent.ability is not None:
        return False  # AN-FAT-05
    return intent.skill is None or intent.skill.characteristic in TIRING
