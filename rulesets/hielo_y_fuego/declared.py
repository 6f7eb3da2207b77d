"""What a declaration becomes once it is accepted, and the shape of a row of the table of actions.

A tag's words are read once, when it is checked: names become characters and weapons, and are fixed
from then on. The rows themselves are in ``actions``.
"""

from collections.abc import Callable
from dataclasses import field
from enum import IntEnum
from typing import TYPE_CHECKING

from rulesets.core.declarations import Declaration
from rulesets.core.records import dataclass
from rulesets.core.ruleset import Verb
from rulesets.hielo_y_fuego.rows import Weapon

if TYPE_CHECKING:
    from rulesets.hielo_y_fuego.checks import Check
    from rulesets.hielo_y_fuego.declaring import Desk
    from rulesets.hielo_y_fuego.fight import Character
    from rulesets.hielo_y_fuego.turn import Round


class Size(IntEnum):
    """How much of a turn an action takes (HF-ACT-01)."""

    NONE = 0
    MINOR = 1
    MAJOR = 2


@dataclass(frozen=True, slots=True)
class Action:
    """A row of the table of actions (catalogue section 4).

    Attributes:
        size: Its usual size; ``sizes`` may say otherwise for one declaration.
        attack: Whether it is an attack for HF-ACT-02 and HF-OTH-08.
        checks: What may be wrong with it, in the order of catalogue section 10.
        perform: What it does when its moment comes.
        dice: ±D of its own.
        id: Its verb.
        rule: Its catalogue id.
        again: Checks that its moment calls for once more: the state may have changed.
    """

    verb: Verb
    size: Size
    perform: "Callable[[Round, Intent], None]"
    checks: "tuple[Check, ...]" = ()
    attack: bool = False
    sizes: "Callable[[Desk, Intent], Size] | None" = None
    dice: int = 0
    id: str = field(init=False)
    rule: str = field(init=False)
    again: "tuple[Check, ...]" = field(init=False)

    def __post_init__(self) -> None:
        """Take over what is asked for all the time."""
        object.__setattr__(self, "id", self.verb.id)
        object.__setattr__(self, "rule", self.verb.rule)
        again = tuple(check for check in self.checks if check.again)
        object.__setattr__(self, "again", again)


@dataclass(slots=True, eq=False)  # two alike are two actions
class Intent:
    """An accepted declaration with its words read.

    Attributes:
        unknown: The first word that should be a character's name and is none.
        missing: Field that has to be there and is not.
        unknown_weapon: The first word that should be a weapon's and is none.
        weapon: What it is done with, ``off_hand`` what else.
        shares, bonus: Dice and bonus dice for each target, where they were said.
        toward, away, passing: Whom a movement goes to, leaves behind, passes by.
        metres: How far, or None for as far as it may.
        item: Name of an owned weapon to take in hand; ``object`` any other thing.
        destiny: How a destiny point is spent: a use of table 12.8.
        before: Whose turn it interrupts.
        extra: On top of the turn's allotment (HF-OTH-20).
        seen: The declarer as he stood when it was checked, where nothing of his own came before.
        lost: It has come to nothing.
        why: Reason, rule and target of a loss that has not been told yet.
    """

    declaration: Declaration
    action: Action
    actor: str
    size: Size = Size.NONE
    unknown: str = ""
    missing: str = ""
    unknown_weapon: str = ""
    unknown_ability: str = ""
    target: str = ""
    targets: tuple[str, ...] = ()
    weapon: Weapon | None = None
    off_hand: Weapon | None = None
    shares: tuple[int, ...] | None = None
    bonus: tuple[int, ...] | None = None
    bad_split: bool = False
    toward: str = ""
    away: str = ""
    passing: str = ""
    metres: int | None = None
    bad_metres: str = ""
    item: str = ""
    object: str = ""
    helps: str = ""
    ability: str = ""
    specialty: str = ""
    destiny: str = ""
    before: str = ""
    extra: bool = False
    seen: "Character | None" = None
    lost: bool = False
    why: tuple[str, str, str] | None = None

    @property
    def arms(self) -> Weapon:
        """The weapon that it is done with, where the action needs one."""
        if self.weapon is None:
            raise ValueError(self.action.id)
        return self.weapon
