"""A real Spirit forum in a process of its own; started by ``spirit_forum``, never imported.

Generates Spirit's own project, migrates it on SQLite, serves it on a loopback port, and does what
the other side of the pipe asks for: one JSON object a line, answered by one JSON line. It ends
when the pipe closes, so no server outlives whoever started it.
"""

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import django
import spirit.extra

PROJECT = "mysite"
SETTINGS = """\
from mysite.settings.dev import *

DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1"]
SECRET_KEY = "for a forum that lives on loopback only"
ST_SITE_URL = "http://127.0.0.1"
ST_RATELIMIT_ENABLE = False
ST_RATELIMIT_SKIP_TIMEOUT_CHECK = True
# A window that never ends: a second post is refused whatever the time of day.
ST_TESTS_RATELIMIT_NEVER_EXPIRE = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
HAYSTACK_CONNECTIONS = {"default": {"ENGINE": "haystack.backends.simple_backend.SimpleEngine"}}
HAYSTACK_SIGNAL_PROCESSOR = "haystack.signals.BaseSignalProcessor"
LOGGING = {}
LOGGING_CONFIG = None
# A forum for an afternoon: nothing need survive a power cut.
DATABASES["default"]["OPTIONS"] = {
    "timeout": 30,
    "transaction_mode": "IMMEDIATE",
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;",
}
"""


def make_template(template: Path) -> None:
    """A migrated forum without users, made once: migrating takes seconds."""
    template.parent.mkdir(parents=True, exist_ok=True)
    draft = template.with_name(f"{template.name}.{os.getpid()}")
    draft.mkdir()
    source = Path(spirit.extra.__file__).parent / "project_template"
    # Django can be set up once in a process, so each step has one of its own.
    run_django(draft, "startproject", PROJECT, str(draft), "--template", str(source))
    (draft / "forum_settings.py").write_text(SETTINGS, encoding="utf-8")
    run_django(draft, "migrate", "--settings", "forum_settings")
    try:
        draft.rename(template)
    except OSError:  # another worker was faster
        shutil.rmtree(draft)


def run_django(folder: Path, *arguments: str) -> None:
    """Run one of Django's commands in a folder."""
    subprocess.run(
        [sys.executable, "-m", "django", *arguments, "--verbosity", "0"], cwd=folder, check=True
    )


def main() -> None:
    """Make or copy the forum, serve it, and obey the pipe until it closes."""
    template, home = Path(sys.argv[1]), Path(sys.argv[2])
    if not template.exists():
        make_template(template)
    if not (home / "forum_settings.py").exists():
        shutil.copytree(template, home, dirs_exist_ok=True)
    sys.path.insert(0, str(home))
    os.environ["DJANGO_SETTINGS_MODULE"] = "forum_settings"
    django.setup()
    # Models can only be imported once Django knows the settings.
    commands = importlib.import_module("tests.forums.spirit_commands")
    answer: dict[str, object] = {"port": commands.serve()}
    while True:
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            return
        asked = json.loads(line)
        try:
            answer = {"result": commands.COMMANDS[asked["do"]](**asked["with"])}
        except Exception as error:  # noqa: BLE001 # the other side raises it
            answer = {"error": f"{type(error).__name__}: {error}"}


if __name__ == "__main__":
    main()
