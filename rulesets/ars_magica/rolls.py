"""Rolls: stress dice and simple dice with what they mean (catalogue section 2)."""

from collections.abc import Sequence
from typing import Final

from rulesets.ars_magica.events import Check, Fumble, RulingNeeded
from rulesets.ars_magica.fight import Character
from rulesets.ars_magica.turn import Round
from rulesets.core.dice import Roll
from rulesets.core.modifiers import Modifier, Total
from rulesets.core.records import dataclass

TEN: Final = 10
DOUBLING: Final = 1  # AM-DIE-02
ZERO: Final = 10  # a ten-sided die numbered 0 to 9 shows its 0
# Rolls with one botch die whatever the ground and the light (AM-DIE-04).
PLAIN: Final = frozenset(
    {"initiative", "initiative_tie", "priority", "fast_cast", "damage", "soak", "recovery"}
)
ATTACKS: Final = frozenset({"attack", "free_attack", "disengage_attack"})
DEFENCES: Final = frozenset({"defence", "disengage"})
MOVEMENTS: Final = frozenset({"fatigue", "leap"})
UNTRAINED: Final = 3  # AM-DIE-06


@dataclass(frozen=True, slots=True)
class Stress:
    """A stress roll.

    Attributes:
        die: What the die is worth.
        zeros: Botch dice that show 0; above none it is a botch.
        total: Die and modifiers, or what a botch leaves of them.
        limit: Everything that was added to the die.
        opened_zero: The first face was 0, whatever the botch dice said.
    """

    roll: Roll
    die: int
    zeros: int
    total: int
    limit: int
    opened_zero: bool

    @property
    def label(self) -> str:
        """Label of its dice."""
        return self.roll.label

    @property
    def result(self) -> str:
        """``fumble`` for a botch, else nothing."""
        return "fumble" if self.zeros else ""


def reading(faces: Sequence[int]) -> tuple[str, int]:
    """What sort of roll a stress die turned out to be, and what it is worth."""
    value, zeros = worth(faces)
    return "botch" if zeros else "stress", value


def worth(faces: Sequence[int]) -> tuple[int, int]:
    """Value of a stress die and the zeros among its botch dice.

    1, 1, 5 is 20; 1, 0 is 20; 0, 3, 0 is nothing and one zero (AM-DIE-02, AM-DIE-03).
    """
    if faces[0] == ZERO:
        return 0, sum(face == ZERO for face in faces[1:])
    return faces[-1] << (len(faces) - 1), 0


def stress(
    rnd: Round,
    name: str,
    purpose: str,
    modifiers: Total,
    ability: str = "",
    *,
    trained: bool = True,
) -> Stress:
    """Roll a stress die.

    Args:
        rnd: The round.
        name: Who rolls.
        purpose: One of catalogue 9.
        modifiers: What is added, before rulings.
        ability: The ability that he rolls with; without a score three more botch dice.
        trained: False says that the ability is of no account here (crossbows, later blows).
    """
    who = rnd.who(name)
    against = ruled(rnd, f"{name}.{purpose}", modifiers)
    untrained = bool(ability) and trained and not who.has(ability)

    def again(faces: Sequence[int]) -> bool:
        if faces[0] != ZERO:
            return faces[-1] == DOUBLING
        return len(faces) <= _botch_dice(rnd, who, purpose, untrained=untrained)

    roll = rnd.chain(name, purpose, TEN, again, against, reading)
    die, zeros = worth(roll.faces)
    added = against.value
    total = min(0, added) if zeros else added + die
    return Stress(roll, die, zeros, total, added, roll.faces[0] == ZERO)


def ruled(rnd: Round, rolls: str, modifiers: Total) -> Total:
    """The total with what a game master has ruled for all such rolls, or for the one to come."""
    fight = rnd.fight
    value = fight.scene.modifiers.get(rolls, 0)
    if fight.rulings:
        label = rnd.next_label(rolls)
        value += fight.rulings.get(rolls, 0)
        value += fight.rulings.get(f"{label}#1" if label == rolls else label, 0)
    if not value:
        return modifiers
    return Total((*modifiers.parts, Modifier(value, "ruling", "AM-ATK-14")))


def _botch_dice(rnd: Round, who: Character, purpose: str, *, untrained: bool) -> int:
    """One, and every extra of the table of AM-DIE-04 that applies."""
    if purpose in PLAIN:
        return 1
    count = 1 + (UNTRAINED if untrained else 0)
    in_combat = purpose in ATTACKS or purpose in DEFENCES
    fight = rnd.fight
    if (in_combat or purpose in MOVEMENTS) and fight.is_terrain(who, "difficult"):
        count += who.pace != "walk"  # AM-MOV-05, AM-MOV-08
    if not in_combat or rnd.options.hazard_check == "added":
        count += hazard_dice(rnd, who)
    if purpose in DEFENCES and who.sheet.helmet is None and not who.sheet.creature:
        count += 1  # AM-DMG-08
    if in_combat and fight.scene.light != "clear" and not who.sheet.night_vision:
        count += rnd.tables.concealment[fight.scene.light].botch  # AM-SIT-07
    return count


def hazard_dice(rnd: Round, who: Character) -> int:
    """How many dice the dangers of the ground add (AM-MOV-09)."""
    if not rnd.fight.is_terrain(who, "hazard"):
        return 0
    return rnd.fight.scene.hazard_dice.get(who.name, 1)


def botched(rnd: Round, name: str, kind: str, stress_roll: Stress) -> None:
    """What follows a botch, and the accident that a hazard may add (AM-DIE-05, AM-MOV-09)."""
    if stress_roll.zeros:
        rnd.emit(
            Fumble(
                actor=name,
                roll=kind,
                zeros=stress_roll.zeros,
                label=stress_roll.label,
                rule="AM-DIE-05",
            )
        )
        rnd.emit(RulingNeeded(actor=name, reason="botch", detail=kind, rule="AM-DIE-05"))


def hazard(rnd: Round, name: str, stress_roll: Stress) -> None:
    """A zero on dangerous ground: the hazard dice are rolled apart (AM-MOV-09, D17)."""
    if not stress_roll.opened_zero or rnd.options.hazard_check != "separate":
        return
    count = hazard_dice(rnd, rnd.who(name))
    if not count:
        return
    roll = rnd.roll(name, "hazard", (TEN,) * count)
    zeros = sum(face == ZERO for face in roll.faces)
    if zeros:
        rnd.emit(Fumble(actor=name, roll="hazard", zeros=zeros, label=roll.label, rule="AM-MOV-09"))
        rnd.emit(RulingNeeded(actor=name, reason="hazard", detail="hazard", rule="AM-MOV-09"))


def check(
    rnd: Round,
    name: str,
    purpose: str,
    modifiers: Total,
    ease: int,
    rule: str,
    ability: str = "",
    *,
    target: str = "",
) -> Stress:
    """A roll against an ease factor; whoever reaches it succeeds."""
    rolled = stress(rnd, name, purpose, modifiers, ability)
    succeeded = rolled.total >= ease and not rolled.zeros
    rnd.emit(
        Check(
            actor=name,
            purpose=purpose,
            target=target,
            total=rolled.total,
            ease=ease,
            result=rolled.result or ("success" if succeeded else "failure"),
            label=rolled.label,
            die=rolled.die,
            limit=rolled.limit,
            rule=rule,
        )
    )
    return rolled


def passed(rolled: Stress, ease: int) -> bool:
    """Whether a check came out well."""
    return rolled.total >= ease and not rolled.zeros
