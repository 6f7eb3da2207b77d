"""Weaving events into prose: sentences from the phrase bank, in the order of the events.

Which phrase is taken depends on the fight, the round and how often the same thing has been told in
it, never on chance: the same round reads the same whenever it is told again.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import gcd
from typing import Any, Final

from markupsafe import Markup

from referee.narration.bank import Bank, Entry
from referee.narration.figures import purpose_of, roll_figure
from rulesets.core.events import Event
from rulesets.core.ruleset import Combatant

Facts = Mapping[str, Any]
# Renders a phrase with values; None where the phrase is broken.
Printer = Callable[[str, str, Facts], Markup | None]
# A field of an event as a value for phrases: its kind from the bank, the value, the facts around.
Dress = Callable[[str, Any, Facts], Any]

# A sentence that has grown this long, or has had this many joints, ends at the next full clause.
LONG_SENTENCE: Final = 200
MOST_JOINTS: Final = 2
_JOINTS: Final = ",;:. "


@dataclass(frozen=True, slots=True)
class Teller:
    """What it takes to tell events: a bank and how its phrases are dressed and printed."""

    bank: Bank
    printed: Printer
    dress: Dress


@dataclass(slots=True)
class _Sentence:
    words: list[Markup] = field(default_factory=list)
    figures: list[Markup] = field(default_factory=list)
    joints: int = 0

    @property
    def is_long(self) -> bool:
        return self.joints >= MOST_JOINTS or sum(map(len, self.words)) >= LONG_SENTENCE

    def closed(self) -> Markup:
        """With its figures and its full stop."""
        words = Markup("").join(self.words)
        end = "" if words.endswith((".", "!", "?", "…")) else "."
        if not self.figures:
            return words + end
        figures = Markup("; ").join(self.figures)
        if words.endswith((".", "…")):
            words, end = words[:-1], words[-1]
        return Markup("{} ({}){}").format(words, figures, end or ".")


@dataclass(slots=True)
class _Prose:
    paragraphs: list[list[Markup]] = field(default_factory=list)
    sentence: _Sentence = field(default_factory=_Sentence)
    about: str | None = None

    def end_sentence(self) -> None:
        if self.sentence.words:
            if not self.paragraphs:
                self.paragraphs.append([])
            self.paragraphs[-1].append(self.sentence.closed())
        self.sentence = _Sentence()

    def end_paragraph(self) -> None:
        self.end_sentence()
        if not self.paragraphs or self.paragraphs[-1]:
            self.paragraphs.append([])


def told(
    teller: Teller, events: Sequence[Event], roster: Sequence[Combatant], seed: str, round_: int
) -> tuple[Markup, ...]:
    """Tell events as paragraphs.

    Args:
        teller: The bank, and how its phrases are printed.
        events: In order.
        roster: Everybody before them, for how much a blow weighs.
        seed: The fight; another fight is told with other phrases.
        round_: Its number; another round too.
    """
    return _Weaver(teller, facts_of(events, roster, teller.bank), seed, round_).woven()


def facts_of(
    events: Sequence[Event], roster: Sequence[Combatant], bank: Bank
) -> tuple[dict[str, Any], ...]:
    """The fields of events, and what the words may depend on beside them.

    ``weight`` names the share of the victim's full health that a blow took; ``again`` is true for
    somebody who does the same to the same once more in a row, ``next`` for somebody who has just
    begun something else, with nothing between; ``figure`` and ``target_figure`` are
    the rolls of both sides, ``odd`` says that the dice alone would have meant the contrary, and
    ``purpose`` is what the event's dice were rolled for.
    """
    full = {one.name: one.gauges[0][2] for one in roster if one.gauges}
    before: tuple[object, ...] = ()
    found: list[dict[str, Any]] = []
    for event in events:
        facts: dict[str, Any] = {"type": event.type}
        facts.update((f.name, getattr(event, f.name)) for f in fields(event))
        amount, health = facts.get("amount"), full.get(str(facts.get("target")))
        if isinstance(amount, int) and health:
            share = amount * 100 // health
            facts["weight"] = next((name for name, least in bank.weights if share >= least), "")
        facts["purpose"] = purpose_of(str(facts.get("label", "")))[1]
        facts["figure"] = roll_figure(facts)
        facts["target_figure"] = roll_figure(facts, "target_")
        if facts["figure"] is not None and not facts["target_figure"]:
            won = facts.get("result") in {"success", "critical"}
            facts["odd"] = facts["figure"].within != won
        group = head_of(bank, facts)
        if group is not None:
            now = (facts["type"], facts["actor"], facts.get("target"), facts.get("kind"))
            facts["again"] = now == before
            last = found[-1] if found else {}
            facts["next"] = "head" in last and last["actor"] == facts["actor"]
            facts["head"] = group
            before = now
        found.append(facts)
    return tuple(found)


def head_of(bank: Bank, facts: Facts) -> str | None:
    """What an event that begins something new belongs to: its group, or else its actor."""
    for wanted, group in bank.heads:
        if wanted.fits(facts):
            return group or str(facts["actor"])
    return None


class _Weaver:
    """One telling: it remembers what it has said."""

    def __init__(self, teller: Teller, facts: Sequence[Facts], seed: str, round_: int) -> None:
        self.teller = teller
        self.bank = teller.bank
        self.facts = facts
        self.seed = seed
        self.round = round_
        self.counts: dict[str, int] = {}
        self.prose = _Prose()

    def woven(self) -> tuple[Markup, ...]:
        place = 0
        stays = False
        while place < len(self.facts):
            head = self.facts[place].get("head")
            if head is not None:
                if not stays and head != self.prose.about:
                    self.prose.end_paragraph()
                    self.prose.about = head
                else:
                    self.prose.end_sentence()
            entry, places = self._match(place)
            stays = entry is not None and entry.joins
            self._tell(entry, place, places)
            place = places[-1] + 1
        self.prose.end_sentence()
        return tuple(
            Markup(" ").join(sentences) for sentences in self.prose.paragraphs if sentences
        )

    def _match(self, place: int) -> tuple[Entry | None, list[int]]:
        for entry in self.bank.clauses.get(self.facts[place]["type"], ()):
            places = self._places(entry, place)
            if places:
                return entry, places
        return None, [place]

    def _places(self, entry: Entry, place: int) -> list[int]:
        """Where an entry's events stand, or nothing; quiet events between them are passed over."""
        found: list[int] = []
        at = place
        for wanted in entry.on:
            here = at
            while (
                found
                and here < len(self.facts)
                and not wanted.fits(self.facts[here], self.facts[place])
                and self.facts[here]["type"] in self.bank.quiet
            ):
                here += 1
            if here < len(self.facts) and wanted.fits(self.facts[here], self.facts[place]):
                found.append(here)
                at = here + 1
            elif not wanted.optional:
                return []
        return found

    def _tell(self, entry: Entry | None, place: int, places: Sequence[int]) -> None:
        covered = range(place, places[-1] + 1)
        if entry is not None:
            values = self._values([self.facts[at] for at in places])
            opener = self._opener(place)
            if not self._said(entry, opener, values):
                entry = None
        if entry is None and self.facts[place]["type"] not in self.bank.quiet:
            # Never silent about what happened, even where the bank has no words for it.
            self.prose.end_sentence()
            self.prose.sentence.words.append(Markup.escape(self.facts[place]["type"]))
        for at in covered:
            self._figures(at)

    def _opener(self, place: int) -> Entry | None:
        facts = self.facts[place]
        for entry in self.bank.openers.get(facts["type"], ()):
            if entry.on[0].fits(facts):
                return entry
        return None

    def _said(self, entry: Entry, opener: Entry | None, values: Facts) -> bool:
        sentence = self.prose.sentence
        may_join = opener is not None or (bool(sentence.words) and not sentence.is_long)
        for phrase in self._phrases(entry, may_join=may_join):
            joins = phrase[:1] in _JOINTS
            words = self.teller.printed(entry.id, phrase, values)
            if words is None:
                continue
            if not words:
                return True  # told by saying nothing
            if not joins:
                self.prose.end_sentence()
                self.prose.sentence.words.append(words)
            elif opener is None:
                sentence.words.append(words)
                sentence.joints += 1
            else:
                start = self._started(opener, values)
                if start is None:
                    continue
                self.prose.end_sentence()
                self.prose.sentence.words += [start, words]
            return True
        return False

    def _started(self, opener: Entry, values: Facts) -> Markup | None:
        printed = (
            self.teller.printed(opener.id, phrase, values)
            for phrase in self._phrases(opener, may_join=False)
        )
        return next((words for words in printed if words is not None), None)

    def _phrases(self, entry: Entry, *, may_join: bool) -> list[str]:
        """The phrases of an entry, the one whose turn it is first.

        Each round starts a long step further along the list and each use goes one on, so that a
        phrase comes back only after the others of its entry have had their turn.
        """
        count = self.counts.get(entry.id, 0)
        self.counts[entry.id] = count + 1
        size = len(entry.say)
        start = _hash(f"{self.seed}\0{entry.id}") + stride(size) * self.round + count
        turned = [entry.say[(start + step) % size] for step in range(size)]
        if may_join:
            return turned
        return [phrase for phrase in turned if phrase[:1] not in _JOINTS] or turned

    def _figures(self, place: int) -> None:
        facts = self.facts[place]
        for entry in self.bank.figures.get(facts["type"], ()):
            if entry.on[0].fits(facts):
                words = self.teller.printed(entry.id, entry.say[0], self._values([facts]))
                if words is not None and words.strip():
                    self.prose.sentence.figures.append(words.strip())
                return

    def _values(self, events: Sequence[Facts]) -> dict[str, Any]:
        """What phrases may speak of.

        The fields of all events told at once, those of the first before those of the others; and
        each event's own fields under the name of its type.
        """
        values: dict[str, Any] = {}
        by_type: dict[str, Any] = {}
        for facts in events:
            own = {
                name: self.teller.dress(self.bank.fields.get(name, ""), value, facts)
                for name, value in facts.items()
                if value is not None
            }
            values = {**own, **values}
            by_type.setdefault(str(facts["type"]), own)
        return {**by_type, **values}


def stride(size: int) -> int:
    """How far apart the rounds begin in a list of phrases: about two fifths of it, and coprime.

    With the golden section the beginnings of rounds lie as far from one another as they can.
    """
    if size < 3:
        return 1
    wanted = round(size * 0.382)
    return next(
        step
        for step in sorted(range(1, size), key=lambda step: (abs(step - wanted), step))
        if gcd(step, size) == 1
    )


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=6).digest(), "big")
