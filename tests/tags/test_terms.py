"""The common terms of every language, as data."""

import pytest

from referee.tags.commands import COMMANDS, FINAL_FLAG, REQUESTS, ROLL_FIELDS
from referee.tags.text import key
from referee.tags.vocabulary import KEYWORDS, TIMINGS, Vocabulary, Words
from rulesets.core.ruleset import Verb
from tests.tags.speaking import LANGUAGES, TEMPLATES, load, vocabulary_of

COMMON = {lang: load(TEMPLATES / lang / "terms" / "common.yaml") for lang in LANGUAGES}
FIELDS = {name for row in COMMANDS.values() for name in row.verb.fields} | set(ROLL_FIELDS)
NEEDED = {
    "keyword": set(KEYWORDS),
    "timing": set(TIMINGS),
    "request": set(REQUESTS),
    "command": set(COMMANDS),
    "field": FIELDS | {"state"},
    "flag": {FINAL_FLAG},
}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("category", NEEDED)
def test_every_shared_id_has_its_word_and_no_word_is_an_orphan(category, lang):
    assert set(COMMON[lang][category]) == NEEDED[category]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_entry_says_something_and_lists_no_spelling_twice(lang):
    for category in COMMON[lang].values():
        for entry in category.values():
            assert set(entry) <= {"say", "accept"}
            words = [entry["say"], *entry.get("accept", ())]
            assert all(isinstance(word, str) and word for word in words)
            assert len({key(word) for word in words}) == len(words), words


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_common_word_means_two_things_in_its_category(lang):
    common = Vocabulary.of({}, {}, {}, {lang: [COMMON[lang]]})
    assert common.clashes == ()
    for row in COMMANDS.values():
        for name in row.verb.fields:
            assert common.fields.one(key(COMMON[lang]["field"][name]["say"]), row.verb.fields)


def test_the_keywords_of_the_format_page_are_understood_in_either_language():
    words = {
        "action": ["acción", "accion", "acc", "action"],
        "standing": ["reacción", "reaccion", "reaction"],
        "roll": ["tirada", "roll"],
        "command": ["árbitro", "arbitro", "referee", "gm", "dj"],
    }
    for languages in (("es", "en"), ("en", "es"), ("es",)):
        keywords = vocabulary_of(*languages).keywords
        for name, spellings in words.items():
            assert {keywords.one(key(word)) for word in spellings} == {name}


def test_two_words_of_a_terms_file_that_clash_are_named():
    terms = {"action": {"a": {"say": "golpe"}, "b": {"say": "tajo", "accept": ["Gólpe"]}}}
    rows = {name: Verb(name, (), "T-1") for name in "ab"}
    assert Vocabulary.of(rows, {}, {}, {"es": [terms]}).clashes == ("verb.action: golpe",)


def test_a_word_is_said_only_where_it_is_understood_as_the_same_thing():
    words = Words.of(
        None, {"es": [{"hit": {"say": "golpe", "accept": ["golpear"]}, "cut": {"say": "golpe"}}]}
    )
    assert words.say("hit", "es") == "golpear"
    assert words.say("cut", "es") == "cut"
    assert words.one("cut") == "cut"


def test_a_language_without_a_word_borrows_it_from_another():
    words = Words.of(None, {"en": [{}], "es": [{"hit": {"say": "golpe"}}]})
    assert words.say("hit", "en") == "golpe"


def test_a_verb_of_the_game_that_is_a_shared_word_is_named():
    terms = [
        COMMON["es"],
        {"action": {"aid": {"say": "ayuda"}}, "command": {"shut": {"say": "cierra"}}},
    ]
    aid, shut = Verb("aid", (), "T-1"), Verb("shut", (), "T-1")
    found = Vocabulary.of({"aid": aid}, {}, {"shut": shut}, {"es": terms}).clashes
    assert found == ("verb.action: ayuda", "verb.command: cierra")
