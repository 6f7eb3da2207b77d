"""Checking declarations before anything is rolled, and entering the accepted ones.

What is refused depends on the declarer alone: the words, the sheet, the budget, and his own state
as his own earlier actions of the round will have changed it (catalogue 3.5). Success is assumed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from rulesets.core.declarations import Declaration, Kind
from rulesets.core.questions import Rejection
from rulesets.hielo_y_fuego.clauses import read_clauses, read_fates, spends_destiny
from rulesets.hielo_y_fuego.declared import Action, Intent, Size
from rulesets.hielo_y_fuego.derived import in_the_way, movement_of, sprint_of
from rulesets.hielo_y_fuego.fight import Character, Fight
from rulesets.hielo_y_fuego.reading import read_intent
from rulesets.hielo_y_fuego.rows import Weapon
from rulesets.hielo_y_fuego.turn import Role

if TYPE_CHECKING:
    from rulesets.hielo_y_fuego.checks import Refusal

Actions = Mapping[str, Action]
HINDERING: Final = frozenset(
    {"dead", "defeated", "captured", "stunned", "mount_uncontrolled", "staggered"}
)
MANOEUVRES: Final = frozenset({"knock_down", "distract", "harass"})
MINORS: Final = 2


@dataclass(slots=True)
class Tally:
    """What has been accepted of a turn, or of one interruption."""

    minors: int = 0
    majors: int = 0
    attacks: int = 0


@dataclass(slots=True)
class Desk:
    """A character's own state as it will be, while his tags are checked one after the other.

    Attributes:
        prone, grabbed, pinned, uncontrolled: As his earlier actions leave him.
        in_hand, unloaded: Names of weapons, likewise.
        points: Destiny points that are not spoken for.
        free: Nothing that hinders him in everything: he is able, steady and in nobody's hold.
        passing: A Pass has been accepted in this round.
        extra_used: The additional action of this turn is taken (HF-OTH-20).
        drew: A weapon has been drawn on the move.
        tallies: By whose turn is interrupted; the own turn stands under the empty name.
    """

    fight: Fight
    who: Character
    prone: bool
    grabbed: bool
    pinned: bool
    uncontrolled: bool
    in_hand: list[str]
    unloaded: list[str]
    points: int
    free: bool
    passing: bool = False
    extra_used: bool = False
    drew: bool = False
    tallies: dict[str, Tally] = field(default_factory=dict)

    @classmethod
    def of(cls, fight: Fight, who: Character) -> "Desk":
        """The desk of somebody as he stands now."""
        conditions = who.conditions
        return cls(
            fight=fight,
            who=who,
            prone="prone" in conditions,
            grabbed=bool(who.held_by),
            pinned=who.pinned,
            uncontrolled="mount_uncontrolled" in conditions,
            in_hand=list(who.in_hand),
            unloaded=list(who.unloaded),
            points=who.destiny_points,
            free=not (who.pinned or who.sheet.is_mount or (conditions and conditions & HINDERING)),
        )

    def tally(self, before: str) -> Tally:
        """What has been accepted of the own turn, or of an interruption."""
        found = self.tallies.get(before)
        if found is None:
            found = self.tallies[before] = Tally()
        return found

    def minors_allowed(self, intent: Intent) -> int:
        """Minor actions of a turn, or of an interruption (HF-ADV-01)."""
        small = intent.before and self.fight.options.interrupt_allotment == "minor"
        return 1 if small else MINORS

    def is_attack(self, intent: Intent) -> bool:
        """Whether it counts as the attack of a turn (HF-ACT-04, HF-OTH-02)."""
        if intent.action.attack or intent.helps == "attack":
            return True
        counts = self.fight.options.maneuvers_count_as_attack
        return counts and intent.action.id in MANOEUVRES

    def holds(self, weapon: Weapon) -> bool:
        """Whether a weapon is in hand; the fist always is."""
        return weapon.id == self.fight.tables.fist.id or weapon.name in self.in_hand

    def pace(self, intent: Intent) -> int:
        """How many metres an action allows (HF-OTH-04, HF-OTH-09, HF-OTH-11, HF-OTH-15)."""
        if intent.action.id == "sprint":
            return sprint_of(self.fight, self.who)
        metres = movement_of(self.fight, self.who)
        return metres // 2 if intent.action.id == "dodge" else metres

    def divisible(self, intent: Intent) -> tuple[int, int]:
        """Test dice and bonus dice of a divided attack, as things stand (HF-ATK-05)."""
        weapon, who = intent.arms, self.who
        options = self.fight.options
        dice = who.sheet.ranks[weapon.skill]
        bonus = who.sheet.bonus(weapon.specialty)
        if options.divided_penalty == "pool":
            dice -= who.wounds
            dice -= ("harassed" in who.conditions) + self.drew
            dice -= 2 * (weapon.has("two_handed") and in_the_way(who, weapon))
            dice -= 2 * (weapon.has("mounted") and not who.mounted)
            dice -= max(0, weapon.training - bonus) + (weapon.craft == "poor")
        if options.training_mode == "consume":
            bonus = max(0, bonus - weapon.training)
        return dice, bonus

    @staticmethod
    def evenly(pool: int, among: int) -> tuple[int, ...]:
        """A pool shared out as evenly as can be, the first getting one more."""
        each, more = divmod(max(0, pool), among)
        return tuple(each + (index < more) for index in range(among))


def weigh(
    fight: Fight, declarations: Iterable[Declaration], actions: Actions
) -> tuple[dict[str, Role], list[Rejection]]:
    """Roles of everybody with what was accepted, and the refusals in the order posted."""
    roles = {name: Role(name) for name in fight.cast}
    desks: dict[str, Desk] = {}
    rejections: list[Rejection] = []
    for declaration in declarations:
        name = declaration.actor
        role = roles.get(name)
        if role is None:
            rejections.append(Rejection("unknown_target", declaration, "HF-ACT-01"))
            continue
        if declaration.kind is Kind.STANDING:
            rejected = _stand(fight, role, declaration)
            if rejected is not None:
                rejections.append(rejected)
        elif declaration.kind is Kind.ACTION:
            desk = desks.get(name)
            if desk is None:
                desk = desks[name] = Desk.of(fight, fight.cast[name])
            rejected = _declare(desk, role, declaration, actions)
            if rejected is not None:
                rejections.append(rejected)
    return roles, rejections


def _declare(
    desk: Desk, role: Role, declaration: Declaration, actions: Actions
) -> Rejection | None:
    """Check one action and, if it stands, enter it."""
    if declaration.verb not in actions:
        facts = {"given": declaration.verb}
        return Rejection("unknown_action", declaration, "HF-ACT-01", facts)
    intent = intended(desk, declaration, actions)
    refusal = look(desk, intent)
    if refusal is not None:
        return Rejection(refusal.code, declaration, refusal.rule, refusal.facts)
    _enter(desk, intent)
    if intent.before:
        role.before.setdefault(intent.before, []).append(intent)
    else:
        role.queue.append(intent)
    return None


def intended(desk: Desk, declaration: Declaration, actions: Actions) -> Intent:
    """A declaration with its words read and its size known."""
    action = actions[declaration.verb]
    if action.id == "move" and desk.who.mounted:
        action = actions["ride"]  # HF-OTH-09
    intent = read_intent(desk.fight, desk.who, declaration, action, desk.in_hand)
    intent.size = action.size if action.sizes is None else action.sizes(desk, intent)
    # Before anything of his has been accepted, the desk is as he stands.
    intent.seen = None if desk.tallies else desk.who
    intent.extra = intent.destiny == "extra_minor" and intent.size is Size.MINOR
    return intent


def look(desk: Desk, intent: Intent) -> "Refusal | None":
    """The first thing that is wrong with a declaration."""
    for check in intent.action.checks:
        refusal = check.look(desk, intent)
        if refusal is not None:
            return refusal
    return None


def look_again(desk: Desk, intent: Intent) -> "Refusal | None":
    """What has become impossible of an accepted declaration."""
    for check in intent.action.again:
        refusal = check.look(desk, intent)
        if refusal is not None:
            return refusal
    return None


def _enter(desk: Desk, intent: Intent) -> None:
    """Let the tags after it reckon with an accepted action."""
    tally = desk.tally(intent.before)
    if intent.extra:
        desk.extra_used = True
    elif intent.size is Size.MAJOR:
        tally.majors += 1
    elif intent.size is Size.MINOR:
        tally.minors += 1
    if desk.is_attack(intent):
        tally.attacks += 1
    if intent.destiny not in ("", "other"):
        desk.points -= 1
    if intent.item:
        desk.in_hand.append(intent.item)
        desk.drew = desk.drew or intent.action.id in ("move", "ride")
    _leave(desk, intent)


def _leave(desk: Desk, intent: Intent) -> None:
    """The state that an action leaves its owner in, if it succeeds."""
    match intent.action.id:
        case "stand_up":
            desk.prone = False
        case "drop_prone":
            desk.prone = True
        case "escape":
            desk.grabbed = desk.pinned = False
        case "control_mount":
            desk.uncontrolled = False
        case "pass":
            desk.passing = True
        case "reload":
            desk.unloaded = [name for name in desk.unloaded if name != intent.arms.name]
        case _:
            _shoot(desk, intent)


def _shoot(desk: Desk, intent: Intent) -> None:
    weapon = intent.weapon
    if intent.action.attack and weapon is not None and weapon.reload != "none":
        desk.unloaded.append(weapon.name)


# ------------------------------------------------------------------ standing orders


def _stand(fight: Fight, role: Role, declaration: Declaration) -> Rejection | None:
    """Enter a standing order; a new one replaces the former one whole (catalogue section 5)."""
    texts = tuple(text for text in declaration.clauses if text.strip())
    match declaration.verb:
        case "wounds":
            clauses = read_clauses(texts, fight.tables)
            if isinstance(clauses, str):
                return _bad(declaration, "HF-DMG-02", clauses)
            role.clauses = clauses or None
        case "defeat":
            fates = read_fates(texts, fight.tables, fight.find)
            if isinstance(fates, tuple):
                code, text = fates
                facts = {"given": text, "candidates": tuple(fight.cast)}
                return Rejection(code, declaration, "HF-DMG-09", facts)
            role.fates = fates
        case "fumble" | "knocked_out" as verb:
            spends = spends_destiny(texts, fight.tables)
            if isinstance(spends, str):
                rule = "HF-FUM-03" if verb == "fumble" else "HF-ADV-19"
                return _bad(declaration, rule, spends)
            if verb == "fumble":
                role.spends_on_fumbles = spends
            else:
                role.spends_on_knock_outs = spends
        case verb:
            return Rejection("unknown_action", declaration, "HF-DMG-02", {"given": verb})
    return None


def _bad(declaration: Declaration, rule: str, text: str) -> Rejection:
    return Rejection("bad_clause", declaration, rule, {"given": text})
