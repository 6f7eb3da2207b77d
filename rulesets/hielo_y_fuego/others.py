"""Other actions: help, aim, pass, yield, dodge, things in hand, breath, abilities (HF-OTH)."""

from typing import Final

from rulesets.core.modifiers import Total
from rulesets.hielo_y_fuego.attack import fumbled_elsewhere
from rulesets.hielo_y_fuego.declared import Intent
from rulesets.hielo_y_fuego.derived import guarding, movement_of
from rulesets.hielo_y_fuego.events import (
    Assist,
    Condition,
    Dodge,
    Interact,
    Recover,
    WeaponChange,
)
from rulesets.hielo_y_fuego.fight import Character
from rulesets.hielo_y_fuego.manoeuvres import told
from rulesets.hielo_y_fuego.movement import moved
from rulesets.hielo_y_fuego.pools import Pool, ability_pool, part, spend, tried
from rulesets.hielo_y_fuego.scene import ADJACENT
from rulesets.hielo_y_fuego.turn import Round, gain, lose, rule_on, shed

BREATH: Final = 0  # HF-OTH-16
RECOVERY: Final = 12  # HF-ADV-18
FAR: Final = 2  # metres at which a fallen weapon asks for a move first (catalogue 3.3)
# The test that help with a verb serves, and the ability of that test (HF-OTH-01).
HELPED: Final = {
    "attack": ("attack", ""),
    "knock_down": ("knock_down", "athletics"),
    "distract": ("distract", "cunning"),
    "trample": ("trample", "animal_handling"),
    "pin": ("pin", "athletics"),
    "escape": ("escape", "fighting"),
    "dodge": ("dodge", "agility"),
    "catch_breath": ("breath", "endurance"),
    "use_ability": ("test", ""),
}
SHAMED: Final = ("status", "persuasion")  # HF-OTH-08


# ------------------------------------------------------------------ for others and for later


def assist(rnd: Round, intent: Intent) -> None:
    """A flat bonus on an adjacent ally's test: half the helper's rank, at least 1 (HF-OTH-01)."""
    if rnd.fight.distance(intent.actor, intent.target) > ADJACENT:
        lose(rnd, intent, "out_of_reach", "HF-OTH-01", intent.target)
        return
    ally = rnd.who(intent.target)
    if ally.out:
        lose(rnd, intent, "target_down", "HF-ACT-05", intent.target)
        return
    test, ability = HELPED[intent.helps]
    ability = intent.ability or ability or _helping(ally)
    rank = rnd.who(intent.actor).sheet.ranks[ability]
    rnd.emit(
        Assist(
            actor=intent.actor,
            target=intent.target,
            test=test,
            bonus=max(1, rank // 2),
            rule="HF-OTH-01",
        )
    )


def _helping(ally: Character) -> str:
    """Fighting, or Marksmanship where the ally's first weapon in hand shoots."""
    first = next(iter(ally.held_weapons), None)
    return "marksmanship" if first is not None and first.missile else "fighting"


def aim(rnd: Round, intent: Intent) -> None:
    """+1B to his next attack, at the latest in his next turn (HF-ADV-04)."""
    gain(rnd, intent.actor, "aiming", "HF-ADV-04", intent.actor)


def give_way(rnd: Round, intent: Intent) -> None:
    """Nothing this turn; +2B on the next test, and the right to interrupt (HF-OTH-05).

    Passing again adds nothing more (HF-OTH-06): a condition holds or does not.
    """
    who = rnd.who(intent.actor)
    rnd.emit(
        Condition(
            actor=who.name, target=who.name, condition="passed", gained=True, rule="HF-OTH-05"
        )
    )


def give_in(rnd: Round, intent: Intent) -> None:
    """At the enemy's mercy; whether they accept is theirs to say (HF-OTH-07)."""
    gain(rnd, intent.actor, "yielded", "HF-OTH-07", intent.actor)
    rule_on(rnd, "yield", "HF-OTH-07", intent.actor)


def destiny(rnd: Round, intent: Intent) -> None:
    """Any other use of a destiny point is the game master's to allow (HF-OTH-21)."""
    rule_on(rnd, "destiny", "HF-OTH-21", intent.actor, detail=intent.object)


# ------------------------------------------------------------------ oneself


def dodge(rnd: Round, intent: Intent) -> None:
    """The total of an Agility test stands for the combat defence (HF-OTH-11, HF-OTH-12)."""
    if intent.metres is not None or intent.away:
        most = movement_of(rnd.fight, rnd.who(intent.actor)) // 2
        moved(rnd, intent, "dodge", most, "HF-OTH-11")
        if rnd.who(intent.actor).senseless:
            lose(rnd, intent, "cannot_act", "HF-ACT-06")
            return
    who = rnd.who(intent.actor)
    pool = ability_pool(rnd, who, "agility", "dodge", ("dodge",))
    guard = guarding(who)
    if guard:
        pool.flat.append(part(guard, "defensive", "HF-OTH-12"))
    shielded = who.sheet.bonus("shields")
    if shielded and any(weapon.shield for weapon in who.held_weapons):
        pool.flat.append(part(shielded, "shield_dice", "HF-OTH-12"))
    spend(rnd, who, intent.destiny, pool)
    attempt = tried(rnd, who, "dodge", pool)
    told(rnd, who, "dodge", attempt, None, "HF-OTH-11")
    rnd.emit(Dodge(actor=who.name, total=attempt.total, rule="HF-OTH-11"))
    gain(rnd, who.name, "dodging", "HF-OTH-11", who.name)
    fumbled_elsewhere(rnd, who.name, "dodge", attempt)


def drop_prone(rnd: Round, intent: Intent) -> None:
    """Down on the ground (HF-OTH-17)."""
    gain(rnd, intent.actor, "prone", "HF-OTH-17", intent.actor)


def stand_up(rnd: Round, intent: Intent) -> None:
    """Up again (HF-OTH-17, HF-OTH-18)."""
    shed(rnd, intent.actor, "prone", "HF-OTH-17", intent.actor)


def catch_breath(rnd: Round, intent: Intent) -> None:
    """Each degree of an Endurance test gives back a point of health (HF-OTH-16)."""
    who = rnd.who(intent.actor)
    pool = ability_pool(rnd, who, "endurance", "breath")
    spend(rnd, who, intent.destiny, pool)
    against = Total((part(BREATH, "difficulty", "HF-OTH-16"),))
    attempt = tried(rnd, who, "breath", pool, against)
    degrees = told(rnd, who, "breath", attempt, against, "HF-OTH-16")
    fumbled_elsewhere(rnd, who.name, "breath", attempt)
    back = min(degrees, who.sheet.health_max - who.health)
    if back:
        rnd.emit(Recover(actor=who.name, kind="health", amount=back, rule="HF-OTH-16"))


def recovered(rnd: Round, name: str) -> None:
    """The stunned and the unconscious try to come to themselves (HF-ADV-18)."""
    who = rnd.who(name)
    kind = "unconscious" if "unconscious" in who.conditions else "stunned"
    until = who.unconscious_until if kind == "unconscious" else who.stunned_until
    if until and rnd.fight.round >= until:
        rnd.emit(Recover(actor=name, kind=kind, rule="HF-ADV-18"))
        return
    pool = ability_pool(rnd, who, "endurance", "recover", ("resilience",))
    against = Total((part(RECOVERY, "difficulty", "HF-ADV-18"),))
    attempt = tried(rnd, who, "recover", pool, against)
    if told(rnd, who, "recover", attempt, against, "HF-ADV-18"):
        rnd.emit(Recover(actor=name, kind=kind, rule="HF-ADV-18"))
    fumbled_elsewhere(rnd, name, "recover", attempt)


# ------------------------------------------------------------------ things and abilities


def interact(rnd: Round, intent: Intent) -> None:
    """Draw a weapon, pick one up, or handle anything else (HF-OTH-13)."""
    who = rnd.who(intent.actor)
    name = intent.item
    if not name:
        rnd.emit(Interact(actor=who.name, object=intent.object, rule="HF-OTH-13"))
        return
    if who.dropped.get(name, 0) >= FAR and not rnd.roles[who.name].moved:
        lose(rnd, intent, "out_of_reach", "HF-OTH-13")
        return
    rnd.emit(WeaponChange(actor=who.name, weapon=name, kind="drawn", rule="HF-OTH-13"))


def reload(rnd: Round, intent: Intent) -> None:
    """A missile weapon is loaded (HF-QUA-11)."""
    name = intent.arms.name
    rnd.emit(WeaponChange(actor=intent.actor, weapon=name, kind="reloaded", rule="HF-QUA-11"))


def use_ability(rnd: Round, intent: Intent) -> None:
    """Any ability; without a difficulty the game master is asked (HF-OTH-22)."""
    who = rnd.who(intent.actor)
    specialties = (intent.specialty,) if intent.specialty else ()
    pool: Pool = ability_pool(rnd, who, intent.ability, "test", specialties)
    if intent.ability in SHAMED and "dishonoured" in who.conditions:
        pool.dice.append(part(-1, "die.dishonoured", "HF-OTH-08"))
    spend(rnd, who, intent.destiny, pool)
    figure = rnd.tables.difficulty(intent.declaration.get("difficulty"))
    if figure is None:
        figure = rnd.fight.scene.difficulties.get(who.name)
    against = None if figure is None else Total((part(figure, "difficulty", "HF-TST-10"),))
    attempt = tried(rnd, who, "test", pool, against)
    told(rnd, who, "test", attempt, against, "HF-OTH-22", ability=intent.ability)
    fumbled_elsewhere(rnd, who.name, "test", attempt)
    if against is None:
        rule_on(rnd, "difficulty", "HF-OTH-22", who.name, detail=intent.ability)
