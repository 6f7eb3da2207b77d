"""The life of a round, played through the thread and read from the thread."""

from pathlib import Path

import pytest

from tests.referee.harness import Mesa, marks


@pytest.fixture
def mesa(tmp_path: Path) -> Mesa:
    return Mesa(tmp_path)


def test_the_referee_introduces_itself_and_commits_before_anything_else(mesa: Mesa) -> None:
    mesa.serve()
    (post,) = mesa.own_posts()
    assert "commit lock.1" in post
    assert "commit open.1" in post
    assert "reveal" not in post


def test_a_fight_begins_when_the_game_master_says_so(mesa: Mesa) -> None:
    mesa.begin()
    _, status = mesa.own_posts()
    assert "reveal open.1" in status
    assert "Lope" in status
    assert mesa.rounds()[0].status == "declaring"


def test_a_stranger_cannot_begin_a_fight(mesa: Mesa) -> None:
    mesa.serve()
    mesa.post("lucia", "[árbitro: iniciar]")
    mesa.serve()
    assert mesa.rounds() == []
    assert "iniciar" in mesa.own_posts()[-1]


def test_a_round_is_resolved_as_soon_as_all_have_declared(mesa: Mesa) -> None:
    mesa.begin()
    mesa.declare_all()
    mesa.serve(2)
    first, second = mesa.rounds()
    assert first.status == "resolved"
    assert first.locked["cause"] == "all_declared"
    assert second.status == "declaring"
    assert any(event["type"] == "attack" for event in mesa.events())
    assert mesa.verify().verdict == "holds"
    assert mesa.audit()["good"], mesa.audit()


def test_a_slip_that_the_rules_refuse_does_not_cost_the_turn(mesa: Mesa) -> None:
    mesa.begin()
    post = mesa.post("lucia", "[acción: ataque | Bandido 1 | arma: arco]")
    mesa.declare_all(skip=("Lope",))
    mesa.serve(2)
    (round_,) = mesa.rounds()
    assert round_.status == "declaring"
    assert "Faltan" in mesa.own_posts()[-1]
    declared, _, missing = mesa.own_posts()[-1].partition("Faltan")
    assert "Lope (Lucía)" in missing
    assert "arco" not in declared
    assert "arco" in missing
    post.write_text("[acción: ataque | Bandido 1]", encoding="utf-8")
    mesa.serve(2)
    assert mesa.rounds()[0].locked["cause"] == "all_declared"
    assert any(e["type"] == "attack" and e["actor"] == "Lope" for e in mesa.events())


def test_one_good_tag_beside_a_refused_one_is_a_declaration(mesa: Mesa) -> None:
    mesa.begin()
    mesa.post("lucia", "[acción: ataque | Bandido 1] [acción: ataque | Bandido 1 | arma: arco]")
    mesa.declare_all(skip=("Lope",))
    mesa.serve(2)
    assert mesa.rounds()[0].status == "resolved"


def test_the_status_post_is_edited_in_place_and_quotes_the_words(mesa: Mesa) -> None:
    mesa.begin()
    before = len(mesa.own_posts())
    mesa.post("lucia", "Voy. [acción: ataque | Bandido 1]")
    mesa.serve()
    assert len(mesa.own_posts()) == before
    assert "ataque | Bandido 1" in mesa.own_posts()[-1].replace("\\", "")


def test_an_edit_before_the_lock_counts(mesa: Mesa) -> None:
    mesa.begin()
    post = mesa.post("lucia", "[acción: ataque | Bandido 1]")
    mesa.serve()
    post.write_text("[acción: ataque | Bandido 2]", encoding="utf-8")
    mesa.declare_all(skip=("Lope",))
    mesa.serve(2)
    attacks = [e for e in mesa.events() if e["type"] == "attack" and e["actor"] == "Lope"]
    assert [e["target"] for e in attacks] == ["Bandido 2"]


def test_an_edit_after_the_lock_changes_nothing_and_is_told_once(mesa: Mesa) -> None:
    mesa.begin()
    post = mesa.post("lucia", "[acción: ataque | Bandido 1]")
    mesa.declare_all(skip=("Lope",))
    mesa.serve(2)
    before = mesa.events()
    post.write_text("[acción: ataque | Bandido 2]", encoding="utf-8")
    mesa.clock.forward(minutes=11)
    mesa.serve(2)
    assert mesa.events() == before
    assert len(mesa.log("edited_after_lock")) == 1
    assert mesa.audit()["good"], mesa.audit()


def test_a_deleted_declaration_no_longer_counts_before_the_lock(mesa: Mesa) -> None:
    mesa.begin()
    post = mesa.post("lucia", "[acción: ataque | Bandido 1]")
    mesa.post("tomas", "Espero.")
    mesa.serve()
    post.unlink()
    mesa.declare_all(skip=("Lope",))
    mesa.clock.forward(minutes=11)
    mesa.serve(2)
    assert mesa.rounds()[-1].status == "declaring"
    assert mesa.rounds()[-1].number == 1


def test_the_deadline_closes_a_round_without_a_missing_player(mesa: Mesa) -> None:
    mesa.begin()
    mesa.declare_all(skip=("Ximena",))
    mesa.serve()
    assert mesa.rounds()[0].status == "declaring"
    mesa.clock.forward(hours=49)
    mesa.serve(2)
    locked = mesa.rounds()[0].locked
    assert locked["cause"] == "deadline"
    assert [m["actor"] for m in locked["missing"]] == ["Ximena"]


def test_a_wrong_tag_is_explained_with_a_cure_until_it_is_mended(mesa: Mesa) -> None:
    mesa.begin()
    post = mesa.post("lucia", "[acción: atake | Bandido 1]")
    mesa.serve()
    shown = mesa.own_posts()[-1].replace("\\", "")
    assert "atake" in shown
    assert "ataque" in shown
    post.write_text("[acción: ataque | Bandido 1]", encoding="utf-8")
    mesa.clock.forward(minutes=11)
    mesa.serve()
    assert "atake" not in mesa.own_posts()[-1]


def test_one_bad_tag_leaves_the_others_good(mesa: Mesa) -> None:
    mesa.begin()
    mesa.post("lucia", "[acción: ataque | Bandido 1] [acción: volar]")
    mesa.declare_all(skip=("Lope",))
    mesa.serve(2)
    assert any(e["type"] == "attack" and e["actor"] == "Lope" for e in mesa.events())


def test_a_quotation_of_a_tag_is_not_its_quoters(mesa: Mesa) -> None:
    mesa.begin()
    mesa.post("tomas", "> [acción: ataque | Bandido 2]\n\nEso digo yo.")
    mesa.serve()
    assert "lost_tag" in str(mesa.own_posts()) or "cita" in mesa.own_posts()[-1]
    assert mesa.rounds()[0].status == "declaring"


def test_the_game_master_closes_a_round(mesa: Mesa) -> None:
    mesa.begin()
    mesa.post("lucia", "[acción: ataque | Bandido 1]")
    mesa.post("narradora", "[árbitro: cerrar | ronda: 1]")
    mesa.serve(2)
    assert mesa.rounds()[0].locked["cause"] == "closed"


def test_a_close_that_names_another_round_does_nothing(mesa: Mesa) -> None:
    mesa.begin()
    mesa.post("narradora", "[árbitro: cerrar | ronda: 7]")
    mesa.serve()
    assert mesa.rounds()[0].status == "declaring"


def test_a_pause_costs_nobody_an_hour(mesa: Mesa) -> None:
    mesa.begin()
    deadline = mesa.rounds()[0].deadline
    mesa.post("narradora", "[árbitro: pausa | motivo: puente]")
    mesa.serve()
    mesa.clock.forward(hours=100)
    mesa.serve()
    assert mesa.rounds()[0].status == "declaring"
    mesa.post("narradora", "[árbitro: reanudar]")
    mesa.serve()
    resumed = mesa.rounds()[0].deadline
    assert (resumed - deadline).total_seconds() == 100 * 3600


def test_a_new_deadline_is_read_in_the_threads_zone(mesa: Mesa) -> None:
    mesa.begin()
    mesa.post("narradora", "[árbitro: plazo | mañana 21:00]")
    mesa.serve()
    assert mesa.rounds()[0].deadline.isoformat() == "2026-12-01T20:00:00+00:00"


def test_a_modifier_by_the_game_master_is_in_the_total(mesa: Mesa) -> None:
    mesa.begin()
    mesa.post("narradora", "[árbitro: mod | Lope | ataque | +20 | motivo: ventaja]")
    mesa.declare_all()
    mesa.serve(2)
    rolls = mesa.rounds()[0].outcome["rolls"]
    (attack,) = [roll for roll in rolls if roll["label"] == "Lope.attack"]
    assert 20 in [part["value"] for part in attack["against"]["parts"]]
    assert mesa.audit()["good"], mesa.audit()


def test_a_correction_is_visible_and_audited(mesa: Mesa) -> None:
    mesa.begin()
    mesa.declare_all()
    mesa.serve(2)
    mesa.post("narradora", "[árbitro: corregir | Lope | PV: 9 | motivo: me olvidé]")
    mesa.serve()
    (entry,) = mesa.log("corrected")
    assert entry["reason"] == "me olvidé"
    assert "me olvidé" in mesa.own_posts()[-1]
    assert mesa.audit()["good"], mesa.audit()


def test_a_round_played_again_has_the_same_dice(mesa: Mesa) -> None:
    mesa.begin()
    mesa.declare_all()
    mesa.serve(2)
    before = {r["label"]: r["faces"] for r in mesa.rounds()[0].outcome["rolls"]}
    mesa.post("narradora", "[árbitro: deshacer | motivo: objetivo equivocado]")
    mesa.serve()
    assert mesa.rounds()[0].status == "reopened"
    mesa.post("narradora", "[acción Lope: ataque | Bandido 2] [acción Lope: parada]")
    mesa.post("narradora", "[árbitro: cerrar]")
    mesa.serve(2)
    again = mesa.rounds()[0]
    assert again.resolutions == 2
    after = {r["label"]: r["faces"] for r in again.outcome["rolls"]}
    shared = before.keys() & after.keys()
    assert "Lope.attack" in shared
    assert {label: after[label] for label in shared} == {label: before[label] for label in shared}
    targets = [
        e["target"] for e in mesa.events(0) if e["type"] == "attack" and e["actor"] == "Lope"
    ]
    assert targets == ["Bandido 2"]
    assert mesa.audit()["good"], mesa.audit()
    assert mesa.verify().verdict == "holds", mesa.verify().findings


def test_anybody_may_roll_at_any_time(mesa: Mesa) -> None:
    mesa.serve()
    mesa.post("mirona", "Tiro por curiosidad: [tirada: 3d6+2 | motivo: curiosidad]")
    mesa.serve()
    assert "curiosidad" in mesa.own_posts()[-1]
    assert "reveal roll.1" in mesa.own_posts()[-1]
    assert mesa.verify().verdict == "holds", mesa.verify().findings


def test_a_roll_knows_the_sheet(mesa: Mesa) -> None:
    mesa.serve()
    mesa.post("lucia", "[tirada: 1d10+AGI]")
    mesa.serve()
    (entry,) = mesa.log("rolled")
    assert 17 <= entry["totals"][0] <= 26


def test_an_edit_never_rolls_again(mesa: Mesa) -> None:
    mesa.serve()
    post = mesa.post("lucia", "[tirada: 1d100]")
    mesa.serve()
    post.write_text("[tirada: 1d100+50]", encoding="utf-8")
    mesa.clock.forward(minutes=11)
    mesa.serve()
    assert len(mesa.log("rolled")) == 1


def test_nothing_is_posted_twice_by_coming_again(mesa: Mesa) -> None:
    mesa.begin()
    mesa.declare_all()
    mesa.serve(2)
    posts = mesa.own_posts()
    mesa.serve(3)
    assert mesa.own_posts() == posts
    assert len(set(marks(posts))) == len(posts)


def test_a_fight_ends_by_command(mesa: Mesa) -> None:
    mesa.begin()
    mesa.post("narradora", "[árbitro: terminar]")
    mesa.serve()
    assert mesa.log("fight_ended")
    mesa.post("lucia", "[acción: ataque | Bandido 1]")
    mesa.serve()
    assert len(mesa.rounds()) == 1


def test_a_standing_order_lasts_until_it_is_replaced(mesa: Mesa) -> None:
    mesa.begin()
    mesa.post("lucia", "[reacción: no defender]")
    mesa.declare_all()
    mesa.serve(2)
    mesa.declare_all()
    mesa.serve(2)
    played = [row for row in mesa.rounds() if row.resolutions]
    assert [len(row.locked["standing"]) for row in played] == [1, 1]


def test_posts_wait_for_review_where_the_game_master_wants_it(tmp_path: Path) -> None:
    mesa = Mesa(tmp_path, more="review: true")
    mesa.serve()
    assert mesa.own_posts() == []
    mesa.post("narradora", "[árbitro: publicar]")
    mesa.serve()
    assert len(mesa.own_posts()) == 1


def test_a_round_waits_past_its_deadline_for_whom_its_policy_waits(tmp_path: Path) -> None:
    mesa = Mesa(tmp_path)
    mesa.write_config({"missing: standing": "missing: wait"})
    mesa.begin()
    mesa.declare_all(skip=("Ximena",))
    mesa.clock.forward(hours=49)
    mesa.serve(2)
    assert mesa.rounds()[0].status == "declaring"
    assert "Ximena" in mesa.own_posts()[-1]
    assert "El plazo ha pasado" in mesa.own_posts()[-1]
    mesa.post("tomas", "[acción: esquiva]")
    mesa.serve(2)
    assert mesa.rounds()[0].status == "resolved"


def test_whose_policy_is_nothing_does_nothing_not_even_by_standing_order(tmp_path: Path) -> None:
    mesa = Mesa(tmp_path)
    mesa.write_config({"missing: standing": "missing: nothing"})
    mesa.begin()
    mesa.post("tomas", "[reacción: esquiva]")
    mesa.declare_all(skip=("Ximena",))
    mesa.clock.forward(hours=49)
    mesa.serve(2)
    locked = mesa.rounds()[0].locked
    assert [m["policy"] for m in locked["missing"]] == ["nothing"]
    assert locked["standing"] == []
    assert mesa.audit()["good"], mesa.audit()


def test_a_missing_character_defends_where_its_policy_says_so(tmp_path: Path) -> None:
    mesa = Mesa(tmp_path)
    mesa.write_config({"missing: standing": "missing: defend"})
    mesa.begin()
    mesa.declare_all(skip=("Ximena",))
    mesa.clock.forward(hours=49)
    mesa.serve(2)
    (missing,) = mesa.rounds()[0].locked["missing"]
    assert missing["declarations"]
    assert mesa.audit()["good"], mesa.audit()
