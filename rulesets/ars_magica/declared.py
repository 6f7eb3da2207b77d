"""What a declaration becomes once it is accepted, and the shape of a row of the table of actions.

A tag's words are read once, when it is checked: names become characters and weapons, and are fixed
from then on. The rows themselves are in ``actions``.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING

from rulesets.ars_magica.rows import Weapon
from rulesets.core.declarations import Declaration
from rulesets.core.records import dataclass
from rulesets.core.ruleset import Verb

if TYPE_CHECKING:
    from rulesets.ars_magica.declaring import Desk
    from rulesets.ars_magica.turn import Round


class Cost(Enum):
    """How much of a round an action takes (AM-RND-02 to AM-RND-07)."""

    FREE = "free"
    QUICK = "quick"
    REGULAR = "regular"
    EXTENDED = "extended"


class Class(Enum):
    """What moving and attacking in one round, stun and panic ask about (AM-MOV-02)."""

    ATTACK = "attack"
    MOVE = "move"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a tag is refused: a code of catalogue 12 with what its message needs."""

    code: str
    rule: str
    facts: Mapping[str, object] = field(default_factory=dict)


Look = Callable[["Desk", "Intent"], Refusal | None]


@dataclass(frozen=True, slots=True)
class Action:
    """A row of the table of actions (catalogue section 5).

    Attributes:
        cost: Its usual cost; a flag or a field of the declaration may say otherwise.
        checks: What may be wrong with it, read in order; they also fill the intent in.
        perform: What it does when its moment comes.
        priority: Ability of its Action Priority Total; empty for the weapon's own (AM-OPP-11).
        melee: Whether it is a melee attack on its target: it takes a place and joins others.
    """

    verb: Verb
    cost: Cost
    klass: Class
    perform: "Callable[[Round, Intent], None]"
    checks: tuple[Look, ...] = ()
    priority: str = "athletics"
    melee: bool = False
    id: str = field(init=False)
    rule: str = field(init=False)

    def __post_init__(self) -> None:
        """Take over what is asked for all the time."""
        object.__setattr__(self, "id", self.verb.id)
        object.__setattr__(self, "rule", self.verb.rule)


@dataclass(slots=True, eq=False)  # two alike are two actions
class Intent:
    """An accepted declaration with its words read.

    Attributes:
        place: Where it stands among the declarations of the round.
        held: Uses the action carried over from the last round.
        weapon: What it is done with; fixed at declaration. ``named`` if the player said so.
        toward, away, to, spot: Where a movement goes: to somebody, from somebody, to a number.
        limit: Paces at most; None for as far as it may.
        rounds: Of an extended action.
        ease: Ease factor of its own (AM-RND-11).
        begun: Past the point where a fallback could stand in for it: a roll has used it up.
    """

    declaration: Declaration
    action: Action
    actor: str
    cost: Cost
    place: int = 0
    held: bool = False
    target: str = ""
    targets: tuple[str, ...] = ()
    weapon: Weapon | None = None
    named: bool = False
    zone: str = ""
    type: str = ""
    pace: str = ""
    toward: str = ""
    away: str = ""
    to: int | None = None
    spot: str = ""
    limit: int | None = None
    rounds: int = 1
    ease: int = 0
    item: str = ""
    name: str = ""
    fallback: Declaration | None = None
    begun: bool = False

    @property
    def quick(self) -> bool:
        """Whether it is a quick action."""
        return self.cost is Cost.QUICK

    def has(self, flag: str) -> bool:
        """Whether a flag stands in the tag."""
        return flag in self.declaration.flags
