"""The Ánima ruleset as the shell sees it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rulesets.anima import fight as fights
from rulesets.anima.actions import ACTIONS, ORDERS
from rulesets.anima.changes import apply
from rulesets.anima.corrected import correction as corrected
from rulesets.anima.declaring import weigh
from rulesets.anima.events import EVENTS, RulingModifier
from rulesets.anima.fight import NONE, Character, Fight, state_of
from rulesets.anima.modifiers import hindrances
from rulesets.anima.phases import PHASES, open_round
from rulesets.anima.rows import CHARACTERISTICS, Tables, read_tables
from rulesets.anima.scene import PURPOSES, is_label
from rulesets.anima.sheet import ABILITIES, RESISTANCES
from rulesets.anima.turn import Role, Round
from rulesets.anima.words import WORDS
from rulesets.core.declarations import Declaration, Kind, fold
from rulesets.core.dice import Dice
from rulesets.core.events import Event
from rulesets.core.play import played
from rulesets.core.questions import Answers, Correction, Question, Rejection
from rulesets.core.ruleset import Combatant, Outcome, Setup, Verb

MOST_BY_RULING: Final = 1_000
VERBS: Final[Mapping[str, Verb]] = {row.id: row.verb for row in ACTIONS.values()}


class Anima:
    """Ánima: open d100 rolls, initiative after the lock, counterattacks out of turn."""

    id: Final = "anima"
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
        """A fight before its first assault.

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
        """Begin the next assault; nothing is rolled before everybody has declared (AN-WEB-01)."""
        outcome = played(_round(fight, dice, Answers(), {}), (open_round,))
        if isinstance(outcome, Question):
            raise TypeError(outcome.label)  # nothing is asked before anybody declares
        return outcome

    def declaration_order(self, fight: Fight) -> tuple[str, ...]:
        """As in the scene: posting is free of initiative, which is not known yet (AN-WEB-01)."""
        return tuple(name for name, who in fight.cast.items() if not who.down)

    def check(self, fight: Fight, declarations: Sequence[Declaration]) -> tuple[Rejection, ...]:
        """Refusals of these declarations as things stand; rolls nothing."""
        return tuple(weigh(fight, declarations, ACTIONS)[1])

    def resolve(
        self, fight: Fight, declarations: Sequence[Declaration], dice: Dice, answers: Answers
    ) -> Outcome | Question:
        """Play the open assault to its end, or to the first choice that must be asked."""
        roles, rejections = weigh(fight, declarations, ACTIONS)
        rnd = _round(fight, dice, answers, roles)
        rnd.rejections.extend(rejections)
        return played(rnd, PHASES)

    def defend(self, fight: Fight, actor: str) -> tuple[Declaration, ...]:
        """Total defence for this assault (AN-STA-03); whoever is in a stance keeps to it."""
        who = fight.cast[actor]
        if who.down or who.stance:
            return ()
        return (
            Declaration(actor, Kind.ACTION, "total_defence"),
            Declaration(actor, Kind.ACTION, "leave_stance"),
        )

    def correct(self, fight: Fight, correction: Correction) -> Outcome | Rejection:
        """A game master's correction, as an event that everybody sees."""
        event = corrected(fight, correction)
        if isinstance(event, Rejection):
            return event
        return Outcome((event,), apply(fight, event))

    def modify(self, fight: Fight, label: str, value: int) -> Outcome | Rejection:
        """A modifier by ruling on rolls of this assault (AN-SIT-21).

        ``Kyra.attack`` is for every attack roll of Kyra's, ``Kyra.attack#2`` for the second.
        """
        name, dot, purpose = label.rpartition(".")
        found = fight.find(name)
        roll = f"{found}{dot}{purpose}"
        declaration = Declaration(found or name, Kind.COMMAND, "mod", {"roll": purpose})
        if not found:
            facts: dict[str, object] = {"given": name, "candidates": tuple(fight.cast)}
            return Rejection("unknown_target", declaration, "AN-SIT-21", facts)
        if not is_label(roll, fight.cast):
            facts = {"given": purpose, "candidates": PURPOSES}
            return Rejection("unknown_roll", declaration, "AN-SIT-21", facts)
        if not -MOST_BY_RULING <= value <= MOST_BY_RULING:
            facts = {"given": value, "expected": f"{-MOST_BY_RULING}..{MOST_BY_RULING}"}
            return Rejection("bad_value", declaration, "AN-SIT-21", facts)
        event = RulingModifier(actor=found, roll=roll, value=value, rule="AN-SIT-21")
        return Outcome((event,), apply(fight, event))

    def roster(self, fight: Fight) -> tuple[Combatant, ...]:
        """Every character, in the order of the cast."""
        return tuple(_combatant(fight, who) for who in fight.cast.values())

    def state(self, fight: Fight, actor: str) -> dict[str, Any]:
        """Every state id of the catalogue with its value."""
        return state_of(fight, actor)

    def roll_value(self, fight: Fight, actor: str, word: str) -> int | None:
        """A characteristic, an ability, a resistance, a secondary ability; None for all else."""
        who = fight.cast.get(actor)
        if who is None:
            return None
        sheet = who.sheet
        if word in CHARACTERISTICS:
            return sheet.characteristics[word]
        if word in RESISTANCES:
            return sheet.resistances[word]
        penalty = sum(part.value for part in hindrances(who))
        if word in ABILITIES:
            return sheet.abilities[word] + penalty
        skill = sheet.secondary.get(fold(word))
        if skill is not None:
            return skill.value + penalty
        turn = sheet.turn if sheet.final_turn is None else sheet.final_turn
        return {"hp": who.hp, "fatigue": who.fatigue, "turn": turn}.get(word)

    def over(self, fight: Fight) -> bool:
        """Whether at most one side is left that can fight."""
        return len({who.side for who in fight.cast.values() if not who.down}) < 2


def _round(fight: Fight, dice: Dice, answers: Answers, roles: dict[str, Role]) -> Round:
    return Round(
        fight,
        dice,
        answers,
        apply,
        tables=fight.tables,
        options=fight.options.choices,
        roles=roles,
        anybody_covers=any(role.orders.covers for role in roles.values()),
        anybody_pushes=any(role.orders.pushes for role in roles.values()),
    )


def _combatant(fight: Fight, who: Character) -> Combatant:
    sheet = who.sheet
    gauges = [("hp", who.hp, sheet.hp), ("fatigue", who.fatigue, sheet.max_fatigue)]
    if sheet.act:
        gauges.append(("zeon", who.zeon_accumulated, max(who.zeon_accumulated, sheet.act)))
    gauges += [("shield", left, sheet.shields[key].points) for key, left in who.shields.items()]
    notes = [("weapon", who.in_hand or NONE)]
    penalty = sum(part.value for part in hindrances(who))
    if who.stance:
        notes.append(("stance", who.stance))
    if penalty:
        notes.append(("penalty", str(penalty)))
    for key, other in (("held_by", who.held_by), ("threatened_by", who.threatened_by)):
        if other:
            notes.append((key, other))
    return Combatant(
        name=who.name,
        side=who.side,
        npc=who.npc,
        declares=not who.down,
        out=who.down,
        initiative=fight.initiative.get(who.name),
        gauges=tuple(gauges),
        conditions=tuple(sorted(who.conditions)),
        notes=tuple(notes),
    )
