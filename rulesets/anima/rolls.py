"""Open rolls, fumbles, resistance checks and checks of characteristics (AN-OPN, AN-FUM, D20)."""

from collections.abc import Sequence
from typing import Final

from rulesets.anima.events import Fumble, Opposed, Resistance, RulingNeeded
from rulesets.anima.modifiers import CONTROL, Check, control_total
from rulesets.anima.turn import Round
from rulesets.core.dice import Roll
from rulesets.core.modifiers import Modifier, Total
from rulesets.core.records import dataclass

D100: Final = (100,)
D10: Final = (10,)
HUNDRED: Final = 100
OPENS: Final = 90  # AN-OPN-01
GRAVE: Final = 80  # AN-FUM-07
TEN: Final = 10
TEN_COUNTS: Final = 12  # option characteristic_ten_rule


def opens(faces: Sequence[int]) -> bool:
    """Whether a d100 is thrown again (AN-OPN-02, AN-OPN-03).

    90 or more, then 91, 92 ...; a 100 always.
    """
    return faces[-1] >= min(OPENS + len(faces) - 1, HUNDRED)


@dataclass(frozen=True, slots=True)
class Thrown:
    """An open roll on top of an ability.

    Attributes:
        ability: Sum of its reasons.
        dice: Sum of the chain.
        fumble: Whether the first die was a fumble.
        label: Label of the roll.
    """

    ability: int
    dice: int
    fumble: bool
    label: str

    @property
    def total(self) -> int:
        """Ability and dice."""
        return self.ability + self.dice


def throw(rnd: Round, actor: str, purpose: str, against: Total) -> Thrown:
    """Roll an open d100 to add to an ability (AN-OPN-01 to -03, AN-FUM-01)."""
    roll = rnd.chain(actor, purpose, HUNDRED, opens, against)
    fumble = roll.faces[0] <= rnd.who(actor).sheet.fumble_max
    return Thrown(against.value, sum(roll.faces), fumble, roll.label)


def plain(rnd: Round, actor: str, purpose: str) -> Roll:
    """Roll a d100 that is not open (AN-OPN-04)."""
    return rnd.roll(actor, purpose, D100)


def fumbled(rnd: Round, actor: str, roll: str, rule: str) -> int:
    """How bad a fumble is; above 80 the game master may add to it (AN-FUM-02, AN-FUM-07)."""
    level = plain(rnd, actor, "fumble")
    rnd.emit(Fumble(actor=actor, roll=roll, level=level.value, label=level.label, rule=rule))
    if roll in ("attack", "defence") and level.value > GRAVE:
        rnd.emit(RulingNeeded(actor=actor, reason=f"{roll}_fumble", rule="AN-FUM-07"))
    return level.value


def resist(rnd: Round, actor: str, purpose: str, kind: str, against: tuple[str, int, str]) -> int:
    """A resistance check: by how much it failed; 0 where it did not (equal is enough).

    Args:
        rnd: The assault.
        actor: Who resists.
        purpose: Dice purpose.
        kind: The sheet's figure.
        against: What for, the difficulty, and the catalogue id.
    """
    what, difficulty, rule = against
    value = rnd.who(actor).sheet.resistances[kind]
    ability = Total((Modifier(value, f"resistance.{kind}", rule),))
    roll = rnd.roll(actor, purpose, D100, plus=ability)
    total = value + roll.value
    failure = max(0, difficulty - total)
    rnd.emit(
        Resistance(
            actor=actor,
            kind=kind,
            against=what,
            total=total,
            difficulty=difficulty,
            failure=failure,
            result="failure" if failure else "success",
            label=roll.label,
            limit=value,
            rule=rule,
        )
    )
    return failure


def oppose(rnd: Round, manoeuvre: str, active: Check, passive: Check, rule: str) -> int:
    """A check of characteristics: by how much the active side won; 0 or less is a failure (D20)."""
    one, other = control_total(CONTROL, active), control_total(CONTROL, passive)
    first = rnd.roll(active.who.name, "control", D10, plus=one)
    second = rnd.roll(passive.who.name, "control", D10, plus=other)
    mine, theirs = one.value + _face(rnd, first), other.value + _face(rnd, second)
    rnd.emit(
        Opposed(
            actor=active.who.name,
            target=passive.who.name,
            manoeuvre=manoeuvre,
            actor_total=mine,
            target_total=theirs,
            difference=mine - theirs,
            result="success" if mine > theirs else "failure",
            label=first.label,
            limit=one.value,
            target_label=second.label,
            target_limit=other.value,
            rule=rule,
        )
    )
    return mine - theirs


def _face(rnd: Round, roll: Roll) -> int:
    if roll.value == TEN and rnd.options.characteristic_ten_rule == "plus_two":
        return TEN_COUNTS
    return roll.value
