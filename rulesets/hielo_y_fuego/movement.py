"""Moving: on foot and in the saddle, charging and sprinting (HF-OTH-03, -04, -09, -15)."""

from rulesets.hielo_y_fuego.attack import dishonour, release, strike
from rulesets.hielo_y_fuego.blow import Blow
from rulesets.hielo_y_fuego.counter import came, distances, passed_by
from rulesets.hielo_y_fuego.declared import Intent
from rulesets.hielo_y_fuego.derived import movement_of, sprint_of
from rulesets.hielo_y_fuego.events import Movement, WeaponChange
from rulesets.hielo_y_fuego.scene import ADJACENT
from rulesets.hielo_y_fuego.turn import Round, gain, lose


def moved(rnd: Round, intent: Intent, kind: str, most: int, rule: str) -> None:
    """A movement of one's own, with the counterattacks that it sets off (catalogue 3.3)."""
    actor = intent.actor
    metres = most if intent.metres is None else min(intent.metres, most)
    toward, away, distance = intent.toward, intent.away, 0
    if toward:
        gap = rnd.fight.distance(actor, toward)
        metres = min(metres, gap - ADJACENT)
        distance = gap - metres
    elif away:
        distance = rnd.fight.distance(actor, away) + metres
    elif intent.metres is None:
        metres = 0
    _step(
        rnd,
        Movement(
            actor=actor,
            kind=kind,
            metres=metres,
            toward=toward,
            from_=away,
            passing=intent.passing,
            distance=distance,
            rule=rule,
        ),
    )


def _step(rnd: Round, event: Movement, *, charging: bool = False) -> None:
    actor = event.actor
    before = distances(rnd, actor)
    release(rnd, actor, "HF-ATK-13")
    rnd.roles[actor].moved = True
    rnd.emit(event)
    if before:
        if event.passing:
            passed_by(rnd, actor, event.passing)
        came(rnd, actor, before, charging=charging)


def move(rnd: Round, intent: Intent) -> None:
    """Up to the movement in metres; a weapon may be drawn on the way (HF-OTH-14, HF-OTH-15)."""
    who = rnd.who(intent.actor)
    kind = "ride" if who.mounted else "move"
    rule = "HF-OTH-09" if who.mounted else "HF-OTH-15"
    moved(rnd, intent, kind, movement_of(rnd.fight, who), rule)
    if intent.item and not rnd.who(intent.actor).senseless:
        rnd.emit(
            WeaponChange(actor=intent.actor, weapon=intent.item, kind="drawn", rule="HF-OTH-14")
        )
        gain(rnd, intent.actor, "drew_moving", "HF-OTH-14", intent.actor)


def sprint(rnd: Round, intent: Intent) -> None:
    """4 × movement less the bulk; attacks on him have −1D until his next turn (HF-OTH-04)."""
    moved(rnd, intent, "sprint", sprint_of(rnd.fight, rnd.who(intent.actor)), "HF-OTH-04")
    if not rnd.who(intent.actor).out:
        gain(rnd, intent.actor, "sprinted", "HF-ADV-03", intent.actor)


def charge(rnd: Round, intent: Intent) -> None:
    """Up to twice the movement, then an attack at −1D with +2 base damage (HF-OTH-03)."""
    actor, target, weapon = intent.actor, intent.target, intent.arms
    gap = rnd.fight.distance(actor, target)
    needed = max(0, gap - weapon.reach)
    if needed > 2 * movement_of(rnd.fight, rnd.who(actor)):
        lose(rnd, intent, "out_of_reach", "HF-OTH-03", target)
        return
    if rnd.who(target).out:
        lose(rnd, intent, "target_down", "HF-ACT-05", target)
        return
    if needed:
        event = Movement(
            actor=actor,
            kind="charge",
            metres=needed,
            toward=target,
            distance=gap - needed,
            rule="HF-OTH-03",
        )
        _step(rnd, event, charging=True)
        if rnd.who(actor).senseless:
            lose(rnd, intent, "cannot_act", "HF-ACT-06", target)
            return
    dishonour(rnd, actor)
    blow = Blow(
        rnd,
        actor,
        target,
        weapon,
        "charge",
        dice=intent.action.dice,
        charging=True,
        stagger="stagger" in intent.declaration.flags,
    )
    strike(rnd, blow, intent.destiny)
