"""The fake SMF keeps its own rules: what the tests of the referee rely on."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from ruamel.yaml import YAML

from tests.forums.bbcode import render
from tests.forums.board import Reply
from tests.forums.browsing import Browser, Clock
from tests.forums.fake_smf import FakeSMF, Settings
from tests.forums.smf_bbcode import SMF, kept

CAPTURES = Path(__file__).parents[1] / "adapters" / "captures" / "smf"
TYPED: Mapping[int, str] = YAML(typ="safe").load(Path(__file__).parent / "typed.yaml")
LOGIN = "/index.php?action=login"
POST = "/index.php?action=post;topic=2.0"


@pytest.fixture
def board() -> FakeSMF:
    fake = FakeSMF(clock=Clock(), settings=Settings(per_page=3))
    for name in ("Lucía", "Tomás"):
        fake.add_user(name)
    fake.add_topic("Escena", "Tomás", "Escena primera.")
    return fake


@pytest.fixture
def lucia(board: FakeSMF) -> Browser:
    browser = Browser(board)
    answer = browser.fill(LOGIN, "#frmLogin", user="Lucía", passwrd="clave-1234")
    assert answer.status == 302
    return browser


def reply(browser: Browser, text: str) -> Reply:
    return browser.fill(POST, "#postmodify", message=text, post="Post")


def texts(board: FakeSMF) -> list[str]:
    return [post["text"] for post in board.posts(2)]


def test_a_post_leads_to_the_newest_one(lucia: Browser) -> None:
    answer = reply(lucia, "Voy yo.")
    assert dict(answer.headers)["Location"].endswith("topic=2.new#new")
    assert "Voy yo." in lucia.ask("/index.php?topic=2.new").body


def test_a_form_is_taken_once_whatever_became_of_it(board: FakeSMF, lucia: Browser) -> None:
    action, fields = lucia.form(POST, "#postmodify")
    assert "left empty" in lucia.ask(action, fields | {"message": " "}).body
    again = lucia.ask(action, fields | {"message": "Voy yo."})
    assert (again.status, "error_form_already_submitted" in again.body) == (403, True)
    assert texts(board) == ["Escena primera."]


def test_a_stale_form_comes_back_with_a_warning_and_a_new_number(
    board: FakeSMF, lucia: Browser
) -> None:
    action, fields = lucia.form(POST, "#postmodify")
    board.post("Tomás", 2, "Me adelanto.")
    answer = lucia.ask(action, fields | {"message": "Voy yo."})
    page = BeautifulSoup(answer.body, "lxml")
    assert page.select_one("#errors.noticebox #error_list") is not None
    typed = page.select_one("textarea[name=message]")
    assert typed is not None
    assert typed.get_text() == "Voy yo."
    number = page.select_one("input[name=seqnum]")
    assert number is not None
    assert number["value"] != fields["seqnum"]
    assert texts(board) == ["Escena primera.", "Me adelanto."]


def test_the_hidden_fields_of_two_sessions_have_different_names(
    board: FakeSMF, lucia: Browser
) -> None:
    tomas = Browser(board)
    tomas.fill(LOGIN, "#frmLogin", user="Tomás", passwrd="clave-1234")
    action, fields = tomas.form(POST, "#postmodify")
    assert "session timed out" in lucia.ask(action, fields | {"message": "Voy yo."}).body
    assert set(fields) != set(lucia.form(POST, "#postmodify")[1])


def test_posting_too_soon_is_flood(board: FakeSMF, lucia: Browser) -> None:
    reply(lucia, "Una.")
    answer = reply(lucia, "Dos.")
    assert (answer.status, "post_WaitTime_broken" in answer.body) == (403, True)
    board.clock.turn(5)
    assert reply(lucia, "Dos.").status == 302


def test_a_guest_is_asked_to_log_in_before_writing(board: FakeSMF) -> None:
    guest = Browser(board)
    assert "Escena primera." in guest.ask("/index.php?topic=2.0").body
    assert "frmLogin" in guest.ask(POST).body


def test_a_guests_first_page_has_the_session_in_every_link(board: FakeSMF) -> None:
    guest = Browser(board)
    for number in range(5):
        board.post("Tomás", 2, f"Mensaje {number}")
    first = guest.page("/index.php?topic=2.0")
    assert all("PHPSESSID=" in str(link["href"]) for link in first.select("a.nav_page"))
    assert "PHPSESSID=" not in guest.ask("/index.php?topic=2.0").body


def test_a_page_past_a_full_end_is_empty(board: FakeSMF) -> None:
    for number in range(2):
        board.post("Tomás", 2, f"Mensaje {number}")
    page = Browser(board).page("/index.php?topic=2.30")
    assert page.select_one("#forumposts") is not None
    assert not page.select("#forumposts .inner")


def test_too_many_wrong_passwords_shut_the_door(board: FakeSMF) -> None:
    browser = Browser(board)
    for _attempt in range(3):
        answer = browser.fill(LOGIN, "#frmLogin", user="Lucía", passwrd="mal")
        assert "Password incorrect" in answer.body
    answer = browser.fill(LOGIN, "#frmLogin", user="Lucía", passwrd="clave-1234")
    assert "login_threshold_fail" in answer.body


@pytest.fixture
def captured() -> dict[int, str]:
    bodies: dict[int, str] = {}
    for page in CAPTURES.glob("topic-p*-en.html"):
        soup = BeautifulSoup(page.read_text(encoding="utf-8"), "lxml")
        for body in soup.select("div.inner"):
            bodies[int(str(body["data-msgid"]))] = body.decode_contents().strip()
    return bodies


# The third post was edited on phpBB alone.
@pytest.mark.parametrize("number", set(TYPED) - {3})
def test_the_fake_shows_posts_as_the_real_board_did(captured: dict[int, str], number: int) -> None:
    html = render(kept(TYPED[number]), SMF)
    shown = BeautifulSoup(f"<div>{html}</div>", "lxml").select_one("div")
    assert shown is not None
    assert shown.decode_contents() == captured[number]
