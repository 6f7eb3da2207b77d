"""What ``misago_forum`` may ask of a real Misago; runs in the server's process, inside Django.

Everything that people do goes through Misago's own interface, with its rights and its renderer.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final
from unittest import mock

from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone
from misago.acl.cache import clear_acl_cache
from misago.acl.models import Role
from misago.categories.models import Category, CategoryRole, RoleCategoryACL
from misago.threads.api.postingendpoint import floodprotection
from misago.threads.models import Post, Thread
from misago.users.avatars import dynamic
from misago.users.models import Rank

from forum_faults import Application, Environ, Site, StartResponse

USERS: Final = get_user_model().objects
MODERATOR: Final = "Moderadora"
# As quick as the tests; a test that wants the limit turns it on.
floodprotection.MIN_POSTING_INTERVAL = 0


def flood(
    _site: Site, forum: Application, environ: Environ, start: StartResponse
) -> Iterable[bytes]:
    """Misago's own refusal of a post that comes too soon after another."""
    guard = floodprotection.FloodProtectionMiddleware
    interrupt = guard.interrupt_posting

    def at_once(self: Any, serializer: Any) -> None:
        self.user.last_posted_on = timezone.now()
        interrupt(self, serializer)

    with (
        mock.patch.object(floodprotection, "MIN_POSTING_INTERVAL", 3),
        mock.patch.object(guard, "interrupt_posting", at_once),
    ):
        return list(forum(environ, start))


SITE: Final = Site(
    read=re.compile(r"/api/(private-)?threads/[0-9]+/posts/$"),
    write=re.compile(r"/api/(private-)?threads/[0-9]+/posts/"),
    login_path="/",
    posts_marked=b'"results"',
    ways={"flood": flood},
)


def _client(user: Any) -> Client:
    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(user)
    return client


def _ask(user: Any, method: str, path: str, data: object = None) -> Any:
    """Use the interface for programs as somebody."""
    return _answer(_client(user), method, path, data)


def _answer(client: Client, method: str, path: str, data: object) -> Any:
    answer = getattr(client, method)(path, data, content_type="application/json")
    if answer.status_code != 200:
        raise ValueError(f"{answer.status_code} {answer.content.decode()}")
    return answer.json()


def _moderator() -> Any:
    found = USERS.filter(username=MODERATOR).first()
    return found or USERS.get(pk=create_user(MODERATOR, MODERATOR, moderator=True))


def _games() -> Category:
    return Category.objects.all_categories()[0]


def create_user(name: str, password: str, *, moderator: bool) -> str:
    user = USERS.create_user(name, f"{name.casefold()}@example.org", password)
    if moderator:
        user.rank = Rank.objects.get(slug="forum-team")
    user.update_acl_key()
    # Whatever shows a user without a picture is a 500.
    dynamic.set_avatar(user)
    user.save()
    return str(user.pk)


def create_topic(title: str, by: str, texts: list[str]) -> str:
    data = {"category": _games().pk, "title": title, "post": texts[0]}
    topic = str(_ask(USERS.get(pk=by), "post", "/api/threads/", data)["id"])
    post_all(by, topic, texts[1:])
    return topic


def create_private(title: str, by: str, to: list[str], text: str) -> str:
    return str(_start_private(title, by, to, text)["url"])


def write_letter(by: str, to: str, title: str, text: str) -> str:
    thread = _start_private(title, by, [to], text)["id"]
    return str(Post.objects.get(thread_id=thread, is_event=False).pk)


def _start_private(title: str, by: str, to: list[str], text: str) -> Any:
    names = [user.username for user in USERS.filter(pk__in=to)]
    data = {"to": names, "title": title, "post": text}
    return _ask(USERS.get(pk=by), "post", "/api/private-threads/", data)


def post_all(by: str, topic: str, texts: list[str]) -> list[str]:
    client, path = _client(USERS.get(pk=by)), f"/api/threads/{topic}/posts/"
    return [str(_answer(client, "post", path, {"post": text})["id"]) for text in texts]


def edit(post: str, text: str) -> None:
    found = Post.objects.get(pk=post)
    _ask(found.poster, "put", found.get_api_url(), {"post": text})


def remove(post: str) -> None:
    found = Post.objects.get(pk=post)
    _ask(_moderator(), "delete", found.get_api_url())


def hide(post: str) -> None:
    found = Post.objects.get(pk=post)
    _change(found.get_api_url(), "is-hidden", value=True)


def approve(post: str) -> None:
    found = Post.objects.get(pk=post)
    _change(found.get_api_url(), "is-unapproved", value=False)


def wait(post: str) -> None:
    found = Post.objects.get(pk=post)
    found.is_unapproved = True
    found.save()
    found.thread.synchronize()
    found.thread.save()


def move_post(post: str, topic: str) -> None:
    here, there = Post.objects.get(pk=post).thread_id, Thread.objects.get(pk=topic)
    data = {"new_thread": f"http://127.0.0.1{there.get_absolute_url()}", "posts": [int(post)]}
    _ask(_moderator(), "post", f"/api/threads/{here}/posts/move/", data)


def close_account(post: str) -> None:
    Post.objects.get(pk=post).poster.delete(anonymous_username="Fantasma")


def ignore(post: str, user: str) -> None:
    USERS.get(pk=user).blocks.add(Post.objects.get(pk=post).poster)


def _change(path: str, what: str, value: object) -> None:
    _ask(_moderator(), "patch", path, [{"op": "replace", "path": what, "value": value}])


def close(topic: str, *, closed: bool) -> None:
    _change(f"/api/threads/{topic}/", "is-closed", closed)


def rename(topic: str, title: str) -> None:
    _change(f"/api/threads/{topic}/", "title", title)


def move(topic: str) -> None:
    archive = Category.objects.filter(slug="archivo").first()
    if archive is None:
        games = _games()
        archive = Category(name="Archivo", slug="archivo")
        archive.insert_at(games.parent, position="last-child", save=True)
        for granted in RoleCategoryACL.objects.filter(category=games):
            RoleCategoryACL.objects.create(
                role=granted.role, category=archive, category_role=granted.category_role
            )
        Category.objects.clear_cache()
        clear_acl_cache()
    _change(f"/api/threads/{topic}/", "category", archive.pk)


def merge(topic: str, into: str) -> None:
    other = Thread.objects.get(pk=into).get_absolute_url()
    data = {"other_thread": f"http://127.0.0.1{other}"}
    _ask(_moderator(), "post", f"/api/threads/{topic}/merge/", data)


def delete_topic(topic: str) -> None:
    _ask(_moderator(), "delete", f"/api/threads/{topic}/")


def ask_approval(*, on: bool) -> None:
    members, queue = Role.objects.get(special_role="authenticated"), _queue()
    row = {"role": members, "category": _games(), "category_role": queue}
    if on:
        RoleCategoryACL.objects.create(**row)
    else:
        RoleCategoryACL.objects.filter(**row).delete()
    clear_acl_cache()


def _queue() -> CategoryRole:
    return CategoryRole.objects.get(name="In moderation queue")


def forbid_private(*, on: bool) -> None:
    for role in Role.objects.all():
        permissions = role.permissions
        private = permissions.get("misago.threads.permissions.privatethreads")
        if private is not None:
            private["can_use_private_threads"] = int(not on)
            role.permissions = permissions
            role.save()
    clear_acl_cache()


def limit_rates(*, on: bool) -> None:
    # An interval that never ends: a second post is refused whatever the time of day.
    floodprotection.MIN_POSTING_INTERVAL = 86_400 if on else 0


def posts(topic: str) -> list[dict[str, Any]]:
    return [
        {
            "id": str(post.pk),
            "author_id": str(post.poster_id or ""),
            "author": post.poster_name,
            "text": post.original,
            "html": post.parsed,
            "edits": post.edits,
            "removed": post.is_hidden,
        }
        for post in Post.objects.filter(thread_id=topic, is_event=False).order_by("pk")
    ]


COMMANDS: Final[Mapping[str, Callable[..., Any]]] = {
    function.__name__: function
    for function in (
        create_user,
        create_topic,
        create_private,
        write_letter,
        post_all,
        edit,
        remove,
        hide,
        approve,
        close,
        rename,
        move,
        merge,
        delete_topic,
        wait,
        move_post,
        close_account,
        ignore,
        ask_approval,
        forbid_private,
        limit_rates,
        posts,
    )
}
