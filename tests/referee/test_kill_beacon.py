"""Killed at any checkpoint between a lock and its beacon, the referee loses and doubles nothing.

When it locks, the round of the chain follows from the moment, so a kill before the lock leads to
other dice; from the lock on they must be the ones that its announcement has bound.
"""

import asyncio
import hashlib
import io
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from adapters.base import Answer
from adapters.errors import BusyError
from referee.evidence import CHAIN_HASH, Block, find_blocks, published_at, verify
from referee.sources import read_posts
from tests.evidence.fought import LONG
from tests.referee.killing import THREAD, Checkpoints, Stage, config_for, quick_folder
from tests.referee.test_kill import SETTLE_S, STEPS

pytestmark = pytest.mark.kill

NEAR: Final = 8
LAST: Final = len(STEPS) - 1


def made_up(number: int) -> str:
    """A signature of a chain of our own: of the real one we have recorded three."""
    return hashlib.sha384(f"beacon {number}".encode()).hexdigest()


def is_made_up(number: int, signature: str) -> bool:
    return signature == made_up(number)


class Relay:
    """A client that knows every value that is published by now."""

    def __init__(self, stage: "Lit") -> None:
        self.stage = stage

    async def get(self, url: str, **_: Any) -> Answer:
        number = int(url.rpartition("/")[2])
        assert CHAIN_HASH in url
        if published_at(number) > self.stage.clock.now():
            raise BusyError(url, cure="server_error")
        body = json.dumps({"round": number, "signature": made_up(number)})
        return Answer(url, 200, body)

    async def aclose(self) -> None:
        return


class Lit(Stage):
    """A round in a folder that waits for a beacon."""

    def __post_init__(self) -> None:
        self.relay = lambda: Relay(self)
        self.thread.mkdir(parents=True)
        text = config_for("{adapter: folder, base_url: hilos, username: Árbitro}")
        text = text.replace("policies: {", "policies: {beacon: true, ", 1)
        (self.path / "config.yaml").write_text(text, encoding="utf-8")
        super().__post_init__()

    @property
    def thread(self) -> Path:
        return self.path / "hilos" / THREAD

    def act(self, step: Mapping[str, str]) -> None:
        """Post anew, behind whatever stands there."""
        last = max((int(path.name[:4]) for path in self.thread.glob("*.md")), default=0)
        for number, (name, text) in enumerate(step.items(), last + 1):
            author = name.partition("-")[2]
            (self.thread / f"{number:04d}-{author}.md").write_text(text, encoding="utf-8")

    def blocks(self) -> list[Block]:
        texts = [path.read_text("utf-8") for path in sorted(self.thread.glob("*-arbitro.md"))]
        return [one for text in texts for one in find_blocks(text) if isinstance(one, Block)]

    def trouble(self) -> list[str]:
        """What is not as it must be at the end, whenever the referee has died."""
        found = []
        told = [(b.kind, b.number) for b in self.blocks() if b.kind in ("question", "round")]
        if told != [("question", 1), ("round", 1)]:
            found.append(f"told {told}")
        kinds = [row["entry"]["kind"] for row in self.rows("log")]
        found += [
            f"{kinds.count(kind)} {kind}"
            for kind in ("locked", "beacon", "resolved")
            if kinds.count(kind) != 1
        ]
        report = verify(asyncio.run(read_posts([str(self.thread)], io.StringIO())), (), is_made_up)
        if report.verdict != "holds":
            found.append(str(report.findings))
        if not self.audit()["good"]:
            found.append(str(self.audit()))
        return found


def trial(table: Lit, number: int) -> list[str]:
    """What is wrong after a kill at a checkpoint."""
    try:
        assert not table.serve_in_child(number), "the checkpoint was never reached"
        table.clock.turn(SETTLE_S)
        assert table.serve_in_child()
    except AssertionError as error:
        return [str(error)[-2000:]]
    return table.trouble()


def test_a_kill_between_lock_and_beacon_loses_and_doubles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for room in ("app", "audits", "config"):
        monkeypatch.setattr(f"referee.{room}.signature_checker", lambda: is_made_up)
    with quick_folder(tmp_path) as folder:
        (folder / "mesa").mkdir()
        table = Lit(folder / "mesa")
        for step in (STEPS[0], STEPS[1]):
            table.act(step)
            table.serve()
        kept = folder / "kept"
        shutil.copytree(table.path, kept)
        heard = Checkpoints()
        table.act(STEPS[LAST])
        table.act({"0000-lucia": "[acción: ataque | Bandido 2] [acción: parada]"})
        table.serve(heard)
        assert table.trouble() == []
        names = heard.names
        assert {"receive beacon", "commit beacon: before", "commit beacon: after"} <= {*names}
        failed = {}
        table.warm_up()
        lit = names.index("receive beacon") + 1
        for number in range(1, len(names) + 1):
            # Most of the others are those of any round (test_kill).
            if not LONG and number % 4 and abs(number - lit) > NEAR:
                continue
            shutil.rmtree(table.path)
            shutil.copytree(kept, table.path)
            table.open_clock()
            table.act(STEPS[LAST])
            table.act({"0000-lucia": "[acción: ataque | Bandido 2] [acción: parada]"})
            found = [*trial(table, number)]
            if found:
                failed[f"{number} {names[number - 1]}"] = found
    assert not failed, json.dumps(failed, ensure_ascii=False, indent=1)
