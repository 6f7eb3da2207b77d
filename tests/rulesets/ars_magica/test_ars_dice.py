"""Stress dice: their whole distribution, against an exact computation."""

from collections import Counter
from fractions import Fraction

import icepool
import pytest

from rulesets.ars_magica.changes import apply
from rulesets.ars_magica.rolls import stress, worth
from rulesets.ars_magica.turn import Role, Round
from rulesets.core.modifiers import Modifier, Total
from rulesets.core.questions import Answers
from tests.rulesets.ars_magica.field import fight_of, man

DEEP = 4  # ones in a row, after which neither side looks further
TOO_DEEP = (-1, 0)
NOTHING = Total(())


class MoreDiceError(Exception):
    """A die is asked for that has not been thrown yet."""


class Thrown:
    """Faces given in order."""

    def __init__(self, faces):
        self.faces = faces

    def face(self, label, index, sides):
        assert label.startswith("Lope.")
        assert sides == 10
        if index >= len(self.faces):
            raise MoreDiceError
        return self.faces[index]


def rolled(faces, scene, purpose="attack", added=NOTHING, **sheet):
    """A stress roll of these faces."""
    fight = fight_of({"Lope": man(**sheet)}, scene)
    rnd = Round(
        fight,
        Thrown(faces),
        Answers(),
        apply,
        tables=fight.tables,
        options=fight.options,
        roles={"Lope": Role("Lope")},
        actions={},
    )
    return stress(rnd, "Lope", purpose, added, "single_weapon")


def counted(scene, **sheet):
    """Value and zeros to their chance: every sequence of faces, thrown one by one."""
    found = Counter()

    def walk(faces):
        if len(faces) == DEEP and set(faces) == {1}:
            found[TOO_DEEP] += Fraction(1, 10 ** len(faces))
            return
        try:
            roll = rolled(faces, scene, **sheet)
        except MoreDiceError:
            for face in range(1, 11):
                walk((*faces, face))
            return
        found[roll.die, roll.zeros] += Fraction(1, 10 ** len(faces))

    walk(())
    return found


def exact(botch):
    """The same by icepool: a one throws again and doubles, a zero throws the botch dice."""
    zero = icepool.Die({0: 9, 1: 1})

    def again(depth):
        if depth == DEEP:
            return icepool.Die([TOO_DEEP])
        return icepool.Die([again(depth + 1), *((face << depth, 0) for face in range(2, 11))])

    zeros = (botch @ zero).map(lambda count: (0, count))
    die = icepool.Die([again(1), *((face, 0) for face in range(2, 10)), zeros])
    return {outcome: die.probability(outcome) for outcome in die.outcomes()}


@pytest.mark.parametrize(
    ("scene", "sheet", "botch"),
    [
        ({}, {}, 1),
        ({"terrain": {"all": ["difficult"]}}, {}, 2),
        ({"terrain": {"all": ["difficult"]}, "light": "light"}, {}, 3),
        ({}, {"abilities": {}}, 4),
    ],
)
def test_a_stress_die_has_exactly_the_distribution_of_the_game(scene, sheet, botch):
    assert counted(scene, **sheet) == exact(botch)


def test_a_botch_leaves_nothing_of_a_total_and_a_negative_sum_as_it_is():
    plus, minus = (Total((Modifier(n, "ruling", "AM-ATK-14"),)) for n in (7, -3))
    assert rolled((10, 10), {}, added=plus).total == 0
    assert rolled((10, 10), {}, added=minus).total == -3
    assert rolled((10, 4), {}, added=plus).total == 7


def test_faces_are_worth_what_the_catalogue_says():
    assert worth((1, 1, 5)) == (20, 0)
    assert worth((1, 10)) == (20, 0)
    assert worth((10, 7)) == (0, 0)
    assert worth((10, 3, 10)) == (0, 1)


def test_an_unguarded_head_counts_in_defence_only():
    scene = {"light": "night"}
    with pytest.raises(MoreDiceError):
        rolled((10, 2, 3, 4, 5), scene, "defence", helmet=None)
    assert rolled((10, 2, 3, 4, 5), scene, "attack", helmet=None).zeros == 0
