"""Tables, words and templates are read in one place, the game master's own first."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2
import pytest
from jinja2.sandbox import ImmutableSandboxedEnvironment

from referee.data import Data
from referee.documents import MAX_BYTES, parse_yaml, read_yaml
from referee.errors import ConfigProblem

TEMPLATES = Path(__file__).parents[2] / "templates"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """The game master's own folder, empty."""
    folder = tmp_path / "mias"
    folder.mkdir()
    return folder


def put(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def seen(problems: tuple[ConfigProblem, ...]) -> list[tuple[str, int, str, str]]:
    return [(p.file, p.line, p.code, p.suggestion) for p in problems]


# ---------------------------------------------------------------------- built in


def test_both_languages_are_there() -> None:
    assert Data().languages() == ("en", "es")


def test_the_files_of_every_room_can_be_read() -> None:
    data = Data()

    for ruleset_id in data.rulesets():
        assert data.tables(ruleset_id)
    for lang in data.languages():
        for path in (TEMPLATES / lang / "terms").glob("*.yaml"):
            assert data.terms(lang, path.stem)
            assert data.has_terms(lang, path.stem)
        assert data.messages(lang)
    assert data.check() == ()


def test_what_is_not_there_is_a_broken_promise() -> None:
    data = Data()

    assert not data.has_terms("es", "nada")
    for ask in (
        lambda: data.tables("nada"),
        lambda: data.terms("es", "nada"),
        lambda: data.messages("xx"),
        lambda: data.page("nada.html"),
    ):
        with pytest.raises(LookupError):
            ask()


def test_what_is_read_once_is_kept() -> None:
    data = Data()

    assert data.terms("es", "time") is data.terms("es", "time")


def test_one_reader_never_changes_what_another_reads() -> None:
    first: Any = Data().terms("es", "time")
    first["unit"]["hour"]["say"] = "changed"

    assert Data().terms("es", "time")["unit"]["hour"]["say"] == "hora"


def config_sentences() -> list[tuple[str, str, str]]:
    data = Data()
    return [
        (lang, code, text)
        for lang in data.languages()
        for code, text in {
            **data.messages(lang)["config"],
            "config_place": data.messages(lang)["config_place"],
            "config_suggestion": data.messages(lang)["config_suggestion"],
        }.items()
    ]


@pytest.mark.parametrize(("lang", "code", "text"), config_sentences())
def test_every_sentence_about_a_config_needs_only_the_facts_of_a_problem(
    lang: str, code: str, text: str
) -> None:
    words = ImmutableSandboxedEnvironment(
        undefined=jinja2.StrictUndefined, autoescape=False
    ).from_string(text)
    problem = ConfigProblem(file="config.yaml", code=code)

    assert lang
    assert words.render(problem.facts).strip()


def test_both_languages_say_the_same_things_about_a_config() -> None:
    data = Data()

    assert data.messages("es")["config"].keys() == data.messages("en")["config"].keys()


def test_no_synonym_is_a_key_itself() -> None:
    for lang in Data().languages():
        synonyms = Data().messages(lang)["config_synonyms"]
        assert not synonyms.keys() & set(synonyms.values())


# ---------------------------------------------------------------------- words of one's own


def test_a_word_of_ones_own_is_added_and_another_replaced(own: Path) -> None:
    put(own, "es/terms/time.yaml", "unit: {hour: {say: horita, accept: [hrita, h]}}\n")
    data = Data(own)

    hour = data.terms("es", "time")["unit"]["hour"]

    assert hour["say"] == "horita"
    assert hour["plural"] == "horas"
    assert hour["accept"] == ["h", "hs", "hr", "hrs", "hrita"]
    assert data.terms("es", "time")["unit"]["day"]["say"] == "día"
    assert data.problems == ()


def test_a_sentence_of_ones_own_replaces_the_built_in_one(own: Path) -> None:
    put(own, "es/messages.yaml", "config: {empty_file: Aquí no hay nada.}\n")
    data = Data(own)

    assert data.messages("es")["config"]["empty_file"] == "Aquí no hay nada."
    assert data.messages("es")["config"]["tab"] == Data().messages("es")["config"]["tab"]
    assert data.messages("en")["config"] == Data().messages("en")["config"]


def test_entries_without_a_counterpart_are_named_and_the_rest_counts(own: Path) -> None:
    put(
        own,
        "es/messages.yaml",
        "config:\n  emty_file: x\n  tab: [1]\n  missing: {a: b}\n  bad_yaml: No.\nconfg: {}\n",
    )
    data = Data(own)

    messages = data.messages("es")

    assert messages["config"]["bad_yaml"] == "No."
    assert messages["config"]["tab"] == Data().messages("es")["config"]["tab"]
    assert seen(data.problems) == [
        ("mias/es/messages.yaml", 2, "unknown_key", "empty_file"),
        ("mias/es/messages.yaml", 3, "not_text", ""),
        ("mias/es/messages.yaml", 4, "not_text", ""),
        ("mias/es/messages.yaml", 6, "unknown_key", "config"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ("config: {tab: hola\n", 1, "unclosed_bracket"),
        ("config:\n\ttab: hola\n", 2, "tab"),
        ("[1, 2]\n", 1, "not_mapping"),
        ("#" * (MAX_BYTES + 1), 0, "file_too_large"),
    ],
)
def test_a_broken_file_is_reported_and_the_built_in_one_used(
    own: Path, text: str, line: int, code: str
) -> None:
    put(own, "es/messages.yaml", text)
    data = Data(own)

    assert data.messages("es") == Data().messages("es")
    assert seen(data.problems) == [("mias/es/messages.yaml", line, code, "")]


def test_an_empty_file_changes_nothing(own: Path) -> None:
    put(own, "es/messages.yaml", "# aún nada\n")
    data = Data(own)

    assert data.messages("es") == Data().messages("es")
    assert data.problems == ()


# ---------------------------------------------------------------------- phrases of one's own


BANK = """\
fields: {actor: person}
clauses:
  hit: {on: [attack], say: [uno, dos]}
"""


@pytest.fixture
def bank(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A phrase bank that is built in."""
    put(tmp_path, "built/es/phrases/duel.yaml", BANK)
    monkeypatch.setattr("referee.data._package", lambda _: tmp_path / "built")


@pytest.mark.usefixtures("bank")
def test_phrasings_of_ones_own_join_ours(own: Path) -> None:
    put(
        own,
        "es/phrases/duel.yaml",
        "clauses: {hit: {on: [miss], say: [tres]}, miss: {say: [cuatro]}}\nclases: {}\nfields: 3\n",
    )
    data = Data(own)

    assert data.phrases("es", "duel") == {
        "fields": {"actor": "person"},
        "clauses": {
            "hit": {"on": ["miss"], "say": ["uno", "dos", "tres"]},
            "miss": {"say": ["cuatro"]},
        },
    }
    assert seen(data.problems) == [
        ("mias/es/phrases/duel.yaml", 2, "unknown_key", "clauses"),
        ("mias/es/phrases/duel.yaml", 3, "not_mapping", ""),
    ]


@pytest.mark.usefixtures("bank")
def test_a_list_of_phrasings_stays_a_list(own: Path) -> None:
    put(own, "es/phrases/duel.yaml", "clauses: {hit: {say: {a: b}}}\n")
    data = Data(own)

    assert data.phrases("es", "duel")["clauses"]["hit"]["say"] == ["uno", "dos"]
    assert [problem.code for problem in data.problems] == ["not_list"]


def test_a_game_without_phrases_has_none() -> None:
    assert Data().phrases("es", "nada") == {}


# ---------------------------------------------------------------------- templates of one's own


def test_a_template_of_ones_own_goes_first_and_the_built_in_one_stays_at_hand(own: Path) -> None:
    name = next(iter(Data().templates("es")))
    put(own, f"es/{name}", "lo mío")
    data = Data(own)

    assert data.templates("es")[name] == "lo mío"
    assert data.templates("es", own=False)[name] == Data().templates("es")[name]
    assert data.own_template_path("es", name) == f"mias/es/{name}"


def test_parts_of_ones_own_begin_with_a_line_below(own: Path) -> None:
    put(own, "es/_firma.j2", "—El árbitro")
    data = Data(own)

    assert data.templates("es")["_firma.j2"] == "—El árbitro"
    assert data.check() == ()


def test_a_template_that_is_no_text_is_reported_and_the_built_in_one_used(own: Path) -> None:
    name = next(iter(Data().templates("es")))
    put(own, "es/x", "")
    (own / "es" / name).write_bytes(b"uno\ndos \xff\n")
    data = Data(own)

    assert data.templates("es") == Data().templates("es")
    assert seen(data.problems) == [(f"mias/es/{name}", 2, "not_utf8", "")]


def test_files_that_nothing_reads_are_named_with_what_was_meant(own: Path) -> None:
    put(own, "es/mesages.yaml", "config: {}\n")
    put(own, "es/terms/tiem.yaml", "unit: {}\n")
    put(own, "notas.txt", "mis notas")

    assert seen(Data(own).check()) == [
        ("mias/es/mesages.yaml", 0, "stray_file", "es/messages.yaml"),
        ("mias/es/terms/tiem.yaml", 0, "stray_file", "es/terms/time.yaml"),
    ]


def test_a_folder_that_is_not_there_is_a_problem_and_no_crash(tmp_path: Path) -> None:
    data = Data(tmp_path / "nada")

    assert data.messages("es") == Data().messages("es")
    assert [problem.code for problem in data.check()] == ["no_such_directory"]


def test_what_belongs_to_the_folder_is_listed_for_watching(own: Path) -> None:
    put(own, "es/messages.yaml", "")
    put(own, "dialects/bbcode.j2", "")
    put(own, "notas.txt", "")

    names = [path.relative_to(own).as_posix() for path in Data(own).own_files()]

    assert names == ["dialects/bbcode.j2", "es/messages.yaml"]


# ---------------------------------------------------------------------- rows of one's own


def weapons(own_rows: str, **more: Any) -> tuple[Mapping[str, Any], tuple[ConfigProblem, ...]]:
    rows = {"aquelarre": {"weapons": parse_yaml(own_rows, "config.yaml").root, **more}}
    data = Data(None, rows)
    return data.tables("aquelarre")["weapons"], data.problems


def test_a_row_is_changed_column_by_column() -> None:
    before = Data().tables("aquelarre")["weapons"]

    after, problems = weapons("espada: {damage: 2D6, min_strength: 9}\n")

    assert problems == ()
    assert after["espada"] == {**before["espada"], "damage": "2D6", "min_strength": 9}
    assert after["daga"] == before["daga"]


def test_a_new_row_must_give_every_column() -> None:
    row = dict(Data().tables("aquelarre")["weapons"]["alfanje"])
    del row["source"]
    written = ", ".join(f"{key}: {str(value).lower() or repr('')}" for key, value in row.items())

    whole, problems = weapons(f"cimitarra: {{{written}}}\n")
    part, refused = weapons("cimitarra: {damage: 1D8}\n")

    assert problems == ()
    assert whole["cimitarra"]["damage"].upper() == row["damage"]
    assert whole["cimitarra"]["source"] == "house"
    assert "cimitarra" not in part
    assert [problem.code for problem in refused] == ["unknown_row"]


def test_rows_and_columns_that_do_not_exist_are_named_and_the_rest_counts() -> None:
    after, problems = weapons("espad: {damage: 2D6}\ndaga: {damge: 9, damage: 1D4}\nclava: 3\n")

    assert after["daga"]["damage"] == "1D4"
    assert seen(problems) == [
        ("config.yaml", 1, "unknown_row", "espada"),
        ("config.yaml", 2, "unknown_column", "damage"),
        ("config.yaml", 3, "not_mapping", ""),
    ]
    assert [problem.field for problem in problems] == [
        "tables.aquelarre.weapons.espad",
        "tables.aquelarre.weapons.daga.damge",
        "tables.aquelarre.weapons.clava",
    ]


def test_a_table_inside_a_table_is_changed_too() -> None:
    rows = parse_yaml(
        "locations:\n  humanoid: {head: {factor: whole}}\n  dragon: {}\n"
        "sequelae: {head: {scr: {}}}\n",
        "config.yaml",
    ).root
    before = Data().tables("aquelarre")["locations"]["humanoid"]
    data = Data(None, {"aquelarre": rows})

    tables = data.tables("aquelarre")

    assert tables["locations"]["humanoid"]["head"]["factor"] == "whole"
    assert tables["locations"]["humanoid"]["chest"] == before["chest"]
    assert seen(data.problems) == [
        ("config.yaml", 3, "unknown_table", ""),
        ("config.yaml", 4, "unknown_row", "scar"),
    ]


def test_rows_in_the_folder_count_and_those_of_the_config_win(own: Path) -> None:
    put(own, "tables/aquelarre/weapons.yaml", "espada: {damage: 1D4, hands: 2}\n")
    rows = {"aquelarre": {"weapons": {"espada": {"damage": "3D6"}}}}

    espada = Data(own, rows).tables("aquelarre")["weapons"]["espada"]

    assert (espada["damage"], espada["hands"]) == ("3D6", 2)


def test_a_value_of_a_table_is_found_where_it_was_written(own: Path) -> None:
    put(own, "tables/aquelarre/weapons.yaml", "# mías\nespada:\n  damage: 1D4\n")
    rows = parse_yaml("weapons:\n  daga:\n    damage: 1D3\n", "config.yaml").root
    data = Data(own, {"aquelarre": rows})

    def place(*path: str) -> tuple[str, int]:
        found = data.place_of_row("aquelarre", path)
        return found.file, found.line

    assert place("weapons", "espada", "damage") == ("mias/tables/aquelarre/weapons.yaml", 3)
    assert place("weapons", "daga", "damage") == ("config.yaml", 3)
    assert place("weapons", "clava", "damage") == ("rulesets/aquelarre/tables/weapons.yaml", 0)


def test_rows_of_a_list_are_known_by_their_name(monkeypatch: pytest.MonkeyPatch) -> None:
    table = "- {id: fog, attack: -20}\n- {id: dark, attack: -60}\n"
    monkeypatch.setattr("referee.data._builtin_yaml", lambda *_: parse_yaml(table, "x").root)
    by_key = Data(None, {"aquelarre": {"weapons": {"fog": {"attack": -10}}}})
    as_list = Data(
        None,
        {"aquelarre": {"weapons": parse_yaml("- {id: dark, attack: 0}\n- {a: 1}\n", "c").root}},
    )

    assert by_key.tables("aquelarre")["weapons"] == [
        {"id": "fog", "attack": -10},
        {"id": "dark", "attack": -60},
    ]
    assert as_list.tables("aquelarre")["weapons"][1] == {"id": "dark", "attack": 0}
    assert [(p.code, p.line) for p in as_list.problems] == [("missing", 2)]


def test_built_in_files_are_free_of_double_keys() -> None:
    for path in [*TEMPLATES.rglob("*.yaml"), *TEMPLATES.parent.glob("rulesets/*/tables/*.yaml")]:
        assert read_yaml(path, path.name).problems == ()
