"""The line on which positions stand: how far an action carries, and where it leads."""

from rulesets.aquelarre.fight import Character
from rulesets.aquelarre.rows import Pace
from rulesets.aquelarre.turn import Round


def allowance(who: Character, pace: Pace) -> int:
    """Varas of a movement: half for the wounded, a quarter for the badly wounded (AQ-HP-04, -08).

    Rounded down, at least 1 vara (D-29): a badly wounded man runs 3 and walks 1.
    """
    if not pace.wounds:
        return pace.varas
    if who.level == "wounded":
        return max(1, pace.varas // 2)
    if who.level == "badly_wounded":
        return max(1, pace.varas // 4)
    return pace.varas


def destination(rnd: Round, who: Character, toward: str, away: str, varas: int) -> int | None:
    """Where a movement leads on the line; None without positions (AQ-MOV-01).

    Toward somebody it stops 1 vara short; without a direction the position grows.
    """
    if who.position is None:
        return None
    if toward and (mark := rnd.who(toward).position) is not None:
        gap = mark - who.position
        step = min(varas, max(0, abs(gap) - 1))
        return who.position + (step if gap > 0 else -step)
    if away and (mark := rnd.who(away).position) is not None and mark > who.position:
        return who.position - varas
    return who.position + varas
