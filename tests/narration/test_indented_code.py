"""Code on boards that know it by its indentation only, through the renderer of one of them."""

from collections.abc import Callable
from dataclasses import replace

import markdown2
import pytest
from bs4 import BeautifulSoup

from adapters.machina import Machina
from referee.evidence import find_blocks
from referee.narration.blocks import joined, split
from referee.narration.dialects import Page
from referee.narration.narrator import Narrator
from referee.narration.sandbox import Sandbox
from tests.narration.telling import LANGUAGES, MARK, sources
from tests.narration.test_posts import POSTS

SURFACE = Machina("https://forum.example.org").capabilities


def rendered(text: str) -> BeautifulSoup:
    html = markdown2.markdown(text, safe_mode=True, extras={"break-on-newline": True})
    return BeautifulSoup(f"<html><body>{html}</body></html>", "lxml")


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("post", POSTS.values(), ids=POSTS)
def test_a_post_shows_its_code_line_by_line(post: Callable[[Narrator], str], lang: str) -> None:
    teller = Narrator(sources(lang), lang, SURFACE)
    text = post(teller)
    assert teller.problems() == ()
    page = rendered(text)
    indented = [line[4:] for line in text.splitlines() if line.startswith("    ")]
    shown = [line for node in page.select("pre > code") for line in node.get_text().splitlines()]
    assert indented
    assert shown == indented
    assert page.select("code:not(pre > code)") == [] or "`" in text
    assert "[HTML_REMOVED]" not in page.get_text()
    assert "|---|" not in text
    in_code = "\n".join(shown)
    assert len(find_blocks(in_code)) == len(find_blocks(text))
    assert MARK in page.get_text()


@pytest.mark.parametrize("fences", [True, False])
def test_code_after_a_list_is_no_part_of_it(*, fences: bool) -> None:
    sandbox = Sandbox([{"markdown": sources("es").dialects[0]["markdown.j2"]}], str)
    page = Page(sandbox, "markdown", "", tables=False, fences=fences)
    listed, code = page.items(["uno", "dos"]), page.pre(["PBW", " y más"])
    folded = page.fold("Dados", lambda: page.items(["tres"]))
    text = joined(page.blocks(f"{listed}\n\n{code}\n\n{folded}\n\n{code}"))
    assert text.count("&#8203;") == (0 if fences else 2)
    if not fences:
        shown = rendered(text)
        assert [node.get_text() for node in shown.select("pre")] == ["PBW\n y más\n"] * 2
        assert shown.select("li pre, li p") == []


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("post", POSTS.values(), ids=POSTS)
def test_what_stands_for_a_table_is_a_list_of_its_own(
    post: Callable[[Narrator], str], lang: str
) -> None:
    """On a forum without tables initiative and state are lists, and ran into one."""
    text = post(Narrator(sources(lang), lang, SURFACE))
    tables = post(Narrator(sources(lang), lang, replace(SURFACE, tables=True))).count(" --- |\n")
    titles = {"Iniciativa", "Estado", "Reparto", "Initiative", "State", "Cast"}
    heads = [node for node in rendered(text).select("strong") if node.get_text() in titles]
    assert len(heads) == tables
    assert all(node.find_parent("p").find_next_sibling().name == "ul" for node in heads)


@pytest.mark.parametrize("title", ["", "Estado"])
def test_no_list_runs_into_one_that_stands_for_a_table(title: str) -> None:
    sandbox = Sandbox([{"markdown": sources("es").dialects[0]["markdown.j2"]}], str)
    page = Page(sandbox, "markdown", "", tables=False, fences=True)
    rows = page.table(["Personaje", "PV"], [["Lope", "15/15"]], title)
    notes, more = page.items(["Nadie se mueve."]), page.items(["Cae la noche."])
    text = joined(page.blocks(f"{notes}\n\n{rows}\n\n{notes}\n\n{more}"))
    # Two lists of notes may well be one.
    assert [len(node.select("li")) for node in rendered(text).select("ul")] == [1, 1, 2]
    assert title in text


def test_a_line_of_code_that_is_cut_in_two_stays_code() -> None:
    sandbox = Sandbox([{"markdown": sources("es").dialects[0]["markdown.j2"]}], str)
    page = Page(sandbox, "markdown", "", tables=False, fences=False)
    parts = split(page.blocks(str(page.pre([f"{'palabra ' * 400}fin"]))), 1000)
    assert len(parts) > 3
    for part in parts:
        head, _, code = part.partition("\n\n")
        assert head.startswith("(")
        assert all(line.startswith("    palabra") for line in code.splitlines()), part
