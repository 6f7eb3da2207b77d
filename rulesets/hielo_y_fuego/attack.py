"""Attacks, and a hit step by step (HF-ATK, HF-CRT, HF-FUM; catalogue 3.4)."""

from collections.abc import Sequence
from typing import Final

from rulesets.core.modifiers import Total
from rulesets.hielo_y_fuego.blow import (
    BASE,
    Blow,
    base_damage,
    own_penalties,
    share_pool,
    specialty_dice,
    strike_pool,
)
from rulesets.hielo_y_fuego.declared import Intent
from rulesets.hielo_y_fuego.derived import defence
from rulesets.hielo_y_fuego.events import (
    Attack,
    Condition,
    Critical,
    Destiny,
    Fumble,
    Lowered,
    WeaponChange,
    Wear,
)
from rulesets.hielo_y_fuego.pools import Attempt, Pool, grade, passive, spend, tried
from rulesets.hielo_y_fuego.rows import CriticalRow, FumbleRow, Weapon
from rulesets.hielo_y_fuego.turn import Round, gain, lose, rule_on, shed
from rulesets.hielo_y_fuego.wounds import die, hurt, impose

IMPALES: Final = 3  # degrees, HF-QUA-14
BREAKS: Final = 2  # degrees, HF-QUA-06, HF-QUA-07, HF-QUA-12


# ------------------------------------------------------------------ before the roll


def reaches(rnd: Round, actor: str, target: str, weapon: Weapon) -> bool:
    """Whether a hand weapon reaches somebody; a missile always does (HF-ATK-02, HF-ATK-03)."""
    return weapon.missile or rnd.fight.distance(actor, target) <= weapon.reach


def in_view(rnd: Round, intent: Intent, target: str) -> bool:
    """Whether the target can be attacked; the action is lost if not."""
    if not reaches(rnd, intent.actor, target, intent.arms):
        lose(rnd, intent, "out_of_reach", "HF-ATK-02", target)
    elif rnd.who(target).out:
        lose(rnd, intent, "target_down", "HF-ACT-05", target)
    else:
        return True
    return False


def dishonour(rnd: Round, name: str) -> None:
    """One who has yielded and attacks again is dishonoured (HF-OTH-08)."""
    if "yielded" in rnd.who(name).conditions:
        gain(rnd, name, "dishonoured", "HF-OTH-08", name)
        shed(rnd, name, "yielded", "HF-OTH-08", name)


def lower(rnd: Round, name: str, weapon: Weapon, *, off_hand: bool = False) -> None:
    """A weapon used to attack defends no more until the next turn (HF-ATK-07)."""
    if not off_hand and rnd.options.defensive_lost_on_attack != "any":
        return
    who = rnd.who(name)
    if weapon.has("defensive") and weapon.name in who.in_hand and weapon.name not in who.lowered:
        rnd.emit(Lowered(actor=name, weapon=weapon.name, rule="HF-ATK-07"))


def made(
    rnd: Round,
    blow: Blow,
    pool: Pool,
    against: Total,
    destiny: str = "",
    *,
    penalised: bool = False,
) -> Attempt:
    """Make an attack test with what it is owed, and use up what serves for one (HF-ATK-19)."""
    spend(rnd, blow.who, destiny, pool, penalised=penalised)
    attempt = tried(rnd, blow.who, blow.purpose, pool, against)
    shed(rnd, blow.actor, "aiming", "HF-ADV-04")
    lower(rnd, blow.actor, blow.weapon)
    rnd.roles[blow.target].attacked = True
    return attempt


def settled(rnd: Round, target: str) -> None:
    """After an attack test he is neither distracted nor unaware any more (catalogue 3.4)."""
    conditions = rnd.who(target).conditions
    if conditions:
        shed(rnd, target, "distracted", "HF-ADV-13")
        shed(rnd, target, "unaware", "HF-ADV-17")


# ------------------------------------------------------------------ the hit


def strike(
    rnd: Round,
    blow: Blow,
    destiny: str = "",
    pool: Pool | None = None,
    *,
    penalised: bool = False,
) -> None:
    """One attack test against the combat defence, and all that comes of it (catalogue 3.4)."""
    against = defence(blow.foe)
    pool = strike_pool(blow) if pool is None else pool
    attempt = made(rnd, blow, pool, against, destiny, penalised=penalised)
    limit = against.value
    result, degrees = grade(rnd, attempt, limit)
    if degrees and attempt.total >= 2 * limit:  # HF-CRT-01
        result = "critical"
    rnd.emit(
        Attack(
            actor=blow.actor,
            target=blow.target,
            action=blow.action,
            weapon=blow.weapon.name,
            result=result,
            total=attempt.total,
            against=limit,
            degrees=degrees,
            ranged=blow.weapon.missile,
            label=attempt.label,
            rule="HF-ATK-01",
        )
    )
    if result == "fumble":
        fumbled(rnd, blow, attempt)
    elif degrees:
        _land(rnd, blow, attempt, degrees, critical=result == "critical")
    _shot(rnd, blow)
    settled(rnd, blow.target)


def _shot(rnd: Round, blow: Blow) -> None:
    """What must be loaded is unloaded (HF-QUA-11)."""
    if blow.weapon.reload != "none":
        name = blow.weapon.name
        rnd.emit(WeaponChange(actor=blow.actor, weapon=name, kind="fired", rule="HF-QUA-11"))


def _land(rnd: Round, blow: Blow, attempt: Attempt, degrees: int, *, critical: bool) -> None:
    row = _critical(rnd, blow, attempt) if critical else None
    if row is not None and row.kills:
        die(rnd, blow.target, "critical", "HF-CRT-02", blow.actor)
        if row.asks:
            rule_on(rnd, "critical", "HF-CRT-02", blow.actor, blow.target, detail=row.id)
    else:
        _damage(rnd, blow, degrees, row)
    _afterwards(rnd, blow, attempt, degrees)


def _critical(rnd: Round, blow: Blow, attempt: Attempt) -> CriticalRow:
    """The sixes of a critical hit and their effect (HF-CRT-02)."""
    sixes = attempt.sixes(kept_only=rnd.options.critical_sixes == "kept")
    row = rnd.tables.critical_at(sixes)
    rnd.emit(
        Critical(actor=blow.actor, target=blow.target, sixes=sixes, effect=row.id, rule="HF-CRT-02")
    )
    blow.critical = row.base
    return row


def _damage(rnd: Round, blow: Blow, degrees: int, row: CriticalRow | None) -> None:
    weapon = blow.weapon
    gives_up = blow.stagger and weapon.has("staggering") and degrees >= BREAKS
    hurt(
        rnd,
        blow.actor,
        blow.target,
        base_damage(blow),
        degrees - 1 if gives_up else degrees,
        weapon.figure("piercing"),
        vicious=weapon.has("vicious"),
    )
    if row is not None and row.imposes != "none":
        impose(rnd, blow.target, row.imposes, "HF-CRT-02")


def _afterwards(rnd: Round, blow: Blow, attempt: Attempt, degrees: int) -> None:
    """Step 8 of catalogue 3.4: grab, staggering, shattering, fragile, rulings on quality."""
    weapon = blow.weapon
    if blow.grabs:
        _grab(rnd, blow, attempt)
    if weapon.qualities:
        if blow.stagger and weapon.has("staggering") and degrees >= BREAKS:
            _stagger(rnd, blow)
        if weapon.has("shattering") and degrees >= BREAKS:
            _shatter(rnd, blow)
        if weapon.has("fragile") and degrees >= BREAKS:
            break_weapon(rnd, blow.actor, weapon, "HF-QUA-12")
        if weapon.has("impale") and degrees >= IMPALES:
            rule_on(rnd, "quality", "HF-QUA-14", blow.actor, blow.target, detail="impale")
        if weapon.has("entangling"):
            rule_on(rnd, "quality", "HF-QUA-14", blow.actor, blow.target, detail="entangling")


def _grab(rnd: Round, blow: Blow, attempt: Attempt) -> None:
    """A hit that reaches the passive Athletics holds (HF-ATK-13)."""
    foe = rnd.who(blow.target)
    strong = attempt.total >= passive(rnd, foe, "athletics", "strength").value
    if not strong or foe.out or foe.held_by or rnd.who(blow.actor).out:
        return
    release(rnd, blow.actor, "HF-ATK-13")
    rnd.emit(
        Condition(
            actor=blow.actor,
            target=blow.target,
            condition="grabbed",
            gained=True,
            rule="HF-ATK-13",
        )
    )


def release(rnd: Round, holder: str, rule: str) -> None:
    """Whoever is held by somebody is free (HF-ATK-13, HF-ATK-17)."""
    held = rnd.who(holder).grabbing
    if held:
        free(rnd, held, rule)


def free(rnd: Round, name: str, rule: str) -> None:
    """He is free of pin and grab."""
    who = rnd.who(name)
    for condition, holds in (("pinned", who.pinned), ("grabbed", bool(who.held_by))):
        if holds:
            rnd.emit(
                Condition(
                    actor=who.held_by, target=name, condition=condition, gained=False, rule=rule
                )
            )


def _stagger(rnd: Round, blow: Blow) -> None:
    """No major action in his next turn (HF-QUA-07)."""
    if not rnd.who(blow.target).out:
        gain(rnd, blow.target, "staggered", "HF-QUA-07", blow.actor)


def _shatter(rnd: Round, blow: Blow) -> None:
    """Armour goes down for good; with none left, what defends in hand (HF-QUA-06)."""
    foe = rnd.who(blow.target)
    amount = blow.weapon.figure("shattering")
    item, now = "armor", foe.armor_rating
    if not now:
        guards = [
            (weapon.name, rating)
            for weapon in foe.held_weapons
            if (rating := weapon.figure("defensive") - foe.worn.get(weapon.name, 0)) > 0
        ]
        if not guards:
            return
        item, now = guards[0]
    lost = min(now, amount)
    rnd.emit(
        Wear(
            actor=blow.actor,
            target=blow.target,
            item=item,
            amount=lost,
            left=now - lost,
            rule="HF-QUA-06",
        )
    )


def break_weapon(rnd: Round, name: str, weapon: Weapon, rule: str) -> None:
    """A weapon breaks; a hand does not."""
    if weapon.name in rnd.who(name).in_hand and not weapon.bare:
        rnd.emit(WeaponChange(actor=name, weapon=weapon.name, kind="broken", rule=rule))


# ------------------------------------------------------------------ fumbles


def fumbled(rnd: Round, blow: Blow, attempt: Attempt) -> None:
    """What a fumble of an attack test brings (HF-FUM-02, HF-FUM-03)."""
    row = _lessened(rnd, blow.actor, attempt.ones)
    rnd.emit(Fumble(actor=blow.actor, ones=attempt.ones, effect=row.id, rule="HF-FUM-02"))
    weapon = blow.weapon
    match row.what:
        case "hit_self":
            own = Blow(rnd, blow.actor, blow.actor, weapon, blow.action)
            parts = [one for source in BASE if (one := source(own)) is not None]
            hurt(rnd, blow.actor, blow.actor, (parts, ()), 1)
        case "break" if weapon.bare:
            impose(rnd, blow.actor, "injury", "HF-FUM-02")
        case "break":
            break_weapon(rnd, blow.actor, weapon, "HF-FUM-02")
        case "drop" if not weapon.bare and weapon.name in rnd.who(blow.actor).in_hand:
            rnd.emit(
                WeaponChange(actor=blow.actor, weapon=weapon.name, kind="dropped", rule="HF-FUM-02")
            )
        case "expose":
            gain(rnd, blow.actor, "exposed", "HF-FUM-02")


def _lessened(rnd: Round, name: str, ones: int) -> FumbleRow:
    """The row of a fumble, one milder where a destiny point is spent on it."""
    tables, who = rnd.tables, rnd.who(name)
    row = tables.fumble_at(ones)
    milder = tables.fumble_at(ones, 1)
    if not rnd.roles[name].spends_on_fumbles or not who.destiny_points or milder is row:
        return row
    left = who.destiny_points - 1
    rnd.emit(Destiny(actor=name, use="lessen_fumble", left=left, rule="HF-FUM-03"))
    return milder


def fumbled_elsewhere(rnd: Round, name: str, purpose: str, attempt: Attempt) -> None:
    """A fumble of any other test is a failure; by option the game master is asked (HF-FUM-02)."""
    if attempt.fumble and rnd.options.fumble_scope == "all" and purpose != "initiative":
        rule_on(rnd, "fumble", "HF-FUM-02", name, detail=purpose)


# ------------------------------------------------------------------ actions


def _blow(rnd: Round, intent: Intent, target: str) -> Blow:
    return Blow(
        rnd,
        intent.actor,
        target,
        intent.arms,
        intent.action.id,
        dice=intent.action.dice,
        stagger="stagger" in intent.declaration.flags,
        grabs=intent.action.id == "grab",
    )


def attack(rnd: Round, intent: Intent) -> None:
    """A normal attack, or a grab (HF-ATK-04, HF-ATK-13)."""
    if not in_view(rnd, intent, intent.target):
        return
    dishonour(rnd, intent.actor)
    strike(rnd, _blow(rnd, intent, intent.target), intent.destiny)


def cautious_attack(rnd: Round, intent: Intent) -> None:
    """An attack at −1D; +3 combat defence until his next turn (HF-ADV-05)."""
    attack(rnd, intent)
    if not intent.lost and not rnd.who(intent.actor).out:
        gain(rnd, intent.actor, "cautious", "HF-ADV-05", intent.actor)


def reckless_attack(rnd: Round, intent: Intent) -> None:
    """An attack at +1D; −5 combat defence until his next turn (HF-ADV-06)."""
    attack(rnd, intent)
    if not intent.lost and not rnd.who(intent.actor).out:
        gain(rnd, intent.actor, "reckless", "HF-ADV-06", intent.actor)


def two_weapon_attack(rnd: Round, intent: Intent) -> None:
    """One roll; on a hit the second weapon adds its rating (HF-ATK-06)."""
    if not in_view(rnd, intent, intent.target):
        return
    dishonour(rnd, intent.actor)
    blow = _blow(rnd, intent, intent.target)
    _second_weapon(rnd, intent, blow)
    strike(rnd, blow, intent.destiny)


def _second_weapon(rnd: Round, intent: Intent, blow: Blow) -> None:
    second = intent.off_hand
    if second is not None:
        blow.off_hand = second.figure("off_hand")
        lower(rnd, intent.actor, second, off_hand=True)


def divided_attack(rnd: Round, intent: Intent) -> None:
    """The pool shared out among several targets, a roll for each (HF-ATK-05, HF-ATK-08)."""
    dishonour(rnd, intent.actor)
    first = _blow(rnd, intent, intent.targets[0])
    penalties = own_penalties(first)
    penalised = any(one.value < 0 for one in penalties)
    whole = first.who.sheet.ranks[first.weapon.skill]
    if rnd.options.divided_penalty == "pool":
        whole += sum(one.value for one in penalties)
    shares = shared(whole, len(intent.targets), intent.shares)
    bonus = shared(specialty_dice(first), len(intent.targets), intent.bonus)
    destiny = intent.destiny
    for target, share, extra in zip(intent.targets, shares, bonus, strict=True):
        if rnd.who(intent.actor).senseless:
            lose(rnd, intent, "cannot_act", "HF-ACT-06", target)
            return
        if not in_view(rnd, intent, target):
            continue
        blow = _blow(rnd, intent, target)
        blow.divided = True
        if intent.action.id == "combined_attack":
            _second_weapon(rnd, intent, blow)
        # A bonus share never counts for more than that target's dice.
        pool = share_pool(blow, share, min(extra, share))
        strike(rnd, blow, destiny, pool, penalised=penalised)
        destiny = ""


def shared(whole: int, among: int, said: Sequence[int] | None) -> list[int]:
    """How a pool is shared out: as said, else as evenly as can be, the first getting one more.

    What the pool has shrunk by is taken from the last shares: 2/2 of 3 is 2/1.
    """
    whole = max(0, whole)
    if said is None:
        each, more = divmod(whole, among)
        return [each + (index < more) for index in range(among)]
    left = whole
    shares = []
    for share in said:
        shares.append(min(share, left))
        left -= shares[-1]
    return shares
