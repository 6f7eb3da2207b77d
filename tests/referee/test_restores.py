"""A lost database, built anew from the thread and the config."""

import asyncio
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from referee.cli import app as command_line
from referee.restores import NotEmptyError, read_thread, restore
from referee.visiting import visit
from tests.referee.harness import Mesa


def lose(mesa: Mesa) -> None:
    for file in (mesa.path / "var").glob("*"):
        file.unlink()


def restored(mesa: Mesa) -> dict[str, Any]:
    app = mesa.app()
    try:
        return restore(app, "molino", asyncio.run(read_thread(app, "molino")))
    finally:
        asyncio.run(app.close())


@pytest.fixture
def mesa(tmp_path: Path) -> Mesa:
    """Two rounds: free and secret rolls, a correction, a set die, a round played again."""
    mesa = Mesa(tmp_path)
    mesa.begin()
    mesa.post("lucia", "[tirada: 1d100 | motivo: otear]")
    mesa.post("narradora", "[árbitro: tirada secreta | 1d100] [árbitro: corregir | Lope | PV: 9]")
    mesa.declare_all()
    mesa.serve(2)
    mesa.post("narradora", "[árbitro: deshacer] [árbitro: dado | Bandido 1.attack | 1]")
    mesa.serve()
    mesa.post("narradora", "[árbitro: cerrar]")
    mesa.serve(2)
    mesa.declare_all()
    mesa.serve(2)
    return mesa


def test_rounds_state_and_dice_come_back_and_what_is_lost_is_told(mesa: Mesa) -> None:
    before = [(r.serial, r.locked.get("claims"), r.outcome, r.state_after) for r in mesa.rounds()]
    posts = mesa.own_posts()
    lose(mesa)
    report = restored(mesa)
    after = [(r.serial, r.locked.get("claims"), r.outcome, r.state_after) for r in mesa.rounds()]
    assert report["differs"] == []
    assert report["rounds"] == 2
    assert [one[2] for one in after[:2]] == [one[2] for one in before[:2]]
    assert [one[3] for one in after[:2]] == [one[3] for one in before[:2]]
    assert {"lock.3", "open.4", "secret.1", "roll.2"} <= set(report["lost"])
    assert "lock.2" not in report["lost"]
    assert set(report["state"]) == {"Lope", "Ximena", "Bandido 1", "Bandido 2"}
    audit = mesa.audit()
    assert audit["good"], (audit["number"], audit["kind"], audit["what"])
    mesa.serve()
    told = mesa.own_posts()
    assert len(told) == len(posts)
    assert [n for n, (old, new) in enumerate(zip(posts, told, strict=True)) if old != new] == [8]
    assert "en pausa" in told[8]
    assert mesa.verify().verdict == "holds", mesa.verify().findings


def test_an_edited_and_a_deleted_declaration_come_back_as_they_counted(tmp_path: Path) -> None:
    mesa = Mesa(tmp_path)
    mesa.begin()
    mesa.declare_all()
    mesa.serve(2)
    before = mesa.events(0)
    files = {path.name.partition("-")[2]: path for path in sorted(mesa.thread.glob("*.md"))}
    files["lucia.md"].write_text("[acción: parada]", encoding="utf-8")
    files["tomas.md"].unlink()
    lose(mesa)
    assert restored(mesa)["differs"] == []
    assert mesa.events(0) == before


def test_nothing_is_overwritten(mesa: Mesa) -> None:
    with pytest.raises(NotEmptyError):
        restored(mesa)


def come_by(mesa: Mesa, key: str, visits: int = 1) -> None:
    async def come() -> None:
        app = mesa.app()
        try:
            for _ in range(visits):
                await visit(app.thread_desk(key))
        finally:
            await app.close()

    asyncio.run(come())


def test_a_game_master_goes_on_by_doing_what_the_command_prints(mesa: Mesa) -> None:
    before = {name: dict(state) for name, state in restored_state(mesa).items()}
    lose(mesa)
    done = CliRunner().invoke(command_line, ["restore", "molino", "--config", str(mesa.config)])
    assert done.exit_code == 0, done.output
    printed = re.search(r"^  molino-2:\n(?:^   .*\n)+", done.output, re.MULTILINE)
    assert printed
    head = mesa.config.read_text(encoding="utf-8").partition("threads:\n")[0]
    section = textwrap.indent(textwrap.dedent(printed[0]), "  ")
    mesa.config.write_text(f"{head}threads:\n{section}", encoding="utf-8")
    posts = len(mesa.own_posts())
    come_by(mesa, "molino-2", 2)
    # It introduces itself, and repeats nothing of what was ordered and rolled before.
    assert len(mesa.own_posts()) == posts + 1
    assert "commit lock.1" in mesa.own_posts()[-1]
    mesa.post("narradora", "Seguimos. [árbitro: iniciar]")
    come_by(mesa, "molino-2")
    rows = mesa.read(lambda records: records.rounds("molino-2"))
    app = mesa.app()
    try:
        table = app.table("molino-2", "arbitro")
        fight = table.load(rows[0].state_before)
        after = {name: dict(table.ruleset.state(fight, name)) for name in before}
    finally:
        asyncio.run(app.close())
    # No config can say how dead the dead are: what is left out is told.
    assert "Bandido 1.hp" in done.output
    assert after["Bandido 1"].pop("hp") != before["Bandido 1"].pop("hp")
    assert after == before
    mesa.declare_all()
    come_by(mesa, "molino-2", 2)
    rows = mesa.read(lambda records: records.rounds("molino-2"))
    assert rows[0].resolutions == 1
    assert mesa.verify().verdict == "holds", mesa.verify().findings


def restored_state(mesa: Mesa) -> dict[str, Any]:
    """The state at the end, as a restoration tells it."""
    lose(mesa)
    state: dict[str, Any] = restored(mesa)["state"]
    return state
