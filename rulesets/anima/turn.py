"""An assault while it is being played: who does what, and the state that is of this assault alone.

``Round`` and ``Role`` are born and die inside ``resolve``; what outlives the assault is in the
fight, and changes by events alone.
"""

from collections.abc import Callable
from dataclasses import field

from rulesets.anima.declared import ATTACK, Intent, Orders
from rulesets.anima.events import Condition, LostAction
from rulesets.anima.fight import Character, Fight
from rulesets.anima.options import Choices
from rulesets.anima.rows import Tables
from rulesets.core.play import Play
from rulesets.core.records import dataclass

Rank = tuple[bool, int, int, int]


@dataclass(frozen=True, slots=True)
class Wait:
    """What somebody who has let its turn pass is waiting for.

    Attributes:
        kind: ``end``, ``after`` a name, ``when`` an event, or ``before`` a name (by surprise).
        after_dice: Cuts in once the other one's dice are thrown.
    """

    kind: str
    name: str = ""
    event: str = ""
    after_dice: bool = False


@dataclass(slots=True)
class Role:
    """What one character has declared and done in the assault.

    Attributes:
        queue: Accepted actions still to come, in the order written.
        plan: The attack declared, if any; it opens with a counterattack too.
        opened: Kinds of active carried out, with their place in the order of execution.
        used: Blows given, counterattacks included.
        received: Attacks that called for a defence of its own.
        drew: Drew or changed a weapon (AN-DRW-01).
        moved: ``""``, ``"moved"`` or ``"ran"`` (AN-RNG-09).
        first: The action to which surprise by initiative holds (AN-SUR-03).
        shot_at: The one first shot at (AN-RNG-13).
        begun, over: Its own turn has come; it has finished acting.
        attacked, was_attacked, acted, fell: Triggers of ``si``.
        leaves: Leaves its stance at the end.
        struggled: Has tried to break free.
    """

    name: str
    queue: list[Intent] = field(default_factory=list)
    plan: Intent | None = None
    orders: Orders = field(default_factory=Orders)
    opened: dict[str, int] = field(default_factory=dict)
    used: int = 0
    received: int = 0
    on_defensive: bool = False
    fumbled: bool = False
    charging: bool = False
    drew: bool = False
    moved: str = ""
    first: object = None
    shot_at: str = ""
    begun: bool = False
    over: bool = False
    attacked: bool = False
    was_attacked: bool = False
    acted: bool = False
    fell: bool = False
    leaves: bool = False
    struggled: bool = False
    stances: list[Intent] = field(default_factory=list)

    @property
    def blows(self) -> int:
        """Blows of the assault: those declared, else the one that everybody has."""
        return 1 if self.plan is None else self.plan.blows

    def index(self, kind: str) -> int:
        """Place of a kind of active in the order of execution, from 0."""
        found = self.opened.get(kind)
        return len(self.opened) if found is None else found

    def open(self, kind: str) -> None:
        """A kind of active is carried out; later ones count from it."""
        self.opened.setdefault(kind, len(self.opened))
        self.acted = True


def _nobody(rnd: "Round", name: str, after_dice: bool) -> bool:  # noqa: FBT001 -- a hook's shape
    """Nobody waits to interrupt."""
    del rnd, name, after_dice
    return False


@dataclass(slots=True, kw_only=True)
class Round(Play[Fight]):
    """An assault in play.

    Attributes:
        ranks: A key for each who takes part that is smaller for whoever acts earlier.
        surprises: Pairs of the fast one and the one surprised (AN-SUR-01).
        order: Who has acted, as the turns came.
        waiting: What those who have let their turn pass wait for, by name.
        striking: Attackers whose blow is under way, the innermost last.
        anybody_covers, anybody_pushes: Whether a standing order says so.
        interrupts: Lets those cut in who have surprise over somebody who acts, before or after the
            dice are thrown; whether anybody did. Turns are the business of ``phases``.
    """

    tables: Tables
    options: Choices
    roles: dict[str, Role]
    ranks: dict[str, Rank] = field(default_factory=dict)
    surprises: set[tuple[str, str]] = field(default_factory=set)
    order: list[str] = field(default_factory=list)
    waiting: dict[str, Wait] = field(default_factory=dict)
    striking: list[str] = field(default_factory=list)
    anybody_covers: bool = False
    anybody_pushes: bool = False
    interrupts: "Callable[[Round, str, bool], bool]" = _nobody

    def who(self, name: str) -> Character:
        """A character as it stands."""
        return self.fight.cast[name]

    def in_order(self) -> list[str]:
        """Who takes part, from the highest initiative to the lowest (AN-INI-02)."""
        return sorted(self.ranks, key=self.ranks.__getitem__)

    def enemies(self, name: str) -> list[Character]:
        """Those of other sides who are not down, in the order of the scene."""
        side = self.who(name).side
        return [who for who in self.fight.cast.values() if who.side != side and not who.down]


# ------------------------------------------------------------------ losing actions, conditions


def lose(rnd: Round, intent: Intent, reason: str, rule: str, strikes: int = 0) -> None:
    """An action cannot be done any more."""
    rnd.emit(
        LostAction(
            actor=intent.actor, verb=intent.action.id, reason=reason, rule=rule, strikes=strikes
        )
    )


def hindered(rnd: Round, name: str, *, physical: bool = True) -> tuple[str, str]:
    """Why somebody cannot do an active any more, with its rule; empty where it can."""
    who, role = rnd.who(name), rnd.roles[name]
    if who.down:
        return "down", "AN-WEB-02"
    if role.on_defensive:
        return "on_defensive", "AN-RES-05"
    if role.fumbled:
        return "fumbled_attack", "AN-FUM-06"
    if physical and "full_paralysis" in who.conditions:
        return "paralysed", "AN-SIT-11"
    return "", ""


def exhausted(rnd: Round, name: str, kinds: tuple[str, ...] = (ATTACK,)) -> bool:
    """Whether no active is left for these kinds (AN-ACT-04)."""
    opened = rnd.roles[name].opened
    fresh = [kind for kind in kinds if kind not in opened]
    return bool(fresh) and len(opened) + len(fresh) > rnd.who(name).sheet.max_actions


def put_on_defensive(rnd: Round, name: str, by: str, rule: str = "AN-RES-05") -> None:
    """Every active not yet carried out is lost (AN-RES-05)."""
    role = rnd.roles[name]
    if role.on_defensive:
        return
    role.on_defensive = True
    rnd.emit(Condition(target=name, condition="on_defensive", change="gained", by=by, rule=rule))


def gain(rnd: Round, name: str, condition: str, rule: str, by: str = "", minutes: int = 0) -> None:
    """A condition begins, unless it holds already."""
    if condition in rnd.who(name).conditions:
        return
    rnd.emit(
        Condition(
            target=name, condition=condition, change="gained", by=by, minutes=minutes, rule=rule
        )
    )


def shed(rnd: Round, name: str, condition: str, rule: str, by: str = "") -> None:
    """A condition ends, if it holds."""
    if condition in rnd.who(name).conditions:
        rnd.emit(Condition(target=name, condition=condition, change="lost", by=by, rule=rule))
