"""The fake board keeps its own rules: what the tests of the referee rely on."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from bs4 import BeautifulSoup
from ruamel.yaml import YAML

from tests.forums.bbcode import render
from tests.forums.board import Reply
from tests.forums.browsing import Browser, Clock
from tests.forums.fake_phpbb import FakePhpBB, RemoteBoard, Settings
from tests.forums.faults import READ_FAULTS, WRITE_FAULTS, Fault, FaultPlan

CAPTURES = Path(__file__).parents[1] / "adapters" / "captures" / "phpbb"
TYPED: Mapping[int, str] = YAML(typ="safe").load(Path(__file__).parent / "typed.yaml")
PASSWORD = "clave-1234"


class Member(Browser):
    """Somebody at a phpBB board."""

    def hidden(self, url: str, selector: str) -> dict[str, str]:
        return self.form(url, selector)[1]

    def login(self, name: str, password: str = PASSWORD) -> Reply:
        return self.fill(
            "/ucp.php?mode=login",
            "form#login",
            wait_s=1,
            username=name,
            password=password,
            login="Login",
            autologin="on",
        )

    def reply(self, topic: int, text: str, wait_s: float = 1) -> Reply:
        url = f"/posting.php?mode=reply&t={topic}"
        return self.fill(url, "form#postform", wait_s=wait_s, message=text, post="Submit")


@pytest.fixture
def board() -> FakePhpBB:
    fake = FakePhpBB(clock=Clock(), settings=Settings(per_page=3))
    fake.add_user("Lucía")
    fake.add_user("Tomás")
    fake.add_topic("Escena", "Lucía", "Escena primera.")
    return fake


@pytest.fixture
def lucia(board: FakePhpBB) -> Member:
    browser = Member(board)
    assert browser.login("Lucía").status == 302
    return browser


def texts(board: FakePhpBB) -> list[str]:
    return [post["text"] for post in board.posts(2)]


def test_a_form_must_be_a_second_old(board: FakePhpBB, lucia: Member) -> None:
    assert "submitted form was invalid" in lucia.reply(2, "Voy.", wait_s=0.4).body
    assert lucia.reply(2, "Voy.", wait_s=1).status == 302
    assert texts(board) == ["Escena primera.", "Voy."]


def test_a_token_belongs_to_its_session(board: FakePhpBB, lucia: Member) -> None:
    tomas = Member(board)
    tomas.login("Tomás")
    url = "/posting.php?mode=reply&t=2"
    stolen = lucia.hidden(url, "form#postform")
    board.clock.turn(2)
    answer = tomas.ask(url, stolen | {"message": "Voy.", "post": "Submit"})
    assert "submitted form was invalid" in answer.body
    assert texts(board) == ["Escena primera."]


def test_a_session_belongs_to_its_browser(board: FakePhpBB, lucia: Member) -> None:
    thief = Member(board, agent="Otro")
    thief.cookies = {name: value for name, value in lucia.cookies.items() if "_k" not in name}
    assert "mode=logout" in lucia.ask("/viewtopic.php?t=2").body
    assert "mode=logout" not in thief.ask("/viewtopic.php?t=2").body


def test_an_address_with_a_session_id_is_a_session(board: FakePhpBB, lucia: Member) -> None:
    sid = next(value for name, value in lucia.cookies.items() if name.endswith("_sid"))
    bare = Member(board)
    assert "mode=logout" in bare.ask(f"/viewtopic.php?t=2&sid={sid}").body


def test_a_guests_first_page_has_the_session_id_in_every_link(board: FakePhpBB) -> None:
    guest = Member(board)
    first = BeautifulSoup(guest.ask("/viewtopic.php?t=2").body, "lxml")
    assert all("sid=" in str(link["href"]) for link in first.select("#page-body a"))
    assert "sid=" not in guest.ask("/viewtopic.php?t=2").body


def test_posting_too_soon_is_flood(board: FakePhpBB, lucia: Member) -> None:
    lucia.reply(2, "Una.")
    assert "so soon after" in lucia.reply(2, "Dos.").body
    board.clock.turn(15)
    assert lucia.reply(2, "Dos.").status == 302


def test_a_stale_form_comes_back_with_the_new_posts(board: FakePhpBB, lucia: Member) -> None:
    url = "/posting.php?mode=reply&t=2"
    hidden = lucia.hidden(url, "form#postform")
    board.post("Tomás", 2, "Me adelanto.")
    board.clock.turn(2)
    answer = lucia.ask(url, hidden | {"message": "Voy.", "post": "Submit"})
    page = BeautifulSoup(answer.body, "lxml")
    assert [node.get_text() for node in page.select("[id^=ppr] .content")] == ["Me adelanto."]
    assert not page.select(".error")
    assert texts(board) == ["Escena primera.", "Me adelanto."]


def test_too_many_wrong_passwords_bring_a_captcha(board: FakePhpBB) -> None:
    browser = Member(board)
    for _attempt in range(3):
        assert "incorrect password" in browser.login("Lucía", "mal").body
    assert "confirm_id" in browser.login("Lucía").body


def test_a_late_post_lands_some_requests_later(board: FakePhpBB, lucia: Member) -> None:
    board.fault("late", "write")
    assert lucia.reply(2, "Voy.").drop
    assert texts(board) == ["Escena primera."]
    for _request in range(5):
        lucia.ask("/viewtopic.php?t=2")
    assert texts(board) == ["Escena primera.", "Voy."]


def test_the_history_tells_what_landed_and_what_went_wrong(board: FakePhpBB, lucia: Member) -> None:
    board.fault("error_after", "write")
    before = board.history[-1]["number"]
    assert lucia.reply(2, "Voy.").status == 500
    loaded, sent = board.history_since(before)
    assert (loaded["kind"], loaded["landed"]) == ("read", None)
    assert (sent["kind"], sent["fault"], sent["status"]) == ("write", "error_after", 500)
    assert sent["landed"] == board.posts(2)[-1]["id"]


def test_one_seed_is_one_plan() -> None:
    def planned(seed: int) -> list[Fault | None]:
        plan = FaultPlan(seed, read_rate=0.5, write_rate=0.5, until=200)
        return [plan.of(number, "write") for number in range(1, 250)]

    assert planned(7) == planned(7) != planned(8)
    assert {fault for fault in planned(7) if fault} == set(WRITE_FAULTS)
    assert planned(7)[199:] == [None] * 50


def test_reads_meet_only_what_can_happen_to_reads() -> None:
    plan = FaultPlan(3, read_rate=1.0)
    assert {plan.of(number, "read") for number in range(400)} == set(READ_FAULTS)
    assert plan.of(1, "write") is None


@pytest.fixture
def captured() -> dict[int, str]:
    bodies: dict[int, str] = {}
    for page in CAPTURES.glob("topic-p*-en.html"):
        soup = BeautifulSoup(page.read_text(encoding="utf-8"), "lxml")
        for post in soup.select("div.post"):
            body = post.select_one("div.content")
            assert body is not None
            bodies[int(str(post["id"])[1:])] = body.decode_contents()
    return bodies


@pytest.mark.parametrize("number", TYPED)
def test_the_fake_shows_posts_as_the_real_board_did(captured: dict[int, str], number: int) -> None:
    shown = BeautifulSoup(f"<div>{render(TYPED[number])}</div>", "lxml").select_one("div")
    assert shown is not None
    assert shown.decode_contents() == captured[number]


@pytest.fixture
def child(tmp_path: Path) -> Iterator[RemoteBoard]:
    port_file = tmp_path / "port"
    settings = json.dumps({"per_page": 2, "min_form_age_s": 0})
    command = [sys.executable, "-m", "tests.forums.fake_phpbb", "--port-file", str(port_file)]
    with subprocess.Popen(
        [*command, "--settings", settings],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().strip() == port_file.read_text(encoding="ascii")
            yield RemoteBoard(port_file.read_text(encoding="ascii"))
        finally:
            process.kill()


def test_a_board_of_its_own_process_is_driven_from_outside(child: RemoteBoard) -> None:
    assert child.add_user("Lucía") == 50
    topic = child.add_topic("Escena", "Lucía", "Escena primera.")
    child.post("Lucía", topic, "Voy. [acción: ataque]")
    assert [post["text"] for post in child.posts(topic)] == [
        "Escena primera.",
        "Voy. [acción: ataque]",
    ]
    parts = urlsplit(child.url)
    connection = HTTPConnection(str(parts.hostname), parts.port, timeout=10)
    connection.request("GET", "/viewtopic.php?" + urlencode({"t": topic}))
    page = connection.getresponse().read().decode()
    connection.close()
    assert "[acción: ataque]" in page
    assert child.history_since(0)[-1]["path"] == "/viewtopic.php"
    with pytest.raises(AttributeError):
        child.answer()
