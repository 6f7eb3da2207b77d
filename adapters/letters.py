"""What mailboxes have in common: the newest that others have written, oldest first."""

from collections.abc import Iterable
from typing import Final

from adapters.base import Letter, ThreadPage

CONVERSATIONS: Final = 3
"""How many conversations are looked into, the newest first: a declaration is never far down."""


def by_others(pages: Iterable[ThreadPage]) -> tuple[Letter, ...]:
    """What others than the viewer say on pages of private threads, where ids are numbers.

    A message without own words is none: somebody has quoted, and said nothing.
    """
    found = (
        Letter(page.title, post)
        for page in pages
        for post in page.posts
        if post.author_id != page.viewer_id and post.own_words
    )
    return tuple(sorted(found, key=lambda letter: int(letter.post.id)))
