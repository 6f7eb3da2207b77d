"""In the saddle: mastering a mount, and riding foes down (HF-OTH-10, HF-ADV-20 to -22)."""

from typing import Final

from rulesets.core.modifiers import Modifier, Total
from rulesets.hielo_y_fuego.attack import dishonour, fumbled_elsewhere, release, settled
from rulesets.hielo_y_fuego.counter import passed_by
from rulesets.hielo_y_fuego.declared import Intent
from rulesets.hielo_y_fuego.derived import defence, movement_of
from rulesets.hielo_y_fuego.manoeuvres import told
from rulesets.hielo_y_fuego.pools import Attempt, ability_pool, part, spend, tried
from rulesets.hielo_y_fuego.turn import Round, lose, shed
from rulesets.hielo_y_fuego.wounds import hurt

EACH_MORE: Final = 5  # HF-ADV-20
UNTRAINED: Final = 6  # HF-ADV-21


def control_mount(rnd: Round, intent: Intent) -> None:
    """A major action masters a mount that has been hurt (HF-OTH-10)."""
    shed(rnd, intent.actor, "mount_uncontrolled", "HF-OTH-10", intent.actor)


def trample(rnd: Round, intent: Intent) -> None:
    """One Animal handling test against each target's defence (HF-ADV-20 to -22)."""
    actor = intent.actor
    dishonour(rnd, actor)
    release(rnd, actor, "HF-ATK-13")
    rnd.roles[actor].moved = True
    far = [name for name in intent.targets if not _in_the_way(rnd, actor, name)]
    for name in intent.targets:
        if name not in far:
            passed_by(rnd, actor, name)
    run = _Run(rnd, intent)
    for name in intent.targets:
        if rnd.who(actor).senseless or not rnd.who(actor).mounted:
            reason = "cannot_act" if rnd.who(actor).senseless else "not_mounted"
            lose(rnd, intent, reason, "HF-ACT-06", name)
        elif name in far:
            lose(rnd, intent, "out_of_reach", "HF-ADV-20", name)
        elif rnd.who(name).out:
            lose(rnd, intent, "target_down", "HF-ACT-05", name)
        else:
            run.over(name)


def _in_the_way(rnd: Round, actor: str, target: str) -> bool:
    return rnd.fight.distance(actor, target) <= movement_of(rnd.fight, rnd.who(actor))


class _Run:
    """A gallop through several: one roll for all of them, or by option one for each."""

    def __init__(self, rnd: Round, intent: Intent) -> None:
        self.rnd = rnd
        self.intent = intent
        self.attempt: Attempt | None = None
        self.count = 0

    def over(self, target: str) -> None:
        """Ride over one of them."""
        rnd, actor = self.rnd, self.intent.actor
        who, foe = rnd.who(actor), rnd.who(target)
        mount = rnd.fight.cast[who.sheet.mount]
        against = Total((*defence(foe).parts, *self._harder(trained=mount.sheet.war_trained)))
        attempt = self._rolled(against)
        rnd.roles[target].attacked = True
        degrees = told(rnd, who, "trample", attempt, against, "HF-ADV-20", target=target)
        if degrees:
            base = [part(mount.sheet.ranks["athletics"], "rank.athletics", "HF-ADV-22")]
            hurt(rnd, actor, target, (base, ()), degrees)
        settled(rnd, target)
        self.count += 1

    def _harder(self, *, trained: bool) -> list[Modifier]:
        harder = []
        if self.count:
            harder.append(part(EACH_MORE * self.count, "trample_next", "HF-ADV-20"))
        if not trained:
            harder.append(part(UNTRAINED, "untrained_mount", "HF-ADV-21"))
        return harder

    def _rolled(self, against: Total) -> Attempt:
        """The roll of the run; it is shown against the first target's figure."""
        if self.attempt is not None and self.rnd.options.trample_rolls == "one":
            return self.attempt
        rnd, intent = self.rnd, self.intent
        who = rnd.who(intent.actor)
        pool = ability_pool(rnd, who, "animal_handling", "trample", ("ride",))
        if self.attempt is None:
            spend(rnd, who, intent.destiny, pool)
        self.attempt = tried(rnd, who, "trample", pool, against)
        fumbled_elsewhere(rnd, who.name, "trample", self.attempt)
        return self.attempt
