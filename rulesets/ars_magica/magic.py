"""Magic as far as the seed goes: concentration, casting, casting fast (AM-MAG, AM-RND-11)."""

from rulesets.ars_magica.conditions import break_off
from rulesets.ars_magica.declared import Intent
from rulesets.ars_magica.events import RulingNeeded
from rulesets.ars_magica.fight import HELPLESS, Character
from rulesets.ars_magica.modifiers import ability, penalty, sum_of, trait
from rulesets.ars_magica.rolls import check, passed
from rulesets.ars_magica.turn import Round, began
from rulesets.core.declarations import Declaration
from rulesets.core.modifiers import Modifier, Total


def concentration_total(who: Character) -> Total:
    """Stamina + Concentration + penalties (AM-RND-11)."""
    return sum_of(
        trait(who, "stamina", "AM-RND-11"),
        ability(who, "concentration", "AM-RND-11"),
        penalty(who),
    )


def concentrate(rnd: Round, name: str, ease: int, rule: str) -> None:
    """A distraction: failing the roll ends the extended action at once."""
    against = concentration_total(rnd.who(name))
    if not passed(check(rnd, name, "concentration", against, ease, rule, "concentration"), ease):
        break_off(rnd, name, rule)


def cast(rnd: Round, intent: Intent) -> None:
    """A spell: what it does is ruled (AM-MAG-02).

    During an extended action, without gestures and with Concentration (AM-RND-12).
    """
    began(rnd, intent)
    going = rnd.who(intent.actor).extended
    if going is not None:
        ease = going.ease or rnd.tables.figure("casting")
        concentrate(rnd, intent.actor, ease, "AM-RND-12")
    _spell(rnd, intent.actor, intent.item, intent.target, "AM-MAG-02")


def _spell(rnd: Round, name: str, spell: str, target: str, rule: str) -> None:
    rnd.emit(RulingNeeded(actor=name, reason="spell", detail=spell, target=target, rule=rule))


def fast_casts(rnd: Round, name: str, attacker: str) -> None:
    """A spell cast before an enemy's attack, by standing order (AM-MAG-03, AM-OPP-13)."""
    order = rnd.order(name, "fast_cast")
    if order is None or not _is_meant(rnd, order, attacker):
        return
    who, role = rnd.who(name), rnd.roles[name]
    initiative = rnd.fight.initiative.get(rnd.fight.unit(attacker))
    if role.spent or initiative is None or not who.conditions.isdisjoint(HELPLESS):
        return
    again = rnd.tables.figures["fast_cast_again"]
    times = role.casts
    against = sum_of(
        trait(who, "quickness", "AM-MAG-03"),
        ability(who, "finesse", "AM-MAG-03"),
        Modifier(again.value * times, "fast_cast_again", again.rule) if times else None,
        penalty(who),
    )
    role.casts += 1
    rolled = check(
        rnd, name, "fast_cast", against, initiative, "AM-MAG-03", "finesse", target=attacker
    )
    if passed(rolled, initiative):
        _spell(rnd, name, order.get("spell"), attacker, "AM-MAG-03")
    else:
        role.spent = True


def _is_meant(rnd: Round, order: Declaration, attacker: str) -> bool:
    against = rnd.fight.find(order.get("against"))
    return not against or rnd.fight.unit(attacker) == rnd.fight.unit(against)
