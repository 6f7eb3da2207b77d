"""What mailboxes have in common: where to look, and whose words count."""

from collections.abc import Collection, Iterable
from typing import Final, TypeVar

from adapters.base import Letter, ThreadPage

T = TypeVar("T")

_EACH: Final = 2
"""Conversations looked into for each writer: the newest may have been brought up by another."""


def worth_reading(
    conversations: Iterable[tuple[T, Collection[str]]], writers: Collection[str]
) -> list[T]:
    """Of conversations, the newest first, those in which somebody who is awaited may have written.

    Args:
        conversations: With the user ids of whom the list names in it; of nobody where it tells
            nobody, and then it may be anybody's.
        writers: Who is awaited.
    """
    wanted = dict.fromkeys(writers, _EACH)
    chosen: list[T] = []
    for conversation, people in conversations:
        whose = [writer for writer in people if wanted.get(writer)]
        if whose or (not people and len(chosen) < _EACH * len(wanted)):
            chosen.append(conversation)
        wanted |= {writer: wanted[writer] - 1 for writer in whose}
    return chosen


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
