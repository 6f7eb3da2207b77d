"""A post as blocks of markup, and its cutting into parts that a forum takes.

A cut falls between blocks if it can, else between the lines of a block, else between words. What is
open at the cut (a spoiler, a code block, a table) is closed before it and opened again after it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

# A space that must not be cut at: inside bold words, in a row of a table. Shown as a plain space.
NO_CUT: Final = "\x1f"
SMALLEST_LIMIT: Final = 1_000
MAX_PARTS: Final = 99
CUT_SHORT: Final = "…"


@dataclass(frozen=True, slots=True)
class Flow:
    """Words in markup that may be cut at spaces; each piece gets ``opening`` and ``closing``."""

    text: str
    opening: str = ""
    closing: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """Blocks inside something that is opened and closed: a spoiler, a code block, a table.

    ``opening`` is repeated where the box is cut, so it holds the title or the table's head.
    ``kind`` tells what must not touch: indented code after a list would be part of the list, and so
    would a list after one that stands for a table.
    """

    opening: str
    body: tuple["Block", ...]
    closing: str
    glue: str = "\n\n"
    kind: Literal["list", "table", "code", ""] = ""


Block: TypeAlias = Flow | Box


def is_list(block: Block) -> bool:
    """Whether the last thing that a block shows is a list."""
    if isinstance(block, Flow) or block.kind in {"list", "table"}:
        return isinstance(block, Box)
    return not block.closing and bool(block.body) and is_list(block.body[-1])


def text_of(block: Block) -> str:
    """The markup of a block."""
    if isinstance(block, Flow):
        return f"{block.opening}{block.text}{block.closing}"
    inside = block.glue.join(text_of(part) for part in block.body)
    return f"{block.opening}{inside}{block.closing}"


def joined(blocks: Iterable[Block]) -> str:
    """The markup of a whole post or part, as it is sent."""
    return "\n\n".join(text_of(block) for block in blocks).replace(NO_CUT, " ")


def split(blocks: Sequence[Block], limit: int) -> tuple[str, ...]:
    """Cut a post into parts of at most ``limit`` characters, in order, nothing lost.

    Args:
        blocks: The post.
        limit: Longest part; at least ``SMALLEST_LIMIT``.

    Returns:
        One part, or several that begin with their number: ``(1/3)``.

    Raises:
        ValueError: the limit is too small to write anything sensible, or there would be more than
            ``MAX_PARTS`` parts.
    """
    if limit < SMALLEST_LIMIT:
        raise ValueError(f"limit {limit} is below {SMALLEST_LIMIT}")
    whole = joined(blocks)
    if len(whole) <= limit:
        return (whole,)
    parts = _pages(blocks, limit - len("(99/99)\n\n"), "\n\n")
    if len(parts) > MAX_PARTS:
        raise ValueError(f"{len(parts)} parts")
    return tuple(
        f"({number}/{len(parts)})\n\n{joined(part)}" for number, part in enumerate(parts, start=1)
    )


def shortened(blocks: Sequence[Block], limit: int) -> str:
    """A post that must be one, in at most ``limit`` characters.

    What is too long loses the end of its words, but not its last block, where the evidence stands,
    unless that alone is too long.
    """
    whole = joined(blocks)
    if len(whole) <= limit:
        return whole
    last = blocks[-1:] if len(joined(blocks[-1:])) <= limit // 2 else ()
    ending = f"\n\n{CUT_SHORT}" + "".join(f"\n\n{joined([block])}" for block in last)
    pages = _pages(blocks[: len(blocks) - len(last)], limit - len(ending), "\n\n")
    return joined(pages[0]) + ending


def _pages(blocks: Iterable[Block], room: int, glue: str) -> list[list[Block]]:
    pages: list[list[Block]] = [[]]
    used = 0
    waiting = list(reversed(list(blocks)))
    while waiting:
        block = waiting.pop()
        gap = len(glue) if pages[-1] else 0
        size = len(text_of(block))
        if used + gap + size <= room:
            pages[-1].append(block)
            used += gap + size
            continue
        # What a fresh part holds whole is not cut, unless half of this part would be wasted.
        left = room - used - gap
        if size > room or left > room // 2:
            head, tail = _cut(block, left, forced=not pages[-1])
            pages[-1].extend(head)
            waiting.extend(tail)
        else:
            waiting.append(block)
        pages.append([])
        used = 0
    return [page for page in pages if page]


def _cut(block: Block, room: int, *, forced: bool) -> tuple[tuple[Block, ...], tuple[Block, ...]]:
    """What fits into ``room``, and the rest: none or one block each. ``forced`` cuts words too."""
    inside = room - len(block.opening) - len(block.closing)
    if isinstance(block, Flow):
        at = _seam(block.text, inside, forced=forced)
        begun, left = block.text[:at].rstrip(), block.text[at:].lstrip(" \n")
        if not begun:
            return (), (block,)
        return (replace(block, text=begun),), (replace(block, text=left),) if left else ()
    heads: list[Block] = []
    for place, part in enumerate(block.body):
        gap = len(block.glue) if heads else 0
        size = len(text_of(part))
        if gap + size <= inside:
            heads.append(part)
            inside -= gap + size
            continue
        head, tail = _cut(part, inside - gap, forced=forced and not heads)
        heads.extend(head)
        if not heads:
            return (), (block,)
        rest = (*tail, *block.body[place + 1 :])
        return (replace(block, body=tuple(heads)),), (replace(block, body=rest),)
    return (block,), ()


def _seam(text: str, room: int, *, forced: bool) -> int:
    """Where to cut so that the first piece has at most ``room`` characters; 0 for nowhere."""
    if room <= 0:
        return 0
    for seam in ("\n", ". ", " "):
        at = text.rfind(seam, 0, room)
        # A line or a sentence is worth a short piece, a word is not worth an almost empty one.
        if at > (0 if seam == " " else room // 3):
            return at + len(seam) - 1 if seam == ". " else at
    if not forced:
        return 0
    # One word longer than a whole part: cut it, but not inside a character reference.
    at = text.rfind("&", max(0, room - 10), room)
    return at if at > 0 and ";" not in text[at:room] else room
