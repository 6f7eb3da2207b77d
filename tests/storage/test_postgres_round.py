"""A round that is kept in PostgreSQL is the round that SQLite would have kept."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.referee.harness import Mesa


def play(mesa: Mesa) -> None:
    """A round with an edit before its lock, a deletion and a wrong tag that is mended."""
    mesa.begin()
    first = mesa.post("lucia", "[acción: atake | Bandido 1]")
    gone = mesa.post("tomas", "Me lo pienso. 🗡️")
    mesa.serve()
    first.write_text("[acción: ataque | Bandido 2] [acción: parada]", encoding="utf-8")
    gone.unlink()
    mesa.declare_all(skip=("Lope",))
    mesa.clock.forward(minutes=11)
    mesa.serve(2)


@pytest.mark.postgres
def test_a_round_is_the_same_on_postgresql_and_on_sqlite(
    tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = sa.make_url(postgres_url)
    assert isinstance(url.password, str)
    monkeypatch.setenv("REFEREE_PG_PASSWORD", url.password)
    shown = url.set(password=None).render_as_string()
    there, here = Mesa(tmp_path / "postgresql"), Mesa(tmp_path / "sqlite")
    there.write_config(
        {
            "database: sqlite:///var/referee.db": (
                f"database: {{url: '{shown}', password_env: REFEREE_PG_PASSWORD}}"
            )
        }
    )
    for mesa in (there, here):
        play(mesa)

    assert there.rounds()[0].status == "resolved"
    assert there.events() == here.events()
    assert there.own_posts() == here.own_posts()
    assert there.audit()["good"], there.audit()
    assert there.audit() == here.audit()
    assert there.verify().verdict == "holds"
    assert not (there.path / "var").exists()
