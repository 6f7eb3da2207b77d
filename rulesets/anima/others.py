"""Secondary abilities, letting go, words, stances and what the rules do not foresee."""

from rulesets.anima.declared import Intent
from rulesets.anima.events import RulingNeeded, SkillUse, Stance, Talk
from rulesets.anima.modifiers import SKILL, Doing, gather, skill_kind
from rulesets.anima.rolls import fumbled, throw
from rulesets.anima.turn import Round, shed
from rulesets.anima.wounds import affordable, free, spend_fatigue

STANCE_RULES = {
    "offensive": "AN-STA-01",
    "all_out_attack": "AN-STA-02",
    "total_defence": "AN-STA-03",
    "defensive": "AN-STA-04",
}


def skill(rnd: Round, intent: Intent) -> None:
    """A secondary ability against a difficulty (AN-ACT-03, AN-ACT-06, AN-FUM-01)."""
    if intent.skill is None:
        raise ValueError(intent.action.id)
    name, used = intent.actor, intent.skill
    points = affordable(rnd, name, intent.fatigue)
    doing = Doing(rnd, rnd.who(name), skill=used, fatigue=points)
    against = gather(SKILL, doing)
    spend_fatigue(rnd, name, points)
    thrown = throw(rnd, name, "skill", against)
    if used.active:
        rnd.roles[name].open(skill_kind(used))
    result = "success" if thrown.total >= intent.difficulty else "failure"
    rnd.emit(
        SkillUse(
            actor=name,
            skill=used.name,
            total=0 if thrown.fumble else thrown.total,
            difficulty=intent.difficulty,
            result="fumble" if thrown.fumble else result,
            label=thrown.label,
            limit=thrown.ability,
            rule="AN-ACT-03",
        )
    )
    if thrown.fumble:
        fumbled(rnd, name, "skill", "AN-FUM-01")


def release(rnd: Round, intent: Intent) -> None:
    """Let go of whoever one holds or threatens (AN-MAN-13, AN-MAN-20)."""
    name = intent.actor
    wanted = intent.targets
    held = rnd.who(name).holding
    if held and (not wanted or held in wanted):
        free(rnd, name, held, "AN-MAN-13")
    for other in list(rnd.fight.cast.values()):
        if other.threatened_by == name and (not wanted or other.name in wanted):
            shed(rnd, other.name, "threatened", "AN-MAN-20", by=name)


def talk(rnd: Round, intent: Intent) -> None:
    """Words, shouts, signs (AN-ACT-05)."""
    rnd.emit(Talk(actor=intent.actor, rule="AN-ACT-05"))


def other(rnd: Round, intent: Intent) -> None:
    """What is not on the list is the game master's (AN-SIT-21)."""
    rnd.emit(
        RulingNeeded(
            actor=intent.actor,
            reason="manoeuvre",
            text=intent.declaration.get("text"),
            rule="AN-SIT-21",
        )
    )


def enter(rnd: Round, intent: Intent) -> None:
    """A stance begins; it lasts until it is left (AN-STA-06)."""
    stance = intent.action.id
    if stance == "total_defence":
        rnd.roles[intent.actor].open(stance)
    rnd.emit(Stance(actor=intent.actor, stance=stance, change="entered", rule=STANCE_RULES[stance]))


def leave(rnd: Round, name: str) -> None:
    """A stance ends (AN-STA-06, D16)."""
    stance = rnd.who(name).stance
    if stance:
        rnd.emit(Stance(actor=name, stance=stance, change="left", rule="AN-STA-06"))
