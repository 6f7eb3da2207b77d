"""One thread on eight real forums: the same tags are read on each."""

from functools import cache

import pytest

from referee.tags import find_tags
from referee.tags.tokens import split_fields
from tests.adapters.captures.test_same_tags import READERS, THREAD, thread_on
from tests.tags.speaking import LANGUAGES, vocabulary_of

Parts = tuple[str, str, tuple[str, ...], str]
WORDS = vocabulary_of(*LANGUAGES)


@cache
def read_on(platform: str) -> list[list[Parts]]:
    """Keyword, name, fields and problem of every tag of every post."""
    return [
        [
            (raw.keyword, raw.name, split_fields(raw.body), raw.problem)
            for raw in find_tags(words.own, WORDS)
        ]
        for words in thread_on(platform)
    ]


@pytest.mark.parametrize("platform", READERS)
def test_the_same_tags_are_read_on_every_platform(platform):
    lost = {loss["post"] for loss in THREAD["losses"] if platform in loss["platforms"]}
    for number, (here, there) in enumerate(
        zip(read_on(platform), read_on("spirit"), strict=True), start=1
    ):
        if number not in lost:
            assert here == there, number


def test_the_thread_has_tags_of_every_difficulty():
    tags = [tag for post in read_on("spirit") for tag in post]
    assert len(tags) > 20
    assert {keyword for keyword, *_ in tags} == {"action", "roll"}
    assert not any(problem for *_, problem in tags)
