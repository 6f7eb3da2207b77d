"""The Aquelarre ruleset as the shell sees it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rulesets.aquelarre import fight as fights
from rulesets.aquelarre.actions import ACTIONS, ORDERS
from rulesets.aquelarre.changes import apply
from rulesets.aquelarre.corrected import correction as corrected
from rulesets.aquelarre.declaring import weigh
from rulesets.aquelarre.events import EVENTS, RulingModifier
from rulesets.aquelarre.fight import Character, Fight, conditions_of, state_of
from rulesets.aquelarre.modifiers import DEFENCE, SHIELD_DEFENCE, Effort, skill_total
from rulesets.aquelarre.phases import PHASES, groups, open_round
from rulesets.aquelarre.rows import CHARACTERISTICS, Tables, read_tables
from rulesets.aquelarre.scene import PURPOSES, is_label
from rulesets.aquelarre.turn import Role, Round
from rulesets.aquelarre.words import WORDS
from rulesets.core.declarations import Declaration, Kind
from rulesets.core.dice import Dice, NoDice
from rulesets.core.events import Event
from rulesets.core.modifiers import total
from rulesets.core.play import played
from rulesets.core.questions import Answers, Correction, Question, Rejection
from rulesets.core.ruleset import Combatant, Outcome, Setup, Verb

MOST_BY_RULING: Final = 1_000
VERBS: Final[Mapping[str, Verb]] = {row.id: row.verb for row in ACTIONS.values()}


class Aquelarre:
    """Aquelarre: percentile rolls, two actions a round, a defence declared before the blow."""

    id: Final = "aquelarre"
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
        """Begin the next round: surprise, initiative, who declares when."""
        outcome = played(_round(fight, dice, Answers(), {}), (open_round,))
        if isinstance(outcome, Question):
            raise TypeError(outcome.label)  # nothing is asked before anybody declares
        return outcome

    def declaration_order(self, fight: Fight) -> tuple[str, ...]:
        """Lowest initiative first (AQ-INI-02)."""
        return tuple(name for group in reversed(groups(fight)) for name in group)

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
        """A full defence with whatever the character defends itself best with (AQ-DEF-16)."""
        who = fight.cast[actor]
        if not who.able or who.held_by:
            return ()
        kind = _best_defence(fight, who)
        return (Declaration(actor, Kind.ACTION, "full_defence", {"with": kind}),)

    def correct(self, fight: Fight, correction: Correction) -> Outcome | Rejection:
        """A game master's correction, as an event that everybody sees."""
        event = corrected(fight, correction)
        if isinstance(event, Rejection):
            return event
        return Outcome((event,), apply(fight, event))

    def modify(self, fight: Fight, label: str, value: int) -> Outcome | Rejection:
        """A modifier by ruling on rolls of this round (AQ-MOD-11).

        ``Lope.attack`` is for every attack roll of Lope's, ``Lope.attack#2`` for the second.
        """
        name, dot, purpose = label.rpartition(".")
        found = fight.find(name)
        roll = f"{found}{dot}{purpose}"
        declaration = Declaration(found or name, Kind.COMMAND, "mod", {"roll": purpose})
        if not found:
            facts = {"given": name, "candidates": tuple(fight.cast)}
            return Rejection("unknown_target", declaration, "AQ-MOD-11", facts)
        if not is_label(roll, fight.cast):
            facts = {"given": purpose, "candidates": PURPOSES}
            return Rejection("unknown_roll", declaration, "AQ-MOD-11", facts)
        if not -MOST_BY_RULING <= value <= MOST_BY_RULING:
            limits = {"given": value, "expected": f"{-MOST_BY_RULING}..{MOST_BY_RULING}"}
            return Rejection("bad_value", declaration, "AQ-MOD-11", limits)
        event = RulingModifier(actor=found, roll=roll, value=value, rule="AQ-MOD-11")
        return Outcome((event,), apply(fight, event))

    def roster(self, fight: Fight) -> tuple[Combatant, ...]:
        """Every character, in the order of the cast."""
        return tuple(_combatant(fight, who) for who in fight.cast.values())

    def state(self, fight: Fight, actor: str) -> dict[str, Any]:
        """Every state id of catalogue 4.2 with its value."""
        return state_of(fight, actor)

    def roll_value(self, fight: Fight, actor: str, word: str) -> int | None:
        """A characteristic, a skill as it stands, or the PV, by id; None for anything else."""
        who = fight.cast.get(actor)
        if who is None:
            return None
        if word in CHARACTERISTICS:
            return who.figures.characteristics[word]
        if word in fight.tables.skills:
            return skill_total(_round(fight, NoDice(), Answers(), {}), who, word).value
        return {"hp": who.hp, "hp_max": who.sheet.hp_max}.get(word)

    def over(self, fight: Fight) -> bool:
        """Whether at most one side is left that can fight, or the scene's end has come."""
        if fight.ended:
            return True
        return len({who.side for who in fight.cast.values() if who.able}) < 2


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


def _best_defence(fight: Fight, who: Character) -> str:
    rnd = _round(fight, NoDice(), Answers(), {name: Role(name) for name in fight.cast})
    found = {"dodge": total(DEFENCE, Effort(rnd, who, "dodge", "dodge")).value}
    weapon = who.in_hand[0] if who.in_hand else None
    if weapon is not None and not weapon.missile:
        effort = Effort(rnd, who, weapon.skill, "parry", weapon=weapon)
        found["parry"] = total(DEFENCE, effort).value
    if who.shield_ready:
        effort = Effort(rnd, who, "shields", "shield_parry", shield=who.shield)
        found["shield_parry"] = total(SHIELD_DEFENCE, effort).value
    # Of equals the parry: it may be multiple, and a dodge is for one enemy only.
    return max(sorted(found, reverse=True), key=lambda kind: found[kind])


def _combatant(fight: Fight, who: Character) -> Combatant:
    gauges = [("hp", who.hp, who.sheet.hp_max)]
    if who.shield is not None:
        gauges.append(("shield", who.shield_resistance, who.shield.resistance))
    if who.sheet.mount is not None:
        gauges.append(("mount", who.mount_hp, who.sheet.mount.hp_max))
    in_hand = who.in_hand
    notes = [("weapon", in_hand[0].name if in_hand else fight.tables.brawl.name)]
    if who.melee_with:
        notes.append(("melee_with", ", ".join(who.melee_with)))
    if who.prep_bonus:
        notes.append(("prep_bonus", str(who.prep_bonus)))
    return Combatant(
        name=who.name,
        side=who.side,
        npc=who.npc,
        declares=who.able and (not fight.initiative or who.name in fight.initiative),
        out=not who.able,
        initiative=fight.initiative.get(who.name),
        gauges=tuple(gauges),
        conditions=conditions_of(who, fight.options),
        position=who.position,
        notes=tuple(notes),
    )
