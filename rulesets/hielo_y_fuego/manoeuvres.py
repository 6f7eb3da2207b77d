"""What is done to an enemy without a wound: thrown down, fooled, pressed, disarmed, knocked out."""

from typing import Final

from rulesets.core.modifiers import Total
from rulesets.hielo_y_fuego.attack import (
    dishonour,
    fumbled,
    fumbled_elsewhere,
    in_view,
    made,
    settled,
)
from rulesets.hielo_y_fuego.blow import Blow, strike_pool
from rulesets.hielo_y_fuego.declared import Intent
from rulesets.hielo_y_fuego.derived import has_free_hand
from rulesets.hielo_y_fuego.events import (
    Condition,
    Destiny,
    Dismounted,
    Movement,
    Test,
    WeaponChange,
)
from rulesets.hielo_y_fuego.fight import Character
from rulesets.hielo_y_fuego.pools import (
    Attempt,
    Pool,
    ability_pool,
    grade,
    part,
    passive,
    spend,
    tried,
)
from rulesets.hielo_y_fuego.rows import GAUNTLET, Weapon
from rulesets.hielo_y_fuego.scene import ADJACENT
from rulesets.hielo_y_fuego.turn import Round, gain, lose, rule_on

KNOCKED: Final = part(2, "after_move", "HF-ADV-09")
HAZARD: Final = 6  # HF-ADV-16
CATCHES: Final = 4  # rank of Fighting, HF-ADV-12
BAD_MISS: Final = 5  # HF-TST-07
D6: Final = (6,)
ROUNDS_A_MINUTE: Final = 10  # a round is six seconds (S5)


def told(
    rnd: Round,
    who: Character,
    test: str,
    attempt: Attempt,
    against: Total | None,
    rule: str,
    **about: str,
) -> int:
    """Tell a test and its degrees; without a difficulty it has only its total.

    ``about`` are further fields of the event: ``target``, ``means``, ``ability``.
    """
    result, degrees, limit = "", 0, 0
    if against is not None:
        limit = against.value
        result, degrees = grade(rnd, attempt, limit)
    rnd.emit(
        Test(
            actor=who.name,
            test=test,
            result=result,
            total=attempt.total,
            against=limit,
            degrees=degrees,
            label=attempt.label,
            rule=rule,
            **about,
        )
    )
    return degrees


def pressed(rnd: Round, intent: Intent, against: Total) -> tuple[Attempt, int]:
    """An attack test against a passive value (HF-ATK-19), with its fumble."""
    dishonour(rnd, intent.actor)
    verb = intent.action.id
    blow = Blow(rnd, intent.actor, intent.target, intent.arms, verb, purpose=verb)
    attempt = made(rnd, blow, strike_pool(blow), against, intent.destiny)
    degrees = told(
        rnd,
        blow.who,
        verb,
        attempt,
        against,
        intent.action.rule,
        target=intent.target,
        means=blow.weapon.name,
    )
    if attempt.fumble:
        fumbled(rnd, blow, attempt)
    return attempt, degrees


def attempted(rnd: Round, intent: Intent, test: str, pool: Pool, against: Total) -> int:
    """Any other test on an enemy; its degrees."""
    who = rnd.who(intent.actor)
    spend(rnd, who, intent.destiny, pool)
    attempt = tried(rnd, who, test, pool, against)
    degrees = told(rnd, who, test, attempt, against, intent.action.rule, target=intent.target)
    fumbled_elsewhere(rnd, who.name, test, attempt)
    return degrees


# ------------------------------------------------------------------ without a weapon


def knock_down(rnd: Round, intent: Intent) -> None:
    """Athletics against the passive Agility of an adjacent enemy (HF-ADV-08, HF-ADV-09)."""
    if rnd.fight.distance(intent.actor, intent.target) > ADJACENT:
        lose(rnd, intent, "out_of_reach", "HF-ADV-08", intent.target)
        return
    foe = rnd.who(intent.target)
    if foe.out:
        lose(rnd, intent, "target_down", "HF-ACT-05", intent.target)
        return
    pool = ability_pool(rnd, rnd.who(intent.actor), "athletics", "knock_down", ("strength",))
    if rnd.roles[intent.actor].moved:
        pool.flat.append(KNOCKED)
    if attempted(rnd, intent, "knock_down", pool, passive(rnd, foe, "agility")):
        gain(rnd, intent.target, "prone", "HF-ADV-08", intent.actor)


def distract(rnd: Round, intent: Intent) -> None:
    """Cunning against the passive Will: his awareness does not count (HF-ADV-13)."""
    foe = rnd.who(intent.target)
    if foe.out:
        lose(rnd, intent, "target_down", "HF-ACT-05", intent.target)
        return
    pool = ability_pool(rnd, rnd.who(intent.actor), "cunning", "distract")
    if attempted(rnd, intent, "distract", pool, passive(rnd, foe, "will")):
        gain(rnd, intent.target, "distracted", "HF-ADV-13", intent.actor)


# ------------------------------------------------------------------ with a weapon


def _skilled(foe: Character) -> str:
    """The specialty that the passive Fighting of an enemy would have, by option (HF-TST-08)."""
    return next((weapon.specialty for weapon in foe.held_weapons), "brawling")


def harass(rnd: Round, intent: Intent) -> None:
    """−1D on all his tests until the harasser's next turn, and a push (HF-ADV-14, HF-ADV-15)."""
    if not in_view(rnd, intent, intent.target):
        return
    foe = rnd.who(intent.target)
    _, degrees = pressed(rnd, intent, passive(rnd, foe, "fighting", _skilled(foe)))
    if degrees:
        rnd.emit(
            Condition(
                actor=intent.actor,
                target=intent.target,
                condition="harassed",
                gained=True,
                rule="HF-ADV-14",
            )
        )
        _push(rnd, intent, degrees)
    settled(rnd, intent.target)


def _push(rnd: Round, intent: Intent, degrees: int) -> None:
    """Up to a metre for each degree; toward a hazard he may notice it first (HF-ADV-16)."""
    hazard = intent.object
    metres = min(intent.metres if intent.metres is not None else degrees * bool(hazard), degrees)
    if metres <= 0:
        return
    foe = rnd.who(intent.target)
    if hazard:
        against = Total((part(HAZARD, "difficulty", "HF-ADV-16"),))
        pool = ability_pool(rnd, foe, "awareness", "notice_hazard")
        attempt = tried(rnd, foe, "notice_hazard", pool, against)
        if not told(rnd, foe, "notice_hazard", attempt, against, "HF-ADV-16"):
            rule_on(rnd, "hazard", "HF-ADV-16", intent.actor, intent.target, detail=hazard)
        fumbled_elsewhere(rnd, foe.name, "notice_hazard", attempt)
    distance = rnd.fight.distance(intent.actor, intent.target) + metres
    rnd.emit(
        Movement(
            actor=intent.target,
            kind="harass",
            metres=metres,
            from_=intent.actor,
            distance=distance,
            rule="HF-ADV-15",
        )
    )


def struck_at(foe: Character) -> Weapon | None:
    """The weapon that a disarm strikes at (HF-ADV-11)."""
    return next((w for w in foe.held_weapons if not w.shield and w.id != GAUNTLET), None)


def disarm(rnd: Round, intent: Intent) -> None:
    """Two degrees take the weapon; failing by five or more loses one's own (HF-ADV-11)."""
    if not in_view(rnd, intent, intent.target):
        return
    foe = rnd.who(intent.target)
    weapon = struck_at(foe)
    if weapon is None:
        lose(rnd, intent, "target_unarmed", "HF-ADV-11", intent.target)
        return
    against = passive(rnd, foe, "fighting", weapon.specialty)
    attempt, degrees = pressed(rnd, intent, against)
    own = intent.arms
    if degrees >= 2:
        _take(rnd, intent, weapon)
    elif attempt.fumble or degrees:
        pass
    elif against.value - attempt.total >= BAD_MISS and not own.bare:
        _fly(rnd, intent.actor, intent.actor, own, "HF-TST-07")
    settled(rnd, intent.target)


def _take(rnd: Round, intent: Intent, weapon: Weapon) -> None:
    """A free hand catches it, if it is skilled enough; else it flies away (HF-ADV-12)."""
    who = rnd.who(intent.actor)
    wants = intent.declaration.get("catch") != "no"
    if wants and who.sheet.ranks["fighting"] >= CATCHES and has_free_hand(who):
        rnd.emit(
            WeaponChange(
                actor=intent.target,
                weapon=weapon.name,
                kind="caught",
                by=intent.actor,
                rule="HF-ADV-12",
            )
        )
        return
    _fly(rnd, intent.actor, intent.target, weapon, "HF-ADV-12")


def _fly(rnd: Round, by: str, owner: str, weapon: Weapon, rule: str) -> None:
    metres = rnd.roll(by, "disarm_distance", D6).value
    rnd.emit(
        WeaponChange(
            actor=owner, weapon=weapon.name, kind="dropped", metres=metres, by=by, rule=rule
        )
    )


def unhorse(rnd: Round, intent: Intent) -> None:
    """Against the passive Animal handling: off his mount and on the ground (HF-ATK-12)."""
    if not reachable_rider(rnd, intent):
        return
    foe = rnd.who(intent.target)
    _, degrees = pressed(rnd, intent, passive(rnd, foe, "animal_handling", "ride"))
    if degrees:
        rnd.emit(Dismounted(actor=intent.actor, target=intent.target, rule="HF-ATK-12"))
        gain(rnd, intent.target, "prone", "HF-ATK-12", intent.actor)
    settled(rnd, intent.target)


def reachable_rider(rnd: Round, intent: Intent) -> bool:
    """Whether there is a rider to be unhorsed there; the action is lost if not."""
    if not in_view(rnd, intent, intent.target):
        return False
    if not rnd.who(intent.target).mounted:
        lose(rnd, intent, "target_not_mounted", "HF-ATK-12", intent.target)
        return False
    return True


def knock_out(rnd: Round, intent: Intent) -> None:
    """An unaware enemy is stunned, or unconscious with two degrees (HF-ADV-17)."""
    if not in_view(rnd, intent, intent.target):
        return
    foe = rnd.who(intent.target)
    if not foe.conditions & {"unaware", "surprised"}:
        lose(rnd, intent, "target_aware", "HF-ADV-17", intent.target)
        return
    _, degrees = pressed(rnd, intent, passive(rnd, foe, "endurance", "resilience"))
    if degrees and not _saved(rnd, foe):
        _senseless(rnd, intent, "unconscious" if degrees >= 2 else "stunned")
    settled(rnd, intent.target)


def _saved(rnd: Round, foe: Character) -> bool:
    """A destiny point of the victim cancels it (HF-ADV-19)."""
    if not rnd.roles[foe.name].spends_on_knock_outs or not foe.destiny_points:
        return False
    left = foe.destiny_points - 1
    rnd.emit(Destiny(actor=foe.name, use="cancel_knock_out", left=left, rule="HF-ADV-19"))
    return True


def _senseless(rnd: Round, intent: Intent, condition: str) -> None:
    """For 1d6 rounds, or 1d6 minutes (HF-ADV-18)."""
    lasts = rnd.roll(intent.actor, "knock_out_duration", D6).value
    if condition == "unconscious":
        lasts *= ROUNDS_A_MINUTE
    rnd.emit(
        Condition(
            actor=intent.actor,
            target=intent.target,
            condition=condition,
            gained=True,
            until=rnd.fight.round + lasts,
            rule="HF-ADV-18",
        )
    )
