"""Any HTML forum, by a selector profile: logging in, reading, replying, editing.

The class only asks; what pages mean is ``adapters.pages``, what a kind of forum looks like is a
``Profile``.
"""

from collections.abc import Mapping
from typing import ClassVar, Final
from urllib.parse import urljoin

from bs4 import Tag

from adapters.base import GUEST, Account, Answer, Capabilities, Draft, Http, Posted, ThreadPage
from adapters.boards import action_of, wants_a_person
from adapters.errors import (
    ForbiddenError,
    GoneError,
    LoggedOutError,
    NotSentError,
    UnknownOutcomeError,
    UnreachableError,
)
from adapters.html import fields_of, soup_of
from adapters.pages import (
    Reader,
    address_at,
    filled,
    host_of,
    landed,
    layout_changed,
    spot_of,
    submission,
    viewer_of,
)
from adapters.profile import Form, Login, Profile

# How often in a row others may post while we do.
_MOST_REVIEWS: Final = 4


class Profiled:
    """One site."""

    platform: ClassVar[str] = "profile"

    def __init__(
        self, base_url: str, account: Account | None = None, *, profiles: tuple[Profile, ...] = ()
    ) -> None:
        """Remember the site.

        Args:
            base_url: Address of the forum's front page.
            account: Whose posts these will be; without one it reads what guests may read.
            profiles: How to read and write it. The first has the addresses and the forms; where
                there are more, the others are the engines that are tried on each page.

        Raises:
            ValueError: no profile.
        """
        if not profiles:
            raise ValueError("profiles")
        self._base = base_url.rstrip("/")
        self._account = account
        self._profile = profiles[0]
        self._reader = Reader(profiles)
        self.capabilities = capabilities_of(profiles[0])

    def thread_url(self, topic: str) -> str:
        """The topic's first page, from its id or any address of it.

        Raises:
            GoneError: no topic's address, or another site's.
        """
        return self._address(self._profile.topic.first, self._groups(topic))

    async def login(self, http: Http) -> str:
        """Log in; a session that still holds is used as it is."""
        login, account = self._profile.login, self._account
        if account is None:
            raise ForbiddenError(self._base, cure="no_account")
        if login is None:
            return GUEST
        answer = await http.get(self._address(login.address, {}))
        soup: Tag = soup_of(answer.text, answer.url)
        viewer = self._viewer(soup)
        if viewer in {"", GUEST}:
            answer, soup = await self._logged_in(http, login, account, answer, soup)
            viewer = self._viewer(soup)
        if viewer in {"", GUEST}:
            # Some answer with a page that only says so, or with one that still shows the guest.
            answer = await http.get(f"{self._base}/")
            viewer = self._viewer(soup_of(answer.text, answer.url))
        if viewer == GUEST:
            raise ForbiddenError(answer.url, cure="check_password")
        if not viewer:
            raise layout_changed(answer.url, self._profile, "page.viewer")
        return viewer

    async def _logged_in(
        self, http: Http, login: Login, account: Account, answer: Answer, soup: Tag
    ) -> tuple[Answer, Tag]:
        """What comes back when the form on a page has been filled and sent."""
        form = soup.select_one(login.form)
        if form is None:
            raise self._reader.meaning(soup, answer, self._profile, "login.form")
        _raise_for_captcha(soup, login, answer.url)
        puzzled = wants_a_person(None, form, "", answer.url)
        if puzzled is not None:
            raise puzzled
        fields = {
            **fields_of(form),
            **login.also,
            login.user: account.username,
            login.password: account.secret,
        }
        await http.settle(login.min_age_s)
        try:
            answer = await http.send(action_of(form, answer.url), form=fields)
        except UnknownOutcomeError as error:
            # Logging in twice harms nobody.
            raise UnreachableError(answer.url, cure="unreachable", wait_s=error.wait_s) from None
        soup = soup_of(answer.text, answer.url)
        _raise_for_captcha(soup, login, answer.url)
        if self._viewer(soup) in {"", GUEST}:
            wanted = wants_a_person(soup, soup.select_one(login.form), "", answer.url)
            if wanted is not None:
                raise wanted
        return answer, soup

    async def fetch(self, http: Http, url: str, *, conditional: bool = False) -> ThreadPage | None:
        """Read one page of a topic."""
        answer = await http.get(url, conditional=conditional)
        if answer.unchanged:
            return None
        try:
            page = self._reader.read(answer.text, answer.url, status=answer.status)
        except LoggedOutError:
            if not self._logs_in:
                raise ForbiddenError(url, cure="no_account") from None
            raise
        if self._logs_in and page.viewer_id == GUEST:
            raise LoggedOutError(url, cure="log_in_again")
        return page

    async def draft(self, http: Http, topic: str, *, edits: str = "") -> Draft:
        """Load the reply form, or the form that edits a post."""
        groups = self._groups(topic)
        if self._account is None:
            raise ForbiddenError(self.thread_url(topic), cure="no_account")
        form = self._form(edits)
        url = self._address(form.address, {**groups, "post": edits})
        answer = await http.get(url)
        soup = soup_of(answer.text, answer.url)
        found = soup.select_one(form.form)
        if found is None or form.message not in fields_of(found):
            part = "edit" if edits and self._profile.edit else "reply"
            raise self._reader.meaning(soup, answer, self._profile, f"{part}.form")
        if self._viewer(soup) == GUEST:
            # Some boards let guests post: what we send then would be nobody's.
            raise LoggedOutError(url, cure="log_in_again")
        return Draft(
            url=action_of(found, answer.url),
            fields=submission(found, form),
            made_at=http.now(),
            edits=edits,
        )

    async def send(self, http: Http, draft: Draft, text: str) -> Posted:
        """Post or edit; the proof is the new post's id, in an address or on the page of success.

        A form that comes back because somebody has posted since is sent again.
        """
        form = self._form(draft.edits)
        await http.settle(draft.made_at + form.min_age_s - http.now())
        url, fields = draft.url, dict(draft.fields)
        for _attempt in range(_MOST_REVIEWS):
            try:
                answer = await http.send(url, form={**fields, form.message: text})
            except UnknownOutcomeError as error:
                # An address that names the post has proved it, even if its page was lost.
                posted = landed(error.url, form, draft)
                if posted is None:
                    raise
                return posted
            outcome = self._reader.outcome(answer, draft, self._profile)
            if isinstance(outcome, Posted):
                return outcome
            url, fields = outcome.url, dict(outcome.fields)
            await http.settle(form.min_age_s)
        wait_s = self._profile.says.flood_wait_s
        raise NotSentError(draft.url, cure="thread_is_busy", wait_s=wait_s)

    @property
    def _logs_in(self) -> bool:
        return self._account is not None and self._profile.login is not None

    def _viewer(self, soup: Tag) -> str:
        found = viewer_of(soup, self._profile)
        if found or self._account is None or self._profile.login is None:
            return found
        page, login = self._profile.page, self._profile.login
        is_in = soup.select_one(page.logged_in) if page.logged_in else None
        return self._account.username if login.id_is_name and is_in else ""

    def _form(self, edits: str) -> Form:
        """The form for a reply or an edit. Raises ``ForbiddenError`` where the profile has none."""
        form = self._profile.edit if edits else self._profile.reply
        if form is None:
            raise ForbiddenError(self._base, cure="profile_reads_only", profile=self._profile.name)
        return form

    def _groups(self, topic: str) -> Mapping[str, str]:
        """What the addresses of a topic are filled with, from its id or an address of it."""
        named = {**self._profile.topic.defaults, "topic": topic}
        spot = spot_of(self._address(self._profile.topic.first, named), self._profile)
        if spot is not None and spot.groups["topic"] == topic:
            return spot.groups
        try:
            url = urljoin(f"{self._base}/", topic)
            same_site = host_of(url) == host_of(self._base)
        except ValueError:
            raise GoneError(self._base, cure="mend_address") from None
        spot = spot_of(url, self._profile)
        if spot is None or not same_site:
            raise GoneError(url, cure="mend_address")
        return spot.groups

    def _address(self, address: str, groups: Mapping[str, str]) -> str:
        return address_at(self._base, filled(address, groups))


def capabilities_of(profile: Profile) -> Capabilities:
    """What a forum of that kind can do."""
    forms = [form for form in (profile.reply, profile.edit) if form is not None]
    return Capabilities(
        dialect=profile.dialect,
        edits=profile.edit is not None,
        max_post_chars=profile.max_post_chars,
        spoilers=profile.spoilers,
        tables=profile.tables,
        min_form_age_s=max((form.min_age_s for form in forms), default=0.0),
        settle_s=profile.settle_s,
    )


def _raise_for_captcha(soup: Tag, login: Login, url: str) -> None:
    if login.captcha and soup.select_one(login.captcha):
        raise ForbiddenError(url, cure="solve_captcha")
