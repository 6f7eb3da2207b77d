"""A post's own words -> declarations and requests, or what is wrong with a tag. Pure.

``find_tags`` finds the tags of a post, ``read_tag`` says what one means to a ``Vocabulary`` for
an author who may act for some ``Speakers``, and ``spell`` prints a declaration as the tag that
says it. Free rolls are read and rolled by ``roll``.
"""

from referee.tags.lost import lost_tags
from referee.tags.names import Speakers
from referee.tags.problems import PROBLEM_CODES, PROBLEMS, TagProblem
from referee.tags.reading import Reading, read_tag
from referee.tags.readings import Command, FreeRoll, HelpRequest, Secrecy, Withdrawal
from referee.tags.rolls import FreeRollResult, parse, roll
from referee.tags.spelling import spell
from referee.tags.text import Normalised, normalise
from referee.tags.tokens import RawTag, find_tags
from referee.tags.vocabulary import Vocabulary

__all__ = [
    "PROBLEMS",
    "PROBLEM_CODES",
    "Command",
    "FreeRoll",
    "FreeRollResult",
    "HelpRequest",
    "Normalised",
    "RawTag",
    "Reading",
    "Secrecy",
    "Speakers",
    "TagProblem",
    "Vocabulary",
    "Withdrawal",
    "find_tags",
    "lost_tags",
    "normalise",
    "parse",
    "read_tag",
    "roll",
    "spell",
]
