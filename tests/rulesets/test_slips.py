"""A slip anywhere in a sheet, a state, a scene: it is told, and what may stand there has words."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from referee.data import Data
from referee.scenarios import setup_of
from rulesets.core.questions import SetupError, SetupProblem
from rulesets.core.ruleset import CharacterSetup, Setup
from rulesets.registry import ruleset
from tests.rulesets.playing import scenario_file
from tests.rulesets.things import GAMES, LANGUAGES

SLIP = "xyzzy"
Path = tuple[str | int, ...]


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Where a text stands, and where a mapping could have one key more."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict):
        if path:
            yield (*path, SLIP)
        for name, inner in value.items():
            yield from places(inner, (*path, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from places(inner, (*path, index))


def slipped(setup: Setup) -> Iterator[tuple[Path, Setup]]:
    """The setup with one slip, at every place in turn."""
    whole: dict[str, Any] = {
        "scene": dict(setup.scene),
        "options": dict(setup.options),
        **{one.name: {"sheet": dict(one.sheet), "state": dict(one.state)} for one in setup.cast},
    }
    for path in places(whole):
        if len(path) < 2 or (path[0] not in {"scene", "options"} and len(path) < 3):
            continue
        root = copy.deepcopy(whole)
        inside: Any = root
        for step in path[:-1]:
            inside = inside[step]
        inside[path[-1]] = SLIP
        cast = tuple(
            CharacterSetup(one.name, one.side, one.npc, **root[one.name]) for one in setup.cast
        )
        yield path, Setup(cast, root["scene"], root["options"])


def told(game: str) -> Iterator[tuple[Setup, Path, SetupProblem]]:
    """What is said of a slip, once for every kind of place in a game's scenarios."""
    made = ruleset(game)
    tables = made.read_tables(Data().tables(game))
    seen: set[Path] = set()
    for scenario in scenario_file(game).scenarios:
        setup = setup_of(scenario)
        names = {one.name for one in setup.cast}
        for path, wrong in slipped(setup):
            shape = tuple("*" if step in names or isinstance(step, int) else step for step in path)
            if shape in seen:
                continue
            seen.add(shape)
            try:
                made.new_fight(wrong, tables)
            except SetupError as error:
                for problem in error.problems:
                    yield setup, path, problem


def gear(setup: Setup) -> set[str]:
    """What a setup itself names: characters and what they have."""

    def texts(value: Any) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        for name, inner in value.items() if isinstance(value, dict) else ():
            yield str(name)
            yield from texts(inner)
        for inner in value if isinstance(value, list) else ():
            yield from texts(inner)

    sheets = {word for one in setup.cast for word in texts(one.sheet)}
    return {one.name for one in setup.cast} | sheets


@pytest.mark.parametrize("game", GAMES)
def test_a_slip_is_told_and_what_may_stand_there_has_words_in_every_language(game: str) -> None:
    found, without = 0, {}
    for setup, path, problem in told(game):
        found += 1
        # A horse that stands still needs no word: nobody declares it.
        candidates = set(problem.candidates) - {"", "stationary"}
        if problem.code != "unknown_name" or path[0] == "options" or candidates <= gear(setup):
            continue
        for lang in LANGUAGES:
            terms = Data().terms(lang, game)
            categories = [*terms.values(), *terms["value"].values()]
            if not any(candidates <= set(entries) for entries in categories):
                without[lang, path] = candidates
    assert found > 20
    assert without == {}
