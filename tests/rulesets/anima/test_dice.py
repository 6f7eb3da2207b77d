"""Open rolls and fumble levels, held against an exact computation face by face."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import icepool
import pytest

from rulesets.anima.rolls import opens
from rulesets.core.play import MOST_IN_A_CHAIN, Play
from rulesets.core.questions import Answers
from tests.rulesets.anima.playing import act, fight_of, play, told, who
from tests.rulesets.playing import FixedDice, HashDice

# Deeper chains need four dice or more of 90 and above: one roll in ten thousand.
DEPTH = 4


class Shown:
    """Dice that show a list of faces, whatever is asked for."""

    def __init__(self, faces: Sequence[int]) -> None:
        self.faces = faces

    def face(self, label: str, index: int, sides: int) -> int:
        del label, sides
        return self.faces[index]


def chain(faces: Sequence[int]) -> tuple[int, ...]:
    """What an open roll shows when the dice fall like this."""
    play_ = Play(None, Shown(faces), Answers(), lambda fight, _: fight)
    return play_.chain("Kyra", "attack", 100, opens).faces


def exact(thrown: int = 1, depth: int = DEPTH) -> "icepool.Die[int]":
    """The rule of the seed (line 324) in a library: 90 opens, then 91, 92 ..., and always a 100."""
    again = min(89 + thrown, 100)

    def one(face: int) -> object:
        return face + exact(thrown + 1, depth) if face >= again and thrown < depth else face

    return icepool.d(100).map(one)


def ours() -> dict[int, Fraction]:
    """The same distribution out of the code: every prefix of a chain of up to DEPTH dice once."""
    found: Counter[int] = Counter()

    def go(prefix: tuple[int, ...]) -> None:
        weight = 100 ** (DEPTH - len(prefix) - 1)
        for face in range(1, 101):
            faces = (*prefix, face)
            if len(faces) < DEPTH and opens(faces):
                go(faces)
            else:
                found[sum(faces)] += weight

    go(())
    return {total: Fraction(count, 100**DEPTH) for total, count in found.items()}


def test_an_open_roll_is_distributed_as_an_exact_computation_says():
    die = exact()
    expected = {total: Fraction(die.probability(total)) for total in die.outcomes()}
    assert ours() == expected


@pytest.mark.parametrize(
    ("faces", "shown"),
    [
        ([89, 1], (89,)),
        ([90, 90, 1], (90, 90)),
        ([90, 91, 91, 1], (90, 91, 91)),
        ([100, 100, 100, 5], (100, 100, 100, 5)),
        ([*range(90, 101), 100, 99, 1], (*range(90, 101), 100, 99)),
    ],
)
def test_each_opening_asks_one_more_and_a_hundred_always_opens(faces, shown):
    assert chain(faces) == shown


def test_a_chain_that_never_ends_is_cut_off():
    assert chain([100] * 200) == (100,) * MOST_IN_A_CHAIN


def levels(purpose: str) -> Counter[int]:
    """Fumble levels of a hundred fumbled attacks or defences, one for each face of the die."""
    found: Counter[int] = Counter()
    for face in range(1, 101):
        dice = {"Kyra.attack": 60, "Orco.attack": 60, "Orco.defence": 50, "Kyra.defence": 50}
        roller = "Kyra" if purpose == "attack" else "Orco"
        dice |= {f"{roller}.{purpose}": 1, f"{roller}.fumble": face}
        fight = fight_of({"Kyra": who("a"), "Orco": who("b", hp=5_000)})
        outcome = play(fight, act("Kyra", "attack", "Orco"), dice=FixedDice(dice))
        (fumble,) = told(outcome, "fumble")
        found[fumble.level] += 1
    return found


@pytest.mark.parametrize("purpose", ["attack", "defence"])
def test_a_fumble_level_is_a_plain_d100_to_the_last_face(purpose):
    die = icepool.d(100)
    expected = {face: Fraction(die.probability(face)) for face in die.outcomes()}
    found = levels(purpose)
    assert {face: Fraction(count, 100) for face, count in found.items()} == expected


def test_only_the_rolls_of_abilities_open():
    """Whatever is rolled, a resistance, a level or a place is one die."""
    plain: Counter[str] = Counter()
    for seed in range(400):
        fight = fight_of(
            {
                "Kyra": who("a", attack=250, weapons={"mandoble": {}}),
                "Orco": who("b", parry=40, hp=120, physical_resistance=20),
            }
        )
        outcome = play(fight, act("Kyra", "attack", "Orco"), dice=HashDice(str(seed)))
        for roll in outcome.rolls:
            purpose = roll.label.rpartition(".")[2].partition("#")[0]
            if purpose not in ("initiative", "attack", "defence"):
                assert len(roll.faces) == 1
                plain[purpose] += 1
    assert min(plain[name] for name in ("critical", "resist_critical", "location")) > 50


def test_the_first_three_faces_fumble_and_no_later_one():
    results = Counter()
    for face, second in product((1, 2, 3, 4, 90), (1, 50)):
        dice = FixedDice({"Kyra.attack": [face, second]})
        fight = fight_of({"Kyra": who("a"), "Orco": who("b")})
        (attack, *_) = told(play(fight, act("Kyra", "attack", "Orco"), dice=dice), "attack")
        results[face, attack.result == "fumble"] += 1
    assert results == {(1, True): 2, (2, True): 2, (3, True): 2, (4, False): 2, (90, False): 2}
