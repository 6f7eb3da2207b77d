"""What all tests share: no network beyond loopback, and a real forum for those who ask."""

from collections.abc import Iterator

import pytest

from tests.forums.spirit_forum import SpiritForum, template_in

LOOPBACK = "127.0.0.1"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Shut the network to every test; whoever asks for the forum is a test of its marker."""
    for item in items:
        item.add_marker(pytest.mark.allow_hosts([LOOPBACK]))
        if isinstance(item, pytest.Function) and "spirit_forum" in item.fixturenames:
            item.add_marker(pytest.mark.forum)


@pytest.fixture(scope="session")
def spirit_forum(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SpiritForum]:
    """A real Spirit forum on loopback, shared by the session; make users and topics of your own."""
    cache = pytestconfig.cache
    kept = cache.mkdir("forums") if cache else tmp_path_factory.mktemp("forums")
    with SpiritForum(tmp_path_factory.mktemp("spirit"), template_in(kept)) as forum:
        yield forum
