"""What a site asks of programs, and what stands before it and wants a person."""

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
import respx
import stamina
from hypothesis import given
from hypothesis import strategies as st

from adapters.base import Adapter, page_of
from adapters.discourse import Discourse
from adapters.errors import BusyError, ForbiddenError, UnknownOutcomeError
from adapters.flarum import Flarum
from adapters.http import Manners, Pace, PoliteHttp
from adapters.misago import Misago
from adapters.nodebb import NodeBB
from adapters.phpbb import PhpBB
from adapters.robots import GOOD_FOR_S, LONGEST_DELAY_S, Robots
from adapters.xenforo import XenForo
from tests.adapters.worlds import HandClock

SITE = "http://forum.test"
URL = f"{SITE}/viewtopic.php?t=2"
ROBOTS = f"{SITE}/robots.txt"
PAGE = "<!DOCTYPE html><html><body>Escena</body></html>"
CLOSED = "User-agent: *\nDisallow: /viewtopic.php\n"
POLITE = Manners(requests_per_s=10_000, robots=True)


@pytest.fixture(autouse=True)
def no_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=3):
        yield


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
async def http(clock: HandClock) -> AsyncIterator[PoliteHttp]:
    async with client(clock) as opened:
        yield opened


@pytest.fixture
def forum() -> Iterator[respx.MockRouter]:
    with respx.mock(assert_all_called=False) as router:
        yield router


def client(clock: HandClock, **more: object) -> PoliteHttp:
    options = {"manners": POLITE, "pace": Pace(10_000), **more}
    return PoliteHttp(
        contact="referee@example.org",
        allow_private=frozenset({"forum.test"}),
        clock=clock,
        **options,  # type: ignore[arg-type] # options of one test
    )


async def test_what_robots_may_not_read_is_not_read(http: PoliteHttp, forum) -> None:
    forum.get(ROBOTS).respond(text=CLOSED)
    with pytest.raises(ForbiddenError) as caught:
        await http.permit(URL)
    assert caught.value.cure == "robots_disallow"
    await http.permit(f"{SITE}/topic/2/")


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("", True),
        ("User-agent: *\nDisallow:\n", True),
        ("User-agent: *\nDisallow: /\n", False),
        ("User-agent: pbw-referee\nDisallow: /\n", False),
        ("User-agent: GPTBot\nDisallow: /\n", True),
        ("User-agent: *\nDisallow: /\nUser-agent: pbw-referee\nAllow: /\n", True),
        ("User-agent: *\nDisallow: /\nAllow: /viewtopic.php\n", True),
        ("User-agent: *\nDisallow: /*?t=\n", False),
        ("User-agent: *\nDisallow: /posting.php\nDisallow: /ucp.php\n", True),
        ("<!DOCTYPE html><html><body>No hay tal página</body></html>", True),
    ],
)
def test_the_rule_that_says_most_about_an_address_decides(text, allowed) -> None:
    assert Robots.of(0, text).allows(URL) is allowed


@given(st.text() | st.text(alphabet="*/$?:\nAallowDsUer-gt "))
def test_no_robots_txt_can_hurt(text: str) -> None:
    rules = Robots.of(0, text)
    assert rules.allows(URL) in {True, False}
    assert 0 <= rules.delay_s <= LONGEST_DELAY_S


def test_a_robots_txt_without_end_is_cut_at_a_line() -> None:
    rules = Robots.of(0, "User-agent: *\n" + "Disallow: /miembros/\n" * 50_000)
    assert len(rules.text) <= 65_536
    assert rules.text.endswith("/miembros/\n")
    assert rules.allows(URL)


async def test_robots_txt_is_asked_for_once_a_day(
    http: PoliteHttp, forum, clock: HandClock
) -> None:
    route = forum.get(ROBOTS).respond(text="")
    for _ in range(3):
        await http.permit(URL)
        clock.turn(GOOD_FOR_S / 3 - 1)
    assert route.call_count == 1

    route.respond(text=CLOSED)
    clock.turn(5)
    with pytest.raises(ForbiddenError):
        await http.permit(URL)
    assert route.call_count == 2


@pytest.mark.parametrize("status", [404, 403, 500, 503])
async def test_a_robots_txt_that_cannot_be_read_forbids_nothing(
    http: PoliteHttp, forum, status: int
) -> None:
    forum.get(ROBOTS).respond(status, text=CLOSED)
    await http.permit(URL)


async def test_a_robots_txt_that_cannot_be_read_today_says_what_it_said_yesterday(
    http: PoliteHttp, forum, clock: HandClock
) -> None:
    route = forum.get(ROBOTS).respond(text=CLOSED)
    with pytest.raises(ForbiddenError):
        await http.permit(URL)
    route.mock(side_effect=httpx.ConnectError("down"))
    clock.turn(GOOD_FOR_S + 1)
    with pytest.raises(ForbiddenError):
        await http.permit(URL)


async def test_what_a_site_said_outlives_the_process(forum, clock: HandClock) -> None:
    route = forum.get(ROBOTS).respond(text=CLOSED)
    async with client(clock) as first:
        with pytest.raises(ForbiddenError):
            await first.permit(URL)
    async with client(clock, saved=first.export()) as second:
        with pytest.raises(ForbiddenError):
            await second.permit(URL)
    assert route.call_count == 1


async def test_the_owners_leave_goes_before_robots_txt(forum, clock: HandClock) -> None:
    route = forum.get(ROBOTS).respond(text=CLOSED)
    async with client(clock, manners=Manners(robots=False)) as http:
        await http.permit(URL)
    assert not route.called


@pytest.mark.parametrize(("asked", "kept"), [("10", 10), ("0.5", 2), ("86400", LONGEST_DELAY_S)])
async def test_the_pace_that_a_site_asks_for_is_kept(
    forum, clock: HandClock, asked: str, kept: float
) -> None:
    forum.get(ROBOTS).respond(text=f"User-agent: *\nCrawl-delay: {asked}\n")
    pace = Pace()
    pace.keep("forum.test", 2)
    async with client(clock, pace=pace) as http:
        await http.permit(URL)
    assert (pace.of("forum.test").max_rate, pace.of("forum.test").time_period) == (1, kept)


def test_two_sites_on_a_host_keep_the_slower_pace_of_both() -> None:
    pace = Pace()
    for seconds in (0.1, 5, 2):
        pace.keep("forum.test", seconds)
    assert pace.of("forum.test").time_period == 5
    assert pace.of("other.test").time_period == 1
    pace.forget()
    pace.keep("forum.test", 0.1)
    assert pace.of("forum.test").time_period == 0.1


# What stands before a forum.

CLOUDFLARE = (
    "<!DOCTYPE html><html><head><title>Just a moment...</title></head>"
    "<body><script src='/cdn-cgi/challenge-platform/h/b/orchestrate'></script></body></html>"
)
WALLS = [
    ("browser_check", 403, {"cf-mitigated": "challenge"}, PAGE),
    ("browser_check", 503, {"server": "cloudflare"}, CLOUDFLARE),
    ("browser_check", 403, {"cf-ray": "8f1"}, CLOUDFLARE.replace("challenge-platform", "x")),
    ("browser_check", 429, {}, CLOUDFLARE),
    ("browser_check", 200, {}, "<html><script id='anubis_challenge'></script></html>"),
    ("browser_check", 200, {}, "<html><iframe src='/_Incapsula_Resource?a=1'></iframe></html>"),
    (
        "age_wall",
        200,
        {},
        "<html><title>Verificación de edad</title><form><button>Sí</button></form></html>",
    ),
    (
        "age_wall",
        200,
        {},
        "<html><h1>Are you over 18?</h1><form action='/age'><input name=ok></form></html>",
    ),
    (
        "consent_wall",
        200,
        {},
        "<html><title>Antes de continuar</title><p>Cookies.</p><button>Acepto</button></html>",
    ),
    (
        "consent_wall",
        200,
        {},
        "<html><h1>We value your privacy</h1><button>Accept all</button></html>",
    ),
]


@pytest.mark.parametrize(("cure", "status", "headers", "page"), WALLS)
async def test_what_wants_a_person_is_a_stop_for_the_owner(
    http: PoliteHttp, forum, cure: str, status: int, headers: dict[str, str], page: str
) -> None:
    route = forum.get(URL).respond(status, headers=headers, html=page)
    with pytest.raises(ForbiddenError) as caught:
        await http.get(URL)
    assert (caught.value.cure, caught.value.retry) == (cure, False)
    assert route.call_count == 1


@pytest.mark.parametrize(("cure", "status", "headers", "page"), WALLS)
async def test_a_post_that_a_wall_has_met_was_not_sent(
    http: PoliteHttp, forum, cure: str, status: int, headers: dict[str, str], page: str
) -> None:
    forum.post(URL).respond(status, headers=headers, html=page)
    with pytest.raises((ForbiddenError, UnknownOutcomeError)) as caught:
        await http.send(URL, form={"message": "Asalto."})
    assert caught.value.cure in {cure, "read_back"}


@pytest.mark.parametrize(
    "title",
    ["Antes de continuar: ¿cookies?", "Verificación de edad", "Just a moment", "Mayores de 18"],
)
async def test_a_thread_about_such_things_is_a_thread(http: PoliteHttp, forum, title: str) -> None:
    links = "".join(f"<a href='/t/{number}'>Tema {number}</a>" for number in range(9))
    page = f"<html><title>{title}</title><h1>{title}</h1>{links}<form></form></html>"
    forum.get(URL).respond(html=page)
    assert (await http.get(URL)).status == 200


async def test_a_board_that_asks_for_patience_in_such_words_is_busy(
    http: PoliteHttp, forum
) -> None:
    forum.get(URL).respond(503, html="<html><title>Un momento</title>Volvemos.</html>")
    with pytest.raises(BusyError):
        await http.get(URL)


@pytest.mark.parametrize(
    ("adapter", "page"),
    [
        (Discourse(SITE), f"{SITE}/t/7"),
        (Flarum(SITE), f"{SITE}/d/7"),
        (Misago(SITE), f"{SITE}/t/x/7/"),
        (NodeBB(SITE), f"{SITE}/topic/7"),
        (PhpBB(SITE), f"{SITE}/viewtopic.php?t=7"),
        (XenForo(SITE), f"{SITE}/threads/7/"),
    ],
)
def test_a_thread_is_judged_by_the_page_that_people_see(adapter: Adapter, page: str) -> None:
    assert page_of(adapter, "7") == page
