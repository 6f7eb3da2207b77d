"""What may be wrong with a declaration, in the order of catalogue section 10.

A check looks at the desk (what the declarer's own state will be when the action comes) and at the
intent. Those marked ``again`` are made once more when its moment has come: what is refused before
the round is lost in it (catalogue 3.5).
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Final

from rulesets.core.records import dataclass
from rulesets.hielo_y_fuego.declared import Intent, Size
from rulesets.hielo_y_fuego.declaring import Desk

MINORS: Final = 2  # of a turn (HF-ACT-01)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a tag is refused: a code of catalogue section 10 with what its message needs."""

    code: str
    rule: str
    facts: Mapping[str, object] = field(default_factory=dict)


Look = Callable[[Desk, Intent], Refusal | None]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that may be wrong with a declaration.

    Attributes:
        place: Of its code in the table: the first that applies counts.
        again: Whether it is made again when the moment has come.
    """

    place: int
    look: Look
    again: bool = False


# ------------------------------------------------------------------ names, turn, state


def named(desk: Desk, intent: Intent) -> Refusal | None:
    """Everybody named is in the fight, and whoever must be named is."""
    if intent.unknown:
        facts = {"given": intent.unknown, "candidates": tuple(desk.fight.cast)}
        return Refusal("unknown_target", "HF-ACT-01", facts)
    if intent.missing:
        return Refusal("missing_target", "HF-ACT-01", {"field": intent.missing})
    if intent.target == desk.who.name and intent.action.id != "counterattack":
        others = tuple(name for name in desk.fight.cast if name != desk.who.name)
        facts = {"given": intent.target, "candidates": others}
        return Refusal("unknown_target", "HF-ACT-01", facts)
    return None


def may_interrupt(desk: Desk, intent: Intent) -> Refusal | None:
    """Only who has passed may interrupt (HF-INI-05, HF-ADV-01)."""
    if not intent.before or desk.passing or desk.who.may_interrupt:
        return None
    return Refusal("interrupt_without_pass", "HF-INI-05", {"target": intent.before})


def free_to_act(desk: Desk, intent: Intent) -> Refusal | None:
    """Neither out of the fight, pinned, on a bolting mount nor too unsteady for it."""
    if desk.free:
        return None
    for look in (able, unpinned, in_control, steady):
        refusal = look(desk, intent)
        if refusal is not None:
            return refusal
    return None


def able(desk: Desk, _: Intent) -> Refusal | None:
    """The dead and the defeated do not act, nor do mounts by themselves (HF-ACT-06)."""
    stopped = "stunned" in desk.who.conditions and not desk.fight.options.stunned_can_act
    if desk.who.out or stopped or desk.who.sheet.is_mount:
        return Refusal("cannot_act", "HF-ACT-06")
    return None


def unpinned(desk: Desk, intent: Intent) -> Refusal | None:
    """The pinned may only try to break free (HF-ATK-16)."""
    if not desk.pinned or intent.action.id == "escape":
        return None
    return Refusal("pinned_only_escape", "HF-ATK-16", {"holder": desk.who.held_by})


def in_control(desk: Desk, intent: Intent) -> Refusal | None:
    """A mount that has been hurt comes before everything else (HF-OTH-10)."""
    if not desk.uncontrolled or intent.action.id == "control_mount":
        return None
    return Refusal("mount_uncontrolled", "HF-OTH-10", {"mount": desk.who.sheet.mount})


def steady(desk: Desk, intent: Intent) -> Refusal | None:
    """No major action while staggered (HF-QUA-07)."""
    if intent.size is Size.MAJOR and "staggered" in desk.who.conditions:
        return Refusal("staggered", "HF-QUA-07")
    return None


def has_destiny(desk: Desk, intent: Intent) -> Refusal | None:
    """There is a destiny point to spend (HF-OTH-19)."""
    if (intent.destiny or intent.action.id == "destiny") and desk.points < 1:
        return Refusal("no_destiny_points", "HF-OTH-19")
    return None


# ------------------------------------------------------------------ weapons


def known_weapon(desk: Desk, intent: Intent) -> Refusal | None:
    """The weapon is on the sheet."""
    if not intent.unknown_weapon:
        return None
    owned = tuple(dict.fromkeys(weapon.name for weapon in desk.who.weapons))
    facts = {"given": intent.unknown_weapon, "candidates": owned}
    return Refusal("unknown_weapon", "HF-ACT-01", facts)


def known_ability(_: Desk, intent: Intent) -> Refusal | None:
    """The ability, and its specialty, are some that there are."""
    if not intent.unknown_ability:
        return None
    return Refusal("unknown_ability", "HF-OTH-22", {"given": intent.unknown_ability})


def at_hand(desk: Desk, intent: Intent) -> Refusal | None:
    """The weapon is whole and in hand."""
    weapon = intent.weapon
    if weapon is None or desk.holds(weapon):
        return None
    broken = weapon.name in desk.who.broken
    code = "weapon_broken" if broken else "weapon_not_in_hand"
    return Refusal(code, "HF-OTH-13", {"given": weapon.name})


def whole(desk: Desk, intent: Intent) -> Refusal | None:
    """A weapon that is taken in hand is whole, and not there already."""
    name = intent.item
    if not name:
        return None
    owned = sum(weapon.name == name for weapon in desk.who.weapons)
    if owned > desk.in_hand.count(name) + desk.who.broken.count(name):
        return None
    code = "weapon_broken" if name in desk.who.broken else "weapon_in_hand"
    return Refusal(code, "HF-OTH-13", {"given": name})


def grabs(_: Desk, intent: Intent) -> Refusal | None:
    """A grab asks for a weapon that grabs (HF-ATK-13)."""
    if intent.arms.has("grab"):
        return None
    return Refusal("no_grab_quality", "HF-ATK-13", {"given": intent.arms.name})


def hand_weapon(_: Desk, intent: Intent) -> Refusal | None:
    """Not with a weapon that shoots or is thrown."""
    if not intent.arms.missile:
        return None
    return Refusal("melee_only", intent.action.rule, {"given": intent.arms.name})


def hooks(_: Desk, intent: Intent) -> Refusal | None:
    """Unhorsing asks for a pole-arm or a weapon that grabs (HF-ATK-12)."""
    weapon = intent.arms
    if weapon.specialty == "pole_arms" or weapon.has("grab"):
        return None
    return Refusal("weapon_not_suitable", "HF-ATK-12", {"given": weapon.name})


def loaded(desk: Desk, intent: Intent) -> Refusal | None:
    """What must be loaded is (HF-QUA-11)."""
    if intent.arms.name not in desk.unloaded:
        return None
    return Refusal("weapon_unloaded", "HF-QUA-11", {"given": intent.arms.name})


def quick_enough(_: Desk, intent: Intent) -> Refusal | None:
    """No divided or combined attacks with a slow weapon (HF-QUA-03)."""
    if not intent.arms.has("slow"):
        return None
    return Refusal("weapon_slow", "HF-QUA-03", {"given": intent.arms.name})


def handy(desk: Desk, intent: Intent) -> Refusal | None:
    """Not in the saddle with an unwieldy weapon (HF-QUA-09)."""
    if not desk.who.mounted or not intent.arms.has("unwieldy"):
        return None
    return Refusal("weapon_unwieldy", "HF-QUA-09", {"given": intent.arms.name})


def second(desk: Desk, intent: Intent) -> Refusal | None:
    """The second weapon is another one, in hand, with an off-hand rating (HF-ATK-06)."""
    other, main = intent.off_hand, intent.weapon
    if other is None or not other.has("off_hand"):
        given = intent.declaration.get("off_hand")
        return Refusal("no_off_hand_weapon", "HF-ATK-06", {"given": given})
    held = desk.holds(other)
    same = main is not None and other.name == main.name
    if not held or (same and (other.bare or desk.in_hand.count(other.name) < 2)):
        return Refusal("no_off_hand_weapon", "HF-ATK-06", {"given": other.name})
    return None


def several(_: Desk, intent: Intent) -> Refusal | None:
    """Two different targets at least (HF-ATK-05)."""
    if len(set(intent.targets)) < 2:
        return Refusal("needs_two_targets", "HF-ATK-05")
    return None


def split(desk: Desk, intent: Intent) -> Refusal | None:
    """Shares fit the pool: one die each at least, no more bonus than dice (HF-ATK-05)."""
    shares, bonus = intent.shares, intent.bonus
    pool, extra = desk.divisible(intent)
    wrong = Refusal("dice_split_invalid", "HF-ATK-05", {"limit": pool, "bonus": extra})
    count = len(intent.targets)
    if intent.bad_split or any(some is not None and len(some) != count for some in (shares, bonus)):
        return wrong
    if shares is not None and (min(shares) < 1 or sum(shares) > pool):
        return wrong
    if bonus is None:
        return None
    dice = shares if shares is not None else desk.evenly(pool, count)
    beyond = any(one > other for one, other in zip(bonus, dice, strict=True))
    return wrong if beyond or sum(bonus) > extra else None


# ------------------------------------------------------------------ moving


def unheld(desk: Desk, intent: Intent) -> Refusal | None:
    """Who is held does not move (HF-ATK-13)."""
    if not desk.grabbed or not moves(intent):
        return None
    return Refusal("grabbed", "HF-ATK-13", {"holder": desk.who.held_by})


def moves(intent: Intent) -> bool:
    """Whether it changes its owner's place; a dodge may or may not."""
    return intent.action.id != "dodge" or intent.metres is not None or bool(intent.away)


def upright(desk: Desk, intent: Intent) -> Refusal | None:
    """On foot one moves standing (HF-OTH-17)."""
    if not desk.prone or desk.who.mounted or not moves(intent):
        return None
    return Refusal("must_stand", "HF-OTH-17")


def within(desk: Desk, intent: Intent) -> Refusal | None:
    """No farther than the action allows."""
    if intent.bad_metres:
        span = f"1..{desk.pace(intent)}"
        facts: dict[str, object] = {"given": intent.bad_metres, "expected": span}
        return Refusal("bad_value", intent.action.rule, facts)
    if intent.metres is None or intent.metres <= desk.pace(intent):
        return None
    facts = {"given": intent.metres, "limit": desk.pace(intent)}
    return Refusal("too_far", intent.action.rule, facts)


def in_the_saddle(desk: Desk, intent: Intent) -> Refusal | None:
    """Only in the saddle."""
    return None if desk.who.mounted else Refusal("not_mounted", intent.action.rule)


# ------------------------------------------------------------------ holds and the ground


def holding(desk: Desk, intent: Intent) -> Refusal | None:
    """Somebody is held since the round began (HF-ATK-14, HF-ATK-17)."""
    return None if desk.who.grabbing else Refusal("not_grabbing", intent.action.rule)


def pinning(desk: Desk, _: Intent) -> Refusal | None:
    """Somebody is pinned (HF-ATK-15)."""
    held = desk.who.grabbing
    if held and desk.fight.cast[held].pinned:
        return None
    return Refusal("not_pinning", "HF-ATK-15")


def caught(desk: Desk, _: Intent) -> Refusal | None:
    """There is a hold to break (HF-ATK-17)."""
    return None if desk.grabbed else Refusal("nothing_to_escape", "HF-ATK-17")


def lying(desk: Desk, _: Intent) -> Refusal | None:
    """Only who lies stands up (HF-OTH-17)."""
    return None if desk.prone else Refusal("not_prone", "HF-OTH-17")


def standing(desk: Desk, _: Intent) -> Refusal | None:
    """Only who stands drops (HF-OTH-17)."""
    return Refusal("already_prone", "HF-OTH-17") if desk.prone else None


# ------------------------------------------------------------------ the budget


def fits(desk: Desk, intent: Intent) -> Refusal | None:
    """A turn is two minor actions or a major one, with one attack at most (HF-ACT-01 to -03)."""
    if intent.size is Size.NONE:
        return None
    if intent.extra:
        refusal = Refusal("too_many_actions", "HF-OTH-20") if desk.extra_used else None
    else:
        refusal = _in_the_turn(desk, intent)
    if refusal is None and desk.tally(intent.before).attacks and desk.is_attack(intent):
        return Refusal("two_attacks", "HF-ACT-02")
    return refusal


def _in_the_turn(desk: Desk, intent: Intent) -> Refusal | None:
    tally, minors = desk.tally(intent.before), desk.minors_allowed(intent)
    major = intent.size is Size.MAJOR
    if tally.minors if major else tally.majors:
        return Refusal("major_and_minor", "HF-ACT-03")
    if tally.majors or tally.minors >= minors or (major and minors < MINORS):
        return Refusal("too_many_actions", "HF-ACT-01")
    return None


NAMED: Final = Check(1, named)
MAY_INTERRUPT: Final = Check(2, may_interrupt)
FREE_TO_ACT: Final = Check(3, free_to_act, again=True)
HAS_DESTINY: Final = Check(7, has_destiny)
KNOWN_WEAPON: Final = Check(8, known_weapon)
KNOWN_ABILITY: Final = Check(9, known_ability)
AT_HAND: Final = Check(10, at_hand, again=True)
WHOLE: Final = Check(11, whole, again=True)
GRABS: Final = Check(12, grabs)
HAND_WEAPON: Final = Check(13, hand_weapon)
HOOKS: Final = Check(14, hooks)
LOADED: Final = Check(15, loaded, again=True)
QUICK_ENOUGH: Final = Check(16, quick_enough)
HANDY: Final = Check(17, handy, again=True)
SECOND: Final = Check(18, second, again=True)
SEVERAL: Final = Check(19, several)
SPLIT: Final = Check(20, split)
UNHELD: Final = Check(21, unheld, again=True)
UPRIGHT: Final = Check(22, upright, again=True)
WITHIN: Final = Check(23, within)
IN_THE_SADDLE: Final = Check(24, in_the_saddle, again=True)
HOLDING: Final = Check(25, holding, again=True)
PINNING: Final = Check(26, pinning, again=True)
CAUGHT: Final = Check(27, caught, again=True)
LYING: Final = Check(28, lying, again=True)
STANDING: Final = Check(29, standing, again=True)
FITS: Final = Check(30, fits)

ALWAYS: Final = (NAMED, MAY_INTERRUPT, FREE_TO_ACT, HAS_DESTINY, FITS)


def in_order(*checks: Check) -> tuple[Check, ...]:
    """These and the ones that every action has, in the order of the table."""
    return tuple(sorted({*checks, *ALWAYS}, key=lambda check: check.place))
