"""A thread is in one language: no word of the other for what stands in the tables, and no id."""

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from referee.narration.reference import reference
from referee.narration.stories import Answer, Game, RoundReport, Status, Trouble, not_allowed
from referee.scenarios import builtin_bench, setup_of
from referee.tags import spell
from referee.tags.text import key
from referee.words import plain_narrator
from rulesets.core.questions import Rejection
from rulesets.registry import ruleset
from tests.referee.harness import Mesa
from tests.rulesets.playing import scenario_file
from tests.rulesets.test_contract import played
from tests.rulesets.things import GAMES, LANGUAGES, kinds, terms, things, vocabulary

UNDERSCORE = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
every_game = pytest.mark.parametrize("game", GAMES)
every_language = pytest.mark.parametrize("lang", LANGUAGES)


@lru_cache(maxsize=16)
def foreign(game: str, lang: str) -> re.Pattern[str]:
    """The other language's words for rows of the tables; most Spanish ones are ids."""

    def words(spoken: str) -> set[str]:
        found = [entry for kind in kinds(game) for entry in terms(game, spoken, kind).values()]
        return {word for entry in found for word in (entry["say"], *entry.get("accept", ()))}

    own = set(map(key, words(lang)))
    other = next(spoken for spoken in LANGUAGES if spoken != lang)
    ours = sorted((word for word in words(other) if key(word) not in own), key=len, reverse=True)
    assert len(ours) > 20
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, ours))})\b", re.IGNORECASE)


def leaks(game: str, lang: str, text: str, names: tuple[str, ...] = ()) -> list[str]:
    """What should not stand in a post of a language; names of the cast may."""
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, "")
    text = re.sub(r"PBW-EVIDENCE.*?^\s*sum .*?$", "", text, flags=re.DOTALL | re.MULTILINE)
    return foreign(game, lang).findall(text) + UNDERSCORE.findall(text)


def own_words(setup: Any) -> tuple[str, ...]:
    """Names of a setup: of the cast and of what sheets and scene define."""

    def texts(value: Any) -> Any:
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            for name, inner in value.items():
                yield str(name)
                yield from texts(inner)
        elif isinstance(value, (list, tuple)):
            for inner in value:
                yield from texts(inner)

    said = {word for who in setup.cast for word in texts(dict(who.sheet))}
    said |= set(texts(dict(setup.scene)))
    return (*(who.name for who in setup.cast), *said)


@every_game
@every_language
def test_the_players_sheet_is_in_one_language(game: str, lang: str) -> None:
    made, words = vocabulary(game, lang), plain_narrator(lang, game).words
    rows = ruleset(game)
    for topic in ("", *rows.actions, *rows.orders, "commands", "roll"):
        assert leaks(game, lang, reference(rows, made, words, topic)) == [], topic


@every_game
@every_language
def test_every_scenario_is_told_in_one_language(game: str, lang: str) -> None:
    bench, narrator = builtin_bench(game), plain_narrator(lang, game)
    told = Game("one.1", game, {})
    found: dict[str, list[str]] = {}
    for scenario in scenario_file(game).scenarios:
        setup = setup_of(scenario)
        rows = {name for _, _, _, name in things()}
        names = tuple(word for word in own_words(setup) if word not in rows)
        before = bench.game.roster(bench.game.new_fight(setup, bench.tables))
        for number, (opened, outcome) in enumerate(played(bench, scenario, setup), 1):
            at_open = bench.game.roster(opened.fight)
            status = Status(
                told, number, "declaring", events=opened.events, roster=at_open, rolls=opened.rolls
            )
            report = RoundReport(
                told,
                number,
                events=outcome.events,
                before=before,
                after=bench.game.roster(outcome.fight),
                rolls=outcome.rolls,
                troubles=tuple(refused(game, lang, one) for one in outcome.rejections),
            )
            before = report.after
            posts = [narrator.status(status, "m")]
            posts += [text for _, text in narrator.round_report(report, "m")]
            for text in posts:
                if leaked := leaks(game, lang, text, names):
                    found.setdefault(scenario.id, []).extend(leaked)
    assert found == {}


def refused(game: str, lang: str, rejection: Rejection) -> Trouble:
    """A refusal as a post tells it, without the words that its player wrote."""
    made = vocabulary(game, lang)
    cure = "" if rejection.cure is None else spell(rejection.cure, made, lang)
    trouble = not_allowed(rejection, cure)
    return Trouble(trouble.code, "", trouble.facts, trouble.cure, refused=True)


SHEETS = {
    "aquelarre": (
        "{weapons: [sword, longbow], shield: wooden shield, armour: [helmet]}",
        "{weapons: [battle axe]}",
    ),
    "anima": (
        "{hp: 90, attack: 90, parry: 60, turn: 40, armour: mail, weapons: {long sword: {}}}",
        "{hp: 90, attack: 90, parry: 60, turn: 20, armour: hide, weapons: {war axe: {}}}",
    ),
    "ars_magica": (
        "{weapons: [long sword], shield: round shield, armor: chain mail, helmet: iron cap}",
        "{weapons: [axe]}",
    ),
    "hielo_y_fuego": (
        "{weapons: [sword, left-hand dagger], armor: mail}",
        "{weapons: [battleaxe], armor: hide}",
    ),
}
CONFIG = """
language: en
timezone: Europe/London
database: sqlite:///var/referee.db
sites:
  mesa: {{adapter: folder, base_url: hilos, username: Árbitro}}
threads:
  molino:
    site: mesa
    topic: molino
    ruleset: {game}
    gm: narradora
    policies: {{hold_back: 0s, deadline: 48h, questions: default}}
    cast:
      Lope: {{player: lucia, gender: m, sheet: {own}}}
      Bandit: {{npc: true, count: 2, gender: m, sheet: {foe}}}
"""
ATTACK = {
    "aquelarre": ("sword", "battle axe"),
    "anima": ("long sword", "war axe"),
    "ars_magica": ("long sword", "axe"),
    "hielo_y_fuego": ("sword", "battleaxe"),
}


@every_game
def test_a_round_is_declared_and_played_in_english(game: str, tmp_path: Path) -> None:
    mesa = Mesa(tmp_path, language="en")
    own, foe = SHEETS[game]
    mesa.config.write_text(CONFIG.format(game=game, own=own, foe=foe), encoding="utf-8")
    mesa.serve()
    mesa.post("narradora", "[referee: start]")
    mesa.serve()
    mine, theirs = ATTACK[game]
    mesa.post("lucia", f"[action: attack | target: Bandit 1 | weapon: {mine}] [action: help]")
    # One that nobody has: the refusal lists what there is.
    mesa.post("lucia", f"[action: attack | target: Bandit 1 | weapon: {mine}, net and all]")
    mesa.serve()
    mesa.post("lucia", f"[action: attack | target: Bandit 1 | weapon: {mine}]")
    mesa.post(
        "narradora",
        f"[action Bandit 1: attack | target: Lope | weapon: {theirs}] "
        f"[action Bandit 2: attack | target: Lope | weapon: {theirs}]",
    )
    mesa.serve(2)
    posts = mesa.own_posts()
    assert len(mesa.rounds()) == 2, posts[-1]
    struck = [e for e in mesa.events(0) if e.get("actor") == "Lope" and e.get("weapon")]
    assert struck, mesa.events(0)
    everything = "\n".join(posts)
    assert mine in everything
    assert leaks(game, "en", everything) == []


def test_a_refusal_of_a_tag_lists_words_not_ids() -> None:
    narrator = plain_narrator("en", "aquelarre")
    facts = {"actor": "Lope", "given": "lanza", "candidates": ("espada", "rodela", "Tizona")}
    story = Answer(
        Game("g", "aquelarre", {}), troubles=(Trouble("unknown_weapon", "", facts, refused=True),)
    )
    text = narrator.answer(story, "m")
    assert "Lope has no “spear”. Possible here: sword, round shield, and Tizona." in text


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        (
            {"field": "light", "before": "day", "after": "dim"},
            "corrects the scene: light, daylight → dim light.",
        ),
        (
            {"field": "sheathed", "before": (), "after": ("espada", "Tizona"), "actor": "Lope"},
            "corrects Lope: sheathed, nothing → sword and Tizona.",
        ),
        (
            {"field": "donning", "before": {"yelmo": 1}, "after": {}, "actor": "Lope"},
            "corrects Lope: rounds to put armour on, helmet: 1 → nothing.",
        ),
        (
            {
                "field": "concealed",
                "before": {},
                "after": {"object": "muro", "protects": ["right_leg"]},
                "actor": "Lope",
            },
            "corrects Lope: concealed by, nothing → object: muro and protects: right leg.",
        ),
        (
            {"field": "held_by", "before": "", "after": "Moro", "actor": "Lope"},
            "corrects Lope: held by, nothing → Moro.",
        ),
    ],
)
def test_a_correction_is_told_in_words(facts: dict[str, Any], told: str) -> None:
    narrator = plain_narrator("en", "aquelarre")
    said = narrator.sentence("corrected", facts, Game("g", "aquelarre", {"Lope": "m"}))
    assert said == f"The game master {told}"
