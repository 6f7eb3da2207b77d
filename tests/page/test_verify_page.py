"""``verify.html`` in a real browser: it says what ``referee verify`` says, die by die."""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

import pytest

from referee.data import Data
from referee.evidence import ThreadPost, find_blocks, verify
from referee.evidence.reader import FAULTS
from referee.evidence.verify import CODES, ROLL_STATES
from referee.sources import pasted
from tests.evidence.played import (
    NASTY,
    REFEREE,
    Table,
    beacon_duel,
    duel,
    full_duel,
    random_fight,
)
from tests.evidence.vectors import FILE
from tests.page.chromium import Browser, browser, program

PAGE = Path(__file__).parents[2] / "templates" / "verify.html"
VECTORS: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page() -> Iterator[Browser]:
    if program() is None:
        missing = "no Chromium on this machine (Debian: apt-get install chromium)"
        if os.environ.get("REFEREE_TESTS_SKIP_NOTHING"):
            pytest.fail(missing)
        pytest.skip(missing)
    with browser() as opened:
        opened.open(PAGE)
        yield opened


def plain(value: Any) -> Any:
    """As the browser hands values over."""
    return json.loads(json.dumps(value))


def as_text(posts: list[ThreadPost]) -> str:
    """What somebody copies out of a thread."""
    return "\n\n".join(f"{post.own_words}\n{post.set_aside}" for post in posts)


def cli(posts: Any, referee_ids: tuple[str, ...] = ()) -> Any:
    return plain(verify(posts, referee_ids).as_json())


def of_page(page: Browser, posts: Any, referee_ids: tuple[str, ...] = ()) -> Any:
    given = [plain(asdict(post)) for post in posts]
    return page.ask("(posts, ids) => PBW.verify(posts, ids)", given, list(referee_ids))


def of_page_pasted(page: Browser, text: str) -> Any:
    return page.ask("(text) => PBW.verify(PBW.pasted(text))", text)


# The vectors, one by one.


def test_its_hashes_and_dice_are_those_of_the_vectors(page: Browser) -> None:
    for case in VECTORS["commitments"]:
        assert page.ask("PBW.commitment", case["secret"]) == case["commitment"]
    for case in VECTORS["words"]:
        assert page.ask("PBW.wordsHash", case) == case["hash"]
    for case in VECTORS["public_inputs"]:
        given = [case[name] for name in ("seed", "thread", "words", "previous")]
        given += [case["beacon"]] if "beacon" in case else []
        assert page.ask("PBW.publicInput", *given) == case["public_input"]
    for case in VECTORS["dice"]:
        given = [case[name] for name in ("secret", "public_input", "label", "index", "sides")]
        assert page.ask("PBW.face", *given) == case["face"]


def test_it_reads_the_blocks_of_the_vectors_however_they_were_bent(page: Browser) -> None:
    for case in VECTORS["blocks"]:
        straight = plain([asdict(block) for block in find_blocks(case["text"])])
        for text in (case["text"], *case["also_read_from"]):
            assert page.ask("PBW.findBlocks", text) == straight


def test_it_finds_the_damage_of_the_vectors(page: Browser) -> None:
    written = VECTORS["blocks"][1]["text"]
    for case in VECTORS["damaged"]:
        (found,) = page.ask("PBW.findBlocks", written.replace(case["old"], case["new"], 1))
        assert found["faults"] == case["faults"]


@pytest.mark.parametrize("name", ["threads", "beacon_threads"])
def test_it_judges_the_threads_of_the_vectors_as_published(page: Browser, name: str) -> None:
    honest, *altered = VECTORS[name]
    posts = [ThreadPost(**post) for post in honest["posts"]]
    assert of_page(page, posts, (REFEREE,)) == honest["report"]
    for case in altered:
        changed = {post["id"]: ThreadPost(**post) for post in case["changes"]["posts"]}
        thread = [
            changed.pop(post.id, post) for post in posts if post.id not in case["changes"]["gone"]
        ]
        thread += changed.values()
        assert of_page(page, thread, (REFEREE,)) == cli(thread, (REFEREE,)), case["about"]
        text = as_text(thread)
        assert of_page_pasted(page, text) == cli(pasted(text)), case["about"]


# Beyond the vectors: the command line is the yardstick.


def test_pasted_threads_give_the_command_lines_report(page: Browser) -> None:
    for seed in range(12):
        text = as_text(random_fight(Random(seed)).posts)  # noqa: S311 # to be repeated
        report = of_page_pasted(page, text)
        assert report == cli(pasted(text))
        assert {roll["state"] for roll in report["rolls"]} == {"holds"}


@pytest.mark.parametrize("most_chars", [400, 700])
def test_blocks_in_parts_give_the_command_lines_report(page: Browser, most_chars: int) -> None:
    posts = duel(most_chars).posts
    assert of_page(page, posts, (REFEREE,)) == cli(posts, (REFEREE,))
    assert cli(posts, (REFEREE,))["verdict"] == "holds"


def test_nasty_words_give_the_command_lines_report(page: Browser) -> None:
    table = Table(thread="mesa “8)”: \u00ad acto\u200b II 👩\u200d🚀")
    table.start()
    table.opening(1, {"Íñigo.initiative": [10]})
    words = [table.declare("57", nasty) for nasty in NASTY]
    table.round(1, words, {"Íñigo.initiative": [10]}, {f"{n}.x": [100] for n in NASTY if n})
    assert of_page(page, table.posts, (REFEREE,)) == cli(table.posts, (REFEREE,))
    lone = [ThreadPost("1", REFEREE, 'PBW-EVIDENCE 1 start \ud800 thread "a\udc00" sum 1')]
    assert of_page(page, lone, (REFEREE,)) == cli(lone, (REFEREE,))


def test_one_changed_character_gives_the_command_lines_report(page: Browser) -> None:
    random = Random(20261130)  # noqa: S311 # to be repeated
    posts = full_duel().posts
    own = [at for at, post in enumerate(posts) if post.author_id == REFEREE]
    for _ in range(150):
        changed, at = list(posts), random.choice(own)
        text = posts[at].set_aside
        spot = random.randrange(len(text))
        other = random.choice('0123456789abcdefxz "=,%.\n-–»[]()é😀\u00a0\u200b\x1c')
        text = text[:spot] + other + text[spot + random.randint(0, 1) :]
        changed[at] = ThreadPost(posts[at].id, REFEREE, posts[at].own_words, text, edited=False)
        assert of_page(page, changed, (REFEREE,)) == cli(changed, (REFEREE,)), (at, spot, other)


def test_one_changed_character_of_a_beacon_gives_the_command_lines_report(page: Browser) -> None:
    random = Random(20261201)  # noqa: S311 # to be repeated
    posts = beacon_duel().posts
    lit = [at for at, post in enumerate(posts) if "beacon" in post.set_aside]
    for _ in range(60):
        changed, at = list(posts), random.choice(lit)
        text = posts[at].set_aside
        spot = text.index("beacon") + random.randrange(110)
        other = random.choice("0123456789abcdefxz =,\n")
        text = text[:spot] + other + text[spot + random.randint(0, 1) :]
        changed[at] = ThreadPost(posts[at].id, REFEREE, posts[at].own_words, text, edited=False)
        assert of_page(page, changed, (REFEREE,)) == cli(changed, (REFEREE,)), (at, spot, other)


# What a reader sees.


def test_a_reader_is_told_that_a_beacons_signature_was_not_checked(page: Browser) -> None:
    text = as_text(beacon_duel().posts)
    page.ask(
        "async (text) => { document.getElementById('thread').value = text; await Page.check(); }",
        text,
    )
    shown = page.run("document.querySelector('main').innerText")
    assert "NO se ha comprobado aquí" in shown or "was NOT checked here" in shown
    assert "Los dados concuerdan" not in shown
    assert "The dice fit" not in shown


def test_a_reader_pastes_presses_and_reads_the_verdict(page: Browser) -> None:
    text = as_text(full_duel().posts)
    show = """async (text, language) => {
        document.querySelector(`[data-lang=${language}]`).click();
        document.getElementById("thread").value = text;
        document.getElementById("check").click();
        while (document.getElementById("check").disabled) await new Promise(r => setTimeout(r, 5));
        return document.querySelector("main").innerText;
    }"""
    assert "Los dados concuerdan" in page.ask(show, text, "es")
    shown = page.ask(show, text, "en")
    assert "The dice fit" in shown
    assert "Dice checked: 35 of 37" in shown
    forged = re.sub(r"Lope\.attack 1d100 = 81", "Lope.attack 1d100 = 18", text)
    assert forged != text
    shown = page.ask(show, forged, "es")
    assert "Hay algo que NO concuerda" in shown
    assert "Lope.attack: 18 ≠ 81" in shown
    assert "✗ distinto" in shown
    assert "No hay ningún bloque de prueba" in page.ask(show, "nada de nada", "es")
    assert "Pega primero" in page.ask(show, "  ", "es")


def test_words_of_a_thread_are_shown_as_words(page: Browser) -> None:
    table = Table(thread="<img src=x onerror=alert(1)>")
    table.start()
    table.rolls(1, [table.declare("57", "[tirada: <script>alert(1)</script>]")], {"<b>.roll": [6]})
    page.ask(
        "async (text) => { document.getElementById('thread').value = text; await Page.check(); }",
        as_text(table.posts),
    )
    assert (
        page.run("document.querySelectorAll('#result b, #result img, #result script').length") == 0
    )
    assert "<script>" in page.run("document.getElementById('result').textContent")


def test_it_asks_the_network_for_nothing_and_has_no_errors(page: Browser) -> None:
    assert page.requests == [PAGE.as_uri()]
    assert page.errors == []
    refused = page.ask("() => fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')")
    assert refused == "refused"
    page.requests.clear()
    page.errors.clear()
    text = PAGE.read_text(encoding="utf-8")
    assert not re.findall(r"(?:src|href)=|@import|url\(", text)


def test_it_can_be_used_on_a_phone_and_by_ear(page: Browser) -> None:
    text = as_text(duel().posts)
    page.ask(
        "async (text) => { document.getElementById('thread').value = text; await Page.check(); }",
        text,
    )
    page.run("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert page.run("document.documentElement.scrollWidth <= innerWidth")
    small = "[...document.querySelectorAll('button, summary')].filter(one => one.offsetHeight < 44)"
    assert page.run(f"{small}.length") == 0
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    seen = {
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes
        if not node["ignored"]
    }
    named = {"button", "textbox", "heading", "columnheader", "rowheader", "DisclosureTriangle"}
    assert named <= {role for role, _ in seen}
    assert all(name for role, name in seen if role in named)
    assert any(role == "status" for role, _ in seen)
    assert page.run("document.documentElement.lang") in ("es", "en")


# Its words.


def words_of(page_text: str) -> dict[str, Any]:
    found = re.search(
        r'<script type="application/json" id="words">(.*?)</script>', page_text, re.DOTALL
    )
    assert found
    words: dict[str, Any] = json.loads(found[1])
    return words


@pytest.mark.parametrize("language", ["es", "en"])
def test_it_says_what_the_command_line_says(language: str) -> None:
    words = words_of(PAGE.read_text(encoding="utf-8"))[language]
    assert words["codes"] == dict(Data().messages(language)["verify"])
    assert set(CODES + FAULTS) <= set(words["codes"])
    assert {f"state_{state}" for state in ROLL_STATES} <= set(words)


def test_both_languages_say_the_same_things() -> None:
    spanish, english = words_of(PAGE.read_text(encoding="utf-8")).values()
    assert spanish.keys() == english.keys()
    assert spanish["codes"].keys() == english["codes"].keys()
