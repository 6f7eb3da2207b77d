"""One blow, shot or spell against one target, with all that its figures may depend on."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from rulesets.anima.declared import Intent
from rulesets.anima.rows import Weapon, Zone
from rulesets.anima.sheet import CENTIMETRES, Ability
from rulesets.anima.turn import Round

if TYPE_CHECKING:
    from rulesets.anima.rolls import Thrown

POINT_BLANK_CM: Final = 100  # AN-RNG-11: closer than this
FULL_RANGE: Final = 2  # AN-RNG-04: the maximum is twice the effective range


@dataclass(slots=True)
class Blow:
    """One attack roll with its target.

    Attributes:
        kind: ``melee``, ``thrown``, ``shot`` or ``supernatural``.
        weapon: What it is given with; None for a spell or power, which is ``ability``.
        strike: Number of the blow in the assault, from 1.
        token: The action that it belongs to, for surprise (AN-SUR-03).
        passive: At somebody held at weapon's point: no active (AN-MAN-21).
        bonus: Of a counterattack (AN-CTR-03).
        beyond: Farther than the effective range (AN-RNG-04).
        thrown: Its roll.
        held: Turned into a hold after the die (AN-MAN-22).
        place: Where its attack event stands among the events told.
    """

    actor: str
    target: str
    kind: str
    weapon: Weapon | None = None
    ability: Ability | None = None
    intent: Intent | None = None
    manoeuvre: str = ""
    zone: Zone | None = None
    area: bool = False
    with_damage: bool = False
    secondary: bool = False
    second_hand: bool = False
    strike: int = 0
    token: object = None
    passive: bool = False
    counter: bool = False
    bonus: int = 0
    fatigue: int = 0
    distance_cm: int = 0
    point_blank: bool = False
    beyond: bool = False
    roll: "Thrown | None" = None
    total: int = 0
    held: bool = False
    place: int = 0
    targets: tuple[str, ...] = field(default_factory=tuple)

    @property
    def ranged(self) -> bool:
        """Whether it is shot or thrown."""
        return self.kind in ("shot", "thrown")

    @property
    def uses_crit2(self) -> bool:
        """Whether it is of the secondary kind; the other hand's weapon may have none."""
        return self.secondary and self.weapon is not None and bool(self.weapon.crit2)

    @property
    def damage_type(self) -> str:
        """The kind of damage, which says what armour it meets."""
        if self.ability is not None:
            return self.ability.type
        if self.weapon is None:
            return "blunt"
        return self.weapon.crit2 if self.uses_crit2 else self.weapon.crit

    @property
    def damage(self) -> int:
        """Final damage, halved beyond the effective range (AN-RNG-04)."""
        if self.ability is not None:
            return self.ability.damage
        whole = 0 if self.weapon is None else self.weapon.damage
        return whole // 2 if self.beyond else whole

    @property
    def harms_energy(self) -> bool:
        """Whether it can harm what is not solid (AN-SUP-19)."""
        return self.ability is not None or (self.weapon is not None and self.weapon.harms_energy)

    @property
    def weapon_name(self) -> str:
        """Name of the weapon or of the ability."""
        if self.ability is not None:
            return self.ability.name
        return "" if self.weapon is None else self.weapon.name


def effective_range_cm(rnd: Round, name: str, weapon: Weapon) -> int:
    """Effective range with the Strength that counts for it (AN-RNG-05), in centimetres.

    A bow of 60 m in the hands of Strength 8 reaches 80 m; a crossbow goes by its own Strength.
    """
    base = weapon.range or weapon.throw_range
    own = weapon.strength > 0
    strength = weapon.strength or rnd.who(name).sheet.characteristics["strength"]
    added = rnd.tables.metres_of_strength(strength, weapon.quality, own=own)
    return max(0, base + added) * CENTIMETRES
