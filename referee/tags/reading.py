"""From a tag as found in a post to what it means, or to what is wrong with it.

A fault that says how the tag was probably meant gets a cure: the guess is read again, and only
what can be read is offered.
"""

from dataclasses import replace
from typing import Final

from referee.tags import ordering, rolls
from referee.tags.commands import ROLL_FIELDS
from referee.tags.declaring import declaration
from referee.tags.names import Speakers
from referee.tags.parts import Context, FaultError, Parts
from referee.tags.problems import TagProblem
from referee.tags.readings import Command, FreeRoll, HelpRequest, Secrecy, Withdrawal
from referee.tags.spelling import joined, spell
from referee.tags.text import key, unwrapped
from referee.tags.tokens import MAX_FIELDS, RawTag, holds_tag, pair, split_fields
from referee.tags.vocabulary import Vocabulary
from rulesets.core.declarations import Declaration

Reading = Declaration | Command | FreeRoll | HelpRequest | Secrecy | Withdrawal

MAX_GUESSES: Final = 4  # faults of one tag that a cure mends at most


def read_tag(raw: RawTag, vocabulary: Vocabulary, speakers: Speakers) -> Reading | TagProblem:
    """What a tag means.

    Args:
        raw: A tag that ``find_tags`` found.
        vocabulary: The words of the thread.
        speakers: Whom the author may act for.

    Returns:
        A declaration with ids for the words that the vocabulary knows, another request to the
        referee, or what is wrong with the tag.
    """
    context = Context(vocabulary, speakers)
    parts = Parts(raw.keyword, raw.name, split_fields(raw.body))
    if raw.problem:
        return TagProblem(raw.problem, raw.words, raw.facts, _cure(parts, context))
    try:
        return replace(_read(parts, context), words=raw.words)
    except FaultError as fault:
        cure = _cure(fault.meant, context)
        return TagProblem(fault.code, raw.words, fault.facts, cure)


def _read(parts: Parts, context: Context) -> Reading:
    if not parts.fields:
        keyword = context.vocabulary.keywords.say(parts.keyword, context.language)
        raise FaultError("empty_tag", keyword=keyword)
    if len(parts.fields) > MAX_FIELDS:
        raise FaultError("too_many_fields", limit=MAX_FIELDS)
    for text in parts.fields:
        _refuse_nested(text, context)
    if parts.keyword == "roll":
        return _roll(parts, context)
    if parts.keyword == "command":
        return ordering.order(parts, context)
    asked = ordering.request(parts, context)
    if asked is not None:
        return asked
    return declaration(parts, context.actor(parts), context)


def _refuse_nested(text: str, context: Context) -> None:
    """A tag in a tag is two tags of which one was not closed, except where it is the fallback."""
    if "[" in text and holds_tag(text, context.vocabulary):
        name, _ = pair(text)
        if context.vocabulary.timing.one(key(name)) != "otherwise":
            raise FaultError("nested_tag", given=text)


def _roll(parts: Parts, context: Context) -> FreeRoll | HelpRequest:
    """A free roll: an expression, and what it is for."""
    if context.vocabulary.requests.one(key(parts.fields[0])) == "help":
        return HelpRequest("roll")
    expression = rolls.parse(unwrapped(parts.fields[0]))
    if isinstance(expression, TagProblem):
        meant = _with_reason(parts, expression, context)
        raise FaultError(expression.code, meant, **expression.facts)
    actor = context.speakers.unnamed
    if parts.name or expression.figures:
        actor = context.actor(parts)
    fields: dict[str, str] = {}
    for index in range(1, len(parts.fields)):
        _roll_field(parts, index, fields, context)
    return FreeRoll(expression.text, actor, fields)


def _roll_field(parts: Parts, index: int, fields: dict[str, str], context: Context) -> None:
    words, language = context.vocabulary.fields, context.language
    name, value = pair(parts.fields[index])
    known = words.one(key(name), ROLL_FIELDS) if name else "reason"
    if not known:
        close = words.near(key(name), language, ROLL_FIELDS)
        guess = words.guess(key(name), language, ROLL_FIELDS)
        meant = parts.with_field(index, f"{guess}: {value}") if guess else None
        candidates = close or [words.say(field, language, ROLL_FIELDS) for field in ROLL_FIELDS]
        verb = context.vocabulary.keywords.say("roll", language)
        raise FaultError(
            "unknown_field", meant, given=name, verb=verb, candidates=tuple(candidates)
        )
    if not value:
        raise FaultError("empty_field", parts.with_field(index), given=name)
    text = unwrapped(value)
    if fields.setdefault(known, text) != text:
        given = words.say(known, language, ROLL_FIELDS)
        raise FaultError("duplicate_field", parts.with_field(index), given=given)


def _with_reason(parts: Parts, problem: TagProblem, context: Context) -> Parts | None:
    """``1d100 Trepar``: the words behind the dice were probably what it is rolled for."""
    rest = str(problem.facts.get("rest", ""))
    dice = str(problem.facts.get("given", ""))[: -len(rest) or None].strip()
    if not rest or not dice or not rest.strip("() ").replace(" ", "").isalpha():
        return None
    reason = context.vocabulary.fields.say("reason", context.language, ROLL_FIELDS)
    return parts.with_field(0, dice, f"{reason}: {rest.strip('() ')}")


def _cure(parts: Parts | None, context: Context) -> str:
    """The tag that was probably meant, ready to be copied; empty where it is not sure.

    A tag may hold several faults: each that can be mended is.
    """
    for _ in range(MAX_GUESSES):
        if parts is None:
            return ""
        try:
            reading = _read(parts, context)
        except FaultError as fault:
            parts = fault.meant
            continue
        if isinstance(reading, Declaration):
            named = bool(parts.name)
            return spell(reading, context.vocabulary, context.language, named=named)
        return joined(context.vocabulary, parts.keyword, parts.name, parts.fields)
    return ""
