"""What can happen in a fight: the facts of catalogue 7.1, with its field names.

Beyond the catalogue an event may say where its figures come from: ``label`` names the roll behind
it, ``face`` and ``limit`` are that roll's die and what it was compared with, ``parts`` takes a sum
apart. Events of game masters (``correction``, ``modifier``) and of the round's own course
(``round``, ``action_order``) are at the end.
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
    """Somebody's initiative for the round; again when a quick attack raises it (AQ-ATK-10)."""

    type: ClassVar[str] = "initiative"
    value: int = 0
    parts: Mapping[str, int] = field(default_factory=_no_parts)
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclarationOrder(Event):
    """Who declares when: lowest initiative first (AQ-INI-02)."""

    type: ClassVar[str] = "declaration_order"
    order: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack(Event):
    """An attack roll. ``target`` is a tuple of names for a sweep."""

    type: ClassVar[str] = "attack"
    target: str | tuple[str, ...] = ""
    kind: str = ""
    weapon: str = ""
    weapon_2: str = ""
    result: str = ""
    ranged: bool = False
    label: str = ""
    face: int = 0
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Defence(Event):
    """A defence against one attack; the enemy's name is in ``against``."""

    type: ClassVar[str] = "defence"
    against: str = ""
    kind: str = ""
    weapon: str = ""
    result: str = ""
    label: str = ""
    face: int = 0
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage(Event):
    """PV lost. ``location`` is empty for a fall or a hold; ``parts`` are those of ``rolled``."""

    type: ClassVar[str] = "damage"
    target: str = ""
    location: str = ""
    rolled: int = 0
    dealt: int = 0
    absorbed: int = 0
    amount: int = 0
    critical: bool = False
    parts: Mapping[str, int] = field(default_factory=_no_parts)
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wound(Event):
    """A worse level of health is reached (AQ-HP-03 to 12)."""

    type: ClassVar[str] = "wound"
    level: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition(Event):
    """A condition begins or ends. ``other`` is the second of a melé or a hold."""

    type: ClassVar[str] = "condition"
    condition: str = ""
    change: str = ""
    other: str = ""
    minutes: int = 0
    location: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Movement(Event):
    """Somebody moves; ``to`` is the new place on the line, where the scene has one."""

    type: ClassVar[str] = "movement"
    kind: str = ""
    varas: int = 0
    target: str = ""
    to: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opposed(Event):
    """A confrontation; ``result`` is that of the active side, the actor."""

    type: ClassVar[str] = "opposed"
    target: str = ""
    kind: str = ""
    result: str = ""
    label: str = ""
    face: int = 0
    limit: int = 0
    target_label: str = ""
    target_face: int = 0
    target_limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Check(Event):
    """A roll that nobody opposes."""

    type: ClassVar[str] = "check"
    kind: str = ""
    result: str = ""
    label: str = ""
    face: int = 0
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LostAction(Event):
    """An action that cannot be done any more (AQ-RND-11)."""

    type: ClassVar[str] = "lost_action"
    action: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupt(Event):
    """A held action goes off outside its owner's turn (AQ-RND-06)."""

    type: ClassVar[str] = "interrupt"
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeaponDropped(Event):
    """A weapon falls from the hand."""

    type: ClassVar[str] = "weapon_dropped"
    weapon: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeaponBroken(Event):
    """A weapon is of no more use."""

    type: ClassVar[str] = "weapon_broken"
    weapon: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShieldWear(Event):
    """A shield loses Resistance."""

    type: ClassVar[str] = "shield_wear"
    amount: int = 0
    left: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShieldBroken(Event):
    """A shield has no Resistance left."""

    type: ClassVar[str] = "shield_broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmourWear(Event):
    """A piece of armour loses Resistance."""

    type: ClassVar[str] = "armour_wear"
    armour: str = ""
    amount: int = 0
    left: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectHit(Event):
    """The blow lands on what stands before the actor: ``shield``, or the object's name."""

    type: ClassVar[str] = "object_hit"
    location: str = ""
    object: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MountDamage(Event):
    """The actor's mount loses PV."""

    type: ClassVar[str] = "mount_damage"
    amount: int = 0
    left: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepStopped(Event):
    """A parry stops a sweep at this target (AQ-ATK-16)."""

    type: ClassVar[str] = "sweep_stopped"
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stun(Event):
    """Doubled damage against Resistance (AQ-ATK-13)."""

    type: ClassVar[str] = "stun"
    target: str = ""
    amount: int = 0
    limit: int = 0
    result: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequela(Event):
    """A lasting effect of one terrible blow (AQ-SEQ-01)."""

    type: ClassVar[str] = "sequela"
    location: str = ""
    roll: int = 0
    effect: str = ""
    characteristic: str = ""
    loss: int = 0
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bleed(Event):
    """1 PV less in the conclusion phase; ``hp`` is what is left."""

    type: ClassVar[str] = "bleed"
    hp: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepare(Event):
    """The bonus kept for the next attack; 0 when the preparation is lost."""

    type: ClassVar[str] = "prepare"
    bonus: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reload(Event):
    """``left`` actions more until the weapon can shoot."""

    type: ClassVar[str] = "reload"
    weapon: str = ""
    left: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw(Event):
    """A weapon or shield is taken in hand."""

    type: ClassVar[str] = "draw"
    weapon: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveItem(Event):
    """An object changes hands, or falls between them."""

    type: ClassVar[str] = "give_item"
    target: str = ""
    item: str = ""
    result: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DonArmour(Event):
    """``left`` rounds more until the piece protects."""

    type: ClassVar[str] = "don_armour"
    armour: str = ""
    left: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair(Event):
    """Resistance given back to a shield or a piece of armour."""

    type: ClassVar[str] = "repair"
    object: str = ""
    amount: int = 0
    left: int = 0
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trick(Event):
    """A treta; its effect is the game master's."""

    type: ClassVar[str] = "trick"
    target: str = ""
    result: str = ""
    label: str = ""
    face: int = 0
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fumble(Event):
    """How bad a fumble is: 1D10, the higher the worse (AQ-FUM-01)."""

    type: ClassVar[str] = "fumble"
    severity: int = 0
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeAction(Event):
    """Something that costs nothing."""

    type: ClassVar[str] = "free_action"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recover(Event):
    """Somebody comes to."""

    type: ClassVar[str] = "recover"
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CombatEnd(Event):
    """The fight is over by its own terms."""

    type: ClassVar[str] = "combat_end"
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Death(Event):
    """Somebody dies."""

    type: ClassVar[str] = "death"


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingNeeded(Event):
    """What the rules leave to the game master; the round goes on without its effect."""

    type: ClassVar[str] = "ruling_needed"
    topic: str = ""
    action: str = ""
    target: str = ""


# ---------------------------------------------------------------- beyond the catalogue


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOpened(Event):
    """A new round; modifiers by ruling of the former one are over."""

    type: ClassVar[str] = "round"
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionOrder(Event):
    """Who acts when, highest first; those who act at the same time are a tuple of their own."""

    type: ClassVar[str] = "action_order"
    order: tuple[str | tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingModifier(Event):
    """A game master's modifier to rolls of this round (AQ-MOD-11)."""

    type: ClassVar[str] = "modifier"
    roll: str = ""
    value: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected(Event):
    """A game master changes a character's state or the scene, in plain sight."""

    type: ClassVar[str] = "correction"
    field: str = ""
    before: object = ""
    after: object = ""
    reason: str = ""


EVENTS: Final = by_type(
    Initiative,
    DeclarationOrder,
    Attack,
    Defence,
    Damage,
    Wound,
    Condition,
    Movement,
    Opposed,
    Check,
    LostAction,
    Interrupt,
    WeaponDropped,
    WeaponBroken,
    ShieldWear,
    ShieldBroken,
    ArmourWear,
    ObjectHit,
    MountDamage,
    SweepStopped,
    Stun,
    Sequela,
    Bleed,
    Prepare,
    Reload,
    Draw,
    GiveItem,
    DonArmour,
    Repair,
    Trick,
    Fumble,
    FreeAction,
    Recover,
    CombatEnd,
    Death,
    RulingNeeded,
    RoundOpened,
    ActionOrder,
    RulingModifier,
    Corrected,
)
