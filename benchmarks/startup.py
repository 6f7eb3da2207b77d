"""How long the command line takes to say what it can do."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence

from bars import ROOT, Bar, alternately, main

REPEATS = 15
LIMIT = 3.0


def seconds(*arguments: str) -> float:
    """Wall time of one Python process, from its start to its end."""
    # A width of its own, lest the time hang on the terminal that happens to be there.
    environment = {**os.environ, "COLUMNS": "100"}
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments], check=True, cwd=ROOT, env=environment, capture_output=True
    )
    return time.perf_counter() - started


def measure() -> Sequence[Bar]:
    """``referee --help`` beside the import of the library that parses its arguments."""
    ask, load = ("-m", "referee", "--help"), ("-c", "import typer")
    seconds(*ask), seconds(*load)  # bytecode is written on the first run
    ours, yardstick = alternately(lambda: seconds(*ask), lambda: seconds(*load), REPEATS)
    return [
        Bar("referee --help", ours * 1000, yardstick * 1000, "import typer", "ms", LIMIT, "at_most")
    ]


if __name__ == "__main__":
    sys.exit(main(measure))
