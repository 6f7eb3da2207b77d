"""The fake MyBB keeps its own rules: what the tests of the referee rely on."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from ruamel.yaml import YAML

from tests.forums.bbcode import render
from tests.forums.board import Reply
from tests.forums.browsing import Browser, Clock
from tests.forums.fake_mybb import FakeMyBB, Settings
from tests.forums.mybb_bbcode import MYBB

CAPTURES = Path(__file__).parents[1] / "adapters" / "captures" / "mybb"
TYPED: Mapping[int, str] = YAML(typ="safe").load(Path(__file__).parent / "typed.yaml")
LOGIN = "form:has(input[name=username])"
REPLY = "form:has(textarea[name=message])"


@pytest.fixture
def board() -> FakeMyBB:
    fake = FakeMyBB(clock=Clock(), settings=Settings(per_page=3))
    for name in ("Lucía", "Tomás"):
        fake.add_user(name)
    fake.add_topic("Escena", "Tomás", "Escena primera.")
    return fake


def visitor(board: FakeMyBB, name: str) -> Browser:
    browser = Browser(board)
    reply = browser.fill("/member.php?action=login", LOGIN, username=name, password="clave-1234")
    assert 'http-equiv="refresh"' in reply.body
    return browser


@pytest.fixture
def lucia(board: FakeMyBB) -> Browser:
    return visitor(board, "Lucía")


def reply(browser: Browser, text: str) -> Reply:
    return browser.fill("/newreply.php?tid=2", REPLY, message=text, submit="Post Reply")


def texts(board: FakeMyBB) -> list[str]:
    return [post["text"] for post in board.posts(2)]


def location(answer: Reply) -> str:
    return dict(answer.headers)["Location"]


def test_a_post_leads_to_its_own_address(lucia: Browser) -> None:
    answer = reply(lucia, "Voy yo.")
    assert location(answer).endswith("showthread.php?tid=2&pid=3#pid3")
    assert "Voy yo." in lucia.ask("/showthread.php?tid=2&pid=3").body


def test_two_posts_in_a_row_become_one_whatever_the_flood_limit(
    board: FakeMyBB, lucia: Browser
) -> None:
    reply(lucia, "Voy yo.")
    answer = reply(lucia, "Y otra cosa.")
    assert location(answer).endswith("pid=3#pid3")
    assert texts(board) == ["Escena primera.", "Voy yo.\n[hr]\nY otra cosa."]
    assert '<hr class="mycode_hr" />' in lucia.ask("/showthread.php?tid=2").body


def test_a_post_between_them_or_an_hour_keeps_them_apart(board: FakeMyBB, lucia: Browser) -> None:
    reply(lucia, "Voy yo.")
    board.post("Tomás", 2, "Y yo.")
    assert "Please wait" in reply(lucia, "Y otra cosa.").body
    board.clock.turn(61)
    reply(lucia, "Y otra cosa.")
    board.clock.turn(3601)
    reply(lucia, "Más tarde.")
    assert texts(board)[1:] == ["Voy yo.", "Y yo.", "Y otra cosa.", "Más tarde."]


def test_the_flood_limit_tells_how_long(board: FakeMyBB, lucia: Browser) -> None:
    reply(lucia, "Voy yo.")
    board.post("Tomás", 2, "Y yo.")
    board.clock.turn(20)
    assert re.search(r"wait 41 more seconds", reply(lucia, "Otra vez.").body)


def test_the_same_words_are_refused_for_ten_minutes(board: FakeMyBB, lucia: Browser) -> None:
    reply(lucia, "Voy yo.")
    board.post("Tomás", 2, "Y yo.")
    board.clock.turn(61)
    assert "already posted this" in reply(lucia, "Voy yo.").body
    board.clock.turn(600)
    reply(lucia, "Voy yo.")
    assert texts(board).count("Voy yo.") == 2


def test_words_that_became_part_of_a_post_are_not_known_again(
    board: FakeMyBB, lucia: Browser
) -> None:
    reply(lucia, "Voy yo.")
    reply(lucia, "Y otra cosa.")
    reply(lucia, "Y otra cosa.")
    assert texts(board)[1].count("Y otra cosa.") == 2


def test_a_key_belongs_to_its_account(board: FakeMyBB, lucia: Browser) -> None:
    action, fields = visitor(board, "Tomás").form("/newreply.php?tid=2", REPLY)
    assert "code mismatch" in lucia.ask(action, fields | {"message": "Voy yo."}).body
    assert texts(board) == ["Escena primera."]


def test_a_guest_may_read_and_not_write(board: FakeMyBB) -> None:
    guest = Browser(board)
    assert "Escena primera." in guest.ask("/showthread.php?tid=2").body
    assert "not logged in" in guest.ask("/newreply.php?tid=2").body


def test_a_page_past_the_end_is_the_first(board: FakeMyBB) -> None:
    for number in range(5):
        board.post("Tomás", 2, f"Mensaje {number}")
    page = Browser(board).page("/showthread.php?tid=2&page=9")
    current = page.select_one(".pagination_current")
    assert current is not None
    assert current.get_text() == "1"


def test_a_deleted_post_leaves_a_stub(board: FakeMyBB) -> None:
    board.delete(board.post("Tomás", 2, "[acción: ataque]"))
    page = Browser(board).ask("/showthread.php?tid=2").body
    assert "deleted_post_hidden" in page
    assert "[acción: ataque]" not in page


def test_too_many_wrong_passwords_bring_a_picture_to_read(board: FakeMyBB) -> None:
    browser = Browser(board)
    for _attempt in range(3):
        answer = browser.fill("/member.php?action=login", LOGIN, username="Lucía", password="mal")
        assert "invalid username/password" in answer.body
    answer = browser.fill("/member.php?action=login", LOGIN, username="Lucía", password="mal")
    assert "imagestring" in answer.body


@pytest.fixture
def captured() -> dict[int, str]:
    bodies: dict[int, str] = {}
    for page in CAPTURES.glob("topic-p*-en.html"):
        soup = BeautifulSoup(page.read_text(encoding="utf-8"), "lxml")
        for body in soup.select("div.post_body"):
            bodies[int(str(body["id"]).removeprefix("pid_"))] = body.decode_contents().strip()
    return bodies


# The numbers are phpBB's, which began one later; its third post was edited there alone.
@pytest.mark.parametrize("number", set(TYPED) - {3})
def test_the_fake_shows_posts_as_the_real_board_did(captured: dict[int, str], number: int) -> None:
    html = render(TYPED[number], MYBB)
    shown = BeautifulSoup(f"<div>{html}</div>", "lxml").select_one("div")
    assert shown is not None
    assert shown.decode_contents() == captured[number - 1]
