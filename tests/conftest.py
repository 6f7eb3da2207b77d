"""What all tests share: no network beyond loopback, and real forums for those who ask."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import structlog
from hypothesis import HealthCheck, settings

from tests.forums import misago_forum as misago
from tests.forums.live_forum import LiveForum
from tests.forums.machina_forum import MachinaForum
from tests.forums.misago_forum import MisagoForum
from tests.forums.spirit_forum import SpiritForum
from tests.plugins.postgres import Server

LOOPBACK: Final = "127.0.0.1"
# No test is timed: a busy machine is no fault of the code.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

REAL_FORUMS: Final = ("spirit_forum", "machina_forum", "misago_forum")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Shut the network to every test; whoever asks for a forum is a test of its marker."""
    forums = {*REAL_FORUMS, "live_forum"}
    for item in items:
        item.add_marker(pytest.mark.allow_hosts([LOOPBACK]))
        if isinstance(item, pytest.Function) and not forums.isdisjoint(item.fixturenames):
            item.add_marker(pytest.mark.forum)


@pytest.fixture(autouse=True)
def _logs_of_its_own() -> Iterator[None]:
    """A command run in the test's own process logs to its own stream, which closes with it."""
    yield
    structlog.reset_defaults()


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


@pytest.fixture(scope="session")
def misago_forum(
    tmp_path_factory: pytest.TempPathFactory, forum_templates: Path, postgres_server: Server
) -> Iterator[MisagoForum]:
    """A real Misago forum on loopback and PostgreSQL, likewise."""
    if not misago.PYTHON.exists():
        missing = "Misago is not installed (make test does it, in .venv-misago)"
        if os.environ.get("REFEREE_TESTS_SKIP_NOTHING"):
            pytest.fail(missing)
        pytest.skip(missing)
    home = tmp_path_factory.mktemp("misago")
    with MisagoForum(home, forum_templates, postgres_server) as forum:
        yield forum


@pytest.fixture(
    params=[
        pytest.param(name, marks=pytest.mark.postgres) if name == "misago_forum" else name
        for name in REAL_FORUMS
    ]
)
def live_forum(request: pytest.FixtureRequest) -> LiveForum:
    """Each of the real forums in turn."""
    forum: LiveForum = request.getfixturevalue(request.param)
    return forum
