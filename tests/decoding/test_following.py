"""Waiting for a job: told how far it is, tried again once, and failed as the job failed."""

from __future__ import annotations

import pytest

from decoding.actions import jobs as actions
from decoding.following import follow
from decoding.jobs import run_claimed
from decoding.models import Job
from evaluation.core.errors import VariorumError

# Jobs beat from a thread of their own, which sees only what is committed.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def submit(user, monkeypatch):
    monkeypatch.setattr(actions, "announce", lambda *keys: None)

    def submit(kind="self-test"):
        given = {"pieces": 2, "seconds_per_piece": 0.0}
        return actions.submit_job(kind, owner=user, parameters=given, title="Some work")

    return submit


def test_what_was_cancelled_is_tried_again_and_done_here(submit):
    job = submit()
    actions.cancel_job(job)
    job.refresh_from_db()
    assert follow(job, lambda words: None, here=True).state == "done"
    assert (job.done, job.total) == (2, 2)


def test_a_job_that_fails_says_why(submit):
    job = submit("no-such-kind")
    with pytest.raises(VariorumError, match="no job of kind 'no-such-kind'"):
        follow(job, lambda words: None, here=True)


def test_it_tells_how_far_the_worker_is(submit, monkeypatch):
    """While it waits, a worker claims the job, comes half way, and ends it."""
    job, told = submit(), []

    def claims():
        actions.claim_job(job.pk)
        Job.objects.filter(pk=job.pk).update(done=1, total=2, message="the first")

    def ends():
        run_claimed(Job.objects.get(pk=job.pk))

    steps = iter([claims, ends])
    monkeypatch.setattr("decoding.following.sleep", lambda seconds: next(steps)())
    assert follow(job, told.append, here=False).state == "done"
    assert told == ["waits for a worker", "50% the first"]


def test_what_gives_way_is_taken_up_again(submit, monkeypatch):
    job = submit()
    turns = []

    def gives_way_once(claimed):
        turns.append(claimed.attempts)
        if len(turns) == 1:
            Job.objects.filter(pk=claimed.pk).update(state="queued", claim=None)
        else:
            run_claimed(claimed)

    monkeypatch.setattr("decoding.following.run_claimed", gives_way_once)
    assert follow(job, lambda words: None, here=True).state == "done"
    assert turns == [1, 2]
