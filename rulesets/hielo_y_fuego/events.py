"""What can happen in a fight: the facts of catalogue section 8, with its field names.

Beyond the catalogue an event may say where its figures come from: ``label`` names the roll behind
it and ``parts`` takes a sum apart.
``loss`` is health that goes, whatever took it. Events of game masters (``correction``,
``modifier``) and of the round's own course (``round``, ``action_order``) are at the end.
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
    """Somebody's initiative (HF-INI-01); ``again`` when a tie is rolled again (HF-INI-03)."""

    type: ClassVar[str] = "initiative"
    total: int = 0
    parts: Mapping[str, int] = field(default_factory=_no_parts)
    label: str = ""
    again: bool = False

    @property
    def value(self) -> int:
        """The total, by the name that every game's initiative has."""
        return self.total


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOrder(Event):
    """Who acts before whom from now on, ties settled."""

    type: ClassVar[str] = "turn_order"
    order: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack(Event):
    """An attack test against a combat defence (HF-ATK-01). ``action`` is the verb."""

    type: ClassVar[str] = "attack"
    target: str = ""
    action: str = ""
    weapon: str = ""
    result: str = ""
    total: int = 0
    against: int = 0
    degrees: int = 0
    ranged: bool = False
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Test(Event):
    """Any other test: against a passive value, a difficulty, or for its total alone.

    ``means`` is the weapon of an attack test (HF-ATK-19).
    """

    type: ClassVar[str] = "test"
    test: str = ""
    target: str = ""
    ability: str = ""
    means: str = ""
    result: str = ""
    total: int = 0
    against: int = 0
    degrees: int = 0
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opposed(Event):
    """A conflict test (HF-TST-09); ``result`` is that of the one who tries, the actor."""

    type: ClassVar[str] = "opposed"
    target: str = ""
    test: str = ""
    result: str = ""
    total: int = 0
    against: int = 0
    label: str = ""
    target_label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Critical(Event):
    """What a critical hit brings (HF-CRT-02)."""

    type: ClassVar[str] = "critical"
    target: str = ""
    sixes: int = 0
    effect: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fumble(Event):
    """What a fumble brings (HF-FUM-02)."""

    type: ClassVar[str] = "fumble"
    ones: int = 0
    effect: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage(Event):
    """Damage of a hit before the defender's choice (HF-DMG-01); ``parts`` are those of ``base``."""

    type: ClassVar[str] = "damage"
    target: str = ""
    base: int = 0
    degrees: int = 0
    extra: int = 0
    armor: int = 0
    amount: int = 0
    parts: Mapping[str, int] = field(default_factory=_no_parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wound(Event):
    """An injury or a wound is taken (HF-DMG-04 to -06)."""

    type: ClassVar[str] = "wound"
    target: str = ""
    kind: str = ""
    count: int = 1
    taken: int = 0
    forced: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss(Event):
    """Health that goes (HF-DMG-03); never under 0."""

    type: ClassVar[str] = "loss"
    target: str = ""
    amount: int = 0
    left: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Defeat(Event):
    """Out of the fight (HF-DMG-09); the actor is the victor."""

    type: ClassVar[str] = "defeat"
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Death(Event):
    """Somebody dies: of wounds, of a critical hit or by the victor's hand."""

    type: ClassVar[str] = "death"
    target: str = ""
    cause: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition(Event):
    """A condition begins or ends. ``until`` is the round in which it passes by itself."""

    type: ClassVar[str] = "condition"
    target: str = ""
    condition: str = ""
    gained: bool = False
    until: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Movement(Event):
    """Somebody moves; ``distance`` is what is left to the one it went toward or away from."""

    type: ClassVar[str] = "movement"
    kind: str = ""
    metres: int = 0
    toward: str = ""
    from_: str = ""
    passing: str = ""
    distance: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterattack(Event):
    """A counterattack goes off, before its attack (HF-ADV-07)."""

    type: ClassVar[str] = "counterattack"
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready(Event):
    """A counterattack is held in reserve, with a weapon and perhaps for one rival only."""

    type: ClassVar[str] = "ready"
    target: str = ""
    weapon: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupt(Event):
    """An attempt to act before another (HF-ADV-01), after its ``opposed``."""

    type: ClassVar[str] = "interrupt"
    target: str = ""
    result: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assist(Event):
    """Help given (HF-OTH-01): ``test`` is what it serves for."""

    type: ClassVar[str] = "assist"
    target: str = ""
    test: str = ""
    bonus: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistOver(Event):
    """Help that has served its test."""

    type: ClassVar[str] = "assist_over"
    target: str = ""
    test: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recover(Event):
    """Health comes back, or senses do (HF-OTH-16, HF-ADV-18)."""

    type: ClassVar[str] = "recover"
    kind: str = ""
    amount: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WeaponChange(Event):
    """Something happens to somebody's weapon; ``by`` is who did it."""

    type: ClassVar[str] = "weapon"
    weapon: str = ""
    kind: str = ""
    metres: int = 0
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wear(Event):
    """Armour, or what defends in hand, is worn down for good (HF-QUA-06); ``left`` remains."""

    type: ClassVar[str] = "wear"
    target: str = ""
    item: str = ""
    amount: int = 0
    left: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Lowered(Event):
    """A weapon that has attacked defends no more until its owner's next turn (HF-ATK-07)."""

    type: ClassVar[str] = "lowered"
    weapon: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted(Event):
    """A turn begins: what lasted until it is over (catalogue 3.1, 5b)."""

    type: ClassVar[str] = "turn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dodge(Event):
    """The total of a dodge takes the place of the combat defence (HF-OTH-11)."""

    type: ClassVar[str] = "dodge"
    total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Dismounted(Event):
    """A rider is off his mount (HF-ATK-12; catalogue 3.3)."""

    type: ClassVar[str] = "dismounted"
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Destiny(Event):
    """A destiny point is spent (HF-OTH-19); ``left`` remain."""

    type: ClassVar[str] = "destiny"
    use: str = ""
    left: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Interact(Event):
    """Something is done with a thing that is no weapon of the sheet (HF-OTH-13)."""

    type: ClassVar[str] = "interact"
    object: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LostAction(Event):
    """An action came to nothing: spent, but not done."""

    type: ClassVar[str] = "lost_action"
    action: str = ""
    target: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingNeeded(Event):
    """What the rules leave to the game master; the round goes on without its effect."""

    type: ClassVar[str] = "ruling_needed"
    kind: str = ""
    target: str = ""
    minimum: str = ""
    action: str = ""
    detail: str = ""

    @property
    def topic(self) -> str:
        """The kind, by the name that every game's rulings have."""
        return self.kind


# ------------------------------------------------------------------ the course of a round


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOpened(Event):
    """A round begins."""

    type: ClassVar[str] = "round"
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionOrder(Event):
    """Who has acted in the round, in the order of their turns (catalogue 3.1)."""

    type: ClassVar[str] = "action_order"
    order: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected(Event):
    """A game master's change to somebody's state, or to the scene."""

    type: ClassVar[str] = "correction"
    field: str = ""
    before: object = None
    after: object = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingModifier(Event):
    """A game master's plus or minus to the total of a roll of this round."""

    type: ClassVar[str] = "modifier"
    roll: str = ""
    value: int = 0


EVENTS: Final[Mapping[str, type[Event]]] = by_type(
    Initiative,
    TurnOrder,
    Attack,
    Test,
    Opposed,
    Critical,
    Fumble,
    Damage,
    Wound,
    Loss,
    Defeat,
    Death,
    Condition,
    Movement,
    Counterattack,
    Ready,
    Interrupt,
    Assist,
    AssistOver,
    Recover,
    WeaponChange,
    Wear,
    Lowered,
    TurnStarted,
    Dodge,
    Dismounted,
    Destiny,
    Interact,
    LostAction,
    RulingNeeded,
    RoundOpened,
    ActionOrder,
    Corrected,
    RulingModifier,
)
