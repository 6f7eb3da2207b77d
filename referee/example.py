"""The prepared duel that ``referee init`` writes and ``referee demo`` plays."""

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

CONFIG: Final = "config.yaml"
FOLDER: Final = "examples"
THREAD: Final = "molino"
# The referee's own posts of an earlier run, where the example is played in place.
_OWN: Final = "-arbitro.md"


def write_example(directory: Path) -> None:
    """Write the commented config with its thread and sheets into a directory."""
    root = _root()
    directory.mkdir(parents=True, exist_ok=True)
    (directory / CONFIG).write_bytes(root.joinpath(CONFIG).read_bytes())
    _copy(root.joinpath(FOLDER), directory / FOLDER)


def _root() -> Traversable:
    """Where the example stands: inside the package when installed, else in the checkout."""
    packaged = resources.files("templates").joinpath("example")
    if packaged.is_dir():
        return packaged
    return Path(__file__).resolve().parent.parent


def _copy(source: Traversable, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for entry in source.iterdir():
        if entry.is_dir():
            _copy(entry, target / entry.name)
        elif not entry.name.endswith(_OWN):
            (target / entry.name).write_bytes(entry.read_bytes())
