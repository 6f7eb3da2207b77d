"""What tests of adapters share."""

from typing import Any

import pytest

from adapters.http import PoliteHttp


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Sizes of the answers to all requests, as they are made."""
    sizes: list[int] = []
    exchange = PoliteHttp._exchange  # noqa: SLF001 - the one place through which all requests go

    async def counted(http: PoliteHttp, request: Any) -> Any:
        raw = await exchange(http, request)
        sizes.append(len(raw.body))
        return raw

    monkeypatch.setattr(PoliteHttp, "_exchange", counted)
    return sizes
