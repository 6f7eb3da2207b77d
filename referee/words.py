"""Sentences for the command line, read when a command needs them."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from referee.data import Data
from referee.documents import parse_yaml, plain
from referee.errors import ConfigProblem


@lru_cache(maxsize=4)
def cli_words(language: str) -> Mapping[str, Any]:
    """Help texts, table heads and sentences of the command line."""
    name = f"{language}/cli.yaml"
    words: Mapping[str, Any] = plain(parse_yaml(Data().page(name), name).root)
    return words


def sentence(language: str, section: str, code: str, facts: Mapping[str, object]) -> str:
    """A sentence of the messages in plain text; the code where nobody has written one."""
    from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415 # slow to import

    messages = Data().messages(language)
    source = messages.get(section, {}).get(code)
    if source is None:
        return code
    environment = ImmutableSandboxedEnvironment()  # text for a terminal: nothing to escape
    return environment.from_string(str(source)).render(facts).strip()


def config_sentence(language: str, problem: ConfigProblem) -> str:
    """What is wrong at a place of the config, and the nearest valid spelling."""
    said = sentence(language, "config", problem.code, problem.facts)
    if not problem.suggestion:
        return said
    source = str(Data().messages(language).get("config_suggestion", "{{ suggestion }}"))
    from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415 # slow to import

    hint = ImmutableSandboxedEnvironment().from_string(source).render(problem.facts)
    return f"{said} {hint}"


def cure_sentence(language: str, error: Mapping[str, Any]) -> str:
    """What to do about a forum's error."""
    cure = str(error.get("cure", ""))
    return sentence(language, "cure", cure, error) if cure else ""


def finding_sentence(language: str, finding: Any) -> str:
    """What verification found, in words."""
    return sentence(language, "verify", finding.code, finding.facts)
