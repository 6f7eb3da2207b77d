"""What befalls horses and their riders without anybody's wanting it (AM-MNT-07, -23 to -35)."""

from typing import Final

from rulesets.ars_magica.conditions import gain
from rulesets.ars_magica.elements import Accident, befall, scaled
from rulesets.ars_magica.events import Dismounted, Fall
from rulesets.ars_magica.fight import Character
from rulesets.ars_magica.line import gait_of
from rulesets.ars_magica.modifiers import ability, encumbrance, penalty, sum_of, trait
from rulesets.ars_magica.rolls import check, passed
from rulesets.ars_magica.turn import Round
from rulesets.core.modifiers import Modifier, Total

HALVES: Final = {"normal": 2, "hard": 4, "soft": 1}  # AM-MNT-32
OUT_OF_THE_FIGHT: Final = ("incapacitated", "dead")


def riding_total(who: Character, name: str, rule: str, *, loaded: bool = False) -> Total:
    """A characteristic + Ride + penalties, less encumbrance where the rule says so."""
    return sum_of(
        trait(who, name, rule),
        ability(who, "ride", rule),
        encumbrance(who) if loaded else None,
        penalty(who),
    )


def wounded(rnd: Round, name: str, level: str) -> None:
    """What a wound of a ridden horse does to its rider (AM-MNT-23, AM-MNT-24, AM-MNT-25)."""
    rider = rnd.who(name).ridden_by
    if not rider:
        return
    if level == "medium":
        panic(rnd, name)
    elif level == "heavy":
        ease = rnd.tables.figure("stay_mounted_ease")
        against = riding_total(rnd.who(rider), "dexterity", "AM-MNT-25")
        rolled = check(rnd, rider, "stay_mounted", against, ease, "AM-MNT-25", "ride")
        if passed(rolled, ease):
            panic(rnd, name)
        else:
            fall(rnd, rider)
            gain(rnd, name, "panicked", "AM-MNT-25")  # nobody is left to hold it (D47)
    elif level in OUT_OF_THE_FIGHT:
        down(rnd, name, rider)


def down(rnd: Round, mount: str, rider: str) -> None:
    """The horse falls: its rider leaps clear, or falls and may be caught under it (AM-MNT-26)."""
    gain(rnd, mount, "prone", "AM-MNT-26")
    if leaps(rnd, rider):
        return
    size = rnd.who(mount).sheet.size
    fall(rnd, rider)
    who = rnd.who(rider)
    if who.dead:
        return
    ease = rnd.tables.figure("pinned_ease")
    against = riding_total(who, "quickness", "AM-MNT-33", loaded=True)
    if passed(check(rnd, rider, "pinned", against, ease, "AM-MNT-33", "ride"), ease):
        return
    weight = Total(
        (
            Modifier(size, "mount_size", "AM-MNT-33"),
            Modifier(rnd.tables.figure("pinned_bonus"), "pinned_bonus", "AM-MNT-33"),
        )
    )
    befall(rnd, rider, Accident(weight, "impact", "", "AM-MNT-33"))
    gain(rnd, rider, "pinned_under_mount", "AM-MNT-33")


def leaps(rnd: Round, rider: str) -> bool:
    """Leaping from the saddle, to land on his feet (AM-MNT-35)."""
    who = rnd.who(rider)
    if who.out:
        return False
    ease = rnd.tables.figure("leap_ease")
    against = sum_of(
        trait(who, "dexterity", "AM-MNT-35"),
        ability(who, "athletics", "AM-MNT-35"),
        encumbrance(who),
        penalty(who),
    )
    if not passed(check(rnd, rider, "leap", against, ease, "AM-MNT-35", "athletics"), ease):
        return False
    rnd.emit(Dismounted(actor=rider, mount=who.mounted_on, rule="AM-MNT-35"))
    return True


def fall(rnd: Round, rider: str) -> None:
    """From the saddle to the ground: damage by the horse's Size and gait (AM-MNT-32)."""
    who = rnd.who(rider)
    mount = rnd.who(who.mounted_on)
    gait = rnd.tables.gaits[gait_of(rnd.fight, who)].fall
    bonus = Modifier(mount.sheet.size + gait, "mount_size_and_gait", "AM-MNT-32")
    against = scaled(bonus, HALVES[rnd.fight.scene.surface], "surface")
    rnd.emit(Fall(actor=rider, cause="mount", rule="AM-MNT-32"))
    befall(rnd, rider, Accident(against, "impact", "", "AM-MNT-32"))
    gain(rnd, rider, "prone", "AM-MNT-32")


def panic(rnd: Round, mount: str) -> None:
    """A panic check of the rider's; a horse that is in panic already stays so (AM-MNT-27)."""
    horse = rnd.who(mount)
    rider = horse.ridden_by
    if "panicked" in horse.conditions or horse.out:
        return
    if not rider or rnd.who(rider).out:
        gain(rnd, mount, "panicked", "AM-MNT-27")
        return
    if controls(rnd, rider, horse):
        return
    gain(rnd, mount, "panicked", "AM-MNT-27")
    if rnd.order(rider, "leap") is not None:
        leaps(rnd, rider)


def controls(rnd: Round, rider: str, horse: Character) -> bool:
    """Presence + Ride against 6 and the horse's wounds, or a fixed 9 (AM-MNT-27, D19)."""
    ease = rnd.tables.figure("panic_ease")
    if rnd.options.panic_ease == "fixed":
        ease = 9
    else:
        levels = rnd.tables.levels
        ease -= sum(levels[level].penalty * n for level, n in horse.wounds.items())
    against = riding_total(rnd.who(rider), "presence", "AM-MNT-27")
    return passed(check(rnd, rider, "control_mount", against, ease, "AM-MNT-27", "ride"), ease)


def engaged(rnd: Round, name: str) -> None:
    """A horse not trained for war gets engaged in melee: it may panic (AM-MNT-07)."""
    who = rnd.who(name)
    mount = who.mounted_on or (name if who.ridden_by else "")
    if mount and not rnd.who(mount).sheet.trained:
        panic(rnd, mount)
