"""Movements, and what it costs to leave somebody's reach (AQ-MOV, AQ-DEF-21, AQ-DEF-22)."""

from typing import Final

from rulesets.aquelarre.attack import blow_at_leaver
from rulesets.aquelarre.blow import REACH
from rulesets.aquelarre.declared import Intent
from rulesets.aquelarre.events import Movement
from rulesets.aquelarre.line import allowance, destination
from rulesets.aquelarre.modifiers import check_total
from rulesets.aquelarre.rolls import check, rule_on
from rulesets.aquelarre.turn import Round, lose
from rulesets.aquelarre.wounds import gain, join, knock_down, shed
from rulesets.core.questions import Question

# On the ground one cannot walk, run, jump or climb (AQ-MOV-03).
ON_FEET: Final = ("walk", "run", "jump", "climb", "mount")


def pace_of(intent: Intent) -> str:
    """The row of movement figures of an action: under water one swims as fast as one dives."""
    verb = intent.action.id
    return "dive" if verb == "swim" and "under_water" in intent.declaration.flags else verb


def _hindered(rnd: Round, intent: Intent) -> str:
    """Why a movement cannot be made any more, or an empty string (AQ-MOV-03, AQ-MOV-06)."""
    who = rnd.who(intent.actor)
    if who.melee_with:
        return "in_melee"
    if "prone" in who.conditions and intent.action.id in ON_FEET:
        return "prone"
    return ""


def move(rnd: Round, intent: Intent) -> None:
    """Walk, run, crawl or swim (AQ-MOV-01 to -03, AQ-MOV-10)."""
    reason = _hindered(rnd, intent)
    if reason:
        lose(rnd, intent, reason)
        return
    who = rnd.who(intent.actor)
    most = allowance(who, rnd.tables.movement[pace_of(intent)])
    varas = most if intent.varas is None else min(intent.varas, most)
    to = destination(rnd, who, intent.toward, intent.away, varas)
    if to is not None and who.position is not None:
        if not _may_leave(rnd, intent, to):
            return
        varas = abs(to - who.position)
    intent.begun = True
    rnd.emit(
        Movement(
            actor=intent.actor, kind=intent.action.id, varas=varas, to=to, rule=intent.action.rule
        )
    )
    if varas:
        rnd.roles[intent.actor].moved = True


def step(rnd: Round, intent: Intent) -> None:
    """One vara, free, and not on the move (AQ-MOV-14)."""
    who = rnd.who(intent.actor)
    if who.melee_with:
        lose(rnd, intent, "in_melee")
        return
    intent.begun = True
    to = destination(rnd, who, intent.toward, intent.away, rnd.tables.movement["step"].varas)
    varas = 1 if to is None or who.position is None else abs(to - who.position)
    rnd.emit(Movement(actor=intent.actor, kind="step", varas=varas, to=to, rule="AQ-MOV-14"))


# ------------------------------------------------------------------ leaving somebody's reach


def _may_leave(rnd: Round, intent: Intent, to: int) -> bool:
    """Let the enemies left behind have their blow; False when the mover goes no farther."""
    name = intent.actor
    who = rnd.who(name)
    role = rnd.roles[name]
    left = [
        enemy.name
        for enemy in rnd.fight.cast.values()
        if enemy.side != who.side
        and enemy.name != name
        and enemy.position is not None
        and who.position is not None
        and abs(enemy.position - who.position) <= REACH < abs(enemy.position - to)
    ]
    if not left:
        return True
    if "flight_ready" in who.conditions:
        role.left |= set(left)  # they can only follow (AQ-DEF-21)
        return True
    if rnd.options.flight_attack == "none":
        return True
    can = [enemy for enemy in left if enemy not in role.struck and _may_strike(rnd, enemy)]
    for enemy in sorted(can, key=rnd.rank):
        if not rnd.who(name).able or rnd.stopped:
            break
        if _strikes(rnd, enemy, name):
            role.struck |= {enemy}
            blow_at_leaver(rnd, enemy, name)
    return not intent.begun  # a blow that felled the mover has cost it this movement too


def _may_strike(rnd: Round, enemy: str) -> bool:
    who = rnd.who(enemy)
    return who.able and not who.held_by and enemy in rnd.fight.initiative


def _strikes(rnd: Round, enemy: str, leaver: str) -> bool:
    """Whether an enemy takes its free blow: by standing order, asked, or else yes (AQ-DEF-22)."""
    ordered = rnd.roles[enemy].lets_go
    if ordered is not None:
        return not ordered
    answer = rnd.ask(
        Question(
            label=rnd.label(f"{enemy}.flight_attack"),
            who=enemy,
            options=("strike", "let_go"),
            default="strike",
            rule="AQ-DEF-22",
            facts={"leaver": leaver},
        )
    )
    return answer == "strike"


# ------------------------------------------------------------------ other movements


def close_in(rnd: Round, intent: Intent) -> None:
    """Onto an enemy in reach, after all that it does itself (AQ-MOV-04)."""
    who, other = rnd.who(intent.actor), rnd.who(intent.target)
    if not other.able:
        lose(rnd, intent, "target_down")
    elif who.melee_with:
        lose(rnd, intent, "in_melee")
    elif rnd.fight.distance(who, other) > REACH or intent.actor in rnd.roles[other.name].left:
        lose(rnd, intent, "out_of_reach")
    else:
        intent.begun = True
        rnd.emit(
            Movement(actor=intent.actor, kind="close_in", target=intent.target, rule="AQ-MOV-04")
        )
        join(rnd, intent.actor, "in_melee", "AQ-MOV-04", intent.target)
        rnd.roles[intent.actor].moved = True


def stand_up(rnd: Round, intent: Intent) -> None:
    """Begin to get up: on one's feet when the round ends (AQ-MOV-07)."""
    who = rnd.who(intent.actor)
    if who.melee_with:
        lose(rnd, intent, "in_melee")
        return
    intent.begun = True
    rnd.roles[intent.actor].rising = True
    rnd.emit(Movement(actor=intent.actor, kind="stand_up", rule="AQ-MOV-07"))


def mount(rnd: Round, intent: Intent) -> None:
    """Into the saddle or out of it (AQ-MOV-08), with a Riding roll where it is hard (AQ-MOV-09)."""
    who = rnd.who(intent.actor)
    gains = intent.action.id == "mount"
    reason = _hindered(rnd, intent)
    if not reason and gains == ("mounted" in who.conditions):
        reason = "mounted" if gains else "not_mounted"
    if reason:
        lose(rnd, intent, reason)
        return
    intent.begun = True
    if rnd.fight.scene.mount_roll:
        against = check_total(rnd, who, "riding", "riding")
        if not check(rnd, who.name, "riding", against, "AQ-MOV-09").succeeded:
            rule_on(rnd, who.name, "mount", intent.action.id)
            return
    if gains:
        gain(rnd, who.name, "mounted", "AQ-MOV-08")
    else:
        shed(rnd, who.name, "mounted", "AQ-MOV-08")


def jump(rnd: Round, intent: Intent) -> None:
    """A Jump roll; how far it carries is for the game master (AQ-MOV-11, AQ-MOV-12)."""
    reason = _hindered(rnd, intent)
    if reason:
        lose(rnd, intent, reason)
        return
    intent.begun = True
    who = rnd.who(intent.actor)
    check(rnd, who.name, "jumping", check_total(rnd, who, "jumping", "jump"), "AQ-MOV-12")
    rnd.emit(Movement(actor=who.name, kind="jump", rule="AQ-MOV-11"))
    rnd.roles[who.name].moved = True
    rule_on(rnd, who.name, "jump_distance", "jump")


def climb(rnd: Round, intent: Intent) -> None:
    """2 varas up or down after a Climb roll; on a fumble one falls (AQ-MOV-13)."""
    reason = _hindered(rnd, intent)
    if reason:
        lose(rnd, intent, reason)
        return
    intent.begun = True
    who = rnd.who(intent.actor)
    against = check_total(rnd, who, "climbing", "climb")
    attempt = check(rnd, who.name, "climbing", against, "AQ-MOV-13")
    if attempt.succeeded:
        varas = allowance(who, rnd.tables.movement["climb"])
        rnd.emit(Movement(actor=who.name, kind="climb", varas=varas, rule="AQ-MOV-13"))
        rnd.roles[who.name].moved = True
    elif attempt.result == "fumble":
        knock_down(rnd, who.name, "AQ-MOV-13")
        rule_on(rnd, who.name, "fall", "climb")
