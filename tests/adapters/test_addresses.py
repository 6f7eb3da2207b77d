"""Addresses as they may be stored, logged and asked for again: without what opens a session."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.errors import without_secrets

SID = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        (f"http://f.test/viewtopic.php?t=7&sid={SID}&start=20#p9", "?t=7&start=20#p9"),
        (f"http://f.test/index.php?PHPSESSID={SID}&topic=2.20", "?topic=2.20"),
        ("http://f.test/index.php?action=post;topic=2.0;num_replies=3", None),
        (f"http://f.test/index.php?topic=2.20;e282d8bd452={SID}", "?topic=2.20"),
        (f"http://f.test/index.php?action=logout;e282d8bd452={SID}", "?action=logout"),
        ("http://f.test/member.php?action=logout&logoutkey=abc", "?action=logout"),
        ("http://f.test/a?my%5Fpost%5Fkey=abc&q=a%3Bb&e=", "?q=a%3Bb&e="),
        ("http://f.test/t?page=2&&x", "?page=2&x"),
    ],
)
def test_secrets_go_and_the_rest_stays_to_the_letter(address: str, kept: str | None) -> None:
    path = address.partition("?")[0]
    assert without_secrets(address) == (address if kept is None else f"{path}{kept}")


def test_a_name_and_password_before_the_host_go_too() -> None:
    assert without_secrets("http://ana:clave@f.test/x") == "http://f.test/x"


@given(st.lists(st.sampled_from(["t=7", f"sid={SID}", "page=2", f"s={SID}", "q=%C3%A9", ""])))
def test_what_was_cleaned_once_is_clean(pieces: list[str]) -> None:
    cleaned = without_secrets("http://f.test/x?" + ";".join(pieces))
    assert SID not in cleaned
    assert without_secrets(cleaned) == cleaned
