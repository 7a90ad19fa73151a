from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command

from decoding.actions.jobs import claim_job, submit_job
from decoding.models import Job
from evaluation.core.errors import VariorumError

pytestmark = pytest.mark.django_db


def said(*arguments, **options):
    out = StringIO()
    call_command("jobs", *arguments, stdout=out, stderr=StringIO(), **options)
    return out.getvalue()


@pytest.fixture
def job(user):
    return submit_job("self-test", owner=user, parameters={}, title="Count for Rosa")


def test_lists_jobs(job):
    assert said().split() == [str(job.pk), "queued", "0", "rosa", "Count", "for", "Rosa"]


def test_cancels_once(job):
    assert said("cancel", str(job.pk)) == "It will stop within seconds.\n"
    assert said("cancel", str(job.pk)) == "It had ended.\n"


def test_retries_what_was_cancelled(job):
    assert said("retry", str(job.pk)) == "It is queued or running already.\n"
    said("cancel", str(job.pk))
    assert said("retry", str(job.pk)) == "Queued again.\n"


def test_watching_what_failed_fails_with_its_sentence(job):
    claim_job(job.pk)
    Job.objects.update(state="failed", claim=None, finished_at="2026-01-01T00:00Z", error="No.")
    with pytest.raises(VariorumError, match=rf"Job {job.pk} failed. No\."):
        said("watch", str(job.pk))


def test_a_job_that_is_not_there():
    with pytest.raises(VariorumError, match="There is no job 99"):
        said("watch", "99")


def test_the_self_test_wants_an_administrator():
    with pytest.raises(VariorumError, match="createsuperuser"):
        said("self-test")


@pytest.mark.slow
def test_the_self_test_runs_through_a_worker(queue, administrator):
    queue.worker()
    assert "done, 5 pieces" in said("self-test", "--pieces", "5", "--seconds-per-piece", "0")
