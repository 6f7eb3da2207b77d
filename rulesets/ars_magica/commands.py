"""The game's own commands of the game master (catalogue section 7)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from rulesets.ars_magica import horses
from rulesets.ars_magica.elements import Accident, befall, fall_total
from rulesets.ars_magica.events import Recover, SceneEnded, Wound
from rulesets.ars_magica.fight import Fight
from rulesets.ars_magica.magic import concentrate
from rulesets.ars_magica.modifiers import sum_of, trait
from rulesets.ars_magica.rolls import stress
from rulesets.ars_magica.turn import Round
from rulesets.ars_magica.wounds import suffer
from rulesets.core.declarations import Declaration, Kind
from rulesets.core.modifiers import Modifier, Total
from rulesets.core.questions import Rejection
from rulesets.core.ruleset import Verb

COMMANDS: Final[Mapping[str, Verb]] = {
    row.id: row
    for row in (
        Verb("damage", ("character", "source", "part", "moment"), "AM-ELE-01"),
        Verb("fall", ("character", "metres", "surface", "moment"), "AM-ELE-13"),
        Verb("panic", ("character", "moment"), "AM-MNT-27"),
        Verb("distraction", ("character", "difficulty", "moment"), "AM-RND-11"),
        Verb("recovery", ("character", "bruise", "healer", "magic", "moment"), "AM-NLC-07"),
        Verb("scene_end", ("moment",), "AM-DMG-14"),
    )
}
MOST: Final = 1_000


# ------------------------------------------------------------------ checking


def weigh_commands(
    fight: Fight, declarations: Sequence[Declaration]
) -> tuple[tuple[Declaration, ...], list[Rejection]]:
    """Commands that can be carried out, and what is wrong with the others."""
    accepted: list[Declaration] = []
    rejections: list[Rejection] = []
    for declaration in declarations:
        if declaration.kind is not Kind.COMMAND or declaration.verb not in COMMANDS:
            continue
        refusal = _wrong(fight, declaration)
        if refusal is None:
            accepted.append(declaration)
        else:
            rejections.append(refusal)
    return tuple(accepted), rejections


def _wrong(fight: Fight, declaration: Declaration) -> Rejection | None:
    rule = COMMANDS[declaration.verb].rule
    if declaration.verb == "scene_end":
        return None
    name = fight.find(declaration.get("character"))
    if not name:
        facts = {"given": declaration.get("character"), "candidates": tuple(fight.cast)}
        return Rejection("unknown_target", declaration, rule, facts)
    if declaration.verb == "panic" and not fight.cast[name].sheet.creature:
        return Rejection("not_mounted", declaration, rule, {"given": name})
    wrong = _bad_field(fight, declaration, name)
    return None if wrong is None else Rejection("bad_value", declaration, rule, wrong)


def _bad_field(fight: Fight, declaration: Declaration, name: str) -> Mapping[str, object] | None:
    """The facts of a field that cannot be used, or None."""
    choices = [*_choices(fight, declaration.verb)]
    if declaration.verb == "recovery":
        choices.append(("bruise", tuple(fight.cast[name].bruises)))
    for field, allowed in choices:
        given = declaration.get(field)
        if given not in allowed:
            told = tuple(choice for choice in allowed if choice)
            return {"field": field, "given": given, "candidates": told}
    for field in _NUMBERS.get(declaration.verb, ()):
        given = declaration.get(field)
        number = _number(given or ("0" if field == "magic" else ""))
        if number is None or not 0 <= number <= MOST:
            return {"field": field, "given": given, "expected": f"0..{MOST}"}
    return None


_NUMBERS: Final[Mapping[str, tuple[str, ...]]] = {
    "fall": ("metres",),
    "distraction": ("difficulty",),
    "recovery": ("magic",),
}


def _choices(fight: Fight, verb: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Fields that take one of some ids."""
    tables = fight.tables
    match verb:
        case "damage":
            return (("source", tuple(tables.elements)), ("part", ("", *tables.parts)))
        case "fall":
            return (("surface", ("", *tables.surfaces)),)
    return ()


def _number(text: str) -> int | None:
    bare = text.strip().removeprefix("+")
    return int(bare) if bare.isascii() and bare.isdigit() and len(bare) < 6 else None


# ------------------------------------------------------------------ carrying out


def carry_out(rnd: Round, declaration: Declaration) -> None:
    """Do what the game master has ordered."""
    _DEEDS[declaration.verb](rnd, declaration)


def _whom(rnd: Round, declaration: Declaration) -> str:
    return rnd.fight.find(declaration.get("character"))


def _damage(rnd: Round, declaration: Declaration) -> None:
    """Fire, cold, corrosion, impacts (AM-ELE-01 to AM-ELE-12)."""
    element = rnd.tables.elements[declaration.get("source")]
    part = declaration.get("part")
    parts = [Modifier(element.bonus, "element", element.rule)]
    if element.kind != "impact":
        part = part or "whole_body"
        parts.append(Modifier(rnd.tables.parts[part].times, "body_part", "AM-ELE-05", "times"))
    _befalls(
        rnd,
        _whom(rnd, declaration),
        Accident(Total(tuple(parts)), element.kind, part, element.rule),
    )


def _fall(rnd: Round, declaration: Declaration) -> None:
    """From a height (AM-ELE-13)."""
    metres = _number(declaration.get("metres")) or 0
    against = fall_total(rnd, metres, declaration.get("surface") or "earth")
    _befalls(rnd, _whom(rnd, declaration), Accident(against, "impact", "", "AM-ELE-13"))


def _befalls(rnd: Round, name: str, accident: Accident) -> None:
    if rnd.who(name).dead:
        return
    level = befall(rnd, name, accident)
    if level:
        horses.wounded(rnd, name, level)


def _panic(rnd: Round, declaration: Declaration) -> None:
    """Magic, great flames, beings of another world (AM-MNT-27)."""
    horses.panic(rnd, _whom(rnd, declaration))


def _distraction(rnd: Round, declaration: Declaration) -> None:
    """Something else than an attack (AM-RND-11)."""
    name = _whom(rnd, declaration)
    if rnd.who(name).extended is not None:
        concentrate(rnd, name, _number(declaration.get("difficulty")) or 0, "AM-RND-11")


def _recovery(rnd: Round, declaration: Declaration) -> None:
    """A bruise heals, or turns into its residual wound (AM-NLC-07, AM-NLC-08)."""
    name = _whom(rnd, declaration)
    bruise = declaration.get("bruise")
    who = rnd.who(name)
    if not who.bruises.get(bruise):
        return
    row = rnd.tables.levels["dead" if bruise == "fatal" else bruise]
    healer = rnd.fight.find(declaration.get("healer"))
    care = rnd.who(healer).score("chirurgy") if healer else 0
    magic = _number(declaration.get("magic") or "0") or 0
    rolled = stress(
        rnd,
        name,
        "recovery",
        sum_of(
            trait(who, "stamina", "AM-NLC-07"),
            Modifier(care, "healer", "AM-NLC-07") if care else None,
            Modifier(magic, "magic", "AM-NLC-07") if magic else None,
        ),
    )
    healed = rolled.total >= row.ease and not rolled.zeros
    rnd.emit(
        Recover(
            actor=name,
            level=bruise,
            total=rolled.total,
            ease=row.ease,
            result="success" if healed else rolled.result or "failure",
            residual=row.residual if healed else "",
            label=rolled.label,
            die=rolled.die,
            limit=rolled.limit,
            rule="AM-NLC-07",
        )
    )
    if healed and row.residual:
        suffer(rnd, name, row.residual, "wound", cause="bruise", rule="AM-NLC-08")


def _scene_end(rnd: Round, _: Declaration) -> None:
    """Minor bleedings tell, and the fight is over (AM-DMG-14)."""
    for who in list(rnd.fight.cast.values()):
        minor = sum(one.level == "minor" for one in who.bleeding)
        for _each in range(0 if who.dead else minor):
            rnd.emit(
                Wound(
                    target=who.name,
                    level="light",
                    kind="wound",
                    cause="bleeding",
                    rule="AM-DMG-14",
                )
            )
    rnd.emit(SceneEnded(rule="AM-DMG-14"))


_DEEDS: Final[Mapping[str, Callable[[Round, Declaration], None]]] = {
    "damage": _damage,
    "fall": _fall,
    "panic": _panic,
    "distraction": _distraction,
    "recovery": _recovery,
    "scene_end": _scene_end,
}
