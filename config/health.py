"""For whoever watches the service: /healthz says that it lives, /readyz that it can work."""

from __future__ import annotations

import shutil
from collections.abc import Callable

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from config.supervisor import LEAST_FREE_BYTES
from decoding.tending import BROKER_ERRORS, living_workers


class NotReady(Exception):
    """With the sentence for the operator."""


@require_safe
@never_cache
def alive(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"alive": True})


@require_safe
@never_cache
def ready(request: HttpRequest) -> JsonResponse:
    """200 when everything that the service needs is there, else 503 with what is missing."""
    found = {}
    for name, check in CHECKS.items():
        try:
            check()
            found[name] = "ok"
        except NotReady as missing:
            found[name] = str(missing)
    is_ready = set(found.values()) == {"ok"}
    return JsonResponse({"ready": is_ready} | found, status=200 if is_ready else 503)


def database() -> None:
    try:
        executor = MigrationExecutor(connection)
        waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        raise NotReady("out of reach; see DATABASE_URL") from error
    if waiting:
        raise NotReady("has migrations to run: manage.py migrate")


def workers() -> None:
    try:
        count = living_workers()
    except BROKER_ERRORS as error:
        raise NotReady("broker out of reach; see REDIS_URL") from error
    if not count:
        raise NotReady("no worker is alive; start one with: make worker")


def disk() -> None:
    if shutil.disk_usage(settings.DATA_DIR).free < LEAST_FREE_BYTES:
        raise NotReady(f"less than {LEAST_FREE_BYTES // 1_000_000} MB free in the data folder")


CHECKS: dict[str, Callable[[], None]] = {"database": database, "workers": workers, "disk": disk}
