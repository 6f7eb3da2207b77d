"""What a declaration becomes once it is accepted, and the shape of a row of the table of actions.

A tag's words are read once, when it is checked: names become characters, weapons and abilities, and
are fixed from then on. The rows themselves are in ``actions``.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from rulesets.anima.rows import Weapon, Zone
from rulesets.anima.sheet import Ability, Skill
from rulesets.core.declarations import Declaration, Timing
from rulesets.core.records import dataclass
from rulesets.core.ruleset import Verb

if TYPE_CHECKING:
    from rulesets.anima.declaring import Desk
    from rulesets.anima.turn import Round

# Kinds of active actions (AN-ACT-02); a secondary ability is a kind of its own.
ATTACK = "attack"
MOVE = "move"
SUPERNATURAL = "supernatural"
PUSH_ASIDE = "push_aside"
COVER = "cover"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a tag is refused: a code of the catalogue with what its message needs."""

    code: str
    rule: str
    facts: Mapping[str, object] = field(default_factory=dict)


@dataclass(slots=True, eq=False)  # two alike are two actions
class Intent:
    """An accepted declaration with its words read.

    Attributes:
        kinds: Kinds of active that it uses, in order; empty for a passive one.
        targets: In the order written; the last one repeats.
        second: The weapon of the other hand.
        blows: All blows of an attack, the second weapon's included.
        manoeuvres, zones: One for each blow, the last one repeats; empty text is none.
        area: An area attack of a weapon (AN-MAN-17).
        thrown: A weapon made to be thrown by the verb.
        distance_cm: Of a movement.
        until: Whose turn a reserve waits for.
        drops: ``si no: nada``: dropped if its target has fallen.
        instead: ``si no: ataque NAME``: whom it goes to then.
        fatigue: Points to be spent on its first roll.
        given: Blows given on the owner's own turn so far.
        timed: Its moment has come, or it has none.
    """

    declaration: Declaration
    action: "Action"
    actor: str
    kinds: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    weapon: Weapon | None = None
    second: Weapon | None = None
    blows: int = 1
    manoeuvres: tuple[str, ...] = ("",)
    zones: tuple[Zone | None, ...] = (None,)
    area: bool = False
    thrown: bool = False
    with_damage: bool = False
    secondary: bool = False
    toward: str = ""
    distance_cm: int = 0
    until: str = ""
    ability: Ability | None = None
    skill: Skill | None = None
    difficulty: int = 0
    shield: str = ""
    late: bool = False
    drops: bool = False
    instead: str = ""
    fatigue: int = 0
    given: int = 0
    timed: bool = False

    @property
    def timing(self) -> Timing | None:
        """When it goes off, if not at its owner's turn."""
        return None if self.timed else self.declaration.timing


@dataclass(frozen=True, slots=True)
class Action:
    """A row of the table of actions (catalogue, Action vocabulary).

    Attributes:
        looks: What may be wrong with it, in order; each look also fills the intent in.
        perform: What it does when its moment comes; None where it has done all at declaration.
        physical: Whether one who cannot move at all cannot do it (AN-SIT-11).
        id: Its verb.
        rule: Its catalogue id.
    """

    verb: Verb
    looks: "tuple[Callable[[Desk, Intent], Refusal | None], ...]" = ()
    perform: "Callable[[Round, Intent], None] | None" = None
    physical: bool = True
    id: str = field(init=False)
    rule: str = field(init=False)

    def __post_init__(self) -> None:
        """Take over what is asked for all the time."""
        object.__setattr__(self, "id", self.verb.id)
        object.__setattr__(self, "rule", self.verb.rule)


@dataclass(slots=True)
class Guard:
    """A standing order of defence.

    Attributes:
        kind: ``parry``, ``dodge``, ``shield`` or ``best``.
        against: Enemies it is for; all where it is empty.
        fatigue: Points still to be spent on the first such defence.
        shield: Folded name of the shield meant.
    """

    kind: str
    against: tuple[str, ...] = ()
    fatigue: int = 0
    shield: str = ""


@dataclass(slots=True)
class Orders:
    """Standing orders of one character.

    Attributes:
        guards: Of defence, in the order written.
        counter: Whether it strikes back; None where nothing is said.
        pushes: Whom it pushes aside.
        covers: Whom it covers, with the folded name of the shield.
        control: Characteristic for checks, where allowed.
        escape: Whether it tries to break free; None where nothing is said.
        hold_from: Dice from which a blow becomes a hold (AN-MAN-22); 0 for never.
        strikes: Whom it strikes passively, and who must act for it.
        fire: Whether it shoots at the same time; None where nothing is said.
    """

    guards: list[Guard] = field(default_factory=list)
    counter: bool | None = None
    counter_weapon: Weapon | None = None
    counter_manoeuvre: str = ""
    counter_zone: Zone | None = None
    counter_fatigue: int = 0
    resist_blow: bool = False
    pushes: tuple[str, ...] = ()
    covers: tuple[tuple[str, str], ...] = ()
    control: str = ""
    control_fatigue: int = 0
    escape: bool | None = None
    hold_from: int = 0
    strikes: tuple[tuple[str, str], ...] = ()
    fire: bool | None = None
    fire_at: str = ""
