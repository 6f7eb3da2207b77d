"""What a site's robots.txt asks of programs: which paths to leave alone, and how often to come.

Pure; ``http.py`` fetches and keeps it. Only the threads that the referee reads again and again are
judged by it. Logging in and posting are what an account's owner does, and no crawler's visit.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from protego import Protego

AGENT: Final = "pbw-referee"
# As long as search engines keep one.
GOOD_FOR_S: Final = 86_400.0
# A player would wait too long for an answer; who wants programs even more seldom forbids them.
LONGEST_DELAY_S: Final = 300.0
# What lies behind is not read: the whole file is kept with the site's session.
_MAX_CHARS: Final = 65_536


@dataclass(frozen=True, slots=True)
class Robots:
    """A site's robots.txt.

    Attributes:
        asked_at: Unix time at which the site was asked for it.
        text: What it says; empty where there is none.
    """

    asked_at: float
    text: str = ""

    @classmethod
    def of(cls, asked_at: float, text: str) -> "Robots":
        """Keep what a site has answered, as far as it will be read."""
        kept = text[:_MAX_CHARS]
        if len(text) > _MAX_CHARS:
            # Half a rule would be another rule: "/" for "/members/".
            kept = kept[: kept.rfind("\n") + 1]
        return cls(asked_at, kept)

    def is_fresh(self, now: float) -> bool:
        """Whether the site need not be asked again; a clock that was set back proves nothing."""
        return 0 <= now - self.asked_at < GOOD_FOR_S

    def allows(self, url: str) -> bool:
        """Whether programs like us may read an address."""
        return _rules(self.text).can_fetch(url, AGENT)

    @property
    def delay_s(self) -> float:
        """Least time between two requests, as far as we go along with it."""
        asked = _rules(self.text).crawl_delay(AGENT) or 0.0
        return min(max(0.0, asked), LONGEST_DELAY_S)


@lru_cache(maxsize=32)
def _rules(text: str) -> Protego:
    return Protego.parse(text)
