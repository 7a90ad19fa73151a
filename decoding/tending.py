"""What a worker does beside its jobs (config/celery.py calls it every few seconds)."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from celery import current_app
from django.db import DatabaseError, close_old_connections, connections
from django.utils import timezone
from kombu.exceptions import OperationalError
from redis import Redis
from redis.exceptions import RedisError

from decoding.storage import remove_if_older, remove_unfinished
from decoding.uploads import scratch

_log = logging.getLogger(__name__)
_SIGN = "variorum:worker:"
_SIGN_SECONDS = 20
# What was not written to for so long is nobody's.
_LEFT_OVER = timedelta(days=1)

# What a broker raises that is out of reach: by its client, by kombu, by the socket.
BROKER_ERRORS = (RedisError, OperationalError, OSError)


def tend() -> None:
    """Show that this worker lives, and take up abandoned jobs. Never raises."""
    from decoding.actions.jobs import recover_jobs

    close_old_connections()
    try:
        show_life()
        recover_jobs()
    except (DatabaseError, *BROKER_ERRORS) as error:
        _log.warning("could not tend the jobs", extra={"error": str(error)})
    finally:
        connections.close_all()


def tidy() -> None:
    """Remove what nobody can want any more: old uploads, and what died unfinished. Never raises."""
    from decoding.actions.uploads import forget_old_uploads

    close_old_connections()
    try:
        long_ago = timezone.now() - _LEFT_OVER
        for left in scratch().iterdir():
            remove_if_older(left, long_ago)
        remove_unfinished(long_ago)
        forget_old_uploads()
    except (DatabaseError, OSError) as error:
        _log.warning("could not tidy", extra={"error": str(error)})
    finally:
        connections.close_all()


def show_life() -> None:
    """Leave a sign in the broker that fades when it is not renewed."""
    name = f"{_SIGN}{socket.gethostname()}:{os.getpid()}"
    with _broker() as client:
        client.set(name, "alive", ex=_SIGN_SECONDS)


def living_workers() -> int:
    """How many workers have shown themselves of late. Raises when the broker is out of reach."""
    with _broker() as client:
        return sum(1 for _ in client.scan_iter(match=f"{_SIGN}*"))


@contextmanager
def _broker() -> Iterator[Redis]:
    """The broker's own client, tried once: whoever asks for health wants the answer now."""
    with current_app.connection_for_read(connect_timeout=2) as connection:
        connection.connect()
        yield connection.channel().client
