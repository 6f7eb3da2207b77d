"""A real forum on this machine with the referee in it, to play in with a browser.

Starts a forum on loopback, opens the prepared duel of ``config.yaml`` as a topic there, and runs
the daemon until Ctrl-C. Everything lives in ``var/playground`` and is made anew each time.

usage: python scripts/playground.py [spirit | machina | misago]
"""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tests.forums.live_forum import PASSWORD, LiveForum
from tests.forums.machina_forum import MachinaForum
from tests.forums.misago_forum import PYTHON, MisagoForum
from tests.forums.spirit_forum import SpiritForum
from tests.plugins.postgres import binaries, cluster

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / "var" / "playground"
EXAMPLE = "molino"
REFEREE = "arbitro"
STOP_TIMEOUT_S = 40


@contextmanager
def misago(home: Path, templates: Path) -> Iterator[LiveForum]:
    """Misago with a PostgreSQL of its own, both as the tests install them."""
    programs = binaries()
    if programs is None or not PYTHON.exists():
        sys.exit("Misago needs what `make test` installs for it: run that first")
    with cluster(programs) as server, MisagoForum(home, templates, server) as forum:
        yield forum


FORUMS: dict[str, Callable[[Path, Path], AbstractContextManager[LiveForum]]] = {
    "spirit": SpiritForum,
    "machina": MachinaForum,
    "misago": misago,
}


def opening_words() -> tuple[str, str]:
    """Who opens the prepared duel and with what words, from its first post."""
    first = min((ROOT / "examples" / EXAMPLE).iterdir())
    head, _, words = first.read_text(encoding="utf-8").partition("\n\n")
    author = head.splitlines()[0].partition(":")[2].strip()
    return author, words


def config_for(forum: LiveForum, topic: str, users: Mapping[str, str]) -> Path:
    """The example's config with its duel moved to the forum.

    Args:
        forum: Where it is played.
        topic: Id of the topic there.
        users: Forum user ids by the names that the example uses.
    """
    yaml = YAML()
    document: dict[str, Any] = yaml.load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    thread = document["threads"][EXAMPLE]
    thread |= {"site": "local", "topic": topic, "gm": users[thread["gm"]]}
    for member in thread["cast"].values():
        if "player" in member:
            member["player"]["id"] = users[member["player"]["id"]]
        if isinstance(member["sheet"], str):
            member["sheet"] = str(ROOT / member["sheet"])
    document["threads"] = {EXAMPLE: thread}
    document["database"] = "sqlite:///referee.db"
    document["polling"] |= {"interval": "1s", "rate": 20}
    document["sites"] = {
        "local": {
            "adapter": forum.platform,
            "base_url": forum.board_url,
            "username": REFEREE,
            "password_env": "PLAYGROUND_PASSWORD",
            "allow_private": True,
            "interval": "1s",
        }
    }
    path = HOME / "config.yaml"
    with path.open("w", encoding="utf-8") as file:
        yaml.dump(document, file)
    return path


def people() -> dict[str, str]:
    """Display names of everybody in the example, by the names that its config uses."""
    document = YAML(typ="safe").load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    thread = document["threads"][EXAMPLE]
    players = [member["player"] for member in thread["cast"].values() if "player" in member]
    return {thread["gm"]: thread["gm"]} | {person["id"]: person["name"] for person in players}


def welcome(forum: LiveForum, topic: str, names: Mapping[str, str]) -> str:
    """What the person who started it needs to know."""
    logins = "\n".join(f"    {name}" for name in names)
    return f"""
A real forum ({forum.platform}) is running, with the referee in it.

  The thread   {forum.topic_url(topic)}
  Log in       {forum.login_url}
  as one of these, each with the password {PASSWORD}
{logins}

The referee opens the first round within seconds. Then, as a player, post for instance

    Lope da un paso y tira un tajo. [acción: ataque | objetivo: Bandido 1 | arma: espada]

and watch its status post answer. As {next(iter(names))}, the game master, declare for the bandits
with [acción Bandido 1: ataque | objetivo: Lope], or end the round with [árbitro: cerrar].
The daemon's log is in {(HOME / "log.txt").relative_to(ROOT)}. Ctrl-C ends everything.
"""


def _tell_of_end(daemon: "subprocess.Popen[bytes]", stopped: threading.Event) -> None:
    daemon.wait()
    stopped.set()


def play(
    opening: Callable[[Path, Path], AbstractContextManager[LiveForum]], stopped: threading.Event
) -> int:
    """Run forum and daemon until told to stop; the daemon's exit status if it ends by itself."""
    shutil.rmtree(HOME, ignore_errors=True)
    HOME.mkdir(parents=True)
    with opening(HOME / "forum", ROOT / "var" / "forums") as forum:
        names = people()
        users = {name: forum.create_user(name) for name in names}
        forum.create_user(REFEREE, moderator=True)
        master, words = opening_words()
        topic = forum.create_topic("El molino de Peñascal", users[master.lower()], words)
        config = config_for(forum, topic, users)
        with (HOME / "log.txt").open("w", encoding="utf-8") as log:
            daemon = subprocess.Popen(
                [sys.executable, "-m", "referee", "run", "--config", str(config)],
                env={**os.environ, "PLAYGROUND_PASSWORD": PASSWORD},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for us; the daemon is asked to finish its visit
            )
            threading.Thread(target=_tell_of_end, args=(daemon, stopped), daemon=True).start()
            print(welcome(forum, topic, names), flush=True)
            stopped.wait()
            if daemon.poll() is not None:
                print((HOME / "log.txt").read_text(encoding="utf-8"), file=sys.stderr)
                return daemon.returncode or 1
            daemon.send_signal(signal.SIGTERM)
            daemon.wait(STOP_TIMEOUT_S)
    return 0


def main() -> int:
    """Play until Ctrl-C or SIGTERM."""
    name = sys.argv[1] if sys.argv[1:] else "spirit"
    if name not in FORUMS:
        print(__doc__, file=sys.stderr)
        return 2
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    return play(FORUMS[name], stopped)


if __name__ == "__main__":
    sys.exit(main())
