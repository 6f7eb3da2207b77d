"""Never twice, never lost: what becomes of a post, answer by answer."""

import random
import re
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.base import MARK as MARKS
from adapters.base import Draft, Http, Posted
from adapters.errors import (
    ForbiddenError,
    GoneError,
    LockedError,
    LoggedOutError,
    NotSentError,
    RefusedTextError,
    UnreachableError,
)
from referee.posting import REFUSED_WAIT, next_to_send
from referee.reading import MAX_PAGES_A_POLL
from referee.table import mark_of
from tests.referee.scripted import PLAIN, THREAD, Mill, Office, logged_out, raising

MARK = "ref-bcdfghjk"
OTHER = "ref-mnpqrstv"
SETTLE_S = PLAIN.settle_s


def with_tokens(office: Office, lifetime_s: float = 3600.0) -> None:
    """Let the forum guard a form against being sent twice."""
    office.forum.capabilities = replace(PLAIN, token_lifetime_s=lifetime_s)


async def test_an_answer_with_a_post_id_ends_it(office: Office) -> None:
    office.put_out(MARK)
    assert await office.deliver() == 1
    row = office.row()
    assert (row.state, row.post_id, row.draft) == ("posted", "p1", {})
    at = office.clock.now().isoformat()
    assert office.log("posted") == [
        {"kind": "posted", "at": at, "by": "", "outbox": row.id, "post": "p1"}
    ]


async def test_the_attempt_and_its_token_are_kept_before_the_socket_opens(office: Office) -> None:
    office.put_out(MARK)
    seen = []

    def look(draft: Draft, text: str) -> Posted:
        seen.append(office.row())
        return office.forum.lands(draft, text)

    office.forum.answers = [look]
    await office.deliver()
    (row,) = seen
    assert row.state == "sending"
    assert row.attempted_at == office.clock.now()
    assert row.draft["fields"] == {"token": "t1"}


@pytest.mark.parametrize(
    "error",
    [
        LockedError("mem:", cure="thread_is_locked"),
        ForbiddenError("mem:", cure="check_permissions"),
        GoneError("mem:", cure="mend_address"),
        RefusedTextError("mem:", cure="mend_text"),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("where", ["form", "send"])
async def test_a_refusal_waits_its_own_wait_and_is_tried_again(
    office: Office, error: LockedError, where: str
) -> None:
    office.put_out(MARK)
    if where == "form":
        office.forum.form_errors = [error]
    else:
        office.forum.answers = [raising(error)]
    assert await office.deliver() == 0
    row = office.row()
    assert (row.state, row.error["code"]) == ("refused", type(error).__name__)
    assert row.not_before == office.clock.now() + REFUSED_WAIT

    asked = len(office.forum.asked)
    office.clock.forward(minutes=14)
    assert await office.deliver() == 0
    assert len(office.forum.asked) == asked

    office.clock.forward(minutes=1)
    assert await office.deliver() == 1
    assert office.row().state == "posted"
    assert len(office.forum.texts()) == 1


async def test_a_flood_limit_waits_as_long_as_the_forum_says(office: Office) -> None:
    office.put_out(MARK)
    office.forum.answers = [raising(NotSentError("mem:", cure="flood", wait_s=40))]
    await office.deliver()
    assert office.row().state == "pending"

    office.clock.forward(seconds=39)
    await office.deliver()
    assert office.forum.texts() == []

    office.clock.forward(seconds=1)
    await office.deliver()
    assert len(office.forum.texts()) == 1


async def test_refusals_without_a_wait_come_ever_more_slowly(office: Office) -> None:
    office.put_out(MARK)
    waits = []
    for _ in range(12):
        office.forum.answers = [raising(NotSentError("mem:", cure="read_forum_message"))]
        await office.deliver()
        not_before = office.row().not_before
        assert not_before is not None
        waits.append((not_before - office.clock.now()).total_seconds())
        office.clock.forward(seconds=waits[-1])
    assert waits[:4] == [15, 30, 60, 120]
    assert waits == sorted(waits)
    assert waits[-1] == 3600


async def test_a_post_that_was_never_sent_is_sent_anew(office: Office) -> None:
    office.put_out(MARK)
    office.forum.answers = [raising(UnreachableError("mem:", cure="unreachable"))]
    with pytest.raises(UnreachableError):
        await office.deliver()
    assert office.row().state == "pending"
    office.clock.forward(minutes=1)
    await office.deliver()
    assert office.forum.texts() == [f"Asalto. {MARK}"]


async def test_an_unknown_post_is_found_by_its_mark(office: Office) -> None:
    office.put_out(MARK)
    office.forum.answers = [office.forum.lands_unheard]
    assert await office.deliver() == 0
    assert office.row().state == "unknown"

    assert await office.deliver() == 1
    assert (office.row().state, office.row().post_id) == ("posted", "p1")
    assert office.forum.asked.count("send") == 1


async def test_an_unknown_post_is_found_on_the_page_before_the_last(office: Office) -> None:
    office.forum.per_page = 3
    office.put_out(MARK)
    office.forum.answers = [office.forum.lands_unheard]
    await office.deliver()
    for word in ("Uno", "Dos", "Tres", "Cuatro"):
        office.forum.post("lucia", word)

    await office.deliver()
    assert (office.row().state, office.row().post_id) == ("posted", "p1")
    assert office.forum.texts() == [f"Asalto. {MARK}"]


async def test_an_unknown_post_is_not_sent_anew_before_its_window_has_passed(
    office: Office,
) -> None:
    office.forum.post("lucia", "Espero.")
    office.put_out(MARK)
    office.forum.answers = [office.forum.is_lost]
    await office.deliver()

    office.clock.forward(seconds=SETTLE_S - 1)
    assert await office.deliver() == 0
    assert office.row().state == "unknown"
    assert office.forum.asked.count("send") == 1

    office.clock.forward(seconds=1)
    # One row, settled twice over: it never landed, and then it was sent.
    await office.deliver()
    assert office.row().state == "posted"
    assert office.forum.texts() == [f"Asalto. {MARK}"]


async def test_the_window_begins_when_the_client_has_gone(office: Office) -> None:
    office.forum.post("lucia", "Espero.")
    office.put_out(MARK)

    def trickles(draft: Draft, text: str) -> Posted:
        office.clock.forward(seconds=60)
        return office.forum.lands_late(draft, text)

    office.forum.answers = [trickles]
    await office.deliver()
    office.clock.forward(seconds=SETTLE_S - 1)
    assert await office.deliver() == 0
    office.forum.land_late()
    office.clock.forward(seconds=1)
    await office.deliver()
    assert office.forum.texts() == [f"Asalto. {MARK}"]


async def test_a_page_that_cannot_be_read_proves_nothing(office: Office) -> None:
    office.forum.post("lucia", "Espero.")
    office.put_out(MARK)
    office.forum.answers = [office.forum.lands_late]
    await office.deliver()
    office.clock.forward(seconds=SETTLE_S + 1)
    office.forum.read_errors = [UnreachableError("mem:", cure="unreachable")]
    with pytest.raises(UnreachableError):
        await office.deliver()
    office.forum.land_late()
    await office.deliver()
    assert office.forum.texts() == [f"Asalto. {MARK}"]


async def test_a_thread_that_was_not_read_to_its_end_proves_nothing(office: Office) -> None:
    office.forum.per_page = 1
    office.forum.post("lucia", "Espero.")
    await office.visit()
    office.put_out(MARK)
    office.forum.answers = [office.forum.is_lost]
    await office.deliver()
    for number in range(MAX_PAGES_A_POLL):
        office.forum.post("lucia", f"Mensaje {number}.")
    office.forum.lands(Draft("mem:", {"token": "t1"}, made_at=0.0), f"Asalto. {MARK}")
    office.clock.forward(seconds=SETTLE_S)
    assert await office.deliver() == 0
    await office.deliver()
    assert office.row().state == "posted"
    assert office.forum.texts() == [f"Asalto. {MARK}"]


async def test_a_post_that_lands_within_its_window_is_not_sent_again(office: Office) -> None:
    office.forum.post("lucia", "Espero.")
    office.put_out(MARK)
    office.forum.answers = [office.forum.lands_late]
    await office.deliver()
    office.clock.forward(seconds=60)
    await office.deliver()
    office.forum.land_late()
    office.clock.forward(seconds=60)
    await office.deliver()
    assert office.row().post_id == "p2"
    assert office.forum.texts() == [f"Asalto. {MARK}"]


async def test_the_same_form_is_sent_again_while_its_token_lives(office: Office) -> None:
    with_tokens(office)
    office.forum.post("lucia", "Espero.")
    office.put_out(MARK)
    office.forum.answers = [office.forum.is_lost]
    await office.deliver()
    office.clock.forward(seconds=10)
    assert await office.deliver() == 1
    first, second = office.forum.sent
    assert first == second
    assert office.forum.asked.count("draft") == 1
    assert office.forum.texts() == [f"Asalto. {MARK}"]


async def test_a_form_whose_token_has_died_is_not_sent_again(office: Office) -> None:
    with_tokens(office, lifetime_s=30)
    office.forum.post("lucia", "Espero.")
    office.put_out(MARK)
    office.forum.answers = [office.forum.is_lost]
    await office.deliver()
    office.clock.forward(seconds=31)
    assert await office.deliver() == 0
    assert office.forum.asked.count("send") == 1


async def test_the_forum_itself_refuses_the_twin_of_a_form_that_landed(office: Office) -> None:
    with_tokens(office)
    office.forum.post("lucia", "Espero.")
    office.put_out(MARK)
    # It has landed, but no page shows it yet: the forum alone knows.
    office.forum.answers = [office.forum.lands_unheard]
    await office.deliver()
    office.forum.posts[-1].shown = False
    await office.deliver()
    assert office.row().post_id == "p2"
    assert office.forum.texts() == [f"Asalto. {MARK}"]


@pytest.mark.parametrize(
    "error",
    [
        NotSentError("mem:", cure="flood", wait_s=5),
        NotSentError("mem:", cure="load_form_again"),
        LockedError("mem:", cure="thread_is_locked"),
        UnreachableError("mem:", cure="unreachable"),
        logged_out(),
    ],
    ids=lambda error: f"{type(error).__name__}-{error.cure}",
)
async def test_a_second_sending_that_is_refused_says_nothing_of_the_first(
    office: Office, error: NotSentError
) -> None:
    """The first may be on its way still: only its window and the thread can tell."""
    with_tokens(office)
    office.forum.post("lucia", "Espero.")
    office.put_out(MARK)
    office.forum.answers = [office.forum.lands_late, raising(error)]
    await office.deliver()
    office.clock.forward(seconds=10)
    try:
        await office.deliver()
    except (UnreachableError, LoggedOutError):
        assert isinstance(error, (UnreachableError, LoggedOutError))
    assert office.row().state == "unknown"

    office.clock.forward(seconds=20)
    await office.deliver()
    office.forum.land_late()
    for _ in range(3):
        office.clock.forward(minutes=20)
        await office.deliver()
    assert office.row().state == "posted"
    assert office.forum.texts() == [f"Asalto. {MARK}"]


async def test_a_twin_is_found_by_its_mark(office: Office) -> None:
    office.forum.post("lucia", "Espero.")
    office.put_out(MARK)
    office.forum.answers = [office.forum.lands_late]
    await office.deliver()
    office.clock.forward(seconds=SETTLE_S)
    await office.deliver()
    assert office.row().post_id == "p2"
    office.forum.land_late()
    await office.visit()
    assert office.twins == ["p3"]
    assert office.row().post_id == "p2"


async def test_a_mark_in_somebody_elses_post_never_counts(office: Office) -> None:
    office.put_out(MARK)
    office.forum.answers = [office.forum.is_lost]
    await office.deliver()
    office.forum.post("lucia", f"Asalto. {MARK}")
    office.clock.forward(seconds=SETTLE_S - 1)
    await office.deliver()
    assert office.row().state == "unknown"
    office.clock.forward(seconds=1)
    await office.deliver()
    assert office.row().post_id == "p2"


async def test_a_post_that_waits_for_its_moderator_is_posted_and_found_when_it_shows(
    office: Office,
) -> None:
    office.forum.post("lucia", "Espero.")
    office.put_out(MARK)
    office.forum.answers = [office.forum.waits_for_approval]
    assert await office.deliver() == 1
    row = office.row()
    assert (row.state, row.post_id, row.error) == ("posted", "", {"code": "awaits_approval"})

    office.clock.forward(hours=5)
    await office.deliver()
    assert office.forum.asked.count("send") == 1

    office.forum.posts[-1].shown = True
    await office.visit()
    row = office.row()
    assert (row.state, row.post_id, row.error) == ("posted", "p2", {})
    assert office.twins == []


async def test_a_post_that_the_forum_swallows_again_and_again_is_sent_ever_more_seldom(
    office: Office,
) -> None:
    office.forum.post("lucia", "Espero.")
    with_tokens(office)
    office.put_out(MARK)
    office.forum.answers = [office.forum.is_lost] * 200
    begun, sent = office.clock.now(), []
    for _minute in range(8 * 60):
        before = office.forum.asked.count("send")
        await office.deliver()
        if office.forum.asked.count("send") > before:
            sent.append((office.clock.now() - begun).total_seconds())
        office.clock.forward(minutes=1)
    waits = [later - earlier for earlier, later in pairwise(sent)]
    assert waits == sorted(waits)
    assert waits[0] <= 120
    assert waits[-1] == 3600
    assert len(sent) < 20

    office.forum.answers = []
    office.clock.forward(hours=1)
    await office.deliver()
    assert len(office.forum.texts()) == 1


async def test_a_swallowed_post_that_lands_late_is_found_though_it_is_not_looked_for(
    office: Office,
) -> None:
    office.forum.post("lucia", "Espero.")
    with_tokens(office)
    office.put_out(MARK)
    office.forum.answers = [office.forum.lands_late, office.forum.is_lost, office.forum.is_lost]
    for _ in range(3):
        await office.deliver()
        office.clock.forward(minutes=2)
    assert office.row().not_before is not None
    office.forum.land_late()
    await office.visit()
    assert (office.row().state, office.row().post_id) == ("posted", "p2")
    assert await office.deliver() == 0
    assert len(office.forum.texts()) == 1


async def test_an_edit_of_a_post_that_waits_for_its_moderator_waits_with_it(
    office: Office,
) -> None:
    office.forum.post("lucia", "Espero.")
    office.put_out(MARK, "Faltan dos.")
    office.forum.answers = [office.forum.waits_for_approval]
    await office.deliver()
    office.put_out(MARK, "Falta uno.", edits=MARK)
    office.put_out(OTHER, "Aparte.")
    await office.deliver()
    assert office.forum.texts() == [f"Faltan dos. {MARK}", f"Aparte. {OTHER}"]

    office.forum.posts[1].shown = True
    await office.visit()
    await office.deliver()
    assert office.forum.texts()[0] == f"Falta uno. {MARK}"
    assert [row.state for row in office.rows()] == ["posted"] * 3


async def test_what_a_moderator_lets_through_is_noticed(office: Office) -> None:
    office.forum.post("lucia", "Espero.")
    office.put_out(MARK)
    await office.deliver()
    office.forum.posts[-1].waits = True
    await office.visit(thorough=True)
    assert office.row().error == {"code": "awaits_approval"}

    office.forum.posts[-1].waits = False
    await office.visit(thorough=True)
    assert (office.row().state, office.row().error) == ("posted", {})
    assert [entry["post"] for entry in office.log("approved")] == ["p2"]


async def test_what_a_moderator_does_not_let_through_is_noticed_and_not_sent_again(
    office: Office,
) -> None:
    office.forum.post("lucia", "Espero.")
    office.put_out(MARK)
    await office.deliver()
    office.forum.posts[-1].waits = True
    office.forum.post("tomas", "Yo también.")
    await office.visit(thorough=True)

    office.forum.posts[1].shown = False
    await office.visit(thorough=True)
    await office.deliver()
    assert (office.row().state, office.row().error) == ("posted", {"code": "not_approved"})
    assert [entry["post"] for entry in office.log("not_approved")] == ["p2"]
    assert office.forum.asked.count("send") == 1


async def test_a_dead_session_between_form_and_sending_loses_nothing(office: Office) -> None:
    office.put_out(MARK)
    office.forum.answers = [raising(logged_out())]
    with pytest.raises(LoggedOutError):
        await office.deliver()
    assert (office.row().state, office.row().not_before) == ("pending", None)
    assert await office.deliver() == 1
    assert office.forum.texts() == [f"Asalto. {MARK}"]


async def test_a_crash_while_sending_is_read_back_like_any_unknown_end(office: Office) -> None:
    office.forum.post("lucia", "Espero.")
    office.put_out(MARK)

    class Killed(BaseException):
        """What kill -9 leaves behind: nothing after it is run."""

    def dies(draft: Draft, text: str) -> Posted:
        office.forum.lands(draft, text)
        raise Killed

    office.forum.answers = [dies]
    with pytest.raises(Killed):
        await office.deliver()
    assert office.row().state == "sending"
    assert await office.deliver() == 1
    assert office.row().post_id == "p2"
    assert office.forum.texts() == [f"Asalto. {MARK}"]


async def test_a_crash_before_sending_is_sent_after_its_window(office: Office) -> None:
    office.forum.post("lucia", "Espero.")
    office.put_out(
        MARK,
        state="sending",
        attempts=1,
        attempted_at=office.clock.now(),
        draft={"url": "mem:", "fields": {"token": "t0"}, "made_at": 0.0, "edits": ""},
    )
    assert await office.deliver() == 0
    office.clock.forward(seconds=SETTLE_S)
    await office.deliver()
    assert office.forum.texts() == [f"Asalto. {MARK}"]


async def test_after_a_crash_the_window_begins_with_the_restart(office: Office) -> None:
    office.forum.post("lucia", "Espero.")
    form = {"url": "mem:", "fields": {"token": "t0"}, "made_at": 0.0, "edits": ""}
    office.put_out(MARK, state="sending", attempts=1, attempted_at=office.clock.now(), draft=form)
    # Nobody knows how long it went on before it died.
    office.clock.forward(hours=1)
    assert await office.deliver() == 0
    office.forum.lands(Draft("mem:", {"token": "t0"}, made_at=0.0), f"Asalto. {MARK}")
    office.clock.forward(seconds=SETTLE_S)
    await office.deliver()
    assert office.forum.texts() == [f"Asalto. {MARK}"]


@pytest.mark.parametrize("text", ["Asalto.", "Otro."], ids=["sent", "written anew"])
async def test_a_row_that_somebody_else_has_taken_meanwhile_is_not_sent(
    office: Office, text: str
) -> None:
    # Two referees on one outbox: somebody has started the daemon twice.
    office.forum.post("lucia", "Espero.")
    office.put_out(MARK)
    load_form = office.forum.draft

    async def slowly(http: Http, topic: str, *, edits: str = "") -> Draft:
        draft = await load_form(http, topic, edits=edits)
        office.forum.draft = load_form
        if text == "Otro.":
            with office.store.transaction("write anew") as records:
                records.set_outbox(office.row().id, text=f"{text} {MARK}")
        await office.deliver()
        return draft

    office.forum.draft = slowly
    assert await office.deliver() == 0
    assert office.forum.texts() == [f"{text} {MARK}"]


async def test_the_outbox_is_sent_in_its_order(office: Office) -> None:
    office.put_out(MARK, "Primero.")
    office.put_out(OTHER, "Segundo.")
    office.forum.answers = [raising(NotSentError("mem:", cure="flood", wait_s=30))]
    await office.deliver()
    assert office.forum.texts() == []
    office.clock.forward(seconds=30)
    assert await office.deliver() == 2
    assert office.forum.texts() == [f"Primero. {MARK}", f"Segundo. {OTHER}"]


async def test_what_waits_for_review_holds_up_nothing(office: Office) -> None:
    office.put_out(MARK, "Lee esto antes.", state="review")
    office.put_out(OTHER, "Segundo.")
    assert await office.deliver() == 1
    assert office.forum.texts() == [f"Segundo. {OTHER}"]
    assert office.row(0).state == "review"


async def test_a_form_waits_until_it_is_old_enough(office: Office) -> None:
    office.forum.capabilities = replace(PLAIN, min_form_age_s=3)
    office.put_out(MARK)
    before = office.clock.now()
    await office.deliver()
    assert office.row().attempted_at == before + timedelta(seconds=3)


async def test_an_edit_changes_the_post_that_carries_its_mark(office: Office) -> None:
    office.put_out(MARK, "Faltan dos.")
    office.put_out(MARK, "Falta uno.", edits=MARK)
    assert await office.deliver() == 2
    assert office.forum.texts() == [f"Falta uno. {MARK}"]


async def test_an_edit_whose_answer_was_lost_is_made_again(office: Office) -> None:
    office.put_out(MARK, "Faltan dos.")
    await office.deliver()
    office.put_out(MARK, "Falta uno.", edits=MARK)
    office.forum.answers = [office.forum.lands_unheard]
    await office.deliver()
    assert office.row(1).state == "unknown"
    await office.deliver()
    assert office.row(1).state == "posted"
    assert office.forum.texts() == [f"Falta uno. {MARK}"]


async def test_an_edit_of_a_post_that_never_landed_is_dropped(office: Office) -> None:
    office.put_out(MARK, "Faltan dos.", state="superseded")
    office.put_out(MARK, "Falta uno.", edits=MARK)
    office.put_out(OTHER, "Segundo.")
    assert await office.deliver() == 2
    assert [row.state for row in office.rows()] == ["superseded", "superseded", "posted"]
    assert office.forum.texts() == [f"Segundo. {OTHER}"]


async def test_an_edit_that_the_forum_forbids_holds_up_no_post(office: Office) -> None:
    """Many boards let nobody edit after a while; the fight must go on there."""
    office.put_out(MARK, "Faltan dos.")
    await office.deliver()
    office.put_out(MARK, "Falta uno.", edits=MARK)
    office.put_out(OTHER, "Asalto jugado.")
    office.forum.form_errors = [ForbiddenError("mem:", cure="check_permissions")]
    await office.deliver()
    await office.deliver()
    assert [row.state for row in office.rows()] == ["posted", "refused", "posted"]

    office.clock.forward(minutes=15)
    await office.deliver()
    assert [row.state for row in office.rows()] == ["posted", "posted", "posted"]


async def test_an_old_edit_never_comes_after_a_newer_one(office: Office) -> None:
    office.put_out(MARK, "Faltan dos.")
    await office.deliver()
    office.put_out(MARK, "Falta uno.", edits=MARK)
    office.forum.answers = [raising(ForbiddenError("mem:", cure="check_permissions"))]
    await office.deliver()
    office.put_out(MARK, "No falta nadie.", edits=MARK)
    await office.deliver()
    office.clock.forward(minutes=15)
    await office.deliver()
    assert office.forum.texts() == [f"No falta nadie. {MARK}"]
    assert [row.state for row in office.rows()] == ["posted", "superseded", "posted"]


def test_nothing_is_left_to_send_when_all_has_landed(office: Office) -> None:
    office.put_out(MARK, state="posted", post_id="p1")
    office.put_out(OTHER, state="superseded")
    with office.store.reading() as records:
        assert next_to_send(records, THREAD, office.clock.now()) is None


# Whole visits.


def test_a_session_that_dies_between_form_and_sending_costs_one_login(mill: Mill) -> None:
    mill.serve()
    mill.post("narradora", "Empieza. [árbitro: iniciar]")
    mill.forum.answers = [raising(logged_out())]
    asked = mill.asked_by(mill.serve)
    assert asked.count("login") == 1
    assert asked.count("send") == 2
    assert mill.http.forgotten == 1
    assert len(mill.own_posts()) == 2


def test_a_session_that_is_dead_again_at_once_is_an_error(mill: Mill) -> None:
    mill.serve()
    mill.post("narradora", "Empieza. [árbitro: iniciar]")
    mill.forum.answers = [raising(logged_out()), raising(logged_out())]
    with pytest.raises(LoggedOutError):
        mill.serve()
    assert len(mill.own_posts()) == 1
    mill.serve()
    assert len(mill.own_posts()) == 2


def test_a_twin_is_reported_once_in_the_log_and_in_the_status_post(mill: Mill) -> None:
    mill.serve()
    mill.post("narradora", "Empieza. [árbitro: iniciar]")
    mill.forum.answers = [mill.forum.lands_late]
    mill.serve()
    mill.clock.forward(seconds=SETTLE_S)
    mill.serve(2)
    mill.forum.land_late()
    mill.serve(2)
    twin = mill.forum.posts[-1]
    assert [entry["post"] for entry in mill.log("twin")] == [twin.id]
    assert twin.id in mill.own_posts()[1]
    assert mill.audit()["good"], mill.audit()


@given(drawn=st.binary(min_size=8, max_size=8))
def test_a_mark_is_no_word_that_a_filter_could_know(drawn: bytes) -> None:
    mark = mark_of(lambda size: drawn[:size])
    assert MARKS.fullmatch(mark)
    # Words in Spanish and English have vowels, and so has what people write in their place; short
    # ones without ("hdp", "wtf") are found within words by boards that look there.
    assert not set(mark.removeprefix("ref-")) & set("aeiou01")
    assert not re.search(r"[a-z]{3}", mark.removeprefix("ref-"))


def test_marks_are_many() -> None:
    drawn = random.Random(8)  # noqa: S311 - repeatable on purpose
    marks = {mark_of(drawn.randbytes) for _ in range(20_000)}
    assert len(marks) == 20_000
