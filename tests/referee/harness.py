"""A table to play at in tests: a folder thread, the real app on a real database, a clock by hand.

Posts are written as players write them and read as players read them; nothing of the referee is
faked but the clock and, where a test compares two runs, the source of secrets.
"""

import asyncio
import hashlib
import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from referee.app import App, World
from referee.audits import audit_thread
from referee.config import load
from referee.evidence import Report, verify
from referee.sources import read_posts
from referee.visiting import visit

START = datetime(2026, 11, 30, 18, 0, tzinfo=UTC)

CONFIG = """
language: {language}
timezone: Europe/Madrid
database: sqlite:///var/referee.db
sites:
  mesa: {{adapter: folder, base_url: hilos, username: Árbitro}}
threads:
  molino:
    site: mesa
    topic: molino
    ruleset: aquelarre
    gm: narradora
    policies: {{hold_back: 0s, deadline: 48h, missing: standing, questions: {questions}{more}}}
    cast:
      Lope:
        player: {{id: lucia, name: Lucía}}
        gender: m
        sheet: {{strength: 13, agility: 16, dexterity: 15, endurance: 15, perception: 13,
                skills: {{swords: 65, shields: 45, dodge: 40}}, weapons: [espada], shield: rodela}}
      Ximena:
        player: {{id: tomas, name: Tomás}}
        gender: f
        sheet: {{strength: 11, agility: 17, dexterity: 16, endurance: 14, perception: 15,
                skills: {{knives: 60, dodge: 55}}, weapons: [daga]}}
      Bandido:
        npc: true
        count: 2
        gender: m
        sheet: {{strength: 12, agility: 12, dexterity: 10, endurance: 12, perception: 10,
                skills: {{maces: 45, dodge: 30}}, weapons: [clava]}}
"""


class HandClock:
    """A clock that moves when it is told to."""

    def __init__(self, now: datetime = START) -> None:
        self.moment = now

    def now(self) -> datetime:
        return self.moment

    def forward(self, **length: float) -> None:
        self.moment += timedelta(**length)


def known_secrets(seed: str) -> Callable[[int], bytes]:
    """A source of secrets that gives the same ones again."""
    count = 0

    def secret(size: int) -> bytes:
        nonlocal count
        count += 1
        return hashlib.sha512(f"{seed} {count}".encode()).digest()[:size]

    return secret


@dataclass
class Mesa:
    """One thread with its players."""

    path: Path
    language: str = "es"
    questions: str = "default"
    more: str = ""
    clock: HandClock = field(default_factory=HandClock)
    secrets: str = "mesa"
    number: int = 0

    def __post_init__(self) -> None:
        self.thread.mkdir(parents=True)
        self.write_config()
        self.post("narradora", "El molino de Peñascal, de noche.")
        self._secret = known_secrets(self.secrets)

    @property
    def thread(self) -> Path:
        return self.path / "hilos" / "molino"

    @property
    def config(self) -> Path:
        return self.path / "config.yaml"

    def write_config(self, replace: Mapping[str, str] | None = None) -> None:
        text = CONFIG.format(
            language=self.language,
            questions=self.questions,
            more=f", {self.more}" if self.more else "",
        )
        for old, new in (replace or {}).items():
            assert old in text
            text = text.replace(old, new)
        self.config.write_text(text, encoding="utf-8")

    def post(self, author: str, text: str) -> Path:
        """A new post at the end of the thread."""
        last = max((int(p.name[:4]) for p in self.thread.glob("*.md")), default=0)
        file = self.thread / f"{last + 1:04d}-{author}.md"
        file.write_text(text, encoding="utf-8")
        return file

    def app(self) -> App:
        return App(load(self.config), World(clock=self.clock, secret=self._secret))

    def serve(self, visits: int = 1, *, thread: str = "molino") -> None:
        """Let the referee come by."""

        async def come() -> None:
            app = self.app()
            try:
                for _ in range(visits):
                    await visit(app.thread_desk(thread))
            finally:
                await app.close()

        asyncio.run(come())

    def own_posts(self) -> list[str]:
        """What the referee has posted, in order."""
        return [p.read_text(encoding="utf-8") for p in sorted(self.thread.glob("*-arbitro.md"))]

    def read(self, function: Callable[..., Any], *args: Any) -> Any:
        """Look into the store."""
        app = self.app()
        try:
            with app.store.reading() as records:
                return function(records, *args)
        finally:
            asyncio.run(app.close())

    def rounds(self) -> list[Any]:
        return self.read(lambda records: records.rounds("molino"))

    def events(self, number: int = -1) -> list[dict[str, Any]]:
        played = [row for row in self.rounds() if row.resolutions]
        return list(played[number].outcome["events"])

    def log(self, kind: str) -> list[Mapping[str, Any]]:
        rows = self.read(lambda records: records.log("molino"))
        return [row.entry for row in rows if row.entry["kind"] == kind]

    def audit(self) -> dict[str, Any]:
        app = self.app()
        try:
            return audit_thread(app, "molino")
        finally:
            asyncio.run(app.close())

    def verify(self) -> Report:
        return verify(asyncio.run(read_posts([str(self.thread)], io.StringIO())))

    def begin(self) -> None:
        """A fight whose first round is open."""
        self.serve()
        self.post("narradora", "Empieza. [árbitro: iniciar]")
        self.serve()

    def declare_all(self, skip: tuple[str, ...] = ()) -> None:
        """Everybody declares something plain."""
        if "Lope" not in skip:
            self.post("lucia", "[acción: ataque | Bandido 1] [acción: parada]")
        if "Ximena" not in skip:
            self.post("tomas", "[acción: ataque | Bandido 2] [acción: esquiva]")
        if "Bandido" not in skip:
            self.post(
                "narradora",
                "[acción Bandido 1: ataque | Lope] [acción Bandido 2: ataque | Ximena]",
            )


def marks(posts: list[str]) -> list[str]:
    """The mark that signs each post."""
    return [re.findall(r"ref-[a-z0-9]{8}", post)[-1] for post in posts]
