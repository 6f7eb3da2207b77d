"""Printing templates with a way back: the game master's version first, ours where theirs breaks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from markupsafe import Markup

from referee.narration.blocks import Block
from referee.narration.dialects import ESCAPES, Page
from referee.narration.sandbox import Sandbox, TemplateFailedError, TemplateProblem, Text

ENDING: Final = ".j2"
MAX_PROBLEMS: Final = 200


@dataclass(frozen=True, slots=True)
class Sources:
    """What a narrator speaks with. In each tuple the game master's own comes first, ours last.

    Attributes:
        templates: Sources of one language's post templates by name, with or without ``.j2``.
        dialects: Sources of the dialects' templates by name.
        messages: Parsed ``messages.yaml``.
        terms: Parsed terms, the game's before the common ones.
        phrases: Parsed phrase bank of the game; it is merged already, and may be empty.
    """

    templates: Sequence[Mapping[str, str]]
    dialects: Sequence[Mapping[str, str]]
    messages: Sequence[Mapping[str, Any]]
    terms: Sequence[Mapping[str, Any]]
    phrases: Mapping[str, Any] = field(default_factory=dict)


class Press:
    """Prints templates, messages and phrases for one dialect.

    ``problems`` collects what broke since it was last taken; nothing else is remembered.
    """

    def __init__(
        self,
        sources: Sources,
        dialect: str,
        spoilers: str,
        *,
        tables: bool = True,
        fences: bool = True,
    ) -> None:
        """Set up two sandboxes: one where the game master's layers stand first, one without them.

        Args:
            sources: Templates of all layers.
            dialect: Markup of the platform.
            spoilers: How it folds: ``spoiler``, ``details`` or nothing.
            tables: Whether it shows tables well.
            fences: Whether code may stand between fences instead of being indented.
        """
        self.dialect = dialect
        self.spoilers = spoilers
        self.tables = tables
        self.fences = fences
        self.escape = ESCAPES[dialect]
        layers = [
            _named([*templates.items(), *dialects.items()])
            for templates, dialects in zip(
                _padded(sources.templates, sources.dialects),
                _padded(sources.dialects, sources.templates),
                strict=True,
            )
        ]
        builtin = Sandbox(layers[-1:], self.escape)
        self._sandboxes = (Sandbox(layers, self.escape), builtin) if layers[1:] else (builtin,)
        self._problems: dict[TemplateProblem, None] = {}

    def text(self, words: object) -> Text:
        """Words from outside, to be escaped where they are printed."""
        return self._sandboxes[0].text(words)

    def evidence(self, block: str) -> Text:
        """An evidence block, which must reach the thread unchanged."""
        return Text(block, self.escape, is_evidence=True)

    def markup(self, value: object) -> Markup:
        """A value as it is printed."""
        return self._sandboxes[0].markup(value)

    def page(self, name: str, values: Mapping[str, Any]) -> tuple[Block, ...]:
        """Print a post's template.

        Raises:
            TemplateFailedError: ours is broken too.
        """
        broken: list[TemplateProblem] = []
        for sandbox in self._sandboxes:
            try:
                page = Page(
                    sandbox,
                    self.dialect,
                    self.spoilers,
                    tables=self.tables,
                    fences=self.fences,
                )
                printed = sandbox.printed(name, {**values, **page.functions()})
                return page.blocks(printed)
            except TemplateFailedError as error:
                broken.extend(error.problems)
                self._note(error.problems)
        raise TemplateFailedError(broken)

    def sentence(
        self, name: str, sources: Iterable[str], values: Mapping[str, Any]
    ) -> Markup | None:
        """Print the first of several sources that can be printed; None where none can."""
        for source in sources:
            try:
                return Markup(self._sandboxes[-1].printed(name, values, source=source))
            except TemplateFailedError as error:
                self._note(error.problems)
        return None

    def unreadable(self, name: str, source: str) -> TemplateProblem | None:
        """What is wrong with how a message or a phrase is written; None where it can be read."""
        return self._sandboxes[-1].unreadable(name, source)

    def taken(self) -> tuple[TemplateProblem, ...]:
        """What broke since the last time, each problem once."""
        problems = tuple(self._problems)
        self._problems.clear()
        return problems

    def _note(self, problems: Iterable[TemplateProblem]) -> None:
        # A broken phrase may come up in every round for months before anybody asks.
        for problem in problems:
            if len(self._problems) < MAX_PROBLEMS:
                self._problems[problem] = None


def _named(sources: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Sources by both names: templates include each other with the ending, we print without."""
    named: dict[str, str] = {}
    for name, source in sources:
        named[name] = named[name.removesuffix(ENDING)] = source
    return named


def _padded(
    layers: Sequence[Mapping[str, str]], others: Sequence[Mapping[str, str]]
) -> list[Mapping[str, str]]:
    """As many layers as the longer of both, with empty ones in front: ours stay at the end."""
    missing = max(len(layers), len(others)) - len(layers)
    return [{} for _ in range(missing)] + list(layers)
