"""Tags that their author lost inside a quotation or a block of code."""

import re
from collections.abc import Collection
from typing import Final

from referee.tags.problems import TagProblem
from referee.tags.text import key
from referee.tags.tokens import RawTag, find_tags
from referee.tags.vocabulary import Vocabulary

_SPACES_AND_QUOTES: Final = re.compile(r"[\s\"']+")

MAX_LOST: Final = 5  # reported of one post; whoever quotes a whole page knows that it is quoted


def lost_tags(
    set_aside: str, vocabulary: Vocabulary, seen: Collection[str] = ()
) -> tuple[TagProblem, ...]:
    """Tags in what a post quotes or shows as code that stand nowhere else.

    Args:
        set_aside: Text of the post's quotations and code blocks.
        vocabulary: The words of the thread.
        seen: Words of the tags that other posts of the thread hold: those are quoted, not lost.

    Returns:
        A ``lost_tag`` for each, whose cure is the tag itself, to be posted outside.
    """
    known = {_essence(words) for words in seen}
    lost = (raw for raw in find_tags(set_aside, vocabulary) if not raw.problem)
    fresh = [raw for raw in lost if _essence(raw.words) not in known][:MAX_LOST]
    return tuple(_problem(raw, vocabulary) for raw in fresh)


def _essence(words: str) -> str:
    """A tag without what quoting and copying change: spaces and quotes."""
    return _SPACES_AND_QUOTES.sub("", key(words))


def _problem(raw: RawTag, vocabulary: Vocabulary) -> TagProblem:
    keyword = vocabulary.keywords.say(raw.keyword, vocabulary.language)
    return TagProblem("lost_tag", raw.words, {"keyword": keyword}, raw.words)
