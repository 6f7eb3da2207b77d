"""The command line: parse arguments, call one function, print its report.

Imports are made inside the commands: ``referee --help`` must not wait for a database library.
Exit codes: 0 good; 1 the answer is "no" (problems found, evidence broken); 2 wrong usage;
3 something is missing or unreachable.
"""

import json
import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from referee.words import cli_words

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from referee.app import App
    from referee.evidence import Report
    from referee.luck import Luck
    from referee.settings import Config

NO: Final = 1
MISSING: Final = 3


def _language() -> str:
    names = ("REFEREE_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
    wanted = next((os.environ[name] for name in names if os.environ.get(name)), "")
    return "en" if wanted.casefold().startswith("en") else "es"


LANGUAGE: Final = _language()
WORDS: Final = cli_words(LANGUAGE)
HELP: Final = WORDS["help"]
OPTION: Final = WORDS["option"]
TEXT: Final = WORDS["text"]
HEAD: Final = WORDS["head"]

app = typer.Typer(
    help=HELP["app"], no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False
)
rules = typer.Typer(help=HELP["rules"], no_args_is_help=True, rich_markup_mode=None)
app.add_typer(rules, name="rules")

ConfigPath = Annotated[
    Path, typer.Option("--config", "-c", envvar="REFEREE_CONFIG", help=OPTION["config"])
]
AsJson = Annotated[bool, typer.Option("--json", help=OPTION["json"])]
ThreadKey = Annotated[str, typer.Argument(help=OPTION["thread"])]
DEFAULT_CONFIG: Final = Path("config.yaml")


# ------------------------------------------------------------------------------- printing


def say(key: str, **facts: object) -> None:
    """Print a sentence."""
    typer.echo(TEXT[key].format(**facts))


def complain(key: str, **facts: object) -> None:
    """Print a sentence to the standard error stream."""
    typer.echo(TEXT[key].format(**facts), err=True)


def clock(at: str | None, zone: "ZoneInfo") -> str:
    """A stored moment as a game's own clock shows it; a dash where there is none."""
    from babel.dates import format_datetime

    if at is None:
        return "—"
    return format_datetime(datetime.fromisoformat(at), TEXT["moment"], zone, LANGUAGE)


def print_json(data: Any) -> None:
    """Print data for a program."""
    typer.echo(json.dumps(data, ensure_ascii=False, indent=2, default=str))


def print_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table; colours only on a terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*(HEAD[head] for head in heads), show_lines=False)
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    wide = {} if sys.stdout.isatty() else {"width": 160}
    Console(**wide).print(table)  # type: ignore[arg-type] # a width or nothing


# ------------------------------------------------------------------------------- opening


def load_config(path: Path) -> "Config":
    """The config, or its problems and the end."""
    from referee.config import load
    from referee.errors import ConfigError

    if not path.exists():
        complain("config_missing", path=path)
        raise typer.Exit(MISSING)
    try:
        return load(path)
    except ConfigError as error:
        print_problems(error.problems)
        raise typer.Exit(NO) from None


def print_problems(problems: Sequence[Any]) -> None:
    """All problems of a config, one a line: file, line, what is wrong, how to mend it."""
    from referee.words import config_sentence

    complain("config_bad", count=len(problems))
    for problem in problems:
        place = problem.file + "".join(f":{n}" for n in (problem.line, problem.column) if n)
        where = f" ({problem.field})" if problem.field else ""
        typer.echo(f"  {place}{where}: {config_sentence(_language(), problem)}", err=True)


def open_app(path: Path) -> "App":
    """The referee wired from its config."""
    from referee.app import App
    from referee.errors import OperatorError

    config = load_config(path)
    try:
        return App(config)
    except OperatorError as error:
        complain(error.code, **error.facts)
        raise typer.Exit(MISSING) from None


def check_thread(config: "Config", key: str) -> None:
    """End with a sentence where the config has no such thread."""
    if key not in config.threads:
        complain("unknown_thread", thread=key, known=", ".join(config.threads) or "—")
        raise typer.Exit(2)


def run_async(call: Any) -> Any:
    """Run a coroutine to its end; warnings go to the standard error stream, never among output."""
    import asyncio
    import logging

    import structlog

    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    return asyncio.run(call)


# ------------------------------------------------------------------------------- commands


@app.command(help=HELP["init"])
def init(
    directory: Annotated[Path, typer.Argument(help=OPTION["directory"])] = Path(),
    *,
    force: Annotated[bool, typer.Option("--force", help=OPTION["force"])] = False,
) -> None:
    """Set up a folder to start from."""
    from referee.example import write_example

    target = directory / "config.yaml"
    if target.exists() and not force:
        complain("init_exists", path=target)
        raise typer.Exit(NO)
    write_example(directory)
    say("init_done", path=target)


@app.command(help=HELP["check"])
def check(
    config: ConfigPath = DEFAULT_CONFIG,
    *,
    online: Annotated[bool, typer.Option("--online", help=OPTION["online"])] = False,
    suggest: Annotated[Path | None, typer.Option("--suggest", help=OPTION["suggest"])] = None,
    as_json: AsJson = False,
) -> None:
    """Check the config, and with ``--online`` every forum."""
    from dataclasses import asdict

    from referee.checks import all_problems, online_report
    from referee.config import load
    from referee.errors import ConfigError

    if not config.exists():
        complain("config_missing", path=config)
        raise typer.Exit(MISSING)
    try:
        loaded = load(config)
        problems = all_problems(loaded, os.environ)
    except ConfigError as error:
        problems = error.problems
    if problems:
        if as_json:
            print_json({"problems": [asdict(problem) for problem in problems]})
        else:
            print_problems(problems)
        raise typer.Exit(NO)
    report = run_async(online_report(loaded)) if online or suggest else []
    if suggest is not None:
        _keep_suggestions(report, suggest)
    if as_json:
        print_json({"problems": [], "online": report})
    else:
        say("config_good", threads=len(loaded.threads), sites=len(loaded.sites))
        for row in report:
            say("online_good" if row["good"] else "online_bad", **_told(row))
            _print_look(row)
    if any(not row["good"] for row in report):
        raise typer.Exit(MISSING)


def _print_look(row: Mapping[str, Any]) -> None:
    """What was found and missed in one thread, line by line."""
    if row["login"] == "ok":
        say("online_login_good", user=row["user"])
    if row["authors"]:
        authors = ", ".join(f"{one['name']} = {one['id']}" for one in row["authors"])
        say("online_posts", posts=row["posts"], authors=authors)
        understood = sum(tag["good"] for tag in row["tags"])
        say("online_tags", good=understood, bad=len(row["tags"]) - understood)
    for tag in row["tags"]:
        if not tag["good"]:
            typer.echo(f"    ✗ {tag['words']}\n      {tag['meaning']}")
    if row["reply"]:
        key = "online_reply_good" if row["reply"]["good"] else "online_reply_bad"
        say(key, **_told(row["reply"]))
    for missed in row["missed"]:
        say("online_missed_in" if missed["of"] else "online_missed", **missed)
    _print_guesses(row)


def _print_guesses(row: Mapping[str, Any]) -> None:
    """What else might read a page that could not be read."""
    from referee.looking import adapter_for

    platform, adapter = row["platform"], adapter_for(row["platform"])
    if platform.startswith("profile:"):
        say("online_looks_like_profile", profile=platform.partition(":")[2])
    elif platform and adapter != row["adapter"]:
        say("online_looks_like" if adapter else "online_looks_like_other", platform=platform)
    for fit in row["fits"]:
        say("online_fits", **fit)
    if row["suggestion"]:
        say("online_suggestion", file=row.get("suggested_in") or "")
        if not row.get("suggested_in"):
            typer.echo(_suggested(row))
    elif row["page"] and not (row["good"] or row["posts"] or platform or row["fits"]):
        say("online_nothing")


def _suggested(row: Mapping[str, Any]) -> str:
    """A suggested profile as a file, with what is left to do above it."""
    fields = ", ".join(row["to_fill_in"])
    head = TEXT["suggestion_head"].format(page=row["page"], fields=fields)
    return "".join(f"# {line}\n" for line in head.splitlines()) + str(row["suggestion"])


def _keep_suggestions(report: Iterable[dict[str, Any]], folder: Path) -> None:
    """Write each site's suggestion to a file of its own."""
    for row in report:
        if row["suggestion"]:
            target = folder / f"{row['site']}.yaml"
            folder.mkdir(parents=True, exist_ok=True)
            target.write_text(_suggested(row), encoding="utf-8")
            row["suggested_in"] = str(target)


def _told(row: Mapping[str, Any]) -> dict[str, Any]:
    """A report's row with its error in words."""
    from referee.words import cure_sentence

    error = row.get("error") or {}
    return {**row, "error": error.get("code", ""), "cure": cure_sentence(_language(), error)}


@app.command(help=HELP["run"])
def run(config: ConfigPath = DEFAULT_CONFIG) -> None:
    """Serve until stopped."""
    from referee.daemon import serve

    referee = open_app(config)
    say("running", threads=len(referee.config.threads))
    run_async(serve(referee))
    say("stopped")


@app.command(help=HELP["once"])
def once(config: ConfigPath = DEFAULT_CONFIG, *, as_json: AsJson = False) -> None:
    """Visit each thread once."""
    from referee.daemon import once as visit_once

    referee = open_app(config)

    async def visit() -> dict[str, Any]:
        try:
            return await visit_once(referee)
        finally:
            await referee.close()

    report = run_async(visit())
    if as_json:
        print_json(report)
    else:
        for key, error in report.items():
            row = {"thread": key, "error": error}
            say("served_bad" if error else "served", **_told(row))
    if any(report.values()):
        raise typer.Exit(MISSING)


@app.command(help=HELP["status"])
def status(config: ConfigPath = DEFAULT_CONFIG, *, as_json: AsJson = False) -> None:
    """Where each thread stands."""
    from referee import reports
    from referee.deadlines import quiet_until

    referee = open_app(config)
    now = referee.world.clock.now()
    with referee.store.reading() as records:
        rows = []
        for key, thread in referee.config.threads.items():
            known = records.site(thread.site)
            table = referee.table(key, known.referee_id if known else "")
            hours = referee.config.sites[thread.site].quiet
            quiet = quiet_until(now, hours, thread.zone) if hours else None
            rows.append(reports.status(records, key, thread.site, table, now, quiet))
    if as_json:
        print_json(rows)
        return
    print_table(
        ("thread", "state", "round", "deadline", "missing", "read", "error"),
        [
            (
                row["thread"],
                WORDS["state"].get(row["state"], row["state"])
                + (f" ({WORDS['state']['quiet']})" if row["quiet_until"] else ""),
                row["round"] or "—",
                clock(row["deadline"], referee.config.threads[row["thread"]].zone),
                ", ".join(row["missing"]) or "—",
                clock(row["read"], referee.config.threads[row["thread"]].zone),
                row["error"].get("code")
                or (row["beacon"] or {}).get("error", {}).get("code")
                or ", ".join(
                    f"{post['kind']}: {post['state']}"
                    for post in (*row["unsent"], *row["moderation"])
                )
                or "—",
            )
            for row in rows
        ],
    )
    for row in rows:
        if row["beacon"]:
            _say_beacon(row)


def _say_beacon(row: Mapping[str, Any]) -> None:
    """What a round waits for, and what keeps it."""
    beacon = row["beacon"]
    say("status_beacon", thread=row["thread"], beacon=beacon["round"], due=beacon["due"])
    if beacon["error"]:
        told = _told(beacon)
        say("status_beacon_missed", error=told["error"], cure=told["cure"], retry=beacon["retry"])


@app.command(help=HELP["preview"])
def preview(
    thread: ThreadKey, config: ConfigPath = DEFAULT_CONFIG, *, as_json: AsJson = False
) -> None:
    """What would be posted now."""
    from referee.previews import preview as would_post

    referee = open_app(config)
    check_thread(referee.config, thread)
    posts = would_post(referee, thread)
    if as_json:
        print_json(posts)
        return
    if not posts:
        say("preview_nothing")
        return
    say("preview_fake")
    for post in posts:
        typer.echo(f"\n--- {post['kind']} ---\n{post['text']}")


@app.command(help=HELP["parse"])
def parse(
    thread: ThreadKey,
    file: Annotated[str, typer.Argument(help=OPTION["file"])] = "-",
    config: ConfigPath = DEFAULT_CONFIG,
    author: Annotated[str, typer.Option("--author", help=OPTION["author"])] = "",
    *,
    as_json: AsJson = False,
) -> None:
    """What the referee understands of a post."""
    from referee.previews import understood

    referee = open_app(config)
    check_thread(referee.config, thread)
    text = _read_text(file)
    rows = understood(referee, thread, text, author)
    if as_json:
        print_json(rows)
    elif not rows:
        say("no_tags")
    else:
        for row in rows:
            mark = "✓" if row["good"] else "✗"
            typer.echo(f"{mark} {row['words']}\n    {row['meaning']}")
    if any(not row["good"] for row in rows):
        raise typer.Exit(NO)


def _read_text(file: str) -> str:
    if file == "-":
        return sys.stdin.read()
    path = Path(file)
    if not path.is_file():
        complain("config_missing", path=path)
        raise typer.Exit(MISSING)
    return path.read_text(encoding="utf-8")


@app.command(help=HELP["gm"])
def gm(
    thread: ThreadKey,
    words: Annotated[list[str], typer.Argument(help=OPTION["words"])],
    config: ConfigPath = DEFAULT_CONFIG,
    wait: Annotated[float, typer.Option("--wait", min=0, max=600, help=OPTION["wait"])] = 10.0,
    *,
    as_json: AsJson = False,
) -> None:
    """Give a command as the game master."""
    from referee.orders import give

    referee = open_app(config)
    check_thread(referee.config, thread)
    given = give(referee, thread, " ".join(words), wait_s=wait)
    if as_json:
        print_json(given)
    elif given["problem"]:
        typer.echo(given["problem"], err=True)
    elif given["done"]:
        typer.echo(given["answer"] or TEXT["done"])
    else:
        say("queued" if wait == 0 else "no_answer")
    if given["problem"]:
        raise typer.Exit(NO)


@app.command("log", help=HELP["log"])
def show_log(  # noqa: PLR0913 # an argument a filter
    thread: ThreadKey,
    config: ConfigPath = DEFAULT_CONFIG,
    kind: Annotated[list[str] | None, typer.Option("--kind", help=OPTION["kind"])] = None,
    by: Annotated[str, typer.Option("--by", help=OPTION["author"])] = "",
    number: Annotated[int | None, typer.Option("--round", help=OPTION["only_round"])] = None,
    about: Annotated[str, typer.Option("--about", help=OPTION["about"])] = "",
    *,
    rolls: Annotated[bool, typer.Option("--rolls", help=OPTION["rolls"])] = False,
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help=OPTION["csv"])] = False,
) -> None:
    """A thread's log."""
    from referee import reports

    referee = open_app(config)
    check_thread(referee.config, thread)
    wanted = reports.Wanted(kind or (), by, number, about)
    with referee.store.reading() as records:
        read = reports.roll_rows if rolls else reports.log_rows
        rows = read(records, thread, wanted)
    if as_json:
        print_json(rows)
        return
    if rolls:
        names: tuple[str, ...] = ("number", "at", "round", "label", "faces", "against", "parts")
        heads: tuple[str, ...] = ("when", "round", "roll", "dice", "target", "parts")
        told = [(row["number"], *_roll_cells(row)) for row in rows]
    else:
        names = ("number", "at", "kind", "by", "round", "facts")
        heads = ("when", "kind", "by", "round", "what")
        told = [(row["number"], *_log_cells(row)) for row in rows]
    if as_csv:
        print_csv(names, told)
    else:
        print_table(heads, [(str(row[1])[:19], *row[2:]) for row in told])


def print_csv(names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows for a spreadsheet."""
    import csv

    writer = csv.writer(sys.stdout)
    writer.writerow(names)
    writer.writerows(rows)


def _log_cells(row: Mapping[str, Any]) -> tuple[object, ...]:
    from referee.reports import summary

    return row["at"], row["kind"], row.get("by", ""), row["round_number"] or "", summary(row)


def _roll_cells(row: Mapping[str, Any]) -> tuple[object, ...]:
    faces = ", ".join(map(str, row["faces"])) + (f" ({TEXT['set']})" if row["set"] else "")
    against = "" if row["against"] is None else row["against"]
    return row["at"], row["round_number"] or "", row["label"], faces, against, row["parts"]


@app.command(help=HELP["show"])
def show(
    thread: ThreadKey,
    number: Annotated[int | None, typer.Argument(help=OPTION["round"])] = None,
    config: ConfigPath = DEFAULT_CONFIG,
    *,
    as_json: AsJson = False,
) -> None:
    """A whole round."""
    from referee import reports

    referee = open_app(config)
    check_thread(referee.config, thread)
    with referee.store.reading() as records:
        found = reports.find_round(records, thread, number)
        report = None if found is None else reports.round_report(records, found)
    if report is None:
        complain("no_rounds", thread=thread)
        raise typer.Exit(NO)
    if as_json:
        print_json(report)
        return
    typer.echo(
        f"{HEAD['round']} {report['round']}: {WORDS['state'].get(report['state'], report['state'])}"
    )
    print_table(
        ("name", "tag", "post"),
        [(c["actor"], " ".join(c["words"]), c["post_id"]) for c in report["claims"]],
    )
    for one in report["missing"]:
        say("show_missing", **one)
    for one in report["amendments"]:
        say("show_amended", by=one["by"], post=one["post_id"], words=" ".join(one["tags"]))
    for one in report["questions"]:
        say("show_question", code=one["code"], answer=one["answer"] or "—", by=one["by"] or "—")
    for one in report["changed_after_lock"]:
        say(f"show_{one['kind']}", **one)
    print_table(
        ("roll", "dice", "target", "parts"),
        [
            (
                roll["label"],
                ", ".join(str(face) for face in roll["faces"]),
                roll.get("against", roll.get("plus", {})).get("value", ""),
                reports.parts_text(roll.get("against", roll.get("plus", {}))),
            )
            for roll in report["rolls"]
        ],
    )
    for event in report["events"]:
        facts = " ".join(f"{k}={v}" for k, v in event.items() if k != "type")
        typer.echo(f"  {event['type']} {facts}")


@app.command(help=HELP["verify"])
def verify(
    sources: Annotated[list[str], typer.Argument(help=OPTION["source"])],
    referee_id: Annotated[
        list[str] | None, typer.Option("--referee-id", help=OPTION["referee_id"])
    ] = None,
    *,
    dice: Annotated[bool, typer.Option("--dice", help=OPTION["dice"])] = False,
    as_json: AsJson = False,
) -> None:
    """Check a thread's dice from its posts alone: no config, no database."""
    from referee.evidence import signature_checker
    from referee.evidence import verify as check_evidence
    from referee.sources import SourceError, read_posts

    try:
        posts = run_async(read_posts(sources, sys.stdin))
    except SourceError as error:
        complain("config_missing", path=error.source)
        raise typer.Exit(MISSING) from None
    report = check_evidence(posts, tuple(referee_id or ()), signature_checker())
    if as_json:
        print_json(report.as_json())
    else:
        print_report(report, dice=dice)
    raise typer.Exit({"holds": 0, "incomplete": MISSING}.get(report.verdict, NO))


def print_report(report: "Report", *, dice: bool) -> None:
    """What verification found: with ``dice`` also every die and every declaration."""
    from referee.words import finding_sentence

    if dice:
        print_table(
            ("post", "seed", "roll", "dice", "derived", "state"),
            [
                (
                    roll.post_id,
                    roll.seed,
                    roll.label,
                    ", ".join(map(str, roll.faces)),
                    ", ".join(map(str, roll.derived)) or "—",
                    WORDS["checked"][roll.state],
                )
                for roll in report.rolls
            ],
        )
        print_table(
            ("post", "by", "tag", "state"),
            [(w.post_id, w.author_id, w.words, WORDS["checked"][w.state]) for w in report.words],
        )
    for finding in report.findings:
        typer.echo(f"  {finding.post_id or '—'}: {finding_sentence(_language(), finding)}")
    facts = {
        "dice": sum(len(roll.faces) for roll in report.rolls if roll.state == "holds"),
        "commits": sum(1 for seed in report.seeds if seed.state == "holds"),
    }
    if not report.blocks:
        say("verify_nothing")
    else:
        key = {"holds": "verify_good", "incomplete": "verify_incomplete"}
        say(key.get(report.verdict, "verify_broken"), **facts)


@app.command(help=HELP["page"])
def page(
    file: Annotated[Path, typer.Argument(help=OPTION["page"])] = Path("verify.html"),
    *,
    force: Annotated[bool, typer.Option("--force", help=OPTION["force"])] = False,
) -> None:
    """Write out the web page that checks dice from pasted text."""
    from referee.data import Data

    if file.exists() and not force:
        complain("init_exists", path=file)
        raise typer.Exit(NO)
    file.write_text(Data().page("verify.html"), encoding="utf-8")
    say("page_done", path=file)


@app.command(help=HELP["audit"])
def audit(
    thread: Annotated[str | None, typer.Argument(help=OPTION["thread"])] = None,
    config: ConfigPath = DEFAULT_CONFIG,
    *,
    as_json: AsJson = False,
) -> None:
    """Play every round again from the log."""
    from referee.audits import audit_thread

    referee = open_app(config)
    keys = [thread] if thread else list(referee.config.threads)
    for key in keys:
        check_thread(referee.config, key)
    reports = [audit_thread(referee, key) for key in keys]
    if as_json:
        print_json(reports)
    else:
        for report in reports:
            print_audit(report)
    end_audit(reports)


def print_audit(report: Mapping[str, Any]) -> None:
    """What playing again has found."""
    say("audit_good" if report["good"] else "audit_bad", **report)
    if report["beacons_unchecked"]:
        say("audit_beacons_unchecked", count=report["beacons_unchecked"])
    played = {json.dumps(one["played"]): one for one in report["unplayed"]}
    for one in played.values():
        say("audit_version_differs", **_editions(one), count=len(report["unplayed"]))


def _editions(one: Mapping[str, Any]) -> dict[str, str]:
    return {
        side: "{ruleset} {version} ({short})".format(**one[side], short=one[side]["tables"][:8])
        for side in ("played", "installed")
    }


def end_audit(reports: Sequence[Mapping[str, Any]]) -> None:
    """End with what the audits say: 1 where something differs, 3 where other rules are needed."""
    if any(not report["good"] for report in reports):
        raise typer.Exit(NO)
    if any(report["unplayed"] for report in reports):
        raise typer.Exit(MISSING)


@app.command(help=HELP["export"])
def export(
    thread: ThreadKey,
    fight: Annotated[int | None, typer.Argument(help=OPTION["fight"])] = None,
    config: ConfigPath = DEFAULT_CONFIG,
    output: Annotated[Path | None, typer.Option("--output", "-o", help=OPTION["output"])] = None,
) -> None:
    """Write a fight as one file."""
    from referee.exports import ExportError, export_fight

    referee = open_app(config)
    check_thread(referee.config, thread)
    try:
        content = export_fight(referee, thread, fight)
    except ExportError as error:
        complain(f"export_{error.code}", **error.facts)
        raise typer.Exit(MISSING) from None
    if output is None:
        sys.stdout.buffer.write(content)
        return
    output.write_bytes(content)
    say("export_done", path=output)


@app.command(help=HELP["replay"])
def replay(
    file: Annotated[Path, typer.Argument(help=OPTION["export_file"])],
    *,
    as_json: AsJson = False,
) -> None:
    """Play an exported fight again: no config, no database."""
    from referee.exports import ExportError, replay_file

    if not file.is_file():
        complain("config_missing", path=file)
        raise typer.Exit(MISSING)
    try:
        retold = replay_file(file.read_bytes(), os.environ.get("REFEREE_LANG", ""))
    except ExportError as error:
        complain(f"export_{error.code}", **error.facts)
        raise typer.Exit(NO) from None
    if as_json:
        print_json({**retold.report, "told": list(retold.rounds)})
    else:
        for text in retold.rounds:
            typer.echo(f"{text}\n")
        print_audit(retold.report)
    end_audit([retold.report])


@app.command(help=HELP["restore"])
def restore(
    thread: ThreadKey,
    sources: Annotated[list[str] | None, typer.Argument(help=OPTION["restore_source"])] = None,
    config: ConfigPath = DEFAULT_CONFIG,
    *,
    as_json: AsJson = False,
) -> None:
    """Build a lost database anew from the thread."""
    from adapters.errors import AdapterError
    from referee.restores import NotEmptyError, NothingToRestoreError, read_thread
    from referee.restores import restore as rebuild
    from referee.sources import SourceError, read_posts

    referee = open_app(config)
    check_thread(referee.config, thread)

    async def posts() -> Any:
        try:
            return await (
                read_posts(sources, sys.stdin) if sources else read_thread(referee, thread)
            )
        finally:
            await referee.close()

    try:
        report = rebuild(referee, thread, run_async(posts()))
    except (AdapterError, SourceError) as error:
        complain("restore_unread", error=error)
        raise typer.Exit(MISSING) from None
    except NotEmptyError:
        complain("restore_not_empty", thread=thread)
        raise typer.Exit(NO) from None
    except NothingToRestoreError:
        complain("verify_nothing")
        raise typer.Exit(MISSING) from None
    if as_json:
        print_json(report)
    else:
        say("restored", thread=thread, rounds=report["rounds"])
        for one in report["differs"]:
            say(f"restored_{one['what']}", round=one["round"])
        say("restored_lost", count=len(report["lost"]), seeds=", ".join(report["lost"]) or "—")
        say("restored_next", thread=thread, successor=report["successor"], config=config)
        typer.echo("\n" + textwrap.indent(report["section"], "  "))
        if report["dropped"]:
            say("restored_dropped", fields=", ".join(report["dropped"]))
    if report["differs"]:
        raise typer.Exit(NO)


@app.command(help=HELP["luck"])
def luck(
    thread: ThreadKey,
    config: ConfigPath = DEFAULT_CONFIG,
    player: Annotated[str, typer.Option("--player", help=OPTION["player"])] = "",
    die: Annotated[int, typer.Option("--die", min=0, help=OPTION["die"])] = 0,
    plot: Annotated[Path | None, typer.Option("--plot", help=OPTION["plot"])] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """What the dice have shown, beside what chance leads one to expect."""
    from referee import luck as lucks

    referee = open_app(config)
    check_thread(referee.config, thread)
    rows = [
        row
        for row in lucks.thread_luck(referee, thread)
        if player in ("", row.player, row.character) and die in (0, row.sides)
    ]
    names = [" · ".join([*_whose(row), f"d{row.sides} ({row.rolled})"]) for row in rows]
    if plot is not None and rows:
        title = TEXT["luck_title"].format(thread=thread)
        _draw(plot, lucks.as_svg(rows, title, names, TEXT["luck_plot_note"]))
    if as_json:
        print_json([row.as_json() for row in rows])
        return
    if not rows:
        say("luck_none")
        return
    print_table(
        ("player", "name", "die", "count", "mean", "expected", "faces", "chance"),
        [
            (
                row.player or TEXT["everybody"],
                row.character or "—",
                f"d{row.sides}",
                row.rolled,
                f"{row.mean:.2f}",
                f"{row.expected_mean:.1f}",
                row.sparkline,
                f"{row.fairness.p:.3f}{'*' if row.fairness.simulated else ''}",
            )
            for row in rows
        ],
    )
    say("luck_caveat", tests=len(rows), by_chance=f"{len(rows) / 20:.1f}")
    odd = lucks.suspicious(rows)
    for name, row in zip(names, rows, strict=True):
        if row in odd:
            say("luck_odd", name=name, p=f"{row.fairness.p:.5f}")
    if not odd:
        say("luck_plain")
    if plot is not None:
        say("luck_drawn", path=plot)


def _whose(row: "Luck") -> list[str]:
    return [name for name in (row.player, row.character) if name] or [TEXT["everybody"]]


def _draw(path: Path, svg: str) -> None:
    """Write a plot as its file name asks; PNG needs the extra ``png``."""
    if path.suffix.lower() != ".png":
        path.write_text(svg, encoding="utf-8")
        return
    try:
        import resvg_py
    except ImportError:
        complain("png_missing")
        raise typer.Exit(MISSING) from None
    path.write_bytes(bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=2)))


@app.command(help=HELP["secrets"])
def secrets(
    thread: ThreadKey, config: ConfigPath = DEFAULT_CONFIG, *, as_json: AsJson = False
) -> None:
    """Secret rolls and what they show."""
    from referee.hidden import secrets_of

    referee = open_app(config)
    check_thread(referee.config, thread)
    with referee.store.reading() as records:
        rows = secrets_of(records, thread)
    if as_json:
        print_json(rows)
    elif not rows:
        say("nothing_to_show")
    else:
        print_table(
            ("roll", "dice", "faces", "count", "what", "state"),
            [
                (
                    row["secret"],
                    row["expression"],
                    ", ".join(map(str, row["faces"])),
                    row["total"],
                    row["reason"],
                    TEXT["secret_open" if row["open"] else "secret_closed"],
                )
                for row in rows
            ],
        )


@app.command(help=HELP["demo"])
def demo(
    keep: Annotated[Path | None, typer.Option("--keep", help=OPTION["keep"])] = None,
) -> None:
    """A prepared duel, resolved by the real daemon."""
    from referee.demo import play, thread_folder

    folder, posts = run_async(play(keep))
    thread = thread_folder(folder)
    say("demo_intro", folder=thread)
    for post in posts:
        text = (thread / f"{post.post_id}.md").read_text(encoding="utf-8")
        typer.echo(f"\n{'─' * 72}\n{post.author_name} · {post.post_id}\n{'─' * 72}\n{text}")
    program = "referee" if shutil.which("referee") else sys.argv[0]
    say(
        "demo_next",
        program=program,
        example=thread / "0099-lucia.md",
        config=folder / "config.yaml",
        posts=thread,
    )


@rules.command("check", help=HELP["rules_check"])
def rules_check(
    files: Annotated[list[Path], typer.Argument(help=OPTION["files"])],
    *,
    as_json: AsJson = False,
) -> None:
    """Run scenario files."""
    from referee.scenarios import run_file

    results = [result for file in files for result in run_file(file)]
    failed = [result for result in results if not result.passed]
    if as_json:
        print_json([{"id": r.id, "passed": r.passed, "diff": r.diff} for r in results])
    else:
        for result in failed:
            typer.echo(result.diff)
        say(
            "scenarios_bad" if failed else "scenarios_good",
            failed=len(failed),
            total=len(results),
            passed=len(results) - len(failed),
        )
    if failed:
        raise typer.Exit(NO)


@rules.command("list", help=HELP["rules_list"])
def rules_list(*, as_json: AsJson = False) -> None:
    """Rulesets that the referee knows."""
    from rulesets.registry import RULESETS

    rows = [
        {"ruleset": game.id, "version": game.version, "actions": len(game.actions)}
        for game in RULESETS
    ]
    if as_json:
        print_json(rows)
    else:
        for row in rows:
            typer.echo(f"{row['ruleset']} {row['version']}")


@rules.command("help", help=HELP["rules_help"])
def rules_help(
    ruleset: Annotated[str, typer.Argument(help=OPTION["ruleset"])],
    topic: Annotated[str, typer.Argument(help=OPTION["part"])] = "",
) -> None:
    """A ruleset's player's sheet."""
    from referee.previews import reference_text

    typer.echo(reference_text(ruleset, _language(), topic))
