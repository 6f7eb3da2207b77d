"""Whole posts, as readers see them. The snapshots are read before they are kept."""

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from syrupy.assertion import SnapshotAssertion

from adapters.base import MARK as MARK_PATTERN
from referee.evidence import find_blocks
from referee.narration.narrator import SIGNATURE_CHARS
from referee.narration.stories import Answer, Applied, Fact, Game, Receipt, Trouble
from rulesets.aquelarre import events as aq
from rulesets.core.ruleset import Combatant
from tests.narration.telling import (
    AFTER,
    BEFORE,
    CLOSING,
    DIALECTS,
    FREE_ROLLS,
    GAME,
    INTRODUCTION,
    LANGUAGES,
    MARK,
    REPORT,
    STATUS,
    fighter,
    narrator,
    report,
)

POSTS = {
    "introduction": lambda teller: teller.introduction(INTRODUCTION, MARK),
    "status": lambda teller: teller.status(STATUS, MARK),
    "round": lambda teller: teller.round_report(REPORT, MARK)[0][1],
    "rolls": lambda teller: teller.rolls(FREE_ROLLS, MARK),
    "closing": lambda teller: teller.closing(CLOSING, MARK),
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("post", POSTS)
def test_a_post_reads_as_it_was_approved(
    post: str, lang: str, dialect: str, snapshot: SnapshotAssertion
):
    teller = narrator(lang, dialect)
    assert POSTS[post](teller) == snapshot
    assert teller.problems() == ()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_answer_reads_as_it_was_approved(lang: str, snapshot: SnapshotAssertion):
    notes = (
        Fact("deadline_set", {"until": "2026-10-24T23:30:00+00:00"}),
        Fact("corrected", {"actor": "Iria", "field": "conditions", "before": [],
                           "after": ["prone", "wounded"], "reason": "cayó antes"}),
        Fact("published", {"count": 2}),
        Fact("not_in_melee", {"actor": "Iria", "words": "[árbitro: x]"}),
    )  # fmt: skip
    answer = Answer(GAME, STATUS.troubles, notes, STATUS.asked, STATUS.rulings)
    assert narrator(lang, "bbcode").answer(answer, MARK) == snapshot


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_correction_reads_as_it_was_approved(lang: str, snapshot: SnapshotAssertion):
    event = aq.Corrected(actor="Iria", field="hp", before=11, after=14, reason="error al sumar")
    story = Applied(GAME, 3, STATUS.notes, (event,), before=BEFORE, roster=AFTER)
    assert narrator(lang, "markdown").applied(story, MARK) == snapshot


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("post", POSTS)
def test_the_mark_stands_once_at_the_end_in_plain_text(post: str, dialect: str):
    text = POSTS[post](narrator("es", dialect))
    assert MARK_PATTERN.findall(text) == [MARK]
    assert text.rstrip().removesuffix("</p>").endswith(MARK)


def test_a_deadline_is_shown_on_both_clocks_over_the_change_of_the_hour():
    # Clocks in Spain went from 3:00 to 2:00 on 25 October 2026: 0:30 UTC was 2:30 for the first
    # time, 1:30 UTC was 2:30 again.
    moments = [datetime(2026, 10, 25, hour, 30, tzinfo=UTC) for hour in (0, 1)]
    posts = [narrator().status(replace(STATUS, deadline=at), MARK) for at in moments]
    shown = [re.findall(r"Plazo: (.*)\.", post) for post in posts]
    assert shown == [
        ["domingo 25 de octubre, 02:30 (00:30 UTC)"],
        ["domingo 25 de octubre, 02:30 (01:30 UTC)"],
    ]


def test_the_other_day_of_utc_is_named():
    at = datetime(2026, 5, 12, 22, 30, tzinfo=UTC)
    assert "miércoles 13 de mayo, 00:30 (martes 12, 22:30 UTC)" in narrator().status(
        replace(STATUS, deadline=at), MARK
    )


def test_the_figures_can_be_checked_by_hand():
    assert (
        "ataque: 1d100 → 31; contra 40 = 60 Espadas ÷2↑ añagaza +20 distancia corta "
        "−10 en movimiento"
    ) in report()


def test_a_die_that_does_not_count_is_told_apart():
    text = narrator().rolls(FREE_ROLLS, MARK)
    assert "4d6k3 → 4, (1), 6, 2 = 12" in text


def test_health_shows_what_the_round_took():
    text = report()
    assert re.search(r"Lope +11/15 \(−4\)", text)
    assert re.search(r"Bandido 1 +−3/15 \(−18\)", text)


def test_conditions_agree_with_their_bearer():
    story = replace(STATUS, roster=(fighter("Iria", conditions=("wounded",)),
                                    fighter("Lope", conditions=("wounded",))))  # fmt: skip
    text = narrator().status(story, MARK)
    assert re.search(r"Iria +15/15 +herida\n", text)
    assert re.search(r"Lope +15/15 +herido\n", text)


def test_evidence_reaches_the_thread_unchanged():
    for dialect in DIALECTS:
        text = report(dialect=dialect)
        for line in REPORT.evidence.split("\n"):
            assert line in text


@pytest.mark.parametrize(
    "forged",
    [
        "[acción: PBW-EVIDENCE 1 round 3 thread x sum 12345678 12345678]",
        "[acción: PBW\u2011EVI\u200bDENCE 1 round 3]",
        "[acción: sum 0123abcd  89ef4567]",
        "[acción: s\u200dum 0123abcd 89ef\ufe0f4567]",
    ],
)
def test_words_of_a_player_never_look_like_evidence(forged: str):
    story = replace(
        REPORT,
        evidence="",
        receipts=(Receipt("Lope", (forged,)),),
        troubles=(Trouble("unknown_action", forged, {"given": forged}, forged, forged),),
        notes=(Fact("paused", {"reason": forged}),),
    )
    for dialect in DIALECTS:
        assert find_blocks(report(story, dialect=dialect)) == ()


def test_a_post_too_long_to_be_one_keeps_its_evidence():
    receipts = tuple(Receipt("Lope", (f"[acción: ataque | Bandido {n}]",)) for n in range(400))
    text = narrator("es", "bbcode", 4_000).status(replace(STATUS, receipts=receipts), MARK)
    assert len(text) <= 4_000
    assert STATUS.evidence in text
    assert text.endswith(MARK)


def test_a_long_round_becomes_several_posts_with_marks_of_their_own():
    receipts = tuple(Receipt("Lope", (f"[acción: ataque | Bandido {n}]",)) for n in range(200))
    marks = iter(["ref-zzzzzzzz", "ref-yyyyyyyy", "ref-xxxxxxxx", "ref-wwwwwwww"])
    posts = narrator("es", "bbcode", 5_000).round_report(
        replace(REPORT, receipts=receipts), MARK, 5_000, lambda: next(marks)
    )
    assert len(posts) > 1
    assert [mark for mark, _ in posts] == [MARK, "ref-zzzzzzzz", "ref-yyyyyyyy"][: len(posts)]
    for number, (mark, text) in enumerate(posts, start=1):
        assert len(text) <= 5_000
        assert text.startswith(f"({number}/{len(posts)})")
        assert text.endswith(mark)
        assert text.count("[spoiler]") == text.count("[/spoiler]")
        assert text.count("[code]") == text.count("[/code]")


def test_the_signature_fits_into_its_room():
    for dialect in DIALECTS:
        text = narrator("es", dialect).closing(CLOSING, MARK)
        assert len(text.partition(MARK)[2]) + len(MARK) + 2 <= SIGNATURE_CHARS


@pytest.mark.parametrize(
    ("game", "lang", "heads"),
    [
        ("aquelarre", "es", ["PV", "Vara"]),
        ("aquelarre", "en", ["HP", "Vara"]),
        ("anima", "es", ["PV"]),
        ("hielo_y_fuego", "es", ["Salud"]),
        ("ars_magica", "es", ["Aliento", "Paso"]),
        ("ars_magica", "en", ["Breath", "Pace"]),
    ],
)
def test_the_table_of_state_speaks_of_health_and_distance_as_its_game_does(game, lang, heads):
    place = 3 if len(heads) == 2 else None
    kyra = Combatant(
        "Kyra", "a", npc=False, declares=True, out=False, gauges=(("hp", 5, 9),), position=place
    )
    story = Applied(Game("kyra.1", game), 1, (), (), (), (kyra,), (kyra,), (), "")
    told = narrator(lang, "markdown", game=game).applied(story, MARK)
    head = next(line for line in told.splitlines() if line.startswith("|"))
    assert [cell.strip() for cell in head.strip("|").split("|")][1:] == heads


def test_of_equal_initiatives_the_one_who_acts_first_is_listed_first():
    """AQ-INI-05: who perceives more acts first and declares last."""
    rolled = [
        aq.Initiative(actor=name, value=value, parts={"die": 1, "agility": value - 1})
        for name, value in (("Lope", 22), ("Bandido 1", 15), ("Iria", 22))
    ]
    order = aq.DeclarationOrder(order=("Bandido 1", "Lope", "Iria"))
    story = replace(STATUS, events=(*rolled, order), order=())
    told = narrator("es", "text").status(story, MARK).partition("Iniciativa")[2]
    places = [told.index(name) for name in ("Iria", "Lope", "Bandido 1")]
    assert places == sorted(places)
