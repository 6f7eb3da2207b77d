"""Scenario files: worked rounds with every die fixed, run as ``docs/rules/FORMAT.md`` says.

A scenario fails when an expectation is not met, when a round rolls a die that it does not list or
lists one that is never rolled, when something is refused that it does not name, or when it checks
nothing. Results are values; ``Result.diff`` shows expectation against what happened.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from referee.data import Data
from referee.documents import Document, parse_yaml, place_of, plain, read_yaml
from referee.tags import FreeRoll, Speakers, TagProblem, Vocabulary, find_tags, read_tag
from referee.tags import roll as roll_free
from rulesets.core.declarations import Declaration, Kind
from rulesets.core.dice import Roll
from rulesets.core.events import as_json
from rulesets.core.questions import Answers, Question, Rejection, SetupError
from rulesets.core.ruleset import CharacterSetup, JudgesRolls, Outcome, Ruleset, Setup
from rulesets.registry import ruleset

MOST_SCENARIOS: Final = 2_000
# The event that says in which order characters act; its ``order`` is what scenarios expect.
ORDER_EVENT: Final = "action_order"
TEN_SIDES: Final = 10
# States that are sets whatever the order in which they are written.
SETS: Final = frozenset({"conditions", "engaged", "missile_engaged"})
# A catalogue that has one code where tags tell two things apart: its code to theirs.
TAG_CODES: Final[Mapping[str, tuple[str, ...]]] = {
    "unknown_verb": ("unknown_action", "unknown_order")
}


# ------------------------------------------------------------------ what stands in a file


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Character(_Strict):
    """A character of a scenario."""

    side: str
    npc: bool = False
    sheet: dict[str, Any] = {}
    state: dict[str, Any] = {}


class Refused(_Strict):
    """A refusal: whose declaration, with which code."""

    character: str
    code: str


class Expectation(_Strict):
    """What a round must come to; what is left out is not looked at."""

    initiative: dict[str, int] = {}
    order: list[str | list[str]] = []
    events: list[dict[str, Any]] = []
    state: dict[str, dict[str, Any]] = {}
    modifiers: dict[str, int] = {}
    rejected: list[Refused] | None = None

    @property
    def checks(self) -> int:
        """How many things it looks at."""
        fields = sum(len(named) for named in self.state.values())
        listed = len(self.initiative) + len(self.order) + len(self.events) + len(self.modifiers)
        return listed + fields + (self.rejected is not None)


class Round(_Strict):
    """A round: tags by character (or game master), dice by label, what it must come to."""

    declarations: dict[str, list[str]] = {}
    dice: dict[str, int | list[int]] = {}
    expect: Expectation


class Scenario(_Strict):
    """One worked fight."""

    id: str
    title: str
    rules: list[str]
    source: str
    options: dict[str, Any] = {}
    characters: dict[str, Character]
    scene: dict[str, Any] = {}
    rounds: list[Round]


class ScenarioFile(_Strict):
    """A file of scenarios of one ruleset."""

    ruleset: str
    scenarios: list[Scenario]


# ------------------------------------------------------------------ what comes out


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as expected: where, what was expected, what was found."""

    where: str
    expected: object
    found: object


@dataclass(frozen=True, slots=True)
class Played:
    """A round that has been played, with what is wrong with it.

    Attributes:
        number: From 1.
        differences: Expectation against what happened.
        happened: Events as plain data, for the reader of a difference.
    """

    number: int
    differences: tuple[Difference, ...] = ()
    happened: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one scenario."""

    id: str
    title: str
    rules: tuple[str, ...] = ()
    rounds: tuple[Played, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether everything was as expected."""
        return bool(self.rounds) and not any(played.differences for played in self.rounds)

    @property
    def diff(self) -> str:
        """Expectation against result, to be read; empty where they agree."""
        if self.passed:
            return ""
        lines = [f"{self.id}  {self.title}"]
        for played in self.rounds:
            if not played.differences:
                continue
            lines.append(f"  round {played.number}")
            for difference in played.differences:
                lines.append(f"    {difference.where}")
                lines += [f"      - {line}" for line in _shown(difference.expected)]
                lines += [f"      + {line}" for line in _shown(difference.found)]
            if played.happened:
                lines.append("    happened")
                lines += [f"        {_inline(event)}" for event in played.happened]
        return "\n".join(lines)


def _shown(value: object) -> list[str]:
    if isinstance(value, tuple):
        return [_inline(item) for item in value]
    return [_inline(value)]


def _inline(value: object) -> str:
    """A value on one line, much as it would be written in the file."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_inline(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_inline, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "-" if value is None else str(value)


# ------------------------------------------------------------------ dice


@dataclass(slots=True)
class ListedDice:
    """Dice that a scenario lists by label; keeps account of what is missing and what is left."""

    listed: Mapping[str, tuple[int, ...]]
    used: set[tuple[str, int]] = field(default_factory=set)
    missing: dict[str, int] = field(default_factory=dict)
    impossible: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, dice: Mapping[str, int | Sequence[int]]) -> "ListedDice":
        """From the ``dice`` of a round: a face, or the faces of several dice in order."""
        return cls(
            {
                label: (faces,) if isinstance(faces, int) else tuple(faces)
                for label, faces in dice.items()
            }
        )

    def face(self, label: str, index: int, sides: int) -> int:
        """The face listed; of a die that is not, 1, so that the rest can still be seen."""
        faces = self.listed.get(label, ())
        if index >= len(faces):
            self.missing[f"{label}[{index}]" if index else label] = sides
            return 1
        self.used.add((label, index))
        face = faces[index]
        if face == 0 and sides == TEN_SIDES:
            face = sides  # ten-sided dice are numbered 0 to 9, and some games write them so
        if not 1 <= face <= sides:
            self.impossible[label] = f"{face} (1d{sides})"
        return min(max(face, 1), sides)

    @property
    def unused(self) -> tuple[str, ...]:
        """Dice listed that nobody rolled."""
        return tuple(
            f"{label}[{index}]" if len(faces) > 1 else label
            for label, faces in self.listed.items()
            for index in range(len(faces))
            if (label, index) not in self.used
        )


# ------------------------------------------------------------------ running


@dataclass(frozen=True, slots=True)
class Bench:
    """A ruleset with its tables and the words of its tags."""

    game: Ruleset
    tables: Any
    vocabulary: Vocabulary

    @classmethod
    def of(cls, name: str, data: Data) -> "Bench":
        """The bench for a ruleset.

        Raises:
            LookupError: there is no such ruleset, or it has no words.
        """
        game = ruleset(name)
        terms = {
            lang: [data.terms(lang, "common"), data.terms(lang, name)]
            for lang in sorted(data.languages(), key=lambda lang: lang != "es")
            if data.has_terms(lang, name)
        }
        return cls(
            game,
            game.read_tables(data.tables(name)),
            Vocabulary.of(game.actions, game.orders, game.commands, terms),
        )


@lru_cache(maxsize=8)
def builtin_bench(name: str) -> Bench:
    """The bench of a ruleset as it comes, without a game master's own rows and words."""
    return Bench.of(name, Data())


def run_file(path: Path) -> tuple[Result, ...]:
    """Run every scenario of a file; a file that cannot be read is one failed result."""
    return _run_all(read_document(read_yaml(path, path.name), path.name), path.name)


def run_text(text: str, name: str) -> tuple[Result, ...]:
    """Run every scenario of a file's text."""
    return _run_all(read_scenarios(text, name), name)


def _run_all(read: ScenarioFile | Result, name: str) -> tuple[Result, ...]:
    if isinstance(read, Result):
        return (read,)
    try:
        bench = builtin_bench(read.ruleset)
    except LookupError:
        return (_broken(name, "ruleset", read.ruleset),)
    return tuple(run(scenario, bench) for scenario in read.scenarios)


def _broken(name: str, *problems: str) -> Result:
    differences = (Difference("file", "a scenario file", tuple(problems)),)
    return Result(name, "", (), (Played(0, differences),))


def read_scenarios(text: str, name: str) -> ScenarioFile | Result:
    """The scenarios of a file's text, or a failed result that names all its faults by line."""
    return read_document(parse_yaml(text, name), name)


def read_document(document: Document, name: str) -> ScenarioFile | Result:
    """The scenarios of a parsed file, or a failed result that names all its faults by line."""
    if document.problems:
        return _broken(name, *(f"{p.file}:{p.line}:{p.column} {p.code}" for p in document.problems))
    try:
        found = ScenarioFile.model_validate(plain(document.root))
    except ValidationError as error:
        problems = []
        for fault in error.errors(include_url=False):
            place = place_of(document.root, fault["loc"])
            where = ".".join(map(str, fault["loc"]))
            problems.append(f"{place.file}:{place.line}:{place.column} {where}: {fault['msg']}")
        return _broken(name, *problems)
    if len(found.scenarios) > MOST_SCENARIOS:
        return _broken(name, f"more than {MOST_SCENARIOS} scenarios")
    doubles = [s.id for s in found.scenarios if [o.id for o in found.scenarios].count(s.id) > 1]
    return _broken(name, "double id", *sorted(set(doubles))) if doubles else found


def run(scenario: Scenario, bench: Bench) -> Result:
    """Play a scenario's rounds one after the other."""
    game = bench.game
    rules = tuple(scenario.rules)
    try:
        fight = game.new_fight(setup_of(scenario), bench.tables)
    except SetupError as error:
        problems = tuple(
            f"{'.'.join(map(str, p.path))}: {p.code} {_inline(p.given)} ({p.expected})"
            for p in error.problems
        )
        differences = (Difference("setup", "a fight", problems),)
        return Result(scenario.id, scenario.title, rules, (Played(0, differences),))
    played = []
    standing: list[Declaration] = []
    for number, round_ in enumerate(scenario.rounds, start=1):
        one = _Playing(scenario, round_, bench, standing)
        fight = one.play(fight)
        played.append(Played(number, tuple(one.differences), tuple(one.happened)))
    return Result(scenario.id, scenario.title, rules, tuple(played))


@dataclass(frozen=True, slots=True)
class ReadTags:
    """What the tags of a round are.

    Attributes:
        declarations: In the order posted.
        refused: Character and code of the tags that cannot be read.
        odd: Texts that are no declaration at all.
        free: Free rolls, in the order posted.
    """

    declarations: tuple[Declaration, ...]
    refused: tuple[tuple[str, str], ...]
    odd: tuple[str, ...]
    free: tuple[FreeRoll, ...] = ()


def read_tags(round_: Round, cast: tuple[str, ...], vocabulary: Vocabulary) -> ReadTags:
    """Read the tags of a round; a key that is no character is the game master's.

    Who posted is not the rules' business: one may speak for another (a rider for his mount).
    """
    declarations: list[Declaration] = []
    refused: list[tuple[str, str]] = []
    odd: list[str] = []
    free: list[FreeRoll] = []
    for key, tags in round_.declarations.items():
        speakers = Speakers(own=(key,) if key in cast else (), cast=cast, is_gm=True)
        for text in tags:
            raw = find_tags(text, vocabulary)
            if not raw:
                odd.append(text)
            for tag in raw:
                reading = read_tag(tag, vocabulary, speakers)
                if isinstance(reading, Declaration):
                    declarations.append(reading)
                elif isinstance(reading, TagProblem):
                    refused.append((key, reading.code))
                elif isinstance(reading, FreeRoll):
                    free.append(reading)
                else:
                    odd.append(text)
    return ReadTags(tuple(declarations), tuple(refused), tuple(odd), tuple(free))


def setup_of(scenario: Scenario) -> Setup:
    """What a scenario's fight starts from."""
    return Setup(
        cast=tuple(
            CharacterSetup(name, who.side, npc=who.npc, sheet=who.sheet, state=who.state)
            for name, who in scenario.characters.items()
        ),
        scene=scenario.scene,
        options=scenario.options,
    )


class _Playing:
    """One round of a scenario while it is played and compared.

    ``standing`` are the standing orders given so far: as in a thread, they hold until replaced.
    """

    def __init__(
        self, scenario: Scenario, round_: Round, bench: Bench, standing: list[Declaration]
    ) -> None:
        self.cast = tuple(scenario.characters)
        self.round = round_
        self.bench = bench
        self.vocabulary = bench.vocabulary.with_cast(setup_of(scenario).cast)
        self.standing = standing
        self.free: list[FreeRoll] = []
        self.dice = ListedDice.of(round_.dice)
        self.differences: list[Difference] = []
        self.happened: list[dict[str, Any]] = []
        self.refused: list[tuple[str, str]] = []

    def differs(self, where: str, expected: object, found: object) -> None:
        self.differences.append(Difference(where, expected, found))

    def play(self, fight: Any) -> Any:
        """Play the round and compare it; returns the fight after it."""
        game = self.bench.game
        declarations = self.declarations()
        rolled = [self.rolled(fight, number) for number in range(len(self.free))]
        opened = game.open_round(fight, self.dice)
        outcome = game.resolve(opened.fight, declarations, self.dice, Answers())
        if isinstance(outcome, Question):
            self.differs("question", "the default", outcome.label)
            return opened.fight
        events = [*opened.events, *outcome.events]
        self.happened += [as_json(event) for event in events]
        self.refused += [_refusal(rejection) for rejection in outcome.rejections]
        # An order that has been refused does not stand: it would be refused again each round.
        refused = [rejection.declaration for rejection in outcome.rejections]
        self.standing[:] = [one for one in self.standing if not any(one is r for r in refused)]
        self.compare(outcome, (*rolled, *opened.rolls, *outcome.rolls))
        return outcome.fight

    def declarations(self) -> list[Declaration]:
        """The tags of the round, in the order posted; what cannot be read is refused."""
        read = read_tags(self.round, self.cast, self.vocabulary)
        self.refused += read.refused
        for text in read.odd:
            self.differs("declarations", "a declaration", text)
        self.free += read.free
        found = [one for one in read.declarations if one.kind is not Kind.STANDING]
        self.standing += [one for one in read.declarations if one.kind is Kind.STANDING]
        return [*found, *self.standing]

    def rolled(self, fight: Any, number: int) -> Roll:
        """Roll a free roll, and tell it as a test with what it came to."""
        asked = self.free[number]
        actor, game = asked.actor, self.bench.game
        earlier = [one for one in self.free[:number] if one.actor == actor]
        label = f"{actor}.roll" + (f"#{len(earlier) + 1}" if earlier else "")
        found = roll_free(
            asked.expression, self.dice, label, lambda word: game.roll_value(fight, actor, word)
        )
        if isinstance(found, TagProblem):
            self.refused.append((actor, found.code))
            return Roll(label, (), ())
        told: dict[str, Any] = {"type": "test", "actor": actor, "test": "roll"}
        told["total"] = found.total
        difficulty = asked.fields.get("difficulty", "")
        judged = None
        if difficulty and isinstance(game, JudgesRolls):
            judged = game.judge(fight, found.total, difficulty)
        self.happened.append(told)
        if judged is None:
            return found.roll
        told["against"] = judged.against.value
        told["result"] = judged.result
        told["degrees"] = judged.degrees
        return replace(found.roll, against=judged.against)

    # ---------------------------------------------------------------- comparing

    def compare(self, outcome: Outcome, rolls: Sequence[Roll]) -> None:
        """Hold everything that the round names against what happened."""
        expect = self.round.expect
        if not expect.checks:
            self.differs("expect", "something to check", "nothing")
        self.compare_dice()
        self.compare_order(expect)
        self.compare_events(expect)
        self.compare_state(expect, outcome)
        self.compare_modifiers(expect, rolls)
        self.compare_refusals(expect)

    def compare_dice(self) -> None:
        for label, sides in self.dice.missing.items():
            self.differs(f"dice.{label}", "listed", f"rolled 1d{sides}")
        for label in self.dice.unused:
            self.differs(f"dice.{label}", "rolled", "never rolled")
        for label, face in self.dice.impossible.items():
            self.differs(f"dice.{label}", "a face of the die", face)

    def compare_order(self, expect: Expectation) -> None:
        if not expect.order:
            return
        orders = [event["order"] for event in self.happened if event["type"] == ORDER_EVENT]
        found = orders[-1] if orders else None
        if found != expect.order:
            self.differs("order", expect.order, found)

    def compare_events(self, expect: Expectation) -> None:
        """Each expected event occurs, in the order listed, with at least the fields named."""
        position = 0
        for index, wanted in enumerate(expect.events):
            for place in range(position, len(self.happened)):
                if _holds(wanted, self.happened[place]):
                    position = place + 1
                    break
            else:
                nearest = self._nearest(wanted, position)
                self.differs(f"events[{index}]", wanted, nearest)

    def _nearest(self, wanted: Mapping[str, Any], position: int) -> object:
        """The event that agrees in most fields: of those still to come, else of all."""

        def agreement(event: Mapping[str, Any]) -> int:
            return sum(_same(value, event.get(name)) for name, value in wanted.items())

        for some in (self.happened[position:], self.happened):
            alike = [event for event in some if event["type"] == wanted.get("type")]
            if alike:
                best = max(alike, key=agreement)
                return best if some is not self.happened else ("earlier:", best)
        return None

    def compare_state(self, expect: Expectation, outcome: Outcome) -> None:
        game = self.bench.game
        for combatant in game.roster(outcome.fight):
            wanted = expect.initiative.get(combatant.name)
            if wanted is not None and wanted != combatant.initiative:
                self.differs(f"initiative.{combatant.name}", wanted, combatant.initiative)
        for name in (*expect.initiative, *expect.state):
            if name not in self.cast:
                self.differs(name, "a character", None)
        for name, fields in expect.state.items():
            if name not in self.cast:
                continue
            state = game.state(outcome.fight, name)
            for key, wanted_value in fields.items():
                if key not in state:
                    self.differs(f"state.{name}.{key}", wanted_value, "no such state")
                elif not _same(wanted_value, state[key], unordered=key in SETS):
                    self.differs(f"state.{name}.{key}", wanted_value, state[key])

    def compare_modifiers(self, expect: Expectation, rolls: Iterable[Any]) -> None:
        against = {roll.label: roll.total for roll in rolls if roll.total is not None}
        for label, wanted in expect.modifiers.items():
            total = against.get(label)
            if total is None:
                self.differs(f"modifiers.{label}", wanted, "no such roll")
            elif total.value != wanted:
                parts = tuple(f"{part.value:+d} {part.source} {part.step}" for part in total.parts)
                self.differs(f"modifiers.{label}", wanted, (total.value, *parts))

    def compare_refusals(self, expect: Expectation) -> None:
        listed = expect.rejected or []
        wanted = sorted((refused.character, refused.code) for refused in listed)
        found = sorted(self.refused)
        if not _same_refusals(wanted, found):
            self.differs("rejected", tuple(map(": ".join, wanted)), tuple(map(": ".join, found)))


def _same_refusals(wanted: Sequence[tuple[str, str]], found: Sequence[tuple[str, str]]) -> bool:
    """Whether each refusal that was expected came, and no other."""
    left = list(found)
    for name, code in wanted:
        match = next(
            (o for o in left if o[0] == name and o[1] in TAG_CODES.get(code, (code,))), None
        )
        if match is None:
            return False
        left.remove(match)
    return not left


def _refusal(rejection: Rejection) -> tuple[str, str]:
    return rejection.declaration.actor, rejection.code


def _holds(wanted: Mapping[str, Any], event: Mapping[str, Any]) -> bool:
    """Whether an event has at least the fields wanted; a field left out of it is its default."""
    return all(_same(value, event.get(name)) for name, value in wanted.items())


def _same(wanted: Any, found: Any, *, unordered: bool = False) -> bool:
    if found is None and wanted in (0, "", False):
        return True  # fields that hold their default are left out of an event
    if unordered and isinstance(wanted, list) and isinstance(found, list | tuple):
        return sorted(map(str, wanted)) == sorted(map(str, found))
    if isinstance(wanted, list) and isinstance(found, list | tuple):
        return len(wanted) == len(found) and all(map(_same, wanted, found))
    if isinstance(wanted, bool) != isinstance(found, bool):
        return False
    return bool(wanted == found)
