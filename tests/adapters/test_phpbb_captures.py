"""Captured pages of a real phpBB, each with its declared result beside it (``phpbb/*.yaml``)."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from adapters import errors
from adapters.base import Account, Answer, Draft, Posted
from adapters.phpbb import PhpBB, parse_thread, read_outcome
from tests.adapters.worlds import CannedHttp

HERE = Path(__file__).parent / "phpbb"
BASE = "http://127.0.0.1:8101"
UNUSED: Mapping[str, str] = YAML(typ="safe").load(HERE / "unused.yaml")


def declared(path: Path) -> dict[str, Any]:
    case = YAML(typ="safe").load(path)
    page = HERE / case.get("page", path.with_suffix(".html").name)
    return {"status": 200, "text": page.read_text(encoding="utf-8"), **case}


CASES = [path for path in sorted(HERE.glob("*.yaml")) if path.name != "unused.yaml"]


def answer_of(case: Mapping[str, Any]) -> Answer:
    return Answer(case["url"], case["status"], case["text"])


def asked_thread(case: Mapping[str, Any]) -> dict[str, Any]:
    page = asdict(parse_thread(case["text"], case["url"], status=case["status"]))
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


def asked_outcome(case: Mapping[str, Any]) -> dict[str, Any]:
    draft = Draft(case["url"], {}, 1000.0, case.get("edits", ""))
    outcome = read_outcome(answer_of(case), draft, case["sent"])
    if isinstance(outcome, Posted):
        return {"posted": {key: asdict(outcome)[key] for key in case["posted"]}}
    assert outcome.made_at == draft.made_at
    return {"resent": {"url": outcome.url, "fields": dict(outcome.fields)}}


async def asked_form(case: Mapping[str, Any]) -> dict[str, Any]:
    board = PhpBB(BASE, Account("Wren", "clave"))
    draft = await board.draft(CannedHttp([answer_of(case)]), "2")
    assert "message" not in draft.fields
    wanted = case["form"]["fields"]
    return {"form": {"url": draft.url, "fields": dict(draft.fields) if wanted else {}}}


async def asked_login(case: Mapping[str, Any]) -> dict[str, Any]:
    form = Answer(case["url"], 200, (HERE / "login-en.html").read_text(encoding="utf-8"))
    board = PhpBB(BASE, Account("Wren", "clave"))
    return {"login": await board.login(CannedHttp([form, answer_of(case)]))}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
async def test_a_captured_page_is_read_as_declared(path: Path) -> None:
    case = declared(path)
    expected = {key: case[key] for key in ("thread", "posted", "resent", "form") if key in case}
    if "raises" in case:
        wanted = dict(case["raises"])
        with pytest.raises(getattr(errors, wanted.pop("error"))) as caught:
            await ask(case)
        assert {key: getattr(caught.value, key) for key in wanted} == wanted
    else:
        assert await ask(case) == expected


async def ask(case: Mapping[str, Any]) -> dict[str, Any]:
    match case["asks"]:
        case "thread":
            return asked_thread(case)
        case "outcome":
            return asked_outcome(case)
        case "form":
            return await asked_form(case)
        case "login":
            return await asked_login(case)
    raise AssertionError(case["asks"])


def test_every_captured_page_has_a_declared_result_or_a_reason() -> None:
    pages = {path.name for path in HERE.glob("*.html")}
    named = {declared(path).get("page", f"{path.stem}.html") for path in CASES}
    assert pages <= named
    assert not pages & set(UNUSED)
    assert all(UNUSED.values())
