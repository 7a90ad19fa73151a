from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import F, Q, QuerySet, Window
from django.db.models.functions import Now, RowNumber
from django.urls import reverse

from decoding.models import FailedSegment, Job

# Of the waiting parts of a job so many are told to the broker at a time: whoever comes to one goes
# on with the next by itself, and messages that nobody has time for would only pile up.
PARTS_RUNG = 16


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
    return jobs.filter(state__in=Job.OPEN)


def waiting(jobs: QuerySet[Job]) -> QuerySet[Job]:
    return jobs.filter(state=Job.State.QUEUED)


def abandoned() -> QuerySet[Job]:
    """Running, by a worker that has not been heard of for longer than the lease.

    By the database's clock alone, so that workers whose clocks differ agree.
    """
    return Job.objects.filter(state=Job.State.RUNNING, heartbeat_at__lt=Now() - lease())


def next_parts(parent: int) -> QuerySet[Job]:
    """The waiting parts of a job in the order in which they are taken."""
    return waiting(Job.objects.filter(parent=parent)).order_by("pk")


def unannounced() -> QuerySet[Job]:
    """Queued, and not told to the broker, or so long ago that it may be lost with a broker.

    Of the parts of a job only some, for all of them are taken by those who come to these.
    """
    place = Window(RowNumber(), partition_by="parent", order_by="pk")
    parts = waiting(Job.objects.filter(parent__isnull=False)).annotate(place=place)
    return (
        waiting(Job.objects)
        .filter(
            Q(parent=None) | Q(pk__in=parts.filter(place__lte=PARTS_RUNG).values("pk")),
            Q(announced_at__isnull=True) | Q(announced_at__lt=Now() - lease()),
        )
        .order_by(F("announced_at").asc(nulls_first=True), "pk")
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """Where to look at what a job made."""

    words: str
    address: str


def outcome_of(job: Job) -> Outcome | None:
    """Where a finished job's result is, if it has a page of its own."""
    if job.kind == "tune-weights" and job.state != Job.State.DONE:
        tuning = reverse("decoding:weight-tuning", args=[job.parameters["tuning"]])
        return Outcome("Show the rounds so far", tuning)
    if job.state != Job.State.DONE:
        return None
    if job.kind == "make-lists":
        parts = job.parameters["corpus"], job.parameters["system"]
        return Outcome("Browse the lists", reverse("decoding:browse", args=parts))
    if job.kind == "measure-system":
        system = reverse("decoding:system", args=[job.parameters["system"]])
        return Outcome("Show the system", system)
    if job.kind == "compare-systems":
        made = reverse("decoding:comparison", args=[job.parameters["comparison"]])
        return Outcome("Show the comparison", made)
    if job.kind == "import-corpus":
        return Outcome("Show the corpus", reverse("decoding:corpus", args=[job.result["corpus"]]))
    if job.kind in ("import-moses", "train-system", "tune-weights"):
        return Outcome("Show the system", reverse("decoding:system", args=[job.result["system"]]))
    if job.kind == "tune-diversity":
        run = reverse("decoding:tuning-run", args=[job.parameters["run"]])
        return Outcome("Show the surface", run)
    if page := job.result.get("page"):  # jobs of the apps above name it themselves
        return Outcome("Show it", page)
    return None


def counted_lists(job: Job) -> dict[str, int]:
    """How many lists a job made, and how many it could not, however it ended."""
    return {"lists made": job.lists.count(), "lists failed": job.failed_segments.count()}


def result_of(job: Job) -> dict[str, Any]:
    """What a job's page says of what came out; of lists also if it was broken off."""
    found: dict[str, Any] = {}
    if job.state == Job.State.DONE:
        found = job.result
    elif job.is_finished and job.kind == "make-lists":
        found = counted_lists(job)
    return {
        name: f"{said:,}" if type(said) is int else said
        for name, said in found.items()
        if name not in ("system", "corpus", "page")
    }


@dataclass(frozen=True, slots=True)
class Failures:
    """The first segments that failed, with what a table shows of them, and how many there are."""

    shown: list[FailedSegment]
    count: int


def failures_on_page(job: Job, most: int = 100) -> Failures:
    failed = job.failed_segments.select_related("segment", "recipe_version__recipe")
    if not job.is_finished:  # then the page renews itself, and shows no details yet
        failed = failed.defer("traceback")
    shown = list(failed.order_by("segment__number", "recipe_version")[:most])
    return Failures(shown, failed.count() if len(shown) == most else len(shown))
