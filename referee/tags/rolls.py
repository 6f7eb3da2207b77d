"""Free rolls: the usual dice notation, read within bounds and rolled by name.

    1d100+35   4d6k3   4d6dl1   2d6!   d%   2*(1d6+3)   1d10+AGI   4D+2B-1

``NdS`` rolls N dice of S sides (``d%`` is ``d100``). ``k``, ``kh`` keep the highest, ``kl`` the
lowest, ``dh``, ``dl`` drop them. ``!`` rolls a die again that shows its highest face and adds, at
most ``MAX_AGAIN`` times; such a chain counts as one die for keeping. ``ND`` without sides are
six-sided dice, and ``+MB`` behind them M bonus dice: as many of all of them are kept as without
the bonus (dice pools of *Canción de Hielo y Fuego*). ``/`` rounds down. A name is a figure of the
sheet.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from referee.tags.problems import TagProblem
from referee.tags.text import normalise
from rulesets.core.dice import Dice, Roll

MAX_LENGTH: Final = 200  # characters of an expression
MAX_DEPTH: Final = 8  # brackets in brackets
MAX_DICE: Final = 100  # dice of an expression, without those rolled again
MAX_SIDES: Final = 10_000
MAX_AGAIN: Final = 10  # times that one die is rolled again
MAX_FIGURE: Final = 10**9  # of any number that occurs on the way

Lookup = Callable[[str], int | None]

_DICE: Final = re.compile(
    r"(?P<count>\d*)[dD](?P<sides>%|\d+)|(?P<pool>\d+)[dD](?!\w)(?: ?\+ ?(?P<bonus>\d+)[bB](?!\w))?"
)
_RULE: Final = re.compile(r"(?P<again>!)|(?P<rule>[kK][hHlL]?|[dD][hHlL])(?P<number>\d*)")
_NUMBER: Final = re.compile(r"\d+")
_FIGURE: Final = re.compile(r"[^\W\d_][\w.']*(?: +[^\W\d_][\w.']*)*")
_SPACE: Final = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class Number:
    """A figure written out."""

    value: int


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the sheet, by the words that the player wrote."""

    name: str


@dataclass(frozen=True, slots=True)
class Pool:
    """Dice of one kind: how many, which of them count, and whether they are rolled again."""

    count: int
    sides: int
    keep: int  # how many count
    lowest: bool = False  # whether it is the lowest that count
    again: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """Two parts joined by ``+``, ``-``, ``*`` or ``/``."""

    sign: str
    left: "Node"
    right: "Node"


@dataclass(frozen=True, slots=True)
class Negative:
    """A part with its sign turned."""

    part: "Node"


Node = Number | Figure | Pool | Operation | Negative


@dataclass(frozen=True, slots=True)
class Term:
    """A summand of the whole expression, as written; ``sign`` is 1 or -1."""

    sign: int
    node: Node
    text: str


@dataclass(frozen=True, slots=True)
class Expression:
    """Dice notation that has been read: the sum of its terms."""

    text: str
    terms: tuple[Term, ...]

    @property
    def figures(self) -> tuple[str, ...]:
        """Names of figures of the sheet, in the order written, each once."""
        nodes = (node for term in self.terms for node in _nodes(term.node))
        return tuple(dict.fromkeys(node.name for node in nodes if isinstance(node, Figure)))


@dataclass(frozen=True, slots=True)
class Part:
    """What a term came to, with its sign; the parts add up to the total."""

    text: str
    value: int


@dataclass(frozen=True, slots=True)
class Throw:
    """The dice of one pool: ``faces[first:first + count]`` of the roll."""

    pool: Pool
    first: int
    count: int
    value: int


@dataclass(frozen=True, slots=True)
class FreeRollResult:
    """A free roll with every die.

    Attributes:
        expression: As written.
        roll: All dice in the order rolled; those that do not count are marked.
        throws: Which dice belong to which pool.
        parts: The terms and what they came to; they add up to ``total``.
        figures: Figures of the sheet that were used, by the name written.
    """

    expression: str
    roll: Roll
    throws: tuple[Throw, ...]
    parts: tuple[Part, ...]
    figures: tuple[tuple[str, int], ...] = ()

    @property
    def total(self) -> int:
        """The result."""
        return sum(part.value for part in self.parts)


class _NotationError(Exception):
    """What is wrong with an expression; becomes a ``TagProblem`` at the door."""

    def __init__(self, code: str, **facts: object) -> None:
        super().__init__(code)
        self.code = code
        self.facts = facts


def parse(text: str) -> Expression | TagProblem:
    """Read dice notation; everything in it is bounded.

    ``bad_dice`` carries in ``rest`` what could not be read.
    """
    written = " ".join(normalise(text[: 2 * MAX_LENGTH]).text.split())
    if len(written) > MAX_LENGTH:
        return TagProblem("dice_too_long", text[:MAX_LENGTH], {"limit": MAX_LENGTH})
    try:
        return _Parser(written).expression()
    except _NotationError as error:
        return TagProblem(error.code, text[:MAX_LENGTH], error.facts)


def roll(
    expression: Expression | str, dice: Dice, label: str, lookup: Lookup | None = None
) -> FreeRollResult | TagProblem:
    """Roll an expression.

    Args:
        expression: Dice notation, read or not yet.
        dice: Where the faces come from.
        label: Name of all its dice; they are counted from 0 in the order written, each followed
            by those that it is rolled again for.
        lookup: Figures of the sheet by the words written; None for what it does not have.

    Returns:
        Every die and the total taken apart, or what is wrong with the expression.
    """
    read = parse(expression) if isinstance(expression, str) else expression
    if isinstance(read, TagProblem):
        return read
    try:
        return _Roller(dice, label, lookup).result(read)
    except _NotationError as error:
        return TagProblem(error.code, read.text, error.facts)


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    if isinstance(node, Operation):
        yield from _nodes(node.left)
        yield from _nodes(node.right)
    elif isinstance(node, Negative):
        yield from _nodes(node.part)


class _Parser:
    """Recursive descent; the length of the text and ``MAX_DEPTH`` bound it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.depth = 0
        self.dice = 0

    def expression(self) -> Expression:
        """The whole text as a sum."""
        terms = []
        sign = -1 if self._sign("-") else 1
        while True:
            self._space()
            start = self.position
            node = self._product()
            terms.append(Term(sign, node, self.text[start : self.position].strip()))
            if self._sign("+"):
                sign = 1
            elif self._sign("-"):
                sign = -1
            else:
                break
        if self.position < len(self.text):
            raise self._unreadable()
        if not self.dice:
            raise _NotationError("no_dice", given=self.text)
        return Expression(self.text, tuple(terms))

    def _sum(self) -> Node:
        node = self._product()
        while sign := self._sign("+-"):
            node = Operation(sign, node, self._product())
        return node

    def _product(self) -> Node:
        node = self._factor()
        while sign := self._sign("*/"):
            node = Operation(sign, node, self._factor())
        return node

    def _factor(self) -> Node:
        negative = False
        while sign := self._sign("+-"):
            negative ^= sign == "-"
        node = self._bracket() if self._sign("(") else self._atom()
        return Negative(node) if negative else node

    def _bracket(self) -> Node:
        if self.depth == MAX_DEPTH:
            raise _NotationError("dice_too_deep", limit=MAX_DEPTH)
        self.depth += 1
        node = self._sum()
        self.depth -= 1
        if not self._sign(")"):
            raise self._unreadable()
        return node

    def _atom(self) -> Node:
        self._space()
        if dice := self._match(_DICE):
            return self._pool(dice)
        if number := self._match(_NUMBER):
            return Number(_figure(number[0]))
        if name := self._match(_FIGURE):
            return Figure(name[0])
        raise self._unreadable()

    def _pool(self, dice: re.Match[str]) -> Pool:
        if dice["pool"]:
            count, bonus, sides = _figure(dice["pool"]), _figure(dice["bonus"] or "0"), 6
            self._count(count + bonus, dice[0])
            if not count or bonus > count:
                raise _NotationError("keep_out_of_range", given=dice[0], limit=count)
            return Pool(count + bonus, sides, keep=count)
        count = _figure(dice["count"] or "1")
        sides = 100 if dice["sides"] == "%" else _figure(dice["sides"])
        self._count(count, dice[0])
        if not 2 <= sides <= MAX_SIDES:
            raise _NotationError("sides_out_of_range", given=dice[0], least=2, limit=MAX_SIDES)
        return self._kept(count, sides)

    def _kept(self, count: int, sides: int) -> Pool:
        """The dice with what stands behind them: ``!``, ``k3``, ``dl1``, each at most once."""
        again, keep, lowest, chosen = False, count, False, False
        while rule := self._match(_RULE):
            if rule["again"]:
                if again:
                    raise self._unreadable()
                again = True
                continue
            if chosen:
                raise self._unreadable()
            chosen = True
            number = _figure(rule["number"] or "1")
            drops, end = rule["rule"].lower().startswith("d"), rule["rule"].lower()[1:]
            keep = count - number if drops else number
            lowest = end == "h" if drops else end == "l"
            if not 1 <= keep <= count:
                raise _NotationError("keep_out_of_range", given=rule[0], limit=count)
        return Pool(count, sides, keep, lowest, again)

    def _count(self, count: int, given: str) -> None:
        self.dice += count
        if count < 1 or self.dice > MAX_DICE:
            raise _NotationError("too_many_dice", given=given, limit=MAX_DICE)

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.text, self.position)
        if match:
            self.position = match.end()
        return match

    def _space(self) -> None:
        self._match(_SPACE)

    def _sign(self, signs: str) -> str:
        """The next sign, if it is one of these; it is read then."""
        self._space()
        sign = self.text[self.position : self.position + 1]
        if not sign or sign not in signs:
            return ""
        self.position += 1
        return sign

    def _unreadable(self) -> _NotationError:
        return _NotationError("bad_dice", given=self.text, rest=self.text[self.position :])


def _figure(digits: str) -> int:
    if len(digits) > 9:
        raise _NotationError("number_too_big", limit=MAX_FIGURE)
    return int(digits)


class _Roller:
    """Rolls one expression."""

    def __init__(self, dice: Dice, label: str, lookup: Lookup | None) -> None:
        self.dice = dice
        self.label = label
        self.lookup = lookup
        self.faces: list[int] = []
        self.sides: list[int] = []
        self.kept: list[bool] = []
        self.throws: list[Throw] = []
        self.figures: dict[str, int] = {}

    def result(self, expression: Expression) -> FreeRollResult:
        """All dice and the parts of the total."""
        parts = []
        for term in expression.terms:
            text = term.text if term.sign > 0 else f"-{term.text}"
            parts.append(Part(text, term.sign * self._value(term.node)))
        _bounded(sum(part.value for part in parts))
        kept = () if all(self.kept) else tuple(self.kept)
        return FreeRollResult(
            expression.text,
            Roll(self.label, tuple(self.sides), tuple(self.faces), kept),
            tuple(self.throws),
            tuple(parts),
            tuple(self.figures.items()),
        )

    def _value(self, node: Node) -> int:
        match node:
            case Number(value):
                return value
            case Figure(name):
                return self._figure(name)
            case Pool():
                return self._thrown(node)
            case Negative(part):
                return -self._value(part)
            case Operation(sign, left, right):
                return _bounded(_joined(sign, self._value(left), self._value(right)))

    def _figure(self, name: str) -> int:
        value = self.figures.get(name)
        if value is None:
            value = None if self.lookup is None else self.lookup(name)
            if value is None:
                raise _NotationError("unknown_figure", given=name)
            self.figures[name] = _bounded(value)
        return value

    def _thrown(self, pool: Pool) -> int:
        first = len(self.faces)
        chains = [self._chain(pool) for _ in range(pool.count)]
        order = sorted(range(pool.count), key=lambda i: sum(chains[i]), reverse=not pool.lowest)
        counted = frozenset(order[: pool.keep])
        for i, chain in enumerate(chains):
            self.kept += [i in counted] * len(chain)
        value = sum(sum(chains[i]) for i in counted)
        self.throws.append(Throw(pool, first, len(self.faces) - first, value))
        return value

    def _chain(self, pool: Pool) -> list[int]:
        """One die and those that it is rolled again for."""
        chain: list[int] = []
        while True:
            face = self.dice.face(self.label, len(self.faces), pool.sides)
            self.faces.append(face)
            self.sides.append(pool.sides)
            chain.append(face)
            if not pool.again or face < pool.sides or len(chain) > MAX_AGAIN:
                return chain


def _joined(sign: str, left: int, right: int) -> int:
    if sign == "+":
        return left + right
    if sign == "-":
        return left - right
    if sign == "*":
        return left * right
    if right == 0:
        raise _NotationError("division_by_zero")
    return left // right


def _bounded(value: int) -> int:
    if abs(value) > MAX_FIGURE:
        raise _NotationError("number_too_big", limit=MAX_FIGURE)
    return value
