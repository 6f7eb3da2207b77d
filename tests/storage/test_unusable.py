"""A database that cannot be used is told in a sentence, without its password."""

from pathlib import Path

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from referee.cli import MISSING, app
from referee.errors import OperatorError
from referee.storage.store import Store


def refusal(url: str) -> OperatorError:
    with pytest.raises(OperatorError) as refused:
        Store.open(url)
    return refused.value


def test_a_database_of_a_newer_version_is_left_alone(url: str) -> None:
    store = Store.open(url)
    with store.engine.begin() as connection:
        connection.execute(sa.text("update alembic_version set version_num = '9999'"))
    store.close()
    assert refusal(url).code == "database_newer"


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "referee.db"
    path.write_bytes(b"El molino.\n" * 1000)
    assert refusal(f"sqlite:///{path}").code == "database_unreachable"
    assert path.read_bytes() == b"El molino.\n" * 1000


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "var").write_text("no folder", encoding="utf-8")
    refused = refusal(f"sqlite:///{tmp_path}/var/referee.db")
    assert (refused.code, refused.facts["reason"]) == ("database_unreachable", "FileExistsError")


def test_a_password_that_is_refused_is_not_shown(postgres_url: str) -> None:
    wrong = sa.make_url(postgres_url).set(password="canario-9f3a")
    refused = refusal(wrong.render_as_string(hide_password=False))
    assert refused.code == "database_unreachable"
    assert "canario-9f3a" not in f"{refused!r}{refused}{refused.facts}{refused.__cause__!r}"


def test_the_command_line_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "var").write_text("no folder", encoding="utf-8")
    runner = CliRunner()
    assert runner.invoke(app, ["init", str(tmp_path)]).exit_code == 0
    told = runner.invoke(app, ["status", "--config", str(tmp_path / "config.yaml")])
    assert told.exit_code == MISSING
    assert "referee.db" in told.stderr
    assert "{" not in told.stderr
