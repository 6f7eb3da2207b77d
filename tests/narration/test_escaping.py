"""A name is a name on every board, and so is whatever else a player wrote."""

import re
from dataclasses import replace
from html import unescape
from string import ascii_lowercase, digits

import markdown2
import mistune
import pytest
from bs4 import BeautifulSoup
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from adapters.base import MARK as POSTED_MARK
from referee.narration.dialects import ZERO_WIDTH, escape_bbcode, escape_html, escape_markdown
from referee.narration.sandbox import seen
from referee.narration.stories import Answer, Receipt, Seat, Trouble
from tests.narration.telling import (
    DIALECTS,
    GAME,
    INTRODUCTION,
    MARK,
    REPORT,
    STATUS,
    attack,
    damage,
    fighter,
    narrator,
    report,
)

NASTY = (
    "[b]",
    "[/code][b]x[/b]",
    "[url=http://evil.example]x[/url]",
    "<script>alert(1)</script>",
    "{{ x }}{% for %}",
    "*Ana* _sola_",
    "@all",
    "8)",
    ":smile: :D",
    "`a` ```b```",
    "| a | b |",
    "# uno",
    "1. uno",
    "- uno",
    "+ uno",
    "> uno",
    "~~no~~",
    "http://example.org www.example.org",
    "&lt;b&gt;&amp;",
    "\\[x\\] $$y$$ \\(z\\)",
    "![x](y)",
    "[acción: ataque | Lope]",
    "a\u202eb",
)
BBCODE = re.compile(r"\[/?[a-zA-Z*][^\[\]]*\]")
names = st.one_of(
    st.sampled_from(NASTY),
    st.text(
        st.sampled_from("[]<>{}()*_`~|#@:;8D)/\\&!$^+-=.1 ab\u00f1\n\u200b\u202e'\"%"),
        min_size=1,
        max_size=40,
    ),
    st.text(min_size=1, max_size=30),
)


def shown(text: str) -> str:
    """Words without what nobody sees."""
    return " ".join(seen(text).replace(ZERO_WIDTH, "").split())


def text_of(html: str) -> str:
    return shown(BeautifulSoup(html, "lxml").get_text())


def tags_of(html: str) -> set[str]:
    return {tag.name for tag in BeautifulSoup(html, "lxml").find_all()}


PLAIN = {"html", "body", "p"}


@pytest.mark.parametrize("name", NASTY)
def test_a_nasty_name_stays_a_name_in_markdown(name: str):
    for engine in (MarkdownIt("commonmark").enable("table").render, spirit_like, machina_like):
        html = engine(escape_markdown(shown(name)))
        assert text_of(html) == shown(name)
        assert tags_of(html) <= PLAIN


@given(name=names)
def test_any_name_stays_a_name_in_markdown(name: str):
    words = shown(name)
    for engine in (MarkdownIt("commonmark").enable("table").render, spirit_like, machina_like):
        html = engine(escape_markdown(words))
        assert text_of(html) == words
        assert tags_of(html) <= PLAIN


def spirit_like(text: str) -> str:
    """As the forum software Spirit renders: an older engine, with escaping and hard line breaks."""
    return mistune.Markdown(
        renderer=mistune.Renderer(escape=True, hard_wrap=True),
        parse_block_html=False,
        parse_inline_html=False,
    )(text)


def machina_like(text: str) -> str:
    """As django-machina renders by default: an engine older still, which cuts HTML out."""
    return str(markdown2.markdown(text, safe_mode=True, extras={"break-on-newline": True}))


@given(name=names)
def test_any_name_stays_a_name_in_bbcode(name: str):
    escaped = escape_bbcode(shown(name))
    assert not BBCODE.search(escaped)
    assert not re.search(r"@\w|://|www\.\w", escaped)
    assert shown(escaped) == shown(name)


@given(name=names)
def test_any_name_stays_a_name_in_html(name: str):
    escaped = escape_html(shown(name))
    assert not re.search("[<>\"']", escaped)
    assert unescape(escaped) == shown(name)


@settings(max_examples=40)
@given(name=names)
def test_a_name_adds_no_markup_to_a_round(name: str):
    """The report of a round with an innocent name differs from the nasty one by the name alone."""
    if not shown(name):
        return
    for dialect in DIALECTS:
        innocent = report(round_of("Xavier"), dialect=dialect)
        nasty = report(round_of(name), dialect=dialect)
        assert markup_of(nasty, dialect) == markup_of(innocent, dialect)


def round_of(name: str):
    events = (
        attack(name, "Lope"),
        damage(name, "Lope"),
        attack("Lope", name),
        damage("Lope", name),
    )
    roster = (fighter("Lope"), fighter(name))
    return replace(
        REPORT,
        game=replace(GAME, genders={name: "m", "Lope": "m"}),
        events=events,
        rolls=(),
        before=roster,
        after=roster,
        receipts=(),
        troubles=(),
        defaulted=(),
        missed=(),
        rulings=(),
        notes=(),
    )


def markup_of(text: str, dialect: str) -> list[str]:
    """The markup that a board would see in a post, without the words and without code."""
    if dialect == "bbcode":
        return BBCODE.findall(re.sub(r"(?s)\[code\].*?\[/code\]", "", text))
    if dialect == "html":
        return [tag.name for tag in BeautifulSoup(text, "lxml").find_all()]
    if dialect == "markdown":
        html = MarkdownIt("commonmark").enable("table").render(text)
        return [tag.name for tag in BeautifulSoup(html, "lxml").find_all()]
    return []


@settings(max_examples=40)
@given(words=names)
def test_quoted_words_close_no_code_and_open_no_tag(words: str):
    story = Answer(
        GAME,
        (Trouble("unknown_action", words, {"given": words, "candidates": (words,)}, words, words),),
    )
    for dialect in DIALECTS:
        text = narrator("es", dialect).answer(story, MARK)
        innocent = Answer(
            GAME, (Trouble("unknown_action", "x", {"given": "x", "candidates": ("x",)}, "x", "x"),)
        )
        wanted = narrator("es", dialect).answer(innocent, MARK)
        if shown(words):
            assert markup_of(text, dialect) == markup_of(wanted, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_template_code_in_a_name_is_never_run(dialect: str):
    name = "{{ 7 * 7 }}{% if x %}"
    cast = (Seat(name, "a", ("{{ 7 * 7 }}",)),)
    text = narrator("es", dialect).introduction(replace(INTRODUCTION, cast=cast), MARK)
    assert "49" not in text


@pytest.mark.parametrize("dialect", ["bbcode", "markdown"])
def test_no_face_is_made_of_a_figure_and_a_bracket(dialect: str):
    story = replace(REPORT, events=(attack("Lope", "Iria", result="failure", face=40, limit=8),))
    assert "40 > 8)" not in report(story, dialect=dialect)
    assert f"40 > 8{ZERO_WIDTH})" in report(story, dialect=dialect)


def test_quoted_words_neither_end_nor_open_the_blocks_of_a_markdown_board():
    words = "[acción: x | a: [/spoiler] [QUOTE]b[/quote] [code=py]c[/code] [quote: y]]"
    trouble = Trouble("unknown_action", words, {"given": "x"}, cure=words)
    story = replace(STATUS, receipts=(Receipt("Lope", (words,)),), troubles=(trouble,))
    innocent = narrator("es", "markdown").status(replace(story, receipts=(), troubles=()), MARK)
    text = narrator("es", "markdown").status(story, MARK)
    blocks = re.compile(r"\[/?(?:quote|spoiler|code)[\]=]", re.IGNORECASE)
    assert blocks.findall(text) == blocks.findall(innocent)
    assert "[quote: y]]" in text
    assert shown(text).count(words) == 3


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_mark_that_begins_like_a_face_is_read_back_letter_for_letter(dialect: str):
    signs = [sign for sign in ascii_lowercase + digits if POSTED_MARK.fullmatch(f"ref-{sign * 8}")]
    assert len(signs) > 20
    for second in signs:
        mark = f"ref-8{second}cdfghj"
        assert POSTED_MARK.findall(narrator("es", dialect).status(STATUS, mark)) == [mark]


def test_quoted_tags_of_others_are_not_live_on_a_bbcode_board():
    receipts = (Receipt("Lope", ("[acción: ataque | Iria]",)),)
    text = narrator("es", "bbcode").status(replace(STATUS, receipts=receipts), MARK)
    assert "[acción: ataque | Iria]" not in text
    assert f"[{ZERO_WIDTH}acción: ataque | Iria]" in text
