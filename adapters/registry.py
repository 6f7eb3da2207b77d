"""The platforms that the referee knows, by the names that a config uses."""

from collections.abc import Callable
from typing import Final, Protocol

from adapters import discourse, flarum, machina, misago, mybb, nodebb, phpbb, smf, spirit, xenforo
from adapters.base import Account, Adapter, ThreadPage
from adapters.discourse import Discourse
from adapters.flarum import Flarum
from adapters.folder import Folder
from adapters.machina import Machina
from adapters.misago import Misago
from adapters.mybb import MyBB
from adapters.nodebb import NodeBB
from adapters.phpbb import PhpBB
from adapters.profiled import Profiled
from adapters.smf import SMF
from adapters.spirit import Spirit
from adapters.xenforo import XenForo


class Platform(Protocol):
    """A class of adapters: what a site in the config names."""

    @property
    def platform(self) -> str:
        """Its name in the config."""
        ...

    def __call__(self, base_url: str, account: Account | None = None) -> Adapter:
        """The adapter of one site. Without an account it reads what guests may read."""
        ...


ADAPTERS: Final[tuple[Platform, ...]] = (
    Folder,
    PhpBB,
    MyBB,
    SMF,
    Spirit,
    Machina,
    Misago,
    Discourse,
    NodeBB,
    Flarum,
    XenForo,
    Profiled,
)

FORBIDDEN_HOSTS: Final = ("proboards.com", "boards.net", "freeforums.net", "forums.net")
"""Hosts whose terms forbid programs, with all that is below them: the names of ProBoards."""

BY_NAME: Final = {adapter.platform: adapter for adapter in ADAPTERS}

PAGE_READERS: Final[tuple[Callable[[str, str], ThreadPage], ...]] = (
    phpbb.parse_thread,
    mybb.parse_thread,
    smf.parse_thread,
    spirit.parse_thread,
    machina.parse_thread,
    misago.parse_thread,
    discourse.parse_thread,
    nodebb.parse_thread,
    flarum.parse_thread,
    xenforo.parse_thread,
)
"""What reads a saved page, whatever site it came from; each refuses pages that are not its own."""
