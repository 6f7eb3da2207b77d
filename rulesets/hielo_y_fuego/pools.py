"""Pools of six-sided dice of which the best count (HF-TST).

A pool is made of parts with names: test dice (the rank and every ±D), bonus dice (the specialty and
every ±B) and flat modifiers. ``counted`` says what is rolled and how many of it are kept.
"""

from collections.abc import Iterable
from dataclasses import field
from functools import lru_cache
from typing import Final

from rulesets.core.dice import Roll
from rulesets.core.modifiers import Modifier, Total
from rulesets.core.records import dataclass
from rulesets.hielo_y_fuego.events import AssistOver, Destiny
from rulesets.hielo_y_fuego.fight import Character, Help
from rulesets.hielo_y_fuego.options import Options
from rulesets.hielo_y_fuego.turn import Round, rule_on, shed

D6: Final = 6
MOST_DICE: Final = 60  # far beyond any sheet; a bound for what rulings may heap up
PASS_BONUS: Final = 2  # HF-OTH-05
# Attack tests (HF-ATK-19), by what their dice are rolled for.
ATTACK_TESTS: Final = frozenset({"attack", "unhorse", "disarm", "harass", "knock_out"})
_SIDES: Final = tuple((D6,) * count for count in range(MOST_DICE + 1))

part = lru_cache(maxsize=2048)(Modifier)


@dataclass(slots=True)
class Pool:
    """Dice before they are rolled.

    Attributes:
        rank: Test dice that it starts from.
        dice: Every ±D.
        bonus: Every ±B.
        flat: Every plus and minus to the total (HF-TST-05).
        over: Bonus dice beyond the limit of HF-TST-03.
        turned: Bonus dice that are test dice by destiny.
        helps: Help that it uses up.
    """

    rank: Modifier
    dice: list[Modifier] = field(default_factory=list)
    bonus: list[Modifier] = field(default_factory=list)
    flat: list[Modifier] = field(default_factory=list)
    over: int = 0
    turned: int = 0
    helps: tuple[Help, ...] = ()


@dataclass(frozen=True, slots=True)
class Counted:
    """What a pool comes to.

    Attributes:
        rolled: Dice rolled, bonus dice among them.
        kept: Dice that count.
        bonus: Bonus dice among those rolled.
        parts: Why so many are rolled; they add up to ``rolled``.
    """

    rolled: int
    kept: int
    bonus: int
    parts: Total


def counted(pool: Pool, options: Options) -> Counted:
    """How many dice are rolled and kept (HF-TST-01 to -04).

    Rank 4 with −1D and 4B: 3 + 3 dice rolled, 3 kept: no more bonus dice than test dice. With
    ``keep_only`` 4 + 4 are rolled and 3 kept.
    """
    rank = pool.rank.value
    net = sum(one.value for one in pool.dice)
    kept = rank + net
    if kept <= 0:
        return Counted(0, 0, 0, Total(()))
    keeps_only = options.penalty_dice == "keep_only" and net < 0
    test = rank if keeps_only else kept
    limit = rank if keeps_only or options.bonus_cap == "rank" else test
    asked = sum(one.value for one in pool.bonus)
    bonus = max(0, min(asked, limit))
    parts = [pool.rank, *pool.dice, *pool.bonus]
    if keeps_only:
        parts.append(part(-net, "die.rolled_all", "HF-TST-02"))
    if bonus != asked:
        parts.append(part(bonus - asked, "bonus.limit", "HF-TST-03"))
    turned = min(pool.turned, bonus)
    if pool.over:
        parts.append(part(pool.over, "bonus.destiny", "HF-OTH-20"))
    rolled = min(MOST_DICE, test + bonus + pool.over)
    return Counted(rolled, kept + turned, bonus - turned + pool.over, Total(tuple(parts)))


@dataclass(frozen=True, slots=True)
class Attempt:
    """A test that has been made.

    Attributes:
        total: Dice kept and flat modifiers; 0 where nothing was rolled.
        roll: The dice, or None where there were none (HF-TST-04).
        fumble: Every die is a one (HF-FUM-01).
    """

    total: int
    roll: Roll | None = None
    fumble: bool = False

    @property
    def label(self) -> str:
        """Label of the roll; empty where there was none."""
        return "" if self.roll is None else self.roll.label

    @property
    def rolled(self) -> bool:
        """Whether any die was rolled."""
        return self.roll is not None

    @property
    def ones(self) -> int:
        """How many ones there are."""
        return 0 if self.roll is None else self.roll.faces.count(1)

    def sixes(self, *, kept_only: bool) -> int:
        """How many sixes there are among the dice kept, or among all of them."""
        if self.roll is None:
            return 0
        faces, kept = self.roll.faces, self.roll.kept
        if not kept or not kept_only:
            return faces.count(D6)
        return sum(face == D6 and counts for face, counts in zip(faces, kept, strict=True))

    def reaches(self, against: int) -> bool:
        """Whether it succeeds against a difficulty."""
        return self.roll is not None and not self.fumble and self.total >= against


def common(rnd: Round, who: Character, pool: Pool, purpose: str) -> Pool:
    """Lay on what counts in every test: wounds, injuries, harassing, Pass, help, rulings."""
    if who.wounds:
        pool.dice.append(part(-who.wounds, "die.wounds", "HF-DMG-08"))
    if "harassed" in who.conditions:
        pool.dice.append(part(-1, "die.harassed", "HF-ADV-14"))
    return lasting(rnd, who, pool, purpose)


def lasting(rnd: Round, who: Character, pool: Pool, purpose: str) -> Pool:
    """The part of ``common`` that is no ±D: a divided pool has those in its shares already."""
    if "passed" in who.conditions:
        pool.bonus.append(part(PASS_BONUS, "bonus.passed", "HF-OTH-05"))
    if who.injuries:
        pool.flat.append(part(-who.injuries, "injuries", "HF-DMG-08"))
    if who.helps:
        serves = (purpose, "attack") if purpose in ATTACK_TESTS else (purpose,)
        pool.helps = tuple(help_ for help_ in who.helps if help_.test in serves)
        pool.flat.extend(part(help_.bonus, "help", "HF-OTH-01") for help_ in pool.helps)
    ruled = _ruling(rnd, who.name, purpose)
    if ruled:
        pool.flat.append(part(ruled, "ruling", "HF-RND-01"))
    return pool


def _ruling(rnd: Round, name: str, purpose: str) -> int:
    """What rulings add to a roll: to every one of that purpose, or to this one."""
    fight = rnd.fight
    if not fight.rulings and not fight.scene.modifiers:
        return 0
    every = f"{name}.{purpose}"
    found = fight.scene.modifiers.get(every, 0) + fight.rulings.get(every, 0)
    this = rnd.next_label(every)
    this = this if "#" in this else f"{this}#1"
    return found + fight.scene.modifiers.get(this, 0) + fight.rulings.get(this, 0)


def ability_pool(
    rnd: Round, who: Character, ability: str, purpose: str, specialties: Iterable[str] = ()
) -> Pool:
    """The pool of an ability: its rank, the dice of the specialties named, and what always counts.

    Tests of Agility lose the armour penalty (HF-TST-11).
    """
    sheet = who.sheet
    pool = Pool(part(sheet.ranks[ability], f"die.{ability}", "HF-TST-01"))
    for specialty in specialties:
        extra = sheet.bonus(specialty)
        if extra:
            pool.bonus.append(part(extra, f"bonus.{specialty}", "HF-TST-03"))
    common(rnd, who, pool, purpose)
    if ability == "agility" and sheet.armor_penalty and rnd.options.armor_penalty_on_agility:
        pool.flat.append(part(-sheet.armor_penalty, "armor_penalty", "HF-TST-11"))
    return pool


def tried(
    rnd: Round, who: Character, purpose: str, pool: Pool, against: Total | None = None
) -> Attempt:
    """Make a test: roll the pool, and use up what serves for one test only."""
    what = counted(pool, rnd.options)
    attempt = Attempt(0)
    if what.rolled:
        plus = Total(tuple(pool.flat)) if pool.flat else None
        roll = rnd.roll_pool(
            who.name,
            purpose,
            _SIDES[what.rolled],
            what.kept,
            against=against,
            plus=plus,
            pool=what.parts,
        )
        total = roll.value + (0 if plus is None else plus.value)
        attempt = Attempt(total, roll, fumble=max(roll.faces) == 1)
    if who.helps:
        for help_ in pool.helps:
            rnd.emit(
                AssistOver(actor=help_.helper, target=who.name, test=help_.test, rule="HF-OTH-01")
            )
    shed(rnd, who.name, "passed", "HF-OTH-05")
    return attempt


def spend(rnd: Round, who: Character, use: str, pool: Pool, *, penalised: bool = False) -> None:
    """Spend a destiny point on a roll, where it changes something (HF-OTH-20).

    ``penalised`` says that a −1D is hidden in the rank of the pool, as in a divided attack.
    """
    if not use or use == "extra_minor":
        return
    if use == "other":
        rule_on(rnd, "destiny", "HF-OTH-21", who.name)
        return
    if not who.destiny_points or not _applied(rnd, use, pool, penalised=penalised):
        return
    left = who.destiny_points - 1
    rnd.emit(Destiny(actor=who.name, use=use, left=left, rule="HF-OTH-19"))


def _applied(rnd: Round, use: str, pool: Pool, *, penalised: bool) -> bool:
    """Whether a use changes the pool; it has, then."""
    now = counted(pool, rnd.options)
    match use:
        case "bonus_die":
            if not now.rolled:
                return False
            pool.over += 1
        case "test_die":
            if now.bonus < 1:
                return False
            pool.turned += 1
        case "cancel_penalty":
            if not penalised and all(one.value >= 0 for one in pool.dice):
                return False
            pool.dice.append(part(1, "die.destiny", "HF-OTH-20"))
    return True


def passive(rnd: Round, who: Character, ability: str, specialty: str = "") -> Total:
    """The passive value of an ability: rank × 4 (HF-TST-08)."""
    parts = [
        part(who.sheet.ranks[ability], f"rank.{ability}", "HF-TST-08"),
        part(4, "passive", "HF-TST-08", "times"),
    ]
    if rnd.options.passive_specialty and who.sheet.bonus(specialty):
        parts.append(part(who.sheet.bonus(specialty), f"specialty.{specialty}", "HF-TST-08"))
    return Total(tuple(parts))


def grade(rnd: Round, attempt: Attempt, against: int) -> tuple[str, int]:
    """Result and degrees of a test against a difficulty (HF-TST-06)."""
    if attempt.fumble:
        return "fumble", 0
    if not attempt.reaches(against):
        return "failure", 0
    return "success", rnd.tables.degrees_at(attempt.total - against)
