"""A look at a live thread for ``referee check --online``: what is found there and what is missed.

Nothing is ever sent but the login: the reply form is loaded and thrown away. Where the page cannot
be read as the config says, it is asked whose software made it, which profiles read it, and what a
profile of its own would be.
"""

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from io import StringIO
from typing import Any, Final

from pydantic import ValidationError
from ruamel.yaml import YAML

from adapters.base import Account, ThreadPage
from adapters.errors import AdapterError, BusyError, GoneError, UnreachableError
from adapters.guessing import Draught, census, doors_of, draught, platform_of, reads
from adapters.pages import engine_for
from adapters.profile import Profile
from adapters.profiled import Profiled
from adapters.registry import BY_NAME
from referee.app import App
from referee.daemon import facts_of, own_facts
from referee.errors import RefereeError
from referee.previews import understood
from referee.profiles import builtin, builtin_names
from referee.settings import Site
from referee.visiting import SiteDesk, permit

FOROACTIVO: Final = "profile:foroactivo"
LIKE: Final = "foroactivo-phpbb3"


async def look(app: App, key: str) -> dict[str, Any]:
    """Log in, read the first page of a thread, and say what came of it.

    Returns:
        Plain data: ``good``, ``error``, ``login``, ``user``, ``posts``, ``authors``, ``tags``,
        ``reply``; for a profile ``missed``; where reading failed ``platform``, ``fits``,
        ``suggestion`` (YAML) and ``to_fill_in``.
    """
    site = app.config.sites[app.config.threads[key].site]
    row: dict[str, Any] = {
        "thread": key, "site": site.name, "adapter": site.adapter, "good": True, "error": {},
        "login": "", "user": "", "posts": 0, "authors": [], "tags": [], "reply": {}, "missed": [],
        "platform": "", "fits": [], "suggestion": "", "to_fill_in": [], "page": "",
    }  # fmt: skip
    try:
        desk = app.site_desk(site.name)
        await _log_in(desk, row)
        with suppress(GoneError):  # reading tells it
            await permit(desk, app.config.threads[key].topic)
        page = await _read(app, desk, key, row)
        if desk.adapter.capabilities.remote:
            text = await _raw(desk, row)
            if page is None:
                account = site.account(app.world.environ)
                await _suggest(site, account, desk, text, row)
            elif site.profiles and text:
                profile = engine_for(text, row["page"], site.profiles)
                matches = census(text, row["page"], profile)
                row["missed"] = [
                    asdict(match) for match in matches if match.found < max(match.of, 1)
                ]
            if page is not None:
                await _reply_form(app, desk, key, row)
    except AdapterError as error:
        row.update(good=False, error=facts_of(error))
    except RefereeError as error:
        row.update(good=False, error=own_facts(error))
    return row


async def _log_in(desk: SiteDesk, row: dict[str, Any]) -> None:
    """Log in anew, even where a session is kept: whether that works is the question."""
    try:
        desk.referee_id = row["user"] = await desk.adapter.login(desk.http)
        row["login"] = "ok"
    except (UnreachableError, BusyError):
        raise
    except AdapterError as error:
        row.update(login="failed", good=False, error=facts_of(error))


async def _read(app: App, desk: SiteDesk, key: str, row: dict[str, Any]) -> ThreadPage | None:
    """The first page of the thread, if it can be read as the config says."""
    topic = app.config.threads[key].topic
    base = app.config.sites[desk.name].base_url
    row["page"] = topic if "://" in topic else base
    try:
        row["page"] = desk.adapter.thread_url(topic)
        page = await desk.adapter.fetch(desk.http, row["page"])
    except (UnreachableError, BusyError):
        raise
    except AdapterError as error:
        row.update(good=False, error=row["error"] or facts_of(error))
        return None
    if page is None:
        return None
    row["posts"] = len(page.posts)
    counted = Counter((post.author_id, post.author_name) for post in page.posts)
    row["authors"] = [
        {"id": author, "name": name, "posts": count} for (author, name), count in counted.items()
    ]
    row["tags"] = [
        {"post": post.id, **tag}
        for post in page.posts
        if post.author_id != desk.referee_id
        for tag in understood(app, key, post.own_words, post.author_id)
    ]
    return page


async def _raw(desk: SiteDesk, row: dict[str, Any]) -> str:
    """The thread's page as a browser would get it; empty where there is none."""
    try:
        answer = await desk.http.get(row["page"])
    except AdapterError:
        return ""
    row["page"] = answer.url
    return answer.text


async def _reply_form(app: App, desk: SiteDesk, key: str, row: dict[str, Any]) -> None:
    """Whether the form for a reply is there. It is not sent."""
    try:
        await desk.adapter.draft(desk.http, app.config.threads[key].topic)
        row["reply"] = {"good": True}
    except AdapterError as error:
        row["reply"] = {"good": False, "error": facts_of(error)}


async def _suggest(
    site: Site, account: Account, desk: SiteDesk, text: str, row: dict[str, Any]
) -> None:
    """What else might read the page."""
    if not text:
        return
    row["platform"] = platform_of(text)
    fits = {name: reads(text, row["page"], builtin(name)) for name in builtin_names()}
    row["fits"] = [{"profile": name, "posts": posts} for name, posts in fits.items() if posts]
    if row["fits"] or (row["platform"] in BY_NAME and row["platform"] != row["adapter"]):
        return
    found = draught(text, row["page"], await _doors(desk, text, row["page"]))
    if found is None:
        return
    if row["platform"] == FOROACTIVO:
        # Only the templates differ there: addresses, login and forms are known.
        given: dict[str, Any] = {"like": LIKE, "posts": found.profile["posts"]}
        unknown: list[str] = []
    else:
        given, unknown = await _whole(site, account, desk, found, row)
    if _works(given, text, row["page"]):
        row.update(suggestion=_yaml(given), to_fill_in=unknown)


async def _whole(
    site: Site, account: Account, desk: SiteDesk, found: Draught, row: dict[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """A profile with what only those see who have logged in, and what is left to fill in."""
    login = found.profile.get("login")
    if "viewer" not in found.profile["page"] and await _let_in(site, account, desk, found):
        text = await _raw(desk, row)
        doors = await _doors(desk, text, row["page"]) if text else {}
        found = (draught(text, row["page"], doors) if text else None) or found
    given, unknown = dict(found.profile), [field for field in found.missing if field != "login"]
    if login and "viewer" in given["page"]:
        given["login"] = login
    else:
        # Without the mark of who is in, nobody could tell whether a login worked.
        given.pop("login", None)
        unknown.append("login")
    return given, unknown


async def _let_in(site: Site, account: Account, desk: SiteDesk, found: Draught) -> bool:
    """Log in by what was found out about the login form."""
    if "login" not in found.profile:
        return False
    login = {**found.profile["login"], "id_is_name": True}
    page = {**found.profile["page"], "logged_in": 'a[href*="logout"]'}
    try:
        profile = Profile.model_validate({**found.profile, "login": login, "page": page})
        await Profiled(site.base_url, account, profiles=(profile,)).login(desk.http)
    except (AdapterError, ValidationError):
        return False
    return True


async def _doors(desk: SiteDesk, text: str, url: str) -> Mapping[str, tuple[str, str]]:
    """The pages with the login and the reply form, as far as they can be had."""
    found: dict[str, tuple[str, str]] = {}
    try:
        doors = doors_of(text, url)
    except AdapterError:
        return found
    for name, address in doors.items():
        try:
            answer = await desk.http.get(address)
        except AdapterError:
            continue
        found[name] = (answer.text, answer.url)
    return found


def _works(given: Mapping[str, Any], text: str, url: str) -> bool:
    """Whether a suggestion is a profile, and reads the page that it was made from."""
    raw = dict(given)
    if raw.get("like"):
        base = builtin(raw["like"])[0].model_dump(exclude_unset=True)
        raw = {**base, **raw}
    try:
        profile = Profile.model_validate(raw)
    except ValidationError:
        return False
    return reads(text, url, (profile,)) > 0


def _yaml(given: Mapping[str, Any]) -> str:
    out = StringIO()
    writer = YAML()
    writer.width = 4096  # a folded pattern would be hard to mend
    writer.dump(dict(given), out)
    return out.getvalue()


def adapter_for(platform: str) -> str:
    """The adapter for a platform that a page looks like; empty where it has none of its own."""
    if platform.startswith("profile:"):
        return Profiled.platform
    return platform if platform in BY_NAME else ""
