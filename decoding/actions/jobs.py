"""Every write to a job that is not made by the worker that runs it (for those: decoding/jobs.py).

Each is one conditional update on the state, so that a doubled message, two workers that race or a
second click change nothing.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Case, F, Q, QuerySet, Value, When
from django.db.models.functions import Now

from decoding.jobs import job_kind
from decoding.models import Job
from decoding.queries.jobs import abandoned, unannounced

_log = logging.getLogger(__name__)
_FIRST, _LAST = 0, 9  # priorities, as Redis and Valkey order them


def submit_job(
    kind: str,
    *,
    owner: User,
    parameters: Mapping[str, Any],
    title: str = "",
    key: str | None = None,
) -> Job:
    """Queue work. With a ``key``, asking again for what was asked before gives the same job."""
    new = Job(
        kind=kind,
        owner=owner,
        parameters=dict(parameters),
        title=(title or job_kind(kind).title)[:200],
        key=key,
    )
    try:
        with transaction.atomic():
            new.save(force_insert=True)
    except IntegrityError:
        if key is None:
            raise
        return Job.objects.get(key=key)
    transaction.on_commit(lambda: announce(new.pk))
    return new


def wait_for_others(owner: User) -> None:
    """Wait until who else asks for something of the same owner has committed it.

    So that of two clicks the second finds what the first one asked for.
    """
    User.objects.select_for_update(no_key=True).get(pk=owner.pk)


@transaction.atomic
def submit_once(kind: str, *, owner: User, parameters: Mapping[str, Any], title: str = "") -> Job:
    """Queue work unless the owner has the very same waiting or running: then it is that job."""
    wait_for_others(owner)
    going_on = Job.objects.filter(
        kind=kind, owner=owner, state__in=Job.OPEN, parameters=dict(parameters)
    ).first()
    return going_on or submit_job(kind, owner=owner, parameters=parameters, title=title)


def announce(*keys: int) -> None:
    """Ring the broker's bell. Without a broker the jobs wait, and a worker rings again later.

    A part of a job waits behind all jobs, so that a small one begins as soon as some worker has
    finished what it is at, however many parts a huge one has.
    """
    from kombu.exceptions import OperationalError

    from decoding.tasks import run_job

    parts = Job.objects.filter(pk__in=keys, parent__isnull=False)
    last = set(parts.values_list("pk", flat=True))
    heard = []
    try:
        for pk in keys:
            run_job.apply_async(
                (pk,),
                priority=_LAST if pk in last else _FIRST,
                # Once more at once: the first try finds out that a kept connection is a dead one.
                retry_policy={"max_retries": 1, "interval_start": 0},
            )
            heard.append(pk)
    except (OperationalError, OSError) as error:
        waiting = keys[len(heard) :]
        _log.warning("broker out of reach; jobs wait", extra={"jobs": waiting, "error": str(error)})
    Job.objects.filter(pk__in=heard, state=Job.State.QUEUED).update(announced_at=Now())


def claim_job(pk: int) -> Job | None:
    """Take a queued job for this worker, or None when another has it or it is over."""
    token = uuid.uuid4()
    taken = Job.objects.filter(pk=pk, state=Job.State.QUEUED).update(
        state=Job.State.RUNNING,
        claim=token,
        claimed_at=Now(),
        heartbeat_at=Now(),
        attempts=F("attempts") + 1,
        stalls=F("stalls") + 1,
        done_before=F("done"),
    )
    return Job.objects.get(pk=pk) if taken else None


def cancel_job(job: Job) -> bool:
    """Cancel at once what waits; ask the worker to stop what runs. False when it had ended.

    The whole first, so that it is not split into parts meanwhile; and not in one transaction with
    its parts, for a worker holds a part's row when it asks for that of the whole.
    """
    open_still = _cancel(Job.objects.filter(pk=job.pk))
    _cancel(job.parts.all())
    return bool(open_still)


def _cancel(jobs: QuerySet[Job]) -> int:
    """In one statement, so that no job slips through that is claimed or put back meanwhile."""
    waits = Q(state=Job.State.QUEUED)
    return jobs.filter(state__in=Job.OPEN).update(
        state=Case(When(waits, then=Value(Job.State.CANCELLED)), default=F("state")),
        finished_at=Case(When(waits, then=Now())),
        cancel_requested_at=Now(),
    )


def retry_job(job: Job) -> bool:
    """Queue a failed or cancelled job again; it goes on behind its last committed piece."""
    queued = _queue_again(Job.objects.filter(pk=job.pk))
    if queued:
        transaction.on_commit(lambda: announce(job.pk))
    return bool(queued)


def retry_parts(job: Job) -> bool:
    """Queue a job's failed or cancelled parts again; whether there are any. Nobody hears of it."""
    return bool(_queue_again(job.parts.all()))


def _queue_again(jobs: QuerySet[Job]) -> int:
    return jobs.filter(state__in=[Job.State.FAILED, Job.State.CANCELLED]).update(
        state=Job.State.QUEUED,
        finished_at=None,
        cancel_requested_at=None,
        stalls=0,
        error="",
        traceback="",
        announced_at=None,
    )


def recover_jobs() -> int:
    """Take up what dead workers left, and ring again for what nobody heard of. How many."""
    lost = abandoned()
    gone = {"claim": None, "finished_at": Now()}
    lost.filter(cancel_requested_at__isnull=False).update(state=Job.State.CANCELLED, **gone)
    lost.filter(stalls__gte=Job.MOST_STALLS).update(
        state=Job.State.FAILED,
        error=f"{Job.MOST_STALLS} times nothing more was heard of the worker at the same piece. "
        "Most likely it died for lack of memory: give the workers more memory or the job less to "
        "do, then try again.",
        **gone,
    )
    recovered = lost.update(state=Job.State.QUEUED, claim=None, announced_at=None)
    announce(*unannounced().values_list("pk", flat=True)[:1000])
    return recovered


def release_running_jobs() -> int:
    """Queue all running jobs. Only for a start that knows no worker is alive (`manage.py up`)."""
    return Job.objects.filter(state=Job.State.RUNNING).update(
        state=Job.State.QUEUED, claim=None, announced_at=None
    )
