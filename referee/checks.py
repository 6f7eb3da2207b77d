"""``referee check``: all that is wrong with a config before a round is played on it."""

from collections.abc import Mapping
from typing import Any

from adapters.errors import AdapterError
from adapters.registry import BY_NAME
from referee.app import App, World, narrator_of
from referee.config import missing_secrets
from referee.daemon import facts_of, own_facts
from referee.errors import ConfigProblem, RefereeError
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
    """Log in to each site and read each thread once; writes nothing to any forum."""
    app = App(config, world)
    report = []
    try:
        for key in config.threads:
            row: dict[str, Any] = {"thread": key, "good": True, "error": {}, "posts": 0, "user": ""}
            try:
                await _read(app, key, row)
            except AdapterError as error:
                row.update(good=False, error=facts_of(error))
            except RefereeError as error:
                row.update(good=False, error=own_facts(error))
            report.append(row)
    finally:
        await app.close()
    return report


async def _read(app: App, key: str, row: dict[str, Any]) -> None:
    desk = app.site_desk(app.config.threads[key].site)
    if not desk.referee_id:
        desk.referee_id = await desk.adapter.login(desk.http)
    row["user"] = desk.referee_id
    url = desk.adapter.thread_url(app.config.threads[key].topic)
    page = await desk.adapter.fetch(desk.http, url)
    row["posts"] = 0 if page is None else len(page.posts)
