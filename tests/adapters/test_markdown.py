"""Own words from a Markdown source, and when a source is not to be trusted."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.html import Words, own_words, soup_of
from adapters.markdown import MAX_SOURCE_CHARS, read_source, same_words
from adapters.markup import DISCOURSE
from tests.forums.cooked import cook


def own(source: str) -> str:
    return read_source(source).own


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("una\r\ndos  \n\n\n\ntres", "una\ndos\n\ntres"),
        (
            "- uno\n- dos\n\n1. tres\n2) cuatro\n# cinco\n---\nseis",
            "uno\ndos\n\ntres\ncuatro\ncinco\n\nseis",
        ),
        (
            "[acción: **ata**que | *Moro* _1_ | ~~no~~ ***sí***]",
            "[acción: ataque | Moro 1 | no sí]",
        ),
        ("2*3*4 y 2 * 3 * 4 y (1d6)*2 y a_b_c y 5*", "2*3*4 y 2 * 3 * 4 y (1d6)*2 y a_b_c y 5*"),
        ("**«[acción: x]»** **a *b* c**", "«[acción: x]» a b c"),
        (r"\[acción: x\] \*a\* 1\. \d", r"[acción: x] *a* 1. \d"),
        ("&aacute;&nbsp;&amp; &nada; R&D", "á & &nada; R&D"),
        ("<b>x</b><br>y <puerta> 3 < 5", "x\ny <puerta> 3 < 5"),
        ("a<!-- [acción: x] -->b<!-- [acción: y]", "ab"),
        (
            "<https://x.test/a_b_c> https://x.test/_a_?b=*c*",
            "https://x.test/a_b_c https://x.test/_a_?b=*c*",
        ),
        ("[b]x[/b] [spoiler]y[/spoiler] [color=red]z[/color]", "x y z"),
        ('[details="Secreto"]\n[acción: x]\n[/details]', "Secreto\n\n[acción: x]"),
        ("[acción: huir](https://x.test)", "[acción: huir](https://x.test)"),
        ("accio\u0301n", "acción"),
        ("", ""),
    ],
)
def test_markup_goes_and_words_stay(source, words):
    assert own(source) == words


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("> cita\nperezosa\n\nfuera", Words("fuera", "cita\nperezosa")),
        ("- > cita\n\nfuera", Words("fuera", "cita")),
        ('[quote="Wren, post:1, topic:7"]\na\n[/quote]\nb', Words("b", "a")),
        ("[quote]a[quote]b[/quote]c[/quote]d [quote]", Words("d [quote]", "a\nb\nc")),
        ("```yaml\na:\n  b\n```\nc\n~~~\nd\n~~~", Words("c", "a:\n  b\n\nd")),
        ("````\n```\na\n```\n````\nb", Words("b", "```\na\n```")),
        ("```\na sin fin", Words("", "a sin fin")),
        ("[code]\na\n[/code]b", Words("b", "a")),
        ("a\n\n    code\n\nb\n    no code", Words("a\n\nb\nno code", "    code")),
        (
            "di `[acción: x]` o ``[a`b]`` y `1d20` y `",
            Words("di o y 1d20 y `", "[acción: x]\n\n[a`b]"),
        ),
    ],
)
def test_quotes_and_code_are_set_aside(source, words):
    assert read_source(source) == words


@given(
    st.lists(
        st.sampled_from(
            [
                "[acción: ataque]",
                "> cita",
                "```",
                "`",
                "**",
                "*",
                "_",
                "[quote]",
                "[/quote]",
                "texto",
                "- ",
                "    ",
                "\n",
                "\n\n",
                " ",
                "<b>",
                "<x>",
                "<!--",
                "-->",
                "\\",
                "&amp;",
                "[code]",
                "[/code]",
                "2*3",
                "# ",
                "~~",
                "[details=a]",
                "[/details]",
                "😀",
                "(c)",
            ]
        ),
        max_size=25,
    )
)
def test_any_source_is_read_the_same_twice_and_never_breaks_a_rule(pieces):
    source = "".join(pieces)
    words = read_source(source)
    assert words == read_source(source)
    assert words.own == words.own.strip("\n")
    assert "\n\n\n" not in words.own
    assert "  " not in words.own


@pytest.mark.parametrize(
    "piece",
    [
        "*a",
        "a*",
        "_a ",
        "`a",
        "`",
        "[quote]",
        "[/quote]",
        "[quote]a[/quote]",
        "- ",
        "> ",
        "<b ",
        "\\",
        "~~",
        "<!--",
        "*_",
        "[details]",
        "```\n",
        "    x\n\n",
        "1. #",
        "&#x41;",
        "(`",
        "**a *b ",
    ],
)
def test_a_source_that_means_harm_is_read_in_bounded_time(piece):
    began = time.thread_time()
    read_source(piece * (MAX_SOURCE_CHARS // len(piece)))
    assert time.thread_time() - began < 5


def shown(source: str) -> Words:
    return own_words(soup_of(cook(source), "http://forum.test", whole=False), DISCOURSE)


@pytest.mark.parametrize(
    "source",
    [
        'Dijo "no" -- y se fue... (c) [acción: x | "y"]',
        "🗡️ :) :D ;) :smile: [acción: ataque]",
        "> cita\n\n- uno\n- dos\n\n**x** `y` <puerta> @Wren [a](https://x.test)",
    ],
)
def test_typography_does_not_make_a_source_untrue(source):
    assert same_words(read_source(source), shown(source))


@pytest.mark.parametrize(
    "source",
    [
        "a<script>[acción: x]</script>",
        "a <puerta x='[acción: x]'>",
        "[quote]\n> a\n\n[acción: x]",
        "a\n\n[acción: x]: https://x.test\n",
    ],
)
def test_a_source_that_says_more_than_its_readers_see_is_found_out(source):
    assert not same_words(read_source(source), shown(source))


@pytest.mark.parametrize(
    "source",
    ['a <b title="[acción: x]">b</b>', "a<!-- [acción: x] -->b", "a <img alt='[acción: x]'>b"],
)
def test_what_markup_hides_is_not_read_from_a_source_either(source):
    assert "acción" not in own(source)
