"""A browser for the fake boards: it keeps cookies and fills in forms, without a network."""

from urllib.parse import parse_qsl, urljoin, urlsplit

from bs4 import BeautifulSoup

from adapters.html import fields_of
from tests.forums.board import FakeBoard, Reply, Request


class Clock:
    """Time moved by hand; called, it tells the hour."""

    def __init__(self) -> None:
        self.seconds = 1_800_000_000.0

    def __call__(self) -> float:
        return self.seconds

    def turn(self, seconds: float) -> None:
        self.seconds += seconds


class Browser:
    """Somebody at a board."""

    def __init__(self, board: FakeBoard, agent: str = "Browser") -> None:
        self.board, self.agent = board, agent
        self.cookies: dict[str, str] = {}

    def ask(self, url: str, form: dict[str, str] | None = None) -> Reply:
        parts = urlsplit(urljoin("http://board.test/", url))
        query = dict(parse_qsl(parts.query.replace(";", "&"), keep_blank_values=True))
        method = "POST" if form else "GET"
        reply = self.board.answer(
            Request(method, parts.path, query, form or {}, self.cookies, self.agent)
        )
        for name, value in reply.headers:
            if name == "Set-Cookie":
                key, _mark, rest = value.partition("=")
                self.cookies[key] = rest.partition(";")[0]
        return reply

    def page(self, url: str) -> BeautifulSoup:
        return BeautifulSoup(self.ask(url).body, "lxml")

    def form(self, url: str, selector: str) -> tuple[str, dict[str, str]]:
        """Where a form goes, and all its fields."""
        form = self.page(url).select_one(selector)
        assert form is not None
        return str(form["action"]), fields_of(form)

    def fill(self, url: str, selector: str, wait_s: float = 0, **typed: str) -> Reply:
        """Load a form, wait, and send it with what was typed."""
        action, fields = self.form(url, selector)
        self.board.clock.turn(wait_s)  # type: ignore[attr-defined] # one of these clocks
        return self.ask(action, fields | typed)
