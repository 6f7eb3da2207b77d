"""The parts of a tag as a declaration of the game: verb, fields, flags, timing, fallback."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from referee.tags import names
from referee.tags.commands import FINAL_FLAG
from referee.tags.parts import Context, FaultError, Parts, unadorned
from referee.tags.text import key, unwrapped
from referee.tags.tokens import pair, part_keyword, split_fields
from referee.tags.vocabulary import Meaning
from rulesets.core.declarations import Declaration, Kind, Timing
from rulesets.core.ruleset import Verb

UNKNOWN_VERB: Final[Mapping[Kind, str]] = {
    Kind.ACTION: "unknown_action",
    Kind.STANDING: "unknown_order",
    Kind.COMMAND: "unknown_command",
}

_COUNTED: Final = re.compile(r"(.+?) ?# ?([1-9]\d?)")
_COMPARISON: Final = re.compile(r" ?([<>]=?|=) ?(?=[+-]?\d)")
# What players write where ``|`` should stand.
_OTHER_SEPARATOR: Final = re.compile(r" ?, ?| (?:-+>?|/|>+|=>) ")
_NUMBER: Final = re.compile(r"[+-]?\d{1,6}")


def declaration(parts: Parts, actor: str, context: Context) -> Declaration:
    """What a tag declares for a character.

    Raises:
        FaultError: it cannot be read.
    """
    meaning, parts = find_verb(parts, context)
    return _Reader(context, parts, meaning, actor).declaration()


# --- the verb


def find_verb(parts: Parts, context: Context, *, loose: bool = False) -> tuple[Meaning, Parts]:
    """The verb that the first field says, and the parts with the verb alone in that field.

    ``VERB NAME`` is understood where the rest means something to the verb; ``loose`` takes any
    rest that is no slip of a name, for a fallback, which has no other way to name its target.
    """
    kind = Kind(parts.keyword)
    words = context.vocabulary.verbs[kind]
    text = unadorned(parts.fields[0])
    found = words.meanings.get(key(text))
    if found:
        return _only(found, parts, context), parts
    verb, rest = pair(text)
    found = words.meanings.get(key(verb)) if verb else None
    if found:
        return _only(found, parts, context), parts.with_field(0, verb, rest)
    splits = []
    for found, rest in words.beginnings(text):
        if rest and len(found) == 1:
            verb = text[: len(text) - len(rest)].rstrip()
            split = parts.with_field(0, verb, rest)
            if _Reader(context, split, found[0], "").understands(1):
                return found[0], split
            splits.append((found[0], split))
    if loose and splits and not names.match(splits[0][1].fields[1], context.speakers.cast).is_slip:
        return splits[0]
    raise _unknown_verb(text, parts, context)


def _only(found: tuple[Meaning, ...], parts: Parts, context: Context) -> Meaning:
    """The one meaning of a verb's word."""
    if len(found) == 1:
        return found[0]
    words = context.vocabulary.verbs[Kind(parts.keyword)]
    says = tuple(words.say(meaning.id, context.language) for meaning in found)
    raise FaultError("ambiguous_verb", given=parts.fields[0], candidates=says)


def _unknown_verb(text: str, parts: Parts, context: Context) -> FaultError:
    """What to say of a verb that is none: another keyword's, a slip, or a slip in a name."""
    kind = Kind(parts.keyword)
    words = context.vocabulary.verbs[kind]
    code = UNKNOWN_VERB[kind]
    for other in (Kind.ACTION, Kind.STANDING):
        if other != kind and context.vocabulary.verbs[other].one(key(text)):
            moved = replace(parts, keyword=other.value)
            return FaultError(code, moved, given=text, candidates=())
    for found, rest in words.beginnings(text):
        match = names.match(rest, context.speakers.cast)
        if rest and match.is_slip and len(found) == 1:
            verb = text[: len(text) - len(rest)].rstrip()
            mended = parts.with_field(0, verb, match.guess) if match.guess else None
            look_alike = "look_alike_name" if match.look_alikes else "unknown_name"
            return FaultError(look_alike, mended, given=rest, candidates=match.candidates)
    meant = _with_nearest_verb(text, parts, context)
    candidates = words.near(key(text), context.language)
    if meant is not None and not candidates:
        candidates = [meant.fields[0]]
    return FaultError(code, meant, given=text, candidates=tuple(candidates))


def _with_nearest_verb(text: str, parts: Parts, context: Context) -> Parts | None:
    """The tag with the one verb that its first field or the beginning of it is a slip of."""
    words = context.vocabulary.verbs[Kind(parts.keyword)]
    whole = words.guess(key(text), context.language)
    if whole:
        return parts.with_field(0, whole)
    pieces = _OTHER_SEPARATOR.split(text)
    if len(pieces) > 1 and words.one(key(pieces[0])):
        return parts.with_field(0, *pieces)
    for length in (3, 2, 1):
        pieces = text.split(maxsplit=length)
        if len(pieces) > length and context.named(pieces[-1]):
            verb = words.guess(key(" ".join(pieces[:length])), context.language)
            if verb:
                return parts.with_field(0, verb, pieces[-1])
    return None


class _Reader:
    """The fields of one tag, read into one declaration."""

    def __init__(
        self,
        context: Context,
        parts: Parts,
        meaning: Meaning,
        actor: str,
        *,
        is_fallback: bool = False,
    ) -> None:
        self.context = context
        self.vocabulary = context.vocabulary
        self.parts = parts
        self.kind = Kind(parts.keyword)
        self.meaning = meaning
        self.actor = actor
        self.is_fallback = is_fallback
        self.row: Verb = self.vocabulary.rows[self.kind][meaning.id]
        self.fields: dict[str, str] = {}
        self.flags: list[str] = []
        self.timing: Timing | None = None
        self.fallback: Declaration | None = None

    def declaration(self) -> Declaration:
        """The declaration, all fields read."""
        if self.row.clauses:
            clauses = self.parts.fields[1:]
            return Declaration(self.actor, self.kind, self.meaning.id, clauses=clauses)
        for index in range(1, len(self.parts.fields)):
            self._field(index)
        return Declaration(
            self.actor,
            self.kind,
            self.meaning.id,
            fields={**self.meaning.sets, **self.fields},
            flags=tuple(self.flags),
            timing=self.timing,
            fallback=self.fallback,
        )

    def understands(self, index: int) -> bool:
        """Whether a field without a key is a flag, a field or a name for the verb."""
        try:
            return self.row.clauses or self._bare(index)
        except FaultError:
            return False

    # --- fields

    def _field(self, index: int) -> None:
        """Read one field."""
        text = self.parts.fields[index]
        name, value = pair(text)
        folded = key(name) if name else ""
        timing = self.vocabulary.timing.one(folded) if name else ""
        known = self.vocabulary.fields.one(folded, self.row.fields) if name and not timing else ""
        if (timing or known) and not value:
            raise FaultError("empty_field", self.parts.with_field(index), given=name)
        if timing:
            self._set_timing(timing, name, value, index)
        elif known:
            self._set(known, value, index)
        elif name and not self._only_looks_like_a_pair(text):
            raise self._unknown_field(name, value, index)
        elif not self._bare(index):
            self._unknown_bare(index)

    def _only_looks_like_a_pair(self, text: str) -> bool:
        """Whether the colon belongs to a smiley or to the name of somebody."""
        return not pair(unadorned(text))[0] or bool(self.context.named(text))

    def _bare(self, index: int) -> bool:
        """Read a field without a key where it is sure what it means; False where it is not."""
        text = unadorned(self.parts.fields[index])
        if not text:
            return True
        flag = self.vocabulary.flags.one(key(text), (*self.row.flags, FINAL_FLAG))
        if flag:
            if flag not in self.flags:
                self.flags.append(flag)
            return True
        target = self._target
        if target:
            words = self.vocabulary.values_of(target, self.actor)
            known = self.context.known(text, words) or self.context.listed(text, words)
            if known:
                self.fields[target] = known
                return True
        return self._without_colon(text, index)

    @property
    def _target(self) -> str:
        """The field that a bare text goes to, or an empty string where it is taken."""
        fields = self.row.fields
        return fields[0] if fields and fields[0] not in self.fields else ""

    def _without_colon(self, text: str, index: int) -> bool:
        """``tras Moro 2``, ``si cae Moro 2``, ``arma espada``: the colon was forgotten."""
        for found, rest in self.vocabulary.timing.beginnings(text):
            word = text[: len(text) - len(rest)].rstrip()
            try:
                if rest:
                    self._set_timing(found[0].id, word, rest, index, loose=False)
                    return True
            except FaultError:
                continue
        for found, rest in self.vocabulary.fields.beginnings(text):
            ids = [meaning.id for meaning in found if meaning.id in self.row.fields]
            if rest and len(ids) == 1:
                self._set(ids[0], rest, index)
                return True
        return False

    def _unknown_bare(self, index: int) -> None:
        """The first field is the target in the player's own words; any other should be a flag."""
        text = self.parts.fields[index]
        flags = (*self.row.flags, FINAL_FLAG)
        words, language = self.vocabulary.flags, self.context.language
        close = words.near(key(unadorned(text)), language, flags)
        guess = words.guess(key(unadorned(text)), language, flags)
        target = self._target
        if index == 1 and target and not guess:
            self.fields[target] = unwrapped(text)
            return
        meant = self.parts.with_field(index, guess) if guess else None
        if not close:
            close = [words.say(flag, language, flags) for flag in flags]
            close += self._said_fields()
        raise FaultError(
            "unknown_flag", meant, given=text, verb=self._said_verb(), candidates=tuple(close)
        )

    def _unknown_field(self, name: str, value: str, index: int) -> FaultError:
        """A key that the verb does not take."""
        folded, language = key(name), self.context.language
        close = self.vocabulary.fields.near(folded, language, self.row.fields)
        close += self.vocabulary.timing.near(folded, language)
        guess = self.vocabulary.fields.guess(folded, language, self.row.fields)
        guess = guess or self.vocabulary.timing.guess(folded, language)
        meant = None
        if guess:
            meant = self.parts.with_field(index, f"{guess}: {value}")
        elif self._target and self.context.named(value):
            said = self.vocabulary.fields.say(self._target, language, self.row.fields)
            meant = self.parts.with_field(index, f"{said}: {value}")
        elif self.vocabulary.fields.ids(folded):
            meant = self.parts.with_field(index)  # a field of other verbs, of no use to this one
        candidates = tuple(close or self._said_fields())
        return FaultError(
            "unknown_field", meant, given=name, verb=self._said_verb(), candidates=candidates
        )

    def _said_verb(self) -> str:
        return self.vocabulary.verbs[self.kind].say(self.row.id, self.context.language)

    def _said_fields(self) -> list[str]:
        fields = self.row.fields
        return [self.vocabulary.fields.say(f, self.context.language, fields) for f in fields]

    def _set(self, field: str, value: str, index: int) -> None:
        """Keep a value: an id or a name of the cast where the words are known, else the words."""
        read = self.context.value(field, value, self.actor)
        if self.fields.setdefault(field, read) != read:
            given = self.vocabulary.fields.say(field, self.context.language, self.row.fields)
            raise FaultError("duplicate_field", self.parts.with_field(index), given=given)

    # --- timing and fallback

    def _set_timing(
        self, timing: str, word: str, value: str, index: int, *, loose: bool = True
    ) -> None:
        """Read ``tras``, ``antes``, ``si`` or ``si no``; not ``loose``: only what is sure."""

        def mended(text: str) -> Parts:
            return self.parts.with_field(index, f"{word}: {text}")

        if self.is_fallback:
            raise FaultError("nested_fallback", self.parts.with_field(index))
        if timing == "otherwise":
            if self.fallback is not None:
                raise FaultError("duplicate_field", self.parts.with_field(index), given=word)
            self.fallback = self._otherwise(value, mended, loose=loose)
        elif self.timing is not None:
            raise FaultError("two_timings", self.parts.with_field(index))
        elif timing == "when":
            self.timing = self._event(value, mended)
        else:
            self.timing = self._turn(timing, value, mended)

    def _turn(self, timing: str, value: str, mended: Callable[[str], Parts]) -> Timing:
        """``Moro 2``, or ``Moro 2#2`` for the second of his actions."""
        counted = _COUNTED.fullmatch(value)
        if counted is None or self.context.named(value):
            return Timing(timing, self.context.character(value, mended))

        def with_count(name: str) -> Parts:
            return mended(f"{name}#{counted[2]}")

        return Timing(timing, self.context.character(counted[1], with_count), int(counted[2]))

    def _event(self, value: str, mended: Callable[[str], Parts]) -> Timing:
        """``me atacan``, ``Bandido 1 cae``, ``cae Bandido 1``, ``tirada >= 80``."""
        triggers = self.vocabulary.triggers
        text = _COMPARISON.sub(r" \1 ", unwrapped(unadorned(value)))
        whole = triggers.one(key(text))
        if whole:
            return Timing("when", event=whole)
        for found, name in triggers.endings(text):
            if name and len(found) == 1:
                said = text[len(name) :].strip()
                return self._about(found[0].id, name, f"{{}} {said}", mended)
        for found, name in triggers.beginnings(text):
            if name and len(found) == 1:
                said = text[: len(text) - len(name)].strip()
                return self._about(found[0].id, name, f"{said} {{}}", mended)
        raise self._unknown_event(value, text, mended)

    def _about(
        self, event: str, written: str, phrase: str, mended: Callable[[str], Parts]
    ) -> Timing:
        """An event of somebody, or a comparison with a figure; ``phrase`` is it with a gap."""
        if _NUMBER.fullmatch(written):
            return Timing("when", written, event=event)

        def with_name(name: str) -> Parts:
            return mended(phrase.replace("{}", name, 1))

        return Timing("when", self.context.character(written, with_name), event=event)

    def _unknown_event(self, value: str, text: str, mended: Callable[[str], Parts]) -> FaultError:
        triggers, language = self.vocabulary.triggers, self.context.language
        close = triggers.near(key(text), language)
        whole = triggers.guess(key(text), language)
        meant = mended(whole) if whole else None
        pieces = text.split()
        for length in range(1, min(triggers.longest + 1, len(pieces))):
            guess = triggers.guess(key(" ".join(pieces[-length:])), language)
            if guess and meant is None:
                close.insert(0, guess)
                meant = mended(" ".join([*pieces[:-length], guess]))
        if not close:
            close = [triggers.say(name, language) for name in triggers.every]
        return FaultError(
            "unknown_event", meant, given=value, candidates=tuple(dict.fromkeys(close))
        )

    def _otherwise(self, value: str, mended: Callable[[str], Parts], *, loose: bool) -> Declaration:
        """``ataque Moro 2``, or in brackets with fields of its own, or a whole tag."""
        fields: tuple[str, ...] = (value,)
        bracketed = value.startswith("[") and value.endswith("]")
        if bracketed:
            inner = value[1:-1]
            _, name, body = part_keyword(inner, self.vocabulary) or ("", "", inner)
            if name and self.context.named(name) != self.actor:
                raise FaultError("nested_tag", given=value)
            fields = split_fields(body)
        if not fields:
            raise FaultError("empty_field", None, given=value)
        inner_parts = Parts(self.parts.keyword, "", fields)

        def outer(inner: Parts | None) -> Parts | None:
            if inner is None:
                return None
            text = " | ".join(inner.fields)
            return mended(f"[{text}]" if len(inner.fields) > 1 else text)

        try:
            meaning, inner_parts = find_verb(inner_parts, self.context, loose=loose)
            reader = _Reader(self.context, inner_parts, meaning, self.actor, is_fallback=True)
            return reader.declaration()
        except FaultError as fault:
            raise FaultError(fault.code, outer(fault.meant), **fault.facts) from None
