"""The example that the checkout carries, and the reference page, are true."""

import re
import runpy
from collections import Counter
from pathlib import Path

import pytest

from adapters.base import Account, ThreadPage
from adapters.folder import Folder, author_id
from adapters.http import PoliteHttp
from referee import schema
from referee.config import load
from referee.evidence import SeedDice
from referee.settings import Config
from referee.tags import Command, Speakers, Vocabulary, find_tags, read_tag
from rulesets.core.declarations import Declaration
from rulesets.registry import ruleset

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def config() -> Config:
    return load(ROOT / "config.yaml")


async def thread_of(config: Config) -> ThreadPage:
    site = config.sites["mesa"]
    folder = Folder(site.base_url, Account(site.username, ""))
    page = await folder.fetch(PoliteHttp(contact=""), folder.thread_url("molino"))
    assert page is not None
    return page


def test_the_example_is_whole(config: Config) -> None:
    thread = config.threads["molino"]

    assert [member.name for member in thread.cast] == ["Lope", "Ximena", "Bandido 1", "Bandido 2"]
    assert not thread.policies.hold_back
    assert config.data.check() == ()


def test_what_the_example_has_commented_out_works_too(tmp_path: Path) -> None:
    lines = (ROOT / "config.yaml").read_text(encoding="utf-8").splitlines()
    whole = "\n".join(_without_mark(line) for line in lines)
    (tmp_path / "examples").mkdir()
    (tmp_path / "mis-plantillas").mkdir()
    (tmp_path / "examples" / "ximena.yaml").write_text((ROOT / "examples/ximena.yaml").read_text())
    (tmp_path / "config.yaml").write_text(whole)

    config = load(tmp_path / "config.yaml")

    assert len(config.sites) == whole.count(" adapter: ")
    assert sorted(config.threads) == ["caminos", "molino"]
    assert config.polling.night is not None
    assert config.data.tables("aquelarre")["weapons"]["espada"]["damage"] == "1D8+2"


def _without_mark(line: str) -> str:
    """A line of YAML that was commented out, as it would stand; prose stays a comment."""
    found = re.fullmatch(r"(\s*)# (\s*\w+:(?: .*)?)", line)
    if found is None or "database:" in line:  # that one stands in place of another
        return line
    return found[1] + found[2]


async def test_every_author_of_the_example_is_somebody(config: Config) -> None:
    thread = config.threads["molino"]
    players = {person.id for member in thread.cast for person in member.players}
    known = {author_id(person) for person in players | {person.id for person in thread.gm}}

    page = await thread_of(config)

    assert {post.author_id for post in page.posts} == known


async def test_the_example_begins_by_itself_and_everybody_has_declared(config: Config) -> None:
    thread, game = config.threads["molino"], ruleset("aquelarre")
    page = await thread_of(config)
    words = [config.data.terms("es", name) for name in (game.id, "common")]
    vocabulary = Vocabulary.of(game.actions, game.orders, game.commands, {"es": words})
    cast = tuple(member.name for member in thread.cast)
    players = {person.id: (member.name,) for member in thread.cast for person in member.players}

    said = [
        read_tag(
            tag,
            vocabulary,
            Speakers(players.get(post.author_id, ()), cast, is_gm=post.author_id == "narradora"),
        )
        for post in page.posts
        for tag in find_tags(post.own_words, vocabulary)
    ]
    begins = [tag for tag in said if isinstance(tag, Command)]
    declared = [tag for tag in said if isinstance(tag, Declaration)]
    fight = game.new_fight(thread.setup, game.read_tables(config.data.tables(game.id)))
    opened = game.open_round(fight, SeedDice(bytes(32), ""))

    assert [command.verb for command in begins] == ["start"]
    assert len(begins) + len(declared) == len(said)
    assert Counter(tag.actor for tag in declared) == dict.fromkeys(cast, 2)
    assert game.check(opened.fight, declared) == ()


def test_every_section_stands_in_the_reference_page() -> None:
    script = runpy.run_path(str(ROOT / "scripts/config_reference.py"))

    # An adapter's own options are made from its class, and stand in the page of its platform.
    ours = {one for one in schema.Section.__subclasses__() if one.__module__ == schema.__name__}
    assert {model for _, model, _ in script["SECTIONS"]} == ours


def test_the_reference_page_is_that_of_the_schema() -> None:
    script = runpy.run_path(str(ROOT / "scripts/config_reference.py"))

    assert (ROOT / "docs/config.md").read_text(encoding="utf-8") == script["page"]()
