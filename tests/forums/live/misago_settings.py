"""The settings that Misago's wheel brings for its developers, made quick, quiet and unlimited."""

import os
from pathlib import Path

from devproject.settings import *  # noqa: F403 - Django's own way to build on settings
from devproject.settings import CACHES, DATABASES, INSTALLED_APPS, MIDDLEWARE
from misago.conf import defaults

HOME = Path(os.environ["FORUM_HOME"])

DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1"]
SECRET_KEY = "for a forum that lives on loopback only"
# Neither is installed: one is for developers, the other makes up people and threads.
INSTALLED_APPS = [app for app in INSTALLED_APPS if app not in {"debug_toolbar", "misago.faker"}]
MIDDLEWARE = [name for name in MIDDLEWARE if not name.startswith("debug_toolbar.")]
# There is no broker; what Misago leaves to others is done at once.
CELERY_BROKER_URL = None
CELERY_TASK_ALWAYS_EAGER = True
# One asks a service on the net about whoever registers.
MISAGO_NEW_REGISTRATIONS_VALIDATORS: tuple[str, ...] = ()
# Nobody looks at notifications here, and they are a quarter of the work of a post.
MISAGO_POSTING_MIDDLEWARES = [
    name
    for name in defaults.MISAGO_POSTING_MIDDLEWARES
    if not name.endswith(".NotificationsMiddleware")
]
MEDIA_ROOT = str(HOME / "media")
STATIC_ROOT = str(HOME / "static")
MISAGO_USER_DATA_DOWNLOADS_WORKING_DIR = str(HOME / "downloads")
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
LOGGING: dict[str, object] = {}
LOGGING_CONFIG = None
DATABASES["default"] |= {
    "PORT": os.environ["POSTGRES_PORT"],
    "NAME": os.environ["FORUM_DATABASE"],
    # Logging in to PostgreSQL costs as much as a page.
    "CONN_MAX_AGE": 60,
}
# One cache for the server's threads, and none that outlives the forum.
CACHES["default"]["LOCATION"] = str(HOME)
