"""What can happen in an assault: the facts of the catalogue (Events), with its field names.

Beyond the catalogue an event may say where its figures come from: ``label`` names the roll behind
it and ``limit`` is the ability that the roll was added to. ``penalty``, ``grip``, ``effect``,
``talk`` and the events of the game master and of the round's own course (``correction``,
``modifier``, ``action_order``) are at the end.
"""

from collections.abc import Mapping
from typing import ClassVar, Final

from rulesets.core.events import Event, by_type
from rulesets.core.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Assault(Event):
    """An assault begins; ``elapsed_s`` are seconds since the first (AN-TIM-01)."""

    type: ClassVar[str] = "assault"
    number: int = 0
    elapsed_s: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recover(Event):
    """A penalty that passes: pain, cold or shock; ``value`` is what is left of it."""

    type: ClassVar[str] = "recover"
    what: str = ""
    amount: int = 0
    value: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Initiative(Event):
    """Somebody's initiative for the assault."""

    type: ClassVar[str] = "initiative"
    total: int = 0
    label: str = ""
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Surprise(Event):
    """The actor is so much faster that the target is surprised (AN-SUR-01)."""

    type: ClassVar[str] = "surprise"
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stance(Event):
    """A stance is entered or left."""

    type: ClassVar[str] = "stance"
    stance: str = ""
    change: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserve(Event):
    """Somebody lets its turn pass and waits."""

    type: ClassVar[str] = "reserve"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupt(Event):
    """An interruption by surprise, or the asking for one without it (AN-SUR-04)."""

    type: ClassVar[str] = "interrupt"
    target: str = ""
    result: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Movement(Event):
    """Somebody moves so many metres; ``gap_cm`` is the distance to ``toward`` afterwards."""

    type: ClassVar[str] = "movement"
    distance: int = 0
    active: bool = False
    toward: str = ""
    gap_cm: int = 0
    charge: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WeaponChange(Event):
    """A weapon is drawn, readied to shoot, or picked up."""

    type: ClassVar[str] = "weapon"
    weapon: str = ""
    change: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim(Event):
    """An assault spent aiming (AN-RNG-10)."""

    type: ClassVar[str] = "aim"
    target: str = ""
    rounds: int = 0
    bonus: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Accumulate(Event):
    """Zeon gathered; ``value`` is what there is now."""

    type: ClassVar[str] = "accumulate"
    amount: int = 0
    value: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast(Event):
    """A spell or a power comes off; ``left`` is the zeon that remains."""

    type: ClassVar[str] = "cast"
    ability: str = ""
    cost: int = 0
    left: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Potential(Event):
    """A roll of psychic potential; ``level`` is the highest difficulty that it reaches."""

    type: ClassVar[str] = "potential"
    ability: str = ""
    total: int = 0
    level: str = ""
    result: str = ""
    label: str = ""
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillUse(Event):
    """A secondary ability against a difficulty."""

    type: ClassVar[str] = "skill"
    skill: str = ""
    total: int = 0
    difficulty: int = 0
    result: str = ""
    label: str = ""
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FatigueSpent(Event):
    """Points of fatigue spent on a roll or an accumulation."""

    type: ClassVar[str] = "fatigue"
    spent: int = 0
    left: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack(Event):
    """An attack roll. ``target`` is a tuple of names where one roll is for several."""

    type: ClassVar[str] = "attack"
    target: str | tuple[str, ...] = ""
    total: int = 0
    kind: str = ""
    weapon: str = ""
    strike: int = 0
    counter: bool = False
    manoeuvre: str = ""
    zone: str = ""
    result: str = ""
    label: str = ""
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PassiveAttack(Event):
    """Somebody held at weapon's point is struck (AN-MAN-21)."""

    type: ClassVar[str] = "passive_attack"
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimultaneousFire(Event):
    """One who is shot at shoots before defending (AN-RNG-06)."""

    type: ClassVar[str] = "simultaneous_fire"
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fumble(Event):
    """A fumble with its level, or with what it takes from an initiative."""

    type: ClassVar[str] = "fumble"
    roll: str = ""
    level: int = 0
    penalty: int = 0
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Defence(Event):
    """A defence against one attack."""

    type: ClassVar[str] = "defence"
    against: str = ""
    kind: str = ""
    total: int = 0
    result: str = ""
    shield: str = ""
    label: str = ""
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover(Event):
    """A shield in the way of a blow at somebody else (AN-SHD-07)."""

    type: ClassVar[str] = "cover"
    target: str = ""
    total: int = 0
    result: str = ""
    label: str = ""
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PushAside(Event):
    """Somebody is pushed out of the way of a blow (AN-SPD-01)."""

    type: ClassVar[str] = "push_aside"
    target: str = ""
    total: int = 0
    result: str = ""
    label: str = ""
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShieldChange(Event):
    """A supernatural shield wears, breaks, or is placed on ``target``."""

    type: ClassVar[str] = "shield"
    shield: str = ""
    damage: int = 0
    points: int = 0
    result: str = ""
    through: int = 0
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssaultResult(Event):
    """Final attack less final defence, and what it comes to."""

    type: ClassVar[str] = "assault_result"
    target: str = ""
    margin: int = 0
    outcome: str = ""
    absorption: int = 0
    percent: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition(Event):
    """A condition begins or ends; ``on_defensive`` lasts for the assault only."""

    type: ClassVar[str] = "condition"
    target: str = ""
    condition: str = ""
    change: str = ""
    by: str = ""
    minutes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage(Event):
    """HP lost."""

    type: ClassVar[str] = "damage"
    target: str = ""
    amount: int = 0
    percent: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Critical(Event):
    """A wound is a critical, of this level (AN-CRI-02)."""

    type: ClassVar[str] = "critical"
    target: str = ""
    level: int = 0
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resistance(Event):
    """A resistance check; equal is enough."""

    type: ClassVar[str] = "resistance"
    kind: str = ""
    against: str = ""
    total: int = 0
    difficulty: int = 0
    failure: int = 0
    result: str = ""
    label: str = ""
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LocationFound(Event):
    """Where a critical lands."""

    type: ClassVar[str] = "location"
    target: str = ""
    location: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opposed(Event):
    """A check of characteristics; ``result`` is the actor's."""

    type: ClassVar[str] = "opposed"
    target: str = ""
    manoeuvre: str = ""
    actor_total: int = 0
    target_total: int = 0
    difference: int = 0
    result: str = ""
    label: str = ""
    limit: int = 0
    target_label: str = ""
    target_limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Burning(Event):
    """How far a fire has got (T8)."""

    type: ClassVar[str] = "burning"
    target: str = ""
    total: int = 0
    level: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterattack(Event):
    """An answer to a defence that was won, or why there is none."""

    type: ClassVar[str] = "counterattack"
    target: str = ""
    bonus: int = 0
    result: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intercepted(Event):
    """A parry stops an area attack; ``target`` is whose (AN-MAN-18)."""

    type: ClassVar[str] = "intercepted"
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retarget(Event):
    """A blow goes to somebody else because its target has fallen (AN-WEB-02)."""

    type: ClassVar[str] = "retarget"
    from_: str = ""
    to: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LostAction(Event):
    """An action that cannot be done any more; ``strikes`` are the blows lost with it."""

    type: ClassVar[str] = "lost_action"
    verb: str = ""
    reason: str = ""
    strikes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingNeeded(Event):
    """What the rules leave to the game master; the round goes on without its effect."""

    type: ClassVar[str] = "ruling_needed"
    reason: str = ""
    text: str = ""

    @property
    def topic(self) -> str:
        """What it is about, by the name that every game's rulings have."""
        return self.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Death(Event):
    """Somebody dies."""

    type: ClassVar[str] = "death"
    target: str = ""


# ---------------------------------------------------------------- beyond the catalogue


@dataclass(frozen=True, slots=True, kw_only=True)
class Penalty(Event):
    """A penalty to all action begins: pain, lasting, cold or shock; ``value`` is the new total."""

    type: ClassVar[str] = "penalty"
    target: str = ""
    what: str = ""
    amount: int = 0
    value: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Grip(Event):
    """A grapple holds, or holds no longer; the conditions are events of their own."""

    type: ClassVar[str] = "grip"
    target: str = ""
    change: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect(Event):
    """An effect that is resisted again each assault begins or ends (AN-SUP-17)."""

    type: ClassVar[str] = "effect"
    target: str = ""
    condition: str = ""
    resistance: str = ""
    difficulty: int = 0
    change: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk(Event):
    """Words, shouts, signs: they cost nothing."""

    type: ClassVar[str] = "talk"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionOrder(Event):
    """Who acted when: as the turns came (catalogue, Events)."""

    type: ClassVar[str] = "action_order"
    order: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingModifier(Event):
    """A game master's modifier to rolls of this round (AN-SIT-21)."""

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


EVENTS: Final[Mapping[str, type[Event]]] = by_type(
    Assault,
    Recover,
    Initiative,
    Surprise,
    Stance,
    Reserve,
    Interrupt,
    Movement,
    WeaponChange,
    Aim,
    Accumulate,
    Cast,
    Potential,
    SkillUse,
    FatigueSpent,
    Attack,
    PassiveAttack,
    SimultaneousFire,
    Fumble,
    Defence,
    Cover,
    PushAside,
    ShieldChange,
    AssaultResult,
    Condition,
    Damage,
    Critical,
    Resistance,
    LocationFound,
    Opposed,
    Burning,
    Counterattack,
    Intercepted,
    Retarget,
    LostAction,
    RulingNeeded,
    Death,
    Penalty,
    Grip,
    Effect,
    Talk,
    ActionOrder,
    RulingModifier,
    Corrected,
)
