"""A whole fight on a real forum: the real daemon, and players who log in and post like anybody."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from adapters.base import Account, Adapter
from adapters.http import Manners, Pace, PoliteHttp
from adapters.registry import BY_NAME
from referee.app import App, World
from referee.config import load
from referee.daemon import Daemon
from tests.forums.live_forum import PASSWORD, LiveForum
from tests.referee.harness import HandClock

_numbers = count(1)

CONFIG = """
language: es
timezone: Europe/Madrid
database: sqlite:///referee.db
sites:
  foro: {{adapter: {adapter}, base_url: "{url}", username: {referee},
         password_env: FORO_PASSWORD, allow_private: true, rate: 20, interval: 1s}}
threads:
  molino:
    site: foro
    topic: "{topic}"
    ruleset: aquelarre
    gm: "{gm}"
    policies: {{hold_back: 0s, deadline: 48h, missing: standing}}
    cast:
      Lope:
        player: "{lucia}"
        gender: m
        sheet: {{strength: 14, agility: 16, dexterity: 15, endurance: 60, perception: 13,
                skills: {{swords: 65, shields: 45}}, weapons: [espada], shield: rodela}}
      Ximena:
        player: "{tomas}"
        gender: f
        sheet: {{strength: 11, agility: 17, dexterity: 16, endurance: 60, perception: 15,
                skills: {{knives: 60, dodge: 55}}, weapons: [daga]}}
      Bandido:
        npc: true
        count: 2
        gender: m
        sheet: {{strength: 12, agility: 12, dexterity: 10, endurance: 60, perception: 10,
                skills: {{maces: 45, dodge: 30}}, weapons: [clava]}}
"""


def browser() -> PoliteHttp:
    return PoliteHttp(
        contact="tests@example.org", pace=Pace(1000.0), allow_private=frozenset({"127.0.0.1"})
    )


@dataclass
class Person:
    """Somebody with an account who reads and writes over HTTP, through the forum's own forms."""

    account: Adapter
    http: PoliteHttp

    async def post(self, topic: str, text: str, edits: str = "") -> str:
        await self.account.login(self.http)
        draft = await self.account.draft(self.http, topic, edits=edits)
        return (await self.account.send(self.http, draft, text)).post_id


@dataclass
class Fight:
    """The people of one fight, its thread, and a daemon whose clock is moved by hand."""

    forum: LiveForum
    folder: Path
    topic: str
    people: dict[str, Person]
    ids: dict[str, str]
    clock: HandClock
    app: App
    daemon: Daemon

    def post(self, who: str, text: str, edits: str = "") -> str:
        writing = self.people[who].post(self.topic, text, edits)
        return self.loop.run_until_complete(writing)

    def write_letter(self, who: str, text: str) -> None:
        """A private message to the referee."""
        me = self.app.site_desk("foro").referee_id
        self.forum.write_letter(self.ids[who], me, "Para el árbitro", text)

    def come_by(self, times: int = 2) -> None:
        """Let the daemon tick and finish the visits that this begins."""

        async def tick() -> None:
            for _ in range(times):
                self.clock.forward(seconds=5)
                await self.daemon.tick()
                await asyncio.gather(*self.daemon.visits.values())

        self.loop.run_until_complete(tick())

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        return asyncio.get_event_loop_policy().get_event_loop()

    def rounds(self) -> list[Any]:
        with self.app.store.reading() as records:
            return records.rounds("molino")

    def own_posts(self) -> list[str]:
        me = self.app.site_desk("foro").referee_id
        return [p["text"] for p in self.forum.posts(self.topic) if p["author_id"] == me]


@pytest.fixture
def fight(
    live_forum: LiveForum, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Fight]:
    number = next(_numbers)
    names = {who: f"{who}{number}" for who in ("arbitro", "narradora", "lucia", "tomas")}
    ids = {who: live_forum.create_user(name) for who, name in names.items()}
    topic = live_forum.create_topic(
        f"El molino, noche {number}", ids["narradora"], "El molino cruje. [árbitro: iniciar]"
    )
    monkeypatch.setenv("FORO_PASSWORD", PASSWORD)
    config = tmp_path / "config.yaml"
    config.write_text(
        CONFIG.format(
            adapter=live_forum.platform,
            url=live_forum.board_url,
            referee=names["arbitro"],
            topic=topic,
            gm=ids["narradora"],
            lucia=ids["lucia"],
            tomas=ids["tomas"],
        ),
        encoding="utf-8",
    )
    clock = HandClock()
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)

    def client(site: object, saved: Any) -> PoliteHttp:
        del site
        return PoliteHttp(
            contact="tests@example.org",
            pace=Pace(1000.0),
            # As the program itself has it.
            manners=Manners(robots=True),
            saved=saved,
            allow_private=frozenset({"127.0.0.1"}),
        )

    adapter = BY_NAME[live_forum.platform]
    people = {
        who: Person(adapter(live_forum.board_url, Account(names[who], PASSWORD)), browser())
        for who in ("narradora", "lucia", "tomas")
    }
    app = App(load(config), World(clock=clock, http=client))
    yield Fight(live_forum, tmp_path, topic, people, ids, clock, app, Daemon(app))
    for person in people.values():
        loop.run_until_complete(person.http.aclose())
    loop.run_until_complete(app.close())
    loop.close()
    asyncio.set_event_loop(None)


def referee(fight: Fight, *args: str) -> subprocess.CompletedProcess[str]:
    """The command as it was installed."""
    return subprocess.run(
        [Path(sys.executable).with_name("referee"), *args],
        cwd=fight.folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "REFEREE_LANG": "es", "FORO_PASSWORD": PASSWORD},
    )


def saved_pages(fight: Fight) -> list[str]:
    """The thread as a reader's browser would save it, page by page."""
    pages = []
    with httpx.Client(follow_redirects=True) as browser:
        first = browser.get(fight.forum.topic_url(fight.topic))
        for number in range(1, 20):
            page = browser.get(fight.forum.page_url(str(first.url), number))
            if page.status_code != httpx.codes.OK:
                break
            path = fight.folder / f"page-{number}.html"
            path.write_text(page.text, encoding="utf-8")
            pages.append(str(path))
    return pages


def test_a_fight_of_four_rounds_needs_nobody_inside_the_referee(fight: Fight) -> None:
    fight.come_by()
    assert fight.rounds()[0].status == "declaring"

    # Round 1: an edit before the lock, a wrong tag that is mended, a modifier by the game master.
    edited = fight.post("lucia", "Voy. [acción: ataque | Bandido 2] [acción: parada con escudo]")
    wrong = fight.post("tomas", "Y yo. [acción: atake | Bandido 2] [acción: esquiva]")
    fight.post("narradora", "[árbitro: mod | Lope | ataque | +20 | motivo: desde arriba]")
    fight.come_by()
    assert any("atake" in post for post in fight.own_posts())
    fight.post("lucia", "Voy. [acción: ataque | Bandido 1] [acción: parada con escudo]", edited)
    fight.post("tomas", "Y yo. [acción: ataque | Bandido 2] [acción: esquiva]", wrong)
    fight.post("narradora", "[acción Bandido 1: ataque | Lope] [acción Bandido 2: ataque | Ximena]")
    fight.clock.forward(minutes=11)
    fight.come_by(3)
    first = fight.rounds()[0]
    attacks = [e for e in first.outcome["events"] if e["type"] == "attack"]
    assert first.locked["cause"] == "all_declared"
    assert {e["target"] for e in attacks if e["actor"] == "Lope"} == {"Bandido 1"}
    (roll,) = [r for r in first.outcome["rolls"] if r["label"] == "Lope.attack"]
    assert 20 in [part["value"] for part in roll["against"]["parts"]]

    # Round 2: Tomás is missing, and the deadline passes.
    fight.post("lucia", "[acción: ataque | Bandido 1] [acción: parada con escudo]")
    fight.post("narradora", "[acción Bandido 1: ataque | Lope] [acción Bandido 2: ataque | Ximena]")
    fight.come_by()
    assert fight.rounds()[-1].number == 2
    fight.clock.forward(hours=49)
    fight.come_by(3)
    second = fight.rounds()[1]
    assert second.locked["cause"] == "deadline"
    assert [missing["actor"] for missing in second.locked["missing"]] == ["Ximena"]

    # Round 3: a correction with its reason, a free roll.
    fight.post("narradora", "[árbitro: corregir | Lope | PV: 41 | motivo: contamos mal]")
    fight.post("lucia", "Por curiosidad: [tirada: 1d100+35 | motivo: trepar]")
    fight.come_by()
    assert any("contamos mal" in post for post in fight.own_posts())
    for number in (3, 4):
        fight.post("lucia", "[acción: ataque | Bandido 1] [acción: parada con escudo]")
        fight.post("tomas", "[acción: ataque | Bandido 2] [acción: esquiva]")
        fight.post(
            "narradora", "[acción Bandido 1: ataque | Lope] [acción Bandido 2: ataque | Ximena]"
        )
        fight.come_by(3)
        assert [r.number for r in fight.rounds() if r.resolutions][-1] == number

    # Each post stands there once, and none is missing.
    with fight.app.store.reading() as records:
        sent = [row.mark for row in records.outbox("molino") if not row.edits]
        assert not records.unsent("molino")
    assert [re.findall(r"ref-[a-z0-9]{8}", post)[-1] for post in fight.own_posts()] == sent

    # Anybody can check it: from the live thread, from saved pages, and from the log.
    live = referee(fight, "verify", fight.forum.topic_url(fight.topic), "--json")
    report = json.loads(live.stdout)
    assert (live.returncode, report["verdict"]) == (0, "holds"), report["findings"]
    assert len(report["rolls"]) > 25
    saved = referee(fight, "verify", *saved_pages(fight), "--json")
    assert saved.returncode == 0
    assert json.loads(saved.stdout)["rolls"] == report["rolls"]
    audited = referee(fight, "audit", "--json")
    assert audited.returncode == 0, audited.stdout
    assert json.loads(audited.stdout)[0]["rounds"] == 4


def test_a_secret_declaration_is_read_from_a_real_mailbox(fight: Fight) -> None:
    if not BY_NAME[fight.forum.platform](fight.forum.board_url).capabilities.letters:
        pytest.skip("the forum has no private messages")
    fight.come_by()
    fight.write_letter("lucia", "Buenas, ¿vale también la rodela?")
    fight.post("lucia", "Lope calla. [acción: en secreto]")
    fight.post("tomas", "[acción: ataque | Bandido 1] [acción: esquiva]")
    fight.post("narradora", "[acción Bandido 1: ataque | Lope] [acción Bandido 2: ataque | Ximena]")
    fight.come_by()
    assert fight.rounds()[0].status == "declaring"
    assert "falta su mensaje privado" in fight.own_posts()[-1]
    fight.write_letter("lucia", "Por la espalda. [acción: ataque | Bandido 2]")
    fight.come_by(3)
    first = fight.rounds()[0]
    assert first.locked["cause"] == "all_declared"
    attacks = [e for e in first.outcome["events"] if e["type"] == "attack"]
    assert {e["target"] for e in attacks if e["actor"] == "Lope"} == {"Bandido 2"}
    assert any("(por mensaje privado)" in post for post in fight.own_posts())
    audited = referee(fight, "audit", "--json")
    assert audited.returncode == 0, audited.stdout

    # The same letter does not count for the next round.
    fight.post("lucia", "[acción: en secreto]")
    fight.come_by(3)
    assert "falta su mensaje privado" in fight.own_posts()[-1]
