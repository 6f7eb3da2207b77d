"""Other actions: standing up, extended ones, looking, care, and putting off (AM-RND, AM-OPP)."""

from rulesets.ars_magica import movement
from rulesets.ars_magica.conditions import gain, shed
from rulesets.ars_magica.declared import Cost, Intent
from rulesets.ars_magica.events import Check, Delay, Extended, Quick, RulingNeeded
from rulesets.ars_magica.modifiers import ability, penalty, sum_of, trait
from rulesets.ars_magica.rolls import check, stress
from rulesets.ars_magica.turn import Round, began, lose


def begin(rnd: Round, intent: Intent, action: str, rule: str, weapon: str = "") -> None:
    """Start an extended action; in the saddle of a moving horse he must keep his seat first."""
    began(rnd, intent)
    who = rnd.who(intent.actor)
    if who.mounted_on and rnd.roles[who.mounted_on].moved:
        mount = rnd.who(who.mounted_on)
        if not movement.is_steady(rnd, intent.actor, mount.pace):
            rnd.emit(
                Extended(
                    actor=intent.actor,
                    action=action,
                    phase="broken",
                    of=intent.rounds,
                    rule="AM-MNT-05",
                )
            )
            return
    rnd.emit(
        Extended(
            actor=intent.actor,
            action=action,
            phase="started",
            of=intent.rounds,
            ease=intent.ease,
            weapon=weapon,
            name=intent.name,
            rule=rule,
        )
    )


def extended(rnd: Round, intent: Intent) -> None:
    """Anything that takes rounds (AM-RND-07)."""
    begin(rnd, intent, "extended", "AM-RND-07")


def obstacle(rnd: Round, intent: Intent) -> None:
    """Over, through or past something: the game master says how (AM-MOV-10)."""
    if intent.cost is Cost.EXTENDED:
        begin(rnd, intent, "obstacle", "AM-MOV-10")
    else:
        began(rnd, intent)
    rnd.emit(RulingNeeded(actor=intent.actor, reason="obstacle", rule="AM-MOV-10"))


def cease(rnd: Round, intent: Intent) -> None:
    """Give up an extended action; what was done is lost (AM-RND-10)."""
    going = rnd.who(intent.actor).extended
    if going is None:
        return
    began(rnd, intent)
    rnd.emit(
        Extended(
            actor=intent.actor,
            action=going.action,
            phase="ceased",
            done=going.done,
            of=going.of,
            rule="AM-RND-10",
        )
    )


def stand_up(rnd: Round, intent: Intent) -> None:
    """Back on one's feet (AM-NLC-14)."""
    who = rnd.who(intent.actor)
    if "grappled" in who.conditions or "pinned_under_mount" in who.conditions:
        reason = "grappled" if "grappled" in who.conditions else "cannot_move"
        lose(rnd, intent, reason, "AM-NLC-14")
        return
    began(rnd, intent)
    shed(rnd, intent.actor, "prone", "AM-NLC-14")


def drop_prone(rnd: Round, intent: Intent) -> None:
    """To the ground of one's own will (AM-DMG-11)."""
    began(rnd, intent)
    rnd.emit(Quick(actor=intent.actor, action="drop_prone", rule="AM-DMG-11"))
    gain(rnd, intent.actor, "prone", "AM-DMG-11")


def shout(rnd: Round, intent: Intent) -> None:
    """A cry (AM-RND-03)."""
    began(rnd, intent)
    rnd.emit(Quick(actor=intent.actor, action="shout", text=intent.name, rule="AM-RND-03"))


def scan(rnd: Round, intent: Intent) -> None:
    """Peer at somebody in the dark: Perception against 9 (AM-SIT-09)."""
    began(rnd, intent)
    who = rnd.who(intent.actor)
    rnd.emit(Quick(actor=intent.actor, action="scan", rule="AM-SIT-09"))
    ease = rnd.tables.figure("scan_ease")
    against = sum_of(trait(who, "perception", "AM-SIT-09"), penalty(who))
    check(rnd, intent.actor, "perception", against, ease, "AM-SIT-09", target=intent.target)


def treat(rnd: Round, intent: Intent) -> None:
    """Intelligence + Chirurgy; ease factor and time are the game master's (AM-DMG-20)."""
    began(rnd, intent)
    who = rnd.who(intent.actor)
    against = sum_of(
        trait(who, "intelligence", "AM-DMG-20"),
        ability(who, "chirurgy", "AM-DMG-20"),
        penalty(who),
    )
    rolled = stress(rnd, intent.actor, "treat", against, "chirurgy")
    rnd.emit(
        Check(
            actor=intent.actor,
            purpose="treat",
            target=intent.target,
            total=rolled.total,
            result=rolled.result,
            label=rolled.label,
            die=rolled.die,
            limit=rolled.limit,
            rule="AM-DMG-20",
        )
    )
    rnd.emit(
        RulingNeeded(actor=intent.actor, reason="treatment", target=intent.target, rule="AM-DMG-20")
    )


def delay(rnd: Round, intent: Intent) -> None:
    """Put an action off until something happens (AM-OPP-04, AM-OPP-06)."""
    kind = "quick" if intent.quick else "regular"
    rnd.emit(Delay(actor=intent.actor, kind=kind, rule="AM-OPP-06"))
