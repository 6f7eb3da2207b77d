"""One round while it is played: who has declared what, what has been done, what is still to come.

Everything here is born and dies inside ``resolve``; what outlives the round is in the fight, and
changes by events alone.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from rulesets.ars_magica.declared import Action, Intent
from rulesets.ars_magica.events import LostAction
from rulesets.ars_magica.fight import Character, Fight
from rulesets.ars_magica.options import Options
from rulesets.ars_magica.rows import Tables
from rulesets.core.declarations import Declaration
from rulesets.core.play import Play
from rulesets.core.questions import Rejection


@dataclass(slots=True)
class Role:
    """What one character has declared and done in the round.

    Attributes:
        queue: Accepted actions still to come, in the order written.
        orders: Standing orders by verb, the newest of each.
        begun: Its own turn has come.
        over: Its own turn has gone by.
        moved: Has moved in its turn.
        charged: Has charged on horseback in this round.
        contested: Whoever interrupts it has rolled already.
        exposed: Has shot from cover: who waited for that finds it without.
        casts: Spells cast fast in this round; ``spent`` after one that failed.
        told: Orders that could not be carried out have been refused already, by verb.
    """

    name: str
    queue: list[Intent] = field(default_factory=list)
    orders: dict[str, Declaration] = field(default_factory=dict)
    begun: bool = False
    over: bool = False
    moved: bool = False
    charged: bool = False
    contested: bool = False
    exposed: bool = False
    casts: int = 0
    spent: bool = False
    told: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Moment:
    """A stretch of the round that belongs to one character; ``told`` once it stands in the order.

    ``of`` is the rider where a mount acts in its rider's turn.
    """

    of: str
    told: bool = False


@dataclass(slots=True, kw_only=True)
class Round(Play[Fight]):
    """A round in play.

    Attributes:
        accepted: Every accepted action of the round, done or not: joint attacks count them.
        places: Attackers who have room around a target, by its name.
        holds_back: Whether anything declared may be held back at all.
        moments: The order of action so far.
        totals: Attack Totals of actions, with attacker and target (AM-INI-08).
        links: Pairs that an attack has linked in this round.
        evaded: Charger and target, where the latter has got out of the way.
        exposed_to: Kinds of exposure of this round, by character.
        passing: Who is within reach of one who waited for that, in the middle of a move.
        under_way: The action that is being interrupted, while it has not been done.
        perform: Does an action whose moment has come; the round's course gives it.
    """

    tables: Tables
    options: Options
    roles: dict[str, Role]
    actions: Mapping[str, Action]
    commands: tuple[Declaration, ...] = ()
    accepted: list[Intent] = field(default_factory=list)
    places: dict[str, list[str]] = field(default_factory=dict)
    holds_back: bool = True
    moments: list[str] = field(default_factory=list)
    moment: Moment = field(default_factory=lambda: Moment(""))
    totals: list[tuple[str, str, int]] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    evaded: set[tuple[str, str]] = field(default_factory=set)
    exposed_to: dict[str, set[str]] = field(default_factory=dict)
    passing: set[str] = field(default_factory=set)
    under_way: Intent | None = None
    perform: "Callable[[Round, Intent], None] | None" = None

    def who(self, name: str) -> Character:
        """A character as it stands."""
        return self.fight.cast[name]

    def enemies(self, who: Character) -> Iterable[Character]:
        """Everybody of another side, in the order of initiative."""
        fight = self.fight
        others = [other for other in fight.cast.values() if other.side != who.side]
        return sorted(others, key=lambda other: (fight.rank(other.name), other.name))

    def has_place(self, name: str, target: str) -> bool:
        """Whether an attacker has room around a target (AM-ATK-07)."""
        return name in self.places.get(target, ())

    def waits(self, intent: Intent) -> bool:
        """Whether an action is held back now: its own turn has come, or it was carried over."""
        return intent.held or self.roles[self.fight.unit(intent.actor)].begun

    def order(self, name: str, verb: str) -> Declaration | None:
        """A standing order of somebody, if given."""
        role = self.roles.get(name)
        return None if role is None else role.orders.get(verb)

    def refuse_order(self, name: str, verb: str, code: str, rule: str) -> None:
        """A standing order cannot be carried out now; said once a round."""
        role = self.roles[name]
        order = role.orders.get(verb)
        if order is not None and code not in role.told:
            role.told.add(code)
            self.rejections.append(Rejection(code, order, rule))


def began(rnd: Round, intent: Intent) -> None:
    """An action takes effect, or makes a roll of its own: its moment stands in the order."""
    intent.begun = True
    moment = rnd.moment
    if not moment.told:
        moment.told = True
        rnd.moments.append(moment.of)


def lose(rnd: Round, intent: Intent, reason: str, rule: str) -> None:
    """An action cannot be done any more."""
    queue = rnd.roles[intent.actor].queue
    if intent in queue:
        queue.remove(intent)
    rnd.emit(LostAction(actor=intent.actor, action=intent.action.id, reason=reason, rule=rule))
