"""A thread that goes on where another one cannot: under another key, in the same topic.

A restored thread has lost the secrets that it had promised. Its successor makes promises of its
own and begins with the state in which everybody was left. All that the topic holds is known to it
as acted on already; else it would carry out every old order and answer every old roll once more.
"""

import io
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from ruamel.yaml import YAML

from adapters.base import Post
from referee.declaring import said_in
from referee.documents import plain
from referee.reading import digest_of
from referee.settings import Config, Thread
from referee.storage.records import Records
from referee.table import CONSOLE, Table
from rulesets.core.questions import SetupError
from rulesets.core.ruleset import CharacterSetup, Setup

MOST_TRIES: Final = 50


def free_key(config: Config, key: str) -> str:
    """A key that no thread of the config has: ``molino-2`` after ``molino``."""
    stem, _, end = key.rpartition("-")
    base, number = (stem, int(end)) if stem and end.isdecimal() else (key, 1)
    while f"{base}-{number + 1}" in config.threads:
        number += 1
    return f"{base}-{number + 1}"


def make_ready(
    records: Records, table: Table, key: str, thread: Thread, posts: Sequence[Post], now: datetime
) -> None:
    """Let a new thread know all that its topic holds.

    Args:
        records: The store.
        table: Of the thread before it, with the same seats and words.
        key: The new thread's.
        thread: The config of the thread before it.
        posts: The whole topic, in order.
        now: The moment.
    """
    records.add_thread(key, thread.site, thread.topic)
    sequence = 0
    for post in posts:
        if post.author_id == CONSOLE:
            continue
        sequence = records.next_sequence(key)
        records.add_post(
            key,
            post_id=post.id,
            sequence=sequence,
            author_id=post.author_id,
            author_name=post.author_name,
            page_url=key,  # the first reading puts it in its place
            url=post.url,
            posted_at=post.posted_at,
        )
        records.add_version(
            key,
            sequence=sequence,
            post_id=post.id,
            words=post.own_words,
            set_aside=post.set_aside,
            digest=digest_of(post),
            seen_at=now,
        )
    # By tag as well: a post that is edited later is looked through anew.
    for version in records.versions(key):
        for said in said_in(version, table.seats, table.vocabulary):
            if not records.is_heard(key, said.post_id, said.key):
                records.hear(key, said.post_id, said.key, "before", now)
    records.set_thread(key, heard=sequence)


def section_of(
    config: Config, thread: Thread, table: Table, key: str, state: Mapping[str, Mapping[str, Any]]
) -> tuple[str, tuple[str, ...]]:
    """The new thread's section of the config, as YAML.

    Args:
        config: As it is.
        thread: The thread before it.
        table: Likewise.
        key: The new thread's.
        state: What everybody was left in, by name.

    Returns:
        The section with its key, and what of the state no config can say: ``Lope.guard_extra``.
    """
    given, dropped = _fitting(thread, table, state)
    raw = plain(config.root["threads"][thread.key])
    cast: dict[str, Any] = {}
    for member in thread.cast:
        listed = raw["cast"][member.listed_as] or {}
        own = {name: value for name, value in listed.items() if name not in ("count", "state")}
        cast[member.name] = {**own, **({"state": given[member.name]} if given[member.name] else {})}
    text = io.StringIO()
    yaml = YAML(typ="safe", pure=True)
    yaml.allow_unicode = True
    yaml.default_flow_style = False
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment] # keys as they stood
    yaml.dump({key: {**raw, "cast": cast}}, text)
    return text.getvalue(), dropped


def _fitting(
    thread: Thread, table: Table, state: Mapping[str, Mapping[str, Any]]
) -> tuple[dict[str, dict[str, Any]], tuple[str, ...]]:
    """As much of the state as a fight can begin with, and what is left out of it.

    A state also tells what follows from the sheet, and here and there what lasts for a moment only.
    """
    given = {member.name: plain(dict(state.get(member.name, {}))) for member in thread.cast}
    dropped: list[str] = []
    setup = thread.setup
    for _ in range(MOST_TRIES):
        cast = tuple(
            CharacterSetup(one.name, one.side, one.npc, one.sheet, given[one.name])
            for one in setup.cast
        )
        try:
            table.ruleset.new_fight(Setup(cast, setup.scene, setup.options), table.tables)
        except SetupError as error:
            paths = {problem.path for problem in error.problems}
            refused = {
                (str(path[0]), str(path[2]))
                for path in paths
                if len(path) > 2 and path[0] in given and path[1] == "state"
            }
            if not refused:
                break
            for name, field in sorted(refused):
                if given[name].pop(field, None) is not None:
                    dropped.append(f"{name}.{field}")
        else:
            break
    return given, tuple(dropped)
