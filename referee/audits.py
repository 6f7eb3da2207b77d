"""``referee audit``: play a thread again from its log, and name the first difference.

``evidence.audit`` checks the chain, the secrets, the public inputs and every die; what it cannot
know is what a round is. That is played again here, entry by entry, and at the end the evidence in
the thread's own posts is compared with what was meant to stand there.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from referee.app import App
from referee.declaring import declaration_of
from referee.evidence import SeedDice, audit, find_blocks
from referee.rounds import locked_declarations, outcome_json, question_json
from referee.storage.records import Records
from referee.table import Table
from referee.telling import locked_words
from rulesets.core.declarations import Declaration
from rulesets.core.questions import Answers, Correction, Question, Rejection
from rulesets.core.ruleset import CharacterSetup, Setup


def audit_thread(app: App, key: str) -> dict[str, Any]:
    """Audit one thread.

    Returns:
        ``good``, counts of ``entries``, ``rounds`` and ``dice``, and the first difference as
        ``number``, ``kind`` and ``what``.
    """
    with app.store.reading() as records:
        site = records.site(app.config.threads[key].site)
        table = app.table(key, "" if site is None else site.referee_id)
        report = audit(
            key,
            [(row.entry, row.hash) for row in records.log(key)],
            {seed.name: seed.secret for seed in records.seeds(key)},
            locked_words,
            Replayed(table),
        )
        posted = next(_posts(records, table), "") if report.first is None else ""
    told: dict[str, Any] = {
        "thread": key,
        "good": report.first is None and not posted,
        "entries": report.entries,
        "rounds": report.rounds,
        "dice": report.dice,
    }
    if report.first is not None:
        first = report.first
        told.update(
            number=first.number, kind=first.kind, what=f"{first.code} {first.where}".strip()
        )
    elif posted:
        told.update(number=0, kind="post", what=posted)
    return told


@dataclass(slots=True)
class Replayed:
    """Plays log entries again in their order, carrying the fight along.

    Attributes:
        table: The ruleset and its tables.
        fight: The fight as it stands between rounds.
        before: Fights before each round, by serial.
        opened: Fights of open rounds, by serial.
        locked: What was locked, by serial.
        redeclared: What the game master declared anew, by serial and character.
        answers: Choices by serial and label.
    """

    table: Table
    fight: Any = None
    before: dict[int, Any] = field(default_factory=dict)
    opened: dict[int, Any] = field(default_factory=dict)
    locked: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    redeclared: dict[int, dict[str, list[Any]]] = field(default_factory=dict)
    answers: dict[int, dict[str, str]] = field(default_factory=dict)

    def __call__(self, entry: Mapping[str, Any], dice: SeedDice | None) -> Mapping[str, Any]:
        """Play one entry; see ``evidence.audit.Replay``."""
        kind = entry["kind"]
        if dice is not None and kind in self._rolling:
            rolled: Mapping[str, Any] = self._rolling[kind](self, entry, dice)
            return rolled
        played: Mapping[str, Any] = self._noting[kind](self, entry) if kind in self._noting else {}
        return played

    def _begin(self, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        self.fight = self.table.ruleset.new_fight(setup_of(entry["setup"]), self.table.tables)
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
        self.fight = self.before[entry["serial"]]
        return {}

    def _ask(self, entry: Mapping[str, Any], dice: SeedDice) -> Mapping[str, Any]:
        asked = self._resolve(entry, dice)
        return {"question": question_json(asked) if isinstance(asked, Question) else None}

    def _open(self, entry: Mapping[str, Any], dice: SeedDice) -> Mapping[str, Any]:
        serial = entry["serial"]
        outcome = self.table.ruleset.open_round(self.fight, dice)
        self.before[serial], self.opened[serial] = self.fight, outcome.fight
        return {"outcome": outcome_json(outcome)}

    def _modify(self, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        serial = entry["serial"]
        label = f"{entry['actor']}.{entry['roll']}"
        result = self.table.ruleset.modify(self.opened[serial], label, entry["value"])
        if not isinstance(result, Rejection):
            self.opened[serial] = result.fight
        return {}

    def _correct(self, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        fight = self.opened[entry["serial"]] if entry["open"] else self.fight
        events: list[dict[str, Any]] = []
        for name, value in entry["pairs"]:
            correction = Correction(entry["actor"], name, value, entry["reason"])
            result = self.table.ruleset.correct(fight, correction)
            if isinstance(result, Rejection):
                return {"events": []}
            events.extend(outcome_json(result)["events"])
            fight = result.fight
        if entry["open"]:
            self.opened[entry["serial"]] = fight
        else:
            self.fight = fight
        return {"events": events}

    def _resolve(self, entry: Mapping[str, Any], dice: SeedDice) -> Any:
        serial, asked = entry["serial"], frozenset(entry["asks"])
        answers = Answers(self.answers.get(serial, {}), ask=bool(asked), only=asked)
        return self.table.ruleset.resolve(
            self.opened[serial], self._declarations(serial), dice, answers
        )

    def _declarations(self, serial: int) -> tuple[Declaration, ...]:
        data = locked_declarations(self.locked[serial], self.redeclared.get(serial, {}))
        return tuple(declaration_of(item) for item in data)

    def _finish(self, entry: Mapping[str, Any], dice: SeedDice) -> Mapping[str, Any]:
        outcome = self._resolve(entry, dice)
        if isinstance(outcome, Question):
            return {"outcome": None}
        self.fight = outcome.fight
        return {
            "outcome": outcome_json(outcome),
            "state": self.table.ruleset.dump(outcome.fight),
        }

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


def _posts(records: Records, table: Table) -> Iterator[str]:
    """The evidence that stands in the thread against the evidence that was to stand there."""
    meant: dict[str, str] = {}
    post_ids: dict[str, str] = {}
    for row in records.outbox(table.key):
        if row.state == "posted":
            meant[row.mark] = row.text
            if row.post_id and not row.edits:
                post_ids[row.mark] = row.post_id
    posts = records.known(table.key, list(post_ids.values()))
    for mark, post_id in post_ids.items():
        post = posts.get(post_id)
        if post is None:
            continue  # not read back yet
        if post.gone_at is not None:
            yield f"{post_id} gone"
            continue
        shown = find_blocks(f"{post.words}\n{post.set_aside}")
        if list(shown) != list(find_blocks(meant[mark])):
            yield f"{post_id} evidence"
