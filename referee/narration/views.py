"""From stories to what templates see: plain views with escaped words, names that agree and figures.

A view is a mapping with the names that the templates use; nothing is decided here that a reader
would call a rule.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Final

from markupsafe import Markup

from referee.narration.figures import MINUS, dice_of, purpose_of
from referee.narration.reference import DASH, tag_in
from referee.narration.sandbox import Text
from referee.narration.stories import Asked, FreeRoll, Receipt, Ruling, Seat, Trouble
from referee.narration.voice import Values, Voice, signed, unsigned
from rulesets.core.dice import Roll
from rulesets.core.events import Event
from rulesets.core.kinds import KINDS
from rulesets.core.modifiers import Modifier, Total
from rulesets.core.questions import Question
from rulesets.core.ruleset import Combatant

_NEGATIVE: Final = re.compile(r"^-(?=[0-9])")


def seat(voice: Voice, one: Seat) -> Values:
    """A character and who plays it."""
    return {
        "name": voice.person(one.name),
        "side": voice.term("side", one.side),
        "players": voice.listed(voice.texts(one.players)),
        "npc": one.npc,
        "secret": one.secret,
    }


def receipt(voice: Voice, one: Receipt) -> Values:
    """What will be acted on."""
    return {
        "name": voice.person(one.actor),
        "words": voice.texts(one.words),
        "final": one.final,
        "secret": one.secret,
        "by": voice.text(one.by),
    }


def trouble(voice: Voice, one: Trouble) -> Values:
    """A tag that did not count, and the sentence that says why."""
    facts = voice.dressed(one.facts)
    facts.update(tag=voice.text(one.words), cure=voice.text(one.cure))
    return {
        "author": voice.text(one.author),
        "words": facts["tag"],
        "sentence": voice.say("refusal" if one.refused else "tag", one.code, facts),
        "cure": facts["cure"],
        "refused": one.refused,
        "url": voice.text(one.url),
    }


def asked(voice: Voice, one: Asked) -> Values:
    """An open question with a tag for each answer."""
    tags = {choice.option: choice.tag for choice in one.choices}
    return {
        **defaulted(voice, one.question),
        "players": voice.listed(voice.texts(one.players)),
        "choices": [
            {"words": option(voice, name), "tag": voice.text(tags.get(name, ""))}
            for name in one.question.options
        ],
        "deadline": voice.moment(one.deadline) or "",
    }


def defaulted(voice: Voice, question: Question) -> Values:
    """A question and what is chosen when nobody answers."""
    facts = voice.dressed(question.facts)
    facts["who"] = voice.person(question.who)
    return {
        "sentence": voice.say("question", purpose_of(question.label)[1], facts),
        "name": facts["who"],
        "default": option(voice, question.default),
    }


def option(voice: Voice, name: str) -> Text:
    """An option in words."""
    return voice.term("option", name)


def ruling(voice: Voice, one: Ruling) -> Values:
    """What the game master is asked."""
    facts = voice.dressed({**about(one.event), **one.facts})
    for name in ("actor", "target"):
        facts[name] = voice.person(str(getattr(one.event, name, "")))
    facts["action"] = voice.term("action", str(getattr(one.event, "action", "")))
    return {
        "label": voice.text(one.label),
        "sentence": voice.say("ruling", str(getattr(one.event, "topic", "")), facts),
        "tag": voice.text(one.tag),
    }


def about(event: Event) -> dict[str, object]:
    """What an event says in words and figures, by field."""
    values = ((field.name, getattr(event, field.name)) for field in fields(event))
    return {name: value for name, value in values if isinstance(value, str | int)}


def fighter(voice: Voice, one: Combatant, before: Sequence[Combatant] = ()) -> Values:
    """A row of the table of state, with what changed since ``before``."""
    earlier = next((other for other in before if other.name == one.name), None)
    gender = voice.gender(one.name)
    conditions = [voice.term("condition", name, gender) for name in one.conditions]
    return {
        "name": voice.person(one.name),
        "side": voice.term("side", one.side),
        "npc": one.npc,
        "out": one.out,
        "declares": one.declares,
        "health": _gauges(voice, one, earlier)[0],
        "state": voice.listed(conditions),
        "place": "" if one.position is None else unsigned(one.position),
        "gear": ", ".join([*_notes(voice, one), *_gauges(voice, one, earlier)[1:]]),
    }


def _gauges(voice: Voice, one: Combatant, earlier: Combatant | None) -> list[str]:
    """``11/15``, with what was lost or gained since the round began: ``11/15 (−4)``.

    The first is health and goes without a name; the others (a shield, a mount) have theirs.
    """
    were = {} if earlier is None else {name: now for name, now, _ in earlier.gauges}
    said: list[str] = []
    for name, now, most in one.gauges:
        change = now - were.get(name, now)
        label = f"{voice.words.term('gauge', name) or name} " if said else ""
        changed = f" ({signed(change)})" if change else ""
        said.append(f"{label}{unsigned(now)}/{most}{changed}")
    return said or [""]


def _notes(voice: Voice, one: Combatant) -> list[str]:
    """What is in hand, and the like: the first by itself, the others with what they are."""
    said: list[str] = []
    for name, value in one.notes:
        words = _noted(voice, name, value)
        label = f"{voice.words.term('note', name) or name} " if said else ""
        said.append(f"{label}{words}")
    return said


def _noted(voice: Voice, name: str, value: str) -> str:
    """A note in words; of several things each."""
    known = voice.words.term(name, value)
    if known is not None:
        return known
    if name in KINDS:
        return ", ".join(voice.words.term(name, one) or one for one in value.split(", "))
    return _NEGATIVE.sub(MINUS, value)


def initiative(voice: Voice, events: Iterable[Event]) -> list[Values]:
    """Everybody's initiative with every term of it, in the order in which they act."""
    rows = []
    # Only a game where the fastest declare last tells that order (AQ-INI-02): of equals, too.
    places: dict[str, int] = {}
    for event in events:
        if event.type == "declaration_order":
            order: tuple[str, ...] = getattr(event, "order", ())
            places = {name: place for place, name in enumerate(order)}
        if event.type == "initiative":
            parts = getattr(event, "parts", {})
            value = getattr(event, "value", 0)
            rows.append(
                {
                    "name": voice.person(event.actor),
                    "value": value,
                    "parts": _sum(voice, parts.items()) if parts else "",
                    "actor": event.actor,
                }
            )
    return sorted(rows, key=lambda row: (-int(row["value"]), -places.get(str(row["actor"]), 0)))


def _sum(voice: Voice, parts: Iterable[tuple[str, int]]) -> str:
    """``8 dado + 15 Agilidad − 2 espada``."""
    said = ""
    for source, value in parts:
        words = voice.words.term("part", source) or source
        if said:
            said += f" {MINUS if value < 0 else '+'} {abs(value)} {words}"
        else:
            said = f"{unsigned(value)} {words}"
    return said


def rolls(voice: Voice, all_rolls: Iterable[Roll], events: Iterable[Event]) -> list[Values]:
    """Every roll with every die, and its target or its sum taken apart."""
    sums: dict[str, Mapping[str, int]] = {
        getattr(event, "label", ""): parts
        for event in events
        if (parts := getattr(event, "parts", None))
    }
    return [_roll(voice, one, sums.get(one.label, {})) for one in all_rolls]


def _roll(voice: Voice, one: Roll, parts: Mapping[str, int]) -> Values:
    name, purpose, number = purpose_of(one.label)
    kept = one.kept or (True,) * len(one.faces)
    against = one.against
    return {
        "name": voice.person(name),
        "purpose": voice.term("roll", purpose),
        "number": number,
        "dice": dice_of(one),
        "faces": _faces(zip(one.faces, kept, strict=True)),
        "value": one.value,
        "pool": "" if one.pool is None else total(voice, one.pool),
        "kind": voice.term("dice", one.kind) if one.kind else "",
        "plus": "" if one.plus is None else total(voice, one.plus, follows=True),
        "sum": unsigned(one.value + (0 if one.plus is None else one.plus.value)),
        "limit": "" if against is None else unsigned(against.value),
        "parts": _sum(voice, parts.items()) if against is None else total(voice, against),
        "total": unsigned(sum(parts.values())),
    }


def total(voice: Voice, one: Total, *, follows: bool = False) -> Markup:
    """The parts of a total in order, each as its step is written; ``follows`` after dice."""
    parts = [
        _part(voice, part, first=not place and not follows) for place, part in enumerate(one.parts)
    ]
    return Markup(" ").join(parts)


def _part(voice: Voice, part: Modifier, *, first: bool) -> Markup:
    code = "first" if first and part.step == "add" else part.step
    value = unsigned(part.value) if code == "first" else signed(part.value)
    # A plain number of a free roll is its own name: "+35", not "+35 35".
    is_number = not any(letter.isalpha() for letter in part.source)
    words = voice.text(
        "" if is_number else voice.words.term("modifier", part.source) or part.source
    )
    return voice.say("step", code, {"value": value, "number": part.value, "words": words})


def help_parts(voice: Voice, text: str) -> list[Values]:
    """The reference by heading: what each verb does, and the tag that says it."""
    parts: list[Values] = []
    for line in filter(None, text.split("\n")):
        if not line.startswith(DASH):
            parts.append({"heading": voice.text(line), "lines": []})
            continue
        if not parts:
            parts.append({"heading": "", "lines": []})
        said, tag = tag_in(line.removeprefix(DASH))
        parts[-1]["lines"].append({"words": voice.text(said), "tag": voice.text(tag)})
    return parts


def free_roll(voice: Voice, one: FreeRoll) -> Values:
    """A free roll with every die."""
    return {
        "author": voice.text(one.author),
        "expression": voice.text(one.expression),
        "reason": voice.text(one.reason),
        "faces": _faces((die.face, die.kept) for die in one.dice),
        "parts": total(voice, one.parts, follows=True),
        "value": unsigned(one.value),
        "difficulty": voice.text(one.difficulty),
        "result": voice.term("result", one.result) if one.result else "",
        "degrees": one.degrees,
    }


def _faces(dice: Iterable[tuple[int, bool]]) -> str:
    """Every die; one that does not count stands in brackets."""
    return ", ".join(str(face) if kept else f"({face})" for face, kept in dice)
