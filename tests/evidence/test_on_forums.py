"""Evidence through forums: posted, rendered, read back by the adapter and verified."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from textwrap import indent

import pytest

from adapters.base import Adapter, Post
from adapters.http import Pace, PoliteHttp
from adapters.phpbb import PhpBB
from adapters.registry import BY_NAME
from referee.evidence import Block, BlockRoll, LockedWords, block_text, find_blocks, verify
from referee.evidence.block import records
from referee.evidence.canonical import text
from tests.evidence.played import MASTER, NASTY, REFEREE, Table, play_duel
from tests.forums.fake_phpbb import FakePhpBB
from tests.forums.live_forum import LiveForum

CAST = (REFEREE, MASTER, "57", "58")


@dataclass
class ForumTable(Table):
    """A table whose posts are posted."""

    post: Callable[[str, str], str] = lambda author, text: f"{author}{text}"
    wrap: Callable[[str], str] = str
    shown: list[str] = field(default_factory=list)

    def say(self, author_id: str, words: str) -> str:
        return self.post(author_id, words)

    def post_block(self, post_id: str, text: str) -> None:
        del post_id  # the forum gives its own
        self.shown.append(self.post(REFEREE, f"Así fue, 8) seguro:\n\n{self.wrap(text)}"))


async def read(adapter: Adapter, topic: str) -> list[Post]:
    pace, private = Pace(1000.0), frozenset({"127.0.0.1"})
    async with PoliteHttp(contact="tests@example.org", pace=pace, allow_private=private) as http:
        posts: list[Post] = []
        url = adapter.thread_url(topic)
        while url:
            page = await adapter.fetch(http, url)
            assert page is not None
            posts.extend(page.posts)
            url = page.next_url
    return posts


def assert_holds(posts: list[Post], referee_id: str) -> None:
    report = verify(posts, [referee_id])
    assert [(one.code, one.facts) for one in report.findings if one.code != "amended"] == []
    assert report.verdict == "holds"
    assert (len(report.rolls), len(report.words)) == (24, 7)


NASTY_BLOCK = Block(
    thread="“mesa” :D/7 *_*",
    kind="round",
    number=3,
    words=tuple(LockedWords(f"p{n}", f"@Lucía {n}", words) for n, words in enumerate(NASTY)),
    rolls=tuple(
        BlockRoll("lock.3", text(f"{words}.attack"), (8, 100), (8, 3)) for words in set(NASTY)
    ),
)


def assert_found(posts: list[Post]) -> None:
    found = find_blocks(f"{posts[-1].own_words}\n{posts[-1].set_aside}")
    assert len(found) == 1
    assert isinstance(found[0], Block)
    assert records(found[0]) == records(NASTY_BLOCK)


MARKDOWN: Mapping[str, Callable[[str], str]] = {
    "fenced": lambda block: f"```\n{block}\n```",
    "indented": lambda block: indent(block, "    "),
    "bare": lambda block: block,
}


@pytest.mark.parametrize("way", MARKDOWN)
async def test_nasty_words_in_evidence_come_through_markdown(
    live_forum: LiveForum, way: str
) -> None:
    user = live_forum.create_user(f"evidence-nasty-{way}")
    topic = live_forum.create_topic("Evidence", user, "El molino.")
    live_forum.post_as(user, topic, MARKDOWN[way](block_text(NASTY_BLOCK)))

    assert_found(await read(BY_NAME[live_forum.platform](live_forum.board_url), topic))


@pytest.mark.parametrize("wrap", ["[code]{}[/code]", "{}"], ids=["code", "bare"])
async def test_nasty_words_in_evidence_come_through_phpbb(wrap: str) -> None:
    board = FakePhpBB()
    board.add_user("Persona")
    topic = board.add_topic("El molino", "Persona", "La niebla.")
    board.post("Persona", topic, wrap.format(block_text(NASTY_BLOCK)))
    with board.serving() as url:
        posts = await read(PhpBB(url), str(topic))

    assert_found(posts)


@pytest.mark.parametrize("way", MARKDOWN)
async def test_a_duel_verifies_through_a_real_forum(live_forum: LiveForum, way: str) -> None:
    ids = {one: live_forum.create_user(f"evidence-{way}-{one}") for one in CAST}
    topic = live_forum.create_topic(f"Evidence {way}", ids[MASTER], "El molino.")
    table = ForumTable(
        people=ids,
        post=lambda who, text: live_forum.post_as(ids[who], topic, text),
        wrap=MARKDOWN[way],
    )
    play_duel(table)

    posts = await read(BY_NAME[live_forum.platform](live_forum.board_url), topic)
    assert_holds(posts, ids[REFEREE])


@pytest.mark.parametrize("wrap", ["[code]{}[/code]", "{}"], ids=["code", "bare"])
async def test_a_duel_verifies_through_phpbb(wrap: str) -> None:
    board = FakePhpBB()
    ids = {one: str(board.add_user(f"Persona {one}")) for one in CAST}
    topic = board.add_topic("El molino", f"Persona {MASTER}", "La niebla.")
    table = ForumTable(
        people=ids,
        post=lambda who, text: str(board.post(f"Persona {who}", topic, text)),
        wrap=wrap.format,
    )
    play_duel(table)
    with board.serving() as url:
        posts = await read(PhpBB(url), str(topic))

    assert_holds(posts, ids[REFEREE])
