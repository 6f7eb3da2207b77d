"""A blow from beginning to end: attack against defence, damage, and what the blow disturbs."""

from rulesets.ars_magica import horses
from rulesets.ars_magica.declared import Intent
from rulesets.ars_magica.defence import (
    Guarded,
    against_missile,
    in_melee_against,
    reckless,
    resisting,
)
from rulesets.ars_magica.events import Attack, Barrier, Opposed
from rulesets.ars_magica.fight import Character
from rulesets.ars_magica.line import reach
from rulesets.ars_magica.magic import concentrate
from rulesets.ars_magica.modifiers import ATTACK, Blow
from rulesets.ars_magica.rolls import Stress, botched, hazard, stress
from rulesets.ars_magica.rows import Weapon
from rulesets.ars_magica.turn import Round, lose
from rulesets.ars_magica.wounds import Hit, strike
from rulesets.core.modifiers import total
from rulesets.core.records import dataclass


@dataclass(frozen=True, slots=True)
class Met:
    """How attack and defence met.

    Attributes:
        advantage: Attack Total less Defence Total.
        stopped: A barrier held: there was no defence.
    """

    advantage: int
    attack_botched: bool = False
    defence_botched: bool = False
    stopped: bool = False


# ------------------------------------------------------------------ what must hold at the moment


def can_strike(rnd: Round, intent: Intent, target: str, weapon: Weapon) -> bool:
    """Whether an attack is still possible on this target; if not, it is lost."""
    who, other = rnd.who(intent.actor), rnd.who(target)
    reason, rule = "", ""
    if other.dead:
        reason, rule = "target_dead", "AM-ATK-15"
    elif not in_hand_still(who, weapon):
        reason, rule = "weapon_not_in_hand", "AM-DMG-17"
    elif intent.action.melee and not rnd.has_place(who.name, target):
        reason, rule = "no_room", "AM-ATK-07"
    if reason:
        lose(rnd, intent, reason, rule)
    return not reason


def in_hand_still(who: Character, weapon: Weapon) -> bool:
    """Whether what he meant to use is in his hand now."""
    return weapon.bare or weapon.kind == "element" or who.wielded == weapon.id


def reaches(rnd: Round, intent: Intent, target: str) -> bool:
    """Whether the target is within reach; if not, the attack is lost."""
    who, other = rnd.who(intent.actor), rnd.who(target)
    if target in rnd.passing or rnd.fight.distance(who, other) <= reach(rnd.fight, who):
        return True
    lose(rnd, intent, "out_of_reach", "AM-ENG-02")
    return False


# ------------------------------------------------------------------ the exchange


def roll_attack(rnd: Round, blow: Blow, purpose: str = "attack") -> Stress:
    """The Attack Total, told and counted (AM-ATK-01, AM-INI-08).

    Crossbows ask nothing of the untrained (AM-MIS-08), nor do later blows (AM-SPC-02).
    """
    later_blow = blow.part > 0
    trained = blow.weapon.kind != "crossbow" and not later_blow
    name, target = blow.actor.name, blow.target.name
    rolled = stress(rnd, name, purpose, total(ATTACK, blow), blow.ability, trained=trained)
    if purpose == "disengage_attack":
        botched(rnd, name, "attack", rolled)
        return rolled
    rnd.emit(
        Attack(
            actor=name,
            target=target,
            kind=blow.kind,
            weapon="" if blow.unarmed else blow.weapon.id,
            total=rolled.total,
            result=rolled.result,
            missile=blow.missile,
            reaction=blow.reaction,
            label=rolled.label,
            die=rolled.die,
            limit=rolled.limit,
            rule="AM-MIS-01" if blow.missile else "AM-ATK-01",
        )
    )
    fight = rnd.fight
    pair = (fight.unit(name), fight.unit(target))
    rnd.links.append(pair)
    if not blow.reaction:
        rnd.totals.append((*pair, rolled.total))
    botched(rnd, name, "attack", rolled)
    hazard(rnd, name, rolled)
    return rolled


def exchange(rnd: Round, blow: Blow, required: int = 0, resist: str = "") -> Met:
    """Attack against defence, with the barrier of one who keeps at bay between them."""
    rolled = roll_attack(rnd, blow, "free_attack" if blow.kind == "free" else "attack")
    if not blow.missile and not _overcomes(rnd, blow, rolled.total):
        return Met(0, bool(rolled.zeros), stopped=True)
    guarded = _guard(rnd, blow, resist)
    advantage = rolled.total - guarded.total
    least = required or 1
    hits = advantage >= least
    is_critical = hits and not required and _may_be_critical(rnd, blow, advantage)
    rnd.emit(
        Opposed(
            actor=blow.actor.name,
            target=blow.target.name,
            advantage=advantage,
            result="critical" if is_critical else "success" if hits else "failure",
            required=required,
            label=rolled.label,
            limit=rolled.limit,
            rule="AM-NLC-11" if required else "AM-ATK-03",
        )
    )
    return Met(advantage, bool(rolled.zeros), guarded.botched)


def _guard(rnd: Round, blow: Blow, resist: str) -> Guarded:
    if blow.kind == "free":
        return reckless(rnd, blow)
    if blow.missile:
        return against_missile(rnd, blow)
    if resist:
        return resisting(rnd, blow, resist)
    return in_melee_against(rnd, blow)


def _overcomes(rnd: Round, blow: Blow, rolled: int) -> bool:
    """Whether an attack gets past the barrier of its target, if it has one (AM-SPC-12, D16)."""
    keeper = rnd.who(rnd.fight.unit(blow.target.name))
    attacker = rnd.fight.unit(blow.actor.name)
    if keeper.barrier is None or keeper.barrier[0] != attacker:
        return True
    against = keeper.barrier[1]
    over = rolled > against or (rolled == against and rnd.options.barrier_tie == "overcome")
    rnd.emit(
        Barrier(
            actor=blow.actor.name,
            target=keeper.name,
            total=rolled,
            against=against,
            result="overcome" if over else "held",
            rule="AM-SPC-12",
        )
    )
    return over


def bruises(blow: Blow) -> bool:
    """Whether a blow leaves bruises (AM-NLC-01 to AM-NLC-03)."""
    if blow.non_lethal or blow.weapon.kind == "practice":
        return True
    if blow.weapon.kind != "body":
        return False
    in_earnest = blow.intent is not None and blow.intent.has("to_the_death")
    return not in_earnest and "berserk" not in blow.actor.conditions


def _may_be_critical(rnd: Round, blow: Blow, advantage: int) -> bool:
    return advantage >= rnd.options.critical_at and not bruises(blow)


def hit(rnd: Round, blow: Blow, met: Met) -> Hit:
    """The damage of a blow that got through."""
    if met.stopped or met.advantage <= 0:
        return Hit()
    done = strike(
        rnd,
        blow,
        met.advantage,
        critical=_may_be_critical(rnd, blow, met.advantage),
        bruises=bruises(blow),
    )
    if done.kind == "wound":
        horses.wounded(rnd, blow.target.name, done.level)
    return done


def after(rnd: Round, blow: Blow, *, was_engaged: bool, hurt: bool) -> None:
    """Concentration of the one attacked, and horses that have not learned this (AM-RND-11)."""
    distract(rnd, blow.target.name, hurt=hurt)
    if not blow.missile and not was_engaged:
        for name in (blow.actor.name, blow.target.name):
            horses.engaged(rnd, name)


def distract(rnd: Round, name: str, *, hurt: bool) -> None:
    """Being attacked may break an extended action, but not a defence of others (AM-RND-11)."""
    going = rnd.who(name).extended
    if going is None or going.action == "defend":
        return
    ease = going.ease or rnd.tables.figure("hurt" if hurt else "distracted")
    concentrate(rnd, name, ease, "AM-RND-11")


def linked(rnd: Round, one: str, other: str) -> bool:
    """Whether two are engaged in melee already."""
    fight = rnd.fight
    return fight.unit(other) in fight.cast[fight.unit(one)].engaged


def make_blow(
    rnd: Round, intent: Intent, target: str, weapon: Weapon, kind: str, **more: object
) -> Blow:
    """A blow of an action, as things stand now."""
    who = rnd.who(intent.actor)
    return Blow(
        rnd=rnd,
        actor=who,
        target=rnd.who(target),
        weapon=weapon,
        kind="elemental" if kind == "melee" and weapon.kind == "element" else kind,
        type=intent.type,
        non_lethal=intent.has("non_lethal") and not weapon.bruises,
        ability=weapon.ability,
        intent=intent,
        **more,  # type: ignore[arg-type]  # further fields of a blow, by name
    )
