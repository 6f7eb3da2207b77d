"""Captured pages of a real django-machina, each with its declared result (``machina/*.yaml``)."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import markdown2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from adapters import errors
from adapters.base import Account, Answer, Draft
from adapters.machina import Machina, parse_thread
from tests.adapters.worlds import CannedHttp

HERE = Path(__file__).parent / "machina"
CASES = sorted(HERE.glob("*.yaml"))
BASE = "http://127.0.0.1:8501"
WREN = Machina(BASE, Account("Wren", "clave"))


def page(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def declared(path: Path) -> dict[str, Any]:
    case = YAML(typ="safe").load(path)
    text = page(case.get("page", path.with_suffix(".html").name))
    return {"status": 200, "text": text, **case}


async def ask(case: Mapping[str, Any]) -> dict[str, Any]:
    answer = Answer(case["url"], case["status"], case["text"])
    match case["asks"]:
        case "thread":
            return asked_thread(case)
        case "form":
            topic = Answer(f"{BASE}/", 200, page("../captures/machina/topic-p2-last-en.html"))
            draft = await WREN.draft(CannedHttp([topic, answer]), "1", edits=case.get("edits", ""))
            assert "content" not in draft.fields
            return {"form": {"url": draft.url, "fields": dict(draft.fields)}}
        case "outcome":
            draft = Draft(f"{BASE}/forum/el-molino-2/topic/escena-1/post/create/", {}, 1000.0)
            return asdict(await WREN.send(CannedHttp([answer]), draft, case["sent"]))
    raise AssertionError(case["asks"])


def asked_thread(case: Mapping[str, Any]) -> dict[str, Any]:
    read = asdict(parse_thread(case["text"], case["url"]))
    wanted = case["thread"]
    if "posts" not in wanted:
        return {"thread": {key: read[key] for key in wanted}}
    posts = [
        {
            key: value
            for key, value in post.items()
            if key in expected or (key == "edited" and value)
        }
        for post, expected in zip(read["posts"], wanted["posts"], strict=True)
    ]
    return {"thread": {**{key: read[key] for key in wanted}, "posts": posts}}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
async def test_a_captured_page_is_read_as_declared(path: Path) -> None:
    case = declared(path)
    if "raises" in case:
        wanted = dict(case["raises"])
        with pytest.raises(getattr(errors, wanted.pop("error"))) as caught:
            await ask(case)
        assert {key: getattr(caught.value, key) for key in wanted} == wanted
    else:
        assert await ask(case) == {key: case[key] for key in ("thread", "form") if key in case}


FRAGMENTS = (
    "</div", "</div ", "</div>", '<div id="9" class="post"', '<div class="post-content">', "<b",
    '<a href="/member/profile/1/"', "<!--", "-->", "<script", "<textarea", "<![CDATA[", "<?php",
    '"', "'", ">", "<", "&lt;", "&#60;", "\0", "\n", "\n\n", "    ", "> ", "- ", "1. ", "# ",
    "`", "``", "[", "](", ")", "![", "![](", "*", "**", "_", "\\", "http://x.test/",
    "<http://x.test/", "|", "[acción: parada]", "x",
)  # fmt: skip


@given(typed=st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=3))).map("".join))
def test_whatever_somebody_types_stays_in_their_own_post(typed: str) -> None:
    # The renderer lets some things through that begin a tag.
    text = page("../captures/machina/topic-p1-en.html")
    ours = "<p>Desenvaino sin pensarlo.</p>"
    assert text.count(ours) == 1
    html = markdown2.markdown(typed, safe_mode=True, extras={"break-on-newline": True})
    url = f"{BASE}/forum/el-molino-2/topic/escena-1/"
    before, after = parse_thread(text, url), parse_thread(text.replace(ours, html), url)
    assert [replace(post, own_words="", set_aside="") for post in after.posts] == [
        replace(post, own_words="", set_aside="") for post in before.posts
    ]
    assert (after.posts[0], after.posts[2:]) == (before.posts[0], before.posts[2:])
    assert (after.viewer_id, after.locked, after.last_url) == ("5", False, before.last_url)


def test_every_captured_page_has_a_declared_result() -> None:
    pages = {path.name for path in HERE.glob("*.html")}
    assert pages <= {declared(path).get("page", f"{path.stem}.html") for path in CASES}
