"""The scenario runner: what fails a scenario, and how the difference reads."""

import textwrap

import pytest

from referee.scenarios import Result, run_file, run_text
from rulesets.registry import RULESETS
from tests.rulesets.playing import SCENARIOS, scenario_file

DUEL = """
    ruleset: aquelarre
    scenarios:
      - id: T-1
        title: one blow
        rules: [AQ-ATK-01]
        source: constructed
        characters:
          Lope:
            side: a
            sheet: {strength: 12, agility: 18, skills: {swords: 50}, weapons: [espada]}
          Moro: {side: b, npc: true, sheet: {agility: 5, endurance: 20}}
        rounds:
          - declarations:
              Lope: ["[acción: ataque | objetivo: Moro]"]
            dice:
              {Lope.initiative: 5, Moro.initiative: 5, Lope.attack: 30, Lope.damage: [3],
               Lope.location: 5}
            expect:
              initiative: {Lope: 23}
              order: [Lope, Moro]
              events:
                - {type: attack, actor: Lope, result: success}
                - {type: damage, target: Moro, location: chest, amount: 4}
              state:
                Moro: {hp: 16, conditions: []}
              modifiers: {Lope.attack: 50}
"""


def results(*changes: tuple[str, str], text: str = DUEL) -> tuple[Result, ...]:
    """The duel run with some of its text replaced."""
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return run_text(textwrap.dedent(text), "t.yaml")


def diff(*changes: tuple[str, str]) -> str:
    (result,) = results(*changes)
    assert not result.passed
    return result.diff


def test_a_scenario_that_comes_out_as_written_passes_and_says_nothing():
    (result,) = results()
    assert result.passed
    assert result.diff == ""
    assert (result.id, result.title, result.rules) == ("T-1", "one blow", ("AQ-ATK-01",))


WRONG = [
    ("a die that is rolled and not listed", ("Lope.attack: 30, ", ""), "dice.Lope.attack"),
    ("the second die of a list", ("Lope.damage: [3]", "Lope.damage: []"), "dice.Lope.damage"),
    (
        "a die that is listed and not rolled",
        ("Lope.attack: 30", "Lope.attack: 30, Moro.parry: 4"),
        "dice.Moro.parry",
    ),
    ("a face too many", ("Lope.damage: [3]", "Lope.damage: [3, 4]"), "dice.Lope.damage[1]"),
    (
        "a face that the die has not",
        ("Lope.location: 5", "Lope.location: 11"),
        "dice.Lope.location",
    ),
    ("an initiative", ("{Lope: 23}", "{Lope: 22}"), "initiative.Lope"),
    ("an order", ("order: [Lope, Moro]", "order: [Moro, Lope]"), "order"),
    ("an event that is not there", ("result: success}", "result: critical}"), "events[0]"),
    ("an event with another field", ("amount: 4}", "amount: 5}"), "events[1]"),
    ("a field that an event has not", ("amount: 4}", "amount: 4, mood: grim}"), "events[1]"),
    ("a state", ("hp: 16", "hp: 15"), "state.Moro.hp"),
    ("a state that there is not", ("hp: 16", "mood: 16"), "state.Moro.mood"),
    ("a set of conditions", ("conditions: []", "conditions: [prone]"), "state.Moro.conditions"),
    (
        "a modifier",
        ("modifiers: {Lope.attack: 50}", "modifiers: {Lope.attack: 60}"),
        "modifiers.Lope.attack",
    ),
    (
        "a modifier of no roll",
        ("modifiers: {Lope.attack: 50}", "modifiers: {Lope.parry: 60}"),
        "modifiers.Lope.parry",
    ),
    ("a refusal that is not expected", ("objetivo: Moro]", "objetivo: Ana]"), "rejected"),
    (
        "a refusal that does not come",
        ("modifiers: {Lope.attack: 50}", "rejected: [{character: Lope, code: prone}]"),
        "rejected",
    ),
    ("a character that there is not", ("{Lope: 23}", "{Ana: 23}"), "Ana"),
    (
        "words without a tag",
        ('["[acción: ataque | objetivo: Moro]"]', '["ataque a Moro"]'),
        "declarations",
    ),
]


@pytest.mark.parametrize(("change", "where"), [w[1:] for w in WRONG], ids=[w[0] for w in WRONG])
def test_what_differs_fails_and_is_named(change, where):
    assert f"    {where}\n" in diff(change)


def test_a_difference_shows_what_was_expected_and_what_was_found():
    lines = diff(("hp: 16", "hp: 15")).splitlines()
    at = lines.index("    state.Moro.hp")
    assert lines[at + 1 : at + 3] == ["      - 15", "      + 16"]
    assert lines[0] == "T-1  one blow"
    assert "    happened" in lines
    assert any("{type: damage, actor: Lope" in line for line in lines)


def test_a_total_that_differs_is_taken_apart():
    text = diff(("modifiers: {Lope.attack: 50}", "modifiers: {Lope.attack: 60}"))
    assert "+50 skill.swords add" in text


def test_a_scenario_that_checks_nothing_fails():
    bare = DUEL[: DUEL.index("              initiative: {Lope: 23}")]
    (result,) = results(("            expect:\n", "            expect: {}\n"), text=bare)
    assert not result.passed
    assert "something to check" in result.diff


def test_events_must_come_in_the_order_listed():
    swapped = [
        ("                - {type: attack, actor: Lope, result: success}\n", ""),
        ("amount: 4}\n", "amount: 4}\n                - {type: attack, actor: Lope}\n"),
    ]
    text = diff(*swapped)
    assert "events[1]" in text
    assert "earlier:" in text


def test_a_list_of_refusals_is_the_whole_list():
    refused = (
        (
            '["[acción: ataque | objetivo: Moro]"]',
            '["[acción: ataque | objetivo: Moro]", "[acción: bailar]"]',
        ),
        ("modifiers: {Lope.attack: 50}", "rejected: [{character: Lope, code: unknown_action}]"),
    )
    (result,) = results(*refused)
    assert result.passed
    assert "rejected" in diff(refused[0], ("modifiers: {Lope.attack: 50}", "rejected: []"))


def test_tags_under_a_key_that_is_no_character_are_the_game_masters():
    changes = (
        (
            'Lope: ["[acción: ataque | objetivo: Moro]"]',
            'Narrador: ["[acción Lope: ataque | objetivo: Moro]"]',
        ),
    )
    (result,) = results(*changes)
    assert result.passed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("title: one blow", "titel: one blow"), "t.yaml:5:12 scenarios.0.titel"),
        (("side: b", "sides: b"), "sides"),
        (("npc: true", 'npc: "yes"'), "npc"),
        (("ruleset: aquelarre", "ruleset: ajedrez"), "ajedrez"),
        (("endurance: 20}", "endurance: 20"), "t.yaml"),
        (("endurance: 20", "stamina: 20"), "stamina"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_failed_result_that_says_why(change, words):
    (result,) = results(change)
    assert not result.passed
    assert words in result.diff


def test_two_scenarios_with_one_id_are_refused():
    scenario = DUEL[DUEL.index("      - id: T-1") :]
    (result,) = run_text(textwrap.dedent(DUEL + scenario.lstrip("\n")), "t.yaml")
    assert "double id" in result.diff


def test_a_file_that_is_no_file_of_scenarios_is_no_crash(tmp_path):
    for name, content in (
        ("list.yaml", b"- 1\n"),
        ("empty.yaml", b""),
        ("bytes.yaml", b"\xff\xfe"),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        (result,) = run_file(path)
        assert not result.passed
    huge = tmp_path / "huge.yaml"
    huge.write_bytes(b"#" * 1_100_000)
    (result,) = run_file(huge)
    assert not result.passed
    (result,) = run_file(tmp_path / "missing.yaml")
    assert not result.passed


def test_a_changed_figure_anywhere_in_a_scenario_is_noticed():
    """Expectations of the real file that are off by one: each is found."""
    text = (SCENARIOS / "aquelarre.yaml").read_text(encoding="utf-8")
    for old, new in (
        ("Lope: {hp: 11, conditions: []}", "Lope: {hp: 10, conditions: []}"),
        ("amount: 4, left: 71}", "amount: 4, left: 70}"),
        (
            "modifiers: {Bandido 1.attack: 30, Lope.parry: 20}",
            "modifiers: {Bandido 1.attack: 30, Lope.parry: 21}",
        ),
    ):
        assert old in text
        failed = [r.id for r in run_text(text.replace(old, new, 1), "a.yaml") if not r.passed]
        assert len(failed) == 1


def test_every_game_has_scenarios_of_its_own():
    for game in RULESETS:
        assert scenario_file(game.id).ruleset == game.id
