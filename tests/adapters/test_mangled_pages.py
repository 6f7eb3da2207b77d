"""Mangled pages: a typed error or the right posts, never a crash or somebody else's words."""

import os
import random
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Final

import pytest

from adapters.errors import AdapterError, LayoutChangedError
from adapters.pages import Reader
from adapters.registry import ADAPTERS
from tests.adapters.mangling import (
    MANGLINGS,
    Seed,
    Tally,
    case,
    mangled_json,
    planted,
    readers,
    reduced,
    seeds,
    wrongs,
)
from tests.adapters.profiles.reading import good_profile

# A thousand times as many with REFEREE_LONG=1; the million of docs/fuzzing.md is run by hand.
SAMPLE: Final = 120 * (1000 if os.environ.get("REFEREE_LONG") else 1)


URL: Final = "http://forum.test/viewtopic.php?t=2"
LESS_THAN_A_POST: Final = 250


@cache
def small(name: str) -> Seed:
    return reduced(seeds(name, 1)[0], posts=2)


@pytest.mark.parametrize("name", sorted(readers()))
def test_a_mangled_page_gives_right_posts_or_a_typed_error(name: str) -> None:
    tally = Tally()
    for number in range(SAMPLE):
        tally.run(small(name), number)
    whole = seeds(name, 1)[0]
    for number in range(SAMPLE // 12):
        tally.run(whole, number)
    assert tally.faults == []
    # Else it would be a sample of nothing.
    assert tally.ends["posts"] > SAMPLE // 10
    assert tally.ends["LayoutChangedError"] > 0


def test_every_platform_that_reads_pages_is_mangled() -> None:
    built_in = {adapter.platform for adapter in ADAPTERS} - {"folder", "profile"}
    assert built_in <= set(readers())
    assert not [name for name in readers() if not seeds(name, 1)]


def test_a_case_is_always_the_same() -> None:
    seed = small("phpbb")
    assert [case(seed, number) for number in range(30)] == [
        case(seed, number) for number in range(30)
    ]
    assert len({case(seed, number) for number in range(30)}) > 20


@pytest.mark.parametrize("mangling", [*MANGLINGS, mangled_json])
def test_every_mangling_changes_pages(mangling) -> None:
    seed = small("nodebb" if mangling is mangled_json else "phpbb")
    changed = Counter(
        mangling(seed.text, random.Random(number)) != seed.text  # noqa: S311 # repeatable
        for number in range(40)
    )
    assert changed[True] > 20


def test_words_of_another_post_are_told_from_ones_own() -> None:
    seed = small("phpbb")
    page = seed.read(seed.text, URL)
    assert wrongs(seed, page) == []
    first, second = page.posts
    exchanged = replace(page, posts=(replace(first, own_words=second.own_words), second))
    assert wrongs(seed, exchanged)
    robbed = replace(page, posts=(replace(first, author_id=second.author_id), second))
    assert wrongs(seed, robbed)


# What the fuzzer has found.


@pytest.mark.parametrize("name", ["phpbb", "profile-phpbb"])
def test_a_post_within_a_post_gives_nobodys_words(name: str) -> None:
    seed = small(name)
    first = seed.text.index('<div id="p2"')
    second = seed.text.index('<div id="p3"')
    end_of_first = seed.text.rindex("</div>", first, second)
    nested = seed.text[:end_of_first] + seed.text[end_of_first + len("</div>") :]
    with pytest.raises(LayoutChangedError):
        seed.read(nested, URL)
    headless = seed.text.replace('<div id="p3"', '<div id="x"', 1)
    headless = headless[:end_of_first] + headless[end_of_first + len("</div>") :]
    with pytest.raises(LayoutChangedError):
        seed.read(headless, URL)


@pytest.mark.parametrize("name", ["phpbb", "spirit", "machina"])
def test_a_lost_quotation_mark_gives_nobodys_words(name: str) -> None:
    seed = small(name)
    read = 0
    for place in [place for place, letter in enumerate(seed.text) if letter == '"']:
        text = seed.text[:place] + seed.text[place + 1 :]
        try:
            page = seed.read(text, URL)
        except AdapterError:
            continue
        read += 1
        assert wrongs(seed, page) == []
    assert read


@pytest.mark.parametrize("name", ["discourse", "flarum", "misago", "nodebb", "xenforo"])
def test_two_posts_that_ran_together_in_json_are_nobodys(name: str) -> None:
    """What stands from one member of a post to another of the next one is missing.

    Less than a whole post: the same member lost twice would leave two halves that make one.
    """
    seed = small(name)
    commas = [found.start() for found in re.finditer(", ", seed.text)]
    refused = 0
    for start, end in combinations(commas, 2):
        lost = seed.text[start:end]
        if len(lost) > LESS_THAN_A_POST or "}" not in lost:
            continue
        try:
            page = seed.read(seed.text[:start] + seed.text[end:], URL)
        except LayoutChangedError:
            refused += 1
        else:
            assert wrongs(seed, page) == []
    assert refused > 5


@pytest.mark.parametrize("lost", ["</div>", '</div>\n    <div class="comment__footer'])
def test_a_body_that_has_lost_its_end_holds_no_furniture(lost: str) -> None:
    """A topic's title, out of a button that shares, was taken for a player's words."""
    seed = next(seed for seed in seeds("spirit") if "error-double-post-en" in seed.name)
    end = seed.text.index(lost, seed.text.index("mensaje bueno"))
    text = seed.text[:end] + seed.text[end + len("</div>") :]
    with pytest.raises(LayoutChangedError) as error:
        seed.read(text, "http://forum.test/topic/1/x/")
    assert error.value.facts["missing"] == "div.comment__text /"


@pytest.mark.parametrize("name", ["machina", "mybb", "phpbb", "smf"])
def test_a_signature_that_has_got_into_a_body_is_not_obeyed(name: str) -> None:
    """The body has lost its end: the page is refused, or the signature set apart."""
    signature = '<div class="signature post-signature">[acción: firmar]</div>'
    try:
        page = small(name).read(planted(small(name), signature), URL)
    except LayoutChangedError:
        return
    assert not any("firmar" in post.own_words for post in page.posts)


@pytest.mark.parametrize(
    ("name", "begins"),
    [("phpbb", r'<div id="p[0-9]+"'), ("mybb", r'<div class="post [^>]*id="post_'),
     ("smf", r'<div class="[^"]*" id="msg[0-9]'), ("machina", r'<div id="[0-9]+" class="[^"]*post'),
     ("spirit", r'<div\s+class="comments_list__comment[^>]*data-pk="')],
)  # fmt: skip
def test_a_post_with_all_of_the_next_one_in_it_is_nobodys(name: str, begins: str) -> None:
    """What is lost is all that stands from within one post's tag to within the next one's."""
    seed = seeds(name, 1)[0]
    first, second = [found.end() for found in re.finditer(begins, seed.text)][:2]
    text = seed.text[: seed.text.index(">", first)] + seed.text[seed.text.index(">", second) :]
    with pytest.raises(LayoutChangedError):
        seed.read(text, URL)


BOUNDARY = re.compile(r"</div>\s*<div id=\"p33\"[^>]*>")
OWN_AUTHOR = re.compile(r'<p class="author">.*?</p>', re.DOTALL)
OWN_BODY = re.compile(r'<div class="content">.*?</div>', re.DOTALL)
OWN_INSIDE = re.compile(
    r'(?<=online">)\s*<div class="inner">.*?(?=</div>\s*<div id="p33")', re.DOTALL
)
END_OF_BODY = re.compile(r"(?<=Tema para pruebas\.)</div>")
SECOND_HEAD = re.compile(r'id="p33" class="post')
SECOND_BODY = re.compile(r'(?<=<div )class="content"(?=>prueba sin)')


@pytest.mark.parametrize(
    ("damages", "again"),
    [
        # The next post has lost its head and this one its own words.
        ([OWN_BODY, BOUNDARY], False),
        # The next post lies in this one's words, its head and its body no longer known as such.
        ([END_OF_BODY, SECOND_HEAD, SECOND_BODY], False),
        # Nothing of this post is left but its id.
        ([OWN_INSIDE, BOUNDARY], True),
        ([OWN_AUTHOR, OWN_BODY, BOUNDARY], True),
    ],
)
def test_several_damages_at_once_give_a_profile_nobodys_words(
    damages: list[re.Pattern[str]], *, again: bool
) -> None:
    seed = next(seed for seed in seeds("profile-phpbb") if "after-post-en" in seed.name)
    text = reduced(seed, posts=2).text
    for damage in damages:
        text, count = damage.subn("", text, count=1)
        assert count
    (profile,) = good_profile("phpbb")
    if not again:
        profile = profile.model_copy(
            update={"posts": profile.posts.model_copy(update={"again": None})}
        )
    with pytest.raises(LayoutChangedError) as caught:
        Reader([profile]).read(text, URL)
    assert caught.value.facts["reason"] == "posts_run_together"


def test_posts_whose_authors_stand_on_different_sides_have_run_together() -> None:
    seed = next(seed for seed in seeds("profile-phpbb") if "after-post-en" in seed.name)
    text = reduced(seed, posts=2).text
    author = OWN_AUTHOR.search(text)
    assert author is not None
    text = OWN_AUTHOR.sub("", text, count=1)
    body = OWN_BODY.search(text)
    assert body is not None
    text = text[: body.end()] + author[0] + text[body.end() :]
    with pytest.raises(LayoutChangedError) as caught:
        seed.read(text, URL)
    assert caught.value.facts["reason"] == "posts_run_together"


def test_what_is_left_of_a_word_is_not_taken_for_another_posts() -> None:
    page = seeds("profile-phpbb", 1)[0]
    (first, second) = list(page.truth)[:2]
    assert page.truth[first].words.isdisjoint(page.truth[second].words)
    seed = next(seed for seed in seeds("profile-phpbb") if "after-post-en" in seed.name)
    told = {word for truth in seed.truth.values() for word in truth.words}
    # One post says "prueba", another "pruebas", and a hole makes one of the other.
    assert "prueba" not in told
    assert "pruebas" in told
