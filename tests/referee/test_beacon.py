"""A round that waits for a public beacon: announced, asked for, checked, used, gone on without."""

import asyncio
import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from adapters.http import Manners, PoliteHttp
from referee import reports
from referee.app import App, World
from referee.audits import audit_thread
from referee.config import load
from referee.daemon import Daemon
from referee.daemon import once as visit_once
from referee.errors import ConfigError
from referee.evidence import (
    Report,
    find_blocks,
    public_input,
    published_at,
    randomness,
    round_after,
    signature_checker,
    verify,
)
from referee.exports import export_fight, replay_file
from referee.restores import read_thread, restore
from referee.sources import read_posts
from referee.telling import locked_words
from tests.evidence.played import SIGNATURES
from tests.forums.fake_drand import FakeDrand
from tests.referee.harness import HandClock, Mesa

pytestmark = pytest.mark.skipif(
    signature_checker() is None, reason="the extra `beacon` is not installed"
)

FIRST, SECOND = 123, 1000


def lock_for(number: int) -> datetime:
    """The last moment at which a lock waits for a round of the chain."""
    return datetime.fromtimestamp(published_at(number) - 30, UTC)


class Tower(Mesa):
    """The harness's table with a beacon on, served by the daemon."""

    def __init__(self, path: Path, server: str, more: str = "") -> None:
        self.server = server
        super().__init__(
            path,
            more=f"beacon: true{', ' + more if more else ''}",
            clock=HandClock(lock_for(FIRST)),
        )

    def write_config(self, replace: Any = None) -> None:
        super().write_config(replace)
        text = self.config.read_text(encoding="utf-8")
        servers = f"beacon: {{servers: [{self.server}], allow_private: true}}\n"
        self.config.write_text(servers + text, encoding="utf-8")

    def app(self) -> App:
        def relay() -> PoliteHttp:
            manners = Manners(requests_per_s=10_000, read_attempts=1)
            private = frozenset({"127.0.0.1"})
            return PoliteHttp(contact="", manners=manners, allow_private=private)

        world = World(clock=self.clock, secret=self._secret, relay=relay)
        return App(load(self.config), world)

    def run(self, ticks: int = 3) -> None:
        """Let the daemon go on for some ticks without time passing."""

        async def come() -> None:
            app = self.app()
            daemon = Daemon(app)
            try:
                for _ in range(ticks):
                    daemon.due.clear()
                    await daemon.tick()
                    await asyncio.gather(*daemon.visits.values())
                    if daemon.lighting is not None:
                        await daemon.lighting
            finally:
                await app.close()

        asyncio.run(come())

    def lock_at(self, number: int) -> None:
        """Declare for everybody at the last moment for a round of the chain, and lock."""
        self.clock.moment = lock_for(number)
        self.declare_all()
        self.run()

    def status(self) -> dict[str, Any]:
        app = self.app()
        try:
            with app.store.reading() as records:
                table = app.table("molino", "arbitro")
                return reports.status(records, "molino", "mesa", table, self.clock.now())
        finally:
            asyncio.run(app.close())

    def checked(self) -> Report:
        posts = asyncio.run(read_posts([str(self.thread)], io.StringIO()))
        return verify(posts, (), signature_checker())


@pytest.fixture
def relay() -> Iterator[tuple[FakeDrand, str]]:
    drand = FakeDrand(now=lambda: 0.0)
    with drand.serving() as url:
        yield drand, url


@pytest.fixture
def tower(tmp_path: Path, relay: tuple[FakeDrand, str]) -> Tower:
    drand, url = relay
    tower = Tower(tmp_path, url)
    drand.now = lambda: tower.clock.now().timestamp()
    tower.begin()
    return tower


def played(tower: Tower) -> None:
    """Two rounds, each with its beacon's value."""
    for number in (FIRST, SECOND):
        tower.lock_at(number)
        tower.clock.forward(seconds=33)
        tower.run()


def codes(report: Report) -> list[str]:
    return [finding.code for finding in report.findings]


@pytest.mark.parametrize("number", [1, 2, FIRST, SECOND, 657_413])
def test_the_round_is_the_first_that_is_published_half_a_minute_later(number: int) -> None:
    latest = published_at(number) - 30
    assert round_after(latest) == number
    assert round_after(latest + 0.001) == number + 1
    assert round_after(latest - 2.999) == number
    assert published_at(round_after(latest - 1)) >= latest - 1 + 30


def test_a_lock_names_its_beacon_before_it_exists_and_waits_for_it(
    tower: Tower, relay: tuple[FakeDrand, str]
) -> None:
    tower.lock_at(FIRST)
    (round_,) = tower.rounds()
    assert (round_.status, round_.lock_input) == ("locked", "")
    (block,) = find_blocks(tower.own_posts()[-1])
    assert (block.kind, block.number) == ("question", 1)  # type: ignore[union-attr] # it is whole
    assert block.words == locked_words(round_.locked)  # type: ignore[union-attr] # likewise
    assert [(b.round, b.signature) for b in block.beacons] == [(FIRST, "")]  # type: ignore[union-attr] # likewise
    assert tower.status()["state"] == "beacon"
    assert relay[0].asked == []
    posts = len(tower.own_posts())
    tower.clock.forward(seconds=31)  # published, but it takes a moment to reach the servers
    tower.run()
    assert (relay[0].asked, len(tower.own_posts())) == ([], posts)


def test_the_value_enters_the_dice_and_everybody_can_check_it(tower: Tower) -> None:
    played(tower)
    for round_, number in zip(tower.rounds(), (FIRST, SECOND), strict=False):
        light = randomness(SIGNATURES[number])
        words = locked_words(round_.locked)
        seed = f"lock.{round_.serial}"
        assert round_.lock_input == public_input(seed, "molino", words, beacon=light)
        assert round_.resolutions == 1
    report = tower.checked()
    assert report.verdict == "holds", report.findings
    # A folder does not tell when its posts were made.
    assert codes(report) == ["referee_assumed", "beacon_untimed", "beacon_untimed"]
    assert [(b.round, b.state) for b in report.beacons] == [(FIRST, "holds"), (SECOND, "holds")]
    audit = tower.audit()
    assert audit["good"], audit
    assert (audit["beacons"], audit["beacons_unchecked"]) == (2, 0)


def test_without_the_library_a_reader_is_told_that_it_was_not_checked(
    tower: Tower, monkeypatch: pytest.MonkeyPatch
) -> None:
    played(tower)
    report = tower.verify()
    assert report.verdict == "incomplete"
    assert codes(report).count("beacon_unchecked") == 2
    monkeypatch.setattr("referee.audits.signature_checker", lambda: None)
    audit = tower.audit()
    assert (audit["good"], audit["beacons"], audit["beacons_unchecked"]) == (True, 2, 2)


def test_a_config_that_wants_a_beacon_without_the_library_is_refused(
    tower: Tower, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.config.signature_checker", lambda: None)
    with pytest.raises(ConfigError) as refused:
        load(tower.config)
    (problem,) = refused.value.problems
    assert (problem.code, problem.field) == (
        "beacon_library_missing",
        "threads.molino.policies.beacon",
    )


def test_a_servers_address_must_be_one(tower: Tower) -> None:
    text = tower.config.read_text(encoding="utf-8").replace(tower.server, "api.drand.sh")
    tower.config.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        load(tower.config)
    assert [problem.code for problem in refused.value.problems] == ["bad_url"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ('{"round": 123, "signature": "' + "ab" * 48 + '"}', 200),
        ('{"round": 1000, "signature": "' + SIGNATURES[1000] + '"}', 200),
        ('{"round": 123, "signature": "' + SIGNATURES[1000] + '"}', 200),
        ('{"round": 123, "signature": "zz"}', 200),
        ('{"round": 123}', 200),
        ("[]", 200),
        ("no json", 200),
        ("{}", 404),
        ("{}", 500),
        ("x" * 20_000, 200),
    ],
    ids=str,
)
def test_what_is_not_the_chains_value_is_not_used(
    tower: Tower, relay: tuple[FakeDrand, str], body: str, status: int
) -> None:
    relay[0].body, relay[0].status = body, status
    tower.lock_at(FIRST)
    tower.clock.forward(seconds=33)
    tower.run()
    assert tower.rounds()[0].lock_input == ""
    told = tower.status()["beacon"]
    assert told["error"]["cure"] in {"beacon_unreachable", "beacon_false"}
    assert told["retry"]
    relay[0].body = None
    tower.clock.forward(minutes=11)
    tower.run()
    assert tower.rounds()[0].resolutions == 1
    assert tower.status()["beacon"] is None


def test_it_is_asked_for_less_and_less_often_and_the_thread_is_told_in_the_end(
    tower: Tower, relay: tuple[FakeDrand, str]
) -> None:
    relay[0].body, relay[0].status = "{}", 503
    tower.lock_at(FIRST)

    async def wait(seconds: int) -> list[float]:
        app = tower.app()
        daemon, asked = Daemon(app), []
        began = tower.clock.now()
        try:
            for _ in range(seconds):
                tower.clock.forward(seconds=1)
                before = len(relay[0].asked)
                await daemon.tick()
                await asyncio.gather(*daemon.visits.values())
                if daemon.lighting is not None:
                    await daemon.lighting
                if len(relay[0].asked) > before:
                    asked.append((tower.clock.now() - began).total_seconds())
        finally:
            await app.close()
        return asked

    asked = asyncio.run(wait(700))
    assert asked[:6] == [32, 37, 47, 67, 107, 187]
    assert len(asked) == 8
    told = [post for post in tower.own_posts() if "que no llega" in " ".join(post.split())]
    assert len(told) == 1
    assert "sin faro" in " ".join(told[0].split())


def test_other_threads_do_not_wait(tmp_path: Path, relay: tuple[FakeDrand, str]) -> None:
    drand, url = relay
    tower = Tower(tmp_path, url)
    drand.now = lambda: tower.clock.now().timestamp()
    drand.body, drand.status = "{}", 503
    text = tower.config.read_text(encoding="utf-8")
    head, _, thread = text.partition("  molino:\n")
    other = thread.replace("topic: molino", "topic: otro").replace("beacon: true", "beacon: false")
    tower.config.write_text(f"{head}  molino:\n{thread}  otro:\n{other}", encoding="utf-8")
    there = tower.thread.with_name("otro")
    there.mkdir()
    (there / "0001-narradora.md").write_text("Aquí. [árbitro: iniciar]", encoding="utf-8")
    tower.post("narradora", "Empieza. [árbitro: iniciar]")
    tower.run()
    tower.lock_at(FIRST)
    for author, words in (
        ("lucia", "[acción: parada]"),
        ("tomas", "[acción: esquiva]"),
        ("narradora", "[acción Bandido 1: parada] [acción Bandido 2: parada]"),
    ):
        last = max(int(path.name[:4]) for path in there.glob("*.md"))
        (there / f"{last + 1:04d}-{author}.md").write_text(words, encoding="utf-8")
    tower.clock.forward(seconds=33)
    tower.run()
    rows = tower.read(lambda records: {key: records.rounds(key) for key in ("molino", "otro")})
    assert (rows["molino"][0].resolutions, rows["otro"][0].resolutions) == (0, 1)


def test_the_game_master_may_go_on_without_it_and_everybody_sees_that(
    tower: Tower, relay: tuple[FakeDrand, str]
) -> None:
    relay[0].body, relay[0].status = "{}", 503
    tower.lock_at(FIRST)
    tower.post("lucia", "[árbitro: sin faro]")
    tower.run()
    assert tower.rounds()[0].lock_input == ""
    tower.post("narradora", "[árbitro: sin faro | motivo: no llega]")
    tower.run()
    assert tower.rounds()[0].resolutions == 1
    assert "siguió sin el faro 123 (no llega)" in " ".join(tower.own_posts()).replace("\n", " ")
    report = tower.checked()
    assert report.verdict == "holds", report.findings
    assert "beacon_skipped" in codes(report)
    assert [beacon.state for beacon in report.beacons] == ["skipped"]
    assert tower.audit()["good"], tower.audit()
    tower.post("narradora", "[árbitro: sin faro]")
    tower.run()
    assert "Ningún asalto espera un faro" in " ".join(tower.own_posts()[-1].split())


def test_what_has_been_announced_cannot_be_declared_anew(tower: Tower) -> None:
    tower.lock_at(FIRST)
    tower.clock.forward(seconds=33)
    tower.run()
    tower.lock_at(SECOND)
    tower.post("narradora", "[árbitro: deshacer] [árbitro: cerrar]")
    tower.run()
    assert [row.status for row in tower.rounds()] == ["resolved", "locked"]
    assert "undone" not in {entry["kind"] for entry in tower.log("undone")}
    tower.clock.forward(seconds=33)
    tower.run()
    # Resolved, it can be undone like any other, and its dice stay.
    before = [(roll["label"], roll["faces"]) for roll in tower.rounds()[1].outcome["rolls"]]
    tower.post("narradora", "[árbitro: deshacer]")
    tower.run()
    tower.post("narradora", "[árbitro: cerrar]")
    tower.run()
    again = tower.rounds()[1]
    assert again.resolutions == 2
    assert [(roll["label"], roll["faces"]) for roll in again.outcome["rolls"]] == before
    assert tower.checked().verdict == "holds", tower.checked().findings
    assert tower.audit()["good"]


def test_a_fight_that_ends_while_it_waits_leaves_the_next_one_checkable(tower: Tower) -> None:
    tower.lock_at(FIRST)
    tower.post("narradora", "[árbitro: terminar]")
    tower.run()
    tower.post("narradora", "[árbitro: iniciar]")
    tower.run()
    tower.lock_at(SECOND)
    tower.clock.forward(seconds=33)
    tower.run()
    report = tower.checked()
    # The secret of the round that was given up is promised and never shown: that stays visible.
    assert [f.code for f in report.findings if f.verdict != "holds"] == ["reveal_missing"]
    assert [(b.round, b.state) for b in report.beacons] == [(FIRST, "pending"), (SECOND, "holds")]
    assert tower.audit()["good"], tower.audit()


def test_an_announcement_is_compared_with_the_time_of_publication(tower: Tower) -> None:
    played(tower)
    posts = asyncio.run(read_posts([str(tower.thread)], io.StringIO()))
    public = datetime.fromtimestamp(published_at(FIRST), UTC)
    for late, expected in ((timedelta(0), []), (timedelta(seconds=1), ["beacon_late"])):
        timed = [replace(post, posted_at=public + late) for post in posts]
        report = verify(timed, ["arbitro"], signature_checker())
        assert codes(report) == expected
        assert report.verdict == "holds"


def test_one_visit_to_every_thread_asks_for_the_beacon_first(tower: Tower) -> None:
    tower.lock_at(FIRST)
    tower.clock.forward(seconds=33)

    async def visit() -> None:
        app = tower.app()
        try:
            await visit_once(app)
        finally:
            await app.close()

    asyncio.run(visit())
    assert tower.rounds()[0].resolutions == 1


def test_a_review_does_not_hold_the_announcement_back(
    tmp_path: Path, relay: tuple[FakeDrand, str]
) -> None:
    drand, url = relay
    tower = Tower(tmp_path, url, more="review: true")
    drand.now = lambda: tower.clock.now().timestamp()
    tower.run()
    tower.post("narradora", "[árbitro: publicar]")
    tower.run()
    tower.post("narradora", "[árbitro: iniciar] [árbitro: publicar]")
    tower.run()
    tower.post("narradora", "[árbitro: publicar]")
    tower.run()
    before = len(tower.own_posts())
    tower.lock_at(FIRST)
    assert len(tower.own_posts()) == before + 1
    assert "beacon quicknet 123" in tower.own_posts()[-1]


def test_a_fight_with_beacons_is_replayed_from_its_file_alone(
    tower: Tower, monkeypatch: pytest.MonkeyPatch
) -> None:
    played(tower)
    app = tower.app()
    try:
        content = export_fight(app, "molino")
    finally:
        app.store.close()
    report = replay_file(content, "es").report
    assert report["good"], report
    assert (report["rounds"], report["beacons"], report["beacons_unchecked"]) == (2, 2, 0)
    monkeypatch.setattr("referee.exports.signature_checker", lambda: None)
    assert replay_file(content, "es").report["beacons_unchecked"] == 2


def test_a_lost_database_gets_its_beacons_back_from_the_thread(
    tower: Tower, relay: tuple[FakeDrand, str]
) -> None:
    tower.lock_at(FIRST)
    tower.clock.forward(seconds=33)
    tower.run()
    relay[0].body, relay[0].status = "{}", 503
    tower.lock_at(SECOND)
    tower.post("narradora", "[árbitro: sin faro]")
    tower.run()
    before = [(row.lock_input, row.outcome, row.state_after) for row in tower.rounds()][:2]
    for file in (tower.path / "var").glob("*"):
        file.unlink()
    app = tower.app()
    try:
        report = restore(app, "molino", asyncio.run(read_thread(app, "molino")))
        assert report["differs"] == []
        assert audit_thread(app, "molino")["good"], audit_thread(app, "molino")
    finally:
        asyncio.run(app.close())
    assert [(r.lock_input, r.outcome, r.state_after) for r in tower.rounds()][:2] == before


def test_the_usual_client_asks_an_inner_server_where_the_config_allows_it(
    tower: Tower, relay: tuple[FakeDrand, str]
) -> None:
    tower.lock_at(FIRST)
    tower.clock.forward(seconds=33)

    async def ask() -> str:
        app = App(load(tower.config), World(clock=tower.clock, secret=tower._secret))  # noqa: SLF001 - the harness's own
        try:
            return await app.beacon_desk().value(FIRST)
        finally:
            await app.close()

    assert asyncio.run(ask()) == SIGNATURES[FIRST]
    assert relay[0].asked == [FIRST]


def test_a_forged_value_in_the_log_is_found_at_its_place(tower: Tower) -> None:
    played(tower)
    report = tower.checked()
    assert report.verdict == "holds"
    forged = "ab" * 48
    path = next(
        path
        for path in sorted(tower.thread.glob("*.md"))
        if "reveal lock.1" in path.read_text("utf-8")
    )
    text = path.read_text("utf-8")
    shown = " ".join(SIGNATURES[FIRST][at : at + 8] for at in range(0, 32, 8))
    assert shown in text
    path.write_text(text.replace(shown, " ".join([forged[:8]] * 4)), encoding="utf-8")
    found = tower.checked()
    assert found.verdict == "broken"
    assert {"beacon_false", "block_damaged"} <= set(codes(found))
