"""Answers of JSON platforms with anything in the place of anything: an error of ours, or a page.

Whatever a page looks like, a post's author is never taken from another's.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters import discourse, flarum, nodebb, xenforo
from adapters.base import Answer, Draft, ThreadPage
from adapters.errors import AdapterError

HERE = Path(__file__).parent
BASE = "https://foro.example"
PAGES: dict[str, tuple[Any, str, Path, tuple[str, str]]] = {
    "discourse": (
        discourse,
        f"{BASE}/t/7.json?include_raw=1",
        HERE / "discourse/topic.json",
        ("id", "user_id"),
    ),
    "discourse later": (
        discourse,
        f"{BASE}/t/7/posts.json?asc=true&include_raw=1&post_number=20",
        HERE / "discourse/posts-after-20.json",
        ("id", "user_id"),
    ),
    "nodebb": (
        nodebb,
        f"{BASE}/api/topic/2?sort=oldest_to_newest",
        HERE / "captures/nodebb/api-topic-p1.json",
        ("pid", "uid"),
    ),
    "flarum": (
        flarum,
        flarum.Flarum(BASE).thread_url("7"),
        HERE / "flarum/posts-first-page.json",
        ("id", "relationships.user.data.id"),
    ),
    "xenforo": (
        xenforo,
        f"{BASE}/api/threads/7/?with_posts=1",
        HERE / "xenforo/thread-first-page.json",
        ("post_id", "user_id"),
    ),
}
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False)
    | st.text(max_size=20)
    | st.sampled_from(["<p>[acción: x]", "</div>" * 40, "\x00", "\ud800", "9" * 5000, "<b>" * 300]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
STATUSES = (200, 201, 202, 301, 400, 401, 403, 404, 405, 409, 413, 422, 451)
WRAPS: tuple[Callable[[Any], Any], ...] = (
    lambda body: body,
    lambda body: {"post": body},
    lambda body: {"response": body},
    lambda body: {"data": body},
    lambda body: {"status": body},
    lambda body: {"errors": body},
    lambda body: {"errors": [body]},
    lambda body: {"errors": [{"code": body}]},
)


def places(data: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to each value."""
    steps = data.items() if isinstance(data, dict) else enumerate(data)
    found = [way] if way else []
    for key, value in steps:
        if isinstance(value, (dict, list)):
            found += places(value, (*way, key))
        else:
            found.append((*way, key))
    return found


def put(data: Any, way: tuple[Any, ...], value: Any, *, drop: bool) -> None:
    for step in way[:-1]:
        data = data[step]
    if drop:
        del data[way[-1]]
    else:
        data[way[-1]] = value


def read(parse: Callable[[str, str], ThreadPage], text: str, url: str) -> ThreadPage | None:
    try:
        return parse(text, url)
    except AdapterError:
        return None


def pairs(data: Any, names: tuple[str, str]) -> set[tuple[str, str]]:
    """Every post that stands anywhere in an answer, with its own author."""
    found: set[tuple[str, str]] = set()
    todo = [data]
    while todo:
        item = todo.pop()
        if isinstance(item, dict):
            todo += item.values()
            found.add((str(_at(item, names[0])), str(_at(item, names[1]))))
        elif isinstance(item, list):
            todo += item
    return found


def _at(item: Any, path: str) -> Any:
    for step in path.split("."):
        item = item.get(step) if isinstance(item, dict) else None
    return item


@pytest.mark.parametrize("name", PAGES)
@settings(max_examples=60)
@given(choices=st.data())
def test_whatever_an_answer_holds_is_a_page_or_an_error_of_ours(
    name: str, choices: st.DataObject
) -> None:
    module, url, path, names = PAGES[name]
    data = json.loads(path.read_text(encoding="utf-8"))
    for _ in range(choices.draw(st.integers(1, 3))):
        way = choices.draw(st.sampled_from(places(data)))
        put(data, way, choices.draw(ANYTHING), drop=choices.draw(st.booleans()))
    page = read(module.parse_thread, json.dumps(data), url)
    if page is not None:
        known = pairs(data, names)
        for post in page.posts:
            own = {author for post_id, author in known if post_id == post.id}
            assert post.author_id in own or (post.author_id == "guest" and own & {"0", "None", ""})


@pytest.mark.parametrize("name", PAGES)
@settings(max_examples=60)
@given(choices=st.data())
def test_a_cut_answer_is_an_error(name: str, choices: st.DataObject) -> None:
    module, url, path, _names = PAGES[name]
    text = path.read_text(encoding="utf-8").rstrip()
    assert (
        read(module.parse_thread, text[: choices.draw(st.integers(0, len(text) - 1))], url) is None
    )


@pytest.mark.parametrize("module", [discourse, flarum, nodebb, xenforo])
@given(status=st.sampled_from(STATUSES), body=ANYTHING)
def test_whatever_answers_a_post_proves_it_or_is_an_error_of_ours(
    module: Any, status: int, body: Any
) -> None:
    for wrap in WRAPS:
        answer = Answer(f"{BASE}/posts.json", status, json.dumps(wrap(body)))
        try:
            posted = module.read_outcome(answer, Draft(answer.url, {}, 0.0))
        except AdapterError:
            continue
        assert status in {200, 201}
        assert posted.post_id or posted.awaits_approval
