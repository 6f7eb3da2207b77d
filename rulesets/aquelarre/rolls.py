"""Percentile rolls: success, critical and fumble, and confrontations (AQ-ROL)."""

from typing import Final

from rulesets.aquelarre.events import Check, Fumble, Opposed, RulingNeeded
from rulesets.aquelarre.turn import Round
from rulesets.core.modifiers import Modifier, Total
from rulesets.core.records import dataclass

D100: Final = (100,)
D10: Final = (10,)
D5: Final = (5,)
D6: Final = (6,)

SURE_SUCCESS: Final = 5  # AQ-ROL-02
SURE_FAILURE: Final = 96

_WORTH: Final = {"fumble": 0, "failure": 0, "success": 1, "critical": 2}


@dataclass(frozen=True, slots=True)
class Attempt:
    """A percentile roll with what came of it.

    Attributes:
        face: The die, 1 to 100.
        limit: The final percentage.
        result: ``critical``, ``success``, ``failure`` or ``fumble``.
        label: Label of the roll.
    """

    face: int
    limit: int
    result: str
    label: str

    @property
    def succeeded(self) -> bool:
        """Whether it did what it was meant to."""
        return self.result in ("success", "critical")


def grade(face: int, percentage: int) -> str:
    """What a face is against a percentage (AQ-ROL-01 to AQ-ROL-04, table 2.1).

    With 51%: 01 to 06 critical (AQ-ROL-03), up to 51 success, 96 to 100 fumble. A percentage below
    1 counts as 1 for critical and fumble; 01 to 05 succeed even so.
    """
    tenth = -(-percentage // 10) if percentage > 0 else 1
    if face >= min(90 + tenth, 100):
        return "fumble"
    if face >= SURE_FAILURE:
        return "failure"
    if face <= tenth:
        return "critical"
    return "success" if face <= percentage or face <= SURE_SUCCESS else "failure"


def percent(rnd: Round, actor: str, purpose: str, against: Total) -> Attempt:
    """Roll 1D100 against a total."""
    roll = rnd.roll(actor, purpose, D100, against)
    face = roll.faces[0]
    limit = against.value
    return Attempt(face, limit, grade(face, limit), roll.label)


def characteristic(rnd: Round, name: str, which: str, times: int, purpose: str) -> Total:
    """A characteristic times n (AQ-ROL-05), with what a ruling adds."""
    value = rnd.who(name).figures.characteristics[which]
    parts = [
        Modifier(value, f"characteristic.{which}", "AQ-ROL-05"),
        Modifier(times, "times", "AQ-ROL-05", "times"),
    ]
    ruled = ruling(rnd, name, purpose)
    if ruled is not None:
        parts.append(ruled)
    return Total(tuple(parts))


def ruling(rnd: Round, actor: str, purpose: str, again: str = "") -> Modifier | None:
    """What the game master's rulings add to a roll (AQ-MOD-11).

    ``NAME.purpose`` is for every such roll of the round, ``NAME.purpose#2`` for the second one.
    ``again`` is the label of a roll that is compared once more.
    """
    fight = rnd.fight
    by_scene, by_round = fight.scene.modifiers, fight.rulings
    if not by_scene and not by_round:
        return None
    every = f"{actor}.{purpose}"
    this = again or rnd.next_label(every)
    if this == every:
        this = f"{every}#1"
    value = sum(table.get(label, 0) for table in (by_scene, by_round) for label in (every, this))
    return Modifier(value, "ruling", "AQ-MOD-11") if value else None


# Kind of a ``check`` event -> dice purpose (catalogue 5 and 7.1).
CHECKS: Final = {
    "endurance": "endurance",
    "agility": "agility",
    "climbing": "climb",
    "jumping": "jump",
    "riding": "riding",
    "throwing": "throw",
    "healing": "heal",
    "craft_armoury": "craft",
}


def check(rnd: Round, actor: str, kind: str, against: Total, rule: str) -> Attempt:
    """A roll that nobody opposes, told as a ``check``."""
    attempt = percent(rnd, actor, CHECKS[kind], against)
    rnd.emit(
        Check(
            actor=actor,
            kind=kind,
            result=attempt.result,
            rule=rule,
            label=attempt.label,
            face=attempt.face,
            limit=attempt.limit,
        )
    )
    return attempt


@dataclass(frozen=True, slots=True)
class Confrontation:
    """A confrontation decided: whether the active side won, and both rolls."""

    won: bool
    active: Attempt
    passive: Attempt
    resisted: bool

    @property
    def passive_won(self) -> bool:
        """Whether the other side did better, which is more than the active side's not winning."""
        return self.resisted


def confront(
    rnd: Round,
    kind: str,
    rule: str,
    active: tuple[str, str, Total],
    passive: tuple[str, str, Total],
) -> Confrontation:
    """A confrontation (AQ-ROL-06): the active side must win, or things stay as they were.

    Args:
        rnd: The round.
        kind: What it is about, for the event.
        rule: Catalogue id.
        active: Name, purpose and total of the side that must win.
        passive: The same of the other side.
    """
    one = percent(rnd, *active)
    other = percent(rnd, *passive)
    won = _beats(one, other, _ACTIVE_TIES[rnd.options.opposed_ties])
    resisted = not won and _beats(other, one, _PASSIVE_TIES[rnd.options.opposed_ties])
    rnd.emit(
        Opposed(
            actor=active[0],
            target=passive[0],
            kind=kind,
            rule=rule,
            result="success" if won else "failure",
            label=one.label,
            face=one.face,
            limit=one.limit,
            target_label=other.label,
            target_face=other.face,
            target_limit=other.limit,
        )
    )
    return Confrontation(won, one, other, resisted)


# What decides between two successes of the same rank (D-01), for the side that must win and for the
# other one.
_ACTIVE_TIES: Final = {"higher_roll": "higher_roll", "margin": "margin", "defender": "never"}
_PASSIVE_TIES: Final = {"higher_roll": "higher_roll", "margin": "margin", "defender": "always"}


def _beats(one: Attempt, other: Attempt, ties: str) -> bool:
    mine, theirs = _WORTH[one.result], _WORTH[other.result]
    if mine != theirs or not mine:
        return mine > theirs
    match ties:
        case "margin":
            return one.limit - one.face > other.limit - other.face
        case "never":
            return False
        case "always":
            return mine == theirs
    return one.face > other.face


def fumbled(rnd: Round, actor: str, action: str, target: str = "") -> None:
    """A fumbled attack or defence: 1D10, the higher the worse, and the game master is asked."""
    if rnd.options.fumble_resolution == "ignore":
        return
    roll = rnd.roll(actor, "fumble", D10)
    rnd.emit(Fumble(actor=actor, severity=roll.faces[0], label=roll.label, rule="AQ-FUM-01"))
    rule_on(rnd, actor, "fumble", action, target)


# What the rules leave to the game master, by topic of ``ruling_needed``.
TOPICS: Final = {
    "fumble": "AQ-FUM-01",
    "trick": "AQ-OTH-09",
    "spell": "AQ-OTH-07",
    "jump_distance": "AQ-MOV-12",
    "fall": "AQ-MOV-13",
    "mount": "AQ-MOV-09",
    "mount_down": "AQ-MNT-06",
    "improvised": "AQ-OTH-13",
}


def rule_on(rnd: Round, actor: str, topic: str, action: str = "", target: str = "") -> None:
    """The rules leave it to the game master."""
    rnd.emit(
        RulingNeeded(actor=actor, topic=topic, rule=TOPICS[topic], action=action, target=target)
    )
