"""A job of many pieces, shared by all workers: it is split into parts, which are jobs themselves.

The worker that has the job submits the parts once, then takes parts like any other worker until
none is left. Every piece of a part counts for the whole in the same transaction (JobRun.piece).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from decoding.actions.jobs import announce, claim_job, retry_job
from decoding.jobs import JobRun, run_claimed
from decoding.models import Job
from evaluation.core.errors import VariorumError

# How long to wait for parts that other workers have, before looking again.
_PATIENCE_SECONDS = 0.2


def share_out(
    run: JobRun, kind: str, parts: Sequence[Mapping[str, Any]], sizes: Sequence[int]
) -> list[dict[str, Any]]:
    """Split the job into parts of so many pieces each; their results, when all of them are done.

    To be called once by a job, at its end. The parts that are there already (another worker had
    the job before) stay as they are; those that failed are tried again.
    """
    if not run.result.get("parts"):
        _submit(run, kind, parts, sizes)
    for part in run.job.parts.filter(state__in=[Job.State.FAILED, Job.State.CANCELLED]):
        retry_job(part)
    while _help(run):
        run.check()
    failed = run.job.parts.exclude(state=Job.State.DONE).order_by("pk").first()
    if failed is not None:
        raise VariorumError(failed.error or "A part of it was cancelled. Try again.")
    results = list(run.job.parts.order_by("pk").values_list("result", flat=True))
    run.job.parts.all().delete()  # they have served; what they did is the job's
    return results


def _submit(
    run: JobRun, kind: str, parts: Sequence[Mapping[str, Any]], sizes: Sequence[int]
) -> None:
    run.expect(sum(sizes))
    run.result["parts"] = len(parts)
    with run.piece(0, message="split into parts"):
        made = Job.objects.bulk_create(
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
        transaction.on_commit(lambda: [announce(part.pk) for part in made])


def _help(run: JobRun) -> bool:
    """Take a waiting part and work on it, or wait a little. False when no part is open."""
    waiting = run.job.parts.filter(state=Job.State.QUEUED).order_by("pk").values_list("pk")
    for (pk,) in waiting[:1]:
        claimed = claim_job(pk)
        if claimed is not None:
            run_claimed(claimed)
        return True
    run.wait(_PATIENCE_SECONDS)
    return run.job.parts.filter(state__in=[Job.State.QUEUED, Job.State.RUNNING]).exists()
