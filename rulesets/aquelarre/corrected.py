"""A game master's corrections: what may be changed, and what it does.

Every state id of catalogue 4.2 can be corrected, and of the scene what changes while one fights.
How a value is written is the same in all games: ``rulesets.core.corrections``.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from rulesets.aquelarre.events import Corrected
from rulesets.aquelarre.fight import (
    DERIVED,
    KEPT,
    Character,
    Fight,
    bleeds,
    level_at,
    put,
    state_of,
)
from rulesets.aquelarre.rows import CHARACTERISTICS, LIGHTS, SIDES, Weapon
from rulesets.aquelarre.scene import STOPS, Screen
from rulesets.aquelarre.sheet import figures
from rulesets.core.corrections import Wrong, choice, flag, integer, pairs
from rulesets.core.declarations import Declaration, Kind, fold
from rulesets.core.questions import Correction, Rejection
from rulesets.core.records import dataclass
from rulesets.core.state import changed

RULE: Final = "AQ-MOD-11"
MOST: Final = 100_000

INTEGERS: Final[Mapping[str, tuple[int, int]]] = {
    "hp": (-5_000, 5_000),
    "damage_arms": (0, MOST),
    "damage_legs": (0, MOST),
    "shield_resistance": (0, 10_000),
    "prep_bonus": (0, 1_000),
    "position": (-MOST, MOST),
    "mount_hp": (-5_000, 5_000),
    "minutes_out": (0, 1_000_000),
    "initiative": (-1_000, 1_000),
    **dict.fromkeys(CHARACTERISTICS, (1, 500)),
}
FLAGS: Final = ("stabilised", "higher", "mount_roll", "downtime")
LISTS: Final = (
    "conditions",
    "sheathed",
    "dropped",
    "broken",
    "weapons",
    "melee_with",
    "sequelae",
    "behind",
)
MAPS: Final = ("armour_resistance", "reload_left", "donning")
NAMES: Final = ("holding", "held_by")
CHOICES: Final = ("guard_extra", "side_of", "light", "stop")
SCREENS: Final = ("cover", "concealed")
SCENE: Final = ("light", "stop", "mount_roll", "downtime")  # of nobody in particular
FIELDS: Final = (*INTEGERS, *FLAGS, *LISTS, *MAPS, *NAMES, *CHOICES, *SCREENS)


def correction(fight: Fight, wanted: Correction) -> Corrected | Rejection:
    """The event of a correction, or why it cannot be made."""
    name = fight.find(wanted.actor) if wanted.actor else ""
    declaration = Declaration(
        name or wanted.actor, Kind.COMMAND, "correct", {wanted.field: wanted.value}
    )
    if wanted.field not in FIELDS:
        return Rejection(
            "unknown_field", declaration, RULE, {"given": wanted.field, "candidates": FIELDS}
        )
    if wanted.field not in SCENE and not name:
        return Rejection(
            "unknown_target",
            declaration,
            RULE,
            {"given": wanted.actor, "candidates": tuple(fight.cast)},
        )
    before = field_of(fight, name, wanted.field)
    after = _read(_Asked(fight, name, wanted.field, wanted.value.strip(), before))
    if isinstance(after, Wrong):
        facts = {"field": wanted.field, "given": wanted.value, **after.facts}
        return Rejection(after.code, declaration, RULE, facts)
    return Corrected(
        actor="" if wanted.field in SCENE else name,
        field=wanted.field,
        before=_frozen(before),
        after=_frozen(after),
        reason=wanted.reason,
        rule=RULE,
    )


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def field_of(fight: Fight, name: str, field: str) -> Any:
    """What a field that can be corrected holds now, as plain data."""
    scene = fight.scene
    if field in SCENE:
        return getattr(scene, field)
    if field in SCREENS:
        screens: Mapping[str, Screen] = getattr(scene, field)
        screen = screens.get(name)
        return {} if screen is None else {"object": screen.object, "protects": screen.protects}
    of_scene = {
        "initiative": fight.initiative.get(name, 0),
        "higher": name in scene.higher,
        "behind": sorted(scene.behind.get(name, ())),
        "side_of": scene.side_of.get(name, "right"),
    }
    return of_scene[field] if field in of_scene else state_of(fight, name)[field]


# ------------------------------------------------------------------ reading what is written


@dataclass(frozen=True, slots=True)
class _Asked:
    """A correction to be read: of whom, which field, the words, and what the field holds now."""

    fight: Fight
    name: str
    field: str
    text: str
    before: Any

    @property
    def who(self) -> Character:
        """The character."""
        return self.fight.cast[self.name]


def _read(asked: _Asked) -> Any:
    """The new value, as plain data, or what is wrong with the words."""
    if asked.field in INTEGERS:
        return integer(asked.text, asked.before, *INTEGERS[asked.field])
    readers: tuple[tuple[tuple[str, ...], Callable[[_Asked], Any]], ...] = (
        (FLAGS, _flag),
        (LISTS, _list),
        (MAPS, _map),
        (NAMES, _name),
        (SCREENS, _screen),
        (CHOICES, _choice),
    )
    return next(reader for fields, reader in readers if asked.field in fields)(asked)


def _flag(asked: _Asked) -> bool | Wrong:
    return flag(asked.text)


def _list(asked: _Asked) -> Any:
    field, text, before = asked.field, asked.text, asked.before
    sign = text[:1] if text[:1] in ("+", "-") else ""
    words = [word.strip() for word in text.removeprefix(sign).split(",") if word.strip()]
    allowed = _allowed(asked)
    found: list[str] = []
    for word in words:
        item = next((each for each in allowed if fold(each) == fold(word)), "")
        if not item:
            if field == "conditions" and word in DERIVED:
                return Wrong("derived_condition", {"condition": word})
            return Wrong("bad_value", {"given": word, "candidates": allowed})
        found.append(item)
    if not sign:
        return _whole(field, found, before)
    now = list(before)
    for item in found:
        if sign == "+" and (
            field in ("sheathed", "dropped", "broken", "weapons") or item not in now
        ):
            now.append(item)
        elif sign == "-" and item in now:
            now.remove(item)
    return sorted(now) if field in ("conditions", "behind") else now


def _whole(field: str, found: list[str], before: list[str]) -> list[str]:
    """A list given whole; conditions that follow from figures stay as they are."""
    if field != "conditions":
        return sorted(set(found)) if field == "behind" else found
    stay = [each for each in before if each in DERIVED and each not in ("dead", "bleeding")]
    return sorted({*found, *stay})


def _allowed(asked: _Asked) -> tuple[str, ...]:
    """What a list may hold."""
    fight, who = asked.fight, asked.who
    match asked.field:
        case "conditions":
            return (*KEPT, "dead", "bleeding")
        case "weapons":
            own = [weapon.name for weapon in who.weapons]
            lying = [weapon.name for weapon in fight.ground]
            table = [row.name for row in fight.tables.weapons.values() if not row.natural]
            return tuple(dict.fromkeys((*own, *lying, *table)))
        case "sequelae":
            rows = [row.id for some in fight.tables.sequelae.values() for row in some]
            return tuple(dict.fromkeys(rows))
        case "melee_with" | "behind":
            return tuple(other for other in fight.cast if other != asked.name)
    gear = [weapon.name for weapon in who.weapons]
    if who.shield is not None:
        gear.append(who.shield.name)
    return tuple(dict.fromkeys(gear))


def _map(asked: _Asked) -> Any:
    field, who = asked.field, asked.who
    before: Mapping[str, int] = asked.before
    if field == "armour_resistance":
        most = {piece.name: piece.resistance for piece in who.armour}
    elif field == "donning":
        most = {piece.name: piece.protection for piece in who.stowed}
    else:
        most = {weapon.name: MOST for weapon in who.weapons if weapon.missile}
    return pairs(asked.text, before, most)


def _name(asked: _Asked) -> str | Wrong:
    if asked.text in ("", "-"):
        return ""
    found = asked.fight.find(asked.text)
    if not found or found == asked.name:
        others = tuple(other for other in asked.fight.cast if other != asked.name)
        return Wrong("bad_value", {"candidates": others})
    return found


def _screen(asked: _Asked) -> Any:
    """``muro bajo: abdomen, right_leg``; nothing takes it away."""
    if asked.text in ("", "-"):
        return {}
    what, _, places = asked.text.partition(":")
    body = asked.who.sheet.body
    protects = []
    for word in (part.strip() for part in places.split(",") if part.strip()):
        place = next((each for each in body.locations if fold(each) == fold(word)), "")
        if not place:
            return Wrong("bad_value", {"given": word, "candidates": tuple(body.locations)})
        protects.append(place)
    if not what.strip() or not protects:
        return Wrong("bad_value", {"candidates": tuple(body.locations)})
    return {"object": asked.fight.find(what) or what.strip(), "protects": tuple(protects)}


def _choice(asked: _Asked) -> str | Wrong:
    choices: Mapping[str, tuple[str, ...]] = {
        "light": LIGHTS,
        "stop": ("", *STOPS),
        "side_of": SIDES,
    }
    allowed = choices.get(asked.field) or tuple(asked.who.sheet.body.locations)
    return choice(asked.text, allowed)


# ------------------------------------------------------------------ carrying it out


def correct_field(fight: Fight, event: Corrected) -> Fight:
    """The fight after a correction: the handler of its event."""
    handler = _HANDLERS.get(event.field)
    if handler is not None:
        return handler(fight, event)
    if event.field in CHARACTERISTICS:
        return _characteristic(fight, event)
    return put(fight, event.actor, **{event.field: event.after})


Handler = Callable[[Fight, Corrected], Fight]


def _hp(fight: Fight, event: Corrected) -> Fight:
    hp = _number(event.after)
    who = fight.cast[event.actor]
    level = level_at(hp, who.sheet.hp_max)
    # The bleeding of before was that of another wound.
    return put(fight, event.actor, hp=hp, level=level, stabilised=False)


def _number(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(value)
    return value


def _characteristic(fight: Fight, event: Corrected) -> Fight:
    who = fight.cast[event.actor]
    now = {**who.figures.characteristics, event.field: _number(event.after)}
    made = figures(who.sheet, now, who.armour, fight.tables.skills)
    return put(fight, event.actor, figures=made)


def _conditions(fight: Fight, event: Corrected) -> Fight:
    after = event.after if isinstance(event.after, tuple) else ()
    who = fight.cast[event.actor]
    fields: dict[str, object] = {"conditions": frozenset(after) & frozenset(KEPT)}
    if "dead" in after:
        fields["level"] = "dead"
    elif who.dead:
        fields["level"] = level_at(max(who.hp, 1 - who.sheet.hp_max), who.sheet.hp_max)
    if "bleeding" in after:
        fields["stabilised"] = False
        fields["bleeding"] = who.bleeding or not bleeds(
            changed(who, stabilised=False), fight.options
        )
    else:
        fields["bleeding"] = False
        fields["stabilised"] = bleeds(changed(who, bleeding=False), fight.options)
    return put(fight, event.actor, **fields)


def _weapons(fight: Fight, event: Corrected) -> Fight:
    who = fight.cast[event.actor]
    own = list(who.weapons)
    found: list[Weapon] = []
    for name in event.after if isinstance(event.after, tuple) else ():
        mine = next((weapon for weapon in own if weapon.name == name), None)
        if mine is not None:
            own.remove(mine)
        else:
            lying = (weapon for weapon in fight.ground if weapon.name == name)
            mine = next(lying, None) or fight.tables.weapons[name]
        found.append(mine)
    return put(fight, event.actor, weapons=tuple(found))


def _melee_with(fight: Fight, event: Corrected) -> Fight:
    after = event.after if isinstance(event.after, tuple) else ()
    me = event.actor
    for name, other in fight.cast.items():
        if name == me:
            continue
        without = tuple(each for each in other.melee_with if each != me)
        now = (*without, me) if name in after else without
        if now != other.melee_with and set(now) != set(other.melee_with):
            fight = put(fight, name, melee_with=now)
    return put(fight, me, melee_with=after)


def _holding(fight: Fight, event: Corrected) -> Fight:
    return _hold(fight, event.actor, str(event.after), fight.cast[event.actor].holding)


def _held_by(fight: Fight, event: Corrected) -> Fight:
    holder, held = str(event.after), event.actor
    before = fight.cast[held].held_by
    if before:
        fight = put(put(fight, before, holding=""), held, held_by="")
    return _hold(fight, holder, held, fight.cast[holder].holding) if holder else fight


def _hold(fight: Fight, holder: str, held: str, before: str) -> Fight:
    if before:
        fight = put(put(fight, before, held_by=""), holder, holding="")
    if not held:
        return fight
    former = fight.cast[held].held_by
    if former:
        fight = put(fight, former, holding="")
    return put(put(fight, held, held_by=holder), holder, holding=held)


def _initiative(fight: Fight, event: Corrected) -> Fight:
    return changed(fight, initiative={**fight.initiative, event.actor: _number(event.after)})


def _of_scene(fight: Fight, event: Corrected) -> Fight:
    return changed(fight, scene=changed(fight.scene, **{event.field: event.after}))


def _higher(fight: Fight, event: Corrected) -> Fight:
    now = fight.scene.higher - {event.actor}
    if event.after:
        now |= {event.actor}
    return changed(fight, scene=changed(fight.scene, higher=now))


def _behind(fight: Fight, event: Corrected) -> Fight:
    after = frozenset(event.after) if isinstance(event.after, tuple) else frozenset()
    now = {**fight.scene.behind, event.actor: after}
    return changed(fight, scene=changed(fight.scene, behind=now))


def _side_of(fight: Fight, event: Corrected) -> Fight:
    now = {**fight.scene.side_of, event.actor: str(event.after)}
    return changed(fight, scene=changed(fight.scene, side_of=now))


def _screened(fight: Fight, event: Corrected) -> Fight:
    screens: dict[str, Screen] = dict(getattr(fight.scene, event.field))
    screens.pop(event.actor, None)
    after = event.after
    if isinstance(after, Mapping) and after:
        screens[event.actor] = Screen(str(after["object"]), tuple(after["protects"]))
    return changed(fight, scene=changed(fight.scene, **{event.field: screens}))


_HANDLERS: Final[Mapping[str, Handler]] = {
    "hp": _hp,
    "conditions": _conditions,
    "weapons": _weapons,
    "melee_with": _melee_with,
    "holding": _holding,
    "held_by": _held_by,
    "initiative": _initiative,
    "light": _of_scene,
    "stop": _of_scene,
    "mount_roll": _of_scene,
    "downtime": _of_scene,
    "higher": _higher,
    "behind": _behind,
    "side_of": _side_of,
    "cover": _screened,
    "concealed": _screened,
}
