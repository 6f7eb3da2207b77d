"""What a player's tag can be wrong about: codes and facts, no sentences."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

# Code -> facts that always come with it. The sentences are in ``messages.yaml``.
PROBLEMS: Final[Mapping[str, tuple[str, ...]]] = {
    # how the tag is written
    "unclosed_tag": ("keyword",),
    "missing_colon": ("keyword",),
    "wrong_brackets": ("keyword",),
    "empty_tag": ("keyword",),
    "tag_too_long": ("limit",),
    "too_many_tags": ("limit",),
    "too_many_fields": ("limit",),
    "nested_tag": ("given",),
    "unknown_keyword": ("given", "candidates"),
    "lost_tag": ("keyword",),
    # who it is for
    "unknown_name": ("given", "candidates"),
    "look_alike_name": ("given", "candidates"),
    "ambiguous_name": ("given", "candidates"),
    "not_your_character": ("given", "candidates"),
    "which_character": ("candidates",),
    "no_character": (),
    "not_game_master": ("given",),
    # what it says
    "unknown_action": ("given", "candidates"),
    "unknown_order": ("given", "candidates"),
    "unknown_command": ("given", "candidates"),
    "ambiguous_verb": ("given", "candidates"),
    "unknown_field": ("given", "verb", "candidates"),
    "unknown_flag": ("given", "verb", "candidates"),
    "duplicate_field": ("given",),
    "empty_field": ("given",),
    "missing_field": ("verb", "candidates"),
    "not_a_number": ("given", "field"),
    "two_timings": (),
    "unknown_event": ("given", "candidates"),
    "nested_fallback": (),
    # dice
    "bad_dice": ("given", "rest"),
    "no_dice": ("given",),
    "dice_too_long": ("limit",),
    "dice_too_deep": ("limit",),
    "too_many_dice": ("given", "limit"),
    "sides_out_of_range": ("given", "least", "limit"),
    "keep_out_of_range": ("given", "limit"),
    "number_too_big": ("limit",),
    "division_by_zero": (),
    "unknown_figure": ("given",),
}
PROBLEM_CODES: Final = tuple(PROBLEMS)


@dataclass(frozen=True, slots=True)
class TagProblem:
    """A tag that cannot be understood, or not from this author.

    Attributes:
        code: One of ``PROBLEM_CODES``.
        words: The tag as posted; of a very long one only the beginning.
        facts: Names and figures that the message needs, as ``PROBLEMS`` lists them; candidates
            are what would have been right, nearest first, spelt as the thread's language says it.
        cure: A tag ready to be copied that means what was probably meant; always one that can
            be read. Empty where the guess would be wild.
    """

    code: str
    words: str
    facts: Mapping[str, object] = field(default_factory=dict)
    cure: str = ""
