"""Django's settings, made from the environment that config/environment.py reads."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF
from environ import Env

from config.environment import ROOT, decoder_version, kernel_cache, made, read_environment

ENVIRONMENT = read_environment()
VERSION = "0.1.0"
DECODER_VERSION = decoder_version(VERSION)  # kept with each list

# numba keeps compiled kernels beside the code unless told otherwise, and that folder may be
# read-only. Set before anything imports numba; children inherit it.
os.environ.setdefault("NUMBA_CACHE_DIR", str(kernel_cache(ENVIRONMENT.data / "cache" / "kernels")))

BASE_DIR = ROOT
SECRET_KEY = ENVIRONMENT.secret_key
DEBUG = ENVIRONMENT.debug
ALLOWED_HOSTS = ENVIRONMENT.allowed_hosts
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

INSTALLED_APPS = [
    "config.apps.ConfigConfig",
    # From the top of the house to its foundation: an app imports only from those below it.
    "evaluation",
    "studies",
    "decoding",
    "axes",
    "csp",
    "django_htmx",
    "import_export",
    "template_partials",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django.forms",
]

MIDDLEWARE = [
    "config.middleware.request_id",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.middleware.permissions_policy",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    # Last, as django-axes asks: it turns a lock-out into an answer.
    "axes.middleware.AxesMiddleware",
]

if ENVIRONMENT.metrics:
    INSTALLED_APPS.append("django_prometheus")
    MIDDLEWARE = [
        "django_prometheus.middleware.PrometheusBeforeMiddleware",
        *MIDDLEWARE,
        "django_prometheus.middleware.PrometheusAfterMiddleware",
    ]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": ["config.templatetags.components"],
        },
    }
]

FORM_RENDERER = "config.forms.FormRenderer"

# --- Database -------------------------------------------------------------------------------


def database(url: str) -> dict[str, Any]:
    """Django's form of DATABASE_URL, with what each engine needs to be used by many at once."""
    read = Env.db_url_config(url)
    options = read.setdefault("OPTIONS", {})
    if read["ENGINE"].endswith("sqlite3"):
        options |= {
            # IMMEDIATE: a transaction that will write takes its place in the queue at its start,
            # for a reader that turns writer in the middle fails at once instead of waiting.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        }
        # Opening the file anew for each request takes longer than what most requests ask of it.
        read["CONN_MAX_AGE"] = None
        # A file, for the tests start workers that must find it.
        read["TEST"] = {"NAME": ENVIRONMENT.data / "test.sqlite3"}
    else:
        # A connection for each request costs 3.4 ms; one from the pool 1.0 ms.
        options["pool"] = {"min_size": 1, "max_size": 16, "timeout": 10}
        # What is sent with its values beside it is planned once a connection.
        options["prepare_threshold"] = 5
    return read


DATABASES = {"default": database(ENVIRONMENT.database_url)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Jobs -----------------------------------------------------------------------------------

CELERY_BROKER_URL = ENVIRONMENT.redis_url
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True  # results are in the database, where they can be queried
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CONCURRENCY = ENVIRONMENT.worker_threads
# Threads, not processes: kernels release the GIL, and the models are mapped once a worker.
CELERY_WORKER_POOL = "threads"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 3600}
JOB_LEASE_SECONDS = ENVIRONMENT.job_lease_seconds

# --- Accounts -------------------------------------------------------------------------------

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_HTTP_RESPONSE_CODE = 429
AXES_LOCKOUT_TEMPLATE = "429.html"
AXES_VERBOSE = False
AXES_IPWARE_PROXY_COUNT = 1 if ENVIRONMENT.behind_proxy else 0
AXES_IPWARE_META_PRECEDENCE_ORDER = (
    ["HTTP_X_FORWARDED_FOR"] if ENVIRONMENT.behind_proxy else ["REMOTE_ADDR"]
)

# --- What leaves and enters over the wire ---------------------------------------------------

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "config.views.csrf_failure"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = ENVIRONMENT.https
SECURE_HSTS_SECONDS = 31_536_000 if ENVIRONMENT.https else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = ENVIRONMENT.https
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
if ENVIRONMENT.behind_proxy:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
    }
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_500_000  # of a form without its files
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1000
FILE_UPLOAD_HANDLERS = ["decoding.uploads.LimitedUploadHandler"]  # to disk, up to the limit
FILE_UPLOAD_TEMP_DIR = made(ENVIRONMENT.data / "scratch")  # /tmp may be memory
UPLOAD_LIMIT_BYTES = ENVIRONMENT.upload_limit_mb * 1_000_000

# --- Files ----------------------------------------------------------------------------------

STATIC_URL = "static/"
STATIC_ROOT = ENVIRONMENT.data / "static"
MEDIA_ROOT = ENVIRONMENT.data / "files"  # private: nothing here is served by its address
STORAGES = {
    "default": {"BACKEND": "decoding.storage.WholeFiles"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = DEBUG

# --- Language and time ----------------------------------------------------------------------

LANGUAGE_CODE = "en"
# No LocaleMiddleware: researchers' pages are English, and a browser that asks for Arabic would get
# them half translated. Participants' pages speak the language that their study chose.
LANGUAGES = [("en", "English"), ("ar", "العربية")]
LOCALE_PATHS = [ROOT / "config" / "locale"]
USE_I18N = True
TIME_ZONE = ENVIRONMENT.time_zone
USE_TZ = True

# --- Logs -----------------------------------------------------------------------------------

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "config.logs.LineFormatter"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": ENVIRONMENT.log_level},
    "loggers": {
        # A 404 is the visitor's affair and in the access log; a broken page is ours.
        "django.request": {"level": "ERROR"},
        "axes": {"level": "WARNING"},
        "celery": {"level": "WARNING"},
        "kombu": {"level": "WARNING"},
    },
}

# --- Platforms that participants come from -------------------------------------------------

PROLIFIC_KEYS = ENVIRONMENT.prolific_keys
PLATFORMS = ENVIRONMENT.platforms

DATA_DIR: Path = ENVIRONMENT.data
