"""The engine against the built-in adapters: the same pages, the same posts."""

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from adapters import phpbb
from adapters.base import Post, ThreadPage
from adapters.errors import AdapterError
from adapters.html import Words, own_words, soup_of
from adapters.markup import MYBB
from adapters.pages import Reader
from tests.adapters.captures.test_same_tags import declared, found_in
from tests.adapters.profiles.reading import good_profile

HERE = Path(__file__).parents[1]
PAGES = [
    path
    for path in sorted((HERE / "phpbb").glob("*.yaml"))
    if path.name != "unused.yaml" and YAML(typ="safe").load(path)["asks"] == "thread"
]


def said(read: Any, case: dict[str, Any], text: str) -> ThreadPage | tuple[str, str]:
    try:
        page: ThreadPage = read(text, case["url"], status=case.get("status", 200))
    except AdapterError as error:
        return type(error).__name__, error.cure
    return page


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_profile_of_phpbb_reads_what_the_adapter_reads(path: Path) -> None:
    case = YAML(typ="safe").load(path)
    text = (path.parent / case.get("page", f"{path.stem}.html")).read_text(encoding="utf-8")
    ours = said(Reader(good_profile("phpbb")).read, case, text)
    theirs = said(phpbb.parse_thread, case, text)
    if isinstance(theirs, ThreadPage) and isinstance(ours, ThreadPage):
        assert ours.posts == theirs.posts
        assert {**vars_of(ours), "locked": None} == {**vars_of(theirs), "locked": None}
        assert bool(ours.locked) == bool(theirs.locked)
    else:
        assert ours == theirs


def vars_of(page: ThreadPage) -> dict[str, Any]:
    names = ("url", "next_url", "previous_url", "last_url", "title", "viewer_id")
    return {name: getattr(page, name) for name in names}


def mybb_posts() -> list[Post]:
    reader = Reader(good_profile("mybb"))
    posts: list[Post] = []
    for page in sorted((HERE / "captures" / "mybb").glob("topic-p*.html")):
        number = page.stem.split("-")[1][1:]
        url = f"http://127.0.0.1:8102/showthread.php?tid=1&page={number}"
        posts.extend(reader.read(page.read_text(encoding="utf-8"), url).posts)
    return posts


def test_a_profile_of_mybb_reads_the_words_that_its_markup_row_gives() -> None:
    posts = mybb_posts()
    expected = []
    for page in sorted((HERE / "captures" / "mybb").glob("topic-p*.html")):
        soup = soup_of(page.read_text(encoding="utf-8"), "http://forum.test/")
        expected.extend(own_words(body, MYBB) for body in soup.select("div.post_body"))
    assert [post.own_words for post in posts] == [words.own for words in expected]
    assert [post.set_aside for post in posts] == [words.set_aside for words in expected]
    assert len({post.id for post in posts}) == 30
    assert {post.author_id: post.author_name for post in posts} == {
        "2": "Narradora", "3": "Lucía", "4": "Tomás", "5": "Wren",
    }  # fmt: skip


def test_the_same_tags_come_out_of_mybb_by_its_profile() -> None:
    found = {
        number: found_in(Words(post.own_words, post.set_aside))
        for number, post in enumerate(mybb_posts(), 1)
    }
    assert found == {number: declared("mybb", number) for number in range(1, 31)}


def test_mybb_past_its_end_is_its_first_page_and_says_so() -> None:
    text = (HERE / "captures" / "mybb" / "topic-p1-en.html").read_text(encoding="utf-8")
    url = "http://127.0.0.1:8102/showthread.php?tid=1&page=9"
    page = Reader(good_profile("mybb")).read(text, url)
    assert page.url == "http://127.0.0.1:8102/showthread.php?tid=1"
    assert page.next_url.endswith("page=2")
    assert page.last_url.endswith("page=3")
