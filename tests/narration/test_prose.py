"""Prose from events: everything can be told, nothing that did not happen is."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from referee import scenarios
from referee.data import Data
from referee.narration.bank import Bank
from referee.narration.prose import facts_of, stride
from referee.narration.stories import Game
from rulesets.aquelarre import events as aq
from rulesets.aquelarre.actions import ACTIONS
from rulesets.aquelarre.words import WORDS
from rulesets.core.events import Event
from tests.narration.telling import (
    BEFORE,
    DIALECTS,
    GAME,
    LANGUAGES,
    MARK,
    REPORT,
    ROUND,
    attack,
    damage,
    defence,
    fighter,
    narrator,
    report,
)

RESULTS = ("success", "failure", "critical", "fumble")
ATTACKS = tuple(
    dict.fromkeys(
        (*WORDS["attack"], *(name for name, row in ACTIONS.items() if "attack" in row.klass.value
                             and name not in ("squeeze", "release", "grapple", "attack")))
    )
)  # fmt: skip
MOVES = (
    "walk", "run", "crawl", "swim", "jump", "climb", "close_in", "stand_up", "step", "charge",
    "mounted_charge", "weave",
)  # fmt: skip
ARMS = ("espada", "pelea", "arco corto", "ballesta", "honda", "lanza", "Tizona", "")
# What a field of an event can hold, as far as words depend on it.
VALUES: dict[tuple[str, str], tuple[Any, ...]] = {
    ("attack", "kind"): ATTACKS,
    ("attack", "weapon"): ARMS,
    ("attack", "weapon_2"): ("daga",),
    ("attack", "target"): ("Iria", ("Iria", "Ignotus")),
    ("defence", "kind"): WORDS["defence"],
    ("defence", "weapon"): ("espada", "pelea", ""),
    ("damage", "location"): (*WORDS["location"], ""),
    ("damage", "amount"): (0, 1, 4, 9),
    ("damage", "absorbed"): (0, 3),
    ("wound", "level"): WORDS["level"],
    ("condition", "condition"): WORDS["condition"],
    ("condition", "change"): ("gained", "lost"),
    ("condition", "other"): ("", "Iria"),
    ("condition", "minutes"): (0, 30),
    ("movement", "kind"): MOVES,
    ("movement", "varas"): (0, 1, 6),
    ("opposed", "kind"): WORDS["opposed"],
    ("check", "kind"): WORDS["check"],
    ("lost_action", "reason"): WORDS["reason"],
    ("lost_action", "action"): ("attack", "walk"),
    ("object_hit", "object"): ("shield", "muro bajo", "Iria", "Parapeto"),
    ("sequela", "effect"): WORDS["effect"],
    ("sequela", "loss"): (0, 1),
    ("prepare", "bonus"): (0, 10),
    ("reload", "left"): (0, 1, 2),
    ("don_armour", "left"): (0, 1, 2),
    ("ruling_needed", "topic"): WORDS["topic"],
    ("combat_end", "reason"): WORDS["ending"],
    ("correction", "before"): (11, ("prone",), "", True),
    ("correction", "after"): (14, (), "day", False),
    ("correction", "actor"): ("Lope", ""),
}  # fmt: skip
QUIET = {"initiative", "declaration_order", "action_order", "round", "modifier"}


def every_event() -> Iterator[Event]:
    """Each event class with every value that the words can depend on."""
    for type_, class_ in aq.EVENTS.items():
        names = [f.name for f in fields(class_)]
        choices: dict[str, tuple[Any, ...]] = {"actor": ("Lope",)}
        for name in names:
            if name == "result":
                choices[name] = RESULTS
            elif name in {"target", "against"}:
                choices[name] = ("Iria",)
            elif name in {"face", "target_face"}:
                choices[name] = (31,)
            elif name in {"weapon", "armour", "item", "object"}:
                choices[name] = ("espada",)
            elif name in {"location", "characteristic", "field", "roll"}:
                choices[name] = {"location": ("chest",), "characteristic": ("strength",),
                                 "field": ("hp", "conditions"), "roll": ()}[name]  # fmt: skip
            if (type_, name) in VALUES:
                choices[name] = VALUES[type_, name]
        choices = {name: some for name, some in choices.items() if some}
        for values in product(*choices.values()):
            yield class_(**dict(zip(choices, values, strict=True)))


EVENTS = tuple(every_event())


def prose(events: tuple[Event, ...], lang: str = "es", round_: int = 1, game: Game = GAME) -> str:
    """The words about events, without tables and dice."""
    story = replace(
        REPORT, game=game, round=round_, events=events, rolls=(), before=BEFORE, after=(),
        receipts=(), troubles=(), defaulted=(), missed=(), rulings=(), notes=(), evidence="",
    )  # fmt: skip
    return report(story, lang).split("\n\n", 1)[1].removesuffix(f"\n\n{MARK}")


def bare(text: str) -> str:
    """Prose without its figures."""
    return re.sub(r" \([^()]*\)", "", text)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_event_of_the_game_can_be_told(lang: str):
    teller = narrator(lang)
    for event in EVENTS:
        text = prose((event,), lang)
        assert teller.problems() == (), event
        assert "{" not in text, event
        assert "  " not in text, event
        assert not re.search(r" [,.;:]|\(\)|\.\.(?!\.)|[,;:]\.", text), (event, text)
        words = bare(text)
        if event.type not in QUIET:
            assert event.type not in words.split("."), (event, text)
            assert words[:1].isupper() or words[:1] in "«¿", (event, text)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_event_falls_back_to_the_name_of_its_type(lang: str):
    bank = narrator(lang).bank
    for event in EVENTS:
        (facts,) = facts_of((event,), BEFORE, bank)
        told = any(
            wanted.fits(facts)
            for entry in bank.clauses.get(event.type, ())
            for wanted in entry.on[:1]
            if len([one for one in entry.on if not one.optional]) == 1
        )
        assert told or event.type in bank.quiet, event


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_scenario_can_be_told(lang: str):
    """The worked rounds of the catalogue, as the ruleset plays them."""
    teller = narrator(lang)
    path = Path(__file__).parents[1] / "scenarios" / "aquelarre.yaml"
    told = 0
    for result in scenarios.run_file(path):
        for played in result.rounds:
            events = tuple(event_of(data) for data in played.happened)
            names = {event.actor: "n" for event in events if event.actor}
            text = prose(events, lang, played.number, replace(GAME, id=result.id, genders=names))
            assert teller.problems() == ()
            assert not re.search(r"\b[a-z]+_[a-z]+\b", text), (result.id, text)
            told += 1
    assert told > 100


def event_of(data: Any) -> Event:
    values = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in data.items()
        if key != "type"
    }
    return aq.EVENTS[data["type"]](**values)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_bank_is_whole(lang: str):
    bank = Bank.of(Data().phrases(lang, "aquelarre"))
    assert bank.problems == ()
    fields_of_events = {f.name for class_ in aq.EVENTS.values() for f in fields(class_)}
    assert set(bank.fields) <= fields_of_events
    for section in (bank.openers, bank.clauses, bank.figures):
        assert set(section) <= set(aq.EVENTS)


def test_both_languages_tell_the_same_events():
    spanish, english = (Bank.of(Data().phrases(lang, "aquelarre")) for lang in LANGUAGES)
    for section in ("openers", "clauses", "figures"):
        ours, theirs = getattr(spanish, section), getattr(english, section)
        assert shapes(ours) == shapes(theirs)
    assert (spanish.heads, spanish.quiet, spanish.weights, spanish.fields) == (
        english.heads, english.quiet, english.weights, english.fields,
    )  # fmt: skip


def shapes(section: Any) -> dict[str, Any]:
    return {
        entry.id: (entry.on, entry.joins, entry.priority)
        for entries in section.values()
        for entry in entries
    }


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_entry_can_begin_a_sentence_where_nothing_goes_before(lang: str):
    """Only what an opener goes before may have nothing but continuations."""
    bank = narrator(lang).bank
    for type_, entries in bank.clauses.items():
        for entry in entries:
            if type_ != "attack" and entry.say != ("",):
                assert any(phrase[:1] not in ",;:. " for phrase in entry.say), entry.id


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_phrase_stands_twice_in_an_entry(lang: str):
    for section in (narrator(lang).bank.openers, narrator(lang).bank.clauses):
        for entries in section.values():
            for entry in entries:
                assert len(set(entry.say)) == len(entry.say), entry.id


# ------------------------------------------------------------------ what may be said


BLOOD = re.compile(r"sangr|herid|hiere|carne viva|\bblood|\bwound", re.IGNORECASE)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_there_is_no_blood_where_there_was_no_damage(lang: str):
    harmless = [
        (attack("Lope", "Iria", kind, result="failure", weapon=weapon),)
        for kind, weapon in product(ATTACKS, ARMS)
    ]
    harmless += [
        (attack("Lope", "Iria"), defence("Iria", "Lope", kind, result=result))
        for kind, result in product(("parry", "shield_parry", "dodge"), ("success", "critical"))
    ]
    harmless += [
        (attack("Lope", "Iria"), damage("Lope", "Iria", amount=0, rolled=3, absorbed=3)),
        (attack("Lope", "Iria"), damage("Lope", "Iria", amount=0, rolled=0)),
    ]
    for events in harmless:
        for round_ in range(12):
            text = prose(events, lang, round_)
            assert not BLOOD.search(text), text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_weapon_is_named_that_is_not_in_the_events(lang: str):
    """A phrase that every weapon can take names no weapon itself."""
    nouns = narrator(lang).bank.grammar.nouns["weapon"]
    words = {said or name for name, (_, said) in nouns.items()}
    words -= {"escudo", "shield"}  # they have a test of their own
    articles = "el|la|un|una|su|de|the|a|an|his|her|their"
    named = re.compile(rf"\b(?:{articles}) ({'|'.join(map(re.escape, words))})\b", re.IGNORECASE)
    own = {"clauses.lost_no_charge", "openers.sling"}  # only a spear is set, a sling casts stones
    for id_, phrase in narrator(lang).bank.phrases():
        literal = re.sub(r"\{\{.*?\}\}", "", phrase)
        assert id_ in own or not named.search(literal), (id_, phrase)


def test_the_shield_is_only_spoken_of_where_there_is_one():
    bank = narrator("es").bank
    for section in (bank.openers, bank.clauses):
        for entry in (entry for entries in section.values() for entry in entries):
            if any("escudo" in phrase for phrase in entry.say):
                assert re.search(r"shield|full_guard|object_hit", repr(entry.on)), entry.id


def test_a_critical_hit_does_not_pass_armour_by_that_held():
    events = (
        attack("Lope", "Iria", result="critical"),
        damage("Lope", "Iria", amount=3, rolled=8, dealt=8, absorbed=5, critical=True),
    )
    assert "No hay armadura" not in "".join(prose(events, round_=n) for n in range(20))


# ------------------------------------------------------------------ how it reads


def test_one_attack_is_one_sentence_with_its_figures_at_the_end():
    text = prose((attack("Lope", "Ignotus"), defence("Ignotus", "Lope", "shield_parry")))
    assert text.count(". ") == 0
    assert re.fullmatch(r".*\(Lope: 31 ≤ 40; Ignotus: 44 ≤ 60\)\.", text)


def test_each_actor_has_a_paragraph_and_the_end_of_the_round_one_for_all():
    text = prose(ROUND)
    paragraphs = text.split("\n\n")
    assert len(paragraphs) == 7
    assert "Bandido 1" in paragraphs[-1]
    assert "Lope" in paragraphs[-1]


def test_what_contradicts_the_dice_says_so():
    sure = attack("Lope", "Iria", result="failure", face=97, limit=120)
    assert "97 ≤ 120, fallo seguro" in prose((sure,))


def test_words_agree_with_whoever_they_are_said_of():
    events = (aq.Wound(actor="Iria", level="badly_wounded"),)
    feminine = "".join(prose(events, round_=n) for n in range(12))
    masculine = "".join(
        prose(events, round_=n, game=replace(GAME, genders={"Iria": "m"})) for n in range(12)
    )
    assert "malherida" in feminine
    assert "malherido" not in feminine
    assert "malherido" in masculine
    assert "malherida" not in masculine


def test_english_pronouns_follow_the_gender():
    events = (attack("Iria", "Lope"), damage("Iria", "Lope"))

    def told(gender: str) -> str:
        genders = {"Iria": gender, "Lope": gender}
        return "".join(prose(events, "en", n, replace(GAME, genders=genders)) for n in range(14))

    assert re.search(r"\bher\b", told("f"))
    assert not re.search(r"\b(his|him|their|them)\b", told("f"))
    assert re.search(r"\b(his|him)\b", told("m"))
    assert not re.search(r"\b(her|their|them)\b", told("m"))
    assert re.search(r"\b(their|them)\b", told("n"))
    assert not re.search(r"\b(his|him|her)\b", told("n"))


def test_y_becomes_e_before_the_sound_of_i():
    events = (attack("Lope", "Ignotus"), defence("Ignotus", "Lope", "dodge", weapon=""))
    text = " ".join(prose(events, round_=n) for n in range(14))
    assert "e Ignotus" in text
    assert not re.search(r"\by Ignotus", text)


@pytest.mark.parametrize(
    ("weapon", "words"),
    [
        ("espada", "la espada"),
        ("hacha de mano", "el hacha de mano"),
        ("espada de Toledo", "la espada de Toledo"),
        ("garrucha", "la garrucha"),
        ("Tizona", "su Tizona"),
    ],
)
def test_a_weapon_has_its_article(weapon: str, words: str):
    events = (aq.Draw(actor="Lope", weapon=weapon),)
    text = " ".join(prose(events, round_=n) for n in range(6))
    assert words in text
    assert f"un {weapon}" not in text
    assert " de el " not in text
    assert " a el " not in text


def test_the_same_round_reads_the_same_again():
    assert [prose(ROUND, lang) for lang in LANGUAGES] == [prose(ROUND, lang) for lang in LANGUAGES]


def test_another_fight_is_told_with_other_phrases():
    texts = {prose(ROUND, game=replace(GAME, id=f"fight.{n}")) for n in range(5)}
    assert len(texts) == 5


def test_the_dialect_changes_no_word():
    words = {
        re.sub(r"\s+", " ", re.sub(r"[\[<][^\]>]*[\]>]", "", report(dialect=dialect)))
        for dialect in DIALECTS
        if dialect != "markdown"
    }
    first = {text.split("Personaje")[0].split("sigue")[0][40:400] for text in words}
    assert len(first) <= 3


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("fight", ["burgos", "toledo", "sevilla"])
def test_a_fight_of_ten_rounds_repeats_no_sentence(lang: str, fight: str):
    """Two against two, two attacks each and round: hits, misses, parries, dodges."""
    outcomes = (
        lambda a, t: (attack(a, t, result="failure"),),
        lambda a, t: (attack(a, t), damage(a, t, amount=4)),
        lambda a, t: (attack(a, t), defence(t, a)),
        lambda a, t: (attack(a, t), defence(t, a, "dodge", weapon="")),
        lambda a, t: (attack(a, t), damage(a, t, amount=1)),
        lambda a, t: (attack(a, t), defence(t, a, "shield_parry", weapon="")),
    )
    pairs = (("Lope", "Bandido 1"), ("Bandido 1", "Lope"), ("Iria", "Bandido 2"),
             ("Bandido 2", "Iria"))  # fmt: skip
    seen: Counter[str] = Counter()
    for round_ in range(1, 11):
        events: list[Event] = []
        for number, (actor, target) in enumerate(pairs):
            for blow in (0, 1):
                outcome = outcomes[(round_ * 2 + number * 3 + blow * 5) % len(outcomes)]
                events += outcome(actor, target)
        text = bare(prose(tuple(events), lang, round_, replace(GAME, id=fight)))
        sentences = [s for s in re.split(r"(?<=\.)\s+", text) if len(s.split()) > 7]
        assert len(set(sentences)) == len(sentences)
        seen.update(set(sentences))
    assert [sentence for sentence, count in seen.items() if count > 1] == []


@pytest.mark.parametrize("size", range(1, 40))
def test_rounds_begin_at_every_phrase_before_one_comes_back(size: int):
    begun = [stride(size) * round_ % size for round_ in range(size)]
    assert sorted(begun) == list(range(size))


def test_a_blow_weighs_by_the_health_it_takes():
    roster = (fighter("Iria", 15),)
    bank = narrator("es").bank
    weights = [
        facts_of((damage("Lope", "Iria", amount=amount),), roster, bank)[0]["weight"]
        for amount in (1, 2, 3, 7, 8, 40)
    ]
    assert weights == ["light", "light", "solid", "solid", "grave", "grave"]
