"""A real forum in a process of its own; started by ``live_forum``, never imported.

``forum_server.py NAME TEMPLATES HOME`` makes the forum NAME once, keeps it among TEMPLATES, copies
it to HOME unless there is one, serves it on a loopback port, and does what the other side of the
pipe asks for: one JSON object a line, answered by one JSON line. It ends when the pipe closes, so
no server outlives whoever started it.

What stands in this folder runs under whatever Python its forum is installed in: it imports Django,
the forum, and its neighbours. A forum NAME is two modules: ``NAME_project`` with a ``PROJECT``, and
``NAME_commands`` with a ``SITE`` and ``COMMANDS``, imported once Django knows the settings.
"""

import fcntl
import importlib
import json
import os
import sys
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import django

from forum_project import Project

HERE = Path(__file__).parent


def template_of(name: str, project: Project, templates: Path) -> Path:
    """The empty forum of the version that is installed, made when it is not there yet."""
    # What is asked of a forum changes nothing of what it is made from.
    made_from = set(HERE.glob(f"{name}_*.py")) - {HERE / f"{name}_commands.py"}
    ours = sha256(b"".join(path.read_bytes() for path in sorted(made_from)))
    versions = f"{version(project.distribution)}-django-{django.get_version()}"
    template = templates / f"{name}-{versions}-{ours.hexdigest()[:8]}"
    templates.mkdir(parents=True, exist_ok=True)
    # Two workers that migrate at once take twice as long; the second waits for the first.
    with (templates / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not template.exists():
            draft = template.with_name(f"{template.name}.{os.getpid()}")
            draft.mkdir()
            os.environ["FORUM_HOME"] = str(draft)
            project.make(draft)
            draft.rename(template)
    return template


def main() -> None:
    """Make or copy the forum, serve it, and obey the pipe until it closes."""
    name, templates, home = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    # Whatever a forum prints must not look like an answer.
    pipe = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    os.environ |= {"PYTHONPATH": str(HERE), "PYTHONUTF8": "1"}  # for the commands that are run
    project: Project = importlib.import_module(f"{name}_project").PROJECT
    if not home.exists() or not any(home.iterdir()):
        project.copy(template_of(name, project, templates), home)
    os.environ["FORUM_HOME"] = str(home)
    os.environ["DJANGO_SETTINGS_MODULE"] = project.settings
    sys.path.insert(0, str(home))
    os.chdir(home)
    django.setup()
    # Models can only be imported once Django knows the settings.
    forum = importlib.import_module(f"{name}_commands")
    common = importlib.import_module("forum_commands")
    port, shared = common.serve(forum.SITE)
    commands = {**shared, **forum.COMMANDS}
    answer: dict[str, object] = {"port": port}
    while True:
        pipe.write(json.dumps(answer) + "\n")
        pipe.flush()
        line = sys.stdin.readline()
        if not line:
            return
        asked = json.loads(line)
        try:
            answer = {"result": commands[asked["do"]](**asked["with"])}
        except Exception as error:  # noqa: BLE001 # the other side raises it
            answer = {"error": f"{type(error).__name__}: {error}"}


if __name__ == "__main__":
    main()
