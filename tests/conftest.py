"""What all tests share: no network beyond loopback, and real forums for those who ask."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.forums.live_forum import LiveForum
from tests.forums.machina_forum import MachinaForum
from tests.forums.spirit_forum import SpiritForum

LOOPBACK: Final = "127.0.0.1"
REAL_FORUMS: Final = ("spirit_forum", "machina_forum")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Shut the network to every test; whoever asks for a forum is a test of its marker."""
    forums = {*REAL_FORUMS, "live_forum"}
    for item in items:
        item.add_marker(pytest.mark.allow_hosts([LOOPBACK]))
        if isinstance(item, pytest.Function) and not forums.isdisjoint(item.fixturenames):
            item.add_marker(pytest.mark.forum)


@pytest.fixture(scope="session")
def forum_templates(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where migrated empty forums are kept from one run to the next."""
    cache = pytestconfig.cache
    return cache.mkdir("forums") if cache else tmp_path_factory.mktemp("forums")


@pytest.fixture(scope="session")
def spirit_forum(
    tmp_path_factory: pytest.TempPathFactory, forum_templates: Path
) -> Iterator[SpiritForum]:
    """A real Spirit forum on loopback, shared by the session; make users and topics of your own."""
    with SpiritForum(tmp_path_factory.mktemp("spirit"), forum_templates) as forum:
        yield forum


@pytest.fixture(scope="session")
def machina_forum(
    tmp_path_factory: pytest.TempPathFactory, forum_templates: Path
) -> Iterator[MachinaForum]:
    """A real django-machina on loopback, likewise."""
    with MachinaForum(tmp_path_factory.mktemp("machina"), forum_templates) as forum:
        yield forum


@pytest.fixture(params=REAL_FORUMS)
def live_forum(request: pytest.FixtureRequest) -> LiveForum:
    """Each of the real forums in turn."""
    forum: LiveForum = request.getfixturevalue(request.param)
    return forum
