"""A melee of eight, with everything that a table fears: each round closes in one go."""

from typing import Any

from rulesets.core.declarations import Declaration
from rulesets.core.questions import Answers
from rulesets.core.ruleset import Outcome
from tests.rulesets.hielo_y_fuego.table import FixedDice, act, fight_of, hf, order, told, who

CAST: dict[str, dict[str, Any]] = {
    "Edric": who(
        athletics=4, fighting=5, endurance=3, agility=3, awareness=3, weapons=["maza", "escudo"]
    ),
    "Torrhen": who(athletics=5, fighting=4, endurance=4, specialties={"strength": 2}),
    "Lyn": who(fighting=5, athletics=3, weapons=["garrote"]),
    "Ser Garlan": who(
        fighting=4,
        animal_handling=4,
        weapons=["maza"],
        mount="Sombra",
        state={"mounted": True},
    ),
    "Sombra": who(mount_type="destrero"),
    "Mero": who("b", npc=True, athletics=3, fighting=4, endurance=3, weapons=["espada"]),
    "Guardia": who(
        "b", npc=True, endurance=2, weapons=["lanza"], state={"conditions": ["unaware"]}
    ),
    "Jinete": who(
        "b",
        npc=True,
        fighting=3,
        animal_handling=3,
        weapons=["espada"],
        mount="Rocín",
        state={"mounted": True},
    ),
    "Rocín": who("b", npc=True, mount_type="garrón"),
    "Moro": who("b", npc=True, fighting=2, weapons=["garrote"]),
}
SCENE = {
    "initiative": {
        "Edric": 20,
        "Torrhen": 18,
        "Lyn": 16,
        "Ser Garlan": 14,
        "Mero": 12,
        "Jinete": 10,
        "Guardia": 8,
        "Moro": 6,
    },
    "distances": {"Ser Garlan": {"Moro": 6}},
}
ORDERS = (
    order("Edric", "wounds", "grave si cae con leve", "leve si daño >= 3"),
    order("Edric", "defeat", "capturar"),
    order("Torrhen", "defeat", "perdonar"),
    order("Ser Garlan", "defeat", "inconsciente"),
    order("Sombra", "wounds", "leve"),
    *(
        order(name, verb, clause)
        for name in ("Torrhen", "Lyn", "Ser Garlan", "Mero", "Jinete", "Guardia", "Moro", "Rocín")
        for verb, clause in (("wounds", "salud"), ("defeat", "matar"))
        if (name, verb) not in {("Torrhen", "defeat"), ("Ser Garlan", "defeat")}
    ),
)


def one_cycle(fight: Any, declarations: list[Declaration], dice: FixedDice) -> Outcome:
    """A round that is played with one set of declarations: nobody is asked anything."""
    game = hf().game
    opened = game.open_round(fight, dice).fight
    found = game.resolve(opened, [*declarations, *ORDERS], dice, Answers(ask=True))
    assert isinstance(found, Outcome), found
    assert found.rejections == ()
    assert found.defaulted == ()
    return found


def test_each_round_of_a_melee_of_eight_closes_in_one_declaration_cycle():
    fight = fight_of(CAST, SCENE)
    first = one_cycle(
        fight,
        [
            Declaration("Edric", act("a", "b").kind, "divided_attack", {"targets": "Mero, Moro"}),
            act("Torrhen", "grab", "Mero", weapon="puño"),
            act("Lyn", "knock_out", "Guardia"),
            act("Ser Garlan", "charge", "Moro"),
            act("Mero", "attack", "Edric"),
            act("Jinete", "attack", "Edric"),
            act("Moro", "yield"),
        ],
        FixedDice(
            {
                "Edric.attack": [4, 3, 2],
                "Edric.attack#2": [2, 1],
                "Torrhen.attack": [5, 4, 3, 1],
                "Lyn.knock_out": [6, 6, 5, 4, 4],
                "Lyn.knock_out_duration": 2,
                "Ser Garlan.attack": [2, 2, 1, 1],
                "Mero.attack": [6, 6, 5, 4],
                "Jinete.attack": [6, 6, 6, 1],
                "Guardia.recover": [1, 2],
            }
        ),
    )
    assert len([e for e in told(first, "attack") if e.action == "divided_attack"]) == 2
    grabbed = [e for e in told(first, "condition") if e.condition == "grabbed"]
    assert [e.target for e in grabbed] == ["Mero"]
    assert [e.kind for e in told(first, "wound") if e.target == "Edric"] != []
    state = hf().game.state(first.fight, "Edric")
    assert state["health"] > 0
    assert "unconscious" in hf().game.state(first.fight, "Guardia")["conditions"]
    assert "yielded" in hf().game.state(first.fight, "Moro")["conditions"]

    second = one_cycle(
        first.fight,
        [
            act("Edric", "attack", "Jinete"),
            act("Torrhen", "pin"),
            Declaration("Ser Garlan", act("a", "b").kind, "trample", {"targets": "Guardia, Moro"}),
            act("Jinete", "attack", "Sombra"),
            act("Mero", "attack", "Torrhen"),
            act("Moro", "attack", "Lyn"),
        ],
        FixedDice(
            {
                "Torrhen.pin": [6, 5, 4, 4, 3, 2, 1],
                "Mero.oppose": [3, 2, 2, 1],
                "Edric.attack": [1, 1, 1, 2, 2, 1],
                "Jinete.attack": [6, 6, 5, 4],
            }
        ),
    )
    pinned = [e for e in told(second, "condition") if e.condition == "pinned"]
    assert [e.target for e in pinned] == ["Mero"]
    lost = {(e.actor, e.reason) for e in told(second, "lost_action")}
    assert ("Mero", "pinned_only_escape") in lost
    assert [e.kind for e in told(second, "wound") if e.target == "Sombra"] == ["injury"]
    assert "mount_uncontrolled" in hf().game.state(second.fight, "Ser Garlan")["conditions"]
    assert "dishonoured" in hf().game.state(second.fight, "Moro")["conditions"]

    third = one_cycle(
        second.fight,
        [
            act("Torrhen", "keep_pin"),
            act("Ser Garlan", "control_mount"),
            act("Edric", "reckless_attack", "Mero"),
            act("Mero", "escape"),
        ],
        FixedDice({"Edric.attack": [6, 6, 5, 5, 4, 4, 3]}, other=3),
    )
    assert told(third, "action_order")[0].order
    assert "mount_uncontrolled" not in hf().game.state(third.fight, "Ser Garlan")["conditions"]
