"""Captured answers of a real Misago, each with its declared result beside it (``misago/``)."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from adapters import errors
from adapters.base import Account, Answer, Draft
from adapters.misago import Misago, parse_thread
from tests.adapters.worlds import CannedHttp

HERE = Path(__file__).parent / "misago"
BASE = "http://127.0.0.1:8301"
UNUSED: Mapping[str, str] = YAML(typ="safe").load(HERE / "unused.yaml")
CASES = [path for path in sorted(HERE.glob("*.yaml")) if path.name != "unused.yaml"]


def text_of(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def page_of(path: Path, case: Mapping[str, Any]) -> str:
    beside = path.with_suffix(".json")
    return str(case.get("page", (beside if beside.exists() else path.with_suffix(".html")).name))


def answer_of(said: Mapping[str, Any]) -> Answer:
    """An answer from a captured page, or from a JSON that is written out."""
    text = text_of(said["page"]) if "page" in said else json.dumps(said["json"])
    if "changed" in said:
        text = json.dumps({**json.loads(text), **said["changed"]})
    return Answer(said.get("url", BASE), said.get("status", 200), text)


def asked_thread(case: Mapping[str, Any], text: str) -> dict[str, Any]:
    page = asdict(parse_thread(text, case["url"]))
    wanted = case["thread"]
    posts = [
        {
            key: value.isoformat() if key == "posted_at" else value
            for key, value in post.items()
            if key in expected or (key == "edited" and value)
        }
        for post, expected in zip(page["posts"], wanted["posts"], strict=True)
    ]
    return {"thread": {**{key: page[key] for key in wanted}, "posts": posts}}


async def ask(case: Mapping[str, Any], page: str) -> dict[str, Any]:
    forum = Misago(BASE, Account("Wren", "clave"))
    answers = [answer_of({**case, "page": page}), *map(answer_of, case.get("then", ()))]
    match case["asks"]:
        case "thread":
            return asked_thread(case, text_of(page))
        case "login":
            if "login" not in case:
                answers.insert(0, answer_of({"page": "index-guest-en.html"}))
            return {"login": await forum.login(CannedHttp(answers))}
        case "outcome":
            draft = Draft(case["url"], {"csrfmiddlewaretoken": "x" * 32}, 1000.0)
            posted = asdict(await forum.send(CannedHttp(answers), draft, "mensaje"))
            return {"posted": {key: posted[key] for key in case["posted"]}}
    raise AssertionError(case["asks"])


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
async def test_a_captured_answer_is_read_as_declared(path: Path) -> None:
    case = YAML(typ="safe").load(path)
    page = page_of(path, case)
    if "raises" in case:
        wanted = dict(case["raises"])
        with pytest.raises(getattr(errors, wanted.pop("error"))) as caught:
            await ask(case, page)
        assert {key: getattr(caught.value, key) for key in wanted} == wanted
    else:
        expected = {key: case[key] for key in ("thread", "posted", "login") if key in case}
        assert await ask(case, page) == expected


def test_every_captured_answer_has_a_declared_result_or_a_reason() -> None:
    captured = {path.name for path in HERE.iterdir() if path.suffix in {".html", ".json"}}
    cases = {path: YAML(typ="safe").load(path) for path in CASES}
    used = {page_of(path, case) for path, case in cases.items()}
    used |= {
        said["page"] for case in cases.values() for said in case.get("then", ()) if "page" in said
    }
    assert captured == (used | set(UNUSED)) & captured
    assert not used & set(UNUSED)
    assert all(UNUSED.values())
