"""What a game master orders, and what players answer."""

import pytest

from referee.tags import Command, Speakers, TagProblem
from referee.tags.commands import COMMANDS
from tests.tags.speaking import CAST, GM, LOPE


@pytest.mark.parametrize(
    ("tag", "verb", "fields"),
    [
        ("[árbitro: iniciar]", "start", {}),
        ("[árbitro: cerrar]", "close", {}),
        ("[árbitro: cerrar | 3]", "close", {"round": "3"}),
        ("[árbitro: cerrar ronda 3]", "close", {"round": "3"}),
        ("[árbitro: cerrar | ronda: 3]", "close", {"round": "3"}),
        ("[árbitro: plazo | 48 h]", "deadline", {"until": "48 h"}),
        ("[árbitro: plazo: viernes a las 21:00]", "deadline", {"until": "viernes a las 21:00"}),
        (
            "[árbitro: plazo | viernes 21:00 | ronda: 2]",
            "deadline",
            {"until": "viernes 21:00", "round": "2"},
        ),
        ("[árbitro: plazo hasta 21:00]", "deadline", {"until": "21:00"}),
        ("[árbitro: pausa | motivo: vacaciones]", "pause", {"reason": "vacaciones"}),
        ("[árbitro: pausa | vacaciones]", "pause", {"reason": "vacaciones"}),
        ("[árbitro: reanudar]", "resume", {}),
        ("[árbitro: deshacer]", "undo", {}),
        ("[árbitro: sin faro]", "skip_beacon", {}),
        ("[referee: no beacon | reason: late]", "skip_beacon", {"reason": "late"}),
        (
            "[árbitro: deshacer | ronda: 2 | motivo: me equivoqué]",
            "undo",
            {"round": "2", "reason": "me equivoqué"},
        ),
        ("[árbitro: publicar]", "publish", {}),
        ("[árbitro: terminar | motivo: huyen todos]", "end", {"reason": "huyen todos"}),
        ("[referee: close | round: 3]", "close", {"round": "3"}),
        (
            "[árbitro: mod | lope | ataque | +20 | motivo: sol a la espalda]",
            "mod",
            {"character": "Lope", "roll": "attack", "value": "+20", "reason": "sol a la espalda"},
        ),
        (
            "[árbitro: mod | personaje: Ana | tirada: daño | valor: −5]",
            "mod",
            {"character": "Ana", "roll": "damage", "value": "-5"},
        ),
        (
            "[árbitro: mod | Lope.attack#2 | + 20]",
            "mod",
            {"character": "Lope", "roll": "attack#2", "value": "+20"},
        ),
        (
            "[árbitro: dado | Lope.attack | 35 | motivo: acordado]",
            "set_die",
            {"character": "Lope", "roll": "attack", "faces": "35", "reason": "acordado"},
        ),
        (
            "[árbitro: dado | Ana | daño | caras: 6, 2]",
            "set_die",
            {"character": "Ana", "roll": "damage", "faces": "6, 2"},
        ),
        (
            "[árbitro: tirada secreta | 1d100+15 | motivo: acechar]",
            "secret_roll",
            {"expression": "1d100+15", "reason": "acechar"},
        ),
        ("[árbitro: revelar | S1]", "open_secret", {"secret": "S1"}),
        ("[referee: reveal | S2]", "open_secret", {"secret": "S2"}),
        ("[árbitro: respuesta | A1 | parada]", "answer", {"question": "A1", "choice": "parada"}),
        (
            "[árbitro: respuesta | R1 | se le cae: el yelmo]",
            "answer",
            {"question": "R1", "choice": "se le cae: el yelmo"},
        ),
        (
            "[acción: respuesta | pregunta: P1 | parada]",
            "answer",
            {"question": "P1", "choice": "parada"},
        ),
        ("[árbitro: respuesta | parada]", "answer", {"choice": "parada"}),
        (
            "[árbitro: respuesta A1 | opción: no defender.]",
            "answer",
            {"question": "A1", "choice": "no defender"},
        ),
    ],
)
def test_a_command_has_its_fields_by_key_or_by_place(tag, verb, fields, heard):
    assert heard.one(tag, GM) == Command(verb, fields, words=tag)


def test_every_shared_command_is_read_above():
    said = {"start", "close", "deadline", "pause", "resume", "mod", "correct", "undo", "answer"}
    said |= {"publish", "end", "set_die", "secret_roll", "open_secret", "skip_beacon"}
    assert set(COMMANDS) == said


@pytest.mark.parametrize(
    ("tag", "pairs"),
    [
        ("[árbitro: corregir | Lope | PV: 12]", (("hp", "12"),)),
        ("[árbitro: corregir | Lope | puntos de vida = 12]", (("hp", "12"),)),
        (
            "[árbitro: corregir | Lope | condiciones: +derribada, −herido | PV: -3]",
            (("conditions", "+prone, -wounded"), ("hp", "-3")),
        ),
        ("[árbitro: corregir | Lope | arma: daga]", (("arma", "daga"),)),
        ("[árbitro: corregir: Lope | PV: 12]", (("hp", "12"),)),
    ],
)
def test_a_correction_lists_what_changes_in_the_games_own_ids(tag, pairs, heard):
    value = heard.one(tag, GM)
    assert (value.verb, value.get("character"), value.pairs) == ("correct", "Lope", pairs)


def test_a_correction_keeps_its_reason_apart(heard):
    value = heard.one("[árbitro: corregir | Lope | PV: 12 | motivo: se me pasó]", GM)
    assert value.get("reason") == "se me pasó"
    assert value.pairs == (("hp", "12"),)


@pytest.mark.parametrize(
    ("tag", "code", "facts", "cure"),
    [
        (
            "[árbitro: cerar]",
            "unknown_command",
            {"given": "cerar", "candidates": ("cerrar",)},
            "[árbitro: cerrar]",
        ),
        (
            "[árbitro: daños | Ana]",
            "unknown_command",
            {"given": "daños", "candidates": ("daño",)},
            "[árbitro: daño | personaje: Ana]",
        ),
        (
            "[árbitro: daño | Ana | fuemte: x]",
            "unknown_field",
            None,
            "[árbitro: daño | personaje: Ana | fuente: x]",
        ),
        (
            "[árbitro: cerrar | ronda: tres]",
            "not_a_number",
            {"given": "tres", "field": "ronda"},
            "",
        ),
        (
            "[árbitro: mod | Lope | ataque]",
            "missing_field",
            {"verb": "mod", "candidates": ("valor",)},
            "",
        ),
        ("[árbitro: plazo]", "missing_field", {"verb": "plazo", "candidates": ("hasta",)}, ""),
        (
            "[árbitro: corregir | Lope]",
            "missing_field",
            {"verb": "corregir", "candidates": ("estado",)},
            "",
        ),
        (
            "[árbitro: corregir | PV: 12]",
            "missing_field",
            {"verb": "corregir", "candidates": ("personaje",)},
            "",
        ),
        ("[árbitro: corregir | Lope | herido]", "unknown_flag", None, ""),
        (
            "[árbitro: mod | Loppe | ataque | 20]",
            "unknown_name",
            {"given": "Loppe", "candidates": ("Lope",)},
            "[árbitro: mod | Lope | ataque | 20]",
        ),
        ("[árbitro: cerrar | rnda: 3]", "unknown_field", None, "[árbitro: cerrar | ronda: 3]"),
        ("[árbitro: cerrar | ronda:]", "empty_field", {"given": "ronda"}, "[árbitro: cerrar]"),
        (
            "[árbitro: cerrar | 3 | ronda: 4]",
            "duplicate_field",
            {"given": "ronda"},
            "[árbitro: cerrar | 3]",
        ),
        (
            "[árbitro: iniciar | ya]",
            "unknown_flag",
            {"given": "ya", "verb": "iniciar", "candidates": ()},
            "",
        ),
    ],
)
def test_a_command_gone_wrong_is_told_with_a_cure(tag, code, facts, cure, heard):
    problem = heard.one(tag, GM)
    assert isinstance(problem, TagProblem)
    assert problem.code == code
    if facts is not None:
        assert problem.facts == facts
    assert problem.cure == cure


def test_an_unknown_command_lists_all_where_none_is_near(heard):
    problem = heard.one("[árbitro: bailar]", GM)
    assert "cerrar" in problem.facts["candidates"]
    assert len(problem.facts["candidates"]) == len(COMMANDS)


@pytest.mark.parametrize("tag", ["[árbitro: cerrar]", "[árbitro: daño | Ana]", "[dj: bailar]"])
def test_only_the_game_master_commands(tag, heard):
    assert heard.one(tag, LOPE).code == "not_game_master"


@pytest.mark.parametrize(
    "tag",
    [
        "[árbitro: respuesta | A1 | parada]",
        "[acción: respuesta | A1 | parada]",
        "[reacción: respuesta A1 | parada]",
    ],
)
def test_anyone_can_answer_a_question(tag, heard):
    value = heard.one(tag, Speakers(own=("Ana",), cast=CAST))
    assert (value.verb, value.fields) == ("answer", {"question": "A1", "choice": "parada"})
