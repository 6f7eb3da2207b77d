"""The ruleset of Canción de Hielo y Fuego as the shell sees it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rulesets.core.declarations import Declaration, Kind
from rulesets.core.dice import Dice
from rulesets.core.events import Event
from rulesets.core.modifiers import Total
from rulesets.core.play import played
from rulesets.core.questions import Answers, Correction, Question, Rejection
from rulesets.core.ruleset import Combatant, Judgement, Outcome, Setup, Verb
from rulesets.hielo_y_fuego import fight as fights
from rulesets.hielo_y_fuego.actions import ACTIONS, ORDERS
from rulesets.hielo_y_fuego.changes import apply
from rulesets.hielo_y_fuego.corrected import correction as corrected
from rulesets.hielo_y_fuego.declaring import weigh
from rulesets.hielo_y_fuego.derived import state_of
from rulesets.hielo_y_fuego.events import EVENTS, RulingModifier
from rulesets.hielo_y_fuego.fight import Character, Fight, conditions_of
from rulesets.hielo_y_fuego.phases import PHASES, open_round
from rulesets.hielo_y_fuego.pools import part
from rulesets.hielo_y_fuego.rows import ABILITIES, Tables, read_tables
from rulesets.hielo_y_fuego.scene import PURPOSES, is_label
from rulesets.hielo_y_fuego.turn import Role, Round
from rulesets.hielo_y_fuego.words import WORDS

MOST_BY_RULING: Final = 100
VERBS: Final[Mapping[str, Verb]] = {row.id: row.verb for row in ACTIONS.values()}


class HieloYFuego:
    """Pools of d6 of which the best count; two minor actions a turn, or a major one."""

    id: Final = "hielo_y_fuego"
    version: Final = "1"
    actions: Final[Mapping[str, Verb]] = VERBS
    orders: Final[Mapping[str, Verb]] = ORDERS
    commands: Final[Mapping[str, Verb]] = {}
    events: Final[Mapping[str, type[Event]]] = EVENTS
    words: Final[Mapping[str, tuple[str, ...]]] = WORDS

    def read_tables(self, raw: Mapping[str, Any]) -> Tables:
        """Typed tables from parsed YAML, by file stem.

        Raises:
            SetupError: all that is wrong with them.
        """
        return read_tables(raw)

    def new_fight(self, setup: Setup, tables: Tables) -> Fight:
        """A fight before its first round.

        Raises:
            SetupError: all that is wrong with options, scene, sheets and states.
        """
        return fights.new_fight(setup, tables)

    def dump(self, fight: Fight) -> dict[str, Any]:
        """The fight as plain JSON data; tables are not in it."""
        return fights.dump(fight)

    def load(self, data: Mapping[str, Any], tables: Tables) -> Fight:
        """The fight that ``dump`` wrote."""
        return fights.load(data, tables)

    def open_round(self, fight: Fight, dice: Dice) -> Outcome:
        """Begin the next round: surprise, and initiative where it is rolled."""
        roles = {name: Role(name) for name in fight.cast}
        outcome = played(_round(fight, dice, Answers(), roles), (open_round,))
        if isinstance(outcome, Question):
            raise TypeError(outcome.label)  # nothing is asked before anybody declares
        return outcome

    def declaration_order(self, fight: Fight) -> tuple[str, ...]:
        """In the order in which they act: the seed knows no other (HF-RND-02)."""
        return tuple(name for name in fight.order if not fight.cast[name].out)

    def check(self, fight: Fight, declarations: Sequence[Declaration]) -> tuple[Rejection, ...]:
        """Refusals of these declarations as things stand; rolls nothing."""
        return tuple(weigh(fight, declarations, ACTIONS)[1])

    def resolve(
        self, fight: Fight, declarations: Sequence[Declaration], dice: Dice, answers: Answers
    ) -> Outcome | Question:
        """Play the open round to its end, or to the first choice that must be asked."""
        roles, rejections = weigh(fight, declarations, ACTIONS)
        rnd = _round(fight, dice, answers, roles)
        rnd.rejections.extend(rejections)
        return played(rnd, PHASES)

    def defend(self, fight: Fight, actor: str) -> tuple[Declaration, ...]:
        """A dodge (HF-OTH-11), or what has to come before it: a mount to master, a pin to break."""
        if fight.cast[actor].senseless:
            return ()
        for verb in ("control_mount", "dodge", "escape"):
            declared = (Declaration(actor, Kind.ACTION, verb),)
            if not self.check(fight, declared):
                if verb == "control_mount" and not _bolting(fight.cast[actor]):
                    continue
                return declared
        return ()

    def correct(self, fight: Fight, correction: Correction) -> Outcome | Rejection:
        """A game master's correction, as an event that everybody sees."""
        event = corrected(fight, correction)
        if isinstance(event, Rejection):
            return event
        return Outcome((event,), apply(fight, event))

    def modify(self, fight: Fight, label: str, value: int) -> Outcome | Rejection:
        """A plus or minus by ruling to the total of rolls of this round.

        ``Lope.attack`` is for every attack roll of Lope's, ``Lope.attack#2`` for the second.
        """
        name, dot, purpose = label.rpartition(".")
        found = fight.find(name)
        roll = f"{found}{dot}{purpose}"
        declaration = Declaration(found or name, Kind.COMMAND, "mod", {"roll": purpose})
        if not found:
            facts = {"given": name, "candidates": tuple(fight.cast)}
            return Rejection("unknown_target", declaration, "HF-RND-01", facts)
        if not is_label(roll, fight.cast):
            facts = {"given": purpose, "candidates": PURPOSES}
            return Rejection("unknown_roll", declaration, "HF-RND-01", facts)
        if not -MOST_BY_RULING <= value <= MOST_BY_RULING:
            limits = {"given": value, "expected": f"{-MOST_BY_RULING}..{MOST_BY_RULING}"}
            return Rejection("bad_value", declaration, "HF-RND-01", limits)
        event = RulingModifier(actor=found, roll=roll, value=value, rule="HF-RND-01")
        return Outcome((event,), apply(fight, event))

    def roster(self, fight: Fight) -> tuple[Combatant, ...]:
        """Every character, in the order of the cast."""
        return tuple(_combatant(fight, who) for who in fight.cast.values())

    def state(self, fight: Fight, actor: str) -> Mapping[str, Any]:
        """Every state id of catalogue 6.2, and the derived statistics."""
        return state_of(fight, actor)

    def roll_value(self, fight: Fight, actor: str, word: str) -> int | None:
        """A rank, the bonus dice of a specialty, or a figure of the state, by id."""
        who = fight.cast.get(actor)
        if who is None:
            return None
        if word in ABILITIES:
            return who.sheet.ranks[word]
        if word in fight.tables.specialties:
            return who.sheet.bonus(word)
        figures = {"health": who.health, "health_max": who.sheet.health_max}
        return figures.get(word)

    def judge(self, fight: Fight, total: int, difficulty: str) -> Judgement | None:
        """A free roll against a difficulty, by name or number (HF-TST-10, HF-TST-12)."""
        figure = fight.tables.difficulty(difficulty)
        if figure is None:
            return None
        against = Total((part(figure, "difficulty", "HF-TST-10"),))
        if total < figure:
            return Judgement(against, "failure")
        return Judgement(against, "success", fight.tables.degrees_at(total - figure))

    def over(self, fight: Fight) -> bool:
        """Whether at most one side is left that can fight."""
        return len({w.side for w in fight.cast.values() if not w.out and not w.sheet.is_mount}) < 2


def _round(fight: Fight, dice: Dice, answers: Answers, roles: dict[str, Role]) -> Round:
    return Round(
        fight,
        dice,
        answers,
        apply,
        tables=fight.tables,
        options=fight.options,
        roles=roles,
    )


def _bolting(who: Character) -> bool:
    return "mount_uncontrolled" in who.conditions


def _combatant(fight: Fight, who: Character) -> Combatant:
    endurance = who.sheet.ranks["endurance"]
    gauges = [("health", who.health, who.sheet.health_max)]
    if who.injuries:
        gauges.append(("injuries", who.injuries, endurance))
    if who.wounds:
        gauges.append(("wounds", who.wounds, endurance))
    held = ", ".join(who.in_hand) or fight.tables.fist.name
    notes = [("weapon", held)]
    if who.grabbing:
        notes.append(("grabbing", who.grabbing))
    if who.destiny_points:
        notes.append(("destiny_points", str(who.destiny_points)))
    mount = fight.mount_of(who)
    if mount is not None:
        notes.append(("mount", mount.name))
    return Combatant(
        name=who.name,
        side=who.side,
        npc=who.npc,
        declares=not who.out and not who.sheet.is_mount,
        out=who.out,
        initiative=fight.initiative.get(who.name),
        gauges=tuple(gauges),
        conditions=conditions_of(who),
        notes=tuple(notes),
    )
