"""Misago: the project that its wheel brings, on the PostgreSQL that the environment names.

``POSTGRES_*`` say where the server is and where its programs are, ``FORUM_DATABASE`` names the
database of this forum, which is made here. A template holds a dump: migrating takes half a minute,
reading a dump a second or two.
"""

import os
import subprocess
from pathlib import Path

import psycopg
from psycopg import sql

from forum_project import Project, run_django

DUMP = "forum.sql"


def make(folder: Path) -> None:
    """Migrate a database, keep what it then holds, and drop it again."""
    _create_database()
    try:
        run_django(folder, "migrate", "--settings", PROJECT.settings)
        _run("pg_dump", "--no-owner", "--file", str(folder / DUMP))
    finally:
        _administer("DROP DATABASE {}")


def copy(template: Path, home: Path) -> None:
    """Fill a new database from the dump."""
    home.mkdir(parents=True, exist_ok=True)
    _create_database()
    _run("psql", "--quiet", "--set", "ON_ERROR_STOP=1", "--file", str(template / DUMP))
    # A folder with something in it is a forum that is there already.
    (home / "database").write_text(os.environ["FORUM_DATABASE"], encoding="ascii")


def _create_database() -> None:
    _administer("CREATE DATABASE {}")


def _administer(statement: str) -> None:
    """Do something to this forum's database from outside of it."""
    # Django's settings read the same variables.
    environment = os.environ
    with psycopg.connect(
        host=environment["POSTGRES_HOST"],
        port=environment["POSTGRES_PORT"],
        user=environment["POSTGRES_USER"],
        password=environment["POSTGRES_PASSWORD"],
        dbname="postgres",
        autocommit=True,
    ) as connection:
        name = sql.Identifier(environment["FORUM_DATABASE"])
        connection.execute(sql.SQL(statement).format(name))


def _run(program: str, *arguments: str) -> None:
    environment = os.environ
    subprocess.run(
        [
            Path(environment["POSTGRES_BIN"]) / program,
            *("--host", environment["POSTGRES_HOST"], "--port", environment["POSTGRES_PORT"]),
            *("--username", environment["POSTGRES_USER"], "--no-password"),
            *("--dbname", environment["FORUM_DATABASE"]),
            *arguments,
        ],
        env={**environment, "PGPASSWORD": environment["POSTGRES_PASSWORD"]},
        stdout=subprocess.DEVNULL,
        check=True,
    )


PROJECT = Project("misago", "misago_settings", make, copy)
