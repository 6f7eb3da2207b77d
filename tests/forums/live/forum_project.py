"""What a forum tells about itself before Django knows it; see ``forum_server``."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


def copy_files(template: Path, home: Path) -> None:
    """A forum of one's own where everything that it holds is files."""
    shutil.copytree(template, home, dirs_exist_ok=True)


@dataclass(frozen=True)
class Project:
    """One kind of forum.

    Attributes:
        distribution: What is installed, for the version.
        settings: Module of its settings; ``HOME`` in the environment of the process says where.
        make: Fills an empty folder with a migrated forum without users, in which it is run.
        copy: Makes the forum of an empty home from that folder.
    """

    distribution: str
    settings: str
    make: Callable[[Path], None]
    copy: Callable[[Path, Path], None] = copy_files


def run_django(folder: Path, *arguments: str) -> None:
    """Run one of Django's commands in a folder.

    Django can be set up once in a process, so each step has one of its own.
    """
    command = [sys.executable, "-m", "django", *arguments, "--verbosity", "0"]
    subprocess.run(command, cwd=folder, check=True)
