"""Normalising: one text, and the way back to the words as posted."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.tags.text import key, normalise, unwrapped

# What the rewriting looks at, so that its cases meet one another often.
PIECES = [
    *"aeñ[]|:;\\ \n\r\t&<>br/#",
    *"“”«»‘’–—−…［］｜：\u00a0\u202f\u200b\u200d\u200e\u202e\ufeff\ufe0f\u00ad\u0301\u0327",
    "&amp;",
    "&#91;",
    "&oacute;",
    "&nbsp;",
    "<br>",
    "👩‍🚀",
    "🗡️",
    "é",
]
ODD_TEXTS = st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | st.text(max_size=30)


@pytest.mark.parametrize(
    ("posted", "read"),
    [
        ("“a” „b‟ «c»", '"a" "b" "c"'),
        ("‘a’ ´b´ ‹c›", "'a' 'b' 'c'"),
        ("– — − ‑ －", "- - - - -"),
        ("［ａ｜ｂ］：１＝２；", "[a|b]:1=2;"),
        ("a\u00a0b\u202fc\u3000d\te", "a b c d e"),
        ("a\u200bb\u200ec\u202ed\ufeffe\u00adf\u2060g", "abcdefg"),
        ("a\r\nb\rc\u2028d", "a\nb\nc\nd"),
        (
            "acci&oacute;n &quot;x&quot; &#39;y&#x27; a&nbsp;b &lt;&gt; R&amp;D",
            "acción \"x\" 'y' a b <> R&D",
        ),
        ("&nosuch; &; &#0; & AT&T", "&nosuch; &; \ufffd & AT&T"),
        ("a<br>b<br/>c<BR />d<b>", "a\nb\nc\nd<b>"),
        (r"\[a\|b\] \n", r"[a|b] \n"),
        ("acción Iñigo", "acción Iñigo"),
        ("≥ ≤ × …", ">= <= * ..."),
        ("👩‍🚀 a\u200db 🗡️ a\ufe0fb", "👩‍🚀 ab 🗡️ ab"),
        ("\ud800x", "x"),
    ],
)
def test_many_spellings_become_one(posted, read):
    assert normalise(posted).text == read


def test_plain_text_is_left_alone_letter_for_letter():
    text = "¿Qué hacéis? ¡Alto! Núñez & Cía., 50 % (o más) <nada> a_b*c"
    assert normalise(text).text == text


def test_stacked_marks_are_cut_off_so_that_they_cannot_cost_quadratic_time():
    zalgo = "a" + "\u0301\u0323" * 50_000
    assert len(normalise(zalgo).text) <= 5


@given(ODD_TEXTS)
def test_every_stretch_leads_back_to_the_words_that_it_stands_for(posted):
    normal = normalise(posted)
    assert normal.span(0, len(normal.text))[1] <= len(posted)
    for start in range(len(normal.text)):
        begin, end = normal.span(start, start + 1)
        assert 0 <= begin <= end <= len(posted)
        if normal.text[start] in "aeñbr":
            assert normal.text[start] in normalise(posted[begin:end]).text


@given(ODD_TEXTS)
def test_stretches_follow_one_another_without_gaps_in_what_they_quote(posted):
    normal = normalise(posted)
    begins = [normal.span(i, i + 1)[0] for i in range(len(normal.text))]
    assert begins == sorted(begins)


@given(st.text(max_size=60))
def test_a_text_that_has_been_normalised_holds_nothing_invisible(posted):
    text = normalise(posted).text
    assert not any(unicodedata.category(char) in ("Cc", "Cs") for char in text if char != "\n")
    assert "\u200b" not in text
    assert "\u202e" not in text
    assert "\u00a0" not in text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Íñigo", "INIGO"),
        ("Íñigo", "I\u0301n\u0303igo"),
        ("Bandido 1", " bandido\u00a0 1 "),
        ("Bandido 1", "«Bandido 1»"),
        ("Lope", "**Lope**"),
        ("👩‍🚀", "👩🚀"),
        ("🗡️", "🗡"),
        ("Straße", "STRASSE"),
    ],
)
def test_spellings_of_one_name_have_one_key(one, other):
    assert key(one) == key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ana", "Anabel"), ("Bandido 1", "Bandido 10"), ("Lope", "Lоpe"), ("Bandido 1", "Bandido l")],
)
def test_different_names_have_different_keys(one, other):
    assert key(one) != key(other)


@pytest.mark.parametrize(
    ("wrapped", "bare"),
    [
        ('"a"', "a"),
        (" **a b** ", "a b"),
        ("_'a'_", "a"),
        ('"a" y "b"', '"a" y "b"'),
        ('"a', '"a'),
        ("**", "**"),
        ('""', '""'),
    ],
)
def test_only_what_stands_around_the_whole_is_taken_off(wrapped, bare):
    assert unwrapped(wrapped) == bare
