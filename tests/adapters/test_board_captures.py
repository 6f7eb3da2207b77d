"""Captured pages of real boards, each with its declared result beside it (``<board>/*.yaml``)."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from ruamel.yaml import YAML

from adapters import errors, mybb, phpbb, smf
from adapters.base import Account, Answer, Draft, Posted, ThreadPage
from adapters.mybb import MyBB
from adapters.phpbb import PhpBB
from adapters.registry import Platform
from adapters.smf import SMF
from tests.adapters.worlds import CannedHttp

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Board:
    """Where a board's pages came from, and what reads them."""

    base: str
    make: Platform
    parse_thread: Callable[..., ThreadPage]
    read_outcome: Callable[[Answer, Draft, str], Posted | Draft]


BOARDS: Final[Mapping[str, Board]] = {
    "phpbb": Board("http://127.0.0.1:8101", PhpBB, phpbb.parse_thread, phpbb.read_outcome),
    "mybb": Board("http://127.0.0.1:8102", MyBB, mybb.parse_thread, mybb.read_outcome),
    "smf": Board("http://127.0.0.1:8103", SMF, smf.parse_thread, smf.read_outcome),
}


def cases(name: str) -> list[Path]:
    return [path for path in sorted((HERE / name).glob("*.yaml")) if path.name != "unused.yaml"]


def unused(name: str) -> Mapping[str, str]:
    return YAML(typ="safe").load(HERE / name / "unused.yaml")


def declared(path: Path) -> dict[str, Any]:
    case = YAML(typ="safe").load(path)
    page = path.parent / case.get("page", path.with_suffix(".html").name)
    return {"status": 200, "text": page.read_text(encoding="utf-8"), **case}


def answer_of(case: Mapping[str, Any]) -> Answer:
    return Answer(case["url"], case["status"], case["text"])


def asked_thread(board: Board, case: Mapping[str, Any]) -> dict[str, Any]:
    page = asdict(board.parse_thread(case["text"], case["url"], status=case["status"]))
    wanted = case.get("thread", {})
    shown = {key: page[key] for key in wanted if key != "posts"}
    posts = [
        {
            key: value.isoformat() if key == "posted_at" else value
            for key, value in post.items()
            if key in expected or (key == "edited" and value)
        }
        for post, expected in zip(page["posts"], wanted.get("posts", ()), strict=True)
    ]
    return {"thread": {**shown, "posts": posts}}


def asked_outcome(board: Board, case: Mapping[str, Any]) -> dict[str, Any]:
    draft = Draft(case["url"], {}, 1000.0, case.get("edits", ""))
    outcome = board.read_outcome(answer_of(case), draft, case["sent"])
    if isinstance(outcome, Posted):
        return {"posted": {key: asdict(outcome)[key] for key in case["posted"]}}
    assert outcome.made_at == draft.made_at
    return {"resent": {"url": outcome.url, "fields": dict(outcome.fields)}}


async def asked_form(board: Board, case: Mapping[str, Any]) -> dict[str, Any]:
    adapter = board.make(board.base, Account("Wren", "clave"))
    draft = await adapter.draft(CannedHttp([answer_of(case)]), "2")
    assert "message" not in draft.fields
    wanted = case["form"]["fields"]
    return {"form": {"url": draft.url, "fields": dict(draft.fields) if wanted else {}}}


async def asked_login(board: Board, path: Path, case: Mapping[str, Any]) -> dict[str, Any]:
    """Log in with the board's login page, then this one, then those that it leads to."""
    form = path.parent / "login-en.html"
    pages = [Answer(case["url"], 200, form.read_text(encoding="utf-8")), answer_of(case)]
    for further in case.get("then", ()):
        page = (path.parent / further).read_text(encoding="utf-8")
        pages.append(Answer(f"{board.base}/index.php", 200, page))
    http = CannedHttp(pages)
    who = await board.make(board.base, Account("Wren", "clave")).login(http)
    assert len(http.asked) == len(pages)
    return {"login": who}


async def ask(board: Board, path: Path, case: Mapping[str, Any]) -> dict[str, Any]:
    match case["asks"]:
        case "thread":
            return asked_thread(board, case)
        case "outcome":
            return asked_outcome(board, case)
        case "form":
            return await asked_form(board, case)
        case "login":
            return await asked_login(board, path, case)
    raise AssertionError(case["asks"])


@pytest.mark.parametrize(
    ("name", "path"),
    [pytest.param(name, path, id=f"{name}-{path.stem}") for name in BOARDS for path in cases(name)],
)
async def test_a_captured_page_is_read_as_declared(name: str, path: Path) -> None:
    board, case = BOARDS[name], declared(path)
    results = ("thread", "posted", "resent", "form", "login")
    expected = {key: case[key] for key in results if key in case}
    if "raises" in case:
        wanted = dict(case["raises"])
        with pytest.raises(getattr(errors, wanted.pop("error"))) as caught:
            await ask(board, path, case)
        assert {key: getattr(caught.value, key) for key in wanted} == wanted
    else:
        assert await ask(board, path, case) == expected


@pytest.mark.parametrize("name", BOARDS)
def test_every_captured_page_has_a_declared_result_or_a_reason(name: str) -> None:
    pages = {path.name for path in (HERE / name).glob("*.html")}
    named = {declared(path).get("page", f"{path.stem}.html") for path in cases(name)}
    assert pages <= named
    assert not pages & set(unused(name))
    assert all(unused(name).values())
