"""Wait for a job to end, telling how far it is: for terminals, where nobody looks at its page."""

from __future__ import annotations

from collections.abc import Callable
from time import sleep

from decoding.actions.jobs import claim_job, retry_job
from decoding.jobs import run_claimed
from decoding.models import Job
from evaluation.core.errors import VariorumError

_ASK_EVERY_SECONDS = 0.3


def follow(job: Job, tell: Callable[[str], None], *, here: bool) -> Job:
    """The job when it is done; a VariorumError when it fails.

    With ``here`` this process does it, for when no worker runs. What was cancelled or failed
    before is tried again once.
    """
    if job.state in (Job.State.FAILED, Job.State.CANCELLED):
        retry_job(job)
        job.refresh_from_db()
    job.refresh_from_db()
    said = ""
    while not job.is_finished:
        # Again and again, for a job gives way when another waits.
        if here and (claimed := claim_job(job.pk)) is not None:
            run_claimed(claimed)
            job.refresh_from_db()
            continue
        waits = job.state == Job.State.QUEUED
        share = "waits for a worker" if waits else f"{job.share_done or 0:.0%}"
        words = f"{share} {job.message}".strip()
        if words != said:
            tell(words)
        said = words
        sleep(_ASK_EVERY_SECONDS)
        job.refresh_from_db()
    if job.state != Job.State.DONE:
        raise VariorumError(f"{job.title}: {job.error or job.state}")
    return job
