"""Eight people, one cycle of declarations a round: nobody has to be asked anything more."""

from rulesets.core.declarations import Timing
from rulesets.core.questions import Answers
from tests.rulesets.ars_magica.field import act, ars, fight_of, horse, man, order, play, told
from tests.rulesets.playing import HashDice

ASK = Answers(ask=True)


def skirmish():
    """A doorway held by two shields, a crossbowman behind a pavise, a magus; a rider, three men."""
    shield = {"shield": "heater", "armor": "chain_mail_partial"}
    cast = {
        "Lope": man("a", {"position": 0}, **shield),
        "Gil": man("a", {"position": 0}, **shield),
        "Guy": man(
            "a",
            {"position": -10, "loaded": True},
            weapons=["crossbow"],
            abilities={"crossbows": 4, "brawl": 1, "concentration": 2},
        ),
        "Corvus": man(
            "a",
            {"position": -8},
            weapons=[],
            abilities={"finesse": 3, "concentration": 3, "brawl": 1},
        ),
        "Rui": man("b", {"position": 1}),
        "Sancho": man("b", {"position": 2}),
        "Tello": man("b", {"position": 2}),
        "Jinete": man(
            "b",
            {"position": 45},
            weapons=["lance"],
            abilities={"single_weapon": 5, "ride": 4, "athletics": 1, "brawl": 1},
        ),
        "Rocín": horse("b", "Jinete"),
    }
    scene = {
        "place": {"Lope": "corridor", "Gil": "corridor"},
        "cover": {"Guy": "near_total"},
        "spots": {"pavés": {"position": -10, "cover": "near_total"}},
    }
    return fight_of(cast, scene)


ORDERS = [
    made
    for name in ("Lope", "Gil", "Guy", "Corvus", "Rui", "Sancho", "Tello", "Jinete", "Rocín")
    for made in (
        order(name, "critical", zone="torso"),
        order(name, "intercepted"),
        order(name, "late"),
        order(name, "reckless"),
    )
]
ROUNDS = (
    (
        act("Lope", "attack", target="Rui"),
        act("Gil", "defend", ward="Lope"),
        act("Guy", "shoot", ("quick", "from_cover"), target="Sancho"),
        act("Guy", "span"),
        act("Corvus", "cast", spell="Telaraña", target="Tello"),
        act("Rui", "attack", target="Lope"),
        act("Sancho", "attack", target="Lope"),
        act("Tello", "attack", target="Lope"),
        act("Jinete", "mounted_charge", target="Gil", pace="gallop"),
    ),
    (
        act("Lope", "retreat"),
        act("Gil", "great_blow", target="Rui"),
        act("Corvus", "cast", spell="Pilum", target="Rui", timing=Timing("before", "Rui")),
        act("Rui", "attack", target="Gil"),
        act("Sancho", "move", toward="Lope"),
        act("Tello", "trip", target="Gil"),
        act("Jinete", "attack", target="Gil"),
    ),
    (
        act("Gil", "retreat"),
        act("Rui", "move", toward="Gil"),
        act("Tello", "attack", target="Gil", timing=Timing("when", "Gil", event="enters_reach")),
        act("Jinete", "attack", target="Lope"),
    ),
)


def test_a_skirmish_of_eight_closes_each_round_in_one_cycle_of_declarations():
    for seed in range(12):
        fight = skirmish()
        for number, declared in enumerate(ROUNDS):
            dice = HashDice(f"{seed} {number}")
            outcome = play(fight, *ORDERS, *declared, dice=dice, answers=ASK)
            assert told(outcome, "action_order")
            fight = outcome.fight
        assert fight.round == 3


def test_its_first_round_has_the_wall_the_shot_the_charge_and_the_spell():
    outcome = play(skirmish(), *ORDERS, *ROUNDS[0], dice=HashDice("0 0"), answers=ASK)
    kinds = {event.kind for event in told(outcome, "attack")}
    assert {"melee", "missile", "mounted_charge"} <= kinds
    # Two to a side of the doorway: the third finds no room.
    assert [event.reason for event in told(outcome, "lost_action")].count("no_room") == 1
    assert any(event.reason == "spell" for event in told(outcome, "ruling_needed"))
    assert ars().game.state(outcome.fight, "Guy")["loaded"] is False
