"""Templates that a game master has written: used if they can be, replaced and reported if not."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.data import Data
from referee.narration import Narrator, TemplateFailedError, TemplateProblem
from referee.narration.dialects import Page
from referee.narration.press import MAX_PROBLEMS, Sources
from referee.narration.rehearsal import rehearsed
from referee.narration.sandbox import FILTERS, MAX_CHARS, MAX_SOURCE_CHARS, MAX_STEPS, Sandbox
from tests.narration.telling import (
    CLOSING,
    FREE_ROLLS,
    GAME,
    LANGUAGES,
    MARK,
    REPORT,
    attack,
    narrator,
    sources,
    surface,
)


def with_own(
    templates: Mapping[str, str] = MappingProxyType({}),
    messages: Mapping[str, object] = MappingProxyType({}),
    dialects: Mapping[str, str] = MappingProxyType({}),
    phrases: Mapping[str, object] | None = None,
    dialect: str = "text",
) -> Narrator:
    ours = sources("es")
    return Narrator(
        Sources(
            templates=[templates, *ours.templates],
            dialects=[dialects, *ours.dialects],
            messages=[messages, *ours.messages],
            terms=ours.terms,
            phrases=ours.phrases if phrases is None else phrases,
        ),
        "es",
        surface(dialect),
    )


def test_a_template_of_the_game_masters_is_used():
    teller = with_own({"closing.j2": "Se acabó tras {{ rounds }} asaltos."})
    assert teller.closing(CLOSING, MARK).startswith("Se acabó tras 3 asaltos.")
    assert teller.problems() == ()


@pytest.mark.parametrize(
    ("dialect", "drawn"),
    [
        ("bbcode", "[quote]Ay[/quote]"),
        ("markdown", "> Ay"),
        ("html", "<blockquote>Ay</blockquote>"),
        ("text", "«Ay»"),
    ],
)
def test_somebodys_words_can_be_set_apart(dialect: str, drawn: str):
    teller = with_own({"closing.j2": "{{ quote('Ay') }}\n{{ rule() }}"}, dialect=dialect)
    assert teller.closing(CLOSING, MARK).startswith(drawn)


def test_a_part_that_ours_include_can_be_replaced():
    pieces = "{% macro state(fighters) %}(tabla){% endmacro %}"
    assert "(tabla)" in with_own({"_pieces.j2": pieces}).closing(CLOSING, MARK)


@pytest.mark.parametrize(
    ("source", "line", "code"),
    [
        ("uno\n\n{% if %}", 3, "template_syntax"),
        ("uno\n{{ nada }}", 2, "template_unknown_name"),
        ("{{ reason }}\n{{ fighters[0].nada }}", 2, "template_unknown_name"),
        ("{% include 'falta.j2' %}", 1, "template_syntax"),
        ("\n{{ 'a'.upper() }}", 2, "template_forbidden"),
        ("{{ ''.__class__.__mro__ }}", 1, "template_forbidden"),
        ("{{ 'a' * 1000000000 }}", 1, "template_forbidden"),
        ("{% for x in fighters %}" * 8 + "{% endfor %}" * 8, 1, "template_too_much_work"),
        ("x" * 100_001, 0, "template_too_large"),
    ],
)  # fmt: skip
def test_a_broken_template_is_reported_with_its_line_and_ours_is_used(
    source: str, line: int, code: str
):
    teller = with_own({"closing.j2": source})
    assert "Fin del combate" in teller.closing(CLOSING, MARK)
    (problem,) = teller.problems()
    assert (problem.name, problem.line, problem.code) == ("closing", line, code)
    assert problem.detail
    assert teller.problems() == ()


def test_a_broken_dialect_is_reported_and_ours_is_used():
    teller = with_own(dialects={"bbcode.j2": "{% macro bold(words) %}"}, dialect="bbcode")
    assert "[b]Fin del combate[/b]" in teller.closing(CLOSING, MARK)
    assert {problem.name for problem in teller.problems()} == {"bbcode"}


def test_a_dialect_of_the_game_masters_is_used():
    teller = with_own(
        dialects={"bbcode.j2": sources("es").dialects[0]["bbcode.j2"].replace("[b]", "[strong]")},
        dialect="bbcode",
    )
    assert "[strong]Fin del combate" in teller.closing(CLOSING, MARK)


def test_a_broken_message_is_reported_and_ours_is_used():
    teller = with_own(messages={"ending": {"one_side_left": "Fin {{ nada }}"}})
    assert "Solo queda un bando" in teller.closing(CLOSING, MARK)
    (problem,) = teller.problems()
    assert problem == TemplateProblem(
        "messages.ending.one_side_left", 1, "template_unknown_name", "'nada' is undefined"
    )


def test_a_message_of_the_game_masters_is_used():
    teller = with_own(messages={"ending": {"one_side_left": "Quedan en pie los de siempre."}})
    assert "Quedan en pie los de siempre." in teller.closing(CLOSING, MARK)


def test_a_broken_phrase_gives_way_to_another_of_its_entry():
    phrases = dict(sources("es").phrases)
    clauses = dict(phrases["clauses"])
    clauses["shield_parried"] = {
        **clauses["shield_parried"],
        "say": [", {{ nada }}", ", y el escudo aguanta"],
    }
    teller = with_own(phrases={**phrases, "clauses": clauses})
    ((_, text),) = teller.round_report(REPORT, MARK)
    assert "y el escudo aguanta" in text


def test_an_entry_of_no_use_is_left_out_and_named():
    phrases = {
        "clauses": {
            "uno": {"on": {"type": "death"}},
            "dos": "no",
            "tres": {"on": [{"kind": "x"}], "say": ["x"]},
            "cuatro": {"on": {"type": "death"}, "say": ["{{ actor }} muere"]},
        }
    }
    problems = with_own(phrases=phrases).bank.problems
    assert [(problem.entry, problem.code) for problem in problems] == [
        ("clauses.uno", "no_phrases"),
        ("clauses.dos", "no_mapping"),
        ("clauses.tres", "bad_condition"),
    ]


def test_without_any_phrases_a_round_is_still_told():
    ((_, text),) = with_own(phrases={}).round_report(REPORT, MARK)
    assert "attack" in text
    assert "11/15" in text


def test_when_ours_is_broken_too_the_error_says_what_was_wrong():
    ours = sources("es")
    broken = Sources([{"closing.j2": "{{ nada }}"}], ours.dialects, ours.messages, ours.terms)
    with pytest.raises(TemplateFailedError) as failed:
        Narrator(broken, "es", surface("text")).closing(CLOSING, MARK)
    assert failed.value.problems[0].code == "template_unknown_name"


GREEDY = {
    "a macro that calls itself": "{% macro m(n) %}{{ m(n) }}{{ m(n) }}{% endmacro %}{{ m(1) }}",
    "doubled texts": "{% set a='aaaaaaaa' %}" + "{% set a=a~a %}" * 60 + "{{ a }}",
    "captured texts": "{% set a='aaaaaaaa' %}"
    + "{% set a %}{{ a }}{{ a }}{% endset %}" * 60
    + "{{ a }}",
    "joined texts": "{% set a='aaaaaaaa' %}" + "{% set a=[a,a]|join(a) %}" * 60 + "{{ a }}",
    "sums of texts": "{% set a='aaaaaaaa' %}" + "{% set a=a+a %}" * 60 + "{{ a }}",
    "powers": "{{ 9 ** 9 ** 9 }}",
    "products": "{% set a=999999 %}" + "{% set a=a*a %}" * 40 + "{{ a }}",
    "wide formats": "{{ '%1000000000d' % 1 }}",
    "including itself": "{% include 'own' %}{% include 'own' %}",
    "recursive loops": "{% for x in [1] recursive %}{{ loop([1,1]) }}{% endfor %}",
    "deep brackets": "{{ " + "(" * 500 + "1" + ")" * 500 + " }}",
}


@pytest.mark.parametrize("source", GREEDY.values(), ids=GREEDY.keys())
@pytest.mark.timeout(20)
def test_a_greedy_template_is_stopped(source: str):
    sandbox = Sandbox([{"own": source}], str)
    with pytest.raises(TemplateFailedError):
        sandbox.printed("own", {})
    assert sandbox.steps <= MAX_STEPS + 1
    assert sandbox.chars <= 3 * MAX_CHARS


FORBIDDEN = {
    "methods of texts": "{{ 'a'.format(1) }}",
    "the class of a value": "{{ (1).__class__ }}",
    "private fields": "{{ words._raw }}",
    "raw words": "{{ words.raw_words() }}",
    "range": "{{ range(3) }}",
    "random choice": "{{ [1, 2] | random }}",
    "unescaped words": "{{ words | safe }}",
}


@pytest.mark.parametrize("source", FORBIDDEN.values(), ids=FORBIDDEN.keys())
def test_a_template_cannot_reach(source: str):
    sandbox = Sandbox([{}], str)
    with pytest.raises(TemplateFailedError):
        sandbox.printed("own", {"words": sandbox.text("x")}, source=source)


@pytest.mark.parametrize(
    "source",
    [
        "{{ words }}",
        "{{ words ~ '!' }}",
        "{{ '!' ~ words ~ words }}",
        "{{ '!' + words }}",
        "{{ [words, '!'] | join(', ') }}",
        "{{ [words, words] | join(words) }}",
        "{{ words | upper }}",
        "{{ words | string }}",
        "{% set x %}{{ words }}{% endset %}{{ x }}",
        "{% macro m(x) %}{{ x }}{% endmacro %}{{ m(words) }}",
        "{% macro m() %}{{ caller() }}{% endmacro %}{% call m() %}{{ words }}{% endcall %}",
        "{{ [words] }}",
        "{{ {'a': words} }}",
    ],
)
@given(raw=st.text(st.sampled_from("<>ab"), min_size=1, max_size=6))
def test_words_of_a_player_are_escaped_however_they_are_joined(source: str, raw: str):
    sandbox = Sandbox([{}], lambda text: text.replace("<", "(").replace(">", ")"))
    printed = sandbox.printed("own", {"words": sandbox.text(raw)}, source=source)
    assert "<" not in printed
    assert ">" not in printed


def test_rendering_one_post_does_not_use_up_another_ones_budget():
    teller = with_own()
    for _ in range(50):
        teller.rolls(FREE_ROLLS, MARK)
    assert teller.problems() == ()


# ------------------------------------------------------------------ from the game master's folder


def narrator_with(folder: Path) -> Narrator:
    """As the shell makes one: the game master's folder first, ours behind it."""
    data, builtin = Data(folder), Data()
    return Narrator(
        Sources(
            templates=[data.templates("es"), builtin.templates("es")],
            dialects=[data.dialect_templates(), builtin.dialect_templates()],
            messages=[data.messages("es"), builtin.messages("es")],
            terms=sources("es").terms,
            phrases=data.phrases("es", "aquelarre"),
        ),
        "es",
        surface("text"),
    )


def put(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_a_folder_without_mistakes_rehearses_well(tmp_path: Path):
    put(tmp_path, "es/closing.j2", "{{ heading('Se acabó') }}\n\n{{ reason }}")
    teller = narrator_with(tmp_path)
    assert rehearsed(teller) == ()
    assert teller.closing(CLOSING, MARK).startswith("== Se acabó ==")


def test_the_rehearsal_names_every_broken_template_message_and_phrase(tmp_path: Path):
    put(tmp_path, "es/status.j2", "{{ heading('Asalto') }}\n{{ nada }}")
    put(tmp_path, "es/messages.yaml", 'ending: {by_command: "Fin {{"}\n')
    put(
        tmp_path,
        "es/phrases/aquelarre.yaml",
        'clauses:\n  miss:\n    say: [", {% fin %}"]\n',
    )
    found = {(p.name, p.line, p.code) for p in rehearsed(narrator_with(tmp_path))}
    assert found == {
        ("status", 2, "template_unknown_name"),
        ("messages.ending.by_command", 1, "template_syntax"),
        ("phrases.clauses.miss", 1, "template_syntax"),
    }


@pytest.mark.parametrize("lang", LANGUAGES)
def test_ours_rehearse_well(lang: str):
    assert rehearsed(narrator(lang, "bbcode")) == ()


def test_phrases_of_the_game_masters_join_ours_or_take_their_place(tmp_path: Path):
    put(
        tmp_path,
        "es/phrases/aquelarre.yaml",
        "nouns:\n  weapon: {Tizona: f}\n"
        'openers:\n  melee:\n    instead: ["{{ actor }} enarbola {{ weapon.the }}"]\n'
        'clauses:\n  miss:\n    say: [", y maldice su suerte"]\n',
    )
    teller = narrator_with(tmp_path)
    told = ""
    for round_ in range(20):
        blow = attack("Lope", "Iria", weapon="Tizona", result="failure")
        story = replace(REPORT, round=round_, events=(blow,))
        told += teller.round_report(story, MARK)[0][1]
    assert told.count("Lope enarbola la Tizona") == 20
    assert "y maldice su suerte" in told
    assert "pero falla" in told
    assert teller.problems() == ()


def test_problems_do_not_pile_up_while_nobody_asks():
    broken = {f"x{n}": "{{ nada }}" for n in range(300)}
    teller = with_own(messages={"ending": broken})
    for code in broken:
        teller.closing(replace(CLOSING, reason=code), MARK)
    assert len(teller.problems()) == MAX_PROBLEMS


# ------------------------------------------------------------------ what the docs say


def test_the_page_for_game_masters_lists_every_function_and_template():
    page = (Path(__file__).parents[2] / "docs" / "templates.md").read_text(encoding="utf-8")
    told = set(re.findall(r"`([a-z_0-9]+)(?:\(|\.j2`|`)", page))
    teller = narrator("es")
    voice = teller._voice(GAME)  # noqa: SLF001 - the functions have no other door
    drawing = Sandbox([{"text": sources("es").dialects[0]["text.j2"]}], str)
    functions = {
        *voice.functions(),
        *Page(drawing, "text", "", tables=True, fences=True).functions(),
    }
    templates = {name.removesuffix(".j2") for name in sources("es").templates[0]}
    filters = {*FILTERS, "join", "cap"}
    assert functions | templates | filters <= told
    for limit in (MAX_SOURCE_CHARS, MAX_STEPS, MAX_CHARS):
        assert f"{limit:,}" in page
