"""The environment, read once and typed: the only module of the project that looks at it.

What it does not know it rejects, for a misspelt setting that is silently ignored is found on the
day it was needed. docs/operations.md lists the variables for operators.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

ROOT = Path(__file__).resolve().parent.parent
_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off"}
PROLIFIC_KEYS = "https://api.prolific.com/.well-known/study/jwks.json"
# What turns a sentence into its lists; some are chosen by metrics.
_DECODER = (
    "decoding/core/**/*.py",
    "decoding/makers.py",
    "decoding/preparing.py",
    "evaluation/core/metrics/**/*.py",
)
_LOG_LEVELS = {"DEBUG", "INFO", "WARNING", "ERROR"}

# Variables of ours that other programs read: the tests, the compiler's cache.
_READ_ELSEWHERE = {"VARIORUM_REFERENCE_DATA", "VARIORUM_TEST_DATABASE_URL"}


@dataclass(frozen=True, slots=True)
class Environment:
    """Everything that an operator can set from outside."""

    data: Path  # where the embedded database, uploads, systems and secrets live
    secret_key: str
    database_url: str  # postgres://user:password@host:port/name or sqlite:///path
    redis_url: str  # the broker; redis+socket:// when embedded
    embedded: bool  # no broker was given: `manage.py up` starts its own
    allowed_hosts: list[str]
    https: bool  # pages are served by https: secure cookies, HSTS, redirect
    behind_proxy: bool  # trust X-Forwarded-Proto and X-Forwarded-For of the proxy in front
    debug: bool
    metrics: bool  # serve Prometheus metrics at /metrics
    log_level: str
    time_zone: str
    upload_limit_mb: int
    worker_threads: int  # jobs that one worker runs at the same time
    job_lease_seconds: int  # a running job without a heartbeat for so long is taken up again
    address: str  # host:port on which `manage.py up` serves
    styleguide: bool  # /styleguide
    demonstration: bool  # the first start of `manage.py up` makes one
    prolific_keys: str  # where Prolific publishes the keys of its signed links
    platforms: list[str]  # origins to which studies may send people, and tell of completions


def read_environment(environ: Mapping[str, str] = os.environ) -> Environment:
    """Read, check and complete the environment; ImproperlyConfigured says what to change."""
    reader = _Reader(environ)
    redis_url = reader.url("REDIS_URL", {"redis", "rediss", "redis+socket", "unix"})
    database_url = reader.url("DATABASE_URL", {"postgres", "postgresql", "sqlite"})
    data = Path(reader.text("VARIORUM_DATA", str(ROOT / "data"))).expanduser().resolve()
    debug = reader.flag("VARIORUM_DEBUG", False)
    address = reader.text("VARIORUM_ADDRESS", "127.0.0.1:8000")
    embedded = not redis_url
    read = Environment(
        data=data,
        secret_key=reader.secret("SECRET_KEY") or _embedded_secret(data, embedded=embedded),
        database_url=database_url or f"sqlite:///{data / 'variorum.sqlite3'}",
        redis_url=redis_url or f"redis+socket://{embedded_socket(data)}",
        embedded=embedded,
        allowed_hosts=reader.names("ALLOWED_HOSTS", _local_hosts(address) if embedded else []),
        https=reader.flag("VARIORUM_HTTPS", not embedded),
        behind_proxy=reader.flag("VARIORUM_BEHIND_PROXY", False),
        debug=debug,
        metrics=reader.flag("VARIORUM_METRICS", False),
        log_level=reader.one_of("VARIORUM_LOG_LEVEL", "INFO", _LOG_LEVELS),
        time_zone=reader.text("VARIORUM_TIME_ZONE", "UTC"),
        upload_limit_mb=reader.number("VARIORUM_UPLOAD_LIMIT_MB", 500),
        worker_threads=reader.number("VARIORUM_WORKER_THREADS", 2),
        job_lease_seconds=reader.number("VARIORUM_JOB_LEASE_SECONDS", 20),
        address=address,
        styleguide=reader.flag("VARIORUM_STYLEGUIDE", debug),
        # A database of one's own is for one's own work.
        demonstration=reader.flag("VARIORUM_DEMONSTRATION", embedded and not database_url),
        prolific_keys=reader.url("VARIORUM_PROLIFIC_KEYS", {"https", "http"}) or PROLIFIC_KEYS,
        platforms=reader.origins("VARIORUM_PLATFORMS"),
    )
    reader.reject_unknown()
    if not embedded and not read.allowed_hosts:
        raise ImproperlyConfigured(
            "ALLOWED_HOSTS is not set. Name the hosts that people use, such as "
            "ALLOWED_HOSTS=study.example.org."
        )
    return read


def embedded_socket(data: Path) -> Path:
    """Where the embedded broker listens; a socket's path may have 107 bytes and no more."""
    path = data / "valkey.sock"
    if len(os.fsencode(path)) <= 100:
        return path
    # hash() is salted per process, and every process must find the same socket.
    short = sha256(os.fsencode(data)).hexdigest()[:16]
    return Path(f"/tmp/variorum-{os.getuid()}-{short}/valkey.sock")  # noqa: S108 (made 0700 by `up`)


def kernel_cache(folder: Path) -> Path:
    """Where numba keeps compiled kernels: another place as soon as any kernel's source changes.

    numba itself looks only at the file in which a kernel stands, and would go on using one that
    was compiled with an older version of another that it calls.
    """
    return folder / _checksum("*/core/**/*.py", of=(b"njit", b"core.search.compiled"))[:16]


def decoder_version(version: str) -> str:
    """What tells of two lists whether the same decoder made them: 0.1.0+1f0a52c09b7d."""
    return f"{version}+{_checksum(*_DECODER)[:12]}"


def _checksum(*patterns: str, of: tuple[bytes, ...] = (b"",)) -> str:
    """SHA-256 of the sources that hold one of these words: the same wherever they lie."""
    sources = sha256()
    for pattern in patterns:
        for path in sorted(ROOT.glob(pattern)):
            text = path.read_bytes()
            if any(words in text for words in of):
                sources.update(text)
    return sources.hexdigest()


def _embedded_secret(data: Path, *, embedded: bool) -> str:
    """The secret key of the embedded mode: made at the first start, kept with mode 0600."""
    if not embedded:
        raise ImproperlyConfigured(
            "SECRET_KEY is not set, and REDIS_URL is: this is a production set-up. Set "
            "SECRET_KEY (or SECRET_KEY_FILE) to 50 or more random characters."
        )
    path = data / "secret_key"
    try:
        return path.read_text().strip()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        raise ImproperlyConfigured(
            f"Cannot read {path}: {error.strerror}. Start Variorum as the user who owns it, or "
            "set VARIORUM_DATA to another folder."
        ) from error
    key = secrets.token_urlsafe(64)
    try:
        data.mkdir(parents=True, exist_ok=True)
        # O_EXCL: of two processes that start at once, one makes the key and the other reads it.
        descriptor = os.open(
            path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, stat.S_IRUSR | stat.S_IWUSR
        )
    except FileExistsError:
        return path.read_text().strip()
    except OSError as error:
        raise _cannot_write(data, error) from error
    with os.fdopen(descriptor, "w") as file:
        file.write(key)
    return key


def made(folder: Path) -> Path:
    """A folder within the data folder that has to be there from the start."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot_write(folder.parent, error) from error
    return folder


def _cannot_write(data: Path, error: OSError) -> ImproperlyConfigured:
    return ImproperlyConfigured(
        f"Cannot write to the data folder {data}: {error.strerror}. "
        "Give yourself the right to write there, or set VARIORUM_DATA to another folder."
    )


def _local_hosts(address: str) -> list[str]:
    host = urlsplit(f"//{address}").hostname or "127.0.0.1"
    return ["localhost", "127.0.0.1", "[::1]", *([host] if host != "0.0.0.0" else ["*"])]  # noqa: S104


class _Reader:
    """Typed look-ups that remember what was asked for, so that the rest can be rejected."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self.known = set(_READ_ELSEWHERE)

    def text(self, name: str, default: str) -> str:
        self.known.add(name)
        return self.environ.get(name, "").strip() or default

    def flag(self, name: str, default: bool) -> bool:
        value = self.text(name, "true" if default else "false").lower()
        if value not in _TRUE | _FALSE:
            raise ImproperlyConfigured(f"{name} is {value!r}. Set it to true or false.")
        return value in _TRUE

    def number(self, name: str, default: int) -> int:
        value = self.text(name, str(default))
        if not value.isdecimal() or int(value) == 0:
            raise ImproperlyConfigured(f"{name} is {value!r}. Set it to a whole number above 0.")
        return int(value)

    def names(self, name: str, default: list[str]) -> list[str]:
        value = self.text(name, "")
        return [part.strip() for part in value.split(",") if part.strip()] or default

    def origins(self, name: str) -> list[str]:
        found = self.names(name, [])
        for one in found:
            parts = urlsplit(one)
            if parts.scheme not in {"https", "http"} or one != f"{parts.scheme}://{parts.netloc}":
                raise ImproperlyConfigured(
                    f"{name} holds {one!r}. Write origins, such as https://platform.example."
                )
        return found

    def one_of(self, name: str, default: str, allowed: set[str]) -> str:
        value = self.text(name, default).upper()
        if value not in allowed:
            raise ImproperlyConfigured(f"{name} is {value!r}. Set it to one of {sorted(allowed)}.")
        return value

    def url(self, name: str, schemes: set[str]) -> str:
        value = self.text(name, "")
        if value and urlsplit(value).scheme not in schemes:
            raise ImproperlyConfigured(
                f"{name} must start with one of {', '.join(sorted(schemes))}, followed by ://."
            )
        return value

    def secret(self, name: str) -> str:
        """A secret itself, or the file that holds it (NAME_FILE), as containers hand them over."""
        value, path = self.text(name, ""), self.text(f"{name}_FILE", "")
        if value and path:
            raise ImproperlyConfigured(f"Set {name} or {name}_FILE, not both.")
        if not path:
            return value
        try:
            return Path(path).read_text().strip()
        except OSError as error:
            raise ImproperlyConfigured(f"{name}_FILE: cannot read {path}.") from error

    def reject_unknown(self) -> None:
        unknown = sorted(
            name for name in self.environ if name.startswith("VARIORUM_") and name not in self.known
        )
        if unknown:
            ours = ", ".join(sorted(name for name in self.known if name.startswith("VARIORUM_")))
            raise ImproperlyConfigured(f"Unknown setting {', '.join(unknown)}. There are: {ours}.")
