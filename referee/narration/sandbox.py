"""Rendering templates that somebody else may have written: escaped, and bounded in work and size.

Game masters replace templates, so a template is input. It runs in Jinja's immutable sandbox, and
what the sandbox leaves open is closed here: every loop turn, call and inclusion costs a step,
everything that is printed or joined costs its length, numbers stay small, and values have no
methods. What a template can still waste is bounded by ``MAX_STEPS`` and ``MAX_CHARS``.

Whatever a person outside has written arrives as ``Text``: printed, it is escaped for the dialect;
joined with markup, it is escaped too; only the functions that make code blocks see it raw.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final

from jinja2 import (
    BaseLoader,
    Environment,
    StrictUndefined,
    Template,
    TemplateNotFound,
    nodes,
    pass_context,
)
from jinja2.environment import TemplateModule
from jinja2.exceptions import SecurityError, TemplateError
from jinja2.runtime import Context, LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer
from markupsafe import Markup

MAX_SOURCE_CHARS: Final = 100_000  # of one template
MAX_STEPS: Final = 200_000  # loop turns, calls and inclusions of one rendering
MAX_CHARS: Final = 2_000_000  # printed or joined in one rendering, the parts counted again
MAX_TEXT_CHARS: Final = 4_000  # of one value from outside, unless it is shown as code
MAX_COMPILED: Final = 10_000  # phrases and messages kept compiled
MAX_NUMBER: Final = 10**12  # of a product, so that no number grows without end

Escape = Callable[[str], str]

# Characters that no reader sees or that turn a line around; they never reach a post.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)


# What nobody sees, and what readers of evidence pass over therefore.
_NOTHING = re.compile(
    r"[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    r"\U000e0000-\U000e01ff]"
)
# How an evidence block begins and how it ends.
_EVIDENCE = re.compile(
    r"(PBW)[^0-9A-Za-z]{1,8}(EVIDENCE)|\b(sum)(?=\s+[0-9a-f]{8}\s+[0-9a-f]{8}\b)"
)


@dataclass(frozen=True, slots=True)
class TemplateProblem:
    """A template that could not be used; the built-in one was.

    Attributes:
        name: Which template, message or phrase.
        line: Where in it, from 1; 0 where no line can be named.
        code: ``template_syntax``, ``template_unknown_name``, ``template_too_large``,
            ``template_too_much_work``, ``template_forbidden`` or ``template_failed``.
        detail: What Jinja says, for the game master who wrote it.
    """

    name: str
    line: int
    code: str
    detail: str


class TemplateFailedError(Exception):
    """No version of a template could be used, not even the built-in one."""

    def __init__(self, problems: Sequence[TemplateProblem]) -> None:
        """Keep what was wrong with each version."""
        super().__init__(problems)
        self.problems = tuple(problems)


class _OverBudgetError(TemplateError):
    """The template does or prints too much."""


def seen(text: str) -> str:
    """The text without control characters and without marks that turn the line around."""
    return _UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " "))


class Text:
    """Words from outside: escaped wherever they are printed or joined.

    No string on purpose: a template cannot take it apart, and cannot get round its escaping.
    """

    __slots__ = ("_escape", "_raw")

    def __init__(self, raw: str, escape: Escape, *, is_evidence: bool = False) -> None:
        """Keep the words and the way to escape them.

        Every evidence block of a post of the referee's counts, so nobody else's words may look
        like one, not even in a quotation.
        """
        self._raw = raw if is_evidence else _defused(raw)
        self._escape = escape

    def raw_words(self) -> str:
        """The words unescaped, for code blocks. Out of reach for templates."""
        return self._raw

    def __html__(self) -> str:
        """Escaped, in one line, and not longer than a name or a tag may be."""
        words = " ".join(seen(self._raw).split())
        if len(words) > MAX_TEXT_CHARS:
            words = words[: MAX_TEXT_CHARS - 1] + "…"
        return Markup(self._escape(words))

    def __str__(self) -> str:
        """As ``__html__``."""
        return self.__html__()

    def __bool__(self) -> bool:
        """Whether there are any words."""
        return bool(self._raw.strip())

    def __eq__(self, other: object) -> bool:
        """Same words."""
        return isinstance(other, Text) and other._raw == self._raw

    def __hash__(self) -> int:
        """Of the words."""
        return hash(self._raw)


def _defused(words: str) -> str:
    plain = _NOTHING.sub("", words)
    if not _EVIDENCE.search(plain):
        return words
    return _EVIDENCE.sub(
        lambda found: f"{found[1]} {found[2]}" if found[1] else f"{found[3]}:", plain
    )


class _Layers(BaseLoader):
    """Templates out of mappings; the first that has the name gives it."""

    def __init__(self, layers: Sequence[Mapping[str, str]]) -> None:
        self.layers = layers

    def get_source(
        self, environment: Environment, template: str
    ) -> tuple[str, str | None, Callable[[], bool] | None]:
        """The source, under a file name that tracebacks will show."""
        del environment
        for layer in self.layers:
            if template in layer:
                return layer[template], f"<{template}>", None
        raise TemplateNotFound(template)


class _Counted(NodeTransformer):
    """Puts a step into every loop turn and inclusion, and makes ``~`` a counted call."""

    def visit_For(self, node: nodes.For) -> nodes.Node:
        self.generic_visit(node)
        node.body.insert(0, _step(node.lineno))
        return node

    def visit_Include(self, node: nodes.Include) -> list[nodes.Node]:
        return [_step(node.lineno), node]

    def visit_Import(self, node: nodes.Import) -> list[nodes.Node]:
        return [_step(node.lineno), node]

    def visit_FromImport(self, node: nodes.FromImport) -> list[nodes.Node]:
        return [_step(node.lineno), node]

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        return _call("_concat", node.nodes, node.lineno)


def _call(name: str, arguments: Sequence[nodes.Expr], line: int) -> nodes.Call:
    function = nodes.Name(name, "load", lineno=line)
    return nodes.Call(function, list(arguments), [], None, None, lineno=line)


def _step(line: int) -> nodes.ExprStmt:
    return nodes.ExprStmt(_call("_step", [], line), lineno=line)


# Values have no methods: what a template may do with a text is in FILTERS.
_CLOSED = (str, bytes, int, float, list, tuple, frozenset, set, Text)
_MAPPING_METHODS = frozenset({"items", "keys", "values", "get"})

FILTERS: Final = (
    "abs", "capitalize", "count", "d", "default", "dictsort", "first", "groupby", "int", "items",
    "last", "length", "list", "lower", "map", "max", "min", "reject", "rejectattr", "reverse",
    "round", "select", "selectattr", "sort", "string", "sum", "title", "trim", "unique", "upper",
)  # fmt: skip


class Sandbox(ImmutableSandboxedEnvironment):
    """A Jinja environment for one dialect and one set of templates.

    Rendering is not re-entrant from several threads: the budget belongs to the rendering.
    """

    intercepted_binops = frozenset({"*", "**", "%", "+"})

    def __init__(self, layers: Sequence[Mapping[str, str]], escape: Escape) -> None:
        """Make an environment over layers of templates, the game master's first."""
        super().__init__(
            loader=_Layers(layers),
            undefined=StrictUndefined,
            autoescape=True,
            finalize=self._finalized,
            trim_blocks=True,
            lstrip_blocks=True,
            cache_size=2_000,
            auto_reload=False,
        )
        self.escape = escape
        self.steps = self.chars = 0
        # One compiled template for each phrase and message that has been used.
        self.compiled: dict[tuple[str, str], Template] = {}
        self.filters = {name: self.filters[name] for name in FILTERS}
        self.filters["join"] = self._joined
        self.filters["cap"] = self._capped
        self.globals = {"_step": self._step, "_concat": self._concat}

    def text(self, words: object) -> Text:
        """Words from outside, for a template."""
        return words if isinstance(words, Text) else Text(str(words), self.escape)

    def printed(
        self, template: str, values: Mapping[str, Any], *, source: str | None = None
    ) -> str:
        """Render a template by name, or from a source that bears that name.

        Raises:
            TemplateFailedError: it cannot be used; holds one problem.
        """
        outer = self.steps, self.chars
        self.steps = self.chars = 0
        try:
            return self._found(template, source).render(values)
        except TemplateFailedError:
            raise
        except RecursionError as error:
            raise TemplateFailedError([_problem(template, error)]) from None
        except Exception as error:
            raise TemplateFailedError([_problem(template, error)]) from error
        finally:
            self.steps, self.chars = outer[0] + self.steps, outer[1] + self.chars

    def unreadable(self, template: str, source: str) -> TemplateProblem | None:
        """What is wrong with how a source is written; None where it can be read."""
        try:
            self._found(template, source)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the source's fault
            return _problem(template, error)
        return None

    def macros(self, template: str) -> Any:
        """The macros of a template, as attributes.

        Raises:
            TemplateFailedError: it cannot be used.
        """
        try:
            return self.get_template(template).module
        except Exception as error:
            raise TemplateFailedError([_problem(template, error)]) from error

    def called(self, template: str, macro: Any, *arguments: object) -> str:
        """What a macro draws, as a plain string.

        Raises:
            TemplateFailedError: it cannot be used.
        """
        try:
            return str(macro(*arguments))
        except Exception as error:
            raise TemplateFailedError([_problem(template, error)]) from error

    def _found(self, name: str, source: str | None) -> Template:
        if source is None:
            return self.get_template(name)
        known = self.compiled.get((name, source))
        if known is None:
            if len(self.compiled) >= MAX_COMPILED:
                self.compiled.clear()
            code = self.compile(source, name, f"<{name}>")
            known = self.template_class.from_code(self, code, self.make_globals(None), None)
            self.compiled[name, source] = known
        return known

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        """Parse, and put the counting into the tree."""
        if len(source) > MAX_SOURCE_CHARS:
            raise _OverBudgetError(f"longer than {MAX_SOURCE_CHARS} characters")
        tree = super()._parse(source, name, filename)
        counted: nodes.Template = _Counted().visit(tree)
        return counted

    def wrap_str_format(self, value: Any) -> None:
        """Texts have no methods here, not even the one that Jinja makes safe."""
        del value

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Fields of views and loops, and the plain methods of mappings; nothing of values."""
        if isinstance(obj, _CLOSED):
            return False
        if isinstance(obj, Mapping):
            return attr in _MAPPING_METHODS
        if callable(value) and not isinstance(obj, (LoopContext, Macro, TemplateModule)):
            return False
        return super().is_safe_attribute(obj, attr, value)

    def call(self, context: Context, obj: Any, *args: Any, **kwargs: Any) -> Any:
        """Every call costs a step."""
        self._step()
        return super().call(context, obj, *args, **kwargs)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Sums of numbers and texts; products of numbers that stay small; nothing else."""
        if operator == "+":
            if isinstance(left, (str, Text)) or isinstance(right, (str, Text)):
                return self._concat(left, right)
            if isinstance(left, int) and isinstance(right, int):
                return left + right
        elif isinstance(left, int) and isinstance(right, int) and operator in "*%":
            value: int = super().call_binop(context, operator, left, right)
            if abs(value) <= MAX_NUMBER:
                return value
        raise SecurityError(f"{operator} is not for these values")

    def _step(self) -> str:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise _OverBudgetError(f"more than {MAX_STEPS} steps")
        return ""

    def _count(self, text: str) -> None:
        self.chars += len(text)
        if self.chars > MAX_CHARS:
            raise _OverBudgetError(f"more than {MAX_CHARS} characters")

    @pass_context
    def _finalized(self, context: Context, value: Any) -> Any:
        """Escape what is printed, unless it is markup already.

        Asks for the context so that constants, too, come through here when they are printed.
        """
        del context
        printed = self.markup(value)
        self._count(printed)
        return printed

    def markup(self, value: object) -> Markup:
        """A value as it is printed: markup as it is, all else escaped."""
        if isinstance(value, Markup):
            return value
        if hasattr(value, "__html__"):
            return Markup(value.__html__())
        if isinstance(value, StrictUndefined):
            return Markup(str(value))  # raises, naming what is missing
        if isinstance(value, bool) or value is None:
            raise SecurityError(f"{value} is no text")
        if isinstance(value, int):
            return Markup(value)
        return Markup(self.escape(seen(str(value))))

    def _concat(self, *values: Any) -> Markup:
        joined = Markup("").join(self.markup(value) for value in values)
        self._count(joined)
        return joined

    def _capped(self, value: Any) -> Markup:
        """With a capital, for a word that happens to begin a sentence."""
        return Markup(_upper_first(str(self.markup(value))))

    def _joined(self, values: Iterable[Any], between: Any = "") -> Markup:
        joined = self.markup(between).join(self.markup(value) for value in values)
        self._count(joined)
        return joined


def _upper_first(markup: str) -> str:
    return markup[:1].upper() + markup[1:]


def _problem(name: str, error: BaseException) -> TemplateProblem:
    where, line = _place(error, name)
    match error:
        case _OverBudgetError():
            code = "template_too_large" if "longer" in str(error) else "template_too_much_work"
        case SecurityError():
            code = "template_forbidden"
        case RecursionError():
            code = "template_too_much_work"
        case TemplateError() if type(error).__name__ == "UndefinedError":
            code = "template_unknown_name"
        case TemplateError():
            code = "template_syntax"
        case _:
            code = "template_failed"
    detail = " ".join(seen(str(error)).split())[:300]
    return TemplateProblem(where, line, code, detail or type(error).__name__)


def _place(error: BaseException, name: str) -> tuple[str, int]:
    """The template and line to blame: Jinja rewrites tracebacks to template lines."""
    line = getattr(error, "lineno", None)
    if isinstance(line, int):
        return str(getattr(error, "name", None) or name), line
    place = (name, 0)
    step: TracebackType | None = error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if file.startswith("<") and file.endswith(">") and not file.startswith("<frozen"):
            place = (file[1:-1], step.tb_lineno)
        step = step.tb_next
    return place
