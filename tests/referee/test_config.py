"""config.yaml becomes frozen values, or all its problems at once."""

import os
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import FrozenInstanceError, dataclass
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any, Literal, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from referee.checking import MAX_PROBLEMS
from referee.config import Config, Platform, check_fight, load, missing_secrets
from referee.data import Data
from referee.deadlines import DeadlinePolicy, Hours, Length, next_deadline
from referee.documents import MAX_BYTES, read_yaml
from referee.errors import ConfigError, ConfigProblem, SecretMissingError
from referee.glossary import Glossary
from referee.reload import Reloader
from referee.settings import Person, Policies
from rulesets.core.questions import SetupError, SetupProblem
from rulesets.core.ruleset import Ruleset, Setup

CANARY = "hunter2-canario"


class Shelf:
    """A platform without options; ``checkpoint`` is none, since no text file can hold it."""

    platform = "folder"

    def __init__(self, url: str, *, checkpoint: Callable[[str], None] | None = None) -> None: ...


class Board:
    """A platform with two options."""

    platform = "phpbb"

    def __init__(
        self,
        url: str,
        *,
        spoilers: Literal["spoiler", ""] = "",
        min_form_age_s: float = 1.1,
        checkpoint: Callable[[str], None] | None = None,
    ) -> None: ...


PLATFORMS = cast("list[Platform]", [Shelf, Board])


@dataclass(frozen=True)
class Duel:
    """A game that knows little: strength, three skills, a light and a switch."""

    id: str = "duel"

    def read_tables(self, raw: Mapping[str, Any]) -> Mapping[str, Any]:
        refuse(
            SetupProblem(("weapons", name, "damage"), "wrong_type", row["damage"], "NdS")
            for name, row in raw.get("weapons", {}).items()
            if "D" not in row["damage"]
        )
        return raw

    def new_fight(self, setup: Setup, tables: object) -> Setup:
        assert isinstance(tables, Mapping)
        refuse([*self.wrong(setup)])
        return setup

    def wrong(self, setup: Setup) -> Iterator[SetupProblem]:
        for member in setup.cast:
            path = (member.name, "sheet")
            yield from unknown(path, member.sheet, "strength", "skills")
            skills = member.sheet.get("skills", {})
            yield from unknown((*path, "skills"), skills, "swords", "maces", "shields")
            strength = member.sheet.get("strength", 10)
            if not isinstance(strength, int):
                yield SetupProblem((*path, "strength"), "wrong_type", strength, "integer")
            elif not 1 <= strength <= 20:
                yield SetupProblem((*path, "strength"), "out_of_range", strength, "1..20")
        yield from unknown(("scene",), setup.scene, "light")
        yield from unknown(("options",), setup.options, "strict")
        strict = setup.options.get("strict", False)
        if not isinstance(strict, bool):
            yield SetupProblem(("options", "strict"), "wrong_type", strict, "boolean")


def unknown(path: tuple[str, ...], given: object, *names: str) -> Iterator[SetupProblem]:
    for key in given if isinstance(given, Mapping) else ():
        if key not in names:
            yield SetupProblem((*path, key), "unknown_key", key, "", names)


def refuse(problems: Iterable[SetupProblem]) -> None:
    if found := tuple(problems):
        raise SetupError(found)


# Two games: one of them with tables, for which the real tables of Aquelarre stand in.
GAMES = cast("list[Ruleset]", [Duel(), Duel("aquelarre")])

MINIMAL = """\
sites:
  mesa: {adapter: folder, base_url: posts, username: árbitro}
threads:
  molino:
    site: mesa
    topic: molino
    ruleset: duel
    gm: narradora
    cast:
      Lope: {player: lucia, sheet: {strength: 12}}
      Bandido: {npc: true, count: 2}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the config is read, with what the configs of these tests name."""
    (tmp_path / "posts").mkdir()
    (tmp_path / "ficha.yaml").write_text("strength: 12\n")
    (tmp_path / "rota.yaml").write_text("skills:\n\tswords: 40\n")
    (tmp_path / "lista.yaml").write_text("- 1\n")
    (tmp_path / "vacia.yaml").write_text("# nada\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(text: str) -> Config:
    Path("config.yaml").write_text(text)
    return load(Path("config.yaml"), platforms=PLATFORMS, games=GAMES)


def problems(text: str) -> tuple[ConfigProblem, ...]:
    with pytest.raises(ConfigError) as caught:
        read(text)
    return caught.value.problems


def broken() -> list[Any]:
    path = Path(__file__).with_name("broken_configs.yaml")
    document = read_yaml(path, path.name)
    assert not document.problems
    return [pytest.param(case, id=case["about"]) for case in document.root]


def told(case: Any, folder: Path) -> tuple[ConfigProblem, ...]:
    if "sheet" in case:
        (folder / "ficha.yaml").write_text(case["sheet"])
    return problems(case["config"])


@pytest.mark.parametrize("case", broken())
def test_every_problem_is_named_with_its_place_and_cure(case: Any, folder: Path) -> None:
    found = told(case, folder)

    named = [
        {key: problem.facts[key] for key in expected}
        for problem, expected in zip(found, case["problems"], strict=False)
    ]
    assert named == [dict(expected) for expected in case["problems"]]
    assert len(found) == len(case["problems"]), found[len(named) :]
    assert all(problem.file for problem in found)


@pytest.mark.parametrize("case", broken())
@pytest.mark.parametrize("lang", ["es", "en"])
def test_every_problem_is_said_in_full_sentences(case: Any, lang: str, folder: Path) -> None:
    environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False)
    messages = Data().messages(lang)

    for problem in told(case, folder):
        said = environment.from_string(messages["config"][problem.code]).render(problem.facts)

        assert said.endswith((".", "?")), said
        assert not [gap for gap in ("«»", "“”", "  ", " .", ": .") if gap in said], said


# ---------------------------------------------------------------------- what a good one becomes


@pytest.mark.usefixtures("folder")
def test_a_minimal_thread_takes_ten_lines_and_has_sensible_policies() -> None:
    assert len(MINIMAL.splitlines()) <= 11

    thread = read(MINIMAL).threads["molino"]

    assert thread.policies == Policies()
    assert thread.gm == (Person("narradora"),)
    assert [member.name for member in thread.cast] == ["Lope", "Bandido 1", "Bandido 2"]
    assert [member.side for member in thread.cast] == ["players", "foes", "foes"]
    assert thread.character("Bandido 2").listed_as == "Bandido"
    with pytest.raises(KeyError):
        thread.character("bandido 2")


def test_paths_are_beside_the_config_and_not_where_the_daemon_was_started(folder: Path) -> None:
    (folder / "otra").mkdir()
    config = read(MINIMAL + "log: {file: var/log.jsonl}\ntemplates: otra\n")

    assert config.path == Path("config.yaml")
    assert config.database.url({}) == f"sqlite:///{folder}/var/referee.db"
    assert config.sites["mesa"].base_url == str(folder / "posts")
    assert config.log.file == folder / "var/log.jsonl"
    assert config.templates == folder / "otra"


@pytest.mark.usefixtures("folder")
def test_values_are_frozen() -> None:
    config = read(MINIMAL)

    with pytest.raises(FrozenInstanceError):
        config.language = "en"
    with pytest.raises(TypeError):
        config.threads["molino"] = config.threads["molino"]


@pytest.mark.usefixtures("folder")
def test_policies_come_from_the_character_then_the_thread_then_the_file() -> None:
    config = read(
        """\
policies: {missing: defend, questions: ask, order: strict, hold_back: 5 min}
sites: {mesa: {adapter: folder, base_url: posts}}
threads:
  uno:
    site: mesa
    topic: uno
    ruleset: duel
    gm: ana
    policies: {missing: nothing, order: free}
    cast:
      Lope: {player: lucia, policies: {missing: wait}}
      Ana: {player: ana}
"""
    )
    thread = config.threads["uno"]

    assert (thread.policies.missing, thread.policies.order) == ("nothing", "free")
    assert thread.policies.hold_back == timedelta(minutes=5)
    assert [member.missing for member in thread.cast] == ["wait", "nothing"]
    assert [member.questions for member in thread.cast] == ["ask", "ask"]


@pytest.mark.usefixtures("folder")
def test_a_deadline_is_laid_over_the_files_part_by_part() -> None:
    config = read(
        "policies: {deadline: {length: 3 días, at: 21:00, days: lunes-viernes, quiet: 23-8}}\n"
        + MINIMAL
        + "    policies: {deadline: {length: 24h, days: [sábado], grace: 1h}}\n"
    )

    assert config.threads["molino"].policies.deadline == DeadlinePolicy(
        length=Length(seconds=24 * 3600),
        at=time(21),
        weekdays=frozenset({5}),
        quiet=Hours(time(23), time(8)),
        grace=Length(seconds=3600),
    )


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("48h", DeadlinePolicy(length=Length(seconds=48 * 3600))),
        ("3 días", DeadlinePolicy(length=Length(days=3))),
        ("never", None),
        ("nunca", None),
        ("{never: true}", None),
        ("{at: 21:00}", DeadlinePolicy(length=Length(seconds=12 * 3600), at=time(21))),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_deadline_has_short_forms(written: str, expected: DeadlinePolicy | None) -> None:
    config = read(MINIMAL + f"    policies: {{deadline: {written}}}\n")

    assert config.threads["molino"].policies.deadline == expected


@pytest.mark.usefixtures("folder")
def test_a_thread_can_have_a_deadline_where_the_file_has_none() -> None:
    config = read(
        "policies: {deadline: never}\n" + MINIMAL + "    policies: {deadline: {quiet: 23-8}}\n"
    )
    deadline = config.threads["molino"].policies.deadline

    assert deadline is not None
    assert deadline.length == Length(seconds=48 * 3600)
    assert deadline.quiet == Hours(time(23), time(8))


@pytest.mark.usefixtures("folder")
def test_the_configured_deadline_is_in_the_threads_own_zone() -> None:
    text = MINIMAL.replace("gm: narradora", "gm: narradora\n    timezone: America/Mexico_City")
    thread = read("timezone: Europe/Madrid\n" + text).threads["molino"]
    policy = DeadlinePolicy(at=time(21))

    found = next_deadline(datetime(2026, 12, 1, tzinfo=UTC), policy, thread.zone)

    assert found == datetime(2026, 12, 1, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("57", (Person("57"),)),
        ("007", (Person("007"),)),
        ("Lucía", (Person("Lucía"),)),
        ("no", (Person("no"),)),
        ("[57, 58]", (Person("57"), Person("58"))),
        ("{id: 57, name: Lucía}", (Person("57", "Lucía"),)),
        ("[57, {id: 58, name: Tomás}]", (Person("57"), Person("58", "Tomás"))),
    ],
)
@pytest.mark.usefixtures("folder")
def test_people_have_short_forms(written: str, expected: tuple[Person, ...]) -> None:
    config = read(MINIMAL.replace("player: lucia", f"player: {written}"))

    assert config.threads["molino"].character("Lope").players == expected


@pytest.mark.usefixtures("folder")
def test_yaml_traps_read_as_they_look() -> None:
    config = read(
        MINIMAL.replace("topic: molino", "topic: 2026-12-04").replace(
            "{player: lucia,", "{player: 21:00, npc: no, side: off,"
        )
    )
    thread = config.threads["molino"]
    lope = thread.character("Lope")

    assert thread.topic == "2026-12-04"
    assert (lope.npc, lope.side, lope.players) == (False, "off", (Person("21:00"),))


@pytest.mark.usefixtures("folder")
def test_an_anchor_spares_writing_a_sheet_twice() -> None:
    config = read(
        MINIMAL.replace("sheet: {strength: 12}", "sheet: &base {strength: 12}").replace(
            "count: 2", "sheet: {<<: *base, skills: {swords: 40}}"
        )
    )

    assert config.threads["molino"].character("Bandido").sheet == {
        "strength": 12,
        "skills": {"swords": 40},
    }


@pytest.mark.usefixtures("folder")
def test_keys_left_empty_count_as_left_out() -> None:
    config = read(MINIMAL + "    policies:\n    title:\npolling:\npolicies:\n  deadline:\n")

    assert config.threads["molino"].policies == Policies()


def test_a_sheet_can_stand_in_a_file_of_its_own(folder: Path) -> None:
    config = read(MINIMAL.replace("{strength: 12}", "ficha.yaml"))

    assert config.threads["molino"].character("Lope").sheet == {"strength": 12}
    assert folder / "ficha.yaml" in config.files


@pytest.mark.usefixtures("folder")
def test_a_sheet_is_handed_out_as_plain_data() -> None:
    sheet = read(MINIMAL).threads["molino"].character("Lope").sheet

    assert type(sheet) is dict


def test_rows_of_tables_can_stand_in_the_config_and_in_files(folder: Path) -> None:
    (folder / "armas.yaml").write_text("espada: {damage: 2D8}\n")
    inline = read(MINIMAL + "tables: {aquelarre: {weapons: {espada: {damage: 2D6}}}}\n")
    from_file = read(MINIMAL + "tables: {aquelarre: {weapons: armas.yaml}}\n")

    assert inline.data.tables("aquelarre")["weapons"]["espada"]["damage"] == "2D6"
    assert from_file.data.tables("aquelarre")["weapons"]["espada"]["damage"] == "2D8"
    assert folder / "armas.yaml" in from_file.files


@pytest.mark.usefixtures("folder")
def test_a_fight_can_be_checked_by_itself() -> None:
    config = read(MINIMAL)
    thread = config.threads["molino"]

    assert check_fight(thread, GAMES[0], {}, config.root, Glossary(())) == (thread, ())
    assert thread.setup.cast[0].sheet == {"strength": 12}


@pytest.mark.usefixtures("folder")
def test_problems_of_a_group_are_told_once() -> None:
    found = problems(MINIMAL.replace("count: 2", "count: 9, sheet: {strength: 99}"))

    assert [problem.code for problem in found] == ["out_of_range"]


@pytest.mark.usefixtures("folder")
def test_a_missing_file_is_a_problem_and_no_crash() -> None:
    with pytest.raises(ConfigError) as caught:
        load(Path("otro.yaml"), platforms=PLATFORMS, games=GAMES)

    assert [problem.code for problem in caught.value.problems] == ["no_such_file"]


def test_a_directory_instead_of_a_file_is_a_problem_and_no_crash(folder: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load(folder / "posts", platforms=PLATFORMS, games=GAMES)

    assert [problem.code for problem in caught.value.problems] == ["cannot_read_file"]


def test_a_file_that_is_not_utf8_names_the_line(folder: Path) -> None:
    (folder / "config.yaml").write_bytes("language: es\ntitle: Peñascal\n".encode("latin-1"))
    with pytest.raises(ConfigError) as caught:
        load(Path("config.yaml"), platforms=PLATFORMS, games=GAMES)

    (problem,) = caught.value.problems
    assert (problem.code, problem.line, problem.column) == ("not_utf8", 2, 10)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("#" * (MAX_BYTES + 1), "file_too_large"),
        ("a: " + "[" * 5000, "too_deep"),
        ("a: [" + "1, " * 60_000 + "]", "too_many_values"),
        (
            "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
            + "".join(
                f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]\n"
                for a, b in zip("abcdefg", "bcdefgh", strict=True)
            ),
            "too_many_values",
        ),
    ],
    ids=["a huge file", "deep nesting", "many values", "an alias bomb"],
)
@pytest.mark.usefixtures("folder")
@pytest.mark.timeout(20)
def test_hostile_files_are_bounded(text: str, code: str) -> None:
    assert [problem.code for problem in problems(text)] == [code]


@pytest.mark.usefixtures("folder")
def test_a_flood_of_problems_is_cut_and_says_so() -> None:
    found = problems("".join(f"clave{n}: 1\n" for n in range(500)))

    assert len(found) == MAX_PROBLEMS + 1
    assert (found[-1].code, found[-1].given) == ("more_problems", str(501 - MAX_PROBLEMS))


LINES = MINIMAL.splitlines()
WORDS = st.sampled_from(
    [
        *MINIMAL.replace(":", " ").replace("{", " ").split(),
        "",
        "[",
        "{",
        "- ",
        "&a",
        "*a",
        "<<",
        "~",
        "0",
        "\t",
    ]
)


@given(
    changes=st.lists(
        st.tuples(st.integers(0, len(LINES) - 1), st.text(max_size=8) | WORDS), max_size=3
    )
)
def test_any_edit_gives_a_config_or_problems(
    changes: list[tuple[int, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    lines = list(LINES)
    for number, words in changes:
        indent = len(lines[number]) - len(lines[number].lstrip())
        lines[number] = " " * indent + words + ": " + random.Random(words).choice(["x", "{}", "[]"])  # noqa: S311 - seeded on purpose
    path = tmp_path_factory.mktemp("edit") / "config.yaml"
    path.write_text("\n".join(lines), encoding="utf-8", errors="surrogatepass")

    try:
        load(path, platforms=PLATFORMS, games=GAMES)
    except ConfigError as error:
        assert error.problems  # noqa: PT017 - either outcome will do


@pytest.mark.usefixtures("folder")
def test_an_adapters_options_are_checked_and_handed_over() -> None:
    config = read(FORUM + "    options: {spoilers: spoiler, min_form_age_s: 3}\n")

    assert config.sites["foro"].options == {"spoilers": "spoiler", "min_form_age_s": 3.0}


# ---------------------------------------------------------------------- secrets


FORUM = """\
database: {url: "postgresql://arbitro@localhost/partidas", password_env: PG_PASSWORD}
polling: {contact: a@example.org}
sites:
  foro:
    adapter: phpbb
    base_url: https://foro.example.org/
    username: árbitro
    password_env: FORO_PASSWORD
"""


@pytest.mark.usefixtures("folder")
def test_a_password_is_read_from_the_environment_at_use() -> None:
    config = read(FORUM)
    environ = {"FORO_PASSWORD": CANARY, "PG_PASSWORD": f"{CANARY}@/:"}

    account = config.sites["foro"].account(environ)

    assert (account.username, account.secret) == ("árbitro", CANARY)
    assert config.sites["foro"].base_url == "https://foro.example.org"
    assert (
        config.database.url(environ) == f"postgresql://arbitro:{CANARY}%40%2F%3A@localhost/partidas"
    )
    assert config.database.shown == "postgresql://arbitro@localhost/partidas"
    assert CANARY not in repr(config) + repr(account)


@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
def test_a_password_is_read_from_a_file_at_use(folder: Path, ending: str) -> None:
    (folder / "clave.txt").write_text(CANARY + ending, newline="")
    config = read(FORUM.replace("password_env: FORO_PASSWORD", "password_file: clave.txt"))

    assert config.sites["foro"].account({}).secret == CANARY


def test_a_key_is_read_from_a_systemd_credential_at_use(folder: Path) -> None:
    (folder / "foro-key").write_text(CANARY)  # not found beside the config by accident
    config = read(FORUM.replace("password_env: FORO_PASSWORD", "api_key_credential: foro-key"))
    site = config.sites["foro"]

    assert site.account({"CREDENTIALS_DIRECTORY": str(folder)}).secret == CANARY
    assert site.secret_is_key
    with pytest.raises(SecretMissingError):
        site.account({})


@pytest.mark.usefixtures("folder")
def test_a_secret_that_is_not_there_stops_its_login_and_nothing_else() -> None:
    config = read(FORUM)

    with pytest.raises(SecretMissingError, match="FORO_PASSWORD"):
        config.sites["foro"].account({"FORO_PASSWORD": ""})
    found = missing_secrets(config, {"PG_PASSWORD": CANARY})
    assert [(p.code, p.line, p.field, p.expected) for p in found] == [
        ("no_secret_in_env", 4, "sites.foro", "FORO_PASSWORD")
    ]
    assert {p.field for p in missing_secrets(config, {})} == {"sites.foro", "database"}


@pytest.mark.parametrize(
    "text",
    [
        FORUM.replace("password_env: FORO_PASSWORD", f"password: {CANARY}"),
        FORUM.replace("password_env: FORO_PASSWORD", f"contraseña: {CANARY}"),
        FORUM.replace("password_env: FORO_PASSWORD", f"clave: {CANARY}"),
        FORUM.replace("password_env: FORO_PASSWORD", f"api_key: {CANARY}"),
        FORUM.replace("password_env: FORO_PASSWORD", f"token: [{CANARY}]"),
        FORUM.replace("password_env: FORO_PASSWORD", f"password_env: {CANARY}"),
        FORUM.replace("password_env: FORO_PASSWORD", f"pasword_env: {CANARY}"),
        FORUM.replace("password_env: FORO_PASSWORD", f"password_env: {{x: {CANARY}}}"),
        FORUM.replace("password_env: FORO_PASSWORD", f"password_file: [{CANARY}]"),
        FORUM.replace("password_env: FORO_PASSWORD", f"password_env: '{CANARY}"),
        FORUM.replace("password_env: FORO_PASSWORD", f"password_env: @{CANARY}"),
        FORUM.replace("password_env: FORO_PASSWORD", f"password_env: {CANARY}: x"),
        FORUM.replace("password_env: FORO_PASSWORD", f"password_env: *{CANARY}"),
        FORUM.replace("https://foro", f"https://árbitro:{CANARY}@foro"),
        FORUM.replace("https://foro", f"https:/árbitro:{CANARY}@foro"),
        FORUM.replace("https://foro", f"ftp://árbitro:{CANARY}@foro"),
        FORUM.replace("https://foro", f"https://{'a' * 55}:{CANARY}@foro"),
        FORUM.replace("postgresql://arbitro", f"postgres://arbitro:{CANARY}"),
        FORUM.replace("postgresql://arbitro", f"postgresql:/arbitro:{CANARY}"),
        FORUM.replace('url: "postgresql://arbitro@localhost/partidas"', f"url: [{CANARY}]"),
        FORUM.replace("password_env: PG_PASSWORD", f"password: {CANARY}"),
        f"sites: [{CANARY}]\n",
        f"sites: {{foro: [password, {CANARY}]}}\n",
        f"sites: {{foro: 'password={CANARY}'}}\n",
    ],
)
@pytest.mark.usefixtures("folder")
def test_no_problem_ever_shows_a_secret(text: str) -> None:
    assert CANARY in text

    with pytest.raises(ConfigError) as caught:
        read(text)

    told = [str(caught.value), repr(caught.value), repr(caught.value.problems)]
    assert not [words for words in told if CANARY in words]


@pytest.mark.usefixtures("folder")
def test_a_password_in_the_databases_address_works_but_is_not_shown() -> None:
    config = read(
        f"database: postgresql+psycopg://yo:{CANARY}@localhost/x\n" + FORUM.partition("\n")[2]
    )

    assert config.database.url({}) == f"postgresql+psycopg://yo:{CANARY}@localhost/x"
    assert config.database.shown == "postgresql+psycopg://yo@localhost/x"
    assert CANARY not in repr(config)


# ---------------------------------------------------------------------- edits while the daemon runs


def reload(path: Path) -> Config:
    return load(path, platforms=PLATFORMS, games=GAMES)


@pytest.fixture
def reloader(folder: Path) -> Reloader:
    text = MINIMAL.replace("{strength: 12}", "ficha.yaml") + "templates: mias\n"
    (folder / "mias" / "es").mkdir(parents=True)
    return Reloader(read(text), reload)


def edit(change: Callable[[str], str]) -> None:
    path = Path("config.yaml")
    path.write_text(change(path.read_text()))


def test_nothing_new_is_no_news(reloader: Reloader) -> None:
    first = reloader.config
    Path("config.yaml").touch()

    assert not reloader.poll()
    assert reloader.config is first


def test_a_good_edit_takes_effect(reloader: Reloader) -> None:
    edit(lambda text: text.replace("count: 2", "count: 3"))

    assert reloader.poll()
    assert not reloader.problems
    assert len(reloader.config.threads["molino"].cast) == 4
    assert not reloader.poll()


def test_a_broken_edit_keeps_the_last_good_config_and_says_so_once(reloader: Reloader) -> None:
    first = reloader.config
    edit(lambda text: text.replace("site: mesa", "site: meza"))

    assert reloader.poll()
    assert reloader.config is first
    assert [problem.code for problem in reloader.problems] == ["unknown_site"]
    assert not reloader.poll()
    assert reloader.problems

    edit(lambda text: text.replace("site: meza", "site: mesa"))
    assert reloader.poll()
    assert not reloader.problems


def test_an_edit_of_the_same_size_and_time_is_noticed(reloader: Reloader, folder: Path) -> None:
    path = folder / "config.yaml"
    before = path.stat()
    edit(lambda text: text.replace("count: 2", "count: 4"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert path.stat().st_size == before.st_size
    assert reloader.poll()
    assert len(reloader.config.threads["molino"].cast) == 5


def test_an_edited_sheet_counts_as_an_edit(reloader: Reloader, folder: Path) -> None:
    (folder / "ficha.yaml").write_text("strength: 13\n")
    assert reloader.poll()
    assert reloader.config.threads["molino"].character("Lope").sheet == {"strength": 13}

    (folder / "ficha.yaml").write_text("strenght: 13\n")
    assert reloader.poll()
    assert [problem.file for problem in reloader.problems] == ["ficha.yaml"]

    (folder / "ficha.yaml").unlink()
    assert reloader.poll()
    assert [problem.code for problem in reloader.problems] == ["no_such_file"]

    (folder / "ficha.yaml").write_text("strength: 14\n")
    assert reloader.poll()
    assert reloader.config.threads["molino"].character("Lope").sheet == {"strength": 14}


def test_a_template_that_is_added_counts_as_an_edit(reloader: Reloader, folder: Path) -> None:
    (folder / "mias" / "es" / "round.j2").write_text("Asalto\n")

    assert reloader.poll()
    assert not reloader.poll()


def test_a_file_that_a_broken_edit_names_is_watched_too(reloader: Reloader, folder: Path) -> None:
    edit(lambda text: text.replace("ficha.yaml", "nueva.yaml"))
    assert reloader.poll()
    assert reloader.problems

    (folder / "nueva.yaml").write_text("strength: 15\n")
    assert reloader.poll()
    assert reloader.config.threads["molino"].character("Lope").sheet == {"strength": 15}


def test_a_config_that_vanishes_keeps_the_last_good_one(reloader: Reloader) -> None:
    first = reloader.config
    Path("config.yaml").unlink()

    assert reloader.poll()
    assert reloader.config is first
    assert [problem.code for problem in reloader.problems] == ["no_such_file"]


@pytest.mark.usefixtures("folder")
def test_an_edit_between_reading_and_watching_is_noticed() -> None:
    config = read(MINIMAL)
    edit(lambda text: text.replace("count: 2", "count: 3"))

    assert Reloader(config, reload).poll()


@pytest.mark.usefixtures("folder")
def test_a_fault_of_ours_keeps_the_last_good_config_too() -> None:
    def stumble(_: Path) -> Config:
        raise ZeroDivisionError

    config = read(MINIMAL)
    reloader = Reloader(config, stumble)
    edit(lambda text: text + "# nota\n")

    assert reloader.poll()
    assert reloader.config is config
    assert [(p.code, p.given) for p in reloader.problems] == [("crash", "ZeroDivisionError")]
    assert isinstance(reloader.crash, ZeroDivisionError)
    assert not reloader.poll()


def test_the_fake_game_refuses_what_it_should() -> None:
    with pytest.raises(SetupError):
        Duel().new_fight(Setup((), {"ligth": 1}), {})
