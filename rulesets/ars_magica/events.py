"""What can happen in a fight: the facts of catalogue section 10, with its field names.

Beyond the catalogue an event may say where its figures come from: ``label`` names the roll behind
it, ``die`` what that die was worth and ``limit`` what was added to it. What the catalogue keeps in
the state without an event of its own (turns, exposure, actions carried over) has one here, so that
a fight is the fold of its events.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar, Final

from rulesets.core.events import Event, by_type
from rulesets.core.records import dataclass

NO_PARTS: Final[Mapping[str, int]] = {}


def _no_parts() -> Mapping[str, int]:
    return NO_PARTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Initiative(Event):
    """Somebody's place in the order, once for the whole fight (AM-INI-01)."""

    type: ClassVar[str] = "initiative"
    total: int = 0
    result: str = ""
    parts: Mapping[str, int] = field(default_factory=_no_parts)
    label: str = ""
    die: int = 0
    limit: int = 0

    @property
    def value(self) -> int:
        """The total, by the name that every game's initiative has."""
        return self.total


@dataclass(frozen=True, slots=True, kw_only=True)
class InitiativeTie(Event):
    """A roll that only breaks a tie (AM-INI-05)."""

    type: ClassVar[str] = "initiative_tie"
    total: int = 0
    label: str = ""
    die: int = 0
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstStrike(Event):
    """First Strike is the actor's from now on; ``lost`` are those who had it."""

    type: ClassVar[str] = "first_strike"
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrive(Event):
    """A newcomer comes within range (AM-INI-04)."""

    type: ClassVar[str] = "arrive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack(Event):
    """An Attack Total. ``missile`` for what flies; ``reaction`` for what is no action of his."""

    type: ClassVar[str] = "attack"
    target: str = ""
    kind: str = ""
    weapon: str = ""
    total: int = 0
    result: str = ""
    missile: bool = False
    reaction: bool = False
    label: str = ""
    die: int = 0
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Defence(Event):
    """A Defence Total, rolled or not; ``against`` is the attacker."""

    type: ClassVar[str] = "defence"
    against: str = ""
    kind: str = ""
    total: int = 0
    result: str = ""
    label: str = ""
    die: int = 0
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Opposed(Event):
    """Attack Total less Defence Total; label and limit are the attack's."""

    type: ClassVar[str] = "opposed"
    target: str = ""
    advantage: int = 0
    result: str = ""
    required: int = 0
    label: str = ""
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Barrier(Event):
    """An attack meets a barrier (AM-SPC-12); ``target`` keeps it."""

    type: ClassVar[str] = "barrier"
    target: str = ""
    total: int = 0
    against: int = 0
    result: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BarrierSet(Event):
    """A barrier stands until the actor's next turn."""

    type: ClassVar[str] = "barrier_set"
    target: str = ""
    total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Critical(Event):
    """A critical finds its zone (AM-DMG-04, AM-DMG-05)."""

    type: ClassVar[str] = "critical"
    target: str = ""
    zone: str = ""
    epic: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage(Event):
    """A Damage Total against a soak; ``parts`` and ``soak_parts`` take the sums apart.

    An accident has no actor and rolls for both.
    """

    type: ClassVar[str] = "damage"
    target: str = ""
    total: int = 0
    soak: int = 0
    net: int = 0
    damage_type: str = ""
    parts: Mapping[str, int] = field(default_factory=_no_parts)
    soak_parts: Mapping[str, int] = field(default_factory=_no_parts)
    label: str = ""
    soak_label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wound(Event):
    """A wound or a bruise. ``limit`` is what it takes of movement, ``bleeding`` what it starts."""

    type: ClassVar[str] = "wound"
    target: str = ""
    level: str = ""
    kind: str = ""
    location: str = ""
    cause: str = ""
    limit: int = 0
    bleeding: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Death(Event):
    """Somebody dies."""

    type: ClassVar[str] = "death"
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition(Event):
    """A condition begins or ends. ``by`` holds; ``turns`` is how long it lasts."""

    type: ClassVar[str] = "condition"
    target: str = ""
    condition: str = ""
    gained: bool = False
    by: str = ""
    turns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fatigue(Event):
    """Levels lost; ``level`` is how many in all, ``cause`` an exertion or nothing."""

    type: ClassVar[str] = "fatigue"
    lost: int = 0
    level: int = 0
    cause: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fumble(Event):
    """A botch: of which roll, with how many zeros (AM-DIE-05)."""

    type: ClassVar[str] = "fumble"
    roll: str = ""
    zeros: int = 0
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check(Event):
    """A roll that nobody opposes. Without a result the game master judges it."""

    type: ClassVar[str] = "check"
    purpose: str = ""
    target: str = ""
    total: int = 0
    ease: int = 0
    result: str = ""
    label: str = ""
    die: int = 0
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Quick(Event):
    """A quick action."""

    type: ClassVar[str] = "quick"
    action: str = ""
    weapon: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready(Event):
    """An arrow on the string (AM-MIS-03)."""

    type: ClassVar[str] = "ready"
    weapon: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extended(Event):
    """A phase of an extended action."""

    type: ClassVar[str] = "extended"
    action: str = ""
    phase: str = ""
    done: int = 0
    of: int = 0
    ease: int = 0
    ward: str = ""
    weapon: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delay(Event):
    """An action is put off without more (``retrasar``)."""

    type: ClassVar[str] = "delay"
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried(Event):
    """What somebody carries into the next round, or, empty, no longer carries (AM-OPP-04)."""

    type: ClassVar[str] = "carried"
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Priority(Event):
    """An Action Priority Total (AM-OPP-08)."""

    type: ClassVar[str] = "priority"
    total: int = 0
    label: str = ""
    die: int = 0
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupt(Event):
    """Whether an interrupter comes before the one interrupted."""

    type: ClassVar[str] = "interrupt"
    target: str = ""
    result: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intercept(Event):
    """A defender's try against an enemy (AM-DEF-02)."""

    type: ClassVar[str] = "intercept"
    target: str = ""
    ward: str = ""
    result: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retarget(Event):
    """An attack goes to the defender instead (AM-DEF-03)."""

    type: ClassVar[str] = "retarget"
    from_: str = ""
    to: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Movement(Event):
    """Somebody moves. ``left`` are those whom a reckless one leaves; ``cover`` is the new one."""

    type: ClassVar[str] = "movement"
    pace: str = ""
    distance: int = 0
    from_: int | None = None
    to: int | None = None
    left: tuple[str, ...] = ()
    cover: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engage(Event):
    """Two are engaged because one has come within reach (AM-ENG-02)."""

    type: ClassVar[str] = "engage"
    target: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disengage(Event):
    """A try to get away; ``left`` are those who no longer hold him."""

    type: ClassVar[str] = "disengage"
    result: str = ""
    total: int = 0
    against: int = 0
    bonus: int = 0
    reason: str = ""
    left: tuple[str, ...] = ()
    label: str = ""
    die: int = 0
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WeaponEvent(Event):
    """A weapon, a shield or an object falls, changes hands or is picked up."""

    type: ClassVar[str] = "weapon"
    weapon: str = ""
    kind: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmorDestroyed(Event):
    """Metal armour is spoiled (AM-ELE-10)."""

    type: ClassVar[str] = "armor_destroyed"
    target: str = ""
    armor: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fall(Event):
    """A rider falls from his horse (AM-MNT-32)."""

    type: ClassVar[str] = "fall"
    cause: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mounted(Event):
    """Somebody gets on a horse."""

    type: ClassVar[str] = "mounted"
    mount: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dismounted(Event):
    """Somebody gets off his horse, or leaps from it."""

    type: ClassVar[str] = "dismounted"
    mount: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recover(Event):
    """A recovery roll against a bruise (AM-NLC-07)."""

    type: ClassVar[str] = "recover"
    level: str = ""
    total: int = 0
    ease: int = 0
    result: str = ""
    residual: str = ""
    label: str = ""
    die: int = 0
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LostAction(Event):
    """An action cannot be done any more."""

    type: ClassVar[str] = "lost_action"
    action: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingNeeded(Event):
    """The game master decides; the round goes on without the effect."""

    type: ClassVar[str] = "ruling_needed"
    reason: str = ""
    detail: str = ""
    target: str = ""

    @property
    def topic(self) -> str:
        """The reason, by the name that every game's rulings have."""
        return self.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter(Event):
    """The one whom a polearm charge missed has a bonus against the charger (AM-SPC-10)."""

    type: ClassVar[str] = "counter"
    target: str = ""
    bonus: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn(Event):
    """A turn begins or ends. At its end ``durations`` are those left and ``still`` who stood."""

    type: ClassVar[str] = "turn"
    phase: str = ""
    still: tuple[str, ...] = ()
    durations: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bleed(Event):
    """Rounds of each bleeding of somebody, after this one."""

    type: ClassVar[str] = "bleed"
    rounds: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure(Event):
    """Rounds in a row in which somebody has been exposed to heat or cold; 0 ends it."""

    type: ClassVar[str] = "exposure"
    kind: str = ""
    rounds: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneEnded(Event):
    """The scene is over (``fin de escena``)."""

    type: ClassVar[str] = "scene_ended"


# ------------------------------------------------------------------ of the round and of rulings


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOpened(Event):
    """A round begins."""

    type: ClassVar[str] = "round"
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOrder(Event):
    """Who acts when, from the highest initiative down."""

    type: ClassVar[str] = "turn_order"
    order: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionOrder(Event):
    """The moments of the round in which somebody did something, in order."""

    type: ClassVar[str] = "action_order"
    order: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingModifier(Event):
    """A game master's modifier on rolls of this round."""

    type: ClassVar[str] = "modifier"
    roll: str = ""
    value: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected(Event):
    """A game master's correction of a state; before and after as plain data."""

    type: ClassVar[str] = "correction"
    field: str = ""
    before: object = None
    after: object = None
    reason: str = ""


EVENTS: Final[Mapping[str, type[Event]]] = by_type(
    Initiative,
    InitiativeTie,
    FirstStrike,
    Arrive,
    Attack,
    Defence,
    Opposed,
    Barrier,
    BarrierSet,
    Critical,
    Damage,
    Wound,
    Death,
    Condition,
    Fatigue,
    Fumble,
    Check,
    Quick,
    Ready,
    Extended,
    Delay,
    Carried,
    Priority,
    Interrupt,
    Intercept,
    Retarget,
    Movement,
    Engage,
    Disengage,
    WeaponEvent,
    ArmorDestroyed,
    Fall,
    Mounted,
    Dismounted,
    Recover,
    LostAction,
    RulingNeeded,
    Counter,
    Turn,
    Bleed,
    Exposure,
    SceneEnded,
    RoundOpened,
    TurnOrder,
    ActionOrder,
    RulingModifier,
    Corrected,
)
