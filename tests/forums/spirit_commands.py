"""What ``spirit_forum`` may ask of a real Spirit; runs in the server's process, inside Django."""

import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.cache import caches
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application
from spirit.category.models import Category
from spirit.comment.forms import CommentForm
from spirit.comment.models import Comment
from spirit.comment.utils import comment_posted, post_comment_update, pre_comment_update
from spirit.topic.models import Topic

from tests.forums.spirit_faults import CONNECTION, Faults

USERS: Final = get_user_model().objects


FAULTS: Final = Faults(StaticFilesHandler(get_wsgi_application()))


class Quiet(WSGIRequestHandler):
    """Django's own handler without its log of requests; faults may close its connection."""

    def get_environ(self) -> dict[str, Any]:
        return {**super().get_environ(), CONNECTION: self.connection}

    def log_message(self, *_words: object) -> None:
        pass


def serve() -> int:
    """Serve on a free loopback port in the background; returns the port."""
    server = ThreadedWSGIServer(("127.0.0.1", 0), Quiet)
    server.set_app(FAULTS)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return int(server.server_port)


def create_user(name: str, password: str, *, moderator: bool) -> int:
    user = USERS.create_user(name, f"{name.casefold()}@example.org", password)
    user.st.nickname = name
    user.st.is_verified = True
    user.st.is_moderator = moderator
    user.st.save()
    return int(user.pk)


def create_topic(title: str, by: int, texts: list[str]) -> int:
    category = Category.objects.filter(title="Partidas").first()
    if category is None:
        category = Category.objects.create(title="Partidas")
    topic = Topic.objects.create(title=title, user_id=by, category=category)
    post(topic.pk, by, texts)
    return int(topic.pk)


def post(topic: int, by: int, texts: list[str]) -> list[int]:
    return [_post(topic, by, text) for text in texts]


def _post(topic: int, by: int, text: str) -> int:
    form = CommentForm(
        user=USERS.get(pk=by), topic=Topic.objects.get(pk=topic), data={"comment": text}
    )
    if not form.is_valid():
        raise ValueError(form.errors.as_json())
    comment = form.save()
    comment_posted(comment=comment, mentions=form.mentions)
    return int(comment.pk)


def edit(comment: int, text: str) -> None:
    instance = Comment.objects.get(pk=comment)
    form = CommentForm(user=instance.user, data={"comment": text}, instance=instance)
    if not form.is_valid():
        raise ValueError(form.errors.as_json())
    pre_comment_update(comment=Comment.objects.get(pk=comment))
    post_comment_update(comment=form.save())


def remove(comment: int, *, removed: bool) -> None:
    Comment.objects.filter(pk=comment).update(is_removed=removed)


def move(comment: int, topic: int) -> None:
    Comment.objects.filter(pk=comment).update(topic_id=topic)


def close(topic: int, *, closed: bool) -> None:
    found = Topic.objects.get(pk=topic)
    if found.is_closed != closed:
        Topic.objects.filter(pk=topic).update(is_closed=closed)
        action = Comment.CLOSED if closed else Comment.UNCLOSED
        Comment.create_moderation_action(user=found.user, topic=found, action=action)


def rename(topic: int, title: str) -> None:
    found = Topic.objects.get(pk=topic)
    found.title = title
    found.save()


def delete_topic(topic: int) -> None:
    Topic.objects.filter(pk=topic).update(is_removed=True)


def posts(topic: int) -> list[dict[str, Any]]:
    return [
        {
            "id": str(comment.pk),
            "author_id": str(comment.user_id),
            "author": comment.user.st.nickname,
            "text": comment.comment,
            "html": comment.comment_html,
            "edits": comment.modified_count,
            "removed": comment.is_removed,
        }
        for comment in Comment.objects.filter(topic_id=topic, action=0).order_by("date", "pk")
    ]


def limit_rates(*, on: bool) -> None:
    settings.ST_RATELIMIT_ENABLE = on
    caches["st_rate_limit"].clear()


def set_password(user: int, password: str) -> None:
    found = USERS.get(pk=user)
    found.set_password(password)
    found.save()


def fault(name: str, kind: str, times: int) -> None:
    FAULTS.next(name, kind, times)


def no_faults() -> None:
    FAULTS.clear()


def end_sessions() -> None:
    Session.objects.all().delete()


COMMANDS: Final[Mapping[str, Callable[..., Any]]] = {
    function.__name__: function
    for function in (
        create_user,
        create_topic,
        post,
        edit,
        remove,
        move,
        close,
        rename,
        delete_topic,
        posts,
        limit_rates,
        set_password,
        fault,
        no_faults,
        end_sessions,
    )
}
