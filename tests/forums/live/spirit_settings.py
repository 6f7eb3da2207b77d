"""Spirit's own settings for developers, made quick, quiet and unlimited."""

from mysite.settings.dev import *  # noqa: F403 - Django's own way to build on settings
from mysite.settings.dev import DATABASES

DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1"]
SECRET_KEY = "for a forum that lives on loopback only"
ST_SITE_URL = "http://127.0.0.1"
ST_RATELIMIT_ENABLE = False
ST_RATELIMIT_SKIP_TIMEOUT_CHECK = True
# A window that never ends: a second post is refused whatever the time of day.
ST_TESTS_RATELIMIT_NEVER_EXPIRE = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
HAYSTACK_CONNECTIONS = {"default": {"ENGINE": "haystack.backends.simple_backend.SimpleEngine"}}
HAYSTACK_SIGNAL_PROCESSOR = "haystack.signals.BaseSignalProcessor"
LOGGING: dict[str, object] = {}
LOGGING_CONFIG = None
# A forum for an afternoon: nothing need survive a power cut.
DATABASES["default"]["OPTIONS"] = {
    "timeout": 30,
    "transaction_mode": "IMMEDIATE",
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;",
}
