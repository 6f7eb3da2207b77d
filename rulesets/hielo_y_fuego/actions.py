"""The table of actions (catalogue section 4), standing orders (section 5) and their words."""

from collections.abc import Iterable, Mapping
from typing import Final

from rulesets.core.ruleset import Verb
from rulesets.hielo_y_fuego import checks as may
from rulesets.hielo_y_fuego.attack import (
    attack,
    cautious_attack,
    divided_attack,
    reckless_attack,
    two_weapon_attack,
)
from rulesets.hielo_y_fuego.checks import in_order
from rulesets.hielo_y_fuego.counter import counterattack
from rulesets.hielo_y_fuego.declared import Action, Intent, Size
from rulesets.hielo_y_fuego.declaring import Desk
from rulesets.hielo_y_fuego.derived import stands_up_slowly
from rulesets.hielo_y_fuego.holds import escape, keep_pin, let_go, pin
from rulesets.hielo_y_fuego.manoeuvres import (
    disarm,
    distract,
    harass,
    knock_down,
    knock_out,
    unhorse,
)
from rulesets.hielo_y_fuego.mounted import control_mount, trample
from rulesets.hielo_y_fuego.movement import charge, move, sprint
from rulesets.hielo_y_fuego.others import (
    aim,
    assist,
    catch_breath,
    destiny,
    dodge,
    drop_prone,
    give_in,
    give_way,
    interact,
    reload,
    stand_up,
    use_ability,
)

_MINOR, _MAJOR, _NONE = Size.MINOR, Size.MAJOR, Size.NONE


def by_id(*rows: Action) -> dict[str, Action]:
    """Actions by their verb; a double id fails at import."""
    table: dict[str, Action] = {}
    for row in rows:
        if row.id in table:
            raise ValueError(row.id)
        table[row.id] = row
    return table


def _verb(id_: str, rule: str, cost: str, *fields: str, flags: Iterable[str] = ()) -> Verb:
    return Verb(id_, (*fields, "destiny"), rule, tuple(flags), cost)


# ------------------------------------------------------------------ sizes that depend


def _to_stand(desk: Desk, _: Intent) -> Size:
    """Major in heavy armour (HF-OTH-18)."""
    return _MAJOR if stands_up_slowly(desk.who) else _MINOR


def _to_load(_: Desk, intent: Intent) -> Size:
    """As the weapon says (HF-QUA-11)."""
    return _MAJOR if intent.arms.reload == "major" else _MINOR


def _to_ride(desk: Desk, _: Intent) -> Size:
    """Minor on a war-trained mount, else major (HF-OTH-09)."""
    mount = desk.fight.mount_of(desk.who)
    return _MINOR if mount is None or mount.sheet.war_trained else _MAJOR


def _to_escape(desk: Desk, _: Intent) -> Size:
    """Major from a pin, minor from a grab (HF-ATK-16, HF-ATK-17)."""
    return _MAJOR if desk.pinned else _MINOR


def _to_knock_out(desk: Desk, _: Intent) -> Size:
    """Minor, or major by option (HF-ADV-17)."""
    return _MAJOR if desk.fight.options.knock_out_kind == "major" else _MINOR


def _to_use(_: Desk, intent: Intent) -> Size:
    """As the game master has said; minor where nothing is said (HF-OTH-22)."""
    return _MAJOR if intent.declaration.get("kind") == "major" else _MINOR


# ------------------------------------------------------------------ the rows

_ARMED = (may.KNOWN_WEAPON, may.AT_HAND, may.LOADED, may.HANDY)
_MELEE = (*_ARMED, may.HAND_WEAPON)
_MOVES = (may.UNHELD, may.UPRIGHT, may.WITHIN)
_DIVIDED = (may.QUICK_ENOUGH, may.SEVERAL, may.SPLIT)
_STAGGER = ("stagger",)

ACTIONS: Final[Mapping[str, Action]] = by_id(
    Action(
        _verb("attack", "HF-ATK-04", "minor", "target", "weapon", flags=_STAGGER),
        _MINOR,
        attack,
        in_order(*_ARMED),
        attack=True,
    ),
    Action(
        _verb("grab", "HF-ATK-13", "minor", "target", "weapon"),
        _MINOR,
        attack,
        in_order(*_MELEE, may.GRABS),
        attack=True,
    ),
    Action(
        _verb("cautious_attack", "HF-ADV-05", "minor", "target", "weapon", flags=_STAGGER),
        _MINOR,
        cautious_attack,
        in_order(*_ARMED),
        attack=True,
        dice=-1,
    ),
    Action(
        _verb("knock_out", "HF-ADV-17", "minor", "target", "weapon"),
        _MINOR,
        knock_out,
        in_order(*_MELEE),
        attack=True,
        sizes=_to_knock_out,
    ),
    Action(
        _verb("assist", "HF-OTH-01", "minor", "target", "helps", "ability"),
        _MINOR,
        assist,
        in_order(may.KNOWN_ABILITY),
    ),
    Action(_verb("aim", "HF-ADV-04", "minor"), _MINOR, aim, in_order()),
    Action(_verb("knock_down", "HF-ADV-08", "minor", "target"), _MINOR, knock_down, in_order()),
    Action(_verb("distract", "HF-ADV-13", "minor", "target"), _MINOR, distract, in_order()),
    Action(
        _verb("harass", "HF-ADV-14", "minor", "target", "weapon", "push", "hazard"),
        _MINOR,
        harass,
        in_order(*_MELEE),
    ),
    Action(
        _verb("move", "HF-OTH-15", "minor", "toward", "away", "passing", "metres", "draw"),
        _MINOR,
        move,
        in_order(*_MOVES, may.KNOWN_WEAPON, may.WHOLE),
    ),
    Action(
        _verb("interact", "HF-OTH-13", "minor", "item", "draw", "take"),
        _MINOR,
        interact,
        in_order(may.KNOWN_WEAPON, may.WHOLE),
    ),
    Action(_verb("drop_prone", "HF-OTH-17", "minor"), _MINOR, drop_prone, in_order(may.STANDING)),
    Action(
        _verb("stand_up", "HF-OTH-17", "by_armour"),
        _MINOR,
        stand_up,
        in_order(may.LYING),
        sizes=_to_stand,
    ),
    Action(
        _verb("reload", "HF-QUA-11", "by_weapon", "weapon"),
        _MINOR,
        reload,
        in_order(may.KNOWN_WEAPON, may.AT_HAND),
        sizes=_to_load,
    ),
    Action(
        _verb("ride", "HF-OTH-09", "by_mount", "toward", "away", "passing", "metres", "draw"),
        _MINOR,
        move,
        in_order(*_MOVES, may.IN_THE_SADDLE, may.KNOWN_WEAPON, may.WHOLE),
        sizes=_to_ride,
    ),
    Action(
        _verb("divided_attack", "HF-ATK-05", "major", "targets", "weapon", "dice", "bonus"),
        _MAJOR,
        divided_attack,
        in_order(*_ARMED, *_DIVIDED),
        attack=True,
    ),
    Action(
        _verb("two_weapon_attack", "HF-ATK-06", "major", "target", "weapon", "off_hand"),
        _MAJOR,
        two_weapon_attack,
        in_order(*_MELEE, may.SECOND),
        attack=True,
    ),
    Action(
        _verb(
            "combined_attack",
            "HF-ATK-08",
            "major",
            "targets",
            "weapon",
            "off_hand",
            "dice",
            "bonus",
        ),
        _MAJOR,
        divided_attack,
        in_order(*_MELEE, may.SECOND, *_DIVIDED),
        attack=True,
    ),
    Action(
        _verb("reckless_attack", "HF-ADV-06", "major", "target", "weapon", flags=_STAGGER),
        _MAJOR,
        reckless_attack,
        in_order(*_MELEE),
        attack=True,
        dice=1,
    ),
    Action(
        _verb("charge", "HF-OTH-03", "major", "target", "weapon", flags=_STAGGER),
        _MAJOR,
        charge,
        in_order(*_MELEE, may.UNHELD, may.UPRIGHT),
        attack=True,
        dice=-1,
    ),
    Action(
        _verb("counterattack", "HF-ADV-07", "major", "target", "weapon"),
        _MAJOR,
        counterattack,
        in_order(*_ARMED),
        attack=True,
    ),
    Action(
        _verb("unhorse", "HF-ATK-12", "major", "target", "weapon"),
        _MAJOR,
        unhorse,
        in_order(*_MELEE, may.HOOKS),
        attack=True,
    ),
    Action(
        _verb("disarm", "HF-ADV-11", "major", "target", "weapon", "catch"),
        _MAJOR,
        disarm,
        in_order(*_MELEE),
        attack=True,
    ),
    Action(_verb("pin", "HF-ATK-14", "major"), _MAJOR, pin, in_order(may.HOLDING)),
    Action(_verb("keep_pin", "HF-ATK-15", "major"), _MAJOR, keep_pin, in_order(may.PINNING)),
    Action(
        _verb("escape", "HF-ATK-17", "by_hold"),
        _MINOR,
        escape,
        in_order(may.CAUGHT),
        sizes=_to_escape,
    ),
    Action(_verb("release", "HF-ATK-17", "none"), _NONE, let_go, in_order(may.HOLDING)),
    Action(
        _verb("sprint", "HF-OTH-04", "major", "toward", "away", "metres", "passing"),
        _MAJOR,
        sprint,
        in_order(*_MOVES),
    ),
    Action(
        _verb("dodge", "HF-OTH-11", "major", "away", "metres"), _MAJOR, dodge, in_order(*_MOVES)
    ),
    Action(_verb("pass", "HF-OTH-05", "major"), _MAJOR, give_way, in_order()),
    Action(_verb("yield", "HF-OTH-07", "major"), _MAJOR, give_in, in_order()),
    Action(_verb("catch_breath", "HF-OTH-16", "major"), _MAJOR, catch_breath, in_order()),
    Action(
        _verb("control_mount", "HF-OTH-10", "major"),
        _MAJOR,
        control_mount,
        in_order(may.IN_THE_SADDLE),
    ),
    Action(
        _verb("trample", "HF-ADV-20", "major", "targets"),
        _MAJOR,
        trample,
        in_order(may.IN_THE_SADDLE),
        attack=True,
    ),
    Action(Verb("destiny", ("use",), "HF-OTH-21", (), "none"), _NONE, destiny, in_order()),
    Action(
        _verb(
            "use_ability", "HF-OTH-22", "by_ruling", "ability", "specialty", "difficulty", "kind"
        ),
        _MINOR,
        use_ability,
        in_order(may.KNOWN_ABILITY),
        sizes=_to_use,
    ),
)

# Standing orders: every field of theirs is a clause (catalogue section 5).
ORDERS: Final[Mapping[str, Verb]] = {
    "wounds": Verb("wounds", (), "HF-DMG-02", clauses=True),
    "defeat": Verb("defeat", (), "HF-DMG-09", clauses=True),
    "fumble": Verb("fumble", (), "HF-FUM-03", clauses=True),
    "knocked_out": Verb("knocked_out", (), "HF-ADV-19", clauses=True),
}
