"""The Ars Magica ruleset as the shell sees it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rulesets.ars_magica import fight as fights
from rulesets.ars_magica.actions import ACTIONS, ORDERS
from rulesets.ars_magica.changes import apply
from rulesets.ars_magica.commands import COMMANDS, weigh_commands
from rulesets.ars_magica.corrected import correction as corrected
from rulesets.ars_magica.declared import Intent
from rulesets.ars_magica.declaring import weigh
from rulesets.ars_magica.events import EVENTS, RulingModifier
from rulesets.ars_magica.fight import Character, Fight, state_of
from rulesets.ars_magica.line import in_melee
from rulesets.ars_magica.phases import PHASES, open_round
from rulesets.ars_magica.rows import CHARACTERISTICS, LEVELS, Tables, read_tables
from rulesets.ars_magica.scene import PURPOSES, is_label
from rulesets.ars_magica.turn import Role, Round
from rulesets.ars_magica.words import WORDS
from rulesets.core.declarations import Declaration, Kind
from rulesets.core.dice import Dice
from rulesets.core.events import Event
from rulesets.core.play import played
from rulesets.core.questions import Answers, Correction, Question, Rejection
from rulesets.core.ruleset import Combatant, Outcome, Setup, Verb

MOST_BY_RULING: Final = 1_000
VERBS: Final[Mapping[str, Verb]] = {row.id: row.verb for row in ACTIONS.values()}


class ArsMagica:
    """Ars Magica: stress dice, initiative once a fight, one regular action a round."""

    id: Final = "ars_magica"
    version: Final = "1"
    actions: Final[Mapping[str, Verb]] = VERBS
    orders: Final[Mapping[str, Verb]] = ORDERS
    commands: Final[Mapping[str, Verb]] = COMMANDS
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
        """Begin the next round: initiative of whoever is new, First Strike at the start."""
        outcome = played(_round(fight, dice, Answers(), {}, [], ()), (open_round,))
        if isinstance(outcome, Question):
            raise TypeError(outcome.label)  # nothing is asked before anybody declares
        return outcome

    def declaration_order(self, fight: Fight) -> tuple[str, ...]:
        """The order of initiative: the catalogue has no other."""
        return fight.order

    def check(self, fight: Fight, declarations: Sequence[Declaration]) -> tuple[Rejection, ...]:
        """Refusals of these declarations as things stand; rolls nothing."""
        _, _, rejections = weigh(fight, declarations, ACTIONS)
        return (*rejections, *weigh_commands(fight, declarations)[1])

    def resolve(
        self, fight: Fight, declarations: Sequence[Declaration], dice: Dice, answers: Answers
    ) -> Outcome | Question:
        """Play the open round to its end, or to the first choice that must be asked."""
        roles, accepted, rejections = weigh(fight, declarations, ACTIONS)
        commands, wrong = weigh_commands(fight, declarations)
        rnd = _round(fight, dice, answers, roles, accepted, commands)
        rnd.rejections.extend((*rejections, *wrong))
        return played(rnd, PHASES)

    def defend(self, fight: Fight, actor: str) -> tuple[Declaration, ...]:
        """A desperate defence, as long as he has the strength for it (AM-SPC-15)."""
        who = fight.cast[actor]
        if who.out or who.fatigue + 2 >= len(fight.tables.fatigue):
            return ()
        return (Declaration(actor, Kind.STANDING, "desperate_defence"),)

    def correct(self, fight: Fight, correction: Correction) -> Outcome | Rejection:
        """A game master's correction, as an event that everybody sees."""
        event = corrected(fight, correction)
        if isinstance(event, Rejection):
            return event
        return Outcome((event,), apply(fight, event))

    def modify(self, fight: Fight, label: str, value: int) -> Outcome | Rejection:
        """A modifier by ruling on rolls of this round (AM-ATK-14).

        ``Lope.attack`` is for every attack roll of Lope's, ``Lope.attack#2`` for the second.
        """
        name, dot, purpose = label.rpartition(".")
        found = fight.find(name)
        roll = f"{found}{dot}{purpose}"
        declaration = Declaration(found or name, Kind.COMMAND, "mod", {"roll": purpose})
        if not found:
            facts = {"given": name, "candidates": tuple(fight.cast)}
            return Rejection("unknown_target", declaration, "AM-ATK-14", facts)
        if not is_label(roll, fight.cast):
            facts = {"given": purpose, "candidates": PURPOSES}
            return Rejection("unknown_roll", declaration, "AM-ATK-14", facts)
        if not -MOST_BY_RULING <= value <= MOST_BY_RULING:
            limits = {"given": value, "expected": f"{-MOST_BY_RULING}..{MOST_BY_RULING}"}
            return Rejection("bad_value", declaration, "AM-ATK-14", limits)
        event = RulingModifier(actor=found, roll=roll, value=value, rule="AM-ATK-14")
        return Outcome((event,), apply(fight, event))

    def roster(self, fight: Fight) -> tuple[Combatant, ...]:
        """Every character, in the order of the cast."""
        return tuple(_combatant(fight, who) for who in fight.cast.values())

    def state(self, fight: Fight, actor: str) -> dict[str, Any]:
        """Every state id of catalogue 8.2 with its value."""
        return state_of(fight, actor)

    def roll_value(self, fight: Fight, actor: str, word: str) -> int | None:
        """A characteristic, a score, Size or the penalty, by id; None for anything else."""
        who = fight.cast.get(actor)
        if who is None:
            return None
        if word in CHARACTERISTICS:
            return who.sheet.characteristics[word]
        if word in who.sheet.abilities:
            return who.sheet.abilities[word]
        if word in WORDS["ability"]:
            return 0
        figures = {
            "size": who.sheet.size,
            "encumbrance": who.sheet.encumbrance,
            "penalty": who.penalty,
            "fatigue": who.fatigue,
        }
        return figures.get(word)

    def over(self, fight: Fight) -> bool:
        """Whether at most one side is left that can fight, or the scene's end has come."""
        if fight.ended:
            return True
        return len({who.side for who in fight.cast.values() if not who.out}) < 2


def _round(
    fight: Fight,
    dice: Dice,
    answers: Answers,
    roles: dict[str, Role],
    accepted: list[Intent],
    commands: tuple[Declaration, ...],
) -> Round:
    return Round(
        fight,
        dice,
        answers,
        apply,
        tables=fight.tables,
        options=fight.options,
        roles=roles,
        actions=ACTIONS,
        commands=commands,
        accepted=accepted,
    )


def _combatant(fight: Fight, who: Character) -> Combatant:
    worst = len(fight.tables.fatigue) - 1
    notes = [("weapon", in_melee(fight, who).id if not who.wielded else who.wielded)]
    if who.penalty:
        notes.append(("penalty", str(who.penalty)))
    for kind, levels in (("wounds", who.wounds), ("bruises", who.bruises)):
        ranked = [level for level in (*LEVELS, "fatal") if levels.get(level)]
        notes += [(f"{kind}.{level}", str(levels[level])) for level in ranked]
    foes = [name for name in who.engaged if not fight.cast[name].out]
    if foes and not who.out:
        notes.append(("engaged", ", ".join(foes)))
    if who.first_strike:
        notes.append(("first_strike", str(fight.tables.figure("first_strike"))))
    extended = who.extended
    if extended is not None:
        notes.append(("extended", f"{extended.done}/{extended.of}"))
    return Combatant(
        name=who.name,
        side=who.side,
        npc=who.npc,
        declares=_declares(fight, who),
        out=who.out,
        initiative=fight.initiative.get(who.name),
        gauges=(("fatigue", worst - who.fatigue, worst),),
        conditions=tuple(sorted(who.conditions)),
        position=who.position,
        notes=tuple(notes),
    )


def _declares(fight: Fight, who: Character) -> bool:
    """Whether he has anything to choose: not out, not pinned, in the order, no ridden horse."""
    if who.out or "pinned" in who.conditions or who.ridden_by:
        return False
    if who.name not in fight.initiative and fight.order:
        return False
    going = who.extended
    return going is None or going.ends_next
