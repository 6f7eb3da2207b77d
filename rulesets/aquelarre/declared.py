"""What a declaration becomes once it is accepted, and the shape of a row of the table of actions.

A tag's words are read once, when it is checked: names become characters and weapons, and are fixed
from then on (AQ-RND-11, catalogue section 3). The rows themselves are in ``actions``.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Final

from rulesets.aquelarre.rows import Weapon, Zone
from rulesets.core.declarations import Declaration
from rulesets.core.records import dataclass
from rulesets.core.ruleset import Verb

if TYPE_CHECKING:
    from rulesets.aquelarre.blow import Blow
    from rulesets.aquelarre.declaring import Desk
    from rulesets.aquelarre.turn import Round

BUDGET: Final = 2  # normal actions of a round (AQ-RND-02)


class Class(Enum):
    """What kind of action it is (AQ-RND-03)."""

    MOVEMENT = "movement"
    ATTACK = "attack"
    DEFENCE = "defence"
    OTHER = "other"
    FREE = "free"


class Cost(Enum):
    """How much of the round an action takes."""

    FREE = 0
    NORMAL = 1
    EXTENDED = 2


class Stage(IntEnum):
    """The order of reject codes (catalogue 7.3): the first that fits is given."""

    STATE = 1  # the character's own state and the scene
    ORDER = 2  # the order of the round
    FORBIDS = 3  # the state that forbids the movement
    NAMES = 4  # missing or unknown names
    MANOEUVRE = 5  # what the manoeuvre asks of weapon, shield and target
    READY = 6  # readiness
    DISTANCE = 7
    BUDGET = 8


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a tag is refused: a code of catalogue 7.3 with what its message needs."""

    code: str
    rule: str
    facts: Mapping[str, object] = field(default_factory=dict)
    cure: Declaration | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that may be wrong with a declaration. ``look`` also fills the intent in."""

    stage: Stage
    look: "Callable[[Desk, Intent], Refusal | None]"


@dataclass(frozen=True, slots=True)
class Action:
    """A row of the table of actions (catalogue section 3).

    Attributes:
        cost: Its usual cost; ``costs`` may say otherwise for one declaration.
        checks: What may be wrong with it, in the order of ``Stage``.
        perform: What it does when its moment comes; None where it only waits for an attack.
        hit: What a blow does that nothing stopped.
        wards: Defences that it lays by.
        to_hit: Plus or minus of the action, step (6) of AQ-MOD-01.
        halved: Whether it halves the percentage, step (5).
        melee_only: A weapon that shoots does not serve, and none is thrown.
        harms: Whether it does PD, so that a shield that stops it wears (AQ-ARM-10).
        moves: Whether it changes the place of the one who does it (D-34).
        id: Its verb.
        rule: Its catalogue id.
        looks: What its checks do.
    """

    verb: Verb
    klass: Class
    cost: Cost
    checks: tuple[Check, ...] = ()
    perform: "Callable[[Round, Intent], None] | None" = None
    hit: "Callable[[Round, Blow], None] | None" = None
    wards: "Callable[[Desk, Intent], tuple[Ward, ...]] | None" = None
    to_hit: int = 0
    halved: bool = False
    melee_only: bool = True
    harms: bool = True
    moves: bool = False
    id: str = field(init=False)
    rule: str = field(init=False)
    looks: "tuple[Callable[[Desk, Intent], Refusal | None], ...]" = field(init=False)

    def __post_init__(self) -> None:
        """Take over what is asked for all the time."""
        object.__setattr__(self, "id", self.verb.id)
        object.__setattr__(self, "rule", self.verb.rule)
        object.__setattr__(self, "looks", tuple(check.look for check in self.checks))


@dataclass(slots=True, eq=False)  # two alike are two actions
class Intent:
    """An accepted declaration with its words read.

    Attributes:
        inner: The defence inside a full defence (AQ-DEF-16).
        kinds: The defences of a flight (AQ-DEF-20).
        weapon: What it is done with; fixed at declaration.
        toward: Whom a movement goes to, ``away`` whom it leaves behind.
        varas: How far, or None for as far as it may.
        item: Name of an object: a weapon, a shield or a piece of armour.
        items: Names to draw.
        begun: Past the point where it can still be lost.
    """

    declaration: Declaration
    action: Action
    actor: str
    cost: Cost = Cost.NORMAL
    inner: Action | None = None
    kinds: tuple[str, ...] = ()
    target: str = ""
    targets: tuple[str, ...] = ()
    weapon: Weapon | None = None
    weapon_2: Weapon | None = None
    target_weapon: str = ""
    zone: Zone | None = None
    cover: str = ""
    arm: str = ""
    off_hand: bool = False
    throws: bool = False
    levels: int = 1
    toward: str = ""
    away: str = ""
    varas: int | None = None
    item: str = ""
    items: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    fallback: "Intent | None" = None
    begun: bool = False

    @property
    def reactive(self) -> bool:
        """Whether it only waits for an attack."""
        return (self.inner or self.action).perform is None

    @property
    def arms(self) -> Weapon:
        """The weapon that it is done with, where the action needs one."""
        if self.weapon is None:
            raise ValueError(self.action.id)
        return self.weapon


@dataclass(slots=True, eq=False)  # two alike are two defences
class Ward:
    """A declared defence that waits for its attack (AQ-RND-07 to -10).

    Attributes:
        kind: ``parry``, ``shield_parry``, ``dodge``, ``seek_cover`` or ``weave``.
        order: Place among the defences declared, from 0.
        against: Enemies that it is kept for; empty for the first who comes.
        bonus: +50 of a full defence.
        answered: Enemies whose attack it has answered.
        enemy: Whose attacks a dodge or the cover answers from its first use on.
        face: The die of a dodge or of the jump for cover, once rolled; 0 before.
        label: Label of that roll.
        result: What the jump for cover was.
        fumble_told: Whether a fumble of its roll has been dealt with.
        spent: Nothing more to be had from it.
    """

    kind: str
    order: int
    intent: Intent
    weapon: Weapon | None = None
    against: tuple[str, ...] = ()
    bonus: int = 0
    answered: list[str] = field(default_factory=list)
    enemy: str = ""
    face: int = 0
    label: str = ""
    result: str = ""
    fumble_told: bool = False
    spent: bool = False
