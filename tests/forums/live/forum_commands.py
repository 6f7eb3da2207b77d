"""What every live forum can be asked for, being a Django site; runs inside Django."""

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application

from forum_faults import CONNECTION, Faults, Site

Command = Callable[..., Any]


class Quiet(WSGIRequestHandler):
    """Django's own handler without its log of requests; faults may close its connection."""

    def get_environ(self) -> dict[str, Any]:
        return {**super().get_environ(), CONNECTION: self.connection}

    def log_message(self, *_words: object) -> None:
        pass


def serve(site: Site) -> tuple[int, Mapping[str, Command]]:
    """Serve on a free loopback port in the background.

    Returns:
        The port, and the commands that all forums share.
    """
    # Which pages were not there is no news; errors still come with their traces.
    logging.getLogger("django.request").setLevel(logging.ERROR)
    faults = Faults(StaticFilesHandler(get_wsgi_application()), site)
    server = ThreadedWSGIServer(("127.0.0.1", 0), Quiet)
    server.set_app(faults)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    shared = {"fault": faults.next, "no_faults": faults.clear}
    return int(server.server_port), shared | COMMANDS


def set_password(user: str, password: str) -> None:
    found = get_user_model().objects.get(pk=user)
    found.set_password(password)
    found.save()


def end_sessions() -> None:
    Session.objects.all().delete()


COMMANDS: Final[Mapping[str, Command]] = {
    "set_password": set_password,
    "end_sessions": end_sessions,
}
