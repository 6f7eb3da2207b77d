"""Moving: getting away from enemies, the way there, and whom one meets (AM-MOV, AM-DIS, AM-ENG)."""

from collections.abc import Sequence
from typing import Final

from rulesets.ars_magica import guarding, horses
from rulesets.ars_magica.blow import after, exchange, hit, roll_attack
from rulesets.ars_magica.conditions import break_off, tire
from rulesets.ars_magica.declared import Intent
from rulesets.ars_magica.defence import desperate
from rulesets.ars_magica.events import Disengage, Engage, Movement, RulingNeeded
from rulesets.ars_magica.fight import Character
from rulesets.ars_magica.line import (
    allowance,
    extreme_range,
    held_up,
    in_melee,
    missile_of,
    slowest,
    within_reach,
)
from rulesets.ars_magica.modifiers import (
    ACTIVE_DEFENCE,
    MELEE_DEFENCE,
    Blow,
    Ward,
    encumbrance,
    guard_of,
    penalty,
    sum_of,
    trait,
)
from rulesets.ars_magica.rolls import botched, check, passed, stress
from rulesets.ars_magica.rows import COVERS, GAITS
from rulesets.ars_magica.turn import Round, began, lose
from rulesets.core.modifiers import total
from rulesets.core.questions import Question
from rulesets.core.records import dataclass

STANDSTILL: Final = 100  # per cent of movement gone (AM-DMG-09)


@dataclass(frozen=True, slots=True)
class Way:
    """A way along the line; without positions only the pace tells anything."""

    pace: str
    start: int | None = None
    end: int | None = None
    cover: str = ""

    @property
    def length(self) -> int:
        """Paces."""
        return 0 if self.start is None or self.end is None else abs(self.end - self.start)

    @property
    def sign(self) -> int:
        """Which way it leads."""
        return (
            1 if self.end is not None and self.start is not None and self.end > self.start else -1
        )


# ------------------------------------------------------------------ may he move at all


def cannot_move(rnd: Round, name: str) -> tuple[str, str]:
    """Why somebody cannot stir, with the rule; empty where he can (AM-MOV-01)."""
    who = rnd.who(name)
    both = (who, rnd.who(who.ridden_by)) if who.ridden_by else (who,)
    for one in both:
        if "grappled" in one.conditions:
            return "grappled", "AM-NLC-21"
        if "prone" in one.conditions:
            return "prone", "AM-MOV-01"
        if "pinned_under_mount" in one.conditions:
            return "cannot_move", "AM-MNT-33"
    if who.movement_limit >= STANDSTILL:
        return "cannot_move", "AM-DMG-09"
    return "", ""


def gait_limited(who: Character, pace: str) -> bool:
    """Whether a wounded horse goes no faster than it is asked (AM-MNT-25)."""
    if not who.max_gait or pace not in GAITS:
        return False
    return GAITS.index(pace) > GAITS.index(who.max_gait)


# ------------------------------------------------------------------ getting away


@dataclass(frozen=True, slots=True)
class Departure:
    """How somebody gets away: whether he may, and whom a reckless one leaves as he moves."""

    free: bool
    leaving: tuple[str, ...] = ()


FREE: Final = Departure(free=True)
STAYS: Final = Departure(free=False)


def _is_able(rnd: Round, name: str) -> bool:
    """Whether an opponent could attack him who leaves (AM-DIS-07)."""
    who = rnd.who(name)
    if who.mounted_on and "panicked" in rnd.who(who.mounted_on).conditions:
        return False
    return who.can_attack


def depart(
    rnd: Round,
    intent: Intent,
    way: Way | None = None,
    keeping: Sequence[str] = (),
    *,
    is_reckless: bool = False,
) -> Departure:
    """Get away from those who hold him, if any, before he stirs (AM-ENG-03, AM-MOV-03).

    It is a reaction (AM-DIS-01), and where he goes then is his own affair (AM-DIS-13, AM-DIS-14).
    """
    fight = rnd.fight
    who = rnd.who(fight.unit(intent.actor))
    kept = {fight.unit(name) for name in keeping}
    melee = [name for name in who.engaged if name not in kept]
    if is_reckless:
        return _reckless(rnd, intent, melee) if melee else FREE
    shooters = _shooters(rnd, who) if way is not None and _gains_cover(who, way) else []
    if not melee and not shooters:
        return FREE
    threats, reason = _threats(rnd, who, melee)
    aimed, missile_reason = _aimed(rnd, who, shooters, way)
    opponents = [(name, False) for name in threats] + [(name, True) for name in aimed]
    began(rnd, intent)
    if not opponents:
        rnd.emit(
            Disengage(
                actor=who.name,
                result="automatic",
                reason=reason or missile_reason,
                left=(*melee, *who.missile_engaged) if shooters else tuple(melee),
                rule=_REASONS[reason or missile_reason],
            )
        )
        return FREE
    left = (*melee, *who.missile_engaged) if shooters else tuple(melee)
    if _breaks_away(rnd, who, opponents, left):
        return FREE
    if _goes_on(rnd, who.name):
        return _reckless(rnd, intent, melee)
    return STAYS


_REASONS: Final = {
    "opponents_down": "AM-DIS-07",
    "not_attacked": "AM-DIS-08",
    "no_ammo": "AM-DIS-10",
    "out_of_range": "AM-DIS-11",
}


def _threats(rnd: Round, who: Character, melee: Sequence[str]) -> tuple[list[str], str]:
    """Who must be rolled against in melee, or why nobody need be (AM-DIS-07 to AM-DIS-09).

    At the start of a fight nobody has attacked yet: the first may leave.
    """
    if not melee:
        return [], ""
    able = [name for name in melee if _is_able(rnd, name)]
    attackers = [name for name in melee if name in who.attacked_by]
    threats = [name for name in attackers if name in able]
    if threats:
        return threats, ""
    return [], "opponents_down" if not able or attackers else "not_attacked"


def _shooters(rnd: Round, who: Character) -> list[str]:
    """Enemies who have him under fire, or could have (AM-ENG-05)."""
    if not rnd.options.missile_engagement:
        return []
    found = []
    for enemy in rnd.enemies(who):
        if enemy.out or not enemy.wielded:
            continue
        weapon = missile_of(enemy)
        if enemy.name in who.missile_engaged or (
            weapon is not None
            and enemy.ammo != 0
            and who.position is not None
            and not held_up(rnd.fight, enemy)
            and rnd.fight.distance(who, enemy) <= extreme_range(rnd.fight, weapon)
        ):
            found.append(enemy.name)
    return found


def _aimed(
    rnd: Round, who: Character, shooters: Sequence[str], way: Way | None
) -> tuple[list[str], str]:
    """Which shooters must be rolled against, or why none need be (AM-DIS-08, -10, -11)."""
    reason = ""
    left = []
    for name in shooters:
        shooter = rnd.who(name)
        weapon = missile_of(shooter)
        end = None if way is None else way.end
        if shooter.ammo == 0:
            reason = reason or "no_ammo"
        elif weapon is None or not _is_able(rnd, name) or held_up(rnd.fight, shooter):
            reason = reason or "opponents_down"
        elif _far(end, shooter.position, extreme_range(rnd.fight, weapon)):
            reason = reason or "out_of_range"
        else:
            left.append(name)
    aimed = [name for name in left if name in who.attacked_by]
    return aimed, "" if aimed else ("not_attacked" if left else reason)


def _far(end: int | None, position: int | None, most: int) -> bool:
    """Whether a place is farther from another than that; not where either is unknown."""
    return end is not None and position is not None and abs(end - position) > most


def _gains_cover(who: Character, way: Way) -> bool:
    """Whether the way leads to better cover than he has (AM-ENG-06)."""
    if not way.cover:
        return False
    now = COVERS.index(who.cover) if who.cover else -1
    return COVERS.index(way.cover) > now


def _breaks_away(
    rnd: Round, who: Character, opponents: list[tuple[str, bool]], left: tuple[str, ...]
) -> bool:
    """Defence Total against the highest Attack Total of those who press him (AM-DIS-02)."""
    best: tuple[int, str, bool] | None = None
    ranked = sorted(opponents, key=lambda one: rnd.fight.rank(one[0]))
    for name, missile in ranked:
        pressed = _pressing(rnd, name, who.name, missile=missile)
        if best is None or pressed > best[0]:
            best = (pressed, name, missile)
    if best is None:
        return True
    against, strongest, missile = best
    counts, relief = desperate(rnd, who.name)
    who = rnd.who(who.name)
    guard = guard_of(rnd, who)
    bonus = who.disengage_bonus
    ward = Ward(
        rnd,
        who,
        rnd.who(strongest),
        guard,
        missile=missile,
        desperate=counts,
        extra=bonus,
        relief=relief,
    )
    sources = ACTIVE_DEFENCE if missile else MELEE_DEFENCE
    rolled = stress(rnd, who.name, "disengage", total(sources, ward), guard.ability)
    success = rolled.total >= against
    rnd.emit(
        Disengage(
            actor=who.name,
            result="success" if success else "failure",
            total=rolled.total,
            against=against,
            bonus=bonus,
            left=left if success else (),
            label=rolled.label,
            die=rolled.die,
            limit=rolled.limit,
            rule="AM-DIS-03" if success else "AM-DIS-04",
        )
    )
    botched(rnd, who.name, "defence", rolled)
    return success


def _pressing(rnd: Round, name: str, target: str, *, missile: bool) -> int:
    """The Attack Total against one who disengages: a reaction (AM-DIS-02)."""
    who = rnd.who(name)
    weapon = (missile_of(who) if missile else None) or in_melee(rnd.fight, who)
    blow = Blow(
        rnd,
        who,
        rnd.who(target),
        weapon,
        "disengage",
        missile=missile,
        reaction=True,
        ability=weapon.ability,
    )
    return roll_attack(rnd, blow, "disengage_attack").total


def _goes_on(rnd: Round, name: str) -> bool:
    """Whether he goes all the same after a failed roll (AM-DIS-12)."""
    if rnd.order(name, "reckless") is not None:
        return True
    answer = rnd.ask(
        Question(
            label=rnd.label(f"{name}.reckless"),
            who=name,
            options=("stay", "go"),
            default="stay",
            rule="AM-DIS-12",
        )
    )
    return answer == "go"


def _reckless(rnd: Round, intent: Intent, melee: Sequence[str]) -> Departure:
    """He turns his back on them: each one able strikes at Defence 0 (AM-DIS-12)."""
    began(rnd, intent)
    name = rnd.fight.unit(intent.actor)
    rnd.emit(Disengage(actor=name, result="reckless", rule="AM-DIS-12"))
    for enemy in sorted(melee, key=rnd.fight.rank):
        if not _is_able(rnd, enemy) or rnd.who(name).dead:
            continue
        who = rnd.who(enemy)
        weapon = in_melee(rnd.fight, who)
        blow = Blow(
            rnd,
            who,
            rnd.who(name),
            weapon,
            "free",
            reaction=True,
            ability=weapon.ability,
            type="",
        )
        met = exchange(rnd, blow)
        done = hit(rnd, blow, met)
        after(rnd, blow, was_engaged=True, hurt=done.hurt)
    if rnd.who(name).out or cannot_move(rnd, intent.actor)[0]:
        return STAYS
    return Departure(free=True, leaving=tuple(melee))


# ------------------------------------------------------------------ the way


def move(rnd: Round, intent: Intent) -> None:
    """A move at some pace, to somebody, away, or to a place (AM-MOV-01 to AM-MOV-13)."""
    name = intent.actor
    reason, rule = cannot_move(rnd, name)
    if not reason and gait_limited(rnd.who(name), intent.pace):
        reason, rule = "gait_limited", "AM-MNT-25"
    if reason:
        lose(rnd, intent, reason, rule)
        return
    if not intent.toward and intent.to is None:
        intent.away = intent.away or _left_behind(rnd, name)
    way = _way(rnd, intent)
    departure = depart(rnd, intent, way, is_reckless=intent.action.id == "flee")
    if not departure.free:
        return
    began(rnd, intent)
    go(rnd, intent, _way(rnd, intent), departure.leaving)


def _left_behind(rnd: Round, name: str) -> str:
    """Whom a move leads away from, if nobody is named: the first opponent, or the nearest."""
    who = rnd.who(rnd.fight.unit(name))
    if who.engaged:
        return who.engaged[0]
    if who.position is None:
        return ""
    enemies = [one for one in rnd.enemies(who) if one.position is not None and not one.out]
    return min(enemies, key=lambda one: rnd.fight.distance(who, one)).name if enemies else ""


def _way(rnd: Round, intent: Intent) -> Way:
    """Where a declared move leads as things stand."""
    who = rnd.who(intent.actor)
    start = who.position
    if start is None:
        return Way(intent.pace)
    paces = allowance(rnd.fight, who, intent.pace)
    if intent.limit is not None:
        paces = min(paces, max(0, intent.limit))
    end = _aim(rnd, intent, start, paces)
    end = max(start - paces, min(start + paces, end))
    spots = rnd.fight.scene.spots.values()
    cover = next((spot.cover for spot in spots if spot.position == end), "")
    return Way(intent.pace, start, end, cover)


def _aim(rnd: Round, intent: Intent, start: int, paces: int) -> int:
    """The place that a move makes for, however far."""
    if intent.to is not None:
        return intent.to
    if intent.toward:
        mark = rnd.who(intent.toward).position
        if mark is None:
            return start
        short = rnd.tables.figure("reach")
        gap = abs(mark - start)
        step = max(0, gap - short)
        return start + (step if mark > start else -step)
    mark = rnd.who(intent.away).position if intent.away else None
    if mark is None:
        return start
    return start - paces if mark > start else start + paces


def go(
    rnd: Round,
    intent: Intent,
    way: Way,
    leaving: tuple[str, ...] = (),
    *,
    mover: str = "",
    charges: bool = False,
) -> None:
    """Walk the way, with all that waits along it, and tell it; ``mover`` carries the actor."""
    name = mover or intent.actor
    end = way.end
    if way.start is not None and way.end is not None and way.length:
        end = _walked(rnd, intent, way, charges=charges)
    rnd.roles[name].moved = True
    stopped = end != way.end
    rnd.emit(
        Movement(
            actor=name,
            pace=way.pace,
            distance=0 if end is None or way.start is None else abs(end - way.start),
            from_=way.start,
            to=end,
            left=leaving,
            cover=_cover_after(rnd.who(name), way, stopped=stopped),
            rule="AM-MOV-11" if way.pace in GAITS else "AM-MOV-04",
        )
    )
    if rnd.who(rnd.fight.unit(name)).out:
        return
    _wear(rnd, name, way.pace)
    if not charges:
        close(rnd, name)
    _shaken(rnd, name, way.pace)


def _cover_after(who: Character, way: Way, *, stopped: bool) -> str:
    """Cover belongs to a place: who has not stirred keeps his."""
    if not way.length:
        return who.cover
    return "" if stopped else way.cover


def _walked(rnd: Round, intent: Intent, way: Way, *, charges: bool) -> int:
    """How far he gets past those who wait for him and those who defend others."""
    start, end = way.start or 0, way.end or 0
    stops: list[tuple[int, int, str, Intent | None]] = []
    for watcher in _watchers(rnd, intent.actor):
        point = _entry(start, end, rnd.who(watcher.actor), _span(rnd, watcher.actor))
        if point is not None:
            rank = rnd.fight.rank(watcher.actor)
            stops.append((abs(point - start), rank, watcher.actor, watcher))
    if not charges:
        for defender in _defenders(rnd, intent.actor):
            point = _entry(start, end, defender, rnd.tables.figure("reach"))
            if point is not None:
                rank = rnd.fight.rank(defender.name)
                stops.append((abs(point - start), rank, defender.name, None))
    for paces, _, _name, waiting in sorted(stops, key=lambda stop: stop[:3]):
        here = start + way.sign * paces
        if waiting is not None:
            if not _runs_past(rnd, intent, waiting):
                return here
        elif not _gets_by(rnd, intent, _name):
            return here
    return end


def _span(rnd: Round, name: str) -> int:
    who = rnd.who(name)
    long = in_melee(rnd.fight, who).polearm
    return rnd.tables.figure("reach_polearm" if long else "reach")


def _entry(start: int, end: int, who: Character, span: int) -> int | None:
    """Where a way enters somebody's reach; None where it does not, or begins within."""
    if who.position is None or abs(who.position - start) <= span:
        return None
    edge = who.position - span if end > start else who.position + span
    inside = start < edge <= end if end > start else end <= edge < start
    return edge if inside else None


def _watchers(rnd: Round, mover: str) -> list[Intent]:
    """Actions that wait for somebody to come within reach (AM-ENG-04)."""
    unit = rnd.fight.unit(mover)
    found = []
    for role in rnd.roles.values():
        for intent in role.queue:
            timing = intent.declaration.timing
            if timing is None or timing.event != "enters_reach" or not rnd.waits(intent):
                continue
            if rnd.fight.find(timing.name) in (mover, unit):
                found.append(intent)
    return found


def _defenders(rnd: Round, mover: str) -> list[Character]:
    """Enemies who defend somebody, and are not at grips with the mover already."""
    unit = rnd.who(rnd.fight.unit(mover))
    return [
        enemy
        for enemy in rnd.enemies(unit)
        if guarding.is_defending(enemy) and enemy.name not in unit.engaged
    ]


def _runs_past(rnd: Round, intent: Intent, waiting: Intent) -> bool:
    """The one who waited strikes; the mover may break away at once and go on (AM-ENG-04)."""
    unit = rnd.fight.unit(intent.actor)
    names = {intent.actor, unit}
    rnd.passing |= names
    if rnd.perform is not None:
        rnd.perform(rnd, waiting)
    rnd.passing -= names
    who = rnd.who(unit)
    if who.out or cannot_move(rnd, intent.actor)[0]:
        return False
    if rnd.fight.unit(waiting.actor) not in who.engaged:
        return True
    return depart(rnd, intent).free


def _gets_by(rnd: Round, intent: Intent, defender: str) -> bool:
    """A defender steps in the way of one who comes into his zone (AM-DEF-02, AM-DEF-03)."""
    who = rnd.who(defender)
    if not guarding.is_defending(who) or who.extended is None:
        return True
    against = guarding.contender(rnd, intent)
    return not guarding.intercepts(rnd, who, intent.actor, who.extended.ward, against)


def close(rnd: Round, name: str) -> None:
    """Ending a move within reach of an enemy engages both (AM-ENG-02)."""
    fight = rnd.fight
    unit = fight.unit(name)
    if rnd.who(name).position is None:
        return
    for enemy in rnd.enemies(rnd.who(unit)):
        fight, who = rnd.fight, rnd.who(unit)
        if enemy.out or who.out or enemy.ridden_by or enemy.name in who.engaged:
            continue
        if enemy.position is None:
            continue  # not on the line: nobody comes up to him by moving along it
        if not fight.order or enemy.name not in fight.initiative:
            continue
        if within_reach(fight, who, enemy) or within_reach(fight, enemy, who):
            rnd.emit(Engage(actor=unit, target=enemy.name, kind="melee", rule="AM-ENG-02"))
            for one in (unit, enemy.name):
                horses.engaged(rnd, one)


def _wear(rnd: Round, name: str, pace: str) -> None:
    """Running and galloping ask for a Fatigue roll (AM-MOV-06, AM-MOV-13, AM-FAT-03)."""
    if pace not in ("run", "gallop"):
        return
    if pace == "run" and rnd.options.run_fatigue_roll == "ruling":
        rnd.emit(RulingNeeded(actor=name, reason="run", detail=pace, rule="AM-MOV-06"))
        return
    who = rnd.who(name)
    ease = rnd.tables.figure("fatigue_ease")
    against = sum_of(trait(who, "stamina", "AM-FAT-03"), encumbrance(who), penalty(who))
    rolled = check(rnd, name, "fatigue", against, ease, "AM-FAT-03")
    if not passed(rolled, ease):
        tire(rnd, name, 2 if rolled.zeros else 1, "AM-FAT-03")


def _shaken(rnd: Round, mount: str, pace: str) -> None:
    """An extended action in the saddle of a horse that moves (AM-MNT-05)."""
    rider = rnd.who(mount).ridden_by
    if rider and rnd.who(rider).extended is not None and not is_steady(rnd, rider, pace):
        break_off(rnd, rider, "AM-MNT-05")


def is_steady(rnd: Round, rider: str, gait: str) -> bool:
    """Dexterity + Ride against the gait's ease factor (AM-MNT-05)."""
    ease = rnd.tables.gaits[gait].ease if gait in GAITS else 0
    if not ease:
        return True
    against = horses.riding_total(rnd.who(rider), "dexterity", "AM-MNT-05")
    return passed(check(rnd, rider, "mounted_extended", against, ease, "AM-MNT-05", "ride"), ease)


# ------------------------------------------------------------------ charges and dodging them


def charge_path(rnd: Round, who: Character, target: str, gait: str = "") -> Way | None:
    """The way of a charge, two paces short of the target; None where it is too far (AM-SPC-04)."""
    mark = rnd.who(target).position
    start = who.position
    if start is None or mark is None:
        return Way(gait or "hurry")
    gap = max(0, abs(mark - start) - rnd.tables.figure("reach"))
    pace = gait or slowest(rnd.fight, who, gap)
    if not pace or gap > allowance(rnd.fight, who, pace):
        return None
    return Way(pace, start, start + (gap if mark > start else -gap))


def dodge(rnd: Round, intent: Intent) -> None:
    """Out of the way of a charge, if he comes before the charger (AM-SPC-16)."""
    timing = intent.declaration.timing
    charger = rnd.fight.find(timing.name) if timing is not None else ""
    other = rnd.under_way
    coming = (
        other is not None
        and other.actor == charger
        and other.action.id in ("charge", "mounted_charge")
        and other.target == intent.actor
    )
    if not coming:
        lose(rnd, intent, "too_late", "AM-SPC-16")
        return
    reason, rule = cannot_move(rnd, intent.actor)
    if reason:
        lose(rnd, intent, reason, rule)
        return
    began(rnd, intent)
    rnd.evaded.add((charger, intent.actor))
