"""The folder: names, headers, what is set aside, and writes that are whole or not at all."""

import os
from pathlib import Path

import pytest

from adapters.base import Account, Draft
from adapters.errors import (
    BusyError,
    ForbiddenError,
    GoneError,
    LayoutChangedError,
    LockedError,
    RefusedTextError,
)
from adapters.folder import POSTS_A_PAGE, Folder, author_id, own_words
from tests.adapters.worlds import StillHttp


@pytest.fixture
def base(tmp_path: Path) -> Path:
    (tmp_path / "duelo").mkdir()
    return tmp_path


@pytest.fixture
def folder(base: Path) -> Folder:
    return Folder(str(base), Account("Árbitro", ""))


def write(base: Path, name: str, text: str) -> Path:
    path = base / "duelo" / name
    path.write_text(text, encoding="utf-8")
    return path


async def page_of(folder: Folder, number: int = 1):
    url = folder.thread_url("duelo") + (f"?page={number}" if number > 1 else "")
    return await folder.fetch(StillHttp(), url)


async def test_a_post_is_its_files_name_and_text(base: Path, folder: Folder) -> None:
    write(base, "0001-lucia.md", "Desenvaino. [acción: ataque | objetivo: Bandido 1]\n")
    (post,) = (await page_of(folder)).posts
    assert (post.id, post.author_id, post.author_name) == ("0001-lucia", "lucia", "lucia")
    assert post.own_words == "Desenvaino. [acción: ataque | objetivo: Bandido 1]"


async def test_a_header_names_the_author_as_readers_see_him(base: Path, folder: Folder) -> None:
    write(base, "0001-x.txt", "Autor: Tomás el Zurdo\nFecha: 2026-11-30T19:05:00+01:00\n\nVoy.\n")
    (post,) = (await page_of(folder)).posts
    assert (post.author_id, post.author_name) == ("tomas-el-zurdo", "Tomás el Zurdo")
    assert post.own_words == "Voy."
    assert post.posted_at is not None
    assert post.posted_at.isoformat() == "2026-11-30T18:05:00+00:00"


async def test_prose_that_begins_like_a_header_is_prose(base: Path, folder: Folder) -> None:
    write(base, "0001-lucia.md", "Autor: de mis días\neres tú, padre.\n")
    (post,) = (await page_of(folder)).posts
    assert post.author_id == "lucia"
    assert post.own_words == "Autor: de mis días\neres tú, padre."


async def test_posts_stand_by_number_and_not_by_spelling(base: Path, folder: Folder) -> None:
    for name in ("10-b.md", "9-a.md", "0002-c.txt", "notes.md", ".0001-z.md", "0003-d.md~"):
        write(base, name, "texto")
    assert [post.id for post in (await page_of(folder)).posts] == ["0002-c", "9-a", "10-b"]


async def test_two_hands_that_pick_one_number_are_two_posts(base: Path, folder: Folder) -> None:
    write(base, "0001-lucia.md", "una")
    write(base, "0001-tomas.md", "otro")
    assert [post.own_words for post in (await page_of(folder)).posts] == ["una", "otro"]


async def test_one_name_in_two_files_is_an_error_with_a_cure(base: Path, folder: Folder) -> None:
    write(base, "0001-lucia.md", "una")
    write(base, "0001-lucia.txt", "otra")
    with pytest.raises(LayoutChangedError) as caught:
        await page_of(folder)
    assert caught.value.cure == "rename_one_post"


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("Lucía", "lucia"),
        ("  LUCIA ", "lucia"),
        ("Luci\u0301a", "lucia"),
        ("Íñigo O'Neill", "inigo-o-neill"),
        ("аna", "аna"),  # a Cyrillic look-alike stays somebody else
        ("🗡️", ""),
    ],
)
def test_a_name_folds_to_one_id(name: str, folded: str) -> None:
    assert author_id(name) == folded


@pytest.mark.parametrize(
    ("body", "own", "aside"),
    [
        ("> [acción: ataque]\n> > más\nMío.", "Mío.", "[acción: ataque]\nmás"),
        ("a\n```\n[acción: x]\n```\nb", "a\nb", "[acción: x]"),
        ("a\n~~~~ txt\n[x]\n~~~\n[y]\n~~~~~\nb", "a\nb", "[x]\n~~~\n[y]"),
        ("a\n```\n[acción: x]", "a", "[acción: x]"),
        ("Se escribe `[acción: x]` así.", "Se escribe   así.", "[acción: x]"),
        ("Tiro `1d20` y [acción: `x`].", "Tiro `1d20` y [acción: `x`].", ""),
        ("    [acción: x]", "[acción: x]", ""),
        ("<details>\n[acción: x]\n</details>", "<details>\n[acción: x]\n</details>", ""),
    ],
)
def test_quotes_and_code_are_set_aside(body: str, own: str, aside: str) -> None:
    assert own_words(body) == (own, aside)


async def test_a_long_thread_is_read_in_pages(base: Path, folder: Folder) -> None:
    for number in range(1, 2 * POSTS_A_PAGE + 2):
        write(base, f"{number:04d}-lucia.md", f"post {number}")
    first, second, third = [await page_of(folder, number) for number in (1, 2, 3)]
    assert first.next_url == second.url
    assert (second.previous_url, second.next_url) == (first.url, third.url)
    assert (third.next_url, third.last_url) == ("", third.url)
    assert [post.own_words for post in third.posts] == [f"post {2 * POSTS_A_PAGE + 1}"]
    past = await page_of(folder, 99)
    assert past.url == third.url


async def test_an_edit_and_only_an_edit_changes_the_digest(base: Path, folder: Folder) -> None:
    path = write(base, "0001-lucia.md", "una")
    before = await page_of(folder)
    assert (await page_of(folder)).digest == before.digest
    path.write_text("dos", encoding="utf-8")
    assert (await page_of(folder)).digest != before.digest


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", BusyError),
        (b"autor: x\n\n  \n", BusyError),
        (b"\xff\xfe\x00", LayoutChangedError),
        (b"x" * (2**18 + 1), LayoutChangedError),
    ],
)
async def test_a_file_that_is_no_post_yet_is_a_typed_error(
    base: Path, folder: Folder, content: bytes, error: type[Exception]
) -> None:
    (base / "duelo" / "0001-lucia.md").write_bytes(content)
    with pytest.raises(error):
        await page_of(folder)


async def test_neither_a_pipe_nor_a_link_is_followed(base: Path, folder: Folder) -> None:
    os.mkfifo(base / "duelo" / "0001-lucia.md")
    with pytest.raises(LayoutChangedError):
        await page_of(folder)
    (base / "duelo" / "0001-lucia.md").unlink()
    (base / "secreto.txt").write_text("clave", encoding="utf-8")
    (base / "duelo" / "0001-lucia.md").symlink_to(base / "secreto.txt")
    with pytest.raises(LayoutChangedError):
        await page_of(folder)


async def test_an_empty_or_missing_folder_is_an_error(base: Path, folder: Folder) -> None:
    with pytest.raises(LayoutChangedError):
        await page_of(folder)
    (base / "duelo").rmdir()
    with pytest.raises(GoneError):
        await page_of(folder)


@pytest.mark.parametrize("topic", ["..", "../otro", "/etc", "duelo/../../x", "file:///etc"])
def test_no_topic_leads_out_of_the_directory(folder: Folder, topic: str) -> None:
    with pytest.raises(GoneError):
        folder.thread_url(topic)


def test_a_link_does_not_lead_out_of_the_directory(tmp_path: Path) -> None:
    (tmp_path / "dentro").mkdir()
    (tmp_path / "fuera").mkdir()
    (tmp_path / "dentro" / "duelo").symlink_to(tmp_path / "fuera")
    with pytest.raises(GoneError):
        Folder(str(tmp_path / "dentro")).thread_url("duelo")


async def test_a_reply_is_the_next_number_and_reads_back(base: Path, folder: Folder) -> None:
    write(base, "0007-lucia.md", "una")
    draft = await folder.draft(StillHttp(), "duelo")
    posted = await folder.send(StillHttp(), draft, "Autor: nadie\n\n[b] ref-bcdfghjk")
    assert posted.post_id == "0008-arbitro"
    last = (await page_of(folder)).posts[-1]
    assert (last.id, last.author_id, last.author_name) == ("0008-arbitro", "arbitro", "Árbitro")
    assert last.own_words == "Autor: nadie\n\n[b] ref-bcdfghjk"
    assert sorted(path.name for path in (base / "duelo").iterdir()) == [
        "0007-lucia.md",
        "0008-arbitro.md",
    ]


async def test_one_draft_is_one_post_however_often_it_is_sent(base: Path, folder: Folder) -> None:
    write(base, "0001-lucia.md", "una")
    draft = await folder.draft(StillHttp(), "duelo")
    first = await folder.send(StillHttp(), draft, "ronda 1")
    write(base, "0003-lucia.md", "otra")
    again = await folder.send(StillHttp(), draft, "ronda 1")
    other = await folder.send(StillHttp(), draft, "ronda 2")
    assert first == again
    assert [post.id for post in (await page_of(folder)).posts] == [
        "0001-lucia",
        "0002-arbitro",
        "0003-lucia",
        "0004-arbitro",
    ]
    assert other.post_id == "0004-arbitro"


@pytest.mark.parametrize("step", ["folder: written", "folder: in place"])
async def test_a_death_in_mid_write_leaves_a_whole_post_or_none(base: Path, step: str) -> None:
    write(base, "0001-lucia.md", "una")

    def die(reached: str) -> None:
        if reached == step:
            raise KeyboardInterrupt

    dying = Folder(str(base), Account("árbitro", ""), checkpoint=die)
    draft = await dying.draft(StillHttp(), "duelo")
    with pytest.raises(KeyboardInterrupt):
        dying._write(base / "duelo", draft, "ronda 1")  # noqa: SLF001 - a thread would eat it
    living = Folder(str(base), Account("árbitro", ""))
    words = [post.own_words for post in (await page_of(living)).posts]
    assert words == (["una"] if step == "folder: written" else ["una", "ronda 1"])
    await living.send(StillHttp(), draft, "ronda 1")
    assert [post.own_words for post in (await page_of(living)).posts] == ["una", "ronda 1"]


async def test_two_referees_at_once_overwrite_nothing(base: Path) -> None:
    write(base, "0001-lucia.md", "una")

    def interfere(reached: str) -> None:
        if reached == "folder: written" and not (base / "duelo" / "0002-arbitro.md").exists():
            write(base, "0002-arbitro.md", "del otro árbitro")

    late = Folder(str(base), Account("árbitro", ""), checkpoint=interfere)
    posted = await late.send(StillHttp(), await late.draft(StillHttp(), "duelo"), "ronda 1")
    assert posted.post_id == "0003-arbitro"
    words = [post.own_words for post in (await page_of(late)).posts]
    assert words == ["una", "del otro árbitro", "ronda 1"]


async def test_only_the_referees_own_post_can_be_edited(base: Path, folder: Folder) -> None:
    write(base, "0001-lucia.md", "una")
    posted = await folder.send(StillHttp(), await folder.draft(StillHttp(), "duelo"), "estado")
    draft = await folder.draft(StillHttp(), "duelo", edits=posted.post_id)
    assert await folder.send(StillHttp(), draft, "estado 2") == posted
    assert (await page_of(folder)).posts[-1].own_words == "estado 2"
    with pytest.raises(ForbiddenError):
        await folder.draft(StillHttp(), "duelo", edits="0001-lucia")
    with pytest.raises(GoneError):
        await folder.draft(StillHttp(), "duelo", edits="0009-arbitro")


@pytest.mark.parametrize("name", ["CLOSED", "cerrado", "Cerrado.txt"])
async def test_a_closed_thread_is_read_but_not_written(
    base: Path, folder: Folder, name: str
) -> None:
    write(base, "0001-lucia.md", "una")
    draft = await folder.draft(StillHttp(), "duelo")
    write(base, name, "")
    assert (await page_of(folder)).locked is True
    with pytest.raises(LockedError):
        await folder.draft(StillHttp(), "duelo")
    with pytest.raises(LockedError):
        await folder.send(StillHttp(), draft, "ronda 1")


@pytest.mark.parametrize("text", ["", " \n", "x" * 60_001])
async def test_a_text_that_is_no_post_is_refused(base: Path, folder: Folder, text: str) -> None:
    write(base, "0001-lucia.md", "una")
    draft = await folder.draft(StillHttp(), "duelo")
    with pytest.raises(RefusedTextError):
        await folder.send(StillHttp(), draft, text)


async def test_login_needs_a_directory_and_a_name(base: Path) -> None:
    assert await Folder(base.as_uri(), Account("Árbitro", "")).login(StillHttp()) == "arbitro"
    with pytest.raises(GoneError):
        await Folder(str(base / "nada")).login(StillHttp())
    with pytest.raises(ForbiddenError):
        await Folder(str(base), Account("🎲", "")).login(StillHttp())


async def test_a_stored_draft_of_another_folder_is_not_followed(folder: Folder) -> None:
    with pytest.raises(GoneError):
        await folder.send(StillHttp(), Draft("file:///etc", {"number": "1"}, 0.0), "ronda 1")


async def test_what_a_killed_referee_left_half_written_is_cleared_away(
    base: Path, folder: Folder
) -> None:
    write(base, "0001-lucia.md", "una")
    left = base / "duelo" / ".referee-abcd1234.tmp"
    left.write_text("ronda", encoding="utf-8")
    somebody_elses = base / "duelo" / ".nota.tmp"
    somebody_elses.write_text("de otro programa", encoding="utf-8")
    await folder.send(StillHttp(), await folder.draft(StillHttp(), "duelo"), "ronda 1")
    assert not left.exists()
    assert somebody_elses.exists()


async def test_what_another_referee_is_writing_now_is_left_alone(base: Path) -> None:
    write(base, "0001-lucia.md", "una")
    seen: list[list[str]] = []

    def meanwhile(reached: str) -> None:
        if reached == "folder: written" and not seen:
            seen.append([])
            other = Folder(str(base), Account("otra", ""))
            other._write(base / "duelo", Draft("", {"number": "2"}, 0.0), "de la otra")  # noqa: SLF001 - there is one loop, and it is busy here
            seen[0] += [path.name for path in (base / "duelo").glob(".referee-*")]

    late = Folder(str(base), Account("árbitro", ""), checkpoint=meanwhile)
    await late.send(StillHttp(), await late.draft(StillHttp(), "duelo"), "ronda 1")
    assert len(seen[0]) == 1
    words = [post.own_words for post in (await page_of(late)).posts]
    assert sorted(words) == ["de la otra", "ronda 1", "una"]
    assert list((base / "duelo").glob(".referee-*")) == []
