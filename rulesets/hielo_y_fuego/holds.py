"""Holds: pinning, keeping the pin, breaking free (HF-ATK-14 to -17), and conflict tests."""

from rulesets.core.modifiers import Total
from rulesets.hielo_y_fuego.attack import free, fumbled_elsewhere, release
from rulesets.hielo_y_fuego.declared import Intent
from rulesets.hielo_y_fuego.events import Condition, Opposed
from rulesets.hielo_y_fuego.pools import ability_pool, part, passive, spend, tried
from rulesets.hielo_y_fuego.turn import Round


def conflict(
    rnd: Round,
    names: tuple[str, str],
    test: str,
    ability: str,
    specialty: str,
    rule: str,
    destiny: str = "",
) -> bool:
    """A conflict test: the one who tries must get strictly more (HF-TST-09).

    A fumble of the one who tries fails; the one who resists counts as 0 with his (HF-FUM-01).
    """
    actor, other = rnd.who(names[0]), rnd.who(names[1])
    target_label = ""
    if rnd.options.conflict_tests == "passive":
        against = passive(rnd, other, ability, specialty)
    else:
        pool = ability_pool(rnd, other, ability, "oppose", (specialty,))
        answer = tried(rnd, other, "oppose", pool)
        target_label = answer.label
        against = Total((part(0 if answer.fumble else answer.total, "opposed", "HF-TST-09"),))
        fumbled_elsewhere(rnd, other.name, "oppose", answer)
    pool = ability_pool(rnd, actor, ability, test, (specialty,))
    spend(rnd, actor, destiny, pool)
    attempt = tried(rnd, actor, test, pool, against)
    won = attempt.rolled and not attempt.fumble and attempt.total > against.value
    rnd.emit(
        Opposed(
            actor=actor.name,
            target=other.name,
            test=test,
            result="success" if won else "failure",
            total=attempt.total,
            against=against.value,
            label=attempt.label,
            target_label=target_label,
            rule=rule,
        )
    )
    fumbled_elsewhere(rnd, actor.name, test, attempt)
    return won


def pin(rnd: Round, intent: Intent) -> None:
    """Whoever is held is pinned, if Athletics wins (HF-ATK-14)."""
    held = rnd.who(intent.actor).grabbing
    names = (intent.actor, held)
    if conflict(rnd, names, "pin", "athletics", "strength", "HF-ATK-14", intent.destiny):
        rnd.emit(
            Condition(
                actor=intent.actor, target=held, condition="pinned", gained=True, rule="HF-ATK-14"
            )
        )
        rnd.roles[intent.actor].kept_pin = True


def keep_pin(rnd: Round, intent: Intent) -> None:
    """A major action each round keeps the pin (HF-ATK-15)."""
    rnd.roles[intent.actor].kept_pin = True


def unkept(rnd: Round, name: str) -> None:
    """The end of a turn without having kept the pin: he is only held again (HF-ATK-15)."""
    held = rnd.who(name).grabbing
    if held and rnd.who(held).pinned and not rnd.roles[name].kept_pin:
        rnd.emit(
            Condition(actor=name, target=held, condition="pinned", gained=False, rule="HF-ATK-15")
        )


def escape(rnd: Round, intent: Intent) -> None:
    """Fighting against Fighting: free of pin and grab (HF-ATK-16, HF-ATK-17)."""
    names = (intent.actor, rnd.who(intent.actor).held_by)
    rule = "HF-ATK-16" if rnd.who(intent.actor).pinned else "HF-ATK-17"
    if conflict(rnd, names, "escape", "fighting", "brawling", rule, intent.destiny):
        free(rnd, intent.actor, rule)


def let_go(rnd: Round, intent: Intent) -> None:
    """The holder lets go; it costs nothing (HF-ATK-17)."""
    release(rnd, intent.actor, "HF-ATK-17")
