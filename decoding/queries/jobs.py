from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from decoding.models import Job


def lease() -> timedelta:
    """How long nothing may be heard of a job before somebody else looks after it."""
    return timedelta(seconds=settings.JOB_LEASE_SECONDS)


def jobs_on_page() -> QuerySet[Job]:
    """For a table of jobs: with owners, without the long texts that a table does not show, and
    without the parts of jobs, which are shown as the whole.
    """
    jobs = Job.objects.filter(parent=None).select_related("owner")
    return jobs.defer("parameters", "result", "traceback")


def unfinished(jobs: QuerySet[Job]) -> QuerySet[Job]:
    return jobs.filter(state__in=[Job.State.QUEUED, Job.State.RUNNING])


def abandoned() -> QuerySet[Job]:
    """Running, by a worker that has not been heard of for longer than the lease.

    By the database's clock alone, so that workers whose clocks differ agree.
    """
    return Job.objects.filter(state=Job.State.RUNNING, heartbeat_at__lt=Now() - lease())


def unannounced() -> QuerySet[Job]:
    """Queued, and not told to the broker, or so long ago that it may be lost with a broker."""
    return Job.objects.filter(
        Q(announced_at__isnull=True) | Q(announced_at__lt=Now() - lease()),
        state=Job.State.QUEUED,
    ).order_by(F("announced_at").asc(nulls_first=True), "pk")
