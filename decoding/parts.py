"""A job of many pieces, shared by all workers: it is split into parts, which are jobs themselves.

The worker that has the job submits the parts once. Every worker that comes to one of them goes on
with the next until none is left, and so does the one that has the job; but between two parts each
gives way to other jobs that wait. Every piece of a part counts for the whole in the same
transaction (JobRun.piece).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db import transaction

from decoding.actions.jobs import announce, claim_job, retry_parts
from decoding.jobs import GivesWay, JobRun, PartFailed, run_claimed, worker_stops
from decoding.models import Job
from decoding.queries.jobs import PARTS_RUNG, next_parts, unfinished, waiting

# How long to wait for parts that other workers have, before looking again: at first, for the last
# parts are small, and at most.
_FIRST_WAIT_SECONDS = 0.01
_LONGEST_WAIT_SECONDS = 0.5

_LEAST, _USUAL, _MOST = 10, 100, 200  # pieces of a part


def cut(pieces: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Cut a job's pieces for `share_out`.

    Into equal parts, each large enough to be worth its announcement; but the last ones become
    smaller and smaller, so that all workers end at about the same time.
    """
    whole = max(_USUAL, min(_MOST, len(pieces) // 16))
    start = 0
    while left := len(pieces) - start:
        size = min(left, max(_LEAST, min(whole, left // 3)))
        yield pieces[start : start + size]
        start += size


def share_out(
    run: JobRun, kind: str, parts: Sequence[Mapping[str, Any]], sizes: Sequence[int]
) -> list[dict[str, Any]]:
    """Split the job into parts of so many pieces each; their results, when all of them are done.

    To be called once by a job, at its end, and `forget_parts` after it. The parts that are there
    already (another worker had the job before) stay as they are; those that failed are tried again.
    """
    if not run.result.get("parts"):
        _submit(run, kind, parts, sizes)
    if retry_parts(run.job):
        _ring(run.job.pk, PARTS_RUNG)
    _work_off(run)
    failed = run.job.parts.exclude(state=Job.State.DONE).order_by("pk").first()
    if failed is not None:
        raise PartFailed(failed)
    return list(run.job.parts.order_by("pk").values_list("result", flat=True))


def forget_parts(run: JobRun) -> None:
    """They have served. To be called in the piece that keeps what was made of their results, or a
    job that is interrupted between the two would find neither.
    """
    run.job.parts.all().delete()


def _submit(
    run: JobRun, kind: str, parts: Sequence[Mapping[str, Any]], sizes: Sequence[int]
) -> None:
    run.expect(sum(sizes))
    run.result["parts"] = len(parts)
    with run.piece(0, message="split into parts"):
        # Who cancels the whole waits for this transaction, and finds the parts; or was quicker.
        run.beat()
        run.check()
        Job.objects.bulk_create(
            Job(
                kind=kind,
                owner_id=run.job.owner_id,
                title=f"{run.job.title}: part {number}"[:200],
                parameters=dict(parameters),
                parent=run.job,
                total=size,
            )
            for number, (parameters, size) in enumerate(zip(parts, sizes, strict=True), start=1)
        )
        transaction.on_commit(lambda: _ring(run.job.pk, PARTS_RUNG))


def _ring(parent: int, most: int) -> None:
    """Call so many workers to the job's next parts."""
    announce(*next_parts(parent).values_list("pk", flat=True)[:most])


def _work_off(run: JobRun) -> None:
    """Take waiting parts and work on them until all are done; wait for those that others have."""
    patience = _FIRST_WAIT_SECONDS
    while True:
        run.check()
        if _take_part(run.job.pk):
            patience = _FIRST_WAIT_SECONDS
            # Whoever takes the job up again tries the failed parts again, so not with those.
            failed = run.job.parts.filter(state=Job.State.FAILED)
            if _others_wait(run.job.pk) and not failed.exists():
                raise GivesWay
        elif unfinished(run.job.parts.all()).exists():
            run.wait(patience)
            patience = min(2 * patience, _LONGEST_WAIT_SECONDS)
        else:
            return


def go_on(parent: int) -> None:
    """Called to a part of a job, take its next ones too, without waiting for the bell of each."""
    while not worker_stops.is_set():
        if _others_wait(parent):
            _ring(parent, 1)  # so that this thread comes back when they are done
            return
        if not _take_part(parent):
            return


def _take_part(parent: int) -> bool:
    """Work on the job's next waiting part; False when there is none."""
    pk = next_parts(parent).values_list("pk", flat=True).first()
    if pk is None:
        return False
    claimed = claim_job(pk)
    if claimed is not None:
        run_claimed(claimed)
    return True


def _others_wait(parent: int) -> bool:
    """Whether another job waits, maybe for this very thread, which may be the only one there is."""
    return waiting(Job.objects.filter(parent=None)).exclude(pk=parent).exists()
