"""The daemon's ticks: whom they visit, and what a poll without news leaves alone."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from referee.app import App
from referee.daemon import Daemon
from referee.orders import give
from referee.storage.records import Records
from referee.visiting import LOOK_HOLDS, Look, look_round, visit
from tests.referee.harness import Mesa


@pytest.fixture
def mesa(tmp_path: Path) -> Mesa:
    table = Mesa(tmp_path)
    table.begin()
    table.serve()
    return table


def with_app(mesa: Mesa, work: Callable[[App], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        app = mesa.app()
        try:
            return await work(app)
        finally:
            await app.close()

    return asyncio.run(run())


async def tick(daemon: Daemon) -> None:
    """One tick and the visits that it begins."""
    await daemon.tick()
    await asyncio.gather(*daemon.visits.values())


def look_at(mesa: Mesa) -> Look:
    look: Look = with_app(mesa, lambda app: app.read(look_round, mesa.clock.now()))
    return look


def written_by(app: App) -> list[str]:
    """Names of the transactions to come; they go on being made."""
    names: list[str] = []
    write = app.write

    async def noted(key: str, name: str, *rest: Any) -> Any:
        names.append(name)
        return await write(key, name, *rest)

    app.write = noted
    return names


def test_a_command_from_the_command_line_does_not_wait_for_the_next_poll(mesa: Mesa) -> None:
    async def work(app: App) -> bool:
        daemon = Daemon(app)
        await tick(daemon)
        assert daemon.due["molino"] > mesa.clock.now()
        give(app, "molino", "pausa", wait_s=0)
        await tick(daemon)
        return bool(await app.read(paused))

    def paused(records: Records) -> bool:
        thread = records.thread("molino")
        return thread is not None and thread.paused_at is not None

    assert with_app(mesa, work)


def test_a_forum_in_trouble_is_left_in_peace_whatever_is_commanded(mesa: Mesa) -> None:
    async def work(app: App) -> set[str]:
        daemon = Daemon(app)
        await tick(daemon)
        daemon.failing.add("molino")
        give(app, "molino", "pausa", wait_s=0)
        await daemon.tick()
        return set(daemon.visits)

    assert with_app(mesa, work) == set()


def test_a_thread_without_work_is_calm_until_its_deadline(mesa: Mesa) -> None:
    assert set(look_at(mesa).calm) == {"molino"}

    mesa.clock.forward(hours=49)

    assert look_at(mesa).calm == {}


def test_a_thread_whose_round_waits_to_be_opened_is_not_calm(tmp_path: Path) -> None:
    fresh = Mesa(tmp_path)

    assert look_at(fresh).calm == {}


def test_a_poll_without_news_writes_nothing(mesa: Mesa) -> None:
    async def work(app: App) -> list[str]:
        look = await app.read(look_round, mesa.clock.now())
        names = written_by(app)
        assert not await visit(app.thread_desk("molino"), look)
        return names

    assert with_app(mesa, work) == []


def test_news_is_read_although_the_look_saw_none(mesa: Mesa) -> None:
    async def work(app: App) -> bool:
        look = await app.read(look_round, mesa.clock.now())
        mesa.declare_all()
        return await visit(app.thread_desk("molino"), look)

    assert with_app(mesa, work)


def test_a_look_that_has_grown_old_is_not_believed(mesa: Mesa) -> None:
    async def work(app: App) -> list[str]:
        look = await app.read(look_round, mesa.clock.now())
        mesa.clock.forward(seconds=(LOOK_HOLDS + timedelta(seconds=1)).total_seconds())
        names = written_by(app)
        await visit(app.thread_desk("molino"), look)
        return names

    assert with_app(mesa, work) == ["glance"]


def test_one_look_sees_what_a_look_at_each_thread_sees(mesa: Mesa) -> None:
    def both(records: Records) -> bool:
        return records.glances() == [records.glance(row.key) for row in records.threads()]

    assert with_app(mesa, lambda app: app.read(both))
