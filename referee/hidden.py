"""Secret rolls: made in public without showing their dice, and opened later.

The tag is frozen in a post of its own together with the number of a seed that was promised long
before, so from then on the dice exist and nobody can change them. Whoever has the database can look
at them (``referee secrets``); the thread sees them when the game master opens them.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from referee.evidence import LockedWords, SeedDice, next_commits, public_input, secret_label
from referee.narration.stories import Die
from referee.narration.stories import FreeRoll as ToldRoll
from referee.storage.records import PostRow, Records
from referee.table import Note, Sitting
from referee.tags import Command, FreeRollResult, TagProblem, roll
from referee.telling import Rolled

Notes = tuple[Note, ...]


def carry_out(at: Sitting, version: PostRow, command: Command) -> Notes:
    """Make or open a secret roll, or say why not."""
    return COMMANDS[command.verb](at, version, command)


def _make(at: Sitting, version: PostRow, command: Command) -> Notes:
    expression = command.get("expression")
    tried = roll(expression, _OnesDice(), "S")
    if isinstance(tried, TagProblem):
        return (Note("bad_secret_roll", {"given": expression}),)
    number = len(_made(at.records, at.key)) + 1
    seed = at.records.seed(at.key, f"secret.{number}")
    if seed is None:
        # A thread that was introduced before there were secret rolls has promised none.
        return (Note("no_secret_rolls"),)
    words = LockedWords(version.post_id, version.author_id, command.words)
    mark = at.new_mark()
    commits = {name: at.new_seed(name, mark) for name in next_commits("secret", number)}
    facts = {
        "secret": secret_label(number),
        "expression": expression,
        "reason": command.get("reason"),
    }
    text = at.table.telling.secret_roll(mark, number, words, commits, Note("secret_roll", facts))
    at.put_out("secret", mark, text)
    at.log(
        "rolled_secretly",
        version.author_id,
        seed=seed.name,
        mark=mark,
        commits=commits,
        post=version.post_id,
        words=[command.words],
        **facts,
    )
    return ()


def _open(at: Sitting, version: PostRow, command: Command) -> Notes:
    wanted = command.get("secret").strip().upper()
    made = {entry["secret"]: entry for entry in _made(at.records, at.key)}
    entry = made.get(wanted)
    if entry is None:
        return (Note("unknown_secret", {"given": command.get("secret"), "candidates": [*made]}),)
    seed = at.records.seed(at.key, entry["seed"])
    if seed is None:
        raise LookupError(f"{at.key}: no seed {entry['seed']}")
    if seed.revealed_by:
        return (Note("secret_open", {"secret": wanted}),)
    result = _result(at.key, seed.secret, entry)
    told = ToldRoll(
        author=wanted,
        expression=entry["expression"],
        dice=_dice(result),
        value=result.total,
        reason=entry["reason"],
    )
    mark = at.new_mark()
    at.records.set_seed(at.key, seed.name, revealed_by=mark)
    words = LockedWords(entry["post"], entry["by"], entry["words"][0])
    text = at.table.telling.opened(mark, seed, words, Rolled([told], [result.roll]))
    at.put_out("rolls", mark, text)
    at.log(
        "opened",
        version.author_id,
        seed=seed.name,
        secret=wanted,
        mark=mark,
        post=entry["post"],
        asked_by=entry["by"],
        words=entry["words"],
        rolls=[
            {
                "label": result.roll.label,
                "sides": list(result.roll.sides),
                "faces": list(result.roll.faces),
                "kept": list(result.roll.kept),
            }
        ],
        totals=[result.total],
    )
    return ()


def secrets_of(records: Records, key: str) -> list[dict[str, Any]]:
    """Every secret roll of a thread with what it shows, for whoever has the database."""
    rows = []
    for entry in _made(records, key):
        seed = records.seed(key, entry["seed"])
        if seed is None:
            continue
        result = _result(key, seed.secret, entry)
        rows.append(
            {
                "secret": entry["secret"],
                "expression": entry["expression"],
                "reason": entry["reason"],
                "by": entry["by"],
                "at": entry["at"],
                "faces": list(result.roll.faces),
                "total": result.total,
                "open": bool(seed.revealed_by),
            }
        )
    return rows


def _made(records: Records, key: str) -> list[Mapping[str, Any]]:
    return [row.entry for row in records.log(key) if row.entry["kind"] == "rolled_secretly"]


def _result(key: str, secret: bytes, entry: Mapping[str, Any]) -> FreeRollResult:
    words = [LockedWords(entry["post"], entry["by"], entry["words"][0])]
    dice = SeedDice(secret, public_input(entry["seed"], key, words))
    result = roll(entry["expression"], dice, entry["secret"])
    if isinstance(result, TagProblem):
        raise TypeError(f"{key} {entry['secret']}: {result.code}")
    return result


def _dice(result: FreeRollResult) -> tuple[Die, ...]:
    kept = result.roll.kept or (True,) * len(result.roll.faces)
    three = zip(result.roll.sides, result.roll.faces, kept, strict=True)
    return tuple(Die(sides, face, counts) for sides, face, counts in three)


class _OnesDice:
    """Dice to try an expression with, before a seed is used up for it."""

    def face(self, label: str, index: int, sides: int) -> int:
        """Always the same."""
        del label, index, sides
        return 1


COMMANDS: Final[Mapping[str, Callable[[Sitting, PostRow, Command], Notes]]] = {
    "secret_roll": _make,
    "open_secret": _open,
}
