"""A game master's corrections: what may be changed, and what it does.

Every state id of catalogue 6.2 can be corrected, and of the scene what changes while one fights.
How a value is written is the same in every game (``rulesets.core.corrections``).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from rulesets.core import corrections
from rulesets.core.corrections import Wrong
from rulesets.core.declarations import Declaration, Kind, fold
from rulesets.core.questions import Correction, Rejection
from rulesets.core.state import changed
from rulesets.hielo_y_fuego.derived import state_of
from rulesets.hielo_y_fuego.events import Corrected
from rulesets.hielo_y_fuego.fight import DERIVED, KEPT, Fight, conditions_of, put, riders_of
from rulesets.hielo_y_fuego.scene import ADJACENT, MOST_METRES, pair_of

RULE: Final = "HF-RND-01"

INTEGERS: Final[Mapping[str, tuple[int, int]]] = {
    "health": (0, 1_000),
    "injuries": (0, 8),
    "wounds": (0, 8),
    "destiny_points": (0, 100),
    "armor_rating": (0, 100),
    "elevation": (-1_000, 1_000),
    "difficulty": (0, 999),
}
FLAGS: Final = ("mounted",)
LISTS: Final = ("conditions", "in_hand", "unloaded", "hazards")
NAMES: Final = ("grabbing", "pinning")
MAPS: Final = ("distance",)
SCENE: Final = ("hazards",)  # of nobody in particular
FIELDS: Final = (*INTEGERS, *FLAGS, *LISTS, *NAMES, *MAPS)
MOST_HAZARDS: Final = 20


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
    before = field_of(fight, name, wanted.field)
    after = _read(fight, name, wanted.field, wanted.value.strip(), before)
    if isinstance(after, Wrong):
        wrong = {"given": wanted.value, **after.facts, "field": wanted.field}
        return Rejection(after.code, declaration, RULE, wrong)
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
    match field:
        case "hazards":
            return list(fight.scene.hazards)
        case "elevation":
            return fight.scene.elevation.get(name, 0)
        case "difficulty":
            return fight.scene.difficulties.get(name, 0)
        case "distance":
            others = (other for other in fight.cast if other != name)
            return {other: fight.distance(name, other) for other in others}
    return state_of(fight, name)[field]


def _read(fight: Fight, name: str, field: str, text: str, before: Any) -> Any:
    """The new value, as plain data, or what is wrong with the words."""
    if field in INTEGERS:
        named = fight.tables.difficulty(text) if field == "difficulty" else None
        span = _span(fight, name, field)
        return corrections.integer(text, before, *span) if named is None else named
    if field in FLAGS:
        return _mounted(fight, name, text)
    others = tuple(other for other in fight.cast if other != name)
    if field in NAMES:
        return corrections.choice(text or "-", ("", *others))
    if field in MAPS:
        found = corrections.pairs(text, before, dict.fromkeys(others, MOST_METRES))
        if isinstance(found, Wrong):
            return found
        return {other: max(ADJACENT, metres) for other, metres in found.items()}
    return _list(fight, name, field, text, before)


def _span(fight: Fight, name: str, field: str) -> tuple[int, int]:
    """Least and most of a number: health by the sheet, injuries and wounds by endurance."""
    sheet = fight.cast[name].sheet
    match field:
        case "health":
            return 0, sheet.health_max
        case "injuries" | "wounds":
            return 0, sheet.ranks["endurance"]
    return INTEGERS[field]


def _mounted(fight: Fight, name: str, text: str) -> bool | Wrong:
    """In the saddle or not: only on a mount of his own that nobody else rides."""
    found = corrections.flag(text)
    if found is not True:
        return found
    mount = fight.cast[name].sheet.mount
    rider = fight.riders.get(mount, name)
    if mount not in fight.cast or rider != name or fight.cast[mount].out:
        return Wrong(facts={"candidates": ("false",)})
    return True


def _list(fight: Fight, name: str, field: str, text: str, before: Any) -> Any:
    match field:
        case "hazards":
            words = tuple(word.strip() for word in text.split(",") if word.strip())
            return list(words[:MOST_HAZARDS])
        case "conditions":
            bare = text.lstrip("+-").strip()
            if bare in DERIVED:
                return Wrong("derived_condition", {"condition": bare})
            found = corrections.items(text, before, CONDITIONS_GIVEN)
            if isinstance(found, Wrong):
                return found
            stay = [each for each in before if each in DERIVED]
            return sorted({*found, *stay})
    own = tuple(dict.fromkeys(weapon.name for weapon in fight.cast[name].weapons))
    return _ordered(text, before, own)


def _ordered(text: str, before: list[str], allowed: tuple[str, ...]) -> list[str] | Wrong:
    """A list of weapons whose order counts, given whole or changed by one."""
    sign = text[:1] if text[:1] in ("+", "-") else ""
    named = []
    for word in (part.strip() for part in text.removeprefix(sign).split(",") if part.strip()):
        item = next((each for each in allowed if fold(each) == fold(word)), None)
        if item is None:
            return Wrong(facts={"given": word, "candidates": allowed})
        named.append(item)
    if not sign:
        return named
    now = [each for each in before if sign == "+" or each not in named]
    return [*now, *named] if sign == "+" else now


CONDITIONS_GIVEN: Final = (*KEPT, *DERIVED)


# ------------------------------------------------------------------ carrying it out


def correct_field(fight: Fight, event: Corrected) -> Fight:
    """The fight after a correction."""
    carry_out = _CARRIED_OUT.get(event.field)
    if carry_out is not None:
        return carry_out(fight, event.actor, event.after)
    value: Any = event.after
    if event.field in LISTS:
        value = tuple(value)
    return put(fight, event.actor, **{event.field: value})


def _hazards(fight: Fight, _: str, words: Any) -> Fight:
    return changed(fight, scene=changed(fight.scene, hazards=tuple(words)))


def _elevation(fight: Fight, name: str, height: int) -> Fight:
    heights = {**fight.scene.elevation, name: height}
    return changed(fight, scene=changed(fight.scene, elevation=heights))


def _difficulty(fight: Fight, name: str, figure: int) -> Fight:
    figures = {**fight.scene.difficulties, name: figure}
    return changed(fight, scene=changed(fight.scene, difficulties=figures))


def _seat(fight: Fight, name: str, mounted: bool) -> Fight:  # noqa: FBT001  # the value of a field
    fight = put(fight, name, mounted=mounted)
    return changed(fight, riders=riders_of(fight.cast))


def _apart(fight: Fight, name: str, metres: Mapping[str, int]) -> Fight:
    one = fight.riders.get(name, name)
    distances = dict(fight.distances)
    for other, far in metres.items():
        pair = pair_of(one, fight.riders.get(other, other))
        distances.pop(pair, None)
        if far != ADJACENT and pair[0] != pair[1]:
            distances[pair] = far
    return changed(fight, distances=distances)


def _hold(fight: Fight, name: str, held: str, *, pinned: bool) -> Fight:
    """Who is held by whom, from now on; both sides say the same."""
    before = fight.cast[name].grabbing
    if before:
        fight = put(fight, before, held_by="", pinned=False)
    if held and fight.cast[held].held_by:
        fight = put(fight, fight.cast[held].held_by, grabbing="")
    fight = put(fight, name, grabbing=held)
    return put(fight, held, held_by=name, pinned=pinned) if held else fight


def _conditions(fight: Fight, name: str, given: Iterable[str]) -> Fight:
    """Conditions given whole; what hangs on one that is gone goes with it."""
    now = frozenset(given)
    who = fight.cast[name]
    kept = now & frozenset(KEPT)
    fields: dict[str, object] = {"conditions": kept}
    if "stunned" not in kept:
        fields["stunned_until"] = 0
    if "unconscious" not in kept:
        fields["unconscious_until"] = 0
    if "harassed" not in kept:
        fields["harassers"] = ()
    if "dodging" not in kept:
        fields["dodged"] = 0
    elif "dodging" not in who.conditions:
        fields["conditions"] = kept - {"dodging"}  # a dodge has a total, which nobody rolled
    if "passed" in kept and "passed" not in conditions_of(who):
        fields["may_interrupt"] = True
    return put(fight, name, **fields)


_CARRIED_OUT: Final[Mapping[str, Callable[[Fight, str, Any], Fight]]] = {
    "hazards": _hazards,
    "elevation": _elevation,
    "difficulty": _difficulty,
    "distance": _apart,
    "mounted": _seat,
    "conditions": _conditions,
    "grabbing": lambda fight, name, held: _hold(fight, name, held or "", pinned=False),
    "pinning": lambda fight, name, held: _hold(fight, name, held or "", pinned=True),
}
