"""Bring a database up to the newest schema, from any released version."""

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

MIGRATIONS = Path(__file__).parent / "migrations"


def alembic_config() -> Config:
    """Alembic's settings, without a file of their own: they must work from a wheel."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config


def is_known(revision: str) -> bool:
    """Whether a database of this revision can be brought up; one of a newer release cannot."""
    scripts = ScriptDirectory.from_config(alembic_config())
    return revision in {script.revision for script in scripts.walk_revisions()}


def upgrade(engine: sa.Engine, revision: str = "head") -> None:
    """Run what is missing, in one transaction where the database allows it."""
    config = alembic_config()
    with engine.connect() as connection, connection.begin():
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
