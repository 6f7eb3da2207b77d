"""Canción de Hielo y Fuego through the door: posts in a folder, played, verified, audited."""

from pathlib import Path

import pytest

from tests.referee.harness import Mesa

CONFIG = """
language: es
timezone: Europe/Madrid
database: sqlite:///var/referee.db
sites:
  mesa: {adapter: folder, base_url: hilos, username: Árbitro}
threads:
  molino:
    site: mesa
    topic: molino
    ruleset: hielo_y_fuego
    gm: narradora
    policies: {hold_back: 0s, deadline: 48h, missing: standing, questions: ask}
    cast:
      Edric:
        player: {id: lucia, name: Lucía}
        gender: m
        sheet: {agility: 3, athletics: 4, awareness: 3, endurance: 3, fighting: 4,
                specialties: {quickness: 1, bludgeons: 1}, weapons: [maza, escudo]}
      Jeyne:
        player: {id: tomas, name: Tomás}
        gender: f
        sheet: {cunning: 4, fighting: 3, athletics: 3, weapons: [espada]}
      Mero:
        npc: true
        gender: m
        sheet: {fighting: 3, athletics: 3, endurance: 4, weapons: [garrote]}
"""
ORDERS = (
    "[reacción: heridas | leve si daño >= 3 | grave si cae con leve] [reacción: derrota | capturar]"
)


@pytest.fixture
def mesa(tmp_path: Path) -> Mesa:
    table = Mesa(tmp_path)
    table.config.write_text(CONFIG, encoding="utf-8")
    return table


def test_a_round_is_played_told_verified_and_audited(mesa: Mesa):
    mesa.post("narradora", "[árbitro: iniciar]")
    mesa.serve(2)
    mesa.post("lucia", f"Edric alza la maza. [acción: ataque | Mero | arma: maza] {ORDERS}")
    mesa.post("tomas", f"[acción: distraer | Mero] [acción: ataque | Mero] {ORDERS}")
    mesa.post(
        "narradora",
        "[acción Mero: ataque | Edric] [reacción Mero: heridas | salud]"
        " [reacción Mero: derrota | perdonar]",
    )
    mesa.serve(3)
    posts = "\n".join(mesa.own_posts())
    assert "D de Combate cuerpo a cuerpo" in posts
    assert "contra" in posts
    assert {event["type"] for event in mesa.events(0)} >= {"attack", "test", "action_order"}
    assert mesa.audit()["good"], mesa.audit()
    assert mesa.verify().verdict == "holds", mesa.verify().findings


def test_a_free_roll_is_judged_by_the_name_of_its_difficulty(mesa: Mesa):
    mesa.serve()
    mesa.post("lucia", "[tirada: 4D+2B-1 | motivo: Trepar | dificultad: Automática]")
    mesa.serve()
    text = mesa.own_posts()[-1]
    assert "4D+2B-1 →" in text
    assert "dificultad: Automática, éxito de grado" in text
    assert "4D+2B-1 → " in text
    (entry,) = mesa.log("rolled")
    assert len(entry["rolls"][0]["faces"]) == 6
    assert sum(entry["rolls"][0]["kept"]) == 4


def test_a_refusal_is_told_in_the_words_of_this_game(mesa: Mesa):
    mesa.post("narradora", "[árbitro: iniciar]")
    mesa.serve(2)
    mesa.post("lucia", "[acción: esquivar] [acción: carrera]")
    mesa.serve(2)
    assert any("dos acciones menores o una mayor" in post for post in mesa.own_posts())
