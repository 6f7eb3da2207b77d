"""The grammar by example."""

import pytest

from referee.tags import FreeRoll, HelpRequest, Speakers, TagProblem, Withdrawal
from rulesets.core.declarations import Declaration, Kind, Timing
from tests.tags.speaking import CAST, GM, LOPE, Ear, vocabulary_of


def test_a_declaration_has_ids_for_known_words_and_the_players_words_for_the_rest(heard):
    tag = "[acción: ataque recio | objetivo: moro 1 | arma: Espada de mano | niveles: 2]"
    assert heard.one(tag) == Declaration(
        actor="Lope",
        kind=Kind.ACTION,
        verb="strong_attack",
        fields={"target": "Moro 1", "weapon": "Espada de mano", "levels": "2"},
        words=tag,
    )


@pytest.mark.parametrize(
    ("tag", "kind", "verb"),
    [
        ("[acción: parada]", Kind.ACTION, "parry"),
        ("[acc: parada]", Kind.ACTION, "parry"),
        ("[action: parry]", Kind.ACTION, "parry"),
        ("[reacción: parada]", Kind.STANDING, "parry"),
        ("[reaction: no defender]", Kind.STANDING, "no_defence"),
    ],
)
def test_keywords_say_what_kind_of_tag_it_is(tag, kind, verb, heard):
    value = heard.one(tag)
    assert (value.kind, value.verb) == (kind, verb)


@pytest.mark.parametrize("keyword", ["árbitro", "arbitro", "referee", "GM", "dj"])
def test_all_keywords_of_the_game_master_are_one(keyword, heard):
    assert heard.one(f"[{keyword}: cerrar]", GM).verb == "close"


@pytest.mark.parametrize(
    ("tag", "fields", "flags"),
    [
        ("[acción: ataque | Moro 1]", {"target": "Moro 1"}, ()),
        ("[acción: ataque | la sombra]", {"target": "la sombra"}, ()),
        ("[acción: ataque | arma: daga | Moro 1]", {"target": "Moro 1", "weapon": "daga"}, ()),
        ("[acción: ataque | arrojar]", {}, ("throw",)),
        ("[acción: ataque | arrojar | Moro 1]", {"target": "Moro 1"}, ("throw",)),
        ("[acción: saltar | carrerilla]", {}, ("run_up",)),
        ("[acción: saltar | ! | carrerilla]", {}, ("run_up",)),
        ("[acción: saltar | carrerilla | carrerilla]", {}, ("run_up",)),
        ("[acción: barrido | Moro 2, moro 1]", {"target": "Moro 2, Moro 1"}, ()),
        ("[acción: parada | contra: Moro 1 y Moro 2]", {"against": "Moro 1, Moro 2"}, ()),
        ("[acción: ataque | Moro 1 | zona: pierna]", {"target": "Moro 1", "zone": "right_leg"}, ()),
        ("[acción: ataque | zona: cabeza, nariz]", {"zone": "head, nariz"}, ()),
        ("[acción: huida | parada, esquiva]", {"defences": "parry, dodge"}, ()),
        ("[acción: ataque | Moro 1 | Mano: TORPE]", {"target": "Moro 1", "hand": "off"}, ()),
        ("[acción: dar | objeto: pan | a: Ana]", {"item": "pan", "to": "Ana"}, ()),
        ("[acción: ataque | Moro 1 | listo]", {"target": "Moro 1"}, ("final",)),
        ("[acción: parada | definitivo]", {}, ("final",)),
        ("[acción: gritar | texto: hola, amigo]", {"text": "hola, amigo"}, ()),
        ("[acción: gritar | si no paras, te mato]", {"text": "si no paras, te mato"}, ()),
        ("[acción: gritar | si no parada fatal]", {"text": "si no parada fatal"}, ()),
        ("[acción: gritar | tras la puerta]", {"text": "tras la puerta"}, ()),
    ],
)
def test_fields_flags_and_the_target(tag, fields, flags, heard):
    value = heard.one(tag)
    assert (value.fields, value.flags) == (fields, flags)


@pytest.mark.parametrize(
    ("tag", "verb", "fields"),
    [
        ("[acción: ataque Moro 1]", "attack", {"target": "Moro 1"}),
        ("[acción: ataco al Moro 1]", "attack", {"target": "Moro 1"}),
        ("[acción: ataque recio contra el Moro 1]", "strong_attack", {"target": "Moro 1"}),
        ("[acción: parada contra Moro 1]", "parry", {"against": "Moro 1"}),
        ("[acción: parada con escudo]", "shield_parry", {}),
        ("[acción: saltar con carrerilla]", None, {}),
        ("[acción: me levanto]", "stand_up", {}),
        ("[acción: andar | hacia: Ana]", "move", {"pace": "walk", "toward": "Ana"}),
        ("[acción: andar hacia Ana]", "move", {"pace": "walk", "toward": "Ana"}),
        ("[acción: andar | paso: correr]", "move", {"pace": "run"}),
    ],
)
def test_a_verb_may_have_its_name_behind_it_and_a_word_may_say_a_field(tag, verb, fields, heard):
    value = heard.one(tag)
    if verb is None:
        assert value.code == "unknown_action"
    else:
        assert (value.verb, value.fields) == (verb, fields)


@pytest.mark.parametrize(
    ("field", "timing"),
    [
        ("tras: moro 2", Timing("after", "Moro 2")),
        ("tras: Moro 2#2", Timing("after", "Moro 2", 2)),
        ("tras: Moro 2 # 3", Timing("after", "Moro 2", 3)),
        ("después de: Ana", Timing("after", "Ana")),
        ("antes: el Moro 2", Timing("before", "Moro 2")),
        ("antes de Ana", Timing("before", "Ana")),
        ("si: me atacan", Timing("when", event="attacked")),
        ("si: Moro 2 cae", Timing("when", "Moro 2", event="falls")),
        ("si: cae el Moro 2", Timing("when", "Moro 2", event="falls")),
        ("si Ana entra en mi alcance", Timing("when", "Ana", event="in_reach")),
        ("si: tirada >= 80", Timing("when", "80", event="roll_at_least")),
        ("si: tirada≥80", Timing("when", "80", event="roll_at_least")),
        ("si: tirada >= 83", Timing("when", "83", event="roll_at_least")),  # no 8 with a mouth
        ("if: Moro 2 falls", Timing("when", "Moro 2", event="falls")),
    ],
)
def test_an_action_can_wait_for_somebody_or_something(field, timing, heard):
    assert heard.one(f"[acción: ataque | Moro 1 | {field}]").timing == timing


@pytest.mark.parametrize(
    ("field", "verb", "fields"),
    [
        ("si no: parada", "parry", {}),
        ("sino: parada", "parry", {}),
        ("si no ataque Moro 2", "attack", {"target": "Moro 2"}),
        ("si no: ataque a Moro 2", "attack", {"target": "Moro 2"}),
        ("si no: ataque doble Moro 2", "double_attack", {"target": "Moro 2"}),
        ("si no: ataque pozo", "attack", {"target": "pozo"}),
        ("si no: [ataque | Moro 2 | zona: cabeza]", "attack", {"target": "Moro 2", "zone": "head"}),
        ("si no: [acción: ataque | Moro 2]", "attack", {"target": "Moro 2"}),
        ("otherwise: parry", "parry", {}),
    ],
)
def test_a_fallback_is_a_declaration_of_its_own(field, verb, fields, heard):
    value = heard.one(f"[acción: ataque | Moro 1 | {field} | arma: daga]")
    assert value.fields == {"target": "Moro 1", "weapon": "daga"}
    assert (value.fallback.verb, value.fallback.fields) == (verb, fields)
    assert value.fallback.actor == "Lope"


def test_timing_and_fallback_go_together(heard):
    value = heard.one("[acción: ataque | Moro 1 | si: me atacan | si no: parada]")
    assert value.timing == Timing("when", event="attacked")
    assert value.fallback.verb == "parry"


def test_a_flag_that_begins_like_a_timing_is_a_flag():
    made = vocabulary_of("es", flag={"throw": {"say": "tras la tirada"}})
    value = Ear(made).one("[acción: ataque | Moro 1 | antes: Moro 1 | tras la tirada]")
    assert value.flags == ("throw",)
    assert value.timing == Timing("before", "Moro 1")


def test_clauses_are_left_to_the_game_as_they_are(heard):
    tag = "[reacción: heridas | leve si daño >= 5 | grave si cae; Moro 1: matar]"
    value = heard.one(tag)
    assert value.verb == "wounds"
    assert value.clauses == ("leve si daño >= 5", "grave si cae", "Moro 1: matar")
    assert value.fields == {}


@pytest.mark.parametrize(
    ("tag", "fields"),
    [
        # Canción de Hielo y Fuego: shares, signs, distances.
        ("[acción: ataque | Moro 1 | arma: maza, daga]", {"weapon": "maza, daga"}),
        ("[acción: mover | varas: 3/2]", {"distance": "3/2"}),
        ("[acción: mover | varas: +1D]", {"distance": "+1D"}),
        # Ars Magica: places are numbers or landmarks.
        ("[acción: mover | hacia: −20]", {"toward": "-20"}),
        ("[acción: mover | alejarse: pozo]", {"away_from": "pozo"}),
        # Ánima: names of spells.
        ("[acción: hechizo | hechizo: explosión ígnea | objetivo: Ana, Moro 1]", {}),
    ],
)
def test_the_grammar_carries_what_other_games_write(tag, fields, heard):
    value = heard.one(tag)
    assert isinstance(value, Declaration)
    assert fields.items() <= value.fields.items()


def test_a_verb_of_the_game_that_belongs_to_the_game_master(heard):
    value = heard.one("[árbitro: daño | ana | fuente: fuego | parte: mano]", GM)
    assert value.kind is Kind.COMMAND
    assert (value.actor, value.verb) == ("", "harm")
    assert value.fields == {"character": "Ana", "source": "fuego", "part": "mano"}


@pytest.mark.parametrize(
    ("tag", "topic"),
    [
        ("[acción: ayuda]", ""),
        ("[acción: ayuda | ataque recio]", "strong_attack"),
        ("[acción: ayuda ataque recio]", "strong_attack"),
        ("[acción: ayuda | recio]", "strong_attack"),
        ("[acción: ayuda | escudo]", "shield_parry"),
        ("[acción: ayuda | ataque de]", "ataque de"),
        ("[reacción: ayuda: esquiva]", "dodge"),
        ("[acción: ayuda | volar]", "volar"),
        ("[tirada: ayuda]", "roll"),
        ("[árbitro: ayuda | cerrar]", "close"),
        ("[action: help | parry]", "parry"),
    ],
)
def test_anyone_can_ask_for_help(tag, topic, heard):
    stranger = Speakers(cast=CAST)
    assert heard.one(tag, stranger) == HelpRequest(topic, tag)


def test_declarations_can_be_withdrawn_by_kind(heard):
    assert heard.one("[acción: retirar]") == Withdrawal("Lope", Kind.ACTION, "[acción: retirar]")
    assert heard.one("[reacción: anulo]").kind is Kind.STANDING
    assert heard.one("[acción Moro 1: retirar]", GM).actor == "Moro 1"
    assert heard.one("[acción Moro 1: retirar]").code == "not_your_character"


def test_a_withdrawal_takes_no_fields(heard):
    problem = heard.one("[acción: retirar | ataque]")
    assert (problem.code, problem.cure) == ("unknown_flag", "[acción: retirar]")


def test_a_free_roll_is_for_anyone(heard):
    tag = "[tirada: 1d100 + 35 | motivo: Trepar | dificultad: Muy difícil]"
    value = heard.one(tag, Speakers(cast=CAST))
    fields = {"reason": "Trepar", "difficulty": "Muy difícil"}
    assert value == FreeRoll("1d100 + 35", "", fields, tag)
    assert value.reason == "Trepar"


@pytest.mark.parametrize(
    ("tag", "speakers", "actor"),
    [
        ("[tirada: 1d6]", LOPE, "Lope"),
        ("[tirada: 1d6]", GM, ""),
        ("[tirada Moro 1: 1d6]", GM, "Moro 1"),
        ("[tirada: 1d6 | por si acaso]", LOPE, "Lope"),
        ("[tirada: 1d6]", Speakers(own=("Ana", "Lope"), cast=CAST), ""),
        ("[tirada: 1d10+AGI]", LOPE, "Lope"),
    ],
)
def test_a_free_roll_knows_whose_sheet_it_is_about(tag, speakers, actor, heard):
    assert heard.one(tag, speakers).actor == actor


def test_figures_of_the_sheet_need_somebody_whose_sheet_it_is(heard):
    several = Speakers(own=("Ana", "Lope"), cast=CAST)
    assert heard.one("[tirada: 1d10+AGI]", several).code == "which_character"
    assert heard.one("[tirada: 1d10+AGI]", Speakers(cast=CAST)).code == "no_character"
    assert heard.one("[tirada Moro 1: 1d10]", LOPE).code == "not_your_character"


@pytest.mark.parametrize(
    ("tag", "code", "facts", "cure"),
    [
        (
            "[acción: atque | Moro 1]",
            "unknown_action",
            {"given": "atque", "candidates": ("ataque",)},
            "[acción: ataque | objetivo: Moro 1]",
        ),
        (
            "[acción: ataque fuerte]",
            "unknown_action",
            {"given": "ataque fuerte", "candidates": ("ataque", "ataque recio", "ataque doble")},
            "",
        ),
        ("[acción: bailar]", "unknown_action", {"given": "bailar", "candidates": ()}, ""),
        ("[acción: gratir]", "unknown_action", None, ""),  # two slips in a short word
        (
            "[acción: no defender]",
            "unknown_action",
            {"given": "no defender", "candidates": ()},
            "[reacción: no defender]",
        ),
        (
            "[acción: atque al Moro 1]",
            "unknown_action",
            None,
            "[acción: ataque | objetivo: Moro 1]",
        ),
        (
            "[acción: ataque, Moro 1]",
            "unknown_action",
            {"given": "ataque, Moro 1", "candidates": ("ataque",)},
            "[acción: ataque | objetivo: Moro 1]",
        ),
        ("[acción: saltar - carrerilla]", "unknown_action", None, "[acción: saltar | carrerilla]"),
        (
            "[acción: ataque | Moro 1 | si no: [acción Ana: parada]]",
            "nested_tag",
            {"given": "[acción Ana: parada]"},
            "",
        ),
        ("[reacción: paradda]", "unknown_order", None, "[reacción: parada]"),
        (
            "[acción: soltar | pan]",
            "ambiguous_verb",
            {"given": "soltar", "candidates": ("dar", "gritar")},
            "",
        ),
        ("[acción:]", "empty_tag", {"keyword": "acción"}, ""),
        (
            "[acción: parada | objetivo: Moro 1]",
            "unknown_field",
            {"given": "objetivo", "verb": "parada", "candidates": ("contra", "arma")},
            "[acción: parada | contra: Moro 1]",
        ),
        (
            "[acción: ataque | Moro 1 | amra: daga]",
            "unknown_field",
            {"given": "amra", "verb": "ataque", "candidates": ("arma",)},
            "[acción: ataque | objetivo: Moro 1 | arma: daga]",
        ),
        ("[acción: levantarse | arma: daga]", "unknown_field", None, "[acción: levantarse]"),
        (
            "[acción: ataque | Moro 1 | trsa: Ana]",
            "unknown_field",
            None,
            "[acción: ataque | objetivo: Moro 1 | tras: Ana]",
        ),
        (
            "[acción: saltar | carrerila]",
            "unknown_flag",
            {"given": "carrerila", "verb": "saltar", "candidates": ("carrerilla",)},
            "[acción: saltar | carrerilla]",
        ),
        (
            "[acción: saltar | alto]",
            "unknown_flag",
            {"given": "alto", "verb": "saltar", "candidates": ("carrerilla", "listo")},
            "",
        ),
        ("[acción: ataque | Moro 1 | Moro 2]", "unknown_flag", None, ""),
        (
            "[acción: ataque | arma: daga | arma: maza]",
            "duplicate_field",
            {"given": "arma"},
            "[acción: ataque | arma: daga]",
        ),
        ("[acción: ataque | Moro 1 | objetivo: Ana]", "duplicate_field", None, None),
        (
            "[acción: ataque | Moro 1 | arma: ]",
            "empty_field",
            {"given": "arma"},
            "[acción: ataque | objetivo: Moro 1]",
        ),
        (
            "[acción: ataque | Moro 1 | tras: Ana | antes: Moro 2]",
            "two_timings",
            {},
            "[acción: ataque | objetivo: Moro 1 | tras: Ana]",
        ),
        (
            "[acción: ataque | Moro 1 | tras: Morro 2]",
            "unknown_name",
            {"given": "Morro 2", "candidates": ("Moro 2", "Moro 1")},
            "[acción: ataque | objetivo: Moro 1 | tras: Moro 2]",
        ),
        (
            "[acción: ataque | Moro 1 | tras: Morro 2#2]",
            "unknown_name",
            None,
            "[acción: ataque | objetivo: Moro 1 | tras: Moro 2#2]",
        ),
        (
            "[acción: ataque | Moro 1 | si: Morro 2 cae]",
            "unknown_name",
            None,
            "[acción: ataque | objetivo: Moro 1 | si: Moro 2 cae]",
        ),
        ("[acción: ataque | Moro 1 | si no: []]", "empty_field", {"given": "[]"}, ""),
        (
            "[acción: ataque | Moro 1 | si: Moro 2 kae]",
            "unknown_event",
            None,
            "[acción: ataque | objetivo: Moro 1 | si: Moro 2 cae]",
        ),
        (
            "[acción: ataque | Moro 1 | si: llueve]",
            "unknown_event",
            {
                "given": "llueve",
                "candidates": ("cae", "me atacan", "entra en mi alcance", "tirada >="),
            },
            "",
        ),
        (
            "[acción: ataque | Moro 1 | si no: bailar]",
            "unknown_action",
            {"given": "bailar", "candidates": ()},
            "",
        ),
        (
            "[acción: ataque | Moro 1 | si no: ataque Morro 2]",
            "unknown_name",
            None,
            "[acción: ataque | objetivo: Moro 1 | si no: ataque Moro 2]",
        ),
        (
            "[acción: ataque | Moro 1 | si no: parada | si no: esquiva]",
            "duplicate_field",
            None,
            "[acción: ataque | objetivo: Moro 1 | si no: parada]",
        ),
        (
            "[acción: ataque | Moro 1 | si no: [parada | tras: Ana]]",
            "nested_fallback",
            {},
            "[acción: ataque | objetivo: Moro 1 | si no: parada]",
        ),
        (
            "[tirada: 1d100 Trepar]",
            "bad_dice",
            {"given": "1d100 Trepar", "rest": "Trepar"},
            "[tirada: 1d100 | motivo: Trepar]",
        ),
        ("[tirada: 1d20 | motibo: x]", "unknown_field", None, "[tirada: 1d20 | motivo: x]"),
        ("[tirada: 1d20 | a | b]", "duplicate_field", {"given": "motivo"}, "[tirada: 1d20 | a]"),
        ("[tirada: 1d20 | motivo:]", "empty_field", {"given": "motivo"}, "[tirada: 1d20]"),
    ],
)
def test_what_cannot_be_understood_is_told_with_facts_and_a_cure(tag, code, facts, cure, heard):
    problem = heard.one(tag)
    assert isinstance(problem, TagProblem)
    assert problem.code == code
    assert problem.words == tag
    if facts is not None:
        assert problem.facts == facts
    if cure is not None:
        assert problem.cure == cure


def test_a_cure_mends_several_faults_at_once(heard):
    problem = heard.one("[acción Loppe: atque | Moro 1 | amra: daga | tras: Morro 2]")
    assert problem.cure == "[acción Lope: ataque | objetivo: Moro 1 | arma: daga | tras: Moro 2]"


def test_a_bad_tag_leaves_the_others_good(heard):
    values = heard.all(
        "[acción: bailar] [acción: parada] [acción: ataque | x: y] [reacción: esquiva]"
    )
    assert [isinstance(value, TagProblem) for value in values] == [True, False, True, False]


def test_the_threads_language_comes_first_where_two_languages_share_a_word():
    shared = {"action": {"stand_up": {"say": "salto"}}}
    spanish = vocabulary_of("es", "en")
    assert Ear(spanish).one("[acción: parry]").verb == "parry"
    made = vocabulary_of("en", "es", **shared)
    # In English the word is ambiguous only if one language says both; Spanish comes second.
    assert Ear(made).one("[acción: salto]").verb == "stand_up"


def test_cures_are_in_the_threads_language():
    english = Ear(vocabulary_of("en", "es"))
    assert english.one("[action: atack | Moro 1]").cure == "[action: attack | target: Moro 1]"
