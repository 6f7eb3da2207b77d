"""A game master's corrections: what may be changed, how it is written, what it does.

Every state id of catalogue 8.2 can be corrected, and of the scene what changes while one fights.
How a value is written is the same in every game (``core.corrections``).
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from rulesets.ars_magica.events import Corrected
from rulesets.ars_magica.fight import (
    CONDITIONS,
    DELAYED,
    TIMED,
    Bleeding,
    Fight,
    penalty_of,
    put,
    state_of,
)
from rulesets.ars_magica.rows import BLEEDING, BRUISES, CONCEALMENT, COVERS, GAITS, LEVELS, PACES
from rulesets.ars_magica.scene import GROUNDS, LIGHTS
from rulesets.core.corrections import Wrong, choice, flag, integer, items, pairs
from rulesets.core.declarations import Declaration, Kind
from rulesets.core.questions import Correction, Rejection
from rulesets.core.state import changed

RULE: Final = "AM-ATK-14"
MOST: Final = 100_000

INTEGERS: Final[Mapping[str, tuple[int, int]]] = {
    "fatigue": (0, 5),
    "position": (-MOST, MOST),
    "disengage_bonus": (0, 1_000),
    "ammo": (0, 10_000),
    "movement_limit": (0, 1_000),
    "initiative": (-1_000, 1_000),
}
FLAGS: Final = ("first_strike", "loaded", "ready", "high_ground")
NAMES: Final = ("engaged", "missile_engaged", "attacked_by", "overcome_by")
MAPS: Final = ("wounds", "bruises", "durations", "counter_bonus", "exposure")
PEOPLE: Final = ("mounted_on", "ridden_by", "grappled_by", "pinned_by")
CHOICES: Final = (
    "delayed",
    "wielded",
    "shield",
    "armor",
    "pace",
    "max_gait",
    "cover",
    "concealment",
    "light",
    "light_source",
    "surface",
)
# Read-only: they follow from the rest, or from the declarations.
FIELDS: Final = (
    *INTEGERS,
    *FLAGS,
    *NAMES,
    *MAPS,
    *PEOPLE,
    *CHOICES,
    "conditions",
    "bleeding",
)
SCENE: Final = ("light", "light_source", "surface")  # of nobody in particular


def correction(fight: Fight, wanted: Correction) -> Corrected | Rejection:
    """The event of a correction, or why it cannot be made."""
    name = fight.find(wanted.actor) if wanted.actor else ""
    declaration = Declaration(
        name or wanted.actor, Kind.COMMAND, "correct", {wanted.field: wanted.value}
    )
    if wanted.field not in FIELDS:
        facts = {"given": wanted.field, "candidates": FIELDS}
        return Rejection("unknown_field", declaration, RULE, facts)
    if wanted.field not in SCENE and not name:
        facts = {"given": wanted.actor, "candidates": tuple(fight.cast)}
        return Rejection("unknown_target", declaration, RULE, facts)
    before = _field_of(fight, name, wanted.field)
    after = _read(fight, name, wanted.field, wanted.value.strip(), before)
    if isinstance(after, Wrong):
        told = {"field": wanted.field, "given": wanted.value, **after.facts}
        return Rejection(after.code, declaration, RULE, told)
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


def _field_of(fight: Fight, name: str, field: str) -> Any:
    """What a field that can be corrected holds now, as plain data."""
    scene = fight.scene
    if field in SCENE:
        return getattr(scene, field)
    of_scene = {
        "initiative": fight.initiative.get(name, 0),
        "high_ground": name in scene.high_ground,
        "concealment": scene.concealment.get(name, ""),
        "bleeding": [one.level for one in fight.cast[name].bleeding],
    }
    return of_scene[field] if field in of_scene else state_of(fight, name)[field]


def _read(fight: Fight, name: str, field: str, text: str, before: Any) -> Any:
    """The new value, as plain data, or what is wrong with the words."""
    others = tuple(other for other in fight.cast if other != name)
    if field in INTEGERS:
        return integer(text, before, *INTEGERS[field])
    if field in MAPS:
        found = pairs(text, before, _most(fight, name, field))
        return found if isinstance(found, Wrong) else {k: v for k, v in found.items() if v}
    lists = {**dict.fromkeys(NAMES, others), "conditions": CONDITIONS, "bleeding": BLEEDING}
    if field in lists:
        return items(text, before, lists[field])
    if field in FLAGS:
        return flag(text)
    return choice(text, ("", *others) if field in PEOPLE else _allowed(fight, name, field))


def _most(fight: Fight, name: str, field: str) -> dict[str, int]:
    """Keys of a map with the highest figure of each."""
    keys: Mapping[str, tuple[str, ...]] = {
        "wounds": LEVELS,
        "bruises": BRUISES,
        "durations": TIMED,
        "exposure": ("heat", "cold"),
        "counter_bonus": tuple(other for other in fight.cast if other != name),
    }
    return dict.fromkeys(keys[field], 1_000)


def _allowed(fight: Fight, name: str, field: str) -> tuple[str, ...]:
    tables = fight.tables
    choices: Mapping[str, tuple[str, ...]] = {
        "delayed": ("", *DELAYED),
        "shield": ("", *tables.shields),
        "armor": ("", *tables.armour),
        "pace": ("", *PACES, *GAITS),
        "max_gait": ("", *GAITS),
        "cover": ("", *COVERS),
        "concealment": ("", *CONCEALMENT),
        "light": LIGHTS,
        "light_source": ("", *tables.lights),
        "surface": GROUNDS,
    }
    if field == "wielded":
        return ("", *(weapon.id for weapon in fight.cast[name].weapons))
    return choices[field]


# ------------------------------------------------------------------ carrying it out


def correct_field(fight: Fight, event: Corrected) -> Fight:
    """The fight after a correction: the handler of its event."""
    handler = _HANDLERS.get(event.field)
    if handler is not None:
        return handler(fight, event)
    if event.field in SCENE:
        return changed(fight, scene=changed(fight.scene, **{event.field: event.after}))
    return put(fight, event.actor, **{event.field: event.after})


Handler = Callable[[Fight, Corrected], Fight]


def _levels(fight: Fight, event: Corrected) -> Fight:
    """Wounds, bruises and fatigue move the penalty."""
    fight = put(fight, event.actor, **{event.field: event.after})
    who = fight.cast[event.actor]
    return put(
        fight,
        event.actor,
        penalty=penalty_of(who.wounds, who.bruises, who.fatigue, fight.tables),
    )


def _tuple(event: Corrected) -> tuple[str, ...]:
    return tuple(map(str, event.after)) if isinstance(event.after, tuple) else ()


def _conditions(fight: Fight, event: Corrected) -> Fight:
    """What ends takes with it how long it lasts and who holds."""
    now = frozenset(_tuple(event))
    who = fight.cast[event.actor]
    return put(
        fight,
        event.actor,
        conditions=now,
        durations={name: turns for name, turns in who.durations.items() if name in now},
        grappled_by=who.grappled_by if "grappled" in now else "",
        pinned_by=who.pinned_by if "pinned" in now else "",
    )


def _bleeding(fight: Fight, event: Corrected) -> Fight:
    now = {one.level: one for one in fight.cast[event.actor].bleeding}
    kept = tuple(now.get(level, Bleeding(level, 0, fresh=True)) for level in _tuple(event))
    return put(fight, event.actor, bleeding=kept)


def _engaged(fight: Fight, event: Corrected) -> Fight:
    """Whoever is engaged is so on both sides."""
    after = _tuple(event)
    for name, other in fight.cast.items():
        if name == event.actor:
            continue
        now: tuple[str, ...] = getattr(other, event.field)
        without = tuple(each for each in now if each != event.actor)
        wanted = tuple(sorted((*without, event.actor))) if name in after else without
        if wanted != now:
            fight = put(fight, name, **{event.field: wanted})
    return put(fight, event.actor, **{event.field: tuple(sorted(after))})


def _riding(fight: Fight, event: Corrected) -> Fight:
    """Rider and mount name each other."""
    mine = event.field
    theirs = "ridden_by" if mine == "mounted_on" else "mounted_on"
    before, after = getattr(fight.cast[event.actor], mine), str(event.after)
    if before:
        fight = put(fight, before, **{theirs: ""})
    if after:
        former = getattr(fight.cast[after], theirs)
        if former:
            fight = put(fight, former, **{mine: ""})
        fight = put(fight, after, **{theirs: event.actor})
    return put(fight, event.actor, **{mine: after})


def _held(fight: Fight, event: Corrected) -> Fight:
    """A hold is a condition and a holder."""
    condition = "grappled" if event.field == "grappled_by" else "pinned"
    who = fight.cast[event.actor]
    kept = who.conditions | {condition} if event.after else who.conditions - {condition}
    return put(fight, event.actor, conditions=kept, **{event.field: event.after})


def _gear(fight: Fight, event: Corrected) -> Fight:
    rows: Mapping[str, Any] = (
        fight.tables.shields if event.field == "shield" else fight.tables.armour
    )
    return put(fight, event.actor, **{event.field: rows.get(str(event.after))})


def _position(fight: Fight, event: Corrected) -> Fight:
    who = fight.cast[event.actor]
    for name in filter(None, (event.actor, who.mounted_on, who.ridden_by)):
        fight = put(fight, name, position=event.after)
    return fight


def _initiative(fight: Fight, event: Corrected) -> Fight:
    """A new place in the order, behind those of the same total."""
    if not isinstance(event.after, int):
        raise TypeError(event.after)
    initiative = {**fight.initiative, event.actor: event.after}
    others = [name for name in fight.order if name != event.actor]
    order = sorted((*others, event.actor), key=lambda name: -initiative[name])
    return changed(fight, initiative=initiative, order=tuple(order))


def _high_ground(fight: Fight, event: Corrected) -> Fight:
    high = fight.scene.high_ground
    now = high | {event.actor} if event.after else high - {event.actor}
    return changed(fight, scene=changed(fight.scene, high_ground=now))


def _concealment(fight: Fight, event: Corrected) -> Fight:
    now = {name: level for name, level in fight.scene.concealment.items() if name != event.actor}
    if event.after:
        now[event.actor] = str(event.after)
    return changed(fight, scene=changed(fight.scene, concealment=now))


def _map(fight: Fight, event: Corrected) -> Fight:
    after = dict(event.after) if isinstance(event.after, Mapping) else {}
    return put(fight, event.actor, **{event.field: after})


_HANDLERS: Final[Mapping[str, Handler]] = {
    "wounds": _levels,
    "bruises": _levels,
    "fatigue": _levels,
    "conditions": _conditions,
    "bleeding": _bleeding,
    "engaged": _engaged,
    "missile_engaged": _engaged,
    "mounted_on": _riding,
    "ridden_by": _riding,
    "grappled_by": _held,
    "pinned_by": _held,
    "shield": _gear,
    "armor": _gear,
    "position": _position,
    "initiative": _initiative,
    "high_ground": _high_ground,
    "concealment": _concealment,
    "durations": _map,
    "counter_bonus": _map,
    "exposure": _map,
}
