"""The main job in one command: a prepared duel, resolved by the real daemon on the folder."""

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from referee.app import App
from referee.config import load
from referee.daemon import Daemon, set_up_logging
from referee.example import CONFIG, FOLDER, THREAD, write_example
from referee.storage.records import PostRow, Records

TIMEOUT_S: Final = 60.0
LOOK_S: Final = 0.1


async def play(keep: Path | None = None) -> tuple[Path, Sequence[PostRow]]:
    """Write the duel, run the daemon until a round has been resolved and the next is open.

    Args:
        keep: Where to leave it; a new temporary folder without one.

    Returns:
        The folder, and the thread as it reads then.

    Raises:
        TimeoutError: no round was resolved in a minute.
    """
    folder = (keep or Path(tempfile.mkdtemp(prefix="referee-demo-"))).resolve()
    write_example(folder)
    app = App(load(folder / CONFIG))
    set_up_logging(replace(app.config.log, level="warning"))
    daemon = Daemon(app)
    running = asyncio.create_task(daemon.run())
    try:
        async with asyncio.timeout(TIMEOUT_S):
            while not await app.write(THREAD, "look", _is_resolved):
                if running.done():
                    await running
                await asyncio.sleep(LOOK_S)
    finally:
        daemon.stop()
        await running
        posts: Sequence[PostRow] = await app.write(THREAD, "look", _posts)
        await app.close()
    return folder, posts


def thread_folder(folder: Path) -> Path:
    """Where the duel's posts stand."""
    return folder / FOLDER / THREAD


def _is_resolved(records: Records, thread: str) -> bool:
    """Whether a round's report and the next round's status post stand in the thread."""
    rows = records.rounds(thread)
    resolved = [row for row in rows if row.resolutions]
    return (
        bool(resolved)
        and not records.unsent(thread)
        and (rows[-1].opens_after is not None or records.current_fight(thread) is None)
        and rows[-1].id != resolved[0].id
    )


def _posts(records: Records, thread: str) -> list[PostRow]:
    versions = records.versions(thread)
    return list({version.post_id: version for version in versions}.values())
