"""The real forum as a tool: it keeps what was said, ends when told, and outlives nobody."""

import ast
import os
import select
import socket
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tests.forums.live_forum import LiveForum
from tests.forums.spirit_forum import SpiritForum

PATIENCE_S = 30
# What a forum generates, or brings along as it is installed.
BROUGHT = {"spirit": {"mysite"}, "misago": {"devproject", "psycopg"}}
SERVED = sorted(Path(__file__).with_name("live").glob("*.py"))


def has_ended(pid: int) -> bool:
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], PATIENCE_S)[0])
    finally:
        os.close(handle)


def test_a_forum_keeps_what_was_said_in_its_folder(tmp_path: Path, forum_templates: Path) -> None:
    with SpiritForum(tmp_path, forum_templates) as forum:
        author = forum.create_user("Narradora")
        topic = forum.create_topic("El molino", author, "La niebla.")
        first = forum.base_url
    with SpiritForum(tmp_path, forum_templates) as forum:
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


def test_a_forum_dies_with_whoever_started_it(tmp_path: Path, forum_templates: Path) -> None:
    program = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from tests.forums.spirit_forum import SpiritForum\n"
        "forum = SpiritForum(Path(sys.argv[1]), Path(sys.argv[2])).start()\n"
        "print(forum.pid, flush=True)\n"
        "os._exit(1)  # as if killed: nothing is tidied up\n"
    )
    started = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path), str(forum_templates)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert has_ended(int(started.stdout))


def imported_by(path: Path) -> set[str]:
    """Names of the packages that a module imports."""
    tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    nodes = [node for node in tree if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = [
        [node.module or ""] if isinstance(node, ast.ImportFrom) else [n.name for n in node.names]
        for node in nodes
    ]
    return {module.partition(".")[0] for names in modules for module in names}


@pytest.mark.parametrize("path", SERVED, ids=lambda path: path.stem)
def test_a_server_runs_where_nothing_but_its_forum_is_installed(path: Path) -> None:
    # A forum whose pins are at odds with ours has a Python of its own.
    neighbours = {path.stem for path in SERVED}
    forum, _, _ = path.stem.partition("_")
    known = sys.stdlib_module_names | neighbours | BROUGHT.get(forum, set()) | {"django", forum}
    assert imported_by(path) <= known


NOISY = {
    "project": """\
        from forum_project import Project
        print("making")
        PROJECT = Project("django", "noisy_settings", lambda folder: (folder / "made").touch())
        """,
    "settings": """\
        SECRET_KEY, STATIC_URL = "x", "/static/"
        INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes",
                          "django.contrib.sessions", "django.contrib.staticfiles"]
        """,
    "commands": """\
        import re, os
        from forum_faults import Site
        SITE = Site(re.compile("/x"), re.compile("/y"), "/login/", b"post")
        def shout(word):
            print(f'{{"result": "{word}"}}')
            os.system("echo and so does a child")
            return "ñ" + word
        COMMANDS = {"shout": shout}
        """,
}


class NoisyForum(LiveForum):
    platform = "noisy"


def test_what_a_forum_prints_is_not_taken_for_an_answer(tmp_path: Path) -> None:
    for part, text in NOISY.items():
        (tmp_path / f"noisy_{part}.py").write_text(dedent(text), encoding="utf-8")
    there = {"PYTHONPATH": str(tmp_path)}
    with NoisyForum(tmp_path / "home", environment=there) as forum:
        assert forum.ask("shout", word="¡eh!") == "ñ¡eh!"
        assert (tmp_path / "home" / "made").exists()


def test_no_test_reaches_beyond_loopback() -> None:
    with (
        pytest.raises(Exception, match="allowed"),
        socket.create_connection(("192.0.2.1", 80), timeout=1),
    ):
        pass
