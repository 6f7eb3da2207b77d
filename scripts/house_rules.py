"""Rules of the house that no linter knows, over the files that git tracks.

No unfinished notes, no paths of one machine, no hosts of package registries, no merge marks, and
every relative link in the documentation leads to a file or a heading that is there.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
LARGEST_FILE_BYTES = 2_000_000

# One letter stands in brackets so that these lines do not match themselves.
FORBIDDEN: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("an unfinished note", re.compile(r"\b(?:TOD[O]|FIXM[E])\b")),
    ("a path of one machine", re.compile(r"(?<![\w.])/(?:work|home/\w+|Users/\w+)/[\w.]")),
    (
        "the host of a package registry",
        re.compile(r"pypi\.(?:or[g]|pytho[n])|pythonhoste[d]|registry\.npmj[s]|deb\.debia[n]\."),
    ),
    ("a merge mark", re.compile(r"^(?:<{7}|>{7}) ")),
)
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+\s+(.*?)\s*#*\s*$", re.MULTILINE)
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
CODE_SPAN = re.compile(r"`[^`\n]*`")


@dataclass(frozen=True, slots=True)
class Offence:
    """Where a rule is broken and how."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        """As compilers print it, so that editors can jump there."""
        return f"{self.file}:{self.line}: {self.what}"


def tracked_files() -> list[str]:
    """Paths of the files that git tracks and that are there, relative to the root."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def forbidden_words(name: str, text: str) -> Iterator[Offence]:
    """Lines that hold what may not be committed."""
    for number, line in enumerate(text.splitlines(), 1):
        for what, pattern in FORBIDDEN:
            found = pattern.search(line)
            if found:
                yield Offence(name, number, f"{what}: {found.group()}")


def anchor(heading: str) -> str:
    """The address that a heading gets on the usual Markdown hosts."""
    bare = re.sub(r"[^\w\- ]", "", heading.replace("`", "").strip().lower())
    return bare.replace(" ", "-")


def dead_links(name: str, text: str) -> Iterator[Offence]:
    """Relative links of a Markdown file that lead nowhere."""
    prose = CODE_SPAN.sub(
        lambda span: " " * len(span.group()),
        FENCE.sub(lambda block: re.sub(r"[^\n]", " ", block.group()), text),
    )
    for found in LINK.finditer(prose):
        target = found.group(1)
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue
        path, _, fragment = unquote(target).partition("#")
        file = (ROOT / name).parent / path if path else ROOT / name
        line = prose.count("\n", 0, found.start()) + 1
        if not file.exists():
            yield Offence(name, line, f"dead link: {target}")
        elif fragment and file.suffix == ".md":
            headings = {anchor(heading) for heading in HEADING.findall(file.read_text("utf-8"))}
            if fragment not in headings:
                yield Offence(name, line, f"no such heading: {target}")


def offences() -> Iterator[Offence]:
    """Every broken rule in the tracked files."""
    for name in tracked_files():
        raw = (ROOT / name).read_bytes()
        if len(raw) > LARGEST_FILE_BYTES:
            yield Offence(name, 1, f"larger than {LARGEST_FILE_BYTES} bytes")
            continue
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            continue
        yield from forbidden_words(name, text)
        if name.endswith(".md"):
            yield from dead_links(name, text)


def main() -> int:
    """Print the offences; 1 if there are any."""
    found = list(offences())
    for offence in found:
        print(offence)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
