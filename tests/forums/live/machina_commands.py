"""What ``machina_forum`` may ask of a real django-machina; runs in the server's process."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final
from uuid import uuid4

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from machina.apps.forum_conversation.forms import PostForm, TopicForm
from machina.core.db.models import get_model

from forum_faults import Site

Forum = get_model("forum", "Forum")
ForumProfile = get_model("forum_member", "ForumProfile")
Permission = get_model("forum_permission", "ForumPermission")
Granted = get_model("forum_permission", "UserForumPermission")
Post = get_model("forum_conversation", "Post")
Topic = get_model("forum_conversation", "Topic")
USERS: Final = get_user_model().objects

FOR_GUESTS: Final = ("can_see_forum", "can_read_forum")
FOR_MODERATORS: Final = (
    "can_lock_topics",
    "can_move_topics",
    "can_edit_posts",
    "can_delete_posts",
    "can_approve_posts",
    "can_reply_to_locked_topics",
)

SITE: Final = Site(
    read=re.compile(r"/foro/forum/[^/]+/topic/[^/]+/$"),
    write=re.compile(r"/foro/forum/[^/]+/topic/.*/(create|update)/$"),
    login_path="/cuenta/entrar/",
    posts_marked=b"card post",
)


def _games() -> Any:
    """The forum for games, which guests may read; made when first asked for."""
    found = Forum.objects.filter(name="Los molinos").first()
    if found is None:
        category = Forum.objects.create(name="Partidas", type=Forum.FORUM_CAT)
        found = Forum.objects.create(name="Los molinos", type=Forum.FORUM_POST, parent=category)
        for name in FOR_GUESTS:
            _grant(name, found, anonymous_user=True)
    return found


def _grant(name: str, forum: Any, *, has_perm: bool = True, **whom: object) -> None:
    permission = Permission.objects.get(codename=name)
    Granted.objects.update_or_create(
        permission=permission, forum=forum, **whom, defaults={"has_perm": has_perm}
    )


def create_user(name: str, password: str, *, moderator: bool) -> str:
    user = USERS.create_user(name, f"{name.casefold()}@example.org", password)
    ForumProfile.objects.get_or_create(user=user)
    for permission in FOR_MODERATORS if moderator else ():
        _grant(permission, _games(), user=user)
    return str(user.pk)


def sign(user: str, signature: str) -> None:
    profile = ForumProfile.objects.get(user_id=user)
    profile.signature = signature
    profile.save()


def create_topic(title: str, by: str, texts: list[str]) -> str:
    data = {"subject": title, "content": texts[0], "enable_signature": True}
    head = _saved(TopicForm(user=USERS.get(pk=by), forum=_games(), data=data))
    post_all(by, head.topic_id, texts[1:])
    return str(head.topic_id)


def post_all(by: str, topic: str, texts: list[str]) -> list[str]:
    user, found = USERS.get(pk=by), Topic.objects.get(pk=topic)
    return [_post(user, found, text) for text in texts]


def _post(user: AbstractBaseUser, topic: Any, text: str) -> str:
    data = {"subject": f"Re: {topic.subject}", "content": text, "enable_signature": True}
    return str(_saved(PostForm(user=user, forum=topic.forum, topic=topic, data=data)).pk)


def post_as_guest(name: str, topic: str, text: str) -> str:
    guest, found = AnonymousUser(), Topic.objects.get(pk=topic)
    _grant("can_post_without_approval", found.forum, anonymous_user=True)
    # As machina's own middleware has it.
    guest.forum_key = uuid4().hex
    data = {"subject": f"Re: {found.subject}", "content": text, "username": name}
    return str(_saved(PostForm(user=guest, forum=found.forum, topic=found, data=data)).pk)


def edit(post: str, text: str) -> None:
    found = Post.objects.get(pk=post)
    topic = found.topic
    data = {"subject": found.subject, "content": text, "enable_signature": True}
    _saved(PostForm(user=found.poster, forum=topic.forum, topic=topic, data=data, instance=found))


def _saved(form: PostForm) -> Any:
    if not form.is_valid():
        raise ValueError(form.errors.as_json())
    return form.save()


def remove(post: str) -> None:
    Post.objects.get(pk=post).delete()


def approve(post: str) -> None:
    _set_approved(post, approved=True)


def wait(post: str) -> None:
    _set_approved(post, approved=False)


def _set_approved(post: str, *, approved: bool) -> None:
    found = Post.objects.get(pk=post)
    found.approved = approved
    found.save()


def move_post(post: str, topic: str) -> None:
    # Not one of its moderators' tools: an administrator does it.
    found = Post.objects.get(pk=post)
    old = found.topic
    found.topic = Topic.objects.get(pk=topic)
    found.save()
    old.update_trackers()


def erase_account(post: str) -> None:
    # machina deletes what somebody has written with the account.
    topic = Post.objects.get(pk=post).topic
    Post.objects.get(pk=post).poster.delete()
    topic.update_trackers()


def close(topic: str, *, closed: bool) -> None:
    found = Topic.objects.get(pk=topic)
    found.status = Topic.TOPIC_LOCKED if closed else Topic.TOPIC_UNLOCKED
    found.save()


def rename(topic: str, title: str) -> None:
    found = Topic.objects.get(pk=topic)
    found.subject = title
    found.save()


def move(topic: str) -> None:
    category = _games().parent
    forum = Forum.objects.create(name="El archivo", type=Forum.FORUM_POST, parent=category)
    for name in FOR_GUESTS:
        _grant(name, forum, anonymous_user=True)
    found = Topic.objects.get(pk=topic)
    found.forum = forum
    found.save()


def delete_topic(topic: str) -> None:
    Topic.objects.get(pk=topic).delete()


def shut_out(user: str) -> None:
    forbid(user, "can_read_forum")


def forbid(user: str, permission: str) -> None:
    _grant(permission, _games(), has_perm=False, user=USERS.get(pk=user))


def posts(topic: str) -> list[dict[str, Any]]:
    return [
        {
            "id": str(found.pk),
            "author_id": str(found.poster_id),
            "author": found.poster.get_username() if found.poster else found.username,
            "text": found.content.raw,
            "html": found.content.rendered,
            "edits": found.updates_count,
            "removed": not found.approved,
        }
        for found in Post.objects.filter(topic_id=topic).order_by("created", "pk")
    ]


COMMANDS: Final[Mapping[str, Callable[..., Any]]] = {
    function.__name__: function
    for function in (
        create_user,
        sign,
        create_topic,
        post_all,
        post_as_guest,
        edit,
        remove,
        approve,
        wait,
        move_post,
        erase_account,
        close,
        rename,
        move,
        delete_topic,
        shut_out,
        forbid,
        posts,
    )
}
