"""Profiles of the tests, read as the config reads a game master's file."""

from pathlib import Path

from adapters.profile import Profile
from referee.checking import Checker
from referee.data import Data
from referee.documents import YamlMap, read_yaml
from referee.errors import ConfigProblem
from referee.profiles import read_profiles

HERE = Path(__file__).parent


def read_profile(path: Path) -> tuple[tuple[Profile, ...], list[ConfigProblem]]:
    """The profile of a file, and what is wrong with it."""
    document = read_yaml(path, path.name)
    assert isinstance(document.root, YamlMap), document.problems
    checker = Checker(path.name, Data())
    checker.root = document.root
    return read_profiles(document.root, checker, (), path.stem), checker.problems


def good_profile(name: str) -> tuple[Profile, ...]:
    """A profile of this folder."""
    profiles, problems = read_profile(HERE / f"{name}.yaml")
    assert problems == []
    return profiles
