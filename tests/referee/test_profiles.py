"""Selector profiles: what ships, what a game master writes, and all that can be wrong with one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from adapters.profile import About, Profile, given_fields
from referee.config import load
from referee.data import Data
from referee.errors import ConfigError, ConfigProblem
from referee.profiles import builtin, builtin_names
from referee.settings import Site
from referee.words import config_sentence

CONFIG = """\
polling: {{contact: a@example.org}}
sites:
  foro:
    adapter: profile
    base_url: https://foro.example.org
    username: Árbitro
    password_env: FORO_PASSWORD
    profile: {profile}
"""
OWN = """\
topic: {pattern: 'tema-(?P<topic>[0-9]+)', first: 'tema-{topic}'}
posts:
  container: article.mensaje
  id: {attribute: id, pattern: 'm([0-9]+)'}
  author: {id: a.autor @href}
  body: div.texto
"""


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Site]:
    """The site of a config whose profile is this, with an own file beside it."""
    monkeypatch.chdir(tmp_path)

    def read(profile: str, own: str = "", config: str = CONFIG) -> Site:
        Path("config.yaml").write_text(config.format(profile=profile), encoding="utf-8")
        if own:
            Path("mi-foro.yaml").write_text(own, encoding="utf-8")
        return load(Path("config.yaml")).sites["foro"]

    return read


@pytest.fixture
def problem(read: Callable[..., Site]) -> Callable[..., ConfigProblem]:
    """The one problem of such a config."""

    def only(*args: str, **kwargs: str) -> ConfigProblem:
        with pytest.raises(ConfigError) as caught:
            read(*args, **kwargs)
        (found,) = caught.value.problems
        for language in Data().languages():
            said = config_sentence(language, found)
            assert said
            assert found.code == "missing" or found.code not in said
        return found

    return only


@pytest.mark.parametrize("name", builtin_names())
def test_a_profile_that_ships_says_of_each_field_whether_it_was_seen(name: str) -> None:
    raw = dict(Data().profile(name))
    about = About.model_validate(raw.pop("about"))
    raw.pop("like", None)
    claims = [*about.seen, *about.assumed]
    for field in given_fields(raw):
        fitting = [claim for claim in claims if f"{field}.".startswith(f"{claim}.")]
        assert fitting, field
    assert len(set(claims)) == len(claims)
    assert not set(about.seen) & set(about.assumed)
    fields = given_fields(raw)
    for claim in claims:
        assert any(f"{field}.".startswith(f"{claim}.") for field in fields), claim


def test_the_profiles_that_ship_are_those_that_the_documents_name() -> None:
    assert builtin_names() == (
        "comunidad-umbria", "foroactivo-invision", "foroactivo-modernbb", "foroactivo-phpbb2",
        "foroactivo-phpbb3", "foroactivo-punbb", "foroactivo", "rpol",
    )  # fmt: skip


def test_a_built_in_profile_is_taken_by_its_name(read: Callable[..., Site]) -> None:
    site = read("foroactivo-phpbb3")
    assert site.profiles == builtin("foroactivo-phpbb3")
    assert site.traits["profiles"] == site.profiles


def test_a_profile_that_chooses_brings_its_engines(read: Callable[..., Site]) -> None:
    names = [profile.name for profile in read("foroactivo").profiles]
    assert names[0] == "foroactivo"
    assert set(names[1:]) == {name for name in builtin_names() if name.startswith("foroactivo-")}


def test_a_profile_of_ones_own_is_a_file_beside_the_config(read: Callable[..., Site]) -> None:
    (profile,) = read("mi-foro.yaml", OWN).profiles
    assert profile.name == "mi-foro"
    assert profile.posts.author.id.attribute == "href"
    assert profile.reply is None


def test_a_profile_may_stand_in_the_config_itself(read: Callable[..., Site]) -> None:
    inline = "{like: comunidad-umbria, posts: {body: div.cuerpo}}"
    (profile,) = read(inline).profiles
    assert profile.name == "foro"
    assert profile.posts.body == "div.cuerpo"
    assert profile.posts.container == builtin("comunidad-umbria")[0].posts.container


def test_a_profile_like_another_gives_only_what_differs(read: Callable[..., Site]) -> None:
    own = "like: foroactivo-phpbb2\nposts: {author: {guest: .sin-nombre}}\n"
    (profile,) = read("mi-foro.yaml", own).profiles
    (base,) = builtin("foroactivo-phpbb2")
    author = base.posts.author.model_copy(update={"guest": ".sin-nombre"})
    posts = base.posts.model_copy(update={"author": author})
    about = {"name": "mi-foro", "like": "foroactivo-phpbb2", "posts": posts, "about": About()}
    assert profile == base.model_copy(update=about)


def test_an_edit_of_the_profile_is_an_edit_of_the_config(
    read: Callable[..., Site], tmp_path: Path
) -> None:
    read("mi-foro.yaml", OWN)
    assert tmp_path / "mi-foro.yaml" in load(tmp_path / "config.yaml").files


@pytest.mark.parametrize(
    ("old", "new", "code", "line", "field"),
    [
        ("article.mensaje", "'article['", "bad_selector", 3, "container"),
        ("m([0-9]+)", "m([0-9]+", "bad_pattern", 4, "id.pattern"),
        ("m([0-9]+)", "m[0-9]+", "pattern_without_group", 4, "id.pattern"),
        ("(?P<topic>[0-9]+)", "([0-9]+)", "pattern_without_group", 1, ".pattern"),
        ("first: 'tema-{topic}'", "first: 'tema-{tpoic}'", "unknown_slot", 1, ""),
        ("body:", "bodi:", "unknown_key", 6, "bodi"),
        ("article.mensaje", "", "missing", 3, "container"),
        ("a.autor @href", "[a.autor]", "not_mapping", 5, "author.id"),
    ],
)
def test_what_is_wrong_with_a_profile_is_told_with_its_place(
    read: Callable[..., Site], old: str, new: str, code: str, line: int, field: str
) -> None:
    assert old in OWN
    with pytest.raises(ConfigError) as caught:
        read("mi-foro.yaml", OWN.replace(old, new, 1))
    found = next(found for found in caught.value.problems if found.code == code)
    assert (found.file, found.line) == ("mi-foro.yaml", line)
    above = "sites.foro.profile.posts." if line > 1 else "sites.foro.profile.topic"
    assert found.field == f"{above}{field}"
    for language in Data().languages():
        assert code == "missing" or code not in config_sentence(language, found)


@pytest.mark.parametrize("given", ["foroactivo-invison", "perfil"])
def test_an_unknown_profile_is_told_with_the_known_ones(
    problem: Callable[..., ConfigProblem], given: str
) -> None:
    found = problem(given)
    assert found.code == "unknown_profile"
    assert "comunidad-umbria" in found.expected
    assert bool(found.suggestion) == given.startswith("foro")


@pytest.mark.parametrize(
    ("given", "code"),
    [("otro.yaml", "no_such_file"), ("", "missing"), ("{like: foroactivos}", "unknown_profile")],
)
def test_a_profile_that_is_not_there_is_told(
    problem: Callable[..., ConfigProblem], given: str, code: str
) -> None:
    assert problem(given).code == code


def test_a_profile_without_its_adapter_is_told(problem: Callable[..., ConfigProblem]) -> None:
    config = CONFIG.replace("adapter: profile", "adapter: phpbb")
    assert problem("foroactivo", config=config).code == "profile_without_adapter"


@pytest.mark.parametrize("host", ["proboards.com", "mi.ProBoards.com", "a.boards.net:8443"])
@pytest.mark.parametrize("adapter", ["profile", "phpbb"])
def test_a_site_whose_terms_forbid_programs_is_refused(
    problem: Callable[..., ConfigProblem], host: str, adapter: str
) -> None:
    config = CONFIG.replace("foro.example.org", host).replace("adapter: profile", adapter)
    config = config.replace(adapter, f"adapter: {adapter}", 1)
    if adapter != "profile":
        config = config.replace("    profile: {profile}\n", "")
    found = problem("foroactivo", config=config)
    assert found.code == "site_forbids_programs"
    assert found.field == "sites.foro.base_url"


def test_with_its_owners_leave_such_a_site_is_read(read: Callable[..., Site]) -> None:
    config = CONFIG.replace("foro.example.org", "mesa.proboards.com")
    leave = '    owner_consents: "Ana, que lo administra, el 3 de mayo"\n'
    assert read("foroactivo", config=config + leave).profiles


def test_a_profile_without_a_login_needs_no_account(read: Callable[..., Site]) -> None:
    """It reads as a guest; with a login the same config lacks its account."""
    nobody = CONFIG.replace("    username: Árbitro\n", "").replace(
        "    password_env: FORO_PASSWORD\n", ""
    )
    assert read("mi-foro.yaml", OWN, nobody).account({}).username == ""
    login = "login: {address: entrar, form: form.entrar, user: nombre, password: clave}\n"
    with pytest.raises(ConfigError) as caught:
        read("mi-foro.yaml", OWN + login, nobody)
    assert {found.code for found in caught.value.problems} == {"no_secret_named", "missing"}


def test_a_host_that_only_ends_alike_is_another(read: Callable[..., Site]) -> None:
    config = CONFIG.replace("foro.example.org", "notproboards.com")
    assert read("foroactivo", config=config).profiles


def test_a_profile_is_never_a_program() -> None:
    """Whatever a file holds, it stays text: nothing in a profile is called or formatted."""
    slots = Profile.model_validate(
        {
            "topic": {"pattern": "(?P<topic>[0-9]+)", "first": "{topic.__class__}{0}{topic}"},
            "posts": {"container": "p", "id": "@id", "author": {"id": "a"}, "body": "b"},
        }
    )
    assert slots.topic.first == "{topic.__class__}{0}{topic}"
