from __future__ import annotations

import threading
import time

from celery import shared_task
from celery.signals import worker_shutting_down

from decoding.jobs import JobRun, heavy_kinds, job, run_claimed, worker_stops

# Held by this worker's heavy job, while it has one.
_heavy = threading.Lock()


@shared_task
def run_job(pk: int) -> None:
    """Answer the broker's bell: run the job, unless another worker was quicker.

    While this worker has a heavy job, it leaves others to other workers: the bell rings again.
    """
    from decoding.models import Job

    if Job.objects.filter(pk=pk, kind__in=heavy_kinds()).exists():
        if _heavy.acquire(blocking=False):
            try:
                _run(pk)
            finally:
                _heavy.release()
    else:
        _run(pk)


def _run(pk: int) -> None:
    from decoding.actions.jobs import announce, claim_job
    from decoding.models import Job
    from decoding.parts import go_on
    from decoding.queries.jobs import waiting

    claimed = claim_job(pk)
    if claimed is not None:
        run_claimed(claimed)
    parent = Job.objects.filter(pk=pk).values_list("parent", flat=True).first()
    if parent is not None:
        go_on(parent)  # also where another worker was quicker at this part
    elif claimed and not worker_stops.is_set() and waiting(Job.objects.filter(pk=pk)).exists():
        announce(pk)  # it gave way, and its turn comes after those that wait


@worker_shutting_down.connect
def put_jobs_back(**kwargs) -> None:
    worker_stops.set()


@job("self-test", title="Self-test of the queue")
def self_test(run: JobRun) -> dict[str, list[int]]:
    """Count, a number a piece: shows an operator that workers, queue and database work together.

    Each piece appends its number to the result in the transaction that counts it as done, so the
    result is 0, 1, 2 ... exactly when no piece was lost or done twice.
    """
    total, seconds = run.parameters["pieces"], run.parameters["seconds_per_piece"]
    run.expect(total)
    counted = run.result.setdefault("counted", [])
    for number in range(run.done, total):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            run.check()
            time.sleep(min(left, 0.2))
        with run.piece(message=f"counted {number + 1} of {total}"):
            counted.append(number)
    return {"counted": counted}


# Each declares its kinds of jobs.
from decoding.tasks import (  # noqa: E402
    corpora,  # noqa: F401
    lists,  # noqa: F401
    measurements,  # noqa: F401
    systems,  # noqa: F401
    training,  # noqa: F401
    tuning,  # noqa: F401
    weights,  # noqa: F401
)
