"""Print a declaration as the tag that says the same: what is printed is read back unchanged."""

import re
from collections.abc import Iterable
from typing import Final

from referee.tags.commands import FINAL_FLAG
from referee.tags.text import key
from referee.tags.tokens import split_fields
from referee.tags.vocabulary import Vocabulary, Words
from rulesets.core.declarations import Declaration, Timing

# What would be taken for the forum's or the keyboard's way of writing something else.
_REFERENCE: Final = re.compile(r"&(?=#?\w{1,32};)")
_ESCAPE: Final = re.compile(r"\\(?=[\[\]|])")
_BREAK: Final = re.compile(r"<(?=[bB][rR] ?/?>)")
_PLAIN: Final = re.compile(r"\w+(?: \w+)*")
_NUMBER: Final = re.compile(r"[+-]?\d+")


def joined(vocabulary: Vocabulary, keyword: str, name: str, fields: Iterable[str]) -> str:
    """A tag from its parts, the keyword in the thread's language."""
    said = vocabulary.keywords.say(keyword, vocabulary.language)
    return f"[{said}{_named(name)}: {' | '.join(fields)}]"


def spell(
    declaration: Declaration, vocabulary: Vocabulary, lang: str, *, named: bool = True
) -> str:
    """The tag that declares this.

    Args:
        declaration: What to say.
        vocabulary: The words of the thread.
        lang: Language to say it in; another language of the thread where a word is missing.
        named: Whether to name the character; the author of a single character need not.
    """
    keyword = vocabulary.keywords.say(declaration.kind.value, lang)
    name = _named(declaration.actor) if named and declaration.actor else ""
    return f"[{keyword}{name}: {' | '.join(_fields(declaration, vocabulary, lang))}]"


def _named(name: str) -> str:
    if not name:
        return ""
    must_be_quoted = any(c in name for c in ":=|;") or name.strip("*_~`") != name
    return f' "{name}"' if must_be_quoted else f" {name}"


def _fields(declaration: Declaration, vocabulary: Vocabulary, lang: str) -> list[str]:
    kind, verb = declaration.kind, declaration.verb
    row = vocabulary.rows[kind].get(verb)
    said = [vocabulary.verbs[kind].say(verb, lang)]
    if row is not None and row.clauses:
        return said + [_escaped(clause) for clause in declaration.clauses]
    among = row.fields if row else tuple(declaration.fields)
    for name, value in declaration.fields.items():
        field = vocabulary.fields.say(name, lang, among)
        words = vocabulary.values_of(name, declaration.actor)
        said.append(_pair(field, _value(value, words, lang)))
    flags = (*row.flags, FINAL_FLAG) if row else declaration.flags
    said += [vocabulary.flags.say(flag, lang, flags) for flag in declaration.flags]
    if declaration.timing is not None:
        said.append(_timing(declaration.timing, vocabulary, lang))
    if declaration.fallback is not None:
        otherwise = vocabulary.timing.say("otherwise", lang)
        said.append(f"{otherwise}: {_fallback(declaration.fallback, vocabulary, lang)}")
    return said


def _fallback(fallback: Declaration, vocabulary: Vocabulary, lang: str) -> str:
    """``ataque Moro 2`` where that says it all, else the fields in brackets."""
    fields = _fields(fallback, vocabulary, lang)
    if len(fields) == 1:
        return fields[0]
    target = next(iter(fallback.fields), "")
    row = vocabulary.rows[fallback.kind].get(fallback.verb)
    is_target = row is not None and row.fields[:1] == (target,) and target not in vocabulary.values
    if len(fields) == 2 and is_target:
        name = fallback.fields[target]
        if _PLAIN.fullmatch(name) and not _means_something(name, vocabulary):
            written = f"{fields[0]} {name}"
            words = vocabulary.verbs[fallback.kind]
            longest = next(words.beginnings(written), ((), ""))
            if longest[1] == name and words.one(key(written)) == "":
                return written
    return f"[{' | '.join(fields)}]"


def _means_something(text: str, vocabulary: Vocabulary) -> bool:
    """Whether a target without its key might be taken for a flag, a timing or another field."""
    tables = (vocabulary.flags, vocabulary.timing, vocabulary.fields, vocabulary.particles)
    return any(True for words in tables for _ in words.beginnings(text))


def _value(value: str, words: Words | None, lang: str) -> str:
    """The words for a field's ids; what is no id says itself."""
    if words is not None:
        parts = [part.strip() for part in value.split(",")]
        value = ", ".join(words.say(part, lang) if part in words.every else part for part in parts)
    return _escaped(value)


def _pair(field: str, value: str) -> str:
    """Key and value, in quotes where the value would be taken for several fields."""
    written = f"{field}: {value}"
    if '"' not in value and split_fields(written) != (written,):
        return f'{field}: "{value}"'
    return written


def _timing(timing: Timing, vocabulary: Vocabulary, lang: str) -> str:
    word = vocabulary.timing.say(timing.kind, lang)
    if timing.kind != "when":
        count = f"#{timing.count}" if timing.count != 1 else ""
        return f"{word}: {_escaped(timing.name)}{count}"
    event = vocabulary.triggers.say(timing.event, lang)
    if _NUMBER.fullmatch(timing.name):
        return f"{word}: {event} {timing.name}"
    return f"{word}: {timing.name} {event}" if timing.name else f"{word}: {event}"


def _escaped(text: str) -> str:
    text = _REFERENCE.sub("&amp;", text)
    return _BREAK.sub("&lt;", _ESCAPE.sub("&#92;", text))
