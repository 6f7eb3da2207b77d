"""A vocabulary made of the real common terms and of a small game, and people to speak it."""

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from referee.tags import Reading, Speakers, TagProblem, Vocabulary, find_tags, read_tag
from rulesets.core.ruleset import Verb

HERE = Path(__file__).parent
TEMPLATES = HERE.parents[1] / "templates"


def load(path: Path) -> Any:
    return YAML(typ="safe").load(path)


def made_vocabulary(*languages: str) -> Vocabulary:
    game = load(HERE / "game.yaml")
    rows = {
        kind: {
            name: Verb(
                name,
                tuple(row.get("fields", ())),
                "T-1",
                tuple(row.get("flags", ())),
                clauses=row.get("clauses", False),
            )
            for name, row in table.items()
        }
        for kind, table in game["rows"].items()
    }
    terms = {
        lang: [load(TEMPLATES / lang / "terms" / "common.yaml"), game["terms"][lang]]
        for lang in languages
    }
    return Vocabulary.of(rows["action"], rows["standing"], rows["command"], terms)


@pytest.fixture(scope="session")
def vocabulary() -> Vocabulary:
    return made_vocabulary("es", "en")


CAST = ("Lope", "Íñigo", "Ana", "Anabel", "Moro 1", "Moro 2", "Bandido 1", "Bandido 10")
LOPE = Speakers(own=("Lope",), cast=CAST)
GM = Speakers(cast=CAST, is_gm=True)


class Reader:
    """Reads whole posts for one author."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def all(self, post: str, speakers: Speakers = LOPE) -> list[Reading | TagProblem]:
        return [read_tag(raw, self.vocabulary, speakers) for raw in find_tags(post, self.vocabulary)]

    def one(self, post: str, speakers: Speakers = LOPE) -> Any:
        found = self.all(post, speakers)
        assert len(found) == 1, found
        return found[0]


@pytest.fixture(scope="session")
def read(vocabulary) -> Reader:
    return Reader(vocabulary)
