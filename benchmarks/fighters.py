"""An ordinary fighter of each game, and what he declares round after round.

The sheets are such that equals hit each other about every other time and a fight lasts several
rounds; who has lost his weapon fights with what is left to him, so that nothing is refused.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from referee.data import Data
from rulesets.core.declarations import Declaration, Kind
from rulesets.core.ruleset import CharacterSetup, Combatant, Ruleset, Setup
from rulesets.registry import RULESETS


@dataclass(frozen=True, slots=True)
class Fighter:
    """What the combatants of a game are and do.

    Attributes:
        sheet: The same for all of them.
        declares: What one of them declares against an enemy.
    """

    sheet: Mapping[str, Any]
    declares: Callable[[Combatant, str], Sequence[Declaration]]


def strikes(one: Combatant, target: str) -> Sequence[Declaration]:
    """A blow, if he can; whoever is struck at defends himself as his game has it."""
    if "stunned" in one.conditions:
        return []
    return [Declaration(one.name, Kind.ACTION, "attack", {"target": target})]


def strikes_and_defends(one: Combatant, target: str) -> Sequence[Declaration]:
    """A blow and a defence: the two actions of Aquelarre's round."""
    weapon = dict(one.notes)["weapon"]
    return [
        Declaration(one.name, Kind.ACTION, "attack", {"target": target, "weapon": weapon}),
        Declaration(one.name, Kind.ACTION, "parry" if weapon == "espada" else "dodge"),
    ]


FIGHTERS: Final[Mapping[str, Fighter]] = {
    "aquelarre": Fighter(
        {
            "strength": 15,
            "agility": 15,
            "dexterity": 15,
            "endurance": 15,
            "perception": 12,
            "skills": {"swords": 55, "shields": 40},
            "weapons": ["espada"],
            "shield": "escudo de metal",
        },
        strikes_and_defends,
    ),
    "anima": Fighter(
        {
            "final_turn": 60,
            "attack": 120,
            "parry": 110,
            "dodge": 60,
            "hp": 120,
            "armour": 2,
            "weapons": {"espada larga": {}},
        },
        strikes,
    ),
    "hielo_y_fuego": Fighter(
        {
            "agility": 4,
            "athletics": 4,
            "awareness": 5,
            "endurance": 4,
            "fighting": 4,
            "specialties": {"quickness": 1},
            "weapons": ["longsword", "shield"],
            "armor": "soft_leather",
        },
        strikes,
    ),
    "ars_magica": Fighter(
        {
            "dexterity": 1,
            "quickness": 1,
            "stamina": 1,
            "abilities": {"single_weapon": 4, "brawl": 2, "athletics": 2},
            "weapons": ["long_sword"],
            "helmet": "iron_cap",
            "armor": "chain_mail_partial",
            "shield": "heater",
            "encumbrance": 0,
        },
        strikes,
    ),
}


@dataclass(frozen=True, slots=True)
class Arena:
    """A game with its tables and its fighters, ready for fights of any size."""

    ruleset: Ruleset
    tables: Any
    fighter: Fighter

    @classmethod
    def of(cls, game: str) -> "Arena":
        """The arena of a game by its id."""
        ruleset = next(ruleset for ruleset in RULESETS if ruleset.id == game)
        return cls(ruleset, ruleset.read_tables(Data(None).tables(game)), FIGHTERS[game])

    def fight(self, number: int) -> Any:
        """Two sides of equal fighters before their first round."""
        cast = tuple(
            CharacterSetup(f"Hombre {i + 1}", "ab"[i % 2], npc=i > 1, sheet=self.fighter.sheet)
            for i in range(number)
        )
        return self.ruleset.new_fight(Setup(cast), self.tables)

    def declared(self, fight: Any, turn: int) -> list[Declaration]:
        """What everybody who can declares, each against some enemy who still stands.

        Raises:
            ValueError: something of it is refused, so that less than a round would be measured.
        """
        standing = [combatant for combatant in self.ruleset.roster(fight) if not combatant.out]
        chosen: list[Declaration] = []
        for place, one in enumerate(standing):
            foes = [other.name for other in standing if other.side != one.side]
            if one.declares and foes:
                chosen += self.fighter.declares(one, foes[(turn + place) % len(foes)])
        refused = self.ruleset.check(fight, chosen)
        if refused:
            raise ValueError([(each.code, each.declaration) for each in refused])
        return chosen
