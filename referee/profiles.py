"""Selector profiles as values: built in or a game master's own, one laid over the other.

Files are read by ``referee.data`` and ``referee.config``; what may stand in them is
``adapters.profile``. Problems name file, line and field like those of a config.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import ValidationError

from adapters.profile import Profile
from referee.checking import Checker, without_empty
from referee.data import Data
from referee.documents import Steps, YamlMap

# What a profile says of itself is not handed down.
_OWN = frozenset({"name", "about", "like", "engines"})


@cache
def builtin(name: str) -> tuple[Profile, ...]:
    """A built-in profile, and the engines that it chooses from.

    Raises:
        LookupError: there is none of that name.
        ValueError: ours is broken.
    """
    data = Data()
    raw = _laid_over(_base(data, data.profile(name)), data.profile(name))
    profile = Profile.model_validate({**_filled(raw), "name": name})
    return (profile, *(builtin(engine)[0] for engine in profile.engines))


def builtin_names() -> tuple[str, ...]:
    """Profiles that come with the program, sorted."""
    return Data().profile_names()


def read_profiles(
    raw: YamlMap, checker: Checker, path: Steps, default_name: str
) -> tuple[Profile, ...]:
    """A game master's profile; empty where something is wrong with it, which is then told.

    Args:
        raw: What the file holds, with its places.
        checker: Takes the problems; its root leads by ``path`` to ``raw``.
        path: Where it stands in the config.
        default_name: Its name where it gives none.
    """
    data = Data()
    names = data.profile_names()
    like = raw.get("like")
    if like is not None and like not in names:
        checker.unknown("unknown_profile", (*path, "like"), str(like), names)
        return ()
    merged = _laid_over(_base(data, raw), raw)
    given = {"name": default_name, **_filled(merged)}
    try:
        profile = Profile.model_validate(given)
    except ValidationError as error:
        for found in error.errors(include_url=False):
            checker.add_invalid(Profile, path, dict(found))
        return ()
    unknown = [engine for engine in profile.engines if engine not in names]
    for engine in unknown:
        checker.unknown("unknown_profile", (*path, "engines"), engine, names)
    if unknown:
        return ()
    return (profile, *(builtin(engine)[0] for engine in profile.engines))


def _base(data: Data, raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a profile starts from, without what is said of that one alone."""
    like = raw.get("like")
    if not like:
        return {}
    above = data.profile(str(like))
    whole = _laid_over(_base(data, above), above)
    return {key: value for key, value in whole.items() if key not in _OWN}


def _laid_over(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """One mapping over another, key by key; lists and single values are replaced whole."""
    merged = dict(base)
    for key, value in own.items():
        under = merged.get(key)
        if isinstance(under, Mapping) and isinstance(value, Mapping):
            merged[key] = _laid_over(under, value)
        else:
            merged[key] = value
    return merged


def _filled(raw: Mapping[str, Any]) -> dict[str, Any]:
    """A profile without the keys that were left empty."""
    filled: dict[str, Any] = without_empty(dict(raw))
    return filled
