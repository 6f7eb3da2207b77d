"""Killed with SIGKILL at every checkpoint of a whole round, the referee ends where it would have.

A checkpoint stands before and after each commit, after each page and form that was received,
before and after each sending, and around each file that is put in place. The round is played once
to count and name them. Then, for each of them, a child process serves until it is killed there,
and another one goes on. What is then stored and what then stands in the thread must be what the
round without a kill had come to, to the last byte; only the time may differ.
"""

import asyncio
import io
import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial, wraps
from pathlib import Path
from typing import Any, Final

import pytest
import sqlalchemy as sa

from adapters.folder import Folder
from referee.evidence import verify
from referee.sources import read_posts
from tests.referee.harness import marks
from tests.referee.killing import (
    THREAD,
    Checkpoints,
    Stage,
    config_for,
    fork,
    join,
    quick_folder,
)

pytestmark = pytest.mark.kill

WORKERS: Final = min(4, os.cpu_count() or 1)
WORKER_S: Final = 600
# Longer than any forum works on a post after its client has gone.
SETTLE_S: Final = 120.0
# After a kill all is as it was without one, so what follows is the same; every so often it is
# played to the end nonetheless.
TO_THE_END: Final = 16

# What the players do, step by step; after each the referee is served until it is quiet.
STEPS: Final[tuple[Mapping[str, str], ...]] = (
    {"0001-narradora": "El molino de Peñascal, de noche."},
    {"0003-narradora": "Empieza. [árbitro: iniciar]"},
    {"0005-lucia": "Escucho antes de entrar. [tirada: 1d100+AGI | motivo: escuchar]"},
    {"0007-lucia": "Voy. [acción: ataque | Bandido 1] [acción: huir | nadie]"},
    {"0007-lucia": "Mejor al otro. [acción: ataque | Bandido 2] [acción: parada]"},
    {
        "0008-tomas": "[acción: ataque | Bandido 2] [acción: esquiva]",
        "0009-narradora": "[árbitro: mod | Lope | ataque | +20 | motivo: ventaja]\n"
        "[acción Bandido 1: ataque | Lope] [acción Bandido 2: ataque | Ximena]",
    },
)
# Introduction, status of the first round, free roll, report, status of the second round.
OWN_POSTS: Final = ["0002-arbitro", "0004-arbitro", "0006-arbitro", "0010-arbitro", "0011-arbitro"]


@dataclass
class Round(Stage):
    """One whole round in a folder.

    Attributes:
        kept: What the folder held before each step, in folders of their own.
        ends: What a step without a kill ends with.
    """

    kept: list[Path] = field(default_factory=list)
    ends: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.thread.mkdir(parents=True)
        # At a fixed hour: two minutes lost to a kill must not show.
        text = config_for(
            "{adapter: folder, base_url: hilos, username: Árbitro}",
            deadline='{length: 48h, at: "21:00"}',
        )
        (self.path / "config.yaml").write_text(text, encoding="utf-8")
        super().__post_init__()

    @property
    def thread(self) -> Path:
        return self.path / "hilos" / THREAD

    def act(self, step: int) -> None:
        for name, text in STEPS[step].items():
            (self.thread / f"{name}.md").write_text(text, encoding="utf-8")

    def record(self) -> list[list[str]]:
        """Play without a kill; returns the names of the checkpoints of each step."""
        names = []
        for step in range(len(STEPS)):
            self.kept.append(self.path.with_name(f"{self.path.name}-{step}"))
            shutil.copytree(self.path, self.kept[-1])
            self.act(step)
            heard = Checkpoints()
            self.serve(heard)
            names.append(heard.names)
            self.ends.append(self.end())
        return names

    def play_killed(self, step: int, number: int) -> None:
        """Play a step from what stood before it, with a kill in it."""
        shutil.rmtree(self.path)
        shutil.copytree(self.kept[step], self.path)
        self.open_clock()
        self.act(step)
        assert not self.serve_in_child(number), "the checkpoint was never reached"
        self.clock.turn(SETTLE_S)
        assert self.serve_in_child()

    def end(self) -> dict[str, Any]:
        posts = {path.name: path.read_text("utf-8") for path in self.thread.glob("*.md")}
        return {**super().end(), "files": dict(sorted(posts.items()))}

    def verdict(self) -> str:
        """What a reader of the thread finds out about its dice."""
        return verify(asyncio.run(read_posts([str(self.thread)], io.StringIO()))).verdict


def differences(expected: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """What differs between two ends, shortly."""
    return [
        f"{name}: {str(expected[name])[:300]} != {str(found[name])[:300]}"
        for name in expected
        if expected[name] != found[name]
    ]


def trial(table: Round, step: int, number: int, *, to_the_end: bool) -> list[str]:
    """What a kill at a checkpoint has changed."""
    try:
        table.play_killed(step, number)
        found = differences(table.ends[step], table.end())
        if to_the_end:
            for later in range(step + 1, len(STEPS)):
                table.act(later)
                assert table.serve_in_child()
            found += differences(table.ends[-1], table.end())
            found += [] if table.audit()["good"] else ["the audit finds fault"]
            found += [] if table.verdict() == "holds" else ["the evidence does not hold"]
    except AssertionError as error:
        return [str(error)[-2000:]]
    return found


def share_of_trials(path: Path, worker: int) -> None:
    """Record a round of one's own, and kill every n-th checkpoint of it, for n workers."""
    path.mkdir()
    table = Round(path)
    names = table.record()
    numbered = [
        (step, number) for step, heard in enumerate(names) for number in range(1, len(heard) + 1)
    ]
    report: dict[str, Any] = {"names": [name for heard in names for name in heard], "failed": {}}
    for index in range(worker, len(numbered), WORKERS):
        step, number = numbered[index]
        if step and not table.is_warm:
            table.warm_up()  # not before the first step, which has no database yet
        found = trial(table, step, number, to_the_end=index // WORKERS % TO_THE_END == 0)
        if found:
            where = f"{index + 1}, {names[step][number - 1]!r} (step {step})"
            report["failed"][where] = found
    path.with_suffix(".json").write_text(json.dumps(report), encoding="utf-8")


@pytest.fixture
def quick(tmp_path: Path) -> Iterator[Path]:
    with quick_folder(tmp_path) as folder:
        yield folder


def test_the_checkpoints_are_all_commits_sendings_receipts_and_files(
    quick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Counted at the other end: by the database's driver, the adapter and the file system.
    counted: Counter[str] = Counter()

    def counting(owner: type, name: str, told: str) -> None:
        plain = getattr(owner, name)

        @wraps(plain)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            counted[told] += 1
            return plain(*args, **kwargs)

        monkeypatch.setattr(owner, name, wrapper)

    counting(sa.engine.RootTransaction, "commit", "commit")
    counting(Folder, "fetch", "receive page")
    counting(Folder, "draft", "receive form")
    counting(Folder, "login", "logged in")
    counting(Folder, "send", "send")
    counting(Path, "replace", "folder")
    counting(Path, "hardlink_to", "folder")
    (quick / "mesa").mkdir()
    table = Round(quick / "mesa")
    names = Counter(name for heard in table.record() for name in heard)
    commits = Counter(name.partition(":")[0] for name in names.elements() if name[:6] == "commit")
    assert all(names[f"{name}: before"] == names[f"{name}: after"] for name in commits)
    assert commits.total() == 2 * counted["commit"]
    assert {"commit merge", "commit step", "commit sending", "commit posted"} <= commits.keys()
    for name in ("receive page", "receive form", "logged in"):
        assert names[name] == counted[name] > 0
    assert names["send: before"] == names["send: after"] == counted["send"] > len(OWN_POSTS)
    assert names["folder: written"] == names["folder: in place"] == counted["folder"]


def test_the_round_without_a_kill_is_whole(quick: Path) -> None:
    (quick / "mesa").mkdir()
    table = Round(quick / "mesa")
    table.record()
    posts = table.end()["files"]
    own = {name: text for name, text in posts.items() if "arbitro" in name}
    assert list(own) == [f"{name}.md" for name in OWN_POSTS]
    assert len(set(marks(list(own.values())))) == len(OWN_POSTS)
    assert [(row["serial"], row["status"]) for row in table.end()["round"]] == [
        (1, "resolved"),
        (2, "declaring"),
    ]
    assert table.audit()["good"]
    assert table.audit()["dice"]
    assert table.verdict() == "holds"


@pytest.mark.timeout(WORKER_S)
def test_a_kill_at_any_checkpoint_changes_nothing(quick: Path) -> None:
    places = [quick / f"worker-{number}" for number in range(WORKERS)]
    reports = [place.with_suffix(".txt") for place in places]
    workers = [
        fork(partial(share_of_trials, place, number), report, longest_s=WORKER_S)
        for number, (place, report) in enumerate(zip(places, reports, strict=True))
    ]
    for pid, report in zip(workers, reports, strict=True):
        assert join(pid, report)
    told = [json.loads(place.with_suffix(".json").read_text("utf-8")) for place in places]
    assert all(report["names"] == told[0]["names"] for report in told)
    failed = {where: what for report in told for where, what in report["failed"].items()}
    assert not failed, json.dumps(failed, ensure_ascii=False, indent=1)
