"""What may be wrong with a declaration, and what its words mean (catalogue sections 5 and 12).

Each check reads one thing of a tag, keeps it in the intent, and says what is wrong with it.
"""

from rulesets.ars_magica.declared import Cost, Intent, Look, Refusal
from rulesets.ars_magica.declaring import Desk
from rulesets.ars_magica.fight import Character
from rulesets.ars_magica.line import AS_GAIT, as_used
from rulesets.ars_magica.rows import GAITS, PACES, ZONES, Weapon
from rulesets.core.declarations import fold

MOST: int = 10_000


# ------------------------------------------------------------------ names


def unknown_target(desk: Desk, given: str, rule: str = "AM-RND-01") -> Refusal:
    """Nobody of that name."""
    others = tuple(name for name in desk.fight.cast if name != desk.who.name)
    return desk.refuse("unknown_target", rule, given=given, candidates=others)


def target(desk: Desk, intent: Intent) -> Refusal | None:
    """Against whom: somebody else."""
    word = intent.declaration.get("target")
    name = desk.fight.find(word) if word else ""
    if not name or name == desk.who.name:
        return unknown_target(desk, word)
    intent.target = name
    return None


def perhaps_target(desk: Desk, intent: Intent) -> Refusal | None:
    """Whom it is about, if anybody."""
    word = intent.declaration.get("target")
    intent.target = desk.fight.find(word) or word
    return None


def targets(desk: Desk, intent: Intent) -> Refusal | None:
    """Several attacks: how many, and on whom (AM-SPC-01)."""
    found = []
    words = intent.declaration.names("targets")
    for word in words:
        name = desk.fight.find(word)
        if not name or name == desk.who.name:
            return unknown_target(desk, word)
        found.append(name)
    if not found:
        return unknown_target(desk, "")
    sheet = desk.who.sheet
    most = 1 + max(0, sheet.characteristics["quickness"] - 3 - sheet.encumbrance)
    if len(found) > most:
        return desk.refuse("too_many_attacks", "AM-SPC-01", limit=most)
    for name in found:
        if desk.fight.unit(name) not in desk.who.engaged:
            return desk.refuse("not_engaged", "AM-SPC-01", target=name)
    intent.targets = tuple(found)
    return None


def ward(desk: Desk, intent: Intent) -> Refusal | None:
    """Whom he defends: one (AM-DEF-09)."""
    words = intent.declaration.names("ward")
    if len(words) > 1:
        return desk.refuse("one_ward_only", "AM-DEF-09")
    name = desk.fight.find(words[0]) if words else ""
    if not name or name == desk.who.name:
        return unknown_target(desk, words[0] if words else "")
    intent.target = name
    return None


# ------------------------------------------------------------------ weapons


def _find(desk: Desk, word: str) -> Weapon | None:
    """A weapon by id, or by a name of the sheet's own."""
    who, tables = desk.who, desk.fight.tables
    owned = who.owned(word)
    if owned is not None:
        return owned
    if word in tables.weapons:
        return tables.weapons[word]
    folded = fold(word)
    mine = (*who.weapons, *who.sheet.natural_weapons)
    return next((weapon for weapon in mine if fold(weapon.id) == folded), None)


def _named(desk: Desk, intent: Intent, word: str) -> Refusal | None:
    weapon = _find(desk, word)
    owned = tuple(weapon.id for weapon in desk.who.weapons)
    if weapon is None:
        return desk.refuse("unknown_weapon", "AM-ATK-01", given=word, candidates=owned)
    if not _at_hand(desk.who, weapon):
        return desk.refuse("weapon_not_in_hand", "AM-ATK-01", given=weapon.id)
    intent.weapon = weapon
    intent.named = True
    return None


def _at_hand(who: Character, weapon: Weapon) -> bool:
    if weapon.kind == "natural":
        return weapon in who.sheet.natural_weapons
    return weapon.bare or weapon.kind == "element" or who.wielded == weapon.id


def _default(desk: Desk) -> Weapon:
    """What he has in hand, or of his own body."""
    who = desk.who
    held = who.owned(who.wielded) if who.wielded else None
    if held is not None:
        return held
    natural = who.sheet.natural_weapons
    return natural[0] if natural else desk.fight.tables.weapons["fist"]


def melee_weapon(desk: Desk, intent: Intent) -> Refusal | None:
    """What he strikes with: a bow in hand strikes as the fist (catalogue 5)."""
    word = intent.declaration.get("weapon")
    if word:
        refusal = _named(desk, intent, word)
        if refusal is not None:
            return refusal
    else:
        intent.weapon = _default(desk)
    if intent.weapon is not None and intent.weapon.shoots:
        intent.weapon = desk.fight.tables.weapons["fist"]
    return None


def charging_weapon(desk: Desk, intent: Intent) -> Refusal | None:
    """Anything but a bow, a sling or a crossbow (AM-SPC-05)."""
    word = intent.declaration.get("weapon")
    refusal = _named(desk, intent, word) if word else None
    if refusal is not None:
        return refusal
    intent.weapon = intent.weapon or _default(desk)
    if intent.weapon.shoots:
        return desk.refuse("charge_weapon", "AM-SPC-05", given=intent.weapon.id)
    return None


def missile(desk: Desk, intent: Intent) -> Refusal | None:
    """What he shoots or throws, and whether it is ready for it (AM-MIS-03 to AM-MIS-06)."""
    word = intent.declaration.get("weapon")
    refusal = _named(desk, intent, word) if word else None
    if refusal is not None:
        return refusal
    weapon = intent.weapon = intent.weapon or _default(desk)
    if not weapon.missile:
        return desk.refuse("not_a_missile", "AM-MIS-01", given=weapon.id)
    held = desk.fight.cast[desk.fight.unit(desk.who.name)].engaged
    if any(not desk.fight.cast[name].down for name in held):
        return desk.refuse("missile_while_engaged", "AM-ENG-07")
    if desk.who.ammo == 0:
        return desk.refuse("no_ammo", "AM-MIS-17")
    return _unready(desk, intent, weapon)


def _unready(desk: Desk, intent: Intent, weapon: Weapon) -> Refusal | None:
    """An unloaded crossbow, an arrow not on the string, an archer's second shot from cover."""
    if weapon.kind == "crossbow":
        loaded = desk.who.loaded
        return None if loaded else desk.refuse("not_loaded", "AM-MIS-04", given=weapon.id)
    if intent.has("from_cover") and (not desk.ready_before or desk.spent):
        return desk.refuse("cover_half_rate", "AM-MIS-06")
    if intent.quick and (weapon.kind != "bow" or not desk.who.ready):
        return desk.refuse("missile_not_ready", "AM-MIS-03", given=weapon.id)
    return None


def bow(desk: Desk, intent: Intent) -> Refusal | None:
    """A bow to make ready (AM-MIS-03)."""
    word = intent.declaration.get("weapon")
    refusal = _named(desk, intent, word) if word else None
    if refusal is not None:
        return refusal
    intent.weapon = intent.weapon or _default(desk)
    if intent.weapon.kind != "bow":
        return desk.refuse("not_a_missile", "AM-MIS-03", given=intent.weapon.id)
    return None


def crossbow(desk: Desk, intent: Intent) -> Refusal | None:
    """A crossbow to span, and the rounds that it takes (AM-MIS-10)."""
    word = intent.declaration.get("weapon")
    refusal = _named(desk, intent, word) if word else None
    if refusal is not None:
        return refusal
    weapon = intent.weapon = intent.weapon or _default(desk)
    if weapon.kind != "crossbow":
        return desk.refuse("not_a_missile", "AM-MIS-04", given=weapon.id)
    strength = desk.who.sheet.characteristics["strength"]
    if intent.declaration.get("mechanism") and weapon.pulleys:
        intent.rounds = max(1, weapon.pulleys - strength)
    else:
        intent.rounds = weapon.span_strong if strength >= weapon.span_strength else weapon.span
    return None


def polearm(desk: Desk, intent: Intent) -> Refusal | None:
    """Keeping at bay needs a polearm of a metre (AM-SPC-14)."""
    weapon = intent.weapon
    if weapon is None or not as_used(desk.fight, desk.who, weapon).polearm:
        return desk.refuse("needs_polearm", "AM-SPC-14")
    return None


def bare_hands(desk: Desk, intent: Intent) -> Refusal | None:
    """Most manoeuvres take none but the hands (14.10)."""
    intent.weapon = desk.fight.tables.weapons["fist"]
    return None


def unseating(desk: Desk, intent: Intent) -> Refusal | None:
    """With bare hands, or with what hooks a rider down (AM-NLC-20)."""
    allowed = desk.fight.tables.manoeuvres["unseat"].weapons
    word = intent.declaration.get("weapon")
    if not word:
        held = _default(desk)
        fist = desk.fight.tables.weapons["fist"]
        intent.weapon = held if held.id in allowed else fist
        return None
    refusal = _named(desk, intent, word)
    if refusal is not None:
        return refusal
    if intent.weapon is not None and not intent.weapon.bare and intent.weapon.id not in allowed:
        return desk.refuse("needs_polearm", "AM-NLC-20")
    return None


def item(_: Desk, intent: Intent) -> Refusal | None:
    """A worn object."""
    intent.item = intent.declaration.get("item")
    return None


def wall(_: Desk, intent: Intent) -> Refusal | None:
    """What somebody is pinned against, if not the ground (AM-NLC-17)."""
    intent.item = intent.declaration.get("wall")
    return None


def own_gear(desk: Desk, intent: Intent) -> Refusal | None:
    """A weapon or a shield of his own, to draw, to drop or to pick up."""
    word = intent.declaration.get("weapon")
    who = desk.who
    shields = {who.sheet.shield.id} if who.sheet.shield is not None else set()
    owned = (*(weapon.id for weapon in who.weapons), *shields)
    if not word and intent.action.id != "draw":
        default = who.wielded if intent.action.id == "drop" else next(iter(who.dropped), "")
        word = default or (owned[0] if owned else "")
    if word in desk.fight.tables.shields and shields:
        word = next(iter(shields))  # "shield" means whichever he has
    found = next((name for name in owned if fold(name) == fold(word)), "")
    if not found:
        return desk.refuse("unknown_weapon", "AM-RND-03", given=word, candidates=owned)
    if intent.action.id == "draw" and found in who.dropped:
        return desk.refuse("weapon_not_in_hand", "AM-RND-03", given=found)
    intent.item = found
    return None


def damage_type(desk: Desk, intent: Intent) -> Refusal | None:
    """A type of damage that the weapon has (AM-DMG-07)."""
    word = intent.declaration.get("type")
    if not word:
        return None
    weapon = intent.weapon
    types = () if weapon is None else as_used(desk.fight, desk.who, weapon).types
    if word not in types:
        return desk.refuse("damage_type_not_available", "AM-DMG-07", given=word, candidates=types)
    intent.type = word
    return None


def zone(desk: Desk, intent: Intent) -> Refusal | None:
    """Where a critical shall land (AM-DMG-05)."""
    word = intent.declaration.get("zone")
    if word and word not in ZONES:
        return desk.refuse("bad_value", "AM-DMG-05", field="zone", given=word, candidates=ZONES)
    intent.zone = word
    return None


# ------------------------------------------------------------------ exertion


def exertion(desk: Desk, _: Intent) -> Refusal | None:
    """A level of fatigue that he can pay (AM-FAT-02)."""
    return _payable(desk, desk.who)


def _payable(desk: Desk, payer: Character) -> Refusal | None:
    last = len(desk.fight.tables.fatigue) - 1
    if payer.fatigue + 1 >= last:
        return desk.refuse("no_fatigue_left", "AM-FAT-02", name=payer.name)
    return None


def mounted_exertion(desk: Desk, intent: Intent) -> Refusal | None:
    """Who pays for a mounted charge: the horse, or the rider (AM-MNT-10, AM-MNT-11)."""
    by_rider = intent.declaration.get("exertion") == "rider"
    intent.item = "rider" if by_rider and desk.fight.options.rider_exertion_charge else ""
    payer = desk.who if intent.item or desk.mount is None else desk.mount.who
    return _payable(desk, payer)


# ------------------------------------------------------------------ riding


def mounted(desk: Desk, _: Intent) -> Refusal | None:
    """Only from the saddle."""
    if not desk.who.mounted_on:
        return desk.refuse("not_mounted", "AM-MNT-36")
    return None


def charging_gait(desk: Desk, intent: Intent) -> Refusal | None:
    """A gallop unless he says otherwise; a badly wounded horse charges no more (AM-MNT-25)."""
    word = intent.declaration.get("pace") or "gallop"
    if word not in GAITS[1:]:
        return desk.refuse("bad_value", "AM-MNT-08", field="pace", given=word, candidates=GAITS[1:])
    intent.pace = word
    if desk.mount is not None and desk.mount.who.max_gait:
        return desk.refuse("gait_limited", "AM-MNT-25", limit=desk.mount.who.max_gait)
    return None


# ------------------------------------------------------------------ moving


def on_his_feet(desk: Desk, _: Intent) -> Refusal | None:
    """Not lying, not caught, not lamed (AM-MOV-01)."""
    who = desk.who
    if "prone" in who.conditions:
        return desk.refuse("prone", "AM-MOV-01")
    if "pinned_under_mount" in who.conditions or who.movement_limit >= 100:
        return desk.refuse("cannot_move", "AM-DMG-09")
    return None


def pace(desk: Desk, intent: Intent) -> Refusal | None:
    """How fast: a hurry on foot, a trot for a horse, unless he says otherwise (AM-MOV-04)."""
    who = desk.who
    is_horse = bool(who.ridden_by) or bool(who.sheet.creature and who.sheet.natural_weapons)
    word = intent.declaration.get("pace")
    if is_horse and word not in PACES:
        allowed: tuple[str, ...] = GAITS[1:]
        word = word or "trot"
    elif who.ridden_by:
        allowed, word = GAITS[1:], AS_GAIT[word]
    else:
        allowed, word = PACES, word or "hurry"
    if word not in allowed:
        return desk.refuse("bad_value", "AM-MOV-04", field="pace", given=word, candidates=allowed)
    intent.pace = word
    if who.max_gait and word in GAITS and GAITS.index(word) > GAITS.index(who.max_gait):
        return desk.refuse("gait_limited", "AM-MNT-25", limit=who.max_gait)
    return None


def way(desk: Desk, intent: Intent) -> Refusal | None:
    """To somebody, away from somebody, or to a place, and how far."""
    declaration, fight = intent.declaration, desk.fight
    for field in ("toward", "away"):
        word = declaration.get(field)
        if not word:
            continue
        name = fight.find(word)
        if not name or name == desk.who.name:
            return unknown_target(desk, word, "AM-MOV-01")
        setattr(intent, field, name)
    refusal = _place(desk, intent, declaration.get("to"))
    if refusal is not None:
        return refusal
    if declaration.get("distance"):
        number = _number(declaration.get("distance"))
        if number is None or number < 0:
            return _bad_number(desk, "distance", declaration.get("distance"), "AM-MOV-04")
        intent.limit = number
    return None


def _place(desk: Desk, intent: Intent, word: str) -> Refusal | None:
    """A number on the line, or a spot of the scene."""
    if not word:
        return None
    spots = desk.fight.scene.spots
    spot = next((name for name in spots if fold(name) == fold(word)), "")
    number = spots[spot].position if spot else _number(word)
    if number is None:
        return desk.refuse("unknown_target", "AM-MOV-01", given=word, candidates=tuple(spots))
    intent.spot, intent.to = spot, number
    return None


def before_charger(desk: Desk, intent: Intent) -> Refusal | None:
    """Getting out of the way needs somebody who charges (AM-SPC-16)."""
    timing = intent.declaration.timing
    if timing is None or timing.kind != "before":
        return desk.refuse("interrupt_without_delay", "AM-SPC-16", target="")
    return None


# ------------------------------------------------------------------ figures


def _number(text: str) -> int | None:
    bare = text.strip().replace("−", "-").removeprefix("+")
    digits = bare.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 7):
        return None
    return int(bare)


def _bad_number(desk: Desk, field: str, given: str, rule: str) -> Refusal:
    return desk.refuse("bad_value", rule, field=field, given=given, expected=f"0..{MOST}")


def rounds(desk: Desk, intent: Intent) -> Refusal | None:
    """How many rounds it takes, and its own ease factor (AM-RND-07, AM-RND-11)."""
    declaration = intent.declaration
    intent.name = declaration.get("name")
    for field, attribute, least in (("rounds", "rounds", 1), ("difficulty", "ease", 0)):
        word = declaration.get(field)
        if not word:
            continue
        number = _number(word)
        if number is None or not least <= number <= MOST:
            return _bad_number(desk, field, word, "AM-RND-07")
        setattr(intent, attribute, number)
    return None


def spell(_: Desk, intent: Intent) -> Refusal | None:
    """Which spell, in the player's words."""
    intent.item = intent.declaration.get("spell")
    return None


def text(_: Desk, intent: Intent) -> Refusal | None:
    """What is shouted."""
    intent.name = intent.declaration.get("text")
    return None


def obstacle(desk: Desk, intent: Intent) -> Refusal | None:
    """An obstacle that takes rounds is an extended action (AM-MOV-10)."""
    if not intent.declaration.get("rounds"):
        return None
    intent.cost = Cost.EXTENDED
    if intent.declaration.timing is not None:
        return desk.refuse("extended_cannot_delay", "AM-RND-08")
    return None


ARMED: tuple[Look, ...] = (target, melee_weapon, damage_type, zone)
