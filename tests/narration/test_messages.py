"""Every code has its words in every language, and no words are left without a code."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import pytest

from referee.beacons import CURES as BEACON_CURES
from referee.data import Data
from referee.evidence.reader import FAULTS
from referee.evidence.verify import CODES
from referee.narration.stories import Trouble, not_allowed, not_understood
from referee.narration.voice import NO_GAME
from referee.settings import Missing
from referee.tags import FreeRoll, Speakers, TagProblem, find_tags, read_tag
from referee.tags.problems import PROBLEM_CODES, PROBLEMS
from rulesets.core.declarations import Declaration, Kind
from rulesets.core.questions import Rejection
from rulesets.registry import RULESETS
from tests.narration.telling import LANGUAGES, narrator, vocabulary

ROOT = Path(__file__).parents[2]
MISSING = get_args(Missing)
# Codes that the shell gives itself, beside those of the game: see telling.py.
SHELL_REFUSALS = {"order_passed", "letter_unread", "letter_refused"}


def messages(lang: str) -> Mapping[str, Any]:
    return Data().messages(lang)


def literals(*folders: str) -> set[str]:
    """Every string that stands in the code."""
    found: set[str] = set()
    for folder in folders:
        for path in (ROOT / folder).glob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found.update(
                node.value
                for node in ast.walk(tree)
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            )
    return found


def keywords(folder: str, name: str) -> set[str]:
    """String values of a keyword argument, wherever it is given in the code of a folder."""
    found: set[str] = set()
    for path in (ROOT / folder).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == name:
                found.update(
                    part.value
                    for part in ast.walk(node.value)
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                )
    return {word for word in found if word.isidentifier()}


def noted(*folders: str) -> set[str]:
    """Codes of the notes and facts that the shell makes."""
    found: set[str] = set()
    for folder in folders:
        for path in (ROOT / folder).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Name)
                    and node.func.id in {"Note", "Fact"}
                    and node.args
                    and isinstance(node.args[0], ast.Constant)
                ):
                    found.add(str(node.args[0].value))
    return found


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_problem_of_a_tag_has_words(lang: str):
    assert set(messages(lang)["tag"]) == set(PROBLEM_CODES)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_refusal_has_words(lang: str):
    games = {code for game in RULESETS for code in game.words["code"]}
    assert set(messages(lang)["refusal"]) == games | SHELL_REFUSALS


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_ruling_and_question_has_words(lang: str):
    assert set(messages(lang)["ruling"]) == {t for game in RULESETS for t in game.words["topic"]}
    assert set(messages(lang)["question"]) == {
        question for game in RULESETS for question in game.words["question"]
    }


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_cure_of_an_adapter_has_words(lang: str):
    assert set(messages(lang)["cure"]) == keywords("adapters", "cure") | set(BEACON_CURES)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_finding_about_evidence_has_words(lang: str):
    assert set(messages(lang)["verify"]) == set(CODES) | set(FAULTS)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_note_of_the_shell_has_words(lang: str):
    known = messages(lang)
    codes = noted("referee")
    spoken = {*known["note"], *known["policy"], *known["refusal"]}
    assert codes <= spoken
    said = literals("referee")
    assert {code for code in known["note"] if code not in said and not amended(code)} == set()


def amended(code: str) -> bool:
    """Notes about amendments are named after their kind: ``amended_modified``."""
    return code.removeprefix("amended_") in literals("referee")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_way_to_miss_a_round_has_words(lang: str):
    assert set(messages(lang)["missed"]) == set(MISSING)
    assert {f"missing_{policy}" for policy in MISSING} <= set(messages(lang)["policy"])


def test_all_languages_have_the_same_keys():
    first, *others = (set(keys_of(spoken(lang))) for lang in LANGUAGES)
    for other in others:
        assert first == other


def test_all_languages_speak_of_the_same_facts():
    spanish, english = (spoken(lang) for lang in LANGUAGES)
    for path in keys_of(spanish):
        ours, theirs = (names_in(at(tree, path)) for tree in (spanish, english))
        assert ours == theirs or path[0] == "help", path


def spoken(lang: str) -> Mapping[str, Any]:
    """What is said of games; problems of the config have a test of their own."""
    return {
        section: entries
        for section, entries in messages(lang).items()
        if not section.startswith("config")
    }


def keys_of(tree: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            yield from keys_of(value, (*path, str(key)))
    else:
        yield path


def at(tree: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        tree = tree[key]
    return tree


def names_in(sentence: object) -> set[str]:
    """Facts that a sentence uses."""
    names = re.findall(r"\{[{%](.*?)[}%]\}", str(sentence))
    words = {word for name in names for word in re.findall(r"(?<![.'\w])[a-z_]+", name)}
    return words - {"and", "or", "not"}


FACTS: Mapping[str, object] = {
    "rule": "retarget",
    "profile": "foroactivo",
    "missing": "posts.body: div.content",
    "names": ["Lope", "Ximena"],
    "secret": "S1",
    "expression": "1d100",
    "actor": "Iria", "target": "Lope", "holder": "Lope", "leaver": "Lope", "who": "Iria",
    "against": "Lope", "author": "wren", "given": "cosa", "rest": "cosa", "keyword": "acción",
    "verb": "ataque", "candidates": ("uno", "dos", "tres"), "field": "hp", "limit": 4, "least": 2,
    "distance": 6, "left": 2, "own": 12, "other": 15, "target_weapon": "espada", "code": "K3",
    "answer": "sí", "round": 3, "until": "2026-05-12T19:00:00+00:00", "value": 20,
    "roll": "attack", "before": 11, "after": 14, "reason": "porque sí", "words": "[acción: x]",
    "length": "48 h", "final": "listo", "post": "123", "count": 2, "name": "round", "line": 3,
    "detail": "algo", "local": "aquí", "utc": "allí", "number": 2, "severity": 7, "seed": "lock.3",
    "label": "Lope.attack", "record": "roll Lope.attack", "condition": "prone", "action": "attack",
    "beacon": 1000, "chain": "quicknet", "at": "2026-05-12T19:00:00+00:00",
    "expected": "0..10", "problems": ({"path": "a.b", "code": "x", "given": "y", "expected": "z"},),
}  # fmt: skip


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    "section",
    ["tag", "refusal", "note", "policy", "missed", "ending", "ruling", "question", "cure", "verify",
     "template", "state", "rounds", "unit"],
)  # fmt: skip
def test_every_sentence_can_be_said(lang: str, section: str):
    teller = narrator(lang)
    for code in messages(lang)[section]:
        for count in (1, 2):
            said = teller.sentence(code, {**FACTS, "count": count}, NO_GAME, section)
            assert teller.problems() == (), (section, code)
            assert said, (section, code)
            assert "_" not in said, (section, code, said)
            assert "  " not in said, (section, code, said)
            assert not re.search(r"(?<![.\d])\.\.(?![.\d])| [.,;:]|\(\)|«»|“”", said), (
                section,
                code,
                said,
            )


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("section", ["tag", "refusal", "note", "question", "ruling"])
def test_a_sentence_can_be_said_with_the_least_of_facts(lang: str, section: str):
    """A code may come with less than its sentence could use."""
    teller = narrator(lang)
    optional = {"candidates", "reason", "expected"}
    for code in messages(lang)[section]:
        least = {name: value for name, value in FACTS.items() if name not in optional}
        if section == "tag":
            least = {name: FACTS[name] for name in PROBLEMS[code]}
        said = teller.sentence(code, least, NO_GAME, section)
        assert teller.problems() == (), (section, code)
        assert not re.search(r"  | [.,;:]|\(\)|«»|“”|\?\?", said), (section, code, said)


def test_tags_that_sentences_show_can_be_read():
    """A hint that does not parse would send its reader in circles."""
    for lang in LANGUAGES:
        words = vocabulary(lang)
        speakers = Speakers(own=("Lope",), cast=("Lope", "Bandido 1"), is_gm=True)
        shown = re.findall(r"\[[^\[\]{}]*:[^\[\]{}]*\]", str(messages(lang)))
        assert len(shown) > 20
        for text in shown:
            (raw,) = find_tags(text, words)
            reading = read_tag(raw, words, speakers)
            assert not isinstance(reading, TagProblem), (lang, text, reading)
            assert isinstance(reading, FreeRoll) or reading.words == text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_answer_to_a_question_can_be_copied(lang: str):
    words = vocabulary(lang)
    tag = narrator(lang).answer_tag("K3", narrator(lang).option("parry"))
    (raw,) = find_tags(tag, words)
    command: Any = read_tag(raw, words, Speakers(own=("Lope",), cast=("Lope",)))
    assert command.verb == "answer"
    assert command.get("question") == "K3"
    assert command.get("choice") == narrator(lang).option("parry")


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("game", RULESETS, ids=lambda game: game.id)
def test_every_word_that_narration_looks_up_is_there(game: Any, lang: str):
    teller = narrator(lang, game=game.id)
    for category, names in game.words.items():
        for name in names if category != "code" else ():
            assert teller.words.term(category, name) is not None, (category, name)


def test_a_figure_of_the_sheet_is_found_by_its_words():
    teller = narrator("es")
    assert teller.figure("AGI") == "agility"
    assert teller.figure("Percepción") == "perception"
    assert teller.figure("nada") == ""


def test_what_is_wrong_with_a_tag_becomes_a_trouble():
    problem = TagProblem("empty_tag", "[acción:]", {"keyword": "acción"}, "[acción: parada]")
    assert not_understood(problem, "wren", "url") == Trouble(
        "empty_tag", "[acción:]", {"keyword": "acción"}, "[acción: parada]", "wren", url="url"
    )


def test_a_refusal_becomes_a_trouble_that_knows_whose_it_is():
    declaration = Declaration("Iria", Kind.ACTION, "attack", words="[acción: ataque]")
    rejection = Rejection("out_of_reach", declaration, "AQ-ATK-01", {"target": "Lope"})
    assert not_allowed(rejection, "[acción: correr]", "wren") == Trouble(
        "out_of_reach",
        "[acción: ataque]",
        {"actor": "Iria", "action": "attack", "target": "Lope"},
        "[acción: correr]",
        "wren",
        refused=True,
    )
