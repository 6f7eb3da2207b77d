"""The rows of every game's tables that players type and see, and sheets that hold one of them."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from referee.app import vocabulary_of_game
from referee.data import Data
from referee.glossary import Glossary
from referee.tags import Vocabulary
from rulesets.core.kinds import KINDS
from rulesets.core.ruleset import CharacterSetup, Setup
from rulesets.registry import RULESETS, ruleset

GAMES = tuple(game.id for game in RULESETS)
LANGUAGES = ("es", "en")

# Kind of thing to the tables that list it.
TABLES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "aquelarre": {"weapon": ("weapons",), "shield": ("shields",), "armour": ("armour",)},
    "anima": {"weapon": ("weapons",), "armour": ("armour",)},
    "ars_magica": {
        "weapon": ("weapons",),
        "shield": ("shields",),
        "armor": ("armour", "helmets"),
    },
    "hielo_y_fuego": {"weapon": ("weapons",), "armour": ("armour",), "mount": ("mounts",)},
}
# What is understood beside the rows: any shield, any axe or bow that one has, an empty hand.
GENERAL: Mapping[tuple[str, str], frozenset[str]] = {
    ("aquelarre", "weapon"): frozenset({"hacha", "arco"}),
    ("aquelarre", "shield"): frozenset({"shield"}),
    ("anima", "weapon"): frozenset({"none"}),
}
# Where a sheet has things, by kind; a list of keys where several hold different rows.
SHEETS: Mapping[str, Mapping[str, Any]] = {
    "aquelarre": {
        "weapon": lambda name: {"weapons": [name]},
        "shield": lambda name: {"shield": name},
        "armour": lambda name: {"armour": [name]},
    },
    "anima": {
        "weapon": lambda name: {"hp": 100, "weapons": {name: {}}},
        "armour": lambda name: {"hp": 100, "armour": name},
    },
    "ars_magica": {
        "weapon": lambda name: {"weapons": [name]},
        "shield": lambda name: {"shield": name},
        "armour": lambda name: {"armor": name},
        "helmets": lambda name: {"helmet": name},
    },
    "hielo_y_fuego": {
        "weapon": lambda name: {"weapons": [name]},
        "armour": lambda name: {"armor": name},
        "mount": lambda name: {"mount_type": name},
    },
}


@lru_cache(maxsize=64)
def rows(game: str, table: str) -> tuple[str, ...]:
    """What the rows of a table are called in play."""
    raw = Data().tables(game)[table]
    if (game, table) == ("hielo_y_fuego", "weapons"):
        # Its ids never leave the table: a fight knows weapons by their names.
        return tuple(name for row in raw.values() for name in row["names"])
    return tuple(raw)


def things() -> Iterator[tuple[str, str, str, str]]:
    """Game, kind, table and id of every row."""
    for game, kinds in TABLES.items():
        for kind, tables in kinds.items():
            for table in tables:
                for name in rows(game, table):
                    yield game, kind, table, name


@lru_cache(maxsize=16)
def vocabulary(game: str, lang: str) -> Vocabulary:
    """The words of tags in a thread of a language."""
    return vocabulary_of_game(Data(), ruleset(game), lang)


@lru_cache(maxsize=16)
def glossary(game: str, lang: str) -> Glossary:
    """The words of sheets in a thread of a language."""
    return Glossary(Data().terms(one, game) for one in (lang, *(x for x in LANGUAGES if x != lang)))


def terms(game: str, lang: str, kind: str) -> Mapping[str, Any]:
    """What a kind of thing is called."""
    found: Mapping[str, Any] = Data().terms(lang, game).get(kind, {})
    return found


def kinds(game: str) -> tuple[str, ...]:
    """Kinds of things of a game."""
    return tuple(TABLES[game])


def fields(kind: str) -> tuple[str, ...]:
    """Fields of tags that take a kind of thing."""
    return tuple(name for name, taken in KINDS.items() if kind in taken)


def setup(game: str, kind: str, table: str, name: str) -> Setup:
    """One character whose sheet lists a thing."""
    makers = SHEETS[game]
    made = (makers.get(table) or makers.get(kind) or makers["armour"])(name)
    return Setup((CharacterSetup("Lope", "a", sheet=made), CharacterSetup("Moro", "b", sheet={})))
