"""A game master's corrections: what may be changed and what it does.

How a value is written is the same in every game (``rulesets.core.corrections``). Every state id of
the catalogue can be corrected, and of the scene what changes while one fights: the distance to
somebody (``distances``: ``Orco: 5``, in metres), ``situations`` (``flank: Orco, narrow``),
``ranged`` (``+cover``) and ``area_exit`` (metres).
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from rulesets.anima.events import Corrected
from rulesets.anima.fight import (
    CONDITIONS,
    NONE,
    STANCES,
    Character,
    Fight,
    put,
    state_of,
)
from rulesets.anima.scene import OF_SCENE, TARGETS, metres, pair
from rulesets.anima.sheet import CENTIMETRES
from rulesets.core.corrections import Wrong, choice, flag, integer, items, pairs
from rulesets.core.declarations import Declaration, Kind, fold
from rulesets.core.questions import Correction, Rejection
from rulesets.core.records import dataclass
from rulesets.core.state import changed

RULE: Final = "AN-SIT-21"
MOST: Final = 100_000

INTEGERS: Final[Mapping[str, tuple[int, int]]] = {
    "hp": (-MOST, MOST),
    "fatigue": (0, 1_000),
    "pain": (0, 10_000),
    "lasting_penalty": (0, 10_000),
    "cold_penalty": (0, 10_000),
    "shock_penalty": (0, 10_000),
    "zeon_accumulated": (0, MOST),
    "area_exit": (0, MOST),
}
FLAGS: Final = ("ready", "engaged")
NAMES: Final = ("running_towards", "threatened_by", "held_by", "holding", "shield_placed_on")
OTHERS: Final = (
    "conditions",
    "stance",
    "weapon_in_hand",
    "aim",
    "shields",
    "effects",
    "distances",
    "situations",
    "ranged",
)
FIELDS: Final = (*INTEGERS, *FLAGS, *NAMES, *OTHERS)


def correction(fight: Fight, wanted: Correction) -> Corrected | Rejection:
    """The event of a correction, or why it cannot be made."""
    name = fight.find(wanted.actor) if wanted.actor else ""
    declaration = Declaration(
        name or wanted.actor, Kind.COMMAND, "correct", {wanted.field: wanted.value}
    )
    if wanted.field not in FIELDS:
        facts: dict[str, object] = {"given": wanted.field, "candidates": FIELDS}
        return Rejection("unknown_field", declaration, RULE, facts)
    if not name:
        facts = {"given": wanted.actor, "candidates": tuple(fight.cast)}
        return Rejection("unknown_target", declaration, RULE, facts)
    before = field_of(fight, name, wanted.field)
    asked = _Asked(fight, fight.cast[name], wanted.field, wanted.value.strip(), before)
    after = _READERS[wanted.field](asked)
    if isinstance(after, Wrong):
        facts = {"field": wanted.field, "given": wanted.value, **after.facts}
        return Rejection(after.code, declaration, RULE, facts)
    return Corrected(
        actor=name,
        field=wanted.field,
        before=_frozen(before),
        after=_frozen(after),
        reason=wanted.reason,
        rule=RULE,
    )


def _frozen(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(_frozen(item) for item in value)
    return "" if value is None else value


def field_of(fight: Fight, name: str, field: str) -> Any:
    """What a field that can be corrected holds now, as plain data."""
    scene, who = fight.scene, fight.cast[name]
    here: Mapping[str, Callable[[], Any]] = {
        "distances": lambda: {
            other: metres(fight.distance(name, other)) for other in fight.cast if other != name
        },
        "situations": lambda: [
            f"{id_}: {versus}" if versus else id_ for id_, versus in scene.situations.get(name, ())
        ],
        "ranged": lambda: list(scene.ranged.get(name, ())),
        "area_exit": lambda: scene.area_exit.get(name, 0) // CENTIMETRES,
        "effects": lambda: [f"{e.condition}: {e.difficulty}" for e in who.effects],
        "aim": lambda: who.aim_target,
    }
    return here[field]() if field in here else state_of(fight, name)[field]


# ------------------------------------------------------------------ reading what is written


@dataclass(frozen=True, slots=True)
class _Asked:
    """A correction to be read: of whom, which field, the words, and what the field holds now."""

    fight: Fight
    who: Character
    field: str
    text: str
    before: Any

    @property
    def others(self) -> tuple[str, ...]:
        """Everybody else."""
        return tuple(name for name in self.fight.cast if name != self.who.name)


def _integer(asked: _Asked) -> int | Wrong:
    return integer(asked.text, asked.before, *INTEGERS[asked.field])


def _flag(asked: _Asked) -> bool | Wrong:
    return flag(asked.text)


def _name(asked: _Asked) -> str | Wrong:
    return choice(asked.text, ("", *asked.others))


def _conditions(asked: _Asked) -> tuple[str, ...] | Wrong:
    own = {
        ability.condition
        for who in asked.fight.cast.values()
        for ability in (*who.sheet.spells.values(), *who.sheet.powers.values())
        if ability.condition
    }
    return items(asked.text, asked.before, tuple(dict.fromkeys((*CONDITIONS, *sorted(own)))))


def _stance(asked: _Asked) -> str | Wrong:
    return choice(asked.text, ("", *STANCES))


def _in_hand(asked: _Asked) -> str | Wrong:
    sheet = asked.who.sheet
    own = tuple(weapon.name for weapon in sheet.weapons.values())
    return choice(asked.text or NONE, (NONE, *own, sheet.bare_hands.name))


def _shields(asked: _Asked) -> dict[str, int] | Wrong:
    own = {ward.name: MOST for ward in asked.who.sheet.shields.values()}
    return pairs(asked.text, asked.before, own)


def _effects(asked: _Asked) -> tuple[str, ...] | Wrong:
    """Effects can be taken away, not given: one has a resistance that its spell says."""
    return items(asked.text, asked.before, tuple(asked.before))


def _distances(asked: _Asked) -> dict[str, int] | Wrong:
    # Distances of a scene may have centimetres; corrections are in whole metres.
    now = {name: int(far) for name, far in asked.before.items()}
    found = pairs(asked.text, now, dict.fromkeys(asked.others, MOST))
    if isinstance(found, Wrong):
        return found
    return {name: far for name, far in found.items() if far != now[name]} or Wrong()


def _situations(asked: _Asked) -> tuple[str, ...] | Wrong:
    """``flank: Orco, narrow``: each with or without whom it is against; ``+`` and ``-`` by one."""
    text = asked.text
    sign = text[:1] if text[:1] in ("+", "-") else ""
    now = list(asked.before) if sign else []
    for part in filter(None, map(str.strip, text.removeprefix(sign).split(","))):
        word, _, versus = part.partition(":")
        id_ = choice(word.strip(), OF_SCENE)
        against = choice(versus.strip(), ("", *asked.others))
        if isinstance(id_, Wrong) or isinstance(against, Wrong):
            return Wrong(facts={"given": part, "candidates": OF_SCENE})
        item = f"{id_}: {against}" if against else id_
        if sign == "-":
            now = [each for each in now if each != item]
        elif item not in now:
            now.append(item)
    return tuple(now)


def _ranged(asked: _Asked) -> tuple[str, ...] | Wrong:
    return items(asked.text, asked.before, TARGETS)


_READERS: Final[Mapping[str, Callable[[_Asked], Any]]] = {
    **dict.fromkeys(INTEGERS, _integer),
    **dict.fromkeys(FLAGS, _flag),
    **dict.fromkeys(NAMES, _name),
    "conditions": _conditions,
    "stance": _stance,
    "weapon_in_hand": _in_hand,
    "aim": _name,
    "shields": _shields,
    "effects": _effects,
    "distances": _distances,
    "situations": _situations,
    "ranged": _ranged,
}


# ------------------------------------------------------------------ carrying it out


def correct_field(fight: Fight, event: Corrected) -> Fight:
    """The fight after a correction: the handler of its event."""
    handler = _HANDLERS.get(event.field)
    if handler is not None:
        return handler(fight, event)
    return put(fight, event.actor, **{event.field: event.after})


Handler = Callable[[Fight, Corrected], Fight]


def _pain(fight: Fight, event: Corrected) -> Fight:
    return put(fight, event.actor, pains=(event.after,) if event.after else ())


def _aimed(fight: Fight, event: Corrected) -> Fight:
    return put(fight, event.actor, aim_target=event.after, aim_rounds=1 if event.after else 0)


def _points(fight: Fight, event: Corrected) -> Fight:
    points: Mapping[str, int] = event.after if isinstance(event.after, Mapping) else {}
    left = {fold(key): value for key, value in points.items()}
    return put(fight, event.actor, shields={**fight.cast[event.actor].shields, **left})


def _effects_left(fight: Fight, event: Corrected) -> Fight:
    named = _texts(event.after)
    effects = fight.cast[event.actor].effects
    kept = tuple(e for e in effects if f"{e.condition}: {e.difficulty}" in named)
    return put(fight, event.actor, effects=kept)


def _placed_on(fight: Fight, event: Corrected) -> Fight:
    return put(fight, event.actor, shield_placed_on=event.after, placed="")


def _threatened(fight: Fight, event: Corrected) -> Fight:
    without = fight.cast[event.actor].conditions - {"threatened"}
    conditions = without | {"threatened"} if event.after else without
    return put(fight, event.actor, threatened_by=event.after, conditions=conditions)


def _runs(fight: Fight, event: Corrected) -> Fight:
    return put(fight, event.actor, running_towards=event.after, running_round=fight.round)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, tuple | list) else ()


def _with_conditions(fight: Fight, event: Corrected) -> Fight:
    who, after = fight.cast[event.actor], frozenset(_texts(event.after))
    fields: dict[str, object] = {"conditions": after}
    if "threatened" not in after:
        fields["threatened_by"] = ""
    if "disarmed" in after and "disarmed" not in who.conditions:
        fields.update(in_hand="", dropped=who.in_hand)
    elif "disarmed" not in after:
        fields["dropped"] = ""
    return put(fight, who.name, **fields)


def _armed(fight: Fight, event: Corrected) -> Fight:
    who = fight.cast[event.actor]
    weapon = "" if event.after == NONE else str(event.after)
    fields: dict[str, object] = {"in_hand": weapon}
    if weapon:
        fields.update(conditions=who.conditions - {"disarmed"}, dropped="")
    return put(fight, who.name, **fields)


def _held(fight: Fight, event: Corrected) -> Fight:
    """Both sides of a hold change together; the conditions are corrected on their own."""
    name, field, other = event.actor, event.field, str(event.after)
    back = "holding" if field == "held_by" else "held_by"
    before = getattr(fight.cast[name], field)
    if before:
        fight = put(fight, before, **{back: ""})
    if other:
        former = getattr(fight.cast[other], back)
        if former:
            fight = put(fight, former, **{field: ""})
        fight = put(fight, other, **{back: name})
    return put(fight, name, **{field: other})


def _of_scene(fight: Fight, event: Corrected) -> Fight:
    scene, name, field, after = fight.scene, event.actor, event.field, event.after
    if field == "distances":
        far: Mapping[str, int] = after if isinstance(after, Mapping) else {}
        new = {pair(name, other): metre * CENTIMETRES for other, metre in far.items()}
        return changed(fight, scene=changed(scene, distances={**scene.distances, **new}))
    if field == "area_exit":
        cm = after * CENTIMETRES if isinstance(after, int) else 0
        return changed(fight, scene=changed(scene, area_exit={**scene.area_exit, name: cm}))
    if field == "ranged":
        return changed(fight, scene=changed(scene, ranged={**scene.ranged, name: _texts(after)}))
    placed = []
    for item in _texts(after):
        id_, _, versus = item.partition(": ")
        placed.append((id_, versus))
    situations = {**scene.situations, name: tuple(placed)}
    return changed(fight, scene=changed(scene, situations=situations))


_HANDLERS: Final[Mapping[str, Handler]] = {
    "pain": _pain,
    "conditions": _with_conditions,
    "weapon_in_hand": _armed,
    "aim": _aimed,
    "shields": _points,
    "effects": _effects_left,
    "shield_placed_on": _placed_on,
    "threatened_by": _threatened,
    "running_towards": _runs,
    "held_by": _held,
    "holding": _held,
    "distances": _of_scene,
    "situations": _of_scene,
    "ranged": _of_scene,
    "area_exit": _of_scene,
}
