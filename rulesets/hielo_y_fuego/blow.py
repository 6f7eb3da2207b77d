"""One attack test as it is made: what goes into its pool and into its base damage.

A source of dice or of damage is a small function; the order in which they are written out for
readers is the order of the tuples at the end.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from rulesets.core.modifiers import Modifier
from rulesets.hielo_y_fuego.derived import in_the_way
from rulesets.hielo_y_fuego.fight import Character
from rulesets.hielo_y_fuego.pools import Pool, common, lasting, part
from rulesets.hielo_y_fuego.rows import Weapon
from rulesets.hielo_y_fuego.turn import Round

CHARGE: Final = 2  # HF-OTH-03
SADDLE: Final = 2  # HF-ATK-10
SET: Final = 2  # HF-QUA-13
TWO_HANDED: Final = 2  # HF-QUA-08
ON_FOOT: Final = 2  # HF-QUA-10


@dataclass(slots=True)
class Blow:
    """An attack test with what it is made with.

    Attributes:
        action: Verb that it belongs to, and what its event says.
        purpose: What its dice are rolled for.
        dice: ±D of the action.
        off_hand: Rating of the second weapon, added to the base damage (HF-ATK-06).
        charging: At the end of a charge (HF-OTH-03).
        divided: One of several rolls of one action.
        stagger: Gives up a degree where the weapon may (HF-QUA-07).
        grabs: Holds whom it hits, where it is strong enough (HF-ATK-13).
        against_charge: A counterattack on somebody who charges (HF-QUA-13).
        critical: What table 12.4 adds to the base damage.
    """

    rnd: Round
    actor: str
    target: str
    weapon: Weapon
    action: str
    purpose: str = "attack"
    dice: int = 0
    off_hand: int = 0
    charging: bool = False
    divided: bool = False
    stagger: bool = False
    grabs: bool = False
    against_charge: bool = False
    critical: int = 0
    who: Character = field(init=False)
    foe: Character = field(init=False)

    def __post_init__(self) -> None:
        """Look both up as they stand."""
        cast = self.rnd.fight.cast
        self.who = cast[self.actor]
        self.foe = cast[self.target]


Source = Callable[[Blow], Modifier | None]


# ------------------------------------------------------------------ ±D of the attacker himself


def own_action(blow: Blow) -> Modifier | None:
    """±D of a cautious or reckless attack, or of a charge (HF-ADV-05, HF-ADV-06, HF-OTH-03)."""
    return part(blow.dice, f"die.{blow.action}", "HF-TST-02") if blow.dice else None


def drew_moving(blow: Blow) -> Modifier | None:
    """−1D for a weapon drawn on the move (HF-OTH-14)."""
    hasty = "drew_moving" in blow.who.conditions
    return part(-1, "die.drew_moving", "HF-OTH-14") if hasty else None


def both_hands(blow: Blow) -> Modifier | None:
    """−2D with a weapon for two hands and something else in hand (HF-QUA-08)."""
    if not blow.weapon.has("two_handed") or not in_the_way(blow.who, blow.weapon):
        return None
    return part(-TWO_HANDED, "die.two_handed", "HF-QUA-08")


def lance_on_foot(blow: Blow) -> Modifier | None:
    """−2D with a weapon of the saddle on foot (HF-QUA-10)."""
    if not blow.weapon.has("mounted") or blow.who.mounted:
        return None
    return part(-ON_FOOT, "die.mounted", "HF-QUA-10")


def training(blow: Blow) -> Modifier | None:
    """−1D for each bonus die that the training asks for and is not there (HF-QUA-15)."""
    needs = blow.weapon.training
    missing = needs - blow.who.sheet.bonus(blow.weapon.specialty) if needs else 0
    return part(-missing, "die.training", "HF-QUA-15") if missing > 0 else None


def poor_craft(blow: Blow) -> Modifier | None:
    """−1D with a weapon of poor craft (HF-QUA-16)."""
    return part(-1, "die.craft", "HF-QUA-16") if blow.weapon.craft == "poor" else None


# ------------------------------------------------------------------ ±D owed to the target


def reach(blow: Blow) -> Modifier | None:
    """Dice lost with a long weapon against somebody adjacent, by option (HF-ATK-02)."""
    lost = blow.rnd.options.reach_penalty_adjacent
    if not lost or not blow.weapon.has("long") or blow.weapon.missile:
        return None
    near = blow.rnd.fight.distance(blow.actor, blow.target) <= 1
    return part(-lost, "die.reach", "HF-ATK-02") if near else None


def distance(blow: Blow) -> Modifier | None:
    """−1D for each further 10 or 100 metres begun (HF-ATK-03): −1D at 11 metres."""
    weapon = blow.weapon
    if not weapon.missile:
        return None
    metres = blow.rnd.fight.distance(blow.actor, blow.target)
    steps = -(-(metres - weapon.span) // weapon.span)
    lost = steps * blow.rnd.options.range_penalty
    return part(-lost, "die.range", "HF-ATK-03") if steps > 0 and lost else None


def prone(blow: Blow) -> Modifier | None:
    """+1D to Fighting against somebody who lies on the ground (HF-ADV-10)."""
    if blow.weapon.missile or "prone" not in blow.foe.conditions:
        return None
    return part(1, "die.prone", "HF-ADV-10")


def helpless(blow: Blow) -> Modifier | None:
    """+1D against the helpless (HF-DMG-11)."""
    return part(1, "die.helpless", "HF-DMG-11") if blow.foe.helpless else None


def surprised(blow: Blow) -> Modifier | None:
    """+1D against the surprised, in the first round (HF-RND-03)."""
    dice = blow.rnd.options.surprise_bonus
    if not dice or "surprised" not in blow.foe.conditions:
        return None
    return part(dice, "die.surprised", "HF-RND-03")


def sprinted(blow: Blow) -> Modifier | None:
    """−1D against somebody who sprinted in his last turn (HF-ADV-03)."""
    return part(-1, "die.sprinted", "HF-ADV-03") if "sprinted" in blow.foe.conditions else None


# ------------------------------------------------------------------ ±B


def specialty(blow: Blow) -> Modifier | None:
    """The dice of the weapon's specialty, less what its training takes (HF-ATK-01, HF-QUA-15)."""
    dice = specialty_dice(blow)
    return part(dice, f"bonus.{blow.weapon.specialty}", "HF-ATK-01") if dice else None


def specialty_dice(blow: Blow) -> int:
    """Bonus dice of the weapon's specialty that are left after its training."""
    dice = blow.who.sheet.bonus(blow.weapon.specialty)
    if blow.rnd.options.training_mode == "consume":
        dice -= blow.weapon.training
    return max(0, dice)


def saddle(blow: Blow) -> Modifier | None:
    """+1B from the saddle to Fighting against an enemy on foot (HF-ATK-09)."""
    foe = blow.foe
    if blow.weapon.missile or not blow.who.mounted or foe.mounted or foe.sheet.is_mount:
        return None
    return part(1, "bonus.saddle", "HF-ATK-09")


def higher(blow: Blow) -> Modifier | None:
    """+1B from higher ground to Fighting (HF-ADV-02)."""
    heights = blow.rnd.fight.scene.elevation
    if not heights or blow.weapon.missile:
        return None
    above = heights.get(blow.actor, 0) > heights.get(blow.target, 0)
    return part(1, "bonus.higher", "HF-ADV-02") if above else None


def aim(blow: Blow) -> Modifier | None:
    """+1B of an aim (HF-ADV-04)."""
    return part(1, "bonus.aiming", "HF-ADV-04") if "aiming" in blow.who.conditions else None


def fast(blow: Blow) -> Modifier | None:
    """+1B on every roll of a divided attack with a fast weapon (HF-QUA-02)."""
    if not blow.divided or not blow.weapon.has("fast"):
        return None
    return part(1, "bonus.fast", "HF-QUA-02")


def craft(blow: Blow) -> Modifier | None:
    """+1 to hit with a weapon of superior or extraordinary craft (HF-QUA-16)."""
    fine = blow.weapon.craft in ("superior", "extraordinary")
    return part(1, "craft", "HF-QUA-16") if fine else None


# Read top to bottom: the order in which a pool is written out for readers.
OWN_DICE: Final[tuple[Source, ...]] = (
    own_action,
    drew_moving,
    both_hands,
    lance_on_foot,
    training,
    poor_craft,
)
TARGET_DICE: Final[tuple[Source, ...]] = (reach, distance, prone, helpless, surprised, sprinted)
BONUS: Final[tuple[Source, ...]] = (saddle, higher, aim, fast)


def strike_pool(blow: Blow) -> Pool:
    """The pool of an attack test with all its dice (HF-ATK-01, HF-ATK-19)."""
    skill = blow.weapon.skill
    pool = Pool(part(blow.who.sheet.ranks[skill], f"die.{skill}", "HF-TST-01"))
    own = specialty(blow)
    if own is not None:
        pool.bonus.append(own)
    for source in (*OWN_DICE, *TARGET_DICE):
        found = source(blow)
        if found is not None:
            pool.dice.append(found)
    _lay_on(blow, pool)
    return common(blow.rnd, blow.who, pool, blow.purpose)


def own_penalties(blow: Blow) -> list[Modifier]:
    """±D of the attacker himself: they change a divided pool before it is split (HF-ATK-05)."""
    found = [one for source in OWN_DICE if (one := source(blow)) is not None]
    if blow.who.wounds:
        found.append(part(-blow.who.wounds, "die.wounds", "HF-DMG-08"))
    if "harassed" in blow.who.conditions:
        found.append(part(-1, "die.harassed", "HF-ADV-14"))
    return found


def share_pool(blow: Blow, share: int, bonus: int) -> Pool:
    """The pool of one roll of a divided attack: its share, and what is owed to that target."""
    pool = Pool(part(share, "die.share", "HF-ATK-05"))
    if bonus:
        pool.bonus.append(part(bonus, f"bonus.{blow.weapon.specialty}", "HF-ATK-05"))
    if blow.rnd.options.divided_penalty == "each":
        pool.dice.extend(own_penalties(blow))
    for source in TARGET_DICE:
        found = source(blow)
        if found is not None:
            pool.dice.append(found)
    _lay_on(blow, pool)
    return lasting(blow.rnd, blow.who, pool, blow.purpose)


def _lay_on(blow: Blow, pool: Pool) -> None:
    for source in BONUS:
        found = source(blow)
        if found is not None:
            pool.bonus.append(found)
    fine = craft(blow)
    if fine is not None:
        pool.flat.append(fine)


# ------------------------------------------------------------------ base damage


def rank(blow: Blow) -> Modifier | None:
    """The ability of the weapon (HF-DER-04)."""
    ability = blow.weapon.ability
    return part(blow.who.sheet.ranks[ability], f"rank.{ability}", "HF-DER-04")


def number(blow: Blow) -> Modifier | None:
    """The weapon's own number (HF-DER-04)."""
    return part(blow.weapon.number, "weapon", "HF-DER-04") if blow.weapon.number else None


def fine_blade(blow: Blow) -> Modifier | None:
    """+1 with a weapon of extraordinary craft (HF-QUA-16)."""
    return part(1, "craft", "HF-QUA-16") if blow.weapon.craft == "extraordinary" else None


def adaptable(blow: Blow) -> Modifier | None:
    """+1 with an adaptable weapon in both hands (HF-QUA-01)."""
    if not blow.weapon.has("adaptable") or in_the_way(blow.who, blow.weapon):
        return None
    return part(1, "adaptable", "HF-QUA-01")


def powerful(blow: Blow) -> Modifier | None:
    """The strength dice with a powerful weapon (HF-QUA-05)."""
    strength = blow.who.sheet.bonus("strength") if blow.weapon.has("powerful") else 0
    return part(strength, "powerful", "HF-QUA-05") if strength else None


def second_weapon(blow: Blow) -> Modifier | None:
    """The off-hand rating of the second weapon (HF-ATK-06, HF-ATK-08)."""
    return part(blow.off_hand, "off_hand", "HF-ATK-06") if blow.off_hand else None


def charge(blow: Blow) -> Modifier | None:
    """+2 at the end of a charge (HF-OTH-03)."""
    return part(CHARGE, "charge", "HF-OTH-03") if blow.charging else None


def standing_horse(blow: Blow) -> Modifier | None:
    """+2 from a war horse that has not moved this turn, for Fighting (HF-ATK-10)."""
    if not blow.who.mounted or blow.weapon.missile:
        return None
    rnd = blow.rnd
    mount = rnd.fight.mount_of(blow.who)
    moved = rnd.turn_of == blow.actor and rnd.roles[blow.actor].moved
    if mount is None or not mount.sheet.war_trained or moved:
        return None
    return part(SADDLE, "saddle", "HF-ATK-10")


def set_for_charge(blow: Blow) -> Modifier | None:
    """+2 with a weapon set against a charge (HF-QUA-13)."""
    if not blow.against_charge or not blow.weapon.has("set_for_charge"):
        return None
    return part(SET, "set_for_charge", "HF-QUA-13")


def sixes(blow: Blow) -> Modifier | None:
    """What a critical hit adds (HF-CRT-02)."""
    return part(blow.critical, "critical", "HF-CRT-02") if blow.critical else None


BASE: Final[tuple[Source, ...]] = (rank, number, fine_blade, adaptable, powerful, sixes)
# These are added after the degrees with the option ``damage_bonus: total`` (HF-DMG-01, D10).
ADDED: Final[tuple[Source, ...]] = (second_weapon, charge, standing_horse, set_for_charge)


def base_damage(blow: Blow) -> tuple[list[Modifier], list[Modifier]]:
    """The parts of the base damage, and those that are added after the degrees."""
    base = [one for source in BASE if (one := source(blow)) is not None]
    added = [one for source in ADDED if (one := source(blow)) is not None]
    if blow.rnd.options.damage_bonus == "base":
        return [*base, *added], []
    return base, added
