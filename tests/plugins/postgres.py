"""A real PostgreSQL for tests: a throw-away cluster on loopback, one database for each test.

pytest-postgresql cannot start a server as root, so this starts one as the user that Debian's
package brings; making and dropping the databases is left to pytest-postgresql. A test asks for
``postgres_url`` and carries the marker ``postgres`` by that alone.
"""

import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pytest_postgresql.janitor import DatabaseJanitor

ACCOUNT = "postgres"
USER = "referee"
ATTEMPTS_AT_A_PORT = 5
START_TIMEOUT_S = 60
# The cluster dies with the tests, so nothing need survive a power cut.
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
}


@dataclass(frozen=True, slots=True)
class Server:
    """A running cluster and how to reach it."""

    port: int
    password: str = field(repr=False)
    host: str = "127.0.0.1"
    user: str = USER

    def url(self, database: str) -> str:
        """The address of one database as SQLAlchemy takes it."""
        return (
            f"postgresql+psycopg://{self.user}:{self.password}@{self.host}:{self.port}/{database}"
        )


def binaries() -> Path | None:
    """The folder of the newest server's programs; Debian keeps them off the PATH."""
    if initdb := shutil.which("initdb"):
        return Path(initdb).resolve().parent
    found = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    folders = sorted((path.parent for path in found), key=lambda path: float(path.parent.name))
    return folders[-1] if folders else None


def free_port() -> int:
    """A loopback port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _run(program: Path, *arguments: str) -> None:
    # The server refuses to run as root.
    account = ACCOUNT if os.geteuid() == 0 else None
    done = subprocess.run(
        [program, *arguments],
        user=account,
        group=account,
        extra_groups=[] if account else None,
        cwd="/",
        env={"PATH": os.defpath, "LC_ALL": "C.UTF-8", "TZ": "UTC"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=START_TIMEOUT_S * 2,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{program.name} ended with {done.returncode}:\n{done.stdout}")


@contextmanager
def cluster(programs: Path) -> Iterator[Server]:
    """A new cluster that lives as long as the block, in a folder that goes with it."""
    # Not below pytest's own folder: another account may not enter that.
    home = Path(tempfile.mkdtemp(prefix="referee-postgres-"))
    data, log, password_file = home / "data", home / "log", home / "password"
    try:
        password = secrets.token_urlsafe(16)
        password_file.write_text(password, encoding="ascii")
        if os.geteuid() == 0:
            account = pwd.getpwnam(ACCOUNT)
            os.chown(home, account.pw_uid, account.pw_gid)
            os.chown(password_file, account.pw_uid, account.pw_gid)
        _run(
            programs / "initdb",
            *("--pgdata", str(data), "--username", USER, "--pwfile", str(password_file)),
            *("--auth", "scram-sha-256", "--encoding", "UTF8", "--no-sync"),
        )
        pg_ctl, pgdata = programs / "pg_ctl", ("--pgdata", str(data))
        port = _start(pg_ctl, pgdata, log)
        try:
            yield Server(port, password)
        finally:
            _run(pg_ctl, *pgdata, "--mode", "fast", "--wait", "stop")
    finally:
        shutil.rmtree(home)


def _start(pg_ctl: Path, pgdata: tuple[str, ...], log: Path) -> int:
    settings = " ".join(f"-c {name}='{value}'" for name, value in SETTINGS.items())
    failure: RuntimeError | None = None
    for _ in range(ATTEMPTS_AT_A_PORT):
        port = free_port()  # somebody else may take it before the server does
        options = ("--options", f"-p {port} {settings}", "--timeout", str(START_TIMEOUT_S))
        try:
            _run(pg_ctl, *pgdata, "--log", str(log), *options, "--wait", "start")
        except RuntimeError as error:
            failure = error
        else:
            return port
    reason = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    raise RuntimeError(f"{failure}\n{reason}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whoever asks for the server is a test of the marker ``postgres``."""
    for item in items:
        if isinstance(item, pytest.Function) and "postgres_server" in item.fixturenames:
            item.add_marker(pytest.mark.postgres)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """A PostgreSQL server on loopback, shared by the session's tests."""
    programs = binaries()
    if programs is None:
        missing = "no PostgreSQL server on this machine (Debian: apt-get install postgresql)"
        if os.environ.get("REFEREE_TESTS_SKIP_NOTHING"):
            pytest.fail(missing)
        pytest.skip(missing)
    with cluster(programs) as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: Server) -> Iterator[str]:
    """SQLAlchemy address of an empty database for this test alone."""
    name = f"test_{secrets.token_hex(6)}"
    janitor = DatabaseJanitor(
        user=postgres_server.user,
        password=postgres_server.password,
        host=postgres_server.host,
        port=postgres_server.port,
        dbname=name,
    )
    janitor.init()
    try:
        yield postgres_server.url(name)
    finally:
        janitor.drop()
