"""What platforms with a JSON interface share: finding a member, a page's number, an error's words.

Pure. Nothing here knows a platform; what stands in an answer is the platform's own file's work.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit, urlunsplit

from adapters.base import Answer
from adapters.errors import (
    AdapterError,
    ForbiddenError,
    GoneError,
    LayoutChangedError,
    LoggedOutError,
)

_MAX_SAID: Final = 300
_WAIT: Final = re.compile(r"\b([0-9]{1,6})\s*(?:([smh])\b|(sec|seg|min|hour|hora))?", re.IGNORECASE)
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600}


def changed(url: str, missing: str) -> LayoutChangedError:
    """The error for an answer that lacks what it must have."""
    return LayoutChangedError(url, cure="send_page_to_maintainers", missing=missing)


def member(data: object, name: str, url: str) -> dict[str, Any]:
    """An object within an object. Raises ``LayoutChangedError`` naming it."""
    found = data.get(name) if isinstance(data, dict) else None
    if not isinstance(found, dict):
        raise changed(url, name)
    return found


def objects(data: object, name: str, url: str) -> list[dict[str, Any]]:
    """A list of objects within an object. Raises ``LayoutChangedError`` naming it."""
    found = data.get(name) if isinstance(data, dict) else None
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise changed(url, name)
    return found


def integer(data: Mapping[str, Any], name: str, url: str) -> int:
    """A whole number of an object. Raises ``LayoutChangedError`` naming it."""
    found = data.get(name)
    if not isinstance(found, int) or isinstance(found, bool):
        raise changed(url, name)
    return found


def string(data: Mapping[str, Any], name: str, url: str) -> str:
    """A text of an object. Raises ``LayoutChangedError`` naming it."""
    found = data.get(name)
    if not isinstance(found, str):
        raise changed(url, name)
    return found


def body_of(answer: Answer) -> Any:
    """The answer's JSON, or None where it is none: an error page, a cut answer to a post."""
    try:
        return answer.json()
    except LayoutChangedError:
        return None


def moment(value: object) -> datetime | None:
    """A moment in UTC from ISO 8601 with a zone, or from Unix seconds; None for anything else."""
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        found = datetime.fromisoformat(str(value))
    except (ValueError, OverflowError, OSError):
        return None
    return found.astimezone(UTC) if found.tzinfo is not None else None


def said_in(words: Sequence[object]) -> str:
    """What a site says is wrong, in its own language, as one line of bearable length."""
    return "; ".join(" ".join(str(word).split()) for word in words if word)[:_MAX_SAID]


def wait_said(said: str) -> float | None:
    """How long a sentence asks to wait: its first figure, in the unit that follows it."""
    found = _WAIT.search(said)
    if found is None:
        return None
    unit = (found[2] or found[3] or "s")[0].lower()
    return float(found[1]) * _SECONDS[unit]


def error_for(answer: Answer, said: str, *, logged_out: bool = False) -> AdapterError:
    """What a refused reading means, where the platform knows no better.

    Args:
        answer: Of any status but a success.
        said: What the site says is wrong.
        logged_out: Whether the answer tells that nobody is logged in.
    """
    match answer.status:
        case 401 | 403 if logged_out:
            return LoggedOutError(answer.url, cure="log_in_again", said=said)
        case 401 | 403:
            return ForbiddenError(answer.url, cure="check_permissions", said=said)
        case 404 | 410:
            return GoneError(answer.url, cure="check_topic", status=answer.status)
    return LayoutChangedError(
        answer.url, cure="send_page_to_maintainers", missing="200", status=answer.status, said=said
    )


def page_number(url: str, name: str = "page", *, first: int = 1) -> int:
    """The page (or offset) that an address names; the first where it names none."""
    value = parse_qs(urlsplit(url).query).get(name, [str(first)])[0]
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 10 else first


def with_page(url: str, page: int, name: str = "page", *, first: int = 1) -> str:
    """The address of another page (or offset); that of the first does not name it."""
    parts = urlsplit(url)
    query = [(key, value) for key, value in parse_qsl(parts.query) if key != name]
    if page > first:
        query.append((name, str(page)))
    return urlunsplit((*parts[:3], urlencode(query), ""))


def topic_in(topic: str, pattern: re.Pattern[str], base_url: str) -> str:
    """A topic's id, from the id itself or from any address of it on this site.

    Args:
        topic: As the config gives it.
        pattern: Finds the id in an address, as its first group.
        base_url: The site's front page.

    Raises:
        GoneError: it is neither.
    """
    if topic.isascii() and topic.isdecimal():
        return topic
    found = pattern.search(topic)
    same_site = urlsplit(topic).netloc in {"", urlsplit(base_url).netloc}
    if found is None or not same_site:
        raise GoneError(topic, cure="mend_address")
    return found[1]
