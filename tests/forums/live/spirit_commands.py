"""What ``spirit_forum`` may ask of a real Spirit; runs in the server's process, inside Django."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final
from unittest import mock

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.cache import caches
from spirit.category.models import Category
from spirit.comment.forms import CommentForm
from spirit.comment.models import Comment
from spirit.comment.utils import comment_posted, post_comment_update, pre_comment_update
from spirit.core.conf import settings as private
from spirit.core.utils.ratelimit import ratelimit
from spirit.topic.models import Topic
from spirit.topic.private.models import TopicPrivate

from forum_faults import Application, Environ, Site, StartResponse

USERS: Final = get_user_model().objects


def flood(
    _site: Site, forum: Application, environ: Environ, start: StartResponse
) -> Iterable[bytes]:
    """Spirit's own refusal of a post that comes too soon."""
    with (
        mock.patch.object(settings, "ST_RATELIMIT_ENABLE", new=True),
        mock.patch.object(ratelimit, "split_rate", return_value=(0, 10)),
    ):
        return list(forum(environ, start))


SITE: Final = Site(
    read=re.compile(r"/topic/(private/)?[0-9]+/."),
    write=re.compile(r"/comment/"),
    login_path="/user/login/",
    posts_marked=b"comments_list__",
    ways={"flood": flood},
)


def create_user(name: str, password: str, *, moderator: bool) -> str:
    user = USERS.create_user(name, f"{name.casefold()}@example.org", password)
    user.st.nickname = name
    user.st.is_verified = True
    user.st.is_moderator = moderator
    user.st.save()
    return str(user.pk)


def create_topic(title: str, by: str, texts: list[str]) -> str:
    category = Category.objects.filter(title="Partidas").first()
    if category is None:
        category = Category.objects.create(title="Partidas")
    topic = Topic.objects.create(title=title, user_id=by, category=category)
    post_all(by, topic.pk, texts)
    return str(topic.pk)


def post_all(by: str, topic: str, texts: list[str]) -> list[str]:
    return [_post(by, topic, text) for text in texts]


def _post(by: str, topic: str, text: str) -> str:
    form = CommentForm(
        user=USERS.get(pk=by), topic=Topic.objects.get(pk=topic), data={"comment": text}
    )
    if not form.is_valid():
        raise ValueError(form.errors.as_json())
    comment = form.save()
    comment_posted(comment=comment, mentions=form.mentions)
    return str(comment.pk)


def edit(post: str, text: str) -> None:
    instance = Comment.objects.get(pk=post)
    form = CommentForm(user=instance.user, data={"comment": text}, instance=instance)
    if not form.is_valid():
        raise ValueError(form.errors.as_json())
    pre_comment_update(comment=Comment.objects.get(pk=post))
    post_comment_update(comment=form.save())


def remove(post: str) -> None:
    Comment.objects.filter(pk=post).update(is_removed=True)


def move_post(post: str, topic: str) -> None:
    Comment.objects.filter(pk=post).update(topic_id=topic)


def erase_account(post: str) -> None:
    # Spirit deletes what somebody has written with the account.
    Comment.objects.get(pk=post).user.delete()


def close(topic: str, *, closed: bool) -> None:
    found = Topic.objects.get(pk=topic)
    if found.is_closed != closed:
        Topic.objects.filter(pk=topic).update(is_closed=closed)
        action = Comment.CLOSED if closed else Comment.UNCLOSED
        Comment.create_moderation_action(user=found.user, topic=found, action=action)


def rename(topic: str, title: str) -> None:
    found = Topic.objects.get(pk=topic)
    found.title = title
    found.save()


def delete_topic(topic: str) -> None:
    Topic.objects.filter(pk=topic).update(is_removed=True)


def posts(topic: str) -> list[dict[str, Any]]:
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


def write_letter(by: str, to: str, title: str, text: str) -> str:
    category = Category.objects.get(pk=private.ST_TOPIC_PRIVATE_CATEGORY_PK)
    topic = Topic.objects.create(title=title, user_id=by, category=category)
    for user in (by, to):
        TopicPrivate.objects.create(user_id=user, topic=topic)
    return _post(by, topic.pk, text)


def limit_rates(*, on: bool) -> None:
    settings.ST_RATELIMIT_ENABLE = on
    caches["st_rate_limit"].clear()


COMMANDS: Final[Mapping[str, Callable[..., Any]]] = {
    function.__name__: function
    for function in (
        create_user,
        create_topic,
        post_all,
        edit,
        remove,
        move_post,
        erase_account,
        close,
        rename,
        delete_topic,
        posts,
        write_letter,
        limit_rates,
    )
}
