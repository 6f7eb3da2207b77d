"""Moving, charging, getting up (AN-MOV, AN-SIT-16)."""

from rulesets.anima.attack import attack
from rulesets.anima.declared import MOVE, Intent
from rulesets.anima.events import Movement
from rulesets.anima.sheet import CENTIMETRES
from rulesets.anima.turn import Round, shed

QUARTER = 4  # AN-MOV-01


def is_passive(distance_cm: int, max_move_cm: int) -> bool:
    """Whether a movement is no more than a quarter of the distance per assault (AN-MOV-01)."""
    return distance_cm * QUARTER <= max_move_cm


def move(rnd: Round, intent: Intent) -> None:
    """Move so far; towards somebody it shortens the distance (AN-MOV-01, AN-MOV-02)."""
    role, who = rnd.roles[intent.actor], rnd.who(intent.actor)
    far = intent.distance_cm
    gap = 0
    if intent.toward:
        gap = max(0, rnd.fight.distance(intent.actor, intent.toward) - far)
    if intent.kinds:
        role.open(MOVE)
        role.moved = "ran" if far >= who.sheet.max_move_cm else "moved"
    rnd.emit(
        Movement(
            actor=intent.actor,
            distance=-(-far // CENTIMETRES),
            active=bool(intent.kinds),
            toward=intent.toward,
            gap_cm=gap,
            rule="AN-MOV-02" if intent.kinds else "AN-MOV-01",
        )
    )


def charge(rnd: Round, intent: Intent) -> None:
    """Run up and strike; the run does not lower the attack (AN-SIT-16, D38)."""
    role = rnd.roles[intent.actor]
    target = intent.targets[0]
    far = rnd.fight.distance(intent.actor, target)
    rnd.emit(
        Movement(
            actor=intent.actor,
            distance=-(-far // CENTIMETRES),
            active=True,
            toward=target,
            charge=True,
            rule="AN-SIT-16",
        )
    )
    role.open(MOVE)
    role.charging = True
    attack(rnd, intent)


def stand_up(rnd: Round, intent: Intent) -> None:
    """Get up: an active (D36)."""
    rnd.roles[intent.actor].open("stand_up")
    shed(rnd, intent.actor, "prone", "AN-SIT-08")
