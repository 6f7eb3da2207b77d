"""Every weapon, shield and armour of the tables has a word in every language, read both ways."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.app import vocabulary_of_game
from referee.data import Data
from referee.glossary import in_ids
from referee.narration.bank import Bank
from referee.tags import Speakers, find_tags, read_tag, spell
from referee.tags.text import key
from rulesets.core.declarations import Declaration, Kind
from rulesets.core.kinds import KINDS, THINGS
from rulesets.core.questions import SetupError, SetupProblem
from rulesets.core.ruleset import CharacterSetup, Setup
from rulesets.registry import ruleset
from tests.narration.telling import narrator
from tests.rulesets.things import (
    GAMES,
    GENERAL,
    LANGUAGES,
    TABLES,
    fields,
    glossary,
    kinds,
    setup,
    terms,
    things,
    vocabulary,
)

EVERY = tuple(things())
VOWEL = re.compile(r"[aeiou]", re.IGNORECASE)
every_game = pytest.mark.parametrize("game", GAMES)
every_language = pytest.mark.parametrize("lang", LANGUAGES)


def words_of(entry: Any) -> list[str]:
    return [entry["say"], *entry.get("accept", ())]


@every_game
@every_language
def test_every_row_has_a_word_and_every_word_belongs_to_a_row(game: str, lang: str) -> None:
    for kind in THINGS:
        listed = {name for one, of, _, name in EVERY if (one, of) == (game, kind)}
        assert set(terms(game, lang, kind)) == listed | GENERAL.get((game, kind), frozenset()), kind


@every_game
@every_language
def test_every_word_of_a_thing_in_any_language_is_read_as_its_id(game: str, lang: str) -> None:
    made = vocabulary(game, lang)
    for kind in kinds(game):
        for spoken in LANGUAGES:
            for name, entry in terms(game, spoken, kind).items():
                for field in fields(kind):
                    words = made.values[field]
                    for word in (*words_of(entry), name):
                        assert words.one(key(word)) == name, (field, word, words.ids(key(word)))
                    said = words.say(name, spoken)
                    assert said == entry["say"], (spoken, name, said)


@every_game
def test_no_two_things_share_a_word_in_any_language(game: str) -> None:
    """Stricter than reading asks for: then it makes no difference which language a thread has."""
    for field in {name for kind in kinds(game) for name in fields(kind)}:
        entries = {
            (name, lang): {key(word) for word in (*words_of(entry), name)}
            for kind in KINDS[field]
            for lang in LANGUAGES
            for name, entry in terms(game, lang, kind).items()
        }
        meant = {(word, name) for (name, _), words in entries.items() for word in words}
        counts = Counter(word for word, _ in meant)
        assert [word for word, count in counts.items() if count > 1] == []


@every_language
@pytest.mark.parametrize(("game", "kind"), [(g, k) for g in GAMES for k in TABLES[g]])
def test_what_is_told_in_sentences_has_a_class_that_fits_its_word(
    game: str, kind: str, lang: str
) -> None:
    grammar = narrator(lang, game=game).bank.grammar
    known = {class_ for forms in grammar.thing.values() for class_ in forms}
    told = {"weapon", "shield"} if game != "aquelarre" else {"weapon", "shield", "armour"}
    # Always there and never spoken of with an article.
    unspoken = {"pelea", "none", "desarmado"}
    for name, entry in terms(game, lang, kind).items():
        if kind in told and name not in unspoken:
            assert "noun" in entry, name
        if "noun" not in entry:
            continue
        class_ = entry["noun"] if isinstance(entry["noun"], str) else entry["noun"][0]
        if lang == "en":
            assert class_ in {"c", "v", "p"}
            assert class_ == "p" or (class_ == "v") == bool(VOWEL.match(entry["say"])), entry
        else:
            assert class_ in known | {"m", "f", "mp", "fp", "fa"}, entry
        noun = grammar.of_thing(kind, name, name, "m", str)
        assert str(noun) == (entry["say"] if isinstance(entry["noun"], str) else entry["noun"][1])


def refusals(game: str, tables: Any, given: Setup) -> tuple[SetupProblem, ...]:
    try:
        ruleset(game).new_fight(given, tables)
    except SetupError as error:
        return error.problems
    return ()


@given(st.sampled_from(EVERY), st.sampled_from(LANGUAGES), st.data())
def test_every_word_of_a_thing_can_stand_on_a_sheet(
    row: tuple[str, str, str, str], lang: str, data: st.DataObject
) -> None:
    game, kind, table, name = row
    made = ruleset(game)
    tables = made.read_tables(Data().tables(game))
    written = data.draw(
        st.sampled_from(
            [word for one in LANGUAGES for word in words_of(terms(game, one, kind)[name])]
        )
    )

    def found(word: str) -> Any:
        wanted = setup(game, kind, table, word)
        read = in_ids(wanted, lambda one: refusals(game, tables, one), glossary(game, lang))
        problems = [p for p in read.problems if p.path[:1] == ("Lope",)]
        assert problems == [], word
        rest = tuple(one for one in read.setup.cast if one.name == "Lope")
        fight = made.dump(made.new_fight(Setup(rest), tables))
        return {name: value for name, value in fight.items() if name != "setup"}  # as written

    assert found(written) == found(name)


@every_game
@every_language
def test_a_sheet_that_is_refused_is_told_what_may_stand_there_in_the_threads_language(
    game: str, lang: str
) -> None:
    tables = ruleset(game).read_tables(Data().tables(game))
    for kind, names in TABLES[game].items():
        for table in names:
            wrong = setup(game, kind, table, "xyzzy")
            problems = refusals(game, tables, wrong)
            listed = [p for p in problems if p.candidates and p.path[:1] == ("Lope",)]
            assert len(listed) == 1, (kind, problems)
            said = glossary(game, lang).say(listed[0].candidates)
            known = {entry["say"] for entry in terms(game, lang, kind).values()}
            assert set(said) <= known, (kind, set(said) - known)


# ------------------------------------------------------------------ things of one's own

OWN = {"name": "sword", "skill": "swords", "damage": "1D10"}


def heard(vocabulary_: Any, tag: str, actor: str = "Lope") -> Declaration:
    speakers = Speakers(own=(actor,), cast=("Lope", "Moro"))
    (raw,) = find_tags(tag, vocabulary_)
    read = read_tag(raw, vocabulary_, speakers)
    assert isinstance(read, Declaration), read
    return read


def at_table(**sheets: Any) -> Any:
    cast = tuple(CharacterSetup(name, name, sheet=sheet) for name, sheet in sheets.items())
    return vocabulary_of_game(Data(), ruleset("aquelarre"), "en").with_cast(cast)


def test_a_weapon_of_ones_own_is_meant_by_its_name_whatever_the_tables_call_so() -> None:
    made = at_table(Lope={"weapons": [OWN]}, Moro={"weapons": ["espada"]})
    tag = "[action: attack | target: Moro | weapon: sword]"
    assert heard(made, tag).get("weapon") == "sword"
    assert heard(made, tag, "Moro").get("weapon") == "espada"
    # The thing of the tables can still be named, and the tag that is suggested says it.
    mine = Declaration("Lope", Kind.ACTION, "draw", {"weapon": "espada"})
    assert heard(made, spell(mine, made, "en")).fields == mine.fields


def test_a_weapon_of_somebody_elses_own_is_meant_where_one_has_nothing_of_that_name() -> None:
    made = at_table(Lope={"weapons": [OWN]}, Moro={"weapons": ["hacha"]})
    assert heard(made, "[action: draw | weapon: sword]", "Moro").get("weapon") == "sword"


def test_a_name_that_is_nobodys_word_stays_as_typed() -> None:
    made = at_table(Lope={"weapons": [{**OWN, "name": "Tizona"}]}, Moro={})
    assert heard(made, "[action: draw | weapon: Tizona]").get("weapon") == "Tizona"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        # Changed in part, it is the weapon of the table.
        ({"name": "sword", "damage": "1D10"}, "espada"),
        # Written out, it is one of its own.
        (OWN, "sword"),
    ],
)
def test_a_sheet_may_change_a_weapon_of_the_table_by_its_word(written: Any, read: str) -> None:
    tables = ruleset("aquelarre").read_tables(Data().tables("aquelarre"))
    given_ = Setup((CharacterSetup("Lope", "a", sheet={"weapons": [written]}),))
    found = in_ids(
        given_, lambda one: refusals("aquelarre", tables, one), glossary("aquelarre", "en")
    )
    assert found.problems == ()
    assert found.setup.cast[0].sheet["weapons"][0]["name"] == read


def test_a_correction_takes_things_by_their_words() -> None:
    made = vocabulary("aquelarre", "en")
    speakers = Speakers(cast=("Lope",), is_gm=True)
    (raw,) = find_tags("[referee: correct | Lope | donning: mail coat: 2 | broken: +sword]", made)
    read: Any = read_tag(raw, made, speakers)
    assert read.pairs == (("donning", "cota de malla: 2"), ("broken", "+espada"))


@pytest.mark.parametrize(
    ("game", "lang", "written", "pair"),
    [
        ("aquelarre", "es", "luz: penumbra", ("light", "dim")),
        ("aquelarre", "en", "concealed by: wall: right leg", ("concealed", "wall: right_leg")),
        ("aquelarre", "es", "secuelas: +cicatriz", ("sequelae", "+scar")),
        ("anima", "es", "postura: a la ofensiva", ("stance", "offensive")),
        ("anima", "en", "weapon in hand: no weapon", ("weapon_in_hand", "none")),
        ("ars_magica", "es", "luz: noche", ("light", "night")),
        ("ars_magica", "es", "escudo: broquel", ("shield", "buckler")),
        ("hielo_y_fuego", "en", "in hand: +bastard sword", ("in_hand", "+espada bastarda")),
    ],
)
def test_a_correction_takes_what_a_state_holds_in_the_words_of_the_thread(
    game: str, lang: str, written: str, pair: tuple[str, str]
) -> None:
    made = vocabulary(game, lang)
    (raw,) = find_tags(f"[referee: correct | Lope | {written}]", made)
    read: Any = read_tag(raw, made, Speakers(cast=("Lope",), is_gm=True))
    assert read.pairs == (pair,)


def test_a_row_that_a_game_master_adds_gets_its_words_in_the_terms(tmp_path: Path) -> None:
    row = "{skill: swords, base: dexterity, size: medium, min_strength: 8, damage: 1D8, type: edge,"
    row += (
        " hands: 1, range: '', reload: 0, initiative: 0, hook: false, natural: false, aliases: []}"
    )
    own = {
        "tables/aquelarre/weapons.yaml": f"falcata: {row}",
        "en/terms/aquelarre.yaml": "weapon: {falcata: {say: Iberian sword, noun: v}}",
    }
    for name, text in own.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    data = Data(tmp_path)
    made = vocabulary_of_game(data, ruleset("aquelarre"), "en")
    assert data.check() == ()
    assert "falcata" in ruleset("aquelarre").read_tables(data.tables("aquelarre")).weapons
    assert heard(made, "[action: draw | weapon: Iberian sword]").get("weapon") == "falcata"
    assert Bank.of({}, [data.terms("en", "aquelarre")]).grammar.nouns["weapon"]["falcata"] == (
        "v", "Iberian sword",
    )  # fmt: skip
