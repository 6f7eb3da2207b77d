"""A vocabulary made of the real common terms and of a small game, and people who speak it."""

from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from referee.tags import Reading, Speakers, TagProblem, Vocabulary, find_tags, read_tag
from rulesets.core.ruleset import Verb

HERE = Path(__file__).parent
TEMPLATES = HERE.parents[1] / "templates"
LANGUAGES = ("es", "en")

CAST = ("Lope", "Íñigo", "Ana", "Anabel", "Moro 1", "Moro 2", "Bandido 1", "Bandido 10")
LOPE = Speakers(own=("Lope",), cast=CAST)
GM = Speakers(cast=CAST, is_gm=True)


def load(path: Path) -> Any:
    """Parsed YAML."""
    return YAML(typ="safe").load(path)


def game() -> Any:
    """Rows and terms of the made-up game."""
    return load(HERE / "game.yaml")


def rows(table: dict[str, Any]) -> dict[str, Verb]:
    """Verbs as a ruleset would list them."""
    return {
        name: Verb(
            name,
            tuple(row.get("fields", ())),
            "T-1",
            tuple(row.get("flags", ())),
            clauses=row.get("clauses", False),
        )
        for name, row in table.items()
    }


def vocabulary_of(*languages: str, **more: Any) -> Vocabulary:
    """The game's vocabulary in these languages; ``more`` is one more terms file of each."""
    made = game()
    verbs = {kind: rows(table) for kind, table in made["rows"].items()}
    terms = {
        lang: [load(TEMPLATES / lang / "terms" / "common.yaml"), made["terms"][lang], more]
        for lang in languages
    }
    return Vocabulary.of(verbs["action"], verbs["standing"], verbs["command"], terms)


class Ear:
    """Reads whole posts for one author."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Listen with a vocabulary."""
        self.vocabulary = vocabulary

    def all(self, post: str, speakers: Speakers = LOPE) -> list[Reading | TagProblem]:
        """What each tag of a post means."""
        found = find_tags(post, self.vocabulary)
        return [read_tag(raw, self.vocabulary, speakers) for raw in found]

    def one(self, post: str, speakers: Speakers = LOPE) -> Any:
        """What the only tag of a post means."""
        found = self.all(post, speakers)
        assert len(found) == 1, found
        return found[0]
