"""The words of every game, as its terms files have them: each is read as what it says."""

import pytest

from referee.tags import Speakers, Vocabulary
from rulesets.core.declarations import Kind
from tests.tags.speaking import LANGUAGES, TEMPLATES, Ear, load

registry = pytest.importorskip("rulesets.registry", reason="no game has been registered yet")
GM = Speakers(cast=("Lope",), is_gm=True)


def vocabulary_of(ruleset, *languages):
    terms = {
        lang: [load(TEMPLATES / lang / "terms" / f"{name}.yaml") for name in ("common", ruleset.id)]
        for lang in languages
    }
    return Vocabulary.of(ruleset.actions, ruleset.orders, ruleset.commands, terms)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("ruleset", registry.RULESETS, ids=lambda ruleset: ruleset.id)
def test_no_word_of_a_game_means_two_things(ruleset, lang):
    assert vocabulary_of(ruleset, lang).clashes == ()


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("ruleset", registry.RULESETS, ids=lambda ruleset: ruleset.id)
def test_every_word_that_is_printed_is_read_back(ruleset, lang):
    made = vocabulary_of(ruleset, lang, *LANGUAGES)
    ear = Ear(made)
    for kind, rows in made.rows.items():
        keyword = made.keywords.say(kind.value, lang)
        name = "" if kind is Kind.COMMAND else " Lope"
        for verb in rows.values():
            said = made.verbs[kind].say(verb.id, lang)
            assert said in made.verbs[kind].said[lang].values(), f"{verb.id} has no word of its own"
            assert ear.one(f"[{keyword}{name}: {said}]", GM).verb == verb.id
            for field in verb.fields:
                word = made.fields.say(field, lang, verb.fields)
                assert word in made.fields.said[lang].values(), f"{field} of {verb.id}"
            for flag in verb.flags:
                assert made.flags.say(flag, lang, verb.flags) in made.flags.said[lang].values()
