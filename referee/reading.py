"""From a forum's pages to posts and versions in the store.

Reading is at least once and idempotent by (thread, post id, digest of what the post says), so a
page can be read any number of times. ``read`` only asks the network; ``merge`` only writes, inside
the caller's transaction.
"""

import hashlib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from adapters.base import Adapter, Http, Letter, Post, ThreadPage
from adapters.errors import GoneError, LayoutChangedError
from referee.declaring import LETTER
from referee.storage.records import PostRow, Records, ThreadRow

# A thread that grows faster than this between two polls is read on at the next one.
MAX_PAGES_A_POLL = 50

Reached = Callable[[str], None]
Page = Callable[[str], Awaitable[ThreadPage]]


@dataclass(frozen=True, slots=True)
class Reading:
    """Pages of one visit, in thread order and without a gap between them.

    Attributes:
        pages: Complete pages; empty when the forum said that nothing has changed.
        at_end: Whether the last of them is the last of the thread.
        began_at: When the visit began: what landed before it must be on the pages.
    """

    pages: tuple[ThreadPage, ...]
    at_end: bool
    began_at: datetime


@dataclass(frozen=True, slots=True)
class Merged:
    """What a visit brought: ids of new posts, changed posts and posts that are gone."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether there is any news."""
        return bool(self.new or self.changed or self.gone)


def digest_of(post: Post) -> str:
    """Hash of what a post says; a silent edit changes it."""
    said = f"{post.own_words}\0{post.set_aside}"
    return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()


async def read(
    adapter: Adapter,
    http: Http,
    thread: ThreadRow,
    began_at: datetime,
    reached: Reached,
    *,
    back_to: str = "",
    thorough: bool = False,
) -> Reading:
    """Visit a thread: one conditional request when there is no news.

    Args:
        adapter: The thread's platform.
        http: The site's client.
        thread: Where the last visit ended (``cursor_url``).
        began_at: Now.
        reached: Hears a checkpoint after each page.
        back_to: Address of an earlier page to begin with, so that all posts of a round are seen.
        thorough: Read the last two pages whole, whatever the forum says about changes.
    """

    async def if_changed(url: str) -> ThreadPage | None:
        found = await adapter.fetch(http, url, conditional=True)
        reached("receive page")
        return found

    async def page(url: str) -> ThreadPage:
        found = await adapter.fetch(http, url)
        reached("receive page")
        if found is None:
            raise LayoutChangedError(url, cure="send_page_to_maintainers", missing="page")
        return found

    cursor = back_to or thread.cursor_url
    try:
        if not cursor:
            return await _first_visit(adapter, thread, page, began_at)
        first = await (page(cursor) if thorough or back_to else if_changed(cursor))
    except GoneError:
        # The page is gone, perhaps not the thread: posts deleted, thread merged or page size new.
        return await _first_visit(adapter, thread, page, began_at)
    if first is None:
        return Reading((), at_end=True, began_at=began_at)
    pages = [first]
    if thorough and first.previous_url and not back_to:
        pages.insert(0, await page(first.previous_url))
    return await _to_the_end(pages, page, began_at)


async def _first_visit(
    adapter: Adapter, thread: ThreadRow, page: Page, began_at: datetime
) -> Reading:
    """The whole of a thread of one or two pages, else its last two pages."""
    first = await page(adapter.thread_url(thread.topic))
    pages = [first]
    if first.last_url and first.last_url not in {first.url, first.next_url}:
        last = await page(first.last_url)
        pages = [last]
        if last.previous_url:
            pages.insert(0, await page(last.previous_url))
    return await _to_the_end(pages, page, began_at)


async def _to_the_end(pages: list[ThreadPage], page: Page, began_at: datetime) -> Reading:
    while pages[-1].next_url and len(pages) < MAX_PAGES_A_POLL:
        following = await page(pages[-1].next_url)
        if following.url == pages[-1].url:
            break
        pages.append(following)
    return Reading(tuple(pages), at_end=not pages[-1].next_url, began_at=began_at)


def merge(records: Records, thread: ThreadRow, reading: Reading) -> Merged:
    """Keep what a visit brought: new posts, new versions, posts that are gone."""
    if not reading.pages:
        records.set_thread(thread.key, read_at=reading.began_at)
        return Merged()
    last = reading.pages[-1]
    if len(reading.pages) == 1 and last.digest and last.digest == thread.page_digest:
        records.set_thread(thread.key, read_at=reading.began_at)
        return Merged()
    located = _located(reading.pages)
    known = records.known(thread.key, list(located))
    new: list[str] = []
    changed: list[str] = []
    for post, page_url in located.values():
        before = known.get(post.id)
        digest = digest_of(post)
        if before is None:
            sequence = records.next_sequence(thread.key)
            records.add_post(
                thread.key,
                post_id=post.id,
                sequence=sequence,
                author_id=post.author_id,
                author_name=post.author_name,
                page_url=page_url,
                url=post.url,
                posted_at=post.posted_at,
            )
            _add_version(records, thread.key, sequence, post, digest, reading.began_at)
            new.append(post.id)
            continue
        if before.page_url != page_url or before.gone_at is not None:
            records.set_post(thread.key, post.id, page_url=page_url, gone_at=None)
        if before.digest != digest or before.gone_at is not None:
            sequence = records.next_sequence(thread.key)
            _add_version(records, thread.key, sequence, post, digest, reading.began_at)
            changed.append(post.id)
    gone = _gone(records, thread.key, known.values(), located, reading)
    records.set_thread(
        thread.key, cursor_url=last.url, page_digest=last.digest, read_at=reading.began_at
    )
    return Merged(tuple(new), tuple(changed), gone)


def merge_letters(
    records: Records,
    thread: ThreadRow,
    letters: Iterable[Letter],
    writers: Iterable[str],
    since: datetime,
    now: datetime,
) -> Merged:
    """Keep the newest private message of everybody who has said that one would come.

    A letter counts for a thread as a post that stands on no page.

    Args:
        records: The store.
        thread: Whose round is open.
        letters: The newest of the account's mailbox, oldest first. Where the site tells no dates,
            one counts in one thread only.
        writers: User ids of those who declare in secret in this thread.
        since: When the round opened: what is known to be older was meant for another.
        now: The moment.
    """
    newest = {
        letter.post.author_id: letter.post
        for letter in letters
        if letter.post.posted_at is None or letter.post.posted_at >= since
    }
    new: list[str] = []
    changed: list[str] = []
    for writer in writers:
        if writer not in newest:
            continue
        post = replace(newest[writer], id=f"{LETTER}{newest[writer].id}")
        if post.posted_at is None and records.is_elsewhere(thread.key, post.id):
            continue  # it may be of any age, and it has counted
        before = records.known(thread.key, [post.id]).get(post.id)
        digest = digest_of(post)
        if before is not None and before.digest == digest:
            continue
        sequence = records.next_sequence(thread.key)
        if before is None:
            records.add_post(
                thread.key,
                post_id=post.id,
                sequence=sequence,
                author_id=post.author_id,
                author_name=post.author_name,
                page_url="",
                url="",
                posted_at=post.posted_at,
            )
        _add_version(records, thread.key, sequence, post, digest, now)
        (new if before is None else changed).append(post.id)
    return Merged(tuple(new), tuple(changed))


def _located(pages: Sequence[ThreadPage]) -> dict[str, tuple[Post, str]]:
    """Each post once, in thread order, with its page: pages of some platforms overlap."""
    located: dict[str, tuple[Post, str]] = {}
    for page in pages:
        for post in page.posts:
            located.setdefault(post.id, (post, page.url))
    return located


def _add_version(
    records: Records, thread: str, sequence: int, post: Post, digest: str, seen_at: datetime
) -> None:
    records.add_version(
        thread,
        sequence=sequence,
        post_id=post.id,
        words=post.own_words,
        set_aside=post.set_aside,
        digest=digest,
        seen_at=seen_at,
    )


def _gone(
    records: Records,
    thread: str,
    known: Iterable[PostRow],
    located: dict[str, tuple[Post, str]],
    reading: Reading,
) -> tuple[str, ...]:
    """Posts that should stand between others that we have just seen, and don't.

    Only what lies strictly within the span of known posts counts: at its edges a post may simply
    have moved to a page that was not read.
    """
    first_seen = [row.first_sequence for row in known]
    if not first_seen:
        return ()
    # Nothing comes after the last page, so a post missing there is missing for good.
    newest = None if reading.at_end else max(first_seen)
    expected = records.posts_between(thread, min(first_seen), newest)
    missing = [post_id for post_id in expected if post_id not in located]
    if not missing:
        return ()
    # What was let through late was seen after posts that stand behind it: it is not missing where
    # its page was not read.
    earlier = records.pages_before(thread, min(first_seen))
    earlier -= {page.url for page in reading.pages}
    rows = records.known(thread, missing)
    missing = [post_id for post_id in missing if rows[post_id].page_url not in earlier]
    for post_id in missing:
        records.set_post(thread, post_id, gone_at=reading.began_at)
        records.add_version(
            thread,
            sequence=records.next_sequence(thread),
            post_id=post_id,
            words="",
            set_aside="",
            digest="",
            seen_at=reading.began_at,
        )
    return tuple(missing)
