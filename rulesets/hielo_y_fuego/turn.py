"""One round while it is played: who has declared what, what has been done, what is still to come.

Everything here is born and dies inside ``resolve``; what outlives the round is in the fight, and
changes by events alone.
"""

from dataclasses import dataclass, field
from typing import Final

from rulesets.core.play import Play
from rulesets.hielo_y_fuego.clauses import Clause, Fates
from rulesets.hielo_y_fuego.declared import Intent
from rulesets.hielo_y_fuego.events import Condition, LostAction, RulingNeeded
from rulesets.hielo_y_fuego.fight import Character, Fight
from rulesets.hielo_y_fuego.options import Options
from rulesets.hielo_y_fuego.rows import Tables

NO_FATES: Final = Fates()


@dataclass(slots=True)
class Role:
    """What one character has declared and done in the round.

    Attributes:
        queue: Accepted actions of the own turn still to come, in the order written.
        before: Accepted actions that go before somebody's turn, by that name (HF-ADV-01).
        clauses: The standing order ``heridas``; None where there is none.
        fates: The standing order ``derrota``.
        spends_on_fumbles, spends_on_knock_outs: The standing orders ``pifia`` and ``noqueo``.
        acted: His turn is over.
        reached: His turn came to its actions (catalogue 3.1).
        attacked: An attack test or a trample has been made against him (HF-INI-06).
        moved: Has moved in the turn under way.
        attacks: Attacks done in the turn under way.
        kept_pin: Has kept the pin in the turn under way (HF-ATK-15).
        ending: Conditions that end with the turn under way, unless they are gained again.
        gave_up: Interruption attempted in this round.
    """

    name: str
    queue: list[Intent] = field(default_factory=list)
    before: dict[str, list[Intent]] = field(default_factory=dict)
    clauses: tuple[Clause, ...] | None = None
    fates: Fates = NO_FATES
    spends_on_fumbles: bool = False
    spends_on_knock_outs: bool = False
    acted: bool = False
    reached: bool = False
    attacked: bool = False
    moved: bool = False
    attacks: int = 0
    kept_pin: bool = False
    ending: frozenset[str] = frozenset()


@dataclass(slots=True, kw_only=True)
class Round(Play[Fight]):
    """A round in play.

    Attributes:
        turn_of: Whose turn, or interruption, is under way.
        delays: Whether any turn waits for anything.
        interrupts: Whether anybody means to interrupt.
        bonds: Whether anybody is, or may come to be, harassed or helped.
        order: Who has acted, in the order of their turns.
    """

    tables: Tables
    options: Options
    roles: dict[str, Role]
    turn_of: str = ""
    delays: bool = True
    interrupts: bool = True
    bonds: bool = True
    order: list[str] = field(default_factory=list)

    def who(self, name: str) -> Character:
        """A character as it stands."""
        return self.fight.cast[name]


def lose(rnd: Round, intent: Intent, reason: str, rule: str, target: str = "") -> None:
    """An action came to nothing; one with a fallback gives way to it first (HF-ACT-05)."""
    intent.lost = True
    if intent.declaration.fallback is not None and reason != "cannot_act":
        intent.why = (reason, rule, target)
    else:
        tell_lost(rnd, intent, reason, rule, target)


def tell_lost(rnd: Round, intent: Intent, reason: str, rule: str, target: str = "") -> None:
    """Tell that an action is lost."""
    intent.why = None
    rnd.emit(
        LostAction(
            actor=intent.actor, action=intent.action.id, target=target, reason=reason, rule=rule
        )
    )


def gain(rnd: Round, target: str, condition: str, rule: str, actor: str = "") -> None:
    """A condition begins, where it does not hold already; one gained again begins anew."""
    role = rnd.roles.get(target)
    if role is not None and condition in role.ending:
        role.ending -= {condition}
    if condition not in rnd.who(target).conditions:
        event = Condition(actor=actor, target=target, condition=condition, gained=True, rule=rule)
        rnd.emit(event)


def shed(rnd: Round, target: str, condition: str, rule: str, actor: str = "") -> None:
    """A condition ends, where it holds."""
    if condition in rnd.who(target).conditions:
        rnd.emit(
            Condition(actor=actor, target=target, condition=condition, gained=False, rule=rule)
        )


def rule_on(
    rnd: Round,
    kind: str,
    rule: str,
    actor: str,
    target: str = "",
    *,
    minimum: str = "",
    detail: str = "",
) -> None:
    """Ask the game master; the round goes on without the effect."""
    rnd.emit(
        RulingNeeded(
            kind=kind, actor=actor, target=target, minimum=minimum, detail=detail, rule=rule
        )
    )
