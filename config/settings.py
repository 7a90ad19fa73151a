"""Django's settings: the one place that reads the environment."""

from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent
SECRET_KEY = "replaced by the foundations"  # noqa: S105
DEBUG = False
INSTALLED_APPS = [
    "config",
    "evaluation",
    "studies",
    "decoding",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]
DATABASES = {
    "default": {"ENGINE": "django.db.backends.sqlite3", "NAME": BASE_DIR / "data/db.sqlite3"}
}
USE_TZ = True
