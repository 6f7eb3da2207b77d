"""What can go wrong between the referee and a forum, sorted by who can mend it.

``retry`` errors mend themselves with time; the others need the operator. Every error carries a
URL without secrets and a ``cure``: the key of a sentence that says what to do.
"""

import re
from functools import lru_cache
from typing import Final
from urllib.parse import unquote, urlsplit, urlunsplit

SECRET_PARAMETERS = frozenset(
    {
        "sid",
        "s",
        "phpsessid",
        "token",
        "api_key",
        "key",
        "csrf",
        "csrfmiddlewaretoken",
        "form_token",
        "my_post_key",
        "logoutkey",
        "_xftoken",
        "password",
        "passwrd",
    }
)


# SMF names the parameter that holds a session by chance.
_NAMELESS: Final = re.compile(r"[0-9a-f]{7,12}=[0-9a-f]{32}", re.IGNORECASE)


@lru_cache(maxsize=1024)
def without_secrets(url: str) -> str:
    """The URL without session ids and tokens: a phpBB ``sid`` alone is a logged-in session.

    What stays, stays to the letter: SMF parts its parameters by semicolons, which would not
    survive being taken for part of a value.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""  # no address: what stands in it cannot be told from a secret
    kept: list[str] = []
    separator = ""
    for piece in re.split(r"([&;])", parts.query):
        if piece in {"&", ";"}:
            separator = piece
        elif piece and not _is_secret(piece):
            kept.append(f"{separator if kept else ''}{piece}")
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "".join(kept), parts.fragment))


def _is_secret(parameter: str) -> bool:
    name = unquote(parameter.partition("=")[0]).casefold()
    return name in SECRET_PARAMETERS or _NAMELESS.fullmatch(parameter) is not None


class AdapterError(Exception):
    """Something went wrong on the way to a forum.

    Attributes:
        url: Where, without secrets.
        cure: Key of the sentence that says what to do.
        retry: Whether trying again later can help.
        wait_s: How long the forum asked to wait, where it said so.
        facts: Further figures and names for the message.
    """

    retry = False

    def __init__(
        self, url: str, cure: str, *, wait_s: float | None = None, **facts: object
    ) -> None:
        """Keep the facts; the URL loses its secrets here, once for all."""
        self.url = without_secrets(url)
        self.cure = cure
        self.wait_s = wait_s
        self.facts = facts
        details = "".join(f" {key}={value!r}" for key, value in facts.items())
        super().__init__(f"{type(self).__name__}: {self.url} cure={cure}{details}")


class BusyError(AdapterError):
    """The forum answered that it has no time: 429, 5xx, maintenance, a page cut short."""

    retry = True


class UnreachableError(AdapterError):
    """No answer: DNS, refused, time-out, connection lost before the request was sent whole."""

    retry = True


class NotSentError(AdapterError):
    """A definite refusal of a post that may be repeated later: flood limit, token too young."""

    retry = True


class UnknownOutcomeError(AdapterError):
    """The request was sent and no answer tells what became of it: read back before trying again."""

    retry = True


class LoggedOutError(AdapterError):
    """The session has died; logging in again may help at once."""

    retry = True


class ForbiddenError(AdapterError):
    """The account may not read or write here: banned, no permission, CAPTCHA, bad password."""


class LockedError(AdapterError):
    """The thread is closed, archived or in slow mode for good."""


class GoneError(AdapterError):
    """The thread is not there: deleted, moved away, or a wrong address."""


class RefusedTextError(AdapterError):
    """The forum does not take this text: too long, too short, too similar, a filtered word."""


class LayoutChangedError(AdapterError):
    """The page is not the one that this adapter knows; ``missing`` names the selector."""
