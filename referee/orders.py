"""Commands given at the command line: written into the inbox, carried out by the daemon."""

import time
from typing import Any

from referee.app import App
from referee.table import CONSOLE
from referee.tags import TagProblem, find_tags, read_tag
from referee.words import sentence

POLL_S = 0.2


def give(app: App, key: str, words: str, *, wait_s: float) -> dict[str, Any]:
    """Note a command for the daemon and wait for its answer.

    Args:
        app: The referee's store and words.
        key: The thread.
        words: A command (``cerrar``) or whole tags (``[acción Bandido 1: ...]``).
        wait_s: How long to wait; 0 to go at once.

    Returns:
        ``done``, ``answer`` and ``problem`` (a sentence where the command cannot be read).
    """
    text = words if words.lstrip().startswith("[") else f"[árbitro: {words}]"
    problem = _problem(app, key, text)
    if problem:
        return {"done": False, "answer": "", "problem": problem}
    with app.store.transaction("order") as records:
        row = records.add_inbox(key, text, CONSOLE, app.world.clock.now())
    deadline = time.monotonic() + wait_s
    while wait_s and time.monotonic() < deadline:
        with app.store.reading() as records:
            found = records.inbox_row(row)
        if found is not None and found.done_at is not None:
            return {"done": True, "answer": found.answer, "problem": ""}
        time.sleep(POLL_S)
    return {"done": False, "answer": "", "problem": ""}


def _problem(app: App, key: str, text: str) -> str:
    """What cannot be understood is said at once, not when the daemon comes by."""
    table = app.table(key, "")
    language = app.config.threads[key].language
    for raw in find_tags(text, table.vocabulary):
        value = read_tag(raw, table.vocabulary, table.seats.speakers(CONSOLE))
        if isinstance(value, TagProblem):
            facts = {**value.facts, "tag": value.words, "cure": value.cure}
            return sentence(language, "tag", value.code, facts)
    return ""
