"""One round while it is played: who has declared what, what has been done, what is still to come.

Everything here is born and dies inside ``resolve``; what outlives the round is in the fight, and
changes by events alone.
"""

from collections.abc import Mapping
from dataclasses import field

from rulesets.aquelarre.declared import Intent, Ward
from rulesets.aquelarre.events import Interrupt, LostAction
from rulesets.aquelarre.fight import Character, Fight
from rulesets.aquelarre.options import Options
from rulesets.aquelarre.rows import Tables
from rulesets.core.play import Play
from rulesets.core.records import dataclass


@dataclass(slots=True)
class Role:
    """What one character has declared and done in the round.

    Attributes:
        queue: Accepted actions still to come, in the order written; the one under way stands first.
        wards: Declared defences.
        spear: A spear set against a charge (AQ-ATK-03).
        prefers: Kinds of defence that standing orders put first, each with the enemies it is for
            (none: for all).
        spares: Enemies whose attacks are not answered (``no defender``).
        spares_all: The same for everybody.
        second_blow: Answers the second blow of a double attack (AQ-ATK-08).
        lets_go: Does not strike at who leaves (AQ-DEF-22).
        quick: Quick attacks declared.
        begun: Its own turn has come.
        over: Its own turn has gone by.
        done: Non-defensive actions finished.
        moved: Has changed its place (AQ-MOD-05).
        fell: Has fallen to the ground or out of the fight in this round.
        attacked_by: Who attacked it last, once that is resolved.
        left: Enemies whose reach it left in a prepared flight (AQ-DEF-21).
        struck: Enemies that have had their blow at it as it left (AQ-DEF-22).
        shield_placed: A shield placed against shots is in the way (AQ-DEF-10).
    """

    name: str
    queue: list[Intent] = field(default_factory=list)
    wards: list[Ward] = field(default_factory=list)
    spear: Intent | None = None
    prefers: tuple[tuple[str, tuple[str, ...]], ...] = ()
    spares: frozenset[str] = frozenset()
    spares_all: bool = False
    second_blow: bool | None = None
    lets_go: bool | None = None
    quick: int = 0
    begun: bool = False
    over: bool = False
    done: int = 0
    moved: bool = False
    fell: bool = False
    attacked_by: str = ""
    left: frozenset[str] = frozenset()
    struck: frozenset[str] = frozenset()
    shield_to_place: Intent | None = None
    shield_placed: bool = False
    prepared: bool = False
    fleeing: bool = False
    rising: bool = False


@dataclass(frozen=True, slots=True)
class Dealt:
    """PD of one blow before it meets a body (AQ-DMG-07).

    Attributes:
        rolled: Dice, fixed part, bonus and shortfall.
        dealt: After the multiplier of the action.
        parts: What ``rolled`` is made of.
        label: Label of the dice; empty for a critical, which rolls none.
        critical: Whether armour is passed by (AQ-DMG-08).
    """

    rolled: int
    dealt: int
    parts: Mapping[str, int]
    label: str = ""
    critical: bool = False


@dataclass(frozen=True, slots=True)
class Harm:
    """PD that have been dealt and whose consequences are still to come.

    Attributes:
        hp: PV left right after them.
        amount: PV lost.
        net: PD after armour and before the location's factor, for the sequela.
        location: Where; empty for a fall or a hold, which leave no sequela.
        limb: PD taken in both arms, or in both legs, right after them; 0 elsewhere.
    """

    victim: str
    hp: int
    amount: int
    net: int
    location: str
    limb: int = 0


@dataclass(slots=True, kw_only=True)
class Round(Play[Fight]):
    """A round in play.

    Attributes:
        order: Who acts when, highest first; those of one group act at the same time.
        deferred: Consequences of PD kept back until everybody of one moment has acted, or None.
        stopped: The fight ended by its own terms: nothing more is done in this round.
        holds_back: Whether anything declared may be held back at all.
    """

    tables: Tables
    options: Options
    roles: dict[str, Role]
    order: tuple[tuple[str, ...], ...] = ()
    deferred: list[Harm] | None = None
    stopped: bool = False
    holds_back: bool = True

    def who(self, name: str) -> Character:
        """A character as it stands."""
        return self.fight.cast[name]

    def rank(self, name: str) -> tuple[int, bool, int]:
        """A key that is smaller for whoever acts earlier (AQ-INI-03 to -06)."""
        return rank(self.fight, name)


def rank(fight: Fight, name: str) -> tuple[int, bool, int]:
    """A key that is smaller for whoever acts earlier; equal keys act at the same time.

    Higher initiative first; of two equal, a player's character before an NPC (AQ-INI-04), then the
    higher Perception (AQ-INI-05).
    """
    who = fight.cast[name]
    perception = who.figures.characteristics["perception"]
    return (-fight.initiative[name], who.npc, -perception)


# ------------------------------------------------------------------ lost and interrupting actions


def lose(rnd: Round, intent: Intent, reason: str, rule: str = "AQ-RND-11") -> None:
    """An action cannot be done any more."""
    queue = rnd.roles[intent.actor].queue
    if intent in queue:
        queue.remove(intent)
    intent.begun = True
    rnd.emit(LostAction(actor=intent.actor, action=intent.action.id, reason=reason, rule=rule))


def lose_rest(rnd: Round, name: str, reason: str, rule: str) -> None:
    """Everything that a character still had to do is lost; what is under way is not."""
    for intent in list(rnd.roles[name].queue):
        if not intent.begun:
            lose(rnd, intent, reason, rule)


def interrupt(rnd: Round, intent: Intent, target: str) -> None:
    """A held action goes off outside its owner's turn."""
    rnd.emit(Interrupt(actor=intent.actor, target=target, rule="AQ-RND-06"))
