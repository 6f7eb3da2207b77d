"""Playing a fight again from its log, entry by entry, by the rules that it was played by.

Each fight, opening and outcome in the log carries the version of the rules and a hash of the
tables (the game master's own rows included). What was played by others than those at hand is not
played again: its state is taken from the log, and the report says so (``version_differs``). A
finished round is never changed by an upgrade.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from referee.declaring import declaration_of
from referee.evidence import SeedDice, SetDice
from referee.rounds import locked_declarations, outcome_json, question_json
from referee.table import tables_hash
from rulesets.core.declarations import Declaration
from rulesets.core.questions import Answers, Correction, Question, Rejection, SetupError
from rulesets.core.ruleset import CharacterSetup, Outcome, Ruleset, Setup

VERSION_DIFFERS: Final = "version_differs"

NamedDice = SeedDice | SetDice


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules to play by.

    Attributes:
        ruleset: The game.
        tables: Its data, read.
        tables_hash: Of the data as they came from their files.
    """

    ruleset: Ruleset
    tables: Any
    tables_hash: str

    @classmethod
    def of(cls, ruleset: Ruleset, raw: Mapping[str, Any]) -> "Rules":
        """The rules with these tables, parsed and by file stem.

        Raises:
            SetupError: the tables cannot be used.
        """
        return cls(ruleset, ruleset.read_tables(raw), tables_hash(raw))


@dataclass(frozen=True, slots=True)
class Unplayed:
    """An entry that could not be played again, and why.

    Attributes:
        kind: Of the entry.
        serial: Of its round; 0 for the beginning of a fight.
        played: Rules by which it was played: id, version and hash of its tables.
        installed: The rules at hand.
        code: ``version_differs``.
    """

    kind: str
    serial: int
    played: tuple[str, str, str]
    installed: tuple[str, str, str]
    code: str = VERSION_DIFFERS

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "code": self.code,
            "kind": self.kind,
            "serial": self.serial,
            "played": dict(zip(("ruleset", "version", "tables"), self.played, strict=True)),
            "installed": dict(zip(("ruleset", "version", "tables"), self.installed, strict=True)),
        }


@dataclass(frozen=True, slots=True)
class Played:
    """A round as it was played again.

    Attributes:
        serial: Counted through the thread.
        opened: The fight as the round began.
        outcome: What happened.
    """

    serial: int
    opened: Any
    outcome: Outcome


@dataclass(slots=True)
class Replayed:
    """Plays log entries again in their order, carrying the fight along.

    Attributes:
        rules: What to play by.
        fight: The fight as it stands between rounds; None where it is not known.
        before: Fights before each round, by serial.
        opened: Fights of open rounds, by serial; none where they are not known.
        locked: What was locked, by serial.
        redeclared: What the game master declared anew, by serial and character.
        answers: Choices by serial and label.
        unplayed: What could not be played again.
        rounds: Rounds that were, the newest telling of each, by serial.
    """

    rules: Rules
    fight: Any = None
    game: str = ""
    before: dict[int, Any] = field(default_factory=dict)
    opened: dict[int, Any] = field(default_factory=dict)
    locked: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    redeclared: dict[int, dict[str, list[Any]]] = field(default_factory=dict)
    answers: dict[int, dict[str, str]] = field(default_factory=dict)
    unplayed: list[Unplayed] = field(default_factory=list)
    rounds: dict[int, Played] = field(default_factory=dict)

    def __call__(self, entry: Mapping[str, Any], dice: NamedDice | None) -> Mapping[str, Any]:
        """Play one entry; see ``evidence.audit.Replay``."""
        kind = entry["kind"]
        if dice is not None and kind in self._rolling:
            rolled: Mapping[str, Any] = self._rolling[kind](self, entry, dice)
            return rolled
        played: Mapping[str, Any] = self._noting[kind](self, entry) if kind in self._noting else {}
        return played

    def _is_ours(self, entry: Mapping[str, Any]) -> bool:
        """Whether an entry was played by the rules at hand; notes it where it was not."""
        ruleset, tables = self.rules.ruleset, self.rules.tables_hash
        installed = (ruleset.id, ruleset.version, tables)
        played = (
            str(entry.get("ruleset", self.game or ruleset.id)),
            str(entry.get("version", ruleset.version)),
            str(entry.get("tables", tables)),
        )
        if played == installed:
            return True
        self.unplayed.append(Unplayed(entry["kind"], entry.get("serial", 0), played, installed))
        return False

    def _begin(self, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        self.game = entry["ruleset"]
        self.fight = None
        if self._is_ours(entry):
            self.fight = self.rules.ruleset.new_fight(setup_of(entry["setup"]), self.rules.tables)
        return {}

    def _lock(self, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        self.locked[entry["serial"]] = entry["locked"]
        return {}

    def _redeclare(self, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        anew = self.redeclared.setdefault(entry["serial"], {})
        anew[entry["actor"]] = entry["declarations"]
        return {}

    def _answer(self, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        if entry["question"] == "choice":
            self.answers.setdefault(entry["serial"], {})[entry["label"]] = entry["answer"]
        return {}

    def _undo(self, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        self.fight = self.before.get(entry["serial"])
        return {}

    def _ask(self, entry: Mapping[str, Any], dice: NamedDice) -> Mapping[str, Any]:
        if entry["serial"] not in self.opened:
            return {}
        asked = self._resolve(entry, dice)
        return {"question": question_json(asked) if isinstance(asked, Question) else None}

    def _open(self, entry: Mapping[str, Any], dice: NamedDice) -> Mapping[str, Any]:
        serial = entry["serial"]
        self.opened.pop(serial, None)
        self.before[serial] = self.fight
        if not self._is_ours(entry) or self.fight is None:
            return {}
        outcome = self.rules.ruleset.open_round(self.fight, dice)
        self.opened[serial] = outcome.fight
        return {"outcome": outcome_json(outcome)}

    def _modify(self, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        serial = entry["serial"]
        if serial in self.opened:
            label = f"{entry['actor']}.{entry['roll']}"
            result = self.rules.ruleset.modify(self.opened[serial], label, entry["value"])
            if not isinstance(result, Rejection):
                self.opened[serial] = result.fight
        return {}

    def _correct(self, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        fight = self.opened.get(entry["serial"]) if entry["open"] else self.fight
        if fight is None:
            return {}
        events: list[dict[str, Any]] = []
        for name, value in entry["pairs"]:
            correction = Correction(entry["actor"], name, value, entry["reason"])
            result = self.rules.ruleset.correct(fight, correction)
            if isinstance(result, Rejection):
                return {"events": []}
            events.extend(outcome_json(result)["events"])
            fight = result.fight
        if entry["open"]:
            self.opened[entry["serial"]] = fight
        else:
            self.fight = fight
        return {"events": events}

    def _resolve(self, entry: Mapping[str, Any], dice: NamedDice) -> Outcome | Question:
        serial, asked = entry["serial"], frozenset(entry["asks"])
        answers = Answers(self.answers.get(serial, {}), ask=bool(asked), only=asked)
        return self.rules.ruleset.resolve(
            self.opened[serial], self._declarations(serial), dice, answers
        )

    def _declarations(self, serial: int) -> tuple[Declaration, ...]:
        data = locked_declarations(self.locked[serial], self.redeclared.get(serial, {}))
        return tuple(declaration_of(item) for item in data)

    def _finish(self, entry: Mapping[str, Any], dice: NamedDice) -> Mapping[str, Any]:
        serial = entry["serial"]
        if not self._is_ours(entry) or serial not in self.opened:
            self.fight = self._load(entry["state"])
            return {}
        outcome = self._resolve(entry, dice)
        if isinstance(outcome, Question):
            return {"outcome": None}
        self.rounds[serial] = Played(serial, self.opened[serial], outcome)
        self.fight = outcome.fight
        return {
            "outcome": outcome_json(outcome),
            "state": self.rules.ruleset.dump(outcome.fight),
        }

    def _load(self, state: Mapping[str, Any]) -> Any:
        """A state that other rules wrote, or None where these cannot read it."""
        try:
            return self.rules.ruleset.load(state, self.rules.tables)
        except (ArithmeticError, AttributeError, LookupError, SetupError, TypeError, ValueError):
            return None

    _rolling: ClassVar[Mapping[str, Any]] = {
        "round_opened": _open,
        "asked": _ask,
        "resolved": _finish,
    }
    _noting: ClassVar[Mapping[str, Any]] = {
        "fight_began": _begin,
        "locked": _lock,
        "modified": _modify,
        "corrected": _correct,
        "redeclared": _redeclare,
        "answered": _answer,
        "undone": _undo,
    }


def setup_of(data: Mapping[str, Any]) -> Setup:
    """The setup that was logged when a fight began."""
    cast = tuple(CharacterSetup(**member) for member in data["cast"])
    return Setup(cast, data["scene"], data["options"])
