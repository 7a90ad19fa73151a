from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from decoding.models import Job

# A bell may be lost with its broker; an old one is rung again.
ANNOUNCE_AGAIN = timedelta(seconds=30)


def jobs_on_page() -> QuerySet[Job]:
    """For a table of jobs: with owners, without the long texts that a table does not show."""
    return Job.objects.select_related("owner").defer("parameters", "result", "traceback")


def unfinished(jobs: QuerySet[Job]) -> QuerySet[Job]:
    return jobs.filter(state__in=[Job.State.QUEUED, Job.State.RUNNING])


def abandoned() -> QuerySet[Job]:
    """Running, by a worker that has not been heard of for longer than the lease.

    By the database's clock alone, so that workers whose clocks differ agree.
    """
    lease = timedelta(seconds=settings.JOB_LEASE_SECONDS)
    return Job.objects.filter(state=Job.State.RUNNING, heartbeat_at__lt=Now() - lease)


def unannounced() -> QuerySet[Job]:
    """Queued, and not told to the broker, or so long ago that the message may be lost."""
    return Job.objects.filter(
        Q(announced_at__isnull=True) | Q(announced_at__lt=Now() - ANNOUNCE_AGAIN),
        state=Job.State.QUEUED,
    ).order_by(F("announced_at").asc(nulls_first=True), "pk")
