"""Trials: what would be posted now, what a post means. Nothing is kept and nothing is sent."""

import secrets
from collections.abc import Mapping
from typing import Any

from referee.app import App, vocabulary_of, vocabulary_of_game
from referee.data import Data
from referee.narration.reference import reference
from referee.narration.words import Words
from referee.progress import Progress, step
from referee.storage.records import Records
from referee.table import Sitting
from referee.tags import TagProblem, find_tags, read_tag, spell
from referee.words import sentence
from rulesets.core.declarations import Declaration
from rulesets.registry import ruleset

MOST_STEPS = 200


def preview(app: App, key: str) -> list[dict[str, Any]]:
    """Play the thread on from what has been read, in a transaction that is thrown away.

    The secrets of seeds that have not been revealed are replaced first: a preview must not let
    the game master see the dice before the lock.
    """
    with app.store.trial() as records:
        site = records.site(app.config.threads[key].site)
        table = app.table(key, "" if site is None else site.referee_id)
        if records.thread(key) is None:
            thread = app.config.threads[key]
            records.add_thread(key, thread.site, thread.topic)
        _hide_dice(records, key)
        before = {row.id for row in records.outbox(key)}
        for _ in range(MOST_STEPS):
            if step(Sitting(records, table, app.world.clock.now()), fresh=True) is Progress.NOTHING:
                break
        return [
            {"kind": row.kind, "text": row.text, "edits": bool(row.edits)}
            for row in records.outbox(key)
            if row.id not in before
        ]


def _hide_dice(records: Records, key: str) -> None:
    for seed in records.seeds(key):
        if not seed.revealed_by:
            records.set_seed(key, seed.name, secret=secrets.token_bytes(32))


def understood(app: App, key: str, text: str, author: str) -> list[dict[str, Any]]:
    """Every tag of a text with what it means, for an author (the game master without one)."""
    thread = app.config.threads[key]
    words = vocabulary_of(app.data, thread)
    table = app.table(key, "")
    speakers = table.seats.speakers(author or next(iter(sorted(table.seats.masters))))
    rows = []
    for raw in find_tags(text, words):
        value = read_tag(raw, words, speakers)
        row: dict[str, Any] = {"words": raw.words, "good": not isinstance(value, TagProblem)}
        if isinstance(value, TagProblem):
            said = sentence(
                thread.language,
                "tag",
                value.code,
                {**value.facts, "tag": value.words, "cure": value.cure},
            )
            row["meaning"] = (
                said if not value.cure or value.cure in said else f"{said} {value.cure}"
            )
            row["code"] = value.code
        elif isinstance(value, Declaration):
            row["meaning"] = f"{value.actor}: {value.verb} → {spell(value, words, thread.language)}"
            row["fields"] = dict(value.fields)
        else:
            row["meaning"] = f"{type(value).__name__}: {_facts(value)}"
        rows.append(row)
    return rows


def _facts(value: Any) -> str:
    shown = {
        name: getattr(value, name)
        for name in type(value).__slots__
        if name != "words" and getattr(value, name)
    }
    return " ".join(f"{k}={dict(v) if isinstance(v, Mapping) else v}" for k, v in shown.items())


def reference_text(ruleset_id: str, language: str, topic: str = "") -> str:
    """A ruleset's player's sheet."""
    data = Data()
    game = ruleset(ruleset_id)
    terms = [data.terms(language, game.id), data.terms(language, "common")]
    phrases = data.phrases(language, game.id)
    messages = [phrases.get("messages", {}), data.messages(language)]
    words = Words(language, messages, terms, phrases.get("reference", {}))
    return reference(game, vocabulary_of_game(data, game, language), words, topic)
