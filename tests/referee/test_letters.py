"""Secret declarations: said in the thread to come by private message, told at the lock."""

from collections.abc import Collection
from pathlib import Path
from typing import NoReturn

import pytest

from adapters.base import Http
from adapters.errors import AdapterError, BusyError, ForbiddenError, LayoutChangedError
from adapters.folder import Folder
from tests.referee.harness import Mesa


@pytest.fixture
def mesa(tmp_path: Path) -> Mesa:
    table = Mesa(tmp_path)
    table.begin()
    return table


def letter(mesa: Mesa, author: str, words: str) -> Path:
    folder = mesa.path / "hilos" / "privado"
    folder.mkdir(exist_ok=True)
    path = folder / f"{len(list(folder.iterdir())) + 1:04d}-{author}.md"
    path.write_text(words, encoding="utf-8")
    return path


SECRET = "[acción: ataque | Bandido 2]"


def test_a_secret_declaration_is_waited_for_hidden_and_told_at_the_lock(mesa: Mesa) -> None:
    mesa.post("lucia", "Lope calla. [acción: en secreto]")
    mesa.declare_all(skip=("Lope",))
    mesa.serve(2)
    assert mesa.rounds()[0].status == "declaring"
    assert "Lope (Lucía): falta su mensaje privado" in mesa.own_posts()[-1]

    letter(mesa, "lucia", f"Por la espalda. {SECRET}")
    mesa.serve(2)
    first = mesa.rounds()[0]
    assert first.locked["cause"] == "all_declared"
    attacks = [e for e in mesa.events() if e["type"] == "attack" and e["actor"] == "Lope"]
    assert [e["target"] for e in attacks] == ["Bandido 2"]
    told = "\n".join(mesa.own_posts())
    assert f'words "pm%3A0001-lucia" by lucia\n "{SECRET}"' in told
    assert "(por mensaje privado)" in told
    assert mesa.audit()["good"], mesa.audit()
    report = mesa.verify()
    assert report.verdict == "holds"
    assert "words_unposted" in {finding.code for finding in report.findings}


def test_nobody_reads_a_secret_before_the_lock(mesa: Mesa) -> None:
    mesa.post("lucia", "[acción: en secreto]")
    letter(mesa, "lucia", SECRET)
    mesa.serve(2)
    told = "\n".join(mesa.own_posts())
    assert "Bandido 2]" not in told
    assert "(en secreto)" in told
    assert "Lope (Lucía)" not in told.partition("Faltan")[2]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("[acción: ataqe | Bandidooo]", "no se entiende"),
        ("[acción: ataque | arma: arco]", "no se puede"),
    ],
)
def test_a_mistake_in_a_secret_is_told_without_giving_it_away(
    mesa: Mesa, words: str, sentence: str
) -> None:
    mesa.post("lucia", "[acción: en secreto]")
    letter(mesa, "lucia", words)
    mesa.serve(2)
    status = mesa.own_posts()[-1]
    assert sentence in status
    for part in ("ataq", "arco", "Bandidooo"):
        assert part not in status.partition("No cuenta todavía")[2]


def test_a_letter_that_nobody_announced_does_nothing(mesa: Mesa) -> None:
    letter(mesa, "lucia", SECRET)
    mesa.serve(2)
    assert "Lope (Lucía)" in mesa.own_posts()[-1].partition("Faltan")[2]


def test_the_newest_letter_counts_and_a_letter_of_an_earlier_round_does_not(mesa: Mesa) -> None:
    mesa.post("lucia", "[acción: en secreto]")
    letter(mesa, "lucia", "[acción: ataque | Bandido 1]")
    mesa.serve()
    letter(mesa, "lucia", SECRET)
    mesa.declare_all(skip=("Lope",))
    mesa.serve(2)
    attacks = [e for e in mesa.events() if e["type"] == "attack" and e["actor"] == "Lope"]
    assert [e["target"] for e in attacks] == ["Bandido 2"]
    mesa.post("lucia", "[acción: en secreto]")
    mesa.serve(2)
    assert "falta su mensaje privado" in mesa.own_posts()[-1]


def test_what_is_said_openly_afterwards_takes_its_place(mesa: Mesa) -> None:
    mesa.post("lucia", "[acción: en secreto]")
    letter(mesa, "lucia", SECRET)
    mesa.serve()
    mesa.post("lucia", "Mejor a la vista. [acción: ataque | Bandido 1]")
    mesa.declare_all(skip=("Lope",))
    mesa.serve(2)
    attacks = [e for e in mesa.events() if e["type"] == "attack" and e["actor"] == "Lope"]
    assert [e["target"] for e in attacks] == ["Bandido 1"]


def test_a_game_masters_commands_and_rolls_are_not_taken_from_letters(mesa: Mesa) -> None:
    mesa.post("lucia", "[acción: en secreto]")
    letter(mesa, "lucia", f"{SECRET} [tirada: 1d100]")
    before = len(mesa.own_posts())
    mesa.serve(2)
    assert len(mesa.own_posts()) == before
    assert mesa.log("rolled") == []


def test_a_letter_without_a_date_counts_in_one_thread_only(mesa: Mesa) -> None:
    head, threads, molino = mesa.config.read_text(encoding="utf-8").partition("threads:\n")
    both = f"{head}{threads}{molino}{molino.replace('molino', 'puente')}"
    mesa.config.write_text(both, encoding="utf-8")
    mesa.post("lucia", "[acción: en secreto]")
    letter(mesa, "lucia", SECRET)
    mesa.serve()
    assert "(en secreto)" in mesa.own_posts()[-1]
    puente = mesa.path / "hilos" / "puente"
    puente.mkdir()
    (puente / "0001-narradora.md").write_text("[árbitro: iniciar]", encoding="utf-8")
    mesa.serve(2, thread="puente")
    secret = puente / "0099-lucia.md"
    secret.write_text("[acción: en secreto]", encoding="utf-8")
    mesa.serve(thread="puente")
    told = [path.read_text(encoding="utf-8") for path in sorted(puente.glob("*-arbitro.md"))]
    assert "falta su mensaje privado" in told[-1]


def shut(monkeypatch: pytest.MonkeyPatch, error: AdapterError) -> None:
    """Let the mailbox be unreadable."""

    async def letters(self: Folder, http: Http, writers: Collection[str]) -> NoReturn:
        del self, http, writers
        raise error

    monkeypatch.setattr(Folder, "letters", letters)


UNREAD = "no he podido leer mis mensajes privados"


@pytest.mark.parametrize(
    "error",
    [
        ForbiddenError("https://foro/buzon", cure="check_permissions"),
        LayoutChangedError("https://foro/buzon", cure="send_page_to_maintainers", missing="a"),
        BusyError("https://foro/buzon", cure="server_error", status=500),
    ],
)
def test_a_mailbox_that_cannot_be_read_stops_nothing_and_the_status_says_so(
    mesa: Mesa, monkeypatch: pytest.MonkeyPatch, error: AdapterError
) -> None:
    shut(monkeypatch, error)
    mesa.post("lucia", "[acción: en secreto]")
    mesa.serve()
    assert UNREAD in mesa.own_posts()[-1]
    mesa.post("lucia", "Pues a la vista. [acción: ataque | Bandido 1]")
    mesa.declare_all(skip=("Lope",))
    mesa.serve(2)
    attacks = [e for e in mesa.events() if e["type"] == "attack" and e["actor"] == "Lope"]
    assert [e["target"] for e in attacks] == ["Bandido 1"]


def test_a_mailbox_that_opens_again_is_read_and_the_status_mended(
    mesa: Mesa, monkeypatch: pytest.MonkeyPatch
) -> None:
    mesa.post("lucia", "[acción: en secreto]")
    with monkeypatch.context() as while_shut:
        shut(while_shut, ForbiddenError("https://foro/buzon", cure="check_permissions"))
        mesa.serve()
    mesa.serve()
    assert UNREAD not in mesa.own_posts()[-1]
    assert "falta su mensaje privado" in mesa.own_posts()[-1]


def test_no_round_locks_while_a_busy_mailbox_may_hold_what_was_sent_in_time(
    mesa: Mesa, monkeypatch: pytest.MonkeyPatch
) -> None:
    mesa.post("lucia", "[acción: en secreto]")
    mesa.declare_all(skip=("Lope",))
    mesa.serve()
    letter(mesa, "lucia", SECRET)
    mesa.clock.forward(hours=49)
    with monkeypatch.context() as while_busy:
        shut(while_busy, BusyError("https://foro/buzon", cure="server_error", status=500))
        with pytest.raises(BusyError):
            mesa.serve()
    assert mesa.rounds()[0].status == "declaring"
    mesa.serve(2)
    attacks = [e for e in mesa.events() if e["type"] == "attack" and e["actor"] == "Lope"]
    assert [e["target"] for e in attacks] == ["Bandido 2"]


def test_a_site_that_asks_for_patience_gets_it(mesa: Mesa, monkeypatch: pytest.MonkeyPatch) -> None:
    shut(monkeypatch, BusyError("https://foro/buzon", cure="too_many_requests", wait_s=7))
    mesa.post("lucia", "[acción: en secreto]")
    with pytest.raises(BusyError):
        mesa.serve()
