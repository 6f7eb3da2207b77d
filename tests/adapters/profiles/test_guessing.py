"""Guesses about pages: whose software, which profile, and what a profile for it would be."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters import phpbb
from adapters.errors import AdapterError
from adapters.guessing import census, doors_of, draught, platform_of, reads
from adapters.pages import Reader, engine_for
from adapters.profile import Profile
from referee.profiles import builtin, builtin_names
from tests.adapters.profiles.construct import ADAPTERS, MAKERS
from tests.adapters.profiles.reading import good_profile

CAPTURES = ADAPTERS / "captures"
ADDRESSES = {
    "phpbb": "http://foro.test/viewtopic.php?t=2",
    "mybb": "http://foro.test/showthread.php?tid=1",
    "smf": "http://foro.test/index.php?topic=2.0",
    "flaskbb": "http://foro.test/topic/1",
    "machina": "http://foro.test/forum/forum/1-partida/topic/1-escena/",
    "spirit": "http://foro.test/topic/1/escena/",
}


def captured(platform: str) -> str:
    return (CAPTURES / platform / "topic-p1-en.html").read_text(encoding="utf-8")


def constructed(profile: str) -> tuple[str, str]:
    path = min((ADAPTERS / profile).glob("*-p1.html"))
    (url,) = [
        line.removeprefix("url: ")
        for line in path.with_suffix(".yaml").read_text(encoding="utf-8").splitlines()
        if line.startswith("url: ")
    ]
    return path.read_text(encoding="utf-8"), url


@pytest.mark.parametrize("platform", ADDRESSES)
def test_a_page_is_known_by_its_marks(platform: str) -> None:
    assert platform_of(captured(platform)) == platform


@pytest.mark.parametrize("profile", MAKERS)
def test_a_page_of_a_profiles_forum_is_known(profile: str) -> None:
    text, _url = constructed(profile)
    known = "foroactivo" if profile.startswith("foroactivo") else profile
    assert platform_of(text) == f"profile:{known}"


def test_what_has_no_mark_is_called_by_its_generator_or_nothing() -> None:
    assert platform_of('<meta name="generator" content="Zeta 3">') == "Zeta 3"
    assert platform_of("<html></html>") == ""


@pytest.mark.parametrize("profile", MAKERS)
def test_only_profiles_of_the_same_forum_read_a_page(profile: str) -> None:
    text, url = constructed(profile)
    fits = {name for name in builtin_names() if reads(text, url, builtin(name))}
    assert profile in fits
    assert {name.partition("-")[0] for name in fits} == {profile.partition("-")[0]}


@pytest.mark.parametrize("platform", ADDRESSES)
def test_no_shipped_profile_reads_another_platform(platform: str) -> None:
    fits = [
        name
        for name in builtin_names()
        if reads(captured(platform), ADDRESSES[platform], builtin(name))
    ]
    assert fits == []


@pytest.mark.parametrize("platform", ADDRESSES)
def test_a_draught_reads_the_page_that_it_was_made_from(platform: str) -> None:
    text, url = captured(platform), ADDRESSES[platform]
    found = draught(text, url, {})
    assert found is not None
    page = Reader((Profile.model_validate(found.profile),)).read(text, url)
    posts = page.posts
    assert len(posts) == {"spirit": 20, "machina": 15}.get(platform, 10)
    assert len({post.id for post in posts}) == len(posts)
    assert {post.author_name for post in posts} == {"Narradora", "Lucía", "Tomás", "Wren"}
    assert len({post.author_id for post in posts}) == 4
    for number, tag in ((1, "[acción: ataque | objetivo: Bandido"), (3, "short sword")):
        assert tag in posts[number].own_words
    # Whoever takes the draught as it is must not find signatures obeyed.
    assert not any("Firma" in post.own_words or "signature]" in post.own_words for post in posts)
    if platform != "flaskbb":  # its links to other pages stand in a list without addresses
        assert page.next_url


def test_a_draught_of_phpbb_reads_what_its_adapter_reads() -> None:
    text, url = captured("phpbb"), ADDRESSES["phpbb"]
    found = draught(text, url, {})
    assert found is not None
    ours = Reader((Profile.model_validate(found.profile),)).read(text, url)
    theirs = phpbb.parse_thread(text, url)
    assert [(p.id, p.author_id, p.author_name, p.own_words) for p in ours.posts] == [
        (p.id, p.author_id, p.author_name, p.own_words) for p in theirs.posts
    ]
    assert (ours.url, ours.next_url, ours.viewer_id) == (
        theirs.url, theirs.next_url, theirs.viewer_id,
    )  # fmt: skip


def test_a_page_without_posts_gives_no_draught() -> None:
    text = "<html><body><p>Hola</p><a href='/u/3'>x</a></body></html>"
    assert draught(text, "http://foro.test/tema/3", {}) is None


def test_the_doors_of_a_page_lead_to_its_login_and_its_reply() -> None:
    text = (ADAPTERS / "phpbb" / "topic-p1-guest-en.html").read_text(encoding="utf-8")
    doors = doors_of(text, "http://127.0.0.1:8101/viewtopic.php?t=2")
    assert "mode=login" in doors["login"]
    assert "sid=" not in doors["login"]
    assert doors_of(text, "http://otro.test/viewtopic.php?t=2") != doors


def test_the_census_counts_posts_and_marks() -> None:
    text, url = constructed("foroactivo-phpbb2")
    profile = engine_for(text, url, builtin("foroactivo"))
    assert profile.name == "foroactivo-phpbb2"
    rows = {row.field: (row.found, row.of) for row in census(text, url, profile)}
    assert rows["posts.container"] == (15, 0)
    assert rows["posts.body"] == rows["posts.author.id"] == (15, 15)
    assert rows["page.viewer"] == (1, 0)
    wrong = {row.field: row.found for row in census(text, url, good_profile("phpbb")[0])}
    assert wrong["posts.container"] == 0


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_no_page_however_mangled_makes_a_guess_crash(data: st.DataObject) -> None:
    text = captured(data.draw(st.sampled_from(sorted(ADDRESSES))))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text) - 1))
        end = min(len(text), start + data.draw(st.integers(1, 3000)))
        text = (
            text[:start]
            + data.draw(st.sampled_from(["", "<div>", "</table>", "\0", "&#x"]))
            + text[end:]
        )
    platform_of(text)
    try:
        found = draught(text, "http://foro.test/viewtopic.php?t=2", {})
        doors_of(text, "http://foro.test/viewtopic.php?t=2")
    except AdapterError:
        return
    if found is not None:
        reads(text, "http://foro.test/viewtopic.php?t=2", (Profile.model_validate(found.profile),))
