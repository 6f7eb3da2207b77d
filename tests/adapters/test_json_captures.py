"""Answers of JSON platforms, captured or built from a document, each with its declared result.

The first line of each ``.yaml`` says where its answer comes from.
"""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from ruamel.yaml import YAML

from adapters import discourse, errors, flarum, nodebb, xenforo
from adapters.base import Account, Adapter, Answer, Draft
from adapters.discourse import Discourse
from adapters.flarum import Flarum
from adapters.nodebb import NodeBB
from adapters.xenforo import XenForo
from tests.adapters.worlds import CannedHttp

HERE = Path(__file__).parent
KEY = Account("Wren", "clave", is_key=True)
PLATFORMS: Mapping[str, tuple[ModuleType, Adapter]] = {
    "discourse": (discourse, Discourse("https://foro.example", KEY)),
    "nodebb": (nodebb, NodeBB("http://127.0.0.1:8501", KEY)),
    "flarum": (flarum, Flarum("https://foro.example", KEY)),
    "xenforo": (xenforo, XenForo("https://foro.example", KEY)),
}
CASES = [path for name in PLATFORMS for path in sorted((HERE / name).glob("*.yaml"))]


def declared(path: Path) -> dict[str, Any]:
    case = YAML(typ="safe").load(path)
    page = path.parent / case.get("page", path.with_suffix(".json").name)
    return {"status": 200, "edits": "", "text": page.read_text(encoding="utf-8"), **case}


def shown(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """What was read, as far as something is declared of it."""
    kept = {key: found[key] for key in wanted}
    if "posts" in wanted:
        kept["posts"] = [
            {key: post[key].isoformat() if key == "posted_at" else post[key] for key in expected}
            for post, expected in zip(found["posts"], wanted["posts"], strict=True)
        ]
    return kept


async def ask(case: Mapping[str, Any], module: ModuleType, site: Adapter) -> dict[str, Any]:
    answer = Answer(case["url"], case["status"], case["text"])
    if "posted" in case or case.get("asks") == "outcome":
        outcome = module.read_outcome(answer, Draft(case["url"], {}, 1000.0, case["edits"]))
        return {"posted": asdict(outcome)}
    if case.get("parse"):  # what a reading would ask further is not kept
        return {"thread": asdict(module.parse_thread(case["text"], case["url"]))}
    page = await site.fetch(CannedHttp([answer]), case["url"])
    assert page is not None
    return {"thread": asdict(page)}


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}-{path.stem}")
async def test_an_answer_is_read_as_declared(path: Path) -> None:
    case, (module, site) = declared(path), PLATFORMS[path.parent.name]
    if "raises" in case:
        wanted = dict(case["raises"])
        with pytest.raises(getattr(errors, wanted.pop("error"))) as caught:
            await ask(case, module, site)
        assert {key: getattr(caught.value, key) for key in wanted} == wanted
        return
    found = await ask(case, module, site)
    for key in ("thread", "posted"):
        if key in case:
            assert shown(found[key], case[key]) == case[key]


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_declared_result_says_where_its_answer_comes_from(path: Path) -> None:
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# ")
    assert "captured" in first or "constructed" in first


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_kept_answer_has_a_declared_result(platform: str) -> None:
    folder = HERE / platform
    kept = {path.name for path in folder.iterdir() if path.suffix in {".json", ".txt"}}
    assert kept <= {declared(path).get("page", f"{path.stem}.json") for path in CASES}
