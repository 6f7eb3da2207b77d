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
from tests.forums.fake_phpbb import FakePhpBB, RemoteBoard, Request, Settings
from tests.forums.faults import READ_FAULTS, WRITE_FAULTS, Fault, FaultPlan

CAPTURES = Path(__file__).parents[1] / "adapters" / "captures" / "phpbb"
TYPED: Mapping[int, str] = YAML(typ="safe").load(Path(__file__).parent / "typed.yaml")
PASSWORD = "clave-1234"


class Browser:
    """Sends cookies back and fills forms, without a network."""

    def __init__(self, board: FakePhpBB, agent: str = "Browser") -> None:
        self.board, self.agent = board, agent
        self.cookies: dict[str, str] = {}

    def ask(self, url: str, form: dict[str, str] | None = None):
        parts = urlsplit(url)
        query = dict(pair.split("=", 1) for pair in parts.query.split("&") if "=" in pair)
        reply = self.board.answer(
            Request(
                "POST" if form else "GET", parts.path, query, form or {}, self.cookies, self.agent
            )
        )
        for name, value in reply.headers:
            if name == "Set-Cookie":
                key, _mark, rest = value.partition("=")
                self.cookies[key] = rest.partition(";")[0]
        return reply

    def form(self, url: str, selector: str) -> dict[str, str]:
        form = BeautifulSoup(self.ask(url).body, "lxml").select_one(selector)
        assert form is not None
        return {
            str(field["name"]): str(field.get("value", ""))
            for field in form.select("input[type=hidden]")
        }

    def login(self, name: str, password: str = PASSWORD):
        hidden = self.form("/ucp.php?mode=login", "form#login")
        self.board.clock.turn(1)
        filled = {"username": name, "password": password, "login": "Login", "autologin": "on"}
        return self.ask("/ucp.php?mode=login", hidden | filled)

    def reply(self, topic: int, text: str, wait_s: float = 1):
        url = f"/posting.php?mode=reply&t={topic}"
        hidden = self.form(url, "form#postform")
        self.board.clock.turn(wait_s)
        return self.ask(url, hidden | {"message": text, "post": "Submit"})


class Clock:
    """Time moved by hand; called, it tells the hour."""

    def __init__(self) -> None:
        self.seconds = 1_800_000_000.0

    def __call__(self) -> float:
        return self.seconds

    def turn(self, seconds: float) -> None:
        self.seconds += seconds


@pytest.fixture
def board() -> FakePhpBB:
    fake = FakePhpBB(clock=Clock(), settings=Settings(per_page=3))
    fake.add_user("Lucía")
    fake.add_user("Tomás")
    fake.add_topic("Escena", "Lucía", "Escena primera.")
    return fake


@pytest.fixture
def lucia(board: FakePhpBB) -> Browser:
    browser = Browser(board)
    assert browser.login("Lucía").status == 302
    return browser


def texts(board: FakePhpBB) -> list[str]:
    return [post["text"] for post in board.posts(2)]


def test_a_form_must_be_a_second_old(board: FakePhpBB, lucia: Browser) -> None:
    assert "submitted form was invalid" in lucia.reply(2, "Voy.", wait_s=0.4).body
    assert lucia.reply(2, "Voy.", wait_s=1).status == 302
    assert texts(board) == ["Escena primera.", "Voy."]


def test_a_token_belongs_to_its_session(board: FakePhpBB, lucia: Browser) -> None:
    tomas = Browser(board)
    tomas.login("Tomás")
    url = "/posting.php?mode=reply&t=2"
    stolen = lucia.form(url, "form#postform")
    board.clock.turn(2)
    answer = tomas.ask(url, stolen | {"message": "Voy.", "post": "Submit"})
    assert "submitted form was invalid" in answer.body
    assert texts(board) == ["Escena primera."]


def test_a_session_belongs_to_its_browser(board: FakePhpBB, lucia: Browser) -> None:
    thief = Browser(board, agent="Otro")
    thief.cookies = {name: value for name, value in lucia.cookies.items() if "_k" not in name}
    assert "mode=logout" in lucia.ask("/viewtopic.php?t=2").body
    assert "mode=logout" not in thief.ask("/viewtopic.php?t=2").body


def test_an_address_with_a_session_id_is_a_session(board: FakePhpBB, lucia: Browser) -> None:
    sid = next(value for name, value in lucia.cookies.items() if name.endswith("_sid"))
    bare = Browser(board)
    assert "mode=logout" in bare.ask(f"/viewtopic.php?t=2&sid={sid}").body


def test_a_guests_first_page_has_the_session_id_in_every_link(board: FakePhpBB) -> None:
    guest = Browser(board)
    first = BeautifulSoup(guest.ask("/viewtopic.php?t=2").body, "lxml")
    assert all("sid=" in str(link["href"]) for link in first.select("#page-body a"))
    assert "sid=" not in guest.ask("/viewtopic.php?t=2").body


def test_posting_too_soon_is_flood(board: FakePhpBB, lucia: Browser) -> None:
    lucia.reply(2, "Una.")
    assert "so soon after" in lucia.reply(2, "Dos.").body
    board.clock.turn(15)
    assert lucia.reply(2, "Dos.").status == 302


def test_a_stale_form_comes_back_with_the_new_posts(board: FakePhpBB, lucia: Browser) -> None:
    url = "/posting.php?mode=reply&t=2"
    hidden = lucia.form(url, "form#postform")
    board.post("Tomás", 2, "Me adelanto.")
    board.clock.turn(2)
    answer = lucia.ask(url, hidden | {"message": "Voy.", "post": "Submit"})
    page = BeautifulSoup(answer.body, "lxml")
    assert [node.get_text() for node in page.select("[id^=ppr] .content")] == ["Me adelanto."]
    assert not page.select(".error")
    assert texts(board) == ["Escena primera.", "Me adelanto."]


def test_too_many_wrong_passwords_bring_a_captcha(board: FakePhpBB) -> None:
    browser = Browser(board)
    for _attempt in range(3):
        assert "incorrect password" in browser.login("Lucía", "mal").body
    assert "confirm_id" in browser.login("Lucía").body


def test_a_late_post_lands_some_requests_later(board: FakePhpBB, lucia: Browser) -> None:
    board.fault("late", "write")
    assert lucia.reply(2, "Voy.").drop
    assert texts(board) == ["Escena primera."]
    for _request in range(5):
        lucia.ask("/viewtopic.php?t=2")
    assert texts(board) == ["Escena primera.", "Voy."]


def test_the_history_tells_what_landed_and_what_went_wrong(
    board: FakePhpBB, lucia: Browser
) -> None:
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
