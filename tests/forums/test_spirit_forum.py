"""The real forum as a tool: it keeps what was said, ends when told, and outlives nobody."""

import os
import select
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.forums.spirit_forum import SpiritForum, template_in

PATIENCE_S = 30


@pytest.fixture
def template(pytestconfig: pytest.Config, spirit_forum: SpiritForum) -> Path:
    """The template that the session's forum has left behind."""
    if pytestconfig.cache is None:
        pytest.skip("there is no cache to keep a template in")
    assert spirit_forum.pid
    return template_in(pytestconfig.cache.mkdir("forums"))


def has_ended(pid: int) -> bool:
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], PATIENCE_S)[0])
    finally:
        os.close(handle)


def test_a_forum_keeps_what_was_said_in_its_folder(tmp_path: Path, template: Path) -> None:
    with SpiritForum(tmp_path, template) as forum:
        author = forum.create_user("Narradora")
        topic = forum.create_topic("El molino", author, "La niebla.")
        first = forum.base_url
    with SpiritForum(tmp_path, template) as forum:
        assert [post["text"] for post in forum.posts(topic)] == ["La niebla."]
        assert forum.base_url.startswith("http://127.0.0.1:")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(first.rpartition(":")[2])))


def test_a_command_that_fails_says_why_and_harms_nothing(spirit_forum: SpiritForum) -> None:
    author = spirit_forum.create_user("Torpe")
    with pytest.raises(RuntimeError, match="Topic"):
        spirit_forum.post_as(author, "99999", "¿Dónde?")
    with pytest.raises(RuntimeError, match="no_such_fault"):
        spirit_forum.fault("no_such_fault")
    assert spirit_forum.create_topic("Después", author, "Aquí.")


def test_a_forum_dies_with_whoever_started_it(tmp_path: Path, template: Path) -> None:
    program = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from tests.forums.spirit_forum import SpiritForum\n"
        "forum = SpiritForum(Path(sys.argv[1]), Path(sys.argv[2])).start()\n"
        "print(forum.pid, flush=True)\n"
        "os._exit(1)  # as if killed: nothing is tidied up\n"
    )
    started = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path), str(template)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert has_ended(int(started.stdout))


def test_no_test_reaches_beyond_loopback() -> None:
    with (
        pytest.raises(Exception, match="allowed"),
        socket.create_connection(("192.0.2.1", 80), timeout=1),
    ):
        pass
