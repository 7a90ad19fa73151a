"""What was uploaded for a job, from when it is asked for until it has served.

The job has it in the storage, and `[checksum, key]` as its parameter "upload"; the same upload may
serve several jobs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.utils import timezone

from decoding.actions.deletion import discard_unless_used
from decoding.actions.jobs import submit_once
from decoding.actions.training import KEPT
from decoding.models import Job
from decoding.models.ownership import User
from decoding.storage import Kept, fetch_folder, hold, is_kept
from evaluation.core.errors import InputError


def submit_with_upload(kind: str, kept: Kept, *, owner: User, title: str, **parameters: Any) -> Job:
    """Queue work on what was just uploaded; a second click gives the first one's job."""
    with hold(kept):  # where the second click waits, too
        return submit_once(
            kind,
            owner=owner,
            title=title,
            parameters=parameters | {"upload": [kept.checksum, kept.key]},
        )


def fetch_upload(job: Job) -> Path:
    """The folder that was uploaded for a job, which a retry may find gone."""
    checksum, key = job.parameters["upload"]
    if not is_kept(key):
        raise InputError("what was uploaded is not kept any more", hint="Upload it again.")
    return fetch_folder(checksum, key)


def forget_upload(job: Job) -> None:
    """Remove what was uploaded for a job, unless others need it: it has served, or cannot."""
    if upload := job.parameters.get("upload"):
        discard_unless_used(*upload, by=job)


def forget_old_uploads() -> None:
    """Remove what was uploaded for jobs that failed or were cancelled long ago."""
    ended = Job.objects.filter(
        state__in=[Job.State.FAILED, Job.State.CANCELLED],
        finished_at__lt=timezone.now() - KEPT,
        parameters__has_key="upload",
    )
    for job in ended.only("parameters"):
        if job.parameters["upload"] and is_kept(job.parameters["upload"][1]):
            forget_upload(job)
