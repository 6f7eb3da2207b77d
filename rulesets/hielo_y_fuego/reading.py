"""Reading the words of a tag into an intent: names, weapons, shares, metres (catalogue section 4).

Nothing is judged here: a word that means nothing is kept for ``checks``, which knows which of
several faults comes first.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from rulesets.core.declarations import Declaration, fold
from rulesets.core.state import changed
from rulesets.hielo_y_fuego.declared import Action, Intent
from rulesets.hielo_y_fuego.fight import Character, Fight
from rulesets.hielo_y_fuego.others import HELPED
from rulesets.hielo_y_fuego.rows import ABILITIES, Weapon

# Words of ``destino`` that the referee carries out (table 12.8); any other is a ruling.
DESTINY: Final = ("bonus_die", "test_die", "cancel_penalty", "extra_minor")
OPTIONAL: Final = frozenset({"counterattack"})  # verbs whose target need not be named
MOST_TARGETS: Final = 20

_METRES: Final = re.compile(r"(\d{1,5}) ?(?:m|metros?|metres?)?\.?", re.IGNORECASE)
_SHARE: Final = re.compile(r"(\d{1,2}) ?[dDbB]?")


def read_intent(
    fight: Fight,
    who: Character,
    declaration: Declaration,
    action: Action,
    in_hand: Sequence[str] | None = None,
) -> Intent:
    """The intent of a declaration, all words read.

    Args:
        fight: The fight.
        who: The declarer.
        declaration: What he declares.
        action: Its row.
        in_hand: Weapons that he will have in hand by then; None for those he has.
    """
    if in_hand is not None and tuple(in_hand) != who.in_hand:
        who = changed(who, in_hand=tuple(in_hand))
    intent = Intent(declaration, action, who.name)
    _names(fight, intent)
    for read in _readers(action.verb.fields):
        read(fight, who, intent)
    spent = declaration.get("destiny")
    if spent:
        intent.destiny = spent if spent in DESTINY else "other"
    timing = declaration.timing
    if timing is not None and timing.kind == "before":
        intent.before = fight.find(timing.name)
        intent.unknown = intent.unknown or ("" if intent.before else timing.name)
    return intent


def _names(fight: Fight, intent: Intent) -> None:
    """Whom it is aimed at, goes to, leaves behind, passes by."""
    declaration, fields = intent.declaration, intent.action.verb.fields
    if "target" in fields:
        intent.target = _name(fight, intent, "target")
        if not declaration.get("target") and intent.action.id not in OPTIONAL:
            intent.missing = "target"
    if "targets" in fields:
        words = declaration.names("targets")[:MOST_TARGETS]
        found = [fight.find(word) for word in words]
        if not words:
            intent.missing = "targets"
        if not all(found):
            intent.unknown = words[found.index("")]
        intent.targets = tuple(dict.fromkeys(found))
    if "toward" in fields and declaration.fields:
        intent.toward = _name(fight, intent, "toward")
        intent.away = _name(fight, intent, "away")
        intent.passing = _name(fight, intent, "passing")
    elif "away" in fields:
        intent.away = _name(fight, intent, "away")


def _name(fight: Fight, intent: Intent, field: str) -> str:
    word = intent.declaration.get(field)
    if not word:
        return ""
    found = fight.find(word)
    if not found and not intent.unknown:
        intent.unknown = word
    return found


# ------------------------------------------------------------------ weapons


def _weapon(fight: Fight, who: Character, intent: Intent) -> None:
    word = intent.declaration.get("weapon")
    if not word:
        intent.weapon = _usual(fight, who, intent)
        return
    intent.weapon = named(fight, who, word)
    if intent.weapon is None:
        intent.unknown_weapon = word
        intent.weapon = fight.tables.fist


def named(fight: Fight, who: Character, word: str) -> Weapon | None:
    """A weapon of his by a word, one in hand first; the fist is always there."""
    folded = fold(word)
    exact = [weapon for weapon in who.weapons if fold(weapon.name) == folded]
    owned = exact or [weapon for weapon in who.weapons if folded in weapon.names]
    if not owned:
        fist = fight.tables.fist
        return fist if folded in fist.names else None
    return next((weapon for weapon in owned if weapon.name in who.in_hand), owned[0])


def _usual(fight: Fight, who: Character, intent: Intent) -> Weapon:
    """The first weapon in hand that is no shield, or the fist (catalogue section 4)."""
    held = who.held_weapons
    if intent.action.id == "reload":
        empty = [weapon for weapon in held if weapon.name in who.unloaded]
        loads = [weapon for weapon in held if weapon.reload != "none"]
        return next(iter((*empty, *loads)), fight.tables.fist)
    return next((weapon for weapon in held if not weapon.shield), fight.tables.fist)


def _off_hand(fight: Fight, who: Character, intent: Intent) -> None:
    """The second weapon, or the first other one in hand that may be one."""
    word = intent.declaration.get("off_hand")
    if word:
        intent.off_hand = named(fight, who, word)
        if intent.off_hand is None and not intent.unknown_weapon:
            intent.unknown_weapon = word
        return
    held = list(who.held_weapons)
    if intent.weapon in held:
        held.remove(intent.arms)
    intent.off_hand = next((weapon for weapon in held if weapon.has("off_hand")), None)


# ------------------------------------------------------------------ figures


def _split(_: Fight, __: Character, intent: Intent) -> None:
    intent.shares = _shares(intent, "dice")
    intent.bonus = _shares(intent, "bonus")


def _shares(intent: Intent, field: str) -> tuple[int, ...] | None:
    """``3/2`` as shares of a pool."""
    text = intent.declaration.get(field)
    if not text:
        return None
    found = []
    for piece in text.replace(",", "/").split("/"):
        match = _SHARE.fullmatch(piece.strip())
        if match is None:
            intent.bad_split = True
            return None
        found.append(int(match[1]))
    return tuple(found)


def _metres(_: Fight, __: Character, intent: Intent) -> None:
    text = intent.declaration.get("metres") or intent.declaration.get("push")
    if not text:
        return
    match = _METRES.fullmatch(text.strip())
    if match is None:
        intent.bad_metres = text
    else:
        intent.metres = int(match[1])


# ------------------------------------------------------------------ the rest


def _hazard(fight: Fight, _: Character, intent: Intent) -> None:
    """A place that the scene knows as deadly; any other direction is one like another."""
    word = fold(intent.declaration.get("hazard"))
    intent.object = next((each for each in fight.scene.hazards if fold(each) == word), "")


def _use(_: Fight, __: Character, intent: Intent) -> None:
    intent.object = intent.declaration.get("use")


def _taken(fight: Fight, who: Character, intent: Intent) -> None:
    """What is drawn, taken up or handled: a weapon of the sheet, or any other thing."""
    declaration = intent.declaration
    word = declaration.get("draw") or declaration.get("take")
    thing = declaration.get("item")
    weapon = named(fight, who, word or thing) if word or thing else None
    if weapon is not None and weapon is not fight.tables.fist:
        intent.item = weapon.name
    elif word:
        intent.unknown_weapon = word
    intent.object = thing


def _ability(fight: Fight, _: Character, intent: Intent) -> None:
    """An ability, and a specialty of it."""
    declaration = intent.declaration
    ability, specialty = declaration.get("ability"), declaration.get("specialty")
    if ability and ability not in ABILITIES:
        intent.unknown_ability = ability
        return
    of = fight.tables.specialties.get(specialty, "")
    if specialty and (not of or (ability and of != ability)):
        intent.unknown_ability = specialty
    elif not ability and not of and intent.action.id == "use_ability":
        intent.missing = "ability"
    intent.ability = ability or of
    intent.specialty = specialty


def _helped(_: Fight, __: Character, intent: Intent) -> None:
    """What is helped with: a verb of ``HELPED``; an attack where it is one, or nothing is said."""
    word = intent.declaration.get("helps")
    intent.helps = word if word in HELPED else "attack"


@lru_cache(maxsize=256)
def _readers(fields: tuple[str, ...]) -> "tuple[Reader, ...]":
    """What reads the fields of a verb."""
    return tuple(read for field, read in _FIELDS if field in fields)


Reader = Callable[[Fight, Character, Intent], None]
# The weapon before the second one, which must be another.
_FIELDS: Final[tuple[tuple[str, Reader], ...]] = (
    ("weapon", _weapon),
    ("off_hand", _off_hand),
    ("dice", _split),
    ("metres", _metres),
    ("push", _metres),
    ("hazard", _hazard),
    ("use", _use),
    ("ability", _ability),
    ("draw", _taken),
    ("helps", _helped),
)
