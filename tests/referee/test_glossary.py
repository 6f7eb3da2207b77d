"""Sheets in the words of the table: a game master writes "espada larga", the ruleset reads ids."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.registry import ADAPTERS
from referee.config import load
from referee.data import Data
from referee.errors import ConfigError
from referee.glossary import Glossary, in_ids
from rulesets.core.questions import SetupProblem
from rulesets.core.ruleset import CharacterSetup, Setup
from rulesets.registry import RULESETS

CONFIG = """
language: es
timezone: Europe/Madrid
database: sqlite:///referee.db
sites:
  mesa: {{adapter: folder, base_url: hilos, username: Árbitro}}
threads:
  puente:
    site: mesa
    topic: puente
    ruleset: ars_magica
    gm: narradora
    cast:
      Gil:
        player: lucia
        sheet: {sheet}
        state: {{posición: 3}}
      Moro:
        npc: true
        count: 2
        sheet: {{weapons: [axe]}}
"""
SPANISH = """{Destreza: 2, RAPIDEZ: 1, habilidades: {un arma: 5, Atletismo: 2},
                armas: [Espada Larga], escudo: broquel}"""


def sheets(folder: Path, sheet: str) -> Any:
    (folder / "config.yaml").write_text(CONFIG.format(sheet=sheet), encoding="utf-8")
    (folder / "hilos").mkdir(exist_ok=True)
    return load(folder / "config.yaml", platforms=ADAPTERS, games=RULESETS)


def problems(folder: Path, sheet: str) -> list[Any]:
    with pytest.raises(ConfigError) as caught:
        sheets(folder, sheet)
    return list(caught.value.problems)


def test_a_sheet_may_be_written_in_the_words_of_the_game(tmp_path: Path) -> None:
    gil, *_ = sheets(tmp_path, SPANISH).threads["puente"].cast
    assert gil.sheet == {
        "dexterity": 2,
        "quickness": 1,
        "abilities": {"single_weapon": 5, "athletics": 2},
        "weapons": ["long_sword"],
        "shield": "buckler",
    }
    assert gil.state == {"position": 3}


def test_what_is_chosen_from_a_list_may_be_said_in_words_too(tmp_path: Path) -> None:
    sheet = "{silla: sin estribos, armadura: chain mail}"  # a word of the other language, too
    gil, *_ = sheets(tmp_path, sheet).threads["puente"].cast
    assert gil.sheet == {"saddle": "no_stirrups", "armor": "chain_mail_partial"}


def test_ids_stay_as_they_are(tmp_path: Path) -> None:
    sheet = "{dexterity: 2, abilities: {single_weapon: 5}, weapons: [long_sword]}"
    gil, *_ = sheets(tmp_path, sheet).threads["puente"].cast
    assert gil.sheet == {
        "dexterity": 2,
        "abilities": {"single_weapon": 5},
        "weapons": ["long_sword"],
    }


def test_a_mistake_is_told_where_it_stands_and_in_the_games_words(tmp_path: Path) -> None:
    (one,) = problems(tmp_path, "{habilidades: {un arma: 5}, armas: [espda larga]}")
    assert (one.line, one.field) == (16, "threads.puente.cast.Gil.sheet.armas[0]")
    assert one.suggestion == "espada larga"
    assert "daga" in one.expected


def test_what_is_still_wrong_is_told_in_the_word_that_was_written(tmp_path: Path) -> None:
    """“Axe” is a word of the game, but for three things."""
    text = CONFIG.replace("ars_magica", "aquelarre").replace("{{posición: 3}}", "{{}}")
    (tmp_path / "config.yaml").write_text(
        text.replace("language: es", "language: en").format(sheet="{fuerza: 12, armas: [Axe]}")
    )
    (tmp_path / "hilos").mkdir()
    with pytest.raises(ConfigError) as caught:
        load(tmp_path / "config.yaml", platforms=ADAPTERS, games=RULESETS)
    first, *_others = caught.value.problems
    assert (first.field, first.given) == ("threads.puente.cast.Gil.sheet.armas[0]", "Axe")
    assert first.expected == "hand axe, battle axe, poleaxe"


def test_a_key_given_in_two_ways_is_a_mistake(tmp_path: Path) -> None:
    (one,) = problems(tmp_path, "{destreza: 2, dexterity: 3}")
    assert (one.code, one.given) == ("unknown_key", "destreza")


def test_a_misspelt_ability_is_not_taken_for_an_untrained_one(tmp_path: Path) -> None:
    (one,) = problems(tmp_path, "{habilidades: {un armma: 5}}")
    assert one.suggestion == "Un Arma"


@pytest.mark.parametrize("game", RULESETS, ids=lambda game: game.id)
@pytest.mark.parametrize("lang", ["es", "en"])
@pytest.mark.parametrize("category", ["sheet", "gear", "scene"])
def test_every_field_of_a_sheet_and_a_scene_has_a_word_that_leads_back(
    game: Any, lang: str, category: str
) -> None:
    ids = game.words[category]
    glossary = Glossary([Data().terms(lang, game.id)])
    assert {glossary.meant(word, ids) for word in glossary.say(ids)} == set(ids)


TERMS = {"thing": {"a": {"say": "uno"}, "b": {"say": "dos"}, "c": {"say": "dos"}}}
VALUES = st.recursive(
    st.sampled_from(["a", "b", "uno", "dos", "tres", 1, None]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "uno", "dos", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)


def refused(setup: Setup) -> tuple[SetupProblem, ...]:
    """A ruleset that knows nothing but ``a`` and ``b``, wherever they stand."""
    found: list[SetupProblem] = []

    def look(value: Any, path: tuple[str | int, ...]) -> None:
        if isinstance(value, str) and value not in {"a", "b"}:
            found.append(SetupProblem(path, "unknown_name", value, "", ("a", "b")))
        elif isinstance(value, dict):
            for key, inner in value.items():
                if key not in {"a", "b"}:
                    found.append(SetupProblem((*path, key), "unknown_key", key, "", ("a", "b")))
                look(inner, (*path, key))
        elif isinstance(value, list):
            for place, inner in enumerate(value):
                look(inner, (*path, place))

    for one in setup.cast:
        look(one.sheet, (one.name, "sheet"))
    return tuple(found)


@given(VALUES)
def test_whatever_a_sheet_holds_what_is_left_is_what_the_ruleset_refuses(value: Any) -> None:
    setup = Setup((CharacterSetup("Lope", "a", sheet={"a": value}),))
    before = repr(setup)
    found = in_ids(setup, refused, Glossary([TERMS]))
    assert repr(setup) == before
    left = refused(found.setup)
    # A value may be told in the word that was written for it.
    assert [replace(one, given=None) for one in found.problems] == [
        replace(one, given=None) for one in left
    ]
    known = [one.given for one in left]
    assert all(one.given in known or repr(one.given) in before for one in found.problems)
    left = {p.given for p in found.problems if p.code == "unknown_name"}
    assert "uno" not in left
    for problem in found.problems:
        inside: Any = {one.name: {"sheet": one.sheet} for one in setup.cast}
        for step in found.as_written(problem.path):
            inside = inside[step]
