"""What hostile answers and bombs in pages cost: the bar is 2 s and 150 MB each.

Each is met in a child process of its own, so that its memory is its own: ``python
benchmarks/hostile.py [PLATFORM...]`` prints the worst of all platforms, in CPU seconds and in
megabytes above what the program needs anyway.
"""

import asyncio
import json
import logging
import os
import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import structlog

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from adapters.errors import AdapterError
from adapters.http import Manners, PoliteHttp
from adapters.phpbb import PhpBB
from tests.adapters.hostile import ANSWERS, BOMBS, serving
from tests.adapters.mangling import Seed, planted, readers, reduced, seeds


def measured(work: Callable[[], str]) -> tuple[float, float, str]:
    """CPU seconds, megabytes and what came of it, in a child."""
    hears, tells = os.pipe()
    if os.fork() == 0:
        before = resource.getrusage(resource.RUSAGE_SELF)
        began = time.process_time()
        end = work()
        after = resource.getrusage(resource.RUSAGE_SELF)
        memory = (after.ru_maxrss - before.ru_maxrss) / 1024
        told = json.dumps([time.process_time() - began, memory, end])
        os.write(tells, told.encode())
        os._exit(0)
    os.close(tells)
    with os.fdopen(hears, "rb") as pipe:
        seconds, memory, end = json.loads(pipe.read())
    os.wait()
    return seconds, memory, end


def read(seed: Seed, text: str) -> str:
    """What becomes of a page that the client has let through."""
    if len(text.encode()) > Manners().max_bytes:
        return "refused by the client"
    try:
        return f"{len(seed.read(text, 'http://forum.test/viewtopic.php?t=2').posts)} posts"
    except AdapterError as error:
        return type(error).__name__


def visit(name: str) -> str:
    """What becomes of an answer on its way through the client and the adapter."""

    async def ask() -> str:
        async with (
            serving(ANSWERS[name]) as url,
            PoliteHttp(
                contact="x",
                manners=Manners(requests_per_s=1000, read_attempts=1),
                allow_private=frozenset({"127.0.0.1"}),
            ) as http,
        ):
            try:
                await PhpBB(url.partition("/view")[0]).fetch(http, url)
            except AdapterError as error:
                return f"{type(error).__name__} {error.cure}"
            return "a page"

    return asyncio.run(ask())


def main() -> None:
    """Measure and print."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    list(ANSWERS["gzip bomb"](""))  # packed beforehand: that is the server's work
    worst_s = worst_mb = 0.0
    for name in ANSWERS:
        seconds, memory, end = measured(partial(visit, name))
        worst_s, worst_mb = max(worst_s, seconds), max(worst_mb, memory)
        sys.stdout.write(f"{name:36} {seconds:6.2f} s {memory:6.0f} MB  {end}\n")
        sys.stdout.flush()
    pages = {
        name: reduced(seeds(name, 1)[0], posts=2) for name in sys.argv[1:] or sorted(readers())
    }
    for bomb, html in BOMBS.items():
        found = {
            name: measured(partial(read, seed, planted(seed, html))) for name, seed in pages.items()
        }
        slowest = max(found, key=lambda name: found[name][0])
        seconds, memory = found[slowest][0], max(memory for _s, memory, _e in found.values())
        worst_s, worst_mb = max(worst_s, seconds), max(worst_mb, memory)
        sys.stdout.write(
            f"{bomb:36} {seconds:6.2f} s {memory:6.0f} MB  {slowest}: {found[slowest][2]}\n"
        )
        sys.stdout.flush()
    sys.stdout.write(f"worst: {worst_s:.2f} s, {worst_mb:.0f} MB\n")


if __name__ == "__main__":
    main()
