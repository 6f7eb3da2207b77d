"""``referee check``: all that is wrong with a config before a round is played on it."""

from collections.abc import Mapping
from typing import Any

from adapters.registry import BY_NAME
from referee.app import App, World, narrator_of
from referee.config import missing_secrets
from referee.errors import ConfigProblem
from referee.looking import look
from referee.narration.rehearsal import rehearsed
from referee.settings import Config


def all_problems(config: Config, environ: Mapping[str, str]) -> tuple[ConfigProblem, ...]:
    """What a loaded config still lacks: secrets, and the game master's own words and templates."""
    own = config.data.check({thread.ruleset for thread in config.threads.values()})
    return (*missing_secrets(config, environ), *own, *_templates(config))


def _templates(config: Config) -> tuple[ConfigProblem, ...]:
    """Tell made-up stories with the game master's templates, before a round needs them."""
    data = config.data
    if not data.own_files():
        return ()
    found: dict[ConfigProblem, None] = {}
    for thread in config.threads.values():
        adapter = BY_NAME[config.sites[thread.site].adapter]
        site = config.sites[thread.site]
        surface = adapter(site.base_url, **site.traits).capabilities
        for problem in rehearsed(narrator_of(data, thread, surface)):
            file = data.own_template_path(thread.language, f"{problem.name}.j2")
            found[
                ConfigProblem(file=file, line=problem.line, code=problem.code, given=problem.detail)
            ] = None
    return tuple(found)


async def online_report(config: Config, world: World | None = None) -> list[dict[str, Any]]:
    """Look at each thread; writes nothing to any forum."""
    app = App(config, world)
    try:
        return [await look(app, key) for key in config.threads]
    finally:
        await app.close()
