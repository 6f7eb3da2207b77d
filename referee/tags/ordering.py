"""The parts of a tag as an order to the referee: the game master's commands, anyone's requests."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from referee.tags.commands import COMMANDS, CommandVerb
from referee.tags.declaring import declaration
from referee.tags.parts import Context, FaultError, Parts, unadorned
from referee.tags.readings import Command, HelpRequest, Secrecy, Withdrawal
from referee.tags.text import key, unwrapped
from referee.tags.tokens import pair
from referee.tags.vocabulary import Words
from rulesets.core.declarations import Declaration, Kind

_NUMBER: Final = re.compile(r"[+-]?\d{1,6}")
_PROSE: Final = frozenset({"reason", "until", "choice"})
_SIGNED: Final = re.compile(r"([+-]?) ?(.*)", re.DOTALL)


def request(parts: Parts, context: Context) -> HelpRequest | Withdrawal | Secrecy | Command | None:
    """What anyone may ask under ``acción`` or ``reacción``, or None where it is none of that."""
    verb, split = _known(context.vocabulary.requests, parts, ("help", "answer"))
    if verb == "help":
        return _help(split, context)
    if verb == "answer":
        return _Reader(context, split, COMMANDS["answer"]).command()
    if verb in {"withdraw", "secret"}:
        if len(split.fields) > 1:
            raise FaultError(
                "unknown_flag",
                Parts(parts.keyword, parts.name, parts.fields[:1]),
                given=split.fields[1],
                verb=split.fields[0],
                candidates=(),
            )
        actor, kind = context.actor(parts), Kind(parts.keyword)
        return Withdrawal(actor, kind) if verb == "withdraw" else Secrecy(actor)
    return None


def order(parts: Parts, context: Context) -> Command | HelpRequest | Declaration:
    """What a tag of ``árbitro`` asks for: a shared command, or a verb of the game."""
    vocabulary = context.vocabulary
    asked, split = _known(vocabulary.requests, parts, ("help",))
    if asked == "help":
        return _help(split, context)
    verb, split = _known(vocabulary.commands, parts, tuple(COMMANDS))
    if vocabulary.verbs[Kind.COMMAND].one(key(unadorned(parts.fields[0]))):
        verb = ""  # a verb of the game's own, such as ``fin de escena``, is more than ``fin``
    if verb != "answer" and not context.speakers.is_gm:
        raise FaultError("not_game_master", given=parts.fields[0])
    if verb:
        return _Reader(context, split, COMMANDS[verb]).command()
    actor = context.actor(parts) if parts.name else ""
    try:
        return declaration(parts, actor, context)
    except FaultError as fault:
        if fault.code == "unknown_command":
            raise _unknown_command(parts, fault, context) from None
        raise


def _known(words: Words, parts: Parts, with_rest: tuple[str, ...]) -> tuple[str, Parts]:
    """The id that the first field says, and the parts with that verb alone in it; or nothing.

    Ids of ``with_rest`` may have their first field in the same breath: ``plazo 48 h``.
    """
    text = unadorned(parts.fields[0])
    whole = words.one(key(text))
    if whole:
        return whole, parts
    verb, rest = pair(text)
    found = words.one(key(verb)) if verb and rest else ""
    if found in with_rest:
        return found, parts.with_field(0, verb, rest)
    for meanings, rest in words.beginnings(text):
        if rest and len(meanings) == 1 and meanings[0].id in with_rest:
            said = text[: len(text) - len(rest)].rstrip()
            return meanings[0].id, parts.with_field(0, said, rest)
    return "", parts


def _help(parts: Parts, context: Context) -> HelpRequest:
    """Help with what follows; the verb's id where one is named."""
    topic = unwrapped(unadorned(" ".join(parts.fields[1:])))
    vocabulary = context.vocabulary
    tables = (*vocabulary.verbs.values(), vocabulary.commands, vocabulary.keywords)
    exact = next(filter(None, (words.one(key(topic)) for words in tables)), "")
    partly = {name for words in tables for name in words.holding(key(topic))}
    return HelpRequest(exact or (partly.pop() if len(partly) == 1 else topic))


def _unknown_command(parts: Parts, fault: FaultError, context: Context) -> FaultError:
    """A command that neither the game nor the referee knows."""
    given = unadorned(parts.fields[0])
    commands = context.vocabulary.commands
    close = commands.near(key(given), context.language)
    candidates = [*close, *(c for c in _texts(fault.facts.get("candidates")) if c not in close)]
    guess = commands.guess(key(given), context.language)
    meant = parts.with_field(0, guess) if guess else fault.meant
    if not candidates:
        candidates = [commands.say(name, context.language) for name in COMMANDS]
    return FaultError("unknown_command", meant, given=given, candidates=tuple(candidates))


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, tuple) else ()


def _new_value(word: str, tables: Sequence[Words]) -> str:
    """Id that a word of a new state stands for; each side of ``mail coat: 2`` for itself."""
    known = next(filter(None, (words.one(key(word)) for words in tables)), "")
    name, rest = pair(word)
    if known or not name:
        return known or word
    return f"{_new_value(name, tables)}: {_new_value(rest, tables)}"


class _Reader:
    """The fields of one shared command."""

    def __init__(self, context: Context, parts: Parts, row: CommandVerb) -> None:
        self.context = context
        self.vocabulary = context.vocabulary
        self.parts = parts
        self.row = row
        self.fields: dict[str, str] = {}
        self.pairs: list[tuple[str, str]] = []

    def command(self) -> Command:
        """The command, all fields read."""
        for index in range(1, len(self.parts.fields)):
            self._field(index)
        if self.row.verb.id == "answer" and "choice" not in self.fields:
            # With one question open its label need not be given.
            question = self.fields.pop("question", None)
            if question is not None:
                self.fields["choice"] = question
        missing = [name for name in self.row.required if name not in self.fields]
        if self.row.pairs and not self.pairs:
            missing.append("state")
        if missing:
            raise FaultError("missing_field", verb=self._verb(), candidates=self._said(missing))
        return Command(self.row.verb.id, self.fields, (), tuple(self.pairs))

    def _field(self, index: int) -> None:
        names = self.row.verb.fields
        text = self.parts.fields[index]
        name, value = pair(text)
        known = self.vocabulary.fields.one(key(name), names) if name else ""
        if known and not value:
            raise FaultError("empty_field", self.parts.with_field(index), given=name)
        if known:
            self._set(known, value, index)
        elif name and self.row.pairs:
            state = self._state(name)
            self.pairs.append((state, self._new_state(state, value)))
        elif name and not self._is_prose(name):
            raise self._unknown_field(name, value, index)
        else:
            self._bare(text, index)

    def _is_prose(self, name: str) -> bool:
        """Whether a colon stands in free words: the next open field takes words of any kind."""
        names = self.row.verb.fields
        free = next((field for field in names if field not in self.fields), "")
        guess = self.vocabulary.fields.guess(key(name), self.context.language, names)
        return free in _PROSE and not guess

    def _bare(self, text: str, index: int) -> None:
        """``ronda 3``, or the next field that is still open."""
        names = self.row.verb.fields
        for found, rest in self.vocabulary.fields.beginnings(text):
            ids = [meaning.id for meaning in found if meaning.id in names]
            if rest and len(ids) == 1 and ids[0] not in self.fields:
                self._set(ids[0], rest, index)
                return
        free = next((name for name in names if name not in self.fields), "")
        if not free or (self.row.pairs and free != "character"):
            raise FaultError(
                "unknown_flag", given=text, verb=self._verb(), candidates=self._said(names)
            )
        if free == "character" and "roll" in names and not self.context.named(text):
            # A roll may be named by its label, as the posts show it: ``Lope.attack#2``.
            name, _, purpose = text.rpartition(".")
            if purpose and self.context.named(name):
                self._set("character", name, index)
                self._set("roll", purpose, index)
                return
        self._set(free, text, index)

    def _set(self, field: str, value: str, index: int) -> None:
        text = unwrapped(value)
        if field == "character":
            text = self.context.character(text, lambda name: self.parts.with_field(index, name))
        elif field in self.row.numbers:
            text = unadorned(text).replace(" ", "")
            if not _NUMBER.fullmatch(text):
                raise FaultError("not_a_number", given=value, field=self._said([field])[0])
        elif field == "roll":
            text = self._purpose(text)
        elif field == "choice":
            text = unadorned(text)
        if self.fields.setdefault(field, text) != text:
            raise FaultError(
                "duplicate_field", self.parts.with_field(index), given=self._said([field])[0]
            )

    def _purpose(self, text: str) -> str:
        """The purpose of a roll: by the vocabulary's word for it, a verb, or as labels write it."""
        name, mark, count = text.partition("#")
        folded = key(name)
        tables = [self.vocabulary.values.get("roll"), *self.vocabulary.verbs.values()]
        known = (words.one(folded) for words in tables if words is not None)
        return next(filter(None, known), name.strip()) + mark + count.strip()

    def _state(self, name: str) -> str:
        """Id of a part of a character's state, or the words as written."""
        words = self.vocabulary.values.get("state")
        return (words.one(key(name)) if words is not None else "") or unwrapped(name)

    def _new_state(self, state: str, value: str) -> str:
        """``+derribado`` and the like as ids; what stands for none stays as written."""
        known = self.vocabulary.values_of(state, self.fields.get("character", ""))
        tables = [words for words in (known, self.vocabulary.conditions) if words is not None]
        parts = []
        for part in unwrapped(value).split(","):
            sign, word = _SIGNED.fullmatch(part.strip()).groups()  # type: ignore[union-attr] # all match
            parts.append(sign + _new_value(word, tables))
        return ", ".join(parts)

    def _unknown_field(self, name: str, value: str, index: int) -> FaultError:
        names = self.row.verb.fields
        fields, language = self.vocabulary.fields, self.context.language
        close = fields.near(key(name), language, names)
        guess = fields.guess(key(name), language, names)
        meant = self.parts.with_field(index, f"{guess}: {value}") if guess else None
        candidates = tuple(close) or self._said(names)
        return FaultError(
            "unknown_field", meant, given=name, verb=self._verb(), candidates=candidates
        )

    def _verb(self) -> str:
        return self.vocabulary.commands.say(self.row.verb.id, self.context.language)

    def _said(self, names: Iterable[str]) -> tuple[str, ...]:
        fields = self.vocabulary.fields
        return tuple(fields.say(name, self.context.language) for name in names)
