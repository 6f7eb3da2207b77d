"""A fight as one file, and playing it again from that file where there is no database.

The file is canonical JSON: the fight's stretch of the log with its hash chain, the secrets that
have been shown, the tables with the game master's own rows, and a sum over all of it. Nothing that
is still secret is written.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from referee.app import App
from referee.audits import told
from referee.evidence import GENESIS, Before, audit, canonical, signature_checker
from referee.narration.stories import Game, RoundReport
from referee.replays import Played, Replayed, Rules
from referee.storage.records import LogRow, SeedRow
from referee.table import tables_text
from referee.telling import locked_words
from referee.words import plain_narrator
from rulesets.core.questions import SetupError
from rulesets.registry import RULESETS, ruleset

FORMAT: Final = "pbw-fight 1"
MOST_BYTES: Final = 64_000_000
_SEEDS: Final = {"round_opened": "open", "resolved": "lock"}


class ExportError(Exception):
    """A file that cannot be played again, or a fight that is not there.

    Attributes:
        code: ``no_fight``, ``not_an_export``, ``too_large``, ``sum_differs``, ``unknown_ruleset``
            or ``bad_tables``.
        facts: For its sentence.
    """

    def __init__(self, code: str, **facts: object) -> None:
        """Keep what is wrong."""
        super().__init__(code)
        self.code = code
        self.facts = facts


def export_fight(app: App, key: str, number: int | None = None) -> bytes:
    """A fight of a thread as the bytes of its file.

    Args:
        app: The referee.
        key: The thread.
        number: Which of its fights, from 1; the last one without it.

    Raises:
        ExportError: there is no such fight.
    """
    with app.store.reading() as records:
        fights = records.fights(key)
        at = len(fights) if number is None else number
        if not 1 <= at <= len(fights):
            raise ExportError("no_fight", thread=key, fights=len(fights))
        log, seeds = records.log(key), records.seeds(key)
    fight = fights[at - 1]
    began = [row.number for row in log if row.entry["kind"] == "fight_began"]
    ends = [*began[1:], len(log) + 1]
    first, end = began[at - 1], ends[at - 1]
    stretch = log[first - 1 : end - 1]
    shown = {name for row in stretch for name in _shown(row.entry)}
    thread = app.config.threads[key]
    raw = app.data.tables(fight.ruleset)
    data: dict[str, Any] = {
        "format": FORMAT,
        "thread": key,
        "fight": at,
        "story": f"{key}.{fight.id}",  # it seeds the choice among phrases
        "language": thread.language,
        "ruleset": fight.ruleset,
        "genders": {member.name: member.gender for member in thread.cast},
        # As text: canonical JSON sorts keys, and the order of a table's rows means something.
        "tables": tables_text(raw),
        "before": _before(log[: first - 1], shown),
        "secrets": _secrets(seeds, shown),
        "log": [{"number": r.number, "entry": r.entry, "hash": r.hash} for r in stretch],
    }
    return canonical({**data, "sum": _sum(data)}) + b"\n"


def _shown(entry: Mapping[str, Any]) -> Iterator[str]:
    """Seeds whose dice an entry shows for good; a question shows dice of a secret that is kept."""
    kind = entry["kind"]
    if kind in _SEEDS:
        yield f"{_SEEDS[kind]}.{entry['serial']}"
    elif kind in ("rolled", "opened"):
        yield str(entry["seed"])


def _before(log: Sequence[LogRow], shown: set[str]) -> dict[str, Any]:
    inputs: dict[str, str] = {}
    for row in log:
        match row.entry["kind"]:
            case "round_opened":
                inputs[str(row.entry["serial"])] = ""
            case "locked" | "beacon" | "beacon_skipped":
                inputs[str(row.entry["serial"])] = row.entry["input"]
    newest = dict(list(inputs.items())[-1:])
    commits = {
        name: digest
        for row in log
        for name, digest in row.entry.get("commits", {}).items()
        if name in shown
    }
    return {"hash": log[-1].hash if log else GENESIS, "inputs": newest, "commits": commits}


def _secrets(seeds: Sequence[SeedRow], shown: set[str]) -> dict[str, str]:
    return {
        seed.name: seed.secret.hex() for seed in seeds if seed.name in shown and seed.revealed_by
    }


def _sum(data: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical(dict(data))).hexdigest()


@dataclass(frozen=True, slots=True)
class Retold:
    """A fight that was played again.

    Attributes:
        report: The audit, as ``audits.told`` gives it.
        rounds: Each round as text without markup.
    """

    report: Mapping[str, Any]
    rounds: tuple[str, ...]


def replay_file(content: bytes, language: str = "") -> Retold:
    """Play a file's fight again and tell it.

    Args:
        content: Bytes of the file.
        language: To tell it in; the thread's own without it.

    Raises:
        ExportError: the file is no such file, or not as it was written.
    """
    data = _read(content)
    if data["ruleset"] not in {game.id for game in RULESETS}:
        raise ExportError("unknown_ruleset", ruleset=data["ruleset"])
    try:
        rules = Rules.of(ruleset(data["ruleset"]), json.loads(data["tables"]))
    except SetupError:
        raise ExportError("bad_tables") from None
    replay = Replayed(rules)
    before = data["before"]
    report = audit(
        data["thread"],
        [(row["entry"], row["hash"]) for row in data["log"]],
        {name: bytes.fromhex(secret) for name, secret in data["secrets"].items()},
        locked_words,
        replay,
        Before(
            before["hash"],
            {int(serial): value for serial, value in before["inputs"].items()},
            before["commits"],
        ),
        signature_checker(),
    )
    rounds = () if report.first else tuple(_tell(data, rules, replay, language))
    return Retold(told(data["thread"], report, replay), rounds)


def _read(content: bytes) -> dict[str, Any]:
    if len(content) > MOST_BYTES:
        raise ExportError("too_large", bytes=len(content))
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        raise ExportError("not_an_export") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ExportError("not_an_export")
    given = data.pop("sum", None)
    try:
        found = _sum(data)
    except ValueError:
        raise ExportError("not_an_export") from None
    # A file whose sum holds was written by the code above, so its shape needs no further proof.
    if given != found:
        raise ExportError("sum_differs")
    return data


def _tell(data: Mapping[str, Any], rules: Rules, replay: Replayed, language: str) -> Iterator[str]:
    narrator = plain_narrator(language or data["language"], data["ruleset"])
    game = Game(data["story"], data["ruleset"], data["genders"])
    for played in sorted(replay.rounds.values(), key=lambda one: one.serial):
        story = _story(played, rules, game)
        yield "\n".join(text for _, text in narrator.round_report(story, "")).strip()


def _story(played: Played, rules: Rules, game: Game) -> RoundReport:
    outcome = played.outcome
    return RoundReport(
        game=game,
        round=outcome.fight.round,
        events=outcome.events,
        rolls=outcome.rolls,
        before=rules.ruleset.roster(played.opened),
        after=rules.ruleset.roster(outcome.fight),
        defaulted=outcome.defaulted,
    )
