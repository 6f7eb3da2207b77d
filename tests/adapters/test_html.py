"""Finding own words: the rules that no single platform shows, and pages that mean harm."""

import time
from contextlib import suppress
from dataclasses import replace

import pytest
from bs4 import Tag
from hypothesis import given
from hypothesis import strategies as st

from adapters import markup
from adapters.base import Post
from adapters.errors import BusyError, LayoutChangedError, without_secrets
from adapters.html import (
    MAX_NESTING,
    MAX_PAGE_CHARS,
    MAX_PAGE_TAGS,
    Markup,
    Words,
    attribute,
    digest_of,
    fields_of,
    need,
    own_words,
    posts_digest,
    soup_of,
)

URL = "http://forum.test/t/1"
MARKDOWN = Markup(markdown=True)
ROWS = [row for row in vars(markup).values() if isinstance(row, Markup)]
# All selectors of all platforms at once.
EVERY_ROW = Markup(
    quotes=", ".join({row.quotes for row in ROWS}),
    code=", ".join({row.code for row in ROWS}),
    furniture=", ".join({row.furniture for row in ROWS if row.furniture}),
    smilies=tuple({smiley for row in ROWS for smiley in row.smilies}),
    markdown=True,
    drops_scheme=True,
)


def read(html: str, row: Markup = MARKDOWN) -> Words:
    return own_words(soup_of(html, URL, whole=False), row)


def own(html: str, row: Markup = MARKDOWN) -> str:
    return read(html, row).own


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("una<br>dos<br>\n<br />tres", "una\ndos\n\ntres"),
        ("<p>una</p>\n\n<p>dos</p>", "una\n\ndos"),
        ("<p>una<br></p><br><br><br><p>dos</p>", "una\n\ndos"),
        ("<ul><li>uno</li><li>dos</li></ul>tres", "uno\ndos\ntres"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"),
        ("  a \n <b> b</b>\tc&nbsp;&nbsp;d  ", "a b c d"),
        ("[acción: <b>ata</b><i>que</i>]", "[acción: ataque]"),
        ("[acci<wbr>ón: x]<!-- [acción: y] --><script>[z: z]</script>", "[acción: x]"),
        ("accio\u0301n", "acción"),
        ("a\u200bb\u202ec", "a\u200bb\u202ec"),
        ("<details><summary>Oculto</summary>[acción: x]</details>", "Oculto\n[acción: x]"),
    ],
)
def test_lines_and_spaces_are_those_that_a_reader_sees(html, words):
    assert own(html) == words


def test_quotes_are_set_aside_whole_however_deep():
    html = "a<blockquote>b<blockquote>c<pre>d\n  e</pre></blockquote></blockquote>f"
    assert read(html) == Words("a\n\nf", "b\nc\nd\n  e")


def test_code_keeps_its_lines_and_spaces():
    html = "<pre><code>{\n  &quot;a&quot;:&nbsp;1<br>\n\n}\n</code></pre>"
    assert read(html).set_aside == '{\n  "a": 1\n\n}'


def test_inline_code_is_words_unless_it_shows_a_tag():
    assert read("[tirada: <code>1d20+5</code>]") == Words("[tirada: 1d20+5]", "")
    assert read("escribe <code>[tirada: 1d20]</code> así") == Words("escribe así", "[tirada: 1d20]")


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ('<a href="/user/2/">@Lucía</a>', "@Lucía"),
        ('<a href="https://x.test/a%7Cb">https://x.test/a|b</a>', "https://x.test/a|b"),
        ('<a href="https://x.test/%5Bb%5D">https://x.test/%5Bb%5D</a>', "https://x.test/%5Bb%5D"),
        ('<a href="https://x.test/a/long/way#n">https://x.test/a/l…</a>', "https://x.test/a/long/way#n"),
        ('<a href="https://x.test/a/long/way">x.test/a … way</a>', "https://x.test/a/long/way"),
        ('<a href="https://x.test/a/long/way">https://x.test ... way</a>', "https://x.test/a/long/way"),
        ('<a href="http://ana.it">Ana.it</a>', "Ana.it"),
        ('<a href="http://ana.it">ana.it</a>', "ana.it"),
        ('<a href="mailto:a@x.test">a@x.test</a>', "a@x.test"),
        ('<a href="https://x.test">acción: <b>x</b></a>', "[acción: x](https://x.test)"),
        ('<a href="https://x.test">espera…</a>', "[espera…](https://x.test)"),
        ('<a href="#top"></a>a', "a"),
        ('<img alt="acción: x" src="http://y">', "![acción: x](http://y)"),
    ],
)  # fmt: skip
def test_a_link_is_what_was_typed_for_it(html, words):
    assert own(html) == words


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("[tirada: 2<em>1d6</em>3]", "[tirada: 2*1d6*3]"),
        ("[tirada: 2 <em> 1d6 </em> 3]", "[tirada: 2 * 1d6 * 3]"),
        ("[tirada: (1d4)<em>2+(1d6)</em>2]", "[tirada: (1d4)*2+(1d6)*2]"),
        ("[acción: <em>ataque</em> | <em>Moro 1</em>]", "[acción: ataque | Moro 1]"),
        ("a <em>b</em>, «<em>c</em>»<em></em>", "a b, «c»"),
    ],
)
def test_signs_of_multiplication_are_no_emphasis(html, words):
    assert own(html) == words
    assert own(html, Markup()).replace(" ", "") == words.replace("*", "").replace(" ", "")


def test_words_of_a_bbcode_link_stand_alone_and_its_pictures_say_nothing():
    bbcode = Markup()
    assert own('<a href="https://x.test">acción: x</a>', bbcode) == "acción: x"
    assert own('a<img alt="Imagen" src="http://y">b', bbcode) == "ab"


def test_a_dropped_scheme_comes_back_where_the_board_is_known_to_drop_it():
    html = '<a href="https://x.test/a|b">x.test/a|b</a> <a href="http://ana.it">ana.it</a>'
    assert own(html) == "x.test/a|b ana.it"
    assert own(html, replace(MARKDOWN, drops_scheme=True)) == "https://x.test/a|b ana.it"


def test_the_first_row_that_knows_a_smiley_wins():
    row = Markup(
        smilies=(("img.emoji", "alt"), ("img.smiley", "title")), smiley_codes={"Wink": ";)"}
    )
    html = (
        '<img class="emoji smiley" alt="🗡" title="x"><img class="smiley" alt="y" title="Wink">'
        '<img class="smiley" title="Otro">'
    )
    assert own(html, row) == "🗡;)Otro"


def test_furniture_is_nobodys_words_even_inside_a_quote():
    row = Markup(furniture=".by, .toggle")
    html = '<blockquote><div class="by">Ana:</div>b</blockquote>c<span class="toggle">[x: y]</span>'
    assert read(html, row) == Words("c", "b")


@pytest.mark.parametrize(
    "piece",
    ["<div>", "<b>", "<p><b>", "<a href=x>", "<table><tr><td>", "<ul><li>", "<blockquote>", "<br>",
     "<select><option>", "<form>", "<!--", "<", "&", "&amp;", "<![CDATA[", "<?", "</p>", '<a "'],
)  # fmt: skip
def test_a_page_that_means_harm_is_read_or_refused_in_bounded_time(piece):
    page = f"<html><body>{piece * (MAX_PAGE_CHARS // len(piece) - 8)}</body></html>"
    began = time.thread_time()
    with suppress(LayoutChangedError):
        read(page)
    # Generous: under a second on a slow machine, where a parser without caps takes minutes.
    assert time.thread_time() - began < 10


@pytest.mark.parametrize(
    "piece", ["<b>", "<a href=x>y", "<code>x", "<aside class=quote><blockquote><div><cite>"]
)
def test_deep_nests_take_time_in_proportion_to_their_size(piece):
    def seconds(tags: int) -> float:
        began = time.thread_time()
        read(piece * (tags // piece.count("<")), EVERY_ROW)
        return time.thread_time() - began

    few, many = min(seconds(3_000), seconds(3_000)), seconds(18_000)
    # Six times the size takes six times as long, or 36 times where something is quadratic.
    assert many < 16 * few


@pytest.mark.parametrize("after", ["x<br>", "<i></i>x", "<p>x", "<B></B>x"])
def test_a_nest_with_much_in_its_depth_is_refused_before_it_is_parsed(after):
    began = time.thread_time()
    with pytest.raises(LayoutChangedError) as refused:
        read("<b>" * 7_000 + after * 7_000)
    assert refused.value.facts == {"too_many": "levels"}
    assert time.thread_time() - began < 1


def test_a_long_page_as_deep_as_boards_write_them_is_read():
    post = "<div><p>Voy.<br>[acción: x]<br>Y <b>ya</b>.</p></div>"
    page = "<div>" * 60 + f"{post * 2_500}<p>Fin" + "</div>" * 60
    assert own(page).endswith("Y ya.\n\nFin")


def test_a_page_may_be_too_long_or_hold_too_many_tags():
    with pytest.raises(LayoutChangedError):
        soup_of(f"<html>{'x' * MAX_PAGE_CHARS}</html>", URL)
    with pytest.raises(LayoutChangedError):
        soup_of(f"<html>{'<i>' * MAX_PAGE_TAGS}</html>", URL)


def test_words_count_as_deep_as_anyone_would_write_them_and_no_deeper():
    def nested(depth: int) -> str:
        return f"a{'<div>' * depth}[acción: x]{'</div>' * depth}b"

    assert own(nested(MAX_NESTING // 2)) == "a\n[acción: x]\nb"
    assert own(nested(MAX_NESTING * 5)) == "a\nb"


def test_half_a_page_is_busy_and_no_page_is_a_changed_layout():
    with pytest.raises(BusyError):
        soup_of("<!DOCTYPE html><html><body><p>La niebla cub", URL)
    with pytest.raises(LayoutChangedError):
        soup_of('{"error": "no"}', URL)
    with pytest.raises(LayoutChangedError) as missing:
        need(soup_of("<html></html>", URL), "div.post", URL)
    assert missing.value.facts == {"missing": "div.post"}


def test_broken_letters_do_not_hide_what_follows():
    assert own("a\0b\ud83dc") == "a\ufffdb?c"


@given(st.text(st.sampled_from("ab[]|: <>/=\"'&;\n\t\xa0\u0301\0\ud800p"), max_size=200))
def test_any_piece_is_read_the_same_twice_and_never_breaks_a_rule(html):
    words = read(html)
    assert words == read(html)
    assert words.own == words.own.strip()
    assert "\n\n\n" not in words.own
    assert "  " not in words.own


@given(st.lists(st.text(st.sampled_from("abcñ[]|:<>&\"' "), max_size=20), max_size=6))
def test_escaped_text_comes_back_as_it_was_typed(lines):
    escaped = [line.replace("&", "&amp;").replace("<", "&lt;") for line in lines]
    typed = "\n".join(" ".join(line.split()) for line in lines)
    while "\n\n\n" in typed:
        typed = typed.replace("\n\n\n", "\n\n")
    assert own("<br>\n".join(escaped)) == typed.strip()


def test_a_form_gives_what_a_browser_would_send():
    form = soup_of(
        """
        <form><input name=a value=1><input name=b type=hidden value="2&amp;3">
        <input type=checkbox name=c><input type=checkbox name=d checked>
        <input type=radio name=e value=x><input type=radio name=e value=y checked>
        <input type=submit name=f value=Go><button name=g>Go</button><input name=h disabled>
        <select name=i><option value=1><option value=2 selected></select>
        <select name=j><option value=9></select><select name=k></select>
        <textarea name=l>\n\n[x: y]\n</textarea><input value=none><input type=file name=m></form>
        """,
        URL,
        whole=False,
    ).form
    assert isinstance(form, Tag)
    assert fields_of(form) == {
        "a": "1", "b": "2&3", "d": "on", "e": "y", "i": "2", "j": "9", "l": "\n[x: y]\n",
    }  # fmt: skip


def test_a_digest_tells_parts_apart():
    assert digest_of(("ab", "c")) != digest_of(("a", "bc"))
    assert digest_of(("ab", "c")) == digest_of(("ab", "c"))


@pytest.mark.parametrize(
    "address", ["http://[acción: huir", "//[::1", "http://][", "http://a]", "http://℀.test"]
)
def test_a_link_that_is_no_address_is_none(address):
    link = soup_of(f"<a href='{address}'>x</a>", URL, whole=False).a
    assert isinstance(link, Tag)
    assert attribute(link, "href") == ""
    assert without_secrets(address) == ""
    assert "[acción: parada]" in own(f"Voy. <a href='{address}'>[acción: parada]</a>")


def test_a_post_that_begins_to_count_changes_the_digest_of_its_page():
    waits = Post("1", "7", "Árbitro", "Asalto 1.", awaits_approval=True)
    assert posts_digest([waits]) != posts_digest([replace(waits, awaits_approval=False)])
    assert posts_digest([waits]) == posts_digest([replace(waits)])
