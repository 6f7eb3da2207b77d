"""Sentences for the command line, read when a command needs them."""

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from referee.data import Data
from referee.documents import parse_yaml, plain
from referee.errors import ConfigProblem

if TYPE_CHECKING:
    from referee.narration.narrator import Narrator


@lru_cache(maxsize=4)
def cli_words(language: str) -> Mapping[str, Any]:
    """Help texts, table heads and sentences of the command line."""
    name = f"{language}/cli.yaml"
    words: Mapping[str, Any] = plain(parse_yaml(Data().page(name), name).root)
    return words


@lru_cache(maxsize=8)
def plain_narrator(language: str, ruleset: str = "") -> "Narrator":
    """A voice for a terminal: no markup."""
    from adapters.base import Capabilities
    from referee.narration.narrator import Narrator
    from referee.narration.press import Sources

    data = Data()
    terms = [data.terms(language, ruleset)] if ruleset else []
    sources = Sources(
        templates=[data.templates(language)],
        dialects=[data.dialect_templates()],
        messages=[data.messages(language)],
        terms=[*terms, data.terms(language, "common")],
        phrases=data.phrases(language, ruleset) if ruleset else {},
    )
    return Narrator(sources, language, Capabilities("text", edits=False, max_post_chars=10**6))


def sentence(
    language: str, section: str, code: str, facts: Mapping[str, object], ruleset: str = ""
) -> str:
    """A sentence of the messages in plain text; the code where nobody has written one."""
    return plain_narrator(language, ruleset).sentence(code, facts, sections=section).strip()


def config_sentence(language: str, problem: ConfigProblem) -> str:
    """What is wrong at a place of the config, and the nearest valid spelling."""
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    messages = Data().messages(language)
    facts = {**problem.facts, "name": problem.file, "detail": problem.given}
    said = {**messages["template"], **messages["config"]}
    sources = [str(said.get(problem.code, problem.code))]
    if problem.suggestion:
        sources.append(str(messages["config_suggestion"]))
    environment = ImmutableSandboxedEnvironment()  # text for a terminal: nothing to escape
    return " ".join(environment.from_string(s).render(facts).strip() for s in sources)


def cure_sentence(language: str, error: Mapping[str, Any]) -> str:
    """What to do about a forum's error."""
    cure = str(error.get("cure", ""))
    return sentence(language, "cure", cure, error) if cure else ""


def finding_sentence(language: str, finding: Any) -> str:
    """What verification found, in words; of a damaged block also what is wrong with it."""
    told = sentence(language, "verify", finding.code, finding.facts)
    if finding.code == "block_damaged":
        told += " " + sentence(language, "verify", finding.facts["fault"], finding.facts)
    elif finding.code == "die_differs":
        told += f" {finding.facts['shown']} ≠ {finding.facts['derived']}"
    return told
