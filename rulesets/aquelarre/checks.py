"""What may be wrong with a declaration: one small function a question, each with its stage.

A check looks at the desk and the intent, fills the intent in (target, weapon, zone ...), and says
nothing or why the tag is refused. Rows of ``actions`` list them in the order of ``Stage``.
"""

from collections.abc import Callable, Sequence
from typing import Final

from rulesets.aquelarre.blow import REACH
from rulesets.aquelarre.declared import Action, Check, Class, Cost, Intent, Refusal, Stage
from rulesets.aquelarre.declaring import SHIELD_WORDS, Desk, parry_kind
from rulesets.aquelarre.fight import Character
from rulesets.aquelarre.line import allowance
from rulesets.aquelarre.modifiers import bands_of, is_behind_of
from rulesets.aquelarre.movement import pace_of
from rulesets.aquelarre.rows import Size, Weapon, Zone
from rulesets.aquelarre.wounds import covering
from rulesets.core.declarations import Declaration, Kind, fold

Look = Callable[[Desk, Intent], Refusal | None]

MAX_PARRIES: Final = 4  # AQ-DEF-05
MAX_FLIGHT: Final = 2  # AQ-DEF-20
MAX_DRAWN: Final = 2  # AQ-OTH-04


def check(stage: Stage) -> Callable[[Look], Check]:
    """Make a check of a function."""

    def made(function: Look) -> Check:
        return Check(stage, function)

    return made


# ------------------------------------------------------------------ (1) state and scene


@check(Stage.STATE)
def is_held(desk: Desk, intent: Intent) -> Refusal | None:
    """Breaking free wants a hold (AQ-DEF-23)."""
    del intent
    return None if desk.actor.held_by else desk.refuse("not_immobilised", "AQ-DEF-23")


@check(Stage.STATE)
def is_holding(desk: Desk, intent: Intent) -> Refusal | None:
    """Squeezing and letting go want somebody held (AQ-ATK-28, AQ-ATK-30)."""
    return None if desk.actor.holding else desk.refuse("not_holding", intent.action.rule)


@check(Stage.STATE)
def is_in_guard(desk: Desk, intent: Intent) -> Refusal | None:
    """One leaves a guard that one is in (AQ-DEF-18)."""
    del intent
    return None if desk.in_guard else desk.refuse("not_in_guard", "AQ-DEF-18")


@check(Stage.STATE)
def may_come_to_melee(desk: Desk, intent: Intent) -> Refusal | None:
    """Slipping out wants a melé, or somebody who has declared one (AQ-DEF-24)."""
    del intent
    if desk.in_melee or any(
        declaration.verb == "close_in"
        and (
            name == desk.actor.name or desk.fight.find(declaration.get("target")) == desk.actor.name
        )
        for name, some in desk.declared.items()
        for declaration in some
    ):
        return None
    return desk.refuse("not_in_melee", "AQ-DEF-24")


@check(Stage.STATE)
def is_in_melee(desk: Desk, intent: Intent) -> Refusal | None:
    """A hold is possible in melé only (AQ-ATK-27)."""
    del intent
    return None if desk.actor.melee_with else desk.refuse("not_in_melee", "AQ-ATK-27")


@check(Stage.STATE)
def has_cover(desk: Desk, intent: Intent) -> Refusal | None:
    """Seeking cover wants some near (AQ-DEF-14)."""
    del intent
    if desk.actor.name in desk.fight.scene.cover:
        return None
    return desk.refuse("no_cover", "AQ-DEF-14")


@check(Stage.STATE)
def is_downtime(desk: Desk, intent: Intent) -> Refusal | None:
    """Nothing is repaired in the middle of a fight (AQ-ARM-05)."""
    del intent
    return None if desk.fight.scene.downtime else desk.refuse("needs_downtime", "AQ-ARM-05")


# ------------------------------------------------------------------ (2) the order of the round


@check(Stage.ORDER)
def moves_first(desk: Desk, intent: Intent) -> Refusal | None:
    """With a movement and an attack, the movement comes first (AQ-RND-12)."""
    del intent
    return desk.refuse("attack_before_movement", "AQ-RND-12") if desk.attacked else None


@check(Stage.ORDER)
def not_while_rising(desk: Desk, intent: Intent) -> Refusal | None:
    """No attack in the round of getting up (AQ-MOV-07, D-39)."""
    del intent
    return desk.refuse("attack_while_standing_up", "AQ-MOV-07") if desk.rising else None


@check(Stage.ORDER)
def after_closing_in(desk: Desk, intent: Intent) -> Refusal | None:
    """One may attack after closing in, unless the table plays it otherwise (AQ-MOV-04, D-11)."""
    del intent
    if not desk.closed_in or desk.fight.options.melee_move_then_attack:
        return None
    return desk.refuse("melee_move_not_allowed", "AQ-MOV-04")


# ------------------------------------------------------------------ (3) states that forbid


@check(Stage.FORBIDS)
def out_of_melee(desk: Desk, intent: Intent) -> Refusal | None:
    """Nobody in melé may move (AQ-MOV-06)."""
    if not desk.in_melee:
        return None
    cure = Declaration(intent.actor, Kind.ACTION, "disengage")
    return desk.refuse("in_melee", "AQ-MOV-06", cure)


@check(Stage.FORBIDS)
def on_feet(desk: Desk, intent: Intent) -> Refusal | None:
    """On the ground one can only crawl and get up (AQ-MOV-03)."""
    if "prone" not in desk.actor.conditions:
        return None
    cure = Declaration(intent.actor, Kind.ACTION, "stand_up")
    return desk.refuse("prone", "AQ-MOV-03", cure)


@check(Stage.FORBIDS)
def on_the_ground(desk: Desk, intent: Intent) -> Refusal | None:
    """Crawling and getting up are for those on the ground (AQ-MOV-03, AQ-MOV-07)."""
    if "prone" in desk.actor.conditions:
        return None
    return desk.refuse("not_prone", intent.action.rule)


@check(Stage.FORBIDS)
def on_foot(desk: Desk, intent: Intent) -> Refusal | None:
    """Not from the saddle."""
    return desk.refuse("mounted", intent.action.rule) if desk.mounted else None


@check(Stage.FORBIDS)
def in_the_saddle(desk: Desk, intent: Intent) -> Refusal | None:
    """Only from the saddle (AQ-MNT-05)."""
    if desk.mounted:
        return None
    rule = "AQ-MNT-05" if intent.action.klass is Class.ATTACK else intent.action.rule
    return desk.refuse("not_mounted", rule)


@check(Stage.FORBIDS)
def may_close_in(desk: Desk, intent: Intent) -> Refusal | None:
    """Not after a movement, nor with a defence other than dodge and parries (AQ-MOV-04)."""
    allowed = {"dodge", "parry", "shield_parry"}
    others = [name for name in desk.defences if name not in allowed]
    if not desk.movements and not others:
        return None
    return desk.refuse("melee_move_not_allowed", intent.action.rule)


# ------------------------------------------------------------------ (4) names


def _unknown_name(desk: Desk, given: str) -> Refusal:
    return desk.refuse(
        "unknown_target",
        "AQ-RND-01",
        given=given,
        candidates=tuple(name for name in desk.fight.cast if name != desk.actor.name),
    )


@check(Stage.NAMES)
def target(desk: Desk, intent: Intent) -> Refusal | None:
    """One target, by name."""
    return _target(desk, intent, "target")


@check(Stage.NAMES)
def receiver(desk: Desk, intent: Intent) -> Refusal | None:
    """Whom an object is for."""
    return _target(desk, intent, "to")


def _target(desk: Desk, intent: Intent, name: str) -> Refusal | None:
    given = intent.declaration.get(name)
    if not given:
        return desk.refuse("missing_target", intent.action.rule, field=name)
    found = desk.fight.find(given)
    if not found:
        return _unknown_name(desk, given)
    intent.target = found
    return None


@check(Stage.NAMES)
def perhaps_target(desk: Desk, intent: Intent) -> Refusal | None:
    """A target where one is named."""
    return _target(desk, intent, "target") if intent.declaration.get("target") else None


@check(Stage.NAMES)
def targets(desk: Desk, intent: Intent) -> Refusal | None:
    """Targets in the order in which the weapon meets them (AQ-ATK-17)."""
    given = intent.declaration.names("target")
    if not given:
        return desk.refuse("missing_target", "AQ-ATK-15", field="target")
    found = []
    for word in given:
        name = desk.fight.find(word)
        if not name:
            return _unknown_name(desk, word)
        found.append(name)
    intent.targets = tuple(dict.fromkeys(found))
    intent.target = intent.targets[0]
    return None


@check(Stage.NAMES)
def against(desk: Desk, intent: Intent) -> Refusal | None:
    """Enemies that a defence is kept for."""
    found = []
    for word in intent.declaration.names("against"):
        name = desk.fight.find(word)
        if not name:
            return _unknown_name(desk, word)
        found.append(name)
    intent.against = tuple(found)
    return None


@check(Stage.NAMES)
def direction(desk: Desk, intent: Intent) -> Refusal | None:
    """Toward somebody, or away."""
    toward, away = intent.declaration.get("toward"), intent.declaration.get("away")
    intent.toward = desk.fight.find(toward)
    intent.away = desk.fight.find(away)
    if toward and (not intent.toward or intent.toward == intent.actor):
        return _unknown_name(desk, toward)
    if away and (not intent.away or intent.away == intent.actor):
        return _unknown_name(desk, away)
    return None


def named_weapon(desk: Desk, who: Character, word: str) -> Weapon | None:
    """The weapon of a character that a word means: by its name, or by an alias of just one."""
    folded = fold(word)
    brawl = desk.fight.tables.brawl
    if folded in brawl.names:
        return brawl
    by_alias: dict[str, Weapon] = {}
    for weapon in who.weapons:
        if weapon.names[0] == folded:
            return weapon
        if folded in weapon.names:
            by_alias[weapon.name] = weapon
    return next(iter(by_alias.values())) if len(by_alias) == 1 else None


def _unknown_weapon(desk: Desk, given: str) -> Refusal:
    return desk.refuse(
        "unknown_weapon",
        "AQ-RND-11",
        given=given,
        candidates=tuple(dict.fromkeys(weapon.name for weapon in desk.actor.weapons)),
    )


def main_weapon(desk: Desk) -> Weapon:
    """What an attack or a parry uses unasked: what is drawn before it, else the main hand's."""
    for name in desk.drawn:
        for weapon in (*desk.actor.weapons, *desk.fight.ground):
            if weapon.name == name:
                return weapon
    in_hand = desk.actor.in_hand
    return in_hand[0] if in_hand else desk.fight.tables.brawl


@check(Stage.NAMES)
def weapon(desk: Desk, intent: Intent) -> Refusal | None:
    """The weapon: named, or what is in hand."""
    declaration = intent.declaration
    intent.off_hand = declaration.get("hand") == "off"
    given = declaration.get("weapon")
    if given:
        intent.weapon = named_weapon(desk, desk.actor, given) or _lying(desk, given)
        if intent.weapon is None:
            return _unknown_weapon(desk, given)
    elif intent.off_hand and len(desk.actor.in_hand) > 1:
        intent.weapon = desk.actor.in_hand[1]
    else:
        intent.weapon = main_weapon(desk)
    intent.throws = is_throw(declaration)
    return None


def is_throw(declaration: Declaration) -> bool:
    """Whether a weapon is to be thrown although in reach: a flag, or in the verb itself."""
    return "throw" in declaration.flags or declaration.get("manner") == "throw"


def _lying(desk: Desk, word: str) -> Weapon | None:
    """A weapon on the ground that an earlier action of this declaration picks up."""
    folded = fold(word)
    for weapon in desk.fight.ground:
        if folded in weapon.names and weapon.name in desk.drawn:
            return weapon
    return None


@check(Stage.NAMES)
def bare_hands(desk: Desk, intent: Intent) -> Refusal | None:
    """A shove is done with the body."""
    intent.weapon = desk.fight.tables.brawl
    return None


@check(Stage.NAMES)
def second_weapon(desk: Desk, intent: Intent) -> Refusal | None:
    """The weapon of the other hand: named, or the second in hand (AQ-ATK-06)."""
    given = intent.declaration.get("weapon_2")
    if given:
        intent.weapon_2 = named_weapon(desk, desk.actor, given)
        return None if intent.weapon_2 is not None else _unknown_weapon(desk, given)
    others = [other for other in desk.actor.in_hand if other is not intent.weapon]
    intent.weapon_2 = others[0] if others else None
    return None


@check(Stage.NAMES)
def target_weapon(desk: Desk, intent: Intent) -> Refusal | None:
    """The enemy's weapon, where it is named (AQ-ATK-23)."""
    given = intent.declaration.get("target_weapon")
    if not given:
        return None
    enemy = desk.fight.cast[intent.target]
    found = named_weapon(desk, enemy, given)
    if found is None or found.natural:
        return desk.refuse(
            "unknown_weapon",
            "AQ-ATK-23",
            given=given,
            candidates=tuple(weapon.name for weapon in enemy.in_hand),
        )
    intent.target_weapon = found.name
    return None


@check(Stage.NAMES)
def missile(desk: Desk, intent: Intent) -> Refusal | None:
    """The weapon to reload: named, or the first that shoots (AQ-RNG-04)."""
    given = intent.declaration.get("weapon")
    if given:
        intent.weapon = named_weapon(desk, desk.actor, given)
        return None if intent.weapon is not None else _unknown_weapon(desk, given)
    own = desk.actor.weapons
    intent.weapon = next((each for each in own if each.missile), None)
    return None if intent.weapon is not None else _unknown_weapon(desk, "")


@check(Stage.NAMES)
def drawn(desk: Desk, intent: Intent) -> Refusal | None:
    """What is drawn or picked up: named, or the first that is not in hand (AQ-OTH-03)."""
    who = desk.actor
    words = intent.declaration.names("weapon")
    if not words:
        away = (*who.sheathed, *who.dropped)
        if not away:
            return _unknown_weapon(desk, "")
        words = away[:1]
    found = []
    for word in words:
        name = _drawable(desk, word)
        if not name:
            return _unknown_weapon(desk, word)
        found.append(name)
    intent.items = tuple(found)
    return None


def _drawable(desk: Desk, word: str) -> str:
    own = named_weapon(desk, desk.actor, word)
    if own is not None and not own.natural:
        return own.name
    shield = desk.actor.shield
    if shield is not None and (fold(word) == fold(shield.name) or word in SHIELD_WORDS):
        return shield.name
    folded = fold(word)
    return next((lying.name for lying in desk.fight.ground if folded in lying.names), "")


@check(Stage.NAMES)
def item(desk: Desk, intent: Intent) -> Refusal | None:
    """The weapon or shield to hand over (AQ-OTH-01)."""
    given = intent.declaration.get("item")
    own = named_weapon(desk, desk.actor, given) if given else None
    shield = desk.actor.shield
    if own is not None and not own.natural:
        intent.item = own.name
    elif shield is not None and (fold(given) == fold(shield.name) or given in SHIELD_WORDS):
        intent.item = shield.name
    else:
        names = [each.name for each in desk.actor.weapons]
        names += [] if shield is None else [shield.name]
        return _unknown_object(desk, intent, given, names)
    return None


def _unknown_object(desk: Desk, intent: Intent, given: str, names: Sequence[str]) -> Refusal:
    return desk.refuse(
        "unknown_object",
        intent.action.rule,
        given=given,
        candidates=tuple(dict.fromkeys(names)),
    )


@check(Stage.NAMES)
def stowed_armour(desk: Desk, intent: Intent) -> Refusal | None:
    """The piece to put on: named, or the only one (AQ-ARM-08)."""
    names = [piece.name for piece in desk.actor.stowed]
    given = intent.declaration.get("armour")
    if not given and len(names) == 1:
        intent.item = names[0]
        return None
    intent.item = next((name for name in names if fold(name) == fold(given)), "")
    return None if intent.item else _unknown_object(desk, intent, given, names)


@check(Stage.NAMES)
def damaged(desk: Desk, intent: Intent) -> Refusal | None:
    """The armour or shield to mend (AQ-ARM-05)."""
    who = desk.actor
    names = [piece.name for piece in who.armour]
    if who.shield is not None:
        names.append(who.shield.name)
    given = intent.declaration.get("item")
    if who.shield is not None and given in SHIELD_WORDS:
        given = who.shield.name
    intent.item = next((name for name in names if fold(name) == fold(given)), "")
    return None if intent.item else _unknown_object(desk, intent, given, names)


# ------------------------------------------------------------------ (5) what the manoeuvre asks


def wants(serves: Callable[[Weapon], bool]) -> Check:
    """A weapon of a certain kind, or the code ``wrong_weapon``."""

    @check(Stage.MANOEUVRE)
    def wants_weapon(desk: Desk, intent: Intent) -> Refusal | None:
        if serves(intent.arms):
            return None
        return wrong_weapon(desk, intent, serves)

    return wants_weapon


def wrong_weapon(desk: Desk, intent: Intent, serves: Callable[[Weapon], bool]) -> Refusal:
    """The weapon does not do for this action; the candidates are those that would."""
    good = dict.fromkeys(each.name for each in desk.actor.weapons if serves(each))
    return desk.refuse(
        "wrong_weapon", intent.action.rule, given=intent.arms.name, candidates=tuple(good)
    )


def is_melee(weapon: Weapon) -> bool:
    """Used hand to hand: it does not shoot."""
    return not weapon.missile


@check(Stage.MANOEUVRE)
def may_be_thrown(desk: Desk, intent: Intent) -> Refusal | None:
    """Only some weapons can be thrown (AQ-RNG-03)."""
    if not intent.throws or intent.arms.thrown:
        return None
    return wrong_weapon(desk, intent, lambda each: each.thrown)


@check(Stage.MANOEUVRE)
def other_than_self(desk: Desk, intent: Intent) -> Refusal | None:
    """Nobody does this to himself."""
    if intent.target != intent.actor and intent.actor not in intent.targets:
        return None
    return desk.refuse("invalid_target", intent.action.rule, given=intent.actor)


@check(Stage.MANOEUVRE)
def zone(desk: Desk, intent: Intent) -> Refusal | None:
    """The zone aimed at must be on the target's body (AQ-MOD-08)."""
    given = intent.declaration.get("zone")
    if not given:
        return None
    tables = desk.fight.tables
    body = desk.fight.cast[intent.target].sheet.body
    intent.zone = tables.zones.get(given) or _zone_of_place(desk, body.id, given)
    if intent.zone is None:
        return _bad_value(desk, intent, "zone", given, tuple(tables.zones))
    if body.at(intent.zone.part, intent.zone.side) is None:
        return desk.refuse("invalid_target", "AQ-MOD-08", given=given)
    return None


def _zone_of_place(desk: Desk, body: str, given: str) -> Zone | None:
    """The zone that a location of another body stands for: a foreleg is aimed at like an arm."""
    place = desk.fight.tables.bodies[body].locations.get(given)
    if place is None:
        return None
    return next(
        (
            each
            for each in desk.fight.tables.zones.values()
            if each.part == place.part and each.side in (place.side, "right")
        ),
        None,
    )


def _bad_value(
    desk: Desk, intent: Intent, name: str, given: str, candidates: tuple[str, ...] = ()
) -> Refusal:
    return desk.refuse(
        "bad_value", intent.action.rule, field=name, given=given, candidates=candidates
    )


@check(Stage.MANOEUVRE)
def levels(desk: Desk, intent: Intent) -> Refusal | None:
    """Steps up the damage bonus table, 1 unless said otherwise (AQ-ATK-11)."""
    given = intent.declaration.get("levels")
    if not given:
        return None
    most = len(desk.fight.tables.bonus) - 1
    if not (given.isascii() and given.isdigit() and 1 <= int(given) <= most):
        return _bad_value(desk, intent, "levels", given, ("1", str(most)))
    intent.levels = int(given)
    return None


@check(Stage.MANOEUVRE)
def run_up(desk: Desk, intent: Intent) -> Refusal | None:
    """A jump with a run-up costs two actions (AQ-MOV-11)."""
    del desk
    if "run_up" in intent.declaration.flags:
        intent.cost = Cost.EXTENDED
    return None


@check(Stage.MANOEUVRE)
def extended(desk: Desk, intent: Intent) -> Refusal | None:
    """An improvised action may be said to take the whole round (AQ-OTH-13)."""
    del desk
    if "extended" in intent.declaration.flags:
        intent.cost = Cost.EXTENDED
    return None


@check(Stage.MANOEUVRE)
def squeeze_cost(desk: Desk, intent: Intent) -> Refusal | None:
    """What squeezing costs is cut off in the seed (D-14)."""
    intent.cost = Cost[desk.fight.options.squeeze_cost.upper()]
    return None


def _has_shield(who: Character) -> bool:
    return who.shield is not None and who.shield_resistance > 0


@check(Stage.MANOEUVRE)
def shield(desk: Desk, intent: Intent) -> Refusal | None:
    """A shield of one's own, whole (AQ-DEF-09, AQ-DEF-10, AQ-DEF-17)."""
    return None if _has_shield(desk.actor) else desk.refuse("no_shield", intent.action.rule)


@check(Stage.MANOEUVRE)
def striking_shield(desk: Desk, intent: Intent) -> Refusal | None:
    """A large shield cannot strike (AQ-ATK-05)."""
    del intent
    own = desk.actor.shield
    if own is None or own.size != "large":
        return None
    return desk.refuse("shield_too_large", "AQ-ATK-05", given=own.name)


@check(Stage.MANOEUVRE)
def shielded_target(desk: Desk, intent: Intent) -> Refusal | None:
    """There must be a shield to break (AQ-ATK-21)."""
    enemy = desk.fight.cast[intent.target]
    return None if _has_shield(enemy) else desk.refuse("no_shield", "AQ-ATK-21", target=enemy.name)


@check(Stage.MANOEUVRE)
def cover_zone(desk: Desk, intent: Intent) -> Refusal | None:
    """The free location that the shield covers, the abdomen unless chosen (AQ-DEF-19)."""
    given = intent.declaration.get("zone")
    body = desk.actor.sheet.body
    if not given:
        intent.cover = "abdomen"
        return None
    chosen = desk.fight.tables.zones.get(given)
    place = body.locations.get(given)
    if place is None and chosen is not None:
        place = body.at(chosen.part, chosen.side)
    if place is None:
        return _bad_value(desk, intent, "zone", given, tuple(body.locations))
    intent.cover = place.id
    return None


@check(Stage.MANOEUVRE)
def weapon_for_each_hand(desk: Desk, intent: Intent) -> Refusal | None:
    """A medium weapon in one hand and a light one in the other (AQ-ATK-06)."""
    main, second = intent.arms, intent.weapon_2

    def serves(each: Weapon) -> bool:
        return each.hands == 1 and not each.missile and each.size is not Size.HEAVY

    sizes = {Size.LIGHT, Size.MEDIUM}
    if second is not None and serves(main) and serves(second) and {main.size, second.size} == sizes:
        return None
    return wrong_weapon(desk, intent, serves)


@check(Stage.MANOEUVRE)
def two_enemies(desk: Desk, intent: Intent) -> Refusal | None:
    """A sweep is for two or more (AQ-ATK-15)."""
    if len(intent.targets) > 1:
        return None
    return desk.refuse("not_enough_enemies", "AQ-ATK-15")


@check(Stage.MANOEUVRE)
def bare_head(desk: Desk, intent: Intent) -> Refusal | None:
    """No stunning through a metal helmet (AQ-ATK-12)."""
    enemy = desk.fight.cast[intent.target]
    body = enemy.sheet.body
    head = body.at("head", "")
    helmet = None if head is None else covering(enemy, head.id)
    if helmet is None or not helmet.metal:
        return None
    return desk.refuse("metal_helmet", "AQ-ATK-12", given=helmet.name, target=enemy.name)


@check(Stage.MANOEUVRE)
def unawares(desk: Desk, intent: Intent) -> Refusal | None:
    """Stunning wants surprise, or the back (AQ-ATK-12)."""
    enemy = desk.fight.cast[intent.target]
    if "surprised" in enemy.conditions or is_behind_of(desk.fight, intent.actor, enemy.name):
        return None
    return desk.refuse("no_surprise", "AQ-ATK-12", target=enemy.name)


@check(Stage.MANOEUVRE)
def large_enough(desk: Desk, intent: Intent) -> Refusal | None:
    """One disarms with a weapon of the same size or larger (AQ-ATK-23)."""
    enemy = desk.fight.cast[intent.target]
    in_hand = enemy.in_hand
    if intent.target_weapon:
        in_hand = tuple(each for each in enemy.weapons if each.name == intent.target_weapon)
    if not in_hand:
        return desk.refuse("invalid_target", "AQ-ATK-23", target=enemy.name)
    if intent.arms.size >= in_hand[0].size:
        return None
    return desk.refuse(
        "weapon_too_small", "AQ-ATK-23", given=intent.arms.name, target_weapon=in_hand[0].name
    )


@check(Stage.MANOEUVRE)
def mounted_target(desk: Desk, intent: Intent) -> Refusal | None:
    """Only riders can be unhorsed (AQ-ATK-24)."""
    enemy = desk.fight.cast[intent.target]
    if "mounted" in enemy.conditions:
        return None
    return desk.refuse("invalid_target", "AQ-ATK-24", target=enemy.name)


@check(Stage.MANOEUVRE)
def two_legged(desk: Desk, intent: Intent) -> Refusal | None:
    """Quadrupeds and serpents are not tripped (AQ-ATK-29)."""
    enemy = desk.fight.cast[intent.target]
    if enemy.sheet.body.tripped:
        return None
    return desk.refuse("invalid_target", "AQ-ATK-29", target=enemy.name)


@check(Stage.MANOEUVRE)
def partner(desk: Desk, intent: Intent) -> Refusal | None:
    """One holds whom one is in melé with (AQ-ATK-27)."""
    if intent.target in desk.actor.melee_with:
        return None
    return desk.refuse("not_in_melee", "AQ-ATK-27", target=intent.target)


@check(Stage.MANOEUVRE)
def fits_melee(desk: Desk, intent: Intent) -> Refusal | None:
    """In melé only light weapons serve to attack (AQ-MOV-05)."""
    if not desk.in_melee or intent.arms.size is Size.LIGHT:
        return None
    light = {each.name: None for each in desk.actor.weapons if each.size is Size.LIGHT}
    return desk.refuse(
        "weapon_too_large_for_melee",
        "AQ-MOV-05",
        given=intent.arms.name,
        candidates=(*light, desk.fight.tables.brawl.name),
    )


@check(Stage.MANOEUVRE)
def second_fits_melee(desk: Desk, intent: Intent) -> Refusal | None:
    """Nor does a medium weapon of the other hand (AQ-MOV-05)."""
    each = intent.weapon_2
    if not desk.in_melee or each is None or each.size is Size.LIGHT:
        return None
    return desk.refuse("weapon_too_large_for_melee", "AQ-MOV-05", given=each.name)


# -- defences


@check(Stage.MANOEUVRE)
def parries(desk: Desk, intent: Intent) -> Refusal | None:
    """At most four enemies, each once (AQ-DEF-05)."""
    if len(intent.against) > MAX_PARRIES:
        return desk.refuse("too_many_parries", "AQ-DEF-05", limit=MAX_PARRIES)
    if len(set(intent.against)) < len(intent.against):
        return desk.refuse("same_enemy_twice", "AQ-DEF-05")
    return None


@check(Stage.MANOEUVRE)
def one_enemy(desk: Desk, intent: Intent) -> Refusal | None:
    """A dodge is for the attacks of one enemy (AQ-DEF-11)."""
    if len(intent.against) < 2:
        return None
    return desk.refuse("one_enemy_per_dodge", "AQ-DEF-11")


@check(Stage.MANOEUVRE)
def parrying_weapon(desk: Desk, intent: Intent) -> Refusal | None:
    """Never a sling (AQ-DEF-07)."""
    if intent.weapon is None or intent.weapon.skill != "slings":
        return None
    return desk.refuse("cannot_parry_with", "AQ-DEF-07", given=intent.weapon.name)


@check(Stage.MANOEUVRE)
def against_hand_to_hand(desk: Desk, intent: Intent) -> Refusal | None:
    """No use against an enemy who has declared nothing but shots (AQ-DEF-08, AQ-DEF-13)."""
    for name in intent.against:
        attacks = _attacks_on(desk, name)
        if attacks and all(_shoots(desk, name, each) for each in attacks):
            return desk.refuse("defence_vs_ranged", "AQ-DEF-13", target=name)
    return None


@check(Stage.MANOEUVRE)
def against_what_can_be_parried(desk: Desk, intent: Intent) -> Refusal | None:
    """No parry stops a rider's charge or a shove (AQ-ATK-20, AQ-ATK-25)."""
    for name in intent.against:
        attacks = _attacks_on(desk, name)
        if attacks and all(each.verb in ("mounted_charge", "shove") for each in attacks):
            return desk.refuse("cannot_parry", "AQ-ATK-20", target=name)
    return None


def _attacks_on(desk: Desk, enemy: str) -> list[Declaration]:
    """Attacks that an enemy has declared on this character, as read."""
    found = []
    for declaration in desk.declared.get(enemy, ()):
        action = desk.actions.get(declaration.verb)
        if action is None or action.klass is not Class.ATTACK:
            continue
        if any(desk.fight.find(word) == desk.actor.name for word in declaration.names("target")):
            found.append(declaration)
    return found


def _shoots(desk: Desk, enemy: str, declaration: Declaration) -> bool:
    """Whether an attack as declared is a shot or a throw."""
    who = desk.fight.cast[enemy]
    word = declaration.get("weapon")
    in_hand = who.in_hand
    used = named_weapon(desk, who, word) if word else (in_hand[0] if in_hand else None)
    action: Action = desk.actions[declaration.verb]
    if used is None or action.melee_only:
        return False
    if used.missile:
        return True
    return used.thrown and (is_throw(declaration) or desk.to_enemy(enemy) > REACH)


@check(Stage.MANOEUVRE)
def arm(desk: Desk, intent: Intent) -> Refusal | None:
    """The arm that takes a blow parried with bare hands (AQ-DEF-06)."""
    given = intent.declaration.get("arm")
    if given and given not in ("right_arm", "left_arm"):
        return _bad_value(desk, intent, "arm", given, ("right_arm", "left_arm"))
    intent.arm = given
    return None


@check(Stage.MANOEUVRE)
def fast_enough(desk: Desk, intent: Intent) -> Refusal | None:
    """Cover is reached before a slower enemy shoots only (AQ-DEF-14)."""
    fight = desk.fight
    for name in intent.against:
        if name in fight.initiative and _rank(desk, name) <= _rank(desk, desk.actor.name):
            return desk.refuse(
                "initiative_too_low",
                "AQ-DEF-14",
                target=name,
                own=fight.initiative[desk.actor.name],
                other=fight.initiative[name],
            )
    return None


def _rank(desk: Desk, name: str) -> tuple[int, bool, int]:
    who = desk.fight.cast[name]
    perception = who.figures.characteristics["perception"]
    return (-desk.fight.initiative[name], who.npc, -perception)


@check(Stage.MANOEUVRE)
def repairable(desk: Desk, intent: Intent) -> Refusal | None:
    """More than two thirds lost cannot be mended (AQ-ARM-06)."""
    who = desk.actor
    if who.shield is not None and who.shield.name == intent.item:
        most, left = who.shield.resistance, who.shield_resistance
    else:
        piece = next(each for each in who.armour if each.name == intent.item)
        most, left = piece.resistance, who.armour_resistance[intent.item]
    if left * 3 >= most:
        return None
    return desk.refuse("irreparable", "AQ-ARM-06", given=intent.item, left=left, limit=most)


@check(Stage.MANOEUVRE)
def hands_enough(desk: Desk, intent: Intent) -> Refusal | None:
    """Two weapons at once with both hands; a shield always by itself (AQ-OTH-04)."""
    own = desk.actor.shield
    if len(intent.items) < 2:
        return None
    if own is not None and own.name in intent.items:
        return desk.refuse("shield_needs_own_draw", "AQ-OTH-04", given=own.name)
    hands = {each.name: each.hands for each in (*desk.actor.weapons, *desk.fight.ground)}
    if len(intent.items) > MAX_DRAWN or any(hands.get(name, 1) > 1 for name in intent.items):
        return desk.refuse("too_many_weapons", "AQ-OTH-04", limit=MAX_DRAWN)
    return None


@check(Stage.BUDGET)
def one_squeeze(desk: Desk, intent: Intent) -> Refusal | None:
    """One squeeze a round, whatever it costs (AQ-ATK-28)."""
    del intent
    return desk.refuse("too_many_actions", "AQ-ATK-28", limit=1, spent=1) if desk.squeezed else None


@check(Stage.BUDGET)
def one_step(desk: Desk, intent: Intent) -> Refusal | None:
    """One free step a round (AQ-MOV-14)."""
    del intent
    return desk.refuse("too_many_actions", "AQ-MOV-14", limit=1, spent=1) if desk.stepped else None


# ------------------------------------------------------------------ (6) readiness


def _is_ready(desk: Desk, each: Weapon) -> bool:
    if each.natural:
        return True
    ready = desk.actor.ready_count(each.name)
    return ready + desk.drawn.count(each.name) - desk.thrown.count(each.name) > 0


def _not_ready(desk: Desk, intent: Intent, name: str) -> Refusal:
    cure = Declaration(intent.actor, Kind.ACTION, "draw", {"weapon": name})
    return desk.refuse("weapon_not_ready", "AQ-OTH-03", cure, given=name)


@check(Stage.READY)
def weapon_ready(desk: Desk, intent: Intent) -> Refusal | None:
    """In hand, or drawn by an earlier action (AQ-OTH-03); loaded (AQ-RNG-04)."""
    each = intent.arms
    if not _is_ready(desk, each):
        return _not_ready(desk, intent, each.name)
    if each.missile and desk.loads.get(each.name, desk.actor.reload_left.get(each.name, 0)):
        cure = Declaration(intent.actor, Kind.ACTION, "reload", {"weapon": each.name})
        left = desk.loads.get(each.name, desk.actor.reload_left.get(each.name, 0))
        return desk.refuse("weapon_not_loaded", "AQ-RNG-04", cure, given=each.name, left=left)
    return None


@check(Stage.READY)
def in_hand(desk: Desk, intent: Intent) -> Refusal | None:
    """In hand, or drawn by an earlier action; loaded or not."""
    each = intent.arms
    return None if _is_ready(desk, each) else _not_ready(desk, intent, each.name)


@check(Stage.READY)
def second_ready(desk: Desk, intent: Intent) -> Refusal | None:
    """The other hand's weapon too (AQ-ATK-06)."""
    each = intent.weapon_2
    if each is None or _is_ready(desk, each):
        return None
    return _not_ready(desk, intent, each.name)


@check(Stage.READY)
def shield_on_arm(desk: Desk, intent: Intent) -> Refusal | None:
    """The shield is on the arm, or an earlier action takes it up (AQ-OTH-04)."""
    own = desk.actor.shield
    if own is None or desk.actor.shield_ready or own.name in desk.drawn:
        return None
    return _not_ready(desk, intent, own.name)


@check(Stage.READY)
def item_in_hand(desk: Desk, intent: Intent) -> Refusal | None:
    """One hands over what one has in hand (AQ-OTH-01)."""
    who = desk.actor
    if who.shield is not None and who.shield.name == intent.item:
        ready = who.shield_ready or intent.item in desk.drawn
    else:
        ready = who.ready_count(intent.item) + desk.drawn.count(intent.item) > 0
    return None if ready else _not_ready(desk, intent, intent.item)


@check(Stage.READY)
def not_ruined(desk: Desk, intent: Intent) -> Refusal | None:
    """What is ruined is not taken up again."""
    who = desk.actor
    for name in intent.items:
        owned = sum(1 for each in who.weapons if each.name == name)
        if owned and who.broken.count(name) >= owned:
            return desk.refuse("weapon_not_ready", "AQ-OTH-03", given=name)
    return None


# ------------------------------------------------------------------ (7) distance


def _comes_nearer(desk: Desk, name: str) -> bool:
    """Whether a character has declared that it comes to this one."""
    for declaration in desk.declared.get(name, ()):
        words = [declaration.get("toward")]
        if declaration.verb in ("close_in", "charge", "mounted_charge"):
            words.append(declaration.get("target"))
        if any(word and desk.fight.find(word) == desk.actor.name for word in words):
            return True
    return False


@check(Stage.DISTANCE)
def nowhere(desk: Desk, intent: Intent) -> Refusal | None:
    """No distance is asked for."""
    del desk, intent
    return None


@check(Stage.DISTANCE)
def in_reach(desk: Desk, intent: Intent) -> Refusal | None:
    """Reach is 2 varas; only checked when nobody moves first."""
    names = intent.targets or (intent.target,)
    for name in names:
        if desk.moved or desk.to_enemy(name) <= REACH or _comes_nearer(desk, name):
            continue
        return _out_of_reach(desk, intent, name)
    return None


def _out_of_reach(desk: Desk, intent: Intent, name: str) -> Refusal:
    cure = Declaration(intent.actor, Kind.ACTION, "walk", {"toward": name})
    return desk.refuse(
        "out_of_reach",
        intent.action.rule,
        cure,
        target=name,
        distance=desk.to_enemy(name),
        limit=REACH,
    )


@check(Stage.DISTANCE)
def in_reach_or_range(desk: Desk, intent: Intent) -> Refusal | None:
    """In reach hand to hand, else within the weapon's distances (AQ-RNG-02)."""
    each = intent.arms
    varas = desk.to_enemy(intent.target)
    if not each.missile and not intent.throws and varas <= REACH:
        return None
    if not each.missile and not each.thrown:
        return in_reach.look(desk, intent)
    if desk.moved:
        return None
    if _comes_nearer(desk, intent.target) and not each.missile:
        return None
    longest = bands_of(desk.actor, each)[-1]
    if varas > longest:
        return desk.refuse(
            "out_of_range", "AQ-RNG-02", target=intent.target, distance=varas, limit=longest
        )
    if not each.missile and varas > REACH:
        intent.throws = True
    return None


@check(Stage.DISTANCE)
def far_enough(desk: Desk, intent: Intent) -> Refusal | None:
    """No farther than the action carries (AQ-MOV-15)."""
    given = intent.declaration.get("varas")
    if not given:
        return None
    if not (given.isascii() and given.isdigit() and len(given) < 6):
        return _bad_value(desk, intent, "varas", given)
    most = allowance(desk.actor, desk.fight.tables.movement[pace_of(intent)])
    intent.varas = int(given)
    if intent.varas <= most:
        return None
    declaration = intent.declaration
    cure = Declaration(
        declaration.actor,
        Kind.ACTION,
        declaration.verb,
        {**declaration.fields, "varas": str(most)},
        declaration.flags,
    )
    return desk.refuse("too_far", "AQ-MOV-15", cure, given=intent.varas, limit=most)


@check(Stage.DISTANCE)
def charging_distance(desk: Desk, intent: Intent) -> Refusal | None:
    """A charge starts near enough (AQ-ATK-18, AQ-ATK-19)."""
    most = allowance(desk.actor, desk.fight.tables.movement[intent.action.id])
    varas = desk.to_enemy(intent.target)
    if desk.moved or varas <= most or _comes_nearer(desk, intent.target):
        return None
    return desk.refuse(
        "too_far_to_charge", intent.action.rule, target=intent.target, distance=varas, limit=most
    )


@check(Stage.DISTANCE)
def no_closing_in(desk: Desk, intent: Intent) -> Refusal | None:
    """A step toward an enemy in reach is a closing-in, which costs an action (AQ-MOV-14)."""
    name = intent.toward
    if not name or desk.fight.cast[name].side == desk.actor.side or desk.to_enemy(name) > REACH:
        return None
    cure = Declaration(intent.actor, Kind.ACTION, "close_in", {"target": name})
    return desk.refuse("step_is_closing_in", "AQ-MOV-14", cure, target=name)


# ------------------------------------------------------------------ defences inside others


def _run(desk: Desk, intent: Intent, checks: Sequence[Check]) -> Refusal | None:
    for each in checks:
        refusal = each.look(desk, intent)
        if refusal is not None:
            return refusal
    return None


def inner_defence(allowed: Sequence[str]) -> Check:
    """The one defence of a full defence, with its own rules (AQ-DEF-16)."""

    @check(Stage.MANOEUVRE)
    def looks_inside(desk: Desk, intent: Intent) -> Refusal | None:
        verb = intent.declaration.get("with")
        if not verb:
            armed = not main_weapon(desk).natural or intent.declaration.get("weapon")
            verb = "parry" if armed else "dodge"
        verb = parry_kind(desk, intent.declaration, verb)
        inner = desk.actions.get(verb)
        if inner is None or verb not in allowed:
            return desk.refuse(
                "not_a_normal_defence", "AQ-DEF-16", given=verb, candidates=tuple(allowed)
            )
        intent.inner = inner
        return _run(desk, intent, inner.checks)

    return looks_inside


def flight_defences(allowed: Sequence[str]) -> Check:
    """Up to two defences while one gets ready to flee (AQ-DEF-20)."""

    @check(Stage.MANOEUVRE)
    def looks_inside(desk: Desk, intent: Intent) -> Refusal | None:
        kinds = tuple(
            parry_kind(desk, intent.declaration, kind)
            for kind in intent.declaration.names("defences")
        )
        if len(kinds) > MAX_FLIGHT:
            return desk.refuse("too_many_defences", "AQ-DEF-20", limit=MAX_FLIGHT)
        for kind in kinds:
            if kind not in allowed:
                return desk.refuse(
                    "not_a_normal_defence", "AQ-DEF-20", given=kind, candidates=tuple(allowed)
                )
        for kind in dict.fromkeys(kinds):
            refusal = _run(desk, intent, desk.actions[kind].checks)
            if refusal is not None:
                return refusal
        intent.kinds = kinds
        return None

    return looks_inside
